"""What questions tell: the probabilities of their answers, their information, and shots saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import to_masks
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.game import Cell, Game
from optsearch.game.position import Position
from optsearch.play.advice import optimum
from optsearch.questions.boards import HiddenBoards
from optsearch.questions.channel import Channel, entropy, probability_of
from optsearch.questions.questions import BoardQuestion, built_in, question_of, shot_at

LISTED = 100_000  # configurations up to which each one is asked
SAMPLES = 10_000
SMALL = 200  # configurations up to which the optimum after an answer is searched

Cells = Mapping[str, NDArray[np.object_]]  # by answer, the weight of the boards with each cell


@dataclass(frozen=True)
class QuestionWorth:
    """What a question tells.

    question -- its text. method -- "counted" or "listed", which are exact, or "sampled". answers --
    the probability of each true answer. bits -- the expected information, and error its standard
    error, None if it is exact. gain -- how much the answer raises the probability that the best
    next shot hits, on average; of n samples its standard error is at most 1 / sqrt(n). mean -- the
    least mean number of shots after the answer, None if it was not searched.
    """

    question: str
    method: str
    answers: dict[str, Fraction]
    bits: float
    error: float | None
    gain: Fraction
    mean: Fraction | None

    def to_dict(self) -> dict[str, Any]:
        """Return the values as a row of a table, probabilities as floats."""
        return {
            "question": self.question,
            "bits": self.bits,
            "bits_error": self.error,
            "gain": float(self.gain),
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
        self.position = Position.of(position)
        self.posterior = Posterior(self.position, prior=prior)
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
            return HiddenBoards(self.position.game, *self.posterior.weighed())
        drawn = self.posterior.sample(self._samples, self._seed, masks=True)
        return HiddenBoards(self.position.game, drawn)

    def questions(
        self, asked: Iterable[str | Callable[..., Any]] | None = None
    ) -> list[BoardQuestion]:
        """Return the questions of some texts and functions; None for all built-in ones."""
        game = self.position.game
        if asked is None:
            return list(built_in(game).values())
        return [question_of(game, question) for question in asked]

    def _method(self, question: BoardQuestion) -> str:
        if self.is_listed:
            return "listed"
        is_counted = question.of_ships is not None and self._prior is None
        return "counted" if is_counted else "sampled"

    def _weigh(self, question: BoardQuestion) -> dict[str, int]:
        """Return the weight of each answer, where not 0."""
        if self._method(question) != "counted":
            return self.boards.weigh(question)
        assert question.of_ships is not None
        totals = dict.fromkeys(question.of_ships.values(), 0)
        if len(totals) > 1 or self._exclude_each_other(question):
            for ship, answer in question.of_ships.items():
                totals[answer] += self.posterior.by_kind.get(ship, 0)
        else:
            without = self._without(question, *totals).configurations
            totals = dict.fromkeys(totals, self.posterior.configurations - without)
        rest = self.posterior.configurations - sum(totals.values())
        weights = {question.otherwise: rest, **totals}
        return {answer: weight for answer, weight in weights.items() if weight}

    def _exclude_each_other(self, question: BoardQuestion) -> bool:
        """True if the ships of a question are places of one ship."""
        kinds = {kind for kind, _ in question.of_ships or ()}
        return all(self.position.game.fleet.count(kind) == 1 for kind in kinds) and len(kinds) < 2

    def _without(self, question: BoardQuestion, answer: str) -> Posterior:
        """Return the posterior given that no ship on the board gives this answer."""
        ships = (ship for ship, given in (question.of_ships or {}).items() if given == answer)
        return Posterior(self.position, barred=frozenset(ships))

    def _weigh_cells(self, question: BoardQuestion) -> tuple[Cells, Cells]:
        """Return the weights of cells from which one chooses, and those that judge the choice.

        These are two halves of a sample, else the same.
        """
        method = self._method(question)
        if method == "sampled":
            return self.boards.weigh_cells(question, 0, 2), self.boards.weigh_cells(question, 1, 2)
        if method == "listed":
            cells = self.boards.weigh_cells(question)
            return cells, cells
        everywhere = self.posterior.occurrence.ravel().astype(object)
        weights, cells, rest = self._weigh(question), {}, everywhere
        for answer in weights.keys() - {question.otherwise}:
            without = self._without(question, answer)
            some_left = weights[answer] < self.posterior.configurations
            absent = without.occurrence.ravel().astype(object) if some_left else 0 * everywhere
            cells[answer], rest = everywhere - absent, rest - (everywhere - absent)
        cells |= {question.otherwise: rest} if question.otherwise in weights else {}
        return cells, cells

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
        cells = map(self.position.game.cell, self._open_cells.tolist())
        shots = ((cell, self._bits(shot_at(self.position, cell))) for cell in cells)
        return max(shots, key=itemgetter(1), default=None)

    def _bits(self, shot: BoardQuestion) -> float:
        return entropy(shares(self._weigh(shot).values()))

    def rank(
        self, questions: Iterable[BoardQuestion], number: int | None = None
    ) -> list[QuestionWorth]:
        """Return what the best questions tell, the most informative first; None for all."""
        weighed = []
        for question in questions:
            weights = self._weigh(question)
            channel = Channel(self._wrong, len(weights))
            weighed.append((channel.bits(list(weights.values())), question, channel, weights))
        weighed.sort(key=lambda row: -round(row[0], 12))
        return [self._worth(*row) for row in weighed[:number]]

    def _worth(
        self, bits: float, question: BoardQuestion, channel: Channel, weights: Mapping[str, int]
    ) -> QuestionWorth:
        method, values = self._method(question), list(weights.values())
        answers = dict(zip(weights, shares(values), strict=True))
        return QuestionWorth(
            question.text,
            method,
            dict(sorted(answers.items(), key=lambda item: _answer_order(item[0]))),
            bits,
            channel.error(values) if method == "sampled" else None,
            self._gain(question, channel, weights),
            self._mean(question, channel, list(weights)),
        )

    def _gain(
        self, question: BoardQuestion, channel: Channel, weights: Mapping[str, int]
    ) -> Fraction:
        """Return the gain in the probability that the best next shot hits."""
        if not len(self._open_cells):
            return Fraction(0)
        none = np.zeros(self.position.game.cells, object)
        first, second = (
            np.array([half.get(answer, none)[self._open_cells] for answer in weights], object)
            for half in self._weigh_cells(question)
        )
        is_sampled = self._method(question) == "sampled"
        gain = 0
        for choosing, judging in ((first, second), (second, first))[: 1 + is_sampled]:
            cells = (channel.matrix @ choosing).argmax(axis=1)  # the best one after each answer
            gain += (channel.matrix @ judging)[np.arange(len(cells)), cells].sum()
            gain -= channel.scale * judging.sum(axis=0)[choosing.sum(axis=0).argmax()]
        return Fraction(gain, channel.scale * sum(weights.values()))

    @cached_property
    def optimum(self) -> Fraction | None:
        """The least mean number of shots from here; None if it was not searched or not found."""
        if self.posterior.configurations > SMALL:
            return None
        solution = optimum(self.position, prior=self._prior)
        return None if solution is None else solution.mean

    def _mean(
        self, question: BoardQuestion, channel: Channel, answers: list[str]
    ) -> Fraction | None:
        """Return the least mean number of shots after the answer."""
        if self.optimum is None:
            return None
        game, (named, codes) = self.position.game, self.boards.answers(question)
        ships = [tuple(to_masks(row)) for row in self.boards.ships]
        columns = [answers.index(named[code]) for code in codes]
        shots = Fraction(0)
        for row in channel.matrix:  # an answer that is heard, and its probability on each board
            heard = [
                row[j] * weight for j, weight in zip(columns, self.boards.weights, strict=True)
            ]
            after = Prior.of_configurations(game, dict(zip(ships, heard, strict=True)))
            solution = optimum(self.position, prior=after) if any(heard) else None
            if any(heard) and solution is None:
                return None
            shots += solution.mean * sum(heard) if solution else 0
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
