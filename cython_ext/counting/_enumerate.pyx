"""Every configuration of a position: Algorithm 1 on bit sets of placements.

The kernel knows ships only as *kinds* (the distinct lengths) with their placements, and for each
placement of each kind the set of compatible placements of every kind, as 256 bits. A partial
configuration is then the intersection of such sets, one per kind, and its innermost ship is never
placed: its placements are the bits that are left, counted all at once. We call a partial
configuration with the set of its innermost placements a *bundle*. A count stops one ship earlier if
no hit is uncovered: for each placement of one of the last two ships it counts the bits that are left
to the other, so that a bundle there has the placements of both.

The walk is an explicit stack, so that it can stop after any bundle and go on later:

1. While a cell that was hit is uncovered, the first such cell is covered in every possible way.
   Ships do not overlap, so one ship covers it, and no configuration is met twice.
2. Then the ships left are placed kind by kind, equal lengths by ascending placement.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memset

from cells cimport Cells, ctz, first, high, join, low, one, popcount, size
from optsearch.compiled.shared._arena cimport Arena

cdef enum:
    MAX_SHIPS = 128
    PLANES = 16           # bits of the vertical counters


cdef struct Bits:         # a set of placements of one kind
    uint64_t w[4]


cdef inline void intersect(Bits* both, const Bits* first_set, const Bits* second_set) noexcept nogil:
    cdef int word
    for word in range(4):
        both.w[word] = first_set.w[word] & second_set.w[word]


cdef inline int count_bits(const Bits* placements) noexcept nogil:
    return (popcount(placements.w[0]) + popcount(placements.w[1])
            + popcount(placements.w[2]) + popcount(placements.w[3]))


cdef inline int count_both(const Bits* first_set, const Bits* second_set) noexcept nogil:
    """Count the placements that are in both sets."""
    return (popcount(first_set.w[0] & second_set.w[0]) + popcount(first_set.w[1] & second_set.w[1])
            + popcount(first_set.w[2] & second_set.w[2]) + popcount(first_set.w[3] & second_set.w[3]))


cdef inline int take_first(Bits* placements) noexcept nogil:
    """Remove and return the first placement; -1 if the set is empty."""
    cdef int word, bit
    for word in range(4):
        if placements.w[word]:
            bit = ctz(placements.w[word])
            placements.w[word] &= placements.w[word] - 1
            return 64 * word + bit
    return -1


cdef inline void keep_above(Bits* placements, int placement) noexcept nogil:
    """Remove the placements up to and including this one."""
    cdef int word
    for word in range(placement >> 6):
        placements.w[word] = 0
    placements.w[placement >> 6] &= ~((<uint64_t>2 << (placement & 63)) - 1)


cdef struct Level:             # one ship being placed
    Bits allowed[MAX_KINDS]    # placements that may still be chosen here and below
    Bits untried               # placements of `kind` not tried yet
    Cells uncovered            # cells hit that no ship placed so far covers
    Cells cells                # cells of the ships placed above
    int left[MAX_KINDS]        # ships still to place, this one included
    int ships, length          # their number and their cells in all
    int kind                   # being placed now; -1 before the first
    int placement              # chosen now
    uint64_t count             # configurations met below, since this level was entered


cdef struct Counters:          # per-placement counters of one kind, bit-sliced
    Bits planes[PLANES]
    int used


cdef class Enumerator:
    """The configurations of one position, or of one slice of them.

    kinds -- list of (number of ships, their length, placements as an (n, 2) uint64 array), the
        innermost last; placements that the shots rule out are not among them.
    compatible -- for kinds t, u: bool array (n_t, n_u), True if the placements are compatible.
    hits -- the cells hit, as an integer.
    slice, slices -- only the first choices number slice, slice + slices, …; all slices together
        are the whole.
    """

    cdef Arena arena
    cdef int kinds
    cdef int total[MAX_KINDS]             # ships of each kind
    cdef int lengths[MAX_KINDS]
    cdef int sizes[MAX_KINDS]             # placements of each kind
    cdef Cells* cells[MAX_KINDS]          # by kind and placement
    # By kind and placement * kinds + other kind: the compatible placements of the other kind.
    cdef Bits* beside[MAX_KINDS]
    cdef Bits* cover[MAX_KINDS]           # by kind and cell: the placements on the cell
    cdef Cells hits
    cdef Level* levels
    cdef int depth                        # the level in use, -1 when all is done
    cdef int bundle_kind
    cdef Bits bundle
    cdef int64_t* count_through[MAX_KINDS]  # configurations through each placement, when counted
    cdef Counters* counters
    cdef int slice, slices, first_choice
    cdef bint stopped
    cdef bint pairs                       # True if a bundle may have two ships
    cdef const uint64_t* number[MAX_KINDS]  # of each placement in a code
    cdef object numbers                   # the arrays that own these
    cdef int sort[MAX_KINDS]              # of each kind; kinds of one sort share the shifts
    cdef int shift[MAX_KINDS][MAX_SHIPS]  # in a code, of the first, second, ... ship of a sort
    cdef int code_words                   # 0: there are no codes

    def __cinit__(self, kinds, compatible, hits, int slice=0, int slices=1):
        cdef int kind, other_kind, placement, index
        cdef const uint64_t[:, ::1] words
        cdef const unsigned char[:, ::1] table
        self.kinds = len(kinds)
        if not 0 < self.kinds <= MAX_KINDS:
            raise ValueError(f"{self.kinds} kinds of ships; 1 to {MAX_KINDS} are handled")
        self.hits = join(hits & 0xFFFFFFFFFFFFFFFF, hits >> 64)
        self.slice, self.slices = slice, slices
        self.arena = Arena()
        self.levels = <Level*>self.arena.array(MAX_SHIPS + 1, sizeof(Level))
        self.counters = <Counters*>self.arena.array(MAX_KINDS, sizeof(Counters))
        for kind in range(self.kinds):
            self.total[kind], self.lengths[kind], words = kinds[kind]
            if words.shape[0] > MAX_PLACEMENTS:
                raise ValueError(f"{words.shape[0]} placements; at most {MAX_PLACEMENTS}")
            self.sizes[kind] = <int>words.shape[0]
            self.cells[kind] = self.arena.cells(words)
            self.cover[kind] = <Bits*>self.arena.array(128, sizeof(Bits))
            self.beside[kind] = <Bits*>self.arena.array(MAX_PLACEMENTS * self.kinds, sizeof(Bits))
            self.count_through[kind] = <int64_t*>self.arena.array(MAX_PLACEMENTS, sizeof(int64_t))
            for placement in range(self.sizes[kind]):
                for index in range(128):
                    if self.cells[kind][placement] & one(index):
                        self.cover[kind][index].w[placement >> 6] |= <uint64_t>1 << (placement & 63)
            for other_kind in range(self.kinds):
                table = compatible[kind][other_kind]
                for placement in range(self.sizes[kind]):
                    for index in range(<int>table.shape[1]):
                        if table[placement, index]:
                            self.beside[kind][placement * self.kinds + other_kind].w[index >> 6] |= (
                                <uint64_t>1 << (index & 63))
        self.restart()

    cdef void restart(self) noexcept:
        cdef Level* root = &self.levels[0]
        cdef int kind, placement
        memset(root, 0, sizeof(Level))
        root.uncovered = self.hits
        root.kind = -1
        for kind in range(self.kinds):
            root.left[kind] = self.total[kind]
            root.ships += self.total[kind]
            root.length += self.total[kind] * self.lengths[kind]
            for placement in range(self.sizes[kind]):
                root.allowed[kind].w[placement >> 6] |= <uint64_t>1 << (placement & 63)
            memset(self.count_through[kind], 0, MAX_PLACEMENTS * sizeof(int64_t))
        self.depth = 0
        self.first_choice = -1
        self.pairs = False

    cdef inline bint next_kind(self, Level* level) noexcept nogil:
        """Turn to the next kind of ship to be placed at this level; False after the last.

        While a cell hit is uncovered, only placements on the first such cell are tried.
        """
        cdef int kind
        if level.uncovered:
            for kind in range(level.kind + 1, self.kinds):
                if level.left[kind]:
                    level.kind = kind
                    intersect(&level.untried, &level.allowed[kind],
                              &self.cover[kind][first(level.uncovered)])
                    return True
            return False
        if level.kind >= 0:      # the kind to place next is fixed once nothing is uncovered
            return False
        for kind in range(self.kinds):
            if level.left[kind]:
                level.kind = kind
                level.untried = level.allowed[kind]
                return True
        return False

    cdef bint innermost(self, Level* level) noexcept nogil:
        """True if one ship is left; its placements become the bundle."""
        cdef Cells uncovered = level.uncovered
        cdef int kind = 0
        if level.ships != 1:
            return False
        while not level.left[kind]:
            kind += 1
        self.bundle_kind = kind
        self.bundle = level.allowed[kind]
        while uncovered:
            intersect(&self.bundle, &self.bundle, &self.cover[kind][first(uncovered)])
            uncovered &= uncovered - 1
        return True

    cdef bint advance(self) noexcept nogil:
        """Walk to the next bundle (the placements left to the last ship) not empty; False after the last.

        The other ships are those chosen at the levels below `depth`.
        """
        cdef Level* level
        cdef Level* below
        cdef Bits* beside
        cdef int other_kind, placement, kind
        while self.depth >= 0 and not self.stopped:
            level = &self.levels[self.depth]
            if self.is_pair(level):       # the bundle here has been delivered
                self.leave()
                continue
            if level.ships == 1:          # and here
                if self.depth == 0:
                    if level.kind >= 0 or self.slice:
                        self.depth = -1
                        return False
                    level.kind = 0
                    if self.innermost(level) and count_bits(&self.bundle):
                        return True
                    continue
                self.leave()
                continue
            placement = -1 if level.kind < 0 else take_first(&level.untried)
            if placement < 0:
                if not self.next_kind(level):
                    self.leave()
                continue
            if self.depth == 0 and self.slices > 1:
                self.first_choice += 1
                if self.first_choice % self.slices != self.slice:
                    continue
            kind = level.kind
            below = &self.levels[self.depth + 1]
            below.uncovered = level.uncovered & ~self.cells[kind][placement]
            below.length = level.length - self.lengths[kind]
            if size(below.uncovered) > below.length:
                continue
            level.placement = placement
            below.cells = level.cells | self.cells[kind][placement]
            below.ships = level.ships - 1
            below.kind = -1
            below.count = 0
            beside = &self.beside[kind][placement * self.kinds]
            for other_kind in range(self.kinds):
                below.left[other_kind] = level.left[other_kind] - (other_kind == kind)
                if below.left[other_kind]:
                    intersect(&below.allowed[other_kind], &level.allowed[other_kind], &beside[other_kind])
            if not level.uncovered and below.left[kind]:
                keep_above(&below.allowed[kind], placement)
            self.depth += 1
            if self.is_pair(below) or (self.innermost(below) and count_bits(&self.bundle)):
                return True
        return False

    cdef inline bint is_pair(self, const Level* level) noexcept nogil:
        """True if the last two ships are counted at once at a level."""
        return level.ships == 2 and self.pairs and self.depth > 0 and not level.uncovered

    cdef uint64_t count_pairs(self, const Level* level) noexcept nogil:
        """Count the ways to place the last two ships."""
        cdef int kind = 0, other_kind, placement
        cdef Bits untried
        cdef uint64_t total = 0
        while not level.left[kind]:
            kind += 1
        other_kind = kind
        if level.left[kind] == 1:
            other_kind += 1
            while not level.left[other_kind]:
                other_kind += 1
            if count_bits(&level.allowed[other_kind]) < count_bits(&level.allowed[kind]):
                kind, other_kind = other_kind, kind
        untried = level.allowed[kind]
        while True:
            placement = take_first(&untried)
            if placement < 0:
                return total // 2 if kind == other_kind else total
            total += count_both(&level.allowed[other_kind],
                                &self.beside[kind][placement * self.kinds + other_kind])

    cdef uint64_t share_pairs(self, const Level* level) noexcept nogil:
        """Count the ways to place the last two ships; add those with each placement to `count_through`."""
        cdef int kind, other_kind, partners, placement
        cdef Bits untried
        cdef uint64_t total = 0
        for kind in range(self.kinds):
            if not level.left[kind]:
                continue
            other_kind = kind
            if level.left[kind] == 1:        # the other kind of the two
                other_kind = self.kinds - 1
                while not level.left[other_kind] or other_kind == kind:
                    other_kind -= 1
            untried = level.allowed[kind]
            while True:
                placement = take_first(&untried)
                if placement < 0:
                    break
                partners = count_both(&level.allowed[other_kind],
                                      &self.beside[kind][placement * self.kinds + other_kind])
                self.count_through[kind][placement] += partners
                total += partners
        return total // 2                 # each pair was met twice

    cdef inline void leave(self) noexcept nogil:
        """Go up one level, and add the count of the level left to the placement chosen there."""
        cdef uint64_t count = self.levels[self.depth].count
        cdef Level* level
        self.depth -= 1
        if self.depth >= 0:
            level = &self.levels[self.depth]
            level.count += count
            self.count_through[level.kind][level.placement] += count

    cdef void tally(self, int kind) noexcept nogil:
        """Add the counters of a kind (bit i of each is in plane i) to `count_through`, and clear them."""
        cdef Counters* counters = &self.counters[kind]
        cdef int plane, w
        cdef uint64_t word
        for plane in range(PLANES):
            for w in range(4):
                word = counters.planes[plane].w[w]
                while word:
                    self.count_through[kind][64 * w + ctz(word)] += <int64_t>1 << plane
                    word &= word - 1
        memset(counters, 0, sizeof(Counters))

    def stop(self):
        """End a walk that runs in another thread; its result is then invalid."""
        self.stopped = True

    def count(self):
        """Return the number of configurations (int)."""
        cdef uint64_t total = 0
        cdef Level* level
        self.restart()
        self.pairs = True
        with nogil:
            while self.advance():
                level = &self.levels[self.depth]
                total += self.count_pairs(level) if level.ships == 2 else count_bits(&self.bundle)
        return total

    def occurrence(self):
        """Return the number of configurations through each placement, as a list of int lists by kind."""
        cdef int kind, placement, plane, word
        cdef uint64_t carry, any_carry, kept
        cdef Counters* counters
        cdef Level* level
        self.restart()
        self.pairs = True
        with nogil:
            while self.advance():
                level = &self.levels[self.depth]
                if level.ships == 2:
                    level.count += self.share_pairs(level)
                    continue
                level.count += count_bits(&self.bundle)
                counters = &self.counters[self.bundle_kind]
                for plane in range(PLANES):
                    any_carry = 0
                    for word in range(4):
                        kept = counters.planes[plane].w[word]
                        carry = kept & self.bundle.w[word]
                        counters.planes[plane].w[word] = kept ^ self.bundle.w[word]
                        self.bundle.w[word] = carry
                        any_carry |= carry
                    if not any_carry:
                        break
                counters.used += 1
                if counters.used == (1 << PLANES) - 1:
                    self.tally(self.bundle_kind)
            for kind in range(self.kinds):
                self.tally(kind)
        return [[self.count_through[kind][placement] for placement in range(self.sizes[kind])]
                for kind in range(self.kinds)]

    def name(self, sorts, numbers, shifts, int code_words):
        """Set the codes that `fill` writes: where each ship lies, in bits.

        sorts -- of each kind, 0, 1, ...; kinds of one sort hold placements of the same ships.
        numbers -- uint64 (n_t,) for each kind: the numbers of its placements. shifts -- for each sort
        the bit in the code where the number of its first, second, ... ship begins; no number crosses a
        word. code_words -- the number of 64-bit words of a code.
        """
        cdef int t, i
        cdef const uint64_t[::1] view
        for t in range(self.kinds):
            self.sort[t] = sorts[t]
            view = numbers[t]
            if view.shape[0] != self.sizes[t] or not 0 <= self.sort[t] < min(len(shifts), MAX_KINDS):
                raise ValueError(f"kind {t} has {self.sizes[t]} placements and one of {len(shifts)} sorts")
            self.number[t] = &view[0] if self.sizes[t] else NULL
        for i in range(len(shifts)):
            for t in range(len(shifts[i])):
                if not 0 <= shifts[i][t] < 64 * code_words:
                    raise ValueError(f"bit {shifts[i][t]} is not in {code_words} words")
                self.shift[i][t] = shifts[i][t]
        self.numbers, self.code_words = list(numbers), code_words

    def fill(self, uint64_t[:, ::1] out):
        """Write the next configurations into `out`, shape (n, 2 + code words), and return their number.

        A row is the cells (low and high word) and, after `name`, the code. 0 means that all have been
        written. n is at least 256: as many may differ in the last ship alone, and are written together.
        """
        cdef Py_ssize_t n = 0
        cdef Cells cells
        cdef int placement, i, at, words = self.code_words
        cdef int used[MAX_KINDS]
        cdef uint64_t code[MAX_CODE_WORDS]     # of the ships above the bundle
        cdef Level* level
        cdef const uint64_t* number
        if out.shape[0] < MAX_PLACEMENTS or out.shape[1] != 2 + words:
            raise ValueError(f"out has shape ({out.shape[0]}, {out.shape[1]}); "
                             f"give ({MAX_PLACEMENTS} or more, {2 + words})")
        with nogil:
            while n + MAX_PLACEMENTS <= out.shape[0] and self.advance():
                memset(used, 0, sizeof(used))
                memset(code, 0, sizeof(code))
                for i in range(self.depth if words else 0):
                    level = &self.levels[i]
                    at = self.shift[self.sort[level.kind]][used[self.sort[level.kind]]]
                    used[self.sort[level.kind]] += 1
                    code[at >> 6] |= self.number[level.kind][level.placement] << (at & 63)
                at = self.shift[self.sort[self.bundle_kind]][used[self.sort[self.bundle_kind]]]
                number = self.number[self.bundle_kind]
                while True:
                    placement = take_first(&self.bundle)
                    if placement < 0:
                        break
                    cells = self.levels[self.depth].cells | self.cells[self.bundle_kind][placement]
                    out[n, 0] = low(cells)
                    out[n, 1] = high(cells)
                    for i in range(words):
                        out[n, 2 + i] = code[i]
                    if words:
                        out[n, 2 + (at >> 6)] |= number[placement] << (at & 63)
                    n += 1
        return n
