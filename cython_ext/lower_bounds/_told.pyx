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
    SHARE = 2520              # a multiple of 1 to 10: the weight of a cell with one place left


cdef struct Kind:
    int n
    Cells sets[MAX_PLACEMENTS]
    int32_t cells[MAX_PLACEMENTS][MAX_CELLS]  # of each placement
    int length[MAX_PLACEMENTS]


cdef class KnownShips:
    """Counts of the placements that known ships leave free for a long and a short hidden one.

    closed -- uint64 of shape (cells, 2): the cells that a ship on a cell closes. images -- int32 of
        shape (symmetries, cells). long, short -- all placements, uint64 of shape (n, 2).
    together -- uint8 of shape (long placements, short placements): 1 if both may be on the board.
    """

    cdef Arena arena
    cdef int cells, symmetries
    cdef const Cells* closed
    cdef const int32_t[:, ::1] images
    cdef Kind* kinds
    cdef uint64_t beside[MAX_PLACEMENTS][WORDS]

    def __cinit__(self, const uint64_t[:, ::1] closed, const int32_t[:, ::1] images,
                  const uint64_t[:, ::1] long, const uint64_t[:, ::1] short,
                  const unsigned char[:, ::1] together):
        cdef int p, q
        self.cells, self.symmetries, self.images = closed.shape[0], images.shape[0], images
        if self.cells > MAX_CELLS or max(long.shape[0], short.shape[0]) > MAX_PLACEMENTS:
            raise ValueError(
                f"{self.cells} cells, {long.shape[0]} and {short.shape[0]} placements; at most "
                f"{MAX_CELLS} and {MAX_PLACEMENTS} are handled")
        self.arena = Arena()
        self.kinds = <Kind*>self.arena.array(2, sizeof(Kind))
        self.closed = self.arena.cells(closed)
        self.load_kind(0, long)
        self.load_kind(1, short)
        memset(self.beside, 0, sizeof(self.beside))
        for p in range(long.shape[0]):
            for q in range(short.shape[0]):
                if together[p, q]:
                    self.beside[p][q >> 6] |= <uint64_t>1 << (q & 63)

    cdef void load_kind(self, int which, const uint64_t[:, ::1] sets):
        cdef Kind* kind = self.kinds + which
        cdef Cells rest
        cdef int p
        kind.n = sets.shape[0]
        for p in range(kind.n):
            rest = kind.sets[p] = join(sets[p, 0], sets[p, 1])
            kind.length[p] = 0
            while rest:
                kind.cells[p][kind.length[p]] = first(rest)
                kind.length[p] += 1
                rest &= rest - 1

    def count_free(self, const uint64_t[:, ::1] known, int most_long, int most_short):
        """Return a row per set of known ships: int64 of shape (n, 4 + most_long - 1 + most_short - 1).

        A row has the number of images of the set (0 if another one of them is less), the free long and
        short placements, the pairs, packings of the long ones for s = 1, …, most_long - 1, and of the
        short ones. known -- uint64 of shape (n, 2), the cells of all known ships. most_long, most_short
        -- the most placements on a cell, 1 or more.
        """
        cdef int64_t[:, ::1] out
        cdef Py_ssize_t row
        if not (1 <= most_long <= MAX_PLACEMENTS and 1 <= most_short <= MAX_PLACEMENTS):
            raise ValueError(f"{most_long} and {most_short} placements on a cell; 1 to "
                             f"{MAX_PLACEMENTS} are handled")
        result = np.zeros((known.shape[0], 2 + most_long + most_short), np.int64)
        out = result
        with nogil:
            for row in range(known.shape[0]):
                self.fill_row(join(known[row, 0], known[row, 1]), most_long, most_short, &out[row, 0])
        return result

    cdef int count_images(self, Cells known) noexcept nogil:
        """Count the different images of a set; 0 if one of them is less than the set."""
        cdef int s, same = 0
        cdef Cells rest, image
        for s in range(self.symmetries):
            rest, image = known, 0
            while rest:
                image |= one(self.images[s, first(rest)])
                rest &= rest - 1
            if image < known:
                return 0
            same += image == known
        return self.symmetries // same

    cdef void fill_row(self, Cells known, int most_long, int most_short, int64_t* out) noexcept nogil:
        cdef int free_long[MAX_PLACEMENTS]
        cdef int free_short[MAX_PLACEMENTS]
        cdef uint64_t bits[WORDS]
        cdef Cells closed = 0, rest = known
        cdef int i, w, s, longs, shorts
        out[0] = self.count_images(known)
        if out[0] == 0:
            return
        while rest:
            closed |= self.closed[first(rest)]
            rest &= rest - 1
        longs = self.list_free(0, closed, free_long)
        shorts = self.list_free(1, closed, free_short)
        memset(bits, 0, sizeof(bits))
        for i in range(shorts):
            bits[free_short[i] >> 6] |= <uint64_t>1 << (free_short[i] & 63)
        out[1], out[2], out[3] = longs, shorts, 0
        for i in range(longs):
            for w in range(WORDS):
                out[3] += popcount(bits[w] & self.beside[free_long[i]][w])
        for s in range(1, most_long):
            out[3 + s] = self.packing_size(0, free_long, longs, s)
        for s in range(1, most_short):
            out[2 + most_long + s] = self.packing_size(1, free_short, shorts, s)

    cdef int list_free(self, int which, Cells closed, int* out) noexcept nogil:
        cdef Kind* kind = self.kinds + which
        cdef int p, n = 0
        for p in range(kind.n):
            if not kind.sets[p] & closed:
                out[n] = p
                n += 1
        return n

    cdef int packing_size(self, int which, const int* free, int n, int capacity) noexcept nogil:
        """Return the size of a packing: free placements of which no cell is in more than `capacity`."""
        cdef Kind* kind = self.kinds + which
        cdef int left[MAX_CELLS]
        cdef int free_with_cell[MAX_CELLS]
        cdef int open[MAX_PLACEMENTS]
        cdef int i, j, p, c, best, chosen = 0, number = n, kept
        cdef int64_t score, least
        for c in range(self.cells):
            left[c], free_with_cell[c] = capacity, 0
        for i in range(n):
            open[i] = free[i]
            for j in range(kind.length[free[i]]):
                free_with_cell[kind.cells[free[i]][j]] += 1
        while number:
            best, least = 0, -1
            for i in range(number):
                p, score = open[i], 0
                for j in range(kind.length[p]):
                    c = kind.cells[p][j]
                    score += free_with_cell[c] * (SHARE // left[c])
                if least < 0 or score < least:
                    best, least = i, score
            p = open[best]
            chosen += 1
            for j in range(kind.length[p]):
                c = kind.cells[p][j]
                left[c] -= 1
                free_with_cell[c] -= 1
            kept = 0
            for i in range(number):
                if i == best:
                    continue
                p = open[i]
                for j in range(kind.length[p]):
                    if left[kind.cells[p][j]] == 0:
                        break
                else:
                    open[kept] = p
                    kept += 1
                    continue
                for j in range(kind.length[p]):
                    free_with_cell[kind.cells[p][j]] -= 1
            number = kept
        return chosen


cdef enum:
    SHOTS = 1024              # most cells of a chain, and most misses after a hit
    MOST_PRICE = 1 << 14      # times all pairs it is below 2^31
    TAIL = 64                 # most further misses with fewer words than placements on a cell


cdef class Finding:
    """The search for one hidden ship, with some of its placements met already, and nothing else hidden.

    met -- int64: the most placements that 0, 1, 2, … cells meet, rising from 0 to all of them. words --
    int64: the number of words by which a placement that is hit is finished with exactly 0, 1, 2, … further
    misses. most -- the most placements on a cell, 1 or more. barred -- the most of these placements that
    one placement of the other ship bars.
    """

    cdef const int64_t[::1] met, words
    cdef int most, free, barred, last, tail
    cdef int64_t behind[TAIL]                 # sums of words within the last places of the chain

    def __cinit__(self, const int64_t[::1] met, const int64_t[::1] words, int most, int barred):
        if not (1 <= most <= MAX_PLACEMENTS and 0 <= barred <= MAX_PLACEMENTS):
            raise ValueError(f"{most} placements on a cell, {barred} barred; 1 to {MAX_PLACEMENTS} "
                             f"and 0 to {MAX_PLACEMENTS} are handled")
        if not 1 <= met.shape[0] <= SHOTS - TAIL or met[0] or met[met.shape[0] - 1] > MAX_PLACEMENTS:
            raise ValueError(f"1 to {SHOTS - TAIL} numbers of placements met, the first 0, the last "
                             f"at most {MAX_PLACEMENTS}")
        if (np.diff(met) < 0).any() or (np.asarray(words) < 0).any():
            raise ValueError("what is met rises, and no number of words is below 0")
        self.met, self.words, self.most, self.barred = met, words, most, barred
        self.last = met.shape[0] - 1
        self.free = met[self.last]
        self.behind[0], self.tail = 0, 0
        while self.tail + 1 < TAIL and self.tail < words.shape[0] and words[self.tail] < most:
            self.behind[self.tail + 1] = self.behind[self.tail] + words[self.tail]
            self.tail += 1

    cdef int64_t met_by(self, int cells) noexcept nogil:
        return self.met[min(cells, self.last)]

    cdef void fill_costs(self, int place, int hit, int price, int32_t* out, int step) noexcept nogil:
        """Fill the least cost of the placements left, if the other ship is hit at a place of the chain.

        hit -- the number of placements met before. out -- the cost if the cell meets, and so bars, at least
        0, …, `most` further ones, `step` apart.
        """
        cdef int64_t finished[SHOTS]
        cdef int64_t sum = 0           # of finished[0], …, finished[within - 1]
        cdef int within = 0, end, cells, barred, left, not_met = self.free - hit
        cdef int most_barred = max(self.barred, self.most)
        cdef int64_t cost[MAX_PLACEMENTS + 1]
        while True:                    # finished[w]: within w further misses
            finished[within] = not_met
            for end in range(min(self.tail, within + 1) + 1):
                cells = within + 1 - end
                finished[within] = min(finished[within], self.behind[end] + min(
                    <int64_t>self.most * cells, self.met_by(place + cells) - hit))
            if finished[within] >= not_met:
                break
            sum += finished[within]
            within += 1
        for barred in range(most_barred + 1):
            left = max(0, not_met - barred)
            while within and finished[within - 1] >= left:
                within -= 1
                sum -= finished[within]
            cost[barred] = <int64_t>(place - price + within) * left - sum
        for barred in range(most_barred - 1, -1, -1):
            cost[barred] = min(cost[barred], cost[barred + 1])
        for barred in range(self.most + 1):
            out[barred * step] = cost[barred]


def least_cost(Finding long not None, Finding short not None, int price):
    """Return the least cost of the chain at a price, by the recursion of `lower_bounds.two_hidden`."""
    if not 0 <= price <= MOST_PRICE:
        raise ValueError(f"a price of {price}; 0 to {MOST_PRICE} are handled")
    cdef int n = long.free, m = short.free
    cdef int place, g, h, t, d, top_g, top_h, next_g, next_h
    cdef int32_t[:, ::1] now, after, at_long, at_short
    # at_long[h, d]: a long placement hit with d of the short ones, h of which are met; at_short so.
    at_long = np.zeros((m + 1, short.most + 1), np.int32)
    at_short = np.zeros((long.most + 1, n + 1), np.int32)
    now = np.zeros((m + 1, n + 1), np.int32)
    after = np.zeros((m + 1, n + 1), np.int32)
    with nogil:
        for place in range(price - 1, -1, -1):
            top_g, top_h = <int>long.met_by(place), <int>short.met_by(place)
            next_g, next_h = <int>long.met_by(place + 1), <int>short.met_by(place + 1)
            for h in range(top_h + 1):
                short.fill_costs(place, h, price, &at_long[h, 0], 1)
            for g in range(top_g + 1):
                long.fill_costs(place, g, price, &at_short[0, g], n + 1)
            now[:, :] = 0
            for h in range(min(top_h, m - 1) + 1):
                for g in range(min(top_g, n - 1) + 1):
                    now[h, g] = INT32_MAX
                for d in range(min(short.most, next_h - h) + 1):
                    for t in range(min(long.most, next_g) + 1):
                        lessen(&now[h, 0], &at_short[t, 0], &after[h + d, t], d,
                               t * at_long[h, d], min(min(top_g, n - 1), next_g - t) + 1)
            now, after = after, now
    return after[0, 0]
