"""The normal form of a family: equal keys, equal optimum.

A key begins with a byte for the rule, the objective, the kind of replies, the presence of weights and the
naming of cells. The number of cells and the budget (0 for none) follow; if hits tell something, also the
labels of the ships as ranks. Then come the sets or their ships, each in equally many bytes and with its
weight unless all are 1; sets of at most 64 cells are ascending, others in the order of a hash. The whole
family is in its key, so a poor choice of names costs a table hit and never an answer.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from cells cimport MAX_CELLS, Cells, first, high, join, low, one, pop_bit, popcount, size
from columns cimport extract
from hashing cimport scramble
from objectives cimport MEAN
from optsearch.compiled.search._family cimport NOTHING, Node
from optsearch.compiled.search._ships cimport sort_ships
from optsearch.compiled.search._table cimport Key, hash_bytes
from optsearch.compiled.shared._arena cimport allocate
from options cimport Switches

cdef enum:
    RUN_LENGTH = 8                    # words of a run sorted by insertion
    INDEX_BITS = 31                # bits of the index of a set


cdef class NormalForm:
    """A writer of the keys of one search.

    cells -- of the grid. With `isomorphism` keys do not depend on their names there.
    """

    def __cinit__(self, int cells, int objective, int rule, Switches on):
        self.cells, self.objective, self.rule, self.use = cells, objective, rule, on

    cdef int write(self, Node* node) except -1 nogil:
        """Set the key of a family, allocated here and freed with it."""
        cdef Key* key = &node.key
        cdef bint has_ships = node.reply_kind != NOTHING, is_weighted = node.weights != NULL
        cdef int per_set = node.ships.per_set if has_ships else 1
        cdef int mask_count = node.set_count * per_set
        cdef int cell_total = node.cell_count if self.use.isomorphism else self.cells
        cdef int set_bytes = (cell_total + 7) // 8
        cdef int head_bytes = 4 + per_set if has_ships else 3
        cdef const Cells* masks = node.ships.masks if has_ships else node.set_cells
        cdef Cells* renamed = <Cells*>allocate(2 * mask_count * sizeof(Cells))
        cdef unsigned char* next_byte
        key.length = head_bytes + node.set_count * <Py_ssize_t>(
            per_set * set_bytes + (sizeof(int64_t) if is_weighted else 0))
        try:
            key.bytes = next_byte = <unsigned char*>allocate(key.length + sizeof(Cells))
            next_byte[0] = (node.reply_kind * 64 + self.rule * 16 + self.objective * 4 + is_weighted * 2
                            + self.use.isomorphism)
            next_byte[1] = cell_total
            next_byte[2] = 0 if self.objective == MEAN else node.budget + 1
            if has_ships:
                next_byte[3] = per_set
                memcpy(next_byte + 4, node.ships.reply, per_set)
            next_byte += head_bytes
            if self.use.isomorphism:
                self.relabel(node, masks, mask_count, renamed)
            else:
                memcpy(renamed, masks, mask_count * sizeof(Cells))
            if not has_ships and not is_weighted and set_bytes <= <int>sizeof(uint64_t):
                write_words(renamed, node.set_count, set_bytes, next_byte)
            else:
                write_by_hash(node, renamed, per_set, set_bytes, next_byte)
        finally:
            free(renamed)
        key.hash = hash_bytes(key.bytes, key.length)
        return 0

    cdef void relabel(self, const Node* node, const Cells* masks, int mask_count,
                      Cells* renamed) noexcept nogil:
        """Fill `renamed`: the sets, or their ships, with cells renamed 0, 1, ... by the family alone.

        Cells are coloured by refinement; while two have one colour, a cell of the first such class
        gets its own colour. If the cells of a class are not equivalent, the choice of that cell depends on
        their names, and the family with other names may get another key.
        """
        cdef uint64_t colour[MAX_CELLS]
        cdef int order[MAX_CELLS]
        cdef int new_index[MAX_CELLS]
        cdef int cell_count = node.cell_count, tie, i, cell, new_colours = 0
        cdef const Cells* numbered = renamed + mask_count
        number_cells(node, masks, mask_count, renamed + mask_count)
        for cell in range(cell_count):
            colour[cell] = scramble(node.cell_counts[cell])
        refine(node, numbered, colour, order)
        while True:
            tie = first_tie(colour, cell_count, order)
            if tie == cell_count:
                break
            new_colours += 1
            cell = order[tie]
            if (are_tied_twins(colour, cell_count, order, tie, numbered, mask_count)
                    if node.reply_kind != NOTHING else node.cell_counts[cell] == 1 and is_alone(node, cell)):
                separate_tied(colour, cell_count, order, tie)
                sort_by_colour(colour, cell_count, order)
                continue
            colour[cell] = scramble(colour[cell] + new_colours)
            refine(node, numbered, colour, order)
        for i in range(cell_count):
            new_index[order[i]] = i
        for i in range(mask_count):
            renamed[i] = renumber(numbered[i], new_index)


cdef inline uint64_t hash_set(const Cells* ships, int per_set, int64_t weight) noexcept nogil:
    """Return a hash of the ships of a set and its weight."""
    cdef uint64_t hash = <uint64_t>weight
    cdef int ship
    for ship in range(per_set):
        hash = (hash ^ low(ships[ship]) ^ 3 * high(ships[ship])) * <uint64_t>0xD6E8FEB86659FD93
        hash ^= hash >> 32
    return hash


cdef void number_cells(const Node* node, const Cells* masks, int mask_count, Cells* numbered) noexcept nogil:
    """Fill `numbered`: the sets, or their ships, with each cell replaced by its index in the family."""
    cdef int mask_index, cell
    cdef Cells cells = 0
    cdef uint64_t lower, higher
    for cell in range(node.cell_count):
        cells |= one(node.grid_cell[cell])
    lower, higher = low(cells), high(cells)
    cell = popcount(lower)
    for mask_index in range(mask_count):
        numbered[mask_index] = join(extract(low(masks[mask_index]), lower), 0)
        if higher:
            numbered[mask_index] |= join(extract(high(masks[mask_index]), higher), 0) << cell


cdef inline Cells renumber(Cells cells, const int* new_index) noexcept nogil:
    """Return a set with its cells renumbered by `new_index`."""
    cdef uint64_t word = low(cells)
    cdef Cells renamed = 0
    while word:
        renamed |= one(new_index[pop_bit(&word)])
    word = high(cells)
    while word:
        renamed |= one(new_index[64 + pop_bit(&word)])
    return renamed


cdef int write_by_hash(const Node* node, Cells* renamed, int per_set, int set_bytes,
                       unsigned char* next_byte) except -1 nogil:
    """Write sets in the order of a hash, each with its weight unless all are 1; renamed -- their ships."""
    cdef uint64_t* ranks = <uint64_t*>allocate(2 * node.set_count * sizeof(uint64_t))
    cdef const uint64_t* sorted_ranks
    cdef uint64_t index_mask = (<uint64_t>1 << INDEX_BITS) - 1
    cdef bint is_weighted = node.weights != NULL
    cdef int i, ship, set_index
    for i in range(node.set_count):    # the low bits of a rank are the index of the set
        if node.reply_kind != NOTHING:
            sort_ships(renamed + i * per_set, node.ships.label, per_set)
        ranks[i] = <uint64_t>i | (
            hash_set(renamed + i * per_set, per_set, node.weights[i] if is_weighted else 1) & ~index_mask)
    sorted_ranks = sorted_words(ranks, ranks + node.set_count, node.set_count)
    for i in range(node.set_count):
        set_index = <int>(sorted_ranks[i] & index_mask)
        for ship in range(set_index * per_set, (set_index + 1) * per_set):
            memcpy(next_byte, renamed + ship, sizeof(Cells))  # what follows is written over
            next_byte += set_bytes
        if is_weighted:
            memcpy(next_byte, node.weights + set_index, sizeof(int64_t))
            next_byte += sizeof(int64_t)
    free(ranks)
    return 0


cdef void write_words(const Cells* renamed, int set_count, int set_bytes,
                      unsigned char* next_byte) noexcept nogil:
    """Write sets of at most 64 cells in ascending order; `renamed` has room for twice as many."""
    cdef uint64_t* words = <uint64_t*>(renamed + set_count)
    cdef int i
    for i in range(set_count):
        words[i] = low(renamed[i])
    words = sorted_words(words, words + set_count, set_count)
    for i in range(set_count):
        memcpy(next_byte, &words[i], sizeof(uint64_t))  # little-endian: what follows is written over
        next_byte += set_bytes


cdef uint64_t* sorted_words(uint64_t* words, uint64_t* spare, int word_count) noexcept nogil:
    """Sort words in ascending order; return where they are: `words` or `spare`, which is as long."""
    cdef int left, right, merged, middle, end, start = 0, length = RUN_LENGTH
    cdef uint64_t word
    cdef bint takes_right
    for left in range(1, word_count):
        if left % RUN_LENGTH == 0:
            start = left
        word = words[left]
        right = left
        while right > start and words[right - 1] > word:
            words[right] = words[right - 1]
            right -= 1
        words[right] = word
    while length < word_count:
        start = 0
        while start < word_count:
            middle, end = min(start + length, word_count), min(start + 2 * length, word_count)
            left, right, merged = start, middle, start
            while left < middle and right < end:
                takes_right = words[right] < words[left]
                spare[merged] = words[right] if takes_right else words[left]
                merged += 1
                right += takes_right
                left += not takes_right
            memcpy(spare + merged, words + left, (middle - left) * sizeof(uint64_t))
            memcpy(spare + merged + middle - left, words + right, (end - right) * sizeof(uint64_t))
            start = end
        words, spare = spare, words
        length *= 2
    return words


cdef int sort_by_colour(const uint64_t* colour, int cell_count, int* order) noexcept nogil:
    """Sort the cells by colour; return the number of different colours."""
    cdef int cell, i, colours = cell_count
    for cell in range(cell_count):
        i = cell
        while i > 0 and colour[order[i - 1]] > colour[cell]:
            order[i] = order[i - 1]
            i -= 1
        order[i] = cell
    for i in range(1, cell_count):
        colours -= colour[order[i]] == colour[order[i - 1]]
    return colours


cdef int first_tie(const uint64_t* colour, int cell_count, const int* order) noexcept nogil:
    """Return the index in `order` of the first cell with the colour of the cell before it, or cell_count."""
    cdef int i
    for i in range(1, cell_count):
        if colour[order[i]] == colour[order[i - 1]]:
            return i
    return cell_count


cdef void separate_tied(uint64_t* colour, int cell_count, const int* order, int tie) noexcept nogil:
    """Give different colours to cells of one colour for which any order gives the same family.

    These are sets of one cell that no other set has, and twins.
    """
    cdef int end = tie
    while end < cell_count and colour[order[end]] == colour[order[tie - 1]]:
        end += 1
    for end in range(tie, end):
        colour[order[end]] = scramble(colour[order[end]] + end)


cdef bint are_tied_twins(const uint64_t* colour, int cell_count, const int* order, int tie,
                         const Cells* masks, int mask_count) noexcept nogil:
    """True if every ship has all cells of the tie's colour, or none of them."""
    cdef Cells twins = one(order[tie - 1]), some_twins
    cdef int j = tie
    while j < cell_count and colour[order[j]] == colour[order[tie]]:
        twins |= one(order[j])
        j += 1
    for j in range(mask_count):
        some_twins = masks[j] & twins
        if some_twins and some_twins != twins:
            return False
    return True


