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
    DIRECTIONS = 4             # right, left, below, above


cdef struct Pattern:
    int fleet_cells
    bint in_line, know_water
    int place[MAX_CELLS]       # of each cell of the grid in the pattern
    int beside[MAX_CELLS][DIRECTIONS]  # the place of the neighbour in that direction, or -1
    Cells diagonal[MAX_CELLS]  # diagonal neighbours: water if the cell is hit and ships do not touch
    Cells image[16][256]       # [byte number][byte] a part of a set, in places
    int ships                  # ships whose sinkings are announced


cdef struct Ship:
    int word, shift            # of the first bit of its number in a row
    uint64_t field             # the bits of its number
    int accounted_cells        # the cells that its sinking accounts for
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
        cdef int index
        if len(ships) > MAX_CODED:
            raise ValueError(f"{len(ships)} ships; at most {MAX_CODED} are handled")
        self.arena, self.masks = Arena(), []
        for index in range(len(ships)):
            shift, accounted_cells, masks = ships[index]
            self.ship[index].word, self.ship[index].shift = shift >> 6, shift & 63
            self.ship[index].accounted_cells = accounted_cells
            self.ship[index].field = (1 << max(1, (len(masks) - 1).bit_length())) - 1
            self.masks.append(masks)
            self.ship[index].placed = <Cells*>self.arena.array(self.ship[index].field + 1, sizeof(Cells))
            self.ships += 1

    cdef int convert_placements(self, const Pattern* board, Py_ssize_t words) except -1:
        """Convert the placements to places in the pattern; words -- the words of a row."""
        cdef int index
        cdef Py_ssize_t placement
        cdef const uint64_t[:, ::1] masks
        for index in range(self.ships):
            if self.ship[index].word + 2 >= words:
                raise ValueError(f"rows of {words} words have no code of ship {index}")
            masks = self.masks[index]
            for placement in range(masks.shape[0]):
                self.ship[index].placed[placement] = to_places(board, masks[placement, 0],
                                                               masks[placement, 1])
        return 0


def play_pattern(const uint64_t[:, ::1] sets, const int32_t[::1] pattern, sizes, deductions,
                 int64_t[::1] histogram, Fleet fleet=None):
    """Play configurations one by one with a strategy of `optsearch/strategies/pattern.py`.

    sets -- uint64 of shape (n, 2), or with further columns for the codes. pattern -- every cell, in the
    order of the shots. sizes -- the rows, the columns, and the cells of the fleet. deductions --
    `in_line` and `know_water` of the rule (`optsearch.search.rules.PatternRule`). histogram -- int64 of
    shape (129,), to which the configurations are added by their shots. fleet -- the ships whose sinkings
    end the clearing.
    """
    cdef Pattern board
    cdef int64_t index
    cdef int ship_index, rows, columns
    cdef const Ship* ship
    cdef Cells afloat[MAX_CODED]
    rows, columns, board.fleet_cells = sizes
    board.in_line, board.know_water = deductions
    if (pattern.shape[0] != rows * columns or sets.shape[1] < 2
            or histogram.shape[0] != MAX_CELLS + 1):
        raise ValueError("a pattern of another game")
    for index in range(pattern.shape[0]):
        board.place[pattern[index]] = <int>index
    find_neighbours(&board, rows, columns)
    fill_images(&board, rows * columns)
    board.ships = 0 if fleet is None else fleet.ships
    if fleet is not None:
        fleet.convert_placements(&board, sets.shape[1])
    with nogil:
        for index in range(sets.shape[0]):
            for ship_index in range(board.ships):
                ship = &fleet.ship[ship_index]
                afloat[ship_index] = ship.placed[sets[index, 2 + ship.word] >> ship.shift & ship.field]
            histogram[play_configuration(&board, to_places(&board, sets[index, 0], sets[index, 1]), afloat,
                                         fleet.ship if board.ships else NULL)] += 1


cdef inline int neighbour(int cell, int direction, int rows, int columns) noexcept nogil:
    """Return the neighbour of a cell in a direction; -1 off the board."""
    cdef int row = cell // columns, column = cell % columns
    if direction == 0:
        return cell + 1 if column + 1 < columns else -1
    if direction == 1:
        return cell - 1 if column else -1
    if direction == 2:
        return cell + columns if row + 1 < rows else -1
    return cell - columns if row else -1


