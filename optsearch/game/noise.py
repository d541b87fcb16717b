"""Replies that may be false: an opponent who errs or lies now and then.

    noise = Noise.parse("0.05", "0.1")
    NoisyPosition.parse(Game.parse("4x4:3,2"), noise, "B2=hit B2=miss A1=miss")

Each reply is false by chance, whatever the other replies: a shot at water is answered with hit with
the probability `false_hits`, one at a ship with miss with the probability `false_misses`. So it
pays to shoot a cell twice at times. The game ends when every cell of every ship has been shot at.
Sinkings are not announced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod

from optsearch.game.cells import Cell, cell_name
from optsearch.game.game import Game
from optsearch.game.position import HIT, MISS, Position, Reply, Shot, shots_of
from optsearch.support.errors import GameError, NotSupported, PositionError

_DIGITS = 18
_FORM = re.compile(rf"\d{{0,{_DIGITS}}}\.?\d{{0,{_DIGITS}}}|\d{{1,{_DIGITS}}}/\d{{1,{_DIGITS}}}")


@dataclass(frozen=True)
class Noise:
    """How often replies are false.

    false_hits -- the probability that a shot at water is answered with hit. false_misses -- that
    one at a ship is answered with miss. Raises PositionError for anything but a number from 0 to 1.
    """

    false_hits: Fraction = Fraction(0)
    false_misses: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        for name in ("false_hits", "false_misses"):
            object.__setattr__(self, name, _probability(name, getattr(self, name)))

    @classmethod
    def parse(cls, false_hits: str, false_misses: str) -> Noise:
        """That of two texts such as `0.05` and `1/20`."""
        return cls(
            _probability("false_hits", false_hits), _probability("false_misses", false_misses)
        )

    def __str__(self) -> str:
        return f"{_percent(self.false_hits)} false hits, {_percent(self.false_misses)} false misses"

    def likelihood(self, answer: Reply, is_ship: bool) -> Fraction:
        """The probability of a reply to a shot at a ship, or at water."""
        hit = 1 - self.false_misses if is_ship else self.false_hits
        return hit if answer.hit else 1 - hit

    def reply(self, is_ship: bool, chance: float) -> Reply:
        """The reply to a shot at a ship, or at water.

        chance -- a number drawn from [0, 1).
        """
        is_false = chance < (self.false_misses if is_ship else self.false_hits)
        return HIT if is_ship != is_false else MISS

    def require(self, game: Game) -> None:
        """Raise NotSupported for a game that announces sinkings."""
        if not game.is_silent:
            raise NotSupported(
                f"{game} announces sinkings, and these are always true; replies may be false only "
                "with announce=nothing"
            )


def _probability(name: str, given: Fraction | float | str) -> Fraction:
    """A number from 0 to 1."""
    said = PositionError(
        f"{name.replace('_', ' ')} of {str(given)[:40]!r} are no probability; a number from 0 to "
        "1 is accepted, as in 0.05 or 1/20"
    )
    if isinstance(given, str) and not (_FORM.fullmatch(given) and given.strip(".")):
        raise said
    try:
        value = Fraction(given)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        raise said from None
    if not 0 <= value <= 1:
        raise said
    return value


def _percent(value: Fraction) -> str:
    return f"{float(100 * value):.6g} %"


@dataclass(frozen=True)
class NoisyPosition:
    """A game, how often its replies are false, and the shots made so far, in order; hashable.

    A cell may be shot several times. Raises PositionError for a cell off the board and for other
    replies than hit and miss, NotSupported for a game that announces sinkings.
    """

    game: Game
    noise: Noise
    shots: tuple[Shot, ...] = field(default=())

    def __post_init__(self) -> None:
        self.noise.require(self.game)
        for shot in self.shots:
            self._check(shot)

    def _check(self, shot: Shot) -> None:
        try:
            self.game.bit(shot.cell)
        except GameError as error:
            raise PositionError(f"{shot}: {error}") from None
        if shot.reply not in (HIT, MISS):
            raise PositionError(f"{shot} is not a reply that may be false; hit and miss are")

    @classmethod
    def parse(cls, game: Game, noise: Noise, text: str) -> NoisyPosition:
        """The position that a text such as `B3=hit A1=miss B3=miss` describes."""
        return cls(game, noise, shots_of(game, text))

    def __str__(self) -> str:
        return " ".join(map(str, self.shots))

    @property
    def title(self) -> str:
        """The game, how often replies are false, and the shots if there are any."""
        return f"{self.game} with {self.noise}" + (f", {self}" if self.shots else "")

    @property
    def signs(self) -> dict[Cell, str]:
        """The sign in figures of each cell that is shot: × and ○ for each hit and miss."""
        signs: dict[Cell, str] = {}
        for shot in self.shots:
            signs[shot.cell] = signs.get(shot.cell, "") + shot.reply.sign
        return signs

    @cached_property
    def shot_at(self) -> int:
        """The mask of the cells shot at least once."""
        return self.game.mask({shot.cell for shot in self.shots})

    @property
    def closed(self) -> int:
        """The mask of the cells where a shot ends nothing: those shot already, and the holes."""
        return self.shot_at | self.game.holes

    def is_over(self, configuration: Iterable[int]) -> bool:
        """Whether every cell of these ships (masks) has been shot at."""
        return not any(ship & ~self.shot_at for ship in configuration)

    def after(self, cell: Cell, answer: Reply) -> NoisyPosition:
        """This position with one more shot, the only one that is checked then."""
        shot = Shot(cell, answer)
        self._check(shot)
        following = object.__new__(NoisyPosition)
        following.__dict__.update(game=self.game, noise=self.noise, shots=(*self.shots, shot))
        return following

    def likelihood(self, configuration: Iterable[int]) -> Fraction:
        """The probability of all replies where the ships (masks) lie so.

        This is the definition; what counts must agree with it.
        """
        covered = 0
        for ship in configuration:
            covered |= ship
        return prod(
            (
                self.noise.likelihood(shot.reply, bool(self.game.bit(shot.cell) & covered))
                for shot in self.shots
            ),
            start=Fraction(1),
        )

    # In place of the replies: what they make certain, and a weight for each other cell

    @cached_property
    def _by_cell(self) -> dict[Cell, tuple[Fraction, Fraction]]:
        """Of each cell shot the probability of its replies if it is a ship's, and if it is water.

        Raises PositionError where both are 0.
        """
        both: dict[Cell, tuple[Fraction, Fraction]] = {}
        for shot in self.shots:
            ship, water = both.get(shot.cell, (Fraction(1), Fraction(1)))
            ship *= self.noise.likelihood(shot.reply, True)
            water *= self.noise.likelihood(shot.reply, False)
            if not ship and not water:
                raise PositionError(
                    f"{shot} contradicts what was replied at {cell_name(shot.cell)} before; with "
                    f"{self.noise} it is impossible"
                )
            both[shot.cell] = ship, water
        return both

    @cached_property
    def certain(self) -> Position:
        """The cells of which a reply leaves no doubt, as hits and misses; else PositionError."""
        shots = [
            Shot(cell, HIT if ship else MISS)
            for cell, (ship, water) in self._by_cell.items()
            if not ship or not water
        ]
        return Position(self.game, tuple(shots))

    @property
    def weights(self) -> dict[Cell, Fraction]:
        """Of each other cell that was shot how much likelier its replies are with a ship there."""
        return {
            cell: ship / water for cell, (ship, water) in self._by_cell.items() if ship and water
        }
