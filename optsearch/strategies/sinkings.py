"""What simple players make of the sinkings that are announced.

A sunk ship lies on the cell that sank it and on cells hit before it, none of which belongs to
another sunk ship, and none of its neighbours is hit where ships may not touch. If that leaves one
placement of its length, these are its cells. Where lengths are not told it is taken to be the
longest ship afloat that can lie so: the whole line of hits, as a person would take it. (That is
certain where ships do not touch along an edge; elsewhere it can be wrong.) A sinking that several
placements of one length explain is kept in mind; another sinking may settle it. Where hits name
their ships, a ship is sunk once all cells of the only one of its name are hit.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from optsearch.game import Game
from optsearch.game.position import SUNK, Position


@dataclass(frozen=True)
class Heard:
    """What is known once the sinkings are heard; sets of cells are masks.

    closed -- cells that can hold no ship afloat: holes, misses, the ships known to be sunk, and
    their neighbours where ships may not touch. attacked -- hits of no ship that is known to be
    sunk. afloat -- the lengths that are not known to be sunk.
    """

    closed: int
    attacked: int
    afloat: tuple[int, ...]


@dataclass(frozen=True)
class _Sinking:
    """The cell that sank, the length if it was told, and the hits up to then."""

    cell: int
    told: int | None
    hits: int


def heard(position: Position) -> Heard:
    """What the sinkings of a position say; without any, its holes, misses, hits and fleet."""
    game, closed, hits = position.game, position.misses | position.game.holes, 0
    afloat = Counter(game.fleet)
    waiting: list[_Sinking] = []
    for shot in position.shots:
        hits |= game.bit(shot.cell) if shot.reply.hit else 0
        if position.shown[shot.cell] == SUNK != shot.reply:  # it follows from the names of hits
            ship = game.mask(one.cell for one in position.shots if one.reply == shot.reply)
            closed |= ship | game.halo(ship)
            afloat.subtract([shot.reply.length or 0])
        if shot.reply.sunk:
            waiting.append(_Sinking(game.bit(shot.cell), shot.reply.length, hits))
            afloat.subtract([] if shot.reply.length is None else [shot.reply.length])
            closed = _settle(game, waiting, closed, hits, afloat)
    closed = _settle(game, waiting, closed, hits, afloat)
    return Heard(closed, hits & ~closed, tuple(sorted(afloat.elements(), reverse=True)))


def _settle(
    game: Game, waiting: list[_Sinking], closed: int, hits: int, afloat: Counter[int]
) -> int:
    """Take from those waiting, the first again and again, what is settled; what is closed then."""
    while True:
        for sinking in waiting:
            ships = _explanations(game, sinking, closed, hits, afloat)
            if len(ships) == 1:
                break
        else:
            return closed
        waiting.remove(sinking)
        closed |= ships[0] | game.halo(ships[0])
        afloat.subtract([game.kind_of(ships[0])] if sinking.told is None else [])


def _explanations(
    game: Game, sinking: _Sinking, closed: int, hits: int, afloat: Counter[int]
) -> list[int]:
    """The placements that a sunk ship may have: of the length told, or the longest that fits."""
    lengths = [sinking.told] if sinking.told else sorted(+afloat, reverse=True)
    for length in lengths:
        ships = [
            ship
            for ship in game.placements(length)
            if ship & sinking.cell
            and not ship & ~sinking.hits
            and not ship & closed
            and not game.halo(ship) & hits
        ]
        if ships:
            return ships
    return []
