"""The search kernels behind one interface: states, shots, and what they cost.

A state is a part of the configurations of a position and the cells hit. Costs are counted in misses
(`optsearch/_search`): with K cells left to hit, the total of shots over a state of weight W is
K·W + misses for the mean; for worst the same, if no configuration misses more than the budget; for
within it is the weight that is not finished within the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled._announced import AnnouncedSearch
from optsearch.compiled._chain import ChainDual
from optsearch.compiled._search import Search
from optsearch.compiled._table import MemoryTable, SharedTable
from optsearch.counting.configurations import CellSets, list_ships, to_masks, to_words
from optsearch.counting.family import MAX_SETS, Family
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.game import Game, NoLabels, SinkingLabels, bits, image
from optsearch.game.objective import MEAN, Objective
from optsearch.game.position import HIT, MISS, Position, Reply
from optsearch.support.errors import NotSupported, TooLarge
from optsearch.tree import Leaf, Node

Indices = NDArray[np.int32]

INFINITE = 1 << 60
FORBIDDEN = 1 << 50  # the kernels' cost of more misses than the budget allows
NO_BUDGET = -1
DISK_FROM = 8  # nodes: families that took less work are not worth a place on disk
FEW_BYTES = 1 << 12  # of a table that is not used
BETWEEN_TICKS = 1000  # states of a walk in Python


@dataclass(frozen=True)
class SolverOptions:
    """Switches of the search; each changes how long it takes and never what it answers.

    The inequalities and their proofs are in the docstrings of `cython_ext/_search.pyx` and
    `_bounds.pyx`, and for announced sinkings of `_announced.pyx` and `_announced_bounds.pyx`, which
    know memo, isomorphism, leaf_counting, profile, ordering, domination and small_cases.

    memo -- keep solved families in the transposition table.
    identity -- first look a family up by which sets it is, in a table that takes at most an eighth
        of the memory; for the mean.
    isomorphism -- one entry for all families that differ only in the names of their cells.
    leaf_counting -- no more leaves with j misses than words (`lower_bounds.leaf_counting`).
    profile -- bound how many sets can be finished within t misses along an all-miss chain.
    frequency_cap -- after a hit no cell hits more sets than the two cells are in together; and no
        shot hits more sets than the greatest count of a cell does now.
    matching -- two cells of the chain hit only once the sets that have both.
    domination -- never shoot a cell before one that is in all its sets.
    merging -- cells in exactly the same sets are one.
    products -- solve a family that is a product factor by factor.
    splitting -- a family costs more than its two parts at a cell, each on its own, together.
    chain -- where few sets have the same cell, as with a single ship not yet hit, bound the first
        hits of all sets together by prices (`lower_bounds.dual_chain`); where all weights are
        1, as with two_sided.
    two_sided -- where three cells are left to hit, as of two ships of two cells, part the cells and
        bound what either part leaves open.
    even -- where sets have weights that differ little, bound a family by what it costs if all weigh
        as much as the lightest, which is searched and remembered, and what the rest costs; and in
        the same way by former weights (`Silent.look_back`). It pays where a kernel is weighed anew
        (`Silent.weigh`), and not for one search.
    forced -- shoot at once a cell that only one set lacks.
    ordering -- try cells by their bound, the least first, instead of in row-major order.
    lookahead -- bound both parts after a shot by their own shots before searching either.
    small_cases -- solve two sets, and sets of one cell, at sight.
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
    forced: bool = True
    ordering: bool = True
    lookahead: bool = True
    small_cases: bool = True
    words: bool = True
    root_bounds: bool = True
    memory: int = 2 << 30

    @property
    def switches(self) -> dict[str, bool]:
        """The switches of the kernels by name."""
        return {name: getattr(self, name) for name in SWITCHES}


ABOVE_KERNELS = ("root_bounds", "memory")
SWITCHES = tuple(field.name for field in fields(SolverOptions) if field.name not in ABOVE_KERNELS)


