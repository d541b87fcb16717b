"""The result of a game between a hider and a shooter who both choose: mixes and bounds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsearch.equilibria.hidings import Hidings
from optsearch.game import Game, bits
from optsearch.game.objective import Objective
from optsearch.game.position import Position
from optsearch.support.decimals import decimal
from optsearch.support.errors import NotSupported
from optsearch.tree import DecisionTree, Leaf, Node


@dataclass(frozen=True)
class Equilibrium:
    """A mix of the hider, a mix of the shooter, and what each of them guarantees.

    hidings -- what the hider chooses from. objective -- by `mean` the shooter pays one for each
    shot, by `within=K` one for a game that is not finished within K shots. lower, upper -- exact
    bounds on what the shooter pays: no tree pays less than `lower` against the hider's mix, and the
    shooter's mix pays at most `upper`, whatever is hidden. weights -- the hider's mix: for each
    orbit (the images of a hiding under the symmetries of the board) the integer weight of each of
    its hidings. roots, probabilities -- the shooter's mix: trees, each of which is turned by a
    symmetry of the board that is drawn at random. uniform_payment -- what the best tree pays
    against a hider who draws configurations uniformly; None if the search for it was cut short.
    rounds, trees -- how many best answers were computed, and how many different trees there were.
    seconds -- wall time. is_interrupted -- True if ctrl-C ended the run.
    """

    hidings: Hidings
    objective: Objective
    lower: Fraction
    upper: Fraction
    weights: tuple[int, ...]
    roots: tuple[Node | Leaf, ...]
    probabilities: tuple[Fraction, ...]
    uniform_payment: Fraction | None
    rounds: int
    trees: int
    seconds: float
    is_interrupted: bool = False

    def __repr__(self) -> str:
        return f"<Equilibrium of {self.game}, {self.objective}: {self.value_text}>"

    @property
    def game(self) -> Game:
        """Return the game."""
        return self.hidings.game

    @property
    def is_exact(self) -> bool:
        """True if the value is known."""
        return self.lower == self.upper

    @property
    def value(self) -> Fraction:
        """Return the value: mean shots, or for within=K the probability to finish.

        Raises NotSupported if only a bracket of it is known.
        """
        if not self.is_exact:
            raise NotSupported(f"the value of {self.game} is not known: {self.value_text}")
        return self.worth(self.lower)

    def worth(self, paid: Fraction) -> Fraction:
        """Convert what the shooter pays to a value: mean shots, or the probability to finish."""
        return paid if self.objective.shots is None else 1 - paid

    @property
    def bracket(self) -> tuple[Fraction, Fraction]:
        """Return two bounds on the value, the lower one first."""
        low, high = sorted((self.worth(self.lower), self.worth(self.upper)))
        return low, high

    @property
    def value_text(self) -> str:
        """Return the value or its bracket as text, in a few words."""
        low, high = self.bracket
        if self.is_exact:
            return f"{low} = {float(low):.6f}"
        return f"between {decimal(low, 'lower', 9)} and {decimal(high, 'upper', 9)}"

    @property
    def is_uniform(self) -> bool:
        """True if the hider does best to draw configurations uniformly, and the value is known."""
        return self.is_exact and self.uniform_payment == self.lower

    @property
    def total_weight(self) -> int:
        """Return the sum of the weights of all hidings."""
        return self.hidings.total_weight(self.weights)

    @property
    def orbits_used(self) -> list[int]:
        """Return the indices of the orbits that the hider uses, in `hidings.orbits`."""
        return [orbit for orbit, weight in enumerate(self.weights) if weight]

    @property
    def hider(self) -> list[tuple[int, Fraction]]:
        """Return the hider's mix: pairs of an orbit and its probability, the largest first.

        An orbit is a set of symmetric hidings, given by its index in `hidings.orbits`. Only orbits
        that the hider uses are listed.
        """
        total_weight, orbits = self.total_weight, self.hidings.orbits
        shares = {
            orbit: Fraction(self.weights[orbit] * len(orbits[orbit]), total_weight)
            for orbit in self.orbits_used
        }
        return sorted(shares.items(), key=lambda item: (-item[1], item[0]))

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dict for each orbit that the hider uses, the most probable first.

        `hidden` has the names of the cells of each ship of one hiding (if nothing is announced, one
        list of the cells of all ships), `images` the number of hidings of the orbit, `probability`
        that of the whole orbit, and `probability_exact` the fraction as text.
        """
        orbits, hidden = self.hidings.orbits, self.hidings.hidden
        return [
            {
                "hidden": list(map(self.game.names, hidden[orbits[orbit][0]])),
                "images": len(orbits[orbit]),
                "probability": float(probability),
                "probability_exact": str(probability),
            }
            for orbit, probability in self.hider
        ]

    @property
    def shooter(self) -> list[tuple[DecisionTree, Fraction]]:
        """Return the trees that the shooter uses, with their probabilities, the largest first."""
        trees = []
        for root, probability in zip(self.roots, self.probabilities, strict=True):
            title = f"equilibrium, {probability}"
            trees.append((DecisionTree(Position(self.game), root, title=title), probability))
        return sorted(trees, key=lambda item: -item[1])

    @property
    def occupancy(self) -> NDArray[np.float64]:
        """Return for each cell the probability of a ship on it, if the hider plays the mix found.

        The shape is (rows, columns).
        """
        total = self.total_weight
        return self._sum_by_cell([float(Fraction(weight, total)) for weight in self.weights])

    @property
    def uniform_occupancy(self) -> NDArray[np.float64]:
        """Return the probability of a ship on each cell if configurations are drawn uniformly.

        The shape is (rows, columns).
        """
        counts = self.hidings.configurations
        return self._sum_by_cell([counts[orbit[0]] / sum(counts) for orbit in self.hidings.orbits])

    def _sum_by_cell(self, probabilities: list[float]) -> NDArray[np.float64]:
        """Return the probability of a ship on each cell, shape (rows, columns).

        probabilities -- of a single hiding, a choice of the hider, for each orbit. An orbit is a
        set of symmetric hidings, which are equally likely.
        """
        occupancy = np.zeros(self.game.cells)
        for probability, orbit in zip(probabilities, self.hidings.orbits, strict=True):
            if not probability:
                continue
            for hiding in orbit:
                for ship_mask in self.hidings.hidden[hiding]:
                    occupancy[list(bits(ship_mask))] += probability
        return occupancy.reshape(self.game.rows, self.game.columns)
