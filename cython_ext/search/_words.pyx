"""Exact search of families of at most 64 sets, for the mean: a subset is one machine word.

Bit i is set i, and a cell is the word of the sets that contain it. A shot at a cell splits a subset
into the sets hit and the sets missed. With weights no set contains another, and bits are sorted by
falling weight: the highest bit of a subset is its lightest set. Bounds and the choice of shots are
those of `_search`. Subsets are cached by their bits during one search, and by identity for all.
"""

cimport cython
from libc.stdint cimport int16_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from cells cimport MAX_CELLS, clz, ctz, pop_bit, popcount
from counting cimport LANES, Counted, count_cells, count_parts, is_inside
from hashing cimport scramble
from leaves cimport MISS_COUNTS
from objectives cimport INFINITE
from optsearch.compiled.search._bounds cimport Bounds, tabulated_bound, cost_row
from optsearch.compiled.search._effort cimport Effort, count_subset
from optsearch.compiled.search._family cimport Node
from optsearch.compiled.search._identities cimport Identity, IdentityTable
from optsearch.compiled.shared._arena cimport Arena
from options cimport BEST_GREEDY, Switches

cdef enum:
    BOUND_ENTRIES = 1 << 10    # of `bound_cache`: a bound is needed again soon, and a small table is near
    SEARCH_NUMBERS = 1 << 12   # values of CacheEntry.search_number
    IDENTITY_FROM = 8          # the fewest sets of a subset that is looked up by its identity


