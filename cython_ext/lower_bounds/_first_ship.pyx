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
    uint32_t misses_and_cell  # number of all missed << 8 | cell
    int64_t bound


cdef struct Kept:
    uint64_t low, high   # the least image of a set under the symmetries
    int64_t kept
    uint8_t cells[MAX_SEQUENCE]


cdef class FirstShip:
    """The placements of all ships, and the configurations left with each of them.

    hits -- cells of the fleet. masks, halos -- uint64 of shape (n, 2): placements of every length,
    and the cells beside them that no other ship can have. avoiding -- int64 of shape
    (n, most_misses + 1): a lower bound on the configurations with the placement and no other ship on
    any i cells, nonincreasing in i. start -- the misses from which the configurations left may be
    counted; after `most_misses` misses they are. finished_in_time -- int64 of shape
    (most_misses + 1, hits + 1): the most configurations that are finished with few enough misses, by
    misses made and hits left. symmetries -- int32 of shape (number, cells);
    they map placements to placements with equal `avoiding`.
    """

    cdef Arena arena
    cdef int hits, most_misses, placements, start, symmetry_count, board
    cdef Cells* mask
    cdef Cells* halo
    cdef const int64_t[:, ::1] avoiding
    cdef const int64_t[:, ::1] finished_in_time  # by misses made and hits left
    cdef int32_t image_of[MAX_TURNS][128]
    cdef int32_t least_cell[128]         # the least image of each cell
    cdef Cells near[128]         # the cells of placements through a cell, and of their halos
    cdef Cells ship_cells[128]         # the cells of the placements alone
    cdef readonly int64_t computed       # values computed so far
    cdef Known* cache                    # of V: [computed]
    cdef int64_t cache_room
    cdef Slots numbers                   # in `cache`

    # Of one cell.
    cdef int through_count, cell_count
    cdef int most_beside                 # the most cells in one halo
    cdef int placement[MAX_THROUGH]      # index of a placement
    cdef int missed_beside[MAX_THROUGH]  # cells missed before in its halo
    cdef uint64_t beside[MAX_THROUGH]    # cells (as numbered here) in its halo
    cdef uint64_t placements_on[MAX_THROUGH]  # of a cell: the placements with it
    cdef States states

    def __cinit__(self, int hits, const uint64_t[:, ::1] masks, const uint64_t[:, ::1] halos,
                  const int64_t[:, ::1] avoiding, int start, const int64_t[:, ::1] finished_in_time,
                  const int32_t[:, ::1] symmetries):
        cdef int index, cell, placements = <int>masks.shape[0]
        cdef Cells cells_left
        if not 1 <= hits < 1 << 15 or halos.shape[0] != placements or avoiding.shape[0] != placements:
            raise ValueError("a halo and what is avoided of each placement")
        if avoiding.shape[1] < 1 or avoiding.shape[1] > 1 << 10:
            raise ValueError("what is avoided of 0 to 1,023 cells")
        self.hits, self.most_misses, self.placements = hits, <int>avoiding.shape[1] - 1, placements
        if not 0 <= start <= self.most_misses:
            raise ValueError(f"at most {self.most_misses} misses are counted")
        if finished_in_time.shape[0] != self.most_misses + 1 or finished_in_time.shape[1] != hits + 1:
            raise ValueError("words for every number of misses and of hits left")
        self.symmetry_count, self.board = <int>symmetries.shape[0], <int>symmetries.shape[1]
        if not 1 <= self.symmetry_count <= MAX_TURNS or not 1 <= self.board <= 128:
            raise ValueError(f"1 to {MAX_TURNS} symmetries of 1 to 128 cells")
        self.start, self.computed = start, 0
        self.arena, self.avoiding, self.finished_in_time = Arena(), avoiding, finished_in_time
        self.mask, self.halo = self.arena.cells(masks), self.arena.cells(halos)
        self.cache_room = ROOM
        self.cache = <Known*>calloc(ROOM, sizeof(Known))
        if self.cache == NULL:
            raise MemoryError
        for index in range(self.symmetry_count):
            for cell in range(self.board):
                if not 0 <= symmetries[index, cell] < self.board:
                    raise ValueError("a symmetry takes a cell beyond the board")
                self.image_of[index][cell] = symmetries[index, cell]
        for cell in range(self.board):
            self.near[cell] = self.ship_cells[cell] = join(0, 0)
            self.least_cell[cell] = cell
            for index in range(self.symmetry_count):
                self.least_cell[cell] = min(self.least_cell[cell], self.image_of[index][cell])
        for index in range(placements):
            cells_left = self.mask[index]
            while cells_left:
                cell = first(cells_left)
                cells_left &= cells_left - 1
                if cell >= self.board:
                    raise ValueError("a placement beyond the board")
                self.ship_cells[cell] |= self.mask[index]
                self.near[cell] |= self.mask[index] | self.halo[index]

    def __dealloc__(self):
        free(self.states.table)
        free(self.cache)
        free(self.numbers.words)

    def lower_bound(self, int cell, const uint64_t[::1] missed):
        """Bound from below the configurations that are first hit at a cell and not finished in time.

        missed -- the mask of the cells shot before it, at most `most_misses`, as uint64 of shape (2,).
        """
        cdef Cells missed_cells = join(missed[0], missed[1])
        cdef int64_t result
        if not 0 <= cell < self.board or size(missed_cells) > self.most_misses:
            raise ValueError(f"a cell of the board, and at most {self.most_misses} misses")
        with nogil:
            result = self.cell_bound(cell, missed_cells, compute=True)
        return result

    cdef int64_t cell_bound(self, int cell, Cells missed, bint compute) except -2 nogil:
        """Return `lower_bound` of a cell after these misses; -1 if not cached and `compute` is False.

        It is cached for the least image of the cell, and of the misses near it, under the symmetries.
        """
        cdef Cells near = missed & self.near[cell], image, least_near = near, cells_left
        cdef int32_t least_cell = self.least_cell[cell]
        cdef int turn, misses = size(missed)
        cdef bint has_image = False
        cdef uint32_t misses_and_cell = <uint32_t>(misses << 8 | least_cell)
        cdef uint64_t low_word, high_word, hash, slot
        cdef int64_t bound, entry
        for turn in range(self.symmetry_count):
            if self.image_of[turn][cell] != least_cell:
                continue
            image, cells_left = join(0, 0), near
            while cells_left:
                image |= one(self.image_of[turn][first(cells_left)])
                cells_left &= cells_left - 1
            if not has_image or image < least_near:
                least_near, has_image = image, True
        low_word, high_word = low(least_near), high(least_near)
        hash = slot = scramble(scramble(scramble(low_word) ^ high_word) ^ misses_and_cell)
        entry = next_number(&self.numbers, hash, &slot)
        while entry >= 0 and (self.cache[entry].low != low_word or self.cache[entry].high != high_word
                              or self.cache[entry].misses_and_cell != misses_and_cell):
            entry = next_number(&self.numbers, hash, &slot)
        if entry >= 0:
            return self.cache[entry].bound
        if not compute:
            return -1
        bound = self.compute_bound(least_cell, least_near, misses)
        if self.computed == self.cache_room:
            self.widen()
        add_number(&self.numbers, hash, self.computed)
        self.cache[self.computed] = Known(low_word, high_word, misses_and_cell, bound)
        self.computed += 1
        return bound

    cdef int widen(self) except -1 nogil:
        """Double the room for cached values."""
        cdef Known* wider = <Known*>realloc(self.cache, 2 * self.cache_room * sizeof(Known))
        if wider == NULL:
            with gil:
                raise MemoryError
        self.cache = wider
        self.cache_room *= 2
        return 0

    cdef int64_t compute_bound(self, int cell, Cells missed_near, int misses) except -1 nogil:
        """Compute `lower_bound` of a cell from the values of states.

        missed_near -- the cells missed near it. misses -- the number of all cells missed.
        """
        cdef int index, ship_cell
        cdef Cells cells_left = join(0, 0)
        self.through_count = self.cell_count = self.most_beside = 0
        for index in range(self.placements):
            if self.mask[index] & one(cell) and not self.mask[index] & missed_near:
                if self.through_count == MAX_THROUGH:
                    with gil:
                        raise ValueError(f"more than {MAX_THROUGH} placements through a cell")
                self.placement[self.through_count] = index
                self.missed_beside[self.through_count] = size(self.halo[index] & missed_near)
                self.beside[self.through_count] = 0
                self.through_count += 1
                cells_left |= self.mask[index]
        if not self.through_count:
            return 0
        cells_left &= ~one(cell)
        if size(cells_left) > MAX_THROUGH:
            with gil:
                raise ValueError(f"more than {MAX_THROUGH} cells of the placements through a cell")
        while cells_left:
            ship_cell = first(cells_left)
            cells_left &= cells_left - 1
            self.placements_on[self.cell_count] = 0
            for index in range(self.through_count):
                if self.mask[self.placement[index]] & one(ship_cell):
                    self.placements_on[self.cell_count] |= <uint64_t>1 << index
                if self.halo[self.placement[index]] & one(ship_cell):
                    self.beside[index] |= <uint64_t>1 << self.cell_count
            self.cell_count += 1
        for index in range(self.through_count):
            self.most_beside = max(self.most_beside, popcount(self.beside[index]))
        forget_states(&self.states)
        return self.state_value(~<uint64_t>0 >> (64 - self.through_count), 0, misses)

    cdef uint64_t state_name(self, uint64_t alive, uint64_t near) noexcept nogil:
        """Return a name of the cells missed near the placements alive, those not ruled out.

        States of equal names have equal numbers of misses in the halo of each placement alive. If these
        numbers fit, the name is made of them, three bits each; else it is the cells missed in any halo.
        """
        cdef uint64_t ships_left = alive, name = 0
        cdef int index, count = 0
        if popcount(alive) <= 21 and self.most_beside < 8:  # three bits each
            while ships_left:
                index = ctz(ships_left)
                ships_left &= ships_left - 1
                name |= <uint64_t>popcount(near & self.beside[index]) << 3 * count
                count += 1
            return name
        while ships_left:
            name |= self.beside[ctz(ships_left)]
            ships_left &= ships_left - 1
        return near & name

    cdef int64_t state_value(self, uint64_t alive, uint64_t near, int misses) except -1 nogil:
        """Return the greatest number of configurations left from a state on, over the times to stop.

        Each time not to stop, the strategy shoots as is best for it: a miss that tells nothing, or a cell
        of some but not all placements alive. alive -- bits: the placements not ruled out. near -- bits:
        the cells missed after the first hit. misses -- the number of all misses.
        """
        cdef int index
        cdef int64_t value = -1, least_after, after_shot
        cdef uint64_t hit, name = self.state_name(alive, near)
        cdef const State* state = find_state(&self.states, alive, name, misses)
        if state.stamp == self.states.stamp:
            return state.value
        if misses >= self.start:
            value = self.configurations_left(alive, near, misses)
        if misses < self.most_misses:
            least_after = self.state_value(alive, near, misses + 1)
            for index in range(self.cell_count):
                if least_after <= value:
                    break
                hit = alive & self.placements_on[index]
                if hit and hit != alive:
                    after_shot = self.state_value(alive & ~hit, near | <uint64_t>1 << index, misses + 1)
                    if after_shot < least_after:
                        after_shot += self.state_value(hit, near, misses)
                        least_after = min(least_after, after_shot)
            value = max(value, least_after)
        add_state(&self.states, alive, name, misses, value)
        return value

    cdef int64_t configurations_left(self, uint64_t alive, uint64_t near, int misses) noexcept nogil:
        """Bound from below the configurations left if one stops in a state: `left` of the proof.

        alive, near, misses -- as in `state_value`.
        """
        cdef int64_t left_in_each = 0, left_together = 0, avoiding
        cdef int index, other_misses
        cdef const int64_t* finished_in_time = &self.finished_in_time[misses, 0]
        cdef Cells common_cells = self.mask[self.placement[ctz(alive)]]  # cells of all placements alive
        while alive:
            index = ctz(alive)
            alive &= alive - 1
            common_cells &= self.mask[self.placement[index]]
            other_misses = misses - self.missed_beside[index] - popcount(near & self.beside[index])
            avoiding = self.avoiding[self.placement[index], max(0, other_misses)]
            left_together += avoiding
            left_in_each += max(
                0, avoiding - finished_in_time[self.hits - size(self.mask[self.placement[index]])])
        return max(left_in_each, left_together - finished_in_time[self.hits - size(common_cells)])


