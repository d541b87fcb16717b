"""The posterior where the fleet is not known: a weighted mixture of posteriors with known fleets.

    posterior_of(MixedPosition("6x6:2-4,2-4,2-4", "A1=miss")).lengths

By default each vector of lengths is equally likely, and each configuration of a vector. With
`FleetPrior` all configurations are. Every answer is a sum over the parts of the position
(`optsearch.game.fleets`) of a count times an integer weight, so it is exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import permutations
from math import comb, lcm, log2, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.by_ship import ShipByShip
from optsearch.counting.configurations import CellSets
from optsearch.counting.constraints import Constraints, Counting, Ship
from optsearch.counting.engines import engine_for
from optsearch.counting.posterior import (
    MOST_LISTED,
    Posterior,
    SunkAssignment,
    WeightedShips,
    draw_below,
    sunk_assignments,
)
from optsearch.counting.prior import BoardFilter, FleetPrior, Prior
from optsearch.game import MAX_CELLS, Game
from optsearch.game.fleets import (
    Lengths,
    MixedPosition,
    Part,
    count_length_vectors,
    count_orders,
    lengths_of,
    letter_of,
)
from optsearch.game.noise import NoisyPosition
from optsearch.game.position import Position
from optsearch.support.errors import PositionError, TooLarge
from optsearch.support.progress import Progress, Status, meter, no_progress

FEW = 1_000_000  # ways to choose placements that take less time than a table


class PartPosterior(Posterior):
    """The posterior of a part, which may have no configuration left.

    Few configurations are counted ship by ship, without a table for their fleet. barred -- as
    `Posterior` takes it.
    """

    def __init__(self, part: Part, barred: frozenset[Ship] = frozenset()):
        self.position = self.observations = part.position
        self.prior = self._prior_of_hider = None
        self._progress, self._barred = no_progress, barred

    def require_some(self) -> None:
        """Accept that nothing is left."""

    @property
    def _sweep(self) -> Counting | ShipByShip:  # type: ignore[override]
        return _engine(self.position.game, self._cases[0].constraints if self._cases else None)

    @property
    def _ranking(self) -> Counting:
        return engine_for(self.position.game)

    @cached_property
    def _all_cases(self) -> list[SunkAssignment]:
        game = self.position.game
        if not game.names_hits:
            return list(sunk_assignments(self.position))
        hits, misses = self.position.hits, self.position.misses
        by_kind = dict.fromkeys(game.fleet, 0)  # the hits that name each ship
        for shot in self.position.shots:
            if isinstance(shot.reply.label, int):
                by_kind[shot.reply.label] |= game.bit(shot.cell)
        barred = ((kind, _placements_not_on(game, kind, on, hits)) for kind, on in by_kind.items())
        ships = frozenset((kind, ship) for kind, others in barred for ship in others)
        return [SunkAssignment((), Constraints(game.fleet, misses, hits, barred=ships))]


class FilteredPart(PartPosterior):
    """The posterior of a part of which a filter keeps some configurations, which are listed.

    order -- the index, in the fleet of the part, of each ship of the fleet of the filter.
    """

    def __init__(self, part: Part, boards: BoardFilter, order: Sequence[int]):
        super().__init__(part)
        self._boards, self._order = boards, order

    @property
    def _is_counted(self) -> bool:
        return False

    @cached_property
    def _listed(self) -> WeightedShips:
        ships = self._list_candidates()
        kept = ships[self._boards.keeps(ships[:, self._order])]
        return WeightedShips(kept, [1] * len(kept))

    def _sample_uniformly(self, n: int, rng: np.random.Generator) -> CellSets:
        ships, _ = self._listed
        return ships[rng.integers(0, len(ships), n)]


def _placements_not_on(game: Game, kind: int, named: int, hits: int) -> list[int]:
    """Return the placements whose cells hit are not exactly those that name the ship."""
    return [ship for ship in game.placements(kind) if ship & hits != named]


def _engine(game: Game, constraints: Constraints | None) -> Counting | ShipByShip:
    """Return the engine for a query: ship by ship if the placements can be chosen in few ways."""
    if constraints is not None and game.cells <= MAX_CELLS:
        placements = constraints.placements(game)
        fleet = Counter(constraints.fleet)
        if prod(comb(len(placements[kind]), n) for kind, n in fleet.items()) <= FEW:
            return ShipByShip(game)
    return engine_for(game)


@dataclass(frozen=True)
class WeighedPart:
    """A part with its posterior. weight -- of each of its configurations, an integer."""

    part: Part
    posterior: PartPosterior
    weight: int

    @property
    def configurations(self) -> int:
        """The number of configurations left, with letters."""
        return self.part.letterings * self.posterior.configurations

    @property
    def total(self) -> int:
        """The total weight of the configurations left."""
        return self.weight * self.configurations


@lru_cache(maxsize=1 << 14)
def _configurations_of(game: Game) -> int:
    """Count the configurations of a game with a known fleet."""
    constraints = Constraints(game.fleet)
    return _engine(game, constraints).count(constraints)


class MixedPosterior(Posterior):
    """The posterior of a `MixedPosition`.

    prior -- None for equally likely vectors of lengths, a `FleetPrior`, or a `BoardFilter` of one
        of these two; then all configurations are listed. All answers are exact.

    Raises PositionError for another prior. A filter raises TooLarge, when it is asked, if there are
    too many configurations to list.
    """

    position: MixedPosition

    def __init__(
        self,
        position: MixedPosition,
        prior: Prior | None = None,
        progress: Progress[Status] = no_progress,
    ):
        base = prior.base if isinstance(prior, BoardFilter) else prior
        if not (base is None or isinstance(base, FleetPrior)):
            raise PositionError(
                f"the prior {base.name} is for known fleets; for {position.game} leave it out, or "
                "use fleet=configurations"
            )
        if prior is not None and prior.game != position.game:
            raise PositionError(f"{prior.title} is for {prior.game}, not for {position.game}")
        self._fleet_prior = base
        self.position = self.observations = position
        self.prior = self._prior_of_hider = prior
        self._progress = progress

    @cached_property
    def parts(self) -> list[WeighedPart]:
        """The parts that have a configuration left, with integer weights of their configurations.

        Of a vector of lengths whose game has N configurations, with letters, each weighs 1 / N.
        """
        weighed: list[tuple[Part, PartPosterior, Fraction]] = []
        parts = self._divide()
        report = meter(self._progress, len(parts))
        for number, part in enumerate(parts):
            report(number)
            posterior, weight = self._posterior_of(part), self._weight_of(part)
            if weight and posterior.placements:
                weighed.append((part, posterior, weight))
        scale = lcm(*(weight.denominator for _, _, weight in weighed))
        return [WeighedPart(part, left, int(weight * scale)) for part, left, weight in weighed]

    def _divide(self) -> tuple[Part, ...]:
        """Return the parts; for a filter by all names, TooLarge if they are too large to list."""
        if not isinstance(self.prior, BoardFilter):
            return self.position.parts
        number = MixedPosterior(self.position, self._fleet_prior, self._progress).configurations
        if number > MOST_LISTED:
            raise TooLarge(
                f"{self.prior.title} is asked of configurations one by one, and {number:,} of "
                f"{self.position.title} are too many to list; at most {MOST_LISTED:,} are listed: "
                "more shots leave fewer"
            )
        return self.position.parts_by_name

    def _posterior_of(self, part: Part) -> PartPosterior:
        if isinstance(self.prior, BoardFilter):
            return FilteredPart(part, self.prior, self._places(part)[0])
        return PartPosterior(part)

    def _weight_of(self, part: Part) -> Fraction:
        """Return the weight of a configuration of a part."""
        prior = self._fleet_prior
        if prior is not None and not prior.are_vectors_equal:
            return Fraction(prior.lengths in (None, part.lengths))
        game = self.position.game
        n = _configurations_of(replace(game.game_of(part.lengths), announce="nothing"))
        if not n:
            return Fraction(0)
        return (
            Fraction(1, n * count_orders(part.lengths))
            if game.names_hits
            else Fraction(part.vector_count, n)
        )

    # Counts

    @property
    def _is_counted(self) -> bool:
        return False

    @property
    def is_exact(self) -> bool:
        """True: all answers are exact."""
        return True

    @cached_property
    def configurations(self) -> int:
        """The exact number of compatible configurations of all fleets."""
        return sum(part.configurations for part in self.parts)

    @property
    def is_possible(self) -> bool:
        """True if some configuration is left."""
        return bool(self.parts)

    @cached_property
    def placements(self) -> dict[int, int]:
        """The number of configurations with each placement (the mask of a ship), where not 0."""
        return self._sum_placements([part.part.letterings for part in self.parts])

    @property
    def weight(self) -> int:
        """The total weight of the configurations left."""
        return sum(part.total for part in self.parts)

    @property
    def _total_weight(self) -> int:
        self.require_some()
        return self.weight

    @cached_property
    def _placement_weights(self) -> dict[int, int]:
        self.require_some()
        return self._sum_placements([part.part.letterings * part.weight for part in self.parts])

    @property
    def cell_weights(self) -> list[int]:
        """The total weight of the configurations with a ship on each cell, row by row."""
        return self._sum_by_cell(self._placement_weights)

    def _sum_placements(self, factors: Sequence[int]) -> dict[int, int]:
        """Add up the counts of each placement in all parts, each times a factor."""
        totals: Counter[int] = Counter()
        for part, factor in zip(self.parts, factors, strict=True):
            for ship, count in part.posterior.placements.items():
                totals[ship] += factor * count
        return dict(totals)

    @property
    def entropy(self) -> float:
        """The entropy of the posterior in bits."""
        self.require_some()
        total = self.weight
        return sum(part.total / total * (log2(total) - log2(part.weight)) for part in self.parts)

    @cached_property
    def ship_weights(self) -> dict[Ship, int]:
        """The total weight of the configurations with each ship (its kind, its mask), where not 0.

        Without letters all ships count as the first kind of the fleet.
        """
        fleet = self.position.game.fleet
        if not self.position.game.names_hits:
            return {(fleet[0], ship): n for ship, n in self._placement_weights.items()}
        totals = Counter[Ship]()
        for weighed in self.parts:
            lengths, places = weighed.part.position.game.fleet, self._places(weighed.part)
            for number, kind in enumerate(fleet):
                ways = Counter(lengths[place[number]] for place in places)
                for (of_part, ship), count in weighed.posterior.by_kind.items():
                    named = count * ways[of_part] // lengths.count(of_part)
                    totals[kind, ship] += weighed.weight * named
        return +totals

    # Lengths

    @property
    def fleets(self) -> dict[Lengths, Fraction]:
        """The probability of each fleet, its lengths in descending order, where not 0."""
        self.require_some()
        totals: Counter[Lengths] = Counter()
        for part in self.parts:
            totals[part.part.lengths] += part.total
        return {lengths: Fraction(n, self.weight) for lengths, n in sorted(totals.items())}

    @property
    def lengths(self) -> dict[int, dict[int, Fraction]]:
        """The probability of each length of each ship, by the ship and the length.

        Ships with equal ranges and without letters are alike, and one of them is any of them.
        """
        self.require_some()
        fleet, weight = self.position.game.fleet, self.weight
        totals = {kind: dict.fromkeys(lengths_of(kind), Fraction(0)) for kind in fleet}
        for weighed in self.parts:
            part, total = weighed.part, Fraction(weighed.total, weight)
            for kind, length in part.named.items():
                totals[kind][length] += total
            others = [kind for kind in fleet if kind not in part.named]
            for kind in set(others):
                left = list(others)
                left.remove(kind)
                for length in set(part.others) & {*lengths_of(kind)}:
                    remaining = list(part.others)
                    remaining.remove(length)
                    ways = count_length_vectors(tuple(left)).get(tuple(remaining), 0)
                    totals[kind][length] += total * Fraction(ways, part.vector_count)
        return totals

    @property
    def all_sunk(self) -> Fraction:
        """The probability that the hits so far have sunk every ship, which nobody tells."""
        hits = self.position.hits.bit_count()
        totals = (part.total for part in self.parts if sum(part.part.lengths) == hits)
        return Fraction(sum(totals), self.weight)

    # Configurations

    def sample(
        self, n: int = 1, seed: np.random.Generator | int | None = None, masks: bool = False
    ) -> NDArray[Any]:
        """Draw n independent configurations by their weights; as `Posterior.sample`.

        With letters the ships are in the order of the game's fleet.
        """
        self.require_some()
        rng = np.random.default_rng(seed)
        ends = np.cumsum([0] + [part.total for part in self.parts], dtype=object)
        drawn = [
            int(np.searchsorted(ends, draw_below(int(ends[-1]), rng), "right")) for _ in range(n)
        ]
        samples = np.empty(self._shape(n), np.uint64)
        for number, part in enumerate(self.parts, 1):
            rows = [i for i, chosen in enumerate(drawn) if chosen == number]
            if rows:
                ships = part.posterior.sample(len(rows), rng, masks=True)
                for row, masks_of_row in zip(rows, ships, strict=True):
                    choices = self._places(part.part)
                    samples[row] = masks_of_row[choices[int(rng.integers(len(choices)))]]
        return samples if masks else self._to_arrays(samples)

    def _places(self, part: Part) -> list[list[int]]:
        """Return each way to order the ships of a part as the fleet of the game.

        A way has, for each ship of the game, the number of a ship in the game of the part.
        """
        fleet, lengths = self.position.game.fleet, part.position.game.fleet
        if not self.position.game.names_hits:
            return [list(range(len(fleet)))]
        return _places(fleet, lengths, tuple(part.named.items()))

    def list_all(self, masks: bool = False) -> NDArray[Any]:
        """List all configurations, as `sample` has them."""
        ships, _ = self.list_weighted(self.configurations)
        return ships if masks else self._to_arrays(ships)

    def batches(self, size: int) -> Iterator[CellSets]:
        """Yield all configurations in batches of at most a size, as `list_all(masks=True)`."""
        self.require_some()
        for part in self.parts:
            places = self._places(part.part)
            for batch in part.posterior.batches(max(1, size // len(places))):
                yield np.concatenate([batch[:, order] for order in places])

    def list_weighted(self, limit: int = MOST_LISTED) -> WeightedShips:
        """List all configurations as ships (see `sample`), and their integer weights.

        Raises TooLarge if they are more than `limit`.
        """
        self.require_some()
        if self.configurations > limit:
            raise TooLarge(
                f"{self.configurations:,} configurations of {self.position.title} are too many to "
                f"list; at most {limit:,} are listed"
            )
        listed: list[CellSets] = []
        weights: list[int] = []
        for part in self.parts:
            ships = part.posterior.list_all(masks=True)
            for order in self._places(part.part):
                listed.append(ships[:, order])
                weights += [part.weight] * len(ships)
        return WeightedShips(np.concatenate(listed), weights)

    def __reduce__(self) -> tuple[type[MixedPosterior], tuple[object, ...]]:
        return type(self), (self.position, self.prior)


def posterior_of(
    position: Position | NoisyPosition,
    prior: Prior | None = None,
    progress: Progress[Status] = no_progress,
) -> Posterior:
    """Return the posterior of a position of any kind."""
    if isinstance(position, MixedPosition):
        return MixedPosterior(position, prior, progress)
    return Posterior(position, prior=prior, progress=progress)


@lru_cache(maxsize=1 << 12)
def _places(
    fleet: tuple[int, ...], lengths: tuple[int, ...], named: tuple[tuple[int, int], ...]
) -> list[list[int]]:
    """Return each way to give the ships of a known fleet to the ships of a game with letters."""
    number_of = {letter_of(kind): number for number, kind in enumerate(lengths)}
    fixed = {kind: number_of[letter_of(kind)] for kind, _ in named}
    free = [number for number in range(len(lengths)) if number not in fixed.values()]
    others = [kind for kind in fleet if kind not in fixed]
    ways = []
    for order in permutations(free):
        if all(int(lengths[i]) in lengths_of(kind) for kind, i in zip(others, order, strict=True)):
            place = {**fixed, **dict(zip(others, order, strict=True))}
            ways.append([place[kind] for kind in fleet])
    return ways
