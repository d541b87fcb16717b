"""Which suppositions about a puzzle contradict themselves: what the kernel `_deduction` is given.

The kernel knows the rules of `reasoning` without their words, and `reasoning` tells what it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled._deduction import Deduction
from optsearch.game import bits
from optsearch.solitaire.puzzle import Puzzle

_WORD = 64


class Deducer:
    """A puzzle as the kernel has it.

    tick -- called between whiles; what it raises ends a supposition.
    """

    def __init__(self, puzzle: Puzzle, tick: Callable[[], object]):
        self._number = puzzle.rows * puzzle.columns
        self._words = -(-self._number // _WORD)
        places = [
            (kind, ship) for kind, n in enumerate(puzzle.lengths) for ship in puzzle.allowed(n)
        ]
        ships = [ship for _, ship in places]
        shores = [puzzle.closed(ship) & ~ship for ship in ships]
        corners = [_corners(puzzle, cell) for cell in range(self._number)]
        lines = _Lines(puzzle)
        self._kernel = Deduction(
            _ints(puzzle.lengths),
            _ints(puzzle.fleet.count(n) for n in puzzle.lengths),
            _ints(kind for kind, _ in places),
            self._matrix(ships),
            self._matrix(shores),
            _members(self._holding(ships)),
            _members(self._holding(shores)),
            _members(corners),
            _ints(value for line in lines.lines for value in line).reshape(-1, 4),
            _ints(value for pair in lines.line_of for value in pair).reshape(-1, 2),
            _ints(value for pair in lines.bit_of for value in pair).reshape(-1, 2),
            *lines.met_by(ships, shores),
            tick,
        )
        self._ship, self._water = (np.zeros(self._words, np.uint64) for _ in range(2))

    def know(self, ship: int, water: int) -> bool:
        """Begin from these cells; whether they contradict themselves."""
        return self._kernel.know(self._matrix([ship])[0], self._matrix([water])[0])

    def suppose(self, cell: int, is_ship: bool, depth: int) -> tuple[int, int] | None:
        """What follows from one more cell, as masks of ship and water; None if a contradiction.

        depth -- of the suppositions inside this one. Only after `know` found no contradiction.
        """
        if self._kernel.suppose(cell, is_ship, depth, self._ship, self._water):
            return None
        ship, water = (
            int.from_bytes(words.tobytes(), "little") for words in (self._ship, self._water)
        )
        return ship, water

    def _matrix(self, masks: Sequence[int]) -> NDArray[np.uint64]:
        packed = b"".join(mask.to_bytes(8 * self._words, "little") for mask in masks)
        return np.frombuffer(packed, np.dtype("<u8")).reshape(-1, self._words).astype(np.uint64)

    def _holding(self, masks: Sequence[int]) -> list[list[int]]:
        """For each cell the numbers of the masks that hold it."""
        found: list[list[int]] = [[] for _ in range(self._number)]
        for number, mask in enumerate(masks):
            for cell in bits(mask):
                found[cell].append(number)
        return found


class _Lines:
    """The lines with a count.

    lines -- of each the count, the size, the first cell and the step to the next; line_of, bit_of
        -- of each cell its row and its column, -1 for one without a count, and its place there.
    """

    def __init__(self, puzzle: Puzzle):
        self.lines: list[tuple[int, int, int, int]] = []
        self.masks: list[int] = []
        self.line_of = [[-1, -1] for _ in range(puzzle.rows * puzzle.columns)]
        self.bit_of = [[0, 0] for _ in self.line_of]
        for side, (counts, masks, step) in enumerate(
            (
                (puzzle.row_counts, puzzle.row_masks, 1),
                (puzzle.column_counts, puzzle.column_masks, puzzle.columns),
            )
        ):
            for count, mask in zip(counts, masks, strict=True):
                if count is None:
                    continue
                cells = list(bits(mask))
                for bit, cell in enumerate(cells):
                    self.line_of[cell][side] = len(self.lines)
                    self.bit_of[cell][side] = bit
                self.lines.append((count, len(cells), cells[0], step))
                self.masks.append(mask)

    def met_by(
        self, ships: Sequence[int], shores: Sequence[int]
    ) -> tuple[tuple[NDArray[np.int32], NDArray[np.int32]], NDArray[np.uint64]]:
        """The placements on or beside each line, and which parts of it these are."""
        numbers: list[list[int]] = []
        parts: list[tuple[int, int]] = []
        for line, mask in enumerate(self.masks):
            here = [i for i in range(len(ships)) if (ships[i] | shores[i]) & mask]
            numbers.append(here)
            parts += [
                (self._part(line, ships[i] & mask), self._part(line, shores[i] & mask))
                for i in here
            ]
        return _members(numbers), np.array(parts, np.uint64).reshape(-1, 2)

    def _part(self, line: int, mask: int) -> int:
        """Cells of a line as a mask of the line."""
        _, _, first, step = self.lines[line]
        return sum(1 << (cell - first) // step for cell in bits(mask))


def _corners(puzzle: Puzzle, cell: int) -> list[int]:
    """The cells that touch a cell at its corners."""
    i, j = puzzle.cell(cell)
    return [
        a * puzzle.columns + b
        for a in (i - 1, i + 1)
        for b in (j - 1, j + 1)
        if 0 <= a < puzzle.rows and 0 <= b < puzzle.columns
    ]


def _ints(values: Iterable[int]) -> NDArray[np.int32]:
    return np.fromiter(values, np.int32)


def _members(lists: Sequence[Sequence[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Lists one after the other: where each begins, and the last ends; and the members of all."""
    first = np.cumsum([0, *map(len, lists)], dtype=np.int32)
    return first, _ints(value for members in lists for value in members)
