"""A rule of the search that plays well from any state: the shots of the strategy `deep`.

What its numbers mean is said in `optsearch/strategies/rollout.py`. Few configurations are left to
the search, which plays the optimum.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from optsearch.compiled.evaluation._evaluate import TreeEvaluator
from optsearch.compiled.evaluation._labels import Labels
from optsearch.compiled.evaluation._walk import MAX_CANDIDATES, SMALL
from optsearch.search.kernels import Kernel, Subfamily, best_cell
from optsearch.search.rules import Level, Lookahead, Rule

MOST = 1 << 15  # configurations up to which rollouts play all of them, and take a second or two
FEW = 64  # that are left to the search
DEEP = Lookahead(first=Level(SMALL, 1, 60, MAX_CANDIDATES), higher=Level(6, 6, 10, 4))
RULE = Rule(  # the best known that takes seconds; nothing is sampled
    (),
    endgame=10,
    candidates=12,
    percent=0,
    screen=MOST,
    cap=MOST,
    second=MOST,
    until=MOST,
    levels=DEEP.levels(2),
)


class Rollouts:
    """The rule for a kernel that takes it (`can_roll_out`).

    is_watched -- whether each shot may end the search at its limit: from the root, which takes
    seconds. A state that is opened later is valued whole: else a search in many short times
    would never get beyond it.
    """

    def __init__(self, kernel: Kernel):
        self.is_watched = True
        self._kernel = kernel
        rule = replace(RULE, order=tuple(range(kernel.game.cells)))
        labels = Labels(rule.order, (), np.empty((0, 2), np.int32), False)
        self._evaluator = TreeEvaluator(rule, labels, True)
        self._evaluator.begin(len(kernel.sets))
        self._evaluator.add(kernel.sets)

    def __call__(self, kernel: Kernel, state: Subfamily) -> int:
        """Return the cell that rollouts shoot, an optimal one if few configurations are left."""
        if self.is_watched:
            self._kernel.tick()
        if len(state.family) <= FEW:
            return best_cell(kernel, state)
        hits = state.hits & ~self._kernel.root.hits
        missed = self._kernel.cells_of(self._kernel.root) & ~self._kernel.cells_of(state)
        counts = self._kernel.counts(state)[: self._kernel.game.cells]
        return self._evaluator.shot(hits, missed, len(state.family), counts)


def can_roll_out(kernel: Kernel) -> bool:
    """True if rollouts can play from the root of a kernel.

    They play for the mean, if hits tell nothing and all configurations weigh the same.
    """
    return (
        kernel.is_silent
        and kernel.objective.kind == "mean"
        and len(kernel.sets) <= MOST
        and int(kernel.weights.max()) == 1
        and len(set(map(int.bit_count, kernel.family.sets))) == 1
    )