cdef bint is_alone(const Node* node, int cell) noexcept nogil:
    """True if the only set with this cell has no other cell."""
    cdef int word
    for word in range(node.column_words):
        if node.columns[cell * node.column_words + word]:
            return size(node.set_cells[64 * word
                                       + first(<Cells>node.columns[cell * node.column_words + word])]) == 1
    return False


cdef void refine(const Node* node, const Cells* numbered, uint64_t* colour, int* order) noexcept nogil:
    """Colour the cells by the sets they are in, and these by their cells, and sort them by colour.

    Two rounds at a time, for as long as that distinguishes more cells: one round would leave the far ends
    of a path alike, and their order would depend on their names.
    """
    cdef int colours_before = 0, colours = 0
    while True:
        for _ in range(2):
            if node.reply_kind == NOTHING:
                colour_by_sets(node, numbered, colour)
            else:
                colour_by_ships(node, numbered, colour)
        colours = sort_by_colour(colour, node.cell_count, order)
        if colours == node.cell_count or colours <= colours_before:
            return
        colours_before = colours


cdef void colour_by_sets(const Node* node, const Cells* numbered, uint64_t* colour) noexcept nogil:
    """Colour each cell anew, by the colours of the cells of the sets that it is in."""
    cdef uint64_t set_colour, weight
    cdef uint64_t sums[MAX_CELLS]
    cdef int i, cell
    memset(sums, 0, node.cell_count * sizeof(uint64_t))
    for i in range(node.set_count):
        weight = 0 if node.weights == NULL else <uint64_t>node.weights[i]
        set_colour = scramble(weight + sum_over(numbered[i], colour))
        add_to_cells(numbered[i], set_colour, sums)
    for cell in range(node.cell_count):
        colour[cell] = scramble(sums[cell] + scramble(colour[cell]))


