"""Counts and lists of the solutions of a puzzle, by our own sweep without CP-SAT.

The kernel `_solitaire` goes through the rows, prunes by the counts and merges equal states. It
shares only `Puzzle` with the integer programmes, so that it can check them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from optsearch.compiled.solitaire._solitaire import PuzzleSweep
from optsearch.game import Cell
from optsearch.solitaire.puzzle import WATER, Puzzle, Solution, sort_ships
from optsearch.support.errors import TooLarge
from optsearch.support.progress import Progress, Status, meter, no_progress

MOST = 1 << 126
MAX_COLUMNS, MAX_ROWS, MAX_LENGTHS, MAX_SHIPS = 32, 64, 16, 254  # of the kernel


def count(
    puzzle: Puzzle,
    limit: int | None = None,
    time_limit: float | None = None,
    progress: Progress[Status] = no_progress,
) -> int:
    """Count the solutions exactly; with a limit, return the limit if there are more.

    progress -- called now and then; `done` is the number of cells visited so far. Raises TooLarge
    if `time_limit` seconds are over, and for a puzzle that is too large to count: 2^126 solutions,
    or more than 16 distinct lengths, 254 ships, or 32 cells on the shorter side.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"limit {limit} is not 1 or more")
    sweep = _make_sweep(puzzle, _visit_check(puzzle, time_limit, progress))
    solution_count = sweep.count(limit or MOST)
    if limit is None and solution_count >= MOST:
        raise TooLarge(f"{puzzle} has 2^126 solutions or more; give a limit")
    return solution_count if limit is None else min(solution_count, limit)


def solutions(
    puzzle: Puzzle,
    limit: int,
    time_limit: float | None = None,
    progress: Progress[Status] = no_progress,
) -> list[Solution]:
    """List up to `limit` solutions, all of them if there are fewer, in the order of the sweep.

    Raises TooLarge as `count` does.
    """
    sweep = _make_sweep(puzzle, _visit_check(puzzle, time_limit, progress))
    fleets = sweep.solutions(limit)
    view = _cheapest_view(puzzle)
    lengths = view.puzzle.lengths

    def ship_mask(kind: int, is_vertical: int, row: int, column: int) -> int:
        """Return the mask of a ship, which the kernel gives by its first cell in the view."""
        steps = [(i, 0) if is_vertical else (0, i) for i in range(lengths[kind])]
        return sum(puzzle.bit(view.original((row + down, column + right))) for down, right in steps)

    return [sort_ships(ship_mask(*ship) for ship in fleet) for fleet in fleets]


def _visit_check(
    puzzle: Puzzle, time_limit: float | None, progress: Progress[Status]
) -> Callable[[int], None]:
    """Return a function that reports the cells visited, and raises TooLarge if the time is over."""
    deadline = None if time_limit is None else time.monotonic() + time_limit
    report_visited = meter(progress, 0)

    def check_deadline(visited: int) -> None:
        report_visited(visited)
        if deadline is not None and time.monotonic() > deadline:
            raise TooLarge(f"the solutions of {puzzle} were not counted in {time_limit:g} seconds")

    return check_deadline


@dataclass(frozen=True)
class _View:
    """A puzzle as the kernel gets it: rows and columns may be exchanged, and it may be flipped.

    puzzle -- as the kernel gets it. is_flipped -- True if its rows are in reverse order.
    """

    puzzle: Puzzle
    is_turned: bool = False
    is_flipped: bool = False

    def original(self, cell: Cell) -> Cell:
        """Return the cell of the original puzzle for a cell of this view."""
        row, column = cell
        if self.is_flipped:
            row = self.puzzle.rows - 1 - row
        return (column, row) if self.is_turned else (row, column)

    @property
    def cost(self) -> int:
        """An estimate of the work to count solutions row by row; lower is better.

        A row without a count costs 2, with a count above 0 it costs 1, with the count 0 nothing,
        times the number of rows from it to the last: free choices in the first rows cost most.
        """
        puzzle = self.puzzle
        return sum(
            (puzzle.rows - i) * (2 if count is None else int(count > 0))
            for i, count in enumerate(puzzle.row_counts)
        )


def _cheapest_view(puzzle: Puzzle) -> _View:
    """Return the puzzle turned or flipped so that its solutions are counted with least work.

    Only views with no more columns than rows are compared, because a state of the counting has an
    entry for each column.
    """
    upright = [_View(puzzle)] if puzzle.columns <= puzzle.rows else []
    if puzzle.rows <= puzzle.columns:
        upright.append(_View(puzzle.turned(), is_turned=True))
    flipped = [_View(view.puzzle.flipped(), view.is_turned, is_flipped=True) for view in upright]
    return min((*upright, *flipped), key=lambda view: view.cost)


def _make_sweep(puzzle: Puzzle, on_visit: Callable[[int], object]) -> PuzzleSweep:
    """Return the kernel for a puzzle; TooLarge if it is beyond the kernel's limits."""
    puzzle = _cheapest_view(puzzle).puzzle
    lengths = puzzle.lengths
    if puzzle.columns > MAX_COLUMNS or len(lengths) > MAX_LENGTHS or len(puzzle.fleet) > MAX_SHIPS:
        raise TooLarge(
            f"the solutions of {puzzle} are not counted: {puzzle.columns} columns, {len(lengths)} "
            f"lengths and {len(puzzle.fleet)} ships; at most {MAX_COLUMNS}, {MAX_LENGTHS} and "
            f"{MAX_SHIPS}"
        )
    # 1 if a ship of a length may begin (at its left or top end) on a cell: horizontally at index 0
    # of the second axis, vertically at 1.
    may_begin = np.zeros((len(lengths), 2, puzzle.rows, puzzle.columns), np.uint8)
    for length_index, length in enumerate(lengths):
        for ship in puzzle.allowed(length):
            cells = puzzle.cells_of(ship)
            (row, column), (last_row, _) = cells[0], cells[-1]
            may_begin[length_index, int(row != last_row), row, column] = 1
    must_be_ship = np.zeros((puzzle.rows, puzzle.columns), np.uint8)
    may_be_ship = np.ones((puzzle.rows, puzzle.columns), np.uint8)
    for cell, value in puzzle.revealed:
        if value == WATER:
            may_be_ship[cell] = 0
        else:
            must_be_ship[cell] = 1
    return PuzzleSweep(
        _counts_for_kernel(puzzle.row_counts),
        _counts_for_kernel(puzzle.column_counts),
        lengths,
        [puzzle.fleet.count(length) for length in lengths],
        may_begin,
        must_be_ship,
        may_be_ship,
        on_visit,
    )


def _counts_for_kernel(counts: tuple[int | None, ...]) -> list[int]:
    """Return counts as the kernel takes them: -1 for a line without one."""
    return [-1 if count is None else count for count in counts]
