"""Estimates of long work, printed before it starts if it takes more than ten minutes."""

from __future__ import annotations

from optsearch.cli.arguments import QUIET
from optsearch.cli.console import err
from optsearch.counting.posterior import Posterior
from optsearch.evaluation.comparison import PositionSampling, position_limit
from optsearch.evaluation.runners import runner_of
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.play.estimate import (
    evaluation_seconds,
    rollout_seconds,
    seconds_per_configuration,
    simulation_seconds,
)
from optsearch.play.simulate import ReplyModel
from optsearch.strategies import Player, Strategy, as_player
from optsearch.strategies.user import UserStrategy
from optsearch.support.decimals import time_text

LONG_SECONDS = 600  # seconds
SECONDS_PER_MINUTE = 60
SECONDS_OF_SHORT_GAME = 10  # seconds, that one game may take
MOST_UNESTIMATED = 2000  # games times cells that need no estimate


def announce_evaluation(strategy: Strategy, game: Game, workers: int) -> None:
    """Print how long the evaluation of a strategy takes, and what is quicker, if it is long."""
    if QUIET.get():
        return
    alternative = "`simulate` or `compare` take minutes"
    if isinstance(strategy, UserStrategy):
        alternative += ", a score takes minutes for all (see Your idea in the documentation)"
    _announce_duration(
        f"evaluating {strategy}", evaluation_seconds(strategy, game), workers, alternative
    )


def announce_simulation(
    players: list[str], game: Game, games: int, reply_model: ReplyModel, workers: int
) -> None:
    """Print how long the games of each player take, if they take long.

    If an evaluation on all configurations takes less time than the games, print that, too.
    """
    if QUIET.get() or games * game.cells < MOST_UNESTIMATED:
        return
    for name in players:
        seconds = simulation_seconds(name, game, games, reply_model)
        player = as_player(name)
        _announce_duration(
            f"{games:,} games of {player}", seconds, workers, "fewer --games take less"
        )
        if seconds < SECONDS_PER_MINUTE * workers or not reply_model.is_plain:
            continue
        if not isinstance(player, Strategy):
            continue  # it cannot be evaluated
        seconds_of_all = evaluation_seconds(player, game)
        if seconds_of_all < seconds:
            err.print(
                f"`optsearch evaluate {player} {game}` plays all boards in about "
                f"{time_text(seconds_of_all / workers)}, these {games:,} games take about "
                f"{time_text(seconds / workers)}",
                soft_wrap=True,
            )


def announce_comparison(
    strategies: list[Strategy],
    game: Game,
    sampling: PositionSampling,
    memory: int,
    workers: int,
) -> list[float]:
    """Print how long a comparison takes, if it takes long.

    Return the processor seconds per configuration of each strategy; an empty list if the game is so
    small that it is compared exactly.
    """
    game.require_small("evaluating strategies")
    runners = [runner_of(strategy, game) for strategy in strategies]
    size_limit = position_limit(runners, sampling.largest, memory)
    if Posterior(Position(game)).configurations <= size_limit:
        return []
    seconds_each = [
        seconds_per_configuration(strategy, game, size_limit) for strategy in strategies
    ]
    if not QUIET.get():
        work = f"comparing {' and '.join(map(str, strategies))}"
        alternative = "fewer --positions or a smaller --largest take less"
        _announce_duration(
            work, sum(seconds_each) * size_limit * sampling.positions, workers, alternative
        )
    return seconds_each


def announce_game(player: Player, game: Game) -> None:
    """Print how long a game of a player with rollouts takes, if it takes more than ten seconds."""
    if QUIET.get():
        return
    seconds, alternative = rollout_seconds(player, game, 1), "greedy takes seconds"
    _announce_duration(f"a game of {player}", seconds, 1, alternative, SECONDS_OF_SHORT_GAME)


def _announce_duration(
    work: str, seconds: float, workers: int, alternative: str, limit: float = LONG_SECONDS
) -> None:
    """Print how long work takes, and an alternative, if it takes more than `limit` seconds.

    seconds -- the processor time, which the workers share.
    """
    if seconds > limit * workers:
        processes = "1 process" if workers == 1 else f"{workers} processes"
        duration = time_text(seconds / workers)
        err.print(f"{work}: about {duration} on {processes}; {alternative}", soft_wrap=True)
