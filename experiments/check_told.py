"""Check the bound of `experiments.told`: python -m experiments.check_told [GAME] [--rows N]

Reads told_NAME.csv, counts every set of known ships again, and what it leaves, and computes the
misses of rows again, in numba by the text of the proof, with no code of the first run but `Game`.
The first difference ends it with exit status 1.

A row that agrees is added to confirmed_NAME.csv at once. A run goes on after the rows that are
there, those of the fewest sets first, until N rows are done (0, the default: all).
"""

from __future__ import annotations

import sys
import time
from functools import lru_cache
from math import comb
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from experiments import script
from experiments.told import BOXED
from optsearch.game import Game, bits
from optsearch.results.tables import TABLES, told_file_name
from optsearch.support.datafiles import RESULTS

Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Row = dict[str, Any]
FAR = 10**9


def on_cells(game: Game, placements: tuple[int, ...]) -> Flags:
    """Placements as rows of flags, a cell each."""
    table = np.zeros((len(placements), game.cells), np.bool_)
    for i, ship in enumerate(placements):
        table[i, list(bits(ship))] = True
    return table


def closed_by(game: Game, cells: Flags) -> Flags:
    """The cells that ships close: theirs, and where ships may not touch those beside them."""
    rows, columns = game.rows, game.columns
    board = cells.reshape(-1, rows, columns)
    closed = board.copy()
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            if game.contact == "any" or (game.contact == "corner" and down * right):
                continue
            source = board[
                :, max(0, -down) : rows - max(0, down), max(0, -right) : columns - max(0, right)
            ]
            closed[
                :, max(0, down) : rows + min(0, down), max(0, right) : columns + min(0, right)
            ] |= source
    result: Flags = closed.reshape(cells.shape)
    return result


def known_sets(game: Game) -> Flags:
    """The cells of every set of known ships, ship by ship; equal ships in ascending order."""
    sets = np.zeros((1, game.cells), np.bool_)
    last = np.full(1, -1)
    for i, length in enumerate(game.fleet[:-2]):
        ships = on_cells(game, game.placements(length))
        again = i > 0 and length == game.fleet[i - 1]
        closed = closed_by(game, sets)
        parts, chosen = [], []
        for place, ship in enumerate(ships):
            fits = ~(closed[:, ship].any(axis=1))
            if again:
                fits &= last < place
            parts.append(sets[fits] | ship)
            chosen.append(np.full(int(fits.sum()), place))
        sets, last = np.concatenate(parts), np.concatenate(chosen)
    return sets


