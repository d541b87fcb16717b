"""The top of the tree: positions with too many configurations to list; facts of checkpoints."""

from __future__ import annotations

from typing import TypeGuard

from optsearch.errors import TableError, TooLarge
from optsearch.evaluate.runners import Runner
from optsearch.game import bits
from optsearch.journal import Journal
from optsearch.lattice import Constraints, Sweep
from optsearch.position import HIT, MISS, Position


def are_counts(value: object) -> TypeGuard[list[int]]:
    """Whether a fact of a checkpoint is a list of counts."""
    return isinstance(value, list) and all(type(n) is int and n >= 0 for n in value)


def contradicted(store: Journal, name: str, needed: str) -> TableError:
    """The error for a fact that cannot be."""
    return TableError(
        f"{store.path} is damaged: {name!r} has {str(store.entries[name])[:60]}, not {needed}; "
        "restore it from a copy, or name another folder"
    )


class Top:
    """Positions with too many configurations to list: what is shot there, and what follows."""

    def __init__(self, runner: Runner, sweep: Sweep, store: Journal | None, limit: int):
        self._runner = runner
        self._game = runner.game
        self._sweep = sweep
        self._store = store
        self._limit = limit

    def children(self, position: Position, n: int) -> list[tuple[Position, int]]:
        """The positions after the strategy's shot, missed first, with their configurations."""
        game = self._game
        if not game.is_silent:
            raise TooLarge(
                f"{n:,} configurations of {game} after {str(position)!r} are too many for a "
                f"strategy evaluated where sinkings are announced; {self._limit:,} are accepted; "
                f"optsearch simulate {self._runner.strategy} {str(game)!r} plays a sample of games"
            )
        cell, hit = self._recall(position, n) or self._decide(position, n)
        where = game.cell(cell)
        return [(position.after(where, MISS), n - hit), (position.after(where, HIT), hit)]

    def _recall(self, position: Position, n: int) -> tuple[int, int] | None:
        """A cell, and how many configurations have it, as the checkpoint knows them."""
        name = f"shot {position}"
        if self._store is None or name not in self._store.entries:
            return None
        known = self._store.entries[name]
        if are_counts(known) and len(known) == 2:
            cell, hit = known
            if cell < self._game.cells and not position.closed >> cell & 1 and hit <= n:
                return cell, hit
        raise contradicted(self._store, name, f"a new cell and {n:,} configurations at most")

    def _decide(self, position: Position, n: int) -> tuple[int, int]:
        """The same, asked of the strategy and kept."""
        counts = self._counts(position)
        cell = self._runner.shot(position, n, counts, self._limit)
        if self._store is not None:
            self._store.add(f"shot {position}", [cell, counts[cell]])
        return cell, counts[cell]

    def _counts(self, position: Position) -> list[int]:
        """How many configurations have each cell."""
        constraints = Constraints(self._game.fleet, position.misses, position.hits)
        counts = [0] * self._game.cells
        for mask, n in self._sweep.through(constraints)[1].items():
            for cell in bits(mask):
                counts[cell] += n
        return counts
