"""The command that advises in a game played elsewhere: advise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from optsearch.cli.answers import Answer
from optsearch.cli.app import Interrupted, app
from optsearch.cli.arguments import Form
from optsearch.cli.common import (
    FamilyOption,
    FormOption,
    OptionalGame,
    ShotsOption,
    cell_names,
    counted_text,
    described,
    game_of,
    heading,
    numbered,
    out,
    read_position,
    writing,
)
from optsearch.cli.counting import probability_board
from optsearch.cli.dialogue import Dialogue
from optsearch.cli.families import advise_family
from optsearch.counting.posterior import Posterior
from optsearch.game import Game, cell_name, parse_cell
from optsearch.game.position import Position, known_replies
from optsearch.play.advice import ENDGAME, Advice, Contradiction, Replies, parse_replies
from optsearch.play.advice import advise as advise_
from optsearch.support.documents import text_of
from optsearch.support.errors import GameError, OptsearchError, PositionError

MOST_KEPT = 1 << 16  # bytes of a file of replies
LINE = 200  # signs of a line that is quoted
HELP = """\
CELL REPLY   a shot and what was replied: {replies}; several on a line will do
undo         take the last reply back; undo CELL takes that one back
map          the probability of a ship on every cell
shots        the replies so far
help         this
quit         end; so does the end of the input"""


def forms(game: Game) -> str:
    """What may be replied in a game, as a person writes it."""
    texts = [str(reply).replace(":", " ") for reply in known_replies(game)]
    return f"{', '.join(texts[:-1])} or {texts[-1]}"


@app.command(
    example="optsearch advise '10x10:5,4,3,3,2;contact=any;announce=ship'",
    takes=3,
    then="optsearch posterior 10x10:5,4,3,3,2 --shots 'B4=hit C7=miss'  # all cells",
    gives="game position configurations bits greedy_shots likely best_shots mean refused",
    of_family="left likely best mean refused",
)
def advise(
    game: OptionalGame = None,
    family: FamilyOption = None,
    shots: ShotsOption = "",
    number: Annotated[
        int, typer.Option("-n", min=1, max=128, help="How many shots are proposed.")
    ] = 5,
    endgame: Annotated[
        int,
        typer.Option(
            min=0, max=2000, help="The optimum is searched once so many configurations are left."
        ),
    ] = ENDGAME,
    resume: Annotated[
        Path | None,
        typer.Option(
            help="File that keeps the replies; the same command goes on from there.",
            show_default=False,
        ),
    ] = None,
    form: FormOption = Form.TEXT,
) -> None:
    """Advice in a real game: enter its replies one by one.

    Each line is a shot and its reply, as in B4 hit; likely next shots follow. A reply that
    contradicts earlier ones is explained and not taken. Lines can be piped in; the exit status is 1
    where one of those was refused.
    """
    played = game_of("advise", family, game, resume=resume)
    if played is None:
        assert family is not None
        advise_family(family, shots, number, endgame, form)
        return
    talk = Dialogue(is_quiet=form is not Form.TEXT)
    replies = Replies(begun(read_position(played, shots), resume))
    session = Session(talk, replies, number, endgame, resume)
    try:
        session.run()
    except KeyboardInterrupt:
        raise Interrupted(session.farewell) from None
    if talk.is_quiet:
        session.answer().print(form)
    if session.refused and not talk.is_person:
        raise typer.Exit(1)


def begun(start: Position, kept: Path | None) -> Position:
    """The position that a file keeps, or the one that is given where there is no file yet."""
    if kept is None or not kept.exists():
        return start
    head, _, rest = text_of(kept, OptsearchError, MOST_KEPT).partition("\n")
    if head != head_of(start.game):
        raise OptsearchError(
            f"{str(kept)!r} keeps no game of {start.game}: its first line is {head!r}, not "
            f"{head_of(start.game)!r}; name another file"
        )
    if start.shots:
        raise PositionError(f"--shots ({str(start)!r}) begin a game; {str(kept)!r} has its own")
    return Position.parse(start.game, rest)


def head_of(game: Game) -> str:
    """The first line of a file of replies."""
    return f"# game: {game}"


class Session:
    """Replies as they are entered, and what is said to them.

    refused -- the lines that were not taken, each with the reason and the replies in conflict.
    """

    def __init__(
        self, talk: Dialogue, replies: Replies, number: int, endgame: int, kept: Path | None
    ):
        self._talk, self._replies = talk, replies
        self._number, self._endgame, self._kept = number, endgame, kept
        self.refused: list[dict[str, Any]] = []

    @property
    def position(self) -> Position:
        """The replies so far."""
        return self._replies.position

    @property
    def farewell(self) -> str:
        """Where the replies are kept."""
        return "" if self._kept is None else f"; the replies are in {self._kept}"

    def run(self) -> None:
        """Until the input ends."""
        self._talk.say(heading(self.position), "bold")
        if self._talk.is_person:
            self._talk.say("help lists what can be entered")
        self._advise()
        while (line := self._talk.ask("> ")) is not None:
            if line.lower() in ("quit", "exit", "q"):
                break
            try:
                self._follow(line)
            except (PositionError, GameError) as error:
                self._refuse(line, error)
        replies = numbered(len(self.position.shots), "reply", "replies")
        self._talk.say(f"{replies}{self.farewell}")

    def _follow(self, line: str) -> None:
        """Do what a line says."""
        command, *words = line.lower().split()
        if command in ("help", "?"):
            self._talk.say(HELP.format(replies=forms(self.position.game)))
        elif command == "map":
            self._talk.say()
            if not self._talk.is_quiet:
                out.print(probability_board(Posterior(self.position)), soft_wrap=True)
        elif command == "shots":
            self._talk.say(str(self.position) or "none yet")
        elif command == "undo":
            gone = self._replies.undo(parse_cell(words[0]) if words else None)
            self._talk.say(f"{gone} is taken back")
            self._changed()
        else:
            before = self.position
            try:
                for cell, reply in parse_replies(line):
                    self._replies.add(cell, reply)
            finally:
                if self.position is not before:
                    self._changed()

    def _changed(self) -> None:
        """Keep the replies, and advise."""
        if self._kept is not None:
            lines = [head_of(self.position.game), *map(str, self.position.shots)]
            with writing(self._kept) as beside:
                beside.write_text("".join(f"{line}\n" for line in lines))
        self._advise()

    def _refuse(self, line: str, error: OptsearchError) -> None:
        """Say what is wrong with a line."""
        together = error.together if isinstance(error, Contradiction) else ()
        reason = str(error)
        if together:
            reason += "; it is not taken (undo CELL takes an earlier one back)"
        elif not any(word in reason for word in ("help", "write")):
            reason += "; help lists what can be entered"
        self.refused.append(
            {"line": line[:LINE], "reason": str(error), "together": [str(one) for one in together]}
        )
        self._talk.refuse(reason)

    def _advise(self) -> None:
        if not self._talk.is_quiet:
            for line in sentences(advise_(self.position, self._endgame), self._number):
                self._talk.say(line)

    def answer(self) -> Answer:
        """The position at the end, where nothing was said of it on the way."""
        advice = advise_(self.position, self._endgame)
        optimum = advice.optimum
        likely = [
            {"shot": cell_name(cell), "probability": float(chance)}
            for cell, chance in advice.likely(self._number)
        ]
        answer = Answer(
            heading(self.position),
            **described(self.position),
            configurations=advice.posterior.configurations,
            bits=advice.posterior.entropy,
            greedy_shots=cell_names(advice.posterior.greedy_shots()),
            likely=likely,
            best_shots=optimum and cell_names(optimum.best_shots),
            mean=optimum and optimum.mean,
            refused=self.refused,
        )
        answer.table(likely)
        return answer


def sentences(advice: Advice, number: int) -> list[str]:
    """What is said of a position: how many configurations, likely shots, the optimum."""
    position, optimum = advice.posterior.position, advice.optimum
    if not position.hits_left:
        return [f"every ship is sunk, after {len(position.shots)} shots"]
    left = counted_text(advice.posterior.configurations)
    lines = [f"{left} left, {advice.posterior.entropy:.2f} bits"]
    likely = [f"{cell_name(cell)} {float(p):.1%}" for cell, p in advice.likely(number)]
    lines.append(f"most probable: {', '.join(likely)}")
    if optimum is not None:
        cells = " ".join(cell_name(cell) for cell in optimum.best_shots)
        lines.append(f"optimal: {cells}, {float(optimum.mean):.4f} shots more on average")
    return lines
