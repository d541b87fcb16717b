"""Greedy that spreads its shots: a cell beside a miss, or at the border, counts for less.

Greedy takes the probabilities of one shot for all there is. Where several ships are looked for, a
cell beside a miss leaves little to be found there later; one cornerwise of a miss goes on with the
pattern in which the smallest ships are found. The definition is complete and in this file;
`Spread.shot` is the definition in plain Python, and the kernel
`optsearch.compiled._evaluate_announced` does the same on columns of bits.

1. A certain hit is shot at once, the first one row by row.
2. With `least` configurations left or fewer, a most probable cell is shot, the first one row by
   row.
3. Else the probability of each cell that is not shot is taken `side` percent for each of its four
   neighbours that is a miss, `border` percent for each that is no cell of the board, and `corner`
   percent (with more than `many` configurations `early` percent) for each miss that it touches at a
   corner, one after another. The greatest product is shot, the first one row by row.

The factor of a cell is an integer, `factors`, so that products are exact. It costs nothing: what is
counted is what greedy counts. (The numbers were found by trying some dozens below random positions
of `10x10:5,4,3,3,2;contact=any;announce=ship`; docs/boxed.md says what they save. Where ships may
not touch they can cost shots.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from optsearch.compiled._walk import FACTORS
from optsearch.game import Cell, Game
from optsearch.game.position import Position
from optsearch.strategies import Rule, SpreadRule, Strategy
from optsearch.strategies.greedy import Greedy, counts_of
from optsearch.strategies.player import number
from optsearch.strategies.rules import SPREAD_RANGES

ONE = 1 << 16  # the factor of a cell away from all misses and the border
SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))
CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))


@dataclass(frozen=True)
class Spread(Strategy):
    """Of the probable cells one that keeps away from misses and the border."""

    name: ClassVar[str] = "spread"

    side: int = number(75, 1, 200, "percent that a probability counts for beside a miss")
    border: int = number(80, 1, 200, "percent for each side on the border")
    corner: int = number(116, 1, 200, "percent for each miss at a corner")
    early: int = number(104, 1, 200, "the same with more than `many` configurations")
    many: int = number(1 << 24, *SPREAD_RANGES["many"], "configurations up to which it is `corner`")
    least: int = number(
        64,
        *SPREAD_RANGES["least"],
        "configurations, and fewer, with which a most probable cell is shot",
    )

    def rule(self, game: Game) -> Rule | None:
        """The same for the kernel; None where it has none."""
        greedy = Greedy(endgame=0).rule(game)
        if greedy is None or game.is_silent:
            return None
        return SpreadRule(
            **vars(greedy),
            least=self.least,
            many=self.many,
            factors=self.factors(self.corner),
            early=self.factors(self.early),
            sides=around(game, SIDES)[0],
            corners=around(game, CORNERS)[0],
            borders=around(game, SIDES)[1],
        )

    def shot(self, position: Position) -> Cell:
        """The cell to shoot next, from exact counts."""
        game, counts = position.game, counts_of(position)
        fresh = [cell for cell in range(game.cells) if not position.closed >> cell & 1]
        best = max(fresh, key=counts.cells.__getitem__)
        if counts.cells[best] == counts.configurations or counts.configurations <= self.least:
            return game.cell(best)
        is_early = counts.configurations > self.many
        factors = self.factors(self.early if is_early else self.corner)
        sides, borders = around(game, SIDES)
        corners = around(game, CORNERS)[0]

        def product(cell: int) -> int:
            beside = (sides[cell] & position.misses).bit_count()
            touched = (corners[cell] & position.misses).bit_count()
            return counts.cells[cell] * factors[index_of(beside, borders[cell], touched)]

        return game.cell(max(fresh, key=product))

    def factors(self, corner: int) -> tuple[int, ...]:
        """By `place`, ONE times the percents; sums and products of doubles, rounded."""
        table = [0] * FACTORS
        for beside in range(5):
            for border in range(5):
                for touched in range(5):
                    factor = float(ONE)
                    for percent in (
                        *((self.side,) * beside),
                        *((self.border,) * border),
                        *((corner,) * touched),
                    ):
                        factor = factor * percent / 100
                    table[index_of(beside, border, touched)] = max(1, round(factor))
        return tuple(table)


def index_of(beside: int, border: int, touched: int) -> int:
    """Where `factors` has a cell with so many misses beside, sides on the border, and corners."""
    return 25 * beside + 5 * border + touched


@lru_cache(maxsize=64)
def around(
    game: Game, steps: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """For each cell the mask of its neighbours by some steps, and how many are no cells."""
    masks, missing = [], []
    for cell in range(game.cells):
        row, column = divmod(cell, game.columns)
        near = [
            1 << (row + down) * game.columns + column + right
            for down, right in steps
            if 0 <= row + down < game.rows and 0 <= column + right < game.columns
        ]
        inside = [bit for bit in near if not bit & game.holes]
        masks.append(sum(inside))
        missing.append(len(steps) - len(inside))
    return tuple(masks), tuple(missing)
