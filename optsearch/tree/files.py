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

    Each node has a line of its own: `{"shot": "A2", "hit": …, "miss": …}`, or for a leaf
    `{"configurations": 1}`.
    """
    header = {
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
        for key, value in header.items()
    ]

    def add_lines(node: Node | Leaf, depth: int, key: str, text_after: str) -> None:
        """Add the lines of a subtree, which is the value of a key; a text ends the last line."""
        line_start = f"{' ' * depth}{json.dumps(key)}: "
        if isinstance(node, Leaf):
            lines.append(f'{line_start}{{"configurations": {node.configurations}}}{text_after}')
            return
        lines.append(f'{line_start}{{"shot": {json.dumps(cell_name(node.cell))},')
        for branch_number, (reply, child) in enumerate(node.replies.items(), 1):
            is_last = branch_number == len(node.replies)
            add_lines(child, depth + 1, str(reply), "}" + text_after if is_last else ",")

    add_lines(tree.root, 0, "root", "")
    write(path, "{" + "\n".join(lines) + "}\n", TreeError)


def load(path: str | Path) -> DecisionTree:
    """Return the decision tree in a JSON file as `save` writes it.

    The totals are checked against the tree, and the leaves against the configurations of the
    position; with a prior, only their cells. `verify` replays the tree on all configurations. The
    fields `title`, `source` and `prior` may be missing.

    Raises TreeError, with the shots that lead to the problem, for a file that is not a tree of its
    position; TooLarge if the position has too many configurations to count.
    """
    return _TreeReader(Document.read(path, TreeError)).read_tree()


class _TreeReader:
    """A reader of the document of a tree."""

    def __init__(self, document: Document):
        self.document = document

    def refuse(self, problem: str, shots: Shots | None = None) -> NoReturn:
        """Raise an error about the node to which these shots lead, or about the whole document."""
        self.document.refuse(problem, "" if shots is None else path_text(shots))

    def read_tree(self) -> DecisionTree:
        """Return the decision tree of the document; TreeError if a field is wrong."""
        document = self.document
        document.require(FORMAT, VERSION, _FIELDS)
        try:
            game = Game.read(document.value("game", str))
            position = Position.parse(game, document.value("position", str))
        except (GameError, PositionError) as error:
            self.refuse(str(error))
        texts = {"source": "", "title": "", "prior": "", **document.fields}
        source = document.value("source", str, texts)
        title = document.value("title", str, texts)
        prior = document.value("prior", str, texts)
        root = self.read_node(position, document.value("root", dict), ())
        tree = DecisionTree(position, root, source=source, title=title, prior=prior)
        document.require_same("total_height", tree.total_height, "the tree")
        document.require_same("configurations", tree.configurations, "the tree")
        for shots, leaf in tree.paths():
            self.check_leaf(tree, shots, leaf)
        configurations = Posterior(position).configurations
        if configurations != tree.configurations and not prior:
            actual = configurations_text(configurations)
            self.refuse(f"{position.title} has {actual}, the tree {tree.configurations}")
        return tree

    def check_leaf(self, tree: DecisionTree, shots: Shots, leaf: Leaf) -> None:
        """Raise TreeError unless the game ends at a leaf, for as many configurations as it says.

        If the tree has a prior, the leaf has a weight, which is not known here; then some
        configuration must end there.

        shots -- the shots with their replies from the root to the leaf.
        """
        game = tree.position.game
        try:
            position = Position(game, (*tree.position.shots, *shots))
        except PositionError as error:
            self.refuse(str(error), shots)
        if position.hits_left > 0:
            cells_text = "1 cell" if position.hits_left == 1 else f"{position.hits_left} cells"
            self.refuse(f"the tree of {game} ends with {cells_text} still to hit", shots)
        if shots and not shots[-1].reply.hit:
            self.refuse(f"the tree of {game} goes on after the last hit", shots)
        if game.ends_at_hit:  # ships may lie on cells that are not hit
            configurations_ending = Posterior(position).configurations
        else:
            on_these_cells = configurations_on(game, position.hits)
            configurations_ending = sum(map(position.is_compatible, on_these_cells))
        is_wrong_count = not tree.prior and configurations_ending != leaf.configurations
        if configurations_ending == 0 or is_wrong_count:
            stated = configurations_text(leaf.configurations)
            self.refuse(f"a leaf of {game} has {stated}; {configurations_ending} end there", shots)

    def read_node(self, position: Position, fields: dict[str, object], shots: Shots) -> Node | Leaf:
        """Return the subtree of a JSON object; TreeError if it is wrong, as for a repeated shot.

        position -- at the root of the whole tree. shots -- the shots with their replies from there
        to the subtree.
        """
        document, path = self.document, path_text(shots)
        if "shot" not in fields:
            return self.read_leaf(fields, shots)
        try:
            cell = parse_cell(document.value("shot", str, fields, path))
            position.game.bit(cell)
        except GameError as error:
            self.refuse(str(error), shots)
        if any(shot.cell == cell for shot in (*position.shots, *shots)):
            self.refuse(f"{cell_name(cell)} is shot twice", shots)
        reply_by_text = {str(reply): reply for reply in known_replies(position.game)}
        replies = {}
        for text in fields:
            if text == "shot":
                continue
            if text not in reply_by_text:
                self.refuse(
                    f"{text!r} is not a reply; the replies with announce={position.game.announce} "
                    f"are {', '.join(reply_by_text)}",
                    shots,
                )
            child = document.value(text, dict, fields, path)
            reply = reply_by_text[text]
            replies[reply] = self.read_node(position, child, (*shots, Shot(cell, reply)))
        if not replies:
            self.refuse(f"the shot {cell_name(cell)} has no reply", shots)
        return Node(cell, replies)

    def read_leaf(self, fields: dict[str, object], shots: Shots) -> Leaf:
        """Return the leaf of a JSON object, to which some shots lead; TreeError if it is wrong."""
        configurations = self.document.value("configurations", int, fields, path_text(shots))
        if configurations < 1:
            self.refuse(f"a leaf has {configurations} configurations; it has 1 or more", shots)
        if len(fields) > 1:
            self.refuse(f"a leaf has the fields {', '.join(fields)}; only one is known", shots)
        return Leaf(configurations)
