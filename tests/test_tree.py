"""Decision trees: measured, verified by replay, saved and loaded, and every fault found."""

import dataclasses
import json
import pickle
import random
import re
import tempfile
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optsearch.check import reference
from optsearch.check.trees import verify
from optsearch.counting.configurations import list_ships, to_masks
from optsearch.game import Game
from optsearch.game import parse_cell as cell
from optsearch.game.position import HIT, MISS, Position, Reply, Shot, reply
from optsearch.support.errors import GameError, TooLarge, TreeError
from optsearch.tree import DecisionTree, Leaf, Node, load, save
from tests.examples import EVERY_RULE, draws, positions, some

FIGURE_5 = Path(__file__).parent.parent / "data" / "published" / "figure5_tree.json"
GAMES = [
    "2x3:2",
    "1x5:2",
    "3x3:2",
    "3x3:3,1",
    "2x4:2,2",
    "3x4:3,2",
    "3x3:2,2,contact=any",
    "2x4:2,1,contact=any",
    "3x3:2,2,contact=corner",
    "2x2:1",
    "1x1:1",
    "1x6:2,1,announce=sunk",
    "2x3:2,1,contact=any,announce=ship",
    "2x3:2,2,contact=any,announce=sunk",
    "2x4:3,2,contact=any,announce=ship",
    "3x3:2,1,contact=corner,announce=sunk",
    "3x3:1,1,announce=ship",
]


def random_strategy(position, generator):
    """A decision tree that shoots at random, sometimes at cells that cannot be a hit."""
    game = position.game

    def subtree(family, shot, hits):
        if all(not sum(ships) & ~hits for ships in family):
            return Leaf(len(family))
        useful = 0
        for ships in family:
            useful |= sum(ships)
        candidates = [c for c in range(game.cells) if not shot >> c & 1]
        if generator.random() < 0.9:
            candidates = [c for c in candidates if useful >> c & 1]
        bit = 1 << generator.choice(candidates)
        parts = defaultdict(list)
        for ships in family:
            parts[reply(game, ships, hits, bit)].append(ships)
        return Node(
            game.cell(bit.bit_length() - 1),
            {
                answer: subtree(part, shot | bit, hits | bit if answer.hit else hits)
                for answer, part in parts.items()
            },
        )

    family = list(reference.configurations(position))
    return DecisionTree(position, subtree(family, position.hits | position.misses, position.hits))


def random_position(game, generator):
    """A few random shots at a random configuration."""
    ships = generator.choice(list(reference.configurations(Position(game))))
    position = Position(game)
    for index in generator.sample(range(game.cells), generator.randrange(min(4, game.cells))):
        answer = reply(game, ships, position.hits, 1 << index)
        position = position.after(game.cell(index), answer)
    return position


@st.composite
def trees(draw):
    generator = random.Random(draw(st.integers(0, 2**32)))
    game = Game.parse(draw(st.sampled_from(GAMES)))
    return random_strategy(random_position(game, generator), generator)


# Measures


def test_figure_5():
    tree = load(FIGURE_5)
    assert tree.source.startswith("Audinot, Bonnet and Viennot (2014)")
    assert verify(tree) == tree.total_height == 25
    assert [len(shots) for shots, _ in tree.paths()] == [2, 3, 4, 3, 4, 4, 5]
    ships = [
        "-".join(sorted(str(shot)[:2] for shot in shots if shot.reply.hit))
        for shots, _ in tree.paths()
    ]
    assert ships == ["A1-A2", "A2-B2", "A2-A3", "B1-B2", "B2-B3", "A1-B1", "A3-B3"]
    assert (tree.leaves, tree.configurations, tree.worst) == (7, 7, 5)
    assert tree.mean == Fraction(25, 7)
    assert tree.histogram == {2: 1, 3: 2, 4: 3, 5: 1}


@given(tree=trees())
@settings(deadline=None)
def test_the_replay_finds_the_measures_of_a_random_strategy(tree):
    configurations = list(reference.configurations(tree.position))
    assert verify(tree) == tree.total_height
    assert tree.configurations == len(configurations)
    if tree.position.game.announce == "nothing":
        assert tree.leaves == len({sum(ships) for ships in configurations})
    assert tree.total_height >= reference.total_height(reference.family(tree.position))
    # By hand: one configuration after the other.
    shots = Counter()
    for ships in configurations:
        node, depth, hits = tree.root, 0, tree.position.hits
        while isinstance(node, Node):
            bit = tree.position.game.bit(node.cell)
            answer = reply(tree.position.game, ships, hits, bit)
            hits |= bit if answer.hit else 0
            node, depth = node.replies[answer], depth + 1
        shots[depth] += 1
    assert tree.histogram == shots
    assert tree.worst == max(shots)
    assert tree.mean == Fraction(sum(d * n for d, n in shots.items()), len(configurations))