@cython.final
cdef class WordSearch:
    """A search with its caches, for one family after another."""

    def __cinit__(self, Bounds bounds, Effort effort, int rule, Switches use, IdentityTable identities):
        self.bounds, self.effort, self.rule, self.use = bounds, effort, rule, use
        self.identities = identities
        self.arena = Arena()
        self.result_cache = <CacheEntry*>self.arena.array(RESULT_ENTRIES, sizeof(CacheEntry))
        self.bound_cache = <CacheEntry*>self.arena.array(BOUND_ENTRIES, sizeof(CacheEntry))
        self.weight_sums = <int64_t*>self.arena.array(MAX_WORD_SETS // 8 * 256, sizeof(int64_t))

    cdef int search(self, Node* node, int64_t limit) except -1 nogil:
        """Raise `node.lower` to the optimum if that is below `limit`, else to `limit` or more."""
        cdef uint64_t columns[MAX_CELLS]
        self.begin(node, columns)
        node.lower = self.solve(<uint64_t>-1 >> (64 - node.set_count), node.max_hits, columns,
                                node.cell_count, limit, &node.exact)
        return 0

    cdef void begin(self, const Node* node, uint64_t* columns) noexcept nogil:
        """Load a family: fill `columns` (by cell, sets as bits), and void the entries of the one before."""
        cdef int cell
        if self.search_number == SEARCH_NUMBERS - 1:
            memset(self.result_cache, 0, RESULT_ENTRIES * sizeof(CacheEntry))
            memset(self.bound_cache, 0, BOUND_ENTRIES * sizeof(CacheEntry))
            self.search_number = 0
        self.search_number += 1
        for cell in range((node.cell_count + LANES - 1) // LANES * LANES):
            columns[cell] = node.columns[cell] if cell < node.cell_count else 0
        self.weights, self.set_cells = node.weights, node.set_cells
        if node.weights != NULL:
            self.sum_weights(node.set_count)

    cdef void sum_weights(self, int set_count) noexcept nogil:
        """Fill `weight_sums`: for each byte of a word of sets, the weight of each combination of its sets."""
        cdef int first_set, byte_sets
        cdef int64_t* sums_of_byte = self.weight_sums
        for first_set in range(0, set_count, 8):
            for byte_sets in range(1, 1 << min(8, set_count - first_set)):
                sums_of_byte[byte_sets] = sums_of_byte[byte_sets & (byte_sets - 1)] + (
                    self.weights[first_set + ctz(byte_sets)])
            sums_of_byte += 256

    cdef int64_t weight_of(self, uint64_t sets) noexcept nogil:
        """Return the total weight of a subset (as bits)."""
        cdef const int64_t* sums_of_byte = self.weight_sums
        cdef int64_t weight = 0
        if self.weights == NULL:
            return popcount(sets)
        while sets:
            weight += sums_of_byte[sets & 255]
            sets >>= 8
            sums_of_byte += 256
        return weight

    cdef int64_t lightest_weight(self, uint64_t sets) noexcept nogil:
        """Return the weight of the lightest set of a subset."""
        return 1 if self.weights == NULL else self.weights[highest_bit(sets)]

    cdef int64_t table_bound(self, uint64_t sets, int set_count, int hits, int greatest_count) noexcept nogil:
        """Return the tabulated bound of sets of `hits` cells; none is in more than `greatest_count` of them.

        costs[j] bounds any j of them without weights. Summed by parts, the j-th heaviest set adds its
        weight times costs[j] - costs[j - 1].
        """
        cdef const int16_t* costs = cost_row(self.bounds, hits, set_count, greatest_count)
        cdef int64_t bound = 0
        if self.weights == NULL:
            return costs[set_count]
        while sets:
            bound += self.weights[pop_bit(&sets)] * (costs[1] - costs[0])
            costs += 1
        return bound

    cdef int64_t count_bound(self, const Node* node) noexcept nogil:
        """Return the bound of a family of at least three sets by its cell counts."""
        cdef uint64_t columns[MAX_CELLS]
        cdef uint64_t parts[MAX_CELLS]
        cdef Subset subset
        self.begin(node, columns)
        subset.sets = <uint64_t>-1 >> (64 - node.set_count)
        subset.set_count, subset.max_hits = node.set_count, node.max_hits
        take_uncertain_columns(&subset, columns, node.cell_count, parts, False)
        return max(
            self.table_bound(subset.sets, subset.set_count, subset.max_uncertain, subset.greatest_count),
            self.bound_by_counts(&subset))

    cdef int64_t recall_bound(self, uint64_t sets, int set_count) noexcept nogil:
        """Return the cached bound of a subset, or -1; of one or two sets, the exact cost."""
        cdef uint64_t hash
        cdef const CacheEntry* entry
        if set_count <= 2:
            return self.lightest_weight(sets) if set_count == 2 else 0
        if not self.use.memo:
            return -1
        hash = scramble(sets)
        entry = self.result_cache + (hash & (RESULT_ENTRIES - 1))
        if entry.subset != sets or entry.search_number != self.search_number:
            entry = self.bound_cache + (hash & (BOUND_ENTRIES - 1))
            if entry.subset != sets or entry.search_number != self.search_number:
                return -1
        return entry.lower

    cdef void cache_bound(self, uint64_t sets, int64_t bound) noexcept nogil:
        """Cache the bound of a subset until the next search begins."""
        self.cache_result(self.bound_cache + (scramble(sets) & (BOUND_ENTRIES - 1)), sets, bound, False)

    cdef void bound_parts(self, const Subset* subset, uint64_t sets_hit, int hit_count, int64_t* hit_bound,
                          int64_t* missed_bound) noexcept nogil:
        """Set the bounds of the two parts after a shot, from the cache or else by their cell counts.

        One pass counts both parts: a count missed is the count of the subset less the count hit.
        """
        cdef Subset hit_part, missed_part
        cdef Counted hit_counts, missed_counts
        cdef int missed_count = subset.set_count - hit_count
        cdef uint64_t sets_missed = subset.sets & ~sets_hit
        hit_bound[0] = self.recall_bound(sets_hit, hit_count)
        missed_bound[0] = self.recall_bound(sets_missed, missed_count)
        if hit_bound[0] >= 0 and missed_bound[0] >= 0:
            return
        count_parts(subset.columns, subset.counts, subset.cell_count, sets_hit, hit_count, missed_count,
                    hit_part.counts, missed_part.counts, &hit_counts, &missed_counts)
        if hit_bound[0] < 0:
            hit_bound[0] = self.bound_part(subset, &hit_part, sets_hit, hit_count, &hit_counts)
        if missed_bound[0] < 0:
            missed_bound[0] = self.bound_part(subset, &missed_part, sets_missed, missed_count, &missed_counts)

    cdef int64_t bound_part(self, const Subset* subset, Subset* part, uint64_t sets, int set_count,
                            const Counted* counts) noexcept nogil:
        """Fill `part`, the subset of these sets with counted cells, and return its bound."""
        cdef int64_t bound
        part.sets, part.set_count, part.max_hits = sets, set_count, subset.max_hits
        part.columns, part.cell_count = subset.columns, subset.cell_count
        part.max_uncertain = subset.max_hits - counts.certain
        part.greatest_count = counts.most
        part.frequent_column = sets & subset.columns[counts.frequent]
        bound = self.table_bound(sets, set_count, part.max_uncertain, part.greatest_count)
        if set_count > 3:
            bound = max(bound, self.bound_by_counts(part))
            self.cache_bound(sets, bound)
        return bound

    cdef int64_t bound_by_counts(self, const Subset* subset) noexcept nogil:
        """Return a bound by the cell counts: by splitting (see `_search`), or by a profile; else 0."""
        cdef int64_t hit_bound, missed_bound
        if self.use.splitting and 2 * subset.greatest_count > subset.set_count:
            self.bound_parts(subset, subset.frequent_column, subset.greatest_count, &hit_bound, &missed_bound)
            return self.lightest_weight(subset.sets) + hit_bound + missed_bound
        if not self.use.profile or 3 * subset.greatest_count > subset.set_count or subset.max_uncertain < 2:
            return 0
        return self.bound_by_profile(subset)

    cdef int64_t bound_by_profile(self, const Subset* subset) noexcept nogil:
        """Return a bound by a profile (see `_bounds`), in which the heaviest sets are finished first."""
        cdef int columns_with_count[MAX_WORD_SETS + 1]
        cdef int chain[MAX_CELLS]
        cdef int64_t lightest[MAX_WORD_SETS + 1]           # [i] the total weight of the i lightest sets
        cdef int rank, misses, misses_after_hit, finished, chain_length = 0, set_count = subset.set_count
        cdef int64_t bound = 0
        cdef uint64_t sets_left = subset.sets
        cdef const int64_t* leaves
        memset(columns_with_count, 0, (set_count + 1) * sizeof(int))
        for rank in range(subset.cell_count):
            columns_with_count[subset.counts[rank]] += 1
        for rank in range(subset.greatest_count, 0, -1):    # counts of uncertain cells, falling
            for _ in range(columns_with_count[rank]):
                chain[chain_length] = rank
                chain_length += 1
        lightest[0] = 0
        for rank in range(set_count):
            lightest[rank + 1] = lightest[rank] + self.lightest_weight(sets_left)
            sets_left ^= <uint64_t>1 << highest_bit(sets_left)
        leaves = self.bounds.leaves + (subset.max_uncertain - 1) * MISS_COUNTS
        for misses in range(MAX_CELLS):
            finished = 0
            for misses_after_hit in range(misses + 1):
                rank = misses - misses_after_hit
                if rank < chain_length:
                    finished += <int>min(<int64_t>chain[rank], leaves[misses_after_hit])
            if finished >= set_count:
                break
            bound += lightest[set_count - finished]
        return bound

    cdef int64_t solve(self, uint64_t sets, int hits, const uint64_t* columns, int column_count,
                       int64_t limit, bint* exact) except -1 nogil:
        """Return the optimum of a subset (as bits) if below `limit`, else a bound >= limit; set `exact`.

        columns -- for each cell the sets that have it, as bits. hits -- the most cells of a set, those that
        the whole subset has included.
        """
        cdef uint64_t uncertain_columns[MAX_CELLS]
        cdef Subset subset
        cdef Identity identity
        cdef bint by_identity
        cdef int set_count = popcount(sets), i
        cdef int64_t lower = 0, value
        cdef CacheEntry* entry = self.result_cache + (scramble(sets) & (RESULT_ENTRIES - 1))
        exact[0] = True
        if set_count <= 2:
            return self.lightest_weight(sets) if set_count == 2 else 0
        if self.use.memo and entry.subset == sets and entry.search_number == self.search_number:
            lower = entry.lower
            exact[0] = entry.exact
            if entry.exact or lower >= limit:
                return lower
        exact[0] = False
        by_identity = self.identities is not None and set_count >= IDENTITY_FROM
        if by_identity:
            identity = self.identities.of_subset(self.set_cells, self.weights, sets)
            if self.identities.find(&identity, &value, exact):
                lower = max(lower, value)
                if exact[0] or lower >= limit:
                    self.cache_result(entry, sets, lower, exact[0])
                    return lower
        count_subset(self.effort)
        if set_count == 3 and self.weights == NULL:
            exact[0] = True
            for i in range(column_count):
                if popcount(columns[i] & sets) == 2:
                    return 2
            return 3
        subset.sets, subset.set_count, subset.max_hits = sets, set_count, hits
        take_uncertain_columns(&subset, columns, column_count, uncertain_columns, self.use.ordering)
        if set_count == 3 or subset.greatest_count == 1:
            exact[0] = True
            return self.solve_trivial(&subset)
        lower = max(lower, self.table_bound(sets, set_count, subset.max_uncertain, subset.greatest_count))
        if lower < limit:
            lower = max(lower, self.bound_by_counts(&subset))
        if lower >= limit:
            return lower
        lower = self.try_cells(&subset, lower, limit, exact)
        self.cache_result(entry, sets, lower, exact[0])
        if by_identity:
            self.identities.keep(&identity, lower, exact[0])
        return lower

    cdef void cache_result(self, CacheEntry* entry, uint64_t sets, int64_t lower, bint exact) noexcept nogil:
        """Cache the result of a subset until the next search begins."""
        entry.subset, entry.search_number = sets, self.search_number
        entry.lower, entry.exact = lower, exact

    cdef int64_t solve_trivial(self, const Subset* subset) noexcept nogil:
        """Return the least cost of three sets, or of disjoint sets, shot in order of falling weight."""
        cdef uint64_t sets_left = subset.sets, sets_hit
        cdef int64_t cost = 0, cost_of_cell
        cdef int rank, cell, set_count = subset.set_count
        if subset.greatest_count == 1 and self.weights == NULL:
            return set_count * (set_count - 1) // 2
        if subset.greatest_count == 1:
            for rank in range(set_count):
                cost += rank * self.weights[pop_bit(&sets_left)]
            return cost
        cost = INFINITE
        for cell in range(subset.cell_count):
            sets_hit = subset.columns[cell]
            if self.rule == BEST_GREEDY and self.weight_of(sets_hit) < self.heaviest_part(subset):
                continue
            sets_left = subset.sets & ~sets_hit
            cost_of_cell = self.weight_of(sets_left)
            # of the two sets on one side, the lighter one is missed
            cost_of_cell += self.lightest_weight(sets_left if subset.counts[cell] == 1 else sets_hit)
            cost = min(cost, cost_of_cell)
        return cost

    cdef int64_t heaviest_part(self, const Subset* subset) noexcept nogil:
        """Return the greatest weight of the sets with one cell; greedy shoots such a cell."""
        cdef int64_t greatest = 0
        cdef int cell
        for cell in range(subset.cell_count):
            greatest = max(greatest, self.weight_of(subset.columns[cell]))
        return greatest

    cdef int64_t try_cells(self, const Subset* subset, int64_t lower, int64_t limit,
                           bint* exact) except -1 nogil:
        """Return the least cost over the first shots if below `limit`, else a bound; set `exact`."""
        cdef int order[MAX_CELLS]
        cdef int64_t prices[MAX_CELLS]
        cdef int cell, rank
        cdef int64_t hit_bound, missed_bound, cost, best = limit, least_failed = INFINITE, greatest_weight = 0
        if self.rule == BEST_GREEDY:
            greatest_weight = self.heaviest_part(subset)
        self.order_cells(subset, order, prices)
        for rank in range(subset.cell_count):
            cell = order[rank]
            if self.rule == BEST_GREEDY and self.weight_of(subset.columns[cell]) < greatest_weight:
                continue
            cost = self.bound_shot(subset, cell, prices[cell], &hit_bound, &missed_bound)
            if cost >= least_failed and cost >= best or (
                    self.use.domination and is_inside(subset.columns[cell], subset.columns, cell)):
                continue
            if cost < best:
                cost = self.shoot(subset, cell, prices[cell], hit_bound, missed_bound, best)
            if cost >= best:
                least_failed = min(least_failed, cost)
                continue
            best = cost
            if best == lower:
                break
        exact[0] = best < limit
        return max(lower, best if best < limit else least_failed)

    cdef void order_cells(self, const Subset* subset, int* order, int64_t* prices) noexcept nogil:
        """Fill `prices`, the weight that a shot at each cell misses, and `order`, the cheapest first."""
        cdef int cell, place
        for cell in range(subset.cell_count):
            place = cell
            if self.weights == NULL:
                prices[cell] = subset.set_count - <int>subset.counts[cell]
            else:
                prices[cell] = self.weight_of(subset.sets & ~subset.columns[cell])
                while self.use.ordering and place and prices[order[place - 1]] > prices[cell]:
                    order[place] = order[place - 1]
                    place -= 1
            order[place] = cell

    cdef int64_t bound_shot(self, const Subset* subset, int cell, int64_t price, int64_t* hit_bound,
                            int64_t* missed_bound) noexcept nogil:
        """Bound the cost of shooting a cell first, by the sizes of its parts; fill their bounds."""
        cdef int hit_count = <int>subset.counts[cell]
        hit_bound[0] = self.lightest_weight(subset.columns[cell]) * tabulated_bound(
            self.bounds, subset.max_hits - 1, hit_count, min(subset.greatest_count, hit_count - 1))
        missed_bound[0] = self.lightest_weight(subset.sets & ~subset.columns[cell]) * tabulated_bound(
            self.bounds, subset.max_hits, subset.set_count - hit_count, subset.greatest_count)
        return price + hit_bound[0] + missed_bound[0]

    cdef int64_t shoot(self, const Subset* subset, int cell, int64_t price, int64_t hit_cost,
                       int64_t missed_cost, int64_t limit) except -1 nogil:
        """Return the cost of shooting a cell first: exact if below `limit`, else a bound >= limit.

        price -- the weight of the sets without the cell. hit_cost, missed_cost -- lower bounds of the costs
        of the sets with the cell and of those without it. The smaller part is solved first, as it may reach
        the limit with the bound of the larger one.
        """
        cdef uint64_t sets_hit = subset.columns[cell], sets_missed = subset.sets & ~subset.columns[cell]
        cdef int hit_count = <int>subset.counts[cell]
        cdef int64_t hit_bound, missed_bound
        limit -= price                     # of the parts alone
        self.bound_parts(subset, sets_hit, hit_count, &hit_bound, &missed_bound)
        missed_cost = max(missed_cost, missed_bound)
        hit_cost = max(hit_cost, hit_bound)
        if hit_cost + missed_cost >= limit:
            return price + hit_cost + missed_cost
        if 2 * hit_count <= subset.set_count:
            hit_cost = self.solve_part(subset, sets_hit, limit - missed_cost)
            if hit_cost + missed_cost < limit:
                missed_cost = self.solve_part(subset, sets_missed, limit - hit_cost)
        else:
            missed_cost = self.solve_part(subset, sets_missed, limit - hit_cost)
            if hit_cost + missed_cost < limit:
                hit_cost = self.solve_part(subset, sets_hit, limit - missed_cost)
        return price + hit_cost + missed_cost

    cdef inline int64_t solve_part(self, const Subset* subset, uint64_t sets, int64_t limit) except -1 nogil:
        """Solve some of the sets of a subset; the result is as of `solve`."""
        cdef bint ignored
        return self.solve(sets, subset.max_hits, subset.columns, subset.cell_count, limit, &ignored)


cdef inline int highest_bit(uint64_t sets) noexcept nogil:
    """Return the index of the highest bit of a word other than 0."""
    return 63 - clz(sets)


cdef void take_uncertain_columns(Subset* subset, const uint64_t* columns, int column_count,
                                 uint64_t* kept_columns, bint ordering) noexcept nogil:
    """Take into `subset` the cells that some of its sets contain, but not all; count them.

    `subset.max_hits` falls by one for each cell in all sets. If `ordering`, cells come by falling count.
    """
    cdef uint64_t counts[MAX_CELLS]
    cdef uint8_t places[MAX_WORD_SETS + 1]  # per count: its number of columns, then the index of the next
    cdef int column, count, cells_with_count, frequent = 0, place = 0
    count_cells(columns, column_count, subset.sets, counts)
    memset(places, 0, sizeof(places))
    for column in range(column_count):
        places[counts[column]] += 1
    subset.max_hits -= places[subset.set_count]
    subset.columns, subset.greatest_count = kept_columns, 0
    if ordering:                       # counting sort; cells in no set or in all sets come last
        for count in range(subset.set_count - 1, -1, -1):
            cells_with_count = places[count]
            places[count] = place
            place += cells_with_count
            if cells_with_count and count and not subset.greatest_count:
                subset.greatest_count = count
        subset.cell_count = places[0]
        places[subset.set_count] = place
        for column in range(column_count):
            place = places[counts[column]]
            places[counts[column]] += 1
            subset.counts[place] = counts[column]
            kept_columns[place] = columns[column] & subset.sets
    else:
        for column in range(column_count):
            count = <int>counts[column]
            if count == 0 or count == subset.set_count:
                continue
            subset.counts[place] = count
            kept_columns[place] = columns[column] & subset.sets
            if count > subset.greatest_count:
                subset.greatest_count = count
                frequent = place
            place += 1
        subset.cell_count = place
    subset.frequent_column = kept_columns[frequent] if subset.cell_count else 0
    subset.max_uncertain = subset.max_hits
    for place in range(subset.cell_count, (subset.cell_count + LANES - 1) // LANES * LANES):
        subset.counts[place] = kept_columns[place] = 0
