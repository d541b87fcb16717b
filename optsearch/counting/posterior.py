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
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import CellSets, to_cells, to_masks, to_words
from optsearch.counting.constraints import Constraints, Counting, Ship
from optsearch.counting.engines import engine_for
from optsearch.counting.prior import Prior, by_replies
from optsearch.game import (
    HOLE,
    Cell,
    Game,
    bits,
    cell_name,
    notebook,
)
from optsearch.game.noise import DOUBT, NoisyPosition, are_lies
from optsearch.game.position import Position, legend, no_configuration
from optsearch.game.ships import in_order, objection
from optsearch.support.errors import ImpossiblePosition, NotSupported, OptsearchError, TooLarge
from optsearch.support.progress import Progress, Status, meter, no_progress

T = TypeVar("T")

MOST_LISTED = 2_000_000  # configurations, if a prior weighs each by itself
FLOOR = 2.0**-100  # the least probability with the promised relative error
_SHIP_SIGNS = (digits + ascii_letters)[1:] + "#" * 128  # from the 62nd ship on, all are #


@dataclass(frozen=True)
class SunkAssignment:
    """One way in which the sunk ships (masks) can lie, and the constraints on the others."""

    sunk: tuple[int, ...]
    constraints: Constraints


@dataclass(frozen=True)
class _Floats:
    """Total weights as floats, if the weight of a configuration is a product over its ships.

    factors -- of placements, at most 1. cases -- the total weight of each case, and that of its
    configurations with each placement.
    """

    factors: dict[int, float]
    cases: list[tuple[float, dict[int, float]]]

    @property
    def total(self) -> float:
        """The total weight of all configurations."""
        return sum(total for total, _ in self.cases)


