# The items that replies leave where sinkings are announced, taken stock of, and their parts.

from libc.stdint cimport int32_t, int64_t, uint64_t

from arena cimport Arena
from cells cimport MAX_CELLS, Cells, low

cdef enum:
    MAX_CODES = 17             # hit, and sunk for each of at most 15 different lengths
    MISSED = -1                # the part of a shot that no reply code names
    NO_BUDGET = 1 << 20


cdef struct State:
    Cells* items               # a row an item: its weight, then its ships; heaviest first
    int n, s, k                # items, ships of each, cells of each
    int budget                 # NO_BUDGET: none
    bint apart                 # no two items have the same cells, so no two parts of them merge
    unsigned char labels[MAX_CELLS]    # of the ships, falling; ships of one label ascend as numbers


cdef struct Stock:             # what one look at all items of a state tells
    Cells some, every          # cells in some and in all items
    int64_t weight
    int cells, codes, times    # cells in some items; replies with a hit; misses looked ahead
    int cell[MAX_CELLS]        # the cells
    int index[MAX_CELLS]       # and back
    int code[MAX_CELLS]        # of sinking each ship: 1 + rank of its label
    int ships_of_code[MAX_CODES]
    uint64_t* cell_labels      # [cell] the ranks of the labels of the ships on it, as bits
    int64_t* total             # [cell] weight that has it
    int64_t* part              # [cell * codes + code] weight of a part
    int32_t* part_items        # [cell * codes + code]
    int64_t* part_bound        # [cell * codes + code]
    int64_t* pair              # [(cell * codes + code) * cells + other] weight of a part with other
    int groups
    int64_t* heaviest          # [m] weight of the m heaviest groups
    int64_t* after             # [(kind) * times + m] B(m): kind 0 the state, 1 + code a part
    int64_t* leaves            # [(kind) * times + t] leaf counting's A(t)
    int64_t* profile           # [t] scratch
    int64_t* profile_sum       # [t] scratch
    int64_t* best              # [t] scratch
    int64_t* sorted            # [cell] scratch
    int64_t* rest              # [cell] scratch


cdef inline int64_t weight_of(const Cells* item) noexcept nogil:
    return <int64_t>low(item[0])


cdef inline Cells cells_of(const Cells* item, int s) noexcept nogil:
    cdef Cells cells = 0
    cdef int i
    for i in range(1, s + 1):
        cells |= item[i]
    return cells


cdef int merge(State* state, Arena* arena) except -1 nogil
cdef int take_part(const State* state, int cell, int code, int label, int n,
                   State* part, Arena* arena) except -1 nogil
cdef void strip(State* state) noexcept nogil
cdef void order_ships(Cells* item, const unsigned char* labels, int s) noexcept nogil
cdef void sort_by_label(Cells* item, unsigned char* labels, int s) noexcept nogil
cdef int take_stock(const State* state, Stock* stock, Arena* arena) except -1 nogil
