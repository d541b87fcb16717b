"""The top of the tree: positions with too many configurations to list."""

from __future__ import annotations

from collections import Counter
from typing import TypeGuard

from optsearch.counting.constraints import Constraints, Counting
from optsearch.counting.posterior import Posterior
from optsearch.evaluation.runners import KernelRunner, Runner
from optsearch.game import FixedLabels, ShipNames, ShipPlaces, bits
from optsearch.game.position import HIT, Position, Reply, known_replies
from optsearch.strategies.greedy import counts_of
from optsearch.support.store import Facts


def are_counts(value: object) -> TypeGuard[list[int]]:
    """Whether a fact of a checkpoint is a list of counts."""
    return isinstance(value, list) and all(type(n) is int and n >= 0 for n in value)


class Top:
    """Positions with too many configurations to list: what is shot there, and what follows."""

    def __init__(self, runner: Runner, sweep: Counting, store: Facts | None, limit: int):
        self._runner = runner
        self._game = runner.game
        self._sweep = sweep
        self._store = store
        self._limit = limit

    def children(self, position: Position, n: int) -> list[tuple[Position, int]]:
        """The positions after the strategy's shot, missed first, with their configurations."""
        cell, *numbers = self._recall(position, n) or self._decide(position, n)
        where = self._game.cell(cell)
        after = dict(zip(known_replies(self._game), (*numbers, n - sum(numbers)), strict=True))
        return [
            (position.after(where, answer), after[answer])
            for answer in reversed(after)
            if after[answer]
        ]

    def children_by_twins(self, position: Position, n: int) -> list[list[tuple[Position, int]]]:
        """The children of a position; together those after a hit on one of several unhit twins.

        Twins are ships that differ by their names alone, as 3a and 3b. Exchanging names maps the
        configurations, and the shots of every rule, of one such child to those of the other: their
        histograms are equal. (A strategy in plain Python may go by names.)
        """
        by_names = isinstance(self._game.announcement, ShipNames)
        fleet = self._game.fleet if by_names and isinstance(self._runner, KernelRunner) else ()
        unhit = set(fleet) - {shot.reply.length for shot in position.shots}
        together: dict[object, list[tuple[Position, int]]] = {}
        for child, number in self.children(position, n):
            answer = child.shots[-1].reply
            key: object = answer
            if answer.length is not None and answer.length in unhit:
                key = fleet.count(answer.length), *self._game.placements(answer.length)
            together.setdefault(key, []).append((child, number))
        return list(together.values())

    def counts(self, position: Position) -> list[int]:
        """How many configurations have each cell."""
        return self._counts(position)[0]

    def _recall(self, position: Position, n: int) -> list[int] | None:
        """A cell, and how many configurations give each reply but a miss, from the checkpoint."""
        name = f"shot {position}"
        if self._store is None or name not in self._store:
            return None
        known = self._store[name]
        if are_counts(known) and len(known) == len(known_replies(self._game)):
            cell, *numbers = known
            if cell < self._game.cells and not position.closed >> cell & 1 and sum(numbers) <= n:
                return known
        raise self._store.contradicted(name, f"a new cell and {n:,} configurations at most")

    def _decide(self, position: Position, n: int) -> list[int]:
        """A cell and its numbers as in `_recall`, asked of the strategy and kept."""
        counts, sinkings = self._counts(position)
        cell = self._runner.shot(position, n, counts, self._limit)
        by_reply = Counter({HIT: counts[cell]})
        if isinstance(self._game.announcement, FixedLabels):
            by_reply = Counter(self._named(position, cell))
        for (sunk, kind), number in sinkings.items():
            if sunk == cell:
                told = Reply(True, True, kind if self._game.announce == "ship" else None)
                by_reply.update({told: number, HIT: -number})
        found = [cell, *(by_reply[answer] for answer in known_replies(self._game) if answer.hit)]
        if self._store is not None:
            self._store.add(f"shot {position}", found)
        return found

    def _named(self, position: Position, cell: int) -> dict[Reply, int]:
        """How many configurations name each ship at a cell, or show it."""
        if isinstance(self._game.announcement, ShipPlaces):
            through = Posterior(position).placements
            return {
                Reply(True, length=self._game.label(0, ship)): n
                for ship, n in through.items()
                if ship >> cell & 1
            }
        where = self._game.cell(cell)
        heard = Counter(shot.reply for shot in position.shots)
        return {
            answer: Posterior(position.after(where, answer)).configurations
            for answer in known_replies(self._game)
            if heard[answer] < (self._game.announcement.most(self._game.fleet, answer) or 0)
        }

    def _counts(self, position: Position) -> tuple[list[int], dict[tuple[int, int], int]]:
        """How many configurations have each cell, and a ship of a kind that a hit there sinks."""
        if not self._game.is_silent:
            known = counts_of(position)
            return known.cells, known.sinkings
        constraints = Constraints(self._game.fleet, position.misses, position.hits)
        counts = [0] * self._game.cells
        for mask, n in self._sweep.through(constraints)[1].items():
            for cell in bits(mask):
                counts[cell] += n
        return counts, {}
