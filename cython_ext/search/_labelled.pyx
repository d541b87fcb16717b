"""The search of families of at most 64 sets whose hits have labels, as subsets of one machine word.

It uses the tables of `_words`. A subset in which no cell has several labels is searched there, because
its hits tell nothing more. A cell that all sets have, with several labels, is shot at once (`_search`,
domination): the subset splits into parts by label, and each is searched on its own.

The bound from counts, that shot i of the chain of misses hits at most the i-th greatest count, holds if no
cell common to all sets has several labels: such a cell ends the chain at no cost.
"""

cimport cython
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from cells cimport MAX_CELLS, Cells, ctz, popcount
from counting cimport LANES, count_cells, is_inside
from hashing cimport scramble
from objectives cimport INFINITE
from optsearch.compiled.search._effort cimport count_subset
from optsearch.compiled.search._family cimport MAX_CODES, Node
from optsearch.compiled.search._identities cimport Identity, IdentityTable
from optsearch.compiled.search._words cimport KNOWN, WORD, Known, WordSearch
from options cimport Switches

cdef enum:
    IDENTITY_FROM = 6          # sets from which a subset is looked up by its identity


@cython.final
cdef class LabelledSearch:
    """A search of families whose sets have one ship of each label."""

    def __cinit__(self, WordSearch words, Switches on, IdentityTable identities):
        self.words, self.on, self.identities = words, on, identities

    cdef int search(self, Node* node, int64_t limit) except -1 nogil:
        """Solve a family if its optimum is below `limit`; else raise `lower` to the limit or more."""
        cdef Part whole
        cdef int64_t value
        self.begin(node, &whole)
        value = self.solve(&whole, whole.sets, limit, &node.exact)
        node.lower = value if node.exact else max(node.lower, value)
        return 0

    cdef void bound_family(self, Node* node) noexcept nogil:
        """Raise `lower` by the bound of a family from counts."""
        cdef Part whole, part
        self.begin(node, &whole)
        self.take(&whole, whole.sets, &part)
        if part.labelled < 0 and node.n > 2:
            node.lower = max(node.lower, self.bound(&whole, whole.sets, node.n))

    cdef void begin(self, const Node* node, Part* whole) noexcept nogil:
        """Load a family: fill `whole`, and make the cached entries of the one before void."""
        cdef int i
        self.words.begin(node, whole.columns)
        self.node = node
        whole.sets, whole.n = <uint64_t>-1 >> (64 - node.n), node.n
        whole.m, whole.hits = node.m, node.hits
        for i in range(node.m):
            whole.cell[i] = i

    cdef void take(self, const Part* whole, uint64_t sets, Part* part) noexcept nogil:
        """Fill `part` with the cells that only some of the sets have, or a certain cell that splits them."""
        cdef uint64_t numbers[MAX_CELLS]
        cdef int i, j, n = popcount(sets), m = 0
        cdef uint64_t number
        part.sets, part.n, part.hits, part.labelled = sets, n, whole.hits, -1
        count_cells(whole.columns, whole.m, sets, numbers)
        for i in range(whole.m):
            number = numbers[i]
            if <int>number == n and self.is_labelled(whole.cell[i], sets):
                part.labelled = whole.cell[i]
                return
            if number == 0 or <int>number == n:
                part.hits -= number > 0
                continue
            j = m
            while self.on.ordering and j > 0 and part.counts[j - 1] < number:
                part.counts[j], part.columns[j] = part.counts[j - 1], part.columns[j - 1]
                part.cell[j] = part.cell[j - 1]
                j -= 1
            part.counts[j], part.columns[j], part.cell[j] = number, whole.columns[i] & sets, whole.cell[i]
            m += 1
        part.m = m
        while m % LANES:
            part.columns[m] = part.counts[m] = 0
            m += 1
        part.is_told = False
        for i in range(part.m):
            part.is_told |= self.is_labelled(part.cell[i], part.columns[i])

    cdef bint is_labelled(self, int cell, uint64_t sets) noexcept nogil:
        """True if a cell has several labels in these sets, which all have it."""
        cdef const uint64_t* replies = self.node.replies + cell * self.node.codes
        while not replies[0] & sets:
            replies += 1
        return sets & ~replies[0] != 0

    cdef int64_t cost_of_two(self, uint64_t sets) noexcept nogil:
        """Return the cost of two sets: 0 if a common cell has two labels, else the lighter weight."""
        cdef int i = ctz(sets), k = ctz(sets & (sets - 1)), j, s = self.node.ships.s
        cdef const Cells* ships = self.node.ships.masks
        for j in range(s):
            if ships[i * s + j] & self.node.rows[k] & ~ships[k * s + j]:
                return 0
        return self.words.least_of(sets)

    cdef int64_t solve(self, const Part* whole, uint64_t sets, int64_t limit,
                       bint* exact) except -1 nogil:
        """Return the optimum of a subset if below `limit`, else a bound >= limit; set `exact`."""
        cdef Part part
        cdef Known* known = self.words.known + (scramble(sets) & (KNOWN - 1))
        cdef int n = popcount(sets)
        cdef int64_t lower = 0
        exact[0] = True
        if n <= 2:
            return self.cost_of_two(sets) if n == 2 else 0
        if self.on.memo and known.subset == sets and known.search == self.words.searches:
            lower = known.lower
            exact[0] = known.exact
            if known.exact or lower >= limit:
                return lower
        self.take(whole, sets, &part)
        if part.labelled >= 0:
            lower = max(lower, self.part_by_label(whole, &part, limit, exact))
        elif not part.is_told:
            return self.words.solve(sets, part.hits, part.columns, part.m, limit, exact)
        else:
            lower = self.solve_taken(&part, lower, limit, exact)
        self.words.keep(known, sets, lower, exact[0])
        return lower

    cdef int64_t solve_taken(self, const Part* part, int64_t lower, int64_t limit,
                             bint* exact) except -1 nogil:
        """Return the result of `solve` for a part with counted cells in which hits tell something."""
        cdef Identity key
        cdef int64_t value
        cdef bint by_identity = self.identities is not None and part.n >= IDENTITY_FROM
        exact[0] = False
        if by_identity:
            key = self.identities.of_labelled(
                self.node.rows, self.node.ships.masks, self.node.ships.code, self.node.ships.s,
                self.node.weights, part.sets)
            if self.identities.find(&key, &value, exact):
                lower = max(lower, value)
                if exact[0] or lower >= limit:
                    return lower
        count_subset(self.words.effort)
        lower = max(lower, self.bound(part, part.sets, part.n))
        if lower < limit:
            lower = self.try_cells(part, lower, limit, exact)
        if by_identity:
            self.identities.keep(&key, lower, exact[0])
        return lower

    cdef int64_t part_by_label(self, const Part* whole, const Part* part, int64_t limit,
                               bint* exact) except -1 nogil:
        """Return the cost of sets that a certain hit splits by label if below `limit`, else a bound."""
        cdef const uint64_t* replies = self.node.replies + part.labelled * self.node.codes
        cdef int64_t cost = 0
        cdef bint ignored
        cdef int code
        for code in range(self.node.codes):
            if cost < limit and replies[code] & part.sets:
                cost += self.solve(whole, replies[code] & part.sets, limit - cost, &ignored)
        exact[0] = cost < limit
        return cost

    cdef int64_t try_cells(self, const Part* part, int64_t lower, int64_t limit,
                           bint* exact) except -1 nogil:
        """Return the least cost over the first shots if below `limit`, else a bound; set `exact`."""
        cdef int64_t cost, best = limit, failed = INFINITE
        cdef int i
        for i in range(part.m):
            if self.on.domination and is_inside(part.columns[i], part.columns, i):
                continue
            cost = self.shoot(part, i, best)
            if cost >= best:
                failed = min(failed, cost)
                continue
            best = cost
            if best == lower:
                break
        exact[0] = best < limit
        return max(lower, best if best < limit else failed)

    cdef int64_t shoot(self, const Part* part, int i, int64_t limit) except -1 nogil:
        """Return the cost of shooting a cell first: exact if below `limit`, else a bound >= limit."""
        cdef uint64_t parts[MAX_CODES + 1]
        cdef int64_t bounds[MAX_CODES + 1]
        cdef const uint64_t* replies = self.node.replies + part.cell[i] * self.node.codes
        cdef uint64_t sets, missed = part.sets & ~part.columns[i]
        cdef int64_t cost = self.words.weight_of(missed), bound
        cdef int code, j, n, number = 0
        cdef bint ignored
        for code in range(self.node.codes + 1):
            sets = missed if code == self.node.codes else replies[code] & part.sets
            n = popcount(sets)
            if n < 2:
                continue
            if cost >= limit:
                return cost
            bound = self.bound(part, sets, n)
            cost += bound
            j = number
            while j > 0 and popcount(parts[j - 1]) > n:
                parts[j], bounds[j] = parts[j - 1], bounds[j - 1]
                j -= 1
            parts[j], bounds[j] = sets, bound
            number += 1
        for j in range(number):
            if cost >= limit:
                break
            cost -= bounds[j]
            cost += self.solve(part, parts[j], limit - cost, &ignored)
        return cost

    # Bounds

    cdef int64_t bound(self, const Part* whole, uint64_t sets, int n) noexcept nogil:
        """Return the cached bound of two sets or more, or else their bound from counts."""
        cdef uint64_t numbers[MAX_CELLS]
        cdef int of_count[WORD + 1]
        cdef int i
        cdef int64_t bound = self.cost_of_two(sets) if n == 2 else self.words.recall(sets, n)
        if bound >= 0:
            return bound
        count_cells(whole.columns, whole.m, sets, numbers)
        memset(of_count, 0, (n + 1) * sizeof(int))
        for i in range(whole.m):
            if <int>numbers[i] == n and self.is_labelled(whole.cell[i], sets):
                return 0
            of_count[numbers[i]] += 1
        bound = bound_by_chain(of_count, n) * self.words.least_of(sets) if self.on.profile else 0
        self.words.keep_bound(sets, bound)
        return bound


cdef int64_t bound_by_chain(const int* of_count, int n) noexcept nogil:
    """Bound the misses of n sets by a chain of cells with the greatest counts, each hit finding its set.

    of_count -- [i] the number of cells that i of the sets have.
    """
    cdef int i, left = n
    cdef int64_t bound = 0
    for i in range(n - 1, 0, -1):
        for _ in range(of_count[i]):
            left -= i
            if left <= 0:
                return bound
            bound += left
    return bound
