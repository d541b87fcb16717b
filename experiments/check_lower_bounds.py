"""Check the lower bounds: python -m experiments.check_lower_bounds [GAME] [--tables FOLDER]

Reads the four tables of `experiments.lower_bounds` and confirms them in another way, in some
130 minutes on two cores for the paper's game. Nothing of `optsearch.lower_bounds` is used. The
configurations that a set of cells meets are counted by the transfer matrix with these cells as
water, for three cells and with every fourth one, where the tables have them from a walk over all
configurations. From these counts:

1. the most that 1 to 4 cells meet is what the table says;
2. a search of its own finds no larger set of more cells whose bound is above the table;
3. the configurations finished within l misses follow from these (root chain);
4. the classes of the reveal game are complete, their completions are those that the transfer matrix
   counts, and no value is below the one that `experiments.verify_reveal` finds;
5. the classes of placements of every ship are complete; what cells beside one cover is counted anew
   by `experiments.verify_beside`, and the search finds none that meet more than the table says;
6. by the same search, no set of cells meets more, less the costs of the ships it meets, than A(l)
   of the table allows (the chain with the longest ship); the costs are derived anew;
7. the same for sequences of cells, less what is left of the configurations whose first ship each
   cell meets, which `experiments.verify_first_ship` finds anew (chain with the first ship);
8. the means that follow, and the numbers of configurations, are those in the headers.

That some sets of more than four cells meet as many as the table says is not checked: no bound needs
it. What was confirmed, by digests of the values read, and the means are written to
checked_NAME.csv. A check that was stopped goes on from the folder .checkpoints of the checkout, or
--checkpoints; what other code left there is refused.
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate, combinations, permutations, repeat
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from experiments import script
from experiments.verify_beside import counted_beside
from experiments.verify_coverage import CoverCounts, cover_counts, largest_bound
from experiments.verify_first_ship import FirstShipCosts, PlacementCounts, largest_kept
from experiments.verify_reveal import reveal_values
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import engine_for
from optsearch.game import Game, bits
from optsearch.results.tables import TABLES, file_name_of
from optsearch.support.datafiles import RESULTS
from optsearch.support.errors import RecordError
from optsearch.support.records import Record, read
from optsearch.support.store import Facts
from optsearch.support.workers import process_pool

Row = dict[str, str]
AT_ONCE = 200  # sets of cells of a job
MISSING = np.uint32(2**32 - 1)
SOURCES = (
    *("check_lower_bounds.py", "verify_coverage.py", "verify_beside.py", "verify_first_ship.py"),
    *("verify_reveal.py", "lattice.py", "_lattice.pyx", "game.py", "shapes.py"),
)
STANDARD = Game.parse("10x10:5,4,3,3,2")
PARTS = ("coverage", "beside", "reveal", "finished")


def require(is_so: bool, claim: str) -> None:
    """Exit with a message that the claim is not confirmed, unless it is so."""
    if not is_so:
        sys.exit(f"NOT CONFIRMED: {claim}")


@cache
def count_configurations(game: Game) -> int:
    """Count the configurations of a game."""
    return engine_for(game).count(Constraints(game.fleet))


def met_with_one_more(game: Game, cells: tuple[int, ...]) -> NDArray[np.int64]:
    """Count for each cell the configurations with a ship on it or on one of `cells`."""
    water_mask = sum(1 << cell for cell in set(cells))
    # The configurations without a ship on `cells`: all, and those with each placement.
    avoiding, avoiding_with = engine_for(game).count_by_placement(
        Constraints(game.fleet, water_mask)
    )
    met = np.full(game.cells, count_configurations(game) - avoiding, np.int64)
    for (_, ship), count in avoiding_with.items():
        for cell in bits(ship):
            met[cell] += count
    return met


def met_of_sets(game: Game, sets: list[tuple[int, ...]]) -> list[NDArray[np.int64]]:
    """Return for each set what `met_with_one_more` returns."""
    return [met_with_one_more(game, cells) for cells in sets]


def sets_to_count(game: Game) -> list[tuple[int, ...]]:
    """List the pairs and triples of cells to count, one for each class under the symmetries.

    All pairs are needed, but fewer than half of the triples: enough that any four cells contain
    one whose class is listed. The cells are divided into three parts, which symmetries keep. A
    triple is chosen if it lies in one part, or if two of its cells are in one part and the
    third in the next (Turán).
    """
    symmetries = game.symmetries()
    part_of = [0] * game.cells
    sizes = [0, 0, 0]
    orbits = {frozenset(p[cell] for p in symmetries) for cell in range(game.cells)}
    for orbit in sorted(orbits, key=lambda orbit: (-len(orbit), min(orbit))):
        smallest = sizes.index(min(sizes))
        sizes[smallest] += len(orbit)
        for cell in orbit:
            part_of[cell] = smallest

    def is_chosen(cells: tuple[int, ...]) -> bool:
        if len(cells) == 2:
            return True
        counts = [sum(part_of[cell] == part for cell in cells) for part in range(3)]
        is_split = any(counts[part] == 2 and counts[(part + 1) % 3] == 1 for part in range(3))
        return 3 in counts or is_split

    def is_least(cells: tuple[int, ...]) -> bool:
        return all(tuple(sorted(p[c] for c in cells)) >= cells for p in symmetries)

    sets = (cells for size in (3, 2) for cells in combinations(range(game.cells), size))
    return [cells for cells in sets if is_chosen(cells) and is_least(cells)]


def least_images(symmetries: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Return for each cell the least cell that one of the symmetries takes it to."""
    return np.min(np.array(symmetries), axis=0)


