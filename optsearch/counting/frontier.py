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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import comb, prod
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled.counting._frontier import Frontier
from optsearch.counting.configurations import CellSets, to_words
from optsearch.counting.constraints import Constraints, Ranks, Ship, are_admitted, sort_by_fleet
from optsearch.counting.remainders import combine_residues, moduli_above
from optsearch.game import Game, Permutation, bits, image
from optsearch.support.decimals import time_text
from optsearch.support.errors import TooLarge
from optsearch.support.progress import Progress, Status, meter, no_progress

MAX_BYTES = 4 << 30  # of the layers of a query
BYTES_PER_MASK, BYTES_PER_FLEET = 48, 8  # bytes of a layer, as in the kernel
MASKS_BEFORE_FORECAST = 200_000  # of a layer: from there those to come are estimated
# The estimates are up to 2.5 times too many; so the sweep is refused if it seems to need this
# many times the memory.
SAFETY_FACTOR = 4
WINDOW = 128  # cells of a mask
_WINDOW_MASK = (1 << WINDOW) - 1
_WHAT_FITS = "Fewer, shorter or more equal ships, or a narrower board, would fit"


class _Placed(NamedTuple):
    """A placement (`mask`) of a kind, as a sweep in one order of the cells meets it.

    first -- the position of its first cell in the order. needs -- its cells. closes -- its cells
    and their halo. Both are masks, in which bit i is the cell at position first + i.
    """

    first: int
    kind: int
    needs: int
    closes: int
    mask: int


