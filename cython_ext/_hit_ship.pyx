"""What is left unfinished of the sets with a cell that was hit, by the ship that may have been hit.

`optsearch.search.hit_ship` has the argument and the definition. A state of the game for two is

    alive   the ships that agree with the replies, as bits
    near    the cells missed that some of the ships through the cell have
    misses  how many other cells were missed since the hit, `far`

The values of states are kept in a table that is emptied for every question. What cells meet of some
rests is kept for good.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

from cpython.mem cimport PyMem_Calloc, PyMem_Free

from cells cimport MAX_CELLS, Cells, ctz, join, one, popcount, size
from hashing cimport scramble
from slots cimport Slots, add_number, next_number
from states cimport State, States, add_state, find_state, forget_states

cdef enum:
    WORDS = 4            # of 64 rests
    MAX_THROUGH = 64     # ships through a cell, and their cells
    MOST_MET = 16        # cells whose coverage is known
    NODES = 500          # of a search for it
    ROOM = 1 << 12       # of a table at first, a power of two
    NEVER = 1 << 20      # more sets than there are

MAX_RESTS, MAX_SHIPS = 64 * WORDS, MAX_THROUGH


cdef struct Rests:
    uint64_t some[WORDS]
    int32_t number
    int32_t met[MOST_MET + 1]        # the most of them that so many cells meet
    int32_t fall[MOST_MET + 1]       # how many have each cell, falling


cdef class HitShip:
    """The ships of a family of sets of one size, and the rests of the sets with each of them.

    hits -- cells of a set. cells -- of the grid. ships, rests -- cells: uint64 of shape (n, 2) and
    (m, 2), m <= 256. has -- uint64 of shape (n, 4): the rests of each ship, as bits.
    """

    cdef int hits, cells, ships, rests
    cdef Cells* ship
    cdef uint64_t* has               # [ship][WORDS]
    cdef uint64_t avoid[MAX_CELLS][WORDS]   # rests without a cell
    cdef int32_t words[MAX_CELLS + 1][MAX_CELLS + 1]  # w(r, k)
    cdef Rests* known
    cdef int64_t number, known_room
    cdef Slots numbers

    # Of one question.
    cdef int through, near
    cdef uint64_t left[MAX_THROUGH][WORDS]  # rests of a ship
    cdef int length[MAX_THROUGH]
    cdef uint64_t cover[MAX_THROUGH]        # of a cell: the ships that have it
    cdef int cell[MAX_THROUGH]
    cdef States states

    def __cinit__(self, int hits, int cells, const uint64_t[:, ::1] ships,
                  const uint64_t[:, ::1] rests, const uint64_t[:, ::1] has):
        cdef int i, w, r, k
        cdef Cells some
        if not 1 <= cells <= MAX_CELLS or rests.shape[0] > 64 * WORDS:
            raise ValueError(f"a grid of 1 to {MAX_CELLS} cells, and at most {64 * WORDS} rests")
        if has.shape[0] != ships.shape[0] or has.shape[1] != WORDS:
            raise ValueError("the rests of each ship")
        self.hits, self.cells, self.ships = hits, cells, <int>ships.shape[0]
        self.rests = <int>rests.shape[0]
        self.ship = <Cells*>PyMem_Calloc(self.ships + 1, sizeof(Cells))
        self.has = <uint64_t*>PyMem_Calloc((self.ships + 1) * WORDS, sizeof(uint64_t))
        self.known_room = ROOM
        self.known = <Rests*>calloc(ROOM, sizeof(Rests))
        if self.ship == NULL or self.has == NULL or self.known == NULL:
            raise MemoryError
        for r in range(MAX_CELLS + 1):
            for k in range(MAX_CELLS + 1):
                self.words[r][k] = 1 if r == 0 or k == 0 else min(
                    NEVER, self.words[r - 1][k] + self.words[r][k - 1])
        for i in range(self.ships):
            self.ship[i] = join(ships[i, 0], ships[i, 1])
            for w in range(WORDS):
                self.has[i * WORDS + w] = has[i, w]
        for i in range(self.rests):
            some = join(rests[i, 0], rests[i, 1])
            for k in range(cells):
                if not some & one(k):
                    self.avoid[k][i // 64] |= <uint64_t>1 << i % 64

    def __dealloc__(self):
        PyMem_Free(self.ship)
        PyMem_Free(self.has)
        free(self.states.table)
        free(self.known)
        free(self.numbers.words)

    def unfinished(self, int cell, const uint64_t[::1] missed, int misses):
        """So many of the sets with `cell` and none of `missed` at least are not finished.

        missed -- uint64 of shape (2,), cells. misses -- that are still allowed.
        """
        cdef Cells before = join(missed[0], missed[1])
        cdef int value
        if not 0 <= cell < self.cells or not 0 <= misses < MAX_CELLS:
            raise ValueError(f"a cell of the grid, and 0 to {MAX_CELLS - 1} misses")
        with nogil:
            value = self.compute(cell, before, misses)
        return value

    cdef int compute(self, int cell, Cells before, int misses) except -1 nogil:
        cdef int i, w, e
        cdef Cells some = join(0, 0)
        cdef uint64_t any_left
        self.through = self.near = 0
        for i in range(self.ships):
            if not self.ship[i] & one(cell) or self.ship[i] & before:
                continue
            if self.through == MAX_THROUGH:
                with gil:
                    raise ValueError(f"more than {MAX_THROUGH} ships through a cell")
            any_left = 0
            memcpy(self.left[self.through], self.has + i * WORDS, WORDS * sizeof(uint64_t))
            for e in range(self.cells):
                if before & one(e):
                    for w in range(WORDS):
                        self.left[self.through][w] &= self.avoid[e][w]
            for w in range(WORDS):
                any_left |= self.left[self.through][w]
            if not any_left:
                continue
            self.length[self.through] = size(self.ship[i])
            for e in range(self.near):
                if self.ship[i] & one(self.cell[e]):
                    self.cover[e] |= <uint64_t>1 << self.through
            for e in range(self.cells):
                if self.ship[i] & one(e) & ~some and e != cell:
                    if self.near == MAX_THROUGH:
                        with gil:
                            raise ValueError(f"more than {MAX_THROUGH} cells of ships")
                    self.cell[self.near] = e
                    self.cover[self.near] = <uint64_t>1 << self.through
                    self.near += 1
            some |= self.ship[i]
            self.through += 1
        if not self.through:
            return 0
        forget_states(&self.states)
        return self.least(~<uint64_t>0 >> (64 - self.through), 0, 0, misses)

    cdef int least(self, uint64_t alive, uint64_t near, int far, int misses) except -1 nogil:
        """The value of a state with so many misses left."""
        cdef int e, value, best, either
        cdef uint64_t hit
        cdef const State* state = find_state(&self.states, alive, near, far)
        if state.stamp == self.states.stamp:
            return <int>state.value
        value = self.count(alive, near, far, misses)
        if misses >= 0:
            best = self.least(alive, near, far + 1, misses - 1)
            for e in range(self.near):
                if best <= value:
                    break
                hit = alive & self.cover[e]
                if hit and hit != alive:
                    either = self.least(alive & ~hit, near | <uint64_t>1 << e, far, misses - 1)
                    if either < best:
                        either += self.least(hit, near, far, misses)
                        best = min(best, either)
            value = max(value, best)
        add_state(&self.states, alive, near, far, value)
        return value

    cdef int count(self, uint64_t alive, uint64_t near, int far, int misses) except -1 nogil:
        """What is left when it is counted now."""
        cdef int i, w, e, each = 0, together = 0, shared = 1
        cdef uint64_t some[WORDS]
        cdef uint64_t avoiding[WORDS]
        cdef uint64_t rest = near, them = alive
        cdef Rests* rests
        for w in range(WORDS):
            avoiding[w] = ~<uint64_t>0
        while rest:
            e = self.cell[ctz(rest)]
            rest &= rest - 1
            for w in range(WORDS):
                avoiding[w] &= self.avoid[e][w]
        while them:
            i = ctz(them)
            them &= them - 1
            for w in range(WORDS):
                some[w] = self.left[i][w] & avoiding[w]
            rests = self.stock(some)
            together += rests.number - (rests.met[far] if far <= MOST_MET else rests.number)
            each += rests.number - self.done(rests, far, misses, self.hits - self.length[i])
        if misses >= 0:
            for e in range(self.near):
                shared += alive & ~self.cover[e] == 0
            together -= self.words[misses][self.hits - shared]
        return max(each, together)

    cdef int done(self, const Rests* rests, int far, int misses, int hits) noexcept nogil:
        """The most rests that `far` cells meet or that so many misses more finish."""
        cdef int i = far, met, by_cells = 0, least = rests.number, words
        if far > MOST_MET:
            return least
        met = rests.met[far]
        for e in range(far):
            by_cells += rests.fall[e]
        while misses >= 0:
            least = min(least, met + self.words[misses][hits])
            if met >= least or i >= MOST_MET:
                return least
            words = self.words[misses][hits - 1]
            by_cells += min(rests.fall[i], words)
            i += 1
            misses -= 1
            met = min(min(met + words, rests.met[i]), by_cells)
        return min(least, met)

    # What cells meet of some rests

    cdef Rests* stock(self, const uint64_t* some) except NULL nogil:
        """Some rests, taken stock of."""
        cdef uint64_t hash = 0, at
        cdef int64_t number
        cdef int w
        for w in range(WORDS):
            hash = scramble(hash ^ some[w])
        at = hash
        number = next_number(&self.numbers, hash, &at)
        while number >= 0:
            w = 0
            while w < WORDS and self.known[number].some[w] == some[w]:
                w += 1
            if w == WORDS:
                return &self.known[number]
            number = next_number(&self.numbers, hash, &at)
        if self.number == self.known_room:
            self.widen()
        number = self.number
        self.cover_all(&self.known[number], some)
        self.number += 1
        add_number(&self.numbers, hash, number)
        return &self.known[number]

    cdef int widen(self) except -1 nogil:
        cdef Rests* known = <Rests*>realloc(self.known, 2 * self.known_room * sizeof(Rests))
        if known == NULL:
            with gil:
                raise MemoryError
        self.known = known
        self.known_room *= 2
        return 0

    cdef void cover_all(self, Rests* rests, const uint64_t* some) noexcept nogil:
        """What 0, 1, ... cells meet of some rests, exactly or at most."""
        cdef int e, i, w, n, most, met, nodes
        memset(rests, 0, sizeof(Rests))
        rests.number = 0
        for w in range(WORDS):
            rests.some[w] = some[w]
            rests.number += popcount(some[w])
        for e in range(self.cells):
            n = rests.number
            for w in range(WORDS):
                n -= popcount(some[w] & self.avoid[e][w])
            i = min(e, MOST_MET)
            while i > 0 and rests.fall[i - 1] < n:
                rests.fall[i] = rests.fall[i - 1]
                i -= 1
            if i < MOST_MET or rests.fall[i] < n:
                rests.fall[i] = n
        for i in range(1, MOST_MET + 1):
            most = min(rests.number, rests.met[i - 1] + rests.fall[0])
            n = 0
            for e in range(i):
                n += rests.fall[e]
            most = min(most, n)
            if i > 1:
                most = min(most, rests.met[i - 1] * i // (i - 1))
            if rests.met[i - 1] < rests.number:
                met, nodes = rests.met[i - 1], NODES
                self.meet(some, rests.number, i, 0, 0, most, &met, &nodes)
                if nodes > 0:
                    most = met
            rests.met[i] = most

    cdef void meet(self, const uint64_t* some, int number, int left, int got, uint64_t without,
                   int most, int* best, int* nodes) noexcept nogil:
        """Look for `left` cells that meet more of some rests than the best."""
        cdef int order[MAX_CELLS]
        cdef int counts[MAX_CELLS]
        cdef uint64_t rest[WORDS]
        cdef int e, i, k, n, w, m = 0, sum
        nodes[0] -= 1
        if nodes[0] <= 0 or best[0] >= most:
            return
        for e in range(self.cells):
            if e < 64 and without >> e & 1:
                continue
            n = number
            for w in range(WORDS):
                n -= popcount(some[w] & self.avoid[e][w])
            if n == 0:
                continue
            i = m
            while i > 0 and counts[i - 1] < n:
                counts[i], order[i] = counts[i - 1], order[i - 1]
                i -= 1
            counts[i], order[i] = n, e
            m += 1
        if left == 1 or m == 0:
            best[0] = max(best[0], got + (counts[0] if m else 0))
            return
        for k in range(m):
            sum = got
            for i in range(k, min(m, k + left)):
                sum += counts[i]
            if sum <= best[0] or best[0] >= most or nodes[0] <= 0:
                return
            e = order[k]
            for w in range(WORDS):
                rest[w] = some[w] & self.avoid[e][w]
            self.meet(rest, number - counts[k], left - 1, got + counts[k], without, most, best,
                      nodes)
            if e < 64:
                without |= <uint64_t>1 << e
