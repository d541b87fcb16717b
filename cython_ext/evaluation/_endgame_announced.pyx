"""The optimum of a few configurations where hits have labels.

The search is by definition, with the pairs of configurations that need a miss as a bound: one of
each pair is missed, so the misses are at least a vertex cover of these pairs. A pair needs none if
its cells are equal, or if one of the two has a ship within the cells common to both that the other
does not have; `_search` has the proof. If every hit has its label, a pair needs none if its cells
are equal, or if a cell of both has a different label in each. A ship that all configurations have
gives no information, so its cells are left out.
"""

from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from cells cimport Cells, ctz, first, high, low, one, popcount
from hashing cimport scramble
from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.evaluation._block cimport Words
from optsearch.compiled.evaluation._labels cimport MAX_LABELS, UNLABELLED, Labels, Slot
from optsearch.compiled.evaluation._walk cimport MAX_ENDGAME

cdef enum:
    MEMO = 4096
    TOO_MANY = 1 << 14       # misses


cdef class AnnouncedEndgame:
    """An exact search of at most MAX_ENDGAME configurations.

    A part of them is a set of bits: bit i stands for configuration i.
    """

    def __cinit__(self, Labels labels):
        self.labels, self.followed = labels, -1
        self.arena = Arena()
        self.memo = <Value*>self.arena.array(MEMO, sizeof(Value))

    cdef int misses(self, const Words* words, uint64_t members, int n, Cells hits) noexcept nogil:
        """Return the least total of misses of the n configurations at the bits of `members`."""
        if n <= 1:
            return 0
        self.begin(words, members, n, hits)
        if n == 2:
            return self.pair_needs_miss(0, 1, 0)
        self.fill_bounds()
        return self.least_misses((1 << n) - 1, hits)

    cdef void add_leaves(self, const Words* words, uint64_t members, int n, Cells hits, uint64_t followed,
                         int64_t* histogram) noexcept nogil:
        """Add the leaves of an optimal tree of these configurations to a histogram of misses.

        followed -- a bit of `members`: then only the leaf of this configuration is added; 0 for all.
        """
        self.begin(words, members, n, hits)
        self.followed = popcount(members & (followed - 1)) if followed else -1
        if n > 2 or followed:
            self.fill_bounds()
        self.add_tree((1 << n) - 1, hits, histogram)

    cdef void begin(self, const Words* words, uint64_t members, int n, Cells hits) noexcept nogil:
        """Load the n configurations at the bits of `members`; hits -- the cells hit so far.

        A ship is left out if all of them have it in one slot of the code.
        """
        cdef int configuration, slot_index, word, shift, placement
        cdef int index[MAX_ENDGAME]
        cdef uint64_t field, differing
        cdef const Slot* slot
        cdef Cells ship, all_cells
        self.n, self.ships = n, 0
        for configuration in range(n):
            index[configuration] = ctz(members)
            members &= members - 1
            self.cells[configuration] = 0
        for slot_index in range(self.labels.ships):
            slot = &self.labels.slot[slot_index]
            word, shift = slot.shift >> 6, slot.shift & 63
            field = (<uint64_t>1 << self.labels.width[slot.kind]) - 1
            differing = 0
            for configuration in range(1, n):
                differing |= words.extra[word][index[configuration]] ^ words.extra[word][index[0]]
            if not differing >> shift & field:
                continue
            all_cells = 0
            for configuration in range(n):
                placement = <int>(words.extra[word][index[configuration]] >> shift & field)
                ship = self.labels.placed[slot.kind][placement] & ~hits
                self.ship[configuration][self.ships] = ship
                all_cells |= ship
            if all_cells:
                self.label[self.ships] = slot.label
                for configuration in range(n):
                    self.cells[configuration] |= self.ship[configuration][self.ships]
                    if self.labels.by_cell:
                        placement = <int>(words.extra[word][index[configuration]] >> shift & field)
                        self.note_labels(configuration, slot.kind, placement,
                                         self.ship[configuration][self.ships])
                self.ships += 1

    cdef void note_labels(self, int configuration, int kind, int placement, Cells ship) noexcept nogil:
        """Note the labels of the cells of a ship."""
        cdef const int16_t* label = self.labels.label[kind] + placement * self.labels.cells
        while ship:
            self.told[configuration][first(ship)] = label[first(ship)]
            ship &= ship - 1

    cdef void fill_bounds(self) noexcept nogil:
        """Fill `least`, `owner` (the ship on a cell) and `owners` (the configurations with it, as bits).

        `least` bounds the misses of each part: a least vertex cover of the pairs that need a miss.
        """
        cdef int n = self.n, i, j, ship_index, part, size_without, size_with
        cdef int needs_miss[MAX_ENDGAME]
        cdef Cells cells_left
        for i in range(n):
            needs_miss[i] = 0
            for j in range(i):
                if self.pair_needs_miss(i, j, 0):
                    needs_miss[i] |= 1 << j
                    needs_miss[j] |= 1 << i
        self.least[0] = 0      # first the most configurations of which no two need a miss
        for part in range(1, 1 << n):
            i = ctz(part)
            size_without = self.least[part & (part - 1)]
            size_with = 1 + self.least[part & (part - 1) & ~needs_miss[i]]
            self.least[part] = <uint8_t>max(size_without, size_with)
        for part in range(1 << n):
            self.least[part] = <uint8_t>(popcount(part) - self.least[part])
        self.now += 1
        for i in range(n):
            cells_left = self.cells[i]
            while cells_left:
                self.owners[first(cells_left)] = 0
                cells_left &= cells_left - 1
        for i in range(n):
            for ship_index in range(self.ships):
                cells_left = self.ship[i][ship_index]
                while cells_left:
                    self.owner[i][first(cells_left)] = <uint8_t>ship_index
                    self.owners[first(cells_left)] |= <uint16_t>(1 << i)
                    cells_left &= cells_left - 1

    cdef bint pair_needs_miss(self, int i, int j, Cells hits) noexcept nogil:
        """True if every strategy misses one of two configurations, given by number, after these hits."""
        cdef Cells cells_of_i = self.cells[i] & ~hits, cells_of_j = self.cells[j] & ~hits
        cdef int ship_of_i, ship_of_j
        if cells_of_i == cells_of_j:
            return False
        if self.labels.by_cell:
            cells_of_i &= cells_of_j
            while cells_of_i:
                if self.told[i][first(cells_of_i)] != self.told[j][first(cells_of_i)]:
                    return False
                cells_of_i &= cells_of_i - 1
            return True
        if self.labels.is_fixed:
            for ship_of_i in range(self.ships):
                for ship_of_j in range(self.ships):
                    if (self.ship[i][ship_of_i] & self.ship[j][ship_of_j] & ~hits
                            and self.label[ship_of_i] != self.label[ship_of_j]):
                        return False
            return True
        return not (self.has_own_ship(i, j, cells_of_i & cells_of_j, hits)
                    or self.has_own_ship(j, i, cells_of_i & cells_of_j, hits))

    cdef bint has_own_ship(self, int i, int j, Cells common, Cells hits) noexcept nogil:
        """True if configuration i has a ship within the common cells that j does not have."""
        cdef int ship_of_i, ship_of_j
        cdef Cells ship
        for ship_of_i in range(self.ships):
            ship = self.ship[i][ship_of_i] & ~hits
            if not ship or ship & ~common:
                continue
            for ship_of_j in range(self.ships):
                if self.ship[j][ship_of_j] & ~hits == ship and self.label[ship_of_j] == self.label[ship_of_i]:
                    break
            else:
                return True
        return False

    cdef int least_misses(self, int part, Cells hits) noexcept nogil:
        """Return the least total of misses of a part of the configurations (as bits) after these hits."""
        cdef int misses = popcount(part), cell
        cdef Value* entry
        if misses <= 1:
            return 0
        if misses == 2:
            return self.pair_needs_miss(ctz(part), ctz(part & (part - 1)), hits)
        entry = &self.memo[scramble(low(hits) ^ scramble(high(hits) ^ <uint64_t>part)) & (MEMO - 1)]
        if entry.stamp == self.now and entry.part == <uint32_t>part and entry.hits == hits:
            return entry.value
        misses = self.find_shot(part, hits, &cell)
        entry.stamp, entry.part, entry.hits, entry.value = self.now, <uint32_t>part, hits, misses
        return misses

    cdef int find_shot(self, int part, Cells hits, int* cell) noexcept nogil:
        """Return the least misses of a part; set `cell` to the first optimal shot, -1 if all are certain.

        Cells of a ship that all have are skipped.
        """
        cdef Cells cells_left, cells_of_any = 0, cells_of_all = ~<Cells>0
        cdef int configurations_left = part, least_cost = self.least[part], cost, shot
        while configurations_left:
            cells_of_any |= self.cells[ctz(configurations_left)]
            cells_of_all &= self.cells[ctz(configurations_left)]
            configurations_left &= configurations_left - 1
        cells_of_any &= ~hits
        cells_of_all &= ~hits
        cell[0] = -1
        if cells_of_any == cells_of_all:
            return 0
        # First the cells whose bound is that of the part: most parts end there.
        cells_left = cells_of_any
        while cells_left:
            shot = first(cells_left)
            cells_left &= cells_left - 1
            if (self.bound_of(part, shot) == least_cost
                    and self.cost(part, hits, shot, least_cost + 1) == least_cost):
                cell[0] = shot
                return least_cost
        least_cost = TOO_MANY
        while cells_of_any:
            shot = first(cells_of_any)
            cells_of_any &= cells_of_any - 1
            if self.bound_of(part, shot) < least_cost:
                cost = self.cost(part, hits, shot, least_cost)
                if cost < least_cost:
                    least_cost = cost
                    cell[0] = shot
        return least_cost

    cdef inline int bound_of(self, int part, int cell) noexcept nogil:
        """Bound the misses after a shot from below; sinkings may separate configurations without a miss."""
        cdef int missed = part & ~self.owners[cell]
        return popcount(missed) + self.least[missed] + self.least[part & self.owners[cell]]

    cdef int split(self, int part, Cells hits, int cell, int* parts) noexcept nogil:
        """Fill the parts (as bits) after a shot: missed, hit without a label, then a part for each label.

        Return True if the shot tells nothing, now or later.
        """
        cdef int configuration, ship_index, bit, label, first_label = UNLABELLED - 1
        cdef bint is_one_reply = True
        cdef Cells ship, first_ship = 0
        for label in range(self.labels.label_count + 2):
            parts[label] = 0
        while part:
            configuration = ctz(part)
            bit = part & -part
            part ^= bit
            if not self.cells[configuration] & one(cell):
                parts[0] |= bit
                continue
            ship_index = self.owner[configuration][cell]
            ship = self.ship[configuration][ship_index] & ~hits
            label = self.told[configuration][cell] if self.labels.by_cell else self.label[ship_index]
            if first_label < UNLABELLED:
                first_label, first_ship = label, ship
            is_one_reply = (is_one_reply and first_label == label
                            and (self.labels.is_fixed or first_ship == ship))
            parts[2 + label if self.labels.is_fixed or ship == one(cell) else 1] |= bit
        return is_one_reply and not parts[0]

    cdef int cost(self, int part, Cells hits, int cell, int limit) noexcept nogil:
        """Return the total of misses of a part (as bits) if a cell is shot first.

        It is TOO_MANY if it would not be below the limit, or if the shot tells nothing.
        """
        cdef int parts[MAX_LABELS + 2]
        cdef int index, cost
        if self.split(part, hits, cell, parts):
            return TOO_MANY
        cost = popcount(parts[0])
        for index in range(self.labels.label_count + 2):
            cost += self.least[parts[index]]
        for index in range(self.labels.label_count + 2):
            if cost >= limit:
                return TOO_MANY
            if parts[index] & (parts[index] - 1):
                cost += self.least_misses(parts[index], hits | one(cell) if index else hits)
                cost -= self.least[parts[index]]
        return cost

    cdef void add_tree(self, int part, Cells hits, int64_t* histogram) noexcept nogil:
        """Add the leaves of the optimal tree of a part to the histogram of its misses from here on."""
        cdef int parts[MAX_LABELS + 2]
        cdef int count = popcount(part), cell, index
        if count == 0 or self.followed >= 0 and not part >> self.followed & 1:
            return
        if count == 1:
            histogram[0] += 1
            return
        if count == 2 and self.followed < 0:
            index = self.pair_needs_miss(ctz(part), ctz(part & (part - 1)), hits)
            histogram[0] += 1
            histogram[index] += 1
            return
        self.find_shot(part, hits, &cell)
        if cell < 0:
            histogram[0] += count
            return
        self.split(part, hits, cell, parts)
        self.add_tree(parts[0], hits, histogram + 1)
        for index in range(1, self.labels.label_count + 2):
            self.add_tree(parts[index], hits | one(cell), histogram)
