"""Greedy: always shoot a most probable cell. Its exact value, for all ways to break ties.

Section 3.3 of Audinot, Bonnet and Viennot (2014). Often several cells are equally probable (tied),
so there are many greedy strategies. A *rule* says how ties are broken, and so names one strategy:

    best          at every node the tied cell after which greedy can do best
    worst         at every node the tied cell after which greedy can do worst
    first         the first tied cell, row by row
    checkerboard  a cell with an even sum of row and column, counted from 0, then the first
    central       the cell nearest to the middle of the board, then the first
    last          the last tied cell, row by row
    remainder     the cell after which one more greedy shot leaves the fewest configurations on
                  average, then the first

A cell that is in every configuration is a certain hit, and a most probable cell. If nothing is
announced, or if each hit names its ship, certain hits are free, and every rule shoots them first.
If sinkings are announced, the time of a certain hit matters. Then the rule chooses it like any
other cell (`Kernel.greedy_choices`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

from optsearch.compiled.search._table import MemoryTable
from optsearch.counting.family import Family
from optsearch.counting.prior import Prior
from optsearch.game import Cell, Game, bits
from optsearch.game.orders import ORDERS, order_of
from optsearch.game.position import MISS, Position, Shot
from optsearch.search.kernels import (
    Kernel,
    Problem,
    SolverOptions,
    Subfamily,
    best_cell,
    best_cells,
    grow_tree,
)
from optsearch.support.errors import OptsearchError
from optsearch.support.progress import Progress, no_progress
from optsearch.tree import DecisionTree, Leaf, Node
from optsearch.tree.solution import SearchStatus

RULES = ("best", "worst", *ORDERS, "remainder")
DEFAULT = SolverOptions()
BETWEEN_REPORTS = 100  # nodes in Python


@dataclass(frozen=True)
class Divergence:
    """A position at which no shot of a best greedy strategy is optimal.

    shots -- the shots up to there, by both strategies. configurations -- how many are left.
    best_greedy_shots, best_shots -- the cells that best greedy strategies and optimal strategies
    can shoot next. best_greedy_total_height, total_height -- of these strategies, with the shots
    counted from there.
    """

    shots: tuple[Shot, ...]
    configurations: int
    best_greedy_shots: tuple[Cell, ...]
    best_shots: tuple[Cell, ...]
    best_greedy_total_height: int
    total_height: int


@dataclass(frozen=True)
class GreedyComparison:
    """A best greedy tree and an optimal tree that shoot the same cells for as long as possible.

    partings -- the positions at which they part, in the order of the tree.
    """

    greedy: DecisionTree
    optimal: DecisionTree
    partings: tuple[Divergence, ...]


class GreedySolver:
    """The values and the trees of all greedy strategies from one position on.

    (The player, who breaks ties in one way, is `optsearch.strategies.greedy`.)

    prior -- the weights of the configurations. A most probable cell then is one of most weight, and
    numbers of configurations are sums of weights. family -- sets that replace the configurations.

    Raises ImpossiblePosition if no configuration is left, TooLarge if they cannot be listed.
    """

    def __init__(
        self,
        position: Position,
        options: SolverOptions = DEFAULT,
        progress: Progress[SearchStatus] = no_progress,
        prior: Prior | None = None,
        family: Family | None = None,
    ):
        self.position = position
        self._problem = Problem.of(position, prior, family)
        self.prior = prior
        self._options = options
        self._progress = progress
        self._nodes = 0
        self._kernels: dict[str, Kernel] = {}
        self._misses_found: dict[tuple[str, bytes], int] = {}
        self._kernel = self._kernel_for("optimal")
        self._root = self._kernel.root
        self.configurations = self._kernel.weight(self._root)

    def __repr__(self) -> str:
        return f"<GreedySolver of {self.position.title}>"

    def _kernel_for(self, rule: str) -> Kernel:
        """Return the search kernel for a rule, which the first call makes.

        rule -- "optimal" for all strategies; "best greedy", "worst greedy" or "first greedy" for
        those that shoot a most probable cell. If hits tell something, one kernel serves every rule.
        """
        if not self.position.game.is_silent:
            rule = "optimal"
        if rule not in self._kernels:
            nodes_before = self._nodes

            def report_nodes(nodes: int) -> None:
                self._progress(SearchStatus(nodes_before + nodes, effort=nodes_before + nodes))

            table = MemoryTable(self._options.memory)
            self._kernels[rule] = Kernel(
                self._problem, self._options, table, None, report_nodes, rule
            )
        return self._kernels[rule]

    # Shots and values

    @cached_property
    def greedy_shots(self) -> tuple[Cell, ...]:
        """The most probable cells, in row-major order, certain hits among them."""
        return tuple(map(self.position.game.cell, self._kernel.greedy_shots(self._root)))

    @cached_property
    def best_shots(self) -> tuple[Cell, ...]:
        """The cells that an optimal strategy can shoot first, in row-major order."""
        kernel, root = self._kernel, self._root
        cells = set(bits(kernel.free_hits(root)))
        if not kernel.is_over(root):
            cells.update(best_cells(kernel, root))
        return tuple(map(self.position.game.cell, sorted(cells)))

    def total_height(self, rule: str = "best") -> int:
        """Return the shots of greedy with a rule, summed over all configurations."""
        _require_rule(rule)
        kernel_plays_first = self.position.game.is_silent
        if rule in ("best", "worst") or (rule == "first" and kernel_plays_first):
            return self._kernel.hits_left(self._root) + self._misses(self._root, rule)
        return self.tree(rule).total_height

    def lower_bound(self) -> int:
        """Return a lower bound on the total height of every strategy, without a search."""
        return self._kernel.hits_left(self._root) + self._kernel.lower_bound(self._root)

    def _misses(self, state: Subfamily, rule: str) -> int:
        """Return the total misses of greedy play from a state on.

        rule -- best, worst or first: how it chooses among equally probable cells. The rule first is
        only for games in which hits tell nothing.
        """
        kernel = self._kernel_for(f"{rule} greedy")
        if kernel.is_silent:
            return kernel.solve(state)
        if kernel.is_over(state):
            return 0
        if free_mask := kernel.free_hits(state):
            return self._misses_after(state, next(bits(free_mask)), rule)
        key = rule, kernel.normal_form(state)
        if key not in self._misses_found:
            self._count_node()
            cells = kernel.greedy_choices(state)
            costs = (self._misses_after(state, cell, rule) for cell in cells)
            self._misses_found[key] = min(costs) if rule == "best" else max(costs)
        return self._misses_found[key]

    def _count_node(self) -> None:
        """Count a node of the search in Python, and report progress now and then."""
        self._nodes += 1
        if self._nodes % BETWEEN_REPORTS == 0:
            self._progress(SearchStatus(self._nodes, effort=self._nodes))

    def _misses_after(self, state: Subfamily, cell: int, rule: str) -> int:
        """Return the total misses if this cell is shot first, and greedy plays on by the rule."""
        parts = self._kernel.parts(state, cell)
        own_misses = self._kernel.weight(parts[MISS]) if MISS in parts else 0
        return own_misses + sum(self._misses(part, rule) for part in parts.values())

    # Trees

    def tree(self, rule: str = "best") -> DecisionTree:
        """Return the tree of greedy with a rule.

        Of several tied cells that are best (or worst) it shoots the first.
        """
        _require_rule(rule)
        choose_cell = self._cell_chooser(rule)

        def choose(state: Subfamily) -> int:
            self._count_node()
            return choose_cell(state)

        return self._tree_of(grow_tree(self._kernel, self._root, choose))

    def _tree_of(self, root: Node | Leaf) -> DecisionTree:
        digest = "" if self.prior is None else self.prior.digest
        return DecisionTree(self.position, root, prior=digest)

    def _cell_chooser(self, rule: str) -> Callable[[Subfamily], int]:
        """Return the function by which greedy chooses one of the most probable cells of a state.

        rule -- "best" and "worst" choose by the misses to come, "remainder" by the weight left
        later, all others by the order of cells with this name.
        """
        if rule in ("best", "worst"):
            return partial(self._choose_by_value, rule)
        choices = self._kernel.greedy_choices
        if rule == "remainder":
            return lambda state: min(choices(state), key=partial(self._remainder, state))
        rank_of_cell = {cell: i for i, cell in enumerate(order_of(self.position.game, rule))}
        return lambda state: min(choices(state), key=rank_of_cell.__getitem__)

    def _choose_by_value(self, rule: str, state: Subfamily) -> int:
        """Return the first tied cell with the misses of the best (or worst) greedy strategy."""
        tied_cells = self._kernel.greedy_choices(state)
        if len(tied_cells) == 1:
            return tied_cells[0]
        misses = self._misses(state, rule)
        return next(cell for cell in tied_cells if self._misses_after(state, cell, rule) == misses)

    def _remainder(self, state: Subfamily, cell: int) -> int:
        """Return the sum of the squared weights that can be left after a shot and a greedy shot.

        Divided by the weight of the state, it is the mean weight that is left.
        """
        kernel, sum_of_squares = self._kernel, 0
        likeliest_cells = kernel.greedy_choices if kernel.is_silent else kernel.greedy_shots
        for part in kernel.parts(state, cell).values():
            tied_cells = likeliest_cells(part)
            parts_after = kernel.parts(part, tied_cells[0]).values() if tied_cells else [part]
            sum_of_squares += sum(kernel.weight(part_after) ** 2 for part_after in parts_after)
        return sum_of_squares

    # Compared with the optimum

    def compare(self) -> GreedyComparison:
        """Return a best greedy tree, an optimal tree, and the positions at which they part."""
        partings: list[Divergence] = []
        greedy, optimal = self._pair_from(self._root, (), partings)
        return GreedyComparison(self._tree_of(greedy), self._tree_of(optimal), tuple(partings))

    def optimum(self) -> int:
        """Return the least total height of any strategy."""
        return self._kernel.hits_left(self._root) + self._kernel.solve(self._root)

    def _pair_from(
        self, state: Subfamily, shots: tuple[Shot, ...], partings: list[Divergence]
    ) -> tuple[Node | Leaf, Node | Leaf]:
        """Return a best greedy and an optimal tree that shoot the same cells as long as they can.

        shots -- the shots up to the state. partings -- the list to which each position is added at
        which the trees shoot different cells for the first time.
        """
        kernel, game = self._kernel, self.position.game
        certain_mask = kernel.free_hits(state)
        if certain_mask:
            return self._pair_after(state, next(bits(certain_mask)), shots, partings)
        least_misses, greedy_misses = kernel.solve(state), self._misses(state, "best")
        if greedy_misses == least_misses:
            shared_tree = grow_tree(kernel, state, self._cell_chooser("best"))
            return shared_tree, shared_tree
        greedy_cells = [
            cell
            for cell in kernel.greedy_choices(state)
            if self._misses_after(state, cell, "best") == greedy_misses
        ]
        limit = least_misses + 1  # costs below it are exact
        shared_cells = [
            cell for cell in greedy_cells if kernel.cost_of_shot(state, cell, limit) == least_misses
        ]
        if shared_cells:
            return self._pair_after(state, shared_cells[0], shots, partings)
        hits = kernel.hits_left(state)
        partings.append(
            Divergence(
                shots=shots,
                configurations=kernel.weight(state),
                best_greedy_shots=tuple(map(game.cell, greedy_cells)),
                best_shots=tuple(map(game.cell, sorted(best_cells(kernel, state)))),
                best_greedy_total_height=hits + greedy_misses,
                total_height=hits + least_misses,
            )
        )
        greedy_tree = grow_tree(kernel, state, self._cell_chooser("best"))
        return greedy_tree, grow_tree(kernel, state, partial(best_cell, kernel))

    def _pair_after(
        self, state: Subfamily, cell_index: int, shots: tuple[Shot, ...], partings: list[Divergence]
    ) -> tuple[Node | Leaf, Node | Leaf]:
        """Return a best greedy tree and an optimal tree that both shoot one cell first.

        cell_index -- this cell. shots -- the shots before it. partings -- the list to which the
        positions are added at which the trees part.
        """
        cell = self.position.game.cell(cell_index)
        greedy_replies, optimal_replies = {}, {}
        for reply, part in self._kernel.parts(state, cell_index).items():
            greedy_replies[reply], optimal_replies[reply] = self._pair_from(
                part, (*shots, Shot(cell, reply)), partings
            )
        return Node(cell, greedy_replies), Node(cell, optimal_replies)


def greedy(
    position: Position | Game | str,
    options: SolverOptions = DEFAULT,
    progress: Progress[SearchStatus] = no_progress,
    prior: Prior | None = None,
    shots: str = "",
) -> GreedySolver:
    """Return a solver that finds the values and trees of the greedy strategies from a position.

    Greedy always shoots a most probable cell; a rule says which one if several are.

    position -- a position, or a game or its text. shots -- earlier shots, as in `A2=hit B3=miss`.
    options -- switches and memory of the search. prior -- the weights of the configurations.
    Errors are those of `GreedySolver`.
    """
    return GreedySolver(Position.of(position, shots), options, progress, prior)


def _require_rule(rule: str) -> None:
    """Raise OptsearchError for a name that is not a rule of greedy."""
    if rule not in RULES:
        raise OptsearchError(f"no greedy rule {rule!r}; there are {', '.join(RULES)}")
