"""What is left unfinished of the configurations whose first ship is met at one cell.

`optsearch.bounds.first_ship` has the argument. A strategy has hit c and missed t cells, none of them
hit before; the ships that may have been hit are the placements through c without a missed cell. Shots
at their cells part them, and the kernel takes the least, over all ways to do that, of what is left
when it is most. A state is

    alive   the placements that agree with the replies, as bits
    near    the cells missed since then that lie in the halo of one of them, as bits
    hits    cells of the ship that are hit
    misses  all that were missed

and the other cells missed are forgotten. The values of states are kept in a table that is emptied
for every cell.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from cells cimport Cells, ctz, first, join, one, popcount, size
from hashing cimport scramble

cdef enum:
    MAX_THROUGH = 64     # placements through a cell, and cells of these
    ROOM = 1 << 12       # of the table at first, a power of two
    MOST_STATES = 1 << 26


cdef struct State:
    uint64_t alive, near
    uint32_t counts      # hits << 16 | misses
    uint32_t stamp       # of the cell that it was found for
    int64_t value


cdef class FirstShip:
    """The placements of all ships, and what is left of the configurations with each of them.

    hits -- cells of the fleet. masks, halos -- uint64 of shape (n, 2): placements of every length,
    and the cells beside them that no other ship can have. avoiding -- int64 of shape
    (n, most + 1): how many configurations with the placement have no other ship on any i cells, or
    fewer, nonincreasing in i. After `most` misses what is left is counted.
    """

    cdef int hits, most, placements
    cdef Cells* mask
    cdef Cells* halo
    cdef int64_t* avoiding
    cdef int64_t* words          # by misses made and hits left: sequences finished in time
    cdef readonly int64_t states  # of the last value

    # Of one cell.
    cdef int start, through, cells
    cdef int ship[MAX_THROUGH]           # number of a placement
    cdef int missed[MAX_THROUGH]         # cells missed before in its halo
    cdef uint64_t beside[MAX_THROUGH]    # cells (as numbered here) in its halo
    cdef uint64_t cover[MAX_THROUGH]     # of a cell: the placements that have it,
    cdef uint64_t close[MAX_THROUGH]     # and those that have it in their halo
    cdef State* table
    cdef int64_t room
    cdef uint32_t stamp

    def __cinit__(self, int hits, const uint64_t[:, ::1] masks, const uint64_t[:, ::1] halos,
                  const int64_t[:, ::1] avoiding):
        cdef int i, j, n = <int>masks.shape[0]
        if not 1 <= hits < 1 << 15 or halos.shape[0] != n or avoiding.shape[0] != n:
            raise ValueError("a halo and what is avoided of each placement")
        if avoiding.shape[1] < 1 or avoiding.shape[1] > 1 << 10:
            raise ValueError("what is avoided of 0 to 1,023 cells")
        self.hits, self.most, self.placements = hits, <int>avoiding.shape[1] - 1, n
        self.mask = <Cells*>PyMem_Calloc(n + 1, sizeof(Cells))
        self.halo = <Cells*>PyMem_Calloc(n + 1, sizeof(Cells))
        self.avoiding = <int64_t*>PyMem_Calloc((n + 1) * (self.most + 1), sizeof(int64_t))
        self.words = <int64_t*>PyMem_Calloc((self.most + 1) * (hits + 1), sizeof(int64_t))
        self.room, self.stamp = ROOM, 0
        self.table = <State*>calloc(ROOM, sizeof(State))
        if (self.mask == NULL or self.halo == NULL or self.avoiding == NULL or self.words == NULL
                or self.table == NULL):
            raise MemoryError
        for i in range(n):
            self.mask[i] = join(masks[i, 0], masks[i, 1])
            self.halo[i] = join(halos[i, 0], halos[i, 1])
            for j in range(self.most + 1):
                self.avoiding[i * (self.most + 1) + j] = avoiding[i, j]

    def __dealloc__(self):
        PyMem_Free(self.mask)
        PyMem_Free(self.halo)
        PyMem_Free(self.avoiding)
        PyMem_Free(self.words)
        free(self.table)

    def value(self, int cell, const uint64_t[::1] missed, int start, const int64_t[:, ::1] words):
        """What is left unfinished, at least, of the configurations whose first ship is met at `cell`.

        missed -- the cells before it, uint64 of shape (2,). start -- the misses from which on what is
        left may be counted. words -- int64 of shape (most + 1, hits + 1): the configurations that
        are told apart by so many hits left, and finished in time after so many misses, at most.
        """
        cdef int i, j, e
        cdef Cells before = join(missed[0], missed[1]), some = join(0, 0)
        cdef int64_t result
        if words.shape[0] != self.most + 1 or words.shape[1] != self.hits + 1:
            raise ValueError("words for every number of misses and of hits left")
        if not 0 <= cell < 128 or not 0 <= size(before) <= self.most or start > self.most:
            raise ValueError(f"at most {self.most} misses are counted")
        for i in range(self.most + 1):
            for j in range(self.hits + 1):
                self.words[i * (self.hits + 1) + j] = words[i, j]
        self.start, self.through, self.cells = start, 0, 0
        for i in range(self.placements):
            if self.mask[i] & one(cell) and not self.mask[i] & before:
                if self.through == MAX_THROUGH:
                    raise ValueError(f"more than {MAX_THROUGH} placements through a cell")
                self.ship[self.through] = i
                self.missed[self.through] = size(self.halo[i] & before)
                self.beside[self.through] = 0
                self.through += 1
                some |= self.mask[i]
        if not self.through:
            return 0
        some &= ~one(cell)
        if size(some) > MAX_THROUGH:
            raise ValueError(f"more than {MAX_THROUGH} cells of the placements through a cell")
        while some:
            e = first(some)
            some &= some - 1
            self.cover[self.cells] = self.close[self.cells] = 0
            for i in range(self.through):
                if self.mask[self.ship[i]] & one(e):
                    self.cover[self.cells] |= <uint64_t>1 << i
                if self.halo[self.ship[i]] & one(e):
                    self.close[self.cells] |= <uint64_t>1 << i
                    self.beside[i] |= <uint64_t>1 << self.cells
            self.cells += 1
        self.stamp += 1
        if self.stamp == 0:
            memset(self.table, 0, self.room * sizeof(State))
            self.stamp = 1
        self.states = 0
        with nogil:
            result = self.least(~<uint64_t>0 >> (64 - self.through), 0, 1, size(before))
        return result

    cdef int64_t least(self, uint64_t alive, uint64_t near, int hits, int misses) except -1 nogil:
        """The value of a state."""
        cdef int e
        cdef int64_t value = -1, best, either
        cdef uint64_t key = near, hit
        cdef State* state
        while key:
            e = ctz(key)
            key &= key - 1
            if not self.close[e] & alive:
                near &= ~(<uint64_t>1 << e)
        state = self.find(alive, near, hits, misses)
        if state.stamp == self.stamp:
            return state.value
        if misses >= self.start:
            value = self.left(alive, near, hits, misses)
        if misses < self.most:
            best = self.least(alive, near, hits, misses + 1)
            for e in range(self.cells):
                if best <= value:
                    break
                hit = alive & self.cover[e]
                if hit and hit != alive:
                    either = self.least(alive & ~hit, near | <uint64_t>1 << e, hits, misses + 1)
                    if either < best:
                        either += self.least(hit, near, hits + 1, misses)
                        best = min(best, either)
            value = max(value, best)
        state = self.find(alive, near, hits, misses)
        state.alive, state.near, state.counts = alive, near, <uint32_t>hits << 16 | <uint32_t>misses
        state.stamp, state.value = self.stamp, value
        self.states += 1
        return value

    cdef int64_t left(self, uint64_t alive, uint64_t near, int hits, int misses) noexcept nogil:
        """What is left when it is counted now."""
        cdef int64_t each = 0, together = 0, number
        cdef int i, k
        cdef int64_t* words = self.words + misses * (self.hits + 1)
        while alive:
            i = ctz(alive)
            alive &= alive - 1
            k = misses - self.missed[i] - popcount(near & self.beside[i])
            number = self.avoiding[self.ship[i] * (self.most + 1) + max(0, k)]
            together += number
            each += max(0, number - words[self.hits - size(self.mask[self.ship[i]])])
        return max(each, together - words[self.hits - hits])

    cdef State* find(self, uint64_t alive, uint64_t near, int hits, int misses) except NULL nogil:
        """The place of a state; with another stamp, a free one."""
        cdef uint32_t counts = <uint32_t>hits << 16 | <uint32_t>misses
        cdef State* state
        cdef int64_t i
        if 2 * self.states >= self.room:
            self.grow()
        i = scramble(scramble(scramble(alive) ^ near) ^ counts) & (self.room - 1)
        while True:
            state = &self.table[i]
            if (state.stamp != self.stamp
                    or state.alive == alive and state.near == near and state.counts == counts):
                return state
            i = (i + 1) & (self.room - 1)

    cdef int grow(self) except -1 nogil:
        """Twice the room, with the states of this cell."""
        cdef State* old = self.table
        cdef State* state
        cdef int64_t i, n = self.room
        if n >= MOST_STATES:
            with gil:
                raise MemoryError("too many ways to part the ships through a cell")
        self.table = <State*>calloc(2 * n, sizeof(State))
        if self.table == NULL:
            self.table = old
            with gil:
                raise MemoryError
        self.room = 2 * n
        for i in range(n):
            if old[i].stamp == self.stamp:
                state = self.find(old[i].alive, old[i].near, old[i].counts >> 16,
                                  old[i].counts & 0xFFFF)
                state[0] = old[i]
        free(old)
        return 0
