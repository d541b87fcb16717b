"""A lower bound by a game with two hidden ships: all others are revealed from the start.

The two shortest ships stay hidden, and every hit names its ship. Both help the player if what a hit
tells depends on the kind of its ship alone (`Game.label_of_kind`); then a lower bound for this game
holds. (Where hits may tell how a ship lies, it does not.) To reveal the other ships splits the
game: for each set Q of their placements there is a game with two hidden ships, a long and a short
one. Let it have N_Q configurations, and let M_Q bound the total of misses on them from below. Then
the mean number of shots is at least h + sum M_Q / sum N_Q, with h the number of cells of the whole
fleet. Of equal ships the one that stays hidden is chosen by chance, in the same way for every Q:
their placements are told apart, and every number is multiplied by the same factor.

**Packings.** Take the n placements of one ship that are free beside Q, and a set P_s of these such
that no cell is in more than s of P_s. Then l cells meet at most H(l) = min over s of
n - |P_s| + s l of the n placements: at most s l of P_s, and all others. (Two s are trivial: s = 0
with P_0 empty, and the most placements on any cell with all placements.)

**One hidden ship.** Suppose that l cells meet h of its n placements and none of m others. A
strategy that knows this finishes, with at most w further misses, at most

    found(w) = min over e of min(s (w + 1 - e), H(l + w + 1 - e) - h) + sum of C(x + k, k), x < e,

of the m. Here s is the most placements on any cell, and k the number of cells of the ship minus 1.
*Proof.* Until it hits, the strategy shoots a fixed sequence of cells. Together with the l cells
before, its first w + 1 - e cells meet at most H(l + w + 1 - e) of all placements, and h of these
are not among the m. Each later cell, with x misses left, finishes at most C(x + k, k): that is the
number of words with k hits and at most x misses. ∎ So these m placements together have at least the
sum over w of max(0, m - found(w)) further misses.

**Two hidden ships.** Until the first hit the shots are a fixed sequence of cells c_0, c_1, …, the
chain. Let its first i cells meet g_i of the n long placements and h_i of the m short ones. Both are
bounded by the H(i) of the ship. If c_i is the first cell to meet a long placement p, the player is
told p. Then the short placements q that fit beside p and are not met before form one game with q
hidden, and each of these pairs has i misses by then. p bars b of the m - h_i short placements not
met before: at least the d = h_(i + 1) - h_i that c_i meets, and at most as many as any long
placement bars. So m - h_i - b of them are left, none met by c_0, …, c_i. The same holds with long
and short exchanged. No cell is the first to meet both placements of a pair, and every pair is met.
So, for any price y of a pair,

    M_Q >= y N_Q + min over g, h of the sum over i of the sum over what is met first at c_i of
           min over b of [(i - y) r + the further misses of r], r = m - h_i - b or n - g_i - b.

A small recursion takes the minimum over the numbers g_i and h_i instead of over cells. No term is
negative from i = y on. ∎ The greatest loss is that only the ship that is hit second is charged for
the misses that it takes to sink a ship once hit.

The proof needs no property of the board. A placement bars another if they share or touch cells in
the way that the board and the contact rule forbid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled.lower_bounds._told import Finding, KnownShips, least_cost
from optsearch.counting.configurations import CellSets, Configurations, to_words
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import engine_for
from optsearch.game import Game, bits
from optsearch.game.position import Position, no_configuration
from optsearch.support.errors import NotSupported, TooLarge

MAX_REVEALED_SETS = 4_000_000
_ROWS = 1 << 12  # sets that one call of the kernel looks at


@dataclass(frozen=True)
class Hidden:
    """One of the two hidden ships.

    length -- in cells. most_on_cell -- the most of its placements that have one cell in common.
    most_barred -- the most of its placements that cannot stand beside one placement of the other
    hidden ship.
    """

    length: int
    most_on_cell: int
    most_barred: int

    def make_finding(self, free: int, packings: Sequence[int]) -> Finding:
        """Return the kernel's description of the search for this ship, with some placements free.

        free -- their number. packings -- packings[s - 1] is the number of free placements in a set
        that has at most s of them on any cell, for s = 1 … most_on_cell - 1.

        The kernel gets the most placements that 0, 1, 2, … cells meet, up to all. It also gets the
        sequences of replies after the first hit: how many end with the last hit after exactly 0, 1,
        2, … misses. It needs these counts up to the first that is `most_on_cell` or more.
        """
        sizes = (0, *packings, free)
        met: list[int] = []
        while not met or met[-1] < free:
            cells = len(met)
            # The cells meet at most s each of a packing, and perhaps all other placements.
            met.append(min(free - size + s * cells for s, size in enumerate(sizes)))
        hits_left = self.length - 1
        sequences: list[int] = []
        while not sequences or (hits_left and sequences[-1] < self.most_on_cell):
            misses = len(sequences)
            sequences.append(comb(misses + hits_left, hits_left))
        return Finding(
            np.array(met, np.int64),
            np.array(sequences, np.int64),
            self.most_on_cell,
            self.most_barred,
        )


class Leftovers(NamedTuple):
    """What some sets of revealed ships leave free for the two hidden ships, equal for all of them.

    sets -- the number of these sets. free_long, free_short -- the number of free placements of each
    hidden ship. pairs -- the number of ways to place both, over all these sets together.
    long_packings, short_packings -- the sizes of packings of the free placements, as in
    `Hidden.make_finding`.
    """

    sets: int
    free_long: int
    free_short: int
    pairs: int
    long_packings: list[int]
    short_packings: list[int]


@dataclass(frozen=True)
class AllButTwo:
    """The totals over the sets of revealed ships that leave equal numbers of placements free.

    long, short -- the number of free placements of the long and the short hidden ship. sets -- the
    number of these sets. pairs -- the number of ways to place both hidden ships, over these sets.
    price -- a number of misses per pair, from which the bound was computed. misses -- a lower bound
    on the total of misses over all these pairs.
    """

    long: int
    short: int
    sets: int
    pairs: int
    price: int
    misses: int


def count_revealed_sets(game: Game) -> int:
    """Count the ways to place all ships but the two shortest, without a list."""
    fleet = game.fleet[:-2]
    return engine_for(replace(game, fleet=fleet)).count(Constraints(fleet)) if fleet else 1


class TwoHidden:
    """The game in which all ships but the two shortest are revealed from the start.

    Raises TooLarge if the kernel has no room for its placements, NotSupported for a fleet of one
    ship, and ImpossiblePosition if a hidden ship does not fit on the board.
    """

    def __init__(self, game: Game):
        if len(game.fleet) < 2:
            raise NotSupported(f"{game} has one ship; two and more are handled")
        self.game = game
        self._revealed_fleet, lengths = game.fleet[:-2], game.fleet[-2:]
        long, short = (game.placements(length) for length in lengths)
        closed = [ship | game.halo(ship) for ship in long]
        fits = np.array([[not cells & ship for ship in short] for cells in closed], np.uint8)
        fits = fits.reshape(len(long), len(short))  # two axes even if there are no placements
        long_barred = int((1 - fits).sum(axis=0).max(initial=0))
        short_barred = int((1 - fits).sum(axis=1).max(initial=0))
        self.long = Hidden(lengths[0], _most_on_cell(game, long), long_barred)
        self.short = Hidden(lengths[1], _most_on_cell(game, short), short_barred)
        if not self.long.most_on_cell or not self.short.most_on_cell:
            raise no_configuration(game)
        try:
            self._kernel = KnownShips(
                to_words([1 << cell | game.halo(1 << cell) for cell in range(game.cells)]),
                np.array(game.symmetries(), np.int32),
                to_words(long),
                to_words(short),
                fits,
            )
        except ValueError as error:
            raise TooLarge(f"two hidden ships of {game}: {error}") from None

    def list_revealed_sets(self) -> CellSets:
        """List the sets of cells that all ships but the last two can have together.

        Returns uint64 of shape (number of sets, 2): a row is the mask of the cells, as two words.
        The player is told such a set. If the fleet has two ships only, the only row is 0. Raises
        TooLarge for more than MAX_REVEALED_SETS sets.
        """
        if not self._revealed_fleet:
            return np.zeros((1, 2), np.uint64)
        sets = count_revealed_sets(self.game)
        if sets > MAX_REVEALED_SETS:
            raise TooLarge(
                f"{self.game} has {sets:,} sets of ships to tell; at most "
                f"{MAX_REVEALED_SETS:,} are looked at"
            )
        return Configurations(Position(replace(self.game, fleet=self._revealed_fleet))).list()

    def count_leftovers(
        self, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> list[Leftovers]:
        """Count the placements that revealed ships leave free for the two hidden ships.

        An item of the list is for all sets of revealed ships that leave equal numbers of placements
        free, with packings of equal sizes. (A packing is free placements of which at most a given
        number share a cell.) Sets that leave no way to place both hidden ships are not counted.

        progress -- called with the number of sets looked at and of all. Raises TooLarge for too
        many sets, and ImpossiblePosition if the fleet does not fit.
        """
        rows = self._count_free(progress)
        images, free, pairs, packings = rows[:, 0], rows[:, 1:3], rows[:, 3], rows[:, 4:]
        groups, group_of_row = np.unique(
            np.column_stack([free, packings]), axis=0, return_inverse=True
        )
        sets_and_pairs = np.zeros((len(groups), 2), np.int64)  # the totals of each group
        np.add.at(sets_and_pairs, group_of_row.ravel(), np.column_stack([images, images * pairs]))
        long_sizes = self.long.most_on_cell - 1  # the other packings are of the short ship
        return [
            Leftovers(sets, free_long, free_short, pairs, sizes[:long_sizes], sizes[long_sizes:])
            for (free_long, free_short, *sizes), (sets, pairs) in zip(
                groups.tolist(), sets_and_pairs.tolist(), strict=True
            )
        ]

    def _count_free(self, progress: Callable[[int, int], None]) -> NDArray[np.int64]:
        """Return the rows of `KnownShips.count_free` for the sets of revealed ships.

        One set of each class of symmetric sets is kept, if both hidden ships fit beside it.
        """
        sets = self.list_revealed_sets()
        kept_rows = []
        for start in range(0, len(sets), _ROWS):
            rows = self._kernel.count_free(
                sets[start : start + _ROWS], self.long.most_on_cell, self.short.most_on_cell
            )
            # Of the images of a set under the symmetries one has their number, the others have 0.
            images, pairs = rows[:, 0], rows[:, 3]
            kept_rows.append(rows[(images > 0) & (pairs > 0)])
            progress(min(start + _ROWS, len(sets)), len(sets))
        if not any(map(len, kept_rows)):
            raise no_configuration(self.game)
        return np.concatenate(kept_rows)

    def misses(self, leftovers: Leftovers, price: int) -> int:
        """Return a lower bound on the total of misses over all ways to place the two hidden ships.

        leftovers -- the placements that some sets of revealed ships leave free, and the number of
        pairs of hidden ships that fit there. price -- a number of misses for each pair. Any price
        gives a bound ("Two hidden ships" in the module).
        """
        long = self.long.make_finding(leftovers.free_long, leftovers.long_packings)
        short = self.short.make_finding(leftovers.free_short, leftovers.short_packings)
        cost_of_chain = least_cost(long, short, price)
        return max(0, price * leftovers.pairs + leftovers.sets * cost_of_chain)

    def best_price(self, leftovers: Leftovers) -> int:
        """Return the price at which the lower bound on the misses is greatest.

        The price is a parameter of this bound: a number of misses for each way to place both hidden
        ships. leftovers -- what some sets of revealed ships leave free.

        The bound is concave in the price. So the price moves in steps as long as the bound grows,
        up or down. Then the steps get smaller.
        """
        price, step = 1, 16
        while step:
            misses = self.misses(leftovers, price)
            if self.misses(leftovers, price + step) > misses:
                price += step
            elif price > step and self.misses(leftovers, price - step) > misses:
                price -= step
            else:
                step //= 2
        return price

    def bound(
        self, progress: Callable[[str, int, int], None] = lambda what, done, total: None
    ) -> list[AllButTwo]:
        """Return lower bounds on the misses if all ships but the last two are revealed.

        An item of the list is for one number of free placements of each hidden ship. It has the
        total of misses over all sets of revealed ships that leave these numbers free. The list is
        in ascending order of the numbers.

        All bounds use one price, the best for the group with the most pairs of hidden ships.
        progress -- called with the name of what is counted, the number done and of all.
        """
        every_leftovers = self.count_leftovers(
            lambda done, total: progress("sets of known ships", done, total)
        )
        price = self.best_price(max(every_leftovers, key=lambda leftovers: leftovers.pairs))
        by_free: dict[tuple[int, int], AllButTwo] = {}
        for number_done, leftovers in enumerate(every_leftovers, 1):
            free = leftovers.free_long, leftovers.free_short
            so_far = by_free.get(free, AllButTwo(*free, sets=0, pairs=0, price=price, misses=0))
            by_free[free] = replace(
                so_far,
                sets=so_far.sets + leftovers.sets,
                pairs=so_far.pairs + leftovers.pairs,
                misses=so_far.misses + self.misses(leftovers, price),
            )
            progress("games of two ships", number_done, len(every_leftovers))
        return [by_free[free] for free in sorted(by_free)]


def mean_of_two_hidden(game: Game, rows: Iterable[AllButTwo]) -> Fraction:
    """Return the lower bound on the mean number of shots from the rows of `TwoHidden.bound`."""
    rows = list(rows)
    pairs = sum(row.pairs for row in rows)
    return game.fleet_cells + Fraction(sum(row.misses for row in rows), pairs)


def _most_on_cell(game: Game, placements: Sequence[int]) -> int:
    """Return the most of these placements (masks) that have one cell in common."""
    placements_on = [0] * game.cells
    for ship in placements:
        for cell in bits(ship):
            placements_on[cell] += 1
    return max(placements_on)
