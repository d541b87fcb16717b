"""Which replies are possible together: the ship that one leaves out, and a least set in conflict.

position_of(game, "B4 hit, C7 miss, B5 sunk")
find_conflict(game, shots)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from optsearch.counting.mixture import posterior_of
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.game import Cell, Game, cell_name
from optsearch.game.fleets import MixedGame, position_in
from optsearch.game.noise import Lies, Noise, NoisyPosition
from optsearch.game.position import HIT, SUNK, Position, Reply, Shot, replies_at, shots_of
from optsearch.game.reply_text import shot_in_words
from optsearch.support.errors import PositionError

MOST_TOLD = 8  # replies that an error lists


def position_of(game: Game, text: str) -> Position:
    """Return the position of a text of shots, whose replies may omit the only possible ship.

    Raises PositionError as `Position.parse`, and if several ships are possible.
    """
    shots = shots_of(game, text)
    if not any(shot.reply == _unnamed(game) for shot in shots):
        return position_in(game, shots)
    position = position_in(game)
    for shot in shots:
        position = position.after(shot.cell, complete_reply(position, shot.cell, shot.reply))
    return position


def _unnamed(game: Game) -> Reply | None:
    """Return the reply that a person may give without its ship; None if no reply names a ship."""
    if game.has_labels:
        return None if HIT in game.hit_replies else HIT
    return SUNK if game.labels else None


def complete_reply(
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
    if reply.label is not None and game.tells_sinkings and not game.labels:
        return replace(reply, label=None)
    if reply != _unnamed(game) or game.bit(cell) & position.closed:
        return reply
    forms = [form for form in replies_at(game, cell) if form.label is not None]
    possible = [form for form in forms if is_possible_reply(position, cell, form, prior)]
    if len(possible) == 1:
        return possible[0]
    outcome = "sunk" if reply.sunk else "hit"
    if not possible:
        raise PositionError(f"{cell_name(cell)} cannot be {outcome} after {position}")
    examples = [shot_in_words(cell, form) for form in possible[:MOST_TOLD]]
    never = "; where the length is never told, begin with announce=sunk in place of announce=ship"
    raise PositionError(
        f"which ship was {outcome}? write {' or '.join(examples)}" + (never if reply.sunk else "")
    )


def is_possible_reply(
    position: Position | NoisyPosition, cell: Cell, reply: Reply, prior: Prior | None
) -> bool:
    """True if a reply is possible after the others."""
    try:
        return posterior_of(position.after(cell, reply), prior).is_possible
    except PositionError:
        return False


def find_conflict(
    game: Game, shots: Sequence[Shot], lies: Noise | Lies | None = None
) -> tuple[Shot, ...]:
    """Return a minimal set of replies that cannot all be true; empty if all can be.

    Without any one of them, the rest can be; all shots if sinkings are told and the fleet is not
    known. lies -- how many replies may be false.

    One reply after the other, from the first, is left out for good if the rest are still
    impossible. Its shot was still made: a reply that is left out may have been any.
    """

    def is_possible(numbers: set[int]) -> bool:
        if not isinstance(lies, Lies):
            return _is_possible(game, shots, numbers)
        replies = tuple(shots[i] for i in sorted(numbers))
        return Posterior(NoisyPosition(game, lies, replies)).is_possible

    numbers = set(range(len(shots)))
    if is_possible(numbers):
        return ()
    if isinstance(game, MixedGame) and game.tells_sinkings:
        return tuple(shots)
    for i in range(len(shots)):
        if not is_possible(numbers - {i}):
            numbers.remove(i)
    return tuple(shots[i] for i in sorted(numbers))


def possible_single_errors(
    game: Game, shots: Sequence[Shot], conflicting: Sequence[Shot]
) -> tuple[Shot, ...]:
    """Return the replies of a `find_conflict` that may be the only wrong one of all shots.

    If a single reply is wrong, it is one of these: any other would leave the conflict.
    """
    numbers = set(range(len(shots)))
    return tuple(
        shot
        for i, shot in enumerate(shots)
        if shot in conflicting and _is_possible(game, shots, numbers - {i})
    )


def _is_possible(game: Game, shots: Sequence[Shot], numbers: Set[int]) -> bool:
    """True if some configuration gives the replies with `numbers`; the others are unknown.

    The replies of a ship follow from its placement and the order of all shots. So placements with
    other replies are left out, and ships that cover the hits and no miss are counted. If each hit
    names its ship, the other shots do not matter.
    """
    if game.has_labels or isinstance(game, MixedGame):
        try:
            left = position_in(game, (shot for i, shot in enumerate(shots) if i in numbers))
        except PositionError:  # more hits of a ship than it has cells
            return False
        return posterior_of(left).is_possible
    plain = tuple(
        Shot(shots[i].cell, replace(shots[i].reply, sunk=False, label=None)) for i in numbers
    )
    left_out = Prior.of_placements(game, dict.fromkeys(_contradicting(game, shots, numbers), 0))
    try:
        silent = Position(replace(game, announce="nothing"), plain)
        return Posterior(silent, prior=left_out).is_possible
    except PositionError:
        return False


def _contradicting(game: Game, shots: Sequence[Shot], numbers: Set[int]) -> Iterator[int]:
    """Yield the placements whose reply to a shot differs from one of those with `numbers`."""
    bits = [game.bit(shot.cell) for shot in shots]
    for length in set(game.fleet):
        for ship in game.placements(length):
            met = [i for i, bit in enumerate(bits) if ship & bit]
            sinks = met[-1] if len(met) == int(length) and not game.is_silent else None
            for i in met:
                reply = shots[i].reply
                if i not in numbers or not reply.hit:
                    continue
                fits = reply.sunk and reply.label in (None, length) if i == sinks else reply == HIT
                if not fits:
                    yield ship
