"""The optimum by its definition, in plain Python: the oracle every faster method must equal.

It shares nothing with the kernels but the rules of `optsearch.game` and `optsearch.position`.
Audinot, Bonnet and Viennot (2014), section 3.2, with the recursion stopped where no ship is left.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from functools import cache

from optsearch.errors import ImpossiblePosition
from optsearch.family import require_no_announcements
from optsearch.game import bits
from optsearch.position import Position
from optsearch.solution import Solution

Family = frozenset[tuple[int, int]]  # (cells still to hit, number of configurations with them)


def configurations(position: Position) -> Iterator[tuple[int, ...]]:
    """Every configuration compatible with a position, as a tuple of ships (masks)."""
    game = position.game

    def place(ships: tuple[int, ...], closed: int) -> Iterator[tuple[int, ...]]:
        if len(ships) == len(game.fleet):
            if position.is_compatible(ships):
                yield ships
            return
        length = game.fleet[len(ships)]
        for ship in game.placements(length):
            is_ordered = not ships or ships[-1].bit_count() != length or ships[-1] < ship
            if is_ordered and not ship & closed:
                yield from place((*ships, ship), closed | ship | game.halo(ship))

    return place((), position.misses)


def family(position: Position) -> Family:
    """The cells each configuration still hides, with the number of configurations that do."""
    return frozenset(Counter(sum(c) & ~position.hits for c in configurations(position)).items())


@cache
def total_height(family: Family) -> int:
    """The least total number of shots, summed over all configurations of the family.

    The game ends when every cell of the ships has been hit.
    """
    if all(cells == 0 for cells, _ in family):
        return 0
    return min(first_shots(family).values())


def first_shots(family: Family) -> dict[int, int]:
    """For each cell (bit index) that a configuration still hides: the total height if shot now."""
    useful = 0
    for cells, _ in family:
        useful |= cells
    heights = {}
    for cell in bits(useful):
        hit = frozenset((cells ^ 1 << cell, n) for cells, n in family if cells >> cell & 1)
        missed = frozenset((cells, n) for cells, n in family if not cells >> cell & 1)
        heights[cell] = sum(n for _, n in family) + total_height(hit) + total_height(missed)
    return heights


def solve(position: Position) -> Solution:
    """The optimum by definition; for boards of a dozen cells or so."""
    started = time.perf_counter()
    require_no_announcements(position)
    hidden = family(position)
    if not hidden:
        raise ImpossiblePosition(
            f"no configuration of {position.game} is compatible with the shots {str(position)!r}"
            if position.shots
            else f"{position.game} has no configuration"
        )
    before = total_height.cache_info()
    height = total_height(hidden)
    heights = first_shots(hidden) if any(cells for cells, _ in hidden) else {}
    after = total_height.cache_info()
    return Solution(
        position=position,
        method="reference",
        total_height=height,
        configurations=sum(n for _, n in hidden),
        best_shots=tuple(position.game.cell(c) for c, h in heights.items() if h == height),
        nodes=after.misses - before.misses,
        table_entries=after.currsize,
        table_bytes=0,
        seconds=time.perf_counter() - started,
    )
