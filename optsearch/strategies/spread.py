"""Greedy that spreads its shots: a cell beside a miss, or at the border, counts for less.

Greedy takes the probabilities of one shot for all there is. Where several ships are looked for, a
cell beside a miss leaves little to be found there later; one cornerwise of a miss goes on with the
pattern in which the smallest ships are found. The definition is complete and in this file;
`spread` scores the cells, in plain Python and, compiled, in the kernels.

1. A certain hit is shot at once, the first one row by row.
2. With `least` configurations left or fewer, a most probable cell is shot, the first one row by
   row.
3. Else the probability of each cell that is not shot is taken `side` percent for each of its four
   neighbours that is a miss, `border` percent for each that is no cell of the board, and `corner`
   percent (with more than `many` configurations `early` percent) for each miss that it touches at a
   corner, one after another. The greatest product is shot, the first one row by row.

The factor of a cell is an integer, `factors`, so that products below 2^53 are exact. It costs
little: what is counted is what greedy counts. (The numbers were found by trying some dozens below
random positions of `10x10:5,4,3,3,2;contact=any;announce=ship`; docs/boxed.md says what they save.
Where ships may not touch they can cost shots.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from optsearch.compiled._score import HOLE, MISS
from optsearch.game import Game
from optsearch.strategies.player import number
from optsearch.strategies.rules import LEAST
from optsearch.strategies.score import Node, Score, Scores, Scoring

ONE = 1 << 16  # the factor of a cell away from all misses and the border
SIDES = ((0, 1), (1, 0), (0, -1), (-1, 0))
CORNERS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
FACTORS = 125  # by 25 times the sides missed, 5 times those on the border, and the corners missed


@dataclass(frozen=True)
class Spread(Scoring):
    """Of the probable cells one that keeps away from misses and the border."""

    name: ClassVar[str] = "spread"

    side: int = number(75, 1, 200, "percent that a probability counts for beside a miss")
    border: int = number(80, 1, 200, "percent for each side on the border")
    corner: int = number(116, 1, 200, "percent for each miss at a corner")
    early: int = number(104, 1, 200, "the same with more than `many` configurations")
    many: int = number(1 << 24, 64, LEAST[1], "configurations up to which it is `corner`")
    least: int = number(
        64, 64, LEAST[1], "configurations, and fewer, with which a most probable cell is shot"
    )

    def score(self, game: Game) -> Score:
        """By the number of configurations times a factor."""
        factors = *self.factors(self.corner), *self.factors(self.early)
        return Score(spread, (self.many, *factors), endgame=0, least=self.least)

    def factors(self, corner: int) -> tuple[int, ...]:
        """ONE times the percents, FACTORS of them; sums and products of doubles, rounded."""
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
                    table[25 * beside + 5 * border + touched] = max(1, round(factor))
        return tuple(table)


def spread(node: Node, scores: Scores) -> None:
    """The number of configurations with each cell, times its factor.

    constants -- `many`, the factors up to so many configurations, and those above.
    """
    state, rows, columns = node.state, node.rows, node.columns
    first = 1 + FACTORS if node.configurations > node.constants[0] else 1
    for cell in range(len(scores)):
        if node.having[cell]:
            row, column = cell // columns, cell % columns
            place = first
            for down, right in SIDES:
                r, c = row + down, column + right
                if not (0 <= r < rows and 0 <= c < columns) or state[r * columns + c] == HOLE:
                    place += 5
                elif state[r * columns + c] == MISS:
                    place += 25
            for down, right in CORNERS:
                r, c = row + down, column + right
                if 0 <= r < rows and 0 <= c < columns and state[r * columns + c] == MISS:
                    place += 1
            scores[cell] = node.having[cell] * node.constants[place]
