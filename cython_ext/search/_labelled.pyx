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
from optsearch.compiled.search._words cimport RESULT_ENTRIES, MAX_WORD_SETS, CacheEntry, WordSearch
from options cimport Switches

cdef enum:
    IDENTITY_FROM = 6          # sets from which a subset is looked up by its identity


@cython.final
cdef class LabelledSearch:
    """A search of families whose sets have one ship of each label."""

    def __cinit__(self, WordSearch words, Switches on, IdentityTable identities):
        self.word_search, self.use, self.identities = words, on, identities

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
        self.take_part(&whole, whole.sets, &part)
        if part.splitting_cell < 0 and node.set_count > 2:
            node.lower = max(node.lower, self.bound_part(&whole, whole.sets, node.set_count))

    cdef void begin(self, const Node* node, Part* whole) noexcept nogil:
        """Load a family: fill `whole`, and void the cached entries of the one before."""
        cdef int cell
        self.word_search.begin(node, whole.columns)
        self.node = node
        whole.sets, whole.set_count = <uint64_t>-1 >> (64 - node.set_count), node.set_count
        whole.cell_count, whole.max_hits = node.cell_count, node.max_hits
        for cell in range(node.cell_count):
            whole.family_cell[cell] = cell

    cdef void take_part(self, const Part* whole, uint64_t sets, Part* part) noexcept nogil:
        """Fill `part`: these sets (bits) and the cells that only some have, or set its `splitting_cell`."""
        cdef uint64_t counts[MAX_CELLS]
        cdef int cell, place, set_count = popcount(sets), uncertain = 0
        cdef uint64_t count
        part.sets, part.set_count, part.max_hits, part.splitting_cell = sets, set_count, whole.max_hits, -1
        count_cells(whole.columns, whole.cell_count, sets, counts)
        for cell in range(whole.cell_count):
            count = counts[cell]
            if <int>count == set_count and self.has_several_labels(whole.family_cell[cell], sets):
                part.splitting_cell = whole.family_cell[cell]
                return
            if count == 0 or <int>count == set_count:
                part.max_hits -= count > 0
                continue
            place = uncertain
            while self.use.ordering and place > 0 and part.counts[place - 1] < count:
                part.counts[place], part.columns[place] = part.counts[place - 1], part.columns[place - 1]
                part.family_cell[place] = part.family_cell[place - 1]
                place -= 1
            part.counts[place], part.columns[place] = count, whole.columns[cell] & sets
            part.family_cell[place] = whole.family_cell[cell]
            uncertain += 1
        part.cell_count = uncertain
        while uncertain % LANES:
            part.columns[uncertain] = part.counts[uncertain] = 0
            uncertain += 1
        part.hits_tell = False
        for cell in range(part.cell_count):
            part.hits_tell |= self.has_several_labels(part.family_cell[cell], part.columns[cell])

    cdef bint has_several_labels(self, int cell, uint64_t sets) noexcept nogil:
        """True if a cell has several labels in these sets, which all have it."""
        cdef const uint64_t* replies = self.node.reply_columns + cell * self.node.hit_replies
        while not replies[0] & sets:
            replies += 1
        return sets & ~replies[0] != 0

    cdef int64_t cost_of_two(self, uint64_t sets) noexcept nogil:
        """Return the cost of two sets: 0 if a common cell has two labels, else the lighter weight."""
        cdef int first = ctz(sets), second = ctz(sets & (sets - 1)), ship, per_set = self.node.ships.per_set
        cdef const Cells* ships = self.node.ships.masks
        for ship in range(per_set):
            if ships[first * per_set + ship] & self.node.set_cells[second] & ~ships[second * per_set + ship]:
                return 0
        return self.word_search.lightest_weight(sets)

    cdef int64_t solve(self, const Part* whole, uint64_t sets, int64_t limit, bint* exact) except -1 nogil:
        """Return the optimum of a subset if below `limit`, else a bound >= limit; set `exact`.

        sets -- the subset, as bits. whole -- a part of the family that includes it.
        """
        cdef Part part
        cdef CacheEntry* entry = self.word_search.result_cache + (scramble(sets) & (RESULT_ENTRIES - 1))
        cdef int set_count = popcount(sets)
        cdef int64_t lower = 0
        exact[0] = True
        if set_count <= 2:
            return self.cost_of_two(sets) if set_count == 2 else 0
        if (self.use.memo and entry.subset == sets and entry.search_number == self.word_search.search_number):
            lower = entry.lower
            exact[0] = entry.exact
            if entry.exact or lower >= limit:
                return lower
        self.take_part(whole, sets, &part)
        if part.splitting_cell >= 0:
            lower = max(lower, self.solve_by_label(whole, &part, limit, exact))
        elif not part.hits_tell:
            return self.word_search.solve(sets, part.max_hits, part.columns, part.cell_count, limit, exact)
        else:
            lower = self.solve_part(&part, lower, limit, exact)
        self.word_search.cache_result(entry, sets, lower, exact[0])
        return lower

    cdef int64_t solve_part(self, const Part* part, int64_t lower, int64_t limit,
                            bint* exact) except -1 nogil:
        """Solve a part with counted cells in which hits tell something; the result is as of `solve`."""
        cdef Identity identity
        cdef int64_t value
        cdef bint by_identity = self.identities is not None and part.set_count >= IDENTITY_FROM
        exact[0] = False
        if by_identity:
            identity = self.identities.of_labelled(
                self.node.set_cells, self.node.ships.masks, self.node.ships.reply, self.node.ships.per_set,
                self.node.weights, part.sets)
            if self.identities.find(&identity, &value, exact):
                lower = max(lower, value)
                if exact[0] or lower >= limit:
                    return lower
        count_subset(self.word_search.effort)
        lower = max(lower, self.bound_part(part, part.sets, part.set_count))
        if lower < limit:
            lower = self.try_cells(part, lower, limit, exact)
        if by_identity:
            self.identities.keep(&identity, lower, exact[0])
        return lower

    cdef int64_t solve_by_label(self, const Part* whole, const Part* part, int64_t limit,
                                bint* exact) except -1 nogil:
        """Return the cost of sets that a certain hit splits by label if below `limit`, else a bound."""
        cdef const uint64_t* replies = self.node.reply_columns + part.splitting_cell * self.node.hit_replies
        cdef int64_t cost = 0
        cdef bint ignored
        cdef int reply
        for reply in range(self.node.hit_replies):
            if cost < limit and replies[reply] & part.sets:
                cost += self.solve(whole, replies[reply] & part.sets, limit - cost, &ignored)
        exact[0] = cost < limit
        return cost

    cdef int64_t try_cells(self, const Part* part, int64_t lower, int64_t limit, bint* exact) except -1 nogil:
        """Return the least cost over the first shots if below `limit`, else a bound; set `exact`."""
        cdef int64_t cost, best = limit, least_failed = INFINITE
        cdef int cell
        for cell in range(part.cell_count):
            if self.use.domination and is_inside(part.columns[cell], part.columns, cell):
                continue
            cost = self.shoot(part, cell, best)
            if cost >= best:
                least_failed = min(least_failed, cost)
                continue
            best = cost
            if best == lower:
                break
        exact[0] = best < limit
        return max(lower, best if best < limit else least_failed)

    cdef int64_t shoot(self, const Part* part, int cell, int64_t limit) except -1 nogil:
        """Return the cost of shooting a cell first: exact if below `limit`, else a bound >= limit."""
        cdef uint64_t part_sets[MAX_CODES + 1]
        cdef int64_t bounds[MAX_CODES + 1]
        cdef const uint64_t* replies = (
            self.node.reply_columns + part.family_cell[cell] * self.node.hit_replies)
        cdef uint64_t sets, missed = part.sets & ~part.columns[cell]
        cdef int64_t cost = self.word_search.weight_of(missed), bound
        cdef int reply, rank, set_count, part_count = 0
        cdef bint ignored
        for reply in range(self.node.hit_replies + 1):
            sets = missed if reply == self.node.hit_replies else replies[reply] & part.sets
            set_count = popcount(sets)
            if set_count < 2:
                continue
            if cost >= limit:
                return cost
            bound = self.bound_part(part, sets, set_count)
            cost += bound
            rank = part_count
            while rank > 0 and popcount(part_sets[rank - 1]) > set_count:
                part_sets[rank], bounds[rank] = part_sets[rank - 1], bounds[rank - 1]
                rank -= 1
            part_sets[rank], bounds[rank] = sets, bound
            part_count += 1
        for rank in range(part_count):
            if cost >= limit:
                break
            cost -= bounds[rank]
            cost += self.solve(part, part_sets[rank], limit - cost, &ignored)
        return cost

    # Bounds

    cdef int64_t bound_part(self, const Part* whole, uint64_t sets, int set_count) noexcept nogil:
        """Return the cached bound of a subset of two sets or more, else compute it from cell counts."""
        cdef uint64_t counts[MAX_CELLS]
        cdef int of_count[MAX_WORD_SETS + 1]
        cdef int cell
        cdef int64_t bound = (self.cost_of_two(sets) if set_count == 2
                              else self.word_search.recall_bound(sets, set_count))
        if bound >= 0:
            return bound
        count_cells(whole.columns, whole.cell_count, sets, counts)
        memset(of_count, 0, (set_count + 1) * sizeof(int))
        for cell in range(whole.cell_count):
            if <int>counts[cell] == set_count and self.has_several_labels(whole.family_cell[cell], sets):
                return 0
            of_count[counts[cell]] += 1
        bound = (bound_by_chain(of_count, set_count) * self.word_search.lightest_weight(sets)
                 if self.use.profile else 0)
        self.word_search.cache_bound(sets, bound)
        return bound


cdef int64_t bound_by_chain(const int* cells_with_count, int set_count) noexcept nogil:
    """Bound the misses of sets by a chain of cells with the greatest counts, where a hit costs no more.

    cells_with_count -- [i] the number of cells that i of the sets have.
    """
    cdef int count, sets_left = set_count
    cdef int64_t bound = 0
    for count in range(set_count - 1, 0, -1):
        for _ in range(cells_with_count[count]):
            sets_left -= count
            if sets_left <= 0:
                return bound
            bound += sets_left
    return bound
