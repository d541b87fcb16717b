"""The top of the tree: positions with too many configurations to list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeGuard

from optsearch.evaluation.runners import Runner
from optsearch.game.position import HIT, Position, Shot, known_replies, reply
from optsearch.search.rules import Rule
from optsearch.strategies.greedy import counts_of
from optsearch.support.store import Facts

MOST_POSITIONS = 1 << 13  # positions whose children are kept: some 30 MB


def is_count_list(value: object) -> TypeGuard[list[int]]:
    """True if a fact of a checkpoint is a list of integers of 0 or more."""
    return isinstance(value, list) and all(type(n) is int and n >= 0 for n in value)


class Child(NamedTuple):
    """A position after a shot, and its number of configurations."""

    position: Position
    configurations: int


class TreeTop:
    """The shots at positions with too many configurations to list, and the positions after them.

    store -- a checkpoint that keeps the shots; None to keep nothing. limit -- the most
    configurations of a task.
    """

    def __init__(self, runner: Runner, store: Facts | None, limit: int):
        self._runner = runner
        self._game = runner.game
        self._store = store
        self._limit = limit
        self._kept_children = lru_cache(MOST_POSITIONS)(self.children)

    def path(
        self, ships: Sequence[int], position: Position, configurations: int
    ) -> Iterator[Child]:
        """Yield the positions of one game, from a given one to the end, as the strategy plays it.

        Each comes with its number of configurations. ships -- the hidden ones, as masks of cells.
        position, configurations -- the first position and its number. If several games meet a
        position, the strategy is asked once, as long as the answer is kept.
        """
        child = Child(position, configurations)
        while True:
            yield child
            position = child.position
            if not position.hits_left:
                return
            children = self._kept_children(*child)
            cell = children[0].position.shots[-1].cell  # all children are after the same shot
            answer = reply(self._game, ships, position.hits, self._game.bit(cell))
            shot = Shot(cell, answer)
            child = next(each for each in children if each.position.shots[-1] == shot)

    def children(self, position: Position, configurations: int) -> list[Child]:
        """Return the positions after the strategy's shot, one for each possible reply.

        Each has its number of configurations. The position after a miss is the first.
        configurations -- the number of configurations of the position before the shot.
        """
        cell, *hit_counts = self._recall(position, configurations) or self._decide(
            position, configurations
        )
        shot_at = self._game.cell(cell)
        counts = *hit_counts, configurations - sum(hit_counts)  # a miss is the last of the replies
        children = [
            Child(position.after(shot_at, answer), count)
            for answer, count in zip(known_replies(self._game), counts, strict=True)
            if count
        ]
        return children[::-1]

    def children_by_twins(self, position: Position, configurations: int) -> list[list[Child]]:
        """Return the positions after a shot, in groups that have equal histograms of shots.

        Twins are ships that differ by their names alone, such as 3a and 3b. To exchange their names
        maps games after the first hit of one to games after the first hit of the other. So the
        positions after these hits are one group. Any other position is a group by itself; so is
        each if the strategy may depend on names, as in plain Python or with a score of labels.
        """
        game, rule = self._game, self._runner.rule
        ignores_names = isinstance(rule, Rule) and not any(
            score.labels for score in rule.scores.values()
        )
        ships = game.fleet if game.names_hits and ignores_names else ()
        unhit_ships = set(ships) - {shot.reply.label for shot in position.shots}
        groups: dict[object, list[Child]] = {}
        for child in self.children(position, configurations):
            answer = child.position.shots[-1].reply
            group_key: object = answer
            if answer.label is not None and answer.label in unhit_ships:
                # Twins have equal placements, and as many ships have each of their names.
                group_key = ships.count(answer.label), *game.placements(answer.label)
            groups.setdefault(group_key, []).append(child)
        return list(groups.values())

    def _recall(self, position: Position, configurations: int) -> list[int] | None:
        """Return the shot and the counts that the checkpoint has of a position, or None.

        The list has the index of the cell, and then the number of configurations for each reply
        that is a hit. configurations -- the number of configurations of the position. Raises
        TableError if the list cannot be true of so many.
        """
        fact_name = f"shot {position}"
        if self._store is None or fact_name not in self._store:
            return None
        decision = self._store[fact_name]
        if is_count_list(decision) and len(decision) == len(known_replies(self._game)):
            cell, *hit_counts = decision
            is_new = cell < self._game.cells and not position.closed >> cell & 1
            if is_new and sum(hit_counts) <= configurations:
                return decision
        raise self._store.impossible_fact(
            fact_name, f"a new cell and {configurations:,} configurations at most"
        )

    def _decide(self, position: Position, configurations: int) -> list[int]:
        """Return the strategy's shot at a position, with a count for each reply, and store it.

        The list has the index of the cell, and then the number of configurations for each reply
        that is a hit. configurations -- the number of configurations of the position.
        """
        counts_by_cell = list(counts_of(position).cells)
        cell = self._runner.shot(position, configurations, counts_by_cell, self._limit)
        count_by_reply = counts_of(position).replies.get(cell) or {HIT: counts_by_cell[cell]}
        hit_replies = [answer for answer in known_replies(self._game) if answer.hit]
        decision = [cell, *(count_by_reply.get(answer, 0) for answer in hit_replies)]
        if self._store is not None:
            self._store.add(f"shot {position}", decision)
        return decision
