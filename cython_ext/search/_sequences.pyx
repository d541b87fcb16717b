"""The number of sequences of the replies with a hit in a game, if hits tell something.

The replies of a game with k hits and j misses are a sequence that ends in a hit, and the sets with one
sequence have equal cells: those of its hits. With SINKINGS they may be several sets: {AB, C} and {BC, A}
both answer B, A, C by hit, sunk, sunk. The misses have C(k - 1 + j, j) possible places; counted here are
the sequences of the replies with a hit, `sequences`.

LABELS: k! / prod(k_l!), if each set has k_l cells of label l.

SINKINGS: at most C(k - 1, s - 1) * s! / prod(m_l!) for s ships, m_l of them of label l. There are fewer,
since r ships sunk of label l take at least the cells of the r smallest ones: a sinking at hit number p,
after which r_l ships of label l are sunk, needs sum over l and i <= r_l of (the least size, over all sets,
of the i-th smallest ship of label l) <= p. The sequences that satisfy this are counted; with many labels
the formula is used.
"""

from libc.stdint cimport int64_t

from cells cimport MAX_CELLS, size
from leaves cimport MISS_COUNTS
from optsearch.compiled.search._family cimport LABELS, MAX_CODES, Node, Ships

cdef enum:
    MAX_VECTORS = 96           # numbers of ships sunk of each label, up to which sequences are counted


cdef void count_sequences(Node* node, const int64_t* leaves) noexcept nogil:
    """Fill sequences[0], a bound on the sequences of replies with a hit, and [1 + reply], if one was first.

    leaves -- the table of `leaves.pxd`.
    """
    cdef Ships* ships = &node.ships
    cdef int reply, vector_count = 1
    if node.reply_kind == LABELS:
        for reply in range(-1, node.hit_replies):
            ships.sequences[1 + reply] = count_label_sequences(node, leaves, reply)
        return
    for reply in range(1, node.hit_replies):
        vector_count *= ships.ships_of_reply[reply] + 1
        if vector_count > MAX_VECTORS:
            break
    if vector_count <= MAX_VECTORS:
        count_sinking_sequences(node)
        return
    for reply in range(-1, node.hit_replies):
        ships.sequences[1 + reply] = bound_sinking_sequences(node, leaves, reply)


cdef inline int64_t binomial(const int64_t* leaves, int total, int chosen) noexcept nogil:
    """Return the binomial coefficient C(total, chosen) from the table of `leaves.pxd`; at most MANY."""
    return min(MANY, leaves[(total - chosen) * MISS_COUNTS + chosen]) if 0 <= chosen <= total else 0


cdef int64_t count_label_sequences(const Node* node, const int64_t* leaves, int first_reply) noexcept nogil:
    """Count the sequences of labels after a first reply, or all if that is -1; at most MANY."""
    cdef int64_t sequences = 1
    cdef int j, ship_cells, total_cells = 0
    for j in range(node.ships.per_set):
        ship_cells = size(node.ships.masks[j]) - (node.ships.reply[j] == first_reply)
        total_cells += ship_cells
        sequences = min(MANY, sequences * binomial(leaves, total_cells, ship_cells))
    return sequences


cdef int64_t bound_sinking_sequences(const Node* node, const int64_t* leaves, int first_reply) noexcept nogil:
    """Bound the sequences by the formula, after a first reply, or all if that is -1; at most MANY."""
    cdef int hits = node.max_hits - (first_reply >= 0)
    cdef int ship_count = node.ships.per_set - (first_reply > 0), reply, label_ships, total_ships = 0
    cdef int64_t sequences = (binomial(leaves, hits - 1, ship_count - 1) if hits >= 1 and ship_count >= 1
                              else 1)
    for reply in range(1, node.hit_replies):      # s! / prod(m_l!) as a product of binomials
        label_ships = node.ships.ships_of_reply[reply] - (reply == first_reply)
        total_ships += label_ships
        sequences = min(MANY, sequences * binomial(leaves, total_ships, label_ships))
    return sequences


cdef void count_sinking_sequences(Node* node) noexcept nogil:
    """Fill `sequences` by counting how each can end, from the last hit to the first."""
    cdef Ships* ships = &node.ships
    cdef int place_values[MAX_CODES + 1]   # a vector has the ships sunk of each label as digits
    cdef int64_t counts[2 * MAX_VECTORS]   # two rows by hits so far: [vector] completions
    cdef int least_cells[MAX_VECTORS]
    cdef int vector, next_vector, sunk, reply, vector_count = 1, hits, row = 0, next_row
    cdef int64_t count
    for reply in range(1, node.hit_replies):
        place_values[reply] = vector_count
        vector_count *= ships.ships_of_reply[reply] + 1
    fill_least_cells(node, place_values, vector_count, least_cells)
    for vector in range(vector_count):
        counts[vector] = 0
    counts[vector_count - 1] = 1                # all are sunk after the last hit
    for hits in range(node.max_hits - 1, -1, -1):
        next_row, row = row, MAX_VECTORS - row
        for vector in range(vector_count):
            count = counts[next_row + vector] if vector < vector_count - 1 else 0
            if hits == 0 and vector == 0:
                ships.sequences[1] = count
            for reply in range(1, node.hit_replies):
                sunk = vector // place_values[reply] % (ships.ships_of_reply[reply] + 1)
                next_vector = vector + place_values[reply]
                if sunk < ships.ships_of_reply[reply] and least_cells[next_vector] <= hits + 1:
                    count += counts[next_row + next_vector]
                    if hits == 0 and vector == 0:
                        ships.sequences[1 + reply] = counts[next_row + next_vector]
                elif hits == 0 and vector == 0:
                    ships.sequences[1 + reply] = 0
            counts[row + vector] = min(count, MANY)
    ships.sequences[0] = counts[row]


cdef void fill_least_cells(const Node* node, const int* place_values, int vector_count,
                           int* least_cells) noexcept nogil:
    """Fill least_cells[i], the fewest cells of the ships sunk in vector i, whose digits count them."""
    cdef const Ships* ships = &node.ships
    cdef int smallest[MAX_CODES * MAX_CELLS]  # [reply * MAX_CELLS + r] cells of the (r + 1)th smallest ship
    cdef int sizes[MAX_CELLS]
    cdef int i, j, rank, p, reply, ship_size
    for reply in range(1, node.hit_replies):
        for rank in range(ships.ships_of_reply[reply]):
            smallest[reply * MAX_CELLS + rank] = MAX_CELLS
    for i in range(node.set_count):
        j = 0
        while j < ships.per_set:                 # the ships of one label, by size
            reply = ships.reply[j]
            rank = 0
            while j < ships.per_set and ships.reply[j] == reply:
                ship_size = size(ships.masks[i * ships.per_set + j])
                p = rank
                while p > 0 and sizes[p - 1] > ship_size:
                    sizes[p] = sizes[p - 1]
                    p -= 1
                sizes[p] = ship_size
                rank += 1
                j += 1
            for p in range(rank):
                smallest[reply * MAX_CELLS + p] = min(smallest[reply * MAX_CELLS + p], sizes[p])
    for i in range(vector_count):
        least_cells[i] = 0
        for reply in range(1, node.hit_replies):
            rank = i // place_values[reply] % (ships.ships_of_reply[reply] + 1)
            for p in range(rank):
                least_cells[i] += smallest[reply * MAX_CELLS + p]
