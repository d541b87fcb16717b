"""Compare the numbers printed in publications with computed ones, source by source.

The printed values are in data/published and not in this code. A source is a module with
`numbers()`, which take seconds, and possibly `full(folder, progress)`, the numbers that take
longer. `SOURCES` lists the sources.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from optsearch.evaluation import EvaluationStatus
from optsearch.reproduce import heuristics, mini_game, paper, probability, puzzles, thompson
from optsearch.reproduce.printed import Number
from optsearch.support import records
from optsearch.support.errors import NotInstalled, RecordError
from optsearch.support.progress import Progress, no_progress
from optsearch.support.store import Facts


def no_numbers(folder: Path | None, progress: Progress[EvaluationStatus]) -> Iterator[Number]:
    """Yield no number: all numbers of the source take seconds."""
    return iter(())


@dataclass(frozen=True)
class Source:
    """A publication: its name on the command line, its title, and its printed numbers.

    numbers -- the function that yields the numbers that take seconds. full -- the one that yields
    those that take longer; it takes a folder that keeps finished work, or None, and a callback for
    progress.
    """

    name: str
    title: str
    numbers: Callable[[], Iterator[Number]]
    full: Callable[[Path | None, Progress[EvaluationStatus]], Iterator[Number]] = no_numbers

    def all_numbers(
        self, folder: Path | None = None, progress: Progress[EvaluationStatus] = no_progress
    ) -> Iterator[Number]:
        """Yield all numbers that the source prints, to be computed without stored results.

        folder -- keeps finished work, or None. progress -- called during long computations.
        """
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
ALL = "all"  # the name of all sources together


@dataclass(frozen=True)
class Check:
    """One printed number (or matrix) beside the computed one, and the seconds it took.

    agrees -- None if the two are not compared. known -- the reason of a difference, if known.
    stored -- as in `Number`. left_out -- the reason why it was not computed: a package that is not
    installed.
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
        """True if the computed number differs from the printed one without a known reason."""
        return self.agrees is False and not self.known


def source_named(name: str) -> Source:
    """Return the source of a name; raise RecordError for any other name."""
    for source in SOURCES:
        if source.name == name:
            return source
    names = ", ".join((*(source.name for source in SOURCES), ALL))
    raise RecordError(f"there is no source {name!r}; there are {names}")


def check(number: Number) -> Check:
    """Compute a printed number, and return its comparison with the printed text.

    If a package for the computation is not installed, `left_out` says so.
    """
    new_check = partial(Check, number.place, number.what, number.printed)
    started = time.perf_counter()
    try:
        computed, note = number.compute(), number.note()
    except NotInstalled as error:
        return new_check(computed="", agrees=None, seconds=0.0, left_out=error.reason)
    seconds = time.perf_counter() - started
    agrees = None
    if number.is_compared:
        agrees = computed == number.printed if number.agrees is None else number.agrees(computed)
    return new_check(
        computed=computed,
        agrees=agrees,
        seconds=seconds,
        note=note,
        known=number.known if agrees is False else "",
        stored=number.stored,
    )


def checks(name: str = "paper") -> Iterator[Check]:
    """Yield the checks of a source that take seconds, each computed when its turn comes."""
    yield from map(check, source_named(name).numbers())


def everything(
    sources: Sequence[Source],
    folder: Path | None = None,
    progress: Progress[EvaluationStatus] = no_progress,
) -> Iterator[tuple[Source, Check]]:
    """Yield each printed number of some publications, checked: the publication and the check.

    folder -- keeps finished checks, which are not computed again, and the state of long ones, which
    resume. Raises TableError for a folder that cannot be used, or that another commit of optsearch
    has written.
    """
    with _open_checks(folder) as store:
        for source in sources:
            for number in source.all_numbers(folder, progress):
                key = _key(source, number)
                if store is not None and key in store:
                    yield source, Check(**store[key])
                    continue
                result = check(number)
                if store is not None:
                    store.add(key, asdict(result))
                yield source, result


def numbers_left(sources: Sequence[Source], folder: Path | None = None) -> list[Number]:
    """List the printed numbers of some publications that are not checked yet.

    folder -- keeps the finished checks; without it none is finished. Raises TableError for a folder
    that cannot be used, or that another commit of optsearch has written.
    """
    with _open_checks(folder) as store:
        finished = set(store or ())
        return [
            number
            for source in sources
            for number in source.all_numbers(folder)
            if _key(source, number) not in finished
        ]


def _key(source: Source, number: Number) -> str:
    return f"{source.name}, {number.place}, {number.what}: {number.printed}"


@contextmanager
def _open_checks(folder: Path | None) -> Iterator[Facts | None]:
    """Open the store of finished checks in a folder; yield None without a folder.

    The store belongs to the commit of optsearch that is running.
    """
    if folder is None:
        yield None
        return
    with Facts(folder / "checks", f"everything printed, by {records.commit()}") as store:
        yield store
