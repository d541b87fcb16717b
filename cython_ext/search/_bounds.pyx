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

from cells cimport MAX_CELLS, clz, pop_bit
from leaves cimport MISS_COUNTS, fill_leaves
from objectives cimport FORBIDDEN, INFINITE, MEAN, WITHIN, WORST, price
from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.search._family cimport (
    LABELS, MAX_CODES, NOTHING, Candidate, Node, Ships, sets_with_reply, greatest_count, part_size)
from optsearch.compiled.search._sequences cimport MANY, count_sequences
from optsearch.compiled.search._sides cimport bound_by_sides
from options cimport Switches

cdef enum:
    TABULATED_SETS = 160               # sets up to which bounds are tabulated
    MAX_WORD_SETS = 64                  # likewise if hits tell something: the sets that `_words` searches


cdef void sort_falling(const int32_t* values, int n, int greatest, int32_t* sorted_values) noexcept nogil:
    """Fill `sorted_values` with n values from 0 to `greatest`, the greatest first."""
    cdef uint8_t occurrences[256]
    cdef uint64_t present[4]              # bit v is 1 if a value is v
    cdef int i, j = 0, value, w
    if greatest < 256:
        memset(occurrences, 0, greatest + 1)
        present[0] = present[1] = present[2] = present[3] = 0
        for i in range(n):
            value = values[i]
            occurrences[value] += 1
            present[value >> 6] |= <uint64_t>1 << (value & 63)
        for w in range(greatest >> 6, -1, -1):
            while present[w]:
                value = 63 - clz(present[w])
                present[w] ^= <uint64_t>1 << value
                value += 64 * w
                for _ in range(occurrences[value]):
                    sorted_values[j] = value
                    j += 1
        return
    for i in range(n):
        value = values[i]
        j = i
        while j > 0 and sorted_values[j - 1] < value:
            sorted_values[j] = sorted_values[j - 1]
            j -= 1
        sorted_values[j] = value


