"""Counting all configurations without listing one: a transfer matrix over skylines.

The cells are swept in row-major order, and each ship is placed whole when the sweep meets its first
(top-left) cell. A state has what the rest of the sweep must know: the ships still to place, and the
*skyline*, h[j] = the number of cells of column j, from its next unswept one down, that the ships
placed so far close. On a sweep that has reached the cell marked here, with the ship AAA and touching
forbidden (A is a cell of the ship, # a cell that the ship closes to others):

      . . . . . .
      . # # # # #        columns   0 1 2 3 4 5
      . # A A A # <-     skyline   0 1 1 1 1 1   after the last cell of this row
      . # # # # #

The closed cells of a column are always the next ones down, under every contact rule, because a ship
is met at its top. The ships that may be placed, and the cells they close, depend on the column alone,
so one table of states and transitions, a *layer* for each column, serves every row.

A state whose cell is closed has no choice, so such cells are jumped over: a transition leads to the
next free cell, one to columns - 1 cells ahead. (Only a state that is closed for longer than that is a
state of its own.)

A *query* is a pass over the cells that enters only states it can reach: placements are allowed or
not, and a free cell that was hit may not be left empty. A forward pass counts the ways to reach
each state, a backward pass the ways to complete it; their products count the configurations through
every placement.
"""

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memset

import numpy as np

from optsearch.compiled.shared._arena cimport Arena
from slots cimport Slots, add_number, next_number

cdef extern from *:
    """
    /* a * b modulo m; m = 0 stands for 2^64 */
    static inline uint64_t optsearch_product(uint64_t a, uint64_t b, uint64_t m) {
        return m ? (uint64_t)((unsigned __int128)a * b % m) : a * b;
    }
    static inline uint64_t optsearch_sum(uint64_t a, uint64_t b, uint64_t m) {
        uint64_t s = a + b;
        return m && (s >= m || s < a) ? s - m : s;
    }
    """
    uint64_t product "optsearch_product"(uint64_t a, uint64_t b, uint64_t m) noexcept nogil
    uint64_t add "optsearch_sum"(uint64_t a, uint64_t b, uint64_t m) noexcept nogil

cdef enum:
    COLUMNS = 16      # of the shorter side: four bits each are a word
    MAX_KINDS = 15    # 1 + 2 + … + 16 > 128 cells
    LEAVE = 62        # the way of leaving a free cell empty
    CLOSED = 63       # the way past a closed cell
    FIRST_ROOM = 1 << 9  # for states
    OF_A_STATE = 64   # bytes: 16, and its share of the numbers while these are enlarged
    OF_A_COUNT = 24   # bytes for each state and cell in reach: two values, and its place in a list
    OF_A_VISIT = 12   # bytes for each state and cell in a query that goes back
    NONE = 0          # the contact rules
    CORNER = 1
    ANY = 2


MAX_COLUMNS = COLUMNS


cdef struct Edge:
    int32_t target    # a state of the layer it leads to, or ~i for the final skyline number i
    uint8_t way       # 2 * kind + (1 if vertical), or LEAVE, or CLOSED
    uint8_t distance  # cells from here to there


cdef struct Layer:
    int states, room
    uint64_t* skyline
    int32_t* fleet            # ships left, in mixed radix
    int32_t* start            # edges of state s: start[s] to start[s + 1]
    Edge* edges
    int edge_count, edge_room
    Slots numbers             # of the states


cdef inline uint64_t mix(uint64_t skyline, uint64_t fleet) noexcept nogil:
    cdef uint64_t x = (skyline ^ (fleet << 40) ^ (fleet >> 24)) * <uint64_t>0x9E3779B97F4A7C15
    x = (x ^ (x >> 32)) * <uint64_t>0xD6E8FEB86659FD93
    return x ^ (x >> 32)


cdef int enlarge(Layer* layer) except -1 nogil:
    """Double the room for states."""
    layer.room = max(FIRST_ROOM, 2 * layer.room)
    layer.skyline = <uint64_t*>realloc(layer.skyline, layer.room * sizeof(uint64_t))
    layer.fleet = <int32_t*>realloc(layer.fleet, layer.room * sizeof(int32_t))
    layer.start = <int32_t*>realloc(layer.start, (layer.room + 1) * sizeof(int32_t))
    if layer.skyline == NULL or layer.fleet == NULL or layer.start == NULL:
        with gil:
            raise MemoryError
    return 0


