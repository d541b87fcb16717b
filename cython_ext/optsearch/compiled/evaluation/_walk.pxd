# A decision tree walked over families: its input and output, and the choice of shots by rollouts.

from libc.stdint cimport int32_t, int64_t, uint64_t

from cells cimport MAX_CELLS, Cells, high, low
from columns cimport leading_one, mix_cells
from optsearch.compiled.shared._arena cimport Arena
from optsearch.compiled.evaluation._block cimport EXTRA_WORDS, Block, Counts, Part, Shots, Words
from optsearch.compiled.evaluation._labels cimport Labels
from optsearch.compiled.strategies._score cimport ScoreInput, Score

cpdef enum:
    MAX_HASHES = 24            # bits of the hash that samples can use
    MAX_ENDGAME = 10           # configurations up to which the optimum is searched
    MAX_CANDIDATES = 32
    MIN_SAMPLE = 64            # configurations, so that a word of them is not sampled
    MAX_SAMPLE = 1 << 20
    SMALL = 4                  # endgame of the greedy that rolls out
    BUCKETS = 128              # of the estimates: four per octave of configurations
    UNIT = 4096                # of estimated misses
    MAX_LEVELS = 4             # of nesting, greedy not counted

cdef enum:
    INNER = MAX_LEVELS + 1     # the level of nested rollouts on samples
    KNOWN = 1 << 13            # cached rollouts of parts of about one size
    FORGOTTEN = 16             # configurations up to which rollouts are not cached: they are quick
    SIZES = 21                 # of parts: from each power of two to the next, up to MAX_SAMPLE
    MODES = 1 + MAX_HASHES     # of each level


cdef struct Level:             # a policy whose misses compare candidates; level 0 is greedy
    int floor                  # configurations up to which it is the level below
    int candidates             # the number that it compares in a larger part, by the levels below
    int below                  # the number of the level below
    int64_t margin             # units per configuration that a candidate may be above the cheapest
    int kept                   # the most such candidates that the level above compares


cdef struct Rule:              # the numbers of a rule, explained in the docstring of _walk.pyx
    int candidates, percent, endgame, screen, finalists, cap, truncate
    int64_t compare_above, compare_up_to  # the numbers of configurations between which rollouts compare
    int64_t above              # of nested rollouts
    int second
    int64_t until              # configurations up to which the levels compare
    int levels                 # the highest of them
    Level level[MAX_LEVELS + 2]


cdef struct Candidates:        # the cells to compare
    int n
    int column[MAX_CANDIDATES]
    int64_t cost[MAX_CANDIDATES]


cdef struct Costing:           # the terms by which a shot is costed
    int shift                  # each configuration represents 2^shift of them
    int level                  # the level whose misses count


cdef struct Known:             # cached misses of a level in a part
    Shots shots                # a name of the part; see `entry_of` of _evaluate.pyx
    int64_t cost
    int mode                   # 0: an empty entry; 1 + shift + MODES * level


cdef inline uint64_t place_of(const Known* name, int64_t n) noexcept nogil:
    """Return the index in the table of rollouts for n configurations with a name."""
    cdef const Shots* shots = &name.shots
    return ((mix_cells(low(shots.hits) ^ mix_cells(low(shots.misses), high(shots.misses)),
                       high(shots.hits) + shots.heard + <uint64_t>name.mode) & (KNOWN - 1))
            + KNOWN * <uint64_t>min(leading_one(n), SIZES - 1))


cdef inline bint is_known(const Known* entry, const Known* name) noexcept nogil:
    return (entry.mode == name.mode and entry.shots.hits == name.shots.hits
            and entry.shots.misses == name.shots.misses and entry.shots.heard == name.shots.heard)


cdef class EvaluatorBase:
    cdef Arena arena
    cdef Rule rule
    cdef object scorers        # the owners of the scores
    cdef Score* score          # chooses the shot, unless NULL
    cdef Score* ranker         # ranks the candidates, unless NULL
    cdef Score* policy         # chooses the shots of rollouts, unless NULL
    cdef Labels labels         # of hits
    cdef bint has_labels       # True if a certain hit can give information
    cdef bint tracks           # True if choices depend on the shots, not only on the configurations left
    cdef int cells
    cdef int order[MAX_CELLS]
    cdef const int32_t[:, ::1] estimates
    cdef int extras            # extra bits of each configuration: its code, or its weight
    cdef int by_row            # bits of the code that are gathered by configuration
    cdef int weight_bits       # of the weights, which the histogram counts
    cdef bint following        # True adds an extra bit, which only the configuration followed has
    cdef Known* known          # cached rollouts
    cdef Block* root
    cdef Shots shots           # before the root
    cdef int64_t added
    cdef uint64_t pending[2 + EXTRA_WORDS][64]
    cdef int64_t histogram[MAX_CELLS + 1]
    cdef uint64_t stamp        # of the last words
    cdef bint stopped, failed
    cdef int take_levels(self, rule) except -1
    cdef Cells placed(self, mask)
    cdef void flush(self) noexcept nogil
    cdef int walk_all(self) except -1
    # Implemented by the subclass:
    cdef void walk(self, const Part* part) noexcept nogil
    cdef int64_t cost(self, const Part* part, int column, const Counts* counts,
                      const Costing* costing, int64_t limit) noexcept nogil
    # For parts of families:
    cdef bint compares(self, int64_t n) noexcept nogil
    cdef bint asks(self, int64_t n) noexcept nogil
    cdef int ask_part(self, Score* score, const Part* part, const Counts* counts,
                      int shift) noexcept nogil
    cdef void rank_part(self, const Part* part, const Counts* counts, int shift,
                        double* values) noexcept nogil
    cdef void describe(self, Score* score, const Part* part, const Counts* counts, int shift,
                       ScoreInput* score_input) noexcept nogil
    cdef void describe_labels(self, Score* score, const Part* part, const Counts* counts,
                              int shift) noexcept nogil
    cdef int misses(self, const Part* part) noexcept nogil
    cdef bint is_over(self, const Part* part) noexcept nogil
    cdef int hashes_needed(self, int64_t n) noexcept nogil
    cdef bint keeps(self, const Part* part, const Counts* counts, int column) noexcept nogil
    cdef bint move(self, const Part* part, const Counts* before, Part* moved) noexcept nogil
    cdef uint64_t* allocate_masks(self, const Part* part) noexcept nogil
    cdef uint64_t words_of(self, const Part* part, int shift, Words* words) noexcept nogil
    cdef int rollout(self, const Part* part, const Counts* counts) noexcept nogil
    cdef void choose(self, const Part* under, int cells, const Counts* counts, const double* values,
                     int number, Candidates* chosen) noexcept nogil
    cdef int compare(self, const Part* part, int64_t most, Candidates* chosen, int level,
                     bint giving_up) noexcept nogil
    cdef int narrow(self, const Part* part, const Counts* counts, int shift, Candidates* chosen,
                    int last) noexcept nogil
    cdef int64_t estimate(self, int64_t n, int left, int shift) noexcept nogil


cdef void keep_close(Candidates* chosen, int64_t slack, int most) noexcept nogil
