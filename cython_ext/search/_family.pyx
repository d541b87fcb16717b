"""A family of sets with counted cells: columns of bits, and the number of sets with each cell.

If hits tell nothing, a cell in every set is a certain hit and is left out; with merging, so is every
cell that lies in exactly the same sets as one before it. If they tell something, a set is a list of
ships, and `_ships` explains what is left out. Sets with weights are in the order of falling weights,
also in every part.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memset

from cells cimport MAX_CELLS, Cells, ctz, first, one, popcount, size
from columns cimport extract
from optsearch.compiled.search._ships cimport count_replies, strip_ships, take_ships

cdef enum:
    PLACES = 256               # a power of two above MAX_CELLS, below which numbers are bytes


cdef inline char* cut(char** space, size_t bytes) noexcept nogil:
    """Take `bytes` bytes off the front of a space; return where they begin."""
    space[0] += bytes
    return space[0] - bytes


cdef Node* new_node(int n, int cells, int budget, bint weighted, int kind=NOTHING,
                    int s=0) except NULL nogil:
    """Return the memory of a family of n sets with at most `cells` undecided cells, not filled in yet.

    s -- the number of ships of each set, if hits tell something.
    """
    cdef size_t width = (n + 63) // 64, codes = s + 1 if kind == SINKINGS else max(s, 1)
    cdef size_t bytes = (sizeof(Node) + 16 + n * sizeof(Cells) + cells * width * 8
                         + cells * (8 + sizeof(Candidate) + codes * 8 + 4 + 1) + cells * cells * 4)
    cdef Node* node
    cdef char* space
    if kind != NOTHING:
        bytes += (n * s * sizeof(Cells) + cells * codes * (width * 8 + cells * 4 + 1)
                  + (n + 2 * cells + cells * codes + 3) * sizeof(int32_t) + 2 * s)
    if weighted:
        bytes += (2 * n + 1) * sizeof(int64_t) + n * sizeof(int32_t)
    elif n <= PRICED:
        bytes += n * sizeof(int32_t)
    node = <Node*>malloc(bytes)
    if node == NULL:
        with gil:
            raise MemoryError
    space = <char*>node + ((sizeof(Node) + 15) & ~15)
    node.rows = <Cells*>cut(&space, n * sizeof(Cells))
    node.ships.masks = <Cells*>cut(&space, n * s * sizeof(Cells))
    node.columns = node.replies = <uint64_t*>cut(&space, cells * width * 8)
    node.weight_hit = <int64_t*>cut(&space, cells * 8)
    node.part_bound = <int64_t*>cut(&space, cells * codes * 8)
    node.shots = <Candidate*>cut(&space, cells * sizeof(Candidate))
    if kind != NOTHING:
        node.replies = <uint64_t*>cut(&space, cells * codes * width * 8)
    node.weights = node.light = NULL
    if weighted:
        node.weights = <int64_t*>cut(&space, n * sizeof(int64_t))
        node.light = <int64_t*>cut(&space, (n + 1) * sizeof(int64_t))
    node.count = <int32_t*>cut(&space, cells * 4)
    node.pair = node.part_pair = <int32_t*>cut(&space, cells * cells * 4)
    node.place = <int32_t*>cut(&space, n * sizeof(int32_t)) if weighted else NULL
    node.prices = NULL
    if not weighted and n <= PRICED:
        node.prices = <int32_t*>cut(&space, n * sizeof(int32_t))
    if kind != NOTHING:
        node.part_pair = <int32_t*>cut(&space, cells * codes * cells * 4)
        node.ships.grouped = <int32_t*>cut(&space, (n + 1) * sizeof(int32_t))
        node.ships.after = <int32_t*>cut(&space, (cells + 1) * sizeof(int32_t))
        node.ships.spread = <int32_t*>cut(&space, (cells + 1) * sizeof(int32_t))
        node.ships.least = <int32_t*>cut(&space, cells * codes * sizeof(int32_t))
        node.ships.has_sides = False
        node.ships.label = <unsigned char*>cut(&space, s)
        node.ships.code = <unsigned char*>cut(&space, s)
        node.ships.is_told = <unsigned char*>cut(&space, cells)
    node.cell = <uint8_t*>space
    node.n, node.width, node.budget = n, <int>width, budget
    node.kind, node.codes, node.ships.s, node.ships.apart = kind, 1, s, False
    node.exact = node.listed = node.whole = node.on_word = node.priced = node.former = False
    node.key.bytes = NULL
    node.identity.place = node.identity.print = 0
    node.m = node.hits = node.shots_n = 0
    node.lower = node.weight = 0
    return node


cdef void free_node(Node* node) noexcept nogil:
    """Free a node and its key; NULL is allowed."""
    if node != NULL:
        free(node.key.bytes)
        free(node)


cdef Node* take_part(const Node* node, int c, int code) except NULL nogil:
    """Return the sets of a family with counted cells that give a reply to a shot at its cell number c.

    code -- of a reply with a hit, or node.codes for a miss. If hits tell nothing, the columns of the
    part come from those of the family, without the bits of the other sets.
    """
    cdef bint missed = code == node.codes
    cdef int n = part_size(node, c, code)
    cdef Node* part = new_node(n, node.m, node.budget - missed,
                               node.weights != NULL or node.kind == SINKINGS,
                               node.kind, node.ships.s)
    cdef uint64_t chosen
    cdef int i, w
    if node.kind != NOTHING:
        take_ships(node, c, code, part)
        return part
    part.priced = node.priced and missed
    part.former = node.former
    n = 0
    for w in range(node.width):
        chosen = chosen_of(node, c, code, w)
        while chosen:
            i = 64 * w + ctz(chosen)
            chosen &= chosen - 1
            part.rows[n] = node.rows[i]
            if part.weights != NULL:
                part.weights[n], part.place[n] = node.weights[i], node.place[i]
            if part.priced:            # one miss is paid
                part.prices[n] = node.prices[i] - PRICE_OF_MISS
            n += 1
    if n > 1:
        extract_columns(node, c, code, part)
    else:
        part.rows[0] &= ~one(node.cell[c])
    return part


cdef void extract_columns(const Node* node, int c, int code, Node* part) noexcept nogil:
    """Fill the columns of a part: all but the one that was shot."""
    cdef uint64_t chosen, word
    cdef int w, d, m, place = 0, number
    cdef uint64_t* out
    memset(part.columns, 0, <size_t>node.m * part.width * 8)
    for w in range(node.width):
        chosen = chosen_of(node, c, code, w)
        number = popcount(chosen)
        out = part.columns + (place >> 6)
        m = 0
        for d in range(node.m):
            if d == c:
                continue
            word = extract(node.columns[d * node.width + w], chosen)
            out[m * part.width] |= word << (place & 63)
            if (place & 63) + number > 64:
                out[m * part.width + 1] |= word >> (64 - (place & 63))
            m += 1
        place += number
    m = 0
    for d in range(node.m):
        if d != c:
            part.cell[m] = node.cell[d]
            m += 1
    part.m = m


cdef void count_cells(Node* node, bint merging) noexcept nogil:
    """Leave out and merge cells, and count the sets with each; a family of one set is `exact`.

    The cells are those of `rows`, or of the ships.
    """
    if node.n == 1:
        node.weight = 1 if node.weights == NULL else node.weights[0]
        node.exact = True
        return
    if node.kind != NOTHING:
        strip_ships(node)
    if node.m == 0:                    # not a part of a family that has columns
        fill_columns(node)
    keep_columns(node, merging and not node.whole and node.kind == NOTHING)
    if node.kind != NOTHING:
        count_replies(node)
    if node.weights != NULL:
        weigh_cells(node)


cdef void fill_columns(Node* node) noexcept nogil:
    """Fill in the columns from the rows: for each cell the sets that have it, as bits."""
    cdef Cells some = 0, s
    cdef int i, m = 0
    cdef uint64_t* column
    cdef uint64_t word
    cdef uint8_t index[MAX_CELLS]
    for i in range(node.n):
        some |= node.rows[i]
    s = some
    while s:
        index[first(s)] = m
        node.cell[m] = first(s)
        s &= s - 1
        m += 1
    memset(node.columns, 0, <size_t>m * node.width * 8)
    for i in range(node.n):
        s = node.rows[i]
        word = <uint64_t>1 << (i & 63)
        column = node.columns + (i >> 6)
        while s:
            column[index[first(s)] * node.width] |= word
            s &= s - 1
    node.m = m


cdef void keep_columns(Node* node, bint merging) noexcept nogil:
    """Keep the columns that some of the sets have and some not, and with `merging` one of equal ones.

    If hits tell something, a cell that all sets have is kept. Fill `hits`, and `count`, `weight` and
    `weight_hit` as if all weights were 1.
    """
    cdef uint64_t print_of[MAX_CELLS]
    cdef uint8_t place[PLACES]         # by print: 1 + the index of a column that is kept, or 0
    cdef uint64_t word
    cdef int c, i, w, number, m = 0, width = node.width
    cdef const uint64_t* column
    cdef Cells kept = 0
    if merging:
        memset(place, 0, sizeof(place))
    for c in range(node.m):
        column = node.columns + c * width
        number = 0
        word = 0
        for w in range(width):
            number += popcount(column[w])
            word = (word ^ column[w]) * <uint64_t>0x9E3779B97F4A7C15
            word ^= word >> 32
        if number == 0 or number == node.n and node.kind == NOTHING:
            continue
        if merging:
            i = word % PLACES
            while place[i] and (print_of[place[i] - 1] != word or memcmp(
                    node.columns + (place[i] - 1) * width, column, width * 8)):
                i = (i + 1) % PLACES
            if place[i]:
                continue
            place[i] = m + 1
            print_of[m] = word
        if m < c:
            node.cell[m] = node.cell[c]
            for w in range(width):
                node.columns[m * width + w] = column[w]
        node.count[m] = number
        node.weight_hit[m] = number
        kept |= one(node.cell[m])
        m += 1
    node.m = m
    node.weight = node.n
    node.hits = 0
    for i in range(node.n):
        node.rows[i] &= kept
        node.hits = max(node.hits, size(node.rows[i]))


cdef void weigh_cells(Node* node) noexcept nogil:
    """Fill `light`, `weight` and `weight_hit` from the weights."""
    cdef int i, c, w
    cdef const uint64_t* column
    cdef uint64_t word
    node.light[0] = 0
    for i in range(node.n):
        node.light[i + 1] = node.light[i] + node.weights[node.n - 1 - i]
    node.weight = node.light[node.n]
    for c in range(node.m):
        node.weight_hit[c] = 0
        column = node.columns + c * node.width
        for w in range(node.width):
            word = column[w]
            while word:
                node.weight_hit[c] += node.weights[64 * w + first(<Cells>word)]
                word &= word - 1


cdef void count_pairs(Node* node) noexcept nogil:
    """Fill `pair`, the number of sets with two cells, and `part_pair`, that of the sets with one reply."""
    cdef int c, d, w, m = node.m, width = node.width
    cdef int32_t number
    cdef const uint64_t* a
    cdef const uint64_t* b
    for c in range(m):
        a = node.columns + c * width
        node.pair[c * m + c] = node.count[c]
        for d in range(c):
            b = node.columns + d * width
            number = 0
            for w in range(width):
                number += popcount(a[w] & b[w])
            node.pair[c * m + d] = number
            node.pair[d * m + c] = number
    if node.kind == NOTHING:
        return
    for c in range(m * node.codes):
        a = node.replies + c * width
        for d in range(m):
            b = node.columns + d * width
            number = 0
            for w in range(width):
                number += popcount(a[w] & b[w])
            node.part_pair[c * m + d] = number


cdef int greatest_count(const Node* node) noexcept nogil:
    """Return the number of sets with the most frequent cell."""
    cdef int c, most = 0
    for c in range(node.m):
        most = max(most, node.count[c])
    return most


cdef int ascending_cells(const void* a, const void* b) noexcept nogil:
    """Compare two sets of cells for qsort, the smaller number first."""
    cdef Cells x = (<const Cells*>a)[0], y = (<const Cells*>b)[0]
    return (x > y) - (x < y)
