"""A rule for the worst case: diagonals until the first hit, then the optimum.

Every k-th diagonal of a rectangle meets each straight ship of k cells once. Those of its cells are
shot first behind which a hit leaves most misses to come, while many are still allowed.
"""

from __future__ import annotations

from optsearch.game.position import MISS
from optsearch.search.kernels import FORBIDDEN, Kernel, Subfamily, best_cell

MOST = 64  # sets behind a hit, whose worst case is searched


class Diagonals:
    """The rule from the root of a kernel, by the choice of diagonals that is best for it.

    misses -- in its worst case; None where no choice is of use: boards without rows, ships that
        diagonals do not meet, and many sets behind a hit, as of two ships.
    """

    def __init__(self, kernel: Kernel):
        self._kernel = kernel
        orders = [choice for cells in self._diagonals() if (choice := self._ordered(cells))]
        self.misses: int | None = None
        self._order: list[int] = []
        if orders:
            self.misses, self._order = min(orders)

    def __call__(self, kernel: Kernel, state: Subfamily) -> int:
        """Return the next cell of the diagonals that some set has; after a hit an optimal one."""
        if state.hits == kernel.root.hits and not kernel.is_lost(state):
            counts = kernel.counts(state)
            for cell in self._order:
                if counts[cell]:
                    return cell
        return best_cell(kernel, state)

    def _diagonals(self) -> list[list[int]]:
        game = self._kernel.game
        if not game.is_rectangle:
            return []
        apart = min(map(int, game.fleet))
        return [
            [
                cell
                for cell in range(game.cells)
                if (cell // game.columns + way * (cell % game.columns)) % apart == first
            ]
            for way in (1, -1)
            for first in range(apart)
        ]

    def _ordered(self, cells: list[int]) -> tuple[int, list[int]] | None:
        """Return the worst case of these cells, and an order; None if slow or a set is missed."""
        kernel, state = self._kernel, self._kernel.root
        counts, behind = kernel.counts(state), {}
        left: Subfamily | None = state
        for cell in cells:
            if not counts[cell]:
                continue
            hit = [part for reply, part in kernel.parts(state, cell).items() if reply.hit]
            if any(len(part.family) > MOST for part in hit):
                return None
            behind[cell] = max(map(self._worst, hit))
            left = left and kernel.parts(left, cell).get(MISS)
        if left is not None:
            return None
        order = sorted(behind, key=lambda cell: (-behind[cell], cell))
        return max(misses + behind[cell] for misses, cell in enumerate(order)), order

    def _worst(self, state: Subfamily) -> int:
        """Return the misses from a state on in the worst case."""
        budget = 0
        while self._kernel.solve(state._replace(budget=budget)) >= FORBIDDEN:
            budget += 1
        return budget
