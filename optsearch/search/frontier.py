"""Best-first search above a kernel: a bracket of the least cost that only tightens.

The top of the search is a tree in Python. Its nodes are states and the shots from them. A state has
a proved lower bound, and the cost of a strategy as upper bound; its shots are sorted by their lower
bounds. The search follows the shots of least bound down to one that is not open, and asks the
kernel for its cost: a question. If the kernel needs too many nodes to answer, the shot is opened:
the states after its replies join the tree. So the bracket holds at any moment, and questions are
independent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from sortedcontainers import SortedKeyList

from optsearch.game.position import MISS, Reply
from optsearch.search.kernels import (
    FORBIDDEN,
    INFINITE,
    Kernel,
    Subfamily,
    best_cell,
    first_cell,
    grow_tree,
    make_node,
    miss_cost,
)
from optsearch.tree import Leaf, Node

FEW_NODES = 20_000  # after which a question is given up, if shots are opened early


@dataclass(eq=False)
class OrNode:
    """A state of the tree, with bounds of its least cost.

    rule -- a rule that costs `upper` from here on, until a shot is found to cost less; None if the
    state is solved. shots -- the shots from here by their lower bounds; None before they are
    listed. parent -- the shot before; None at the root.
    """

    state: Subfamily
    lower: int
    upper: int
    rule: Rule | None = None
    shots: SortedKeyList[AndNode] | None = None
    parent: AndNode | None = None


@dataclass(eq=False)
class AndNode:
    """A shot from a state, with bounds of the cost if it is shot first.

    rank -- its index in the order of the kernel. missed_cost -- the cost of its own misses.
    parts -- the states after its replies; None before the shot is opened.
    """

    state_node: OrNode
    cell: int
    rank: int
    missed_cost: int
    lower: int
    upper: int = INFINITE
    parts: dict[Reply, OrNode] | None = None

    @property
    def is_exact(self) -> bool:
        """True if the bounds are equal, so that the cost is known."""
        return self.lower == self.upper


@dataclass(frozen=True, eq=False)
class Question:
    """A question to a kernel: what is the least cost if this cell is shot first?

    limit -- a cost below it must be exact; from it on, any lower bound >= limit is an answer.
    max_nodes -- the kernel gives up after this number of nodes; None for no limit.
    """

    state: Subfamily
    cell: int
    limit: int
    max_nodes: int | None


Rule = Callable[[Kernel, Subfamily], int]  # returns the cell to shoot next


@dataclass
class BestFirstSearch:
    """The search for the least cost of a state, which is between `lower` and `upper`.

    ceiling -- costs from this one on count as equal. max_nodes -- the most nodes of a question;
    None for no limit. values_all_shots -- True continues until the cost of every first shot is
    known. stops_below_ceiling -- True ends once any strategy costs less than the ceiling.
    """

    kernel: Kernel
    state: Subfamily
    ceiling: int = INFINITE
    max_nodes: int | None = None
    values_all_shots: bool = False
    stops_below_ceiling: bool = False
    root: OrNode = field(init=False)
    _rules: list[Rule] = field(init=False)  # whose strategies bound each new state from above
    _first_shot_costs: list[tuple[int, int]] = field(init=False)  # of these rules: cell, cost
    _under_way: dict[Question, AndNode] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._rules, self._first_shot_costs = [first_choice], []
        self.root = self._open_state(self.state)
        if self.root.rule is not None:
            first_shot = first_choice(self.kernel, self.state)
            self._first_shot_costs.append((first_shot, self.root.upper))
        self._list_shots(self.root)

    def add_strategy(self, rule: Rule) -> None:
        """Use the cost of a rule as an upper bound at the root, and in every state opened later.

        Nothing changes if the rule was added before, or if the root was solved without a rule.
        """
        if rule in self._rules or self.root.rule is None:
            return
        cost = cost_of_rule(self.kernel, self.state, rule)
        self._rules.append(rule)
        self._first_shot_costs.append((rule(self.kernel, self.state), cost))
        self.add_known_strategy(rule, cost)

    def add_known_strategy(self, rule: Rule, cost: int) -> None:
        """Bound the root by the known cost of playing this rule."""
        if self.root.rule is not None and cost < self.root.upper:
            self.root.upper, self.root.rule = cost, rule

    def raise_lower_bound(self, cost: int) -> None:
        """Raise the lower bound of the root to this cost, if it is greater."""
        self.root.lower = max(self.root.lower, cost)

    @property
    def lower(self) -> int:
        """Return a lower bound on the cost of every strategy."""
        return min(self.root.lower, self.root.upper)

    @property
    def upper(self) -> int:
        """Return the cost of the best strategy found, or a cost >= `ceiling` if none is found."""
        return self.root.upper

    @property
    def limit(self) -> int:
        """Return the cost from which on no first shot can be a best one."""
        return min(self.root.upper + 1, self.ceiling)

    @property
    def decided_counts(self) -> tuple[int, int]:
        """Return how many first shots are decided (best, or known not to be), and how many exist.

        Symmetric first shots count once.
        """
        shots = self._shots(self.root)
        return sum(shot.is_exact or shot.lower >= self.limit for shot in shots), len(shots)

    @property
    def valued_counts(self) -> tuple[int, int]:
        """Return for how many first shots the cost is known, and how many exist.

        Symmetric first shots count once.
        """
        shots = self._shots(self.root)
        return sum(shot.is_exact for shot in shots), len(shots)

    @property
    def best_cells(self) -> list[int]:
        """List the first shots that are known to have the least cost; of symmetric ones, one."""
        shots = self._shots(self.root)
        return [shot.cell for shot in shots if shot.is_exact and shot.upper == self.root.upper]

    @property
    def first_shots(self) -> list[tuple[int, int, int]]:
        """List each first shot with a lower and an upper bound of its cost; of symmetric ones, one.

        The upper bound of a shot that was not searched is the least of

        - if hits tell nothing, the cost of a known strategy plus the misses of the shot: shoot
          there first, and continue with that strategy;
        - if hits tell something, the cost of shooting every cell;
        - the cost of any known rule that begins with this shot or an image of it.
        """
        weight, shots = self.kernel.weight(self.state), self._shots(self.root)
        cells = len(self.kernel.shots(self.state))
        cost_of_every_cell = weight * max(0, cells - self.kernel.cells_left)
        is_silent = self.kernel.game.is_silent
        brackets = []
        for shot in shots:
            upper = self.root.upper + shot.missed_cost if is_silent else cost_of_every_cell
            orbit = self.kernel.orbit(shot.cell)
            for cell, cost in self._first_shot_costs:
                if orbit >> cell & 1:
                    upper = min(upper, cost)
            brackets.append((shot.cell, max(shot.lower, self.lower), min(shot.upper, upper)))
        return brackets

    # Questions

    def set_early_opening(self, is_early: bool) -> None:
        """Open each shot whose question takes more than FEW_NODES nodes; False opens none."""
        self.max_nodes = FEW_NODES if is_early else None

    def next_question(self) -> Question | None:
        """Return the next question to ask, and count it as asked; None if there is none now.

        Answers to questions under way may lead to new ones.
        """
        if self.stops_below_ceiling and self.root.upper < self.ceiling:
            return None
        question = self._next_from_state(self.root, self.limit)
        if question is None and self.values_all_shots:
            for shot in list(self._shots(self.root)):
                if question is None and not shot.is_exact:
                    question = self._next_after_shot(shot, shot.upper)
        return question

    def enter_answer(self, question: Question, cost: int | None) -> None:
        """Put the answer to a question into the tree of the search.

        cost -- the cost of the shot if below the limit of the question, else a lower bound. None
        means that the question was given up; then the states after the shot get nodes, about which
        smaller questions can be asked.
        """
        shot = self._under_way.pop(question)
        if cost is None:
            parts = self.kernel.parts(shot.state_node.state, shot.cell)
            shot.parts = {
                reply: self._open_state(part, parent=shot) for reply, part in parts.items()
            }
        elif cost < question.limit:
            self._set_bounds(shot, lower=cost, upper=cost)
        else:
            self._set_bounds(shot, lower=max(cost, shot.lower), upper=shot.upper)
        self._update_bounds(shot)

    def cancel_questions(self) -> None:
        """Drop the questions under way; a search that is resumed asks them again."""
        self._under_way.clear()

    # The tree of states

    def _open_state(self, state: Subfamily, parent: AndNode | None = None) -> OrNode:
        """Return a new node for a state, with the bounds of its cost that are known at once.

        A state with few sets is solved. Else the kernel bounds it from below, and the best of the
        known rules from above.
        """
        if self.kernel.is_lost(state):
            return OrNode(state, 0, 0, parent=parent)
        if len(state.family) <= self.kernel.easy_size:
            cost = self.kernel.solve(state)
            return OrNode(state, cost, cost, parent=parent)
        lower = self.kernel.lower_bound(state)
        costs = [cost_of_rule(self.kernel, state, rule) for rule in self._rules]
        upper = min(costs)
        return OrNode(state, lower, upper, self._rules[costs.index(upper)], parent=parent)

    def _list_shots(self, node: OrNode) -> None:
        """Give a node the list of its possible shots, each with a lower bound of its cost.

        At the root only one shot of each set of symmetric ones is listed.
        """
        symmetric_to_listed = 0
        node.shots = SortedKeyList(key=lambda shot: (shot.lower, shot.rank))
        for rank, (cell, bound) in enumerate(self.kernel.shots(node.state)):
            if symmetric_to_listed >> cell & 1:
                continue
            if node is self.root:
                symmetric_to_listed |= self.kernel.orbit(cell)
            parts = self.kernel.parts(node.state, cell)
            missed_weight = self.kernel.weight(parts[MISS]) if MISS in parts else 0
            cost = missed_weight * miss_cost(self.kernel.objective, node.state.budget)
            node.shots.add(AndNode(node, cell, rank, missed_cost=cost, lower=max(bound, cost)))
        if node.shots:
            node.lower = max(node.lower, node.shots[0].lower)

    def _shots(self, node: OrNode) -> SortedKeyList[AndNode]:
        assert node.shots is not None
        return node.shots

    def _next_from_state(self, node: OrNode, limit: int) -> Question | None:
        """Return the next question about a state, or None if there is none now.

        Shots of lower bound >= limit are not asked about. The shot with the least bound comes
        first. Once a shot of known cost comes first, the state needs no more questions; only at the
        root the later shots are asked about too, to find all best ones.
        """
        if node.shots is None:
            self._list_shots(node)
            self._update_bounds(node.parent)
        for shot in list(self._shots(node)):
            if shot.lower >= limit:
                return None
            if not shot.is_exact:
                question = self._next_after_shot(shot, limit)
                if question is not None:
                    return question
            elif node is not self.root:
                return None
        return None

    def _next_after_shot(self, shot: AndNode, limit: int) -> Question | None:
        """Return the next question about a shot, or None if there is none now.

        It asks for the cost of the shot if that is below `limit`. If the states after the shot have
        nodes, it is about one of these states.
        """
        if shot.parts is None:
            if shot in self._under_way.values():
                return None
            new_question = Question(shot.state_node.state, shot.cell, limit, self.max_nodes)
            self._under_way[new_question] = shot
            return new_question
        parts = sorted(shot.parts.values(), key=lambda part: len(part.state.family))
        lower = shot.missed_cost + sum(part.lower for part in parts)
        for part in parts:
            if part.lower < part.upper:
                lower_of_rest = lower - part.lower
                question = self._next_from_state(part, limit - lower_of_rest)
                if question is not None:
                    return question
        return None

    def _set_bounds(self, shot: AndNode, lower: int, upper: int) -> None:
        """Set the bounds of a shot, and sort it in anew among the shots of its state."""
        shots = self._shots(shot.state_node)
        shots.remove(shot)
        shot.lower, shot.upper = lower, upper
        shots.add(shot)

    def _update_bounds(self, shot: AndNode | None) -> None:
        """Tighten the bounds of a shot, and of all shots and states above it up to the root.

        The bounds of a shot are its own misses plus the bounds of the states after it, if these
        have nodes.
        """
        while shot is not None:
            if shot.parts is not None:
                lower = shot.missed_cost + sum(part.lower for part in shot.parts.values())
                upper = shot.missed_cost + sum(part.upper for part in shot.parts.values())
                self._set_bounds(shot, max(shot.lower, lower), min(shot.upper, upper))
            node = shot.state_node
            shots = self._shots(node)
            node.lower = max(node.lower, min(shots[0].lower, node.upper))
            node.upper = min(node.upper, min(other_shot.upper for other_shot in shots))
            shot = node.parent

    # The strategy of the upper bound

    def strategy(self) -> Node | Leaf:
        """Return the tree of a strategy that costs `upper`; it is optimal if the bounds meet."""
        return self._tree_from(self.root)

    def _tree_from(self, node: OrNode) -> Node | Leaf:
        """Return the tree of a strategy from a node on that costs the upper bound of the node."""
        choose_best = partial(best_cell, self.kernel)
        if node.rule is None:
            return grow_tree(self.kernel, node.state, choose_best)
        best_shots = [shot for shot in node.shots or () if shot.upper == node.upper]
        if not best_shots:
            return grow_tree(self.kernel, node.state, partial(node.rule, self.kernel))
        best_shot = min(best_shots, key=lambda shot: shot.rank)

        def subtree(reply: Reply, part: Subfamily) -> Node | Leaf:
            if best_shot.parts is None:
                return grow_tree(self.kernel, part, choose_best)
            return self._tree_from(best_shot.parts[reply])

        return make_node(self.kernel, node.state, best_shot.cell, subtree)


def first_choice(kernel: Kernel, state: Subfamily) -> int:
    """Return the cell of least bound, or the cell of an optimal strategy if the state is easy."""
    is_easy = len(state.family) <= kernel.easy_size or kernel.is_lost(state)
    return best_cell(kernel, state) if is_easy else first_cell(kernel, state)


def first_greedy(kernel: Kernel, state: Subfamily) -> int:
    """Return the first of the most probable cells."""
    return kernel.greedy_choices(state)[0]


def greedy_choice(kernel: Kernel, state: Subfamily) -> int:
    """Return the first most probable cell, or the cell of an optimal strategy in easy states."""
    is_easy = len(state.family) <= kernel.easy_size or kernel.is_lost(state)
    return best_cell(kernel, state) if is_easy else first_greedy(kernel, state)


def cost_of_rule(kernel: Kernel, state: Subfamily, rule: Rule) -> int:
    """Return the cost of playing a rule from a state on, and optimally once few sets are left.

    Misses cost what `miss_cost` says. Once the sum reaches FORBIDDEN, it is returned without the
    rest.
    """
    cost = 0
    waiting = [state]
    while waiting:
        state = waiting.pop()
        if kernel.is_lost(state):
            continue
        if len(state.family) <= kernel.easy_size:
            cost += kernel.solve(state)
            continue
        if kernel.is_over(state):
            continue
        parts = kernel.parts(state, rule(kernel, state))
        if MISS in parts:
            cost += kernel.weight(parts[MISS]) * miss_cost(kernel.objective, state.budget)
        waiting += parts.values()
        if cost >= FORBIDDEN:
            return cost
    return cost
