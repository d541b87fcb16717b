"""Check the lower bounds: python -m experiments.check_lower_bounds [GAME] [--tables FOLDER]

Reads the three tables of `experiments.lower_bounds` and confirms them in another way, in half an
hour or so on two cores for the usual game. Nothing of `optsearch.bounds` is used. The
configurations that a set of cells meets are counted by the transfer matrix with these cells as
water, for every three cells up to symmetry and with every fourth one, where the tables have them
from a walk over all configurations. From these counts:

1. the most that 1 to 5 cells meet is what the table says, those of five over the candidates that
   their quadruples leave;
2. for more cells the inequality of the table holds for every possible number of hits, and its right
   side is nowhere above the table;
3. the configurations finished within l misses follow from these (root chain);
4. the classes of the reveal game are complete, their completions are those that the transfer matrix
   counts, and no value is below the one that `experiments.reveal_again` finds;
5. the mean that follows is the one in the header.
"""

import argparse
import csv
import os
import sys
import time
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from experiments.reveal_again import RevealAgain
from optsearch.game import Game, bits
from optsearch.lattice import Constraints, sweep
from optsearch.workers import processes

Row = dict[str, str]


def table(path: Path) -> tuple[dict[str, str], list[Row]]:
    """Header and rows of a result table."""
    lines = path.read_text(encoding="utf-8").splitlines()
    header = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    return header, list(csv.DictReader(line for line in lines if not line.startswith("#")))


def require(is_so: bool, what: str) -> None:
    """End with what is wrong."""
    if not is_so:
        sys.exit(f"NOT CONFIRMED: {what}")


class Met:
    """f of every set of up to four cells, in arrays with one axis a cell (below each other)."""

    def __init__(self, game: Game):
        self.game, n = game, game.cells
        self.number = sweep(game).count(Constraints(game.fleet))
        self.four = np.zeros((n, n, n, n), np.uint32)  # repeated cells make the smaller sets
        symmetries = game.symmetries()
        triples = [
            cells
            for cells in combinations(range(n), 3)
            if all(tuple(sorted(p[c] for c in cells)) >= cells for p in symmetries)
        ]
        started = time.perf_counter()
        for done, cells in enumerate(triples, 1):
            met = self.with_one_more(cells)
            for p in map(np.array, symmetries):
                turned = np.empty(n, np.int64)
                turned[p] = met
                for a, b, c in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
                    self.four[p[cells[a]], p[cells[b]], p[cells[c]]] = turned
            if done % 1000 == 0 or done == len(triples):
                seconds = time.perf_counter() - started
                left = seconds / done * (len(triples) - done)
                print(f"{done} of {len(triples)} triples, about {left:.0f} s more", flush=True)
        cell = np.arange(n)
        for x in range(n):  # {x, y}: from any triple with a repeated cell in place of the third
            met = self.with_one_more((x,))
            self.four[x, x, x] = met
            for y in cell:
                pair = self.with_one_more((x, int(y))) if y > x else None
                if pair is not None:
                    for some in ((x, x, y), (x, y, x), (y, x, x), (y, y, x), (y, x, y), (x, y, y)):
                        self.four[some] = pair

    def with_one_more(self, cells: tuple[int, ...]) -> NDArray[np.int64]:
        """f of these cells and every other one."""
        closed = sum(1 << cell for cell in set(cells))
        left, through = sweep(self.game).through(Constraints(self.game.fleet, closed))
        met = np.full(self.game.cells, self.number - left, np.int64)
        for ship, some in through.items():
            for cell in bits(ship):
                met[cell] += some
        return met

    def all_of(self, size: int) -> NDArray[np.int64]:
        """f of all sets of `size` <= 4 cells, in the order of combinations."""
        sets = np.array(list(combinations(range(self.game.cells), size)))
        sets = np.column_stack([sets, *[sets[:, :1]] * (4 - size)])
        return np.asarray(self.four[tuple(sets.T)].astype(np.int64))


