"""A rule for the worst case: diagonals until the first hit, then the optimum.

Every k-th diagonal of a rectangle meets each straight ship of k cells once. The cells on these
diagonals are shot in the order of the misses that can follow a hit there, most misses first: then
as few misses as possible come before them.
"""

from __future__ import annotations

from optsearch.game.position import MISS
from optsearch.search.kernels import FORBIDDEN, Kernel, Subfamily, best_cell

MOST = 64  # sets behind a hit, whose worst case is searched


class Diagonals:
    """The rule from the root of a kernel that shoots every k-th diagonal, k the shortest ship.

    Of all choices of these diagonals it takes the one with the least worst case.

    misses -- in its worst case; None if there is no such rule: on boards that are no rectangles, if
    the diagonals can miss every ship, and if a hit leaves too many sets to search, as it does with
    two ships.
    """

    def __init__(self, kernel: Kernel):
        self._kernel = kernel
        orders = [choice for cells in self._diagonals() if (choice := self._ordered(cells))]
        self.misses: int | None = None
        self._order: list[int] = []
        if orders:
            self.misses, self._order = min(orders)

    def __call__(self, kernel: Kernel, state: Subfamily) -> int:
        """Return the next cell on the diagonals that can be a hit; after a hit, an optimal cell."""
        if state.hits == kernel.root.hits and not kernel.is_lost(state):
            counts = kernel.counts(state)
            for cell in self._order:
                if counts[cell]:
                    return cell
        return best_cell(kernel, state)

    def _diagonals(self) -> list[list[int]]:
        """List the choices of diagonals, each by its cells: both directions, every offset."""
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
