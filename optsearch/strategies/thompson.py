"""Thompson sampling: random boards that fit what is known, and the cell that most of them hold.

After "Playing Battleship with Bayesian Search Theory, Thompson Sampling, and Approximate Bayesian
Computation". For every shot, of each ship `block_size` placements are drawn from those that are
still possible for it alone; a sample is one of each. It is kept if the ships can lie together and
cover all hits. If none is kept, another block is drawn. Shot is the unknown cell that the most
kept samples cover, the first of them in row-major order.

What is possible for a ship alone is `information`:

- `printed`, as in the post: it covers no miss; and where a sinking told its ship, that ship covers
  the last cell of it, and no other ship does.
- `whole`: all that the replies say of one ship. Besides, a sunk ship lies wholly on hits, and a
  ship afloat does not. The samples are then uniform among the compatible configurations.
  Where hits name or show their ships, `printed` concludes as much: no other ship lies there, and
  the only one of its name covers all hits of this name.
- `exact`: the same distribution, and always `block_size` samples: the first that are kept of some
  blocks of 10,000, and what is wanting by `Posterior.sample`.

Two things go beyond the post. By a *prior* (`with_prior`) a placement is drawn in proportion to its
weight, so that samples have the weights of configurations; one that is no product of weights of
placements needs `exact`. With `grid=2` or more, the restricted search grid that the post suggests,
only cells with row - 1 = column modulo it are shot while no hit is left that no sunk ship explains,
as long as one of them is in a kept sample.

The post tells ships of equal length apart, and says which is sunk. They are alike until then, so
that here the first of them to be sunk is the first of the fleet. Drawn is as there, from the same
numbers of the generator: the same seed gives the same game as the published code.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import to_masks, to_words
from optsearch.counting.posterior import Posterior, barred_ships
from optsearch.counting.prior import Prior
from optsearch.game import Cell, Game
from optsearch.game.noise import NoisyPosition
from optsearch.game.position import Position
from optsearch.game.shapes import Placement
from optsearch.strategies.player import Player, number, word
from optsearch.support.errors import StrategyError

INFORMATION = ("printed", "whole", "exact")
MOST_SAMPLES = 1_000_000_000  # for one shot
EXACT_BLOCKS, EXACT_BLOCK_SIZE = 20, 10_000  # of `exact`, before the posterior is asked

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Thompson(Player):
    """The cell that most boards hold, of random ones that fit what is known."""

    name: ClassVar[str] = "thompson"

    block_size: int = number(10_000, 1, 1_000_000, "samples for one shot")
    information: str = word("printed", INFORMATION, "what a sample takes from the replies")
    grid: int = number(1, 1, 10, "the search grid: row - 1 = column modulo it", is_extra=True)
    prior: Prior | None = field(default=None, metadata={"is_fixed": True})

    def with_prior(self, prior: Prior) -> Thompson:
        """Return the player that draws by a prior; StrategyError if its samples cannot use it."""
        if prior.placements is None and self.information != "exact":
            raise StrategyError(
                f"the prior {prior.name} weighs whole configurations, and {self} draws each ship "
                "alone; information=exact draws configurations"
            )
        return replace(self, prior=prior)

    def identity(self) -> str:
        """Return the name, and a digest of the prior."""
        if self.prior is None:
            return str(self)
        self.prior.require_digest("a checkpoint")
        return f"{self}; prior {self.prior.digest}"

    def require_noise(self) -> None:
        """Raise StrategyError unless samples are `exact`; others must fit the replies."""
        if self.information != "exact":
            raise StrategyError(
                f"{self} keeps the samples that fit the replies, but every sample fits replies "
                "that may be false; information=exact draws from the posterior"
            )

    def begin(self, game: Game, generator: np.random.Generator) -> ThompsonGame:
        """Begin a game; StrategyError for `whole` if sinkings do not tell the ship.

        Raises TooLarge for a board of more than 128 cells.
        """
        game.require_small(str(self))
        if self.information == "whole" and game.tells_sinkings and not game.labels:
            raise StrategyError(
                f"{self} needs to hear which ship is sunk, as with announce=ship, not in {game}; "
                "information=exact plays it"
            )
        return ThompsonGame(self, generator)

    def posterior(
        self, position: Position, generator: np.random.Generator, samples: int | None = None
    ) -> NDArray[np.float64]:
        """Return, for each cell, the share of random samples that have a ship there.

        A sample has one placement of each ship, and is kept if it fits the position. The result is
        float64 of shape (rows, columns). samples -- the number to keep; by default as for a shot.
        """
        counts, accepted = self._sample(position, generator, samples)
        game = position.game
        return (counts / accepted).reshape(game.rows, game.columns)

    def most_sampled(
        self, position: Position | NoisyPosition, generator: np.random.Generator, number: int = 1
    ) -> list[Cell]:
        """Return `number` cells not shot yet, those first where most random samples have a ship.

        A sample has one placement of each ship, and fits the position. The search grid is every
        cell where row - 1 - column is a multiple of `grid`. While all hits are of sunk ships, cells
        of this grid that some sample has come before all others.
        """
        counts, _ = self._sample(position, generator, None)
        closed = position.closed
        unknown = [cell for cell in range(position.game.cells) if not closed >> cell & 1]
        prefers_grid = self.grid > 1 and is_hunting(position)

        def sort_key(cell: int) -> tuple[bool, int]:  # equal keys stay row by row
            row, column = position.game.cell(cell)
            is_on_grid = counts[cell] > 0 and (row - 1 - column) % self.grid == 0
            return prefers_grid and not is_on_grid, -int(counts[cell])

        return [position.game.cell(cell) for cell in sorted(unknown, key=sort_key)[:number]]

    def _sample(
        self,
        position: Position | NoisyPosition,
        generator: np.random.Generator,
        samples: int | None,
    ) -> tuple[Counts, int]:
        """Return how many random samples have a ship on each cell, and the number of samples.

        A sample has one placement of each ship; only those that fit the position count. samples --
        the number to keep; None keeps those of a block of draws, at least one.
        """
        if isinstance(position, NoisyPosition):
            return self._sample_posterior(position, generator, samples or self.block_size)
        if self.information == "exact":
            return self._sample_exactly(position, generator, samples or self.block_size)
        min_accepted = samples or 1
        tally = _Blocks(position, self, generator).tally(
            min_accepted=min_accepted,
            max_accepted=samples,
            size=self.block_size,
            most_drawn=MOST_SAMPLES,
        )
        if tally.accepted < min_accepted:
            raise StrategyError(
                f"{self} keeps {tally.accepted:,} of {tally.drawn:,} samples after "
                f"{str(position)!r}; information=exact always keeps all"
            )
        return tally.counts, tally.accepted

    def _sample_exactly(
        self, position: Position, generator: np.random.Generator, samples: int
    ) -> tuple[Counts, int]:
        """Return how many drawn configurations have a ship on each cell, and how many are drawn.

        They are drawn from all configurations that fit the position, uniformly or by the prior.
        First each ship is drawn alone, and draws that fit are kept. If too few do, the others are
        drawn by counting configurations, which takes longer for each.
        """
        counts, accepted = np.zeros(position.game.cells, np.int64), 0
        is_product = self.prior is None or self.prior.placements is not None
        if (position.game.labels or position.game.is_silent) and is_product:
            counts, accepted, _ = _Blocks(position, self, generator).tally(
                min_accepted=samples,
                max_accepted=samples,
                size=EXACT_BLOCK_SIZE,
                most_drawn=EXACT_BLOCKS * EXACT_BLOCK_SIZE,
            )
        if accepted < samples:
            counts += self._sample_posterior(position, generator, samples - accepted)[0]
        return counts, samples

    def _sample_posterior(
        self, position: Position | NoisyPosition, generator: np.random.Generator, samples: int
    ) -> tuple[Counts, int]:
        """Return how many drawn configurations have a ship on each cell, and how many are drawn.

        They are drawn by their exact probabilities at the position.
        """
        drawn = Posterior(position, prior=self.prior).sample(samples, generator, masks=True)
        covered = _cell_matrix(np.bitwise_or.reduce(drawn, axis=1), position.game.cells)
        return covered.sum(axis=0), samples


def is_hunting(position: Position | NoisyPosition) -> bool:
    """True if every hit belongs to a ship known to be sunk, so that none is left to follow up.

    If a sinking does not tell which ship is sunk, its hits do not count as explained. If replies
    may be false, the result is True if there is no hit.
    """
    if isinstance(position, NoisyPosition):
        return not any(shot.reply.hit for shot in position.shots)
    sunk_cells = 0
    for shot in position.shots:
        if position.drawn_replies[shot.cell].sunk:
            label = shot.reply.label or 0  # a placement, or a kind, which is a number of cells
            sunk_cells += label.bit_count() if isinstance(label, Placement) else int(label)
    return position.hits.bit_count() == sunk_cells


def possible_placements(position: Position, is_printed: bool) -> Iterator[NDArray[np.uint64]]:
    """Yield, for each ship of the fleet, the placements that the replies do not rule out for it.

    The other ships are not taken into account. Each array is uint64 of shape (placements, 4): the
    cells of a placement, and the cells that it closes to other ships, as two words of bits each.
    is_printed -- True to conclude only what the published post concludes from sinkings; False
        to use all that the replies say of one ship.
    """
    game = position.game
    if game.names_hits or game.shows_ships:
        yield from _placements_by_labels(position)
    elif game.has_labels:
        yield from _placements_by_words(position)
    else:
        yield from _placements_by_sinkings(position, is_printed)


def _placements_by_words(position: Position) -> Iterator[NDArray[np.uint64]]:
    """Yield, for each ship, the placements that the replies do not rule out, if hits tell words.

    A user's rule says what word a hit on a ship tells. The arrays are as those of all placements,
    without some rows.
    """
    game, barred = position.game, barred_ships(position)
    for kind, placements in zip(game.fleet, all_placements(game), strict=True):
        ships = to_masks(placements[:, :2])
        fits = [not ship & position.misses and (kind, ship) not in barred for ship in ships]
        yield placements[np.array(fits, bool)]


def _placements_by_labels(position: Position) -> Iterator[NDArray[np.uint64]]:
    """Yield, for each ship, the placements that the replies do not rule out, if hits name ships.

    They have the cells that are known to be of the ship, and none that is known not to be. The
    rules may also be that a hit shows its whole ship.
    """
    game = position.game
    known_cells = _cells_shown(position) if game.shows_ships else _cells_named(position)
    for placements, masks in zip(all_placements(game), known_cells, strict=True):
        covered, closed = to_words(masks)
        cells = placements[:, :2]
        yield placements[~_meet(cells, closed) & _lie_in(covered, cells)]


def _placements_by_sinkings(position: Position, is_printed: bool) -> Iterator[NDArray[np.uint64]]:
    """Yield, for each ship, the placements that replies do not rule out, if ships are not named.

    Then hits tell at most a sinking. is_printed -- True to use only misses and the hits that sank a
    ship, as the published post does.
    """
    hits, misses = to_words([position.hits, position.misses])
    sinkings = _sinkings(position)
    uses_hits = not is_printed and not position.game.is_silent
    for ship, placements in enumerate(all_placements(position.game)):
        cells = placements[:, :2]
        keep = ~_meet(cells, misses)
        for sunk_ship, sinking in sinkings.items():
            if ship != sunk_ship:
                keep &= ~_meet(cells, sinking.last_cell)
                continue
            keep &= _meet(cells, sinking.last_cell)
            if uses_hits:
                keep &= _lie_in(cells, sinking.hits_by_then)
        if ship not in sinkings and uses_hits:  # it is afloat
            keep &= ~_lie_in(cells, hits)
        yield placements[keep]


class _Tally(NamedTuple):
    """The samples of some blocks.

    counts -- for each cell, the kept samples that cover it. accepted -- the number of samples kept.
    drawn -- the number of samples drawn.
    """

    counts: Counts
    accepted: int
    drawn: int


class _Blocks:
    """Samples, drawn in blocks. A sample has one placement of each ship."""

    def __init__(self, position: Position, player: Thompson, generator: np.random.Generator):
        by_ship = list(possible_placements(position, player.information == "printed"))
        self._table = np.concatenate(by_ship)
        self._sizes = [len(placements) for placements in by_ship]
        self._starts = np.cumsum([0, *self._sizes[:-1]])  # of the rows of each ship in the table
        self._weight_sums = None
        if player.prior is not None:
            self._weight_sums = [_sum_weights(player.prior, each) for each in by_ship]
        (self._hits,) = to_words([position.hits])
        self._cells = position.game.cells
        self._generator = generator

    def tally(
        self, *, min_accepted: int, max_accepted: int | None, size: int, most_drawn: int
    ) -> _Tally:
        """Draw samples until `min_accepted` are kept or `most_drawn` are drawn; return the counts.

        A sample has one placement of each ship. It is kept if they can lie together and cover all
        hits. size -- samples are drawn in blocks of this number. max_accepted -- the most samples
        to keep; None keeps all that fit.
        """
        from optsearch.strategies.sampling import tally

        uses = np.zeros(len(self._table), np.int64)
        accepted = drawn = 0
        while accepted < min_accepted and drawn < most_drawn and self._can_draw:
            chosen = self._draw(size) + self._starts[:, None]
            limit = size if max_accepted is None else max_accepted - accepted
            accepted += int(tally(chosen, self._table, self._hits, limit, uses))
            drawn += size
        counts = uses @ _cell_matrix(self._table[:, :2], self._cells)
        return _Tally(counts, accepted, drawn)

    @property
    def _can_draw(self) -> bool:
        """True if each ship has a placement of positive weight."""
        if not all(self._sizes):
            return False
        return self._weight_sums is None or all(sums[-1] > 0 for sums in self._weight_sums)

    def _draw(self, size: int) -> NDArray[np.int64]:
        """Return `size` random placements of each ship: int64 of shape (ships, size).

        Each number is an index in the list of placements that are possible for the ship.
        """
        generator = self._generator
        if self._weight_sums is None:
            return np.stack([generator.integers(0, count, size) for count in self._sizes])
        drawn = [
            np.searchsorted(sums, generator.random(size) * sums[-1], "right")
            for sums in self._weight_sums
        ]
        last = np.array(self._sizes)[:, None] - 1  # not exceeded if a product is rounded up
        indices: NDArray[np.int64] = np.minimum(drawn, last)
        return indices


def _sum_weights(prior: Prior, placements: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return the running sums of the weights of placements, scaled so that the greatest is 1.

    The last sum is 0 if all weights are 0.
    """
    assert prior.placements is not None
    weights = [prior.placements.get(mask, 1) for mask in to_masks(placements[:, :2])]
    greatest = max(weights, default=0) or 1
    return np.cumsum([weight / greatest for weight in weights])


