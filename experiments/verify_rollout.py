"""The rollout policies played once more, for experiments.evaluation_check: numpy, no own kernel.

`optsearch/strategies/rollout.py` has the definition, of which this uses the parameters, the hash
and the estimate alone. A family is a matrix, a row for each configuration and a column for each
cell. Costs are misses times UNIT, summed over the configurations of a family.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import Configurations, to_masks
from optsearch.game import bits
from optsearch.game.position import Position
from optsearch.strategies.rollout import Rollout, estimate, hash_cells

Rows = NDArray[np.bool_]
Hashes = NDArray[np.uint64]

UNIT = 4096  # of costs: so many are a miss
SMALL = 4  # configurations of which greedy plays the optimum
ALL = 1 << 30  # cells that are compared


@dataclass(frozen=True)
class LookaheadPolicy:
    """A policy that compares cells by the policies before it in a tuple; the first is greedy.

    floor -- with at most this many configurations the policy before it plays. candidates -- how
    many cells it compares with more. margin, kept -- of several policies that compare cells in
    turn, it keeps the `kept` cheapest cells, if they cost at most `margin` per configuration
    more than the cheapest.
    """

    floor: int = 0
    candidates: int = 1
    margin: int = 0
    kept: int = 1


GREEDY = LookaheadPolicy()
Policies = tuple[LookaheadPolicy, ...]


class Sample(NamedTuple):
    """Configurations of a family, each of which stands for 2^shift; with shift 0 all of them."""

    rows: Rows
    shift: int


class RemainingRows(NamedTuple):
    """The configurations left after a reply, and the cells of one that are open, as estimated."""

    rows: Rows
    open_cells: int


class RolloutReplay:
    """The configurations of a position, played one by one by a rollout policy."""

    def __init__(self, strategy: Rollout, position: Position):
        self._strategy = strategy
        self._masks = to_masks(Configurations(position, threads=1).list())
        self._rows = np.zeros((len(self._masks), position.game.cells), bool)
        for row, mask in zip(self._rows, self._masks, strict=True):
            row[list(bits(mask))] = True
        self._hashes = np.array([hash_cells(mask) for mask in self._masks], np.uint64)

    def misses(self, configuration: int) -> int:
        """Count the misses on the configuration with these cells (mask) from the position on."""
        hidden = self._rows[self._masks.index(configuration)]
        rows, hashes, missed = self._rows, self._hashes, 0
        while (cell := self._shot(rows, hashes)) >= 0:
            agrees = rows[:, cell] == hidden[cell]
            missed += not hidden[cell]
            rows, hashes = rows[agrees], hashes[agrees]
        return missed

    def _shot(self, rows: Rows, hashes: Hashes) -> int:
        """Return the cell that the policy shoots, or -1 if all configurations left are equal."""
        strategy, size = self._strategy, len(rows)
        if not _is_open(rows).any():
            return -1
        if size <= strategy.endgame:
            return _optimal_cell(rows)
        sample = _draw_sample(rows, hashes, strategy.cap)
        chosen = self._candidates(rows, sample.rows, strategy.candidates)
        if strategy.depth and size <= strategy.until:
            return self._cheapest(Sample(rows, 0), chosen, _policies_by_level(strategy))
        if len(chosen) > strategy.finalists and size > strategy.screen:
            screen = _draw_sample(rows, hashes, strategy.screen)
            costs = [self._sample_cost(screen, cell, (GREEDY,)) for cell in chosen]
            finalists = np.argsort(costs, kind="stable")[: strategy.finalists]
            chosen = [chosen[i] for i in sorted(finalists.tolist())]  # in the order of before
        policies: Policies = (GREEDY,)
        if strategy.depth and size > strategy.lookahead.above:
            inner = strategy.lookahead.inner
            policies = (GREEDY, LookaheadPolicy(inner.floor, inner.candidates))
            sample = _draw_sample(rows, hashes, strategy.second)
        costs = [self._sample_cost(sample, cell, policies) for cell in chosen]
        return chosen[int(np.argmin(costs))]

    def _candidates(self, rows: Rows, sample: Rows, most_cells: int) -> list[int]:
        """Return at most `most_cells` open cells, the most probable ones first.

        A cell is open if some of the configurations left, `rows`, have it and some not. The
        list ends before cells that are too improbable beside the first. A cell is left out
        if all configurations of `sample` that have it also have one cell chosen before.
        """
        counts, is_open = rows.sum(0), _is_open(rows)
        ranked = np.flatnonzero(is_open)[np.argsort(-counts[is_open], kind="stable")]
        chosen: list[int] = []
        for cell in ranked.tolist():
            is_unlikely = 100 * counts[cell] < self._strategy.percent * counts[ranked[0]]
            if is_unlikely or len(chosen) == most_cells:
                break
            with_cell = sample[sample[:, cell]]
            if not any(with_cell[:, other].all() for other in chosen):
                chosen.append(cell)
        return chosen

    def _sample_cost(self, sample: Sample, cell: int, policies: Policies) -> int:
        """Return the cost of a sample if a cell is shot and the policies play on.

        The cost is UNIT for each miss, summed over the configurations of the sample. Each
        reply divides these into parts. A part is played by the last of the policies whose
        floor is below its size. A small part is estimated, unless the sample is all there
        is.
        """
        cost, parts = _shoot(sample.rows, cell)
        while parts:
            part = parts.pop()
            rows, open_cells = part
            levels = [i for i, policy in enumerate(policies) if len(rows) > policy.floor]
            level = max(levels, default=0)
            if self._is_estimated(part, sample.shift):
                cost += estimate(len(rows), open_cells, sample.shift)
            elif level == 0:
                cost += self._greedy_cost(part, sample.shift)
            elif chosen := self._candidates(rows, rows, policies[level].candidates):
                best = self._cheapest(Sample(rows, sample.shift), chosen, policies[:level])
                shot_cost, parts_after = _shoot(rows, best)
                cost += shot_cost
                parts += parts_after
        return cost

    def _cheapest(self, sample: Sample, chosen: list[int], policies: Policies) -> int:
        """Return the cell that is left when each policy in turn keeps the cheapest chosen cells.

        For a policy a cell costs what the sample costs if it is shot, and then this policy
        and those before it play on. The last policy keeps one cell.
        """
        for last, policy in enumerate(policies, 1):
            if len(chosen) == 1:
                break
            costs = np.array([self._sample_cost(sample, cell, policies[:last]) for cell in chosen])
            kept_cells = policy.kept if last < len(policies) else 1
            cheapest = np.argsort(costs, kind="stable")[:kept_cells]
            limit = costs.min() + policy.margin * len(sample.rows)
            chosen = [chosen[i] for i in cheapest.tolist() if costs[i] <= limit]
        return chosen[0]

    def _greedy_cost(self, part: RemainingRows, shift: int) -> int:
        """Return the cost of a part of a sample if the most probable cell is shot each time.

        The cost is UNIT for each miss, summed over the configurations. With at most SMALL
        of them left, play is optimal. shift -- of the sample: if it is not 0, small parts
        are estimated.
        """
        cost, parts = 0, [part]
        while parts:
            rows, open_cells = part = parts.pop()
            if self._is_estimated(part, shift):
                cost += estimate(len(rows), open_cells, shift)
            elif len(rows) <= SMALL:
                cost += UNIT * _least_misses(frozenset(_rows_by_cell(rows)), (1 << len(rows)) - 1)
            elif (cell := _most_probable(rows)) >= 0:
                shot_cost, parts_after = _shoot(rows, cell)
                cost += shot_cost
                parts += parts_after
        return cost

    def _is_estimated(self, part: RemainingRows, shift: int) -> bool:
        """True if a part of a sample is too small to be played on."""
        return shift > 0 and len(part.rows) <= self._strategy.lookahead.truncate


def _is_open(rows: Rows) -> NDArray[np.bool_]:
    """Flag each cell that some configurations have and some have not."""
    counts = rows.sum(0)
    return np.asarray((counts > 0) & (counts < len(rows)))


def _most_probable(rows: Rows) -> int:
    """Return the open cell that most configurations have, the first of several, or -1."""
    counts = rows.sum(0)
    counts[counts == len(rows)] = 0  # not open
    cell = int(np.argmax(counts))
    return cell if counts[cell] else -1


def _draw_sample(rows: Rows, hashes: Hashes, cap: int) -> Sample:
    """Return at most `cap` of the configurations: those whose hash ends in enough zero bits.

    The least number that is enough is the `shift` of the result; with 0 it has all.
    """
    shift, is_kept = 0, np.ones(len(rows), bool)
    while is_kept.sum() > cap:
        shift += 1
        is_kept = hashes & np.uint64(2**shift - 1) == 0
    return Sample(rows[is_kept], shift)


def _shoot(rows: Rows, cell: int) -> tuple[int, list[RemainingRows]]:
    """Return the cost of a shot, UNIT per configuration without the cell, and the parts left."""
    counts, size = rows.sum(0), len(rows)
    # The mean over configurations of their cells that not all have, rounded; a sample can be empty.
    open_cells = (int(counts[counts < size].sum()) + size // 2) // max(size, 1)
    is_hit = rows[:, cell]
    after_hit = RemainingRows(rows[is_hit], open_cells - 1)
    fewer_columns = rows[~is_hit][:, counts > 0]  # they take less time
    after_miss = RemainingRows(fewer_columns, open_cells)
    return UNIT * (size - int(counts[cell])), [after_hit, after_miss]


def _policies_by_level(strategy: Rollout) -> Policies:
    """Return the policies that compare cells in turn where no sample is drawn, greedy first."""
    first, higher = strategy.lookahead.first, strategy.lookahead.higher
    # Margins are given in hundredths of a miss.
    greedy = LookaheadPolicy(margin=first.margin * UNIT // 100, kept=ALL)
    lookahead = LookaheadPolicy(
        higher.floor, higher.candidates, higher.margin * UNIT // 100, higher.kept
    )
    return greedy, *(lookahead,) * strategy.depth


def _rows_by_cell(rows: Rows) -> list[int]:
    """Return for each cell the set of rows that have it, as a mask of row numbers."""
    masks: list[int] = ((1 << np.arange(len(rows))) @ rows).tolist()
    return masks


@lru_cache(maxsize=1 << 18)
def _least_misses(patterns: frozenset[int], part: int) -> int:
    """Return the least sum of misses over the configurations of a part, with the best shots.

    Configurations are masks of row numbers: patterns -- for each cell those that have it; part
    -- those that are left.
    """
    hits = {pattern & part for pattern in patterns} - {0, part}
    return min((_misses_after(patterns, hit, part ^ hit) for hit in hits), default=0)


def _misses_after(patterns: frozenset[int], hit: int, missed: int) -> int:
    """Return the least misses if a shot hits these rows and misses those, itself included."""
    return missed.bit_count() + _least_misses(patterns, hit) + _least_misses(patterns, missed)


def _optimal_cell(rows: Rows) -> int:
    """Return the first open cell that some optimal strategy for the rows shoots first."""
    rows_by_cell, all_rows = _rows_by_cell(rows), (1 << len(rows)) - 1
    patterns = frozenset(rows_by_cell)
    optimum = _least_misses(patterns, all_rows)
    for cell, hit in enumerate(rows_by_cell):
        is_open = hit not in (0, all_rows)
        if is_open and _misses_after(patterns, hit, all_rows ^ hit) == optimum:
            return cell
    raise AssertionError("no open cell")
