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
from optsearch.support.workers import IN_THIS_PROCESS, Execution, require_execution
from optsearch.tree import Leaf, Node

EQUAL_GAP = 1e-9  # of bounds in floating point that may be equal
LEVEL_SHARE = 0.3  # of what is open, that the next mix gains by the trees so far
VERTEX_GAP = 1e-3  # shots that are open, from which a vertex of the programme is asked about
LEAST_GAIN_SHARE = 0.02  # of what is open, by which a tree of the graph has to be better to join
MOST_JOIN_ROUNDS = 20  # times before the solver is asked again
ROUNDING_DENOMINATOR = 1 << 40  # in which probabilities are rounded where they are not exact


@dataclass(frozen=True)
class Round(Status):
    """The progress of a run.

    number -- of best answers so far. trees -- the number of different trees so far. lower, upper --
    bounds on what the shooter pays; the upper one is approximate.
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
    seconds, after which the bracket proved by then is returned. If the first round has not ended,
    that is the bracket of a hider who draws uniformly and of a greedy tree. partial -- return the
    bracket after ctrl-C, too. execution -- its checkpoint keeps all trees, and its progress is
    called after each round. Its executor gets tasks of the solver, for announce=nothing; without
    one, nothing runs in parallel.

    Raises ImpossiblePosition for a game without a configuration, TooLarge for one with too many,
    NotSupported for the worst case, which no mix changes.
    """
    require_execution(execution)
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
        run = _DoubleOracle(hidings, objective, memory, limit, execution.progress, parallel)
        is_interrupted = False
        try:
            with limit.alarm() if limit else nullcontext():
                run.resume()
                while not run.is_over(tolerance):
                    run.play_round()
        except LimitReached:
            pass
        except KeyboardInterrupt:
            if not partial:
                raise
            is_interrupted = True
        if not run.weights:
            run.bracket_uniform()
        return run.result(is_interrupted)


