"""The dual of the chain: a bound by a price for each set, raised by subgradient steps.

For any prices y_s, with F_c the sets that have the cell c (mean, all weights 1),

    M(F) >= y(F) + sum over i >= 0 of min(0, least of M(S) + i |S| - y(S)
                                             over all cells c and parts S of F_c, not empty).

The proof is that of `optsearch.lower_bounds.dual_chain`. Prices are integers, PRICE_OF_MISS per
miss, so that every bound is exact.

- M(S) of all parts S of up to MOST sets is a table, shared by all cells of one local shape: only
  the parts that have a common cell matter.
- A part of j sets gains y(S) - M(S) at place 0, and j less at each place that follows. So the
  greatest gain of each size determines all places.
- If c is shot first, place 0 costs M(F_c) - y(F_c), as all sets of F_c are hit. The missed part has
  the bound of its own prices y - 1: its place i is place i + 1 here. So prices are handed down a
  chain of misses, and a family bounds its shots without counting their parts.
- A cell whose sets all have another common cell is left out: M(S) is the same at both.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from cells cimport MAX_CELLS, Cells, join, pop_bit, pop_cell, popcount
from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.search._family cimport (
    PRICE_OF_MISS, PRICED, Node, free_node, greatest_count, new_node, count_cells)

cdef enum:
    SHAPES = 1 << 11           # a power of two
    SCALE = 1 << 8             # units of the slope per set


cdef class ChainDual:
    """The dual bound of one family at a time: `load` comes first, then the other functions."""

    def __cinit__(self):
        self.arena = Arena()
        self.shapes = <Shape*>self.arena.array(SHAPES, sizeof(Shape))
        self.places = <Place*>self.arena.array(MAX_CELLS, sizeof(Place))
        self.tried_prices = <int32_t*>self.arena.array(PRICED, sizeof(int32_t))
        self.slope = <int32_t*>self.arena.array(PRICED, sizeof(int32_t))
        self.momentum = <int32_t*>self.arena.array(PRICED, sizeof(int32_t))

    cdef bint fits(self, const Node* node) noexcept nogil:
        """True if a family has a dual bound: room for prices, few sets per cell and no set without cells."""
        cdef int i
        if node.prices == NULL or greatest_count(node) > MAX_SETS_PER_CELL:
            return False
        for i in range(node.set_count):
            if not node.set_cells[i]:
                return False
        return True

    # Local shapes

    cdef const int16_t* part_misses(self, const uint64_t* key, int set_count) noexcept nogil:
        """Return the least misses of each part of `set_count` sets, by the bits of its sets.

        key -- bit p is 1 if a cell is in exactly the sets of part p.
        """
        cdef uint64_t hash = set_count
        cdef Shape* shape
        cdef int i
        for i in range(KEY_WORDS):
            hash = (hash ^ key[i]) * <uint64_t>0x9E3779B97F4A7C15
            hash ^= hash >> 29
        shape = self.shapes + (hash & (SHAPES - 1))
        if shape.set_count != set_count or memcmp(shape.key, key, sizeof(shape.key)) != 0:
            memcpy(shape.key, key, sizeof(shape.key))
            shape.set_count = set_count
            fill_misses(shape)
        return shape.misses

    cdef void load(self, const Node* node) noexcept nogil:
        """Load a family that `fits`, for all other methods."""
        cdef int cell, members_here, w, i, member_count, all_members
        cdef uint64_t sets_left
        cdef uint64_t key[KEY_WORDS]
        cdef int members_with[MAX_CELLS]
        cdef Cells cells_left
        cdef Place* place
        cdef const int16_t* misses
        self.set_count, self.cell_count = node.set_count, node.cell_count
        for cell in range(node.cell_count):
            place = self.places + cell
            member_count = 0
            memset(members_with, 0, sizeof(members_with))
            for w in range(node.column_words):
                sets_left = node.columns[cell * node.column_words + w]
                while sets_left:
                    i = 64 * w + pop_bit(&sets_left)
                    place.members[member_count] = i
                    cells_left = node.set_cells[i]
                    while cells_left:
                        members_with[pop_cell(&cells_left)] |= 1 << member_count
                    member_count += 1
            place.set_count = member_count
            place.is_needed = True
            all_members = (1 << member_count) - 1
            memset(key, 0, sizeof(key))
            for i in range(node.cell_count):
                members_here = members_with[node.grid_cell[i]]
                if members_here == all_members and i != cell and (node.cell_counts[i] > member_count or i
                                                                  < cell):
                    place.is_needed = False
                if members_here and members_here != all_members:
                    key[members_here >> 6] |= <uint64_t>1 << (members_here & 63)
            misses = self.part_misses(key, member_count)
            for i in range(all_members + 1):
                place.part_cost[i] = PRICE_OF_MISS * misses[i]

    # Values

    cdef int64_t bound_at_prices(self, const int32_t* prices, int first_place) noexcept nogil:
        """Return the bound, in units, with these prices and places from `first_place` on; fill the gains."""
        cdef int32_t gain[PARTS]
        cdef int32_t best_gain[MAX_SETS_PER_CELL + 1]
        cdef int i, part_sets, member, part, size
        cdef int32_t price
        cdef int64_t bound = 0
        cdef Place* place
        for i in range(self.set_count):
            bound += prices[i]
        for part_sets in range(MAX_SETS_PER_CELL + 1):
            self.best_gain[part_sets] = -(<int64_t>1 << 40)
        for i in range(self.cell_count):
            place = self.places + i
            if not place.is_needed:
                continue
            gain[0] = 0
            for member in range(place.set_count):
                price = prices[place.members[member]]
                for part in range(1 << member):
                    gain[part + (1 << member)] = gain[part] + price
            for part_sets in range(1, place.set_count + 1):
                best_gain[part_sets] = -(1 << 30)
            for part in range(1, 1 << place.set_count):
                size = popcount(part)
                price = gain[part] - place.part_cost[part]
                if price > best_gain[size]:
                    best_gain[size] = price
                    place.best_part[size] = part
            for part_sets in range(1, place.set_count + 1):
                place.best_gain[part_sets] = best_gain[part_sets]
                self.best_gain[part_sets] = max(self.best_gain[part_sets], best_gain[part_sets])
        return bound + self.total_of_places(first_place)

    cdef int64_t total_of_places(self, int place) noexcept nogil:
        """Return what the places from `place` on add to the bound, at most 0, by the best gains."""
        cdef int64_t total = 0, gain
        cdef int part_sets
        while True:
            gain = 0
            for part_sets in range(1, MAX_SETS_PER_CELL + 1):
                gain = max(gain, self.best_gain[part_sets] - <int64_t>PRICE_OF_MISS * place * part_sets)
            if gain <= 0:
                return total
            total -= gain
            place += 1

    cdef void find_slope(self, int64_t slack) noexcept nogil:
        """Fill `slope`, SCALE times the derivative of the bound by each price: 1 - the places of its set.

        Each place takes a part of the greatest gain. Parts of one size whose gain is within `slack` of
        it share the places, so this is a subgradient of the value up to the slack.
        """
        cdef int places_by_size[MAX_SETS_PER_CELL + 1]
        cdef int place_number = 0, part_sets, best_size, i, sharing_cells
        cdef uint64_t part
        cdef int32_t share
        cdef int64_t gain, best_gain
        cdef Place* place
        memset(places_by_size, 0, sizeof(places_by_size))
        while True:
            best_gain = best_size = 0
            for part_sets in range(1, MAX_SETS_PER_CELL + 1):
                gain = self.best_gain[part_sets] - <int64_t>PRICE_OF_MISS * place_number * part_sets
                if gain > best_gain:
                    best_gain, best_size = gain, part_sets
            if best_size == 0:
                break
            places_by_size[best_size] += 1
            place_number += 1
        for i in range(self.set_count):
            self.slope[i] = SCALE
        for part_sets in range(1, MAX_SETS_PER_CELL + 1):
            if places_by_size[part_sets] == 0:
                continue
            sharing_cells = 0
            for i in range(self.cell_count):
                place = self.places + i
                sharing_cells += (place.is_needed and place.set_count >= part_sets
                                  and place.best_gain[part_sets] >= self.best_gain[part_sets] - slack)
            share = SCALE * places_by_size[part_sets] // sharing_cells
            for i in range(self.cell_count):
                place = self.places + i
                if (place.is_needed and place.set_count >= part_sets
                        and place.best_gain[part_sets] >= self.best_gain[part_sets] - slack):
                    part = place.best_part[part_sets]
                    while part:
                        self.slope[place.members[pop_bit(&part)]] -= share

    # Prices

    cdef int64_t raise_prices(self, Node* node, int64_t limit, int steps) noexcept nogil:
        """Return the bound of a loaded family in misses, after `steps` steps or once it reaches the limit.

        The prices of the node are left at the best ones.
        """
        cdef int64_t best_value, value, target, norm, goal = limit * PRICE_OF_MISS
        cdef int i, steps_without_gain = 0
        cdef double step_length, relax = 1.0
        if not node.has_prices:        # one for all sets: the middle of a chain that always hits the most
            for i in range(node.set_count):
                node.prices[i] = PRICE_OF_MISS * node.set_count // greatest_count(node)
            node.has_prices = True
        best_value = value = self.bound_at_prices(node.prices, 0)
        memcpy(self.tried_prices, node.prices, node.set_count * sizeof(int32_t))
        memset(self.momentum, 0, node.set_count * sizeof(int32_t))
        for _ in range(steps):
            if best_value > goal - PRICE_OF_MISS:
                break
            target = min(goal, best_value + max(<int64_t>PRICE_OF_MISS, best_value // 1000))
            self.find_slope((target - value) // 64)
            norm = 0
            for i in range(node.set_count):
                self.momentum[i] = self.slope[i] + self.momentum[i] * 7 // 8
                norm += <int64_t>self.momentum[i] * self.momentum[i]
            if norm == 0:
                break
            step_length = relax * SCALE * (target - value) / norm
            for i in range(node.set_count):
                self.tried_prices[i] += <int32_t>(step_length * self.momentum[i])
            value = self.bound_at_prices(self.tried_prices, 0)
            if value > best_value:
                best_value = value
                memcpy(node.prices, self.tried_prices, node.set_count * sizeof(int32_t))
                steps_without_gain = 0
            else:
                steps_without_gain += 1
                if steps_without_gain % 60 == 0:
                    relax *= 0.8
        return (best_value + PRICE_OF_MISS - 1) // PRICE_OF_MISS if best_value > 0 else 0

    # First shots of a loaded family, after `bound_at_prices`

    cdef int64_t misses_if_hit(self, int cell) noexcept nogil:
        """Return the exact least misses of the sets with a cell."""
        return self.places[cell].part_cost[(1 << self.places[cell].set_count) - 1] // PRICE_OF_MISS

    cdef int64_t bound_if_missed(self, const Node* node, int cell, int64_t rest) noexcept nogil:
        """Bound the misses of the sets without a cell; rest -- `bound_at_prices` with places from 1 on."""
        cdef const Place* place = self.places + cell
        cdef int i
        rest -= <int64_t>PRICE_OF_MISS * (node.set_count - place.set_count)
        for i in range(place.set_count):
            rest -= node.prices[place.members[i]]
        return (rest + PRICE_OF_MISS - 1) // PRICE_OF_MISS if rest > 0 else 0

    # For Python

    def prices(self, const uint64_t[:, ::1] sets, long long limit, int steps):
        """Return the bound, in misses, and prices of distinct sets of cells, shape (n, 2).

        Prices are raised until the bound reaches the limit, for at most `steps` steps. Return None if a
        cell is in more than MAX_SETS_PER_CELL sets, if there are more than PRICED sets, or if a set is empty.
        """
        cdef Node* node = new_node(<int>sets.shape[0], MAX_CELLS, -1, False)
        cdef int64_t bound = 0
        cdef int i
        try:
            for i in range(node.set_count):
                node.set_cells[i] = join(sets[i, 0], sets[i, 1])
            count_cells(node, True)
            if node.set_count < 2 or not self.fits(node):
                return None
            with nogil:
                self.load(node)
                bound = self.raise_prices(node, limit, steps)
            return bound, [node.prices[i] for i in range(node.set_count)]
        finally:
            free_node(node)


cdef void fill_misses(Shape* shape) noexcept nogil:
    """Fill the least misses of each part of a shape, from its key, by trying each cell as the first shot."""
    cdef int columns[PARTS]
    cdef int i, part, sets_hit, column_count = 0, least, part_sets
    cdef int16_t* misses = shape.misses
    for i in range(1 << shape.set_count):
        if shape.key[i >> 6] >> (i & 63) & 1:
            columns[column_count] = i
            column_count += 1
    misses[0] = 0
    for part in range(1, 1 << shape.set_count):
        part_sets = popcount(part)
        if part_sets == 1:
            misses[part] = 0
            continue
        least = part_sets * part_sets
        for i in range(column_count):
            sets_hit = columns[i] & part
            if sets_hit and sets_hit != part:
                least = min(least, misses[sets_hit] + misses[part ^ sets_hit] + popcount(part ^ sets_hit))
        misses[part] = least
