"""The paper's two strategies, reconstructed: python -m experiments.patterns [-o FOLDER]

Section 4.2 of Audinot, Bonnet and Viennot (2014) prints the means 58.7 (four directions cleared)
and slightly below 55.6 (right and left first), and for the second the standard deviation 7.6 and
the worst case 73; the page that describes the strategies is lost. Every pattern of
`optsearch.strategies.pattern` with one or two colours is played on the same 200,000 seeded random
configurations, and each is listed with how far it is from the printed figures, nearest first, in
data/results/patterns.csv. The worst case of a sample is at most that of the game.
"""

from functools import lru_cache
from itertools import permutations, product
from math import sqrt

import numpy as np

from experiments import script
from optsearch.counting.configurations import CellSets
from optsearch.counting.posterior import Posterior
from optsearch.evaluation import play_sample
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.strategies.pattern import SCANS, Pattern

GAME = Game.parse("10x10:5,4,3,3,2")
SEED = 1


def colourings() -> list[tuple[int, str]]:
    """List modulus and colours: all cells at once, then pairs of colours for each modulus."""
    patterns = [(1, "0")]
    for modulus in (2, 3, 4, 5):
        for colours in permutations("01234"[:modulus], min(2, modulus)):
            patterns.append((modulus, "".join(colours)))
    return patterns


@lru_cache(maxsize=1)
def sample(number: int) -> CellSets:
    """Return the cells of seeded random configurations."""
    ships = Posterior(Position(GAME)).sample(number, SEED, masks=True)
    return np.ascontiguousarray(np.bitwise_or.reduce(ships, axis=1))


def mean_sd_worst(pattern: Pattern, sets: CellSets) -> tuple[float, float, int]:
    """Return the mean, the standard deviation and the worst case over some configurations."""
    histogram = play_sample(pattern, GAME, sets)  # item k: the configurations with k shots
    shots = np.arange(len(histogram))
    mean = float(histogram @ shots) / len(sets)
    mean_square = float(histogram @ shots**2) / len(sets)
    worst = int(shots[histogram > 0][-1])
    return mean, sqrt(mean_square - mean**2), worst


def rows(modulus: int, colours: str, scan: str, samples: int) -> script.Rows:
    """Yield the row of a pattern, with its distance to the printed figures."""
    cross_mean, _, _ = mean_sd_worst(Pattern(modulus, colours, scan, "cross"), sample(samples))
    line_mean, line_sd, line_worst = mean_sd_worst(
        Pattern(modulus, colours, scan, "line"), sample(samples)
    )
    # From the printed figures; a shot of the worst case counts as a tenth.
    distance = abs(cross_mean - 58.7) + abs(line_mean - 55.6) + abs(line_sd - 7.6)
    distance += abs(line_worst - 73) / 10
    yield modulus, colours, scan, cross_mean, line_mean, line_sd, line_worst, distance


main = script.Experiment(
    "patterns",
    [(*colouring, scan) for colouring, scan in product(colourings(), SCANS)],
    rows,
    [script.option("--samples", type=int, default=200_000, help="configurations to play")],
    fields=lambda samples: {"samples": samples, "seed": SEED},
    order=lambda row: round(row[-1], 3),
)


if __name__ == "__main__":
    script.run(main)
