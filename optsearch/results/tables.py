"""Every table of results, declared once: its place, its columns and their types, what makes it.

    OPTIMA.read()[0]["total_height"]          # 10, an int
    OCCURRENCE.write(rows, game="4x4:2", command="…", fields={…})

Experiments write through these declarations; figures, bounds and the command line read through
them. A table whose name has braces, such as `evaluations/{name}`, is one of a kind: the parts in
braces are given to `path`, `read` and `write`. Empty text is None in every column.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

from optsearch.game import Game
from optsearch.lower_bounds.beside import BESIDE
from optsearch.lower_bounds.reveal import MISSES
from optsearch.support import records
from optsearch.support.datafiles import RESULTS
from optsearch.support.errors import RecordError


@dataclass(frozen=True)
class Type:
    """What a column holds: how its text is read, and how a value is written.

    name -- as documentation calls it. parse raises ValueError for a text that is none.
    """

    name: str
    parse: Callable[[str], Any]
    show: Callable[[Any], str] = str


def _yes_or_no(text: str) -> bool:
    if text not in ("yes", "no"):
        raise ValueError("yes or no is accepted")
    return text == "yes"


TEXT = Type("text", str)
INTEGER = Type("integer", int)
EXACT = Type("fraction", Fraction)
GAME = Type("game", Game.parse)
YES_NO = Type("yes or no", _yes_or_no, lambda value: "yes" if value else "no")


def decimal(places: int) -> Type:
    """A number that is written with so many decimals."""
    return Type(f"number, {places} decimals", float, lambda value: f"{float(value):.{places}f}")


@dataclass(frozen=True)
class Column:
    """A column: its name, its type, and what its values are, with the unit.

    measured -- whether it is a time, or what depends on one: another run gives another value.
    """

    name: str
    type: Type
    meaning: str
    measured: bool = False

    def parse(self, text: str) -> Any:
        """The value of a text; None where it is empty."""
        return self.type.parse(text) if text else None

    def show(self, value: Any) -> str:
        """The text of a value; empty for None."""
        return "" if value is None else self.type.show(value)


@dataclass(frozen=True)
class Entries(Sequence[dict[str, Any]]):
    """A table that was read: rows as dictionaries from column to value, and its header."""

    table: Table
    header: dict[str, str]
    rows: list[dict[str, Any]]
    path: Path

    def __getitem__(self, index: Any) -> Any:
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> list[Any]:
        """The values of one column."""
        return [row[name] for row in self.rows]


@dataclass(frozen=True)
class Table:
    """A table of results.

    name -- its path below data/results, without `.csv`; parts in braces distinguish those of one
    kind. title -- of its header, with the same and other parts in braces. columns -- in order.
    experiment -- the module of `experiments` that makes it. arguments -- what that takes to make
    it. minutes -- how long that takes on two cores, about; of_names -- the same of those of one
    kind that take another time. sample -- the file of a table for which other code computed parts
    of this one again.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    experiment: str
    minutes: float
    arguments: str = ""
    of_names: Mapping[str, float] = field(default_factory=dict, hash=False)
    sample: str = ""

    @property
    def command(self) -> str:
        """The command that makes it."""
        return f"python -m experiments.{self.experiment} {self.arguments}".strip()

    @property
    def most_minutes(self) -> float:
        """The minutes of the longest one of its kind."""
        return max(self.minutes, *self.of_names.values(), 0)

    def minutes_of(self, path: Path) -> float:
        """The minutes of one of its kind."""
        return self.of_names.get(path.stem, self.minutes)

    @property
    def is_quick(self) -> bool:
        """Whether every run of the tests recomputes it."""
        return self.minutes <= QUICK

    @property
    def file(self) -> str:
        """Its file below a folder of results, with its parts in braces."""
        return f"{self.name}.csv"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(column.name for column in self.columns)

    def path(self, folder: Path = RESULTS, **parts: object) -> Path:
        """Where it lies below a folder of results."""
        return folder / self.file.format(**parts)

    def all(self, folder: Path = RESULTS) -> Iterator[Path]:
        """The existing files of its kind, by name."""
        return iter(sorted(folder.glob(re.sub(r"\{\w+\}", "*", self.file))))

    def digest(self, path: Path) -> str:
        """The digest of its values in a file, without measured ones."""
        return records.read(path).digest(
            [column.name for column in self.columns if column.measured]
        )

    def read(self, path: Path | None = None, **parts: object) -> Entries:
        """The table at its place, or in another file.

        Raises RecordError where there is none, and, with the line, for columns or values that are
        not those of the declaration.
        """
        record = records.read(self.path(RESULTS, **parts) if path is None else path)
        if record.columns != self.names:
            raise RecordError(
                f"{record.path}: the columns are {', '.join(record.columns)}; those of a table "
                f"{self.name} are {', '.join(self.names)}"
            )
        values = [record.values(column.name, column.parse) for column in self.columns]
        rows = [dict(zip(self.names, row, strict=True)) for row in zip(*values, strict=True)]
        return Entries(self, record.header, rows, record.path)

    def write(
        self,
        rows: Iterable[Sequence[object]],
        folder: Path = RESULTS,
        *,
        path: Path | None = None,
        command: str | None = None,
        fields: Mapping[str, object] | None = None,
        **parts: object,
    ) -> Path:
        """Write the table at its place below a folder, or to another file; returns its path.

        rows -- one value a column. command -- what the user ran, where it is not `self.command`.
        fields -- more lines of the header. parts -- of name and title. Raises as `records.write`.
        """
        path = self.path(folder, **parts) if path is None else path
        shown = [
            [column.show(value) for column, value in zip(self.columns, row, strict=True)]
            for row in rows
        ]
        records.write(
            path,
            self.names,
            shown,
            title=self.title.format(**parts),
            command=command or self.command,
            fields=fields,
        )
        return path