class Posterior:
    """The configurations compatible with a position, uniform or weighted by a prior.

    position -- a position, a game, or the text of a game. If replies may be false
        (`NoisyPosition`), the attribute `told` has all shots, and `position` only those that leave
        no doubt. The others are weights of cells; of lies, each way to make some replies false is
        counted by itself.
    shots -- further shots, as in `A2=hit B3=miss`.
    prior -- the weights of the configurations (`optsearch.counting.prior`); those of weight 0 do
        not exist. If weights are products over ships, they are multiplied while counting, and
        answers are floats; else all configurations are listed, and answers are exact.
    progress -- called during a long count.

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
    ):
        if isinstance(position, NoisyPosition) and not shots:
            told: Position | NoisyPosition = position
        else:
            told = Position.of(position, shots)  # type: ignore[arg-type]
        self.told: Position | NoisyPosition = told
        if prior is not None:
            prior.require(told.game)
        self._given = prior
        if isinstance(told, NoisyPosition):
            prior, told = by_replies(told, prior), told.certain
        self.position = position = told
        self.prior = prior
        self._progress = progress
        self._sweep: Counting = engine_for(position.game)

    def __reduce__(self) -> tuple[type[Posterior], tuple[object, ...]]:
        return type(self), (self.told, "", self._given)

    def __repr__(self) -> str:
        weighted = "" if self.prior is None else f", by the prior {self.prior.name}"
        return f"<Posterior of {self.told.title}{weighted}>"

    def _repr_html_(self) -> str:
        """The board, with the probability of a ship in percent on each cell that is not certain."""
        game, signs = self.told.game, self.position.signs
        doubtful = set(self.told.signs) - set(signs)
        chances = {cell: float(p) for cell, p in np.ndenumerate(self.probability)}
        fresh = {cell: p for cell, p in chances.items() if cell not in signs}
        most = max(fresh.values(), default=0.0)
        texts = {c: f"{100 * p:.0f}{'?' if c in doubtful else ''}" for c, p in fresh.items()}
        shades = {cell: p / most for cell, p in fresh.items()} if most else {}
        return notebook.titled(
            self.told.title,
            f"{self.configurations:,} configurations",
            notebook.board(game.board, {**texts, **signs}, shades),
            notebook.bar("probability of a ship, percent", f"{100 * most:.0f}") if fresh else "",
            ", ".join([legend(game, True)] * bool(signs) + [DOUBT] * bool(doubtful)),
        )

    @property
    def _counted(self) -> Position | NoisyPosition:
        """The position whose cases are counted: with all replies if some may be lies."""
        return self.told if are_lies(self.told) else self.position

    @cached_property
    def _cases(self) -> list[SunkAssignment]:
        """The cases, with the ships barred that have weight 0."""
        found = cases(self._counted)
        barred = self.prior.barred if self.prior else frozenset()
        if not barred:
            return list(found)
        kind_of = self.position.game.kind_of
        return [
            replace(case, constraints=replace(some, barred=some.barred | barred))
            for case in found
            if not any((kind_of(ship), ship) in barred for ship in case.sunk)
            for some in [case.constraints]
        ]

    # Counts, in which all configurations that have a weight are equal

    def _of_cases(self, question: Callable[[Constraints, Progress[Status]], T]) -> Iterator[T]:
        """Yield the answer to a question for each case, and report the share of cases done."""
        report = meter(self._progress, len(self._cases))
        for number, case in enumerate(self._cases):

            def report_case(status: Status, number: int = number) -> None:
                report(number + status.share)

            yield question(case.constraints, report_case)

    @property
    def _is_counted(self) -> bool:
        """True if constraints tell which configurations have a weight, so that none is listed."""
        return self.prior is None or self.prior.placements is not None

    @cached_property
    def configurations(self) -> int:
        """The exact number of compatible configurations; with a prior, of those with a weight.

        Raises TooLarge for a prior that weighs configurations one by one if they are too many.
        """
        return self._candidates if self._is_counted else len(self._listed[1])

    @cached_property
    def _candidates(self) -> int:
        """The exact number of configurations that the constraints leave."""
        return sum(self._case_numbers)

    @cached_property
    def _case_numbers(self) -> list[int]:
        return list(self._of_cases(self._sweep.count))

    @property
    def is_possible(self) -> bool:
        """True if some configuration is left; counting stops at the first case that has one."""
        if self.prior is not None and self.prior.rows is not None:
            return any(self._rows())
        if not self._is_counted:
            return bool(self.configurations)
        return any(self._sweep.count(case.constraints) for case in self._cases)

    def require_some(self) -> None:
        """Raise ImpossiblePosition if no configuration is left, naming the shot to blame."""
        if self.configurations:
            return
        counted, game, shots = self._counted, self.position.game, self._counted.shots
        prior = self._given
        if prior is not None and not Posterior(counted).is_possible:
            prior = None  # the shots are impossible by themselves

        def is_impossible(number: int) -> bool:
            return not Posterior(replace(counted, shots=shots[:number]), prior=prior).is_possible

        first = bisect_left(range(len(shots) + 1), True, key=is_impossible)
        if prior is None and first == 0:
            raise no_configuration(game)
        blame = f"; shot number {first}, {shots[first - 1]}, is the first" if first else ""
        if prior is None:
            raise ImpossiblePosition(
                f"no configuration of {game} is compatible with {str(counted)!r}{blame} that "
                "makes it impossible"
            )
        compatible = f" compatible with {str(counted)!r}" if first else ""
        raise ImpossiblePosition(
            f"every configuration of {game}{compatible} has weight 0 by the prior {prior.name}"
            + (f"{blame} after which none has one" if first else "")
        )

    @cached_property
    def _case_counts(self) -> list[tuple[int, dict[Ship, int]]]:
        results = list(self._of_cases(self._sweep.through))
        self._case_numbers = [count for count, _ in results]
        self.require_some()
        return results

    @cached_property
    def by_kind(self) -> dict[Ship, int]:
        """The number of configurations with each ship (its kind, its mask), where not 0."""
        kind_of = self.position.game.kind_of
        if not self._is_counted:
            self.require_some()
            listed = self._listed_through([1] * self.configurations)
            return {(kind_of(ship), ship): count for ship, count in listed.items()}
        through: Counter[Ship] = Counter()
        for case, (count, counts) in zip(self._cases, self._case_counts, strict=True):
            through.update(counts)
            if count:
                through.update(dict.fromkeys(((kind_of(ship), ship) for ship in case.sunk), count))
        return dict(through)

    @cached_property
    def placements(self) -> dict[int, int]:
        """The number of configurations with each placement (the mask of a ship), where not 0."""
        through: Counter[int] = Counter()
        for (_, ship), count in self.by_kind.items():
            through[ship] += count
        return dict(through)

    @cached_property
    def occurrence(self) -> NDArray[np.int64] | NDArray[np.object_]:
        """The number of configurations with a ship on each cell; shape (rows, columns).

        int64, or Python integers (dtype object) if they may pass 63 bits. A prior only leaves out
        configurations of weight 0: see `probability`.
        """
        game = self.position.game
        cells = [0] * game.cells
        for mask, count in self.placements.items():
            for cell in bits(mask):
                cells[cell] += count
        dtype = np.int64 if self.configurations < 2**63 else object
        return np.array(cells, dtype).reshape(game.rows, game.columns)

    @property
    def frequency(self) -> list[list[Fraction]]:
        """The exact probability of a ship on each cell, by row.

        Raises NotSupported if answers are floats (`is_exact`).
        """
        if not self.is_exact:
            raise NotSupported(
                "probabilities by weights of placements are in floating point; ask for probability"
            )
        columns = self.position.game.columns
        shares = [Fraction(n, self.weight) for n in self._exact_cells]
        return [shares[i : i + columns] for i in range(0, len(shares), columns)]

    @property
    def weight(self) -> int:
        """The number of configurations, or their total weight; TooLarge if too many are weighed."""
        return self.configurations if self.prior is None else sum(self._listed[1])

    @cached_property
    def _exact_cells(self) -> list[int]:
        """The number or the weight of the configurations with a ship on each cell."""
        cells = [0] * self.position.game.cells
        through = self.placements if self.prior is None else self._weights_through
        for mask, n in through.items():
            for cell in bits(mask):
                cells[cell] += n
        return cells

    # Weights

    @cached_property
    def _listed(self) -> tuple[CellSets, list[int]]:
        return self.weighed()

    def weighed(self, most: int = MOST_LISTED) -> tuple[CellSets, list[int]]:
        """List all configurations that have a weight, as ships (see `sample`), and their weights.

        Raises TooLarge if more than `most` configurations would have to be listed.
        """
        if self.prior is None or self._candidates <= most:
            ships = self._unranked()
        elif self.prior.rows is not None:
            rows = [to_words(row, self.position.game.words) for row in self._rows()]
            ships = self._ordered(np.array(rows, np.uint64))
        else:
            raise TooLarge(
                f"the prior {self.prior.name} weighs configurations one by one here, and "
                f"{self._candidates:,} of {self.told.title} are too many to list; at most "
                f"{most:,} are listed: weights of placements or cells that are not too far apart "
                "go through the counting table"
            )
        if self.prior is None:
            return ships, [1] * len(ships)
        weights = self.prior.weights(ships)
        return ships[np.array(weights, object) > 0], [weight for weight in weights if weight]

    def _rows(self) -> Iterator[list[int]]:
        """Yield the rows of the prior that are configurations and compatible with the shots."""
        assert self.prior is not None
        game, told = self.position.game, self.told
        fits = told.likelihood if isinstance(told, NoisyPosition) else told.is_compatible
        for row in self.prior.rows or ():
            ships = in_order(row, game)
            if fits(ships) and not objection(game, ships):
                yield ships

    @cached_property
    def _floats(self) -> _Floats | None:
        """The total weights as floats; None if they are no products, or floats cannot hold them."""
        assert self.prior is not None
        self.require_some()
        weights = self.prior.placements
        if weights is None:
            return None
        found = self._summed(self._scaled(weights))
        if self._is_held(found):
            return found
        left = {mask: weight * (mask in self.placements) for mask, weight in weights.items()}
        found = self._summed(self._scaled(left))
        return found if self._is_held(found) else None

    def _scaled(self, weights: Mapping[int, int]) -> dict[int, float]:
        """Return the weights of placements as floats, scaled so that the most of a kind is 1."""
        kind_of = self.position.game.kind_of
        most: dict[int, int] = {}
        for mask, weight in weights.items():
            most[kind_of(mask)] = max(weight, most.get(kind_of(mask), 1))
        return {mask: weight / most[kind_of(mask)] for mask, weight in weights.items()}

    def _summed(self, factors: dict[int, float]) -> _Floats:
        """Return the total weights by these factors of placements."""
        cases = []
        for case in self._cases:
            factor = float(np.prod([factors.get(mask, 1.0) for mask in case.sunk]))
            total, sums = self._sweep.weigh(case.constraints, factors)
            cases.append((factor * total, {mask: factor * w for mask, w in sums.items()}))
        return _Floats(factors, cases)

    def _is_held(self, found: _Floats) -> bool:
        """True if nothing overflows, and what underflows is negligible.

        No factor is above 1. So each of the R roundings of a sum loses at most 2^-1075 to
        underflow in each of the n configurations, and a probability at most 4 R n 2^-1075 / total.
        Here that is less than 2^-52 of FLOOR.
        """
        n = self.configurations
        return n < 2**1000 and (self._roundings + 1) * n <= found.total * 2.0**900

    @property
    def _roundings(self) -> int:
        return self._sweep.roundings * len(self._cases)

    @property
    def relative_error(self) -> float:
        """A bound on the relative error of the probabilities: 2^-52 for each possible rounding.

        All terms are positive, so nothing cancels and roundings add up. In practice the error is
        about the square root of the number of roundings. A probability below FLOOR is off by at
        most the bound times FLOOR.
        """
        return 2.0**-52 * (1 if self.is_exact else self._roundings + 1)

    @property
    def is_exact(self) -> bool:
        """True if answers are exact; else weights are multiplied as floats while counting.

        If weights of placements are too far apart for floats, configurations are listed: exact.
        """
        return self.prior is None or self._floats is None

    @cached_property
    def _weights_through(self) -> dict[int, int]:
        """The total weight of the listed configurations with each placement."""
        return self._listed_through(self._listed[1])

    def _listed_through(self, numbers: Sequence[int]) -> dict[int, int]:
        """Add up, for each placement, the numbers of the listed configurations that have it."""
        through: Counter[int] = Counter()
        ships, _ = self._listed
        for i in range(ships.shape[1]):
            for mask, number in zip(to_masks(ships[:, i]), numbers, strict=True):
                through[mask] += number
        return dict(through)

    @cached_property
    def placement_probability(self) -> dict[int, float]:
        """The probability of a ship on exactly these cells (a mask), where not 0."""
        if self.prior is None:
            return {mask: n / self.configurations for mask, n in self.placements.items()}
        if self.is_exact:
            return {mask: n / self.weight for mask, n in self._weights_through.items()}
        assert self._floats is not None
        weight: Counter[int] = Counter()
        for case, (total, sums) in zip(self._cases, self._floats.cases, strict=True):
            weight.update(sums)
            if total:
                weight.update(dict.fromkeys(case.sunk, total))
        return {mask: w / self._floats.total for mask, w in weight.items()}

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a row per cell: its name, `occurrence` and `probability`."""
        game, occurrence, probability = self.told.game, self.occurrence, self.probability
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
        game = self.position.game
        if self.is_exact:
            rows = [[float(p) for p in row] for row in self.frequency]
            return np.array(rows)
        cells = np.zeros(game.cells)
        for mask, p in self.placement_probability.items():
            cells[list(bits(mask))] += p
        return cells.reshape(game.rows, game.columns)

    def greedy_shots(self) -> list[Cell]:
        """Return the unshot cells most likely to hold a ship, all ties, in row-major order.

        Ties are exact if answers are (`is_exact`); else cells within the relative error are tied.
        Empty if every ship is sunk.
        """
        game, closed = self.told.game, self.told.closed
        is_exact, values = self.is_exact, self.probability.ravel().tolist()
        if is_exact:
            values = self._exact_cells
        fresh = [cell for cell in range(game.cells) if not closed >> cell & 1]
        most = max((values[cell] for cell in fresh), default=0)
        least = most if is_exact else most * (1 - 2 * self.relative_error)
        return [game.cell(cell) for cell in fresh if values[cell] and values[cell] >= least]

    @property
    def entropy(self) -> float:
        """The entropy of the posterior in bits."""
        self.require_some()
        most = log2(self.configurations)
        if self.prior is None:
            return most
        if self.is_exact:
            whole = self.weight
            logs = ((n / whole, log2(whole) - log2(n)) for n in self._listed[1])
            return min(most, sum(p * bits for p, bits in logs))
        assert self._floats is not None
        # H = log2 Z - E[log2 weight], and the weight is a product over placements.
        factors = self._floats.factors
        mean = sum(
            p * log2(factors.get(mask, 1.0)) for mask, p in self.placement_probability.items() if p
        )
        return max(0.0, min(most, log2(self._floats.total) - mean))

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
        drawn = self._sample(n, np.random.default_rng(seed))
        return drawn if masks else self._arrays(drawn)

    def _sample(self, n: int, rng: np.random.Generator) -> CellSets:
        if self.prior is not None:
            return self._ordered(self._weighted_sample(n, rng))
        counts = [count for count, _ in self._case_counts]
        if self.configurations >= 2**64:
            return self._ordered(np.array([self._large_sample(rng) for _ in range(n)], np.uint64))
        ranks = rng.integers(0, self.configurations, n, np.uint64)
        result = np.empty(self._shape(n), np.uint64)
        start = 0
        for case, count in zip(self._cases, counts, strict=True):
            here = (ranks >= start) & (ranks - np.uint64(start) < count)
            if here.any():
                drawn = self._sweep.unrank(case.constraints, ranks[here] - np.uint64(start))
                result[here] = _with_sunk(drawn, case.sunk)
            start += count
        return self._ordered(result)

    def everything(self, masks: bool = False) -> NDArray[Any]:
        """List all configurations, with a prior those that have a weight, as `sample` has them."""
        self.require_some()
        every = self._unranked() if self._is_counted else self._listed[0]
        return every if masks else self._arrays(every)

    def _unranked(self) -> CellSets:
        """List all configurations that the constraints leave."""
        parts = [
            _with_sunk(
                self._sweep.unrank(case.constraints, np.arange(count, dtype=np.uint64)), case.sunk
            )
            for case, count in zip(self._cases, self._case_numbers, strict=True)
            if count
        ]
        return self._ordered(np.concatenate([np.empty(self._shape(0), np.uint64), *parts]))

    def _arrays(self, drawn: CellSets) -> NDArray[np.uint8]:
        """Return configurations as 0 and 1 for each cell; shape (n, rows, columns)."""
        game = self.position.game
        cells = to_cells(np.bitwise_or.reduce(drawn, axis=1), game.cells)
        return cells.reshape(-1, game.rows, game.columns)

    def ships(self, drawn: CellSets) -> list[list[str]]:
        """Name the ships of each sample of `sample(…, masks=True)`: `A1-A4`, or `A1`."""
        game = self.position.game
        return [[game.ship_name(mask) for mask in ships] for ships in self._masks(drawn)]

    def boards(self, drawn: CellSets) -> list[str]:
        """Draw each sample of `sample(…, masks=True)`: `.` is water, `-` a hole, a digit a ship."""
        return [self._board(ships) for ships in self._masks(drawn)]

    def _masks(self, drawn: CellSets) -> list[list[int]]:
        """Return the ships (masks) of each sample; OptsearchError for an array of cells."""
        if drawn.dtype != np.uint64:
            raise OptsearchError(
                f"an array of {drawn.dtype} does not tell ships apart; give what "
                "sample(…, masks=True) returns"
            )
        return list(map(to_masks, drawn))

    def _board(self, ships: Sequence[int]) -> str:
        game = self.position.game
        signs = ["."] * game.cells
        for cell in bits(game.holes):
            signs[cell] = HOLE
        for sign, ship in zip(_SHIP_SIGNS, ships, strict=False):
            for cell in bits(ship):
                signs[cell] = sign
        lines = range(0, game.cells, game.columns)
        return "\n".join("".join(signs[start : start + game.columns]) for start in lines)

    def _weighted_sample(self, n: int, rng: np.random.Generator) -> CellSets:
        if self.is_exact:
            ships, weights = self._listed
            ends = list(accumulate(weights))
            return ships[[bisect_right(ends, below(ends[-1], rng)) for _ in range(n)]]
        assert self._floats is not None
        factors = self._floats.factors
        totals = np.array([total for total, _ in self._floats.cases])
        chosen = rng.choice(len(totals), size=n, p=totals / totals.sum())
        result = np.empty(self._shape(n), np.uint64)
        for i, case in enumerate(self._cases):
            here = chosen == i
            if here.any():
                total, _ = self._sweep.weigh(case.constraints, factors)
                ranks = rng.random(int(here.sum())) * total
                drawn = self._sweep.unrank(case.constraints, ranks, factors)
                result[here] = _with_sunk(drawn, case.sunk)
        return result

    def _shape(self, n: int) -> tuple[int, int, int]:
        """Return the shape of n configurations as ships."""
        game = self.position.game
        return n, len(game.fleet), game.words

    def _large_sample(self, rng: np.random.Generator) -> list[list[int]]:
        """Draw one configuration if ranks pass 64 bits: ship by ship, by exact counts.

        In a uniform configuration, a uniform one of its longest ships has the placement p with
        probability (configurations with p) / (ships of that length * configurations); given p, the
        others are uniform again.
        """
        counts = [self._sweep.count(case.constraints) for case in self._cases]
        case = self._cases[_choose(counts, rng)]
        ships = list(case.sunk)
        left = case.constraints
        while left.fleet:
            length = left.fleet[0]
            _, through = self._sweep.through(left)
            masks = [mask for kind, mask in through if kind == length]
            ship = masks[_choose([through[length, mask] for mask in masks], rng)]
            ships.append(ship)
            left = Constraints(
                left.fleet[1:],
                left.closed | ship | self.position.game.halo(ship),
                left.hits & ~ship,
                left.afloat,
                left.barred,
            )
        words: list[list[int]] = to_words(ships, self.position.game.words).tolist()
        return words

    def _ordered(self, samples: CellSets) -> CellSets:
        """Sort the ships of each sample in the order of the fleet, equal lengths by their cells."""
        if samples.size == 0:
            return samples.reshape(self._shape(len(samples)))
        game = self.position.game
        if game.has_twins:  # already in the order of the fleet, except equal ones
            places = np.array([game.fleet.index(kind) for kind in game.fleet])
            words = [samples[..., i] for i in range(samples.shape[2])]
            order = np.lexsort((*words, np.broadcast_to(places, samples.shape[:2])), axis=-1)
            return np.take_along_axis(samples, order[..., None], axis=1)
        if game.has_shapes:
            rows = (sorted(to_masks(ships), key=game.rank) for ships in samples)
            return np.array([to_words(ships, game.words) for ships in rows])
        length = np.bitwise_count(samples).sum(axis=2)
        words = [samples[..., i] for i in range(samples.shape[2])]
        order = np.lexsort((*words, -length.astype(int)), axis=-1)
        return np.take_along_axis(samples, order[..., None], axis=1)


