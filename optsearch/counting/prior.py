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

from optsearch.counting.configurations import CellSets, to_masks
from optsearch.counting.constraints import Constraints, Ship
from optsearch.counting.engines import engine_for
from optsearch.game import Cell, Game, bits, cell_name, parse_cell
from optsearch.game.noise import NoisyPosition
from optsearch.game.ships import in_order, ship_of, ships_of
from optsearch.support import records
from optsearch.support.errors import GameError, PositionError, RecordError, StrategyError, TooLarge
from optsearch.support.user_code import UserFunction, safe_repr

Weight = int | float | Fraction  # a float counts as the binary fraction that it is
K = TypeVar("K")

MOST_KEPT = 500_000  # weights of a function, and boards of ships placed one by one
MEANS = ("product", "mean")  # of the weights of a ship's cells
_FORM = "one-by-one, one-by-one:order=SHIP,SHIP,…, FILE.csv, or FILE.py:NAME"
_ORDER = ":order="
_FUNCTION = (
    "a function (game, ship), the weight of a placement, or (game, ships), that of a "
    "configuration, is accepted"
)
_DIGITS = 18
_WEIGHT = re.compile(
    rf"\d{{1,{_DIGITS}}}(\.\d{{1,{_DIGITS}}}|/0*[1-9]\d{{0,{_DIGITS - 1}}})?", re.ASCII
)
_COLUMNS = {
    "ship": "weights of placements: the columns ship, weight",
    "cell": "weights of cells: cell, weight, and a line `# cells: product` or `# cells: mean`",
    "ships": "weights of configurations: ships, weight; or boards of past games: ships, and a line "
    "`# smoothing: 1`",
}


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

        An absent placement has weight 1. None if weights are not such products.
        """
        return None

    @cached_property
    def barred(self) -> frozenset[Ship]:
        """The ships (kinds and masks) whose placement has weight 0."""
        weights = self.placements or {}
        return frozenset((self.game.kind_of(ship), ship) for ship, n in weights.items() if not n)

    @property
    def rows(self) -> Sequence[tuple[int, ...]] | None:
        """The only configurations that have a weight, as masks of ships; None if any may have one.

        Some may not be configurations of the game.
        """
        return None

    @property
    def leaves_out(self) -> bool:
        """True if it is clear, without asking for each, that some configurations have weight 0."""
        return self.rows is not None or (self.placements is not None and bool(self.barred))

    def weights(self, ships: CellSets) -> list[int]:
        """Return the weights of many configurations, uint64 of shape (n, ships, words)."""
        columns = [to_masks(ships[:, i]) for i in range(ships.shape[1])]
        return [self.weight(row) for row in zip(*columns, strict=True)]

    def require(self, game: Game) -> None:
        """Raise PositionError unless this is a prior of the game."""
        if replace(game, announce=self.game.announce) != self.game:
            raise PositionError(f"the prior {self.name} is of the game {self.game}, not of {game}")

    def times(self, other: Prior) -> Prior:
        """Return the prior by which a configuration weighs the product of its weights by both."""
        other.require(self.game)
        return _Both(self, other)

    # Kinds

    @staticmethod
    def of_placements(
        game: Game, weights: Mapping[int, Weight], otherwise: Weight = 1, name: str = "placements"
    ) -> Prior:
        """Return a prior by weights of placements (masks); the others weigh `otherwise`.

        The weight of a configuration is the product over its ships. Fractions are scaled, those of
        each length by themselves: a factor for all ships of a length changes no probability.
        Raises GameError for a mask that is not a placement, PositionError for a negative weight.
        """
        known = {ship for length in set(game.fleet) for ship in game.placements(length)}
        for ship in weights:
            if ship not in known:
                raise GameError(f"no ship of {game} lies on {' '.join(game.names(ship))}")
        scaled: dict[int, int] = {}
        for length in sorted(set(game.fleet)):
            here = {ship: weights.get(ship, otherwise) for ship in game.placements(length)}
            scaled |= _integers(here, game.ship_name)
        return _Product(game, name, scaled)

    @staticmethod
    def of_cells(
        game: Game,
        weights: Mapping[Cell, Weight],
        how: str,
        otherwise: Weight = 1,
        name: str = "cells",
    ) -> Prior:
        """Return a prior by weights of cells; the others weigh `otherwise`.

        how -- "product" or "mean": how the weights of a ship's cells make that of the placement.
        Raises PositionError for another word or a negative weight.
        """
        if how not in MEANS:
            raise PositionError(f"cells: {how!r} is not known; use {' or '.join(MEANS)}")
        given = _integers(
            {cell: weights.get(game.cell(cell), otherwise) for cell in range(game.cells)},
            lambda cell: cell_name(game.cell(cell)),
        )
        placements: dict[int, Weight] = {}
        for length in set(game.fleet):
            for ship in game.placements(length):
                values = [given[cell] for cell in bits(ship)]
                placements[ship] = prod(values) if how == "product" else sum(values)
        return Prior.of_placements(game, placements, 1, name)

    @staticmethod
    def of_configurations(
        game: Game,
        weights: Mapping[tuple[int, ...], Weight],
        otherwise: Weight = 0,
        name: str = "configurations",
    ) -> Prior:
        """Return a prior by weights of configurations; the others weigh `otherwise`.

        weights -- by the masks of the ships, in any order, without letters. Raises PositionError
        for a negative weight, and for a configuration with two. Ships that are not a configuration
        of the game are accepted: they never occur.
        """
        rows = {tuple(sorted(ships)): weight for ships, weight in weights.items()}
        if len(rows) < len(weights):
            twice = next(ships for ships, n in Counter(map(_sorted, weights)).items() if n > 1)
            raise PositionError(f"{_ships_text(game, twice)} has two weights")
        scaled = _integers({**rows, (): otherwise}, lambda ships: _ships_text(game, ships))
        return _Listed(game, name, scaled)

    @staticmethod
    def of_function(game: Game, function: Callable[[Sequence[int]], int], name: str) -> Prior:
        """Return a prior by a function of the masks of a configuration's ships: an integer from 0.

        In a game of at most MOST_KEPT configurations it is called here, once for each, and the
        result is a prior of configurations. In a larger game it is called when one is met, and the
        digest is valid in this run only (`require_digest`).
        """
        everything = Constraints(game.fleet)
        n = engine_for(game).count(everything)
        if n > MOST_KEPT:
            return _Function(game, name, function)
        words: CellSets = engine_for(game).unrank(everything, np.arange(n, dtype=np.uint64))
        columns = [to_masks(words[:, i]) for i in range(len(game.fleet))]
        weights = {ships: function(ships) for ships in zip(*columns, strict=True)}
        return Prior.of_configurations(game, weights, 0, name)


def _sorted(ships: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(ships))


def _ships_text(game: Game, ships: Iterable[int]) -> str:
    """Return the names of the ships of a configuration, the longest first."""
    ordered = sorted(ships, key=lambda ship: (-ship.bit_count(), ship))
    return " ".join(map(game.ship_name, ordered))


def _integers(weights: Mapping[K, Weight], name: Callable[[K], str]) -> dict[K, int]:
    """Multiply weights by their least common denominator; PositionError for a negative one."""
    exact: dict[K, int | Fraction] = {}
    for key, weight in weights.items():
        if not 0 <= weight < inf:
            raise PositionError(
                f"the weight {weight} of {name(key) or 'the others'} is not a number from 0 up"
            )
        exact[key] = Fraction(weight) if isinstance(weight, float) else weight
    scale = lcm(*(weight.denominator for weight in exact.values()))
    return {key: int(weight * scale) for key, weight in exact.items()}


def _digest(lines: Iterable[str]) -> str:
    return blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


class _Product(Prior):
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


class _Both(Prior):
    """The product of the weights by two priors."""

    def __init__(self, one: Prior, other: Prior):
        super().__init__(one.game, one.name)
        self._priors = one, other

    @property
    def placements(self) -> Mapping[int, int] | None:
        one, other = (prior.placements for prior in self._priors)
        if one is None or other is None:
            return None
        return {ship: one.get(ship, 1) * other.get(ship, 1) for ship in {**one, **other}}

    @cached_property
    def barred(self) -> frozenset[Ship]:
        one, other = self._priors
        return one.barred | other.barred

    @cached_property
    def rows(self) -> Sequence[tuple[int, ...]] | None:
        rows = next((prior.rows for prior in self._priors if prior.rows is not None), None)
        return rows and [ships for ships in rows if self.weight(ships)]

    def weight(self, ships: Sequence[int]) -> int:
        return prod(prior.weight(ships) for prior in self._priors)

    @cached_property
    def digest(self) -> str:
        return _digest(prior.digest for prior in self._priors)

    @property
    def has_digest(self) -> bool:
        return all(prior.has_digest for prior in self._priors)


class _Listed(Prior):
    """A weight for each configuration; the key () has that of the others."""

    def __init__(self, game: Game, name: str, rows: dict[tuple[int, ...], int]):
        super().__init__(game, name)
        self._rows, self._otherwise = rows, rows[()]

    @cached_property
    def rows(self) -> Sequence[tuple[int, ...]] | None:
        if self._otherwise:
            return None
        return sorted(ships for ships, weight in self._rows.items() if weight)

    def weight(self, ships: Sequence[int]) -> int:
        return self._rows.get(tuple(sorted(ships)), self._otherwise)

    @cached_property
    def digest(self) -> str:
        said = sorted((s, w) for s, w in self._rows.items() if not s or w != self._otherwise)
        return _digest(f"{' '.join(map(str, ships))} {weight}" for ships, weight in said)


class _Function(Prior):
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


def by_replies(position: NoisyPosition, prior: Prior | None = None) -> Prior | None:
    """Update a prior by the replies that may be false, except those that leave no doubt.

    A reply multiplies the weight of a ship on its cell by the probability of the reply there over
    that of the same reply at water. None if there is no prior and no such reply.
    """
    if not position.weights:
        return prior
    name = prior.name if prior else str(position.noise)
    heard = Prior.of_cells(position.game, position.weights, "product", name=name)
    return heard if prior is None else prior.times(heard)


# Tables


def read(path: str | Path, game: Game) -> Prior:
    """Read a prior from a table; RecordError names the line and the value that are wrong.

    The kinds of tables have the columns `ship,weight`, `cell,weight`, `ships,weight`, and `ships`
    alone for the boards of past games. Header lines are `# otherwise: WEIGHT` (if there is no row),
    `# cells: product|mean` and `# smoothing: WEIGHT`.
    """
    record = records.read(path)
    kind = record.columns[0]
    columns = ("ships",) if record.columns == ("ships",) else (kind, "weight")
    if kind not in _COLUMNS or record.columns != columns:
        raise RecordError(
            f"{path}: a prior has no columns {', '.join(record.columns)}; it has one of these: "
            + "; ".join(_COLUMNS.values())
        )
    settings = _settings(record, columns)
    name = Path(path).name
    if kind == "ship":
        ships = record.values("ship", lambda text: ship_of(text, game))
        weights = _rows(record, ships, record.values("weight", weight_of))
        return Prior.of_placements(game, weights, settings.get("otherwise", Fraction(1)), name)
    if kind == "cell":
        cells = record.values("cell", lambda text: _cell_of(text, game))
        weights_of_cells = _rows(record, cells, record.values("weight", weight_of))
        otherwise = settings.get("otherwise", Fraction(1))
        return Prior.of_cells(game, weights_of_cells, record.header["cells"], otherwise, name)
    boards = record.values("ships", lambda text: tuple(ships_of(text, game)))
    if columns == ("ships",):
        return past_games(game, boards, settings["smoothing"], name)
    rows = _rows(record, boards, record.values("weight", weight_of))
    return Prior.of_configurations(game, {**rows}, settings.get("otherwise", Fraction(0)), name)


def past_games(
    game: Game, boards: Iterable[Sequence[int]], smoothing: Weight, name: str = "past games"
) -> Prior:
    """Return the prior in which a placement weighs the number of past boards that have it.

    smoothing -- added to each number, so that a placement that was never seen can still occur.
    """
    seen: Counter[int] = Counter(ship for board in boards for ship in board)
    lengths = set(game.fleet)
    weights = {s: seen[s] + smoothing for length in lengths for s in game.placements(length)}
    return Prior.of_placements(game, weights, 1, name)


@dataclass(frozen=True)
class OneByOne:
    """A way to place ships one by one. order -- their kinds, as texts; None: longest first."""

    order: tuple[str, ...] | None = None

    @classmethod
    def of(cls, text: str) -> OneByOne | None:
        """Parse `one-by-one` or `one-by-one:order=2,3,4`; None for another text."""
        head, is_ordered, order = text.partition(_ORDER)
        if head != "one-by-one":
            return None
        return cls(tuple(order.split(","))) if is_ordered else cls()

    def __str__(self) -> str:
        return "one-by-one" if self.order is None else f"one-by-one{_ORDER}{','.join(self.order)}"

    def ships(self, game: Game) -> list[int]:
        """Return the fleet in this order; StrategyError unless it has these ships."""
        if self.order is None:
            return [*game.fleet]
        kinds = {str(kind): kind for kind in game.fleet}
        if Counter(self.order) != Counter(map(str, game.fleet)):
            shortest = ",".join(map(str, reversed(game.fleet)))
            raise StrategyError(
                f"{str(self)!r} does not order the fleet {game.fleet_text}; write each of its "
                f"ships once, as in one-by-one{_ORDER}{shortest}"
            )
        return [kinds[ship] for ship in self.order]


def one_by_one(game: Game, order: Sequence[object] | None = None) -> Prior:
    """Return the prior of ships placed one by one at random, as most programs do.

    Each ship lies on a place drawn uniformly from those that the ships before it leave; if none is
    left, the board is begun anew. So a configuration weighs in proportion to the sum, over the
    orders of its equal ships, of the product of 1 / (places left).

    order -- the ships in the order in which they are placed, as in (2, 3, 4); by default the
    longest first.

    Raises TooLarge for more than MOST_KEPT possible boards, StrategyError for another fleet.
    """
    placing = OneByOne(None if order is None else tuple(map(str, order)))
    fleet = placing.ships(game)
    boards = engine_for(game).count(Constraints(game.fleet)) * prod(
        map(factorial, Counter(game.fleet).values())
    )
    if boards > MOST_KEPT:
        raise TooLarge(
            f"the prior one-by-one lists the boards of {game} in every order of equal ships. These "
            f"are {boards:,}; at most {MOST_KEPT:,} are listed. optsearch simulate --boards "
            "one-by-one draws some"
        )
    weights: dict[tuple[int, ...], Fraction] = {}

    def place(ships: tuple[int, ...], closed: int, chance: int) -> None:
        if len(ships) == len(fleet):
            key = _sorted(ships)
            weights[key] = weights.get(key, Fraction(0)) + Fraction(1, chance)
            return
        free = [ship for ship in game.placements(fleet[len(ships)]) if not ship & closed]
        for ship in free:
            place((*ships, ship), closed | ship | game.halo(ship), chance * len(free))

    place((), 0, 1)
    return Prior.of_configurations(game, weights, 0, str(placing))


def weight_of(text: str) -> Fraction:
    """Parse a weight such as `3`, `0.25` or `1/3`; ValueError for another text."""
    if not _WEIGHT.fullmatch(text.strip()):
        raise ValueError(
            f"a weight is a number from 0 up, as in 3, 0.25 or 1/3, of at most {_DIGITS} digits"
        )
    return Fraction(text.strip())


def _settings(record: records.Record, columns: tuple[str, ...]) -> dict[str, Fraction]:
    """Return the weights in the header; RecordError for lines that do not fit the columns."""
    known = {"ship": {"otherwise"}, "cell": {"cells", "otherwise"}, "ships": {"otherwise"}}
    takes = {"smoothing"} if columns == ("ships",) else known[columns[0]]
    for key in ("otherwise", "cells", "smoothing"):
        if key in record.header and key not in takes:
            raise RecordError(
                f"{record.path}: `# {key}: …` does not go with the columns {', '.join(columns)}"
            )
    needed = takes & {"cells", "smoothing"}
    for key in needed - record.header.keys():
        form = " or ".join(f"`# cells: {how}`" for how in MEANS)
        raise RecordError(
            f"{record.path}: a line is missing; write "
            f"{form if key == 'cells' else '`# smoothing: 1`'}"
        )
    found = {}
    for key in takes & record.header.keys() - {"cells"}:
        try:
            found[key] = weight_of(record.header[key])
        except ValueError as error:
            raise RecordError(f"{record.path}: `# {key}: {record.header[key]}`: {error}") from None
    if record.header.get("cells", MEANS[0]) not in MEANS:
        raise RecordError(
            f"{record.path}: `# cells: {record.header['cells']}`; write {' or '.join(MEANS)}"
        )
    return found


def _rows(
    record: records.Record, keys: Sequence[K], weights: Sequence[Fraction]
) -> dict[K, Fraction]:
    """Return the weight of each key; RecordError if a key has two."""
    first: dict[K, int] = {}
    for key, line, row in zip(keys, record.lines, record.rows, strict=True):
        if key in first:
            raise RecordError(
                f"{record.path}, line {line}: {row[record.columns[0]]!r} has a weight already, in "
                f"line {first[key]}"
            )
        first[key] = line
    return dict(zip(keys, weights, strict=True))


def _cell_of(text: str, game: Game) -> Cell:
    cell = parse_cell(text)
    game.bit(cell)
    return cell


# By name


def prior_of(text: str | None, game: Game) -> Prior | None:
    """Return the prior of a game that a text names; None for None and "uniform".

    Raises StrategyError for an unknown name, and the errors of `read`.
    """
    if text is None or text == "uniform":
        return None
    if (placing := OneByOne.of(text)) is not None:
        return one_by_one(game, placing.order)
    if text.endswith(".csv"):
        return read(Path(text), game)
    file, _, name = text.rpartition(":")
    if file.endswith(".py") and name:
        return _user_prior(UserFunction.of(Path(file), name), game)
    raise StrategyError(f"{text!r} is not a prior; use {_FORM}")


def _user_prior(function: UserFunction, game: Game) -> Prior:
    """Return the prior of a user's function, whose second parameter says what it weighs."""
    second = function.parameters[1:]
    if second == ("ship",):
        weights = {
            ship: _weight(function, game, [ship], "ship")
            for length in set(game.fleet)
            for ship in game.placements(length)
        }
        return Prior.of_placements(game, weights, 1, str(function))
    if second == ("ships",):
        return Prior.of_function(game, _Weigher(function, game), str(function))
    raise StrategyError(f"{function} takes ({', '.join(function.parameters)}); {_FUNCTION}")


