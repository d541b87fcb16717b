"""The puzzle and the claims of a book chapter on Solitaire Battleship.

V. Jandhyala, Solving Puzzles through Mathematical Programming, chapter 24, after W. J. M. Meuffels
and D. den Hertog, INFORMS Transactions on Education 10(3), 2010. The chapter reveals three squares
of its puzzle and describes them in words only: two of water near the top and left, one of a ship.
So we try all such squares, and keep those that leave a single fleet which lies as described.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations

from optsearch.game import Cell, cell_name, placements
from optsearch.reproduce.printed import Number, no_note
from optsearch.solitaire import counting, formats, linear, making, models
from optsearch.solitaire.puzzle import SHIP, WATER, Puzzle, Solution
from optsearch.support import records
from optsearch.support.errors import RecordError

_SECONDS = 30.0  # for each model on each board
_MEDIUM = (12, 12)


@cache
def _published() -> dict[str, str]:
    rows = records.read_published("solitaire.csv").rows
    return {row["name"]: row["value"] for row in rows}


@cache
def example() -> Puzzle:
    """Return the puzzle of the chapter, without the three squares that it reveals at the start."""
    printed = _published()
    rows, columns = formats.parse_grid(printed["grid"])
    row_counts, column_counts = (
        tuple(int(count) for count in printed[name].split(","))
        for name in ("row_counts", "column_counts")
    )
    fleet = formats.parse_fleet(printed["fleet"])
    return Puzzle(rows, columns, fleet, row_counts, column_counts)


@cache
def _fleets() -> tuple[Solution, ...]:
    """Return the solutions of the chapter's puzzle if no square is revealed."""
    number = counting.count(example())
    fleets = counting.solutions(example(), number)
    if len(fleets) != number:
        raise AssertionError(f"{number} fleets counted, {len(fleets)} listed")
    return tuple(fleets)


def is_described(fleet: Solution) -> bool:
    """True if the ships of a solution, masks of cells, lie as the chapter describes its puzzle.

    "The cruiser standing in the left column, a destroyer lying across the top, a second destroyer
    standing at the right edge, and the three submarines scattered".
    """
    puzzle = example()
    lengths = [ship.bit_count() for ship in fleet]
    cruiser = fleet[lengths.index(3)]
    destroyers = [ship for ship in fleet if ship.bit_count() == 2]

    def within(ship: int, line: int) -> bool:
        return ship & line == ship

    return (
        within(cruiser, puzzle.column_masks[0])
        and any(within(ship, puzzle.row_masks[0]) for ship in destroyers)
        and any(within(ship, puzzle.column_masks[-1]) for ship in destroyers)
    )


@dataclass(frozen=True)
class Reading:
    """Two squares of water and one of a ship that leave one fleet.

    is_needed -- True if no two of the three squares leave that fleet alone.
    """

    water: tuple[Cell, Cell]
    ship: Cell
    fleet: Solution
    is_needed: bool

    @property
    def is_near(self) -> bool:
        """True if both squares of water are in the top left quarter of the grid."""
        puzzle = example()
        return all(
            2 * row < puzzle.rows and 2 * column < puzzle.columns for row, column in self.water
        )

    def __str__(self) -> str:
        names = " and ".join(map(cell_name, self.water))
        return f"water {names}, ship {cell_name(self.ship)}"

    def puzzle(self) -> Puzzle:
        """Return the puzzle with these squares revealed."""
        revealed = (*((cell, WATER) for cell in self.water), (self.ship, SHIP))
        return replace(example(), revealed=revealed)


@cache
def readings() -> tuple[Reading, ...]:
    """Return all choices of three revealed squares that the text of the chapter can mean.

    Two squares are water and one belongs to a ship. They must leave a single solution of the
    puzzle, and its ships must lie as the chapter describes.
    """
    puzzle, readings = example(), []
    for fleet in filter(is_described, _fleets()):
        differences = {other: sum(other) ^ sum(fleet) for other in _fleets() if other != fleet}
        others_left = {  # by square: the other fleets that agree with this one there
            cell: {other for other, cells in differences.items() if not cells & puzzle.bit(cell)}
            for cell in puzzle.cells_of(puzzle.everywhere)
        }
        water = puzzle.cells_of(puzzle.everywhere & ~sum(fleet))
        for ship in puzzle.cells_of(sum(fleet)):
            for first, second in combinations(water, 2):
                others_of_squares = [others_left[square] for square in (first, second, ship)]
                if set.intersection(*others_of_squares):
                    continue  # these squares leave another fleet, too
                is_needed = all(one & two for one, two in combinations(others_of_squares, 2))
                readings.append(Reading((first, second), ship, fleet, is_needed))
    return tuple(readings)


def fitting() -> tuple[Reading, ...]:
    """Return the readings that fit the text: water near the top left, and all squares needed."""
    return tuple(reading for reading in readings() if reading.is_near and reading.is_needed)


