"""What the sets with a cell that was hit leave unfinished, by the ship that may have been hit.

The sets x of a family have c, none has a cell of E, and r misses are still allowed. Of each set let
p(x) be some part of it with c; here the cells that hang together with c by their sides, its ship.
What is left of it, x - p(x), is its rest. h are the cells of a set, n_p(Y) the sets with the ship p
whose rest has no cell of Y, cov_p(Y, j) the most of these whose rests j cells meet, and w(q, k) =
C(q + k, k), 0 for q < 0. No strategy leaves fewer sets unfinished than the value V({c}, {}, 0, r)
of a game. For cells X that were hit, Y missed, j other cells missed and q misses left, `alive` are
the ships that have all of X and none of Y. V is 0 if none is alive, and else

    V(X, Y, j, q) = max(left(X, Y, j, q), min(V(X, Y, j + 1, q - 1),
                        min over e of V(X + e, Y, j, q) + V(X, Y + e, j, q - 1)))

with e any cell of some ship alive but not of all, and the first alone for q < 0. With Z the cells
that all ships alive have and k_p = h - |p|, not 0 (a ship without a rest is left out),

    left = max(sum of n_p(Y) - done_p,  sum of (n_p(Y) - cov_p(Y, j)) - w(q, h - |Z|)),

the sums over the ships alive. done_p is the least of n_p(Y) and, for i = 0, 1, …, q + 1, of met_i +
w(q - i, k_p), with met_0 = cov_p(Y, j), u_i = w(q - i, k_p - 1), cnt_0 >= cnt_1 >= … the rests
counted by n_p(Y) that have each cell, and met_(i+1) the least of

    met_i + u_i,  cov_p(Y, j + i + 1),  cnt_0 + … + cnt_(j-1) + the sum over a <= i of
                                        min(cnt_(j+a), u_a).

Proof. Follow a strategy from the hit on with the replies of a board on which p alone stands, and
stop by some rule that knows the shots and replies up to then. Let E_p be the cells missed since,
and B_p the sets with the ship p whose rests avoid E_p. All of B_p follow this path, since each shot
on it is at p or at a cell of E_p, and none is finished, since k_p is not 0. The B_p are disjoint.
The ships that stop with the same shots and replies are those alive, X the hits, Y the misses at
cells of ships then alive and j the others: so |B_p| is at least n_p(Y) - cov_p(Y, j). All of these
B_p together are told apart by the replies behind the stop without those on Z, up to the last of h -
|Z| hits: at most w(q, h - |Z|) are finished.

Of B_p alone, the rests that the j cells meet and those that are finished behind them are at most
done_p together, which leaves n_p(Y) - done_p: let d_0, d_1, … be the misses of the strategy for the
rests behind the stop before its first hit of one. Those that d_a hits first have q - a misses left
and k_p - 1 cells to hit: at most u_a are finished. The rests that the j cells meet, and of those
that d_0, …, d_i hit first the finished ones, are at most met_(i+1): they lie among those that j + i
+ 1 cells meet; and each of these cells meets at most the rests that have it, a sum of min(a, b)
being greatest where both are sorted. What is hit by none of d_0, …, d_(i-1) is finished by words of
k_p hits and q - i misses.

That holds for every rule to stop. The best one takes at each node the larger of `left` and of what
the nodes below it give together. A shot at a cell of no ship alive is one more of the j; a shot at
Z is a hit for all and changes nothing. So what is left is at least the least over all trees: V. QED

It is `lower_bounds.first_ship` with the cells E themselves in place of their number. Its value
is within one or two per cent of what is left, and takes a tenth of a millisecond.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_

import numpy as np

from optsearch.compiled._hit_ship import MAX_RESTS, MAX_SHIPS, HitShip
from optsearch.counting.configurations import to_words
from optsearch.counting.family import Family
from optsearch.game.board import connected


def hit_ship_of(family: Family) -> HitShip | None:
    """V of a family of sets of one size, by a kernel; None where that has no room.

    That is for more than `MAX_RESTS` rests, or more than `MAX_SHIPS` ships through a cell or cells
    of these.
    """
    ships: dict[int, list[int]] = {}
    rests: dict[int, int] = {}
    for one in family.sets:
        left = one
        while left:
            ship = connected(left, family.game.board.sides)
            left &= ~ship
            if one != ship:
                number = rests.setdefault(one & ~ship, len(rests))
                ships.setdefault(ship, []).append(number)
    grid = family.game.cells
    if len(rests) > MAX_RESTS or _most_through(ships, grid) > MAX_SHIPS:
        return None
    has = np.zeros((len(ships), MAX_RESTS // 64), np.uint64)
    for row, numbers in zip(has, ships.values(), strict=True):
        for number in numbers:
            row[number // 64] |= np.uint64(1 << number % 64)
    return HitShip(family.hits, grid, to_words(list(ships)), to_words(list(rests)), has)


def _most_through(ships: Iterable[int], cells: int) -> int:
    """The most ships through one cell, or the most cells of these."""
    most = 0
    for cell in range(cells):
        through = [ship for ship in ships if ship >> cell & 1]
        most = max(most, len(through), reduce(or_, through, 0).bit_count())
    return most