@numba.njit(cache=True)
def pack(cells: Any, number: int, capacity: int) -> int:
    """One by one the placement whose cells are wanted least; cells -- of each, (n, length)."""
    n = len(cells)
    left = np.full(number, capacity)
    demand = np.zeros(number, np.int64)
    is_open = np.ones(n, np.bool_)
    for i in range(n):
        for cell in cells[i]:
            demand[cell] += 1
    packed = 0
    while True:
        best, lowest = -1, FAR
        for i in range(n):
            if is_open[i]:
                score = 0
                for cell in cells[i]:
                    score += demand[cell] * (2520 // left[cell])
                if score < lowest:
                    best, lowest = i, score
        if best < 0:
            return packed
        packed += 1
        is_open[best] = False
        for cell in cells[best]:
            left[cell] -= 1
            demand[cell] -= 1
        for i in range(n):
            if is_open[i]:
                for cell in cells[i]:
                    if left[cell] == 0:
                        is_open[i] = False
                if not is_open[i]:
                    for cell in cells[i]:
                        demand[cell] -= 1


@numba.njit(cache=True)
def costs_left(met: Any, words: Any, most_on_cell: int, barred: int, price: int) -> Any:
    """[i, b, h]: the least cost of the placements left when cell i meets the other ship.

    met -- the most of the n placements that 0, 1, 2, ... cells meet. h of them are met before, b or
    more are barred, and each of the others has (i - price) misses and its further ones.
    """
    n, last, widest = met[-1], len(met) - 1, max(most_on_cell, barred)
    costs = np.zeros((price, widest + 1, n + 1), np.int32)
    further = np.zeros(n + 1, np.int64)
    for i in range(price):
        for h in range(min(n, met[min(i, last)]) + 1):
            counted = total = w = 0
            while counted < n - h:
                reached, tail = n - h, 0
                for e in range(w + 2):
                    reach = min(most_on_cell * (w + 1 - e), met[min(i + w + 1 - e, last)] - h)
                    reached = min(reached, reach + tail)
                    tail += words[min(e, len(words) - 1)]
                    if tail >= n:
                        break
                while counted < reached:
                    counted += 1
                    total += w
                    further[counted] = total
                w += 1
            lowest = FAR
            for b in range(widest, -1, -1):
                r = max(0, n - h - b)
                lowest = min(lowest, (i - price) * r + further[r])
                costs[i, b, h] = lowest
    return costs


@numba.njit(cache=True)
def chain(long: Any, short: Any, most_long: int, most_short: int, after: Any, before: Any) -> int:
    """The least cost of the chain of two ships; of both H, the placements on a cell, costs left.

    after -- of the short placements left once a long one is met. before -- the other way round.
    """
    n, m, price = long[-1], short[-1], len(after)
    later = np.zeros((n + 1, m + 1), np.int32)
    for i in range(price - 1, -1, -1):
        current = np.zeros((n + 1, m + 1), np.int32)
        top_g, top_h = long[min(i, len(long) - 1)], short[min(i, len(short) - 1)]
        next_g, next_h = long[min(i + 1, len(long) - 1)], short[min(i + 1, len(short) - 1)]
        for g in range(min(top_g, n - 1) + 1):
            row = current[g]
            width = min(top_h, m - 1) + 1
            row[:width] = FAR
            for t in range(min(most_long, next_g - g) + 1):
                for d in range(most_short + 1):
                    hit = np.int32(d * before[i, t, g])
                    there, costs = later[g + t, d:], after[i, d]
                    for h in range(min(width, next_h - d + 1)):
                        row[h] = min(row[h], np.int32(np.int32(t) * costs[h]) + hit + there[h])
        later = current
    return int(later[0, 0])


def as_numbers(sets: Flags) -> NDArray[np.uint64]:
    """The sets as numbers with a bit a cell: the low and the high words, shape (2, n)."""
    words = np.zeros((2, len(sets)), np.uint64)
    for cell in range(sets.shape[1]):
        words[cell // 64] |= sets[:, cell].astype(np.uint64) << np.uint64(cell % 64)
    return words


class RowCheck:
    """The hidden ships of a game, and what is computed again."""

    def __init__(self, game: Game):
        self.game = game
        self.lengths = game.fleet[-2:]
        self.ships = [on_cells(game, game.placements(length)) for length in self.lengths]
        self.closed = [closed_by(game, ships) for ships in self.ships]
        together = (self.closed[0].astype(np.int64) @ self.ships[1].T.astype(np.int64)) == 0
        self.together = together
        self.most = tuple(int(ships.sum(axis=0).max()) for ships in self.ships)
        self.barred = (
            int((~together).sum(axis=0).max()),
            int((~together).sum(axis=1).max()),
        )

    def counted(self, sets: Flags) -> tuple[Numbers, list[Flags]]:
        """(free long, free short, pairs) of each set of known ships, and which are free."""
        closed = closed_by(self.game, sets).astype(np.float32)
        free = [closed @ ships.T.astype(np.float32) == 0 for ships in self.ships]
        beside = self.together.astype(np.float32)
        pairs = ((free[0].astype(np.float32) @ beside) * free[1]).sum(axis=1)
        return np.stack([free[0].sum(axis=1), free[1].sum(axis=1), pairs], axis=1).astype(
            np.int64
        ), free

    def alike(self, sets: Flags) -> Numbers:
        """Return the size of the class of each set, or 0 unless it is the least of its class.

        All would do; but one by one is not the same for sets that are alike.
        """
        numbers = as_numbers(sets)
        is_least = np.ones(len(sets), np.bool_)
        fixed = np.zeros(len(sets), np.int64)
        permutations = self.game.symmetries()
        for permutation in permutations:
            turned = np.empty_like(sets)
            turned[:, list(permutation)] = sets
            other = as_numbers(turned)
            same_high = other[1] == numbers[1]
            is_least &= (other[1] > numbers[1]) | (same_high & (other[0] >= numbers[0]))
            fixed += same_high & (other[0] == numbers[0])
        return np.where(is_least, len(permutations) // np.maximum(fixed, 1), 0)

    def packings(self, free: list[Flags]) -> tuple[int, ...]:
        """Return the sizes of the packings beside one set of revealed ships."""
        sizes = []
        for ships, is_free, most in zip(self.ships, free, self.most, strict=True):
            cells = np.array([np.flatnonzero(ship) for ship in ships[is_free]], np.int64)
            sizes += [pack(cells, self.game.cells, s) for s in range(1, most)]
        return tuple(sizes)

    def misses(self, free: tuple[int, int], packings: tuple[int, ...], price: int) -> int:
        """The least cost of the chain of one set at a price."""
        cut = self.most[0] - 1
        long, left_long = self.left(0, free[0], packings[:cut], price)
        short, left_short = self.left(1, free[1], packings[cut:], price)
        return int(chain(long, short, self.most[0], self.most[1], left_short, left_long))

    @lru_cache(maxsize=4096)  # noqa: B019 - one of these a run
    def left(
        self, which: int, free: int, packings: tuple[int, ...], price: int
    ) -> tuple[Numbers, NDArray[np.int32]]:
        """H of one hidden ship, and what its placements left cost."""
        met, most, length = [0], self.most[which], self.lengths[which]
        while met[-1] < free:
            tops = [free, most * len(met)]
            tops += [free - size + s * len(met) for s, size in enumerate(packings, 1)]
            met.append(min(tops))
        words = np.array([comb(x + length - 1, length - 1) for x in range(400)], np.int64)
        reached = np.array(met, np.int64)
        return reached, costs_left(reached, words, most, self.barred[which], price)


Classes = dict[tuple[int, ...], list[int]]


def stock(
    check: RowCheck, sets: Flags, chosen: set[tuple[int, int]]
) -> tuple[dict[tuple[int, int], list[int]], dict[tuple[int, int], Classes]]:
    """Sets and pairs of every row; and of the chosen ones, the same by their packings."""
    sums: dict[tuple[int, int], list[int]] = {}
    classes: dict[tuple[int, int], Classes] = {key: {} for key in chosen}
    reported_at = time.monotonic()
    for start in range(0, len(sets), 1 << 12):
        some = sets[start : start + (1 << 12)]
        counts, free = check.counted(some)
        alike = check.alike(some)
        for place, (long, short, pairs) in enumerate(counts.tolist()):
            if not pairs:
                continue
            totals = sums.setdefault((long, short), [0, 0])
            totals[0] += 1
            totals[1] += pairs
            if alike[place] and (long, short) in classes:
                sizes = check.packings([flags[place] for flags in free])
                both = classes[long, short].setdefault(sizes, [0, 0])
                both[0] += int(alike[place])
                both[1] += int(alike[place]) * pairs
        if time.monotonic() - reported_at > 10:
            reported_at = time.monotonic()
            print(f"{start + len(some):,} of {len(sets):,} sets", flush=True)
    return sums, classes


def known_rows(path: Path, rows: dict[tuple[int, int], Row]) -> dict[tuple[int, int], Row]:
    """The rows that an earlier run confirmed, of those that the table still has."""
    if not path.is_file():
        return {}
    confirmed = {(row["long"], row["short"]): row for row in TABLES["confirmed"].read(path)}
    same = ("sets", "pairs", "price", "misses")
    return {
        key: row
        for key, row in confirmed.items()
        if key in rows and all(row[name] == rows[key][name] for name in same)
    }


def main() -> None:
    """The command line."""
    parser = script.parser(__doc__, "check_told")
    parser.add_argument("game", nargs="?", type=script.game, default=BOXED)
    parser.add_argument("--rows", type=int, default=0, metavar="N")
    parser.add_argument("--tables", type=Path, default=RESULTS, metavar="FOLDER")
    arguments = parser.parse_args()
    game, name = arguments.game, told_file_name(arguments.game)
    table = TABLES["told"].read(TABLES["told"].path(arguments.tables, name=name))
    rows = {(row["long"], row["short"]): row for row in table}
    path = TABLES["confirmed"].path(arguments.output, name=name)
    path.parent.mkdir(parents=True, exist_ok=True)
    confirmed = known_rows(path, rows)
    check, sets = RowCheck(game), known_sets(game)
    print(
        f"{len(sets):,} sets of known ships, {len(confirmed)} of {len(rows)} rows done", flush=True
    )
    left = sorted(set(rows) - set(confirmed), key=lambda key: (rows[key]["sets"], key))
    chosen = left[: max(0, arguments.rows - len(confirmed))] if arguments.rows else left
    sums, classes = stock(check, sets, set(chosen))
    expect("sets and pairs", {key: [row["sets"], row["pairs"]] for key, row in rows.items()}, sums)
    for key in chosen:
        price = rows[key]["price"]
        misses = sum(
            max(0, price * pairs + number * check.misses(key, sizes, price))
            for sizes, (number, pairs) in classes[key].items()
        )
        expect(f"misses of the row {key}", rows[key]["misses"], misses)
        confirmed[key] = {**rows[key], "games": len(classes[key])}
        write(path, game, confirmed)
        print(f"row {key}: {misses:,} misses, {len(confirmed)} of {len(rows)} rows", flush=True)
    print(f"agree: {len(rows)} rows by sets and pairs, {len(confirmed)} of them by misses")


def write(path: Path, game: Game, confirmed: dict[tuple[int, int], Row]) -> None:
    """The rows that agree, in the order of the table."""
    TABLES["confirmed"].write(
        [
            [confirmed[key][column] for column in TABLES["confirmed"].names]
            for key in sorted(confirmed)
        ],
        path=path,
        command=TABLES["confirmed"].command + ("" if game == BOXED else f" {game}"),
        fields={"game": game},
        name=told_file_name(game),
    )


def expect(title: str, tabulated: object, computed: object) -> None:
    """End the run if the table says something else."""
    if tabulated != computed:
        print(f"{title}: the table says {tabulated}, found {computed}")
        sys.exit(1)


if __name__ == "__main__":
    script.run(main)
