"""Positions: the shots so far and their replies, read and written as text or a drawn board.

Text: `B3=hit A1=miss C4=sunk:3`, or `B3 hit, A1 m, C4 sunk 3`, in the order of the shots. Drawn
board: one line per row, `.` for a cell not shot, `X` or `×` for a hit, `o` or `○` for a miss, `S`
or `●` for a cell of a sunk ship, `-` or `#` for a hole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from optsearch.game import notebook
from optsearch.game.announcements import HIT, MISS, SIGNS, SUNK, WORDS, Reply
from optsearch.game.board import connected_cells
from optsearch.game.cells import Cell, cell_name, cell_of, is_cell, parse_cell
from optsearch.game.game import HOLE, HOLES, Game
from optsearch.game.shapes import Placement, Shape, is_kind
from optsearch.support.errors import GameError, ImpossiblePosition, NotSupported, PositionError

__all__ = [
    "HIT",
    "MISS",
    "SUNK",
    "Position",
    "Reply",
    "Shot",
    "known_replies",
    "legend",
    "no_configuration",
    "play",
    "replies_at",
    "reply",
    "shots_of",
]
BOARD_SIGNS = ". (not shot), X or × (hit), o or ○ (miss), S or ● (sunk), - or # (hole)"
_USUAL_MEANINGS = dict(zip("xhH*mMdDZ~", "XXXXoo●●●.", strict=True))  # what other marks often are


def legend(game: Game, *, in_figures: bool = False) -> str:
    """Return the meanings of the signs on a board, as in `X hit, o miss`.

    in_figures -- True for the signs in figures, × and ○; False for those in text.
    """
    replies = (HIT, MISS) if game.is_silent else (HIT, MISS, SUNK)
    signs = [answer.sign if in_figures else answer.letter for answer in replies]
    return ", ".join(f"{sign} {answer}" for sign, answer in zip(signs, replies, strict=True))


@lru_cache(maxsize=16)
def known_replies(game: Game) -> tuple[Reply, ...]:
    """Return all replies that the rules of the game can give, hits first and the miss last."""
    return tuple(sorted({MISS} | game.hit_replies, key=lambda reply: reply.order))


def replies_at(game: Game, cell: Cell) -> list[Reply]:
    """Return the replies that a shot at a cell can get; none shows a ship that lies elsewhere."""
    cell_mask = game.bit(cell)
    return [
        answer
        for answer in known_replies(game)
        if not isinstance(answer.label, Placement) or answer.label & cell_mask
    ]


def reply(game: Game, configuration: Iterable[int], hits: int, shot: int) -> Reply:
    """Return the opponent's reply to a shot: the rules of the game in one function.

    configuration -- the masks of the ships, in the order of the fleet if different kinds can lie on
    the same cells (`Game.has_twins`). hits, shot -- the masks of the cells hit before, and of the
    cell shot now.
    """
    for ship_index, ship in enumerate(configuration):
        if not ship & shot:
            continue
        if game.is_silent:
            return HIT  # without its kind: here the mask may be that of all ships together
        kind = game.fleet[ship_index] if game.has_twins else game.kind_of(ship)
        is_sunk = not ship & ~(hits | shot)
        return game.hit_reply(kind, ship, shot.bit_length() - 1, is_sunk)
    return MISS


@dataclass(frozen=True)
class Shot:
    """A cell, as (row, column), and the reply to shooting it."""

    cell: Cell
    reply: Reply

    def __str__(self) -> str:
        return f"{cell_name(self.cell)}={self.reply}"


@dataclass(frozen=True, eq=False, init=False)
class Position:
    """A game and the shots made so far, in order, with their replies; hashable.

    game -- a Game, or its text, as in `4x4:3,2`. shots -- shots, their text, as in
    `B3=hit A1=miss`, or replies by cell, as in `{"B3": "hit", (0, 0): "miss"}`.

    Two positions are equal if their games and shots are; the order of the shots matters only if
    sinkings are announced. Raises PositionError for a cell off the board, a cell shot twice, a
    reply that the game never gives, and more hits, misses or sinkings than there can be. Whether a
    configuration is left is not checked; `optsearch.counting` can tell.
    """

    game: Game
    shots: tuple[Shot, ...]

    def __init__(
        self, game: Game | str, shots: str | Iterable[Shot] | Mapping[Cell | str, Reply | str] = ()
    ):
        game = self._game_of(game)
        parsed = shots_of(game, shots) if isinstance(shots, str) else _shots_in(game, shots)
        self.__dict__.update(game=game, shots=parsed)
        cells_shot = 0
        for index, shot in enumerate(self.shots):
            cells_shot |= self._check_shot(shot, self.shots[:index], cells_shot)
        self._check_hits_and_misses()

    def _check_shot(self, shot: Shot, earlier_shots: Sequence[Shot], cells_shot: int) -> int:
        """Return the mask of a shot's cell; PositionError if it cannot follow the earlier shots.

        cells_shot -- the mask of the cells of the earlier shots.
        """
        try:
            cell_mask = self.game.bit(shot.cell)
        except GameError as error:
            raise PositionError(f"{shot}: {error}") from None
        if cell_mask & cells_shot:
            first_shot = next(earlier for earlier in earlier_shots if earlier.cell == shot.cell)
            raise PositionError(
                f"{cell_name(shot.cell)} is shot twice: {first_shot} and then {shot}"
            )
        self._check_reply(shot)
        if shot.reply.hit:
            self._check_label(shot, earlier_shots)
        return cell_mask

    def _check_hits_and_misses(self) -> None:
        """Raise PositionError for more hits or misses than there can be."""
        game = self.game
        hit_count, miss_count = self.hits.bit_count(), self.misses.bit_count()
        if hit_count > 1 and game.ends_at_hit:
            raise PositionError(f"{hit_count} hits in {str(self)!r}, but the first hit ends {game}")
        if hit_count > game.fleet_cells:
            raise PositionError(
                f"{hit_count} hits in {str(self)!r}, but the fleet {game.fleet_text} has only "
                f"{game.fleet_cells} cells"
            )
        water_count = game.room - game.least_cells
        if miss_count > water_count:
            raise PositionError(
                f"{miss_count} misses in {str(self)!r}, but the board {game.board_text} has only "
                f"{water_count} cells without a ship"
            )

    @staticmethod
    def _game_of(game: Game | str) -> Game:
        """Return a game itself, or the game of a text; GameError for an unknown fleet."""
        return Game.of(game)

    def _check_reply(self, shot: Shot) -> None:
        """Raise PositionError for a reply of a form that the game never gives."""

        def form_of_reply(answer: Reply) -> tuple[bool, bool, bool]:
            return answer.hit, answer.sunk, answer.label is None

        game, forms = self.game, set(map(form_of_reply, known_replies(self.game)))
        if not isinstance(shot.reply, Reply) or form_of_reply(shot.reply) not in forms:
            raise PositionError(
                f"{shot} is not a reply of a game with announce={game.announce}; it replies "
                f"{game.forms_of_replies}"
            )

    def _check_label(self, shot: Shot, earlier_shots: Sequence[Shot]) -> None:
        """Raise PositionError for a hit that names or shows a missing ship, or a ship too often."""
        label = shot.reply.label
        lies_there = isinstance(label, Placement) and label & self.game.bit(shot.cell)
        if self.game.shows_ships and not lies_there:
            raise PositionError(
                f"{shot} shows no ship of the fleet {self.game.fleet_text} that lies there; the "
                f"replies are {self.game.forms_of_replies}"
            )
        most_hits = self.game.most_replies(shot.reply)
        hits_now = 1 + sum(earlier.reply == shot.reply for earlier in earlier_shots)
        if most_hits is None or hits_now <= most_hits:
            return
        label_noun = "length"
        if isinstance(label, str):
            label_noun = "label"
        elif isinstance(label, Shape):
            label_noun = "shape"
        of_label = "" if label is None else f" of {label_noun} {label}"
        limit = f"; the fleet {self.game.fleet_text} has {most_hits or 'none'}"
        if not most_hits:
            raise PositionError(f"{shot} names a ship{of_label}{limit}")
        if shot.reply.sunk:
            raise PositionError(f"{shot} makes {hits_now} sunk ships{of_label}{limit}")
        cells = "cell" if most_hits == 1 else "cells"
        raise PositionError(
            f"{shot} makes {hits_now} hits on ships{of_label}{limit} {cells} of them"
        )

    @classmethod
    def of(cls, position: Position | Game | str, shots: str = "") -> Position:
        """Return a position itself, or the position of a game or of its text such as `4x4:3,2`.

        shots -- the text of shots to add, as in `B3=hit A1=miss`. Raises NotSupported for a
        position whose replies may be false.
        """
        if isinstance(position, Position):
            position.game.require_known_fleet()
            added = shots_of(position.game, shots)
            return cls(position.game, (*position.shots, *added)) if added else position
        if isinstance(position, Game | str):
            return cls(position, shots)
        if hasattr(position, "noise"):  # a NoisyPosition, whose module imports this one
            raise NotSupported(
                f"{position.title}: only posterior, sample, advise and simulate handle replies "
                "that may be false; everything else takes every reply as true"
            )
        raise PositionError(
            f"{position!r} is not a position; give a Position, a Game or its text, as in 4x4:3,2"
        )

    # Text

    @classmethod
    def parse(cls, game: Game | str, text: str) -> Position:
        """Return the position after the shots of a text such as `B3=hit A1=miss`.

        Shots are separated by spaces or commas. The empty text is no shot.
        """
        return cls(game, text)

    def __str__(self) -> str:
        return " ".join(map(str, self.shots))

    def __repr__(self) -> str:
        return f"Position({str(self.game)!r}, {str(self)!r})"

    @property
    def title(self) -> str:
        """The texts of the game and of the shots, if there are any."""
        return f"{self.game}, {self}" if self.shots else str(self.game)

    @property
    def signs(self) -> dict[Cell, str]:
        """The sign of each cell shot, as figures have it: ×, ○ or ●."""
        return {cell: answer.sign for cell, answer in self.drawn_replies.items()}

    @cached_property
    def drawn_replies(self) -> dict[Cell, Reply]:
        """The reply to draw at each cell shot.

        The last hit of a ship is drawn as a sinking if the replies say which ship each hit is on.
        """
        drawn = {shot.cell: shot.reply for shot in self.shots}
        hits_with_reply = Counter[Reply]()
        for cell, answer in drawn.items():
            label = answer.label
            if answer.sunk or label is None:
                continue
            hits_with_reply[answer] += 1
            is_one_ship = isinstance(label, Placement) or self.game.fleet.count(label) == 1
            if is_one_ship and hits_with_reply[answer] == self.game.most_replies(answer):
                drawn[cell] = SUNK
        return drawn

    @property
    def ships_afloat(self) -> int:
        """The number of ships that the replies do not show to be sunk."""
        return len(self.game.fleet) - sum(answer.sunk for answer in self.drawn_replies.values())

    def _repr_html_(self) -> str:
        """Return the board as notebooks show it, in HTML: × is a hit, ○ a miss."""
        drawn = notebook.board_html(self.game.board, self.signs)
        meanings = legend(self.game, in_figures=True) if self.shots else ""
        return notebook.with_title(self.title, drawn, meanings)

    # Drawn boards

    @classmethod
    def from_board(
        cls,
        game: Game | str,
        drawing: str | Iterable[Iterable[object]] | None = None,
        marks: str = "",
    ) -> Position:
        """Return the position that a drawing shows: `.` not shot, `X` hit, `o` miss, `-` a hole.

        drawing -- a text with one line per row of the board, a list of rows, or an array of signs.
            `×`, `○` and `#` also mean hit, miss and hole. `S` or `●` marks a cell of a sunk ship;
            one such cell of a ship is enough. Blank lines and spaces are skipped.
        marks -- translates other signs, those before `=` into those after it: by `hmd-=xo●.` h is a
            hit, m a miss, d a sunk ship, and - a cell that was not shot.

        The shots are in row-major order. Raises PositionError for a drawing that does not fit the
        game, and for a sunk ship if ships may touch along sides: then only the order of the hits
        says which ship was sunk.
        """
        if drawing is None:
            raise PositionError(
                "a drawn board needs its game: Position.from_board('4x4:3,2', board)"
            )
        game = cls._game_of(game)
        drawn = _drawn_replies(game, _drawn_rows(game, drawing), _parse_marks(marks))
        hit = next((cell for cell, answer in drawn.items() if answer.hit), None)
        if hit is not None and game.has_labels:
            raise PositionError(
                f"a drawn board does not say what the hit at {cell_name(hit)} tells; give the "
                f"shots as text: the replies of {game} are {game.forms_of_replies}"
            )
        if SUNK in drawn.values() and not game.is_silent:
            drawn = _with_sinkings(game, drawn)
        return cls(game, tuple(Shot(cell, answer) for cell, answer in drawn.items()))

    def board(self) -> str:
        """Return the drawn board: one line per row, one sign per cell, without a final newline.

        `.` is a cell not shot, `X` a hit, `o` a miss, `●` a hit that sinks, `-` a hole.
        """
        game = self.game
        signs = [["."] * game.columns for _ in range(game.rows)]
        for row, column in game.cells_of(game.holes):
            signs[row][column] = HOLE
        for (row, column), answer in self.drawn_replies.items():
            signs[row][column] = answer.letter
        return "\n".join(map("".join, signs))

    # What the shots say

    def is_over(self, ships: Iterable[int]) -> bool:
        """True if the game against these ships (masks) is over: no more hit is needed."""
        return not self.hits_left or not any(ship & ~self.hits for ship in ships)

    @cached_property
    def hits(self) -> int:
        """The mask of the cells hit."""
        return self.game.mask(shot.cell for shot in self.shots if shot.reply.hit)

    @property
    def hits_left(self) -> int:
        """The number of hits that end the game from here; 0 if it is over."""
        return self.game.hits_to_end - self.hits.bit_count()

    @cached_property
    def misses(self) -> int:
        """The mask of the cells missed."""
        return self.game.mask(shot.cell for shot in self.shots if not shot.reply.hit)

    @property
    def hits_array(self) -> NDArray[np.uint8]:
        """An array with 1 on the cells hit and 0 elsewhere: uint8 of shape (rows, columns)."""
        return self.game.array(self.hits)

    @property
    def misses_array(self) -> NDArray[np.uint8]:
        """An array with 1 on the cells missed and 0 elsewhere: uint8 of shape (rows, columns)."""
        return self.game.array(self.misses)

    @property
    def closed(self) -> int:
        """The mask of the cells that cannot be shot: those shot already, and the holes."""
        return self.hits | self.misses | self.game.holes

    def after(self, cell: Cell | str, answer: Reply | str) -> Position:
        """Return this position with one more shot; only that shot is checked.

        cell -- (row, column), or a name, as in `B3`. answer -- a Reply, or its text, as in `hit`.
        """
        if isinstance(answer, str):
            answer = self.game.reply(answer)
        shot = Shot(cell_of(cell), answer)
        cell_mask = self._check_shot(shot, self.shots, self.hits | self.misses)
        following = self.unchecked(
            self.game,
            (*self.shots, shot),
            hits=self.hits | cell_mask if answer.hit else self.hits,
            misses=self.misses if answer.hit else self.misses | cell_mask,
        )
        following._check_hits_and_misses()
        return following

    @classmethod
    def unchecked(cls, game: Game, shots: tuple[Shot, ...], hits: int, misses: int) -> Position:
        """Return a position of valid shots, unchecked; `hits` and `misses` are their masks."""
        position = object.__new__(cls)
        position.__dict__.update(game=game, shots=shots, hits=hits, misses=misses)
        return position

    def is_compatible(self, configuration: Sequence[int]) -> bool:
        """True if the ships of a configuration (masks) give these replies to these shots.

        This is the definition; the kernels must agree with it.
        """
        hits = 0
        for shot in self.shots:
            cell_mask = self.game.bit(shot.cell)
            if reply(self.game, configuration, hits, cell_mask) != shot.reply:
                return False
            if shot.reply.hit:
                hits |= cell_mask
        return True

    # Equality

    def _key(self) -> tuple[Game, object]:
        return self.game, self.shots if self.game.tells_sinkings else frozenset(self.shots)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())


def _shots_in(
    game: Game, shots: Iterable[Shot] | Mapping[Cell | str, Reply | str]
) -> tuple[Shot, ...]:
    """Return the shots that a user gives one by one, or as a mapping from cells to replies.

    Raises PositionError for a value that is not a shot.
    """
    if isinstance(shots, Mapping):
        return tuple(
            Shot(cell_of(cell), game.reply(answer) if isinstance(answer, str) else answer)
            for cell, answer in shots.items()
        )
    as_tuple = tuple(shots)
    for shot in as_tuple:
        if not isinstance(shot, Shot):
            raise PositionError(
                f"{shot!r} is not a shot; give their text, as in 'B3=hit A1=miss', or replies by "
                "cell, as in {'B3': 'hit', 'A1': 'miss'}"
            )
    return as_tuple


def shots_of(game: Game, text: str) -> tuple[Shot, ...]:
    """Return the shots of a text such as `B3=hit A1=miss C4=sunk:3` or `B3 hit4, A1 m, C4 sunk 3`.

    In the name of a ship a blank may replace -, as in `E5 patrol boat`. Raises PositionError for
    a text of another form.
    """
    words = _words_of(game, text)
    shots = []
    while words:
        try:
            cell = parse_cell(words.pop(0))
        except GameError as error:
            raise PositionError(str(error)) from None
        if not words:
            name = cell_name(cell)
            raise PositionError(f"{name} has no reply; write it as in {name} miss or {name}=miss")
        shots.append(Shot(cell, game.reply(_take_reply(words, game, cell))))
    return tuple(shots)


def _take_reply(words: list[str], game: Game, cell: Cell) -> str:
    """Remove the words of the reply to a shot from the start of a list, and return it, as hit:3."""
    answer = _spell_out(words.pop(0))
    if game.has_labels:
        if game.label_named(answer):  # the ship alone: only a hit names one
            answer = f"hit:{answer}"
        elif answer.lower() == "hit" and words and _is_label(words[0], game.bit(cell), game):
            answer = f"hit:{words.pop(0)}"
    elif words and (words[0].isdecimal() or _names_sunk_ship(answer, words, game)):
        answer += f":{words.pop(0)}"
    while words and not re.search(r"\d", words[0]):  # no cell, so a part of a wrong reply
        answer += f" {words.pop(0)}"
    return answer


def _words_of(game: Game, text: str) -> list[str]:
    """Return the words of a text of shots; a reply with its label, as in `hit:3`, is one word."""
    text = text.strip(" \t\r\n,;")
    if not text:
        return []
    # "hit : 3", "sunk = 3" and "hit3" become "hit:3", "sunk:3" and "hit:3".
    text = re.sub(
        r"\b(hit|sunk)(?:\s*:\s*|(?<=sunk)\s*=\s*|(?=\d))", r"\1:", text, flags=re.IGNORECASE
    )
    words = re.split(r"(?:[\s,;=]|(?<!sunk)(?<!hit):)+", text, flags=re.IGNORECASE)
    return _join_ship_names(words, game)


def _join_ship_names(words: Sequence[str], game: Game) -> list[str]:
    """Return the words with the name of a ship as one word, as in `patrol boat`.

    A word that can be a cell is not joined: it begins the next shot.
    """
    names = [name for name in game.named_ships if "-" in name]
    longest_first = sorted(names, key=len, reverse=True)
    joined: list[str] = []
    remaining = list(words)
    while remaining:
        answer, colon, word = remaining.pop(0).rpartition(":")
        for name in longest_first:
            next_words = remaining[: name.count("-")]
            joined_word = " ".join((word, *next_words))
            is_name = joined_word.lower().replace(" ", "-") == name
            if is_name and not any(map(is_cell, next_words)):
                word = joined_word
                del remaining[: len(next_words)]
                break
        joined.append(f"{answer}{colon}{word}")
    return joined


def _is_label(word: str, cell_mask: int, game: Game) -> bool:
    """True if a word after `hit` is the label of the hit, False if it begins the next shot.

    If hits show the ship, A1 can be both. It is the label if that ship lies on the cell (mask) that
    was shot.
    """
    label = game.label_named(word)
    if isinstance(label, Placement):
        return bool(label & cell_mask)
    return bool(label) or word.isdecimal()


def _spell_out(word: str) -> str:
    """Return the reply that a word abbreviates, as m does miss; another word stays as it is."""
    return WORDS.get(word.lower(), word)


def _names_sunk_ship(answer: str, words: list[str], game: Game) -> bool:
    """True if the first of the words after a reply is the ship sunk, and not the next shot.

    L4 can be both. It is a cell if a reply follows it.
    """
    if answer.lower() != "sunk":
        return False
    if game.label_named(words[0]) in game.named_ships.values():
        return True
    next_word = _spell_out(words[1]).lower() if len(words) > 1 else ""
    is_cell_with_reply = next_word.partition(":")[0] in ("hit", "miss", "sunk")
    return is_kind(words[0]) and not is_cell_with_reply


def _drawn_rows(game: Game, drawing: str | Iterable[Iterable[object]]) -> list[str]:
    """Return the rows of a drawn board, a text or rows of signs, without spaces and blank lines.

    Raises PositionError for another value, and for more or fewer rows than the game has.
    """
    lines = drawing.splitlines() if isinstance(drawing, str) else drawing
    if not isinstance(lines, Iterable) or not all(isinstance(line, Iterable) for line in lines):
        raise PositionError(f"{drawing!r} is not a drawn board; give its rows, of {BOARD_SIGNS}")
    lines_without_spaces = ("".join("".join(map(str, line)).split()) for line in lines)
    rows = [line for line in lines_without_spaces if line]
    if len(rows) != game.rows:
        raise PositionError(
            f"the drawn board has {len(rows)} rows; {game} has {game.rows}, one line each"
        )
    return rows


def _drawn_replies(
    game: Game, rows: Sequence[str], meanings: Mapping[str, str]
) -> dict[Cell, Reply]:
    """Return the replies of the cells that are drawn as shot, by cell and in row-major order.

    Raises PositionError for rows that do not fit the game.

    meanings -- the usual sign for each mark that a user explains.
    """
    replies = {sign: answer for answer in (HIT, MISS, SUNK) for sign in SIGNS[str(answer)]}
    replies["S"] = SUNK
    unknown = {*"".join(rows)} - {".", *HOLES, *replies, *meanings}
    drawn: dict[Cell, Reply] = {}
    for row_index, row in enumerate(rows):
        row_text = f"row {row_index + 1} of the drawn board, {row!r},"
        if len(row) != game.columns:
            raise PositionError(
                f"{row_text} has {len(row)} cells; {game} has {game.columns} columns"
            )
        for column, mark in enumerate(row):
            if mark in unknown:
                raise PositionError(
                    f"{mark!r} in {row_text} is none of {BOARD_SIGNS}; {_marks_to_give(unknown)}"
                )
            sign, cell = meanings.get(mark, mark), (row_index, column)
            is_hole = cell not in game
            if (sign in HOLES) != is_hole:
                hole = "a hole" if is_hole else "no hole"
                raise PositionError(
                    f"{sign!r} in {row_text} is at {cell_name(cell)}, which is {hole} of {game}; "
                    "- or # is a hole"
                )
            if sign in replies:
                drawn[cell] = replies[sign]
    return drawn


def _parse_marks(marks: str) -> dict[str, str]:
    """Return the usual sign for each mark that a text such as `hmd-=xo●.` explains.

    The text is the marks, `=`, and as many signs. Raises PositionError for a text of another form.
    """
    middle = len(marks) // 2  # the place of =, as any other = is a mark
    marks_to_explain, equals, signs = (
        marks[:middle],
        marks[middle : middle + 1],
        marks[middle + 1 :],
    )
    meanings = dict(zip(marks_to_explain, signs.replace("x", "X"), strict=False))
    accepted = {".", "S", *HOLES, *"".join(SIGNS.values())}
    has_pairs = len(meanings) == middle == len(signs) and equals == "="
    if marks and not (has_pairs and {*meanings.values()} <= accepted):
        raise PositionError(
            f"{marks!r} are no marks of a drawn board; write each once, =, and for each what it "
            f"is, as in hmd-=xo●.: {BOARD_SIGNS}"
        )
    return meanings


def _marks_to_give(unknown: Iterable[str]) -> str:
    """Return advice on unknown signs of a drawn board, with a guess at what they mean."""
    signs = sorted(unknown)
    guess = "".join(_USUAL_MEANINGS.get(sign, "?") for sign in signs)
    hint = ", with a sign for ?" if "?" in guess else ""
    return (
        f"replace {' '.join(signs)}, or say what they are: --marks '{''.join(signs)}={guess}'{hint}"
    )


def _with_sinkings(game: Game, drawn: Mapping[Cell, Reply]) -> dict[Cell, Reply]:
    """Return drawn replies with one sinking for each ship marked as sunk, at its last cell.

    Connected hits are one ship, and it makes no difference which of its cells was hit last. Raises
    PositionError if ships may touch along sides.
    """
    if game.contact == "any":
        hits = [f"{cell_name(cell)}={answer}" for cell, answer in drawn.items() if answer.hit]
        raise PositionError(
            "a drawn board does not tell the order of the shots, and where ships may touch it says "
            f"which ship was sunk; give the hits as text in their order, here {' '.join(hits)}"
        )
    replies = dict(drawn)
    cells_hit = game.mask(cell for cell, answer in drawn.items() if answer.hit)
    for cell, answer in drawn.items():
        if answer == SUNK:
            ship = connected_cells(cells_hit, game.board.sides, game.bit(cell))
            *others, last = game.cells_of(ship)
            replies |= dict.fromkeys(others, HIT)
            replies[last] = _sinking_of(game, ship)
    return replies


def _sinking_of(game: Game, ship: int) -> Reply:
    """Return the reply to the hit that sinks a ship (mask), with its kind if the game tells it.

    In such a game, raises PositionError if no ship of the fleet can lie there.
    """
    if not game.labels:
        return SUNK
    kinds = [kind for kind in game.fleet if ship in game.placements(kind)]
    if not kinds:
        raise PositionError(
            f"{'+'.join(game.names(ship))} is marked as sunk on the drawn board, and no ship of "
            f"the fleet {game.fleet_text} lies there"
        )
    return Reply(hit=True, sunk=True, label=kinds[0])


def no_configuration(game: Game) -> ImpossiblePosition:
    """Return the error for a game whose fleet does not fit on the board."""
    return ImpossiblePosition(
        f"{game} has no configuration: the fleet does not fit on the board with "
        f"contact={game.contact}"
    )


def play(
    choose_shot: Callable[[Position], Cell | None], configuration: Iterable[int], start: Position
) -> Position:
    """Play a game against given ships (masks), and return the position at its end.

    choose_shot -- returns the cell to shoot at a position, or None to stop. start -- the position
    where the game begins; the ships must be compatible with it.
    """
    ships, position, game = tuple(configuration), start, start.game
    while not position.is_over(ships):
        cell = choose_shot(position)
        if cell is None:
            break
        answer = reply(game, ships, position.hits, game.bit(cell))
        position = position.after(cell, answer)
    return position
