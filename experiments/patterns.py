"""The paper's two strategies, reconstructed: python -m experiments.patterns [-o FOLDER]

Section 4.2 of Audinot, Bonnet and Viennot (2014) prints the means 58.7 (four directions cleared)
and slightly below 55.6 (right and left first), and for the second the standard deviation 7.6 and
the worst case 73; the page that describes the strategies is lost. Every pattern of
`optsearch.strategies.pattern` with one or two colours is played on the same 200,000 seeded random
configurations, and each is listed with how far it is from the printed figures, nearest first, in
data/results/patterns.csv. The worst case of a sample is at most that of the game.
"""

from itertools import permutations
from math import sqrt

import numpy as np

from experiments import script
from optsearch.counting.configurations import CellSets
from optsearch.counting.posterior import Posterior
from optsearch.evaluation import play_sample
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.results.tables import TABLES
from optsearch.strategies.pattern import SCANS, Pattern

GAME = Game.parse("10x10:5,4,3,3,2")


def colourings() -> list[tuple[int, str]]:
    """Modulus and colours: everything at once, halves, thirds, quarters and fifths in pairs."""
    patterns = [(1, "0")]
    for modulus in (2, 3, 4, 5):
        for colours in permutations("01234"[:modulus], min(2, modulus)):
            patterns.append((modulus, "".join(colours)))
    return patterns


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


def main() -> None:
    """The command line."""
    parser = script.parser(__doc__, "patterns")
    parser.add_argument("--samples", type=int, default=200_000, help="configurations to play")
    arguments = parser.parse_args()
    ships = Posterior(Position(GAME)).sample(arguments.samples, 1, masks=True)
    sets = np.ascontiguousarray(np.bitwise_or.reduce(ships, axis=1))
    rows = []
    for modulus, colours in colourings():
        for scan in SCANS:
            cross = figures(Pattern(modulus, colours, scan, "cross"), sets)
            line = figures(Pattern(modulus, colours, scan, "line"), sets)
            distance = abs(cross[0] - 58.7) + abs(line[0] - 55.6) + abs(line[1] - 7.6)
            distance += abs(line[2] - 73) / 10
            values = (cross[0], line[0], line[1])
            rows.append((modulus, colours, scan, *values, line[2], distance))
    rows.sort(key=lambda row: round(row[-1], 3))
    path = TABLES["patterns"].write(
        rows,
        arguments.output,
        command=f"{TABLES['patterns'].command} --samples {arguments.samples}",
        fields={"samples": arguments.samples, "seed": 1},
        game=GAME,
    )
    print(
        f"{script.typed_path(path)}: nearest is modulus={rows[0][0]},colours={rows[0][1]},"
        f"scan={rows[0][2]}: {rows[0]}"
    )


if __name__ == "__main__":
    script.run(main)
