"""Two ships hidden, all others known: the placements free for them, and the cost of finding both.

The arguments and their proofs are in `optsearch.lower_bounds.two_hidden`; the tests have the definition in
plain Python.

- `KnownShips` counts, for one set of known ships after the other, the placements free for either hidden
  ship, the pairs of them that fit together, and packings: sets of free placements with at most s on any
  cell. A packing bounds the placements that some cells meet, so any packing may be used; here placements
  are added one by one, first those whose cells are in the fewest other placements.
- `Finding` and `least_cost` compute the least cost of the chain by the numbers of placements met, from
  the end of the chain.
"""

from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint64_t
from libc.string cimport memset

import numpy as np

from cells cimport MAX_CELLS, Cells, first, join, one, popcount
from optsearch.compiled.shared._arena cimport Arena

cdef extern from *:
    """
    /* Written in C for its word that the rows are apart, with which it is compiled to vectors. */
    static inline void optsearch_lessen(int32_t* restrict row, const int32_t* restrict finding,
                                        const int32_t* restrict then, int32_t times, int32_t cost,
                                        int n) {
        for (int i = 0; i < n; i++) {
            int32_t other = cost + times * finding[i] + then[i];
            row[i] = other < row[i] ? other : row[i];
        }
    }
    """
    void lessen "optsearch_lessen"(int32_t* row, const int32_t* finding, const int32_t* then,
                                   int32_t times, int32_t cost, int n) noexcept nogil

cdef enum:
    MAX_PLACEMENTS = 256
    WORDS = MAX_PLACEMENTS >> 6
    LONG = 0                  # the longer of the two hidden ships
    SHORT = 1
    SHARE = 2520              # a multiple of 1 to 10: the weight of a cell with one place left


cdef struct Kind:
    int count
    Cells masks[MAX_PLACEMENTS]
    int32_t cells[MAX_PLACEMENTS][MAX_CELLS]  # of each placement
    int length[MAX_PLACEMENTS]