class _Order:
    """The placements of a game, sorted by the first cell of each in one order of the cells.

    position -- the position of each cell in that order.
    """

    def __init__(self, game: Game, position: Permutation):
        self.position = position
        placed = []
        for kind in sorted(set(game.fleet), key=lambda kind: (-int(kind), str(kind))):
            for ship in game.placements(kind):
                needed = image(ship, position)
                closed = needed | image(game.halo(ship), position)
                first = (needed & -needed).bit_length() - 1  # the lowest bit of the ship
                placed.append(_Placed(first, kind, needed >> first, closed >> first, ship))
        placed.sort(key=attrgetter("first"))
        self.starts = np.array([placement.first for placement in placed], np.int64)
        self.kinds = [placement.kind for placement in placed]
        self.needs = [placement.needs for placement in placed]
        self.closes = [placement.closes for placement in placed]
        self.masks = [placement.mask for placement in placed]
        # One after the last position that a placement closes, and the most cells that one spans.
        self.ends = self.starts + np.array([closes.bit_length() for closes in self.closes], int)
        self.widest_span = max((closes.bit_length() for closes in self.closes), default=0)
        words = -(-game.cells // 64)  # rounded up
        self.cells = to_words(self.masks, words)
        self.halos = to_words([game.halo(ship) for ship in self.masks], words)

    def list_allowed(self, constraints: Constraints, holes: int) -> NDArray[np.intp]:
        """Return the indices of the placements that the constraints and the holes (mask) admit."""
        ships = zip(self.kinds, self.masks, strict=True)
        return np.flatnonzero(
            are_admitted(ships, self.cells, self.halos, constraints=constraints, holes=holes)
        )

    @cached_property
    def width(self) -> tuple[int, int]:
        """The most cells that a state of the sweep can have, and the sum over all steps.

        The state of the sweep is the mask of the cells to come that ships have closed. A cell can
        be in it from the first placement that closes the cell to the last one that needs it.
        """
        cells = len(self.position)
        closed_from, needed_to = [cells] * cells, [0] * cells
        for first, needs, closes in zip(self.starts.tolist(), self.needs, self.closes, strict=True):
            for cell in bits(closes):
                closed_from[first + cell] = min(closed_from[first + cell], first)
            for cell in bits(needs):
                needed_to[first + cell] = max(needed_to[first + cell], first)
        width_changes = np.zeros(cells + 2, np.int64)  # in cells, from one step to the next
        for cell, (start, end) in enumerate(zip(closed_from, needed_to, strict=True)):
            last = min(cell, end)  # masks have no cells that the sweep has passed
            if start < last:
                width_changes[start + 1] += 1
                width_changes[last + 1] -= 1
        widths = np.cumsum(width_changes)
        return int(widths.max()), int(widths.sum())


def _cell_orders(game: Game) -> Iterable[Permutation]:
    """Yield orders in which the cells can be swept: for each cell its position in the order.

    The first order is by index. For each divisor n of the number of cells, another one writes the
    cells by index in rows of n cells, and takes them column by column.
    """
    cells = game.cells
    yield tuple(range(cells))
    for row_length in range(2, cells):
        if cells % row_length == 0:
            rows = cells // row_length
            row_and_column = [divmod(cell, row_length) for cell in range(cells)]
            yield tuple(column * rows + row for row, column in row_and_column)


def _fold(position: Permutation) -> Iterable[Permutation]:
    """Yield orders of the cells that go through a given order from both ends at once.

    There is one for each divisor n of the number of cells. It cuts the given order into blocks of n
    cells, and takes the first block, the last one, the second one, the last but one, and so on. If
    the last cells touch the first ones, as on a torus, ships reach less far ahead in it.

    position -- the position of each cell in the given order.
    """
    cells = len(position)
    for block_length in range(1, cells):
        if cells % block_length == 0:
            blocks = cells // block_length
            # Blocks of the first half go to even positions, those of the second half between them.
            new_index_of_block = [
                2 * i if 2 * i < blocks else 2 * (blocks - i) - 1 for i in range(blocks)
            ]
            yield tuple(
                block_length * new_index_of_block[cell // block_length] + cell % block_length
                for cell in position
            )


class SweepTables(NamedTuple):
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


class _CellsAhead(NamedTuple):
    """Sets of cells from a position of the sweep on, which is bit 0.

    needed -- the cells of the placements that begin there or later. relevant -- these and the hits,
    within the window. due -- the hits that none of these placements covers, so that ships placed
    before must cover them.
    """

    needed: int
    relevant: int
    due: int


def _find_cells_ahead(
    order: _Order, placed: NDArray[np.intp], offsets: NDArray[np.int32], hits: int
) -> list[_CellsAhead] | None:
    """Return, for each position k of the sweep and for its end, sets of the cells from k on.

    They are masks, bit 0 for position k: the cells `needed` by placements that begin there or
    later, these and the hits (`relevant`), and the hits that only earlier ships can cover (`due`).
    None if a hit of these is too far ahead for any ship: then no configuration exists.

    placed -- the indices of the allowed placements, by first cell. offsets -- placed[offsets[k] :
    offsets[k + 1]] are those whose first cell is at position k. hits -- the mask of the hits, by
    position.
    """
    backward = [_CellsAhead(needed=0, relevant=0, due=0)]
    needed = 0
    for first_cell in range(len(offsets) - 2, -1, -1):
        needed <<= 1
        for placement_index in placed[offsets[first_cell] : offsets[first_cell + 1]].tolist():
            needed |= order.needs[placement_index]
        hits_ahead = hits >> first_cell
        due = hits_ahead & ~needed
        if due > _WINDOW_MASK:
            return None
        backward.append(_CellsAhead(needed, (needed | hits_ahead) & _WINDOW_MASK, due))
    return backward[::-1]


@dataclass(frozen=True)
class _Query:
    """A kernel that is set to some constraints.

    placed -- the indices in the order of the placements that the kernel has. bound -- an upper
    bound on the number of configurations. mask_bounds -- for each position, an upper bound on the
    number of masks with which the sweep comes there. hits_end -- one after the position of the last
    hit.
    """

    constraints: Constraints
    kernel: Frontier
    order: _Order
    placed: NDArray[np.intp]
    bound: int
    mask_bounds: NDArray[np.float64]
    hits_end: int

    def masks(self) -> list[int]:
        """Return the masks of the placements of the kernel."""
        return [self.order.masks[i] for i in self.placed.tolist()]

    def kinds(self) -> list[int]:
        """Return the kinds of the placements of the kernel."""
        return [self.order.kinds[i] for i in self.placed.tolist()]

    def factors(self, weights: Mapping[int, float]) -> NDArray[np.float64]:
        """Return the weights of the placements of the kernel; a missing one is 1."""
        return np.array([weights.get(mask, 1.0) for mask in self.masks()], np.float64)


class FrontierSweep:
    """Queries on the configurations of a game, by sweeps over its cells.

    Raises TooLarge if ships reach too far ahead in the best of some orders of the cells, and for a
    query whose layers would need more than `max_bytes`. One thread queries at a time; others wait.
    """

    def __init__(self, game: Game, max_bytes: int = MAX_BYTES):
        self.game = game
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        orders = [_Order(game, position) for position in _cell_orders(game)]
        narrow = [order for order in orders if order.widest_span <= WINDOW]
        if not narrow and any(game.board.seams):
            orders += [_Order(game, folded) for order in orders for folded in _fold(order.position)]
            narrow = [order for order in orders if order.widest_span <= WINDOW]
        if not narrow:
            reach = min(order.widest_span for order in orders)
            raise TooLarge(
                f"a ship of {game} closes cells up to {reach - 1} ahead in the sweep of its cells; "
                f"at most {WINDOW - 1} are handled: shorter ships or a narrower board would fit"
            )
        best = min(narrow, key=lambda order: order.width)
        reverse = _Order(game, tuple(game.cells - 1 - position for position in best.position))
        self._orders = [best, reverse] if reverse.widest_span <= WINDOW else [best]
        self._kept_query: _Query | None = None  # the last one, if its kernel has all layers
        self._states = self._roundings = 0

    @property
    def states(self) -> int:
        """The number of masks in the largest query so far."""
        return self._states

    @property
    def roundings(self) -> int:
        """An upper bound on the roundings behind a number of `weigh`, of all queries so far."""
        return self._roundings

    # Queries

    def _choose_order(self, constraints: Constraints) -> _Order:
        """Return the order that meets hits and closed cells early; a hit counts three times."""
        cells = [*bits(constraints.closed), *(3 * list(bits(constraints.hits)))]
        return min(self._orders, key=lambda order: sum(order.position[cell] for cell in cells))

    def estimate(self, constraints: Constraints) -> tuple[float, float]:
        """Return upper bounds on the states of a sweep, and on the ways to choose placements.

        A state is a mask of cells that ships have closed. The ways include choices in which ships
        overlap or touch.
        """
        order = self._choose_order(constraints)
        allowed = order.list_allowed(constraints, self.game.holes)
        masks, choices = self._bound_work(order, allowed, constraints)
        return float(masks.sum()), choices

    def _bound_work(
        self, order: _Order, allowed: NDArray[np.intp], constraints: Constraints
    ) -> tuple[NDArray[np.float64], float]:
        """Return upper bounds on the states at each position, and the ways to choose placements.

        A state of the sweep is a mask of cells ahead that ships have closed. Only placements that
        begin before a position, and close it or a later cell, make a difference there. So there are
        at most as many states as ways to choose some of these placements.

        allowed -- the indices of the placements in the order.
        """
        positions = self.game.cells + 1
        masks, choices = np.ones(positions), 1.0
        for kind, ships in Counter(constraints.fleet).items():
            placements_of_kind = [i for i in allowed.tolist() if order.kinds[i] == kind]
            reach_changes = np.bincount(order.starts[placements_of_kind] + 1, minlength=positions)
            reach_changes -= np.bincount(order.ends[placements_of_kind], minlength=positions)
            placements_in_reach = np.cumsum(reach_changes).tolist()
            masks *= [
                sum(comb(count, placed) for placed in range(ships + 1))
                for count in placements_in_reach
            ]
            choices *= comb(len(placements_of_kind), ships)
        return masks, choices

    def _prepare(self, constraints: Constraints) -> _Query | None:
        """Return a kernel that is ready to count under some constraints, with bounds on its work.

        None if it is clear without counting that no configuration satisfies the constraints.
        """
        order, game = self._choose_order(constraints), self.game
        ships = Counter(constraints.fleet)
        allowed = order.list_allowed(constraints, game.holes)
        placed = np.array([i for i in allowed.tolist() if order.kinds[i] in ships], np.intp)
        # The longest kinds are in the highest digits of a fleet, which many masks imply.
        kinds = sorted(ships, key=int)
        counts = [ships[kind] for kind in kinds]
        digit_of = {kind: digit for digit, kind in enumerate(kinds)}
        digits = np.array([digit_of[order.kinds[i]] for i in placed.tolist()], np.int32)
        placements = np.bincount(digits, minlength=len(kinds)).tolist()
        bound = prod(
            comb(placement_count, count)
            for placement_count, count in zip(placements, counts, strict=True)
        )
        if bound == 0:
            return None
        positions = np.arange(game.cells + 1)
        offsets = np.searchsorted(order.starts[placed], positions).astype(np.int32)
        hits = image(constraints.hits, order.position)
        cells_ahead = _find_cells_ahead(order, placed, offsets, hits)
        if cells_ahead is None:
            return None
        placements_ahead = np.array(
            [np.bincount(digits[offsets[cell] :], minlength=len(kinds)) for cell in positions]
        )
        cells_needed = np.array([ahead.needed.bit_count() for ahead in cells_ahead])
        tables = SweepTables(
            offsets,
            needs=to_words([order.needs[i] for i in placed.tolist()]),
            closes=to_words([order.closes[i] for i in placed.tolist()]),
            kinds=digits,
            counts=counts,
            relevant=to_words([ahead.relevant for ahead in cells_ahead]),
            due=to_words([ahead.due for ahead in cells_ahead]),
            hit=np.array([hits >> cell & 1 for cell in range(game.cells)], np.uint8),
            alive=_find_completable_fleets(kinds, counts, placements_ahead, cells_needed),
        )
        mask_bounds, _ = self._bound_work(order, allowed, constraints)
        return _Query(
            constraints,
            kernel=Frontier(tables, self._max_bytes),
            order=order,
            placed=placed,
            bound=bound,
            mask_bounds=mask_bounds,
            hits_end=hits.bit_length(),
        )

    def _watch(
        self, query: _Query, progress: Progress[Status], passes: int, has_way_back: bool = False
    ) -> Callable[[int], None]:
        """Return the function that the kernel calls after each cell, to report how far the work is.

        The share of work done is estimated from upper bounds on the masks at each cell. In the
        first pass the function also raises TooLarge if the memory will not be enough.

        passes -- the number of sweeps over all cells. has_way_back -- True if each second one goes
        from the last cell to the first.
        """
        kernel, cells = query.kernel, self.game.cells
        masks_before = np.cumsum(query.mask_bounds)
        all_masks = masks_before[-1]
        report = meter(progress, float(all_masks) * passes)
        started = time.monotonic()
        calls = states_before = 0

        def watch(swept: int) -> None:
            nonlocal calls, states_before
            pass_index, calls = calls // cells, calls + 1
            if has_way_back and pass_index % 2:
                swept_masks = all_masks - masks_before[cells - swept]
            else:
                swept_masks = masks_before[swept]
            report(float(min(pass_index, passes - 1) * all_masks + swept_masks))
            if pass_index == 0:
                masks, states_before = kernel.states - states_before, kernel.states
                seconds = (time.monotonic() - started) * passes
                self._require_memory(query, swept=swept, masks=masks, seconds=seconds)

        return watch

    def _require_memory(self, query: _Query, swept: int, masks: int, seconds: float) -> None:
        """Raise TooLarge if the first layers grow so fast that later ones will not fit into memory.

        A layer is all masks of closed cells with which the sweep comes to one cell. Later layers
        are expected to have the same share of the upper bound on their masks as the last one.

        swept -- the number of cells swept. masks -- the number of masks in the last layer.
        seconds -- the time so far, times the number of passes.
        """
        # A hit to come would leave fewer masks than those before it let expect.
        if (
            masks < MASKS_BEFORE_FORECAST
            or not query.hits_end <= swept <= query.mask_bounds.argmax()
        ):
            return
        share_of_bound = masks / query.mask_bounds[swept]
        most_masks = share_of_bound * query.mask_bounds.max()
        # Two layers are in memory at once.
        byte_count = 2 * most_masks * (BYTES_PER_MASK + BYTES_PER_FLEET * query.kernel.stride)
        if byte_count > SAFETY_FACTOR * self._max_bytes:
            all_seconds = seconds * share_of_bound * query.mask_bounds.sum() / query.kernel.states
            raise TooLarge(
                f"by the growth of its first layers the sweep over the cells of {self.game} would "
                f"need up to {byte_count / 2**30:,.0f} GiB and {time_text(all_seconds)}; the limit "
                f"is {self._max_bytes / 2**30:.2g} GiB. {_WHAT_FITS}"
            )

    @contextmanager
    def _translate_memory_error(self, query: _Query) -> Iterator[None]:
        """Run a block with the kernel of a query; TooLarge if it needs too much memory.

        After the block the greatest numbers of states and of roundings so far are kept.
        """
        kernel, ships = query.kernel, Counter(query.constraints.fleet)
        try:
            yield
        except MemoryError:
            raise TooLarge(
                f"the sweep over the cells of {self.game} needs more than "
                f"{self._max_bytes / 2**30:.2g} GiB (it passed {kernel.states:,} masks of closed "
                f"cells, {kernel.widest:,} of them at one cell, each with a number for the "
                f"{prod(count + 1 for count in ships.values()):,} fleets that can be placed). "
                f"{_WHAT_FITS}"
            ) from None
        self._states = max(self._states, kernel.states)
        # Each transition adds to a sum of the forward and of the backward pass, and multiplies; the
        # products are added up for each placement.
        roundings = 3 * kernel.transitions + 3 * self.game.cells
        self._roundings = max(self._roundings, roundings)

    def count(self, constraints: Constraints, progress: Progress[Status] = no_progress) -> int:
        """Count the configurations that satisfy the constraints."""
        if not constraints.fleet:
            return int(constraints.hits == 0)
        with self._lock:
            query = self._prepare(constraints)
            if query is None:
                return 0
            moduli = moduli_above(query.bound)
            watch = self._watch(query, progress, passes=len(moduli))
            with self._translate_memory_error(query):
                # the kernel takes 0 for 2^64
                residues = [query.kernel.count(modulus % 2**64, watch) for modulus in moduli]
            return combine_residues(residues, moduli)

    def count_by_placement(
        self, constraints: Constraints, progress: Progress[Status] = no_progress
    ) -> tuple[int, dict[Ship, int]]:
        """Return the number of configurations, and the number that have each ship.

        A ship is its kind and the mask of its cells. Ships that no configuration has are left out.
        """
        if not constraints.fleet:
            return int(constraints.hits == 0), {}
        with self._lock:
            query = self._prepare(constraints)
            if query is None:
                return 0, {}
            moduli = moduli_above(query.bound)
            watch = self._watch(query, progress, passes=2 * len(moduli), has_way_back=True)
            with self._translate_memory_error(query):
                results = [  # the kernel takes 0 for 2^64
                    query.kernel.count_by_placement(modulus % 2**64, watch) for modulus in moduli
                ]
        total = combine_residues([count for count, _ in results], moduli)
        residues_by_modulus = [counts.tolist() for _, counts in results]
        ships = zip(query.kinds(), query.masks(), strict=True)
        return total, {
            ship: combine_residues(residues, moduli)
            for ship, *residues in zip(ships, *residues_by_modulus, strict=True)
            if any(residues)
        }

    def weigh(
        self, constraints: Constraints, weights: Mapping[int, float]
    ) -> tuple[float, dict[int, float]]:
        """Return the total weight, and for each placement that of the configurations with it.

        A configuration weighs the product of the weights of its placements, which are masks of
        cells; a missing one weighs 1. Placements that add up to 0 are left out.
        """
        if not constraints.fleet:
            return float(constraints.hits == 0), {}
        with self._lock:
            query = self._prepare(constraints)
            if query is None:
                return 0.0, {}
            with self._translate_memory_error(query):
                total, sums = query.kernel.weigh(query.factors(weights))
        totals: dict[int, float] = {}
        for mask, weight in zip(query.masks(), sums.tolist(), strict=True):
            if weight:  # ships of several kinds can have the same mask
                totals[mask] = totals.get(mask, 0.0) + weight
        return total, totals

    def unrank(
        self,
        constraints: Constraints,
        ranks: Ranks,
        weights: Mapping[int, float] | None = None,
    ) -> CellSets:
        """Return the configurations with the given ranks; uint64 of shape (ranks, ships, words).

        The words of a ship are its cells. Ships are in the order of the fleet.

        ranks -- numbers of configurations in some fixed order, from 0; there must be fewer than
        2^64. With weights, floats from 0, each less than the total weight.
        weights -- of placements (masks); a missing one weighs 1.
        """
        ships, words = len(constraints.fleet), max(2, -(-self.game.cells // 64))
        if not ships or not len(ranks):
            return np.empty((len(ranks), ships, words), np.uint64)
        with self._lock:
            query, self._kept_query = self._kept_query, None
            is_kept = weights is None and query is not None and query.constraints == constraints
            if not is_kept:
                query = self._prepare(constraints)
            assert query is not None, "there is no configuration to rank"
            with self._translate_memory_error(query):
                factors = None
                if weights is not None:
                    factors = query.factors(weights)
                    query.kernel.weigh(factors, only_total=True)
                elif not is_kept:
                    query.kernel.keep()
                placed = query.kernel.unrank(ranks.copy(), ships, factors)
            if weights is None and query.kernel.is_whole:
                self._kept_query = query  # for the next call with these constraints
        kind_ranks = np.array([constraints.fleet.index(kind) for kind in query.kinds()])
        cells = to_words(query.masks(), words)
        return np.asarray(cells[sort_by_fleet(placed.astype(np.intp), kind_ranks)])


def _find_completable_fleets(
    kinds: Sequence[int],
    counts: Sequence[int],
    placements_ahead: NDArray[np.int64],
    cells_ahead: NDArray[np.int64],
) -> NDArray[np.uint64]:
    """Return, as bits, which partial fleets can be completed; shape (positions, words).

    A partial fleet is how many ships of each kind are placed. Bit f stands for the fleet with the
    number f, whose mixed-radix digits, from the lowest, are these numbers. A fleet can be completed
    if each kind has a placement for each ship left, and the placements to come have enough cells
    for all ships left.

    kinds, counts -- the kinds from the lowest digit on, and the ships of each. placements_ahead --
    the number of placements of each kind from a position on; shape (positions, kinds).
    cells_ahead -- the number of cells that these placements cover together.
    """
    fleets = prod(count + 1 for count in counts)
    fleet = np.arange(fleets)
    is_completable = np.ones((len(cells_ahead), fleets), bool)
    cells_left = np.zeros(fleets, np.int64)
    place_value = 1
    for kind_index, (kind, count) in enumerate(zip(kinds, counts, strict=True)):
        ships_left = count - fleet // place_value % (count + 1)
        is_completable &= ships_left <= placements_ahead[:, kind_index, None]
        cells_left += int(kind) * ships_left
        place_value *= count + 1
    is_completable &= cells_left <= cells_ahead[:, None]
    is_completable = np.pad(is_completable, ((0, 0), (0, -fleets % 64)))  # to whole words
    return np.packbits(is_completable, axis=1, bitorder="little").view(np.uint64)
