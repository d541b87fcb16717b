"""Games whose fleet is not known: one of several fleets on one board, as in `6x6:2-4,2-4,2-4`.

    game = MixedGame("8x8:2-5r,2-5g,2-5p,2-5o,contact=any,announce=name")
    MixedPosition(game, "C4=hit:r A1=miss").parts

Each ship has a length from its range. A *vector of lengths* gives one length to each ship, in the
order of the fleet, so the game is a mixture of games with known fleets. With announce=name letters
name the ships, and a hit tells the letter, not the length. No reply tells that the last ship is
sunk.

Vectors belong to the same *part* of a position if the ships that hits have named have equal lengths
in both, and the other ships have equal lengths in some order. The configurations of a part are
counted in one game with a known fleet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product
from math import factorial, prod

from optsearch.game.announcements import Label, Reply
from optsearch.game.game import Game, has_ranges
from optsearch.game.position import Position, Shot, shots_of
from optsearch.game.shapes import LengthRange, Lettered, Shape
from optsearch.support.errors import GameError, NotSupported, TooLarge

MOST_PARTS = 2_000
Lengths = tuple[int, ...]  # descending


def lengths_of(kind: int) -> range:
    """Return the lengths that a ship of this kind can have: one, unless it is a range."""
    shortest = kind.least if isinstance(kind, LengthRange) else int(kind)
    return range(shortest, int(kind) + 1)


def letter_of(kind: int) -> str:
    """Return the letter of a kind of ship such as 3a or 2-5b; an empty text if it has none."""
    if isinstance(kind, LengthRange):
        return kind.letter
    return str(kind).lstrip("0123456789") if isinstance(kind, Lettered) else ""


@lru_cache(maxsize=1 << 12)
def count_length_vectors(kinds: tuple[int, ...]) -> dict[Lengths, int]:
    """Map the lengths of the ships, descending, to the number of ways to choose them.

    A way gives each ship a length from its range. Raises TooLarge for more than MOST_PARTS results.

    kinds -- the ships: lengths, or ranges of lengths.
    """
    counts = Counter[Lengths]({(): 1})
    for kind in kinds:
        extended_counts = Counter[Lengths]()
        for lengths, count in counts.items():
            for length in lengths_of(kind):
                extended = tuple(sorted((*lengths, length), reverse=True))
                extended_counts[extended] += count
        counts = extended_counts
        if len(counts) > MOST_PARTS:
            raise TooLarge(f"a game has at most {MOST_PARTS:,} fleets here; use fewer ranges")
    return dict(counts)


def count_orders(lengths: Lengths) -> int:
    """Count the permutations of the ships that exchange only ships of equal length."""
    return prod(map(factorial, Counter(lengths).values()))


@dataclass(frozen=True)
class Part:
    """The vectors of lengths that are counted together, in one game with a known fleet.

    named -- the length of each ship that a hit has named, by its kind in the fleet of ranges.
    others -- the lengths of all other ships, descending.
    vector_count -- the number of these vectors.
    letterings -- the number of ways to give the other ships their letters; 1 without letters.
    position -- the shots so far in the game with the known fleet.
    """

    named: dict[int, int]
    others: Lengths
    vector_count: int
    letterings: int
    position: Position

    @property
    def lengths(self) -> Lengths:
        """The lengths of all ships, descending."""
        return tuple(sorted((*self.named.values(), *self.others), reverse=True))


class MixedGame(Game):
    """A game in which some ships have a range in place of a length; otherwise as `Game`.

    The kind of such a ship is a `LengthRange`. With announce=name each ship has a letter of its
    own. Lengths that do not fit on the board together are left out.
    """

    def _check(self) -> None:
        """Check all fields, and replace some by their normal form; GameError for invalid ones."""
        if any(isinstance(kind, Shape) for kind in self.fleet):
            raise GameError(
                f"the fleet {self.fleet_text} has a shape beside ranges of lengths; give lengths"
            )
        if self.ends != "sunk":
            raise GameError(
                f"ends={self.ends} is for a fleet whose lengths are known, not {self.fleet_text}"
            )
        letters = [letter_of(kind) for kind in self.fleet]
        longest = max(map(int, self.fleet), default=0)
        game_of_shortest = Game(
            rows=self.rows,
            columns=self.columns,
            fleet=[lengths_of(kind)[0] for kind in self.fleet],
            contact=self.contact,
            announce=self.announce,
            holes=self.holes,
            board=self.board,
        )
        self.__dict__["_game_of_shortest"] = game_of_shortest
        self.game_of([longest])  # GameError if it is longer than the board
        for name in ("holes", "board", "announce", "announcement"):
            self.__dict__[name] = getattr(game_of_shortest, name)
        self.__dict__["fleet"] = tuple(sorted(self.fleet, key=lambda kind: (-kind, str(kind))))
        have_own_letters = "" not in letters and len({*letters}) == len(letters)
        if self.names_hits and not have_own_letters:
            raise GameError(
                f"hits name ships by letters if their lengths are not known; give each ship of "
                f"{self.fleet_text} a letter of its own, as in 2-5r,2-5g"
            )
        if any(letters) and not self.names_hits:
            raise GameError(
                f"the ships {self.fleet_text} have letters, which are heard where each hit names "
                "its ship: add announce=name, or leave them out"
            )
        count_length_vectors(self.fleet)  # TooLarge for too many

    @classmethod
    def of(cls, game: Game | str) -> MixedGame:
        """Return a MixedGame itself, or the game of a text; GameError for a known fleet."""
        if isinstance(game, MixedGame):
            return game
        if isinstance(game, str):
            return cls(game)
        raise GameError(f"{game!r} has a known fleet; a range is written as in 6x6:2-4,2-4,2-4")

    def game_of(self, fleet: Iterable[int]) -> Game:
        """Return the game with these lengths of ships and the rules of this one.

        Raises GameError if a ship or the fleet does not fit on the board.
        """
        game_of_shortest: Game = self.__dict__["_game_of_shortest"]
        return Game(
            rows=self.rows,
            columns=self.columns,
            fleet=list(fleet),
            contact=self.contact,
            announce=self.announce,
            holes=game_of_shortest.holes,
            board=game_of_shortest.board,
            announcement=game_of_shortest.announcement,
        )

    def refuse_options(self, **options: object) -> None:
        """Raise NotSupported if an option has a value; the options need a known fleet.

        options -- the values by the names that the error uses.
        """
        for name, value in options.items():
            if value:
                raise NotSupported(f"{name} is for known fleets, and that of {self} is not known")

    @property
    def least_cells(self) -> int:
        """The least number of cells that the ships can occupy together."""
        return sum(lengths_of(kind)[0] for kind in self.fleet)

    @property
    def has_twins(self) -> bool:
        """True if ships have letters: then a configuration lists them in the order of the fleet."""
        return self.names_hits

    @cached_property
    def _games_by_length(self) -> dict[int, Game]:
        """For each length that some ship can have, ascending: the game with one such ship."""
        lengths = {length for kind in self.fleet for length in lengths_of(kind)}
        return {length: self.game_of([length]) for length in sorted(lengths)}

    @property
    def labels(self) -> tuple[Label, ...]:
        """All labels (what hits tell): the letters, or else the labels of a ship of any length."""
        if self.names_hits:
            return tuple(map(letter_of, self.fleet))
        labels = (label for game in self._games_by_length.values() for label in game.labels)
        return tuple(dict.fromkeys(labels))

    @cached_property
    def hit_replies(self) -> frozenset[Reply]:
        """Every reply to a hit."""
        if self.names_hits:
            return frozenset(Reply(hit=True, label=label) for label in self.labels)
        return frozenset().union(*(game.hit_replies for game in self._games_by_length.values()))

    def most_replies(self, answer: Reply) -> int | None:
        """Return an upper bound on how often a hit can get this reply; None if unlimited."""
        if self.names_hits:  # at most all hits on the ship with this letter
            return sum(int(kind) for kind in self.fleet if letter_of(kind) == answer.label)
        most_per_ship = 0
        for game in self._games_by_length.values():
            most_of_length = game.most_replies(answer)
            if most_of_length is None:
                return None
            most_per_ship = max(most_per_ship, most_of_length)
        return len(self.fleet) * most_per_ship

    def hit_reply(self, kind: int, ship: int, cell: int, is_sunk: bool) -> Reply:
        """Return the reply to a hit on a cell (index) of a ship (mask), which sinks it or not."""
        if self.names_hits:
            return Reply(hit=True, label=letter_of(kind))
        return self._games_by_length[kind].hit_reply(kind, ship, cell, is_sunk)

    @property
    def shows_ships(self) -> bool:
        """True if every hit shows its whole ship."""
        some_game = next(iter(self._games_by_length.values()))  # all have the same rules
        return some_game.shows_ships

    @property
    def forms_of_replies(self) -> str:
        """The replies of the game, as error messages write them."""
        if self.shows_ships:
            return self.announcement.forms
        replies = sorted({Reply(hit=False), *self.hit_replies}, key=lambda reply: reply.order)
        return ", ".join(map(str, replies))


class MixedPosition(Position):
    """A position of a game whose fleet is not known; otherwise as `Position`.

    game -- a MixedGame, or its text.
    """

    game: MixedGame

    @staticmethod
    def _game_of(game: Game | str) -> MixedGame:
        """Return a game itself, or the game of a text; GameError for a known fleet."""
        return MixedGame.of(game)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the position: each is the position with one fleet of known lengths.

        The ships that hits have named keep their letters. A part may have no configuration left.
        """
        labels = {shot.reply.label for shot in self.shots if shot.reply.hit}
        return self._divide([kind for kind in self.game.fleet if letter_of(kind) in labels])

    @cached_property
    def parts_by_name(self) -> tuple[Part, ...]:
        """The parts of the position if hits had named every ship with a letter."""
        return self._divide([kind for kind in self.game.fleet if letter_of(kind)])

    def _divide(self, named: Sequence[int]) -> tuple[Part, ...]:
        """Return a part for each choice of lengths of the named ships, and of the other lengths.

        The other lengths are in descending order. Fleets that do not fit on the board are left out.

        named -- ships that hits name, as kinds of the fleet.
        """
        unnamed = tuple(kind for kind in self.game.fleet if kind not in named)
        counts = count_length_vectors(unnamed)
        if prod(len(lengths_of(kind)) for kind in named) * len(counts) > MOST_PARTS:
            raise TooLarge(f"{self.title} has more than {MOST_PARTS:,} fleets by name")
        parts = []
        for named_lengths in product(*map(lengths_of, named)):
            lettered = tuple(
                Lettered(length, letter_of(kind))
                for kind, length in zip(named, named_lengths, strict=True)
            )
            for others, count in counts.items():
                position = self._with_fleet((*lettered, *others))
                if position is None:
                    continue
                part = Part(
                    named=dict(zip(named, named_lengths, strict=True)),
                    others=others,
                    vector_count=count,
                    letterings=count * count_orders(others) if self.game.names_hits else 1,
                    position=position,
                )
                parts.append(part)
        return tuple(parts)

    def _with_fleet(self, fleet: Sequence[int]) -> Position | None:
        """Return the position with these lengths of ships; None if they do not fit on the board.

        It is not checked: the fleet may contradict the replies.
        """
        kind_by_letter = {letter_of(kind): kind for kind in fleet}

        def name_kind(shot: Shot) -> Shot:
            if not (self.game.names_hits and shot.reply.hit):
                return shot
            kind = kind_by_letter[str(shot.reply.label)]
            return Shot(shot.cell, Reply(hit=True, label=kind))

        try:
            game = self.game.game_of(fleet)
        except GameError:
            return None
        shots = tuple(map(name_kind, self.shots))
        return Position.unchecked(game, shots, self.hits, self.misses)


def any_game(text: str, parse: Callable[[str], Game] = Game.parse) -> Game:
    """Return the game of a text, a MixedGame if it has ranges of lengths; else as `parse` does."""
    return MixedGame(text) if has_ranges(text) else parse(text)


def any_position(position: Position | Game | str, shots: str = "") -> Position:
    """Return a position as `Position.of` does, but also one whose fleet is not known."""
    if isinstance(position, str):
        position = any_game(position)
    if isinstance(position, MixedGame):
        return MixedPosition(position, shots)
    if isinstance(position, MixedPosition):
        added = shots_of(position.game, shots)
        return MixedPosition(position.game, (*position.shots, *added)) if added else position
    return Position.of(position, shots)


def position_in(game: Game, shots: str | Iterable[Shot] = ()) -> Position:
    """Return a position of a game, a MixedPosition if its fleet is not known."""
    return (MixedPosition if isinstance(game, MixedGame) else Position)(game, shots)
