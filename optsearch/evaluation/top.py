"""The top of the tree: positions with too many configurations to list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeGuard

from optsearch.evaluation.runners import Runner
from optsearch.game.position import HIT, Position, Shot, known_replies, reply
from optsearch.search.rules import Rule
from optsearch.strategies.greedy import counts_of
from optsearch.support.store import Facts

REMEMBERED = 1 << 13  # positions whose children are kept: some 30 MB


def is_count_list(value: object) -> TypeGuard[list[int]]:
    """True if a fact of a checkpoint is a list of counts."""
    return isinstance(value, list) and all(type(n) is int and n >= 0 for n in value)


class TreeTop:
    """The shots at positions with too many configurations to list, and the positions after them."""

    def __init__(self, runner: Runner, store: Facts | None, limit: int):
        self._runner = runner
        self._game = runner.game
        self._store = store
        self._limit = limit
        self._kept_children = lru_cache(REMEMBERED)(self.children)

    def path(
        self, ships: Sequence[int], position: Position, n: int
    ) -> Iterator[tuple[Position, int]]:
        """Yield the positions of a game from one on, and how many configurations each has.

        ships -- the hidden ones (masks). A position that several games meet is decided once, as
        long as it is kept.
        """
        while True:
            yield position, n
            if not position.hits_left:
                return
            children = self._kept_children(position, n)
            cell = children[0][0].shots[-1].cell
            answer = reply(self._game, ships, position.hits, self._game.bit(cell))
            shot = Shot(cell, answer)
            position, n = next(child for child in children if child[0].shots[-1] == shot)

    def children(self, position: Position, n: int) -> list[tuple[Position, int]]:
        """Return the positions after the strategy's shot, the miss first, with their numbers."""
        cell, *numbers = self._recall(position, n) or self._decide(position, n)
        where = self._game.cell(cell)
        after = dict(zip(known_replies(self._game), (*numbers, n - sum(numbers)), strict=True))
        return [
            (position.after(where, answer), after[answer])
            for answer in reversed(after)
            if after[answer]
        ]

    def children_by_twins(self, position: Position, n: int) -> list[list[tuple[Position, int]]]:
        """Group the children of a position: those after a hit on one of several unhit twins.

        Twins are ships that differ by their names alone, such as 3a and 3b. Exchanging names maps
        the configurations, and the shots of every rule, of one such child to those of the other, so
        their histograms are equal. (A strategy in plain Python, or a score of labels, may depend on
        names; then no children are grouped.)
        """
        rule, is_named = self._runner.rule, self._game.names_hits
        is_deaf = isinstance(rule, Rule) and not any(score.labels for score in rule.scores.values())
        fleet = self._game.fleet if is_named and is_deaf else ()
        unhit = set(fleet) - {shot.reply.label for shot in position.shots}
        together: dict[object, list[tuple[Position, int]]] = {}
        for child, number in self.children(position, n):
            answer = child.shots[-1].reply
            key: object = answer
            if answer.label is not None and answer.label in unhit:
                key = fleet.count(answer.label), *self._game.placements(answer.label)
            together.setdefault(key, []).append((child, number))
        return list(together.values())

    def counts(self, position: Position) -> list[int]:
        """Count the configurations with each cell."""
        return list(counts_of(position).cells)

    def _recall(self, position: Position, n: int) -> list[int] | None:
        """Return a cell, and the numbers by reply except a miss, from the checkpoint; or None."""
        name = f"shot {position}"
        if self._store is None or name not in self._store:
            return None
        decision = self._store[name]
        if is_count_list(decision) and len(decision) == len(known_replies(self._game)):
            cell, *numbers = decision
            if cell < self._game.cells and not position.closed >> cell & 1 and sum(numbers) <= n:
                return decision
        raise self._store.impossible_fact(name, f"a new cell and {n:,} configurations at most")

    def _decide(self, position: Position, n: int) -> list[int]:
        """Return a cell and its numbers as in `_recall`, by the strategy, and store them."""
        counts = self.counts(position)
        cell = self._runner.shot(position, n, counts, self._limit)
        by_reply = counts_of(position).replies.get(cell) or {HIT: counts[cell]}
        numbers = [by_reply.get(reply, 0) for reply in known_replies(self._game) if reply.hit]
        decision = [cell, *numbers]
        if self._store is not None:
            self._store.add(f"shot {position}", decision)
        return decision
