# A family as the search holds it: one block of memory, divided by `new_node`.

from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t

from cells cimport Cells
from optsearch.compiled.search._identities cimport Identity
from optsearch.compiled.search._table cimport Key

cdef enum:
    PRICE_OF_MISS = 1 << 12    # units of a price per miss
    PRICED = 512               # sets up to which a family can have prices
    MAX_CODES = 65             # replies with a hit: a hit, and one for each of at most 64 labels

cdef enum:                     # the information in a hit
    NOTHING = 0
    LABELS = 1                 # the label of its ship
    SINKINGS = 2               # the label of its ship, if that has no other cell left


cdef struct Candidate:
    int64_t bound              # no strategy that shoots this cell first costs less
    int64_t bound_missed, price
    int cell                   # column of the cell


cdef struct Ships:             # of the sets of a family whose hits tell something; see _ships
    int s                      # ships of each set
    bint apart                 # True if no two sets have equal cells, which then holds for all parts
    int groups                 # groups of sets with equal cells
    int ships_of_code[MAX_CODES]
    int64_t ways[MAX_CODES + 1]  # see _sequences
    unsigned char* label       # [s] of each ship, falling
    unsigned char* code        # [s] of the reply that names its label
    Cells* masks               # [n * s] the cells of each ship
    int32_t* grouped           # [n + 1] entry i: the number of sets in the i largest groups
    int32_t* after             # [m + 1] the most sets finished within s misses after a hit
    int32_t* spread            # [m + 1] see _sides; with LABELS
    int32_t* least             # [m * codes] likewise
    bint has_sides             # True if these two are filled
    unsigned char* is_told     # [m] True if all ships on a cell have one label, which no other has


cdef struct Node:              # one family with its counts; a single block of memory
    int n                      # sets
    int m                      # different undecided cells; 0 before there are columns
    int width                  # words of a column
    int hits                   # cells of the largest set
    int budget
    bint exact                 # True if `lower` is the optimum
    bint listed                # True once the candidates are listed
    bint on_word               # True if searched as subsets of one machine word
    bint priced                # True once the prices are set
    bint former                # its weights are former ones, by which other weights are bounded
    bint whole                 # keep every cell: no merging, no domination
    int kind                   # NOTHING, LABELS or SINKINGS
    int codes                  # replies with a hit
    int shots_n
    int64_t weight
    int64_t lower              # the optimum is at least this
    Cells* rows                # [n] the sets, without stripped and merged cells
    int64_t* weights           # [n] falling, or NULL when all are 1
    int32_t* place             # [n] their indices in the search, or NULL likewise
    int64_t* light             # [n + 1] total weight of the i lightest sets, or NULL likewise
    int32_t* prices            # [n] see _chain; NULL with many sets or with weights
    uint64_t* columns          # [m * width] the sets with each cell
    int64_t* weight_hit        # [m]
    int32_t* count             # [m]
    int32_t* pair              # [m * m] the number of sets with both of two cells
    uint64_t* replies          # [m * codes * width] the sets with each reply; `columns` if codes is 1
    int32_t* part_pair         # [m * codes * m] `pair` of those sets alone; `pair` if codes is 1
    int64_t* part_bound        # [m * codes] a bound on their cost, once the shots are listed
    Candidate* shots           # [m]
    uint8_t* cell              # [m] the bit of each column
    Ships ships                # if kind is not NOTHING
    Identity identity          # zeros if it is not looked up by that
    Key key                    # normal form; its bytes are NULL if it has none


cdef Node* new_node(int n, int cells, int budget, bint weighted, int kind=*,
                    int s=*) except NULL nogil
cdef void free_node(Node* node) noexcept nogil
cdef Node* take_part(const Node* node, int c, int code) except NULL nogil
cdef void count_cells(Node* node, bint merging) noexcept nogil
cdef void count_pairs(Node* node) noexcept nogil
cdef int greatest_count(const Node* node) noexcept nogil
cdef int ascending_cells(const void* a, const void* b) noexcept nogil

cdef inline uint64_t chosen_of(const Node* node, int c, int code, int w) noexcept nogil:
    """Return the sets of word w that give a reply, as bits; the code after those of hits is a miss."""
    cdef uint64_t column
    if code < node.codes:
        return node.replies[(c * node.codes + code) * node.width + w]
    column = node.columns[c * node.width + w]
    if w < node.width - 1 or node.n % 64 == 0:
        return ~column
    return ~column & ((<uint64_t>1 << (node.n % 64)) - 1)

cdef inline int part_size(const Node* node, int c, int code) noexcept nogil:
    """Count the sets that give a reply; pairs must be counted unless there is one reply with a hit."""
    if code == node.codes:
        return node.n - node.count[c]
    return node.count[c] if node.codes == 1 else node.part_pair[(c * node.codes + code) * node.m + c]
