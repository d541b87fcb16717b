"""Two sides of the cells of a family that say little of each other, and the sets that are alike on one.

Half of a ship that is hit lies in one of a few cells, and wherever that is, the other ships may lie in
much the same places: such cells are the one side, the cells of the other ships the other.
"""

from libc.stdint cimport int64_t
from libc.stdlib cimport qsort

from cells cimport MAX_CELLS, Cells, one
from optsearch.compiled._family cimport Node, new_node

cdef enum:
    LINK = 1 << 12             # of two cells that tell all of each other


cdef Cells weak_cut(const Node* node) noexcept nogil:
    """The cells of one side, so that the links across are weak; pairs must be counted.

    The side grows from the cell of greatest count, each time by the cell that has the greatest share
    of its links inside. Of the sides on the way it is that of least normalised cut, which is the links
    across for all links of the one side and for all of the other, added.
    """
    cdef int64_t links[MAX_CELLS]
    cdef int64_t inside[MAX_CELLS]
    cdef bint taken[MAX_CELLS]
    cdef Cells side = 0, best = 0
    cdef int64_t total = 0, volume = 0, across = 0
    cdef double cut, least = -1
    cdef int c
    count_links(node, links)
    for c in range(node.m):
        total += links[c]
        inside[c] = 0
        taken[c] = False
    c = most_frequent(node)
    while True:
        taken[c] = True
        side |= one(node.cell[c])
        volume += links[c]
        across += links[c] - 2 * inside[c]
        if volume >= total:
            return best
        if volume > 0:
            cut = <double>across / (<double>volume * <double>(total - volume))
            if least < 0 or cut < least:
                least, best = cut, side
        c = next_inside(node, c, links, inside, taken)


cdef inline int64_t link(const Node* node, int c, int d) noexcept nogil:
    """How much two cells tell of each other: the square of their correlation, in 1/LINK.

    No sum of products: so all builds, also those that fuse them, come to the same number.
    """
    cdef int64_t a = node.count[c], b = node.count[d], n = node.n
    cdef int64_t more = n * node.pair[c * node.m + d] - a * b
    return <int64_t>(
        <double>LINK * <double>more * <double>more
        / (<double>(a * (n - a)) * <double>(b * (n - b))))


cdef void count_links(const Node* node, int64_t* links) noexcept nogil:
    """links[c]: of cell c to all others."""
    cdef int c, d
    cdef int64_t strength
    for c in range(node.m):
        links[c] = 0
        for d in range(c):
            strength = link(node, c, d)
            links[c] += strength
            links[d] += strength


cdef int most_frequent(const Node* node) noexcept nogil:
    """The first cell of greatest count."""
    cdef int c, best = 0
    for c in range(node.m):
        if node.count[c] > node.count[best]:
            best = c
    return best


cdef int next_inside(const Node* node, int last, const int64_t* links, int64_t* inside,
                     const bint* taken) noexcept nogil:
    """The cell with the greatest share of its links inside, the last cell now being there too."""
    cdef int c, best = -1
    cdef double share, most = -1
    for c in range(node.m):
        if taken[c]:
            continue
        inside[c] += link(node, last, c)
        share = <double>inside[c] / <double>(links[c] + 1)
        if share > most:
            most, best = share, c
    return best


cdef void sort_by_side(const Node* node, Cells side, Row* rows) noexcept nogil:
    """The sets in an order in which those that have the same cells of one side are together."""
    cdef int i
    for i in range(node.n):
        rows[i].side = node.rows[i] & side
        rows[i].rest = node.rows[i] & ~side
    qsort(rows, node.n, sizeof(Row), by_side)


cdef int by_side(const void* a, const void* b) noexcept nogil:
    cdef Cells x = (<const Row*>a).side, y = (<const Row*>b).side
    return (x > y) - (x < y)


cdef Node* take_alike(const Node* node, const Row* rows, int n) except NULL nogil:
    """The family of n sets that are alike on one side, not yet taken stock of."""
    cdef Node* part = new_node(n, node.m, node.budget, False)
    cdef int i
    for i in range(n):
        part.rows[i] = rows[i].rest
    return part
