"""The number of sequences of the replies with a hit in a game, if hits tell something.

The replies of a game with k hits and j misses are a sequence that ends in a hit, and the sets with one
sequence have equal cells: those of its hits. With SINKINGS they may be several sets: {AB, C} and {BC, A}
both answer B, A, C by hit, sunk, sunk. The misses have C(k - 1 + j, j) possible places; counted here are
the sequences of the replies with a hit, `ways`.

LABELS: k! / prod(k_l!), if each set has k_l cells of label l.

SINKINGS: at most C(k - 1, s - 1) * s! / prod(m_l!) for s ships, m_l of them of label l. There are fewer,
since r ships sunk of label l take at least the cells of the r smallest ones: a sinking at hit number p,
after which r_l ships of label l are sunk, needs sum over l and i <= r_l of (the least size, over all sets,
of the i-th smallest ship of label l) <= p. The sequences that satisfy this are counted; with many labels
the formula is used.
"""

from libc.stdint cimport int64_t

from cells cimport MAX_CELLS, size
from leaves cimport TIMES
from optsearch.compiled.search._family cimport LABELS, MAX_CODES, Node, Ships

cdef enum:
    MAX_VECTORS = 96           # numbers of ships sunk of each label, up to which sequences are counted


cdef void count_sequences(Node* node, const int64_t* leaves) noexcept nogil:
    """Fill ways[0], the most sequences of replies with a hit, and ways[1 + code], those after a first code.

    leaves -- the table of `leaves.pxd`.
    """
    cdef Ships* ships = &node.ships
    cdef int code, vectors = 1
    if node.kind == LABELS:
        for code in range(-1, node.codes):
            ships.ways[1 + code] = count_labels(node, leaves, code)
        return
    for code in range(1, node.codes):
        vectors *= ships.ships_of_code[code] + 1
        if vectors > MAX_VECTORS:
            break
    if vectors <= MAX_VECTORS:
        count_sinkings(node)
        return
    for code in range(-1, node.codes):
        ships.ways[1 + code] = count_all_sinkings(node, leaves, code)


cdef inline int64_t binomial(const int64_t* leaves, int a, int b) noexcept nogil:
    """Return the binomial coefficient C(a, b) from the table of `leaves.pxd`; at most MANY."""
    return min(MANY, leaves[(a - b) * TIMES + b]) if 0 <= b <= a else 0


cdef int64_t count_labels(const Node* node, const int64_t* leaves, int first) noexcept nogil:
    """Count the sequences of labels after a first one, or all if that is -1."""
    cdef int64_t ways = 1
    cdef int j, number, total = 0
    for j in range(node.ships.s):
        number = size(node.ships.masks[j]) - (node.ships.code[j] == first)
        total += number
        ways = min(MANY, ways * binomial(leaves, total, number))
    return ways


cdef int64_t count_all_sinkings(const Node* node, const int64_t* leaves, int first) noexcept nogil:
    """Count the sequences by the formula alone, after a first reply, or all if that is -1."""
    cdef int k = node.hits - (first >= 0), s = node.ships.s - (first > 0), code, number, total = 0
    cdef int64_t ways = binomial(leaves, k - 1, s - 1) if k >= 1 and s >= 1 else 1
    for code in range(1, node.codes):      # s! / prod(m_l!) as a product of binomials
        number = node.ships.ships_of_code[code] - (code == first)
        total += number
        ways = min(MANY, ways * binomial(leaves, total, number))
    return ways


cdef void count_sinkings(Node* node) noexcept nogil:
    """Fill `ways` for a few labels, from the last hit to the first."""
    cdef Ships* ships = &node.ships
    cdef int radix[MAX_CODES + 1]
    cdef int64_t counts[2 * MAX_VECTORS]   # two rows by hits so far: [vector] completions
    cdef int need[MAX_VECTORS]             # the least number of cells of the ships sunk
    cdef int i, j, r, code, vectors = 1, p, now = 0, then
    cdef int64_t count
    for code in range(1, node.codes):
        radix[code] = vectors
        vectors *= ships.ships_of_code[code] + 1
    find_needs(node, radix, vectors, need)
    for i in range(vectors):
        counts[i] = 0
    counts[vectors - 1] = 1                # all sunk after k hits
    for p in range(node.hits - 1, -1, -1):
        then, now = now, MAX_VECTORS - now
        for i in range(vectors):
            count = counts[then + i] if i < vectors - 1 else 0
            if p == 0 and i == 0:
                ships.ways[1] = count
            for code in range(1, node.codes):
                r = i // radix[code] % (ships.ships_of_code[code] + 1)
                j = i + radix[code]
                if r < ships.ships_of_code[code] and need[j] <= p + 1:
                    count += counts[then + j]
                    if p == 0 and i == 0:
                        ships.ways[1 + code] = counts[then + j]
                elif p == 0 and i == 0:
                    ships.ways[1 + code] = 0
            counts[now + i] = min(count, MANY)
    ships.ways[0] = counts[now]


cdef void find_needs(const Node* node, const int* radix, int vectors, int* need) noexcept nogil:
    """Fill need[i], the least number of cells of the ships sunk by vector i."""
    cdef const Ships* ships = &node.ships
    cdef int least[MAX_CODES * MAX_CELLS]  # [code * MAX_CELLS + r] of the r + 1 th ship
    cdef int sizes[MAX_CELLS]
    cdef int i, j, r, p, code, ship
    for code in range(1, node.codes):
        for r in range(ships.ships_of_code[code]):
            least[code * MAX_CELLS + r] = MAX_CELLS
    for i in range(node.n):
        j = 0
        while j < ships.s:                 # the ships of one label, by size
            code = ships.code[j]
            r = 0
            while j < ships.s and ships.code[j] == code:
                ship = size(ships.masks[i * ships.s + j])
                p = r
                while p > 0 and sizes[p - 1] > ship:
                    sizes[p] = sizes[p - 1]
                    p -= 1
                sizes[p] = ship
                r += 1
                j += 1
            for p in range(r):
                least[code * MAX_CELLS + p] = min(least[code * MAX_CELLS + p], sizes[p])
    for i in range(vectors):
        need[i] = 0
        for code in range(1, node.codes):
            r = i // radix[code] % (ships.ships_of_code[code] + 1)
            for p in range(r):
                need[i] += least[code * MAX_CELLS + p]
