"""Check the lower bounds: python -m experiments.check_lower_bounds [GAME] [--tables FOLDER]

Reads the three tables of `experiments.lower_bounds` and confirms them in another way, in some
40 minutes on two cores for the usual game. Nothing of `optsearch.bounds` is used. The
configurations that a set of cells meets are counted by the transfer matrix with these cells as
water, for three cells and with every fourth one, where the tables have them from a walk over all
configurations. From these counts:

1. the most that 1 to 4 cells meet is what the table says;
2. a search of its own finds no larger set of more cells whose bound is above the table;
3. the configurations finished within l misses follow from these (root chain);
4. the classes of the reveal game are complete, their completions are those that the transfer matrix
   counts, and no value is below the one that `experiments.reveal_again` finds;
5. by the same search, no set of cells meets more, less the costs of the longest ships it meets,
   than A(l) of the table allows (ship chain); the costs are derived anew;
6. the means that follow, and the numbers of configurations, are those in the headers.

That some sets of more than four cells meet as many as the table says is not checked: no bound needs
it. A check that was stopped goes on from the folder .checkpoints of the checkout, or --checkpoints.
"""

import csv
import os
import sys
import time
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, repeat
from math import comb
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments import script
from experiments.coverage_again import Counts, covering, larger
from experiments.reveal_again import RevealAgain
from optsearch.configurations import Configurations
from optsearch.datafiles import RESULTS
from optsearch.game import Game, bits
from optsearch.journal import Journal
from optsearch.lattice import Constraints, sweep
from optsearch.position import MISS, Position, Shot
from optsearch.workers import processes

Row = dict[str, str]
AT_ONCE = 200  # sets of cells of a job
MISSING = np.uint32(2**32 - 1)
FORMAT = "check of lower bounds,"


def table(path: Path) -> tuple[dict[str, str], list[Row]]:
    """Header and rows of a result table."""
    lines = path.read_text(encoding="utf-8").splitlines()
    header = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    return header, list(csv.DictReader(line for line in lines if not line.startswith("#")))


def require(is_so: bool, what: str) -> None:
    """End with what is wrong."""
    if not is_so:
        sys.exit(f"NOT CONFIRMED: {what}")


@cache
def all_configurations(game: Game) -> int:
    """How many there are."""
    return sweep(game).count(Constraints(game.fleet))


def with_one_more(game: Game, cells: tuple[int, ...]) -> NDArray[np.int64]:
    """f of these cells and every other one."""
    closed = sum(1 << cell for cell in set(cells))
    number = all_configurations(game)
    left, through = sweep(game).through(Constraints(game.fleet, closed))
    met = np.full(game.cells, number - left, np.int64)
    for ship, some in through.items():
        for cell in bits(ship):
            met[cell] += some
    return met


def meeting(game: Game, sets: list[tuple[int, ...]]) -> list[NDArray[np.int64]]:
    """The same for several sets."""
    return [with_one_more(game, cells) for cells in sets]


def sets_to_count(game: Game) -> list[tuple[int, ...]]:
    """Triples and pairs up to symmetry, of which every four cells hold a triple.

    With the cells in three parts, which symmetries keep, those in one part and those with two cells
    in a part and one in the next: of four cells two are in one part, and the others leave one of
    these (Turán). They are less than half of all.
    """
    symmetries = game.symmetries()
    parts = [0] * game.cells
    sizes = [0, 0, 0]
    orbits = {frozenset(p[cell] for p in symmetries) for cell in range(game.cells)}
    for orbit in sorted(orbits, key=lambda some: (-len(some), min(some))):
        smallest = sizes.index(min(sizes))
        sizes[smallest] += len(orbit)
        for cell in orbit:
            parts[cell] = smallest

    def is_chosen(triple: tuple[int, ...]) -> bool:
        counts = [sum(parts[cell] == part for cell in triple) for part in range(3)]
        return 3 in counts or any(
            counts[part] == 2 and counts[(part + 1) % 3] == 1 for part in range(3)
        )

    return [
        cells
        for size in (3, 2)
        for cells in combinations(range(game.cells), size)
        if (size == 2 or is_chosen(cells))
        and all(tuple(sorted(p[c] for c in cells)) >= cells for p in symmetries)
    ]


