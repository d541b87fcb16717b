"""Branch and bound for the least cost of a family, with every bound and reduction a switch.

A *family* is a list of distinct sets of cells, each with a weight. A shot at a cell splits it into the
sets without the cell (missed), and parts of the others by reply. A set ends the game when it is the
only one left, and pays for the misses before that; the optimum is

    M(F, b) = min over cells c of  sum over replies of M(F that replies so at c, b)
                                   + M(F missed at c, b - 1) + price(b) * weight(F missed at c),

where the budget b is the number of misses still allowed and price(b) is the cost of a miss
(`objectives.pxd`).

Hits are of three kinds: NOTHING, with one reply; LABELS, where the reply is a label that the set has for
the cell; or SINKINGS, where the reply at the last cell of a ship is its label (`_ships`).

The sets of a game have one size. In other families a set may contain another; then the bounds by
profiles and by prices, which assume that every set is hit in the end, do not hold and are off.

Reductions that keep M(F, b), with any kind of replies:

- Cells and ships that are alike in all sets are left out (`_ships`; if hits tell nothing, a cell in
  every set).
- domination: a cell d need not be shot before c, if every set with d has c. From a strategy S that
  shoots d first make one that shoots c first. On a miss continue as S after its miss at d. On a hit
  play S without its shot at c, whose reply is known from the hit. No set misses more often than
  under S. So with LABELS a cell that all sets have is shot first.
  With SINKINGS that holds if all ships on c have one label, which only one ship has: play S as if c were
  not shot yet. Report a sinking of that label to S as a hit and all other replies unchanged. Answer the
  shot of S at c by the sinking if the label has been announced, else by a hit.
- names: a family with SINKINGS costs at least as much as its parts with LABELS, by the number of cells
  that each ship has left; see `bound_by_names`.

With NOTHING alone, because they take a certain hit for free, or an item out of a family:

- merging: two cells in exactly the same sets are one. After a shot at one, the other is a certain
  hit or in no set.
- products: if F is the product of G and H on disjoint cells, M(F) = |H| M(G) + |G| M(H). If the
  part in H is known, a strategy for F is one for G, and so for every part; and the strategies for
  G and H played one after the other attain it. (mean, equal weights)

Under the rule `best greedy` only cells of the greatest weight are shot, each time the best of them, under
`worst greedy` the worst, and under `first greedy` the first (mean, with NOTHING). Certain hits are free
under every rule. Merging holds for all of them, and so do products: restricted to one factor, a greedy
strategy for the product is a greedy one for the factor. Domination has no effect: a cell in all the sets
of another and more is not tied with it. Bounds of the optimum are bounds of `best greedy`; `worst greedy`
is a plain recursion with a table, and `first greedy` one without a table: its cost depends on the names of
the cells.

Processes that search the same family share a table, and mark in it the families that they are at. A
process puts off a shot while another one is at a part after it, until its other shots are done; then it
searches that part, too. After each shot it checks if another process has answered the family (Weill,
"The ABDADA distributed minimax-search algorithm", ICCA Journal 19, 1996). The marks are hints: that of a
killed process stays, and no process waits for it.

A family comes from `_items`, has its cells counted in `_family` and `_ships`, is bounded in `_bounds` and
`_chain`, cut in `_sides`, and named in `_normal_form`; families of few sets are searched in `_words`.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, qsort
from libc.string cimport memcpy, memset

from cells cimport MAX_CELLS, Cells, one, pop_cell, size
from objectives cimport FORBIDDEN, INFINITE, MEAN, objective_of, price
from optsearch.compiled.search._bounds cimport Bounds
from optsearch.compiled.search._chain cimport ChainDual
from optsearch.compiled.search._effort cimport Effort, count_node, total
from optsearch.compiled.search._family cimport (
    LABELS, MAX_CODES, NOTHING, SINKINGS, Candidate, Node, count_cells, count_pairs, free_node,
    most_frequent_cell, new_node, part_size, take_part)
from optsearch.compiled.search._identities cimport IdentityTable
from optsearch.compiled.search._items cimport Items
from optsearch.compiled.search._labelled cimport LabelledSearch
from optsearch.compiled.search._memo cimport BOUNDED, SOLVED, Memo
from optsearch.compiled.search._named cimport MAX_NAMES, NamedSet, sort_by_sizes, take_named
from optsearch.compiled.search._normal_form cimport NormalForm
from optsearch.compiled.search._sides cimport (
    SplitSet, independent_classes, sort_by_side, take_alike, take_factors, weak_cut)
from optsearch.compiled.search._ships cimport WeightedSet, compare_by_falling_weight
from optsearch.compiled.search._table cimport MemoryTable
from optsearch.compiled.search._words cimport MAX_WORD_SETS, WordSearch
from optsearch.compiled.shared._arena cimport allocate
from options cimport BEST_GREEDY, FIRST_GREEDY, OPTIMAL, WORST_GREEDY, Switches

cdef enum:
    MEMO_FROM = 4              # smaller families are solved faster than they are looked up
    MEMO_FROM_OF_SHIPS = 3     # likewise if hits tell something
    MEMO_FROM_ON_WORD = 16     # likewise for families searched on a machine word
    CHAIN_FROM = 8             # sets from which the dual of the chain is used
    FIRST_STEPS = 2000         # to raise the first prices
    STEPS = 60                 # to raise prices that were handed down
    NAMES_FROM = 8             # sets from which the bound by names is used
    NAMES_TO = 64              # sets of a part up to which its search saves more than it costs
    HALF_HIT = 3               # cells left of two ships of two cells, one of them hit
    SIDES_FROM = 32            # sets of HALF_HIT cells from which the bound by two sides is used
    EVEN_FROM = 8              # sets with weights from which the bound by equal weights is used
    MULTIPLE_BITS = 10         # bits after the point of a multiple of former weights
    PART_OF_MEMORY = 8         # the table by identity may take one part in 8
    BUSY = 1                   # the result of `open_family` if another process is at a family
    SHARED_FROM = 1            # the least work of a value that is worth a place in the shared table

cdef double NEAR = 0.95        # the least share of the weights that a multiple of former ones must reach

RULES = {"optimal": OPTIMAL, "best greedy": BEST_GREEDY, "worst greedy": WORST_GREEDY,
         "first greedy": FIRST_GREEDY}


cdef class Search:
    """A search for the least cost of subfamilies of one family.

    items -- (n, s, 2) uint64: the cells of each ship of each set, hit or not. If hits tell nothing,
        (n, 2): the sets, which are distinct, and of one size unless the objective is "mean".
    weights -- (n,) int64, positive.
    cells -- the number of cells of the grid.
    objective -- "mean", "worst" or "within".
    table -- a MemoryTable. disk -- an `optsearch.search.kernels.Disk`, or None.
    switches -- the booleans of SolverOptions by name.
    tick -- called with the number of nodes after about every thousand nodes; may raise.
    rule -- "optimal", or with the objective "mean" another one of `RULES`.
    replies -- "nothing", "labels", "sinkings", or "places": labels that are not of a ship, so that an
        item has any number of cells with a label, or none. Sequences of labels are then not counted, so
        there is no leaf counting.
    labels -- of the ships, 0 to 255; ships of one label cannot be distinguished.

    A family is an ascending int32 array of indices of sets that equal replies leave. `hit_mask` has the bits
    of the cells hit, which are left out; with "nothing" and "labels" the family determines them.
    """

    cdef int cells, objective, rule, reply_kind
    cdef Items items
    cdef readonly bint has_prices                  # True if the dual of the chain is used
    cdef Switches use
    cdef Bounds bounds
    cdef ChainDual chain_dual
    cdef NormalForm key_writer
    cdef WordSearch word_search
    cdef LabelledSearch labelled_search
    cdef readonly IdentityTable identities         # or None
    cdef readonly Effort effort
    cdef readonly Memo memo
    cdef public int team                           # number of processes that search the same family

    def __cinit__(self, items, const int64_t[::1] weights,
                  int cells, str objective, MemoryTable table, disk, dict switches, tick,
                  str rule="optimal", str replies="nothing", labels=(0,)):
        if rule not in RULES:
            raise ValueError(f"no rule {rule!r}; there are {', '.join(RULES)}")
        self.use = switches
        self.objective, self.rule = objective_of(objective), RULES[rule]
        if self.rule != OPTIMAL and self.objective != MEAN:
            raise ValueError(f"the rule {rule!r} goes with the objective mean, not {objective!r}")
        if self.rule != OPTIMAL and replies != "nothing":
            raise ValueError(f"the rule {rule!r} goes with replies of nothing, not {replies!r}")
        if replies == "places":
            self.use.leaf_counting = False
        self.items = Items(items, weights, cells, self.objective == MEAN, replies, labels)
        self.cells, self.reply_kind = cells, self.items.reply_kind
        self.memo, self.effort = Memo(table, disk), Effort(tick)
        if not self.items.is_antichain:
            self.use.profile = self.use.chain = False
        self.bounds = Bounds(
            self.items.set_count, self.items.max_hits, self.reply_kind, self.objective, self.use)
        self.chain_dual = ChainDual()
        self.key_writer = NormalForm(cells, self.objective, self.rule, self.use)
        if self.use.identity and self.use.memo and self.objective == MEAN and self.rule == OPTIMAL:
            self.identities = IdentityTable(table.max_bytes // PART_OF_MEMORY)
            table.max_bytes -= self.identities.most
        self.word_search = WordSearch(self.bounds, self.effort, self.rule, self.use, self.identities)
        self.labelled_search = LabelledSearch(self.word_search, self.use, self.identities)
        self.has_prices = (self.use.chain and self.objective == MEAN and self.reply_kind == NOTHING
                           and self.items.is_sparse())

    def weigh(self, const int64_t[::1] weights):
        """Give the sets other weights; the tables are kept."""
        self.items.weigh(weights)

    def bound_by_previous_weights(self):
        """Bound searches with other weights from now on by the results with the present weights."""
        self.items.keep_former_weights()

    @property
    def nodes(self):
        """Return the number of families opened so far."""
        return self.effort.nodes

    @property
    def subsets(self):
        """Return the number of subsets searched on machine words so far."""
        return self.effort.subsets

    # Shots

    cdef void list_shots(self, Node* node) noexcept nogil:
        """List the shots that are worth a search, with lower bounds on their costs, in search order.

        Raise `lower` to the least bound. Dominated cells are left out, and under the rule
        `best greedy` all but the most probable ones.
        """
        cdef int cell
        cdef Candidate candidate
        cdef int64_t least = INFINITE, greatest_weight = 0, chain_bound = 0
        cdef bint uses_prices = self.has_dual_bound(node)
        node.has_shot_list = True
        if uses_prices:
            if not node.has_prices:
                self.raise_prices(node, INFINITE)
            else:
                self.chain_dual.load(node)
            chain_bound = self.chain_dual.bound_at_prices(node.prices, 1)
        node.shot_count = 0
        if self.rule == BEST_GREEDY:
            for cell in range(node.cell_count):
                greatest_weight = max(greatest_weight, node.weight_hit[cell])
        for cell in range(node.cell_count):
            if node.weight_hit[cell] < greatest_weight:
                continue
            candidate.cell = cell
            candidate.price = price(self.objective, node.budget, node.weight - node.weight_hit[cell])
            if self.use.domination and not node.keeps_all_cells and is_dominated(node, cell):
                continue
            self.bounds.bound_parts(node, &candidate)
            if uses_prices:
                node.reply_bounds[cell] = max(node.reply_bounds[cell], self.chain_dual.misses_if_hit(cell))
                candidate.bound_missed = max(
                    candidate.bound_missed, self.chain_dual.bound_if_missed(node, cell, chain_bound))
            candidate.bound = min(sum_part_bounds(node, &candidate), FORBIDDEN)
            least = min(least, candidate.bound)
            insert_shot(node, &candidate, self.use.ordering)
        node.lower = max(node.lower, least)

    cdef bint has_dual_bound(self, const Node* node) noexcept nogil:
        """True if the dual of the chain is used for a family."""
        return self.has_prices and node.set_count >= CHAIN_FROM and self.chain_dual.fits(node)

    cdef void raise_prices(self, Node* node, int64_t limit) noexcept nogil:
        """Raise `lower` to the bound by prices; stop raising the prices once it reaches the limit."""
        self.chain_dual.load(node)
        node.lower = max(node.lower, self.chain_dual.raise_prices(
            node, min(limit, FORBIDDEN // 2), STEPS if node.has_prices else FIRST_STEPS))

    cdef int64_t splitting_bound(self, const Node* node) except -1 nogil:
        """Bound the mean cost by the two parts at a cell of more than half of the sets; else return 0.

        M(F) >= M(F hit at c) + M(F missed at c) + 1 for any cell c, shot or not. Play an optimal
        strategy for F on each part alone. A shot that misses all or hits all of a part is free there.
        The last shot with both parts together separated them, and the missed part paid for a shot that
        is free when it is alone. So the parts save at least 1.

        With weights they save the least weight, which is worth its time on machine words only. If hits
        tell something, a shot may separate the parts for free.
        """
        cdef int most_frequent = most_frequent_cell(node), reply
        cdef int64_t bound = 1
        if 2 * node.cell_counts[most_frequent] <= node.set_count or self.objective != MEAN:
            return 0
        for reply in range(2):
            bound += self.bound_alone(take_part(node, most_frequent, reply))
        return bound

    cdef int64_t bound_alone(self, Node* part) except -1 nogil:
        """Return the bound of a part without a search, and free the part."""
        cdef int64_t lower
        try:
            count_cells(part, self.use.merging)
            if not self.bounds.solve_trivial(part):
                self.bound_unsearched(part)
            lower = part.lower
        finally:
            free_node(part)
        return lower

    cdef bint has_two_sided_bound(self, const Node* node) noexcept nogil:
        """True if the bound by two sides holds for a family."""
        return (self.use.two_sided and node.reply_kind == NOTHING and self.objective == MEAN and node.weights
                == NULL)

    cdef int64_t two_sided_bound(self, const Node* node) except -1 nogil:
        """Return the sum of the bounds of the parts with equal cells on one of two sides.

        Pairs must be counted.

        For any two sides U and V that divide the cells, let F_u be the sets of F whose cells on U are
        exactly u, and F_v likewise on V. Then

            M(F) >= sum over u of M(F_u) + sum over v of M(F_v).

        Each miss of an optimal strategy for F is on U or on V. Play it on F_u alone: its shots on U
        are certain hits, which tell nothing, or hit nothing, and are left out. The rest is a strategy
        for F_u, so the misses of F_u on V are at least M(F_u); and those of F_v on U at least M(F_v).
        As the F_u are a partition of F and so are the F_v, no miss is counted twice. (mean)

        Equality holds for a product of a family on U and one on V. With weights the bound saves no time.
        """
        cdef Cells side = weak_cut(node)
        return self.bound_by_side(node, side) + self.bound_by_side(node, ~side)

    cdef int64_t bound_by_side(self, const Node* node, Cells side) except -1 nogil:
        """Return the sum of the bounds of the parts whose sets have equal cells on one side."""
        cdef SplitSet* split_sets = <SplitSet*>allocate(node.set_count * sizeof(SplitSet))
        cdef int64_t bound = 0
        cdef int first_set = 0, alike
        try:
            sort_by_side(node, side, split_sets)
            while first_set < node.set_count:
                alike = 1
                while (first_set + alike < node.set_count and split_sets[first_set + alike].side_cells
                        == split_sets[first_set].side_cells):
                    alike += 1
                if alike <= 2:                # two sets cost one miss, one set none
                    bound += alike - 1
                else:
                    bound += self.bound_alone(take_alike(node, split_sets + first_set, alike))
                first_set += alike
        finally:
            free(split_sets)
        return bound

    cdef int bound_unsearched(self, Node* part) except -1 nogil:
        """Set `lower` of a part to its bound without a search."""
        cdef bint uses_cost_table = self.bounds.uses_cost_table(part)
        if uses_cost_table and self.use.words and part.set_count <= MAX_WORD_SETS:
            part.lower = self.word_search.count_bound(part)
            return 0
        if not uses_cost_table:
            count_pairs(part)
        part.lower = self.bounds.count_bound(part, INFINITE)
        if self.use.splitting:
            part.lower = max(part.lower, self.splitting_bound(part))
        return 0

    cdef int recall(self, Node* node) except -1 nogil:
        """Raise `lower` to the cached value of a family, if there is one, and take over if it is `exact`."""
        cdef int64_t value
        cdef int status = self.memo.recall(&node.key, &value)
        raise_to_cached(node, status, value)
        return 0

    cdef int remember(self, Node* node, long long work) except -1 nogil:
        """Cache `lower` and `exact` of a family; work -- the effort it took."""
        if node.identity.fingerprint:
            self.identities.keep(&node.identity, node.lower, node.exact)
        if node.key.bytes == NULL:
            return 0
        return self.memo.remember(
            &node.key, node.lower, node.exact, work >= SHARED_FROM, work >= self.memo.disk_from)

    # The search

    cdef int open_family(self, Node* node, int64_t limit, bint unless_busy=False) except -1 nogil:
        """Look a family up by its identity, then by its normal form, then raise `lower` by bounds.

        Stop once `lower` reaches the limit. The normal form finds half of the families that
        the identity does not find. The bounds from pairs of cells take as long as that, and decide at most
        three of a hundred families, so they come last.

        unless_busy -- True returns BUSY, with the bound so far, if another process seems to be at the family.
        """
        self.look_up(node)
        return self.bound_family(node, limit, unless_busy)

    cdef int look_up(self, Node* node) except -1 nogil:
        """Count the cells of a family, and look it up by its identity."""
        cdef int64_t value
        count_cells(node, self.use.merging)
        cap_budget(node)
        if self.bounds.solve_trivial(node):
            return 0
        count_node(self.effort)
        node.uses_word_search = self.fits_word_search(node, self.has_dual_bound(node))
        if self.identities is not None and (node.set_count >= least_memo_sets(node)
                                            and not node.keeps_all_cells):
            self.identify(node)
            if self.identities.find(&node.identity, &value, &node.exact):
                node.lower = max(node.lower, value)
        return 0

    cdef int bound_family(self, Node* node, int64_t limit, bint unless_busy) except -1 nogil:
        """Look a family up by its normal form, and bound it; see `open_family`."""
        cdef int memo_size
        cdef bint has_former_weights
        if node.exact or node.lower >= limit:
            return 0
        if node.uses_word_search and node.reply_kind == LABELS:
            self.labelled_search.bound_family(node)
        elif node.uses_word_search:
            node.lower = max(node.lower, self.bounds.table_bound(node))
        memo_size = MEMO_FROM_ON_WORD if node.uses_word_search else least_memo_sets(node)
        if node.lower < limit and self.use.memo and node.set_count >= memo_size:
            self.key_writer.write(node)
            self.recall(node)
            if node.identity.fingerprint and (node.exact or node.lower >= limit):
                self.identities.keep(&node.identity, node.lower, node.exact)
        if node.exact or node.lower >= limit:
            return 0
        if self.has_name_bound(node):       # a better bound than by pairs, whose counts it may save
            self.bound_by_names(node, limit)
            if node.lower >= limit:
                return self.remember(node, 0)
        if not node.uses_word_search:
            count_pairs(node)
            node.lower = max(node.lower, self.bounds.count_bound(node, limit))
            if (node.lower < limit and self.use.splitting and node.weights == NULL
                    and node.reply_kind == NOTHING):
                node.lower = max(node.lower, self.splitting_bound(node))
        if node.lower < limit:
            if unless_busy and node.key.bytes != NULL and self.memo.shared.is_busy(&node.key):
                return BUSY
            if self.has_equal_weights_bound(node):
                has_former_weights = self.items.former_weights != NULL and not node.has_former_weights
                if not has_former_weights or not self.bound_by_former_weights(node, limit):
                    self.bound_by_equal_weights(node, limit)
            elif self.has_dual_bound(node):
                self.raise_prices(node, limit)
            elif (node.max_hits == HALF_HIT and node.set_count >= SIDES_FROM
                    and self.has_two_sided_bound(node)):
                if node.uses_word_search:
                    count_pairs(node)
                node.lower = max(node.lower, self.two_sided_bound(node))
        if node.lower >= limit:
            self.remember(node, 0)
        return 0

    cdef bint fits_word_search(self, const Node* node, bint has_prices) noexcept nogil:
        """True if a family is searched as subsets of one machine word; has_prices -- as `has_dual_bound`."""
        if (node.set_count > MAX_WORD_SETS or not self.use.words or self.objective != MEAN
                or node.reply_kind == SINKINGS):
            return False
        if node.reply_kind == LABELS:
            return True
        return not has_prices and (self.items.is_antichain if node.weights != NULL else node.max_hits > 2)

    cdef void identify(self, Node* node) noexcept nogil:
        """Set the identity of a family."""
        if node.reply_kind == NOTHING:
            node.identity = self.identities.of_family(node.set_cells, node.weights, node.set_count)
        else:
            node.identity = self.identities.of_ships(node.ships.masks, node.ships.reply, node.ships.per_set,
                                                     node.weights, node.set_count, node.reply_kind)

    cdef bint has_name_bound(self, const Node* node) noexcept nogil:
        """True if a family has a bound by names, for parts whose ships are named."""
        return (self.use.names and node.reply_kind == SINKINGS and self.objective == MEAN and node.set_count
                >= NAMES_FROM and 1 < node.ships.per_set <= MAX_NAMES)

    cdef int bound_by_names(self, Node* node, int64_t limit) except -1 nogil:
        """Raise `lower` to the cost of a family with SINKINGS if each hit names its ship.

        Give each ship of a set a name, so that ships of one name have one label. Reveal the number of
        cells that each has left, and at every hit its name. Then the player knows when a ship is sunk and
        its label, and can play any strategy for the family. So the optima of the parts with equal numbers
        of cells left by name, with names for LABELS, add up to no more than M(F, b). They depend on the
        sets alone, and serve all families. Ships of one label are named by the number of cells that they
        have left, then by their order in the set.
        """
        cdef NamedSet* named_sets = <NamedSet*>allocate(node.set_count * sizeof(NamedSet))
        cdef Node* part
        cdef int first_set = 0, alike
        cdef int64_t bound = 0
        try:
            sort_by_sizes(node, named_sets)
            while first_set < node.set_count and bound < limit:
                alike = 1
                while (first_set + alike < node.set_count and named_sets[first_set + alike].ship_sizes
                        == named_sets[first_set].ship_sizes):
                    alike += 1
                if 1 < alike <= NAMES_TO:
                    part = take_named(node, named_sets + first_set, alike)
                    try:
                        self.open_family(part, limit - bound)
                        self.search(part, limit - bound)
                        bound += part.lower
                    finally:
                        free_node(part)
                first_set += alike
            node.lower = max(node.lower, bound)
        finally:
            free(named_sets)
        return 0

    cdef bint has_equal_weights_bound(self, const Node* node) noexcept nogil:
        """True if a family is bounded by equal weights: if the least weight is at least half of the mean."""
        return (self.use.even and self.rule == OPTIMAL and self.objective == MEAN and node.reply_kind
                == NOTHING and node.weights != NULL and node.set_count >= EVEN_FROM and 2 * node.set_count
                * node.lightest_sums[1] >= node.weight)

    cdef int bound_by_equal_weights(self, Node* node, int64_t limit) except -1 nogil:
        """Raise `lower` to the cost if all sets weigh as much as the lightest, plus a bound of the rest.

        M is the least of linear functions of the weights, so M of a sum is at least the sum of M of its
        terms: with w the least weight and U the cost with weights of 1 (mean),

            M >= w U + M(weights less w).

        The bounds from counts are linear in weights whose order stays, so the bound of the last term is
        the bound of the family, less w times the bound with weights of 1. U is searched as far as the limit
        requires, and cached: weights do not change it.
        """
        cdef Node* equal = new_node(node.set_count, self.cells, node.budget, False)
        cdef int64_t* weights = node.weights
        cdef int64_t* lightest_sums = node.lightest_sums
        cdef int64_t least = lightest_sums[1], rest = self.bound_by_counts(node), equal_limit
        try:
            node.weights = node.lightest_sums = NULL
            rest -= least * self.bound_by_counts(node)
            node.weights, node.lightest_sums = weights, lightest_sums
            equal_limit = (limit - rest + least - 1) // least
            memcpy(equal.set_cells, node.set_cells, node.set_count * sizeof(Cells))
            self.open_family(equal, equal_limit)
            self.search(equal, equal_limit)
            node.lower = max(node.lower, least * equal.lower + rest)
        finally:
            free_node(equal)
        return 0

    cdef bint bound_by_former_weights(self, Node* node, int64_t limit) except -1 nogil:
        """Raise `lower` to the cost with a multiple of the previous weights, plus a bound of the rest.

        As in `bound_by_equal_weights`, with the greatest multiple of those weights that is nowhere above the
        present ones. It is a whole number of units of 2^-MULTIPLE_BITS. Return False, without a bound, if the
        multiple is much below the present weights.
        """
        cdef Node* scaled
        cdef WeightedSet* by_weight
        cdef int64_t multiple = INFINITE, former_weight, former_sum = 0, bound, scaled_limit
        cdef int i, set_count = node.set_count
        for i in range(set_count):
            former_weight = self.items.former_weights[node.search_index[i]]
            multiple = min(multiple, (node.weights[i] << MULTIPLE_BITS) // former_weight)
            former_sum += former_weight
        if <double>multiple * former_sum < NEAR * <double>(node.weight << MULTIPLE_BITS):
            return False
        scaled = new_node(set_count, self.cells, node.budget, True)
        by_weight = NULL
        try:
            by_weight = <WeightedSet*>allocate(set_count * sizeof(WeightedSet))
            for i in range(set_count):
                former_weight = self.items.former_weights[node.search_index[i]]
                by_weight[i].weight = (node.weights[i] << MULTIPLE_BITS) - multiple * former_weight
                by_weight[i].index = i
            bound = self.bound_with_weights(node, by_weight, scaled)
            for i in range(set_count):
                by_weight[i].weight = self.items.former_weights[node.search_index[i]]
                by_weight[i].index = i
            qsort(by_weight, set_count, sizeof(WeightedSet), compare_by_falling_weight)
            for i in range(set_count):
                scaled.set_cells[i] = node.set_cells[by_weight[i].index]
                scaled.weights[i] = by_weight[i].weight
                scaled.search_index[i] = node.search_index[by_weight[i].index]
            scaled.has_former_weights = True
            scaled_limit = ((limit << MULTIPLE_BITS) - bound + multiple - 1) // multiple
            self.open_family(scaled, scaled_limit)
            self.search(scaled, scaled_limit)
            bound += multiple * scaled.lower + (1 << MULTIPLE_BITS) - 1
            node.lower = max(node.lower, bound >> MULTIPLE_BITS)
        finally:
            free_node(scaled)
            free(by_weight)
        return True

    cdef int64_t bound_with_weights(self, Node* node, WeightedSet* by_weight, Node* spare) noexcept nogil:
        """Return the bound by counts of a family if its weights were others; `by_weight` is sorted for it.

        spare -- a family of as many sets, whose weights are overwritten.
        """
        cdef int64_t* weights = node.weights
        cdef int64_t* lightest_sums = node.lightest_sums
        cdef int64_t bound
        cdef int i
        qsort(by_weight, node.set_count, sizeof(WeightedSet), compare_by_falling_weight)
        spare.lightest_sums[0] = 0
        for i in range(node.set_count):
            spare.weights[i] = by_weight[i].weight
            spare.lightest_sums[i + 1] = spare.lightest_sums[i] + by_weight[node.set_count - 1 - i].weight
        node.weights, node.lightest_sums = spare.weights, spare.lightest_sums
        bound = self.bound_by_counts(node)
        node.weights, node.lightest_sums = weights, lightest_sums
        return bound

    cdef int64_t bound_by_counts(self, Node* node) noexcept nogil:
        """Return the bound by counts of an opened family; it is linear in weights whose order stays."""
        if node.uses_word_search:
            return self.bounds.table_bound(node)
        return self.bounds.count_bound(node, INFINITE)

    cdef bint recall_shared(self, Node* node, int64_t limit) noexcept nogil:
        """Take over what other processes found; True if the family is solved or `lower` reaches the limit."""
        cdef int64_t value
        cdef int status = self.memo.recall_shared(&node.key, &value)
        raise_to_cached(node, status, value)
        return node.exact or node.lower >= limit

    cdef int64_t shoot(self, Node* node, const Candidate* shot, int64_t limit,
                       bint* busy=NULL) except -1 nogil:
        """Return the cost of shooting a cell first: exact if below `limit`, else a bound >= limit.

        busy -- set to True if another process seems to be at a part; then the result is a bound. NULL ignores
        other processes.
        """
        cdef Node* parts[MAX_CODES + 1]
        cdef int part_count = 0, i
        cdef int64_t cost = shot.price
        if cost >= limit:
            return cost
        try:
            cost = self.open_parts(node, shot, limit, busy, parts, &part_count)
            if cost >= limit or (busy != NULL and busy[0]):
                return cost
            sort_by_size(parts, part_count)
            for i in range(part_count if self.use.lookahead else 0):
                if parts[i].exact or parts[i].uses_word_search:
                    continue
                cost -= parts[i].lower
                self.list_shots(parts[i])
                cost += parts[i].lower
                if cost >= limit:
                    return min(cost, FORBIDDEN)
            for i in range(part_count):
                cost -= parts[i].lower
                self.search(parts[i], limit - cost)
                cost += parts[i].lower
                if cost >= limit:
                    break
            return min(cost, FORBIDDEN)
        finally:
            for i in range(part_count):
                free_node(parts[i])

    cdef int64_t open_parts(self, Node* node, const Candidate* shot, int64_t limit, bint* busy, Node** parts,
                            int* part_count) except -1 nogil:
        """Open the parts after a shot that have more than one set; return the bound on its cost by theirs.

        If hits tell something there are several parts after a hit. Then all are looked up by identity before
        any of them is bounded.

        part_count -- set to the number of parts taken, also if an error is raised. busy -- as in `shoot`.
        """
        cdef Node* part
        cdef int cell = shot.cell, reply
        cdef int64_t cost = sum_part_bounds(node, shot), bound
        cdef bint looks_up_first = node.reply_kind != NOTHING and self.identities is not None
        for reply in range(node.hit_replies + 1):
            if part_size(node, cell, reply) < 2:
                continue
            bound = (shot.bound_missed if reply == node.hit_replies
                     else node.reply_bounds[cell * node.hit_replies + reply])
            part = parts[part_count[0]] = take_part(node, cell, reply)
            part_count[0] += 1
            part.lower = bound
            if looks_up_first:
                self.look_up(part)
            elif self.open_family(part, limit - cost + bound, busy != NULL):
                busy[0] = True
            cost += part.lower - bound
            if cost >= limit or (busy != NULL and busy[0]):
                return min(cost, FORBIDDEN)
        for reply in range(part_count[0] if looks_up_first else 0):
            bound = parts[reply].lower
            if self.bound_family(parts[reply], limit - cost + bound, busy != NULL):
                busy[0] = True
            cost += parts[reply].lower - bound
            if cost >= limit or (busy != NULL and busy[0]):
                break
        return min(cost, FORBIDDEN)

    cdef int search(self, Node* node, int64_t limit) except -1 nogil:
        """Solve an opened family if its least cost is below `limit`, else raise `lower` to that or more."""
        cdef long long effort_before = total(self.effort)
        if node.exact or node.lower >= limit:
            return 0
        if node.uses_word_search and node.reply_kind == LABELS:
            self.labelled_search.search(node, limit)
        elif node.uses_word_search:
            self.word_search.search(node, limit)
        elif not self.search_factors(node, limit):
            return self.search_shots(node, limit)
        return self.remember(node, total(self.effort) - effort_before)

    cdef int search_shots(self, Node* node, int64_t limit) except -1 nogil:
        """Search a family shot by shot, marked as busy for other processes; see `search`."""
        cdef long long effort_before = total(self.effort)
        cdef bint is_shared, is_marked = False
        if not node.has_shot_list:
            self.list_shots(node)
        if node.lower >= limit:
            return 0
        is_shared = self.team > 1 and self.memo.shared is not None and node.key.bytes != NULL
        if is_shared:
            is_marked = self.memo.shared.enter(&node.key)
        try:
            if not self.try_shots(node, limit, is_shared):
                self.remember(node, total(self.effort) - effort_before)
        finally:
            if is_marked:
                self.memo.shared.leave(&node.key)
        return 0

    cdef bint try_shots(self, Node* node, int64_t limit, bint is_shared) except -1 nogil:
        """Set `lower` to the least cost of a shot if it is below the limit, else to a bound.

        is_shared -- True if other processes search the same family. A shot is put off to a second round
        while another process seems to be at a part after it. Return True if another process answered this
        family; an answer to a family above it is noticed later.
        """
        cdef int64_t cost, best = limit, least_failed = INFINITE
        cdef Cells put_off = 0
        cdef Candidate* shot
        cdef bint busy
        cdef int rank, round_number
        for round_number in range(2):
            for rank in range(node.shot_count):
                if round_number and not put_off & one(rank):
                    continue
                shot = &node.shots[rank]
                if shot.bound >= best:
                    least_failed = min(least_failed, shot.bound)
                    continue
                busy = False
                cost = self.shoot(
                    node, shot, best, &busy if is_shared and rank and not round_number else NULL)
                if cost < best and not busy:
                    best = cost
                else:
                    shot.bound = max(shot.bound, cost)
                if busy and cost < best:
                    put_off |= one(rank)
                elif cost >= best:
                    least_failed = min(least_failed, cost)
                if is_shared and self.recall_shared(node, limit):
                    return True
                if best <= node.lower:
                    put_off = 0
                    break
            if not put_off:
                break
        if best < limit:
            node.lower, node.exact = best, True
        else:
            node.lower = max(node.lower, least_failed)
        return False

    cdef int search_greedy(self, Node* node) except -1 nogil:
        """Set `lower` to the cost of a family under the rule `worst greedy` or `first greedy`."""
        cdef long long effort_before = total(self.effort)
        cdef int64_t greatest_weight = 0, cost, rule_cost = 0
        cdef int cell, is_hit
        cdef Node* part
        count_cells(node, self.use.merging)
        if self.bounds.solve_trivial(node):
            return 0
        count_node(self.effort)
        if self.use.memo and node.set_count >= MEMO_FROM and self.rule == WORST_GREEDY:
            self.key_writer.write(node)
            self.recall(node)
            if node.exact:
                return 0
        for cell in range(node.cell_count):
            greatest_weight = max(greatest_weight, node.weight_hit[cell])
        for cell in range(node.cell_count):
            if node.weight_hit[cell] < greatest_weight:
                continue
            cost = node.weight - greatest_weight
            for is_hit in range(2):
                part = take_part(node, cell, 1 - is_hit)
                try:
                    self.search_greedy(part)
                    cost += part.lower
                finally:
                    free_node(part)
            rule_cost = max(rule_cost, cost)
            if self.rule == FIRST_GREEDY:
                break
        node.lower, node.exact = rule_cost, True
        self.remember(node, total(self.effort) - effort_before)
        return 0

    cdef bint search_factors(self, Node* node, int64_t limit) except -1 nogil:
        """True if the family is a product, which is then searched factor by factor."""
        cdef Cells masks[MAX_CELLS]
        cdef Node* factors[MAX_CELLS]
        cdef int i, factor_count
        if (not self.use.products or self.objective != MEAN or node.reply_kind != NOTHING
                or node.weights != NULL):
            return False
        factor_count = independent_classes(node, masks)
        if factor_count == 1:
            return False
        memset(factors, 0, sizeof(factors))
        try:
            if not take_factors(node, masks, factor_count, factors):
                return False
            self.search_product(node, factors, factor_count, limit)
            return True
        finally:
            for i in range(factor_count):
                free_node(factors[i])

    cdef int search_product(self, Node* node, Node** factors, int factor_count,
                            int64_t limit) except -1 nogil:
        """Raise `lower` to the cost of the product of the factors: exact if it is below `limit`.

        The cost of a factor counts once for each set of the product of the other factors.
        """
        cdef int64_t copies, cost = 0
        cdef int i
        for i in range(factor_count):
            self.open_family(factors[i], INFINITE)
            cost += node.set_count // factors[i].set_count * factors[i].lower
        for i in range(factor_count):
            copies = node.set_count // factors[i].set_count
            cost -= copies * factors[i].lower
            self.search(factors[i], (limit - cost + copies - 1) // copies)
            cost += copies * factors[i].lower
            if cost >= limit:
                node.lower = max(node.lower, cost)
                return 0
        node.lower, node.exact = cost, True
        return 0

    # For Python

    cdef require_bounds(self):
        """Raise ValueError under the rules that have no bounds."""
        if self.rule in (WORST_GREEDY, FIRST_GREEDY):
            raise ValueError("this rule has no bounds; ask for solve")

    def solve(self, const int32_t[::1] family, int budget=-1, long long limit=1 << 60, hit_mask=0):
        """Return the least cost of a family (ascending indices of sets) if below `limit`, else a bound >= it.

        budget -- the misses allowed; -1 with the objective mean. hit_mask -- the cells hit, as bits; they are
        left out. The result is FORBIDDEN if every strategy breaks the budget. Under the rules `worst greedy`
        and `first greedy` it is their cost, always exact.
        """
        cdef Node* node = self.items.make_node(family, budget, hit_mask)
        limit = min(limit, FORBIDDEN)
        try:
            with nogil:
                if self.rule in (WORST_GREEDY, FIRST_GREEDY):
                    self.search_greedy(node)
                else:
                    self.open_family(node, limit)
                    self.search(node, limit)
            return node.lower
        finally:
            free_node(node)

    def after(self, const int32_t[::1] family, int cell, int budget=-1, long long limit=1 << 60, hit_mask=0):
        """Return the least cost of shooting an undecided cell first if below `limit`, else a bound >= it.

        family, budget, hit_mask -- as of `solve`.
        """
        cdef Node* node = self.items.make_node(family, budget, hit_mask)
        cdef Candidate shot
        cdef int64_t cost
        cdef int index = 0
        limit = min(limit, FORBIDDEN)
        try:
            self.require_bounds()
            self.count_whole_family(node)
            while index < node.cell_count and node.grid_cell[index] != cell:
                index += 1
            if index == node.cell_count:
                raise ValueError(f"cell {cell} is not undecided")
            if node.set_count == 1:
                return 0
            shot.cell, shot.bound_missed = index, 0
            shot.price = shot.bound = price(self.objective, budget, node.weight - node.weight_hit[index])
            memset(node.reply_bounds, 0, node.cell_count * node.hit_replies * sizeof(int64_t))
            with nogil:
                cost = self.shoot(node, &shot, limit)
            return cost
        finally:
            free_node(node)

    cdef int count_whole_family(self, Node* node) except -1:
        """Count the cells and pairs of a family in which no cell is left out (`keeps_all_cells`)."""
        node.keeps_all_cells = True
        if node.set_count > 1:
            count_cells(node, False)
            count_pairs(node)
        elif node.reply_kind != NOTHING:
            fill_cells(node)
        return 0

    def shots(self, const int32_t[::1] family, int budget=-1, hit_mask=0):
        """List the cells that the rule allows, in search order, as (cell, bound on shooting it first).

        family, budget, hit_mask -- as of `solve`.
        """
        cdef Node* node = self.items.make_node(family, budget, hit_mask)
        cdef int i
        try:
            self.require_bounds()
            self.count_whole_family(node)
            if node.set_count == 1:
                return [(node.grid_cell[i], 0) for i in range(node.cell_count)]
            self.bounds.count_bound(node, INFINITE)
            self.list_shots(node)
            return [(node.grid_cell[node.shots[i].cell], node.shots[i].bound) for i in range(node.shot_count)]
        finally:
            free_node(node)

    def lower_bound(self, const int32_t[::1] family, int budget=-1, hit_mask=0):
        """Return the best lower bound of a family, without a search; the arguments are as of `solve`."""
        cdef Node* node = self.items.make_node(family, budget, hit_mask)
        try:
            self.require_bounds()
            count_cells(node, self.use.merging)
            if not self.bounds.solve_trivial(node):
                count_pairs(node)
                node.lower = self.bounds.count_bound(node, INFINITE)
                if self.use.splitting and node.weights == NULL and node.reply_kind == NOTHING:
                    node.lower = max(node.lower, self.splitting_bound(node))
                if self.has_two_sided_bound(node):
                    node.lower = max(node.lower, self.two_sided_bound(node))
                if self.has_dual_bound(node):
                    self.raise_prices(node, INFINITE)
            return node.lower
        finally:
            free_node(node)

    def normal_form(self, const int32_t[::1] family, int budget=-1, hit_mask=0):
        """Return the key of a family (bytes): equal keys, equal optima. The arguments are as of `solve`."""
        cdef Node* node = self.items.make_node(family, budget, hit_mask)
        try:
            count_cells(node, self.use.merging)
            cap_budget(node)
            if node.set_count == 1:            # every cell is certain; searches do not look it up
                node.set_cells[0] = node.ships.per_set = 0
            self.key_writer.write(node)
            return node.key.bytes[:node.key.length]
        finally:
            free_node(node)


cdef inline int least_memo_sets(const Node* node) noexcept nogil:
    """Return the least number of sets of a family that is worth looking up."""
    return MEMO_FROM if node.reply_kind == NOTHING else MEMO_FROM_OF_SHIPS


cdef inline void raise_to_cached(Node* node, int status, int64_t value) noexcept nogil:
    """Raise `lower` to a cached value of a family, and set `exact` if it is SOLVED.

    status -- SOLVED, BOUNDED, or UNKNOWN: then there is no value.
    """
    if status == SOLVED:
        node.lower, node.exact = value, True
    elif status == BOUNDED:
        node.lower = max(node.lower, value)


cdef bint is_dominated(const Node* node, int cell) noexcept nogil:
    """True if another cell is in all sets of a cell; of cells in equal sets the first one stays."""
    cdef int other_cell
    cdef const int32_t* pair_counts = node.pair_counts + cell * node.cell_count
    for other_cell in range(node.cell_count):
        if (pair_counts[other_cell] == node.cell_counts[cell] and other_cell != cell
            and may_dominate(node, other_cell)
            and (node.cell_counts[other_cell] > node.cell_counts[cell] or other_cell < cell
                 or not may_dominate(node, cell))):
            return True
    return False


cdef inline bint may_dominate(const Node* node, int cell) noexcept nogil:
    """True if a cell may be shot before any cell that only its sets have."""
    return node.reply_kind != SINKINGS or node.ships.identifies_ship[cell]


cdef void sort_by_size(Node** parts, int n) noexcept nogil:
    """Sort parts by number of sets, the least first."""
    cdef Node* part
    cdef int i, j
    for i in range(1, n):
        part = parts[i]
        j = i
        while j > 0 and parts[j - 1].set_count > part.set_count:
            parts[j] = parts[j - 1]
            j -= 1
        parts[j] = part


cdef void fill_cells(Node* node) noexcept nogil:
    """Fill `grid_cell` and `cell_count` of a family of one set of ships."""
    cdef Cells cells = 0
    cdef int j
    for j in range(node.ships.per_set):
        cells |= node.ships.masks[j]
    while cells:
        node.grid_cell[node.cell_count] = pop_cell(&cells)
        node.cell_count += 1


cdef void cap_budget(Node* node) noexcept nogil:
    """Lower the budget to the most misses possible: undecided cells less those of the smallest set."""
    cdef int i, smallest = MAX_CELLS
    if node.set_count > 1 and node.budget > 0:
        for i in range(node.set_count):
            smallest = min(smallest, size(node.set_cells[i]))
        node.budget = min(node.budget, node.cell_count - smallest)


cdef int64_t sum_part_bounds(const Node* node, const Candidate* shot) noexcept nogil:
    """Return a lower bound on the cost of a shot by the bounds of its parts."""
    cdef int64_t bound = shot.price + shot.bound_missed
    cdef int place
    for place in range(shot.cell * node.hit_replies, (shot.cell + 1) * node.hit_replies):
        bound += node.reply_bounds[place]
    return bound


cdef void insert_shot(Node* node, const Candidate* candidate, bint ordering) noexcept nogil:
    """Add a shot to the list; with `ordering` by bound, then by fewest misses, then by cell."""
    cdef int i = node.shot_count
    node.shot_count += 1
    if ordering:
        while i > 0 and (node.shots[i - 1].bound > candidate.bound or (
                node.shots[i - 1].bound == candidate.bound
                and node.shots[i - 1].price > candidate.price)):
            node.shots[i] = node.shots[i - 1]
            i -= 1
    node.shots[i] = candidate[0]