@dataclass(frozen=True)
class Tree:
    """A decision tree among the results: its path below the folder, and what makes it."""

    name: str
    experiment: str
    minutes: float

    @property
    def most_minutes(self) -> float:
        """What it takes."""
        return self.minutes

    def minutes_of(self, path: Path) -> float:
        """As that of a table."""
        return self.minutes

    @property
    def is_quick(self) -> bool:
        """As that of a table."""
        return self.minutes <= QUICK

    @property
    def command(self) -> str:
        """What the user runs to make it."""
        return f"python -m experiments.{self.experiment}"

    @property
    def file(self) -> str:
        """Its file below a folder of results."""
        return f"{self.name}.json"

    def path(self, folder: Path = RESULTS) -> Path:
        """Where it lies below a folder of results."""
        return folder / self.file

    def all(self, folder: Path = RESULTS) -> Iterator[Path]:
        """It, if it is there."""
        return filter(Path.is_file, [self.path(folder)])

    def digest(self, path: Path) -> str:
        """What tells it in a file from any other."""
        return sha256(path.read_bytes()).hexdigest()[:16]


QUICK = 0.2  # minutes


def took(minutes: float) -> str:
    """A duration in words."""
    if minutes >= 90:
        return f"{minutes / 60:.2g} hours"
    return f"{minutes:.0f} minutes" if minutes >= 1.5 else f"{60 * minutes:.0f} seconds"


def part_of(game: Game) -> str:
    """A game as part of a table's name: 10x10_54332; 1x28_-11-1-1 where lengths have two digits."""
    before = "-" if max(game.fleet) > 9 else ""
    return str(game).replace(":", f"_{before}").replace(",", before)


def known_part_of(game: Game) -> str:
    """The same with what touches, but not what is told: 10x10_54332_any."""
    return f"{part_of(replace(game, contact='none', announce='nothing'))}_{game.contact}"


_GAME = Column("game", GAME, "the game")
_CELLS = Column("cells", INTEGER, "cells of the board")
_CONFIGURATIONS = Column("configurations", INTEGER, "how many configurations there are")
_TOTAL = Column("total_height", INTEGER, "shots of an optimal strategy over all configurations")
_SHOTS = Column("shots", INTEGER, "shots until every ship is sunk")
_CONFIRMED = Column("confirmed", TEXT, "what confirms the row")
_CELL = (
    Column("row", INTEGER, "row of the cell, from 0"),
    Column("column", INTEGER, "column of the cell, from 0"),
)

# The paper

TABLE1 = Table(
    "table1",
    "Optimal total height of the games of Table 1",
    (
        _GAME,
        _TOTAL,
        _CONFIGURATIONS,
        Column("mean", TEXT, "least mean number of shots, rounded as the paper does"),
        Column("printed", TEXT, "the same as printed in the paper"),
        Column("best_shots", TEXT, "all optimal first shots"),
        Column("nodes", INTEGER, "nodes of the search"),
        Column("replayed", INTEGER, "total height by a replay of the tree"),
    ),
    "table1",
    0.1,
)
OCCURRENCE = Table(
    "occurrence_{name}",
    "Configurations of {game} with a ship on each cell",
    (
        *_CELL,
        Column("occurrence", INTEGER, "configurations with a ship on the cell"),
        Column("frequency", EXACT, "their part of all configurations"),
    ),
    "occurrence",
    0.1,
)
COMPLETE_BINARY_TREE = Table(
    "complete_binary_tree",
    "Depths of the leaves of the complete binary tree with {leaves} leaves",
    (
        Column("leaf", INTEGER, "number of the leaf, from the left"),
        Column("depth", INTEGER, "its depth"),
    ),
    "trees",
    0.1,
)
COUNTEREXAMPLE_GREEDY = Tree("counterexample_greedy", "trees", 0.1)
COUNTEREXAMPLE_OPTIMAL = Tree("counterexample_optimal", "trees", 0.1)
START_POSITION = Table(
    "start_position",
    "A start position as in Figure 1: the two ships that the text names, the others at random",
    (
        Column("length", INTEGER, "of the ship"),
        Column("cells", TEXT, "its cells, as the paper names them"),
        Column("named", YES_NO, "whether the text of the paper names the ship"),
    ),
    "reconstructions",
    0.1,
)
PATTERN_ORDER = Table(
    "pattern_order",
    "The order of the cells in {strategy} on {game}",
    (
        *_CELL,
        Column("place", INTEGER, "place of the cell in the order, from 1"),
        Column("first", YES_NO, "whether its colour is one of those that are shot first"),
    ),
    "reconstructions",
    0.1,
)
PATTERNS = Table(
    "patterns",
    "Patterns of section 4.2, reconstructed: means over random configurations of {game}, and the "
    "distance to the printed 58.7, 55.6, 7.6 and 73 (a tenth for each shot)",
    (
        Column("modulus", INTEGER, "colours of the board"),
        Column("colours", TEXT, "the colours shot first, in order"),
        Column("scan", TEXT, "order within a colour"),
        Column("cross_mean", decimal(3), "mean shots, four directions cleared"),
        Column("line_mean", decimal(3), "mean shots, right and left first"),
        Column("line_sd", decimal(3), "standard deviation of these"),
        Column("line_worst", INTEGER, "most shots of a sample"),
        Column("distance", decimal(3), "distance to the printed figures"),
    ),
    "patterns",
    3,
)

