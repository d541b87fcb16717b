"""The decision tree of a strategy: built, measured, compared, verified, saved, loaded and written.

A deterministic strategy is the choice of a first cell, then of a second one for each reply, and so
on until every cell of the ships has been hit: a decision tree. Audinot, Bonnet and Viennot (2014),
section 3.1.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path
from typing import NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from optsearch.configurations import CellSets, Configurations, list_ships, to_masks
from optsearch.errors import GameError, PositionError, TreeError
from optsearch.game import Cell, Game, cell_name, parse_cell
from optsearch.position import HIT, MISS, Position, Reply, Shot
from optsearch.records import replace

Shots = tuple[Shot, ...]
T = TypeVar("T")


@dataclass(frozen=True)
class Leaf:
    """The end of a branch: all ships are sunk.

    configurations -- how many configurations end here: 1, or more where ships may touch and
    several configurations have the same cells.
    """

    configurations: int


@dataclass(frozen=True)
class Node:
    """A shot, and how the strategy goes on after each reply that can happen.

    cell -- the cell shot; replies -- reply to subtree, kept with hits first (left) and the miss
    last (right). A certain hit has no branch for the miss.
    """

    cell: Cell
    replies: Mapping[Reply, Node | Leaf]

    def __post_init__(self) -> None:
        ordered = sorted(
            self.replies.items(),
            key=lambda item: (not item[0].hit, item[0].sunk, item[0].length or 0),
        )
        object.__setattr__(self, "replies", dict(ordered))

    def __hash__(self) -> int:
        return hash((self.cell, frozenset(self.replies.items())))


@dataclass(frozen=True)
class DecisionTree:
    """A strategy from a position on: what to shoot after every sequence of replies.

    position -- where the strategy starts; root -- its first shot, or a leaf if all ships are sunk
    there; source -- where the tree comes from, in words, if that is worth saying.

    The depth of a leaf is the number of shots from the root to it: shots already made in the
    position do not count. Nothing is checked when a tree is built; `verify` checks it.
    """

    position: Position
    root: Node | Leaf
    source: str = ""

    def paths(self) -> Iterator[tuple[Shots, Leaf]]:
        """Each leaf with the shots that lead to it, from left (hits) to right (misses)."""
        waiting: list[tuple[Shots, Node | Leaf]] = [((), self.root)]
        while waiting:
            shots, node = waiting.pop()
            if isinstance(node, Leaf):
                yield shots, node
            else:
                waiting += [
                    ((*shots, Shot(node.cell, reply)), child)
                    for reply, child in reversed([*node.replies.items()])
                ]

    @cached_property
    def _weights(self) -> list[tuple[int, int]]:
        """Depth and number of configurations of each leaf, from left to right."""
        return [(len(shots), leaf.configurations) for shots, leaf in self.paths()]

    @property
    def leaves(self) -> int:
        """The number of leaves: of different sets of cells that the ships may occupy."""
        return len(self._weights)

    @property
    def configurations(self) -> int:
        """The number of configurations: the leaves, each with its weight."""
        return sum(weight for _, weight in self._weights)

    @property
    def total_height(self) -> int:
        """The sum over configurations of the shots that sink them: what a strategy minimises."""
        return sum(depth * weight for depth, weight in self._weights)

    @property
    def mean(self) -> Fraction:
        """The average height: total height over configurations, the mean number of shots."""
        if not self.configurations:
            raise TreeError(f"a tree of {self.position.game} without configurations has no mean")
        return Fraction(self.total_height, self.configurations)

    @property
    def height(self) -> int:
        """The depth of the deepest leaf: the number of shots in the worst case."""
        return max((depth for depth, _ in self._weights), default=0)

    def depths(self) -> dict[int, int]:
        """The distribution: number of shots to number of configurations, by rising shots."""
        numbers: Counter[int] = Counter()
        for depth, weight in self._weights:
            numbers[depth] += weight
        return dict(sorted(numbers.items()))

    def text(self) -> str:
        """The tree as lines to read; good up to a few hundred leaves.

        A node is the cell it shoots. A leaf is a check mark, its depth, and its number of
        configurations if that is not 1.
        """
        head = f"{self.position.game}"
        if self.position.shots:
            head += f" after {self.position}"
        head += f": total height {self.total_height}, {_counted(self.configurations)}"
        if self.configurations:
            head += f", mean {self.mean} ≈ {float(self.mean):.4f}"
        lines = [f"{head}, height {self.height}"]
        # Each waiting entry: the node, its depth, what stands before its line, and before its
        # children's lines.
        waiting: list[tuple[Node | Leaf, int, str, str]] = [(self.root, 0, "", "")]
        while waiting:
            node, depth, before, below = waiting.pop()
            if isinstance(node, Leaf):
                weight = "" if node.configurations == 1 else f", {_counted(node.configurations)}"
                lines.append(f"{before}✓ {depth}{weight}")
                continue
            lines.append(before + cell_name(node.cell))
            for i, (reply, child) in enumerate(reversed([*node.replies.items()])):
                corner, line = ("└─", "  ") if i == 0 else ("├─", "│ ")
                waiting.append((child, depth + 1, f"{below}{corner} {reply} ", f"{below}{line} "))
        return "\n".join(lines)

    def dot(self) -> str:
        """The tree as a graph in the DOT language, for Graphviz.

        Hits stand on the left and the miss on the right (`ordering=out`), with a circle and a cross
        on the edge; a sinking has its reply there. Nodes are `n0`, `n1`, … in the order of `text`:
        the cell that is shot, or the check mark of a leaf with its number of configurations if that
        is not 1.
        """
        title = str(self.position.game)
        if self.position.shots:
            title += f" after {self.position}"
        lines = [
            f'digraph "{title}" {{',
            "  graph [ordering=out, nodesep=0.15, ranksep=0.3];",
            "  node [shape=circle, width=0.35, fixedsize=true, fontsize=10];",
            "  edge [dir=none, fontsize=10];",
        ]
        # Each waiting entry: the node, and its edge as `n0 -> ` with the attributes of the edge.
        waiting: list[tuple[Node | Leaf, str, str]] = [(self.root, "", "")]
        number = 0
        while waiting:
            node, above, attributes = waiting.pop()
            if isinstance(node, Leaf):
                weight = "" if node.configurations == 1 else f" ×{node.configurations}"
                label = f'label="✓{weight}", shape=plaintext, height=0.2'
            else:
                label = f'label="{cell_name(node.cell)}"'
                for reply, child in reversed([*node.replies.items()]):
                    sign = _SIGNS.get(reply, str(reply))
                    waiting.append((child, f"n{number} -> ", f' [label="{sign}"]'))
            lines.append(f"  n{number} [{label}];")
            if above:
                lines.append(f"  {above}n{number}{attributes};")
            number += 1
        return "\n".join([*lines, "}\n"])


_SIGNS = {HIT: "○", MISS: "×"}  # as on the paper's figures


def _counted(configurations: int) -> str:
    return f"{configurations} configuration{'' if configurations == 1 else 's'}"


def _after(shots: Shots) -> str:
    return f"after {' '.join(map(str, shots))}" if shots else "at the root"


# Comparison


def differences(left: DecisionTree, right: DecisionTree) -> list[Shots]:
    """Where two trees of one position part: the shots at whose ends they go on differently.

    Both are walked from the root along equal shots, hits first. They part where they shoot
    different cells, where one of them ends and the other does not, where leaves have different
    numbers of configurations, and after a reply that only one of them has. Equal trees part
    nowhere. TreeError for trees of different positions.
    """
    if left.position != right.position:
        raise TreeError(
            f"the trees are of {_described(left.position)} and of {_described(right.position)}; "
            "only trees of one game and one position can be compared"
        )
    found: list[Shots] = []
    waiting: list[tuple[Shots, Node | Leaf | None, Node | Leaf | None]]
    waiting = [((), left.root, right.root)]
    while waiting:
        shots, a, b = waiting.pop()
        if isinstance(a, Node) and isinstance(b, Node) and a.cell == b.cell:
            replies = Node(a.cell, {**a.replies, **b.replies}).replies  # in their order
            waiting += [
                ((*shots, Shot(a.cell, reply)), a.replies.get(reply), b.replies.get(reply))
                for reply in reversed([*replies])
            ]
        elif a != b:
            found.append(shots)
    return found


def _described(position: Position) -> str:
    return f"{position.game}, {position}" if position.shots else str(position.game)


# Verification


def verify(tree: DecisionTree) -> int:
    """Replay the strategy on every configuration compatible with its position.

    Returns the total height so found. It shares nothing with any solver, and does not trust the
    numbers in the tree. Raises TreeError, with the shots and a configuration in words, unless

    - every shot is on the board and at a cell not shot before, in the position or on the path;
    - every reply of a configuration has a branch, and every branch has a configuration;
    - a leaf is reached exactly when every cell of the ships is hit, and its weight is the number
      of configurations that reach it.

    Raises TooLarge for more configurations than can be listed.
    """
    position = tree.position
    game = position.game
    listed = _listed(position)
    if not len(listed):
        raise TreeError(
            f"{game}: no configuration is compatible with the position {str(position)!r}"
        )
    height = 0
    waiting: list[tuple[Shots, object, CellSets, int]] = [((), tree.root, listed, position.hits)]
    while waiting:
        shots, node, family, hits = waiting.pop()
        if not len(family):
            raise _fault(game, shots, "no configuration gives these replies")
        missing = (family & ~_words(hits)).any(axis=(1, 2))
        if isinstance(node, Leaf):
            if missing.any():
                cells = _cells(family[missing])
                raise _fault(
                    game,
                    shots,
                    f"the tree ends, but the configuration on {_names(game, cells)} has "
                    f"{_names(game, cells & ~hits)} still to hit",
                )
            if type(node.configurations) is not int or node.configurations != len(family):
                raise _fault(
                    game,
                    shots,
                    f"the leaf has weight {node.configurations!r}, but "
                    f"{_counted(len(family))} on {_names(game, _cells(family))} "
                    f"{'ends' if len(family) == 1 else 'end'} there",
                )
            height += len(shots) * len(family)
        elif isinstance(node, Node):
            _check_shot(position, shots, node)
            if not missing.all():
                raise _fault(
                    game,
                    shots,
                    f"the tree shoots {cell_name(node.cell)}, but every cell of the "
                    f"configuration on {_names(game, _cells(family[~missing]))} is hit",
                )
            bit = game.bit(node.cell)
            for reply, gives in _answers(game, family, hits, bit).items():
                part = family[gives]
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
                            hits | bit if reply.hit else hits,
                        )
                    )
        else:
            raise _fault(game, shots, f"{node!r} is neither a Node nor a Leaf")
    return height


def _listed(position: Position) -> CellSets:
    """The configurations of a position as ships; shape (n, ships, 2).

    Where no sinking is announced, ships do not matter one by one, and all of them count as one.
    """
    game = position.game
    if game.announce == "nothing":
        return Configurations(position).list()[:, None, :]
    listed = list_ships(position)
    hits = 0
    for shot in position.shots:
        bit = game.bit(shot.cell)
        listed = listed[_answers(game, listed, hits, bit)[shot.reply]]
        if shot.reply.hit:
            hits |= bit
    return listed


def _answers(game: Game, ships: CellSets, hits: int, shot: int) -> dict[Reply, NDArray[np.bool_]]:
    """For every reply to a shot, which configurations give it: `position.reply` on all at once."""
    struck = (ships & _words(shot) != 0).any(axis=2)
    hit = struck.any(axis=1)
    if game.announce == "nothing":
        return {HIT: hit, MISS: ~hit}
    afloat = (ships & ~_words(hits | shot)).any(axis=2)
    length = ((struck & ~afloat) * np.array(game.fleet)).sum(axis=1)  # of the ship sunk, or 0
    answers = {HIT: hit & (length == 0), MISS: ~hit}
    for reply in sorted(known_replies(game) - {HIT, MISS}, key=str):
        answers[reply] = length == reply.length if reply.length else length > 0
    return answers


def _cells(ships: CellSets) -> int:
    """The cells of the first of some configurations."""
    return to_masks(np.bitwise_or.reduce(ships[:1], axis=1))[0]


def _fault(game: Game, shots: Shots, problem: str) -> TreeError:
    return TreeError(f"{game}, {_after(shots)}: {problem}")


def _check_shot(position: Position, shots: Shots, node: Node) -> None:
    """Raise TreeError unless the shot may follow these shots and its replies are of the game."""
    game = position.game
    if node.cell not in game:
        raise _fault(game, shots, f"the shot {cell_name(node.cell)} is off the board")
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


@lru_cache(maxsize=16)
def known_replies(game: Game) -> set[Reply]:
    """Every reply that the rules of the game know."""
    sinkings: dict[str, set[Reply]] = {
        "nothing": set(),
        "sunk": {Reply(True, True)},
        "ship": {Reply(True, True, length) for length in game.fleet},
    }
    return {HIT, MISS} | sinkings[game.announce]


def _words(mask: int) -> CellSets:
    return np.array([[mask & (1 << 64) - 1, mask >> 64]], np.uint64)


def _names(game: Game, mask: int) -> str:
    return " ".join(game.names(mask))


# Files

FORMAT = "optsearch decision tree"
VERSION = 1

_FIELDS = (
    "format",
    "version",
    "source",
    "game",
    "position",
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
        **({"source": tree.source} if tree.source else {}),
        "game": str(tree.position.game),
        "position": str(tree.position),
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

    Every field is checked, and the totals against the tree; a field `source` (text) may say where
    the tree comes from. Raises TreeError, with the file and the shots to the place, for a file that
    is not a tree. Whether the tree solves its position is for `verify` to say.
    """
    return _File(Path(path)).tree()