def _with_sunk(drawn: CellSets, sunk: tuple[int, ...]) -> CellSets:
    words = drawn.shape[2]
    repeated = np.broadcast_to(to_words(sunk, words), (len(drawn), len(sunk), words))
    return np.concatenate([repeated, drawn], axis=1)


def below(total: int, rng: np.random.Generator) -> int:
    """Draw an integer of any size from 0 to total - 1, uniformly."""
    size = (total.bit_length() + 7) // 8
    mask = (1 << total.bit_length()) - 1
    while True:
        draw = int.from_bytes(rng.bytes(size), "little") & mask
        if draw < total:
            return draw


def _choose(counts: list[int], rng: np.random.Generator) -> int:
    """Draw an index with probability exactly proportional to its count."""
    total = sum(counts)
    if total == 0:
        raise TooLarge("nothing to choose from")
    draw = below(total, rng)
    for i, count in enumerate(counts):
        if draw < count:
            return i
        draw -= count
    raise AssertionError("the counts do not add up")


def cases(position: Position | NoisyPosition) -> Iterator[SunkAssignment]:
    """Yield each way in which the sunk ships can lie; each configuration belongs to one.

    If every hit has a label, there is at most one case: ships with another label on a hit are
    barred, and ships whose place the label of a hit determines count as sunk. With lies, each way
    to make few enough replies false is a case.
    """
    game = position.game
    if isinstance(position, NoisyPosition):
        for ships, water in position.readings():
            yield SunkAssignment((), Constraints(game.fleet, water, ships))
        return
    hits = 0
    sinkings: list[tuple[int, int | None, int]] = []  # cell, kind if told, hits up to then
    barred: frozenset[Ship] = frozenset()
    shown: frozenset[Ship] = frozenset()
    for shot in position.shots:
        bit, label = game.bit(shot.cell), shot.reply.length
        if shot.reply.hit:
            hits |= bit
        if shot.reply.sunk:
            assert not isinstance(label, str)
            sinkings.append((bit, label, hits))
        elif shot.reply.hit and game.has_labels:
            index = bit.bit_length() - 1
            barred |= game.label_table.others(label, index)
            tellers = game.label_table.tellers(label, index)
            shown |= tellers if len(tellers) == 1 and not game.has_twins else frozenset()
    sinkings += ((ship & -ship, kind, ship) for kind, ship in sorted(shown, key=itemgetter(1)))

    def place(i: int, sunk: tuple[int, ...], closed: int) -> Iterator[tuple[int, ...]]:
        if i == len(sinkings):
            yield sunk
            return
        cell, told, known = sinkings[i]
        left = Counter(game.fleet) - Counter(map(game.kind_of, sunk))
        for length in sorted(left) if told is None else [told]:
            if not left[length]:
                continue
            for ship in game.placements(length):
                is_sunk_now = ship & cell and not ship & ~known
                halo = game.halo(ship)
                is_free = not ship & closed and not halo & hits and (length, ship) not in barred
                if is_sunk_now and is_free:
                    yield from place(i + 1, (*sunk, ship), closed | ship | halo)

    for sunk in place(0, (), position.misses):
        fleet = Counter(game.fleet) - Counter(map(game.kind_of, sunk))
        closed = position.misses
        covered = 0
        for ship in sunk:
            closed |= ship | game.halo(ship)
            covered |= ship
        yield SunkAssignment(
            sunk,
            Constraints(
                tuple(sorted(fleet.elements(), reverse=True)),
                closed,
                hits & ~covered,
                afloat=game.tells_sinkings,
                barred=barred,
            ),
        )
