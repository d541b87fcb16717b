"""The replies of a game played elsewhere: added, refused where they are impossible, taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from optsearch.counting.conflicts import MOST_EXAMPLES, find_conflict, is_possible_reply
from optsearch.counting.mixture import posterior_of
from optsearch.counting.prior import Prior
from optsearch.game import Cell, Game, cell_name
from optsearch.game.noise import Lies, NoisyPosition
from optsearch.game.position import Position, Reply, Shot, replies_at
from optsearch.game.reply_text import shot_in_words
from optsearch.game.shapes import Placement
from optsearch.support.errors import ImpossiblePosition, PositionError


class ReplyConflict(ImpossiblePosition):
    """A reply that is impossible with earlier ones.

    together -- a minimal set of replies that cannot all be true.
    """

    def __init__(self, message: str, together: Sequence[Shot]):
        super().__init__(message)
        self.together = tuple(together)


def with_shown_ships(position: Position | NoisyPosition) -> Position | NoisyPosition:
    """Return the position with a hit on every cell of each ship that a hit has shown, if any."""
    if not position.game.shows_ships:
        return position
    shots: dict[Cell, Shot] = {}
    for shot in position.shots:
        ship = shot.reply.label
        cells = position.game.cells_of(ship) if isinstance(ship, Placement) else ()
        for cell in (shot.cell, *cells):
            shots.setdefault(cell, Shot(cell, shot.reply))
    return replace(position, shots=tuple(shots.values()))


class Replies:
    """The replies of a game so far, which are possible together at any time.

    position -- replies may be false in a NoisyPosition. prior -- the weights of the configurations;
    those of weight 0 are impossible.
    """

    def __init__(self, position: Position | NoisyPosition, prior: Prior | None = None):
        self.prior = prior
        posterior_of(position, prior).require_some()
        self.position = with_shown_ships(position)

    def add(self, cell: Cell, reply: Reply) -> None:
        """Add the reply to a shot at a cell; if it shows a whole ship, all its cells count as hit.

        Raises PositionError for an illegal shot or reply, ReplyConflict for an impossible one.
        """
        shot = Shot(cell, reply)
        earlier = next((other for other in self.position.shots if other.cell == cell), None)
        if earlier is not None and isinstance(self.position, Position):
            name = cell_name(cell)
            raise PositionError(
                f"{name} is shot twice: {earlier} and then {shot}; undo {name} takes the first back"
            )
        next_position = self.position.after(cell, reply)
        if not posterior_of(next_position).is_possible:
            raise self._conflict_of(shot, next_position)
        posterior_of(next_position, self.prior).require_some()
        self.position = with_shown_ships(next_position)

    def _conflict_of(self, shot: Shot, next_position: Position | NoisyPosition) -> ReplyConflict:
        """Return the error for a reply that is impossible after the earlier ones.

        It names earlier replies that contradict the reply and, for a hit, other hits that are
        possible there.

        shot -- the cell with the reply. next_position -- the position with this shot.
        """
        lies = next_position.noise if isinstance(next_position, NoisyPosition) else None
        if isinstance(next_position, NoisyPosition) and not isinstance(lies, Lies):
            next_position = next_position.certain
        together = find_conflict(next_position.game, next_position.shots, lies)
        others = [str(other) for other in together if other != shot]
        if others:
            why = f"cannot be together with {' '.join(others)}"
            why += f", with {lies}" if isinstance(lies, Lies) else ""
        else:
            why = "cannot be after these shots, whatever the replies to them"
        if shot.reply.hit and (possible := self._other_possible_hits(shot, next_position.game)):
            why += f"; {' or '.join(possible[:MOST_EXAMPLES])} can be"
        return ReplyConflict(f"{shot} {why}", together)

    def _other_possible_hits(self, shot: Shot, game: Game) -> list[str]:
        """List, in words, the hits on the cell of a shot that are possible and not its reply."""
        return [
            shot_in_words(shot.cell, reply)
            for reply in replies_at(game, shot.cell)
            if reply.hit
            and reply != shot.reply
            and is_possible_reply(self.position, shot.cell, reply, self.prior)
        ]

    def undo(self, cell: Cell | None = None) -> Shot:
        """Take back the last reply, or the last one on a cell, and return it.

        If the reply shows a whole ship, the hits on all its cells are taken back. Raises
        PositionError if nothing was shot there, or if the other replies are impossible without this
        one, as a sinking is without the hits before it.
        """
        shots = self.position.shots
        undone = next((shot for shot in reversed(shots) if cell is None or shot.cell == cell), None)
        if undone is None:
            problem = "no cell was shot" if cell is None else f"{cell_name(cell)} was not shot"
            raise PositionError(f"{problem}; there is nothing to take back")
        if isinstance(undone.reply.label, Placement):
            remaining = [
                shot for shot in shots if shot is not undone and shot.reply != undone.reply
            ]
        else:
            remaining = [shot for shot in shots if shot is not undone]
        position = replace(self.position, shots=tuple(remaining))
        if not posterior_of(position, self.prior).is_possible:
            raise PositionError(
                f"without {undone} the replies after it are impossible; undo those first"
            )
        self.position = position
        return undone
