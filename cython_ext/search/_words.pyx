"""Exact search of families of at most 64 sets, for the mean: a subset is one machine word.

Bit i is set i, and a cell is the word of the sets that contain it. A shot at a cell splits a subset
into the sets hit and the sets missed. With weights no set contains another, and bits are sorted by
falling weight: the highest bit of a subset is its lightest set. Bounds and the choice of shots are
those of `_search`. Subsets are cached by their bits during one search, and by identity for all.
"""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int16_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from cells cimport MAX_CELLS, clz, ctz, popcount
from counting cimport LANES, Counted, count_cells, count_parts, is_inside
from hashing cimport scramble
from leaves cimport TIMES
from objectives cimport INFINITE
from optsearch.compiled.search._bounds cimport Bounds, capped_bound, capped_row
from optsearch.compiled.search._effort cimport Effort, count_subset
from optsearch.compiled.search._family cimport Node
from optsearch.compiled.search._identities cimport Identity, IdentityTable
from options cimport BEST_GREEDY, Switches

cdef enum:
    BOUNDED = 1 << 10          # entries of `bounded`: a bound is needed again soon, and a small table is near
    SEARCHES = 1 << 12         # values of Known.search
    IDENTITY_FROM = 8          # the fewest sets of a subset that is looked up by its identity


