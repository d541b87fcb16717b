"""The optimum of a few configurations: the least misses, and an optimal shot.

Only the *pattern* of a cell matters: the set of the configurations that have it.
"""

from libc.stdint cimport uint16_t, uint32_t, uint64_t, uint8_t

from cells cimport popcount
from columns cimport extract
from optsearch.compiled.evaluation._block cimport Words

cdef enum:
    TOO_MANY = 1 << 14       # misses


cdef class Endgame:
    """An exact search of at most MAX_ENDGAME configurations.

    A part of them is a set of bits: bit i stands for configuration i.

    distinct -- True if different configurations have different cells.
    """

    def __cinit__(self, bint distinct):
        self.distinct = distinct
        fill_small_costs()

    cdef void begin(self, const Words* words, uint64_t members, int count) noexcept nogil:
        """Load configurations, by the different patterns of their cells.

        Cells that all or none of them have are left out. words -- the columns of the cells. members -- the
        bits of these configurations in the columns. count -- their number.
        """
        cdef int column
        cdef uint16_t pattern
        self.now += 1
        self.patterns = 0
        for column in range(words.cells):
            pattern = <uint16_t>extract(words.column[column], members)
            if pattern and pattern != (1 << count) - 1 and self.seen[pattern] != self.now:
                self.seen[pattern] = self.now
                self.pattern[self.patterns] = pattern
                self.patterns += 1

    cdef int solve(self, int part) noexcept nogil:
        """Return the least total of misses of some of the loaded configurations: part -- as bits."""
        cdef int count = popcount(part), index, hit, hit_count, missed_count, cost, least = TOO_MANY
        # Distinct configurations: all but one are missed at least once.
        cdef int misses_of_others = 1 if self.distinct else 0
        if count == 1:
            return 0
        if self.stamp[part] == self.now:
            return self.cost[part]
        for index in range(self.patterns):
            hit = self.pattern[index] & part
            if hit == 0 or hit == part:
                continue
            hit_count = popcount(hit)
            missed_count = count - hit_count
            cost = missed_count + misses_of_others * (missed_count - 1)
            if cost + misses_of_others * (hit_count - 1) >= least:
                continue
            cost += self.solve(hit)
            if cost >= least:
                continue
            cost += self.solve(part ^ hit) - misses_of_others * (missed_count - 1)
            if cost < least:
                least = cost
        if least == TOO_MANY:
            least = 0
        self.stamp[part] = self.now
        self.cost[part] = <uint16_t>least
        return least

    cdef int shot(self, int part) noexcept nogil:
        """Return which configurations of a part, as bits, the first optimal shot hits; 0: none splits it."""
        cdef int hit, index, cost = self.solve(part)
        for index in range(self.patterns):
            hit = self.pattern[index] & part
            if hit == 0 or hit == part:
                continue
            if popcount(part ^ hit) + self.solve(hit) + self.solve(part ^ hit) == cost:
                return hit
        return 0


cdef uint8_t[1 << 16] small_costs    # by the set of patterns that four configurations have
cdef bint has_small_costs = False


cdef void fill_small_costs() noexcept:
    """Fill `small_costs`, the least misses of up to four configurations by their patterns, once.

    It takes as long as half the imports of a command, and most commands do not need it. A pattern is the
    set of the configurations (bits 0 to 3) that have a cell; bit p of the index is 1 if any cell has
    pattern p. Three configurations have patterns 0 to 7 only.
    """
    global has_small_costs
    cdef int patterns, part, pattern, hit, cost
    cdef int costs[16]
    if has_small_costs:
        return
    for patterns in range(1 << 16):
        for part in range(16):
            costs[part] = -1
            for pattern in range(16):
                hit = pattern & part
                if patterns >> pattern & 1 and hit and hit != part:
                    cost = costs[hit] + costs[part ^ hit] + popcount(part ^ hit)
                    if costs[part] < 0 or cost < costs[part]:
                        costs[part] = cost
            if costs[part] < 0:
                costs[part] = 0
        # Patterns of three configurations do not split the fourth off; of two, nor the third.
        part = 15 if patterns >> 8 else 7 if patterns >> 4 else 3
        small_costs[patterns] = <uint8_t>costs[part]
    has_small_costs = True


cdef int least_of_four(uint32_t seen, int n) noexcept nogil:
    """Return the least misses of 2 to 4 configurations; bit p of `seen` is 1 if a cell has pattern p."""
    # The patterns of none and of all split nothing. The table takes n from the highest one.
    return small_costs[(seen & ~<uint32_t>1) | <uint32_t>1 << ((1 << n) - 1)]
