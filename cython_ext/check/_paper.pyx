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
    MAX_FRESH = 1 << 14     # states written to the table on disk at once


# Algorithm 1

cdef struct Ship:
    Cells* cells            # its placements
    Cells* closed           # the cells each closes to other ships, its own included
    int placements


cdef uint64_t count_from(const Ship* ships, int ships_left, Cells occupied) noexcept nogil:
    """Return Count(i, pos) of the paper; ships_left -- the number of ships to place, from `ships` on."""
    cdef uint64_t configurations = 0
    cdef int placement
    for placement in range(ships.placements):
        if not ships.cells[placement] & occupied:
            if ships_left == 1:
                configurations += 1
            else:
                configurations += count_from(ships + 1, ships_left - 1, occupied | ships.closed[placement])
    return configurations


def count_configurations(ships):
    """Count the ways to place distinct ships, with no shot made.

    ships -- for each ship (cells, closed), two (n, 2) uint64 arrays over its placements.
    Two ships of one length are counted in both orders, as in the paper.
    """
    cdef int ship_count = len(ships), ship
    cdef uint64_t total
    cdef const uint64_t[:, ::1] cells, closed
    cdef Arena arena = Arena()
    cdef Ship* first_ship = <Ship*>arena.array(ship_count, sizeof(Ship))
    for ship in range(ship_count):
        cells, closed = ships[ship]
        first_ship[ship] = Ship(arena.cells(cells), arena.cells(closed), <int>cells.shape[0])
    with nogil:
        total = count_from(first_ship, ship_count, 0)
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
        `disk.keep(states, heights)` takes two arrays. asks_disk -- True if it has states already.

    A state is a base-3 number, in which digit c is 0 if cell c is not shot, 1 if hit, 2 if missed. The
    table in memory is open addressing on the complete state. On disk the digits are in reverse order, so
    that states found one after another are side by side.
    """

    cdef Arena arena
    cdef int cells, words, hits_needed
    cdef const uint64_t[:, ::1] columns
    cdef uint64_t* families           # two per depth: the configurations after a hit, after a miss
    cdef uint64_t digit_values[MAX_UNDECIDED]
    cdef uint64_t* keys               # state + 1; 0 is a free slot
    cdef uint32_t* heights
    cdef uint64_t slot_count, used_slots, state_count, max_bytes
    cdef object tick, disk
    cdef bint has_disk, asks_disk
    cdef uint64_t[::1] fresh_states
    cdef uint32_t[::1] fresh_heights
    cdef int fresh_count

    def __cinit__(self, const uint64_t[:, ::1] columns, int configurations, int hits,
                  max_bytes, tick, disk=None, bint asks_disk=False):
        cdef int i
        self.disk, self.has_disk, self.asks_disk = disk, disk is not None, asks_disk
        self.fresh_states = np.zeros(MAX_FRESH if disk is not None else 0, np.uint64)
        self.fresh_heights = np.zeros(MAX_FRESH if disk is not None else 0, np.uint32)
        self.cells, self.words = <int>columns.shape[0], <int>columns.shape[1]
        self.hits_needed, self.max_bytes, self.tick = hits, max_bytes, tick
        if self.cells > MAX_UNDECIDED:
            raise ValueError(f"{self.cells} cells; at most {MAX_UNDECIDED} are handled")
        if <uint64_t>configurations * (self.cells + 1) >= 1 << 32:
            raise ValueError(f"{configurations} configurations are too many for 32-bit heights")
        self.columns = columns
        self.arena = Arena()
        self.families = <uint64_t*>self.arena.array(2 * (self.cells + 2) * self.words, sizeof(uint64_t))
        self.slot_count = 1 << 12
        self.keys = <uint64_t*>calloc(self.slot_count, sizeof(uint64_t))
        self.heights = <uint32_t*>calloc(self.slot_count, sizeof(uint32_t))
        if self.keys == NULL or self.heights == NULL:
            raise MemoryError
        for i in range(self.cells):
            self.digit_values[i] = 1 if i == 0 else 3 * self.digit_values[i - 1]
        for i in range(configurations):
            self.families[i >> 6] |= <uint64_t>1 << (i & 63)

    def __dealloc__(self):
        free(self.keys)
        free(self.heights)

    cdef inline uint64_t find_slot(self, uint64_t state) noexcept nogil:
        """Return the slot of a state, or the free slot for it."""
        cdef uint64_t mask = self.slot_count - 1
        cdef uint64_t slot = ((state * <uint64_t>0x9E3779B97F4A7C15) >> 20) & mask
        while self.keys[slot] != 0 and self.keys[slot] != state + 1:
            slot = (slot + 1) & mask
        return slot

    cdef int grow(self) except -1 nogil:
        cdef uint64_t* old_keys = self.keys
        cdef uint32_t* old_heights = self.heights
        cdef uint64_t old_slots = self.slot_count, old_slot, new_slot
        if 2 * old_slots * (sizeof(uint64_t) + sizeof(uint32_t)) > self.max_bytes:
            if self.has_disk:
                with gil:
                    self.write_to_disk()  # else the latest states would be computed again
                memset(self.keys, 0, old_slots * sizeof(uint64_t))
                self.used_slots = 0
                self.asks_disk = True
                return 0
            with gil:
                raise MemoryError
        self.keys = <uint64_t*>calloc(2 * old_slots, sizeof(uint64_t))
        self.heights = <uint32_t*>calloc(2 * old_slots, sizeof(uint32_t))
        if self.keys == NULL or self.heights == NULL:
            free(self.keys)
            free(self.heights)
            self.keys, self.heights = old_keys, old_heights
            with gil:
                raise MemoryError
        self.slot_count = 2 * old_slots
        for old_slot in range(old_slots):
            if old_keys[old_slot]:
                new_slot = self.find_slot(old_keys[old_slot] - 1)
                self.keys[new_slot] = old_keys[old_slot]
                self.heights[new_slot] = old_heights[old_slot]
        free(old_keys)
        free(old_heights)
        return 0

    cdef int split_family(self, int cell, int depth) noexcept nogil:
        """Fill the families after a shot; return 1 if a hit is possible, plus 2 if a miss is."""
        cdef uint64_t* family = &self.families[2 * depth * self.words]
        cdef uint64_t* hit = &self.families[2 * (depth + 1) * self.words]
        cdef const uint64_t* column = &self.columns[cell, 0]
        cdef uint64_t any_hit = 0, any_missed = 0
        cdef int word
        for word in range(self.words):
            hit[word] = family[word] & column[word]
            hit[self.words + word] = family[word] & ~column[word]
            any_hit |= hit[word]
            any_missed |= hit[self.words + word]
        return (any_hit != 0) | (any_missed != 0) << 1

    cdef int64_t height_after_shot(self, int cell, int depth, int hits, uint64_t state) except -1 nogil:
        """Return the total height of the family at `depth` if `cell`, which some configuration has, is shot.

        The level below holds the family hit, then the family missed.
        """
        cdef uint64_t* below = &self.families[2 * (depth + 1) * self.words]
        cdef uint64_t* family = &self.families[2 * depth * self.words]
        cdef const uint64_t* column = &self.columns[cell, 0]
        cdef int64_t height = 0
        cdef int word, possible = self.split_family(cell, depth)
        for word in range(self.words):
            height += popcount(family[word])
        if possible & 1:
            height += self.height(depth + 1, hits + 1, state + self.digit_values[cell])
        if possible & 2:
            for word in range(self.words):
                below[word] = family[word] & ~column[word]
            height += self.height(depth + 1, hits, state + 2 * self.digit_values[cell])
        return height

    cdef int64_t height(self, int depth, int hits, uint64_t state) except -1 nogil:
        """Return ComputeOptimal(hitShots, missShots) for a family that is not empty."""
        cdef int64_t best = 1 << 40, height
        cdef uint64_t slot, digits_left = state
        cdef int cell
        if hits == self.hits_needed:
            return 0
        slot = self.find_slot(state)
        if self.keys[slot]:
            return self.heights[slot]
        if self.asks_disk and self.find_on_disk(state, &best):
            self.add_state(state, best)
            return best
        for cell in range(self.cells):
            if digits_left % 3 == 0 and self.split_family(cell, depth) & 1:
                height = self.height_after_shot(cell, depth, hits, state)
                if height < best:
                    best = height
            digits_left //= 3
        self.add_state(state, best)
        self.state_count += 1
        if self.has_disk:
            self.fresh_states[self.fresh_count] = self.reverse_digits(state)
            self.fresh_heights[self.fresh_count] = <uint32_t>best
            self.fresh_count += 1
            if self.fresh_count == MAX_FRESH:
                with gil:
                    self.write_to_disk()
        if self.state_count % 100_000 == 0:
            with gil:
                self.tick(self.state_count)
        return best

    cdef int add_state(self, uint64_t state, int64_t height) except -1 nogil:
        """Add a state to the table in memory."""
        cdef uint64_t slot
        if 10 * self.used_slots > 7 * self.slot_count:
            self.grow()
        slot = self.find_slot(state)
        self.keys[slot] = state + 1
        self.heights[slot] = <uint32_t>height
        self.used_slots += 1
        return 0

    cdef bint find_on_disk(self, uint64_t state, int64_t* height) except -1 nogil:
        """True if the table on disk has a state; then set its height."""
        with gil:
            disk_height = self.disk.get(self.reverse_digits(state))
            if disk_height is not None:
                height[0] = disk_height
            return disk_height is not None

    cdef uint64_t reverse_digits(self, uint64_t state) noexcept nogil:
        """Return a state with its digits in reverse order."""
        cdef uint64_t result = 0
        cdef int _
        for _ in range(self.cells):
            result = 3 * result + state % 3
            state //= 3
        return result

    def write_to_disk(self):
        """Write the states found last to the table on disk."""
        count, self.fresh_count = self.fresh_count, 0
        if count:
            self.disk.keep(np.asarray(self.fresh_states[:count]), np.asarray(self.fresh_heights[:count]))

    def first_shots(self):
        """Map each cell (its index in `columns`) that can hit to the total height if it is shot first."""
        cdef int cell
        cdef int64_t height
        heights = {}
        for cell in range(self.cells):
            if self.split_family(cell, 0) & 1:
                with nogil:
                    height = self.height_after_shot(cell, 0, 0, 0)
                heights[cell] = height
        return heights

    @property
    def states(self):
        """Return the number of states computed."""
        return self.state_count

    @property
    def table_bytes(self):
        """Return the bytes of the table in memory."""
        return self.slot_count * (sizeof(uint64_t) + sizeof(uint32_t))
