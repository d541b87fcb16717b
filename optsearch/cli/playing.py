"""The command with which a person plays in the terminal: play."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from optsearch.cli.app import app
from optsearch.cli.common import (
    board_in_colours,
    configurations_text,
    count_text,
    out,
    read_game,
    replacement_for,
    title_with_rules,
)
from optsearch.cli.console import Interrupted
from optsearch.cli.counting import heat_map_text
from optsearch.cli.dialogue import Dialogue
from optsearch.cli.options import ANY, Option
from optsearch.cli.progress import show_progress
from optsearch.counting.mixture import posterior_of
from optsearch.game import HOLE, Game, cell_name, parse_cell
from optsearch.game.fleets import any_game, position_in
from optsearch.game.position import Position, legend
from optsearch.game.reply_text import example_cell, reply_in_words
from optsearch.play.advice import draw_fleet
from optsearch.play.match import Match
from optsearch.support.errors import GameError, OptsearchError, PositionError
from optsearch.support.files import read_text
from optsearch.support.palette import IN_TERMINAL, SHIP_IN_TERMINAL

MOST_KEPT = 1 << 16  # bytes of a match that was kept
HELP = """\
CELL   shoot there, as in {cell}
undo   take the last shot back, and the answer to it
hint   a cell where a ship is most probable
map    the probability of a ship on every cell
board  the boards, and the fleet: {ships}
help   this
quit   end; so does the end of the input"""


@app.command(
    example="optsearch play 10x10:5,4,3,3,2,contact=any --against hard",
    seconds=3,
    next_step="optsearch advise 10x10:5,4,3,3,2,contact=any  # help in a real game",
    against=Option(
        "Who shoots back: easy (at random), hard (the fifth version of Battleship Heuristics), "
        "exact (most probable cells), or any player; nobody, if not given.",
        metavar="PLAYER",
    ),
    ships=Option("Your own ships, as in 'A1-A3 C1-C2' (default: drawn at random)."),
    seed=Option("The same seed gives the same hidden ships.", min=0),
    boards=Option(
        "Who hides the ships that you look for: uniform, one-by-one, corner, FILE.csv with a "
        "prior, or FILE.py:NAME.",
        metavar="HIDER",
    ),
    resume=Option("File that keeps the game; the same command goes on from there.", writes=ANY),
)
def play(
    game: str,
    against: str = "",
    ships: str = "",
    seed: int | None = None,
    boards: str = "uniform",
    resume: Path | None = None,
) -> None:
    """Play against hidden ships, or against a player who shoots back.

    Enter a cell to shoot, or undo, hint, map, board, help or quit.
    """
    dialogue = Dialogue()
    with show_progress("hiding ships"):
        match = load_match(read_game(game, any_game), seed, against, ships, boards, resume)
    table = MatchDialogue(dialogue, match, resume)
    try:
        table.run()
    except KeyboardInterrupt:
        raise Interrupted(table.resume_hint) from None


def load_match(
    game: Game, seed: int | None, against: str, ships: str, boards: str, file: Path | None
) -> Match:
    """Return the match that a file keeps, or a new one where there is no file yet."""
    if file is None or not file.exists():
        return Match(game, secrets.randbits(32) if seed is None else seed, against, ships, boards)
    try:
        match = Match.from_json(read_text(file, MOST_KEPT))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OptsearchError(f"cannot go on with {str(file)!r}: {reason}") from None
    options = {"game": str(game), "seed": seed, "against": against, "ships": ships}
    options["boards"] = boards if boards != "uniform" else ""
    stored = {
        "game": str(match.game),
        "seed": match.seed if seed is not None else None,
        "against": match.against if against else "",
        "ships": " ".join(map(match.game.ship_name, match.own_ships)) if ships else "",
        "boards": match.boards if boards != "uniform" else "",
    }
    for name, value in options.items():
        if value != stored[name]:
            raise OptsearchError(
                f"{str(file)!r} keeps another game: its {name} is {stored[name] or 'none'}, not "
                f"{value}; leave that out or name another file"
            )
    return match


class MatchDialogue:
    """A conversation in which a match is played."""

    def __init__(self, dialogue: Dialogue, match: Match, file: Path | None):
        self._dialogue, self._match, self._file = dialogue, match, file

    @property
    def resume_hint(self) -> str:
        """The end of the last line, which says how to go on; empty where nothing is kept."""
        if self._file is None or self._match.is_over:
            return ""
        return f"; the game is in {self._file}, and the same command goes on from there"

    def run(self) -> None:
        """Read lines and shoot until the game or the input ends."""
        match = self._match
        whom = f", against {match.against}" if match.against else ""
        self._dialogue.say(
            title_with_rules(f"{match.game}, seed {match.seed}{whom}", match.game), "bold"
        )
        cell = cell_name(example_cell(match.game))
        self._dialogue.say(f"enter a cell to shoot, as in {cell}; help lists what else there is")
        self._save()
        self._print_boards()
        self._let_opponent_shoot()  # where it was stopped between the two
        while not self._match.is_over:
            shots = len(self._match.position.shots)
            line = self._dialogue.ask(f"shot {shots + 1}> ")
            if line is None or line.lower() in ("quit", "exit", "q"):
                self._dialogue.say(f"{count_text(shots, 'shot')}{self.resume_hint}")
                return
            try:
                self._execute(line.lower())
            except (PositionError, GameError) as error:
                reason = str(error)
                hint = "" if "shoot at" in reason else "; help lists what can be entered"
                self._dialogue.refuse(f"{reason}{hint}")
        self._print_result()

    def _execute(self, line: str) -> None:
        """Do what a line says."""
        position = self._match.position
        if line in ("help", "?"):
            self._dialogue.say(
                HELP.format(
                    cell=cell_name(example_cell(self._match.game)),
                    ships=names_with_lengths(self._match.game),
                )
            )
        elif line == "hint":
            with show_progress("counting"):
                message = hint_text(position)
            self._dialogue.say(message)
        elif line == "map":
            self._dialogue.say()
            with show_progress("counting") as progress:
                chart = heat_map_text(posterior_of(position, progress=progress))
            out.print(chart, soft_wrap=True)
        elif line == "board":
            self._print_boards()
        elif line == "undo":
            gone = position.shots[-1:]
            self._match = self._match.without_last_turn()
            self._save()
            self._dialogue.say(f"{gone[0]} is taken back")
            self._print_boards()
        else:
            self._shoot(line)

    def _shoot(self, line: str) -> None:
        """Shoot at the cell that a line names; let the opponent shoot back."""
        cell = parse_cell(line)
        reply = self._match.shoot(cell)
        self._save()
        message = reply_in_words(self._match.game, reply)
        self._dialogue.say(f"{cell_name(cell)}: {message}", IN_TERMINAL[reply.hit])
        self._let_opponent_shoot()
        if not self._match.is_over:
            self._print_boards()

    def _let_opponent_shoot(self) -> None:
        """Let the opponent shoot, if it is its turn."""
        match = self._match
        if match.against and not match.is_answered and not match.is_won:
            with show_progress("thinking"):
                shot = match.answer()
            self._save()
            message = reply_in_words(match.game, shot.reply)
            self._dialogue.say(f"{match.against} shoots at {cell_name(shot.cell)}: {message}")

    def _save(self) -> None:
        if self._file is not None:
            with replacement_for(self._file) as beside:
                beside.write_text(f"{self._match.to_json()}\n")

    def _print_boards(self) -> None:
        """Print the boards, beside each other where there is room."""
        match = self._match
        hole = f", {HOLE} hole" if match.game.holes else ""
        meanings = f"{legend(match.game)}, . not shot{hole}, › last shot"
        boards = [board_lines(match.position)]
        if match.against:
            boards.append(board_lines(match.answers, match.own_ships))
            for board, whose in zip(boards, ("theirs", "yours"), strict=True):
                board.insert(0, Text(whose, "bold"))
        self._dialogue.say()
        out.print(Text("\n").join(join_boards(boards, out.width)), soft_wrap=True)
        self._dialogue.say(f"\n{meanings}\nfleet: {draw_fleet(match.position)}\n")

    def _print_result(self) -> None:
        """Say who has won, and to a person who has lost where the ships were."""
        match, game = self._match, self._match.game
        shots = count_text(len(match.position.shots), "shot")
        theirs, yours = "sunk every ship", "sunk your ships"
        if game.ends_at_hit:
            theirs = yours = "the first hit"
        if match.is_won:
            self._dialogue.say(f"you have {theirs}, with {shots}", "bold")
        else:
            places = ", ".join(map(game.ship_name, match.hidden))
            self._dialogue.say(f"{match.against} has {yours}, with {shots}", "bold")
            self._dialogue.say(f"its own were at {places}")


def names_with_lengths(game: Game) -> str:
    """Return the ships with their names and lengths: carrier (5), battleship (4)."""
    kinds = dict.fromkeys(game.fleet)
    ships = [f"{' or '.join(game.kind_names[kind])} ({int(kind)})".lstrip() for kind in kinds]
    return ", ".join(ships) if any(game.kind_names.values()) else game.fleet_text


def hint_text(position: Position) -> str:
    """Say which cells have a ship most probably, and with what probability."""
    posterior = posterior_of(position)
    likely = posterior.greedy_shots()
    chance = posterior.frequency[likely[0][0]][likely[0][1]]
    cells = " ".join(map(cell_name, likely))
    left = configurations_text(posterior.configurations)
    return f"{cells}: a ship with {float(chance):.1%}; {left} left"


def board_lines(position: Position, ships: Sequence[int] = ()) -> list[Text]:
    """Draw the lines of a board in colours, its last shot marked. ships -- those that are known."""
    styles = {cell: SHIP_IN_TERMINAL for ship in ships for cell in position.game.cells_of(ship)}
    styles |= {shot.cell: IN_TERMINAL[shot.reply.hit] for shot in position.shots}
    last = position.shots[-1].cell if position.shots else None
    return list(board_in_colours(position.game, signs(position, ships), styles, last).split("\n"))


def join_boards(boards: Sequence[Sequence[Text]], width: int) -> list[Text]:
    """Set the lines of one or two boards beside each other, or below where that is too wide."""
    left, *others = boards
    wide = max(map(len, left)) + 6
    if not others:
        return list(left)
    if wide + max(map(len, others[0])) > width:
        return [*left, Text(), *others[0]]
    for line in left:
        line.pad_right(wide - len(line))
    return [line + other for line, other in zip(left, others[0], strict=True)]


def signs(position: Position, ships: Sequence[int] = ()) -> list[list[str]]:
    """Return a sign for each cell: its reply, or else the number of a ship that is known."""
    game = position.game
    grid = [list(row) for row in position_in(game).board().splitlines()]
    for number, ship in enumerate(ships, 1):
        for row, column in game.cells_of(ship):
            grid[row][column] = str(number)
    for (row, column), sign in position.drawn_replies.items():
        grid[row][column] = sign.letter
    return grid
