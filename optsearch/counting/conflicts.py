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

MOST_EXAMPLES = 8  # replies that an error lists


def position_of(game: Game, text: str) -> Position:
    """Return the position of a text of shots, such as "B4 hit, C7 miss".

    A ship that a reply leaves out is filled in if only one is possible. Raises PositionError if
    several are, and for an invalid text or position.
    """
    shots = shots_of(game, text)
    if not any(shot.reply == _reply_without_ship(game) for shot in shots):
        return position_in(game, shots)
    position = position_in(game)
    for shot in shots:
        position = position.after(shot.cell, complete_reply(position, shot.cell, shot.reply))
    return position


def _reply_without_ship(game: Game) -> Reply | None:
    """Return the reply that must name a ship in this game, without it; None if none must."""
    if game.has_labels:
        return None if HIT in game.hit_replies else HIT
    return SUNK if game.labels else None


def complete_reply(
    position: Position | NoisyPosition, cell: Cell, reply: Reply, prior: Prior | None = None
) -> Reply:
    """Return a reply to the next shot in the form in which the game gives it.

    A ship that the reply should name is filled in if only one is possible. A ship that the game
    does not tell is left out.

    cell -- of the next shot. prior -- configurations of weight 0 by it do not count.

    Raises PositionError if no ship is possible or several are, and for a sinking in a game that
    announces none.
    """
    game = position.game
    if reply.sunk and game.is_silent:
        raise PositionError(
            f"{game} announces no sinkings; where they are told, begin with {game},announce=ship "
            f"or ,announce=sunk, and write {cell_name(cell)} hit here"
        )
    if reply.label is not None and game.tells_sinkings and not game.labels:
        return replace(reply, label=None)
    is_complete = reply != _reply_without_ship(game)
    is_legal_shot = cell in game and not game.bit(cell) & position.closed
    if is_complete or not is_legal_shot:
        return reply
    possible_replies = [
        full_reply
        for full_reply in replies_at(game, cell)
        if full_reply.label is not None and is_possible_reply(position, cell, full_reply, prior)
    ]
    if len(possible_replies) == 1:
        return possible_replies[0]
    outcome = "sunk" if reply.sunk else "hit"
    if not possible_replies:
        raise PositionError(f"{cell_name(cell)} cannot be {outcome} after {position}")
    examples = [shot_in_words(cell, full_reply) for full_reply in possible_replies[:MOST_EXAMPLES]]
    message = f"which ship was {outcome}? write {' or '.join(examples)}"
    if reply.sunk:
        message += (
            "; where the length is never told, begin with announce=sunk in place of announce=ship"
        )
    raise PositionError(message)


def is_possible_reply(
    position: Position | NoisyPosition, cell: Cell, reply: Reply, prior: Prior | None
) -> bool:
    """True if some configuration that fits the position gives this reply to a shot at the cell.

    prior -- configurations of weight 0 by it do not count.
    """
    try:
        return posterior_of(position.after(cell, reply), prior).is_possible
    except PositionError:
        return False


def find_conflict(
    game: Game, shots: Sequence[Shot], lies: Noise | Lies | None = None
) -> tuple[Shot, ...]:
    """Return a minimal set of replies that cannot all be true; empty if all can be.

    Minimal means: if any reply is left out, the others can be true. The shot of a reply that is
    left out was still made, and may have had any reply. If sinkings are told and the fleet is not
    known, all shots are returned: a set that may not be minimal.

    lies -- how many replies may be false.
    """

    def can_be_true(indices: set[int]) -> bool:
        if isinstance(lies, Lies):
            replies = tuple(shots[i] for i in sorted(indices))
            return Posterior(NoisyPosition(game, lies, replies)).is_possible
        return _can_all_be_true(game, shots, indices)

    indices = set(range(len(shots)))
    if can_be_true(indices):
        return ()
    if isinstance(game, MixedGame) and game.tells_sinkings:
        return tuple(shots)
    for i in range(len(shots)):
        if not can_be_true(indices - {i}):
            indices.remove(i)
    return tuple(shots[i] for i in sorted(indices))


def possible_single_errors(
    game: Game, shots: Sequence[Shot], conflicting: Sequence[Shot]
) -> tuple[Shot, ...]:
    """Return the replies that may be the only wrong one: without it, all others can be true.

    conflicting -- a set of replies that cannot all be true, from `find_conflict`.
    """
    indices = set(range(len(shots)))
    return tuple(
        shot
        for i, shot in enumerate(shots)
        if shot in conflicting and _can_all_be_true(game, shots, indices - {i})
    )


def _can_all_be_true(game: Game, shots: Sequence[Shot], indices: Set[int]) -> bool:
    """True if some configuration gives the replies with these indices; the others are unknown.

    All shots were made, so where a ship lies decides which shot sinks it. Placements that would
    give another reply than a known one are ruled out; then some configuration must cover the known
    hits and no known miss. If each hit names its ship, or the fleet is not known, the shots without
    a known reply are left out.
    """
    if game.has_labels or isinstance(game, MixedGame):
        known_shots = (shot for i, shot in enumerate(shots) if i in indices)
        try:
            position = position_in(game, known_shots)
        except PositionError:  # more hits of a ship than it has cells
            return False
        return posterior_of(position).is_possible
    hits_and_misses = tuple(
        Shot(shots[i].cell, replace(shots[i].reply, sunk=False, label=None)) for i in indices
    )
    ruled_out = dict.fromkeys(_contradicted_placements(game, shots, indices), 0)
    prior = Prior.of_placements(game, ruled_out)
    try:
        silent_position = Position(replace(game, announce="nothing"), hits_and_misses)
        return Posterior(silent_position, prior=prior).is_possible
    except PositionError:
        return False


def _contradicted_placements(game: Game, shots: Sequence[Shot], indices: Set[int]) -> Iterator[int]:
    """Yield the placements (masks) on which one of the known hits would have had another reply.

    indices -- of the shots whose replies are known.
    """
    shot_masks = [game.bit(shot.cell) for shot in shots]
    for length in set(game.fleet):
        for ship in game.placements(length):
            shots_on_ship = [i for i, shot_mask in enumerate(shot_masks) if ship & shot_mask]
            is_sunk = len(shots_on_ship) == int(length) and not game.is_silent
            for i in shots_on_ship:
                reply = shots[i].reply
                if is_sunk and i == shots_on_ship[-1]:
                    fits_ship = reply.sunk and reply.label in (None, length)
                else:
                    fits_ship = reply == HIT
                if i in indices and reply.hit and not fits_ship:
                    yield ship
