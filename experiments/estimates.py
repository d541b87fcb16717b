"""What greedy misses, fitted for the rollouts: python -m experiments.estimates [-o FOLDER]

Greedy is evaluated on the families of 14 seeded random positions of the paper's game, which greedy
reaches and which have at most five million configurations each. The mean misses at the nodes of
those trees, by the number k of open cells that a configuration has and the number n of
configurations, go to data/results/estimates.csv. Then the polynomial of degree 3 in log2 n and 2 in
1/k is fitted that `optsearch.strategies.rollout.FIT` has, and printed beside it.
"""

import numpy as np
from numpy.typing import NDArray

from experiments import script
from optsearch.counting.configurations import to_masks
from optsearch.counting.posterior import Posterior
from optsearch.evaluation import survey
from optsearch.game import Game
from optsearch.game.position import HIT, MISS, Position
from optsearch.results.tables import ESTIMATES
from optsearch.strategies.greedy import Greedy
from optsearch.strategies.rollout import FIT

GAME = Game.parse("10x10:5,4,3,3,2")
SEED = 5
LARGEST = 5_000_000
ENOUGH = 1_000_000  # more configurations do not weigh more


def positions(number: int, largest: int = LARGEST, seed: int = SEED) -> list[Position]:
    """Where greedy gets on random configurations, once at most so many configurations are left."""
    found = []
    for ships in Posterior(Position(GAME)).sample(number, np.random.default_rng(seed)):
        cells = sum(to_masks(ships))
        position = Position(GAME)
        while True:
            posterior = Posterior(position)
            if posterior.configurations <= largest:
                break
            shot = posterior.greedy_shots()[0]
            position = position.after(shot, HIT if cells & GAME.bit(shot) else MISS)
        found.append(position)
    return found


def fit(
    k: NDArray[np.int64], column: NDArray[np.int64], n: NDArray[np.int64], misses: NDArray[np.int64]
) -> tuple[NDArray[np.float64], float]:
    """The coefficients, shape (4, 3), and the weighted root mean square error."""
    log = column // 4 + np.log2(1 + (column % 4 + 0.5) / 4)
    powers = np.stack([log**i * (1.0 / k) ** j for i in range(4) for j in range(3)], 1)
    weight = np.sqrt(np.minimum(n, ENOUGH))
    mean = misses / n
    found = np.linalg.lstsq(powers * weight[:, None], mean * weight, rcond=None)[0]
    error = np.sqrt((weight**2 * (mean - powers @ found) ** 2).sum() / (weight**2).sum())
    return np.asarray(found.reshape(4, 3), np.float64), float(error)


def main() -> None:
    """The command line."""
    parser = script.parser(__doc__, "estimates")
    parser.add_argument("--positions", type=int, default=14, help="how many")
    arguments = parser.parse_args()
    total = np.zeros((129 * 128, 2), np.int64)
    for position in positions(arguments.positions):
        total += survey(Greedy(), position)
        print(position, flush=True)
    rows = [
        (place // 128, place % 128, n, misses)
        for place, (n, misses) in enumerate(total.tolist())
        if n and place // 128 >= 2 and place % 128 >= 4
    ]
    path = ESTIMATES.write(
        rows,
        arguments.output,
        command=f"{ESTIMATES.command} --positions {arguments.positions}",
        fields={"seed": SEED},
        game=GAME,
    )
    coefficients, error = fit(*np.array(rows).T)
    print(f"{script.typed_path(path)}: root mean square error {error:.3f}")
    for fitted, used in zip(coefficients.round(4).tolist(), FIT, strict=True):
        print(f"fitted {tuple(fitted)}, used {used}")


if __name__ == "__main__":
    script.run(main)
