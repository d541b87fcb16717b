"""Lower bounds on the cost of any strategy for a family.

They come from *profiles*: let A(t) be at least the number of sets that any strategy finishes with
at most t misses. Then the sets beyond A(t) pay for miss number t + 1, and these weigh at least as
much as the n - A(t) lightest sets, so M >= sum over t of price(b - t) * weight of those.

Few sets have a table of bounds C(n) on the least misses of any n of the sets. With weights
w_1 >= w_2 >= ... this gives (mean)

    M >= sum over i of w_i * (C(i) - C(i - 1)).

Let m_i be the misses of set i under an optimal strategy. Played on the i heaviest sets alone, it has no
more misses on them: m_1 + ... + m_i >= C(i) for each i. And M = sum of w_i m_i = sum over i of
(w_i - w_(i+1)) (m_1 + ... + m_i), w_(n+1) being 0, in which no factor is negative; put C(i) for each
sum, and sort by the weights again.

If hits tell something, profiles also hold. The shots that all miss are still a chain: after any other
reply the sets are among those that its cell is first to hit. A cell that all sets have is in the chain,
as its last one. The sets finished with s misses after a hit are counted for each reply, and added up.
The table C(n) does not hold: after a hit each part by reply is searched on its own.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from cells cimport MAX_CELLS, clz, ctz
from leaves cimport TIMES, fill_leaves
from objectives cimport FORBIDDEN, INFINITE, MEAN, WITHIN, WORST, price
from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.search._family cimport (
    LABELS, MAX_CODES, NOTHING, Candidate, Node, Ships, chosen_of, greatest_count, part_size)
from optsearch.compiled.search._sequences cimport MANY, count_sequences
from optsearch.compiled.search._sides cimport bound_by_sides
from options cimport Switches

cdef enum:
    CAPPED = 160               # sets up to which bounds are tabulated
    WORD = 64                  # likewise if hits tell something: the sets that `_words` searches


cdef void descending(const int32_t* values, int n, int most, int32_t* out) noexcept nogil:
    """Sort n values from 0 to `most`, the greatest first."""
    cdef uint8_t number[256]
    cdef uint64_t some[4]              # bit v is 1 if a value is v
    cdef int i, j = 0, v, w
    if most < 256:
        memset(number, 0, most + 1)
        some[0] = some[1] = some[2] = some[3] = 0
        for i in range(n):
            v = values[i]
            number[v] += 1
            some[v >> 6] |= <uint64_t>1 << (v & 63)
        for w in range(most >> 6, -1, -1):
            while some[w]:
                v = 63 - clz(some[w])
                some[w] ^= <uint64_t>1 << v
                v += 64 * w
                for _ in range(number[v]):
                    out[j] = v
                    j += 1
        return
    for i in range(n):
        v = values[i]
        j = i
        while j > 0 and out[j - 1] < v:
            out[j] = out[j - 1]
            j -= 1
        out[j] = v


cdef class Bounds:
    """The lower bounds of a search.

    n, hits -- the number of sets of the family, and the most cells of one. kind -- of replies (NOTHING,
    LABELS or SINKINGS). objective -- decides the price of a miss. on -- switches bounds off.
    """

    def __cinit__(self, int n, int hits, int kind, int objective, Switches on):
        cdef int i
        self.objective, self.on = objective, on
        self.capped_most = min(n, CAPPED if kind == NOTHING else WORD)
        self.capped_hits = min(max(hits, 1), self.capped_most)
        self.arena = Arena()
        self.leaves = <int64_t*>self.arena.array(TIMES * TIMES, sizeof(int64_t))
        self.ranks = <int64_t*>self.arena.array(n + 1, sizeof(int64_t))
        self.capped = <int16_t*>self.arena.array(
            (self.capped_hits + 1) * (self.capped_most + 1) ** 2, sizeof(int16_t))
        for i in range(n + 1):
            self.ranks[i] = i
        with nogil:
            fill_leaves(self.leaves, INFINITE)
            if not self.on.leaf_counting:
                for i in range(TIMES * TIMES):
                    if i % TIMES:
                        self.leaves[i] = INFINITE
            self.fill_capped()

    cdef const int64_t* light_of(self, const Node* node) noexcept nogil:
        """Return an array whose entry i is the total weight of the i lightest sets."""
        return node.light if node.light != NULL else self.ranks

    cdef bint solve_trivial(self, Node* node) noexcept nogil:
        """True if the optimum follows without a search; then `lower` is the optimum and `exact` is set."""
        cdef int64_t cost = 0
        if node.n == 1:
            return True
        if self.objective == WITHIN and node.budget < 0:
            node.lower, node.exact = 0, True
            return True
        if node.budget <= 0 and self.objective != MEAN and node.kind == NOTHING:
            # The first miss ends it: at best the heaviest set is finished.
            if self.objective == WORST:
                cost = FORBIDDEN
            else:
                cost = self.light_of(node)[node.n - 1]
            node.lower, node.exact = cost, True
            return True
        return False

    # Profiles

    cdef int64_t leaves_of(self, const Node* node, int code, int hits, int t) noexcept nogil:
        """Return the most sets that can be finished within t misses, by leaf counting.

        hits -- the most hits that a set still needs. code -- of the reply before these hits, or -1 for the
        family itself; ignored with NOTHING.
        """
        cdef int64_t leaves = self.leaves[hits * TIMES + t]
        cdef const Ships* ships = &node.ships
        if node.kind == NOTHING:
            return leaves
        if not self.on.leaf_counting:
            return node.n
        leaves = min(leaves, MANY) * ships.ways[1 + code]
        if not ships.groups:
            return min(leaves, <int64_t>node.n)
        return ships.grouped[min(leaves, <int64_t>ships.groups)]

    cdef int64_t profile_bound(self, const Node* node, int code, int n, int hits,
                               const int32_t* chain, int chain_n, const int64_t* after,
                               int budget) noexcept nogil:
        """Return a lower bound on the cost of n of the sets, of at most `hits` cells, from a profile.

        leaf_counting: at most C(k + t, t) sets are finished within t misses; see `leaves_of`.
        profile: as long as all shots miss they are a fixed chain of cells. The sets first hit by
        cell number i of the chain have i misses already; they are at most chain[i], and at most
        after[s] of them are finished with s more.

        chain -- [chain_n] the most sets that each cell of the chain is the first to hit, descending.
        after -- [m + 1] the most sets finished within s misses after a hit, ascending.
        """
        cdef const int64_t* light = self.light_of(node)
        cdef int64_t cost = 0, sum, settled = 0, finished
        cdef int t, s, i, full = 0
        if hits == 0 or n < 2:
            return 0
        if self.on.profile:
            while full <= node.m and after[full] < chain[0]:
                full += 1
        for t in range(node.m + 1):    # no strategy needs more misses
            finished = self.leaves_of(node, code, hits, t)
            if self.on.profile:
                if t >= full and t - full < chain_n:   # cells whose sets are all finished
                    settled += chain[t - full]
                sum = settled
                for s in range(min(full, t + 1)):
                    i = t - s
                    if i < chain_n:
                        sum += min(<int64_t>chain[i], after[s])
                finished = min(finished, sum)
            if finished >= n:
                break
            cost += price(self.objective, budget - t, light[n - finished])
            if cost >= FORBIDDEN:
                return FORBIDDEN
            if self.objective != MEAN and t == budget:
                break
        return cost

    cdef void leaves_after(self, const Node* node, int code, int hits, int64_t most,
                           int64_t* after) noexcept nogil:
        """Fill after[s] with the most of `most` sets that s misses and `hits` hits can finish."""
        cdef int s, later
        for s in range(node.m + 1):
            after[s] = min(most, self.leaves_of(node, code, hits, s))
            if after[s] == most:
                for later in range(s + 1, node.m + 1):
                    after[later] = most
                return

    cdef int64_t bound_of(self, Node* node, int64_t limit) noexcept nogil:
        """Return a lower bound on the cost of a family, by the counts of its cells and of their pairs.

        limit -- once the bound reaches it, nothing more is tried.
        """
        cdef int32_t chain[MAX_CELLS]
        cdef int64_t after[TIMES]
        cdef int64_t bound
        cdef int most, s
        if node.kind != NOTHING and self.on.leaf_counting:
            count_sequences(node, self.leaves)
        if not self.on.profile:
            if self.on.leaf_counting:
                return self.profile_bound(node, -1, node.n, node.hits, NULL, 0, NULL, node.budget)
            return 0
        most = greatest_count(node)
        if self.is_capped(node):
            return self.capped_of(node)
        self.leaves_after(node, -1, node.hits - 1, most, after)
        if self.on.frequency_cap and node.hits >= 2:
            self.pairs_after(node, most, after)
        if node.kind != NOTHING:
            for s in range(node.m + 1):
                node.ships.after[s] = <int32_t>after[s]
        self.chain_of(node, chain)
        bound = self.profile_bound(
            node, -1, node.n, node.hits, chain, node.m, after, node.budget)
        if (bound < limit and node.kind == LABELS and self.on.two_sided and self.on.leaf_counting
                and self.objective == MEAN):
            bound_by_sides(node, self.leaves)
            if node.ships.has_sides:
                bound = max(bound, self.spread_bound(node, node.n, chain, node.m))
        return bound

    cdef int64_t spread_bound(self, const Node* node, int n, const int32_t* chain,
                              int chain_n) noexcept nogil:
        """Return a bound like `profile_bound`, by sums of misses (`_sides`).

        The sets first hit by cell number i of the chain are r sets, at most chain[i]. Each misses at least
        i times, and on the sides they miss as often as r sets do together. So no strategy misses less
        often than the n pairs (i, r) of the least misses.
        """
        cdef const int64_t* light = self.light_of(node)
        cdef int64_t bound = 0
        cdef int t, i, finished
        for t in range(node.m + 1):
            finished = 0
            for i in range(min(t + 1, chain_n)):
                finished += min(chain[i], node.ships.spread[t - i])
            if finished >= n:
                break
            bound += light[n - finished]
        return bound

    cdef void pairs_after(self, const Node* node, int64_t most, int64_t* after) noexcept nogil:
        """Lower after[s] to the most sets with a common cell that can be finished within s more misses."""
        cdef int64_t after_two[MAX_CODES * TIMES]
        cdef int64_t after_cell[TIMES]
        cdef int c, s, code
        for code in range(node.codes):
            self.leaves_after(node, code, node.hits - 2, most, after_two + code * TIMES)
        memset(after_cell, 0, (node.m + 1) * sizeof(int64_t))
        for c in range(node.m):
            self.raise_after(node, c, most, after_two, after_cell)
        for s in range(node.m + 1):
            after[s] = min(after[s], after_cell[s])

    cdef void raise_after(self, const Node* node, int c, int64_t most, const int64_t* after_two,
                          int64_t* after) noexcept nogil:
        """Raise after[s] to the most sets with cell c that can be finished within s more misses."""
        cdef int64_t sum[TIMES]        # over the replies
        cdef int64_t finished[TIMES]
        cdef int64_t settled = 0           # sets of the replies before
        cdef int code, n, s, end, last = 0
        for code in range(node.codes):
            n = part_size(node, c, code)
            if n == 0:
                continue
            end = self.finish_part(node, c, code, n, after_two + code * TIMES, finished)
            for s in range(last, end):
                sum[s] = settled
            for s in range(end):
                sum[s] += finished[s]
            for s in range(end, last):
                sum[s] += n
            settled += n
            last = max(last, end)
        for s in range(last):
            after[s] = max(after[s], sum[s])
            if after[s] >= most:
                break
        for s in range(last, node.m + 1):
            if after[s] >= settled:
                break
            after[s] = settled

    cdef int finish_part(self, const Node* node, int c, int code, int n, const int64_t* after_two,
                         int64_t* finished) noexcept nogil:
        """Fill finished[s], the most of the n sets with one reply at cell c that s more misses can finish.

        Once cell c is hit, cell d hits at most pair[c, d] sets; at most after_two[s] of them are
        finished within s misses. Return the least s by which all can be; `finished` ends before it.
        """
        cdef int32_t inner[MAX_CELLS]
        cdef int32_t values[MAX_CELLS]
        cdef int d, s, i = 0, k = node.hits - 1, m = node.m
        cdef int64_t sum
        cdef const int32_t* pair = node.part_pair + (c * node.codes + code) * m
        for d in range(m):
            if d != c and pair[d]:
                if pair[d] == n and node.kind == NOTHING:   # a certain hit once c is hit
                    k -= 1
                else:
                    values[i] = pair[d]
                    i += 1
        descending(values, i, n, inner)
        if k == 0:
            i = 0
        for s in range(m + 1):
            sum = 1 if i == 0 else 0
            for d in range(min(s + 1, i)):
                sum += min(<int64_t>inner[d], after_two[s - d])
            if k > 0:
                sum = min(sum, self.leaves_of(node, code, k, s))
            if sum >= n:
                return s
            finished[s] = sum
        return m + 1

    cdef void chain_of(self, const Node* node, int32_t* chain) noexcept nogil:
        """Fill `chain`, bounds on the sets that the cells of an all-miss chain are first to hit, descending.

        matching: cells are matched in pairs. Whichever of a pair c, d comes second in the chain, it
        is first to hit at most max(count) - pair[c, d] sets. Also, cell number i of the chain has i
        cells before it, so it is first to hit at most count - (its i-th least pair count).
        """
        cdef int32_t values[MAX_CELLS]
        cdef int32_t order[MAX_CELLS]
        cdef int32_t least[MAX_CELLS]
        cdef int32_t row[MAX_CELLS]
        cdef bint matched[MAX_CELLS]
        cdef int m = node.m, c, d, i, j, best, most = 0
        cdef const int32_t* pair
        for c in range(m):
            values[c] = node.count[c]
            most = max(most, values[c])
            matched[c] = False
            least[c] = 0
            i = c
            while i > 0 and node.count[order[i - 1]] < values[c]:
                order[i] = order[i - 1]
                i -= 1
            order[i] = c
        if not self.on.matching:
            descending(values, m, most, chain)
            return
        for i in range(m):
            c = order[i]
            if matched[c]:
                continue
            pair = node.pair + c * m
            best = -1
            for j in range(i + 1, m):
                d = order[j]
                if not matched[d] and pair[d] > 0 and (best < 0 or pair[d] > pair[best]):
                    best = d
            if best >= 0:
                matched[best] = True
                values[best] = min(values[best], values[c] - pair[best])
        descending(values, m, most, chain)
        for c in range(m):
            pair = node.pair + c * m
            j = 0
            for d in range(m):
                if d != c:
                    row[j] = node.count[c] - pair[d]
                    j += 1
            descending(row, m - 1, node.count[c], order)
            for i in range(1, m):      # i cells before it, at best those with the least overlap
                least[i] = max(least[i], order[i - 1])
        for i in range(1, m):
            chain[i] = min(chain[i], least[i])

    # The two parts after a shot

    cdef void bound_parts(self, const Node* node, Candidate* candidate) noexcept nogil:
        """Fill in lower bounds on the costs of the parts after a shot, by the counts of their cells."""
        cdef int c = candidate.cell, code
        for code in range(node.codes):
            node.part_bound[c * node.codes + code] = self.part_bound(node, c, code)
        candidate.bound_missed = self.part_bound(node, c, node.codes)
        if self.objective == WITHIN and node.budget == 0:
            candidate.bound_missed = 0

    cdef int64_t part_bound(self, const Node* node, int c, int code) noexcept nogil:
        """Return a lower bound on the cost of the sets that give a reply; code -- node.codes for a miss."""
        cdef bint hit = code < node.codes
        if self.is_capped(node):
            return self.capped_part(node, c, code)
        if self.on.profile:
            return self.profiled_part(node, c, code)
        if not self.on.leaf_counting or node.hits == hit:
            return 0
        return self.profile_bound(node, code if hit else -1, part_size(node, c, code),
                                  node.hits - hit, NULL, 0, NULL, node.budget - (not hit))

    cdef int64_t profiled_part(self, const Node* node, int c, int code) noexcept nogil:
        """Return the bound of `part_bound` from a profile of the part."""
        cdef int32_t values[MAX_CELLS]
        cdef int32_t chain[MAX_CELLS]
        cdef int64_t after[TIMES]
        cdef bint hit = code < node.codes
        cdef int m = node.m, d, i = 0, most = 0, number
        cdef int k = node.hits - hit, n = part_size(node, c, code)
        cdef int64_t bound
        cdef const int32_t* pair = node.part_pair + (c * node.codes + code) * m
        if not hit:
            pair = node.pair + c * m
        if n < 2:
            return 0
        for d in range(m):
            if d == c:
                continue
            number = pair[d] if hit else node.count[d] - pair[d]
            if number == n and node.kind == NOTHING:   # a certain hit in the part
                k -= 1
            elif number:
                values[i] = number
                most = max(most, number)
                i += 1
        if i == 0 or k == 0:
            return 0
        descending(values, i, most, chain)
        code = code if hit else -1
        self.leaves_after(node, code, k - 1, most, after)
        if node.kind != NOTHING and not hit:   # the sets left are a part of the family
            for d in range(m + 1):
                after[d] = min(after[d], <int64_t>node.ships.after[d])
        bound = self.profile_bound(node, code, n, k, chain, i, after, node.budget - (not hit))
        if node.kind == LABELS and node.ships.has_sides:
            if hit:
                bound = max(bound, self.light_of(node)[1] * node.ships.least[c * node.codes + code])
            else:
                bound = max(bound, self.spread_bound(node, n, chain, i))
        return bound

    cdef int64_t capped_part(self, const Node* node, int c, int code) noexcept nogil:
        """Return the bound of `part_bound` from the table of small families."""
        cdef bint hit = code < node.codes
        cdef const int16_t* row
        cdef uint64_t chosen
        cdef int64_t bound = 0
        cdef int i = 0, w
        cdef int m = node.m, d, most = 0, number
        cdef int k = node.hits - hit, n = node.count[c] if hit else node.n - node.count[c]
        cdef const int32_t* pair = node.pair + c * m
        for d in range(m):
            number = pair[d] if hit else node.count[d] - pair[d]
            if number == n:
                k -= d != c
            elif number > most:
                most = number
        if node.weights == NULL:
            return capped_bound(self, k, n, most)
        row = capped_row(self, k, n, most)
        for w in range(node.width):    # the sets of the part, by falling weight
            chosen = chosen_of(node, c, code, w)
            while chosen:
                i += 1
                bound += node.weights[64 * w + ctz(chosen)] * (row[i] - row[i - 1])
                chosen &= chosen - 1
        return bound

    # The table of small families

    cdef void fill_capped(self) noexcept nogil:
        """Fill capped[k, n, d], the least cost (mean) of n sets of k cells if no shot hits more than d.

        By induction over the first shot, which hits h <= min(d, n - 1) sets:
        C(k, n, d) = min over h of C(k - 1, h, d) + C(k, n - h, d) + n - h. In a family no shot hits
        more sets than the largest count of its cells, nor does one in any part of it.
        """
        cdef int k, n, d, h, most = self.capped_most
        cdef int16_t value, best
        cdef int16_t back[CAPPED + 1]      # [most - n] n plus the cost of n sets
        cdef const int16_t* after
        cdef const int16_t* missed
        cdef int16_t* here
        for k in range(self.capped_hits + 1):
            for d in range(most + 1):
                here = self.capped + (<size_t>k * (most + 1) + d) * (most + 1)
                after = here - <size_t>(most + 1) * (most + 1)
                for n in range(most + 1):
                    best = 0 if n <= 1 else NEVER
                    missed = back + most - n
                    if k > 0:
                        for h in range(1, min(d, n - 1) + 1):
                            value = after[h] + missed[h]
                            best = min(best, value)
                    here[n] = best
                    back[most - n] = best + n if best < NEVER else NEVER

    cdef bint is_capped(self, const Node* node) noexcept nogil:
        """True if the bound is taken from the table; for sets of at most two cells the chain is better."""
        return (node.kind == NOTHING and self.on.profile and self.on.frequency_cap and self.objective == MEAN
                and node.n <= self.capped_most and node.hits > 2)

    cdef int64_t capped_of(self, const Node* node) noexcept nogil:
        """Return the bound from the table for a family of at most `capped_most` sets."""
        cdef const int16_t* row = capped_row(self, node.hits, node.n, greatest_count(node))
        cdef int64_t bound = 0
        cdef int i
        if node.weights == NULL:
            return row[node.n]
        for i in range(node.n):
            bound += node.weights[i] * (row[i + 1] - row[i])
        return bound
