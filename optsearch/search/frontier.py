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

FEW_NODES = 20_000  # of a question, where it is not to take long


@dataclass(eq=False)
class OrNode:
    """A state of the tree, with bounds of its least cost.

    rule -- a rule that costs `upper` from here on; None if the state is solved. shots -- the shots
    from here by their lower bounds; None before they are listed. parent -- the shot before; None at
    the root.
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

    at: OrNode
    cell: int
    rank: int
    price: int
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
    nodes -- the kernel gives up after this number of nodes; None for no limit.
    """

    state: Subfamily
    cell: int
    limit: int
    nodes: int | None


Rule = Callable[[Kernel, Subfamily], int]  # the cell to shoot next


@dataclass
class BestFirstSearch:
    """The search for the least cost of a state, which is between `lower` and `upper`.

    ceiling -- costs from this one on count as equal. nodes -- the most nodes of a question; None
    for no limit. values_all_shots -- True continues until the cost of every first shot is known.
    stops_below_ceiling -- True ends once any strategy costs less than the ceiling.
    """

    kernel: Kernel
    state: Subfamily
    ceiling: int = INFINITE
    nodes: int | None = None
    values_all_shots: bool = False
    stops_below_ceiling: bool = False
    root: OrNode = field(init=False)
    _rules: list[Rule] = field(init=False)  # of strategies that are known from the start
    _begun: list[tuple[int, int]] = field(init=False)  # their first shots and what they cost
    _under_way: dict[Question, AndNode] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._rules, self._begun = [first_choice], []
        self.root = self._open_state(self.state)
        if self.root.rule is not None:
            self._begun.append((first_choice(self.kernel, self.state), self.root.upper))
        self._list_shots(self.root)

    def add_strategy(self, rule: Rule) -> None:
        """Bound the root, and every state opened later, by the cost of playing this rule too."""
        if rule in self._rules or self.root.rule is None:
            return
        cost = cost_of_rule(self.kernel, self.state, rule)
        self._rules.append(rule)
        self._begun.append((rule(self.kernel, self.state), cost))
        if cost < self.root.upper:
            self.root.upper, self.root.rule = cost, rule

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
        """Return the cost from which first shots count as equal: none of them can be the best."""
        return min(self.root.upper + 1, self.ceiling)

    @property
    def decided_counts(self) -> tuple[int, int]:
        """Return how many first shots are decided (best, or known not to be), and how many exist.

        Symmetric first shots count once.
        """
        shots = self._shots(self.root)
        return sum(s.is_exact or s.lower >= self.limit for s in shots), len(shots)

    @property
    def valued_counts(self) -> tuple[int, int]:
        """Return for how many first shots the cost is known, and how many exist.

        Symmetric first shots count once.
        """
        shots = self._shots(self.root)
        return sum(s.is_exact for s in shots), len(shots)

    @property
    def best_cells(self) -> list[int]:
        """List the first shots that are known to have the least cost; of symmetric ones, one."""
        shots = self._shots(self.root)
        return [s.cell for s in shots if s.is_exact and s.upper == self.root.upper]

    @property
    def first_shots(self) -> list[tuple[int, int, int]]:
        """List each first shot with a lower and an upper bound of its cost; of symmetric ones, one.

        The upper bound of a shot that was not searched is the least of

        - the cost of a known strategy plus the misses of the shot: shoot there first, and continue
          with that strategy. This holds only if hits tell nothing, as else the shot may change
          later replies;
        - if hits tell something, the cost of shooting every cell;
        - the cost of any strategy of `add_strategy` that begins with this shot or an image of it.
        """
        weight, shots = self.kernel.weight(self.state), self._shots(self.root)
        cells = len(self.kernel.shots(self.state))
        everything = weight * max(0, cells - self.kernel.cells_left)
        is_silent = self.kernel.game.is_silent
        brackets = []
        for shot in shots:
            bound = self.root.upper + shot.price if is_silent else everything
            images = self.kernel.orbit(shot.cell)
            bound = min([bound, *(cost for cell, cost in self._begun if images >> cell & 1)])
            brackets.append((shot.cell, max(shot.lower, self.lower), min(shot.upper, bound)))
        return brackets

    # Questions

    def set_early_opening(self, is_early: bool) -> None:
        """Set that long questions are given up after FEW_NODES nodes, or that none is given up.

        A shot whose question is given up is opened.
        """
        self.nodes = FEW_NODES if is_early else None

    def next_question(self) -> Question | None:
        """Return the most promising question that is not asked yet, and count it as asked.

        Return None if there is none now; answers to questions under way may raise new ones.
        """
        if self.stops_below_ceiling and self.root.upper < self.ceiling:
            return None
        question = self._next_at(self.root, self.limit)
        if question is None and self.values_all_shots:
            for shot in list(self._shots(self.root)):
                if question is None and not shot.is_exact:
                    question = self._next_after(shot, shot.upper)
        return question

    def enter_answer(self, question: Question, cost: int | None) -> None:
        """Enter the cost that answers a question; if it was given up (None), open its shot."""
        shot = self._under_way.pop(question)
        if cost is None:
            parts = self.kernel.parts(shot.at.state, shot.cell)
            shot.parts = {
                answer: self._open_state(part, parent=shot) for answer, part in parts.items()
            }
        elif cost < question.limit:
            self._move(shot, cost, cost)
        else:
            self._move(shot, max(cost, shot.lower), shot.upper)
        self._update(shot)

    def cancel_questions(self) -> None:
        """Drop the questions under way; a search that is resumed asks them again."""
        self._under_way.clear()

    # The tree of states

    def _open_state(self, state: Subfamily, parent: AndNode | None = None) -> OrNode:
        """Return the node of a state: solved if it is easy, else with bounds known at once.

        These are the lower bound of the kernel, and the cost of the best of the known rules.
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

    def _list_shots(self, at: OrNode) -> None:
        """Fill in the shots of a state; at the root only one of symmetric shots."""
        covered = 0
        at.shots = SortedKeyList(key=lambda shot: (shot.lower, shot.rank))
        for rank, (cell, bound) in enumerate(self.kernel.shots(at.state)):
            if at is self.root:
                if covered >> cell & 1:
                    continue
                covered |= self.kernel.orbit(cell)
            parts = self.kernel.parts(at.state, cell)
            missed = self.kernel.weight(parts[MISS]) if MISS in parts else 0
            cost = missed * miss_cost(self.kernel.objective, at.state.budget)
            at.shots.add(AndNode(at, cell, rank, cost, max(bound, cost)))
        if at.shots:
            at.lower = max(at.lower, at.shots[0].lower)

    def _shots(self, at: OrNode) -> SortedKeyList[AndNode]:
        """Return the shots of a state, which must be listed."""
        assert at.shots is not None
        return at.shots

    def _next_at(self, at: OrNode, limit: int) -> Question | None:
        if at.shots is None:
            self._list_shots(at)
            self._update(at.parent)
        for shot in list(self._shots(at)):
            if shot.lower >= limit:
                return None
            if shot.is_exact:
                if at is self.root:
                    continue
                return None
            question = self._next_after(shot, limit)
            if question is not None:
                return question
        return None

    def _next_after(self, shot: AndNode, limit: int) -> Question | None:
        """Return the next question about the cost of a shot, up to the limit, or None."""
        if shot.parts is None:
            if shot in self._under_way.values():
                return None
            new = Question(shot.at.state, shot.cell, limit, self.nodes)
            self._under_way[new] = shot
            return new
        parts = sorted(shot.parts.values(), key=lambda part: len(part.state.family))
        others = shot.price + sum(part.lower for part in parts)
        for part in parts:
            if part.lower < part.upper:
                question = self._next_at(part, limit - others + part.lower)
                if question is not None:
                    return question
        return None

    def _move(self, shot: AndNode, lower: int, upper: int) -> None:
        shots = self._shots(shot.at)
        shots.remove(shot)
        shot.lower, shot.upper = lower, upper
        shots.add(shot)

    def _update(self, shot: AndNode | None) -> None:
        """Update the bounds from a shot up to the root."""
        while shot is not None:
            if shot.parts is not None:
                lower = shot.price + sum(part.lower for part in shot.parts.values())
                upper = shot.price + sum(part.upper for part in shot.parts.values())
                self._move(shot, max(shot.lower, lower), min(shot.upper, upper))
            at = shot.at
            shots = self._shots(at)
            at.lower = max(at.lower, min(shots[0].lower, at.upper))
            at.upper = min(at.upper, min(s.upper for s in shots))
            shot = at.parent

    # The strategy of the upper bound

    def strategy(self) -> Node | Leaf:
        """Return the tree of a strategy that costs `upper`; it is optimal if the bounds meet."""
        return self._strategy(self.root)

    def _strategy(self, at: OrNode) -> Node | Leaf:
        best = partial(best_cell, self.kernel)
        if at.rule is None:
            return grow_tree(self.kernel, at.state, best)
        shots = [s for s in at.shots or () if s.upper == at.upper]
        if not shots:
            return grow_tree(self.kernel, at.state, partial(at.rule, self.kernel))
        shot = min(shots, key=lambda s: s.rank)

        def follow(reply: Reply, part: Subfamily) -> Node | Leaf:
            if shot.parts is None:
                return grow_tree(self.kernel, part, best)
            return self._strategy(shot.parts[reply])

        return make_node(self.kernel, at.state, shot.cell, follow)


def first_choice(kernel: Kernel, state: Subfamily) -> int:
    """Return the cell of least bound, or the cell of an optimal strategy if the state is easy."""
    is_known = len(state.family) <= kernel.easy_size or kernel.is_lost(state)
    return best_cell(kernel, state) if is_known else first_cell(kernel, state)


def first_greedy(kernel: Kernel, state: Subfamily) -> int:
    """Return the first of the most probable cells."""
    return kernel.greedy_choices(state)[0]


def greedy_choice(kernel: Kernel, state: Subfamily) -> int:
    """Return the first most probable cell, or the cell of an optimal strategy in easy states."""
    is_known = len(state.family) <= kernel.easy_size or kernel.is_lost(state)
    return best_cell(kernel, state) if is_known else first_greedy(kernel, state)


def cost_of_rule(kernel: Kernel, state: Subfamily, rule: Rule) -> int:
    """Return the cost of playing a rule from a state on, and optimally in easy states.

    If it reaches FORBIDDEN, the sum so far is returned.
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
