"""What follows in a puzzle, step by step to the end, and which suppositions contradict themselves.

The rules are those of `optsearch.solitaire.reasoning`, without their words. They are monotone: what
follows, follows from more as well, so that it does not matter in which order they are applied. Here
each looks again only at what has changed: a cell is set, places of ships die, and lines, ships and
lengths near them wait to be looked at. A supposition is tried on a copy of the state.
"""

from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport int16_t, int32_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

cdef extern from *:
    int popcount "__builtin_popcountll"(uint64_t) noexcept nogil
    int lowest "__builtin_ctzll"(uint64_t) noexcept nogil

cdef enum:
    MAX_KINDS = 50    # lengths
    MAX_LINE = 50     # cells
    KEY = 56          # bytes: where, ship cells left, ships used of each length
    SLOTS = 1 << 12   # of the table of ways to fill a line, a power of two
    PAUSE = 1 << 10   # suppositions between two ticks
    SHIP = 1
    WATER = 0


cdef struct State:
    uint64_t* ship          # known cells, words
    uint64_t* water
    uint64_t* line_ship     # the same, a mask a line
    uint64_t* line_water
    int32_t* alive          # places of each length
    int32_t* placed         # ships of each length that are known
    int16_t* need           # cells that a place still waits for: its own, and water around
    int16_t* covers         # places that a cell is on
    uint8_t* live           # whether a ship may lie in a place


cdef struct Way:
    uint64_t can_be_ship, can_be_water
    uint64_t stamp
    uint8_t is_possible
    uint8_t key[KEY]


cdef struct Line:
    uint64_t ship           # known cells
    uint64_t begins[MAX_LINE]      # a bit a length that may begin there
    uint8_t crossing[MAX_LINE]     # whether a ship across may be there
    int limits[MAX_KINDS]
    int binding[MAX_KINDS]  # whether the limit of a length can be reached in the line at all
    int size


