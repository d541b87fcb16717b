"""Every number printed in the paper, with its computation; section 4.2 takes an hour.

The printed values are in data/published and not in this code. Audinot, Bonnet and Viennot (2014),
Optimal Strategies against a Random Opponent in Battleship.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from pathlib import Path

from optsearch import tree
from optsearch.check.trees import verify
from optsearch.counting.configurations import Configurations
from optsearch.evaluation import Evaluation, EvaluationStatus, evaluate
from optsearch.game import Cell, Game
from optsearch.game.position import MISS, Position, Shot, legend
from optsearch.lower_bounds import (
    complete_binary_tree,
    complete_binary_tree_depths,
    leaves_of,
    lower_bounds,
)
from optsearch.reproduce.printed import Number, count_equal, no_note, rounded, truncated
from optsearch.search import solver
from optsearch.search.greedy import GreedySolver
from optsearch.strategies.pattern import NEAREST
from optsearch.support import datafiles, records
from optsearch.support.errors import RecordError
from optsearch.support.progress import Progress
from optsearch.support.workers import Execution
from optsearch.tree.solution import Solution

STANDARD = Game(10, 10, (5, 4, 3, 3, 2))


def numbers() -> Iterator[Number]:
    """Yield the printed numbers that take seconds, in the order of the paper."""
    all_numbers = (*_numbers_in_text(), *_matrices(), *_table1())
    return iter(sorted(all_numbers, key=lambda number: _ORDER.index(number.place)))


_ORDER = (
    "section 2.2",
    "section 2.3",
    "Figure 2",
    "Figure 3",
    "section 3.1",
    "Table 1",
    "section 3.3",
    "section 4.1",
    "section 5",
)


# Values that several numbers use, each computed once


@cache
def _standard() -> Configurations:
    return Configurations(Position(STANDARD))


def _percent(row: int, column: int) -> str:
    return rounded(100 * _standard().frequency[row][column])


@cache
def _figure5() -> tree.DecisionTree:
    result = tree.load(datafiles.published_path("figure5_tree.json"))
    if verify(result) != result.total_height:
        raise AssertionError("the verifier and the tree disagree")
    return result


@dataclass(frozen=True)
class GreedyCounterexample:
    """A position, up to symmetry, on which every greedy strategy is worse than the optimum."""

    position: Position
    best_greedy_total_height: int
    solution: Solution

    def mean(self, total_height: int) -> str:
        """Return a total height over the number of configurations, as an unreduced fraction."""
        return f"{total_height}/{self.solution.configurations}"


@cache
def counterexamples() -> tuple[GreedyCounterexample, ...]:
    """Return positions after two misses, on 3x4 with one ship of length 2, where greedy fails.

    There even the best choices among most probable cells take more shots than the optimum. Figure 6
    shows such a position, but does not print its misses, so all pairs are tried, once up to
    symmetries of the board.
    """
    game = Game(3, 4, (2,))
    tried_misses: set[int] = set()
    examples = []
    for pair in combinations(range(game.cells), 2):
        position = Position(game, tuple(Shot(game.cell(cell), MISS) for cell in pair))
        if position.misses in tried_misses:
            continue
        tried_misses.update(game.images(position.misses))
        best = GreedySolver(position).total_height()
        solution = solver.solve(position)
        if Fraction(best, solution.configurations) > solution.mean:
            examples.append(GreedyCounterexample(position, best, solution))
    return tuple(examples)


def _counterexample() -> GreedyCounterexample:
    (only,) = counterexamples()
    return only


def _paper_names(cells: Iterable[Cell]) -> list[str]:
    """Return the paper's names of cells: row letter, column number.

    Its names for the counterexample fit no other reading.
    """
    return [f"{chr(ord('A') + row)}{column + 1}" for row, column in cells]


def _counterexample_shots(shots: Iterable[Cell]) -> list[str]:
    """Return the names that the paper gives to some cells of its example against greedy.

    The board is turned or reflected first, so that it lies as in Figure 6. There the only cell that
    greedy may shoot is (1, 2), the right one of the two middle cells.
    """
    game = _counterexample().position.game
    (greedy_shot,) = GreedySolver(_counterexample().position).greedy_shots
    turned_boards = (  # the cell that each cell becomes, under each symmetry
        {game.cell(index): game.cell(image) for index, image in enumerate(images)}
        for images in game.symmetries()
    )
    turned = next(turned for turned in turned_boards if turned[greedy_shot] == (1, 2))
    return _paper_names(turned[shot] for shot in shots)


def _optimal_shot() -> str:
    names = sorted(_counterexample_shots(_counterexample().solution.best_shots))
    return "B2" if "B2" in names else " or ".join(names)


@cache
def _bounds() -> dict[str, Fraction]:
    return {bound.name: bound.value for bound in lower_bounds(Position(STANDARD))}


@cache
def _figure9() -> Counter[int]:
    """Count the leaves at each depth of the complete binary tree with 11 leaves."""
    return Counter(complete_binary_tree_depths(11))


def _full_tree_height() -> int:
    """Return the greatest height of a full tree with no more leaves than configurations."""
    return _standard().configurations.bit_length() - 1


# Numbers printed in the text, by their name in data/published/numbers.csv

_COMPUTE: dict[str, Callable[[], str]] = {
    "configurations_10x10": lambda: str(_standard().configurations),
    "occurrence_corner_10x10": lambda: str(_standard().occurrence[0, 0]),
    "frequency_corner_10x10": lambda: _percent(0, 0),
    "frequency_highest_10x10": lambda: rounded(100 * max(map(max, _standard().frequency))),
    "frequency_one_line_in_10x10": lambda: _percent(1, 4),
    "frequency_two_lines_in_10x10": lambda: _percent(2, 4),
    "figure5_leaves": lambda: str(_figure5().leaves),
    "figure5_height": lambda: str(_figure5().worst),
    "figure5_total_height": lambda: str(_figure5().total_height),
    "figure5_mean": lambda: f"{_figure5().total_height}/{_figure5().configurations}",
    "most_difficult_exact_mean": lambda: solver.solve(Position(Game(4, 5, (4, 3, 2)))).mean_text,
    "counterexample_greedy_mean": lambda: _counterexample().mean(
        _counterexample().best_greedy_total_height
    ),
    "counterexample_optimal_mean": lambda: _counterexample().solution.mean_text,
    "counterexample_greedy_shot": lambda: " or ".join(
        _counterexample_shots(GreedySolver(_counterexample().position).greedy_shots)
    ),
    "counterexample_optimal_shot": _optimal_shot,
    "leaves_10x10": lambda: str(leaves_of(Position(STANDARD))[1]),
    "figure9_leaves": lambda: str(_figure9().total()),
    "figure9_leaves_at_depth_4": lambda: str(_figure9()[4]),
    "figure9_leaves_at_depth_3": lambda: str(_figure9()[3]),
    "figure9_mean": lambda: str(complete_binary_tree({1: 11})),
    "full_tree_height_30": lambda: str(2 ** _full_tree_height()),
    "full_tree_height_31": lambda: str(2 ** (_full_tree_height() + 1)),
    "height_10x10_at_least": lambda: str(_full_tree_height() + 1),
    "first_lower_bound_10x10": lambda: truncated(_bounds()["complete binary tree"], 0),
    "lower_bound_10x10": lambda: truncated(_bounds()["complete binary tree"]),
}

_NOTES: dict[str, Callable[[], str]] = {
    "4x4:4,3,2": lambda: (
        f"4x4:4,3,2 has {Configurations(Position(Game(4, 4, (4, 3, 2)))).configurations} "
        "configurations: the fleet does not fit on the board without touching, hence the dash"
    ),
    "counterexample greedy mean": lambda: (
        f"Figure 6 does not print its two misses; {len(counterexamples())} position of 3x4:2 after "
        "two misses, up to symmetry, is such a counterexample, "
        f"{str(_counterexample().position)!r} ({legend(_counterexample().position.game)}):\n"
        f"{_counterexample().position.board()}"
    ),
}

# Section 4.2: strategies on every configuration of 10x10:5,4,3,3,2. The page that describes the
# paper's two is lost, so they are reconstructed (`strategies.pattern`), which does not reach the
# printed numbers to the last digit.
NOT_REPRODUCED = frozenset(
    {
        "upper_bound_10x10",
        "hits_10x10",
        "naive_strategy_mean",
        "upper_bound_strategy_standard_deviation",
        "upper_bound_strategy_worst_case",
    }
)
"""Numbers that take longer than seconds: `full` yields them, `numbers` does not."""
RECONSTRUCTED = (
    "the page of section 4.2 that describes the two strategies is lost; they are reconstructed"
)
_MINUTES = 25.0  # for one strategy


def full(folder: Path | None, progress: Progress[EvaluationStatus]) -> Iterator[Number]:
    """Yield the printed numbers of section 4.2, such as the mean shots of two strategies.

    These are played on all configurations of the standard game. folder -- keeps unfinished
    evaluations, or None. progress -- called during these.
    """

    @cache
    def evaluation(clear: str) -> Evaluation:
        checkpoint = None if folder is None else folder / f"pattern_{clear}"
        return evaluate(
            f"{NEAREST},clear={clear}",
            STANDARD,
            execution=Execution(jobs=os.cpu_count(), checkpoint=checkpoint, progress=progress),
        )

    compute: dict[str, Callable[[], str]] = {
        "hits_10x10": lambda: str(STANDARD.fleet_cells),
        "upper_bound_10x10": lambda: rounded(evaluation("line").mean),
        "naive_strategy_mean": lambda: rounded(evaluation("cross").mean),
        "upper_bound_strategy_standard_deviation": lambda: f"{evaluation('line').sd:.1f}",
        "upper_bound_strategy_worst_case": lambda: str(evaluation("line").worst),
    }
    minutes = {"upper_bound_10x10": _MINUTES, "naive_strategy_mean": _MINUTES}
    for row in records.read_published("numbers.csv").rows:
        name = row["name"]
        if name in NOT_REPRODUCED:
            yield Number(
                row["place"],
                name.replace("_", " "),
                row["value"],
                compute[name],
                minutes=minutes.get(name, 0.0),
                known="" if name == "hits_10x10" else RECONSTRUCTED,
            )


def _numbers_in_text() -> Iterator[Number]:
    record = records.read_published("numbers.csv")
    for row in record.rows:
        name = row["name"]
        if name in NOT_REPRODUCED:
            continue
        if name not in _COMPUTE:
            raise RecordError(f"{record.path}: nothing computes {name!r}")
        title = name.replace("_", " ")
        yield Number(row["place"], title, row["value"], _COMPUTE[name], _NOTES.get(title, no_note))


# Matrices and Table 1


def _matrices() -> Iterator[Number]:
    def cells(name: str, column: str) -> dict[tuple[int, int], str]:
        record = records.read_published(name)
        return {(int(row["row"]), int(row["column"])): row[column] for row in record.rows}

    occurrence = cells("figure2_occurrence.csv", "occurrence")
    frequency = cells("figure3_frequency.csv", "percentage")
    yield Number(
        "Figure 2",
        "occurrence matrix 10x10",
        f"{STANDARD.cells} numbers",
        lambda: count_equal(
            occurrence, lambda row, column: str(_standard().occurrence[row, column])
        ),
    )
    yield Number(
        "Figure 3",
        "frequency matrix 10x10",
        f"{STANDARD.cells} numbers",
        lambda: count_equal(frequency, _percent),
    )


def _table1() -> Iterator[Number]:
    for row in records.read_published("table1.csv").rows:
        game = Game.parse(f"{row['grid']}:{row['fleet']}")
        printed = row["mean"]
        if row["total_height"]:
            printed = f"{row['total_height']}/{row['configurations']} ≈ {printed}"
        note = _NOTES.get(str(game), no_note)
        yield Number("Table 1", str(game), printed, partial(_optimum, game), note)


def _optimum(game: Game) -> str:
    if Configurations(Position(game)).configurations == 0:
        return "-"
    solution = solver.solve(Position(game))
    return f"{solution.mean_text} ≈ {rounded(solution.mean)}"
