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

from cells cimport MAX_CELLS, Cells, first, join, popcount
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
        self.tried = <int32_t*>self.arena.array(PRICED, sizeof(int32_t))
        self.slope = <int32_t*>self.arena.array(PRICED, sizeof(int32_t))
        self.drift = <int32_t*>self.arena.array(PRICED, sizeof(int32_t))

    cdef bint fits(self, const Node* node) noexcept nogil:
        """True if a family with counted cells has a dual bound: prices, and at most MOST sets per cell."""
        cdef int i
        if node.prices == NULL or greatest_count(node) > MOST:
            return False
        for i in range(node.n):
            if not node.rows[i]:
                return False
        return True

    # Local shapes

    cdef const int16_t* misses_of(self, const uint64_t* key, int sets) noexcept nogil:
        """Return the least misses of each part of `sets` sets; key -- the parts with a common cell."""
        cdef uint64_t hash = sets
        cdef Shape* shape
        cdef int16_t* misses
        cdef int columns[PARTS]
        cdef int i, part, has, j, number = 0, least, most
        for i in range(KEY):
            hash = (hash ^ key[i]) * <uint64_t>0x9E3779B97F4A7C15
            hash ^= hash >> 29
        shape = self.shapes + (hash & (SHAPES - 1))
        misses = shape.misses
        if shape.sets == sets and memcmp(shape.key, key, sizeof(shape.key)) == 0:
            return misses
        memcpy(shape.key, key, sizeof(shape.key))
        shape.sets = sets
        for i in range(1 << sets):
            if key[i >> 6] >> (i & 63) & 1:
                columns[number] = i
                number += 1
        misses[0] = 0
        for part in range(1, 1 << sets):
            if part & (part - 1) == 0:
                misses[part] = 0
                continue
            most = popcount(part)
            least = most * most
            for j in range(number):
                has = columns[j] & part
                if has and has != part:
                    least = min(least, misses[has] + misses[part ^ has] + popcount(part ^ has))
            misses[part] = least
        return misses

    cdef void load(self, const Node* node) noexcept nogil:
        """Load a family that fits (`fits`); all other functions are about it until the next is loaded."""
        cdef int c, d, w, i, j, full
        cdef uint64_t word
        cdef uint64_t key[KEY]
        cdef int has[MAX_CELLS]
        cdef Cells s
        cdef Place* place
        cdef const int16_t* misses
        self.n, self.m = node.n, node.m
        for c in range(node.m):
            place = self.places + c
            j = 0
            memset(has, 0, sizeof(has))
            for w in range(node.width):
                word = node.columns[c * node.width + w]
                while word:
                    i = 64 * w + first(<Cells>word)
                    word &= word - 1
                    place.member[j] = i
                    s = node.rows[i]
                    while s:
                        has[first(s)] |= 1 << j
                        s &= s - 1
                    j += 1
            place.sets = j
            place.needed = True
            full = (1 << j) - 1
            memset(key, 0, sizeof(key))
            for i in range(node.m):
                d = has[node.cell[i]]
                if d == full and i != c and (node.count[i] > j or i < c):
                    place.needed = False
                if d and d != full:
                    key[d >> 6] |= <uint64_t>1 << (d & 63)
            misses = self.misses_of(key, j)
            for i in range(full + 1):
                place.cost[i] = PRICE_OF_MISS * misses[i]

    # Values

    cdef int64_t value(self, const int32_t* prices, int start) noexcept nogil:
        """Return the bound in units at these prices, with places from `start` on; fill the best gains."""
        cdef int32_t gain[PARTS]
        cdef int32_t most[MOST + 1]
        cdef int c, j, b, part, size
        cdef int32_t price
        cdef int64_t sum = 0
        cdef Place* place
        for c in range(self.n):
            sum += prices[c]
        for j in range(MOST + 1):
            self.best[j] = -(<int64_t>1 << 40)
        for c in range(self.m):
            place = self.places + c
            if not place.needed:
                continue
            gain[0] = 0
            for b in range(place.sets):
                price = prices[place.member[b]]
                for part in range(1 << b):
                    gain[part + (1 << b)] = gain[part] + price
            for j in range(1, place.sets + 1):
                most[j] = -(1 << 30)
            for part in range(1, 1 << place.sets):
                size = popcount(part)
                price = gain[part] - place.cost[part]
                if price > most[size]:
                    most[size] = price
                    place.part[size] = part
            for j in range(1, place.sets + 1):
                place.best[j] = most[j]
                self.best[j] = max(self.best[j], most[j])
        return sum + self.rest(start)

    cdef int64_t rest(self, int start) noexcept nogil:
        """Return the total of the places from `start` on, at most 0, by the best gains."""
        cdef int64_t sum = 0, gain
        cdef int j
        while True:
            gain = 0
            for j in range(1, MOST + 1):
                gain = max(gain, self.best[j] - <int64_t>PRICE_OF_MISS * start * j)
            if gain <= 0:
                return sum
            sum -= gain
            start += 1

    cdef void find_slope(self, int64_t slack) noexcept nogil:
        """Fill `slope`, SCALE times the derivatives by price: 1 - the number of places that take the set.

        Each place takes a part of the greatest gain. Parts of one size whose gain is within `slack` of
        it share the places, so this is a subgradient of the value up to the slack.
        """
        cdef int times[MOST + 1]
        cdef int start = 0, j, best, c, number, part
        cdef int32_t share
        cdef int64_t gain, most
        cdef Place* place
        memset(times, 0, sizeof(times))
        while True:
            most = best = 0
            for j in range(1, MOST + 1):
                gain = self.best[j] - <int64_t>PRICE_OF_MISS * start * j
                if gain > most:
                    most, best = gain, j
            if best == 0:
                break
            times[best] += 1
            start += 1
        for c in range(self.n):
            self.slope[c] = SCALE
        for j in range(1, MOST + 1):
            if times[j] == 0:
                continue
            number = 0
            for c in range(self.m):
                place = self.places + c
                number += (place.needed and place.sets >= j
                           and place.best[j] >= self.best[j] - slack)
            share = SCALE * times[j] // number
            for c in range(self.m):
                place = self.places + c
                if place.needed and place.sets >= j and place.best[j] >= self.best[j] - slack:
                    part = place.part[j]
                    while part:
                        self.slope[place.member[first(<Cells>part)]] -= share
                        part &= part - 1

    # Prices

    cdef void first_prices(self, Node* node) noexcept nogil:
        """Set the first prices, one for all sets: the middle of a chain that always hits the most."""
        cdef int i
        for i in range(node.n):
            node.prices[i] = PRICE_OF_MISS * node.n // greatest_count(node)
        node.priced = True

    cdef int64_t raise_prices(self, Node* node, int64_t limit, int steps) noexcept nogil:
        """Return the bound of a loaded family in misses, after `steps` steps or once it reaches the limit.

        The prices of the node are left at the best ones.
        """
        cdef int64_t best, value, aim, norm, goal = limit * PRICE_OF_MISS
        cdef int i, stuck = 0
        cdef double length, relax = 1.0
        if not node.priced:
            self.first_prices(node)
        best = value = self.value(node.prices, 0)
        memcpy(self.tried, node.prices, node.n * sizeof(int32_t))
        memset(self.drift, 0, node.n * sizeof(int32_t))
        for _ in range(steps):
            if best > goal - PRICE_OF_MISS:
                break
            aim = min(goal, best + max(<int64_t>PRICE_OF_MISS, best // 1000))
            self.find_slope((aim - value) // 64)
            norm = 0
            for i in range(node.n):
                self.drift[i] = self.slope[i] + self.drift[i] * 7 // 8
                norm += <int64_t>self.drift[i] * self.drift[i]
            if norm == 0:
                break
            length = relax * SCALE * (aim - value) / norm
            for i in range(node.n):
                self.tried[i] += <int32_t>(length * self.drift[i])
            value = self.value(self.tried, 0)
            if value > best:
                best = value
                memcpy(node.prices, self.tried, node.n * sizeof(int32_t))
                stuck = 0
            else:
                stuck += 1
                if stuck % 60 == 0:
                    relax *= 0.8
        return (best + PRICE_OF_MISS - 1) // PRICE_OF_MISS if best > 0 else 0

    # First shots of a loaded family, after `value`

    cdef int64_t hit(self, int c) noexcept nogil:
        """Return the exact least misses of the sets with a cell."""
        return self.places[c].cost[(1 << self.places[c].sets) - 1] // PRICE_OF_MISS

    cdef int64_t missed(self, const Node* node, int c, int64_t rest) noexcept nogil:
        """Bound the misses of the sets without a cell; rest -- prices(F) and places from 1 on, in units."""
        cdef const Place* place = self.places + c
        cdef int j
        rest -= <int64_t>PRICE_OF_MISS * (node.n - place.sets)
        for j in range(place.sets):
            rest -= node.prices[place.member[j]]
        return (rest + PRICE_OF_MISS - 1) // PRICE_OF_MISS if rest > 0 else 0

    # For Python

    def prices(self, const uint64_t[:, ::1] sets, long long limit, int steps):
        """Return the bound, in misses, and prices of distinct sets of cells, shape (n, 2).

        Prices are raised until the bound reaches the limit, for at most `steps` steps. Return None if a
        cell is in more than MOST sets, if there are more than PRICED sets, or if a set is empty.
        """
        cdef Node* node = new_node(<int>sets.shape[0], MAX_CELLS, -1, False)
        cdef int64_t bound = 0
        cdef int i
        try:
            for i in range(node.n):
                node.rows[i] = join(sets[i, 0], sets[i, 1])
            count_cells(node, True)
            if node.n < 2 or not self.fits(node):
                return None
            with nogil:
                self.load(node)
                bound = self.raise_prices(node, limit, steps)
            return bound, [node.prices[i] for i in range(node.n)]
        finally:
            free_node(node)
