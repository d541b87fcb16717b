# The optimum of a few configurations, sinkings announced.

from libc.stdint cimport int16_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from cells cimport MAX_CELLS, Cells
from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.evaluation._block cimport Words
from optsearch.compiled.counting._enumerate cimport MAX_CODED
from optsearch.compiled.evaluation._labels cimport Labels
from optsearch.compiled.evaluation._walk cimport MAX_ENDGAME


cdef struct Value:             # of a state
    Cells hits
    uint32_t part
    uint32_t stamp
    int value


cdef class AnnouncedEndgame:
    cdef Arena arena
    cdef Labels labels
    cdef int n                 # configurations
    cdef int followed          # the configuration to follow, or -1
    cdef Cells cells[MAX_ENDGAME]  # those not hit at the start
    cdef int ships             # ships that are not equal in all configurations
    cdef int label[MAX_CODED]
    cdef Cells ship[MAX_ENDGAME][MAX_CODED]    # cells not hit at the start
    cdef uint8_t owner[MAX_ENDGAME][MAX_CELLS]    # the ship on a cell
    cdef int16_t told[MAX_ENDGAME][MAX_CELLS]     # the label of a hit there, if it depends on the cell
    cdef uint16_t owners[MAX_CELLS]               # the configurations with a cell, as bits
    cdef uint8_t least[1 << MAX_ENDGAME]
    cdef uint32_t now
    cdef Value* memo
    cdef int misses(self, const Words* words, uint64_t members, int n, Cells hits) noexcept nogil
    cdef void add_leaves(self, const Words* words, uint64_t members, int n, Cells hits, uint64_t followed,
                         int64_t* histogram) noexcept nogil
    cdef void begin(self, const Words* words, uint64_t members, int n, Cells hits) noexcept nogil
    cdef void note_labels(self, int configuration, int kind, int placement, Cells ship) noexcept nogil
    cdef void fill_bounds(self) noexcept nogil
    cdef bint pair_needs_miss(self, int i, int j, Cells hits) noexcept nogil
    cdef bint has_own_ship(self, int i, int j, Cells common, Cells hits) noexcept nogil
    cdef int least_misses(self, int part, Cells hits) noexcept nogil
    cdef int bound_of(self, int part, int cell) noexcept nogil
    cdef int find_shot(self, int part, Cells hits, int* cell) noexcept nogil
    cdef int split(self, int part, Cells hits, int cell, int* parts) noexcept nogil
    cdef int cost(self, int part, Cells hits, int cell, int limit) noexcept nogil
    cdef void add_tree(self, int part, Cells hits, int64_t* histogram) noexcept nogil