def _readings_note() -> str:
    described = {reading.fleet for reading in readings()}
    needed = sum(reading.is_needed for reading in readings())
    lines = [
        f"The three squares are only described. {len(_fleets())} fleets satisfy the counts, "
        f"{len(described)} of them lie as described; {len(readings())} choices of two squares of "
        f"water and one of a ship single out one of these. In {needed} no square can be spared "
        f'("exactly enough"), and in {len(fitting())} of these both squares of water are in the '
        'top left quarter, one sense of "near the top and left":'
    ]
    for reading in fitting():
        ships = " ".join(formats.solution_fields(example(), reading.fleet))
        lines.append(f"  {reading}: {ships}")
    return "\n".join(lines)


def _solutions_of_readings() -> str:
    """Return how many solutions the fitting readings have, up to two; numbers are joined by `or`.

    Each is solved by all methods.
    """
    numbers = {
        len(making.solve(reading.puzzle(), 2, method))
        for reading in fitting()
        for method in making.METHODS
    }
    return " or ".join(map(str, sorted(numbers)))


def _windows_and_touching() -> str:
    """Return, as text, how many pairs of placements two rules judge differently.

    One rule forbids two ships that both have a cell in some 2×2 window. The other forbids ships
    that overlap or touch.
    """
    puzzle = example()
    ships = [
        ship
        for length in puzzle.lengths
        for ship in placements(puzzle.rows, puzzle.columns, length)
    ]
    windows = [
        sum(puzzle.bit((row + down, column + right)) for down in (0, 1) for right in (0, 1))
        for row in range(puzzle.rows - 1)
        for column in range(puzzle.columns - 1)
    ]
    windows_of = {ship: {window for window in windows if window & ship} for ship in ships}
    differing = 0
    for first, second in combinations(ships, 2):
        share_window = bool(windows_of[first] & windows_of[second])
        touch_or_overlap = bool(puzzle.closed(first) & second)
        differing += share_window != touch_or_overlap
    return str(differing)


# Sizes and times


@cache
def medium() -> Puzzle:
    """Return a puzzle that a MILP solver solves with both models: counts, and no cell revealed."""
    return making.random_puzzle(*_MEDIUM, making.usual_fleet(*_MEDIUM), 0.0)


@cache
def large() -> Puzzle:
    """Return a puzzle on the board of the claims on times, with every tenth cell revealed."""
    rows, columns = formats.parse_grid(_published()["large_grid"])
    return making.random_puzzle(rows, columns, making.usual_fleet(rows, columns))


@cache
def _search(puzzle: Puzzle, model: str) -> models.ModelSearch:
    return linear.search(puzzle, model, _SECONDS)


def _time(puzzle: Puzzle, model: str) -> str:
    search = _search(puzzle, model)
    return f"{search.seconds:.1f} s" if search.solutions else f"not in {_SECONDS:g} s"


def _faster_model() -> str:
    """Return the name of the integer program that is solved sooner, on a board of medium size.

    The result is `neither` if no solution is found in time.
    """
    seconds = {
        model: _search(medium(), model).seconds
        for model in models.MODELS
        if _search(medium(), model).solutions
    }
    return f"{min(seconds, key=seconds.__getitem__)}-based" if seconds else "neither"


def _times_note() -> str:
    return (
        "Printed are minutes for the ship-based model, and no end in ten hours for the cell-based "
        "one, with a solver of 2010 that branches on the linear relaxation, as "
        f"{linear.SOLVER.upper()} does. Processor time, one worker, at most {_SECONDS:g} seconds; "
        "`python -m experiments.solitaire` measures both models on many boards."
    )


_COMPUTE: dict[str, Callable[[], str]] = {
    "ship_cells": lambda: " or ".join({str(sum(fleet).bit_count()) for fleet in _fleets()}),
    "revealed_squares": lambda: " or ".join(
        sorted({str(len(reading.puzzle().revealed)) for reading in fitting()})
    ),
    "solutions": _solutions_of_readings,
    "windows_that_are_no_contact": _windows_and_touching,
    "symbols_of_a_cell": lambda: str(len(models.CellModel(example()).symbols[0])),
    "faster_model": _faster_model,
    "ship_based_on_large_grid": lambda: _time(large(), "ship"),
    "cell_based_on_large_grid": lambda: _time(large(), "cell"),
}
_NOTES: dict[str, Callable[[], str]] = {
    "solutions": _readings_note,
    "cell_based_on_large_grid": _times_note,
}
_TIMES = ("ship_based_on_large_grid", "cell_based_on_large_grid")
_INPUTS = ("grid", "fleet", "row_counts", "column_counts", "large_grid")  # input of other values


def numbers() -> Iterator[Number]:
    """Yield every claim of the chapter that can be computed, in its order."""
    record = records.read_published("solitaire.csv")
    for row in record.rows:
        name = row["name"]
        if name in _INPUTS:
            continue
        if name not in _COMPUTE:
            raise RecordError(f"{record.path}: nothing computes {name!r}")
        yield Number(
            row["place"],
            name.replace("_", " "),
            row["value"],
            _COMPUTE[name],
            _NOTES.get(name, no_note),
            is_compared=name not in _TIMES,
        )
