"""Every printed number that is computed here, put beside the computed one, source by source.

The printed values are in data/published; nothing here knows them. A source is a module with
`tasks()`, which take seconds, and `full(folder, progress)`, what is left of it and takes longer,
where there is something left; `SOURCES` lists them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from optsearch import records
from optsearch.errors import RecordError
from optsearch.evaluate import Progress
from optsearch.evaluate.evaluation import no_progress
from optsearch.journal import Journal
from optsearch.reproduce import (
    heuristics,
    mayflower,
    mini_game,
    paper,
    probability,
    puzzles,
    thompson,
)
from optsearch.reproduce.paper import NOT_REPRODUCED, Counterexample, counterexamples
from optsearch.reproduce.task import Task, rounded, truncated

__all__ = [
    "ALL",
    "NOT_REPRODUCED",
    "SOURCES",
    "Check",
    "Counterexample",
    "Source",
    "Task",
    "check",
    "checks",
    "counterexamples",
    "everything",
    "left",
    "rounded",
    "source_named",
    "truncated",
]


def nothing_left(folder: Path | None, progress: Progress) -> Iterator[Task]:
    """What is left of a source of which everything takes seconds."""
    return iter(())


@dataclass(frozen=True)
class Source:
    """A publication: its name on the command line, what it is, and what it prints.

    tasks -- what takes seconds. full -- what is left and takes longer: tasks, given a folder in
    which they keep what is done (or None), and what is told of their progress.
    """

    name: str
    title: str
    tasks: Callable[[], Iterator[Task]]
    full: Callable[[Path | None, Progress], Iterator[Task]] = nothing_left

    def everything(
        self, folder: Path | None = None, progress: Progress = no_progress
    ) -> Iterator[Task]:
        """All tasks."""
        yield from self.tasks()
        yield from self.full(folder, progress)


SOURCES = (
    Source("paper", "Audinot, Bonnet and Viennot (2014)", paper.tasks, paper.full),
    Source("solitaire", "Jandhyala, after Meuffels and den Hertog (2010)", puzzles.tasks),
    Source("heuristics", "Battleship Heuristics: 5,000 games of each version", heuristics.tasks),
    Source(
        "thompson",
        "Playing Battleship with Thompson sampling: a blog post",
        thompson.tasks,
        thompson.full,
    ),
    Source("probability", "Spalding-Jamieson: the probability of a hit, slides", probability.tasks),
    Source("mayflower", "Mayflower: small games with sinkings, exactly", mayflower.tasks),
    Source("mini-game", "Players of an 8x8 mini-game: greedy on every board", mini_game.tasks),
)
ALL = "all"  # their name together


@dataclass(frozen=True)
class Check:
    """One printed number (or matrix) beside the computed one, and the seconds it took.

    known -- why it differs, where it does and that is known.
    """

    place: str
    what: str
    printed: str
    computed: str
    agrees: bool
    seconds: float
    note: str = ""
    known: str = ""

    @property
    def is_fault(self) -> bool:
        """Whether it differs and should not."""
        return not (self.agrees or self.known)


def source_named(name: str) -> Source:
    """The source of a name; RecordError for a name that is none."""
    for source in SOURCES:
        if source.name == name:
            return source
    names = ", ".join((*(source.name for source in SOURCES), ALL))
    raise RecordError(f"there is no source {name!r}; there are {names}")


def check(task: Task) -> Check:
    """Compute what belongs to a printed number."""
    started = time.perf_counter()
    computed = task.compute()
    seconds = time.perf_counter() - started
    agrees = computed == task.printed if task.agrees is None else task.agrees(computed)
    known = "" if agrees else task.known
    return Check(task.place, task.what, task.printed, computed, agrees, seconds, task.note(), known)


def checks(name: str = "paper") -> Iterator[Check]:
    """Compute what takes seconds of a source, in its order, one check after the other."""
    yield from map(check, source_named(name).tasks())


def everything(
    sources: Sequence[Source],
    folder: Path | None = None,
    progress: Progress = no_progress,
) -> Iterator[tuple[Source, Check]]:
    """Compute everything of some sources, in order.

    folder -- keeps what is done: checks that are in it are not computed again, and long ones go on.
    It is refused by another commit of optsearch, whose numbers might be others. Raises TableError
    for a folder that cannot be used.
    """
    with _kept(folder) as journal:
        for source in sources:
            for task in source.everything(folder, progress):
                done = journal and journal.entries.get(_key(source, task))
                found = Check(**done) if done else check(task)
                if journal is not None and not done:
                    journal.add(_key(source, task), asdict(found))
                yield source, found


def left(sources: Sequence[Source], folder: Path | None = None) -> list[Task]:
    """The tasks of some sources that are not done in a folder; errors as `everything`."""
    with _kept(folder) as journal:
        done = journal.entries if journal else {}
        return [
            task
            for source in sources
            for task in source.everything(folder)
            if _key(source, task) not in done
        ]


def _key(source: Source, task: Task) -> str:
    return f"{source.name}, {task.place}, {task.what}: {task.printed}"


@contextmanager
def _kept(folder: Path | None) -> Iterator[Journal | None]:
    """The journal of the checks that are done."""
    if folder is None:
        yield None
        return
    with Journal(folder / "checks", f"everything printed, by {records.commit()}") as journal:
        yield journal