# Counts

GROWTH = Table(
    "growth",
    "Configurations of the fleet {fleet} on square boards",
    (
        Column("size", INTEGER, "side of the board"),
        Column("contact", TEXT, "contact rule"),
        _CONFIGURATIONS,
        Column("seconds", decimal(3), "wall time of the count", measured=True),
        Column("confirmed", YES_NO, "whether the posterior of the same game agrees"),
    ),
    "growth",
    0.5,
)

ONE_BY_ONE = Table(
    "one_by_one",
    "Ships placed one by one beside uniform ones",
    (
        _GAME,
        _CONFIGURATIONS,
        Column("distance", decimal(9), "total variation: half the sum of the differences"),
        Column("greatest", decimal(9), "how many times as likely as uniformly the likeliest is"),
        Column("least", decimal(9), "the same of the least likely"),
        Column("sampled", decimal(6), "the distance by boards that the program places, seed 1"),
        Column("error", decimal(6), "standard error of that"),
        Column("seconds", decimal(3), "wall time of both", measured=True),
    ),
    "one_by_one",
    2,
)

# Optima and greedy

OPTIMA = Table(
    "optima",
    "Optimal total heights, ships not touching, and what confirms them",
    (
        _GAME,
        _CELLS,
        _CONFIGURATIONS,
        _TOTAL,
        Column("mean", decimal(6), "least mean number of shots"),
        Column("leaf_counting", decimal(6), "lower bound on it by leaf counting"),
        Column(
            "best_greedy_total_height",
            INTEGER,
            "total height of the best greedy strategy, where known",
        ),
        Column("nodes", INTEGER, "nodes of the search"),
        Column("subsets", INTEGER, "parts of families on a machine word that it met"),
        Column("seconds", decimal(3), "wall time of the search", measured=True),
        _CONFIRMED,
        Column("commit", TEXT, "commit of optsearch that computed the row", measured=True),
    ),
    "optima",
    82,
)
OPTIMA_ANNOUNCED = Table(
    "optima_announced",
    "Optimal total heights where ships may touch or sinkings are announced, and what confirms them",
    tuple(one for one in OPTIMA.columns if one.name not in ("leaf_counting", "subsets")),
    "optima_announced",
    40,
)
EQUILIBRIA = Table(
    "equilibria",
    "The value of games in which the hider, too, plays as well as can be, ships not touching",
    (
        _GAME,
        _CELLS,
        Column("hidings", INTEGER, "what can be hidden: different sets of cells"),
        Column("orbits", INTEGER, "of these under the symmetries of the board"),
        Column("uniform", EXACT, "least mean number of shots against ships drawn uniformly"),
        Column("value", EXACT, "value of the game in shots, where it was found"),
        Column("least", decimal(6), "lower bound on it", measured=True),
        Column("most", decimal(6), "upper bound on it", measured=True),
        Column("is_uniform", YES_NO, "whether to draw uniformly is best for the hider, if known"),
        Column("used", INTEGER, "orbits that the hider's mix uses", measured=True),
        Column("trees", INTEGER, "trees of the shooter's mix", measured=True),
        Column("rounds", INTEGER, "best answers asked for", measured=True),
        Column(
            "border", decimal(4), "cells at the border in the hider's mix, of all", measured=True
        ),
        Column("uniform_border", decimal(4), "the same, drawn uniformly"),
        Column("corner", decimal(4), "chance of a ship on a corner in the mix", measured=True),
        Column("uniform_corner", decimal(4), "the same, drawn uniformly"),
        Column("seconds", decimal(1), "wall time", measured=True),
        Column("confirmed", TEXT, "what computed the best answer again to check the certificate"),
    ),
    "equilibria",
    50,
)
EQUILIBRIUM_CELLS = Table(
    "equilibrium_cells",
    "How likely the hider has a ship on each cell in the mixes found, and drawn uniformly",
    (
        _GAME,
        *_CELL,
        Column("probability", decimal(6), "of a ship there in the hider's mix", measured=True),
        Column("uniform", decimal(6), "the same, drawn uniformly"),
    ),
    "equilibria",
    50,
)
DOUBLE_ORACLE = Table(
    "double_oracle",
    "Rounds of the double oracle, with and without what saves some",
    (
        _GAME,
        Column("orbits", INTEGER, "what can be hidden, under the symmetries of the board"),
        Column("way", TEXT, "what is used: the level method, trees put together from others"),
        Column("rounds", INTEGER, "best answers asked for, to the exact value", measured=True),
        Column("trees", INTEGER, "different ones, those put together included", measured=True),
        Column("seconds", decimal(2), "wall time", measured=True),
    ),
    "double_oracle",
    2,
)
HIDERS = Table(
    "hiders",
    "Players on boards that are not hidden uniformly, by simulation",
    (
        _GAME,
        Column("hider", TEXT, "how the ships are hidden"),
        Column("strategy", TEXT, "the player, who does not know it"),
        Column("games", INTEGER, "boards played"),
        Column("mean", decimal(4), "mean shots"),
        Column("standard_error", decimal(4), "standard error of the mean"),
        Column("difference", decimal(4), "shots more than against the uniform hider"),
        Column("worst", INTEGER, "most shots of a game"),
    ),
    "hiders",
    15,
)
GREEDY_LOSS = Table(
    "greedy_loss",
    "Total heights of greedy strategies beside the optimum, ships not touching",
    (
        _GAME,
        _CELLS,
        _CONFIGURATIONS,
        _TOTAL,
        Column("best_greedy_total_height", INTEGER, "total height of the best greedy strategy"),
        Column("worst_greedy_total_height", INTEGER, "of the worst one"),
        Column("first", INTEGER, "of ties broken by the first cell"),
        Column("checkerboard", INTEGER, "of ties broken by a checkerboard"),
        Column("central", INTEGER, "of ties broken by the most central cell"),
        Column("last", INTEGER, "of ties broken by the last cell"),
        Column("remainder", INTEGER, "of ties broken by the lesser remainder"),
        Column("percent_best", decimal(4), "more than the optimum, the best, in percent"),
        Column("percent_worst", decimal(4), "more than the optimum, the worst, in percent"),
    ),
    "greedy_loss",
    3,
)
COUNTEREXAMPLES = Table(
    "counterexamples",
    "Positions where the best greedy strategy is not optimal",
    (
        Column("search", TEXT, "which of the searches"),
        Column("result", TEXT, "counterexample or undecided"),
        _GAME,
        Column("position", TEXT, "the shots made, with their replies"),
        _CELLS,
        Column("configurations", INTEGER, "configurations left"),
        Column("shots", INTEGER, "shots made"),
        Column("best_greedy_total_height", INTEGER, "total height of the best greedy strategy"),
        Column("total_height", INTEGER, "total height of an optimal one"),
        Column("greedy_shots", TEXT, "the most probable cells"),
        Column("best_shots", TEXT, "optimal first shots"),
        _CONFIRMED,
    ),
    "counterexamples",
    2,
)
COUNTEREXAMPLES_ANNOUNCED = Table(
    "counterexamples_announced",
    "Positions where the best greedy strategy is not optimal, sinkings announced",
    tuple(column for column in COUNTEREXAMPLES.columns if column.name != "result"),
    "counterexamples_announced",
    5,
)
_SWITCH_OFF = Column("off", TEXT, "the switch that is off")
ABLATION = Table(
    "ablation",
    "The search with one switch off at a time, and with one on: effort and seconds against all on",
    (
        _GAME,
        Column("objective", TEXT, "what the strategy is best at"),
        Column("prior", TEXT, "what weighs the configurations"),
        Column("position", TEXT, "the shots made, with their replies"),
        Column("configurations", INTEGER, "configurations left, or what they weigh"),
        _SWITCH_OFF,
        _TOTAL,
        Column("nodes", INTEGER, "nodes of the search"),
        Column("subsets", INTEGER, "parts of families on a machine word that it met"),
        Column("seconds", TEXT, "processor time, or that it was given up", measured=True),
        Column("effort_ratio", decimal(2), "nodes, and what subsets come to, against all on"),
        Column("seconds_ratio", decimal(2), "processor time against all on", measured=True),
    ),
    "ablation",
    10,
)
ABLATION_ROOT = Table(
    "ablation_root",
    "Games of two ships before their search and after some of it, by bounds of the root",
    (
        _GAME,
        Column("configurations", INTEGER, "configurations"),
        _SWITCH_OFF,
        Column("before", INTEGER, "no total height is below this, before the search"),
        Column("after", INTEGER, "the same after the search, which ends at 100,000 nodes"),
        Column("most", INTEGER, "the total height of the best strategy known then"),
        Column("nodes", INTEGER, "nodes of the search"),
        Column("bound_seconds", decimal(2), "processor time before the search", measured=True),
        Column("seconds", decimal(2), "processor time of the search", measured=True),
    ),
    "ablation",
    10,
)

