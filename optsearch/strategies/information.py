"""The most informative shot, looking one shot ahead: maximum information gain, and even bisection.

`information` takes a cell whose reply has the highest entropy; `bisection` one that is hit in as
near to half of the configurations as can be. Where nothing is announced both shoot alike, up to
the cells that are tied. A shot whose reply is known gains nothing. A certain hit is shot at once,
which costs nothing, but where sinkings are announced: there it is shot if there is no other.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import ClassVar

import numpy as np

from optsearch.game import Game
from optsearch.strategies.player import ties
from optsearch.strategies.score import Score, ScoreNode, Scores, Scoring


@dataclass(frozen=True)
class Bisection(Scoring):
    """A cell that is hit in as near to half of the configurations as can be."""

    name: ClassVar[str] = "bisection"

    ties: str = ties()

    def score(self, game: Game) -> Score:
        """Return the score by the smaller part."""
        return Score(smaller_part, endgame=0, ties=self.ties, certain=True)


@dataclass(frozen=True)
class Information(Scoring):
    """A cell whose reply, with all that a hit tells, has the highest entropy."""

    name: ClassVar[str] = "information"

    ties: str = ties()

    def score(self, game: Game) -> Score:
        """Return the score by the entropy."""
        return Score(entropy, endgame=0, ties=self.ties, certain=True, labels=True)


def smaller_part(node: ScoreNode, scores: Scores) -> None:
    """Score each cell by the lesser of the configurations hit and the configurations missed."""
    for cell in range(len(scores)):
        hit = node.having[cell]
        scores[cell] = min(hit, node.configurations - hit)


def entropy(node: ScoreNode, scores: Scores) -> None:
    """Score each cell by the entropy of the reply to a shot there, in bits.

    Each reply leaves a part of the configurations. The parts are added in order of their size, so
    cells that split the configurations into parts of equal sizes have exactly equal scores.
    """
    labels, total_size = len(node.lengths), node.configurations
    missed, hit_without_label = labels, labels + 1  # indices in `sizes`, after those of the labels
    sizes = np.zeros(labels + 2, np.int64)
    for cell in range(len(scores)):
        if not node.having[cell]:
            continue
        sizes[missed] = total_size - node.having[cell]
        sizes[hit_without_label] = node.having[cell]
        for label in range(labels):
            sizes[label] = node.labelled[label, cell]
            sizes[hit_without_label] -= sizes[label]
        for i in range(1, labels + 2):  # few: sorted by insertion
            j = i
            while j and sizes[j - 1] > sizes[j]:
                sizes[j - 1], sizes[j] = sizes[j], sizes[j - 1]
                j -= 1
        bits = 0.0
        for size in sizes:
            if size:
                bits -= size / total_size * log2(size / total_size)
        scores[cell] = bits
