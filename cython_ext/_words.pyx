"""The search of families of at most 64 sets, as subsets of one machine word: a bit a set.

A cell is the word of the sets that have it. All weights are 1, and the objective is the mean. The
bounds and the choice of shots are those of `_search`; what is known of a subset is remembered by its
bits, for the time of one search.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from cells cimport MAX_CELLS, popcount
from counting cimport LANES, Counted, count_cells, count_parts, is_inside
from hashing cimport scramble
from leaves cimport TIMES
from optsearch.compiled._bounds cimport NEVER, Bounds, capped_bound
from optsearch.compiled._effort cimport Effort, count_subset
from optsearch.compiled._family cimport Node
from options cimport BEST_GREEDY, OPTIMAL, Switches

cdef enum:
    KNOWN = 1 << 16            # subsets that are remembered
    BOUNDED = 1 << 10          # bounds that are: what is asked again is asked soon, and this is near


cdef class WordSearch:
    """Searches families whose bounds it is given."""

    def __cinit__(self, Bounds bounds, Effort effort, int rule, Switches on):
        self.bounds, self.effort, self.rule, self.on = bounds, effort, rule, on
        self.known = <Known*>PyMem_Calloc(KNOWN, sizeof(Known))
        self.bounded = <Known*>PyMem_Calloc(BOUNDED, sizeof(Known))
        if self.known == NULL or self.bounded == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.known)
        PyMem_Free(self.bounded)

    cdef int search(self, Node* node, int64_t limit) except -1 nogil:
        """Solve a family if its optimum is below `limit`; else raise `lower` to it."""
        cdef uint64_t columns[MAX_CELLS]
        self.begin(node, columns)
        node.lower = self.solve(
            <uint64_t>-1 >> (64 - node.n), node.hits, columns, node.m,
            <int>min(limit, <int64_t>NEVER), &node.exact)
        return 0

    cdef void begin(self, const Node* node, uint64_t* columns) noexcept nogil:
        """Forget what is known, and take the columns of a family."""
        cdef int i
        if self.searches == <uint32_t>-1:
            memset(self.known, 0, KNOWN * sizeof(Known))
            memset(self.bounded, 0, BOUNDED * sizeof(Known))
            self.searches = 0
        self.searches += 1
        for i in range((node.m + LANES - 1) // LANES * LANES):
            columns[i] = node.columns[i] if i < node.m else 0

    cdef int bound_of(self, const Node* node) noexcept nogil:
        """The bound of a family of three sets or more from the counts of its cells."""
        cdef uint64_t columns[MAX_CELLS]
        cdef uint64_t parts[MAX_CELLS]
        cdef Subset subset
        self.begin(node, columns)
        subset.sets, subset.n, subset.hits = <uint64_t>-1 >> (64 - node.n), node.n, node.hits
        take_columns(&subset, columns, node.m, parts, False)
        return max(capped_bound(self.bounds, subset.left, subset.n, subset.most),
                   self.bound_by_counts(&subset))

    cdef int recall(self, uint64_t sets, int n) noexcept nogil:
        """What is known of n sets: the optimum of two and of one; -1 if nothing is."""
        cdef uint64_t hash
        cdef const Known* known
        if n <= 2:
            return n - 1
        if not self.on.memo:
            return -1
        hash = scramble(sets)
        known = self.known + (hash & (KNOWN - 1))
        if known.subset != sets or known.search != self.searches:
            known = self.bounded + (hash & (BOUNDED - 1))
            if known.subset != sets or known.search != self.searches:
                return -1
        return known.lower

    cdef void keep_bound(self, uint64_t sets, int bound) noexcept nogil:
        """Remember the bound of a subset for its next parents; it may be solved or not."""
        cdef Known* known = self.bounded + (scramble(sets) & (BOUNDED - 1))
        known.subset, known.search = sets, self.searches
        known.lower, known.exact = bound, False

    cdef void bound_parts(self, const Subset* subset, uint64_t sets_hit, int n_hit, int* hit,
                          int* missed) noexcept nogil:
        """What is known of the two parts at a cell, or their bounds from the counts of their cells.

        One pass counts for both: what the one does not have, the other has.
        """
        cdef Subset of_hit, of_missed
        cdef Counted counted_hit, counted_missed
        cdef int n_missed = subset.n - n_hit
        cdef uint64_t sets_missed = subset.sets & ~sets_hit
        hit[0] = self.recall(sets_hit, n_hit)
        missed[0] = self.recall(sets_missed, n_missed)
        if hit[0] >= 0 and missed[0] >= 0:
            return
        count_parts(subset.parts, subset.counts, subset.m, sets_hit, n_hit, n_missed,
                    of_hit.counts, of_missed.counts, &counted_hit, &counted_missed)
        if hit[0] < 0:
            hit[0] = self.bound(subset, &of_hit, sets_hit, n_hit, &counted_hit)
        if missed[0] < 0:
            missed[0] = self.bound(subset, &of_missed, sets_missed, n_missed, &counted_missed)

    cdef int bound(self, const Subset* subset, Subset* part, uint64_t sets, int n,
                   const Counted* counted) noexcept nogil:
        """The bound of a part of three sets or more, whose cells are counted."""
        cdef int bound
        part.sets, part.n, part.hits = sets, n, subset.hits
        part.parts, part.m = subset.parts, subset.m
        part.left = subset.hits - counted.certain
        part.most = counted.most
        part.frequent = sets & subset.parts[counted.frequent]
        bound = capped_bound(self.bounds, part.left, n, part.most)
        if n > 3:
            bound = max(bound, self.bound_by_counts(part))
            self.keep_bound(sets, bound)
        return bound

    cdef int bound_by_counts(self, const Subset* subset) noexcept nogil:
        """A bound from the counts of all cells: by splitting, or by a profile."""
        cdef int hit, missed
        if self.on.splitting and 2 * subset.most > subset.n:
            self.bound_parts(subset, subset.frequent, subset.most, &hit, &missed)
            return 1 + hit + missed
        if not self.on.profile or 3 * subset.most > subset.n or subset.left < 2:
            return 0
        return self.bound_by_profile(subset)

    cdef int bound_by_profile(self, const Subset* subset) noexcept nogil:
        cdef int number[WORD + 1]
        cdef int chain[MAX_CELLS]
        cdef int i, t, s, finished, bound = 0, chain_n = 0, n = subset.n
        cdef const int64_t* leaves
        memset(number, 0, (n + 1) * sizeof(int))
        for i in range(subset.m):
            number[subset.counts[i]] += 1
        for i in range(subset.most, 0, -1):    # from the greatest count of a cell not certain
            for _ in range(number[i]):
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
                and <int>subset.counts[0] == n - 1):
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
            if self.rule == BEST_GREEDY and <int>subset.counts[i] < subset.most:
                continue
            if self.on.domination and is_inside(subset.parts[i], subset.parts, i):
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
        cdef int n_hit = <int>subset.counts[i], n_missed = subset.n - n_hit
        cdef int hit, missed, of_hit, of_missed, price = n_missed
        cdef bint ignored
        hit = capped_bound(self.bounds, subset.hits - 1, n_hit, min(subset.most, n_hit - 1))
        missed = capped_bound(self.bounds, subset.hits, n_missed, subset.most)
        if price + hit + missed >= limit:
            return price + hit + missed
        self.bound_parts(subset, sets_hit, n_hit, &of_hit, &of_missed)
        missed = max(missed, of_missed)
        hit = max(hit, of_hit)
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
    cdef uint64_t numbers[MAX_CELLS]
    cdef uint8_t place[WORD + 1]       # by count: how many columns; then where the next one goes
    cdef int i, number, first = 0, m = 0
    count_cells(columns, columns_n, subset.sets, numbers)
    memset(place, 0, sizeof(place))
    for i in range(columns_n):
        place[numbers[i]] += 1
    subset.hits -= place[subset.n]
    subset.parts, subset.most = parts, 0
    if ordering:                       # a counting sort; columns that say nothing come last
        for i in range(subset.n - 1, -1, -1):
            number = place[i]
            place[i] = m
            m += number
            if number and i and not subset.most:
                subset.most = i
        subset.m = place[0]
        place[subset.n] = m
        for i in range(columns_n):
            m = place[numbers[i]]
            place[numbers[i]] += 1
            subset.counts[m] = numbers[i]
            parts[m] = columns[i] & subset.sets
    else:
        for i in range(columns_n):
            number = <int>numbers[i]
            if number and number < subset.n:
                subset.counts[m] = number
                parts[m] = columns[i] & subset.sets
                if number > subset.most:
                    subset.most = number
                    first = m
                m += 1
        subset.m = m
    subset.frequent = parts[first] if subset.m else 0
    subset.left = subset.hits
    m = subset.m
    while m % LANES:
        subset.counts[m] = parts[m] = 0
        m += 1
