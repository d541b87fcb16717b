"""Boards that are asked one by one: all that a position leaves, or a sample of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import CellSets, to_cells, to_masks
from optsearch.game import Game
from optsearch.questions.questions import BoardQuestion, Numbers
from optsearch.support.errors import TooLarge

MOST_ANSWERS = 1000  # of a question


class HiddenBoards:
    """Boards with weights.

    ships -- uint64 of shape (boards, ships, words), as `Posterior.sample` has them. weights -- by
    default 1.
    """

    def __init__(self, game: Game, ships: CellSets, weights: Sequence[int] | None = None):
        self.game, self.ships = game, ships
        self._given: dict[BoardQuestion, tuple[list[str], NDArray[np.intp]]] = {}
        weights = [1] * len(ships) if weights is None else weights
        self.weights = np.array(weights, np.int64 if sum(weights) < 1 << 60 else object)

    def __len__(self) -> int:
        return len(self.ships)

    @cached_property
    def numbers(self) -> Numbers:
        """The number of the ship on each cell, from 1 in the order of the fleet; 0 is water."""
        cells = np.zeros((len(self), self.game.cells), np.uint8)
        for number in range(len(self.game.fleet)):
            cells += (number + 1) * to_cells(self.ships[:, number], self.game.cells)
        return cells.reshape(-1, self.game.rows, self.game.columns)

    @cached_property
    def _placements(self) -> list[tuple[list[int], NDArray[np.intp]]]:
        """The distinct masks of each ship of the fleet, and the index of the one on each board."""
        return [_distinct_masks(self.ships[:, i]) for i in range(len(self.game.fleet))]

    def answers(self, question: BoardQuestion) -> tuple[list[str], NDArray[np.intp]]:
        """Return the distinct answers to a question, and the index of that of each board."""
        if question.of_boards is None:
            return self._answers_of_ships(question)
        if question not in self._given:  # a user's function may take long
            of_boards = question.of_boards(self.numbers)
            index = {answer: i for i, answer in enumerate(dict.fromkeys(of_boards))}
            if len(index) > MOST_ANSWERS:
                raise TooLarge(
                    f"{question.text} has {len(index):,} answers; at most {MOST_ANSWERS:,} are "
                    "accepted"
                )
            codes = np.array([index[answer] for answer in of_boards], np.intp)
            self._given[question] = list(index), codes
        return self._given[question]

    def _answers_of_ships(self, question: BoardQuestion) -> tuple[list[str], NDArray[np.intp]]:
        answers = [question.otherwise, *question.answers]
        codes = np.zeros(len(self), np.intp)
        for kind, (masks, inverse) in zip(self.game.fleet, self._placements, strict=True):
            of_masks = ((question.of_ships or {}).get((kind, ship)) for ship in masks)
            of_mask = [0 if answer is None else answers.index(answer) for answer in of_masks]
            codes = np.maximum(codes, np.array(of_mask, np.intp)[inverse])
        return answers, codes

    def weigh(self, question: BoardQuestion) -> dict[str, int]:
        """Return the total weight of the boards with each answer, where not 0."""
        answers, codes = self.answers(question)
        totals = np.zeros(len(answers), self.weights.dtype)
        np.add.at(totals, codes, self.weights)
        return {
            answer: total for answer, total in zip(answers, totals.tolist(), strict=True) if total
        }

    @cached_property
    def has_ship(self) -> NDArray[np.bool_]:
        """True on the cells of ships; shape (boards, cells)."""
        return self.numbers.reshape(len(self), -1) > 0

    def weigh_cells(
        self, codes: NDArray[np.intp], number: int, half: int | None = None
    ) -> NDArray[np.object_]:
        """Return, for each answer, the weight of the boards with a ship on each cell.

        Row i of the result, of shape (number, cells), is for the boards whose answer has code i.

        codes -- the code of the answer of each board, from 0 to number - 1. half -- 0 takes only
        the boards with even indices, 1 those with odd ones, None all boards.
        """
        chosen = slice(half, None, 1 if half is None else 2)
        codes, weights, has_ship = codes[chosen], self.weights[chosen], self.has_ship[chosen]
        rows = [weights[codes == i] @ has_ship[codes == i] for i in range(number)]
        return np.array(rows, object)


def _distinct_masks(words: CellSets) -> tuple[list[int], NDArray[np.intp]]:
    """Return the distinct rows as masks, and the index of that of each row."""
    order = np.lexsort(words.T)
    ordered = words[order]
    is_first = np.ones(len(words), bool)
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    inverse = np.empty(len(words), np.intp)
    inverse[order] = np.cumsum(is_first) - 1
    return to_masks(ordered[is_first]), inverse
