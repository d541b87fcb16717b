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
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from experiments import script
from experiments.told import BOXED
from optsearch.game import Game, bits
from optsearch.results.tables import TABLES, told_file_name
from optsearch.support.datafiles import RESULTS

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Row = dict[str, Any]
Key = tuple[int, int]  # of a row: the free placements of the long and of the short hidden ship
SETS_AT_ONCE = 1 << 12
FAR = 10**9  # more than any cost


class HiddenShip(NamedTuple):
    """A hidden ship beside one set of known ships.

    met -- item l is the most of its free placements that l cells meet, up to all. most_on_cell
    -- the most of its placements that have one cell in common. costs_left -- of the placements
    left when the other ship is hit, as the function `costs_left` returns them.
    """

    met: Ints
    most_on_cell: int
    costs_left: NDArray[np.int32]


def flags_of(game: Game, placements: tuple[int, ...]) -> Flags:
    """Return placements (masks) as rows with a flag for each cell of the board."""
    flags = np.zeros((len(placements), game.cells), np.bool_)
    for row, ship in zip(flags, placements, strict=True):
        row[list(bits(ship))] = True
    return flags


def closed_by(game: Game, cells: Flags) -> Flags:
    """Flag the cells that ships close to others: their own, and by the contact rule those beside.

    cells -- a row for each ship or set of ships, with a flag for each cell of the board. The
    result has this shape.
    """
    rows, columns = game.rows, game.columns
    board = cells.reshape(-1, rows, columns)
    padded = np.pad(board, ((0, 0), (1, 1), (1, 1)))  # with water around the board
    closed = board.copy()
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            is_diagonal = down != 0 and right != 0
            if game.contact == "none" or (game.contact == "corner" and not is_diagonal):
                closed |= padded[:, 1 + down : 1 + down + rows, 1 + right : 1 + right + columns]
    return closed.reshape(cells.shape)


def known_sets(game: Game) -> Flags:
    """List every way to place the known ships, as a row with a flag for each cell of the board.

    Known are all ships but the last two. Of two equal ships the second has the later placement,
    so that each set of placements occurs once.
    """
    sets = np.zeros((1, game.cells), np.bool_)
    last_placed = np.full(1, -1)  # of each set: the index of the placement that came last
    for i, length in enumerate(game.fleet[:-2]):
        is_equal = i > 0 and length == game.fleet[i - 1]
        closed = closed_by(game, sets)
        extended, placed = [], []
        for index, ship in enumerate(flags_of(game, game.placements(length))):
            fits = ~(closed[:, ship].any(axis=1))
            if is_equal:
                fits &= last_placed < index
            extended.append(sets[fits] | ship)
            placed.append(np.full(int(fits.sum()), index))
        sets, last_placed = np.concatenate(extended), np.concatenate(placed)
    return sets


