# A family of sets as the search holds it: one block of memory, which its part makes of it.

from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t

from cells cimport Cells
from optsearch.compiled._identities cimport Identity
from optsearch.compiled._table cimport Key

cdef enum:
    PRICE_OF_MISS = 1 << 12    # so many of a price are one miss
    PRICED = 512               # sets up to which a family can have prices


cdef struct Candidate:
    int64_t bound              # no strategy that shoots this cell first costs less
    int64_t bound_hit, bound_missed, price
    int cell, n_hit            # column of the cell; how many sets have it


cdef struct Node:              # one family, taken stock of; a single block of memory
    int n                      # sets
    int m                      # different undecided cells; 0 before there are columns
    int width                  # words of a column
    int hits                   # cells of the largest set
    int budget
    bint exact                 # whether `lower` is the optimum
    bint listed                # whether the candidates are there
    bint on_word               # searched as subsets of one machine word
    bint priced                # whether the prices are there
    bint former                # its weights are those of another time, by which others are bounded
    bint whole                 # keep every cell: no merging, no domination, no forced shot
    int shots_n
    int64_t weight
    int64_t lower              # the optimum is at least this
    Cells* rows                # [n] the sets, less what was stripped and merged
    int64_t* weights           # [n] falling, or NULL when all are 1
    int32_t* place             # [n] which sets of the search they are, or NULL likewise
    int64_t* light             # [n + 1] total weight of the i lightest sets, or NULL likewise
    int32_t* prices            # [n] see _chain; NULL where there are many sets, or weights
    uint64_t* columns          # [m * width] which sets have a cell
    int64_t* weight_hit        # [m]
    int32_t* count             # [m]
    int32_t* pair              # [m * m] in how many sets two cells are together
    Candidate* shots           # [m]
    uint8_t* cell              # [m] the bit of each column
    Identity identity          # zeros where it is not looked up by that
    Key key                    # normal form; its bytes are NULL where there is none


cdef Node* new_node(int n, int cells, int budget, bint weighted) except NULL nogil
cdef void free_node(Node* node) noexcept nogil
cdef Node* take_part(const Node* node, int c, bint hit) except NULL nogil
cdef void take_stock(Node* node, bint merging) noexcept nogil
cdef void count_pairs(Node* node) noexcept nogil
cdef int greatest_count(const Node* node) noexcept nogil
cdef int ascending_cells(const void* a, const void* b) noexcept nogil

cdef inline uint64_t chosen_of(const Node* node, int c, bint hit, int w) noexcept nogil:
    """Which of the 64 sets of a word have a cell, or do not."""
    cdef uint64_t column = node.columns[c * node.width + w]
    if hit:
        return column
    if w < node.width - 1 or node.n % 64 == 0:
        return ~column
    return ~column & ((<uint64_t>1 << (node.n % 64)) - 1)
