"""Answers that are known, as a prior: boards with other answers have weight 0."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import CellSets, to_words
from optsearch.counting.prior import BoardFilter, Prior
from optsearch.game import Game
from optsearch.game.fleets import any_game
from optsearch.questions.boards import HiddenBoards
from optsearch.questions.questions import BoardQuestion, question_of
from optsearch.support.errors import OptsearchError

BATCH = 100_000  # boards that are asked together, which bounds the memory


@dataclass(frozen=True)
class KnownAnswer:
    """A question whose answer is known."""

    question: BoardQuestion
    answer: str

    def __str__(self) -> str:
        return f"{self.question.text}: {self.answer}"

    @classmethod
    def parse(cls, game: Game, text: str) -> KnownAnswer:
        """Parse `row 3: 2` or `FILE.py:NAME=yes`; OptsearchError for another text."""
        match = re.fullmatch(r"(.+\.py:\w+)=(.+)", text) or re.fullmatch(r"(.+):(.+)", text)
        if not match:
            raise OptsearchError(
                f"{text!r} is not a known answer; write QUESTION: ANSWER, as in 'row 3: 2', or "
                "FILE.py:NAME=ANSWER"
            )
        question, answer = question_of(game, match[1]), match[2].strip()
        accepted = question.possible_answers
        if accepted is not None and answer not in accepted:
            raise OptsearchError(
                f"{answer!r} does not answer {question.text!r}; answer {' or '.join(accepted)}"
            )
        return cls(question, answer)


class KnownAnswers(BoardFilter):
    """The prior that keeps the weights of the boards that give known answers.

    base -- the weights; None: all are equal.
    """

    def __init__(self, game: Game, answers: Sequence[KnownAnswer], base: Prior | None = None):
        self.game, self.answers, self.base = game, tuple(answers), base
        self.name = f"{base.name}, {self._answers_text}" if base else self._answers_text

    def __reduce__(self) -> tuple[Callable[..., Prior | None], tuple[object, ...]]:
        return partial(known, prior=self.base), (self.game, *map(str, self.answers))

    @property
    def _answers_text(self) -> str:
        return ", ".join(map(str, self.answers))

    @property
    def title(self) -> str:
        """The subject of a sentence about the answers, for errors."""
        return f"what is known ({self._answers_text})"

    @property
    def rows(self) -> Sequence[tuple[int, ...]] | None:
        """The boards to which the base limits the prior (`Prior.rows`)."""
        return None if self.base is None else self.base.rows

    def weight(self, ships: Sequence[int]) -> int:
        """Return the weight of a board, given as the masks of its ships."""
        ordered = list(ships) if self.game.has_twins else sorted(ships, key=self.game.rank)
        return self.weights(to_words(ordered, self.game.words)[None])[0]

    def weights(self, ships: CellSets) -> list[int]:
        """Return the weights of many boards, 0 for those that give another answer."""
        weights = [1] * len(ships) if self.base is None else self.base.weights(ships)
        is_kept = self.keeps(ships).tolist()
        return [weight * keep for weight, keep in zip(weights, is_kept, strict=True)]

    def keeps(self, ships: CellSets) -> NDArray[np.bool_]:
        """Return True for the boards that give all known answers."""
        is_kept = np.ones(len(ships), bool)
        for start in range(0, len(ships), BATCH):
            batch = slice(start, start + BATCH)
            boards = HiddenBoards(self.game, ships[batch])
            for known_answer in self.answers:
                texts, codes = boards.answers(known_answer.question)
                gives_answer = np.array([text == known_answer.answer for text in texts], bool)
                is_kept[batch] &= gives_answer[codes]
        return is_kept

    @cached_property
    def digest(self) -> str:
        """A digest of the answers, the files that ask, and the base."""
        lines = [f"{known_answer} {known_answer.question.digest}" for known_answer in self.answers]
        if self.base:
            lines.append(self.base.digest)
        return blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


def known(game: Game | str, *answers: str, prior: Prior | None = None) -> Prior | None:
    """Return the prior that leaves the boards with some answers; `prior` itself if there are none.

    answers -- as in "row 3: 2" or "FILE.py:NAME=yes". prior -- weights of the boards. Raises
    OptsearchError for a question that does not exist or an answer that does not fit it.
    """
    if not answers:
        return prior
    game = any_game(game) if isinstance(game, str) else game
    return KnownAnswers(game, [KnownAnswer.parse(game, text) for text in answers], prior)
