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

The items of a state, and its parts after a shot, are in `_announced_state`, bounds and small cases in
`_announced_bounds`, and keys in `_announced_normal_form`.
"""

from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcmp, memcpy

import numpy as np

from arena cimport Arena, Mark, mark_of, release, release_all, take
from cells cimport MAX_CELLS, Cells, first, high, join, low, one, size
from objectives cimport FORBIDDEN, INFINITE, MEAN, WITHIN, WORST, objective_of, price
from optsearch.compiled._announced_bounds cimport AnnouncedBounds
from optsearch.compiled._announced_normal_form cimport write_key
from optsearch.compiled._announced_state cimport (
    MAX_CODES, MISSED, NO_BUDGET, State, Stock, cells_of, merge, order_ships, sort_by_label, strip,
    take_part, take_stock)
from optsearch.compiled._effort cimport Effort, count_node
from optsearch.compiled._memo cimport BOUNDED, SOLVED, UNKNOWN, Memo
from optsearch.compiled._table cimport Key, MemoryTable
from options cimport Switches

cdef enum:
    MEMO_FROM = 3              # smaller states are solved faster than they are looked up
    FAR_FROM = 16              # so are these, against a look-up on disk
    MOST = 1 << 21             # configurations


cdef struct Candidate:
    int64_t bound              # no strategy that shoots this cell first costs less
    int64_t bound_missed, weight_missed
    int cell, index, n_missed


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
    cdef bint by_length, labelled
    cdef unsigned char label_of[MAX_CELLS]         # of each ship, where labelled
    cdef Switches on
    cdef AnnouncedBounds bounds
    cdef Arena arena
    cdef readonly Memo memo
    cdef readonly Effort effort
    cdef public int team                           # of so many processes, which search the same

    def __cinit__(self, const uint64_t[:, :, ::1] ships, int cells, bint by_length, str objective,
                  MemoryTable table, disk, dict switches, tick, labels=()):
        cdef int i, j, n
        cdef Cells seen, ship, board
        self.objective, self.on, self.by_length = objective_of(objective), switches, by_length
        self.memo, self.effort = Memo(table, disk), Effort(tick)
        self.bounds = AnnouncedBounds(self.objective, self.on)
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
                1 <= ships.shape[0] < MOST):
            raise ValueError("ships are to be an array of shape (n, s, 2)")
        self.configurations, self.ships = <int>ships.shape[0], <int>ships.shape[1]
        n = self.configurations
        self.masks = <Cells*>PyMem_Malloc(n * self.ships * sizeof(Cells))
        if self.masks == NULL:
            raise MemoryError
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

    def __dealloc__(self):
        PyMem_Free(self.masks)
        release_all(&self.arena)

    @property
    def nodes(self):
        """States looked into so far."""
        return self.effort.nodes

    cdef inline int label(self, int j, Cells ship) noexcept nogil:
        """What the sinking of the j-th ship tells; 0 if only that a ship is sunk."""
        if not self.by_length:
            return 0
        return self.label_of[j] if self.labelled else size(ship)

    # Shots

    cdef int list_shots(self, const State* state, const Stock* stock, bint prune,
                        Candidate* out) noexcept nogil:
        """The cells with their bounds, best first when `ordering`; how many.

        prune -- leave out cells that others dominate.
        """
        cdef Candidate candidate
        cdef int n = 0, c, i, place
        for c in range(stock.cells):
            if prune and self.on.domination and is_dominated(stock, c):
                continue
            candidate.cell, candidate.index = stock.cell[c], c
            candidate.weight_missed = stock.weight - stock.total[c]
            candidate.n_missed = state.n
            candidate.bound = 0
            for place in range(c * stock.codes, (c + 1) * stock.codes):
                candidate.n_missed -= stock.part_items[place]
                candidate.bound += stock.part_bound[place]
            candidate.bound_missed = 0
            if candidate.n_missed > 1:
                candidate.bound_missed = self.bounds.bound_missed(state, stock, c)
            candidate.bound += candidate.bound_missed + price(
                self.objective, state.budget, candidate.weight_missed)
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

    # The search

    cdef int64_t shoot(self, const State* state, const Stock* stock, const Candidate* candidate,
                       int64_t limit, bint* busy) except -1 nogil:
        """The cost when this cell is shot first: exact if below `limit`, else a bound >= limit.

        busy -- or NULL; set where another process is at a part: what is returned is then a bound.
        """
        cdef State part
        cdef Mark mark = mark_of(&self.arena)
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
            take_part(state, candidate.cell, least, label, n_least, &part, &self.arena)
            value += self.solve_state(&part, limit - value + bound, busy) - bound
            release(&self.arena, mark)
            if busy != NULL and busy[0]:
                return value
        return min(value, FORBIDDEN) if self.objective == WORST else value

    cdef int64_t solve_state(self, State* state, int64_t limit, bint* busy=NULL) except -1 nogil:
        """The value of a state if it is below `limit`, else some bound of it that is >= limit.

        busy -- or NULL; set where another process is at the state: what is returned is then a bound
        that may be below the limit. The state may lose ships that all its items have. What is taken
        of the arena is left to whoever took the state.
        """
        cdef Stock stock
        cdef Candidate* shots
        cdef Key key
        cdef int64_t value
        cdef Cells some
        cdef int n, known
        cdef bint together = False, is_marked = False, is_heard
        value = self.bounds.at_sight(state)
        if value >= 0:
            return value
        count_node(self.effort)
        strip(state)
        value = self.bounds.at_sight(state)
        if value >= 0:
            return value
        some = some_of(state)
        ignore_budget(state, some)
        if state.budget == NO_BUDGET and self.objective == WITHIN:
            return 0
        key.bytes = NULL
        if self.on.memo and state.n >= MEMO_FROM:
            write_key(state, some, self.objective, self.on.isomorphism, &key, &self.arena)
            known = self.memo.recall(&key, state.n >= FAR_FROM, &value)
            if known == SOLVED or known == BOUNDED and value >= limit:
                return value
            together = self.team > 1 and self.memo.shared is not None and state.n >= FAR_FROM
            if together and busy != NULL and self.memo.shared.is_busy(&key):
                busy[0] = True
                return value if known == BOUNDED else 0
        take_stock(state, &stock, &self.arena)
        value = self.bounds.static_bound(state, &stock)
        if value >= limit:
            return value
        shots = <Candidate*>take(&self.arena, stock.cells * sizeof(Candidate))
        n = self.list_shots(state, &stock, True, shots)
        if together:
            is_marked = self.memo.shared.enter(&key)
        try:
            is_heard = self.try_shots(
                state, &stock, shots, n, limit, &value, &key if together else NULL)
            if key.bytes != NULL and not is_heard:
                self.memo.remember(&key, value, value < limit, state.n >= FAR_FROM,
                                   state.n >= FAR_FROM)
        finally:
            if is_marked:
                self.memo.shared.leave(&key)
        return value

    cdef bint try_shots(self, const State* state, const Stock* stock, Candidate* shots, int n,
                        int64_t limit, int64_t* found, const Key* key) except -1 nogil:
        """Set `found` to the least cost of a shot if it is below the limit, else to a bound.

        key -- of the state, where processes search the same, else NULL. A shot is put off while
        another process seems to be at a part after it, until the other shots are done. True where
        another process answered.
        """
        cdef int64_t value, best = limit, failed = INFINITE
        cdef Cells waiting = 0
        cdef bint busy
        cdef int i, turn, known
        for turn in range(2):
            for i in range(n):
                if turn and not waiting & one(i):
                    continue
                if shots[i].bound >= best:
                    failed = min(failed, shots[i].bound)
                    continue
                busy = False
                value = self.shoot(state, stock, &shots[i], best,
                                   &busy if key != NULL and i and not turn else NULL)
                if busy and value < best:
                    waiting |= one(i)
                elif value < best:
                    best = value
                else:
                    failed = min(failed, value)
                known = UNKNOWN if key == NULL else self.memo.hear(key, &value)
                if known == SOLVED or known == BOUNDED and value >= limit:
                    found[0] = value
                    return True
                if known == BOUNDED and value >= best:
                    found[0] = best
                    return False
            if not waiting:
                break
        found[0] = best if best < limit else failed
        return False

    # For Python

    cdef int state_of(self, const int32_t[::1] family, hits, long long budget,
                      State* state) except -1:
        """Make the state of a family."""
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
        state.items = item = <Cells*>take(&self.arena, state.n * stride * sizeof(Cells))
        state.budget = NO_BUDGET
        if self.objective != MEAN and 0 <= budget < NO_BUDGET:
            state.budget = <int>budget
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
        merge(state, &self.arena)
        state.apart = is_apart(state)
        return 0

    def solve(self, const int32_t[::1] family, hits, long long budget, long long limit=1 << 60):
        """The value of a family: exact if below `limit`; FORBIDDEN = 1 << 50 if `worst` cannot be met."""
        cdef State state
        cdef int64_t value
        cdef Mark mark = mark_of(&self.arena)
        limit = min(limit, FORBIDDEN if self.objective == WORST else INFINITE)
        try:
            self.state_of(family, hits, budget, &state)
            with nogil:
                value = self.solve_state(&state, limit)
            return value
        finally:
            release(&self.arena, mark)

    cdef int look(self, const int32_t[::1] family, hits, long long budget, State* state,
                  Stock* stock, Candidate* shots) except -1:
        """Make the state of a family, take stock of it and list its shots; how many."""
        self.state_of(family, hits, budget, state)
        if state.k == 0:
            return 0
        take_stock(state, stock, &self.arena)
        self.bounds.static_bound(state, stock)
        return self.list_shots(state, stock, False, shots)

    def shots(self, const int32_t[::1] family, hits, long long budget):
        """The cells that some configuration has, in the order of the search: (cell, bound).

        bound -- no strategy that shoots the cell first costs less.
        """
        cdef State state
        cdef Stock stock
        cdef Candidate shots[MAX_CELLS]
        cdef Mark mark = mark_of(&self.arena)
        cdef int i
        try:
            return [(shots[i].cell, shots[i].bound)
                    for i in range(self.look(family, hits, budget, &state, &stock, shots))]
        finally:
            release(&self.arena, mark)

    def after(self, const int32_t[::1] family, hits, int cell, long long budget,
              long long limit=1 << 60):
        """The value when this cell is shot first: exact if below `limit`."""
        cdef State state
        cdef Stock stock
        cdef Candidate shots[MAX_CELLS]
        cdef int64_t value
        cdef int i
        cdef Mark mark = mark_of(&self.arena)
        limit = min(limit, FORBIDDEN if self.objective == WORST else INFINITE)
        try:
            for i in range(self.look(family, hits, budget, &state, &stock, shots)):
                if shots[i].cell == cell:
                    with nogil:
                        value = self.shoot(&state, &stock, &shots[i], limit, NULL)
                    return value
        finally:
            release(&self.arena, mark)
        raise ValueError(f"cell {cell} was hit before, or no configuration has it")

    def lower_bound(self, const int32_t[::1] family, hits, long long budget):
        """What leaf counting and profile, as far as they are on, say of the value."""
        cdef State state
        cdef Stock stock
        cdef Mark mark = mark_of(&self.arena)
        try:
            self.state_of(family, hits, budget, &state)
            strip(&state)
            if state.n == 1:
                return 0
            take_stock(&state, &stock, &self.arena)
            return self.bounds.static_bound(&state, &stock)
        finally:
            release(&self.arena, mark)

    def normal_form(self, const int32_t[::1] family, hits, long long budget):
        """The key of a family (bytes): families with equal keys have equal values."""
        cdef State state
        cdef Key key
        cdef Cells some
        cdef Mark mark = mark_of(&self.arena)
        try:
            self.state_of(family, hits, budget, &state)
            strip(&state)
            some = some_of(&state)
            ignore_budget(&state, some)
            write_key(&state, some, self.objective, self.on.isomorphism, &key, &self.arena)
            return key.bytes[:key.length]
        finally:
            release(&self.arena, mark)

    def parts(self, const int32_t[::1] family, hits, int cell):
        """What each reply to a shot leaves: dict from a reply to its indices (int32).

        Reply 0 is a miss, 1 a hit, 2 a sinking, or 2 + length where the length is announced.
        """
        cdef State state
        cdef Cells hit, ship
        cdef Mark mark = mark_of(&self.arena)
        cdef int i, j, code
        if not 0 <= cell < self.cells or hits >> cell & 1:
            raise ValueError(f"cell {cell} was hit before, or is off the board")
        try:
            self.state_of(family, hits, -1, &state)
        finally:
            release(&self.arena, mark)
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


cdef bint is_apart(const State* state) except -1:
    """Whether no two items have the same cells."""
    cdef Cells cells
    cdef int i
    seen = set()
    for i in range(state.n):
        cells = cells_of(state.items + i * (state.s + 1), state.s)
        seen.add((low(cells), high(cells)))
    return len(seen) == state.n


cdef Cells some_of(const State* state) noexcept nogil:
    """The cells that some items have."""
    cdef Cells some = 0
    cdef int i
    for i in range(state.n):
        some |= cells_of(state.items + i * (state.s + 1), state.s)
    return some


cdef void ignore_budget(State* state, Cells some) noexcept nogil:
    """Take off a budget that no configuration can use up."""
    if state.budget >= size(some) - state.k:
        state.budget = NO_BUDGET


cdef bint is_dominated(const Stock* stock, int d) noexcept nogil:
    """Whether another cell is as good a first shot; of equals the first one stays."""
    cdef int c, code
    cdef int64_t both
    for c in range(stock.cells):
        if c == d or not dominates(stock, c) or stock.total[c] < stock.total[d]:
            continue
        if stock.total[c] == stock.total[d] and c > d and dominates(stock, d):
            continue
        both = 0
        for code in range(stock.codes):
            both += stock.pair[(d * stock.codes + code) * stock.cells + c]
        if both == stock.total[d]:
            return True
    return False


cdef bint dominates(const Stock* stock, int c) noexcept nogil:
    """Whether all ships on the cell have one label, which no other ship has."""
    cdef uint64_t labels = stock.cell_labels[c]
    return labels & (labels - 1) == 0 and stock.ships_of_code[first(<Cells>labels)] == 1
