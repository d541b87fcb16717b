"""Every printed number that is computed here, put beside the computed one, source by source.

The printed values are in data/published; nothing here knows them. A source is a module with
`tasks()`, listed in `SOURCES`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from optsearch.errors import RecordError
from optsearch.reproduce import heuristics, paper, puzzles
from optsearch.reproduce.paper import NOT_REPRODUCED, Counterexample, counterexamples
from optsearch.reproduce.task import Task, rounded, truncated

__all__ = [
    "NOT_REPRODUCED",
    "SOURCES",
    "Check",
    "Counterexample",
    "Source",
    "Task",
    "checks",
    "counterexamples",
    "rounded",
    "source_named",
    "truncated",
]


@dataclass(frozen=True)
class Source:
    """A publication: its name on the command line, what it is, and what it prints."""

    name: str
    title: str
    tasks: Callable[[], Iterator[Task]]


SOURCES = (
    Source("paper", "Audinot, Bonnet and Viennot (2014)", paper.tasks),
    Source("solitaire", "Jandhyala, after Meuffels and den Hertog (2010)", puzzles.tasks),
    Source("heuristics", "Battleship Heuristics: 5,000 games of each version", heuristics.tasks),
)


@dataclass(frozen=True)
class Check:
    """One printed number (or matrix) beside the computed one, and the seconds it took."""

    place: str
    what: str
    printed: str
    computed: str
    agrees: bool
    seconds: float
    note: str = ""


def source_named(name: str) -> Source:
    """The source of a name; RecordError for a name that is none."""
    for source in SOURCES:
        if source.name == name:
            return source
    names = ", ".join(source.name for source in SOURCES)
    raise RecordError(f"there is no source {name!r}; there are {names}")


def checks(name: str = "paper") -> Iterator[Check]:
    """Compute everything of a source, in its order, one check after the other."""
    for task in source_named(name).tasks():
        started = time.perf_counter()
        computed = task.compute()
        seconds = time.perf_counter() - started
        yield Check(
            task.place,
            task.what,
            task.printed,
            computed,
            computed == task.printed if task.agrees is None else task.agrees(computed),
            seconds,
            task.note(),
        )
