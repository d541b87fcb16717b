"""Objectives of a strategy: the mean, the worst case, or games finished in time.

Text: `mean`, `worst`, `worst+mean` or `within=K`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from optsearch.support.errors import OptsearchError

FORMS = "mean, worst, worst+mean or within=K (K shots from here)"


@dataclass(frozen=True)
class Objective:
    """What the best strategy is best at; shots are counted from the position of the question.

    kind -- one of three. `mean`: the least total number of shots over all configurations, as in
        Audinot, Bonnet and Viennot (2014). `worst`: the fewest shots that always suffice; among the
        strategies that need no more, the least total. `within`: the most configurations finished
        within `shots` shots.
    shots -- the K of `within=K`; None for the other kinds.
    then_mean -- True for `worst+mean`: search for the least total even if the time is limited.
    """

    kind: str = "mean"
    shots: int | None = None
    then_mean: bool = False

    def __post_init__(self) -> None:
        is_known = self.kind in ("mean", "worst", "within")
        fits_shots = (self.shots is not None) == (self.kind == "within")
        fits_then_mean = self.kind == "worst" or not self.then_mean
        if not (is_known and fits_shots and fits_then_mean):
            raise OptsearchError(f"{str(self)!r} is not an objective; use {FORMS}")

    @classmethod
    def of(cls, objective: Objective | str) -> Objective:
        """Return an objective itself, or the objective that a text names."""
        return objective if isinstance(objective, Objective) else cls.parse(str(objective))

    @classmethod
    def parse(cls, text: str) -> Objective:
        """Return the objective that a text names; OptsearchError for another text."""
        match = re.fullmatch(r"mean|worst(\+mean)?|within=(\d{1,4})", text.strip(), re.ASCII)
        if match is None:
            raise OptsearchError(f"{text!r} is not an objective; use {FORMS}")
        if match[2]:
            return cls("within", int(match[2]))
        return cls(text.strip().removesuffix("+mean"), then_mean=match[1] is not None)

    def __str__(self) -> str:
        if self.shots is not None:
            return f"{self.kind}={self.shots}"
        return f"{self.kind}+mean" if self.then_mean else self.kind


MEAN = Objective()
