"""The rules by which kernels play strategies, and checks that a rule fits a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from operator import index
from typing import Any

from optsearch.compiled.counting._enumerate import MAX_CODE_WORDS, MAX_CODED
from optsearch.compiled.evaluation._walk import (
    BUCKETS,
    MAX_CANDIDATES,
    MAX_ENDGAME,
    MAX_LEVELS,
    MAX_SAMPLE,
    MIN_SAMPLE,
    SMALL,
    UNIT,
)
from optsearch.counting.configurations import Codes
from optsearch.game import MAX_CELLS, Game
from optsearch.support.errors import StrategyError
from optsearch.support.user_code import safe_repr

MOST_MISSES = 64 * UNIT
ANNOUNCED = 1 << 12  # configurations up to which rollouts are played where sinkings are announced
NEVER = 1 << 40  # configurations that no family has
MOST_ITEMS = 1000  # read from an iterable, which may have no end
RANGES = {
    "endgame": (0, MAX_ENDGAME),
    "candidates": (1, MAX_CANDIDATES),
    "percent": (0, 100),
    "screen": (MIN_SAMPLE, MAX_SAMPLE),
    "finalists": (1, MAX_CANDIDATES),
    "cap": (MIN_SAMPLE, MAX_SAMPLE),
    "truncate": (1, 64),
    "compare_above": (0, 1 << 24),
    "compare_up_to": (0, 1 << 24),
    "above": (64, NEVER),
    "second": (MIN_SAMPLE, MAX_SAMPLE),
    "until": (0, MAX_SAMPLE),
}
LEVEL_RANGES = {
    "floor": (SMALL, MAX_SAMPLE),
    "candidates": (1, MAX_CANDIDATES),
    "margin": (0, 6400),
    "kept": (1, MAX_CANDIDATES),
}
LEAST_RANGE = (0, 1 << 40)
# The scores of a rule. Are certain hits choices? None: as the score itself says.
SCORES = {"score": None, "rank": True, "policy": False}


@dataclass(frozen=True)
class CompiledScore:
    """A compiled function that chooses shots (`optsearch/strategies/score.py`).

    name, constants -- of the score. least -- with at most this number of configurations left, a
    most probable cell is shot. labels -- True if the function needs the labels of hits. certain --
    True if certain hits can be chosen. address -- of the function in this process. owner -- an
    object that must not be freed before it.
    """

    name: str
    constants: tuple[float, ...]
    least: int
    labels: bool
    certain: bool
    address: int = field(repr=False, compare=False)
    owner: object = field(repr=False, compare=False)

    def validated(self, game: Game, takes_certain: bool | None) -> CompiledScore:
        """Return this score with `least` checked, and with `certain` set for a game.

        takes_certain -- True lets a certain hit be chosen, but not if hits tell nothing. None keeps
        the score's own value if the game tells of sinkings, else sets False.
        """
        low, high = LEAST_RANGE
        least = checked_number("least", self.least, low, high)
        if takes_certain is None:
            certain = self.certain and game.tells_sinkings
        else:
            certain = takes_certain and not game.is_silent
        return replace(self, least=least, certain=certain)


def labels_at(game: Game, cell: int) -> list[int | str | None]:
    """List the labels that a hit on a cell can have: what the reply tells of the ship hit.

    Kernels number the labels in this order. None is the label of a hit that tells no more than that
    a ship is sunk. If hits tell nothing, the list is empty.
    """
    if game.is_silent:
        return []
    if game.label_of_kind is None:
        return [*game.label_table.labels_at(cell)]
    return list(dict.fromkeys(game.label_of_kind.values()))


def announced_lengths(game: Game) -> list[int]:
    """List for each label of `labels_at` the ship length that it tells; 0 if it tells none."""
    if game.label_of_kind is None:
        return [0] * Codes.of(game).labels
    return [int(label) if isinstance(label, int) else 0 for label in labels_at(game, 0)]


@dataclass(frozen=True)
class Level:
    """A policy that shoots in rollouts (`optsearch/strategies/rollout.py`).

    With more than `floor` configurations left, a level compares up to `candidates` cells, by the
    misses of the levels below it after each. Else it shoots as the level below. Level 0 is greedy,
    with one candidate. When one level after the other compares candidates, at most `kept` of them
    go on to the next: the cheapest, and those at most `margin` hundredths of a miss per
    configuration above it.
    """

    floor: int
    candidates: int
    margin: int
    kept: int

    @classmethod
    def validated(cls, name: str, level: object) -> Level:
        """Return a level with its numbers as plain integers; StrategyError for anything else."""
        if not isinstance(level, Level):
            raise StrategyError(f"{name}={safe_repr(level)} is no Level")
        numbers: dict[str, Any] = {
            key: checked_number(f"{name}.{key}", getattr(level, key), *accepted)
            for key, accepted in LEVEL_RANGES.items()
        }
        return Level(**numbers)


GREEDY = Level(SMALL, 1, 0, 1)


@dataclass(frozen=True)
class Lookahead:
    """The numbers of the policies that look ahead in rollouts of depth 1 and more.

    inner -- the level that is played on samples, with more than `above` configurations left.
    first, higher -- the levels that are played without samples: greedy, and each level above it.
    truncate -- once a sample has at most this number of configurations, misses are estimated.
    """

    above: int = 1024
    inner: Level = Level(128, 4, 0, 1)
    first: Level = Level(SMALL, 1, 40, MAX_CANDIDATES)
    higher: Level = Level(12, 6, 2, 6)
    truncate: int = 6

    def levels(self, depth: int) -> tuple[Level, ...]:
        """Return the levels that compare candidates without samples: greedy, then `depth` more."""
        return self.first, *(self.higher,) * depth


LOOKAHEAD = Lookahead()


@dataclass(frozen=True)
class Rule:
    """The numbers by which kernels play a strategy; `_walk.pyx` explains them.

    order -- the cells (row * columns + column) in the order in which ties are broken. endgame --
    with at most this number of configurations left, it plays the optimum; 10 or fewer. candidates,
    percent, screen, finalists, cap, truncate -- of rollouts. With one candidate the rule is greedy,
    without rollouts. estimates -- estimated misses, times 4096, with which rollouts on samples
    stop: a row for each number of cells left to hit, with 128 values. score -- chooses the shot;
    None shoots a most probable cell. rank -- ranks the candidates of rollouts; None ranks by
    probability. policy -- chooses the shots of rollouts; None is greedy. compare_above,
    compare_up_to -- if sinkings are announced, rollouts are played with more configurations left
    than the first number, and at most the second. above, second, inner -- with more than `above`
    configurations left, rollouts play the level `inner`, on a sample of at most `second`. until,
    levels -- with at most `until` configurations left, candidates are compared by these levels,
    greedy first, on all configurations.
    """

    order: tuple[int, ...]
    endgame: int
    candidates: int = 1
    percent: int = 100
    screen: int = 64
    finalists: int = 1
    cap: int = 64
    truncate: int = 1
    estimates: tuple[tuple[int, ...], ...] = ((0,) * BUCKETS,)
    score: CompiledScore | None = field(default=None, repr=False)
    rank: CompiledScore | None = field(default=None, repr=False)
    policy: CompiledScore | None = field(default=None, repr=False)
    compare_above: int = field(default=0, repr=False)
    compare_up_to: int = field(default=ANNOUNCED, repr=False)
    above: int = NEVER
    second: int = 64
    inner: Level = GREEDY
    until: int = 0
    levels: tuple[Level, ...] = (GREEDY,)

    def __str__(self) -> str:
        """Return the name in a checkpoint; scores and sizes are in it only if they are given."""
        name = repr(self)
        if (self.compare_above, self.compare_up_to) != (0, ANNOUNCED):
            name += f", {self.compare_above} to {self.compare_up_to}"
        return f"{name}, {self.scores!r}" if self.scores else name

    @property
    def scores(self) -> dict[str, CompiledScore]:
        """The scores that are not None, by the names of their fields."""
        return {name: getattr(self, name) for name in SCORES if getattr(self, name) is not None}

    def validated(self, game: Game) -> Rule:
        """Return this rule with all numbers as plain integers, checked for a game.

        Raises StrategyError for a value that is not accepted, and for a game that no kernel plays.
        """
        numbers: dict[str, Any] = {
            name: checked_number(name, getattr(self, name), *RANGES[name]) for name in RANGES
        }
        if not game.is_silent:
            _require_fleet_for_kernels(game)
        if numbers["cap"] < numbers["screen"]:
            raise StrategyError(
                f"cap={numbers['cap']} is below screen={numbers['screen']}; {numbers['screen']} "
                f"to {RANGES['cap'][1]} is accepted"
            )
        if numbers["above"] < NEVER and numbers["second"] < numbers["screen"]:
            raise StrategyError(
                f"second={numbers['second']} is below screen={numbers['screen']}; "
                f"{numbers['screen']} to {RANGES['second'][1]} is accepted"
            )
        levels = _list_items("levels", self.levels)
        if not 1 <= len(levels) <= MAX_LEVELS + 1:
            raise StrategyError(
                f"levels has {len(levels)} items; 1 to {MAX_LEVELS + 1} are accepted, greedy first"
            )
        estimate_rows = _list_items("estimates", self.estimates)
        if not 1 <= len(estimate_rows) <= MAX_CELLS + 1:
            raise StrategyError(
                f"estimates has {len(estimate_rows)} rows; 1 to {MAX_CELLS + 1} are accepted, "
                "one for each number of cells left to hit"
            )
        return Rule(
            order=_validated_order(self.order, game),
            estimates=tuple(
                _checked_numbers(f"estimates[{i}]", row, BUCKETS, low=0, high=MOST_MISSES)
                for i, row in enumerate(estimate_rows)
            ),
            inner=Level.validated("inner", self.inner),
            levels=tuple(Level.validated(f"levels[{i}]", level) for i, level in enumerate(levels)),
            **{name: _validated_score(name, getattr(self, name), game) for name in SCORES},
            **numbers,
        )


@dataclass(frozen=True)
class PatternRule:
    """The numbers by which the kernel plays a pattern (`optsearch/strategies/pattern.py`).

    order -- every cell in the order of the pattern. After a hit its neighbours are shot (cleared).
    in_line -- True if down and up are cleared only when right and left gave no hit. know_water --
    True if cells that touch a hit at a corner are left out. until_sunk -- True if clearing ends
    with the ships that are announced to be sunk.
    """

    order: tuple[int, ...]
    in_line: bool
    know_water: bool
    until_sunk: bool = False

    def validated(self, game: Game) -> PatternRule:
        """Return this rule with plain integers and booleans, checked for a game.

        Raises StrategyError for a value that is not accepted, and for a game that no kernel plays.
        """
        if not game.is_silent:
            _require_fleet_for_kernels(game)
        in_line = bool(checked_number("in_line", self.in_line, 0, 1))
        know_water = bool(checked_number("know_water", self.know_water, 0, 1))
        until_sunk = bool(checked_number("until_sunk", self.until_sunk, 0, 1))
        game.require_usual("a pattern played by the kernel")
        if know_water and game.contact != "none":
            raise StrategyError(
                f"know_water={self.know_water} deduces water from ships that do not touch; {game} "
                f"has contact={game.contact}, and contact=none is accepted"
            )
        return PatternRule(
            order=_validated_order(self.order, game),
            in_line=in_line,
            know_water=know_water,
            until_sunk=until_sunk,
        )


def _validated_score(name: str, score: object, game: Game) -> Any:
    """Return the score in a field of a `Rule`, checked for a game, or raise StrategyError."""
    if not isinstance(score, CompiledScore | None):
        raise StrategyError(
            f"{name}={safe_repr(score)} is not a score; a CompiledScore or None is accepted"
        )
    return None if score is None else score.validated(game, takes_certain=SCORES[name])


def _require_fleet_for_kernels(game: Game) -> None:
    """Raise StrategyError if the fleet is too large for compiled rules of announced games."""
    if not Codes.of(game).fit_kernels:
        raise StrategyError(
            f"{game} announces sinkings of more ships than a compiled rule knows; rule(game) "
            f"returns None there, and shot(position) is asked; up to {MAX_CODED} ships, whose "
            f"placements are numbered in {64 * MAX_CODE_WORDS} bits, are accepted"
        )


def checked_number(name: str, value: object, low: int, high: int) -> int:
    """Return a value as an integer; StrategyError if it is not an integer from `low` to `high`."""
    try:
        number = index(value)  # type: ignore[arg-type]
    except Exception:  # the value may be a user's, and raise anything
        number = low - 1  # out of range
    if not low <= number <= high:
        raise StrategyError(
            f"{name}={safe_repr(value)} is out of range; {low} to {high} is accepted"
        )
    return int(number)


def _list_items(name: str, values: object) -> list[object]:
    """List the items of an iterable, MOST_ITEMS at most; StrategyError for anything else."""
    try:
        return list(islice(values, MOST_ITEMS))  # type: ignore[call-overload]
    except Exception:
        raise StrategyError(f"{name}={safe_repr(values)} is not a sequence") from None


def _checked_numbers(
    name: str, values: object, length: int, low: int, high: int
) -> tuple[int, ...]:
    """Return `length` integers from low to high; StrategyError for anything else."""
    items = _list_items(name, values)
    if len(items) != length:
        raise StrategyError(f"{name} has {len(items)} values; {length} are accepted")
    return tuple(checked_number(f"{name}[{i}]", value, low, high) for i, value in enumerate(items))


def _validated_order(order: Iterable[int], game: Game) -> tuple[int, ...]:
    """Return an order of all cells of a board; StrategyError if it does not have each once."""
    items = _list_items("order", order)
    cells = tuple(
        checked_number(f"order[{i}]", cell, 0, game.cells - 1) for i, cell in enumerate(items)
    )
    if len(cells) != game.cells or len(set(cells)) != len(cells):
        repeated = [cell for cell, count in Counter(cells).items() if count > 1]
        problem = f"has the cell {repeated[0]} twice" if repeated else f"has {len(cells)} cells"
        raise StrategyError(
            f"order={safe_repr(cells)} {problem}; an order has each of the cells 0 to "
            f"{game.cells - 1} of {game.rows}x{game.columns} once"
        )
    return cells
