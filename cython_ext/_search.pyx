"""Branch and bound for the least total number of misses over a family.

A *family* is a list of sets of one size, each with a weight; a shot at a cell splits it into the
sets that have the cell (hit) and the others (missed, one miss for each weight). We look for

    M(F) = min over cells c of  M(F hit at c) + M(F missed at c) + weight(F missed at c).

A family is stored as indices into the *universe*, the sets of the first family and their images
under the grid's symmetries, in ascending order. Nothing else is stored: the cells that all sets
share are certain hits, cost nothing, and are taken off wherever sets are looked at (*residual*
sets). Two families with the same residual sets are one state, whatever was hit on the way.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from optsearch._table cimport MemoryTable, hash_bytes
from cells cimport Cells, first, high, join, low, one, size

cdef enum:
    MAX_CELLS = 128
    MAX_SYMMETRIES = 8
    MAX_CLASSES = 64           # different weights
    MEMO_FROM = 4              # smaller families are solved faster than they are looked up
    DISK_FROM = 16             # so are these, against a look-up on disk
    TICK = 1 << 12             # nodes between two looks at the clock and at ctrl-C

cdef int64_t INFINITE = <int64_t>1 << 60


cdef struct Family:
    int32_t* sets              # indices into the universe, ascending
    int n


cdef struct Node:              # what one look at all sets of a family tells
    Cells certain              # cells in all sets
    Cells undecided            # cells in some but not in all sets
    int hits                   # size of the residual sets
    int64_t weight


cdef struct Candidate:
    int64_t bound              # no strategy that shoots this cell first has fewer misses
    int64_t bound_hit, bound_missed, weight_missed
    int cell, n_hit


cdef inline uint64_t scramble(uint64_t x) noexcept nogil:
    x = (x ^ (x >> 31)) * <uint64_t>0x9E3779B97F4A7C15
    x = (x ^ (x >> 29)) * <uint64_t>0xBF58476D1CE4E5B9
    return x ^ (x >> 32)


cdef class Search:
    """Solves families of one universe.

    universe -- (U, 2) uint64, distinct sets of one size, ascending as 128-bit numbers, closed
        under the symmetries.
    weights -- (U,) int64; only those of sets in the families asked about are read.
    permutations -- (S, U) int32: the image of each set of the universe under each symmetry, the
        identity first.
    cell_bytes -- bytes of a set in a key: enough for all cells.
    table, disk -- a MemoryTable, and an optsearch.tables.DiskTable or None.
    memo, symmetry, leaf_counting, ordering, small_cases -- switches, see SolverOptions.
    tick -- called with the number of nodes every few thousand nodes; may raise.
    """

    cdef int universe_size, cells, symmetries, cell_bytes, classes, hits
    cdef Cells* universe
    cdef int64_t* weights
    cdef int32_t* weight_class
    cdef int64_t class_weight[MAX_CLASSES]         # descending
    cdef int32_t* permutations
    cdef Cells* image_of_cell                      # [symmetry * MAX_CELLS + cell]
    cdef int64_t* words                            # words[k * MAX_CELLS + j] = C(k - 1 + j, j)
    cdef uint64_t* marks                           # a bit a set of the universe, all 0 between uses
    cdef int64_t* image_weight
    cdef unsigned char* key
    cdef Py_ssize_t key_length
    cdef uint64_t key_hash
    cdef bint memo, symmetry, leaf_counting, ordering, small_cases
    cdef MemoryTable table
    cdef public object disk
    cdef object tick
    cdef readonly long long nodes
    cdef bint uniform

    def __cinit__(self, const uint64_t[:, ::1] universe, const int64_t[::1] weights,
                  const int32_t[:, ::1] permutations, const int32_t[:, ::1] cell_permutations,
                  MemoryTable table, disk, bint memo, bint symmetry, bint leaf_counting,
                  bint ordering, bint small_cases, tick):
        cdef int i, g, c, k, j
        cdef int64_t word
        self.universe_size = <int>universe.shape[0]
        self.symmetries = <int>permutations.shape[0] if symmetry else 1
        self.cells = <int>cell_permutations.shape[1]
        self.cell_bytes = (self.cells + 7) // 8
        self.table, self.disk, self.tick = table, disk, tick
        self.memo, self.symmetry, self.leaf_counting = memo, symmetry, leaf_counting
        self.ordering, self.small_cases = ordering, small_cases
        if self.symmetries > MAX_SYMMETRIES or self.cells > MAX_CELLS or self.universe_size < 1:
            raise ValueError("too many symmetries or cells, or an empty universe")
        n = self.universe_size
        self.universe = <Cells*>PyMem_Malloc(n * sizeof(Cells))
        self.weights = <int64_t*>PyMem_Malloc(n * sizeof(int64_t))
        self.image_weight = <int64_t*>PyMem_Malloc(n * sizeof(int64_t))
        self.weight_class = <int32_t*>PyMem_Malloc(n * sizeof(int32_t))
        self.permutations = <int32_t*>PyMem_Malloc(n * self.symmetries * sizeof(int32_t))
        self.image_of_cell = <Cells*>PyMem_Malloc(MAX_SYMMETRIES * MAX_CELLS * sizeof(Cells))
        self.words = <int64_t*>PyMem_Calloc((MAX_CELLS + 1) * MAX_CELLS, sizeof(int64_t))
        self.marks = <uint64_t*>PyMem_Calloc((n + 63) // 64, sizeof(uint64_t))
        self.key = <unsigned char*>PyMem_Malloc(1 + n * (self.cell_bytes + sizeof(int64_t)))
        if (self.universe == NULL or self.weights == NULL or self.image_weight == NULL
                or self.weight_class == NULL or self.permutations == NULL
                or self.image_of_cell == NULL or self.words == NULL or self.marks == NULL
                or self.key == NULL):
            raise MemoryError
        distinct = sorted({int(w) for w in weights}, reverse=True)
        if len(distinct) > MAX_CLASSES:
            raise ValueError(f"{len(distinct)} different weights; at most {MAX_CLASSES}")
        if distinct[len(distinct) - 1] < 0 or (distinct and distinct[0] * n * MAX_CELLS >= INFINITE):
            raise ValueError("weights out of range")
        self.classes = len(distinct)
        self.uniform = self.classes == 1
        for i in range(self.classes):
            self.class_weight[i] = distinct[i]
        ranks = {weight: i for i, weight in enumerate(distinct)}
        for i in range(n):
            self.universe[i] = join(universe[i, 0], universe[i, 1])
            self.weights[i] = weights[i]
            self.weight_class[i] = ranks[weights[i]]
            for g in range(self.symmetries):
                self.permutations[g * n + i] = permutations[g, i]
        for g in range(self.symmetries):
            for c in range(self.cells):
                self.image_of_cell[g * MAX_CELLS + c] = one(cell_permutations[g, c])
        for k in range(1, MAX_CELLS + 1):          # Pascal's rule, saturating
            self.words[k * MAX_CELLS] = 1
            for j in range(1, MAX_CELLS):
                word = self.words[k * MAX_CELLS + j - 1]
                if k > 1:
                    word += self.words[(k - 1) * MAX_CELLS + j]
                else:
                    word = 1
                self.words[k * MAX_CELLS + j] = min(word, INFINITE)

    def __dealloc__(self):
        PyMem_Free(self.universe)
        PyMem_Free(self.weights)
        PyMem_Free(self.image_weight)
        PyMem_Free(self.weight_class)
        PyMem_Free(self.permutations)
        PyMem_Free(self.image_of_cell)
        PyMem_Free(self.words)
        PyMem_Free(self.marks)
        PyMem_Free(self.key)

    # One family

    cdef Node look(self, Family family, int64_t* counts, int64_t* missed) noexcept nogil:
        """Take stock of a family with at least one set.

        counts -- if not NULL: counts[class * MAX_CELLS + cell], how many sets of each weight class
        have each undecided cell; the last row, number `classes`, is for the whole family and its
        first entries are the class sizes. missed -- if not NULL: the weight that misses each cell.
        """
        cdef Node node
        cdef Cells s, every = self.universe[family.sets[0]], some = 0
        cdef int i, c, row
        cdef int64_t hit
        node.weight = 0
        for i in range(family.n):
            s = self.universe[family.sets[i]]
            every &= s
            some |= s
            node.weight += self.weights[family.sets[i]]
        node.certain = every
        node.undecided = some & ~every
        node.hits = size(self.universe[family.sets[0]] & ~every)
        if counts == NULL:
            return node
        memset(counts, 0, (self.classes + 1) * MAX_CELLS * sizeof(int64_t))
        for i in range(family.n):
            row = self.weight_class[family.sets[i]]
            counts[self.classes * MAX_CELLS + row] += 1
            s = self.universe[family.sets[i]] & ~every
            row *= MAX_CELLS
            while s:
                counts[row + first(s)] += 1
                s &= s - 1
        s = node.undecided
        while s:
            c = first(s)
            s &= s - 1
            hit = 0
            for row in range(self.classes):
                hit += counts[row * MAX_CELLS + c] * self.class_weight[row]
            missed[c] = node.weight - hit
        return node

    cdef int64_t leaf_bound(self, const int64_t* sizes, int stride, int hits) noexcept nogil:
        """The leaf-counting bound for sizes[i * stride] sets of weight class i.

        At most C(k - 1 + j, j) leaves have j misses; the heaviest sets get the fewest.
        """
        cdef const int64_t* room = self.words + hits * MAX_CELLS
        cdef int64_t misses = 0, left, capacity = 1, used
        cdef int j = 0, i
        if hits == 0:
            return 0
        for i in range(self.classes):
            left = sizes[i * stride]
            while left:
                if capacity == 0:
                    j += 1
                    capacity = room[j] if j < MAX_CELLS else INFINITE
                used = min(left, capacity)
                misses += used * j * self.class_weight[i]
                left -= used
                capacity -= used
        return misses

    cdef void split(self, Family family, int cell, Family* hit, Family* missed) noexcept nogil:
        """Write the two parts; their `sets` have room."""
        cdef Cells bit = one(cell)
        cdef int i
        cdef int32_t s
        hit.n = missed.n = 0
        for i in range(family.n):
            s = family.sets[i]
            if self.universe[s] & bit:
                hit.sets[hit.n] = s
                hit.n += 1
            else:
                missed.sets[missed.n] = s
                missed.n += 1

    cdef void make_key(self, Family family, Cells certain) noexcept nogil:
        """Write the normal form of a family to `key`: equal keys, equal optimum.

        A byte that tells whether weights follow, then the residual sets in ascending order, each in
        `cell_bytes` bytes and with its weight unless all are 1; under the symmetry with the least fingerprint. Fingerprints only choose the
        symmetry: should two different images share one, a table hit is lost and nothing else.
        """
        cdef Cells certain_image = certain, image, s
        cdef uint64_t fingerprint, best_fingerprint = 0, word
        cdef const int32_t* permutation
        cdef int g, best = 0, i, w
        cdef unsigned char* out = self.key
        if self.symmetries > 1:
            for g in range(self.symmetries):
                image = 0
                s = certain
                while s:
                    image |= self.image_of_cell[g * MAX_CELLS + first(s)]
                    s &= s - 1
                permutation = self.permutations + g * self.universe_size
                fingerprint = 0
                for i in range(family.n):
                    s = self.universe[permutation[family.sets[i]]] & ~image
                    fingerprint += scramble(
                        scramble(low(s)) + high(s) * 3 + self.weights[family.sets[i]])
                if g == 0 or fingerprint < best_fingerprint:
                    best, best_fingerprint, certain_image = g, fingerprint, image
        cdef bint weighted = not self.uniform or self.class_weight[0] != 1
        out[0] = weighted
        out += 1
        # All residual sets lack the same cells of the universe's sets, so they ascend as those do.
        permutation = self.permutations + best * self.universe_size
        for i in range(family.n):
            w = permutation[family.sets[i]]
            self.marks[w >> 6] |= <uint64_t>1 << (w & 63)
            self.image_weight[w] = self.weights[family.sets[i]]
        for w in range((self.universe_size + 63) // 64):
            word = self.marks[w]
            self.marks[w] = 0
            while word:
                i = 64 * w + first(<Cells>word)
                word &= word - 1
                s = self.universe[i] & ~certain_image
                memcpy(out, &s, self.cell_bytes)      # little-endian: the low bytes come first
                out += self.cell_bytes
                if weighted:
                    memcpy(out, &self.image_weight[i], sizeof(int64_t))
                    out += sizeof(int64_t)
        self.key_length = out - self.key
        self.key_hash = hash_bytes(self.key, self.key_length)

    # Tables. A value is the optimum, or a bound below it: 2 * misses + (1 if exact).

    cdef int recall(self, Family family, int64_t* value) except -1 nogil:
        """Whether the family whose normal form is in `key` has a value; then `value` is set."""
        if self.table.find(self.key, self.key_length, self.key_hash, value):
            return True
        if self.disk is not None and family.n >= DISK_FROM:
            with gil:
                found = self.disk.get(self.key[:self.key_length])
                if found is None:
                    return False
                value[0] = found
            self.table.store(self.key, self.key_length, self.key_hash, value[0])
            return True
        return False

    cdef int remember(self, Family family, const unsigned char* key, Py_ssize_t length,
                      uint64_t hash, int64_t value) except -1 nogil:
        self.table.store(key, length, hash, value)
        if self.disk is not None and family.n >= DISK_FROM:
            with gil:
                self.disk.put(key[:length], value)
        return 0

    # The search

    cdef int64_t small(self, Family family, const Node* node, const int64_t* sizes) noexcept nogil:
        """The optimum of families solved at sight; -1 for others."""
        cdef int64_t misses = 0, rank = 0, a, b
        cdef int i
        if family.n == 1:
            return 0
        if not self.small_cases:
            return -1
        if family.n == 2:
            a, b = self.weights[family.sets[0]], self.weights[family.sets[1]]
            return min(a, b)
        if node.hits == 1:         # one cell is left: shoot by falling weight
            for i in range(self.classes):
                a = sizes[i]
                misses += self.class_weight[i] * (a * rank + a * (a - 1) // 2)
                rank += a
            return misses
        return -1

    cdef int candidates(self, Family family, const Node* node, const int64_t* counts,
                        const int64_t* missed, Candidate* out) noexcept nogil:
        """The undecided cells with their bounds, best first when `ordering`; how many."""
        cdef const int64_t* sizes = counts + self.classes * MAX_CELLS
        cdef int64_t rest[MAX_CLASSES]
        cdef Cells cells = node.undecided
        cdef Candidate candidate
        cdef int n = 0, i, c
        while cells:
            c = first(cells)
            cells &= cells - 1
            candidate.cell = c
            candidate.n_hit = 0
            for i in range(self.classes):
                rest[i] = sizes[i] - counts[i * MAX_CELLS + c]
                candidate.n_hit += <int>counts[i * MAX_CELLS + c]
            candidate.weight_missed = missed[c]
            candidate.bound_hit = candidate.bound_missed = 0
            if self.leaf_counting:
                candidate.bound_hit = self.leaf_bound(counts + c, MAX_CELLS, node.hits - 1)
                candidate.bound_missed = self.leaf_bound(rest, 1, node.hits)
            candidate.bound = candidate.bound_hit + candidate.bound_missed + missed[c]
            i = n
            n += 1
            if self.ordering:      # by bound, then by fewest misses, then by cell
                while i > 0 and (out[i - 1].bound > candidate.bound or (
                        out[i - 1].bound == candidate.bound
                        and out[i - 1].weight_missed > candidate.weight_missed)):
                    out[i] = out[i - 1]
                    i -= 1
            out[i] = candidate
        return n

    cdef int64_t shoot(self, Family family, const Candidate* candidate, int64_t limit,
                       int32_t* room) except -1 nogil:
        """The misses when this cell is shot first: exact if below `limit`, else a bound >= limit.

        room -- free space for family.n indices.
        """
        cdef Family hit, missed
        cdef int64_t value = candidate.bound
        hit.sets = room
        missed.sets = room + candidate.n_hit
        self.split(family, candidate.cell, &hit, &missed)
        if hit.n <= missed.n:
            value += self.solve(hit, limit - value + candidate.bound_hit) - candidate.bound_hit
            if value < limit:
                value += (self.solve(missed, limit - value + candidate.bound_missed)
                          - candidate.bound_missed)
        else:
            value += (self.solve(missed, limit - value + candidate.bound_missed)
                      - candidate.bound_missed)
            if value < limit:
                value += self.solve(hit, limit - value + candidate.bound_hit) - candidate.bound_hit
        return value

    cdef int64_t solve(self, Family family, int64_t limit) except -1 nogil:
        """M(family) if it is below `limit`, else some lower bound of M that is >= limit."""
        cdef int64_t* counts
        cdef int64_t* missed
        cdef Candidate* shots
        cdef int32_t* room
        cdef char* space
        cdef Node node
        cdef int64_t value, best = limit, failed = INFINITE
        cdef unsigned char* key
        cdef Py_ssize_t key_length = 0
        cdef uint64_t key_hash = 0
        cdef int n, i
        cdef size_t bytes
        if family.n == 1:
            return 0
        self.nodes += 1
        if self.nodes % TICK == 0:
            with gil:
                self.tick(self.nodes)
        bytes = ((self.classes + 2) * MAX_CELLS * sizeof(int64_t)
                 + MAX_CELLS * sizeof(Candidate)
                 + family.n * (sizeof(int32_t) + self.cell_bytes + sizeof(int64_t)) + 1)
        space = <char*>malloc(bytes)
        if space == NULL:
            with gil:
                raise MemoryError
        try:
            counts = <int64_t*>space
            missed = counts + (self.classes + 1) * MAX_CELLS
            shots = <Candidate*>(missed + MAX_CELLS)
            room = <int32_t*>(shots + MAX_CELLS)
            key = <unsigned char*>(room + family.n)
            node = self.look(family, counts, missed)
            value = self.small(family, &node, counts + self.classes * MAX_CELLS)
            if value >= 0:
                return value
            if self.leaf_counting:
                value = self.leaf_bound(counts + self.classes * MAX_CELLS, 1, node.hits)
                if value >= limit:
                    return value
            if self.memo and family.n >= MEMO_FROM:
                self.make_key(family, node.certain)
                if self.recall(family, &value) and (value & 1 or value >> 1 >= limit):
                    return value >> 1
                key_length, key_hash = self.key_length, self.key_hash
                memcpy(key, self.key, key_length)
            n = self.candidates(family, &node, counts, missed, shots)
            for i in range(n):
                if shots[i].bound >= best:
                    failed = min(failed, shots[i].bound)
                    continue
                value = self.shoot(family, &shots[i], best, room)
                if value < best:
                    best = value
                else:
                    failed = min(failed, value)
            if self.memo and family.n >= MEMO_FROM:
                self.remember(family, key, key_length, key_hash,
                              2 * best + 1 if best < limit else 2 * failed)
            return best if best < limit else failed
        finally:
            free(space)

    # For Python

    def _check(self, const int32_t[::1] family):
        cdef Py_ssize_t i
        if family.shape[0] == 0:
            raise ValueError("an empty family has no optimum")
        for i in range(family.shape[0]):
            if not 0 <= family[i] < self.universe_size or (i and family[i] <= family[i - 1]):
                raise ValueError(f"index {family[i]} of the family is out of range or order")

    def misses(self, const int32_t[::1] family, long long limit=1 << 60):
        """M of a family, given by ascending indices (int32): exact if below `limit`."""
        cdef Family f
        cdef int64_t value
        self._check(family)
        f.sets, f.n = <int32_t*>&family[0], <int>family.shape[0]
        with nogil:
            value = self.solve(f, limit)
        return value

    def first_shots(self, const int32_t[::1] family):
        """The undecided cells in the order in which the search tries them: list of (cell, bound).

        bound -- no strategy that shoots the cell first has fewer misses.
        """
        cdef Candidate shots[MAX_CELLS]
        cdef int64_t missed[MAX_CELLS]
        cdef int64_t counts[(MAX_CLASSES + 1) * MAX_CELLS]
        cdef Family f
        cdef Node node
        cdef int n, i
        self._check(family)
        f.sets, f.n = <int32_t*>&family[0], <int>family.shape[0]
        node = self.look(f, counts, missed)
        n = self.candidates(f, &node, counts, missed, shots)
        return [(shots[i].cell, shots[i].bound) for i in range(n)]

    def misses_after(self, const int32_t[::1] family, int cell, long long limit=1 << 60):
        """The misses when an undecided cell is shot first: exact if below `limit`."""
        cdef Candidate shots[MAX_CELLS]
        cdef int64_t missed[MAX_CELLS]
        cdef int64_t counts[(MAX_CLASSES + 1) * MAX_CELLS]
        cdef Family f
        cdef Node node
        cdef int64_t value
        cdef int n, i
        cdef int32_t* room
        self._check(family)
        f.sets, f.n = <int32_t*>&family[0], <int>family.shape[0]
        node = self.look(f, counts, missed)
        n = self.candidates(f, &node, counts, missed, shots)
        room = <int32_t*>PyMem_Malloc(f.n * sizeof(int32_t))
        if room == NULL:
            raise MemoryError
        try:
            for i in range(n):
                if shots[i].cell == cell:
                    if shots[i].bound >= limit:
                        return shots[i].bound
                    with nogil:
                        value = self.shoot(f, &shots[i], limit, room)
                    return value
        finally:
            PyMem_Free(room)
        raise ValueError(f"cell {cell} is not undecided")

    def normal_form(self, const int32_t[::1] family):
        """The key of a family (bytes): families with equal keys have equal optima."""
        cdef Family f
        cdef Node node
        self._check(family)
        f.sets, f.n = <int32_t*>&family[0], <int>family.shape[0]
        node = self.look(f, NULL, NULL)
        self.make_key(f, node.certain)
        return self.key[:self.key_length]

    def leaf_counting_bound(self, const int32_t[::1] family):
        """The leaf-counting bound on M of a family."""
        cdef int64_t missed[MAX_CELLS]
        cdef int64_t counts[(MAX_CLASSES + 1) * MAX_CELLS]
        cdef Family f
        cdef Node node
        self._check(family)
        f.sets, f.n = <int32_t*>&family[0], <int>family.shape[0]
        node = self.look(f, counts, missed)
        return self.leaf_bound(counts + self.classes * MAX_CELLS, 1, node.hits)
