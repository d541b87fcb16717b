"""The parts of a family with SINKINGS whose named ships have equal numbers of cells left.

See `bound_by_names` in `_search`, which says how ships are named.
"""

from libc.stdlib cimport qsort

from cells cimport MAX_CELLS, Cells, size
from optsearch.compiled.search._family cimport LABELS, Node, new_node
from optsearch.compiled.search._ships cimport drop_unit_weights


cdef int compare_by_sizes(const void* a, const void* b) noexcept nogil:
    """Compare two `NamedSet` for qsort by the cells left of their ships, then by index."""
    cdef const NamedSet* x = <const NamedSet*>a
    cdef const NamedSet* y = <const NamedSet*>b
    if x.ship_sizes != y.ship_sizes:
        return 1 if x.ship_sizes > y.ship_sizes else -1
    return x.index - y.index


cdef void order_by_size(const Node* node, int set_index, int* order) noexcept nogil:
    """Fill `order`: the ships of a set by label, those of one label by their cells left, the most first."""
    cdef const Cells* set_ships = node.ships.masks + set_index * node.ships.per_set
    cdef int ship, place
    for ship in range(node.ships.per_set):
        place = ship
        while (place > 0 and node.ships.label[place - 1] == node.ships.label[ship]
               and size(set_ships[order[place - 1]]) < size(set_ships[ship])):
            order[place] = order[place - 1]
            place -= 1
        order[place] = ship


cdef void sort_by_sizes(const Node* node, NamedSet* named_sets) noexcept nogil:
    """Sort the sets of a family by the numbers of cells left of their ships."""
    cdef int order[MAX_CELLS]
    cdef int i, j, per_set = node.ships.per_set
    for i in range(node.set_count):
        order_by_size(node, i, order)
        named_sets[i].ship_sizes, named_sets[i].index = 0, i
        for j in range(per_set):
            named_sets[i].ship_sizes = named_sets[i].ship_sizes << 8 | size(node.ships.masks[i * per_set
                                                                                             + order[j]])
    qsort(named_sets, node.set_count, sizeof(NamedSet), compare_by_sizes)


cdef Node* take_named(const Node* node, const NamedSet* named_sets, int set_count) except NULL nogil:
    """Return the family, with LABELS, of sets whose ships have equal numbers of cells left.

    Each ship has its own label, the greatest for the most cells left.
    """
    cdef int per_set = node.ships.per_set, set_index, ship, place
    cdef int order[MAX_CELLS]
    cdef int by_size[MAX_CELLS]
    cdef const Cells* set_ships = node.ships.masks + named_sets[0].index * per_set
    cdef Node* part = new_node(set_count, node.cell_count, node.budget, node.weights != NULL, LABELS, per_set)
    order_by_size(node, named_sets[0].index, order)
    for ship in range(per_set):
        place = ship
        while place > 0 and size(set_ships[order[by_size[place - 1]]]) < size(set_ships[order[ship]]):
            by_size[place] = by_size[place - 1]
            place -= 1
        by_size[place] = ship
        part.ships.label[ship] = per_set - ship
    for set_index in range(set_count):
        set_ships = node.ships.masks + named_sets[set_index].index * per_set
        order_by_size(node, named_sets[set_index].index, order)
        for ship in range(per_set):
            part.ships.masks[set_index * per_set + ship] = set_ships[order[by_size[ship]]]
        if part.weights != NULL:
            part.weights[set_index] = node.weights[named_sets[set_index].index]
    drop_unit_weights(part)
    return part