# Strategies on the large games

EVALUATION = Table(
    "evaluations/{name}",
    "Shots of {strategy} on {game}, over every configuration",
    (_SHOTS, Column("configurations", INTEGER, "configurations that take so many")),
    "evaluations",
    12,
    "{name}",
    {
        "greedy": 2,
        "spread": 13,
        "any_ship_spread": 41,
        "any_greedy": 50,
        "any_ship_greedy": 55,
        "rollout": 75,
        "nested": 180,
        "nested_larger": 180,
        "any_ship_rollout": 260,
        "levels": 300,
    },
    sample="evaluation_checks/{name}.csv",
)
EVALUATION_CHECK = Table(
    "evaluation_checks/{name}",
    "Random configurations of {game} in the tree of {strategy} and played without it",
    (
        Column("number", INTEGER, "number of the game"),
        Column("shots_in_tree", INTEGER, "shots in the tree that was evaluated"),
        Column("shots_played", INTEGER, "shots when played without it"),
    ),
    "evaluation_check",
    60,
    "{name}",
)
MINI_GAME = Table(
    "mini_game",
    "Shots of strategies in a game with a limit of shots, over every configuration of {game}",
    (
        Column("strategy", TEXT, "the strategy, or what the players' tool does"),
        _SHOTS,
        Column("configurations", INTEGER, "configurations that take so many"),
    ),
    "mini_game",
    30,
)
ESTIMATES = Table(
    "estimates",
    "Misses of greedy on {game} by open cells k and by size: column 4 e + f is for "
    "2^e (1 + f/4) configurations and more, up to the next column",
    (
        Column("k", INTEGER, "cells of a configuration that are open"),
        Column("column", INTEGER, "4 e + f"),
        Column("configurations", INTEGER, "configurations of all such nodes"),
        Column("misses", INTEGER, "what greedy misses there, in all"),
    ),
    "estimates",
    2,
)
GREEDY_GAMES = Table(
    "greedy_games",
    "Shots that greedy takes with exact posteriors, over random configurations",
    (_GAME, _SHOTS, Column("games", INTEGER, "games that took so many")),
    "greedy_games",
    12,
    "--games 1000",
)
GREEDY_GAMES_SUMMARY = Table(
    "greedy_games_summary",
    "Mean and spread of the shots that greedy takes with exact posteriors",
    (
        _GAME,
        Column("games", INTEGER, "games played"),
        Column("mean", decimal(4), "mean shots"),
        Column("standard_error", decimal(4), "standard error of the mean"),
        Column("sd", decimal(4), "standard deviation of the shots"),
        Column("worst", INTEGER, "most shots of a game"),
        Column("median_seconds", decimal(4), "wall time of a game, the median", measured=True),
    ),
    "greedy_games",
    12,
    "--games 1000",
)