cdef class Lattice:
    """The states and transitions of a game.

    rows, columns -- the grid, columns <= rows.
    lengths, counts -- the distinct ship lengths and the number of ships of each.
    contact -- 0 none, 1 corner, 2 any.
    max_bytes -- MemoryError if the lattice and a count by it would need more.
    """

    cdef Arena arena
    cdef readonly int rows, columns, kinds, ways
    cdef uint64_t needs[2 * MAX_KINDS][COLUMNS]  # the fields that a ship of a way and first column needs free
    cdef int contact, bits
    cdef uint64_t guards
    cdef int lengths[MAX_KINDS]
    cdef int counts[MAX_KINDS]
    cdef int weights[MAX_KINDS]           # of each kind in the mixed radix
    cdef Layer layers[COLUMNS]
    cdef uint64_t* finals                 # skylines with which no ship is left
    cdef int final_count, final_room
    cdef Slots final_numbers
    cdef int64_t edge_total, state_total, max_bytes
    cdef int most                         # states of a layer
    cdef int32_t* first_state             # in layer 0: the flat skyline with each fleet, or -1
    cdef readonly int fleets

    def __cinit__(self, int rows, int columns, lengths, counts, int contact, long long max_bytes):
        cdef int i, c
        if not 1 <= columns <= rows or columns > COLUMNS or len(lengths) > MAX_KINDS:
            raise ValueError("columns must be the shorter side, and kinds few")
        self.rows, self.columns, self.kinds = rows, columns, len(lengths)
        self.contact, self.max_bytes = contact, max_bytes
        self.fleets = 1
        for i in range(self.kinds):
            self.lengths[i], self.counts[i] = lengths[i], counts[i]
            self.weights[i] = self.fleets
            self.fleets *= counts[i] + 1
        # A field holds heights up to length + 1, a need that no height meets, and the guard bit.
        self.bits = int(max(lengths) + 2).bit_length() + 1
        if self.bits * columns > 64:
            raise ValueError("skylines need more than 64 bits")
        self.ways = 2 * self.kinds
        self.set_needs()
        for c in range(columns):
            self.guards |= <uint64_t>1 << (c * self.bits + self.bits - 1)
        self.arena = Arena()
        self.first_state = <int32_t*>self.arena.array(self.fleets, sizeof(int32_t))
        for i in range(self.fleets):
            self.first_state[i] = -1

    cdef void set_needs(self):
        """Fill `needs`; it is 0 where a ship does not fit."""
        cdef int kind, c, j, length
        cdef uint64_t field = (<uint64_t>1 << self.bits) - 1
        for kind in range(self.kinds):
            length = self.lengths[kind]
            for c in range(self.columns):
                if c + length <= self.columns:
                    for j in range(c, c + length):
                        self.needs[2 * kind][c] |= field << (j * self.bits)
                if length > 1:
                    self.needs[2 * kind + 1][c] = field << (c * self.bits)

    def __dealloc__(self):
        cdef int c
        for c in range(COLUMNS):
            free(self.layers[c].skyline)
            free(self.layers[c].fleet)
            free(self.layers[c].start)
            free(self.layers[c].edges)
            free(self.layers[c].numbers.words)
        free(self.finals)
        free(self.final_numbers.words)

    # Building

    cdef int state(self, int c, uint64_t skyline, int fleet) except -1 nogil:
        """Return the number of a state of layer c; append it if it is new."""
        cdef Layer* layer = &self.layers[c]
        cdef uint64_t hash = mix(skyline, fleet), at = hash
        cdef int64_t s = next_number(&layer.numbers, hash, &at)
        while s >= 0 and (layer.skyline[s] != skyline or layer.fleet[s] != fleet):
            s = next_number(&layer.numbers, hash, &at)
        if s >= 0:
            return <int>s
        if layer.states == layer.room:
            enlarge(layer)
        s = layer.states
        layer.skyline[s] = skyline
        layer.fleet[s] = fleet
        add_number(&layer.numbers, hash, s)
        layer.states += 1
        self.most = max(self.most, layer.states)
        self.state_total += 1
        return <int>s

    cdef inline int64_t bytes_needed(self) noexcept nogil:
        """Bound the bytes of the lattice and of a count, which keeps the cells in reach alone."""
        return (self.edge_total * <int64_t>sizeof(Edge) + self.state_total * OF_A_STATE
                + (self.columns + 1) * <int64_t>(self.most + 1) * OF_A_COUNT)

    cdef int final(self, uint64_t skyline) except? -1 nogil:
        """Return ~ the number of a final skyline; append it if it is new."""
        cdef uint64_t hash = mix(skyline, 0), at = hash
        cdef int64_t s = next_number(&self.final_numbers, hash, &at)
        while s >= 0 and self.finals[s] != skyline:
            s = next_number(&self.final_numbers, hash, &at)
        if s >= 0:
            return ~<int>s
        if self.final_count == self.final_room:
            self.final_room = max(FIRST_ROOM, 2 * self.final_room)
            self.finals = <uint64_t*>realloc(self.finals, self.final_room * sizeof(uint64_t))
            if self.finals == NULL:
                with gil:
                    raise MemoryError
        self.finals[self.final_count] = skyline
        add_number(&self.final_numbers, hash, self.final_count)
        self.final_count += 1
        return ~(self.final_count - 1)

    cdef inline int height(self, uint64_t skyline, int column) noexcept nogil:
        return (skyline >> (column * self.bits)) & ((<uint64_t>1 << self.bits) - 1)

    cdef inline uint64_t raised(self, uint64_t skyline, int column, int height) noexcept nogil:
        """Return the skyline with at least this height at a column; unchanged off the board."""
        if not 0 <= column < self.columns or self.height(skyline, column) >= height:
            return skyline
        return skyline + (<uint64_t>(height - self.height(skyline, column)) << (column * self.bits))

    cdef inline bint is_closed(self, uint64_t skyline, int column) noexcept nogil:
        """True if the next cell of a column is closed."""
        return self.height(skyline, column) > 0

    cdef inline uint64_t swept(self, uint64_t skyline, int column) noexcept nogil:
        """Return the skyline after the next cell of a column, which is closed."""
        return skyline - (<uint64_t>1 << (column * self.bits))

    cdef uint64_t with_ship(self, uint64_t skyline, int c, int way) noexcept nogil:
        """Return the skyline after a ship whose first cell is (row, c), this cell swept."""
        if way & 1:
            return self.with_vertical(skyline, c, self.lengths[way >> 1])
        return self.with_horizontal(skyline, c, self.lengths[way >> 1])

    cdef uint64_t with_vertical(self, uint64_t skyline, int c, int length) noexcept nogil:
        """Return the skyline after a ship from (row, c) down, this cell swept."""
        if self.contact == ANY:
            return self.raised(skyline, c, length - 1)
        skyline = self.raised(skyline, c, length)
        skyline = self.raised(skyline, c - 1, length if self.contact == NONE else length - 1)
        return self.raised(skyline, c + 1, length + 1 if self.contact == NONE else length)

    cdef uint64_t with_horizontal(self, uint64_t skyline, int c, int length) noexcept nogil:
        """Return the skyline after a ship from (row, c) to the right, this cell swept."""
        cdef int j
        for j in range(c + 1, c + length):
            skyline = self.raised(skyline, j, 1 if self.contact == ANY else 2)
        if self.contact != ANY:
            skyline = self.raised(skyline, c, 1)
            skyline = self.raised(skyline, c + length, 2 if self.contact == NONE else 1)
            if self.contact == NONE:
                skyline = self.raised(skyline, c - 1, 1)
        return skyline

    cdef int add_edge(self, int c, uint64_t skyline, int fleet, int way) except -1 nogil:
        """Add a transition from the newest state of layer c; `skyline` is for the next cell on."""
        cdef Layer* layer = &self.layers[c]
        cdef int distance = 1, target
        if fleet == 0:
            target = self.final(skyline)
        else:
            c = (c + 1) % self.columns
            while distance < self.columns - 1 and self.is_closed(skyline, c):
                skyline = self.swept(skyline, c)
                c = (c + 1) % self.columns
                distance += 1
            target = self.state(c, skyline, fleet)
        if layer.edge_count == layer.edge_room:
            layer.edge_room = 2 * layer.edge_room if layer.edge_room else 1 << 12
            layer.edges = <Edge*>realloc(layer.edges, layer.edge_room * sizeof(Edge))
            if layer.edges == NULL:
                with gil:
                    raise MemoryError
        layer.edges[layer.edge_count].target = target
        layer.edges[layer.edge_count].way = way
        layer.edges[layer.edge_count].distance = distance
        layer.edge_count += 1
        self.edge_total += 1
        if self.bytes_needed() > self.max_bytes:
            with gil:
                raise MemoryError
        return 0

    cdef int expand(self, int c, int s) except -1 nogil:
        """Add the transitions from state s of layer c; the states of a layer are expanded in order."""
        cdef Layer* layer = &self.layers[c]
        cdef uint64_t skyline = layer.skyline[s]
        cdef int fleet = layer.fleet[s], kind, way
        layer.start[s] = layer.edge_count
        if self.is_closed(skyline, c):
            self.add_edge(c, self.swept(skyline, c), fleet, CLOSED)
        else:
            self.add_edge(c, skyline, fleet, LEAVE)
            for way in range(self.ways):
                kind = way >> 1
                if (fleet // self.weights[kind] % (self.counts[kind] + 1) and self.needs[way][c]
                        and not skyline & self.needs[way][c]):
                    self.add_edge(c, self.with_ship(skyline, c, way), fleet - self.weights[kind], way)
        layer.start[s + 1] = layer.edge_count
        return 0

    def build(self):
        """Find all states; MemoryError if these and a count need more than `max_bytes`."""
        cdef int done[COLUMNS]
        cdef int c
        cdef bint some = True
        memset(done, 0, sizeof(done))
        with nogil:
            self.state(0, 0, self.fleets - 1)
            while some:
                some = False
                for c in range(self.columns):
                    while done[c] < self.layers[c].states:
                        self.expand(c, done[c])
                        done[c] += 1
                        some = True
                        if done[c] & 0xFFFF == 0:
                            with gil:
                                PyErr_CheckSignals()
            for c in range(self.layers[0].states):
                if self.layers[0].skyline[c] == 0:
                    self.first_state[self.layers[0].fleet[c]] = c

    @property
    def states(self):
        """The number of states, over all layers."""
        return self.state_total

    @property
    def transitions(self):
        """The number of transitions, over all states."""
        return self.edge_total


