"""The parts of a family with SINKINGS whose named ships have equal numbers of cells left.

See `bound_by_names` in `_search`. Ships of one label are named by the number of their cells left, then by
their order in the set.
"""

from libc.stdlib cimport qsort

from cells cimport MAX_CELLS, Cells, size
from optsearch.compiled.search._family cimport LABELS, Node, new_node
from optsearch.compiled.search._ships cimport forget_weights


cdef int by_sizes(const void* a, const void* b) noexcept nogil:
    """Compare two `Named` for qsort by the cells left of their ships, then by index."""
    cdef const Named* x = <const Named*>a
    cdef const Named* y = <const Named*>b
    if x.sizes != y.sizes:
        return 1 if x.sizes > y.sizes else -1
    return x.i - y.i


cdef void order_by_size(const Node* node, int i, int* order) noexcept nogil:
    """Fill the order of the ships of a set; those of one label by their cells left, the most first."""
    cdef const Cells* item = node.ships.masks + i * node.ships.s
    cdef int j, k
    for j in range(node.ships.s):
        k = j
        while (k > 0 and node.ships.label[k - 1] == node.ships.label[j]
               and size(item[order[k - 1]]) < size(item[j])):
            order[k] = order[k - 1]
            k -= 1
        order[k] = j


cdef void sort_by_sizes(const Node* node, Named* named) noexcept nogil:
    """Sort the sets of a family by the numbers of cells left of their ships."""
    cdef int order[MAX_CELLS]
    cdef int i, j, s = node.ships.s
    for i in range(node.n):
        order_by_size(node, i, order)
        named[i].sizes, named[i].i = 0, i
        for j in range(s):
            named[i].sizes = named[i].sizes << 8 | size(node.ships.masks[i * s + order[j]])
    qsort(named, node.n, sizeof(Named), by_sizes)


cdef Node* take_named(const Node* node, const Named* named, int n) except NULL nogil:
    """Return the family of n sets whose ships have equal numbers of cells left, with a label per ship.

    The kind is LABELS. Labels are numbered anew by these numbers.
    """
    cdef int s = node.ships.s, i, j, k
    cdef int order[MAX_CELLS]
    cdef int place[MAX_CELLS]
    cdef const Cells* item = node.ships.masks + named[0].i * s
    cdef Node* part = new_node(n, node.m, node.budget, node.weights != NULL, LABELS, s)
    order_by_size(node, named[0].i, order)
    for j in range(s):
        k = j
        while k > 0 and size(item[order[place[k - 1]]]) < size(item[order[j]]):
            place[k] = place[k - 1]
            k -= 1
        place[k] = j
        part.ships.label[j] = s - j
    for i in range(n):
        item = node.ships.masks + named[i].i * s
        order_by_size(node, named[i].i, order)
        for j in range(s):
            part.ships.masks[i * s + j] = item[order[place[j]]]
        if part.weights != NULL:
            part.weights[i] = node.weights[named[i].i]
    forget_weights(part)
    return part
