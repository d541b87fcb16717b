"""Hiders of ships: uniformly at random, by a prior, as other programs do, or by user code.

    hider("uniform").boards(game, 1000, seed=1)

Board number i depends on the seed and on i alone, not on the number of boards.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from math import ceil
from pathlib import Path

import numpy as np

from optsearch.counting.configurations import CellSets, to_words
from optsearch.counting.mixture import posterior_of
from optsearch.counting.prior import OneByOne, Prior, read
from optsearch.game import MAX_BOARD, Game
from optsearch.game.fleets import position_in
from optsearch.game.ships import in_order, objection
from optsearch.support import records
from optsearch.support.errors import GameError, OptsearchError, StrategyError
from optsearch.support.files import read_bytes
from optsearch.support.user_code import UserFunction, safe_repr

DRAWN = 10_000  # boards drawn from a posterior at once
TRIES = 10_000  # of a placement of one fleet
_FORM = (
    "uniform, one-by-one, one-by-one:order=SHIP,SHIP,…, corner, FILE.csv with a prior, or "
    "FILE.py:NAME"
)


class Hider(ABC):
    """A hider of ships."""

    @abstractmethod
    def boards(self, game: Game, number: int, seed: int) -> CellSets:
        """Return `number` boards as cell sets of ships; uint64 of shape (number, ships, words)."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """The text that names the hider in a checkpoint."""


def hider(text: str) -> Hider:
    """Return the hider that a text names; raise StrategyError for any other text."""
    if text == "uniform":
        return Drawn()
    if text == "corner":
        return Corner()
    if (placing := OneByOne.of(text)) is not None:
        return PlacedOneByOne(placing)
    if text.endswith(".csv"):
        return Drawn(Path(text))
    file, _, name = text.rpartition(":")
    if file.endswith(".py") and name:
        return UserHider(UserFunction.of(Path(file), name))
    raise StrategyError(f"{text!r} is not a hider; use {_FORM}")


@dataclass(frozen=True)
class Drawn(Hider):
    """Exact draws: uniform over the configurations, or by a prior.

    prior -- a Prior, or the path of a table that `optsearch.counting.prior.read` reads.
    """

    prior: Path | Prior | None = None

    def boards(self, game: Game, number: int, seed: int) -> CellSets:
        """Return `number` boards as cell sets of ships; uint64 of shape (number, ships, words)."""
        prior = read(self.prior, game) if isinstance(self.prior, Path) else self.prior
        posterior = posterior_of(position_in(game), prior)
        posterior.require_some()
        drawn = [
            posterior.sample(DRAWN, np.random.default_rng([seed, 0, batch]), masks=True)
            for batch in range(ceil(number / DRAWN))
        ]
        return np.concatenate(drawn)[:number]

    @property
    def identity(self) -> str:
        """The text that names the hider in a checkpoint: `uniform`, or the digest of the prior."""
        if self.prior is None:
            return "uniform"
        if isinstance(self.prior, Prior):
            self.prior.require_digest("a checkpoint")
            return f"prior {self.prior.name}, {self.prior.digest}"
        try:
            content = read_bytes(self.prior, records.MOST_BYTES)
        except OSError as error:
            raise StrategyError(f"cannot read {str(self.prior)!r}: {error.strerror}") from None
        return f"prior {blake2b(content, digest_size=8).hexdigest()}"


class _OneByOne(Hider):
    """Boards that are made one by one, each with its own generator."""

    def boards(self, game: Game, number: int, seed: int) -> CellSets:
        """Return `number` boards, each by `fleet` with a generator of its own.

        A board is a cell set for each ship; uint64 of shape (number, ships, words).
        """
        game.require_known_fleet()
        result = np.empty((number, len(game.fleet), game.words), np.uint64)
        for i in range(number):
            ships = self.fleet(game, np.random.default_rng([seed, 0, i]))
            result[i] = to_words(ships, game.words)
        return result

    @abstractmethod
    def fleet(self, game: Game, generator: np.random.Generator) -> list[int]:
        """Return the masks of the ships of one board, the longest first."""


class Corner(_OneByOne):
    """The printed placement of "Battleship Heuristics", which leaves two edges empty.

    Each ship in turn is drawn until it overlaps no other: `row = randint(1, 10 - ship) - 1`, and
    the column likewise, in both orientations. So row and column are from 0 to 9 - ship, and no ship
    is ever on the last row or column. (In the published text the second `valid =` is outside of its
    loop, which then would never end: it belongs inside.)
    """

    identity = "corner"

    def fleet(self, game: Game, generator: np.random.Generator) -> list[int]:
        """Return the masks of the ships, the longest first.

        Raises GameError if they find no room, and unless contact=any and all ships are shorter than
        both sides.
        """
        game.require_usual("the corner placement")
        if game.contact != "any" or max(game.fleet) >= min(game.rows, game.columns):
            raise GameError(
                f"the corner placement is for contact=any and ships shorter than both sides of the "
                f"board, not for {game}"
            )
        for _ in range(TRIES):
            ships = self._try_to_place(game, generator)
            if ships is not None:
                return ships
        raise GameError(f"the corner placement finds no room for the fleet of {game}")

    def _try_to_place(self, game: Game, generator: np.random.Generator) -> list[int] | None:
        """Return the masks of ships drawn one by one; None if one finds no room in TRIES draws."""
        ships: list[int] = []
        covered = 0
        for length in game.fleet:
            for _ in range(TRIES):
                row = int(generator.integers(game.rows - length))
                column = int(generator.integers(game.columns - length))
                is_vertical = bool(generator.integers(2))
                if is_vertical:
                    cells = [(row + i, column) for i in range(length)]
                else:
                    cells = [(row, column + i) for i in range(length)]
                ship = game.mask(cells)
                if not ship & covered:
                    break
            else:
                return None
            ships.append(ship)
            covered |= ship
        return ships


@dataclass(frozen=True)
class PlacedOneByOne(_OneByOne):
    """Ships placed one by one in an order, as most programs do.

    The placement of each is drawn uniformly from those that the ships before it leave. If none is
    left, the board is begun anew. The configurations are not uniform
    (`optsearch.counting.prior.one_by_one`).
    """

    placing: OneByOne

    @property
    def identity(self) -> str:
        """The text that names the hider in a checkpoint."""
        return str(self.placing)

    def fleet(self, game: Game, generator: np.random.Generator) -> list[int]:
        """Return the masks of ships placed at random; GameError if they find no room."""
        fleet = self.placing.ships(game)
        for _ in range(TRIES):
            ships: list[int] = []
            closed = 0
            for length in fleet:
                free = [ship for ship in game.placements(length) if not ship & closed]
                if not free:
                    break
                ships.append(free[int(generator.integers(len(free)))])
                closed |= ships[-1] | game.halo(ships[-1])
            else:
                return in_order(ships, game)
        raise GameError(f"ships placed one by one find no room for the fleet of {game}")


@dataclass(frozen=True)
class UserHider(_OneByOne):
    """A function of a user that returns ships, each a list of cells, for a game and a generator."""

    function: UserFunction

    @property
    def identity(self) -> str:
        """The function and a digest of its source."""
        return self.function.identity

    def fleet(self, game: Game, generator: np.random.Generator) -> list[int]:
        """Return the masks of the ships that the function hides, the longest first.

        Raises StrategyError if it fails, or if its ships break a rule of the game.
        """
        answer = self.function(game, generator, failure=f"{self.function} fails for {game}")
        try:
            ships = [game.mask(cells) for cells in _cells_of_ships(answer)]
        except (TypeError, ValueError) as error:
            reason = str(error) if isinstance(error, OptsearchError) else "no list of ships"
            raise self._ships_error(answer, reason) from None
        reason = objection(game, ships)
        if reason:
            raise self._ships_error(answer, reason)
        return in_order(ships, game)

    def _ships_error(self, answer: object, reason: str) -> StrategyError:
        return StrategyError(
            f"{self.function} hides ships as {safe_repr(answer)}: {reason}; a list of ships is "
            "accepted, each a list of cells (row, column) from 0"
        )


def _cells_of_ships(answer: object) -> Iterator[list[tuple[int, int]]]:
    """Yield the cells of each ship, pairs of integers; raise TypeError or ValueError otherwise."""
    if not isinstance(answer, Iterable):
        raise TypeError
    for ship in islice(answer, MAX_BOARD + 1):
        yield [(int(row), int(column)) for row, column in islice(ship, MAX_BOARD + 1)]
