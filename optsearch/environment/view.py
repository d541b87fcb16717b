"""Observations of positions as arrays of fixed shapes, in the environment and as a player."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior, prior_of
from optsearch.game import ANNOUNCEMENTS, Game
from optsearch.game.position import Position, Shot
from optsearch.game.shapes import Placement
from optsearch.support.errors import GameError, StrategyError

Observation = dict[str, NDArray[Any]]

UNKNOWN, MISS, HIT, HOLE, SUNK = range(5)  # signs of the board; SUNK is the first of several

REMEMBERED = 4096  # positions whose probabilities are cached, as games begin alike


@dataclass(frozen=True)
class View:
    """A function from the positions of a game to the observations of an agent.

    prior -- the weights of the configurations; None is uniform. probabilities -- True if the agent
    sees the exact probability of a ship on each cell. order -- True if it sees the number of the
    shot on each cell.

    Raises PositionError for a prior of another game.
    """

    game: Game
    prior: Prior | None = None
    probabilities: bool = False
    order: bool = False

    def __post_init__(self) -> None:
        game = self.game
        is_supported = not game.has_labels or game.names_hits or game.shows_ships
        game.require_rule("an environment", is_supported, "|".join(ANNOUNCEMENTS))
        if self.prior is not None:
            self.prior.require(self.game)

    @classmethod
    def of(
        cls,
        game: Game | str,
        prior: Prior | str | None = None,
        probabilities: bool = False,
        order: bool = False,
    ) -> View:
        """Return a view; its game and prior may be texts, as `Game.parse` and `prior_of` read them.

        Raises GameError if `game` is not a game, StrategyError if `prior` is not a prior.
        """
        if not isinstance(game, Game | str):
            raise GameError(f"{game!r} is not a game; give a Game, or its text as in 4x4:3,2")
        if not isinstance(prior, Prior | str | None):
            raise StrategyError(f"{prior!r} is not a prior; give a Prior, its text, or None")
        if isinstance(game, str):
            game = Game.parse(game)
        if isinstance(prior, str):
            prior = prior_of(prior, game)
        return cls(game, prior, bool(probabilities), bool(order))

    def __call__(self, position: Position) -> Observation:
        """Return the observation of a position, in new arrays.

        board -- uint8 of shape (rows, columns): UNKNOWN, MISS, HIT or HOLE. A cell whose shot sank
            a ship is SUNK. If the reply names the ship sunk or hit, it is SUNK + i for `kinds[i]`.
            If a hit shows a whole ship, its cells not shot yet are SUNK + len(kinds) + i.
        afloat -- int16 of shape (kinds,): the ships of each of `kinds` not known to be sunk. If
            no reply names a ship, the shape is (1,), for all ships together. If nothing is
            announced, that is the whole fleet until the game is over.
        action_mask -- int8 of shape (cells,): 1 on each cell that can be shot.
        order -- only with `order`: int16 of shape (rows, columns), numbers of shots from 1, or 0.
        probabilities -- only with `probabilities`: float32 of shape (rows, columns), of a ship.

        Raises ImpossiblePosition if no configuration is left and `probabilities` is set.
        """
        game = self.game
        revealing = [
            shot for shot in position.shots if shot.reply.sunk or shot.reply.label is not None
        ]
        observation: Observation = {
            "board": self._make_board(position, revealing),
            "afloat": self._count_afloat(revealing, is_over=not position.hits_left),
            "action_mask": 1 - game.array(position.closed).ravel().astype(np.int8),
        }
        if self.order:
            shot_numbers = np.zeros((game.rows, game.columns), np.int16)
            for shot_number, shot in enumerate(position.shots, 1):
                shot_numbers[shot.cell] = shot_number
            observation["order"] = shot_numbers
        if self.probabilities:
            observation["probabilities"] = _probability(position, self.prior).astype(np.float32)
        return observation

    def _make_board(self, position: Position, revealing: list[Shot]) -> NDArray[np.uint8]:
        """Return the signs of the board, uint8 of shape (rows, columns), as in `__call__`.

        revealing -- the shots whose replies sink or name ships.
        """
        game = self.game
        board = MISS * game.array(position.misses) + HIT * game.array(position.hits)
        board += self._holes  # UNKNOWN is 0
        for shot in revealing:
            kind_index = self._kind_index(shot)
            if isinstance(shot.reply.label, Placement):
                shown_ahead = game.array(shot.reply.label & ~position.hits) * (board == UNKNOWN)
                board += shown_ahead * (SUNK + len(self.kinds) + kind_index)
            board[shot.cell] = SUNK + kind_index
        return board

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """The different kinds of ships of the fleet, lengths or shapes, in its order."""
        return tuple(dict.fromkeys(self.game.fleet))

    @property
    def highest_sign(self) -> int:
        """The highest sign that can be on the board of an observation."""
        if self.game.is_silent:
            return HOLE
        if not self.game.labels:
            return SUNK
        signs_per_kind = 2 if self.game.shows_ships else 1  # cells hit, and cells shown ahead
        return SUNK + signs_per_kind * len(self.kinds) - 1

    @cached_property
    def _holes(self) -> NDArray[np.uint8]:
        return HOLE * self.game.array(self.game.holes)

    def _kind_index(self, shot: Shot) -> int:
        """Return the index in `kinds` of the ship that a reply names, or 0 if it names none."""
        kind = self.game.kind_of_label(shot.reply.label)
        return 0 if kind is None else self.kinds.index(kind)

    def _count_afloat(self, revealing: list[Shot], is_over: bool) -> NDArray[np.int16]:
        """Count the ships not known to be sunk: for each of `kinds`, or of all kinds together.

        revealing -- the shots whose replies sink or name ships.
        """
        ships_by_kind = self._fleet_counts
        if is_over and not self.game.ends_at_hit:
            return np.zeros_like(ships_by_kind)
        counted_shots = revealing
        if self.game.shows_ships:
            hits_by_ship = Counter(shot.reply.label for shot in revealing)
            # One shot for each ship whose cells are all hit.
            counted_shots = [
                next(shot for shot in revealing if shot.reply.label == ship)
                for ship, hit_count in hits_by_ship.items()
                if isinstance(ship, Placement) and hit_count == ship.bit_count()
            ]
        kind_indices = [self._kind_index(shot) for shot in counted_shots]
        shots_of_kind = np.bincount(kind_indices, minlength=len(ships_by_kind))
        if self.game.names_hits:  # the ships of a name are sunk once all of their cells are hit
            return np.where(shots_of_kind < ships_by_kind * np.array(self.kinds), ships_by_kind, 0)
        return ships_by_kind - shots_of_kind.astype(np.int16)  # each of these shots sank a ship

    @cached_property
    def _fleet_counts(self) -> NDArray[np.int16]:
        """The number of ships of each of `kinds`; if no reply names one, of all together."""
        fleet = self.game.fleet
        if not self.game.labels:
            return np.array([len(fleet)], np.int16)
        return np.array([fleet.count(kind) for kind in self.kinds], np.int16)


@lru_cache(maxsize=REMEMBERED)
def _probability(position: Position, prior: Prior | None) -> NDArray[np.float64]:
    return Posterior(position, prior=prior).probability
