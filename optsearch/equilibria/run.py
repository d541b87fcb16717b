"""The double oracle: rounds of a mix of the hider, the best answer to it, and a better mix."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from optsearch.equilibria import linear
from optsearch.equilibria.graph import Choice, Graph
from optsearch.equilibria.greedy import greedy_tree
from optsearch.equilibria.hidings import Hidings
from optsearch.equilibria.memory import Memory
from optsearch.equilibria.oracle import BestAnswer, Oracle
from optsearch.equilibria.solution import Equilibrium
from optsearch.game import Game
from optsearch.game.objective import MEAN, Objective
from optsearch.search.team import Parallel
from optsearch.support.errors import NotSupported, TooLarge
from optsearch.support.progress import Limit, LimitReached, Progress, Status
from optsearch.support.workers import IN_THIS_PROCESS, Execution
from optsearch.tree import Leaf, Node

CLOSE = 1e-9  # of bounds in floating point that may be equal
LEVEL = 0.3  # of what is open, that the next mix gains by the trees so far
END = 1e-3  # shots that are open, from which a vertex of the programme is asked about
BETTER = 0.02  # of what is open, by which a tree of the graph has to be better to join
MOST_JOIN = 20  # times before the solver is asked again
SHARES = 1 << 40  # in which probabilities are rounded where they are not exact


@dataclass(frozen=True)
class Round(Status):
    """The progress of a run.

    lower, upper -- bounds of what the shooter pays; the upper one is approximate.
    """

    number: int
    trees: int
    lower: float
    upper: float


def equilibrium(
    game: Game | str,
    objective: Objective = MEAN,
    *,
    tolerance: Fraction = Fraction(0),
    time_limit: float | None = None,
    partial: bool = False,
    execution: Execution = IN_THIS_PROCESS,
) -> Equilibrium:
    """Compute the value of the game in which the hider, too, plays optimally.

    tolerance -- stop as soon as the bounds are that near; 0 for the exact value. time_limit --
    seconds; after that the bracket proved by then is returned: before the first round has ended,
    of a hider who draws uniformly and of a greedy tree. partial -- return the bracket after ctrl-C,
    too. execution -- its checkpoint keeps all trees, and its progress is called after each round.
    Its executor gets tasks of the solver, for announce=nothing; without one, nothing runs in
    parallel.

    Raises ImpossiblePosition for a game without a configuration, TooLarge for one with too many,
    NotSupported for the worst case, which no mix changes.
    """
    parsed = Game.parse(game) if isinstance(game, str) else game
    if objective.kind == "worst":
        raise NotSupported(
            f"the worst case of {parsed} is the same against every hider, and no mix of trees "
            "improves it; solve --objective worst finds it. For an equilibrium mean or within=K "
            "is accepted"
        )
    limit = None if time_limit is None else Limit(time_limit)
    hidings = Hidings.of(parsed)
    executor = execution.executor
    parallel = None if executor is None else Parallel(executor, execution.tasks_at_once)
    with Memory(execution.checkpoint, hidings, objective) as memory:
        run = _Run(hidings, objective, memory, limit, execution.progress, parallel)
        interrupted = False
        try:
            with limit.alarm() if limit else nullcontext():
                run.resume()
                while not run.is_over(tolerance):
                    run.go_on()
        except LimitReached:
            pass
        except KeyboardInterrupt:
            if not partial:
                raise
            interrupted = True
        if not run.weights:
            run.bracket()
        return run.result(interrupted)


class _Run:
    """The rounds of one game."""

    def __init__(
        self,
        hidings: Hidings,
        objective: Objective,
        memory: Memory,
        limit: Limit | None,
        progress: Progress[Round],
        parallel: Parallel | None,
    ):
        self.hidings, self.objective, self.memory = hidings, objective, memory
        self.limit, self.progress = limit, progress
        self.oracle = Oracle(hidings, objective, self._tick, parallel)
        self.sizes: list[int] = hidings.sizes.tolist()
        # the weights of a hider who draws uniformly
        self.numbers = [n // s for n, s in zip(hidings.uniform, self.sizes, strict=True)]
        self.hider = linear.HiderProgramme(hidings.sizes)
        self.graph = Graph(hidings, objective)
        self.trees: dict[tuple[int, ...], Node | Leaf | Choice] = {}  # by what they pay
        self.rounds = 0
        self.uniform: Fraction | None = None
        self.lower = Fraction(-1)  # of the best mix so far
        self.weights: tuple[int, ...] = ()
        self.upper = float("inf")
        self.exact: list[Fraction] | None = None  # the shooter's mix, once the value is known
        self.ended = False
        self.started = time.perf_counter()
        self.is_new = True  # whether the last answer was a new tree

    def _tick(self) -> None:
        if self.limit is not None:
            self.limit.check()

    # Rounds

    def resume(self) -> None:
        """Begin with a hider who draws uniformly, and with the trees that a checkpoint has."""
        best = self.memory.weights
        for root, row in self.memory.trees():
            self._add(root, row)
        self.ask(self.numbers)
        self.uniform = self.lower
        self.centre = self._mix(self.numbers)
        if best is not None and best != self.numbers:
            self.ask(best)

    def bracket(self) -> None:
        """Bound the value if the first answer was cut short."""
        self.limit = None
        self.weights = tuple(self.numbers)
        self.lower = Fraction(self.oracle.bound_cost(self.numbers), self.oracle.total(self.numbers))
        root, row = greedy_tree(self.hidings, self.objective)
        self.trees.setdefault(row, root)
        self.hider = linear.HiderProgramme(self.hidings.sizes)  # a tree may have been joining
        for row in self.trees:
            self.hider.add(row)

    def ask(self, weights: Sequence[int]) -> BestAnswer:
        """Return the best answer to a mix; its tree joins the trees."""
        self.rounds += 1
        answer = self.oracle.answer(weights)
        self.is_new = answer.row not in self.trees
        if self.is_new:
            self._add(answer.root, answer.row)
            self.memory.add(answer.root)
        worth = self._worth(answer)
        if worth > self.lower:
            self.lower, self.weights = worth, answer.weights
            self.oracle.bound_by_previous_weights()
            self.centre = self._mix(weights)
            self.memory.keep(answer.weights)
        return answer

    def _mix(self, weights: Sequence[int]) -> NDArray[np.float64]:
        """Return the probability of each orbit."""
        total = self.oracle.total(weights)
        return np.array([s * y / total for s, y in zip(self.sizes, weights, strict=True)])

    def _worth(self, answer: BestAnswer) -> Fraction:
        """Return a lower bound on the mean that any tree pays against a mix."""
        return Fraction(answer.cost, self.oracle.total(answer.weights))

    def _add(self, tree: Node | Leaf | Choice, row: tuple[int, ...]) -> None:
        if isinstance(tree, Node | Leaf):
            self.graph.add(tree)
        if row not in self.trees:
            self.hider.add(row)
            self.trees[row] = tree

    def go_on(self) -> None:
        """Play one round: solve the programme over the trees so far, then answer a mix."""
        mix, near = self._mixes()
        self._report()
        self._tick()
        if self.upper - self.lower < CLOSE:
            self._settle()
            return
        before = self.lower
        self.ask(self.oracle.integer_weights(near))
        if self.lower == before and not self.is_new:
            if near is not mix:
                self.ask(self.oracle.integer_weights(mix))
            if not self.is_new:
                self._settle()

    def _mixes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the best mix against the trees so far, and the one to answer.

        Trees of the graph that are much better against them join before that.
        """
        for _ in range(MOST_JOIN):
            mix, near = self._mixes_now()
            joined = [self._join(mix), near is not mix and self._join(near)]
            if not any(joined):
                return mix, near
            self._tick()
        return self._mixes_now()

    def _mixes_now(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        mix = self.hider.mix()
        self.upper = min(self.upper, self._least_pay(mix))
        is_far = self.upper - self.lower > END
        return mix, self._at_level() if is_far else mix

    def _least_pay(self, mix: NDArray[np.float64]) -> float:
        return float((self.hider.pays @ mix).min())

    def _join(self, mix: NDArray[np.float64]) -> bool:
        """Add the graph's best tree against a mix if it is much better; True if it was added."""
        weights = mix / self.hidings.sizes
        choice, row = self.graph.best(weights[self.hidings.orbit_of])
        threshold = self._least_pay(mix) - BETTER * float(self.upper - self.lower)
        if np.array(row) @ weights >= threshold or row in self.trees:
            return False
        self._add(choice, row)
        return True

    def _at_level(self) -> NDArray[np.float64]:
        """Return a mix near the best one against which the trees pay a share of the gap more.

        Near it the trees so far are most informative (Lemaréchal, Nemirovskii and Nesterov 1995).
        """
        lower = float(self.lower)
        level = lower + LEVEL * (self.upper - lower)
        return linear.nearest(self.hider.pays, self.centre, level)

    def _settle(self) -> None:
        """Try the vertex of the programme; the run ends if it is exact or no new tree joined."""
        rows, (orbits, trees) = list(self.trees), self.hider.vertex()
        weights = linear.exact_hider(rows, self.sizes, orbits, trees)
        shooter = linear.exact_shooter(rows, self.sizes, orbits, trees)
        if weights is None or shooter is None:
            self.ended = True
            return
        greatest = linear.greatest_pay(rows, self.sizes, shooter)
        if self.uniform != greatest:
            try:
                answer = self.ask(weights)
            except TooLarge:  # the bracket stays
                self.ended = True
                return
            if self._worth(answer) == self.lower:
                self.weights = answer.weights  # those of the vertex are the least whole numbers
        if self.lower == greatest:
            self.exact = shooter + [Fraction(0)] * (len(self.trees) - len(shooter))
        self.ended = self.exact is not None or not self.is_new

    def _report(self) -> None:
        seconds = time.perf_counter() - self.started
        lower = float(self.lower)
        upper = max(lower, self.upper)
        self.progress(Round(self.rounds, len(self.trees), lower, upper, seconds=seconds))

    def is_over(self, tolerance: Fraction) -> bool:
        """True if the value is known, or its bounds are near enough."""
        near = self.upper - self.lower <= tolerance - Fraction(CLOSE)
        return self.ended or (bool(tolerance) and near)

    # The end

    def result(self, is_interrupted: bool) -> Equilibrium:
        """Return the equilibrium or its bracket so far; all numbers are exact."""
        mix = self.exact
        if mix is None:
            # A tree whose joining was interrupted is left out.
            mix = linear.round_mix(self.hider.shooter()[: len(self.trees)], SHARES)
        used = [
            (tree if isinstance(tree, Node | Leaf) else self.graph.tree(tree), p)
            for tree, p in zip(self.trees.values(), mix, strict=True)
            if p
        ]
        return Equilibrium(
            hidings=self.hidings,
            objective=self.objective,
            lower=self.lower,
            upper=linear.greatest_pay(list(self.trees), self.sizes, mix),
            weights=self.weights,
            roots=tuple(root for root, _ in used),
            probabilities=tuple(p for _, p in used),
            uniform=self.uniform,
            rounds=self.rounds,
            trees=len(self.trees),
            seconds=time.perf_counter() - self.started,
            is_interrupted=is_interrupted,
        )
