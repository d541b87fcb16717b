"""Two nearly independent sides of the cells of a family, and the sets that are alike on one.

The rest of a ship that is hit has one of a few cells, and the other ships have much the same placements
for each of them: such cells are one side, the cells of the other ships the other.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy, memset

from cells cimport MAX_CELLS, Cells, ctz, high, low, one, size
from hashing cimport scramble
from leaves cimport TIMES
from optsearch.compiled.search._family cimport (
    Node, Ships, ascending_cells, chosen_of, new_node, part_size)

cdef enum:
    LINK = 1 << 12             # the link of two cells that determine each other


cdef Cells weak_cut(const Node* node) noexcept nogil:
    """Return the cells of one side that has weak links to the other cells; pairs must be counted.

    The side begins with the cell of greatest count, and grows by the cell with the greatest share of its
    links to cells inside. Of all sides on the way, the one with the least normalised cut is returned: the
    links between the sides divided by all links of the one, plus the same divided by all links of the other.
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
    """Return the link of two cells: the square of their correlation, in 1/LINK.

    It has no sum of products, so that all builds, also those that fuse them, get the same number.
    """
    cdef int64_t a = node.count[c], b = node.count[d], n = node.n
    cdef int64_t more = n * node.pair[c * node.m + d] - a * b
    return <int64_t>(
        <double>LINK * <double>more * <double>more
        / (<double>(a * (n - a)) * <double>(b * (n - b))))


cdef void count_links(const Node* node, int64_t* links) noexcept nogil:
    """Fill links[c], the sum of the links of cell c to all others."""
    cdef int c, d
    cdef int64_t strength
    for c in range(node.m):
        links[c] = 0
        for d in range(c):
            strength = link(node, c, d)
            links[c] += strength
            links[d] += strength


cdef int most_frequent(const Node* node) noexcept nogil:
    """Return the first cell of greatest count."""
    cdef int c, best = 0
    for c in range(node.m):
        if node.count[c] > node.count[best]:
            best = c
    return best


cdef int next_inside(const Node* node, int last, const int64_t* links, int64_t* inside,
                     const bint* taken) noexcept nogil:
    """Return the cell with the greatest share of its links inside; `inside` is raised by those to `last`."""
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
    """Sort the sets so that those with equal cells on one side are together."""
    cdef int i
    for i in range(node.n):
        rows[i].side = node.rows[i] & side
        rows[i].rest = node.rows[i] & ~side
    qsort(rows, node.n, sizeof(Row), by_side)


cdef int by_side(const void* a, const void* b) noexcept nogil:
    """Compare two rows for qsort by their cells on the side."""
    cdef Cells x = (<const Row*>a).side, y = (<const Row*>b).side
    return (x > y) - (x < y)


cdef Node* take_alike(const Node* node, const Row* rows, int n) except NULL nogil:
    """Return the family of n sets that are alike on one side, with cells not yet counted."""
    cdef Node* part = new_node(n, node.m, node.budget, False)
    cdef int i
    for i in range(n):
        part.rows[i] = rows[i].rest
    return part


# Hits with labels

cdef struct Alike:             # sets that are alike on a side, so far
    int first                  # one of them
    int number
    int level                  # the least misses that can distinguish them
    int hits                   # the number of their cells on the other side
    int64_t ways               # sequences of the labels of these cells


cdef void bound_by_sides(Node* node, const int64_t* leaves) noexcept nogil:
    """Fill `least` and `spread` of a family with LABELS, if there is memory for it.

    In the part with one label at a cell, let U be the cells that its ship may have, and V the rest. By leaf
    counting at most ways * C(k + t, t) of the sets that are alike on U are distinguished with t misses on
    V, and likewise with V and U (`_sequences`, `two_sided_bound` of `_search`). So any r of the sets have
    at least v_1 + ... + v_r misses on V, with v_i the least t that can distinguish i of the sets, and at
    least u_1 + ... + u_r on U. The sum for all sets of the part is `least`. `spread[s]` is the greatest
    number, over the cells, of sets with v_i + u_i <= s.
    """
    cdef Alike* alike = <Alike*>malloc(node.n * (sizeof(Alike) + 4 * sizeof(int32_t)))
    cdef int32_t levels[2 * TIMES]
    cdef int32_t spread[TIMES]
    cdef Ships* ships = &node.ships
    cdef int c, code, s, t, best, n
    if alike == NULL:
        return
    memset(ships.spread, 0, (node.m + 1) * sizeof(int32_t))
    for c in range(node.m):
        memset(spread, 0, sizeof(spread))
        for code in range(node.codes):
            n = part_size(node, c, code)
            ships.least[c * node.codes + code] = 0
            best = n if n < 2 else 0
            if n > 1:
                for t in range(2):
                    ships.least[c * node.codes + code] += count_levels(
                        node, c, code, t, leaves, alike, levels + t * TIMES)
            for s in range(node.m + 1):
                for t in range(s + 1):
                    if best == n:
                        break
                    best = max(best, min(levels[t], levels[TIMES + s - t]))
                spread[s] += best
        for s in range(node.m + 1):
            ships.spread[s] = max(ships.spread[s], spread[s])
    free(alike)
    ships.has_sides = True


