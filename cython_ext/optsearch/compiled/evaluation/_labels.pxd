# The labels of hits, and the parts after a shot.

from libc.stdint cimport int16_t, int32_t, int64_t, uint64_t

from cells cimport MAX_CELLS, Cells
from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.evaluation._block cimport Part, Words
from optsearch.compiled.counting._enumerate cimport MAX_CODED, MAX_KINDS


cdef enum:
    MAX_LABELS = 64            # of the labels of one cell
    UNLABELLED = -1            # the number of no label


cdef struct Through:           # a placement through a cell
    Cells rest                 # its other cells
    int kind
    int number
    int label                  # of a hit there


cdef struct Slot:              # a ship of the fleet
    int kind
    int shift                  # of its number in the code
    int label                  # of its sinking


cdef struct Replies:           # the parts after a shot by reply; free the masks
    Part missed
    Part hit                   # without a label
    Part labelled[MAX_LABELS]
    uint64_t* masks


cdef class Labels:
    cdef Arena arena
    cdef int cells, ships, kinds
    cdef bint is_fixed                   # True if every hit has a label; else only the hit that sinks
    cdef bint by_cell                    # True if labels depend on the placement and the cell
    cdef int code_bits                       # bits of a code
    cdef int label_count                     # different labels; 0 if hits have none
    cdef Slot slot[MAX_CODED]
    cdef int width[MAX_KINDS]            # bits of a number
    cdef int placements[MAX_KINDS]
    cdef Cells* placed[MAX_KINDS]        # by number; bit i: place i in the order
    cdef int16_t* label[MAX_KINDS]       # by_cell: by number and place, the number of the label
    cdef Through* through                # of the placements through place p, from start[p] on
    cdef int start[MAX_CELLS + 1]
    cdef Cells near[MAX_CELLS]           # each ship of two or more cells through the place has one of these
    cdef bint alone[MAX_CELLS]           # True if a ship of one cell can be on the place
    cdef int take_kind(self, int t, int width, const uint64_t[:, ::1] masks, order) except -1
    cdef int take_labels(self, int t, const int16_t[:, ::1] numbers, order) except -1
    cdef int list_through(self) except -1
    cdef bint can_tell(self, int place, Cells hits) noexcept nogil
    cdef bint tells(self, const Through* ship, Cells hits) noexcept nogil
    cdef bint shoot(self, const Part* part, int column, int64_t hit_count, Replies* replies) noexcept nogil
    cdef void part_hit(self, const Part* part, int place, Replies* replies) noexcept nogil
    cdef uint64_t part_words(self, const Words* words, uint64_t hit, int place, Cells hits,
                             uint64_t* labelled) noexcept nogil
    cdef bint is_alike(self, uint64_t members, uint64_t hit, const uint64_t* labelled) noexcept nogil
    cdef void count_afloat(self, const Part* part, int32_t* afloat) noexcept nogil
    cdef void count_afloat_words(self, const Words* words, uint64_t members, Cells hits,
                                 int32_t* afloat) noexcept nogil
    cdef void add_if_afloat(self, int ship, int number, Cells hits, int32_t* afloat) noexcept nogil
