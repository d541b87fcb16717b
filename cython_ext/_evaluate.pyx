"""A strategy's decision tree walked over every configuration of a position.

A family is kept as columns: one bit string a cell, in which bit i says whether configuration i has a
ship there, 64 configurations a word. On 3x4 with the ships A1 B1, B1 C1, A1 A2:

      configuration   0 1 2
      A1              1 0 1
      B1              1 1 0
      C1              0 1 0
      A2              0 0 1

The configurations with a ship on a cell are counted 64 at a time by popcount. A part of a family is a
mask of configurations; when it is half of its block or less it is copied into a block of its own,
whose columns are the bits under the mask. A cell that all or none of the configurations have is
dropped. Where no cell is left, the game is over but for certain hits.

A part of at most 64 configurations is one word a cell (`Words`), and stays so to the end.

Costs are counted in misses: every configuration needs the same number of hits. The columns lie in the
order in which ties between cells are broken.

The rules (`optsearch/strategies` says which strategies they are):

- *greedy*: a most probable cell, the first of several; the optimum, the first of several cells, once
  `endgame` configurations are left.
- *rollout*: the most probable cells are candidates, up to `candidates` of them that have at least
  `percent` percent of the greatest probability, none of which lies wholly under one before it. Each is
  costed by what greedy (endgame 4) misses from there on, and the cheapest is shot, the first of
  several. Up to `cap` configurations the rollouts are exact. Above, they play on a sample, the
  configurations whose hash ends in b zero bits, with b the least for which there are at most `cap`;
  and above `screen`, a sample of at most so many leaves only the `finalists` cheapest candidates.
  On samples they stop at `truncate` sampled configurations with an estimate. Shots in another order
  leave the same configurations, so what greedy misses is kept in a table by what was hit and
  missed: much of what a node's candidates need was found at the nodes above it.
- *nested rollout*: the same, but above `above` configurations the finalists are compared by what an
  inner rollout policy misses, in place of greedy, on a sample of at most `second`. Its candidates
  are up to `inner`, always costed on that sample; below `floor` configurations of it greedy goes on.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

import numpy as np

from cells cimport MAX_CELLS, Cells, ctz, high, join, low, one, popcount, size
from columns cimport (BUCKETS, UNIT, Piece, copy_together, count_bits, cut, estimated, extract, greatest,
                      keep_cheapest, leading_one, mix_cells, transpose)

cdef enum:
    MAX_HASHES = 24       # bits of the hash that samples can use
    MARGIN = 4            # more of them are kept than a sample should need
    MAX_CANDIDATES = 32
    MAX_ENDGAME = 10
    SMALL = 4             # endgame of the greedy that rolls out, looked up
    MEMO = 4096
    KNOWN = 1 << 15       # parts of about one size whose rollouts are remembered
    FORGOTTEN = 16        # configurations of which it is not: they are soon rolled out again
    SIZES = 21            # of parts: from each power of two to the next, up to 2^21
    MIN_CAP = 64
    NESTED = 1 + MAX_HASHES   # added to the mode of what the inner rollout policy misses


cdef struct Block:        # a family as columns
    int64_t n             # configurations
    int64_t words         # of a column
    int cells             # columns that are cells, in the order of ties
    int hashes            # columns after them: the lowest bits of the configurations' hashes
    int weights           # columns after these: the bits of their weights; 0: all weights are 1
    uint8_t cell[MAX_CELLS]   # of the columns
    uint64_t* data        # column i at data + i * words; bits past n are 0


cdef struct Entry:
    uint64_t part
    uint64_t stamp
    int64_t cost


cdef struct Shots:        # what was shot since the family that was added; bit i: place i in the order
    Cells hits
    Cells misses


cdef struct Known:        # what greedy misses after some shots
    Shots shots
    int64_t cost
    int mode              # 0: an empty entry; 1 + shift: where each stands for 2^shift


cdef struct Words:        # a family of at most 64 configurations
    int cells
    uint64_t stamp        # of its entries in the memo
    int shift             # each configuration stands for 2^shift of them
    uint64_t column[MAX_CELLS]
    int64_t weight[64]    # of the configurations, if they have weights


cdef uint8_t[1 << 16] small_costs    # by the set of patterns that four configurations have
cdef bint has_small_costs = False


cdef void fill_small_costs() noexcept:
    """The least misses for up to four configurations, by which patterns their cells have; once.

    It takes as long as half the imports of a command, most of which evaluate nothing. A pattern is the set of the configurations (bits 0 to 3) that have the cell; bit p of the index
    says that some cell has pattern p. Three configurations have patterns 0 to 7 only.
    """
    global has_small_costs
    cdef int patterns, part, p, hit, cost
    cdef int costs[16]
    if has_small_costs:
        return
    for patterns in range(1 << 16):
        for part in range(16):
            costs[part] = -1
            for p in range(16):
                hit = p & part
                if patterns >> p & 1 and hit and hit != part:
                    cost = costs[hit] + costs[part ^ hit] + popcount(part ^ hit)
                    if costs[part] < 0 or cost < costs[part]:
                        costs[part] = cost
            if costs[part] < 0:
                costs[part] = 0
        # Patterns of three configurations do not split the fourth off; of two, nor the third.
        part = 15 if patterns >> 8 else 7 if patterns >> 4 else 3
        small_costs[patterns] = <uint8_t>costs[part]
    has_small_costs = True


cdef inline Shots no_shots() noexcept nogil:
    cdef Shots shots
    shots.hits = shots.misses = join(0, 0)
    return shots


cdef inline Shots with_hit(Shots shots, int cell) noexcept nogil:
    shots.hits |= one(cell)
    return shots


cdef inline Shots with_miss(Shots shots, int cell) noexcept nogil:
    shots.misses |= one(cell)
    return shots


cdef inline uint64_t place_of(Shots shots, int mode, int64_t n) noexcept nogil:
    """Where the table of rollouts keeps what is known of n configurations after some shots."""
    return ((mix_cells(low(shots.hits) ^ mix_cells(low(shots.misses), high(shots.misses)),
                       high(shots.hits) + <uint64_t>mode) & (KNOWN - 1))
            + KNOWN * <uint64_t>leading_one(n))


cdef inline void weigh_bits(Words* w, uint64_t bits, int i) noexcept nogil:
    """Add 2^i to the weights of some configurations."""
    while bits:
        w.weight[ctz(bits)] += <int64_t>1 << i
        bits &= bits - 1


cdef class Evaluator:
    """The decision tree of one rule, walked over families that are given one by one.

    order -- the cells in the order in which ties are broken; int32 of shape (cells,).
    candidates, percent, screen, finalists, cap, truncate -- of rollouts; candidates=1 is greedy.
    endgame -- at most so many configurations are left to the optimum, 0 to 10.
    distinct -- whether different configurations have different cells.
    estimates -- int32 of shape (k + 1, 128): misses of greedy for each configuration, times 4096,
        by the number of cells left to hit and the number n of configurations: column 4 e + f is for
        n = 2^e (1 + f / 4), and between columns they are interpolated.
    """

    cdef int candidates, percent, endgame, screen, finalists, cap, truncate
    cdef int64_t above
    cdef int second, inner, floor        # of nested rollouts
    cdef bint distinct
    cdef int cells, most_left
    cdef int order[MAX_CELLS]
    cdef const int32_t[:, ::1] estimates
    cdef Block* root
    cdef int64_t added
    cdef uint64_t pending[2][64]
    cdef uint64_t pending_hash[64]
    cdef uint64_t pending_weight[64]
    cdef bint weighted                   # configurations have weights, which the histogram counts
    cdef Entry* memo
    cdef Known* known
    cdef uint64_t stamp
    cdef int64_t histogram[MAX_CELLS + 1]
    cdef int64_t[:, ::1] survey          # configurations and misses by k * BUCKETS + bucket
    cdef bint surveying
    cdef bint stopped, failed
    cdef readonly int64_t done           # configurations finished
    cdef readonly int64_t nodes          # shots decided on blocks and words
    # The endgame of at most MAX_ENDGAME configurations
    cdef int patterns
    cdef uint16_t pattern[MAX_CELLS]
    cdef uint16_t end_cost[1 << MAX_ENDGAME]
    cdef uint32_t end_stamp[1 << MAX_ENDGAME]
    cdef uint32_t end_now
    cdef uint32_t pattern_seen[1 << MAX_ENDGAME]
    cdef int64_t end_weight[MAX_ENDGAME]

    def __cinit__(self, const int32_t[::1] order, int candidates, int percent, int endgame,
                  int screen, int finalists, int cap, int truncate, bint distinct,
                  const int32_t[:, ::1] estimates):
        cdef int i
        if not 0 < order.shape[0] <= MAX_CELLS:
            raise ValueError(f"{order.shape[0]} cells; 1 to {MAX_CELLS} are handled")
        if (not 1 <= candidates <= MAX_CANDIDATES or not 0 <= endgame <= MAX_ENDGAME
                or screen < MIN_CAP or cap < screen or cap >> SIZES or finalists < 1 or not 1 <= truncate <= 64
                or estimates.shape[1] != BUCKETS):
            raise ValueError("parameters out of range")
        fill_small_costs()
        self.cells = <int>order.shape[0]
        for i in range(self.cells):
            self.order[i] = order[i]
        self.candidates, self.percent, self.endgame = candidates, percent, endgame
        self.screen, self.finalists, self.cap, self.truncate = screen, finalists, cap, truncate
        self.above = <int64_t>1 << 62
        self.second = self.inner = self.floor = 0
        self.distinct = distinct
        self.estimates = estimates
        self.most_left = <int>estimates.shape[0] - 1
        self.memo = <Entry*>calloc(MEMO, sizeof(Entry))
        if candidates > 1:
            self.known = <Known*>calloc(KNOWN * SIZES, sizeof(Known))
        if self.memo == NULL or candidates > 1 and self.known == NULL:
            raise MemoryError

    def nest(self, int64_t above, int second, int inner, int floor):
        """Make the rollouts nested ones; the parameters are explained above."""
        if (self.candidates == 1 or above < MIN_CAP or second < self.screen or second >> SIZES
                or not 1 <= inner <= MAX_CANDIDATES or floor < 64):
            raise ValueError("parameters out of range")
        self.above, self.second, self.inner, self.floor = above, second, inner, floor

    def __dealloc__(self):
        self.release(self.root)
        free(self.known)
        free(self.memo)

    # Blocks

    cdef Block* new_block(self, int64_t n, int cells, int hashes, int weights) noexcept nogil:
        """An empty block; NULL, and `failed`, if there is no memory for it."""
        cdef Block* b = <Block*>malloc(sizeof(Block))
        if b == NULL:
            self.failed = True
            return NULL
        b.n, b.words, b.cells, b.hashes, b.weights = n, (n + 63) >> 6, cells, hashes, weights
        b.data = <uint64_t*>malloc((b.words * (cells + hashes + weights) + 1) * sizeof(uint64_t))
        if b.data == NULL:
            self.failed = True
            free(b)
            return NULL
        return b

    cdef void release(self, Block* b) noexcept nogil:
        if b != NULL:
            free(b.data)
            free(b)

    cdef int hashes_needed(self, int64_t n) noexcept nogil:
        """How many bits of the hash the samples of n configurations can take."""
        cdef int bits = 0
        if self.candidates == 1 or n <= self.screen:
            return 0
        while n > self.screen:
            n >>= 1
            bits += 1
        return min(bits + MARGIN, <int>MAX_HASHES)

    def begin(self, int64_t n, bint is_sample=False, int weight_bits=0):
        """Make room for a family of n configurations, in place of the one before.

        is_sample -- they are a sample of the family, for `shot`. weight_bits -- they have weights
        of at most so many bits, which the histogram counts and the rule does not know; their sum
        is below 2^63.
        """
        cdef int i
        if not 0 <= weight_bits <= 63:
            raise ValueError(f"weights of {weight_bits} bits; 0 to 63 are handled")
        if self.root != NULL:
            self.release(self.root)
            if self.known != NULL:
                memset(self.known, 0, KNOWN * SIZES * sizeof(Known))
        self.root = self.new_block(n, self.cells,
                                   <int>MAX_HASHES if is_sample else self.hashes_needed(n),
                                   weight_bits)
        if self.root == NULL:
            self.failed = False
            raise MemoryError
        for i in range(self.cells):
            self.root.cell[i] = <uint8_t>i
        self.added = 0
        self.weighted = weight_bits > 0

    def add(self, const uint64_t[:, ::1] sets, const uint64_t[::1] weights=None):
        """Append configurations, all cells of each; uint64 of shape (n, 2).

        weights -- uint64 of shape (n,), if `begin` was told of weights.
        """
        cdef int64_t i
        cdef int at
        if (weights is not None) != self.weighted or (
                self.weighted and weights.shape[0] != sets.shape[0]):
            raise ValueError("a weight for each configuration, or for none")
        if self.root == NULL or self.added + sets.shape[0] > self.root.n or sets.shape[1] != 2:
            raise ValueError("more configurations than announced")
        with nogil:
            for i in range(sets.shape[0]):
                at = self.added & 63
                self.pending[0][at] = sets[i, 0]
                self.pending[1][at] = sets[i, 1]
                if self.weighted:
                    self.pending_weight[at] = weights[i]
                self.added += 1
                if at == 63 or self.added == self.root.n:
                    self.flush()

    cdef void flush(self) noexcept nogil:
        """Turn the pending configurations into a word of every column."""
        cdef Block* b = self.root
        cdef int i, last = (self.added - 1) & 63
        cdef int64_t word = (self.added - 1) >> 6
        for i in range(64):
            if i > last:
                self.pending[0][i] = self.pending[1][i] = 0
            self.pending_hash[i] = mix_cells(self.pending[0][i], self.pending[1][i])
            if i > last:
                self.pending_hash[i] = 0
        transpose(self.pending[0])
        transpose(self.pending[1])
        for i in range(b.cells):
            b.data[i * b.words + word] = self.pending[self.order[i] >> 6][self.order[i] & 63]
        if b.hashes:
            transpose(self.pending_hash)
            for i in range(b.hashes):
                b.data[(b.cells + i) * b.words + word] = self.pending_hash[i]
        if b.weights:
            for i in range(last + 1, 64):
                self.pending_weight[i] = 0
            transpose(self.pending_weight)
            for i in range(b.weights):
                b.data[(b.cells + b.hashes + i) * b.words + word] = self.pending_weight[i]

    cdef Block* compress(self, const Block* b, const uint64_t* mask, int64_t n,
                         const int64_t* counts, int64_t total) noexcept nogil:
        """The n configurations under a mask as a block.

        counts -- of each cell in a part of `total` configurations that includes these: columns
        that are constant there are dropped.
        """
        cdef int i, kept = 0, hashes = min(self.hashes_needed(n), b.hashes)
        cdef Block* result
        cdef const uint64_t* column
        cdef uint64_t* out
        cdef int64_t used
        cdef int fill = 0
        cdef Piece* pieces
        for i in range(b.cells):
            kept += 0 < counts[i] < total
        result = self.new_block(n, kept, hashes, b.weights)
        if result == NULL:
            return NULL
        kept = 0
        for i in range(b.cells):
            if 0 < counts[i] < total:
                result.cell[kept] = b.cell[i]
                kept += 1
        pieces = <Piece*>malloc(b.words * sizeof(Piece))
        if pieces == NULL:
            self.failed = True
            self.release(result)
            return NULL
        used = cut(mask, b.words, pieces, &fill)
        out = result.data
        for i in range(b.cells + hashes + b.weights):
            if i < b.cells and not 0 < counts[i] < total:
                continue
            column = b.data + (i if i < b.cells + hashes else i - hashes + b.hashes) * b.words
            out = copy_together(column, pieces, used, fill, out)
        free(pieces)
        return result

    cdef void gather(self, const Block* b, const uint64_t* mask, int64_t n, Words* w) noexcept nogil:
        """The n configurations under a mask, at most 64, as words."""
        cdef int i, k, used = 0, fill = 0
        cdef int64_t j
        cdef int64_t index[64]
        cdef uint64_t part[64]
        cdef int shift[64]
        cdef uint64_t bits, all = ~<uint64_t>0 if n == 64 else (<uint64_t>1 << n) - 1
        cdef const uint64_t* column
        w.cells = 0
        self.stamp += 1
        w.stamp = self.stamp
        if mask == NULL:
            for i in range(b.cells):
                bits = b.data[i * b.words]
                w.column[w.cells] = bits
                w.cells += bits != 0 and bits != all
            self.pad(w)
            if b.weights:
                memset(w.weight, 0, sizeof(w.weight))
                for i in range(b.weights):
                    weigh_bits(w, b.data[(b.cells + b.hashes + i) * b.words], i)
            return
        for j in range(b.words):
            if mask[j]:
                index[used], part[used], shift[used] = j, mask[j], fill
                fill += popcount(mask[j])
                used += 1
        for i in range(b.cells):
            column = b.data + i * b.words
            bits = 0
            for k in range(used):
                bits |= extract(column[index[k]], part[k]) << shift[k]
            w.column[w.cells] = bits
            w.cells += bits != 0 and bits != all
        self.pad(w)
        if b.weights:
            memset(w.weight, 0, sizeof(w.weight))
            for i in range(b.weights):
                column = b.data + (b.cells + b.hashes + i) * b.words
                bits = 0
                for k in range(used):
                    bits |= extract(column[index[k]], part[k]) << shift[k]
                weigh_bits(w, bits, i)

    cdef inline void pad(self, Words* w) noexcept nogil:
        cdef int i
        for i in range(w.cells, (w.cells + 3) & ~3):
            w.column[i] = 0

    cdef inline void split(self, const Block* b, const uint64_t* mask, int cell,
                           uint64_t* hit, uint64_t* missed) noexcept nogil:
        cdef const uint64_t* column = b.data + cell * b.words
        cdef int64_t j
        if mask == NULL:
            for j in range(b.words):
                hit[j] = column[j]
                missed[j] = ~column[j]
            if b.n & 63:
                missed[b.words - 1] &= (<uint64_t>1 << (b.n & 63)) - 1
        else:
            for j in range(b.words):
                hit[j] = mask[j] & column[j]
                missed[j] = mask[j] & ~column[j]

    cdef inline int count(self, const Block* b, const uint64_t* mask, int64_t n,
                          int64_t* counts, int* left) noexcept nogil:
        """Count the configurations with each cell; the first most probable uncertain one, or -1.

        left -- how many uncertain cells a configuration has (on average, rounded).
        """
        cdef int i, best = -1
        cdef int64_t most = 0, total = 0
        for i in range(b.cells):
            counts[i] = count_bits(b.data + i * b.words, mask, b.words)
            if counts[i] < n:
                total += counts[i]
                if counts[i] > most:
                    most = counts[i]
                    best = i
        left[0] = <int>((total + n // 2) // n) if n else 0    # a sample can be empty
        return best

    # The walk

    cdef int64_t walk(self, Block* b, const uint64_t* mask, int64_t n, Shots shots,
                      int left) noexcept nogil:
        """Enter the part under a mask (NULL: the whole block) in the histogram; its misses.

        left -- the cells that the shot before left to hit, for the survey.
        """
        cdef int64_t counts[MAX_CELLS]
        cdef int cell, now
        cdef int64_t cost
        cdef uint64_t* parts
        cdef Words w
        cdef int misses = size(shots.misses)
        if self.stopped or self.failed:
            return 0
        if n <= 64:
            self.gather(b, mask, n, &w)
            w.shift = 0
            return self.walk_words(&w, ~<uint64_t>0 if n == 64 else (<uint64_t>1 << n) - 1, misses,
                                   left)
        cell = self.count(b, mask, n, counts, &now)
        if cell < 0:
            self.finish(n, self.weight_under(b, mask, n), misses)
            return 0
        self.nodes += 1
        if self.candidates > 1:
            cell = self.rollout(b, mask, n, counts, shots)
        parts = <uint64_t*>malloc(2 * b.words * sizeof(uint64_t))
        if parts == NULL:
            self.failed = True
            return 0
        self.split(b, mask, cell, parts, parts + b.words)
        cost = n - counts[cell]
        cost += self.descend(b, parts, counts[cell], with_hit(shots, b.cell[cell]), now - 1,
                             counts, n)
        cost += self.descend(b, parts + b.words, n - counts[cell], with_miss(shots, b.cell[cell]),
                             now, counts, n)
        free(parts)
        self.note(n, left, cost)
        return cost

    cdef int64_t descend(self, Block* b, uint64_t* mask, int64_t n, Shots shots, int left,
                         const int64_t* counts, int64_t total) noexcept nogil:
        """Walk a part, in a block of its own if it is small beside this one."""
        cdef Block* own
        cdef int64_t cost
        if n <= 64 or 2 * n > b.n:
            return self.walk(b, mask, n, shots, left)
        own = self.compress(b, mask, n, counts, total)
        if own == NULL:
            return 0
        cost = self.walk(own, NULL, n, shots, left)
        self.release(own)
        return cost

    cdef inline void finish(self, int64_t n, int64_t weight, int misses) noexcept nogil:
        self.histogram[misses] += weight
        self.done += n

    cdef int64_t weight_under(self, const Block* b, const uint64_t* mask, int64_t n) noexcept nogil:
        """What the n configurations under a mask weigh."""
        cdef int i
        cdef int64_t weight = 0
        if not b.weights:
            return n
        for i in range(b.weights):
            weight += count_bits(
                b.data + (b.cells + b.hashes + i) * b.words, mask, b.words) << i
        return weight

    cdef int64_t weight_of_words(self, const Words* w, uint64_t x) noexcept nogil:
        """The same of those in x."""
        cdef int64_t weight = 0
        if not self.weighted:
            return popcount(x)
        while x:
            weight += w.weight[ctz(x)]
            x &= x - 1
        return weight

    cdef inline void note(self, int64_t n, int left, int64_t cost) noexcept nogil:
        cdef int e
        if self.surveying:
            e = leading_one(n)
            e = left * BUCKETS + 4 * e + <int>((n << 2 >> e) & 3)
            self.survey[e, 0] += n
            self.survey[e, 1] += cost

    cdef int64_t walk_words(self, Words* w, uint64_t x, int misses, int left) noexcept nogil:
        """The same on words."""
        cdef int n = popcount(x), best, now, total
        cdef uint32_t key
        cdef int64_t cost
        if n <= self.endgame or n == 1:
            cost = self.end(w, x, n, misses)
            self.note(n, left, cost)
            return cost
        key = greatest(w.column, w.cells, x, n, &total)
        if key >> 8 == 0:
            self.finish(n, self.weight_of_words(w, x), misses)
            return 0
        best = 255 - (key & 255)
        self.nodes += 1
        now = (total + n // 2) // n
        if self.candidates > 1:
            best = self.rollout_words(w, x, n)
        cost = popcount(x & ~w.column[best])
        cost += self.walk_words(w, x & w.column[best], misses, now - 1)
        cost += self.walk_words(w, x & ~w.column[best], misses + 1, now)
        self.note(n, left, cost)
        return cost

    # The optimum of a few configurations

    cdef int64_t end(self, const Words* w, uint64_t x, int n, int misses) noexcept nogil:
        """Enter the optimal tree of at most MAX_ENDGAME configurations in the histogram."""
        cdef int i
        cdef uint64_t left = x
        if n == 1:
            self.finish(1, self.weight_of_words(w, x), misses)
            return 0
        self.end_begin(w, x, n)
        if self.weighted:
            for i in range(n):
                self.end_weight[i] = w.weight[ctz(left)]
                left &= left - 1
        self.end_walk((1 << n) - 1, misses)
        return self.end_solve((1 << n) - 1)

    cdef void end_begin(self, const Words* w, uint64_t x, int n) noexcept nogil:
        """Find the patterns of the endgame under x."""
        cdef int i
        cdef uint16_t p
        self.end_now += 1
        self.patterns = 0
        for i in range(w.cells):
            p = <uint16_t>extract(w.column[i], x)
            if p and p != (1 << n) - 1 and self.pattern_seen[p] != self.end_now:
                self.pattern_seen[p] = self.end_now
                self.pattern[self.patterns] = p
                self.patterns += 1

    cdef int end_solve(self, int x) noexcept nogil:
        """The least misses for a part of the configurations of the endgame."""
        cdef int n = popcount(x), i, hit, h, m, cost, best = 1 << 14
        # Distinct configurations: all but one are missed at least once.
        cdef int each = 1 if self.distinct else 0
        if n == 1:
            return 0
        if self.end_stamp[x] == self.end_now:
            return self.end_cost[x]
        for i in range(self.patterns):
            hit = self.pattern[i] & x
            if hit == 0 or hit == x:
                continue
            h = popcount(hit)
            m = n - h
            cost = m + each * (m - 1)
            if cost + each * (h - 1) >= best:
                continue
            cost += self.end_solve(hit)
            if cost >= best:
                continue
            cost += self.end_solve(x ^ hit) - each * (m - 1)
            if cost < best:
                best = cost
        if best == 1 << 14:
            best = 0
        self.end_stamp[x] = self.end_now
        self.end_cost[x] = <uint16_t>best
        return best

    cdef int end_shot(self, int x) noexcept nogil:
        """The part that is hit by the first optimal cell; 0 where no cell is open."""
        cdef int hit, i, cost = self.end_solve(x)
        for i in range(self.patterns):
            hit = self.pattern[i] & x
            if hit == 0 or hit == x:
                continue
            if popcount(x ^ hit) + self.end_solve(hit) + self.end_solve(x ^ hit) == cost:
                return hit
        return 0

    cdef void end_walk(self, int x, int misses) noexcept nogil:
        cdef int n = popcount(x), hit = self.end_shot(x) if n > 1 else 0, i
        cdef int64_t weight = 0 if self.weighted else n
        if hit == 0:
            if self.weighted:
                for i in range(MAX_ENDGAME):
                    if x >> i & 1:
                        weight += self.end_weight[i]
            self.finish(n, weight, misses)
            return
        self.end_walk(hit, misses)
        self.end_walk(x ^ hit, misses + 1)

    # Rollouts

    cdef int rollout(self, Block* b, const uint64_t* mask, int64_t n, const int64_t* counts,
                     Shots shots) noexcept nogil:
        """The candidate from which greedy misses least."""
        cdef int chosen[MAX_CANDIDATES]
        cdef int64_t costs[MAX_CANDIDATES]
        cdef int found, shift = 0
        cdef const uint64_t* under = mask
        cdef uint64_t* drawn = NULL
        if n > self.cap:
            drawn = <uint64_t*>malloc(b.words * sizeof(uint64_t))
            if drawn == NULL:
                self.failed = True
                return 0
            self.draw(b, mask, n, self.cap, drawn, &shift)
            under = drawn
        found = self.choose(b, under, n, counts, self.candidates, chosen)
        free(drawn)
        if found > self.finalists and n > self.screen:
            self.compare(b, mask, n, self.screen, shots, chosen, found, False, False, costs)
            found = keep_cheapest(chosen, costs, found, self.finalists)
        if found == 1:
            return chosen[0]
        return chosen[self.compare(b, mask, n, self.second if n > self.above else self.cap, shots,
                                   chosen, found, n > self.above, True, costs)]

    cdef int compare(self, Block* b, const uint64_t* mask, int64_t n, int cap, Shots shots,
                     const int* chosen, int found, bint nested, bint give_up,
                     int64_t* costs) noexcept nogil:
        """The costs of candidates on a sample of at most `cap` configurations; the cheapest one.

        nested -- by the inner rollout policy, not by greedy.
        give_up -- as soon as one costs more than another; its cost is not found then.
        """
        cdef Block* sample = NULL
        cdef Block* s = b
        cdef int64_t size = n
        cdef int64_t counts[MAX_CELLS]
        cdef int i, cell, left, best = 0, shift = 0
        cdef uint64_t* parts
        cdef uint64_t* drawn
        if n > cap:
            drawn = <uint64_t*>malloc(b.words * sizeof(uint64_t))
            if drawn != NULL:
                size = self.draw(b, mask, n, cap, drawn, &shift)
                # Columns keep their numbers: certain cells are the only ones dropped.
                s = sample = self.compress_all(b, drawn, size)
            free(drawn)
            mask = NULL
            if sample == NULL:
                self.failed = True
                return 0
        parts = <uint64_t*>malloc(2 * s.words * sizeof(uint64_t))
        if parts == NULL:
            self.failed = True
            self.release(sample)
            return 0
        self.count(s, mask, size, counts, &left)
        for i in range(found):
            cell = chosen[i]
            self.split(s, mask, cell, parts, parts + s.words)
            costs[i] = UNIT * (size - counts[cell])
            costs[i] += self.play_part(s, parts, counts[cell], with_hit(shots, s.cell[cell]),
                                       left - 1, shift, counts, size, nested)
            if not give_up or i == 0 or costs[i] < costs[best]:
                costs[i] += self.play_part(s, parts + s.words, size - counts[cell],
                                           with_miss(shots, s.cell[cell]), left, shift, counts,
                                           size, nested)
            if costs[i] < costs[best]:
                best = i
        free(parts)
        self.release(sample)
        return best

    cdef int64_t draw(self, const Block* b, const uint64_t* mask, int64_t n, int cap,
                      uint64_t* out, int* shift) noexcept nogil:
        """The sample of a part: its mask, its size, and how many bits of the hash are zero."""
        cdef int64_t j, size = n
        cdef const uint64_t* column
        for j in range(b.words):
            out[j] = ~<uint64_t>0 if mask == NULL else mask[j]
        if mask == NULL and b.n & 63:
            out[b.words - 1] = (<uint64_t>1 << (b.n & 63)) - 1
        shift[0] = 0
        while size > cap and shift[0] < b.hashes:
            column = b.data + (b.cells + shift[0]) * b.words
            for j in range(b.words):
                out[j] &= ~column[j]
            size = count_bits(out, NULL, b.words)
            shift[0] += 1
        return size

    cdef Block* compress_all(self, const Block* b, const uint64_t* mask, int64_t n) noexcept nogil:
        """The part under a mask as a block with all the cells of this one."""
        cdef int64_t counts[MAX_CELLS]
        cdef int i
        for i in range(b.cells):
            counts[i] = 1
        return self.compress(b, mask, n, counts, 2)

    cdef int choose(self, const Block* b, const uint64_t* mask, int64_t n, const int64_t* counts,
                    int number, int* chosen) noexcept nogil:
        """The candidates, at most so many: how many, and their columns.

        mask -- of the family, or of its sample, on which it is judged which cells lie under others.
        """
        cdef int found = 0, i, j, cell
        cdef int64_t most, limit = 0, first_most = 0
        cdef uint8_t tried[MAX_CELLS]
        memset(tried, 0, sizeof(tried))
        while found < number:
            most = 0
            cell = -1
            for i in range(b.cells):
                if not tried[i] and most < counts[i] < n:
                    most = counts[i]
                    cell = i
            if first_most == 0:
                first_most = most
            if cell < 0 or 100 * most < self.percent * first_most:
                break
            tried[cell] = 1
            for j in range(found):
                if self.lies_under(b, mask, cell, chosen[j]):
                    break
            else:
                chosen[found] = cell
                found += 1
        return found

    cdef inline bint lies_under(self, const Block* b, const uint64_t* mask, int a, int c) noexcept nogil:
        """Whether all configurations with cell a have cell c."""
        cdef int64_t j
        cdef const uint64_t* of_a = b.data + a * b.words
        cdef const uint64_t* of_c = b.data + c * b.words
        if mask == NULL:
            for j in range(b.words):
                if of_a[j] & ~of_c[j]:
                    return False
        else:
            for j in range(b.words):
                if mask[j] & of_a[j] & ~of_c[j]:
                    return False
        return True

    cdef int rollout_words(self, Words* w, uint64_t x, int n) noexcept nogil:
        """The same on words; always exact."""
        cdef int chosen[MAX_CANDIDATES]
        cdef int found = 0, i, j, cell, most, first_most = 0, best = 0
        cdef int counts[MAX_CELLS]
        cdef uint64_t tried[2]
        cdef uint64_t column
        cdef int64_t cost, least = -1
        tried[0] = tried[1] = 0
        for i in range(w.cells):
            counts[i] = popcount(w.column[i] & x)
        while found < self.candidates:
            most = 0
            cell = -1
            for i in range(w.cells):
                if most < counts[i] < n and not tried[i >> 6] >> (i & 63) & 1:
                    most = counts[i]
                    cell = i
            if first_most == 0:
                first_most = most
            if cell < 0 or 100 * most < self.percent * first_most:
                break
            tried[cell >> 6] |= <uint64_t>1 << (cell & 63)
            column = w.column[cell] & x
            for j in range(found):
                if not column & ~w.column[chosen[j]]:
                    break
            else:
                chosen[found] = cell
                found += 1
        if found == 1:
            return chosen[0]
        for i in range(found):
            column = w.column[chosen[i]]
            cost = UNIT * (n - counts[chosen[i]]) + self.roll_words(w, x & column, 0)
            if least < 0 or cost < least:
                cost += self.roll_words(w, x & ~column, 0)
                if least < 0 or cost < least:
                    least = cost
                    best = i
        return chosen[best]

    cdef int64_t play_part(self, Block* b, uint64_t* mask, int64_t n, Shots shots, int left,
                           int shift, const int64_t* counts, int64_t total,
                           bint nested) noexcept nogil:
        """What greedy, or the inner rollout policy, misses in a part; estimated where sampled."""
        cdef Block* part = b
        cdef Known* entry
        cdef int64_t cost
        cdef int mode = 1 + shift
        if shift and n <= self.truncate:
            return self.estimate(n, left, shift)
        if n <= FORGOTTEN:
            return self.roll(b, mask, n, shots, left, shift)
        nested = nested and n > self.floor
        if nested:
            mode += NESTED
        entry = &self.known[place_of(shots, mode, n)]
        if (entry.mode == mode and entry.shots.hits == shots.hits
                and entry.shots.misses == shots.misses):
            return entry.cost
        if n > 64 and 2 * n <= b.n:
            part = self.compress(b, mask, n, counts, total)
            if part == NULL:
                return 0
            mask = NULL
        if nested:
            cost = self.roll_nested(part, mask, n, shots, shift)
        else:
            cost = self.roll(part, mask, n, shots, left, shift)
        if part != b:
            self.release(part)
        if not self.failed:
            entry.shots, entry.mode, entry.cost = shots, mode, cost
        return cost

    cdef int64_t play_parts(self, Block* b, const uint64_t* mask, int64_t n, int cell,
                            uint64_t* parts, Shots shots, int now, int shift,
                            const int64_t* counts, bint nested) noexcept nogil:
        """What a shot at a column misses in a part of n, and what is played after it; `parts` is room."""
        cdef int64_t cost = UNIT * (n - counts[cell])
        self.split(b, mask, cell, parts, parts + b.words)
        cost += self.play_part(b, parts, counts[cell], with_hit(shots, b.cell[cell]), now - 1,
                               shift, counts, n, nested)
        cost += self.play_part(b, parts + b.words, n - counts[cell],
                               with_miss(shots, b.cell[cell]), now, shift, counts, n, nested)
        return cost

    cdef int64_t roll_nested(self, Block* b, const uint64_t* mask, int64_t n, Shots shots,
                             int shift) noexcept nogil:
        """What the inner rollout policy misses in a part of more than 64 configurations."""
        cdef int64_t counts[MAX_CELLS]
        cdef int chosen[MAX_CANDIDATES]
        cdef int found, cell, now, i, best
        cdef int64_t cost, least = -1
        cdef uint64_t* parts
        cell = self.count(b, mask, n, counts, &now)
        if cell < 0:
            return 0
        parts = <uint64_t*>malloc(2 * b.words * sizeof(uint64_t))
        if parts == NULL:
            self.failed = True
            return 0
        found = self.choose(b, mask, n, counts, self.inner, chosen)
        best = chosen[0]
        for i in range(found if found > 1 else 0):
            cell = chosen[i]
            self.split(b, mask, cell, parts, parts + b.words)
            cost = UNIT * (n - counts[cell])
            cost += self.play_part(b, parts, counts[cell], with_hit(shots, b.cell[cell]), now - 1,
                                   shift, counts, n, False)
            if least < 0 or cost < least:
                cost += self.play_part(b, parts + b.words, n - counts[cell],
                                       with_miss(shots, b.cell[cell]), now, shift, counts, n,
                                       False)
                if least < 0 or cost < least:
                    least = cost
                    best = cell
        cost = self.play_parts(b, mask, n, best, parts, shots, now, shift, counts, True)
        free(parts)
        return cost

    cdef int64_t roll(self, Block* b, const uint64_t* mask, int64_t n, Shots shots, int left,
                      int shift) noexcept nogil:
        cdef int64_t counts[MAX_CELLS]
        cdef int cell, now
        cdef int64_t cost
        cdef uint64_t* parts
        cdef Words w
        if n <= 64:
            self.gather(b, mask, n, &w)
            w.shift = shift
            return self.roll_words(&w, ~<uint64_t>0 if n == 64 else (<uint64_t>1 << n) - 1, left)
        cell = self.count(b, mask, n, counts, &now)
        if cell < 0:
            return 0
        parts = <uint64_t*>malloc(2 * b.words * sizeof(uint64_t))
        if parts == NULL:
            self.failed = True
            return 0
        cost = self.play_parts(b, mask, n, cell, parts, shots, now, shift, counts, False)
        free(parts)
        return cost

    cdef int64_t roll_words(self, Words* w, uint64_t x, int left) noexcept nogil:
        """The same on words."""
        cdef int n = popcount(x), i, best, total
        cdef uint32_t seen, key
        cdef int64_t cost
        cdef Entry* entry
        if w.shift and n <= self.truncate:
            return self.estimate(n, left, w.shift)
        if n <= SMALL:
            if n <= 1:
                return 0
            if n == 2 and self.distinct:
                return UNIT     # each has a cell that the other has not
            seen = 0
            for i in range(w.cells):
                seen |= <uint32_t>1 << extract(w.column[i], x)
            return UNIT * <int64_t>self.small_cost(seen, n)
        entry = &self.memo[(x * <uint64_t>0x9E3779B97F4A7C15) >> 52]
        if entry.part == x and entry.stamp == w.stamp:
            return entry.cost
        key = greatest(w.column, w.cells, x, n, &total)
        if key >> 8 == 0:
            return 0
        best = 255 - (key & 255)
        left = (total + n // 2) // n if w.shift else 0
        cost = UNIT * <int64_t>(n - (key >> 8))
        cost += self.roll_words(w, x & w.column[best], left - 1)
        cost += self.roll_words(w, x & ~w.column[best], left)
        entry.part, entry.stamp, entry.cost = x, w.stamp, cost
        return cost

    cdef inline int small_cost(self, uint32_t seen, int n) noexcept nogil:
        """The least misses of 2 to 4 configurations whose cells have these patterns."""
        # The patterns of none and of all split nothing. The table takes n from the highest one.
        return small_costs[(seen & ~<uint32_t>1) | <uint32_t>1 << ((1 << n) - 1)]

    cdef inline int64_t estimate(self, int64_t n, int left, int shift) noexcept nogil:
        """The estimated misses of greedy for n sampled configurations, in units."""
        return estimated(&self.estimates[0, 0], self.most_left, n, left, shift)

    # What Python asks

    def stop(self):
        """Make a walk that runs in another thread end at once; its result means nothing then."""
        self.stopped = True

    def shot(self, hits, misses, int64_t n, const int64_t[::1] exact_counts):
        """The cell to shoot where n configurations are left, too many to list.

        What was added is a sample of all of them, larger than those that are drawn here: of hashes
        that end in zero bits. exact_counts -- how many of the n configurations have each cell.
        """
        cdef int64_t counts[MAX_CELLS]
        cdef int64_t j
        cdef int i, cell
        cdef Block* b = self.root
        cdef uint64_t* mask
        cdef const uint64_t* column
        cdef uint64_t all = 0xFFFFFFFFFFFFFFFF
        cdef Shots shots = no_shots()
        cdef uint64_t[2] hit = [hits & all, hits >> 64]
        cdef uint64_t[2] missed = [misses & all, misses >> 64]
        if b == NULL or self.added != b.n or exact_counts.shape[0] != self.cells:
            raise ValueError("fewer configurations than announced")
        mask = <uint64_t*>malloc((b.words + 1) * sizeof(uint64_t))
        if mask == NULL:
            raise MemoryError
        with nogil:
            for j in range(b.words):
                mask[j] = ~<uint64_t>0
            if b.n & 63:
                mask[b.words - 1] = (<uint64_t>1 << (b.n & 63)) - 1
            for i in range(self.cells):
                cell = self.order[i]
                counts[i] = exact_counts[cell]
                column = b.data + i * b.words
                if hit[cell >> 6] >> (cell & 63) & 1:
                    shots = with_hit(shots, i)
                    for j in range(b.words):
                        mask[j] &= column[j]
                elif missed[cell >> 6] >> (cell & 63) & 1:
                    shots = with_miss(shots, i)
                    for j in range(b.words):
                        mask[j] &= ~column[j]
            if count_bits(mask, NULL, b.words) > max(self.cap, self.second):
                cell = self.order[self.rollout(b, mask, n, counts, shots)]
            else:
                cell = -1
        free(mask)
        if self.failed:
            self.failed = False
            raise MemoryError
        if cell < 0:
            raise ValueError("the sample is too small")
        return cell

    cdef int follow_words(self, Words* w, uint64_t x, uint64_t chosen) noexcept nogil:
        """The misses of one configuration (a bit) from a part on."""
        cdef int n, best, total, misses = 0
        cdef uint32_t key
        while True:
            n = popcount(x)
            if n <= self.endgame or n == 1:
                return misses + self.follow_end(w, x, n, chosen)
            key = greatest(w.column, w.cells, x, n, &total)
            if key >> 8 == 0:
                return misses
            best = 255 - (key & 255)
            if self.candidates > 1:
                best = self.rollout_words(w, x, n)
            if w.column[best] & chosen:
                x &= w.column[best]
            else:
                x &= ~w.column[best]
                misses += 1

    cdef int follow_end(self, const Words* w, uint64_t x, int n, uint64_t chosen) noexcept nogil:
        """The misses of one configuration (a bit) in the optimal tree."""
        cdef int part = (1 << n) - 1, hit, misses = 0, mine = <int>extract(chosen, x)
        if n == 1:
            return 0
        self.end_begin(w, x, n)
        while popcount(part) > 1:
            hit = self.end_shot(part)
            if hit == 0:
                break
            if hit & mine:
                part = hit
            else:
                part ^= hit
                misses += 1
        return misses

    def follow(self, int64_t index):
        """The misses of the configuration that was added as number `index`: one path of the tree.

        Shots are decided as by `run`, but nothing beside the path is walked.
        """
        cdef int64_t counts[MAX_CELLS]
        cdef int64_t n, j, at = index
        cdef int cell, now, misses = 0
        cdef Block* b = self.root
        cdef Block* own
        cdef uint64_t* mask = NULL
        cdef uint64_t* parts
        cdef Shots shots = no_shots()
        cdef Words w
        if b == NULL or self.added != b.n or not 0 <= index < b.n:
            raise ValueError(f"there is no configuration {index}")
        n = b.n
        with nogil:
            while n > 64:
                cell = self.count(b, mask, n, counts, &now)
                if cell < 0:
                    break
                if self.candidates > 1:
                    cell = self.rollout(b, mask, n, counts, shots)
                parts = <uint64_t*>malloc(2 * b.words * sizeof(uint64_t))
                if parts == NULL or self.failed:
                    free(parts)
                    self.failed = True
                    break
                self.split(b, mask, cell, parts, parts + b.words)
                if parts[at >> 6] >> (at & 63) & 1:
                    n = counts[cell]
                    shots = with_hit(shots, b.cell[cell])
                else:
                    shots = with_miss(shots, b.cell[cell])
                    for j in range(b.words):
                        parts[j] = parts[b.words + j]
                    n -= counts[cell]
                    misses += 1
                free(mask)
                mask = parts
                if 2 * n <= b.n:
                    own = self.compress_all(b, mask, n)
                    if own == NULL:
                        break
                    j = count_bits(mask, NULL, at >> 6)
                    at = j + popcount(mask[at >> 6] & ((<uint64_t>1 << (at & 63)) - 1))
                    if b != self.root:
                        self.release(b)
                    b = own
                    free(mask)
                    mask = NULL
            if n <= 64 and not self.failed:
                w.shift = 0
                self.gather(b, mask, n, &w)
                if mask != NULL:
                    j = count_bits(mask, NULL, at >> 6)
                    at = j + popcount(mask[at >> 6] & ((<uint64_t>1 << (at & 63)) - 1))
                misses += self.follow_words(
                    &w, ~<uint64_t>0 if n == 64 else (<uint64_t>1 << n) - 1, <uint64_t>1 << at)
            free(mask)
            if b != self.root:
                self.release(b)
        if self.failed:
            self.failed = False
            raise MemoryError
        return misses

    def run(self, bint surveying=False):
        """Walk the family that was added: int64 (129,), configurations by number of misses.

        With weights, what they weigh.

        surveying -- also return int64 (129 * 128, 2): configurations and misses of the nodes met,
        by cells left * 128 + column of the estimates.
        """
        cdef int i
        if self.root == NULL or self.added != self.root.n:
            raise ValueError("fewer configurations than announced")
        memset(self.histogram, 0, sizeof(self.histogram))
        self.done = self.nodes = 0
        self.surveying = surveying
        survey = np.zeros((MAX_CELLS * BUCKETS + BUCKETS if surveying else 1, 2), np.int64)
        self.survey = survey
        with nogil:
            if self.root.n:
                self.walk(self.root, NULL, self.root.n, no_shots(), 0)
        if self.failed:
            self.failed = False
            raise MemoryError
        result = np.zeros(MAX_CELLS + 1, np.int64)
        for i in range(MAX_CELLS + 1):
            result[i] = self.histogram[i]
        return (result, survey) if surveying else result


def sampled(const uint64_t[:, ::1] sets, int bits):
    """Those of some configurations, uint64 of shape (n, 2), whose hash ends in so many zero bits."""
    cdef int64_t i
    cdef uint8_t[::1] view
    cdef uint64_t ones = (<uint64_t>1 << bits) - 1
    keep = np.empty(sets.shape[0], np.uint8)
    view = keep
    with nogil:
        for i in range(sets.shape[0]):
            view[i] = not mix_cells(sets[i, 0], sets[i, 1]) & ones
    return np.asarray(sets)[keep.view(bool)]
