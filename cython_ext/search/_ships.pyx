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

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset

from cells cimport MAX_CELLS, Cells, ctz, first, one
from optsearch.compiled.search._family cimport LABELS, SINKINGS, Node, Ships, chosen_of
from optsearch.compiled.search._table cimport hash_bytes


cdef struct Weighted:
    int64_t weight
    int i


cdef int heavier(const void* a, const void* b) noexcept nogil:
    cdef const Weighted* x = <const Weighted*>a
    cdef const Weighted* y = <const Weighted*>b
    if x.weight != y.weight:
        return 1 if x.weight < y.weight else -1
    return x.i - y.i


cdef int more_cells(const void* a, const void* b) noexcept nogil:
    cdef Cells x = (<const Cells*>a)[0], y = (<const Cells*>b)[0]
    return (x > y) - (x < y)


cdef int larger(const void* a, const void* b) noexcept nogil:
    return (<const int32_t*>b)[0] - (<const int32_t*>a)[0]


cdef void order_ships(Cells* ships, const unsigned char* label, int s) noexcept nogil:
    """Sort ships of one label in ascending order."""
    cdef int i, j
    cdef Cells ship
    for i in range(1, s):
        ship = ships[i]
        j = i
        while j > 0 and label[j - 1] == label[i] and ships[j - 1] > ship:
            ships[j] = ships[j - 1]
            j -= 1
        ships[j] = ship


# Parts

cdef int take_ships(const Node* node, int c, int code, Node* part) except -1 nogil:
    """Fill the ships and weights of the part that gives a reply; see `take_part`."""
    cdef const Ships* from_ships = &node.ships
    cdef Ships* ships = &part.ships
    cdef Cells bit = one(node.cell[c])
    cdef const Cells* item
    cdef Cells* out = ships.masks
    cdef uint64_t chosen
    cdef int s = from_ships.s, gone = s, w, i, j, n = 0
    if node.kind == SINKINGS and 0 < code < node.codes:
        while from_ships.code[gone - 1] != code:
            gone -= 1
        gone -= 1                      # a ship of that label; sets may differ in which one is sunk
    ships.s, ships.apart = s - (gone < s), from_ships.apart
    for j in range(ships.s):
        ships.label[j] = from_ships.label[j + (j >= gone)]
    for w in range(node.width):
        chosen = chosen_of(node, c, code, w)
        while chosen:
            i = 64 * w + ctz(chosen)
            chosen &= chosen - 1
            item = from_ships.masks + i * s
            for j in range(s):
                if gone == s or item[j] != bit:
                    out[0] = item[j] & ~bit
                    out += 1
            if part.weights != NULL:
                part.weights[n] = 1 if node.weights == NULL else node.weights[i]
            n += 1
    if node.kind != SINKINGS:
        return 0
    if code < node.codes:
        for i in range(n):
            order_ships(ships.masks + i * ships.s, ships.label, ships.s)
        if not ships.apart:
            merge(part)
    forget_weights(part)
    return 0


cdef void forget_weights(Node* node) noexcept nogil:
    """Drop the weights if the greatest is 1, so that all are 1."""
    if node.weights != NULL and node.weights[0] == 1:
        node.weights = node.light = NULL


cdef int merge(Node* node) except -1 nogil:
    """Merge equal sets, adding their weights, and sort by falling weight."""
    cdef int s = node.ships.s, i, j, n = 0, size = 4
    cdef size_t bytes = s * sizeof(Cells)
    cdef Cells* masks = node.ships.masks
    cdef int32_t* numbers
    cdef uint64_t at
    while size < 2 * node.n:
        size *= 2
    numbers = <int32_t*>calloc(size, sizeof(int32_t))
    if numbers == NULL:
        with gil:
            raise MemoryError
    for i in range(node.n):
        at = hash_bytes(<unsigned char*>(masks + i * s), bytes)
        while True:
            j = numbers[at & (size - 1)] - 1
            if j < 0 or memcmp(masks + j * s, masks + i * s, bytes) == 0:
                break
            at += 1
        if j >= 0:
            node.weights[j] += node.weights[i]
            continue
        memcpy(masks + n * s, masks + i * s, bytes)
        node.weights[n] = node.weights[i]
        n += 1
        numbers[at & (size - 1)] = n
    free(numbers)
    node.n, node.width = n, (n + 63) // 64
    for i in range(1, n):
        if node.weights[i] > node.weights[i - 1]:
            sort_by_weight(node)
            break
    return 0