# The bracket

COVERAGE = Table(
    "coverage_{name}",
    "The most configurations of {game} that some cells can meet, at most",
    (
        Column("cells", INTEGER, "how many cells"),
        Column("most_met", INTEGER, "configurations that they meet, at most"),
        Column("attained", YES_NO, "whether some cells are known to meet as many"),
    ),
    "lower_bounds",
    50,
)
MET_BESIDE = Table(
    "beside_{name}",
    "The most configurations of {game} with one placement that some cells can meet, at most",
    (
        Column("ship", TEXT, "a placement, one of each class"),
        Column("alike", INTEGER, "placements that the symmetries make of it"),
        Column("completions", INTEGER, "configurations with it"),
        *(
            Column(f"met{cells}", INTEGER, f"of these met by {cells} cells beside it, at most")
            for cells in range(1, BESIDE + 1)
        ),
    ),
    "lower_bounds",
    50,
)
REVEAL = Table(
    "reveal_{name}",
    "The reveal game of {game}: completions found within l misses, at most",
    (
        Column("ship", TEXT, "a placement of the longest ship, one of each class"),
        Column("alike", INTEGER, "placements that the symmetries make of it"),
        Column("completions", INTEGER, "configurations with it"),
        *(
            Column(f"F{misses}", INTEGER, f"found within {misses} misses, at most")
            for misses in range(MISSES)
        ),
    ),
    "lower_bounds",
    50,
)
FINISHED = Table(
    "finished_{name}",
    "Configurations of {game} finished with so many misses or fewer, at most",
    (
        Column("misses", INTEGER, "l"),
        Column("root_chain", INTEGER, "A(l) by the root chain"),
        Column("reveal_game", INTEGER, "A(l) by the reveal game"),
        Column("ship_chain", INTEGER, "A(l) by the root chain with the longest ship"),
        Column("cells", INTEGER, "cells of that chain; 0 where it is not the least"),
        Column("every_ship", INTEGER, "A(l) by the root chain with every ship"),
        Column("every_ship_cells", INTEGER, "cells of that chain; 0 where it is not the least"),
        Column("first_ship", INTEGER, "A(l) by the root chain with the first ship"),
        Column("first_ship_cells", INTEGER, "cells of that chain; 0 where it is not the least"),
    ),
    "lower_bounds",
    50,
)
TOLD = Table(
    "told_{name}",
    "Misses in {game} if all ships are told but the two shortest, at least",
    (
        Column("long", INTEGER, "free placements of the longer hidden ship"),
        Column("short", INTEGER, "free placements of the shorter one"),
        Column("sets", INTEGER, "sets of known ships that leave as many"),
        Column("pairs", INTEGER, "pairs of hidden ships beside them, in sum"),
        Column("price", INTEGER, "of a pair, in misses"),
        Column("misses", INTEGER, "misses of these pairs, in sum and at least"),
    ),
    "told",
    6,
    sample="confirmed_{name}.csv",
)
TOLD_CHECK = Table(
    "confirmed_{name}",
    "Rows of told_{name} that were computed again without its code, and agree",
    (*TOLD.columns, Column("games", INTEGER, "different games of two ships among them")),
    "check_told",
    35,
)
LOWER_BOUNDS_CHECK = Table(
    "checked_{name}",
    "The tables of lower bounds of {game} that other code confirmed, by their digests",
    (
        Column("table", TEXT, "the file, below data/results"),
        Column("digest", TEXT, "of its values, as they were confirmed"),
        Column("rows", INTEGER, "how many it has"),
    ),
    "check_lower_bounds",
    130,
)
BRACKET = Table(
    "bracket",
    "Bounds on the least mean number of shots of {game}",
    (
        Column("side", TEXT, "lower or upper"),
        Column("name", TEXT, "the argument, or the strategy"),
        Column("value", decimal(6), "the bound, shots"),
        Column("value_exact", EXACT, "the bound, exactly"),
        Column("source", TEXT, "where it comes from"),
    ),
    "bracket",
    0.1,
)
BOXED_BRACKET = replace(BRACKET, name="bracket_boxed")
BRACKET_HISTORY = Table(
    "bracket_history",
    "How the bounds on the least mean number of shots of {game} improved",
    (
        Column("date", TEXT, "the day, UTC, or the year of the paper"),
        Column("side", TEXT, "lower or upper"),
        Column("name", TEXT, "the argument, or the strategy, that moved this side"),
        Column("value", decimal(6), "the bound, shots"),
        Column("value_exact", EXACT, "the bound, exactly"),
        Column("source", TEXT, "how the row is known"),
    ),
    "bracket",
    0.1,
)