class State(NamedTuple):
    """Some of the configurations of a kernel, by ascending indices, and the mask of cells hit.

    budget -- the misses still allowed, for worst and within; NO_BUDGET for the mean.
    """

    family: Indices
    hits: int
    budget: int = NO_BUDGET


class Disk(Protocol):
    """A table on disk, as the kernels see it."""

    def get(self, key: bytes, /) -> int | None: ...
    def put(self, key: bytes, value: int, /) -> None: ...


class Kernel(Protocol):
    """What a solver needs of a kernel.

    root -- the state of the position, without a budget. cells_left -- hits that end a game from
    there. easy -- states of so few configurations are solved at once. has_prices -- bounds come
    from prices of sets, and leave so little that a search in the order of the bounds is short.
    """

    game: Game
    objective: Objective
    root: State
    cells_left: int
    easy: int
    has_prices: bool

    @property
    def nodes(self) -> int:
        """Families looked into so far."""

    @property
    def subsets(self) -> int:
        """Parts looked into on machine words, not counted in `nodes`."""

    @property
    def effort(self) -> int:
        """Nodes, and what the subsets come to in nodes."""

    def weight(self, state: State) -> int:
        """How many configurations a state has, or what they weigh."""

    def hits_left(self, state: State) -> int:
        """How many cells all of these have still to hit, each as often as it weighs."""

    def free_hits(self, state: State) -> int:
        """Cells that may be shot at once: they cost nothing and tell nothing."""

    def is_over(self, state: State) -> bool:
        """Whether every cell of the ships is hit."""

    def is_lost(self, state: State) -> bool:
        """Whether more shots were missed than are allowed: what follows costs nothing."""

    def shots(self, state: State) -> list[tuple[int, int]]:
        """The cells to try and a lower bound of the cost of each, in the order of the search."""

    def lower_bound(self, state: State) -> int:
        """What can be said of the cost without a search."""

    def solve(self, state: State, limit: int = INFINITE) -> int:
        """The least cost if it is below the limit, else a lower bound that is not."""

    def after(self, state: State, cell: int, limit: int = INFINITE) -> int:
        """As `solve`, of strategies that shoot this cell first."""

    def parts(self, state: State, cell: int) -> dict[Reply, State]:
        """The state after each reply to a shot, in their order; a miss lowers the budget."""

    def counts(self, state: State) -> NDArray[np.int64]:
        """How many configurations have each cell, shape (128,); 0 where it is hit."""

    def greedy_shots(self, state: State) -> list[int]:
        """The most probable cells, ascending; a certain hit is one."""

    def greedy_choices(self, state: State) -> list[int]:
        """The cells that greedy chooses from, ascending: the most probable ones.

        Where nothing is announced a certain hit costs and tells nothing, so that it is shot before
        and is no choice. Where sinkings are announced, the order of the hits decides what a sinking
        tells, and it is one.
        """

    def greedy_misses(self) -> int:
        """What greedy costs from the root, ties broken by the first cell."""

    def orbit(self, cell: int) -> int:
        """The mask of the cells that a symmetry of the root state takes to this one."""

    def keep(self, disk: Disk | None, work: int = DISK_FROM) -> None:
        """Look costly families up there, and put them there, from now on.

        work -- in nodes, from which a family counts as costly; where sinkings are announced its
        size says so.
        """

    def share(self, table: SharedTable) -> None:
        """Look costly families up in a table of several processes, and put them there."""

    def search_with(self, team: int) -> None:
        """Search as one of so many processes with one table, all of which search the same."""


# Choices and trees

Choice = Callable[[State], int]  # the cell to shoot next


def best_cells(kernel: Kernel, state: State) -> Iterator[int]:
    """The cells that an optimal strategy can shoot next, in the order of the search."""
    cost = kernel.solve(state)
    for cell, bound in kernel.shots(state):
        if bound <= cost and kernel.after(state, cell, cost + 1) == cost:
            yield cell


def first_cell(kernel: Kernel, state: State) -> int:
    """The cell that the search tries first."""
    return kernel.shots(state)[0][0]


