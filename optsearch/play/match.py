"""A person's game against hidden ships, or against a player who shoots back.

    match = Match(Game.parse("10x10:5,4,3,3,2"), seed=3, opponent="hard")
    match.shoot((0, 1)), match.shoot_back()

Ships and chance come from the seed, so that a match is saved in one line: `to_json`, `from_json`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from optsearch.counting.configurations import to_masks
from optsearch.counting.mixture import posterior_of
from optsearch.game import Cell, Game, cell_name, parse_cell
from optsearch.game.fleets import MixedGame, any_game, position_in
from optsearch.game.position import Reply, Shot, reply
from optsearch.game.ships import ships_of
from optsearch.play.hiding import hider
from optsearch.strategies import Player, as_player
from optsearch.support.documents import Document
from optsearch.support.errors import OptsearchError, PositionError, StrategyError

OPPONENTS = {"easy": "heuristic:version=1", "hard": "heuristic:version=5", "exact": "greedy"}
"""The computers of "Battleship Heuristics", and exact greedy."""
_FIELD_TYPES = {
    **{"game": str, "seed": int, "against": str, "ships": str, "boards": str},
    **{"shots": list, "answers": list},
}


class Match:
    """One match; the person shoots first.

    hidden -- the ships that the person looks for. own_ships -- the ships of the person, empty
    without an opponent; both are masks, the longest first. position -- the person's shots and their
    replies. own_position -- the opponent's shots and their replies. opponent -- its name, empty for
    none. boards -- the name of the hider of `hidden` (`hiding.hider`).
    """

    def __init__(
        self, game: Game, seed: int, opponent: str = "", ships: str = "", boards: str = "uniform"
    ):
        self.game, self.seed, self.opponent, self.boards = game, seed, opponent, boards
        posterior = posterior_of(position_in(game))
        posterior.require_some()

        def draw_ships(stream: int) -> list[int]:
            generator = np.random.default_rng([seed, stream])
            return to_masks(posterior.sample(1, generator, masks=True)[0])

        self.hidden, drawn_ships = draw_ships(0), draw_ships(1)
        if boards != "uniform":
            self.hidden = to_masks(hider(boards).boards(game, 1, seed)[0])
        self.position = position_in(game)
        self.own_position = position_in(game)
        self.own_ships: list[int] = []
        self._playing = None
        if opponent:
            self.own_ships = ships_of(ships, game) if ships else drawn_ships
            player = _player_named(opponent)
            player.require_fleet(game)
            self._playing = player.begin(game, np.random.default_rng([seed, 2]))
        elif ships:
            raise OptsearchError(f"ships are given ({ships!r}), but nobody shoots at them")

    @property
    def is_over(self) -> bool:
        """True if one side has sunk every ship."""
        return self.is_won or (bool(self.opponent) and self.own_position.is_over(self.own_ships))

    @property
    def is_won(self) -> bool:
        """True if the person has sunk every ship."""
        return self.position.is_over(self.hidden)

    @property
    def is_persons_turn(self) -> bool:
        """True if it is the person's turn."""
        return not self.opponent or len(self.own_position.shots) == len(self.position.shots)

    def shoot(self, cell: Cell) -> Reply:
        """Make the person's shot and return its reply; raise PositionError for an illegal cell."""
        bit = self.game.bit(cell)
        if bit & self.position.closed:
            raise PositionError(f"{cell_name(cell)} was shot before; shoot at another cell")
        answer = reply(self.game, self.hidden, self.position.hits, bit)
        self.position = self.position.after(cell, answer)
        return answer

    def shoot_back(self) -> Shot:
        """Make the opponent's shot and return it."""
        assert self._playing is not None
        cell = self._playing.shot(self.own_position)
        answer = reply(self.game, self.own_ships, self.own_position.hits, self.game.bit(cell))
        self.own_position = self.own_position.after(cell, answer)
        return self.own_position.shots[-1]

    def without_last_turn(self) -> Match:
        """Return a new match that is played again up to the last shot of the person.

        Raises PositionError if the person has not shot.
        """
        if not self.position.shots:
            raise PositionError("no shot was made; there is nothing to take back")
        before = Match(self.game, self.seed, self.opponent, self._own_ships_text, self.boards)
        for shot in self.position.shots[:-1]:
            before.shoot(shot.cell)
            if not before.is_persons_turn and not before.is_won:
                before.shoot_back()
        return before

    @property
    def _own_ships_text(self) -> str:
        if isinstance(self.game, MixedGame):  # whose ships the seed gives
            return ""
        return " ".join(map(self.game.ship_name, self.own_ships))

    # Saving

    def to_json(self) -> str:
        """Return the match as a line of JSON."""
        return json.dumps(
            {
                "game": str(self.game),
                "seed": self.seed,
                "against": self.opponent,
                "ships": self._own_ships_text,
                "boards": self.boards,
                "shots": [str(shot) for shot in self.position.shots],
                "answers": [str(shot) for shot in self.own_position.shots],
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Match:
        """Return the match that was saved as a line of JSON; its shots are played again.

        Raises OptsearchError for a line that is not a match, or if the game takes another course.
        """
        fields = _parse_fields(text)
        match = cls(
            game=any_game(fields["game"], Game.read),
            seed=fields["seed"],
            opponent=fields["against"],
            ships=fields["ships"],
            boards=fields["boards"],
        )
        for shot in fields["shots"]:
            if not match.is_persons_turn:
                match.shoot_back()
            match.shoot(parse_cell(str(shot).partition("=")[0]))
        if len(fields["answers"]) > len(match.own_position.shots) and match.opponent:
            match.shoot_back()
        shots = [str(shot) for shot in match.position.shots]
        answers = [str(shot) for shot in match.own_position.shots]
        if shots != fields["shots"] or answers != fields["answers"]:
            raise OptsearchError(
                "played again, the game takes another course: the file or the player was changed"
            )
        return match


def _player_named(name: str) -> Player:
    """Return the opponent of a name; raise StrategyError for any other name."""
    try:
        return as_player(OPPONENTS.get(name, name))
    except StrategyError as error:
        raise StrategyError(f"{error}; in a match also {', '.join(OPPONENTS)}") from None


def _parse_fields(text: str) -> Mapping[str, Any]:
    """Return the fields of a saved match; raise OptsearchError for any other text."""
    document = Document(text, "it is not a match that was kept", OptsearchError)
    return {name: document.value(name, kind) for name, kind in _FIELD_TYPES.items()}
