"""The normal form of a family: equal keys, equal optimum.

A byte of the rule, the objective, whether weights follow and how cells are named; the number of
cells, the budget if there is one; then the sets in ascending order, each in the same number of bytes
and with its weight unless all are 1. Where hits tell something, a byte of what, too, and the labels of
the ships as ranks; then the sets, each as its ships, in the order of a hash. The whole family is in its
key, so a poor choice of names costs a table hit and never an answer.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy, memset

from cells cimport MAX_CELLS, Cells, ctz, first, high, join, low, one, popcount, size
from columns cimport extract
from hashing cimport scramble
from objectives cimport MEAN
from optsearch.compiled._family cimport NOTHING, Node, ascending_cells
from optsearch.compiled._ships cimport order_ships
from optsearch.compiled._table cimport Key, hash_bytes
from options cimport Switches

cdef enum:
    RUN = 8                    # words that are sorted by insertion

cdef struct Weighted:
    Cells cells
    int64_t weight
    int64_t unused

cdef struct Ranked:
    uint64_t rank
    int i


cdef class NormalForm:
    """Writes the keys of one search.

    cells -- of the grid. With `isomorphism` it is forgotten how they are named there.
    """

    def __cinit__(self, int cells, int objective, int rule, Switches on):
        self.cells, self.objective, self.rule, self.on = cells, objective, rule, on

    cdef int write(self, Node* node) except -1 nogil:
        """Set the key of a family."""
        cdef Key* key = &node.key
        cdef Cells* image
        cdef int bytes, cells = node.m if self.on.isomorphism else self.cells
        cdef bint weighted = node.weights != NULL
        bytes = (cells + 7) // 8
        if node.kind != NOTHING:
            return self.write_ships(node, cells, bytes)
        key.length = 3 + <Py_ssize_t>node.n * (bytes + (sizeof(int64_t) if weighted else 0))
        key.bytes = <unsigned char*>malloc(key.length + sizeof(uint64_t))
        image = <Cells*>malloc(node.n * sizeof(Weighted))
        if key.bytes == NULL or image == NULL:
            free(image)
            with gil:
                raise MemoryError
        if self.on.isomorphism:
            self.relabel(node, node.rows, node.n, image)
        else:
            memcpy(image, node.rows, node.n * sizeof(Cells))
        self.write_head(node, cells)
        self.write_sets(node, image, bytes, key.bytes + 3)
        free(image)
        key.hash = hash_bytes(key.bytes, key.length)
        return 0

    cdef void write_head(self, const Node* node, int cells) noexcept nogil:
        """The first bytes of a key."""
        cdef unsigned char* out = node.key.bytes
        out[0] = (node.kind * 64 + self.rule * 16 + self.objective * 4 + (node.weights != NULL) * 2
                  + self.on.isomorphism)
        out[1] = cells
        out[2] = 0 if self.objective == MEAN else node.budget + 1

    cdef int write_ships(self, Node* node, int cells, int bytes) except -1 nogil:
        """Set the key of a family whose sets are ships."""
        cdef Key* key = &node.key
        cdef int s = node.ships.s, i, j, number = node.n * s
        cdef bint weighted = node.weights != NULL
        cdef size_t length = s * bytes + (sizeof(int64_t) if weighted else 0)
        cdef size_t all_bytes = node.n * length
        cdef Cells* image = <Cells*>malloc(2 * number * sizeof(Cells))
        cdef Ranked* ranked = <Ranked*>malloc(node.n * sizeof(Ranked))
        cdef unsigned char* sets = <unsigned char*>malloc(all_bytes + sizeof(uint64_t))
        cdef unsigned char* out
        key.length = 4 + s + <Py_ssize_t>all_bytes
        key.bytes = <unsigned char*>malloc(key.length + sizeof(uint64_t))
        if key.bytes == NULL or image == NULL or ranked == NULL or sets == NULL:
            free(image)
            free(ranked)
            free(sets)
            with gil:
                raise MemoryError
        if self.on.isomorphism:
            self.relabel(node, node.ships.masks, number, image)
        else:
            memcpy(image, node.ships.masks, number * sizeof(Cells))
        self.write_head(node, cells)
        key.bytes[3] = s
        memcpy(key.bytes + 4, node.ships.code, s)
        for i in range(node.n):
            order_ships(image + i * s, node.ships.label, s)
            out = sets + i * length
            for j in range(s):
                memcpy(out, image + i * s + j, bytes)
                out += bytes
            if weighted:
                memcpy(out, node.weights + i, sizeof(int64_t))
            ranked[i].rank, ranked[i].i = hash_bytes(sets + i * length, length), i
        qsort(ranked, node.n, sizeof(Ranked), lower_rank)
        out = key.bytes + 4 + s
        for i in range(node.n):
            memcpy(out, sets + ranked[i].i * length, length)
            out += length
        free(image)
        free(ranked)
        free(sets)
        key.hash = hash_bytes(key.bytes, key.length)
        return 0

    cdef void write_sets(self, const Node* node, Cells* image, int bytes,
                         unsigned char* out) noexcept nogil:
        """The sets in ascending order, and their weights.

        image -- the sets, in room for 2n of them. out -- room for what is written and one word.
        """
        cdef Weighted* both = <Weighted*>image
        cdef int i
        if node.weights == NULL and bytes <= <int>sizeof(uint64_t):
            write_words(image, node.n, bytes, out)
            return
        if node.weights == NULL:
            qsort(image, node.n, sizeof(Cells), ascending_cells)
            for i in range(node.n):
                memcpy(out, &image[i], bytes)         # little-endian: the low bytes come first
                out += bytes
            return
        for i in range(node.n - 1, -1, -1):
            both[i].cells = image[i]
            both[i].weight = node.weights[i]
        qsort(both, node.n, sizeof(Weighted), ascending_cells)
        for i in range(node.n):
            memcpy(out, &both[i].cells, bytes)
            memcpy(out + bytes, &both[i].weight, sizeof(int64_t))
            out += bytes + sizeof(int64_t)

    cdef void relabel(self, const Node* node, const Cells* sets, int number,
                      Cells* image) noexcept nogil:
        """The sets, or their ships, with cells renamed 0, 1, ... in an order of the family alone.

        Cells are coloured by refinement; while two have one colour, a cell of the first such class
        is given a colour of its own. If the cells of a class are not alike, which one was taken
        depends on their names, and the same family named otherwise may get another key.
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


