"""Simulations of players on the same hidden boards: histograms, means, and paired differences.

    simulate(["greedy", "my_file.py:Player"], Game.parse("10x10:5,4,3,3,2"), games=1000, seed=1)

Replies may be false by chance, and several shots may come before their replies (`ReplyModel`).
Every player plays every board, with a generator made from the seed and the number of the board. So
results do not depend on the other players, the executor or an interruption. A *task* is a player
and several boards. It returns the shots of each game, which a checkpoint keeps.
"""

from __future__ import annotations

import pickle
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from math import isnan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import CellSets, to_cells, to_masks
from optsearch.counting.prior import Prior
from optsearch.evaluation.choosing import Chooser
from optsearch.game import Cell, Game, notebook
from optsearch.game.fleets import MixedGame, any_game, position_in
from optsearch.game.noise import Lies, Noise, NoisyPosition, require_silent
from optsearch.game.position import Position, play, reply
from optsearch.play.hiding import Drawn, Hider
from optsearch.play.hiding import hider as hider_of
from optsearch.strategies import Player, Strategy, as_player
from optsearch.strategies.player import AFLOAT, Compiled, require_salvo, salvo_of, salvo_size
from optsearch.support.errors import OptsearchError, StrategyError
from optsearch.support.progress import Progress, Status, meter, no_progress
from optsearch.support.sharing import SerialExecutor, run_tasks
from optsearch.support.store import Facts
from optsearch.support.workers import IN_THIS_PROCESS, Execution, process_pool, require_execution

PLAYED = 10  # games of a task
PLAYED_COMPILED = 1000  # games of a task of a compiled player
AHEAD = 4  # tasks submitted per worker
MOST_GAMES = 10_000_000
MOST_SHOTS = 100  # per cell of the board, in a game whose replies may be false


