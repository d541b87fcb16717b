"""Check the lower bounds: python -m experiments.check_lower_bounds [GAME] [--tables FOLDER]

Reads the three tables of `experiments.lower_bounds` and confirms them in another way, in half an
hour or so on two cores for the usual game. Nothing of `optsearch.bounds` is used. The
configurations that a set of cells meets are counted by the transfer matrix with these cells as
water, for every three cells up to symmetry and with every fourth one, where the tables have them
from a walk over all configurations. From these counts:

1. the most that 1 to 4 cells meet is what the table says;
2. a search of its own finds no larger set of more cells whose bound is above the table;
3. the configurations finished within l misses follow from these (root chain);
4. the classes of the reveal game are complete, their completions are those that the transfer matrix
   counts, and no value is below the one that `experiments.reveal_again` finds;
5. the means that follow, and the numbers of configurations, are those in the headers.

That some sets of more than four cells meet as many as the table says is not checked: no bound needs
it.
"""

import argparse
import csv
import os
import sys
import time
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, repeat
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.coverage_again import covering, larger
from experiments.reveal_again import RevealAgain
from optsearch.game import Game, bits
from optsearch.lattice import Constraints, sweep
from optsearch.workers import processes

Row = dict[str, str]
AT_ONCE = 200  # triples of a job


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


class Met:
    """f of every set of up to four cells, in arrays with one axis a cell (below each other)."""

    def __init__(self, game: Game, jobs: int):
        self.game, n = game, game.cells
        self.number = all_configurations(game)
        self.four = np.zeros((n, n, n, n), np.uint32)  # repeated cells make the smaller sets
        symmetries = game.symmetries()
        triples: list[tuple[int, ...]] = [
            cells
            for cells in combinations(range(n), 3)
            if all(tuple(sorted(p[c] for c in cells)) >= cells for p in symmetries)
        ]
        started = time.perf_counter()
        done = 0
        with processes(jobs) as pool:
            parts = [triples[i : i + AT_ONCE] for i in range(0, len(triples), AT_ONCE)]
            for some, counts in zip(parts, pool.map(meeting, repeat(game), parts), strict=True):
                for cells, met in zip(some, counts, strict=True):
                    self._enter(cells, met)
                done += len(some)
                seconds = time.perf_counter() - started
                left = seconds / done * (len(triples) - done)
                print(f"{done} of {len(triples)} triples, about {left:.0f} s more", flush=True)
        for x in range(n):
            three = self.four[x, :, :, x].copy()
            pairs = with_one_more(game, (x,))
            np.fill_diagonal(three, pairs)
            three[x] = three[:, x] = pairs
            self.four[x, x] = self.four[x, :, x] = self.four[:, x, x] = three

    def _enter(self, cells: tuple[int, ...], met: NDArray[np.int64]) -> None:
        """f of three cells and every other one, and of their images."""
        for p in map(np.array, self.game.symmetries()):
            turned = np.empty(len(met), np.int64)
            turned[p] = met
            for a, b, c in permutations(range(3)):
                self.four[p[cells[a]], p[cells[b]], p[cells[c]]] = turned

    def all_of(self, size: int) -> NDArray[np.int64]:
        """f of all sets of `size` <= 4 cells, in the order of combinations."""
        sets = np.array(list(combinations(range(self.game.cells), size)))
        sets = np.column_stack([sets, *[sets[:, :1]] * (4 - size)])
        return np.asarray(self.four[tuple(sets.T)].astype(np.int64))


def check_coverage(met: Met, rows: list[Row]) -> dict[int, int]:
    """The table of coverages; k -> the bound, all configurations beyond."""
    most = {int(row["cells"]): int(row["most_met"]) for row in rows}
    game = met.game
    counts = covering(met.four)
    require(int(counts[0].sum()) == met.number * game.fleet_cells, "the counts of the cells")
    classes = np.array([min(p[cell] for p in game.symmetries()) for cell in range(game.cells)])
    for row in rows:
        k = int(row["cells"])
        if k == 0:
            require(most[k] == 0, "no cells meet something")
        elif k <= 4:
            is_most = most[k] == int(met.all_of(k).max()) and row["attained"] == "yes"
            require(is_most, f"{most[k]} met by {k} cells")
        elif most[k] < met.number:
            # Han's inequality, or else no set may have a larger bound.
            if most[k] < most[k - 1] * k // (k - 1):
                larger_one = larger(counts, classes, k, most[k])
                require(larger_one == most[k], f"{k} cells may meet {larger_one}, not {most[k]}")
            print(f"{k} cells: none meet more than {most[k]}", flush=True)
    return most


