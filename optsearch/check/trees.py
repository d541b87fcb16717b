"""Replay decision trees on every configuration, in numpy, without a solver or its kernels."""

from __future__ import annotations

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
    """Raise TreeError unless this is the prior that weighs the leaves of a tree."""
    if prior is not None:
        prior.require(tree.position.game)
    if prior is not None and not tree.prior:
        raise TreeError(f"the tree of {tree.position.game} has no prior; leave --prior out")
    if tree.prior != (prior.digest if prior else ""):
        advice = f"{prior.name} is {prior.digest}" if prior else "give it with --prior"
        raise TreeError(f"the tree of {tree.position.game} is by the prior {tree.prior}; {advice}")


def verify(tree: DecisionTree, prior: Prior | None = None) -> int:
    """Replay the strategy on every configuration compatible with its position.

    Return the total height of the replay. It shares nothing with any solver, and does not trust the
    numbers in the tree. Raises TreeError, with the shots and a configuration in words, unless

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
    family, weights = _list_configurations(position, prior)
    if not len(family):
        raise TreeError(
            f"{game}: no configuration is compatible with the position {str(position)!r}"
        )
    height = 0
    waiting: list[tuple[Shots, object, CellSets, Weights, int]] = [
        ((), tree.root, family, weights, position.hits)
    ]
    while waiting:
        shots, node, family, weights, hits = waiting.pop()
        if not len(family):
            raise _fault(game, shots, "no configuration gives these replies")
        missing = (family & ~_words(hits)).any(axis=(1, 2))
        if game.ends_at_hit:
            missing = np.full(len(family), not hits)
        if isinstance(node, Leaf):
            if missing.any():
                cells = _cells(family[missing])
                raise _fault(
                    game,
                    shots,
                    f"the tree ends, but the configuration on {_names(game, cells)} has "
                    f"{_names(game, cells & ~hits)} still to hit",
                )
            weight = len(family) if weights is None else int(weights.sum())
            if type(node.configurations) is not int or node.configurations != weight:
                raise _fault(
                    game,
                    shots,
                    f"the leaf has weight {node.configurations!r}, but "
                    f"{configurations_text(len(family))} on {_names(game, _cells(family))} "
                    f"{'ends' if len(family) == 1 else 'end'} there"
                    + ("" if weights is None else f" and weigh {weight}"),
                )
            height += len(shots) * weight
        elif isinstance(node, Node):
            _check_shot(position, shots, node)
            if not missing.all():
                raise _fault(
                    game,
                    shots,
                    f"the tree shoots {cell_name(node.cell)}, but "
                    + ("one" if game.ends_at_hit else "every")
                    + f" cell of the configuration on {_names(game, _cells(family[~missing]))} "
                    "is hit",
                )
            bit = game.bit(node.cell)
            for reply, rows in _answers(game, family, hits, bit).items():
                part = family[rows]
                if len(part) and reply not in node.replies:
                    raise _fault(
                        game,
                        shots,
                        f"the tree shoots {cell_name(node.cell)} and has no branch for "
                        f"the {reply} of the configuration on {_names(game, _cells(part))}",
                    )
                if reply in node.replies:
                    waiting.append(
                        (
                            (*shots, Shot(node.cell, reply)),
                            node.replies[reply],
                            part,
                            None if weights is None else weights[rows],
                            hits | bit if reply.hit else hits,
                        )
                    )
        else:
            raise _fault(game, shots, f"{node!r} is neither a Node nor a Leaf")
    return height


def _list_configurations(position: Position, prior: Prior | None) -> tuple[CellSets, Weights]:
    """List the configurations of a position, and their weights.

    A configuration is its ships, each as two words of cells: the array has the shape (n, ships, 2).
    In a silent game without a prior all cells count as one ship. The weights are None without a
    prior.
    """
    game = position.game
    if game.is_silent and prior is None:
        return Configurations(position).list()[:, None, :], None
    ships = list_ships(position)
    hits = 0
    for shot in position.shots:
        bit = game.bit(shot.cell)
        ships = ships[_answers(game, ships, hits, bit)[shot.reply]]
        if shot.reply.hit:
            hits |= bit
    if prior is None:
        return ships, None
    weights = np.array(prior.weights(ships), object)
    return ships[weights > 0], weights[weights > 0]


def _answers(game: Game, ships: CellSets, hits: int, shot: int) -> dict[Reply, NDArray[np.bool_]]:
    """Map each reply to a shot to the rows that give it, as `position.reply` does for one."""
    struck = (ships & _words(shot) != 0).any(axis=2)
    hit = struck.any(axis=1)
    if game.is_silent:
        return {HIT: hit, MISS: ~hit}
    answers = {MISS: ~hit}
    for number, kind in enumerate(game.fleet):
        struck_here = struck[:, number]
        for words in np.unique(ships[struck_here, number], axis=0):
            (ship,) = to_masks(words[None])
            is_sunk = not ship & ~(hits | shot)
            answer = game.hit_reply(kind, ship, shot.bit_length() - 1, is_sunk)
            lies_there = struck_here & (ships[:, number] == words).all(axis=1)
            answers[answer] = answers.get(answer, False) | lies_there
    return answers


def _cells(ships: CellSets) -> int:
    """Return the cells of the first configuration."""
    return to_masks(np.bitwise_or.reduce(ships[:1], axis=1))[0]


def _fault(game: Game, shots: Shots, problem: str) -> TreeError:
    """Return the error that a tree has a problem after these shots."""
    return TreeError(f"{game}, {path_text(shots)}: {problem}")


def _check_shot(position: Position, shots: Shots, node: Node) -> None:
    """Raise TreeError unless the shot may follow these shots and its replies are of the game."""
    game = position.game
    try:
        game.bit(node.cell)
    except GameError as error:
        raise _fault(game, shots, f"the shot {error}") from None
    if any(shot.cell == node.cell for shot in shots):
        raise _fault(game, shots, f"{cell_name(node.cell)} is shot twice")
    if any(shot.cell == node.cell for shot in position.shots):
        raise _fault(
            game,
            shots,
            f"{cell_name(node.cell)} is shot again; it was shot in the position {str(position)!r}",
        )
    for reply in node.replies:
        if reply not in known_replies(game):
            raise _fault(
                game,
                shots,
                f"{str(reply)!r} is not a reply of a game with announce={game.announce}",
            )


def _words(mask: int) -> CellSets:
    """Return a mask of cells as two words of 64 bits, shape (1, 2)."""
    return np.array([[mask & (1 << 64) - 1, mask >> 64]], np.uint64)


def _names(game: Game, mask: int) -> str:
    """Return the names of the cells of a mask, as in `A1 B3`."""
    return " ".join(game.names(mask))
