"""What the shots so far say about where the ships are, exactly.

    Posterior(position).probability

Counts come from the way that `optsearch.counting.engines` chooses, so that no configuration is
listed: a full 10x10 board takes some tens of milliseconds. Where sinkings are announced, every way
in which the sunk ships can lie is enumerated, and the order of the shots counts: the ship that a
shot sinks lies on that cell and on cells hit before it, and no ship that was not announced lies
wholly on hits.
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

MOST_LISTED = 2_000_000  # configurations, where each has a weight of its own
FLOOR = 2.0**-100  # probabilities from here up have the relative error that is promised
_SHIP_SIGNS = (digits + ascii_letters)[1:] + "#" * 128  # more ships than signs look alike


@dataclass(frozen=True)
class SunkAssignment:
    """One way in which the sunk ships can lie, and what it leaves to be placed."""

    sunk: tuple[int, ...]
    constraints: Constraints


@dataclass(frozen=True)
class _Floats:
    """Sums by weights of placements, which no factor has above 1.

    factors -- of each placement. cases -- of each case the total and the sums of the placements.
    """

    factors: dict[int, float]
    cases: list[tuple[float, dict[int, float]]]

    @property
    def total(self) -> float:
        """The weight of all configurations."""
        return sum(total for total, _ in self.cases)


class Posterior:
    """The configurations compatible with a position, uniform or weighted.

    position -- or a game, or its text. After replies that may be false
        (`NoisyPosition`) `position` has those that leave no doubt, and `told` has all of them; the
        others are weights of cells, or of lies the ways in which some are false are counted one by
        one.
    shots -- that were made from there on, as in `A2=hit B3=miss`.
    prior -- the weights of the configurations (`optsearch.counting.prior`), for an opponent who
        likes some better. What has no weight does not exist. Where they are products over ships the
        transfer matrix multiplies them, and answers are in floating point; else all configurations
        are listed, and answers are exact.
    progress -- called while a long count runs, as on a board too large for that table.

    Raises TooLarge for a game with too many states, NotSupported for a rule of announcement that it
    does not know, PositionError for a prior of another game. An impossible position has no
    configuration; everything else that is asked of it raises ImpossiblePosition, which names the
    shot that made it impossible.
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
        """The board with the probability of a ship in percent on each cell that is not known."""
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
        """The position whose configurations are counted: of lies with all replies."""
        return self.told if are_lies(self.told) else self.position

    @cached_property
    def _cases(self) -> list[SunkAssignment]:
        """The cases, without the ships that no configuration of any weight has."""
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

    # Counts

    def _of_cases(self, question: Callable[[Constraints, Progress[Status]], T]) -> Iterator[T]:
        """Yield the answer to a question for each case, and report the share that is done."""
        report = meter(self._progress, len(self._cases))
        for number, case in enumerate(self._cases):

            def report_case(status: Status, number: int = number) -> None:
                report(number + status.share)

            yield question(case.constraints, report_case)

    @property
    def _is_counted(self) -> bool:
        """Whether constraints say which configurations have a weight, so that none is listed."""
        return self.prior is None or self.prior.placements is not None

    @cached_property
    def configurations(self) -> int:
        """How many configurations there are, exactly; by a prior, those that have a weight.

        Raises TooLarge for a prior that weighs more than can be listed one by one.
        """
        return self._candidates if self._is_counted else len(self._listed[1])

    @cached_property
    def _candidates(self) -> int:
        """How many configurations the constraints leave, whatever their number."""
        return sum(self._case_numbers)

    @cached_property
    def _case_numbers(self) -> list[int]:
        return list(self._of_cases(self._sweep.count))

    @property
    def is_possible(self) -> bool:
        """Whether there is a configuration; counted no further than to the first case with one."""
        if self.prior is not None and self.prior.rows is not None:
            return any(self._rows())
        if not self._is_counted:
            return bool(self.configurations)
        return any(self._sweep.count(case.constraints) for case in self._cases)

    def require_some(self) -> None:
        """Raise ImpossiblePosition when no configuration is left, naming the shot to blame."""
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
        """How many configurations have each ship, a kind and a mask of its cells, where any has."""
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
        """How many configurations have each placement (mask of a ship's cells), where any has."""
        through: Counter[int] = Counter()
        for (_, ship), count in self.by_kind.items():
            through[ship] += count
        return dict(through)

    @cached_property
    def occurrence(self) -> NDArray[np.int64] | NDArray[np.object_]:
        """How many configurations have a ship on each cell; shape (rows, columns).

        int64, or Python integers (dtype object) where they may pass 63 bits. By a prior all that
        have a weight count alike: see `probability`.
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
        """The probability of a ship on each cell, as exact fractions.

        Without a prior, or by one that is no product over ships; else NotSupported.
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
        """The number of the configurations, or what they weigh; TooLarge if these are too many."""
        return self.configurations if self.prior is None else sum(self._listed[1])

    @cached_property
    def _exact_cells(self) -> list[int]:
        """For each cell, the number or the weight of the configurations with a ship on it."""
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
        """All configurations that have a weight, as ships (see `sample`), and their weights.

        TooLarge if more than `most` have to be listed for that.
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
        """Yield the configurations of the rows of the prior that the shots leave."""
        assert self.prior is not None
        game, told = self.position.game, self.told
        fits = told.likelihood if isinstance(told, NoisyPosition) else told.is_compatible
        for row in self.prior.rows or ():
            ships = in_order(row, game)
            if fits(ships) and not objection(game, ships):
                yield ships

    @cached_property
    def _floats(self) -> _Floats | None:
        """The sums by weights of placements; None where floats cannot hold what the shots leave."""
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
        """The weights of placements as floats, 1 the greatest of each length."""
        kind_of = self.position.game.kind_of
        most: dict[int, int] = {}
        for mask, weight in weights.items():
            most[kind_of(mask)] = max(weight, most.get(kind_of(mask), 1))
        return {mask: weight / most[kind_of(mask)] for mask, weight in weights.items()}

    def _summed(self, factors: dict[int, float]) -> _Floats:
        """The weight in each case, and that of each placement."""
        cases = []
        for case in self._cases:
            factor = float(np.prod([factors.get(mask, 1.0) for mask in case.sunk]))
            total, sums = self._sweep.weigh(case.constraints, factors)
            cases.append((factor * total, {mask: factor * w for mask, w in sums.items()}))
        return _Floats(factors, cases)

    def _is_held(self, found: _Floats) -> bool:
        """Whether what underflows is too little to matter, and nothing overflows.

        No factor is above 1. So each of the R roundings of a sum loses at most 2^-1075 to
        underflow in each of the n configurations, and a probability at most 4 R n 2^-1075 / total:
        here less than 2^-52 of FLOOR.
        """
        n = self.configurations
        return n < 2**1000 and (self._roundings + 1) * n <= found.total * 2.0**900

    @property
    def _roundings(self) -> int:
        return self._sweep.roundings * len(self._cases)

    @property
    def relative_error(self) -> float:
        """A bound on the relative error of the probabilities: 2^-52 for each rounding there can be.

        All terms are positive, so roundings add up and nothing cancels. The error met in practice
        is about the square root of this bound's number of roundings. A probability below FLOOR is
        off by at most the bound times FLOOR.
        """
        return 2.0**-52 * (1 if self.is_exact else self._roundings + 1)

    @property
    def is_exact(self) -> bool:
        """Whether answers are exact; else the transfer matrix multiplies weights as floats.

        Weights of placements too far apart for floats are exact too: the configurations are listed.
        """
        return self.prior is None or self._floats is None

    @cached_property
    def _weights_through(self) -> dict[int, int]:
        """The weight of the listed configurations that have each placement."""
        return self._listed_through(self._listed[1])

    def _listed_through(self, numbers: Sequence[int]) -> dict[int, int]:
        """The sums of a number of each listed configuration over those with each placement."""
        through: Counter[int] = Counter()
        ships, _ = self._listed
        for i in range(ships.shape[1]):
            for mask, number in zip(to_masks(ships[:, i]), numbers, strict=True):
                through[mask] += number
        return dict(through)

    @cached_property
    def placement_probability(self) -> dict[int, float]:
        """The probability that a ship lies exactly on these cells (mask), where there is any."""
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
        """A row a cell, with its name, `occurrence` and `probability`."""
        game, occurrence, probability = self.told.game, self.occurrence, self.probability
        return [
            {
                "cell": cell_name(cell),
                "occurrence": int(occurrence[cell]),
                "probability": float(probability[cell]),
            }
            for cell in game.cells_of((1 << game.cells) - 1 & ~game.holes)
        ]

    # What a player asks

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
        """The cells not shot yet that most probably hold a ship, all ties, in row-major order.

        Ties are exact without a prior; with one, cells within the relative error are tied. None
        when every ship is sunk.
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
        """The entropy of the posterior in bits: what is still unknown of the configuration."""
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
        """Independent configurations drawn from the posterior; uint8 of shape (n, rows, columns).

        A cell is 1 if it has a ship, and 0 if not. Without a prior the draw is exactly uniform: a
        random rank, drawn without bias, is turned into its configuration.

        n -- how many.
        seed -- or a generator; without one each call draws others.
        masks -- each ship by itself, as a cell set: uint64 of shape (n, ships, words). A word has
            64 bits, the low ones first; boards of at most 128 cells have two. Ships are in the
            order of the fleet, equal lengths by ascending cell set.
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
        """All configurations, by a prior those that have a weight, as `sample` has them."""
        self.require_some()
        every = self._unranked() if self._is_counted else self._listed[0]
        return every if masks else self._arrays(every)

    def _unranked(self) -> CellSets:
        """All configurations that the constraints leave."""
        parts = [
            _with_sunk(
                self._sweep.unrank(case.constraints, np.arange(count, dtype=np.uint64)), case.sunk
            )
            for case, count in zip(self._cases, self._case_numbers, strict=True)
            if count
        ]
        return self._ordered(np.concatenate([np.empty(self._shape(0), np.uint64), *parts]))

    def _arrays(self, drawn: CellSets) -> NDArray[np.uint8]:
        """Configurations as 0 and 1 for each cell; shape (n, rows, columns)."""
        game = self.position.game
        cells = to_cells(np.bitwise_or.reduce(drawn, axis=1), game.cells)
        return cells.reshape(-1, game.rows, game.columns)

    def ships(self, drawn: CellSets) -> list[list[str]]:
        """What `sample(…, masks=True)` returned, as the names of the ships: `A1-A4`, or `A1`."""
        game = self.position.game
        return [[game.ship_name(mask) for mask in ships] for ships in self._masks(drawn)]

    def boards(self, drawn: CellSets) -> list[str]:
        """What `sample(…, masks=True)` returned as boards: `.` water, `-` a hole, digits ships."""
        return [self._board(ships) for ships in self._masks(drawn)]

    def _masks(self, drawn: CellSets) -> list[list[int]]:
        """The ships of each configuration; OptsearchError for what does not tell them apart."""
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
        """The shape of an array of configurations as ships."""
        game = self.position.game
        return n, len(game.fleet), game.words

    def _large_sample(self, rng: np.random.Generator) -> list[list[int]]:
        """One configuration where they are too many to rank: ship by ship, by exact counts.

        A configuration chosen uniformly, and in it one of its longest ships, has the placement p
        with probability (configurations with p) / (ships of that length * configurations); given
        p, the others are uniform again.
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
        """The ships of each sample in the order of the fleet, equal lengths by their cells."""
        if samples.size == 0:
            return samples.reshape(self._shape(len(samples)))
        game = self.position.game
        if game.has_twins:  # in the order of the fleet but for equal ones
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
    """An integer from 0 to total - 1, each as likely as any other."""
    size = (total.bit_length() + 7) // 8
    mask = (1 << total.bit_length()) - 1
    while True:
        draw = int.from_bytes(rng.bytes(size), "little") & mask
        if draw < total:
            return draw


def _choose(counts: list[int], rng: np.random.Generator) -> int:
    """An index with probability in proportion to its count, exactly."""
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
    """Every way in which the sunk ships can lie, with what remains to be placed.

    Each configuration belongs to one case: a shot that sinks names the ship on its cell. Where
    every hit has its label there is one case at most; only ships that can lie in one way by the
    label of a hit count as sunk, and ships that tell another label on a hit are barred. Of lies
    every way to make few enough replies false is a case.
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