def best_cell(kernel: Kernel, state: State) -> int:
    """The first cell of an optimal strategy; where nothing costs anything, the first of all."""
    return first_cell(kernel, state) if kernel.is_lost(state) else next(best_cells(kernel, state))


def grow(kernel: Kernel, state: State, choose: Choice) -> Node | Leaf:
    """The tree of a rule of choice from a state on; free hits come first."""
    if kernel.is_over(state):
        return Leaf(kernel.weight(state))
    free = kernel.free_hits(state)
    cell = next(bits(free)) if free else choose(state)
    return shoot(kernel, state, cell, lambda reply, part: grow(kernel, part, choose))


def shoot(
    kernel: Kernel, state: State, cell: int, follow: Callable[[Reply, State], Node | Leaf]
) -> Node:
    """The tree that shoots a cell first. follow -- the tree after each reply."""
    parts = kernel.parts(state, cell)
    return Node(kernel.game.cell(cell), {reply: follow(reply, parts[reply]) for reply in parts})


# Budgets


def price(objective: Objective, budget: int) -> int:
    """What a miss costs with so many misses still allowed."""
    if objective.kind == "mean":
        return 1
    if objective.kind == "worst":
        return 1 if budget > 0 else FORBIDDEN
    return 1 if budget == 0 else 0


class _Budgets:
    """What both kernels say of the budgets of states."""

    objective: Objective

    def is_lost(self, state: State) -> bool:
        return self.objective.kind != "mean" and state.budget < 0

    def _after_miss(self, state: State) -> int:
        return NO_BUDGET if self.objective.kind == "mean" else max(state.budget - 1, -1)

    def _budget_of_shots(self, state: State) -> int:
        """What is lost has its shots in the order they have when no miss is left."""
        return NO_BUDGET if self.objective.kind == "mean" else max(state.budget, 0)


