"""The questions about the hidden board: built-in ones, and those of users.

To add a built-in question, write a function that yields it for a game, and list it in `BUILT_IN`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.constraints import Ship
from optsearch.game import Cell, Game, cell_name, column_name
from optsearch.game.fleets import MixedGame, lengths_of
from optsearch.game.position import Position
from optsearch.game.shapes import LengthRange
from optsearch.support.errors import OptsearchError, StrategyError
from optsearch.support.user_code import UserFunction, call_user_code, safe_repr

LONGEST_ANSWER = 40  # signs of an answer
ShipNumbers = NDArray[np.uint8]  # shape (boards, rows, columns): the number of the ship; 0 is water


@dataclass(frozen=True, eq=False)
class BoardQuestion:
    """A question about the hidden board. One ship answers it, or only the whole board does.

    text -- how a person asks it.
    ship_answers -- the answer that the board gives if this ship (a kind and a mask) is on it. None
        if `answer_boards` answers.
    default_answer -- the answer if none of these ships is on the board.
    is_exclusive -- True if at most one of these ships can be on a board; else they all give one
        answer.
    answer_boards -- a function that returns the answer of each board; None if ships answer.
    board_answers -- all answers that `answer_boards` can return; empty if that is not known.
    digest -- a digest of the file of a user's question.
    """

    text: str
    ship_answers: Mapping[Ship, str] | None = None
    default_answer: str = "no"
    is_exclusive: bool = True
    answer_boards: Callable[[ShipNumbers], list[str]] | None = None
    board_answers: tuple[str, ...] = ()
    digest: str = ""

    @property
    def answers_of_ships(self) -> list[str]:
        """The different answers in `ship_answers`."""
        return list(dict.fromkeys((self.ship_answers or {}).values()))

    def answer_of_ship(self, kind: int, placement: int) -> str:
        """Return the answer of a ship on the board: the default answer if it decides nothing."""
        return (self.ship_answers or {}).get((kind, placement), self.default_answer)

    @property
    def possible_answers(self) -> list[str] | None:
        """All answers that the question can have; None if that is not known."""
        if self.ship_answers is not None:
            return [*self.answers_of_ships, self.default_answer]
        return list(self.board_answers) or None


def possible_ships(game: Game) -> list[Ship]:
    """List the ships that can be on a board, each as its kind and its mask.

    If lengths are not known and ships have no letters, each kind gets the placements of all
    lengths: the ships listed for a board do not say which of them has which range.
    """
    if not isinstance(game, MixedGame):
        return [
            (kind, ship) for kind in dict.fromkeys(game.fleet) for ship in game.placements(kind)
        ]
    all_lengths = {length for kind in game.fleet for length in lengths_of(kind)}
    ships: list[Ship] = []
    for kind in game.fleet:
        lengths = lengths_of(kind) if game.names_hits else all_lengths
        ships += [(kind, ship) for length in lengths for ship in game.placements(length)]
    return ships


def _regions(game: Game) -> Iterator[tuple[str, int]]:
    """Yield the name and the mask of each row, each column and, on rectangles, each quarter.

    If the number of rows or columns is odd, the quarters leave out the middle one.
    """
    rows, columns = range(game.rows), range(game.columns)

    def region_mask(some_rows: range, some_columns: range) -> int:
        cells = ((i, j) for i in some_rows for j in some_columns)
        return sum(1 << i * game.columns + j for i, j in cells)

    for row in rows:
        yield f"row {row + 1}", region_mask(range(row, row + 1), columns)
    for column in columns:
        yield f"column {column_name(column)}", region_mask(rows, range(column, column + 1))
    if not game.is_rectangle:
        return
    height, width = game.rows // 2, game.columns // 2
    halves = {"top": rows[:height], "bottom": rows[game.rows - height :]}
    sides = {"left": columns[:width], "right": columns[game.columns - width :]}
    for half, rows_of_half in halves.items():
        for side, columns_of_side in sides.items():
            yield f"{half} {side}", region_mask(rows_of_half, columns_of_side)


def ship_in_region(game: Game) -> Iterator[BoardQuestion]:
    """Yield the question for each row, column and quarter: is there a ship in it?"""
    for name, region_mask in _regions(game):
        yes_answers = {
            (kind, ship): "yes" for kind, ship in possible_ships(game) if ship & region_mask
        }
        yield BoardQuestion(f"any in {name}", yes_answers, is_exclusive=False)


def cells_in_region(game: Game) -> Iterator[BoardQuestion]:
    """Yield the question for each row, column and quarter: how many cells of ships has it?"""
    for name, region_mask in _regions(game):
        is_inside = game.array(region_mask).astype(bool)

        # The default keeps the region of this question when the loop goes on.
        def count_cells(boards: ShipNumbers, is_inside: NDArray[np.bool_] = is_inside) -> list[str]:
            return list(map(str, np.count_nonzero(boards[:, is_inside], axis=1).tolist()))

        possible_counts = tuple(map(str, range(int(is_inside.sum()) + 1)))
        yield BoardQuestion(name, answer_boards=count_cells, board_answers=possible_counts)


def _single_ships(game: Game) -> Iterator[tuple[str, list[Ship]]]:
    """Yield the name of each ship that no other ship of the fleet equals, and where it can lie.

    A place is its kind and the mask of its cells. Nothing is yielded if lengths are not known and
    hits do not name ships.
    """
    if isinstance(game, MixedGame) and not game.names_hits:
        return
    for kind in game.fleet:
        if game.fleet.count(kind) == 1:
            letter = kind.letter if isinstance(kind, LengthRange) else str(kind)
            name = "".join(game.kind_names.get(kind, ())) or f"ship {letter}"
            yield name, [ship for ship in possible_ships(game) if ship[0] == kind]


def ship_is_horizontal(game: Game) -> Iterator[BoardQuestion]:
    """Yield the question for each single ship of the fleet: does it lie in a row?"""
    for name, ships in _single_ships(game):
        rows_of_ship = {ship: {row for row, _ in game.cells_of(ship[1])} for ship in ships}
        yes_answers = {ship: "yes" for ship, rows in rows_of_ship.items() if len(rows) == 1}
        yield BoardQuestion(f"{name} horizontal", yes_answers)


def cell_of_ship(game: Game) -> Iterator[BoardQuestion]:
    """Yield the question for each single ship and each cell: does the ship cover the cell?"""
    for name, ships in _single_ships(game):
        for cell in game.cells_of((1 << game.cells) - 1 & ~game.holes):
            cell_mask = game.bit(cell)
            yes_answers = {(kind, ship): "yes" for kind, ship in ships if ship & cell_mask}
            yield BoardQuestion(f"{name} on {cell_name(cell)}", yes_answers)


def length_of_ship(game: Game) -> Iterator[BoardQuestion]:
    """Yield the question for each single ship, if the fleet is not known: how long is it?"""
    if isinstance(game, MixedGame):
        for name, ships in _single_ships(game):
            length_texts = {ship: str(ship[1].bit_count()) for ship in ships}
            yield BoardQuestion(f"length of {name}", length_texts)


def two_touch(game: Game) -> Iterator[BoardQuestion]:
    """Yield one question on a rectangle: do two ships touch along a side?"""

    def find_touching(boards: ShipNumbers) -> list[str]:
        above_and_below = boards[:, :-1], boards[:, 1:]
        left_and_right = boards[:, :, :-1], boards[:, :, 1:]
        has_touching = np.zeros(len(boards), bool)
        for cells, neighbours in (above_and_below, left_and_right):
            are_both_ships = (cells > 0) & (neighbours > 0)
            has_touching |= (are_both_ships & (cells != neighbours)).any(axis=(1, 2))
        return ["yes" if is_touching else "no" for is_touching in has_touching.tolist()]

    if game.is_rectangle:
        answers = ("no", "yes")
        yield BoardQuestion("two ships touch", answer_boards=find_touching, board_answers=answers)


BUILT_IN: tuple[Callable[[Game], Iterator[BoardQuestion]], ...] = (
    ship_in_region,
    cells_in_region,
    ship_is_horizontal,
    cell_of_ship,
    length_of_ship,
    two_touch,
)


@lru_cache(maxsize=4)
def built_in_questions(game: Game) -> dict[str, BoardQuestion]:
    """Return the built-in questions of a game by their texts."""
    return {question.text: question for maker in BUILT_IN for question in maker(game)}


def question_of_shot(position: Position, cell: Cell) -> BoardQuestion:
    """Return the question that a shot at a cell asks: its answers are the replies."""
    game, cell_mask = position.game, position.game.bit(cell)
    is_told_by_length = isinstance(game, MixedGame) and not game.names_hits

    def reply_text(kind: int, ship: int) -> str:
        told_kind = ship.bit_count() if is_told_by_length else kind
        is_sunk = not ship & ~(position.hits | cell_mask)
        return str(game.hit_reply(told_kind, ship, cell_mask.bit_length() - 1, is_sunk))

    replies = {
        (kind, ship): reply_text(kind, ship)
        for kind, ship in possible_ships(game)
        if ship & cell_mask
    }
    return BoardQuestion(f"shot at {cell_name(cell)}", replies, default_answer="miss")


def question_of(game: Game, question: str | Callable[..., Any]) -> BoardQuestion:
    """Return the question of a text or of a function of a board.

    question -- the text of a built-in question, `FILE.py:NAME` for a function NAME in a file, or a
        function.

    Raises OptsearchError for another text, StrategyError for a file without such a function.
    """
    if callable(question):
        return _user_question(question, getattr(question, "__name__", "function"))
    text = " ".join(question.split())
    if match := re.fullmatch(r"(.+\.py):(\w+)", text):
        function = UserFunction.of(Path(match[1]), match[2])
        if len(function.parameters) != 1:
            raise StrategyError(
                f"{function} takes ({', '.join(function.parameters)}); a question is a function of "
                "one, NAME(board)"
            )
        return _user_question(function.load(), str(function), function.digest())
    for name, built_in in built_in_questions(game).items():
        if name.casefold() == text.casefold():
            return built_in
    examples = [next(maker(game), None) for maker in BUILT_IN]
    accepted = ", ".join(f"'{example.text}'" for example in examples if example)
    raise OptsearchError(
        f"{text!r} is not a question about {game}; ask {accepted} or the like, or FILE.py:NAME"
    )


def _user_question(function: Callable[..., Any], text: str, digest: str = "") -> BoardQuestion:
    """Return a question that a user's function answers: it is called for each board."""

    def ask_function(boards: ShipNumbers) -> list[str]:
        answers = []
        for board in boards.astype(int):
            returned = call_user_code(function, board, failure=f"{text} fails for a board")
            answers.append(_answer_text(returned, text))
        return answers

    return BoardQuestion(text, answer_boards=ask_function, digest=digest)


def _answer_text(returned: object, question: str) -> str:
    """Return what a user's question returned as text: "yes" and "no" for True and False.

    question -- its name, for an error. Raises StrategyError for anything but a boolean, a whole
    number, or a text of at most LONGEST_ANSWER signs.
    """
    answer = returned.item() if isinstance(returned, np.generic) else returned
    if isinstance(answer, bool):
        return "yes" if answer else "no"
    if isinstance(answer, int | str) and 0 < len(str(answer)) <= LONGEST_ANSWER:
        return str(answer)
    raise StrategyError(
        f"{question} answers {safe_repr(answer)} for a board; True, False, a whole number or a "
        f"text of at most {LONGEST_ANSWER} signs is accepted"
    )