cdef class Bounds:
    """The lower bounds of a search.

    set_count, max_hits -- the number of sets of the family, and the most cells of one. reply_kind --
    NOTHING, LABELS or SINKINGS. objective -- decides the price of a miss. switches -- turn bounds off.
    """

    def __cinit__(self, int set_count, int max_hits, int reply_kind, int objective, Switches switches):
        cdef int i
        self.objective, self.use = objective, switches
        self.table_sets = min(set_count, TABULATED_SETS if reply_kind == NOTHING else MAX_WORD_SETS)
        self.table_hits = min(max(max_hits, 1), self.table_sets)
        self.arena = Arena()
        self.leaves = <int64_t*>self.arena.array(MISS_COUNTS * MISS_COUNTS, sizeof(int64_t))
        self.unit_sums = <int64_t*>self.arena.array(set_count + 1, sizeof(int64_t))
        self.cost_table = <int16_t*>self.arena.array(
            (self.table_hits + 1) * (self.table_sets + 1) ** 2, sizeof(int16_t))
        for i in range(set_count + 1):
            self.unit_sums[i] = i
        with nogil:
            fill_leaves(self.leaves, INFINITE)
            if not self.use.leaf_counting:
                for i in range(MISS_COUNTS * MISS_COUNTS):
                    if i % MISS_COUNTS:
                        self.leaves[i] = INFINITE
            self.fill_cost_table()

    cdef const int64_t* lightest_sums_of(self, const Node* node) noexcept nogil:
        """Return an array whose entry i is the total weight of the i lightest sets."""
        return node.lightest_sums if node.lightest_sums != NULL else self.unit_sums

    cdef bint solve_trivial(self, Node* node) noexcept nogil:
        """True if the optimum follows without a search; then `lower` is the optimum and `exact` is set."""
        cdef int64_t cost_of_others
        if node.set_count == 1:
            return True
        if self.objective == WITHIN and node.budget < 0:
            node.lower, node.exact = 0, True
            return True
        if node.budget <= 0 and self.objective != MEAN and node.reply_kind == NOTHING:
            # The first miss ends it: at best the heaviest set is finished.
            cost_of_others = self.lightest_sums_of(node)[node.set_count - 1]
            node.lower, node.exact = FORBIDDEN if self.objective == WORST else cost_of_others, True
            return True
        return False

    # Profiles

    cdef int64_t most_finished(self, const Node* node, int first_reply, int hits, int misses) noexcept nogil:
        """Bound the sets that can be finished within a number of misses, by leaf counting.

        hits -- the most hits that a set still needs. first_reply -- the reply before these hits, or -1 if
        there was none; ignored with NOTHING.
        """
        cdef int64_t leaves = self.leaves[hits * MISS_COUNTS + misses]
        cdef const Ships* ships = &node.ships
        if node.reply_kind == NOTHING:
            return leaves
        if not self.use.leaf_counting:
            return node.set_count
        leaves = min(leaves, MANY) * ships.sequences[1 + first_reply]
        if not ships.group_count:
            return min(leaves, <int64_t>node.set_count)
        return ships.largest_groups[min(leaves, <int64_t>ships.group_count)]

    cdef int64_t profile_bound(self, const Node* node, int first_reply, int set_count, int hits,
                               const int32_t* chain, int chain_length, const int64_t* finished_after_hit,
                               int budget) noexcept nogil:
        """Return a lower bound on the cost of some sets, by the most that each number of misses can finish.

        leaf_counting: at most C(hits + t, t) sets are finished within t misses; see `most_finished`.
        profile: as long as all shots miss they are a fixed chain of cells. The sets first hit by
        cell number i of the chain have i misses already; they are at most chain[i], and at most
        finished_after_hit[s] of them are finished with s more.

        chain -- [chain_length] the most sets that each cell of the chain is the first to hit, descending.
        finished_after_hit -- [cell_count + 1] the most sets finished within s misses after a hit, ascending.
        """
        cdef const int64_t* lightest_sums = self.lightest_sums_of(node)
        cdef int64_t cost = 0, finished_by_chain, settled_sets = 0, finished
        cdef int misses, misses_after_hit, place, misses_to_finish = 0
        if hits == 0 or set_count < 2:
            return 0
        if self.use.profile:
            while misses_to_finish <= node.cell_count and finished_after_hit[misses_to_finish] < chain[0]:
                misses_to_finish += 1
        for misses in range(node.cell_count + 1):    # no strategy needs more misses
            finished = self.most_finished(node, first_reply, hits, misses)
            if self.use.profile:
                # the cells whose sets are all finished
                if misses >= misses_to_finish and misses - misses_to_finish < chain_length:
                    settled_sets += chain[misses - misses_to_finish]
                finished_by_chain = settled_sets
                for misses_after_hit in range(min(misses_to_finish, misses + 1)):
                    place = misses - misses_after_hit
                    if place < chain_length:
                        finished_by_chain += min(<int64_t>chain[place], finished_after_hit[misses_after_hit])
                finished = min(finished, finished_by_chain)
            if finished >= set_count:
                break
            cost += price(self.objective, budget - misses, lightest_sums[set_count - finished])
            if cost >= FORBIDDEN:
                return FORBIDDEN
            if self.objective != MEAN and misses == budget:
                break
        return cost

    cdef void fill_finished(self, const Node* node, int first_reply, int hits, int64_t set_limit,
                            int64_t* finished) noexcept nogil:
        """Fill finished[s] with the most of `set_limit` sets that `hits` hits and s misses can finish."""
        cdef int misses, later
        for misses in range(node.cell_count + 1):
            finished[misses] = min(set_limit, self.most_finished(node, first_reply, hits, misses))
            if finished[misses] == set_limit:
                for later in range(misses + 1, node.cell_count + 1):
                    finished[later] = set_limit
                return

    cdef int64_t count_bound(self, Node* node, int64_t limit) noexcept nogil:
        """Return a lower bound on the cost of a family, by the counts of its cells and of their pairs.

        limit -- once the bound reaches it, no better one is tried.
        """
        cdef int32_t chain[MAX_CELLS]
        cdef int64_t finished_after_hit[MISS_COUNTS]
        cdef int64_t bound
        cdef int greatest, misses
        if node.reply_kind != NOTHING and self.use.leaf_counting:
            count_sequences(node, self.leaves)
        if not self.use.profile:
            if self.use.leaf_counting:
                return self.profile_bound(node, -1, node.set_count, node.max_hits, NULL, 0, NULL, node.budget)
            return 0
        greatest = greatest_count(node)
        if self.uses_cost_table(node):
            return self.table_bound(node)
        self.fill_finished(node, -1, node.max_hits - 1, greatest, finished_after_hit)
        if self.use.frequency_cap and node.max_hits >= 2:
            self.lower_finished_by_pairs(node, greatest, finished_after_hit)
        if node.reply_kind != NOTHING:
            for misses in range(node.cell_count + 1):
                node.ships.finished_after_hit[misses] = <int32_t>finished_after_hit[misses]
        self.fill_chain(node, chain)
        bound = self.profile_bound(
            node, -1, node.set_count, node.max_hits, chain, node.cell_count, finished_after_hit, node.budget)
        if (bound < limit and node.reply_kind == LABELS and self.use.two_sided and self.use.leaf_counting
                and self.objective == MEAN):
            bound_by_sides(node, self.leaves)
            if node.ships.has_sides:
                bound = max(bound, self.sides_bound(node, node.set_count, chain, node.cell_count))
        return bound

    cdef int64_t sides_bound(self, const Node* node, int set_count, const int32_t* chain,
                             int chain_length) noexcept nogil:
        """Return a bound like `profile_bound`, by the sum of the misses on two sides (`_sides`).

        Let the sets first hit by cell number i of the chain be r sets, at most chain[i]. Each misses at
        least i times, and on the sides they miss as often as r sets do together. So no strategy misses less
        often than as many pairs (i, r) as there are sets, those of the least misses.
        """
        cdef const int64_t* lightest_sums = self.lightest_sums_of(node)
        cdef int64_t bound = 0
        cdef int misses, place, finished
        for misses in range(node.cell_count + 1):
            finished = 0
            for place in range(min(misses + 1, chain_length)):
                finished += min(chain[place], node.ships.finished_by_sides[misses - place])
            if finished >= set_count:
                break
            bound += lightest_sums[set_count - finished]
        return bound

    cdef void lower_finished_by_pairs(self, const Node* node, int64_t set_limit,
                                      int64_t* finished_after_hit) noexcept nogil:
        """Lower finished_after_hit[s] to the most sets with a common cell that s more misses can finish."""
        cdef int64_t finished_after_two[MAX_CODES * MISS_COUNTS]
        cdef int64_t finished_with_cell[MISS_COUNTS]
        cdef int cell, misses, reply
        for reply in range(node.hit_replies):
            self.fill_finished(node, reply, node.max_hits - 2, set_limit, finished_after_two + reply
                               * MISS_COUNTS)
        memset(finished_with_cell, 0, (node.cell_count + 1) * sizeof(int64_t))
        for cell in range(node.cell_count):
            self.raise_finished_with_cell(node, cell, set_limit, finished_after_two, finished_with_cell)
        for misses in range(node.cell_count + 1):
            finished_after_hit[misses] = min(finished_after_hit[misses], finished_with_cell[misses])

    cdef void raise_finished_with_cell(self, const Node* node, int cell, int64_t set_limit,
                                       const int64_t* finished_after_two,
                                       int64_t* finished_with_cell) noexcept nogil:
        """Raise finished_with_cell[s] to the most sets with this cell that s more misses can finish."""
        cdef int64_t finished_of_all[MISS_COUNTS]        # over the replies
        cdef int64_t finished[MISS_COUNTS]
        cdef int64_t settled_sets = 0           # sets of the replies before
        cdef int reply, set_count, misses, end, last_end = 0
        for reply in range(node.hit_replies):
            set_count = part_size(node, cell, reply)
            if set_count == 0:
                continue
            end = self.fill_finished_of_part(node, cell, reply, set_count, finished_after_two + reply
                                             * MISS_COUNTS, finished)
            for misses in range(last_end, end):
                finished_of_all[misses] = settled_sets
            for misses in range(end):
                finished_of_all[misses] += finished[misses]
            for misses in range(end, last_end):
                finished_of_all[misses] += set_count
            settled_sets += set_count
            last_end = max(last_end, end)
        for misses in range(last_end):
            finished_with_cell[misses] = max(finished_with_cell[misses], finished_of_all[misses])
            if finished_with_cell[misses] >= set_limit:
                break
        for misses in range(last_end, node.cell_count + 1):
            if finished_with_cell[misses] >= settled_sets:
                break
            finished_with_cell[misses] = settled_sets

    cdef int fill_finished_of_part(self, const Node* node, int cell, int reply, int set_count,
                                   const int64_t* finished_after_two, int64_t* finished) noexcept nogil:
        """Fill finished[s], the most of the sets with one reply at a cell that s more misses can finish.

        After that hit, another cell hits at most as many sets as have both cells; at most
        finished_after_two[s] of these are finished within s misses. Return the least s that can finish all
        sets; `finished` ends before it.
        """
        cdef int32_t falling_counts[MAX_CELLS]
        cdef int32_t counts[MAX_CELLS]
        cdef int other_cell, misses, uncertain_cells = 0, hits_left = node.max_hits - 1
        cdef int cell_count = node.cell_count
        cdef int64_t total
        cdef const int32_t* pair_counts = node.reply_pair_counts + (cell * node.hit_replies
                                                                    + reply) * cell_count
        for other_cell in range(cell_count):
            if other_cell != cell and pair_counts[other_cell]:
                # a certain hit once the cell is hit
                if pair_counts[other_cell] == set_count and node.reply_kind == NOTHING:
                    hits_left -= 1
                else:
                    counts[uncertain_cells] = pair_counts[other_cell]
                    uncertain_cells += 1
        sort_falling(counts, uncertain_cells, set_count, falling_counts)
        if hits_left == 0:
            uncertain_cells = 0
        for misses in range(cell_count + 1):
            total = 1 if uncertain_cells == 0 else 0
            for other_cell in range(min(misses + 1, uncertain_cells)):
                total += min(<int64_t>falling_counts[other_cell], finished_after_two[misses - other_cell])
            if hits_left > 0:
                total = min(total, self.most_finished(node, reply, hits_left, misses))
            if total >= set_count:
                return misses
            finished[misses] = total
        return cell_count + 1

    cdef void fill_chain(self, const Node* node, int32_t* chain) noexcept nogil:
        """Fill `chain`: descending bounds on the sets that each cell is the first to hit if all shots miss.

        matching: cells are matched in pairs. Of a pair, the later one is first to hit at most the greater
        count less the pair count. Also, a cell after i others is first to hit at most its count less its
        i-th least pair count.
        """
        cdef int32_t first_hits[MAX_CELLS]
        cdef int cell, greatest = greatest_count(node)
        for cell in range(node.cell_count):
            first_hits[cell] = node.cell_counts[cell]
        if self.use.matching:
            match_cells(node, first_hits)
        sort_falling(first_hits, node.cell_count, greatest, chain)
        if self.use.matching:
            lower_by_overlap(node, chain)

    # The two parts after a shot

    cdef void bound_parts(self, const Node* node, Candidate* candidate) noexcept nogil:
        """Fill in a lower bound on the cost of each part after a shot, by the counts of its cells."""
        cdef int cell = candidate.cell, reply
        for reply in range(node.hit_replies):
            node.reply_bounds[cell * node.hit_replies + reply] = self.bound_part(node, cell, reply)
        candidate.bound_missed = self.bound_part(node, cell, node.hit_replies)
        if self.objective == WITHIN and node.budget == 0:
            candidate.bound_missed = 0

    cdef int64_t bound_part(self, const Node* node, int cell, int reply) noexcept nogil:
        """Return a lower bound on the cost of the sets that give a reply; node.hit_replies is a miss."""
        cdef bint is_hit = reply < node.hit_replies
        if self.uses_cost_table(node):
            return self.bound_part_by_table(node, cell, reply)
        if self.use.profile:
            return self.bound_part_by_profile(node, cell, reply)
        if not self.use.leaf_counting or node.max_hits == is_hit:
            return 0
        return self.profile_bound(node, reply if is_hit else -1, part_size(node, cell, reply), node.max_hits
                                  - is_hit, NULL, 0, NULL, node.budget - (not is_hit))

    cdef int64_t bound_part_by_profile(self, const Node* node, int cell, int reply) noexcept nogil:
        """Bound a part as `bound_part` does, from its profile (see `profile_bound`)."""
        cdef int32_t counts[MAX_CELLS]
        cdef int32_t chain[MAX_CELLS]
        cdef int64_t finished_after_hit[MISS_COUNTS]
        cdef bint is_hit = reply < node.hit_replies
        cdef int cell_count = node.cell_count, other_cell, uncertain_cells = 0, greatest = 0, part_count
        cdef int hits_left = node.max_hits - is_hit, set_count = part_size(node, cell, reply)
        cdef int64_t bound
        cdef const int32_t* pair_counts = node.reply_pair_counts + (cell * node.hit_replies
                                                                    + reply) * cell_count
        if not is_hit:
            pair_counts = node.pair_counts + cell * cell_count
        if set_count < 2:
            return 0
        for other_cell in range(cell_count):
            if other_cell == cell:
                continue
            part_count = (pair_counts[other_cell] if is_hit else node.cell_counts[other_cell]
                          - pair_counts[other_cell])
            if part_count == set_count and node.reply_kind == NOTHING:   # a certain hit in the part
                hits_left -= 1
            elif part_count:
                counts[uncertain_cells] = part_count
                greatest = max(greatest, part_count)
                uncertain_cells += 1
        if uncertain_cells == 0 or hits_left == 0:
            return 0
        sort_falling(counts, uncertain_cells, greatest, chain)
        reply = reply if is_hit else -1
        self.fill_finished(node, reply, hits_left - 1, greatest, finished_after_hit)
        if node.reply_kind != NOTHING and not is_hit:   # the sets left are a part of the family
            for other_cell in range(cell_count + 1):
                finished_after_hit[other_cell] = min(finished_after_hit[other_cell],
                                                     <int64_t>node.ships.finished_after_hit[other_cell])
        bound = self.profile_bound(node, reply, set_count, hits_left, chain, uncertain_cells,
                                   finished_after_hit, node.budget - (not is_hit))
        if node.reply_kind == LABELS and node.ships.has_sides:
            if is_hit:
                bound = max(bound, self.lightest_sums_of(node)[1]
                            * node.ships.misses_by_sides[cell * node.hit_replies + reply])
            else:
                bound = max(bound, self.sides_bound(node, set_count, chain, uncertain_cells))
        return bound

    cdef int64_t bound_part_by_table(self, const Node* node, int cell, int reply) noexcept nogil:
        """Bound a part as `bound_part` does, from the table of small families."""
        cdef bint is_hit = reply < node.hit_replies
        cdef const int16_t* costs
        cdef uint64_t sets_left
        cdef int64_t bound = 0
        cdef int rank = 0, w
        cdef int cell_count = node.cell_count, other_cell, greatest = 0, part_count
        cdef int hits_left = node.max_hits - is_hit
        cdef int set_count = node.cell_counts[cell] if is_hit else node.set_count - node.cell_counts[cell]
        cdef const int32_t* pair_counts = node.pair_counts + cell * cell_count
        for other_cell in range(cell_count):
            part_count = (pair_counts[other_cell] if is_hit else node.cell_counts[other_cell]
                          - pair_counts[other_cell])
            if part_count == set_count:
                hits_left -= other_cell != cell
            elif part_count > greatest:
                greatest = part_count
        if node.weights == NULL:
            return tabulated_bound(self, hits_left, set_count, greatest)
        costs = cost_row(self, hits_left, set_count, greatest)
        for w in range(node.column_words):    # the sets of the part, by falling weight
            sets_left = sets_with_reply(node, cell, reply, w)
            while sets_left:
                rank += 1
                bound += node.weights[64 * w + pop_bit(&sets_left)] * (costs[rank] - costs[rank - 1])
        return bound

    # The table of small families

    cdef void fill_cost_table(self) noexcept nogil:
        """Fill the least mean cost of n sets of k cells if no shot hits more than d, for all k, d and n.

        By induction over the first shot, which hits h <= min(d, n - 1) sets:
        C(k, n, d) = min over h of C(k - 1, h, d) + C(k, n - h, d) + n - h. In a family no shot hits
        more sets than the largest count of its cells, nor does one in any part of it.
        """
        cdef int hits, set_count, hit_limit, sets_hit, table_sets = self.table_sets
        cdef int16_t cost, best
        cdef int16_t missed_costs[TABULATED_SETS + 1]      # [table_sets - n] n plus the cost of n sets
        cdef const int16_t* costs_after_hit
        cdef const int16_t* cost_of_rest
        cdef int16_t* costs
        for hits in range(self.table_hits + 1):
            for hit_limit in range(table_sets + 1):
                costs = self.cost_table + (<size_t>hits * (table_sets + 1) + hit_limit) * (table_sets + 1)
                costs_after_hit = costs - <size_t>(table_sets + 1) * (table_sets + 1)
                for set_count in range(table_sets + 1):
                    best = 0 if set_count <= 1 else NEVER
                    cost_of_rest = missed_costs + table_sets - set_count
                    if hits > 0:
                        for sets_hit in range(1, min(hit_limit, set_count - 1) + 1):
                            cost = costs_after_hit[sets_hit] + cost_of_rest[sets_hit]
                            best = min(best, cost)
                    costs[set_count] = best
                    missed_costs[table_sets - set_count] = best + set_count if best < NEVER else NEVER

    cdef bint uses_cost_table(self, const Node* node) noexcept nogil:
        """True if the bound is taken from the table; for sets of at most two cells the chain is better."""
        return (node.reply_kind == NOTHING and self.use.profile and self.use.frequency_cap and self.objective
                == MEAN and node.set_count <= self.table_sets and node.max_hits > 2)

    cdef int64_t table_bound(self, const Node* node) noexcept nogil:
        """Return the tabulated bound of a family of at most `table_sets` sets."""
        cdef const int16_t* row = cost_row(self, node.max_hits, node.set_count, greatest_count(node))
        cdef int64_t bound = 0
        cdef int i
        if node.weights == NULL:
            return row[node.set_count]
        for i in range(node.set_count):
            bound += node.weights[i] * (row[i + 1] - row[i])
        return bound


