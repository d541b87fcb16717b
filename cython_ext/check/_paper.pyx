"""The algorithms of Audinot, Bonnet and Viennot (2014) as printed, the baseline of every benchmark.

Algorithm 1 counts with one recursive call per placement. Algorithm 2 finds the optimum with a
transposition table on (hits, misses) and no bounds. Both are compiled as carefully as our own.
"""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

import numpy as np

from cells cimport Cells, popcount
from optsearch.compiled.shared._arena cimport Arena

cdef enum:
    MAX_UNDECIDED = 40      # 3 ** 40 < 2 ** 64 < 3 ** 41
    FRESH = 1 << 14         # states written to the table on disk at once


# Algorithm 1

cdef struct Ship:
    Cells* cells            # its placements
    Cells* closed           # the cells each closes to other ships, its own included
    int placements


cdef uint64_t count_from(const Ship* ships, int left, Cells occupied) noexcept nogil:
    """Return Count(i, pos) of the paper; left -- the number of ships to place, from `ships` on."""
    cdef uint64_t configurations = 0
    cdef int p
    for p in range(ships.placements):
        if not ships.cells[p] & occupied:
            if left == 1:
                configurations += 1
            else:
                configurations += count_from(ships + 1, left - 1, occupied | ships.closed[p])
    return configurations


def count_configurations(ships):
    """Count the ways to place distinct ships, with no shot made.

    ships -- for each ship (cells, closed), two (n, 2) uint64 arrays over its placements.
    Two ships of one length are counted in both orders, as in the paper.
    """
    cdef int n = len(ships), i
    cdef uint64_t total
    cdef const uint64_t[:, ::1] cells, closed
    cdef Arena arena = Arena()
    cdef Ship* first = <Ship*>arena.array(n, sizeof(Ship))
    for i in range(n):
        cells, closed = ships[i]
        first[i] = Ship(arena.cells(cells), arena.cells(closed), <int>cells.shape[0])
    with nogil:
        total = count_from(first, n, 0)
    return total


# Algorithm 2

