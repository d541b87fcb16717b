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
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from math import sqrt
from pathlib import Path

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
LISTED = 8_000  # configurations from which rollouts are played
SAMPLED = 400_000  # of every 50th game: above the cap of 131,072
NESTED = 16_000  # of games of nested rollouts: above the 1,024 where these begin
LEVELS = 2_000  # of games of levels of rollouts, which take longer
TOLD = 4_000  # of games of rollouts where sinkings are announced
TOLD_SAMPLED = 30_000  # of every 50th of these: above the cap of 16,384
FOLLOWED = 1 << 18  # configurations from which games with sinkings are followed in the tree
AT_ONCE = 10  # games of a job
AHEAD = 4  # jobs that wait for each process
Drawn = tuple[int, list[int]]  # number, ships
Row = tuple[int, int, int]  # number, shots in the tree, shots played
Job = tuple[Callable[..., list[Row]], tuple[object, ...]]


def most_probable(game: Game, strategy: Greedy | None, ships: list[int], listed: int) -> Position:
    """Shoot most probable cells until at most `listed` configurations are left (0: to the end)."""

    def shot(position: Position) -> Cell | None:
        posterior = Posterior(position)
        if posterior.configurations <= listed:
            return None
        if strategy and posterior.configurations <= strategy.endgame:
            return strategy.shot(position)
        return posterior.greedy_shots()[0]

    return play(shot, ships, Position(game))


def play_greedy(strategy: Greedy | Spread, task: Task, games: Iterable[Drawn]) -> list[Row]:
    """Games whose configurations are in a task."""
    followed = FollowedTask(strategy, task.position)
    game = task.position.game

    def end(ships: list[int]) -> Position:
        if isinstance(strategy, Greedy):
            return most_probable(game, strategy, ships, 0)
        return play(strategy.shot, ships, Position(game))

    return [(i, followed.shots_of(sum(ships)), len(end(ships).shots)) for i, ships in games]


def play_announced(
    task_shots: Collection[str], game: Game, strategy: Greedy | Spread, games: Iterable[Drawn]
) -> list[Row]:
    """Games where sinkings are announced. known -- the shots of all tasks of the tree."""
    rows = []
    for i, ships in games:
        path: list[Position] = []

        def shot(position: Position, path: list[Position] = path) -> Cell:
            path.append(position)
            return strategy.shot(position)

        end = play(shot, ships, Position(game))
        if not any(str(position) in task_shots for position in path):
            raise AssertionError(f"no task of the tree is on the way of {[str(p) for p in path]}")
        small = next(p for p in path if counts_of(p).configurations <= FOLLOWED)
        rows.append((i, FollowedTask(strategy, small).shots_of(ships), len(end.shots)))
    return rows


def play_pattern(game: Game, strategy: Pattern, games: Iterable[Drawn]) -> list[Row]:
    """Games from the empty board."""
    rows = []
    for i, ships in games:
        shots = play_sample(strategy, game, to_words([sum(ships)]))
        end = play(strategy.shot, ships, Position(game))
        rows.append((i, int(shots.argmax()), len(end.shots)))
    return rows


def play_rollout(game: Game, strategy: Rollout, games: Iterable[Drawn]) -> list[Row]:
    """Games from where some thousand configurations are left."""
    rows = []
    for i, ships in games:
        limit = SAMPLED if i % 50 == 49 else LISTED
        if strategy.depth:
            limit = LEVELS if strategy.until else NESTED
        position = most_probable(game, None, ships, limit)
        again = RolloutReplay(strategy, position).misses(sum(ships))
        before = position.misses.bit_count() + game.fleet_cells
        rows.append((i, FollowedTask(strategy, position).shots_of(sum(ships)), before + again))
    return rows


def play_told(game: Game, strategy: Rollout, games: Iterable[Drawn]) -> list[Row]:
    """Games of greedy in the tree and played without it, sinkings announced."""
    rows = []
    for i, ships in games:
        position = most_probable(game, None, ships, TOLD_SAMPLED if i % 50 == 49 else TOLD)
        end = play(strategy.shot, ships, position)
        rows.append((i, FollowedTask(strategy, position).shots_of(ships), len(end.shots)))
    return rows


def jobs_of(game: Game, strategy: Strategy, games: Sequence[Drawn]) -> list[Job]:
    """Return the jobs of the processes: a function and its arguments, for some games each."""
    if isinstance(strategy, Greedy | Spread) and game.is_silent:
        games_of_task = defaultdict(list)
        every = list(tasks(strategy, game))
        for i, ships in games:
            mask = sum(ships)
            for task in every:
                position = task.position
                if not mask & position.misses and not position.hits & ~mask:
                    games_of_task[task].append((i, ships))
        return [(play_greedy, (strategy, task, some)) for task, some in games_of_task.items()]
    play_these: Callable[..., list[Row]] = play_rollout if game.is_silent else play_told
    if isinstance(strategy, Pattern):
        play_these = play_pattern
    elif isinstance(strategy, Greedy | Spread):
        task_shots = frozenset(task.shots for task in tasks(strategy, game))
        if game.has_twins:  # after a hit on 3b no task is there: it is as after one on 3a
            task_shots |= {shots.translate(str.maketrans("ab", "ba")) for shots in task_shots}
        play_these = partial(play_announced, task_shots)
    return [
        (play_these, (game, strategy, games[first : first + AT_ONCE]))
        for first in range(0, len(games), AT_ONCE)
    ]


def done(job: Job) -> list[Row]:
    """Run a job; return the rows of its games."""
    play, arguments = job
    return play(*arguments)


def check(name: str, number: int, processors: int, output: Path) -> None:
    """Play, compare, and write NAME.csv."""
    game, strategy = SUBJECTS[name].game, named(SUBJECTS[name].strategy)
    drawn = Posterior(Position(game)).sample(number, np.random.default_rng(SEED), masks=True)
    games = [(i, to_masks(ships)) for i, ships in enumerate(drawn)]
    rows: list[Row] = []
    clock = script.ProgressClock(name)
    with process_pool(processors) as pool:
        jobs = iter(jobs_of(game, strategy, games))
        for _, batch in run_tasks(pool, done, jobs, AHEAD * processors):
            rows += batch
            clock(len(rows), number)
    differing = [row for row in rows if row[1] != row[2]]
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
    mean = sum(row[1] for row in rows) / len(rows)
    agree = f"{len(rows)} games agree; their mean is {mean:.3f}{beside(name, mean, number)}"
    print(f"{script.typed_path(path)}: {agree}")


def beside(name: str, mean: float, games: int) -> str:
    """Return in words the distance of the mean of some games from that of the evaluation."""
    if not TABLES["evaluations"].path(name=name).exists():
        return ", and the evaluation is not there yet"
    evaluation = TABLES["evaluations"].read(name=name).header
    if evaluation["strategy"] != str(named(SUBJECTS[name].strategy)):
        raise AssertionError(f"the evaluation is of {evaluation['strategy']}")
    if isinstance(named(SUBJECTS[name].strategy), Rollout):
        return ""
    error = float(evaluation["sd"]) / sqrt(games)
    if abs(mean - float(evaluation["mean"])) > 4 * error:
        raise AssertionError(f"mean {mean:.3f}, in the evaluation {evaluation['mean']}")
    return f", of all configurations {evaluation['mean']} (standard error {error:.3f})"


def main() -> None:
    """The command line."""
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
