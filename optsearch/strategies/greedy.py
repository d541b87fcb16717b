"""Exact greedy: a most probable cell, ties broken by an order of the cells.

The counts are exact, so ties are ties. Once `endgame` configurations are left the optimum is
played. (What all ways to break ties are worth from a position on: `optsearch.greedy`.)
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import Lock
from typing import ClassVar

from optsearch.counting.configurations import Codes, list_ships, to_masks
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import engine_for
from optsearch.counting.mixture import MixedPosterior
from optsearch.counting.posterior import Posterior
from optsearch.game import MAX_CELLS, Cell, Game, bits
from optsearch.game.fleets import MixedPosition
from optsearch.game.noise import NoisyPosition
from optsearch.game.orders import order_of
from optsearch.game.position import MISS, Position, Reply, known_replies, reply
from optsearch.search.first_hit import FirstHitKernel
from optsearch.search.kernels import Kernel, announced_kernel, best_cells
from optsearch.search.rules import RANGES
from optsearch.strategies import Rule, Strategy
from optsearch.strategies.player import number, ties

REMEMBERED = 1 << 13  # positions whose counts are kept: on 10x10 some 40 MB


@dataclass(frozen=True)
class Greedy(Strategy):
    """A most probable cell; the optimum once few configurations are left."""

    name: ClassVar[str] = "greedy"

    ties: str = ties()
    endgame: int = number(
        4, *RANGES["endgame"], "configurations, and fewer, for which the optimum is played"
    )

    def require_fleet(self, game: Game) -> None:
        """Accept any fleet: the probabilities of an unknown one are exact too."""

    def require_noise(self) -> None:
        """Accept false replies: the probabilities take them into account."""

    def salvo(self, position: Position | NoisyPosition, number: int) -> list[Cell]:
        """Return the most probable cells together, also where few configurations are left."""
        return most_probable(position, order_of(position.game, self.ties))[:number]

    def shot(self, position: Position | NoisyPosition) -> Cell:
        """Return the cell to shoot next, from exact counts and lists in plain Python.

        Where replies may be false it is always a most probable one of those not shot yet.
        """
        if isinstance(position, NoisyPosition | MixedPosition):
            return self.salvo(position, 1)[0]
        order = order_of(position.game, self.ties)
        if counts_of(position).configurations <= self.endgame:
            return position.game.cell(endgame_shot(position, order))
        return most_probable_cell(position, order)

    def rule(self, game: Game) -> Rule | None:
        """Return its rule for the kernel; None where sinkings of very many ships are announced."""
        if not game.is_silent and not Codes.of(game).fit_kernels:
            return None
        return Rule(order_of(game, self.ties), self.endgame)


def most_probable(position: Position | NoisyPosition, order: Sequence[int]) -> list[Cell]:
    """Return the cells not shot yet that may hold a ship, the most probable first.

    order -- of equally probable cells. Where replies may be false, probabilities that agree to
    twelve digits are ties.
    """
    chances: Sequence[float]
    if isinstance(position, NoisyPosition):
        chances = [float(f"{p:.12e}") for p in Posterior(position).probability.ravel()]
    else:
        chances = counts_of(position).cells
    fresh = fresh_cells(position, chances, order)
    fresh.sort(key=chances.__getitem__, reverse=True)  # keeps the order of equal ones
    return [position.game.cell(cell) for cell in fresh]


def most_probable_cell(position: Position, order: Sequence[int]) -> Cell:
    """Return the first of the most probable cells of `order` that were not shot yet."""
    fresh = (cell for cell in order if not position.closed >> cell & 1)
    return position.game.cell(max(fresh, key=counts_of(position).cells.__getitem__))


def fresh_cells(
    position: Position | NoisyPosition, counts: Sequence[float], order: Sequence[int]
) -> list[int]:
    """List the cells of `order` that were not shot yet and whose count is not 0."""
    closed = position.closed
    return [cell for cell in order if counts[cell] and not closed >> cell & 1]


@dataclass(frozen=True)
class Counts:
    """The counts of a position by which the next shot is chosen.

    configurations -- the number of configurations left. cells -- for each cell, row by row, the
    number of those with a ship on it. replies -- for each cell the number of those that give each
    reply to a hit there; empty if hits tell nothing.
    """

    configurations: int
    cells: Sequence[int]
    replies: Mapping[int, Counter[Reply]]


def counts_of(position: Position) -> Counts:
    """Return the counts of a position; those asked last are kept, since many games begin alike."""
    if isinstance(position, MixedPosition):
        return _mixed_counts(position)
    if position.game.is_silent:
        return _silent.counts(position)
    return _labelled_counts(position)


def forget_counts() -> None:
    """Keep no counts of positions."""
    _silent.forget()
    _labelled_counts.cache_clear()


@lru_cache(maxsize=REMEMBERED)
def _labelled_counts(position: Position) -> Counts:
    game, posterior = position.game, Posterior(position)
    cells = posterior.occurrence.ravel().tolist()
    replies = defaultdict[int, Counter[Reply]](Counter)
    for (kind, ship), count in posterior.by_kind.items():
        unhit = ship & ~position.hits
        is_last_cell = unhit.bit_count() == 1
        for cell in bits(unhit):
            replies[cell][game.hit_reply(kind, ship, cell, is_last_cell)] += count
    return Counts(posterior.configurations, cells, replies)


@lru_cache(maxsize=REMEMBERED)
def _mixed_counts(position: MixedPosition) -> Counts:
    """Return the counts of a position whose fleet is not known, by weight.

    Each cell has the total weight of the configurations with a ship there, not their number.
    """
    posterior = MixedPosterior(position)
    return Counts(posterior.configurations, posterior.cell_weights, {})


_Key = tuple[Game, int, int]  # with the cells hit and the cells missed


class _SilentCounts:
    """Counts of positions whose hits tell nothing; those asked last are kept.

    Each configuration of a position either has the cell that is shot or does not, so the counts
    after a hit and after a miss add up to those before. Where these are kept, only the smaller of
    the two families is swept, and both are kept.
    """

    def __init__(self) -> None:
        self._kept: dict[_Key, Counts] = {}
        self._lock = Lock()  # of `_kept`

    def counts(self, position: Position) -> Counts:
        """Return the counts of a position; ImpossiblePosition if no configuration is left."""
        key = position.game, position.hits, position.misses
        counts = self._recall(key) or self._count_by_previous(key, position) or _sweep(*key)
        if not counts.configurations:
            Posterior(position).require_some()
        self._keep(key, counts)
        return counts

    def _count_by_previous(self, key: _Key, position: Position) -> Counts | None:
        """Return the counts of a position from those kept for one shot before; None without these.

        Some of the configurations before have a ship on the cell shot, the others have none. Only
        the smaller group is counted; the counts of the other are the difference. Both are kept.
        """
        if not position.shots:
            return None
        game, hits, misses = key
        bit = game.bit(position.shots[-1].cell)
        hits_before, misses_before = hits & ~bit, misses & ~bit
        before = self._recall((game, hits_before, misses_before))
        if before is None:
            return None
        after_hit = game, hits_before | bit, misses_before
        after_miss = game, hits_before, misses_before | bit
        hit_count = before.cells[bit.bit_length() - 1]
        miss_count = before.configurations - hit_count
        smaller, larger = after_miss, after_hit
        if hit_count < miss_count:
            smaller, larger = after_hit, after_miss
        is_one_empty = 0 in (hit_count, miss_count)
        counts = Counts(0, [0] * game.cells, {}) if is_one_empty else _sweep(*smaller)
        other_cells = [
            count - counted for count, counted in zip(before.cells, counts.cells, strict=True)
        ]
        others = Counts(before.configurations - counts.configurations, other_cells, {})
        self._keep(smaller, counts)
        self._keep(larger, others)
        return counts if key == smaller else others

    def _recall(self, key: _Key) -> Counts | None:
        with self._lock:
            counts = self._kept.pop(key, None)
            if counts is not None:
                self._kept[key] = counts  # as the last one
            return counts

    def _keep(self, key: _Key, counts: Counts) -> None:
        with self._lock:
            self._kept[key] = counts
            if len(self._kept) > REMEMBERED:
                del self._kept[next(iter(self._kept))]

    def forget(self) -> None:
        """Keep nothing."""
        self._kept.clear()


def _sweep(game: Game, hits: int, misses: int) -> Counts:
    """Count a position whose hits tell nothing, by a sweep; hits, misses -- masks of cells."""
    constraints = Constraints(game.fleet, misses, hits)
    configurations, by_ship = engine_for(game).count_by_placement(constraints)
    cells = [0] * game.cells
    for (_, ship), count in by_ship.items():
        for cell in _cells(ship):
            cells[cell] += count
    return Counts(configurations, cells, {})


@lru_cache(maxsize=1 << 12)
def _cells(ship: int) -> tuple[int, ...]:
    return tuple(bits(ship))


_silent = _SilentCounts()


def unhit_masks(position: Position) -> list[int]:
    """List the configurations of a silent position, each as the mask of its cells not hit yet.

    There must be few of them.
    """
    posterior = Posterior(position)
    is_small = position.game.cells <= MAX_CELLS
    listed = list_ships(position) if is_small else posterior.list_all(masks=True)
    masks = [sum(ships) for ships in map(to_masks, listed) if position.is_compatible(ships)]
    counted = posterior.configurations
    if len(masks) != counted:
        raise AssertionError(f"{len(masks)} configurations listed, {counted} counted")
    return [mask & ~position.hits for mask in masks]


def endgame_shot(position: Position, order: Sequence[int]) -> int:
    """Return the first cell that an optimal strategy may shoot at a position.

    There must be few configurations left, since all ways to play on are compared. order -- the
    cells, the preferred ones first.
    """
    if position.game.ends_at_hit:
        silent = Position(position.game.with_announcement("nothing"), position.shots)  # only misses
        return first_best_shot(FirstHitKernel.of(silent), order)
    if position.game.is_silent:
        return optimal_shot(unhit_masks(position), order)
    if position.game.has_labels:
        return _best_split(_replies_by_cell(position, order))
    position.game.require_small("an endgame (endgame=0 has none) where sinkings are announced")
    return first_best_shot(announced_kernel(position), order)


def first_best_shot(kernel: Kernel, order: Sequence[int]) -> int:
    """Return the first cell of `order` that an optimal strategy may shoot at the root of a search.

    kernel -- the search of the configurations that are left. Where sinkings are announced, a
    certain hit is shot only if it is optimal now.
    """
    best = set(best_cells(kernel, kernel.root)) or set(bits(kernel.free_hits(kernel.root)))
    return next(cell for cell in order if cell in best)


def optimal_shot(sets: Sequence[int], order: Sequence[int]) -> int:
    """Return the first cell of `order` that an optimal strategy may shoot if hits tell nothing.

    A cell that all configurations have comes before all others. sets -- the cells not hit yet of
    each configuration left, as masks.
    """
    return _best_split({cell: [mask >> cell & 1 for mask in sets] for cell in order})


def _replies_by_cell(position: Position, order: Sequence[int]) -> dict[int, list[int]]:
    """Map each cell of `order` not shot to the reply that each configuration would give.

    Replies are numbers: 0 is a miss, each reply to a hit has one from 1 on.
    """
    game = position.game
    *hit_replies, _ = known_replies(game)  # the miss is the last one
    numbers = {answer: number for number, answer in enumerate((MISS, *hit_replies))}
    configurations = [to_masks(ships) for ships in Posterior(position).list_all(masks=True)]
    return {
        cell: [numbers[reply(game, ships, position.hits, 1 << cell)] for ships in configurations]
        for cell in order
        if not position.closed >> cell & 1
    }


def _best_split(replies: dict[int, list[int]]) -> int:
    """Return the first cell that an optimal strategy may shoot; a certain hit comes before others.

    Such a strategy makes the fewest misses in all over the configurations. replies -- for each cell
    the reply of each configuration: 0 is a miss, and different hits have different numbers above 0.
    The reply to a hit must not depend on earlier shots.
    """
    for cell, answers in replies.items():
        if all(answers):
            return cell

    # A part is a set of configurations, by their index in the lists of replies.
    @cache
    def least_misses(part: frozenset[int]) -> int:
        return min((misses_after(part, cell) for cell in replies if splits(part, cell)), default=0)

    def splits(part: frozenset[int], cell: int) -> bool:
        return len({replies[cell][i] for i in part}) > 1

    def misses_after(part: frozenset[int], cell: int) -> int:
        by_answer: dict[int, set[int]] = {}
        for i in part:
            by_answer.setdefault(replies[cell][i], set()).add(i)
        missed = len(by_answer.get(0, ()))
        return missed + sum(least_misses(frozenset(child)) for child in by_answer.values())

    configurations = len(next(iter(replies.values())))
    root = frozenset(range(configurations))
    optimum = least_misses(root)
    return next(
        cell for cell in replies if splits(root, cell) and misses_after(root, cell) == optimum
    )
