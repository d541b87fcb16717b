"""Ships as text, as in `A1-A3 C1-C2`, and the check that they are a configuration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

from optsearch.game.cells import Cell, cell_name, parse_cell
from optsearch.game.game import Game
from optsearch.support.errors import GameError


def ship_of(text: str, game: Game) -> int:
    """Return the mask of a ship from its ends, as in `A1-A3`, or all its cells, as in `A1+A2+B2`.

    Raises GameError if no ship of the fleet can lie there.
    """
    if "+" in text:
        ship = game.mask(map(parse_cell, text.split("+")))
        if not _can_lie_at(ship, game):
            raise GameError(f"no ship of {game} lies at {text!r}")
        return ship
    ends = [parse_cell(end) for end in text.split("-")]
    if len(ends) <= 2:
        game.mask(ends)  # GameError for a cell off the board
        for ship in (ship for kind in set(game.fleet) for ship in game.placements(kind)):
            if game.has_ends(ship) and _ends_of(ship, game) == ends:
                return ship
    # A ship over a seam, or of another form, may still fill the rectangle between two cells.
    (row, column), (last_row, last_column) = ends[0], ends[-1]
    rectangle = product(range(row, last_row + 1), range(column, last_column + 1))
    ship = game.mask(rectangle)
    if len(ends) > 2 or not _can_lie_at(ship, game):
        raise GameError(
            f"no ship of {game} lies at {text!r}; write its first and last cell, as in A1-A3, or "
            "all its cells, as in A1+A2+A3"
        )
    return ship


def _ends_of(ship: int, game: Game) -> list[Cell]:
    """Return the first and the last cell of a ship (mask), or its only cell."""
    cells = game.cells_of(ship)
    return [cells[0], cells[-1]] if len(cells) > 1 else cells


def _can_lie_at(ship: int, game: Game) -> bool:
    """True if some ship of the fleet can lie on the cells of a mask."""
    return any(ship in game.placements(kind) for kind in set(game.fleet))


def objection(game: Game, ships: Iterable[int]) -> str:
    """Return why some ships (masks) are not a configuration of a game; empty if they are one."""
    ships = in_order(ships, game)
    lengths = [ship.bit_count() for ship in ships]
    if tuple(lengths) != tuple(map(int, game.fleet)):
        return f"the ships have the lengths {lengths}; {game} has others"
    for ship in ships:
        if not _can_lie_at(ship, game):
            return f"no ship can lie at {' '.join(game.names(ship))}"
    kinds = game.kinds_of(ships)
    if Counter(kinds) != Counter(game.fleet):
        return f"the ships are others than those of {game}"
    forbidden = 0
    for kind, ship in zip(kinds, ships, strict=True):
        if ship not in game.placements(kind):
            return f"no ship can lie at {' '.join(game.names(ship))}"
        if ship & forbidden:
            where = cell_name(game.cells_of(ship & forbidden)[0])
            return f"two ships touch or overlap at {where}"
        forbidden |= ship | game.halo(ship)
    return ""


def configurations_on(game: Game, cells: int) -> Iterator[tuple[int, ...]]:
    """Yield the configurations on exactly the cells of a mask: masks in the order of the fleet."""

    def covers(cells_left: int, ships_left: Counter[int]) -> Iterator[tuple[tuple[int, int], ...]]:
        """Yield the ways to cover the cells left: for each ship its fleet index and its mask."""
        if not cells_left and not ships_left:
            yield ()
            return
        first_cell = cells_left & -cells_left
        for kind in ships_left:
            for ship in _placements_by_first_cell(game, kind).get(first_cell, ()):
                is_free = not ship & ~cells_left and not game.halo(ship) & cells
                if not is_free:
                    continue
                for others in covers(cells_left & ~ship, ships_left - Counter([kind])):
                    yield ((game.fleet.index(kind), ship), *others)

    for ships in covers(cells, Counter(game.fleet)):
        yield tuple(ship for _, ship in sorted(ships))


@lru_cache(maxsize=64)
def _placements_by_first_cell(game: Game, kind: int) -> dict[int, list[int]]:
    """Map each first cell (lowest bit of a mask) to the placements (masks) that begin there."""
    placements_by_cell: dict[int, list[int]] = {}
    for ship in game.placements(kind):
        placements_by_cell.setdefault(ship & -ship, []).append(ship)
    return placements_by_cell


def in_order(ships: Iterable[int], game: Game) -> list[int]:
    """Return ships (masks) from the longest to the shortest, and equal lengths by mask.

    If kinds can lie on the same cells (`Game.has_twins`), ships of one length keep their order.
    """
    if game.has_twins:
        return sorted(ships, key=lambda ship: -ship.bit_count())
    return sorted(ships, key=lambda ship: (-ship.bit_count(), ship))


def ships_of(text: str, game: Game) -> list[int]:
    """Return the ships (masks) of a text such as `A1-A3 C1-C2`, longest first.

    If kinds can lie on the same cells (`Game.has_twins`), the text gives ships of one length in the
    order of the fleet. Raises GameError for a text that is not a configuration of the game.
    """
    ships = [ship_of(word, game) for word in text.replace(",", " ").split()]
    reason = objection(game, ships)
    if reason:
        raise GameError(
            f"{text!r} is not a placement of the fleet: {reason}; write the first and last cell "
            f"of each ship, as in A1-A3, for ships of length {game.fleet_text}"
        )
    return in_order(ships, game)
