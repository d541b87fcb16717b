"""Two nearly independent sides of the cells of a family, and the sets that are alike on one.

The rest of a ship that is hit has one of a few cells, and the other ships have much the same placements
for each of them: such cells are one side, the cells of the other ships the other.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy, memset

from cells cimport MAX_CELLS, Cells, high, low, one, pop_bit, popcount, size
from hashing cimport scramble
from leaves cimport MISS_COUNTS
from optsearch.compiled.search._family cimport (
    Node, Ships, compare_cells, most_frequent_cell, new_node, part_size, sets_with_reply)
from optsearch.compiled.shared._arena cimport allocate

cdef enum:
    LINK = 1 << 12             # the link of two cells that determine each other


cdef Cells weak_cut(const Node* node) noexcept nogil:
    """Return one side of the cells, with weak links to the others; pairs must be counted.

    The side begins with the cell of greatest count, and grows by the cell with the greatest share of its
    links to cells inside. Of all sides on the way, the one with the least normalised cut is returned: the
    links between the sides divided by all links of the one, plus the same divided by all links of the other.
    """
    cdef int64_t links[MAX_CELLS]
    cdef int64_t links_inside[MAX_CELLS]
    cdef bint is_taken[MAX_CELLS]
    cdef Cells side = 0, best_side = 0
    cdef int64_t total_links = 0, links_of_side = 0, links_across = 0
    cdef double cut, least_cut = -1
    cdef int cell
    count_links(node, links)
    for cell in range(node.cell_count):
        total_links += links[cell]
        links_inside[cell] = 0
        is_taken[cell] = False
    cell = most_frequent_cell(node)
    while True:
        is_taken[cell] = True
        side |= one(node.grid_cell[cell])
        links_of_side += links[cell]
        links_across += links[cell] - 2 * links_inside[cell]
        if links_of_side >= total_links:
            return best_side
        if links_of_side > 0:
            cut = <double>links_across / (<double>links_of_side * <double>(total_links - links_of_side))
            if least_cut < 0 or cut < least_cut:
                least_cut, best_side = cut, side
        cell = next_cell(node, cell, links, links_inside, is_taken)


cdef inline int64_t link_strength(const Node* node, int cell, int other_cell) noexcept nogil:
    """Return the squared correlation of two cells, in units of 1/LINK.

    It has no sum of products, so that all builds, also those that fuse them, get the same number.
    """
    cdef int64_t count = node.cell_counts[cell], other_count = node.cell_counts[other_cell]
    cdef int64_t set_count = node.set_count
    cdef int64_t excess = (set_count * node.pair_counts[cell * node.cell_count + other_cell] - count
                           * other_count)
    return <int64_t>(
        <double>LINK * <double>excess * <double>excess
        / (<double>(count * (set_count - count)) * <double>(other_count * (set_count - other_count))))


cdef void count_links(const Node* node, int64_t* links) noexcept nogil:
    """Fill links[c], the sum of the links of cell c to all others."""
    cdef int cell, other_cell
    cdef int64_t strength
    for cell in range(node.cell_count):
        links[cell] = 0
        for other_cell in range(cell):
            strength = link_strength(node, cell, other_cell)
            links[cell] += strength
            links[other_cell] += strength


cdef int next_cell(const Node* node, int last_cell, const int64_t* links, int64_t* links_inside,
                   const bint* is_taken) noexcept nogil:
    """Return the cell with the greatest share of its links inside, after adding those to `last_cell`."""
    cdef int cell, best = -1
    cdef double share, greatest_share = -1
    for cell in range(node.cell_count):
        if is_taken[cell]:
            continue
        links_inside[cell] += link_strength(node, last_cell, cell)
        share = <double>links_inside[cell] / <double>(links[cell] + 1)
        if share > greatest_share:
            greatest_share, best = share, cell
    return best


cdef void sort_by_side(const Node* node, Cells side, SplitSet* split_sets) noexcept nogil:
    """Sort the sets so that those with equal cells on one side are together."""
    cdef int i
    for i in range(node.set_count):
        split_sets[i].side_cells = node.set_cells[i] & side
        split_sets[i].other_cells = node.set_cells[i] & ~side
    qsort(split_sets, node.set_count, sizeof(SplitSet), compare_cells)   # of the first field


cdef Node* take_alike(const Node* node, const SplitSet* split_sets, int set_count) except NULL nogil:
    """Return a family of the cells that alike sets have on the other side, not yet counted."""
    cdef Node* part = new_node(set_count, node.cell_count, node.budget, False)
    cdef int i
    for i in range(set_count):
        part.set_cells[i] = split_sets[i].other_cells
    return part


# Hits with labels

cdef struct AlikeSets:             # sets that are alike on a side, so far
    int first                  # one of them
    int set_count
    int misses                 # the least misses that can distinguish them
    int cell_count             # of each, on the other side
    int64_t sequences          # sequences of the labels of these cells


cdef void bound_by_sides(Node* node, const int64_t* leaves) noexcept nogil:
    """Fill `misses_by_sides` and `finished_by_sides` of a family with LABELS, if there is memory for it.

    In the part with one label at a cell, let U be the cells that its ship may have, and V the rest. By leaf
    counting at most sequences * C(k + t, t) of the sets that are alike on U are distinguished with t misses
    on V, and likewise with V and U (`_sequences`, `two_sided_bound` of `_search`). So any r of the sets have
    at least v_1 + ... + v_r misses on V, with v_i the least t that can distinguish i of the sets, and at
    least u_1 + ... + u_r on U. The sum for all sets of the part is its entry of `misses_by_sides`.
    `finished_by_sides[s]` is the greatest number, over the cells, of sets with v_i + u_i <= s.
    """
    cdef AlikeSets* groups = <AlikeSets*>malloc(node.set_count * (sizeof(AlikeSets) + 4 * sizeof(int32_t)))
    cdef int32_t levels[2 * MISS_COUNTS]
    cdef int32_t finished_of_cell[MISS_COUNTS]
    cdef Ships* ships = &node.ships
    cdef int cell, reply, misses, own_misses, distinguished, set_count
    if groups == NULL:
        return
    memset(ships.finished_by_sides, 0, (node.cell_count + 1) * sizeof(int32_t))
    for cell in range(node.cell_count):
        memset(finished_of_cell, 0, sizeof(finished_of_cell))
        for reply in range(node.hit_replies):
            set_count = part_size(node, cell, reply)
            ships.misses_by_sides[cell * node.hit_replies + reply] = 0
            distinguished = set_count if set_count < 2 else 0
            if set_count > 1:
                for own_misses in range(2):
                    ships.misses_by_sides[cell * node.hit_replies + reply] += fill_levels(
                        node, cell, reply, own_misses, leaves, groups, levels + own_misses * MISS_COUNTS)
            for misses in range(node.cell_count + 1):
                for own_misses in range(misses + 1):
                    if distinguished == set_count:
                        break
                    distinguished = max(distinguished,
                                        min(levels[own_misses], levels[MISS_COUNTS + misses - own_misses]))
                finished_of_cell[misses] += distinguished
        for misses in range(node.cell_count + 1):
            ships.finished_by_sides[misses] = max(ships.finished_by_sides[misses], finished_of_cell[misses])
    free(groups)
    ships.has_sides = True


cdef int fill_levels(const Node* node, int cell, int reply, bint is_on_ship, const int64_t* leaves,
                     AlikeSets* groups, int32_t* levels) noexcept nogil:
    """Fill levels[t], the most sets of a part that t misses on a side distinguish; return their total misses.

    is_on_ship -- True for the side that the ship of that label may have; False for the other one.
    """
    cdef const Cells* set_ships
    cdef Cells side = 0
    cdef int set_index, w, per_set = node.ships.per_set, label_ship = 0, part_sets = 0, group_count = 0
    cdef int slot_mask = 1, misses = 0
    cdef uint64_t sets_left, slot
    cdef int32_t* slots = <int32_t*>(groups + node.set_count)
    cdef AlikeSets* group
    while node.ships.reply[label_ship] != reply:
        label_ship += 1
    for w in range(node.column_words):
        sets_left = sets_with_reply(node, cell, reply, w)
        part_sets += popcount(sets_left)
        while sets_left:
            side |= node.ships.masks[(64 * w + pop_bit(&sets_left)) * per_set + label_ship]
    if not is_on_ship:                 # then the sets with an equal ship are alike
        side = ~side
    while slot_mask < 2 * part_sets:
        slot_mask *= 2
    memset(slots, 0, slot_mask * sizeof(int32_t))
    memset(levels, 0, (node.cell_count + 1) * sizeof(int32_t))
    slot_mask -= 1
    for w in range(node.column_words):
        sets_left = sets_with_reply(node, cell, reply, w)
        while sets_left:
            set_index = 64 * w + pop_bit(&sets_left)
            set_ships = node.ships.masks + set_index * per_set
            slot = hash_side(set_ships, per_set, ~side)
            while slots[slot & slot_mask] and not are_alike(
                    set_ships, node.ships.masks + groups[slots[slot & slot_mask] - 1].first * per_set,
                    per_set, ~side):
                slot += 1
            if not slots[slot & slot_mask]:
                begin_group(groups + group_count, set_index, set_ships, per_set, side
                            & ~one(node.grid_cell[cell]), leaves)
                group_count += 1
                slots[slot & slot_mask] = group_count
            group = groups + slots[slot & slot_mask] - 1
            group.set_count += 1
            while (group.misses < node.cell_count and group.sequences
                   * leaves[group.cell_count * MISS_COUNTS + group.misses] < group.set_count):
                group.misses += 1
            levels[group.misses] += 1
            misses += group.misses
    for set_index in range(node.cell_count):
        levels[set_index + 1] += levels[set_index]
    return misses


cdef inline uint64_t hash_side(const Cells* set_ships, int per_set, Cells side) noexcept nogil:
    """Return a hash of the cells of a set's ships on one side."""
    cdef uint64_t hash = 0
    cdef Cells cells
    cdef int ship
    for ship in range(per_set):
        cells = set_ships[ship] & side
        hash = scramble(hash + low(cells) + 3 * high(cells))
    return hash