def check_five(met: Met, most: int) -> None:
    """No five cells meet more than `most`, and some meet as many."""
    n = met.game.cells
    sets = np.array(list(combinations(range(n), 4)))
    value = met.all_of(4)
    attained, counted = False, 0
    # At least one set of four in such a five meets four fifths of it.
    for some in np.array_split(sets[5 * value >= 4 * most], max(1, len(sets) // 50_000)):
        whole = met.four[tuple(some.T)].astype(np.int64)
        least = np.full((len(some), n), np.iinfo(np.int64).max)
        for out in range(4):
            three = np.delete(some, out, axis=1)
            four = met.four[tuple(three.T)].astype(np.int64)
            base = met.four[tuple(np.column_stack([three, three[:, :1]]).T)].astype(np.int64)
            added = four - base[:, None]
            added[four > whole[:, None]] = 0  # another quadruple of the five is the larger one
            least = np.minimum(least, added)
        for cells in some[(whole + least.max(axis=1)) >= most].tolist():
            if any(
                tuple(sorted(p[c] for c in cells)) < tuple(cells) for p in met.game.symmetries()
            ):
                continue
            counted += 1
            best = int(met.with_one_more(tuple(cells)).max())
            require(best <= most, f"five cells meet {best}, more than {most}")
            attained = attained or best == most
    require(attained, f"no five cells meet {most}")
    print(f"five cells: {counted} candidates, none above {most}")


def check_coverage(met: Met, rows: list[Row]) -> dict[int, int]:
    """The table of coverages; k -> the bound, all configurations beyond."""
    most = {int(row["cells"]): int(row["most_met"]) for row in rows}
    n = met.game.cells
    f = [np.zeros(0), *[met.all_of(size) for size in range(1, 5)]]
    index = np.array(list(combinations(range(n), 4)))
    f4 = f[4]

    def inside(part: int) -> NDArray[np.int64]:
        """For each four cells, the configurations that cover `part` of them, summed over these."""
        total = np.zeros(len(index), np.int64)
        for columns in combinations(range(4), part):
            for size in range(1, part + 1):
                for some in combinations(columns, size):
                    cells = [index[:, c] for c in some]
                    cells += [cells[0]] * (4 - size)
                    total += (-1) ** (size + 1) * met.four[tuple(cells)].astype(np.int64)
        return total

    sums = [inside(part) for part in range(1, 5)]
    require(bool((sums[0] - sums[1] + sums[2] - sums[3] == f4).all()), "inclusion and exclusion")
    for row in rows:
        k = int(row["cells"])
        if k == 0:
            require(most[k] == 0, "no cells meet something")
        elif row["proof"] == "exact" and k <= 4:
            require(most[k] == int(f[k].max()), f"{k} cells meet {f[k].max()}, not {most[k]}")
        elif row["proof"] == "exact":
            require(k == 5, "only sets of up to five cells are exact")
            check_five(met, most[k])
        elif row["proof"] == "quadruples":
            a = Fraction(row["a"])
            for i in range(k + 1):
                value = i - comb(i, 2) + comb(i, 3) - a * comb(i, 4)
                require(value >= (i > 0), f"the inequality fails for {k} cells at {i}")
            parts = [Fraction(s, comb(k - j, 4 - j)) for j, s in ((1, 1), (2, -1), (3, 1))] + [-a]
            scale = np.lcm.reduce([part.denominator for part in parts])
            weighed = sum(int(p * int(scale)) * s for p, s in zip(parts, sums, strict=True))
            bound = comb(k, 4) * Fraction(int(np.max(weighed)), int(scale))
            require(most[k] >= bound // 1, f"{k} cells may meet {bound // 1}, not {most[k]}")
        else:
            bound = min(Fraction(met.number), Fraction(k, k - 1) * most[k - 1])
            require(most[k] >= bound // 1, f"{k} cells may meet {bound // 1}, not {most[k]}")
    print("coverages:", *most.values())
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
    met = Met(game)
    require(met.number == int(header["configurations"]), f"{met.number} configurations")
    most = check_coverage(met, table(arguments.tables / f"coverage_{name}.csv")[1])
    revealed = check_reveal(
        game, table(arguments.tables / f"reveal_{name}.csv")[1], met.number, arguments.jobs
    )
    hits, left = game.fleet_cells, Fraction(0)
    for misses, row in enumerate(finished):
        words = [most.get(j, met.number) + comb(misses - j + hits, hits) for j in range(misses + 1)]
        chain = min([met.number, *words, most.get(misses + 1, met.number)])
        require(int(row["misses"]) == misses, "the rows of the last table")
        require(int(row["root_chain"]) >= chain, f"the root chain at {misses} misses")
        require(int(row["reveal_game"]) >= revealed[misses], f"the reveal game at {misses} misses")
        least = min(int(row["root_chain"]), int(row["reveal_game"]))
        left += max(Fraction(0), 1 - Fraction(least, met.number))
    bound = hits + left
    require(bound == Fraction(header["root chain and reveal game"]), "the bound of the header")
    print(f"confirmed: {game} takes at least {bound} = {float(bound):.6f} shots on average")


if __name__ == "__main__":
    main()
