"""All bounds of a position or a game, with the name of their argument and where they come from.

Long bounds are computed on small games only; for others they are read from the tables that
`experiments.lower_bounds` writes below data/results, and nothing is said where there is no table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import numpy as np

from optsearch import records
from optsearch.bounds.chain import mean_at_least, root_chain
from optsearch.bounds.coverage import CellSetCounts, Coverage
from optsearch.bounds.leaves import (
    complete_binary_tree,
    leaf_counting,
    leaf_counting_after,
    leaves_of,
)
from optsearch.bounds.reveal import MISSES, Revealed, finished_within, reveal
from optsearch.bounds.ship_chain import EXACT, ship_chain
from optsearch.configurations import Configurations
from optsearch.errors import OptsearchError
from optsearch.game import Game
from optsearch.position import Position
from optsearch.posterior import Posterior

NODES = 50_000  # of a search for the most that k cells meet, where bounds are computed on demand
BESIDE = 2  # cells beside the longest ship of which the best are found, likewise
COMPUTED = 300_000  # configurations up to which the long bounds are computed on the spot


@dataclass(frozen=True)
class Bound:
    """A bound on the least mean number of shots: the name of its argument, its side (lower or
    upper), its value, and its source.
    """

    name: str
    side: str
    value: Fraction
    source: str


class AllFinished(NamedTuple):
    """A(l) by the long bounds: at most so many configurations are finished within l misses.

    cells -- how many cells the ship chain takes; 0 where it is not less than the others.
    """

    root_chain: int
    reveal_game: int
    ship_chain: int
    cells: int


def lower_bounds(position: Position) -> list[Bound]:
    """Every lower bound from a position that is quick to compute.

    Raises NotSupported where sinkings are announced, and as `leaves_of`.
    """
    require_silent(position.game)
    leaves = leaves_of(position)
    hits = position.hits_left
    found = [
        Bound(
            "complete binary tree",
            "lower",
            complete_binary_tree(leaves),
            "Audinot, Bonnet and Viennot (2014), section 4.1, equation 2",
        ),
        Bound(
            "leaf counting",
            "lower",
            leaf_counting(leaves, hits),
            "at most C(k-1+j, j) leaves have k hits and j misses",
        ),
    ]
    if position.game.contact != "any":
        found.append(
            Bound(
                "leaf counting after one ply",
                "lower",
                leaf_counting_after(position, 1),
                "leaf counting for both replies to the first shot, the least over all shots",
            )
        )
    return found


def known_bounds(position: Position, results: Path | None = None) -> list[Bound]:
    """Every bound that holds from a position, on both sides; lower bounds first.

    results -- the folder with the tables of results; None: those of optsearch. Raises as
    `lower_bounds`.
    """
    results = results or records.data() / "results"
    found = lower_bounds(position)
    if position.shots:
        return found + upper_bounds(position, results)
    game = position.game
    committed = _committed(game, results)
    number = Posterior(position).configurations
    if committed:
        found += committed
    elif game.contact != "any" and number <= COMPUTED:
        found += long_bounds(game)
    found += _optimum(game, "lower", results)
    return found + upper_bounds(position, results)


def name_of(game: Game) -> str:
    """The part of its tables' names: 10x10_54332; 1x28_-11-1-1 where lengths have two digits."""
    before = "-" if max(game.fleet) > 9 else ""
    return str(game).replace(":", f"_{before}").replace(",", before)


def require_silent(game: Game) -> None:
    """Raise NotSupported where sinkings are announced."""
    game.require_silent("each of these bounds")


def long_bounds(game: Game) -> list[Bound]:
    """The root chain, the reveal game and what comes of both, computed here.

    Raises NotSupported where sinkings are announced, and as `reveal`.
    """
    require_silent(game)
    coverage = Coverage(CellSetCounts.of(game), NODES)
    number = coverage.counts.configurations
    found = all_finished(coverage, reveal(game), BESIDE)
    return together(found, game.fleet_cells, number, "computed here")


