"""What an evaluation gives: the histogram of the shots; and how far a running one is."""

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
    """The histogram of the shots that a strategy takes.

    position -- where it begins. histogram -- shots from there on -> configurations that take so
    many, ascending. prior -- the weights of the
    configurations, if they have any; then all numbers are sums of weights. seconds -- wall time,
    with that of the runs before this one up to the last task that their checkpoint has; tasks --
    how many there were, and resumed -- how many of them it had.
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
        """The game of the position."""
        return self.position.game

    @cached_property
    def configurations(self) -> int:
        """How many configurations there are."""
        return sum(self.histogram.values())

    @cached_property
    def total_height(self) -> int:
        """The total number of shots, summed over all configurations."""
        return sum(shots * n for shots, n in self.histogram.items())

    @property
    def mean(self) -> Fraction:
        """The mean number of shots: an upper bound on the optimum."""
        return Fraction(self.total_height, self.configurations)

    @property
    def variance(self) -> Fraction:
        """The variance of the number of shots over the configurations."""
        squares = sum(shots * shots * n for shots, n in self.histogram.items())
        return Fraction(squares, self.configurations) - self.mean**2

    @property
    def sd(self) -> float:
        """The standard deviation."""
        return sqrt(self.variance)

    @property
    def worst(self) -> int:
        """The most shots that a configuration takes."""
        return max(self.histogram)

    def to_dicts(self) -> list[dict[str, int]]:
        """A row for each number of shots, with how many `configurations` take them."""
        return [{"shots": shots, "configurations": n} for shots, n in self.histogram.items()]

    def __repr__(self) -> str:
        return (
            f"<Evaluation of {self.strategy} on {self.position.title}: mean "
            f"{float(self.mean):.6f}, worst {self.worst}>"
        )

    def _repr_html_(self) -> str:
        """The figures, and the histogram as bars."""
        rows = [
            ("strategy", self.strategy),
            ("configurations", f"{self.configurations:,}"),
            ("mean shots", f"{self.total_height}/{self.configurations} = {float(self.mean):.6f}"),
            ("sd", f"{self.sd:.4f}"),
            ("worst case", f"{self.worst} shots"),
        ]
        drawn = notebook.bars(self.histogram)
        return notebook.titled(self.position.title, notebook.facts(rows), drawn)


@dataclass(frozen=True, kw_only=True)
class EvaluationStatus(Status):
    """How far a running evaluation is, in configurations of finished tasks.

    shots -- of those; weight -- their number, or what they weigh by a prior.
    """

    shots: int
    weight: int

    @property
    def mean(self) -> float:
        """The mean of what is done; tasks are not finished in a random order."""
        return self.shots / self.weight if self.weight else 0.0