class Silent(_Budgets):
    """The kernel of games that announce nothing: configurations are sets of cells with weights."""

    easy = 48

    def __init__(
        self,
        family: Family,
        hits: int,
        objective: Objective,
        options: SolverOptions,
        table: MemoryTable,
        disk: Disk | None,
        tick: Callable[[int], None],
        rule: str = "optimal",
    ):
        """hits -- the mask of the cells hit before, which no set of the family has."""
        self.game = family.game
        self.objective = objective
        self.family = family
        self.cells_left = self.family.hits
        self.sets = to_words(self.family.sets)
        self.weights = np.array(self.family.weights, np.int64)
        self.root = State(np.arange(len(self.sets), dtype=np.int32), hits)
        self._search = self._searching(options, table, disk, tick, rule)
        self._options, self._tick = options, tick
        self.has_prices = self._search.has_prices

    def _searching(
        self,
        options: SolverOptions,
        table: MemoryTable,
        disk: Disk | None,
        tick: Callable[[int], None],
        rule: str,
    ) -> Search:
        kind, cells = self.objective.kind, self.game.cells
        switches = options.switches
        search = Search(self.sets, self.weights, cells, kind, table, disk, switches, tick, rule)
        search.memo.disk_from = DISK_FROM
        return search

    def weigh(self, weights: tuple[int, ...]) -> None:
        """Give the sets other weights; what is remembered of them is kept."""
        self.family = replace(self.family, weights=weights).check_total_weight()
        self.weights = np.array(weights, np.int64)
        self._search.weigh(self.weights)

    def look_back(self) -> None:
        """From now on bound other weights by what was found with those of now."""
        self._search.look_back()

    @property
    def nodes(self) -> int:
        return self._search.nodes

    @property
    def subsets(self) -> int:
        return self._search.subsets

    @property
    def effort(self) -> int:
        return self._search.effort.total

    def weight(self, state: State) -> int:
        return int(self.weights[state.family].sum())

    def hits_left(self, state: State) -> int:
        left = self.sets[state.family] & ~to_words([state.hits])
        cells = np.bitwise_count(left).sum(axis=1).astype(np.int64)
        return int(cells @ self.weights[state.family])

    def free_hits(self, state: State) -> int:
        words = np.bitwise_and.reduce(self.sets[state.family], axis=0)
        return to_masks(words[None, :])[0] & ~state.hits

    def cells_of(self, state: State) -> int:
        """The cells that some of the configurations have, without those hit before (mask)."""
        words = np.bitwise_or.reduce(self.sets[state.family], axis=0)
        return to_masks(words[None, :])[0]

    def tick(self) -> None:
        """Tell how far the search is, or end it, where no kernel does."""
        self._tick(self.nodes)

    def is_over(self, state: State) -> bool:
        return len(state.family) == 1 and not self.free_hits(state)

    def shots(self, state: State) -> list[tuple[int, int]]:
        return self._search.shots(state.family, self._budget_of_shots(state))

    def lower_bound(self, state: State) -> int:
        return self._search.lower_bound(state.family, state.budget)

    def solve(self, state: State, limit: int = INFINITE) -> int:
        return self._search.solve(state.family, state.budget, limit)

    def after(self, state: State, cell: int, limit: int = INFINITE) -> int:
        return self._search.after(state.family, cell, state.budget, limit)

    def parts(self, state: State, cell: int) -> dict[Reply, State]:
        has = (self.sets[state.family, cell >> 6] >> np.uint64(cell & 63) & np.uint64(1)) == 1
        parts = {
            HIT: State(state.family[has], state.hits | 1 << cell, state.budget),
            MISS: State(state.family[~has], state.hits, self._after_miss(state)),
        }
        return {answer: part for answer, part in parts.items() if len(part.family)}

    def counts(self, state: State) -> NDArray[np.int64]:
        return _counts(self.sets[state.family], self.weights[state.family], state.hits)

    def greedy_shots(self, state: State) -> list[int]:
        return _most(self.counts(state))

    def greedy_choices(self, state: State) -> list[int]:
        counts = self.counts(state)
        counts[list(bits(self.free_hits(state)))] = 0
        return _most(counts)

    def greedy_misses(self) -> int:
        table = MemoryTable(FEW_BYTES)
        search = self._searching(self._options, table, None, self._tick, "first greedy")
        return search.solve(self.root.family)

    def orbit(self, cell: int) -> int:
        result = 0
        for permutation in self.family.automorphisms:
            result |= image(1 << cell, permutation)
        return result

    def keep(self, disk: Disk | None, work: int = DISK_FROM) -> None:
        self._search.memo.disk, self._search.memo.disk_from = disk, work

    def share(self, table: SharedTable) -> None:
        self._search.memo.shared = table

    def search_with(self, team: int) -> None:
        self._search.team = team


def chain_prices(sets: tuple[int, ...], limit: int, steps: int = 20_000) -> tuple[int, ...] | None:
    """Prices of sets by which they need so many misses (`optsearch.lower_bounds.dual_chain`).

    None where the steps are too few, or the kernel has no prices for such sets.
    """
    priced = ChainDual().prices(to_words(sets), limit, steps)
    return tuple(priced[1]) if priced is not None and priced[0] >= limit else None


def raised_prices(sets: tuple[int, ...], steps: int = 20_000) -> tuple[int, ...] | None:
    """The best prices that so many steps find; None where the kernel has none for such sets."""
    priced = ChainDual().prices(to_words(sets), 1 << 40, steps)
    return None if priced is None else tuple(priced[1])


