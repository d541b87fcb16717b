# A family as columns of bits: blocks, parts of them, and words of at most 64 configurations.

from libc.stdint cimport int16_t, int64_t, uint8_t, uint64_t

from cells cimport MAX_CELLS, Cells, high, join, low, popcount
from columns cimport deposit
from optsearch.compiled.counting._enumerate cimport MAX_CODE_WORDS

cdef enum:
    EXTRA_WORDS = MAX_CODE_WORDS
    MAX_EXTRAS = 64 * MAX_CODE_WORDS   # arrays have room for one more
    WORD = 64                  # the most configurations of a word


cdef struct Block:             # a family as columns
    int64_t n                  # configurations
    int64_t words              # of a column
    int cells                  # columns that are cells, in the order of ties
    int hashes                 # columns after them: the lowest bits of the configurations' hashes
    int extras                 # extra bits of each configuration
    Cells certain              # places without a column because all configurations have them
    uint8_t cell[MAX_CELLS]    # of the columns: places in the order, ascending
    Cells places               # the set of these places
    int16_t column[MAX_EXTRAS + 1]     # of each extra bit; -1 if it is equal in all configurations
    uint64_t same[EXTRA_WORDS + 1]     # the values of the bits without a column
    uint64_t* data             # column i at data + i * words; bits past n are 0


cdef struct Shots:             # bit i: place i in the order
    Cells hits
    Cells misses
    uint64_t heard             # a hash of the sinkings: ship, last hit, and the hits by then


cdef struct Part:              # a subset of the configurations of a block, and the shots that led to it
    Block* block
    const uint64_t* mask       # NULL: all
    int64_t n
    Shots shots


cdef struct Counts:            # the numbers of configurations of a part with each cell
    int64_t n                  # configurations
    int64_t with_cell[MAX_CELLS]  # by column; 0 if it is hit and `has_labels`
    int greatest               # the first most probable uncertain column; -1: none
    int left                   # uncertain cells of a configuration (on average, rounded)
    uint64_t some[2]           # by `count`: bit i of the two words is 1 if any configuration has column i
    uint64_t all[2]            # likewise if all configurations have it


cdef struct Words:             # a family of at most 64 configurations
    int cells
    Cells certain              # places without a column because all have them
    Cells places               # those of the columns
    uint64_t stamp             # of its entries in memos
    int shift                  # each configuration represents 2^shift of them
    uint8_t cell[MAX_CELLS]    # of the columns: places in the order
    uint64_t column[MAX_CELLS]  # 0 past the cells up to a multiple of 4
    uint64_t bit[MAX_EXTRAS + 1]       # a column for each extra bit
    uint64_t extra[EXTRA_WORDS][WORD]   # the extra bits of each configuration


cdef inline uint64_t ones(int64_t n) noexcept nogil:
    """Return a word with the lowest n bits set, n up to 64."""
    return ~<uint64_t>0 if n == 64 else (<uint64_t>1 << n) - 1


cdef inline Cells places(const Block* b, const uint64_t* columns) noexcept nogil:
    """Return the places of a set of columns of a block; bit i of the two words is column i."""
    cdef uint64_t first = low(b.places)
    cdef int k = popcount(first)
    cdef uint64_t rest = columns[0] >> k | columns[1] << (64 - k) if 0 < k < 64 else columns[k == 64]
    return join(deposit(columns[0], first), deposit(rest, high(b.places)))


cdef Block* new_block(int64_t n, int cells, int hashes, int extras) noexcept nogil
cdef void free_block(Block* b) noexcept nogil
cdef Block* compress(const Part* part, const uint8_t* columns, int cells, int hashes) noexcept nogil
cdef int count(const Part* part, bint has_labels, Counts* counts) noexcept nogil
cdef int count_rest(const Counts* all, const Counts* some, int cells, Counts* rest) noexcept nogil
cdef void split(const Part* part, int column, int64_t hit_count, uint64_t* hit_mask, Part* hit,
                Part* missed) noexcept nogil
cdef int64_t draw(const Part* part, int64_t most, uint64_t* sample_mask, int* shift) noexcept nogil
cdef bint lies_under(const Part* part, int column, int other_column) noexcept nogil
cdef bint has_extra(const Part* part, int bit) noexcept nogil
cdef int64_t sum_of_extras(const Part* part, int bits) noexcept nogil
cdef void gather(const Part* part, bint has_labels, int by_row, Words* words) noexcept nogil
