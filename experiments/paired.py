"""Two strategies below the same positions: python -m experiments.paired FIRST SECOND [options]

A random configuration of the usual game leads greedy to a position with few enough configurations.
Below it both strategies are evaluated on all of them. A position is drawn as often as it has
configurations, so the mean difference estimates how many shots the second strategy would save on
the whole game if it played from there on, and the first before; the standard error is printed with
it. To evaluate the whole game takes hours, this takes minutes.
"""

import statistics
import time
from math import sqrt

from experiments import script
from experiments.estimates import SEED, positions
from optsearch.counting.posterior import Posterior
from optsearch.evaluate import Task, run_task
from optsearch.strategies import Strategy


def mean_shots(strategy: Strategy, task: Task) -> float:
    """The mean number of shots of all configurations of a position."""
    histogram = run_task(strategy, task)
    return sum(shots * n for shots, n in enumerate(histogram)) / task.configurations


def main() -> None:
    """The command line."""
    parser = script.parser(__doc__, "paired")
    parser.add_argument("first", type=script.strategy, help="such as rollout")
    parser.add_argument("second", type=script.strategy, help="such as nested:above=16384")
    parser.add_argument("--positions", type=int, default=20, help="how many (20)")
    parser.add_argument("--largest", type=int, default=16_000, help="configurations (16000)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the positions ({SEED})")
    arguments = parser.parse_args()
    if arguments.positions < 2:
        parser.error(f"--positions {arguments.positions} has no standard error; give 2 or more")
    if arguments.largest < 2:
        parser.error(f"--largest {arguments.largest} leaves nothing to shoot at; give 2 or more")
    differences: list[float] = []
    seconds, configurations = [0.0, 0.0], 0
    for position in positions(arguments.positions, arguments.largest, arguments.seed):
        task = Task(str(position.game), str(position), Posterior(position).configurations)
        means = []
        for i, strategy in enumerate((arguments.first, arguments.second)):
            started = time.process_time()
            means.append(mean_shots(strategy, task))
            seconds[i] += time.process_time() - started
        configurations += task.configurations
        differences.append(means[0] - means[1])
        print(
            f"{task.configurations:>9,} configurations: {means[0]:.4f}, {means[1]:.4f}", flush=True
        )
    error = statistics.stdev(differences) / sqrt(len(differences))
    print(f"the second saves {statistics.mean(differences):.4f} shots, standard error {error:.4f}")
    first, second = (1e6 * taken / configurations for taken in seconds)
    print(f"microseconds of one core for a configuration: {first:.2f}, {second:.2f}")


if __name__ == "__main__":
    script.run(main)
