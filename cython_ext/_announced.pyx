"""Branch and bound where sinkings are announced.

An *item* is what a configuration still hides: its ships less the cells hit, without those sunk,
each with its label (its length where the length is announced, else 0), and a weight. A *state* is a
list of distinct items that the replies so far leave. All its items have the same number k of cells
to hit and the same labels, because they got the same replies. A shot at cell c splits a state by
reply:

    missed     the items without c
    hit        those in which another cell of the ship at c is left; c is taken off
    sunk, l    those with a ship {c} of label l; that ship is taken off

The total number of shots is k * weight + misses, so that only misses cost:

    value(F, b) = min over cells c of  sum over hit and sunk of value(part, b)
                                       + value(missed, b - 1) + weight(missed) * price(b)

with a budget b of misses, of which `objectives.pxd` says the price.

**A certain cell** (in all items) costs nothing, but when it is shot decides which shot is answered
by the sinking; it is a candidate like others. Two things may be taken off:

- *A ship that all items have*, cells and label. Replies on its cells are the same in all items, and
  it has no part in other replies; so leaving out these shots makes a strategy for the rest, and
  adding them at the end makes one for the whole, of the same misses.
- See domination.

**Domination.** Let c be a cell that lies in the ship of label l in every item that has c, where l
is the label of one ship only, and let all items that have d have c. Then c is as good a first shot
as d. Take a strategy S that begins with d. Shoot c. If it misses, d would have missed as well: go
on as S does after that. If it hits, play S without its shot at c, answering S as if c were not shot
yet: a sinking of label l is reported as a hit, all other replies as they are, and its shot at c is
answered by the sinking if the label l has been announced, else by a hit. These are the replies S
would get, since c's ship is the only one of label l. No item misses more often than with S. In
particular a certain cell of this kind may be shot at once; and where one ship is left every cell is
of this kind.

**Leaf counting and profile.** Let A(t) be the greatest weight that can be finished with at most t
misses. A configuration that misses j times costs price(b) + ... + price(b - j + 1), hence

    value(F, b) >= sum over t >= 0 of price(b - t) * (weight(F) - A(t))+.

The replies of a game with k hits and j misses are a sequence that ends in a sinking, and the items that
get one sequence have the same cells: those of its hits. (They need not be one item: {AB, C} and {BC, A}
both answer B, A, C by hit, sunk, sunk.) There are C(k - 1 + j, j) places of the misses, and at most
w = C(k - 1, s - 1) * s! / prod(m_l!) sequences of hits and sinkings for s ships, m_l of them of label
l; fewer, since r ships sunk of label l take the cells of the r smallest ones at least: a sinking at
the p-th hit, after which r_l ships of label l are sunk, needs sum over l and i <= r_l of (the least
size, over all items, of the i-th smallest ship of label l) <= p. We count the sequences that satisfy
this. So, with items of the same cells taken as one *group*, leaf counting: A(t) is at most the
weight of the w * C(k + t, t) heaviest groups. Profile: an item with at most t misses has one of the
first t + 1 cells of the chain of shots that all miss, so A(t) is at most the sum of the t + 1
largest weights of a cell. Both together: what is finished after i misses of that chain and a hit
has sequences of k - 1 more replies and t - i misses, w * C(k - 1 + t - i, t - i) of them over all
replies to the hit, so

    A(t) <= sum over i = 0..t of min(i-th largest weight of a cell, B(t - i)),

where B(m) is the weight of the w * C(k - 1 + m, m) heaviest groups, or the largest over the cells d
of the sum of the A(m) of the parts of F hit at d. (Sums of min(a, b) are largest when both are
sorted. The chain's families are parts of F, so what bounds F bounds them.)

**Small cases.** One item: 0. Two items X and Y: 0 if a ship of one lies in the cells common to both
and is not a ship (cells and label) of the other, else min(weight) * price(b). Proof: one miss of the
lighter item always suffices. For no miss all shots have to be common cells until a reply differs.
If S is such a ship of X, shoot its cells; if Y answers the same, Y has a ship S' with the last cell
and with S' < S, and shooting S' first tells. Without such a ship common cells sink the same ships
in both. k = 1: shoot by falling weight.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset

import numpy as np

from cells cimport MAX_CELLS, Cells, first, high, join, low, one, size
from hashing cimport scramble
from leaves cimport TIMES, fill_leaves
from objectives cimport FORBIDDEN, INFINITE, MEAN, WITHIN, WORST, objective_of, price
from optsearch._effort cimport Effort, count_node
from optsearch._table cimport MemoryTable, hash_bytes
from options cimport Switches

cdef enum:
    MAX_CODES = 17             # hit, and sunk for each of at most 15 different lengths
    MAX_VECTORS = 96
    MISSED = -1                # the part of a shot that no reply code names
    MEMO_FROM = 3              # smaller states are solved faster than they are looked up
    DISK_FROM = 16             # so are these, against a look-up on disk
    NO_BUDGET = 1 << 20

cdef int64_t MANY = <int64_t>1 << 31     # more leaves than any state has items


cdef struct State:
    Cells* items               # a row an item: its weight, then its ships; heaviest first
    int n, s, k                # items, ships of each, cells of each
    int budget                 # NO_BUDGET: none
    bint apart                 # no two items have the same cells, so no two parts of them merge
    unsigned char labels[MAX_CELLS]    # of the ships, falling; ships of one label ascend as numbers


cdef struct Candidate:
    int64_t bound              # no strategy that shoots this cell first costs less
    int64_t bound_missed, weight_missed
    int cell, index, n_missed


cdef struct Stock:             # what one look at all items of a state tells
    char* space                # one block for all arrays
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


cdef struct Ranked:
    uint64_t rank
    int item


cdef int heavier(const void* a, const void* b) noexcept nogil:
    cdef uint64_t x = low((<const Cells*>a)[0]), y = low((<const Cells*>b)[0])
    return (x < y) - (x > y)


cdef int lower_cells(const void* a, const void* b) noexcept nogil:
    cdef Cells x = (<const Cells*>a)[1], y = (<const Cells*>b)[1]
    return (x > y) - (x < y)


cdef int lower_rank(const void* a, const void* b) noexcept nogil:
    cdef uint64_t x = (<const Ranked*>a).rank, y = (<const Ranked*>b).rank
    return (x > y) - (x < y)


cdef inline int64_t weight_of(const Cells* item) noexcept nogil:
    return <int64_t>low(item[0])


cdef inline Cells cells_of(const Cells* item, int s) noexcept nogil:
    cdef Cells cells = 0
    cdef int i
    for i in range(1, s + 1):
        cells |= item[i]
    return cells


cdef void order_ships(Cells* item, const unsigned char* labels, int s) noexcept nogil:
    """Ships of one label in ascending order."""
    cdef int i, j
    cdef Cells ship
    for i in range(1, s):
        ship = item[1 + i]
        j = i
        while j > 0 and labels[j - 1] == labels[i] and item[j] > ship:
            item[1 + j] = item[j]
            j -= 1
        item[1 + j] = ship


cdef int merge(State* state) except -1 nogil:
    """Equal items become one; the heaviest first again."""
    cdef int stride = state.s + 1, i, j, n = 0, slots = 4
    cdef int32_t* table
    cdef uint64_t hash
    cdef Cells* item
    while slots < 2 * state.n:
        slots *= 2
    table = <int32_t*>malloc(slots * sizeof(int32_t))
    if table == NULL:
        with gil:
            raise MemoryError
    memset(table, 0, slots * sizeof(int32_t))
    for i in range(state.n):
        item = state.items + i * stride
        hash = hash_bytes(<unsigned char*>(item + 1), state.s * sizeof(Cells)) & (slots - 1)
        while table[hash]:
            j = table[hash] - 1
            if memcmp(state.items + j * stride + 1, item + 1, state.s * sizeof(Cells)) == 0:
                state.items[j * stride] += item[0]
                break
            hash = (hash + 1) & (slots - 1)
        else:
            if n != i:
                memcpy(state.items + n * stride, item, stride * sizeof(Cells))
            n += 1
            table[hash] = n
    free(table)
    state.n = n
    for i in range(1, n):
        if weight_of(state.items + i * stride) > weight_of(state.items + (i - 1) * stride):
            qsort(state.items, n, stride * sizeof(Cells), heavier)
            break
    return 0


cdef int take_part(const State* state, int cell, int code, int label, int n,
                   State* part) except -1 nogil:
    """Make the part of n items that reply `code` (0 a hit, MISSED, else a sinking of `label`).

    The caller frees part.items, which begins as NULL.
    """
    cdef Cells bit = one(cell)
    cdef const Cells* item
    cdef Cells* out
    cdef int i, j, k, gone
    part.n = n
    part.s, part.k, part.budget, part.apart = state.s, state.k, state.budget, state.apart
    memcpy(part.labels, state.labels, state.s)
    if code != MISSED:
        part.k -= 1
    elif part.budget != NO_BUDGET:
        part.budget -= 1
    if code > 0:
        part.s -= 1
        j = 0
        while state.labels[j] != label:
            j += 1
        for i in range(j, part.s):
            part.labels[i] = state.labels[i + 1]
    part.items = <Cells*>malloc(n * (part.s + 1) * sizeof(Cells))
    if part.items == NULL:
        with gil:
            raise MemoryError
    out = part.items
    for i in range(state.n):
        item = state.items + i * (state.s + 1)
        gone = 0
        for j in range(1, state.s + 1):
            if item[j] & bit:
                gone = j
                break
        if gone == 0:
            if code != MISSED:
                continue
            memcpy(out, item, (state.s + 1) * sizeof(Cells))
        elif code == MISSED:
            continue
        elif item[gone] == bit:
            if code == 0 or state.labels[gone - 1] != label:
                continue
            memcpy(out, item, gone * sizeof(Cells))
            memcpy(out + gone, item + gone + 1, (state.s - gone) * sizeof(Cells))
        else:
            if code != 0:
                continue
            memcpy(out, item, (state.s + 1) * sizeof(Cells))
            out[gone] ^= bit
            k = gone               # it became less: move it up among the ships of its label
            while k > 1 and part.labels[k - 2] == part.labels[k - 1] and out[k - 1] > out[k]:
                out[k - 1], out[k] = out[k], out[k - 1]
                k -= 1
        out += part.s + 1
    if code != MISSED and not part.apart:
        merge(part)
    return 0


cdef bint has_own_ship(const Cells* x, const Cells* y, Cells common,
                       const State* state) noexcept nogil:
    """Whether x has a ship within the common cells that y has not."""
    cdef int i, j
    for i in range(state.s):
        if x[1 + i] & ~common:
            continue
        for j in range(state.s):
            if x[1 + i] == y[1 + j] and state.labels[i] == state.labels[j]:
                break
        else:
            return True
    return False


cdef void sort_by_label(Cells* item, unsigned char* labels, int s) noexcept nogil:
    """Ships by falling label."""
    cdef int i, j
    cdef Cells ship
    cdef unsigned char label
    for i in range(1, s):
        ship, label = item[1 + i], labels[i]
        j = i
        while j > 0 and labels[j - 1] < label:
            item[1 + j], labels[j] = item[j], labels[j - 1]
            j -= 1
        item[1 + j], labels[j] = ship, label


cdef int place_by_hash(Cells cells, const uint64_t* hash, int* place) noexcept nogil:
    """Number cells by their hashes; how many different hashes there are."""
    cdef int order[MAX_CELLS]
    cdef int n = 0, c, i, classes
    while cells:
        c = first(cells)
        cells &= cells - 1
        i = n
        n += 1
        while i > 0 and hash[order[i - 1]] > hash[c]:
            order[i] = order[i - 1]
            i -= 1
        order[i] = c
    classes = n
    for i in range(n):
        place[order[i]] = i
        if i and hash[order[i]] == hash[order[i - 1]]:
            classes -= 1
    return classes


cdef void strip(State* state) noexcept nogil:
    """Take off the ships that all items have."""
    cdef Cells every = ~<Cells>0, ship
    cdef int stride = state.s + 1, i, j, k, left
    cdef bint common
    cdef Cells* item
    cdef Cells* out
    for i in range(state.n):
        every &= cells_of(state.items + i * stride, state.s)
        if not every:
            return
    j = state.s
    while j > 0:
        stride = state.s + 1
        ship = state.items[j]
        common = not ship & ~every
        for i in range(1, state.n):
            if not common:
                break
            common = False
            item = state.items + i * stride
            for k in range(1, stride):
                if item[k] == ship and state.labels[k - 1] == state.labels[j - 1]:
                    common = True
        if common:
            left = state.labels[j - 1]
            out = state.items
            for i in range(state.n):
                item = state.items + i * stride
                for k in range(stride):
                    if k and item[k] == ship and state.labels[k - 1] == left:
                        continue
                    out[0] = item[k]
                    out += 1
            for k in range(j - 1, state.s - 1):
                state.labels[k] = state.labels[k + 1]
            state.s -= 1
            state.k -= size(ship)
        j -= 1


cdef void number_codes(const State* state, Stock* stock) noexcept nogil:
    """A code for each reply with a hit: 0 for a hit, then the labels, the least first."""
    cdef int j, codes = 1
    memset(stock.ships_of_code, 0, sizeof(stock.ships_of_code))
    for j in range(state.s - 1, -1, -1):           # ascending labels
        if j < state.s - 1 and state.labels[j] != state.labels[j + 1]:
            codes += 1
        stock.code[j] = codes
        stock.ships_of_code[codes] += 1
    stock.codes = codes + 1


cdef int make_space(const State* state, Stock* stock) except -1 nogil:
    """Memory for all arrays; those of counts begin at 0."""
    cdef int cells = stock.cells, codes = stock.codes, times = stock.times
    cdef int places = cells * codes
    cdef char* space
    cdef int64_t* at
    stock.space = space = <char*>malloc(sizeof(int64_t) * (
        4 * cells + 2 * places + places * cells + state.n + 1 + (2 * codes + 5) * times)
        + places * sizeof(int32_t))
    if space == NULL:
        with gil:
            raise MemoryError
    at = <int64_t*>space
    stock.cell_labels = <uint64_t*>at
    at += cells
    stock.total = at
    at += cells
    stock.part = at
    at += places
    stock.pair = at
    at += places * cells
    stock.part_bound = at
    at += places
    memset(space, 0, <char*>at - space)            # so far all are counts
    stock.heaviest = at
    at += state.n + 1
    stock.after = at
    at += (codes + 1) * times
    stock.leaves = at
    at += (codes + 1) * times
    stock.profile = at
    at += times
    stock.profile_sum = at
    at += times
    stock.best = at
    at += times
    stock.sorted = at
    at += cells
    stock.rest = at
    at += cells
    stock.part_items = <int32_t*>at
    memset(stock.part_items, 0, places * sizeof(int32_t))
    return 0


cdef void weigh_parts(const State* state, Stock* stock) noexcept nogil:
    """Fill `weight`, `total`, `cell_labels`, `part`, `part_items` and `pair`."""
    cdef int i, j, c, code, codes = stock.codes
    cdef const Cells* item
    cdef Cells others, ship, all_cells
    cdef int64_t weight
    cdef int64_t* pair
    for i in range(state.n):
        item = state.items + i * (state.s + 1)
        weight = weight_of(item)
        stock.weight += weight
        all_cells = cells_of(item, state.s)
        for j in range(state.s):
            ship = item[1 + j]
            code = stock.code[j] if ship & (ship - 1) == 0 else 0
            while ship:
                c = stock.index[first(ship)]
                ship &= ship - 1
                stock.cell_labels[c] |= <uint64_t>1 << stock.code[j]
                stock.total[c] += weight
                stock.part[c * codes + code] += weight
                stock.part_items[c * codes + code] += 1
                pair = stock.pair + (c * codes + code) * stock.cells
                others = all_cells
                while others:
                    pair[stock.index[first(others)]] += weight
                    others &= others - 1
                pair[c] -= weight                  # a part hit at c has c no more


cdef class AnnouncedSearch:
    """Solves states of one list of configurations.

    ships -- (n, s, 2) uint64: the cells of each ship of each configuration, hit or not.
    cells -- how many the board has.
    by_length -- whether a sinking tells the length.
    objective -- "mean", "worst" or "within".
    table, disk -- a MemoryTable, and an object with get(bytes) and put(bytes, int), or None.
    switches -- the booleans of SolverOptions by name; not all are read.
    tick -- called with the number of nodes after every thousand nodes or so; may raise.
    labels -- what the sinking of each ship tells, 1 to 255, where that is not its length.

    A family is an ascending int32 array of indices of configurations that the same replies leave,
    `hits` the mask of the cells hit, `budget` the misses still allowed; -1 means no budget (where
    `within` costs nothing). `mean` reads no budget.
    """

    cdef int configurations, ships, cells, objective
    cdef Cells* masks                              # [configuration * ships + ship]
    cdef int64_t* leaves                           # see leaves.pxd; at most MANY
    cdef unsigned char* key
    cdef Cells* images                             # space of make_key, as are the next two
    cdef Ranked* ranked
    cdef uint64_t ship_hash[MAX_CELLS]
    cdef Py_ssize_t key_length
    cdef uint64_t key_hash
    cdef bint by_length, labelled
    cdef unsigned char label_of[MAX_CELLS]         # of each ship, where labelled
    cdef Switches on
    cdef MemoryTable table
    cdef public object disk
    cdef readonly Effort effort

    def __cinit__(self, const uint64_t[:, :, ::1] ships, int cells, bint by_length, str objective,
                  MemoryTable table not None, disk, dict switches, tick, labels=()):
        cdef int i, j, n
        cdef Cells seen, ship, board
        self.objective, self.on, self.by_length = objective_of(objective), switches, by_length
        self.table, self.disk, self.effort = table, disk, Effort(tick)
        self.labelled = len(labels) > 0
        if self.labelled and (len(labels) != ships.shape[1] or ships.shape[1] > MAX_CELLS
                              or len(set(labels)) > MAX_CODES - 2):
            raise ValueError(f"{len(labels)} labels, or too many different ones")
        for j in range(len(labels)):
            self.label_of[j] = labels[j]
        self.cells = cells
        if not 1 <= cells <= MAX_CELLS:
            raise ValueError(f"{cells} cells; 1 to {MAX_CELLS} are handled")
        if ships.shape[2] != 2 or not 1 <= ships.shape[1] <= MAX_CELLS or not (
                1 <= ships.shape[0] < MANY // (1 << 10)):
            raise ValueError("ships are to be an array of shape (n, s, 2)")
        self.configurations, self.ships = <int>ships.shape[0], <int>ships.shape[1]
        n = self.configurations
        self.masks = <Cells*>PyMem_Malloc(n * self.ships * sizeof(Cells))
        self.leaves = <int64_t*>PyMem_Malloc(TIMES * TIMES * sizeof(int64_t))
        self.key = <unsigned char*>PyMem_Malloc(
            16 + self.ships + n * (self.ships * sizeof(Cells) + sizeof(int64_t)))
        self.images = <Cells*>PyMem_Malloc(n * (self.ships + 1) * sizeof(Cells))
        self.ranked = <Ranked*>PyMem_Malloc(n * sizeof(Ranked))
        if (self.masks == NULL or self.leaves == NULL or self.key == NULL
                or self.images == NULL or self.ranked == NULL):
            raise MemoryError
        fill_leaves(self.leaves, MANY)
        board = ~<Cells>0
        if self.cells < MAX_CELLS:
            board = one(self.cells) - 1
        for i in range(n):
            seen = 0
            for j in range(self.ships):
                ship = join(ships[i, j, 0], ships[i, j, 1])
                if not ship or ship & (seen | ~board):
                    raise ValueError(
                        f"ship {j} of configuration {i} is empty, overlaps or is off the board")
                seen |= ship
                self.masks[i * self.ships + j] = ship

    cdef inline int label(self, int j, Cells ship) noexcept nogil:
        """What the sinking of the j-th ship tells; 0 if only that a ship is sunk."""
        if not self.by_length:
            return 0
        return self.label_of[j] if self.labelled else size(ship)

    def __dealloc__(self):
        PyMem_Free(self.masks)
        PyMem_Free(self.leaves)
        PyMem_Free(self.key)
        PyMem_Free(self.images)
        PyMem_Free(self.ranked)

    @property
    def nodes(self):
        """States looked into so far."""
        return self.effort.nodes

    cdef inline int64_t binomial(self, int a, int b) noexcept nogil:
        return self.leaves[(a - b) * TIMES + b] if 0 <= b <= a else 0

    # One state

    cdef int take_stock(self, const State* state, Stock* stock) except -1 nogil:
        """The cells, and the weights of all parts. The caller frees stock.space."""
        cdef Cells cells
        cdef int i = 0
        stock.some, stock.every, stock.weight = 0, ~<Cells>0, 0
        for i in range(state.n):
            cells = cells_of(state.items + i * (state.s + 1), state.s)
            stock.some |= cells
            stock.every &= cells
        number_codes(state, stock)
        stock.cells = size(stock.some)
        stock.times = stock.cells - state.k + 2
        make_space(state, stock)
        i = 0
        cells = stock.some
        while cells:
            stock.cell[i] = first(cells)
            stock.index[first(cells)] = i
            cells &= cells - 1
            i += 1
        self.count_groups(state, stock)
        weigh_parts(state, stock)
        return 0

    cdef int count_groups(self, const State* state, Stock* stock) except -1 nogil:
        """Fill `heaviest`."""
        cdef int stride = state.s + 1, i, n = 0
        cdef Cells* groups                         # two entries each: its weight, its cells
        if state.apart:
            for i in range(state.n):
                stock.heaviest[i + 1] = weight_of(state.items + i * stride)
            stock.groups = state.n
        else:
            groups = <Cells*>malloc(2 * state.n * sizeof(Cells))
            if groups == NULL:
                with gil:
                    raise MemoryError
            for i in range(state.n):
                groups[2 * i] = state.items[i * stride]
                groups[2 * i + 1] = cells_of(state.items + i * stride, state.s)
            qsort(groups, state.n, 2 * sizeof(Cells), lower_cells)
            for i in range(1, state.n):
                if groups[2 * i + 1] == groups[2 * n + 1]:
                    groups[2 * n] += groups[2 * i]
                else:
                    n += 1
                    groups[2 * n], groups[2 * n + 1] = groups[2 * i], groups[2 * i + 1]
            stock.groups = n + 1
            qsort(groups, stock.groups, 2 * sizeof(Cells), heavier)
            for i in range(stock.groups):
                stock.heaviest[i + 1] = weight_of(groups + 2 * i)
            free(groups)
        stock.heaviest[0] = 0
        for i in range(stock.groups):
            stock.heaviest[i + 1] += stock.heaviest[i]
        return 0

    cdef void count_sequences(self, const State* state, const Stock* stock,
                          int64_t* sequences) noexcept nogil:
        """sequences[0] sequences of hits and sinkings at most, sequences[1 + code] of them with this first."""
        cdef int least[MAX_CODES * MAX_CELLS]      # [code * MAX_CELLS + r] of the r + 1 th ship
        cdef int radix[MAX_CODES + 1]
        cdef int64_t ways[2 * MAX_VECTORS]         # two rows by hits so far: [vector] completions
        cdef int need[MAX_VECTORS]                 # cells of the ships sunk at least
        cdef int sizes[MAX_CELLS]
        cdef int stride = state.s + 1, i, j, r, code, ship, vectors = 1, p, now, then
        cdef int64_t count
        for code in range(1, stock.codes):
            radix[code] = vectors
            vectors *= stock.ships_of_code[code] + 1
            if vectors > MAX_VECTORS:
                break
        radix[stock.codes] = vectors
        if vectors > MAX_VECTORS:
            self.count_all_sequences(state, stock, sequences)
            return
        for code in range(1, stock.codes):
            for r in range(stock.ships_of_code[code]):
                least[code * MAX_CELLS + r] = MAX_CELLS
        for i in range(state.n):
            j = 0
            while j < state.s:                     # the ships of one label, by size
                code = stock.code[j]
                r = 0
                while j < state.s and stock.code[j] == code:
                    ship = size(state.items[i * stride + 1 + j])
                    p = r
                    while p > 0 and sizes[p - 1] > ship:
                        sizes[p] = sizes[p - 1]
                        p -= 1
                    sizes[p] = ship
                    r += 1
                    j += 1
                for p in range(r):
                    least[code * MAX_CELLS + p] = min(least[code * MAX_CELLS + p], sizes[p])
        for i in range(vectors):
            need[i] = 0
            for code in range(1, stock.codes):
                r = i // radix[code] % (stock.ships_of_code[code] + 1)
                for p in range(r):
                    need[i] += least[code * MAX_CELLS + p]
        for i in range(vectors):
            ways[i] = 0
        ways[vectors - 1] = 1                      # all sunk after k hits
        now = 0
        for p in range(state.k - 1, -1, -1):
            then, now = now, MAX_VECTORS - now
            for i in range(vectors):
                count = ways[then + i] if i < vectors - 1 else 0
                if p == 0 and i == 0:
                    sequences[1] = count
                for code in range(1, stock.codes):
                    r = i // radix[code] % (stock.ships_of_code[code] + 1)
                    j = i + radix[code]
                    if r < stock.ships_of_code[code] and need[j] <= p + 1:
                        count += ways[then + j]
                        if p == 0 and i == 0:
                            sequences[1 + code] = ways[then + j]
                    elif p == 0 and i == 0:
                        sequences[1 + code] = 0
                ways[now + i] = min(count, MANY)
        sequences[0] = ways[now]

    cdef void count_all_sequences(self, const State* state, const Stock* stock,
                              int64_t* sequences) noexcept nogil:
        """The same by the formula alone."""
        cdef int kind, k, s, i, m, left
        for kind in range(stock.codes + 1):        # the state, hit, the sinkings
            k = state.k - (kind > 0)
            s = state.s - (kind > 1)
            left = 0                               # s! / prod(m_l!) as a product of binomials
            sequences[kind] = 1
            if k >= 1 and s >= 1:
                sequences[kind] = self.binomial(k - 1, s - 1)
            for i in range(1, stock.codes):
                m = stock.ships_of_code[i] - (i == kind - 1)
                left += m
                sequences[kind] = min(MANY, sequences[kind] * self.binomial(left, m))

    cdef void count_leaves(self, const State* state, Stock* stock) noexcept nogil:
        """Fill `after` and `leaves` from the numbers of sequences."""
        cdef int kind, k, m
        cdef int64_t sequences[MAX_CODES + 1]
        cdef int64_t more
        if self.on.leaf_counting:
            self.count_sequences(state, stock, sequences)
        for kind in range(stock.codes + 1):        # the state, hit, the sinkings
            k = max(1, state.k - (kind > 0))
            for m in range(stock.times):
                if not self.on.leaf_counting:
                    stock.after[kind * stock.times + m] = stock.weight
                    stock.leaves[kind * stock.times + m] = stock.weight
                    continue
                more = min(MANY, sequences[kind] * self.binomial(k - 1 + m, m))
                stock.after[kind * stock.times + m] = stock.heaviest[min(stock.groups, more)]
                more = min(MANY, sequences[kind] * self.binomial(k + m, m))
                stock.leaves[kind * stock.times + m] = stock.heaviest[min(stock.groups, more)]

    cdef int64_t bound(self, const Stock* stock, int kind, int64_t weight, int n, int budget,
                       bint profile) noexcept nogil:
        """Leaf counting and profile for a part whose n weights of a cell are in `sorted`, sorted.

        profile -- also write A(t) to `profile`.
        """
        cdef const int64_t* after = stock.after + kind * stock.times
        cdef const int64_t* leaves = stock.leaves + kind * stock.times
        cdef int64_t value = 0, most, covered
        cdef int t = 0, i
        if self.objective == WITHIN and not profile:
            t = budget
        while t < stock.times:
            most = leaves[t]
            if self.on.profile:
                covered = 0
                for i in range(min(t + 1, n)):
                    covered += min(stock.sorted[i], after[t - i])
                most = min(most, covered)
            if most >= weight:
                break
            if profile:
                stock.profile[t] = most
            if budget >= t and value < FORBIDDEN:
                value += price(self.objective, budget - t, weight - most)
            if not profile and budget <= t:
                return min(value, FORBIDDEN)
            t += 1
        if profile:
            while t < stock.times:
                stock.profile[t] = weight
                t += 1
        return min(value, FORBIDDEN)

    cdef int sort_part(self, const Stock* stock, const int64_t* counts) noexcept nogil:
        """The positive ones of the weights of all cells, the largest first, to `sorted`."""
        cdef int n = 0, c, i
        cdef int64_t weight
        for c in range(stock.cells):
            weight = counts[c]
            if weight:
                i = n
                n += 1
                while i > 0 and stock.sorted[i - 1] < weight:
                    stock.sorted[i] = stock.sorted[i - 1]
                    i -= 1
                stock.sorted[i] = weight
        return n

    cdef int64_t static_bound(self, const State* state, Stock* stock) noexcept nogil:
        """A bound for the state and, as `part_bound`, for all its parts with a hit.

        Afterwards `after` of kind 0 holds the lesser B(m).
        """
        cdef int c, code, n, t, place
        cdef int64_t weight
        cdef int64_t* profiles = stock.profile_sum
        cdef int64_t* best = stock.best
        self.count_leaves(state, stock)
        if not self.on.leaf_counting and not self.on.profile:
            return 0
        memset(best, 0, stock.times * sizeof(int64_t))
        for c in range(stock.cells):
            memset(profiles, 0, stock.times * sizeof(int64_t))
            for code in range(stock.codes):
                place = c * stock.codes + code
                weight = stock.part[place]
                if stock.part_items[place] > 1 and state.k > 1:
                    n = self.sort_part(stock, stock.pair + place * stock.cells)
                    stock.part_bound[place] = self.bound(
                        stock, 1 + code, weight, n, state.budget, True)
                    for t in range(stock.times):
                        profiles[t] += stock.profile[t]
                elif weight:
                    for t in range(stock.times):
                        profiles[t] += weight
            for t in range(stock.times):
                best[t] = max(best[t], profiles[t])
        if self.on.profile:
            for t in range(stock.times):
                stock.after[t] = min(stock.after[t], best[t])
        n = self.sort_part(stock, stock.total)
        return self.bound(stock, 0, stock.weight, n, state.budget, False)

    cdef int list_shots(self, const State* state, Stock* stock, bint prune,
                        Candidate* out) noexcept nogil:
        """The cells with their bounds, best first when `ordering`; how many.

        prune -- leave out cells that others dominate.
        """
        cdef Candidate candidate
        cdef int n = 0, c, d, i, code, place
        cdef int64_t* rest = stock.rest
        for c in range(stock.cells):
            if prune and self.on.domination and self.is_dominated(stock, c):
                continue
            candidate.cell, candidate.index = stock.cell[c], c
            candidate.weight_missed = stock.weight - stock.total[c]
            candidate.n_missed = state.n
            candidate.bound = 0
            for d in range(stock.cells):
                rest[d] = stock.total[d]
            for code in range(stock.codes):
                place = c * stock.codes + code
                if stock.part_items[place]:
                    candidate.n_missed -= stock.part_items[place]
                    candidate.bound += stock.part_bound[place]
                    for d in range(stock.cells):
                        rest[d] -= stock.pair[place * stock.cells + d]
            rest[c] = 0
            candidate.bound_missed = 0
            if candidate.n_missed > 1 and (self.on.leaf_counting or self.on.profile) and not (
                    state.budget == 0):
                i = self.sort_part(stock, rest)
                candidate.bound_missed = self.bound(
                    stock, 0, candidate.weight_missed, i,
                    state.budget if state.budget == NO_BUDGET else state.budget - 1, False)
            candidate.bound += candidate.bound_missed + price(self.objective, state.budget, candidate.weight_missed)
            if self.objective == WORST:
                candidate.bound = min(candidate.bound, FORBIDDEN)
            i = n
            n += 1
            if self.on.ordering:      # by bound, then by fewest misses, then by cell
                while i > 0 and (out[i - 1].bound > candidate.bound or (
                        out[i - 1].bound == candidate.bound
                        and out[i - 1].weight_missed > candidate.weight_missed)):
                    out[i] = out[i - 1]
                    i -= 1
            out[i] = candidate
        return n

    cdef bint is_dominated(self, const Stock* stock, int d) noexcept nogil:
        """Whether another cell is as good a first shot; of equals the first one stays."""
        cdef int c, code
        cdef int64_t both
        for c in range(stock.cells):
            if c == d or not self.dominates(stock, c) or stock.total[c] < stock.total[d]:
                continue
            if stock.total[c] == stock.total[d] and c > d and self.dominates(stock, d):
                continue
            both = 0
            for code in range(stock.codes):
                both += stock.pair[(d * stock.codes + code) * stock.cells + c]
            if both == stock.total[d]:
                return True
        return False

    cdef bint dominates(self, const Stock* stock, int c) noexcept nogil:
        """Whether all ships on the cell have one label, which no other ship has."""
        cdef uint64_t labels = stock.cell_labels[c]
        return labels & (labels - 1) == 0 and stock.ships_of_code[first(<Cells>labels)] == 1

    cdef int64_t at_sight(self, const State* state) noexcept nogil:
        """The optimum of states solved at sight; -1 for others."""
        cdef const Cells* x = state.items
        cdef const Cells* y = state.items + state.s + 1
        cdef Cells common
        cdef int i
        cdef int64_t value = 0
        if state.n == 1:
            return 0
        if self.objective == WITHIN and (state.budget < 0 or state.budget == NO_BUDGET):
            return 0
        if not self.on.small_cases:
            return -1
        if state.n == 2:
            common = cells_of(x, state.s) & cells_of(y, state.s)
            if has_own_ship(x, y, common, state) or has_own_ship(y, x, common, state):
                return 0
            return price(self.objective, state.budget, weight_of(y))
        if state.k == 1:               # one cell is left: shoot by falling weight
            if self.objective == WITHIN:
                for i in range(state.budget + 1, state.n):
                    value += weight_of(state.items + i * 2)
                return value
            if state.budget < state.n - 1:
                return FORBIDDEN
            for i in range(state.n):
                value += i * weight_of(state.items + i * 2)
            return value
        return -1

    cdef void make_key(self, const State* state, const Cells some) noexcept nogil:
        """Write the normal form of a state to `key`: equal keys, equal optimum.

        The objective, the budget, the labels as ranks, then the items, each as its ships and,
        unless all weights are 1, its weight. The cells are numbered anew, by `name_cells`, in any
        order: the whole state is in the key, and where a better one would have made keys equal a
        table hit is lost and nothing else.
        """
        cdef int place[MAX_CELLS]
        cdef int stride = state.s + 1, cells = size(some), cell_bytes = (cells + 7) // 8
        cdef int i, j, label = 0
        cdef bint weighted = False
        cdef const Cells* item
        cdef unsigned char* out = self.key
        self.name_cells(state, some, place)
        for i in range(state.n):
            weighted |= weight_of(state.items + i * stride) != 1
        self.rename(state, place, cells)
        out[0] = self.objective | weighted << 2
        out[1] = cells
        out[2] = state.s
        memcpy(out + 3, &state.budget, sizeof(int))
        out += 3 + sizeof(int)
        for j in range(state.s - 1, -1, -1):
            if j < state.s - 1 and state.labels[j] != state.labels[j + 1]:
                label += 1
            out[j] = label
        out += state.s
        for i in range(state.n):
            item = self.images + self.ranked[i].item * stride
            for j in range(state.s):
                memcpy(out, item + 1 + j, cell_bytes)  # little-endian: the low bytes come first
                out += cell_bytes
            if weighted:
                memcpy(out, item, sizeof(int64_t))
                out += sizeof(int64_t)
        self.key_length = out - self.key
        self.key_hash = hash_bytes(self.key, self.key_length)

    cdef void name_cells(self, const State* state, const Cells some, int* place) noexcept nogil:
        """Number the cells.

        With `isomorphism` their order comes from hashes that know only how cells, ships, items and
        weights lie in each other, refined while that tells more cells apart; equals stay in the
        order of the stock, as all do without it. Where the cells are on the grid does not matter
        for the optimum, so this finds its symmetries and many more.
        """
        cdef uint64_t hash[MAX_CELLS]
        cdef Cells left = some
        cdef int cells = 0, classes = 1, before
        while left:
            place[first(left)] = cells
            hash[first(left)] = 1
            cells += 1
            left &= left - 1
        if not self.on.isomorphism:
            return
        while classes < cells:
            before = classes
            self.hash_cells(state, some, hash)
            classes = place_by_hash(some, hash, place)
            if classes <= before:
                break

    cdef void hash_cells(self, const State* state, const Cells some, uint64_t* hash) noexcept nogil:
        """Hash each cell anew, with the ships and items it is in."""
        cdef uint64_t fresh[MAX_CELLS]
        cdef uint64_t of_item, of_ship
        cdef Cells left = some, ship
        cdef const Cells* item
        cdef int i, j, c
        while left:
            fresh[first(left)] = 0
            left &= left - 1
        for i in range(state.n):
            item = state.items + i * (state.s + 1)
            of_item = low(item[0])
            for j in range(state.s):
                ship = item[1 + j]
                of_ship = state.labels[j]
                while ship:
                    of_ship += hash[first(ship)]
                    ship &= ship - 1
                self.ship_hash[j] = of_ship = scramble(of_ship)
                of_item += of_ship
            of_item = scramble(of_item)
            for j in range(state.s):
                ship = item[1 + j]
                of_ship = scramble(of_item + 3 * self.ship_hash[j])
                while ship:
                    fresh[first(ship)] += of_ship
                    ship &= ship - 1
        left = some
        while left:
            c = first(left)
            left &= left - 1
            hash[c] = scramble(hash[c] * 5 + fresh[c])

    cdef void rename(self, const State* state, const int* place, int cells) noexcept nogil:
        """The items with their cells renamed, in `images`; their order, in `ranked`."""
        cdef int stride = state.s + 1, i, j
        cdef Cells ship, image
        cdef Cells* item
        cdef uint64_t rank
        for i in range(state.n):
            item = self.images + i * stride
            item[0] = state.items[i * stride]
            for j in range(state.s):
                image = 0
                ship = state.items[i * stride + 1 + j]
                while ship:
                    image |= one(place[first(ship)])
                    ship &= ship - 1
                item[1 + j] = image
            order_ships(item, state.labels, state.s)
            rank = 0
            for j in range(state.s):
                image = item[1 + j]
                if state.s * cells <= 64:
                    rank = rank << cells | low(image)
                else:
                    rank = scramble(rank + scramble(low(image)) + 3 * high(image))
            self.ranked[i].rank = rank
            self.ranked[i].item = i
        qsort(self.ranked, state.n, sizeof(Ranked), lower_rank)

    # Tables. A value is the optimum, or a bound below it: 2 * value + (1 if exact).

    cdef int recall(self, int n, int64_t* value) except -1 nogil:
        """Whether the state of n items whose normal form is in `key` has a value: set `value`."""
        if self.table.find(self.key, self.key_length, self.key_hash, value):
            return True
        if self.disk is not None and n >= DISK_FROM:
            with gil:
                found = self.disk.get(self.key[:self.key_length])
                if found is None:
                    return False
                value[0] = found
            self.table.store(self.key, self.key_length, self.key_hash, value[0])
            return True
        return False

    cdef int remember(self, int n, const unsigned char* key, Py_ssize_t length, uint64_t hash,
                      int64_t value) except -1 nogil:
        self.table.store(key, length, hash, value)
        if self.disk is not None and n >= DISK_FROM:
            with gil:
                self.disk.put(key[:length], value)
        return 0

    # The search

    cdef int64_t shoot(self, const State* state, const Stock* stock, const Candidate* candidate,
                       int64_t limit) except -1 nogil:
        """The cost when this cell is shot first: exact if below `limit`, else a bound >= limit."""
        cdef State part
        cdef int64_t value = candidate.bound, bound
        cdef int codes = stock.codes, done = 0, code, least, n, n_least = 0, label
        cdef const int32_t* items = stock.part_items + candidate.index * codes
        while value < limit:           # the smallest part first
            least = -2
            for code in range(MISSED, codes):
                n = candidate.n_missed if code == MISSED else items[code]
                if n > 1 and not done >> (code + 1) & 1 and (least == -2 or n < n_least):
                    least, n_least = code, n
            if least == -2:
                return value
            done |= 1 << (least + 1)
            if least == MISSED and state.budget == 0:
                continue               # nothing is left to lose
            bound = (candidate.bound_missed if least == MISSED
                     else stock.part_bound[candidate.index * codes + least])
            label = 0
            if least > 0:
                for n in range(state.s):
                    if stock.code[n] == least:
                        label = state.labels[n]
            part.items = NULL
            try:
                take_part(state, candidate.cell, least, label, n_least, &part)
                value += self.solve_state(&part, limit - value + bound) - bound
            finally:
                free(part.items)
        return min(value, FORBIDDEN) if self.objective == WORST else value

    cdef int64_t solve_state(self, State* state, int64_t limit) except -1 nogil:
        """The value of a state if it is below `limit`, else some bound of it that is >= limit.

        The state may lose ships that all its items have.
        """
        cdef Stock stock
        cdef Candidate* shots
        cdef int64_t value, best = limit, failed = INFINITE
        cdef unsigned char* key = NULL
        cdef Py_ssize_t key_length = 0
        cdef uint64_t key_hash = 0
        cdef Cells some = 0
        cdef int n, i
        value = self.at_sight(state)
        if value >= 0:
            return value
        count_node(self.effort)
        strip(state)
        value = self.at_sight(state)
        if value >= 0:
            return value
        for i in range(state.n):
            some |= cells_of(state.items + i * (state.s + 1), state.s)
        if state.budget >= size(some) - state.k:       # no configuration can miss so often
            if self.objective == WITHIN:
                return 0
            state.budget = NO_BUDGET
        if self.on.memo and state.n >= MEMO_FROM:
            self.make_key(state, some)
            if self.recall(state.n, &value) and (value & 1 or value >> 1 >= limit):
                return value >> 1
            key_length, key_hash = self.key_length, self.key_hash
        stock.space = NULL
        shots = NULL
        try:
            self.take_stock(state, &stock)
            value = self.static_bound(state, &stock)
            if value >= limit:
                return value
            shots = <Candidate*>malloc(stock.cells * sizeof(Candidate) + key_length)
            if shots == NULL:
                with gil:
                    raise MemoryError
            key = <unsigned char*>(shots + stock.cells)
            memcpy(key, self.key, key_length)
            n = self.list_shots(state, &stock, True, shots)
            for i in range(n):
                if shots[i].bound >= best:
                    failed = min(failed, shots[i].bound)
                    continue
                value = self.shoot(state, &stock, &shots[i], best)
                if value < best:
                    best = value
                else:
                    failed = min(failed, value)
            if key_length:
                self.remember(state.n, key, key_length, key_hash,
                              2 * best + 1 if best < limit else 2 * failed)
            return best if best < limit else failed
        finally:
            free(stock.space)
            free(shots)

    # For Python

    cdef int state_of(self, const int32_t[::1] family, hits, long long budget,
                      State* state) except -1:
        """Make the state of a family; the caller frees state.items."""
        cdef Py_ssize_t i
        cdef int j, s, stride
        cdef Cells hit, ship, seen
        cdef Cells* item
        cdef unsigned char labels[MAX_CELLS]
        if family.shape[0] == 0:
            raise ValueError("an empty family has no optimum")
        for i in range(family.shape[0]):
            if not 0 <= family[i] < self.configurations or (i and family[i] <= family[i - 1]):
                raise ValueError(f"index {family[i]} of the family is out of range or order")
        if hits < 0 or hits >> self.cells:
            raise ValueError(f"hits are a mask of {self.cells} cells, not {hits}")
        if budget < -1:
            raise ValueError(f"{budget} misses are no budget; -1 is none")
        hit = join(hits & 0xFFFFFFFFFFFFFFFF, hits >> 64)
        stride = self.ships + 1
        state.n = <int>family.shape[0]
        state.items = <Cells*>malloc(state.n * stride * sizeof(Cells))
        if state.items == NULL:
            raise MemoryError
        state.budget = NO_BUDGET
        if self.objective != MEAN and 0 <= budget < NO_BUDGET:
            state.budget = <int>budget
        try:
            item = state.items
            for i in range(family.shape[0]):
                s, seen, state.k = 0, 0, 0
                item[0] = 1
                for j in range(self.ships):
                    ship = self.masks[family[i] * self.ships + j]
                    seen |= ship & hit
                    if ship & ~hit:
                        labels[s] = self.label(j, ship)
                        item[1 + s] = ship & ~hit
                        state.k += size(ship & ~hit)
                        s += 1
                if seen != hit:
                    raise ValueError(f"configuration {family[i]} does not have all hits")
                sort_by_label(item, labels, s)
                if i == 0:
                    state.s = s
                    memcpy(state.labels, labels, s)
                elif s != state.s or memcmp(labels, state.labels, s):
                    raise ValueError(
                        f"configuration {family[i]} has other ships left than the first one: "
                        "they did not get the same replies")
                order_ships(item, labels, s)
                item += s + 1
            merge(state)
            self.set_apart(state)
        except BaseException:
            free(state.items)
            raise
        return 0

    cdef int set_apart(self, State* state) except -1:
        cdef int i
        seen = set()
        for i in range(state.n):
            cells = cells_of(state.items + i * (state.s + 1), state.s)
            seen.add((low(cells), high(cells)))
        state.apart = len(seen) == state.n
        return 0

    def solve(self, const int32_t[::1] family, hits, long long budget, long long limit=1 << 60):
        """The value of a family: exact if below `limit`; FORBIDDEN = 1 << 50 if `worst` cannot be met."""
        cdef State state
        cdef int64_t value
        self.state_of(family, hits, budget, &state)
        limit = min(limit, FORBIDDEN if self.objective == WORST else INFINITE)
        try:
            with nogil:
                value = self.solve_state(&state, limit)
        finally:
            free(state.items)
        return value

    def shots(self, const int32_t[::1] family, hits, long long budget):
        """The cells that some configuration has, in the order of the search: (cell, bound).

        bound -- no strategy that shoots the cell first costs less.
        """
        cdef State state
        cdef Stock stock
        cdef Candidate shots[MAX_CELLS]
        cdef int n, i
        self.state_of(family, hits, budget, &state)
        stock.space = NULL
        try:
            if state.k == 0:
                return []
            self.look(&state, &stock)
            n = self.list_shots(&state, &stock, False, shots)
            return [(shots[i].cell, shots[i].bound) for i in range(n)]
        finally:
            free(stock.space)
            free(state.items)

    def after(self, const int32_t[::1] family, hits, int cell, long long budget,
              long long limit=1 << 60):
        """The value when this cell is shot first: exact if below `limit`."""
        cdef State state
        cdef Stock stock
        cdef Candidate shots[MAX_CELLS]
        cdef int64_t value
        cdef int n, i
        self.state_of(family, hits, budget, &state)
        limit = min(limit, FORBIDDEN if self.objective == WORST else INFINITE)
        stock.space = NULL
        try:
            if state.k:
                self.look(&state, &stock)
                n = self.list_shots(&state, &stock, False, shots)
                for i in range(n):
                    if shots[i].cell == cell:
                        with nogil:
                            value = self.shoot(&state, &stock, &shots[i], limit)
                        return value
        finally:
            free(stock.space)
            free(state.items)
        raise ValueError(f"cell {cell} was hit before, or no configuration has it")

    cdef int64_t look(self, const State* state, Stock* stock) except -1:
        self.take_stock(state, stock)
        return self.static_bound(state, stock)

    def lower_bound(self, const int32_t[::1] family, hits, long long budget):
        """What leaf counting and profile, as far as they are on, say of the value."""
        cdef State state
        cdef Stock stock
        self.state_of(family, hits, budget, &state)
        stock.space = NULL
        try:
            strip(&state)
            return self.look(&state, &stock) if state.n > 1 else 0
        finally:
            free(stock.space)
            free(state.items)

    def normal_form(self, const int32_t[::1] family, hits, long long budget):
        """The key of a family (bytes): families with equal keys have equal values."""
        cdef State state
        cdef Cells some = 0
        cdef int i
        self.state_of(family, hits, budget, &state)
        try:
            strip(&state)
            for i in range(state.n):
                some |= cells_of(state.items + i * (state.s + 1), state.s)
            if state.budget >= size(some) - state.k:
                state.budget = NO_BUDGET
            self.make_key(&state, some)
            return self.key[:self.key_length]
        finally:
            free(state.items)

    def parts(self, const int32_t[::1] family, hits, int cell):
        """What each reply to a shot leaves: dict from a reply to its indices (int32).

        Reply 0 is a miss, 1 a hit, 2 a sinking, or 2 + length where the length is announced.
        """
        cdef State state
        cdef Cells hit, ship
        cdef int i, j, code
        if not 0 <= cell < self.cells or hits >> cell & 1:
            raise ValueError(f"cell {cell} was hit before, or is off the board")
        self.state_of(family, hits, -1, &state)
        free(state.items)
        hit = join(hits & 0xFFFFFFFFFFFFFFFF, hits >> 64) | one(cell)
        found = {}
        for i in family:
            code = 0
            for j in range(self.ships):
                ship = self.masks[i * self.ships + j]
                if ship & one(cell):
                    code = 1
                    if not ship & ~hit:
                        code = 2 + self.label(j, ship)
            found.setdefault(code, []).append(i)
        return {code: np.array(found[code], np.int32) for code in sorted(found)}
