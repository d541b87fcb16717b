"""Strategies by name, and what a strategy is: a rule from position to next shot.

A strategy of your own is a class with one method, or a function:

    class RowByRow:
        def shot(self, position):
            cells = range(position.game.cells)
            shot = position.closed
            return position.game.cell(next(cell for cell in cells if not shot >> cell & 1))

`optsearch.evaluate(RowByRow, game)` evaluates it, and so does the command line when it is
named by its file, `my_file.py:RowByRow`. `as_strategy` says what is accepted. A strategy is
deterministic, and depends on the position alone. One that has a method `rule(game)` too is played
by the compiled kernel, by the `Rule` or `PatternRule` that it returns; `shot` is then its
definition, with which the kernel is compared. A function of what the kernel counts,
`optsearch.Score` (`score.py`), needs neither, and is as fast.

A *player* may also draw by chance and remember its own game; it is simulated, not evaluated. It is
a class with the method `begin`, which returns a new object to be asked for the shots of one game:

    class Order:
        def __init__(self, cells):
            self.cells = cells

        def shot(self, position):
            return position.game.cell(self.cells[len(position.shots)])

    class Anywhere:
        def begin(self, game, generator):
            return Order(generator.permutation(game.cells).tolist())

`as_player` says what is accepted. Installed packages add players by entry points of the group
`optsearch.strategies`, under the name of the entry point.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import numpy as np

from optsearch.game import Cell, Game
from optsearch.search.rules import Level, PatternRule, Rule
from optsearch.strategies.player import Player, Playing, name_of, parameters
from optsearch.support.errors import StrategyError

__all__ = [
    "Level",
    "PatternRule",
    "Player",
    "Playing",
    "Rule",
    "Strategy",
    "added_players",
    "as_player",
    "as_strategy",
    "named",
    "player_classes",
    "rule_of",
]

GROUP = "optsearch.strategies"  # of the entry points that add players


class Strategy(Player):
    """A rule from position to next shot, and what is printed of it."""

    @abstractmethod
    def shot(self, position: Any) -> Cell:
        """Return the cell to shoot next, as (row, column); called while a ship is afloat.

        position -- a Position; a NoisyPosition where replies may be false (`require_noise`).
        """

    def require_end(self, game: Game) -> None:
        """Raise NotSupported if the strategy cannot play a game that ends like this one.

        By default it accepts every end, since it chooses by the position alone.
        """

    def begin(self, game: Game, generator: np.random.Generator) -> Playing:
        """Return the strategy itself, since it draws nothing and remembers nothing."""
        return self

    def rule(self, game: Game) -> Rule | PatternRule | None:
        """Return the rule by which the kernel plays; None: `shot` is asked at every position."""
        return None


def as_player(player: object) -> Player:
    """Return the player that a name, a function, a class or an object stands for.

    - A name: one of this package with its parameters (`greedy:ties=central`), one of an entry
      point, or `FILE.py:NAME`.
    - A function: it takes the position and returns the cell to shoot.
    - An object with the method `shot(position)`, which returns the cell to shoot; or with
      `begin(game, generator)`, which returns such an object for one game.
    - A class of such objects, which is called without arguments.

    No base class is needed. If there is a method or an attribute `rule`, it is called with the game
    (`Strategy.rule`). Raises StrategyError for anything else, and for code that cannot be run.
    """
    from optsearch.strategies.user import user_player

    if isinstance(player, str):
        return _player_named(player)
    is_class = isinstance(player, type)
    player_class = player if isinstance(player, type) else type(player)
    # A class of a user may have any value as its module, so that it is asked second.
    if issubclass(player_class, Player) and player_class.__module__.startswith(f"{__name__}."):
        return player_class() if is_class else player  # type: ignore[return-value]
    return user_player(player)


def as_strategy(strategy: object) -> Strategy:
    """Return the strategy that a name, function, class or object stands for (see `as_player`).

    Raises StrategyError for a player who may use chance or memory.
    """
    player = as_player(strategy)
    if isinstance(player, Strategy):
        return player
    raise StrategyError(
        f"{player} may play by chance and by memory of its game, so it has no decision tree; "
        f"only its games can be simulated: optsearch simulate {player} GAME"
    )


def named(text: str) -> Strategy:
    """Return the strategy named by a text: `greedy`, `greedy:ties=central` or `my.py:NAME`.

    Raises StrategyError, which lists the names, for an unknown one.
    """
    return as_strategy(text)


def rule_of(strategy: Strategy, game: Game) -> Rule | PatternRule | None:
    """Return the rule by which the kernel plays as the strategy does, or None if it has none.

    Kernels play until all ships are sunk, so a game that ends at the first hit has no rule. Raises
    StrategyError for a rule that the kernel does not accept, and NotSupported if the strategy
    cannot play such a game (`Strategy.require_end`).
    """
    rule = strategy.rule(game)
    if game.ends_at_hit:
        strategy.require_end(game)
        return None
    try:
        if isinstance(rule, Rule):
            return Rule.validated(rule, game)
        return rule if rule is None else PatternRule.validated(rule, game)
    except StrategyError as error:
        raise StrategyError(f"the rule of {strategy} for {game}: {error}") from None


def _player_named(text: str) -> Player:
    """Return the player that a text names: of this package, in a file, or of an entry point.

    Raises StrategyError for any other text, and for parameters that are not accepted.
    """
    from optsearch.strategies.user import player_in_file

    classes = {name_of(player_class): player_class for player_class in player_classes()}
    name, _, values_text = text.strip().partition(":")
    if name in classes:
        return classes[name](**_parse_values(classes[name], values_text, text))
    path, _, attribute = text.strip().rpartition(":")
    if path.endswith(".py") and attribute:
        return player_in_file(Path(path), attribute)
    if text.strip().rstrip(":").endswith(".py"):
        raise StrategyError(f"{text!r} names no strategy in the file; write FILE.py:NAME")
    added = {point.name: point for point in entry_points(group=GROUP)}
    if name in added:
        return _added_player(added[name], values_text)
    names = [*classes, *sorted(added)]
    similar = get_close_matches(name, names, 1, 0.7)
    there_are = f"did you mean {similar[0]}? There are" if similar else "there are"
    raise StrategyError(
        f"no strategy {name!r}; {there_are} {', '.join(names)}, and FILE.py:NAME for your own"
    )


def _parse_values(player_class: type[Player], values_text: str, text: str) -> dict[str, Any]:
    """Return the parameters in a text such as `ties=last,endgame=2`, by name.

    Raises StrategyError for one that the class does not have, that is given twice, or that is not
    a whole number where one is expected. text -- the name with its parameters, for errors.
    """
    accepted = parameters(player_class)
    values: dict[str, Any] = {}
    for assignment in filter(None, values_text.split(",")):
        key, equals, value = assignment.partition("=")
        if not equals or key not in accepted:
            raise StrategyError(
                f"{assignment!r} in {text!r} is not a parameter of {name_of(player_class)}; its "
                "parameters are "
                f"{', '.join(f'{key}={each.default}' for key, each in accepted.items())}"
            )
        if key in values:
            raise StrategyError(f"{key} is given twice in {text!r}")
        is_number = isinstance(accepted[key].default, int)
        if is_number and not re.fullmatch(r"-?[0-9]{1,18}", value):
            raise StrategyError(f"{assignment!r} in {text!r}: {value!r} is not a whole number")
        values[key] = int(value) if is_number else value
    return values


def _added_player(point: EntryPoint, values_text: str) -> Player:
    """Return the player of an entry point; StrategyError if it is given parameters."""
    from optsearch.strategies.user import player_in_package

    if values_text:
        raise StrategyError(
            f"{point.name} is {point.value} of an installed package, which takes no parameters, "
            f"not {values_text!r}"
        )
    return player_in_package(point.name, point.load)


def added_players() -> dict[str, str]:
    """Map the names of the players that installed packages add to `module:object`."""
    return {point.name: point.value for point in sorted(entry_points(group=GROUP))}


def player_classes() -> tuple[type[Player], ...]:
    """Return the classes of the players of this package: dataclasses, with parameters as fields."""
    from optsearch.strategies.greedy import Greedy
    from optsearch.strategies.heuristic import Heuristic
    from optsearch.strategies.information import Bisection, Information
    from optsearch.strategies.pattern import Pattern
    from optsearch.strategies.rollout import Deep, Levels, Nested, Rollout
    from optsearch.strategies.simple import Density, Parity, Random
    from optsearch.strategies.single import Grid, Row
    from optsearch.strategies.spread import Spread
    from optsearch.strategies.thompson import Thompson
    from optsearch.strategies.within import Within

    return (
        *(Greedy, Spread, Rollout, Nested, Levels, Deep, Within, Pattern),
        *(Bisection, Information, Row, Grid),
        *(Random, Heuristic, Parity, Density, Thompson),
    )
