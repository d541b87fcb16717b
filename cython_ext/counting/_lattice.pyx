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
    cdef int contact, field_bits
    cdef uint64_t guards
    cdef int lengths[MAX_KINDS]
    cdef int counts[MAX_KINDS]
    cdef int fleet_steps[MAX_KINDS]       # of each kind in the mixed radix
    cdef Layer layers[COLUMNS]
    cdef uint64_t* finals                 # skylines with which no ship is left
    cdef int final_count, final_room
    cdef Slots final_numbers
    cdef int64_t edge_total, state_total, max_bytes
    cdef int most_states                  # states of a layer
    cdef int32_t* first_state             # in layer 0: the flat skyline with each fleet, or -1
    cdef readonly int fleets

    def __cinit__(self, int rows, int columns, lengths, counts, int contact, long long max_bytes):
        cdef int kind, column, fleet
        if not 1 <= columns <= rows or columns > COLUMNS or len(lengths) > MAX_KINDS:
            raise ValueError("columns must be the shorter side, and kinds few")
        self.rows, self.columns, self.kinds = rows, columns, len(lengths)
        self.contact, self.max_bytes = contact, max_bytes
        self.fleets = 1
        for kind in range(self.kinds):
            self.lengths[kind], self.counts[kind] = lengths[kind], counts[kind]
            self.fleet_steps[kind] = self.fleets
            self.fleets *= counts[kind] + 1
        # A field holds heights up to length + 1, a need that no height meets, and the guard bit.
        self.field_bits = int(max(lengths) + 2).bit_length() + 1
        if self.field_bits * columns > 64:
            raise ValueError("skylines need more than 64 bits")
        self.ways = 2 * self.kinds
        self.set_needs()
        for column in range(columns):
            self.guards |= <uint64_t>1 << (column * self.field_bits + self.field_bits - 1)
        self.arena = Arena()
        self.first_state = <int32_t*>self.arena.array(self.fleets, sizeof(int32_t))
        for fleet in range(self.fleets):
            self.first_state[fleet] = -1

    cdef void set_needs(self):
        """Fill `needs`; it is 0 where a ship does not fit."""
        cdef int kind, column, covered_column, length
        cdef uint64_t field = (<uint64_t>1 << self.field_bits) - 1
        for kind in range(self.kinds):
            length = self.lengths[kind]
            for column in range(self.columns):
                if column + length <= self.columns:
                    for covered_column in range(column, column + length):
                        self.needs[2 * kind][column] |= field << (covered_column * self.field_bits)
                if length > 1:
                    self.needs[2 * kind + 1][column] = field << (column * self.field_bits)

    def __dealloc__(self):
        cdef int column
        for column in range(COLUMNS):
            free(self.layers[column].skyline)
            free(self.layers[column].fleet)
            free(self.layers[column].start)
            free(self.layers[column].edges)
            free(self.layers[column].numbers.words)
        free(self.finals)
        free(self.final_numbers.words)

    # Building

    cdef int number_of_state(self, int column, uint64_t skyline, int fleet) except -1 nogil:
        """Return the number of a state of the layer of a column; append it if it is new."""
        cdef Layer* layer = &self.layers[column]
        cdef uint64_t hash = mix(skyline, fleet), slot = hash
        cdef int64_t number = next_number(&layer.numbers, hash, &slot)
        while number >= 0 and (layer.skyline[number] != skyline or layer.fleet[number] != fleet):
            number = next_number(&layer.numbers, hash, &slot)
        if number >= 0:
            return <int>number
        if layer.states == layer.room:
            enlarge(layer)
        number = layer.states
        layer.skyline[number] = skyline
        layer.fleet[number] = fleet
        add_number(&layer.numbers, hash, number)
        layer.states += 1
        self.most_states = max(self.most_states, layer.states)
        self.state_total += 1
        return <int>number

    cdef inline int64_t bytes_needed(self) noexcept nogil:
        """Bound the bytes of the lattice and of a count, which keeps the cells in reach alone."""
        return (self.edge_total * <int64_t>sizeof(Edge) + self.state_total * OF_A_STATE
                + (self.columns + 1) * <int64_t>(self.most_states + 1) * OF_A_COUNT)

    cdef int number_of_final(self, uint64_t skyline) except? -1 nogil:
        """Return the number of a skyline after the last ship, as ~number (negative); append a new one."""
        cdef uint64_t hash = mix(skyline, 0), slot = hash
        cdef int64_t number = next_number(&self.final_numbers, hash, &slot)
        while number >= 0 and self.finals[number] != skyline:
            number = next_number(&self.final_numbers, hash, &slot)
        if number >= 0:
            return ~<int>number
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
        return (skyline >> (column * self.field_bits)) & ((<uint64_t>1 << self.field_bits) - 1)

    cdef inline uint64_t raised(self, uint64_t skyline, int column, int height) noexcept nogil:
        """Return the skyline with at least this many closed cells in a column; unchanged off the board."""
        if not 0 <= column < self.columns or self.height(skyline, column) >= height:
            return skyline
        return skyline + (<uint64_t>(height - self.height(skyline, column)) << (column * self.field_bits))

    cdef inline bint is_closed(self, uint64_t skyline, int column) noexcept nogil:
        """True if the next cell of a column is closed."""
        return self.height(skyline, column) > 0

    cdef inline uint64_t swept(self, uint64_t skyline, int column) noexcept nogil:
        """Return the skyline after the next cell of a column, which is closed."""
        return skyline - (<uint64_t>1 << (column * self.field_bits))

    cdef uint64_t with_ship(self, uint64_t skyline, int column, int way) noexcept nogil:
        """Return the skyline after the next cell of a column, swept with a ship that begins there.

        way -- 2 * kind of ship, plus 1 if it is vertical.
        """
        if way & 1:
            return self.with_vertical(skyline, column, self.lengths[way >> 1])
        return self.with_horizontal(skyline, column, self.lengths[way >> 1])

    cdef uint64_t with_vertical(self, uint64_t skyline, int column, int length) noexcept nogil:
        """Return the skyline (closed cells ahead, by column) after a ship down from this cell, now swept."""
        if self.contact == ANY:
            return self.raised(skyline, column, length - 1)
        skyline = self.raised(skyline, column, length)
        skyline = self.raised(skyline, column - 1, length if self.contact == NONE else length - 1)
        return self.raised(skyline, column + 1, length + 1 if self.contact == NONE else length)

    cdef uint64_t with_horizontal(self, uint64_t skyline, int column, int length) noexcept nogil:
        """Return the skyline (closed cells ahead, by column) after a ship right from this cell, now swept."""
        cdef int covered_column
        for covered_column in range(column + 1, column + length):
            skyline = self.raised(skyline, covered_column, 1 if self.contact == ANY else 2)
        if self.contact != ANY:
            skyline = self.raised(skyline, column, 1)
            skyline = self.raised(skyline, column + length, 2 if self.contact == NONE else 1)
            if self.contact == NONE:
                skyline = self.raised(skyline, column - 1, 1)
        return skyline

    cdef int add_edge(self, int column, uint64_t skyline, int fleet, int way) except -1 nogil:
        """Add a transition from the newest state of the layer of a column.

        skyline, fleet -- after the cell; a fleet is the numbers of ships left, in mixed radix.
        way -- 2 * kind of the ship placed, plus 1 if it is vertical; or LEAVE or CLOSED.
        """
        cdef Layer* layer = &self.layers[column]
        cdef int distance = 1, target
        if fleet == 0:
            target = self.number_of_final(skyline)
        else:
            column = (column + 1) % self.columns
            while distance < self.columns - 1 and self.is_closed(skyline, column):
                skyline = self.swept(skyline, column)
                column = (column + 1) % self.columns
                distance += 1
            target = self.number_of_state(column, skyline, fleet)
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

    cdef int expand(self, int column, int state) except -1 nogil:
        """Add the transitions from a state of the layer of a column; these states are expanded in order."""
        cdef Layer* layer = &self.layers[column]
        cdef uint64_t skyline = layer.skyline[state]
        cdef int fleet = layer.fleet[state], kind, way
        layer.start[state] = layer.edge_count
        if self.is_closed(skyline, column):
            self.add_edge(column, self.swept(skyline, column), fleet, CLOSED)
        else:
            self.add_edge(column, skyline, fleet, LEAVE)
            for way in range(self.ways):
                kind = way >> 1
                if (fleet // self.fleet_steps[kind] % (self.counts[kind] + 1) and self.needs[way][column]
                        and not skyline & self.needs[way][column]):
                    self.add_edge(column, self.with_ship(skyline, column, way),
                                  fleet - self.fleet_steps[kind], way)
        layer.start[state + 1] = layer.edge_count
        return 0

    def build(self):
        """Find all states; MemoryError if these and a count need more than `max_bytes`."""
        cdef int expanded_count[COLUMNS]
        cdef int column, state
        cdef bint has_expanded = True
        memset(expanded_count, 0, sizeof(expanded_count))
        with nogil:
            self.number_of_state(0, 0, self.fleets - 1)
            while has_expanded:
                has_expanded = False
                for column in range(self.columns):
                    while expanded_count[column] < self.layers[column].states:
                        self.expand(column, expanded_count[column])
                        expanded_count[column] += 1
                        has_expanded = True
                        if expanded_count[column] & 0xFFFF == 0:
                            with gil:
                                PyErr_CheckSignals()
            for state in range(self.layers[0].states):
                if self.layers[0].skyline[state] == 0:
                    self.first_state[self.layers[0].fleet[state]] = state

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
    cdef int32_t* rank_table     # of each rank the state, the cell, the ship, while unrank() runs
    cdef int slots               # a transition from cell k leads to k + 1 … k + slots - 1
    cdef readonly int64_t visits  # states at all cells, in the last count
    cdef int64_t visits_allowed  # in a count
    cdef object after_row        # called after each row of a pass, or None
    cdef int width               # values that each state has room for
    cdef uint64_t* value[COLUMNS + 1]  # at cell k, slot k % slots: by state; 0 between queries
    cdef Pending pending[COLUMNS + 1]  # the same slots

    def __cinit__(self, Lattice lattice):
        cdef int slot
        self.lattice, self.width = lattice, 1
        self.cells = lattice.rows * lattice.columns
        self.slots = lattice.columns + 1
        self.arena = Arena()
        self.ways = <uint64_t*>self.arena.array(self.cells, sizeof(uint64_t))
        self.needed = <uint64_t*>self.arena.array(self.cells, sizeof(uint64_t))
        self.reached = <Reached*>self.arena.array(self.cells, sizeof(Reached))
        for slot in range(self.slots):
            self.value[slot] = <uint64_t*>calloc(lattice.most_states + 1, sizeof(uint64_t))
            if self.value[slot] == NULL:
                raise MemoryError

    def __dealloc__(self):
        cdef int slot, cell
        for slot in range(self.slots):
            free(self.value[slot])
            free(self.pending[slot].states)
        if self.reached != NULL:
            for cell in range(self.cells):
                free(self.reached[cell].states)
                free(self.reached[cell].values)

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
        cdef int cell
        for cell in range(self.cells):
            free(self.reached[cell].states)
            free(self.reached[cell].values)
        memset(self.reached, 0, self.cells * sizeof(Reached))

    def set(self, int fleet, const uint64_t[::1] ways, const uint8_t[::1] hit):
        """Set the ships to place, and for each cell the ways allowed and whether it must be covered.

        fleet -- the numbers of ships by kind, in mixed radix. ways -- as bits: 2 * kind, plus 1 if vertical.
        """
        cdef int cell, column, row, next_row, closed_cells
        cdef Lattice lattice = self.lattice
        if not 0 < fleet < lattice.fleets or ways.shape[0] != self.cells or hit.shape[0] != self.cells:
            raise ValueError("constraints of another game")
        self.fleet = fleet
        for cell in range(self.cells):
            self.ways[cell] = ways[cell] | <uint64_t>1 << CLOSED
            if not hit[cell]:
                self.ways[cell] |= <uint64_t>1 << LEAVE
            self.needed[cell] = 0
            for column in range(lattice.columns):
                next_row = cell // lattice.columns + (1 if column <= cell % lattice.columns else 0)
                for row in range(lattice.rows - 1, next_row - 1, -1):
                    if hit[row * lattice.columns + column]:
                        # More than any skyline has: no final skyline will do.
                        closed_cells = min(row - next_row + 1, (1 << (lattice.field_bits - 1)) - 1)
                        self.needed[cell] |= <uint64_t>closed_cells << (column * lattice.field_bits)
                        break

    cdef inline bint covers(self, int target, int cell) noexcept nogil:
        """True if a final skyline covers the hits after a cell."""
        return ((self.lattice.finals[~target] | self.lattice.guards) - self.needed[cell]
                ) & self.lattice.guards == self.lattice.guards

    cdef int enlarge(self, Reached* reached) except -1 nogil:
        reached.room = 2 * reached.room if reached.room else 256
        reached.states = <int32_t*>realloc(reached.states, reached.room * sizeof(int32_t))
        reached.values = <uint64_t*>realloc(reached.values, reached.room * sizeof(uint64_t))
        if reached.states == NULL or reached.values == NULL:
            with gil:
                raise MemoryError
        return 0

    cdef Value forward(self, Value one) except * nogil:
        """Fill `reached`; return the number (or total weight) of the configurations.

        one -- 1, which chooses counts or weights.
        """
        cdef Layer* layer
        cdef Edge* edge
        cdef Edge* end
        cdef Reached* reached
        cdef Reached* reached_ahead
        cdef int columns = self.lattice.columns
        cdef int index, distance, cell, state
        cdef Value total = 0, value, added
        cdef Value* values[COLUMNS + 1]   # by distance from here
        cdef Value* value_ahead
        cdef uint64_t modulus = self.modulus
        cdef uint64_t ways
        for cell in range(self.cells):
            self.reached[cell].n = 0
            if self.reached[cell].room == 0:
                self.enlarge(&self.reached[cell])
        state = self.lattice.first_state[self.fleet]
        self.reached[0].states[0] = state
        self.reached[0].n = 1
        (<Value*>self.value[0])[state] = one
        for cell in range(self.cells):
            layer = &self.lattice.layers[cell % columns]
            reached = &self.reached[cell]
            ways = self.ways[cell]
            for distance in range(self.slots):
                values[distance] = <Value*>self.value[(cell + distance) % self.slots]
            for index in range(reached.n):
                state = reached.states[index]
                value = (<Value*>reached.values)[index] = values[0][state]
                values[0][state] = 0
                edge, end = layer.edges + layer.start[state], layer.edges + layer.start[state + 1]
                while edge < end:
                    if ways >> edge.way & 1:
                        added = value
                        if Value is double:
                            if edge.way < LEAVE:
                                added *= self.weights[edge.way * self.cells + cell]
                            if added == 0:  # or its target would be entered again and again
                                edge += 1
                                continue
                        if edge.target < 0:
                            if self.covers(edge.target, cell):
                                if Value is double:
                                    total += added
                                else:
                                    total = add(total, added, modulus)
                        elif cell + edge.distance < self.cells:
                            # A value that is 0 by chance (modulo m) is entered twice: no harm.
                            value_ahead = &values[edge.distance][edge.target]
                            if value_ahead[0] == 0:
                                reached_ahead = &self.reached[cell + edge.distance]
                                if reached_ahead.n == reached_ahead.room:
                                    self.enlarge(reached_ahead)
                                reached_ahead.states[reached_ahead.n] = edge.target
                                reached_ahead.n += 1
                            if Value is double:
                                value_ahead[0] += added
                            else:
                                value_ahead[0] = add(value_ahead[0], added, modulus)
                    edge += 1
                if index & 0xFFFF == 0xFFFF:
                    with gil:
                        PyErr_CheckSignals()
            self.report_row(cell)
        return total

    cdef inline Value completions(self, const Edge* edge, int cell, Value** values) noexcept nogil:
        """Return the number (or weight) of ways to complete a transition from a cell.

        values -- those of the states ahead, by distance from the cell and state.
        """
        cdef Value ways = 0
        if edge.target < 0:
            if self.covers(edge.target, cell):
                ways = 1
        elif cell + edge.distance < self.cells:
            ways = values[edge.distance][edge.target]
        if Value is double:
            if edge.way < LEAVE:
                ways *= self.weights[edge.way * self.cells + cell]
        return ways

    cdef int backward(self, Value* through) except -1 nogil:
        """Add the configurations through a way at a cell to through[way, cell].

        The values of `reached` become the ways to complete each state.
        """
        cdef Layer* layer
        cdef Edge* edge
        cdef Edge* end
        cdef Reached* reached
        cdef int columns = self.lattice.columns
        cdef int index, distance, cell
        cdef Value value, completions, total
        cdef Value* values[COLUMNS + 1]   # by distance from here
        cdef Value* through_way
        cdef uint64_t modulus = self.modulus
        cdef uint64_t ways
        for cell in range(self.cells - 1, -1, -1):
            layer = &self.lattice.layers[cell % columns]
            reached = &self.reached[cell]
            ways = self.ways[cell]
            for distance in range(self.slots):
                values[distance] = <Value*>self.value[(cell + distance) % self.slots]
            for index in range(reached.n):
                value = (<Value*>reached.values)[index]
                total = 0
                edge = layer.edges + layer.start[reached.states[index]]
                end = layer.edges + layer.start[reached.states[index] + 1]
                while edge < end:
                    if ways >> edge.way & 1:
                        completions = self.completions(edge, cell, values)
                        if completions != 0:
                            if Value is double:
                                total += completions
                            else:
                                total = add(total, completions, modulus)
                            if edge.way < LEAVE:
                                through_way = &through[edge.way * self.cells + cell]
                                if Value is double:
                                    through_way[0] += value * completions
                                else:
                                    through_way[0] = add(
                                        through_way[0], product(value, completions, modulus), modulus)
                    edge += 1
                (<Value*>reached.values)[index] = total
                if index & 0xFFFF == 0xFFFF:
                    with gil:
                        PyErr_CheckSignals()
            for index in range(reached.n):
                values[0][reached.states[index]] = (<Value*>reached.values)[index]
            self.report_row(cell)
        self.clear()
        return 0

    cdef void descend(self, Value[::1] ranks, int32_t[:, ::1] placed) noexcept nogil:
        """Write the placements (way * cells + cell) of the configurations with these ranks.

        ranks -- as of `unrank`; overwritten. placed -- (ranks, ships). The configurations are ranked in the
        order of the transitions. All ranks go down together, cell by cell.
        """
        cdef Layer* layer
        cdef Edge* edge
        cdef Reached* reached
        cdef int columns = self.lattice.columns
        cdef int index, distance, edge_number, cell, state
        cdef Py_ssize_t r
        cdef Value ways
        cdef Value* values[COLUMNS + 1]
        cdef int32_t* state_of_rank = self.rank_table
        cdef int32_t* cell_of_rank = state_of_rank + ranks.shape[0]
        cdef int32_t* ships_of_rank = cell_of_rank + ranks.shape[0]
        for r in range(ranks.shape[0]):
            state_of_rank[r] = self.lattice.first_state[self.fleet]
            cell_of_rank[r] = ships_of_rank[r] = 0
        for cell in range(self.cells):
            for distance in range(self.slots):
                values[distance] = <Value*>self.value[(cell + distance) % self.slots]
                # The lists of the first cells come into reach together, the others one by one.
                if cell + distance < self.cells and (cell == 0 or distance == self.slots - 1):
                    reached = &self.reached[cell + distance]
                    for index in range(reached.n):
                        values[distance][reached.states[index]] = (<Value*>reached.values)[index]
            layer = &self.lattice.layers[cell % columns]
            for r in range(ranks.shape[0]):
                if cell_of_rank[r] != cell:
                    continue
                state = state_of_rank[r]
                edge = NULL
                for edge_number in range(layer.start[state], layer.start[state + 1]):
                    if self.ways[cell] >> layer.edges[edge_number].way & 1:
                        ways = self.completions(&layer.edges[edge_number], cell, values)
                        if ways == 0:
                            continue
                        edge = &layer.edges[edge_number]
                        if ranks[r] < ways:
                            break
                        ranks[r] -= ways  # rounding may leave it past the last way: that is taken
                if Value is double:
                    if edge.way < LEAVE:
                        ranks[r] /= self.weights[edge.way * self.cells + cell]
                if edge.way < LEAVE:
                    placed[r, ships_of_rank[r]] = edge.way * self.cells + cell
                    ships_of_rank[r] += 1
                if edge.target < 0:
                    cell_of_rank[r] = -1
                else:
                    state_of_rank[r] = edge.target
                    cell_of_rank[r] = cell + edge.distance
        self.clear()

    cdef void clear(self) noexcept nogil:
        cdef int index, cell
        for cell in range(self.cells):
            for index in range(self.reached[cell].n):
                self.value[cell % self.slots][self.reached[cell].states[index]] = 0

    cdef int widen(self, int width) except -1:
        """Make room for `width` values of each state, all 0."""
        cdef int slot
        cdef uint64_t* wider
        for slot in range(self.slots):
            wider = <uint64_t*>calloc(<size_t>width * (self.lattice.most_states + 1), sizeof(uint64_t))
            if wider == NULL:
                raise MemoryError
            free(self.value[slot])
            self.value[slot] = wider
        self.width = width
        return 0

    cdef int report_row(self, int cell) except -1 nogil:
        """Call `after_row` if this cell is the last one of its row."""
        if cell % self.lattice.columns == self.lattice.columns - 1:
            with gil:
                if self.after_row is not None:
                    self.after_row()
        return 0

    cdef int append(self, Pending* pending, int32_t state) except -1 nogil:
        if pending.n == pending.room:
            pending.room = 2 * pending.room if pending.room else 256
            pending.states = <int32_t*>realloc(pending.states, pending.room * sizeof(int32_t))
            if pending.states == NULL:
                pending.n = pending.room = 0
                with gil:
                    raise MemoryError
        pending.states[pending.n] = state
        pending.n += 1
        return 0

    cdef int sweep(self, int width, const uint64_t* moduli, uint64_t* totals) except -1 nogil:
        """Add the number of configurations to the totals, modulo `width` moduli: one or two.

        Only the states of the cells within reach are kept. A state has `width` values side by side;
        if all are 0 by chance, it is entered twice, which does no harm.
        """
        cdef Layer* layer
        cdef Edge* edge
        cdef Edge* end
        cdef Pending* pending
        cdef int columns = self.lattice.columns
        cdef int index, distance, cell, state
        cdef uint64_t first, second = 0
        cdef uint64_t first_modulus = moduli[0], second_modulus = moduli[width - 1]
        cdef uint64_t ways
        cdef uint64_t* values[COLUMNS + 1]   # by distance from here
        cdef Pending* lists[COLUMNS + 1]
        cdef uint64_t* values_ahead
        state = self.lattice.first_state[self.fleet]
        self.append(&self.pending[0], state)
        for index in range(width):
            self.value[0][width * state + index] = 1
        for cell in range(self.cells):
            layer = &self.lattice.layers[cell % columns]
            ways = self.ways[cell]
            for distance in range(self.slots):
                values[distance] = self.value[(cell + distance) % self.slots]
                lists[distance] = &self.pending[(cell + distance) % self.slots]
            pending = lists[0]
            for index in range(pending.n):
                state = pending.states[index]
                first = values[0][width * state]
                values[0][width * state] = 0
                if width == 2:
                    second = values[0][2 * state + 1]
                    values[0][2 * state + 1] = 0
                edge, end = layer.edges + layer.start[state], layer.edges + layer.start[state + 1]
                while edge < end:
                    if ways >> edge.way & 1:
                        if edge.target < 0:
                            if self.covers(edge.target, cell):
                                totals[0] = add(totals[0], first, first_modulus)
                                if width == 2:
                                    totals[1] = add(totals[1], second, second_modulus)
                        elif cell + edge.distance < self.cells:
                            values_ahead = values[edge.distance] + <size_t>width * edge.target
                            if values_ahead[0] == 0 and values_ahead[width - 1] == 0:
                                self.append(lists[edge.distance], edge.target)
                            values_ahead[0] = add(values_ahead[0], first, first_modulus)
                            if width == 2:
                                values_ahead[1] = add(values_ahead[1], second, second_modulus)
                    edge += 1
                if index & 0xFFFF == 0xFFFF:
                    with gil:
                        PyErr_CheckSignals()
            self.visits += pending.n
            pending.n = 0
            if self.visits > self.visits_allowed:
                with gil:
                    raise MemoryError
            self.report_row(cell)
        return 0

    def count(self, moduli, after_row=None, most_visits=None):
        """Return the number of configurations modulo each of some numbers (0: 2^64), as a list.

        after_row -- called after each row. most_visits -- MemoryError after more visits.
        """
        cdef uint64_t two_moduli[2]
        cdef uint64_t totals[2]
        cdef int slot, first, index, part, width
        counts = []
        self.after_row = after_row
        self.visits_allowed = INT64_MAX if most_visits is None else most_visits
        for first in range(0, len(moduli), 2):
            self.visits = 0
            width = min(2, len(moduli) - first)
            for index in range(width):
                two_moduli[index], totals[index] = moduli[first + index], 0
            if width > self.width:
                self.widen(width)
            try:
                with nogil:
                    self.sweep(width, two_moduli, totals)
            except BaseException:  # ctrl-C, too
                for slot in range(self.slots):
                    for index in range(self.pending[slot].n):
                        for part in range(width):
                            self.value[slot][width * self.pending[slot].states[index] + part] = 0
                    self.pending[slot].n = 0
                raise
            counts += [totals[index] for index in range(width)]
        return counts

    def count_by_placement(self, uint64_t modulus=0, after_row=None):
        """Return the number of configurations, and those through each placement, modulo `modulus`.

        The latter is uint64 of shape (ways, cells), by way and first cell. modulus -- 0 for 2^64.
        after_row -- called after each row, there and back.
        """
        counts = np.zeros((self.lattice.ways, self.cells), np.uint64)
        cdef uint64_t[:, ::1] view = counts
        cdef uint64_t total
        self.modulus, self.after_row = modulus, after_row
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
        self.weights, self.after_row = &weights[0, 0], None
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
        self.rank_table = <int32_t*>arena.array(3 * n, sizeof(int32_t))
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