class Met:
    """f of every set of up to four cells, in arrays with one axis a cell.

    journal -- keeps the counts that are done, for a check that was stopped.
    """

    def __init__(self, game: Game, jobs: int, journal: Journal):
        self.game, n = game, game.cells
        self.number = all_configurations(game)
        self.four = np.full((n, n, n, n), MISSING)  # repeated cells make the smaller sets
        sets = sets_to_count(game)
        parts = [sets[i : i + AT_ONCE] for i in range(0, len(sets), AT_ONCE)]
        kept = journal.entries
        done = [np.array(met) for i in range(len(parts)) for met in kept.get(f"sets {i}", [])]
        known = sum(f"sets {i}" in kept for i in range(len(parts)))
        before, started = len(done), time.perf_counter()
        with processes(jobs) as pool:
            again = pool.map(meeting, repeat(game), parts[known:])
            for number, counts in enumerate(again, known):
                journal.add(f"sets {number}", [met.tolist() for met in counts])
                done += counts
                now = time.perf_counter()
                left = (now - started) / (len(done) - before) * (len(sets) - len(done))
                print(f"{len(done)} of {len(sets)} sets, about {left:.0f} s more", flush=True)
        three = np.zeros((n, n, n), np.uint32)
        for x in range(n):
            three[x, x] = with_one_more(game, (x,))
        for cells, met in zip(sets, done, strict=True):
            for p in map(np.array, game.symmetries()):
                turned = np.empty(n, np.int64)
                turned[p] = met
                for image in permutations(p[list(cells)].tolist()):
                    if len(image) == 2:
                        three[image] = turned
                        continue
                    a, b, c = image
                    self.four[a, b, c] = self.four[a, b, :, c] = turned
                    self.four[a, :, b, c] = self.four[:, a, b, c] = turned
        for x in range(n):
            self.four[x, x] = self.four[x, :, x] = self.four[x, :, :, x] = three[x]
            self.four[:, x, x] = self.four[:, x, :, x] = self.four[:, :, x, x] = three[x]
        require(not (self.four == MISSING).any(), "some four cells are not counted")

    def all_of(self, size: int) -> NDArray[np.int64]:
        """f of all sets of `size` <= 4 cells, in the order of combinations."""
        sets = np.array(list(combinations(range(self.game.cells), size)))
        sets = np.column_stack([sets, *[sets[:, :1]] * (4 - size)])
        return np.asarray(self.four[tuple(sets.T)].astype(np.int64))


class Search:
    """The search of experiments.coverage_again on these counts."""

    def __init__(self, met: Met):
        game = met.game
        self.number = met.number
        self.counts: Counts = covering(met.four)
        require(int(self.counts[0].sum()) == met.number * game.fleet_cells, "the counts of cells")
        least = [min(p[cell] for p in game.symmetries()) for cell in range(game.cells)]
        self.classes = np.array(least)
        placements = game.placements(game.fleet[0])
        self.ships = np.array([[ship >> c & 1 for c in range(game.cells)] for ship in placements])
        self.placements = placements

    def larger(self, size: int, most: int, cost: dict[int, int]) -> int:
        """A bound of some set that is above `most`, or that. cost -- of longest ships (masks)."""
        costs = np.array([cost.get(ship, 0) for ship in self.placements], np.int64)
        return larger(self.counts, self.classes, size, most, self.ships.astype(bool), costs)


def check_coverage(met: Met, search: Search, rows: list[Row]) -> dict[int, int]:
    """The table of coverages; k -> the bound, all configurations beyond."""
    most = {int(row["cells"]): int(row["most_met"]) for row in rows}
    for row in rows:
        k = int(row["cells"])
        require(0 <= k <= met.game.cells, f"the board has no {k} cells")
        if k == 0:
            require(most[k] == 0, "no cells meet something")
        elif k <= 4:
            is_most = most[k] == int(met.all_of(k).max()) and row["attained"] == "yes"
            require(is_most, f"{most[k]} met by {k} cells")
        elif most[k] < met.number:
            # Han's inequality, or else no set may have a larger bound.
            if most[k] < most[k - 1] * k // (k - 1):
                larger_one = search.larger(k, most[k], {})
                require(larger_one == most[k], f"{k} cells may meet {larger_one}, not {most[k]}")
            print(f"{k} cells: none meet more than {most[k]}", flush=True)
    return most


