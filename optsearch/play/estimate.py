"""Estimates of the time of work with a strategy on this machine, from about a second of it.

Times are processor seconds of one process, so that other work on the machine does not count. The
work timed is deterministic; the clock is an argument.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from optsearch.counting.configurations import CellSets, to_masks
from optsearch.counting.posterior import Posterior
from optsearch.evaluation.choosing import MOST_FOLLOWED, Chooser
from optsearch.evaluation.run import MEMORY
from optsearch.evaluation.runners import (
    MOST_LISTED,
    KernelRunner,
    PatternRunner,
    PythonRunner,
    list_rows,
    runner_of,
)
from optsearch.evaluation.tasks import Task, run_task
from optsearch.evaluation.top import Child, TreeTop
from optsearch.game import Cell, Game
from optsearch.game.position import Position
from optsearch.play.hiding import Drawn
from optsearch.play.simulate import (
    PLAIN,
    PLAYED_COMPILED,
    ReplyModel,
    compiled_of,
    error_generator,
    play_game,
    play_task,
    player_for_games,
    player_generator,
)
from optsearch.strategies import Player, Strategy, as_player
from optsearch.strategies.player import salvo_of

Clock = Callable[[], float]

SECONDS = 1.0  # of the sample, about
FEW = 10_000  # configurations up to which a game needs no estimate
SMALLEST, GROWTH = 64, 4  # configurations of the first position, and the factor to the next one


def evaluation_seconds(strategy: object, game: Game, clock: Clock = time.process_time) -> float:
    """Return an estimate of the processor seconds to evaluate a strategy on all configurations.

    It is 0 for a game of few configurations, and for one that ends at the first hit. Raises
    TooLarge if the game has too many configurations for a strategy in plain Python.
    """
    configurations = Posterior(Position(game)).configurations
    runner = runner_of(strategy, game)
    if game.ends_at_hit:  # then only one shot of each number is chosen
        return 0.0
    if isinstance(runner, PythonRunner):
        runner.require_few(configurations)
    if configurations <= FEW:
        return 0.0
    return seconds_per_configuration(strategy, game, configurations, clock) * configurations


def seconds_per_configuration(
    strategy: object, game: Game, largest: int, clock: Clock = time.process_time
) -> float:
    """Return the processor seconds that evaluating a strategy takes per configuration.

    It is timed for about a second at positions of a game that greedy plays, of at most `largest`
    configurations.
    """
    runner = runner_of(strategy, game)
    largest = min(largest, runner.task_limit(MEMORY))
    from_start = isinstance(runner, PatternRunner)  # whose kernel plays all shots anyway

    def run(position: Position, configurations: int) -> None:
        run_task(runner.strategy, Task(game, str(position), configurations), from_start)

    seconds, size = _time_largest(run, _play_greedy(game), largest, clock)
    return seconds / size


def _time_largest(
    run: Callable[[Position, int], object], path: list[Child], largest: int, clock: Clock
) -> tuple[float, int]:
    """Return the seconds that `run` takes at a large position, and its number of configurations.

    It is timed at larger and larger positions, until about a second is over; the result is for the
    last one. (Small ones take longer per configuration.)

    path -- positions with their numbers of configurations, the largest first. largest -- positions
    of more configurations are left out, unless there are no others.
    """

    def time_run(position: Position, size: int) -> float:
        started = clock()
        run(position, size)
        return clock() - started

    fitting = [child for child in path if child.configurations <= largest] or path[-1:]
    smallest, *larger = reversed(fitting)
    position, size = smallest
    time_run(position, size)  # the first call may compile, which is not part of the pace
    seconds = total_seconds = time_run(position, size)
    for position, next_size in larger:
        growth = next_size / size
        if total_seconds + seconds * growth > SECONDS:
            break
        if growth >= GROWTH:
            size = next_size
            seconds = time_run(position, size)
            total_seconds += seconds
    return seconds, size


def _play_greedy(game: Game) -> list[Child]:
    """Return the positions of a game of greedy, each with its number of configurations.

    The list ends with the first position of at most SMALLEST configurations, if there is one.
    """
    posterior = Posterior(Position(game))
    (ships,) = posterior.sample(1, np.random.default_rng(1), masks=True)
    hidden = to_masks(ships)
    top = TreeTop(runner_of("greedy", game), store=None, limit=SMALLEST)
    path = []
    for child in top.path(hidden, Position(game), posterior.configurations):
        path.append(child)
        if child.configurations <= SMALLEST:
            break
    return path


def simulation_seconds(
    player: object,
    game: Game,
    games: int,
    reply_model: ReplyModel = PLAIN,
    clock: Clock = time.process_time,
) -> float:
    """Return an estimate of the processor seconds that `games` games of a player take.

    Games are played until a second is over. Each further game is assumed to take the mean time of
    the second half of those played, because later games share the top of their tree with earlier
    ones. If not even one ends by then, a game is assumed to shoot half of the cells.
    """
    chosen = as_player(player)
    if reply_model.is_plain and (seconds := rollout_seconds(chosen, game, games, clock)):
        return seconds
    boards = Drawn().boards(game, min(games, PLAYED_COMPILED), 1)
    if compiled_of(chosen, game, reply_model) is not None:
        play_task(chosen, game, boards[:1], first=0, seed=1)  # compiles it
        started = clock()
        play_task(chosen, game, boards, first=0, seed=1)
        return (clock() - started) / len(boards) * games
    chooser = player_for_games(chosen, game)
    if game.ends_at_hit and not isinstance(chooser, Chooser):
        # This compiles its loops.
        play_task(chooser, game, boards[:1], first=0, seed=1, reply_model=reply_model)
    timed = _Timed(chooser, clock)
    seconds_at_ends = list(_play_in_time(timed, game, boards, reply_model))
    if not seconds_at_ends:
        return timed.seconds_spent / max(timed.shots, 1) * game.cells / 2 * games
    games_played, seconds_spent = len(seconds_at_ends), seconds_at_ends[-1]
    half = (games_played - 1) // 2  # the index of the game after which the second half begins
    seconds_per_game = seconds_spent / games_played
    if half:
        seconds_per_game = (seconds_spent - seconds_at_ends[half]) / (games_played - 1 - half)
    return seconds_spent + seconds_per_game * (games - games_played)


def _play_in_time(
    timed: _Timed, game: Game, boards: CellSets, reply_model: ReplyModel
) -> Iterator[float]:
    """Play a game on each board until a second is over; after each, yield the seconds so far."""
    for number, ships in enumerate(map(to_masks, boards)):
        if reply_model.is_plain and isinstance(timed.player, Chooser):
            if timed.player.shots_left(ships, Position(game), timed.is_over_or_count) is None:
                return
        else:
            try:
                play_game(
                    timed,
                    game,
                    ships,
                    generator=player_generator(1, number),
                    reply_model=reply_model,
                    errors=error_generator(1, number),
                )
            except _TimeOver:
                return
        yield timed.seconds_spent


def rollout_seconds(
    player: object, game: Game, games: int, clock: Clock = time.process_time
) -> float:
    """Return an estimate of the processor seconds that `games` games of a rollout strategy take.

    It is 0 for another player, and for a game that has few configurations or announces more than
    hits and misses. The configurations of the game are listed once. Then each shot lists those
    left, until they are few enough (MOST_FOLLOWED) to be listed for the last time. The time of a
    choice grows with the configurations up to the sample that rollouts play on.
    """
    if not isinstance(player, Strategy) or not game.is_silent:
        return 0.0
    path, runner = _play_greedy(game), runner_of(player, game)
    if not path or not isinstance(runner, KernelRunner) or not runner.is_rollout:
        return 0.0
    sizes = [child.configurations for child in path]
    if sizes[0] <= FEW:
        return 0.0
    chooser = Chooser(player, game)
    seconds_per_choice, timed_size = _time_largest(
        lambda position, _: chooser.shot(position), path, runner.rule.cap, clock
    )
    listing_seconds, listed_size = _time_largest(
        lambda position, _: list_rows(position), path, MOST_LISTED, clock
    )
    seconds_per_row = listing_seconds / listed_size
    limit = runner.task_limit(MEMORY)
    rows = [min(limit, size) for size in sizes if size > MOST_FOLLOWED]  # listed in one game
    rows.append(next((size for size in sizes if size <= MOST_FOLLOWED), 0))
    choices = sum(min(1, size / timed_size) for size in sizes)  # in units of the timed one
    seconds_per_game = seconds_per_choice * choices + seconds_per_row * sum(rows)
    return seconds_per_game * games + seconds_per_row * sizes[0]


class _TimeOver(Exception):
    """Raised when the second is over."""


class _Timed(Player):
    """A player whose games end when a second is over; shots -- the number made by then."""

    def __init__(self, player: Player | Chooser, clock: Clock):
        self.player, self._clock = player, clock
        self._started = clock()
        self.shots = 0

    @property
    def seconds_spent(self) -> float:
        """The seconds so far."""
        return self._clock() - self._started

    def begin(self, game: Game, generator: np.random.Generator) -> _TimedGame:
        """Begin a game of the player, timed."""
        return _TimedGame(self, self.player.begin(game, generator))

    def count_or_stop(self, number: int) -> None:
        """Count `number` shots that are about to be made; raise _TimeOver if the second is over."""
        if self.is_over_or_count(number):
            raise _TimeOver

    def is_over_or_count(self, number: int = 1) -> bool:
        """True if the second is over; else count `number` shots, which are about to be made."""
        is_over = self.seconds_spent > SECONDS
        self.shots += 0 if is_over else number
        return is_over


class _TimedGame:
    """One game of a timed player."""

    def __init__(self, timed: _Timed, playing: Any):
        self._timed, self._playing = timed, playing

    def shot(self, position: Any) -> Cell:
        """Return the shot of the player."""
        self._timed.count_or_stop(1)
        cell: Cell = self._playing.shot(position)
        return cell

    def salvo(self, position: Any, number: int) -> list[Cell]:
        """Return the salvo of the player."""
        self._timed.count_or_stop(number)
        return salvo_of(self._playing, position, number)
