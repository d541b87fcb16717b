"""A family of sets with counted cells: columns of bits, and the number of sets with each cell.

If hits tell nothing, a cell in every set is a certain hit and is left out; with merging, so is every
cell that lies in exactly the same sets as one before it. If they tell something, a set is a list of
ships, and `_ships` explains what is left out. Sets with weights are in the order of falling weights,
also in every part.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memset

from cells cimport MAX_CELLS, Cells, first, one, pop_bit, pop_cell, popcount, size
from columns cimport extract
from optsearch.compiled.search._ships cimport count_replies, fill_part_ships, leave_out_shared
from optsearch.compiled.shared._arena cimport allocate

cdef enum:
    SLOTS = 256               # a power of two above MAX_CELLS, below which numbers are bytes


cdef inline char* take_bytes(char** space, size_t bytes) noexcept nogil:
    """Take `bytes` bytes off the front of a space; return where they begin."""
    space[0] += bytes
    return space[0] - bytes


cdef Node* new_node(int set_count, int max_cells, int budget, bint is_weighted, int reply_kind=NOTHING,
                    int ships_per_set=0) except NULL nogil:
    """Allocate a family with at most `max_cells` undecided cells, not filled in yet.

    budget -- the misses still allowed, or negative for the mean. reply_kind -- what hits tell: NOTHING,
    LABELS or SINKINGS; if something, each set has `ships_per_set` ships.
    """
    cdef size_t column_words = (set_count + 63) // 64
    cdef size_t hit_replies = ships_per_set + 1 if reply_kind == SINKINGS else max(ships_per_set, 1)
    cdef size_t bytes = (sizeof(Node) + 16 + set_count * sizeof(Cells) + max_cells * column_words * 8
                         + max_cells * (8 + sizeof(Candidate) + hit_replies * 8 + 4 + 1) + max_cells
                         * max_cells * 4)
    cdef Node* node
    cdef char* space
    if reply_kind != NOTHING:
        bytes += (set_count * ships_per_set * sizeof(Cells) + max_cells * hit_replies
                  * (column_words * 8 + max_cells * 4 + 1)
                  + (set_count + 2 * max_cells + max_cells * hit_replies + 3) * sizeof(int32_t) + 2
                  * ships_per_set)
    if is_weighted:
        bytes += (2 * set_count + 1) * sizeof(int64_t) + set_count * sizeof(int32_t)
    elif set_count <= PRICED:
        bytes += set_count * sizeof(int32_t)
    node = <Node*>allocate(bytes)
    space = <char*>node + ((sizeof(Node) + 15) & ~15)
    node.set_cells = <Cells*>take_bytes(&space, set_count * sizeof(Cells))
    node.ships.masks = <Cells*>take_bytes(&space, set_count * ships_per_set * sizeof(Cells))
    node.columns = node.reply_columns = <uint64_t*>take_bytes(&space, max_cells * column_words * 8)
    node.weight_hit = <int64_t*>take_bytes(&space, max_cells * 8)
    node.reply_bounds = <int64_t*>take_bytes(&space, max_cells * hit_replies * 8)
    node.shots = <Candidate*>take_bytes(&space, max_cells * sizeof(Candidate))
    if reply_kind != NOTHING:
        node.reply_columns = <uint64_t*>take_bytes(&space, max_cells * hit_replies * column_words * 8)
    node.weights = node.lightest_sums = NULL
    if is_weighted:
        node.weights = <int64_t*>take_bytes(&space, set_count * sizeof(int64_t))
        node.lightest_sums = <int64_t*>take_bytes(&space, (set_count + 1) * sizeof(int64_t))
    node.cell_counts = <int32_t*>take_bytes(&space, max_cells * 4)
    node.pair_counts = node.reply_pair_counts = <int32_t*>take_bytes(&space, max_cells * max_cells * 4)
    node.search_index = <int32_t*>take_bytes(&space, set_count * sizeof(int32_t)) if is_weighted else NULL
    node.prices = NULL
    if not is_weighted and set_count <= PRICED:
        node.prices = <int32_t*>take_bytes(&space, set_count * sizeof(int32_t))
    if reply_kind != NOTHING:
        node.reply_pair_counts = <int32_t*>take_bytes(&space, max_cells * hit_replies * max_cells * 4)
        node.ships.largest_groups = <int32_t*>take_bytes(&space, (set_count + 1) * sizeof(int32_t))
        node.ships.finished_after_hit = <int32_t*>take_bytes(&space, (max_cells + 1) * sizeof(int32_t))
        node.ships.finished_by_sides = <int32_t*>take_bytes(&space, (max_cells + 1) * sizeof(int32_t))
        node.ships.misses_by_sides = <int32_t*>take_bytes(&space, max_cells * hit_replies * sizeof(int32_t))
        node.ships.has_sides = False
        node.ships.label = <unsigned char*>take_bytes(&space, ships_per_set)
        node.ships.reply = <unsigned char*>take_bytes(&space, ships_per_set)
        node.ships.identifies_ship = <unsigned char*>take_bytes(&space, max_cells)
    node.grid_cell = <uint8_t*>space
    node.set_count, node.column_words, node.budget = set_count, <int>column_words, budget
    node.reply_kind, node.hit_replies = reply_kind, 1
    node.ships.per_set, node.ships.has_distinct_cells = ships_per_set, False
    node.exact = node.has_shot_list = node.keeps_all_cells = node.uses_word_search = False
    node.has_prices = node.has_former_weights = False
    node.key.bytes = NULL
    node.identity.bucket_sum = node.identity.fingerprint = 0
    node.cell_count = node.max_hits = node.shot_count = 0
    node.lower = node.weight = 0
    return node


cdef void free_node(Node* node) noexcept nogil:
    """Free a node and its key; NULL is allowed."""
    if node != NULL:
        free(node.key.bytes)
        free(node)


cdef Node* take_part(const Node* node, int cell, int reply) except NULL nogil:
    """Return the part of a family with counted cells that gives a reply to a shot at a cell.

    reply -- of a hit, or node.hit_replies for a miss. If hits tell nothing, the columns of the part come
    from those of the family.
    """
    cdef bint is_miss = reply == node.hit_replies
    cdef int set_count = part_size(node, cell, reply)
    cdef Node* part = new_node(set_count, node.cell_count, node.budget - is_miss, node.weights != NULL
                               or node.reply_kind == SINKINGS, node.reply_kind, node.ships.per_set)
    cdef uint64_t sets_left
    cdef int i, w
    if node.reply_kind != NOTHING:
        fill_part_ships(node, cell, reply, part)
        return part
    part.has_prices = node.has_prices and is_miss
    part.has_former_weights = node.has_former_weights
    set_count = 0
    for w in range(node.column_words):
        sets_left = sets_with_reply(node, cell, reply, w)
        while sets_left:
            i = 64 * w + pop_bit(&sets_left)
            part.set_cells[set_count] = node.set_cells[i]
            if part.weights != NULL:
                part.weights[set_count], part.search_index[set_count] = node.weights[i], node.search_index[i]
            if part.has_prices:            # one miss is paid
                part.prices[set_count] = node.prices[i] - PRICE_OF_MISS
            set_count += 1
    if set_count > 1:
        extract_columns(node, cell, reply, part)
    else:
        part.set_cells[0] &= ~one(node.grid_cell[cell])
    return part


cdef void extract_columns(const Node* node, int cell, int reply, Node* part) noexcept nogil:
    """Fill the columns of a part: all but the one that was shot."""
    cdef uint64_t chosen, word
    cdef int w, other_cell, part_cell, bits_before = 0, bits
    cdef uint64_t* out_column
    memset(part.columns, 0, <size_t>node.cell_count * part.column_words * 8)
    for w in range(node.column_words):
        chosen = sets_with_reply(node, cell, reply, w)
        bits = popcount(chosen)
        out_column = part.columns + (bits_before >> 6)
        part_cell = 0
        for other_cell in range(node.cell_count):
            if other_cell == cell:
                continue
            word = extract(node.columns[other_cell * node.column_words + w], chosen)
            out_column[part_cell * part.column_words] |= word << (bits_before & 63)
            if (bits_before & 63) + bits > 64:
                out_column[part_cell * part.column_words + 1] |= word >> (64 - (bits_before & 63))
            part_cell += 1
        bits_before += bits
    part_cell = 0
    for other_cell in range(node.cell_count):
        if other_cell != cell:
            part.grid_cell[part_cell] = node.grid_cell[other_cell]
            part_cell += 1
    part.cell_count = part_cell


cdef void count_cells(Node* node, bint merging) noexcept nogil:
    """Count the sets with each cell, after leaving out and merging cells; one set alone is `exact`.

    The cells are those of `set_cells`, or of the ships.
    """
    if node.set_count == 1:
        node.weight = 1 if node.weights == NULL else node.weights[0]
        node.exact = True
        return
    if node.reply_kind != NOTHING:
        leave_out_shared(node)
    if node.cell_count == 0:                    # not a part of a family that has columns
        fill_columns(node)
    keep_columns(node, merging and not node.keeps_all_cells and node.reply_kind == NOTHING)
    if node.reply_kind != NOTHING:
        count_replies(node)
    if node.weights != NULL:
        weigh_cells(node)


cdef void fill_columns(Node* node) noexcept nogil:
    """Fill the columns from `set_cells`: for each cell the sets that have it, as bits."""
    cdef Cells all_cells = 0, cells_left
    cdef int i, cell_count = 0
    cdef uint64_t* column
    cdef uint64_t bit
    cdef uint8_t index_of[MAX_CELLS]
    for i in range(node.set_count):
        all_cells |= node.set_cells[i]
    cells_left = all_cells
    while cells_left:
        index_of[first(cells_left)] = cell_count
        node.grid_cell[cell_count] = pop_cell(&cells_left)
        cell_count += 1
    memset(node.columns, 0, <size_t>cell_count * node.column_words * 8)
    for i in range(node.set_count):
        cells_left = node.set_cells[i]
        bit = <uint64_t>1 << (i & 63)
        column = node.columns + (i >> 6)
        while cells_left:
            column[index_of[pop_cell(&cells_left)] * node.column_words] |= bit
    node.cell_count = cell_count


cdef void keep_columns(Node* node, bint merging) noexcept nogil:
    """Drop the cells that no set or every set has, and with `merging` all but one of equal columns.

    If hits tell something, a cell of every set stays. Fill `max_hits`, and `cell_counts`, `weight`
    and `weight_hit` as if all weights were 1.
    """
    cdef uint64_t fingerprints[MAX_CELLS]
    cdef uint8_t slots[SLOTS]         # by fingerprint: 1 + the index of a kept column, or 0
    cdef uint64_t fingerprint
    cdef int cell, i, w, set_count, kept_count = 0, words = node.column_words
    cdef const uint64_t* column
    cdef Cells kept_cells = 0
    if merging:
        memset(slots, 0, sizeof(slots))
    for cell in range(node.cell_count):
        column = node.columns + cell * words
        set_count = 0
        fingerprint = 0
        for w in range(words):
            set_count += popcount(column[w])
            fingerprint = (fingerprint ^ column[w]) * <uint64_t>0x9E3779B97F4A7C15
            fingerprint ^= fingerprint >> 32
        if set_count == 0 or set_count == node.set_count and node.reply_kind == NOTHING:
            continue
        if merging:
            i = fingerprint % SLOTS
            while slots[i] and (fingerprints[slots[i] - 1] != fingerprint or memcmp(
                    node.columns + (slots[i] - 1) * words, column, words * 8)):
                i = (i + 1) % SLOTS
            if slots[i]:
                continue
            slots[i] = kept_count + 1
            fingerprints[kept_count] = fingerprint
        if kept_count < cell:
            node.grid_cell[kept_count] = node.grid_cell[cell]
            for w in range(words):
                node.columns[kept_count * words + w] = column[w]
        node.cell_counts[kept_count] = set_count
        node.weight_hit[kept_count] = set_count
        kept_cells |= one(node.grid_cell[kept_count])
        kept_count += 1
    node.cell_count = kept_count
    node.weight = node.set_count
    node.max_hits = 0
    for i in range(node.set_count):
        node.set_cells[i] &= kept_cells
        node.max_hits = max(node.max_hits, size(node.set_cells[i]))


cdef void weigh_cells(Node* node) noexcept nogil:
    """Fill `lightest_sums`, `weight` and `weight_hit` from the weights."""
    cdef int i, cell, w
    cdef const uint64_t* column
    cdef uint64_t sets_left
    node.lightest_sums[0] = 0
    for i in range(node.set_count):
        node.lightest_sums[i + 1] = node.lightest_sums[i] + node.weights[node.set_count - 1 - i]
    node.weight = node.lightest_sums[node.set_count]
    for cell in range(node.cell_count):
        node.weight_hit[cell] = 0
        column = node.columns + cell * node.column_words
        for w in range(node.column_words):
            sets_left = column[w]
            while sets_left:
                node.weight_hit[cell] += node.weights[64 * w + pop_bit(&sets_left)]


cdef void count_pairs(Node* node) noexcept nogil:
    """Fill `pair_counts`, the sets with both of two cells, and `reply_pair_counts`, those with one reply."""
    cdef int cell, other_cell, w, cell_count = node.cell_count, words = node.column_words
    cdef int32_t common_sets
    cdef const uint64_t* column
    cdef const uint64_t* other_column
    for cell in range(cell_count):
        column = node.columns + cell * words
        node.pair_counts[cell * cell_count + cell] = node.cell_counts[cell]
        for other_cell in range(cell):
            other_column = node.columns + other_cell * words
            common_sets = 0
            for w in range(words):
                common_sets += popcount(column[w] & other_column[w])
            node.pair_counts[cell * cell_count + other_cell] = common_sets
            node.pair_counts[other_cell * cell_count + cell] = common_sets
    if node.reply_kind == NOTHING:
        return
    for cell in range(cell_count * node.hit_replies):
        column = node.reply_columns + cell * words
        for other_cell in range(cell_count):
            other_column = node.columns + other_cell * words
            common_sets = 0
            for w in range(words):
                common_sets += popcount(column[w] & other_column[w])
            node.reply_pair_counts[cell * cell_count + other_cell] = common_sets


cdef int most_frequent_cell(const Node* node) noexcept nogil:
    """Return the first cell that the most sets have."""
    cdef int cell, most_frequent = 0
    for cell in range(node.cell_count):
        if node.cell_counts[cell] > node.cell_counts[most_frequent]:
            most_frequent = cell
    return most_frequent


cdef int greatest_count(const Node* node) noexcept nogil:
    """Return the number of sets with the most frequent cell."""
    cdef int cell, greatest = 0
    for cell in range(node.cell_count):
        greatest = max(greatest, node.cell_counts[cell])
    return greatest
