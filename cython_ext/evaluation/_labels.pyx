"""The labels that configurations give to hits, and the parts after a shot.

The extra bits of a configuration are its *code*: for each ship the number of its placement among those
of its kind. Two ships, four configurations of 1x4:2,1 with touching ships, whose placements are A1 B1,
B1 C1, C1 D1 and A1, B1, C1, D1:

      configuration   0 1 2 3
      A1              1 1 1 0       configuration 1 is A1 B1 (0) and D1 (3)
      ...
      2, bit 0        0 0 1 1
      2, bit 1        0 0 0 0
      1, bit 0        0 1 1 0
      1, bit 1        1 1 1 0

Labels have numbers. If every hit has a label, its number is that of the kind of the ship or, if labels
depend on placement and cell, one of the labels possible at the cell. If sinkings are announced, a hit
has a label if the ship there sinks: its kind, or that a ship is sunk. The replies to a shot follow from
the column of its cell and the cells hit before, which all configurations of a family share. `tells` is
True for the placements through the cell that give their label: few, often none. The configurations with
one of them are an *and* over the columns of the bits of its number. So the codes never change, and sunk
ships need no record: a sunk ship has no cell that was not shot. A family splits into missed, hit, and one
part for each label. If nothing is announced there are no labels, and codes have no bits.
"""

from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t
from libc.stdlib cimport malloc
from libc.string cimport memset

from cells cimport MAX_CELLS, Cells, ctz, first, high, join, low, one, popcount, size
from hashing cimport scramble
from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.evaluation._block cimport MAX_EXTRAS, Block, Part, Shots, Words, split
from optsearch.compiled.counting._enumerate cimport MAX_CODED, MAX_KINDS


