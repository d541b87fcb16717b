"""The best greedy strategy: always shoot a most probable cell, and break ties in the best way.

Section 3.3 of Audinot, Bonnet and Viennot (2014), by its definition in plain Python.
"""

from __future__ import annotations

from functools import cache

from optsearch.family import Family
from optsearch.game import Cell, bits

_Weighted = frozenset[tuple[int, int]]  # (cells still to hit, number of configurations)


def best_shots(family: Family) -> list[Cell]:
    """The most probable cells of a family in row-major order; none when all ships are sunk."""
    most = _most_probable(frozenset(zip(family.sets, family.weights, strict=True)))
    return [family.game.cell(cell) for cell in most]


def best_total_height(family: Family) -> int:
    """The least total height of any greedy strategy: the minimum over tied cells at every node."""
    return _best_total_height(frozenset(zip(family.sets, family.weights, strict=True)))


def _most_probable(family: _Weighted) -> list[int]:
    configurations: dict[int, int] = {}
    for cells, n in family:
        for cell in bits(cells):
            configurations[cell] = configurations.get(cell, 0) + n
    most = max(configurations.values(), default=0)
    return sorted(cell for cell, n in configurations.items() if n == most)


@cache
def _best_total_height(family: _Weighted) -> int:
    if all(cells == 0 for cells, _ in family):
        return 0
    return sum(n for _, n in family) + min(
        _best_total_height(frozenset((s ^ 1 << cell, n) for s, n in family if s >> cell & 1))
        + _best_total_height(frozenset((s, n) for s, n in family if not s >> cell & 1))
        for cell in _most_probable(family)
    )
