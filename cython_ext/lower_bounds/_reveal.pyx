"""Bounds on the completions found within some misses, if a ship is shown at its first hit.

`optsearch.lower_bounds.reveal` has the argument. For a set Q of placed ships, F_Q(l) is an upper bound on
the completions of Q that a strategy which knows Q finds within l misses, l = 0 … misses - 1. It is
computed from F of Q with one ship more. With d_p(j) = F_{Q+p}(j) - F_{Q+p}(j - 1),

    F_Q(l) <= sum over k = 1 … l + 1 of the most that k cells can cover of the weights d(l - k + 1),
    F_Q(l) <= min over j = 0 … l + 1 of the most completions that j cells meet + C(l - j + h, h),

h the cells of the ships left, and the most that k cells can cover of weights w is at most, for any
0 <= u <= w,

    sum of (w - u)  +  k * (the largest sum of u over the placements through one cell).

The u are found by filling: all weights are scaled down until no cell has more than a level, then raised
one after the other as long as no cell exceeds it. Any u in range is a proof, so it may be rounded: it is
an integer multiple of 1/SCALE, and the bound is rounded upward. All arithmetic is in integers.

Sets of ships are cached by their cells, which determine them unless ships may touch.
"""

from libc.stdint cimport int64_t, uint16_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

import numpy as np

from cells cimport Cells, first, high, join, low, size
from hashing cimport scramble
from optsearch.compiled.shared._arena cimport Arena
from slots cimport Slots, add_number, next_number

cdef enum:
    MAX_KINDS = 16
    MAX_SHIPS = 16
    MAX_PLACEMENTS = 256   # of one kind
    MAX_MISSES = 128
    SCALE = 256
    FIRST_ROOM = 1 << 9
    LEVELS = 14


cdef struct Table:         # cached values of sets of ships, by their cells
    Slots numbers
    int64_t used, room
    Cells* keys
    int64_t* values        # `width` numbers of each: F(0) … F(misses - 1), completions


cdef inline uint64_t hash_of(Cells cells) noexcept nogil:
    return scramble(scramble(low(cells)) ^ high(cells))