# Puzzles

SOLITAIRE = Table(
    "solitaire",
    "Ship-based and cell-based model of Solitaire Battleship in two solvers, one solution each",
    (
        Column("grid", TEXT, "rows and columns"),
        Column("ships", INTEGER, "ships of the fleet"),
        Column("revealed", decimal(2), "part of the cells that is revealed"),
        Column("solver", TEXT, "CP-SAT, which learns clauses, or SCIP, which branches"),
        Column("model", TEXT, "ship or cell"),
        Column("variables", INTEGER, "of the model as built"),
        Column("constraints", INTEGER, "of the model as built"),
        Column("build_seconds", decimal(3), "processor time to build the model", measured=True),
        Column("solve_seconds", decimal(3), "processor time to solve, one worker", measured=True),
        Column("solved", YES_NO, "whether it was found within the time limit", measured=True),
    ),
    "solitaire",
    8,
)
PUZZLES = Table(
    "puzzles",
    "Generated puzzles of Solitaire Battleship, verified by the cell-based model",
    (
        Column("seed", INTEGER, "of the generator"),
        Column("seconds", decimal(2), "processor time of the generator", measured=True),
        Column("clues", INTEGER, "counts and revealed cells"),
        Column("solutions", INTEGER, "by the sweep, counted up to 2"),
        Column("unique", YES_NO, "by the cell-based model"),
        Column("minimal", YES_NO, "by the cell-based model: with any clue weakened, several"),
        Column("level", TEXT, "for a person, with suppositions up to depth 2"),
        Column("grading_seconds", decimal(2), "processor time of grading", measured=True),
        Column("puzzle", TEXT, "as JSON"),
    ),
    "puzzles",
    3,
)
SIMULATION_COLUMNS = (
    Column("strategy", TEXT, "the player"),
    _SHOTS,
    Column("games", INTEGER, "games that take so many"),
)
HEURISTICS = Table(
    "heuristics_{name}",
    "Shots of the versions of Battleship Heuristics on {game}, boards {name}",
    SIMULATION_COLUMNS,
    "heuristics",
    6,
)
HEURISTICS_MATRICES = Table(
    "hunt_and_attack",
    "What Battleship Heuristics shoots by in a game of {game}, and the exact probabilities",
    (
        Column("shots", INTEGER, "shots made"),
        Column("mode", TEXT, "hunt or attack"),
        *_CELL,
        Column("value", decimal(6), "of the matrix: hunt, part of the highest; attack, placements"),
        Column("exact", decimal(6), "probability of a ship there"),
    ),
    "heuristics_matrices",
    0.1,
)
PLACEMENT_PAIRS = Table(
    "placement_pairs",
    "The placement graph of {game}, a pair of placements a row",
    (
        Column("long", TEXT, "placement of the longer ship"),
        Column("short", TEXT, "placement of the shorter ship"),
        Column("apart", YES_NO, "whether they fit together: an edge"),
        Column("long_left", YES_NO, "whether the longer ship can still lie there"),
        Column("short_left", YES_NO, "whether the shorter ship can still lie there"),
    ),
    "placement_graph",
    0.1,
)
PLACEMENT_ORDERS = Table(
    "placement_orders",
    "Nodes that loops over the placement graph of {game} visit, by the order of the ships",
    (
        Column("graph", TEXT, "whole, or those placements that are still possible"),
        Column("first", INTEGER, "length of the ship of the outer loop"),
        Column("outer", INTEGER, "its placements"),
        Column("inner", INTEGER, "placements of the other ship"),
        Column("nodes", INTEGER, "placements of the first ship, and pairs that are tried"),
        Column("fitting", INTEGER, "the same where only pairs that fit together are tried"),
    ),
    "placement_graph",
    0.1,
)
THOMPSON = Table(
    "thompson",
    "Shots of Thompson sampling, and of exact play, on the same boards of {game}",
    (
        Column("board", INTEGER, "number of the board"),
        Column("random", INTEGER, "shots at random"),
        Column("thompson", INTEGER, "as printed, blocks of 10,000 samples"),
        Column("thompson_1000", INTEGER, "as printed, blocks of 1,000"),
        Column("thompson_100000", INTEGER, "as printed, blocks of 100,000"),
        Column("whole", INTEGER, "all that the replies say, blocks of 10,000"),
        Column("exact", INTEGER, "1,000 exact samples"),
        Column("exact_1", INTEGER, "one exact sample"),
        Column("greedy", INTEGER, "a most probable cell, exactly"),
    ),
    "thompson",
    20,
)
THOMPSON_SMALL = Table(
    "thompson_small",
    "How many shots players of games with one ship take, exactly",
    (
        _GAME,
        Column("player", TEXT, "random, a strategy, or optimal"),
        _SHOTS,
        Column("probability", EXACT, "of so many shots"),
    ),
    "thompson",
    20,
)
THOMPSON_GAMES = Table(
    "thompson_games",
    "The games of fewest and of most shots of Thompson sampling, shot by shot: {game}",
    (
        Column("which", TEXT, "fewest or most"),
        Column("board", INTEGER, "number of the board"),
        Column("number", INTEGER, "of the shot, from 1"),
        Column("cell", TEXT, "the cell shot"),
        Column("reply", TEXT, "miss, hit or sunk:LENGTH"),
    ),
    "thompson",
    20,
)
THOMPSON_POSTERIOR = Table(
    "thompson_posterior",
    "Probabilities before each shot of a game of Thompson sampling: {game}",
    (
        Column("shots", INTEGER, "shots made"),
        *_CELL,
        Column("sampled", decimal(3), "part of 1,000 kept samples with a ship there"),
        Column("exact", decimal(6), "probability of a ship there"),
    ),
    "thompson",
    20,
)
THOMPSON_COMPATIBLE = Table(
    "thompson_compatible",
    "A board that agrees with two thirds of the cells, by sampling: {game}",
    (
        Column("board", INTEGER, "0 is that of the post, by its seed"),
        Column("sampler", TEXT, "from all placements, from those without a miss, or exact"),
        Column("configurations", INTEGER, "that agree, exactly"),
        Column("expected", decimal(1), "samples for one that agrees, on average, exactly"),
        Column("samples", INTEGER, "that were drawn", measured=True),
        Column("found", YES_NO, "whether one of them agrees"),
        Column("seconds", decimal(4), "wall time, ended after 59.4 and the block", measured=True),
    ),
    "thompson",
    20,
)
THOMPSON_OPTIMISTIC = Table(
    "thompson_optimistic",
    "Optimistic means of the post on Thompson sampling, as printed and corrected: {game}",
    (
        Column("name", TEXT, "the scenario"),
        Column("printed", EXACT, "the mean of the printed function"),
        Column("corrected", EXACT, "the mean of what its text describes"),
    ),
    "thompson_optimistic",
    0.1,
)

