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
from optsearch.game.announcements import (
    HIT,
    MISS,
    SIGNS,
    SUNK,
    WORDS,
    Reply,
)
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
_OFTEN = dict(zip("xhH*mMdDZ~", "XXXXoo●●●.", strict=True))  # what other marks often are


def legend(game: Game, in_figures: bool = False) -> str:
    """Return the meanings of the signs of replies that the game gives."""
    replies = (HIT, MISS) if game.is_silent else (HIT, MISS, SUNK)
    return ", ".join(f"{r.sign if in_figures else r.letter} {r}" for r in replies)


@lru_cache(maxsize=16)
def known_replies(game: Game) -> tuple[Reply, ...]:
    """Return all replies that the rules of the game allow, sorted by `Reply.order`."""
    return tuple(sorted({MISS} | game.hit_replies, key=lambda reply: reply.order))


def replies_at(game: Game, cell: Cell) -> list[Reply]:
    """Return the known replies to a shot at a cell; shown ships must lie on it."""
    bit = game.bit(cell)
    return [
        answer
        for answer in known_replies(game)
        if not isinstance(answer.label, Placement) or answer.label & bit
    ]


def reply(game: Game, configuration: Iterable[int], hits: int, shot: int) -> Reply:
    """Return the opponent's reply: the rules of the game in one function.

    configuration -- masks of the ships, with twins in the order of the fleet; hits -- mask of the
    cells hit before; shot -- mask of the cell shot now.
    """
    for number, ship in enumerate(configuration):
        if ship & shot and game.is_silent:
            return HIT  # also where one set of cells is all the ships
        if ship & shot:
            kind = game.fleet[number] if game.has_twins else game.kind_of(ship)
            return game.hit_reply(kind, ship, shot.bit_length() - 1, not ship & ~(hits | shot))
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

    Two positions are equal if they have the same game and shots; the order matters only if sinkings
    are announced. Raises PositionError for a cell off the board, a cell shot twice, a reply that
    the game never gives, and more hits, misses or sinkings than there can be. It does not check
    that a configuration is left, as `optsearch.counting` can.
    """

    game: Game
    shots: tuple[Shot, ...]

    def __init__(
        self,
        game: Game | str,
        shots: str | Iterable[Shot] | Mapping[Cell | str, Reply | str] = (),
    ):
        game = self._game_of(game)
        parsed = shots_of(game, shots) if isinstance(shots, str) else _shots_in(game, shots)
        self.__dict__.update(game=game, shots=parsed)
        cells_shot = 0
        for number, shot in enumerate(self.shots):
            cells_shot |= self._check_shot(shot, self.shots[:number], cells_shot)
        self._check_numbers()

    def _check_shot(self, shot: Shot, before: Sequence[Shot], cells_shot: int) -> int:
        """Return the mask of a shot's cell; PositionError if it cannot follow these shots."""
        try:
            bit = self.game.bit(shot.cell)
        except GameError as error:
            raise PositionError(f"{shot}: {error}") from None
        if bit & cells_shot:
            first = next(earlier for earlier in before if earlier.cell == shot.cell)
            raise PositionError(f"{cell_name(shot.cell)} is shot twice: {first} and then {shot}")
        self._check_reply(shot)
        if shot.reply.hit:
            self._check_label(shot, before)
        return bit

    def _check_numbers(self) -> None:
        """Raise PositionError for more hits or misses than there can be."""
        game = self.game
        hits, misses = self.hits.bit_count(), self.misses.bit_count()
        if hits > 1 and game.ends_at_hit:
            raise PositionError(f"{hits} hits in {str(self)!r}, but the first hit ends {game}")
        if hits > game.fleet_cells:
            raise PositionError(
                f"{hits} hits in {str(self)!r}, but the fleet {game.fleet_text} has only "
                f"{game.fleet_cells} cells"
            )
        water = game.room - game.least_cells
        if misses > water:
            raise PositionError(
                f"{misses} misses in {str(self)!r}, but the board {game.board_text} has only "
                f"{water} cells without a ship"
            )

    @staticmethod
    def _game_of(game: Game | str) -> Game:
        """Return a game itself, or the game of a text; GameError for a fleet that is not known."""
        return Game.of(game)

    def _check_reply(self, shot: Shot) -> None:
        def form(answer: Reply) -> tuple[bool, bool, bool]:
            return answer.hit, answer.sunk, answer.label is None

        game = self.game
        if form(shot.reply) not in set(map(form, known_replies(game))):
            raise PositionError(
                f"{shot} is not a reply of a game with announce={game.announce}; it replies "
                f"{game.forms_of_replies}"
            )

    def _check_label(self, shot: Shot, before: Sequence[Shot]) -> None:
        """Raise PositionError for a ship that the fleet lacks, or that is named too often."""
        length = shot.reply.label
        lies_there = isinstance(length, Placement) and length & self.game.bit(shot.cell)
        if self.game.shows_ships and not lies_there:
            raise PositionError(
                f"{shot} shows no ship of the fleet {self.game.fleet_text} that lies there; the "
                f"replies are {self.game.forms_of_replies}"
            )
        most_hits = self.game.most_replies(shot.reply)
        number = 1 + sum(earlier.reply == shot.reply for earlier in before)
        if most_hits is None or number <= most_hits:
            return
        kind = "shape" if isinstance(length, Shape) else "length"
        kind = "label" if isinstance(length, str) else kind
        of_kind = "" if length is None else f" of {kind} {length}"
        limit = f"; the fleet {self.game.fleet_text} has {most_hits or 'none'}"
        if not most_hits:
            raise PositionError(f"{shot} names a ship{of_kind}{limit}")
        if shot.reply.sunk:
            raise PositionError(f"{shot} makes {number} sunk ships{of_kind}{limit}")
        cells = "cell" if most_hits == 1 else "cells"
        raise PositionError(f"{shot} makes {number} hits on ships{of_kind}{limit} {cells} of them")

    @classmethod
    def of(cls, position: Position | Game | str, shots: str = "") -> Position:
        """Return a position itself, or that of a game or of its text such as `4x4:3,2`.

        shots -- further shots, as in `B3=hit A1=miss`.
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
        """Return the position of a text such as `B3=hit A1=miss` (the empty text: no shot).

        Shots are separated by spaces or commas.
        """
        return cls(game, text)

    def __str__(self) -> str:
        return " ".join(map(str, self.shots))

    def __repr__(self) -> str:
        return f"Position({str(self.game)!r}, {str(self)!r})"

    @property
    def title(self) -> str:
        """The game, and the shots if there are any."""
        return f"{self.game}, {self}" if self.shots else str(self.game)

    @property
    def signs(self) -> dict[Cell, str]:
        """The sign in figures of each cell that is shot."""
        return {cell: answer.sign for cell, answer in self.drawn_replies.items()}

    @cached_property
    def drawn_replies(self) -> dict[Cell, Reply]:
        """The reply to draw at each cell shot.

        A hit that names the only ship of its kind, or shows its ship, is drawn as a sinking if it
        is the last hit of that ship.
        """
        fleet, times = self.game.fleet, Counter[Reply]()
        drawn: dict[Cell, Reply] = {}
        for shot in self.shots:
            drawn[shot.cell] = reply = shot.reply
            if reply.sunk or reply.label is None:
                continue
            times[reply] += 1
            is_one_ship = fleet.count(reply.label) == 1 or isinstance(reply.label, Placement)
            if is_one_ship and times[reply] == self.game.most_replies(reply):
                drawn[shot.cell] = SUNK
        return drawn

    @property
    def ships_afloat(self) -> int:
        """The number of ships afloat, as far as the replies tell."""
        return len(self.game.fleet) - sum(answer.sunk for answer in self.drawn_replies.values())

    def _repr_html_(self) -> str:
        """Return the board as notebooks show it: × is a hit, ○ a miss."""
        drawn = notebook.board_html(self.game.board, self.signs)
        return notebook.with_title(self.title, drawn, legend(self.game, True) if self.shots else "")

    # Drawn boards

    @classmethod
    def from_board(
        cls,
        game: Game | str,
        drawing: str | Iterable[Iterable[object]] | None = None,
        marks: str = "",
    ) -> Position:
        """Read a drawing, one line per row: `.` not shot, `X` hit, `o` miss, `-` a hole.

        `×`, `○` and `#` also mean hit, miss and hole; blank lines and spaces are skipped. The
        drawing may be a list of rows, or an array of signs. `S` or `●` marks a cell of a sunk ship;
        one cell of a ship is enough. The shots are in row-major order. Raises PositionError for a
        sunk ship if ships may touch along sides: the order of the hits says which ship was sunk.

        marks -- translates other signs, those before `=` into those after it: in `hmd-=xo●.` h is a
        hit, m a miss, d a sunk ship, and - a cell that was not shot.
        """
        if drawing is None:
            raise PositionError(
                "a drawn board needs its game: Position.from_board('4x4:3,2', board)"
            )
        game = cls._game_of(game)
        drawn = _drawn_replies(game, _drawn_rows(game, drawing), _meanings(marks))
        hit = next((cell for cell, answer in drawn.items() if answer.hit), None)
        if hit is not None and game.has_labels:
            raise PositionError(
                f"a drawn board does not say what the hit at {cell_name(hit)} tells; give the "
                f"shots as text: the replies of {game} are {game.forms_of_replies}"
            )
        if SUNK in drawn.values() and not game.is_silent:
            drawn = _sinkings_of(game, drawn)
        return cls(game, tuple(Shot(cell, answer) for cell, answer in drawn.items()))

    def board(self) -> str:
        """Draw the board: `rows` lines of `columns` characters, without a final newline."""
        game = self.game
        symbols = [["."] * game.columns for _ in range(game.rows)]
        for row, column in game.cells_of(game.holes):
            symbols[row][column] = HOLE
        for (row, column), answer in self.drawn_replies.items():
            symbols[row][column] = answer.letter
        return "\n".join(map("".join, symbols))

    # What the shots say

    def is_over(self, ships: Iterable[int]) -> bool:
        """True if the game against these ships (masks) is over."""
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
        """1 on the cells hit, 0 elsewhere; uint8 of shape (rows, columns)."""
        return self.game.array(self.hits)

    @property
    def misses_array(self) -> NDArray[np.uint8]:
        """1 on the cells missed, 0 elsewhere; uint8 of shape (rows, columns)."""
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
        bit = self._check_shot(shot, self.shots, self.hits | self.misses)
        following = self.unchecked(
            self.game,
            (*self.shots, shot),
            self.hits | (bit if answer.hit else 0),
            self.misses | (0 if answer.hit else bit),
        )
        following._check_numbers()
        return following

    @classmethod
    def unchecked(cls, game: Game, shots: tuple[Shot, ...], hits: int, misses: int) -> Position:
        """Return a position of shots that were checked before. hits, misses -- their masks."""
        position = object.__new__(cls)
        position.__dict__.update(game=game, shots=shots, hits=hits, misses=misses)
        return position

    def is_compatible(self, configuration: Sequence[int]) -> bool:
        """True if replaying the shots on this configuration (masks of ships) gives these replies.

        This is the definition; the kernels must agree with it.
        """
        hits = 0
        for shot in self.shots:
            bit = self.game.bit(shot.cell)
            if reply(self.game, configuration, hits, bit) != shot.reply:
                return False
            if shot.reply.hit:
                hits |= bit
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
    """Return shots given as such, or as replies by cell; PositionError for anything else."""
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

    In the name of a ship a blank may replace -, as in `E5 patrol boat`.
    """
    joined = re.sub(
        r"\b(hit|sunk)(?:\s*:\s*|(?<=sunk)\s*=\s*|(?=\d))",
        r"\1:",
        text.strip(" \t\r\n,;"),
        flags=re.IGNORECASE,
    )
    words = (
        re.split(r"(?:[\s,;=]|(?<!sunk)(?<!hit):)+", joined, flags=re.IGNORECASE) if joined else []
    )
    words = _join_names(words, game)
    shots = []
    while words:
        try:
            cell = parse_cell(words.pop(0))
        except GameError as error:
            raise PositionError(str(error)) from None
        if not words:
            name = cell_name(cell)
            raise PositionError(f"{name} has no reply; write it as in {name} miss or {name}=miss")
        answer = _spell_out(words.pop(0))
        if game.has_labels:
            if game.label_named(answer):
                answer = f"hit:{answer}"
            elif answer.lower() == "hit" and words and _is_label(words[0], game.bit(cell), game):
                answer = f"hit:{words.pop(0)}"
        elif words and (words[0].isdecimal() or _names_sunk_ship(answer, words, game)):
            answer += f":{words.pop(0)}"
        while words and not re.search(r"\d", words[0]):  # no cell, so a part of a wrong reply
            answer += f" {words.pop(0)}"
        shots.append(Shot(cell, game.reply(answer)))
    return tuple(shots)


