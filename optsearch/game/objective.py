"""Objectives of a strategy: the mean, the worst case, or games finished in time.

Text: `mean`, `worst` or `within=K`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from optsearch.support.errors import OptsearchError

FORMS = "mean, worst or within=K (K shots from here)"


@dataclass(frozen=True)
class Objective:
    """One of three aims; every strategy is measured from the position on.

    kind -- `mean`: the least total number of shots over all configurations, as in Audinot, Bonnet
        and Viennot (2014). `worst`: the fewest shots that always suffice, and among the strategies
        that never need more the least total. `within`: the most configurations finished within
        `shots` shots.
    shots -- the K of `within=K`, counted from the position; None for the others.
    """

    kind: str = "mean"
    shots: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in ("mean", "worst", "within") or (self.kind == "within") != (
            self.shots is not None
        ):
            raise OptsearchError(f"{str(self)!r} is not an objective; use {FORMS}")

    @classmethod
    def of(cls, objective: Objective | str) -> Objective:
        """Return an objective itself, or that of a text."""
        return objective if isinstance(objective, Objective) else cls.parse(str(objective))

    @classmethod
    def parse(cls, text: str) -> Objective:
        """Return the objective that a text names; OptsearchError for another text."""
        match = re.fullmatch(r"(mean|worst)|within=(\d{1,4})", text.strip(), re.ASCII)
        if match is None:
            raise OptsearchError(f"{text!r} is not an objective; use {FORMS}")
        return cls(match[1]) if match[1] else cls("within", int(match[2]))

    def __str__(self) -> str:
        return self.kind if self.shots is None else f"{self.kind}={self.shots}"


MEAN = Objective()