cdef class Optimum:
    """ComputeOptimal of the paper, with its two improvements: a table, and no useless cells.

    columns -- uint64 array (cells, words): for each undecided cell, at most 40, the set of
        configurations that have a ship there, as bits.
    configurations -- their number; those with equal cells are distinct.
    hits -- the number of hits that end the game from here. (As printed the recursion never returns 0
        when the ships are sunk; the game ends there.)
    max_bytes -- of the table in memory. When it is full, MemoryError is raised; with a table on disk the
        table in memory is emptied instead.
    tick -- called with the number of states after about every 100,000 states; may raise.
    disk -- a table on disk, or None: `disk.get(state)` returns the height of a state or None, and
        `disk.keep(states, heights)` takes two arrays. asks -- True if it has states already.

    A state is a base-3 number, in which digit c is 0 if cell c is not shot, 1 if hit, 2 if missed. The
    table in memory is open addressing on the complete state. On disk the digits are in reverse order, so
    that states found one after another are side by side.
    """

    cdef Arena arena
    cdef int cells, words, needed
    cdef const uint64_t[:, ::1] columns
    cdef uint64_t* families           # two per depth: the configurations after a hit, after a miss
    cdef uint64_t digit[MAX_UNDECIDED]
    cdef uint64_t* keys               # state + 1; 0 is a free slot
    cdef uint32_t* heights
    cdef uint64_t slots, used, stored, max_bytes
    cdef object tick, disk
    cdef bint has_disk, asks
    cdef uint64_t[::1] fresh_states
    cdef uint32_t[::1] fresh_heights
    cdef int fresh

    def __cinit__(self, const uint64_t[:, ::1] columns, int configurations, int hits,
                  max_bytes, tick, disk=None, bint asks=False):
        cdef int c
        self.disk, self.has_disk, self.asks = disk, disk is not None, asks
        self.fresh_states = np.zeros(FRESH if disk is not None else 0, np.uint64)
        self.fresh_heights = np.zeros(FRESH if disk is not None else 0, np.uint32)
        self.cells, self.words = <int>columns.shape[0], <int>columns.shape[1]
        self.needed, self.max_bytes, self.tick = hits, max_bytes, tick
        if self.cells > MAX_UNDECIDED:
            raise ValueError(f"{self.cells} cells; at most {MAX_UNDECIDED} are handled")
        if <uint64_t>configurations * (self.cells + 1) >= 1 << 32:
            raise ValueError(f"{configurations} configurations are too many for 32-bit heights")
        self.columns = columns
        self.arena = Arena()
        self.families = <uint64_t*>self.arena.array(2 * (self.cells + 2) * self.words, sizeof(uint64_t))
        self.slots = 1 << 12
        self.keys = <uint64_t*>calloc(self.slots, sizeof(uint64_t))
        self.heights = <uint32_t*>calloc(self.slots, sizeof(uint32_t))
        if self.keys == NULL or self.heights == NULL:
            raise MemoryError
        for c in range(self.cells):
            self.digit[c] = 1 if c == 0 else 3 * self.digit[c - 1]
        for c in range(configurations):
            self.families[c >> 6] |= <uint64_t>1 << (c & 63)

    def __dealloc__(self):
        free(self.keys)
        free(self.heights)

    cdef inline uint64_t slot(self, uint64_t state) noexcept nogil:
        """Return the slot of a state, or the free slot for it."""
        cdef uint64_t mask = self.slots - 1
        cdef uint64_t i = ((state * <uint64_t>0x9E3779B97F4A7C15) >> 20) & mask
        while self.keys[i] != 0 and self.keys[i] != state + 1:
            i = (i + 1) & mask
        return i

    cdef int grow(self) except -1 nogil:
        cdef uint64_t* keys = self.keys
        cdef uint32_t* heights = self.heights
        cdef uint64_t slots = self.slots, i, j
        if 2 * slots * (sizeof(uint64_t) + sizeof(uint32_t)) > self.max_bytes:
            if self.has_disk:
                with gil:
                    self.hand_over()  # else the latest states would be computed again
                memset(self.keys, 0, slots * sizeof(uint64_t))
                self.used = 0
                self.asks = True
                return 0
            with gil:
                raise MemoryError
        self.keys = <uint64_t*>calloc(2 * slots, sizeof(uint64_t))
        self.heights = <uint32_t*>calloc(2 * slots, sizeof(uint32_t))
        if self.keys == NULL or self.heights == NULL:
            free(self.keys)
            free(self.heights)
            self.keys, self.heights = keys, heights
            with gil:
                raise MemoryError
        self.slots = 2 * slots
        for i in range(slots):
            if keys[i]:
                j = self.slot(keys[i] - 1)
                self.keys[j] = keys[i]
                self.heights[j] = heights[i]
        free(keys)
        free(heights)
        return 0

    cdef int split(self, int cell, int depth) noexcept nogil:
        """Fill the families after a shot; return 1 if a hit is possible, plus 2 if a miss is."""
        cdef uint64_t* family = &self.families[2 * depth * self.words]
        cdef uint64_t* hit = &self.families[2 * (depth + 1) * self.words]
        cdef const uint64_t* column = &self.columns[cell, 0]
        cdef uint64_t some = 0, others = 0
        cdef int w
        for w in range(self.words):
            hit[w] = family[w] & column[w]
            hit[self.words + w] = family[w] & ~column[w]
            some |= hit[w]
            others |= hit[self.words + w]
        return (some != 0) | (others != 0) << 1

    cdef int64_t after(self, int cell, int depth, int hits, uint64_t state) except -1 nogil:
        """Return the total height of the family at `depth` if `cell`, which some configuration has, is shot.

        The level below holds the family hit, then the family missed.
        """
        cdef uint64_t* below = &self.families[2 * (depth + 1) * self.words]
        cdef uint64_t* family = &self.families[2 * depth * self.words]
        cdef const uint64_t* column = &self.columns[cell, 0]
        cdef int64_t height = 0
        cdef int w, possible = self.split(cell, depth)
        for w in range(self.words):
            height += popcount(family[w])
        if possible & 1:
            height += self.height(depth + 1, hits + 1, state + self.digit[cell])
        if possible & 2:
            for w in range(self.words):
                below[w] = family[w] & ~column[w]
            height += self.height(depth + 1, hits, state + 2 * self.digit[cell])
        return height

    cdef int64_t height(self, int depth, int hits, uint64_t state) except -1 nogil:
        """Return ComputeOptimal(hitShots, missShots) for a family that is not empty."""
        cdef int64_t best = 1 << 40, height
        cdef uint64_t i, rest = state
        cdef int cell
        if hits == self.needed:
            return 0
        i = self.slot(state)
        if self.keys[i]:
            return self.heights[i]
        if self.asks and self.recall(state, &best):
            self.remember(state, best)
            return best
        for cell in range(self.cells):
            if rest % 3 == 0 and self.split(cell, depth) & 1:
                height = self.after(cell, depth, hits, state)
                if height < best:
                    best = height
            rest //= 3
        self.remember(state, best)
        self.stored += 1
        if self.has_disk:
            self.fresh_states[self.fresh] = self.turned(state)
            self.fresh_heights[self.fresh] = <uint32_t>best
            self.fresh += 1
            if self.fresh == FRESH:
                with gil:
                    self.hand_over()
        if self.stored % 100_000 == 0:
            with gil:
                self.tick(self.stored)
        return best

    cdef int remember(self, uint64_t state, int64_t height) except -1 nogil:
        """Add a state to the table in memory."""
        cdef uint64_t i
        if 10 * self.used > 7 * self.slots:
            self.grow()
        i = self.slot(state)
        self.keys[i] = state + 1
        self.heights[i] = <uint32_t>height
        self.used += 1
        return 0

    cdef bint recall(self, uint64_t state, int64_t* height) except -1 nogil:
        """True if the table on disk has a state; then set its height."""
        with gil:
            known = self.disk.get(self.turned(state))
            if known is not None:
                height[0] = known
            return known is not None

    cdef uint64_t turned(self, uint64_t state) noexcept nogil:
        """Return a state with its digits in reverse order."""
        cdef uint64_t result = 0
        cdef int _
        for _ in range(self.cells):
            result = 3 * result + state % 3
            state //= 3
        return result

    def hand_over(self):
        """Write the states found last to the table on disk."""
        n, self.fresh = self.fresh, 0
        if n:
            self.disk.keep(np.asarray(self.fresh_states[:n]), np.asarray(self.fresh_heights[:n]))

    def first_shots(self):
        """Map each cell (its index in `columns`) that can hit to the total height if it is shot first."""
        cdef int cell
        cdef int64_t height
        heights = {}
        for cell in range(self.cells):
            if self.split(cell, 0) & 1:
                with nogil:
                    height = self.after(cell, 0, 0, 0)
                heights[cell] = height
        return heights

    @property
    def states(self):
        """Return the number of states computed."""
        return self.stored

    @property
    def table_bytes(self):
        """Return the bytes of the table in memory."""
        return self.slots * (sizeof(uint64_t) + sizeof(uint32_t))