def evaluate_again(game: Game, ship: int, misses: int) -> tuple[list[int], int]:
    """F and the completions of one class of the reveal game."""
    return RevealAgain(game, misses).values(ship)


def check_reveal(game: Game, rows: list[Row], number: int, jobs: int) -> list[int]:
    """The table of the reveal game; A(l)."""
    ships = {"-".join(game.names(ship)): ship for ship in game.placements(game.fleet[0])}
    seen: set[int] = set()
    width = len(rows[0]) - 3
    total, completions = [0] * width, 0
    for row in rows:
        ship = ships[row["ship"]]
        orbit = {sum(1 << p[cell] for cell in bits(ship)) for p in game.symmetries()}
        require(len(orbit) == int(row["alike"]) and not seen & orbit, f"the class {row['ship']}")
        seen |= orbit
        fleet, closed = game.fleet[1:], ship | game.halo(ship)
        count = sweep(game).count(Constraints(fleet, closed))
        require(count == int(row["completions"]), f"{count} completions of {row['ship']}")
        values = [int(row[f"F{misses}"]) for misses in range(width)]
        require(values == sorted(values) and values[-1] <= count, f"the values of {row['ship']}")
        total = [one + len(orbit) * value for one, value in zip(total, values, strict=True)]
        completions += len(orbit) * count
    require(seen == set(ships.values()), "a class is missing")
    equal = game.fleet.count(game.fleet[0])
    require(completions == equal * number, "the completions do not add up")
    started = time.perf_counter()
    with processes(jobs) as pool:
        again = [pool.submit(evaluate_again, game, ships[row["ship"]], width) for row in rows]
        for done, (row, future) in enumerate(zip(rows, again, strict=True), 1):
            found, count = future.result()
            values = [int(row[f"F{misses}"]) for misses in range(width)]
            require(
                count == int(row["completions"])
                and all(value >= least for value, least in zip(values, found, strict=True)),
                f"the values of {row['ship']} where the reveal game is evaluated again",
            )
            seconds = time.perf_counter() - started
            left = seconds / done * (len(rows) - done)
            print(f"{done} of {len(rows)} classes, about {left:.0f} s more", flush=True)
    return [value // equal for value in total]


def main() -> None:
    """Check, and print the bound."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", type=Game.parse, default=Game.parse("10x10:5,4,3,3,2"))
    folder = Path(__file__).resolve().parent.parent / "data" / "results"
    parser.add_argument("--tables", type=Path, default=folder)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    arguments = parser.parse_args()
    game = arguments.game
    name = str(game).replace(":", "_").replace(",", "")
    header, finished = table(arguments.tables / f"finished_{name}.csv")
    met = Met(game, arguments.jobs)
    of_coverage, rows = table(arguments.tables / f"coverage_{name}.csv")
    for some in (header, of_coverage):
        require(some["configurations"] == str(met.number), f"not {met.number} configurations")
    require(header["game"] == str(game), f"the tables of {header['game']}")
    most = check_coverage(met, rows)
    revealed = check_reveal(
        game, table(arguments.tables / f"reveal_{name}.csv")[1], met.number, arguments.jobs
    )
    hits, chains = game.fleet_cells, []
    for misses, row in enumerate(finished):
        words = [most.get(j, met.number) + comb(misses - j + hits, hits) for j in range(misses + 1)]
        chains.append(min([met.number, *words, most.get(misses + 1, met.number)]))
        require(int(row["misses"]) == misses, "the rows of the last table")
        require(int(row["root_chain"]) >= chains[-1], f"the root chain at {misses} misses")
        require(int(row["reveal_game"]) >= revealed[misses], f"the reveal game at {misses} misses")
    both = [[int(row[column]) for row in finished] for column in ("root_chain", "reveal_game")]
    for what, numbers in {
        "root chain": both[0],
        "reveal game": both[1],
        "root chain and reveal game": [min(pair) for pair in zip(*both, strict=True)],
    }.items():
        bound = hits + sum(Fraction(max(0, met.number - some), met.number) for some in numbers)
        require(bound == Fraction(header[what]), f"the mean by {what} in the header")
    print(f"confirmed: {game} takes at least {bound} = {float(bound):.6f} shots on average")


if __name__ == "__main__":
    main()