cdef class Sequences:
    """A search for the sequences that keep the most configurations, from one length to the next.

    A sequence keeps the configurations that its cells meet, less V of each cell. Of the sequences of one
    set only the best is extended.

    counts -- the configurations that cover each set of 1, 2, 3 and 4 cells: int64, by number.
    unfinished -- V: the configurations left whose first ship is met at a cell.
    best -- the most that j cells keep so far; sets that cannot reach more are left out.

    A cell adds to a sequence at most the configurations that it adds to those met (the bound of
    `optsearch.lower_bounds.coverage`) less V. It adds at most as much as it did to a beginning of the
    sequence, with any lower bound in place of V: V falls only at cells that share a placement with it.
    """

    cdef Arena arena
    cdef FirstShip unfinished
    cdef int cells
    cdef readonly int64_t best
    cdef Covered covered
    cdef Kept* following          # extended sets, in the order of their discovery
    cdef int64_t set_count, set_room
    cdef Slots numbers            # in `following`, by the least image

    def __cinit__(self, counts, FirstShip unfinished, int64_t best):
        cdef int board = unfinished.board
        self.unfinished, self.cells, self.best = unfinished, board, best
        self.set_count, self.set_room = 0, ROOM
        self.following = <Kept*>calloc(self.set_room, sizeof(Kept))
        if self.following == NULL:
            raise MemoryError
        self.arena = Arena()
        fill_covered(&self.covered, self.arena, board, counts[0], counts[1], counts[2], counts[3])

    def __dealloc__(self):
        free(self.following)
        free(self.numbers.words)

    def extend(self, const uint8_t[:, ::1] sets, const int64_t[::1] kept, int full_length):
        """Extend sequences of cells by one cell each, for `collect`; complete ones update only `best`.

        sets -- uint8 of shape (count, cells). kept -- the configurations that each keeps: those it meets,
        less those it leaves unfinished. full_length -- the number of cells of a complete sequence.
        """
        cdef int64_t row, count = sets.shape[0]
        cdef int width = <int>sets.shape[1], index
        cdef uint8_t cells[MAX_SEQUENCE]
        if not width < full_length <= min(MAX_SEQUENCE, self.cells) or kept.shape[0] != count:
            raise ValueError(f"sequences of less than {full_length} cells, and what each keeps")
        if full_length - 1 > self.unfinished.most_misses:
            raise ValueError(f"misses are counted up to {self.unfinished.most_misses}")
        with nogil:
            for row in range(count):
                for index in range(width):
                    cells[index] = sets[row, index]
                self.extend_one(cells, width, kept[row], full_length)
                if row % PATIENCE == 0:
                    with gil:
                        PyErr_CheckSignals()

    def collect(self, int width):
        """Return the extended sequences, of `width` cells, and the numbers that they keep; drop them here."""
        cdef int64_t row
        cdef int index
        sets = np.empty((self.set_count, width), np.uint8)
        kept = np.empty(self.set_count, np.int64)
        cdef uint8_t[:, ::1] cells = sets
        cdef int64_t[::1] numbers_kept = kept
        for row in range(self.set_count):
            numbers_kept[row] = self.following[row].kept
            for index in range(width):
                cells[row, index] = self.following[row].cells[index]
        self.set_count = 0
        forget_numbers(&self.numbers)
        return sets, kept

    cdef int extend_one(self, uint8_t* cells, int length, int64_t kept, int full_length) except -1 nogil:
        """Extend a sequence of `length` cells by each cell that may lead to more than the best.

        kept -- the number that the sequence keeps. full_length -- cells of a complete sequence.
        """
        cdef int64_t added[128]
        cdef int64_t max_gains[128]
        cdef int64_t values[128]
        cdef bint is_known[128]
        cdef bint is_among_greatest[128]
        cdef int best_cells[MAX_SEQUENCE]
        cdef int depth, cell, index, board = self.cells, cells_to_add = full_length - length
        cdef int64_t value, total
        cdef Cells missed = join(0, 0)
        for cell in range(board):
            added[cell], max_gains[cell], values[cell] = self.covered.alone[cell], self.covered.alone[cell], 0
        for depth in range(length + 1):
            if depth:
                self.update_added(cells, depth - 1, added)
                missed |= one(cells[depth - 1])
            for cell in range(board):
                if missed & one(cell):
                    max_gains[cell] = -1
                    continue
                if depth and self.unfinished.ship_cells[cells[depth - 1]] & one(cell):
                    values[cell] = 0
                value = self.unfinished.cell_bound(cell, missed, compute=False)
                is_known[cell] = value >= 0
                if is_known[cell]:
                    values[cell] = value
                max_gains[cell] = min(max_gains[cell], added[cell] - values[cell])
        while True:
            # Compute V of the first cell, among those that add the most, whose V is not cached.
            total = self.take_greatest(max_gains, cells_to_add, best_cells)
            if kept + total <= self.best:
                return 0
            for index in range(cells_to_add):
                if not is_known[best_cells[index]]:
                    break
            else:
                break
            cell = best_cells[index]
            self.lower_max_gain(cell, missed, added, max_gains)
            is_known[cell] = True
        if cells_to_add == 1:
            self.best = kept + total
            return 0
        memset(is_among_greatest, 0, sizeof(is_among_greatest))
        for index in range(cells_to_add):
            is_among_greatest[best_cells[index]] = True
        for cell in range(board):
            if missed & one(cell) or not self.may_improve(cell, kept, total, is_among_greatest, max_gains,
                                                          best_cells[cells_to_add - 1]):
                continue
            if not is_known[cell]:
                self.lower_max_gain(cell, missed, added, max_gains)
                if not self.may_improve(cell, kept, total, is_among_greatest, max_gains,
                                        best_cells[cells_to_add - 1]):
                    continue
            cells[length] = cell
            self.keep_if_best(cells, length + 1, kept + max_gains[cell])
        return 0

    cdef inline bint may_improve(self, int cell, int64_t kept, int64_t total, bint* is_among_greatest,
                                 int64_t* max_gains, int last) noexcept nogil:
        """True if a sequence with this cell next may keep more than the best.

        total -- the sum of the greatest of `max_gains`, of as many cells as are missing. last -- the cell of
        the least of these. is_among_greatest -- True for each of these cells.
        """
        return kept + total + (
            0 if is_among_greatest[cell] else max_gains[cell] - max_gains[last]) > self.best

    cdef int lower_max_gain(self, int cell, Cells missed, int64_t* added, int64_t* max_gains) except -1 nogil:
        """Compute V of a cell, and lower its entry of `max_gains` by it."""
        max_gains[cell] = min(
            max_gains[cell], added[cell] - self.unfinished.cell_bound(cell, missed, compute=True))
        return 0

    cdef int64_t take_greatest(self, int64_t* max_gains, int cell_count, int* best_cells) noexcept nogil:
        """Fill `best_cells` with the cells of the greatest `max_gains`, greatest first; return their sum."""
        cdef int64_t total = 0
        cdef int cell, index, shifted
        for index in range(cell_count):
            best_cells[index] = -1
        for cell in range(self.cells):
            if max_gains[cell] < 0:
                continue
            for index in range(cell_count):
                if best_cells[index] < 0 or max_gains[best_cells[index]] < max_gains[cell]:
                    for shifted in range(cell_count - 1, index, -1):
                        best_cells[shifted] = best_cells[shifted - 1]
                    best_cells[index] = cell
                    break
        for index in range(cell_count):
            total += max_gains[best_cells[index]]
        return total

    cdef void update_added(self, uint8_t* cells, int last, int64_t* added) noexcept nogil:
        """Update the bounds on what each cell adds, when cell number `last` joins those before it."""
        cdef const uint32_t* rows[MAX_SEQUENCE][MAX_SEQUENCE]
        cdef const uint32_t* row = self.covered.one_row + cells[last] * self.cells
        cdef int a, b, cell, board = self.cells
        for cell in range(board):
            added[cell] -= row[cell]
        for a in range(last):
            row = self.covered.two_rows + sorted_pair(cells[a], cells[last]) * board
            for cell in range(board):
                added[cell] += row[cell]
            for b in range(a):
                rows[a][b] = rows[b][a] = self.covered.three_rows + board * sorted_triple(
                    cells[last], cells[a], cells[b])
        if last > 1:
            for cell in range(board):
                added[cell] -= heaviest_tree(&rows[0][0], MAX_SEQUENCE, last, cell)

    cdef int keep_if_best(self, uint8_t* cells, int length, int64_t kept) except -1 nogil:
        """Keep a sequence if it is the best of its set, up to symmetry, so far."""
        cdef Cells image, least_image = join(0, 0)
        cdef uint64_t hash, slot
        cdef int64_t entry
        cdef int turn, index
        for turn in range(self.unfinished.symmetry_count):
            image = join(0, 0)
            for index in range(length):
                image |= one(self.unfinished.image_of[turn][cells[index]])
            if turn == 0 or image < least_image:
                least_image = image
        hash = slot = scramble(scramble(low(least_image)) ^ high(least_image))
        entry = next_number(&self.numbers, hash, &slot)
        while entry >= 0 and (self.following[entry].low != low(least_image)
                              or self.following[entry].high != high(least_image)):
            entry = next_number(&self.numbers, hash, &slot)
        if entry < 0:
            if self.set_count == self.set_room:
                self.widen()
            entry = self.set_count
            self.set_count += 1
            add_number(&self.numbers, hash, entry)
            self.following[entry].low, self.following[entry].high = low(least_image), high(least_image)
        elif self.following[entry].kept >= kept:
            return 0
        self.following[entry].kept = kept
        memcpy(self.following[entry].cells, cells, length)
        return 0

    cdef int widen(self) except -1 nogil:
        """Double the room for sets."""
        cdef Kept* following = <Kept*>realloc(self.following, 2 * self.set_room * sizeof(Kept))
        if following == NULL:
            with gil:
                raise MemoryError
        self.following = following
        self.set_room *= 2
        return 0
