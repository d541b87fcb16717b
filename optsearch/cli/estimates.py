"""What takes more than ten minutes says so before it starts."""

from __future__ import annotations

import os

from optsearch.cli.app import err
from optsearch.cli.arguments import QUIET
from optsearch.game import Game
from optsearch.play.estimate import evaluation_seconds, simulation_seconds
from optsearch.play.simulate import ReplyModel
from optsearch.strategies import Strategy, as_player
from optsearch.strategies.user import UserStrategy
from optsearch.support.decimals import time_text

LONG = 600  # seconds
MINUTE = 60
FEW = 2000  # games times cells that need no estimate


def announce_evaluation(strategy: Strategy, game: Game, workers: int | None) -> None:
    """Say how long the evaluation of a strategy takes, and what is quicker."""
    if QUIET.get():
        return
    shorter = "`simulate` or `compare` take minutes"
    if isinstance(strategy, UserStrategy):
        shorter += ", a score takes minutes for all (see Your idea in the documentation)"
    _announce(f"evaluating {strategy}", evaluation_seconds(strategy, game), workers, shorter)


def announce_simulation(
    players: list[str], game: Game, games: int, manner: ReplyModel, workers: int | None
) -> None:
    """Say how long the games take, and where an evaluation plays every board in less."""
    if QUIET.get() or games * game.cells < FEW:
        return
    number = workers or os.cpu_count() or 1
    for name in players:
        seconds = simulation_seconds(name, game, games, manner)
        player = as_player(name)
        _announce(f"{games:,} games of {player}", seconds, workers, "fewer --games take less")
        if seconds < MINUTE * number or not manner.is_plain or not isinstance(player, Strategy):
            continue
        whole = evaluation_seconds(player, game)
        if whole < seconds:
            err.print(
                f"`optsearch evaluate {player} {game}` plays all boards in about "
                f"{time_text(whole / number)}, these {games:,} games take about "
                f"{time_text(seconds / number)}",
                soft_wrap=True,
            )


def _announce(what: str, seconds: float, workers: int | None, shorter: str) -> None:
    number = workers or os.cpu_count() or 1
    if seconds > LONG * number:
        processes = "1 process" if number == 1 else f"{number} processes"
        time = time_text(seconds / number)
        err.print(f"{what}: about {time} on {processes}; {shorter}", soft_wrap=True)