class MetCounts:
    """The number of configurations that each set of up to four cells meets, counted when asked for.

    store -- keeps what is done, for a check that was stopped.
    """

    def __init__(self, game: Game, jobs: int, store: Facts):
        self.game, self._jobs, self._store = game, jobs, store
        self.number = count_configurations(game)

    @cached_property
    def four(self) -> NDArray[np.uint32]:
        """How many configurations meet each set of up to four cells: an array [a, b, c, d].

        A configuration meets a set if a ship of it has one of the cells. The cells may come
        in any order; where some of them are equal, the set has fewer.
        """
        n = self.game.cells
        sets = sets_to_count(self.game)
        four = np.full((n, n, n, n), MISSING)
        three = np.zeros((n, n, n), np.uint32)  # for a set of one or two cells and one more
        for x in range(n):
            three[x, x] = met_with_one_more(self.game, (x,))
        for cells, met in zip(sets, self._count(sets), strict=True):
            for symmetry in map(np.array, self.game.symmetries()):
                met_by_image = np.empty(n, np.int64)
                met_by_image[symmetry] = met
                for image in permutations(symmetry[list(cells)].tolist()):
                    if len(image) == 2:
                        three[image] = met_by_image
                        continue
                    # The one more cell may come at each of the four places.
                    a, b, c = image
                    four[a, b, c] = four[a, b, :, c] = met_by_image
                    four[a, :, b, c] = four[:, a, b, c] = met_by_image
        for x in range(n):  # a cell twice, at any two of the four places
            four[x, x] = four[x, :, x] = four[x, :, :, x] = three[x]
            four[:, x, x] = four[:, x, :, x] = four[:, :, x, x] = three[x]
        require(not (four == MISSING).any(), "some four cells are not counted")
        return four

    def _count(self, sets: list[tuple[int, ...]]) -> list[NDArray[np.int64]]:
        """Return an array for each set: by cell, how many configurations meet it or the set.

        What the store has is not counted again.
        """
        batches = [sets[i : i + AT_ONCE] for i in range(0, len(sets), AT_ONCE)]
        stored_batches = sum(f"sets {i}" in self._store for i in range(len(batches)))
        counted: list[NDArray[np.int64]] = []
        for i in range(len(batches)):
            counted += [np.array(met) for met in self._store.get(f"sets {i}", [])]
        clock = script.ProgressClock("sets")
        with process_pool(self._jobs) as pool:
            computed = pool.map(met_of_sets, repeat(self.game), batches[stored_batches:])
            for i, counts in enumerate(computed, stored_batches):
                self._store.add(f"sets {i}", [met.tolist() for met in counts])
                counted += counts
                clock(len(counted), len(sets))
        return counted

    def all_of(self, size: int) -> NDArray[np.int64]:
        """Return the counts of all sets of `size` <= 4 cells, ordered as by `combinations`."""
        sets = np.array(list(combinations(range(self.game.cells), size)))
        sets = np.column_stack([sets, *[sets[:, :1]] * (4 - size)])  # the first cell again
        return np.asarray(self.four[tuple(sets.T)].astype(np.int64))

    @cached_property
    def covering(self) -> CoverCounts:
        """The configurations that cover every set of up to four cells."""
        counts = cover_counts(self.four)
        cells = int(counts.one.sum())
        require(cells == self.number * self.game.fleet_cells, "the counts of cells")
        return counts

    def largest_bound(self, size: int, best: int, cost: dict[int, int]) -> int:
        """Return the largest bound that any set of `size` cells has, but no less than `best`.

        It bounds the configurations met, less `cost` of each placement (mask) that the set
        meets.
        """
        costly = [ship for ship, amount in cost.items() if amount]
        cells = range(self.game.cells)
        flags = [[bool(ship >> cell & 1) for cell in cells] for ship in costly]
        ships = np.array(flags, np.bool_).reshape(-1, len(cells))
        costs = np.array([cost[ship] for ship in costly], np.int64)
        classes = least_images(self.game.symmetries())
        return largest_bound(self.covering, classes, size, best, ships, costs)


