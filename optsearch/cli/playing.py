"""The command play, with which a person plays in the terminal."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
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
BLANKS_BETWEEN_BOARDS = 6  # blanks between two boards beside each other
UNIFORM = "uniform"  # the hider by default
HELP = """\
CELL   shoot there, as in {cell}
undo   take the last shot back, and the answer to it
hint   a cell where a ship is most probable
map    the probability of a ship on every cell
board  the boards, and the fleet: {ships}
help   this
quit   end; so does the end of the input"""


@dataclass(frozen=True)
class MatchOptions:
    """The opponent, the person's own ships, and the seed and the hider of the hidden ships."""

    against: str = ""
    ships: str = ""
    seed: int | None = None
    boards: str = UNIFORM


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
def play(game: str, options: MatchOptions, resume: Path | None = None) -> None:
    """Play against hidden ships, or against a player who shoots back.

    Enter a cell to shoot, or undo, hint, map, board, help or quit.
    """
    dialogue = Dialogue()
    with show_progress("hiding ships"):
        parsed = read_game(game, any_game)
        if resume is not None and resume.exists():
            match = load_match(resume)
            require_options_of(match, resume, parsed, options)
        else:
            seed = secrets.randbits(32) if options.seed is None else options.seed
            match = Match(parsed, seed, options.against, options.ships, options.boards)
    conversation = MatchDialogue(dialogue, match, resume)
    try:
        conversation.run()
    except KeyboardInterrupt:
        raise Interrupted(conversation.resume_hint) from None


def load_match(file: Path) -> Match:
    """Return the match that a file keeps; raise OptsearchError if it cannot be read."""
    try:
        return Match.from_json(read_text(file, MOST_KEPT))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise OptsearchError(f"cannot go on with {str(file)!r}: {reason}") from None


def require_options_of(match: Match, file: Path, game: Game, options: MatchOptions) -> None:
    """Raise OptsearchError if the game, or an option that is given, differs from a kept match."""
    given_and_kept = {"game": (str(game), str(match.game))}
    if options.seed is not None:
        given_and_kept["seed"] = str(options.seed), str(match.seed)
    if options.against:
        given_and_kept["against"] = options.against, match.opponent
    if options.ships:
        own_ships = " ".join(map(match.game.ship_name, match.own_ships))
        given_and_kept["ships"] = options.ships, own_ships
    if options.boards != UNIFORM:
        given_and_kept["boards"] = options.boards, match.boards
    for name, (given, kept) in given_and_kept.items():
        if given != kept:
            raise OptsearchError(
                f"{str(file)!r} keeps another game: its {name} is {kept or 'none'}, not "
                f"{given}; leave that out or name another file"
            )


class MatchDialogue:
    """A conversation in which a person plays a match."""

    def __init__(self, dialogue: Dialogue, match: Match, file: Path | None):
        self._dialogue, self._match, self._file = dialogue, match, file

    @property
    def resume_hint(self) -> str:
        """How to go on, to end the last line with; empty if the match is over or not kept."""
        if self._file is None or self._match.is_over:
            return ""
        return f"; the game is in {self._file}, and the same command goes on from there"

    def run(self) -> None:
        """Read lines and shoot until the match or the input ends."""
        match = self._match
        opponent = f", against {match.opponent}" if match.opponent else ""
        self._dialogue.say(
            title_with_rules(f"{match.game}, seed {match.seed}{opponent}", match.game), "bold"
        )
        cell = cell_name(example_cell(match.game))
        self._dialogue.say(f"enter a cell to shoot, as in {cell}; help lists what else there is")
        self._save()
        self._print_boards()
        self._let_opponent_shoot()  # if the match was stopped after the person's shot
        while not self._match.is_over:
            shots = len(self._match.position.shots)
            line = self._dialogue.ask(f"shot {shots + 1}> ")
            if line is None or line.lower() in ("quit", "exit", "q"):
                self._dialogue.say(f"{count_text(shots, 'shot')}{self.resume_hint}")
                return
            try:
                self._execute_line(line.lower())
            except (PositionError, GameError) as error:
                reason = str(error)
                hint = "" if "shoot at" in reason else "; help lists what can be entered"
                self._dialogue.refuse(f"{reason}{hint}")
        self._print_result()

    def _execute_line(self, line: str) -> None:
        """Execute a line: one of the commands of `HELP`, or a cell to shoot at."""
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
                heat_map = heat_map_text(posterior_of(position, progress=progress))
            out.print(heat_map, soft_wrap=True)
        elif line == "board":
            self._print_boards()
        elif line == "undo":
            self._match = self._match.without_last_turn()  # refuses where there is no shot
            self._save()
            self._dialogue.say(f"{position.shots[-1]} is taken back")
            self._print_boards()
        else:
            self._shoot(line)

    def _shoot(self, line: str) -> None:
        """Shoot at the cell that a line names; then let the opponent shoot."""
        cell = parse_cell(line)
        reply = self._match.shoot(cell)
        self._save()
        message = reply_in_words(self._match.game, reply)
        self._dialogue.say(f"{cell_name(cell)}: {message}", IN_TERMINAL[reply.hit])
        self._let_opponent_shoot()
        if not self._match.is_over:
            self._print_boards()

    def _let_opponent_shoot(self) -> None:
        """Let the opponent shoot if there is one and it is its turn; print its shot."""
        match = self._match
        if match.opponent and not match.is_persons_turn and not match.is_won:
            with show_progress("thinking"):
                shot = match.shoot_back()
            self._save()
            message = reply_in_words(match.game, shot.reply)
            self._dialogue.say(f"{match.opponent} shoots at {cell_name(shot.cell)}: {message}")

    def _save(self) -> None:
        if self._file is not None:
            with replacement_for(self._file) as temporary_file:
                temporary_file.write_text(f"{self._match.to_json()}\n")

    def _print_boards(self) -> None:
        """Print the boards, side by side if there is room, and the fleet."""
        match = self._match
        hole = f", {HOLE} hole" if match.game.holes else ""
        meanings = f"{legend(match.game)}, . not shot{hole}, › last shot"
        boards = [board_lines(match.position)]
        if match.opponent:
            boards.append(board_lines(match.own_position, match.own_ships))
            for board, whose in zip(boards, ("theirs", "yours"), strict=True):
                board.insert(0, Text(whose, "bold"))
        self._dialogue.say()
        out.print(Text("\n").join(join_boards(boards, out.width)), soft_wrap=True)
        self._dialogue.say(f"\n{meanings}\nfleet: {draw_fleet(match.position)}\n")

    def _print_result(self) -> None:
        """Print who has won; if the person has lost, also where the ships were."""
        match, game = self._match, self._match.game
        shots = count_text(len(match.position.shots), "shot")
        if match.is_won:
            achieved = "the first hit" if game.ends_at_hit else "sunk every ship"
            self._dialogue.say(f"you have {achieved}, with {shots}", "bold")
        else:
            achieved = "the first hit" if game.ends_at_hit else "sunk your ships"
            self._dialogue.say(f"{match.opponent} has {achieved}, with {shots}", "bold")
            hidden_ships = ", ".join(map(game.ship_name, match.hidden))
            self._dialogue.say(f"its own were at {hidden_ships}")


