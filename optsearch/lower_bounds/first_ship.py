"""The root chain with the first ship: the cost of telling apart the ships through one cell.

The root chain (`lower_bounds.chain`) lets a strategy finish all configurations that its first j
cells meet. But shots must tell apart the placements that are met at the same cell, and a miss
beside a ship meets no other ship. This bound counts both.

n_p is the number of configurations with the placement p, f_p(E) the number of these with another
ship on a cell of E, and Cov_p(i) bounds f_p(E) over all E of i cells
(`lower_bounds.conditional_coverage`). Let S be the sequence c_0, …, c_(j-1) of the first j cells,
W_t = {c_0, …, c_(t-1)}, h the number of cells of the fleet, and w(m, k) = C(m + k, k), 0 for m < 0.

    A(l) <= max over S of [f(S) - sum over t of V(c_t, W_t)] + w(l - j, h).

V(c, W) is the value V({c}, W, |W|) of a game in which the cells X were hit, the cells Y missed, and
m >= |Y| misses were made. A placement p of any ship is *alive* if it has all of X and none of Y.
V(X, Y, m) is 0 if none is alive, and otherwise

    V(X, Y, m) = max(left(X, Y, m) if m >= j - 1,
                     min(V(X, Y, m + 1), min over e of V(X + e, Y, m) + V(X, Y + e, m + 1))

Here e is any cell of some but not all placements alive. For m = M, with some M >= j - 1, only the
first term counts. With Z the cells that all placements alive have (Z contains X),

    left(X, Y, m) = max(sum of max(0, v_p - w(l - m, k_p)),  sum of v_p - w(l - m, h - |Z|)),
    v_p = n_p - Cov_p(m - |Y in the halo of p|),

The sums are over the p alive. k_p = h - |p| is not 0. The halo of p are the cells beside it that no
other ship can have.

**Proof.** A strategy shoots at S while all replies are misses. Let P_t be the placements that S
meets first at c_t: those through c_t that avoid W_t. For p in P_t follow the strategy past the shot
at c_t with the replies of a board on which only p stands. Stop at some time, when m misses are made
and not before m = t, by a rule that knows the shots and replies so far. Let E_p be the cells missed
by then; they contain W_t. Let B_p be the configurations with p whose other ships avoid E_p. All of
them follow this path, and it does not end before the stop, since k_p > 0. The cells of E_p in the
halo of p meet no other ship. So B_p has at least n_p - Cov_p(m - |Y in the halo of p|) members, for
any Y within E_p.

The B_p of all p that S meets are disjoint. Suppose that x is in B_p and in B_q, with p met first at
c_t and q at c_s. If t < s, then E_q contains c_t, a cell of p, and p is a ship of x other than q, a
contradiction. If t = s, both p and q have the cell c_t, but only one ship of x has it.

The p of P_t that stop after the same shots and replies are those alive after these, with X the hits
and Y the misses. All configurations in their B_p have the cells of Z, so a shot at Z does not part
two of them. They part at another cell, a hit for one and a miss for the other. So the replies after
the stop, without those on Z and up to the last of h - |Z| hits, tell them apart, and at most
w(l - m, h - |Z|) of all these configurations are finished within l misses. Likewise the replies
without those on p tell the members of one B_p apart, so at most w(l - m, k_p) of them are finished.
Hence at least left(X, Y, m) of them are not finished.

This holds for every stopping rule, and the rule may depend on the strategy, which is fixed. The
best rule takes at each node the larger of `left` and the sum over the nodes below it. The strategy
is some tree. A shot at a cell of no placement alive is a miss, which Y may leave out, since v_p
only falls with it. A shot at a cell of Z is a hit for all and changes nothing. So the number left
is at least the minimum over all trees, which is V. S meets all of B_p, and a configuration that is
finished and not met by S has a sequence of replies behind j misses. ∎

The inequality holds cell by cell: of the configurations F_t that S meets first at c_t, at most
|F_t| - V(c_t, W_t) are finished within l misses, since the B_p of P_t are disjoint and within F_t.

**The search** for the best S takes the cells one after the other. A cell c adds
f(W + c) - f(W) - V(c, W). This gets no larger if another cell w joins W, while |W| + 1 <= j - 1.
Proof. For f the difference is the sum of n_p - f_p(W) over the p through c that avoid W. If w is in
W, the p through w are missing from the sum, and the other terms are no larger. As for V: `left` is
not counted before j - 1 misses, so V(c, W) is at most its value after a shot at w. That is
V({c, w}, W, t) + V({c}, W + w, t + 1) or, if no placement has w,
V({c}, W, t + 1) <= V({c}, W + w, t + 1). The first part is at most the sum of n_p - f_p(W) over the
p through w, because it is a sum of v_p after misses elsewhere, with at least t misses made. So V
falls by no more than the difference for f does. ∎
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from optsearch.compiled.lower_bounds._first_ship import FirstShip, Sequences
from optsearch.counting.configurations import to_words
from optsearch.game import Game
from optsearch.game.game import MOST_TURNS
from optsearch.lower_bounds.chain import count_sequences
from optsearch.lower_bounds.conditional_coverage import ConditionalCoverage
from optsearch.lower_bounds.coverage import Coverage
from optsearch.lower_bounds.ship_chain import Finished, Progress
from optsearch.support.store import Facts

MOST_CELLS = 6  # the greatest j; with more cells a search takes hours on the paper's game
MORE_CELLS = 8  # the greatest j on a small board, where a search takes seconds
MOST_SETS = 1_000_000  # sets of cells of one size; with more, a search gives up
_NARROW_WIDTH = 30  # sets of each size in the first, incomplete search
_SEQUENCES_AT_ONCE = 10_000  # sets between two reports of progress
_KERNEL_ROOM = 64  # placements through a cell, and cells of all of these, that the kernel takes
_GREATEST_COUNT = 2**60  # more than the number of configurations of any game here


SetsProgress = Callable[[int, int, int, int], None]  # length, size, sets done, of all of this size


class ChainLimits(NamedTuple):
    """Limits of the searches for a chain, the sequence of cells before the first hit.

    sets -- a search gives up if it has more sets of cells of one size. cells -- the greatest length
    of a chain.
    """

    sets: int = MOST_SETS
    cells: int = MOST_CELLS


LIMITS = ChainLimits()


class Unfinished:
    """Bounds on the configurations that a chain meets but leaves unfinished: V of the module.

    coverages -- classes of placements of any ships; placements of other classes leave nothing
    unfinished. misses -- l: a configuration is finished if it takes at most so many misses. start
    -- the fewest misses after which `left` may count. most_misses -- M: the misses after which only
    `left` counts.
    """

    def __init__(
        self,
        game: Game,
        coverages: Iterable[ConditionalCoverage],
        misses: int,
        start: int,
        most_misses: int,
    ):
        hits = game.fleet_cells
        coverage_by_ship = _coverages_for_kernel(
            game, [each for each in coverages if each.ship.bit_count() < hits]
        )
        halos = [game.halo(ship) for ship in coverage_by_ship]
        # Row: a placement; column i: the least number of its completions that avoid any i cells.
        completions_avoiding = [
            [each.completions - each.most_met(cells) for cells in range(most_misses + 1)]
            for each in coverage_by_ship.values()
        ]
        avoiding = np.array(completions_avoiding, np.int64).reshape(-1, most_misses + 1)
        # Row m, column k: the most configurations that m misses and k hits left can still finish.
        finished_in_time = [
            [
                min(_GREATEST_COUNT, count_sequences(misses - misses_made, hits_left))
                for hits_left in range(hits + 1)
            ]
            for misses_made in range(most_misses + 1)
        ]
        self.kernel = FirstShip(
            hits,
            to_words(list(coverage_by_ship)),
            to_words(halos),
            np.minimum.accumulate(avoiding, axis=1),  # more cells avoid no more
            start,
            np.array(finished_in_time, np.int64),
            np.array(game.symmetries(MOST_TURNS), np.int32),
        )

    def lower_bound(self, cell: int, missed: int) -> int:
        """Bound the configurations that a chain meets first at a cell and leaves unfinished.

        missed -- the mask of the cells of the chain before it, at most `most_misses` of them. The
        bound is a lower one.
        """
        return self.kernel.lower_bound(cell, to_words([missed])[0])


def first_ship_chain(
    coverage: Coverage,
    coverages: Sequence[ConditionalCoverage],
    known_bounds: Sequence[int],
    progress: Progress = lambda done, total: None,
    limits: ChainLimits = LIMITS,
    store: Facts | None = None,
    on_sets: SetsProgress = lambda length, size, done, total: None,
) -> list[Finished]:
    """Bound how many configurations any strategy finishes with at most 0, 1, 2, … misses.

    A chain is the cells that a strategy shoots as long as all shots miss. The bound is what the
    best chain meets, minus a number of these configurations that surely need more misses, plus the
    most that are finished after it: the least over the lengths of the chain.

    coverages -- one for each kind of placement of any ship; a placement without one costs nothing.
    known_bounds -- upper bounds that are known, by number of misses; no value of the result is
    above them. progress -- called with how many numbers of misses are done and how many there are.
    store -- keeps finished values for a later run with equal arguments. on_sets -- called now and
    then with the length of the chain, a size of sets, and the number of these done and of all.
    """
    arguments = sha256(repr((coverages, limits.cells, limits.sets)).encode()).hexdigest()
    finished: list[Finished] = []
    for misses, known_bound in enumerate(known_bounds):
        key = f"{coverage.counts.game}, {misses} misses, {known_bound} before, {arguments}"
        if store is not None and key in store:
            finished.append(Finished(*store[key]))
        else:
            finished.append(
                finished_by_first_ship(coverage, coverages, misses, known_bound, limits, on_sets)
            )
            if store is not None:
                store.add(key, finished[-1])
        progress(misses + 1, len(known_bounds))
    return finished


def finished_by_first_ship(
    coverage: Coverage,
    coverages: Sequence[ConditionalCoverage],
    misses: int,
    known_bound: int,
    limits: ChainLimits = LIMITS,
    on_sets: SetsProgress = lambda length, size, done, total: None,
) -> Finished:
    """Bound how many configurations any strategy finishes with at most `misses` misses.

    The bound is the least over the lengths of a chain, the cells that the strategy shoots first. If
    none is below `known_bound`, an upper bound that is known, the result has that and the length 0.

    Each length first gets a value from an incomplete search, which the complete search can only
    raise. The complete searches follow in ascending order of these values.
    """
    game, configurations = coverage.counts.game, coverage.counts.configurations
    best = Finished(min(known_bound, configurations), 0)
    coverages = [each for each in coverages if each.ship.bit_count() < game.fleet_cells]
    if not coverages or misses >= game.cells - game.fleet_cells:
        return best  # no ship costs anything, or no strategy has more misses
    most_misses = min(misses + 1, _enough_misses(coverages))
    trials: list[_Trial] = []
    for length in range(1, min(misses + 1, limits.cells) + 1):
        finished_after = count_sequences(misses - length, game.fleet_cells)
        if finished_after < best.configurations:
            unfinished = Unfinished(
                game, coverages, misses, start=length - 1, most_misses=max(length - 1, most_misses)
            )
            search = Sequences(coverage.counts.covering, unfinished.kernel, -1)
            _extend_level_by_level(search, length, width=min(_NARROW_WIDTH, limits.sets))
            trials.append(_Trial(search.best + finished_after, length, finished_after, unfinished))
    for trial in sorted(trials, key=lambda trial: (trial.finished, trial.length)):
        if trial.finished < best.configurations:
            limit = best.configurations - trial.finished_after
            kept_by_chain = most_kept(
                coverage, trial.unfinished, trial.length, limit, limits.sets, on_sets
            )
            if kept_by_chain is not None:
                best = Finished(kept_by_chain + trial.finished_after, trial.length)
    return best


class _Trial(NamedTuple):
    """An incomplete search for the chain of some length that lets a strategy finish most.

    finished -- the most configurations that the chains tried let it finish. finished_after -- those
    of them that it finishes though the chain does not meet them, at most.
    """

    finished: int
    length: int
    finished_after: int
    unfinished: Unfinished


def most_kept(
    coverage: Coverage,
    unfinished: Unfinished,
    length: int,
    limit: int,
    sets: int = MOST_SETS,
    on_sets: SetsProgress = lambda length, size, done, total: None,
) -> int | None:
    """Return the most that a chain of some length keeps: what it meets, less what it leaves.

    A chain is a sequence of cells. It meets the configurations with a ship on one of its cells, and
    leaves those of them that surely need more misses. Returns None if a chain keeps `limit` or
    more, or if the search gives up, because it has more than `sets` sets of cells of one size.

    unfinished -- bounds what each cell leaves; its `start` must be length - 1 or more. on_sets --
    called now and then with the length, a size of sets, and the number of these done and of all.
    """
    search = Sequences(coverage.counts.covering, unfinished.kernel, -1)
    # A narrow search takes less time, and may already find a chain that keeps `limit`.
    for width in (1, min(_NARROW_WIDTH, sets), sets):
        is_complete = _extend_level_by_level(search, length, width, on_sets)
        if search.best >= limit:
            return None
        if is_complete:
            return search.best
    return None


def _extend_level_by_level(
    search: Sequences,
    length: int,
    width: int,
    on_sets: SetsProgress = lambda length, size, done, total: None,
) -> bool:
    """Search for the best chain of some length, from the best sets of 0, 1, 2, … cells.

    At most `width` sets of each size are extended by a cell. Each set has its best sequence of
    cells; symmetric sets count as one. `search.best` is then what the best chain keeps. Returns
    True if the search was complete, so that no set was left out.
    """
    sequences, kept_by_sequence = np.zeros((1, 0), np.uint8), np.zeros(1, np.int64)
    is_complete = True
    for size in range(1, length + 1):
        best_first = np.argsort(-kept_by_sequence, kind="stable")[:width]
        is_complete &= len(best_first) == len(kept_by_sequence)
        for start in range(0, len(best_first), _SEQUENCES_AT_ONCE):
            on_sets(length, size - 1, start, len(best_first))
            batch = best_first[start : start + _SEQUENCES_AT_ONCE]
            search.extend(sequences[batch], kept_by_sequence[batch], length)
        sequences, kept_by_sequence = search.collect(size)
    return is_complete


def _coverages_for_kernel(
    game: Game, coverages: Sequence[ConditionalCoverage]
) -> dict[int, ConditionalCoverage]:
    """Return the coverages that the kernel can use, by the mask of each placement.

    coverages -- each is for a placement and for all its images under the symmetries of the board.

    The kernel has room for _KERNEL_ROOM placements through one cell, and these may cover as many
    cells together. If there are more, the shortest ships are left out.
    """
    coverage_by_ship = {
        image: coverage for coverage in coverages for image in game.images(coverage.ship)
    }
    for cell in range(game.cells):
        through_cell = [ship for ship in coverage_by_ship if ship >> cell & 1]
        covered = 0
        for ship in through_cell:
            covered |= ship
        if max(len(through_cell), covered.bit_count()) > _KERNEL_ROOM:
            shortest = min(ship.bit_count() for ship in coverage_by_ship)
            longer = [coverage for coverage in coverages if coverage.ship.bit_count() > shortest]
            return _coverages_for_kernel(game, longer)
    return coverage_by_ship


def _enough_misses(coverages: Iterable[ConditionalCoverage]) -> int:
    """Return two more than the fewest misses that may meet all completions of every placement."""
    misses = 0
    for coverage in coverages:
        while coverage.most_met(misses) < coverage.completions:
            misses += 1
    return misses + 2