class _DoubleOracle:
    """The rounds of one game.

    uniform_weights -- for each orbit the weight of a hiding if the hider draws uniformly. trees --
    the trees so far, by what they pay on each orbit. lower -- the best lower bound, which `weights`
    prove. upper -- the best upper bound, in floating point. shooter_mix -- the exact mix, once the
    value is known. is_new_tree -- True if the last answer was a tree that was not known.
    """

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
        self.oracle = Oracle(hidings, objective, self._check_limit, parallel)
        self.orbit_sizes: list[int] = hidings.orbit_sizes.tolist()
        counts_and_sizes = zip(hidings.configurations_by_orbit, self.orbit_sizes, strict=True)
        self.uniform_weights = [configurations // size for configurations, size in counts_and_sizes]
        self.programme = linear.HiderProgramme(hidings.orbit_sizes)
        self.graph = Graph(hidings, objective)
        self.trees: dict[tuple[int, ...], Node | Leaf | Choice] = {}
        self.rounds = 0
        self.uniform_payment: Fraction | None = None
        self.lower = Fraction(-1)
        self.weights: tuple[int, ...] = ()
        self.upper = float("inf")
        self.shooter_mix: list[Fraction] | None = None
        self.has_ended = False
        self.started = time.perf_counter()
        self.is_new_tree = True

    def _check_limit(self) -> None:
        if self.limit is not None:
            self.limit.check()

    # Rounds

    def resume(self) -> None:
        """Add the trees of the checkpoint, and the best answer to a hider who draws uniformly.

        If the checkpoint has a mix of the hider, the best answer to it is added, too.
        """
        stored_weights = self.memory.weights
        for root, payments in self.memory.trees():
            self._add_tree(root, payments)
        self.answer_mix(self.uniform_weights)
        self.uniform_payment = self.lower
        self.best_mix_so_far = self._orbit_probabilities(self.uniform_weights)
        if stored_weights is not None and stored_weights != self.uniform_weights:
            self.answer_mix(stored_weights)

    def bracket_uniform(self) -> None:
        """Bound the value by a uniform hider and greedy, if there was no time for a best answer.

        The lower bound is what the solver has proved about answers to a uniform hider. Greedy's
        tree joins the trees, from which the upper bound follows.
        """
        self.limit = None
        self.weights = tuple(self.uniform_weights)
        least_cost = self.oracle.bound_cost(self.uniform_weights)
        self.lower = Fraction(least_cost, self.hidings.total_weight(self.uniform_weights))
        root, payments_of_greedy = greedy_tree(self.hidings, self.objective)
        self.trees.setdefault(payments_of_greedy, root)
        # The programme may have been interrupted while a tree joined it.
        self.programme = linear.HiderProgramme(self.hidings.orbit_sizes)
        for payments in self.trees:
            self.programme.add(payments)

    def answer_mix(self, weights: Sequence[int]) -> BestAnswer:
        """Return the shooter's best answer to a mix of the hider, and add its tree to the trees.

        weights -- of the mix: for each orbit, a set of symmetric choices of the hider, the weight
        of each choice. If the answer proves a better lower bound, the bound and the mix are kept.
        """
        self.rounds += 1
        answer = self.oracle.answer(weights)
        self.is_new_tree = answer.payments not in self.trees
        if self.is_new_tree:
            self._add_tree(answer.root, answer.payments)
            self.memory.add(answer.root)
        mean = self._mean_payment(answer)
        if mean > self.lower:
            self.lower, self.weights = mean, answer.weights
            self.oracle.bound_by_previous_weights()
            self.best_mix_so_far = self._orbit_probabilities(weights)
            self.memory.keep(answer.weights)
        return answer

    def _orbit_probabilities(self, weights: Sequence[int]) -> NDArray[np.float64]:
        """Return the probability of each orbit; weights -- for each orbit, of a single hiding."""
        total = self.hidings.total_weight(weights)
        pairs = zip(self.orbit_sizes, weights, strict=True)
        return np.array([size * weight / total for size, weight in pairs])

    def _mean_payment(self, answer: BestAnswer) -> Fraction:
        """Return the least mean that any tree pays against the mix of an answer."""
        return Fraction(answer.cost, self.hidings.total_weight(answer.weights))

    def _add_tree(self, tree: Node | Leaf | Choice, payments: tuple[int, ...]) -> None:
        if isinstance(tree, Node | Leaf):
            self.graph.add(tree)
        if payments not in self.trees:
            self.programme.add(payments)
            self.trees[payments] = tree

    def play_round(self) -> None:
        """Play one round: solve the programme over the trees so far, then answer a mix."""
        best_mix, level_mix = self._choose_mixes()
        self._report()
        self._check_limit()
        if self.upper - self.lower < EQUAL_GAP:
            self._try_vertex()
            return
        lower_before = self.lower
        self.answer_mix(self.oracle.integer_weights(level_mix))
        if self.lower > lower_before or self.is_new_tree:
            return
        if level_mix is not best_mix:
            self.answer_mix(self.oracle.integer_weights(best_mix))
        if not self.is_new_tree:
            self._try_vertex()

    def _choose_mixes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the hider's best mix against the trees so far, and the mix to answer next.

        Before that, trees are taken from the graph of all trees known, if they are much better for
        the shooter against these mixes. They join the trees so far, and the mixes are computed
        again.
        """
        for _ in range(MOST_JOIN_ROUNDS):
            best_mix, level_mix = self._solve_mixes()
            has_joined = self._join_tree(best_mix)
            if level_mix is not best_mix:
                has_joined |= self._join_tree(level_mix)
            if not has_joined:
                return best_mix, level_mix
            self._check_limit()
        return self._solve_mixes()

    def _solve_mixes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the hider's best mix against the trees so far, and the mix to answer next.

        Near the end the two are one. The upper bound is lowered if the best mix gives a lower one.
        """
        best_mix = self.programme.hider_mix()
        self.upper = min(self.upper, self._least_payment(best_mix))
        is_far = self.upper - self.lower > VERTEX_GAP
        return best_mix, self._mix_at_level() if is_far else best_mix

    def _least_payment(self, mix: NDArray[np.float64]) -> float:
        """Return the mean that the best of the trees so far pays against a mix."""
        return float((self.programme.mean_payments @ mix).min())

    def _join_tree(self, mix: NDArray[np.float64]) -> bool:
        """Add the best tree of the graph against a mix, if it is much better than all trees so far.

        mix -- the probability of each orbit, a set of symmetric choices of the hider. Returns True
        if the tree was added.
        """
        weights = mix / self.hidings.orbit_sizes
        choice, payments = self.graph.best_tree(weights[self.hidings.orbit_of])
        threshold = self._least_payment(mix) - LEAST_GAIN_SHARE * float(self.upper - self.lower)
        if np.array(payments) @ weights >= threshold or payments in self.trees:
            return False
        self._add_tree(choice, payments)
        return True

    def _mix_at_level(self) -> NDArray[np.float64]:
        """Return the hider's mix to answer next, near the best one so far.

        Each tree so far pays about a given level or more against it. The level is above the lower
        bound by a share of the gap between the bounds. Near the best mix the trees so far tell most
        (Lemaréchal, Nemirovskii and Nesterov 1995).
        """
        lower = float(self.lower)
        level = lower + LEVEL_SHARE * (self.upper - lower)
        return linear.nearest_mix(self.programme.mean_payments, self.best_mix_so_far, level)

    def _try_vertex(self) -> None:
        """Compute exact mixes of both players; end the run if they prove the value.

        The mixes are those of the vertex that solves the linear programme. The run also ends if
        there are no exact mixes, or if the answer to the hider's exact mix is no new tree.
        """
        payments = list(self.trees)
        orbits, trees = self.programme.vertex()
        weights = linear.exact_hider(payments, self.orbit_sizes, orbits, trees)
        shooter_mix = linear.exact_shooter(payments, self.orbit_sizes, orbits, trees)
        if weights is None or shooter_mix is None:
            self.has_ended = True
            return
        upper = linear.greatest_payment(payments, self.orbit_sizes, shooter_mix)
        if self.uniform_payment != upper:  # else a uniform hider proves the value
            try:
                answer = self.answer_mix(weights)
            except TooLarge:  # the bracket stays
                self.has_ended = True
                return
            if self._mean_payment(answer) == self.lower:
                self.weights = answer.weights  # those of the vertex are the least integers
        if self.lower == upper:
            new_trees = len(self.trees) - len(shooter_mix)
            self.shooter_mix = shooter_mix + [Fraction(0)] * new_trees
        self.has_ended = self.shooter_mix is not None or not self.is_new_tree

    def _report(self) -> None:
        seconds = time.perf_counter() - self.started
        lower = float(self.lower)
        upper = max(lower, self.upper)
        self.progress(Round(self.rounds, len(self.trees), lower, upper, seconds=seconds))

    def is_over(self, tolerance: Fraction) -> bool:
        """True if the value is known, or its bounds are within the tolerance, or nothing is new."""
        if self.has_ended or not tolerance:
            return self.has_ended
        return bool(self.upper - self.lower <= tolerance - Fraction(EQUAL_GAP))

    # The end

    def result(self, is_interrupted: bool) -> Equilibrium:
        """Return the equilibrium or its bracket so far; all numbers are exact."""
        shooter_mix = self.shooter_mix
        if shooter_mix is None:
            # A tree whose joining was interrupted is left out.
            shooter_mix = linear.round_mix(
                self.programme.shooter_mix()[: len(self.trees)], ROUNDING_DENOMINATOR
            )
        roots: list[Node | Leaf] = []
        for tree, probability in zip(self.trees.values(), shooter_mix, strict=True):
            if probability:
                root = tree if isinstance(tree, Node | Leaf) else self.graph.build_tree(tree)
                roots.append(root)
        return Equilibrium(
            hidings=self.hidings,
            objective=self.objective,
            lower=self.lower,
            upper=linear.greatest_payment(list(self.trees), self.orbit_sizes, shooter_mix),
            weights=self.weights,
            roots=tuple(roots),
            probabilities=tuple(probability for probability in shooter_mix if probability),
            uniform_payment=self.uniform_payment,
            rounds=self.rounds,
            trees=len(self.trees),
            seconds=time.perf_counter() - self.started,
            is_interrupted=is_interrupted,
        )