class ThompsonGame:
    """One game, in which only the generator changes."""

    def __init__(self, player: Thompson, generator: np.random.Generator):
        self._player = player
        self._generator = generator

    def shot(self, position: Position | NoisyPosition) -> Cell:
        """Return the cell that most samples cover."""
        return self.salvo(position, 1)[0]

    def salvo(self, position: Position | NoisyPosition, number: int) -> list[Cell]:
        """Return the cells that most samples cover."""
        return self._player.most_sampled(position, self._generator, number)


@lru_cache(maxsize=4)
def all_placements(game: Game) -> tuple[NDArray[np.uint64], ...]:
    """Return the placements of each ship of the fleet, in the order of the published code.

    Each array is uint64 of shape (placements, 4): the cells of a placement, and the cells that it
    closes to other ships, as two words each. Horizontal placements come first, by column, then row;
    then the vertical ones by row, then column.
    """
    arrays = []
    for length in game.fleet:
        masks = game.placements(length)
        ordered = sorted(masks, key=lambda mask: _printed_order(game.cells_of(mask)))
        closed = [mask | game.halo(mask) for mask in ordered]
        arrays.append(np.hstack([to_words(ordered), to_words(closed)]))
    return tuple(arrays)


def _printed_order(cells: list[Cell]) -> tuple[bool, int, int]:
    (row, column), (last_row, _) = cells[0], cells[-1]
    is_vertical = last_row > row
    return (True, row, column) if is_vertical else (False, column, row)


