"""The command advise, which helps a person in a game that is played elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import (
    cell_names,
    configurations_text,
    count_text,
    end_text,
    out,
    position_fields,
    read_noise,
    read_noisy_position,
    read_prior,
    replacement_for,
    title_with_rules,
)
from optsearch.cli.console import Interrupted
from optsearch.cli.counting import heat_map_text
from optsearch.cli.dialogue import Dialogue
from optsearch.cli.options import ANY, Form, KnowledgeOptions, Option, PositionOptions
from optsearch.cli.progress import show_progress
from optsearch.counting.conflicts import complete_reply
from optsearch.counting.mixture import posterior_of
from optsearch.evaluation.choosing import Chooser
from optsearch.game import Game, cell_name, parse_cell
from optsearch.game.fleets import MixedPosition
from optsearch.game.named_games import menu_games
from optsearch.game.noise import NoisyPosition
from optsearch.game.position import Position, Shot, known_replies, shots_of
from optsearch.game.reply_text import example_reply, shot_in_words
from optsearch.play.advice import ENDGAME, Advice, draw_fleet
from optsearch.play.advice import advise as advise_
from optsearch.play.replies import Replies, ReplyConflict
from optsearch.play.simulate import ReplyModel
from optsearch.strategies.player import require_salvo, salvo_size
from optsearch.support.documents import text_of
from optsearch.support.errors import GameError, OptsearchError, PositionError
from optsearch.support.files import state_folder

AnyPosition = Position | NoisyPosition
MOST_KEPT = 1 << 16  # bytes of a file of replies
MOST_QUOTED_SIGNS = 200  # signs of a line that is quoted
HELP = """\
CELL REPLY   a shot and what was replied: {replies}; several on a line will do;
             m, o or water is a miss, h or x a hit, hit4 is hit 4, and sunk3 is sunk 3
