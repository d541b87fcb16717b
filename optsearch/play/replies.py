"""The replies of a game played elsewhere: as people write them, and the conflicts among them.

position_of(game, "B4 hit, C7 m, B5 sunk")
conflict(game, shots)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.game import Cell, Game, cell_name
from optsearch.game.noise import Lies, Noise, NoisyPosition
from optsearch.game.position import HIT, SUNK, Position, Reply, Shot, replies_at, shots_of
from optsearch.game.shapes import Placement, is_kind
from optsearch.support.errors import ImpossiblePosition, PositionError

MOST_TOLD = 8  # replies that an error lists


class ReplyConflict(ImpossiblePosition):
    """A reply that is impossible with earlier ones.

    together -- replies of which one must be wrong; without any one of them the rest are possible.
    """

    def __init__(self, what: str, together: Sequence[Shot]):
        super().__init__(what)
        self.together = tuple(together)


def without_comment(line: str) -> str:
    """Return a line up to its comment: a # at its beginning or after a blank, not in a ship."""
    for match in re.finditer(r"(?:^|\s)#", line):
        is_told = re.search(r"\bsunk[\s:=]*$", line[: match.start()], re.IGNORECASE)
        word = re.split(r"[\s,;]", line[match.end() - 1 :])[0]
        if not (is_told and len(word) > 1 and is_kind(word)):
            return line[: match.start()]
    return line


def position_of(game: Game, text: str) -> Position:
    """Return the position of a text of shots, whose replies may omit the only possible ship.

    Raises PositionError as `Position.parse`, and if several ships are possible.
    """
    shots = shots_of(game, text)
    if not any(one.reply == _unnamed(game) for one in shots):
        return Position(game, shots)
    position = Position(game)
    for shot in shots:
        position = position.after(shot.cell, reply_in(position, shot.cell, shot.reply))
    return position


def _unnamed(game: Game) -> Reply | None:
    """Return the reply that a person may give without its ship; None if no reply names a ship."""
    if game.has_labels:
        return None if HIT in game.hit_replies else HIT
    return SUNK if game.labels else None


def reply_in(
    position: Position | NoisyPosition, cell: Cell, reply: Reply, prior: Prior | None = None
) -> Reply:
    """Return a reply as the game has it; raise PositionError if it tells too little or too much.

    If it does not name the ship that it must name, the only possible ship is filled in.
    """
    game = position.game
    if reply.sunk and game.is_silent:
        raise PositionError(
            f"{game} announces no sinkings; where they are told, begin with {game},announce=ship "
            f"or ,announce=sunk, and write {cell_name(cell)} hit here"
        )
    if reply.length is not None and game.tells_sinkings and not game.labels:
        return replace(reply, length=None)
    if reply != _unnamed(game) or game.bit(cell) & position.closed:
        return reply
    forms = [one for one in replies_at(game, cell) if one.length is not None]
    possible = [one for one in forms if _fits(position, cell, one, prior)]
    if len(possible) == 1:
        return possible[0]
    how = "sunk" if reply.sunk else "hit"
    if not possible:
        raise PositionError(f"{cell_name(cell)} cannot be {how} after {position}")
    told = [in_words(cell, one) for one in possible[:MOST_TOLD]]
    never = "; where the length is never told, begin with announce=sunk in place of announce=ship"
    raise PositionError(
        f"which ship was {how}? write {' or '.join(told)}" + (never if reply.sunk else "")
    )


def example_cell(game: Game) -> Cell:
    """Return a cell of the board: B4, or the first where that is none."""
    return next(cell for cell in ((3, 1), *map(game.cell, range(game.cells))) if cell in game)


def example_reply(game: Game) -> str:
    """Return a shot that hits and its reply as a person writes them: by name if ships have one."""
    cell = example_cell(game)
    reply = replies_at(game, cell)[0]
    names = [name for name, kind in game.named_ships.items() if kind == reply.length]
    if names and game.has_labels:
        return f"{cell_name(cell)} {names[0].replace('-', ' ')}"
    return in_words(cell, reply)


def reply_in_words(game: Game, reply: Reply) -> str:
    """Return a reply with the name of its ship, such as `hit carrier`."""
    answer, _, ship = str(reply).partition(":")
    names = {str(kind): " or ".join(names) for kind, names in game.kind_names.items()}
    return f"{answer} {names.get(ship) or ship}".rstrip()


def in_words(cell: Cell, reply: Reply) -> str:
    """Return a shot as a person writes it."""
    return f"{cell_name(cell)} {str(reply).replace(':', ' ')}"


def _fits(
    position: Position | NoisyPosition, cell: Cell, reply: Reply, prior: Prior | None
) -> bool:
    """True if a reply is possible after the others."""
    try:
        return Posterior(position.after(cell, reply), prior=prior).is_possible
    except PositionError:
        return False


def as_shown(position: Position | NoisyPosition) -> Position | NoisyPosition:
    """Return the position with hits on all cells of each ship that a hit shows."""
    if not position.game.shows_ships:
        return position
    shots: dict[Cell, Shot] = {}
    for shot in position.shots:
        ship = shot.reply.length
        shown = position.game.cells_of(ship) if isinstance(ship, Placement) else ()
        for cell in (shot.cell, *shown):
            shots.setdefault(cell, Shot(cell, shot.reply))
    return replace(position, shots=tuple(shots.values()))