def most_met_beside(game: Game, ship: int) -> list[int]:
    """Item k: the most configurations with a longest ship that k cells beside it meet, k <= 4."""
    if len(game.fleet) == 1:
        return [0] * 5
    water = game.cells - game.fleet_cells
    others = replace(game, fleet=game.fleet[1:])
    closed = [Shot(game.cell(cell), MISS) for cell in bits(ship | game.halo(ship))]

    def largest(cells: list[int], open_cells: NDArray[np.int64], size: int, above: int) -> int:
        """The most of `size` more cells, where it is more than `above`."""
        missed = [Shot(game.cell(cell), MISS) for cell in cells]
        left = Configurations(Position(others, (*closed, *missed)), threads=1)
        adds = np.asarray(left.occurrence, np.int64).ravel()[open_cells]
        falling = np.argsort(-adds, kind="stable")
        adds, order = adds[falling], open_cells[falling]
        if size == 1:
            return max(above, int(adds[0]))
        for i, cell in enumerate(order.tolist()):
            if len(order) - i < size or adds[i : i + size].sum() <= above:
                break
            some = int(adds[i])
            above = some + largest([*cells, cell], order[i + 1 :], size - 1, above - some)
        return above

    open_cells = [cell for cell in range(game.cells) if not (ship | game.halo(ship)) >> cell & 1]
    beside = np.array(open_cells, np.int64)
    everything = sweep(game).count(Constraints(others.fleet, ship | game.halo(ship)))
    # More cells than are water meet all.
    most = [largest([], beside, k, 0) if k <= water else everything for k in range(1, 5)]
    return [0, *most]


def evaluate_again(game: Game, ship: int, misses: int) -> tuple[list[int], int, list[int]]:
    """F and the completions of one class of the reveal game, and what cells beside it meet."""
    return *RevealAgain(game, misses).values(ship), most_met_beside(game, ship)


def most_met(beside: list[int], cells: int) -> int:
    """No more is met by so many cells beside a ship: some four of them meet a part as large."""
    return beside[max(0, cells)] if cells <= 4 else beside[4] * cells // 4


class Class(NamedTuple):
    """A class of placements of the longest ship: the table's values, and what is found again."""

    ships: set[int]
    completions: int
    values: list[int]
    beside: list[int]


def check_reveal(
    game: Game, rows: list[Row], number: int, jobs: int, journal: Journal
) -> list[Class]:
    """The table of the reveal game. journal -- keeps what was evaluated again."""
    ships = {"-".join(game.names(ship)): ship for ship in game.placements(game.fleet[0])}
    seen: set[int] = set()
    width = len(rows[0]) - 3
    classes = []
    for row in rows:
        ship = ships[row["ship"]]
        orbit = set(game.images(ship))
        require(len(orbit) == int(row["alike"]) and not seen & orbit, f"the class {row['ship']}")
        seen |= orbit
        fleet, closed = game.fleet[1:], ship | game.halo(ship)
        count = sweep(game).count(Constraints(fleet, closed))
        require(count == int(row["completions"]), f"{count} completions of {row['ship']}")
        values = [int(row[f"F{misses}"]) for misses in range(width)]
        require(values == sorted(values) and values[-1] <= count, f"the values of {row['ship']}")
        classes.append(Class(orbit, count, values, []))
    require(seen == set(ships.values()), "a class is missing")
    equal = game.fleet.count(game.fleet[0])
    completions = sum(len(one.ships) * one.completions for one in classes)
    require(completions == equal * number, "the completions do not add up")
    kept = {row["ship"]: journal.entries.get(f"class {row['ship']}") for row in rows}
    known = {ship: found for ship, found in kept.items() if found is not None}
    started = time.perf_counter()
    with processes(jobs) as pool:
        again = {
            row["ship"]: pool.submit(evaluate_again, game, ships[row["ship"]], width)
            for row in rows
            if row["ship"] not in known
        }
        for done, (key, future) in enumerate(again.items(), 1):
            known[key] = list(future.result())
            journal.add(f"class {key}", known[key])
            left = (time.perf_counter() - started) / done * (len(again) - done)
            print(f"{done} of {len(again)} classes, about {left:.0f} s more", flush=True)
    for row, one in zip(rows, classes, strict=True):
        found, count, met = known[row["ship"]]
        require(
            count == one.completions
            and all(value >= least for value, least in zip(one.values, found, strict=True)),
            f"the values of {row['ship']} where the reveal game is evaluated again",
        )
        one.beside.extend(met)
    return classes


