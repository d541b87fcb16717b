"""Decision trees in JSON files."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import NoReturn, TypeVar

from optsearch.errors import GameError, PositionError, TreeError
from optsearch.game import Game, cell_name, parse_cell
from optsearch.journal import read_text, replace
from optsearch.position import Position, Shot, known_replies
from optsearch.tree.decisions import DecisionTree
from optsearch.tree.nodes import Leaf, Node, Shots
from optsearch.tree.text import place_of

T = TypeVar("T")

FORMAT = "optsearch decision tree"
VERSION = 1
MAX_DIGITS = 320  # 128 ships have 256 placements each, at the most

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

    One line a node, so that two trees can be compared line by line. A node is
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
    # Each waiting entry: the node, its depth, what stands before it and what closes after it.
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
    try:
        replace(Path(path), "{" + "\n".join(lines) + "}\n")
    except (OSError, ValueError) as error:
        raise TreeError(f"{path} cannot be written: {error}") from None


def load(path: str | Path) -> DecisionTree:
    """The tree in a file that `save` wrote, or one of the same form.

    Every field is checked, and the totals against the tree; the fields `title`, `source` and
    `prior` (texts) may be missing. Raises TreeError, with the file and the shots to the place, for
    a file that is not a tree. Whether the tree solves its position is for `verify` to say.
    """
    return _File(Path(path)).tree()


class _File:
    """A tree file while it is read: what is wrong with it is said with its path."""

    def __init__(self, path: Path):
        self.path = path

    def refuse(self, problem: str, shots: Shots | None = None) -> NoReturn:
        place = "" if shots is None else f", {place_of(shots)}"
        raise TreeError(f"{self.path}{place}: {problem}")

    def tree(self) -> DecisionTree:
        fields = self.fields()
        if self.value(fields, "format", str) != FORMAT:
            self.refuse(f"the format is {fields['format']!r}; a tree has {FORMAT!r}")
        if self.value(fields, "version", int) != VERSION:
            self.refuse(f"the version is {fields['version']}; this optsearch reads {VERSION}")
        for name in fields:
            if name not in _FIELDS:
                self.refuse(f"there is no field {name!r}; the fields are {', '.join(_FIELDS)}")
        try:
            game = Game.parse(self.value(fields, "game", str))
            position = Position.parse(game, self.value(fields, "position", str))
        except (GameError, PositionError) as error:
            self.refuse(str(error))
        source, title, prior = (
            self.value({name: "", **fields}, name, str) for name in ("source", "title", "prior")
        )
        root = self.value(fields, "root", dict)
        tree = DecisionTree(position, self.node(position, root, ()), source, title, prior)
        for name, actual in (
            ("total_height", tree.total_height),
            ("configurations", tree.configurations),
        ):
            if self.value(fields, name, int) != actual:
                self.refuse(f"{name} is {fields[name]}, but the tree has {actual}")
        return tree

    def fields(self) -> dict[str, object]:
        """The fields of the file, of whatever type."""
        try:
            text = read_text(self.path)
            fields = json.loads(text, object_pairs_hook=self.distinct, parse_int=self.whole)
        except TreeError:
            raise
        except FileNotFoundError:
            raise TreeError(f"{self.path} does not exist") from None
        except json.JSONDecodeError as error:
            self.refuse(f"line {error.lineno} is not JSON: {error.msg}; solve --tree writes trees")
        except RecursionError:
            self.refuse("the nesting is deeper than any board allows")
        except (OSError, ValueError) as error:
            self.refuse(f"it cannot be read: {error}")
        if not isinstance(fields, dict):
            self.refuse("the file is not a JSON object, {…}")
        return fields

    def whole(self, digits: str) -> int:
        """A whole number."""
        if len(digits) > MAX_DIGITS:
            self.refuse(f"{digits[:20]}... has {len(digits):,} digits; no board has such numbers")
        return int(digits)

    def distinct(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        """A JSON object whose keys are all different."""
        fields = dict(pairs)
        if len(fields) < len(pairs):
            twice = next(key for key, n in Counter(key for key, _ in pairs).items() if n > 1)
            self.refuse(f"a JSON object has {twice!r} twice")
        return fields

    def value(
        self, fields: dict[str, object], name: str, kind: type[T], shots: Shots | None = None
    ) -> T:
        """One field, of its type."""
        if name not in fields:
            self.refuse(f"the field {name!r} is missing", shots)
        value = fields[name]
        if type(value) is not kind:
            kinds = {str: "a text", int: "an integer", dict: "an object, {…}"}
            nested = {"dict": "an object, {…}", "list": "a list, […]"}
            shown = nested.get(type(value).__name__) or repr(value)
            self.refuse(f"{name!r} is {shown:.60}, not {kinds[kind]}", shots)
        return value

    def node(self, position: Position, fields: dict[str, object], shots: Shots) -> Node | Leaf:
        """The subtree after these shots. No path is longer than the board has cells."""
        if "shot" not in fields:
            number = self.value(fields, "configurations", int, shots)
            if number < 1:
                self.refuse(f"a leaf has {number} configurations; it has 1 or more", shots)
            if len(fields) > 1:
                self.refuse(f"a leaf has the fields {', '.join(fields)}; only one is known", shots)
            return Leaf(number)
        try:
            cell = parse_cell(self.value(fields, "shot", str, shots))
            position.game.bit(cell)
        except GameError as error:
            self.refuse(str(error), shots)
        if any(shot.cell == cell for shot in (*position.shots, *shots)):
            self.refuse(f"{cell_name(cell)} is shot twice", shots)
        known = {str(reply): reply for reply in known_replies(position.game)}
        replies = {}
        for name in fields:
            if name == "shot":
                continue
            if name not in known:
                self.refuse(
                    f"{name!r} is not a reply; the replies with announce={position.game.announce} "
                    f"are {', '.join(known)}",
                    shots,
                )
            child = self.value(fields, name, dict, shots)
            replies[known[name]] = self.node(position, child, (*shots, Shot(cell, known[name])))
        if not replies:
            self.refuse(f"the shot {cell_name(cell)} has no reply", shots)
        return Node(cell, replies)