@given(tree=trees())
@settings(deadline=None)
def test_the_text_has_a_line_a_node(tree):
    lines = tree.text().splitlines()[1:]
    nodes = sum(1 for line in lines if "✓" not in line)
    assert len(lines) - nodes == tree.leaves
    assert lines == DecisionTree(tree.position, tree.root).text().splitlines()[1:]
    depths = [int(line.split("✓ ")[1].split(",")[0]) for line in lines if "✓" in line]
    assert depths == [len(shots) for shots, _ in tree.paths()]


@given(tree=trees(), depth=st.integers(1, 4))
@settings(deadline=None)
def test_the_text_to_a_depth(tree, depth):
    """Lines that are deeper are left out, and their configurations counted."""
    lines = tree.text(depth).splitlines()[1:]
    below = Counter(shots[:depth] for shots, _ in tree.paths() if len(shots) > depth)
    assert sum("…" in line for line in lines) == len(below)
    assert sum("✓" in line for line in lines) == tree.leaves - below.total()
    left_out = [int(line.split("… ")[1].split()[0]) for line in lines if "…" in line]
    ended = sum(leaf.configurations for shots, leaf in tree.paths() if len(shots) <= depth)
    assert sum(left_out) == tree.configurations - ended


def test_weights_are_written():
    game = Game.parse("2x2:2,2,contact=any")
    tree = random_strategy(Position(game), random.Random(1))
    assert tree.text().splitlines()[-1].endswith("hit ✓ 4, 2 configurations")
    assert (tree.leaves, tree.configurations, tree.total_height, verify(tree)) == (1, 2, 8, 8)


def test_replies_are_kept_with_hits_first():
    sunk = Reply(True, True, 2)
    node = Node((0, 0), {MISS: Leaf(1), sunk: Leaf(1), HIT: Leaf(2)})
    assert list(node.replies) == [HIT, sunk, MISS]
    same = Node((0, 0), {HIT: Leaf(2), sunk: Leaf(1), MISS: Leaf(1)})
    assert node == same
    assert hash(node) == hash(same)
    assert pickle.loads(pickle.dumps(node)) == node


# Faults that the replay finds


def fault(game, root, shots=""):
    with pytest.raises(TreeError) as error:
        verify(DecisionTree(Position.parse(Game.parse(game), shots), root))
    return str(error.value)


def shoot(name, **replies):
    """A node; a number is a leaf of this weight, and `sunk2` the reply sunk:2."""
    found = {Reply.parse(re.sub(r"(\d)", r":\1", text)): node for text, node in replies.items()}
    leaf = {reply: Leaf(node) if type(node) is int else node for reply, node in found.items()}
    return Node(cell(name), leaf)


B1 = shoot("B1", hit=1)
C1 = shoot("C1", miss=1)  # too late, where every ship is sunk


@pytest.mark.parametrize(
    ("game", "shots", "root", "said"),
    [
        ("1x3:2", "", shoot("A1", hit=B1, miss=shoot("A1", hit=1)), "after A1=miss: A1 is shot tw"),
        (
            "1x3:2",
            "C1=hit",
            shoot("C1", hit=B1),
            "C1 is shot again; it was shot in the position",
        ),
        ("1x2:2", "", shoot("A2", hit=1), "the shot A2 is off the board 1x2; its cells are A1 to"),
        ("1x3:2", "", shoot("A1", hit=B1), "has no branch for the miss of the configuration on B1"),
        ("1x2:2", "", shoot("A1", hit=B1, sunk=1), "'sunk' is not a reply of a game with announce"),
        ("1x2:2", "", shoot("A1", hit=shoot("B1", hit=1, miss=1)), "no configuration gives these"),
        ("1x2:2", "", shoot("A1", hit=1), "the tree ends, but the configuration on A1 B1 has B1 s"),
        ("1x3:2", "", shoot("B1", hit=shoot("A1", hit=C1, miss=C1)), "after B1=hit A1="),
        (
            "1x2:2",
            "",
            shoot("A1", hit=shoot("B1", hit=2)),
            "the leaf has weight 2, but 1 config",
        ),
        ("1x2:2", "", shoot("A1", hit=shoot("B1", hit=Leaf(1.0))), "the leaf has weight 1.0, but"),
        ("1x2:2", "", shoot("A1", hit=shoot("B1", hit=Leaf(True))), "the leaf has weight True, b"),
        ("1x1:1", "", shoot("A1", hit=None), "after A1=hit: None is neither a Node nor a Leaf"),
        ("4x4:4,3,2", "", Leaf(0), "no configuration is compatible with the position ''"),
        ("1x2:2,announce=sunk", "", shoot("A1", hit=B1), "has no branch for the sunk of the conf"),
        ("1x2:2,announce=sunk", "", shoot("A1", hit=shoot("B1", sunk2=1)), "'sunk:2' is not a r"),
        ("1x4:2,1,announce=ship", "C1=miss", shoot("D1", sunk2=1), "branch for the sunk:1 of the"),
    ],
)
def test_faults(game, shots, root, said):
    found = fault(game, root, shots)
    assert found.startswith(game)
    assert said in found