def check_finished(
    game: Game, search: Search, most: dict[int, int], classes: list[Class], rows: list[Row]
) -> dict[str, Fraction]:
    """The last table; the means that follow, by the names in its header."""
    hits, number, equal = game.fleet_cells, search.number, game.fleet.count(game.fleet[0])
    beside = [comb(misses + hits - game.fleet[0], misses) for misses in range(len(rows))]
    table: list[list[int]] = [[], [], []]
    for misses, row in enumerate(rows):
        require(int(row["misses"]) == misses, "the rows of the last table")
        words = [comb(misses - j + hits, hits) for j in range(misses + 1)] + [0]
        chain, reveal, ship = (
            int(row[name]) for name in ("root_chain", "reveal_game", "ship_chain")
        )
        least = min(number, *(most.get(j, number) + some for j, some in enumerate(words)))
        require(chain >= least, f"the root chain at {misses} misses")
        shown = sum(len(one.ships) * one.values[misses] for one in classes) // equal
        require(reveal >= shown, f"the reveal game at {misses} misses")
        k = int(row["cells"])
        require(0 <= k <= min(misses + 1, game.cells), f"{k} cells at {misses} misses")
        if k:
            cost: dict[int, int] = {}
            for one in classes:
                # Finished at most where the ship is known: by its table, or by a chain beside it.
                chains = [most_met(one.beside, j) + beside[misses - j] for j in range(misses + 1)]
                found = min(one.values[misses], *chains)
                kept = max(found, most_met(one.beside, k - 2))
                cost |= dict.fromkeys(one.ships, max(0, one.completions - kept) // equal)
            larger_one = search.larger(k, ship - words[k], cost)
            require(larger_one == ship - words[k], f"the ship chain at {misses} misses")
            print(f"{misses} misses: {ship} are finished at most", flush=True)
        else:
            require(ship >= min(chain, reveal), f"the ship chain at {misses} misses")
        for column, some in zip(table, (chain, reveal, ship), strict=True):
            column.append(some)
    two = [min(pair) for pair in zip(*table[:2], strict=True)]
    three = [min(some) for some in zip(*table, strict=True)]
    return {
        name: hits + Fraction(sum(max(0, number - some) for some in finished), number)
        for name, finished in (
            ("root chain", table[0]),
            ("reveal game", table[1]),
            ("root chain and reveal game", two),
            ("root chain with the longest ship", three),
        )
    }


def check(game: Game, tables: Path, name: str, jobs: int, journal: Journal) -> None:
    """All of it. journal -- keeps what is done."""
    header, finished = table(tables / f"finished_{name}.csv")
    met = Met(game, jobs, journal)
    of_coverage, rows = table(tables / f"coverage_{name}.csv")
    for some in (header, of_coverage):
        require(some["configurations"] == str(met.number), f"not {met.number} configurations")
    require(header["game"] == str(game), f"the tables of {header['game']}")
    search = Search(met)
    most = check_coverage(met, search, rows)
    rows = table(tables / f"reveal_{name}.csv")[1]
    classes = check_reveal(game, rows, met.number, jobs, journal)
    for what, bound in check_finished(game, search, most, classes, finished).items():
        require(bound == Fraction(header[what]), f"the mean by {what} in the header")
    print(f"confirmed: {game} takes at least {bound} = {float(bound):.6f} shots on average")


def main() -> None:
    """Check, and print the bound."""
    parser = script.parser(__doc__, "check_lower_bounds")
    parser.add_argument("game", nargs="?", type=script.game, default=Game.parse("10x10:5,4,3,3,2"))
    parser.add_argument("--tables", type=Path, default=RESULTS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--checkpoints", type=Path, default=script.CHECKPOINTS)
    arguments = parser.parse_args()
    game, jobs, kept = arguments.game, arguments.jobs, arguments.checkpoints
    before = "-" if max(game.fleet) > 9 else ""
    name = str(game).replace(":", f"_{before}").replace(",", before)
    for part in ("finished", "coverage", "reveal"):
        if not (arguments.tables / f"{part}_{name}.csv").is_file():
            parser.error(
                f"{arguments.tables} has no table {part}_{name}.csv; "
                f"python -m experiments.lower_bounds {game} writes it"
            )
    with Journal(kept / f"check_{game}.jsonl".replace(":", "_"), f"{FORMAT} {game}") as journal:
        check(game, arguments.tables, name, jobs, journal)


if __name__ == "__main__":
    script.run(main)
