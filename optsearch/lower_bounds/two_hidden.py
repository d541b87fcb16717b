"""All ships but the two shortest are told from the start, and every hit names its ship.

Both can only help the player, whatever a game announces, so a lower bound for this game is one for
every rule. To tell where the other ships are splits the game: for each set Q of them there is a
game of two hidden ships, a long and a short one. With N_Q configurations in it and M_Q misses at
least in all of them together, the mean number of shots is at least h + sum M_Q / sum N_Q, h the
cells of the whole fleet. Of equal ships the one that stays hidden is chosen by chance, which is the
same for every Q: their placements are told apart, and every number is multiplied alike.

**Packings.** Of the placements of one ship that are free beside Q take any set P_s such that no
cell is in more than s of them. Then l cells meet at most H(l) = min over s of n - |P_s| + s l of
the n placements: at most s l of P_s, and all others. (s = 0 with P_0 empty, and the most placements
on any cell with all of them, are trivial.)

**One hidden ship.** If l cells meet h of its n placements and none of m others, a strategy that
knows this finds with w further misses at most

    found(w) = min over e of min(s (w + 1 - e), H(l + w + 1 - e) - h) + sum of C(x + k, k), x < e,

of the m. Here s is the most placements on any cell, and k the cells of the ship but one. *Proof.*
Until it hits, the strategy shoots a fixed sequence of cells. Its first w + 1 - e cells are, with
the l before, so many that meet at most H of all placements, and h of these are not among the m.
Each cell after them, the one with x misses left to make, may finish C(x + k, k): so many words with
k hits and at most x misses there are. ∎ Together these m placements have sum over w of
max(0, m - found(w)) further misses, at least.

**Two hidden ships.** Until the first hit the shots are a fixed sequence of cells c_0, c_1, …, its
chain. Let the first i of them meet g_i of the n long placements and h_i of the m short ones; then
g_i <= H(i) for the long ship, and h_i for the short. If the cell c_i is the first to meet a long
placement p, the player is told p. The pairs of p with a short placement q that goes with it and is
not met before have i misses by then, and are one game with q hidden. Of the m - h_i placements not
met before, p bars b: at least the d = h_(i + 1) - h_i that c_i meets, and at most as many as any
long placement bars. So there are m - h_i - b of them, none met by c_0, …, c_i. The same holds
the other way round; no cell is the first to meet both of a pair, and every pair is met. So, for any
price y of a pair,

    M_Q >= y N_Q + min over g, h of the sum over i of the sum over what is met first at c_i of
           min over b of [(i - y) r + the further misses of r], r = m - h_i - b or n - g_i - b.

The minimum over the numbers g_i and h_i, in place of cells, is that of a small recursion. No term
is negative from i = y on. ∎ What is lost above all: that a ship once hit takes misses to be sunk is
charged to the ship that is hit second only.

Of the board the proof needs nothing: `bars` are placements that share or touch cells, as the board
and the rule of contact say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled._told import Finding, KnownShips, least_cost
from optsearch.counting.configurations import CellSets, Configurations, to_words
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import engine_for
from optsearch.game import Game, bits
from optsearch.game.position import Position, no_configuration
from optsearch.support.errors import NotSupported, TooLarge

MAX_REVEALED_SETS = 4_000_000  # sets of known ships
_ROWS = 1 << 12  # looked at in one go


@dataclass(frozen=True)
class Hidden:
    """One of the two hidden ships.

    length -- its cells. most -- placements on a cell, at most. barred -- of its placements, the
    most that one placement of the other ship bars.
    """

    length: int
    most: int
    barred: int

    def finding(self, free: int, packings: Sequence[int]) -> Finding:
        """What finding it costs; packings -- sizes of P_1, …, P_(most - 1)."""
        sizes = (0, *packings, free)
        met: list[int] = []
        while not met or met[-1] < free:
            met.append(min(free - size + s * len(met) for s, size in enumerate(sizes)))
        words: list[int] = []
        while not words or (words[-1] < self.most and self.length > 1):
            words.append(comb(len(words) + self.length - 1, self.length - 1))
        return Finding(np.array(met, np.int64), np.array(words, np.int64), self.most, self.barred)


@dataclass(frozen=True)
class AllButTwo:
    """Sets of known ships that leave the same numbers of placements free, in sum.

    long, short -- free placements of either hidden ship. sets -- how many sets. pairs -- their
    configurations. price -- of a pair, in misses. misses -- of these pairs, in sum and at least.
    """

    long: int
    short: int
    sets: int
    pairs: int
    price: int
    misses: int


def count_revealed_sets(game: Game) -> int:
    """How many sets of known ships there are, counted without a list."""
    fleet = game.fleet[:-2]
    return engine_for(replace(game, fleet=fleet)).count(Constraints(fleet)) if fleet else 1


class TwoHidden:
    """The game in which all ships but the two shortest are known.

    Raises TooLarge where the kernel does not take its ships, or has too many sets to look at,
    NotSupported for a fleet of one ship, and ImpossiblePosition where the fleet does not fit.
    """

    def __init__(self, game: Game):
        if len(game.fleet) < 2:
            raise NotSupported(f"{game} has one ship; two and more are handled")
        self.game = game
        self._known, lengths = game.fleet[:-2], game.fleet[-2:]
        long, short = (game.placements(length) for length in lengths)
        closed = [ship | game.halo(ship) for ship in long]
        together = np.array([[not a & b for b in short] for a in closed], np.uint8)
        together.shape = (len(long), len(short))
        bars = 1 - together
        self.long = Hidden(lengths[0], _most(game, long), int(bars.sum(axis=0).max(initial=0)))
        self.short = Hidden(lengths[1], _most(game, short), int(bars.sum(axis=1).max(initial=0)))
        if not self.long.most or not self.short.most:
            raise no_configuration(game)
        try:
            self._kernel = KnownShips(
                to_words([1 << cell | game.halo(1 << cell) for cell in range(game.cells)]),
                np.array(game.symmetries(), np.int32),
                to_words(long),
                to_words(short),
                together,
            )
        except ValueError as e:
            raise TooLarge(f"two hidden ships of {game}: {e}") from None

    def list_revealed_sets(self) -> CellSets:
        """The cells of every set of known ships, a row each."""
        if not self._known:
            return np.zeros((1, 2), np.uint64)
        number = count_revealed_sets(self.game)
        if number > MAX_REVEALED_SETS:
            raise TooLarge(
                f"{self.game} has {number:,} sets of ships to tell; at most "
                f"{MAX_REVEALED_SETS:,} are looked at"
            )
        return Configurations(Position(replace(self.game, fleet=self._known))).list()

    def count_leftovers(
        self, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> NDArray[np.int64]:
        """int64 of shape (n, 4 + long.most - 1 + short.most - 1): what the known ships leave.

        Sets that leave the same are one row: how many sets, free long and short placements, pairs
        of all these sets, sizes of the packings of the long ones and of the short ones.
        progress -- called with the sets looked at and their number.
        """
        sets = self.list_revealed_sets()
        parts = []
        for start in range(0, len(sets), _ROWS):
            some = self._kernel.stock(sets[start : start + _ROWS], self.long.most, self.short.most)
            parts.append(some[(some[:, 0] > 0) & (some[:, 3] > 0)])
            progress(min(start + _ROWS, len(sets)), len(sets))
        if not any(map(len, parts)):
            raise no_configuration(self.game)
        stock = np.concatenate(parts)
        stock[:, 3] *= stock[:, 0]
        what, first = np.unique(np.delete(stock, (0, 3), axis=1), axis=0, return_inverse=True)
        result = np.zeros((len(what), stock.shape[1]), np.int64)
        result[:, 1:3], result[:, 4:] = what[:, :2], what[:, 2:]
        np.add.at(result[:, 0], first.ravel(), stock[:, 0])
        np.add.at(result[:, 3], first.ravel(), stock[:, 3])
        return result

    def misses(self, row: Sequence[int], price: int) -> int:
        """The misses of a row of `stock`, at least: M_Q of all its sets in sum."""
        sets, free_long, free_short, pairs, *packings = map(int, row)
        cut = self.long.most - 1
        long = self.long.finding(free_long, packings[:cut])
        short = self.short.finding(free_short, packings[cut:])
        return max(0, price * pairs + sets * least_cost(long, short, price))

    def price(self, row: Sequence[int]) -> int:
        """The price that gives a row most, by steps: the bound is concave in it."""
        price, step = 1, 16
        while step:
            here = self.misses(row, price)
            if self.misses(row, price + step) > here:
                price += step
            elif price > step and self.misses(row, price - step) > here:
                price -= step
            else:
                step //= 2
        return price

    def bound(
        self, progress: Callable[[str, int, int], None] = lambda what, done, total: None
    ) -> list[AllButTwo]:
        """M_Q of all sets of known ships, by the free placements they leave.

        progress -- called with what is counted, those done and their number. The price of a pair
        is the best of the row with most pairs, and the same for all.
        """
        stock = self.count_leftovers(
            lambda done, total: progress("sets of known ships", done, total)
        )
        price = self.price(stock[stock[:, 3].argmax()])
        sums: dict[tuple[int, int], list[int]] = {}
        for i, row in enumerate(stock.tolist()):
            these = sums.setdefault((row[1], row[2]), [0, 0, 0])
            for place, value in enumerate((row[0], row[3], self.misses(row, price))):
                these[place] += value
            progress("games of two ships", i + 1, len(stock))
        return [
            AllButTwo(*free, sets, pairs, price, misses)
            for free, (sets, pairs, misses) in sorted(sums.items())
        ]


def mean_of_two_hidden(game: Game, known: Iterable[AllButTwo]) -> Fraction:
    """The lower bound on the mean number of shots that the rows of `TwoHidden.bound` leave."""
    rows = list(known)
    pairs = sum(row.pairs for row in rows)
    return game.fleet_cells + Fraction(sum(row.misses for row in rows), pairs)


def _most(game: Game, placements: Sequence[int]) -> int:
    """The most placements on a cell."""
    through = [0] * game.cells
    for ship in placements:
        for cell in bits(ship):
            through[cell] += 1
    return max(through)
