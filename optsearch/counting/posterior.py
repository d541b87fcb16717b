"""The posterior of a position: the exact distribution of the ships after the shots so far.

    Posterior(position).probability

Configurations are counted, not listed (`optsearch.counting.engines`), so a full 10x10 board takes
some tens of milliseconds. If sinkings are announced, `cases` enumerates the ways in which the sunk
ships can lie, and the order of the shots matters: a ship lies on the cell that sinks it and on
cells hit before, and no ship lies wholly on hits unless its sinking was announced.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import log2
from operator import itemgetter
from string import ascii_letters, digits
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import CellSets, to_cells, to_masks, to_words
from optsearch.counting.constraints import Constraints, Counting, Ranks, Ship
from optsearch.counting.engines import engine_for
from optsearch.counting.prior import Prior, update_by_replies
from optsearch.game import (
    HOLE,
    Cell,
    Game,
    bits,
    cell_name,
    notebook,
)
from optsearch.game.announcements import Label
from optsearch.game.noise import DOUBT, NoisyPosition, are_lies
from optsearch.game.position import Position, legend, no_configuration
from optsearch.game.ships import in_order, objection
from optsearch.support.errors import ImpossiblePosition, NotSupported, OptsearchError, TooLarge
from optsearch.support.progress import Progress, Status, meter, no_progress

T = TypeVar("T")
Number = TypeVar("Number", int, float)

MOST_LISTED = 2_000_000  # configurations, if a prior weighs each by itself
FLOOR = 2.0**-100  # the least probability with the promised relative error
_SHIP_SIGNS = (digits + ascii_letters)[1:] + "#" * 128  # from the 62nd ship on, all are #


@dataclass(frozen=True)
class SunkAssignment:
    """One way in which the sunk ships (masks) can lie, and the constraints on the others."""

    sunk: tuple[int, ...]
    constraints: Constraints

    def with_barred(self, ships: frozenset[Ship]) -> SunkAssignment:
        """Return this assignment with more ships barred."""
        barred = self.constraints.barred | ships
        return replace(self, constraints=replace(self.constraints, barred=barred))


@dataclass(frozen=True)
class _FloatWeights:
    """Total weights as floats, if the weight of a configuration is a product over its ships.

    factors -- of placements (masks), at most 1. cases -- the total weight of each case.
    placements -- the total weight of the configurations with each placement.
    """

    factors: dict[int, float]
    cases: list[float]
    placements: Mapping[int, float]

    @property
    def total(self) -> float:
        """The total weight of all configurations."""
        return sum(self.cases)


class WeightedShips(NamedTuple):
    """Configurations as ships, uint64 of shape (n, ships, words), and the weight of each."""

    ships: CellSets
    weights: list[int]


class Posterior:
    """The configurations compatible with a position, uniform or weighted by a prior.

    position -- a position, a game, or the text of a game. If replies may be false
        (`NoisyPosition`), the attribute `observations` has all shots, and `position` only those
        that leave no doubt. The others are weights of cells; of lies, each way to make some replies
        false is counted by itself.
    shots -- further shots, as in `A2=hit B3=miss`.
    prior -- the weights of the configurations (`optsearch.counting.prior`); those of weight 0 do
        not exist. If weights are products over ships, they are multiplied while counting, and
        answers are floats; else all configurations are listed, and answers are exact.
    progress -- called during a long count.
    barred -- ships (kinds and masks) that are known not to be on the board.

    Raises TooLarge for a game with too many states, PositionError for a prior of another game. An
    impossible position has 0 configurations; probabilities and samples of it raise
    ImpossiblePosition, which names the shot that made it impossible.
    """

    def __init__(
        self,
        position: Position | NoisyPosition | Game | str,
        shots: str = "",
        prior: Prior | None = None,
        progress: Progress[Status] = no_progress,
        barred: frozenset[Ship] = frozenset(),
    ):
        self.observations: Position | NoisyPosition
        if isinstance(position, NoisyPosition) and not shots:
            self.observations = position
        else:
            self.observations = Position.of(position, shots)  # type: ignore[arg-type]
        if prior is not None:
            prior.require(self.observations.game)
        self._prior_of_hider = prior
        if isinstance(self.observations, NoisyPosition):
            self.prior = update_by_replies(self.observations, prior)
            self.position = self.observations.certain
        else:
            self.prior, self.position = prior, self.observations
        self._progress, self._barred = progress, barred
        self._engine: Counting = engine_for(self.position.game)

    def __reduce__(self) -> tuple[type[Posterior], tuple[object, ...]]:
        unreported = (self.observations, "", self._prior_of_hider, no_progress, self._barred)
        return type(self), unreported

    def __repr__(self) -> str:
        weighted = "" if self.prior is None else f", by the prior {self.prior.name}"
        return f"<Posterior of {self.observations.title}{weighted}>"

    def _repr_html_(self) -> str:
        """Return the board as HTML, with the percentage of a ship on each uncertain cell.

        A ? follows the percentage of a cell whose reply may be false.
        """
        game, certain_signs = self.observations.game, self.position.signs
        doubtful_cells = set(self.observations.signs) - set(certain_signs)
        probabilities = {
            cell: float(chance)
            for cell, chance in np.ndenumerate(self.probability)
            if cell not in certain_signs
        }
        greatest = max(probabilities.values(), default=0.0)
        texts = {
            cell: f"{100 * chance:.0f}{'?' if cell in doubtful_cells else ''}"
            for cell, chance in probabilities.items()
        }
        shades = {}
        if greatest:
            shades = {cell: chance / greatest for cell, chance in probabilities.items()}
        scale = ""
        if probabilities:
            percent = f"{100 * greatest:.0f}"
            scale = notebook.colour_scale("probability of a ship, percent", percent)
        notes = []
        if certain_signs:
            notes.append(legend(game, in_figures=True))
        if doubtful_cells:
            notes.append(DOUBT)
        return notebook.with_title(
            self.observations.title,
            f"{self.configurations:,} configurations",
            notebook.board_html(game.board, {**texts, **certain_signs}, shades),
            scale,
            ", ".join(notes),
        )

    @property
    def _counted_position(self) -> Position | NoisyPosition:
        """The position whose cases are counted: with all replies if some may be lies."""
        return self.observations if are_lies(self.observations) else self.position

    @cached_property
    def _all_cases(self) -> list[SunkAssignment]:
        """The ways in which the sunk ships can lie by the replies (`sunk_assignments`)."""
        return list(sunk_assignments(self._counted_position))

    @cached_property
    def _cases(self) -> list[SunkAssignment]:
        """The ways in which the sunk ships can lie, without barred ships and ships of weight 0."""
        barred = self._barred | (self.prior.barred if self.prior else frozenset())
        if not barred:
            return self._all_cases
        kind_of = self.position.game.kind_of
        return [
            case.with_barred(barred)
            for case in self._all_cases
            if not any((kind_of(ship), ship) in barred for ship in case.sunk)
        ]

    @property
    def _ranking_engine(self) -> Counting:
        """The engine that returns configurations by their ranks."""
        return self._engine

    # Counts, in which all configurations that have a weight are equal

    def _ask_cases(self, question: Callable[[Constraints, Progress[Status]], T]) -> Iterator[T]:
        """Yield the answer to a question for each case: each way in which the sunk ships can lie.

        question -- a function of the constraints on the other ships of a case, and of a function to
        report its progress.
        """
        report = meter(self._progress, len(self._cases))
        for cases_done, case in enumerate(self._cases):
            # The default keeps the number of this case when the loop goes on.
            def report_case(status: Status, cases_done: int = cases_done) -> None:
                report(cases_done + status.share)

            yield question(case.constraints, report_case)

    @property
    def _is_counted(self) -> bool:
        """True if constraints tell which configurations have a weight, so that none is listed."""
        return self.prior is None or self.prior.placements is not None

    @cached_property
    def configurations(self) -> int:
        """The exact number of compatible configurations; with a prior, of those with a weight.

        Raises TooLarge if a prior weighs configurations one by one, and they are too many.
        """
        return self._candidates if self._is_counted else len(self._weighted_ships.weights)

    @cached_property
    def _candidates(self) -> int:
        """The exact number of configurations that the constraints leave."""
        return sum(self._case_sizes)

    @cached_property
    def _case_sizes(self) -> list[int]:
        """The number of configurations of each case."""
        return list(self._ask_cases(self._engine.count))

    @property
    def is_possible(self) -> bool:
        """True if some configuration is left; quicker than to count all."""
        if self.prior is not None and self.prior.possible_boards is not None:
            return any(self._compatible_boards())
        if not self._is_counted:
            return bool(self.configurations)
        return any(self._engine.count(case.constraints) for case in self._cases)

    def first_impossible(self, prior: Prior | None = None) -> int:
        """Return the number, from 1, of the first shot after which no configuration is left.

        0 if there is none even before the first shot; the number of shots + 1 if one is left after
        all of them.

        prior -- configurations of weight 0 by it do not count.
        """
        position, shots = self._counted_position, self._counted_position.shots

        def is_impossible(shots_made: int) -> bool:
            earlier_position = replace(position, shots=shots[:shots_made])
            return not type(self)(earlier_position, prior=prior).is_possible

        # Once a position is impossible, it stays so after more shots.
        return bisect_left(range(len(shots) + 1), True, key=is_impossible)

    def require_some(self) -> None:
        """Raise ImpossiblePosition if no configuration is left, naming the shot to blame."""
        if self.configurations:
            return
        position, game = self._counted_position, self.position.game
        prior = self._prior_of_hider
        if prior is not None and not type(self)(position).is_possible:
            prior = None  # the shots are impossible by themselves
        try:
            first_impossible: int | None = self.first_impossible(prior)
        except TooLarge:  # fewer shots leave too many configurations to weigh
            first_impossible = None
        if prior is None and first_impossible == 0:
            raise no_configuration(game)
        blame_text = ""
        if first_impossible:
            impossible_shot = position.shots[first_impossible - 1]
            blame_text = f"; shot number {first_impossible}, {impossible_shot}, is the first"
        if prior is None:
            raise ImpossiblePosition(
                f"no configuration of {game} is compatible with {str(position)!r}{blame_text} that "
                "makes it impossible"
            )
        compatible_text = "" if first_impossible == 0 else f" compatible with {str(position)!r}"
        after_text = f"{blame_text} after which none has one" if first_impossible else ""
        raise ImpossiblePosition(
            f"every configuration of {game}{compatible_text} has weight 0 by {prior.title}"
            f"{after_text}"
        )

    @cached_property
    def _case_counts(self) -> list[dict[Ship, int]]:
        """The number of configurations with each ship that is not sunk, for each case.

        A case is one way in which the sunk ships can lie. This also sets `_case_sizes`.
        """
        results = list(self._ask_cases(self._engine.count_by_placement))
        self._case_sizes = [size for size, _ in results]
        self.require_some()
        return [counts for _, counts in results]

    @cached_property
    def by_kind(self) -> dict[Ship, int]:
        """The number of configurations with each ship (its kind, its mask); never 0."""
        if not self._is_counted:
            self.require_some()
            return self._sum_by_ship([1] * self.configurations)
        kind_of = self.position.game.kind_of
        counts_by_case = self._case_counts
        totals: Counter[Ship] = Counter()
        for case, counts, size in zip(self._cases, counts_by_case, self._case_sizes, strict=True):
            totals.update(counts)
            if size:  # all configurations of the case have its sunk ships
                totals.update({(kind_of(ship), ship): size for ship in case.sunk})
        return dict(totals)

    @cached_property
    def placements(self) -> dict[int, int]:
        """The number of configurations with each placement (the mask of a ship); never 0."""
        totals: Counter[int] = Counter()
        for (_, ship), count in self.by_kind.items():
            totals[ship] += count
        return dict(totals)

    @cached_property
    def occurrence(self) -> NDArray[np.int64] | NDArray[np.object_]:
        """The number of configurations with a ship on each cell; shape (rows, columns).

        int64, or Python integers (dtype object) if they may pass 63 bits. A prior only leaves out
        configurations of weight 0.
        """
        game = self.position.game
        counts = self._sum_by_cell(self.placements)
        dtype = np.int64 if self.configurations < 2**63 else object
        return np.array(counts, dtype).reshape(game.rows, game.columns)

    def _sum_by_cell(self, values: Mapping[int, Number]) -> list[Number]:
        """Add up, for each cell, the values of the placements (masks) that cover it."""
        sums: list[Number] = [0] * self.position.game.cells
        for ship, value in values.items():
            for cell in bits(ship):
                sums[cell] += value
        return sums

    @property
    def frequency(self) -> list[list[Fraction]]:
        """The exact probability of a ship on each cell: a list of rows.

        Raises NotSupported if answers are floats (`is_exact`).
        """
        if not self.is_exact:
            raise NotSupported(
                "probabilities by weights of placements are in floating point; ask for probability"
            )
        columns, weights = self.position.game.columns, self._cell_weights
        total = self.weight  # asked second, because the count by cell has it as a by-product
        frequencies = [Fraction(weight) / total for weight in weights]
        row_starts = range(0, len(frequencies), columns)
        return [frequencies[start : start + columns] for start in row_starts]

    # Weights

    @property
    def weight(self) -> int:
        """The number of configurations; with a prior, their total weight, an integer.

        Raises TooLarge if a prior would have to weigh too many configurations one by one.
        """
        return self.configurations if self.prior is None else sum(self._weighted_ships.weights)

    @property
    def _total_weight(self) -> float:
        """The total weight of the configurations; an integer if exact."""
        floats = None if self.prior is None else self._float_weights
        return self.weight if floats is None else floats.total

    @cached_property
    def _placement_weights(self) -> Mapping[int, float]:
        """The total weight of the configurations with each placement (mask).

        The weights are integers if answers are exact (`is_exact`), else floats.
        """
        if self.prior is None:
            return self.placements
        if self._float_weights is not None:
            return self._float_weights.placements
        totals: Counter[int] = Counter()
        for (_, ship), weight in self._sum_by_ship(self._weighted_ships.weights).items():
            totals[ship] += weight
        return totals

    @cached_property
    def _cell_weights(self) -> list[float]:
        """The total weight of the configurations with a ship on each cell; integers if exact."""
        return self._sum_by_cell(self._placement_weights)

    @cached_property
    def _weighted_ships(self) -> WeightedShips:
        """All configurations that have a weight."""
        return self.list_weighted()

    def list_weighted(self, limit: int = MOST_LISTED) -> WeightedShips:
        """List all configurations that have a weight, as the cells of their ships, and the weights.

        The shape is (configurations, ships, words). Raises TooLarge if more than `limit`
        configurations would have to be listed.
        """
        if self.prior is None or self._candidates <= limit:
            ships = self._list_candidates()
        elif self.prior.possible_boards is not None:
            words = self.position.game.words
            boards = [to_words(board, words) for board in self._compatible_boards()]
            ships = self._sort_ships(np.array(boards, np.uint64))
        else:
            raise TooLarge(
                f"{self.prior.title} weighs configurations one by one here, and "
                f"{self._candidates:,} of {self.observations.title} are too many to list; at most "
                f"{limit:,} are listed: more shots leave fewer, and weights of placements or cells "
                "that are not too far apart go through the counting table"
            )
        if self.prior is None:
            return WeightedShips(ships, [1] * len(ships))
        weights = self.prior.weights(ships)
        has_weight = np.array(weights, object) > 0
        return WeightedShips(ships[has_weight], [weight for weight in weights if weight])

    def _compatible_boards(self) -> Iterator[list[int]]:
        """Yield the boards listed by the prior that are legal and compatible with the shots.

        A board is the masks of its ships, in the order of the fleet.
        """
        assert self.prior is not None
        game, observations = self.position.game, self.observations
        is_compatible: Callable[[list[int]], object] = (
            observations.likelihood
            if isinstance(observations, NoisyPosition)
            else observations.is_compatible
        )
        for board in self.prior.possible_boards or ():
            ships = in_order(board, game)
            if is_compatible(ships) and not objection(game, ships):
                yield ships

    @cached_property
    def _float_weights(self) -> _FloatWeights | None:
        """The total weights of each case and of each placement, as floats.

        None if the weight of a configuration is not a product over its ships, or if the weights are
        too far apart for floats.
        """
        assert self.prior is not None
        self.require_some()
        weights = self.prior.placements
        if weights is None:
            return None
        floats = self._weigh(weights)
        if self._are_accurate(floats):
            return floats
        # Shots may have ruled out the heaviest placements: scale by the greatest of the others.
        possible = self.placements
        floats = self._weigh(
            {ship: weight if ship in possible else 0 for ship, weight in weights.items()}
        )
        return floats if self._are_accurate(floats) else None

    def _weigh(self, weights: Mapping[int, int]) -> _FloatWeights:
        """Return the total weights of the cases and of the placements, as floats.

        A case is one way in which the sunk ships can lie. The given weights are scaled first, so
        that the greatest of each kind of ship is 1.

        weights -- of placements (masks), whose product is the weight of a configuration.
        """
        kind_of = self.position.game.kind_of
        greatest: dict[int, int] = {}
        for ship, weight in weights.items():
            greatest[kind_of(ship)] = max(weight, greatest.get(kind_of(ship), 1))
        factors = {ship: weight / greatest[kind_of(ship)] for ship, weight in weights.items()}
        case_totals: list[float] = []
        placements: dict[int, float] = {}
        for case in self._cases:
            sunk_factor = float(np.prod([factors.get(ship, 1.0) for ship in case.sunk]))
            afloat_total, afloat_by_ship = self._engine.weigh(case.constraints, factors)
            total = sunk_factor * afloat_total
            by_ship = {ship: sunk_factor * weight for ship, weight in afloat_by_ship.items()}
            if total:  # all configurations of the case have its sunk ships
                by_ship |= dict.fromkeys(case.sunk, total)
            case_totals.append(total)
            for ship, ship_weight in by_ship.items():
                placements[ship] = placements.get(ship, 0) + ship_weight
        return _FloatWeights(factors, case_totals, placements)

    def _are_accurate(self, floats: _FloatWeights) -> bool:
        """True if these sums of weights do not overflow, and lose little to underflow.

        With n configurations and R roundings behind a sum: no factor is above 1, so each rounding
        loses at most 2^-1075 to underflow in each configuration, and a probability loses at most
        4 R n 2^-1075 / total. The condition makes that less than 2^-52 of FLOOR.
        """
        configurations = self.configurations
        return (
            configurations < 2**1000
            and (self._roundings + 1) * configurations <= floats.total * 2.0**900
        )

    @property
    def _roundings(self) -> int:
        """An upper bound on the roundings behind a weight."""
        return self._engine.roundings * len(self._cases)

    @property
    def relative_error(self) -> float:
        """A bound on the relative error of the probabilities: 2^-52 for each possible rounding.

        All terms are positive, so nothing cancels and roundings add up. A probability below FLOOR
        is off by at most the bound times FLOOR.
        """
        return 2.0**-52 * (1 if self.is_exact else self._roundings + 1)

    @property
    def is_exact(self) -> bool:
        """True if answers are exact; else weights are multiplied as floats while counting."""
        return self.prior is None or self._float_weights is None

    def _sum_by_ship(self, values: Sequence[int]) -> dict[Ship, int]:
        """Map each ship (kind, mask) to the sum of the values of the configurations with it.

        values -- one for each of the listed configurations.
        """
        sums: Counter[Ship] = Counter()
        for i, kind in enumerate(self.position.game.fleet):
            masks = to_masks(self._weighted_ships.ships[:, i])
            for ship, value in zip(masks, values, strict=True):
                sums[kind, ship] += value
        return dict(sums)

    @cached_property
    def placement_probability(self) -> dict[int, float]:
        """Map each placement (a mask) to the probability of a ship on exactly these cells.

        Placements of probability 0 may be missing.
        """
        total = self._total_weight
        return {ship: weight / total for ship, weight in self._placement_weights.items()}

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a row per cell: its name, `occurrence` and `probability`."""
        game, occurrence, probability = self.position.game, self.occurrence, self.probability
        return [
            {
                "cell": cell_name(cell),
                "occurrence": int(occurrence[cell]),
                "probability": float(probability[cell]),
            }
            for cell in game.cells_of((1 << game.cells) - 1 & ~game.holes)
        ]

    # For a player

    @cached_property
    def probability(self) -> NDArray[np.float64]:
        """The probability of a ship on each cell; float64 of shape (rows, columns)."""
        if self.is_exact:
            return np.array([[float(p) for p in row] for row in self.frequency])
        game = self.position.game
        probabilities = self._sum_by_cell(self.placement_probability)
        return np.array(probabilities, np.float64).reshape(game.rows, game.columns)

    def greedy_shots(self) -> list[Cell]:
        """Return the unshot cells most likely to hold a ship, all ties, in row-major order.

        Without exact answers (`is_exact`), cells are tied if they differ by no more than their
        errors. The list is empty if every ship is sunk.
        """
        game, closed = self.position.game, self.observations.closed
        unshot = [cell for cell in range(game.cells) if not closed >> cell & 1]
        if self.is_exact:
            values = self._cell_weights
            threshold = max((values[cell] for cell in unshot), default=0)
        else:
            values = self.probability.ravel().tolist()
            greatest = max((values[cell] for cell in unshot), default=0)
            threshold = greatest * (1 - 2 * self.relative_error)  # both values may be off
        return [game.cell(cell) for cell in unshot if values[cell] and values[cell] >= threshold]

    @property
    def entropy(self) -> float:
        """The entropy of the posterior in bits."""
        self.require_some()
        greatest = log2(self.configurations)  # the entropy if all are equally likely
        if self.prior is None:
            return greatest
        if self._float_weights is None:
            total = self.weight
            entropy = sum(
                weight / total * (log2(total) - log2(weight))
                for weight in self._weighted_ships.weights
            )
            return min(greatest, entropy)
        # H = log2 Z - E[log2 weight], where Z is the total weight. The weight is a product over
        # placements, so its logarithm is a sum.
        factors = self._float_weights.factors
        mean_log_weight = sum(
            p * log2(factors.get(ship, 1.0)) for ship, p in self.placement_probability.items() if p
        )
        return max(0.0, min(greatest, log2(self._float_weights.total) - mean_log_weight))

    # Samples

    def sample(
        self, n: int = 1, seed: np.random.Generator | int | None = None, masks: bool = False
    ) -> NDArray[Any]:
        """Draw n independent configurations; uint8 of shape (n, rows, columns), 1 where a ship is.

        Without a prior the draw is exactly uniform: configurations are unranked from unbiased
        random ranks.

        seed -- a seed or a generator; without one, calls differ.
        masks -- if True, return each ship by itself, as a cell set: uint64 of shape (n, ships,
            words). A word has 64 bits, the low ones first; boards of at most 128 cells have two.
            Ships are in the order of the fleet, equal lengths by ascending cell set.
        """
        rng = np.random.default_rng(seed)
        if self.prior is None:
            samples = self._sample_uniformly(n, rng)
        elif self._float_weights is None:
            samples = self._sample_listed(n, rng)
        else:
            samples = self._sample_by_floats(n, rng, self._float_weights)
        samples = self._sort_ships(samples)
        return samples if masks else self._to_arrays(samples)

    def list_all(self, masks: bool = False) -> NDArray[Any]:
        """List all configurations, with a prior those with a weight, in the form of `sample`."""
        self.require_some()
        configurations = self._list_candidates() if self._is_counted else self._weighted_ships.ships
        return configurations if masks else self._to_arrays(configurations)

    def batches(self, size: int) -> Iterator[CellSets]:
        """Yield all configurations in arrays of `size` rows, the last of the rest.

        An array is uint64 of shape (rows, ships, words): a cell set for each ship. With a prior,
        only configurations that have a weight come.
        """
        self.require_some()
        if self._is_counted:
            yield from self._list_in_batches(size)
        else:
            ships = self._weighted_ships.ships
            for start in range(0, len(ships), size):
                yield ships[start : start + size]

    def _list_candidates(self) -> CellSets:
        """List all configurations that the constraints leave, each as cell sets of its ships."""
        nothing = np.empty(self._shape(0), np.uint64)
        return next(self._list_in_batches(self._candidates), nothing)

    def _list_in_batches(self, size: int) -> Iterator[CellSets]:
        """Yield all configurations that the constraints leave, in arrays of `size` rows.

        The last array may have fewer. A row has a cell set for each ship. The rows come case by
        case, one way in which the sunk ships can lie after the other.
        """
        batch: list[CellSets] = []  # the start of an array
        rows_left = size
        for case, case_size in zip(self._cases, self._case_sizes, strict=True):
            start = 0
            while start < case_size:
                stop = min(case_size, start + rows_left)
                batch.append(self._unrank(case, np.arange(start, stop, dtype=np.uint64)))
                rows_left -= stop - start
                start = stop
                if not rows_left:
                    yield self._sort_ships(np.concatenate(batch))
                    batch, rows_left = [], size
        if batch:
            yield self._sort_ships(np.concatenate(batch))

    def _to_arrays(self, configurations: CellSets) -> NDArray[np.uint8]:
        """Return configurations as 0 and 1 for each cell; shape (n, rows, columns).

        configurations -- as ships, shape (n, ships, words).
        """
        game = self.position.game
        cells = to_cells(np.bitwise_or.reduce(configurations, axis=1), game.cells)
        return cells.reshape(-1, game.rows, game.columns)

    def ships(self, samples: CellSets) -> list[list[str]]:
        """Name the ships of each sample of `sample(…, masks=True)`: `A1-A4`, or `A1`."""
        game = self.position.game
        return [[game.ship_name(mask) for mask in ships] for ships in self._sample_masks(samples)]

    def boards(self, samples: CellSets) -> list[str]:
        """Draw each sample of `sample(…, masks=True)`: `.` is water, `-` a hole, a digit a ship."""
        return [self._draw_ships(ships) for ships in self._sample_masks(samples)]

    def _sample_masks(self, samples: CellSets) -> list[list[int]]:
        """Return the ships (masks) of each sample; OptsearchError if ships are not told apart.

        samples -- what `sample(…, masks=True)` returned.
        """
        if samples.dtype != np.uint64:
            raise OptsearchError(
                f"an array of {samples.dtype} does not tell ships apart; give what "
                "sample(…, masks=True) returns"
            )
        return list(map(to_masks, samples))

    def _draw_ships(self, ships: Sequence[int]) -> str:
        """Return a board with these ships (masks) as lines of text; each ship has its own sign."""
        game = self.position.game
        signs = ["."] * game.cells
        for cell in bits(game.holes):
            signs[cell] = HOLE
        for sign, ship in zip(_SHIP_SIGNS, ships, strict=False):
            for cell in bits(ship):
                signs[cell] = sign
        row_starts = range(0, game.cells, game.columns)
        return "\n".join("".join(signs[start : start + game.columns]) for start in row_starts)

    def _sample_uniformly(self, sample_count: int, rng: np.random.Generator) -> CellSets:
        """Draw some configurations, all equally likely, each as the cell sets of its ships."""
        self.require_some()
        if self.configurations >= 2**64:  # too many for ranks in 64 bits
            return np.array(
                [self._sample_ship_by_ship(rng) for _ in range(sample_count)], np.uint64
            )
        # The configurations of the first case have the first ranks, and so on.
        ranks = rng.integers(0, self.configurations, sample_count, np.uint64)
        samples = np.empty(self._shape(sample_count), np.uint64)
        first_rank = 0  # of the case
        for case, case_size in zip(self._cases, self._case_sizes, strict=True):
            is_in_case = (ranks >= first_rank) & (ranks - np.uint64(first_rank) < case_size)
            if is_in_case.any():
                ranks_in_case = ranks[is_in_case] - np.uint64(first_rank)
                samples[is_in_case] = self._unrank(case, ranks_in_case)
            first_rank += case_size
        return samples

    def _sample_listed(self, sample_count: int, rng: np.random.Generator) -> CellSets:
        """Draw some of the listed configurations by their weights, each as cell sets of ships."""
        cumulated = list(accumulate(self._weighted_ships.weights))
        indices = [
            bisect_right(cumulated, draw_below(cumulated[-1], rng)) for _ in range(sample_count)
        ]
        return self._weighted_ships.ships[indices]

    def _sample_by_floats(
        self, sample_count: int, rng: np.random.Generator, floats: _FloatWeights
    ) -> CellSets:
        """Draw some configurations by their weights, each as the cell sets of its ships.

        First a case is drawn, one way in which the sunk ships can lie, then one of its
        configurations.
        """
        totals = np.array(floats.cases)
        cases = rng.choice(len(totals), size=sample_count, p=totals / totals.sum())
        samples = np.empty(self._shape(sample_count), np.uint64)
        for i, case in enumerate(self._cases):
            is_in_case = cases == i
            if is_in_case.any():
                total, _ = self._engine.weigh(case.constraints, floats.factors)
                ranks = rng.random(int(is_in_case.sum())) * total
                samples[is_in_case] = self._unrank(case, ranks, floats.factors)
        return samples

    def _unrank(
        self, case: SunkAssignment, ranks: Ranks, factors: Mapping[int, float] | None = None
    ) -> CellSets:
        """Return the configurations of a case with the given ranks, the sunk ships first.

        A case is one way in which the sunk ships can lie. The shape is (ranks, ships, words).

        factors -- weights of placements (masks), if the ranks are by weight.
        """
        others = self._ranking_engine.unrank(case.constraints, ranks, factors)
        row_count, _, words = others.shape
        sunk = np.broadcast_to(to_words(case.sunk, words), (row_count, len(case.sunk), words))
        return np.concatenate([sunk, others], axis=1)

    def _shape(self, row_count: int) -> tuple[int, int, int]:
        """Return the shape of an array of n configurations: (n, ships, words of a ship)."""
        game = self.position.game
        return row_count, len(game.fleet), game.words

    def _sample_ship_by_ship(self, rng: np.random.Generator) -> list[list[int]]:
        """Draw one configuration uniformly, ship by ship; return each ship as 64-bit words.

        Each step places one of the longest ships left. The probability of a placement is
        proportional to the number of configurations that have it. Given the placement, the other
        ships are uniform again.
        """
        game = self.position.game
        case = self._cases[_choose_index(self._case_sizes, rng)]
        ships = list(case.sunk)
        constraints = case.constraints  # on the ships not placed yet
        while constraints.fleet:
            longest = constraints.fleet[0]
            _, by_ship = self._engine.count_by_placement(constraints)
            masks = [mask for kind, mask in by_ship if kind == longest]
            counts = [by_ship[longest, mask] for mask in masks]
            ship = masks[_choose_index(counts, rng)]
            ships.append(ship)
            constraints = replace(
                constraints,
                fleet=constraints.fleet[1:],
                closed=constraints.closed | ship | game.halo(ship),
                hits=constraints.hits & ~ship,
            )
        words: list[list[int]] = to_words(ships, game.words).tolist()
        return words

    def _sort_ships(self, samples: CellSets) -> CellSets:
        """Sort the ships of each sample in the order of the fleet, equal lengths by their cells.

        samples -- the cells of each ship; shape (samples, ships, words).
        """
        if samples.size == 0:
            return samples.reshape(self._shape(len(samples)))
        game = self.position.game
        if game.has_shapes and not game.has_twins:
            rows = (sorted(to_masks(ships), key=game.rank) for ships in samples)
            return np.array([to_words(ships, game.words) for ships in rows])
        if game.has_twins:  # already in the order of the fleet, except equal ones
            indices = np.array([game.fleet.index(kind) for kind in game.fleet])
            order_of_kinds = np.broadcast_to(indices, samples.shape[:2])
        else:
            lengths = np.bitwise_count(samples).sum(axis=2).astype(int)
            order_of_kinds = -lengths
        words = np.moveaxis(samples, 2, 0)
        order = np.lexsort((*words, order_of_kinds), axis=-1)  # by the last key first
        return np.take_along_axis(samples, order[..., None], axis=1)