def test_what_is_no_fault():
    over = Position.parse(Game.parse("1x3:2"), "A1=hit B1=hit")
    assert verify(DecisionTree(over, Leaf(1))) == 0
    named = shoot("A1", hit=shoot("B1", sunk2=1))
    assert verify(DecisionTree(Position(Game.parse("1x2:2,announce=ship")), named)) == 2


def test_the_order_of_the_shots_counts_where_sinkings_are_announced():
    """Three cells in a row, two ships: which one B1 sank depends on what was hit before."""
    game = Game.parse("1x3:2,1,contact=any,announce=ship")
    two, one = Reply(True, True, 2), Reply(True, True, 1)
    end = Node(cell("C1"), {one: Leaf(1)})
    assert verify(DecisionTree(Position.parse(game, "A1=hit B1=sunk:2"), end)) == 1
    assert fault(str(game), end, "B1=hit A1=sunk:1") == (
        "1x3:2,1,contact=any,announce=ship, at the root: the tree shoots C1 and has no branch for "
        "the sunk:2 of the configuration on A1 B1 C1"
    )
    end = Node(cell("C1"), {two: Leaf(1)})
    assert verify(DecisionTree(Position.parse(game, "B1=hit A1=sunk:1"), end)) == 1


def test_a_late_position_of_a_game_too_large_to_list():
    hits = "A1=hit B1=hit C1=hit D1=hit E1=sunk C3=hit C4=hit C5=hit C6=sunk J1=hit J2=hit J3=sunk"
    position = Position.parse(Game.parse("10x10:5,4,3,2,announce=sunk"), hits + " E8=hit E9=miss")
    rest = Leaf(1)
    for shot in ("F8", "D8"):
        rest = Node(cell(shot), {Reply(True, True): Leaf(1), MISS: rest})
    # F8, D8, and no branch for E7.
    with pytest.raises(TreeError, match=r"the tree ends, but the configuration on .* E7 E8 has E7"):
        verify(DecisionTree(position, rest))


@pytest.mark.parametrize("announce", some(1, ["nothing", "sunk", "ship"], 2))
def test_games_too_large_to_list_are_not_verified(announce):
    number = "1,925,751,392 configurations" if announce == "nothing" else f"announce={announce}"
    game = Game.parse(f"10x10:5,4,3,3,2,announce={announce}")
    with pytest.raises(TooLarge, match=number):
        verify(DecisionTree(Position(game), Leaf(1)))


@given(positions(max_cells=12, max_configurations=10**9, announce=EVERY_RULE))
def test_the_list_of_ships(position):
    game = position.game
    listed = list_ships(position)
    assert listed.shape[1:] == (len(game.fleet), 2)
    found = sorted(sorted(to_masks(ships)) for ships in listed)
    # In the same game without announcements the hits and misses are all that counts.
    shots = (Shot(shot.cell, HIT if shot.reply.hit else MISS) for shot in position.shots)
    silent = Position(dataclasses.replace(game, announce="nothing"), tuple(shots))
    assert found == sorted(map(sorted, reference.configurations(silent)))
    for ships in listed:
        assert tuple(map(game.kind_of, to_masks(ships))) == game.fleet


def replaced(node, shots, change):
    """The tree with the subtree after these shots changed; None drops the branch."""
    if not shots:
        return change(node)
    (shot, *rest) = shots
    child = replaced(node.replies[shot.reply], rest, change)
    replies = {**node.replies, shot.reply: child}
    return Node(node.cell, {reply: child for reply, child in replies.items() if child is not None})


MUTATIONS = {
    "drop a branch": (lambda node: None, "has no branch for"),
    "end early": (lambda node: Leaf(1), "the tree ends, but"),
    "no branches": (lambda node: Node(node.cell, {}), "has no branch for"),
    "a useless branch": (
        lambda node: Node(
            node.cell, {**node.replies, MISS if HIT in node.replies else HIT: Leaf(1)}
        ),
        "no configuration gives these replies",
    ),
    "swap hit and miss": (
        lambda node: Node(
            node.cell,
            {MISS if reply.hit else HIT: child for reply, child in node.replies.items()},
        ),
        "",
    ),
    "the same shot again": (
        lambda node: Node(node.cell, dict.fromkeys(node.replies, node)),
        "is shot twice",
    ),
    "the board's outside": (lambda node: Node((99, 99), node.replies), "is off the board"),
}
LEAF_MUTATIONS = {
    "heavier": (lambda leaf: Leaf(leaf.configurations + 1), "the leaf has weight"),
    "lighter": (lambda leaf: Leaf(leaf.configurations - 1), "the leaf has weight"),
    "shoot on": (lambda leaf: Node((0, 0), {HIT: leaf}), ""),
}