cdef class KnownShips:
    """Counts of the placements that known ships leave free for a long and a short hidden one.

    closed -- uint64 of shape (cells, 2): the cells that a ship on a cell closes. images -- int32 of
        shape (symmetries, cells). long, short -- all placements, uint64 of shape (n, 2).
    fits -- uint8 of shape (long placements, short placements): 1 if both may be on the board.
    """

    cdef Arena arena
    cdef int cells, symmetries
    cdef const Cells* closed
    cdef const int32_t[:, ::1] images
    cdef Kind* kinds
    cdef uint64_t beside[MAX_PLACEMENTS][WORDS]

    def __cinit__(self, const uint64_t[:, ::1] closed, const int32_t[:, ::1] images,
                  const uint64_t[:, ::1] long, const uint64_t[:, ::1] short,
                  const unsigned char[:, ::1] fits):
        cdef int long_index, short_index
        self.cells, self.symmetries, self.images = closed.shape[0], images.shape[0], images
        if self.cells > MAX_CELLS or max(long.shape[0], short.shape[0]) > MAX_PLACEMENTS:
            raise ValueError(
                f"{self.cells} cells, {long.shape[0]} and {short.shape[0]} placements; at most "
                f"{MAX_CELLS} and {MAX_PLACEMENTS} are handled")
        self.arena = Arena()
        self.kinds = <Kind*>self.arena.array(2, sizeof(Kind))
        self.closed = self.arena.cells(closed)
        self.load_kind(LONG, long)
        self.load_kind(SHORT, short)
        memset(self.beside, 0, sizeof(self.beside))
        for long_index in range(long.shape[0]):
            for short_index in range(short.shape[0]):
                if fits[long_index, short_index]:
                    self.beside[long_index][short_index >> 6] |= <uint64_t>1 << (short_index & 63)

    cdef void load_kind(self, int hidden_ship, const uint64_t[:, ::1] masks):
        """Load the placements of a hidden ship, LONG or SHORT."""
        cdef Kind* kind = self.kinds + hidden_ship
        cdef Cells cells_left
        cdef int placement
        kind.count = masks.shape[0]
        for placement in range(kind.count):
            cells_left = kind.masks[placement] = join(masks[placement, 0], masks[placement, 1])
            kind.length[placement] = 0
            while cells_left:
                kind.cells[placement][kind.length[placement]] = first(cells_left)
                kind.length[placement] += 1
                cells_left &= cells_left - 1

    def count_free(self, const uint64_t[:, ::1] revealed, int most_long, int most_short):
        """Return a row per set of revealed ships: int64 of shape (n, 4 + most_long - 1 + most_short - 1).

        revealed -- uint64 of shape (n, 2), the cells of all ships of a set. most_long, most_short -- the
        most placements on a cell, 1 or more. The columns are
        - the number of images of the set under the symmetries, or 0 if one of them is less,
        - the numbers of free long placements, of free short ones, and of pairs that fit together,
        - the sizes of packings of the free long placements for s = 1, …, most_long - 1, then likewise of
          the short ones.
        """
        cdef int64_t[:, ::1] rows
        cdef Py_ssize_t row
        if not (1 <= most_long <= MAX_PLACEMENTS and 1 <= most_short <= MAX_PLACEMENTS):
            raise ValueError(f"{most_long} and {most_short} placements on a cell; 1 to "
                             f"{MAX_PLACEMENTS} are handled")
        result = np.zeros((revealed.shape[0], 2 + most_long + most_short), np.int64)
        rows = result
        with nogil:
            for row in range(revealed.shape[0]):
                self.fill_row(join(revealed[row, 0], revealed[row, 1]), most_long, most_short, &rows[row, 0])
        return result

    cdef int count_images(self, Cells revealed) noexcept nogil:
        """Count the different images of a set of cells; 0 if one is less than the set, as a number."""
        cdef int symmetry, fixing = 0
        cdef Cells cells_left, image
        for symmetry in range(self.symmetries):
            cells_left, image = revealed, 0
            while cells_left:
                image |= one(self.images[symmetry, first(cells_left)])
                cells_left &= cells_left - 1
            if image < revealed:
                return 0
            fixing += image == revealed
        return self.symmetries // fixing

    cdef void fill_row(self, Cells revealed, int most_long, int most_short, int64_t* row) noexcept nogil:
        """Fill the row of `count_free` for one set (mask); only its first column if that is 0."""
        cdef int free_long[MAX_PLACEMENTS]
        cdef int free_short[MAX_PLACEMENTS]
        cdef uint64_t short_bits[WORDS]
        cdef Cells closed = 0, cells_left = revealed
        cdef int i, word, capacity, long_count, short_count
        row[0] = self.count_images(revealed)
        if row[0] == 0:
            return
        while cells_left:
            closed |= self.closed[first(cells_left)]
            cells_left &= cells_left - 1
        long_count = self.list_free(LONG, closed, free_long)
        short_count = self.list_free(SHORT, closed, free_short)
        memset(short_bits, 0, sizeof(short_bits))
        for i in range(short_count):
            short_bits[free_short[i] >> 6] |= <uint64_t>1 << (free_short[i] & 63)
        row[1], row[2], row[3] = long_count, short_count, 0
        for i in range(long_count):
            for word in range(WORDS):
                row[3] += popcount(short_bits[word] & self.beside[free_long[i]][word])
        for capacity in range(1, most_long):
            row[3 + capacity] = self.packing_size(LONG, free_long, long_count, capacity)
        for capacity in range(1, most_short):
            row[2 + most_long + capacity] = self.packing_size(SHORT, free_short, short_count, capacity)

    cdef int list_free(self, int hidden_ship, Cells closed, int* free) noexcept nogil:
        """Fill `free` with the indices of the placements without a closed cell; return their number.

        hidden_ship -- LONG or SHORT. closed -- a mask of cells.
        """
        cdef Kind* kind = self.kinds + hidden_ship
        cdef int placement, count = 0
        for placement in range(kind.count):
            if not kind.masks[placement] & closed:
                free[count] = placement
                count += 1
        return count

    cdef int packing_size(self, int hidden_ship, const int* free, int count, int capacity) noexcept nogil:
        """Return the size of a packing: free placements, at most `capacity` of which have any cell.

        hidden_ship -- LONG or SHORT. free -- the indices of its free placements, `count` of them.
        The placements join it one by one, those first whose cells are in the fewest other open ones.
        A placement stays open until one of its cells has no use left.
        """
        cdef Kind* kind = self.kinds + hidden_ship
        cdef int uses_left[MAX_CELLS]
        cdef int free_with_cell[MAX_CELLS]
        cdef int open[MAX_PLACEMENTS]
        cdef int i, j, placement, cell, best_index, packed = 0, open_count = count, kept_count
        cdef int64_t score, least_score
        for cell in range(self.cells):
            uses_left[cell], free_with_cell[cell] = capacity, 0
        for i in range(count):
            open[i] = free[i]
            for j in range(kind.length[free[i]]):
                free_with_cell[kind.cells[free[i]][j]] += 1
        while open_count:
            best_index, least_score = 0, -1
            for i in range(open_count):
                placement, score = open[i], 0
                for j in range(kind.length[placement]):
                    cell = kind.cells[placement][j]
                    score += free_with_cell[cell] * (SHARE // uses_left[cell])
                if least_score < 0 or score < least_score:
                    best_index, least_score = i, score
            placement = open[best_index]
            packed += 1
            for j in range(kind.length[placement]):
                cell = kind.cells[placement][j]
                uses_left[cell] -= 1
                free_with_cell[cell] -= 1
            kept_count = 0
            for i in range(open_count):
                if i == best_index:
                    continue
                placement = open[i]
                for j in range(kind.length[placement]):
                    if uses_left[kind.cells[placement][j]] == 0:
                        break
                else:
                    open[kept_count] = placement
                    kept_count += 1
                    continue
                for j in range(kind.length[placement]):
                    free_with_cell[kind.cells[placement][j]] -= 1
            open_count = kept_count
        return packed


cdef enum:
    SHOTS = 1024              # most cells of a chain, and most misses after a hit
    MOST_PRICE = 1 << 14      # times all pairs it is below 2^31
    TAIL = 64                 # most further misses with fewer words than placements on a cell


cdef class Finding:
    """The search for one hidden ship, with some of its placements met already, and nothing else hidden.

    met -- int64: the most placements that 0, 1, 2, … cells meet, rising from 0 to all of them.
    sequences -- int64: the number of sequences of replies after the first hit that end with the last
    hit after exactly 0, 1, 2, … misses. most_on_cell -- the most placements on a cell, 1 or more.
    most_barred -- the most of these placements that one placement of the other ship bars.
    """

    cdef const int64_t[::1] met, sequences
    cdef int most_on_cell, free, most_barred, last, tail
    cdef int64_t sequences_within[TAIL]  # item w: the sequences with fewer than w further misses

    def __cinit__(self, const int64_t[::1] met, const int64_t[::1] sequences, int most_on_cell,
                  int most_barred):
        if not (1 <= most_on_cell <= MAX_PLACEMENTS and 0 <= most_barred <= MAX_PLACEMENTS):
            raise ValueError(f"{most_on_cell} placements on a cell, {most_barred} barred; 1 to "
                             f"{MAX_PLACEMENTS} and 0 to {MAX_PLACEMENTS} are handled")
        if not 1 <= met.shape[0] <= SHOTS - TAIL or met[0] or met[met.shape[0] - 1] > MAX_PLACEMENTS:
            raise ValueError(f"1 to {SHOTS - TAIL} numbers of placements met, the first 0, the last "
                             f"at most {MAX_PLACEMENTS}")
        if (np.diff(met) < 0).any() or (np.asarray(sequences) < 0).any():
            raise ValueError("what is met rises, and no number of words is below 0")
        self.met, self.sequences = met, sequences
        self.most_on_cell, self.most_barred = most_on_cell, most_barred
        self.last = met.shape[0] - 1
        self.free = met[self.last]
        self.sequences_within[0], self.tail = 0, 0
        while self.tail + 1 < TAIL and self.tail < sequences.shape[0] and sequences[self.tail] < most_on_cell:
            self.sequences_within[self.tail + 1] = self.sequences_within[self.tail] + sequences[self.tail]
            self.tail += 1

    cdef int64_t met_by(self, int cells) noexcept nogil:
        """Return the most placements that a number of cells meet."""
        return self.met[min(cells, self.last)]

    cdef void fill_costs(self, int index, int met_before, int price, int32_t* out, int step) noexcept nogil:
        """Fill the least cost of the placements of this ship that are left if the other ship is hit.

        index -- the place in the chain of the cell that hits it. met_before -- the number of
        placements of this ship that the cells before meet. out -- item b * step gets the cost if the
        cell meets, and so bars, at least b of the further placements, for b = 0, …, `most_on_cell`.
        """
        cdef int64_t finished[SHOTS]
        cdef int64_t finished_sum = 0           # of finished[0], …, finished[within - 1]
        cdef int within = 0, shots_after_hit, cells, barred, placements_left, not_met = self.free - met_before
        cdef int most_barred = max(self.most_barred, self.most_on_cell)
        cdef int64_t cost[MAX_PLACEMENTS + 1]
        while True:                    # finished[w]: within w further misses
            finished[within] = not_met
            for shots_after_hit in range(min(self.tail, within + 1) + 1):
                cells = within + 1 - shots_after_hit
                finished[within] = min(finished[within], self.sequences_within[shots_after_hit] + min(
                    <int64_t>self.most_on_cell * cells, self.met_by(index + cells) - met_before))
            if finished[within] >= not_met:
                break
            finished_sum += finished[within]
            within += 1
        for barred in range(most_barred + 1):
            placements_left = max(0, not_met - barred)
            while within and finished[within - 1] >= placements_left:
                within -= 1
                finished_sum -= finished[within]
            cost[barred] = <int64_t>(index - price + within) * placements_left - finished_sum
        for barred in range(most_barred - 1, -1, -1):
            cost[barred] = min(cost[barred], cost[barred + 1])
        for barred in range(self.most_on_cell + 1):
            out[barred * step] = cost[barred]


def least_cost(Finding long not None, Finding short not None, int price):
    """Return the least cost of the chain at a price, by the recursion of `lower_bounds.two_hidden`.

    The recursion goes from the end of the chain to its beginning. `cost` is by the numbers of short and
    long placements that the cells before meet.
    """
    if not 0 <= price <= MOST_PRICE:
        raise ValueError(f"a price of {price}; 0 to {MOST_PRICE} are handled")
    cdef int long_count = long.free, short_count = short.free
    cdef int index, met_long, met_short, new_long, new_short
    cdef int most_long, most_short, next_most_long, next_most_short
    cdef int32_t[:, ::1] cost, cost_after, at_long, at_short
    # at_long[met_short, new_short]: the cost at a cell that hits a long placement. The cells before met
    # `met_short` of the short ones, and this cell meets `new_short` more. at_short likewise.
    at_long = np.zeros((short_count + 1, short.most_on_cell + 1), np.int32)
    at_short = np.zeros((long.most_on_cell + 1, long_count + 1), np.int32)
    cost = np.zeros((short_count + 1, long_count + 1), np.int32)
    cost_after = np.zeros((short_count + 1, long_count + 1), np.int32)
    with nogil:
        for index in range(price - 1, -1, -1):
            most_long, most_short = <int>long.met_by(index), <int>short.met_by(index)
            next_most_long, next_most_short = <int>long.met_by(index + 1), <int>short.met_by(index + 1)
            for met_short in range(most_short + 1):
                short.fill_costs(index, met_short, price, &at_long[met_short, 0], 1)
            for met_long in range(most_long + 1):
                long.fill_costs(index, met_long, price, &at_short[0, met_long], long_count + 1)
            cost[:, :] = 0
            for met_short in range(min(most_short, short_count - 1) + 1):
                for met_long in range(min(most_long, long_count - 1) + 1):
                    cost[met_short, met_long] = INT32_MAX
                for new_short in range(min(short.most_on_cell, next_most_short - met_short) + 1):
                    for new_long in range(min(long.most_on_cell, next_most_long) + 1):
                        lessen(&cost[met_short, 0], &at_short[new_long, 0],
                               &cost_after[met_short + new_short, new_long], new_short,
                               new_long * at_long[met_short, new_short],
                               min(min(most_long, long_count - 1), next_most_long - new_long) + 1)
            cost, cost_after = cost_after, cost
    return cost_after[0, 0]
