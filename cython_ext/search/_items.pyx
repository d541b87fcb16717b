"""The sets of a search, checked, and their families by indices (see `Search`)."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcmp, memcpy, memmove

import numpy as np

from cells cimport MAX_CELLS, Cells, high, join, low, one, size
from objectives cimport FORBIDDEN
from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.search._chain cimport MAX_SETS_PER_CELL
from optsearch.compiled.search._family cimport (
    LABELS, MAX_CODES, NOTHING, SINKINGS, Node, compare_cells, free_node, new_node)
from optsearch.compiled.search._ships cimport drop_unit_weights, merge_equal_sets, sort_ships

cdef enum:
    FEW_ALIKE = 8              # sets with one cell up to which prices are used in any family
    MOST_COMPARED = 1 << 15    # sets up to which all pairs are compared

REPLIES = {"nothing": NOTHING, "labels": LABELS, "places": LABELS, "sinkings": SINKINGS}


cdef class Items:
    """The sets of a search, with weights; see `Search`.

    is_mean -- True if the objective is the mean: then sets may differ in size.
    """

    def __cinit__(self, items, const int64_t[::1] weights, int cells, bint is_mean, str replies, labels):
        cdef const uint64_t[:, ::1] sets
        self.arena = Arena()
        self.cells, self.is_mean, self.reply_kind = cells, is_mean, REPLIES[replies]
        self.uneven = replies == "places"
        sets = items if self.reply_kind == NOTHING else self.take_ships(items, labels)
        self.set_count = <int>sets.shape[0]
        self.check_sets(sets)
        self.is_antichain = self.reply_kind != NOTHING or is_antichain(sets)
        self.sets = self.arena.cells(sets)
        self.weights = <int64_t*>self.arena.array(self.set_count, sizeof(int64_t))
        self.weigh(weights)

    cdef take_ships(self, const uint64_t[:, :, ::1] items, labels):
        """Load the ships of the sets; return the sets, uint64 of shape (n, 2)."""
        cdef Py_ssize_t set_index, ship_index
        cdef Cells seen, ship
        sets = np.zeros((items.shape[0], 2), np.uint64)
        if (items.shape[2] != 2 or not 1 <= items.shape[1] <= MAX_CELLS
                or len(labels) != items.shape[1] or len(set(labels)) >= MAX_CODES):
            raise ValueError(
                f"ships of shape {items.shape[0], items.shape[1], items.shape[2]} with {len(labels)} "
                f"labels; (n, s, 2), and s labels, of which {MAX_CODES - 1} may differ")
        self.ships_per_set = <int>items.shape[1]
        self.masks = <Cells*>self.arena.array(items.shape[0] * self.ships_per_set + 1, sizeof(Cells))
        for ship_index in range(self.ships_per_set):
            self.labels[ship_index] = labels[ship_index]
        for set_index in range(items.shape[0]):
            seen = 0
            for ship_index in range(self.ships_per_set):
                ship = join(items[set_index, ship_index, 0], items[set_index, ship_index, 1])
                if (not ship and not self.uneven) or ship & seen:
                    raise ValueError(f"ship {ship_index} of configuration {set_index} is empty or overlaps")
                seen |= ship
                self.masks[set_index * self.ships_per_set + ship_index] = ship
            sets[set_index] = low(seen), high(seen)
        return sets

    cdef weigh(self, const int64_t[::1] weights):
        """Set the weights: positive, one for each set, in total below FORBIDDEN / MAX_CELLS."""
        if weights.shape[0] != self.set_count or min(weights) < 1:
            raise ValueError("a positive weight for each set")
        if sum(map(int, weights)) * MAX_CELLS >= FORBIDDEN:
            raise ValueError("weights out of range")
        memcpy(self.weights, &weights[0], self.set_count * sizeof(int64_t))
        self.weighted = max(weights) != 1
        if self.weighted:
            self.order = np.argsort(-np.asarray(weights), kind="stable")
            self.rank = np.argsort(self.order)

    cdef keep_former_weights(self):
        """Keep the present weights, by which others are bounded."""
        if self.former_weights == NULL:
            self.former_weights = <int64_t*>self.arena.array(self.set_count, sizeof(int64_t))
        memcpy(self.former_weights, self.weights, self.set_count * sizeof(int64_t))

    cdef bint is_sparse(self) noexcept nogil:
        """True if the dual pays: no cell that some sets lack is in more than MAX_SETS_PER_CELL sets.

        A cell in more than FEW_ALIKE sets must be in at most a quarter of them: in small dense families,
        such as two ships on 4x4, the tables of parts cost more than the search.
        """
        cdef int i, c, count
        for c in range(self.cells):
            count = 0
            for i in range(self.set_count):
                count += (self.sets[i] & one(c)) != 0
            if count < self.set_count and (count > MAX_SETS_PER_CELL
                                           or (count > FEW_ALIKE and 4 * count > self.set_count)):
                return False
        return True

    cdef check_sets(self, const uint64_t[:, ::1] sets):
        """Raise ValueError for sets that the kernel cannot handle; set `max_hits`."""
        cdef Py_ssize_t i
        cdef int hits
        cdef Cells outside = 0
        if not 1 <= self.cells <= MAX_CELLS:
            raise ValueError(f"{self.cells} cells; from 1 to {MAX_CELLS}")
        if sets.shape[0] < 1 or sets.shape[1] != 2:
            raise ValueError(f"sets of shape {sets.shape[0], sets.shape[1]}; (n, 2) with n > 0")
        if self.cells < MAX_CELLS:
            outside = ~(one(self.cells) - 1)
        self.max_hits = hits = size(join(sets[0, 0], sets[0, 1]))
        for i in range(sets.shape[0]):
            if join(sets[i, 0], sets[i, 1]) & outside:
                raise ValueError(f"set number {i} has a cell outside the {self.cells} cells")
            if size(join(sets[i, 0], sets[i, 1])) != hits and not self.is_mean:
                raise ValueError(f"set number {i} has another number of cells than the first")
            self.max_hits = max(self.max_hits, size(join(sets[i, 0], sets[i, 1])))

    cdef Node* make_node(self, const int32_t[::1] family, int budget, hit_mask) except NULL:
        """Return the node of a family, ascending indices of sets; ValueError if it is invalid.

        budget -- the misses allowed; -1 for the mean. hit_mask -- the cells hit: an int with a bit for each.
        """
        cdef Node* node
        cdef Py_ssize_t rank, set_index
        if family.shape[0] == 0:
            raise ValueError("an empty family has no optimum")
        if self.is_mean != (budget == -1) or not -1 <= budget < MAX_CELLS:
            raise ValueError(f"a budget of {budget} does not go with the objective")
        if hit_mask < 0 or hit_mask >> self.cells:
            raise ValueError(f"hits are a mask of {self.cells} cells, not {hit_mask}")
        for rank in range(family.shape[0]):
            if not 0 <= family[rank] < self.set_count or (rank and family[rank] <= family[rank - 1]):
                raise ValueError(f"index {family[rank]} of the family is out of range or order")
        if self.reply_kind != NOTHING:
            return self.make_node_of_ships(family, budget, hit_mask)
        node = new_node(<int>family.shape[0], self.cells, budget, self.weighted)
        if not self.weighted:
            for rank in range(family.shape[0]):
                node.set_cells[rank] = self.sets[family[rank]]
            return node
        for rank, set_index in enumerate(self.order[np.sort(self.rank[np.asarray(family)])]):
            node.set_cells[rank], node.weights[rank], node.search_index[rank] = (
                self.sets[set_index], self.weights[set_index], <int>set_index)
        return node

    cdef Node* make_node_of_ships(self, const int32_t[::1] family, int budget, hit_mask) except NULL:
        """Return the node of a family of sets of ships, without the cells hit; equal sets are merged."""
        cdef Node* node = new_node(
            <int>family.shape[0], self.cells, budget, True, self.reply_kind, self.ships_per_set)
        cdef Cells hit = join(hit_mask & 0xFFFFFFFFFFFFFFFF, hit_mask >> 64)
        cdef Cells* ships = node.ships.masks
        cdef unsigned char labels[MAX_CELLS]
        cdef int set_index, ship_count
        try:
            for set_index in range(node.set_count):
                node.weights[set_index] = self.weights[family[set_index]]
                ship_count = self.take_ships_left(family[set_index], hit, ships, labels)
                if ship_count < 0:
                    raise ValueError(f"configuration {family[set_index]} does not have all hits")
                if set_index == 0:
                    node.ships.per_set = ship_count
                    memcpy(node.ships.label, labels, ship_count)
                elif not self.uneven and not has_first_replies(node, ships, labels, ship_count):
                    raise ValueError(
                        f"configuration {family[set_index]} has other ships left than the first one: "
                        "they did not get the same replies")
                sort_ships(ships, labels, ship_count)
                ships += ship_count
            node.ships.has_distinct_cells = have_distinct_cells(node)
            merge_equal_sets(node)
            drop_unit_weights(node)
            return node
        except:  # noqa: E722
            free_node(node)
            raise

    cdef int take_ships_left(self, int set_index, Cells hit, Cells* ships, unsigned char* labels) noexcept:
        """Fill the ships of a set without the cells hit, by falling label; with LABELS one of each label.

        Return how many they are, or -1 if the set has not all the hits. Ships without a cell left are
        dropped unless sets may be `uneven`.
        """
        cdef int j, place, ship_count = 0
        cdef Cells ship, hit_cells = 0
        for j in range(self.ships_per_set):
            ship = self.masks[set_index * self.ships_per_set + j]
            hit_cells |= ship & hit
            if not ship & ~hit and not self.uneven:
                continue
            place = ship_count
            while place > 0 and labels[place - 1] < self.labels[j]:
                place -= 1
            if self.reply_kind == LABELS and place > 0 and labels[place - 1] == self.labels[j]:
                ships[place - 1] |= ship & ~hit
                continue
            memmove(ships + place + 1, ships + place, (ship_count - place) * sizeof(Cells))
            memmove(labels + place + 1, labels + place, ship_count - place)
            ships[place], labels[place] = ship & ~hit, self.labels[j]
            ship_count += 1
        return ship_count if hit_cells == hit else -1


cdef bint is_antichain(const uint64_t[:, ::1] sets) noexcept:
    """True if no set contains another; among very many sets of different sizes one is assumed to."""
    cdef Py_ssize_t i, j, set_count = sets.shape[0]
    cdef Cells cells
    cdef bint equal = True
    for i in range(1, set_count):
        equal &= size(join(sets[i, 0], sets[i, 1])) == size(join(sets[0, 0], sets[0, 1]))
    if equal or set_count > MOST_COMPARED:
        return equal
    for i in range(set_count):
        cells = join(sets[i, 0], sets[i, 1])
        for j in range(set_count):
            if i != j and not cells & ~join(sets[j, 0], sets[j, 1]):
                return False
    return True


cdef bint has_first_replies(const Node* node, const Cells* ships, const unsigned char* labels,
                            int ship_count) noexcept nogil:
    """True if a set has the labels of the first set of a family, with LABELS on as many cells each."""
    cdef int j
    if ship_count != node.ships.per_set or memcmp(labels, node.ships.label, ship_count):
        return False
    for j in range(ship_count):
        if node.reply_kind == LABELS and size(ships[j]) != size(node.ships.masks[j]):
            return False
    return True


cdef bint have_distinct_cells(Node* node) noexcept nogil:
    """True if no two sets have equal cells; `set_cells` are overwritten."""
    cdef int set_index, ship_index, per_set = node.ships.per_set
    for set_index in range(node.set_count):
        node.set_cells[set_index] = 0
        for ship_index in range(per_set):
            node.set_cells[set_index] |= node.ships.masks[set_index * per_set + ship_index]
    qsort(node.set_cells, node.set_count, sizeof(Cells), compare_cells)
    for set_index in range(1, node.set_count):
        if node.set_cells[set_index] == node.set_cells[set_index - 1]:
            return False
    return True
