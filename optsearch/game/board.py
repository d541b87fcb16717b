"""Boards: cells, which of them touch, the lines along which ships lie, and the symmetries.

A `Board` is a value that says all of this; no other module depends on how it was made. Its makers
are here: rectangles, cylinders (the columns wrap: A is beside the last), tori (the rows wrap too)
and hexagons; `optsearch.game.board_files` reads boards from files.

Every cell has a place in a grid of rows and columns, which gives it its name and its bit in masks:
bit `row * columns + column`. On hexagons the cell (r, c) touches (r, c±1), (r±1, c), (r+1, c-1) and
(r-1, c+1), so that the grid is a parallelogram whose rows are drawn half a cell further right each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache

import numpy as np

from optsearch.game.shapes import Piece, Shape
from optsearch.support.errors import GameError

Permutation = tuple[int, ...]
Point = tuple[float, float]

MOST_SYMMETRIES = 1 << 14  # of a board with more, only the identity is used
NOWHERE = -1  # the next cell after the last one of a line
_RIGHT, _DOWN = (0, 1), (1, 0)
_ROW_HEIGHT = 3**0.5 / 2  # between rows of hexagons whose centres are 1 apart


def bits(mask: int) -> Iterator[int]:
    """Yield the indices of the set bits of a mask, ascending."""
    while mask:
        lowest_bit = mask & -mask
        yield lowest_bit.bit_length() - 1
        mask ^= lowest_bit


def image(mask: int, permutation: Permutation) -> int:
    """Return the image of a mask of cells under a permutation: cell i goes to permutation[i]."""
    return sum(1 << permutation[cell] for cell in bits(mask))


def connected_cells(mask: int, sides: Sequence[int], start: int = 0) -> int:
    """Return the cells (mask) that can be reached from a start within a mask, along sides.

    sides -- for each cell, the mask of its neighbours. start -- the mask of one cell; 0 for the
    lowest cell of `mask`.
    """
    first_cell = mask & -mask
    component, newly_reached = 0, start or first_cell
    while newly_reached:
        component |= newly_reached
        neighbours = 0
        for cell in bits(newly_reached):
            neighbours |= sides[cell]
        newly_reached = neighbours & mask & ~component
    return component


@dataclass(frozen=True, eq=False)
class Board:
    """A board: cells in a grid of rows and columns, how they touch, and where ships can lie.

    text -- its name in the text of a game: `rectangle`, `torus`, …, or a file.
    rows, columns -- the size of the grid. empty -- the mask of its places without a cell.
    sides, corners -- for each place, the mask of the cells that touch it along a side, and of
        those that touch it at a corner only.
    steps -- for each direction in which ships lie, the next cell after each cell; NOWHERE if there
        is none.
    ships -- the masks of all placements of each ship of a board file, by the name of the ship.
    digest -- of the cells, contacts, directions and ships of a board file; else empty.
    centres -- where to draw each cell: (x, y), y downward, neighbours 1 apart. outline -- the
        corners of a cell relative to its centre.
    seams -- two booleans: whether the columns wrap, and whether the rows do.

    Boards of files are equal if their digests are, others if text, rows and columns are.
    """

    text: str
    rows: int
    columns: int
    sides: tuple[int, ...] = field(repr=False)
    corners: tuple[int, ...] = field(repr=False)
    steps: tuple[tuple[int, ...], ...] = field(repr=False)
    centres: tuple[Point, ...] = field(repr=False)
    outline: tuple[Point, ...] = field(repr=False)
    empty: int = 0
    has_squares: bool = True
    seams: tuple[bool, bool] = (False, False)
    ships: Mapping[str, tuple[int, ...]] = field(default_factory=dict, repr=False)
    digest: str = ""

    @property
    def _key(self) -> tuple[object, ...]:
        return (self.digest,) if self.digest else (self.text, self.rows, self.columns)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Board) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __reduce__(self) -> tuple[Callable[..., Board], tuple[object, ...]]:
        """Pickle the fields only: cached values, such as the symmetries, are computed again."""
        if not self.digest:
            return make_board, (self.text, self.rows, self.columns)
        return Board, tuple(getattr(self, attribute.name) for attribute in fields(self))

    @property
    def cells(self) -> int:
        """The number of places of the grid."""
        return self.rows * self.columns

    @property
    def has_corners(self) -> bool:
        """True if cells may touch at a corner only."""
        return self.has_squares or any(self.corners)

    @cached_property
    def kinds(self) -> dict[str, int]:
        """The kind of each ship of a board file, by the name of the ship."""
        return {
            name: Piece(name, placements[0].bit_count()) for name, placements in self.ships.items()
        }

    def placements(self, kind: int) -> tuple[int, ...]:
        """Return all placements of one ship, as masks; each set of cells is listed once.

        Straight ships are sorted by their first cell, row by row, across before down. Others are
        sorted by the cell of their lowest bit, and then as numbers.

        kind -- the length or the shape of the ship, or a ship of the board file.
        """
        return _placements(self, kind)

    def head_of(self, kind: int, placement: int) -> int | None:
        """Return the cell (index) of a placement (mask) that its drawing marks as head, or None."""
        if not isinstance(kind, Shape) or isinstance(kind, Piece):
            return None  # it is not drawn
        return _heads(self, kind)[placement]

    def straight_placements(self, length: int) -> tuple[int, ...]:
        """Return all placements of a straight ship, as masks; each set of cells is listed once."""
        return tuple(dict.fromkeys(_list_lines(self, length)))

    @cached_property
    def _forbidden_beside(self) -> dict[str, tuple[int, ...]]:
        """For each contact rule and cell, the neighbours (mask) where no other ship may lie."""
        both = zip(self.sides, self.corners, strict=True)
        sides_and_corners = tuple(sides | corners for sides, corners in both)
        return {"none": sides_and_corners, "corner": self.sides, "any": (0,) * self.cells}

    def halo(self, contact: str, ship: int) -> int:
        """Return the cells (mask) around a ship (mask) that a contact rule forbids to others.

        contact -- the rule: `none`, `corner` or `any`.
        """
        around_mask, forbidden_beside = 0, self._forbidden_beside[contact]
        for cell in bits(ship):
            around_mask |= forbidden_beside[cell]
        return around_mask & ~ship

    @cached_property
    def automorphisms(self) -> tuple[Permutation, ...]:
        """The permutations of the cells that keep all contacts, the identity first.

        Cells that touch along a side, or only at a corner, are mapped to cells that touch likewise.
        If there are more than MOST_SYMMETRIES, this is the identity alone.
        """
        permutations = []
        for permutation in _automorphisms(self):
            permutations.append(permutation)
            if len(permutations) > MOST_SYMMETRIES:
                return (tuple(range(self.cells)),)
        return tuple(permutations)

    def symmetries(self, kinds: frozenset[int], holes: int) -> tuple[Permutation, ...]:
        """Return the automorphisms that map holes (a mask) to holes and placements to placements.

        The identity is the first. The placements are those of each kind (length or shape).
        """
        placement_tables = [_cell_table(self.placements(kind)) for kind in sorted(kinds, key=str)]

        def keeps_all(permutation: Permutation) -> bool:
            if image(holes, permutation) != holes:
                return False
            image_of_cell = np.array(permutation)
            return all(
                np.array_equal(_sort_rows(image_of_cell[table]), table)
                for table in placement_tables
            )

        return tuple(filter(keeps_all, self.automorphisms))


def _cell_table(masks: Sequence[int]) -> np.ndarray:
    """Return the cells of placements (masks) of equal size, a row each, in sorted order."""
    cells = [list(bits(mask)) for mask in masks]
    return _sort_rows(np.array(cells, np.int64).reshape(len(masks), -1))


def _sort_rows(table: np.ndarray) -> np.ndarray:
    """Sort the cells within each row of a table, and then the rows."""
    table = np.sort(table, axis=1)
    if not table.size:
        return table
    return table[np.lexsort(table.T[::-1])]  # reversed: the last key of lexsort counts first


@lru_cache(maxsize=256)
def _placements(board: Board, kind: int) -> tuple[int, ...]:
    """Return the placements (masks) of a length or shape, in the order of `Board.placements`."""
    if isinstance(kind, Piece):
        return board.ships.get(kind.text, ())
    if isinstance(kind, Shape):
        return tuple(sorted(_heads(board, kind), key=lambda mask: (mask & -mask, mask)))
    return board.straight_placements(int(kind))


def _list_lines(board: Board, length: int) -> Iterator[int]:
    """Yield the straight ships of a length as masks: by first cell, and then by direction."""
    directions = board.steps if length > 1 else board.steps[:1]  # a single cell has no direction
    for first_cell in range(board.cells):
        if board.empty >> first_cell & 1:
            continue
        for next_cell in directions:
            line_mask, cell, cells_left = 0, first_cell, length
            # A closed line may come back to a cell of the ship before the ship is complete.
            while cells_left and cell != NOWHERE and not line_mask >> cell & 1:
                line_mask |= 1 << cell
                cell = next_cell[cell]
                cells_left -= 1
            if not cells_left:
                yield line_mask


@lru_cache(maxsize=256)
def _heads(board: Board, shape: Shape) -> Mapping[int, int | None]:
    """Map each placement of a shape (mask) to the cell (index) drawn as its head, or None.

    Raises GameError if a placement has two heads, as on a small board that closes on itself.
    """
    heads: dict[int, int | None] = {}
    if not board.has_squares:
        return heads
    for drawing in shape.drawings:
        for first_cell in range(board.cells):
            cell_on_board = {
                drawn: _cell_after(board, first_cell, *drawn) for drawn in drawing.cells
            }
            cells = set(cell_on_board.values())
            if len(cells) < len(drawing.cells) or NOWHERE in cells:
                continue  # it overlaps itself around a seam, or leaves the board
            placement = sum(1 << cell for cell in cells)
            head = None if drawing.head is None else cell_on_board[drawing.head]
            if heads.setdefault(placement, head) != head:
                raise GameError(f"{shape} has more than one head on the same cells of this board")
    return heads


def _cell_after(board: Board, cell: int, steps_down: int, steps_right: int) -> int:
    """Return the cell some steps down and then right of a cell; NOWHERE if off the board."""
    next_right, next_down = board.steps
    for _ in range(steps_down):
        cell = next_down[cell] if cell != NOWHERE else NOWHERE
    for _ in range(steps_right):
        cell = next_right[cell] if cell != NOWHERE else NOWHERE
    return cell


def _automorphisms(board: Board) -> Iterator[Permutation]:
    """Yield all permutations of the cells that keep which cells touch, and how.

    The cells get their images one after the other, by backtracking. If a cell touches an earlier
    cell, their images must touch as well. That is enough: touching pairs get different touching
    images, so none is left for a pair that does not touch.
    """
    cells = [cell for cell in range(board.cells) if not board.empty >> cell & 1]
    cell_order = _order_by_contact(board, cells)
    sides_before: list[list[int]] = []  # for each cell in this order, the neighbours before it
    corners_before: list[list[int]] = []
    earlier_mask = 0
    for cell in cell_order:
        sides_before.append([*bits(board.sides[cell] & earlier_mask)])
        corners_before.append([*bits(board.corners[cell] & earlier_mask)])
        earlier_mask |= 1 << cell
    cells_alike = _cells_with_equal_degrees(board, cells)
    image_of_cell = list(range(board.cells))  # places without a cell stay where they are
    used_mask = 0  # the images of the cells before the current one

    def possible_images(place_in_order: int) -> int:
        images = cells_alike[cell_order[place_in_order]] & ~used_mask
        for neighbour in sides_before[place_in_order]:
            images &= board.sides[image_of_cell[neighbour]]
        for neighbour in corners_before[place_in_order]:
            images &= board.corners[image_of_cell[neighbour]]
        return images

    untried_masks = [possible_images(0)]  # for each cell up to the current one
    while untried_masks:
        current = len(untried_masks) - 1
        if not untried_masks[current]:  # go back: the cell before needs another image
            untried_masks.pop()
            if untried_masks:
                used_mask &= ~(1 << image_of_cell[cell_order[current - 1]])
            continue
        image_bit = untried_masks[current] & -untried_masks[current]  # the lowest bit
        untried_masks[current] ^= image_bit
        image_of_cell[cell_order[current]] = image_bit.bit_length() - 1
        if current == len(cell_order) - 1:
            yield tuple(image_of_cell)
        else:
            used_mask |= image_bit
            untried_masks.append(possible_images(current + 1))


def _order_by_contact(board: Board, cells: list[int]) -> list[int]:
    """Return the cells in an order in which each touches an earlier one, if possible."""
    order: dict[int, None] = {}
    for start in cells:
        waiting = [start]
        for cell in waiting:  # which grows meanwhile
            if cell not in order:
                order[cell] = None
                waiting += bits(board.sides[cell] | board.corners[cell])
    return list(order)


def _cells_with_equal_degrees(board: Board, cells: Sequence[int]) -> dict[int, int]:
    """Map each cell to the cells (mask) with as many neighbours along sides, and at corners."""

    def degrees(cell: int) -> tuple[int, int]:
        return board.sides[cell].bit_count(), board.corners[cell].bit_count()

    mask_of_degrees: dict[tuple[int, int], int] = defaultdict(int)
    for cell in cells:
        mask_of_degrees[degrees(cell)] |= 1 << cell
    return {cell: mask_of_degrees[degrees(cell)] for cell in cells}


# Makers


@dataclass(frozen=True)
class _Grid:
    """A regular grid of any size; a call makes the board of one size.

    sides, corners -- the steps, (rows, columns), from a cell to those that touch it along a side,
    and to those that touch it at a corner only. lines -- the steps along which ships lie.
    seams -- two booleans: whether the columns wrap, and whether the rows do. is_square -- False for
    hexagons.
    """

    sides: tuple[tuple[int, int], ...]
    corners: tuple[tuple[int, int], ...]
    lines: tuple[tuple[int, int], ...]
    seams: tuple[bool, bool] = (False, False)
    is_square: bool = True

    def __call__(self, text: str, rows: int, columns: int) -> Board:
        """Return the board of this size; `text` is its name in the text of a game."""
        columns_wrap, rows_wrap = self.seams

        def cell_after(cell: int, step: tuple[int, int]) -> int:
            rows_down, columns_right = step
            row, column = cell // columns + rows_down, cell % columns + columns_right
            if columns_wrap:
                column %= columns
            if rows_wrap:
                row %= rows
            is_on_grid = 0 <= row < rows and 0 <= column < columns
            return row * columns + column if is_on_grid else NOWHERE

        def neighbour_mask(cell: int, steps: tuple[tuple[int, int], ...]) -> int:
            other_cells = {cell_after(cell, step) for step in steps} - {cell, NOWHERE}
            return sum(1 << other_cell for other_cell in other_cells)

        cells = range(rows * columns)
        sides = tuple(neighbour_mask(cell, self.sides) for cell in cells)
        # If a single row or column wraps, a step to a corner ends at a neighbour along a side.
        corners = tuple(neighbour_mask(cell, self.corners) & ~sides[cell] for cell in cells)
        return Board(
            text=text,
            rows=rows,
            columns=columns,
            sides=sides,
            corners=corners,
            steps=tuple(tuple(cell_after(cell, step) for cell in cells) for step in self.lines),
            centres=tuple(self._centre(*divmod(cell, columns)) for cell in cells),
            outline=SQUARE if self.is_square else HEXAGON,
            has_squares=self.is_square,
            seams=self.seams,
        )

    def _centre(self, row: int, column: int) -> Point:
        return (column, row) if self.is_square else (column + row / 2, row * _ROW_HEIGHT)


SQUARE: tuple[Point, ...] = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
HEXAGON: tuple[Point, ...] = tuple(
    (x, y / 3**0.5)
    for x, y in ((0, -1), (0.5, -0.5), (0.5, 0.5), (0, 1), (-0.5, 0.5), (-0.5, -0.5))
)
_BESIDE = (_RIGHT, _DOWN, (0, -1), (-1, 0))
_CORNERWISE = ((1, 1), (1, -1), (-1, 1), (-1, -1))
_SQUARES = _Grid(sides=_BESIDE, corners=_CORNERWISE, lines=(_RIGHT, _DOWN))
BOARD_MAKERS: Mapping[str, Callable[[str, int, int], Board]] = {
    "rectangle": _SQUARES,
    "cylinder": replace(_SQUARES, seams=(True, False)),
    "torus": replace(_SQUARES, seams=(True, True)),
    "hex": _Grid(
        sides=(*_BESIDE, (1, -1), (-1, 1)),
        corners=(),
        lines=(_RIGHT, _DOWN, (1, -1)),
        is_square=False,
    ),
}
"""For each name in the text of a game, the function that makes its board of a given size."""


@lru_cache(maxsize=256)
def make_board(text: str, rows: int, columns: int) -> Board:
    """Return the board of this name and size; GameError if no maker has the name."""
    if text not in BOARD_MAKERS:
        raise GameError(
            f"board={text!r} is not a board; use {', '.join(BOARD_MAKERS)}, or a file of boards "
            "as in FILE.json#NAME:SHIP,SHIP"
        )
    return BOARD_MAKERS[text](text, rows, columns)
