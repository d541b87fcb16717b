"""Greedy games with exact posteriors: python -m experiments.greedy_games [--games N] [GAME …]

Each game hides a configuration drawn uniformly and shoots a most probable cell, the first in
row-major order, until every ship is sunk. The distribution of the number of shots goes to
data/results/greedy_games.csv, its mean and spread to greedy_games_summary.csv. Every game is seeded
by its number, so the result does not depend on the number of processes.
"""

import os
import statistics
import time
from collections import Counter
from concurrent.futures import Executor

import numpy as np
from rich.progress import track

from experiments import script
from optsearch.counting.configurations import to_masks
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.game.position import play as play_game
from optsearch.results.tables import GREEDY_GAMES, GREEDY_GAMES_SUMMARY
from optsearch.support.workers import processes

GAMES = ("10x10:5,4,3,3,2", "10x10:5,4,3,3,2,contact=any,announce=ship")
SEED = 20141


def play(game: Game, number: int) -> tuple[int, float]:
    """Play one game: the number of shots and the seconds it took."""
    ships = to_masks(Posterior(Position(game)).sample(1, np.random.default_rng([SEED, number]))[0])
    started = time.perf_counter()
    end = play_game(lambda position: Posterior(position).greedy_shots()[0], ships, Position(game))
    return len(end.shots), time.perf_counter() - started


def _play(task: tuple[str, int]) -> tuple[int, float]:
    return play(Game.parse(task[0]), task[1])


def games(text: str, number: int, executor: Executor) -> tuple[list[int], list[float]]:
    """The shots and the seconds of `number` games."""
    results = executor.map(_play, [(text, i) for i in range(number)], chunksize=4)
    shots, seconds = zip(*track(results, total=number, description=text), strict=True)
    return list(shots), list(seconds)


def main() -> None:
    """Play and write the table."""
    parser = script.parser(__doc__, "greedy_games")
    parser.add_argument("game", nargs="*", action=script.Listed, default=GAMES)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    rows: list[tuple[object, ...]] = []
    summary: list[tuple[object, ...]] = []
    with processes(arguments.jobs) as executor:
        for text in arguments.game:
            shots, seconds = games(text, arguments.games, executor)
            mean, sd = statistics.mean(shots), statistics.stdev(shots)
            error = sd / len(shots) ** 0.5
            seconds_each = statistics.median(seconds)
            summary.append((text, len(shots), mean, error, sd, max(shots), seconds_each))
            rows += [(text, n, count) for n, count in sorted(Counter(shots).items())]
            print(f"{text}: mean {mean:.2f} ± {error:.2f}, worst {max(shots)}", flush=True)
    for table, written in ((GREEDY_GAMES, rows), (GREEDY_GAMES_SUMMARY, summary)):
        table.write(
            written,
            arguments.output,
            command=f"python -m experiments.greedy_games --games {arguments.games}",
            fields={"seed": SEED},
        )


if __name__ == "__main__":
    script.run(main)
