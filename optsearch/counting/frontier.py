"""Counts of configurations on boards of any shape, by a sweep over cells.

The kernel `cython_ext/counting/_frontier.pyx` explains the sweep. It needs the number of cells, the
holes, the fleet, the placements of each kind of ship, and the halo of each, but no rows or columns.
Halos must be symmetric: if a placement closes a cell of another one, that one closes a cell of the
first.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, prod
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled.counting._frontier import Frontier
from optsearch.counting.configurations import CellSets, to_words
from optsearch.counting.constraints import Constraints, Ranks, Ship, is_admitted, sort_by_fleet
from optsearch.counting.remainders import combine_residues, moduli_above
from optsearch.game import Game, Permutation, bits, image
from optsearch.support.decimals import time_text
from optsearch.support.errors import TooLarge
from optsearch.support.progress import Progress, Status, meter, no_progress

MAX_BYTES = 4 << 30  # of the layers of a query
OF_A_MASK, OF_A_FLEET = 48, 8  # bytes of a layer, as in the kernel
GROWN = 200_000  # masks of a layer from which on those to come are estimated, up to 2.5 times too
SAFE = 4  # many; so the sweep is refused if it seems to need this many times the memory
WINDOW = 128  # cells of a mask
_MASK = (1 << WINDOW) - 1
_FITS = "Fewer, shorter or more equal ships, or a narrower board, would fit"


class _Placed(NamedTuple):
    """A placement in an order of the cells; `needs` and `closes` are relative to its first cell."""

    first: int
    kind: int
    needs: int
    closes: int
    mask: int


class _Order:
    """The placements of a game, sorted as a sweep of the cells in one order meets them.

    position -- of each cell in that order.
    """

    def __init__(self, game: Game, position: Permutation):
        self.position = position
        placed = []
        for kind in sorted(set(game.fleet), key=lambda kind: (-int(kind), str(kind))):
            for ship in game.placements(kind):
                needed = image(ship, position)
                closed = needed | image(game.halo(ship), position)
                first = (needed & -needed).bit_length() - 1  # the lowest cell of the ship
                placed.append(_Placed(first, kind, needed >> first, closed >> first, ship))
        placed.sort(key=attrgetter("first"))
        self.first = np.array([placement.first for placement in placed], np.int64)
        self.kinds = [placement.kind for placement in placed]
        self.needs = [placement.needs for placement in placed]
        self.closes = [placement.closes for placement in placed]
        self.masks = [placement.mask for placement in placed]
        self.ends = self.first + np.array([closes.bit_length() for closes in self.closes], int)
        self.window = max((closes.bit_length() for closes in self.closes), default=0)
        words = -(-game.cells // 64)
        self.words = to_words(self.masks, words)
        self.halos = to_words([game.halo(ship) for ship in self.masks], words)

    def allowed(self, constraints: Constraints, holes: int) -> NDArray[np.intp]:
        """Return the numbers of the placements that the constraints and the holes admit."""
        ships = zip(self.kinds, self.masks, strict=True)
        return np.flatnonzero(is_admitted(constraints, holes, self.words, self.halos, ships))

    @cached_property
    def width(self) -> tuple[int, int]:
        """The most cells that a mask of a sweep can have, and their sum over all steps.

        A cell counts while a placement met before may have closed it and a later one may need it.
        """
        cells = len(self.position)
        closed_from, needed_to = [cells] * cells, [0] * cells
        for first, needs, closes in zip(self.first.tolist(), self.needs, self.closes, strict=True):
            for cell in bits(closes):
                closed_from[first + cell] = min(closed_from[first + cell], first)
            for cell in bits(needs):
                needed_to[first + cell] = max(needed_to[first + cell], first)
        change = np.zeros(cells + 2, np.int64)
        for cell, (start, end) in enumerate(zip(closed_from, needed_to, strict=True)):
            if start < min(cell, end):
                change[start + 1] += 1
                change[min(cell, end) + 1] -= 1
        widths = np.cumsum(change)
        return int(widths.max()), int(widths.sum())


def _orders(game: Game) -> Iterable[Permutation]:
    """Yield orders of the cells, each as the places of the cells in it.

    The first is by number. There is one more for each divisor n of the number of cells: it lays the
    cells out by number in rows of n, and takes them column by column.
    """
    cells = game.cells
    yield tuple(range(cells))
    for n in range(2, cells):
        if cells % n == 0:
            yield tuple(cell % n * (cells // n) + cell // n for cell in range(cells))


def _fold(position: Permutation) -> Iterable[Permutation]:
    """Yield, for each divisor n, the order whose parts of n cells alternate between both ends.

    If the last part touches the first, as on a torus, ships reach less far ahead in this order.
    """
    cells = len(position)
    for n in range(1, cells):
        if cells % n == 0:
            parts = cells // n
            place = [2 * i if 2 * i < parts else 2 * (parts - i) - 1 for i in range(parts)]
            yield tuple(n * place[cell // n] + cell % n for cell in position)


class Tables(NamedTuple):
    """The board and the constraints as the kernel takes them, and explains them (`Frontier`)."""

    starts: NDArray[np.int32]
    needs: NDArray[np.uint64]
    closes: NDArray[np.uint64]
    kinds: NDArray[np.int32]
    counts: list[int]
    relevant: NDArray[np.uint64]
    due: NDArray[np.uint64]
    hit: NDArray[np.uint8]
    alive: NDArray[np.uint64]


def _cells_ahead(
    order: _Order, placed: NDArray[np.intp], starts: NDArray[np.int32], hits: int
) -> list[tuple[int, int, int]] | None:
    """Return three sets of cells from each cell on, and after the last; bit 0 is the cell itself.

    They are the cells of the placements that begin there or later; these and the hits, within the
    window; and the hits that none of these placements covers, so that earlier ones must. None if
    one of the last is beyond the window.
    """
    sets = [(0, 0, 0)]
    needed = 0
    for k in range(len(starts) - 2, -1, -1):
        needed <<= 1
        for i in placed[starts[k] : starts[k + 1]].tolist():
            needed |= order.needs[i]
        uncovered = hits >> k & ~needed
        if uncovered > _MASK:
            return None
        sets.append((needed, (needed | hits >> k) & _MASK, uncovered))
    return sets[::-1]


@dataclass(frozen=True)
class _Query:
    """A kernel set to some constraints; `placed` are the numbers of its placements in the order.

    bound -- an upper bound on the number of configurations. mask_bounds -- upper bounds on the
    masks before each cell. hits_end -- the place after the last hit in the order.
    """

    kernel: Frontier
    order: _Order
    placed: NDArray[np.intp]
    bound: int
    mask_bounds: NDArray[np.float64]
    hits_end: int

    def masks(self) -> list[int]:
        """Return the placements (masks) of the kernel."""
        return [self.order.masks[i] for i in self.placed.tolist()]

    def kinds(self) -> list[int]:
        """Return the kinds of the placements of the kernel."""
        return [self.order.kinds[i] for i in self.placed.tolist()]


class FrontierSweep:
    """Queries on the configurations of a game, by sweeps over its cells.

    Raises TooLarge if ships reach too far ahead in the best of some orders of the cells, and for a
    query whose layers would need more than `max_bytes`. One thread queries at a time; others wait.
    """

    def __init__(self, game: Game, max_bytes: int = MAX_BYTES):
        self.game = game
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        orders = [_Order(game, position) for position in _orders(game)]
        narrow = [order for order in orders if order.window <= WINDOW]
        if not narrow and any(game.board.seams):
            orders += [_Order(game, folded) for o in orders for folded in _fold(o.position)]
            narrow = [order for order in orders if order.window <= WINDOW]
        if not narrow:
            reach = min(order.window for order in orders)
            raise TooLarge(
                f"a ship of {game} closes cells up to {reach - 1} ahead in the sweep of its cells; "
                f"at most {WINDOW - 1} are handled: shorter ships or a narrower board would fit"
            )
        best = min(narrow, key=lambda order: order.width)
        back = _Order(game, tuple(game.cells - 1 - place for place in best.position))
        self._both = [best, back] if back.window <= WINDOW else [best]
        self._kept: tuple[Constraints, _Query] | None = None  # the last, if it has all layers
        self._states = self._roundings = 0

    @property
    def states(self) -> int:
        """The number of masks in the largest query so far."""
        return self._states

    @property
    def roundings(self) -> int:
        """A bound on the roundings in a number of `weigh`, of all queries so far.

        Each transition adds to sums of the forward and of the backward pass, and multiplies; their
        products are added up for each placement.
        """
        return self._roundings

    # Queries

    def _order(self, constraints: Constraints) -> _Order:
        """Return the order that meets hits and closed cells early, when few masks are reached."""
        cells = [*bits(constraints.closed), *(3 * list(bits(constraints.hits)))]
        return min(self._both, key=lambda order: sum(order.position[cell] for cell in cells))

    def estimate(self, constraints: Constraints) -> tuple[float, float]:
        """Estimate the masks that a query meets, and count the ways to choose placements."""
        order = self._order(constraints)
        numbers = order.allowed(constraints, self.game.holes)
        masks, choices = self._bounds(order, numbers, constraints)
        return float(masks.sum()), choices

    def _bounds(
        self, order: _Order, numbers: NDArray[np.intp], constraints: Constraints
    ) -> tuple[NDArray[np.float64], float]:
        """Bound the masks before each cell, and count the ways to choose placements.

        The masks at a cell are at most the choices among the placements that begin before it and
        close it or a later cell.
        """
        ships = Counter(constraints.fleet)
        cells = self.game.cells + 1
        masks, choices = np.ones(cells), 1.0
        for kind, count in ships.items():
            of_kind = [i for i in numbers.tolist() if order.kinds[i] == kind]
            change = np.bincount(order.first[of_kind] + 1, minlength=cells)
            change -= np.bincount(order.ends[of_kind], minlength=cells)
            begun = np.cumsum(change).tolist()
            masks *= [sum(comb(n, i) for i in range(count + 1)) for n in begun]
            choices *= comb(len(of_kind), count)
        return masks, choices

    def _query(self, constraints: Constraints) -> _Query | None:
        """Return the kernel for some constraints; None if clearly no configuration is left."""
        order, game = self._order(constraints), self.game
        ships = Counter(constraints.fleet)
        numbers = order.allowed(constraints, game.holes)
        placed = np.array([i for i in numbers.tolist() if order.kinds[i] in ships], np.intp)
        kinds = sorted(ships, key=int)  # the longest in the highest digits, which many masks imply
        counts = [ships[kind] for kind in kinds]
        number_of = {kind: number for number, kind in enumerate(kinds)}
        kind = np.array([number_of[order.kinds[i]] for i in placed.tolist()], np.int32)
        places = np.bincount(kind, minlength=len(kinds)).tolist()
        bound = prod(comb(n, count) for n, count in zip(places, counts, strict=True))
        if bound == 0:
            return None
        starts = np.searchsorted(order.first[placed], np.arange(game.cells + 1)).astype(np.int32)
        hits = image(constraints.hits, order.position)
        cells_ahead = _cells_ahead(order, placed, starts, hits)
        if cells_ahead is None:
            return None
        ahead = np.array(
            [np.bincount(kind[starts[k] :], minlength=len(kinds)) for k in range(game.cells + 1)]
        )
        room = np.array([needed.bit_count() for needed, _, _ in cells_ahead])
        tables = Tables(
            starts,
            needs=to_words([order.needs[i] for i in placed.tolist()]),
            closes=to_words([order.closes[i] for i in placed.tolist()]),
            kinds=kind,
            counts=counts,
            relevant=to_words([relevant for _, relevant, _ in cells_ahead]),
            due=to_words([due for _, _, due in cells_ahead]),
            hit=np.array([hits >> k & 1 for k in range(game.cells)], np.uint8),
            alive=_completable(kinds, counts, ahead, room),
        )
        kernel = Frontier(tables, self._max_bytes)
        mask_bounds, _ = self._bounds(order, numbers, constraints)
        return _Query(kernel, order, placed, bound, mask_bounds, hits.bit_length())

    def _watch(
        self, query: _Query, progress: Progress[Status], passes: int, has_way_back: bool = False
    ) -> Callable[[int], None]:
        """Return the function that the kernel calls after each cell of some passes.

        It reports the share of the masks, as they are bounded. If the first layers grow so fast
        that those to come will not fit, it raises TooLarge.
        """
        kernel, mask_bounds, cells = query.kernel, query.mask_bounds, self.game.cells
        masks_before = np.cumsum(mask_bounds)
        report = meter(progress, float(masks_before[-1]) * passes)
        started, calls, before = time.monotonic(), 0, 0

        def watch(swept: int) -> None:
            nonlocal calls, before
            number, calls = calls // cells, calls + 1
            is_back = has_way_back and number % 2
            share = (
                masks_before[-1] - masks_before[cells - swept] if is_back else masks_before[swept]
            )
            report(float(min(number, passes - 1) * masks_before[-1] + share))
            if number:
                return
            masks, before = kernel.states - before, kernel.states
            # A hit to come would leave fewer masks than those before it let expect.
            if masks >= GROWN and query.hits_end <= swept <= mask_bounds.argmax():
                met = masks / mask_bounds[swept]
                size = 2 * met * mask_bounds.max() * (OF_A_MASK + OF_A_FLEET * kernel.stride)
                if size > SAFE * self._max_bytes:
                    seconds = (time.monotonic() - started) * met * masks_before[-1] / kernel.states
                    raise TooLarge(
                        f"by the growth of its first layers the sweep over the cells of "
                        f"{self.game} would need up to {size / 2**30:,.0f} GiB and "
                        f"{time_text(seconds * passes)}; the limit is "
                        f"{self._max_bytes / 2**30:.2g} GiB. {_FITS}"
                    )

        return watch

    def _run(self, query: _Query, constraints: Constraints, work: Callable[[], None]) -> None:
        """Run a kernel, and note its states and roundings; TooLarge if it needs too much memory."""
        kernel = query.kernel
        try:
            work()
        except MemoryError:
            raise TooLarge(
                f"the sweep over the cells of {self.game} needs more than "
                f"{self._max_bytes / 2**30:.2g} GiB (it passed {kernel.states:,} masks of closed "
                f"cells, {kernel.widest:,} of them at one cell, each with a number for the "
                f"{_count_fleets(constraints):,} fleets that can be placed). {_FITS}"
            ) from None
        self._states = max(self._states, kernel.states)
        # A transition adds in the forward and in the backward pass, and multiplies: 3 roundings.
        self._roundings = max(self._roundings, 3 * kernel.transitions + 3 * self.game.cells)

    def count(self, constraints: Constraints, progress: Progress[Status] = no_progress) -> int:
        """Count the configurations. progress -- called after each cell."""
        if not constraints.fleet:
            return int(constraints.hits == 0)
        with self._lock:
            query = self._query(constraints)
            if query is None:
                return 0
            moduli = moduli_above(query.bound)
            residues: list[int] = []
            watch = self._watch(query, progress, len(moduli))

            def work() -> None:
                for modulus in moduli:
                    residues.append(query.kernel.count(modulus % 2**64, watch))

            self._run(query, constraints, work)
            return combine_residues(residues, moduli)

    def count_by_placement(
        self, constraints: Constraints, progress: Progress[Status] = no_progress
    ) -> tuple[int, dict[Ship, int]]:
        """Count the configurations, and those with each ship (kind and mask) if any has it."""
        if not constraints.fleet:
            return int(constraints.hits == 0), {}
        with self._lock:
            query = self._query(constraints)
            if query is None:
                return 0, {}
            moduli = moduli_above(query.bound)
            results: list[tuple[int, NDArray[np.uint64]]] = []
            watch = self._watch(query, progress, 2 * len(moduli), has_way_back=True)

            def work() -> None:
                for modulus in moduli:
                    results.append(query.kernel.count_by_placement(modulus % 2**64, watch))

            self._run(query, constraints, work)
        total = combine_residues([count for count, _ in results], moduli)
        columns = [counts.tolist() for _, counts in results]
        ships = zip(query.kinds(), query.masks(), strict=True)
        return total, {
            ship: combine_residues(residues, moduli)
            for ship, *residues in zip(ships, *columns, strict=True)
            if any(residues)
        }

    def weigh(
        self, constraints: Constraints, weights: Mapping[int, float]
    ) -> tuple[float, dict[int, float]]:
        """Add up the weights of the configurations, and of those with each placement.

        The weight of a configuration is the product of those of its placements (mask -> weight, 1
        if absent).
        """
        if not constraints.fleet:
            return float(constraints.hits == 0), {}
        with self._lock:
            query = self._query(constraints)
            if query is None:
                return 0.0, {}
            masks = query.masks()
            factors = np.array([weights.get(mask, 1.0) for mask in masks], np.float64)
            results: list[tuple[float, NDArray[np.float64]]] = []
            self._run(query, constraints, lambda: results.append(query.kernel.weigh(factors)))
        ((total, sums),) = results
        totals: dict[int, float] = {}
        for mask, weight in zip(masks, sums.tolist(), strict=True):
            if weight:
                totals[mask] = totals.get(mask, 0.0) + weight
        return total, totals

    def unrank(
        self,
        constraints: Constraints,
        ranks: Ranks,
        weights: Mapping[int, float] | None = None,
    ) -> CellSets:
        """Return the configurations with some ranks: uint64 words of shape (n, ships, words).

        ranks -- below the number of configurations, which must be less than 2^64; with weights,
        below their total weight. The layers of the last constraints without weights stay in memory.
        """
        ships, words = len(constraints.fleet), max(2, -(-self.game.cells // 64))
        if not ships or not len(ranks):
            return np.empty((len(ranks), ships, words), np.uint64)
        with self._lock:
            placed: list[NDArray[np.int32]] = []
            if weights is None and self._kept is not None and self._kept[0] == constraints:
                query: _Query | None = self._kept[1]
                has_layers = True
            else:
                self._kept = None
                query, has_layers = self._query(constraints), False
            assert query is not None, "there is no configuration to rank"
            kernel = query.kernel

            def work() -> None:
                if weights is None:
                    if not has_layers:
                        kernel.keep()
                    placed.append(kernel.unrank(ranks.copy(), ships))
                else:
                    factors = np.array(
                        [weights.get(mask, 1.0) for mask in query.masks()], np.float64
                    )
                    kernel.weigh(factors, only_total=True)
                    placed.append(kernel.unrank(ranks.copy(), ships, factors))

            self._run(query, constraints, work)
            if weights is None and kernel.is_whole:
                self._kept = constraints, query
        sets = to_words(query.masks(), words)
        places = [constraints.fleet.index(query.order.kinds[i]) for i in query.placed.tolist()]
        return np.asarray(sets[sort_by_fleet(placed[0].astype(np.intp), np.array(places))])


def _count_fleets(constraints: Constraints) -> int:
    """Count the fleets that can be placed on the way to all ships."""
    return prod(count + 1 for count in Counter(constraints.fleet).values())


def _completable(
    kinds: Sequence[int], counts: Sequence[int], ahead: NDArray[np.int64], room: NDArray[np.int64]
) -> NDArray[np.uint64]:
    """Return the fleets placed before each cell that may be completed; bits, (cells + 1, words).

    ahead -- for each cell and kind, the number of placements from there on; room -- the number of
    cells that they need. Each kind needs a placement per ship left, and all need room.
    """
    fleets = prod(count + 1 for count in counts)
    fleet = np.arange(fleets)
    ships_left, cells_left, weight = [], np.zeros(fleets, np.int64), 1
    for kind, count in zip(kinds, counts, strict=True):
        ships_left.append(count - fleet // weight % (count + 1))
        cells_left += int(kind) * ships_left[-1]
        weight *= count + 1
    is_completable = cells_left <= room[:, None]
    for number, ships in enumerate(ships_left):
        is_completable &= ships <= ahead[:, number, None]
    is_completable = np.pad(is_completable, ((0, 0), (0, -fleets % 64)))
    return np.packbits(is_completable, axis=1, bitorder="little").view(np.uint64)