cdef void find_neighbours(Pattern* board, int rows, int columns) noexcept nogil:
    """Fill `beside` and `diagonal`, the neighbours of each place of the pattern."""
    cdef int cell, beside, corner, direction, across
    for cell in range(rows * columns):
        board.diagonal[board.place[cell]] = 0
        for direction in range(DIRECTIONS):
            beside = neighbour(cell, direction, rows, columns)
            board.beside[board.place[cell]][direction] = board.place[beside] if beside >= 0 else -1
            for across in range(2, DIRECTIONS):
                if direction < 2 and beside >= 0:
                    corner = neighbour(beside, across, rows, columns)
                    if corner >= 0:
                        board.diagonal[board.place[cell]] |= one(board.place[corner])


cdef void fill_images(Pattern* board, int cells) noexcept nogil:
    """Fill `image`, by which `to_places` converts a set of cells byte by byte."""
    cdef int byte_index, byte, bit
    for byte_index in range(16):
        for byte in range(256):
            board.image[byte_index][byte] = 0
            for bit in range(8):
                if byte >> bit & 1 and 8 * byte_index + bit < cells:
                    board.image[byte_index][byte] |= one(board.place[8 * byte_index + bit])


cdef inline Cells to_places(const Pattern* board, uint64_t low, uint64_t high) noexcept nogil:
    """Convert a set of cells of the grid, as two words, to places in the pattern."""
    cdef Cells places = 0
    cdef int byte_index
    for byte_index in range(8):
        places |= board.image[byte_index][low >> (8 * byte_index) & 255]
        places |= board.image[8 + byte_index][high >> (8 * byte_index) & 255]
    return places


cdef inline int account_cells(const Pattern* board, const Cells* afloat, const Ship* fleet, int cell,
                              Cells shot) noexcept nogil:
    """Return the cells that a hit accounts for: those of the ship that it sinks, if that is announced.

    afloat -- the cells of each ship, as places. cell -- the hit. shot -- the cells shot, with it.
    """
    cdef int ship_index
    for ship_index in range(board.ships):
        if afloat[ship_index] & one(cell):
            return 0 if afloat[ship_index] & ~shot else fleet[ship_index].accounted_cells
    return 0


cdef inline int play_configuration(const Pattern* board, Cells ships, const Cells* afloat,
                                   const Ship* fleet) noexcept nogil:
    """Return the number of shots that a configuration takes.

    ships -- all its ship cells, as places. afloat -- the cells of each ship in `fleet`, likewise.
    """
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
        shots += clear_around(board, ships, afloat, fleet, cell, &shot, &water, &hits)
    return shots


cdef inline int clear_around(const Pattern* board, Cells ships, const Cells* afloat, const Ship* fleet,
                             int cell, Cells* shot, Cells* water, int* hits) noexcept nogil:
    """Shoot around a hit, in each direction until a miss or the edge; return the number of shots.

    cell -- the hit. shot, water, hits -- the state of the game, which this updates. The clearing ends
    early once the ships sunk account for as many cells as were hit, so that no cell is open.
    """
    cdef int direction, ahead, shots = 0, hits_before = hits[0]
    cdef int cells_open = 1 - account_cells(board, afloat, fleet, cell, shot[0])
    for direction in range(DIRECTIONS):
        if direction == 2 and board.in_line and hits[0] > hits_before:
            break
        ahead = board.beside[cell][direction]
        while ahead >= 0 and hits[0] < board.fleet_cells and cells_open > 0:
            if shot[0] & one(ahead):
                if not ships & one(ahead):
                    break
            else:
                if water[0] & one(ahead):
                    break
                shot[0] |= one(ahead)
                shots += 1
                if not ships & one(ahead):
                    break
                hits[0] += 1
                cells_open += 1 - account_cells(board, afloat, fleet, ahead, shot[0])
                if board.know_water:
                    water[0] |= board.diagonal[ahead]
            ahead = board.beside[ahead][direction]
    return shots
