"""The rollout policies played once more, for experiments.evaluation_check: numpy, no own kernel.

`optsearch/strategies/rollout.py` has the definition, of which this uses the parameters, the hash
and the estimate alone. A family is a matrix, a row for each configuration and a column for each
cell.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import Configurations, to_masks
from optsearch.game import bits
from optsearch.game.position import Position
from optsearch.strategies.rollout import Rollout, estimate, hash_cells

Rows = NDArray[np.bool_]

UNIT = 4096  # of costs: so many are a miss
SMALL = 4  # configurations of which greedy plays the optimum
ALL = 1 << 30  # cells that are compared


@dataclass(frozen=True)
class Inner:
    """A policy that compares cells by the policies below it, of which greedy is the first.

    floor -- with at most this many configurations the policy below plays; number -- of cells
    compared with more. margin, kept -- misses times UNIT per configuration that a cell may be above
    the cheapest to be compared by the policy above, and the number of these cells.
    """

    floor: int = 0
    number: int = 1
    margin: int = 0
    kept: int = 1


class RolloutAgain:
    """The configurations of a position, played one by one by a rollout policy."""

    def __init__(self, strategy: Rollout, position: Position):
        self.strategy = strategy
        self._masks = to_masks(Configurations(position, threads=1).list())
        self._rows = np.zeros((len(self._masks), position.game.cells), bool)
        for row, mask in zip(self._rows, self._masks, strict=True):
            row[list(bits(mask))] = True
        self._hashes = np.array([hash_cells(mask) for mask in self._masks], np.uint64)

    def misses(self, configuration: int) -> int:
        """Count the misses on the configuration with these cells (mask) from the position on."""
        mine = self._rows[self._masks.index(configuration)]
        rows, hashes, missed = self._rows, self._hashes, 0
        while (cell := self._shot(rows, hashes)) >= 0:
            same = rows[:, cell] == mine[cell]
            missed += not mine[cell]
            rows, hashes = rows[same], hashes[same]
        return missed

    def _shot(self, rows: Rows, hashes: NDArray[np.uint64]) -> int:
        """Return the open cell to shoot, or -1 if no cell is open."""
        counts = rows.sum(0)
        is_open = (counts > 0) & (counts < len(rows))
        if not is_open.any():
            return -1
        if len(rows) <= self.strategy.endgame:
            return _optimal(rows)
        shift, sample = self._sample(rows, hashes, self.strategy.cap)
        chosen = self._likely(counts, len(rows), sample, self.strategy.candidates)
        if self.strategy.depth and len(rows) <= self.strategy.until:
            return self._best(rows, chosen, 0, _levels(self.strategy))
        if len(chosen) > self.strategy.finalists and len(rows) > self.strategy.screen:
            fewer = self._sample(rows, hashes, self.strategy.screen)
            costs = [self._cost(fewer[1], cell, fewer[0]) for cell in chosen]
            cheapest = np.argsort(costs, kind="stable")[: self.strategy.finalists]
            chosen = [chosen[i] for i in sorted(cheapest.tolist())]
        if self.strategy.depth and len(rows) > self.strategy.lookahead.above:
            shift, sample = self._sample(rows, hashes, self.strategy.second)
            level = self.strategy.lookahead.inner
            inner = (Inner(), Inner(level.floor, level.candidates))
            costs = [self._inner_cost(sample, cell, shift, inner) for cell in chosen]
        else:
            costs = [self._cost(sample, cell, shift) for cell in chosen]
        return chosen[int(np.argmin(costs))]

    def _likely(self, counts: NDArray[np.int64], n: int, sample: Rows, number: int) -> list[int]:
        """The most probable open cells, none of which lies under one before it in the sample."""
        is_open = (counts > 0) & (counts < n)
        ranked = np.flatnonzero(is_open)[np.argsort(-counts[is_open], kind="stable")]
        chosen: list[int] = []
        for cell in ranked.tolist():
            unlikely = 100 * counts[cell] < self.strategy.percent * counts[ranked[0]]
            if unlikely or len(chosen) == number:
                break
            under = sample[sample[:, cell]]
            if not any(under[:, other].all() for other in chosen):
                chosen.append(cell)
        return chosen

    def _inner_cost(self, rows: Rows, cell: int, shift: int, inner: tuple[Inner, ...]) -> int:
        """Return the misses, times UNIT, if a cell is shot and `inner` plays on.

        Each part is played by the last policy of `inner` whose floor is below the part's size, or
        estimated if it is a small part of a sample.
        """
        cost, parts = self._split(rows, cell)
        while parts:
            part, cells_left = parts.pop()
            level = max((i for i, p in enumerate(inner) if len(part) > p.floor), default=0)
            if shift and len(part) <= self.strategy.lookahead.truncate:
                cost += estimate(len(part), cells_left, shift)
            elif not level:
                cost += self._greedy_cost([(part, cells_left)], shift)
            elif chosen := self._likely(part.sum(0), len(part), part, inner[level].number):
                best = self._best(part, chosen, shift, inner[:level])
                shot_cost, parts_after = self._split(part, best)
                cost += shot_cost
                parts += parts_after
        return cost

    def _best(self, rows: Rows, chosen: list[int], shift: int, inner: tuple[Inner, ...]) -> int:
        """The cheapest cell, compared by each of some policies."""
        for last, policy in enumerate(inner, 1):
            if len(chosen) == 1:
                break
            costs = np.array([self._inner_cost(rows, cell, shift, inner[:last]) for cell in chosen])
            order = np.argsort(costs, kind="stable")[: policy.kept if last < len(inner) else 1]
            limit = costs.min() + policy.margin * len(rows)
            chosen = [chosen[i] for i in order.tolist() if costs[i] <= limit]
        return chosen[0]

    @staticmethod
    def _sample(rows: Rows, hashes: NDArray[np.uint64], cap: int) -> tuple[int, Rows]:
        shift, keep = 0, np.ones(len(rows), bool)
        while keep.sum() > cap:
            shift += 1
            keep = hashes & np.uint64(2**shift - 1) == 0
        return shift, rows[keep]

    def _cost(self, rows: Rows, cell: int, shift: int) -> int:
        """Misses times UNIT of a cell and of greedy after it."""
        cost, parts = self._split(rows, cell)
        return cost + self._greedy_cost(parts, shift)

    def _greedy_cost(self, parts: list[tuple[Rows, int]], shift: int) -> int:
        """Misses times UNIT of greedy in some parts, each with its open cells."""
        cost = 0
        while parts:
            part, left = parts.pop()
            if shift and len(part) <= self.strategy.lookahead.truncate:
                cost += estimate(len(part), left, shift)
            elif len(part) <= SMALL:
                cost += UNIT * _least(_patterns(part), (1 << len(part)) - 1)
            else:
                added, behind = self._split(part, -1)
                cost += added
                parts += behind
        return cost

    @staticmethod
    def _split(rows: Rows, cell: int) -> tuple[int, list[tuple[Rows, int]]]:
        """Misses times UNIT of one shot, and what is left; -1 is greedy's cell."""
        counts, n = rows.sum(0), len(rows)
        is_open = counts < n
        left = (int(counts[is_open].sum()) + n // 2) // max(n, 1)  # a sample can be empty
        if cell < 0:
            cell = int(np.argmax(np.where(is_open, counts, 0)))
            if not 0 < counts[cell] < n:
                return 0, []
        hit = rows[:, cell]
        parts = [(rows[hit], left - 1), (rows[~hit][:, counts > 0], left)]
        return UNIT * (n - int(counts[cell])), parts


def _levels(strategy: Rollout) -> tuple[Inner, ...]:
    """The policies that compare cells, greedy first."""
    first, level = strategy.lookahead.first, strategy.lookahead.higher
    close = Inner(level.floor, level.candidates, level.margin * UNIT // 100, level.kept)
    return Inner(0, 1, first.margin * UNIT // 100, ALL), *(close,) * strategy.depth


def _patterns(rows: Rows) -> frozenset[int]:
    """Which sets of the rows (masks) the cells have."""
    return frozenset(((1 << np.arange(len(rows))) @ rows).tolist())


@lru_cache(maxsize=1 << 18)
def _least(patterns: frozenset[int], part: int) -> int:
    """The least misses of some rows (mask) of a family with these patterns."""
    hits = {pattern & part for pattern in patterns} - {0, part}
    return min(
        (
            (part ^ hit).bit_count() + _least(patterns, hit) + _least(patterns, part ^ hit)
            for hit in hits
        ),
        default=0,
    )


def _optimal(rows: Rows) -> int:
    """The first cell of an optimal strategy."""
    patterns, everything = _patterns(rows), (1 << len(rows)) - 1
    optimum = _least(patterns, everything)
    for cell, pattern in enumerate(((1 << np.arange(len(rows))) @ rows).tolist()):
        if pattern not in (0, everything):
            missed = everything ^ pattern
            cost = missed.bit_count() + _least(patterns, pattern) + _least(patterns, missed)
            if cost == optimum:
                return cell
    raise AssertionError("no open cell")
