"""Best answers of the shooter: the tree that pays least against a mix of the hider, exactly.

Weights are whole numbers, one an orbit: that of each hiding in it. A tree must go on for hidings of
weight 0, too, and well: what the shooter gives away there, the hider would take. So the solver is
given the weights w N + 1, with N above the number of hidings times the cells of the board. No two
trees differ by as much as N in what the ones add, so a best tree for these weights is one for w,
and among those the best against all hidings alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.family import MAX_WEIGHT
from optsearch.equilibria.hidings import Hidings
from optsearch.equilibria.weighted import WeightedSearch
from optsearch.game import bits
from optsearch.game.objective import Objective
from optsearch.search.kernels import Subfamily, make_node
from optsearch.search.team import Parallel
from optsearch.support.errors import TooLarge
from optsearch.tree import Leaf, Node

MEMORY = 1 << 29  # bytes of the table of all rounds
MOST_ANNOUNCED = 150  # hidings up to which the definition can check a certificate
Tick = Callable[[], None]
Shots = NDArray[np.int64]


@dataclass(frozen=True)
class BestAnswer:
    """A tree that pays least against a mix of the hider.

    weights -- the mix: a weight for each orbit, that of each of its hidings. cost -- what the tree
    pays in total against these weights. root -- the tree. payments -- what it pays on each orbit,
    summed over its hidings.
    """

    weights: tuple[int, ...]
    cost: int
    root: Node | Leaf
    payments: tuple[int, ...]


class Oracle:
    """The shooter's best answers to mixes of the hider, in one game for one objective.

    tick -- called often while the solver works; an exception that it raises ends an answer.
    parallel -- the executor for tasks of the solver; None to search in this process.

    spread -- the number N of the module: weights w are given to the solver as w N + 1.
    """

    def __init__(
        self, hidings: Hidings, objective: Objective, tick: Tick, parallel: Parallel | None = None
    ):
        self.hidings, self.objective = hidings, objective
        game = hidings.game
        self.search = WeightedSearch(game, objective, hidings.examples, tick, MEMORY, parallel)
        self.spread = len(hidings) * game.cells + 1
        if not game.is_silent and len(hidings) > MOST_ANNOUNCED:
            raise TooLarge(
                f"{game} has {len(hidings)} ways to hide its ships; where hits tell of "
                f"their ships at most {MOST_ANNOUNCED} are handled"
            )

    def integer_weights(self, mix: NDArray[np.float64]) -> list[int]:
        """Return integer weights near a mix of the hider: for each orbit that of one hiding.

        mix -- the probability of each orbit, a set of symmetric hidings (choices of the hider). The
        weights are small enough that what the solver gets for them has a sum of at most MAX_WEIGHT,
        which makes a quick answer.
        """
        scale = (MAX_WEIGHT - len(self.hidings)) // self.spread
        scale -= len(self.hidings)  # rounding adds up to a half for each
        weights = np.rint(mix / self.hidings.orbit_sizes * max(1, scale)).astype(np.int64)
        return [int(weight) for weight in weights]

    def answer(self, weights: Sequence[int]) -> BestAnswer:
        """Return a tree that pays least against a mix of the hider.

        weights -- for each orbit, a set of symmetric hidings, the weight of each hiding; not all 0.
        """
        self.search.weigh(self._weights_for_solver(weights))
        root, shots = _grow_tree(self.search, self.hidings)
        orbit_payments = self.hidings.sum_by_orbit(payments(self.objective, shots))
        pairs = zip(orbit_payments, weights, strict=True)
        cost = sum(payment * weight for payment, weight in pairs)
        return BestAnswer(tuple(weights), cost, root, orbit_payments)

    def bound_cost(self, weights: Sequence[int]) -> int:
        """Return a lower bound on what a best answer to weights of the hidings pays in total.

        It serves if the first answer was cut short, so that only a bound is known. weights -- for
        each orbit, a set of symmetric hidings, the weight of each of these.

        Let N be `spread`. The solver is given the weights w N + 1 in place of w. If they cost b or
        more, the weights w cost (b - (N - 1)) / N or more, since the ones add at most N - 1.
        """
        bound = self.search.bound_cost(self._weights_for_solver(weights))
        return ceil(Fraction(bound - (self.spread - 1), self.spread))

    def _weights_for_solver(self, weights: Sequence[int]) -> list[int]:
        """Return the weight w N + 1 of each hiding, where w is that of its orbit, N is `spread`.

        So no hiding has the weight 0, and a best answer plays on against all.
        """
        return [weights[orbit] * self.spread + 1 for orbit in self.hidings.orbit_of]

    def bound_by_previous_weights(self) -> None:
        """Let the solver bound later answers from the last one, whose weights are near the next."""
        if self.search.parallel is None:
            assert self.search.kernel is not None
            self.search.kernel.bound_by_previous_weights()


def payments(objective: Objective, shots: Shots) -> Shots:
    """Return what the shooter pays for games that take these numbers of shots.

    If the objective is the mean, a game costs its shots. If it is within=K, a game costs 1 if it
    takes more than K shots, else 0.
    """
    if objective.shots is None:
        return shots
    return (shots > objective.shots).astype(np.int64)


def _grow_tree(search: WeightedSearch, hidings: Hidings) -> tuple[Node | Leaf, Shots]:
    """Return a best tree for the weights of a search, and its shots for each hiding.

    A hiding is a choice of the hider. search -- has the weights and has been run.
    """
    kernel = search.kernel
    assert kernel is not None
    configurations = np.array(hidings.configurations)
    shots_of_hiding = np.zeros(len(hidings), np.int64)

    def grow(state: Subfamily, depth: int) -> Node | Leaf:
        if kernel.is_over(state):
            ended_hidings = search.order[state.family]
            shots_of_hiding[ended_hidings] = depth
            return Leaf(int(configurations[ended_hidings].sum()))
        free_hits = kernel.free_hits(state)
        cell = next(bits(free_hits)) if free_hits else search.shot(state)
        return make_node(
            kernel, state, cell, lambda reply, child_state: grow(child_state, depth + 1)
        )

    return grow(search.root, 0), shots_of_hiding