@numba.njit(cache=True)
def packing_size(placements: Any, board_cells: int, most_on_cell: int) -> int:
    """Return how many placements are packed so that at most `most_on_cell` of them have any cell.

    They are taken one by one while one fits, first that whose cells the others want least, in
    proportion to the room left there. placements -- a row with the cells of each.
    """
    room = np.full(board_cells, most_on_cell)
    demand = np.zeros(board_cells, np.int64)  # by so many placements that still fit
    still_fits = np.ones(len(placements), np.bool_)
    for cells in placements:
        for cell in cells:
            demand[cell] += 1
    packed = 0
    while True:
        best, lowest = -1, FAR
        for i in range(len(placements)):
            if still_fits[i]:
                score = 0
                for cell in placements[i]:
                    score += demand[cell] * (2520 // room[cell])  # 1 to 10 divide 2520
                if score < lowest:
                    best, lowest = i, score
        if best < 0:
            return packed
        packed += 1
        still_fits[best] = False
        for cell in placements[best]:
            room[cell] -= 1
            demand[cell] -= 1
        for i in range(len(placements)):
            if still_fits[i]:
                for cell in placements[i]:
                    if room[cell] == 0:
                        still_fits[i] = False
                if not still_fits[i]:
                    for cell in placements[i]:
                        demand[cell] -= 1


@numba.njit(cache=True)
def further_misses(
    met: Any, sequences: Any, most_on_cell: int, chain_cells: int, met_before: int
) -> Any:
    """Return an array: item r is the least sum of further misses on r placements of a hidden ship.

    Further are those after a chain of `chain_cells` cells, which has met none of these
    placements but `met_before` others. met -- item l: the most placements that l cells meet.
    most_on_cell -- the most that have one cell in common. sequences -- item x: the number of
    sequences of replies with at most x misses and a hit for each cell of the ship but one.
    """
    last, number = len(met) - 1, met[-1]
    further = np.zeros(number + 1, np.int64)
    counted = total = misses = 0
    while counted < number - met_before:
        # `most_found` bounds the placements found with at most `misses` misses: those that the next
        # cells meet, without the last e of these, and what each of the e finds.
        most_found, found_by_last = number - met_before, 0
        for e in range(misses + 2):
            next_cells = misses + 1 - e
            reached = min(
                most_on_cell * next_cells, met[min(chain_cells + next_cells, last)] - met_before
            )
            most_found = min(most_found, reached + found_by_last)
            found_by_last += sequences[min(e, len(sequences) - 1)]
            if found_by_last >= number:
                break
        while counted < most_found:
            counted += 1
            total += misses
            further[counted] = total
        misses += 1
    return further


@numba.njit(cache=True)
def costs_left(met: Any, sequences: Any, most_on_cell: int, barred: int, price: int) -> Any:
    """Return the least cost of a hidden ship's placements left when the other ship is hit.

    The result is an array [i, b, h]. Cell i of the chain is the first that hits the other ship.
    Before it, h of the placements are met. Of the others, b or more are barred by the ship that
    is hit; b goes up to the greater of `barred` and `most_on_cell`. Each placement left costs i
    - price, and its further misses; `further_misses` explains the other arguments.
    """
    number, last, most_barred = met[-1], len(met) - 1, max(most_on_cell, barred)
    costs = np.zeros((price, most_barred + 1, number + 1), np.int32)
    for i in range(price):
        for h in range(min(number, met[min(i, last)]) + 1):
            further = further_misses(met, sequences, most_on_cell, i, h)
            lowest = FAR
            for b in range(most_barred, -1, -1):
                number_left = max(0, number - h - b)
                lowest = min(lowest, (i - price) * number_left + further[number_left])
                costs[i, b, h] = lowest
    return costs


# Not kept in a cache, which would look for `HiddenShip` in the module that was run first.
@numba.njit
def chain_cost(long: Any, short: Any, price: int) -> int:
    """Return the least cost of a chain of cells that is shot until one of two hidden ships is hit.

    long, short -- the ships, each a `HiddenShip`. price -- is taken from the misses of each
    pair of their placements. The first i cells meet g placements of the long ship and h of the
    short one; cell i is the first to meet t more of the long ship and d more of the short one.
    """
    number_long, number_short = long.met[-1], short.met[-1]
    last_long, last_short = len(long.met) - 1, len(short.met) - 1
    later = np.zeros((number_long + 1, number_short + 1), np.int32)  # [g, h]: cost from cell i + 1
    for i in range(price - 1, -1, -1):
        current = np.zeros((number_long + 1, number_short + 1), np.int32)
        # With all placements of a ship met the cost is 0.
        most_g = min(long.met[min(i, last_long)], number_long - 1)
        most_h = min(short.met[min(i, last_short)], number_short - 1)
        next_g, next_h = long.met[min(i + 1, last_long)], short.met[min(i + 1, last_short)]
        for g in range(most_g + 1):
            lowest = current[g]
            lowest[: most_h + 1] = FAR
            for t in range(min(long.most_on_cell, next_g - g) + 1):
                for d in range(short.most_on_cell + 1):
                    short_met = np.int32(d * long.costs_left[i, t, g])
                    costs_of_short, costs_after = short.costs_left[i, d], later[g + t, d:]
                    for h in range(min(most_h + 1, next_h - d + 1)):
                        long_met = np.int32(np.int32(t) * costs_of_short[h])
                        lowest[h] = min(lowest[h], long_met + short_met + costs_after[h])
        later = current
    return int(later[0, 0])


def words_of(sets: Flags) -> NDArray[np.uint64]:
    """Return sets of cells as two rows of 64-bit words, the low words and the high ones."""
    words = np.zeros((2, len(sets)), np.uint64)
    for cell in range(sets.shape[1]):
        words[cell // 64] |= sets[:, cell].astype(np.uint64) << np.uint64(cell % 64)
    return words


class RowCheck:
    """The two hidden ships of a game, the long one first, and what is computed of them again."""

    def __init__(self, game: Game):
        self.game = game
        self.lengths = game.fleet[-2:]
        self.ships = [flags_of(game, game.placements(length)) for length in self.lengths]
        closed_by_long = closed_by(game, self.ships[0]).astype(np.int64)
        self.may_be_together = closed_by_long @ self.ships[1].T.astype(np.int64) == 0
        self.most_on_cell = [int(ships.sum(axis=0).max()) for ships in self.ships]
        # The most placements of each that one placement of the other bars.
        self.most_barred = [int((~self.may_be_together).sum(axis=i).max()) for i in (0, 1)]

    def count_free(self, sets: Flags) -> tuple[Ints, list[Flags]]:
        """Count and flag the placements that each set of known ships leaves to the two others.

        sets -- a row for each, with a flag for each cell that its ships have. The counts
        have three columns: free placements of the long ship, of the short ship, and pairs
        that may stand together. The flags are two arrays, of the long and of the short
        ship, with a row for each set.
        """
        closed = closed_by(self.game, sets).astype(np.float32)  # floats multiply faster
        free_long, free_short = (closed @ ships.T.astype(np.float32) == 0 for ships in self.ships)
        partners = free_long.astype(np.float32) @ self.may_be_together.astype(np.float32)
        pairs = (partners * free_short).sum(axis=1)
        counts = np.stack([free_long.sum(axis=1), free_short.sum(axis=1), pairs], axis=1)
        return counts.astype(np.int64), [free_long, free_short]

    def class_sizes(self, sets: Flags) -> Ints:
        """Return for each set of known ships the size of its class, or 0 if not its least set.

        sets -- a row for each, with a flag for each cell. Two are in one class if a
        symmetry of the board maps one to the other. Only the least set of each class is
        evaluated: packings, which are made one by one, can differ within a class.
        """
        low, high = words_of(sets)
        is_least = np.ones(len(sets), np.bool_)
        fixing = np.zeros(len(sets), np.int64)  # the symmetries that map the set to itself
        symmetries = self.game.symmetries()
        for symmetry in symmetries:
            images = np.empty_like(sets)
            images[:, list(symmetry)] = sets
            image_low, image_high = words_of(images)
            is_least &= (image_high > high) | ((image_high == high) & (image_low >= low))
            fixing += (image_high == high) & (image_low == low)
        return np.where(is_least, len(symmetries) // np.maximum(fixing, 1), 0)

    def packings(self, free: list[Flags]) -> tuple[int, ...]:
        """Return the sizes of packings beside one set of known ships, of the long ship first.

        A packing has as many free placements of a hidden ship as were put together with at
        most s on any cell. There is one for each s = 1, 2, … below the most that a cell can
        have. free -- flags those of the long and of the short ship.
        """
        sizes = []
        for ships, is_free, most_on_cell in zip(self.ships, free, self.most_on_cell, strict=True):
            cells = np.array([np.flatnonzero(ship) for ship in ships[is_free]], np.int64)
            sizes += [packing_size(cells, self.game.cells, s) for s in range(1, most_on_cell)]
        return tuple(sizes)

    def least_cost(self, free: tuple[int, int], packings: tuple[int, ...], price: int) -> int:
        """Return the least cost of the chain, the cells shot until a hidden ship is hit.

        free -- the numbers of free placements of the long and of the short ship. packings
        -- the sizes of their packings, the long ship first. price -- is taken from the
        misses of each pair of placements.
        """
        of_long = self.most_on_cell[0] - 1
        long = self.hidden_ship(0, free[0], packings[:of_long], price)
        short = self.hidden_ship(1, free[1], packings[of_long:], price)
        return int(chain_cost(long, short, price))

    @lru_cache(maxsize=4096)  # noqa: B019 - one of these a run
    def hidden_ship(
        self, which: int, free: int, packings: tuple[int, ...], price: int
    ) -> HiddenShip:
        """Return the long (`which` = 0) or the short (1) hidden ship with `free` free placements.

        packings -- how many of these were packed with at most 1, 2, … of them on a cell.
        price -- is taken from the misses of each pair of placements of both ships.
        """
        most_on_cell, length = self.most_on_cell[which], self.lengths[which]
        met = [0]
        while met[-1] < free:
            cells = len(met)
            bounds = [free, most_on_cell * cells]
            bounds += [free - size + s * cells for s, size in enumerate(packings, 1)]
            met.append(min(bounds))
        sequences = np.array([comb(x + length - 1, length - 1) for x in range(400)], np.int64)
        met_array = np.array(met, np.int64)
        costs = costs_left(met_array, sequences, most_on_cell, self.most_barred[which], price)
        return HiddenShip(met_array, most_on_cell, costs)


@dataclass
class RowCount:
    """A number of sets of known ships, and of pairs of hidden ships beside them."""

    sets: int = 0
    pairs: int = 0


def count_by_row(
    check: RowCheck, sets_of_known: Flags, chosen: set[Key]
) -> tuple[dict[Key, RowCount], dict[Key, dict[tuple[int, ...], RowCount]]]:
    """Count the sets of known ships, and the pairs of hidden ships beside them, for every row.

    The key of a row is the numbers of free placements of the long and of the short hidden ship
    that its sets leave. The second result has the counts of the chosen rows again, apart for
    each tuple of packing sizes. sets_of_known -- a row of flags for each set, one per cell.
    """
    rows: dict[Key, RowCount] = {}
    by_packings: dict[Key, dict[tuple[int, ...], RowCount]] = {key: {} for key in chosen}
    reported_at = time.monotonic()
    for start in range(0, len(sets_of_known), SETS_AT_ONCE):
        batch = sets_of_known[start : start + SETS_AT_ONCE]
        counts, free = check.count_free(batch)
        class_sizes = check.class_sizes(batch).tolist()
        for i, (long, short, pairs) in enumerate(counts.tolist()):
            if not pairs:
                continue
            row = rows.setdefault((long, short), RowCount())
            row.sets += 1
            row.pairs += pairs
            if class_sizes[i] and (long, short) in chosen:
                packings = check.packings([flags[i] for flags in free])
                count = by_packings[long, short].setdefault(packings, RowCount())
                count.sets += class_sizes[i]
                count.pairs += class_sizes[i] * pairs
        if time.monotonic() - reported_at > 10:
            reported_at = time.monotonic()
            print(f"{start + len(batch):,} of {len(sets_of_known):,} sets", flush=True)
    return rows, by_packings


def confirmed_rows(path: Path, rows: dict[Key, Row]) -> dict[Key, Row]:
    """Return the rows that an earlier run confirmed and that the table still has, by their keys."""
    if not path.is_file():
        return {}
    confirmed = {(row["long"], row["short"]): row for row in TABLES["confirmed"].read(path)}
    columns = ("sets", "pairs", "price", "misses")
    return {
        key: row
        for key, row in confirmed.items()
        if key in rows and all(row[name] == rows[key][name] for name in columns)
    }


def main() -> None:
    """Check the rows of the table that are asked for, and write those that agree."""
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
    confirmed = confirmed_rows(path, rows)
    check, sets = RowCheck(game), known_sets(game)
    print(
        f"{len(sets):,} sets of known ships, {len(confirmed)} of {len(rows)} rows done", flush=True
    )
    chosen = sorted(set(rows) - set(confirmed), key=lambda key: (rows[key]["sets"], key))
    if arguments.rows:
        chosen = chosen[: max(0, arguments.rows - len(confirmed))]
    counts, by_packings = count_by_row(check, sets, set(chosen))
    tabulated = {key: [row["sets"], row["pairs"]] for key, row in rows.items()}
    counted = {key: [count.sets, count.pairs] for key, count in counts.items()}
    require_equal("sets and pairs", tabulated, counted)
    for key in chosen:
        price = rows[key]["price"]
        misses = sum(
            max(0, price * count.pairs + count.sets * check.least_cost(key, packings, price))
            for packings, count in by_packings[key].items()
        )
        require_equal(f"misses of the row {key}", rows[key]["misses"], misses)
        confirmed[key] = {**rows[key], "games": len(by_packings[key])}
        write_confirmed(path, game, confirmed)
        print(f"row {key}: {misses:,} misses, {len(confirmed)} of {len(rows)} rows", flush=True)
    print(f"agree: {len(rows)} rows by sets and pairs, {len(confirmed)} of them by misses")


def write_confirmed(path: Path, game: Game, confirmed: dict[Key, Row]) -> None:
    """Write the rows that agree, in the order of the table."""
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


def require_equal(title: str, tabulated: object, computed: object) -> None:
    """Print the difference and exit with status 1 if the two values are not equal."""
    if tabulated != computed:
        print(f"{title}: the table says {tabulated}, found {computed}")
        sys.exit(1)


if __name__ == "__main__":
    script.run(main)
