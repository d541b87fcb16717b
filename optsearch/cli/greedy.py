"""The command greedy: what greedy strategies cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from optsearch import tree as tree_
from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import (
    align_columns,
    cell_names,
    configurations_text,
    count_text,
    mean_fields,
    read_position_and_prior,
    require_digest,
)
from optsearch.cli.console import Interrupted
from optsearch.cli.options import ANY, Form, Option, PosteriorOptions
from optsearch.cli.progress import show_search_progress
from optsearch.counting.prior import Prior
from optsearch.game import Cell
from optsearch.game.orders import orders_on
from optsearch.game.position import Position
from optsearch.search.greedy import RULES, Divergence, GreedyComparison, GreedySolver
from optsearch.support.decimals import decimal, mean_bracket_text
from optsearch.support.errors import OptsearchError
from optsearch.support.progress import Limit, LimitReached, Progress
from optsearch.tree import DecisionTree
from optsearch.tree.solution import SearchStatus

MOST_SHOWN = 10  # partings, for people
SECONDS_FOR_WORST = 60  # for the worst greedy strategy, which takes long where ties are many
COLUMN_HEADS = ("", "total height", "mean", "more", "worst case")


@app.command(
    example="optsearch greedy 4x5:4,3,2",
    seconds=2,
    next_step="optsearch counterexamples --max-cells 12  # where greedy is not optimal",
    fields="game position (prior prior_digest) configurations total_height mean lower upper "
    "best_greedy_total_height worst_greedy_total_height greedy_shots best_shots rules "
    "partings",
    tree=Option(
        "Write the best greedy tree to this file: of several, one that agrees with an optimal tree "
        "as long as possible.",
        writes=ANY,
    ),
)
def greedy(
    start: PosteriorOptions,
    tree: Path | None = None,
    time_limit: float | None = None,
    form: Form = Form.TEXT,
) -> None:
    """The cost of always shooting a most probable cell.

    Also where greedy leaves the optimum.
    """
    position, prior = read_position_and_prior(start)
    require_digest(prior, tree)
    with show_search_progress(str(position.game)) as progress:
        computed, is_interrupted = GreedyTotals(), False
        try:
            computed.search(position, prior, time_limit, progress)
        except KeyboardInterrupt:
            if not computed.totals:
                raise
            is_interrupted = True
        except LimitReached:
            if not computed.totals:
                raise OptsearchError(
                    f"no greedy strategy of {position.game} was evaluated in --time-limit "
                    f"{time_limit:g} seconds; give more time"
                ) from None
    computed.answer(position, prior).print(form)
    if is_interrupted:
        raise Interrupted
    if tree is not None:
        if "best" not in computed.trees:
            raise OptsearchError(
                f"--tree {str(tree)!r}: the best greedy tree was not known after --time-limit "
                f"{time_limit:g} seconds"
            )
        chosen = computed.trees["best"]
        if computed.comparison is not None:  # its greedy tree agrees longest with an optimal one
            chosen = computed.comparison.greedy
        tree_.save(replace(chosen, title="best greedy"), tree)


class GreedyTotals:
    """The total heights of greedy strategies and the optimum, as far as they are computed.

    totals -- by rule, which says how greedy chooses among the most probable cells. trees -- by
    rule, if the tree has been made. lower -- a lower bound on the total height of every strategy.
    optimum, comparison, best_shots and greedy_shots are None until they are known.
    """

    def __init__(self) -> None:
        self.configurations = self.lower = 0
        self.totals: dict[str, int] = {}
        self.trees: dict[str, DecisionTree] = {}
        self.optimum: int | None = None
        self.comparison: GreedyComparison | None = None
        self.best_shots: tuple[Cell, ...] | None = None
        self.greedy_shots: tuple[Cell, ...] | None = None

    def search(
        self,
        position: Position,
        prior: Prior | None,
        time_limit: float | None,
        progress: Progress[SearchStatus],
    ) -> None:
        """Compute what greedy costs by each rule for ties, and the optimum; quick ones come first.

        Raises LimitReached after `time_limit` seconds; what is computed by then stays. The worst
        greedy strategy is left out if it takes more than a minute.
        """
        limited_progress = Limit(time_limit).watch(progress)  # raises LimitReached
        solver = GreedySolver(position, progress=limited_progress, prior=prior)
        self.configurations, self.greedy_shots = solver.configurations, solver.greedy_shots
        self.lower = solver.lower_bound()
        self.totals["first"] = solver.total_height("first")
        self.best_shots = solver.best_shots
        self.optimum = solver.optimum()
        self.totals["best"] = solver.total_height("best")
        self.comparison = solver.compare()
        for name in ("best", *orders_on(position.game), "remainder"):
            self._add_tree(name, solver)
        limit_of_worst = Limit(SECONDS_FOR_WORST)
        progress_of_worst = limit_of_worst.watch(limited_progress)
        try:
            self._add_tree("worst", GreedySolver(position, progress=progress_of_worst, prior=prior))
        except LimitReached as reached:
            if reached.limit is not limit_of_worst:
                raise

    def _add_tree(self, rule: str, solver: GreedySolver) -> None:
        self.trees[rule] = solver.tree(rule)
        self.totals[rule] = self.trees[rule].total_height

    def answer(self, position: Position, prior: Prior | None) -> Answer:
        """Return the answer about all that is computed."""
        configurations, optimum = self.configurations, self.optimum
        upper = min(self.totals.values()) if optimum is None else optimum
        answer = Answer.about(
            position,
            prior,
            configurations=configurations,
            total_height=optimum,
            **mean_fields(optimum, configurations),
            best_greedy_total_height=self.totals.get("best"),
            worst_greedy_total_height=self.totals.get("worst"),
        )
        if optimum is None:
            answer.add_fact("optimum", mean_bracket_text(self.lower, upper, configurations))
        answer.add(lower=self.lower if optimum is None else optimum, upper=upper)
        for label, cells in (("greedy shots", self.greedy_shots), ("best shots", self.best_shots)):
            shot_names, shots_text = None, "not known yet"
            if cells is not None:
                shot_names = cell_names(cells)
                shots_text = " ".join(shot_names) or "none: every ship is sunk"
            answer.add_fact(label, shots_text, **{label.replace(" ", "_"): shot_names})
        known_rules = [name for name in RULES if name in self.totals]
        fields_by_rule = {name: self._rule_fields(name) for name in known_rules}
        table_rows = [COLUMN_HEADS, *self._optimal_rows(), *map(self._rule_row, known_rules)]
        answer.add("", align_columns(table_rows, is_right_aligned=True), "", rules=fields_by_rule)
        answer.set_rows({"rule": name, **row} for name, row in fields_by_rule.items())
        if self.comparison is not None:
            add_divergences(answer, self.comparison.partings, prior)
        else:
            answer.add("The time was too short for the optimum.", partings=None)
        return answer

    def _optimal_rows(self) -> list[tuple[str, ...]]:
        """Return the row of the optimal tree for the table; no row if it is not known."""
        if self.comparison is None or self.optimum is None:
            return []
        mean = decimal(Fraction(self.optimum, self.configurations))
        return [("optimal", f"{self.optimum:,}", mean, "", f"{self.comparison.optimal.worst}")]

    def _rule_row(self, name: str) -> tuple[str, ...]:
        """Return the row of a rule for ties: name, all shots, mean, how many too many, worst."""
        total, tree, optimum = self.totals[name], self.trees.get(name), self.optimum
        extra = f"+{total - optimum:,}" if optimum is not None and total > optimum else ""
        mean = decimal(Fraction(total, self.configurations))
        return f"greedy, {name}", f"{total:,}", mean, extra, "" if tree is None else f"{tree.worst}"

    def _rule_fields(self, name: str) -> dict[str, Any]:
        """Return the fields of a JSON answer for the rule of this name."""
        total_height, tree = self.totals[name], self.trees.get(name)
        return {
            "total_height": total_height,
            **mean_fields(total_height, self.configurations),
            "worst": tree and tree.worst,
            "histogram": tree and {str(shots): count for shots, count in tree.histogram.items()},
        }


def add_divergences(answer: Answer, divergences: Sequence[Divergence], prior: Prior | None) -> None:
    """Add to an answer the positions where the best greedy tree shoots at no optimal cell.

    The text has only those with the fewest shots.
    """
    divergence_fields = [
        {
            "shots": " ".join(map(str, divergence.shots)),
            "configurations": divergence.configurations,
            "best_greedy_shots": cell_names(divergence.best_greedy_shots),
            "best_shots": cell_names(divergence.best_shots),
            "best_greedy_total_height": divergence.best_greedy_total_height,
            "total_height": divergence.total_height,
        }
        for divergence in divergences
    ]
    divergences_text = f"Best greedy leaves the optimum in {count_text(len(divergences), 'place')}:"
    answer.add(
        divergences_text if divergences else "Best greedy is optimal.", partings=divergence_fields
    )
    earliest = sorted(divergences, key=lambda divergence: len(divergence.shots))[:MOST_SHOWN]
    answer.add(*(divergence_text(divergence, prior) for divergence in earliest))
    if len(divergences) > MOST_SHOWN:
        answer.add(f"  and {len(divergences) - MOST_SHOWN:,} more with later shots; --json has all")


def divergence_text(divergence: Divergence, prior: Prior | None) -> str:
    """Return the costs of greedy and of the optimum at a position where they diverge."""
    shots = " ".join(map(str, divergence.shots)) or "at the first shot"
    configurations_left = configurations_text(divergence.configurations, prior)
    greedy_cells = " ".join(cell_names(divergence.best_greedy_shots))
    best_cells = " ".join(cell_names(divergence.best_shots))
    return (
        f"  {shots}: of {configurations_left}; greedy {greedy_cells} costs "
        f"{divergence.best_greedy_total_height:,}, "
        f"optimal {best_cells} {divergence.total_height:,}"
    )
