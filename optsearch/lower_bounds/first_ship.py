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
from math import comb
from typing import NamedTuple

import numpy as np

from optsearch.compiled.lower_bounds._first_ship import FirstShip, Sequences
from optsearch.counting.configurations import to_words
from optsearch.game import Game
from optsearch.game.game import MOST_TURNS
from optsearch.lower_bounds.conditional_coverage import ConditionalCoverage
from optsearch.lower_bounds.coverage import Coverage
from optsearch.lower_bounds.ship_chain import Finished, Progress
from optsearch.support.store import Facts

MOST_CELLS = 6  # the greatest j; with more cells a search takes hours on the paper's game
MORE_CELLS = 8  # the greatest j on a small board, where a search takes seconds
MOST_SETS = 1_000_000  # sets of cells of one size; with more, a search gives up
_BEAM = 30  # sets of each size in the first, incomplete search
_AT_ONCE = 10_000  # sets between two reports of progress
_ROOM = 64  # placements through a cell, and cells of all of these, that the kernel takes
_MANY = 2**60  # more than the number of configurations of any game here


SetsProgress = Callable[[int, int, int, int], None]


class ChainLimits(NamedTuple):
    """Limits of the searches for a chain.

    sets -- the most sets of one size that a search goes through; else it gives up. cells -- the
    greatest j.
    """

    sets: int = MOST_SETS
    cells: int = MOST_CELLS


LIMITS = ChainLimits()