def draw_below(total: int, rng: np.random.Generator) -> int:
    """Draw an integer of any size from 0 to total - 1, uniformly."""
    byte_count = (total.bit_length() + 7) // 8  # bytes, rounded up
    mask = (1 << total.bit_length()) - 1
    while True:  # each draw is small enough with a chance of one half or more
        draw = int.from_bytes(rng.bytes(byte_count), "little") & mask
        if draw < total:
            return draw


def _choose_index(counts: list[int], rng: np.random.Generator) -> int:
    """Draw an index with probability exactly proportional to its count."""
    total = sum(counts)
    if total == 0:
        raise TooLarge("nothing to choose from")
    draw = draw_below(total, rng)
    for i, count in enumerate(counts):
        if draw < count:
            return i
        draw -= count
    raise AssertionError("the counts do not add up")


class _Sinking(NamedTuple):
    """The cell (mask) of the hit that sinks a ship, its kind if told, and all hits up to then."""

    cell_mask: int
    kind: int | None
    hits_mask: int


def sunk_assignments(position: Position | NoisyPosition) -> Iterator[SunkAssignment]:
    """Yield each way in which the sunk ships can lie, with the constraints on the other ships.

    Each configuration belongs to one way. If every hit has a label, there is at most one way: a
    ship with another label on a hit is barred, and a ship whose placement a label determines counts
    as sunk. If some replies may be lies, there is a way for each choice of the false replies.
    """
    game = position.game
    if isinstance(position, NoisyPosition):
        for ships, water in position.readings():
            yield SunkAssignment((), Constraints(game.fleet, closed=water, hits=ships))
        return
    barred = barred_ships(position)
    for sunk in _place_sunk(position, _sinkings(position), barred):
        closed = position.misses
        for ship in sunk:
            closed |= ship | game.halo(ship)
        fleet = Counter(game.fleet) - Counter(map(game.kind_of, sunk))
        constraints = Constraints(
            tuple(sorted(fleet.elements(), reverse=True)),
            closed=closed,
            hits=position.hits & ~sum(sunk),
            afloat=game.tells_sinkings,
            barred=barred,
        )
        yield SunkAssignment(sunk, constraints)


