"""A rule for the worst case: diagonals until the first hit, then the optimum.

Every k-th diagonal of a rectangle meets each straight ship of k cells once. The cells on these
diagonals are shot in the order of the misses that can follow a hit there, most misses first: then
as few misses as possible come before them.
"""

from __future__ import annotations

from optsearch.game.position import MISS
from optsearch.search.kernels import FORBIDDEN, Kernel, Subfamily, best_cell

MAX_SETS_AFTER_HIT = 64  # whose worst case is searched


class Diagonals:
    """The rule from the root of a kernel that shoots every k-th diagonal, k the shortest ship.

    Of all choices of these diagonals it takes the one with the least worst case.

    misses -- in its worst case. None if there is no such rule: on boards that are no rectangles, if
    the diagonals can miss every ship, or if a hit leaves too many sets to search.
    """

    def __init__(self, kernel: Kernel):
        self._kernel = kernel
        results = map(self._worst_misses_and_order, self._diagonals())
        self.misses: int | None
        self._order: list[int]
        self.misses, self._order = min(filter(None, results), default=(None, []))

    def __call__(self, kernel: Kernel, state: Subfamily) -> int:
        """Return the next cell to shoot: the first on the diagonals that can be a hit.

        After a hit, or if no such cell is left, it is an optimal cell.
        """
        if state.hits == kernel.root.hits and not kernel.is_lost(state):
            counts = kernel.counts(state)
            for cell in self._order:
                if counts[cell]:
                    return cell
        return best_cell(kernel, state)

    def _diagonals(self) -> list[list[int]]:
        """List the ways to take every k-th diagonal, each as its cells; k is the shortest ship."""
        game = self._kernel.game
        if not game.is_rectangle:
            return []
        distance = min(map(int, game.fleet))
        cell_lists: list[list[int]] = []
        for direction in (1, -1):
            cells_by_offset: list[list[int]] = [[] for _ in range(distance)]
            for cell in range(game.cells):
                row, column = divmod(cell, game.columns)
                cells_by_offset[(row + direction * column) % distance].append(cell)
            cell_lists += cells_by_offset
        return cell_lists

    def _worst_misses_and_order(self, cells: list[int]) -> tuple[int, list[int]] | None:
        """Return the least misses in the worst case of shooting these cells, and the order for it.

        Optimal shots follow the first hit. Return None if some set has none of the cells, or if a
        hit leaves too many sets.
        """
        kernel, root = self._kernel, self._kernel.root
        counts = kernel.counts(root)
        misses_after_hit: dict[int, int] = {}  # by the cell of the hit, in the worst case
        missed_state: Subfamily | None = root  # after misses at all cells so far, if possible
        for cell in cells:
            if not counts[cell]:
                continue
            hit_states = [part for reply, part in kernel.parts(root, cell).items() if reply.hit]
            if any(len(part.family) > MAX_SETS_AFTER_HIT for part in hit_states):
                return None
            misses_after_hit[cell] = max(map(self._worst_misses, hit_states))
            if missed_state is not None:
                missed_state = kernel.parts(missed_state, cell).get(MISS)
        if missed_state is not None:
            return None
        order = sorted(misses_after_hit, key=lambda cell: (-misses_after_hit[cell], cell))
        worst_misses = max(before + misses_after_hit[cell] for before, cell in enumerate(order))
        return worst_misses, order

    def _worst_misses(self, state: Subfamily) -> int:
        """Return the misses of the best strategy from a state on, in its worst case."""
        budget = 0
        while self._kernel.solve(state._replace(budget=budget)) >= FORBIDDEN:
            budget += 1
        return budget
