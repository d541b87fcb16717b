"""Patterns played on configurations one by one: the strategies of `optsearch/strategies/pattern.py`.

Cells are numbered by their place in the pattern here, so that the next hit of the pattern is the
lowest bit that is not shot. If sinkings end the clearing, a configuration has a code, the numbers of the
placements of its ships (`optsearch.counting.configurations.Codes`).
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

from cells cimport MAX_CELLS, Cells, first, one, size
from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.counting._enumerate cimport MAX_CODED

cdef enum:
    WAYS = 4                   # right, left, below, above


cdef struct Pattern:
    int fleet_cells
    bint in_line, know_water
    int place[MAX_CELLS]       # of each cell of the grid in the pattern
    int beside[MAX_CELLS][WAYS]    # the place of the neighbour in that direction, or -1
    Cells diagonal[MAX_CELLS]  # diagonal neighbours: water if the cell is hit and ships do not touch
    Cells image[16][256]       # [byte number][byte] a part of a set, in places
    int ships                  # ships whose sinkings are announced


cdef struct Ship:
    int word, shift            # of the first bit of its number in a row
    uint64_t field             # the bits of its number
    int told                   # the cells that its sinking accounts for
    Cells* placed              # in places, by number


cdef class Fleet:
    """The ships whose sinkings end the clearing.

    ships -- for each the bit in the code where its number begins, the cells that its sinking accounts for,
        and its placements by number, uint64 of shape (n, 2).
    """

    cdef Arena arena
    cdef Ship ship[MAX_CODED]
    cdef object masks
    cdef int ships

    def __init__(self, ships):
        cdef int i
        if len(ships) > MAX_CODED:
            raise ValueError(f"{len(ships)} ships; at most {MAX_CODED} are handled")
        self.arena, self.masks = Arena(), []
        for i in range(len(ships)):
            shift, told, masks = ships[i]
            self.ship[i].word, self.ship[i].shift, self.ship[i].told = shift >> 6, shift & 63, told
            self.ship[i].field = (1 << max(1, (len(masks) - 1).bit_length())) - 1
            self.masks.append(masks)
            self.ship[i].placed = <Cells*>self.arena.array(self.ship[i].field + 1, sizeof(Cells))
            self.ships += 1

    cdef int place(self, const Pattern* board, Py_ssize_t words) except -1:
        """Convert the placements to places."""
        cdef int i
        cdef Py_ssize_t number
        cdef const uint64_t[:, ::1] masks
        for i in range(self.ships):
            if self.ship[i].word + 2 >= words:
                raise ValueError(f"rows of {words} words have no code of ship {i}")
            masks = self.masks[i]
            for number in range(masks.shape[0]):
                self.ship[i].placed[number] = to_places(board, masks[number, 0], masks[number, 1])
        return 0


def play_pattern(const uint64_t[:, ::1] sets, const int32_t[::1] pattern, sizes, ways,
                 int64_t[::1] histogram, Fleet fleet=None):
    """Play configurations one by one with a strategy of `optsearch/strategies/pattern.py`.

    sets -- uint64 of shape (n, 2), or with further columns for the codes. pattern -- every cell, in the
    order of the shots. sizes -- the rows, the columns, and the cells of the fleet. ways -- `in_line` and
    `know_water` of the rule (`optsearch.search.rules.PatternRule`). histogram -- int64 of shape (129,), to
    which the configurations are added by their shots. fleet -- the ships whose sinkings end the clearing.
    """
    cdef Pattern board
    cdef int64_t i
    cdef int s, rows, columns
    cdef const Ship* ship
    cdef Cells afloat[MAX_CODED]
    rows, columns, board.fleet_cells = sizes
    board.in_line, board.know_water = ways
    if (pattern.shape[0] != rows * columns or sets.shape[1] < 2
            or histogram.shape[0] != MAX_CELLS + 1):
        raise ValueError("a pattern of another game")
    for i in range(pattern.shape[0]):
        board.place[pattern[i]] = <int>i
    find_neighbours(&board, rows, columns)
    fill_images(&board, rows * columns)
    board.ships = 0 if fleet is None else fleet.ships
    if fleet is not None:
        fleet.place(&board, sets.shape[1])
    with nogil:
        for i in range(sets.shape[0]):
            for s in range(board.ships):
                ship = &fleet.ship[s]
                afloat[s] = ship.placed[sets[i, 2 + ship.word] >> ship.shift & ship.field]
            histogram[play(&board, to_places(&board, sets[i, 0], sets[i, 1]), afloat,
                           fleet.ship if board.ships else NULL)] += 1


cdef inline int neighbour(int cell, int way, int rows, int columns) noexcept nogil:
    """Return the neighbour of a cell in a direction; -1 off the board."""
    cdef int row = cell // columns, column = cell % columns
    if way == 0:
        return cell + 1 if column + 1 < columns else -1
    if way == 1:
        return cell - 1 if column else -1
    if way == 2:
        return cell + columns if row + 1 < rows else -1
    return cell - columns if row else -1


cdef void find_neighbours(Pattern* board, int rows, int columns) noexcept nogil:
    """Fill `beside` and `diagonal`."""
    cdef int cell, other, corner, way, across
    for cell in range(rows * columns):
        board.diagonal[board.place[cell]] = 0
        for way in range(WAYS):
            other = neighbour(cell, way, rows, columns)
            board.beside[board.place[cell]][way] = board.place[other] if other >= 0 else -1
            for across in range(2, WAYS):
                if way < 2 and other >= 0:
                    corner = neighbour(other, across, rows, columns)
                    if corner >= 0:
                        board.diagonal[board.place[cell]] |= one(board.place[corner])


cdef void fill_images(Pattern* board, int cells) noexcept nogil:
    cdef int number, byte, bit
    for number in range(16):
        for byte in range(256):
            board.image[number][byte] = 0
            for bit in range(8):
                if byte >> bit & 1 and 8 * number + bit < cells:
                    board.image[number][byte] |= one(board.place[8 * number + bit])


cdef inline Cells to_places(const Pattern* board, uint64_t low, uint64_t high) noexcept nogil:
    """A set of cells of the grid as places in the pattern."""
    cdef Cells places = 0
    cdef int number
    for number in range(8):
        places |= board.image[number][low >> (8 * number) & 255]
        places |= board.image[8 + number][high >> (8 * number) & 255]
    return places


cdef inline int accounted(const Pattern* board, const Cells* afloat, const Ship* fleet, int cell,
                          Cells shot) noexcept nogil:
    """The cells that a hit accounts for: those of the ship that it sinks, if this is heard."""
    cdef int s
    for s in range(board.ships):
        if afloat[s] & one(cell):
            return 0 if afloat[s] & ~shot else fleet[s].told
    return 0


cdef inline int play(const Pattern* board, Cells ships, const Cells* afloat,
                     const Ship* fleet) noexcept nogil:
    """Return the number of shots for a configuration; afloat -- its ships."""
    cdef Cells shot = 0, water = 0, below
    cdef int hits = 0, shots = 0, cell
    while hits < board.fleet_cells:
        # All cells of the pattern before the next hit are missed.
        cell = first(ships & ~shot)
        below = one(cell) - 1
        shots += size(below & ~(shot | water)) + 1
        shot |= below | one(cell)
        hits += 1
        if board.know_water:
            water |= board.diagonal[cell]
        shots += follow(board, ships, afloat, fleet, cell, &shot, &water, &hits)
    return shots


cdef inline int follow(const Pattern* board, Cells ships, const Cells* afloat, const Ship* fleet,
                       int cell, Cells* shot, Cells* water, int* hits) noexcept nogil:
    """Shoot along the ship that was hit at a cell, in each direction until a miss; return the shots.

    It ends early once the ships sunk account for as many cells as were hit.
    """
    cdef int way, here, shots = 0, before = hits[0]
    cdef int open = 1 - accounted(board, afloat, fleet, cell, shot[0])
    for way in range(WAYS):
        if way == 2 and board.in_line and hits[0] > before:
            break
        here = board.beside[cell][way]
        while here >= 0 and hits[0] < board.fleet_cells and open > 0:
            if shot[0] & one(here):
                if not ships & one(here):
                    break
            else:
                if water[0] & one(here):
                    break
                shot[0] |= one(here)
                shots += 1
                if not ships & one(here):
                    break
                hits[0] += 1
                open += 1 - accounted(board, afloat, fleet, here, shot[0])
                if board.know_water:
                    water[0] |= board.diagonal[here]
            here = board.beside[here][way]
    return shots
