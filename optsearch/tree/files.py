"""Decision trees in JSON files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NoReturn

from optsearch.counting.posterior import Posterior
from optsearch.game import Game, cell_name, parse_cell
from optsearch.game.position import Position, Shot, known_replies
from optsearch.game.ships import configurations_on
from optsearch.support.documents import Document, write
from optsearch.support.errors import GameError, PositionError, TreeError
from optsearch.tree.decisions import DecisionTree
from optsearch.tree.nodes import Leaf, Node, Shots
from optsearch.tree.text import configurations_text, path_text

FORMAT = "optsearch decision tree"
VERSION = 1

_FIELDS = (
    "format",
    "version",
    "title",
    "source",
    "game",
    "position",
    "prior",
    "total_height",
    "configurations",
    "root",
)


def save(tree: DecisionTree, path: str | Path) -> None:
    """Write a tree as JSON, whole or not at all; TreeError if it cannot be written.

    The file has one line per node, so that two trees can be compared line by line. A node is
    `{"shot": "A2", "hit": …, "miss": …}`, a leaf `{"configurations": 1}`.
    """
    head = {
        "format": FORMAT,
        "version": VERSION,
        **({"title": tree.title} if tree.title else {}),
        **({"source": tree.source} if tree.source else {}),
        "game": str(tree.position.game),
        "position": str(tree.position),
        **({"prior": tree.prior} if tree.prior else {}),
        "total_height": tree.total_height,
        "configurations": tree.configurations,
    }
    lines = [
        f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)},"
        for key, value in head.items()
    ]
    # Each waiting entry: the node, its depth, the text before it and the brackets after it.
    waiting: list[tuple[Node | Leaf, int, str, str]] = [(tree.root, 0, '"root": ', "")]
    while waiting:
        node, depth, before, after = waiting.pop()
        if isinstance(node, Leaf):
            lines.append(f'{" " * depth}{before}{{"configurations": {node.configurations}}}{after}')
            continue
        lines.append(f'{" " * depth}{before}{{"shot": {json.dumps(cell_name(node.cell))},')
        for i, (reply, child) in enumerate(reversed([*node.replies.items()])):
            closing = "}" + after if i == 0 else ","
            waiting.append((child, depth + 1, f"{json.dumps(str(reply))}: ", closing))
    write(path, "{" + "\n".join(lines) + "}\n", TreeError)


def load(path: str | Path) -> DecisionTree:
    """Load a tree from a file that `save` wrote, or one of the same form.

    Every field is checked, the totals against the tree, and the leaves against the configurations
    of the position (of a tree by a prior, their cells alone); the fields `title`, `source` and
    `prior` (texts) may be missing. Raises TreeError, with the file and the shots to the place, for
    a file that is not a tree of its position, and TooLarge as `Posterior`. `verify` replays the
    tree on all configurations.
    """
    return _Tree(Document.read(path, TreeError)).tree()


class _Tree:
    """A reader of the document of a tree."""

    def __init__(self, document: Document):
        self.document = document

    def refuse(self, problem: str, shots: Shots | None = None) -> NoReturn:
        self.document.refuse(problem, "" if shots is None else path_text(shots))

    def tree(self) -> DecisionTree:
        document = self.document
        document.require(FORMAT, VERSION, _FIELDS)
        try:
            game = Game.read(document.value("game", str))
            position = Position.parse(game, document.value("position", str))
        except (GameError, PositionError) as error:
            self.refuse(str(error))
        texts = {"source": "", "title": "", "prior": "", **document.fields}
        source, title, prior = (
            document.value(name, str, texts) for name in ("source", "title", "prior")
        )
        root = document.value("root", dict)
        tree = DecisionTree(position, self.node(position, root, ()), source, title, prior)
        document.require_same("total_height", tree.total_height, "the tree")
        document.require_same("configurations", tree.configurations, "the tree")
        for shots, leaf in tree.paths():
            self.require_end(tree, shots, leaf)
        number = Posterior(position).configurations
        if number != tree.configurations and not prior:
            actual = configurations_text(number)
            self.refuse(f"{position.title} has {actual}, the tree {tree.configurations}")
        return tree

    def require_end(self, tree: DecisionTree, shots: Shots, leaf: Leaf) -> None:
        """Refuse a leaf unless its number of configurations end there, with a hit.

        With a prior their weights are not known here, and are not checked.
        """
        game = tree.position.game
        try:
            position = Position(game, (*tree.position.shots, *shots))
        except PositionError as error:
            self.refuse(str(error), shots)
        if left := position.hits_left:
            cells = "1 cell" if left == 1 else f"{left} cells"
            self.refuse(f"the tree of {game} ends with {cells} still to hit", shots)
        if shots and not shots[-1].reply.hit:
            self.refuse(f"the tree of {game} goes on after the last hit", shots)
        if game.ends_at_hit:  # with ships on other cells, too
            ending = Posterior(position).configurations
        else:
            ending = sum(map(position.is_compatible, configurations_on(game, position.hits)))
        if not ending or (not tree.prior and ending != leaf.configurations):
            stated = configurations_text(leaf.configurations)
            self.refuse(f"a leaf of {game} has {stated}; {ending} end there", shots)

    def node(self, position: Position, fields: dict[str, object], shots: Shots) -> Node | Leaf:
        """Return the subtree after these shots. No path is longer than the board has cells."""
        document, place = self.document, path_text(shots)
        if "shot" not in fields:
            number = document.value("configurations", int, fields, place)
            if number < 1:
                self.refuse(f"a leaf has {number} configurations; it has 1 or more", shots)
            if len(fields) > 1:
                self.refuse(f"a leaf has the fields {', '.join(fields)}; only one is known", shots)
            return Leaf(number)
        try:
            cell = parse_cell(document.value("shot", str, fields, place))
            position.game.bit(cell)
        except GameError as error:
            self.refuse(str(error), shots)
        if any(shot.cell == cell for shot in (*position.shots, *shots)):
            self.refuse(f"{cell_name(cell)} is shot twice", shots)
        by_text = {str(reply): reply for reply in known_replies(position.game)}
        replies = {}
        for name in fields:
            if name == "shot":
                continue
            if name not in by_text:
                self.refuse(
                    f"{name!r} is not a reply; the replies with announce={position.game.announce} "
                    f"are {', '.join(by_text)}",
                    shots,
                )
            child = document.value(name, dict, fields, place)
            reply = by_text[name]
            replies[reply] = self.node(position, child, (*shots, Shot(cell, reply)))
        if not replies:
            self.refuse(f"the shot {cell_name(cell)} has no reply", shots)
        return Node(cell, replies)