ctypedef fused Value:        # exact counts modulo 2^64 or less, or weights
    uint64_t
    double


cdef struct Reached:         # the states reached at one cell
    int n, room
    int32_t* states
    uint64_t* values         # ways to reach each, then to complete it (or their weight, a double)


cdef struct Pending:         # the states reached at one cell, while only a count is asked
    int n, room
    int32_t* states


@cython.no_gc_clear            # __dealloc__ reads the arena
cdef class Query:
    """Passes over the lattice for one set of constraints; its buffers are reused.

    set() gives the constraints. count() sweeps forward and keeps only the cells within reach;
    count_by_placement() keeps the states of all cells, for the way back. `most_visits` bounds their number,
    and count() finds it, `visits`; `room` is the number that fits into memory.
    """

    cdef Arena arena
    cdef Lattice lattice
    cdef int cells, fleet
    cdef uint64_t modulus
    cdef uint64_t* ways          # of each cell: which ways a transition may take
    cdef uint64_t* needed        # after each cell: the skyline that covers all hits ahead
    cdef Reached* reached        # of each cell
    cdef const double* weights   # of each way and cell, while a weighted pass runs
    cdef int32_t* walk           # of each rank the state, the cell, the ship, while unrank() runs
    cdef int slots               # a transition from cell k leads to k + 1 … k + slots - 1
    cdef readonly int64_t visits  # states at all cells, in the last count
    cdef int64_t visits_allowed  # in a count
    cdef object watch            # called after each row of a pass, or None
    cdef int width               # values that each state has room for
    cdef uint64_t* value[COLUMNS + 1]  # at cell k, slot k % slots: by state; 0 between queries
    cdef Pending pending[COLUMNS + 1]  # the same slots

    def __cinit__(self, Lattice lattice):
        cdef int c
        self.lattice, self.width = lattice, 1
        self.cells = lattice.rows * lattice.columns
        self.slots = lattice.columns + 1
        self.arena = Arena()
        self.ways = <uint64_t*>self.arena.array(self.cells, sizeof(uint64_t))
        self.needed = <uint64_t*>self.arena.array(self.cells, sizeof(uint64_t))
        self.reached = <Reached*>self.arena.array(self.cells, sizeof(Reached))
        for c in range(self.slots):
            self.value[c] = <uint64_t*>calloc(lattice.most + 1, sizeof(uint64_t))
            if self.value[c] == NULL:
                raise MemoryError

    def __dealloc__(self):
        cdef int c, k
        for c in range(self.slots):
            free(self.value[c])
            free(self.pending[c].states)
        if self.reached != NULL:
            for k in range(self.cells):
                free(self.reached[k].states)
                free(self.reached[k].values)

    @property
    def most_visits(self):
        """A bound on the states, over all cells, that a query keeps for the way back."""
        return self.lattice.state_total * self.lattice.rows

    @property
    def room(self):
        """The number of these that fits into memory."""
        return (self.lattice.max_bytes - self.lattice.bytes_needed()) // OF_A_VISIT

    def release(self):
        """Free the memory of queries that went back."""
        cdef int k
        for k in range(self.cells):
            free(self.reached[k].states)
            free(self.reached[k].values)
        memset(self.reached, 0, self.cells * sizeof(Reached))

    def set(self, int fleet, const uint64_t[::1] ways, const uint8_t[::1] hit):
        """Set the ships to place (mixed radix), the ways allowed at each cell, and the cells to cover."""
        cdef int k, j, row, next_row, column
        cdef Lattice t = self.lattice
        if not 0 < fleet < t.fleets or ways.shape[0] != self.cells or hit.shape[0] != self.cells:
            raise ValueError("constraints of another game")
        self.fleet = fleet
        for k in range(self.cells):
            self.ways[k] = (ways[k] | <uint64_t>1 << CLOSED
                            | (0 if hit[k] else <uint64_t>1 << LEAVE))
            self.needed[k] = 0
            for j in range(t.columns):
                next_row = k // t.columns + (1 if j <= k % t.columns else 0)
                for row in range(t.rows - 1, next_row - 1, -1):
                    if hit[row * t.columns + j]:
                        # More than any skyline has: no final skyline will do.
                        column = min(row - next_row + 1, (1 << (t.bits - 1)) - 1)
                        self.needed[k] |= <uint64_t>column << (j * t.bits)
                        break

    cdef inline bint covers(self, int target, int cell) noexcept nogil:
        """True if a final skyline covers the hits after a cell."""
        return ((self.lattice.finals[~target] | self.lattice.guards) - self.needed[cell]
                ) & self.lattice.guards == self.lattice.guards

    cdef int enlarge(self, Reached* list) except -1 nogil:
        list.room = 2 * list.room if list.room else 256
        list.states = <int32_t*>realloc(list.states, list.room * sizeof(int32_t))
        list.values = <uint64_t*>realloc(list.values, list.room * sizeof(uint64_t))
        if list.states == NULL or list.values == NULL:
            with gil:
                raise MemoryError
        return 0

    cdef Value forward(self, Value one) except * nogil:
        """Fill `reached`; return the number (or total weight) of the configurations."""
        cdef Layer* layer
        cdef Edge* edge
        cdef Edge* end
        cdef Reached* here
        cdef Reached* there
        cdef int columns = self.lattice.columns
        cdef int i, j, k, s
        cdef Value total = 0, value, some
        cdef Value* values[COLUMNS + 1]   # by distance from here
        cdef Value* ahead
        cdef uint64_t m = self.modulus
        cdef uint64_t ways
        for k in range(self.cells):
            self.reached[k].n = 0
            if self.reached[k].room == 0:
                self.enlarge(&self.reached[k])
        s = self.lattice.first_state[self.fleet]
        self.reached[0].states[0] = s
        self.reached[0].n = 1
        (<Value*>self.value[0])[s] = one
        for k in range(self.cells):
            layer = &self.lattice.layers[k % columns]
            here = &self.reached[k]
            ways = self.ways[k]
            for j in range(self.slots):
                values[j] = <Value*>self.value[(k + j) % self.slots]
            for i in range(here.n):
                s = here.states[i]
                value = (<Value*>here.values)[i] = values[0][s]
                values[0][s] = 0
                edge, end = layer.edges + layer.start[s], layer.edges + layer.start[s + 1]
                while edge < end:
                    if ways >> edge.way & 1:
                        some = value
                        if Value is double:
                            if edge.way < LEAVE:
                                some *= self.weights[edge.way * self.cells + k]
                            if some == 0:  # or its target would be entered again and again
                                edge += 1
                                continue
                        if edge.target < 0:
                            if self.covers(edge.target, k):
                                if Value is double:
                                    total += some
                                else:
                                    total = add(total, some, m)
                        elif k + edge.distance < self.cells:
                            # A value that is 0 by chance (modulo m) is entered twice: no harm.
                            ahead = &values[edge.distance][edge.target]
                            if ahead[0] == 0:
                                there = &self.reached[k + edge.distance]
                                if there.n == there.room:
                                    self.enlarge(there)
                                there.states[there.n] = edge.target
                                there.n += 1
                            if Value is double:
                                ahead[0] += some
                            else:
                                ahead[0] = add(ahead[0], some, m)
                    edge += 1
                if i & 0xFFFF == 0xFFFF:
                    with gil:
                        PyErr_CheckSignals()
            self.report(k)
        return total

    cdef inline Value completions(self, const Edge* edge, int k, Value** values) noexcept nogil:
        """Return the number (or weight) of ways to go on from cell k along a transition."""
        cdef Value some = 0
        if edge.target < 0:
            if self.covers(edge.target, k):
                some = 1
        elif k + edge.distance < self.cells:
            some = values[edge.distance][edge.target]
        if Value is double:
            if edge.way < LEAVE:
                some *= self.weights[edge.way * self.cells + k]
        return some

    cdef int backward(self, Value* through) except -1 nogil:
        """Add the configurations through a way at a cell to through[way, cell].

        The values of `reached` become the ways to complete each state.
        """
        cdef Layer* layer
        cdef Edge* edge
        cdef Edge* end
        cdef Reached* here
        cdef int columns = self.lattice.columns
        cdef int i, j, k
        cdef Value value, some, total
        cdef Value* values[COLUMNS + 1]   # by distance from here
        cdef Value* place
        cdef uint64_t m = self.modulus
        cdef uint64_t ways
        for k in range(self.cells - 1, -1, -1):
            layer = &self.lattice.layers[k % columns]
            here = &self.reached[k]
            ways = self.ways[k]
            for j in range(self.slots):
                values[j] = <Value*>self.value[(k + j) % self.slots]
            for i in range(here.n):
                value = (<Value*>here.values)[i]
                total = 0
                edge = layer.edges + layer.start[here.states[i]]
                end = layer.edges + layer.start[here.states[i] + 1]
                while edge < end:
                    if ways >> edge.way & 1:
                        some = self.completions(edge, k, values)
                        if some != 0:
                            if Value is double:
                                total += some
                            else:
                                total = add(total, some, m)
                            if edge.way < LEAVE:
                                place = &through[edge.way * self.cells + k]
                                if Value is double:
                                    place[0] += value * some
                                else:
                                    place[0] = add(place[0], product(value, some, m), m)
                    edge += 1
                (<Value*>here.values)[i] = total
                if i & 0xFFFF == 0xFFFF:
                    with gil:
                        PyErr_CheckSignals()
            for i in range(here.n):
                values[0][here.states[i]] = (<Value*>here.values)[i]
            self.report(k)
        self.clear()
        return 0

    cdef void descend(self, Value[::1] ranks, int32_t[:, ::1] out) noexcept nogil:
        """Write the placements (way * cells + cell) of the configurations with these ranks.

        The configurations are ranked in the order of the transitions. All ranks go down together,
        cell by cell, with the completions of the next cells at hand.
        """
        cdef Layer* layer
        cdef Edge* edge
        cdef Reached* here
        cdef int columns = self.lattice.columns
        cdef int i, j, k, s
        cdef Py_ssize_t r
        cdef Value some
        cdef Value* values[COLUMNS + 1]
        cdef int32_t* state = self.walk
        cdef int32_t* cell = state + ranks.shape[0]
        cdef int32_t* ship = cell + ranks.shape[0]
        for r in range(ranks.shape[0]):
            state[r] = self.lattice.first_state[self.fleet]
            cell[r] = ship[r] = 0
        for k in range(self.cells):
            for j in range(self.slots):
                values[j] = <Value*>self.value[(k + j) % self.slots]
                # The lists of the first cells come into reach together, the others one by one.
                if j + k < self.cells and (k == 0 or j == self.slots - 1):
                    here = &self.reached[k + j]
                    for i in range(here.n):
                        values[j][here.states[i]] = (<Value*>here.values)[i]
            layer = &self.lattice.layers[k % columns]
            for r in range(ranks.shape[0]):
                if cell[r] != k:
                    continue
                s = state[r]
                edge = NULL
                for j in range(layer.start[s], layer.start[s + 1]):
                    if self.ways[k] >> layer.edges[j].way & 1:
                        some = self.completions(&layer.edges[j], k, values)
                        if some == 0:
                            continue
                        edge = &layer.edges[j]
                        if ranks[r] < some:
                            break
                        ranks[r] -= some  # rounding may leave it past the last way: that is taken
                if Value is double:
                    if edge.way < LEAVE:
                        ranks[r] /= self.weights[edge.way * self.cells + k]
                if edge.way < LEAVE:
                    out[r, ship[r]] = edge.way * self.cells + k
                    ship[r] += 1
                if edge.target < 0:
                    cell[r] = -1
                else:
                    state[r] = edge.target
                    cell[r] = k + edge.distance
        self.clear()

    cdef void clear(self) noexcept nogil:
        cdef int i, k
        for k in range(self.cells):
            for i in range(self.reached[k].n):
                self.value[k % self.slots][self.reached[k].states[i]] = 0

    cdef int widen(self, int width) except -1:
        """Make room for `width` values of each state, all 0."""
        cdef int c
        cdef uint64_t* wider
        for c in range(self.slots):
            wider = <uint64_t*>calloc(<size_t>width * (self.lattice.most + 1), sizeof(uint64_t))
            if wider == NULL:
                raise MemoryError
            free(self.value[c])
            self.value[c] = wider
        self.width = width
        return 0

    cdef int report(self, int k) except -1 nogil:
        """Call `watch` at the last cell of a row."""
        if k % self.lattice.columns == self.lattice.columns - 1:
            with gil:
                if self.watch is not None:
                    self.watch()
        return 0

    cdef int append(self, Pending* there, int32_t state) except -1 nogil:
        if there.n == there.room:
            there.room = 2 * there.room if there.room else 256
            there.states = <int32_t*>realloc(there.states, there.room * sizeof(int32_t))
            if there.states == NULL:
                there.n = there.room = 0
                with gil:
                    raise MemoryError
        there.states[there.n] = state
        there.n += 1
        return 0

    cdef int sweep(self, int width, const uint64_t* moduli, uint64_t* totals) except -1 nogil:
        """Add to the totals the number of configurations, modulo one or two numbers.

        Only the states of the cells within reach are kept. A state has `width` values side by side;
        if all are 0 by chance, it is entered twice, which does no harm.
        """
        cdef Layer* layer
        cdef Edge* edge
        cdef Edge* end
        cdef Pending* here
        cdef int columns = self.lattice.columns
        cdef int i, j, k, s
        cdef uint64_t first, second = 0
        cdef uint64_t m = moduli[0], n = moduli[width - 1]
        cdef uint64_t ways
        cdef uint64_t* values[COLUMNS + 1]   # by distance from here
        cdef Pending* lists[COLUMNS + 1]
        cdef uint64_t* ahead
        s = self.lattice.first_state[self.fleet]
        self.append(&self.pending[0], s)
        for i in range(width):
            self.value[0][width * s + i] = 1
        for k in range(self.cells):
            layer = &self.lattice.layers[k % columns]
            ways = self.ways[k]
            for j in range(self.slots):
                values[j] = self.value[(k + j) % self.slots]
                lists[j] = &self.pending[(k + j) % self.slots]
            here = lists[0]
            for i in range(here.n):
                s = here.states[i]
                first = values[0][width * s]
                values[0][width * s] = 0
                if width == 2:
                    second = values[0][2 * s + 1]
                    values[0][2 * s + 1] = 0
                edge, end = layer.edges + layer.start[s], layer.edges + layer.start[s + 1]
                while edge < end:
                    if ways >> edge.way & 1:
                        if edge.target < 0:
                            if self.covers(edge.target, k):
                                totals[0] = add(totals[0], first, m)
                                if width == 2:
                                    totals[1] = add(totals[1], second, n)
                        elif k + edge.distance < self.cells:
                            ahead = values[edge.distance] + <size_t>width * edge.target
                            if ahead[0] == 0 and ahead[width - 1] == 0:
                                self.append(lists[edge.distance], edge.target)
                            ahead[0] = add(ahead[0], first, m)
                            if width == 2:
                                ahead[1] = add(ahead[1], second, n)
                    edge += 1
                if i & 0xFFFF == 0xFFFF:
                    with gil:
                        PyErr_CheckSignals()
            self.visits += here.n
            here.n = 0
            if self.visits > self.visits_allowed:
                with gil:
                    raise MemoryError
            self.report(k)
        return 0

    def count(self, moduli, watch=None, most_visits=None):
        """Return the number of configurations modulo each of some numbers (0: 2^64), as a list.

        watch -- called after each row. most_visits -- MemoryError after more visits.
        """
        cdef uint64_t some[2]
        cdef uint64_t totals[2]
        cdef int c, i, j, k, width
        counts = []
        self.watch = watch
        self.visits_allowed = INT64_MAX if most_visits is None else most_visits
        for i in range(0, len(moduli), 2):
            self.visits = 0
            width = min(2, len(moduli) - i)
            for j in range(width):
                some[j], totals[j] = moduli[i + j], 0
            if width > self.width:
                self.widen(width)
            try:
                with nogil:
                    self.sweep(width, some, totals)
            except BaseException:  # ctrl-C, too
                for c in range(self.slots):
                    for j in range(self.pending[c].n):
                        for k in range(width):
                            self.value[c][width * self.pending[c].states[j] + k] = 0
                    self.pending[c].n = 0
                raise
            counts += [totals[j] for j in range(width)]
        return counts

    def count_by_placement(self, uint64_t modulus=0, watch=None):
        """Return the number of configurations, and those through each placement, modulo `modulus`.

        The latter is uint64 of shape (ways, cells), by way and first cell. modulus -- 0 for 2^64.
        watch -- called after each row, there and back.
        """
        counts = np.zeros((self.lattice.ways, self.cells), np.uint64)
        cdef uint64_t[:, ::1] view = counts
        cdef uint64_t total
        self.modulus, self.watch = modulus, watch
        try:
            with nogil:
                total = self.forward[uint64_t](1)
                self.backward[uint64_t](&view[0, 0])
        except BaseException:
            self.clear()
            raise
        return total, counts

    def weigh(self, const double[:, ::1] weights):
        """Return the total weight, and the weight through each placement (way, cell).

        weights -- of the placements, none negative; float64 of shape (ways, cells), as is the
        second result. The weight of a configuration is the product over its ships.
        """
        cdef double total
        cdef double[:, ::1] view
        sums = np.zeros((self.lattice.ways, self.cells))
        view = sums
        if weights.shape[0] != self.lattice.ways or weights.shape[1] != self.cells:
            raise ValueError("weights of another game")
        self.weights, self.watch = &weights[0, 0], None
        try:
            with nogil:
                total = self.forward[double](1)
                self.backward[double](&view[0, 0])
        except BaseException:
            self.clear()
            raise
        return total, sums

    def unrank(self, ranks, int ships, weights=None):
        """Return the configurations with these ranks: int32 (n, ships) of way * cells + cell.

        ranks -- uint64 below the number of configurations, after count_by_placement() with modulus 0; or
        float64 below the total weight, after weigh(weights), with the same weights. They are
        overwritten.
        """
        cdef Py_ssize_t n = len(ranks)
        cdef uint64_t[::1] numbers
        cdef double[::1] shares
        cdef const double[:, ::1] view
        cdef int32_t[:, ::1] placements = np.full((n, ships), -1, np.int32)
        cdef Arena arena = Arena()
        self.walk = <int32_t*>arena.array(3 * n, sizeof(int32_t))
        if weights is None:
            numbers = ranks
            with nogil:
                self.descend[uint64_t](numbers, placements)
        else:
            shares, view = ranks, weights
            self.weights = &view[0, 0]
            with nogil:
                self.descend[double](shares, placements)
        return np.asarray(placements)