def _join_names(words: Sequence[str], game: Game) -> list[str]:
    """Join words that are the name of one ship, as in patrol boat.

    A word that can be a cell is not joined: it begins the next shot.
    """
    names = [name for name in game.named_ships if "-" in name]
    joined: list[str] = []
    words = list(words)
    while words:
        answer, colon, first = words.pop(0).rpartition(":")
        for name in sorted(names, key=len, reverse=True):
            others = words[: name.count("-")]
            if "-".join((first, *others)).lower() == name and not any(map(is_cell, others)):
                first, words = " ".join((first, *others)), words[len(others) :]
                break
        joined.append(f"{answer}{colon}{first}")
    return joined


def _is_label(word: str, cell: int, game: Game) -> bool:
    """True if a word is the ship that a hit names or shows; A1 can be a ship of one cell."""
    ship = game.label_named(word)
    if isinstance(ship, Placement):
        return bool(ship & cell)
    return bool(ship) or word.isdecimal()


def _spell_out(word: str) -> str:
    """Return a reply in full, which may be abbreviated."""
    return WORDS.get(word.lower(), word)


def _names_sunk_ship(answer: str, words: list[str], game: Game) -> bool:
    """True if the next word is the ship that a sinking names: L4 can also be the next cell."""
    if answer.lower() != "sunk":
        return False
    if game.label_named(words[0]) in game.named_ships.values():
        return True
    following = _spell_out(words[1]).lower().partition(":")[0] if len(words) > 1 else ""
    return following not in ("hit", "miss", "sunk") and is_kind(words[0])


