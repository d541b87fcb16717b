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
    cdef int number[MAX_KINDS]
    cdef int count[MAX_KINDS]
    cdef int length[MAX_KINDS]
    cdef int left[MAX_KINDS]          # ships of each kind not placed yet
    cdef Cells* mask[MAX_KINDS]
    cdef Cells* halo[MAX_KINDS]       # with the ship itself
    cdef uint16_t* cell[MAX_KINDS]    # the cells of each placement
    cdef Table tables[MAX_SHIPS + 1]  # by the number of ships left
    # The placements of one level of the recursion, by the number of ships left.
    cdef int64_t* values[MAX_SHIPS + 1]
    cdef uint16_t** places[MAX_SHIPS + 1]
    cdef int* lengths[MAX_SHIPS + 1]
    cdef int64_t[:, ::1] sequences    # C(l + h, h) by h and l
    cdef int64_t* weights             # scratch of one maximum coverage
    cdef int64_t* lowered
    cdef readonly int64_t sets        # of ships for which F was computed

    def __cinit__(self, int cells, int misses, kinds, sequences):
        cdef int i, j, total = 0
        cdef const uint64_t[:, ::1] masks, halos
        cdef Cells left
        if not 1 <= cells <= 128 or not 1 <= misses <= MAX_MISSES or len(kinds) > MAX_KINDS:
            raise ValueError("a board of at most 128 cells, and 1 to 128 values")
        self.arena = Arena()
        self.cells, self.misses, self.kinds = cells, misses, len(kinds)
        self.sequences = sequences
        for i, (count, mask_words, halo_words) in enumerate(kinds):
            masks, halos = mask_words, halo_words
            if not 1 <= masks.shape[0] <= MAX_PLACEMENTS:
                raise ValueError("no placements or too many")
            self.count[i], self.number[i] = count, masks.shape[0]
            self.ships += count
            total += masks.shape[0]
            self.length[i] = size(join(masks[0, 0], masks[0, 1]))
            self.mask[i], self.halo[i] = self.arena.cells(masks), self.arena.cells(halos)
            self.cell[i] = <uint16_t*>self.arena.array(
                masks.shape[0] * self.length[i], sizeof(uint16_t))
            for j in range(masks.shape[0]):
                left = self.mask[i][j]
                self.halo[i][j] |= left
                for k in range(self.length[i]):
                    self.cell[i][j * self.length[i] + k] = first(left)
                    left &= left - 1
        if self.ships > MAX_SHIPS:
            raise ValueError("too many ships")
        hits = sum([self.count[i] * self.length[i] for i in range(self.kinds)])
        if sequences.shape != (hits + 1, misses):
            raise ValueError("sequences of another fleet")
        for i in range(self.ships + 1):
            self.values[i] = <int64_t*>self.arena.array(total * (misses + 1), sizeof(int64_t))
            self.places[i] = <uint16_t**>self.arena.array(total, sizeof(uint16_t*))
            self.lengths[i] = <int*>self.arena.array(total, sizeof(int))
        self.weights = <int64_t*>self.arena.array(total, sizeof(int64_t))
        self.lowered = <int64_t*>self.arena.array(total, sizeof(int64_t))

    def __dealloc__(self):
        self.clear_tables()

    cdef void clear_tables(self) noexcept nogil:
        cdef int i
        for i in range(MAX_SHIPS + 1):
            free(self.tables[i].numbers.words)
            free(self.tables[i].keys)
            free(self.tables[i].values)
        memset(self.tables, 0, sizeof(self.tables))

    cdef int store(self, Table* table, Cells known, const int64_t* out) except -1 nogil:
        """Add the values of a set of ships to a table."""
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
        memcpy(table.values + table.used * width, out, width * sizeof(int64_t))
        table.used += 1
        return 0

    def values_of(self, known, closed, left):
        """Return the int64 array F(0) … F(misses - 1), completions of a set of known ships.

        known -- words of the cells of these ships. closed -- words of these and their halos. left -- the
        number of ships of each kind that are not known.
        """
        cdef int i, total = 0
        cdef int64_t[::1] out
        cdef Cells ships = join(known[0], known[1]), shut = join(closed[0], closed[1])
        result = np.zeros(self.misses + 1, np.int64)
        out = result
        for i in range(self.kinds):
            if not 0 <= left[i] <= self.count[i]:
                raise ValueError("ships of another fleet")
            self.left[i] = left[i]
            total += left[i]
        with nogil:
            self.solve(total, ships, shut, &out[0])
            self.clear_tables()
        return result

    cdef int solve(self, int ships, Cells known, Cells closed, int64_t* out) except -1 nogil:
        """Fill F and the completions of a set of known ships; ships -- the number of the others."""
        cdef int kind, i, p = 0, j, width = self.misses + 1
        cdef int64_t entry
        cdef uint64_t hash = hash_of(known), at
        cdef Table* table = &self.tables[ships]
        cdef int64_t* values = self.values[ships]
        cdef int64_t total
        cdef int64_t most[MAX_MISSES]
        if ships == 0:
            for j in range(width):
                out[j] = 1
            return 0
        at = hash
        entry = next_number(&table.numbers, hash, &at)
        while entry >= 0 and table.keys[entry] != known:
            entry = next_number(&table.numbers, hash, &at)
        if entry >= 0:
            memcpy(out, table.values + entry * width, width * sizeof(int64_t))
            return 0
        self.sets += 1
        memset(out, 0, width * sizeof(int64_t))
        for j in range(self.misses):
            most[j] = -1
        for kind in range(self.kinds):
            if self.left[kind] == 0:
                continue
            start = p
            self.left[kind] -= 1
            for i in range(self.number[kind]):
                if self.mask[kind][i] & closed:
                    continue
                self.solve(ships - 1, known | self.mask[kind][i], closed | self.halo[kind][i],
                           values + p * width)
                if values[p * width + self.misses] == 0:
                    continue
                self.places[ships][p] = self.cell[kind] + i * self.length[kind]
                self.lengths[ships][p] = self.length[kind]
                p += 1
            self.left[kind] += 1
            # Each completion has `left` ships of this kind, so it was counted that often.
            for j in range(width):
                total = 0
                for i in range(start, p):
                    total += values[i * width + j]
                total //= self.left[kind]
                if j == self.misses:
                    out[j] = total
                elif most[j] < 0 or total < most[j]:
                    most[j] = total
        if p and out[self.misses]:
            self.bound_finished(ships, p, out)
            for j in range(self.misses):
                out[j] = min(out[j], most[j])
            for j in range(self.misses - 2, -1, -1):
                out[j] = min(out[j], out[j + 1])
        else:
            memset(out, 0, width * sizeof(int64_t))
        self.store(table, known, out)
        return 0

    cdef void bound_finished(self, int ships, int p, int64_t* out) noexcept nogil:
        """Fill F(l) by the coverage of k cells, and by sequences behind the completions that j cells meet."""
        cdef int width = self.misses + 1, i, j, k, m, hits = 0
        cdef int64_t* values = self.values[ships]
        cdef int64_t* w = self.weights
        cdef int64_t total
        cdef int64_t best[MAX_MISSES + 1]
        for m in range(self.misses):
            out[m] = 0
        for j in range(self.misses):
            total = 0
            for i in range(p):
                w[i] = values[i * width + j] - (values[i * width + j - 1] if j else 0)
                total += w[i]
            if total == 0:
                if ships == 1:
                    break    # F of a whole fleet is 1 from l = 0 on
                continue
            self.bound_coverage(ships, p, total, self.misses - j, best)
            # The weights d(j) are covered by k cells where l - k + 1 = j.
            for k in range(1, self.misses - j + 1):
                out[j + k - 1] += best[k]
        if ships > 1:  # of the last ship the weights d(0) = 1 are the completions
            total = 0
            for i in range(p):
                w[i] = values[i * width + self.misses]
                total += w[i]
            self.bound_coverage(ships, p, total, self.misses, best)
        for i in range(self.kinds):
            hits += self.left[i] * self.length[i]
        for m in range(self.misses):
            out[m] = min(out[m], self.sequences[hits, m])
            for j in range(1, m + 1):
                out[m] = min(out[m], best[j] + self.sequences[hits, m - j])
            out[m] = min(out[m], best[m + 1])

    cdef void bound_coverage(self, int ships, int p, int64_t total, int most, int64_t* best) noexcept nogil:
        """Fill best[k], k = 1 … most: a bound on the weight of p placements that k cells cover."""
        cdef int64_t degree[128]
        cdef int64_t filled[128]
        cdef int64_t* w = self.weights
        cdef int64_t* u = self.lowered
        cdef uint16_t** places = self.places[ships]
        cdef int* lengths = self.lengths[ships]
        cdef int64_t level, largest = 0, value, loss, bound, highest
        cdef int i, k, c, n
        for c in range(self.cells):
            degree[c] = 0
        for i in range(p):
            for c in range(lengths[i]):
                degree[places[i][c]] += w[i]
        memcpy(filled, degree, self.cells * sizeof(int64_t))
        # All of u = w: the sum of the k largest cells.
        n = self.cells
        bound = 0
        for k in range(1, most + 1):
            if bound < total and k <= n:
                highest = -1
                for c in range(n):
                    if filled[c] > highest:
                        highest, i = filled[c], c
                filled[i] = -1
                bound += max(highest, 0)
                if k == 1:
                    largest = highest
            best[k] = min(bound, total)
        level = largest * SCALE
        for _ in range(LEVELS // 2 if ships == 1 else LEVELS):
            # The last ship has most of the sets, and small sums: coarser levels do.
            level -= level // (5 if ships == 1 else 9)
            if level == 0:
                break
            memset(filled, 0, self.cells * sizeof(int64_t))
            loss = total * SCALE
            for i in range(p):
                highest = 0
                for c in range(lengths[i]):
                    highest = max(highest, degree[places[i][c]])
                # Scaled down so that no cell has more than the level. No overflow: weights are
                # below 2^31 and the quotient is taken as a fraction of 2^20.
                value = w[i] * SCALE
                if highest * SCALE > level:
                    value = <int64_t>(<double>value * level / (<double>highest * SCALE))
                    if value > w[i] * SCALE:
                        value = w[i] * SCALE
                u[i] = value
                loss -= value
                for c in range(lengths[i]):
                    filled[places[i][c]] += value
            for i in range(p):
                value = w[i] * SCALE - u[i]
                if value:
                    for c in range(lengths[i]):
                        value = min(value, level - filled[places[i][c]])
                    if value > 0:
                        loss -= value
                        for c in range(lengths[i]):
                            filled[places[i][c]] += value
            if loss >= total * SCALE:
                break
            highest = 0
            for c in range(self.cells):
                highest = max(highest, filled[c])
            for k in range(1, most + 1):
                bound = (loss + k * highest + SCALE - 1) // SCALE
                if bound < best[k]:
                    best[k] = bound
