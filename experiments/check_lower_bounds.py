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
from collections.abc import Callable
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
from experiments.verify_coverage import CoverCounts, covering, largest_bound
from experiments.verify_first_ship import FirstShipCosts, PlacementCounts, largest_kept
from experiments.verify_reveal import RevealedFleet
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
    """End with what is wrong."""
    if not is_so:
        sys.exit(f"NOT CONFIRMED: {claim}")


@cache
def all_configurations(game: Game) -> int:
    """Count the configurations of a game."""
    return engine_for(game).count(Constraints(game.fleet))


def with_one_more(game: Game, cells: tuple[int, ...]) -> NDArray[np.int64]:
    """f of these cells and every other one."""
    closed = sum(1 << cell for cell in set(cells))
    number = all_configurations(game)
    left, by_ship = engine_for(game).count_by_placement(Constraints(game.fleet, closed))
    met = np.full(game.cells, number - left, np.int64)
    for (_, ship), some in by_ship.items():
        for cell in bits(ship):
            met[cell] += some
    return met


def meeting(game: Game, sets: list[tuple[int, ...]]) -> list[NDArray[np.int64]]:
    """Count the configurations that meet each of several sets with one more cell."""
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
    """f of every set of up to four cells, counted when first asked for.

    store -- keeps the counts that are done, for a check that was stopped.
    """

    def __init__(self, game: Game, jobs: int, store: Facts):
        self.game, self._jobs, self._store = game, jobs, store
        self.number = all_configurations(game)

    @cached_property
    def four(self) -> NDArray[np.uint32]:
        """Counts with one axis for each of four cells; repeated cells make the smaller sets."""
        game, n = self.game, self.game.cells
        four = np.full((n, n, n, n), MISSING)
        sets = sets_to_count(game)
        parts = [sets[i : i + AT_ONCE] for i in range(0, len(sets), AT_ONCE)]
        store = self._store
        counted = [np.array(met) for i in range(len(parts)) for met in store.get(f"sets {i}", [])]
        stored = sum(f"sets {i}" in store for i in range(len(parts)))
        clock = script.ProgressClock("sets")
        with process_pool(self._jobs) as pool:
            again = pool.map(meeting, repeat(game), parts[stored:])
            for number, counts in enumerate(again, stored):
                self._store.add(f"sets {number}", [met.tolist() for met in counts])
                counted += counts
                clock(len(counted), len(sets))
        three = np.zeros((n, n, n), np.uint32)
        for x in range(n):
            three[x, x] = with_one_more(game, (x,))
        for cells, met in zip(sets, counted, strict=True):
            for p in map(np.array, game.symmetries()):
                turned = np.empty(n, np.int64)
                turned[p] = met
                for image in permutations(p[list(cells)].tolist()):
                    if len(image) == 2:
                        three[image] = turned
                        continue
                    a, b, c = image
                    four[a, b, c] = four[a, b, :, c] = turned
                    four[a, :, b, c] = four[:, a, b, c] = turned
        for x in range(n):
            four[x, x] = four[x, :, x] = four[x, :, :, x] = three[x]
            four[:, x, x] = four[:, x, :, x] = four[:, :, x, x] = three[x]
        require(not (four == MISSING).any(), "some four cells are not counted")
        return four

    def all_of(self, size: int) -> NDArray[np.int64]:
        """f of all sets of `size` <= 4 cells, in the order of combinations."""
        sets = np.array(list(combinations(range(self.game.cells), size)))
        sets = np.column_stack([sets, *[sets[:, :1]] * (4 - size)])
        return np.asarray(self.four[tuple(sets.T)].astype(np.int64))


class LargerSets:
    """The search of experiments.verify_coverage on these counts."""

    def __init__(self, met: Met):
        game = self._game = met.game
        self.number, self._met = met.number, met
        least_cells = [min(p[cell] for p in game.symmetries()) for cell in range(game.cells)]
        self.classes = np.array(least_cells)
        self.cells = game.cells

    @cached_property
    def counts(self) -> CoverCounts:
        """The configurations that cover every set of up to four cells."""
        counts = covering(self._met.four)
        cells = int(counts.one.sum())
        require(cells == self.number * self._game.fleet_cells, "the counts of cells")
        return counts

    def larger(self, size: int, best: int, cost: dict[int, int]) -> int:
        """Return the largest bound of a set above `best`, or `best`. cost -- of placements."""
        paid = [ship for ship, some in cost.items() if some]
        ships = [[bool(ship >> cell & 1) for cell in range(self.cells)] for ship in paid]
        where = np.array(ships, np.bool_).reshape(-1, self.cells)
        costs = np.array([cost[ship] for ship in paid], np.int64)
        return largest_bound(self.counts, self.classes, size, best, where, costs)


