"""Families: the sets of cells that the configurations of a position may still hide.

A family is a list of distinct sets, of one size for a game. The weight of a set is the number of
configurations that have it (always 1 if ships may not touch along an edge, because then the cells
determine the configuration). With a prior, it is the sum of their weights.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from operator import and_, or_

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import (
    CellSets,
    Configurations,
    to_masks,
    to_words,
)
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.game import Game, Permutation
from optsearch.game.position import Position
from optsearch.support.errors import TooLarge

MAX_SETS = 4_000_000  # about 400 bytes each in a solver
QUICK_COMBINATIONS = 10**9  # combinations of placements that are listed in a tenth of a second
MAX_WEIGHT = (1 << 43) - 1  # of a family: totals up to 128 times as much stay below 2^50
_ROWS_AT_ONCE = 1 << 20  # rows sorted together to save memory
_HASH_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def _images(sets: CellSets, permutation: Permutation) -> CellSets:
    """Return the images of sets of cells under a permutation of the cells.

    A set is a row of words of 64 bits: cell c is bit c % 64 of word c // 64.

    permutation -- the image of each cell.
    """
    images = np.zeros_like(sets)
    lowest_bit = np.uint64(1)
    for cell, image in enumerate(permutation):
        has_cell = sets[:, cell // 64] >> np.uint64(cell % 64) & lowest_bit
        images[:, image // 64] |= has_cell << np.uint64(image % 64)
    return images


def sets_by_weight(position: Position) -> Counter[int]:
    """Map each weight to the number of sets of cells that have it, over all sets of a position.

    The weight of a set is the number of configurations with exactly these cells. `Family.of` has
    the weights too, but needs more memory: here the list of configurations is sorted in parts.

    Raises ImpossiblePosition if there is no configuration, TooLarge if they cannot be listed, and
    NotSupported if hits tell more than hit.
    """
    position.game.require_silent("a family of sets of cells")
    configurations = Configurations(position)
    configurations.require_some()
    words = configurations.list()
    part_count = min(-(-len(words) // _ROWS_AT_ONCE), 256)
    # A hash chooses the part of a set, so equal sets are in the same part.
    part_of_row = np.empty(len(words), np.uint8)
    for start in range(0, len(words), _ROWS_AT_ONCE):
        chunk = words[start : start + _ROWS_AT_ONCE]
        hashes = (chunk[:, 0] ^ chunk[:, 1] * _HASH_FACTOR) * _HASH_FACTOR >> np.uint64(40)
        part_of_row[start : start + _ROWS_AT_ONCE] = hashes % np.uint64(part_count)
    histogram: Counter[int] = Counter()
    for part in range(part_count):
        _, weights = _distinct_rows(words[part_of_row == part])
        distinct_weights, counts = np.unique(weights, return_counts=True)
        histogram.update(dict(zip(distinct_weights.tolist(), counts.tolist(), strict=True)))
    return histogram


def _distinct_rows(words: CellSets) -> tuple[CellSets, NDArray[np.int64]]:
    """Return the distinct cell sets (rows), ascending as integers, and how often each occurs."""
    # Not np.unique with an axis: a ctrl-C that falls into it comes out as a TypeError.
    words = words[np.lexsort(words.T)]
    is_first = np.ones(len(words), bool)  # of some equal rows
    is_first[1:] = (words[1:] != words[:-1]).any(axis=1)
    return words[is_first], np.diff(is_first.nonzero()[0], append=len(words))


def _too_many_error(configurations: int, position: Position) -> TooLarge:
    return TooLarge(
        f"{configurations:,} configurations of {position.game} are too many to solve exactly; at "
        f"most {MAX_SETS:,} are listed. bounds brackets its optimum, evaluate says what a strategy "
        "takes, posterior where the ships are"
    )


def require_total_weight(weight: int, name: Game | str) -> None:
    """Raise TooLarge if a total weight of a family is more than the search can handle.

    name -- what the error calls the family.
    """
    if weight > MAX_WEIGHT:
        raise TooLarge(
            f"the weights of {name} add up to {weight:,}; the search adds them in 64 bits and "
            f"takes {MAX_WEIGHT:,} in all: round them to smaller integers"
        )


@dataclass(frozen=True, eq=False)
class Family:
    """Distinct sets of cells (masks) with weights, sorted as integers.

    game -- the game that the sets come from; only its grid matters here. weights -- for each set,
    the number of configurations that have it; with a prior, their total weight.
    """

    game: Game
    sets: tuple[int, ...]
    weights: tuple[int, ...]

    @classmethod
    def of(cls, position: Position, prior: Prior | None = None) -> Family:
        """Return the family of a position: the cells of every configuration, without the hits.

        prior -- weights of the configurations. A configuration of weight 0 is left out.

        Raises ImpossiblePosition if there is no configuration, TooLarge if they cannot be listed or
        weigh too much, and NotSupported if hits tell more than hit.
        """
        position.game.require_silent("a family of sets of cells")
        if prior is not None:
            return cls._weighed(position, prior)
        listing = Configurations(position)
        is_quick = listing.combinations <= QUICK_COMBINATIONS
        configurations = (listing if is_quick else Posterior(position)).configurations
        if configurations > MAX_SETS:
            raise _too_many_error(configurations, position)
        listing.require_some()
        return cls.from_words(position.game, listing.list(), position.hits)

    @classmethod
    def _weighed(cls, position: Position, prior: Prior) -> Family:
        """Return the family of a position, in which a set weighs what its configurations do."""
        position.game.require_small("listing configurations")
        posterior = Posterior(position, prior=prior)
        if prior.placements is not None and posterior.configurations > MAX_SETS:
            raise _too_many_error(posterior.configurations, position)
        ships, configuration_weights = posterior.list_weighted(MAX_SETS)
        if not configuration_weights:
            posterior.require_some()
        weights: Counter[int] = Counter()
        masks = to_masks(np.bitwise_or.reduce(ships, axis=1))
        for mask, weight in zip(masks, configuration_weights, strict=True):
            weights[mask & ~position.hits] += weight
        sets = tuple(sorted(weights))
        family = cls(position.game, sets, tuple(weights[mask] for mask in sets))
        return family.check_total_weight()

    def check_total_weight(self, name: str = "") -> Family:
        """Return the family itself; raise TooLarge if its weights are too large for the search.

        name -- what the error calls the family; by default the text of its game.
        """
        require_total_weight(self.weight, name or self.game)
        return self

    @classmethod
    def from_words(cls, game: Game, words: CellSets, hits: int = 0) -> Family:
        """Return the family of the rows of an array of cell sets, without the cells of a mask."""
        sets, counts = _distinct_rows(words & ~to_words([hits]))
        return cls(game, tuple(to_masks(sets)), tuple(counts.tolist()))

    @property
    def weight(self) -> int:
        """The total weight: the number of configurations, if there is no prior."""
        return sum(self.weights)

    @cached_property
    def certain(self) -> int:
        """The mask of the cells in every set: hits that tell nothing and cost no miss."""
        return reduce(and_, self.sets, -1)

    @property
    def mean_hits(self) -> Fraction:
        """The mean number of cells of a set, by weight: the shots besides misses."""
        total = sum(
            mask.bit_count() * weight for mask, weight in zip(self.sets, self.weights, strict=True)
        )
        return Fraction(total, self.weight)

    @cached_property
    def hits(self) -> int:
        """The number of hits that end the game: the size of each set, or of the largest."""
        return max(mask.bit_count() for mask in self.sets)

    @cached_property
    def undecided(self) -> int:
        """The mask of the cells in some but not in all sets."""
        return reduce(or_, self.sets, 0) & ~self.certain

    @cached_property
    def automorphisms(self) -> tuple[Permutation, ...]:
        """The symmetries of the grid that map the family, with its weights, to itself."""
        words = to_words(self.sets)
        weights = np.array(self.weights)

        def is_automorphism(symmetry: Permutation) -> bool:
            images = _images(words, symmetry)
            ascending = np.lexsort((images[:, 0], images[:, 1]))  # as the sets are sorted
            has_same_sets = (images[ascending] == words).all()
            has_same_weights = (weights[ascending] == weights).all()
            return bool(has_same_sets and has_same_weights)

        return tuple(filter(is_automorphism, self.game.symmetries()))
