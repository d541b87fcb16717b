"""Pages of the explorer beside the report: an optimal strategy and the best greedy one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from optsearch import tree
from optsearch.game.position import Position
from optsearch.results.tables import COUNTEREXAMPLE_GREEDY, TABLE1, TREES
from optsearch.search.greedy import GreedySolver
from optsearch.search.solver import Solver
from optsearch.show import explorer
from optsearch.support.errors import RecordError
from optsearch.support.files import replace

MOST = 300  # configurations: a page is written in a second


@dataclass(frozen=True)
class Walk:
    """A page: its position, and where it lies below the report."""

    position: Position
    file: str

    @property
    def text(self) -> str:
        """The position as a link says it."""
        return self.position.title


def positions(results: Path) -> list[Position]:
    """Those of the trees among the results, and the games of Table 1 that are not too large."""
    found: dict[Position, None] = {}
    for made in TREES:
        if made.path(results).is_file():
            found[tree.load(made.path(results)).position] = None
    try:
        rows = TABLE1.read(TABLE1.path(results)).rows
    except RecordError:
        rows = []
    for row in rows:
        if 0 < row["configurations"] <= MOST:
            found[Position(row["game"])] = None
    return list(found)


def name_of(position: Position) -> str:
    """The file of a page."""
    text = f"{position.game} {position}".strip()
    return "walk_" + "".join(sign if sign.isalnum() else "_" for sign in text) + ".html"


def write(folder: Path, results: Path) -> list[Walk]:
    """Write the pages into a folder."""
    walks = []
    for position in positions(results):
        exact = Solver(position, all_shots=True)
        trees = [("optimal", exact.tree()), ("greedy", GreedySolver(position).tree())]
        walk = Walk(position, name_of(position))
        replace(folder / walk.file, explorer.page(exact, trees, back=("index.html", "The report")))
        walks.append(walk)
    return walks


def counterexample(results: Path) -> Position | None:
    """The position of the paper's Figure 6."""
    path = COUNTEREXAMPLE_GREEDY.path(results)
    return tree.load(path).position if path.is_file() else None