class Replies:
    """The replies of a game so far, which are possible together at any time.

    position -- replies may be false in a NoisyPosition. prior -- the weights of the configurations;
    those of weight 0 are impossible.
    """

    def __init__(self, position: Position | NoisyPosition, prior: Prior | None = None):
        self.prior = prior
        Posterior(position, prior=prior).require_some()
        self.position = as_shown(position)

    def add(self, cell: Cell, reply: Reply) -> None:
        """Add a reply; if it shows a ship, all other cells of the ship are hit, too.

        Raises PositionError for an illegal shot or reply, ReplyConflict for an impossible one.
        """
        shot = Shot(cell, reply)
        before = next((one for one in self.position.shots if one.cell == cell), None)
        if before is not None and isinstance(self.position, Position):
            name = cell_name(cell)
            raise PositionError(
                f"{name} is shot twice: {before} and then {shot}; undo {name} takes the first back"
            )
        following = self.position.after(cell, reply)
        if not Posterior(following).is_possible:
            lies = following.noise if isinstance(following, NoisyPosition) else None
            if isinstance(following, NoisyPosition) and not isinstance(lies, Lies):
                following = following.certain
            together = conflict(following.game, following.shots, lies)
            others = [str(one) for one in together if one != shot]
            why = f"cannot be together with {' '.join(others)}"
            why += f", with {lies}" if isinstance(lies, Lies) else ""
            if not others:
                why = "cannot be after these shots, whatever the replies to them"
            possible = [
                in_words(cell, one)
                for one in replies_at(following.game, cell)
                if reply.hit
                and one.hit
                and one != reply
                and _fits(self.position, cell, one, self.prior)
            ]
            why += f"; {' or '.join(possible[:MOST_TOLD])} can be" if possible else ""
            raise ReplyConflict(f"{shot} {why}", together)
        Posterior(following, prior=self.prior).require_some()
        self.position = as_shown(following)

    def undo(self, cell: Cell | None = None) -> Shot:
        """Take back the last reply, or that of a cell, and return it.

        Raises PositionError if there is none, or if the others are impossible without it, as a
        sinking is without the hits before it.
        """
        shots = self.position.shots
        gone = next((s for s in reversed(shots) if cell is None or s.cell == cell), None)
        if gone is None:
            what = "no cell was shot" if cell is None else f"{cell_name(cell)} was not shot"
            raise PositionError(f"{what}; there is nothing to take back")
        is_shown = isinstance(gone.reply.length, Placement)  # then all cells of a ship go
        kept = (s for s in shots if not (s is gone or (is_shown and s.reply == gone.reply)))
        left = replace(self.position, shots=tuple(kept))
        if not Posterior(left, prior=self.prior).is_possible:
            raise PositionError(
                f"without {gone} the replies after it are impossible; undo those first"
            )
        self.position = left
        return gone


def conflict(
    game: Game, shots: Sequence[Shot], lies: Noise | Lies | None = None
) -> tuple[Shot, ...]:
    """Return a minimal set of replies that cannot all be true; empty if all can be.

    Without any one of them, the rest can be. lies -- how many replies may be false.

    One reply after the other, from the first, is left out for good if the rest are still
    impossible. Its shot was still made: a reply that is left out may have been any.
    """

    def is_possible(kept: set[int]) -> bool:
        if not isinstance(lies, Lies):
            return _is_possible(game, shots, kept)
        heard = tuple(shots[i] for i in sorted(kept))
        return Posterior(NoisyPosition(game, lies, heard)).is_possible

    kept = set(range(len(shots)))
    if is_possible(kept):
        return ()
    for i in range(len(shots)):
        if not is_possible(kept - {i}):
            kept.remove(i)
    return tuple(shots[i] for i in sorted(kept))


def possible_single_errors(
    game: Game, shots: Sequence[Shot], conflicting: Sequence[Shot]
) -> tuple[Shot, ...]:
    """Return the replies of a `conflict` that may be the only wrong one of all shots.

    If a single reply is wrong, it is one of these: any other would leave the conflict.
    """
    numbers = set(range(len(shots)))
    return tuple(
        shot
        for i, shot in enumerate(shots)
        if shot in conflicting and _is_possible(game, shots, numbers - {i})
    )


def _is_possible(game: Game, shots: Sequence[Shot], kept: Set[int]) -> bool:
    """True if some configuration gives the replies kept; the other replies are unknown.

    The replies of a ship follow from its placement and the order of all shots. So placements with
    other replies are left out, and ships that cover the hits and no miss are counted. If each hit
    names its ship, the other shots do not matter.
    """
    if game.has_labels:
        try:
            left = Position(game, (shot for i, shot in enumerate(shots) if i in kept))
        except PositionError:  # more hits of a ship than it has cells
            return False
        return Posterior(left).is_possible
    plain = tuple(
        Shot(shots[i].cell, replace(shots[i].reply, sunk=False, length=None)) for i in kept
    )
    left_out = Prior.of_placements(game, dict.fromkeys(_contradicting(game, shots, kept), 0))
    try:
        silent = Position(replace(game, announce="nothing"), plain)
        return Posterior(silent, prior=left_out).is_possible
    except PositionError:
        return False


def _contradicting(game: Game, shots: Sequence[Shot], kept: Set[int]) -> Iterator[int]:
    """Yield the placements whose reply to a shot differs from a reply kept."""
    bits = [game.bit(shot.cell) for shot in shots]
    for length in set(game.fleet):
        for ship in game.placements(length):
            met = [i for i, bit in enumerate(bits) if ship & bit]
            sinks = met[-1] if len(met) == int(length) and not game.is_silent else None
            for i in met:
                reply = shots[i].reply
                if i not in kept or not reply.hit:
                    continue
                fits = reply.sunk and reply.length in (None, length) if i == sinks else reply == HIT
                if not fits:
                    yield ship