def check_coverage(met: MetCounts, rows: list[Row]) -> dict[int, int]:
    """Check the table of coverages; return the most configurations that k cells meet, by k.

    Each row has a number k of cells, and the bound on the configurations that they meet.
    """
    most_met = {int(row["cells"]): int(row["most_met"]) for row in rows}
    for row in rows:
        k = int(row["cells"])
        require(0 <= k <= met.game.cells, f"the board has no {k} cells")
        if k == 0:
            require(most_met[k] == 0, "no cells meet something")
        elif k <= 4:
            is_most = most_met[k] == int(met.all_of(k).max())
            require(is_most and row["attained"] == "yes", f"{most_met[k]} met by {k} cells")
        elif most_met[k] < met.number:
            require(k - 1 in most_met, f"the row of {k - 1} cells is missing")
            # Han's inequality, or else no set may have a larger bound.
            if most_met[k] < most_met[k - 1] * k // (k - 1):
                bound = met.largest_bound(k, most_met[k], {})
                require(bound == most_met[k], f"{k} cells may meet {bound}, not {most_met[k]}")
            print(f"{k} cells: none meet more than {most_met[k]}", flush=True)
    return most_met


def orbits_of(game: Game, rows: list[Row], lengths: set[int]) -> list[tuple[int, set[int]]]:
    """Return for each row its placement (mask), and the set of its images under the symmetries.

    Together the rows must have every placement of these lengths once.
    """
    placements = [ship for length in lengths for ship in game.placements(length)]
    ship_named = {"-".join(game.names(ship)): ship for ship in placements}
    covered: set[int] = set()
    orbits = []
    for row in rows:
        ship = ship_named[row["ship"]]
        orbit = set(game.images(ship))
        require(len(orbit) == int(row["alike"]) and not covered & orbit, f"the class {row['ship']}")
        covered |= orbit
        orbits.append((ship, orbit))
    require(covered == set(placements), "a class is missing")
    return orbits


