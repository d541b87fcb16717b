"""The paper's two strategies, reconstructed: python -m experiments.patterns

Section 4.2 of Audinot, Bonnet and Viennot (2014) prints the means 58.7 (four directions cleared)
and slightly below 55.6 (right and left first), and for the second the standard deviation 7.6 and
the worst case 73; the page that describes the strategies is lost. Every pattern of
`optsearch.strategies.pattern` with one or two colours is played on the same 200,000 seeded random
configurations, and each is listed with how far it is from the printed figures, nearest first, in
data/results/patterns.csv. The worst case of a sample is at most that of the game.
"""

import argparse
import sys
from itertools import permutations
from math import sqrt
from pathlib import Path

import numpy as np

from experiments import RESULTS
from optsearch import records
from optsearch.configurations import CellSets
from optsearch.evaluate import play_sample
from optsearch.game import Game
from optsearch.position import Position
from optsearch.posterior import Posterior
from optsearch.strategies.pattern import SCANS, Pattern

GAME = Game.parse("10x10:5,4,3,3,2")
COLUMNS = (
    "modulus",
    "colours",
    "scan",
    "cross_mean",
    "line_mean",
    "line_sd",
    "line_worst",
    "distance",
)


def colourings() -> list[tuple[int, str]]:
    """Modulus and colours: everything at once, halves, thirds, quarters and fifths in pairs."""
    found = [(1, "0")]
    for modulus in (2, 3, 4, 5):
        for colours in permutations("01234"[:modulus], min(2, modulus)):
            found.append((modulus, "".join(colours)))
    return found


def figures(pattern: Pattern, sets: CellSets) -> tuple[float, float, int]:
    """Mean, standard deviation and worst case over some configurations."""
    histogram = play_sample(pattern, GAME, sets)
    shots = np.arange(len(histogram))
    mean = float(histogram @ shots) / len(sets)
    return (
        mean,
        sqrt(float(histogram @ shots**2) / len(sets) - mean**2),
        int(shots[histogram > 0][-1]),
    )


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Which patterns come near to the printed figures.")
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder to write to")
    parser.add_argument("--samples", type=int, default=200_000, help="configurations to play")
    arguments = parser.parse_args()
    ships = Posterior(Position(GAME)).sample(arguments.samples, 1)
    sets = np.ascontiguousarray(np.bitwise_or.reduce(ships, axis=1))
    rows = []
    for modulus, colours in colourings():
        for scan in SCANS:
            cross = figures(Pattern(modulus, colours, scan, "cross"), sets)
            line = figures(Pattern(modulus, colours, scan, "line"), sets)
            distance = abs(cross[0] - 58.7) + abs(line[0] - 55.6) + abs(line[1] - 7.6)
            distance += abs(line[2] - 73) / 10
            values = (cross[0], line[0], line[1])
            rows.append(
                (modulus, colours, scan, *(f"{x:.3f}" for x in values), line[2], f"{distance:.3f}")
            )
    rows.sort(key=lambda row: float(str(row[-1])))
    path = arguments.output / "patterns.csv"
    records.write(
        path,
        COLUMNS,
        rows,
        title="Patterns of section 4.2, reconstructed: means over random configurations of "
        f"{GAME}, and the distance to the printed 58.7, 55.6, 7.6 and 73 (a tenth for each shot)",
        command=f"python -m experiments.patterns --samples {arguments.samples}",
        fields={"samples": arguments.samples, "seed": 1},
    )
    print(
        f"{path}: nearest is modulus={rows[0][0]},colours={rows[0][1]},scan={rows[0][2]}: {rows[0]}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
