"""How long work with a strategy takes on this machine: estimated from about a second of it.

Processor seconds of one process, which the kernels take while they run, so that other work on the
machine does not count. What is timed is deterministic; the clock can be given.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from optsearch.counting.configurations import to_masks
from optsearch.counting.engines import engine_for
from optsearch.counting.posterior import Posterior
from optsearch.evaluation.choosing import Chooser
from optsearch.evaluation.run import MEMORY
from optsearch.evaluation.runners import (
    LISTED,
    KernelRunner,
    PatternRunner,
    PythonRunner,
    listed_rows,
    runner_of,
)
from optsearch.evaluation.tasks import Task, run_task
from optsearch.evaluation.top import Top
from optsearch.game import Cell, Game
from optsearch.game.position import Position, Shot, reply
from optsearch.play.hiding import Drawn
from optsearch.play.simulate import (
    PLAIN,
    PLAYED,
    PLAYED_COMPILED,
    ReplyModel,
    asked_in,
    errors_of,
    generator_of,
    play_task,
    played,
)
from optsearch.strategies import Player, Strategy, as_player
from optsearch.strategies.player import salvo_of

Clock = Callable[[], float]

SECONDS = 1.0  # that the sample takes, about
FEW = 10_000  # configurations of a game that needs no estimate
SMALLEST, GROWTH = 64, 4  # configurations of the first position, and how many times more the next


def evaluation_seconds(strategy: object, game: Game, clock: Clock = time.process_time) -> float:
    """Of `optsearch.evaluate`; 0 for a game of few configurations, TooLarge for one of too many.

    Greedy leads to a position drawn at random, through positions of ever fewer configurations. From
    the last of these on the strategy is evaluated below them, until a second is over; the pace
    below the largest one is that of all. (Small ones take longer per configuration.)
    """
    number = Posterior(Position(game)).configurations
    runner = runner_of(strategy, game)
    if isinstance(runner, PythonRunner):
        runner.require_few(number)
    if number <= FEW:
        return 0.0
    return pace(strategy, game, number, clock) * number


def pace(strategy: object, game: Game, largest: int, clock: Clock = time.process_time) -> float:
    """Processor seconds per configuration, below positions of at most so many."""
    runner = runner_of(strategy, game)
    largest = min(largest, runner.listed(MEMORY))
    from_start = isinstance(runner, PatternRunner)  # whose kernel plays all shots anyway

    def run(position: Position, number: int) -> None:
        run_task(runner.strategy, Task(game, str(position), number), from_start)

    took, number = _longest(run, _path(game), largest, clock)
    return took / number


Place = tuple[Position, int]  # and how many configurations it has


def _longest(
    run: Callable[[Position, int], object], path: list[Place], largest: int, clock: Clock
) -> tuple[float, int]:
    """What some work takes at the largest position for which a second is enough, and its size."""

    def timed(*place: Any) -> float:
        started = clock()
        run(*place)
        return clock() - started

    places = [place for place in path if place[1] <= largest] or path[-1:]
    place, *larger = reversed(places)
    timed(*place)  # what is compiled at its first call is no part of the pace
    took = spent = timed(*place)
    for following in larger:
        growth = following[1] / place[1]
        if spent + took * growth > SECONDS:
            break
        if growth >= GROWTH:
            place = following
            took = timed(*place)
            spent += took
    return took, place[1]


def _path(game: Game) -> list[Place]:
    """The positions of a game of greedy at ships drawn at random, while there is much to choose."""
    posterior = Posterior(Position(game))
    (ships,) = posterior.sample(1, np.random.default_rng(1), masks=True)
    hidden = to_masks(ships)
    children = Top(runner_of("greedy", game), engine_for(game), None, SMALLEST).children
    position, number = Position(game), posterior.configurations
    path = [(position, number)]
    while number > SMALLEST:
        after = {child.shots[-1]: (child, n) for child, n in children(position, number)}
        cell = next(iter(after)).cell
        told = reply(game, hidden, position.hits, game.bit(cell))
        position, number = after[Shot(cell, told)]
        path.append((position, number))
    return path


def simulation_seconds(
    player: object,
    game: Game,
    games: int,
    manner: ReplyModel = PLAIN,
    clock: Clock = time.process_time,
) -> float:
    """Of so many games of a player.

    Games are played until a second is over. Where not even one ends by then, the game is taken to
    shoot half of its cells.
    """
    chosen = as_player(player)
    if manner.is_plain and (seconds := rollout_seconds(chosen, game, games, clock)):
        return seconds
    boards = Drawn().boards(game, min(games, PLAYED_COMPILED), 1)
    if manner.is_plain and chosen.compiled(game) is not None:
        play_task(chosen, game, boards[:1], 0, 1)  # which compiles it
        started = clock()
        play_task(chosen, game, boards, 0, 1)
        return (clock() - started) / len(boards) * games
    timed = _Timed(asked_in(chosen, game, manner), clock)
    ended = 0
    try:
        for number, ships in enumerate(boards):
            played(
                timed, game, to_masks(ships), generator_of(1, number), manner, errors_of(1, number)
            )
            ended += 1
    except _TimeOver:
        pass
    if ended:
        return timed.spent / ended * games
    return timed.spent / max(timed.shots, 1) * game.cells / 2 * games


def rollout_seconds(
    player: object, game: Game, games: int, clock: Clock = time.process_time
) -> float:
    """Of so many games of rollouts in a game of very many configurations; 0 for all others.

    Each task lists those of the game once, and each shot those that are left; the shot itself takes
    no longer from more than are compared.
    """
    path = _path(game) if isinstance(player, Strategy) and game.is_silent else []
    runner = runner_of(player, game) if path else None
    if not isinstance(runner, KernelRunner) or not runner.is_rollout or path[0][1] <= FEW:
        return 0.0
    chooser = Chooser(player, game)
    shot, compared = _longest(lambda place, _: chooser.shot(place), path, runner.rule.cap, clock)
    listing, listed = _longest(lambda place, _: listed_rows(place), path, LISTED, clock)
    each = listing / listed
    most = runner.listed(MEMORY)
    game_seconds = sum(shot * min(1, n / compared) + each * min(most, n) for _, n in path)
    return game_seconds * games + each * path[0][1] * -(-games // PLAYED)


class _TimeOver(Exception):
    """The second is over."""


class _Timed(Player):
    """A player whose games end when a second is over; shots -- those made by then."""

    def __init__(self, player: Player | Chooser, clock: Clock):
        self._player, self._clock = player, clock
        self._started = clock()
        self.shots = 0

    @property
    def spent(self) -> float:
        """Seconds so far."""
        return self._clock() - self._started

    def begin(self, game: Game, generator: np.random.Generator) -> _TimedGame:
        """As `Player.begin`."""
        return _TimedGame(self, self._player.begin(game, generator))

    def count(self, number: int) -> None:
        """Before so many shots; raises when the time is over."""
        if self.spent > SECONDS:
            raise _TimeOver
        self.shots += number


class _TimedGame:
    """One game of such a player."""

    def __init__(self, timed: _Timed, playing: Any):
        self._timed, self._playing = timed, playing

    def shot(self, position: Any) -> Cell:
        """As that of the player."""
        self._timed.count(1)
        cell: Cell = self._playing.shot(position)
        return cell

    def salvo(self, position: Any, number: int) -> list[Cell]:
        """As that of the player."""
        self._timed.count(number)
        return salvo_of(self._playing, position, number)
