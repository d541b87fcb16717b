"""Boards that are asked one by one: all that a position leaves, or a sample of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import CellSets, to_cells, to_masks
from optsearch.game import Game
from optsearch.questions.questions import BoardQuestion, ShipNumbers
from optsearch.support.errors import TooLarge

MOST_ANSWERS = 1000  # of a question


class CodedAnswers(NamedTuple):
    """The answers of many boards to one question.

    texts -- the different answers. codes -- for each board the index of its answer in `texts`.
    """

    texts: list[str]
    codes: NDArray[np.intp]


class HiddenBoards:
    """Boards that may be the hidden one, with weights proportional to their probabilities.

    ships -- the ships of each board as cell sets; uint64 of shape (boards, ships, words).
    weights -- an integer for each board; None if all weigh 1.
    """

    def __init__(self, game: Game, ships: CellSets, weights: Sequence[int] | None = None):
        self.game, self.ships = game, ships
        self._answers_of_users: dict[BoardQuestion, CodedAnswers] = {}
        weights = [1] * len(ships) if weights is None else weights
        self.weights = np.array(weights, np.int64 if sum(weights) < 1 << 60 else object)

    def __len__(self) -> int:
        return len(self.ships)

    @cached_property
    def ship_numbers(self) -> ShipNumbers:
        """The number of the ship on each cell, from 1 as in the fleet; 0 is water.

        The shape is (boards, rows, columns).
        """
        numbers_by_cell = np.zeros((len(self), self.game.cells), np.uint8)
        for ship_index in range(len(self.game.fleet)):  # ships do not overlap: no numbers are mixed
            numbers_by_cell += (ship_index + 1) * to_cells(
                self.ships[:, ship_index], self.game.cells
            )
        return numbers_by_cell.reshape(-1, self.game.rows, self.game.columns)

    @cached_property
    def _placements_of_ships(self) -> list[tuple[list[int], NDArray[np.intp]]]:
        """For each ship, its different placements (masks), and their index for each board."""
        return [_distinct_masks(self.ships[:, i]) for i in range(len(self.game.fleet))]

    def answers(self, question: BoardQuestion) -> CodedAnswers:
        """Return the different answers to a question, and for each board the index of its own.

        Raises TooLarge for more than MOST_ANSWERS different answers.
        """
        if question.answer_boards is None:
            return self._answers_by_ships(question)
        if question not in self._answers_of_users:  # a user's function may take long
            answers = question.answer_boards(self.ship_numbers)
            code_of = {answer: code for code, answer in enumerate(dict.fromkeys(answers))}
            if len(code_of) > MOST_ANSWERS:
                raise TooLarge(
                    f"{question.text} has {len(code_of):,} answers; at most {MOST_ANSWERS:,} are "
                    "accepted"
                )
            codes = np.array([code_of[answer] for answer in answers], np.intp)
            self._answers_of_users[question] = CodedAnswers(list(code_of), codes)
        return self._answers_of_users[question]

    def _answers_by_ships(self, question: BoardQuestion) -> CodedAnswers:
        """Return the answers of all boards to a question that single ships answer."""
        texts = [question.default_answer, *question.answers_of_ships]
        codes = np.zeros(len(self), np.intp)  # the default answer has code 0
        for kind, (placements, placement_index) in zip(
            self.game.fleet, self._placements_of_ships, strict=True
        ):
            answers = [question.answer_of_ship(kind, placement) for placement in placements]
            codes_of_placements = np.array([texts.index(answer) for answer in answers], np.intp)
            # The ships of one board give the default answer and at most one other answer.
            codes = np.maximum(codes, codes_of_placements[placement_index])
        return CodedAnswers(texts, codes)

    def weigh_answers(self, question: BoardQuestion) -> dict[str, int]:
        """Map each answer to a question to the total weight of its boards, if that is not 0."""
        texts, codes = self.answers(question)
        totals = np.zeros(len(texts), self.weights.dtype)
        np.add.at(totals, codes, self.weights)
        return {
            answer: total for answer, total in zip(texts, totals.tolist(), strict=True) if total
        }

    @cached_property
    def has_ship(self) -> NDArray[np.bool_]:
        """True on the cells of ships; an array of shape (boards, cells)."""
        return self.ship_numbers.reshape(len(self), -1) > 0

    def weigh_cells(
        self, codes: NDArray[np.intp], answer_count: int, parity: int | None = None
    ) -> NDArray[np.object_]:
        """Return, for each answer and cell, the weight of the boards with a ship on the cell.

        The shape is (answer_count, cells); row i is about the boards whose answer has code i.

        codes -- for each board the code of its answer, from 0 to answer_count - 1.
        parity -- 0 for the boards with even indices alone, 1 for those with odd ones, None for all.
        """
        boards = slice(None) if parity is None else slice(parity, None, 2)
        codes, weights, has_ship = codes[boards], self.weights[boards], self.has_ship[boards]
        weights_by_code = [
            weights[codes == code] @ has_ship[codes == code] for code in range(answer_count)
        ]
        return np.array(weights_by_code, object)


def _distinct_masks(cell_sets: CellSets) -> tuple[list[int], NDArray[np.intp]]:
    """Return the different rows of `cell_sets` as masks, and for each row the index of its mask."""
    sorted_indices = np.lexsort(cell_sets.T)
    ordered = cell_sets[sorted_indices]  # equal rows are neighbours
    is_first = np.ones(len(cell_sets), bool)  # of some equal rows
    is_first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    index_of_mask = np.empty(len(cell_sets), np.intp)
    index_of_mask[sorted_indices] = np.cumsum(is_first) - 1
    return to_masks(ordered[is_first]), index_of_mask