@dataclass(frozen=True)
class _Weigher:
    """The weight of a configuration by a user's function (game, ships)."""

    function: UserFunction
    game: Game

    def __call__(self, ships: Sequence[int]) -> int:
        weight = _weight(self.function, self.game, in_order(ships, self.game), "ships")
        if not isinstance(weight, int):
            raise StrategyError(
                f"{self.function} weighs a configuration with {weight}; an integer is accepted, so "
                "that totals are exact"
            )
        return weight


def _weight(function: UserFunction, game: Game, ships: Sequence[int], what: str) -> int | Fraction:
    """Call a user's function for a ship, or the ships of a configuration; check the weight."""
    cells = [game.cells_of(ship) for ship in ships]

    def names() -> str:
        return " ".join(map(game.ship_name, ships))

    answer = function(
        *(game, cells[0] if what == "ship" else cells),
        says=lambda: f"{function} fails for {names()} of {game}",
    )
    if isinstance(answer, bool) or not isinstance(answer, int | float | Fraction | np.integer):
        answer_text = safe_repr(answer)
    elif 0 <= answer < inf:
        return Fraction(answer) if isinstance(answer, float | Fraction) else int(answer)
    else:
        answer_text = str(answer)
    raise StrategyError(
        f"{function} weighs {names()} with {answer_text}; a number from 0 up is accepted"
    )
