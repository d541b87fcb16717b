"""What questions tell: the probabilities of answers, their information, and what shots gain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import to_masks
from optsearch.counting.constraints import Ship
from optsearch.counting.mixture import MixedPosterior, PartPosterior, posterior_of
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import FleetPrior, Prior
from optsearch.game import Cell, Game
from optsearch.game.fleets import any_position
from optsearch.game.position import Position
from optsearch.questions.boards import HiddenBoards
from optsearch.questions.channel import Channel, entropy, probability_of
from optsearch.questions.questions import (
    BoardQuestion,
    built_in_questions,
    possible_ships,
    question_of,
    question_of_shot,
)

MOST_LISTED = 100_000  # configurations up to which each one is asked
SAMPLES = 10_000
MOST_SEARCHED = 200  # configurations up to which the optimum after an answer is searched


@dataclass(frozen=True)
class QuestionWorth:
    """What the answer to a question tells.

    question -- its text.
    method -- "listed" or "counted", if the values are exact, or "sampled". "listed" asked each
        board, "counted" counted boards without listing them.
    answers -- the probability that each answer is true.
    bits -- the expected information of the answer that is heard.
    gain -- how much, on average, the answer raises the probability that the best next shot hits.
    mean -- the least mean number of shots after the answer; None if it was not searched.
    bits_error, gain_error -- standard errors of `bits` and `gain`, None where they are exact. If
        the fleet is not known, the gain of a counted question comes from a sample.
    """

    question: str
    method: str
    answers: dict[str, Fraction]
    bits: float
    bits_error: float | None
    gain: Fraction
    gain_error: float | None
    mean: Fraction | None

    def to_dict(self) -> dict[str, Any]:
        """Return the values as a row of a table, with probabilities as floats."""
        return {
            "question": self.question,
            "bits": self.bits,
            "bits_error": self.bits_error,
            "gain": float(self.gain),
            "gain_error": self.gain_error,
            "mean": self.mean,
            "method": self.method,
            "answers": {answer: float(chance) for answer, chance in self.answers.items()},
        }


class Inquiry:
    """A position about which questions are asked. The arguments are those of `ask`."""

    def __init__(
        self,
        position: Position | Game | str,
        *,
        wrong: Fraction | float | str = 0,
        samples: int = SAMPLES,
        seed: int | None = None,
        prior: Prior | None = None,
    ):
        self.position = any_position(position)
        self.posterior = posterior_of(self.position, prior)
        self.posterior.require_some()
        self._prior, self._samples, self._seed = prior, samples, seed
        self._false_chance = probability_of(wrong)

    @cached_property
    def is_listed(self) -> bool:
        """True if the boards are few enough to ask each of them."""
        return self.posterior.configurations <= MOST_LISTED

    @cached_property
    def boards(self) -> HiddenBoards:
        """All boards with their weights if they are few; else a sample, of weight 1 each."""
        if self.is_listed:
            return HiddenBoards(self.position.game, *self.posterior.list_weighted())
        sample = self.posterior.sample(self._samples, self._seed, masks=True)
        return HiddenBoards(self.position.game, sample)

    def questions(
        self, chosen: Iterable[str | Callable[..., Any]] | None = None
    ) -> list[BoardQuestion]:
        """Return the question of each text or function; by default, all built-in questions."""
        game = self.position.game
        if chosen is None:
            return list(built_in_questions(game).values())
        return [question_of(game, question) for question in chosen]

    def _method(self, question: BoardQuestion) -> str:
        """Return how a question is answered: "listed", "counted" or "sampled"."""
        if self.is_listed:
            return "listed"
        return "counted" if question.ship_answers and self._has_counts else "sampled"

    @property
    def _has_counts(self) -> bool:
        """True if weights follow from counts: the boards of a fleet are equally likely."""
        return self._prior is None or isinstance(self._prior, FleetPrior)

    # Answers

    def weigh_answers(self, questions: Sequence[BoardQuestion]) -> list[dict[str, int]]:
        """Return for each question a mapping from its answers to the total weight of their boards.

        Answers of weight 0 are left out. In a sample, each board weighs 1.
        """
        counted = [question for question in questions if self._method(question) == "counted"]
        weights = dict(zip(counted, self._count_answers(counted), strict=True))
        return [
            weights[question] if question in weights else self.boards.weigh_answers(question)
            for question in questions
        ]

    def _count_answers(self, questions: Sequence[BoardQuestion]) -> list[dict[str, int]]:
        """Return for each question a mapping from its answers to the total weight of their boards.

        No board is listed: single ships must answer each question. Answers of weight 0 are left
        out.
        """
        shared = [question for question in questions if not question.is_exclusive]
        weights_without_ships = self._weigh_boards_without_ships(shared)
        weights = []
        for question in questions:
            by_answer = dict.fromkeys(question.answers_of_ships, 0)
            if question.is_exclusive:  # a board has at most one of the ships
                for ship, answer in (question.ship_answers or {}).items():
                    by_answer[answer] += self._weight_of_ship.get(ship, 0)
            else:  # a board may have several of the ships, which all give one answer
                weight = self.weight - weights_without_ships[question]
                by_answer = dict.fromkeys(by_answer, weight)
            default_weight = self.weight - sum(by_answer.values())
            by_answer = {question.default_answer: default_weight, **by_answer}
            weights.append({answer: weight for answer, weight in by_answer.items() if weight})
        return weights

    @cached_property
    def weight(self) -> int:
        """The total weight of all boards, by counting."""
        return self.posterior.weight

    @property
    def _weight_of_ship(self) -> Mapping[Ship, int]:
        """The weight of the boards with each ship, by counting."""
        if isinstance(self.posterior, MixedPosterior):
            return self.posterior.ship_weights
        return self.posterior.by_kind

    def _weigh_boards_without_ships(
        self, questions: Collection[BoardQuestion]
    ) -> Counter[BoardQuestion]:
        """Return for each question the weight of the boards that have no ship in `ship_answers`.

        All these ships must give one answer.
        """
        weights = Counter[BoardQuestion]()
        if not isinstance(self.posterior, MixedPosterior):
            for question in questions:
                (answer,) = question.answers_of_ships
                weights[question] = self._posterior_without(question, answer).configurations
            return weights
        for weighed in self.posterior.parts:  # the outer loop: each needs its counting table
            ships = possible_ships(weighed.part.position.game)
            for question in questions:
                masks = {mask for _, mask in question.ship_answers or ()}
                barred_ships = frozenset((kind, mask) for kind, mask in ships if mask in masks)
                configurations = PartPosterior(weighed.part, barred_ships).configurations
                weights[question] += weighed.weight * weighed.part.letterings * configurations
        return weights

    def _posterior_without(self, question: BoardQuestion, answer: str) -> Posterior:
        """Return the posterior given that no ship on the board gives this answer."""
        ship_answers = question.ship_answers or {}
        barred = frozenset(ship for ship in ship_answers if ship_answers[ship] == answer)
        return Posterior(self.position, barred=barred)

    # Shots

    @cached_property
    def _open_cells(self) -> NDArray[np.intp]:
        """The indices of the cells that can still be shot."""
        closed, cells = self.position.closed, range(self.position.game.cells)
        return np.array([cell for cell in cells if not closed >> cell & 1], np.intp)

    @cached_property
    def best_hit_chance(self) -> Fraction:
        """The probability that the best next shot hits; 0 if every cell is shot."""
        posterior = self.posterior
        chance_rows = posterior.frequency if posterior.is_exact else posterior.probability.tolist()
        chances = [chance for row in chance_rows for chance in row]
        return Fraction(max((chances[cell] for cell in self._open_cells), default=0))

    @cached_property
    def best_shot(self) -> tuple[Cell, float] | None:
        """The shot whose reply tells most, and its bits; None if every cell is shot."""
        cells = list(map(self.position.game.cell, self._open_cells.tolist()))
        replies = self.weigh_answers([question_of_shot(self.position, cell) for cell in cells])
        bits = [entropy(normalize(weights.values())) for weights in replies]
        return max(zip(cells, bits, strict=True), key=itemgetter(1), default=None)

    # Worth

    def rank(
        self, questions: Iterable[BoardQuestion], count: int | None = None
    ) -> list[QuestionWorth]:
        """Return what questions tell, the most informative first: `count` of them, or all."""
        questions = list(questions)
        candidates = []
        for question, weights in zip(questions, self.weigh_answers(questions), strict=True):
            channel = Channel(self._false_chance, len(weights))
            bits = channel.bits(list(weights.values()))
            candidates.append((bits, question, channel, weights))
        # Rounded, so that questions that tell the same keep their order on every machine.
        candidates.sort(key=lambda candidate: -round(candidate[0], 12))
        return [
            self._worth(question, channel, weights, bits)
            for bits, question, channel, weights in candidates[:count]
        ]

    def _worth(
        self, question: BoardQuestion, channel: Channel, weights: Mapping[str, int], bits: float
    ) -> QuestionWorth:
        method, values = self._method(question), list(weights.values())
        chances = dict(zip(weights, normalize(values), strict=True))
        gain, gain_error = self._gain(question, channel, weights)
        return QuestionWorth(
            question=question.text,
            method=method,
            answers={answer: chances[answer] for answer in sorted(chances, key=_answer_key)},
            bits=bits,
            bits_error=channel.bits_error(values) if method == "sampled" else None,
            gain=gain,
            gain_error=gain_error,
            mean=self._mean_after_answer(question, channel, list(weights)),
        )

    # The gain of the best next shot

    def _gain(
        self, question: BoardQuestion, channel: Channel, weights: Mapping[str, int]
    ) -> tuple[Fraction, float | None]:
        """Return how much an answer raises the chance that the best next shot hits, and its error.

        The error is the standard error of a gain from a sample, and None for an exact gain.

        channel -- how answers may be false. weights -- for each answer the weight of its boards.
        """
        if not len(self._open_cells):
            return Fraction(0), None
        is_mixed, method = isinstance(self.posterior, MixedPosterior), self._method(question)
        if method == "sampled" or (method == "counted" and is_mixed):
            return self._estimate_gain(question)
        if method == "listed":
            codes, answer_count = self._answer_codes(question, weights)
            by_answer_and_cell = self.boards.weigh_cells(codes, answer_count)
        else:
            by_answer_and_cell = self._count_cells(question, weights)
        by_answer_and_cell = by_answer_and_cell[:, self._open_cells]
        by_heard_answer = channel.matrix @ by_answer_and_cell
        weight_after = by_heard_answer.max(axis=1).sum()  # each time at the best cell
        weight_before = channel.scale * by_answer_and_cell.sum(axis=0).max()
        return Fraction(weight_after - weight_before, channel.scale * sum(weights.values())), None

    def _count_cells(
        self, question: BoardQuestion, weights: Mapping[str, int]
    ) -> NDArray[np.object_]:
        """Return for each answer and cell the weight of the boards with a ship on the cell.

        The array has a row for each answer in `weights` and a column for each cell. No board is
        listed.

        weights -- for each answer the total weight of its boards.
        """
        cell_weights = self.posterior.occurrence.ravel().astype(object)
        weights_by_answer, default_weights = {}, cell_weights
        for answer in weights:
            if answer == question.default_answer:
                continue
            weights_by_answer[answer] = cell_weights
            if weights[answer] < self.weight:
                weights_otherwise = self._posterior_without(question, answer).occurrence.ravel()
                weights_by_answer[answer] = cell_weights - weights_otherwise
            default_weights = default_weights - weights_by_answer[answer]
        return np.array(
            [weights_by_answer.get(answer, default_weights) for answer in weights], object
        )

    def _answer_codes(
        self, question: BoardQuestion, answers: Collection[str]
    ) -> tuple[NDArray[np.intp], int]:
        """Return for each board the index of its answer in `answers`, and the number of answers.

        An answer that is not in `answers` gets the index 0.
        """
        texts, codes = self.boards.answers(question)
        index = {answer: i for i, answer in enumerate(answers)}
        index_of_code = np.array([index.get(text, 0) for text in texts], np.intp)
        return index_of_code[codes], len(index)

    def _estimate_gain(self, question: BoardQuestion) -> tuple[Fraction, float]:
        """Return the gain, from a sample of boards, and its standard error.

        The boards of one half of the sample choose the cells to shoot, before and after each
        answer, and those of the other half say how often they hit; then the halves change their
        roles. A cell that was chosen by the boards that judge it would seem too good.
        """
        boards, cells = self.boards, self._open_cells
        codes, answer_count = self._answer_codes(question, boards.weigh_answers(question))
        channel = Channel(self._false_chance, answer_count)
        differences = []
        for parity in (0, 1):
            # The best cells to shoot: without an answer, and after each that is heard.
            by_answer_and_cell = boards.weigh_cells(codes, answer_count, parity)[:, cells]
            cell_before = cells[by_answer_and_cell.sum(axis=0).argmax()]
            cell_if_heard = cells[(channel.matrix @ by_answer_and_cell).argmax(axis=1)]
            judging_boards = slice(1 - parity, None, 2)
            has_ship = boards.has_ship[judging_boards]
            # A row for each of these boards: the chance of each answer that is heard.
            chances_heard = (channel.matrix.T / channel.scale).astype(float)[codes[judging_boards]]
            hits_after = (chances_heard * has_ship[:, cell_if_heard]).sum(axis=1)
            differences.append(hits_after - has_ship[:, cell_before])
        gains = np.concatenate(differences)
        return Fraction(float(gains.mean())), float(gains.std() / np.sqrt(len(gains)))

    # The optimum after the answer

    @cached_property
    def optimum(self) -> Fraction | None:
        """The least mean number of shots from here, without a question; None if it is not found.

        It is not searched if hits tell something, the fleet is not known, or more than
        MOST_SEARCHED configurations are left.
        """
        is_silent = not isinstance(self.posterior, MixedPosterior) and self.position.game.is_silent
        if not is_silent or self.posterior.configurations > MOST_SEARCHED:
            return None
        return self._least_mean(self._prior)

    def _least_mean(self, prior: Prior | None) -> Fraction | None:
        from optsearch.play.advice import find_optimum  # which loads all strategies

        solution = find_optimum(self.position, prior=prior)
        return None if solution is None else solution.mean

    def _mean_after_answer(
        self, question: BoardQuestion, channel: Channel, answers: list[str]
    ) -> Fraction | None:
        """Return the least mean number of shots after the answer, averaged over what is heard.

        None if the optimum without a question is not known, or if that after some answer is not.

        channel -- how answers may be false. answers -- the true answers that boards can have.
        """
        if self.optimum is None:
            return None
        game, (codes, _) = self.position.game, self._answer_codes(question, answers)
        boards = [tuple(to_masks(ships)) for ships in self.boards.ships]
        answer_of_board = codes.tolist()
        weighted_shots = Fraction(0)
        for chances_heard in channel.matrix:  # of one answer, by the true answer, times the scale
            weights = [
                chances_heard[answer] * weight
                for answer, weight in zip(answer_of_board, self.boards.weights, strict=True)
            ]
            if not any(weights):
                continue
            prior = Prior.of_configurations(game, dict(zip(boards, weights, strict=True)))
            mean = self._least_mean(prior)
            if mean is None:
                return None
            weighted_shots += mean * sum(weights)
        return weighted_shots / (channel.scale * int(self.boards.weights.sum()))


def normalize(weights: Iterable[int]) -> list[Fraction]:
    """Return each weight divided by the sum of all."""
    weights = list(weights)
    total = sum(weights)
    return [Fraction(weight, total) for weight in weights]


def _answer_key(answer: str) -> tuple[bool, int, str]:
    """Return the sort key of an answer: numbers come first, ascending, then texts."""
    is_text = not answer.isdecimal()
    return is_text, 0 if is_text else int(answer), answer


def ask(
    position: Position | Game | str,
    questions: Iterable[str | Callable[..., Any]] | None = None,
    *,
    wrong: Fraction | float | str = 0,
    samples: int = SAMPLES,
    seed: int | None = None,
    prior: Prior | None = None,
    number: int | None = None,
) -> list[QuestionWorth]:
    """Return what questions about the hidden board tell, the most informative first.

    position -- a position, a game, or the text of a game.
    questions -- texts of built-in questions, `FILE.py:NAME`, or functions of a board; None for all
        built-in ones. A board is an integer array of shape (rows, columns) with the number of the
        ship on each cell, from 1 in the order of the fleet; 0 is water.
    wrong -- the probability that an answer is false (`optsearch.questions.channel`).
    samples -- the number of boards that are drawn for questions that are not answered exactly.
    seed -- the same seed draws the same boards.
    prior -- the weights of the boards; `known` makes a prior of known answers.
    number -- how many questions are returned; None for all.

    Raises ImpossiblePosition if no board is left, OptsearchError for an unknown question.
    """
    inquiry = Inquiry(position, wrong=wrong, samples=samples, seed=seed, prior=prior)
    return inquiry.rank(inquiry.questions(questions), number)