LEADERBOARD = Table(
    "leaderboard",
    "Players on the same hidden boards, uniformly drawn",
    (
        _GAME,
        Column("strategy", TEXT, "the player"),
        Column(
            "games", INTEGER, "boards played, the first ones of the seed; or all configurations"
        ),
        Column("mean", decimal(4), "mean shots"),
        Column("standard_error", decimal(4), "standard error of the mean; 0 for every board"),
        Column("sd", decimal(4), "standard deviation of the shots"),
        Column("median", decimal(1), "median of the shots"),
        Column("worst", INTEGER, "most shots of a game"),
        Column("difference", decimal(4), "shots more than density takes on the same boards"),
        Column("difference_error", decimal(4), "standard error of this difference"),
        Column("milliseconds", decimal(3), "processor time of a move, on one core", measured=True),
        Column("known", decimal(4), "the mean over all configurations, where it is known"),
    ),
    "leaderboard",
    35,
)
LEADERBOARD_SHOTS = Table(
    "leaderboard_shots",
    "Shots of the players of the leaderboard",
    (_GAME, *SIMULATION_COLUMNS),
    "leaderboard",
    35,
)

# Boards of other shapes

BOARDS = Table(
    "boards",
    "The same fleets on boards of several shapes, ships not touching",
    (
        _GAME,
        Column("board", TEXT, "its shape: rectangle, cylinder, torus or hex"),
        _CELLS,
        _CONFIGURATIONS,
        Column("symmetries", INTEGER, "of the board"),
        _TOTAL,
        Column("mean", decimal(6), "least mean number of shots"),
        Column("best_greedy_total_height", INTEGER, "total height of the best greedy strategy"),
        Column("greedy_loss", INTEGER, "how much more that is than the optimum"),
        Column("value", EXACT, "shots against the best hider, where few hidings differ"),
        _CONFIRMED,
    ),
    "boards",
    3,
)
HEXAGONAL_GAMES = Table(
    "hexagonal_games",
    "Players on random boards of both halves of the hexagonal game of 2008",
    (
        Column("half", TEXT, "upper or lower"),
        _CELLS,
        _CONFIGURATIONS,
        Column("strategy", TEXT, "the player"),
        Column("games", INTEGER, "boards played, the first ones of the seed"),
        Column("mean", decimal(4), "mean shots"),
        Column("standard_error", decimal(4), "standard error of the mean"),
        Column("sd", decimal(4), "standard deviation of the shots"),
        Column("median", decimal(1), "median of the shots"),
        Column("worst", INTEGER, "most shots of a game"),
    ),
    "hexagonal_games",
    20,
)

