"""Priors: an integer weight for each configuration of a game, proportional to its probability.

    Prior.of_placements(game, {ship: 3})              a weight per placement, multiplied
    Prior.of_cells(game, {(0, 0): 3}, "mean")         placements weighted by their cells
    Prior.of_configurations(game, {(ship, ship): 3})  a weight per configuration
    read(path, game)                                  one of these from a table
    prior_of(text, game)                              by name: a table, a function, …

A configuration of weight w is w times as likely as one of weight 1; one of weight 0 does not occur.
Weights are integers, or fractions that are brought to one denominator, so that every total and
every mean stays exact. (`docs/priors.md` describes the tables and has examples.)
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from math import factorial, inf, lcm, prod
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import CellSets, to_masks
from optsearch.counting.constraints import Constraints, Ship
from optsearch.counting.engines import engine_for
from optsearch.game import Cell, Game, bits, cell_name, parse_cell
from optsearch.game.fleets import MixedGame, count_length_vectors, lengths_of
from optsearch.game.noise import NoisyPosition
from optsearch.game.ships import in_order, ship_of, ships_of
from optsearch.support import records
from optsearch.support.errors import GameError, PositionError, RecordError, StrategyError, TooLarge
from optsearch.support.user_code import UserFunction, safe_repr

Weight = int | float | Fraction  # a float counts as the binary fraction that it is
K = TypeVar("K")

MOST_KEPT = 500_000  # weights of a function, and boards of ships placed one by one
COMBINERS = ("product", "mean")  # of the weights of a ship's cells
_ORDER_MARK = ":order="
_MOST_DIGITS = 18
_WEIGHT = re.compile(
    rf"\d{{1,{_MOST_DIGITS}}}(\.\d{{1,{_MOST_DIGITS}}}|/0*[1-9]\d{{0,{_MOST_DIGITS - 1}}})?",
    re.ASCII,
)
_HEADER_KEYS = {  # of the tables, by their columns
    ("ship", "weight"): ("otherwise",),
    ("cell", "weight"): ("otherwise", "cells"),
    ("ships", "weight"): ("otherwise",),
    ("ships",): ("smoothing",),
}
_TABLES = (
    "weights of placements: the columns ship, weight; weights of cells: cell, weight, and a line "
    "`# cells: product` or `# cells: mean`; weights of configurations: ships, weight; or boards of "
    "past games: ships, and a line `# smoothing: 1`"
)


class Prior(ABC):
    """A prior over the configurations of a game.

    game -- its announcement does not matter. name -- for reports. Two priors of one game are equal
    if their digests are.
    """

    def __init__(self, game: Game, name: str):
        game.require_no_twins("a prior")
        self.game, self.name = game, name

    def __repr__(self) -> str:
        return f"<Prior {self.name} of {self.game}, {self.digest}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Prior) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[str, Game]:
        return self.digest, replace(self.game, announce="nothing")

    @property
    def title(self) -> str:
        """The subject of a sentence about the prior, for errors."""
        return f"the prior {self.name}"

    @property
    @abstractmethod
    def digest(self) -> str:
        """A digest of all weights, which identifies the prior in files."""

    @property
    def has_digest(self) -> bool:
        """True if the digest is of all weights; else it is random, and valid in this run only."""
        return True

    def require_digest(self, file: str) -> None:
        """Raise TooLarge if no digest of all weights can identify the prior in a file."""
        if not self.has_digest:
            raise TooLarge(
                f"{file} cannot name the prior {self.name}: that needs the weights of all "
                f"configurations of {self.game}, and a function is asked for at most {MOST_KEPT:,}"
            )

    @abstractmethod
    def weight(self, ships: Sequence[int]) -> int:
        """Return the weight of a configuration, given as the masks of its ships."""

    @property
    def placements(self) -> Mapping[int, int] | None:
        """The weights of placements (masks) whose product is the weight of a configuration.

        A missing one weighs 1. None if weights are not such products.
        """
        return None

    @cached_property
    def barred(self) -> frozenset[Ship]:
        """The ships (kinds and masks) whose placement has weight 0."""
        weights = self.placements or {}
        return frozenset(
            (self.game.kind_of(ship), ship) for ship, weight in weights.items() if not weight
        )

    @property
    def possible_boards(self) -> Sequence[tuple[int, ...]] | None:
        """The only boards that have a weight, as masks of ships; None if any may have one.

        Some may not be configurations of the game.
        """
        return None

    @property
    def has_zero_weights(self) -> bool:
        """True if it is clear, without asking for each, that some configurations have weight 0."""
        return self.possible_boards is not None or (
            self.placements is not None and bool(self.barred)
        )

    def weights(self, ships: CellSets) -> list[int]:
        """Return the weights of n configurations.

        ships -- the cells of each ship; uint64 of shape (n, ships, words).
        """
        masks_by_ship = [to_masks(ships[:, i]) for i in range(ships.shape[1])]
        return [self.weight(masks) for masks in zip(*masks_by_ship, strict=True)]

    def require(self, game: Game) -> None:
        """Raise PositionError unless this is a prior of the game."""
        if replace(game, announce=self.game.announce) != self.game:
            raise PositionError(f"the prior {self.name} is of the game {self.game}, not of {game}")

    def combine(self, other: Prior) -> Prior:
        """Return the prior by which a configuration weighs the product of its weights by both."""
        other.require(self.game)
        return _CombinedPrior(self, other)

    # Kinds

    @staticmethod
    def of_placements(
        game: Game, weights: Mapping[int, Weight], otherwise: Weight = 1, name: str = "placements"
    ) -> Prior:
        """Return a prior by weights of placements, whose product is the weight of a configuration.

        Fractions are scaled to integers, for each kind of ship by itself. This changes no
        probability, because each configuration gets the same factor.

        weights -- of placements (masks). otherwise -- the weight of all others.

        Raises GameError for a mask that is not a placement, PositionError for a negative weight.
        """
        placements = {ship for kind in set(game.fleet) for ship in game.placements(kind)}
        for ship in weights:
            if ship not in placements:
                raise GameError(f"no ship of {game} lies on {' '.join(game.names(ship))}")
        scaled: dict[int, int] = {}
        for kind in sorted(set(game.fleet)):
            kind_weights = {ship: weights.get(ship, otherwise) for ship in game.placements(kind)}
            scaled |= _scale_to_integers(kind_weights, game.ship_name)
        return _PlacementPrior(game, name, scaled)

    @staticmethod
    def of_cells(
        game: Game,
        weights: Mapping[Cell, Weight],
        combine_by: str,
        otherwise: Weight = 1,
        name: str = "cells",
    ) -> Prior:
        """Return a prior by weights of cells: a placement weighs the product or mean of its cells.

        A configuration weighs the product of the weights of its placements.

        combine_by -- "product" or "mean". otherwise -- the weight of cells not in `weights`.

        Raises PositionError for another value of `combine_by` and for a negative weight.
        """
        if combine_by not in COMBINERS:
            raise PositionError(f"cells: {combine_by!r} is not known; use {' or '.join(COMBINERS)}")
        cell_weights = _scale_to_integers(
            {cell: weights.get(game.cell(cell), otherwise) for cell in range(game.cells)},
            lambda cell: cell_name(game.cell(cell)),
        )
        placements: dict[int, Weight] = {}
        for kind in set(game.fleet):
            for ship in game.placements(kind):
                values = [cell_weights[cell] for cell in bits(ship)]
                # The sum weighs as the mean does: all ships of a kind have equally many cells.
                placements[ship] = prod(values) if combine_by == "product" else sum(values)
        return Prior.of_placements(game, placements, name=name)

    @staticmethod
    def of_configurations(
        game: Game,
        weights: Mapping[tuple[int, ...], Weight],
        otherwise: Weight = 0,
        name: str = "configurations",
    ) -> Prior:
        """Return a prior by weights of configurations.

        weights -- of configurations, each as the masks of its ships in any order, without letters.
        Ships that are not a configuration of the game are accepted: they never occur.
        otherwise -- the weight of all other configurations.

        Raises PositionError for a negative weight, and for a configuration with two weights.
        """
        rows = {tuple(sorted(ships)): weight for ships, weight in weights.items()}
        if len(rows) < len(weights):
            times = Counter(tuple(sorted(ships)) for ships in weights)
            repeated = next(ships for ships, count in times.items() if count > 1)
            raise PositionError(f"{_ships_text(game, repeated)} has two weights")
        scaled = _scale_to_integers({**rows, (): otherwise}, lambda ships: _ships_text(game, ships))
        return _ConfigurationPrior(game, name, scaled)

    @staticmethod
    def of_function(game: Game, function: Callable[[Sequence[int]], int], name: str) -> Prior:
        """Return a prior by a function that weighs configurations.

        In a game of at most MOST_KEPT configurations the function is called here, once for each. In
        a larger game it is called when a weight is needed, and the prior has no digest that is
        valid in another run (`has_digest`).

        function -- gets the masks of a configuration's ships, and returns an integer from 0 up.
        """
        engine, constraints = engine_for(game), Constraints(game.fleet)
        configurations = engine.count(constraints)
        if configurations > MOST_KEPT:
            return _FunctionPrior(game, name, function)
        words: CellSets = engine.unrank(constraints, np.arange(configurations, dtype=np.uint64))
        masks_by_ship = [to_masks(words[:, i]) for i in range(len(game.fleet))]
        weights = {ships: function(ships) for ships in zip(*masks_by_ship, strict=True)}
        return Prior.of_configurations(game, weights, name=name)


def _ships_text(game: Game, ships: Iterable[int]) -> str:
    """Return the names of the ships of a configuration, the longest first."""
    longest_first = sorted(ships, key=lambda ship: (-ship.bit_count(), ship))
    return " ".join(map(game.ship_name, longest_first))


def _scale_to_integers(weights: Mapping[K, Weight], name_key: Callable[[K], str]) -> dict[K, int]:
    """Return weights as integers: all are multiplied by their least common denominator.

    Raises PositionError for a weight that is negative or not finite.

    name_key -- returns what an error calls a key; for an empty text it says "the others".
    """
    exact: dict[K, int | Fraction] = {}
    for key, weight in weights.items():
        if not 0 <= weight < inf:
            raise PositionError(
                f"the weight {weight} of {name_key(key) or 'the others'} is not a number from 0 up"
            )
        exact[key] = Fraction(weight) if isinstance(weight, float) else weight
    scale = lcm(*(weight.denominator for weight in exact.values()))
    return {key: int(weight * scale) for key, weight in exact.items()}


def _digest(lines: Iterable[str]) -> str:
    return blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


class _PlacementPrior(Prior):
    """The product of the weights of placements."""

    def __init__(self, game: Game, name: str, placements: dict[int, int]):
        super().__init__(game, name)
        self._placements = placements

    @property
    def placements(self) -> Mapping[int, int]:
        return self._placements

    def weight(self, ships: Sequence[int]) -> int:
        return prod(self._placements[ship] for ship in ships)

    @cached_property
    def digest(self) -> str:
        return _digest(f"{ship} {weight}" for ship, weight in sorted(self._placements.items()))


class _CombinedPrior(Prior):
    """The product of the weights by two priors."""

    def __init__(self, first: Prior, second: Prior):
        super().__init__(first.game, first.name)
        self._priors = first, second

    @property
    def placements(self) -> Mapping[int, int] | None:
        first, second = (prior.placements for prior in self._priors)
        if first is None or second is None:
            return None
        return {ship: first.get(ship, 1) * second.get(ship, 1) for ship in {**first, **second}}

    @cached_property
    def barred(self) -> frozenset[Ship]:
        first, second = self._priors
        return first.barred | second.barred

    @cached_property
    def possible_boards(self) -> Sequence[tuple[int, ...]] | None:
        for prior in self._priors:
            if prior.possible_boards is not None:
                return [ships for ships in prior.possible_boards if self.weight(ships)]
        return None

    def weight(self, ships: Sequence[int]) -> int:
        return prod(prior.weight(ships) for prior in self._priors)

    @cached_property
    def digest(self) -> str:
        return _digest(prior.digest for prior in self._priors)

    @property
    def has_digest(self) -> bool:
        return all(prior.has_digest for prior in self._priors)


class _ConfigurationPrior(Prior):
    """A weight for each configuration.

    weights -- of configurations, as the masks of their ships, ascending; the empty tuple has the
    weight of all other configurations.
    """

    def __init__(self, game: Game, name: str, weights: dict[tuple[int, ...], int]):
        super().__init__(game, name)
        self._weights, self._otherwise = weights, weights[()]

    @cached_property
    def possible_boards(self) -> Sequence[tuple[int, ...]] | None:
        if self._otherwise:
            return None
        return sorted(ships for ships, weight in self._weights.items() if weight)

    def weight(self, ships: Sequence[int]) -> int:
        return self._weights.get(tuple(sorted(ships)), self._otherwise)

    @cached_property
    def digest(self) -> str:
        """The digest of the weights; those that equal the weight of all others do not matter."""
        weights = {
            ships: weight for ships, weight in self._weights.items() if weight != self._otherwise
        }
        weights[()] = self._otherwise
        lines = (
            f"{' '.join(map(str, ships))} {weight}" for ships, weight in sorted(weights.items())
        )
        return _digest(lines)


class FleetPrior(Prior):
    """A prior of a fleet that is not known, by which all its configurations are equally likely.

    lengths -- if it is known which lengths the ships have, but not which ship has which: these
    lengths, descending. None if all fleets can occur.
    are_vectors_equal -- True if all vectors of lengths are equally likely; False if all
    configurations are.
    """

    are_vectors_equal = False

    def __init__(self, game: MixedGame, lengths: tuple[int, ...] | None = None):
        fleet = "configurations" if lengths is None else ",".join(map(str, lengths))
        self.game, self.lengths, self.name = game, lengths, f"fleet={fleet}"

    @classmethod
    def of_vectors(cls, game: MixedGame) -> FleetPrior:
        """Return the default prior: each choice of a length for each ship is equally likely."""
        prior = cls(game)
        prior.name, prior.are_vectors_equal = "fleet=vectors", True
        return prior

    @classmethod
    def of(cls, text: str, game: MixedGame) -> FleetPrior | None:
        """Parse `fleet=configurations`, lengths such as `fleet=4,3,2`, or `fleet=vectors`.

        None for `fleet=vectors`, by which all vectors of lengths are equally likely. StrategyError
        for another text, and for lengths that the fleet cannot have.
        """
        fleet = text.removeprefix("fleet=")
        if text == "fleet=vectors":
            return None
        if text == "fleet=configurations":
            return cls(game)
        if text != fleet and re.fullmatch(r"\d{1,4}(,\d{1,4})*", fleet, re.ASCII):
            lengths = tuple(sorted(map(int, fleet.split(",")), reverse=True))
            if lengths in count_length_vectors(game.fleet):
                return cls(game, lengths)
        example = ",".join(str(lengths_of(kind)[0]) for kind in game.fleet)
        raise StrategyError(
            f"{text!r} is not a prior of {game}; use fleet=vectors (each vector of lengths equally "
            "likely), fleet=configurations, or the lengths if you do not know which ship has "
            f"which, as in fleet={example}"
        )

    @property
    def digest(self) -> str:
        """The digest of the name, since there are no other weights."""
        return _digest([self.name])

    @property
    def _identity(self) -> tuple[str, Game]:
        return self.digest, self.game

    def weight(self, ships: Sequence[int]) -> int:
        """Return 1, or 0 if the lengths are known and the ships have others."""
        lengths = tuple(sorted((ship.bit_count() for ship in ships), reverse=True))
        return int(self.lengths in (None, lengths))


class BoardFilter(Prior):
    """A prior that keeps the weights of some boards; the others weigh 0.

    base -- the prior whose weights are kept. None: all weights are equal, or in a
    `MixedPosterior` those that it has without a prior.
    """

    base: Prior | None

    @abstractmethod
    def keeps(self, ships: CellSets) -> NDArray[np.bool_]:
        """Return for each of n boards whether it is kept.

        ships -- the cells of each ship; uint64 of shape (n, ships, words).
        """


class _FunctionPrior(Prior):
    """A function that returns weights, in a game with too many configurations to ask for all."""

    def __init__(self, game: Game, name: str, function: Callable[[Sequence[int]], int]):
        super().__init__(game, name)
        self._function = function
        self._token = token_hex(8)  # of this run: equal to no other

    def weight(self, ships: Sequence[int]) -> int:
        return self._function(ships)

    @property
    def digest(self) -> str:
        return self._token

    @property
    def has_digest(self) -> bool:
        return False


def update_by_replies(position: NoisyPosition, prior: Prior | None = None) -> Prior | None:
    """Return the prior multiplied by the weights of the replies that may be false by chance.

    A reply that has the probability p if a ship is on the cell, and q if not, multiplies the weight
    of a ship there by p / q. Without such a reply, the given prior is returned unchanged.
    """
    if not position.weights:
        return prior
    name = prior.name if prior else str(position.noise)
    of_replies = Prior.of_cells(position.game, position.weights, "product", name=name)
    return of_replies if prior is None else prior.combine(of_replies)


# Tables


def read(path: str | Path, game: Game) -> Prior:
    """Read a prior from a table in a file; RecordError names the line and the value that are wrong.

    The columns are `ship,weight`, `cell,weight`, `ships,weight`, or `ships` alone for the boards of
    past games. Lines above them can be `# otherwise: WEIGHT` (of what has no row), `# cells:
    product|mean` and `# smoothing: WEIGHT`.
    """
    record = records.read(path)
    if record.columns not in _HEADER_KEYS:
        raise RecordError(
            f"{path}: a prior has no columns {', '.join(record.columns)}; it has one of these: "
            f"{_TABLES}"
        )
    name, weight_of_others = Path(path).name, _header_weight(record)

    def cell_of(text: str) -> Cell:
        cell = parse_cell(text)
        game.bit(cell)  # raises GameError off the board
        return cell

    def board_of(text: str) -> tuple[int, ...]:
        return tuple(ships_of(text, game))

    if record.columns == ("ships",):
        return past_games(game, record.values("ships", board_of), weight_of_others, name)
    if record.columns[0] == "ships":
        return Prior.of_configurations(
            game, _weights_by_key(record, board_of), weight_of_others, name
        )
    if record.columns[0] == "cell":
        cell_weights = _weights_by_key(record, cell_of)
        return Prior.of_cells(game, cell_weights, record.header["cells"], weight_of_others, name)
    placement_weights = _weights_by_key(record, lambda text: ship_of(text, game))
    return Prior.of_placements(game, placement_weights, weight_of_others, name)


def past_games(
    game: Game, boards: Iterable[Sequence[int]], smoothing: Weight, name: str = "past games"
) -> Prior:
    """Return the prior in which a placement weighs the number of past boards that have it.

    boards -- the past boards, each as the masks of its ships. smoothing -- a number that is added
    to each weight, so that a placement that was never seen can still occur.
    """
    times_seen = Counter(ship for board in boards for ship in board)
    weights = {
        ship: times_seen[ship] + smoothing
        for kind in set(game.fleet)
        for ship in game.placements(kind)
    }
    return Prior.of_placements(game, weights, name=name)


@dataclass(frozen=True)
class OneByOne:
    """A way to place ships one by one.

    order -- the kinds of the ships as texts, in the order in which they are placed; None for the
    longest first.
    """

    order: tuple[str, ...] | None = None

    @classmethod
    def of(cls, text: str) -> OneByOne | None:
        """Parse `one-by-one` or `one-by-one:order=2,3,4`; None for another text."""
        method_name, order_mark, ship_list = text.partition(_ORDER_MARK)
        if method_name != "one-by-one":
            return None
        return cls(tuple(ship_list.split(","))) if order_mark else cls()

    def __str__(self) -> str:
        return (
            "one-by-one" if self.order is None else f"one-by-one{_ORDER_MARK}{','.join(self.order)}"
        )

    def ships(self, game: Game) -> list[int]:
        """Return the kinds of a game's ships in the order in which they are placed.

        StrategyError unless the order has each ship of the game once.
        """
        if self.order is None:
            return [*game.fleet]
        kinds = {str(kind): kind for kind in game.fleet}
        if Counter(self.order) != Counter(map(str, game.fleet)):
            shortest = ",".join(map(str, reversed(game.fleet)))
            raise StrategyError(
                f"{str(self)!r} does not order the fleet {game.fleet_text}; write each of its "
                f"ships once, as in one-by-one{_ORDER_MARK}{shortest}"
            )
        return [kinds[ship] for ship in self.order]


def one_by_one(game: Game, order: Sequence[object] | None = None) -> Prior:
    """Return the prior of ships placed one by one at random, as most programs do.

    Each ship gets one of the placements that the ships before it leave, all equally likely. If none
    is left, the board is begun anew. So an order of the ships weighs the product of 1 / (placements
    left) over the ships, and a configuration the sum over the orders of equal ships.

    order -- the ships in the order in which they are placed, as in (2, 3, 4); by default the
    longest first.

    Raises TooLarge for more than MOST_KEPT possible boards, StrategyError for another fleet.
    """
    placing = OneByOne(None if order is None else tuple(map(str, order)))
    fleet = placing.ships(game)
    orders_of_equal_ships = prod(map(factorial, Counter(game.fleet).values()))
    boards = engine_for(game).count(Constraints(game.fleet)) * orders_of_equal_ships
    if boards > MOST_KEPT:
        raise TooLarge(
            f"the prior one-by-one lists the boards of {game} in every order of equal ships. These "
            f"are {boards:,}; at most {MOST_KEPT:,} are listed. optsearch simulate --boards "
            "one-by-one draws some"
        )
    weights: dict[tuple[int, ...], Fraction] = {}

    def place_others(placed: tuple[int, ...], closed: int, choices: int) -> None:
        """Place the other ships; `choices` is the product of the choices for those placed."""
        if len(placed) == len(fleet):
            configuration = tuple(sorted(placed))
            weight = weights.get(configuration, Fraction(0))
            weights[configuration] = weight + Fraction(1, choices)
            return
        kind = fleet[len(placed)]
        free = [ship for ship in game.placements(kind) if not ship & closed]
        for ship in free:
            place_others(
                (*placed, ship),
                closed=closed | ship | game.halo(ship),
                choices=choices * len(free),
            )

    place_others((), closed=0, choices=1)
    return Prior.of_configurations(game, weights, name=str(placing))


def parse_weight(text: str) -> Fraction:
    """Parse a weight such as `3`, `0.25` or `1/3`; ValueError for another text."""
    if not _WEIGHT.fullmatch(text.strip()):
        raise ValueError(
            f"a weight is a number from 0 up, as in 3, 0.25 or 1/3, "
            f"of at most {_MOST_DIGITS} digits"
        )
    return Fraction(text.strip())


def _header_weight(record: records.Record) -> Fraction:
    """Check the header of a table; return its weight: `smoothing`, or that of what has no row.

    By default placements and cells without a row weigh 1, and configurations 0.

    Raises RecordError for a line that does not go with the columns, a missing one, and a bad value.
    """
    path, header = record.path, record.header
    allowed_keys = _HEADER_KEYS[record.columns]
    for key in ("otherwise", "cells", "smoothing"):
        if key in header and key not in allowed_keys:
            columns = ", ".join(record.columns)
            raise RecordError(f"{path}: `# {key}: …` does not go with the columns {columns}")
    required = {
        "cells": " or ".join(f"`# cells: {combiner}`" for combiner in COMBINERS),
        "smoothing": "`# smoothing: 1`",
    }
    for key, example in required.items():
        if key in allowed_keys and key not in header:
            raise RecordError(f"{path}: a line is missing; write {example}")
    weight = Fraction(0 if record.columns[0] == "ships" else 1)
    weight_key = allowed_keys[0]
    if weight_key in header:
        try:
            weight = parse_weight(header[weight_key])
        except ValueError as error:
            raise RecordError(f"{path}: `# {weight_key}: {header[weight_key]}`: {error}") from None
    if "cells" in header and header["cells"] not in COMBINERS:
        raise RecordError(f"{path}: `# cells: {header['cells']}`; write {' or '.join(COMBINERS)}")
    return weight


def _weights_by_key(record: records.Record, parse: Callable[[str], K]) -> dict[K, Weight]:
    """Map the values in the first column of a table to the weights in its column `weight`.

    parse -- reads a value of the first column. Raises RecordError if two rows have equal values.
    """
    column = record.columns[0]
    keys, weights = record.values(column, parse), record.values("weight", parse_weight)
    line_of: dict[K, int] = {}
    for key, line_number, row in zip(keys, record.lines, record.rows, strict=True):
        if key in line_of:
            raise RecordError(
                f"{record.path}, line {line_number}: {row[column]!r} has a weight already, in line "
                f"{line_of[key]}"
            )
        line_of[key] = line_number
    return dict(zip(keys, weights, strict=True))


# By name


def prior_of(text: str | None, game: Game) -> Prior | None:
    """Return the prior that a text names for a game; None if the text is None or "uniform".

    If the fleet of the game is not known, the texts are those of `FleetPrior.of`.

    Raises StrategyError for an unknown name, and the errors of `read` and `one_by_one`.
    """
    if isinstance(game, MixedGame):
        return FleetPrior.of(text or "fleet=vectors", game)
    if text is None or text == "uniform":
        return None
    if (placing := OneByOne.of(text)) is not None:
        return one_by_one(game, placing.order)
    if text.endswith(".csv"):
        return read(Path(text), game)
    file, _, name = text.rpartition(":")
    if file.endswith(".py") and name:
        return _user_prior(UserFunction.of(Path(file), name), game)
    raise StrategyError(
        f"{text!r} is not a prior; use one-by-one, one-by-one{_ORDER_MARK}SHIP,SHIP,…, FILE.csv, "
        "or FILE.py:NAME"
    )


def _user_prior(function: UserFunction, game: Game) -> Prior:
    """Return the prior of a user's function, which weighs placements or whole configurations.

    The name of its second parameter says which: `ship` or `ships`.
    """
    parameters_after_game = function.parameters[1:]
    if parameters_after_game == ("ship",):
        weights = {
            ship: _user_weight(function, game, [ship], game.cells_of(ship))
            for kind in set(game.fleet)
            for ship in game.placements(kind)
        }
        return Prior.of_placements(game, weights, name=str(function))
    if parameters_after_game == ("ships",):
        return Prior.of_function(game, _UserWeigher(function, game), str(function))
    raise StrategyError(
        f"{function} takes ({', '.join(function.parameters)}); a function (game, ship), the weight "
        "of a placement, or (game, ships), that of a configuration, is accepted"
    )


@dataclass(frozen=True)
class _UserWeigher:
    """The weight of a configuration by a user's function (game, ships)."""

    function: UserFunction
    game: Game

    def __call__(self, ships: Sequence[int]) -> int:
        ships = in_order(ships, self.game)
        cells = [self.game.cells_of(ship) for ship in ships]
        weight = _user_weight(self.function, self.game, ships, cells)
        if not isinstance(weight, int):
            raise StrategyError(
                f"{self.function} weighs a configuration with {weight}; an integer is accepted, so "
                "that totals are exact"
            )
        return weight


def _user_weight(
    function: UserFunction, game: Game, ships: Sequence[int], cells: object
) -> int | Fraction:
    """Call a user's function with the cells of some ships, and check the weight it returns.

    ships -- masks, for errors. cells -- what the function gets.
    """

    def ship_names() -> str:
        return " ".join(map(game.ship_name, ships))

    weight = function(game, cells, failure=lambda: f"{function} fails for {ship_names()} of {game}")
    is_number = isinstance(weight, int | float | Fraction | np.integer)
    is_number = is_number and not isinstance(weight, bool)  # a bool is an int, too
    if is_number and 0 <= weight < inf:
        return Fraction(weight) if isinstance(weight, float | Fraction) else int(weight)
    text = str(weight) if is_number else safe_repr(weight)
    raise StrategyError(
        f"{function} weighs {ship_names()} with {text}; a number from 0 up is accepted"
    )
