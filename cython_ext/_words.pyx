"""The search of families of at most 64 sets, as subsets of one machine word: a bit a set.

A cell is the word of the sets that have it. All weights are 1, and the objective is the mean. The
bounds and the choice of shots are those of `_search`; what is known of a subset is remembered by its
bits, for the time of one search.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memset

from cells cimport MAX_CELLS, popcount
from hashing cimport scramble
from leaves cimport TIMES
from optsearch._bounds cimport NEVER, Bounds, capped_bound
from optsearch._effort cimport Effort, count_subset
from optsearch._family cimport Node
from options cimport BEST_GREEDY, OPTIMAL, Switches

cdef enum:
    KNOWN = 1 << 16            # subsets that are remembered


cdef class WordSearch:
    """Searches families whose bounds it is given."""

    def __cinit__(self, Bounds bounds, Effort effort, int rule, Switches on):
        self.bounds, self.effort, self.rule, self.on = bounds, effort, rule, on
        self.known = <Known*>PyMem_Calloc(KNOWN, sizeof(Known))
        if self.known == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.known)

    cdef int search(self, Node* node, int64_t limit) except -1 nogil:
        """Solve a family if its optimum is below `limit`; else raise `lower` to it."""
        if self.searches == <uint32_t>-1:
            memset(self.known, 0, KNOWN * sizeof(Known))
            self.searches = 0
        self.searches += 1
        node.lower = self.solve(
            <uint64_t>-1 >> (64 - node.n), node.hits, node.columns, node.m,
            <int>min(limit, <int64_t>NEVER), &node.exact)
        return 0

    cdef int bound(self, uint64_t sets, int hits, const uint64_t* parts, int m) noexcept nogil:
        """What is known of a subset, or its bound from the counts of its cells."""
        cdef Subset subset
        cdef int n = popcount(sets), number, i, bound
        cdef const Known* known = self.known + (scramble(sets) & (KNOWN - 1))
        if n <= 2:
            return n - 1
        if self.on.memo and known.subset == sets and known.search == self.searches:
            return known.lower
        subset.sets, subset.parts, subset.m, subset.n = sets, parts, m, n
        subset.hits = subset.left = hits
        subset.most, subset.frequent = 0, 0
        for i in range(m):
            number = popcount(sets & parts[i])
            subset.counts[i] = number
            if number == n:
                subset.left -= 1
            elif number > subset.most:
                subset.most = number
                subset.frequent = sets & parts[i]
        bound = capped_bound(self.bounds, subset.left, n, subset.most)
        return bound if n <= 3 else max(bound, self.bound_by_counts(&subset))

    cdef int bound_by_counts(self, const Subset* subset) noexcept nogil:
        """A bound from the counts of all cells: by splitting, or by a profile."""
        cdef int number[WORD + 1]
        cdef int chain[MAX_CELLS]
        cdef int i, t, s, finished, bound = 0, chain_n = 0, n = subset.n
        cdef const int64_t* leaves
        if self.on.splitting and 2 * subset.most > n:
            return (1 + self.bound(subset.frequent, subset.hits, subset.parts, subset.m)
                    + self.bound(subset.sets & ~subset.frequent, subset.hits, subset.parts,
                                 subset.m))
        if not self.on.profile or 3 * subset.most > n or subset.left < 2:
            return 0
        memset(number, 0, (n + 1) * sizeof(int))
        for i in range(subset.m):
            number[subset.counts[i]] += 1
        for i in range(subset.most, 0, -1):    # from the greatest count of a cell not certain
            for t in range(number[i]):
                chain[chain_n] = i
                chain_n += 1
        leaves = self.bounds.leaves + (
            subset.left - 1 if self.on.leaf_counting else MAX_CELLS) * TIMES
        for t in range(MAX_CELLS):
            finished = 0
            for s in range(t + 1):
                i = t - s
                if i < chain_n:
                    finished += <int>min(<int64_t>chain[i], leaves[s])
            if finished >= n:
                break
            bound += n - finished
        return bound

    cdef int solve(self, uint64_t sets, int hits, const uint64_t* columns, int columns_n,
                   int limit, bint* exact) except -1 nogil:
        """The optimum of a subset if it is below `limit`, else a bound; `exact` says which.

        hits -- the most cells of a set, counting the columns that all of the subset have.
        """
        cdef uint64_t parts[MAX_CELLS]
        cdef Subset subset
        cdef int n = popcount(sets), lower = 0
        cdef Known* known = self.known + (scramble(sets) & (KNOWN - 1))
        exact[0] = True
        if n <= 2:
            return n - 1
        if self.on.memo and known.subset == sets and known.search == self.searches:
            lower = known.lower
            exact[0] = known.exact
            if known.exact or lower >= limit:
                return lower
        count_subset(self.effort)
        subset.sets, subset.n, subset.hits = sets, n, hits
        take_columns(&subset, columns, columns_n, parts, self.on.ordering)
        if n == 3 or subset.most == 1:
            exact[0] = True
            return 2 if n == 3 and subset.most == 2 else n * (n - 1) // 2
        lower = max(lower, capped_bound(self.bounds, subset.left, n, subset.most))
        if lower < limit:
            lower = max(lower, self.bound_by_counts(&subset))
        exact[0] = False
        if lower >= limit:
            return lower
        if (self.on.forced and self.rule == OPTIMAL and subset.most == n - 1
                and subset.counts[0] == n - 1):
            lower = max(lower, 1 + self.solve(
                parts[0], subset.hits, parts, subset.m, limit - 1, exact))
        else:
            lower = self.try_cells(&subset, lower, limit, exact)
        known.subset = sets
        known.search = self.searches
        known.lower = lower
        known.exact = exact[0]
        return lower

    cdef int try_cells(self, const Subset* subset, int lower, int limit,
                       bint* exact) except -1 nogil:
        """The least over the first shots, if it is below `limit`; else a bound."""
        cdef int i, total, best = limit, failed = NEVER
        for i in range(subset.m):
            if self.rule == BEST_GREEDY and subset.counts[i] < subset.most:
                continue
            if self.on.domination and is_dominated(subset, i):
                continue
            total = self.shoot(subset, i, best)
            if total >= best:
                failed = min(failed, total)
                continue
            best = total
            if best == lower:
                break
        exact[0] = best < limit
        return max(lower, best if best < limit else failed)

    cdef int shoot(self, const Subset* subset, int i, int limit) except -1 nogil:
        """The cost when a cell is shot first: exact if below `limit`, else a bound >= limit."""
        cdef uint64_t sets_hit = subset.parts[i], sets_missed = subset.sets & ~subset.parts[i]
        cdef int n_hit = subset.counts[i], n_missed = subset.n - subset.counts[i]
        cdef int hit, missed, price = n_missed
        cdef bint ignored
        hit = capped_bound(self.bounds, subset.hits - 1, n_hit, min(subset.most, n_hit - 1))
        missed = capped_bound(self.bounds, subset.hits, n_missed, subset.most)
        if price + hit + missed >= limit:
            return price + hit + missed
        missed = max(missed, self.bound(sets_missed, subset.hits, subset.parts, subset.m))
        hit = max(hit, self.bound(sets_hit, subset.hits, subset.parts, subset.m))
        if price + hit + missed >= limit:
            return price + hit + missed
        if n_hit <= n_missed:
            hit = self.solve(sets_hit, subset.hits, subset.parts, subset.m,
                             limit - price - missed, &ignored)
            if price + hit + missed < limit:
                missed = self.solve(sets_missed, subset.hits, subset.parts, subset.m,
                                    limit - price - hit, &ignored)
        else:
            missed = self.solve(sets_missed, subset.hits, subset.parts, subset.m,
                                limit - price - hit, &ignored)
            if price + hit + missed < limit:
                hit = self.solve(sets_hit, subset.hits, subset.parts, subset.m,
                                 limit - price - missed, &ignored)
        return price + hit + missed


cdef void take_columns(Subset* subset, const uint64_t* columns, int columns_n, uint64_t* parts,
                       bint ordering) noexcept nogil:
    """Count the cells that some of the sets have and some not, and take `hits` off for the others.

    ordering -- the greatest count first.
    """
    cdef int i, j, number, m = 0
    cdef uint64_t part
    subset.parts, subset.most, subset.frequent = parts, 0, 0
    for i in range(columns_n):
        part = columns[i] & subset.sets
        number = popcount(part)
        if number == subset.n:
            subset.hits -= 1
        elif number:
            j = m
            m += 1
            if ordering:
                while j > 0 and subset.counts[j - 1] < number:
                    subset.counts[j] = subset.counts[j - 1]
                    parts[j] = parts[j - 1]
                    j -= 1
            subset.counts[j] = number
            parts[j] = part
            if number > subset.most:
                subset.most = number
                subset.frequent = part
    subset.m = m
    subset.left = subset.hits


cdef bint is_dominated(const Subset* subset, int i) noexcept nogil:
    """Whether a part lies inside one before it, which has as many sets or more."""
    cdef int j
    for j in range(i):
        if subset.parts[i] & ~subset.parts[j] == 0:
            return True
    return False
