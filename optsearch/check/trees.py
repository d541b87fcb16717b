"""Replay decision trees on every configuration, in numpy, without a solver or its kernels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import CellSets, Configurations, list_ships, to_masks
from optsearch.counting.prior import Prior
from optsearch.game import Game, cell_name
from optsearch.game.position import HIT, MISS, Position, Reply, Shot, known_replies
from optsearch.support.errors import GameError, TreeError
from optsearch.tree.decisions import DecisionTree
from optsearch.tree.nodes import Leaf, Node, Shots
from optsearch.tree.text import configurations_text, path_text

Weights = NDArray[np.object_] | None  # of configurations; None if each counts once


def require_prior(tree: DecisionTree, prior: Prior | None) -> None:
    """Raise TreeError unless a tree was made with this prior, or both are without one."""
    if prior is not None:
        prior.require(tree.position.game)
    if prior is not None and not tree.prior:
        raise TreeError(f"the tree of {tree.position.game} has no prior; leave --prior out")
    if tree.prior != (prior.digest if prior else ""):
        advice = f"{prior.name} is {prior.digest}" if prior else "give it with --prior"
        raise TreeError(f"the tree of {tree.position.game} is by the prior {tree.prior}; {advice}")


def verify(tree: DecisionTree, prior: Prior | None = None) -> int:
    """Replay the strategy on every configuration of its position; return the total height.

    It shares nothing with any solver, and does not trust the numbers in the tree. Raises TreeError,
    with the shots and a configuration in words, unless

    - the prior of the tree is this one, or both are none;
    - every shot is on the board and at a cell not shot before, in the position or on the path;
    - every reply of a configuration has a branch, and every branch has a configuration;
    - a leaf is reached exactly when every cell of the ships is hit, or with ends=hit when one is;
    - the weight of a leaf is the number of configurations that reach it, or with a prior their
      total weight. Configurations of weight 0 are left out.

    Raises TooLarge for more configurations than can be listed.
    """
    position = tree.position
    game = position.game
    require_prior(tree, prior)
    ships, weights = _list_configurations(position, prior)
    if not len(ships):
        raise TreeError(
            f"{game}: no configuration is compatible with the position {str(position)!r}"
        )
    height = 0
    waiting = [_Visit((), tree.root, ships, weights, position.hits)]
    while waiting:
        visit = waiting.pop()
        if not len(visit.ships):
            raise _make_error(game, visit.shots, "no configuration gives these replies")
        if isinstance(visit.node, Leaf):
            height += len(visit.shots) * _checked_leaf_weight(game, visit, visit.node)
        elif isinstance(visit.node, Node):
            waiting += _visits_after_shot(position, visit, visit.node)
        else:
            raise _make_error(game, visit.shots, f"{visit.node!r} is neither a Node nor a Leaf")
    return height


class _Visit(NamedTuple):
    """A node of the tree, and what reaches it in the replay.

    shots -- on the path from the root. ships, weights -- of the configurations that reach it, as in
    `_list_configurations`. hits -- the mask of the cells hit.
    """

    shots: Shots
    node: object
    ships: CellSets
    weights: Weights
    hits: int


def _is_unfinished(game: Game, visit: _Visit) -> NDArray[np.bool_]:
    """Return for each configuration True if its game goes on at a node."""
    if game.ends_at_hit:
        return np.full(len(visit.ships), not visit.hits)
    cells_left = visit.ships & ~_mask_to_words(visit.hits)
    return np.asarray(cells_left.any(axis=(1, 2)), bool)


def _checked_leaf_weight(game: Game, visit: _Visit, leaf: Leaf) -> int:
    """Return the weight of the configurations that reach a leaf.

    Raises TreeError if the game of one goes on, or if the leaf says another weight.
    """
    ships, weights = visit.ships, visit.weights
    is_unfinished = _is_unfinished(game, visit)
    if is_unfinished.any():
        cells = _cells_of_first(ships[is_unfinished])
        raise _make_error(
            game,
            visit.shots,
            f"the tree ends, but the configuration on {_name_cells(game, cells)} has "
            f"{_name_cells(game, cells & ~visit.hits)} still to hit",
        )
    weight = len(ships) if weights is None else int(weights.sum())
    if type(leaf.configurations) is not int or leaf.configurations != weight:
        raise _make_error(
            game,
            visit.shots,
            f"the leaf has weight {leaf.configurations!r}, but "
            f"{configurations_text(len(ships))} on {_name_cells(game, _cells_of_first(ships))} "
            f"{'ends' if len(ships) == 1 else 'end'} there"
            + ("" if weights is None else f" and weigh {weight}"),
        )
    return weight


def _visits_after_shot(position: Position, visit: _Visit, node: Node) -> Iterator[_Visit]:
    """Yield the visits of the branches of a node.

    Raises TreeError if the shot may not be made, if the game of a configuration is over, or if a
    reply that some configuration gives has no branch.
    """
    game, shots, ships = position.game, visit.shots, visit.ships
    _check_shot(position, shots, node)
    is_unfinished = _is_unfinished(game, visit)
    if not is_unfinished.all():
        finished = _cells_of_first(ships[~is_unfinished])
        raise _make_error(
            game,
            shots,
            f"the tree shoots {cell_name(node.cell)}, but "
            + ("one" if game.ends_at_hit else "every")
            + f" cell of the configuration on {_name_cells(game, finished)} is hit",
        )
    shot_mask = game.bit(node.cell)
    for reply, gives_reply in _group_by_reply(game, ships, visit.hits, shot_mask).items():
        ships_of_reply = ships[gives_reply]
        if reply in node.replies:
            yield _Visit(
                shots=(*shots, Shot(node.cell, reply)),
                node=node.replies[reply],
                ships=ships_of_reply,
                weights=None if visit.weights is None else visit.weights[gives_reply],
                hits=visit.hits | shot_mask if reply.hit else visit.hits,
            )
        elif len(ships_of_reply):
            raise _make_error(
                game,
                shots,
                f"the tree shoots {cell_name(node.cell)} and has no branch for "
                f"the {reply} of the configuration on "
                f"{_name_cells(game, _cells_of_first(ships_of_reply))}",
            )


def _list_configurations(position: Position, prior: Prior | None) -> tuple[CellSets, Weights]:
    """List the configurations of a position, and their weights; None without a prior.

    A configuration is its ships, each as two words of cells: the array has the shape (n, ships, 2).
    In a silent game without a prior all cells count as one ship.
    """
    game = position.game
    if game.is_silent and prior is None:
        return Configurations(position).list()[:, None, :], None
    ships = list_ships(position)
    hits = 0
    for shot in position.shots:
        shot_mask = game.bit(shot.cell)
        ships = ships[_group_by_reply(game, ships, hits, shot_mask)[shot.reply]]
        if shot.reply.hit:
            hits |= shot_mask
    if prior is None:
        return ships, None
    weights = np.array(prior.weights(ships), object)
    return ships[weights > 0], weights[weights > 0]


def _group_by_reply(
    game: Game, ships: CellSets, hits: int, shot: int
) -> dict[Reply, NDArray[np.bool_]]:
    """Map each reply to a shot to the configurations that give it, as an array of booleans.

    This is `position.reply` for all configurations at once; some replies may come from none. ships
    -- two words of cells for each ship of each configuration. hits, shot -- masks of cells.
    """
    is_struck = (ships & _mask_to_words(shot) != 0).any(axis=2)  # by configuration and ship
    is_hit = is_struck.any(axis=1)
    if game.is_silent:
        return {HIT: is_hit, MISS: ~is_hit}
    replies = {MISS: ~is_hit}
    for ship_index, kind in enumerate(game.fleet):
        placements, is_ship_struck = ships[:, ship_index], is_struck[:, ship_index]
        for placement in np.unique(placements[is_ship_struck], axis=0):
            (ship,) = to_masks(placement[None])
            is_sunk = not ship & ~(hits | shot)
            reply = game.hit_reply(kind, ship, shot.bit_length() - 1, is_sunk)
            gives_reply = is_ship_struck & (placements == placement).all(axis=1)
            replies[reply] = replies.get(reply, False) | gives_reply
    return replies


def _cells_of_first(ships: CellSets) -> int:
    """Return the mask of the cells of the first configuration."""
    return to_masks(np.bitwise_or.reduce(ships[:1], axis=1))[0]


def _make_error(game: Game, shots: Shots, problem: str) -> TreeError:
    """Return the error that a tree has a problem after these shots."""
    return TreeError(f"{game}, {path_text(shots)}: {problem}")


def _check_shot(position: Position, shots: Shots, node: Node) -> None:
    """Raise TreeError unless the shot may follow these shots and its replies are of the game."""
    game = position.game
    try:
        game.bit(node.cell)
    except GameError as error:
        raise _make_error(game, shots, f"the shot {error}") from None
    if any(shot.cell == node.cell for shot in shots):
        raise _make_error(game, shots, f"{cell_name(node.cell)} is shot twice")
    if any(shot.cell == node.cell for shot in position.shots):
        raise _make_error(
            game,
            shots,
            f"{cell_name(node.cell)} is shot again; it was shot in the position {str(position)!r}",
        )
    for reply in node.replies:
        if reply not in known_replies(game):
            raise _make_error(
                game,
                shots,
                f"{str(reply)!r} is not a reply of a game with announce={game.announce}",
            )


def _mask_to_words(mask: int) -> CellSets:
    """Return a mask of cells as two words of 64 bits, shape (1, 2)."""
    return np.array([[mask & (1 << 64) - 1, mask >> 64]], np.uint64)


def _name_cells(game: Game, mask: int) -> str:
    return " ".join(game.names(mask))