class Announced(_Budgets):
    """The kernel of games that announce sinkings: configurations are ships."""

    easy = 8
    has_prices = False

    def __init__(
        self,
        position: Position,
        objective: Objective,
        options: SolverOptions,
        table: MemoryTable,
        disk: Disk | None,
        tick: Callable[[int], None],
    ):
        game = self.game = position.game
        self.objective = objective
        posterior = Posterior(position)
        posterior.require_some()
        if posterior.configurations > MAX_SETS // 8:
            raise TooLarge(
                f"{posterior.configurations:,} configurations of {game} are too many to solve "
                f"exactly with announce={game.announce}; at most {MAX_SETS // 8:,} are listed"
            )
        self.ships = _compatible(position)
        self.cells_left = position.hits_left
        self.root = State(np.arange(len(self.ships), dtype=np.int32), position.hits)
        self._tick = tick
        self._search = AnnouncedSearch(
            self.ships,
            game.cells,
            game.announce == "ship",
            objective.kind,
            table,
            disk,
            options.switches,
            tick,
            labels(game),
        )

    @property
    def nodes(self) -> int:
        return self._search.nodes

    @property
    def subsets(self) -> int:
        return 0

    @property
    def effort(self) -> int:
        return self._search.effort.total

    def weight(self, state: State) -> int:
        return len(state.family)

    def hits_left(self, state: State) -> int:
        hit = (state.hits & ~self.root.hits).bit_count()
        return (self.cells_left - hit) * len(state.family)

    def free_hits(self, state: State) -> int:
        if len(state.family) > 1:
            return 0
        return self._cells(state) & ~state.hits

    def _cells(self, state: State) -> int:
        words = np.bitwise_or.reduce(self.ships[state.family[0]], axis=0)
        return to_masks(words[None, :])[0]

    def is_over(self, state: State) -> bool:
        return not self._cells(state) & ~state.hits

    def shots(self, state: State) -> list[tuple[int, int]]:
        return self._search.shots(state.family, state.hits, self._budget_of_shots(state))

    def lower_bound(self, state: State) -> int:
        return self._search.lower_bound(state.family, state.hits, state.budget)

    def solve(self, state: State, limit: int = INFINITE) -> int:
        return self._search.solve(state.family, state.hits, state.budget, limit)

    def after(self, state: State, cell: int, limit: int = INFINITE) -> int:
        return self._search.after(state.family, state.hits, cell, state.budget, limit)

    def parts(self, state: State, cell: int) -> dict[Reply, State]:
        codes = self._search.parts(state.family, state.hits, cell)
        hit = State(state.family, state.hits | 1 << cell, state.budget)
        missed = State(state.family, state.hits, self._after_miss(state))
        parts = {
            self._reply(code): (hit if code else missed)._replace(family=family)
            for code, family in codes.items()
        }
        return dict(sorted(parts.items(), key=lambda part: part[0].order))

    def _reply(self, code: int) -> Reply:
        if code < 2:
            return HIT if code else MISS
        if self.game.announce != "ship":
            return Reply(True, True)
        told = _kinds(self.game)[code - 3] if self.game.has_shapes else code - 2
        return Reply(True, True, told)

    @cached_property
    def _automorphisms(self) -> tuple[tuple[int, ...], ...]:
        """The symmetries of the grid that take the configurations and the hits to themselves."""
        ships = [tuple(to_masks(row)) for row in self.ships]
        hits = self.root.hits
        if not hits:
            # Before the first hit only misses say anything, and they say it of cells.
            everything = {frozenset(row) for row in ships}
            return tuple(
                permutation
                for permutation in self.game.symmetries()
                if all(frozenset(image(s, permutation) for s in row) in everything for row in ships)
            )
        return self.game.symmetries()[:1]

    def counts(self, state: State) -> NDArray[np.int64]:
        sets = np.bitwise_or.reduce(self.ships[state.family], axis=1)
        return _counts(sets, np.ones(len(sets), np.int64), state.hits)

    def greedy_shots(self, state: State) -> list[int]:
        return _most(self.counts(state))

    def greedy_choices(self, state: State) -> list[int]:
        return self.greedy_shots(state)

    def greedy_misses(self) -> int:
        cost, waiting, seen = 0, [self.root], 0
        while waiting:
            state = waiting.pop()
            if self.is_over(state):
                continue
            seen += 1
            if seen % BETWEEN_TICKS == 0:
                self._tick(self.nodes)
            parts = self.parts(state, self.greedy_choices(state)[0])
            cost += self.weight(parts[MISS]) if MISS in parts else 0
            waiting += parts.values()
        return cost

    def orbit(self, cell: int) -> int:
        result = 0
        for permutation in self._automorphisms:
            result |= image(1 << cell, permutation)
        return result

    def keep(self, disk: Disk | None, work: int = DISK_FROM) -> None:
        self._search.memo.disk = disk

    def share(self, table: SharedTable) -> None:
        self._search.memo.shared = table

    def search_with(self, team: int) -> None:
        self._search.team = team