cdef inline uint64_t sum_over(Cells cells, const uint64_t* colour) noexcept nogil:
    """Return the sum of the colours of these cells."""
    cdef uint64_t sum = 0, cells_left = low(cells)
    while cells_left:
        sum += colour[pop_bit(&cells_left)]
    cells_left = high(cells)
    while cells_left:
        sum += colour[64 + pop_bit(&cells_left)]
    return sum


cdef inline void add_to_cells(Cells cells, uint64_t amount, uint64_t* sums) noexcept nogil:
    """Add a number to the sum of each of these cells."""
    cdef uint64_t cells_left = low(cells)
    while cells_left:
        sums[pop_bit(&cells_left)] += amount
    cells_left = high(cells)
    while cells_left:
        sums[64 + pop_bit(&cells_left)] += amount


cdef void colour_by_ships(const Node* node, const Cells* numbered, uint64_t* colour) noexcept nogil:
    """Colour each cell anew, by the colours of the ships and the sets that it is in."""
    cdef uint64_t sums[MAX_CELLS]
    cdef uint64_t ship_colours[MAX_CELLS]
    cdef uint64_t set_colour
    cdef int i, ship, cell, per_set = node.ships.per_set
    memset(sums, 0, node.cell_count * sizeof(uint64_t))
    for i in range(node.set_count):
        set_colour = 1 if node.weights == NULL else <uint64_t>node.weights[i]
        for ship in range(per_set):
            ship_colours[ship] = scramble(node.ships.reply[ship]
                                          + sum_over(numbered[i * per_set + ship], colour))
            set_colour += ship_colours[ship]
        set_colour = scramble(set_colour)
        for ship in range(per_set):
            add_to_cells(numbered[i * per_set + ship], scramble(set_colour + 3 * ship_colours[ship]), sums)
    for cell in range(node.cell_count):
        colour[cell] = scramble(sums[cell] + scramble(colour[cell]))
