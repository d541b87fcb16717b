"""The root chain with the first ship: what all ships through one cell cost, and misses beside them.

The root chain (`lower_bounds.chain`) lets a strategy finish all that its first j cells meet. But
placements that it meets at the same cell are parted by shots, and a miss beside a ship meets no
other ship. n_p are the configurations with the placement p, f_p(E) those of them with another ship
on a cell of E, and Cov_p(i) bounds the f_p of i cells (`lower_bounds.conditional_coverage`).
With S the sequence c_0, …, c_(j-1) of the first j cells, W_t = {c_0, …, c_(t-1)}, h the cells of
the fleet and w(m, k) = C(m + k, k), 0 for m < 0,

    A(l) <= max over S of [f(S) - sum over t of V(c_t, W_t)] + w(l - j, h).

V(c, W) is the value V({c}, W, |W|) of a game. For cells X that were hit, Y missed, and m >= |Y| the
number of all misses, `alive` are the placements p of any ship that have all of X and none of Y. It
is 0 if none is alive, and else

    V(X, Y, m) = max(left(X, Y, m) if m >= j - 1,
                     min(V(X, Y, m + 1), min over e of V(X + e, Y, m) + V(X, Y + e, m + 1))

with e any cell of some placement alive but not of all, and for some M >= j - 1 the first alone for
m = M. With Z the cells that all placements alive have (X is within Z),

    left(X, Y, m) = max(sum of max(0, v_p - w(l - m, k_p)),  sum of v_p - w(l - m, h - |Z|)),
    v_p = n_p - Cov_p(m - |Y in the halo of p|),

the sums over the p alive, k_p = h - |p| not 0; the halo of p are the cells beside it that no other
ship can have.

Proof. A strategy shoots at S while all replies are misses. Let P_t be the placements through c_t
that avoid W_t: those that S meets first at c_t. For p in P_t follow the strategy with the replies
of a board on which p alone stands, past the shot at c_t, and stop at some time at which m misses
are made, by a rule that knows the shots and replies up to then, and not before m = t. Let E_p be
the cells missed. They contain W_t. B_p are the configurations with p whose other ships avoid E_p.
All of them follow this path, and it does not end before, since k_p > 0. Cells of E_p in the halo of
p meet no other ship, so B_p are at least n_p - Cov_p(m - |Y in the halo of p|), for any Y within
E_p.

The B_p of all p that S meets are disjoint: let x be in B_p and in B_q, and p met first at c_t, q at
c_s. If t < s, then E_q contains c_t, a cell of p, which is a ship of x other than q. If t = s, both
have the cell c_t, and only one ship of x has it.

The p of P_t that stop with the same shots and replies are those alive after these, X the hits and Y
the misses. All of their B_p have the cells of Z, so a shot at Z does not part two of them: they
part at another cell, a hit for one and a miss for the other. So they are told apart by the replies
behind the stop without those on Z, up to the last of h - |Z| hits, and at most w(l - m, h - |Z|) of
all their B_p together are finished within l misses. In the same way B_p alone is told apart by the
replies without those on p: at most w(l - m, k_p) of it are finished. So of these B_p at least
left(X, Y, m) are not finished. That holds for every rule to stop, which may look at the strategy,
as it is fixed: the best one takes at each node the larger of `left` and of what the nodes below it
give together. The strategy is some tree. Its shots at cells of no placement alive are misses, which
Y may leave out, since v_p only falls; a shot at a cell of Z is a hit for all and changes nothing.
So what is left is at least the least over all trees: V. All of B_p is met by S, and what is
finished and not met by S are sequences behind j misses. QED

The inequality holds cell by cell: of F_t, the configurations that S meets first at c_t, at most
|F_t| - V(c_t, W_t) are finished within l misses, since the B_p of P_t are disjoint and within F_t.

**The search** for the best S takes the cells one after the other, with what c adds to W, namely f(W
+ c) - f(W) - V(c, W). It gets no more when another cell w is in W, as long as |W| + 1 <= j - 1. For
f the difference is the sum over the p through c that avoid W of n_p - f_p(W). Those through w are
gone when w is in W, and the terms of the others get no more. V(c, W) is at most what the shot at w
makes of it, since `left` is not counted before j - 1 misses: V({c, w}, W, t) + V({c}, W + w, t + 1)
or, where no placement has w, V({c}, W, t + 1) <= V({c}, W + w, t + 1). The first part is no more
than the sum of n_p - f_p(W) over the p through w: after nothing but misses elsewhere it is a sum of
v_p, at least t misses made. So V falls by no more than the first difference does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from math import comb

import numpy as np

from optsearch.compiled._first_ship import FirstShip, Sequences
from optsearch.counting.configurations import to_words
from optsearch.game import Game
from optsearch.game.game import MOST_TURNS
from optsearch.lower_bounds.conditional_coverage import ConditionalCoverage
from optsearch.lower_bounds.coverage import Coverage
from optsearch.lower_bounds.ship_chain import Finished, Progress
from optsearch.support.store import Facts

MOST_CELLS = 6  # j; of more cells a search takes hours on the paper's game
MORE_CELLS = 8  # the same on a small board, where that takes seconds
MOST_SETS = 1_000_000  # of cells of each size, beyond which a search gives up
_BEAM = 30  # sets of each size in a search for something to begin with
_AT_ONCE = 10_000  # sets between two words of how far a search is
_ROOM = 64  # placements through a cell, and their cells
_MANY = 2**60  # more than there are configurations


Said = Callable[[int, int, int, int], None]


class Unfinished:
    """V for one game and number of misses l.

    known -- classes of placements of any lengths; those that are not there cost nothing. misses --
    l. start -- the least m at which what is left may be counted. most -- M. on_a_ship -- of shape
    (cells, cells): whether a placement has both.
    """

    def __init__(
        self, game: Game, known: Iterable[ConditionalCoverage], misses: int, start: int, most: int
    ):
        hits = game.fleet_cells
        ships = _few_through_a_cell(game, [one for one in known if one.ship.bit_count() < hits])
        halos = [game.halo(ship) for ship in ships]
        avoiding = [
            [one.completions - one.most_met(i) for i in range(most + 1)] for one in ships.values()
        ]
        words = [[_words(misses - m, k) for k in range(hits + 1)] for m in range(most + 1)]
        self.kernel = FirstShip(
            hits,
            to_words(list(ships)),
            to_words(halos),
            np.minimum.accumulate(np.array(avoiding, np.int64).reshape(-1, most + 1), axis=1),
            start,
            np.array(words, np.int64),
            np.array(game.symmetries(MOST_TURNS), np.int32),
        )

    def value(self, cell: int, missed: int) -> int:
        """V(cell, missed); missed -- the cells shot before (mask), not more than M of them."""
        return self.kernel.value(cell, to_words([missed])[0])


def first_ship_chain(
    coverage: Coverage,
    known: Sequence[ConditionalCoverage],
    before: Sequence[int],
    progress: Progress = lambda done, total: None,
    sets: int = MOST_SETS,
    store: Facts | None = None,
    said: Said = lambda j, size, done, total: None,
    cells: int = MOST_CELLS,
) -> list[Finished]:
    """A(0), A(1), … with the misses beside the first ship, where they are below those before.

    known -- classes of placements of any lengths; those that are not there cost nothing. before --
    A(0), A(1), … by other bounds. progress -- called after each l with those done and their number.
    sets -- of each size, beyond which a search gives up. store -- keeps the l that are done, for
    a run that was stopped; what it has for other numbers is left alone. said -- as in `most_kept`.
    cells -- the greatest j.
    """
    given = sha256(repr((known, cells, sets)).encode()).hexdigest()
    finished = []
    for misses, least in enumerate(before):
        key = f"{coverage.counts.game}, {misses} misses, {least} before, {given}"
        if store is not None and key in store:
            finished.append(Finished(*store[key]))
        else:
            finished.append(finished_within(coverage, known, misses, least, sets, said, cells))
            if store is not None:
                store.add(key, finished[-1])
        progress(misses + 1, len(before))
    return finished


def finished_within(
    coverage: Coverage,
    known: Sequence[ConditionalCoverage],
    misses: int,
    least: int,
    sets: int = MOST_SETS,
    said: Said = lambda j, size, done, total: None,
    cells: int = MOST_CELLS,
) -> Finished:
    """A(l) for l = `misses`, and the j that gives it; `least` and 0 where it is not below that.

    cells -- the greatest j. The j of which some sequences keep least are searched first.
    """
    game, number = coverage.counts.game, coverage.counts.configurations
    best = Finished(min(least, number), 0)
    known = [one for one in known if one.ship.bit_count() < game.fleet_cells]
    if not known or misses >= game.cells - game.fleet_cells:
        return best  # no ship costs anything, or there are no more misses
    most = min(misses + 1, _counted(known))
    tried = []
    for j in range(1, min(misses + 1, cells) + 1):
        words = _words(misses - j, game.fleet_cells)
        if words < best.configurations:
            unfinished = Unfinished(game, known, misses, j - 1, max(j - 1, most))
            search = Sequences(coverage.counts.covering, unfinished.kernel, -1)
            _search(search, j, min(_BEAM, sets))
            tried.append((search.best + words, j, unfinished))
    for finished, j, unfinished in sorted(tried, key=lambda one: one[:2]):
        words = _words(misses - j, game.fleet_cells)
        if finished < best.configurations:
            limit = best.configurations - words
            kept = most_kept(coverage, unfinished, j, limit, sets, said)
            if kept is not None:
                best = Finished(kept + words, j)
    return best


def most_kept(
    coverage: Coverage,
    unfinished: Unfinished,
    j: int,
    limit: int,
    sets: int = MOST_SETS,
    said: Said = lambda j, size, done, total: None,
) -> int | None:
    """f(S) less V of its cells is at most this, for every sequence S of j cells.

    unfinished -- V, counted from no less than j - 1 misses on. None where that is `limit` or more,
    and where the search gives up: it would go on from more than `sets` sets of some cells. said --
    called now and then with j, some number of cells, the sets of so many that are done, and all.
    """
    search = Sequences(coverage.counts.covering, unfinished.kernel, -1)
    for width in (1, min(_BEAM, sets), sets):
        is_all = _search(search, j, width, said)
        if search.best >= limit:
            return None
        if is_all:
            return search.best
    return None


def _search(
    search: Sequences, j: int, width: int, said: Said = lambda j, size, done, total: None
) -> bool:
    """Search all sequences of j cells, or those that keep most, `width` of each size; was it all?

    One set of cells comes after the other, by their number of cells. Of the sequences of one set,
    up to symmetry, the one that keeps most goes on.
    """
    level, kept = np.zeros((1, 0), np.uint8), np.zeros(1, np.int64)
    is_all = True
    for size in range(1, j + 1):
        most = np.argsort(-kept, kind="stable")[:width]
        is_all &= len(most) == len(kept)
        for done in range(0, len(most), _AT_ONCE):
            said(j, size - 1, done, len(most))
            some = most[done : done + _AT_ONCE]
            search.extend(level[some], kept[some], j)
        level, kept = search.collect(size)
    return is_all


def _few_through_a_cell(
    game: Game, known: Sequence[ConditionalCoverage]
) -> dict[int, ConditionalCoverage]:
    """The placements of these classes; without the shortest ships where the kernel has no room."""
    ships = {ship: one for one in known for ship in set(game.images(one.ship))}
    for cell in range(game.cells):
        through = [ship for ship in ships if ship >> cell & 1]
        everywhere = 0
        for ship in through:
            everywhere |= ship
        if max(len(through), everywhere.bit_count()) > _ROOM:
            shortest = min(ship.bit_count() for ship in ships)
            left = [one for one in known if one.ship.bit_count() > shortest]
            return _few_through_a_cell(game, left)
    return ships


def _counted(known: Iterable[ConditionalCoverage]) -> int:
    """M: so many misses, two of them beside a ship, meet as much as any."""
    fewest = 0
    for one in known:
        while one.most_met(fewest) < one.completions:
            fewest += 1
    return fewest + 2


def _words(misses: int, hits: int) -> int:
    """The sequences of so many hits and at most so many misses that end in a hit."""
    return min(_MANY, comb(misses + hits, hits)) if misses >= 0 else 0
