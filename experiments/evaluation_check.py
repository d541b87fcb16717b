"""An evaluation checked game by game: python -m experiments.evaluation_check

Seeded random configurations of the usual game are played move by move by greedy with exact
posteriors (`optsearch.posterior`), which shares nothing with the kernel of `optsearch.evaluate`.
Each must take as many shots as in the tree that was evaluated: the task that has the configuration
is found among all tasks of the evaluation, and its path followed there. Every game goes to
data/results/evaluation_check.csv; a difference is an error.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

from experiments import RESULTS
from optsearch import records
from optsearch.configurations import to_masks
from optsearch.evaluate import FollowedTask, tasks
from optsearch.game import Game, cell_name
from optsearch.position import Position, reply
from optsearch.posterior import Posterior
from optsearch.strategies.greedy import Greedy

GAME = Game.parse("10x10:5,4,3,3,2")
SEED = 11


def play(ships: list[int], strategy: Greedy) -> int:
    """The shots that a configuration takes, most probable cells first, by exact posteriors."""
    position = Position(GAME)
    while position.hits.bit_count() < GAME.fleet_cells:
        posterior = Posterior(position)
        if posterior.configurations <= strategy.endgame:
            cell = strategy.shot(position)
        else:
            cell = posterior.best_shots()[0]
        answer = reply(GAME, ships, position.hits, GAME.bit(cell))
        position = position.after(cell, answer)
    return len(position.shots)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Play games beside an evaluation of greedy.")
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder to write to")
    parser.add_argument("--games", type=int, default=2000, help="how many")
    arguments = parser.parse_args()
    strategy = Greedy()
    configurations = [
        to_masks(ships)
        for ships in Posterior(Position(GAME)).sample(arguments.games, np.random.default_rng(SEED))
    ]
    masks = [sum(ships) for ships in configurations]
    rows: list[tuple[int, str, int, int]] = []
    for task in tasks(strategy, GAME):
        position = task.position
        here = [
            i
            for i, mask in enumerate(masks)
            if not mask & position.misses and not position.hits & ~mask
        ]
        if not here:
            continue
        followed = FollowedTask(strategy, position)
        for i in here:
            names = " ".join(cell_name(cell) for cell in GAME.cells_of(masks[i]))
            rows.append((i, names, followed.shots_of(masks[i]), play(configurations[i], strategy)))
        del followed
        print(f"{len(rows)} of {arguments.games} games", flush=True)
    differing = [row for row in rows if row[2] != row[3]]
    if differing or len(rows) != arguments.games:
        raise AssertionError(f"{len(rows)} of {arguments.games} games; differing: {differing}")
    path = arguments.output / "evaluation_check.csv"
    records.write(
        path,
        ("number", "cells", "shots_in_tree", "shots_played"),
        sorted(rows),
        title=f"Random configurations of {GAME} in the evaluated tree of {strategy} and played "
        "with exact posteriors",
        command=f"python -m experiments.evaluation_check --games {arguments.games}",
        fields={"seed": SEED, "games": arguments.games},
    )
    mean = sum(row[2] for row in rows) / len(rows)
    print(f"{path}: {len(rows)} games agree; their mean is {mean:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