def kernel(
    position: Position,
    objective: Objective,
    options: SolverOptions,
    table: MemoryTable,
    disk: Disk | None,
    tick: Callable[[int], None],
    rule: str = "optimal",
    prior: Prior | None = None,
    family: Family | None = None,
) -> Kernel:
    """The kernel for the rules of a position, or of a family that is given.

    rule -- which strategies there are: "optimal" for all, or "best greedy", "worst greedy" or
    "first greedy"; these for the mean and announce=nothing only. prior -- the weights of the
    configurations; for announce=nothing only. family -- what is hidden, in place of configurations;
    for the mean.

    Raises ImpossiblePosition when no configuration is left, TooLarge when they cannot be listed.
    """
    position.game.require_kinds("a search", NoLabels, SinkingLabels)
    if position.game.is_silent:
        found = Family.of(position, prior) if family is None else family.check_total_weight()
        return Silent(found, position.hits, objective, options, table, disk, tick, rule)
    if prior is not None:
        position.game.require_silent("a search by a prior")
    if rule != "optimal":
        raise NotSupported(f"no kernel for {rule} with announce={position.game.announce}")
    return Announced(position, objective, options, table, disk, tick)


def announced_kernel(position: Position, memory: int = 1 << 23) -> Announced:
    """The kernel of a small position where sinkings are announced, for the mean.

    Errors as in `kernel`.
    """
    table = MemoryTable(memory)
    return Announced(position, MEAN, SolverOptions(), table, None, lambda nodes: None)


def misses_with_one_ship_a_set(
    position: Position, tick: Callable[[int], None], memory: int = 1 << 27
) -> int:
    """The least misses of a silent position, by the search of games that announce sinkings.

    Each set of cells is one ship, which sinks at the last hit, so that what is announced tells
    nothing. It shares with `Silent` the table in memory and no bound, key or order of search.
    tick -- called with the number of nodes now and then; may raise. Errors as in `Family.of`.
    """
    family = Family.of(position)
    if not family.hits:
        return 0
    ships = np.repeat(to_words(family.sets), family.weights, axis=0)[:, None, :]
    search = AnnouncedSearch(
        ships,
        position.game.cells,
        False,
        MEAN.kind,
        MemoryTable(memory),
        None,
        SolverOptions().switches,
        tick,
    )
    return search.solve(np.arange(len(ships), dtype=np.int32), 0, NO_BUDGET)


def _counts(sets: CellSets, weights: NDArray[np.int64], hits: int) -> NDArray[np.int64]:
    """The weight of the sets that have each cell; 0 where it is hit."""
    counts = np.zeros(128, np.int64)
    for start in range(0, len(sets), 1 << 16):
        part = slice(start, start + (1 << 16))
        has = np.unpackbits(sets[part].view(np.uint8), axis=1, bitorder="little")
        counts += weights[part] @ has
    counts[list(bits(hits))] = 0
    return counts


def _most(counts: NDArray[np.int64]) -> list[int]:
    """The cells of the greatest count; none if all are 0."""
    most = counts.max()
    return np.flatnonzero(counts == most).tolist() if most else []


def _kinds(game: Game) -> list[int]:
    return list(dict.fromkeys(game.fleet))


def labels(game: Game) -> list[int]:
    """What the sinking of each ship tells, for `AnnouncedSearch`; empty where it is the length."""
    return [1 + _kinds(game).index(kind) for kind in game.fleet] if game.has_shapes else []


def _compatible(position: Position) -> NDArray[np.uint64]:
    """The configurations of a position as ships, shape (n, ships, 2)."""
    if not any(shot.reply.sunk for shot in position.shots):
        ships: CellSets = list_ships(position)
        keep = [position.is_compatible(to_masks(row)) for row in ships]
        return np.ascontiguousarray(ships[keep])
    return np.ascontiguousarray(Posterior(position).everything())
