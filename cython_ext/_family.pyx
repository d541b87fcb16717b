"""A family of sets taken stock of: its cells as columns of bits, and how many sets have them.

A cell in every set is a certain hit and is taken off; with merging, so is every cell that lies in
exactly the same sets as one before it.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset

from cells cimport MAX_CELLS, Cells, first, one, popcount, size


cdef Node* new_node(int n, int cells, int budget, bint weighted) except NULL nogil:
    """Memory for a family of n sets in which at most so many cells are undecided."""
    cdef size_t width = (n + 63) // 64
    cdef size_t bytes = (sizeof(Node) + 16 + n * sizeof(Cells) + cells * width * 8
                         + cells * (8 + sizeof(Candidate) + 4 + 1) + cells * cells * 4)
    cdef Node* node
    cdef char* space
    if weighted:
        bytes += (2 * n + 1) * sizeof(int64_t)
    elif n <= PRICED:
        bytes += n * sizeof(int32_t)
    node = <Node*>malloc(bytes)
    if node == NULL:
        with gil:
            raise MemoryError
    space = <char*>node + ((sizeof(Node) + 15) & ~15)
    node.rows = <Cells*>space
    space += n * sizeof(Cells)
    node.columns = <uint64_t*>space
    space += cells * width * 8
    node.weight_hit = <int64_t*>space
    space += cells * 8
    node.shots = <Candidate*>space
    space += cells * sizeof(Candidate)
    node.weights = node.light = NULL
    if weighted:
        node.weights = <int64_t*>space
        space += n * sizeof(int64_t)
        node.light = <int64_t*>space
        space += (n + 1) * sizeof(int64_t)
    node.count = <int32_t*>space
    space += cells * 4
    node.pair = <int32_t*>space
    space += cells * cells * 4
    node.prices = NULL
    if not weighted and n <= PRICED:
        node.prices = <int32_t*>space
        space += n * sizeof(int32_t)
    node.cell = <uint8_t*>space
    node.n, node.width, node.budget = n, <int>width, budget
    node.exact = node.listed = node.whole = node.on_word = node.priced = False
    node.key = NULL
    node.m = node.hits = node.shots_n = 0
    node.lower = node.weight = 0
    return node


cdef void free_node(Node* node) noexcept nogil:
    if node != NULL:
        free(node.key)
        free(node)


cdef Node* take_part(const Node* node, Cells bit, bint hit) except NULL nogil:
    """The sets of a family that have a cell, less that cell, or those that do not have it."""
    cdef int i, n = 0
    cdef Node* part
    for i in range(node.n):
        n += ((node.rows[i] & bit) != 0) == hit
    part = new_node(n, node.m, node.budget - (not hit), node.weights != NULL)
    part.priced = node.priced and not hit
    n = 0
    for i in range(node.n):
        if ((node.rows[i] & bit) != 0) == hit:
            part.rows[n] = node.rows[i] & ~bit
            if part.weights != NULL:
                part.weights[n] = node.weights[i]
            if part.priced:            # one miss is paid
                part.prices[n] = node.prices[i] - UNIT
            n += 1
    return part


cdef void take_stock(Node* node, bint merging) noexcept nogil:
    """From `rows` and `weights`: strip, merge, count. One set is exact: it misses nothing."""
    if node.n == 1:
        node.weight = 1 if node.weights == NULL else node.weights[0]
        node.exact = True
        return
    fill_columns(node)
    if merging and not node.whole:
        merge_columns(node)
    count_cells(node)
    if node.weights != NULL:
        weigh_cells(node)


cdef void fill_columns(Node* node) noexcept nogil:
    """Turn the rows, less what all of them have, into a column for each cell."""
    cdef Cells every = node.rows[0], some = 0, s
    cdef int i, c, m = 0
    cdef uint64_t* column
    cdef uint64_t word
    cdef uint8_t index[MAX_CELLS]
    for i in range(node.n):
        every &= node.rows[i]
        some |= node.rows[i]
    some &= ~every
    s = some
    while s:
        c = first(s)
        s &= s - 1
        index[c] = m
        node.cell[m] = c
        m += 1
    memset(node.columns, 0, <size_t>m * node.width * 8)
    for i in range(node.n):
        s = node.rows[i] & some
        node.rows[i] = s
        word = <uint64_t>1 << (i & 63)
        column = node.columns + (i >> 6)
        while s:
            column[index[first(s)] * node.width] |= word
            s &= s - 1
    node.m = m


cdef void merge_columns(Node* node) noexcept nogil:
    """Keep the first of equal columns, and take the cells of the others from the rows."""
    cdef uint64_t print_of[MAX_CELLS]
    cdef int c, d, i, w, kept = 0, width = node.width
    cdef const uint64_t* column
    cdef uint64_t word
    cdef Cells gone = 0
    for c in range(node.m):
        word = 0
        column = node.columns + c * width
        for w in range(width):
            word = (word ^ column[w]) * <uint64_t>0x9E3779B97F4A7C15
            word ^= word >> 32
        print_of[c] = word
    for c in range(node.m):
        for d in range(kept):
            if print_of[d] == print_of[c] and memcmp(
                    node.columns + d * width, node.columns + c * width, width * 8) == 0:
                gone |= one(node.cell[c])
                break
        else:
            if kept < c:
                node.cell[kept] = node.cell[c]
                print_of[kept] = print_of[c]
                memcpy(node.columns + kept * width, node.columns + c * width, width * 8)
            kept += 1
    if gone:
        for i in range(node.n):
            node.rows[i] &= ~gone
        node.m = kept


cdef void count_cells(Node* node) noexcept nogil:
    """Fill `hits`, and `count`, `weight` and `weight_hit` as if all weights were 1."""
    cdef int i, c, w, number
    cdef const uint64_t* column
    node.hits = 0
    for i in range(node.n):
        node.hits = max(node.hits, size(node.rows[i]))
    for c in range(node.m):
        number = 0
        column = node.columns + c * node.width
        for w in range(node.width):
            number += popcount(column[w])
        node.count[c] = number
        node.weight_hit[c] = number
    node.weight = node.n


cdef void weigh_cells(Node* node) noexcept nogil:
    """Fill `light`, `weight` and `weight_hit` from the weights."""
    cdef int i, c, w
    cdef const uint64_t* column
    cdef uint64_t word
    memcpy(node.light + 1, node.weights, node.n * sizeof(int64_t))
    qsort(node.light + 1, node.n, sizeof(int64_t), ascending_weights)
    node.light[0] = 0
    for i in range(node.n):
        node.light[i + 1] += node.light[i]
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
    """Fill `pair`."""
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


cdef int greatest_count(const Node* node) noexcept nogil:
    """In how many sets the most frequent cell is."""
    cdef int c, most = 0
    for c in range(node.m):
        most = max(most, node.count[c])
    return most


cdef int ascending_cells(const void* a, const void* b) noexcept nogil:
    cdef Cells x = (<const Cells*>a)[0], y = (<const Cells*>b)[0]
    return (x > y) - (x < y)


cdef int ascending_weights(const void* a, const void* b) noexcept nogil:
    cdef int64_t x = (<const int64_t*>a)[0], y = (<const int64_t*>b)[0]
    return (x > y) - (x < y)
