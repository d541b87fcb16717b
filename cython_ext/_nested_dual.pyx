"""The nested dual: a bound by prices at three levels, raised by subgradient steps.

`optsearch.lower_bounds.nested_dual` has the definition and its proof; `Dual.step` gives the same value,
exactly, and moves the prices. They are integers, `miss` of them to a miss, and all that is computed
with them is: every build takes the same steps.

Each term of the bound is a least one. A step takes, for its direction alone, all that come within a
slack of the least, each with a share that falls to 0 there. With them a step of some length adds

    to z_s    length (1 - how often the chain uses s), as far as z_s stays between 0 and a_s,
    to b_s    length / 2 (how often the half uses s - whether H_v uses it),
    to y_s    length / 2 (1 - how often s is used at all places together).

A half uses s as often as its chain does where z_s is at a_s, and once where it is well below it.
"""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from cells cimport popcount

cdef enum:
    SCALE = 1 << 12            # of shares
    SIZES = 8                  # sets of a leaf whose parts are all gone through, at most
    SLACK = 2                  # in lengths of the step
    ROOT_SLACK = 100           # of the places of the root


cdef class Dual:
    """The terms of a family, and how many units of prices are a miss.

    terms -- arrays of int32, as `optsearch.lower_bounds.nested_dual._terms` makes them. Lists of lists are
        an array of all entries and one of where each list begins, with the end of the last one.
    """

    cdef const int32_t[::1] orbit, orbit_sets, sets
    cdef const int32_t[::1] half_sets, half_leaf, half_columns
    cdef const int32_t[::1] column_places, places, column_leaf
    cdef const int32_t[::1] leaf_sizes, leaf_parts, misses
    cdef const int32_t[::1] kept_missed, kept_prices, kept_halves, halves
    cdef const int32_t[::1] kept_groups, group_misses, group_places, grouped
    cdef int32_t[::1] own, above, low, used, flows
    cdef int32_t[::1] order
    cdef int64_t[::1] gains, most, values, use
    cdef int64_t miss

    def __cinit__(self, terms, int miss):
        cdef int n
        self.miss = miss
        self.orbit, self.orbit_sets = terms["orbit"], terms["orbit_sets"]
        self.sets = terms["sets"]
        self.half_sets, self.half_leaf = terms["half_sets"], terms["half_leaf"]
        self.half_columns = terms["half_columns"]
        self.column_places, self.places = terms["column_places"], terms["places"]
        self.column_leaf = terms["column_leaf"]
        self.leaf_sizes, self.leaf_parts = terms["leaf_sizes"], terms["leaf_parts"]
        self.misses = terms["misses"]
        self.kept_missed, self.kept_prices = terms["kept_missed"], terms["kept_prices"]
        self.kept_halves, self.halves = terms["kept_halves"], terms["halves"]
        self.kept_groups, self.group_misses = terms["kept_groups"], terms["group_misses"]
        self.group_places, self.grouped = terms["group_places"], terms["grouped"]
        n = self.orbit.shape[0]
        self.own, self.above, self.low, self.used = (np.zeros(n, np.int32) for _ in range(4))
        self.order = np.zeros(len(self.places), np.int32)
        self.gains, self.most = (np.zeros(k, np.int64) for k in (len(self.places), n + 1))
        self.flows = np.zeros(self.kept_prices[len(self.kept_prices) - 1], np.int32)
        self.values = np.zeros(len(self.kept_missed), np.int64)
        self.use = np.zeros(len(self.orbit_sets), np.int64)

    def step(self, int32_t[::1] orbits, int32_t[:, ::1] sides, int32_t[:, ::1] chains, int length):
        """The value of these prices; then they move by a step of this length, in units of prices.

        With length 0 they stay.
        """
        cdef int64_t value
        with nogil:
            value = self.value(orbits, sides, chains, length)
        return value

    cdef int64_t value(self, int32_t[::1] orbits, int32_t[:, ::1] sides, int32_t[:, ::1] chains,
                       int length) noexcept nogil:
        cdef int i, o, d, place, highest = 0
        cdef int64_t total = 0, least, move
        for i in range(self.orbit.shape[0]):
            self.own[i] = orbits[self.orbit[i]]
            total += self.own[i]
            highest = max(highest, self.own[i])
        self.use[:] = 0
        for place in range(sides.shape[0]):
            if highest <= place * self.miss:
                break
            least = 0
            for d in range(self.kept_missed.shape[0]):
                if self.kept_missed[d] <= place:
                    i = self.kept_prices[d]
                    self.values[d] = self.kept(
                        d, place, &sides[place, i], &chains[place, i], length)
                    least = min(least, self.values[d])
            total += least
            if length:
                self.share(place, least, ROOT_SLACK * <int64_t>length)
        if length:
            for o in range(orbits.shape[0]):
                move = length * (SCALE - self.use[o] // self.orbit_sets[o]) // (2 * SCALE)
                orbits[o] = <int32_t>max(0, min(orbits[o] + move, sides.shape[0] * self.miss))
        return total

    cdef void share(self, int place, int64_t least, int64_t slack) noexcept nogil:
        """Use the sets of a place: all D, and nothing at 0, by how near they are to the least."""
        cdef int d, h, i, k
        cdef int64_t all = max(0, slack + least), part
        for d in range(self.kept_missed.shape[0]):
            if self.kept_missed[d] <= place:
                all += max(0, slack + least - self.values[d])
        if all == 0:
            return
        for d in range(self.kept_missed.shape[0]):
            if self.kept_missed[d] > place or slack + least <= self.values[d]:
                continue
            part = SCALE * (slack + least - self.values[d]) // all
            k = self.kept_prices[d]
            for h in range(self.kept_halves[d], self.kept_halves[d + 1]):
                for i in range(self.half_sets[self.halves[h]], self.half_sets[self.halves[h] + 1]):
                    self.use[self.orbit[self.sets[i]]] += part * self.flows[k] // SCALE
                    k += 1

    cdef int64_t kept(self, int d, int place, int32_t* b, int32_t* z,
                      int64_t length) noexcept nogil:
        """The value of a D at a place; its prices move, and its flows are left."""
        cdef int32_t* flow = &self.flows[self.kept_prices[d]]
        cdef int64_t value = 0, cost, share, slack
        cdef int h, half, i, k, g, first = 0, n = 0
        for h in range(self.kept_halves[d], self.kept_halves[d + 1]):
            half = self.halves[h]
            first = n
            for i in range(self.half_sets[half], self.half_sets[half + 1]):
                self.above[n] = <int32_t>(self.own[self.sets[i]] - place * self.miss - b[n])
                n += 1
            value += self.half(half, &self.above[first], z + first, n - first, flow + first,
                               length)
        for g in range(self.kept_groups[d], self.kept_groups[d + 1]):
            cost = self.miss * self.group_misses[g]
            for i in range(self.group_places[g], self.group_places[g + 1]):
                cost -= b[self.grouped[i]]
            value += min(0, cost)
            if length:
                slack = SLACK * length
                share = SCALE * max(0, min(2 * slack, slack - cost)) // (2 * slack)
                for i in range(self.group_places[g], self.group_places[g + 1]):
                    k = self.grouped[i]
                    b[k] += <int32_t>(length * (flow[k] - share) // (2 * SCALE))
        return value

    cdef int64_t half(self, int half, const int32_t* a, int32_t* z, int n, int32_t* flow,
                      int64_t length) noexcept nogil:
        """The value of a half at prices a; z moves, and what is used of each set is left."""
        cdef int64_t value = 0, gain, best, moved
        cdef int i, q, size, place, first, number, at, sizes = 0
        cdef bint is_leaf = self.half_leaf[half]
        for i in range(n):
            self.used[i] = 0
            self.low[i] = a[i] if is_leaf else min(a[i], z[i])
            value += self.low[i] - a[i]
        for q in range(self.half_columns[half], self.half_columns[half + 1]):
            first = self.column_places[q]
            number = self.column_places[q + 1] - first
            self.gains_of(self.column_leaf[q], first, number)
            for size in range(number):
                if size == sizes:
                    self.most[size] = -(<int64_t>1 << 60)
                    sizes += 1
                self.most[size] = max(self.most[size], self.gains[first + size])
        place = 0
        while True:
            best, at = 0, -1
            for size in range(sizes):
                gain = self.most[size] - place * self.miss * (size + 1)
                if gain > best:
                    best, at = gain, size
            if at < 0:
                break
            value -= best
            place += 1
            if length:
                self.take(half, at, SLACK * length)
            if is_leaf:
                break
        if length:
            for i in range(n):
                flow[i] = self.used[i]
                if not is_leaf:
                    moved = self.low[i] + length * (SCALE - self.used[i]) // SCALE
                    flow[i] = <int32_t>(SCALE - max(0, moved - a[i]) * SCALE // length)
                    z[i] = <int32_t>max(0, min(a[i], moved))
        return value

    cdef void take(self, int half, int size, int64_t slack) noexcept nogil:
        """Use the sets of a place of a chain: the best parts of a size, by how near they are to the most."""
        cdef int q, first, i
        cdef int64_t all = 0, part
        cdef int32_t share
        for q in range(self.half_columns[half], self.half_columns[half + 1]):
            first = self.column_places[q]
            if self.column_places[q + 1] - first > size:
                all += max(0, slack + self.gains[first + size] - self.most[size])
        for q in range(self.half_columns[half], self.half_columns[half + 1]):
            first = self.column_places[q]
            if self.column_places[q + 1] - first <= size:
                continue
            part = slack + self.gains[first + size] - self.most[size]
            if part <= 0:
                continue
            share = <int32_t>(SCALE * part // all)
            if self.leaf_parts[self.column_leaf[q]] < 0:
                for i in range(size + 1):
                    self.used[self.order[first + i]] += share
            else:
                for i in range(self.column_places[q + 1] - first):
                    if self.order[first + size] >> i & 1:
                        self.used[self.places[first + i]] += share

    cdef void gains_of(self, int leaf, int first, int number) noexcept nogil:
        """The most that parts of a column gain, by size, and which parts these are."""
        cdef const int32_t* misses = &self.misses[self.leaf_sizes[leaf]]
        cdef int64_t sums[1 << SIZES]
        cdef int64_t price
        cdef int i, j, part, size
        if self.leaf_parts[leaf] < 0:
            for i in range(number):
                price = self.low[self.places[first + i]]
                j = first + i
                while j > first and self.gains[j - 1] < price:
                    self.gains[j] = self.gains[j - 1]
                    self.order[j] = self.order[j - 1]
                    j -= 1
                self.gains[j] = price
                self.order[j] = self.places[first + i]
            price = 0
            for i in range(number):
                price += self.gains[first + i]
                self.gains[first + i] = price - self.miss * misses[i + 1]
            return
        misses = &self.misses[self.leaf_parts[leaf]]
        sums[0] = 0
        for i in range(number):
            self.gains[first + i] = -(<int64_t>1 << 60)
            for part in range(1 << i):
                sums[part + (1 << i)] = sums[part] + self.low[self.places[first + i]]
        for part in range(1, 1 << number):
            size = first + popcount(part) - 1
            price = sums[part] - self.miss * misses[part]
            if price > self.gains[size]:
                self.gains[size] = price
                self.order[size] = part