def check_coverage(met: Met, search: LargerSets, rows: list[Row]) -> dict[int, int]:
    """The table of coverages; k -> the bound, all configurations beyond."""
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
                larger_one = search.larger(k, most_met[k], {})
                require(
                    larger_one == most_met[k], f"{k} cells may meet {larger_one}, not {most_met[k]}"
                )
            print(f"{k} cells: none meet more than {most_met[k]}", flush=True)
    return most_met


def orbits_of(game: Game, rows: list[Row], lengths: set[int]) -> list[tuple[int, set[int]]]:
    """The ship of each row and all those alike: every placement of these lengths, each once."""
    placed = [ship for length in lengths for ship in game.placements(length)]
    ships = {"-".join(game.names(ship)): ship for ship in placed}
    seen: set[int] = set()
    orbits = []
    for row in rows:
        ship = ships[row["ship"]]
        orbit = set(game.images(ship))
        require(len(orbit) == int(row["alike"]) and not seen & orbit, f"the class {row['ship']}")
        seen |= orbit
        orbits.append((ship, orbit))
    require(seen == set(placed), "a class is missing")
    return orbits


class MetBeside(NamedTuple):
    """A class of placements of a ship: its completions, and met[k], what k cells meet of them."""

    ships: set[int]
    length: int
    completions: int
    met: list[int]

    def most_met(self, cells: int) -> int:
        """Bound the configurations met by some cells; beyond the table by Han's inequality."""
        last = len(self.met) - 1
        return self.met[max(0, cells)] if cells <= last else self.met[last] * cells // last


