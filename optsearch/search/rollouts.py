"""A rule of the search that plays well from any state: the shots of levels of rollouts.

They are those of the strategy `levels` with the numbers `LEVELS`; what these mean is said in
`optsearch/strategies/levels.py`. Few configurations are left to the search, which plays the
optimum.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from optsearch.compiled._evaluate import TreeEvaluator
from optsearch.compiled._labels import Labels
from optsearch.compiled._walk import BUCKETS
from optsearch.search.kernels import Kernel, State, best_cell

MOST = 1 << 15  # configurations up to which rollouts play all of them, and take a second or two
FEW = 64  # that are left to the search
LEVELS = {  # the best known that takes seconds
    "depth": 2,
    "width": 6,
    "least": 6,
    "drop": 60,
    "close": 10,
    "kept": 4,
    "candidates": 12,
    "percent": 0,
    "endgame": 10,
}


@dataclass(frozen=True)
class _Level:
    """A policy that compares cells by the levels below it. Level 0 is greedy."""

    floor: int = LEVELS["least"]
    candidates: int = LEVELS["width"]
    margin: int = LEVELS["close"]
    kept: int = LEVELS["kept"]


@dataclass(frozen=True)
class _Numbers:
    """Those of the rule, which the kernel takes by name; nothing is sampled and estimated."""

    order: tuple[int, ...]
    endgame: int = LEVELS["endgame"]
    candidates: int = LEVELS["candidates"]
    percent: int = LEVELS["percent"]
    screen: int = MOST
    finalists: int = LEVELS["candidates"]
    cap: int = MOST
    truncate: int = 6
    estimates: tuple[tuple[int, ...], ...] = ((0,) * BUCKETS,)
    few: int = 0
    many: int = MOST
    above: int = MOST
    second: int = MOST
    until: int = MOST
    levels: tuple[_Level, ...] = (
        _Level(candidates=1, margin=LEVELS["drop"], kept=LEVELS["candidates"]),
        *(_Level(),) * LEVELS["depth"],
    )
    inner: _Level = _Level()


class Rollouts:
    """The rule for a kernel that takes it (`can_roll_out`).

    is_watched -- whether each shot may end the search at its limit: from the root, which takes
    seconds. A state that is opened later is valued whole: else a search in many short times
    would never get beyond it.
    """

    def __init__(self, kernel: Kernel):
        self.is_watched = True
        self._kernel = kernel
        numbers = _Numbers(tuple(range(kernel.game.cells)))
        labels = Labels(numbers.order, (), np.empty((0, 2), np.int32))
        self._evaluator = TreeEvaluator(numbers, labels, True)
        self._evaluator.begin(len(kernel.sets))
        self._evaluator.add(kernel.sets)

    def __call__(self, kernel: Kernel, state: State) -> int:
        """The cell that rollouts shoot; where few configurations are left, an optimal one."""
        if self.is_watched:
            self._kernel.tick()
        if len(state.family) <= FEW:
            return best_cell(kernel, state)
        hits = state.hits & ~self._kernel.root.hits
        missed = self._kernel.cells_of(self._kernel.root) & ~self._kernel.cells_of(state)
        counts = self._kernel.counts(state)[: self._kernel.game.cells]
        return self._evaluator.shot(hits, missed, len(state.family), counts)


def can_roll_out(kernel: Kernel) -> bool:
    """Whether rollouts can play from the root of a kernel.

    For the mean, where nothing is announced and all configurations count the same.
    """
    return (
        kernel.is_silent
        and kernel.objective.kind == "mean"
        and len(kernel.sets) <= MOST
        and int(kernel.weights.max()) == 1
        and len(set(map(int.bit_count, kernel.family.sets))) == 1
    )
