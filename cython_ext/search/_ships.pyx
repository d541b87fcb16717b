"""Families whose hits tell something: a set is a list of ships, each with a label.

All sets of a family have equal numbers of cells and equal labels, because they got equal replies. Ships
are sorted by falling label, and ships of one label as ascending numbers, so that equal sets are equal
bytes. A hit has one of two kinds of replies:

- LABELS: the label of its ship. Ships of one label are one here, so that a set has one ship of each, and
  all sets have equal numbers of its cells. The time of a shot does not change the reply.
- SINKINGS: at the last cell of a ship that it is sunk, and its label; else only hit. Sets with equal
  ships left become one, with the sum of their weights.

Cells and ships that all sets share tell nothing and are left out: with LABELS a cell on which all have
the same label; with SINKINGS a ship that all have, cells and label. Replies on its cells are equal in all
sets, and it does not affect other replies. So leaving out these shots makes a strategy for the rest, and
adding them at the end makes one for the whole, with as many misses. Another cell that all sets have costs
nothing, but it tells something. With LABELS it may be shot at once; with SINKINGS the time of its shot
decides which shot is answered by the sinking, so it is a shot like others.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcmp, memcpy, memmove, memset

from cells cimport MAX_CELLS, Cells, ctz, one, pop_bit, pop_cell
from optsearch.compiled.search._family cimport (
    LABELS, SINKINGS, Node, Ships, compare_cells, sets_with_reply)
from optsearch.compiled.search._table cimport hash_bytes
from optsearch.compiled.shared._arena cimport allocate


cdef int compare_falling(const void* a, const void* b) noexcept nogil:
    return (<const int32_t*>b)[0] - (<const int32_t*>a)[0]


cdef void sort_ships(Cells* ships, const unsigned char* labels, int ship_count) noexcept nogil:
    """Sort ships of one label in ascending order."""
    cdef int i, j
    cdef Cells ship
    for i in range(1, ship_count):
        ship = ships[i]
        j = i
        while j > 0 and labels[j - 1] == labels[i] and ships[j - 1] > ship:
            ships[j] = ships[j - 1]
            j -= 1
        ships[j] = ship


# Parts

cdef int fill_part_ships(const Node* node, int cell, int reply, Node* part) except -1 nogil:
    """Fill the ships and weights of the part that gives a reply; see `take_part`."""
    cdef const Ships* from_ships = &node.ships
    cdef Ships* ships = &part.ships
    cdef Cells shot_cell = one(node.grid_cell[cell])
    cdef const Cells* set_ships
    cdef Cells* out_ship = ships.masks
    cdef uint64_t sets_left
    cdef int per_set = from_ships.per_set, sunk_ship = per_set, w, i, j, set_count = 0
    if node.reply_kind == SINKINGS and 0 < reply < node.hit_replies:
        while from_ships.reply[sunk_ship - 1] != reply:
            sunk_ship -= 1
        sunk_ship -= 1                      # a ship of that label; sets may differ in which one is sunk
    ships.per_set, ships.has_distinct_cells = per_set - (sunk_ship < per_set), from_ships.has_distinct_cells
    for j in range(ships.per_set):
        ships.label[j] = from_ships.label[j + (j >= sunk_ship)]
    for w in range(node.column_words):
        sets_left = sets_with_reply(node, cell, reply, w)
        while sets_left:
            i = 64 * w + pop_bit(&sets_left)
            set_ships = from_ships.masks + i * per_set
            for j in range(per_set):
                if sunk_ship == per_set or set_ships[j] != shot_cell:
                    out_ship[0] = set_ships[j] & ~shot_cell
                    out_ship += 1
            if part.weights != NULL:
                part.weights[set_count] = 1 if node.weights == NULL else node.weights[i]
            set_count += 1
    if node.reply_kind != SINKINGS:
        return 0
    if reply < node.hit_replies:
        for i in range(set_count):
            sort_ships(ships.masks + i * ships.per_set, ships.label, ships.per_set)
        if not ships.has_distinct_cells:
            merge_equal_sets(part)
    drop_unit_weights(part)
    return 0


cdef void drop_unit_weights(Node* node) noexcept nogil:
    """Drop the weights if the greatest is 1, so that all are 1."""
    if node.weights != NULL and node.weights[0] == 1:
        node.weights = node.lightest_sums = NULL


cdef int merge_equal_sets(Node* node) except -1 nogil:
    """Merge equal sets, adding their weights, and sort by falling weight."""
    cdef int per_set = node.ships.per_set, i, equal_set, merged_count = 0, slot_count = 4
    cdef size_t set_bytes = per_set * sizeof(Cells)
    cdef Cells* masks = node.ships.masks
    cdef int32_t* slots
    cdef uint64_t slot
    while slot_count < 2 * node.set_count:
        slot_count *= 2
    slots = <int32_t*>allocate(slot_count * sizeof(int32_t))
    memset(slots, 0, slot_count * sizeof(int32_t))
    for i in range(node.set_count):
        slot = hash_bytes(<unsigned char*>(masks + i * per_set), set_bytes)
        while True:
            equal_set = slots[slot & (slot_count - 1)] - 1
            if equal_set < 0 or memcmp(masks + equal_set * per_set, masks + i * per_set, set_bytes) == 0:
                break
            slot += 1
        if equal_set >= 0:
            node.weights[equal_set] += node.weights[i]
            continue
        memcpy(masks + merged_count * per_set, masks + i * per_set, set_bytes)
        node.weights[merged_count] = node.weights[i]
        merged_count += 1
        slots[slot & (slot_count - 1)] = merged_count
    free(slots)
    node.set_count, node.column_words = merged_count, (merged_count + 63) // 64
    for i in range(1, merged_count):
        if node.weights[i] > node.weights[i - 1]:
            sort_by_weight(node)
            break
    return 0


cdef int sort_by_weight(Node* node) except -1 nogil:
    """Sort the sets by falling weight; equal weights keep their order."""
    cdef int per_set = node.ships.per_set, i
    cdef size_t masks_bytes = node.set_count * per_set * sizeof(Cells)
    cdef WeightedSet* order = <WeightedSet*>allocate(node.set_count * sizeof(WeightedSet) + masks_bytes)
    cdef Cells* old_masks = <Cells*>(order + node.set_count)
    for i in range(node.set_count):
        order[i].weight, order[i].index = node.weights[i], i
    qsort(order, node.set_count, sizeof(WeightedSet), compare_by_falling_weight)
    memcpy(old_masks, node.ships.masks, masks_bytes)
    for i in range(node.set_count):
        node.weights[i] = order[i].weight
        memcpy(node.ships.masks + i * per_set, old_masks + order[i].index * per_set, per_set * sizeof(Cells))
    free(order)
    return 0


# Cells and ships left out

cdef void leave_out_shared(Node* node) noexcept nogil:
    """Leave out the cells or ships that all sets share, unless `keeps_all_cells`; fill `set_cells`."""
    fill_set_cells(node)
    if node.keeps_all_cells:
        return
    if node.reply_kind == LABELS:
        leave_out_shared_cells(node)
    else:
        leave_out_shared_ships(node)
    fill_set_cells(node)


cdef void fill_set_cells(Node* node) noexcept nogil:
    """Fill `set_cells`: the cells of all ships of each set."""
    cdef int i, j, per_set = node.ships.per_set
    cdef const Cells* set_ships = node.ships.masks
    cdef Cells cells
    for i in range(node.set_count):
        cells = 0
        for j in range(per_set):
            cells |= set_ships[j]
        node.set_cells[i] = cells
        set_ships += per_set


cdef void leave_out_shared_cells(Node* node) noexcept nogil:
    """Leave out the cells on which all sets have the same label, and ships without a cell left."""
    cdef Ships* ships = &node.ships
    cdef Cells common_cells, any_cells
    cdef int i, ship, per_set
    for ship in range(ships.per_set - 1, -1, -1):
        per_set = ships.per_set
        common_cells, any_cells = ~<Cells>0, 0
        for i in range(node.set_count):
            common_cells &= ships.masks[i * per_set + ship]
            any_cells |= ships.masks[i * per_set + ship]
        if common_cells:
            for i in range(node.set_count):
                ships.masks[i * per_set + ship] &= ~common_cells
        if any_cells == common_cells:
            ships.per_set -= 1
            memmove(ships.label + ship, ships.label + ship + 1, ships.per_set - ship)
            for i in range(node.set_count):
                drop_ship(ships.masks + i * ships.per_set, ships.masks + i * per_set, ship, per_set)


cdef void leave_out_shared_ships(Node* node) noexcept nogil:
    """Leave out the ships that all sets have."""
    cdef Ships* ships = &node.ships
    cdef Cells common_cells = ~<Cells>0, ship
    cdef int i, j, per_set
    cdef bint is_shared
    for i in range(node.set_count):
        common_cells &= node.set_cells[i]
    if not common_cells:
        return
    for j in range(ships.per_set - 1, -1, -1):
        per_set = ships.per_set
        ship = ships.masks[j]
        is_shared = not ship & ~common_cells
        for i in range(1, node.set_count):
            if not is_shared:
                break
            is_shared = find_ship(ships, i, ship, ships.label[j]) >= 0
        if not is_shared:
            continue
        for i in range(node.set_count):
            drop_ship(ships.masks + i * (per_set - 1), ships.masks + i * per_set,
                      find_ship(ships, i, ship, ships.label[j]), per_set)
        ships.per_set -= 1
        memmove(ships.label + j, ships.label + j + 1, ships.per_set - j)


cdef inline void drop_ship(Cells* out, const Cells* ships, int place, int ship_count) noexcept nogil:
    """Copy the ships of a set but one to `out`, which may overlap them."""
    memmove(out, ships, place * sizeof(Cells))
    memmove(out + place, ships + place + 1, (ship_count - 1 - place) * sizeof(Cells))


cdef int find_ship(const Ships* ships, int set_index, Cells ship, unsigned char label) noexcept nogil:
    """Return the index of a ship, by cells and label, in a set; or -1."""
    cdef const Cells* set_ships = ships.masks + set_index * ships.per_set
    cdef int k
    for k in range(ships.per_set):
        if set_ships[k] == ship and ships.label[k] == label:
            return k
    return -1


# Replies

cdef void count_replies(Node* node) noexcept nogil:
    """Number the replies; fill the sets with each reply, and the groups of sets with equal cells."""
    cdef Ships* ships = &node.ships
    cdef int index_of[MAX_CELLS]
    cdef uint64_t replies_on[MAX_CELLS]
    cdef const Cells* set_ships = ships.masks
    cdef Cells ship
    cdef uint64_t* reply_words
    cdef int i, j, cell, reply, hit_replies
    number_replies(node)
    hit_replies = node.hit_replies
    for cell in range(node.cell_count):
        index_of[node.grid_cell[cell]] = cell
        replies_on[cell] = 0
    memset(node.reply_columns, 0, <size_t>node.cell_count * hit_replies * node.column_words * 8)
    for i in range(node.set_count):
        reply_words = node.reply_columns + (i >> 6)
        for j in range(ships.per_set):
            ship = set_ships[j]
            reply = ships.reply[j]
            if node.reply_kind == SINKINGS and ship & (ship - 1):
                reply = 0
            while ship:
                cell = index_of[pop_cell(&ship)]
                reply_words[(cell * hit_replies + reply) * node.column_words] |= <uint64_t>1 << (i & 63)
                replies_on[cell] |= <uint64_t>1 << ships.reply[j]
        set_ships += ships.per_set
    for cell in range(node.cell_count):
        ships.identifies_ship[cell] = replies_on[cell] & (replies_on[cell] - 1) == 0 and (
            ships.ships_of_reply[ctz(replies_on[cell])] == 1)
    ships.group_count = 0
    if node.reply_kind == SINKINGS and not ships.has_distinct_cells:
        count_groups(node)


cdef void number_replies(Node* node) noexcept nogil:
    """Number the replies with a hit: 0 is a hit alone with SINKINGS, then come labels, the least first."""
    cdef Ships* ships = &node.ships
    cdef int j, reply = -1 if node.reply_kind == LABELS else 0
    memset(ships.ships_of_reply, 0, sizeof(ships.ships_of_reply))
    for j in range(ships.per_set - 1, -1, -1):
        if j == ships.per_set - 1 or ships.label[j] != ships.label[j + 1]:
            reply += 1
        ships.reply[j] = reply
        ships.ships_of_reply[reply] += 1
    node.hit_replies = reply + 1


cdef void count_groups(Node* node) noexcept nogil:
    """Fill largest_groups[i], the number of sets in the i largest groups with equal cells."""
    cdef Ships* ships = &node.ships
    cdef Cells* sorted_cells = <Cells*>malloc(node.set_count * sizeof(Cells))
    cdef int32_t* group_sizes = ships.largest_groups + 1
    cdef int i, last_group = 0
    ships.largest_groups[0], group_sizes[0] = 0, 1
    if sorted_cells == NULL:                   # one group is a weaker bound, but a true one
        ships.group_count, group_sizes[0] = 1, node.set_count
        return
    memcpy(sorted_cells, node.set_cells, node.set_count * sizeof(Cells))
    qsort(sorted_cells, node.set_count, sizeof(Cells), compare_cells)
    for i in range(1, node.set_count):
        if sorted_cells[i] != sorted_cells[i - 1]:
            last_group += 1
            group_sizes[last_group] = 0
        group_sizes[last_group] += 1
    free(sorted_cells)
    ships.group_count = last_group + 1
    qsort(group_sizes, ships.group_count, sizeof(int32_t), compare_falling)
    for i in range(1, ships.group_count):
        group_sizes[i] += group_sizes[i - 1]
