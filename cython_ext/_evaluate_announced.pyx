"""A strategy's decision tree walked over every configuration of a position, sinkings announced.

A family is kept as columns of bits, as in `_evaluate.pyx`: one bit string a cell, and beside the
cells those of the *codes*. The code of a configuration says where each of its ships lies: so many bits
a ship, the number of its placement among those of its kind. Two ships, four configurations of 1x4:2,1
with touching ships, whose placements are A1 B1, B1 C1, C1 D1 and A1, B1, C1, D1:

      configuration   0 1 2 3
      A1              1 1 1 0       configuration 1 is A1 B1 (0) and D1 (3)
      ...
      2, bit 0        0 0 1 1
      2, bit 1        0 0 0 0
      1, bit 0        0 1 1 0
      1, bit 1        1 1 1 0

What a shot at a cell tells follows from its column and the cells hit before, which all configurations
of a family have in common. A ship sinks if all its other cells are hit: few placements through the cell
are such, often none, and a column of the configurations that have one of them is an *and* over the bits
of its number. So the codes are never changed, and nothing is kept of what is sunk already: a ship that
is sunk does not lie on a cell that was not shot. A family splits into missed, hit, and sunk, one part
for each length that is told.

A column is dropped once no configuration has the cell, or it is hit; bits of codes, once all agree.
A cell that all configurations have is a certain hit, and a choice like others: where a sinking tells
something, it splits a family for nothing. Where all cells are certain, the game is over but for hits.

A part of at most 64 configurations is one word a column (`Words`), and stays so to the end.

Costs are counted in misses. The columns lie in the order in which ties between cells are broken.

The rules (`optsearch/strategies` says which strategies they are):

- *greedy*: a most probable cell that is not shot, the first of several; the optimum, the first of
  several cells, once `endgame` configurations are left.
- *rollout*: the same with more than `most` configurations; else the most probable cells are candidates,
  up to `candidates` of them that have at least `percent` percent of the greatest probability. Each is
  costed by what greedy (endgame 4) misses from there on, and the cheapest is shot, the first of several.
  Samples, where there are more than `screen` or `cap` configurations, are those of `_evaluate.pyx`.
- *spread*: greedy, but with more than `least` configurations the number of those that have a cell is
  multiplied by a factor, by how many of its sides are missed, or no cells of the board, and how many
  of its corners are missed. A certain hit comes first.

The search for the optimum is by definition, with the
pairs of configurations that need a miss as a bound: one of each pair is missed, so that the misses are
at least a vertex cover of these pairs. A pair needs none if its cells are the same, or if one of the
two has a ship within the cells common to both that the other has not; `_announced.pyx` has the proof.
A ship that all configurations have tells nothing and takes part in nothing, so its cells are left out.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

import numpy as np

from cells cimport MAX_CELLS, Cells, ctz, first, high, join, low, one, popcount
from columns cimport (BUCKETS, UNIT, Piece, copy_together, count_bits, cut, estimated, extract,
                      greatest_and_all, keep_cheapest, mix_cells, transpose)
from hashing cimport scramble

cdef enum:
    MAX_SHIPS = 32
    MAX_KINDS = 16
    CODE_WORDS = 4
    MAX_CODES = 256       # bits of a code, in CODE_WORDS words
    MAX_ENDGAME = 10
    MEMO = 4096
    MAX_CANDIDATES = 32
    SMALL = 4             # endgame of the greedy that rolls out
    NEVER = 1 << 14       # misses
    LESS = 2              # a part that is so many times smaller than its block gets its own


cdef struct Block:            # a family as columns
    int64_t n                 # configurations
    int64_t words             # of a column
    int cells                 # columns that are cells, in the order of ties
    int codes                 # columns after them: bits of codes
    uint8_t cell[MAX_CELLS]   # of the columns: places in the order
    int16_t column[MAX_CODES + 1]     # of each bit of a code; -1: it is the same in all
    uint64_t same[CODE_WORDS + 1]     # those bits
    uint64_t* data            # column i at data + i * words; bits past n are 0


cdef struct Words:            # a family of at most 64 configurations
    int cells
    uint8_t cell[MAX_CELLS]
    uint64_t column[MAX_CELLS]
    uint64_t bit[MAX_CODES + 1]       # of the codes, a column each
    uint64_t code[CODE_WORDS][64]     # the same by configuration
    uint64_t stamp                    # of its entries among the costs of rollouts


cdef struct Through:          # a placement through a cell
    Cells rest                # its other cells
    int kind
    int number


cdef struct Slot:             # a ship of the fleet
    int kind
    int shift                 # of its number in the code
    int told                  # what its sinking tells


cdef struct Value:            # of a state of the endgame
    Cells hits
    uint32_t part
    uint32_t stamp
    int value


cdef struct Cost:             # what greedy misses in a part of words
    Cells hits
    uint64_t part
    uint64_t stamp
    int64_t cost


cdef class AnnouncedEvaluator:
    """The decision tree of one rule, walked over families that are given one by one.

    order -- the cells in the order in which ties are broken; int32 of shape (cells,).
    endgame -- at most so many configurations are left to the optimum, 0 to 10.
    kinds -- for each kind of ships what its sinking tells (0, 1, …; the same for all if that is not
        told), the bits of its number, and its placements as an (n, 2) uint64 array.
    slots -- for each ship its kind and the first bit of its number in the code; int32 (ships, 2).
    following -- whether single configurations are to be followed.
    least, many, factors, sides, corners, borders -- of spread: the factors, with up to `many`
        configurations and with more, int32 of shape (2, 125), by 25 times the sides missed, 5 times
        those that are no cells, and the corners missed; for each cell of the board its sides and its
        corners as masks, (cells, 2) uint64, and the sides that are no cells.
    candidates, percent, screen, finalists, cap, truncate, estimates -- of rollouts, as those of the
        `Evaluator`; candidates=1 is greedy. most -- configurations of which there are rollouts.
    """

    cdef int cells, endgame, ships, kinds, tolds, codes, code_words
    cdef int candidates, percent, screen, finalists, cap, truncate, most, most_left
    cdef const int32_t[:, ::1] estimates
    cdef Cost* costs
    cdef uint64_t stamp
    cdef int order[MAX_CELLS]
    cdef Slot slot[MAX_SHIPS]
    cdef int width[MAX_KINDS]
    cdef int placements[MAX_KINDS]
    cdef Cells* placed[MAX_KINDS]        # by number; bit i: place i in the order
    cdef Through* through                # of the placements through place p, from start[p] on
    cdef int start[MAX_CELLS + 1]
    cdef Cells near[MAX_CELLS]           # each ship through the place has one of these, unless it is alone
    cdef bint alone[MAX_CELLS]           # whether a ship can lie on the place alone
    cdef bint spreads
    cdef int64_t above                   # so many configurations, it does
    cdef int64_t many                    # from more than so many on, by the second factors
    cdef int32_t factor[2][125]
    cdef Cells sides[MAX_CELLS]          # of each place
    cdef Cells corners[MAX_CELLS]
    cdef int border[MAX_CELLS]
    cdef Block* root
    cdef Cells hits                      # before the root; bit i: place i in the order
    cdef Cells misses                    # the same
    cdef int64_t added
    cdef uint64_t pending[2 + CODE_WORDS][64]
    cdef int64_t histogram[MAX_CELLS + 1]
    cdef bint following                  # there is a column more, of the one configuration followed
    cdef bint stopped, failed
    cdef readonly int64_t nodes          # shots decided on blocks and words
    # The endgame
    cdef int ending                      # configurations
    cdef int marked                      # the one that is followed, if it is one of these
    cdef Cells end_cells[MAX_ENDGAME]
    cdef int end_ships                   # that are not the same in all
    cdef int end_told[MAX_SHIPS]
    cdef Cells end_ship[MAX_ENDGAME][MAX_SHIPS]      # cells that are not hit, as are those before
    cdef uint8_t owner[MAX_ENDGAME][MAX_CELLS]
    cdef uint8_t least[1 << MAX_ENDGAME]
    cdef uint32_t end_now
    cdef Value* memo

    def __cinit__(self, const int32_t[::1] order, int endgame, kinds, const int32_t[:, ::1] slots,
                  bint following=False, int candidates=1, int percent=100, int screen=64,
                  int finalists=1, int cap=64, int truncate=1, int most=0,
                  const int32_t[:, ::1] estimates=None, int64_t least=0,
                  int64_t many=0, const int32_t[:, ::1] factors=None, const uint64_t[:, ::1] sides=None,
                  const uint64_t[:, ::1] corners=None, const int32_t[::1] borders=None):
        cdef int i, t
        if not 0 < order.shape[0] <= MAX_CELLS:
            raise ValueError(f"{order.shape[0]} cells; 1 to {MAX_CELLS} are handled")
        if not 0 < len(kinds) <= MAX_KINDS or not 0 < slots.shape[0] <= MAX_SHIPS:
            raise ValueError(f"{slots.shape[0]} ships of {len(kinds)} kinds are too many")
        if not 0 <= endgame <= MAX_ENDGAME or slots.shape[1] != 2:
            raise ValueError("parameters out of range")
        if candidates > 1 and (candidates > MAX_CANDIDATES or not 64 <= screen <= cap or finalists < 1
                               or truncate < 1 or most < 64 or estimates is None
                               or estimates.shape[1] != BUCKETS or not estimates.shape[0]):
            raise ValueError("parameters of rollouts out of range")
        self.candidates, self.percent, self.screen, self.finalists = candidates, percent, screen, finalists
        self.cap, self.truncate, self.most = cap, truncate, most if candidates > 1 else 0
        if candidates > 1:
            self.estimates = estimates
            self.most_left = <int>estimates.shape[0] - 1
            self.costs = <Cost*>calloc(MEMO, sizeof(Cost))
            if self.costs == NULL:
                raise MemoryError
        self.cells, self.endgame, self.following = <int>order.shape[0], endgame, following
        self.kinds, self.ships = len(kinds), <int>slots.shape[0]
        self.memo = <Value*>calloc(MEMO, sizeof(Value))
        if self.memo == NULL:
            raise MemoryError
        for i in range(self.cells):
            self.order[i] = order[i]
        for t in range(self.kinds):
            self.take_kind(t, kinds[t][1], kinds[t][2])
        for i in range(self.ships):
            t = slots[i, 0]
            if not 0 <= t < self.kinds or not 0 <= slots[i, 1] <= MAX_CODES - self.width[t]:
                raise ValueError(f"ship {i} is not of the kinds given")
            self.slot[i].kind, self.slot[i].shift = t, slots[i, 1]
            self.slot[i].told = self.told_of(kinds[t][0])
            self.codes = max(self.codes, self.slot[i].shift + self.width[t])
            if self.slot[i].shift >> 6 != (self.slot[i].shift + max(self.width[t], 1) - 1) >> 6:
                raise ValueError(f"the number of ship {i} is not in one word")
        self.code_words = (self.codes + 63) >> 6
        self.list_through()
        if factors is not None:
            self.take_factors(least, many, factors, sides, corners, borders)

    cdef int told_of(self, int told) except -1:
        if not 0 <= told < MAX_KINDS:
            raise ValueError(f"{told} is not the number of something told")
        self.tolds = max(self.tolds, told + 1)
        return told

    cdef int take_kind(self, int t, int width, const uint64_t[:, ::1] masks) except -1:
        """The placements of a kind, with the cells by their places in the order."""
        cdef int i, number
        cdef Cells cells
        if masks.shape[1] != 2 or not 0 <= width <= 16 or masks.shape[0] > 1 << width:
            raise ValueError(f"{masks.shape[0]} placements are not numbered by {width} bits")
        self.width[t], self.placements[t] = width, <int>masks.shape[0]
        self.placed[t] = <Cells*>calloc(<size_t>1 << width, sizeof(Cells))
        if self.placed[t] == NULL:
            raise MemoryError
        for number in range(self.placements[t]):
            cells = join(masks[number, 0], masks[number, 1])
            for i in range(self.cells):
                if cells & one(self.order[i]):
                    self.placed[t][number] |= one(i)
        return 0

    cdef int take_factors(self, int64_t least, int64_t many, const int32_t[:, ::1] factors,
                          const uint64_t[:, ::1] sides, const uint64_t[:, ::1] corners,
                          const int32_t[::1] borders) except -1:
        cdef int i, cell
        if least < 64 or factors.shape[0] != 2 or factors.shape[1] != 125 or self.candidates > 1:
            raise ValueError("parameters of spread out of range")
        if not self.cells <= min(sides.shape[0], corners.shape[0], borders.shape[0]):
            raise ValueError("the neighbours of some cells are not given")
        self.spreads, self.above, self.many = True, least, many
        for i in range(125):
            self.factor[0][i], self.factor[1][i] = factors[0, i], factors[1, i]
        for i in range(self.cells):
            cell = self.order[i]
            self.sides[i] = self.placed_cells(join(sides[cell, 0], sides[cell, 1]))
            self.corners[i] = self.placed_cells(join(corners[cell, 0], corners[cell, 1]))
            self.border[i] = borders[cell]
            if not 0 <= self.border[i] <= 4:
                raise ValueError(f"cell {cell} has {borders[cell]} sides on the border")
        return 0

    cdef Cells placed_cells(self, Cells cells) noexcept:
        """A mask of the board by the places in the order."""
        cdef Cells placed = join(0, 0)
        cdef int i
        for i in range(self.cells):
            if cells & one(self.order[i]):
                placed |= one(i)
        return placed

    cdef int list_through(self) except -1:
        """Fill `through`, `near` and `alone`."""
        cdef int i, k, t, number, n = 0, most, best
        cdef int times[MAX_CELLS]
        cdef Cells cells, left
        for t in range(self.kinds):
            for number in range(self.placements[t]):
                cells = self.placed[t][number]
                n += popcount(low(cells)) + popcount(high(cells))
        self.through = <Through*>malloc((n + 1) * sizeof(Through))
        if self.through == NULL:
            raise MemoryError
        n = 0
        for i in range(self.cells):
            self.start[i] = n
            for t in range(self.kinds):
                for number in range(self.placements[t]):
                    if self.placed[t][number] & one(i):
                        self.through[n].rest = self.placed[t][number] & ~one(i)
                        self.through[n].kind, self.through[n].number = t, number
                        n += 1
            # Cells are taken, the most frequent first, until each ship has one.
            self.near[i], self.alone[i] = 0, False
            while True:
                memset(times, 0, sizeof(times))
                most, best = 0, -1
                for k in range(self.start[i], n):
                    left = self.through[k].rest
                    if not left:
                        self.alone[i] = True
                    if left & self.near[i]:
                        continue
                    while left:
                        t = first(left)
                        left &= left - 1
                        times[t] += 1
                        if times[t] > most:
                            most, best = times[t], t
                if best < 0:
                    break
                self.near[i] |= one(best)
        self.start[self.cells] = n
        return 0

    def __dealloc__(self):
        cdef int t
        self.release(self.root)
        for t in range(MAX_KINDS):
            free(self.placed[t])
        free(self.through)
        free(self.memo)
        free(self.costs)

    # Blocks

    cdef Block* new_block(self, int64_t n, int cells, int codes) noexcept nogil:
        """An empty block; NULL, and `failed`, if there is no memory for it."""
        cdef Block* b = <Block*>malloc(sizeof(Block))
        if b == NULL:
            self.failed = True
            return NULL
        b.n, b.words, b.cells, b.codes = n, (n + 63) >> 6, cells, codes
        b.data = <uint64_t*>malloc((b.words * (cells + codes) + 1) * sizeof(uint64_t))
        if b.data == NULL:
            self.failed = True
            free(b)
            return NULL
        return b

    cdef void release(self, Block* b) noexcept nogil:
        if b != NULL:
            free(b.data)
            free(b)

    def begin(self, int64_t n, hits=0, misses=0):
        """Make room for a family of n configurations, in place of the one before.

        hits, misses -- the cells hit before, in all of them, and those missed.
        """
        cdef int i, codes = self.codes + self.following
        cdef uint64_t ones = 0xFFFFFFFFFFFFFFFF
        self.hits = self.placed_cells(join(hits & ones, hits >> 64))
        self.misses = self.placed_cells(join(misses & ones, misses >> 64))
        self.release(self.root)
        self.root = self.new_block(n, self.cells, codes)
        if self.root == NULL:
            self.failed = False
            raise MemoryError
        for i in range(self.cells):
            self.root.cell[i] = <uint8_t>i
        for i in range(codes):
            self.root.column[i] = <int16_t>(self.cells + i)
        memset(self.root.same, 0, sizeof(self.root.same))
        self.added = 0

    def add(self, const uint64_t[:, ::1] rows):
        """Append configurations: the cells of each in two words, and its code in the others."""
        cdef int64_t i
        cdef int at, k
        if self.root == NULL or self.added + rows.shape[0] > self.root.n:
            raise ValueError("more configurations than announced")
        if rows.shape[1] != 2 + self.code_words:
            raise ValueError(f"{rows.shape[1]} words each, not {2 + self.code_words}")
        with nogil:
            for i in range(rows.shape[0]):
                at = self.added & 63
                for k in range(2 + self.code_words):
                    self.pending[k][at] = rows[i, k]
                self.added += 1
                if at == 63 or self.added == self.root.n:
                    self.flush()

    cdef void flush(self) noexcept nogil:
        """Turn the pending configurations into a word of every column."""
        cdef Block* b = self.root
        cdef int i, k, last = (self.added - 1) & 63
        cdef int64_t word = (self.added - 1) >> 6
        for k in range(2 + self.code_words):
            for i in range(last + 1, 64):
                self.pending[k][i] = 0
            transpose(self.pending[k])
        for i in range(b.cells):
            b.data[i * b.words + word] = self.pending[self.order[i] >> 6][self.order[i] & 63]
        for i in range(self.codes):
            b.data[(b.cells + i) * b.words + word] = self.pending[2 + (i >> 6)][i & 63]

    cdef Block* compress(self, const Block* b, const uint64_t* mask, int64_t n, const int64_t* counts,
                         Cells shot) noexcept nogil:
        """The n configurations under a mask as a block.

        counts -- of each cell in a part that includes these; shot -- cells that are not open.
        """
        cdef int i, kept = 0, fill
        cdef int64_t used, j
        cdef Block* result
        cdef uint64_t* out
        cdef uint64_t* end
        cdef Piece* pieces
        for i in range(b.cells):
            kept += counts[i] > 0 and not shot & one(b.cell[i])
        result = self.new_block(n, kept, b.codes)
        if result == NULL:
            return NULL
        pieces = <Piece*>malloc(b.words * sizeof(Piece))
        if pieces == NULL:
            self.failed = True
            self.release(result)
            return NULL
        used = cut(mask, b.words, pieces, &fill)
        out = result.data
        kept = 0
        for i in range(b.cells):
            if counts[i] > 0 and not shot & one(b.cell[i]):
                result.cell[kept] = b.cell[i]
                kept += 1
                out = copy_together(b.data + i * b.words, pieces, used, fill, out)
        memcpy(result.same, b.same, sizeof(b.same))
        for i in range(self.codes + self.following):
            result.column[i] = -1
            if b.column[i] < 0:
                continue
            end = copy_together(b.data + b.column[i] * b.words, pieces, used, fill, out)
            if out[0] & 1:
                for j in range(result.words - 1):
                    if ~out[j]:
                        break
                else:
                    if out[result.words - 1] == (~<uint64_t>0 if fill == 0 else (<uint64_t>1 << fill) - 1):
                        result.same[i >> 6] |= <uint64_t>1 << (i & 63)
                        continue
            else:
                for j in range(result.words):
                    if out[j]:
                        break
                else:
                    continue
            result.column[i] = <int16_t>kept
            kept += 1
            out = end
        result.codes = kept - result.cells
        free(pieces)
        return result

    cdef void gather(self, const Block* b, const uint64_t* mask, int64_t n, Cells hits,
                     Words* w) noexcept nogil:
        """The n configurations under a mask, at most 64, as words."""
        cdef int i, k, used = 0, fill = 0
        cdef int64_t j
        cdef int64_t index[64]
        cdef uint64_t part[64]
        cdef int shift[64]
        cdef uint64_t bits
        cdef const uint64_t* column
        if mask == NULL:
            index[0], part[0], shift[0], used = 0, ~<uint64_t>0, 0, 1
        else:
            for j in range(b.words):
                if mask[j]:
                    index[used], part[used], shift[used] = j, mask[j], fill
                    fill += popcount(mask[j])
                    used += 1
        w.cells = 0
        self.stamp += 1
        w.stamp = self.stamp
        for i in range(b.cells):
            if hits & one(b.cell[i]):
                continue
            column = b.data + i * b.words
            bits = 0
            for k in range(used):
                bits |= extract(column[index[k]], part[k]) << shift[k]
            w.column[w.cells] = bits
            w.cell[w.cells] = b.cell[i]
            w.cells += bits != 0
        for i in range(w.cells, (w.cells + 3) & ~3):
            w.column[i] = 0
        for i in range(self.codes + self.following):
            if b.column[i] < 0:
                w.bit[i] = ~<uint64_t>0 if b.same[i >> 6] >> (i & 63) & 1 else 0
                continue
            column = b.data + b.column[i] * b.words
            bits = 0
            for k in range(used):
                bits |= extract(column[index[k]], part[k]) << shift[k]
            w.bit[i] = bits
        if self.endgame > 1 or self.candidates > 1:
            for k in range(self.code_words):
                for i in range(64):
                    w.code[k][i] = w.bit[64 * k + i] if 64 * k + i < self.codes else 0
                transpose(w.code[k])

    # The walk

    cdef bint has_marked(self, const Block* b, const uint64_t* mask) noexcept nogil:
        """Whether the configuration that is followed is under a mask."""
        cdef int column = b.column[self.codes]
        cdef int64_t j
        if column < 0:
            return b.same[self.codes >> 6] >> (self.codes & 63) & 1
        for j in range(b.words):
            if b.data[column * b.words + j] & (~<uint64_t>0 if mask == NULL else mask[j]):
                return True
        return False

    cdef void walk(self, Block* b, const uint64_t* mask, int64_t n, Cells hits, Cells missed,
                   int misses) noexcept nogil:
        """Enter the part under a mask (NULL: the whole block) in the histogram."""
        cdef int64_t counts[MAX_CELLS]
        cdef int i, best, now
        cdef Words w
        if self.stopped or self.failed or self.following and not self.has_marked(b, mask):
            return
        if n <= 64:
            self.gather(b, mask, n, hits, &w)
            self.walk_words(&w, ~<uint64_t>0 if n == 64 else (<uint64_t>1 << n) - 1, hits, 0, misses)
            return
        best = self.count(b, mask, n, hits, counts, &now)
        if best < 0:
            self.finish(n, misses)
            return
        while n <= self.most:
            i = self.rollout(b, mask, n, counts, hits)
            self.nodes += 1
            if self.failed or self.shoot(b, mask, n, i, counts[i], counts, hits, missed, misses):
                return
            hits |= one(b.cell[i])
            counts[i] = 0
        for i in range(b.cells):     # certain hits come first
            if counts[i] == n:
                self.nodes += 1
                if self.shoot(b, mask, n, i, n, counts, hits, missed, misses):
                    return
                hits |= one(b.cell[i])
        if self.spreads and n > self.above:
            best = self.most_apart(b, n, counts, missed)
        self.nodes += 1
        self.shoot(b, mask, n, best, counts[best], counts, hits, missed, misses)

    cdef int most_apart(self, const Block* b, int64_t n, const int64_t* counts, Cells missed) noexcept nogil:
        """The uncertain cell of which the number times the factor is greatest, the first of several."""
        cdef int i, p, best = -1
        cdef int64_t product, most = -1
        cdef Cells sides, corners
        cdef const int32_t* factor = self.factor[n > self.many]
        for i in range(b.cells):
            if 0 < counts[i] < n:
                p = b.cell[i]
                sides, corners = self.sides[p] & missed, self.corners[p] & missed
                product = counts[i] * factor[25 * (popcount(low(sides)) + popcount(high(sides)))
                                             + 5 * self.border[p]
                                             + popcount(low(corners)) + popcount(high(corners))]
                if product > most:
                    most = product
                    best = i
        return best

    cdef int count(self, const Block* b, const uint64_t* mask, int64_t n, Cells hits, int64_t* counts,
                   int* left) noexcept nogil:
        """Count the configurations with each cell, 0 where hit; the first most probable uncertain one, or -1.

        left -- how many uncertain cells a configuration has (on average, rounded).
        """
        cdef int i, best = -1
        cdef int64_t most = 0, total = 0
        for i in range(b.cells):
            counts[i] = 0
            if hits & one(b.cell[i]):
                continue
            counts[i] = count_bits(b.data + i * b.words, mask, b.words)
            if counts[i] < n:
                total += counts[i]
                if counts[i] > most:
                    most = counts[i]
                    best = i
        left[0] = <int>((total + n // 2) // n)
        return best

    cdef bint shoot(self, Block* b, const uint64_t* mask, int64_t n, int i, int64_t hit,
                    const int64_t* counts, Cells hits, Cells missed, int misses) noexcept nogil:
        """Walk what a shot at column i leaves; whether there are parts: else all give one reply."""
        cdef uint64_t* parts
        cdef uint64_t* sunk[MAX_KINDS]
        cdef int64_t numbers[MAX_KINDS]
        cdef Cells cell = one(b.cell[i])
        cdef int t
        cdef bint splits = True
        if hit == n and not self.can_sink(b.cell[i], hits):
            return False
        parts = <uint64_t*>malloc(2 * b.words * sizeof(uint64_t))
        if parts == NULL:
            self.failed = True
            return True
        self.hit_parts(b, mask, i, hits, parts, sunk, numbers)
        for t in range(self.tolds):
            splits = splits and numbers[t] < n
            hit -= numbers[t]
        splits = splits and hit < n and not self.failed
        if splits:
            for t in range(self.tolds):
                if numbers[t]:
                    self.descend(b, sunk[t], numbers[t], counts, hits | cell, missed, misses)
            if hit:
                self.descend(b, parts, hit, counts, hits | cell, missed, misses)
            if counts[i] < n:
                self.miss_part(b, mask, i, parts)
                self.descend(b, parts, n - counts[i], counts, hits, missed | cell, misses + 1)
        for t in range(self.tolds):
            free(sunk[t])
        free(parts)
        return splits

    cdef void hit_parts(self, const Block* b, const uint64_t* mask, int i, Cells hits, uint64_t* hit,
                        uint64_t** sunk, int64_t* numbers) noexcept nogil:
        """What a hit at column i leaves: those in which no ship sinks; the others as `sink` has them."""
        cdef const uint64_t* column = b.data + i * b.words
        cdef int64_t j
        cdef int t
        for j in range(b.words):
            hit[j] = column[j] if mask == NULL else mask[j] & column[j]
        self.sink(b, hit, b.cell[i], hits, sunk, numbers)
        for t in range(self.tolds):
            if numbers[t]:
                for j in range(b.words):
                    hit[j] &= ~sunk[t][j]

    cdef void miss_part(self, const Block* b, const uint64_t* mask, int i, uint64_t* missed) noexcept nogil:
        """What a miss at column i leaves."""
        cdef const uint64_t* column = b.data + i * b.words
        cdef int64_t j
        for j in range(b.words):
            missed[j] = ~column[j] if mask == NULL else mask[j] & ~column[j]
        if mask == NULL and b.n & 63:
            missed[b.words - 1] &= (<uint64_t>1 << (b.n & 63)) - 1

    cdef inline bint can_sink(self, int place, Cells hits) noexcept nogil:
        """False: a hit there sinks no ship."""
        return self.alone[place] or self.near[place] & hits

    cdef void sink(self, const Block* b, const uint64_t* hit, int place, Cells hits, uint64_t** sunk,
                   int64_t* numbers) noexcept nogil:
        """Which of the configurations under a mask a hit sinks a ship of, by what is told.

        sunk -- masks for the caller to free; NULL where nobody is; numbers -- how many are under it.
        """
        cdef const uint64_t* columns[MAX_CODES]
        cdef uint64_t flip[MAX_CODES]
        cdef const Through* ship
        cdef int k, s, i, bit, used
        cdef uint64_t x, of_bit
        cdef int64_t j, total
        cdef bint agrees
        for k in range(self.tolds):
            sunk[k], numbers[k] = NULL, 0
        if not self.can_sink(place, hits):
            return
        for k in range(self.start[place], self.start[place + 1]):
            ship = &self.through[k]
            if ship.rest & ~hits:
                continue
            for s in range(self.ships):
                if self.slot[s].kind != ship.kind:
                    continue
                used = 0
                agrees = True
                for i in range(self.width[ship.kind]):
                    bit = self.slot[s].shift + i
                    of_bit = ship.number >> i & 1
                    if b.column[bit] >= 0:
                        columns[used] = b.data + b.column[bit] * b.words
                        flip[used] = of_bit - 1
                        used += 1
                    elif (b.same[bit >> 6] >> (bit & 63) & 1) != of_bit:
                        agrees = False
                        break
                if not agrees:
                    continue
                i = self.slot[s].told
                if sunk[i] == NULL:
                    sunk[i] = <uint64_t*>calloc(b.words, sizeof(uint64_t))
                    if sunk[i] == NULL:
                        self.failed = True
                        return
                total = 0
                for j in range(b.words):
                    x = hit[j]
                    for bit in range(used):
                        x &= columns[bit][j] ^ flip[bit]
                    total += popcount(x)
                    sunk[i][j] |= x
                numbers[i] += total

    cdef void descend(self, Block* b, uint64_t* mask, int64_t n, const int64_t* counts, Cells hits,
                      Cells missed, int misses) noexcept nogil:
        """Walk a part, in a block of its own if it is small beside this one."""
        cdef Block* own
        if n <= 64 or LESS * n > b.n:
            self.walk(b, mask, n, hits, missed, misses)
            return
        if self.following and not self.has_marked(b, mask):
            return
        own = self.compress(b, mask, n, counts, hits | missed)
        if own != NULL:
            self.walk(own, NULL, n, hits, missed, misses)
            self.release(own)

    cdef inline void finish(self, int64_t n, int misses) noexcept nogil:
        self.histogram[misses] += n

    cdef void walk_words(self, Words* w, uint64_t x, Cells hits, Cells shot, int misses) noexcept nogil:
        """The same on words. shot -- the columns that are hit."""
        cdef int n = popcount(x), total, i
        cdef uint32_t key
        cdef uint64_t sure[2]
        cdef uint64_t sunk[MAX_KINDS]
        cdef uint64_t hit
        cdef Cells left
        if self.following and not x & w.bit[self.codes]:
            return
        if n == 1:
            self.finish(1, misses)
            return
        if n <= self.endgame:
            self.end(w, x, n, hits, misses)
            return
        sure[0] = sure[1] = 0
        key = greatest_and_all(w.column, w.cells, x, n, &total, sure)
        if key >> 8 == 0:
            self.finish(n, misses)
            return
        left = join(sure[0], sure[1]) & ~shot
        while left:
            i = self.rollout_words(w, x, n, hits, shot) if self.candidates > 1 else first(left)
            if not left & one(i):
                break
            left &= ~one(i)
            self.nodes += 1
            hit = x & ~self.sink_words(w, x, w.cell[i], hits, sunk)
            hits |= one(w.cell[i])
            shot |= one(i)
            if not self.is_same(x, hit, sunk):
                self.walk_hit(w, hit, sunk, hits, shot, misses)
                return
        else:
            i = 255 - (key & 255)
            if self.candidates > 1:
                i = self.rollout_words(w, x, n, hits, shot)
        self.nodes += 1
        hit = x & w.column[i]
        self.walk_words(w, x & ~hit, hits, shot, misses + 1)
        hit &= ~self.sink_words(w, hit, w.cell[i], hits, sunk)
        self.walk_hit(w, hit, sunk, hits | one(w.cell[i]), shot | one(i), misses)

    cdef inline bint is_same(self, uint64_t x, uint64_t hit, const uint64_t* sunk) noexcept nogil:
        """Whether all configurations in x give one reply to a certain hit."""
        cdef int t
        if hit:
            return hit == x
        for t in range(self.tolds):
            if sunk[t]:
                return sunk[t] == x
        return True

    cdef inline void walk_hit(self, Words* w, uint64_t hit, const uint64_t* sunk, Cells hits, Cells shot,
                              int misses) noexcept nogil:
        """Walk what is left after a hit, and after each sinking."""
        cdef int t
        for t in range(self.tolds):
            if sunk[t]:
                self.walk_words(w, sunk[t], hits, shot, misses)
        if hit:
            self.walk_words(w, hit, hits, shot, misses)

    cdef inline uint64_t sink_words(self, const Words* w, uint64_t hit, int place, Cells hits,
                                    uint64_t* sunk) noexcept nogil:
        """What `sink` says of a word of configurations; all that are sunk together."""
        cdef const Through* ship
        cdef const uint64_t* bits
        cdef int k, s, i
        cdef uint64_t x, every = 0
        for k in range(self.tolds):
            sunk[k] = 0
        if not self.can_sink(place, hits):
            return 0
        for k in range(self.start[place], self.start[place + 1]):
            ship = &self.through[k]
            if ship.rest & ~hits:
                continue
            for s in range(self.ships):
                if self.slot[s].kind != ship.kind:
                    continue
                x = hit
                bits = w.bit + self.slot[s].shift
                for i in range(self.width[ship.kind]):
                    x &= bits[i] ^ (<uint64_t>(ship.number >> i & 1) - 1)
                sunk[self.slot[s].told] |= x
                every |= x
        return every

    # The optimum of a few configurations

    cdef void end(self, const Words* w, uint64_t x, int n, Cells hits, int misses) noexcept nogil:
        """Enter the optimal tree of at most MAX_ENDGAME configurations in the histogram."""
        cdef int more
        self.end_begin(w, x, n, hits)
        if n == 2 and self.marked < 0:
            more = self.end_pair(0, 1, 0)
            self.finish(1, misses)
            self.finish(1, misses + more)
            return
        self.end_bounds()
        self.end_walk((1 << n) - 1, hits, misses)

    cdef int end_misses(self, const Words* w, uint64_t x, int n, Cells hits) noexcept nogil:
        """The least misses of a few configurations."""
        if n <= 1:
            return 0
        self.end_begin(w, x, n, hits)
        if n == 2:
            return self.end_pair(0, 1, 0)
        self.end_bounds()
        return self.end_value((1 << n) - 1, hits)

    cdef void end_begin(self, const Words* w, uint64_t x, int n, Cells hits) noexcept nogil:
        """Take in the configurations of an endgame.

        A ship that all have by one slot of the code is left out.
        """
        cdef int k, s, i, word, shift, number
        cdef int index[MAX_ENDGAME]
        cdef uint64_t field, differ
        cdef const Slot* slot
        cdef Cells ship, some
        self.ending, self.marked, self.end_ships = n, -1, 0
        for k in range(n):
            i = index[k] = ctz(x)
            x &= x - 1
            self.end_cells[k] = 0
            if self.following and w.bit[self.codes] >> i & 1:
                self.marked = k
        for s in range(self.ships):
            slot = &self.slot[s]
            word, shift = slot.shift >> 6, slot.shift & 63
            field = (<uint64_t>1 << self.width[slot.kind]) - 1
            differ = 0
            for k in range(1, n):
                differ |= w.code[word][index[k]] ^ w.code[word][index[0]]
            if not differ >> shift & field:
                continue
            some = 0
            for k in range(n):
                number = <int>(w.code[word][index[k]] >> shift & field)
                ship = self.placed[slot.kind][number] & ~hits
                self.end_ship[k][self.end_ships] = ship
                some |= ship
            if some:
                self.end_told[self.end_ships] = slot.told
                for k in range(n):
                    self.end_cells[k] |= self.end_ship[k][self.end_ships]
                self.end_ships += 1

    cdef void end_bounds(self) noexcept nogil:
        """Fill `least` and `owner`: a vertex cover of the pairs that need a miss."""
        cdef int n = self.ending, i, j, s, x, without, apart
        cdef int need[MAX_ENDGAME]
        cdef Cells left
        for i in range(n):
            need[i] = 0
            for j in range(i):
                if self.end_pair(i, j, 0):
                    need[i] |= 1 << j
                    need[j] |= 1 << i
        self.least[0] = 0      # first the most of which no two need a miss
        for x in range(1, 1 << n):
            i = ctz(x)
            without = self.least[x & (x - 1)]
            apart = 1 + self.least[x & (x - 1) & ~need[i]]
            self.least[x] = <uint8_t>max(without, apart)
        for x in range(1 << n):
            self.least[x] = <uint8_t>(popcount(x) - self.least[x])
        self.end_now += 1
        for i in range(n):
            for s in range(self.end_ships):
                left = self.end_ship[i][s]
                while left:
                    self.owner[i][first(left)] = <uint8_t>s
                    left &= left - 1

    cdef bint end_pair(self, int i, int j, Cells hits) noexcept nogil:
        """Whether one of two configurations has to be missed."""
        cdef Cells a = self.end_cells[i] & ~hits, b = self.end_cells[j] & ~hits
        if a == b:
            return False
        return not (self.has_own_ship(i, j, a & b, hits) or self.has_own_ship(j, i, a & b, hits))

    cdef bint has_own_ship(self, int i, int j, Cells common, Cells hits) noexcept nogil:
        """Whether configuration i has a ship within the common cells that j has not."""
        cdef int s, q
        cdef Cells ship
        for s in range(self.end_ships):
            ship = self.end_ship[i][s] & ~hits
            if not ship or ship & ~common:
                continue
            for q in range(self.end_ships):
                if self.end_ship[j][q] & ~hits == ship and self.end_told[q] == self.end_told[s]:
                    break
            else:
                return True
        return False

    cdef int end_value(self, int x, Cells hits) noexcept nogil:
        """The least misses for a part of the configurations of the endgame."""
        cdef int n = popcount(x), cell
        cdef Value* entry
        if n <= 1:
            return 0
        if n == 2:
            return self.end_pair(ctz(x), ctz(x & (x - 1)), hits)
        entry = &self.memo[scramble(low(hits) ^ scramble(high(hits) ^ <uint64_t>x)) & (MEMO - 1)]
        if entry.stamp == self.end_now and entry.part == <uint32_t>x and entry.hits == hits:
            return entry.value
        n = self.end_scan(x, hits, &cell)
        entry.stamp, entry.part, entry.hits, entry.value = self.end_now, <uint32_t>x, hits, n
        return n

    cdef int end_scan(self, int x, Cells hits, int* cell) noexcept nogil:
        """The same, and the first cell that an optimal strategy shoots; -1: all are certain.

        Cells of a ship that all have are not looked at.
        """
        cdef Cells some = 0, every = ~<Cells>0
        cdef int rest = x, best = NEVER, cost, c
        while rest:
            some |= self.end_cells[ctz(rest)]
            every &= self.end_cells[ctz(rest)]
            rest &= rest - 1
        some &= ~hits
        every &= ~hits
        cell[0] = -1
        if some == every:
            return 0
        while some:
            c = first(some)
            some &= some - 1
            cost = self.end_cost(x, hits, c, best)
            if cost < best:
                best = cost
                cell[0] = c
                if best == self.least[x]:
                    break
        return best

    cdef int end_split(self, int x, Cells hits, int cell, int* parts) noexcept nogil:
        """The parts after a shot: missed, hit, and those sunk; whether a ship there is the same in all."""
        cdef int i, s, bit, t, seen = -1
        cdef bint alike = True
        cdef Cells ship, of_first = 0
        for t in range(self.tolds + 2):
            parts[t] = 0
        while x:
            i = ctz(x)
            bit = x & -x
            x ^= bit
            if not self.end_cells[i] & one(cell):
                parts[0] |= bit
                continue
            s = self.owner[i][cell]
            ship = self.end_ship[i][s] & ~hits
            t = self.end_told[s]
            if seen < 0:
                seen, of_first = t, ship
            alike = alike and seen == t and of_first == ship
            parts[2 + t if ship == one(cell) else 1] |= bit
        return alike and not parts[0]

    cdef int end_cost(self, int x, Cells hits, int cell, int limit) noexcept nogil:
        """The misses after a shot, exact if below a limit; NEVER for a ship that all have."""
        cdef int parts[MAX_KINDS + 2]
        cdef int t, cost
        if self.end_split(x, hits, cell, parts):
            return NEVER
        cost = popcount(parts[0])
        for t in range(self.tolds + 2):
            cost += self.least[parts[t]]
        for t in range(self.tolds + 2):
            if cost >= limit:
                return NEVER
            if parts[t] & (parts[t] - 1):
                cost += self.end_value(parts[t], hits | one(cell) if t else hits)
                cost -= self.least[parts[t]]
        return cost

    cdef void end_walk(self, int x, Cells hits, int misses) noexcept nogil:
        """Enter a part of the endgame in the histogram."""
        cdef int parts[MAX_KINDS + 2]
        cdef int n = popcount(x), cell, t
        if n == 0 or self.marked >= 0 and not x >> self.marked & 1:
            return
        if n == 1:
            self.finish(1, misses)
            return
        if n == 2 and not self.following:
            t = self.end_pair(ctz(x), ctz(x & (x - 1)), hits)
            self.finish(1, misses)
            self.finish(1, misses + t)
            return
        self.end_scan(x, hits, &cell)
        if cell < 0:
            self.finish(n, misses)
            return
        self.end_split(x, hits, cell, parts)
        self.end_walk(parts[0], hits, misses + 1)
        for t in range(1, self.tolds + 2):
            self.end_walk(parts[t], hits | one(cell), misses)

    # Rollouts

    cdef int rollout(self, Block* b, const uint64_t* mask, int64_t n, const int64_t* counts,
                     Cells hits) noexcept nogil:
        """The candidate from which greedy misses least."""
        cdef int chosen[MAX_CANDIDATES]
        cdef int64_t costs[MAX_CANDIDATES]
        cdef int found
        found = self.choose(b.cells, counts, chosen)
        if found > self.finalists and n > self.screen:
            self.compare(b, mask, n, self.screen, hits, chosen, found, costs)
            found = keep_cheapest(chosen, costs, found, self.finalists)
        if found == 1:
            return chosen[0]
        return chosen[self.compare(b, mask, n, self.cap, hits, chosen, found, costs)]

    cdef int choose(self, int cells, const int64_t* counts, int* chosen) noexcept nogil:
        """The candidates: how many, and their columns."""
        cdef int found = 0, i, best
        cdef int64_t most, first_most = 0
        cdef uint8_t tried[MAX_CELLS]
        memset(tried, 0, sizeof(tried))
        while found < self.candidates:
            most, best = 0, -1
            for i in range(cells):
                if not tried[i] and counts[i] > most:
                    most = counts[i]
                    best = i
            if first_most == 0:
                first_most = most
            if best < 0 or 100 * most < self.percent * first_most:
                break
            tried[best] = 1
            chosen[found] = best
            found += 1
        return found

    cdef int compare(self, Block* b, const uint64_t* mask, int64_t n, int most, Cells hits,
                     const int* chosen, int found, int64_t* costs) noexcept nogil:
        """The costs of candidates on a sample of at most so many configurations; the cheapest one."""
        cdef int64_t counts[MAX_CELLS]
        cdef int i, left, best = 0, shift = 0
        cdef uint64_t* drawn = NULL
        if n > most:
            drawn = <uint64_t*>malloc(b.words * sizeof(uint64_t))
            if drawn == NULL:
                self.failed = True
                return 0
            n = self.draw(b, mask, n, most, hits, drawn, &shift)
            mask = drawn
        if n:
            self.count(b, mask, n, hits, counts, &left)
        for i in range(found):
            costs[i] = 0
            if n:
                costs[i] = self.roll_shot(b, mask, n, chosen[i], counts, left, hits, shift)
            if costs[i] < costs[best]:
                best = i
        free(drawn)
        return best

    cdef int64_t draw(self, const Block* b, const uint64_t* mask, int64_t n, int most, Cells hits,
                      uint64_t* out, int* shift) noexcept nogil:
        """The sample of a part: its mask, its size, and how many bits of the hash are zero."""
        cdef uint64_t cells[2][64]
        cdef uint64_t hashes[64]
        cdef uint64_t* bits = <uint64_t*>malloc(64 * b.words * sizeof(uint64_t))
        cdef int i, place
        cdef int64_t j
        if bits == NULL:
            self.failed = True
            return 0
        for j in range(b.words):
            memset(cells, 0, sizeof(cells))
            for i in range(b.cells):
                place = self.order[b.cell[i]]
                cells[place >> 6][place & 63] = b.data[i * b.words + j]
            for i in range(self.cells):
                if hits & one(i):
                    cells[self.order[i] >> 6][self.order[i] & 63] = ~<uint64_t>0
            transpose(cells[0])
            transpose(cells[1])
            for i in range(64):
                hashes[i] = mix_cells(cells[0][i], cells[1][i])
            transpose(hashes)
            for i in range(64):
                bits[i * b.words + j] = hashes[i]
            out[j] = ~<uint64_t>0 if mask == NULL else mask[j]
        if mask == NULL and b.n & 63:
            out[b.words - 1] = (<uint64_t>1 << (b.n & 63)) - 1
        shift[0] = 0
        while n > most and shift[0] < 64:
            for j in range(b.words):
                out[j] &= ~bits[shift[0] * b.words + j]
            n = count_bits(out, NULL, b.words)
            shift[0] += 1
        free(bits)
        return n

    cdef int64_t roll_shot(self, Block* b, const uint64_t* mask, int64_t n, int i, const int64_t* counts,
                           int left, Cells hits, int shift) noexcept nogil:
        """What a shot at column i and greedy after it miss in a part, in units."""
        cdef uint64_t* parts = <uint64_t*>malloc(b.words * sizeof(uint64_t))
        cdef uint64_t* sunk[MAX_KINDS]
        cdef int64_t numbers[MAX_KINDS]
        cdef int64_t hit = counts[i], cost = UNIT * (n - counts[i])
        cdef Cells after = hits | one(b.cell[i])
        cdef int t
        if parts == NULL:
            self.failed = True
            return 0
        self.hit_parts(b, mask, i, hits, parts, sunk, numbers)
        for t in range(self.tolds):
            if numbers[t]:
                hit -= numbers[t]
                cost += self.roll_part(b, sunk[t], numbers[t], counts, after, left - 1, shift)
            free(sunk[t])
        cost += self.roll_part(b, parts, hit, counts, after, left - 1, shift)
        if counts[i] < n:
            self.miss_part(b, mask, i, parts)
            cost += self.roll_part(b, parts, n - counts[i], counts, hits, left, shift)
        free(parts)
        return cost

    cdef int64_t roll_part(self, Block* b, const uint64_t* mask, int64_t n, const int64_t* counts, Cells hits,
                           int left, int shift) noexcept nogil:
        """What greedy misses in a part, in units, in a block of its own if it is small beside this one."""
        cdef Block* own
        cdef int64_t cost
        if n <= 64 or LESS * n > b.n:
            return self.roll(b, mask, n, hits, left, shift)
        own = self.compress(b, mask, n, counts, hits)
        if own == NULL:
            return 0
        cost = self.roll(own, NULL, n, hits, left, shift)
        self.release(own)
        return cost

    cdef int64_t roll(self, Block* b, const uint64_t* mask, int64_t n, Cells hits, int left,
                      int shift) noexcept nogil:
        """The same, in this block."""
        cdef int64_t counts[MAX_CELLS]
        cdef int i, best
        cdef Words w
        if n == 0 or self.failed or self.stopped:
            return 0
        if shift and n <= self.truncate:
            return self.estimate(n, left, shift)
        if n <= 64:
            self.gather(b, mask, n, hits, &w)
            return self.roll_words(&w, ~<uint64_t>0 if n == 64 else (<uint64_t>1 << n) - 1, hits, 0, left,
                                   shift)
        best = self.count(b, mask, n, hits, counts, &left)
        if best < 0 and not shift:
            return 0
        for i in range(b.cells):
            if counts[i] == n:
                if not self.tells(b, mask, n, i, hits):
                    hits |= one(b.cell[i])
                    continue
                return self.roll_shot(b, mask, n, i, counts, left, hits, shift)
        return self.roll_shot(b, mask, n, best, counts, left, hits, shift) if best >= 0 else 0

    cdef bint tells(self, Block* b, const uint64_t* mask, int64_t n, int i, Cells hits) noexcept nogil:
        """Whether a certain hit at column i gives several replies."""
        cdef uint64_t* parts
        cdef uint64_t* sunk[MAX_KINDS]
        cdef int64_t numbers[MAX_KINDS]
        cdef int t
        cdef int64_t hit = n
        cdef bint alike = False
        if not self.can_sink(b.cell[i], hits):
            return False
        parts = <uint64_t*>malloc(b.words * sizeof(uint64_t))
        if parts == NULL:
            self.failed = True
            return False
        self.hit_parts(b, mask, i, hits, parts, sunk, numbers)
        for t in range(self.tolds):
            hit -= numbers[t]
            alike = alike or numbers[t] == n
            free(sunk[t])
        free(parts)
        return not alike and hit < n

    cdef int rollout_words(self, Words* w, uint64_t x, int n, Cells hits, Cells shot) noexcept nogil:
        """The candidate from which greedy misses least, of words; never on a sample."""
        cdef int chosen[MAX_CANDIDATES]
        cdef int64_t counts[MAX_CELLS]
        cdef int found, i, best = 0, total = 0
        cdef int64_t cost, least = 0
        for i in range(w.cells):
            counts[i] = 0 if shot & one(i) else popcount(w.column[i] & x)
        found = self.choose(w.cells, counts, chosen)
        if found == 1:
            return chosen[0]
        for i in range(found):
            cost = self.roll_words_shot(w, x, chosen[i], hits, shot, total, 0)
            if i == 0 or cost < least:
                least = cost
                best = i
        return chosen[best]

    cdef int64_t roll_words_shot(self, Words* w, uint64_t x, int i, Cells hits, Cells shot, int left,
                                 int shift) noexcept nogil:
        """What a shot at column i and greedy after it miss, of words."""
        cdef uint64_t sunk[MAX_KINDS]
        cdef uint64_t hit = x & w.column[i], missed = x & ~w.column[i]
        cdef int64_t cost = UNIT * popcount(missed)
        cdef int t
        hit &= ~self.sink_words(w, hit, w.cell[i], hits, sunk)
        if missed:
            cost += self.roll_words(w, missed, hits, shot, left, shift)
        hits |= one(w.cell[i])
        shot |= one(i)
        for t in range(self.tolds):
            if sunk[t]:
                cost += self.roll_words(w, sunk[t], hits, shot, left - 1, shift)
        if hit:
            cost += self.roll_words(w, hit, hits, shot, left - 1, shift)
        return cost

    cdef int64_t roll_words(self, Words* w, uint64_t x, Cells hits, Cells shot, int left,
                            int shift) noexcept nogil:
        """What greedy misses, of words."""
        cdef int n = popcount(x), total, i
        cdef uint32_t key
        cdef uint64_t sure[2]
        cdef uint64_t sunk[MAX_KINDS]
        cdef uint64_t hit
        cdef Cells certain, before = hits
        cdef int64_t cost
        cdef Cost* entry
        if shift and n <= self.truncate:
            return self.estimate(n, left, shift)
        if n <= SMALL:
            return UNIT * <int64_t>self.end_misses(w, x, n, hits)
        entry = &self.costs[scramble(x ^ scramble(low(hits) ^ scramble(high(hits)))) & (MEMO - 1)]
        if entry.stamp == w.stamp and entry.part == x and entry.hits == hits:
            return entry.cost
        sure[0] = sure[1] = 0
        key = greatest_and_all(w.column, w.cells, x, n, &total, sure)
        if key >> 8 == 0 and not shift:
            return 0
        left = (total + n // 2) // n
        certain = join(sure[0], sure[1]) & ~shot
        cost = -1
        while certain:
            i = first(certain)
            certain &= certain - 1
            hit = x & ~self.sink_words(w, x, w.cell[i], hits, sunk)
            if not self.is_same(x, hit, sunk):
                cost = self.roll_words_shot(w, x, i, hits, shot, left, shift)
                break
            hits |= one(w.cell[i])
            shot |= one(i)
        if cost < 0:
            cost = 0
            if key >> 8:
                cost = self.roll_words_shot(w, x, 255 - <int>(key & 255), hits, shot, left, shift)
        entry.hits, entry.part, entry.stamp, entry.cost = before, x, w.stamp, cost
        return cost

    cdef inline int64_t estimate(self, int64_t n, int left, int shift) noexcept nogil:
        """The estimated misses of greedy for n sampled configurations, in units."""
        return estimated(&self.estimates[0, 0], self.most_left, n, left, shift)

    # What Python asks

    def stop(self):
        """Make a walk that runs in another thread end at once; its result means nothing then."""
        self.stopped = True

    def run(self):
        """Walk the family that was added: int64 (129,), configurations by number of misses."""
        cdef int i
        if self.root == NULL or self.added != self.root.n or self.following:
            raise ValueError("fewer configurations than announced")
        self.walk_all()
        result = np.zeros(MAX_CELLS + 1, np.int64)
        for i in range(MAX_CELLS + 1):
            result[i] = self.histogram[i]
        return result

    def follow(self, int64_t index):
        """The misses of the configuration that was added as number `index`: one path of the tree."""
        cdef uint64_t* column
        cdef int i
        if self.root == NULL or self.added != self.root.n or not self.following:
            raise ValueError("fewer configurations than announced, or none to be followed")
        if not 0 <= index < self.root.n:
            raise ValueError(f"there is no configuration {index}")
        column = self.root.data + (self.cells + self.codes) * self.root.words
        memset(column, 0, self.root.words * sizeof(uint64_t))
        column[index >> 6] = <uint64_t>1 << (index & 63)
        self.walk_all()
        return next(i for i in range(MAX_CELLS + 1) if self.histogram[i])

    cdef int walk_all(self) except -1:
        memset(self.histogram, 0, sizeof(self.histogram))
        self.nodes = 0
        with nogil:
            if self.root.n:
                self.walk(self.root, NULL, self.root.n, self.hits, self.misses, 0)
        if self.failed:
            self.failed = False
            raise MemoryError
        return 0