def larger_beside(game: Game, ship: int, met: list[int]) -> list[int]:
    """Return for each k a bound above met[k] on what k cells beside a ship meet, or met[k]."""
    count, counts = counted_beside(game, ship)
    symmetries = [
        p for p in game.symmetries() if {p[cell] for cell in bits(ship)} == set(bits(ship))
    ]
    classes = np.array([min(p[cell] for p in symmetries) for cell in range(game.cells)])
    nothing = np.zeros((0, game.cells), np.bool_), np.zeros(0, np.int64)
    bounds = [0]
    for k in range(1, len(met)):
        by_han = k > 4 and met[k] >= min(count, met[k - 1] * k // (k - 1))
        if by_han or met[k] == count or k > game.cells:
            bounds.append(met[k])
        else:
            bounds.append(largest_bound(counts, classes, k, met[k], *nothing))
    return [count, *bounds]


def check_beside(
    game: Game, rows: list[Row], number: int, jobs: int, store: Facts
) -> list[MetBeside]:
    """The table of what cells beside ships meet. store -- keeps what was counted again."""
    orbits = orbits_of(game, rows, set(game.fleet))
    width = sum(name.startswith("met") for name in rows[0])
    classes: list[MetBeside] = []
    for row, (ship, orbit) in zip(rows, orbits, strict=True):
        met = [0, *(int(row[f"met{k}"]) for k in range(1, width + 1))]
        classes.append(MetBeside(orbit, ship.bit_count(), int(row["completions"]), met))
    for length in set(game.fleet):
        some = [len(kind.ships) * kind.completions for kind in classes if kind.length == length]
        require(sum(some) == game.fleet.count(length) * number, f"completions of {length} cells")
    if len(game.fleet) == 1:
        require(all(not any(kind.met) for kind in classes), "there is nothing beside the only ship")
        return classes
    keys = [f"beside {row['ship']}, {kind.met}" for row, kind in zip(rows, classes, strict=True)]
    every = list(zip(keys, orbits, classes, strict=True))
    work = {key: (game, ship, kind.met) for key, (ship, _), kind in every}
    compute("ships with what is beside them", jobs, store, larger_beside, work)
    for key, _, kind in every:
        require(store[key] == [kind.completions, *kind.met], f"what cells meet {key}")
    return classes


def compute(
    title: str, jobs: int, store: Facts, function: Callable[..., Any], work: dict[str, Any]
) -> None:
    """Have in the store what a function gives for the arguments at each name, by processes."""
    clock = script.ProgressClock(title)
    with process_pool(jobs) as pool:
        left = {key: some for key, some in work.items() if key not in store}
        again = {key: pool.submit(function, *some) for key, some in left.items()}
        for done, (key, future) in enumerate(again.items(), 1):
            store.add(key, future.result())
            clock(done, len(again))


class Class(NamedTuple):
    """A class of placements of the longest ship, and the table's values."""

    ships: set[int]
    completions: int
    values: list[int]


def verify_reveal(game: Game, ship: int, misses: int) -> tuple[list[int], int]:
    """F and the completions of one class of the reveal game."""
    return RevealedFleet(game, misses).values(ship)


def check_reveal(game: Game, rows: list[Row], number: int, jobs: int, store: Facts) -> list[Class]:
    """The table of the reveal game. store -- keeps what was evaluated again."""
    orbits = orbits_of(game, rows, {game.fleet[0]})
    width = len(rows[0]) - 3
    classes = []
    for row, (ship, orbit) in zip(rows, orbits, strict=True):
        fleet, closed = game.fleet[1:], ship | game.halo(ship)
        count = engine_for(game).count(Constraints(fleet, closed))
        require(count == int(row["completions"]), f"{count} completions of {row['ship']}")
        values = [int(row[f"F{misses}"]) for misses in range(width)]
        require(values == sorted(values) and values[-1] <= count, f"the values of {row['ship']}")
        classes.append(Class(orbit, count, values))
    equal = game.fleet.count(game.fleet[0])
    completions = sum(len(kind.ships) * kind.completions for kind in classes)
    require(completions == equal * number, "the completions do not add up")
    keys = [f"class {row['ship']}" for row in rows]
    work = {key: (game, ship, width) for key, (ship, _) in zip(keys, orbits, strict=True)}
    compute("classes", jobs, store, verify_reveal, work)
    for row, key, kind in zip(rows, keys, classes, strict=True):
        again, count = store[key]
        require(
            count == kind.completions
            and all(
                value >= recomputed for value, recomputed in zip(kind.values, again, strict=True)
            ),
            f"the values of {row['ship']} where the reveal game is evaluated again",
        )
    return classes


def words(misses: int, hits: int) -> int:
    """Count the sequences of `hits` hits and at most `misses` misses that end in a hit."""
    return comb(misses + hits, hits) if misses >= 0 else 0


def costs_of_longest(
    game: Game, classes: list[Class], kinds: list[MetBeside], misses: int, k: int
) -> dict[int, int]:
    """Map each placement of the longest ship to the cost of meeting it with k cells."""
    hits = game.fleet_cells - game.fleet[0]
    cost: dict[int, int] = {}
    for revealed in classes:
        beside = next(kind for kind in kinds if kind.ships == revealed.ships)
        # Finished at most where the ship is known: by its table, or by a chain beside it.
        chains = [beside.most_met(j) + words(misses - j, hits) for j in range(misses + 1)]
        finished = min(revealed.values[misses], *chains) if hits else revealed.values[misses]
        left = beside.completions - max(finished, beside.most_met(k - 2))
        cost |= dict.fromkeys(revealed.ships, max(0, left) // game.fleet.count(game.fleet[0]))
    return cost


def check_first_ship(
    game: Game,
    search: LargerSets,
    kinds: list[MetBeside],
    misses: int,
    k: int,
    value: int,
    store: Facts,
) -> None:
    """A(l) by the root chain with the first ship. store -- keeps what was confirmed."""
    where = f"the chain with the first ship at {misses} misses"
    key = f"{where}, {k} cells, {value}, {[kind.met for kind in kinds]}"
    allowed = value - words(misses - k, game.fleet_cells)
    if key not in store:
        beside = [kind for kind in kinds if kind.length < game.fleet_cells]
        counted = 0
        while any(kind.most_met(counted) < kind.completions for kind in beside):
            counted += 1
        most_misses = max(k - 1, min(misses + 1, counted + 2))
        placed = []
        for kind in beside:
            met = accumulate((kind.most_met(i) for i in range(most_misses + 1)), max)
            avoiding = [max(0, kind.completions - some) for some in met]
            placed += [PlacementCounts(ship, avoiding) for ship in sorted(kind.ships)]
        again = FirstShipCosts(game, placed, misses, k - 1, most_misses)
        started = time.perf_counter()

        def report(size: int, done: int, sets: int) -> None:
            seconds = time.perf_counter() - started
            part = f"{done} of {sets} sets of {size} cells"
            print(f"{misses} misses: {part}, {seconds:.0f} s", flush=True)

        largest = largest_kept(search.counts, again, k, allowed, report)
        require(largest == allowed, where)
        store.add(key, largest)
    print(f"{misses} misses: {value} are finished at most (first ship)", flush=True)


def check_finished(
    game: Game,
    search: LargerSets,
    most_met: dict[int, int],
    classes: list[Class],
    kinds: list[MetBeside],
    rows: list[Row],
    store: Facts,
) -> dict[str, Fraction]:
    """The last table; the means that follow, by the names in its header.

    store -- keeps what was confirmed of the chain with the first ship, which takes longest.
    """
    hits, number, equal = game.fleet_cells, search.number, game.fleet.count(game.fleet[0])
    names = ("root_chain", "reveal_game", "ship_chain")
    bounds: list[list[int]] = []
    for misses, row in enumerate(rows):
        require(int(row["misses"]) == misses, "the rows of the last table")
        chain, reveal, longest = (int(row[name]) for name in names)
        by_cells = [most_met.get(j, number) + words(misses - j, hits) for j in range(misses + 2)]
        require(chain >= min(number, *by_cells), f"the root chain at {misses} misses")
        by_reveal = sum(len(kind.ships) * kind.values[misses] for kind in classes) // equal
        require(reveal >= by_reveal, f"the reveal game at {misses} misses")
        before = min(chain, reveal)
        where = f"the chain with the longest ship at {misses} misses"
        k = int(row["cells"])
        require(0 <= k <= min(misses + 1, game.cells), f"{k} cells at {misses} misses")
        if k:
            allowed = longest - words(misses - k, hits)
            costs = costs_of_longest(game, classes, kinds, misses, k)
            require(search.larger(k, allowed, costs) == allowed, where)
            print(f"{misses} misses: {longest} are finished at most (longest ship)", flush=True)
        else:
            require(longest >= before, where)
        so_far = [chain, reveal, before]
        before = min(before, longest)
        so_far.append(before)
        first, k = int(row["first_ship"]), int(row["first_ship_cells"])
        require(0 <= k <= min(misses + 1, game.cells), f"{k} cells at {misses} misses")
        if k:
            check_first_ship(game, search, kinds, misses, k, first, store)
        else:
            require(first >= before, f"the chain with the first ship at {misses} misses")
        bounds.append([*so_far, min(before, first)])
    means = [
        hits + Fraction(sum(max(0, number - some) for some in finished), number)
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


def check(game: Game, tables: dict[str, Record], jobs: int, store: Facts) -> dict[str, Fraction]:
    """All of it; the means. tables -- by their `PARTS`; store -- keeps what is done."""
    coverage, beside, reveal, finished = (tables[part] for part in PARTS)
    header = finished.header
    met = Met(game, jobs, store)
    for some in (header, coverage.header):
        require(some["configurations"] == str(met.number), f"not {met.number} configurations")
    require(Game.parse(header["game"]) == game, f"the tables of {header['game']}")
    search = LargerSets(met)
    most_met = check_coverage(met, search, coverage.rows)
    classes = check_reveal(game, reveal.rows, met.number, jobs, store)
    kinds = check_beside(game, beside.rows, met.number, jobs, store)
    means = check_finished(game, search, most_met, classes, kinds, finished.rows, store)
    for title, bound in means.items():
        require(bound == Fraction(header[title]), f"the mean by {title} in the header")
    print(f"confirmed: {game} takes at least {bound} = {float(bound):.6f} shots on average")
    return means


def tables_in(folder: Path, game: Game) -> dict[str, Record]:
    """The four tables of a game by their `PARTS`; raises RecordError where one is not there."""
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
    """Check, print the bound, and write what was confirmed."""
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