def _labels_told(position: Position) -> Iterator[tuple[Label | None, int]]:
    """Yield the label of each hit and its cell (index), if every hit has a label."""
    for shot in position.shots:
        if shot.reply.hit and position.game.has_labels:
            yield shot.reply.label, position.game.bit(shot.cell).bit_length() - 1


def barred_ships(position: Position) -> frozenset[Ship]:
    """Return the ships that would give a hit another label; none unless every hit has a label."""
    barred: set[Ship] = set()
    for label, cell in _labels_told(position):
        barred |= position.game.label_table.placements_with_other_label(label, cell)
    return frozenset(barred)


def _sinkings(position: Position) -> list[_Sinking]:
    """List what replies tell of sunk ships; a ship that alone fits a hit's label counts as sunk."""
    game, hits_mask, sinkings = position.game, 0, []
    for shot in position.shots:
        cell_mask, kind = game.bit(shot.cell), shot.reply.label
        if shot.reply.hit:
            hits_mask |= cell_mask
        if shot.reply.sunk:
            assert not isinstance(kind, str)
            sinkings.append(_Sinking(cell_mask, kind, hits_mask))
    determined: set[Ship] = set()
    for label, cell_index in _labels_told(position):
        ships = game.label_table.placements_with_label(label, cell_index)
        if len(ships) == 1 and not game.has_twins:
            determined.update(ships)
    for kind, ship in sorted(determined, key=itemgetter(1)):
        lowest_cell = ship & -ship  # as if the ship were sunk by its last cell, whichever it is
        sinkings.append(_Sinking(lowest_cell, kind, hits_mask=ship))
    return sinkings


def _place_sunk(
    position: Position,
    sinkings: Sequence[_Sinking],
    barred: frozenset[Ship],
    placed: tuple[int, ...] = (),
) -> Iterator[tuple[int, ...]]:
    """Yield each way to place the sunk ships, as masks in the order of the sinkings.

    barred -- ships (kinds and masks) that are known not to be on the board. placed -- the ships of
    the first sinkings; each way begins with them.
    """
    if len(placed) == len(sinkings):
        yield placed
        return
    game, sinking = position.game, sinkings[len(placed)]
    closed = position.misses
    for ship in placed:
        closed |= ship | game.halo(ship)
    fleet_left = Counter(game.fleet) - Counter(map(game.kind_of, placed))
    kinds = sorted(fleet_left) if sinking.kind is None else [sinking.kind]
    for kind in kinds:
        if not fleet_left[kind]:
            continue
        for ship in game.placements(kind):
            is_sunk_by_shot = ship & sinking.cell_mask and not ship & ~sinking.hits_mask
            is_free = not ship & closed and not game.halo(ship) & position.hits
            if is_sunk_by_shot and is_free and (kind, ship) not in barred:
                yield from _place_sunk(position, sinkings, barred, (*placed, ship))
