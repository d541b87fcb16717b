"""The sets of a search, checked, and their families by indices.

A family is an ascending array of indices of sets that equal replies leave, and the mask of the cells hit,
which are left out.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcmp, memcpy

import numpy as np

from cells cimport MAX_CELLS, Cells, high, join, low, one, size
from objectives cimport FORBIDDEN
from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.search._chain cimport MOST
from optsearch.compiled.search._family cimport (
    LABELS, MAX_CODES, NOTHING, SINKINGS, Node, ascending_cells, free_node, new_node)
from optsearch.compiled.search._ships cimport forget_weights, merge, order_ships

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
        self.cells, self.is_mean, self.kind = cells, is_mean, REPLIES[replies]
        self.uneven = replies == "places"
        sets = items if self.kind == NOTHING else self.take_ships(items, labels)
        self.n = <int>sets.shape[0]
        self.check(sets)
        self.apart = self.kind != NOTHING or is_antichain(sets)
        self.sets = self.arena.cells(sets)
        self.weights = <int64_t*>self.arena.array(self.n, sizeof(int64_t))
        self.weigh(weights)

    cdef take_ships(self, const uint64_t[:, :, ::1] items, labels):
        """Load the ships of the sets; return the sets, uint64 of shape (n, 2)."""
        cdef Py_ssize_t i, j
        cdef Cells seen, ship
        sets = np.zeros((items.shape[0], 2), np.uint64)
        if (items.shape[2] != 2 or not 1 <= items.shape[1] <= MAX_CELLS
                or len(labels) != items.shape[1] or len(set(labels)) >= MAX_CODES):
            raise ValueError(
                f"ships of shape {items.shape[0], items.shape[1], items.shape[2]} with {len(labels)} "
                f"labels; (n, s, 2), and s labels, of which {MAX_CODES - 1} may differ")
        self.s = <int>items.shape[1]
        self.masks = <Cells*>self.arena.array(items.shape[0] * self.s + 1, sizeof(Cells))
        for j in range(self.s):
            self.labels[j] = labels[j]
        for i in range(items.shape[0]):
            seen = 0
            for j in range(self.s):
                ship = join(items[i, j, 0], items[i, j, 1])
                if (not ship and not self.uneven) or ship & seen:
                    raise ValueError(f"ship {j} of configuration {i} is empty or overlaps")
                seen |= ship
                self.masks[i * self.s + j] = ship
            sets[i] = low(seen), high(seen)
        return sets

    cdef weigh(self, const int64_t[::1] weights):
        """Give the sets other weights."""
        if weights.shape[0] != self.n or min(weights) < 1:
            raise ValueError("a positive weight for each set")
        if sum(map(int, weights)) * MAX_CELLS >= FORBIDDEN:
            raise ValueError("weights out of range")
        memcpy(self.weights, &weights[0], self.n * sizeof(int64_t))
        self.weighted = max(weights) != 1
        if self.weighted:
            self.order = np.argsort(-np.asarray(weights), kind="stable")
            self.rank = np.argsort(self.order)

    cdef keep_weights(self):
        """Keep the present weights, by which others are bounded."""
        if self.former == NULL:
            self.former = <int64_t*>self.arena.array(self.n, sizeof(int64_t))
        memcpy(self.former, self.weights, self.n * sizeof(int64_t))

    cdef bint is_sparse(self) noexcept nogil:
        """True if the dual pays for this family: no cell that some sets lack is in more than MOST sets.

        A cell in more than FEW_ALIKE sets must be in at most a quarter of them: in small dense families,
        such as two ships on 4x4, the tables of parts cost more than the search.
        """
        cdef int i, c, count
        for c in range(self.cells):
            count = 0
            for i in range(self.n):
                count += (self.sets[i] & one(c)) != 0
            if count < self.n and (count > MOST or (count > FEW_ALIKE and 4 * count > self.n)):
                return False
        return True

    cdef check(self, const uint64_t[:, ::1] sets):
        """Raise ValueError for sets that the kernel cannot handle; set `hits`."""
        cdef Py_ssize_t i
        cdef int hits
        cdef Cells outside = 0
        if not 1 <= self.cells <= MAX_CELLS:
            raise ValueError(f"{self.cells} cells; from 1 to {MAX_CELLS}")
        if sets.shape[0] < 1 or sets.shape[1] != 2:
            raise ValueError(f"sets of shape {sets.shape[0], sets.shape[1]}; (n, 2) with n > 0")
        if self.cells < MAX_CELLS:
            outside = ~(one(self.cells) - 1)
        self.hits = hits = size(join(sets[0, 0], sets[0, 1]))
        for i in range(sets.shape[0]):
            if join(sets[i, 0], sets[i, 1]) & outside:
                raise ValueError(f"set number {i} has a cell outside the {self.cells} cells")
            if size(join(sets[i, 0], sets[i, 1])) != hits and not self.is_mean:
                raise ValueError(f"set number {i} has another number of cells than the first")
            self.hits = max(self.hits, size(join(sets[i, 0], sets[i, 1])))

    cdef Node* family(self, const int32_t[::1] family, int budget, hits) except NULL:
        """Return the node of a family given by ascending indices, not yet opened."""
        cdef Node* node
        cdef Py_ssize_t i, j
        if family.shape[0] == 0:
            raise ValueError("an empty family has no optimum")
        if self.is_mean != (budget == -1) or not -1 <= budget < MAX_CELLS:
            raise ValueError(f"a budget of {budget} does not go with the objective")
        if hits < 0 or hits >> self.cells:
            raise ValueError(f"hits are a mask of {self.cells} cells, not {hits}")
        for i in range(family.shape[0]):
            if not 0 <= family[i] < self.n or (i and family[i] <= family[i - 1]):
                raise ValueError(f"index {family[i]} of the family is out of range or order")
        if self.kind != NOTHING:
            return self.family_of_ships(family, budget, hits)
        node = new_node(<int>family.shape[0], self.cells, budget, self.weighted)
        if not self.weighted:
            for i in range(family.shape[0]):
                node.rows[i] = self.sets[family[i]]
            return node
        for i, j in enumerate(self.order[np.sort(self.rank[np.asarray(family)])]):
            node.rows[i], node.weights[i], node.place[i] = self.sets[j], self.weights[j], <int>j
        return node

    cdef Node* family_of_ships(self, const int32_t[::1] family, int budget, hits) except NULL:
        """Return the node of a family of sets of ships, without the cells hit."""
        cdef Node* node = new_node(
            <int>family.shape[0], self.cells, budget, True, self.kind, self.s)
        cdef Cells hit = join(hits & 0xFFFFFFFFFFFFFFFF, hits >> 64)
        cdef Cells* ships = node.ships.masks
        cdef unsigned char labels[MAX_CELLS]
        cdef Cells ship, seen
        cdef int i, j, k, s
        try:
            for i in range(node.n):
                s, seen = 0, 0
                node.weights[i] = self.weights[family[i]]
                for j in range(self.s):
                    ship = self.masks[family[i] * self.s + j]
                    seen |= ship & hit
                    if not ship & ~hit and not self.uneven:
                        continue
                    k = s              # ships by falling label
                    while k > 0 and labels[k - 1] < self.labels[j]:
                        ships[k], labels[k] = ships[k - 1], labels[k - 1]
                        k -= 1
                    if self.kind == LABELS and k > 0 and labels[k - 1] == self.labels[j]:
                        ships[k - 1] |= ship & ~hit
                        while k < s:
                            ships[k], labels[k] = ships[k + 1], labels[k + 1]
                            k += 1
                        continue
                    ships[k], labels[k] = ship & ~hit, self.labels[j]
                    s += 1
                if seen != hit:
                    raise ValueError(f"configuration {family[i]} does not have all hits")
                if i == 0:
                    node.ships.s = s
                    memcpy(node.ships.label, labels, s)
                elif not self.uneven and not is_alike(node, ships, labels, s):
                    raise ValueError(
                        f"configuration {family[i]} has other ships left than the first one: "
                        "they did not get the same replies")
                order_ships(ships, labels, s)
                ships += s
            node.ships.apart = are_apart(node)
            merge(node)
            forget_weights(node)
            return node
        except:  # noqa: E722
            free_node(node)
            raise


cdef bint is_antichain(const uint64_t[:, ::1] sets) noexcept:
    """True if no set contains another; among very many sets of different sizes one is assumed to."""
    cdef Py_ssize_t i, j, n = sets.shape[0]
    cdef Cells a
    cdef bint equal = True
    for i in range(1, n):
        equal &= size(join(sets[i, 0], sets[i, 1])) == size(join(sets[0, 0], sets[0, 1]))
    if equal or n > MOST_COMPARED:
        return equal
    for i in range(n):
        a = join(sets[i, 0], sets[i, 1])
        for j in range(n):
            if i != j and not a & ~join(sets[j, 0], sets[j, 1]):
                return False
    return True


cdef bint is_alike(const Node* node, const Cells* ships, const unsigned char* labels,
                   int s) noexcept nogil:
    """True if a set has the labels of the first set of a family, with LABELS on as many cells each."""
    cdef int j
    if s != node.ships.s or memcmp(labels, node.ships.label, s):
        return False
    for j in range(s):
        if node.kind == LABELS and size(ships[j]) != size(node.ships.masks[j]):
            return False
    return True


cdef bint are_apart(Node* node) noexcept nogil:
    """True if no two sets have equal cells; `rows` are overwritten."""
    cdef int i, j, s = node.ships.s
    for i in range(node.n):
        node.rows[i] = 0
        for j in range(s):
            node.rows[i] |= node.ships.masks[i * s + j]
    qsort(node.rows, node.n, sizeof(Cells), ascending_cells)
    for i in range(1, node.n):
        if node.rows[i] == node.rows[i - 1]:
            return False
    return True
