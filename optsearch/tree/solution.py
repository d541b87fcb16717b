"""The result of a solver, of any of the three methods, and its progress until then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from optsearch.counting.prior import Prior
from optsearch.game import Cell, cell_name, notebook
from optsearch.game.objective import MEAN, Objective
from optsearch.game.position import Position, legend
from optsearch.support import progress
from optsearch.support.errors import NotSupported
from optsearch.tree import DecisionTree


@dataclass(frozen=True)
class ShotValue:
    """The optimum of the strategies that shoot a cell first.

    lower, upper -- bounds on the least total height, this shot included. They are equal if it is
        known, and None for within=K.
    worst, finished -- as in `Solution`, and always exact.
    """

    cell: Cell
    lower: int | None
    upper: int | None
    worst: int | None = None
    finished: int | None = None

    @property
    def is_exact(self) -> bool:
        """True if the bounds meet."""
        return self.lower == self.upper


@dataclass(frozen=True)
class Solution:
    """The optimum of a position for one objective; shots are counted from the position on.

    total_height -- the least total number of shots over all configurations (mean), or the least
        among the strategies with the least worst case (worst); None for within=K.
    configurations -- their number.
    best_shots -- every cell of some ship that an optimal strategy can shoot first, in row-major
        order; none if all ships are sunk already.
    nodes -- the number of families (or states) searched, in workers too; without workers, the
        regression signature of the method.
    table_entries, table_bytes -- of the transposition table at the end; of this process alone.
    disk_entries, disk_bytes -- of the table on disk, if there is one; else 0.
    seconds -- wall time.
    objective -- the objective of the search.
    worst -- the fewest shots that always suffice; None unless the objective is worst, and if the
        search was cut short before it was known.
    finished -- the most configurations finished within K shots; None unless it is within=K.
    subsets -- the number of parts of families searched on machine words, not counted in `nodes`;
        of this process alone.
    is_exact -- False if the search was cut short. Then `best_shots` is empty, and `total_height`
        is None unless the bounds met already.
    lower, upper -- bounds on the least total height, equal if it is known; `upper` is the total of
        the tree. If a search for worst or within was cut short, bounds on its shots, or on the
        number finished; else None, as for other methods.
    shot_values -- the optimum after each first shot, for every cell not shot yet in row-major
        order, a cell without a ship too; empty unless requested.
    prior -- the weights of the configurations; then `configurations`, heights and `finished` are
        sums of weights.
    """

    position: Position
    method: str
    total_height: int | None
    configurations: int
    best_shots: tuple[Cell, ...] = ()
    nodes: int = 0
    table_entries: int = 0
    table_bytes: int = 0
    seconds: float = 0.0
    objective: Objective = MEAN
    worst: int | None = None
    finished: int | None = None
    subsets: int = 0
    is_exact: bool = True
    lower: int | None = None
    upper: int | None = None
    shot_values: tuple[ShotValue, ...] = ()
    prior: Prior | None = None
    disk_entries: int = 0
    disk_bytes: int = 0
    _tree: Callable[[], DecisionTree] | None = field(default=None, repr=False, compare=False)
    _greedy: Callable[[], tuple[tuple[Cell, ...], int]] | None = field(
        default=None, repr=False, compare=False
    )

    def __getstate__(self) -> dict[str, object]:
        """Return the fields to pickle, without the functions that search for more."""
        return {**vars(self), "_tree": None, "_greedy": None}

    @property
    def is_complete(self) -> bool:
        """True if the optimum and the value of every requested first shot are known."""
        return self.is_exact and all(value.is_exact for value in self.shot_values)

    @property
    def value_text(self) -> str:
        """The value or its bracket, in a few words."""
        configurations, lower, upper = self.configurations, self.lower, self.upper
        if self.finished is not None:
            return f"{self.finished} of {configurations} within {self.objective.shots} shots"
        if self.total_height is not None:
            worst = "" if self.worst is None else f"worst case {self.worst}, "
            return f"{worst}mean {self.mean_text} = {float(self.mean):.6f}"
        # The search was cut short.
        if self.objective.kind == "within":
            return f"{lower} to {upper} of {configurations} within {self.objective.shots} shots"
        if self.worst is not None:
            return f"worst case {self.worst}, proved"
        if self.objective.kind == "worst":
            return f"worst case between {lower} and {upper} shots"
        return f"mean between {lower}/{configurations} and {upper}/{configurations}"

    def __repr__(self) -> str:
        return f"<Solution of {self.position.title}: {self.value_text}>"

    def _repr_html_(self) -> str:
        """Return HTML of the value, and of the board with every best first shot marked."""
        rows = [
            ("objective", str(self.objective)),
            ("optimum" if self.is_exact else "so far", self.value_text),
            ("best shots", " ".join(map(cell_name, self.best_shots)) or "none"),
        ]
        game, shades = self.position.game, dict.fromkeys(self.best_shots, 0.6)
        return notebook.with_title(
            self.position.title,
            notebook.pairs_table(rows),
            notebook.board_html(game.board, self.position.signs, shades),
            legend(game, in_figures=True) if self.position.shots else "",
        )

    @property
    def mean(self) -> Fraction:
        """The mean number of shots, φ if the objective is the mean.

        Raises NotSupported for within=K, and if the search was cut short before it was known.
        """
        return Fraction(self._require_total(), self.configurations)

    @property
    def mean_text(self) -> str:
        """The mean unreduced, as the paper prints it: total height / configurations."""
        return f"{self._require_total()}/{self.configurations}"

    def _require_total(self) -> int:
        """Return the total height, the least sum of shots; NotSupported if it is not known."""
        if self.total_height is not None:
            return self.total_height
        if self.objective.kind == "within":
            raise NotSupported(
                f"the optimum for {self.objective} has no mean; it counts the configurations that "
                "are finished in time"
            )
        if self.worst is not None:
            raise NotSupported("the least mean was not searched to its end")
        raise NotSupported(f"the optimum is not known: between {self.lower} and {self.upper}")

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a row for each first shot, as `optsearch solve --all-shots --format csv` prints.

        Raises NotSupported unless `solve` was called with `all_shots=True`.
        """
        if not self.shot_values:
            raise NotSupported("first shots have no values here; call solve with all_shots=True")
        return list(map(self._shot_fields, self.shot_values))

    def _shot_fields(self, value: ShotValue) -> dict[str, Any]:
        """Return the optimum after a first shot, or its bounds, as the fields of a JSON object."""
        fields: dict[str, Any] = {"shot": cell_name(value.cell)}
        if value.finished is not None:
            return {**fields, "finished": value.finished}
        total = value.lower if value.is_exact else None
        fields |= {
            "total_height": total,
            "mean": None if total is None else total / self.configurations,
            "mean_exact": None if total is None else f"{total}/{self.configurations}",
        }
        if value.worst is not None:
            return {**fields, "worst": value.worst}
        return {**fields, "lower": value.lower, "upper": value.upper}

    def tree(self) -> DecisionTree:
        """Return an optimal decision tree, the same on every run.

        Raises NotSupported if the solution has none, GameError if its fleet is not known.
        """
        if self._tree is not None:
            return self._tree()
        self.position.game.require_known_fleet()
        if self.method == "solver":
            raise NotSupported("a solution that was pickled has no tree; solve again")
        raise NotSupported(f"the method {self.method!r} gives no tree; use method 'solver'")

    def greedy(self) -> tuple[tuple[Cell, ...], int]:
        """Return the cells that greedy chooses from first, and what they cost at best.

        The cost is the least total number of shots of a strategy that begins with one of these
        cells. If replies are only hit and miss, certain hits are left out, so that maybe no cell
        remains.

        Raises NotSupported unless this is an exact optimum of the mean by the method `solver`.
        """
        if self._greedy is None:
            raise NotSupported(
                "the cost of greedy shots is known only after an exact optimum of the mean"
            )
        return self._greedy()


@dataclass(frozen=True)
class SearchStatus(progress.Status):
    """The progress of a running solver: `done` of `total`, in first shots or in states.

    The total of states is an estimate.

    nodes -- the number searched so far. best -- the least total height of a complete strategy so
    far. lower -- a total height that no strategy is below. worst -- the least worst case, once it
    is known. weight -- the total weight of the configurations, by which heights are divided for
    means. effort -- nodes, and subsets converted to nodes.
    """

    nodes: int
    best: int | None = None
    lower: int | None = None
    worst: int | None = None
    weight: int = 1
