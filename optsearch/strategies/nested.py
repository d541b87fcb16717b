"""Rollouts of a rollout policy: where many configurations are left, they guide better than greedy.

The definition is that of `optsearch/strategies/rollout.py`, with one step more. `Nested.shot` has
it in plain Python, and the kernel `optsearch.compiled._evaluate` does the same on columns of bits.

5b. Where F has more than `above` configurations, step 5 costs the candidates by what the *inner
   policy* misses after each, in place of greedy, on the sample S of at most `second`. The inner
   policy knows the parts of S alone, with the estimates of step 5. In a part of `floor`
   configurations of S or fewer it is greedy, as in step 5. In a larger one its candidates are those
   of step 3, at most `inner`; each costs what greedy misses after it in the part, and the cheapest
   is shot, the first in the order of step 3.

So above `above` a shot is the first of a rollout of rollouts, and below it of a rollout of greedy.
Where sinkings are announced it is the strategy `rollout` with the same parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from optsearch.compiled._walk import UNIT
from optsearch.game import Game
from optsearch.game.position import HIT, MISS, Position
from optsearch.strategies.player import number, require_range
from optsearch.strategies.rollout import Rollout, Sampled, estimate, open_cells
from optsearch.strategies.rules import GREEDY, LEVEL_RANGES, RANGES, Level, Rule


@dataclass(frozen=True)
class Nested(Rollout):
    """Of the most probable cells, the one after which the strategy `rollout` needs fewest shots."""

    name: ClassVar[str] = "nested"

    candidates: int = number(
        6, 2, RANGES["candidates"][1], "most probable cells that are compared, at most"
    )
    screen: int = number(16384, *RANGES["screen"], "size of the sample that leaves the finalists")
    finalists: int = number(4, *RANGES["finalists"], "how many cells it leaves")
    above: int = number(
        1024, *RANGES["above"], "configurations above which rollouts are of the inner policy"
    )
    second: int = number(
        131072, *RANGES["second"], "size of the sample that it plays; not below screen"
    )
    inner: int = number(
        4, *LEVEL_RANGES["candidates"], "most probable cells that it compares, at most"
    )
    floor: int = number(
        128, *LEVEL_RANGES["floor"], "configurations of a sample where it becomes greedy"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_range("second", self.second, self.screen, RANGES["second"][1])

    def rule(self, game: Game) -> Rule | None:
        """Its rule for the kernel; that of `rollout` where sinkings are announced."""
        outer = super().rule(game)
        if outer is None or not game.is_silent:
            return outer
        return replace(
            outer,
            above=self.above,
            second=self.second,
            inner=Level(self.floor, self.inner, 0, 1),
        )

    def _last_costs(
        self, position: Position, configurations: int, sampled: Sampled, chosen: list[int]
    ) -> list[int]:
        if configurations <= self.above:
            return []
        bits, sample = sampled(self.second)
        left = open_cells(sample)[1]
        levels = (GREEDY, Level(self.floor, self.inner, 0, 1))
        return [self._level_after(sample, cell, left, bits, position, levels) for cell in chosen]

    def _level_after(
        self,
        part: list[int],
        cell: int,
        left: int,
        bits: int,
        at: Position,
        levels: tuple[Level, ...],
    ) -> int:
        """What a shot at an open cell and the last of some levels after it miss, times 4096."""
        hit = [s for s in part if s >> cell & 1]
        missed = [s for s in part if not s >> cell & 1]
        return (
            UNIT * len(missed)
            + self._level(hit, left - 1, bits, self._shot(at, cell, HIT), levels)
            + self._level(missed, left, bits, self._shot(at, cell, MISS), levels)
        )

    def _level(
        self, part: list[int], left: int, bits: int, at: Position, levels: tuple[Level, ...]
    ) -> int:
        """What the last of some levels misses in a part of the sample, times 4096."""
        if bits and len(part) <= self.truncate:
            return estimate(len(part), left, bits)
        if len(levels) == 1:
            return self._greedy(part, left, bits, at)
        if len(part) <= levels[-1].floor:
            return self._level(part, left, bits, at, levels[:-1])
        chosen = self._candidates(part, part, levels[-1].candidates, at, bits)
        if not chosen:
            return 0
        left = open_cells(part)[1]
        cell = self._narrowed(part, chosen, left, bits, at, levels[:-1])
        return self._level_after(part, cell, left, bits, at, levels)

    def _narrowed(
        self,
        part: list[int],
        chosen: list[int],
        left: int,
        bits: int,
        at: Position,
        levels: tuple[Level, ...],
    ) -> int:
        """The cheapest candidate, compared by each of some levels, greedy first."""
        for last, level in enumerate(levels, 1):
            after = {
                cell: self._level_after(part, cell, left, bits, at, levels[:last])
                for cell in chosen
            }
            chosen = sorted(chosen, key=after.__getitem__)
            most = after[chosen[0]] + level.margin * UNIT // 100 * len(part)
            chosen = [cell for cell in chosen[: level.kept] if after[cell] <= most]
        return chosen[0]
