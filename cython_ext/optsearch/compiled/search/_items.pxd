# The sets of a search, and families of them.

from libc.stdint cimport int32_t, int64_t, uint64_t

from cells cimport MAX_CELLS, Cells
from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.search._family cimport Node

cdef class Items:
    cdef Arena arena
    cdef int set_count, cells
    cdef int reply_kind        # NOTHING, LABELS or SINKINGS
    cdef int ships_per_set
    cdef int max_hits          # the most cells of a set
    cdef bint is_mean
    cdef bint weighted         # True if not all weights are 1
    cdef bint uneven           # True if sets may differ in the number of cells with a label
    cdef bint is_antichain     # True if no set contains another
    cdef Cells* sets
    cdef Cells* masks          # [set_count * ships_per_set] unless NOTHING
    cdef unsigned char labels[MAX_CELLS]  # of the ships of each set
    cdef int64_t* weights
    cdef int64_t* former_weights  # or NULL
    cdef object order, rank    # if weighted: the sets by falling weight, and their ranks
    cdef take_ships(self, const uint64_t[:, :, ::1] items, labels)
    cdef weigh(self, const int64_t[::1] weights)
    cdef keep_former_weights(self)
    cdef bint is_sparse(self) noexcept nogil
    cdef check_sets(self, const uint64_t[:, ::1] sets)
    cdef Node* make_node(self, const int32_t[::1] family, int budget, hit_mask) except NULL
    cdef Node* make_node_of_ships(self, const int32_t[::1] family, int budget, hit_mask) except NULL
    cdef int take_ships_left(self, int set_index, Cells hit, Cells* ships, unsigned char* labels) noexcept