cdef int sort_by_weight(Node* node) except -1 nogil:
    """Sort the sets by falling weight."""
    cdef int s = node.ships.s, i
    cdef Weighted* order = <Weighted*>malloc(node.n * sizeof(Weighted))
    cdef Cells* masks = <Cells*>malloc(node.n * s * sizeof(Cells))
    if order == NULL or masks == NULL:
        free(order)
        free(masks)
        with gil:
            raise MemoryError
    for i in range(node.n):
        order[i].weight, order[i].i = node.weights[i], i
    qsort(order, node.n, sizeof(Weighted), heavier)
    memcpy(masks, node.ships.masks, node.n * s * sizeof(Cells))
    for i in range(node.n):
        node.weights[i] = order[i].weight
        memcpy(node.ships.masks + i * s, masks + order[i].i * s, s * sizeof(Cells))
    free(order)
    free(masks)
    return 0


# Cells and ships left out

cdef void strip_ships(Node* node) noexcept nogil:
    """Leave out the cells or ships that all sets share, except in a `whole` family; fill `rows`."""
    fill_rows(node)
    if node.whole:
        return
    if node.kind == LABELS:
        strip_cells(node)
    else:
        strip_equal_ships(node)
    fill_rows(node)


cdef void fill_rows(Node* node) noexcept nogil:
    """Fill in the rows: the cells of all ships of each set."""
    cdef int i, j, s = node.ships.s
    cdef const Cells* item = node.ships.masks
    cdef Cells cells
    for i in range(node.n):
        cells = 0
        for j in range(s):
            cells |= item[j]
        node.rows[i] = cells
        item += s


cdef void strip_cells(Node* node) noexcept nogil:
    """Leave out the cells on which all sets have the same label, and ships without a cell left."""
    cdef Ships* ships = &node.ships
    cdef Cells common, some
    cdef int i, j, k, s
    for j in range(ships.s - 1, -1, -1):
        s = ships.s
        common, some = ~<Cells>0, 0
        for i in range(node.n):
            common &= ships.masks[i * s + j]
            some |= ships.masks[i * s + j]
        if common:
            for i in range(node.n):
                ships.masks[i * s + j] &= ~common
        if some == common:
            ships.s -= 1
            for k in range(j, ships.s):
                ships.label[k] = ships.label[k + 1]
            for i in range(node.n):
                for k in range(s):
                    if k != j:
                        ships.masks[i * ships.s + k - (k > j)] = ships.masks[i * s + k]


cdef void strip_equal_ships(Node* node) noexcept nogil:
    """Leave out the ships that all sets have."""
    cdef Ships* ships = &node.ships
    cdef Cells every = ~<Cells>0, ship
    cdef Cells* item
    cdef Cells* out
    cdef int i, j, k, s
    cdef bint common
    for i in range(node.n):
        every &= node.rows[i]
    if not every:
        return
    for j in range(ships.s - 1, -1, -1):
        s = ships.s
        ship = ships.masks[j]
        common = not ship & ~every
        for i in range(1, node.n):
            if not common:
                break
            common = place_of(ships, i, ship, ships.label[j]) >= 0
        if not common:
            continue
        out = ships.masks
        for i in range(node.n):
            item = ships.masks + i * s
            k = place_of(ships, i, ship, ships.label[j])
            memcpy_down(out, item, k)
            memcpy_down(out + k, item + k + 1, s - 1 - k)
            out += s - 1
        ships.s -= 1
        for k in range(j, ships.s):
            ships.label[k] = ships.label[k + 1]


