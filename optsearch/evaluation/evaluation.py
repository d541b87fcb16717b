"""The result of an evaluation, with the histogram of shots, and its progress."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import sqrt

from optsearch.counting.prior import Prior
from optsearch.game import Game, notebook
from optsearch.game.position import Position
from optsearch.support.progress import Status


@dataclass(frozen=True)
class Evaluation:
    """How many shots a strategy takes from a position, over all of its configurations.

    histogram -- by number of shots from the position on, ascending, how many configurations take as
    many. prior -- the weights of the configurations, if any; then all numbers of configurations are
    sums of weights. seconds -- wall time, with that of earlier runs up to the last task in their
    checkpoint. tasks -- how many tasks there were. resumed -- how many of them the checkpoint had.
    """

    strategy: str
    position: Position
    histogram: dict[int, int]
    seconds: float = field(compare=False)
    tasks: int = field(compare=False)
    resumed: int = field(compare=False)
    prior: Prior | None = None

    @property
    def game(self) -> Game:
        """Return the game of the position."""
        return self.position.game

    @cached_property
    def configurations(self) -> int:
        """Return the number of all configurations, or with a prior their weight."""
        return sum(self.histogram.values())

    @cached_property
    def total_height(self) -> int:
        """Return the total number of shots over all configurations."""
        return sum(shots * count for shots, count in self.histogram.items())

    @property
    def mean(self) -> Fraction:
        """Return the mean number of shots, an upper bound on the optimum."""
        return Fraction(self.total_height, self.configurations)

    @property
    def variance(self) -> Fraction:
        """Return the variance of the number of shots over the configurations."""
        squares = sum(shots * shots * count for shots, count in self.histogram.items())
        return Fraction(squares, self.configurations) - self.mean**2

    @property
    def sd(self) -> float:
        """Return the standard deviation of the number of shots."""
        return sqrt(self.variance)

    @property
    def worst(self) -> int:
        """Return the most shots that a configuration takes."""
        return max(self.histogram)

    def finished_within(self, shots: int) -> int:
        """Return the number of configurations, or their weight, that take at most these shots."""
        return sum(count for shots_taken, count in self.histogram.items() if shots_taken <= shots)

    def to_dicts(self) -> list[dict[str, int]]:
        """Return a dict per number of `shots`: how many `configurations` take so many."""
        return [
            {"shots": shots, "configurations": count} for shots, count in self.histogram.items()
        ]

    def __repr__(self) -> str:
        return (
            f"<Evaluation of {self.strategy} on {self.position.title}: mean "
            f"{float(self.mean):.6f}, worst {self.worst}>"
        )

    def _repr_html_(self) -> str:
        """Return a table of the figures and the histogram as bars, as HTML."""
        rows = [
            ("strategy", self.strategy),
            ("configurations", f"{self.configurations:,}"),
            ("mean shots", f"{self.total_height}/{self.configurations} = {float(self.mean):.6f}"),
            ("sd", f"{self.sd:.4f}"),
            ("worst case", f"{self.worst} shots"),
        ]
        histogram_picture = notebook.histogram_svg(self.histogram)
        return notebook.with_title(
            self.position.title, notebook.pairs_table(rows), histogram_picture
        )


@dataclass(frozen=True, kw_only=True)
class EvaluationStatus(Status):
    """The progress of an evaluation, in configurations of finished tasks.

    shots -- the total of these configurations. weight -- their number, or weight by a prior.
    """

    shots: int
    weight: int

    @property
    def mean(self) -> float:
        """Return the mean shots over the finished tasks, or 0 before the first.

        It does not estimate the final mean: tasks do not finish in random order.
        """
        return self.shots / self.weight if self.weight else 0.0
