"""What questions tell: the probabilities of their answers, their information, and shots saved."""

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
from optsearch.game.fleets import any_game, position_in
from optsearch.game.position import Position
from optsearch.questions.boards import HiddenBoards
from optsearch.questions.channel import Channel, entropy, probability_of
from optsearch.questions.questions import BoardQuestion, built_in, question_of, ships_of, shot_at

LISTED = 100_000  # configurations up to which each one is asked
SAMPLES = 10_000
SMALL = 200  # configurations up to which the optimum after an answer is searched


@dataclass(frozen=True)
class QuestionWorth:
    """The worth of a question: what its answer tells.

    question -- its text. method -- "counted" or "listed", which are exact, or "sampled". answers --
    the probability of each true answer. bits -- the expected information. gain -- how much the
    answer raises the probability that the best next shot hits, on average. mean -- the least mean
    number of shots after the answer, None if it was not searched. bits_error, gain_error -- the
    standard errors of a sample, None if exact; the gain of a counted question is of a sample if
    the fleet is not known.
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
        """Return the values as a row of a table, probabilities as floats."""
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
    """A position, and what questions about it tell. The arguments are those of `ask`."""

    def __init__(
        self,
        position: Position | Game | str,
        *,
        wrong: Fraction | float | str = 0,
        samples: int = SAMPLES,
        seed: int | None = None,
        prior: Prior | None = None,
    ):
        game = any_game(position) if isinstance(position, str) else position
        self.position = position_in(game) if isinstance(game, Game) else game
        self.posterior = posterior_of(self.position, prior)
        self.posterior.require_some()
        self._prior, self._samples, self._seed = prior, samples, seed
        self._wrong = probability_of(wrong)

    @cached_property
    def is_listed(self) -> bool:
        """True if the boards are few enough to ask each."""
        return self.posterior.configurations <= LISTED

    @cached_property
    def boards(self) -> HiddenBoards:
        """All boards, or a sample."""
        if self.is_listed:
            return HiddenBoards(self.position.game, *self.posterior.list_weighted())
        drawn = self.posterior.sample(self._samples, self._seed, masks=True)
        return HiddenBoards(self.position.game, drawn)

    def questions(
        self, chosen: Iterable[str | Callable[..., Any]] | None = None
    ) -> list[BoardQuestion]:
        """Return the questions of some texts and functions; None for all built-in ones."""
        game = self.position.game
        if chosen is None:
            return list(built_in(game).values())
        return [question_of(game, question) for question in chosen]

    def _method(self, question: BoardQuestion) -> str:
        if self.is_listed:
            return "listed"
        return "counted" if question.of_ships and self._is_uniform else "sampled"

    @property
    def _is_uniform(self) -> bool:
        """True if the boards of each fleet are equally likely, so that counts are weights."""
        return self._prior is None or isinstance(self._prior, FleetPrior)

    def weigh(self, questions: Sequence[BoardQuestion]) -> list[dict[str, int]]:
        """Return for each question the weight of each answer, where not 0."""
        absent = self._weigh_absences(questions)
        weights = []
        for question in questions:
            if self._method(question) != "counted":
                weights.append(self.boards.weigh(question))
                continue
            assert question.of_ships is not None
            by_answer = dict.fromkeys(question.answers, 0)
            if question.is_exclusive:
                for ship, answer in question.of_ships.items():
                    by_answer[answer] += self._ship_weights.get(ship, 0)
            else:  # its ships all give one answer, which a board has unless it has none of them
                by_answer = dict.fromkeys(by_answer, self.weight - absent[question.text])
            weight_otherwise = self.weight - sum(by_answer.values())
            weights.append({question.otherwise: weight_otherwise, **by_answer})
        return [{answer: n for answer, n in each.items() if n} for each in weights]

    @cached_property
    def weight(self) -> int:
        """The total weight of all boards, if they are counted."""
        return self.posterior.weight

    @property
    def _ship_weights(self) -> Mapping[Ship, int]:
        """The weight of the boards with each ship."""
        posterior = self.posterior
        if isinstance(posterior, MixedPosterior):
            return posterior.ship_weights
        return posterior.by_kind

    def _weigh_absences(self, questions: Iterable[BoardQuestion]) -> Counter[str]:
        """Return the weight of the boards with no ship of the questions that must be counted."""
        counted = [q for q in questions if self._method(q) == "counted" and not q.is_exclusive]
        totals = Counter[str]()
        if not isinstance(self.posterior, MixedPosterior):
            for question in counted:
                totals[question.text] = self._without(question, *question.answers).configurations
            return totals
        for part in self.posterior.parts:  # each with its table, so they are the outer loop
            ships = ships_of(part.part.position.game)
            for question in counted:
                masks = {mask for _, mask in question.of_ships or ()}
                barred = frozenset(ship for ship in ships if ship[1] in masks)
                left = PartPosterior(part.part, barred).configurations
                totals[question.text] += part.weight * part.part.letterings * left
        return totals

    def _without(self, question: BoardQuestion, answer: str) -> Posterior:
        """Return the posterior given that no ship on the board gives this answer."""
        of_ships = question.of_ships or {}
        ships = frozenset(ship for ship in of_ships if of_ships[ship] == answer)
        return Posterior(self.position, barred=ships)

    def _count_cells(
        self, question: BoardQuestion, weights: Mapping[str, int]
    ) -> NDArray[np.object_]:
        """Return the weight of the boards with each answer and a ship on each cell, by counting."""
        everywhere = self.posterior.occurrence.ravel().astype(object)
        cells, otherwise_cells = {}, everywhere
        for answer in weights.keys() - {question.otherwise}:
            is_certain = weights[answer] == self.weight
            without = 0 if is_certain else self._without(question, answer).occurrence.ravel()
            cells[answer] = everywhere - without
            otherwise_cells = otherwise_cells - cells[answer]
        return np.array([cells.get(answer, otherwise_cells) for answer in weights], object)

    @cached_property
    def _open_cells(self) -> NDArray[np.intp]:
        closed, cells = self.position.closed, range(self.position.game.cells)
        return np.array([cell for cell in cells if not closed >> cell & 1], np.intp)

    @cached_property
    def best_hit(self) -> Fraction:
        """The probability that the best next shot hits; 0 if every cell is shot."""
        posterior = self.posterior
        values = posterior.frequency if posterior.is_exact else posterior.probability.tolist()
        chances = [chance for row in values for chance in row]
        return Fraction(max((chances[cell] for cell in self._open_cells), default=0))

    @cached_property
    def best_shot(self) -> tuple[Cell, float] | None:
        """The shot whose reply tells most, and its bits; None if every cell is shot."""
        cells = list(map(self.position.game.cell, self._open_cells.tolist()))
        replies = self.weigh([shot_at(self.position, cell) for cell in cells])
        bits = [entropy(shares(weights.values())) for weights in replies]
        return max(zip(cells, bits, strict=True), key=itemgetter(1), default=None)

    def rank(
        self, questions: Iterable[BoardQuestion], number: int | None = None
    ) -> list[QuestionWorth]:
        """Return what the best questions tell, the most informative first; None for all."""
        questions = list(questions)
        rows = []
        for question, weights in zip(questions, self.weigh(questions), strict=True):
            channel = Channel(self._wrong, len(weights))
            rows.append((channel.bits(list(weights.values())), question, channel, weights))
        rows.sort(key=lambda row: -round(row[0], 12))
        return [self._worth(*row) for row in rows[:number]]

    def _worth(
        self, bits: float, question: BoardQuestion, channel: Channel, weights: Mapping[str, int]
    ) -> QuestionWorth:
        method, values = self._method(question), list(weights.values())
        answers = dict(zip(weights, shares(values), strict=True))
        gain, gain_error = self._gain(question, channel, weights)
        return QuestionWorth(
            question.text,
            method,
            dict(sorted(answers.items(), key=lambda item: _answer_order(item[0]))),
            bits,
            channel.error(values) if method == "sampled" else None,
            gain,
            gain_error,
            self._mean(question, channel, list(weights)),
        )

    def _gain(
        self, question: BoardQuestion, channel: Channel, weights: Mapping[str, int]
    ) -> tuple[Fraction, float | None]:
        """Return the gain in the probability that the best next shot hits, and its error."""
        if not len(self._open_cells):
            return Fraction(0), None
        is_mixed, method = isinstance(self.posterior, MixedPosterior), self._method(question)
        if method == "sampled" or (method == "counted" and is_mixed):
            return self._gain_of_sample(question)
        if method == "listed":
            cells = self.boards.weigh_cells(*self._codes(question, weights))
        else:
            cells = self._count_cells(question, weights)
        cells = cells[:, self._open_cells]
        after = (channel.matrix @ cells).max(axis=1).sum()
        gain = after - channel.scale * cells.sum(axis=0).max()
        return Fraction(gain, channel.scale * sum(weights.values())), None

    def _codes(
        self, question: BoardQuestion, answers: Collection[str]
    ) -> tuple[NDArray[np.intp], int]:
        """Return the answer of each board as an index of `answers`, and their number."""
        named, codes = self.boards.answers(question)
        order = {answer: i for i, answer in enumerate(answers)}
        return np.array([order.get(answer, 0) for answer in named], np.intp)[codes], len(order)

    def _gain_of_sample(self, question: BoardQuestion) -> tuple[Fraction, float]:
        """Return the gain of a sample: each half judges what the other one chooses."""
        boards, cells = self.boards, self._open_cells
        codes, number = self._codes(question, boards.weigh(question))
        channel, differences = Channel(self._wrong, number), []
        for half in (0, 1):
            choosing = boards.weigh_cells(codes, number, half)[:, cells]
            best = cells[(channel.matrix @ choosing).argmax(axis=1)]
            judging = boards.has_ship[1 - half :: 2]
            chances = (channel.matrix.T / channel.scale).astype(float)[codes[1 - half :: 2]]
            before = judging[:, cells[choosing.sum(axis=0).argmax()]]
            differences.append((chances * judging[:, best]).sum(axis=1) - before)
        gains = np.concatenate(differences)
        return Fraction(float(gains.mean())), float(gains.std() / np.sqrt(len(gains)))

    @cached_property
    def optimum(self) -> Fraction | None:
        """The least mean number of shots from here if hits tell nothing; None if not found."""
        is_silent = not isinstance(self.posterior, MixedPosterior) and self.position.game.is_silent
        if not is_silent or self.posterior.configurations > SMALL:
            return None
        return self._least_mean(self._prior)

    def _least_mean(self, prior: Prior | None) -> Fraction | None:
        from optsearch.play.advice import find_optimum  # which loads all strategies

        solution = find_optimum(self.position, prior=prior)
        return None if solution is None else solution.mean

    def _mean(
        self, question: BoardQuestion, channel: Channel, answers: list[str]
    ) -> Fraction | None:
        """Return the least mean number of shots after the answer."""
        if self.optimum is None:
            return None
        game, (codes, _) = self.position.game, self._codes(question, answers)
        ships = [tuple(to_masks(row)) for row in self.boards.ships]
        columns = codes.tolist()
        shots = Fraction(0)
        for row in channel.matrix:  # an answer that is heard, and its probability on each board
            weights = [
                row[j] * weight for j, weight in zip(columns, self.boards.weights, strict=True)
            ]
            after = Prior.of_configurations(game, dict(zip(ships, weights, strict=True)))
            mean = self._least_mean(after) if any(weights) else Fraction(0)
            if mean is None:
                return None
            shots += mean * sum(weights)
        return shots / (channel.scale * int(self.boards.weights.sum()))


def shares(weights: Iterable[int]) -> list[Fraction]:
    """Return each weight divided by their sum."""
    weights = list(weights)
    return [Fraction(weight, sum(weights)) for weight in weights]


def _answer_order(answer: str) -> tuple[bool, int, str]:
    """Return the sort key of an answer: numbers ascending, then texts."""
    return not answer.isdecimal(), int(answer) if answer.isdecimal() else 0, answer


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

    position -- a position, a game, or the text of a game. questions -- texts of built-in questions,
    `FILE.py:NAME`, or functions of a board, an integer array (rows, columns) with the number of the
    ship on each cell, 0 is water; by default all built-in ones. wrong -- the probability that an
    answer is false (`optsearch.questions.channel`). samples, seed -- of the boards that are drawn
    if they are too many to list and a question cannot be counted. prior -- weights of the boards;
    `known` makes one of answers. number -- of the best questions; None for all.

    Raises ImpossiblePosition if no board is left, OptsearchError for an unknown question.
    """
    inquiry = Inquiry(position, wrong=wrong, samples=samples, seed=seed, prior=prior)
    return inquiry.rank(inquiry.questions(questions), number)