@dataclass(frozen=True)
class Outcome:
    """The shots of one player: int64 of shape (games,), by the number of the board.

    salvo -- the number of shots of a salvo; the last salvo counts up to its last hit.
    salvo_counts -- the salvos of each game, if their size is the number of ships afloat.
    """

    strategy: str
    game: Game
    shots: NDArray[np.int64] = field(repr=False)
    salvo: int = 1
    salvo_counts: NDArray[np.int64] | None = field(default=None, repr=False)

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.shots)

    @property
    def mean(self) -> float:
        """The mean number of shots."""
        return float(self.shots.mean())

    @property
    def sd(self) -> float:
        """The standard deviation of the sample; nan for one game."""
        return sd(self.shots)

    @property
    def standard_error(self) -> float:
        """The standard error of the mean; nan for one game."""
        return self.sd / sqrt(self.games)

    @property
    def median(self) -> float:
        """The median number of shots."""
        return float(np.median(self.shots))

    @property
    def worst(self) -> int:
        """The most shots of a game."""
        return int(self.shots.max())

    def finished_within(self, shots: int) -> int:
        """Return the number of games that took at most `shots` shots."""
        return int((self.shots <= shots).sum())

    @property
    def salvos(self) -> NDArray[np.int64]:
        """The number of salvos of each game; int64 of shape (games,)."""
        if self.salvo_counts is not None:
            return self.salvo_counts
        return -(-self.shots // self.salvo)  # rounded up

    @cached_property
    def histogram(self) -> dict[int, int]:
        """The number of games that took each number of shots, ascending."""
        return dict(sorted(Counter(self.shots.tolist()).items()))

    @property
    def texts(self) -> tuple[str, ...]:
        """The player and its figures as text, in the order of `HEADS`."""
        return (
            self.strategy,
            f"{self.mean:.4f}",
            number_text(self.standard_error, 4),
            number_text(self.sd, 3),
            f"{self.median:g}",
            str(self.worst),
        )

    def __repr__(self) -> str:
        error = number_text(self.standard_error, 4)
        return f"<Outcome of {self.strategy} on {self.game}: mean {self.mean:.4f} ± {error}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that `optsearch simulate --json` prints for a player."""
        is_one_game = self.games == 1  # which has no deviation
        salvos = {} if self.salvo == 1 else {"salvos": float(self.salvos.mean())}
        return {
            "strategy": self.strategy,
            "game": str(self.game),
            "games": self.games,
            "mean": self.mean,
            **salvos,
            "standard_error": None if is_one_game else self.standard_error,
            "sd": None if is_one_game else self.sd,
            "median": self.median,
            "worst": self.worst,
            "histogram": {str(shots): games for shots, games in self.histogram.items()},
        }


HEADS = ("player", "mean", "± s.e.", "sd", "median", "worst")


def number_text(value: float, places: int) -> str:
    """Return a number as text; - for nan."""
    return "-" if isnan(value) else f"{value:.{places}f}"


def sd(values: NDArray[np.int64]) -> float:
    """Return the standard deviation of a sample; nan for one value."""
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")


@dataclass(frozen=True)
class Difference:
    """The shots that player `slower` takes beyond player `faster` on the same boards.

    mean -- of the differences board by board; standard_error -- of that mean.
    """

    slower: str
    faster: str
    mean: float
    standard_error: float


@dataclass(frozen=True)
class Effect:
    """Hedges' g between the shots of two players, and its standard error."""

    g: float
    standard_error: float


def hedges_g(first: Outcome, second: Outcome) -> Effect:
    """Return the difference of means in pooled standard deviations, corrected for small samples.

    L. V. Hedges, Journal of Educational Statistics 6 (1981). The standard error is that of
    independent samples. On the same boards players tend to be good and bad together, so it is
    usually too large.
    """
    games = first.games + second.games
    freedom = games - 2
    pooled_sd = sqrt(
        ((first.games - 1) * first.sd**2 + (second.games - 1) * second.sd**2) / freedom
    )
    correction = 1 - 3 / (4 * freedom - 1)
    g = correction * (first.mean - second.mean) / pooled_sd
    variance = games / (first.games * second.games) + g * g / (2 * games)
    return Effect(g, sqrt(variance))


@dataclass(frozen=True)
class ReplyModel:
    """The way in which shots are replied to; by default truly and one by one.

    noise -- the chance or the number of false replies; None if all are true. salvo -- the number of
    cells chosen before their replies, which come in the order of the shots; AFLOAT for the number
    of ships afloat.
    """

    noise: Noise | Lies | None = None
    salvo: int = 1

    def __post_init__(self) -> None:
        if self.salvo != AFLOAT:
            salvo_size(str(self.salvo))

    def __str__(self) -> str:
        salvo = "" if self.salvo == 1 else f"salvos of {self.salvo or 'as many as ships afloat'}"
        return ", ".join(filter(None, (str(self.noise or ""), salvo)))

    @property
    def is_plain(self) -> bool:
        """True if every reply is true and comes at once."""
        return self == PLAIN

    def require(self, player: Player, game: Game) -> None:
        """Raise NotSupported or StrategyError if a game or a player does not support this model."""
        require_salvo(self.salvo, game)
        player.require_fleet(game)
        if self.noise is not None:
            require_silent(game)
            player.require_noise()

    def cells_in_salvo(self, position: Position | NoisyPosition) -> int:
        """Return the number of cells of a salvo at a position."""
        if self.salvo != AFLOAT:
            return self.salvo
        return position.ships_afloat if isinstance(position, Position) else 1

    def count_salvos(self, last_position: Position | NoisyPosition) -> int:
        """Count the salvos of a game from its last position."""
        salvos = shots = 0
        while shots < len(last_position.shots):
            earlier_position = replace(last_position, shots=last_position.shots[:shots])
            shots += self.cells_in_salvo(earlier_position)
            salvos += 1
        return salvos

    def most_shots(self, game: Game) -> int:
        """Return the most shots of a game; a game with false replies is given up after them."""
        return game.room if self.noise is None else MOST_SHOTS * game.room


PLAIN = ReplyModel()


@dataclass(frozen=True)
class Simulation:
    """The results of all players on the same boards.

    boards -- the hider, as text. reply_model -- the way of the replies. seconds -- wall time of
    this run. resumed -- the number of games taken from a checkpoint.
    """

    game: Game
    seed: int
    boards: str
    reply_model: ReplyModel
    outcomes: tuple[Outcome, ...]
    seconds: float = field(compare=False)
    resumed: int = field(compare=False)

    def __repr__(self) -> str:
        texts = [outcome.texts for outcome in self.outcomes]
        means = ", ".join(f"{player} {mean} ± {error}" for player, mean, error, *_ in texts)
        return f"<Simulation of {self.game}, {self.outcomes[0].games:,} games: {means}>"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a row per player: mean shots, standard error, sd, median and worst case."""
        rows = [outcome.to_dict() for outcome in self.outcomes]
        return [{name: row[name] for name in row if name != "histogram"} for row in rows]

    def _repr_html_(self) -> str:
        """Return a table with a line per player, as HTML."""
        title = f"{self.game}, {self.outcomes[0].games:,} games, boards {self.boards}"
        lines = [outcome.texts for outcome in self.outcomes]
        return notebook.with_title(title, notebook.table(HEADS, lines))

    def differences(self) -> Iterator[Difference]:
        """Yield the difference of every two players, in order of means: the best two first."""
        ranked = sorted(self.outcomes, key=lambda outcome: outcome.mean)
        for faster, slower in combinations(ranked, 2):
            by_board = slower.shots - faster.shots
            error = sd(by_board) / sqrt(len(by_board))
            yield Difference(slower.strategy, faster.strategy, float(by_board.mean()), error)


# Single games and tasks


def player_generator(seed: int, number: int) -> np.random.Generator:
    """Return the generator of every player in the game on a board."""
    return np.random.default_rng([seed, 1, number])


def error_generator(seed: int, number: int) -> np.random.Generator:
    """Return the generator of false replies in the games on a board, equal for all players."""
    return np.random.default_rng([seed, 2, number])


def player_for_games(player: Player, game: Game) -> Player | Chooser:
    """Return what to ask for shots in several games: the player or, for a strategy, a Chooser.

    With a Chooser, games with equal beginnings share their shots.
    """
    return Chooser(player, game) if isinstance(player, Strategy) else player


def play_game(
    player: Player | Chooser,
    game: Game,
    ships: Sequence[int],
    generator: np.random.Generator,
    reply_model: ReplyModel = PLAIN,
    errors: np.random.Generator | None = None,
) -> Position | NoisyPosition:
    """Play a game of a player against hidden ships (masks), and return its last position.

    generator -- the random numbers of the player. reply_model -- whether replies may be false, and
    how many shots come before them. errors -- the random numbers of false replies.

    Raises StrategyError if replies may be false and the player never shoots at all ship cells.
    """
    playing = player.begin(game, generator)
    if reply_model.is_plain:
        return play(playing.shot, ships, position_in(game))
    position: Position | NoisyPosition
    if reply_model.noise is None:
        position, noisy_replies = position_in(game), None
    else:
        position = NoisyPosition(game, reply_model.noise)
        noisy_replies = reply_model.noise.replies_of_game(game, np.random.default_rng(errors))
    limit = reply_model.most_shots(game)
    while not position.is_over(ships):
        if reply_model.salvo == 1:
            cells = [playing.shot(position)]
        else:
            cells = salvo_of(playing, position, reply_model.cells_in_salvo(position))
        for cell in cells:
            if position.is_over(ships):
                break
            bit = game.bit(cell)
            if isinstance(position, NoisyPosition):
                assert noisy_replies is not None
                is_ship = any(ship & bit for ship in ships)
                position = position.after(cell, noisy_replies.reply(position, cell, is_ship))
            else:
                position = position.after(cell, reply(game, ships, position.hits, bit))
        if len(position.shots) > limit:
            raise StrategyError(
                f"{player} has made {len(position.shots):,} shots in a game of {game} and has not "
                "shot at every cell of the ships yet; it may shoot a cell again, but must shoot "
                "each of these once"
            )
    return position


def replay(
    player: object,
    game: Game,
    number: int,
    *,
    seed: int = 1,
    boards: Hider | None = None,
    reply_model: ReplyModel = PLAIN,
    progress: Progress[Status] = no_progress,
) -> Position | NoisyPosition:
    """Play one game of a simulation again, and return its last position.

    number -- of the board, from 0. seed -- of the simulation. boards -- the hider of the ships; by
    default they are random. progress -- called before each shot of a strategy, with the number of
    cells hit so far.
    """
    ships = to_masks((boards or Drawn()).boards(game, number + 1, seed)[number])
    chosen = as_player(player)
    reply_model.require(chosen, game)
    chooser = player_for_games(chosen, game)
    if isinstance(chooser, Chooser) and reply_model.is_plain:
        report = meter(progress, game.hits_to_end)

        def shot(position: Position) -> Cell:
            report(position.hits.bit_count())
            return chooser.shot(position)

        return play(shot, ships, position_in(game))
    generator, errors = player_generator(seed, number), error_generator(seed, number)
    return play_game(chooser, game, ships, generator, reply_model, errors)


def play_task(
    chooser: Player | Chooser,
    game: Game,
    boards: CellSets,
    first: int,
    seed: int,
    reply_model: ReplyModel = PLAIN,
) -> list[int]:
    """Return the number of shots that a player takes on each board.

    If salvos have one shot per ship afloat, the number of salvos of each game follows in the list.

    chooser -- the player, or a Chooser that keeps its shots for later games. first -- the number of
    the first board. seed -- with the number of a board, it gives the random numbers of its game.
    """
    if reply_model.is_plain and isinstance(chooser, Chooser):
        shots_by_game = (chooser.shots_left(to_masks(ships), position_in(game)) for ships in boards)
        return [shots for shots in shots_by_game if shots is not None]
    compiled = compiled_of(chooser, game, reply_model)
    if compiled is None:
        last_positions = [
            play_game(
                chooser,
                game,
                to_masks(ships),
                generator=player_generator(seed, number),
                reply_model=reply_model,
                errors=error_generator(seed, number),
            )
            for number, ships in enumerate(boards, first)
        ]
        shots = [len(position.shots) for position in last_positions]
        if reply_model.salvo == AFLOAT:
            shots += map(reply_model.count_salvos, last_positions)
        return shots
    return [
        int(compiled(ship_numbers, player_generator(seed, number)))
        for number, ship_numbers in enumerate(ship_numbers_by_cell(game, boards), first)
    ]


def compiled_of(player: Player | Chooser, game: Game, reply_model: ReplyModel) -> Compiled | None:
    """Return a player as a compiled function that plays a whole game; None if there is none."""
    if isinstance(player, Chooser) or not reply_model.is_plain or game.ends_at_hit:
        return None
    return player.compiled(game)


def ship_numbers_by_cell(game: Game, boards: CellSets) -> NDArray[np.uint8]:
    """Return the number of the ship on each cell; uint8 of shape (boards, cells).

    Water is 0. Ships have their numbers in the fleet, from 1; in a silent game all have 1.
    """
    cells = np.zeros((len(boards), game.cells), np.uint8)
    ship_on_boards = boards.transpose(1, 0, 2)  # by ship, then by board
    for number, ships in enumerate(ship_on_boards, 1):
        cells += to_cells(ships, game.cells) * np.uint8(1 if game.is_silent else number)
    return cells


# All games


def simulate(
    players: object,
    game: Game | str,
    *,
    games: int = 10_000,
    seed: int = 1,
    boards: Hider | str | None = None,
    prior: Prior | None = None,
    reply_model: ReplyModel = PLAIN,
    execution: Execution = IN_THIS_PROCESS,
) -> Simulation:
    """Let players play games on the same boards.

    players -- one or a list, each a name, function, class or object that `as_player` accepts.
    game -- a game or its text, such as `4x5:2,3,4`. games -- the number of boards. seed -- of the
        boards and of everything that players draw.
    boards -- a hider, or its text as the command takes it (default: uniformly at random, or by the
        prior). prior -- the weights of configurations, which the players know.
    reply_model -- the way of the replies (default: true, one by one).
    execution -- the processes, the checkpoint and the progress. A checkpoint also serves for more
        players or games. It is refused for another game, seed or hider. The progress is that of all
        players together.

    Raises ImpossiblePosition for a game without a configuration; StrategyError if a player fails,
    makes an illegal shot or does not support the reply model; NotSupported if the game does not
    support it; TableError for the checkpoint.
    """
    require_execution(execution)
    game = any_game(game) if isinstance(game, str) else game
    if not isinstance(game, MixedGame):
        game = Game.of(game)
    player_list = players if isinstance(players, list | tuple) else [players]
    chosen = [as_player(player) for player in player_list]
    if prior is not None:
        prior.require(game)
        chosen = [player.with_prior(prior) for player in chosen]
    names = [str(player) for player in chosen]
    if not chosen:
        raise StrategyError("nobody plays; give one player or more")
    for name in names:
        if names.count(name) > 1:
            raise StrategyError(f"the player {name} is given twice")
    if not 1 <= games <= MOST_GAMES or seed < 0:
        raise OptsearchError(
            f"{games} games with the seed {seed} cannot be played; 1 to {MOST_GAMES:,} games and "
            "a seed of 0 or more are accepted"
        )
    for player in chosen:
        reply_model.require(player, game)
    jobs, executor = execution.tasks_at_once, execution.executor
    with ExitStack() as stack:
        hider = hider_of(boards) if isinstance(boards, str) else boards or Drawn(prior)
        store = None
        if execution.checkpoint is not None:
            title = f"simulation; {game}; seed {seed}; boards {hider.identity}"
            title += "" if reply_model.is_plain else f"; {reply_model!r}"
            store = stack.enter_context(Facts(execution.checkpoint, title))
        run = _SimulationRun(
            chosen, game, games, seed, hider, reply_model, store, execution.progress
        )
        if executor is None and jobs > 1 and len(run.missing) > 1:
            for player in chosen:
                pickle.dumps(player)  # raises here if it cannot be sent
            executor = stack.enter_context(process_pool(jobs))
        return run.run_on(executor or SerialExecutor(), jobs)


@dataclass(frozen=True)
class _Task:
    """A player by its index, and boards by their numbers."""

    player: int
    first: int
    last: int


_Arguments = tuple[Player | Chooser, Game, CellSets, int, int, ReplyModel]  # of `play_task`


def _play_sent(task_and_arguments: tuple[_Task, _Arguments]) -> list[int]:
    _, arguments = task_and_arguments
    return play_task(*arguments)


@dataclass
class _SimulationRun:
    """One simulation, with its finished and open tasks."""

    players: Sequence[Player]
    game: Game
    games: int
    seed: int
    hider: Hider
    reply_model: ReplyModel
    store: Facts | None
    progress: Progress[Status]

    def __post_init__(self) -> None:
        self._started = time.monotonic()
        self._boards = self.hider.boards(self.game, self.games, self.seed)
        self._identities = (
            [player.identity() for player in self.players] if self.store is not None else []
        )
        self._choosers = [player_for_games(player, self.game) for player in self.players]
        self._shots, self._salvos = np.zeros((2, len(self.players), self.games), np.int64)
        self.missing = [task for task in self._tasks() if not self._try_resume(task)]
        self._resumed = int(np.count_nonzero(self._shots))
        self._meter = meter(self.progress, self._shots.size, self._resumed)

    def run_on(self, executor: Executor, workers: int) -> Simulation:
        """Run the missing tasks on an executor, and return the simulation."""
        self._report()
        sent = ((task, self._arguments(task)) for task in self.missing)
        for (task, _), shots in run_tasks(
            executor, _play_sent, sent, AHEAD * workers, self._report
        ):
            self._finish(task, shots)
        counts_salvos = self.reply_model.salvo == AFLOAT
        outcomes = [
            Outcome(
                strategy=str(player),
                game=self.game,
                shots=shots,
                salvo=self.reply_model.salvo,
                salvo_counts=salvos if counts_salvos else None,
            )
            for player, shots, salvos in zip(self.players, self._shots, self._salvos, strict=True)
        ]
        return Simulation(
            game=self.game,
            seed=self.seed,
            boards=self.hider.identity,
            reply_model=self.reply_model,
            outcomes=tuple(outcomes),
            seconds=time.monotonic() - self._started,
            resumed=self._resumed,
        )

    def _tasks(self) -> Iterator[_Task]:
        """Yield all tasks, each a player and several boards, so that all players advance evenly."""
        sizes = [
            PLAYED_COMPILED if compiled_of(player, self.game, self.reply_model) else PLAYED
            for player in self.players
        ]
        for first in range(0, self.games, PLAYED):
            for player, size in enumerate(sizes):
                if first % size == 0:
                    yield _Task(player, first, min(first + size, self.games))

    def _arguments(self, task: _Task) -> _Arguments:
        boards = self._boards[task.first : task.last]
        chooser = self._choosers[task.player]
        return chooser, self.game, boards, task.first, self.seed, self.reply_model

    def _finish(self, task: _Task, shots: list[int]) -> None:
        if not self._are_shots(task, shots):
            raise AssertionError(f"{self.players[task.player]} took {shots} shots")
        if self.store is not None:
            self.store.add(self._key(task), shots)
        self._record_shots(task, shots)
        self._report()

    def _record_shots(self, task: _Task, shots: list[int]) -> None:
        """Record the shots of the games of a task, and the salvos if they follow in the list."""
        games = slice(task.first, task.last)
        count = task.last - task.first
        self._shots[task.player, games] = shots[:count]
        self._salvos[task.player, games] = shots[-count:]

    def _report(self) -> None:
        self._meter(int(np.count_nonzero(self._shots)))

    # The checkpoint: the shots of each task

    def _key(self, task: _Task) -> str:
        return f"{self._identities[task.player]}; boards {task.first} to {task.last}"

    def _try_resume(self, task: _Task) -> bool:
        """Take the shots of a task from the checkpoint; return False if they are not there."""
        if self.store is None or self._key(task) not in self.store:
            return False
        shots = self.store[self._key(task)]
        if not self._are_shots(task, shots):
            raise self.store.impossible_fact(self._key(task), "the shots of these games")
        self._record_shots(task, shots)
        return True

    def _are_shots(self, task: _Task, shots: object) -> bool:
        """True if a value, read from a checkpoint, can be the list of shots of a task's games.

        If salvos have one shot per ship afloat, the number of salvos of each game follows.
        """
        games = task.last - task.first
        numbers_per_game = 2 if self.reply_model.salvo == AFLOAT else 1
        if not isinstance(shots, list) or len(shots) != games * numbers_per_game:
            return False
        most = self.reply_model.most_shots(self.game)
        if not all(type(number) is int and 0 < number <= most for number in shots):
            return False
        least = 1 if self.game.ends_at_hit else self.game.least_cells
        return min(shots[:games]) >= least