cdef class Reveal:
    """Bounds for one fleet on a board.

    cells -- the number of cells of the board. misses -- the number of values of l.
    kinds -- for every length (number of ships, masks, halos); uint64 arrays of shape (n, 2).
    sequences -- int64 array of shape (cells of all ships + 1, misses): C(l + h, h), or 2^60 if less.
    """

    cdef Arena arena
    cdef int cells, misses, kinds, ships
    cdef int placement_count[MAX_KINDS]
    cdef int ship_count[MAX_KINDS]
    cdef int length[MAX_KINDS]
    cdef int not_placed[MAX_KINDS]    # ships of each kind not placed yet
    cdef Cells* mask[MAX_KINDS]
    cdef Cells* halo[MAX_KINDS]       # with the ship itself
    cdef uint16_t* cells_of_kind[MAX_KINDS]  # of each placement
    cdef Table tables[MAX_SHIPS + 1]  # by the number of ships left
    # The placements of one level of the recursion, by the number of ships left.
    cdef int64_t* values[MAX_SHIPS + 1]
    cdef uint16_t** cells_of[MAX_SHIPS + 1]  # of each placement
    cdef int* length_of[MAX_SHIPS + 1]
    cdef int64_t[:, ::1] sequences    # C(l + h, h) by h and l
    cdef int64_t* weights             # scratch of one maximum coverage
    cdef int64_t* lowered
    cdef readonly int64_t sets        # of ships for which F was computed

    def __cinit__(self, int cells, int misses, kinds, sequences):
        cdef int kind, placement, placements = 0
        cdef const uint64_t[:, ::1] masks, halos
        cdef Cells cells_left
        if not 1 <= cells <= 128 or not 1 <= misses <= MAX_MISSES or len(kinds) > MAX_KINDS:
            raise ValueError("a board of at most 128 cells, and 1 to 128 values")
        self.arena = Arena()
        self.cells, self.misses, self.kinds = cells, misses, len(kinds)
        self.sequences = sequences
        for kind, (count, mask_words, halo_words) in enumerate(kinds):
            masks, halos = mask_words, halo_words
            if not 1 <= masks.shape[0] <= MAX_PLACEMENTS:
                raise ValueError("no placements or too many")
            self.ship_count[kind], self.placement_count[kind] = count, masks.shape[0]
            self.ships += count
            placements += masks.shape[0]
            self.length[kind] = size(join(masks[0, 0], masks[0, 1]))
            self.mask[kind], self.halo[kind] = self.arena.cells(masks), self.arena.cells(halos)
            self.cells_of_kind[kind] = <uint16_t*>self.arena.array(
                masks.shape[0] * self.length[kind], sizeof(uint16_t))
            for placement in range(masks.shape[0]):
                cells_left = self.mask[kind][placement]
                self.halo[kind][placement] |= cells_left
                for index in range(self.length[kind]):
                    self.cells_of_kind[kind][placement * self.length[kind] + index] = first(cells_left)
                    cells_left &= cells_left - 1
        if self.ships > MAX_SHIPS:
            raise ValueError("too many ships")
        hits = sum([self.ship_count[kind] * self.length[kind] for kind in range(self.kinds)])
        if sequences.shape != (hits + 1, misses):
            raise ValueError("sequences of another fleet")
        for kind in range(self.ships + 1):
            self.values[kind] = <int64_t*>self.arena.array(placements * (misses + 1), sizeof(int64_t))
            self.cells_of[kind] = <uint16_t**>self.arena.array(placements, sizeof(uint16_t*))
            self.length_of[kind] = <int*>self.arena.array(placements, sizeof(int))
        self.weights = <int64_t*>self.arena.array(placements, sizeof(int64_t))
        self.lowered = <int64_t*>self.arena.array(placements, sizeof(int64_t))

    def __dealloc__(self):
        self.clear_tables()

    cdef void clear_tables(self) noexcept nogil:
        """Free the cached values."""
        cdef int i
        for i in range(MAX_SHIPS + 1):
            free(self.tables[i].numbers.words)
            free(self.tables[i].keys)
            free(self.tables[i].values)
        memset(self.tables, 0, sizeof(self.tables))

    cdef int cache_values(self, Table* table, Cells known, const int64_t* values) except -1 nogil:
        """Add the values of a set of ships to a table; known -- the mask of their cells."""
        cdef int64_t width = self.misses + 1
        if table.used == table.room:
            table.room = max(FIRST_ROOM, 2 * table.room)
            table.keys = <Cells*>realloc(table.keys, table.room * sizeof(Cells))
            table.values = <int64_t*>realloc(table.values, table.room * width * sizeof(int64_t))
            if table.keys == NULL or table.values == NULL:
                with gil:
                    raise MemoryError
        add_number(&table.numbers, hash_of(known), table.used)
        table.keys[table.used] = known
        memcpy(table.values + table.used * width, values, width * sizeof(int64_t))
        table.used += 1
        return 0

    def values_of(self, known, closed, not_placed):
        """Return F(0) … F(misses - 1) and the number of completions of a set of known ships, as int64.

        F(l) bounds the completions that a strategy finishes with at most l misses. known -- the cells of
        these ships, as two words. closed -- these and their halos, as two words. not_placed -- the number of
        ships of each kind that are not known.
        """
        cdef int kind, ships_left = 0
        cdef int64_t[::1] result_values
        cdef Cells known_cells = join(known[0], known[1]), closed_cells = join(closed[0], closed[1])
        result = np.zeros(self.misses + 1, np.int64)
        result_values = result
        for kind in range(self.kinds):
            if not 0 <= not_placed[kind] <= self.ship_count[kind]:
                raise ValueError("ships of another fleet")
            self.not_placed[kind] = not_placed[kind]
            ships_left += not_placed[kind]
        with nogil:
            self.solve(ships_left, known_cells, closed_cells, &result_values[0])
            self.clear_tables()
        return result

    cdef int solve(self, int ships_left, Cells known, Cells closed, int64_t* finished) except -1 nogil:
        """Fill F(0) … F(misses - 1) and the completions of a set of known ships, by one ship more.

        F(l) bounds the completions that a strategy finishes with at most l misses. ships_left -- the number
        of ships that are not known. known -- the cells of the others. closed -- these and their halos.
        """
        cdef int kind, index, count = 0, misses, width = self.misses + 1
        cdef int64_t entry
        cdef uint64_t hash = hash_of(known), slot
        cdef Table* table = &self.tables[ships_left]
        cdef int64_t* values = self.values[ships_left]
        cdef int64_t total
        cdef int64_t least_mean[MAX_MISSES]
        if ships_left == 0:
            for misses in range(width):
                finished[misses] = 1
            return 0
        slot = hash
        entry = next_number(&table.numbers, hash, &slot)
        while entry >= 0 and table.keys[entry] != known:
            entry = next_number(&table.numbers, hash, &slot)
        if entry >= 0:
            memcpy(finished, table.values + entry * width, width * sizeof(int64_t))
            return 0
        self.sets += 1
        memset(finished, 0, width * sizeof(int64_t))
        for misses in range(self.misses):
            least_mean[misses] = -1
        for kind in range(self.kinds):
            if self.not_placed[kind] == 0:
                continue
            first_index = count
            self.not_placed[kind] -= 1
            for index in range(self.placement_count[kind]):
                if self.mask[kind][index] & closed:
                    continue
                self.solve(ships_left - 1, known | self.mask[kind][index],
                           closed | self.halo[kind][index], values + count * width)
                if values[count * width + self.misses] == 0:
                    continue
                self.cells_of[ships_left][count] = self.cells_of_kind[kind] + index * self.length[kind]
                self.length_of[ships_left][count] = self.length[kind]
                count += 1
            self.not_placed[kind] += 1
            # Each completion has `not_placed` ships of this kind, so it was counted that often.
            for misses in range(width):
                total = 0
                for index in range(first_index, count):
                    total += values[index * width + misses]
                total //= self.not_placed[kind]
                if misses == self.misses:
                    finished[misses] = total
                elif least_mean[misses] < 0 or total < least_mean[misses]:
                    least_mean[misses] = total
        if count and finished[self.misses]:
            self.bound_finished(ships_left, count, finished)
            for misses in range(self.misses):
                finished[misses] = min(finished[misses], least_mean[misses])
            for misses in range(self.misses - 2, -1, -1):
                finished[misses] = min(finished[misses], finished[misses + 1])
        else:
            memset(finished, 0, width * sizeof(int64_t))
        self.cache_values(table, known, finished)
        return 0

    cdef void bound_finished(self, int ships_left, int count, int64_t* finished) noexcept nogil:
        """Fill F(0) … F(misses - 1) by the coverage of k cells, and by sequences behind j cells.

        F(l) bounds the completions finished with at most l misses. count -- the number of placements of the
        next ship, whose values are those of the level.
        """
        cdef int width = self.misses + 1, index, j, cells, misses, hits = 0
        cdef int64_t* values = self.values[ships_left]
        cdef int64_t* weights = self.weights
        cdef int64_t total
        cdef int64_t most_covered[MAX_MISSES + 1]
        for misses in range(self.misses):
            finished[misses] = 0
        for j in range(self.misses):
            total = 0
            for index in range(count):
                weights[index] = (values[index * width + j]
                                  - (values[index * width + j - 1] if j else 0))
                total += weights[index]
            if total == 0:
                if ships_left == 1:
                    break    # F of a whole fleet is 1 from l = 0 on
                continue
            self.bound_coverage(ships_left, count, total, self.misses - j, most_covered)
            # The weights d(j) are covered by k cells where l - k + 1 = j.
            for cells in range(1, self.misses - j + 1):
                finished[j + cells - 1] += most_covered[cells]
        if ships_left > 1:  # of the last ship the weights d(0) = 1 are the completions
            total = 0
            for index in range(count):
                weights[index] = values[index * width + self.misses]
                total += weights[index]
            self.bound_coverage(ships_left, count, total, self.misses, most_covered)
        for index in range(self.kinds):
            hits += self.not_placed[index] * self.length[index]
        for misses in range(self.misses):
            finished[misses] = min(finished[misses], self.sequences[hits, misses])
            for j in range(1, misses + 1):
                finished[misses] = min(finished[misses], most_covered[j] + self.sequences[hits, misses - j])
            finished[misses] = min(finished[misses], most_covered[misses + 1])

    cdef void bound_coverage(self, int ships_left, int count, int64_t total_weight, int most_cells,
                             int64_t* most_covered) noexcept nogil:
        """Fill most_covered[k], for k = 1 … most_cells: a bound on the weight that k cells cover.

        Cells cover the placements on them, whose `weights` add up to total_weight. ships_left, count --
        the level of the recursion, and the number of its placements. The bound is that of the module,
        u is `lowered` here.
        """
        cdef int64_t weight_on_cell[128]
        cdef int64_t lowered_on_cell[128]
        cdef int64_t* weights = self.weights
        cdef int64_t* lowered = self.lowered
        cdef uint16_t** cells_of = self.cells_of[ships_left]
        cdef int* length_of = self.length_of[ships_left]
        cdef int64_t level, largest = 0, value, loss, bound, highest
        cdef int index, cells, cell, cell_count
        for cell in range(self.cells):
            weight_on_cell[cell] = 0
        for index in range(count):
            for cell in range(length_of[index]):
                weight_on_cell[cells_of[index][cell]] += weights[index]
        memcpy(lowered_on_cell, weight_on_cell, self.cells * sizeof(int64_t))
        # All of u = w: the sum of the k largest cells.
        cell_count = self.cells
        bound = 0
        for cells in range(1, most_cells + 1):
            if bound < total_weight and cells <= cell_count:
                highest = -1
                for cell in range(cell_count):
                    if lowered_on_cell[cell] > highest:
                        highest, index = lowered_on_cell[cell], cell
                lowered_on_cell[index] = -1
                bound += max(highest, 0)
                if cells == 1:
                    largest = highest
            most_covered[cells] = min(bound, total_weight)
        level = largest * SCALE
        for _ in range(LEVELS // 2 if ships_left == 1 else LEVELS):
            # The last ship has most of the sets, and small sums: coarser levels do.
            level -= level // (5 if ships_left == 1 else 9)
            if level == 0:
                break
            memset(lowered_on_cell, 0, self.cells * sizeof(int64_t))
            loss = total_weight * SCALE
            for index in range(count):
                highest = 0
                for cell in range(length_of[index]):
                    highest = max(highest, weight_on_cell[cells_of[index][cell]])
                # Scaled down so that no cell has more than the level. No overflow: weights are
                # below 2^31 and the quotient is taken as a fraction of 2^20.
                value = weights[index] * SCALE
                if highest * SCALE > level:
                    value = <int64_t>(<double>value * level / (<double>highest * SCALE))
                    if value > weights[index] * SCALE:
                        value = weights[index] * SCALE
                lowered[index] = value
                loss -= value
                for cell in range(length_of[index]):
                    lowered_on_cell[cells_of[index][cell]] += value
            for index in range(count):
                value = weights[index] * SCALE - lowered[index]
                if value:
                    for cell in range(length_of[index]):
                        value = min(value, level - lowered_on_cell[cells_of[index][cell]])
                    if value > 0:
                        loss -= value
                        for cell in range(length_of[index]):
                            lowered_on_cell[cells_of[index][cell]] += value
            if loss >= total_weight * SCALE:
                break
            highest = 0
            for cell in range(self.cells):
                highest = max(highest, lowered_on_cell[cell])
            for cells in range(1, most_cells + 1):
                bound = (loss + cells * highest + SCALE - 1) // SCALE
                if bound < most_covered[cells]:
                    most_covered[cells] = bound