class Unfinished:
    """V of one game, for one number of misses l.

    coverages -- classes of placements of any lengths; placements of other classes cost nothing.
    misses -- l. start -- the least m at which `left` counts. most -- M.
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
        ships = _ships_for_kernel(
            game, [each for each in coverages if each.ship.bit_count() < hits]
        )
        halos = [game.halo(ship) for ship in ships]
        avoiding = [
            [each.completions - each.most_met(i) for i in range(most_misses + 1)]
            for each in ships.values()
        ]
        words = [[_words(misses - m, k) for k in range(hits + 1)] for m in range(most_misses + 1)]
        self.kernel = FirstShip(
            hits,
            to_words(list(ships)),
            to_words(halos),
            np.minimum.accumulate(
                np.array(avoiding, np.int64).reshape(-1, most_misses + 1), axis=1
            ),
            start,
            np.array(words, np.int64),
            np.array(game.symmetries(MOST_TURNS), np.int32),
        )

    def value(self, cell: int, missed: int) -> int:
        """Return V(cell, missed). missed -- the cells shot before (mask), at most M of them."""
        return self.kernel.value(cell, to_words([missed])[0])


def first_ship_chain(
    coverage: Coverage,
    coverages: Sequence[ConditionalCoverage],
    before: Sequence[int],
    progress: Progress = lambda done, total: None,
    limits: ChainLimits = LIMITS,
    store: Facts | None = None,
    on_sets: SetsProgress = lambda j, size, done, total: None,
) -> list[Finished]:
    """List A(0), A(1), … by this bound; never above the values of `before`.

    coverages -- classes of placements of any lengths; placements of other classes cost nothing.
    before -- A(0), A(1), … by other bounds. progress -- called after each l with the number done
    and of all. store -- keeps the results for each l, from which a later run with equal arguments
    goes on. on_sets -- as in `most_kept`.
    """
    arguments = sha256(repr((coverages, limits.cells, limits.sets)).encode()).hexdigest()
    finished = []
    for misses, earlier in enumerate(before):
        key = f"{coverage.counts.game}, {misses} misses, {earlier} before, {arguments}"
        if store is not None and key in store:
            finished.append(Finished(*store[key]))
        else:
            finished.append(
                finished_by_first_ship(coverage, coverages, misses, earlier, limits, on_sets)
            )
            if store is not None:
                store.add(key, finished[-1])
        progress(misses + 1, len(before))
    return finished


def finished_by_first_ship(
    coverage: Coverage,
    coverages: Sequence[ConditionalCoverage],
    misses: int,
    earlier: int,
    limits: ChainLimits = LIMITS,
    on_sets: SetsProgress = lambda j, size, done, total: None,
) -> Finished:
    """Return A(l) for l = `misses`, and the j that gives it; `earlier` and 0 if it is not below.

    Each j gets a value from an incomplete search first; the complete searches follow in ascending
    order of these values.
    """
    game, number = coverage.counts.game, coverage.counts.configurations
    best = Finished(min(earlier, number), 0)
    coverages = [each for each in coverages if each.ship.bit_count() < game.fleet_cells]
    if not coverages or misses >= game.cells - game.fleet_cells:
        return best  # no ship costs anything, or there are no more misses
    most_misses = min(misses + 1, _enough_misses(coverages))
    trials = []
    for j in range(1, min(misses + 1, limits.cells) + 1):
        words = _words(misses - j, game.fleet_cells)
        if words < best.configurations:
            unfinished = Unfinished(game, coverages, misses, j - 1, max(j - 1, most_misses))
            search = Sequences(coverage.counts.covering, unfinished.kernel, -1)
            _search(search, j, min(_BEAM, limits.sets))
            trials.append((search.best + words, j, unfinished))
    for finished, j, unfinished in sorted(trials, key=lambda trial: trial[:2]):
        words = _words(misses - j, game.fleet_cells)
        if finished < best.configurations:
            limit = best.configurations - words
            bound = most_kept(coverage, unfinished, j, limit, limits.sets, on_sets)
            if bound is not None:
                best = Finished(bound + words, j)
    return best


def most_kept(
    coverage: Coverage,
    unfinished: Unfinished,
    j: int,
    limit: int,
    sets: int = MOST_SETS,
    on_sets: SetsProgress = lambda j, size, done, total: None,
) -> int | None:
    """Bound f(S) minus the V of its cells, over all sequences S of j cells.

    unfinished -- V, with a `start` of at least j - 1 misses. Returns None if the bound is `limit`
    or more, and if the search gives up because it has more than `sets` sets of one size. on_sets --
    called now and then with j, a size, and the number of sets of that size done and of all.
    """
    search = Sequences(coverage.counts.covering, unfinished.kernel, -1)
    for width in (1, min(_BEAM, sets), sets):
        is_all = _search(search, j, width, on_sets)
        if search.best >= limit:
            return None
        if is_all:
            return search.best
    return None


def _search(
    search: Sequences, j: int, width: int, on_sets: SetsProgress = lambda j, size, done, total: None
) -> bool:
    """Search the sequences of j cells, at most `width` sets of each size; return True if all.

    Sets of cells are extended size by size, the best first. Of all sequences of one set of cells,
    up to symmetry, only the best is extended.
    """
    level, values = np.zeros((1, 0), np.uint8), np.zeros(1, np.int64)
    is_all = True
    for size in range(1, j + 1):
        order = np.argsort(-values, kind="stable")[:width]
        is_all &= len(order) == len(values)
        for start in range(0, len(order), _AT_ONCE):
            on_sets(j, size - 1, start, len(order))
            batch = order[start : start + _AT_ONCE]
            search.extend(level[batch], values[batch], j)
        level, values = search.collect(size)
    return is_all


def _ships_for_kernel(
    game: Game, coverages: Sequence[ConditionalCoverage]
) -> dict[int, ConditionalCoverage]:
    """Map each placement of these classes to its class.

    If too many placements have a cell in common for the kernel, the shortest ships are left out.
    """
    ships = {image: coverage for coverage in coverages for image in game.images(coverage.ship)}
    for cell in range(game.cells):
        through = [ship for ship in ships if ship >> cell & 1]
        covered = 0
        for ship in through:
            covered |= ship
        if max(len(through), covered.bit_count()) > _ROOM:
            shortest = min(ship.bit_count() for ship in ships)
            longer = [coverage for coverage in coverages if coverage.ship.bit_count() > shortest]
            return _ships_for_kernel(game, longer)
    return ships


def _enough_misses(coverages: Iterable[ConditionalCoverage]) -> int:
    """Return M, a number of misses that can meet all completions of every ship, plus two."""
    misses = 0
    for coverage in coverages:
        while coverage.most_met(misses) < coverage.completions:
            misses += 1
    return misses + 2


def _words(misses: int, hits: int) -> int:
    """Count the sequences of `hits` hits and at most `misses` misses that end in a hit."""
    return min(_MANY, comb(misses + hits, hits)) if misses >= 0 else 0
