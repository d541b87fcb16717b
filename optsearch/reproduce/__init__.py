"""Every printed number that is computed here, put beside the computed one, source by source.

The printed values are in data/published; nothing here knows them. A source is a module with
`numbers()`, which take seconds, and `full(folder, progress)`, what is left of it and takes longer,
where there is something left; `SOURCES` lists them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from optsearch.evaluation import EvaluationStatus
from optsearch.reproduce import heuristics, mini_game, paper, probability, puzzles, thompson
from optsearch.reproduce.printed import Number
from optsearch.support import records
from optsearch.support.errors import NotInstalled, RecordError
from optsearch.support.progress import Progress, no_progress
from optsearch.support.store import Facts


def nothing_left(folder: Path | None, progress: Progress[EvaluationStatus]) -> Iterator[Number]:
    """Yield nothing: all numbers of such a source take seconds."""
    return iter(())


@dataclass(frozen=True)
class Source:
    """A publication: its name on the command line, what it is, and what it prints.

    numbers -- what takes seconds. full -- what is left and takes longer: numbers, given a folder in
    which what is done is kept (or None), and what is told how far they are.
    """

    name: str
    title: str
    numbers: Callable[[], Iterator[Number]]
    full: Callable[[Path | None, Progress[EvaluationStatus]], Iterator[Number]] = nothing_left

    def everything(
        self, folder: Path | None = None, progress: Progress[EvaluationStatus] = no_progress
    ) -> Iterator[Number]:
        """All numbers, each computed: what `numbers` reads from a table is a part of `full`."""
        yield from (number for number in self.numbers() if not number.stored)
        yield from self.full(folder, progress)


SOURCES = (
    Source("paper", "Audinot, Bonnet and Viennot (2014)", paper.numbers, paper.full),
    Source("solitaire", "Jandhyala, after Meuffels and den Hertog (2010)", puzzles.numbers),
    Source("heuristics", "Battleship Heuristics: 5,000 games of each version", heuristics.numbers),
    Source(
        "thompson",
        "Playing Battleship with Thompson sampling: a blog post",
        thompson.numbers,
        thompson.full,
    ),
    Source(
        "probability", "Spalding-Jamieson: the probability of a hit, slides", probability.numbers
    ),
    Source("mini-game", "Players of an 8x8 mini-game: greedy on every board", mini_game.numbers),
)
ALL = "all"  # their name together


@dataclass(frozen=True)
class Check:
    """One printed number (or matrix) beside the computed one, and the seconds it took.

    agrees -- None where the two are not compared. known -- why it differs, where it does and that
    is known. stored -- as that of the number. left_out -- why it was not computed, where it needs
    what is not installed.
    """

    place: str
    what: str
    printed: str
    computed: str
    agrees: bool | None
    seconds: float
    note: str = ""
    known: str = ""
    stored: str = ""
    left_out: str = ""

    @property
    def is_fault(self) -> bool:
        """True if it differs from the printed number without a known reason."""
        return self.agrees is False and not self.known


def source_named(name: str) -> Source:
    """The source of a name; RecordError for any other name."""
    for source in SOURCES:
        if source.name == name:
            return source
    names = ", ".join((*(source.name for source in SOURCES), ALL))
    raise RecordError(f"there is no source {name!r}; there are {names}")


def check(number: Number) -> Check:
    """Compute what belongs to a printed number; one that needs what is missing is left out."""
    started = time.perf_counter()
    try:
        computed, note = number.compute(), number.note()
    except NotInstalled as error:
        why = error.reason
        return Check(number.place, number.what, number.printed, "", None, 0.0, left_out=why)
    seconds = time.perf_counter() - started
    agrees = None
    if number.is_compared:
        agrees = computed == number.printed if number.agrees is None else number.agrees(computed)
    known = number.known if agrees is False else ""
    return Check(
        *(number.place, number.what, number.printed, computed, agrees, seconds, note, known),
        stored=number.stored,
    )


def checks(name: str = "paper") -> Iterator[Check]:
    """Compute what takes seconds of a source, in its order, one check after the other."""
    yield from map(check, source_named(name).numbers())


def everything(
    sources: Sequence[Source],
    folder: Path | None = None,
    progress: Progress[EvaluationStatus] = no_progress,
) -> Iterator[tuple[Source, Check]]:
    """Compute everything of some sources, in order.

    folder -- keeps what is done: checks that are in it are not computed again, and long ones go on.
    It is refused by another commit of optsearch, whose numbers might be others. Raises TableError
    for a folder that cannot be used.
    """
    with _kept(folder) as store:
        for source in sources:
            for number in source.everything(folder, progress):
                done = store and store.get(_key(source, number))
                found = Check(**done) if done else check(number)
                if store is not None and not done:
                    store.add(_key(source, number), asdict(found))
                yield source, found


def left(sources: Sequence[Source], folder: Path | None = None) -> list[Number]:
    """The numbers of some sources that are not done in a folder; errors as `everything`."""
    with _kept(folder) as store:
        done = set(store or ())
        return [
            number
            for source in sources
            for number in source.everything(folder)
            if _key(source, number) not in done
        ]


def _key(source: Source, number: Number) -> str:
    return f"{source.name}, {number.place}, {number.what}: {number.printed}"


@contextmanager
def _kept(folder: Path | None) -> Iterator[Facts | None]:
    """The checks that are done."""
    if folder is None:
        yield None
        return
    with Facts(folder / "checks", f"everything printed, by {records.commit()}") as store:
        yield store
