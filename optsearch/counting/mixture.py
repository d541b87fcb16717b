"""The posterior where the fleet is not known: a weighted mixture of posteriors with known fleets.

    posterior_of(MixedPosition("6x6:2-4,2-4,2-4", "A1=miss")).lengths

By default each vector of lengths is equally likely, and each configuration of a vector. With
`FleetPrior` all configurations are. Every answer is a sum over the parts of the position
(`optsearch.game.fleets`) of a count times an integer weight, so it is exact.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, permutations
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

FEW_COMBINATIONS = 1_000_000  # ways to choose placements that take less time than a table


class PartPosterior(Posterior):
    """The posterior of a part, a position with a known fleet; it may have no configuration left.

    If the placements can be chosen in few ways, configurations are counted ship by ship, without a
    table for their fleet.

    barred -- ships (kinds and masks) that are known not to be on the board.
    """

    def __init__(self, part: Part, barred: frozenset[Ship] = frozenset()):
        self.position = self.observations = part.position
        self.prior = self._prior_of_hider = None
        self._progress, self._barred = no_progress, barred

    def require_some(self) -> None:
        """Raise nothing: a part may have no configuration left."""

    @property
    def _engine(self) -> Counting | ShipByShip:  # type: ignore[override]
        constraints = self._cases[0].constraints if self._cases else None
        return _choose_engine(self.position.game, constraints)

    @property
    def _ranking_engine(self) -> Counting:
        return engine_for(self.position.game)

    @cached_property
    def _all_cases(self) -> list[SunkAssignment]:
        """The ways in which the sunk ships can lie.

        If hits name ships, there is one way, in which none counts as sunk. Then a ship is barred
        unless the hits on it are exactly the hits that name it.
        """
        position, game = self.position, self.position.game
        if not game.names_hits:
            return list(sunk_assignments(position))
        hits_by_kind = dict.fromkeys(game.fleet, 0)  # for each kind, the hits that name it
        for shot in position.shots:
            if isinstance(shot.reply.label, int):
                hits_by_kind[shot.reply.label] |= game.bit(shot.cell)
        barred = frozenset(
            (kind, ship)
            for kind, hits_of_kind in hits_by_kind.items()
            for ship in game.placements(kind)
            if ship & position.hits != hits_of_kind
        )
        constraints = Constraints(
            game.fleet, closed=position.misses, hits=position.hits, barred=barred
        )
        return [SunkAssignment((), constraints)]


class FilteredPart(PartPosterior):
    """The posterior of a part of which a filter keeps some configurations, which are listed.

    order -- for each ship of the fleet of the filter, its index in the fleet of the part.
    """

    def __init__(self, part: Part, board_filter: BoardFilter, order: Sequence[int]):
        super().__init__(part)
        self._filter, self._order = board_filter, order

    @property
    def _is_counted(self) -> bool:
        return False

    @cached_property
    def _weighted_ships(self) -> WeightedShips:
        ships = self._list_candidates()
        kept = ships[self._filter.keeps(ships[:, self._order])]
        return WeightedShips(kept, [1] * len(kept))

    def _sample_uniformly(self, sample_count: int, rng: np.random.Generator) -> CellSets:
        ships = self._weighted_ships.ships
        return ships[rng.integers(0, len(ships), sample_count)]


def _choose_engine(game: Game, constraints: Constraints | None) -> Counting | ShipByShip:
    """Return the engine for a query: ship by ship if the placements can be chosen in few ways.

    constraints -- of the query; None for the engine of the game.
    """
    if constraints is not None and game.cells <= MAX_CELLS:
        placements = constraints.placements(game)
        combinations = prod(
            comb(len(placements[kind]), ships) for kind, ships in Counter(constraints.fleet).items()
        )
        if combinations <= FEW_COMBINATIONS:
            return ShipByShip(game)
    return engine_for(game)


@dataclass(frozen=True)
class WeighedPart:
    """A part with its posterior. weight -- an integer, the weight of each of its configurations."""

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
def _count_all(game: Game) -> int:
    """Count the configurations of a game with a known fleet."""
    constraints = Constraints(game.fleet)
    return _choose_engine(game, constraints).count(constraints)


class MixedPosterior(Posterior):
    """The posterior of a `MixedPosition`; all answers are exact.

    prior -- None for equally likely vectors of lengths, or a `FleetPrior`. A `BoardFilter` of one
        of these two is accepted too; then all configurations are listed.

    Raises PositionError for another prior. With a filter, answers raise TooLarge if there are too
    many configurations to list.
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
        """The parts that have a configuration left, with the weight of each configuration.

        A part is the position with one known fleet. The weights are scaled to integers.
        """
        weighed: list[tuple[Part, PartPosterior, Fraction]] = []
        parts = self._divide()
        report = meter(self._progress, len(parts))
        for parts_done, part in enumerate(parts):
            report(parts_done)
            posterior, weight = self._part_posterior(part), self._configuration_weight(part)
            if weight and posterior.placements:
                weighed.append((part, posterior, weight))
        scale = lcm(*(weight.denominator for _, _, weight in weighed))
        return [
            WeighedPart(part, posterior, int(weight * scale)) for part, posterior, weight in weighed
        ]

    def _divide(self) -> tuple[Part, ...]:
        """Return the parts of the position, each with a known fleet.

        For a filter of boards, the lengths of all ships with letters are known in each part.

        Raises TooLarge if there are too many configurations to ask a filter.
        """
        if not isinstance(self.prior, BoardFilter):
            return self.position.parts
        unfiltered = MixedPosterior(self.position, self._fleet_prior, self._progress)
        if unfiltered.configurations > MOST_LISTED:
            raise TooLarge(
                f"{self.prior.title} is asked of configurations one by one, and "
                f"{unfiltered.configurations:,} of {self.position.title} are too many to list; at "
                f"most {MOST_LISTED:,} are listed: more shots leave fewer"
            )
        return self.position.parts_by_name

    def _part_posterior(self, part: Part) -> PartPosterior:
        if isinstance(self.prior, BoardFilter):
            return FilteredPart(part, self.prior, self._ship_orders(part)[0])
        return PartPosterior(part)

    def _configuration_weight(self, part: Part) -> Fraction:
        """Return the weight of each configuration of a part, a position with a known fleet.

        If vectors of lengths are equally likely, the configurations that one has before the first
        shot share the weight 1. With another prior, a configuration weighs 1 if the prior admits
        its lengths, else 0.
        """
        prior = self._fleet_prior
        if prior is not None and not prior.are_vectors_equal:
            return Fraction(prior.lengths in (None, part.lengths))
        game = self.position.game
        configurations = _count_all(replace(game.game_of(part.lengths), announce="nothing"))
        if not configurations:
            return Fraction(0)
        if game.names_hits:  # the count does not tell equal lengths apart
            return Fraction(1, configurations * count_orders(part.lengths))
        return Fraction(part.vector_count, configurations)

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
        """The number of configurations with each placement (the mask of a ship); never 0."""
        return self._sum_placements([weighed.part.letterings for weighed in self.parts])

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
        return self._sum_placements(
            [weighed.part.letterings * weighed.weight for weighed in self.parts]
        )

    @property
    def cell_weights(self) -> list[int]:
        """The total weight of the configurations with a ship on each cell, row by row."""
        return self._sum_by_cell(self._placement_weights)

    def _sum_placements(self, factors: Sequence[int]) -> dict[int, int]:
        """Map each placement (mask) to the sum of its counts of configurations over all parts.

        factors -- for each part, the number by which its counts are multiplied.
        """
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
        """The total weight of the configurations with each ship (its kind, its mask); never 0.

        Without letters the ships are not told apart: all have the first kind of the fleet here.
        """
        fleet = self.position.game.fleet
        if not self.position.game.names_hits:
            return {(fleet[0], ship): weight for ship, weight in self._placement_weights.items()}
        totals = Counter[Ship]()
        for weighed in self.parts:
            part_fleet = weighed.part.position.game.fleet
            orders = self._ship_orders(weighed.part)
            for i, kind in enumerate(fleet):
                # How many orders give this ship each kind of the part.
                orders_by_kind = Counter(part_fleet[order[i]] for order in orders)
                for (part_kind, ship), count in weighed.posterior.by_kind.items():
                    # Equal ships of the part share the configurations with the placement.
                    matches = count * orders_by_kind[part_kind] // part_fleet.count(part_kind)
                    totals[kind, ship] += weighed.weight * matches
        return +totals  # without zeros

    # Lengths

    @property
    def fleets(self) -> dict[Lengths, Fraction]:
        """Map each fleet, as its lengths in descending order, to its probability, if not 0."""
        self.require_some()
        totals: Counter[Lengths] = Counter()
        for weighed in self.parts:
            totals[weighed.part.lengths] += weighed.total
        return {lengths: Fraction(total, self.weight) for lengths, total in sorted(totals.items())}

    @property
    def lengths(self) -> dict[int, dict[int, Fraction]]:
        """Map each ship of the fleet, by its kind, to the probability of each of its lengths.

        Ships with equal ranges and without letters are one kind. The probabilities of a kind are
        those of any one of its ships.
        """
        self.require_some()
        fleet = self.position.game.fleet
        probabilities = {kind: dict.fromkeys(lengths_of(kind), Fraction(0)) for kind in fleet}
        for weighed in self.parts:
            part, part_probability = weighed.part, Fraction(weighed.total, self.weight)
            for kind, length in part.named.items():
                probabilities[kind][length] += part_probability
            unnamed = [kind for kind in fleet if kind not in part.named]
            for kind in set(unnamed):
                other_kinds = _remove_first(unnamed, kind)
                for length in set(part.others) & {*lengths_of(kind)}:
                    # The share of the vectors in which this ship has the length.
                    other_lengths = _remove_first(part.others, length)
                    vectors = count_length_vectors(other_kinds).get(other_lengths, 0)
                    share = Fraction(vectors, part.vector_count)
                    probabilities[kind][length] += part_probability * share
        return probabilities

    @property
    def all_sunk(self) -> Fraction:
        """The probability that the hits so far have sunk every ship, which nobody tells."""
        self.require_some()
        hits = self.position.hits.bit_count()
        weights = (weighed.total for weighed in self.parts if sum(weighed.part.lengths) == hits)
        return Fraction(sum(weights), self.weight)

    # Configurations

    def sample(
        self, n: int = 1, seed: np.random.Generator | int | None = None, masks: bool = False
    ) -> NDArray[Any]:
        """Draw n independent configurations by their weights; uint8 of shape (n, rows, columns).

        A cell is 1 where a ship is. With letters the ships are in the order of the game's fleet.

        seed -- a seed or a generator; without one, calls differ. masks -- if True, return each ship
        by itself, as a cell set: uint64 of shape (n, ships, words).
        """
        self.require_some()
        rng = np.random.default_rng(seed)
        cumulated = list(accumulate(weighed.total for weighed in self.parts))
        drawn_parts = [bisect_right(cumulated, draw_below(cumulated[-1], rng)) for _ in range(n)]
        samples = np.empty(self._shape(n), np.uint64)
        for i, weighed in enumerate(self.parts):
            rows = [row for row, drawn in enumerate(drawn_parts) if drawn == i]
            if not rows:
                continue
            orders = self._ship_orders(weighed.part)
            configurations = weighed.posterior.sample(len(rows), rng, masks=True)
            for row, ships in zip(rows, configurations, strict=True):
                samples[row] = ships[orders[int(rng.integers(len(orders)))]]
        return samples if masks else self._to_arrays(samples)

    def _ship_orders(self, part: Part) -> list[list[int]]:
        """Return each way to match the ships of the game with the ships of a part.

        A way lists, for each ship of the game's fleet, the index of its match in the fleet of the
        part, whose lengths are known. Without letters there is one way.
        """
        fleet, part_fleet = self.position.game.fleet, part.position.game.fleet
        if not self.position.game.names_hits:
            return [list(range(len(fleet)))]
        return _list_ship_orders(fleet, part_fleet, tuple(part.named))

    def list_all(self, masks: bool = False) -> NDArray[Any]:
        """List all configurations, in the form that `sample` returns."""
        ships, _ = self.list_weighted(self.configurations)
        return ships if masks else self._to_arrays(ships)

    def batches(self, size: int) -> Iterator[CellSets]:
        """Yield all configurations in arrays of about `size` rows; shape (rows, ships, words).

        A row has a cell set for each ship. A configuration of a part has a row for each way to
        match its ships with the ships of the game.
        """
        self.require_some()
        for weighed in self.parts:
            orders = self._ship_orders(weighed.part)
            for batch in weighed.posterior.batches(max(1, size // len(orders))):
                yield np.concatenate([batch[:, order] for order in orders])

    def list_weighted(self, limit: int = MOST_LISTED) -> WeightedShips:
        """List all configurations, each as the cell sets of its ships, and their integer weights.

        The shape is (configurations, ships, words). Raises TooLarge for more than `limit` of them.
        """
        self.require_some()
        if self.configurations > limit:
            raise TooLarge(
                f"{self.configurations:,} configurations of {self.position.title} are too many to "
                f"list; at most {limit:,} are listed"
            )
        listed: list[CellSets] = []
        weights: list[int] = []
        for weighed in self.parts:
            ships = weighed.posterior.list_all(masks=True)
            for ship_order in self._ship_orders(weighed.part):
                listed.append(ships[:, ship_order])
                weights += [weighed.weight] * len(ships)
        return WeightedShips(np.concatenate(listed), weights)

    def __reduce__(self) -> tuple[type[MixedPosterior], tuple[object, ...]]:
        return type(self), (self.position, self.prior)


def posterior_of(
    position: Position | NoisyPosition,
    prior: Prior | None = None,
    progress: Progress[Status] = no_progress,
) -> Posterior:
    """Return the posterior of a position: a `MixedPosterior` if its fleet is not known.

    prior -- the weights of the configurations, if not the default ones.
    """
    if isinstance(position, MixedPosition):
        return MixedPosterior(position, prior, progress)
    return Posterior(position, prior=prior, progress=progress)


@lru_cache(maxsize=1 << 12)
def _list_ship_orders(
    fleet: tuple[int, ...], part_fleet: tuple[int, ...], named: tuple[int, ...]
) -> list[list[int]]:
    """Return each way to match the ships of a game, which have letters, with a known fleet.

    A way lists, for each kind in `fleet`, the index of its match in `part_fleet`: a ship with a
    length in the range of the kind or, if hits have named the kind, the ship with its letter.

    fleet -- the kinds of the game. part_fleet -- the known fleet. named -- the kinds that hits have
    named.
    """
    index_by_letter = {letter_of(kind): i for i, kind in enumerate(part_fleet)}
    fixed = {kind: index_by_letter[letter_of(kind)] for kind in named}
    free_indices = [i for i in range(len(part_fleet)) if i not in fixed.values()]
    unnamed = [kind for kind in fleet if kind not in fixed]
    orders = []
    for indices in permutations(free_indices):
        chosen = dict(zip(unnamed, indices, strict=True))
        if all(int(part_fleet[i]) in lengths_of(kind) for kind, i in chosen.items()):
            index_of = {**fixed, **chosen}
            orders.append([index_of[kind] for kind in fleet])
    return orders


def _remove_first(kinds: Sequence[int], removed: int) -> tuple[int, ...]:
    """Return the kinds (or lengths) without the first one that equals the one removed."""
    remaining = list(kinds)
    remaining.remove(removed)
    return tuple(remaining)
