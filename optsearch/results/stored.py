"""Stored bounds on the optimum of a game, from the tables of results, which are checked first.

    stored_bracket(Position("6x6:3,2")).text  # 14.153986 = 7813/552, data/results/optima.csv

`bracket` adds computed bounds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.named_games import NAMED_GAMES
from optsearch.game.objective import MEAN, Objective
from optsearch.game.position import Position
from optsearch.lower_bounds import (
    Bound,
    FinishedAtMost,
    bounds_of_finished,
    first_bounds,
    two_hidden_bound,
)
from optsearch.lower_bounds.two_hidden import AllButTwo
from optsearch.results.tables import (
    TABLES,
    TOLD_BOUND,
    Entries,
    best_bounds,
    file_name_of,
    told_file_name,
)
from optsearch.support.datafiles import PUBLISHED, RESULTS, is_checkout
from optsearch.support.decimals import decimal, short_bound
from optsearch.support.errors import RecordError
from optsearch.support.records import read_published


class StoredBracket(NamedTuple):
    """The best stored bounds on the optimum of a game; equal if the optimum is stored.

    seconds -- processor time of the search for it; None if the bounds come from elsewhere.
    """

    lower: Bound
    upper: Bound
    seconds: float | None = None

    @property
    def text(self) -> str:
        """The value or the ends of the bracket, and the tables that have them."""
        bounds = self.lower, self.upper
        tables = dict.fromkeys(table_of(bound.source) or bound.name for bound in bounds)
        low, high = (short_bound(bound.value, bound.side, 6) for bound in bounds)
        values = f"{low} to {high}"
        if self.lower.value == self.upper.value:
            values = f"{decimal(self.lower.value)} = {self.lower.value}"
        return f"{values}, {' and '.join(tables)}"


def stored_bracket(
    position: Position, objective: Objective = MEAN, results: Path = RESULTS
) -> StoredBracket | None:
    """Return the stored bounds of the best mean or, by the objective, worst case of a game.

    The result is None if nothing is stored, if shots were made, or for the objective `within`.
    results -- the folder with the tables. Raises RecordError for tables that contradict themselves
    or the game.
    """
    game = position.game
    if position.shots or objective.kind == "within":
        return None
    if objective.kind == "worst":
        return _stored_worst_case(game, results)
    for row in TABLES["optima"].rows_of(game, results):
        low, high = (_optimum_bound(row, side, results) for side in ("lower", "upper"))
        return StoredBracket(low, high, row["seconds"])
    for named in NAMED_GAMES.values():
        path = TABLES["bracket"].path(results, name=named.name)
        if Game.parse(named.text) == game and path.is_file():
            low, high = (
                Bound(row["name"], row["side"], row["value_exact"], row["source"])
                for row in best_bounds(TABLES["bracket"].read(path))
            )
            return StoredBracket(low, high)
    lower = stored_two_hidden(game, results) + stored_finished(game, results)
    upper = stored_evaluations(game, results)
    if not lower and not upper:
        return None
    first_lower, *first_uppers = first_bounds(position)
    return StoredBracket(
        max([*lower, first_lower], key=lambda bound: bound.value),
        min([*upper, *first_uppers], key=lambda bound: bound.value),
    )


def _stored_worst_case(game: Game, results: Path) -> StoredBracket | None:
    source = _printed_path(TABLES["worst_cases"].path(results))
    for row in TABLES["worst_cases"].rows_of(game, results):
        return StoredBracket(
            Bound("worst case", "lower", Fraction(row["at_least"]), source),
            Bound("worst case", "upper", Fraction(row["at_most"]), source),
            row["seconds"],
        )
    return None


_TABLE = re.compile(r"data/results/\S+\.csv")


def table_of(source: str) -> str:
    """Return the path of the table that a source names, or an empty text."""
    table = _TABLE.search(source)
    return table[0] if table else ""


def name_with_table(bound: Bound) -> str:
    """Return the name of a bound, and of the table that has it."""
    return ", ".join(filter(None, (bound.name, table_of(bound.source))))


def stored_optimum(game: Game, side: str, results: Path) -> list[Bound]:
    """Return the stored optimum as a "lower" or "upper" bound, in a list; or an empty list."""
    return [_optimum_bound(row, side, results) for row in TABLES["optima"].rows_of(game, results)]


def _optimum_bound(row: Mapping[str, Any], side: str, results: Path) -> Bound:
    return Bound(
        "optimum",
        side,
        Fraction(row["total_height"], row["configurations"]),
        f"{_printed_path(TABLES['optima'].path(results))}, confirmed: {row['confirmed']}",
    )


def _printed_path_and_command(path: Path, table: Entries) -> str:
    """Return the path of a table and, in a checkout, the command that wrote it."""
    return _printed_path(path) + (f", by {table.header['command']}" if is_checkout() else "")


def _printed_path(path: Path) -> str:
    """Return the path of a table for messages."""
    folder = "evaluations/" if path.parent.name == "evaluations" else ""
    return f"data/results/{folder}{path.name}"


def _require(condition: bool, table: Entries, problem: str) -> None:
    if not condition:
        again = f"make it again with: {table.header['command']}"
        raise RecordError(f"{table.path}: {problem}; {again}")


def _require_stated(table: Entries, key: str, actual: object, fact: str) -> None:
    """Raise RecordError unless the header states this value; `fact` begins the message."""
    stated = table.header.get(key)
    _require(stated == str(actual), table, f"{fact}, not {stated}")


@lru_cache(maxsize=16)
def _configurations(game: Game) -> int:
    """Count the configurations of a game, with which each of its tables is compared."""
    return Posterior(game).configurations


def _checked_configurations(table: Entries, game: Game) -> int:
    """Return the configurations in the header, which must be those of the game."""
    configurations = _configurations(game)
    _require_stated(
        table, "configurations", configurations, f"{game} has {configurations} configurations"
    )
    return configurations


def stored_finished(game: Game, results: Path) -> list[Bound]:
    """Return lower bounds on the mean shots of a game from a stored table; empty if it has none.

    The table bounds, for each number of misses, how many configurations a strategy can finish with
    at most so many.
    """
    path = TABLES["finished"].path(results, name=file_name_of(game))
    if not path.is_file():
        return []
    table = TABLES["finished"].read(path)
    _require(table.game == game, table, f"it is a table of {table.game}, not of {game}")
    configurations = _checked_configurations(table, game)
    finished = [FinishedAtMost(*(row[name] for name in FinishedAtMost._fields)) for row in table]
    source = _printed_path_and_command(path, table)
    bounds = bounds_of_finished(finished, game.fleet_cells, configurations, source)
    for bound in bounds:
        _require_stated(table, bound.name, bound.value, f"{bound.name} gives {bound.value}")
    return bounds


def stored_two_hidden(game: Game, results: Path) -> list[Bound]:
    """Return a lower bound on the mean shots of a game from a stored table; empty if it has none.

    It bounds an easier game, in which the places of all ships but the last two are known.
    """
    if game.label_of_kind is None:
        return []  # hits on one ship may tell where it lies
    game = game.with_announcement("nothing")  # the two ships are told apart in any case
    path = TABLES["told"].path(results, name=told_file_name(game))
    if len(game.fleet) < 2 or not path.is_file():
        return []
    table = TABLES["told"].read(path)
    _require(table.game == game, table, f"it is a table of {table.game}, not of {game}")
    long, short = game.fleet[-2:]  # the lengths of the two hidden ships
    long_count, short_count = game.fleet.count(long), game.fleet.count(short)
    if long == short:  # an ordered pair of different ships
        long_count -= 1
    expected = long_count * short_count * _configurations(game)
    pairs = sum(table.column("pairs"))
    _require(pairs == expected, table, f"its rows have {pairs} pairs, not {expected}")
    source = _printed_path_and_command(path, table)
    bound = two_hidden_bound(game, (AllButTwo(**row) for row in table), source)
    _require_stated(table, TOLD_BOUND, bound.value, f"{bound.name} gives {bound.value}")
    return [bound]


def stored_evaluations(game: Game, results: Path) -> list[Bound]:
    """Return upper bounds on the least mean shots of a game: the stored means of strategies.

    Tables of games that announce less count, too: a strategy can ignore what else is announced, and
    then takes as many shots.
    """
    playable_games = {game.with_announcement(rule): rule for rule in _rules_implied_by(game)}
    bounds = []
    for path in TABLES["evaluations"].all(results):
        table = TABLES["evaluations"].read(path)
        if table.game is None or table.game not in playable_games or "prior" in table.header:
            continue
        configurations = _checked_configurations(table, table.game)
        total = sum(row["shots"] * row["configurations"] for row in table)
        in_rows = sum(table.column("configurations"))
        problem = f"its rows have {in_rows} configurations, not {configurations}"
        _require(in_rows == configurations, table, problem)
        _require_stated(table, "total_height", total, f"its rows have {total} shots in all")
        source, announce = _printed_path(path), playable_games[table.game]
        if announce != game.announce:
            source = f"it plays as with announce={announce}; {source}"
        mean = Fraction(total, configurations)
        bounds.append(Bound(table.header["strategy"], "upper", mean, source))
    return bounds


def _rules_implied_by(game: Game) -> list[str]:
    """List the rules of announcement whose replies can be told from those of a game.

    If each ship has its own name, hits that name their ships also tell of sinkings.
    """
    rules = ["nothing"]
    has_unique_names = game.names_hits and len(set(game.fleet)) == len(game.fleet)
    if game.shows_ships or has_unique_names:
        rules += ["sunk", "ship"]
    if game.tells_sinkings and game.labels:
        rules.append("sunk")
    if game.shows_ships:
        rules.append("name")
    if not game.is_silent:
        rules.append(game.announce)
    return rules


def printed_bounds(game: Game) -> list[Bound]:
    """Return the upper bound that the paper has printed for its game; empty for another game."""
    if game != Game(10, 10, (5, 4, 3, 3, 2)) or not PUBLISHED.is_dir():
        return []
    return [
        Bound(
            "strategy of the paper",
            "upper",
            Fraction(row["value"]),
            f"Audinot, Bonnet and Viennot (2014), {row['place']}: {row['comment']}",
        )
        for row in read_published("numbers.csv").rows
        if row["name"] == "upper_bound_10x10"
    ]