cdef inline void memcpy_down(Cells* out, const Cells* cells, int n) noexcept nogil:
    """Copy cells to an address that is not above theirs, so that they may overlap."""
    cdef int i
    for i in range(n):
        out[i] = cells[i]


cdef int place_of(const Ships* ships, int i, Cells ship, unsigned char label) noexcept nogil:
    """Return the index of a ship, by cells and label, in a set; or -1."""
    cdef const Cells* item = ships.masks + i * ships.s
    cdef int k
    for k in range(ships.s):
        if item[k] == ship and ships.label[k] == label:
            return k
    return -1


# Replies

cdef void count_replies(Node* node) noexcept nogil:
    """Fill the codes, the sets by reply, and the groups of sets with equal cells, from ships and columns."""
    cdef Ships* ships = &node.ships
    cdef int index[MAX_CELLS]
    cdef uint64_t codes_on[MAX_CELLS]
    cdef const Cells* item = ships.masks
    cdef Cells ship
    cdef uint64_t* replies
    cdef int i, j, c, code, codes
    number_codes(node)
    codes = node.codes
    for c in range(node.m):
        index[node.cell[c]] = c
        codes_on[c] = 0
    memset(node.replies, 0, <size_t>node.m * codes * node.width * 8)
    for i in range(node.n):
        replies = node.replies + (i >> 6)
        for j in range(ships.s):
            ship = item[j]
            code = ships.code[j]
            if node.kind == SINKINGS and ship & (ship - 1):
                code = 0
            while ship:
                c = index[first(ship)]
                ship &= ship - 1
                replies[(c * codes + code) * node.width] |= <uint64_t>1 << (i & 63)
                codes_on[c] |= <uint64_t>1 << ships.code[j]
        item += ships.s
    for c in range(node.m):
        ships.is_told[c] = codes_on[c] & (codes_on[c] - 1) == 0 and (
            ships.ships_of_code[ctz(codes_on[c])] == 1)
    ships.groups = 0
    if node.kind == SINKINGS and not ships.apart:
        count_groups(node)


cdef void number_codes(Node* node) noexcept nogil:
    """Number the replies with a hit: 0 is a hit alone with SINKINGS, then come labels, the least first."""
    cdef Ships* ships = &node.ships
    cdef int j, code = -1 if node.kind == LABELS else 0
    memset(ships.ships_of_code, 0, sizeof(ships.ships_of_code))
    for j in range(ships.s - 1, -1, -1):
        if j == ships.s - 1 or ships.label[j] != ships.label[j + 1]:
            code += 1
        ships.code[j] = code
        ships.ships_of_code[code] += 1
    node.codes = code + 1


cdef void count_groups(Node* node) noexcept nogil:
    """Fill `grouped`, the numbers of sets in the 0, 1, 2, … largest groups with equal cells."""
    cdef Ships* ships = &node.ships
    cdef Cells* rows = <Cells*>malloc(node.n * sizeof(Cells))
    cdef int32_t* sizes = ships.grouped + 1
    cdef int i, n = 0
    ships.grouped[0], sizes[0] = 0, 1
    if rows == NULL:                   # one group is a weaker bound, but a true one
        ships.groups, sizes[0] = 1, node.n
        return
    memcpy(rows, node.rows, node.n * sizeof(Cells))
    qsort(rows, node.n, sizeof(Cells), more_cells)
    for i in range(1, node.n):
        if rows[i] != rows[i - 1]:
            n += 1
            sizes[n] = 0
        sizes[n] += 1
    free(rows)
    ships.groups = n + 1
    qsort(sizes, ships.groups, sizeof(int32_t), larger)
    for i in range(1, ships.groups):
        sizes[i] += sizes[i - 1]
