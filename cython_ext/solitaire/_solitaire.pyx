"""The fleets that satisfy a puzzle with row and column counts, by a sweep of its rows.

The kernel knows a puzzle as its counts, where each ship may begin and which cells must hold one.
Cells are visited in row-major order and a ship is placed whole at its first (top-left) cell, if
the counts that are left allow all of it. The rows below depend only on a short key: the columns
occupied in the last row, how far ships reach down, the counts left in columns, the ships left.
Results are cached by the whole key at the start of rows; if two keys share a slot, it holds the
later one, so that the table never errs. It grows while memory allows, up to 1.9 GB: with that the
usual fleet on a 10x10 without counts takes a minute, with a sixteenth of it more than half an hour.

`count` adds the solutions up, to a limit; `solutions` lists them, and uses only the cached keys that
have none.
"""

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_RawCalloc, PyMem_RawFree
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

cdef extern from *:
    """
    typedef unsigned __int128 optsearch_count;
    #define optsearch_count_low(n) ((uint64_t)(n))
    #define optsearch_count_high(n) ((uint64_t)((n) >> 64))
    #define optsearch_count_of(low, high) \
        (((optsearch_count)(high) << 64) | (optsearch_count)(low))
    """
    # Cython assumes 64 bits for this typedef, so only C does arithmetic with it.
    ctypedef unsigned long long Count "optsearch_count"
    uint64_t count_low "optsearch_count_low"(Count n) noexcept nogil
    uint64_t count_high "optsearch_count_high"(Count n) noexcept nogil
    Count count_of "optsearch_count_of"(uint64_t low, uint64_t high) noexcept nogil

cdef enum:
    MAX_COLUMNS = 32
    MAX_ROWS = 64
    MAX_KINDS = 16
    MAX_SHIPS = 1024
    MAX_KEY = 96      # bytes: row, columns occupied above, rows taken and count per column, ships per kind
    PAUSE = 1 << 18   # cells visited between two checks for signals
    LEAST_SLOTS = 1 << 14
    MOST_SLOTS = 1 << 24
    FREE = 255        # no count is given


cdef struct Entry:
    Count count
    uint8_t key[MAX_KEY]


