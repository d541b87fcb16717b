"""Greedy games with exact posteriors: python -m experiments.greedy_games [--games N] [GAME …]

Each game hides a configuration drawn uniformly and shoots a most probable cell, the first in
row-major order, until every ship is sunk. The distribution of the number of shots goes to
data/results/greedy_games.csv. Every game is seeded by its number: the result does not depend on the
number of processes, and a run that is stopped can be repeated.
"""

import argparse
import os
import statistics
import time
from collections import Counter
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path

import numpy as np
from rich.progress import track

from experiments import RESULTS
from optsearch import records
from optsearch.configurations import to_masks
from optsearch.game import Game
from optsearch.position import Position, reply
from optsearch.posterior import Posterior

GAMES = ("10x10:5,4,3,3,2", "10x10:5,4,3,3,2;contact=any;announce=ship")
SEED = 20141


def play(game: Game, number: int) -> tuple[int, float]:
    """Play one game: the number of shots and the seconds it took."""
    ships = to_masks(Posterior(Position(game)).sample(1, np.random.default_rng([SEED, number]))[0])
    started = time.perf_counter()
    position = Position(game)
    while position.hits.bit_count() < game.fleet_cells:
        cell = Posterior(position).best_shots()[0]
        position = position.after(cell, reply(game, ships, position.hits, game.bit(cell)))
    return len(position.shots), time.perf_counter() - started


def _play(task: tuple[str, int]) -> tuple[int, float]:
    return play(Game.parse(task[0]), task[1])


def games(text: str, number: int, executor: Executor) -> tuple[list[int], list[float]]:
    """The shots and the seconds of `number` games."""
    results = executor.map(_play, [(text, i) for i in range(number)], chunksize=4)
    shots, seconds = zip(*track(results, total=number, description=text), strict=True)
    return list(shots), list(seconds)


def main() -> None:
    """Play and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="*", default=GAMES)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("-o", "--output", type=Path, default=RESULTS / "greedy_games.csv")
    arguments = parser.parse_args()
    rows = []
    fields: dict[str, object] = {"seed": SEED, "games": arguments.games}
    with ProcessPoolExecutor(arguments.jobs) as executor:
        for text in arguments.game:
            shots, seconds = games(text, arguments.games, executor)
            mean, sd = statistics.mean(shots), statistics.stdev(shots)
            fields[f"mean {text}"] = f"{mean:.4f}"
            fields[f"standard error {text}"] = f"{sd / len(shots) ** 0.5:.4f}"
            fields[f"standard deviation {text}"] = f"{sd:.4f}"
            fields[f"median seconds a game {text}"] = f"{statistics.median(seconds):.3f}"
            rows += [(text, n, count) for n, count in sorted(Counter(shots).items())]
            print(f"{text}: mean {mean:.2f} ± {sd / len(shots) ** 0.5:.2f}, worst {max(shots)}")
    records.write(
        arguments.output,
        ("game", "shots", "games"),
        rows,
        title="Shots that greedy takes with exact posteriors, over random configurations",
        command=f"python -m experiments.greedy_games --games {arguments.games}",
        fields=fields,
    )


if __name__ == "__main__":
    main()