cdef void match_cells(const Node* node, int32_t* first_hits) noexcept nogil:
    """Match cells by falling count with those of greatest pair count, and lower the second of each pair."""
    cdef int order[MAX_CELLS]
    cdef bint is_matched[MAX_CELLS]
    cdef int cell_count = node.cell_count, cell, other_cell, i, j, partner
    cdef const int32_t* pair_counts
    for cell in range(cell_count):
        is_matched[cell] = False
        i = cell
        while i > 0 and node.cell_counts[order[i - 1]] < node.cell_counts[cell]:
            order[i] = order[i - 1]
            i -= 1
        order[i] = cell
    for i in range(cell_count):
        cell = order[i]
        if is_matched[cell]:
            continue
        pair_counts = node.pair_counts + cell * cell_count
        partner = -1
        for j in range(i + 1, cell_count):
            other_cell = order[j]
            if not is_matched[other_cell] and pair_counts[other_cell] > 0 and (
                    partner < 0 or pair_counts[other_cell] > pair_counts[partner]):
                partner = other_cell
        if partner >= 0:
            is_matched[partner] = True
            first_hits[partner] = min(first_hits[partner], first_hits[cell] - pair_counts[partner])


cdef void lower_by_overlap(const Node* node, int32_t* chain) noexcept nogil:
    """Lower chain[i] to the most sets that a cell can be first to hit after any i other cells."""
    cdef int32_t most_alone[MAX_CELLS]     # [i] after i cells
    cdef int32_t counts_alone[MAX_CELLS]
    cdef int32_t falling[MAX_CELLS]
    cdef int cell_count = node.cell_count, cell, other_cell, i
    cdef const int32_t* pair_counts
    memset(most_alone, 0, cell_count * sizeof(int32_t))
    for cell in range(cell_count):
        pair_counts = node.pair_counts + cell * cell_count
        i = 0
        for other_cell in range(cell_count):
            if other_cell != cell:
                counts_alone[i] = node.cell_counts[cell] - pair_counts[other_cell]
                i += 1
        sort_falling(counts_alone, cell_count - 1, node.cell_counts[cell], falling)
        for i in range(1, cell_count):
            most_alone[i] = max(most_alone[i], falling[i - 1])
    for i in range(1, cell_count):
        chain[i] = min(chain[i], most_alone[i])
