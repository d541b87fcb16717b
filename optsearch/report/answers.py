"""The questions that people have, answered from the tables of results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

from optsearch import tree
from optsearch.game.names import in_words
from optsearch.report.axes import Axis, linear, logarithmic, time_in_words
from optsearch.report.bracket import ends
from optsearch.results.tables import (
    BRACKET,
    COUNTEREXAMPLE_GREEDY,
    COUNTEREXAMPLE_OPTIMAL,
    COUNTEREXAMPLES,
    EVALUATION,
    GREEDY_LOSS,
    LEADERBOARD,
    OPTIMA,
    SIMULATION_COLUMNS,
    TABLES,
    THOMPSON,
    Entries,
    Table,
)
from optsearch.support.decimals import brief, exact_mean

EVALUATED = (
    "Cost: the time that its evaluation took on two cores, divided by the configurations, which "
    "share the shots of their tree."
)
PLAYED = (
    "Cost: processor time of a game that is played alone, a move's time on one core times the mean "
    "shots; of those played on every configuration it is in the table above."
)


@dataclass(frozen=True)
class Player:
    """A line of a comparison: a strategy in words, its shots, and what a configuration costs.

    mean -- of its shots, at -- the same as a number; cost -- seconds, None where it is not known.
    """

    name: str
    mean: str
    at: float
    sd: str
    worst: int
    cost: float | None = None

    @property
    def cost_text(self) -> str:
        """Its cost with two digits, in seconds, milliseconds or microseconds."""
        return "" if self.cost is None else time_in_words(self.cost)


@dataclass(frozen=True)
class Comparison:
    """Strategies on the same games, the best first.

    title -- which games; cost -- what the costs of the players are, empty where none is known.
    """

    title: str
    players: list[Player]
    cost: str = ""

    @property
    def shots(self) -> Axis:
        """The axis of means and of worst cases."""
        return linear([one.at for one in self.players] + [one.worst for one in self.players])

    @property
    def costs(self) -> Axis | None:
        """The axis of costs."""
        known = [one.cost for one in self.players if one.cost]
        return logarithmic(known) if known else None


@dataclass(frozen=True)
class Answer:
    """A question, its answer in a few words, and then in sentences.

    see -- names of figures and files of tables that show it. walk -- whether the walk through the
    paper's counterexample belongs to it.
    """

    question: str
    headline: str
    sentences: list[str]
    see: list[str]
    comparisons: list[Comparison]
    walk: bool = False


def answers(results: Path) -> Iterator[Answer]:
    """Each question whose tables are there."""
    for find in (_how_good, _greedy, _where_it_fails, _people):
        found = find(results)
        if found is not None:
            yield found


def _read(table: Table, results: Path) -> Entries | None:
    path = table.path(results)
    return table.read(path) if path.is_file() else None


def percent(value: float) -> str:
    """A part of a hundred, to two decimals."""
    return f"{value:.2f} percent"


# How good can one be?


def _how_good(results: Path) -> Answer | None:
    table = _read(BRACKET, results)
    if table is None:
        return None
    lower, upper = ends(table)
    best = next(row for row in table if row["side"] == "upper" and row["value_exact"] == upper)
    sentences = [
        f"The least mean number of shots of {table.header['game']} is at least "
        f"{brief(lower, 'lower')}, whatever the strategy, and at most {brief(upper, 'upper')}: "
        f"that is what {in_words(best['name'])} takes, on all configurations.",
    ]
    see = ["bracket", BRACKET.file]
    optima = _read(OPTIMA, results)
    if optima is not None and len(optima):
        largest = max(optima, key=lambda row: row["configurations"])
        exact = f"{largest['total_height']}/{largest['configurations']}"
        sentences.append(
            f"On smaller boards the optimum is known exactly, for {len(optima)} games; that with "
            f"the most configurations is {largest['game']}, with {exact} ≈ {largest['mean']:.4f} "
            "shots."
        )
        see += ["optima", OPTIMA.file]
    return Answer(
        "How good can one be?",
        f"Between {brief(lower, 'lower')} and {brief(upper, 'upper')} shots on average",
        sentences,
        see,
        [],
    )


# How good is greedy?


def _greedy(results: Path) -> Answer | None:
    path = EVALUATION.path(results, name="greedy")
    bracket = _read(BRACKET, results)
    if not path.is_file() or bracket is None:
        return None
    table = EVALUATION.read(path)
    mean = _mean(_counts(table))
    lower, _ = ends(bracket)
    sentences = [
        f"Shooting at a most probable cell takes {exact_mean(mean)} shots of "
        f"{table.header['game']} on average, {max(table.column('shots'))} at worst. No "
        f"strategy saves more than {percent(100 * float(1 - lower / mean))} of that.",
    ]
    loss = _read(GREEDY_LOSS, results)
    if loss is not None:
        known = [row for row in loss if row["percent_best"] is not None]
        optimal = sum(row["percent_best"] == 0 for row in known)
        worst = max(row["percent_best"] for row in known)
        ties = max(row["percent_worst"] or 0 for row in known)
        sentences.append(
            f"Where the optimum is known, some greedy strategy is optimal in {optimal} of "
            f"{len(known)} games; the best one loses {percent(worst)} at most, and one that breaks "
            f"ties badly up to {percent(ties)}."
        )
    return Answer(
        "How good is greedy shooting?",
        f"{exact_mean(mean)} shots on average, near the best that is known",
        sentences,
        ["greedy_games", "greedy_loss", GREEDY_LOSS.file],
        [],
    )


# Where does it fail?


def _where_it_fails(results: Path) -> Answer | None:
    table = _read(COUNTEREXAMPLES, results)
    if table is None:
        return None
    rows = [row for row in table if row["result"] == "counterexample"]
    if not rows:
        return None
    fewest = min(rows, key=lambda row: (row["configurations"], row["cells"], row["shots"]))
    cells = min(rows, key=lambda row: (row["cells"], row["configurations"], row["shots"]))
    searched = [value for key, value in table.header.items() if value.startswith("searched ")]
    return Answer(
        "Where does greedy fail?",
        f"In {len(rows)} positions of small games it cannot be optimal, however ties are broken",
        [
            f"With the fewest configurations: {_described(fewest)}.",
            *([] if cells == fewest else [f"With the fewest cells: {_described(cells)}."]),
            *_of_the_paper(results),
            "These are all within what was searched: "
            + "; ".join(text.removeprefix("searched ").partition("; ")[0] for text in searched)
            + ".",
        ],
        ["figure6", "figure7", "figure8", COUNTEREXAMPLES.file],
        [],
        walk=True,
    )


def _of_the_paper(results: Path) -> Iterator[str]:
    """The counterexample of Figure 6, from its two trees."""
    paths = [made.path(results) for made in (COUNTEREXAMPLE_GREEDY, COUNTEREXAMPLE_OPTIMAL)]
    if all(path.is_file() for path in paths):
        greedy, optimal = map(tree.load, paths)
        number = greedy.configurations
        yield (
            f"The paper's: {greedy.position.title}, where the best greedy strategy takes "
            f"{greedy.total_height}/{number} shots and an optimal one "
            f"{optimal.total_height}/{number}."
        )


def _described(row: dict[str, object]) -> str:
    after = f" after {row['position']}" if row["position"] else ""
    number = row["configurations"]
    return (
        f"{row['game']}{after}, {number} configurations, where the best greedy strategy takes "
        f"{row['best_greedy_total_height']}/{number} shots and an optimal one "
        f"{row['total_height']}/{number}"
    )


# How do people's strategies compare?


def _counts(table: Entries) -> dict[int, int]:
    return dict(zip(table.column("shots"), table.column("configurations"), strict=True))


def _mean(counts: dict[int, int]) -> Fraction:
    return Fraction(sum(shots * n for shots, n in counts.items()), sum(counts.values()))


def _player(
    name: str,
    counts: dict[int, int],
    shown: Callable[[Fraction], str],
    cost: float | None,
) -> Player:
    mean = _mean(counts)
    variance = sum(n * (shots - mean) ** 2 for shots, n in counts.items()) / sum(counts.values())
    worst = max(shots for shots, n in counts.items() if n)
    return Player(in_words(name), shown(mean), float(mean), f"{sqrt(variance):.2f}", worst, cost)


def compared(title: str, found: list[tuple[str, dict[int, int]]]) -> Comparison:
    """Strategies by their mean."""
    players = [_player(*pair, lambda mean: f"{float(mean):.2f}", None) for pair in found]
    return Comparison(title, sorted(players, key=lambda player: player.at))


def evaluated(game: str, played: list[Entries]) -> Comparison:
    """Strategies on every configuration of a game, by their mean."""
    players = []
    for table in played:
        counts = _counts(table)
        cost = float(table.header["seconds"]) / sum(counts.values())
        players.append(_player(table.header["strategy"], counts, exact_mean, cost))
    players.sort(key=lambda player: player.at)
    return Comparison(f"{game}, on every configuration", players, EVALUATED)


def _people(results: Path) -> Answer | None:
    found: dict[str, list[Entries]] = {}
    for path in EVALUATION.all(results):
        table = EVALUATION.read(path)
        found.setdefault(table.header["game"], []).append(table)
    if not found:
        return None
    exact = [
        evaluated(game, played)
        for game, played in sorted(found.items(), key=lambda pair: -len(pair[1]))
    ]
    comparisons = [*exact, *_simulated(results)]
    first, last = exact[0].players[0], exact[0].players[-1]
    return Answer(
        "How do people’s strategies compare?",
        f"From {first.mean} shots on average to {last.mean}",
        [
            f"Of the strategies that were played on every configuration, {first.name} is the best "
            f"and {last.name} the worst. What is simulated below has other boards, and is to be "
            "compared with its like alone.",
        ],
        ["leaderboard", LEADERBOARD.file, "figure11", "thompson", "heuristics", "bracket"],
        comparisons,
    )


def _simulated(results: Path) -> Iterator[Comparison]:
    """Every table of simulated games, of which a new one is compared without further work."""
    yield from _leaderboard(results)
    yield from _thompson(results)
    for kind in TABLES:
        if kind.columns == SIMULATION_COLUMNS:
            for path in kind.all(results):
                yield _games(kind.read(path))


def _games(table: Entries) -> Comparison:
    counts: dict[str, dict[int, int]] = {}
    for row in table:
        counts.setdefault(row["strategy"], {})[row["shots"]] = row["games"]
    plain = _PLAIN.intersection(counts) or set(counts)
    title = table.header["title"].removeprefix("Shots of ")
    title = title[:1].upper() + title[1:]
    return compared(
        f"{title}, {table.header.get('games', '?')} games each",
        [(name, counts[name]) for name in counts if name in plain],
    )


def _leaderboard(results: Path) -> Iterator[Comparison]:
    """The players of the leaderboard, a comparison a game; ± is the standard error."""
    table = _read(LEADERBOARD, results)
    for game in dict.fromkeys(table.column("game") if table else ()):
        rows = sorted((row for row in table or () if row["game"] == game), key=lambda r: r["mean"])
        players = [
            Player(
                in_words(row["strategy"]),
                _with_error(row),
                row["mean"],
                f"{row['sd']:.2f}",
                row["worst"],
                row["milliseconds"] and row["milliseconds"] * row["mean"] / 1000,
            )
            for row in rows
        ]
        yield Comparison(f"Leaderboard, {game}", players, PLAYED)


def _with_error(row: dict[str, Any]) -> str:
    error = row["standard_error"]
    return f"{row['mean']:.2f} ± {error:.2f}" if error else f"{row['mean']:.4f}"


def _thompson(results: Path) -> Iterator[Comparison]:
    """Players on the same boards, a column each; the header has their names."""
    table = _read(THOMPSON, results)
    if table is not None:
        players = [
            (table.header[column].partition(", ")[0], dict(Counter(table.column(column))))
            for column in table.table.names[1:]
        ]
        title = f"{table.header['game']}, the same {len(table):,} boards at random"
        yield compared(title, players)


_PLAIN = {
    f"heuristic:version={version},factor=3,edges=printed,stuck=draw,memory=last"
    for version in range(1, 6)
}
