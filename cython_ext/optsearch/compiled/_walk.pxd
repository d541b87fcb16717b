# A decision tree walked over families: what comes in and out, and how rollouts choose a shot.

from libc.stdint cimport int32_t, int64_t, uint64_t

from cells cimport MAX_CELLS, Cells, high, low
from columns cimport leading_one, mix_cells
from optsearch.compiled._arena cimport Arena
from optsearch.compiled._block cimport EXTRA_WORDS, Block, Counts, Part, Shots, Words
from optsearch.compiled._labels cimport Labels
from optsearch.compiled._score cimport ScoreInput, Score

cpdef enum:
    MAX_HASHES = 24            # bits of the hash that samples can use
    MAX_ENDGAME = 10           # configurations of which there is the optimum
    MAX_CANDIDATES = 32
    MIN_SAMPLE = 64            # configurations, so that a word of them is none
    MAX_SAMPLE = 1 << 20
    SMALL = 4                  # endgame of the greedy that rolls out
    BUCKETS = 128              # of the estimates: four to an octave of configurations
    UNIT = 4096                # of estimated misses
    MAX_LEVELS = 4             # of nesting, greedy not counted

cdef enum:
    INNER = MAX_LEVELS + 1     # the level that nested rollouts have on samples
    KNOWN = 1 << 13            # parts of about one size whose rollouts are remembered
    FORGOTTEN = 16             # configurations of which it is not: they are soon rolled out again
    SIZES = 21                 # of parts: from each power of two to the next, up to MAX_SAMPLE
    MODES = 1 + MAX_HASHES     # of each level


cdef struct Level:             # a policy by whose misses candidates are compared; level 0 is greedy
    int floor                  # in a part of so many configurations it is the level below
    int candidates             # that it compares in a larger part, by the levels below
    int below                  # the number of that level
    int64_t margin             # units per configuration that a candidate may be above the cheapest
    int kept                   # how many such candidates the level above compares, at most


cdef struct Rule:              # its numbers; the docstring of _walk.pyx says what they mean
    int candidates, percent, endgame, screen, finalists, cap, truncate
    int64_t few, many          # configurations of more than so many, and of up to so many, there are rollouts
    int64_t above              # of nested rollouts
    int second
    int64_t until              # configurations, and fewer, where the levels compare
    int levels                 # the highest of them
    Level level[MAX_LEVELS + 2]


cdef struct Candidates:        # cells that are compared
    int n
    int column[MAX_CANDIDATES]
    int64_t cost[MAX_CANDIDATES]


cdef struct Costing:           # by what a shot is costed
    int shift                  # each configuration stands for 2^shift of them
    int level                  # whose misses count


cdef struct Known:             # what a level misses in a part
    Shots shots                # what tells the part from others, or stands for it
    int64_t cost
    int mode                   # 0: an empty entry; 1 + shift + MODES * level


cdef inline uint64_t place_of(const Known* name, int64_t n) noexcept nogil:
    """Where the table of rollouts keeps what is known of n configurations with a name."""
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
    cdef object scorers        # who owns these
    cdef Score* score          # what is shot, if it is no most probable cell
    cdef Score* ranker         # which cells are candidates, the same
    cdef Score* policy         # what rollouts shoot, the same
    cdef Labels labels         # what a hit tells
    cdef bint has_labels       # whether a certain hit can tell something
    cdef bint tracks           # whether shots count, and not only the configurations that they leave
    cdef int cells
    cdef int order[MAX_CELLS]
    cdef const int32_t[:, ::1] estimates
    cdef int extras            # bits that come with each configuration: its code, or its weight
    cdef int by_row            # bits of the code that are wanted by configuration
    cdef int weight_bits       # of the weights, which the histogram counts
    cdef bint following        # there is one more, which the configuration followed has
    cdef Known* known          # of rollouts
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
    # What its subclass does:
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
                       ScoreInput* node) noexcept nogil
    cdef void hear(self, Score* score, const Part* part, const Counts* counts, int shift) noexcept nogil
    cdef int misses(self, const Part* part) noexcept nogil
    cdef bint is_over(self, const Part* part) noexcept nogil
    cdef int hashes_needed(self, int64_t n) noexcept nogil
    cdef bint keeps(self, const Part* part, const Counts* counts, int column) noexcept nogil
    cdef bint move(self, const Part* part, const Counts* before, Part* own) noexcept nogil
    cdef uint64_t* room(self, const Part* part) noexcept nogil
    cdef uint64_t words_of(self, const Part* part, int shift, Words* w) noexcept nogil
    cdef int rollout(self, const Part* part, const Counts* counts) noexcept nogil
    cdef void choose(self, const Part* under, int cells, const Counts* counts, const double* values,
                     int number, Candidates* chosen) noexcept nogil
    cdef int compare(self, const Part* part, int64_t most, Candidates* chosen, int level,
                     bint giving_up) noexcept nogil
    cdef int narrow(self, const Part* part, const Counts* counts, int shift, Candidates* chosen,
                    int last) noexcept nogil
    cdef int64_t estimate(self, int64_t n, int left, int shift) noexcept nogil


cdef void keep_close(Candidates* chosen, int64_t slack, int most) noexcept nogil
