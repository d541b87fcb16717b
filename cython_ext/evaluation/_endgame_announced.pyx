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
    """An exact search of at most MAX_ENDGAME configurations; a part of them is a set of bits."""

    def __cinit__(self, Labels labels):
        self.labels, self.followed = labels, -1
        self.arena = Arena()
        self.memo = <Value*>self.arena.array(MEMO, sizeof(Value))

    cdef int misses(self, const Words* w, uint64_t x, int n, Cells hits) noexcept nogil:
        """Return the least misses of the n configurations under x."""
        if n <= 1:
            return 0
        self.begin(w, x, n, hits)
        if n == 2:
            return self.pair(0, 1, 0)
        self.bound()
        return self.value((1 << n) - 1, hits)

    cdef void enter(self, const Words* w, uint64_t x, int n, Cells hits, uint64_t followed,
                    int64_t* histogram) noexcept nogil:
        """Add the leaves of their optimal tree to a histogram of misses; followed -- a bit, only its leaf."""
        self.begin(w, x, n, hits)
        self.followed = popcount(x & (followed - 1)) if followed else -1
        if n > 2 or followed:
            self.bound()
        self.walk((1 << n) - 1, hits, histogram)

    cdef void begin(self, const Words* w, uint64_t x, int n, Cells hits) noexcept nogil:
        """Load the n configurations under x, without ships that all have by one slot of the code."""
        cdef int k, s, word, shift, number
        cdef int index[MAX_ENDGAME]
        cdef uint64_t field, differ
        cdef const Slot* slot
        cdef Cells ship, some
        self.n, self.ships = n, 0
        for k in range(n):
            index[k] = ctz(x)
            x &= x - 1
            self.cells[k] = 0
        for s in range(self.labels.ships):
            slot = &self.labels.slot[s]
            word, shift = slot.shift >> 6, slot.shift & 63
            field = (<uint64_t>1 << self.labels.width[slot.kind]) - 1
            differ = 0
            for k in range(1, n):
                differ |= w.extra[word][index[k]] ^ w.extra[word][index[0]]
            if not differ >> shift & field:
                continue
            some = 0
            for k in range(n):
                number = <int>(w.extra[word][index[k]] >> shift & field)
                ship = self.labels.placed[slot.kind][number] & ~hits
                self.ship[k][self.ships] = ship
                some |= ship
            if some:
                self.label[self.ships] = slot.label
                for k in range(n):
                    self.cells[k] |= self.ship[k][self.ships]
                    if self.labels.by_cell:
                        number = <int>(w.extra[word][index[k]] >> shift & field)
                        self.note_labels(k, slot.kind, number, self.ship[k][self.ships])
                self.ships += 1

    cdef void note_labels(self, int k, int kind, int number, Cells ship) noexcept nogil:
        """Note the labels of the cells of a ship."""
        cdef const int16_t* label = self.labels.label[kind] + number * self.labels.cells
        while ship:
            self.told[k][first(ship)] = label[first(ship)]
            ship &= ship - 1

    cdef void bound(self) noexcept nogil:
        """Fill `least`, a vertex cover of the pairs that need a miss, `owner` and `owners`."""
        cdef int n = self.n, i, j, s, x, without, apart
        cdef int need[MAX_ENDGAME]
        cdef Cells left
        for i in range(n):
            need[i] = 0
            for j in range(i):
                if self.pair(i, j, 0):
                    need[i] |= 1 << j
                    need[j] |= 1 << i
        self.least[0] = 0      # first the most configurations of which no two need a miss
        for x in range(1, 1 << n):
            i = ctz(x)
            without = self.least[x & (x - 1)]
            apart = 1 + self.least[x & (x - 1) & ~need[i]]
            self.least[x] = <uint8_t>max(without, apart)
        for x in range(1 << n):
            self.least[x] = <uint8_t>(popcount(x) - self.least[x])
        self.now += 1
        for i in range(n):
            left = self.cells[i]
            while left:
                self.owners[first(left)] = 0
                left &= left - 1
        for i in range(n):
            for s in range(self.ships):
                left = self.ship[i][s]
                while left:
                    self.owner[i][first(left)] = <uint8_t>s
                    self.owners[first(left)] |= <uint16_t>(1 << i)
                    left &= left - 1

    cdef bint pair(self, int i, int j, Cells hits) noexcept nogil:
        """True if one of two configurations must be missed."""
        cdef Cells a = self.cells[i] & ~hits, b = self.cells[j] & ~hits
        cdef int s, q
        if a == b:
            return False
        if self.labels.by_cell:
            a &= b
            while a:
                if self.told[i][first(a)] != self.told[j][first(a)]:
                    return False
                a &= a - 1
            return True
        if self.labels.is_fixed:
            for s in range(self.ships):
                for q in range(self.ships):
                    if self.ship[i][s] & self.ship[j][q] & ~hits and self.label[s] != self.label[q]:
                        return False
            return True
        return not (self.has_own_ship(i, j, a & b, hits) or self.has_own_ship(j, i, a & b, hits))

    cdef bint has_own_ship(self, int i, int j, Cells common, Cells hits) noexcept nogil:
        """True if configuration i has a ship within the common cells that j does not have."""
        cdef int s, q
        cdef Cells ship
        for s in range(self.ships):
            ship = self.ship[i][s] & ~hits
            if not ship or ship & ~common:
                continue
            for q in range(self.ships):
                if self.ship[j][q] & ~hits == ship and self.label[q] == self.label[s]:
                    break
            else:
                return True
        return False

    cdef int value(self, int x, Cells hits) noexcept nogil:
        """Return the least misses of a part of the configurations."""
        cdef int n = popcount(x), cell
        cdef Value* entry
        if n <= 1:
            return 0
        if n == 2:
            return self.pair(ctz(x), ctz(x & (x - 1)), hits)
        entry = &self.memo[scramble(low(hits) ^ scramble(high(hits) ^ <uint64_t>x)) & (MEMO - 1)]
        if entry.stamp == self.now and entry.part == <uint32_t>x and entry.hits == hits:
            return entry.value
        n = self.scan(x, hits, &cell)
        entry.stamp, entry.part, entry.hits, entry.value = self.now, <uint32_t>x, hits, n
        return n

    cdef int scan(self, int x, Cells hits, int* cell) noexcept nogil:
        """Return the least misses; set `cell` to the first optimal shot, or -1 if all cells are certain.

        Cells of a ship that all have are skipped.
        """
        cdef Cells left, some = 0, every = ~<Cells>0
        cdef int rest = x, best = self.least[x], cost, c
        while rest:
            some |= self.cells[ctz(rest)]
            every &= self.cells[ctz(rest)]
            rest &= rest - 1
        some &= ~hits
        every &= ~hits
        cell[0] = -1
        if some == every:
            return 0
        left = some            # first cells whose bound is that of the part: most parts end there
        while left:
            c = first(left)
            left &= left - 1
            if self.bound_of(x, c) == best and self.cost(x, hits, c, best + 1) == best:
                cell[0] = c
                return best
        best = TOO_MANY
        while some:
            c = first(some)
            some &= some - 1
            if self.bound_of(x, c) < best:
                cost = self.cost(x, hits, c, best)
                if cost < best:
                    best = cost
                    cell[0] = c
        return best

    cdef inline int bound_of(self, int x, int cell) noexcept nogil:
        """Bound the misses after a shot from below; sinkings may separate configurations without a miss."""
        cdef int missed = x & ~self.owners[cell]
        return popcount(missed) + self.least[missed] + self.least[x & self.owners[cell]]

    cdef int split(self, int x, Cells hits, int cell, int* parts) noexcept nogil:
        """Fill the parts after a shot: missed, hit, and by label; True if it tells nothing, now and later."""
        cdef int i, s, bit, t, seen = UNLABELLED - 1
        cdef bint alike = True
        cdef Cells ship, of_first = 0
        for t in range(self.labels.number + 2):
            parts[t] = 0
        while x:
            i = ctz(x)
            bit = x & -x
            x ^= bit
            if not self.cells[i] & one(cell):
                parts[0] |= bit
                continue
            s = self.owner[i][cell]
            ship = self.ship[i][s] & ~hits
            t = self.told[i][cell] if self.labels.by_cell else self.label[s]
            if seen < UNLABELLED:
                seen, of_first = t, ship
            alike = alike and seen == t and (self.labels.is_fixed or of_first == ship)
            parts[2 + t if self.labels.is_fixed or ship == one(cell) else 1] |= bit
        return alike and not parts[0]

    cdef int cost(self, int x, Cells hits, int cell, int limit) noexcept nogil:
        """Return the misses after a shot; TOO_MANY if not below the limit, or if the shot tells nothing."""
        cdef int parts[MAX_LABELS + 2]
        cdef int t, cost
        if self.split(x, hits, cell, parts):
            return TOO_MANY
        cost = popcount(parts[0])
        for t in range(self.labels.number + 2):
            cost += self.least[parts[t]]
        for t in range(self.labels.number + 2):
            if cost >= limit:
                return TOO_MANY
            if parts[t] & (parts[t] - 1):
                cost += self.value(parts[t], hits | one(cell) if t else hits)
                cost -= self.least[parts[t]]
        return cost

    cdef void walk(self, int x, Cells hits, int64_t* histogram) noexcept nogil:
        """Add the leaves of a part to the histogram."""
        cdef int parts[MAX_LABELS + 2]
        cdef int n = popcount(x), cell, t
        if n == 0 or self.followed >= 0 and not x >> self.followed & 1:
            return
        if n == 1:
            histogram[0] += 1
            return
        if n == 2 and self.followed < 0:
            t = self.pair(ctz(x), ctz(x & (x - 1)), hits)
            histogram[0] += 1
            histogram[t] += 1
            return
        self.scan(x, hits, &cell)
        if cell < 0:
            histogram[0] += n
            return
        self.split(x, hits, cell, parts)
        self.walk(parts[0], hits, histogram + 1)
        for t in range(1, self.labels.number + 2):
            self.walk(parts[t], hits | one(cell), histogram)
