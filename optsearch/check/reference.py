"""The optimum by its definition, in plain Python: the oracle that every faster method must equal.

It shares with the kernels only the rules of `optsearch.game` and `optsearch.game.position`, and
handles all of these rules. It is the recursion of Audinot, Bonnet and Viennot (2014), section 3.2,
which ends where no ship is left, or with ends=hit at the first hit.

A state is a family: what each configuration still hides, with the number of configurations that
hide the same. A shot splits a family by reply. Certain hits are shots like any others, because the
order of the hits decides which sinkings are announced.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from itertools import count
from math import inf
from operator import itemgetter

from optsearch.counting.prior import Prior
from optsearch.game import Game, bits
from optsearch.game.objective import MEAN, Objective
from optsearch.game.position import HIT, MISS, Position, Reply, reply
from optsearch.support.errors import ImpossiblePosition
from optsearch.tree import DecisionTree, Leaf, Node
from optsearch.tree.solution import Solution

# What a configuration still hides: the mask of the cells still to hit, if all hits have the reply
# HIT. Else a tuple of pieces in ascending order. A piece is a mask of cells, the reply to a hit on
# one of them, and the reply to the hit on the last of them.
Hidden = int | tuple[tuple[int, Reply, Reply], ...]


class UntilHit(tuple[tuple[int, Reply, Reply], ...]):
    """The pieces of a configuration in a game that the first hit ends: then nothing is hidden."""


Family = frozenset[tuple[Hidden, int]]  # with the number of configurations that hide each


def configurations(position: Position) -> Iterator[tuple[int, ...]]:
    """Yield every configuration that fits a position, as a tuple of ships (masks of cells)."""
    game = position.game

    def place_rest(ships: tuple[int, ...], closed: int) -> Iterator[tuple[int, ...]]:
        """Yield the configurations that begin with these ships; closed -- no ship may lie there."""
        if len(ships) == len(game.fleet):
            if position.is_compatible(ships):
                yield ships
            return
        length = game.fleet[len(ships)]
        for ship in game.placements(length):
            # Equal ships are placed in ascending order, so that each configuration comes once.
            is_like_previous = ships and game.fleet[len(ships) - 1] == length
            is_ordered = not is_like_previous or ships[-1] < ship
            if is_ordered and not ship & closed:
                yield from place_rest((*ships, ship), closed | ship | game.halo(ship))

    return place_rest((), position.misses)


# States


def family(position: Position, prior: Prior | None = None) -> Family:
    """Return all that can still be hidden in a position, with the number of configurations of each.

    What a configuration still hides is the cells left to hit, with their replies (`hidden_of`).
    prior -- weights of the configurations, added up instead; what has weight 0 is left out.
    """
    weight_of_hidden: Counter[Hidden] = Counter()
    for ships in configurations(position):
        hidden = hidden_of(position.game, ships, position.hits)
        weight_of_hidden[hidden] += 1 if prior is None else prior.weight(ships)
    return frozenset(
        (hidden, hidden_weight)
        for hidden, hidden_weight in weight_of_hidden.items()
        if hidden_weight
    )


def hidden_of(game: Game, ships: tuple[int, ...], hits: int = 0) -> Hidden:
    """Return what a configuration still hides: the cells left to hit, and their replies.

    If all hits have the reply HIT, it is the mask of the cells left. Else it is a tuple of pieces.
    A piece is a mask of cells, the reply to a hit on one of them, and the reply to the hit on the
    last of them. hits -- the mask of the cells hit.
    """
    if game.ends_at_hit and hits:
        return ()
    pieces: dict[tuple[int, Reply, Reply], int] = defaultdict(int)
    for ship in ships:
        for cell in bits(ship & ~hits):
            shot = 1 << cell
            first_reply, last_reply = reply(game, ships, 0, shot), reply(game, ships, ship, shot)
            # If the last hit has the same reply, cells of all ships with it are one piece.
            piece_ship = 0 if first_reply == last_reply else ship
            pieces[piece_ship, first_reply, last_reply] |= shot
    has_plain_replies = all(last == HIT for _, _, last in pieces)
    if has_plain_replies and not game.ends_at_hit:
        return sum(pieces.values())
    hidden = sorted(
        ((cells, first, last) for (_, first, last), cells in pieces.items()), key=itemgetter(0)
    )
    return UntilHit(hidden) if game.ends_at_hit else tuple(hidden)


def shoot(family: Family, cell: int) -> dict[Reply, Family]:
    """Map each reply to a shot to the family of the configurations that give it, after the shot."""
    parts: dict[Reply, Counter[Hidden]] = defaultdict(Counter)
    for hidden, hidden_weight in family:
        reply, still_hidden = _shoot_at(hidden, 1 << cell)
        parts[reply][still_hidden] += hidden_weight
    return {reply: frozenset(part.items()) for reply, part in parts.items()}


def _shoot_at(hidden: Hidden, shot: int) -> tuple[Reply, Hidden]:
    """Return the reply to a shot, and what is still hidden after it.

    hidden -- what one configuration hides before it. shot -- the mask of the cell.
    """
    if isinstance(hidden, int):
        return (HIT, hidden ^ shot) if hidden & shot else (MISS, hidden)
    for i, (cells, first_reply, last_reply) in enumerate(hidden):
        if not cells & shot:
            continue
        cells_left = cells ^ shot
        reply = first_reply if cells_left else last_reply
        if isinstance(hidden, UntilHit):
            return reply, ()
        pieces = hidden[:i] + hidden[i + 1 :]
        if cells_left:
            pieces = (*pieces, (cells_left, first_reply, last_reply))
        return reply, tuple(sorted(pieces, key=itemgetter(0)))
    return MISS, hidden


def useful_cells(family: Family) -> Iterator[int]:
    """Yield the cells (bit indices) that some configuration still hides, ascending."""
    union = 0
    for hidden, _ in family:
        if isinstance(hidden, int):
            union |= hidden
        else:
            for cells, _, _ in hidden:
                union |= cells
    return bits(union)


def is_over(family: Family) -> bool:
    """True if nothing is hidden, which happens to all configurations of a family at once."""
    return not any(hidden for hidden, _ in family)


def weight(family: Family) -> int:
    """Return the number of configurations of a family, or with a prior their total weight."""
    return sum(hidden_weight for _, hidden_weight in family)


# Optima


@cache
def total_height(family: Family, max_shots: float = inf) -> float:
    """Return the least total of shots over all configurations of a family.

    max_shots -- per configuration. The result is an integer, or infinite if no strategy keeps to
    this limit.
    """
    if is_over(family):
        return 0
    return min(first_shots(family, max_shots).values())


def first_shots(family: Family, max_shots: float = inf) -> dict[int, float]:
    """Return the least total of shots for each cell that can still be hit, if it is shot now.

    max_shots -- per configuration, this one included.
    """
    if max_shots == 0:
        return dict.fromkeys(useful_cells(family), inf)
    return {
        cell: weight(family)
        + sum(total_height(part, max_shots - 1) for part in shoot(family, cell).values())
        for cell in useful_cells(family)
    }


@cache
def best_greedy(family: Family) -> int:
    """Return the least total of shots if a most probable cell is shot each time.

    A certain hit is always among these cells.
    """
    if is_over(family):
        return 0
    parts_of = {cell: shoot(family, cell) for cell in useful_cells(family)}  # by reply
    hit_weight = {
        cell: sum(weight(part) for reply, part in parts.items() if reply.hit)
        for cell, parts in parts_of.items()
    }
    greatest = max(hit_weight.values())
    return weight(family) + min(
        sum(map(best_greedy, parts.values()))
        for cell, parts in parts_of.items()
        if hit_weight[cell] == greatest
    )


@cache
def most_finished(family: Family, max_shots: int) -> int:
    """Return the most configurations that one strategy finishes within this number of shots."""
    if is_over(family):
        return weight(family)
    return max(finished_by_first_shot(family, max_shots).values())


def finished_by_first_shot(family: Family, max_shots: int) -> dict[int, int]:
    """Return the most configurations finished for each cell that can still be hit, if shot now.

    max_shots -- per configuration, this one included.
    """
    if max_shots == 0:
        return dict.fromkeys(useful_cells(family), 0)
    return {
        cell: sum(most_finished(part, max_shots - 1) for part in shoot(family, cell).values())
        for cell in useful_cells(family)
    }


def solve(position: Position, objective: Objective = MEAN, prior: Prior | None = None) -> Solution:
    """Return the optimum of a position by trying every cell, for boards of about a dozen cells.

    Raises ImpossiblePosition if no configuration is left.
    """
    started = time.perf_counter()
    if prior is not None:
        prior.require(position.game)
    root = family(position, prior)
    if not root:
        raise ImpossiblePosition(
            f"no configuration of {position.game} is compatible with the shots {str(position)!r}"
            if position.shots
            else f"{position.game} has no configuration"
        )
    with caches():
        max_shots: float = inf  # the limit that a configuration must or should keep to
        if objective.kind == "worst":
            max_shots = next(limit for limit in count() if total_height(root, limit) < inf)
        elif objective.shots is not None:
            max_shots = objective.shots
        is_within = objective.kind == "within"
        height = None if is_within else int(total_height(root, max_shots))
        finished = most_finished(root, int(max_shots)) if is_within else None
        best_cells = [] if is_over(root) else _best_cells(root, objective, max_shots)
        caches_used = [total_height.cache_info(), most_finished.cache_info()]
    return Solution(
        position=position,
        prior=prior,
        method="reference",
        total_height=height,
        configurations=weight(root),
        best_shots=tuple(map(position.game.cell, best_cells)),
        nodes=sum(cache.misses for cache in caches_used),
        table_entries=sum(cache.currsize for cache in caches_used),
        table_bytes=0,
        seconds=time.perf_counter() - started,
        objective=objective,
        worst=int(max_shots) if objective.kind == "worst" else None,
        finished=finished,
        _tree=partial(_tree, position, root, objective, max_shots, prior),
    )


def _best_cells(family: Family, objective: Objective, max_shots: float) -> list[int]:
    """List the cells that an optimal strategy can shoot now; max_shots -- how many are left."""
    value_of_cell: Mapping[int, float]
    best: float
    if objective.kind == "within":
        value_of_cell = finished_by_first_shot(family, int(max_shots))
        best = max(value_of_cell.values())
    else:
        value_of_cell = first_shots(family, max_shots)
        best = min(value_of_cell.values())
    return [cell for cell, value in value_of_cell.items() if value == best]


def _tree(
    position: Position, root: Family, objective: Objective, max_shots: float, prior: Prior | None
) -> DecisionTree:
    """Return the optimal tree that always shoots the first of the best cells.

    max_shots -- how many a configuration may take. For within=K, configurations that are not
    finished by then go on with the least mean.
    """

    def subtree(family: Family, objective: Objective, max_shots: float) -> Node | Leaf:
        if is_over(family):
            return Leaf(weight(family))
        if objective.kind == "within" and max_shots == 0:
            return subtree(family, MEAN, inf)
        cell = _best_cells(family, objective, max_shots)[0]
        parts = shoot(family, cell)
        return Node(
            position.game.cell(cell),
            {reply: subtree(part, objective, max_shots - 1) for reply, part in parts.items()},
        )

    prior_digest = "" if prior is None else prior.digest
    with caches():
        return DecisionTree(position, subtree(root, objective, max_shots), prior=prior_digest)


@contextmanager
def caches() -> Iterator[None]:
    """Empty the caches of this module before and after the work in this context.

    So the counts of a solution can be repeated, and memory is freed.
    """
    for function in (total_height, best_greedy, most_finished):
        function.cache_clear()
    try:
        yield
    finally:
        for function in (total_height, best_greedy, most_finished):
            function.cache_clear()
