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
    bint is_made
    int64_t mask_count
    int64_t room              # masks for which there are rows
    int64_t freed             # masks whose rows are freed
    Cells* masks
    # A row for each mask: bits of fleets, then values (as doubles in a weighted pass); rows are in
    # blocks of ROWS.
    uint64_t** blocks


cdef struct Placement:
    Cells needs, closes   # from its first cell (bit 0) on
    int kind


cdef inline uint64_t* row_of(const Layer* layer, int64_t index, int stride) noexcept nogil:
    return layer.blocks[index // ROWS] + (index % ROWS) * stride


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
    cdef int* fleet_steps                 # of each kind in the mixed radix
    cdef int* counts
    cdef uint64_t* can_add                # by kind: the fleets to which a ship can be added
    cdef uint64_t* can_add_bits           # by kind and fleet: all bits if it can, or none
    cdef double* can_add_ones             # by kind and fleet: 1 if it can, or 0
    cdef uint64_t* scratch_row            # a row of bits to work in
    cdef const int32_t[::1] starts
    cdef Placement* placements
    cdef Cells* relevant
    cdef Cells* due
    cdef const uint8_t[::1] hit
    cdef const uint64_t[:, ::1] alive
    cdef Layer* layers                    # cells + 1
    cdef uint64_t** blocks                # not used by a layer
    cdef int64_t free_block_count, free_blocks_room
    cdef int kept_layer_step              # layers of multiples of this cell are kept; 0: none
    cdef int64_t used_bytes, max_bytes
    cdef readonly int64_t states          # masks of the last forward pass, over all cells
    cdef readonly int64_t transitions     # between them
    cdef readonly int64_t widest          # the most masks of a cell there
    cdef Slots mask_numbers               # of the masks of one layer
    cdef uint64_t modulus
    cdef const double* weights            # of placements, while a weighted pass runs

    def __cinit__(self, tables, long long max_bytes):
        cdef const int32_t[::1] starts = tables.starts, kinds = tables.kinds
        cdef const uint64_t[:, ::1] needs = tables.needs, closes = tables.closes
        cdef const uint64_t[:, ::1] relevant = tables.relevant, due = tables.due, alive = tables.alive
        cdef const uint8_t[::1] hit = tables.hit
        counts = tables.counts
        cdef int p, fleet, kind, placement_count = <int>kinds.shape[0]
        cdef Cells* needed
        cdef Cells* closed
        self.cells, self.kinds, self.max_bytes = <int>hit.shape[0], len(counts), max_bytes
        self.arena = Arena()
        self.fleet_steps = <int*>self.arena.array(self.kinds, sizeof(int))
        self.counts = <int*>self.arena.array(self.kinds, sizeof(int))
        self.fleets = 1
        for kind in range(self.kinds):
            self.counts[kind], self.fleet_steps[kind] = counts[kind], self.fleets
            self.fleets *= self.counts[kind] + 1
        self.words = (self.fleets + 63) // 64
        self.stride = self.words + self.fleets
        if (starts.shape[0] != self.cells + 1 or starts[self.cells] != placement_count
                or needs.shape[0] != placement_count or closes.shape[0] != placement_count
                or relevant.shape[0] != self.cells + 1 or due.shape[0] != self.cells + 1
                or alive.shape[0] != self.cells + 1 or alive.shape[1] != self.words):
            raise ValueError("arrays of another game")
        self.starts, self.hit, self.alive = starts, hit, alive
        self.relevant, self.due = self.arena.cells(relevant), self.arena.cells(due)
        self.layers = <Layer*>self.arena.array(self.cells + 1, sizeof(Layer))
        self.scratch_row = <uint64_t*>self.arena.array(self.words, sizeof(uint64_t))
        self.can_add = <uint64_t*>self.arena.array(self.kinds * self.words, sizeof(uint64_t))
        self.can_add_bits = <uint64_t*>self.arena.array(self.kinds * self.fleets, sizeof(uint64_t))
        self.can_add_ones = <double*>self.arena.array(self.kinds * self.fleets, sizeof(double))
        for kind in range(self.kinds):
            for fleet in range(self.fleets):
                if fleet // self.fleet_steps[kind] % (self.counts[kind] + 1) < self.counts[kind]:
                    self.can_add[kind * self.words + (fleet >> 6)] |= <uint64_t>1 << (fleet & 63)
                    self.can_add_bits[kind * self.fleets + fleet] = ~<uint64_t>0
                    self.can_add_ones[kind * self.fleets + fleet] = 1.0
        self.placements = <Placement*>self.arena.array(placement_count, sizeof(Placement))
        needed, closed = self.arena.cells(needs), self.arena.cells(closes)
        for p in range(placement_count):
            self.placements[p] = Placement(needed[p], closed[p], kinds[p])

    def __dealloc__(self):
        cdef int cell
        cdef int64_t block
        if self.layers != NULL:
            for cell in range(self.cells + 1):
                self.drop_layer(cell)
        for block in range(self.free_block_count):
            free(self.blocks[block])
        free(self.blocks)
        free(self.mask_numbers.words)

    # Layers

    cdef inline int64_t bytes_of(self, int64_t masks) noexcept nogil:
        return masks * (OF_A_MASK + self.stride * <int64_t>sizeof(uint64_t))

    cdef int drop_layer(self, int cell) except -1 nogil:
        """Drop a layer, and keep its blocks for the next ones."""
        cdef Layer dropped = self.layers[cell]
        cdef int64_t block
        memset(&self.layers[cell], 0, sizeof(Layer))
        self.used_bytes -= self.bytes_of(dropped.mask_count - dropped.freed)
        for block in range(dropped.room // ROWS):
            self.keep_block(dropped.blocks[block])
        free(dropped.masks)
        free(dropped.blocks)
        return 0

    cdef int keep_block(self, uint64_t* block) except -1 nogil:
        """Keep a block, unless it is NULL, for a later layer."""
        if block == NULL:
            return 0
        if self.free_block_count == self.free_blocks_room:
            self.free_blocks_room = max(16, 2 * self.free_blocks_room)
            self.blocks = <uint64_t**>realloc(self.blocks,
                                              self.free_blocks_room * sizeof(uint64_t*))
            if self.blocks == NULL:
                with gil:
                    raise MemoryError
        self.blocks[self.free_block_count] = block
        self.free_block_count += 1
        return 0

    cdef int add_block(self, Layer* layer) except -1 nogil:
        """Make room for another block of masks."""
        cdef int64_t block = layer.room // ROWS
        layer.room += ROWS
        if block & (block - 1) == 0:     # twice as many
            layer.masks = <Cells*>realloc(layer.masks, 2 * layer.room * sizeof(Cells))
            layer.blocks = <uint64_t**>realloc(layer.blocks, (2 * block + 1) * sizeof(uint64_t*))
        if layer.masks == NULL or layer.blocks == NULL:
            with gil:
                raise MemoryError
        if self.free_block_count:
            self.free_block_count -= 1
            layer.blocks[block] = self.blocks[self.free_block_count]
        else:
            layer.blocks[block] = <uint64_t*>malloc(ROWS * self.stride * sizeof(uint64_t))
        if layer.blocks[block] == NULL:
            with gil:
                raise MemoryError
        return 0

    cdef int drop_some_layers(self, int cell) except -1 nogil:
        """Drop layers before the one of a cell; MemoryError if that frees too little memory."""
        cdef int earlier_cell
        if self.kept_layer_step == 1:
            self.kept_layer_step = 2
            while self.kept_layer_step * self.kept_layer_step < self.cells:
                self.kept_layer_step += 1
            for earlier_cell in range(cell - 1):
                if earlier_cell % self.kept_layer_step:
                    self.drop_layer(earlier_cell)
        if self.used_bytes > self.max_bytes:
            with gil:
                raise MemoryError
        return 0

    cdef inline int64_t find_mask(self, const Layer* layer, Cells mask, uint64_t hash) noexcept nogil:
        """Return the number of a mask in the layer that `mask_numbers` indexes, or -1."""
        cdef uint64_t slot = hash
        cdef int64_t index = next_number(&self.mask_numbers, hash, &slot)
        while index >= 0 and not layer.masks[index] == mask:
            index = next_number(&self.mask_numbers, hash, &slot)
        return index

    cdef int64_t number_of_mask(self, int cell, Cells mask) except -2 nogil:
        """Return the number of a mask in the layer of a cell, which `mask_numbers` indexes; add a new mask.

        The row of a new mask is zeros.
        """
        cdef Layer* layer = &self.layers[cell]
        cdef uint64_t hash = hash_of(mask)
        cdef int64_t index = self.find_mask(layer, mask, hash)
        if index >= 0:
            return index
        if layer.mask_count == layer.room:
            self.add_block(layer)
        index = layer.mask_count
        layer.masks[index] = mask
        memset(row_of(layer, index, self.stride), 0, self.stride * sizeof(uint64_t))
        add_number(&self.mask_numbers, hash, index)
        layer.mask_count += 1
        self.used_bytes += self.bytes_of(1)
        if self.used_bytes > self.max_bytes:
            self.drop_some_layers(cell)
        return index

    cdef int index_masks(self, int cell) except -1 nogil:
        """Let `mask_numbers` index the layer of a cell."""
        cdef int64_t index
        forget_numbers(&self.mask_numbers)
        for index in range(self.layers[cell].mask_count):
            add_number(&self.mask_numbers, hash_of(self.layers[cell].masks[index]), index)
        return 0

    cdef inline int check_signals(self) except -1 nogil:
        """Raise KeyboardInterrupt after ctrl-C."""
        with gil:
            PyErr_CheckSignals()
        return 0

    # The forward pass

    cdef inline int free_block(self, Layer* layer, int64_t block) except -1 nogil:
        """Free a block of rows that are no longer used."""
        self.keep_block(layer.blocks[block])
        layer.blocks[block] = NULL
        layer.freed += ROWS
        self.used_bytes -= self.bytes_of(ROWS)
        return 0

    cdef inline void find_fleet_range(self, const uint64_t* row, int* first, int* end) noexcept nogil:
        """Set the first fleet of a row, which has a bit per fleet, and the end: the last one plus 1."""
        cdef int i = 0
        while row[i] == 0:
            i += 1
        first[0] = 64 * i + ctz(row[i])
        i = self.words - 1
        while row[i] == 0:
            i -= 1
        end[0] = 64 * i + 64 - leading(row[i])

    cdef inline void add_values(self, Value* sums, const Value* added, int first, int end) noexcept nogil:
        """Add the values of a row, from fleet `first` to `end` - 1, to the sums."""
        if Value is double:
            add_weights(sums + first, added + first, end - first)
        else:
            add_counts(sums + first, added + first, end - first, self.modulus)

    cdef inline void add_values_with_ship(self, Value* sums, const Value* added, int kind, double weight,
                                          int first, int end) noexcept nogil:
        """Add the values of the fleets to which a ship of a kind can be added, times a weight."""
        end = min(end, self.fleets - self.fleet_steps[kind])
        if Value is double:
            add_some_weights(sums + first, added + first, self.can_add_ones + kind * self.fleets + first,
                             end - first, weight)
        else:
            add_some_counts(sums + first, added + first, self.can_add_bits + kind * self.fleets + first,
                            end - first, self.modulus)

    cdef int step(self, int cell, Value one) except -1 nogil:
        """Make the layer of the next cell from that of a cell; one -- as of `forward`."""
        cdef Layer* layer = &self.layers[cell]
        cdef Layer* next_layer = &self.layers[cell + 1]
        cdef const Placement* placement
        cdef const uint64_t* row
        cdef uint64_t* next_row
        cdef int64_t index, target
        cdef int i, p, kind, fleet_step, first, end, words = self.words
        cdef Cells mask, next_mask, no_cell = join(0, 0), this_cell = join(1, 0)
        cdef const uint64_t* alive = &self.alive[cell + 1, 0]
        cdef uint64_t alive_bits
        cdef double weight = 1.0
        forget_numbers(&self.mask_numbers)
        next_layer.is_made = True
        for index in range(layer.mask_count):
            if index & 0x3FFF == 0x3FFF:
                self.check_signals()
            if self.kept_layer_step == 0 and index % ROWS == 0 and index:
                self.free_block(layer, index // ROWS - 1)
            mask = layer.masks[index]
            row = row_of(layer, index, self.stride)
            self.find_fleet_range(row, &first, &end)
            if not self.hit[cell] or meets(mask, this_cell):
                next_mask = ahead(mask, no_cell, self.relevant[cell + 1])
                alive_bits = 0
                for i in range(words):
                    alive_bits |= row[i] & alive[i]
                if alive_bits and not lacks(next_mask, self.due[cell + 1]):
                    target = self.number_of_mask(cell + 1, next_mask)
                    self.transitions += 1
                    next_row = row_of(next_layer, target, self.stride)
                    for i in range(words):
                        next_row[i] |= row[i] & alive[i]
                    self.add_values(<Value*>(next_row + words), <const Value*>(row + words), first, end)
            for p in range(self.starts[cell], self.starts[cell + 1]):
                placement = &self.placements[p]
                if meets(mask, placement.needs):
                    continue
                if Value is double:
                    weight = self.weights[p]
                    if weight == 0:
                        continue
                next_mask = ahead(mask, placement.closes, self.relevant[cell + 1])
                if lacks(next_mask, self.due[cell + 1]):
                    continue
                kind = placement.kind
                fleet_step = self.fleet_steps[kind]
                if not move(self.scratch_row, row, self.can_add + kind * words, words, fleet_step):
                    continue
                alive_bits = 0
                for i in range(words):
                    self.scratch_row[i] &= alive[i]
                    alive_bits |= self.scratch_row[i]
                if not alive_bits:
                    continue
                target = self.number_of_mask(cell + 1, next_mask)
                self.transitions += 1
                next_row = row_of(next_layer, target, self.stride)
                for i in range(words):
                    next_row[i] |= self.scratch_row[i]
                self.add_values_with_ship(<Value*>(next_row + words) + fleet_step,
                                          <const Value*>(row + words), kind, weight, first, end)
        return 0

    cdef Value forward(self, Value one, bint keeps_layers, after_cell) except *:
        """Return the number (or total weight) of the configurations.

        one -- 1, which chooses counts or weights. after_cell -- None, or called with the cells swept.
        """
        cdef int cell
        cdef uint64_t* row
        for cell in range(self.cells + 1):
            self.drop_layer(cell)
        self.used_bytes = self.states = self.transitions = self.widest = 0
        self.kept_layer_step = 1 if keeps_layers else 0
        forget_numbers(&self.mask_numbers)
        self.layers[0].is_made = True
        if not lacks(join(0, 0), self.due[0]):
            self.number_of_mask(0, join(0, 0))
            row = row_of(&self.layers[0], 0, self.stride)
            row[0] = 1
            (<Value*>(row + self.words))[0] = one
        for cell in range(self.cells):
            with nogil:
                self.step(cell, one)
            self.states += self.layers[cell + 1].mask_count
            self.widest = max(self.widest, self.layers[cell + 1].mask_count)
            if self.kept_layer_step == 0 or cell % self.kept_layer_step:
                self.drop_layer(cell)
            if after_cell is not None:
                after_cell(cell + 1)
        return self.total(one)

    cdef Value total(self, Value one) noexcept:
        """Return the number of configurations (or total weight) in the last layer, of at most one mask."""
        cdef Layer* last = &self.layers[self.cells]
        if last.mask_count == 0:
            return 0
        return (<Value*>(row_of(last, 0, self.stride) + self.words))[self.fleets - 1]

    cdef int restore_layer(self, int cell, Value one) except -1 nogil:
        """Make the layer of a cell again from the last one kept before it; index the layer after it."""
        cdef int kept_cell = cell, earlier_cell
        while not self.layers[kept_cell].is_made:
            kept_cell -= 1
        for earlier_cell in range(kept_cell, cell):
            self.step(earlier_cell, one)
        self.index_masks(cell + 1)
        return 0

    # The backward pass

    cdef int backward(self, Value* through, Value one, after_cell) except -1:
        """Add the configurations through each placement to `through`; after a forward pass that kept layers.

        one, after_cell -- as of `forward`.
        """
        cdef int cell
        cdef int64_t mask_count
        cdef Value* ways_next = NULL
        cdef Value* ways_here = NULL   # of one cell earlier
        try:
            ways_next = <Value*>calloc(self.fleets, sizeof(Value))
            if ways_next == NULL:
                raise MemoryError
            ways_next[self.fleets - 1] = one
            for cell in range(self.cells - 1, -1, -1):
                with nogil:
                    self.restore_layer(cell, one)
                mask_count = self.layers[cell].mask_count
                ways_here = <Value*>calloc(mask_count * self.fleets + 1, sizeof(Value))
                if ways_here == NULL:
                    raise MemoryError
                with nogil:
                    self.step_back(cell, ways_here, ways_next, through)
                    self.drop_layer(cell + 1)
                free(ways_next)
                ways_next, ways_here = ways_here, NULL
                if after_cell is not None:
                    after_cell(self.cells - cell)
        finally:
            free(ways_next)
            free(ways_here)
        return 0

    cdef int step_back(self, int cell, Value* ways_here, const Value* ways_next, Value* through
                       ) except -1 nogil:
        """Compute the ways to complete each mask and fleet of a cell from those of the next cell.

        ways_here -- these ways, by mask and fleet of the cell; filled here. ways_next -- of the next cell.
        through -- the configurations through each placement; those whose first cell is this one are added.
        """
        cdef Layer* layer = &self.layers[cell]
        cdef Layer* next_layer = &self.layers[cell + 1]
        cdef const Placement* placement
        cdef const Value* row
        cdef const Value* completions
        cdef Value* ways
        cdef Value through_placement
        cdef double weight = 1.0
        cdef int64_t index, target
        cdef int p, kind, fleet_step, fleet_count, first, end
        cdef Cells mask, next_mask, no_cell = join(0, 0), this_cell = join(1, 0)
        for index in range(layer.mask_count):
            if index & 0x3FFF == 0x3FFF:
                self.check_signals()
            mask = layer.masks[index]
            ways = ways_here + index * self.fleets
            row = <const Value*>(row_of(layer, index, self.stride) + self.words)
            self.find_fleet_range(row_of(layer, index, self.stride), &first, &end)
            if not self.hit[cell] or meets(mask, this_cell):
                next_mask = ahead(mask, no_cell, self.relevant[cell + 1])
                target = self.find_mask(next_layer, next_mask, hash_of(next_mask))
                if target >= 0:
                    self.add_values(ways, <const Value*>(ways_next + target * self.fleets), first, end)
            for p in range(self.starts[cell], self.starts[cell + 1]):
                placement = &self.placements[p]
                if meets(mask, placement.needs):
                    continue
                next_mask = ahead(mask, placement.closes, self.relevant[cell + 1])
                target = self.find_mask(next_layer, next_mask, hash_of(next_mask))
                if target < 0:
                    continue
                kind = placement.kind
                fleet_step = self.fleet_steps[kind]
                completions = ways_next + target * self.fleets + fleet_step
                fleet_count = min(end, self.fleets - fleet_step) - first
                if fleet_count <= 0:
                    continue
                if Value is double:
                    weight = self.weights[p]
                    through[p] += weight * dot_weights(
                        row + first, completions + first,
                        self.can_add_ones + kind * self.fleets + first, fleet_count)
                else:
                    through_placement = dot_counts(
                        row + first, completions + first,
                        self.can_add_bits + kind * self.fleets + first, fleet_count, self.modulus)
                    add_counts(&through[p], &through_placement, 1, self.modulus)
                self.add_values_with_ship(ways, completions, kind, weight, first, end)
        return 0

    # From ranks to configurations

    cdef int descend(self, Value[::1] ranks, int32_t[:, ::1] placed, Value one) except -1:
        """Write the configurations with these ranks, after a forward pass, in the rows of `placed`.

        ranks -- as of `unrank`; overwritten. placed -- int32 (ranks, ships): numbers of placements.
        one -- 1, which chooses counts or weights.

        All ranks go back together from the last cell. A configuration's last ships come first in
        its rank: at each cell, the ways to reach a mask and fleet are divided among the transitions
        into it.
        """
        cdef int64_t rank_count = ranks.shape[0]
        cdef int64_t* rank_table = NULL       # the six arrays of `step_down`, one after the other
        cdef int64_t* fleet_of_rank
        cdef int64_t* first_rank = NULL
        cdef int cell
        cdef int64_t mask_count, r
        rank_table = <int64_t*>calloc(6 * rank_count + 1, sizeof(int64_t))
        try:
            if rank_table == NULL:
                raise MemoryError
            fleet_of_rank = rank_table + rank_count
            for r in range(rank_count):
                fleet_of_rank[r] = self.fleets - 1      # all ships are placed at the end
            for cell in range(self.cells - 1, -1, -1):
                with nogil:
                    self.restore_layer(cell, one)
                mask_count = self.layers[cell + 1].mask_count
                first_rank = <int64_t*>calloc(mask_count + 1, sizeof(int64_t))
                if first_rank == NULL:
                    raise MemoryError
                with nogil:
                    self.step_down(cell, ranks, placed, rank_table, first_rank)
                    if self.kept_layer_step > 1:        # the layers do not all fit into memory
                        self.drop_layer(cell + 1)
                free(first_rank)
                first_rank = NULL
        finally:
            free(rank_table)
            free(first_rank)
        return 0

    cdef int step_down(self, int cell, Value[::1] ranks, int32_t[:, ::1] placed, int64_t* rank_table,
                       int64_t* first_rank) except -1 nogil:
        """Find the mask and fleet of each rank at a cell from those at the next cell; see `descend`.

        rank_table -- six arrays by rank, kept from cell to cell. first_rank -- all 0: room for a list of
        ranks for each mask of the next cell.
        """
        cdef Layer* layer = &self.layers[cell]
        cdef Layer* next_layer = &self.layers[cell + 1]
        cdef int64_t rank_count = ranks.shape[0], index, r, target, fleet
        cdef int64_t* mask_of_rank = rank_table
        cdef int64_t* fleet_of_rank = rank_table + rank_count
        cdef int64_t* ships_of_rank = rank_table + 2 * rank_count
        cdef int64_t* source_of_rank = rank_table + 3 * rank_count
        cdef int64_t* placement_of_rank = rank_table + 4 * rank_count
        cdef int64_t* next_rank = rank_table + 5 * rank_count   # + 1: 0 ends a list, as in first_rank
        cdef int64_t* link
        cdef const Placement* placement
        cdef const Value* row
        cdef Value ways
        cdef int p, fleet_step, kind
        cdef Cells mask, next_mask, no_cell = join(0, 0), this_cell = join(1, 0)
        for r in range(rank_count - 1, -1, -1):
            next_rank[r] = first_rank[mask_of_rank[r]]
            first_rank[mask_of_rank[r]] = r + 1
            source_of_rank[r] = placement_of_rank[r] = -1
        for index in range(layer.mask_count):
            if index & 0x3FFF == 0x3FFF:
                self.check_signals()
            mask = layer.masks[index]
            row = <const Value*>(row_of(layer, index, self.stride) + self.words)
            for p in range(self.starts[cell] - 1, self.starts[cell + 1]):
                if p < self.starts[cell]:          # the cell stays empty
                    if self.hit[cell] and not meets(mask, this_cell):
                        continue
                    next_mask = ahead(mask, no_cell, self.relevant[cell + 1])
                    fleet_step, kind = 0, 0
                else:
                    placement = &self.placements[p]
                    if meets(mask, placement.needs):
                        continue
                    next_mask = ahead(mask, placement.closes, self.relevant[cell + 1])
                    kind = placement.kind
                    fleet_step = self.fleet_steps[kind]
                target = self.find_mask(next_layer, next_mask, hash_of(next_mask))
                if target < 0:
                    continue
                link = &first_rank[target]
                while link[0]:
                    r = link[0] - 1
                    fleet = fleet_of_rank[r]
                    if fleet_step and fleet // fleet_step % (self.counts[kind] + 1) == 0:
                        link = &next_rank[r]
                        continue
                    ways = row[fleet - fleet_step]
                    if Value is double:
                        if fleet_step:
                            ways *= self.weights[p]
                    if ways == 0:
                        link = &next_rank[r]
                        continue
                    source_of_rank[r] = index   # rounding may leave a rank past the last: it is taken
                    placement_of_rank[r] = p if fleet_step else -1
                    if ranks[r] < ways:
                        link[0] = next_rank[r]  # found
                    else:
                        ranks[r] -= ways
                        link = &next_rank[r]
        for r in range(rank_count):
            mask_of_rank[r] = source_of_rank[r]
            if source_of_rank[r] < 0:
                with gil:
                    raise ValueError("a rank past the last configuration")
            p = <int>placement_of_rank[r]
            if p >= 0:
                fleet_of_rank[r] -= self.fleet_steps[self.placements[p].kind]
                placed[r, ships_of_rank[r]] = p
                ships_of_rank[r] += 1
                if Value is double:
                    ranks[r] /= self.weights[p]
        return 0

    # Queries

    def count(self, uint64_t modulus=0, after_cell=None):
        """Return the number of configurations modulo `modulus` (0: 2^64); two layers are kept.

        after_cell -- called after each cell with the number of cells swept.
        """
        self.modulus = modulus
        return self.forward[uint64_t](1, False, after_cell)

    def keep(self):
        """Return the number of configurations modulo 2^64, and keep the layers for `unrank`."""
        self.modulus = 0
        return self.forward[uint64_t](1, True, None)

    def count_by_placement(self, uint64_t modulus=0, after_cell=None):
        """Return the number of configurations, and those through each placement, modulo `modulus`.

        The latter is uint64 of shape (placements,). modulus -- 0 for 2^64.
        """
        cdef uint64_t[::1] view
        counts = np.zeros(self.starts[self.cells] + 1, np.uint64)
        view = counts
        self.modulus = modulus
        total = self.forward[uint64_t](1, True, after_cell)
        if self.layers[self.cells].mask_count:
            self.backward[uint64_t](&view[0], 1, after_cell)
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
        if self.layers[self.cells].mask_count and not only_total:
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
        return self.kept_layer_step == 1
