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


cdef struct Candidate:         # a cell that may be shot first
    int64_t bound              # no strategy that shoots this cell first costs less
    int64_t bound_missed, price
    int cell                   # its index in the family


cdef struct Ships:             # of the sets of a family whose hits tell something; see _ships
    int per_set                # ships of each set
    bint has_distinct_cells    # True if no two sets have equal cells, which then holds for all parts
    int group_count            # groups of sets with equal cells
    int ships_of_reply[MAX_CODES]
    int64_t sequences[MAX_CODES + 1]  # see _sequences
    unsigned char* label       # [per_set] of each ship, falling
    unsigned char* reply       # [per_set] the reply that names its label
    Cells* masks               # [set_count * per_set] the cells of each ship
    int32_t* largest_groups    # [set_count + 1] entry i: the number of sets in the i largest groups
    int32_t* finished_after_hit  # [cell_count + 1] the most sets finished within that many misses after a hit
    int32_t* finished_by_sides  # [cell_count + 1] see _sides; with LABELS
    int32_t* misses_by_sides   # [cell_count * hit_replies] likewise
    bint has_sides             # True if these two are filled
    unsigned char* identifies_ship  # [cell_count] True if all ships there have a label that one ship has


cdef struct Node:              # one family with its counts; a single block of memory
    int set_count
    int cell_count             # different undecided cells; 0 before there are columns
    int column_words           # words of a column
    int max_hits               # cells of the largest set
    int budget
    bint exact                 # True if `lower` is the optimum
    bint has_shot_list         # True once the candidates are listed
    bint uses_word_search      # True if searched as subsets of one machine word
    bint has_prices            # True once the prices are set
    bint has_former_weights    # True if its weights are former ones, by which others are bounded
    bint keeps_all_cells       # True if no cell is merged or dominated
    int reply_kind             # NOTHING, LABELS or SINKINGS
    int hit_replies            # different replies with a hit; a miss is the reply of that number
    int shot_count
    int64_t weight
    int64_t lower              # the optimum is at least this
    Cells* set_cells           # [set_count] of each set, without cells left out or merged
    int64_t* weights           # [set_count] falling, or NULL when all are 1
    int32_t* search_index      # [set_count] of each set, or NULL likewise
    int64_t* lightest_sums     # [set_count + 1] total weight of the i lightest sets, or NULL likewise
    int32_t* prices            # [set_count] see _chain; NULL with many sets or with weights
    uint64_t* columns          # [cell_count * column_words] the sets with each cell
    int64_t* weight_hit        # [cell_count] of the sets with each cell
    int32_t* cell_counts       # [cell_count] sets with each cell
    int32_t* pair_counts       # [cell_count ** 2] sets with both of two cells
    # With one hit reply, the next two are `columns` and `pair_counts`.
    uint64_t* reply_columns    # [cell_count * hit_replies * column_words] the sets with each reply
    int32_t* reply_pair_counts  # [cell_count * hit_replies * cell_count] `pair_counts` of those alone
    int64_t* reply_bounds      # [cell_count * hit_replies] bounds on their cost, once the shots are listed
    Candidate* shots           # [cell_count]
    uint8_t* grid_cell         # [cell_count] the bit of each cell
    Ships ships                # if reply_kind is not NOTHING
    Identity identity          # zeros if it is not looked up by that
    Key key                    # normal form; its bytes are NULL if it has none


cdef Node* new_node(int set_count, int max_cells, int budget, bint is_weighted, int reply_kind=*,
                    int ships_per_set=*) except NULL nogil
cdef void free_node(Node* node) noexcept nogil
cdef Node* take_part(const Node* node, int cell, int reply) except NULL nogil
cdef void count_cells(Node* node, bint merging) noexcept nogil
cdef void count_pairs(Node* node) noexcept nogil
cdef int most_frequent_cell(const Node* node) noexcept nogil
cdef int greatest_count(const Node* node) noexcept nogil

cdef inline int compare_cells(const void* a, const void* b) noexcept nogil:
    """Compare two sets of cells for qsort, the smaller number first."""
    cdef Cells x = (<const Cells*>a)[0], y = (<const Cells*>b)[0]
    return (x > y) - (x < y)

cdef inline uint64_t sets_with_reply(const Node* node, int cell, int reply, int word) noexcept nogil:
    """Return the sets of one word that give a reply, as bits; the reply after those with a hit is a miss."""
    cdef uint64_t column
    if reply < node.hit_replies:
        return node.reply_columns[(cell * node.hit_replies + reply) * node.column_words + word]
    column = node.columns[cell * node.column_words + word]
    if word < node.column_words - 1 or node.set_count % 64 == 0:
        return ~column
    return ~column & ((<uint64_t>1 << (node.set_count % 64)) - 1)

cdef inline int part_size(const Node* node, int cell, int reply) noexcept nogil:
    """Count the sets that give a reply; pairs must be counted unless there is one reply with a hit."""
    if reply == node.hit_replies:
        return node.set_count - node.cell_counts[cell]
    if node.hit_replies == 1:
        return node.cell_counts[cell]
    return node.reply_pair_counts[(cell * node.hit_replies + reply) * node.cell_count + cell]
