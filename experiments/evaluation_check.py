"""Evaluations checked game by game: python -m experiments.evaluation_check [NAME …] [--games N]

Seeded random configurations of the large games are played move by move by code that shares nothing
with the kernel of `optsearch.evaluation`, and each must take as many shots as it does there:

    greedy, spread
               with exact posteriors (`optsearch.counting.posterior`), in the tree that was
               evaluated: the task that has the configuration is found among all tasks, and its path
               followed; where sinkings are announced, a task of the tree is met on the way, and the
               path is followed in the kernel from where 2^18 configurations or fewer are left
    patterns   by the definition in plain Python
    rollout    by `experiments.verify_rollout`, once shots at most probable cells have left 8,000
               configurations or fewer, in the policy's tree from there on; every 50th game from
               400,000, where the policy samples. (Above, its shots are compared on small boards
               only, by the tests.)
    nested     the same from 16,000, its inner rollouts exact there: one shot from 400,000 would
               take an hour. (On samples they are compared on small boards only, by the tests.)
    levels     the same from 2,000
    rollout    where sinkings are announced: by the definition in plain Python from 4,000; every
               50th game from 30,000, where the policy samples

Every game goes to data/results/evaluation_checks/NAME.csv; a difference is an error, and so is a
mean more than four standard errors from that of the evaluation, where games start on the empty
board.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache, partial
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np

from experiments import script
from experiments.evaluations import SUBJECTS
from experiments.verify_rollout import RolloutReplay
from optsearch.counting.configurations import to_masks, to_words
from optsearch.counting.posterior import Posterior
from optsearch.evaluation import FollowedTask, Task, play_sample, tasks
from optsearch.game import Cell, Game
from optsearch.game.position import Position, play
from optsearch.results.tables import TABLES
from optsearch.strategies import Strategy, named
from optsearch.strategies.greedy import Greedy, counts_of
from optsearch.strategies.pattern import Pattern
from optsearch.strategies.rollout import Rollout
from optsearch.strategies.spread import Spread
from optsearch.support.sharing import run_tasks
from optsearch.support.workers import process_pool

SEED = 11
FROM_ROLLOUT = 8_000  # configurations from which rollouts are played
FROM_SAMPLED_ROLLOUT = 400_000  # of every 50th game: above the cap of 131,072
FROM_NESTED = 16_000  # of games of nested rollouts: above the 1,024 where these begin
FROM_LEVELS = 2_000  # of games of levels of rollouts, which take longer
FROM_ANNOUNCED = 4_000  # of games of rollouts where sinkings are announced
FROM_SAMPLED_ANNOUNCED = 30_000  # of every 50th of these: above the cap of 16,384
MOST_FOLLOWED = 1 << 18  # configurations from which games with sinkings are followed in the tree
GAMES_OF_JOB = 10  # games of a job
JOBS_AHEAD = 4  # jobs that wait for each process


class DrawnGame(NamedTuple):
    """A game whose hidden ships (masks) were drawn at random, by its number."""

    number: int
    ships: list[int]


class GameRow(NamedTuple):
    """The shots that a game takes in the tree that was evaluated, and as it is played here."""

    number: int
    in_tree: int
    played: int


class Job(NamedTuple):
    """A function that plays a game, and the games that one process plays by it."""

    play: Callable[[DrawnGame], GameRow]
    games: Sequence[DrawnGame]


def shoot_most_probable(
    game: Game, ships: list[int], until: int, strategy: Greedy | None = None
) -> Position:
    """Shoot most probable cells until at most `until` configurations are left (0: to the end).

    With a strategy, this plays from where at most its `endgame` configurations are left.
    """

    def shot(position: Position) -> Cell | None:
        posterior = Posterior(position)
        if posterior.configurations <= until:
            return None
        if strategy and posterior.configurations <= strategy.endgame:
            return strategy.shot(position)
        return posterior.greedy_shots()[0]

    return play(shot, ships, Position(game))


@lru_cache(maxsize=1)
def _followed_task(strategy: Greedy | Spread, position: Position) -> FollowedTask:
    return FollowedTask(strategy, position)


def play_greedy(task: Task, strategy: Greedy | Spread, drawn: DrawnGame) -> GameRow:
    """Return the shots of a game in the tree that was evaluated, and those it takes here.

    task -- the position in the tree from which the game is followed.
    """
    game, ships = task.position.game, drawn.ships
    if isinstance(strategy, Greedy):
        end_position = shoot_most_probable(game, ships, 0, strategy)
    else:
        end_position = play(strategy.shot, ships, Position(game))
    in_tree = _followed_task(strategy, task.position).shots_of(sum(ships))
    return GameRow(drawn.number, in_tree, len(end_position.shots))


def play_announced(
    task_shots: Collection[str], game: Game, strategy: Greedy | Spread, drawn: DrawnGame
) -> GameRow:
    """Return the shots of a game in the tree that was evaluated, and those it takes here.

    Sinkings are announced. The tree is followed from where MOST_FOLLOWED configurations or
    fewer are left. task_shots -- the shots of the positions at which the tree was divided;
    AssertionError if the game comes to none of them.
    """
    path: list[Position] = []

    def shot(position: Position) -> Cell:
        path.append(position)
        return strategy.shot(position)

    end_position = play(shot, drawn.ships, Position(game))
    if not any(str(position) in task_shots for position in path):
        raise AssertionError(
            f"no task of the tree is on the way of {[str(passed) for passed in path]}"
        )
    first_followed = next(
        passed for passed in path if counts_of(passed).configurations <= MOST_FOLLOWED
    )
    in_tree = FollowedTask(strategy, first_followed).shots_of(drawn.ships)
    return GameRow(drawn.number, in_tree, len(end_position.shots))


def play_pattern(game: Game, strategy: Pattern, drawn: DrawnGame) -> GameRow:
    """Return the shots of a game by the kernel for patterns, and those by `Pattern.shot`."""
    games_by_shots = play_sample(strategy, game, to_words([sum(drawn.ships)]))
    (shots_by_kernel,) = games_by_shots.nonzero()[0].tolist()  # of the only game
    end_position = play(strategy.shot, drawn.ships, Position(game))
    return GameRow(drawn.number, in_tree=shots_by_kernel, played=len(end_position.shots))


def play_rollout(game: Game, strategy: Rollout, drawn: DrawnGame) -> GameRow:
    """Return the shots of a game in the tree of a rollout policy, and those it takes here.

    Most probable cells are shot until some thousand configurations are left, in some games far
    more. From there on the tree is followed, and the game is played.
    """
    if strategy.depth:
        configurations_left = FROM_LEVELS if strategy.until else FROM_NESTED
    else:
        configurations_left = FROM_SAMPLED_ROLLOUT if drawn.number % 50 == 49 else FROM_ROLLOUT
    start_position = shoot_most_probable(game, drawn.ships, configurations_left)
    ship_cells = sum(drawn.ships)
    in_tree = FollowedTask(strategy, start_position).shots_of(ship_cells)
    misses = RolloutReplay(strategy, start_position).misses(ship_cells)
    misses += start_position.misses.bit_count()
    return GameRow(drawn.number, in_tree, misses + game.fleet_cells)


def play_announced_rollout(game: Game, strategy: Rollout, drawn: DrawnGame) -> GameRow:
    """Return the shots of a game in the tree of a rollout policy, and those it takes here.

    Sinkings are announced. Most probable cells are shot until some thousand configurations are
    left. From there on the tree is followed, and the game is played.
    """
    start_position = shoot_most_probable(
        game, drawn.ships, FROM_SAMPLED_ANNOUNCED if drawn.number % 50 == 49 else FROM_ANNOUNCED
    )
    end_position = play(strategy.shot, drawn.ships, start_position)
    in_tree = FollowedTask(strategy, start_position).shots_of(drawn.ships)
    return GameRow(drawn.number, in_tree, len(end_position.shots))


def jobs_of(game: Game, strategy: Strategy, games: Sequence[DrawnGame]) -> list[Job]:
    """Divide the games into jobs, each of which a process plays by the way for this strategy."""
    if isinstance(strategy, Greedy | Spread) and game.is_silent:
        return _jobs_by_task(game, strategy, games)
    play_game: Callable[[DrawnGame], GameRow]
    if isinstance(strategy, Pattern):
        play_game = partial(play_pattern, game, strategy)
    elif isinstance(strategy, Greedy | Spread):
        task_shots = frozenset(task.shots for task in tasks(strategy, game))
        if game.has_twins:  # after a hit on 3b no task is there: it is as after one on 3a
            task_shots |= {shots.translate(str.maketrans("ab", "ba")) for shots in task_shots}
        play_game = partial(play_announced, task_shots, game, strategy)
    else:
        assert isinstance(strategy, Rollout)
        play_one = play_rollout if game.is_silent else play_announced_rollout
        play_game = partial(play_one, game, strategy)
    return [
        Job(play_game, games[first : first + GAMES_OF_JOB])
        for first in range(0, len(games), GAMES_OF_JOB)
    ]


def _jobs_by_task(game: Game, strategy: Greedy | Spread, games: Sequence[DrawnGame]) -> list[Job]:
    """Return a job for each task (position) of the evaluated tree that some of the games come to.

    A game comes to it if its ships have all hits and no miss of the position.
    """
    all_tasks = list(tasks(strategy, game))
    games_of_task = defaultdict(list)
    for drawn in games:
        ship_cells = sum(drawn.ships)
        for task in all_tasks:
            position = task.position
            if not ship_cells & position.misses and not position.hits & ~ship_cells:
                games_of_task[task].append(drawn)
    return [
        Job(partial(play_greedy, task, strategy), group) for task, group in games_of_task.items()
    ]


def play_job(job: Job) -> list[GameRow]:
    """Play the games of a job."""
    return list(map(job.play, job.games))


def check(name: str, number: int, processors: int, output: Path) -> None:
    """Play games of an evaluation, compare their shots with those in its tree, and write NAME.csv.

    number -- of games. processors -- of processes. Raises AssertionError if a game differs.
    """
    game, strategy = SUBJECTS[name].game, named(SUBJECTS[name].strategy)
    drawn = Posterior(Position(game)).sample(number, np.random.default_rng(SEED), masks=True)
    games = [DrawnGame(i, to_masks(ships)) for i, ships in enumerate(drawn)]
    rows: list[GameRow] = []
    clock = script.ProgressClock(name)
    with process_pool(processors) as pool:
        jobs = iter(jobs_of(game, strategy, games))
        for _, batch in run_tasks(pool, play_job, jobs, JOBS_AHEAD * processors):
            rows += batch
            clock(len(rows), number)
    differing = [tuple(row) for row in rows if row.in_tree != row.played]
    if differing or len(rows) != number:
        raise AssertionError(f"{len(rows)} of {number} games of {name}; differing: {differing}")
    path = TABLES["evaluation_checks"].write(
        sorted(rows),
        output,
        command=f"python -m experiments.evaluation_check {name} --games {number}",
        fields={"seed": SEED, "games": number},
        game=game,
        strategy=strategy,
        name=name,
    )
    mean = sum(row.in_tree for row in rows) / len(rows)
    compared = compare_mean(name, mean, number)
    agree = f"{len(rows)} games agree; their mean is {mean:.3f}{compared}"
    print(f"{script.typed_path(path)}: {agree}")


def compare_mean(name: str, mean: float, games: int) -> str:
    """Compare the mean of some games with that of the evaluation; return the latter in words.

    Without words for rollouts, whose games do not start on the empty board. Raises
    AssertionError if the means are more than four standard errors apart.
    """
    if not TABLES["evaluations"].path(name=name).exists():
        return ", and the evaluation is not there yet"
    evaluation = TABLES["evaluations"].read(name=name).header
    if evaluation["strategy"] != str(named(SUBJECTS[name].strategy)):
        raise AssertionError(f"the evaluation is of {evaluation['strategy']}")
    if isinstance(named(SUBJECTS[name].strategy), Rollout):
        return ""
    standard_error = float(evaluation["sd"]) / sqrt(games)
    if abs(mean - float(evaluation["mean"])) > 4 * standard_error:
        raise AssertionError(f"mean {mean:.3f}, in the evaluation {evaluation['mean']}")
    return f", of all configurations {evaluation['mean']} (standard error {standard_error:.3f})"


def main() -> None:
    """Check the evaluations that are named, or all."""
    parser = script.parser(__doc__, "evaluation_check")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SUBJECTS))
    parser.add_argument("--games", type=int, default=1000, help="how many of each")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(SUBJECTS)
    if unknown:
        parser.error(f"no evaluation {', '.join(sorted(unknown))}; there are {', '.join(SUBJECTS)}")
    for name in arguments.names or SUBJECTS:
        check(name, arguments.games, arguments.jobs, arguments.output)


if __name__ == "__main__":
    script.run(main)