def all_finished(
    coverage: Coverage,
    revealed: Sequence[Revealed],
    exact: int = EXACT,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[AllFinished]:
    """A(0), A(1), … by each of the long bounds; exact, progress -- of `ship_chain`."""
    game, number = coverage.counts.game, coverage.counts.configurations
    chain = root_chain(game.fleet_cells, number, coverage.most_met, MISSES)
    chain += [number] * (MISSES - len(chain))
    shown = finished_within(game, revealed)
    least = [min(pair) for pair in zip(chain, shown, strict=True)]
    kept = ship_chain(coverage, revealed, least, exact, progress)
    return [AllFinished(a, b, *c) for a, b, c in zip(chain, shown, kept, strict=True)]


def together(finished: Sequence[AllFinished], hits: int, number: int, source: str) -> list[Bound]:
    """The bounds that follow from A(0), A(1), …: of single arguments, and of the least at each l.

    All bound the same number, the configurations finished with at most l misses.
    """
    by_two = [min(one.root_chain, one.reveal_game) for one in finished]
    by_all = [min(two, one.ship_chain) for two, one in zip(by_two, finished, strict=True)]
    return [
        Bound(name, "lower", mean_at_least(some, hits, number), f"{argument}; {source}")
        for name, some, argument in (
            (
                "root chain",
                [one.root_chain for one in finished],
                "one sequence of cells until the first hit",
            ),
            (
                "reveal game",
                [one.reveal_game for one in finished],
                "a ship is shown at its first hit",
            ),
            ("root chain and reveal game", by_two, "the lesser at each number of misses"),
            (
                "root chain with the longest ship",
                by_all,
                "what the reveal game leaves of what the chain meets; the least of all",
            ),
        )
    ]


def _committed(game: Game, results: Path) -> list[Bound]:
    """The long bounds from the table of A(l) that `experiments.lower_bounds` wrote."""
    path = results / f"finished_{name_of(game)}.csv"
    if not path.is_file():
        return []
    record = records.read(path)
    number = int(record.header["configurations"])
    columns = [record.values(name, int) for name in AllFinished._fields]
    return together(
        [AllFinished(*row) for row in zip(*columns, strict=True)],
        game.fleet_cells,
        number,
        f"data/results/{path.name}, by {record.header['command']}",
    )


def upper_bounds(position: Position, results: Path | None = None) -> list[Bound]:
    """What strategies are known to take: the best is the upper side of the bracket.

    results -- as of `known_bounds`.
    """
    results = results or records.data() / "results"
    game = position.game
    found = []
    if not position.shots:
        found = _printed(game) + _evaluated(game, results) + _optimum(game, "upper", results)
    if not found:
        number = Posterior(position).configurations
        if number <= COMPUTED:
            found.append(
                Bound(
                    "most probable cell",
                    "upper",
                    Fraction(most_probable_cell(position), number),
                    "this strategy, on every configuration; computed here",
                )
            )
    return found


def _optimum(game: Game, side: str, results: Path) -> list[Bound]:
    path = results / "optima.csv"
    if not path.is_file():
        return []
    return [
        Bound(
            "optimum",
            side,
            Fraction(int(row["total_height"]), int(row["configurations"])),
            f"data/results/optima.csv, confirmed: {row['confirmed']}",
        )
        for row in records.read(path).rows
        if Game.parse(row["game"]) == game
    ]


def _printed(game: Game) -> list[Bound]:
    """The upper bound of the paper, for its game."""
    if game != Game(10, 10, (5, 4, 3, 3, 2)):
        return []
    try:
        rows = records.read_published("numbers.csv").rows
    except OptsearchError:  # not in a checkout
        return []
    return [
        Bound(
            "strategy of the paper",
            "upper",
            Fraction(row["value"]),
            f"Audinot, Bonnet and Viennot (2014), {row['place']}: {row['comment']}",
        )
        for row in rows
        if row["name"] == "upper_bound_10x10"
    ]


def _evaluated(game: Game, results: Path) -> list[Bound]:
    """The strategies evaluated on every configuration, by data/results/evaluations/*.csv.

    A table counts when its header says game, strategy, total and configurations.
    """
    found = []
    for path in sorted((results / "evaluations").glob("*.csv")):
        header = records.read(path).header
        is_one = {"game", "strategy", "total", "configurations"} <= set(header)
        if is_one and Game.parse(header["game"]) == game:
            value = Fraction(int(header["total"]), int(header["configurations"]))
            source = f"data/results/evaluations/{path.name}"
            found.append(Bound(header["strategy"], "upper", value, source))
    return found


def most_probable_cell(position: Position) -> int:
    """The total of the shots when always a most probable cell is shot, the first in reading order.

    Over all configurations, listed as a matrix. For games whose configurations are determined by
    their cells.
    """
    words = Configurations(position).list()
    cells = position.game.cells
    has = np.empty((len(words), cells), np.uint8)
    for cell in range(cells):
        has[:, cell] = words[:, cell >> 6] >> np.uint64(cell & 63) & np.uint64(1)
    hits = position.hits_left
    misses = 0
    stack = [np.arange(len(words))]
    while stack:
        rows = stack.pop()
        # A cell that all have hits and tells nothing; what is left is one more miss for some.
        counts = has[rows].sum(axis=0, dtype=np.int64)
        counts[counts == len(rows)] = 0
        cell = int(counts.argmax())
        if not counts[cell]:
            continue
        mask = has[rows, cell].astype(bool)
        misses += len(rows) - int(counts[cell])
        stack += [part for part in (rows[mask], rows[~mask]) if len(part) > 1]
    return hits * len(words) + misses


def bracket(bounds: Sequence[Bound]) -> tuple[Fraction, Fraction | None]:
    """The greatest lower and the least upper bound; None where there is no upper one."""
    lower = max(bound.value for bound in bounds if bound.side == "lower")
    return lower, min((bound.value for bound in bounds if bound.side == "upper"), default=None)