cdef class Labels:
    """The ships of a fleet, their placements, and the labels of hits on them.

    order -- the cells in the order in which ties are broken.
    kinds -- for each kind of ships its label (0, 1, …; equal for all if a sinking does not name its ship),
        the bits of its number, and its placements as an (n, 2) uint64 array. Without kinds hits have no
        labels.
    slots -- for each ship its kind and the first bit of its number in the code; int32 (ships, 2).
    is_fixed -- True if every hit has a label; else only the last hit of a ship has one.
    labels -- if labels depend on the placement and the cell: for each kind int16 of shape (placements,
        cells), the number of the label of a hit, or -1 for none. The labels of `kinds` are then unused.
    """

    def __cinit__(self, order, kinds, const int32_t[:, ::1] slots, bint is_fixed, labels=None):
        cdef int index, kind
        self.arena, self.is_fixed, self.by_cell = Arena(), is_fixed, labels is not None
        self.cells, self.kinds, self.ships = len(order), len(kinds), <int>slots.shape[0]
        if self.kinds > MAX_KINDS or self.ships > MAX_CODED:
            raise ValueError(f"{self.ships} ships of {self.kinds} kinds are too many")
        for kind in range(self.kinds):
            self.take_kind(kind, kinds[kind][1], kinds[kind][2], order)
            if self.by_cell:
                self.take_labels(kind, labels[kind], order)
        for index in range(self.ships):
            kind = slots[index, 0]
            if not 0 <= kind < self.kinds or not 0 <= slots[index, 1] <= MAX_EXTRAS - self.width[kind]:
                raise ValueError(f"ship {index} is not of the kinds given")
            self.slot[index].kind, self.slot[index].shift = kind, slots[index, 1]
            self.slot[index].label = kinds[kind][0]
            if not 0 <= self.slot[index].label < MAX_KINDS:
                raise ValueError(f"{kinds[kind][0]} is not the number of a label")
            if not self.by_cell:
                self.label_count = max(self.label_count, self.slot[index].label + 1)
            self.code_bits = max(self.code_bits, self.slot[index].shift + self.width[kind])
            if self.slot[index].shift >> 6 != (self.slot[index].shift + max(self.width[kind], 1) - 1) >> 6:
                raise ValueError(f"the number of ship {index} is not in one word")
        self.list_through()

    cdef int take_kind(self, int kind, int width, const uint64_t[:, ::1] masks, order) except -1:
        """Load the placements of a kind, with cells as places in the order; width -- the bits of a number."""
        cdef int place, placement
        cdef Cells cells
        if masks.shape[1] != 2 or not 0 <= width <= 16 or masks.shape[0] > 1 << width:
            raise ValueError(f"{masks.shape[0]} placements are not numbered by {width} bits")
        self.width[kind], self.placements[kind] = width, <int>masks.shape[0]
        self.placed[kind] = <Cells*>self.arena.array(<size_t>1 << width, sizeof(Cells))
        for placement in range(self.placements[kind]):
            cells = join(masks[placement, 0], masks[placement, 1])
            for place in range(self.cells):
                if cells & one(order[place]):
                    self.placed[kind][placement] |= one(place)
        return 0

    cdef int take_labels(self, int kind, const int16_t[:, ::1] numbers, order) except -1:
        """Load the labels of the placements of a kind, with cells as places in the order."""
        cdef int place, placement
        if numbers.shape[0] != self.placements[kind] or numbers.shape[1] != self.cells:
            raise ValueError(f"{numbers.shape[0]} x {numbers.shape[1]} labels are not those of the kind")
        self.label[kind] = <int16_t*>self.arena.array(self.placements[kind] * self.cells, sizeof(int16_t))
        for placement in range(self.placements[kind]):
            for place in range(self.cells):
                if not UNLABELLED <= numbers[placement, order[place]] < MAX_LABELS:
                    raise ValueError(f"{numbers[placement, order[place]]} is not the number of a label")
                self.label[kind][placement * self.cells + place] = numbers[placement, order[place]]
                self.label_count = max(self.label_count, 1 + numbers[placement, order[place]])
        return 0

    cdef int list_through(self) except -1:
        """Fill what a shot at a place looks up: `through`, `near` and `alone`."""
        cdef int place, index, t, placement, count = 0, most_times, best_place
        cdef int times[MAX_CELLS]
        cdef int labels[MAX_KINDS]
        cdef Cells cells_left
        for index in range(self.ships):
            labels[self.slot[index].kind] = self.slot[index].label
        for t in range(self.kinds):
            for placement in range(self.placements[t]):
                count += size(self.placed[t][placement])
        self.through = <Through*>self.arena.array(count, sizeof(Through))
        count = 0
        for place in range(self.cells):
            self.start[place] = count
            for t in range(self.kinds):
                for placement in range(self.placements[t]):
                    if self.by_cell:
                        labels[t] = self.label[t][placement * self.cells + place]
                    if self.placed[t][placement] & one(place) and labels[t] != UNLABELLED:
                        self.through[count].rest = self.placed[t][placement] & ~one(place)
                        self.through[count].kind, self.through[count].number = t, placement
                        self.through[count].label = labels[t]
                        count += 1
            # Add cells, the most frequent first, until each ship through the place has one.
            self.near[place], self.alone[place] = 0, False
            while True:
                memset(times, 0, sizeof(times))
                most_times, best_place = 0, -1
                for index in range(self.start[place], count):
                    cells_left = self.through[index].rest
                    if not cells_left:
                        self.alone[place] = True
                    if cells_left & self.near[place]:
                        continue
                    while cells_left:
                        t = first(cells_left)
                        cells_left &= cells_left - 1
                        times[t] += 1
                        if times[t] > most_times:
                            most_times, best_place = times[t], t
                if best_place < 0:
                    break
                self.near[place] |= one(best_place)
        self.start[self.cells] = count
        return 0

    cdef bint can_tell(self, int place, Cells hits) noexcept nogil:
        """True unless it is certain that no hit on the place has a label; hits -- those before."""
        return self.is_fixed or self.alone[place] or self.near[place] & hits

    cdef inline bint tells(self, const Through* ship, Cells hits) noexcept nogil:
        """True if a hit on a placement has its label; hits -- those before."""
        return self.is_fixed or not ship.rest & ~hits

    cdef void count_afloat(self, const Part* part, int32_t* afloat) noexcept nogil:
        """Count the ships afloat by label, which are equal in all configurations of a part."""
        cdef const Block* block = part.block
        cdef int ship, i, bit, placement
        cdef int64_t word = 0
        cdef uint64_t mask = 1
        if part.mask != NULL:
            while not part.mask[word]:
                word += 1
            mask = part.mask[word]
        memset(afloat, 0, MAX_KINDS * sizeof(int32_t))
        for ship in range(self.ships):
            placement = 0
            for i in range(self.width[self.slot[ship].kind]):
                bit = self.slot[ship].shift + i
                if block.column[bit] >= 0:
                    placement |= ((block.data + block.column[bit] * block.words)[word] >> ctz(mask) & 1) << i
                else:
                    placement |= (block.same[bit >> 6] >> (bit & 63) & 1) << i
            self.add_if_afloat(ship, placement, part.shots.hits, afloat)

    cdef void count_afloat_words(self, const Words* words, uint64_t members, Cells hits,
                                 int32_t* afloat) noexcept nogil:
        """Count the ships afloat by label, as `count_afloat`, for configurations in one word."""
        cdef int ship, i, placement
        memset(afloat, 0, MAX_KINDS * sizeof(int32_t))
        for ship in range(self.ships):
            placement = 0
            for i in range(self.width[self.slot[ship].kind]):
                placement |= (words.bit[self.slot[ship].shift + i] >> ctz(members) & 1) << i
            self.add_if_afloat(ship, placement, hits, afloat)

    cdef inline void add_if_afloat(self, int ship, int number, Cells hits, int32_t* afloat) noexcept nogil:
        """Count a ship with this placement unless all of it is hit."""
        if self.placed[self.slot[ship].kind][number] & ~hits:
            afloat[self.slot[ship].label] += 1

    cdef bint shoot(self, const Part* part, int column, int64_t hit_count, Replies* replies) noexcept nogil:
        """Fill the parts after a shot at a column; False if there is no memory.

        hit_count -- the number of configurations of the part with the cell.
        """
        cdef const Block* block = part.block
        cdef int label, place = block.cell[column]
        cdef bint can_tell = self.can_tell(place, part.shots.hits)
        replies.masks = <uint64_t*>malloc(
            block.words * (2 + (self.label_count if can_tell else 0)) * sizeof(uint64_t))
        if replies.masks == NULL:
            return False
        split(part, column, hit_count, replies.masks, &replies.hit, &replies.missed)
        for label in range(self.label_count):
            replies.labelled[label].n = 0
        if can_tell:
            self.part_hit(part, place, replies)
        return True

    cdef void part_hit(self, const Part* part, int place, Replies* replies) noexcept nogil:
        """Split the configurations that a shot hits, `replies.hit`, by the label of the hit."""
        cdef const Block* block = part.block
        cdef const uint64_t* columns[MAX_EXTRAS]
        cdef uint64_t flip[MAX_EXTRAS]
        cdef uint64_t* hit = replies.masks
        cdef uint64_t* mask
        cdef const Through* ship
        cdef Part* labelled
        cdef int index, slot_index, label, i, bit, used_columns
        cdef uint64_t with_placement, bit_value
        cdef int64_t word
        for index in range(self.start[place], self.start[place + 1]):
            ship = &self.through[index]
            if not self.tells(ship, part.shots.hits):
                continue
            for slot_index in range(self.ships):
                if self.slot[slot_index].kind != ship.kind:
                    continue
                used_columns = 0
                for i in range(self.width[ship.kind]):
                    bit = self.slot[slot_index].shift + i
                    bit_value = ship.number >> i & 1
                    if block.column[bit] >= 0:
                        columns[used_columns] = block.data + block.column[bit] * block.words
                        flip[used_columns] = bit_value - 1
                        used_columns += 1
                    elif (block.same[bit >> 6] >> (bit & 63) & 1) != bit_value:
                        break
                else:
                    label = ship.label
                    labelled = &replies.labelled[label]
                    mask = hit + (2 + label) * block.words
                    if labelled.n == 0:
                        memset(mask, 0, block.words * sizeof(uint64_t))
                        labelled.block, labelled.mask, labelled.shots = part.block, mask, replies.hit.shots
                    for word in range(block.words):
                        with_placement = hit[word]
                        for bit in range(used_columns):
                            with_placement &= columns[bit][word] ^ flip[bit]
                        labelled.n += popcount(with_placement)
                        mask[word] |= with_placement
        for label in range(self.label_count):
            if replies.labelled[label].n:
                note_label(&replies.labelled[label].shots, place, label)
                replies.hit.n -= replies.labelled[label].n
                mask = hit + (2 + label) * block.words
                for word in range(block.words):
                    hit[word] &= ~mask[word]

    cdef uint64_t part_words(self, const Words* words, uint64_t hit, int place, Cells hits,
                             uint64_t* labelled) noexcept nogil:
        """Fill `labelled` with the configurations with each label; return those with any. All are bits.

        hit -- the configurations that the shot at a place hits. hits -- the cells hit before.
        """
        cdef const Through* ship
        cdef const uint64_t* bits
        cdef int index, slot_index, i
        cdef uint64_t with_placement, with_label = 0
        for index in range(self.label_count):
            labelled[index] = 0
        if not self.can_tell(place, hits):
            return 0
        for index in range(self.start[place], self.start[place + 1]):
            ship = &self.through[index]
            if not self.tells(ship, hits):
                continue
            for slot_index in range(self.ships):
                if self.slot[slot_index].kind != ship.kind:
                    continue
                with_placement = hit
                bits = words.bit + self.slot[slot_index].shift
                for i in range(self.width[ship.kind]):
                    with_placement &= bits[i] ^ (<uint64_t>(ship.number >> i & 1) - 1)
                labelled[ship.label] |= with_placement
                with_label |= with_placement
        return with_label

    cdef bint is_alike(self, uint64_t members, uint64_t hit, const uint64_t* labelled) noexcept nogil:
        """True if all members give one reply to a certain hit.

        hit -- those whose hit has no label. labelled -- for each label those whose hit has it.
        """
        cdef int label
        if hit:
            return hit == members
        for label in range(self.label_count):
            if labelled[label]:
                return labelled[label] == members
        return True


cdef void note_label(Shots* shots, int place, int label) noexcept nogil:
    """Add a label to `heard`; the place is already among the hits.

    Hits, misses and labels together determine the configurations left, whatever the order of the labels:
    each ship of a configuration within the hits sank once, at one of its places, with all its cells among
    the hits so far.
    """
    shots.heard += scramble(
        <uint64_t>(label << 8 | place) ^ scramble(low(shots.hits) ^ scramble(high(shots.hits))))
