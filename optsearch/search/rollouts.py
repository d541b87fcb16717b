"""A rule of the search that plays well from any state: the shots of the strategy `deep`.

`optsearch/strategies/rollout.py` explains its numbers. With few configurations left, the rule plays
the optimum, by the search.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from optsearch.compiled.evaluation._evaluate import TreeEvaluator
from optsearch.compiled.evaluation._labels import Labels
from optsearch.compiled.evaluation._walk import MAX_CANDIDATES, SMALL
from optsearch.search.kernels import Kernel, Subfamily, best_cell
from optsearch.search.rules import Level, Lookahead, Rule

MOST_CONFIGURATIONS = 1 << 15  # rollouts play so many in a second or two, and no more
FEW_CONFIGURATIONS = 64  # configurations up to which the rule plays the optimum
DEEP = Lookahead(first=Level(SMALL, 1, 60, MAX_CANDIDATES), higher=Level(6, 6, 10, 4))
RULE = Rule(  # the best known that takes seconds; nothing is sampled
    (),
    endgame=10,
    candidates=12,
    percent=0,
    screen=MOST_CONFIGURATIONS,
    cap=MOST_CONFIGURATIONS,
    second=MOST_CONFIGURATIONS,
    until=MOST_CONFIGURATIONS,
    levels=DEEP.levels(2),
)


class Rollouts:
    """The rule of `deep` for a kernel for which `can_roll_out` is true.

    is_watched -- True lets each shot end the search at its time limit. It is set to False once the
    rule has been played from the root, which takes seconds. A state that is opened later is
    evaluated as a whole; else a search that is resumed for short times would never get beyond it.
    """

    def __init__(self, kernel: Kernel):
        self.is_watched = True
        self._kernel = kernel
        rule = replace(RULE, order=tuple(range(kernel.game.cells)))
        no_ships = np.empty((0, 2), np.int32)
        labels = Labels(rule.order, kinds=(), slots=no_ships, is_fixed=False)
        self._evaluator = TreeEvaluator(rule, labels, True)  # all sets are distinct
        self._evaluator.begin(len(kernel.sets))
        self._evaluator.add(kernel.sets)

    def __call__(self, kernel: Kernel, state: Subfamily) -> int:
        """Return the cell that rollouts shoot; with few configurations left, an optimal cell."""
        if self.is_watched:
            self._kernel.tick()
        if len(state.family) <= FEW_CONFIGURATIONS:
            return best_cell(kernel, state)
        # Cells hit before the root are not in the sets.
        hits = state.hits & ~self._kernel.root.hits
        missed = self._kernel.cells_of(self._kernel.root) & ~self._kernel.cells_of(state)
        counts = self._kernel.counts(state)[: self._kernel.game.cells]
        return self._evaluator.shot(hits, missed, len(state.family), counts)


def can_roll_out(kernel: Kernel) -> bool:
    """True if rollouts can play from the root of a kernel.

    They need the objective mean, hits that tell nothing, and MOST_CONFIGURATIONS at most, all of
    weight 1 and of equally many cells.
    """
    return (
        kernel.is_silent
        and kernel.objective.kind == "mean"
        and len(kernel.sets) <= MOST_CONFIGURATIONS
        and int(kernel.weights.max()) == 1
        and len(set(map(int.bit_count, kernel.family.sets))) == 1
    )
