"""The normal form of a family: equal keys, equal optimum.

A key begins with a byte for the rule, the objective, the kind of replies, the presence of weights and the
naming of cells. The number of cells and the budget (0 for none) follow; if hits tell something, also the
labels of the ships as ranks. Then come the sets or their ships, each in equally many bytes and with its
weight unless all are 1; sets of at most 64 cells are ascending, others in the order of a hash. The whole
family is in its key, so a poor choice of names costs a table hit and never an answer.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from cells cimport MAX_CELLS, Cells, ctz, first, high, join, low, one, popcount, size
from columns cimport extract
from hashing cimport scramble
from objectives cimport MEAN
from optsearch.compiled.search._family cimport NOTHING, Node
from optsearch.compiled.search._ships cimport order_ships
from optsearch.compiled.search._table cimport Key, hash_bytes
from options cimport Switches

cdef enum:
    RUN = 8                    # words of a run sorted by insertion
    NUMBER = 31                # bits of the index of a set


cdef class NormalForm:
    """A writer of the keys of one search.

    cells -- of the grid. With `isomorphism` keys do not depend on their names there.
    """

    def __cinit__(self, int cells, int objective, int rule, Switches on):
        self.cells, self.objective, self.rule, self.on = cells, objective, rule, on

    cdef int write(self, Node* node) except -1 nogil:
        """Set the key of a family."""
        cdef Key* key = &node.key
        cdef bint has_ships = node.kind != NOTHING, weighted = node.weights != NULL
        cdef int s = node.ships.s if has_ships else 1, number = node.n * s, i, j, k
        cdef int cells = node.m if self.on.isomorphism else self.cells, bytes = (cells + 7) // 8
        cdef int head = 4 + s if has_ships else 3
        cdef const Cells* sets = node.ships.masks if has_ships else node.rows
        cdef Cells* image = <Cells*>malloc(2 * number * sizeof(Cells))
        cdef bint are_words = not has_ships and not weighted and bytes <= <int>sizeof(uint64_t)
        cdef uint64_t* ranks = NULL
        cdef const uint64_t* rank
        cdef uint64_t numbers = (<uint64_t>1 << NUMBER) - 1
        cdef unsigned char* out
        key.length = head + node.n * <Py_ssize_t>(s * bytes + (sizeof(int64_t) if weighted else 0))
        key.bytes = out = <unsigned char*>malloc(key.length + sizeof(Cells))
        if not are_words:
            ranks = <uint64_t*>malloc(2 * node.n * sizeof(uint64_t))
        if out == NULL or image == NULL or (ranks == NULL and not are_words):
            free(image)
            free(ranks)
            with gil:
                raise MemoryError
        out[0] = node.kind * 64 + self.rule * 16 + self.objective * 4 + weighted * 2 + self.on.isomorphism
        out[1] = cells
        out[2] = 0 if self.objective == MEAN else node.budget + 1
        if has_ships:
            out[3] = s
            memcpy(out + 4, node.ships.code, s)
        if self.on.isomorphism:
            self.relabel(node, sets, number, image)
        else:
            memcpy(image, sets, number * sizeof(Cells))
        out += head
        if are_words:
            write_words(image, node.n, bytes, out)
        else:
            for i in range(node.n):    # the low bits of a rank are the index of the set
                if has_ships:
                    order_ships(image + i * s, node.ships.label, s)
                ranks[i] = <uint64_t>i | (
                    hash_set(image + i * s, s, node.weights[i] if weighted else 1) & ~numbers)
            rank = sorted_words(ranks, ranks + node.n, node.n)
            for i in range(node.n):
                j = <int>(rank[i] & numbers)
                for k in range(j * s, (j + 1) * s):
                    memcpy(out, image + k, sizeof(Cells))  # what follows is written over
                    out += bytes
                if weighted:
                    memcpy(out, node.weights + j, sizeof(int64_t))
                    out += sizeof(int64_t)
        free(image)
        free(ranks)
        key.hash = hash_bytes(key.bytes, key.length)
        return 0

    cdef void relabel(self, const Node* node, const Cells* sets, int number,
                      Cells* image) noexcept nogil:
        """Fill `image`, the sets or their ships with cells renamed 0, 1, ... by the family alone.

        Cells are coloured by refinement; while two have one colour, a cell of the first such class
        gets its own colour. If the cells of a class are not equivalent, the choice of that cell depends on
        their names, and the family with other names may get another key.
        """
        cdef uint64_t colour[MAX_CELLS]
        cdef int order[MAX_CELLS]
        cdef int place[MAX_CELLS]
        cdef int m = node.m, i, c, fresh = 0
        cdef const Cells* numbered = image + number
        number_cells(node, sets, number, image + number)
        for c in range(m):
            colour[c] = scramble(node.count[c])
        refine(node, numbered, colour, order)
        while True:
            i = first_tie(colour, m, order)
            if i == m:
                break
            fresh += 1
            c = order[i]
            if (are_twins(colour, m, order, i, numbered, number) if node.kind != NOTHING
                    else node.count[c] == 1 and is_alone(node, c)):
                tell_apart(colour, m, order, i)
                sort_by_colour(colour, m, order)
                continue
            colour[c] = scramble(colour[c] + fresh)
            refine(node, numbered, colour, order)
        for i in range(m):
            place[order[i]] = i
        for i in range(number):
            image[i] = renamed(numbered[i], place)


cdef inline uint64_t hash_set(const Cells* ships, int s, int64_t weight) noexcept nogil:
    """Return a hash of the ships of a set and its weight."""
    cdef uint64_t hash = <uint64_t>weight
    cdef int j
    for j in range(s):
        hash = (hash ^ low(ships[j]) ^ 3 * high(ships[j])) * <uint64_t>0xD6E8FEB86659FD93
        hash ^= hash >> 32
    return hash


cdef void number_cells(const Node* node, const Cells* sets, int number,
                       Cells* numbered) noexcept nogil:
    """Fill the sets with each cell replaced by its column; columns are in the order of cells."""
    cdef int i, c
    cdef Cells cells = 0
    cdef uint64_t lower, higher
    for c in range(node.m):
        cells |= one(node.cell[c])
    lower, higher = low(cells), high(cells)
    c = popcount(lower)
    for i in range(number):
        numbered[i] = join(extract(low(sets[i]), lower), 0)
        if higher:
            numbered[i] |= join(extract(high(sets[i]), higher), 0) << c


cdef inline Cells renamed(Cells numbered, const int* place) noexcept nogil:
    """Return a set with its cells renumbered by `place`."""
    cdef uint64_t word = low(numbered)
    cdef Cells image = 0
    while word:
        image |= one(place[ctz(word)])
        word &= word - 1
    word = high(numbered)
    while word:
        image |= one(place[64 + ctz(word)])
        word &= word - 1
    return image


cdef void write_words(const Cells* image, int n, int bytes, unsigned char* out) noexcept nogil:
    """Write sets of at most 64 cells in ascending order; image -- n sets, in room for 2n."""
    cdef uint64_t* words = <uint64_t*>(image + n)
    cdef int i
    for i in range(n):
        words[i] = low(image[i])
    words = sorted_words(words, words + n, n)
    for i in range(n):
        memcpy(out, &words[i], sizeof(uint64_t))  # little-endian: what follows is written over
        out += bytes


cdef uint64_t* sorted_words(uint64_t* words, uint64_t* spare, int n) noexcept nogil:
    """Sort words in ascending order, by insertion in runs and merging; return them, or the spare room."""
    cdef int i, j, k, middle, end, start = 0, length = RUN
    cdef uint64_t word
    cdef bint later
    for i in range(1, n):
        if i % RUN == 0:
            start = i
        word = words[i]
        j = i
        while j > start and words[j - 1] > word:
            words[j] = words[j - 1]
            j -= 1
        words[j] = word
    while length < n:
        start = 0
        while start < n:
            middle, end = min(start + length, n), min(start + 2 * length, n)
            i, j, k = start, middle, start
            while i < middle and j < end:
                later = words[j] < words[i]
                spare[k] = words[j] if later else words[i]
                k += 1
                j += later
                i += not later
            memcpy(spare + k, words + i, (middle - i) * sizeof(uint64_t))
            memcpy(spare + k + middle - i, words + j, (end - j) * sizeof(uint64_t))
            start = end
        words, spare = spare, words
        length *= 2
    return words


cdef int sort_by_colour(const uint64_t* colour, int m, int* order) noexcept nogil:
    """Sort the cells by colour; return the number of different colours."""
    cdef int c, i, colours = m
    for c in range(m):
        i = c
        while i > 0 and colour[order[i - 1]] > colour[c]:
            order[i] = order[i - 1]
            i -= 1
        order[i] = c
    for i in range(1, m):
        colours -= colour[order[i]] == colour[order[i - 1]]
    return colours


cdef int first_tie(const uint64_t* colour, int m, const int* order) noexcept nogil:
    """Return the index in `order` of the first cell with the colour of the cell before it, or m."""
    cdef int i
    for i in range(1, m):
        if colour[order[i]] == colour[order[i - 1]]:
            return i
    return m


cdef void tell_apart(uint64_t* colour, int m, const int* order, int i) noexcept nogil:
    """Give different colours to cells of one colour for which any order gives the same family.

    These are sets of one cell that no other set has, and twins.
    """
    cdef int j = i
    while j < m and colour[order[j]] == colour[order[i - 1]]:
        j += 1
    for j in range(i, j):
        colour[order[j]] = scramble(colour[order[j]] + j)


cdef bint are_twins(const uint64_t* colour, int m, const int* order, int i, const Cells* ships,
                    int number) noexcept nogil:
    """True if every ship has all cells of the colour of a tie, or none of them."""
    cdef Cells twins = one(order[i - 1]), some
    cdef int j = i
    while j < m and colour[order[j]] == colour[order[i]]:
        twins |= one(order[j])
        j += 1
    for j in range(number):
        some = ships[j] & twins
        if some and some != twins:
            return False
    return True


cdef bint is_alone(const Node* node, int c) noexcept nogil:
    """True if the only set with this cell has no other cell."""
    cdef int w
    for w in range(node.width):
        if node.columns[c * node.width + w]:
            return size(node.rows[64 * w + first(<Cells>node.columns[c * node.width + w])]) == 1
    return False


cdef void refine(const Node* node, const Cells* numbered, uint64_t* colour, int* order) noexcept nogil:
    """Colour the cells by the sets they are in, and these by their cells, and sort them by colour.

    Two rounds at a time, for as long as that distinguishes more cells: one round would leave the far ends
    of a path alike, and their order would depend on their names.
    """
    cdef int before = 0, colours = 0
    while True:
        for _ in range(2):
            if node.kind == NOTHING:
                colour_once(node, numbered, colour)
            else:
                colour_by_ships(node, numbered, colour)
        colours = sort_by_colour(colour, node.m, order)
        if colours == node.m or colours <= before:
            return
        before = colours


cdef void colour_once(const Node* node, const Cells* numbered, uint64_t* colour) noexcept nogil:
    """Colour the cells by one round: by the colours of the cells of the sets that they are in."""
    cdef uint64_t sum, lower, higher, word
    cdef uint64_t sums[MAX_CELLS]
    cdef int i, c
    memset(sums, 0, node.m * sizeof(uint64_t))
    for i in range(node.n):
        sum = 0 if node.weights == NULL else <uint64_t>node.weights[i]
        word = lower = low(numbered[i])
        while word:
            sum += colour[ctz(word)]
            word &= word - 1
        word = higher = high(numbered[i])
        while word:
            sum += colour[64 + ctz(word)]
            word &= word - 1
        sum = scramble(sum)
        while lower:
            sums[ctz(lower)] += sum
            lower &= lower - 1
        while higher:
            sums[64 + ctz(higher)] += sum
            higher &= higher - 1
    for c in range(node.m):
        colour[c] = scramble(sums[c] + scramble(colour[c]))


cdef inline uint64_t sum_over(Cells cells, const uint64_t* colour) noexcept nogil:
    """Return the sum of the colours of these cells."""
    cdef uint64_t sum = 0, word = low(cells)
    while word:
        sum += colour[ctz(word)]
        word &= word - 1
    word = high(cells)
    while word:
        sum += colour[64 + ctz(word)]
        word &= word - 1
    return sum


cdef inline void add_to(Cells cells, uint64_t more, uint64_t* sums) noexcept nogil:
    """Add a number to the sum of each of these cells."""
    cdef uint64_t word = low(cells)
    while word:
        sums[ctz(word)] += more
        word &= word - 1
    word = high(cells)
    while word:
        sums[64 + ctz(word)] += more
        word &= word - 1


cdef void colour_by_ships(const Node* node, const Cells* numbered, uint64_t* colour) noexcept nogil:
    """Colour one round for sets of ships: by the ships and the sets that a cell is in."""
    cdef uint64_t sums[MAX_CELLS]
    cdef uint64_t of_ships[MAX_CELLS]
    cdef uint64_t of_set
    cdef int i, j, c, s = node.ships.s
    memset(sums, 0, node.m * sizeof(uint64_t))
    for i in range(node.n):
        of_set = 1 if node.weights == NULL else <uint64_t>node.weights[i]
        for j in range(s):
            of_ships[j] = scramble(node.ships.code[j] + sum_over(numbered[i * s + j], colour))
            of_set += of_ships[j]
        of_set = scramble(of_set)
        for j in range(s):
            add_to(numbered[i * s + j], scramble(of_set + 3 * of_ships[j]), sums)
    for c in range(node.m):
        colour[c] = scramble(sums[c] + scramble(colour[c]))