_PLAYED = (
    Column("strategy", TEXT, "the player"),
    Column("games", INTEGER, "boards played, the first ones of the seed"),
    Column("mean", decimal(4), "mean shots"),
    Column("standard_error", decimal(4), "standard error of the mean"),
    Column("sd", decimal(4), "standard deviation of the shots"),
    Column("worst", INTEGER, "most shots of a game"),
)
FALSE_REPLIES = Table(
    "false_replies",
    "Players whose replies are false now and then",
    (
        Column("game", GAME, "the game"),
        Column("percent", INTEGER, "of replies that are false, at water and at ships alike"),
        *_PLAYED,
    ),
    "replies",
    40,
)
SALVOS = Table(
    "salvos",
    "What it costs to shoot several cells before their replies are heard",
    (
        Column("game", GAME, "the game"),
        Column("salvo", INTEGER, "cells chosen together"),
        *_PLAYED,
        Column("salvos", decimal(4), "mean number of salvos"),
        Column("more", decimal(4), "shots more than one by one, on the same boards, on average"),
        Column("more_error", decimal(4), "standard error of that"),
    ),
    "replies",
    40,
)

# When all this was computed last

RECOMPUTED = Table(
    "recomputed",
    "When tables were last recomputed from nothing, and whether they came out the same",
    (
        Column("table", TEXT, "the file, below data/results"),
        Column("command", TEXT, "what made it"),
        Column("date", TEXT, "the day, UTC"),
        Column("commit", TEXT, "the commit of the code"),
        Column("digest", TEXT, "of the committed values that it was compared with"),
        Column("seconds", INTEGER, "wall time of the command", measured=True),
        Column("same", YES_NO, "whether all values are those committed, times left out"),
        Column("differs", TEXT, "the first difference"),
    ),
    "golden",
    0.5,
)

TABLES = tuple(value for value in list(globals().values()) if isinstance(value, Table))
"""All of them, in the order of their questions."""
TREES = tuple(value for value in list(globals().values()) if isinstance(value, Tree))
CONFIRMING = (RECOMPUTED, LOWER_BOUNDS_CHECK)
"""Those whose rows have a table and the digest of its values, as they were computed again."""

SIMULATION = Table(
    "simulation",
    "Shots of players on the same hidden boards of {game}",
    SIMULATION_COLUMNS,
    "",
    0,
)
"""What `optsearch simulate -o` writes; no experiment makes it."""