cdef inline void begin_group(AlikeSets* group, int first, const Cells* set_ships, int per_set, Cells side,
                             const int64_t* leaves) noexcept nogil:
    """Begin a group by its first set, not yet counted; side -- the cells that distinguish its sets."""
    cdef int ship, ship_cells
    group.first, group.set_count, group.misses = first, 0, 0
    group.sequences, group.cell_count = 1, 0
    for ship in range(per_set):
        ship_cells = size(set_ships[ship] & side)
        group.sequences *= leaves[ship_cells * MISS_COUNTS + group.cell_count]   # a binomial coefficient
        group.cell_count += ship_cells


cdef inline bint are_alike(const Cells* set_ships, const Cells* other_ships, int per_set,
                           Cells side) noexcept nogil:
    """True if the ships of two sets have equal cells on a side."""
    cdef int ship
    for ship in range(per_set):
        if (set_ships[ship] ^ other_ships[ship]) & side:
            return False
    return True


# Independent sides

cdef int independent_classes(const Node* node, Cells* class_cells) noexcept nogil:
    """Divide the cells into classes, so that cells of different classes are independent in pairs.

    Fill `class_cells`, and return the number of classes.
    """
    cdef int class_of[MAX_CELLS]
    cdef int cell_count = node.cell_count, cell, member, other_cell, class_count = 0
    cdef bint grows
    for cell in range(cell_count):
        class_of[cell] = -1
    for cell in range(cell_count):
        if class_of[cell] >= 0:
            continue
        class_cells[class_count] = 0
        class_of[cell] = class_count
        grows = True
        while grows:
            grows = False
            for member in range(cell_count):
                if class_of[member] == class_count and not (
                        class_cells[class_count] & one(node.grid_cell[member])):
                    class_cells[class_count] |= one(node.grid_cell[member])
                    grows = True
                    for other_cell in range(cell_count):
                        if class_of[other_cell] < 0 and (
                                <int64_t>node.pair_counts[member * cell_count + other_cell] * node.set_count
                                != <int64_t>node.cell_counts[member] * node.cell_counts[other_cell]):
                            class_of[other_cell] = class_count
        class_count += 1
    return class_count


cdef bint take_factors(const Node* node, const Cells* class_cells, int class_count,
                       Node** factors) except -1 nogil:
    """True if a family is the product of its restrictions to the classes of cells; fill these factors.

    The caller frees the factors in any case.
    """
    cdef int set_index, factor, distinct_count
    cdef int64_t product = 1
    cdef Cells* sorted_cells = <Cells*>allocate(node.set_count * sizeof(Cells))
    try:
        for factor in range(class_count):
            for set_index in range(node.set_count):
                sorted_cells[set_index] = node.set_cells[set_index] & class_cells[factor]
            qsort(sorted_cells, node.set_count, sizeof(Cells), compare_cells)
            distinct_count = 1
            for set_index in range(1, node.set_count):
                if sorted_cells[set_index] != sorted_cells[distinct_count - 1]:
                    sorted_cells[distinct_count] = sorted_cells[set_index]
                    distinct_count += 1
            product *= distinct_count
            if product > node.set_count:
                return False
            factors[factor] = new_node(distinct_count, node.cell_count, node.budget, False)
            memcpy(factors[factor].set_cells, sorted_cells, distinct_count * sizeof(Cells))
        return product == node.set_count
    finally:
        free(sorted_cells)
