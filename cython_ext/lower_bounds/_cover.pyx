"""Counts of the configurations that cells meet: any four by a walk, the most for k by a search.

`Cover` counts in one walk the configurations that cover each pair, triple and quadruple of cells.

The ships are placed one after the other, equal lengths by ascending placement, all but the last of
the list. Then there is a *bundle*: the cells P of the ships placed, and the placements z of the
innermost ship that are compatible with them. A set of four cells is covered by a configuration of
the bundle with 0 to 4 of its cells in z and the others in P:

    three in P, one anywhere   one row of `rows` for every triple of P, a vector of cells added to it
    two in P, two or more in z    one row of `pairs` for every pair of P, a vector of placements
    one, none in P                rows of `singles` and of `none`, in the same way

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

    cells -- the number of cells of the board; closed -- the two words of the cells where no ship of
        `ships` may be; counted -- the words of cells that every configuration covers and that
        count as covered (those of placed ships, if they are to count).
    ships -- for every ship (masks, halos, is_again): uint64 arrays of shape (n, 2), and True if it
        has the length of the ship before it. The last one is the innermost.
    The counts are 32 bits wide: the caller makes sure that there are fewer configurations.
    """

    cdef Arena arena
    cdef int cells, width, ships, places, zwidth
    cdef Cells counted, closed
    cdef int number[MAX_SHIPS]
    cdef bint again[MAX_SHIPS]
    cdef Cells* mask[MAX_SHIPS]
    cdef Cells* halo[MAX_SHIPS]       # with the ship itself
    cdef uint32_t[:, ::1] rows, pairs, singles, none
    cdef uint32_t* vectors            # scratch: one vector for each possible last cell of a triple

    def __cinit__(self, int cells, closed, counted, ships):
        cdef int i, j
        cdef const uint64_t[:, ::1] masks, halos
        if not 1 <= cells <= 128 or not 1 <= len(ships) <= MAX_SHIPS:
            raise ValueError("a board of at most 128 cells and at most 16 ships")
        self.arena, self.cells, self.ships = Arena(), cells, len(ships)
        self.width = (cells + 1 + 7) // 8 * 8
        self.closed = join(closed[0], closed[1])
        self.counted = join(counted[0], counted[1])
        for i, (mask_words, halo_words, is_again) in enumerate(ships):
            masks, halos = mask_words, halo_words
            if masks.shape[0] > MAX_PLACEMENTS:
                raise ValueError("too many placements")
            self.number[i], self.again[i] = masks.shape[0], is_again
            self.mask[i], self.halo[i] = self.arena.cells(masks), self.arena.cells(halos)
            for j in range(self.number[i]):
                self.halo[i][j] |= self.mask[i][j]
        self.places = self.number[self.ships - 1]
        self.zwidth = (self.places + 1 + 7) // 8 * 8
        self.rows = np.zeros((max(1, cells * (cells - 1) * (cells - 2) // 6), self.width), np.uint32)
        self.pairs = np.zeros((max(1, cells * (cells - 1) // 2), self.zwidth), np.uint32)
        self.singles = np.zeros((cells, self.zwidth), np.uint32)
        self.none = np.zeros((1, self.zwidth), np.uint32)
        self.vectors = <uint32_t*>self.arena.array((cells + 1) * self.width, sizeof(uint32_t))

    def walk(self):
        """Visit every configuration once and fill the rows."""
        with nogil:
            self.place_ships(0, 0, self.counted, self.closed)

    cdef void place_ships(self, int ship, int start, Cells covered, Cells closed) noexcept nogil:
        """Place the ships from number `ship` on, in all ways, and add each bundle to the rows.

        start -- the first placement of the ship; equal ships stand in ascending order. covered -- the
        cells of the ships placed so far. closed -- the cells where no further ship may be.
        """
        cdef int i, n
        if ship == self.ships - 1:
            self.add_bundle(start, covered, closed)
            return
        n = self.number[ship]
        for i in range(start, n):
            if not self.mask[ship][i] & closed:
                self.place_ships(ship + 1, i + 1 if self.again[ship + 1] else 0,
                                 covered | self.mask[ship][i], closed | self.halo[ship][i])

    cdef void add_bundle(self, int start, Cells covered, Cells closed) noexcept nogil:
        """Add a bundle to the rows: the ships placed, with every placement of the innermost ship.

        start, covered, closed -- as in `place_ships`.
        """
        cdef int cells[128]
        cdef uint32_t allowed[MAX_PLACEMENTS + 8]
        cdef uint32_t count = 0
        cdef uint32_t* vector
        cdef uint32_t* row
        cdef int placed = 0, i, j, k, x, innermost = self.ships - 1
        cdef Cells cells_left
        cdef int width = self.width, zwidth = self.zwidth
        for i in range(zwidth):
            allowed[i] = 0
        vector = self.vectors
        for x in range(width):
            vector[x] = 0
        for i in range(start, self.places):
            if not self.mask[innermost][i] & closed:
                allowed[i] = 1
                count += 1
                cells_left = self.mask[innermost][i]
                while cells_left:
                    vector[first(cells_left)] += 1
                    cells_left &= cells_left - 1
        if count == 0:
            return
        allowed[self.places] = vector[self.cells] = count
        cells_left = covered
        while cells_left:
            cells[placed] = first(cells_left)
            placed += 1
            cells_left &= cells_left - 1
        # Vector k: the cells of the innermost ship, and those of P after the cell number k of P.
        for k in range(placed - 2, -1, -1):
            row = self.vectors + (placed - 1 - k) * width
            memcpy(row, row - width, width * sizeof(uint32_t))
            row[cells[k + 1]] = count
        row = &self.none[0, 0]
        for x in range(zwidth):
            row[x] += allowed[x]
        for k in range(placed):
            row = &self.singles[cells[k], 0]
            for x in range(zwidth):
                row[x] += allowed[x]
            vector = self.vectors + (placed - 1 - k) * width
            for j in range(k):
                row = &self.pairs[pair(cells[j], cells[k]), 0]
                for x in range(zwidth):
                    row[x] += allowed[x]
                for i in range(j):
                    row = &self.rows[triple(cells[i], cells[j], cells[k]), 0]
                    for x in range(width):
                        row[x] += vector[x]

    def counts(self):
        """Return the number of configurations, and how many of them cover each set of 1 to 4 cells.

        The second item is a list of four int64 arrays, for the sets of 1, 2, 3 and 4 cells. Entry s of an
        array is the number of configurations with ships on all cells of set number s.
        """
        cdef int cells = self.cells, a, b, c, d, placement
        cdef Cells ship, cells_left
        cdef int64_t[::1] c1, c2, c3, c4
        cdef int64_t triple_index
        result = [np.zeros(max(1, sets), np.int64) for sets in (
            cells, cells * (cells - 1) // 2, cells * (cells - 1) * (cells - 2) // 6,
            cells * (cells - 1) * (cells - 2) * (cells - 3) // 24)]
        c1, c2, c3, c4 = result
        with nogil:
            # Sets with no cell in the innermost ship, or with one.
            for a in range(cells):
                c1[a] = self.singles[a, self.places]
                for b in range(a):
                    c2[pair(b, a)] = self.pairs[pair(b, a), self.places]
                    for c in range(b):
                        triple_index = triple(c, b, a)
                        c3[triple_index] = self.rows[triple_index, cells]
                        for d in range(c):
                            c4[quadruple(d, c, b, a)] = (
                                <int64_t>self.rows[triple(d, c, b), a]
                                + self.rows[triple(d, c, a), b]
                                + self.rows[triple(d, b, a), c]
                                + self.rows[triple(c, b, a), d])
            for placement in range(self.places):
                ship = self.mask[self.ships - 1][placement]
                cells_left = ship
                while cells_left:
                    a = first(cells_left)
                    cells_left &= cells_left - 1
                    c1[a] += self.none[0, placement]
                    for b in range(cells):
                        if b == a:
                            continue
                        if ship & one(b):
                            if b < a:
                                self.count_sets_with_pair(placement, b, a, ship, c2, c3, c4)
                            continue
                        c2[sorted_pair(a, b)] += self.singles[b, placement]
                        for c in range(b):
                            if c != a and not ship & one(c):
                                c3[sorted_triple(a, c, b)] += self.pairs[pair(c, b), placement]
        return int(self.none[0, self.places]), result

    cdef void count_sets_with_pair(self, int placement, int a, int b, Cells ship, int64_t[::1] c2,
                                   int64_t[::1] c3, int64_t[::1] c4) noexcept nogil:
        """Count the sets of 2 to 4 cells whose first two cells in a placement are a < b.

        placement, ship -- of the innermost ship, its index and its cells. c2, c3, c4 -- the counts.
        """
        cdef int cells = self.cells, c, d
        c2[pair(a, b)] += self.none[0, placement]
        for c in range(cells):
            if ship & one(c):
                if c > b:
                    c3[triple(a, b, c)] += self.none[0, placement]
                    for d in range(cells):
                        if ship & one(d):
                            if d > c:
                                c4[quadruple(a, b, c, d)] += self.none[0, placement]
                        else:
                            c4[sorted_quadruple(a, b, c, d)] += self.singles[d, placement]
                continue
            c3[sorted_triple(a, b, c)] += self.singles[c, placement]
            for d in range(c):
                if not ship & one(d):
                    c4[sorted_quadruple(a, b, d, c)] += self.pairs[pair(d, c), placement]


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
    cdef int64_t largest, most
    cdef readonly int64_t nodes   # sets built
    cdef int64_t most_nodes
    cdef int found[128]      # the set with the largest bound
    cdef const int32_t[::1] least
    cdef Covered covered
    cdef const uint32_t* rows[128][128]     # of the last cell and two before it
    cdef int chosen[128]
    cdef int64_t single[129][128]           # s_1 of every cell, of the set at each depth
    cdef int64_t twofold[129][128]          # s_2
    cdef int64_t trees[129][128]            # t
    cdef int64_t added[129][128]
    cdef int64_t order[129][128]            # added * 128 + cell, falling
    cdef int ships                          # placements that cost something
    cdef Cells ship[MAX_COSTS]
    cdef int64_t cost[MAX_COSTS]
    cdef Cells cells_chosen[129]            # at each depth

    def __cinit__(self, int cells, counts, const int32_t[::1] classes):
        if not 4 <= cells <= 128 or classes.shape[0] != cells:
            raise ValueError("a board of 4 to 128 cells")
        self.arena, self.cells, self.least = Arena(), cells, classes
        fill_covered(&self.covered, self.arena, cells, counts[0], counts[1], counts[2], counts[3])

    def bound(self, int k, int64_t most, int64_t most_nodes, const uint64_t[:, ::1] ships,
              const int64_t[::1] costs):
        """Bound what k cells meet, less their costs: the most for any k cells of the board.

        Returns the bound and the cells of a set that has it, or None if most_nodes sets were built. most --
        the search ends when a set has this bound: the result is never above it. ships -- placements,
        uint64 of shape (n, 2), with all their images under the symmetries. costs -- for each placement
        the cost of a set that meets it; with these costs a cell must not add more if others come first
        (`optsearch.lower_bounds.ship_chain`).
        """
        cdef int v
        if not 1 <= k <= self.cells:
            raise ValueError(f"sets of 1 to {self.cells} cells are searched")
        self.size, self.largest, self.most = k, -1, most
        self.nodes, self.most_nodes = 0, most_nodes
        if ships.shape[0] > MAX_COSTS or costs.shape[0] != ships.shape[0]:
            raise ValueError(f"up to {MAX_COSTS} placements, and a cost of each")
        self.ships = <int>ships.shape[0]
        for v in range(self.ships):
            self.ship[v], self.cost[v] = join(ships[v, 0], ships[v, 1]), costs[v]
        self.cells_chosen[0] = join(0, 0)
        with nogil:
            for v in range(self.cells):
                self.single[0][v] = self.twofold[0][v] = self.trees[0][v] = 0
                self.added[0][v] = self.covered.alone[v]
            self.subtract_costs(0)
            for v in range(self.cells):
                self.order[0][v] = self.added[0][v] * 128 + v
            self.sort_descending(self.order[0], self.cells)
            self.extend(0, 0, self.cells)
        if self.nodes > self.most_nodes and self.largest < most:
            return None
        return min(self.largest, most), [self.found[v] for v in range(k)]

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

        met -- the bound of the cells chosen. open_count -- the number of cells in order[depth].
        """
        cdef int i, t, v, w, a, b, cells_to_add = self.size - depth, cells = self.cells, count
        cdef int64_t* keys = self.order[depth]
        cdef int64_t* keys_after
        cdef int64_t* s1
        cdef int64_t* s2
        cdef int64_t* t3
        cdef int64_t bound, value
        cdef const uint32_t* row
        self.nodes += 1
        if self.nodes % PATIENCE == 0:
            with gil:
                PyErr_CheckSignals()
        if cells_to_add == 1:
            if open_count and met + (keys[0] >> 7) > self.largest:
                self.largest = met + (keys[0] >> 7)
                self.chosen[depth] = keys[0] & 127
                memcpy(self.found, self.chosen, self.size * sizeof(int))
            return 0
        for i in range(open_count - cells_to_add + 1 if depth else open_count):
            bound = met
            if depth:
                for t in range(i, i + cells_to_add):
                    bound += keys[t] >> 7
            else:
                bound += cells_to_add * (keys[i] >> 7)
            if (bound <= self.largest or self.largest >= self.most
                    or self.nodes > self.most_nodes):
                return 0
            v = keys[i] & 127
            # At the root the least cell of a class represents all sets with any cell of the class.
            # Every cell with a larger number is in a class that is done.
            if depth == 0 and self.least[v] != v:
                continue
            s1, s2, t3 = self.single[depth + 1], self.twofold[depth + 1], self.trees[depth + 1]
            row = self.covered.one_row + v * cells
            for w in range(cells):
                s1[w] = self.single[depth][w] + row[w]
                s2[w] = self.twofold[depth][w]
                t3[w] = self.trees[depth][w]
            for a in range(depth):
                row = self.covered.two_rows + sorted_pair(v, self.chosen[a]) * cells
                for w in range(cells):
                    s2[w] += row[w]
                for b in range(a):
                    self.rows[a][b] = self.rows[b][a] = self.covered.three_rows + cells * (
                        sorted_triple(v, self.chosen[a], self.chosen[b]))
            self.chosen[depth] = v
            self.cells_chosen[depth + 1] = self.cells_chosen[depth] | one(v)
            keys_after = self.order[depth + 1]
            for t in range(i + 1 if depth else 0, open_count):
                w = keys[t] & 127
                if depth > 1:
                    t3[w] += heaviest_tree(&self.rows[0][0], 128, depth, w)
                self.added[depth + 1][w] = self.covered.alone[w] - s1[w] + s2[w] - t3[w]
            self.subtract_costs(depth + 1)
            count = 0
            for t in range(i + 1 if depth else 0, open_count):
                w = keys[t] & 127
                # Sets with a class that was the first cell's are done.
                if depth == 0 and (w == v or self.is_class_done(i, w)):
                    continue
                value = max(0, min(self.added[depth + 1][w], self.added[depth][w]))
                self.added[depth + 1][w] = value
                keys_after[count] = value * 128 + w
                count += 1
            self.sort_descending(keys_after, count)
            self.extend(depth + 1, met + (keys[i] >> 7), count)
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

    cdef bint is_class_done(self, int i, int w) noexcept nogil:
        """True if the class of a cell came before place i at the root."""
        cdef int t
        for t in range(i):
            if (self.order[0][t] & 127) == self.least[w]:
                return True
        return False
