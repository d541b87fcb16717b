"""Sets of cells searched once more, for experiments.check_lower_bounds: no kernel of ours.

`lower_bounds.coverage` has the inequality that bounds what a cell adds to what others meet.
Nothing of it is used: this is numba, on arrays with one axis for each cell of a set.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Counts = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]


def covering(met: NDArray[np.uint32]) -> Counts:
    """Count the configurations that cover 1, 2, 3, 4 cells, from the numbers that meet them.

    met -- of shape (n, n, n, n); with repeated cells, for the set of these cells.
    """
    every = np.arange(len(met))
    f = met.astype(np.int64) if len(met) < 40 else met
    one = f[every, every, every, every].astype(np.int64)
    two = f[every[:, None], every[:, None], every[:, None], every].astype(np.int64)
    c1, c2 = one, one[:, None] + one - two
    c3 = np.empty((len(met),) * 3, np.int64)
    c4 = np.empty(met.shape, np.uint32)
    for a in every:
        three = f[a, a].astype(np.int64)
        singles = one[a] + one[:, None] + one
        c3[a] = singles - two[a][:, None] - two[a] - two + three
    for a in every:
        for b in every:
            # All subsets of {a, b, c, d} but the whole, by size; then the whole.
            small = one[a] + one[b] + one[:, None] + one
            pairs = two[a, b] + two[a][:, None] + two[a] + two[b][:, None] + two[b] + two
            ab, ac, bc = f[a, a, b].astype(np.int64), f[a, a].astype(np.int64), f[b, b]
            triples = ab[:, None] + ab + ac + bc
            c4[a, b] = small - pairs + triples - f[a, b]
    return c1, c2, c3, c4


def larger(
    counts: Counts,
    classes: NDArray[np.int64],
    size: int,
    best: int,
    ships: NDArray[np.bool_],
    costs: NDArray[np.int64],
) -> int:
    """Return the largest bound of `size` cells that is above `best`, or `best`.

    classes -- the least cell that a symmetry takes each cell to. ships, costs -- placements, of
    shape (number, cells), and for each what is taken from a set that meets it; that it is little
    enough (`optsearch.lower_bounds.ship_chain`) is for the caller to see to.
    """
    n = len(counts[0])
    if not 1 <= size <= n:
        raise ValueError(f"sets of {size} of {n} cells")
    sums = np.zeros((size + 1, 4, n), np.int64)
    sums[0, 3] = counts[0] - costs @ ships
    outside = np.zeros(n, np.bool_)
    chosen = np.zeros(size, np.int64)
    where = ships.astype(np.int64)
    return int(_extend(*counts, classes, size, best, chosen, 0, 0, sums, outside, where, costs))


@njit(cache=True)
def _extend(  # type: ignore[no-untyped-def]
    c1, c2, c3, c4, classes, size, best, chosen, j, met, sums, outside, ships, costs
):
    """The search below a set of j cells that meets `met`; sums[j] has s_1, s_2, t and added.

    costs -- of the placements that the set does not meet; 0 for the others.
    """
    # Of cells that add as much the last one first, as in the search that this checks: what bounds a
    # set depends on the order of its cells.
    order = np.argsort(-(sums[j, 3] * 128 + np.arange(len(c1))))
    order = order[~outside[order]]
    left = size - j
    if len(order) < left:
        return best
    if left == 1:
        return max(best, met + sums[j, 3, order[0]])
    excluded = outside.copy()
    for place in range(len(order)):
        v = order[place]
        # At the root cells of one class may stand before the one that is chosen for them.
        ahead = left * sums[j, 3, v]
        if j and len(order) - place >= left:
            ahead = sums[j, 3, order[place : place + left]].sum()
        if met + ahead <= best:
            break
        if j == 0:
            if classes[v] != v:
                continue
        elif len(order) - place < left:
            break
        sums[j + 1, 0] = sums[j, 0] + c2[v]
        sums[j + 1, 1] = sums[j, 1]
        sums[j + 1, 2] = sums[j, 2]
        for a in range(j):
            sums[j + 1, 1] += c3[v, chosen[a]]
        if j > 1:
            for w in order:
                sums[j + 1, 2, w] += heaviest_tree(c4[v, :, :, w], chosen[:j])
        after = costs * (1 - ships[:, v])
        added = c1 - sums[j + 1, 0] + sums[j + 1, 1] - sums[j + 1, 2]
        for i in range(len(after)):
            added -= after[i] * ships[i]
        sums[j + 1, 3] = np.maximum(0, np.minimum(added, sums[j, 3]))
        chosen[j] = v
        inside = excluded.copy()
        inside[v] = True
        best = _extend(
            c1,
            c2,
            c3,
            c4,
            classes,
            size,
            best,
            chosen,
            j + 1,
            met + sums[j, 3, v],
            sums,
            inside,
            ships,
            after,
        )
        if j:
            excluded[v] = True
        else:
            excluded |= classes == v
    return best


@njit(cache=True)
def heaviest_tree(weights, vertices):  # type: ignore[no-untyped-def]
    """The weight of a heaviest tree: edges by falling weight, unless they close a cycle."""
    n = len(vertices)
    part = np.arange(n)
    total = np.int64(0)
    for _ in range(n - 1):
        heaviest, x, y = np.int64(-1), 0, 0
        for a in range(n):
            for b in range(a):
                weight = np.int64(weights[vertices[a], vertices[b]])
                if weight > heaviest and part[a] != part[b]:
                    heaviest, x, y = weight, a, b
        total += heaviest
        x, y = part[x], part[y]
        for a in range(n):
            if part[a] == x:
                part[a] = y
    return total