@cython.final
cdef class WordSearch:
    """A search with its caches, for one family after another."""

    def __cinit__(self, Bounds bounds, Effort effort, int rule, Switches on,
                  IdentityTable identities):
        self.bounds, self.effort, self.rule, self.on = bounds, effort, rule, on
        self.identities = identities
        self.known = <Known*>PyMem_Calloc(KNOWN, sizeof(Known))
        self.bounded = <Known*>PyMem_Calloc(BOUNDED, sizeof(Known))
        self.sums = <int64_t*>PyMem_Calloc(WORD // 8 * 256, sizeof(int64_t))
        if self.known == NULL or self.bounded == NULL or self.sums == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.known)
        PyMem_Free(self.bounded)
        PyMem_Free(self.sums)

    cdef int search(self, Node* node, int64_t limit) except -1 nogil:
        """Raise `node.lower` to the optimum if that is below `limit`, else to `limit` or more."""
        cdef uint64_t columns[MAX_CELLS]
        self.begin(node, columns)
        node.lower = self.solve(
            <uint64_t>-1 >> (64 - node.n), node.hits, columns, node.m, limit, &node.exact)
        return 0

    cdef void begin(self, const Node* node, uint64_t* columns) noexcept nogil:
        """Load a family: fill `columns`, and make the cached entries of the one before void."""
        cdef int i
        if self.searches == SEARCHES - 1:
            memset(self.known, 0, KNOWN * sizeof(Known))
            memset(self.bounded, 0, BOUNDED * sizeof(Known))
            self.searches = 0
        self.searches += 1
        for i in range((node.m + LANES - 1) // LANES * LANES):
            columns[i] = node.columns[i] if i < node.m else 0
        self.weights, self.rows = node.weights, node.rows
        if node.weights != NULL:
            self.sum_weights(node.n)

    cdef void sum_weights(self, int n) noexcept nogil:
        """Fill `sums`: for each byte of a word of sets, the total weight of each combination of its sets."""
        cdef int start, x
        cdef int64_t* sums = self.sums
        for start in range(0, n, 8):
            for x in range(1, 1 << min(8, n - start)):
                sums[x] = sums[x & (x - 1)] + self.weights[start + ctz(x)]
            sums += 256

    cdef int64_t weight_of(self, uint64_t sets) noexcept nogil:
        """Return the total weight of a subset."""
        cdef const int64_t* sums = self.sums
        cdef int64_t weight = 0
        if self.weights == NULL:
            return popcount(sets)
        while sets:
            weight += sums[sets & 255]
            sets >>= 8
            sums += 256
        return weight

    cdef int64_t least_of(self, uint64_t sets) noexcept nogil:
        """Return the weight of the lightest set of a subset."""
        return 1 if self.weights == NULL else self.weights[last(sets)]

    cdef int64_t capped_by_weight(self, uint64_t sets, int n, int left, int most) noexcept nogil:
        """Return the tabulated bound of n sets of `left` cells; no cell is in more than `most` of them.

        row[j] bounds any j of them without weights. Summed by parts, the j-th heaviest set adds its
        weight times row[j] - row[j - 1].
        """
        cdef const int16_t* row = capped_row(self.bounds, left, n, most)
        cdef int64_t bound = 0
        if self.weights == NULL:
            return row[n]
        while sets:
            bound += self.weights[ctz(sets)] * (row[1] - row[0])
            row += 1
            sets &= sets - 1
        return bound

    cdef int64_t bound_of(self, const Node* node) noexcept nogil:
        """Return the bound of a family of at least three sets by its cell counts."""
        cdef uint64_t columns[MAX_CELLS]
        cdef uint64_t parts[MAX_CELLS]
        cdef Subset subset
        self.begin(node, columns)
        subset.sets, subset.n, subset.hits = <uint64_t>-1 >> (64 - node.n), node.n, node.hits
        take_columns(&subset, columns, node.m, parts, False)
        return max(self.capped_by_weight(subset.sets, subset.n, subset.left, subset.most),
                   self.bound_by_counts(&subset))

    cdef int64_t recall(self, uint64_t sets, int n) noexcept nogil:
        """Return the cached bound of a subset of n sets, or -1; exact for one and two sets."""
        cdef uint64_t hash
        cdef const Known* known
        if n <= 2:
            return self.least_of(sets) if n == 2 else 0
        if not self.on.memo:
            return -1
        hash = scramble(sets)
        known = self.known + (hash & (KNOWN - 1))
        if known.subset != sets or known.search != self.searches:
            known = self.bounded + (hash & (BOUNDED - 1))
            if known.subset != sets or known.search != self.searches:
                return -1
        return known.lower

    cdef void keep_bound(self, uint64_t sets, int64_t bound) noexcept nogil:
        """Cache the bound of a subset, which may be a part of other subsets too."""
        cdef Known* known = self.bounded + (scramble(sets) & (BOUNDED - 1))
        known.subset, known.search = sets, self.searches
        known.lower, known.exact = bound, False

    cdef void bound_parts(self, const Subset* subset, uint64_t sets_hit, int n_hit, int64_t* hit,
                          int64_t* missed) noexcept nogil:
        """Bound the two parts after a shot, by the cache or else by their cell counts.

        One pass counts both parts: a count missed is the count of the subset less the count hit.
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

    cdef int64_t bound(self, const Subset* subset, Subset* part, uint64_t sets, int n,
                       const Counted* counted) noexcept nogil:
        """Fill in `part`, of at least three sets with counted cells, and return its bound."""
        cdef int64_t bound
        part.sets, part.n, part.hits = sets, n, subset.hits
        part.parts, part.m = subset.parts, subset.m
        part.left = subset.hits - counted.certain
        part.most = counted.most
        part.frequent = sets & subset.parts[counted.frequent]
        bound = self.capped_by_weight(sets, n, part.left, part.most)
        if n > 3:
            bound = max(bound, self.bound_by_counts(part))
            self.keep_bound(sets, bound)
        return bound

    cdef int64_t bound_by_counts(self, const Subset* subset) noexcept nogil:
        """Return a bound by the cell counts: by splitting (see `_search`), or by a profile; else 0."""
        cdef int64_t hit, missed
        if self.on.splitting and 2 * subset.most > subset.n:
            self.bound_parts(subset, subset.frequent, subset.most, &hit, &missed)
            return self.least_of(subset.sets) + hit + missed
        if not self.on.profile or 3 * subset.most > subset.n or subset.left < 2:
            return 0
        return self.bound_by_profile(subset)

    cdef int64_t bound_by_profile(self, const Subset* subset) noexcept nogil:
        """Return a bound by a profile (see `_bounds`), where the heaviest sets are finished first."""
        cdef int number[WORD + 1]
        cdef int chain[MAX_CELLS]
        cdef int64_t lightest[WORD + 1]           # [i] the total weight of the i lightest sets
        cdef int i, t, s, finished, chain_n = 0, n = subset.n
        cdef int64_t bound = 0
        cdef uint64_t sets = subset.sets
        cdef const int64_t* leaves
        memset(number, 0, (n + 1) * sizeof(int))
        for i in range(subset.m):
            number[subset.counts[i]] += 1
        for i in range(subset.most, 0, -1):    # counts of uncertain cells, falling
            for _ in range(number[i]):
                chain[chain_n] = i
                chain_n += 1
        lightest[0] = 0
        for i in range(n):
            lightest[i + 1] = lightest[i] + self.least_of(sets)
            sets ^= <uint64_t>1 << last(sets)
        leaves = self.bounds.leaves + (subset.left - 1) * TIMES
        for t in range(MAX_CELLS):
            finished = 0
            for s in range(t + 1):
                i = t - s
                if i < chain_n:
                    finished += <int>min(<int64_t>chain[i], leaves[s])
            if finished >= n:
                break
            bound += lightest[n - finished]
        return bound

    cdef int64_t solve(self, uint64_t sets, int hits, const uint64_t* columns, int columns_n,
                       int64_t limit, bint* exact) except -1 nogil:
        """Return the optimum of a subset if below `limit`, else a bound >= limit; set `exact`.

        hits -- the most cells of a set, the columns common to the whole subset included.
        """
        cdef uint64_t parts[MAX_CELLS]
        cdef Subset subset
        cdef Identity key
        cdef bint by_identity
        cdef int n = popcount(sets), i
        cdef int64_t lower = 0, value
        cdef Known* known = self.known + (scramble(sets) & (KNOWN - 1))
        exact[0] = True
        if n <= 2:
            return self.least_of(sets) if n == 2 else 0
        if self.on.memo and known.subset == sets and known.search == self.searches:
            lower = known.lower
            exact[0] = known.exact
            if known.exact or lower >= limit:
                return lower
        exact[0] = False
        by_identity = self.identities is not None and n >= IDENTITY_FROM
        if by_identity:
            key = self.identities.of_subset(self.rows, self.weights, sets)
            if self.identities.find(&key, &value, exact):
                lower = max(lower, value)
                if exact[0] or lower >= limit:
                    self.keep(known, sets, lower, exact[0])
                    return lower
        count_subset(self.effort)
        if n == 3 and self.weights == NULL:
            exact[0] = True
            for i in range(columns_n):
                if popcount(columns[i] & sets) == 2:
                    return 2
            return 3
        subset.sets, subset.n, subset.hits = sets, n, hits
        take_columns(&subset, columns, columns_n, parts, self.on.ordering)
        if n == 3 or subset.most == 1:
            exact[0] = True
            return self.solve_trivial(&subset)
        lower = max(lower, self.capped_by_weight(sets, n, subset.left, subset.most))
        if lower < limit:
            lower = max(lower, self.bound_by_counts(&subset))
        if lower >= limit:
            return lower
        lower = self.try_cells(&subset, lower, limit, exact)
        self.keep(known, sets, lower, exact[0])
        if by_identity:
            self.identities.keep(&key, lower, exact[0])
        return lower

    cdef void keep(self, Known* known, uint64_t sets, int64_t lower, bint exact) noexcept nogil:
        """Cache the result of a subset until the next search begins."""
        known.subset, known.search = sets, self.searches
        known.lower, known.exact = lower, exact

    cdef int64_t solve_trivial(self, const Subset* subset) noexcept nogil:
        """Return the optimum of three sets, or of disjoint sets, which are shot by falling weight."""
        cdef uint64_t sets = subset.sets
        cdef int64_t cost = 0, value
        cdef int i, n = subset.n
        if subset.most == 1:
            for i in range(n):
                cost += i * self.weights[ctz(sets)] if self.weights != NULL else i
                sets &= sets - 1
            return cost
        cost = INFINITE
        for i in range(subset.m):      # of two sets left on either side, the lighter one is missed
            if self.rule == BEST_GREEDY and (
                    self.weight_of(subset.parts[i]) < self.heaviest_part(subset)):
                continue
            sets = subset.sets & ~subset.parts[i]
            value = self.weight_of(sets)
            value += self.least_of(sets if subset.counts[i] == 1 else subset.parts[i])
            cost = min(cost, value)
        return cost

    cdef int64_t heaviest_part(self, const Subset* subset) noexcept nogil:
        """Return the greatest weight of a cell, which greedy shoots."""
        cdef int64_t most = 0
        cdef int i
        for i in range(subset.m):
            most = max(most, self.weight_of(subset.parts[i]))
        return most

    cdef int64_t try_cells(self, const Subset* subset, int64_t lower, int64_t limit,
                           bint* exact) except -1 nogil:
        """Return the least cost over the first shots if below `limit`, else a bound; set `exact`."""
        cdef int order[MAX_CELLS]
        cdef int64_t prices[MAX_CELLS]
        cdef int i, turn
        cdef int64_t hit, missed, total, best = limit, failed = INFINITE, heaviest = 0
        if self.rule == BEST_GREEDY:
            heaviest = self.heaviest_part(subset)
        self.order_cells(subset, order, prices)
        for turn in range(subset.m):
            i = order[turn]
            if self.rule == BEST_GREEDY and self.weight_of(subset.parts[i]) < heaviest:
                continue
            total = self.bound_shot(subset, i, prices[i], &hit, &missed)
            if total >= failed and total >= best or (
                    self.on.domination and is_inside(subset.parts[i], subset.parts, i)):
                continue
            if total < best:
                total = self.shoot(subset, i, prices[i], hit, missed, best)
            if total >= best:
                failed = min(failed, total)
                continue
            best = total
            if best == lower:
                break
        exact[0] = best < limit
        return max(lower, best if best < limit else failed)

    cdef void order_cells(self, const Subset* subset, int* order, int64_t* prices) noexcept nogil:
        """Fill `prices`, the weight that a shot at each cell misses, and `order`, the cheapest first."""
        cdef int i, j
        for i in range(subset.m):
            j = i
            if self.weights == NULL:
                prices[i] = subset.n - <int>subset.counts[i]
            else:
                prices[i] = self.weight_of(subset.sets & ~subset.parts[i])
                while self.on.ordering and j and prices[order[j - 1]] > prices[i]:
                    order[j] = order[j - 1]
                    j -= 1
            order[j] = i

    cdef int64_t bound_shot(self, const Subset* subset, int i, int64_t price, int64_t* hit,
                            int64_t* missed) noexcept nogil:
        """Return a bound of shooting a cell first, by the sizes of its parts; fill `hit` and `missed`."""
        cdef int n_hit = <int>subset.counts[i]
        hit[0] = self.least_of(subset.parts[i]) * capped_bound(
            self.bounds, subset.hits - 1, n_hit, min(subset.most, n_hit - 1))
        missed[0] = self.least_of(subset.sets & ~subset.parts[i]) * capped_bound(
            self.bounds, subset.hits, subset.n - n_hit, subset.most)
        return price + hit[0] + missed[0]

    cdef int64_t shoot(self, const Subset* subset, int i, int64_t price, int64_t hit, int64_t missed,
                       int64_t limit) except -1 nogil:
        """Return the cost of shooting a cell first: exact if below `limit`, else a bound >= limit.

        hit, missed -- bounds of the parts. The smaller part is solved first, as it may reach the limit
        with the bound of the larger one.
        """
        cdef uint64_t sets_hit = subset.parts[i], sets_missed = subset.sets & ~subset.parts[i]
        cdef int n_hit = <int>subset.counts[i], n_missed = subset.n - n_hit
        cdef int64_t of_hit, of_missed
        cdef bint ignored
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


cdef inline int last(uint64_t sets) noexcept nogil:
    """Return the index of the highest bit of a word other than 0."""
    return 63 - clz(sets)


cdef void take_columns(Subset* subset, const uint64_t* columns, int columns_n, uint64_t* parts,
                       bint ordering) noexcept nogil:
    """Take into `subset` the cells that some of its sets contain, but not all; count them.

    `subset.hits` falls by one for each cell in all sets. If `ordering`, cells come by falling count.
    """
    cdef uint64_t numbers[MAX_CELLS]
    cdef uint8_t place[WORD + 1]       # per count: its number of columns, then the index of the next
    cdef int i, number, first = 0, m = 0
    count_cells(columns, columns_n, subset.sets, numbers)
    memset(place, 0, sizeof(place))
    for i in range(columns_n):
        place[numbers[i]] += 1
    subset.hits -= place[subset.n]
    subset.parts, subset.most = parts, 0
    if ordering:                       # counting sort; cells in no set or in all sets come last
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
