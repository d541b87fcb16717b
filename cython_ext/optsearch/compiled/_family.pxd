# A family as the search holds it: one block of memory, which its part makes of it.

from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t

from cells cimport Cells
from optsearch.compiled._identities cimport Identity
from optsearch.compiled._table cimport Key

cdef enum:
    PRICE_OF_MISS = 1 << 12    # so many of a price are one miss
    PRICED = 512               # sets up to which a family can have prices
    MAX_CODES = 65             # replies with a hit: a hit, and one for each of at most 64 labels

cdef enum:                     # what a hit tells
    NOTHING = 0
    LABELS = 1                 # the label of its ship
    SINKINGS = 2               # the label of its ship, if that has no other cell left


cdef struct Candidate:
    int64_t bound              # no strategy that shoots this cell first costs less
    int64_t bound_missed, price
    int cell                   # column of the cell


cdef struct Ships:             # of the sets of a family whose hits tell something; see _ships
    int s                      # ships of each set
    bint apart                 # no two sets have the same cells, nor will parts of them
    int groups                 # of sets with the same cells
    int ships_of_code[MAX_CODES]
    int64_t ways[MAX_CODES + 1]  # see _sequences
    unsigned char* label       # [s] of each ship, falling
    unsigned char* code        # [s] of the reply that names its label
    Cells* masks               # [n * s] the cells of each ship
    int32_t* grouped           # [n + 1] sets in the so many largest groups
    int32_t* after             # [m + 1] the most sets finished within s misses after a hit
    int32_t* spread            # [m + 1] and
    int32_t* least             # [m * codes] see _sides; where LABELS
    bint has_sides             # whether they are filled
    unsigned char* is_told     # [m] whether all ships on a cell have one label, which no other has


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
    int kind                   # NOTHING, LABELS or SINKINGS
    int codes                  # replies with a hit
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
    uint64_t* replies          # [m * codes * width] which sets give a reply; `columns` if they are one
    int32_t* part_pair         # [m * codes * m] `pair` of those alone; `pair` if they are one
    int64_t* part_bound        # [m * codes] what those cost at least, once the shots are listed
    Candidate* shots           # [m]
    uint8_t* cell              # [m] the bit of each column
    Ships ships                # where kind is not NOTHING
    Identity identity          # zeros where it is not looked up by that
    Key key                    # normal form; its bytes are NULL where there is none


cdef Node* new_node(int n, int cells, int budget, bint weighted, int kind=*,
                    int s=*) except NULL nogil
cdef void free_node(Node* node) noexcept nogil
cdef Node* take_part(const Node* node, int c, int code) except NULL nogil
cdef void count_cells(Node* node, bint merging) noexcept nogil
cdef void count_pairs(Node* node) noexcept nogil
cdef int greatest_count(const Node* node) noexcept nogil
cdef int ascending_cells(const void* a, const void* b) noexcept nogil

cdef inline uint64_t chosen_of(const Node* node, int c, int code, int w) noexcept nogil:
    """Which of the 64 sets of a word give a reply; the code after those of hits is that of a miss."""
    cdef uint64_t column
    if code < node.codes:
        return node.replies[(c * node.codes + code) * node.width + w]
    column = node.columns[c * node.width + w]
    if w < node.width - 1 or node.n % 64 == 0:
        return ~column
    return ~column & ((<uint64_t>1 << (node.n % 64)) - 1)

cdef inline int part_size(const Node* node, int c, int code) noexcept nogil:
    """How many sets give a reply; pairs are counted, or there is one reply with a hit."""
    if code == node.codes:
        return node.n - node.count[c]
    return node.count[c] if node.codes == 1 else node.part_pair[(c * node.codes + code) * node.m + c]