cdef int count_levels(const Node* node, int c, int code, bint inside, const int64_t* leaves,
                      Alike* alike, int32_t* levels) noexcept nogil:
    """Fill levels[t], the most sets of a part distinguished with t misses on a side; return their sum of t.

    inside -- True for the side that the ship of that label may have; False for the other one.
    """
    cdef const Cells* item
    cdef Cells side = 0, mix
    cdef int i, j, w, number = 0, s = node.ships.s, ship = 0, sum = 0, mask = 1, total, cells
    cdef uint64_t chosen, hash
    cdef int32_t* table = <int32_t*>(alike + node.n)
    cdef Alike* one_side
    while node.ships.code[ship] != code:
        ship += 1
    for w in range(node.width):
        chosen = chosen_of(node, c, code, w)
        while chosen:
            side |= node.ships.masks[(64 * w + ctz(chosen)) * s + ship]
            chosen &= chosen - 1
            number += 1
    while mask < 2 * number:
        mask *= 2
    memset(table, 0, mask * sizeof(int32_t))
    memset(levels, 0, (node.m + 1) * sizeof(int32_t))
    if not inside:                     # then the sets with an equal ship are alike
        side = ~side
    number, mask = 0, mask - 1
    for w in range(node.width):
        chosen = chosen_of(node, c, code, w)
        while chosen:
            i = 64 * w + ctz(chosen)
            chosen &= chosen - 1
            item = node.ships.masks + i * s
            hash = 0
            for j in range(s):         # a hash of the other side, on which they are alike
                mix = item[j] & ~side
                hash = scramble(hash + low(mix) + 3 * high(mix))
            while table[hash & mask] and not are_alike(
                    item, node.ships.masks + alike[table[hash & mask] - 1].first * s, s, ~side):
                hash += 1
            if not table[hash & mask]:
                one_side = alike + number
                number += 1
                table[hash & mask] = number
                one_side.first, one_side.number, one_side.level = i, 0, 0
                one_side.ways, total = 1, 0
                for j in range(s):
                    cells = size(item[j] & side & ~one(node.cell[c]))
                    total += cells
                    one_side.ways *= leaves[cells * TIMES + total - cells]
                one_side.hits = total
            one_side = alike + table[hash & mask] - 1
            one_side.number += 1
            while (one_side.level < node.m
                   and one_side.ways * leaves[one_side.hits * TIMES + one_side.level] < one_side.number):
                one_side.level += 1
            levels[one_side.level] += 1
            sum += one_side.level
    for i in range(node.m):
        levels[i + 1] += levels[i]
    return sum


cdef inline bint are_alike(const Cells* a, const Cells* b, int s, Cells side) noexcept nogil:
    """True if two sets have equal cells and labels on a side."""
    cdef int j
    for j in range(s):
        if (a[j] ^ b[j]) & side:
            return False
    return True


# Independent sides

cdef int independent_classes(const Node* node, Cells* mask) noexcept nogil:
    """Fill `mask` with classes of cells, so that cells of different classes are independent in pairs.

    Return the number of classes.
    """
    cdef int part_of[MAX_CELLS]
    cdef int m = node.m, c, d, e, parts = 0
    cdef bint grows
    for c in range(m):
        part_of[c] = -1
    for c in range(m):
        if part_of[c] >= 0:
            continue
        mask[parts] = 0
        part_of[c] = parts
        grows = True
        while grows:
            grows = False
            for d in range(m):
                if part_of[d] == parts and not mask[parts] & one(node.cell[d]):
                    mask[parts] |= one(node.cell[d])
                    grows = True
                    for e in range(m):
                        if part_of[e] < 0 and (<int64_t>node.pair[d * m + e] * node.n
                                               != <int64_t>node.count[d] * node.count[e]):
                            part_of[e] = parts
        parts += 1
    return parts


cdef bint take_factors(const Node* node, const Cells* mask, int number,
                       Node** factors) except -1 nogil:
    """True if a family is the product of its restrictions to the classes of cells; fill these factors.

    The caller frees the factors in any case.
    """
    cdef int i, j, n
    cdef int64_t product = 1
    cdef Cells* rows = <Cells*>malloc(node.n * sizeof(Cells))
    if rows == NULL:
        with gil:
            raise MemoryError
    try:
        for j in range(number):
            for i in range(node.n):
                rows[i] = node.rows[i] & mask[j]
            qsort(rows, node.n, sizeof(Cells), ascending_cells)
            n = 1
            for i in range(1, node.n):
                if rows[i] != rows[n - 1]:
                    rows[n] = rows[i]
                    n += 1
            product *= n
            if product > node.n:
                return False
            factors[j] = new_node(n, node.m, node.budget, False)
            memcpy(factors[j].rows, rows, n * sizeof(Cells))
        return product == node.n
    finally:
        free(rows)