cdef class PuzzleSweep:
    """One puzzle with at most 32 columns and 64 rows.

    rows, columns -- counts, -1 where none is given.
    lengths, ships -- the distinct lengths and the number of ships of each.
    may -- uint8 array (kinds, 2, rows, columns): 1 if a ship may have its first cell there,
        horizontal and vertical; ships of one cell are horizontal.
    must, open -- uint8 arrays (rows, columns): 1 if the cell must, and if it may, hold a ship.
    tick -- called now and then with the number of cells visited; an error that it raises ends the
        sweep.
    """

    cdef int rows, columns, kinds, key_size
    cdef int row_count[MAX_ROWS]         # -1: not given
    cdef int lengths[MAX_KINDS]
    cdef const uint8_t[:, :, :, ::1] may
    cdef const uint8_t[:, ::1] must
    cdef int open_below[MAX_ROWS + 2][MAX_COLUMNS]  # cells from this row down that may hold a ship
    cdef Entry* table
    cdef uint64_t slots, most_slots, written   # entries written since the table grew
    cdef object tick, error
    cdef list found
    cdef bint listing, stopped
    cdef Count limit
    cdef Py_ssize_t most
    cdef int64_t visited
    # The state of the sweep.
    cdef uint64_t columns_above           # columns occupied in the row before
    cdef uint8_t rows_taken[MAX_COLUMNS]  # rows from this one down that a ship takes in the column
    cdef uint8_t column_left[MAX_COLUMNS]
    cdef uint8_t ships_left[MAX_KINDS]
    cdef int cells_from_above[MAX_ROWS]   # cells of a row that ships from the rows above take
    cdef int placed
    cdef int[4] choices[MAX_SHIPS]       # kind, vertical, row, column

    def __cinit__(self, rows, columns, lengths, ships, const uint8_t[:, :, :, ::1] may,
                  const uint8_t[:, ::1] must, const uint8_t[:, ::1] open,
                  tick):
        cdef int i, j
        self.rows, self.columns, self.kinds = len(rows), len(columns), len(lengths)
        if self.rows > MAX_ROWS or self.columns > MAX_COLUMNS or self.kinds > MAX_KINDS:
            raise ValueError(f"{self.rows} rows, {self.columns} columns, {self.kinds} lengths; "
                             f"at most {MAX_ROWS}, {MAX_COLUMNS}, {MAX_KINDS}")
        if sum(ships) > MAX_SHIPS or max(ships) >= FREE:
            raise ValueError(f"{sum(ships)} ships; at most {MAX_SHIPS}")
        if (may.shape[0], may.shape[1], may.shape[2], may.shape[3]) != (
                self.kinds, 2, self.rows, self.columns):
            raise ValueError("may has another shape than (kinds, 2, rows, columns)")
        if (must.shape[0], must.shape[1], open.shape[0], open.shape[1]) != (
                self.rows, self.columns, self.rows, self.columns):
            raise ValueError("must or open has another shape than (rows, columns)")
        self.key_size = 9 + 2 * self.columns + self.kinds
        self.may, self.must, self.tick = may, must, tick
        for i in range(self.rows):
            self.row_count[i] = rows[i]
        for j in range(self.columns):
            self.column_left[j] = FREE if columns[j] < 0 else columns[j]
            for i in range(self.rows - 1, -1, -1):
                self.open_below[i][j] = self.open_below[i + 1][j] + open[i, j]
        for i in range(self.kinds):
            self.lengths[i], self.ships_left[i] = lengths[i], ships[i]
        self.slots, self.most_slots = LEAST_SLOTS, MOST_SLOTS
        self.table = <Entry*>PyMem_RawCalloc(self.slots, sizeof(Entry))
        if self.table == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_RawFree(self.table)

    cdef void pause(self) noexcept with gil:
        try:
            PyErr_CheckSignals()
            self.tick(self.visited)
        except BaseException as error:
            self.error = error
            self.stopped = True

    cdef void add_solution(self) noexcept with gil:
        """Add the placed fleet to the list of solutions."""
        cdef int i
        self.found.append([
            (self.choices[i][0], self.choices[i][1], self.choices[i][2], self.choices[i][3])
            for i in range(self.placed)])
        if len(self.found) >= self.most:
            self.stopped = True

    cdef uint64_t hash_of(self, const uint8_t* key) noexcept nogil:
        cdef uint64_t word, hashed = 0x9E3779B97F4A7C15ULL
        cdef int i
        for i in range(0, self.key_size, 8):
            memcpy(&word, key + i, 8)
            hashed = (hashed ^ word) * 0xFF51AFD7ED558CCDULL
            hashed ^= hashed >> 32
        return hashed

    cdef void grow(self) noexcept nogil:
        """Make four times the slots, and move the entries; change nothing if memory is short."""
        cdef uint64_t slots = 4 * self.slots, i
        cdef Entry* larger = <Entry*>PyMem_RawCalloc(slots, sizeof(Entry))
        if larger == NULL:
            self.most_slots = self.slots
            return
        for i in range(self.slots):
            if self.table[i].key[0]:
                larger[self.hash_of(self.table[i].key) & (slots - 1)] = self.table[i]
        PyMem_RawFree(self.table)
        self.table, self.slots, self.written = larger, slots, 0

    cdef Count count_from_row(self, int row) noexcept nogil:
        """Count the fleets that complete the ships placed so far, at the start of a row."""
        cdef uint8_t key[MAX_KEY]
        cdef uint64_t hashed
        cdef Entry* entry
        cdef Count total
        cdef int column, row_left = -1
        if row == self.rows:
            if not self.is_complete():
                return 0
            if self.listing:
                self.add_solution()
            return 1
        if not self.can_meet_counts(row):
            return 0
        if self.row_count[row] >= 0:
            row_left = self.row_count[row]
            for column in range(self.columns):
                row_left -= self.rows_taken[column] > 0
            if row_left < 0:
                return 0
        memset(key, 0, MAX_KEY)
        key[0] = <uint8_t>(row + 1)      # 0 marks a slot that is empty
        memcpy(key + 1, &self.columns_above, 8)
        memcpy(key + 9, self.rows_taken, self.columns)
        memcpy(key + 9 + self.columns, self.column_left, self.columns)
        memcpy(key + 9 + 2 * self.columns, self.ships_left, self.kinds)
        hashed = self.hash_of(key)
        entry = &self.table[hashed & (self.slots - 1)]
        if memcmp(entry.key, key, self.key_size) == 0 and not (self.listing and entry.count):
            return entry.count
        total = self.count_from_cell(row, 0, 0, row_left)
        if not self.stopped:
            if self.written >= self.slots and self.slots < self.most_slots:
                self.grow()
            self.written += 1
            entry = &self.table[hashed & (self.slots - 1)]  # the table may have grown since
            entry.count = total
            memcpy(entry.key, key, MAX_KEY)
        return total

    cdef inline bint is_complete(self) noexcept nogil:
        """True if all ships are placed and the counts of all columns are met."""
        cdef int kind, column
        for kind in range(self.kinds):
            if self.ships_left[kind]:
                return False
        for column in range(self.columns):
            if self.column_left[column] != FREE and self.column_left[column]:
                return False
        return True

    cdef inline bint can_meet_counts(self, int row) noexcept nogil:
        """False if the counts from a row on need more cells than the ships left or a column have."""
        cdef int kind, i, column, next_row, ship_cells = 0, in_rows = 0, in_columns = 0
        for kind in range(self.kinds):
            ship_cells += self.ships_left[kind] * self.lengths[kind]
        for i in range(row, self.rows):
            if self.row_count[i] >= 0:
                in_rows += self.row_count[i] - self.cells_from_above[i]
        if in_rows > ship_cells:
            return False
        for column in range(self.columns):
            if self.column_left[column] == FREE:
                continue
            in_columns += self.column_left[column]
            next_row = min(self.rows, row + self.rows_taken[column] + (self.rows_taken[column] > 0))
            if self.column_left[column] > self.open_below[next_row][column]:
                return False
        return in_columns <= ship_cells

    cdef Count count_from_cell(self, int row, int column, uint64_t occupied, int row_left) noexcept nogil:
        """Count the fleets that complete the ships placed so far, with more ships from a cell on.

        occupied -- the columns of the row that are occupied so far, as bits. row_left -- the cells that its
        count still needs, or -1 without a count.
        """
        cdef Count total = 0
        cdef uint64_t columns_above_before = self.columns_above
        cdef int kind, i
        while column < self.columns:
            self.visited += 1
            if self.visited % PAUSE == 0:
                self.pause()
            if self.stopped:
                return 0
            if self.rows_taken[column]:
                occupied |= <uint64_t>1 << column
                column += 1
                continue
            if row_left > self.columns - column:
                return total
            if row_left and not self.touches(column, 1, occupied):
                for kind in range(self.kinds):
                    if not self.ships_left[kind]:
                        continue
                    if self.may[kind, 0, row, column]:
                        total = total + self.count_with_horizontal(row, column, occupied, row_left, kind)
                    if self.may[kind, 1, row, column]:
                        total = total + self.count_with_vertical(row, column, occupied, row_left, kind)
                    if total >= self.limit:
                        return total
            if self.must[row, column]:
                return total
            column += 1
        if row_left > 0:
            return total
        self.columns_above = occupied
        for i in range(self.columns):
            if self.rows_taken[i]:
                self.rows_taken[i] -= 1
        total = total + self.count_from_row(row + 1)
        self.columns_above = columns_above_before
        return total

    cdef inline bint touches(self, int column, int length, uint64_t occupied) noexcept nogil:
        """True if a ship that begins in a column of this row would touch one that is placed.

        length -- its cells in this row. occupied -- the columns occupied before it, as bits.
        """
        cdef uint64_t span = ((<uint64_t>1 << length) - 1) << column
        cdef int i
        if self.columns_above & (span | span << 1 | span >> 1) or occupied & (span >> 1):
            return True
        for i in range(column, min(column + length + 1, self.columns)):
            if self.rows_taken[i]:
                return True
        return False

    cdef Count count_with_horizontal(self, int row, int column, uint64_t occupied, int row_left,
                                     int kind) noexcept nogil:
        """Count as `count_from_cell`, but only the fleets with a horizontal ship of this kind at the cell."""
        cdef Count total = 0
        cdef int length = self.lengths[kind], i
        cdef bint fits = True
        cdef uint8_t rows_taken_before[MAX_COLUMNS]
        if 0 <= row_left < length or self.touches(column, length, occupied):
            return 0
        for i in range(column, column + length):
            fits &= self.column_left[i] > 0
        if not fits:
            return 0
        memcpy(rows_taken_before, self.rows_taken, self.columns)
        for i in range(column, column + length):
            self.column_left[i] -= self.column_left[i] != FREE
            self.rows_taken[i] = 1
        self.place_ship(kind, 0, row, column)
        total = self.count_from_cell(row, column, occupied, row_left - length if row_left > 0 else row_left)
        self.remove_ship(kind)
        memcpy(self.rows_taken, rows_taken_before, self.columns)
        for i in range(column, column + length):
            self.column_left[i] += self.column_left[i] != FREE
        return total

    cdef Count count_with_vertical(self, int row, int column, uint64_t occupied, int row_left,
                                   int kind) noexcept nogil:
        """Count as `count_from_cell`, but only the fleets with a vertical ship of this kind at the cell."""
        cdef Count total = 0
        cdef int length = self.lengths[kind], i
        cdef uint8_t rows_taken_before[MAX_COLUMNS]
        if self.column_left[column] < length:
            return 0
        for i in range(row + 1, row + length):
            if self.row_count[i] >= 0 and self.cells_from_above[i] >= self.row_count[i]:
                return 0
        memcpy(rows_taken_before, self.rows_taken, self.columns)
        for i in range(row + 1, row + length):
            self.cells_from_above[i] += 1
        if self.column_left[column] != FREE:
            self.column_left[column] -= length
        self.rows_taken[column] = length
        self.place_ship(kind, 1, row, column)
        total = self.count_from_cell(row, column, occupied, row_left - 1 if row_left > 0 else row_left)
        self.remove_ship(kind)
        memcpy(self.rows_taken, rows_taken_before, self.columns)
        if self.column_left[column] != FREE:
            self.column_left[column] += length
        for i in range(row + 1, row + length):
            self.cells_from_above[i] -= 1
        return total

    cdef inline void place_ship(self, int kind, bint is_vertical, int row, int column) noexcept nogil:
        cdef int* choice = self.choices[self.placed]
        choice[0], choice[1], choice[2], choice[3] = kind, is_vertical, row, column
        self.placed += 1
        self.ships_left[kind] -= 1

    cdef inline void remove_ship(self, int kind) noexcept nogil:
        self.placed -= 1
        self.ships_left[kind] += 1

    def count(self, limit):
        """Return the number of fleets (int), or some number >= `limit` (at most 2^126)."""
        cdef Count total
        self.limit = count_of(limit & 0xFFFFFFFFFFFFFFFF, limit >> 64)
        with nogil:
            total = self.count_from_row(0)
        if self.error is not None:
            raise self.error
        return count_low(total) | int(count_high(total)) << 64

    def solutions(self, most):
        """List up to `most` (1 or more) fleets, each a list of (kind, vertical, row, column)."""
        self.listing, self.most, self.found = True, most, []
        self.limit = count_of(0, 1 << 62)
        with nogil:
            self.count_from_row(0)
        if self.error is not None:
            raise self.error
        return self.found
