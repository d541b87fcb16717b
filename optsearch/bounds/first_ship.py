"""The root chain with the first ship: what all ships through one cell cost, and misses beside them.

The root chain with every ship (`optsearch.bounds.ship_chain`) takes a cost for each placement that
the first j cells meet, as if each were known by itself. But placements that the strategy meets at
the same cell are parted by shots, and a miss beside a ship meets no other ship. With S the sequence
c_0, …, c_(j-1) of the first j cells, W_t = {c_0, …, c_(t-1)}, h the cells of the fleet and w(m, k)
= C(m + k, k), 0 for m < 0,

    A(l) <= max over S of [f(S) - sum over t of V(c_t, W_t)] + w(l - j, h).

V(c, W) is the value V({c}, W, |W|) of a game. For cells X that were hit, Y missed, and m >= |Y| the
number of all misses, `alive` are the placements p of any ship that have all of X and none of Y. It
is 0 if none is alive, and else

    V(X, Y, m) = max(left(X, Y, m) if m >= j - 1,
                     min(V(X, Y, m + 1), min over e of V(X + e, Y, m) + V(X, Y + e, m + 1))

with e any cell of a placement alive, not in X, and for some M >= j - 1 the first alone for m = M:

    left(X, Y, m) = max(sum of max(0, v_p - w(l - m, k_p)),  sum of v_p - w(l - m, h - |X|)),
    v_p = n_p - Cov_p(m - |Y in the halo of p|),

the sums over the p alive, k_p = h - |p| not 0, and n_p and Cov_p as in `ship_chain`; the halo of p
are the cells beside it that no other ship can have.

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
the misses. Behind the same m misses and |X| hits at most w(l - m, h - |X|) of all their B_p
together are finished within l misses. And B_p alone is told apart by the replies without those on
p, the last k_p hits and at most l - m misses: at most w(l - m, k_p) of it are. So of these B_p at
least left(X, Y, m) are not finished. That holds for every rule to stop, which may look at the
strategy, as it is fixed: the best one takes at each node the larger of `left` and of what the nodes
below it give together. The strategy is some tree. Its shots at cells of no placement alive are
misses, which Y may leave out, since v_p only falls; a shot at a cell that all have is a hit, which
raises `left` only. So what is left is at least the least over all trees: V. All of B_p is met by S,
and what is finished and not met by S are sequences behind j misses. QED

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

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsearch._first_ship import FirstShip
from optsearch.bounds.beside import Beside
from optsearch.bounds.coverage import Coverage
from optsearch.bounds.ship_chain import Finished, Progress
from optsearch.configurations import to_words
from optsearch.game import Game, bits
from optsearch.journal import Journal

MOST_CELLS = 5  # j; of more cells a search takes hours on the usual game
MOST_SETS = 1_000_000  # of cells of each size, beyond which a search gives up
_BEAM = 30  # sets of each size in a search for something to begin with
_ROOM = 64  # placements through a cell, and their cells
_MANY = 2**60  # more than there are configurations


class Unfinished:
    """V for one game and number of misses l.

    known -- classes of placements of any lengths; those that are not there cost nothing. misses --
    l. start -- the least m at which what is left may be counted. most -- M. on_a_ship -- of shape
    (cells, cells): whether a placement has both.
    """

    def __init__(self, game: Game, known: Iterable[Beside], misses: int, start: int, most: int):
        hits = game.fleet_cells
        ships = _few_through_a_cell(game, [one for one in known if one.ship.bit_count() < hits])
        halos = [game.halo(ship) for ship in ships]
        avoiding = [
            [one.completions - one.most_met(i) for i in range(most + 1)] for one in ships.values()
        ]
        self._kernel = FirstShip(
            hits,
            to_words(list(ships)),
            to_words(halos),
            np.minimum.accumulate(np.array(avoiding, np.int64).reshape(-1, most + 1), axis=1),
        )
        self._words = np.array(
            [[_words(misses - m, k) for k in range(hits + 1)] for m in range(most + 1)], np.int64
        )
        self._start = start
        self.on_a_ship = np.zeros((game.cells, game.cells), np.bool_)
        self._near = [0] * game.cells
        for ship, halo in zip(ships, halos, strict=True):
            for cell in bits(ship):
                self._near[cell] |= ship | halo
                self.on_a_ship[cell, list(bits(ship))] = True
        self._values: dict[tuple[int, int, int], int] = {}

    def value(self, cell: int, missed: int) -> int:
        """V(cell, missed); missed -- the cells shot before (mask), not more than M of them."""
        key = cell, missed & self._near[cell], missed.bit_count()
        if key not in self._values:
            self._values[key] = self._kernel.value(
                cell, to_words([missed])[0], self._start, self._words
            )
        return self._values[key]


def first_ship_chain(
    coverage: Coverage,
    known: Sequence[Beside],
    before: Sequence[int],
    progress: Progress = lambda done, total: None,
    sets: int = MOST_SETS,
    journal: Journal | None = None,
) -> list[Finished]:
    """A(0), A(1), … with the misses beside the first ship, where they are below those before.

    known -- classes of placements of any lengths; those that are not there cost nothing. before --
    A(0), A(1), … by other bounds. progress -- called after each l with those done and their number.
    sets -- of each size, beyond which a search gives up. journal -- keeps the l that are done, for
    a run that was stopped; what it has for other numbers is left alone.
    """
    given = sha256(repr((known, MOST_CELLS, sets)).encode()).hexdigest()
    finished = []
    for misses, least in enumerate(before):
        key = f"{coverage.counts.game}, {misses} misses, {least} before, {given}"
        if journal is not None and key in journal.entries:
            finished.append(Finished(*journal.entries[key]))
        else:
            finished.append(finished_within(coverage, known, misses, least, sets))
            if journal is not None:
                journal.add(key, finished[-1])
        progress(misses + 1, len(before))
    return finished


def finished_within(
    coverage: Coverage, known: Sequence[Beside], misses: int, least: int, sets: int = MOST_SETS
) -> Finished:
    """A(l) for l = `misses`, and the j that gives it; `least` and 0 where it is not below that."""
    game, number = coverage.counts.game, coverage.counts.configurations
    best = Finished(min(least, number), 0)
    known = [one for one in known if one.ship.bit_count() < game.fleet_cells]
    if not known or misses >= game.cells - game.fleet_cells:
        return best  # no ship costs anything, or there are no more misses
    for j in range(1, min(misses + 1, MOST_CELLS) + 1):
        words = _words(misses - j, game.fleet_cells)
        if words >= best.configurations:
            continue
        most = max(j - 1, min(misses + 1, _counted(known)))
        unfinished = Unfinished(game, known, misses, j - 1, most)
        kept = most_kept(coverage, unfinished, j, best.configurations - words, sets)
        if kept is not None:
            best = Finished(kept + words, j)
    return best


def most_kept(
    coverage: Coverage, unfinished: Unfinished, j: int, limit: int, sets: int = MOST_SETS
) -> int | None:
    """f(S) less V of its cells is at most this, for every sequence S of j cells.

    unfinished -- V, counted from no less than j - 1 misses on. None where that is `limit` or more,
    and where the search gives up: it would go on from more than `sets` sets of some cells.
    """
    search = _Search(coverage, unfinished, j)
    for width in (1, min(_BEAM, sets), sets):
        is_all = search.run(width)
        if search.best >= limit:
            return None
        if is_all:
            return search.best
    return None


class _Set(NamedTuple):
    """A set of cells in the sequence that keeps most of those found.

    images -- the set (mask) and what the symmetries make of it. added -- `Coverage.added` without
    the last cell. limits, values -- of each other cell: no less than what it adds, V taken from it,
    and no more than V, now and later.
    """

    kept: int
    cells: tuple[int, ...]
    images: tuple[int, ...]
    added: NDArray[np.int64] | None
    limits: NDArray[np.int64]
    values: NDArray[np.int64]


class _Search:
    """Sequences of j cells, one set of cells after the other by their number of cells.

    Of the sequences of one set the one that keeps most goes on. best -- the most that is kept by j
    cells so far; what keeps no more is left out.
    """

    def __init__(self, coverage: Coverage, unfinished: Unfinished, j: int):
        self.coverage, self.unfinished, self.j = coverage, unfinished, j
        self.game = coverage.counts.game
        self.symmetries = self.game.symmetries()
        self.best = -1

    def run(self, width: int) -> bool:
        """Search all sets, or those that keep most, `width` of each size; whether it was all."""
        nothing = np.zeros(self.game.cells, np.int64)
        most = nothing + self.coverage.counts.configurations
        images = (0,) * len(self.symmetries)
        level = {0: _Set(0, (), images, None, most, nothing)}
        is_all = True
        for size in range(self.j):
            following: dict[int, _Set] = {}
            for some in sorted(level.values(), key=lambda one: -one.kept)[:width]:
                for after in self._following(some):
                    if size == self.j - 1:
                        self.best = max(self.best, after.kept)
                        continue
                    least = min(after.images)
                    if least not in following or following[least].kept < after.kept:
                        following[least] = after
            is_all &= len(level) <= width
            level = following
        return is_all

    def _following(self, some: _Set) -> Iterator[_Set]:
        """This set and one cell more, for those that may come to more than the best."""
        cells, left = some.cells, self.j - len(some.cells)
        missed = sum(1 << cell for cell in cells)
        added = self.coverage.added(cells, some.added)
        limits, values = np.minimum(some.limits, added - some.values), some.values.copy()
        limits[list(cells)] = -1
        known: set[int] = set()

        def order() -> list[int]:
            falling: list[int] = np.argsort(-limits, kind="stable").tolist()
            return falling[: self.game.cells - len(cells)]

        def evaluate(cell: int) -> None:
            known.add(cell)
            values[cell] = self.unfinished.value(cell, missed)
            limits[cell] = min(limits[cell], added[cell] - values[cell])

        def most(cell: int | None = None) -> int:
            """What j cells come to, at most, if this one is next."""
            ahead = first if cell is None or cell in first else [*first[:-1], cell]
            return some.kept + int(limits[ahead].sum())

        first = order()[:left]
        while most() > self.best and not known.issuperset(first):
            evaluate(next(cell for cell in first if cell not in known))
            first = order()[:left]
        for cell in order():
            if most(cell) <= self.best:
                break
            if cell not in known:
                evaluate(cell)
            if most(cell) > self.best:
                # V of a cell falls only where a ship has both.
                still = np.where(self.unfinished.on_a_ship[cell], 0, values)
                images = tuple(
                    mask | 1 << p[cell]
                    for mask, p in zip(some.images, self.symmetries, strict=True)
                )
                kept = some.kept + int(limits[cell])
                yield _Set(kept, (*cells, cell), images, added, limits, still)


def _few_through_a_cell(game: Game, known: Sequence[Beside]) -> dict[int, Beside]:
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


def _counted(known: Iterable[Beside]) -> int:
    """M: so many misses, two of them beside a ship, meet as much as any."""
    fewest = 0
    for one in known:
        while one.most_met(fewest) < one.completions:
            fewest += 1
    return fewest + 2


def _words(misses: int, hits: int) -> int:
    """The sequences of so many hits and at most so many misses that end in a hit."""
    return min(_MANY, comb(misses + hits, hits)) if misses >= 0 else 0