def _drawn_rows(game: Game, drawing: str | Iterable[Iterable[object]]) -> list[str]:
    """Return the rows of a drawn board without spaces and blank lines; one per row of the game."""
    lines = drawing.splitlines() if isinstance(drawing, str) else drawing
    if not isinstance(lines, Iterable) or not all(isinstance(line, Iterable) for line in lines):
        raise PositionError(f"{drawing!r} is not a drawn board; give its rows, of {BOARD_SIGNS}")
    rows = [row for row in ("".join("".join(map(str, line)).split()) for line in lines) if row]
    if len(rows) != game.rows:
        raise PositionError(
            f"the drawn board has {len(rows)} rows; {game} has {game.rows}, one line each"
        )
    return rows


def _drawn_replies(
    game: Game, rows: Sequence[str], meanings: Mapping[str, str]
) -> dict[Cell, Reply]:
    """Map the cells that are drawn as shot to the replies of their signs, row by row.

    meanings -- the signs that other signs stand for.
    """
    replies = {sign: r for r in (HIT, MISS, SUNK) for sign in SIGNS[str(r)]} | {"S": SUNK}
    unknown = {*"".join(rows)} - {".", *HOLES, *replies, *meanings}
    drawn: dict[Cell, Reply] = {}
    for i, row in enumerate(rows):
        place = f"row {i + 1} of the drawn board, {row!r},"
        if len(row) != game.columns:
            raise PositionError(f"{place} has {len(row)} cells; {game} has {game.columns} columns")
        for j, mark in enumerate(row):
            if mark in unknown:
                raise PositionError(
                    f"{mark!r} in {place} is none of {BOARD_SIGNS}; {_marks_to_give(unknown)}"
                )
            symbol = meanings.get(mark, mark)
            if (symbol in HOLES) != bool(game.holes >> i * game.columns + j & 1):
                is_hole = "no hole" if symbol in HOLES else "a hole"
                raise PositionError(
                    f"{symbol!r} in {place} is at {cell_name((i, j))}, which is {is_hole} of "
                    f"{game}; - or # is a hole"
                )
            if symbol in replies:
                drawn[i, j] = replies[symbol]
    return drawn


