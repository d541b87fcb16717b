"""Counts of the configurations that cells meet: any four by a walk, the most for k by a search.

`Cover` counts in one walk the configurations that cover each pair, triple and quadruple of cells.

The ships are placed one after the other, equal lengths by ascending placement, all but the last of
the list. Then there is a *bundle*: the cells P of the ships placed, and the placements z of the
innermost ship that are compatible with them. A set of four cells is covered by a configuration of
the bundle with 0 to 4 of its cells in z and the others in P:

    three in P, one anywhere   one row of `rows` for every triple of P, a vector of cells added to it
    two in P, two or more in z    one row of `pairs` for every pair of P, a vector of placements
    one, none in P                rows of `singles` and of `empty_set`, in the same way

so that a bundle of p cells takes C(p, 3) vector additions for all of its quadruples. A cell of P
counts in the row of a triple only when it comes after the triple, so that a quadruple in P counts
once. The last column of every row counts the configurations of the rows' own cells alone.

Sets are numbered by the sum of C(cell i, i + 1) over their cells in ascending order.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from cells cimport Cells, first, join, one
from covered cimport (Covered, fill_covered, heaviest_tree, pair, quadruple, sorted_pair, sorted_quadruple,
                      sorted_triple, triple)
from optsearch.compiled.shared._arena cimport Arena

cdef enum:
    MAX_SHIPS = 16
    MAX_PLACEMENTS = 256
    MAX_COSTS = 2048      # placements that cost something


cdef class Cover:
    """The counts of one fleet on a board, some ships of which may be placed already.

    cells -- the number of cells of the board.
    closed_words -- the cells where no ship of `ships` may be, as a mask in two words.
    counted_words -- likewise the cells of ships placed already, if they are to count as covered.
    ships -- for every ship (masks, halos, equals_previous): uint64 arrays of shape (n, 2), and True if
        it has the length of the ship before it. The last one is the innermost.
    The counts are 32 bits wide: the caller makes sure that there are fewer configurations.
    """

    cdef Arena arena
    cdef int cells, width, ships, innermost_count, placement_width
    cdef Cells counted, closed
    cdef int placement_count[MAX_SHIPS]
    cdef bint equals_previous[MAX_SHIPS]    # if the ship has the length of the one before
    cdef Cells* mask[MAX_SHIPS]
    cdef Cells* halo[MAX_SHIPS]       # with the ship itself
    cdef uint32_t[:, ::1] rows, pairs, singles, empty_set
    cdef uint32_t* triple_vectors     # scratch: one vector for each possible last cell of a triple

    def __cinit__(self, int cells, closed_words, counted_words, ships):
        cdef int i, j
        cdef const uint64_t[:, ::1] masks, halos
        if not 1 <= cells <= 128 or not 1 <= len(ships) <= MAX_SHIPS:
            raise ValueError("a board of at most 128 cells and at most 16 ships")
        self.arena, self.cells, self.ships = Arena(), cells, len(ships)
        self.width = (cells + 1 + 7) // 8 * 8      # a column more, for the total; a multiple of 8
        self.closed = join(closed_words[0], closed_words[1])
        self.counted = join(counted_words[0], counted_words[1])
        for i, (mask_words, halo_words, equals_previous) in enumerate(ships):
            masks, halos = mask_words, halo_words
            if masks.shape[0] > MAX_PLACEMENTS:
                raise ValueError("too many placements")
            self.placement_count[i], self.equals_previous[i] = masks.shape[0], equals_previous
            self.mask[i], self.halo[i] = self.arena.cells(masks), self.arena.cells(halos)
            for j in range(self.placement_count[i]):
                self.halo[i][j] |= self.mask[i][j]
        self.innermost_count = self.placement_count[self.ships - 1]
        self.placement_width = (self.innermost_count + 1 + 7) // 8 * 8
        self.rows = np.zeros((max(1, cells * (cells - 1) * (cells - 2) // 6), self.width), np.uint32)
        self.pairs = np.zeros((max(1, cells * (cells - 1) // 2), self.placement_width), np.uint32)
        self.singles = np.zeros((cells, self.placement_width), np.uint32)
        self.empty_set = np.zeros((1, self.placement_width), np.uint32)
        self.triple_vectors = <uint32_t*>self.arena.array((cells + 1) * self.width, sizeof(uint32_t))

    def walk(self):
        """Visit every configuration once and fill the rows."""
        with nogil:
            self.place_ships(0, 0, self.counted, self.closed)

    cdef void place_ships(self, int ship, int start, Cells covered, Cells closed) noexcept nogil:
        """Place the ships from number `ship` on, in all ways, and add each bundle to the rows.

        start -- the first placement of the ship; equal ships stand in ascending order. covered -- the
        cells of the ships placed so far. closed -- the cells where no further ship may be.
        """
        cdef int placement, placement_count
        if ship == self.ships - 1:
            self.add_bundle(start, covered, closed)
            return
        placement_count = self.placement_count[ship]
        for placement in range(start, placement_count):
            if not self.mask[ship][placement] & closed:
                self.place_ships(ship + 1, placement + 1 if self.equals_previous[ship + 1] else 0,
                                 covered | self.mask[ship][placement], closed | self.halo[ship][placement])

    cdef void add_bundle(self, int start, Cells covered, Cells closed) noexcept nogil:
        """Add a bundle to the rows: the ships placed, with every placement of the innermost ship.

        start, covered, closed -- as in `place_ships`.
        """
        cdef int cells[128]
        cdef uint32_t allowed[MAX_PLACEMENTS + 8]
        cdef uint32_t count = 0
        cdef uint32_t* vector
        cdef uint32_t* row
        cdef int placed = 0, i, j, k, column, innermost = self.ships - 1
        cdef Cells cells_left
        cdef int width = self.width, placement_width = self.placement_width
        for i in range(placement_width):
            allowed[i] = 0
        vector = self.triple_vectors
        for column in range(width):
            vector[column] = 0
        for i in range(start, self.innermost_count):
            if not self.mask[innermost][i] & closed:
                allowed[i] = 1
                count += 1
                cells_left = self.mask[innermost][i]
                while cells_left:
                    vector[first(cells_left)] += 1
                    cells_left &= cells_left - 1
        if count == 0:
            return
        allowed[self.innermost_count] = vector[self.cells] = count
        cells_left = covered
        while cells_left:
            cells[placed] = first(cells_left)
            placed += 1
            cells_left &= cells_left - 1
        # Vector k: the cells of the innermost ship, and those of P after the cell number k of P.
        for k in range(placed - 2, -1, -1):
            row = self.triple_vectors + (placed - 1 - k) * width
            memcpy(row, row - width, width * sizeof(uint32_t))
            row[cells[k + 1]] = count
        row = &self.empty_set[0, 0]
        for column in range(placement_width):
            row[column] += allowed[column]
        for k in range(placed):
            row = &self.singles[cells[k], 0]
            for column in range(placement_width):
                row[column] += allowed[column]
            vector = self.triple_vectors + (placed - 1 - k) * width
            for j in range(k):
                row = &self.pairs[pair(cells[j], cells[k]), 0]
                for column in range(placement_width):
                    row[column] += allowed[column]
                for i in range(j):
                    row = &self.rows[triple(cells[i], cells[j], cells[k]), 0]
                    for column in range(width):
                        row[column] += vector[column]

    def counts(self):
        """Return the number of configurations, and how many of them cover each set of 1 to 4 cells.

        The second item is a list of four int64 arrays, for the sets of 1, 2, 3 and 4 cells. Entry s of an
        array is the number of configurations with ships on all cells of set number s.
        """
        cdef int cells = self.cells, a, b, c, d, placement
        cdef Cells ship, cells_left
        cdef int64_t[::1] counts_of_1, counts_of_2, counts_of_3, counts_of_4
        cdef int64_t triple_index
        result = [np.zeros(max(1, sets), np.int64) for sets in (
            cells, cells * (cells - 1) // 2, cells * (cells - 1) * (cells - 2) // 6,
            cells * (cells - 1) * (cells - 2) * (cells - 3) // 24)]
        counts_of_1, counts_of_2, counts_of_3, counts_of_4 = result
        with nogil:
            # Sets with no cell in the innermost ship, or with one.
            for a in range(cells):
                counts_of_1[a] = self.singles[a, self.innermost_count]
                for b in range(a):
                    counts_of_2[pair(b, a)] = self.pairs[pair(b, a), self.innermost_count]
                    for c in range(b):
                        triple_index = triple(c, b, a)
                        counts_of_3[triple_index] = self.rows[triple_index, cells]
                        for d in range(c):
                            counts_of_4[quadruple(d, c, b, a)] = (
                                <int64_t>self.rows[triple(d, c, b), a]
                                + self.rows[triple(d, c, a), b]
                                + self.rows[triple(d, b, a), c]
                                + self.rows[triple(c, b, a), d])
            for placement in range(self.innermost_count):
                ship = self.mask[self.ships - 1][placement]
                cells_left = ship
                while cells_left:
                    a = first(cells_left)
                    cells_left &= cells_left - 1
                    counts_of_1[a] += self.empty_set[0, placement]
                    for b in range(cells):
                        if b == a:
                            continue
                        if ship & one(b):
                            if b < a:
                                self.count_sets_with_pair(
                                    placement, b, a, ship, counts_of_2, counts_of_3, counts_of_4)
                            continue
                        counts_of_2[sorted_pair(a, b)] += self.singles[b, placement]
                        for c in range(b):
                            if c != a and not ship & one(c):
                                counts_of_3[sorted_triple(a, c, b)] += self.pairs[pair(c, b), placement]
        return int(self.empty_set[0, self.innermost_count]), result

    cdef void count_sets_with_pair(self, int placement, int a, int b, Cells ship, int64_t[::1] counts_of_2,
                                   int64_t[::1] counts_of_3, int64_t[::1] counts_of_4) noexcept nogil:
        """Add one placement to the counts of the sets of 2 to 4 cells whose first two in it are a < b.

        placement, ship -- of the innermost ship, its index and its cells. counts_of_2 … counts_of_4 -- the
        counts.
        """
        cdef int cells = self.cells, c, d
        counts_of_2[pair(a, b)] += self.empty_set[0, placement]
        for c in range(cells):
            if ship & one(c):
                if c > b:
                    counts_of_3[triple(a, b, c)] += self.empty_set[0, placement]
                    for d in range(cells):
                        if ship & one(d):
                            if d > c:
                                counts_of_4[quadruple(a, b, c, d)] += self.empty_set[0, placement]
                        else:
                            counts_of_4[sorted_quadruple(a, b, c, d)] += self.singles[d, placement]
                continue
            counts_of_3[sorted_triple(a, b, c)] += self.singles[c, placement]
            for d in range(c):
                if not ship & one(d):
                    counts_of_4[sorted_quadruple(a, b, d, c)] += self.pairs[pair(d, c), placement]


cdef enum:
    PATIENCE = 1 << 14    # nodes between two checks for ctrl-C


cdef class LargestSearch:
    """A search for the most configurations that k cells can meet, from the counts of sets of four.

    counts -- the numbers of configurations that cover each set of 1, 2, 3 and 4 cells: int64, by
        number. cells -- the number of cells of the board. classes -- int32 of shape (cells,): the
        least cell that a symmetry takes a cell to.

    The sets are built cell by cell. `optsearch.lower_bounds.coverage` bounds the configurations that a
    cell v adds to those that a set P meets:

        added(v) = c(v) - s_1(v) + s_2(v) - t(v),

    where s_i(v) sums, over all i cells of P, the configurations that cover these and v, and t(v) does
    so over some triples: with each cell that came to P after two others, the pairs of these that are
    the edges of a tree. The heaviest tree is taken, for every v. If `added` was less before the last
    cell came to P, it stays. The next cells are taken by falling `added`, and a set is left out if
    its bound plus as many of these as it lacks is no more than the largest found.

    If placements of a ship cost something, `added` is less by the costs of those that v is the first
    cell of the set to meet.
    """

    cdef Arena arena
    cdef int cells, size
    cdef int64_t largest, limit
    cdef readonly int64_t nodes   # sets built
    cdef int64_t most_nodes
    cdef int best_cells[128]  # the set with the largest bound
    cdef const int32_t[::1] least_image
    cdef Covered covered
    cdef const uint32_t* rows[128][128]     # of the last cell and two before it
    cdef int chosen[128]
    cdef int64_t sums_with_one[129][128]    # s_1 of every cell, of the set at each depth
    cdef int64_t sums_with_two[129][128]    # s_2
    cdef int64_t tree_weights[129][128]     # t
    cdef int64_t added[129][128]
    cdef int64_t order[129][128]            # added * 128 + cell, falling
    cdef int ships                          # placements that cost something
    cdef Cells ship[MAX_COSTS]
    cdef int64_t cost[MAX_COSTS]
    cdef Cells cells_chosen[129]            # at each depth

    def __cinit__(self, int cells, counts, const int32_t[::1] classes):
        if not 4 <= cells <= 128 or classes.shape[0] != cells:
            raise ValueError("a board of 4 to 128 cells")
        self.arena, self.cells, self.least_image = Arena(), cells, classes
        fill_covered(&self.covered, self.arena, cells, counts[0], counts[1], counts[2], counts[3])

    def bound(self, int k, int64_t limit, int64_t most_nodes, const uint64_t[:, ::1] ships,
              const int64_t[::1] costs):
        """Bound what k cells meet, less their costs: the most for any k cells of the board.

        Returns the bound and the cells of a set that has it, or None if most_nodes sets were built. limit
        -- the search ends when a set has this bound: the result is never above it. ships -- placements,
        uint64 of shape (n, 2), with all their images under the symmetries. costs -- for each placement
        the cost of a set that meets it; with these costs a cell must not add more if others come first
        (`optsearch.lower_bounds.ship_chain`).
        """
        cdef int index
        if not 1 <= k <= self.cells:
            raise ValueError(f"sets of 1 to {self.cells} cells are searched")
        self.size, self.largest, self.limit = k, -1, limit
        self.nodes, self.most_nodes = 0, most_nodes
        if ships.shape[0] > MAX_COSTS or costs.shape[0] != ships.shape[0]:
            raise ValueError(f"up to {MAX_COSTS} placements, and a cost of each")
        self.ships = <int>ships.shape[0]
        for index in range(self.ships):
            self.ship[index], self.cost[index] = join(ships[index, 0], ships[index, 1]), costs[index]
        self.cells_chosen[0] = join(0, 0)
        with nogil:
            for index in range(self.cells):
                self.sums_with_one[0][index] = self.sums_with_two[0][index] = self.tree_weights[0][index] = 0
                self.added[0][index] = self.covered.alone[index]
            self.subtract_costs(0)
            for index in range(self.cells):
                self.order[0][index] = self.added[0][index] * 128 + index
            self.sort_descending(self.order[0], self.cells)
            self.extend(0, 0, self.cells)
        if self.nodes > self.most_nodes and self.largest < limit:
            return None
        return min(self.largest, limit), [self.best_cells[index] for index in range(k)]

    cdef void sort_descending(self, int64_t* keys, int count) noexcept nogil:
        """Sort `count` keys, the largest first, by insertion."""
        cdef int i, j
        cdef int64_t key
        for i in range(1, count):
            key = keys[i]
            j = i
            while j and keys[j - 1] < key:
                keys[j] = keys[j - 1]
                j -= 1
            keys[j] = key

    cdef int extend(self, int depth, int64_t met, int open_count) except -1 nogil:
        """Search the sets of the first `depth` cells chosen and further ones of order[depth].

        met -- the bound of the cells chosen. open_count -- the number of keys in order[depth]: a key is what
        a cell adds, times 128, plus the cell.
        """
        cdef int place, later, cell, other, a, b, cells_to_add = self.size - depth, cells = self.cells, count
        cdef int64_t* keys = self.order[depth]
        cdef int64_t* keys_after
        cdef int64_t* with_one
        cdef int64_t* with_two
        cdef int64_t* tree_weight
        cdef int64_t bound, most_added
        cdef const uint32_t* row
        self.nodes += 1
        if self.nodes % PATIENCE == 0:
            with gil:
                PyErr_CheckSignals()
        if cells_to_add == 1:
            if open_count and met + (keys[0] >> 7) > self.largest:
                self.largest = met + (keys[0] >> 7)
                self.chosen[depth] = keys[0] & 127
                memcpy(self.best_cells, self.chosen, self.size * sizeof(int))
            return 0
        for place in range(open_count - cells_to_add + 1 if depth else open_count):
            bound = met
            if depth:
                for later in range(place, place + cells_to_add):
                    bound += keys[later] >> 7
            else:
                bound += cells_to_add * (keys[place] >> 7)
            if (bound <= self.largest or self.largest >= self.limit
                    or self.nodes > self.most_nodes):
                return 0
            cell = keys[place] & 127
            # At the root the least cell of a class represents all sets with any cell of the class.
            # Every cell with a larger number is in a class that is done.
            if depth == 0 and self.least_image[cell] != cell:
                continue
            with_one, with_two, tree_weight = (
                self.sums_with_one[depth + 1], self.sums_with_two[depth + 1], self.tree_weights[depth + 1])
            row = self.covered.one_row + cell * cells
            for other in range(cells):
                with_one[other] = self.sums_with_one[depth][other] + row[other]
                with_two[other] = self.sums_with_two[depth][other]
                tree_weight[other] = self.tree_weights[depth][other]
            for a in range(depth):
                row = self.covered.two_rows + sorted_pair(cell, self.chosen[a]) * cells
                for other in range(cells):
                    with_two[other] += row[other]
                for b in range(a):
                    self.rows[a][b] = self.rows[b][a] = self.covered.three_rows + cells * (
                        sorted_triple(cell, self.chosen[a], self.chosen[b]))
            self.chosen[depth] = cell
            self.cells_chosen[depth + 1] = self.cells_chosen[depth] | one(cell)
            keys_after = self.order[depth + 1]
            for later in range(place + 1 if depth else 0, open_count):
                other = keys[later] & 127
                if depth > 1:
                    tree_weight[other] += heaviest_tree(&self.rows[0][0], 128, depth, other)
                self.added[depth + 1][other] = (
                    self.covered.alone[other] - with_one[other] + with_two[other] - tree_weight[other])
            self.subtract_costs(depth + 1)
            count = 0
            for later in range(place + 1 if depth else 0, open_count):
                other = keys[later] & 127
                # Sets with a class that was the first cell's are done.
                if depth == 0 and (other == cell or self.is_class_done(place, other)):
                    continue
                most_added = max(0, min(self.added[depth + 1][other], self.added[depth][other]))
                self.added[depth + 1][other] = most_added
                keys_after[count] = most_added * 128 + other
                count += 1
            self.sort_descending(keys_after, count)
            self.extend(depth + 1, met + (keys[place] >> 7), count)
        return 0

    cdef inline void subtract_costs(self, int depth) noexcept nogil:
        """Subtract costs from what each cell adds: those of placements that no chosen cell meets."""
        cdef int ship
        cdef Cells cells_left
        for ship in range(self.ships):
            if not self.ship[ship] & self.cells_chosen[depth]:
                cells_left = self.ship[ship]
                while cells_left:
                    self.added[depth][first(cells_left)] -= self.cost[ship]
                    cells_left &= cells_left - 1

    cdef bint is_class_done(self, int place, int cell) noexcept nogil:
        """True if the class of a cell came before a place of order[0]."""
        cdef int earlier
        for earlier in range(place):
            if (self.order[0][earlier] & 127) == self.least_image[cell]:
                return True
        return False
