"""Where games hide their ships: uniformly at random, by a prior, as a player does, or by own code.

    hider("uniform").boards(game, 1000, seed=1)

Board number i depends on the seed and on i alone, however many are asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import numpy as np

from optsearch.counting.configurations import CellSets, to_words
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import OneByOne, Prior, read
from optsearch.game import MAX_BOARD, Game
from optsearch.game.ships import in_order, objection
from optsearch.support import records
from optsearch.support.errors import GameError, OptsearchError, StrategyError
from optsearch.support.files import read_bytes
from optsearch.support.user_code import UserFunction, safe_repr

DRAWN = 10_000  # boards that are drawn from a posterior together
TRIES = 10_000  # of the printed placement for one fleet
_FORM = (
    "uniform, one-by-one, one-by-one:order=SHIP,SHIP,…, corner, FILE.csv with a prior, or "
    "FILE.py:NAME"
)


class Hider(ABC):
    """Whoever hides the ships."""

    @abstractmethod
    def boards(self, game: Game, number: int, seed: int) -> CellSets:
        """So many boards; uint64 of shape (number, ships, 2), a ship a cell set."""

    @property
    @abstractmethod
    def identity(self) -> str:
        """What names it in a checkpoint."""


def hider(text: str) -> Hider:
    """Who hides ships as a text says; StrategyError for one that names nobody."""
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

    prior -- or a table of `optsearch.counting.prior.read`.
    """

    prior: Path | Prior | None = None

    def boards(self, game: Game, number: int, seed: int) -> CellSets:
        """Draws from the posterior of the empty board."""
        prior = read(self.prior, game) if isinstance(self.prior, Path) else self.prior
        posterior = Posterior(game, prior=prior)
        posterior.require_some()
        drawn = [
            posterior.sample(DRAWN, np.random.default_rng([seed, 0, batch]), masks=True)
            for batch in range(-(-number // DRAWN))
        ]
        return np.concatenate(drawn)[:number]

    @property
    def identity(self) -> str:
        """The kind, and a digest of the prior."""
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
    """Boards that are made one by one, each with a generator of its own."""

    def boards(self, game: Game, number: int, seed: int) -> CellSets:
        """Each board, from its own generator."""
        result = np.empty((number, len(game.fleet), game.words), np.uint64)
        for i in range(number):
            ships = self.fleet(game, np.random.default_rng([seed, 0, i]))
            result[i] = to_words(ships, game.words)
        return result

    @abstractmethod
    def fleet(self, game: Game, generator: np.random.Generator) -> list[int]:
        """The masks of the ships of one board, longest first."""


class Corner(_OneByOne):
    """The printed placement of "Battleship Heuristics", which leaves two edges empty.

    One ship after the other, drawn until it meets no other: `row = randint(1, 10 - ship) - 1`, and
    the column likewise, whichever way the ship lies. So row and column are from 0 to 9 - ship, and
    nothing ever lies on the last row or column. (In the published text the second `valid =` stands
    outside of its loop, which then would never end: it belongs inside.)
    """

    identity = "corner"

    def fleet(self, game: Game, generator: np.random.Generator) -> list[int]:
        """The masks of the ships, as they are placed; GameError where they find no room."""
        game.require_usual("the corner placement")
        if game.contact != "any" or max(game.fleet) >= min(game.rows, game.columns):
            raise GameError(
                f"the corner placement is for contact=any and ships shorter than both sides of the "
                f"board, not for {game}"
            )
        for _ in range(TRIES):
            ships = self._attempt(game, generator)
            if ships is not None:
                return ships
        raise GameError(f"the corner placement finds no room for the fleet of {game}")

    def _attempt(self, game: Game, generator: np.random.Generator) -> list[int] | None:
        ships: list[int] = []
        taken = 0
        for length in game.fleet:
            for _ in range(TRIES):
                row = int(generator.integers(game.rows - length))
                column = int(generator.integers(game.columns - length))
                down = int(generator.integers(2))
                cells = [(row + i * down, column + i * (1 - down)) for i in range(length)]
                ship = game.mask(cells)
                if not ship & taken:
                    break
            else:
                return None
            ships.append(ship)
            taken |= ship
        return ships


@dataclass(frozen=True)
class PlacedOneByOne(_OneByOne):
    """Ships placed one by one, as most programs do, in some order.

    Each lies on a place drawn uniformly from those that the ships before it leave; where none is
    left, the board is begun anew. This is not uniform: `optsearch.counting.prior.one_by_one`.
    """

    placing: OneByOne

    @property
    def identity(self) -> str:
        """The text that names it."""
        return str(self.placing)

    def fleet(self, game: Game, generator: np.random.Generator) -> list[int]:
        """The masks of the ships; GameError where they find no room."""
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
    """A function of a user: from the game and a generator to ships, each a list of cells."""

    function: UserFunction

    @property
    def identity(self) -> str:
        """The function and a digest of its source."""
        return self.function.identity

    def fleet(self, game: Game, generator: np.random.Generator) -> list[int]:
        """What the function gives, checked by the rules of the game."""
        answer = self.function(game, generator, says=f"{self.function} fails for {game}")
        try:
            ships = [game.mask(cells) for cells in _ships(answer)]
        except (TypeError, ValueError) as error:
            reason = str(error) if isinstance(error, OptsearchError) else "no list of ships"
            raise self._refused(answer, reason) from None
        reason = objection(game, ships)
        if reason:
            raise self._refused(answer, reason)
        return in_order(ships, game)

    def _refused(self, answer: object, reason: str) -> StrategyError:
        return StrategyError(
            f"{self.function} hides ships as {safe_repr(answer)}: {reason}; a list of ships is "
            "accepted, each a list of cells (row, column) from 0"
        )


def _ships(answer: object) -> Iterator[list[tuple[int, int]]]:
    """Pairs of integers, ship by ship; TypeError or ValueError for anything else."""
    if not isinstance(answer, Iterable):
        raise TypeError
    for ship in islice(answer, MAX_BOARD + 1):
        yield [(int(row), int(column)) for row, column in islice(ship, MAX_BOARD + 1)]
