"""Counting all configurations of a board of any shape: a transfer matrix over the frontier.

The cells are swept one by one, in any order, and each ship is placed whole when the sweep meets its
first cell in that order. All that the sweep knows of the board is, for each placement, the cells that
it needs and those that it closes. A state has what the rest of the sweep must know: which ships are
placed, and the *mask* of the cells ahead that are closed, relative to the next cell (bit 0). On a
sweep of a grid by rows that has reached the cell marked here, with the ship AAA and touching forbidden:

      . . . . . .
      . # # # # #
      . # A A A # <-     mask, from this cell on:  1  011111
      . # # # # #

A mask keeps only the cells that some ship to come may need, and hits ahead: others are cleared, which
makes many masks equal. Halos must be symmetric: if a ship closes a cell of another one, that one must
close a cell of the first.

A *layer* holds the masks that a cell is reached with. Each mask has a row: a bit for each fleet that
can be placed so far (mixed radix over the kinds of ships), and then for each such fleet the number,
or the weight, of the ways. So masks are looked up, and fleets are added as whole vectors: placing a
ship moves runs of the row.

A forward pass counts the ways to reach each mask and fleet, a backward pass the ways to complete
them; their products count the configurations through every placement. A count keeps two layers. A
query that goes back keeps all layers, or as many as fit, between which it sweeps again.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

import numpy as np

from cells cimport Cells, ctz, high, join, low
from optsearch.compiled.shared._arena cimport Arena
from slots cimport Slots, add_number, forget_numbers, next_number

cdef extern from *:
    """
    #define optsearch_leading(w) __builtin_clzll(w)
    static inline int optsearch_meets(optsearch_cells a, optsearch_cells b) {
        return (a & b) != 0;
    }
    static inline int optsearch_lacks(optsearch_cells a, optsearch_cells needed) {
        return (needed & ~a) != 0;
    }
    static inline optsearch_cells optsearch_ahead(optsearch_cells mask, optsearch_cells closes,
                                                  optsearch_cells relevant) {
        return (mask | closes) >> 1 & relevant;
    }

    /* out += in, modulo m; m = 0 stands for 2^64 */
    static void optsearch_add_counts(uint64_t *restrict out, const uint64_t *restrict in, int n,
                                     uint64_t m) {
        if (m == 0) {
            for (int i = 0; i < n; i++)
                out[i] += in[i];
        } else {
            for (int i = 0; i < n; i++) {
                uint64_t s = out[i] + in[i];
                out[i] = s - (m & -(uint64_t)(s >= m || s < in[i]));
            }
        }
    }
    static void optsearch_add_weights(double *restrict out, const double *restrict in, int n) {
        for (int i = 0; i < n; i++)
            out[i] += in[i];
    }

    /* The same where `can` has all bits set, or is 1; nothing where it is 0 */
    static void optsearch_add_some_counts(uint64_t *restrict out, const uint64_t *restrict in,
                                          const uint64_t *restrict can, int n, uint64_t m) {
        if (m == 0) {
            for (int i = 0; i < n; i++)
                out[i] += in[i] & can[i];
        } else {
            for (int i = 0; i < n; i++) {
                uint64_t some = in[i] & can[i], s = out[i] + some;
                out[i] = s - (m & -(uint64_t)(s >= m || s < some));
            }
        }
    }
    static void optsearch_add_some_weights(double *restrict out, const double *restrict in,
                                           const double *restrict can, int n, double weight) {
        for (int i = 0; i < n; i++)
            out[i] += weight * can[i] * in[i];
    }

    /* The sum of products where `can` has all bits set, or is 1; modulo m */
    static uint64_t optsearch_dot_counts(const uint64_t *a, const uint64_t *b, const uint64_t *can,
                                         int n, uint64_t m) {
        if (m == 0) {
            uint64_t total = 0;
            for (int i = 0; i < n; i++)
                total += (a[i] & can[i]) * b[i];
            return total;
        }
        unsigned __int128 total = 0;
        uint64_t overflows = 0;   /* times 2^128 */
        for (int i = 0; i < n; i++) {
            unsigned __int128 product = (unsigned __int128)(a[i] & can[i]) * b[i];
            total += product;
            overflows += total < product;
        }
        const uint64_t word = (0 - m) % m;   /* 2^64 */
        const uint64_t two = (unsigned __int128)word * word % m;
        return (uint64_t)((total % m + (unsigned __int128)overflows * two % m) % m);
    }
    static double optsearch_dot_weights(const double *a, const double *b, const double *can, int n) {
        double total = 0;
        for (int i = 0; i < n; i++)
            total += can[i] * a[i] * b[i];
        return total;
    }

    /* Where a ship is added to fleets: out = (in & can) << by, over words; whether any is left */
    static inline int optsearch_move(uint64_t *out, const uint64_t *in, const uint64_t *can,
                                     int words, int by) {
        uint64_t any = 0;
        for (int i = words - 1; i >= 0; i--) {
            int from = i - by / 64, bits = by % 64;
            uint64_t word = from < 0 ? 0 : (in[from] & can[from]) << bits;
            if (bits && from > 0)
                word |= (in[from - 1] & can[from - 1]) >> (64 - bits);
            out[i] = word;
            any |= word;
        }
        return any != 0;
    }
    """
    int leading "optsearch_leading"(uint64_t w) noexcept nogil   # zeros; w is not 0
    bint meets "optsearch_meets"(Cells a, Cells b) noexcept nogil
    bint lacks "optsearch_lacks"(Cells a, Cells needed) noexcept nogil
    Cells ahead "optsearch_ahead"(Cells mask, Cells closes, Cells relevant) noexcept nogil
    void add_counts "optsearch_add_counts"(uint64_t* out, const uint64_t* some, int n,
                                           uint64_t m) noexcept nogil
    void add_weights "optsearch_add_weights"(double* out, const double* some, int n) noexcept nogil
    void add_some_counts "optsearch_add_some_counts"(uint64_t* out, const uint64_t* some,
                                                     const uint64_t* can, int n,
                                                     uint64_t m) noexcept nogil
    void add_some_weights "optsearch_add_some_weights"(double* out, const double* some,
                                                       const double* can, int n,
                                                       double weight) noexcept nogil
    uint64_t dot_counts "optsearch_dot_counts"(const uint64_t* a, const uint64_t* b,
                                               const uint64_t* can, int n, uint64_t m) noexcept nogil
    double dot_weights "optsearch_dot_weights"(const double* a, const double* b, const double* can,
                                               int n) noexcept nogil
    bint move "optsearch_move"(uint64_t* out, const uint64_t* some, const uint64_t* can, int words,
                               int by) noexcept nogil

cdef enum:
    ROWS = 1 << 8         # of a block
    OF_A_MASK = 48        # bytes: itself and its share of the table of numbers


ctypedef fused Value:     # exact counts modulo 2^64 or less, or weights
    uint64_t
    double


cdef struct Layer:        # the states that a cell is reached with
    bint made
    int64_t n, room, freed    # masks; those whose rows are freed
    Cells* masks
    # A row for each mask: bits of fleets, then values (as doubles in a weighted pass); rows are in
    # blocks of ROWS.
    uint64_t** blocks


cdef struct Placement:
    Cells needs, closes   # from its first cell (bit 0) on
    int kind


cdef inline uint64_t* row_of(const Layer* layer, int64_t s, int stride) noexcept nogil:
    return layer.blocks[s // ROWS] + (s % ROWS) * stride


cdef inline uint64_t hash_of(Cells mask) noexcept nogil:
    cdef uint64_t x = (low(mask) ^ (high(mask) * <uint64_t>0xC2B2AE3D27D4EB4F)
                       ) * <uint64_t>0x9E3779B97F4A7C15
    x = (x ^ (x >> 32)) * <uint64_t>0xD6E8FEB86659FD93
    return x ^ (x >> 32)


@cython.no_gc_clear            # __dealloc__ reads the arena
cdef class Frontier:
    """Passes over the cells for one set of constraints.

    tables -- has as attributes, for constraints on a board (`optsearch.counting.frontier.SweepTables`):

    starts -- int32 (cells + 1,): the placements whose first cell is k are number starts[k] to
        starts[k + 1] - 1.
    needs, closes -- uint64 (placements, 2): the cells of each, and these with those that it closes
        to others, from its first cell (bit 0) on. kinds -- int32 (placements,).
    counts -- ships of each kind to place.
    relevant, due -- uint64 (cells + 1, 2): from cell k on, the cells that matter later, and those
        that must be closed because no later placement covers a hit there.
    hit -- uint8 (cells,): the cells that may not be left empty.
    alive -- uint64 (cells + 1, words): the fleets placed before cell k that can be completed, a bit
        each, in mixed radix with the first kind as the lowest digit.

    max_bytes -- MemoryError if the layers would need more.
    """

    cdef Arena arena
    cdef int cells, kinds, fleets, words
    cdef readonly int stride              # words of a row
    cdef int* weights_of                  # of each kind in the mixed radix
    cdef int* counts
    cdef uint64_t* can                    # by kind: the fleets to which a ship can be added
    cdef uint64_t* all_can                # by kind and fleet: all bits if it can, or none
    cdef double* is_can                   # by kind and fleet: 1 if it can, or 0
    cdef uint64_t* some                   # a row of bits to work in
    cdef const int32_t[::1] starts
    cdef Placement* placements
    cdef Cells* relevant
    cdef Cells* due
    cdef const uint8_t[::1] hit
    cdef const uint64_t[:, ::1] alive
    cdef Layer* layers                    # cells + 1
    cdef uint64_t** blocks                # not used by a layer
    cdef int64_t free_blocks, room_for_blocks
    cdef int every                        # layers of multiples of this cell are kept; 0: none
    cdef int64_t used, max_bytes
    cdef readonly int64_t states          # masks of the last forward pass, over all cells
    cdef readonly int64_t transitions     # between them
    cdef readonly int64_t widest          # the most masks of a cell there
    cdef Slots numbers                    # of the masks of one layer
    cdef uint64_t modulus
    cdef const double* weights            # of placements, while a weighted pass runs

    def __cinit__(self, tables, long long max_bytes):
        cdef const int32_t[::1] starts = tables.starts, kinds = tables.kinds
        cdef const uint64_t[:, ::1] needs = tables.needs, closes = tables.closes
        cdef const uint64_t[:, ::1] relevant = tables.relevant, due = tables.due, alive = tables.alive
        cdef const uint8_t[::1] hit = tables.hit
        counts = tables.counts
        cdef int i, f, t, n = <int>kinds.shape[0]
        cdef Cells* needed
        cdef Cells* closed
        self.cells, self.kinds, self.max_bytes = <int>hit.shape[0], len(counts), max_bytes
        self.arena = Arena()
        self.weights_of = <int*>self.arena.array(self.kinds, sizeof(int))
        self.counts = <int*>self.arena.array(self.kinds, sizeof(int))
        self.fleets = 1
        for t in range(self.kinds):
            self.counts[t], self.weights_of[t] = counts[t], self.fleets
            self.fleets *= self.counts[t] + 1
        self.words = (self.fleets + 63) // 64
        self.stride = self.words + self.fleets
        if (starts.shape[0] != self.cells + 1 or starts[self.cells] != n or needs.shape[0] != n
                or closes.shape[0] != n or relevant.shape[0] != self.cells + 1
                or due.shape[0] != self.cells + 1 or alive.shape[0] != self.cells + 1
                or alive.shape[1] != self.words):
            raise ValueError("arrays of another game")
        self.starts, self.hit, self.alive = starts, hit, alive
        self.relevant, self.due = self.arena.cells(relevant), self.arena.cells(due)
        self.layers = <Layer*>self.arena.array(self.cells + 1, sizeof(Layer))
        self.some = <uint64_t*>self.arena.array(self.words, sizeof(uint64_t))
        self.can = <uint64_t*>self.arena.array(self.kinds * self.words, sizeof(uint64_t))
        self.all_can = <uint64_t*>self.arena.array(self.kinds * self.fleets, sizeof(uint64_t))
        self.is_can = <double*>self.arena.array(self.kinds * self.fleets, sizeof(double))
        for t in range(self.kinds):
            for f in range(self.fleets):
                if f // self.weights_of[t] % (self.counts[t] + 1) < self.counts[t]:
                    self.can[t * self.words + (f >> 6)] |= <uint64_t>1 << (f & 63)
                    self.all_can[t * self.fleets + f] = ~<uint64_t>0
                    self.is_can[t * self.fleets + f] = 1.0
        self.placements = <Placement*>self.arena.array(n, sizeof(Placement))
        needed, closed = self.arena.cells(needs), self.arena.cells(closes)
        for i in range(n):
            self.placements[i] = Placement(needed[i], closed[i], kinds[i])

    def __dealloc__(self):
        cdef int k
        cdef int64_t b
        if self.layers != NULL:
            for k in range(self.cells + 1):
                self.drop(k)
        for b in range(self.free_blocks):
            free(self.blocks[b])
        free(self.blocks)
        free(self.numbers.words)

    # Layers

    cdef inline int64_t bytes_of(self, int64_t masks) noexcept nogil:
        return masks * (OF_A_MASK + self.stride * <int64_t>sizeof(uint64_t))

    cdef int drop(self, int k) except -1 nogil:
        """Drop a layer, and keep its blocks for the next ones."""
        cdef Layer dropped = self.layers[k]
        cdef int64_t b
        memset(&self.layers[k], 0, sizeof(Layer))
        self.used -= self.bytes_of(dropped.n - dropped.freed)
        for b in range(dropped.room // ROWS):
            self.put_back(dropped.blocks[b])
        free(dropped.masks)
        free(dropped.blocks)
        return 0

    cdef int put_back(self, uint64_t* block) except -1 nogil:
        """Keep a block, unless it is NULL, for a later layer."""
        if block == NULL:
            return 0
        if self.free_blocks == self.room_for_blocks:
            self.room_for_blocks = max(16, 2 * self.room_for_blocks)
            self.blocks = <uint64_t**>realloc(self.blocks,
                                              self.room_for_blocks * sizeof(uint64_t*))
            if self.blocks == NULL:
                with gil:
                    raise MemoryError
        self.blocks[self.free_blocks] = block
        self.free_blocks += 1
        return 0

    cdef int enlarge(self, Layer* layer) except -1 nogil:
        """Make room for another block of masks."""
        cdef int64_t b = layer.room // ROWS
        layer.room += ROWS
        if b & (b - 1) == 0:     # twice as many
            layer.masks = <Cells*>realloc(layer.masks, 2 * layer.room * sizeof(Cells))
            layer.blocks = <uint64_t**>realloc(layer.blocks, (2 * b + 1) * sizeof(uint64_t*))
        if layer.masks == NULL or layer.blocks == NULL:
            with gil:
                raise MemoryError
        if self.free_blocks:
            self.free_blocks -= 1
            layer.blocks[b] = self.blocks[self.free_blocks]
        else:
            layer.blocks[b] = <uint64_t*>malloc(ROWS * self.stride * sizeof(uint64_t))
        if layer.blocks[b] == NULL:
            with gil:
                raise MemoryError
        return 0

    cdef int thin(self, int k) except -1 nogil:
        """Make room for layer k by dropping layers before it; MemoryError if none can be dropped."""
        cdef int j
        if self.every == 1:
            self.every = 2
            while self.every * self.every < self.cells:
                self.every += 1
            for j in range(k - 1):
                if j % self.every:
                    self.drop(j)
        if self.used > self.max_bytes:
            with gil:
                raise MemoryError
        return 0

    cdef inline int64_t find(self, const Layer* layer, Cells mask, uint64_t hash) noexcept nogil:
        """Return the number of a mask in the layer that `numbers` indexes, or -1."""
        cdef uint64_t at = hash
        cdef int64_t s = next_number(&self.numbers, hash, &at)
        while s >= 0 and not layer.masks[s] == mask:
            s = next_number(&self.numbers, hash, &at)
        return s

    cdef int64_t number(self, int k, Cells mask) except -2 nogil:
        """Return the number of a mask in layer k, which `numbers` indexes; a new one gets zeros."""
        cdef Layer* layer = &self.layers[k]
        cdef uint64_t hash = hash_of(mask)
        cdef int64_t s = self.find(layer, mask, hash)
        if s >= 0:
            return s
        if layer.n == layer.room:
            self.enlarge(layer)
        s = layer.n
        layer.masks[s] = mask
        memset(row_of(layer, s, self.stride), 0, self.stride * sizeof(uint64_t))
        add_number(&self.numbers, hash, s)
        layer.n += 1
        self.used += self.bytes_of(1)
        if self.used > self.max_bytes:
            self.thin(k)
        return s

    cdef int index(self, int k) except -1 nogil:
        """Make `numbers` the index of a layer."""
        cdef int64_t s
        forget_numbers(&self.numbers)
        for s in range(self.layers[k].n):
            add_number(&self.numbers, hash_of(self.layers[k].masks[s]), s)
        return 0

    cdef inline int look_up(self) except -1 nogil:
        """Check for ctrl-C."""
        with gil:
            PyErr_CheckSignals()
        return 0

    # The forward pass

    cdef inline int free_block(self, Layer* layer, int64_t b) except -1 nogil:
        """Free a block of rows that are no longer used."""
        self.put_back(layer.blocks[b])
        layer.blocks[b] = NULL
        layer.freed += ROWS
        self.used -= self.bytes_of(ROWS)
        return 0

    cdef inline void span(self, const uint64_t* row, int* first, int* last) noexcept nogil:
        """Find the first fleet of a row, and the one after the last; a row has at least one."""
        cdef int i = 0
        while row[i] == 0:
            i += 1
        first[0] = 64 * i + ctz(row[i])
        i = self.words - 1
        while row[i] == 0:
            i -= 1
        last[0] = 64 * i + 64 - leading(row[i])

    cdef inline void add(self, Value* out, const Value* some, int first, int last) noexcept nogil:
        """Add the values of a row, from fleet `first` to `last` - 1, to those of another."""
        if Value is double:
            add_weights(out + first, some + first, last - first)
        else:
            add_counts(out + first, some + first, last - first, self.modulus)

    cdef inline void add_ship(self, Value* out, const Value* some, int t, double weight, int first,
                              int last) noexcept nogil:
        """Add the values of fleets to which a ship of kind t can be added, times a weight."""
        last = min(last, self.fleets - self.weights_of[t])
        if Value is double:
            add_some_weights(out + first, some + first, self.is_can + t * self.fleets + first,
                             last - first, weight)
        else:
            add_some_counts(out + first, some + first, self.all_can + t * self.fleets + first,
                            last - first, self.modulus)

    cdef int step(self, int k, Value one) except -1 nogil:
        """Make the layer of cell k + 1 from that of cell k."""
        cdef Layer* here = &self.layers[k]
        cdef Layer* there = &self.layers[k + 1]
        cdef const Placement* placement
        cdef const uint64_t* row
        cdef uint64_t* out
        cdef int64_t s, target
        cdef int i, j, t, by, first, last, words = self.words
        cdef Cells mask, next_mask, nothing = join(0, 0), this = join(1, 0)
        cdef const uint64_t* alive = &self.alive[k + 1, 0]
        cdef uint64_t any
        cdef double weight = 1.0
        forget_numbers(&self.numbers)
        there.made = True
        for s in range(here.n):
            if s & 0x3FFF == 0x3FFF:
                self.look_up()
            if self.every == 0 and s % ROWS == 0 and s:
                self.free_block(here, s // ROWS - 1)
            mask = here.masks[s]
            row = row_of(here, s, self.stride)
            self.span(row, &first, &last)
            if not self.hit[k] or meets(mask, this):
                next_mask = ahead(mask, nothing, self.relevant[k + 1])
                any = 0
                for i in range(words):
                    any |= row[i] & alive[i]
                if any and not lacks(next_mask, self.due[k + 1]):
                    target = self.number(k + 1, next_mask)
                    self.transitions += 1
                    out = row_of(there, target, self.stride)
                    for i in range(words):
                        out[i] |= row[i] & alive[i]
                    self.add(<Value*>(out + words), <const Value*>(row + words), first, last)
            for j in range(self.starts[k], self.starts[k + 1]):
                placement = &self.placements[j]
                if meets(mask, placement.needs):
                    continue
                if Value is double:
                    weight = self.weights[j]
                    if weight == 0:
                        continue
                next_mask = ahead(mask, placement.closes, self.relevant[k + 1])
                if lacks(next_mask, self.due[k + 1]):
                    continue
                t = placement.kind
                by = self.weights_of[t]
                if not move(self.some, row, self.can + t * words, words, by):
                    continue
                any = 0
                for i in range(words):
                    self.some[i] &= alive[i]
                    any |= self.some[i]
                if not any:
                    continue
                target = self.number(k + 1, next_mask)
                self.transitions += 1
                out = row_of(there, target, self.stride)
                for i in range(words):
                    out[i] |= self.some[i]
                self.add_ship(<Value*>(out + words) + by, <const Value*>(row + words), t, weight,
                              first, last)
        return 0

    cdef Value forward(self, Value one, bint keep, watch) except *:
        """Return the number (or total weight) of the configurations."""
        cdef int k
        cdef uint64_t* row
        for k in range(self.cells + 1):
            self.drop(k)
        self.used = self.states = self.transitions = self.widest = 0
        self.every = 1 if keep else 0
        forget_numbers(&self.numbers)
        self.layers[0].made = True
        if not lacks(join(0, 0), self.due[0]):
            self.number(0, join(0, 0))
            row = row_of(&self.layers[0], 0, self.stride)
            row[0] = 1
            (<Value*>(row + self.words))[0] = one
        for k in range(self.cells):
            with nogil:
                self.step(k, one)
            self.states += self.layers[k + 1].n
            self.widest = max(self.widest, self.layers[k + 1].n)
            if self.every == 0 or k % self.every:
                self.drop(k)
            if watch is not None:
                watch(k + 1)
        return self.total(one)

    cdef Value total(self, Value one) noexcept:
        cdef Layer* last = &self.layers[self.cells]
        if last.n == 0:
            return 0
        return (<Value*>(row_of(last, 0, self.stride) + self.words))[self.fleets - 1]

    cdef int restore(self, int k, Value one) except -1 nogil:
        """Restore layer k from the last one before it that was kept, and the index of layer k + 1."""
        cdef int j = k
        while not self.layers[j].made:
            j -= 1
        for j in range(j, k):
            self.step(j, one)
        self.index(k + 1)
        return 0

    # The backward pass

    cdef int backward(self, Value* through, Value one, watch) except -1:
        """Add the configurations through each placement; after a forward pass that kept layers."""
        cdef int k
        cdef int64_t n
        cdef Value* after = NULL
        cdef Value* before = NULL   # of one cell earlier
        try:
            after = <Value*>calloc(self.fleets, sizeof(Value))
            if after == NULL:
                raise MemoryError
            after[self.fleets - 1] = one
            for k in range(self.cells - 1, -1, -1):
                with nogil:
                    self.restore(k, one)
                n = self.layers[k].n
                before = <Value*>calloc(n * self.fleets + 1, sizeof(Value))
                if before == NULL:
                    raise MemoryError
                with nogil:
                    self.step_back(k, before, after, through)
                    self.drop(k + 1)
                free(after)
                after, before = before, NULL
                if watch is not None:
                    watch(self.cells - k)
        finally:
            free(after)
            free(before)
        return 0

    cdef int step_back(self, int k, Value* before, const Value* after, Value* through
                       ) except -1 nogil:
        """Compute the ways to complete each mask and fleet of cell k from those of cell k + 1."""
        cdef Layer* here = &self.layers[k]
        cdef Layer* there = &self.layers[k + 1]
        cdef const Placement* placement
        cdef const Value* row
        cdef const Value* done
        cdef Value* out
        cdef Value some
        cdef double weight = 1.0
        cdef int64_t s, target
        cdef int j, t, by, n, first, last
        cdef Cells mask, next_mask, nothing = join(0, 0), this = join(1, 0)
        for s in range(here.n):
            if s & 0x3FFF == 0x3FFF:
                self.look_up()
            mask = here.masks[s]
            out = before + s * self.fleets
            row = <const Value*>(row_of(here, s, self.stride) + self.words)
            self.span(row_of(here, s, self.stride), &first, &last)
            if not self.hit[k] or meets(mask, this):
                next_mask = ahead(mask, nothing, self.relevant[k + 1])
                target = self.find(there, next_mask, hash_of(next_mask))
                if target >= 0:
                    self.add(out, <const Value*>(after + target * self.fleets), first, last)
            for j in range(self.starts[k], self.starts[k + 1]):
                placement = &self.placements[j]
                if meets(mask, placement.needs):
                    continue
                next_mask = ahead(mask, placement.closes, self.relevant[k + 1])
                target = self.find(there, next_mask, hash_of(next_mask))
                if target < 0:
                    continue
                t = placement.kind
                by = self.weights_of[t]
                done = after + target * self.fleets + by
                n = min(last, self.fleets - by) - first
                if n <= 0:
                    continue
                if Value is double:
                    weight = self.weights[j]
                    through[j] += weight * dot_weights(
                        row + first, done + first, self.is_can + t * self.fleets + first, n)
                else:
                    some = dot_counts(row + first, done + first,
                                      self.all_can + t * self.fleets + first, n, self.modulus)
                    add_counts(&through[j], &some, 1, self.modulus)
                self.add_ship(out, done, t, weight, first, last)
        return 0

    # From ranks to configurations

    cdef int descend(self, Value[::1] ranks, int32_t[:, ::1] out, Value one) except -1:
        """Write the placements of the configurations with these ranks; forward values are enough.

        All ranks go back together from the last cell. A configuration's last ships come first in
        its rank: at each cell, the ways to reach a mask and fleet are divided among the transitions
        into it.
        """
        cdef int64_t n = ranks.shape[0]
        # For each rank the number of its mask, its fleet, its number of ships, the mask before and
        # the placement that were found last, and the next rank of the same mask.
        cdef int64_t* at = NULL
        cdef int64_t* first = NULL
        cdef int k
        cdef int64_t s, r
        at = <int64_t*>calloc(6 * n + 1, sizeof(int64_t))
        try:
            if at == NULL:
                raise MemoryError
            for r in range(n):
                at[n + r] = self.fleets - 1
            for k in range(self.cells - 1, -1, -1):
                with nogil:
                    self.restore(k, one)
                s = self.layers[k + 1].n
                first = <int64_t*>calloc(s + 1, sizeof(int64_t))
                if first == NULL:
                    raise MemoryError
                with nogil:
                    self.step_down(k, ranks, out, at, first)
                    if self.every > 1:
                        self.drop(k + 1)
                free(first)
                first = NULL
        finally:
            free(at)
            free(first)
        return 0

    cdef int step_down(self, int k, Value[::1] ranks, int32_t[:, ::1] out, int64_t* at,
                       int64_t* first) except -1 nogil:
        """Find the mask and fleet of each rank at cell k from those at cell k + 1."""
        cdef Layer* here = &self.layers[k]
        cdef Layer* there = &self.layers[k + 1]
        cdef int64_t n = ranks.shape[0], s, r, target, fleet
        cdef int64_t* fleets = at + n
        cdef int64_t* ships = at + 2 * n
        cdef int64_t* source = at + 3 * n
        cdef int64_t* placed = at + 4 * n
        cdef int64_t* following = at + 5 * n   # + 1: 0 ends a list, as in `first`
        cdef int64_t* link
        cdef const Placement* placement
        cdef const Value* row
        cdef Value some
        cdef int j, by, t
        cdef Cells mask, next_mask, nothing = join(0, 0), this = join(1, 0)
        for r in range(n - 1, -1, -1):
            following[r] = first[at[r]]
            first[at[r]] = r + 1
            source[r] = placed[r] = -1
        for s in range(here.n):
            if s & 0x3FFF == 0x3FFF:
                self.look_up()
            mask = here.masks[s]
            row = <const Value*>(row_of(here, s, self.stride) + self.words)
            for j in range(self.starts[k] - 1, self.starts[k + 1]):
                if j < self.starts[k]:          # the cell stays empty
                    if self.hit[k] and not meets(mask, this):
                        continue
                    next_mask = ahead(mask, nothing, self.relevant[k + 1])
                    by, t = 0, 0
                else:
                    placement = &self.placements[j]
                    if meets(mask, placement.needs):
                        continue
                    next_mask = ahead(mask, placement.closes, self.relevant[k + 1])
                    t = placement.kind
                    by = self.weights_of[t]
                target = self.find(there, next_mask, hash_of(next_mask))
                if target < 0:
                    continue
                link = &first[target]
                while link[0]:
                    r = link[0] - 1
                    fleet = fleets[r]
                    if by and fleet // by % (self.counts[t] + 1) == 0:
                        link = &following[r]
                        continue
                    some = row[fleet - by]
                    if Value is double:
                        if by:
                            some *= self.weights[j]
                    if some == 0:
                        link = &following[r]
                        continue
                    source[r] = s               # rounding may leave a rank past the last: it is taken
                    placed[r] = j if by else -1
                    if ranks[r] < some:
                        link[0] = following[r]  # found
                    else:
                        ranks[r] -= some
                        link = &following[r]
        for r in range(n):
            at[r] = source[r]
            if source[r] < 0:
                with gil:
                    raise ValueError("a rank past the last configuration")
            j = <int>placed[r]
            if j >= 0:
                fleets[r] -= self.weights_of[self.placements[j].kind]
                out[r, ships[r]] = j
                ships[r] += 1
                if Value is double:
                    ranks[r] /= self.weights[j]
        return 0

    # Queries

    def count(self, uint64_t modulus=0, watch=None):
        """Return the number of configurations modulo `modulus` (0: 2^64); two layers are kept.

        watch -- called after each cell with the number of cells swept.
        """
        self.modulus = modulus
        return self.forward[uint64_t](1, False, watch)

    def keep(self):
        """Return the number of configurations modulo 2^64, and keep the layers for `unrank`."""
        self.modulus = 0
        return self.forward[uint64_t](1, True, None)

    def count_by_placement(self, uint64_t modulus=0, watch=None):
        """Return the number of configurations, and those through each placement, modulo `modulus`.

        The latter is uint64 of shape (placements,). modulus -- 0 for 2^64.
        """
        cdef uint64_t[::1] view
        counts = np.zeros(self.starts[self.cells] + 1, np.uint64)
        view = counts
        self.modulus = modulus
        total = self.forward[uint64_t](1, True, watch)
        if self.layers[self.cells].n:
            self.backward[uint64_t](&view[0], 1, watch)
        return total, counts[:self.starts[self.cells]]

    def weigh(self, const double[::1] weights, bint only_total=False):
        """Return the total weight, and the weight through each placement.

        weights -- of the placements, none negative; float64 of shape (placements,), as is the second
        result. The weight of a configuration is the product over its ships. only_total -- if True,
        the second result is zeros, and `unrank` can follow.
        """
        cdef double[::1] view
        sums = np.zeros(self.starts[self.cells] + 1)
        view = sums
        if weights.shape[0] != self.starts[self.cells]:
            raise ValueError("weights of another game")
        self.weights = &weights[0] if weights.shape[0] else NULL
        total = self.forward[double](1, True, None)
        if self.layers[self.cells].n and not only_total:
            self.backward[double](&view[0], 1, None)
        return total, sums[:self.starts[self.cells]]

    def unrank(self, ranks, int ships, const double[::1] weights=None):
        """Return the configurations with these ranks: int32 (n, ships) of placements by number.

        ranks -- uint64 below the number of configurations, after keep(); or float64 below the total
        weight, after weigh(weights, only_total=True), with the same weights. They are overwritten.
        Layers that were dropped to save memory are made again.
        """
        placed = np.full((len(ranks), ships), -1, np.int32)
        if len(ranks) == 0:
            return placed
        if weights is None:
            self.descend[uint64_t](ranks, placed, 1)
        else:
            self.weights = &weights[0]
            self.descend[double](ranks, placed, 1.0)
        return placed

    @property
    def is_whole(self):
        """True if all layers are kept, so that `unrank` can be called again."""
        return self.every == 1