cdef class Deduction:
    """One puzzle, and what is known of it.

    lengths, ships -- the distinct lengths and how many ships of each, int32.
    kind -- int32, a place: which length; places of one length stand together.
    cells, shores -- uint64 (places, words): the cells of a place, and those around it.
    on, beside, corners -- pairs of int32 arrays (first, members): of each cell the places that are
        on it, the places beside it, the cells at its corners. Members of cell i are those from
        first[i] to first[i + 1].
    lines -- int32 (lines, 4): of each line with a count the count, the size, the first cell and the
        step to the next.
    line_of -- int32 (cells, 2): the lines of a cell, -1 for none.
    bit_of -- int32 (cells, 2): its place in each.
    meets -- a pair of int32 arrays as above: the places on or beside a line.
    masks -- uint64 (members of meets, 2): the part of the line that they are on, and beside.
    tick -- called between whiles; what it raises ends a supposition.
    """

    cdef int words, n_cells, n_places, n_lines, kinds
    cdef const int32_t[::1] lengths, ships, kind
    cdef const uint64_t[:, ::1] cells, shores
    cdef const int32_t[::1] on_first, on, beside_first, beside, corner_first, corners
    cdef const int32_t[:, ::1] lines, line_of, bit_of
    cdef const int32_t[::1] meets_first, meets
    cdef const uint64_t[:, ::1] masks
    cdef object tick, error
    cdef bint stopped
    cdef int tried
    # States: the root, what is known, and one for each supposition that is open.
    cdef State* states
    cdef char** blocks
    cdef uint8_t** tested
    cdef int levels
    cdef size_t block
    # What waits to be looked at.
    cdef State* now
    cdef int32_t* queue
    cdef int head, tail
    cdef uint8_t* wait_line
    cdef uint8_t* wait_ways
    cdef uint8_t* wait_ship
    cdef uint8_t* wait_kind
    cdef bint lines_wait, ways_wait, ships_wait, kinds_wait
    cdef uint64_t* common
    cdef uint64_t* around
    cdef uint64_t* everything
    # Ways to fill a line.
    cdef Way* ways
    cdef uint64_t stamp

    def __cinit__(self, lengths, ships, kind, cells, shores, on, beside, corners, lines, line_of,
                  bit_of, meets, masks, tick):
        self.lengths, self.ships, self.kind = lengths, ships, kind
        self.cells, self.shores = cells, shores
        self.on_first, self.on = on
        self.beside_first, self.beside = beside
        self.corner_first, self.corners = corners
        self.lines, self.line_of, self.bit_of = lines, line_of, bit_of
        self.meets_first, self.meets = meets
        self.masks = masks
        self.tick = tick
        self.words = self.cells.shape[1]
        self.n_places, self.n_cells = len(kind), len(line_of)
        self.n_lines, self.kinds = len(lines), len(lengths)
        if self.kinds > MAX_KINDS or any(line[1] > MAX_LINE for line in lines):
            raise ValueError("too large for the kernel")
        self.block = (
            8 * (2 * self.words + 2 * self.n_lines)
            + 4 * (2 * self.kinds)
            + 2 * (self.n_places + self.n_cells)
            + self.n_places
            + 8
        )
        self.queue = <int32_t*>self._room(self.n_cells * sizeof(int32_t))
        self.wait_line = <uint8_t*>self._room(self.n_lines)
        self.wait_ways = <uint8_t*>self._room(self.n_lines)
        self.wait_ship = <uint8_t*>self._room(self.n_cells)
        self.wait_kind = <uint8_t*>self._room(self.kinds)
        self.common = <uint64_t*>self._room(8 * self.words)
        self.around = <uint64_t*>self._room(8 * self.words)
        self.everything = <uint64_t*>self._room(8 * self.words)
        self.ways = <Way*>self._room(SLOTS * sizeof(Way))
        self._add_levels(2)
        self._begin()

    cdef void* _room(self, size_t size) except NULL:
        cdef void* found = PyMem_RawCalloc(size + 1, 1)
        if found == NULL:
            raise MemoryError
        return found

    def __dealloc__(self):
        cdef int level
        for level in range(self.levels):
            PyMem_RawFree(self.blocks[level])
            PyMem_RawFree(self.tested[level])
        PyMem_RawFree(self.states)
        PyMem_RawFree(self.blocks)
        PyMem_RawFree(self.tested)
        PyMem_RawFree(self.queue)
        PyMem_RawFree(self.wait_line)
        PyMem_RawFree(self.wait_ways)
        PyMem_RawFree(self.wait_ship)
        PyMem_RawFree(self.wait_kind)
        PyMem_RawFree(self.common)
        PyMem_RawFree(self.around)
        PyMem_RawFree(self.everything)
        PyMem_RawFree(self.ways)

    cdef int _add_levels(self, int levels) except -1:
        """Room for so many states."""
        cdef int level
        cdef State* states
        cdef char** blocks
        cdef uint8_t** tested
        if levels <= self.levels:
            return 0
        states = <State*>self._room(levels * sizeof(State))
        blocks = <char**>self._room(levels * sizeof(void*))
        tested = <uint8_t**>self._room(levels * sizeof(void*))
        if self.levels:
            memcpy(states, self.states, self.levels * sizeof(State))
            memcpy(blocks, self.blocks, self.levels * sizeof(void*))
            memcpy(tested, self.tested, self.levels * sizeof(void*))
        PyMem_RawFree(self.states)
        PyMem_RawFree(self.blocks)
        PyMem_RawFree(self.tested)
        self.states, self.blocks, self.tested = states, blocks, tested
        for level in range(self.levels, levels):
            blocks[level] = <char*>self._room(self.block)
            tested[level] = <uint8_t*>self._room(2 * self.n_cells)
            self.levels = level + 1
            self._point(&states[level], blocks[level])
        return 0

    cdef void _point(self, State* state, char* place) noexcept:
        """The parts of a block."""
        state.ship = <uint64_t*>place
        state.water = state.ship + self.words
        state.line_ship = state.water + self.words
        state.line_water = state.line_ship + self.n_lines
        state.alive = <int32_t*>(state.line_water + self.n_lines)
        state.placed = state.alive + self.kinds
        state.need = <int16_t*>(state.placed + self.kinds)
        state.covers = state.need + self.n_places
        state.live = <uint8_t*>(state.covers + self.n_cells)

    cdef void _begin(self) noexcept:
        """The root: nothing is known, and every place is open."""
        cdef State* root = &self.states[0]
        cdef int place, cell, word
        for place in range(self.n_places):
            root.live[place] = 1
            root.alive[self.kind[place]] += 1
            for word in range(self.words):
                root.need[place] += popcount(self.cells[place, word])
                root.need[place] += popcount(self.shores[place, word])
        for cell in range(self.n_cells):
            root.covers[cell] = self.on_first[cell + 1] - self.on_first[cell]

    # What Python asks

    def know(self, const uint64_t[::1] ship, const uint64_t[::1] water):
        """Begin from these cells; whether they contradict themselves."""
        cdef bint wrong = False
        cdef int cell
        memcpy(self.blocks[1], self.blocks[0], self.block)
        self.now = &self.states[1]
        self._forget()
        self._wake()
        for cell in range(self.n_cells):
            if not self.now.covers[cell]:
                wrong = wrong or self._set(cell, WATER)
            if ship[cell >> 6] >> (cell & 63) & 1:
                wrong = wrong or self._set(cell, SHIP)
            if water[cell >> 6] >> (cell & 63) & 1:
                wrong = wrong or self._set(cell, WATER)
        return wrong or self._follow()

    def suppose(self, int cell, bint is_ship, int depth, uint64_t[::1] ship, uint64_t[::1] water):
        """Whether one more cell contradicts what is known, by suppositions of a depth below it.

        What follows is written into `ship` and `water`. Only after `know` found no contradiction.
        """
        cdef bint wrong
        cdef int word
        self._add_levels(depth + 3)
        self.stopped, self.error = False, None
        with nogil:
            wrong = self._contradicts(1, cell, is_ship, depth)
        if self.error is not None:
            raise self.error
        for word in range(self.words):
            ship[word] = self.states[2].ship[word]
            water[word] = self.states[2].water[word]
        return wrong

    # Suppositions

    cdef bint _contradicts(self, int level, int cell, bint is_ship, int depth) noexcept nogil:
        """Whether a cell contradicts the state of a level; the next level has what follows."""
        cdef bint wrong
        self.tried += 1
        if self.tried % PAUSE == 0:
            with gil:
                self._tick()
        if self.stopped:
            return True
        memcpy(self.blocks[level + 1], self.blocks[level], self.block)
        self.now = &self.states[level + 1]
        wrong = self._set(cell, is_ship) or self._follow()
        if wrong:
            self._forget()
        elif depth:
            wrong = self._settle(level + 1, depth)
        self.now = &self.states[level]
        return wrong

    cdef void _tick(self):
        try:
            self.tick()
        except BaseException as error:
            self.error, self.stopped = error, True

    cdef bint _settle(self, int level, int depth) noexcept nogil:
        """Learn what follows by suppositions; whether that contradicts itself.

        What follows from a supposition without contradiction cannot lead to one itself, until more
        is known.
        """
        cdef State* state = &self.states[level]
        cdef int deep = 1, cell = 0, since = 0, side
        cdef bint learnt
        memset(self.tested[level], 0, 2 * self.n_cells)
        while deep <= depth:
            learnt = False
            for side in range(2):
                if self._is_known(state, cell) or self.tested[level][2 * cell + side] >= deep:
                    continue
                if self._contradicts(level, cell, side == SHIP, deep - 1):
                    if self.stopped:
                        return True
                    self.now = state
                    if self._set(cell, side != SHIP) or self._follow():
                        self._forget()
                        return True
                    learnt = True
                else:
                    self._pass(level, deep)
            if learnt:
                memset(self.tested[level], 0, 2 * self.n_cells)
                deep, since = 1, 0
            else:
                since += 1
            cell = cell + 1 if cell + 1 < self.n_cells else 0
            if since == self.n_cells:
                deep, since = deep + 1, 0
        return False

    cdef void _pass(self, int level, int deep) noexcept nogil:
        """Note what followed at the next level as tried."""
        cdef State* state = &self.states[level + 1]
        cdef int word
        cdef uint64_t left
        for word in range(self.words):
            left = state.ship[word]
            while left:
                self.tested[level][2 * (64 * word + lowest(left)) + SHIP] = deep
                left &= left - 1
            left = state.water[word]
            while left:
                self.tested[level][2 * (64 * word + lowest(left)) + WATER] = deep
                left &= left - 1

    # Cells

    cdef bint _is_known(self, State* state, int cell) noexcept nogil:
        return (state.ship[cell >> 6] | state.water[cell >> 6]) >> (cell & 63) & 1

    cdef bint _set(self, int cell, bint is_ship) noexcept nogil:
        """Learn a cell; whether that contradicts what is known."""
        cdef uint64_t bit = (<uint64_t>1) << (cell & 63)
        cdef int word = cell >> 6
        if self.now.ship[word] & bit:
            return not is_ship
        if self.now.water[word] & bit:
            return is_ship
        if is_ship:
            self.now.ship[word] |= bit
        else:
            self.now.water[word] |= bit
        self.queue[self.tail] = cell
        self.tail += 1
        return False

    cdef bint _set_all(self, const uint64_t* cells, bint is_ship) noexcept nogil:
        cdef int word
        cdef uint64_t left
        for word in range(self.words):
            left = cells[word]
            while left:
                if self._set(64 * word + lowest(left), is_ship):
                    return True
                left &= left - 1
        return False

    cdef void _forget(self) noexcept nogil:
        """Nothing waits any more."""
        self.head = self.tail = 0
        memset(self.wait_line, 0, self.n_lines)
        memset(self.wait_ways, 0, self.n_lines)
        memset(self.wait_ship, 0, self.n_cells)
        memset(self.wait_kind, 0, self.kinds)
        self.lines_wait = self.ways_wait = self.ships_wait = self.kinds_wait = False

    cdef void _wake(self) noexcept nogil:
        """Everything waits."""
        memset(self.wait_line, 1, self.n_lines)
        memset(self.wait_ways, 1, self.n_lines)
        memset(self.wait_ship, 1, self.n_cells)
        memset(self.wait_kind, 1, self.kinds)
        self.lines_wait = self.ways_wait = self.ships_wait = self.kinds_wait = True

    cdef bint _follow(self) noexcept nogil:
        """Apply the rules until nothing waits; whether something cannot be."""
        while True:
            if self.head < self.tail:
                self.head += 1
                if self._heed(self.queue[self.head - 1]):
                    return True
            elif self.kinds_wait:
                if self._look_at_kinds():
                    return True
            elif self.lines_wait:
                if self._look_at_lines():
                    return True
            elif self.ships_wait:
                if self._look_at_ships():
                    return True
            elif self.ways_wait:
                if self._look_at_ways():
                    return True
            else:
                self.head = self.tail = 0
                return False

    cdef bint _heed(self, int cell) noexcept nogil:
        """What a newly known cell does to places, to its lines and to its corners."""
        cdef bint is_ship = self.now.ship[cell >> 6] >> (cell & 63) & 1
        cdef int i, side, line
        for side in range(2):
            line = self.line_of[cell, side]
            if line >= 0:
                if is_ship:
                    self.now.line_ship[line] |= (<uint64_t>1) << self.bit_of[cell, side]
                else:
                    self.now.line_water[line] |= (<uint64_t>1) << self.bit_of[cell, side]
                self.wait_line[line] = self.wait_ways[line] = 1
                self.lines_wait = self.ways_wait = True
        if is_ship:
            self.wait_ship[cell] = 1
            self.ships_wait = True
            for i in range(self.corner_first[cell], self.corner_first[cell + 1]):
                if self._set(self.corners[i], WATER):
                    return True
        for i in range(self.on_first[cell], self.on_first[cell + 1]):
            if is_ship:
                self._is_nearer(self.on[i])
            elif self._kill(self.on[i]):
                return True
        for i in range(self.beside_first[cell], self.beside_first[cell + 1]):
            if not is_ship:
                self._is_nearer(self.beside[i])
            elif self._kill(self.beside[i]):
                return True
        return False

    # Places

    cdef void _is_nearer(self, int place) noexcept nogil:
        """One cell less is missing to a ship that is known."""
        cdef int kind = self.kind[place]
        self.now.need[place] -= 1
        if self.now.live[place] and not self.now.need[place]:
            self.now.placed[kind] += 1
            self.wait_kind[kind] = 1
            self.kinds_wait = True
            memset(self.wait_ways, 1, self.n_lines)
            self.ways_wait = self.n_lines > 0

    cdef bint _kill(self, int place) noexcept nogil:
        """No ship lies there; whether a ship cell has no place left."""
        cdef int kind = self.kind[place], cell, word, side, line
        cdef uint64_t left
        if not self.now.live[place]:
            return False
        self.now.live[place] = 0
        self.now.alive[kind] -= 1
        if not self.now.need[place]:
            self.now.placed[kind] -= 1
        self.wait_kind[kind] = 1
        self.kinds_wait = True
        for word in range(self.words):
            left = self.cells[place, word]
            while left:
                cell = 64 * word + lowest(left)
                left &= left - 1
                self.now.covers[cell] -= 1
                if not self.now.covers[cell]:
                    if self._set(cell, WATER):
                        return True
                elif self.now.ship[word] >> (cell & 63) & 1:
                    self.wait_ship[cell] = 1
                    self.ships_wait = True
                for side in range(2):
                    line = self.line_of[cell, side]
                    if line >= 0:
                        self.wait_ways[line] = 1
                        self.ways_wait = True
        return False

    # Rules

    cdef bint _look_at_kinds(self) noexcept nogil:
        """The ships of a length: not too many, room for all, and what their places say."""
        cdef int kind, place, first = 0, after, number, placed, rest
        self.kinds_wait = False
        for kind in range(self.kinds):
            after = first
            while after < self.n_places and self.kind[after] == kind:
                after += 1
            if self.wait_kind[kind]:
                self.wait_kind[kind] = 0
                number, placed = self.ships[kind], self.now.placed[kind]
                if placed > number or self.now.alive[kind] < number:
                    return True
                if placed == number:
                    for place in range(first, after):
                        if self.now.need[place] and self._kill(place):
                            return True
                else:
                    rest = number - placed
                    if self.now.alive[kind] - placed == rest or rest == 1:
                        if self._agree(first, after, self.now.alive[kind] - placed == rest):
                            return True
            first = after
        return False

    cdef bint _agree(self, int first, int after, bint all_of_them) noexcept nogil:
        """What the open places of a length say, whether all are taken or one is."""
        cdef int place, word
        for word in range(self.words):
            self.common[word] = 0 if all_of_them else ~(<uint64_t>0)
            self.around[word] = 0
        for place in range(first, after):
            if not self.now.live[place] or not self.now.need[place]:
                continue
            for word in range(self.words):
                if all_of_them:
                    self.common[word] |= self.cells[place, word]
                    self.around[word] |= self.shores[place, word]
                else:
                    self.common[word] &= self.cells[place, word]
        for word in range(self.words):
            self.around[word] &= ~self.common[word]
        return self._set_all(self.common, SHIP) or self._set_all(self.around, WATER)

    cdef bint _look_at_ships(self) noexcept nogil:
        """Known ship cells: what all places of the ship on each have in common."""
        cdef int cell
        self.ships_wait = False
        for cell in range(self.n_cells):
            if self.wait_ship[cell]:
                self.wait_ship[cell] = 0
                if self.now.ship[cell >> 6] >> (cell & 63) & 1 and self._look_at_ship(cell):
                    return True
        return False

    cdef bint _look_at_ship(self, int cell) noexcept nogil:
        cdef int i, place, word
        if not self.now.covers[cell]:
            return True
        for word in range(self.words):
            self.common[word] = self.around[word] = ~(<uint64_t>0)
            self.everything[word] = 0
        for i in range(self.on_first[cell], self.on_first[cell + 1]):
            place = self.on[i]
            if not self.now.live[place]:
                continue
            for word in range(self.words):
                self.common[word] &= self.cells[place, word]
                self.around[word] &= self.cells[place, word] | self.shores[place, word]
                self.everything[word] |= self.cells[place, word]
        for word in range(self.words):
            self.around[word] &= ~self.everything[word]
        return self._set_all(self.common, SHIP) or self._set_all(self.around, WATER)

    cdef bint _look_at_lines(self) noexcept nogil:
        """Lines with a count: full, in need of all that is left, and places that do not fit."""
        cdef int line
        self.lines_wait = False
        for line in range(self.n_lines):
            if self.wait_line[line]:
                self.wait_line[line] = 0
                if self._look_at_line(line):
                    return True
        return False

    cdef bint _look_at_line(self, int line) noexcept nogil:
        cdef uint64_t ship = self.now.line_ship[line], water = self.now.line_water[line], left
        cdef int count = self.lines[line, 0], size = self.lines[line, 1]
        cdef int taken = popcount(ship), room = size - popcount(water), i, place
        if taken > count or room < count:
            return True
        left = (((<uint64_t>1) << size) - 1) & ~ship & ~water
        if taken == count or room == count:
            while left:
                if self._set(
                    self.lines[line, 2] + lowest(left) * self.lines[line, 3], room == count != taken
                ):
                    return True
                left &= left - 1
        for i in range(self.meets_first[line], self.meets_first[line + 1]):
            place = self.meets[i]
            if self.now.live[place] and (
                taken + popcount(self.masks[i, 0] & ~ship) > count
                or room - popcount(self.masks[i, 1] & ~water) < count
            ):
                if self._kill(place):
                    return True
        return False

    # Ways to fill a line

    cdef bint _look_at_ways(self) noexcept nogil:
        """One line: what all ways to fill it have in common."""
        cdef int line
        for line in range(self.n_lines):
            if self.wait_ways[line]:
                self.wait_ways[line] = 0
                return self._fill(line)
        self.ways_wait = False
        return False

    cdef bint _fill(self, int line) noexcept nogil:
        cdef uint64_t ship = self.now.line_ship[line], water = self.now.line_water[line]
        cdef uint64_t free, can_be_ship = 0, can_be_water = 0
        cdef int size = self.lines[line, 1], at, cell
        cdef uint8_t used[MAX_KINDS]
        cdef Line todo
        free = (((<uint64_t>1) << size) - 1) & ~ship & ~water
        if not free:
            return False
        self._pieces(line, &todo)
        self.stamp += 1
        memset(used, 0, self.kinds)
        if not self._rest(&todo, 0, self.lines[line, 0], used, &can_be_ship, &can_be_water):
            return True
        while free:
            at = lowest(free)
            free &= free - 1
            cell = self.lines[line, 2] + at * self.lines[line, 3]
            if not can_be_ship >> at & 1 and self._set(cell, WATER):
                return True
            if not can_be_water >> at & 1 and self._set(cell, SHIP):
                return True
        return False

    cdef void _pieces(self, int line, Line* todo) noexcept nogil:
        """What may begin at each cell of a line, and how many ships of each length it may have."""
        cdef int i, place, kind
        cdef uint64_t here
        todo.size, todo.ship = self.lines[line, 1], self.now.line_ship[line]
        memset(todo.begins, 0, sizeof(todo.begins))
        memset(todo.crossing, 0, sizeof(todo.crossing))
        for kind in range(self.kinds):
            todo.limits[kind] = self.ships[kind] - self.now.placed[kind]
        for i in range(self.meets_first[line], self.meets_first[line + 1]):
            place, here = self.meets[i], self.masks[i, 0]
            if not here or not self.now.live[place]:
                continue
            kind = self.kind[place]
            if not self.now.need[place]:
                todo.limits[kind] += 1
            if popcount(here) == self.lengths[kind]:
                todo.begins[lowest(here)] |= (<uint64_t>1) << kind
            else:
                todo.crossing[lowest(here)] = 1
        for kind in range(self.kinds):
            todo.binding[kind] = todo.limits[kind] < (todo.size + 1) // (self.lengths[kind] + 1)

    cdef bint _rest(self, Line* todo, int at, int left, uint8_t* used, uint64_t* can_be_ship,
                    uint64_t* can_be_water) noexcept nogil:
        """Whether a line can be filled from a cell on, and what its cells can be in some way."""
        cdef Way* slot
        cdef uint8_t key[KEY]
        cdef bint found = False
        cdef uint64_t ships = 0, waters = 0, kinds
        cdef int kind, length
        if left > max(0, todo.size - at):
            return False
        if at >= todo.size:
            can_be_ship[0] = can_be_water[0] = 0
            return True
        memset(key, 0, KEY)
        key[0], key[1] = at, left
        memcpy(&key[2], used, self.kinds)
        slot = &self.ways[_mixed(key)]
        if slot.stamp == self.stamp and memcmp(slot.key, key, KEY) == 0:
            can_be_ship[0], can_be_water[0] = slot.can_be_ship, slot.can_be_water
            return slot.is_possible
        if not todo.ship >> at & 1 and self._rest(todo, at + 1, left, used, &ships, &waters):
            found = True
            waters |= (<uint64_t>1) << at
        else:
            ships = waters = 0
        if todo.crossing[at] and self._laid(todo, at, left, 1, used, &ships, &waters):
            found = True
        kinds = todo.begins[at]
        while kinds:
            kind = lowest(kinds)
            kinds &= kinds - 1
            length = self.lengths[kind]
            if not todo.binding[kind]:
                found |= self._laid(todo, at, left, length, used, &ships, &waters)
            elif used[kind] < todo.limits[kind]:
                used[kind] += 1
                found |= self._laid(todo, at, left, length, used, &ships, &waters)
                used[kind] -= 1
        slot.stamp, slot.is_possible = self.stamp, found
        slot.can_be_ship, slot.can_be_water = ships, waters
        memcpy(slot.key, key, KEY)
        can_be_ship[0], can_be_water[0] = ships, waters
        return found

    cdef bint _laid(self, Line* todo, int at, int left, int length, uint8_t* used,
                    uint64_t* can_be_ship, uint64_t* can_be_water) noexcept nogil:
        """The same, a ship laid on the next cells; what is new is added."""
        cdef int after = at + length
        cdef uint64_t ships = 0, waters = 0
        if length > left or after > todo.size or (after < todo.size and todo.ship >> after & 1):
            return False
        if not self._rest(todo, after + 1, left - length, used, &ships, &waters):
            return False
        can_be_ship[0] |= ships | (((<uint64_t>1) << after) - ((<uint64_t>1) << at))
        can_be_water[0] |= waters
        if after < todo.size:
            can_be_water[0] |= (<uint64_t>1) << after
        return True


cdef int _mixed(const uint8_t* key) noexcept nogil:
    """The slot of a key."""
    cdef uint64_t word, mixed = 0
    cdef int i
    for i in range(0, KEY, 8):
        memcpy(&word, key + i, 8)
        mixed = (mixed ^ word) * <uint64_t>0x9E3779B97F4A7C15
        mixed ^= mixed >> 29
    return <int>(mixed & (SLOTS - 1))
