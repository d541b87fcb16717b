"""Bounds on the unfinished configurations whose first ship is met at one cell, and their search.

`optsearch.lower_bounds.first_ship` has the argument. A strategy missed t cells and then hit c, its first
hit; the ship hit is one of the placements through c without a missed cell. Shots at their cells separate
them. `FirstShip` computes V: the greatest number left over the times to stop, the least over the ways to
shoot. A state is

    alive   the placements that agree with the replies, as bits
    near    the number of cells missed in the halo of each of them
    misses  the number of all misses

without the other cells missed. The cells hit are not in it either: only the cells that all placements
alive have matter. The values of states are in a table that is emptied for every cell. The result is
cached by the cell and the cells missed near it, in the least of their images under the symmetries, and by
the number of all misses.

`Sequences` extends sequences of cells to sequences of one cell more.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

from cells cimport Cells, ctz, first, high, join, low, one, popcount, size
from covered cimport Covered, fill_covered, heaviest_tree, sorted_pair, sorted_triple
from hashing cimport scramble
from optsearch.compiled.shared._arena cimport Arena
from slots cimport Slots, add_number, forget_numbers, next_number
from states cimport State, States, add_state, find_state, forget_states

cdef enum:
    MAX_THROUGH = 64     # placements through a cell, and cells of these placements
    MAX_TURNS = 8        # symmetries of a board
    MAX_SEQUENCE = 16    # cells of a sequence
    ROOM = 1 << 12       # of a table at first, a power of two
    PATIENCE = 1 << 8    # sets between two checks for ctrl-C


cdef struct Known:
    uint64_t low, high   # the cells missed near the cell
    uint32_t where       # number of all missed << 8 | cell
    int64_t value


cdef struct Kept:
    uint64_t low, high   # the least image of a set under the symmetries
    int64_t kept
    uint8_t cells[MAX_SEQUENCE]


cdef class FirstShip:
    """The placements of all ships, and the configurations left with each of them.

    hits -- cells of the fleet. masks, halos -- uint64 of shape (n, 2): placements of every length,
    and the cells beside them that no other ship can have. avoiding -- int64 of shape (n, most + 1): a
    lower bound on the configurations with the placement and no other ship on any i cells, nonincreasing
    in i. start -- the misses from which the configurations left may be counted; after `most` misses they
    are. words -- int64 of shape (most + 1, hits + 1): the most configurations that are finished in time,
    by misses made and hits left. symmetries -- int32 of shape (number, cells); they map placements to
    placements with equal `avoiding`.
    """

    cdef Arena arena
    cdef int hits, most, placements, start, turns, board
    cdef Cells* mask
    cdef Cells* halo
    cdef const int64_t[:, ::1] avoiding
    cdef const int64_t[:, ::1] words     # by misses made and hits left: sequences finished in time
    cdef int32_t turn[MAX_TURNS][128]
    cdef int32_t least_cell[128]         # the least image of each cell
    cdef Cells near[128]         # the cells of placements through a cell, and of their halos
    cdef Cells line[128]         # the cells of the placements alone
    cdef readonly int64_t computed       # values computed so far
    cdef Known* found                    # [computed]
    cdef int64_t found_room
    cdef Slots numbers                   # in `found`

    # Of one cell.
    cdef int through, cells, closest
    cdef int ship[MAX_THROUGH]           # index of a placement
    cdef int missed[MAX_THROUGH]         # cells missed before in its halo
    cdef uint64_t beside[MAX_THROUGH]    # cells (as numbered here) in its halo
    cdef uint64_t cover[MAX_THROUGH]     # of a cell: the placements with it
    cdef States states

    def __cinit__(self, int hits, const uint64_t[:, ::1] masks, const uint64_t[:, ::1] halos,
                  const int64_t[:, ::1] avoiding, int start, const int64_t[:, ::1] words,
                  const int32_t[:, ::1] symmetries):
        cdef int i, cell, n = <int>masks.shape[0]
        cdef Cells some
        if not 1 <= hits < 1 << 15 or halos.shape[0] != n or avoiding.shape[0] != n:
            raise ValueError("a halo and what is avoided of each placement")
        if avoiding.shape[1] < 1 or avoiding.shape[1] > 1 << 10:
            raise ValueError("what is avoided of 0 to 1,023 cells")
        self.hits, self.most, self.placements = hits, <int>avoiding.shape[1] - 1, n
        if not 0 <= start <= self.most:
            raise ValueError(f"at most {self.most} misses are counted")
        if words.shape[0] != self.most + 1 or words.shape[1] != hits + 1:
            raise ValueError("words for every number of misses and of hits left")
        self.turns, self.board = <int>symmetries.shape[0], <int>symmetries.shape[1]
        if not 1 <= self.turns <= MAX_TURNS or not 1 <= self.board <= 128:
            raise ValueError(f"1 to {MAX_TURNS} symmetries of 1 to 128 cells")
        self.start, self.computed = start, 0
        self.arena, self.avoiding, self.words = Arena(), avoiding, words
        self.mask, self.halo = self.arena.cells(masks), self.arena.cells(halos)
        self.found_room = ROOM
        self.found = <Known*>calloc(ROOM, sizeof(Known))
        if self.found == NULL:
            raise MemoryError
        for i in range(self.turns):
            for cell in range(self.board):
                if not 0 <= symmetries[i, cell] < self.board:
                    raise ValueError("a symmetry takes a cell beyond the board")
                self.turn[i][cell] = symmetries[i, cell]
        for cell in range(self.board):
            self.near[cell] = self.line[cell] = join(0, 0)
            self.least_cell[cell] = cell
            for i in range(self.turns):
                self.least_cell[cell] = min(self.least_cell[cell], self.turn[i][cell])
        for i in range(n):
            some = self.mask[i]
            while some:
                cell = first(some)
                some &= some - 1
                if cell >= self.board:
                    raise ValueError("a placement beyond the board")
                self.line[cell] |= self.mask[i]
                self.near[cell] |= self.mask[i] | self.halo[i]

    def __dealloc__(self):
        free(self.states.table)
        free(self.found)
        free(self.numbers.words)

    def value(self, int cell, const uint64_t[::1] missed):
        """Bound from below the unfinished configurations whose first ship is met at `cell`: V.

        missed -- the cells shot before it, uint64 of shape (2,), at most `most`.
        """
        cdef Cells before = join(missed[0], missed[1])
        cdef int64_t result
        if not 0 <= cell < self.board or size(before) > self.most:
            raise ValueError(f"a cell of the board, and at most {self.most} misses")
        with nogil:
            result = self.cell_value(cell, before, True)
        return result

    cdef int64_t cell_value(self, int cell, Cells before, bint compute) except -2 nogil:
        """Return V of a cell after misses; -1 if it is not cached and `compute` is False."""
        cdef Cells near = before & self.near[cell], image, turned = near, some
        cdef int32_t least = self.least_cell[cell]
        cdef int i, misses = size(before)
        cdef bint is_turned = False
        cdef uint32_t where = <uint32_t>(misses << 8 | least)
        cdef uint64_t a, b, hash, at
        cdef int64_t value, known
        for i in range(self.turns):
            if self.turn[i][cell] != least:
                continue
            image, some = join(0, 0), near
            while some:
                image |= one(self.turn[i][first(some)])
                some &= some - 1
            if not is_turned or image < turned:
                turned, is_turned = image, True
        a, b = low(turned), high(turned)
        hash = at = scramble(scramble(scramble(a) ^ b) ^ where)
        known = next_number(&self.numbers, hash, &at)
        while known >= 0 and (self.found[known].low != a or self.found[known].high != b
                              or self.found[known].where != where):
            known = next_number(&self.numbers, hash, &at)
        if known >= 0:
            return self.found[known].value
        if not compute:
            return -1
        value = self.compute_value(least, turned, misses)
        if self.computed == self.found_room:
            self.widen()
        add_number(&self.numbers, hash, self.computed)
        self.found[self.computed] = Known(a, b, where, value)
        self.computed += 1
        return value

    cdef int widen(self) except -1 nogil:
        """Double the room for cached values."""
        cdef Known* found = <Known*>realloc(self.found, 2 * self.found_room * sizeof(Known))
        if found == NULL:
            with gil:
                raise MemoryError
        self.found = found
        self.found_room *= 2
        return 0

    cdef int64_t compute_value(self, int cell, Cells before, int misses) except -1 nogil:
        """Compute V of a cell; before -- the misses near it, misses -- the number of all misses."""
        cdef int i, e
        cdef Cells some = join(0, 0)
        self.through = self.cells = self.closest = 0
        for i in range(self.placements):
            if self.mask[i] & one(cell) and not self.mask[i] & before:
                if self.through == MAX_THROUGH:
                    with gil:
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
            with gil:
                raise ValueError(f"more than {MAX_THROUGH} cells of the placements through a cell")
        while some:
            e = first(some)
            some &= some - 1
            self.cover[self.cells] = 0
            for i in range(self.through):
                if self.mask[self.ship[i]] & one(e):
                    self.cover[self.cells] |= <uint64_t>1 << i
                if self.halo[self.ship[i]] & one(e):
                    self.beside[i] |= <uint64_t>1 << self.cells
            self.cells += 1
        for i in range(self.through):
            self.closest = max(self.closest, popcount(self.beside[i]))
        forget_states(&self.states)
        return self.state_value(~<uint64_t>0 >> (64 - self.through), 0, misses)

    cdef uint64_t state_name(self, uint64_t alive, uint64_t near) noexcept nogil:
        """Return a name of the cells missed near placements: equal names, equal numbers in all halos."""
        cdef uint64_t some = alive, every = 0
        cdef int i, places = 0
        if popcount(alive) <= 21 and self.closest < 8:  # three bits each
            while some:
                i = ctz(some)
                some &= some - 1
                every |= <uint64_t>popcount(near & self.beside[i]) << 3 * places
                places += 1
            return every
        while some:
            every |= self.beside[ctz(some)]
            some &= some - 1
        return near & every

    cdef int64_t state_value(self, uint64_t alive, uint64_t near, int misses) except -1 nogil:
        """Return the value of a state."""
        cdef int e
        cdef int64_t value = -1, best, either
        cdef uint64_t hit, name = self.state_name(alive, near)
        cdef const State* state = find_state(&self.states, alive, name, misses)
        if state.stamp == self.states.stamp:
            return state.value
        if misses >= self.start:
            value = self.configurations_left(alive, near, misses)
        if misses < self.most:
            best = self.state_value(alive, near, misses + 1)
            for e in range(self.cells):
                if best <= value:
                    break
                hit = alive & self.cover[e]
                if hit and hit != alive:
                    either = self.state_value(alive & ~hit, near | <uint64_t>1 << e, misses + 1)
                    if either < best:
                        either += self.state_value(hit, near, misses)
                        best = min(best, either)
            value = max(value, best)
        add_state(&self.states, alive, name, misses, value)
        return value

    cdef int64_t configurations_left(self, uint64_t alive, uint64_t near, int misses) noexcept nogil:
        """Count the configurations left in a state, from below."""
        cdef int64_t each = 0, together = 0, number
        cdef int i, k
        cdef const int64_t* words = &self.words[misses, 0]
        cdef Cells common = self.mask[self.ship[ctz(alive)]]  # cells of all placements alive
        while alive:
            i = ctz(alive)
            alive &= alive - 1
            common &= self.mask[self.ship[i]]
            k = misses - self.missed[i] - popcount(near & self.beside[i])
            number = self.avoiding[self.ship[i], max(0, k)]
            together += number
            each += max(0, number - words[self.hits - size(self.mask[self.ship[i]])])
        return max(each, together - words[self.hits - size(common)])


cdef class Sequences:
    """A search for the sequences that keep the most configurations, from one length to the next.

    A sequence keeps the configurations that its cells meet, less V of each cell. Of the sequences of one
    set only the best is extended.

    counts -- the configurations that cover each set of 1, 2, 3 and 4 cells: int64, by number.
    values -- V: the configurations left whose first ship is met at a cell.
    best -- the most that j cells keep so far; sets that cannot reach more are left out.

    A cell adds to a sequence at most the configurations that it adds to those met (the bound of
    `optsearch.lower_bounds.coverage`) less V. It adds at most as much as it did to a beginning of the
    sequence, with any lower bound in place of V: V falls only at cells that share a placement with it.
    """

    cdef Arena arena
    cdef FirstShip values
    cdef int cells
    cdef readonly int64_t best
    cdef Covered covered
    cdef Kept* following          # extended sets, in the order of their discovery
    cdef int64_t number, room
    cdef Slots numbers            # in `following`, by the least image

    def __cinit__(self, counts, FirstShip values, int64_t best):
        cdef int n = values.board
        self.values, self.cells, self.best = values, n, best
        self.number, self.room = 0, ROOM
        self.following = <Kept*>calloc(self.room, sizeof(Kept))
        if self.following == NULL:
            raise MemoryError
        self.arena = Arena()
        fill_covered(&self.covered, self.arena, n, counts[0], counts[1], counts[2], counts[3])

    def __dealloc__(self):
        free(self.following)
        free(self.numbers.words)

    def extend(self, const uint8_t[:, ::1] sets, const int64_t[::1] kept, int j):
        """Extend sequences (uint8 of shape (n, cells)) by one cell each.

        kept -- the number that each keeps. j -- cells of a complete sequence: it updates only `best`.
        """
        cdef int64_t i, n = sets.shape[0]
        cdef int width = <int>sets.shape[1], k
        cdef uint8_t cells[MAX_SEQUENCE]
        if not width < j <= min(MAX_SEQUENCE, self.cells) or kept.shape[0] != n:
            raise ValueError(f"sequences of less than {j} cells, and what each keeps")
        if j - 1 > self.values.most:
            raise ValueError(f"misses are counted up to {self.values.most}")
        with nogil:
            for i in range(n):
                for k in range(width):
                    cells[k] = sets[i, k]
                self.extend_one(cells, width, kept[i], j)
                if i % PATIENCE == 0:
                    with gil:
                        PyErr_CheckSignals()

    def collect(self, int width):
        """Return the extended sequences, of `width` cells, and the numbers that they keep; drop them here."""
        cdef int64_t i
        cdef int k
        sets = np.empty((self.number, width), np.uint8)
        kept = np.empty(self.number, np.int64)
        cdef uint8_t[:, ::1] cells = sets
        cdef int64_t[::1] numbers_kept = kept
        for i in range(self.number):
            numbers_kept[i] = self.following[i].kept
            for k in range(width):
                cells[i, k] = self.following[i].cells[k]
        self.number = 0
        forget_numbers(&self.numbers)
        return sets, kept

    cdef int extend_one(self, uint8_t* cells, int width, int64_t kept, int j) except -1 nogil:
        """Extend one sequence by each cell that may lead to more than the best."""
        cdef int64_t added[128]
        cdef int64_t limits[128]
        cdef int64_t values[128]
        cdef bint is_known[128]
        cdef bint is_first[128]
        cdef int ahead[MAX_SEQUENCE]
        cdef int depth, v, k, n = self.cells, left = j - width
        cdef int64_t value, total
        cdef Cells missed = join(0, 0)
        for v in range(n):
            added[v], limits[v], values[v] = self.covered.alone[v], self.covered.alone[v], 0
        for depth in range(width + 1):
            if depth:
                self.update_added(cells, depth - 1, added)
                missed |= one(cells[depth - 1])
            for v in range(n):
                if missed & one(v):
                    limits[v] = -1
                    continue
                if depth and self.values.line[cells[depth - 1]] & one(v):
                    values[v] = 0
                value = self.values.cell_value(v, missed, False)
                is_known[v] = value >= 0
                if is_known[v]:
                    values[v] = value
                limits[v] = min(limits[v], added[v] - values[v])
        while True:
            # Compute V of the first cell, among those that add the most, whose V is not cached.
            total = self.take_greatest(limits, left, ahead)
            if kept + total <= self.best:
                return 0
            for k in range(left):
                if not is_known[ahead[k]]:
                    break
            else:
                break
            v = ahead[k]
            self.compute_limit(v, missed, added, limits)
            is_known[v] = True
        if left == 1:
            self.best = kept + total
            return 0
        memset(is_first, 0, sizeof(is_first))
        for k in range(left):
            is_first[ahead[k]] = True
        for v in range(n):
            if missed & one(v) or not self.may_improve(v, kept, total, is_first, limits, ahead[left - 1]):
                continue
            if not is_known[v]:
                self.compute_limit(v, missed, added, limits)
                if not self.may_improve(v, kept, total, is_first, limits, ahead[left - 1]):
                    continue
            cells[width] = v
            self.keep_if_best(cells, width + 1, kept + limits[v])
        return 0

    cdef inline bint may_improve(self, int v, int64_t kept, int64_t total, bint* is_first, int64_t* limits,
                                 int last) noexcept nogil:
        """True if a sequence with this cell next may keep more than the best."""
        return kept + total + (0 if is_first[v] else limits[v] - limits[last]) > self.best

    cdef int compute_limit(self, int v, Cells missed, int64_t* added, int64_t* limits) except -1 nogil:
        """Compute V of a cell, and lower its limit by it."""
        limits[v] = min(limits[v], added[v] - self.values.cell_value(v, missed, True))
        return 0

    cdef int64_t take_greatest(self, int64_t* limits, int left, int* ahead) noexcept nogil:
        """Fill `ahead` with the cells of the greatest limits, falling; return the sum of the limits."""
        cdef int64_t total = 0
        cdef int v, k, i
        for k in range(left):
            ahead[k] = -1
        for v in range(self.cells):
            if limits[v] < 0:
                continue
            for k in range(left):
                if ahead[k] < 0 or limits[ahead[k]] < limits[v]:
                    for i in range(left - 1, k, -1):
                        ahead[i] = ahead[i - 1]
                    ahead[k] = v
                    break
        for k in range(left):
            total += limits[ahead[k]]
        return total

    cdef void update_added(self, uint8_t* cells, int last, int64_t* added) noexcept nogil:
        """Update the bounds on what each cell adds, when cell number `last` joins those before it."""
        cdef const uint32_t* rows[MAX_SEQUENCE][MAX_SEQUENCE]
        cdef const uint32_t* row = self.covered.one_row + cells[last] * self.cells
        cdef int a, b, v, n = self.cells
        for v in range(n):
            added[v] -= row[v]
        for a in range(last):
            row = self.covered.two_rows + sorted_pair(cells[a], cells[last]) * n
            for v in range(n):
                added[v] += row[v]
            for b in range(a):
                rows[a][b] = rows[b][a] = self.covered.three_rows + n * sorted_triple(
                    cells[last], cells[a], cells[b])
        if last > 1:
            for v in range(n):
                added[v] -= heaviest_tree(&rows[0][0], MAX_SEQUENCE, last, v)

    cdef int keep_if_best(self, uint8_t* cells, int width, int64_t kept) except -1 nogil:
        """Keep a sequence if it is the best of its set, up to symmetry, so far."""
        cdef Cells image, least = join(0, 0)
        cdef uint64_t hash, at
        cdef int64_t i
        cdef int t, k
        for t in range(self.values.turns):
            image = join(0, 0)
            for k in range(width):
                image |= one(self.values.turn[t][cells[k]])
            if t == 0 or image < least:
                least = image
        hash = at = scramble(scramble(low(least)) ^ high(least))
        i = next_number(&self.numbers, hash, &at)
        while i >= 0 and (self.following[i].low != low(least)
                          or self.following[i].high != high(least)):
            i = next_number(&self.numbers, hash, &at)
        if i < 0:
            if self.number == self.room:
                self.widen()
            i = self.number
            self.number += 1
            add_number(&self.numbers, hash, i)
            self.following[i].low, self.following[i].high = low(least), high(least)
        elif self.following[i].kept >= kept:
            return 0
        self.following[i].kept = kept
        memcpy(self.following[i].cells, cells, width)
        return 0

    cdef int widen(self) except -1 nogil:
        """Double the room for sets."""
        cdef Kept* following = <Kept*>realloc(self.following, 2 * self.room * sizeof(Kept))
        if following == NULL:
            with gil:
                raise MemoryError
        self.following = following
        self.room *= 2
        return 0
