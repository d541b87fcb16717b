"""Bounds where sinkings are announced: what no strategy for a state can be below.

**Leaf counting and profile.** Let A(t) be the greatest weight that can be finished with at most t
misses. A configuration that misses j times costs price(b) + ... + price(b - j + 1), hence

    value(F, b) >= sum over t >= 0 of price(b - t) * (weight(F) - A(t))+.

The replies of a game with k hits and j misses are a sequence that ends in a sinking, and the items that
get one sequence have the same cells: those of its hits. (They need not be one item: {AB, C} and {BC, A}
both answer B, A, C by hit, sunk, sunk.) There are C(k - 1 + j, j) places of the misses, and at most
w = C(k - 1, s - 1) * s! / prod(m_l!) sequences of hits and sinkings for s ships, m_l of them of label
l; fewer, since r ships sunk of label l take the cells of the r smallest ones at least: a sinking at
the p-th hit, after which r_l ships of label l are sunk, needs sum over l and i <= r_l of (the least
size, over all items, of the i-th smallest ship of label l) <= p. We count the sequences that satisfy
this. So, with items of the same cells taken as one *group*, leaf counting: A(t) is at most the
weight of the w * C(k + t, t) heaviest groups. Profile: an item with at most t misses has one of the
first t + 1 cells of the chain of shots that all miss, so A(t) is at most the sum of the t + 1
largest weights of a cell. Both together: what is finished after i misses of that chain and a hit
has sequences of k - 1 more replies and t - i misses, w * C(k - 1 + t - i, t - i) of them over all
replies to the hit, so

    A(t) <= sum over i = 0..t of min(i-th largest weight of a cell, B(t - i)),

where B(m) is the weight of the w * C(k - 1 + m, m) heaviest groups, or the largest over the cells d
of the sum of the A(m) of the parts of F hit at d. (Sums of min(a, b) are largest when both are
sorted. The chain's families are parts of F, so what bounds F bounds them.)

**Small cases.** One item: 0. Two items X and Y: 0 if a ship of one lies in the cells common to both
and is not a ship (cells and label) of the other, else min(weight) * price(b). Proof: one miss of the
lighter item always suffices. For no miss all shots have to be common cells until a reply differs.
If S is such a ship of X, shoot its cells; if Y answers the same, Y has a ship S' with the last cell
and with S' < S, and shooting S' first tells. Without such a ship common cells sink the same ships
in both. k = 1: shoot by falling weight.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int64_t
from libc.string cimport memset

from cells cimport MAX_CELLS, Cells, size
from leaves cimport TIMES, fill_leaves
from objectives cimport FORBIDDEN, WITHIN, price
from optsearch.compiled._announced_state cimport (
    MAX_CODES, NO_BUDGET, State, Stock, cells_of, weight_of)
from options cimport Switches

cdef enum:
    MAX_VECTORS = 96           # numbers of ships sunk of each label, up to which sequences are counted

cdef int64_t MANY = <int64_t>1 << 31     # more leaves than any state has items


cdef inline int64_t binomial(const int64_t* leaves, int a, int b) noexcept nogil:
    return leaves[(a - b) * TIMES + b] if 0 <= b <= a else 0


cdef int sort_part(const Stock* stock, const int64_t* counts) noexcept nogil:
    """The positive ones of the weights of all cells, the largest first, to `sorted`."""
    cdef int n = 0, c, i
    cdef int64_t weight
    for c in range(stock.cells):
        weight = counts[c]
        if weight:
            i = n
            n += 1
            while i > 0 and stock.sorted[i - 1] < weight:
                stock.sorted[i] = stock.sorted[i - 1]
                i -= 1
            stock.sorted[i] = weight
    return n


cdef bint has_own_ship(const Cells* x, const Cells* y, Cells common,
                       const State* state) noexcept nogil:
    """Whether x has a ship within the common cells that y has not."""
    cdef int i, j
    for i in range(state.s):
        if x[1 + i] & ~common:
            continue
        for j in range(state.s):
            if x[1 + i] == y[1 + j] and state.labels[i] == state.labels[j]:
                break
        else:
            return True
    return False


cdef class AnnouncedBounds:
    """The bounds of a search: what misses cost, and which bounds there are."""

    def __cinit__(self, int objective, Switches on):
        self.objective, self.on = objective, on
        self.leaves = <int64_t*>PyMem_Malloc(TIMES * TIMES * sizeof(int64_t))
        if self.leaves == NULL:
            raise MemoryError
        fill_leaves(self.leaves, MANY)

    def __dealloc__(self):
        PyMem_Free(self.leaves)

    cdef int64_t at_sight(self, const State* state) noexcept nogil:
        """The optimum of states solved at sight; -1 for others."""
        cdef const Cells* x = state.items
        cdef const Cells* y = state.items + state.s + 1
        cdef Cells common
        cdef int i
        cdef int64_t value = 0
        if state.n == 1:
            return 0
        if self.objective == WITHIN and (state.budget < 0 or state.budget == NO_BUDGET):
            return 0
        if not self.on.small_cases:
            return -1
        if state.n == 2:
            common = cells_of(x, state.s) & cells_of(y, state.s)
            if has_own_ship(x, y, common, state) or has_own_ship(y, x, common, state):
                return 0
            return price(self.objective, state.budget, weight_of(y))
        if state.k == 1:               # one cell is left: shoot by falling weight
            if self.objective == WITHIN:
                for i in range(state.budget + 1, state.n):
                    value += weight_of(state.items + i * 2)
                return value
            if state.budget < state.n - 1:
                return FORBIDDEN
            for i in range(state.n):
                value += i * weight_of(state.items + i * 2)
            return value
        return -1

    cdef int64_t static_bound(self, const State* state, Stock* stock) noexcept nogil:
        """A bound for the state and, as `part_bound`, for all its parts with a hit.

        Afterwards `after` of kind 0 holds the lesser B(m).
        """
        cdef int c, code, n, t, place
        cdef int64_t weight
        cdef int64_t* profiles = stock.profile_sum
        cdef int64_t* best = stock.best
        self.count_leaves(state, stock)
        if not self.on.leaf_counting and not self.on.profile:
            return 0
        memset(best, 0, stock.times * sizeof(int64_t))
        for c in range(stock.cells):
            memset(profiles, 0, stock.times * sizeof(int64_t))
            for code in range(stock.codes):
                place = c * stock.codes + code
                weight = stock.part[place]
                if stock.part_items[place] > 1 and state.k > 1:
                    n = sort_part(stock, stock.pair + place * stock.cells)
                    stock.part_bound[place] = self.bound(
                        stock, 1 + code, weight, n, state.budget, True)
                    for t in range(stock.times):
                        profiles[t] += stock.profile[t]
                elif weight:
                    for t in range(stock.times):
                        profiles[t] += weight
            for t in range(stock.times):
                best[t] = max(best[t], profiles[t])
        if self.on.profile:
            for t in range(stock.times):
                stock.after[t] = min(stock.after[t], best[t])
        n = sort_part(stock, stock.total)
        return self.bound(stock, 0, stock.weight, n, state.budget, False)

    cdef int64_t bound_missed(self, const State* state, const Stock* stock, int c) noexcept nogil:
        """A bound for the part that the cell number c misses, once the state is bounded."""
        cdef int d, code, n
        cdef const int64_t* pair
        if not self.on.leaf_counting and not self.on.profile or state.budget == 0:
            return 0
        for d in range(stock.cells):
            stock.rest[d] = stock.total[d]
        for code in range(stock.codes):
            pair = stock.pair + (c * stock.codes + code) * stock.cells
            if stock.part_items[c * stock.codes + code]:
                for d in range(stock.cells):
                    stock.rest[d] -= pair[d]
        stock.rest[c] = 0
        n = sort_part(stock, stock.rest)
        return self.bound(
            stock, 0, stock.weight - stock.total[c], n,
            state.budget if state.budget == NO_BUDGET else state.budget - 1, False)

    cdef void count_leaves(self, const State* state, Stock* stock) noexcept nogil:
        """Fill `after` and `leaves` from the numbers of sequences."""
        cdef int kind, k, m
        cdef int64_t sequences[MAX_CODES + 1]
        cdef int64_t more
        if self.on.leaf_counting:
            self.count_sequences(state, stock, sequences)
        for kind in range(stock.codes + 1):        # the state, hit, the sinkings
            k = max(1, state.k - (kind > 0))
            for m in range(stock.times):
                if not self.on.leaf_counting:
                    stock.after[kind * stock.times + m] = stock.weight
                    stock.leaves[kind * stock.times + m] = stock.weight
                    continue
                more = min(MANY, sequences[kind] * binomial(self.leaves, k - 1 + m, m))
                stock.after[kind * stock.times + m] = stock.heaviest[min(stock.groups, more)]
                more = min(MANY, sequences[kind] * binomial(self.leaves, k + m, m))
                stock.leaves[kind * stock.times + m] = stock.heaviest[min(stock.groups, more)]

    cdef int64_t bound(self, const Stock* stock, int kind, int64_t weight, int n, int budget,
                       bint profile) noexcept nogil:
        """Leaf counting and profile for a part whose n weights of a cell are in `sorted`, sorted.

        profile -- also write A(t) to `profile`.
        """
        cdef const int64_t* after = stock.after + kind * stock.times
        cdef const int64_t* leaves = stock.leaves + kind * stock.times
        cdef int64_t value = 0, most, covered
        cdef int t = 0, i
        if self.objective == WITHIN and not profile:
            t = budget
        while t < stock.times:
            most = leaves[t]
            if self.on.profile:
                covered = 0
                for i in range(min(t + 1, n)):
                    covered += min(stock.sorted[i], after[t - i])
                most = min(most, covered)
            if most >= weight:
                break
            if profile:
                stock.profile[t] = most
            if budget >= t and value < FORBIDDEN:
                value += price(self.objective, budget - t, weight - most)
            if not profile and budget <= t:
                return min(value, FORBIDDEN)
            t += 1
        if profile:
            while t < stock.times:
                stock.profile[t] = weight
                t += 1
        return min(value, FORBIDDEN)

    cdef void count_sequences(self, const State* state, const Stock* stock,
                              int64_t* sequences) noexcept nogil:
        """sequences[0]: of hits and sinkings at most; sequences[1 + code]: with this one first."""
        cdef int least[MAX_CODES * MAX_CELLS]      # [code * MAX_CELLS + r] of the r + 1 th ship
        cdef int radix[MAX_CODES + 1]
        cdef int64_t ways[2 * MAX_VECTORS]         # two rows by hits so far: [vector] completions
        cdef int need[MAX_VECTORS]                 # cells of the ships sunk at least
        cdef int sizes[MAX_CELLS]
        cdef int stride = state.s + 1, i, j, r, code, ship, vectors = 1, p, now, then
        cdef int64_t count
        for code in range(1, stock.codes):
            radix[code] = vectors
            vectors *= stock.ships_of_code[code] + 1
            if vectors > MAX_VECTORS:
                break
        radix[stock.codes] = vectors
        if vectors > MAX_VECTORS:
            self.count_all_sequences(state, stock, sequences)
            return
        for code in range(1, stock.codes):
            for r in range(stock.ships_of_code[code]):
                least[code * MAX_CELLS + r] = MAX_CELLS
        for i in range(state.n):
            j = 0
            while j < state.s:                     # the ships of one label, by size
                code = stock.code[j]
                r = 0
                while j < state.s and stock.code[j] == code:
                    ship = size(state.items[i * stride + 1 + j])
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
            for code in range(1, stock.codes):
                r = i // radix[code] % (stock.ships_of_code[code] + 1)
                for p in range(r):
                    need[i] += least[code * MAX_CELLS + p]
        for i in range(vectors):
            ways[i] = 0
        ways[vectors - 1] = 1                      # all sunk after k hits
        now = 0
        for p in range(state.k - 1, -1, -1):
            then, now = now, MAX_VECTORS - now
            for i in range(vectors):
                count = ways[then + i] if i < vectors - 1 else 0
                if p == 0 and i == 0:
                    sequences[1] = count
                for code in range(1, stock.codes):
                    r = i // radix[code] % (stock.ships_of_code[code] + 1)
                    j = i + radix[code]
                    if r < stock.ships_of_code[code] and need[j] <= p + 1:
                        count += ways[then + j]
                        if p == 0 and i == 0:
                            sequences[1 + code] = ways[then + j]
                    elif p == 0 and i == 0:
                        sequences[1 + code] = 0
                ways[now + i] = min(count, MANY)
        sequences[0] = ways[now]

    cdef void count_all_sequences(self, const State* state, const Stock* stock,
                                  int64_t* sequences) noexcept nogil:
        """The same by the formula alone."""
        cdef int kind, k, s, i, m, left
        for kind in range(stock.codes + 1):        # the state, hit, the sinkings
            k = state.k - (kind > 0)
            s = state.s - (kind > 1)
            left = 0                               # s! / prod(m_l!) as a product of binomials
            sequences[kind] = 1
            if k >= 1 and s >= 1:
                sequences[kind] = binomial(self.leaves, k - 1, s - 1)
            for i in range(1, stock.codes):
                m = stock.ships_of_code[i] - (i == kind - 1)
                left += m
                sequences[kind] = min(MANY, sequences[kind] * binomial(self.leaves, left, m))