class _SinkingHit(NamedTuple):
    """The hit that sank a ship, as sets of cells (two words). hits_by_then -- with the last one."""

    last_cell: NDArray[np.uint64]
    hits_by_then: NDArray[np.uint64]


def _sinkings(position: Position) -> dict[int, _SinkingHit]:
    """Return, for each ship known to be sunk, the hit that sank it and the hits made by then.

    The keys are the indices of the ships in the fleet. Of several ships of one length, the first of
    the fleet is taken to be sunk first.
    """
    fleet, hits = position.game.fleet, 0
    sinkings = dict[int, _SinkingHit]()
    for shot in position.shots:
        bit = position.game.bit(shot.cell)
        hits |= bit if shot.reply.hit else 0
        if shot.reply.label is not None:
            of_length = [i for i, length in enumerate(fleet) if length == shot.reply.label]
            first_afloat = next(i for i in of_length if i not in sinkings)
            sinkings[first_afloat] = _SinkingHit(*to_words([bit, hits]))
    return sinkings


def _cells_shown(position: Position) -> Iterator[tuple[int, int]]:
    """Yield two masks for each ship of the fleet: cells that it covers, and cells that it does not.

    Here a hit shows its whole ship. The ships that are shown stand before others of their kind.
    """
    game, shown_by_kind = position.game, defaultdict[int, list[int]](list)
    for ship in {shot.reply.label for shot in position.shots if shot.reply.label}:
        assert isinstance(ship, Placement)
        shown_by_kind[game.kind_of(ship)].append(ship)
    for kind in game.fleet:
        covered = shown_by_kind[kind].pop() if shown_by_kind[kind] else 0
        yield covered, position.misses | position.hits & ~covered


def _cells_named(position: Position) -> Iterator[tuple[int, int]]:
    """Yield two masks for each ship of the fleet: cells that it covers, and cells that it does not.

    Here a hit names the kind of its ship. If several ships are of a kind, the hits on each of them
    are not known.
    """
    game = position.game
    for kind in game.fleet:
        hits = game.mask(shot.cell for shot in position.shots if shot.reply.label == kind)
        covered = hits if game.fleet.count(kind) == 1 else 0
        yield covered, position.misses | position.hits & ~hits


def _meet(sets: NDArray[np.uint64], other: NDArray[np.uint64]) -> NDArray[np.bool_]:
    return np.asarray((sets & other).any(axis=1))


def _lie_in(sets: NDArray[np.uint64], other: NDArray[np.uint64]) -> NDArray[np.bool_]:
    return ~_meet(sets, ~other)


def _cell_matrix(sets: NDArray[np.uint64], cells: int) -> Counts:
    """Return an array of shape (sets, cells) that is 1 where a set has a cell, else 0.

    sets -- uint64 of shape (sets, 2): low and high 64 bits.
    """
    words = np.ascontiguousarray(sets, "<u8")
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    covered: Counts = bits[:, :cells].astype(np.int64)
    return covered