class _File:
    """A tree file while it is read: what is wrong with it is said with its path."""

    def __init__(self, path: Path):
        self.path = path

    def refuse(self, problem: str, shots: Shots | None = None) -> NoReturn:
        place = "" if shots is None else f", {_after(shots)}"
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
        source = self.value({"source": "", **fields}, "source", str)
        root = self.value(fields, "root", dict)
        tree = DecisionTree(position, self.node(position, root, ()), source)
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
            text = self.path.read_text(encoding="utf-8")
            fields = json.loads(text, object_pairs_hook=self.distinct)
        except TreeError:
            raise
        except FileNotFoundError:
            raise TreeError(f"{self.path} does not exist") from None
        except json.JSONDecodeError as error:
            self.refuse(f"line {error.lineno} is not JSON: {error.msg}")
        except RecursionError:
            self.refuse("the nesting is deeper than any board allows")
        except (OSError, ValueError) as error:
            self.refuse(f"it cannot be read: {error}")
        if not isinstance(fields, dict):
            self.refuse("the file is not a JSON object, {…}")
        return fields

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
                    f"are {', '.join(sorted(known))}",
                    shots,
                )
            child = self.value(fields, name, dict, shots)
            replies[known[name]] = self.node(position, child, (*shots, Shot(cell, known[name])))
        if not replies:
            self.refuse(f"the shot {cell_name(cell)} has no reply", shots)
        return Node(cell, replies)