cdef int lower_rank(const void* a, const void* b) noexcept nogil:
    cdef uint64_t x = (<const Ranked*>a).rank, y = (<const Ranked*>b).rank
    return (x > y) - (x < y)


cdef void number_cells(const Node* node, const Cells* sets, int number,
                       Cells* numbered) noexcept nogil:
    """The sets with the number of its column for each cell; columns are in the order of cells."""
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
    """A set whose cells get other numbers."""
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
    """Sets of at most 64 cells in ascending order; see `write_sets`."""
    cdef uint64_t* words = <uint64_t*>(image + n)
    cdef int i
    for i in range(n):
        words[i] = low(image[i])
    words = sorted_words(words, words + n, n)
    for i in range(n):
        memcpy(out, &words[i], sizeof(uint64_t))  # little-endian: what follows is written over
        out += bytes


cdef uint64_t* sorted_words(uint64_t* words, uint64_t* spare, int n) noexcept nogil:
    """Words in ascending order, here or in the room to spare: runs by insertion, then merged."""
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
    """Sort the cells by colour; how many different colours there are."""
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
    """The place of the first cell with the colour of the one before it, or m."""
    cdef int i
    for i in range(1, m):
        if colour[order[i]] == colour[order[i - 1]]:
            return i
    return m


cdef void tell_apart(uint64_t* colour, int m, const int* order, int i) noexcept nogil:
    """Cells of one colour of which any order gives the same family.

    These are sets of one cell that no other set has, and twins.
    """
    cdef int j = i
    while j < m and colour[order[j]] == colour[order[i - 1]]:
        j += 1
    for j in range(i, j):
        colour[order[j]] = scramble(colour[order[j]] + j)


cdef bint are_twins(const uint64_t* colour, int m, const int* order, int i, const Cells* ships,
                    int number) noexcept nogil:
    """Whether every ship has all cells of the colour of a tie, or none of them."""
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
    """Whether the only set with this cell has no other."""
    cdef int w
    for w in range(node.width):
        if node.columns[c * node.width + w]:
            return size(node.rows[64 * w + first(<Cells>node.columns[c * node.width + w])]) == 1
    return False


cdef void refine(const Node* node, const Cells* numbered, uint64_t* colour, int* order) noexcept nogil:
    """Colour the cells by the sets they are in, and these by their cells, and sort them by colour.

    Two rounds at a time, for as long as that tells more cells apart: fewer leave the far ends of a
    path alike, and which of them is named first depends on their names.
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


cdef void colour_by_ships(const Node* node, const Cells* numbered, uint64_t* colour) noexcept nogil:
    """One round where sets are ships: by the ship and the set that a cell is in."""
    cdef uint64_t sums[MAX_CELLS]
    cdef uint64_t of_ships[MAX_CELLS]
    cdef uint64_t of_set, sum
    cdef Cells ship
    cdef int i, j, c, s = node.ships.s
    memset(sums, 0, node.m * sizeof(uint64_t))
    for i in range(node.n):
        of_set = 1 if node.weights == NULL else <uint64_t>node.weights[i]
        for j in range(s):
            sum = node.ships.code[j]
            ship = numbered[i * s + j]
            while ship:
                sum += colour[first(ship)]
                ship &= ship - 1
            of_ships[j] = scramble(sum)
            of_set += of_ships[j]
        of_set = scramble(of_set)
        for j in range(s):
            sum = scramble(of_set + 3 * of_ships[j])
            ship = numbered[i * s + j]
            while ship:
                sums[first(ship)] += sum
                ship &= ship - 1
    for c in range(node.m):
        colour[c] = scramble(sums[c] + scramble(colour[c]))