undo         take the last reply back; undo CELL takes that one back
map          the probability of a ship on every cell
shots        the replies so far
help         this
quit         end; so does the end of the input"""


def reply_forms(game: Game) -> str:
    """List the replies of a game, as in "miss, hit or sunk 3, or with a name: carrier (5)".

    If replies show whole ships, only the form of a reply is given.
    """
    if game.shows_ships:
        return game.forms_of_replies  # far too many to list
    *replies, last = (str(reply).replace(":", " ") for reply in known_replies(game))
    forms = f"{', '.join(replies)} or {last}"
    names = [
        f"{name.replace('-', ' ')} ({label})"
        for name, label in game.named_ships.items()
        if name not in game.fleet_text
    ]
    if names and not game.is_silent:
        forms += f", or with a name: {', '.join(names)}"
    return forms


@dataclass(frozen=True)
class StartOptions:
    """The game, which a person may be asked for, and the shots made so far."""

    game: str | None = None
    shots: str = ""


@dataclass(frozen=True)
class DetailOptions:
    """The number of shots to show, and the size up to which the optimum is searched."""

    number: int = 5
    endgame: int = ENDGAME


@dataclass(frozen=True)
class KeepingOptions:
    """The file that keeps the replies, and the option not to keep them."""

    resume: Path | None = None
    no_save: bool = False


@app.command(
    example="optsearch advise boxed",
    seconds=3,
    next_step="optsearch posterior 10x10:5,4,3,3,2 --shots 'B4=hit C7=miss'  # all cells",
    fields="game position (prior prior_digest) (known) ships_left configurations bits greedy_shots "
    "likely best_shots mean by by_shot (salvo by_salvo) (false_hits false_misses) (lies) refused",
    number=Option("How many shots to propose.", flags="-n", min=1, max=128),
    endgame=Option(
        "Search the optimum when at most this many configurations are left.", min=0, max=2000
    ),
    resume=Option("File that keeps the replies; the same command goes on from there.", writes=ANY),
    no_save=Option(
        "Keep nothing. Without this option, in a terminal, the command keeps the replies and "
        "offers to go on the next time."
    ),
    by=Option(
        "Also show the shot of this strategy, such as spread in the boxed game or levels in the "
        "paper's game.",
        metavar="STRATEGY",
    ),
)
def advise(
    *,
    start: StartOptions,
    details: DetailOptions,
    keeping: KeepingOptions,
    by: str | None = None,
    prior: str | None = None,
    noise: KnowledgeOptions,
    salvo: str = "1",
    form: Form = Form.TEXT,
) -> None:
    """Advice in a real game: enter its replies one by one.

    Each line is a shot and its reply, as in B4 hit, C7 m or B5 sunk3; the command prints the
    most probable next shots. It explains a reply that contradicts earlier ones, and does not
    take it. In a terminal it keeps the replies, and without GAME it asks which. Lines can be
    piped in; the exit status is 1 if one of them was refused.
    """
    parsed_salvo, false_replies = salvo_size(salvo), read_noise(noise)
    dialogue = Dialogue(is_quiet=form is not Form.TEXT)
    game = start.game or ask_for_game(dialogue)
    position = read_noisy_position(PositionOptions(game, start.shots), false_replies)
    require_salvo(parsed_salvo, position.game)
    parsed_prior = read_prior(position.game, prior, noise.know or ())
    chooser = None if by is None else Chooser(by, position.game)
    if false_replies is not None and chooser is not None:
        chooser.strategy.require_noise()
    file = keeping.resume
    if file is not None:
        position = load_replies(position, file)
    elif dialogue.is_person and not dialogue.is_quiet and not keeping.no_save:
        file = state_folder() / "advise" / f"{file_stem(position)}.txt"
        position = offer_kept_replies(dialogue, position, file)
    with show_progress("counting"):
        replies = Replies(position, parsed_prior)
    options = AdviceOptions(details.number, details.endgame, chooser, parsed_salvo)
    session = Session(dialogue, replies, options, file, is_file_named=keeping.resume is not None)
    try:
        session.run()
    except KeyboardInterrupt:
        raise Interrupted(session.resume_hint) from None
    if dialogue.is_quiet:
        session.answer().print(form)
    if session.refused and not dialogue.is_person:
        raise click.exceptions.Exit(1)


def ask_for_game(dialogue: Dialogue) -> str:
    """Show the games that have a name, and ask a person for a game; return its name or text.

    Raises OptsearchError if no person is at the terminal, or at the end of the input.
    """
    games = menu_games()
    names = [game.name for game in games]
    if dialogue.is_quiet or not dialogue.is_person:
        raise OptsearchError(f"name the game, as in optsearch advise {'|'.join(names)}")
    name_of_number = {"": names[0]}  # an empty line takes the first game
    for number, game in enumerate(games, 1):
        dialogue.say(f"{number}  {game.name:<10} {game.about}")
        name_of_number[str(number)] = game.name
    while True:
        line = dialogue.ask(
            "which game? a number, a name or 10x10:5,4,3,3,2 [1] ", accept_empty=True
        )
        if line is None:
            raise OptsearchError("no game was named")
        name_or_text = name_of_number.get(line, line)
        try:
            Game.parse(name_or_text)
            return name_or_text
        except GameError as error:
            dialogue.refuse(str(error))


def file_stem(position: AnyPosition) -> str:
    """Return the name, without an ending, of the file that keeps the replies of a game.

    Its end is a digest, so two games have different files.
    """
    game_text = f"{position.game}{_noise_text(position)}"
    digest = blake2b(game_text.encode(), digest_size=4).hexdigest()
    return f"{re.sub('[^0-9A-Za-z]+', '-', game_text)[:60]}-{digest}"


def offer_kept_replies(dialogue: Dialogue, start: AnyPosition, file: Path) -> AnyPosition:
    """Return the position that a file keeps if the person wants to go on from it, else `start`.

    The person is asked only if `start` has no replies, and the file has replies of a game that is
    not over. If the result is `start`, a file that exists is renamed to FILE.before.

    start -- the position at which the game begins.
    """
    if not file.exists():
        return start
    try:
        kept_position = load_replies(replace(start, shots=()), file)
        if kept_position.shots and not start.shots and not is_over(kept_position):
            replies = count_text(len(kept_position.shots), "reply", "replies")
            question = f"{replies} of this game are kept ({kept_position}); go on with them? [Y/n] "
            answer = dialogue.ask(question, accept_empty=True)
            if answer is None or answer.lower() in ("", "y", "yes"):
                return kept_position
    except OptsearchError as error:
        dialogue.refuse(f"{error}; it stays as it is in {file}.before")
    with suppress(OSError):
        file.replace(f"{file}.before")
    return start


def load_replies(start: AnyPosition, file: Path) -> AnyPosition:
    """Return the position that a file keeps, or `start` if there is no file.

    Raises OptsearchError if the file keeps another game, and PositionError if its replies do not
    begin with the replies of `start`.
    """
    if not file.exists():
        return start
    header, _, text = text_of(file, OptsearchError, MOST_KEPT).partition("\n")
    if header != header_line(start):
        raise OptsearchError(
            f"{str(file)!r} keeps no game of {start.game}: its first line is {header!r}, not "
            f"{header_line(start)!r}; name another file"
        )
    try:
        kept_position = replace(start, shots=shots_of(start.game, text))
    except PositionError as error:
        raise PositionError(f"{str(file)!r} keeps no game: {error}") from None
    begins_with_start = kept_position.shots[: len(start.shots)] == start.shots
    if not begins_with_start:
        raise PositionError(f"--shots ({str(start)!r}) begin a game; {str(file)!r} has its own")
    return kept_position


def header_line(position: AnyPosition) -> str:
    """Return the first line of a file of replies, which names the game and the false replies."""
    return f"# game: {position.game}{_noise_text(position)}"


def _noise_text(position: AnyPosition) -> str:
    return f" with {position.noise}" if isinstance(position, NoisyPosition) else ""


def is_over(position: AnyPosition) -> bool:
    """True if the game is known to have ended; always False if replies may be false."""
    return isinstance(position, Position) and not position.hits_left


@dataclass(frozen=True)
class AdviceOptions:
    """What advice consists of.

    number -- the number of most probable shots. endgame -- the optimum is searched for at most this
    many configurations. chooser -- chooses the shot of a strategy, which is shown too. salvo -- the
    number of cells that are shot together; AFLOAT for the number of ships afloat.
    """

    number: int
    endgame: int
    chooser: Chooser | None = None
    salvo: int = 1

    @property
    def endgame_limit(self) -> int:
        """The value of `endgame`, or 0 for salvos, since the optimum is that of single shots."""
        return self.endgame if self.salvo == 1 else 0

    def cells_per_salvo(self, position: AnyPosition) -> int:
        """Return the number of cells that are shot together at a position."""
        return ReplyModel(salvo=self.salvo).cells_in_salvo(position)


class Session:
    """A conversation in which a person enters replies, and gets advice after each.

    refused -- of each line that was refused, its text, the reason, and the earlier shots that it
    contradicts. is_file_named -- True if the person named the file that keeps the replies.
    """

    def __init__(
        self,
        dialogue: Dialogue,
        replies: Replies,
        options: AdviceOptions,
        file: Path | None,
        is_file_named: bool,
    ):
        self._dialogue, self._replies, self._options, self._file = dialogue, replies, options, file
        self.is_file_named = is_file_named
        self.refused: list[dict[str, Any]] = []

    @property
    def position(self) -> AnyPosition:
        """The position after all replies so far."""
        return self._replies.position

    @property
    def resume_hint(self) -> str:
        """Where the replies are kept, to end the last line with; empty if nowhere."""
        if self._file is None or not self._file.exists():
            return ""
        return f"; the replies are in {self._file}, and the same command goes on from there"

    def run(self) -> None:
        """Read lines and print advice until the input ends."""
        self._dialogue.say(title_with_rules(self.position.title, self.position.game), "bold")
        if self._dialogue.is_person:
            example = example_reply(self.position.game)
            self._dialogue.say(
                f"enter a shot and its reply, as in {example}; help lists what else there is"
            )
            if not self.is_file_named and self._file is not None:
                self._dialogue.say(f"replies are kept in {self._file}; --no-save keeps none")
        if self.is_file_named:
            self._write_replies()
        self._print_advice()
        while (line := self._dialogue.ask("> ")) is not None:
            if line.lower() in ("quit", "exit", "q"):
                break
            try:
                self._execute_line(line)
            except (PositionError, GameError) as error:
                cells = re.findall(r"(?<!\w)[A-Za-z]{1,2}\d+", line)
                addition = "nothing of the line is taken" if len(cells) > 1 else ""
                self._refuse(line, error, addition)
        replies = count_text(len(self.position.shots), "reply", "replies")
        self._dialogue.say(f"{replies}{self.resume_hint}")

    def _execute_line(self, line: str) -> None:
        """Execute a line: one of the commands of `HELP`, or shots with their replies."""
        command, *words = line.lower().split()
        if command in ("help", "?"):
            self._dialogue.say(HELP.format(replies=reply_forms(self.position.game)))
        elif command == "map":
            self._print_heat_map()
        elif command == "shots":
            self._dialogue.say(str(self.position) or "none yet")
        elif command == "undo":
            with show_progress("counting"):
                undone = self._replies.undo(parse_cell(words[0]) if words else None)
            self._dialogue.say(f"{undone} is taken back")
            self._save_and_print_advice()
        else:
            self._add_shots(line, shots_of(self.position.game, line))

    def _add_shots(self, line: str, shots: Sequence[Shot]) -> None:
        """Add the shots of a line in order; stop at the first one that is refused."""
        position_before = self.position
        try:
            for index, shot in enumerate(shots):
                try:
                    self._add_shot(shot)
                except (PositionError, GameError) as error:
                    self._refuse(line, error, others_text(shots, index))
                    break
        finally:
            if self.position is not position_before:
                self._save_and_print_advice()

    def _add_shot(self, shot: Shot) -> None:
        """Add a shot and its reply.

        If the reply tells of a sinking but not of which ship, and only one ship is possible, add
        the name of that ship.
        """
        with show_progress("counting"):
            reply = complete_reply(self.position, shot.cell, shot.reply, self._replies.prior)
            self._replies.add(shot.cell, reply)
        if reply.label is not None and shot.reply.label is None:
            self._dialogue.say(f"{Shot(shot.cell, reply)}, the only ship that is possible")

    def _print_heat_map(self) -> None:
        """Print the probability of a ship on each cell, unless the conversation is quiet."""
        self._dialogue.say()
        if not self._dialogue.is_quiet:
            with show_progress("counting") as progress:
                posterior = posterior_of(self.position, self._replies.prior, progress)
                heat_map = heat_map_text(posterior)
            out.print(heat_map, soft_wrap=True)

    def _save_and_print_advice(self) -> None:
        """Write the replies to the file, and print advice.

        If the file cannot be written, raise OptsearchError if the person named it; otherwise say so
        once.
        """
        try:
            self._write_replies()
        except OptsearchError as error:
            if self.is_file_named:
                raise
            self._dialogue.refuse(f"{error}; the replies are not kept")
            self._file = None
        self._print_advice()

    def _write_replies(self) -> None:
        """Write the first line and a line for each reply to the file, if there is one."""
        if self._file is None:
            return
        if not self.is_file_named:
            with suppress(OSError):  # writing the file will fail too, with a message
                self._file.parent.mkdir(parents=True, exist_ok=True)
        lines = [header_line(self.position), *map(str, self.position.shots)]
        with replacement_for(self._file) as temporary_file:
            temporary_file.write_text("".join(f"{line}\n" for line in lines))

    def _refuse(self, line: str, error: OptsearchError, addition: str) -> None:
        """Record and print why a line is refused. addition -- a text about its other shots."""
        conflicting = error.together if isinstance(error, ReplyConflict) else ()
        reason = str(error)
        self.refused.append(
            {
                "line": line[:MOST_QUOTED_SIGNS],
                "reason": reason,
                "together": list(map(str, conflicting)),
            }
        )
        if conflicting:
            reason += "; it is not taken (undo CELL takes an earlier one back)"
        elif "help" not in reason and "write" not in reason:  # it does not say what to enter
            reason += "; help lists what can be entered"
        self._dialogue.refuse("; ".join(filter(None, (reason, addition))))

    def _print_advice(self) -> None:
        """Print advice at the present position; for a person also the heat map."""
        if self._dialogue.is_quiet:
            return
        advice = self._compute_advice()
        if self._dialogue.is_person and not is_over(self.position):
            out.print(Text("\n") + heat_map_text(advice.posterior), soft_wrap=True)
        for line in advice_lines(advice, self._options):
            self._dialogue.say(line)

    def _compute_advice(self) -> Advice:
        """Return advice at the present position; show progress while it is computed."""
        with show_progress("counting") as progress:
            return advise_(
                self.position,
                self._options.endgame_limit,
                self._replies.prior,
                self._options.chooser,
                self._options.cells_per_salvo(self.position),
                progress,
            )

    def answer(self) -> Answer:
        """Return the advice at the last position as an answer for programs."""
        advice = self._compute_advice()
        optimum, chooser = advice.optimum, self._options.chooser
        likely_shots = [
            {"shot": cell_name(cell), "probability": float(chance)}
            for cell, chance in advice.likely(self._options.number)
        ]
        salvo_fields: dict[str, Any] = {}
        if self._options.salvo != 1:
            salvo_fields["salvo"] = salvo_names(advice, self._options)
            salvo_fields["by_salvo"] = cell_names(advice.strategy_shots) if chooser else None
        answer = Answer(
            title_with_rules(self.position.title, self.position.game),
            **position_fields(self.position, self._replies.prior),
            ships_left=advice.ships_left and list(map(int, advice.ships_left)),
            configurations=advice.posterior.configurations,
            bits=advice.posterior.entropy,
            greedy_shots=cell_names(advice.posterior.greedy_shots()),
            likely=likely_shots,
            best_shots=optimum and cell_names(optimum.best_shots),
            mean=optimum and optimum.mean,
            by=chooser and str(chooser.strategy),
            by_shot=cell_name(advice.strategy_shots[0]) if advice.strategy_shots else None,
            **salvo_fields,
            refused=self.refused,
        )
        answer.set_rows(likely_shots)
        return answer


def salvo_names(advice: Advice, options: AdviceOptions) -> list[str]:
    """Return the names of the most probable cells, as many as are shot together."""
    number = options.cells_per_salvo(advice.posterior.observations)
    return cell_names(cell for cell, _ in advice.likely(number))


def others_text(shots: Sequence[Shot], refused_index: int) -> str:
    """Return, as text, which other shots of a line are taken if the one at an index is refused.

    Those before it are taken, and those behind it are not. Without other shots the text is empty.
    """
    accepted, ignored = shots[:refused_index], shots[refused_index + 1 :]
    texts = []
    if accepted:
        be = "is" if len(accepted) == 1 else "are"
        texts.append(f"{_shots_in_words(accepted)} before it {be} taken")
    if ignored:
        be = "is" if len(ignored) == 1 else "are"
        texts.append(f"{_shots_in_words(ignored)} behind it {be} not")
    return ", ".join(texts)


def _shots_in_words(shots: Sequence[Shot]) -> str:
    return ", ".join(shot_in_words(shot.cell, shot.reply) for shot in shots)


def ships_text(advice: Advice) -> str:
    """Return a line about the ships that are not sunk yet.

    If the replies do not tell which ships these are, the line has the whole fleet.
    """
    position = advice.posterior.observations
    if isinstance(position, NoisyPosition):
        return f"ships: {position.game.fleet_text}; {position.noise}"
    if advice.ships_left is not None and any(position.game.kind_names.values()):
        return f"fleet: {draw_fleet(position)}"
    if advice.ships_left is not None:
        return f"ships left: {' '.join(map(str, advice.ships_left))}"
    ships_line = f"ships: {' '.join(map(str, position.game.fleet))}"
    ships_sunk = sum(shot.reply.sunk for shot in position.shots)
    if ships_sunk:
        ships_line += f", {count_text(len(position.game.fleet) - ships_sunk, 'ship')} left"
    at_most_prefix = "at most " if isinstance(position, MixedPosition) else ""
    return f"{ships_line}, {at_most_prefix}{count_text(position.hits_left, 'cell')} still to hit"


def advice_lines(advice: Advice, options: AdviceOptions) -> list[str]:
    """Return advice as lines: what is left, likely shots, a strategy's shot, and the optimum."""
    position, optimum = advice.posterior.observations, advice.optimum
    if is_over(position):
        return [f"{end_text(position.game)}, after {count_text(len(position.shots), 'shot')}"]
    configurations_left = configurations_text(advice.posterior.configurations)
    lines = [f"{configurations_left} left, {advice.posterior.entropy:.2f} bits", ships_text(advice)]
    likely_texts = [
        f"{cell_name(cell)} {float(chance):.1%}" for cell, chance in advice.likely(options.number)
    ]
    lines.append(f"most probable: {', '.join(likely_texts)}")
    if options.salvo != 1:
        lines.append(f"a salvo of the most probable: {' '.join(salvo_names(advice, options))}")
    if options.chooser is not None:
        lines.append(
            f"{options.chooser.name} shoots: {' '.join(cell_names(advice.strategy_shots))}"
        )
    if optimum is not None:
        cells = " ".join(cell_name(cell) for cell in optimum.best_shots)
        lines.append(f"optimal: {cells}, {float(optimum.mean):.4f} shots more on average")
    return lines