def read_back(tree):
    with tempfile.TemporaryDirectory() as folder:
        save(tree, Path(folder) / "tree.json")
        return load(Path(folder) / "tree.json")


@given(tree=trees(), data=st.data())
@draws(200)
def test_every_mutation_of_a_good_tree_is_found(tree, data):
    shots, _ = data.draw(st.sampled_from(list(tree.paths())))
    depth = data.draw(st.integers(0, len(shots)))
    node = tree.root
    for shot in shots[:depth]:
        node = node.replies[shot.reply]
    if isinstance(node, Leaf):
        change, message = data.draw(st.sampled_from(list(LEAF_MUTATIONS.values())))
    else:
        mutations = dict(MUTATIONS)
        if depth == 0:
            del mutations["drop a branch"]
        if HIT in node.replies and MISS in node.replies:
            del mutations["a useless branch"]
        change, message = data.draw(st.sampled_from(list(mutations.values())))
    bad = DecisionTree(tree.position, replaced(tree.root, shots[:depth], change))
    with pytest.raises(TreeError) as error:
        verify(bad)
    assert message in str(error.value)
    assert str(tree.position.game) in str(error.value)
    with pytest.raises((TreeError, GameError)):
        read_back(bad)


# Files


WORDS = st.text(st.characters(exclude_categories=["Cs"]))


@given(tree=trees(), source=WORDS, title=WORDS)
@settings(deadline=None)
def test_a_tree_comes_back_as_it_was_saved(tmp_path_factory, tree, source, title):
    path = tmp_path_factory.mktemp("trees") / "tree.json"
    tree = DecisionTree(tree.position, tree.root, source, title)
    save(tree, path)
    assert load(path) == tree
    assert str(load(path).position) == str(tree.position)
    json.loads(path.read_text(encoding="utf-8"))
    # One line a node or leaf after the lines of the head.
    nodes = len(tree.text().splitlines()) - 1
    assert path.read_text(encoding="utf-8").count("\n") == nodes + 6 + bool(source) + bool(title)


def changed(**fields):
    """The file of a small good tree with some fields changed; None drops one."""
    good = {
        "format": "optsearch decision tree",
        "version": 1,
        "game": "1x3:2",
        "position": "",
        "total_height": 5,
        "configurations": 2,
        "root": {
            "shot": "A1",
            "hit": {"shot": "B1", "hit": {"configurations": 1}},
            "miss": {"shot": "B1", "hit": {"shot": "C1", "hit": {"configurations": 1}}},
        },
    } | fields
    return json.dumps({key: value for key, value in good.items() if value is not None})


def nested(depth):
    return '{"shot": "A1", "hit": ' * depth + "1" + "}" * depth


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 10**6, ": brackets within brackets, deeper than any board allows"),
        (
            changed().replace('"root": {', '"root": {"x": ' + nested(10**5) + ", "),
            ": brackets within",
        ),
        (
            changed().replace(" 5,", " " + "5" * 5000 + ","),
            ": 55555555555555555555... has 5,000 digits; no board has such numbers",
        ),
    ],
)
def test_a_huge_file_is_refused(tmp_path, text, message):
    """Other malformed ones are in transcripts/errors.txt."""
    path = tmp_path / "tree.json"
    path.write_text(text)
    with pytest.raises(TreeError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}{message}")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["shot", "hit", "miss", "configurations", "root", "x"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(data=st.data(), junk=JSON)
@draws(300, few=3)
def test_junk_anywhere_in_a_file_is_refused_or_harmless(tmp_path_factory, data, junk):
    path = tmp_path_factory.mktemp("trees") / "tree.json"
    fields = json.loads(changed())
    place = fields
    while True:
        key = data.draw(st.sampled_from(list(place)))
        if not isinstance(place[key], dict) or data.draw(st.booleans()):
            break
        place = place[key]
    same = json.dumps(place[key]) == json.dumps(junk)
    place[key] = junk
    path.write_text(json.dumps(fields))
    if same or (key == "position" and isinstance(junk, str) and not junk.strip(" ,\t\n\r\f\v")):
        load(path)
    else:
        with pytest.raises(TreeError, match=r"tree\.json"):
            load(path)
