"""Greedy that spreads its shots: a cell beside a miss, or at the border, counts less.

Greedy looks only at the probability of the next shot. While several ships are hidden, a cell beside
a miss leaves little to be found there later, and one that touches a miss at a corner goes on with
the pattern that finds the smallest ships. This is the complete definition. `spread` scores the
cells, in plain Python and, compiled, in the kernels. Cells that tie are taken row by row.

1. A certain hit is shot at once.
2. With at most `least` configurations left, a most probable cell is shot.
3. Otherwise the probability of each cell not shot is multiplied by `side` percent for each miss
   beside it, by `border` percent for each of its sides at the border, and by `corner` percent for
   each miss that it touches at a corner (`early` percent with more than `many` configurations). The
   cell with the greatest product is shot.

The factor of a cell is an integer (`factors`), so that products below 2^53 are exact. A shot costs
little more than greedy's, since both need the same counts. (The percentages are the best of some
dozens that were tried below random positions of `10x10:5,4,3,3,2,contact=any,announce=ship`;
docs/boxed.md says what they save. If ships may not touch, they can cost shots.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from optsearch.compiled.strategies._score import MISS
from optsearch.game import Game, bits
from optsearch.game.board import NOWHERE
from optsearch.search.rules import LEAST_RANGE
from optsearch.strategies.player import number
from optsearch.strategies.score import Score, ScoreNode, Scores, Scoring

ROOM = 2048  # constants of all usual boards, so that one compiled function is for all
ONE = 1 << 16  # the factor of a cell away from all misses and the border


@dataclass(frozen=True)
class Spread(Scoring):
    """A probable cell away from misses and the border."""

    name: ClassVar[str] = "spread"

    side: int = number(75, 1, 200, "percent that a probability counts for beside a miss")
    border: int = number(80, 1, 200, "percent for each side on the border")
    corner: int = number(116, 1, 200, "percent for each miss at a corner")
    early: int = number(104, 1, 200, "the same with more than `many` configurations")
    many: int = number(1 << 24, 64, LEAST_RANGE[1], "configurations up to which it is `corner`")
    least: int = number(
        64, 64, LEAST_RANGE[1], "configurations, and fewer, with which a most probable cell is shot"
    )

    def score(self, game: Game) -> Score:
        """Return the score: the number of configurations with a cell, times the cell's factor.

        Its constants are those that the function `spread` lists.
        """
        board = game.board
        sides = max(len(board.outline), *map(int.bit_count, board.sides))
        corners = max(map(int.bit_count, board.corners))
        factors = (
            *self.factors(self.corner, sides, corners),
            *self.factors(self.early, sides, corners),
        )
        # Before any shot no neighbour is missed: the factor goes by the sides at the border.
        border_sides = [sides - (mask & ~game.holes).bit_count() for mask in board.sides]
        first_factors = [count * (corners + 1) for count in border_sides]
        neighbours = [*_list_cells(board.sides, sides), *_list_cells(board.corners, corners)]
        constants = [self.many, sides, corners, *factors, *first_factors, *neighbours]
        size = max(ROOM, 1 << (len(constants) - 1).bit_length())  # few sizes: each is compiled once
        constants += [0] * (size - len(constants))
        return Score(spread, tuple(constants), endgame=0, least=self.least)

    def factors(self, corner: int, sides: int = 4, corners: int = 4) -> tuple[int, ...]:
        """Return the factors by which the probability of a cell is multiplied, as one list.

        There is one for each number of misses around the cell and of its sides at the border. A
        factor is ONE times the percentages that apply, rounded, at least 1. The factors go by the
        missed sides (0 to `sides`), the sides at the border (0 to `sides`) and the missed corners
        (0 to `corners`); the last varies fastest. corner -- the percentage of a missed corner.
        """
        table = []
        for missed_sides, border_sides, missed_corners in product(
            range(sides + 1), range(sides + 1), range(corners + 1)
        ):
            percentages = (
                *[self.side] * missed_sides,
                *[self.border] * border_sides,
                *[corner] * missed_corners,
            )
            factor = float(ONE)
            for percentage in percentages:
                factor = factor * percentage / 100
            table.append(max(1, round(factor)))
        return tuple(table)


def _list_cells(masks: Sequence[int], width: int) -> list[int]:
    """List the cells of each mask in turn, each mask filled up to `width` cells with NOWHERE."""
    cells: list[int] = []
    for mask in masks:
        cells += [*bits(mask), *[NOWHERE] * (width - mask.bit_count())]
    return cells


def spread(node: ScoreNode, scores: Scores) -> None:
    """Score each cell by the number of configurations with it, times its factor.

    The constants of the node are one array, in this order:

    - a number of configurations; the most neighbours of a cell along sides, and at corners;
    - the factors for up to this number of configurations, then those for more (`Spread.factors`);
    - for each cell the index of its factor before any shot;
    - for each cell its neighbours along sides, then for each cell those at corners, filled up with
      NOWHERE, which is negative.
    """
    state, constants = node.state, node.constants
    sides, corners = int(constants[1]), int(constants[2])  # the most of a cell
    # Factors go by missed sides, sides at the border and missed corners; the last varies fastest.
    corner_step, side_step = 1, (sides + 1) * (corners + 1)
    factor_count = (sides + 1) * side_step
    # Where the parts of the constants begin:
    factors_at = 3 + factor_count if node.configurations > constants[0] else 3
    first_index_at = 3 + 2 * factor_count
    sides_at = first_index_at + len(scores)
    corners_at = sides_at + len(scores) * sides
    # The scores hold the indices of the factors first.
    for cell in range(len(scores)):
        scores[cell] = constants[first_index_at + cell]
    for cell in range(len(scores)):
        if state[cell] != MISS:
            continue
        for i in range(sides_at + cell * sides, sides_at + (cell + 1) * sides):
            if constants[i] >= 0:
                scores[int(constants[i])] += side_step
        for i in range(corners_at + cell * corners, corners_at + (cell + 1) * corners):
            if constants[i] >= 0:
                scores[int(constants[i])] += corner_step
    for cell in range(len(scores)):
        scores[cell] = node.having[cell] * constants[factors_at + int(scores[cell])]