def _meanings(marks: str) -> dict[str, str]:
    """Map other marks to signs of drawn boards; the text is that of `Position.from_board`."""
    middle = len(marks) // 2
    meanings = dict(zip(marks[:middle], marks[middle + 1 :].replace("x", "X"), strict=False))
    accepted = {".", "S", *HOLES, *"".join(SIGNS.values())}
    is_whole = len(meanings) == middle and len(marks) == 2 * middle + 1 and marks[middle] == "="
    if marks and not (is_whole and {*meanings.values()} <= accepted):
        raise PositionError(
            f"{marks!r} are no marks of a drawn board; write each once, =, and for each what it "
            f"is, as in hmd-=xo●.: {BOARD_SIGNS}"
        )
    return meanings


def _marks_to_give(unknown: Iterable[str]) -> str:
    """Return advice on unknown signs, with a guess at what they are."""
    signs = sorted(unknown)
    meant = "".join(_OFTEN.get(sign, "?") for sign in signs)
    return (
        f"replace {' '.join(signs)}, or say what they are: --marks '{''.join(signs)}={meant}'"
        f"{', with a sign for ?' * ('?' in meant)}"
    )


def _sinkings_of(game: Game, drawn: Mapping[Cell, Reply]) -> dict[Cell, Reply]:
    """Return drawn replies with one sinking for each ship marked as sunk, at its last cell.

    If ships do not touch along sides, connected hits are one ship, and it makes no difference which
    of its cells was hit last.
    """
    if game.contact == "any":
        hits_in_order = " ".join(f"{cell_name(cell)}={r}" for cell, r in drawn.items() if r.hit)
        raise PositionError(
            "a drawn board does not tell the order of the shots, and where ships may touch it says "
            f"which ship was sunk; give the hits as text in their order, here {hits_in_order}"
        )
    replies = dict(drawn)
    hits = game.mask(cell for cell, answer in drawn.items() if answer.hit)
    for cell, answer in drawn.items():
        if answer == SUNK:
            ship = connected_cells(hits, game.board.sides, game.bit(cell))
            *others, last = game.cells_of(ship)
            replies |= dict.fromkeys(others, HIT)
            replies[last] = SUNK
            if game.labels:
                kinds = [kind for kind in game.fleet if ship in game.placements(kind)]
                if not kinds:
                    raise PositionError(
                        f"{'+'.join(game.names(ship))} is marked as sunk on the drawn board, and "
                        f"no ship of the fleet {game.fleet_text} lies there"
                    )
                replies[last] = Reply(True, True, kinds[0])
    return replies


def no_configuration(game: Game) -> ImpossiblePosition:
    """Return the error for a game whose fleet does not fit."""
    return ImpossiblePosition(
        f"{game} has no configuration: the fleet does not fit on the board with "
        f"contact={game.contact}"
    )


def play(
    shot: Callable[[Position], Cell | None], configuration: Iterable[int], start: Position
) -> Position:
    """Play a game against given ships, and return the position at its end.

    shot -- the cell to shoot at a position; None ends the game before the last ship is sunk.
    configuration -- masks of the ships, compatible with `start`, where the game begins.
    """
    ships, position, game = tuple(configuration), start, start.game
    while not position.is_over(ships):
        cell = shot(position)
        if cell is None:
            break
        answer = reply(game, ships, position.hits, game.bit(cell))
        position = position.after(cell, answer)
    return position