class BesideClass(NamedTuple):
    """A class of placements of a ship: its completions, and met[k], what k cells meet of them."""

    ships: set[int]
    length: int
    completions: int
    met: list[int]

    def most_met(self, cells: int) -> int:
        """Bound the configurations met by some cells; beyond the table by Han's inequality."""
        last = len(self.met) - 1
        return self.met[max(0, cells)] if cells <= last else self.met[last] * cells // last


def bounds_beside(game: Game, ship: int, met: list[int]) -> list[int]:
    """Return the number of completions of a ship, then bounds on how many of them k cells meet.

    Completions are the configurations with a ship at the placement `ship` (mask); k = 0, 1, 2,
    … are cells beside it. met -- the bounds of the table for these k: each is returned as it is
    unless the search finds a larger one.
    """
    count, counts = counted_beside(game, ship)
    symmetries = [
        p for p in game.symmetries() if {p[cell] for cell in bits(ship)} == set(bits(ship))
    ]
    classes = least_images(symmetries)
    no_ships, no_costs = np.zeros((0, game.cells), np.bool_), np.zeros(0, np.int64)
    bounds = [0]
    for k in range(1, len(met)):
        by_han = k > 4 and met[k] >= min(count, met[k - 1] * k // (k - 1))
        if by_han or met[k] == count or k > game.cells:
            bounds.append(met[k])
        else:
            bounds.append(largest_bound(counts, classes, k, met[k], no_ships, no_costs))
    return [count, *bounds]


def check_beside(
    game: Game, rows: list[Row], number: int, jobs: int, store: Facts
) -> list[BesideClass]:
    """Check the table of what cells beside ships meet; return its classes of placements.

    Each row has, for a class of placements, its completions (the configurations with a ship
    there) and how many of these k cells beside it meet at most. number -- of all
    configurations.
    """
    orbits = orbits_of(game, rows, set(game.fleet))
    width = sum(name.startswith("met") for name in rows[0])
    classes: list[BesideClass] = []
    for row, (ship, orbit) in zip(rows, orbits, strict=True):
        met = [0, *(int(row[f"met{k}"]) for k in range(1, width + 1))]
        classes.append(BesideClass(orbit, ship.bit_count(), int(row["completions"]), met))
    for length in set(game.fleet):
        completions = [len(c.ships) * c.completions for c in classes if c.length == length]
        is_complete = sum(completions) == game.fleet.count(length) * number
        require(is_complete, f"completions of {length} cells")
    if len(game.fleet) == 1:
        require(all(not any(c.met) for c in classes), "there is nothing beside the only ship")
        return classes
    keys = [f"beside {row['ship']}, {c.met}" for row, c in zip(rows, classes, strict=True)]
    arguments = {
        key: (game, ship, c.met) for key, (ship, _), c in zip(keys, orbits, classes, strict=True)
    }
    compute_missing("ships with what is beside them", jobs, store, bounds_beside, arguments)
    for key, c in zip(keys, classes, strict=True):
        require(store[key] == [c.completions, *c.met], f"what cells meet {key}")
    return classes


def compute_missing(
    title: str, jobs: int, store: Facts, function: Callable[..., Any], arguments: dict[str, Any]
) -> None:
    """Call a function in `jobs` processes for each key that the store lacks; store the results.

    title -- names the work in lines on the progress. arguments -- of each call, by its key.
    """
    clock = script.ProgressClock(title)
    with process_pool(jobs) as pool:
        futures = {
            key: pool.submit(function, *values)
            for key, values in arguments.items()
            if key not in store
        }
        for number_done, (key, future) in enumerate(futures.items(), 1):
            store.add(key, future.result())
            clock(number_done, len(futures))


class RevealClass(NamedTuple):
    """A class of placements of the longest ship, and the table's values F(0), F(1), …."""

    ships: set[int]
    completions: int
    values: list[int]


def check_reveal(
    game: Game, rows: list[Row], number: int, jobs: int, store: Facts
) -> list[RevealClass]:
    """Check the table of the reveal game, which shows a ship at its first hit; return its classes.

    Each row has, for a class of placements of the longest ship, its completions (the
    configurations with it) and F(0), F(1), …, bounds on those finished within so many misses.
    number -- of all configurations.
    """
    orbits = orbits_of(game, rows, {game.fleet[0]})
    width = len(rows[0]) - 3  # beside the ship, its class and its completions
    classes = []
    for row, (ship, orbit) in zip(rows, orbits, strict=True):
        fleet, closed = game.fleet[1:], ship | game.halo(ship)
        count = engine_for(game).count(Constraints(fleet, closed))
        require(count == int(row["completions"]), f"{count} completions of {row['ship']}")
        values = [int(row[f"F{misses}"]) for misses in range(width)]
        require(values == sorted(values) and values[-1] <= count, f"the values of {row['ship']}")
        classes.append(RevealClass(orbit, count, values))
    longest_ships = game.fleet.count(game.fleet[0])
    completions = sum(len(c.ships) * c.completions for c in classes)
    require(completions == longest_ships * number, "the completions do not add up")
    keys = [f"class {row['ship']}" for row in rows]
    arguments = {key: (game, ship, width) for key, (ship, _) in zip(keys, orbits, strict=True)}
    compute_missing("classes", jobs, store, reveal_values, arguments)
    for row, key, c in zip(rows, keys, classes, strict=True):
        computed, count = store[key]
        is_bound = all(v >= again for v, again in zip(c.values, computed, strict=True))
        require(
            count == c.completions and is_bound,
            f"the values of {row['ship']} where the reveal game is evaluated again",
        )
    return classes


def count_sequences(misses: int, hits: int) -> int:
    """Count the sequences of `hits` hits and at most `misses` misses that end in a hit."""
    return comb(misses + hits, hits) if misses >= 0 else 0


@dataclass(frozen=True)
class FinishedCheck:
    """The check of the last table, by what the checks of the others confirmed.

    most_met -- the bound on what k cells meet, by k. store -- keeps what was confirmed of the
    chain with the first ship, which takes longest.
    """

    met: MetCounts
    most_met: dict[int, int]
    reveal_classes: list[RevealClass]
    beside_classes: list[BesideClass]
    store: Facts

    def check(self, rows: list[Row]) -> dict[str, Fraction]:
        """Check each row; return lower bounds on the mean number of shots, by their names.

        Row l has five bounds on the configurations finished within l misses, each by
        another argument. Each argument gives one bound on the mean.
        """
        bounds = [self._check_row(misses, row) for misses, row in enumerate(rows)]
        number = self.met.number
        means = [
            self.met.game.fleet_cells + Fraction(sum(max(0, number - n) for n in finished), number)
            for finished in zip(*bounds, strict=True)
        ]
        titles = (
            "root chain",
            "reveal game",
            "root chain and reveal game",
            "root chain with the longest ship",
            "root chain with the first ship",
        )
        return dict(zip(titles, means, strict=True))

    def _check_row(self, misses: int, row: Row) -> list[int]:
        """Check a row; return five bounds on the configurations finished within its misses.

        They are by the root chain; by the reveal game; the lower of these; the lower of
        this and the chain with the longest ship; and the lower of that and the chain with
        the first ship.
        """
        require(int(row["misses"]) == misses, "the rows of the last table")
        chain, reveal, longest = (
            int(row[name]) for name in ("root_chain", "reveal_game", "ship_chain")
        )
        require(chain >= self._root_chain(misses), f"the root chain at {misses} misses")
        completions = sum(len(c.ships) * c.values[misses] for c in self.reveal_classes)
        by_reveal = completions // self.met.game.fleet.count(self.met.game.fleet[0])
        require(reveal >= by_reveal, f"the reveal game at {misses} misses")
        lower_of_both = min(chain, reveal)
        self._check_longest(misses, int(row["cells"]), longest, lower_of_both)
        with_longest = min(lower_of_both, longest)
        first, k = int(row["first_ship"]), int(row["first_ship_cells"])
        self._require_cells(misses, k)
        if k:
            self._check_first_ship(misses, k, first)
        else:
            require(first >= with_longest, f"the chain with the first ship at {misses} misses")
        return [chain, reveal, lower_of_both, with_longest, min(with_longest, first)]

    def _require_cells(self, misses: int, k: int) -> None:
        is_possible = 0 <= k <= min(misses + 1, self.met.game.cells)
        require(is_possible, f"{k} cells at {misses} misses")

    def _root_chain(self, misses: int) -> int:
        """Return a bound on the configurations that any strategy finishes within `misses` misses.

        It is the least sum, over j, of the most configurations that j cells meet, and the
        number of sequences of replies with at most `misses` - j misses.
        """
        number, hits = self.met.number, self.met.game.fleet_cells
        by_cells = [
            self.most_met.get(j, number) + count_sequences(misses - j, hits)
            for j in range(misses + 2)
        ]
        return min(number, *by_cells)

    def _check_longest(self, misses: int, k: int, value: int, otherwise: int) -> None:
        """Check the bound that the chain with the longest ship gives for a number of misses.

        It is on the configurations finished within them. k -- the number of cells of the
        chain; 0 if the table uses none. value -- the bound of the table. otherwise -- the
        bound without this chain.
        """
        where = f"the chain with the longest ship at {misses} misses"
        self._require_cells(misses, k)
        if not k:
            require(value >= otherwise, where)
            return
        allowed = value - count_sequences(misses - k, self.met.game.fleet_cells)
        costs = self._costs_of_longest(misses, k)
        require(self.met.largest_bound(k, allowed, costs) == allowed, where)
        print(f"{misses} misses: {value} are finished at most (longest ship)", flush=True)

    def _costs_of_longest(self, misses: int, k: int) -> dict[int, int]:
        """Map each placement (mask) of the longest ship to its cost in a chain of k cells.

        A set of cells that meets the placement loses its cost: the configurations with it,
        less the larger of two bounds on them, those finished within `misses` misses once
        the ship is known, and those that k - 2 cells beside it meet. If several ships have
        this length, it is divided by their number.
        """
        fleet = self.met.game.fleet
        hits_left = self.met.game.fleet_cells - fleet[0]
        cost: dict[int, int] = {}
        for revealed in self.reveal_classes:
            beside = next(c for c in self.beside_classes if c.ships == revealed.ships)
            # Finished at most where the ship is known: by its table, or by a chain beside it.
            finished = revealed.values[misses]
            if hits_left:
                for j in range(misses + 1):
                    chain = beside.most_met(j) + count_sequences(misses - j, hits_left)
                    finished = min(finished, chain)
            left = beside.completions - max(finished, beside.most_met(k - 2))
            cost |= dict.fromkeys(revealed.ships, max(0, left) // fleet.count(fleet[0]))
        return cost

    def _check_first_ship(self, misses: int, k: int, value: int) -> None:
        """Check the bound that the chain with the first ship gives for a number of misses.

        It is on the configurations finished within them. k -- the number of cells of the
        chain. value -- the bound of the table. What the store has was confirmed before and
        is not searched again.
        """
        where = f"the chain with the first ship at {misses} misses"
        key = f"{where}, {k} cells, {value}, {[c.met for c in self.beside_classes]}"
        if key not in self.store:
            allowed = value - count_sequences(misses - k, self.met.game.fleet_cells)
            started = time.perf_counter()

            def report(size: int, sets_done: int, sets: int) -> None:
                seconds = time.perf_counter() - started
                progress = f"{sets_done} of {sets} sets of {size} cells"
                print(f"{misses} misses: {progress}, {seconds:.0f} s", flush=True)

            costs = self._costs_of_first_ship(misses, k)
            largest = largest_kept(self.met.covering, costs, k, allowed, report)
            require(largest == allowed, where)
            self.store.add(key, largest)
        print(f"{misses} misses: {value} are finished at most (first ship)", flush=True)

    def _costs_of_first_ship(self, misses: int, k: int) -> FirstShipCosts:
        """Return V, the cost of each cell that may be hit first, for a chain of k cells.

        V is the least number of configurations not finished within `misses` misses, of
        those whose first ship is hit at this cell.
        """
        classes = [c for c in self.beside_classes if c.length < self.met.game.fleet_cells]
        all_met = 0  # the number of cells from which on the bounds are all completions
        while any(c.most_met(all_met) < c.completions for c in classes):
            all_met += 1
        most_misses = max(k - 1, min(misses + 1, all_met + 2))
        placements = []
        for c in classes:
            met = accumulate((c.most_met(i) for i in range(most_misses + 1)), max)
            avoiding = [max(0, c.completions - most) for most in met]
            placements += [PlacementCounts(ship, avoiding) for ship in sorted(c.ships)]
        return FirstShipCosts(self.met.game, placements, misses, k - 1, most_misses)


def check(game: Game, tables: dict[str, Record], jobs: int, store: Facts) -> dict[str, Fraction]:
    """Check the four tables of a game; return lower bounds on its mean, by their names.

    tables -- by the names in `PARTS`. store -- keeps what was computed by a check that stopped.
    """
    coverage, beside, reveal, finished = (tables[part] for part in PARTS)
    header = finished.header
    met = MetCounts(game, jobs, store)
    for fields in (header, coverage.header):
        require(fields["configurations"] == str(met.number), f"not {met.number} configurations")
    require(Game.parse(header["game"]) == game, f"the tables of {header['game']}")
    most_met = check_coverage(met, coverage.rows)
    reveal_classes = check_reveal(game, reveal.rows, met.number, jobs, store)
    beside_classes = check_beside(game, beside.rows, met.number, jobs, store)
    last = FinishedCheck(met, most_met, reveal_classes, beside_classes, store)
    means = last.check(finished.rows)
    for title, bound in means.items():
        require(bound == Fraction(header[title]), f"the mean by {title} in the header")
    print(f"confirmed: {game} takes at least {bound} = {float(bound):.6f} shots on average")
    return means


def tables_in(folder: Path, game: Game) -> dict[str, Record]:
    """Read the four tables of a game, by the names in `PARTS`; RecordError if one is missing."""
    tables = {}
    for part in PARTS:
        path = folder / f"{part}_{file_name_of(game)}.csv"
        if not path.is_file():
            raise RecordError(
                f"{folder} has no table {path.name}; "
                f"python -m experiments.lower_bounds {game} writes it"
            )
        tables[part] = read(path)
    return tables


def main() -> None:
    """Check the tables of a game, print the bound on its mean, and write what was confirmed."""
    parser = script.parser(__doc__, "check_lower_bounds")
    parser.add_argument("game", nargs="?", type=script.game, default=STANDARD)
    parser.add_argument("--tables", type=Path, default=RESULTS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--checkpoints", type=Path, default=script.CHECKPOINTS)
    arguments = parser.parse_args()
    game, name = arguments.game, file_name_of(arguments.game)
    tables = tables_in(arguments.tables, game)
    folder = arguments.checkpoints / f"check_{game}".replace(":", "_")
    title = f"check of lower bounds, {game}, by the code {script.digest_of_sources(*SOURCES)}"
    with Facts(folder, title) as store:
        means = check(game, tables, arguments.jobs, store)
    path = TABLES["checked"].write(
        [(table.path.name, table.digest(), len(table.rows)) for table in tables.values()],
        arguments.output,
        command=TABLES["checked"].command + ("" if game == STANDARD else f" {game}"),
        fields={"numba": numba.__version__, "game": game, **means},
        game=game,
        name=name,
    )
    print(f"{script.typed_path(path)}: the digests of the tables")


if __name__ == "__main__":
    script.run(main)
