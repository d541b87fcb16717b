"""Branch and bound for the least cost of a family, with every bound and reduction a switch.

A *family* is a list of distinct sets of cells, each with a weight. A shot at a cell splits it into
the sets that have the cell (hit) and the others (missed). A set ends the game when all its cells
are hit, and pays for the misses before that; we look for

    M(F, b) = min over cells c of  M(F hit at c, b) + M(F missed at c, b - 1)
                                   + step(b) * weight(F missed at c),

where the budget b is the number of misses still allowed and step(b) is the price of a miss:

    mean    1; there is no budget.
    worst   1 while b > 0, and FORBIDDEN at b = 0: nobody may miss more than b times.
    within  1 at b = 0 and 0 before: the weight that is not finished within b misses. What comes
            after that miss is free.

Bounds come from *profiles*: let A(t) be at least the number of sets that any strategy finishes with
at most t misses. Then the sets beyond A(t) pay for miss number t + 1, and these weigh at least as
much as the n - A(t) lightest sets, so M >= sum over t of step(b - t) * weight of those.

Reductions that keep M(F, b):

- A cell in every set is a certain hit: it costs nothing and tells nothing, so it is taken off.
- merging: two cells in exactly the same sets are one. After a shot at the one, the other is a
  certain hit or in no set.
- products: if F is the product of G and H on disjoint cells, M(F) = |H| M(G) + |G| M(H). With the
  part in H told, a strategy for F is one for G, and so for every part; and the strategies for
  G and H played one after the other attain it. (mean, equal weights)
- domination: if every set with d has c, d need not be shot before c. From a strategy S that shoots
  d first make one that shoots c first. On a miss go on as S after its miss at d, on a hit shoot d
  and go on as S does. No set misses more often than under S.
- splitting: M(F) >= M(F hit at c) + M(F missed at c) + 1 for any cell c, shot or not. Play an
  optimal strategy for F on the two parts apart. A shot that misses in all or hits in all of a part
  is free there; and where the parts were last together, the shot told them apart, and the side that
  was missed paid for what is free when it is alone. So the parts save at least 1. (mean)
- forced: a cell that all sets but one have, of least weight w, is shot first:
  M = M(F hit at c) + w. M(F) is at least M(F less that set) + w, because an optimal strategy for F,
  played without that set, saves the misses of one side of the shot that separates the set from the
  last of the others; each side weighs at least w. (mean)

Under the rule `best greedy` only cells in most of the sets (by weight) are shot, whichever of them
is best each time, and under `worst greedy` whichever is worst (mean). Certain hits are free under
every rule. Of the reductions, merging holds as it stands, and so do products: restricted to one
factor, a greedy strategy for the product is a greedy one for the factor. Domination finds nothing:
a cell in all the sets of another and more is not tied with it. Forced shots are not used. Bounds of
the optimum are bounds of `best greedy`; `worst greedy` is a plain recursion with a table.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset

from optsearch._table cimport MemoryTable, hash_bytes
from cells cimport Cells, first, high, join, low, one, popcount, size

cdef enum:
    MAX_CELLS = 128
    MAX_SYMMETRIES = 8
    MEMO_FROM = 4              # smaller families are solved faster than they are looked up
    MEMO_FROM_ON_WORD = 16     # the same for those searched on a machine word
    DISK_FROM = 8              # families that took less work are not worth a place on disk
    SUBSETS_PER_NODE = 50      # subsets that take about as long as a node
    CAPPED = 160               # sets up to which bounds are tabulated
    NEVER = 32767
    WORD = 64                  # sets that a search on a machine word handles
    KNOWN = 1 << 16            # subsets it remembers
    TICK = 1 << 10             # nodes between two looks at the clock and at ctrl-C
    MEAN = 0
    WORST = 1
    WITHIN = 2
    OPTIMAL = 0
    BEST_GREEDY = 1
    WORST_GREEDY = 2

cdef int64_t INFINITE = <int64_t>1 << 60
cdef int64_t FORBIDDEN = <int64_t>1 << 50
OBJECTIVES = {"mean": MEAN, "worst": WORST, "within": WITHIN}
RULES = {"optimal": OPTIMAL, "best greedy": BEST_GREEDY, "worst greedy": WORST_GREEDY}


cdef struct Candidate:
    int64_t bound              # no strategy that shoots this cell first costs less
    int64_t bound_hit, bound_missed, price
    int cell, n_hit            # column of the cell; how many sets have it


cdef struct Node:              # one family, taken stock of; a single block of memory
    int n                      # sets
    int m                      # different undecided cells
    int width                  # words of a column
    int hits                   # cells of the largest set
    int budget
    bint exact                 # whether `lower` is the optimum
    bint listed                # whether the candidates are there
    bint on_word               # searched as subsets of one machine word
    bint whole                 # keep every cell: no merging, no domination, no forced shot
    int shots_n
    int64_t weight
    int64_t lower              # the optimum is at least this
    Cells* rows                # [n] the sets, less what was stripped and merged
    int64_t* weights           # [n], or NULL when all are 1
    int64_t* light             # [n + 1] total weight of the i lightest sets, or NULL likewise
    uint64_t* columns          # [m * width] which sets have a cell
    int64_t* weight_hit        # [m]
    int32_t* count             # [m]
    int32_t* pair              # [m * m] in how many sets two cells are together
    Candidate* shots           # [m]
    uint8_t* cell              # [m] the bit of each column
    unsigned char* key         # normal form, or NULL
    Py_ssize_t key_length
    uint64_t key_hash


cdef struct Known:             # what is known of one subset in a search on a machine word
    uint64_t subset
    uint32_t search            # the number of that search; others' entries are void
    int16_t lower
    int16_t exact


cdef struct Switches:
    bint memo, symmetry, isomorphism, leaf_counting, profile, frequency_cap, matching
    bint domination, merging, products, forced, ordering, lookahead, small_cases, words, splitting


cdef inline uint64_t scramble(uint64_t x) noexcept nogil:
    x = (x ^ (x >> 31)) * <uint64_t>0x9E3779B97F4A7C15
    x = (x ^ (x >> 29)) * <uint64_t>0xBF58476D1CE4E5B9
    return x ^ (x >> 32)


cdef int ascending_cells(const void* a, const void* b) noexcept nogil:
    cdef Cells x = (<const Cells*>a)[0], y = (<const Cells*>b)[0]
    return (x > y) - (x < y)


cdef int ascending_pairs(const void* a, const void* b) noexcept nogil:
    """By the set of cells, which comes first; sets are distinct."""
    return ascending_cells(a, b)


cdef int ascending_weights(const void* a, const void* b) noexcept nogil:
    cdef int64_t x = (<const int64_t*>a)[0], y = (<const int64_t*>b)[0]
    return (x > y) - (x < y)


cdef struct Weighted:
    Cells cells
    int64_t weight
    int64_t unused


cdef void descending(const int32_t* values, int n, int most, int32_t* out) noexcept nogil:
    """Sort n values from 0 to `most`, the greatest first."""
    cdef int32_t histogram[256]
    cdef int i, j, v
    if most < 256:
        memset(histogram, 0, (most + 1) * sizeof(int32_t))
        for i in range(n):
            histogram[values[i]] += 1
        j = 0
        for v in range(most, 0, -1):
            for i in range(histogram[v]):
                out[j] = v
                j += 1
        while j < n:
            out[j] = 0
            j += 1
        return
    for i in range(n):
        v = values[i]
        j = i
        while j > 0 and out[j - 1] < v:
            out[j] = out[j - 1]
            j -= 1
        out[j] = v


cdef class Search:
    """Solves subfamilies of one family.

    sets -- (n, 2) uint64, distinct sets of cells, all of one size.
    weights -- (n,) int64, positive.
    cell_permutations -- (S, cells) int32: the symmetries of the grid, the identity first.
    objective -- "mean", "worst" or "within".
    table, disk -- a MemoryTable, and an optsearch.tables.DiskTable or None.
    switches -- the booleans of SolverOptions by name.
    tick -- called with the number of nodes after every TICK nodes or so; may raise.
    rule -- "optimal", or with the objective "mean" "best greedy" or "worst greedy".
    """

    cdef int n, cells, symmetries, objective, rule
    cdef Cells* sets
    cdef int64_t* weights
    cdef bint unit                                 # all weights are 1
    cdef Cells* image_of_byte                      # [(symmetry * 16 + byte number) * 256 + byte]
    cdef int64_t* words                            # words[k * MAX_CELLS + t] = C(k + t, t)
    cdef int64_t* ranks                            # 0, 1, 2, ...: `light` where all weights are 1
    cdef int16_t* capped                           # see capped_bound
    cdef Known* known
    cdef uint32_t word_searches                      # number of the current search on a word
    cdef readonly long long subsets
    cdef int capped_most, capped_hits
    cdef Switches on
    cdef MemoryTable table
    cdef public object disk
    cdef object tick
    cdef readonly long long nodes

    def __cinit__(self, const uint64_t[:, ::1] sets, const int64_t[::1] weights,
                  const int32_t[:, ::1] cell_permutations, str objective, MemoryTable table, disk,
                  dict switches, tick, str rule="optimal"):
        cdef int i, g, c, k, t, byte
        cdef int64_t word
        cdef Cells image
        self.check(sets, weights, cell_permutations, objective, table, rule)
        self.n = <int>sets.shape[0]
        self.cells = <int>cell_permutations.shape[1]
        self.symmetries = <int>cell_permutations.shape[0]
        self.objective = OBJECTIVES[objective]
        self.rule = RULES[rule]
        self.table, self.disk, self.tick = table, disk, tick
        self.on = switches
        self.sets = <Cells*>PyMem_Malloc(self.n * sizeof(Cells))
        self.weights = <int64_t*>PyMem_Malloc(self.n * sizeof(int64_t))
        self.ranks = <int64_t*>PyMem_Malloc((self.n + 1) * sizeof(int64_t))
        self.image_of_byte = <Cells*>PyMem_Calloc(MAX_SYMMETRIES * 16 * 256, sizeof(Cells))
        self.words = <int64_t*>PyMem_Calloc((MAX_CELLS + 1) * MAX_CELLS, sizeof(int64_t))
        self.capped_most = min(self.n, CAPPED)
        self.capped_hits = min(max(size(join(sets[0, 0], sets[0, 1])), 1), self.capped_most)
        self.capped = <int16_t*>PyMem_Malloc(
            (self.capped_hits + 1) * (self.capped_most + 1) ** 2 * sizeof(int16_t))
        self.known = <Known*>PyMem_Calloc(KNOWN, sizeof(Known))
        if (self.sets == NULL or self.weights == NULL or self.ranks == NULL
                or self.capped == NULL or self.known == NULL or self.image_of_byte == NULL
                or self.words == NULL):
            raise MemoryError
        self.unit = True
        for i in range(self.n):
            self.sets[i] = join(sets[i, 0], sets[i, 1])
            self.weights[i] = weights[i]
            self.ranks[i] = i
            if weights[i] != 1:
                self.unit = False
        self.ranks[self.n] = self.n
        for g in range(self.symmetries):
            for c in range(self.cells):
                image = one(cell_permutations[g, c])
                for byte in range(256):
                    if byte >> (c & 7) & 1:
                        self.image_of_byte[(g * 16 + (c >> 3)) * 256 + byte] |= image
        for k in range(MAX_CELLS + 1):             # Pascal's rule, saturating
            self.words[k * MAX_CELLS] = 1
            for t in range(1, MAX_CELLS):
                word = 1
                if k > 0:
                    word = (self.words[k * MAX_CELLS + t - 1]
                            + self.words[(k - 1) * MAX_CELLS + t])
                self.words[k * MAX_CELLS + t] = min(word, INFINITE)

        with nogil:
            self.fill_capped()

    cdef check(self, const uint64_t[:, ::1] sets, const int64_t[::1] weights,
               const int32_t[:, ::1] cell_permutations, str objective, MemoryTable table, str rule):
        """Refuse what the kernel would trip over."""
        cdef int cells = <int>cell_permutations.shape[1]
        cdef Py_ssize_t i
        cdef int hits
        cdef Cells outside
        if objective not in OBJECTIVES:
            raise ValueError(f"no objective {objective!r}; there are {', '.join(OBJECTIVES)}")
        if rule not in RULES:
            raise ValueError(f"no rule {rule!r}; there are {', '.join(RULES)}")
        if rule != "optimal" and objective != "mean":
            raise ValueError(f"the rule {rule!r} goes with the objective mean, not {objective!r}")
        if table is None:
            raise TypeError("the search needs a MemoryTable")
        if not 1 <= cells <= MAX_CELLS:
            raise ValueError(f"{cells} cells; from 1 to {MAX_CELLS}")
        if not 1 <= cell_permutations.shape[0] <= MAX_SYMMETRIES:
            raise ValueError(f"{cell_permutations.shape[0]} symmetries; from 1 to {MAX_SYMMETRIES}")
        for row in cell_permutations:
            if sorted(row) != list(range(cells)):
                raise ValueError(f"{list(row)} is no permutation of {cells} cells")
        if list(cell_permutations[0]) != list(range(cells)):
            raise ValueError("the first symmetry is the identity")
        if sets.shape[0] < 1 or sets.shape[1] != 2:
            raise ValueError(f"sets of shape {sets.shape[0], sets.shape[1]}; (n, 2) with n > 0")
        if weights.shape[0] != sets.shape[0] or min(weights) < 1:
            raise ValueError("a positive weight for each set")
        if sum(map(int, weights)) * MAX_CELLS >= FORBIDDEN:
            raise ValueError("weights out of range")
        outside = 0
        if cells < MAX_CELLS:
            outside = ~((<Cells>1 << cells) - 1)
        hits = size(join(sets[0, 0], sets[0, 1]))
        for i in range(sets.shape[0]):
            if join(sets[i, 0], sets[i, 1]) & outside:
                raise ValueError(f"set number {i} has a cell outside the {cells} cells")
            if size(join(sets[i, 0], sets[i, 1])) != hits:
                raise ValueError(f"set number {i} has another number of cells than the first")

    def __dealloc__(self):
        PyMem_Free(self.sets)
        PyMem_Free(self.weights)
        PyMem_Free(self.ranks)
        PyMem_Free(self.capped)
        PyMem_Free(self.known)
        PyMem_Free(self.image_of_byte)
        PyMem_Free(self.words)

    # Taking stock of a family

    cdef Node* new_node(self, int n, int cells, int budget) except NULL nogil:
        """Memory for a family of n sets in which at most so many cells are undecided."""
        cdef size_t width = (n + 63) // 64
        cdef size_t bytes = (sizeof(Node) + 16 + n * sizeof(Cells) + cells * width * 8
                             + cells * (8 + sizeof(Candidate) + 4 + 1) + cells * cells * 4)
        cdef Node* node
        cdef char* space
        if not self.unit:
            bytes += (2 * n + 1) * sizeof(int64_t)
        node = <Node*>malloc(bytes)
        if node == NULL:
            with gil:
                raise MemoryError
        space = <char*>node + ((sizeof(Node) + 15) & ~15)
        node.rows = <Cells*>space
        space += n * sizeof(Cells)
        node.columns = <uint64_t*>space
        space += cells * width * 8
        node.weight_hit = <int64_t*>space
        space += cells * 8
        node.shots = <Candidate*>space
        space += cells * sizeof(Candidate)
        node.weights = node.light = NULL
        if not self.unit:
            node.weights = <int64_t*>space
            space += n * sizeof(int64_t)
            node.light = <int64_t*>space
            space += (n + 1) * sizeof(int64_t)
        node.count = <int32_t*>space
        space += cells * 4
        node.pair = <int32_t*>space
        space += cells * cells * 4
        node.cell = <uint8_t*>space
        node.n, node.width, node.budget = n, <int>width, budget
        node.exact = node.listed = node.whole = node.on_word = False
        node.key = NULL
        node.m = node.hits = node.shots_n = 0
        node.lower = node.weight = 0
        return node

    cdef void free_node(self, Node* node) noexcept nogil:
        if node != NULL:
            free(node.key)
            free(node)

    cdef inline int64_t charge(self, int budget, int64_t weight) noexcept nogil:
        """step(budget) * weight: what it costs when sets of this weight miss."""
        if self.objective == MEAN:
            return weight
        if self.objective == WORST:
            return weight if budget > 0 or weight == 0 else FORBIDDEN
        return weight if budget == 0 else 0

    cdef void take_stock(self, Node* node) noexcept nogil:
        """From `rows` and `weights`: strip, count, merge. The optimum is set if seen at once."""
        cdef Cells every, some = 0, s, bit
        cdef int i, j, c, d, n = node.n, m = 0, w, width = node.width
        cdef uint64_t* column
        cdef uint64_t* other
        cdef uint64_t word
        cdef uint8_t index[MAX_CELLS]
        cdef uint64_t print_of[MAX_CELLS]
        cdef Cells* rows = node.rows
        cdef int32_t number
        if n == 1:
            node.weight = 1 if node.weights == NULL else node.weights[0]
            node.exact = True
            return
        every = rows[0]
        for i in range(n):
            every &= rows[i]
            some |= rows[i]
        some &= ~every
        s = some
        while s:
            c = first(s)
            s &= s - 1
            index[c] = m
            node.cell[m] = c
            m += 1
        memset(node.columns, 0, <size_t>m * width * 8)
        node.hits = 0
        for i in range(n):
            s = rows[i] & some
            rows[i] = s
            word = <uint64_t>1 << (i & 63)
            column = node.columns + (i >> 6)
            while s:
                column[index[first(s)] * width] |= word
                s &= s - 1
        node.m = m
        if self.on.merging and not node.whole:
            for c in range(m):
                word = 0
                column = node.columns + c * width
                for w in range(width):
                    word = (word ^ column[w]) * <uint64_t>0x9E3779B97F4A7C15
                    word ^= word >> 32
                print_of[c] = word
            j = 0
            every = 0
            for c in range(m):
                for d in range(j):
                    if print_of[d] == print_of[c] and memcmp(
                            node.columns + d * width, node.columns + c * width, width * 8) == 0:
                        every |= one(node.cell[c])
                        break
                else:
                    if j < c:
                        node.cell[j] = node.cell[c]
                        print_of[j] = print_of[c]
                        memcpy(node.columns + j * width, node.columns + c * width, width * 8)
                    j += 1
            if every:
                for i in range(n):
                    rows[i] &= ~every
                m = node.m = j
        for i in range(n):
            c = size(rows[i])
            if c > node.hits:
                node.hits = c
        for c in range(m):
            number = 0
            column = node.columns + c * width
            for w in range(width):
                number += popcount(column[w])
            node.count[c] = number
        if node.weights == NULL:
            node.weight = n
            for c in range(m):
                node.weight_hit[c] = node.count[c]
            return
        memset(node.weight_hit, 0, m * sizeof(int64_t))
        memcpy(node.light + 1, node.weights, n * sizeof(int64_t))
        qsort(node.light + 1, n, sizeof(int64_t), ascending_weights)
        node.light[0] = 0
        for i in range(n):
            node.light[i + 1] += node.light[i]
        node.weight = node.light[n]
        for c in range(m):
            column = node.columns + c * width
            for w in range(width):
                word = column[w]
                while word:
                    node.weight_hit[c] += node.weights[64 * w + first(<Cells>word)]
                    word &= word - 1

    cdef void count_pairs(self, Node* node) noexcept nogil:
        cdef int c, d, w, m = node.m, width = node.width
        cdef int32_t number
        cdef const uint64_t* a
        cdef const uint64_t* b
        for c in range(m):
            a = node.columns + c * width
            node.pair[c * m + c] = node.count[c]
            for d in range(c):
                b = node.columns + d * width
                number = 0
                for w in range(width):
                    number += popcount(a[w] & b[w])
                node.pair[c * m + d] = number
                node.pair[d * m + c] = number

    cdef bint at_sight(self, Node* node) noexcept nogil:
        """Whether the optimum is plain; then `lower` is it and `exact` is set."""
        cdef int64_t cost = 0
        cdef int t
        if node.n == 1:
            return True
        if self.objective == WITHIN and node.budget < 0:
            node.lower, node.exact = 0, True
            return True
        if node.budget <= 0 and self.objective != MEAN:
            # The first miss ends it: at best the heaviest set is finished.
            if self.objective == WORST:
                cost = FORBIDDEN
            elif node.weights == NULL:
                cost = node.n - 1
            else:
                cost = node.light[node.n - 1]
            node.lower, node.exact = cost, True
            return True
        if not self.on.small_cases:
            return False
        if node.n == 2 or node.hits == 1:
            # Two sets: one of them, the lighter, misses once. Sets of one cell: by falling weight.
            for t in range(node.n - 1):
                cost += self.charge(node.budget - t, node.n - 1 - t if node.weights == NULL
                                    else node.light[node.n - 1 - t])
                if self.objective != MEAN and t == node.budget:
                    break
            node.lower, node.exact = min(cost, FORBIDDEN), True
            return True
        return False

    # Bounds

    cdef int64_t bound(self, int n, int hits, const int32_t* chain, int chain_n,
                       const int64_t* after, const int64_t* light, int budget) noexcept nogil:
        """A lower bound on the cost of n sets of at most `hits` cells, from a profile.

        leaf_counting: a leaf with j misses and k hits is a word of k hits and j misses that ends in
        a hit, so at most C(k + t, t) sets are finished within t misses.
        profile: as long as all shots miss they are a fixed chain of cells. The sets first hit by
        the cell number i of the chain have i misses already; they are at most chain[i], and at
        most after[s] of them are finished with s more.

        chain -- [chain_n] how many sets the chain's cells can be the first to hit, descending.
        after -- [MAX_CELLS] the most sets that are finished within s misses after a hit; ascending.
        light -- total weight of the i lightest sets.
        """
        cdef const int64_t* words = self.words + hits * MAX_CELLS
        cdef int64_t cost = 0, sum, settled = 0, finished
        cdef int t, s, i, full = 0
        if hits == 0 or n < 2:
            return 0
        if self.on.profile:
            while full < MAX_CELLS and after[full] < chain[0]:
                full += 1
        for t in range(MAX_CELLS):
            finished = words[t] if self.on.leaf_counting else (1 if t == 0 else n)
            if self.on.profile:
                if t >= full and t - full < chain_n:   # cells whose sets are all finished
                    settled += chain[t - full]
                sum = settled
                for s in range(min(full, t + 1)):
                    i = t - s
                    if i < chain_n:
                        sum += min(<int64_t>chain[i], after[s])
                finished = min(finished, sum)
            if finished >= n:
                break
            cost += self.charge(budget - t, light[n - finished])
            if cost >= FORBIDDEN:
                return FORBIDDEN
            if self.objective != MEAN and t == budget:
                break
        return cost

    cdef void words_after(self, int hits, int64_t most, int64_t* after) noexcept nogil:
        """after[s]: the most sets of `hits` more cells finished within s misses; at most `most`."""
        cdef const int64_t* words = self.words + hits * MAX_CELLS
        cdef int s
        for s in range(MAX_CELLS):
            after[s] = most
            if self.on.leaf_counting:
                after[s] = min(most, words[s])
            elif s == 0:
                after[s] = 1
            if after[s] == most:
                for s in range(s + 1, MAX_CELLS):
                    after[s] = most
                return

    cdef void fill_capped(self) noexcept nogil:
        """capped[k, n, d]: least cost (mean) of n sets of k cells when no shot hits more than d.

        By induction over the first shot, which hits h <= min(d, n - 1) sets:
        C(k, n, d) = min over h of C(k - 1, h, d) + C(k, n - h, d) + n - h. In a family no shot hits
        more sets than the largest count of its cells, nor does one in any part of it.
        """
        cdef int k, n, d, h, value, best, most = self.capped_most
        cdef const int16_t* less
        cdef int16_t* here
        for k in range(self.capped_hits + 1):
            here = self.capped + <size_t>k * (most + 1) * (most + 1)
            less = here - <size_t>(most + 1) * (most + 1)
            for d in range(most + 1):
                for n in range(most + 1):
                    best = NEVER
                    if n <= 1:
                        best = 0
                    elif k > 0:
                        for h in range(1, min(d, n - 1) + 1):
                            value = less[d * (most + 1) + h] + here[d * (most + 1) + n - h] + n - h
                            best = min(best, value)
                    here[d * (most + 1) + n] = best

    cdef inline bint is_capped(self, const Node* node) noexcept nogil:
        """Whether the tabulated bound is used; for sets of two cells the chain says more."""
        return (self.on.frequency_cap and self.objective == MEAN and node.weights == NULL
                and node.n <= self.capped_most and node.hits > 2)

    cdef inline int capped_bound(self, int k, int n, int d) noexcept nogil:
        """No strategy costs less for n <= capped_most sets of k cells, d the greatest count."""
        cdef int row
        if not self.on.leaf_counting or k > self.capped_hits:
            k = self.capped_hits
        if not self.on.frequency_cap or d >= n:
            d = n - 1
        row = (self.capped_most + 1) * (self.capped_most + 1)
        return self.capped[<size_t>k * row + d * (self.capped_most + 1) + n]

    cdef int64_t bound_of(self, Node* node) noexcept nogil:
        """The bound of a family from the counts of its cells and of their pairs."""
        cdef int32_t chain[MAX_CELLS]
        cdef int32_t inner[MAX_CELLS]
        cdef int32_t values[MAX_CELLS]
        cdef int64_t after[MAX_CELLS]
        cdef int64_t after_cell[MAX_CELLS]
        cdef int64_t after_two[MAX_CELLS]
        cdef int m = node.m, c, d, i, k, s, most
        cdef int64_t sum
        cdef const int32_t* pair
        cdef const int64_t* light = node.light if node.light != NULL else self.ranks
        if not self.on.profile:
            if self.on.leaf_counting:
                return self.bound(node.n, node.hits, NULL, 0, NULL, light, node.budget)
            return 0
        most = 0
        for c in range(m):
            most = max(most, node.count[c])
        if self.is_capped(node):
            return self.capped_bound(node.hits, node.n, most)
        self.words_after(node.hits - 1, most, after)
        if self.on.frequency_cap and node.hits >= 2:
            # Once cell c is hit, cell d hits at most pair[c, d] sets.
            self.words_after(node.hits - 2, most, after_two)
            memset(after_cell, 0, sizeof(after_cell))
            for c in range(m):
                pair = node.pair + c * m
                i = 0
                k = node.hits - 1
                for d in range(m):
                    if d != c and pair[d]:
                        if pair[d] == node.count[c]:   # a certain hit once c is hit
                            k -= 1
                        else:
                            values[i] = pair[d]
                            i += 1
                descending(values, i, node.count[c], inner)
                if k == 0:
                    i = 0
                for s in range(MAX_CELLS):
                    sum = 1 if i == 0 else 0
                    for d in range(min(s + 1, i)):
                        sum += min(<int64_t>inner[d], after_two[s - d])
                    if sum >= node.count[c]:
                        sum = node.count[c]
                    if k > 0 and self.on.leaf_counting:
                        sum = min(sum, self.words[k * MAX_CELLS + s])
                    after_cell[s] = max(after_cell[s], sum)
                    if sum >= node.count[c] or after_cell[s] >= most:
                        for d in range(s + 1, MAX_CELLS):
                            if after_cell[d] >= sum:
                                break
                            after_cell[d] = sum
                        break
            for s in range(MAX_CELLS):
                after[s] = min(after[s], after_cell[s])
        self.chain_of(node, chain)
        return self.bound(node.n, node.hits, chain, m, after, light, node.budget)

    cdef void chain_of(self, Node* node, int32_t* chain) noexcept nogil:
        """How many sets the cells of an all-miss chain can be the first to hit, descending.

        matching: cells are matched in pairs. Whichever of a pair c, d comes second in the chain, it
        is first to hit at most max(count) - pair[c, d] sets. Also, the cell number i of the chain
        has i cells before it, so it is first to hit at most count - (its i-th least pair count).
        """
        cdef int32_t values[MAX_CELLS]
        cdef int32_t order[MAX_CELLS]
        cdef int32_t least[MAX_CELLS]
        cdef int32_t row[MAX_CELLS]
        cdef bint matched[MAX_CELLS]
        cdef int m = node.m, c, d, i, j, best, most = 0
        cdef const int32_t* pair
        for c in range(m):
            values[c] = node.count[c]
            most = max(most, values[c])
            matched[c] = False
            least[c] = 0
            i = c
            while i > 0 and node.count[order[i - 1]] < values[c]:
                order[i] = order[i - 1]
                i -= 1
            order[i] = c
        if not self.on.matching:
            descending(values, m, most, chain)
            return
        for i in range(m):
            c = order[i]
            if matched[c]:
                continue
            pair = node.pair + c * m
            best = -1
            for j in range(i + 1, m):
                d = order[j]
                if not matched[d] and pair[d] > 0 and (best < 0 or pair[d] > pair[best]):
                    best = d
            if best >= 0:
                matched[best] = True
                values[best] = min(values[best], values[c] - pair[best])
        descending(values, m, most, chain)
        for c in range(m):
            pair = node.pair + c * m
            j = 0
            for d in range(m):
                if d != c:
                    row[j] = node.count[c] - pair[d]
                    j += 1
            descending(row, m - 1, node.count[c], order)
            for i in range(1, m):      # i cells before it: at best those it overlaps least
                least[i] = max(least[i], order[i - 1])
        for i in range(1, m):
            chain[i] = min(chain[i], least[i])

    cdef void bound_parts(self, const Node* node, Candidate* candidate) noexcept nogil:
        """Bound both parts after a shot by the counts of their cells."""
        cdef int32_t values[MAX_CELLS]
        cdef int32_t chain[MAX_CELLS]
        cdef int64_t after[MAX_CELLS]
        cdef const int64_t* light = node.light if node.light != NULL else self.ranks
        cdef int m = node.m, d, i, k, most, number, c = candidate.cell
        cdef int n_hit = candidate.n_hit, n_missed = node.n - candidate.n_hit
        cdef const int32_t* pair = node.pair + c * m
        k, i, most = node.hits - 1, 0, 0
        for d in range(m):
            number = pair[d]
            if number == n_hit:
                k -= d != c
            elif number:
                values[i] = number
                most = max(most, number)
                i += 1
        if i:
            descending(values, i, most, chain)
            self.words_after(k - 1, most, after)
            candidate.bound_hit = max(candidate.bound_hit, self.bound(
                n_hit, k, chain, i, after, light, node.budget))
        k, i, most = node.hits, 0, 0
        for d in range(m):
            number = node.count[d] - pair[d]
            if number == n_missed:
                k -= 1
            elif number:
                values[i] = number
                most = max(most, number)
                i += 1
        if i:
            descending(values, i, most, chain)
            self.words_after(k - 1, most, after)
            candidate.bound_missed = max(candidate.bound_missed, self.bound(
                n_missed, k, chain, i, after, light, node.budget - 1))

    cdef void list_shots(self, Node* node) noexcept nogil:
        """The cells worth shooting with their bounds, best first; raises `lower` to the least."""
        cdef const int64_t* light = node.light if node.light != NULL else self.ranks
        cdef int m = node.m, c, d, i, k, most, missed_k, missed_most, n_hit, n_missed, number
        cdef const int32_t* pair
        cdef Candidate candidate
        cdef int64_t least = INFINITE, most_hit = 0
        node.listed = True
        node.shots_n = 0
        if self.rule == BEST_GREEDY:
            for c in range(m):
                most_hit = max(most_hit, node.weight_hit[c])
        for c in range(m):
            if node.weight_hit[c] < most_hit:
                continue
            pair = node.pair + c * m
            n_hit = node.count[c]
            n_missed = node.n - n_hit
            candidate.cell = c
            candidate.n_hit = n_hit
            candidate.price = self.charge(node.budget, node.weight - node.weight_hit[c])
            if (self.on.forced and self.rule == OPTIMAL and not node.whole
                    and self.objective == MEAN and n_missed == 1
                    and node.weight - node.weight_hit[c] == light[1]):
                candidate.bound_hit = candidate.bound_missed = 0
                candidate.bound = candidate.price
                node.shots[0] = candidate
                node.shots_n = 1
                node.lower = max(node.lower, candidate.bound)
                return
            if self.on.domination and not node.whole:
                for d in range(m):
                    if pair[d] == n_hit and d != c and (node.count[d] > n_hit or d < c):
                        break
                else:
                    d = -1
                if d >= 0:
                    continue
            candidate.bound_hit = candidate.bound_missed = 0
            if self.on.profile and not self.is_capped(node):
                self.bound_parts(node, &candidate)
            elif self.on.profile:
                k, most, missed_k, missed_most = node.hits - 1, 0, node.hits, 0
                for d in range(m):
                    number = pair[d]
                    if number == n_hit:
                        k -= d != c
                    elif number > most:
                        most = number
                    number = node.count[d] - number
                    if number == n_missed:
                        missed_k -= 1
                    elif number > missed_most:
                        missed_most = number
                candidate.bound_hit = self.capped_bound(k, n_hit, most)
                candidate.bound_missed = self.capped_bound(
                    missed_k, n_missed, missed_most)
            elif self.on.leaf_counting:
                candidate.bound_hit = self.bound(
                    n_hit, node.hits - 1, NULL, 0, NULL, light, node.budget)
                candidate.bound_missed = self.bound(
                    n_missed, node.hits, NULL, 0, NULL, light, node.budget - 1)
            if self.objective == WITHIN and node.budget == 0:
                candidate.bound_missed = 0
            candidate.bound = min(
                candidate.bound_hit + candidate.bound_missed + candidate.price, FORBIDDEN)
            least = min(least, candidate.bound)
            i = node.shots_n
            node.shots_n += 1
            if self.on.ordering:       # by bound, then by fewest misses, then by cell
                while i > 0 and (node.shots[i - 1].bound > candidate.bound or (
                        node.shots[i - 1].bound == candidate.bound
                        and node.shots[i - 1].price > candidate.price)):
                    node.shots[i] = node.shots[i - 1]
                    i -= 1
            node.shots[i] = candidate
        node.lower = max(node.lower, least)

    # Normal forms and tables. A value is the optimum, or a bound below it: 2 * cost + (1 if exact).

    cdef int make_key(self, Node* node) except -1 nogil:
        """Write the normal form of a family: equal keys, equal optimum.

        A byte of the rule, the objective, whether weights follow and how cells are named; the
        number of cells, the budget if there is one; then the sets in ascending order, each in the
        same number of bytes and with its weight unless all are 1.
        """
        cdef Cells* image
        cdef Weighted* both
        cdef int i, n = node.n, bytes, cells = self.cells
        cdef bint weighted = node.weights != NULL
        cdef unsigned char* out
        if self.on.isomorphism:
            cells = node.m
        bytes = (cells + 7) // 8
        node.key_length = 3 + <Py_ssize_t>n * (bytes + (sizeof(int64_t) if weighted else 0))
        node.key = <unsigned char*>malloc(node.key_length)
        image = <Cells*>malloc(n * sizeof(Weighted))
        if node.key == NULL or image == NULL:
            free(image)
            with gil:
                raise MemoryError
        both = <Weighted*>image
        if self.on.isomorphism:
            self.relabel(node, image)
        else:
            self.least_image(node, image)
        out = node.key
        out[0] = self.rule * 16 + self.objective * 4 + weighted * 2 + self.on.isomorphism
        out[1] = cells
        out[2] = 0 if self.objective == MEAN else node.budget + 1
        out += 3
        if weighted:
            for i in range(n - 1, -1, -1):
                both[i].cells = image[i]
                both[i].weight = node.weights[i]
            qsort(both, n, sizeof(Weighted), ascending_pairs)
            for i in range(n):
                memcpy(out, &both[i].cells, bytes)        # little-endian: the low bytes come first
                memcpy(out + bytes, &both[i].weight, sizeof(int64_t))
                out += bytes + sizeof(int64_t)
        else:
            qsort(image, n, sizeof(Cells), ascending_cells)
            for i in range(n):
                memcpy(out, &image[i], bytes)
                out += bytes
        free(image)
        node.key_hash = hash_bytes(node.key, node.key_length)
        return 0

    cdef void least_image(self, Node* node, Cells* image) noexcept nogil:
        """The sets under the grid symmetry with the least fingerprint.

        Fingerprints only choose the symmetry: should two different images share one, a table hit is
        lost and nothing else.
        """
        cdef uint64_t fingerprint, least = 0
        cdef int g, i, j, best = 0, bytes = (self.cells + 7) // 8
        cdef Cells s, t
        cdef const Cells* bytes_of
        for g in range((self.symmetries if self.on.symmetry else 1) + 1):
            if g == (self.symmetries if self.on.symmetry else 1):
                g = best
            bytes_of = self.image_of_byte + g * 16 * 256
            fingerprint = 0
            for i in range(node.n):
                s = node.rows[i]
                t = 0
                for j in range(bytes):
                    t |= bytes_of[j * 256 + <int>(low(s) & 255)]
                    s >>= 8
                image[i] = t
                fingerprint += scramble(scramble(low(t)) + high(t) * 3
                                        + (1 if node.weights == NULL else node.weights[i]))
            if g == 0 or fingerprint < least:
                best, least = g, fingerprint

    cdef void refine(self, Node* node, const int* column, uint64_t* colour,
                     int rounds) noexcept nogil:
        """Colour the cells by the sets they are in, and these by their cells."""
        cdef uint64_t sum, sums[MAX_CELLS]
        cdef Cells s
        cdef int i, c, r
        for r in range(rounds):
            memset(sums, 0, node.m * sizeof(uint64_t))
            for i in range(node.n):
                sum = 0 if node.weights == NULL else <uint64_t>node.weights[i]
                s = node.rows[i]
                while s:
                    sum += colour[column[first(s)]]
                    s &= s - 1
                sum = scramble(sum)
                s = node.rows[i]
                while s:
                    sums[column[first(s)]] += sum
                    s &= s - 1
            for c in range(node.m):
                colour[c] = scramble(sums[c] + scramble(colour[c]))

    cdef void relabel(self, Node* node, Cells* image) noexcept nogil:
        """The sets with their cells renamed 0, 1, ... in an order that depends on the family alone.

        Cells are coloured by refinement; while two have one colour, a cell of the first such class
        is given a colour of its own. If the cells of a class are not alike, which one was taken
        depends on their names, and the same family named otherwise may get another key: a table
        hit lost, no more.
        """
        cdef uint64_t colour[MAX_CELLS]
        cdef int order[MAX_CELLS]
        cdef int column[MAX_CELLS]
        cdef int m = node.m, i, j, c, fresh
        cdef Cells s, t
        for c in range(m):
            column[node.cell[c]] = c
            colour[c] = scramble(node.count[c])
        self.refine(node, column, colour, 2)
        fresh = 0
        while True:
            for c in range(m):
                j = c
                while j > 0 and colour[order[j - 1]] > colour[c]:
                    order[j] = order[j - 1]
                    j -= 1
                order[j] = c
            for i in range(1, m):
                if colour[order[i]] == colour[order[i - 1]]:
                    break
            else:
                break
            fresh += 1
            c = order[i]
            if node.count[c] == 1 and self.is_alone(node, c):
                # Sets of one cell that no other has: any order of them gives the same family.
                j = i
                while j < m and colour[order[j]] == colour[order[i - 1]]:
                    j += 1
                for j in range(i, j):
                    colour[order[j]] = scramble(colour[order[j]] + j)
                continue
            colour[c] = scramble(colour[c] + fresh)
            self.refine(node, column, colour, 2)
        for i in range(m):
            column[node.cell[order[i]]] = i
        for i in range(node.n):
            s = node.rows[i]
            t = 0
            while s:
                t |= one(column[first(s)])
                s &= s - 1
            image[i] = t

    cdef bint is_alone(self, Node* node, int c) noexcept nogil:
        """Whether the only set with this cell has no other."""
        cdef int w
        for w in range(node.width):
            if node.columns[c * node.width + w]:
                return size(node.rows[64 * w + first(<Cells>node.columns[c * node.width + w])]) == 1
        return False

    cdef int recall(self, Node* node) except -1 nogil:
        """Raise `lower` to what the tables know of the family."""
        cdef int64_t value
        if not self.table.find(node.key, node.key_length, node.key_hash, &value):
            if self.disk is None:
                return 0
            with gil:
                found = self.disk.get(node.key[:node.key_length])
                if found is None:
                    return 0
                value = found
            self.table.store(node.key, node.key_length, node.key_hash, value)
        if value & 1:
            node.exact = True
            node.lower = value >> 1
        else:
            node.lower = max(node.lower, value >> 1)
        return 0

    cdef inline long long work(self) noexcept nogil:
        """Nodes so far, and what the searches on a word come to in nodes."""
        return self.nodes + self.subsets // SUBSETS_PER_NODE

    cdef int remember(self, Node* node, long long work) except -1 nogil:
        """Keep what is known of a family that took so much work."""
        cdef int64_t value = 2 * node.lower + node.exact
        self.table.store(node.key, node.key_length, node.key_hash, value)
        if self.disk is not None and work >= DISK_FROM:
            with gil:
                self.disk.put(node.key[:node.key_length], value)
        return 0

    # The search

    cdef Node* part(self, const Node* node, Cells bit, bint hit) except NULL nogil:
        """The sets of a family that have a cell, less that cell, or those that do not have it."""
        cdef int i, n = 0
        cdef Node* part
        for i in range(node.n):
            n += ((node.rows[i] & bit) != 0) == hit
        part = self.new_node(n, node.m, node.budget - (not hit))
        n = 0
        for i in range(node.n):
            if ((node.rows[i] & bit) != 0) == hit:
                part.rows[n] = node.rows[i] & ~bit
                if part.weights != NULL:
                    part.weights[n] = node.weights[i]
                n += 1
        return part

    cdef int open(self, Node* node, int64_t limit) except -1 nogil:
        """Bound a family; look it up unless the bound reaches the limit."""
        cdef int c, most
        self.take_stock(node)
        if self.at_sight(node):
            return 0
        self.count_node()
        node.on_word = (self.on.words and node.n <= WORD and node.weights == NULL
                        and self.objective == MEAN and node.hits > 2)
        if node.on_word:
            most = 0
            for c in range(node.m):
                most = max(most, node.count[c])
            node.lower = max(node.lower, self.capped_bound(node.hits, node.n, most))
        else:
            self.count_pairs(node)
            node.lower = max(node.lower, self.bound_of(node))
            if node.lower < limit and self.on.splitting and node.weights == NULL:
                node.lower = max(node.lower, self.bound_by_splitting(node))
        if node.lower < limit and self.on.memo and node.n >= (
                MEMO_FROM_ON_WORD if node.on_word else MEMO_FROM):
            self.make_key(node)
            self.recall(node)
        return 0

    cdef int count_node(self) except -1 nogil:
        self.nodes += 1
        if self.nodes % TICK == 0:
            with gil:
                self.tick(self.nodes)
        return 0

    cdef int64_t shoot(self, Node* node, Cells bit, int64_t price, int64_t bound_hit,
                       int64_t bound_missed, int64_t limit) except -1 nogil:
        """The cost when a cell is shot first: exact if below `limit`, else a bound >= limit."""
        cdef Node* hit = NULL
        cdef Node* missed = NULL
        cdef Node* small
        cdef Node* large
        cdef int64_t total
        if price >= limit:
            return price
        try:
            hit = self.part(node, bit, True)
            hit.lower = bound_hit
            self.open(hit, limit - price - bound_missed)
            total = min(price + hit.lower + bound_missed, FORBIDDEN)
            if total >= limit:
                return total
            missed = self.part(node, bit, False)
            missed.lower = bound_missed
            self.open(missed, limit - price - hit.lower)
            total = min(price + hit.lower + missed.lower, FORBIDDEN)
            if total >= limit:
                return total
            small, large = (hit, missed) if hit.n <= missed.n else (missed, hit)
            if self.on.lookahead:
                if not small.exact and not small.on_word:
                    self.list_shots(small)
                    total = min(price + hit.lower + missed.lower, FORBIDDEN)
                    if total >= limit:
                        return total
                if not large.exact and not large.on_word:
                    self.list_shots(large)
                    total = min(price + hit.lower + missed.lower, FORBIDDEN)
                    if total >= limit:
                        return total
            self.search(small, limit - price - large.lower)
            total = min(price + hit.lower + missed.lower, FORBIDDEN)
            if total >= limit:
                return total
            self.search(large, limit - price - small.lower)
            return min(price + hit.lower + missed.lower, FORBIDDEN)
        finally:
            self.free_node(hit)
            self.free_node(missed)

    cdef int64_t bound_by_splitting(self, const Node* node) except -1 nogil:
        """1 + the bounds of the two parts at a cell that more than half of the sets have (mean)."""
        cdef int c, best = 0, i
        cdef int64_t bound = 1
        cdef Node* part
        for c in range(node.m):
            if node.count[c] > node.count[best]:
                best = c
        if 2 * node.count[best] <= node.n or self.objective != MEAN:
            return 0
        for i in range(2):
            part = self.part(node, one(node.cell[best]), i == 0)
            try:
                self.take_stock(part)
                if not self.at_sight(part):
                    self.count_pairs(part)
                    part.lower = self.bound_of(part)
                    part.lower = max(part.lower, self.bound_by_splitting(part))
                bound += part.lower
            finally:
                self.free_node(part)
        return bound

    cdef int search(self, Node* node, int64_t limit) except -1 nogil:
        """Solve an opened family if its optimum is below `limit`; else raise `lower` to it."""
        cdef int64_t value, best = limit, failed = INFINITE
        cdef long long before = self.work()
        cdef Candidate* shot
        cdef int i
        if node.exact or node.lower >= limit:
            return 0
        if node.on_word:
            self.search_word(node, limit)
        elif not (self.on.products and self.objective == MEAN and node.weights == NULL
                and self.search_factors(node, limit)):
            if not node.listed:
                self.list_shots(node)
            if node.lower >= limit:
                return 0
            for i in range(node.shots_n):
                shot = &node.shots[i]
                if shot.bound >= best:
                    failed = min(failed, shot.bound)
                    continue
                value = self.shoot(node, one(node.cell[shot.cell]), shot.price, shot.bound_hit,
                                   shot.bound_missed, best)
                if value < best:
                    best = value
                    if best == node.lower:
                        break
                else:
                    failed = min(failed, value)
                    shot.bound = value
            if best < limit:
                node.lower, node.exact = best, True
            else:
                node.lower = max(node.lower, failed)
        if node.key != NULL:
            self.remember(node, self.work() - before)
        return 0

    cdef int search_worst(self, Node* node) except -1 nogil:
        """Set `lower` to what a family costs under the rule `worst greedy`."""
        cdef long long before = self.nodes
        cdef int64_t most = 0, cost = 0, total
        cdef int c, hit
        cdef Node* part
        self.take_stock(node)
        if self.at_sight(node):
            return 0
        self.count_node()
        if self.on.memo and node.n >= MEMO_FROM:
            self.make_key(node)
            self.recall(node)
            if node.exact:
                return 0
        for c in range(node.m):
            most = max(most, node.weight_hit[c])
        for c in range(node.m):
            if node.weight_hit[c] < most:
                continue
            total = node.weight - most
            for hit in range(2):
                part = self.part(node, one(node.cell[c]), hit == 1)
                try:
                    self.search_worst(part)
                    total += part.lower
                finally:
                    self.free_node(part)
            cost = max(cost, total)
        node.lower, node.exact = cost, True
        if node.key != NULL:
            self.remember(node, self.nodes - before)
        return 0

    # Families of at most WORD sets, as subsets of one word: a bit a set, a word a cell

    cdef int search_word(self, Node* node, int64_t limit) except -1 nogil:
        """As `search`; parts are remembered by their bits, for the time of this search."""
        if self.word_searches == <uint32_t>-1:
            memset(self.known, 0, KNOWN * sizeof(Known))
            self.word_searches = 0
        self.word_searches += 1
        node.lower = self.search_subset(
            <uint64_t>-1 >> (64 - node.n), node.hits, node.columns, node.m,
            <int>min(limit, <int64_t>NEVER), &node.exact)
        return 0

    cdef int bound_subset(self, uint64_t subset, int hits, const uint64_t* parts,
                          int m) noexcept nogil:
        """What is known of a subset, or its bound from the counts of its cells."""
        cdef int n = popcount(subset), most = 0, number, i, left = hits
        cdef uint64_t frequent = 0
        cdef int counts[MAX_CELLS]
        cdef const Known* known = self.known + (scramble(subset) & (KNOWN - 1))
        if n <= 2:
            return n - 1
        if self.on.memo and known.subset == subset and known.search == self.word_searches:
            return known.lower
        for i in range(m):
            number = popcount(subset & parts[i])
            counts[i] = number
            if number == n:
                left -= 1
            elif number > most:
                most = number
                frequent = subset & parts[i]
        if n <= 3:
            return self.capped_bound(left, n, most)
        return max(self.capped_bound(left, n, most), self.bound_by_counts(
            subset, n, hits, left, frequent, most, counts, parts, m))

    cdef int bound_by_counts(self, uint64_t subset, int n, int hits, int left, uint64_t frequent,
                             int most, const int* counts, const uint64_t* parts,
                             int m) noexcept nogil:
        """A bound from the counts of all cells.

        hits -- the most cells of a set; left -- less those that all sets have.
        """
        cdef int number[WORD + 1]
        cdef int i, t, s, sum, finished, bound = 0, chain_n = 0
        cdef int chain[MAX_CELLS]
        cdef const int64_t* words
        if self.on.splitting and 2 * most > n:
            return 1 + self.bound_subset(frequent, hits, parts, m) + self.bound_subset(
                subset & ~frequent, hits, parts, m)
        if not self.on.profile or 3 * most > n or left < 2:
            return 0
        memset(number, 0, (n + 1) * sizeof(int))
        for i in range(m):
            number[counts[i]] += 1
        for i in range(most, 0, -1):      # from the greatest count of a cell that is not certain
            for t in range(number[i]):
                chain[chain_n] = i
                chain_n += 1
        words = self.words + (left - 1 if self.on.leaf_counting else MAX_CELLS) * MAX_CELLS
        for t in range(MAX_CELLS):
            finished = 0
            for s in range(t + 1):
                i = t - s
                if i < chain_n:
                    finished += <int>min(<int64_t>chain[i], words[s])
            if finished >= n:
                break
            bound += n - finished
        return bound

    cdef int search_subset(self, uint64_t subset, int hits, const uint64_t* columns, int columns_n,
                           int limit, bint* exact) except -1 nogil:
        """The optimum of a subset if it is below `limit`, else a bound; `exact` says which.

        hits -- the most cells of a set, counting the columns that all of the subset have.
        """
        cdef uint64_t parts[MAX_CELLS]
        cdef int counts[MAX_CELLS]
        cdef int n = popcount(subset), m = 0, i, j, number, lower = 0, best, failed
        cdef int hit, missed, total, price, most
        cdef uint64_t h
        cdef Known* known = self.known + (scramble(subset) & (KNOWN - 1))
        cdef bint ignored
        exact[0] = True
        if n <= 2:
            return n - 1
        if self.on.memo and known.subset == subset and known.search == self.word_searches:
            lower = known.lower
            exact[0] = known.exact
            if known.exact or lower >= limit:
                return lower
        self.subsets += 1
        if self.subsets % (SUBSETS_PER_NODE * TICK) == 0:
            with gil:
                self.tick(self.nodes)
        most = 0
        for i in range(columns_n):
            h = columns[i] & subset
            number = popcount(h)
            if number == n:
                hits -= 1
            elif number:
                j = m
                m += 1
                if self.on.ordering:
                    while j > 0 and counts[j - 1] < number:
                        counts[j] = counts[j - 1]
                        parts[j] = parts[j - 1]
                        j -= 1
                counts[j] = number
                parts[j] = h
                most = max(most, number)
        if n == 3 or most == 1:
            exact[0] = True
            return 2 if n == 3 and most == 2 else n * (n - 1) // 2
        lower = max(lower, self.capped_bound(hits, n, most))
        if lower < limit:
            for i in range(m):
                if counts[i] == most:
                    lower = max(lower, self.bound_by_counts(
                        subset, n, hits, hits, parts[i], most, counts, parts, m))
                    break
        exact[0] = False
        if lower >= limit:
            return lower
        if self.on.forced and self.rule == OPTIMAL and most == n - 1 and counts[0] == most:
            total = 1 + self.search_subset(parts[0], hits, parts, m, limit - 1, exact)
            lower = max(lower, total)
        else:
            best, failed = limit, NEVER
            for i in range(m):
                h = parts[i]
                if self.rule == BEST_GREEDY and counts[i] < most:
                    continue
                if self.on.domination:         # inside a cell before it, which has as many or more
                    for j in range(i):
                        if h & ~parts[j] == 0:
                            break
                    else:
                        j = i
                    if j < i:
                        continue
                number = counts[i]
                price = n - number
                hit = self.capped_bound(hits - 1, number, min(most, number - 1))
                missed = self.capped_bound(hits, n - number, most)
                total = price + hit + missed
                if total < best:
                    missed = max(missed, self.bound_subset(subset & ~h, hits, parts, m))
                    hit = max(hit, self.bound_subset(h, hits, parts, m))
                    total = price + hit + missed
                if total < best:
                    if number <= n - number:
                        hit = self.search_subset(
                            h, hits, parts, m, best - price - missed, &ignored)
                        if price + hit + missed < best:
                            missed = self.search_subset(
                                subset & ~h, hits, parts, m, best - price - hit, &ignored)
                    else:
                        missed = self.search_subset(
                            subset & ~h, hits, parts, m, best - price - hit, &ignored)
                        if price + hit + missed < best:
                            hit = self.search_subset(
                                h, hits, parts, m, best - price - missed, &ignored)
                    total = price + hit + missed
                if total >= best:
                    failed = min(failed, total)
                    continue
                best = total
                if best == lower:
                    break
            exact[0] = best < limit
            lower = max(lower, best if best < limit else failed)
        known.subset = subset
        known.search = self.word_searches
        known.lower = lower
        known.exact = exact[0]
        return lower

    cdef bint search_factors(self, Node* node, int64_t limit) except -1 nogil:
        """Whether the family is a product; then it is searched factor by factor."""
        cdef int part_of[MAX_CELLS]
        cdef Cells mask[MAX_CELLS]
        cdef Node* factors[MAX_CELLS]
        cdef int m = node.m, c, d, e, i, j, parts = 0, number
        cdef int64_t product = 1, times, total
        cdef Cells* rows
        for c in range(m):
            part_of[c] = -1
        for c in range(m):         # classes of cells linked by dependent pairs
            if part_of[c] >= 0:
                continue
            mask[parts] = 0
            part_of[c] = parts
            i = 1
            while i:
                i = 0
                for d in range(m):
                    if part_of[d] == parts and not mask[parts] & one(node.cell[d]):
                        mask[parts] |= one(node.cell[d])
                        i = 1
                        for e in range(m):
                            if part_of[e] < 0 and (<int64_t>node.pair[d * m + e] * node.n
                                                   != <int64_t>node.count[d] * node.count[e]):
                                part_of[e] = parts
            parts += 1
        if parts == 1:
            return False
        rows = <Cells*>malloc(node.n * sizeof(Cells))
        if rows == NULL:
            with gil:
                raise MemoryError
        memset(factors, 0, sizeof(factors))
        try:
            for j in range(parts):
                for i in range(node.n):
                    rows[i] = node.rows[i] & mask[j]
                qsort(rows, node.n, sizeof(Cells), ascending_cells)
                number = 1
                for i in range(1, node.n):
                    if rows[i] != rows[number - 1]:
                        rows[number] = rows[i]
                        number += 1
                product *= number
                if product > node.n:
                    return False
                factors[j] = self.new_node(number, m, node.budget)
                memcpy(factors[j].rows, rows, number * sizeof(Cells))
            if product != node.n:
                return False
            total = 0
            for j in range(parts):
                self.open(factors[j], INFINITE)
                total += node.n // factors[j].n * factors[j].lower
            for j in range(parts):
                times = node.n // factors[j].n
                total -= times * factors[j].lower
                self.search(factors[j], (limit - total + times - 1) // times)
                total += times * factors[j].lower
                if total >= limit:
                    node.lower = max(node.lower, total)
                    return True
            node.lower, node.exact = total, True
            return True
        finally:
            free(rows)
            for j in range(parts):
                self.free_node(factors[j])

    # For Python

    cdef Node* family(self, const int32_t[::1] family, int budget) except NULL:
        """The node of a family given by ascending indices, not yet opened."""
        cdef Node* node
        cdef Py_ssize_t i
        if family.shape[0] == 0:
            raise ValueError("an empty family has no optimum")
        if (self.objective == MEAN) != (budget == -1) or not -1 <= budget < MAX_CELLS:
            raise ValueError(f"a budget of {budget} does not go with the objective")
        for i in range(family.shape[0]):
            if not 0 <= family[i] < self.n or (i and family[i] <= family[i - 1]):
                raise ValueError(f"index {family[i]} of the family is out of range or order")
        node = self.new_node(<int>family.shape[0], self.cells, budget)
        for i in range(family.shape[0]):
            node.rows[i] = self.sets[family[i]]
            if node.weights != NULL:
                node.weights[i] = self.weights[family[i]]
        return node

    cdef require_bounds(self):
        if self.rule == WORST_GREEDY:
            raise ValueError("the rule 'worst greedy' has no bounds; ask for solve")

    def solve(self, const int32_t[::1] family, int budget=-1, long long limit=1 << 60):
        """The least cost of a family (ascending int32 indices): exact if below `limit`.

        Else some lower bound that is >= limit. FORBIDDEN if every strategy breaks the budget.
        Under the rule `worst greedy` it is the greatest cost and exact.
        """
        cdef Node* node = self.family(family, budget)
        limit = min(limit, FORBIDDEN)
        try:
            with nogil:
                if self.rule == WORST_GREEDY:
                    self.search_worst(node)
                else:
                    self.open(node, limit)
                    self.search(node, limit)
            return node.lower
        finally:
            self.free_node(node)

    def after(self, const int32_t[::1] family, int cell, int budget=-1, long long limit=1 << 60):
        """The least cost when an undecided cell is shot first: exact if below `limit`."""
        cdef Node* node = self.family(family, budget)
        cdef int64_t missed = 0, value
        cdef Py_ssize_t i, n = 0
        limit = min(limit, FORBIDDEN)
        try:
            self.require_bounds()
            if not 0 <= cell < self.cells:
                raise ValueError(f"cell {cell} is not undecided")
            for i in range(node.n):
                if not node.rows[i] & one(cell):
                    missed += 1 if node.weights == NULL else node.weights[i]
                    n += 1
            if n == 0 or n == node.n:
                raise ValueError(f"cell {cell} is not undecided")
            node.m = self.cells
            with nogil:
                value = self.shoot(node, one(cell), self.charge(budget, missed), 0, 0, limit)
            return value
        finally:
            self.free_node(node)

    def shots(self, const int32_t[::1] family, int budget=-1):
        """The undecided cells that the rule allows, in the order of the search: (cell, bound).

        bound -- no strategy that shoots the cell first costs less.
        """
        cdef Node* node = self.family(family, budget)
        cdef int i
        try:
            self.require_bounds()
            node.whole = True
            self.take_stock(node)
            if node.n == 1:
                return []
            self.count_pairs(node)
            self.list_shots(node)
            return [(node.cell[node.shots[i].cell], node.shots[i].bound)
                    for i in range(node.shots_n)]
        finally:
            self.free_node(node)

    def lower_bound(self, const int32_t[::1] family, int budget=-1):
        """What the bounds say of a family without a search."""
        cdef Node* node = self.family(family, budget)
        try:
            self.require_bounds()
            self.take_stock(node)
            if not self.at_sight(node):
                self.count_pairs(node)
                node.lower = self.bound_of(node)
            return node.lower
        finally:
            self.free_node(node)

    def normal_form(self, const int32_t[::1] family, int budget=-1):
        """The key of a family (bytes): families with equal keys have equal optima."""
        cdef Node* node = self.family(family, budget)
        try:
            self.take_stock(node)
            if node.n == 1:            # every cell is certain; searches do not look it up
                node.rows[0] = 0
            self.make_key(node)
            return node.key[:node.key_length]
        finally:
            self.free_node(node)