def names_with_lengths(game: Game) -> str:
    """Return the ships with names and lengths, as in "carrier (5), battleship (4)"."""
    if not any(game.kind_names.values()):
        return game.fleet_text
    kinds = dict.fromkeys(game.fleet)
    ships = (f"{' or '.join(game.kind_names[kind])} ({int(kind)})" for kind in kinds)
    return ", ".join(ship.lstrip() for ship in ships)  # a kind without a name is its length alone


def hint_text(position: Position) -> str:
    """Return the most probable cells, their probability, and the number of configurations left."""
    posterior = posterior_of(position)
    most_probable = posterior.greedy_shots()
    row, column = most_probable[0]
    chance = posterior.frequency[row][column]
    names = " ".join(map(cell_name, most_probable))
    configurations_left = configurations_text(posterior.configurations)
    return f"{names}: a ship with {float(chance):.1%}; {configurations_left} left"


def board_lines(position: Position, ships: Sequence[int] = ()) -> list[Text]:
    """Return the lines of a board, drawn in colours and with its last shot marked.

    ships -- the ships to show, as masks of their cells.
    """
    styles = {cell: SHIP_IN_TERMINAL for ship in ships for cell in position.game.cells_of(ship)}
    styles |= {shot.cell: IN_TERMINAL[shot.reply.hit] for shot in position.shots}
    last_shot = position.shots[-1].cell if position.shots else None
    board = board_in_colours(position.game, signs(position, ships), styles, marked=last_shot)
    return list(board.split("\n"))


def join_boards(boards: Sequence[Sequence[Text]], width: int) -> list[Text]:
    """Return the lines of one or two boards, side by side if they fit into `width` letters."""
    if len(boards) == 1:
        return list(boards[0])
    left, right = boards
    left_width = max(map(len, left)) + BLANKS_BETWEEN_BOARDS
    if left_width + max(map(len, right)) > width:
        return [*left, Text(), *right]
    for line in left:
        line.pad_right(left_width - len(line))
    return [line + other for line, other in zip(left, right, strict=True)]


def signs(position: Position, ships: Sequence[int] = ()) -> list[list[str]]:
    """Return the sign that is drawn in each cell of a board, by row and column.

    It is the letter of the reply, or else the number of the ship, from 1, or else the sign of the
    empty board. ships -- the ships to show, as masks of their cells.
    """
    game = position.game
    sign_grid = [list(row) for row in position_in(game).board().splitlines()]
    for ship_number, ship in enumerate(ships, 1):
        for row, column in game.cells_of(ship):
            sign_grid[row][column] = str(ship_number)
    for (row, column), sign in position.drawn_replies.items():
        sign_grid[row][column] = sign.letter
    return sign_grid
