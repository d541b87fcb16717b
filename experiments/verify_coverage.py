"""Sets of cells searched once more, for experiments.check_lower_bounds: no kernel of ours.

`lower_bounds.coverage` has the inequality that bounds what a cell adds to what others meet.
Nothing of it is used: this is numba, on arrays with one axis for each cell of a set.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray


class CoverCounts(NamedTuple):
    """The configurations that cover every set of 1, 2, 3 and 4 cells: one axis for each cell."""

    one: NDArray[np.int64]
    two: NDArray[np.int64]
    three: NDArray[np.int64]
    four: NDArray[np.uint32]


class SetSearch(NamedTuple):
    """A search for a set with a larger bound.

    classes -- the least cell that a symmetry takes each cell to. size -- of the sets. ships --
    [placement, cell] -> 1 if the placement has the cell, else 0. chosen -- the cells of the set
    so far. The other arrays have an entry for j of these cells and each cell v: with_one,
    with_two -- the configurations that cover v and one or two of the j cells, summed over
    these; trees -- the weights of the heaviest trees, summed up; added -- the most that v adds
    to what the j cells meet.
    """

    counts: CoverCounts
    classes: NDArray[np.int64]
    size: int
    ships: NDArray[np.int64]
    chosen: NDArray[np.int64]
    with_one: NDArray[np.int64]
    with_two: NDArray[np.int64]
    trees: NDArray[np.int64]
    added: NDArray[np.int64]


def cover_counts(met: NDArray[np.uint32]) -> CoverCounts:
    """Count the configurations that have all cells of a set, for every set of one to four cells.

    met -- [a, b, c, d] -> how many configurations have one of these cells or more. Where some
    of them are equal, the set has fewer.
    """
    # Inclusion and exclusion: the sum over the parts of a set, those of even size with a minus.
    cells = np.arange(len(met))
    f = met.astype(np.int64) if len(met) < 40 else met  # a large board has no room for 64 bits
    one = f[cells, cells, cells, cells].astype(np.int64)
    two = f[cells[:, None], cells[:, None], cells[:, None], cells].astype(np.int64)
    cover_two = one[:, None] + one - two
    cover_three = np.empty((len(met),) * 3, np.int64)
    cover_four = np.empty(met.shape, np.uint32)
    for a in cells:
        three = f[a, a].astype(np.int64)
        singles = one[a] + one[:, None] + one
        cover_three[a] = singles - two[a][:, None] - two[a] - two + three
    for a in cells:
        for b in cells:
            singles = one[a] + one[b] + one[:, None] + one
            pairs = two[a, b] + two[a][:, None] + two[a] + two[b][:, None] + two[b] + two
            ab, ac, bc = f[a, a, b].astype(np.int64), f[a, a].astype(np.int64), f[b, b]
            triples = ab[:, None] + ab + ac + bc
            cover_four[a, b] = singles - pairs + triples - f[a, b]
    return CoverCounts(one, cover_two, cover_three, cover_four)


def largest_bound(
    counts: CoverCounts,
    classes: NDArray[np.int64],
    size: int,
    best: int,
    ships: NDArray[np.bool_],
    costs: NDArray[np.int64],
) -> int:
    """Return the largest bound that any set of `size` cells has, but no less than `best`.

    A set is bounded by what it may meet: configurations, less the cost of each placement met.
    classes -- for each cell the least cell that a symmetry takes it to. ships -- placements: a
    row with a flag for each cell of the board. costs -- of each placement, so small that a cell
    adds no more if others come before it (`optsearch.lower_bounds.ship_chain`).
    """
    n = len(counts.one)
    if not 1 <= size <= n:
        raise ValueError(f"sets of {size} of {n} cells")
    with_one, with_two, trees, added = np.zeros((4, size + 1, n), np.int64)
    added[0] = counts.one - costs @ ships
    search = SetSearch(
        counts=counts,
        classes=classes,
        size=size,
        ships=ships.astype(np.int64),
        chosen=np.zeros(size, np.int64),
        with_one=with_one,
        with_two=with_two,
        trees=trees,
        added=added,
    )
    return int(_search_larger(search, 0, 0, best, np.zeros(n, np.bool_), costs))


@njit(cache=True)
def _search_larger(search, j, met, best, is_excluded, costs):  # type: ignore[no-untyped-def]
    """Return the largest bound of a set that has the j cells chosen, but no less than `best`.

    search -- has these cells and the size of a whole set. met -- the bound of the j cells.
    is_excluded -- True for each cell that may not join them. costs -- for each placement: what
    the set loses if it meets it, 0 if it does so already.
    """
    added, cells_left = search.added[j], search.size - j
    # Of cells that add as much the last one first, as in the search that this checks: what bounds a
    # set depends on the order of its cells. No board has more than 128 cells.
    order = np.argsort(-(added * 128 + np.arange(len(added))))
    order = order[~is_excluded[order]]
    if len(order) < cells_left:
        return best
    if cells_left == 1:
        return max(best, met + added[order[0]])
    is_excluded = is_excluded.copy()
    for rank in range(len(order)):
        cell = order[rank]
        is_enough = len(order) - rank >= cells_left
        # Only the least cell of a class may be chosen first. Cells ranked before it may then still
        # join: they add as much as it does, so that its gain bounds that of every cell.
        most_added = cells_left * added[cell]
        if j and is_enough:
            most_added = added[order[rank : rank + cells_left]].sum()
        if met + most_added <= best or (j and not is_enough):
            break
        if j == 0 and search.classes[cell] != cell:
            continue
        costs_left = _choose_cell(search, j, cell, order, costs)
        is_excluded_below = is_excluded.copy()
        is_excluded_below[cell] = True
        best = _search_larger(search, j + 1, met + added[cell], best, is_excluded_below, costs_left)
        if j:
            is_excluded[cell] = True
        else:  # sets with a cell of this class have an image with this cell
            is_excluded |= search.classes == cell
    return best


@njit(cache=True)
def _choose_cell(search, j, cell, order, costs):  # type: ignore[no-untyped-def]
    """Choose a cell after the first j; return the costs of the placements still not met.

    The bounds in `search` on what each further cell adds are updated, with the heaviest tree of
    each cell in `order`, the cells that may still join. costs -- for each placement: what a set
    loses if it meets it.
    """
    counts = search.counts
    search.with_one[j + 1] = search.with_one[j] + counts.two[cell]
    search.with_two[j + 1] = search.with_two[j]
    for other in search.chosen[:j]:
        search.with_two[j + 1] += counts.three[cell, other]
    search.trees[j + 1] = search.trees[j]
    if j > 1:
        for v in order:
            search.trees[j + 1, v] += heaviest_tree(counts.four[cell, :, :, v], search.chosen[:j])
    costs_left = costs * (1 - search.ships[:, cell])
    added = counts.one - search.with_one[j + 1] + search.with_two[j + 1] - search.trees[j + 1]
    for i in range(len(costs_left)):
        added -= costs_left[i] * search.ships[i]
    search.added[j + 1] = np.maximum(0, np.minimum(added, search.added[j]))
    search.chosen[j] = cell
    return costs_left


@njit(cache=True)
def heaviest_tree(weights, cells):  # type: ignore[no-untyped-def]
    """Return the weight of a heaviest tree on these cells, whose edges weigh weights[cell, other].

    Edges are taken by falling weight, unless they close a cycle (Kruskal).
    """
    n = len(cells)
    component = np.arange(n)
    total = np.int64(0)
    for _ in range(n - 1):
        heaviest, end, other_end = np.int64(-1), 0, 0
        for a in range(n):
            for b in range(a):
                weight = np.int64(weights[cells[a], cells[b]])
                if weight > heaviest and component[a] != component[b]:
                    heaviest, end, other_end = weight, a, b
        total += heaviest
        joined, into = component[end], component[other_end]
        for a in range(n):
            if component[a] == joined:
                component[a] = into
    return total
