"""Levels of rollouts: rollouts of rollouts of rollouts, down to a few configurations.

The definition is that of `optsearch/strategies/nested.py`, with another way to choose where F has
`until` configurations or fewer. `Levels.shot` has it in plain Python, and the kernel
`optsearch.compiled._evaluate` does the same on columns of bits.

*Level* 0 is greedy, as in step 5. Level k is a policy. In `least` configurations or fewer it is
level k - 1. In more its candidates are those of step 3, at most `width`, and it shoots the one that
levels 0 to k - 1 choose. These choose so:

a. Each candidate costs one miss for each configuration without it, and what level 0 misses after
   it. The candidates are sorted by their costs, in the order that they had where they tie. Those
   that cost more than `drop` hundredths of a miss per configuration above the cheapest are dropped.
b. What is left is compared by levels 1, 2, … in turn in the same way. Those more than `close`
   hundredths above the cheapest are dropped, and all but the first `kept`.
c. The first one after the last level is shot.

Up to `until` configurations levels 0 to `depth` choose so among the candidates of step 3, in place
of steps 4 and 5: so `depth=1` is a rollout of rollouts, as `nested` has it, at every size. Nothing
is sampled there. Above, a shot is that of `nested`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from optsearch.compiled._walk import MAX_LEVELS
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.strategies.nested import Nested
from optsearch.strategies.player import number
from optsearch.strategies.rollout import open_cells
from optsearch.strategies.rules import GREEDY, LEVEL_RANGES, RANGES, Level, Rule


@dataclass(frozen=True)
class Levels(Nested):
    """As `nested`, and with few configurations left the cell from which `nested` does best."""

    name: ClassVar[str] = "levels"

    until: int = number(
        131072, *RANGES["until"], "configurations, and fewer, where levels compare the cells"
    )
    depth: int = number(1, 1, MAX_LEVELS, "how many levels there are above greedy")
    width: int = number(
        6, *LEVEL_RANGES["candidates"], "most probable cells that a level compares, at most"
    )
    least: int = number(
        12, *LEVEL_RANGES["floor"], "configurations, and fewer, where all levels are greedy"
    )
    drop: int = number(
        40,
        *LEVEL_RANGES["margin"],
        "hundredths of a miss per configuration by which greedy's cheapest cell may be better",
    )
    close: int = number(
        2, *LEVEL_RANGES["margin"], "the same of the cheapest cell of a level above greedy"
    )
    kept: int = number(
        6, *LEVEL_RANGES["kept"], "how many cells such a level leaves to the next, at most"
    )

    def rule(self, game: Game) -> Rule | None:
        """Its rule for the kernel; that of `rollout` where sinkings are announced."""
        nested = super().rule(game)
        if nested is None or not game.is_silent:
            return nested
        return replace(nested, until=self.until, levels=self.levels)

    @property
    def levels(self) -> tuple[Level, ...]:
        """The policies that compare the cells, greedy first."""
        greedy = Level(GREEDY.floor, GREEDY.candidates, self.drop, LEVEL_RANGES["kept"][1])
        return greedy, *(Level(self.least, self.width, self.close, self.kept),) * self.depth

    def _chosen(self, position: Position, sets: list[int], chosen: list[int]) -> int | None:
        if len(sets) > self.until:
            return None
        left = open_cells(sets)[1]
        return self._narrowed(sets, chosen, left, 0, position, self.levels)
