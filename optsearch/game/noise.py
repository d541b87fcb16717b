"""Replies that may be false: an opponent who errs or lies now and then.

    noise = Noise.parse("0.05", "0.1")
    NoisyPosition.parse(Game.parse("4x4:3,2"), noise, "B2=hit B2=miss A1=miss")
    NoisyPosition(Game.parse("4x4:3,2"), Lies(1))

With `Noise`, each reply is false by chance, independently of the others. The reply to a shot at
water is hit with the probability `false_hits`; the reply to a shot at a ship is miss with the
probability `false_misses`. With `Lies`, at most a given number of replies are false, and nobody
knows which: all configurations that make no more of them false are equally likely. Either way it
may pay to shoot a cell twice, and the game ends when every cell of every ship has been shot at.
Sinkings are not announced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import comb, prod

import numpy as np

from optsearch.game.cells import Cell, cell_name
from optsearch.game.game import Game
from optsearch.game.position import HIT, MISS, Position, Reply, Shot, shots_of
from optsearch.support.errors import GameError, NotSupported, PositionError, TooLarge

DOUBT = "? shot before, and the reply may be false"  # the meaning of ? on drawn boards
MOST_LIES, MOST_READINGS = 4, 20_000
_DIGITS = 18
_FORM = re.compile(rf"\d{{0,{_DIGITS}}}\.?\d{{0,{_DIGITS}}}|\d{{1,{_DIGITS}}}/\d{{1,{_DIGITS}}}")


@dataclass(frozen=True)
class Noise:
    """The probabilities of false replies; PositionError unless both are numbers from 0 to 1.

    false_hits -- the probability that the reply to a shot at water is hit.
    false_misses -- the probability that the reply to a shot at a ship is miss.
    """

    false_hits: Fraction = Fraction(0)
    false_misses: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        for name in ("false_hits", "false_misses"):
            object.__setattr__(self, name, _probability(name, getattr(self, name)))

    @classmethod
    def parse(cls, false_hits: str, false_misses: str) -> Noise:
        """Return the noise of two texts such as `0.05` and `1/20`."""
        return cls(
            _probability("false_hits", false_hits), _probability("false_misses", false_misses)
        )

    def __str__(self) -> str:
        return f"{_percent(self.false_hits)} false hits, {_percent(self.false_misses)} false misses"

    def likelihood(self, answer: Reply, is_ship: bool) -> Fraction:
        """Return the probability of a reply to a shot at a ship, or at water if not `is_ship`."""
        probability_of_hit = 1 - self.false_misses if is_ship else self.false_hits
        return probability_of_hit if answer.hit else 1 - probability_of_hit

    def replies_of_game(self, game: Game, generator: np.random.Generator) -> NoisyReplies:
        """Return what makes the replies of one game; the generator draws which are false."""
        return NoisyReplies(self, game, generator)


class NoisyReplies:
    """What makes the replies of one game, each false by chance.

    The n-th shot at a cell gets the same random number, whichever other cells were shot before.
    """

    def __init__(self, noise: Noise, game: Game, generator: np.random.Generator):
        self._noise, self._game, self._generator = noise, game, generator
        # The n-th array has a number from 0 to 1 for the n-th shot at each cell.
        self._random_numbers: list[np.ndarray] = []

    def reply(self, position: NoisyPosition, cell: Cell, is_ship: bool) -> Reply:
        """Return a reply, which may be false, to a shot at a cell with a ship or with water."""
        times_shot = sum(shot.cell == cell for shot in position.shots)
        if times_shot == len(self._random_numbers):
            self._random_numbers.append(self._generator.random(self._game.cells))
        index = self._game.bit(cell).bit_length() - 1
        probability = self._noise.false_misses if is_ship else self._noise.false_hits
        is_false = self._random_numbers[times_shot][index] < probability
        return HIT if is_ship != is_false else MISS


@dataclass(frozen=True)
class Lies:
    """The greatest number of false replies; PositionError unless it is 0 to MOST_LIES."""

    limit: int

    def __post_init__(self) -> None:
        if not 0 <= self.limit <= MOST_LIES:
            raise PositionError(
                f"at most {self.limit} false replies; 0 to {MOST_LIES} are accepted"
            )

    def __str__(self) -> str:
        return f"at most {self.limit} false repl{'y' if self.limit == 1 else 'ies'}"

    def replies_of_game(self, game: Game, generator: np.random.Generator) -> LyingReplies:
        """Return what makes the replies of one game; the generator draws which shots get lies.

        They are drawn from the first shots, as many as the board has cells.
        """
        shot_numbers = generator.choice(game.cells, min(self.limit, game.cells), replace=False)
        return LyingReplies(frozenset(shot_numbers.tolist()))


@dataclass(frozen=True)
class LyingReplies:
    """What makes the replies of one game. false -- the numbers, from 0, of the shots with lies."""

    false: frozenset[int]

    def reply(self, position: NoisyPosition, cell: Cell, is_ship: bool) -> Reply:
        """Return a reply, which may be a lie, to a shot at a cell with a ship or with water."""
        is_false = len(position.shots) in self.false
        return HIT if is_ship != is_false else MISS


def are_lies(position: object) -> bool:
    """True for a position whose replies may be false by `Lies`; False for all other values."""
    return isinstance(position, NoisyPosition) and isinstance(position.noise, Lies)


def require_silent(game: Game) -> None:
    """Raise NotSupported for a game whose hits tell more than hit."""
    if not game.is_silent:
        raise NotSupported(
            f"the replies of {game} are always true; replies may be false only with "
            "announce=nothing"
        )


def _probability(name: str, value: Fraction | float | str) -> Fraction:
    """Return a value as a fraction; PositionError, with its name, unless it is 0 to 1."""
    error = PositionError(
        f"{name.replace('_', ' ')} of {str(value)[:40]!r} are no probability; a number from 0 to "
        "1 is accepted, as in 0.05 or 1/20"
    )
    if isinstance(value, str) and not (_FORM.fullmatch(value) and value.strip(".")):
        raise error
    try:
        probability = Fraction(value)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        raise error from None
    if not 0 <= probability <= 1:
        raise error
    return probability


def _percent(value: Fraction) -> str:
    return f"{float(100 * value):.6g} %"


@dataclass(frozen=True)
class NoisyPosition:
    """A game, how its replies may be false, and the shots made so far, in order; hashable.

    A cell may be shot several times. Raises PositionError for a cell off the board and for a reply
    other than hit and miss, NotSupported for a game in which hits tell more or that the first hit
    ends.
    """

    game: Game
    noise: Noise | Lies
    shots: tuple[Shot, ...] = field(default=())

    def __post_init__(self) -> None:
        require_silent(self.game)
        self.game.require_sunk("play with replies that may be false")
        for shot in self.shots:
            self._check(shot)

    def _check(self, shot: Shot) -> None:
        """Raise PositionError for a cell off the board, and a reply other than hit and miss."""
        try:
            self.game.bit(shot.cell)
        except GameError as error:
            raise PositionError(f"{shot}: {error}") from None
        if shot.reply not in (HIT, MISS):
            raise PositionError(f"{shot} is not a reply that may be false; hit and miss are")

    @classmethod
    def parse(cls, game: Game, noise: Noise | Lies, text: str) -> NoisyPosition:
        """Return the position of a text such as `B3=hit A1=miss B3=miss`."""
        return cls(game, noise, shots_of(game, text))

    def __str__(self) -> str:
        return " ".join(map(str, self.shots))

    @property
    def title(self) -> str:
        """The game, how its replies may be false, and the shots if there are any."""
        return f"{self.game} with {self.noise}" + (f", {self}" if self.shots else "")

    @property
    def signs(self) -> dict[Cell, str]:
        """For each cell shot, its signs in figures, one per shot: × for a hit, ○ for a miss."""
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
        """The mask of the cells shot already, and of the holes."""
        return self.shot_at | self.game.holes

    def is_over(self, configuration: Iterable[int]) -> bool:
        """True if every cell of these ships (masks) has been shot at."""
        return not any(ship & ~self.shot_at for ship in configuration)

    def after(self, cell: Cell, answer: Reply) -> NoisyPosition:
        """Return this position with one more shot; only that shot is checked."""
        shot = Shot(cell, answer)
        self._check(shot)
        following = object.__new__(NoisyPosition)
        following.__dict__.update(game=self.game, noise=self.noise, shots=(*self.shots, shot))
        return following

    def likelihood(self, configuration: Iterable[int]) -> Fraction:
        """Return the probability of all replies, given the ships (masks).

        With `Lies` it is 1 if few enough replies are false, else 0. This is the definition;
        counting must agree with it.
        """
        ships = list(configuration)

        def is_ship_at(cell: Cell) -> bool:
            return any(ship & self.game.bit(cell) for ship in ships)

        if isinstance(self.noise, Lies):
            lies = sum(shot.reply.hit != is_ship_at(shot.cell) for shot in self.shots)
            return Fraction(lies <= self.noise.limit)
        probabilities = (
            self.noise.likelihood(shot.reply, is_ship_at(shot.cell)) for shot in self.shots
        )
        return prod(probabilities, start=Fraction(1))

    # Lies: what may lie on the cells that were shot

    @cached_property
    def _false_replies(self) -> dict[Cell, tuple[int, int]]:
        """For each cell shot: how many replies are false if it has a ship, and if it is water."""
        counts: dict[Cell, tuple[int, int]] = {}
        for shot in self.shots:
            false_if_ship, false_if_water = counts.get(shot.cell, (0, 0))
            if shot.reply.hit:
                false_if_water += 1
            else:
                false_if_ship += 1
            counts[shot.cell] = false_if_ship, false_if_water
        return counts

    def readings(self) -> Iterator[tuple[int, int]]:
        """Yield each reading of the replies that makes few enough of them false.

        A reading divides the cells shot into two masks: cells with a ship, and water. At most
        `Lies.limit` replies contradict it. No configuration fits two readings.
        """
        assert isinstance(self.noise, Lies)
        cells = [(self.game.bit(cell), *counts) for cell, counts in self._false_replies.items()]
        choices = sum(comb(len(cells), lies) for lies in range(self.noise.limit + 1))
        if choices > MOST_READINGS:
            raise TooLarge(
                f"there are {choices:,} ways to choose {self.noise} of {len(cells)} cells; at most "
                f"{MOST_READINGS:,} are counted"
            )

        def readings_from(
            index: int, lies_left: int, ships: int, water: int
        ) -> Iterator[tuple[int, int]]:
            """Yield the readings that agree with two masks on the cells before `index`."""
            if index == len(cells):
                yield ships, water
                return
            bit, lies_if_ship, lies_if_water = cells[index]
            if lies_if_ship <= lies_left:
                yield from readings_from(index + 1, lies_left - lies_if_ship, ships | bit, water)
            if lies_if_water <= lies_left:
                yield from readings_from(index + 1, lies_left - lies_if_water, ships, water | bit)

        yield from readings_from(0, self.noise.limit, ships=0, water=0)

    # What the replies amount to: certain cells, and a weight for each other cell

    @cached_property
    def _likelihoods(self) -> dict[Cell, tuple[Fraction, Fraction]]:
        """For each cell shot: the probability of its replies if it has a ship, and if it is water.

        With `Lies` it is 1 if the replies at this cell alone are possible, else 0. With `Noise`,
        raises PositionError if both are 0.
        """
        noise = self.noise
        if isinstance(noise, Lies):
            return {
                cell: (Fraction(with_ship <= noise.limit), Fraction(with_water <= noise.limit))
                for cell, (with_ship, with_water) in self._false_replies.items()
            }
        likelihoods: dict[Cell, tuple[Fraction, Fraction]] = {}
        for shot in self.shots:
            with_ship, with_water = likelihoods.get(shot.cell, (Fraction(1), Fraction(1)))
            with_ship *= noise.likelihood(shot.reply, is_ship=True)
            with_water *= noise.likelihood(shot.reply, is_ship=False)
            if not with_ship and not with_water:
                raise PositionError(
                    f"{shot} contradicts what was replied at {cell_name(shot.cell)} before; with "
                    f"{noise} it is impossible"
                )
            likelihoods[shot.cell] = with_ship, with_water
        return likelihoods

    @cached_property
    def certain(self) -> Position:
        """The certain cells as a position: a hit where a ship must be, a miss where water must."""
        shots = [
            Shot(cell, HIT if with_ship else MISS)
            for cell, (with_ship, with_water) in self._likelihoods.items()
            if with_ship == 0 or with_water == 0
        ]
        return Position(self.game, tuple(shots))

    @property
    def weights(self) -> dict[Cell, Fraction]:
        """For each cell in doubt: the probability of its replies with a ship, divided by without.

        Empty with `Lies`: then weights are not products over cells.
        """
        if isinstance(self.noise, Lies):
            return {}
        return {
            cell: with_ship / with_water
            for cell, (with_ship, with_water) in self._likelihoods.items()
            if with_ship and with_water
        }
