"""Known answers as a prior: boards that give other answers have weight 0."""

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

BOARDS_AT_ONCE = 100_000  # boards that are asked together, which bounds the memory


@dataclass(frozen=True)
class KnownAnswer:
    """A question whose answer is known."""

    question: BoardQuestion
    answer: str

    def __str__(self) -> str:
        return f"{self.question.text}: {self.answer}"

    @classmethod
    def parse(cls, game: Game, text: str) -> KnownAnswer:
        """Parse a text such as `row 3: 2` or `FILE.py:NAME=yes`.

        Raises OptsearchError for another form, an unknown question, or an answer that the question
        cannot have.
        """
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
    """The prior by which only boards that give all known answers have a weight.

    base -- the prior that gives these their weights; None if all weigh 1.
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
        """The subject of a sentence about the prior, for errors."""
        return f"what is known ({self._answers_text})"

    @property
    def possible_boards(self) -> Sequence[tuple[int, ...]] | None:
        """The only boards that can have a weight, as masks of ships; None if any can."""
        return None if self.base is None else self.base.possible_boards

    def weight(self, ships: Sequence[int]) -> int:
        """Return the weight of a board, given as the masks of its ships."""
        ordered = list(ships) if self.game.has_twins else sorted(ships, key=self.game.rank)
        return self.weights(to_words(ordered, self.game.words)[None])[0]

    def weights(self, ships: CellSets) -> list[int]:
        """Return the weight of each board; 0 if it does not give all known answers."""
        weights = [1] * len(ships) if self.base is None else self.base.weights(ships)
        is_kept = self.keeps(ships).tolist()
        return [weight * keep for weight, keep in zip(weights, is_kept, strict=True)]

    def keeps(self, ships: CellSets) -> NDArray[np.bool_]:
        """Return for each board whether it gives all known answers.

        ships -- the cells of each ship; uint64 of shape (boards, ships, words).
        """
        is_kept = np.ones(len(ships), bool)
        for start in range(0, len(ships), BOARDS_AT_ONCE):
            batch = slice(start, start + BOARDS_AT_ONCE)
            boards = HiddenBoards(self.game, ships[batch])
            for known_answer in self.answers:
                texts, codes = boards.answers(known_answer.question)
                gives_answer = np.array([text == known_answer.answer for text in texts], bool)
                is_kept[batch] &= gives_answer[codes]
        return is_kept

    @cached_property
    def digest(self) -> str:
        """A digest of the answers, of the files of users' questions, and of the base."""
        lines = [f"{known_answer} {known_answer.question.digest}" for known_answer in self.answers]
        if self.base:
            lines.append(self.base.digest)
        return blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()


def known(game: Game | str, *answers: str, prior: Prior | None = None) -> Prior | None:
    """Return a prior by which boards that do not give these answers have weight 0.

    answers -- texts such as "row 3: 2" or "FILE.py:NAME=yes".
    prior -- gives the other boards their weights; it is returned as it is without answers.

    Raises OptsearchError for an unknown question, or an answer that the question cannot have.
    """
    if not answers:
        return prior
    game = any_game(game) if isinstance(game, str) else game
    return KnownAnswers(game, [KnownAnswer.parse(game, text) for text in answers], prior)
