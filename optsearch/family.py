"""What is still to be found: the sets of cells that the configurations of a position hide.

A family is a list of distinct sets of one size, each with the number of configurations that have
it (its weight; always 1 where ships may not touch along an edge, because then the cells determine
the configuration).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from optsearch.configurations import CellSets, Configurations, to_masks, to_words
from optsearch.errors import TooLarge
from optsearch.game import Game, Permutation
from optsearch.position import Position

MAX_SETS = 4_000_000  # about 400 bytes each in a solver


def _moved(sets: CellSets, permutation: Permutation) -> CellSets:
    """The images of an array of cell sets."""
    result = np.zeros_like(sets)
    low_bit = np.uint64(1)
    for cell, target in enumerate(permutation):
        has = sets[:, cell >> 6] >> np.uint64(cell & 63) & low_bit
        result[:, target >> 6] |= has << np.uint64(target & 63)
    return result


@dataclass(frozen=True, eq=False)
class Family:
    """Distinct sets of cells with weights, ascending as integers.

    game -- the game they come from; only its grid matters here.
    sets -- their masks; weights -- how many configurations have each.
    """

    game: Game
    sets: tuple[int, ...]
    weights: tuple[int, ...]

    @classmethod
    def of(cls, position: Position) -> Family:
        """The family of a position: every compatible configuration less the cells hit.

        Raises ImpossiblePosition when there is none, TooLarge when they cannot be listed,
        NotSupported where sinkings are announced.
        """
        position.game.require_silent("a family of sets of cells")
        configurations = Configurations(position)
        configurations.require_some()
        if configurations.configurations > MAX_SETS:
            raise TooLarge(
                f"{configurations.configurations:,} configurations of {position.game} are too many "
                f"to solve exactly; at most {MAX_SETS:,} are listed"
            )
        return cls.from_words(position.game, configurations.list(), position.hits)

    @classmethod
    def from_words(cls, game: Game, words: CellSets, hits: int = 0) -> Family:
        """The family of the rows of an array of cell sets, less the cells in `hits`."""
        words = words & ~to_words([hits])
        # Not np.unique with an axis: a ctrl-C that falls into it comes out as a TypeError.
        words = words[np.lexsort(words.T)]
        is_first = np.ones(len(words), bool)
        is_first[1:] = (words[1:] != words[:-1]).any(axis=1)
        counts = np.diff(is_first.nonzero()[0], append=len(words))
        return cls(game, tuple(to_masks(words[is_first])), tuple(counts.tolist()))

    @property
    def weight(self) -> int:
        """The number of configurations."""
        return sum(self.weights)

    @cached_property
    def certain(self) -> int:
        """The cells in every set: hits that tell nothing and cost no miss."""
        result = -1
        for mask in self.sets:
            result &= mask
        return result

    @property
    def hits(self) -> int:
        """How many hits end the game from here: the size of each set."""
        return self.sets[0].bit_count()

    @cached_property
    def undecided(self) -> int:
        """The cells in some but not in all sets."""
        result = 0
        for mask in self.sets:
            result |= mask
        return result & ~self.certain

    @cached_property
    def automorphisms(self) -> tuple[Permutation, ...]:
        """The symmetries of the grid that map the family, with its weights, to itself."""
        words = to_words(self.sets)
        weights = np.array(self.weights)

        def is_kept(permutation: Permutation) -> bool:
            moved = _moved(words, permutation)
            order = np.lexsort((moved[:, 0], moved[:, 1]))
            return bool((moved[order] == words).all() and (weights[order] == weights).all())

        return tuple(filter(is_kept, self.game.symmetries()))
