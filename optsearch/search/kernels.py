"""The search kernel of a position: states, shots, and what they cost.

A state is a part of the configurations of a position and the cells hit. Costs are counted in misses
(`cython_ext/search/_search.pyx`). For the mean, the total of shots over a state of weight W with K
cells left to hit is K·W + cost. For worst it is the same, if no configuration misses more than the
budget. For within the cost is the weight that is not finished within the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled.search._chain import ChainDual
from optsearch.compiled.search._search import Search
from optsearch.compiled.search._table import MemoryTable, SharedTable
from optsearch.counting.configurations import MAX_LABELS, CellSets, list_ships, to_masks, to_words
from optsearch.counting.family import MAX_SETS, Family, require_total_weight
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.game import Game, Permutation, bits, image
from optsearch.game.objective import MEAN, Objective
from optsearch.game.position import MISS, Position, Reply
from optsearch.support.errors import TooLarge
from optsearch.tree import Leaf, Node

Indices = NDArray[np.int32]

INFINITE = 1 << 60
FORBIDDEN = 1 << 50  # the kernels' cost of more misses than the budget allows
NO_BUDGET = -1
MIN_DISK_NODES = 8  # families that took less work are not worth a place on disk
UNUSED_TABLE_BYTES = 1 << 12
STATES_BETWEEN_REPORTS = 1000  # states of a walk in Python
STEPS_FOR_PRICES = 20_000


@dataclass(frozen=True)
class SolverOptions:
    """Switches of the search, which change its time and never its result.

    The inequalities and their proofs are in the docstrings of `cython_ext/search/_search.pyx` and
    `_bounds.pyx`. Merging, products, splitting, chain and even act only where hits tell nothing,
    two_sided and words not where sinkings are announced, names only there.

    memo -- keep solved families in the transposition table.
    identity -- first look a family up by which sets it is, in a table that takes at most an eighth
        of the memory; for the mean.
    isomorphism -- one entry for all families that differ only in the names of their cells.
    leaf_counting -- no more leaves with j misses than words (`lower_bounds.leaf_counting`).
    profile -- bound how many sets can be finished within t misses along an all-miss chain.
    frequency_cap -- after a hit no cell hits more sets than the two cells are in together; and,
        where hits tell nothing, no shot hits more sets than the greatest count of a cell does now.
    matching -- two cells of the chain hit only once the sets that have both.
    domination -- never shoot a cell before one that is in all its sets.
    merging -- cells in exactly the same sets are one.
    products -- solve a family that is a product factor by factor.
    splitting -- a family costs more than its two parts at a cell, each on its own, together.
    chain -- where few sets have the same cell, as with a single ship not yet hit, bound the first
        hits of all sets together by prices (`lower_bounds.dual_chain`); where all weights are
        1, as with two_sided.
    two_sided -- where three cells are left to hit, or where hits have labels, part the cells and
        bound what either part leaves open.
    even -- where weights differ little, bound a family by what it costs if all sets weigh as much
        as the lightest, and what the rest costs; likewise by former weights
        (`Kernel.bound_by_previous_weights`). It pays only where a kernel is weighed anew.
    names -- where sinkings are announced, bound a family by what it costs if each hit names its
        ship; equal ships are told apart.
    ordering -- try cells by their bound, the least first, instead of in row-major order.
    lookahead -- bound both parts after a shot by their own shots before searching either.
    words -- search families of up to 64 sets as subsets of one machine word.
    root_bounds -- begin from what is known of the root without a search: once a search is long,
        from the bounds of `optsearch.lower_bounds`; where its time is limited, from rollouts.
    memory -- bytes the table in memory may take.
    """

    memo: bool = True
    identity: bool = True
    isomorphism: bool = True
    leaf_counting: bool = True
    profile: bool = True
    frequency_cap: bool = True
    matching: bool = True
    domination: bool = True
    merging: bool = True
    products: bool = True
    splitting: bool = True
    chain: bool = True
    two_sided: bool = True
    even: bool = False
    names: bool = True
    ordering: bool = True
    lookahead: bool = True
    words: bool = True
    root_bounds: bool = True
    memory: int = 2 << 30

    @property
    def switches(self) -> dict[str, bool]:
        """The switches of the kernels by name."""
        return {name: getattr(self, name) for name in SWITCHES}


ABOVE_KERNELS = ("root_bounds", "memory")
SWITCHES = tuple(field.name for field in fields(SolverOptions) if field.name not in ABOVE_KERNELS)


class Subfamily(NamedTuple):
    """A state: some of the configurations of a kernel, and the cells hit.

    family -- the indices of the configurations, ascending. hits -- the mask of cells hit.
    budget -- the misses still allowed, for worst and within; NO_BUDGET for the mean.
    """

    family: Indices
    hits: int
    budget: int = NO_BUDGET


class Disk(Protocol):
    """A table on disk, as the kernels see it."""

    def get(self, key: bytes, /) -> int | None: ...
    def put(self, key: bytes, value: int, /) -> None: ...


class LabelledItems(NamedTuple):
    """The arguments of `Search` that say what hits tell.

    replies -- "nothing", "sinkings", "labels", or "places" if labels depend on placements.
    items -- the sets themselves if hits tell nothing, else the ships of each set. For "places" the
    items of a set are its cells by label (`_split_by_label`).
    labels -- for each ship of a set the number of the label of its hits.
    """

    replies: str
    items: CellSets
    labels: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Problem:
    """The problem of a search: find the best way to shoot at weighted sets of cells.

    sets -- the cells of each configuration as two words, ascending if hits tell nothing. hits --
    the mask of the cells hit before. cells_left -- the hits that end a game from there. family --
    the same sets if hits tell nothing, else None. ships -- the ships of each set, of shape (sets,
    ships, 2) in words; None if hits tell nothing.
    """

    game: Game
    sets: CellSets
    weights: NDArray[np.int64]
    hits: int
    cells_left: int
    family: Family | None = None
    ships: NDArray[np.uint64] | None = None
    objective: Objective = MEAN

    @classmethod
    def of(
        cls,
        position: Position,
        prior: Prior | None = None,
        family: Family | None = None,
        objective: Objective = MEAN,
    ) -> Problem:
        """Return the problem of a position.

        prior -- the weights of the configurations. family -- sets that replace the configurations
        of the position; for the mean.
        Raises ImpossiblePosition if no configuration is left, TooLarge if they cannot be listed.
        """
        if not position.game.is_silent:
            return cls.of_ships(position, objective, prior)
        checked = Family.of(position, prior) if family is None else family.check_total_weight()
        return cls.of_family(checked, position.hits, objective)

    @classmethod
    def of_family(cls, family: Family, hits: int, objective: Objective = MEAN) -> Problem:
        """Return the problem of finding the hidden set of a family.

        hits -- the mask of cells hit before, which are not in the sets.
        """
        return cls(
            game=family.game,
            sets=to_words(family.sets),
            weights=np.array(family.weights, np.int64),
            hits=hits,
            cells_left=family.hits,
            family=family,
            objective=objective,
        )

    @classmethod
    def of_ships(
        cls, position: Position, objective: Objective = MEAN, prior: Prior | None = None
    ) -> Problem:
        """Return the problem of a position in which hits tell something.

        prior -- the weights of the configurations. Raises ImpossiblePosition if none is left,
        TooLarge if they are too many.
        """
        game = position.game
        posterior = Posterior(position, prior=prior)
        posterior.require_some()
        max_listed = MAX_SETS // 8
        if prior is not None:
            ships, prior_weights = posterior.list_weighted(max_listed)
            require_total_weight(sum(prior_weights), game)
            weights = np.array(prior_weights, np.int64)
        elif posterior.configurations > max_listed:
            raise TooLarge(
                f"{posterior.configurations:,} configurations of {game} are too many to solve "
                f"exactly with announce={game.announce}; at most {max_listed:,} are listed"
            )
        else:
            ships = _compatible_ships(position)
            weights = np.ones(len(ships), np.int64)
        return cls(
            game=game,
            sets=np.bitwise_or.reduce(ships, axis=1),
            weights=weights,
            hits=position.hits,
            cells_left=position.hits_left,
            ships=ships,
            objective=objective,
        )

    @cached_property
    def labelled(self) -> LabelledItems:
        """Return what hits tell in this problem, in the form that the compiled search takes."""
        if self.ships is None:
            return LabelledItems("nothing", self.sets, (0,))
        if self.game.label_of_kind is None:
            items = _split_by_label(self.game, self.ships)
            return LabelledItems("places", items, tuple(range(items.shape[1])))
        replies = "labels" if self.game.has_labels else "sinkings"
        # A listing may have fewer ships than the fleet.
        labels = number_labels(self.game)[: self.ships.shape[1]]
        return LabelledItems(replies, self.ships, labels)

    @cached_property
    def automorphisms(self) -> tuple[Permutation, ...]:
        """Return the symmetries of the grid that map the sets and their replies to themselves.

        After a hit that tells something, this is only the identity.
        """
        if self.family is not None:
            return self.family.automorphisms
        if self.hits:
            return self.game.symmetries()[:1]
        # Before the first hit there are only misses, which depend on cells alone.
        assert self.ships is not None
        ship_sets = [frozenset(to_masks(row)) for row in self.ships]
        weights = dict(zip(ship_sets, self.weights.tolist(), strict=True))

        def is_automorphism(permutation: Permutation) -> bool:
            return all(
                weights.get(frozenset(image(ship, permutation) for ship in ships)) == weight
                for ships, weight in weights.items()
            )

        return tuple(filter(is_automorphism, self.game.symmetries()))


class Kernel:
    """The compiled search, which answers a solver's questions about states.

    rule -- the strategies that are admitted: "optimal" for all, or "best greedy", "worst greedy",
    "first greedy"; the last three only for the mean and announce=nothing. tick -- called with the
    number of nodes now and then; may raise.

    root -- the state with all configurations. easy_size -- states of at most this number of
    configurations are solved at once. has_prices -- True if bounds come from prices of sets; they
    are so close that a search in their order is short.
    """

    def __init__(
        self,
        problem: Problem,
        options: SolverOptions,
        table: MemoryTable,
        disk: Disk | None,
        tick: Callable[[int], None],
        rule: str = "optimal",
    ):
        self.problem, self.objective = problem, problem.objective
        self.game, self.cells_left = problem.game, problem.cells_left
        self.sets, self.weights = problem.sets, problem.weights
        self.is_silent = problem.family is not None
        self.easy_size = 48 if self.is_silent else 8
        self.root = Subfamily(np.arange(len(self.sets), dtype=np.int32), problem.hits)
        self._search = _make_search(problem, options, table, disk, tick, rule)
        self._options, self._report_nodes = options, tick
        self.has_prices = self._search.has_prices

    @property
    def family(self) -> Family:
        """Return the sets as a family; only for games in which hits tell nothing."""
        assert self.problem.family is not None
        return self.problem.family

    def weigh(self, weights: tuple[int, ...]) -> None:
        """Give the sets other weights, one for each; the tables are kept."""
        require_total_weight(sum(weights), self.game)
        family = self.problem.family
        if family is not None:
            family = replace(family, weights=weights)
        self.weights = np.array(weights, np.int64)
        self.problem = replace(self.problem, weights=self.weights, family=family)
        self._search.weigh(self.weights)

    def bound_by_previous_weights(self) -> None:
        """Use the results so far as bounds of later searches with other weights (`weigh`)."""
        self._search.bound_by_previous_weights()

    @property
    def nodes(self) -> int:
        """Return the number of families searched so far."""
        return self._search.nodes

    @property
    def subsets(self) -> int:
        """Return the number of subsets searched on machine words so far; `nodes` omits them."""
        return self._search.subsets

    @property
    def effort(self) -> int:
        """Return the work so far: the nodes, plus the subsets in units of a node."""
        return self._search.effort.total

    def weight(self, state: Subfamily) -> int:
        """Return the total weight of the configurations; each weighs 1 without a prior."""
        return int(self.weights[state.family].sum())

    def hits_left(self, state: Subfamily) -> int:
        """Return the number of cells still to hit, summed over the weighted configurations."""
        unhit = self.sets[state.family] & ~to_words([state.hits])
        cell_counts = np.bitwise_count(unhit).sum(axis=1).astype(np.int64)
        return int(cell_counts @ self.weights[state.family])

    def free_hits(self, state: Subfamily) -> int:
        """Return the mask of certain hits that can be shot at any time without a loss.

        If sinkings are announced it is 0 unless one configuration is left, because the time of a
        hit decides which shot sinks a ship.
        """
        if self.game.tells_sinkings and len(state.family) > 1:
            return 0
        common_words = np.bitwise_and.reduce(self.sets[state.family], axis=0)
        return to_masks(common_words[None, :])[0] & ~state.hits

    def cells_of(self, state: Subfamily) -> int:
        """Return the mask of the cells that at least one configuration has."""
        words = np.bitwise_or.reduce(self.sets[state.family], axis=0)
        return to_masks(words[None, :])[0]

    def tick(self) -> None:
        """Report progress, or end the search by an exception, while the compiled search rests."""
        self._report_nodes(self.nodes)

    def is_over(self, state: Subfamily) -> bool:
        """True if every cell of the ships is hit."""
        # Of any two sets one has a cell left, unless all have none.
        two_sets = state._replace(family=state.family[:2])
        return not self.cells_of(two_sets) & ~state.hits

    def is_lost(self, state: Subfamily) -> bool:
        """True if more shots missed than are allowed; then all later shots cost nothing."""
        return self.objective.kind != "mean" and state.budget < 0

    def shots(self, state: Subfamily) -> list[tuple[int, int]]:
        """List the cells to try, each with a lower bound of its cost, in the order of the search.

        A lost state has more misses than allowed; its cells are those for a budget of 0.
        """
        budget = NO_BUDGET if self.objective.kind == "mean" else max(state.budget, 0)
        return self._search.shots(state.family, budget, state.hits)

    def lower_bound(self, state: Subfamily) -> int:
        """Return a lower bound on the cost of a state, without a search."""
        return self._search.lower_bound(state.family, state.budget, state.hits)

    def solve(self, state: Subfamily, limit: int = INFINITE) -> int:
        """Return the least cost of a state if that is below the limit, else a bound >= limit."""
        return self._search.solve(state.family, state.budget, limit, state.hits)

    def cost_of_shot(self, state: Subfamily, cell: int, limit: int = INFINITE) -> int:
        """Return the least cost of strategies that shoot this cell first, or a bound >= limit."""
        return self._search.after(state.family, cell, state.budget, limit, state.hits)

    def normal_form(self, state: Subfamily) -> bytes:
        """Return a key of a state; states with equal keys have equal costs by every rule."""
        return self._search.normal_form(state.family, state.budget, state.hits)

    def parts(self, state: Subfamily, cell: int) -> dict[Reply, Subfamily]:
        """Map each possible reply to a shot to the state after it; a miss lowers the budget.

        The replies are in their usual order (`Reply.order`).
        """
        budget = NO_BUDGET if self.objective.kind == "mean" else max(state.budget - 1, -1)
        after_hit = state._replace(hits=state.hits | 1 << cell)
        after_miss = state._replace(budget=budget)
        ship_codes = self._struck_ship_codes(state, cell)
        members: dict[Reply, NDArray[np.bool_]] = {}
        for ship_code in sorted(set(ship_codes.tolist())):
            for reply, is_member in self._replies_of_code(
                state, cell, ship_code, ship_codes == ship_code
            ):
                members[reply] = members.get(reply, False) | is_member
        parts = {}
        for reply in sorted(members, key=lambda reply: reply.order):
            state_after = after_hit if reply.hit else after_miss
            parts[reply] = state_after._replace(family=state.family[members[reply]])
        return parts

    def _replies_of_code(
        self, state: Subfamily, cell: int, ship_code: int, has_code: NDArray[np.bool_]
    ) -> Iterator[tuple[Reply, NDArray[np.bool_]]]:
        """Yield the replies that some sets of a state give to a shot, each with these sets.

        ship_code -- which ship of the sets the shot hits: 0 for a miss, i + 1 for ship i of the
        fleet, -(i + 1) if the hit sinks it. has_code -- an array that is True for each set of the
        state with this code. The sets of a reply are such an array, too.
        """
        if not ship_code:
            yield MISS, has_code
            return
        ship_index, is_sunk = abs(ship_code) - 1, ship_code < 0
        kind = self.game.fleet[ship_index]
        label_of_kind = self.game.label_of_kind
        if label_of_kind is not None:
            yield self.game.announcement.reply_to_hit(label_of_kind[kind], is_sunk), has_code
            return
        # The label depends on where the ship lies.
        assert self.problem.ships is not None
        placements = self.problem.ships[state.family, ship_index]
        for placement in np.unique(placements[has_code], axis=0):
            ship_mask = to_masks(placement[None])[0]
            reply = self.game.hit_reply(kind, ship_mask, cell, is_sunk)
            yield reply, (placements == placement).all(axis=1) & has_code

    def _struck_ship_codes(self, state: Subfamily, cell: int) -> NDArray[np.int64]:
        """Return a code for each set: 0 if a shot misses, else the ship that it hits.

        Ship i of the fleet has the code i + 1, or -(i + 1) if the hit sinks it. If hits tell
        nothing, the cells of a set are one ship.
        """
        ships = self.problem.ships
        ships = self.sets[state.family, None] if ships is None else ships[state.family]
        # A word has 64 cells.
        is_struck = ships[:, :, cell >> 6] >> np.uint64(cell & 63) & np.uint64(1) != 0
        is_afloat = (ships & ~to_words([state.hits | 1 << cell]) != 0).any(axis=2)
        codes: NDArray[np.int64] = np.where(is_afloat, 1, -1) * np.arange(1, ships.shape[1] + 1)
        return (is_struck * codes).sum(axis=1)  # a shot strikes at most one ship of a set

    def counts(self, state: Subfamily) -> NDArray[np.int64]:
        """Return for each cell not hit yet the weight of the configurations with a ship there.

        The array has shape (128,), with 0 at cells hit and beyond the board.
        """
        return _weight_by_cell(self.sets[state.family], self.weights[state.family], state.hits)

    def greedy_shots(self, state: Subfamily) -> list[int]:
        """List the most probable cells, ascending; a certain hit is one."""
        return _most_probable(self.counts(state))

    def greedy_choices(self, state: Subfamily) -> list[int]:
        """List the cells that greedy chooses from, ascending: the most probable ones.

        Certain hits that can be shot at any time are left out unless nothing else is left, as
        greedy shoots them before.
        """
        counts, free_cells = self.counts(state), list(bits(self.free_hits(state)))
        counts[free_cells] = 0
        return _most_probable(counts) or free_cells

    def greedy_misses(self) -> int:
        """Return the misses of the greedy strategy that shoots the first most probable cell."""
        if self.is_silent:
            search = _make_search(
                self.problem,
                self._options,
                table=MemoryTable(UNUSED_TABLE_BYTES),
                disk=None,
                tick=self._report_nodes,
                rule="first greedy",
            )
            return search.solve(self.root.family)
        misses, waiting, states = 0, [self.root], 0
        while waiting:
            state = waiting.pop()
            if len(state.family) == 1 or self.is_over(state):
                continue
            states += 1
            if states % STATES_BETWEEN_REPORTS == 0:
                self._report_nodes(self.nodes)
            free_mask = self.free_hits(state)
            cell = next(bits(free_mask)) if free_mask else self.greedy_choices(state)[0]
            parts = self.parts(state, cell)
            if MISS in parts:
                misses += self.weight(parts[MISS])
            waiting += parts.values()
        return misses

    def orbit(self, cell: int) -> int:
        """Return the mask of the orbit of a cell: its images under the symmetries of the root."""
        orbit = 0
        for permutation in self.problem.automorphisms:
            orbit |= image(1 << cell, permutation)
        return orbit

    def use_disk(self, disk: Disk | None) -> None:
        """Look families up in this table on disk from now on, and store them; None uses no disk."""
        self._search.memo.disk = disk

    def use_shared_table(self, table: SharedTable) -> None:
        """Use a table that several processes share for costly families from now on."""
        self._search.memo.shared = table

    def join_team(self, size: int) -> None:
        """Search from now on as one of `size` processes that share a table and answer together."""
        self._search.team = size


def _make_search(
    problem: Problem,
    options: SolverOptions,
    table: MemoryTable,
    disk: Disk | None,
    tick: Callable[[int], None],
    rule: str,
) -> Search:
    """Return the compiled search that solves a problem.

    table, disk -- where results are stored, in memory and on disk. tick -- called with the number
    of nodes now and then. rule -- "optimal", or how greedy chooses, such as "first greedy".
    """
    problem.game.require_sunk("this search")
    labelled = problem.labelled
    search = Search(
        items=labelled.items,
        weights=problem.weights,
        cells=problem.game.cells,
        objective=problem.objective.kind,
        table=table,
        disk=disk,
        switches=options.switches,
        tick=tick,
        rule=rule,
        replies=labelled.replies,
        labels=labelled.labels,
    )
    search.memo.disk_from = MIN_DISK_NODES
    return search


# Choices and trees

Choice = Callable[[Subfamily], int]  # the cell to shoot next


def best_cells(kernel: Kernel, state: Subfamily) -> Iterator[int]:
    """Yield every cell that an optimal strategy can shoot next, in the order of the search."""
    cost = kernel.solve(state)
    for cell, bound in kernel.shots(state):
        if bound <= cost and kernel.cost_of_shot(state, cell, cost + 1) == cost:
            yield cell


def first_cell(kernel: Kernel, state: Subfamily) -> int:
    """Return the cell that the search of a state tries first."""
    return kernel.shots(state)[0][0]


def best_cell(kernel: Kernel, state: Subfamily) -> int:
    """Return the first of the `best_cells`; in a lost state, where any cell will do, the first."""
    return first_cell(kernel, state) if kernel.is_lost(state) else next(best_cells(kernel, state))


def grow_tree(kernel: Kernel, state: Subfamily, choose: Choice) -> Node | Leaf:
    """Return the tree of a strategy from a state on: it shoots what `choose` returns for a state.

    Before that it shoots certain hits, if they can be shot at any time (`Kernel.free_hits`).
    """
    if kernel.is_over(state):
        return Leaf(kernel.weight(state))
    free_mask = kernel.free_hits(state)
    cell = next(bits(free_mask)) if free_mask else choose(state)
    return make_node(kernel, state, cell, lambda reply, part: grow_tree(kernel, part, choose))


def make_node(
    kernel: Kernel, state: Subfamily, cell: int, subtree: Callable[[Reply, Subfamily], Node | Leaf]
) -> Node:
    """Return the tree from a state on that shoots this cell first.

    subtree(reply, state) -- returns the tree after a reply, from the state after it.
    """
    parts = kernel.parts(state, cell)
    replies = {reply: subtree(reply, part) for reply, part in parts.items()}
    return Node(kernel.game.cell(cell), replies)


# Budgets


def miss_cost(objective: Objective, budget: int) -> int:
    """Return the cost of a miss per unit of weight if `budget` misses are still allowed.

    It is 1 for the mean. For worst it is 1 too, but FORBIDDEN if no miss is allowed. For within
    only the miss that exceeds the budget costs 1.
    """
    if objective.kind == "mean":
        return 1
    if objective.kind == "worst":
        return 1 if budget > 0 else FORBIDDEN
    return 1 if budget == 0 else 0


def chain_prices(sets: tuple[int, ...], misses: int | None = None) -> tuple[int, ...] | None:
    """Return prices, one for each set, that prove that the sets cost this many misses.

    `optsearch.lower_bounds.dual_chain` explains such proofs and the unit of prices. sets -- masks
    of cells. misses -- None proves as many as possible. The result is None if no such prices are
    found in STEPS_FOR_PRICES steps, or if the kernel has none for such sets.
    """
    limit = 1 << 40 if misses is None else misses
    priced = ChainDual().prices(to_words(sets), limit, STEPS_FOR_PRICES)
    if priced is None:
        return None
    proved_misses, prices = priced
    return tuple(prices) if misses is None or proved_misses >= misses else None


def announced_kernel(position: Position) -> Kernel:
    """Return the kernel of a small position in which hits tell something, for the mean.

    Errors are those of `Problem.of`.
    """
    problem, table = Problem.of_ships(position), MemoryTable(1 << 23)
    return Kernel(problem, SolverOptions(), table, None, lambda nodes: None)


def misses_by_announced_search(
    position: Position, tick: Callable[[int], None], memory: int = 1 << 27
) -> int:
    """Return the least misses of a silent position, by the search for announced sinkings.

    It takes all cells of a configuration for one ship. That ship sinks at the last hit, so that its
    announcement tells nothing. This is a second way to the value of `Kernel.solve`, with other
    bounds and other keys.

    memory -- bytes of the table. Errors are those of `Family.of`.
    """
    family = Family.of(position)
    if not family.hits:
        return 0
    sets = to_words(family.sets)
    problem = Problem(
        game=family.game,
        sets=sets,
        weights=np.array(family.weights, np.int64),
        hits=0,
        cells_left=family.hits,
        ships=sets[:, None, :],
    )
    kernel = Kernel(problem, SolverOptions(), MemoryTable(memory), None, tick)
    return kernel.solve(kernel.root)


def _weight_by_cell(sets: CellSets, weights: NDArray[np.int64], hits: int) -> NDArray[np.int64]:
    """Return for each of 128 cells the weight of the sets with it; 0 at the cells of a mask."""
    by_cell = np.zeros(128, np.int64)
    sets_at_once = 1 << 16  # sets, each unpacked to 128 bytes
    for start in range(0, len(sets), sets_at_once):
        batch = slice(start, start + sets_at_once)
        has_cell = np.unpackbits(sets[batch].view(np.uint8), axis=1, bitorder="little")
        by_cell += weights[batch] @ has_cell
    by_cell[list(bits(hits))] = 0
    return by_cell


def _most_probable(counts: NDArray[np.int64]) -> list[int]:
    """List the cells of the greatest count, ascending; none if all are 0."""
    highest = counts.max()
    return np.flatnonzero(counts == highest).tolist() if highest else []


def number_labels(game: Game) -> tuple[int, ...]:
    """Return for each ship of the fleet the number of the label that its hits have; 0 for none.

    Different labels have different numbers; the first label in the fleet has the greatest.
    """
    label_of_kind = game.label_of_kind
    assert label_of_kind is not None
    labels = [label_of_kind[kind] for kind in game.fleet]
    distinct = list(dict.fromkeys(label for label in labels if label is not None))
    numbers: dict[int | str | None, int] = {None: 0}
    numbers |= {label: number for number, label in enumerate(reversed(distinct), 1)}
    return tuple(numbers[label] for label in labels)


def _compatible_ships(position: Position) -> NDArray[np.uint64]:
    """Return the ships of each configuration of a position, of shape (configurations, ships, 2).

    A ship is two words of cells.
    """
    has_announcement = any(shot.reply.sunk or shot.reply.label for shot in position.shots)
    if position.hits and has_announcement:
        return np.ascontiguousarray(Posterior(position).list_all(masks=True))
    ships: CellSets = list_ships(position)
    is_compatible = [position.is_compatible(to_masks(row)) for row in ships]
    return np.ascontiguousarray(ships[is_compatible])


def _split_by_label(game: Game, ships: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the cells of each configuration, split by the label that a hit on them has.

    At each cell the labels that ships can have there are numbered from 0. The shape is
    (configurations, numbers, 2): for each number the cells whose label has it, as two words.
    """
    configurations = [
        list(zip(game.kinds_of(masks), masks, strict=True)) for masks in map(to_masks, ships)
    ]  # of ships, each as its kind and its mask
    every_ship = {ship for configuration in configurations for ship in configuration}
    label_numbers: dict[int, dict[int | str | None, int]] = {}  # cell -> label -> its number there
    for ship in sorted(every_ship, key=lambda ship: ship[1]):
        for cell, label in _labelled_cells(game, ship):
            number_of_label = label_numbers.setdefault(cell, {})
            number_of_label.setdefault(label, len(number_of_label))
    label_count = max(map(len, label_numbers.values()))
    if label_count > MAX_LABELS:
        subject, condition = "labels can be told", ""
        if game.shows_ships:
            subject, condition = (
                "of the ships that are left can lie",
                " where each hit shows its ship",
            )
        raise TooLarge(
            f"{label_count} {subject} on one cell; a search tells at most {MAX_LABELS} "
            f"apart{condition}"
        )
    split_configurations = []
    for configuration in configurations:
        cells_by_number = [0] * label_count
        for ship in configuration:
            for cell, label in _labelled_cells(game, ship):
                cells_by_number[label_numbers[cell][label]] |= 1 << cell
        split_configurations.append(to_words(cells_by_number))
    return np.array(split_configurations)


def _labelled_cells(game: Game, ship: tuple[int, int]) -> Iterator[tuple[int, int | str | None]]:
    """Yield the cells of a ship, each with the label of a hit there; ship -- its kind and mask."""
    for label, cells in game.label_table.cells_by_label[ship].items():
        for cell in bits(cells):
            yield cell, label
