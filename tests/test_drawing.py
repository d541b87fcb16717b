"""Drawings hold what they should, where it should be, and nothing overlaps."""

import re
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import hypot

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.path import Path

from optsearch.check.trees import verify
from optsearch.cli.counting import heat_map_text
from optsearch.counting.posterior import Posterior
from optsearch.drawing.boards import (
    board_lines,
    cell_corners,
    draw_board,
    draw_matrix,
    draw_probability,
    draw_ships,
)
from optsearch.drawing.layouts import CIRCLES, LEVEL, Scale, Vertex, layout
from optsearch.drawing.trees import draw_tree, page_depth, tree_figure_size
from optsearch.drawing.vertices import NODE_SIZE, SLOT, binary_tree
from optsearch.game import Game
from optsearch.game.noise import DOUBT, Lies, Noise, NoisyPosition
from optsearch.game.position import HIT, MISS, Position, Reply
from optsearch.search import solver
from optsearch.support import palette
from optsearch.support.errors import TreeError
from optsearch.tree import DecisionTree, Leaf, Node


def axes(width=4.0, height=4.0):
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure.add_axes((0, 0, 1, 1))


def artists(ax, gid):
    return [artist for artist in ax.get_children() if artist.get_gid() == gid]


def marks(ax, gid):
    """How many marks the lines of this kind have."""
    return sum(len(line.get_xdata()) for line in artists(ax, gid))


def boxes(ax, gid):
    ax.figure.canvas.draw()
    return [text.get_window_extent() for text in artists(ax, gid)]


def middle(path):
    """Of the box around a path, to a millionth of a cell."""
    box = path.get_extents()
    return round((box.x0 + box.x1) / 2, 6), round((box.y0 + box.y1) / 2, 6)


# Boards and matrices


def test_a_board_has_its_shots_and_labels():
    ax = axes()
    draw_board(ax, Position.parse(Game.parse("3x4:3,2"), "B3=hit A1=miss D2=hit"))
    assert len(artists(ax, "shot")) == 3
    shots = {gid: [mark.get_path() for mark in artists(ax, gid)] for gid in ("hit", "miss")}
    centres = {gid: [middle(path) for path in paths] for gid, paths in shots.items()}
    assert centres == {"hit": [(1.5, 2.5), (3.5, 1.5)], "miss": [(0.5, 0.5)]}
    strokes = {gid: np.sum(paths[0].codes == Path.MOVETO) for gid, paths in shots.items()}
    assert strokes == {"hit": 2, "miss": 1}  # a cross is a hit, a circle a miss
    assert [label.get_text() for label in ax.get_xticklabels()] == list("ABCD")
    assert [label.get_text() for label in ax.get_yticklabels()] == list("123")
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 4), (3, 0))  # row 1 on top


def test_a_ship_of_another_shape():
    """A square a cell and the lines around an L of three: eight edges."""
    ax = axes()
    draw_board(ax, Position(Game.parse("3x3:V3")))
    draw_ships(ax, [[(0, 0), (1, 0), (1, 1)]])
    assert {square.get_xy() for square in artists(ax, "ship")} == {(0, 0), (0, 1), (1, 1)}
    (lines,) = artists(ax, "ship lines")
    assert len(lines.get_segments()) == 8


def test_a_matrix_writes_each_number_inside_its_cell():
    ax = axes(7.0, 7.0)
    matrix = np.arange(100).reshape(10, 10) + 229713268
    draw_matrix(ax, Game.parse("10x10:2"), matrix, "d")
    texts = artists(ax, "value")
    assert [text.get_text() for text in texts] == [str(value) for value in matrix.flat]
    for text, box in zip(texts, boxes(ax, "value"), strict=True):
        x, y = text.get_position()
        cell = ax.transData.transform([(x - 0.5, y + 0.5), (x + 0.5, y - 0.5)])
        assert cell[0][0] + 2 < box.x0 < box.x1 < cell[1][0] - 2
        assert cell[0][1] + 2 < box.y0 < box.y1 < cell[1][1] - 2
    assert texts[0].get_fontsize() > 6.5  # legible
    (heat,) = artists(ax, "heat")
    assert heat.get_array().tolist() == matrix.ravel().tolist()


def test_a_matrix_of_equal_numbers():
    ax = axes()
    draw_matrix(ax, Game.parse("1x2:2"), [[0.5, 0.5]], ".1f")
    assert [text.get_text() for text in artists(ax, "value")] == ["0.5", "0.5"]
    ax.figure.canvas.draw()


# The layout of trees

SUNK = [Reply(True, True, length) for length in (2, 3)]
LEAF = st.builds(Vertex, st.sampled_from(["", "2"]))


def vertices(*more):
    """Trees whose nodes have some of the replies hit, miss and these, in the order of a tree."""
    replies = st.lists(st.sampled_from((HIT, *more, MISS)), min_size=1, unique=True)
    return st.recursive(
        LEAF,
        lambda inner: st.builds(
            lambda chosen, children: Vertex(
                "A1", tuple(zip(sorted(chosen, key=ORDER.index), children, strict=False))
            ),
            replies,
            st.lists(inner, min_size=4, max_size=4),
        ),
        max_leaves=60,
    )


ORDER = [HIT, *SUNK, MISS]
BINARY = vertices()
LARGE = Scale(level=1.0, width=1.7, reach=0.3)  # as boards are


def size(vertex):
    return 1 + sum(size(child) for _, child in vertex.branches)


def edges(placed):
    return [(placed[p.parent], p) for p in placed if p.parent is not None]


@pytest.mark.parametrize("scale", [CIRCLES, LARGE])
@given(root=vertices(*SUNK))
@settings(deadline=None)
def test_a_layout_is_tidy(root, scale):
    placed, width = layout(root, scale)
    assert len(placed) == size(root)
    assert placed[0].vertex is root
    assert all(abs(p.x - width / 2) <= (width - 1) / 2 + 1e-9 for p in placed)
    for parent, child in edges(placed):
        assert child.depth == parent.depth + 1
        assert any(child.vertex is v and child.reply == r for r, v in parent.vertex.branches)
    for index, p in enumerate(placed):
        children = [child for child in placed if child.parent == index]
        places = [child.x for child in children]
        assert [child.reply for child in children] == [reply for reply, _ in p.vertex.branches]
        assert places == sorted(places)
        if len(children) == 1:  # hits to the left
            assert (places[0] < p.x) == children[0].reply.hit
        elif children:
            assert (places[0] + places[-1]) / 2 == pytest.approx(p.x)


def assert_nothing_overlaps(placed, scale):
    """Vertices of one level are apart; edges touch no vertex but their ends, and do not cross."""
    for p, q in combinations(placed, 2):
        room = sum(scale.width if v.vertex.branches else 1 for v in (p, q)) / 2
        assert p.depth != q.depth or abs(p.x - q.x) >= room - 1e-9
    lines = edges(placed)
    if not scale.reach:  # else they stay between two levels
        radius = NODE_SIZE / 72 / 2
        for a, b in lines:
            for p in placed:
                if p is not a and p is not b:
                    assert distance(p, a, b) > radius
    for (a, b), (c, d) in combinations(lines, 2):
        if a.depth == c.depth and a is not c:
            assert (a.x < c.x) == (b.x < d.x)


@given(root=vertices(*SUNK))
@settings(deadline=None)
def test_nothing_overlaps_with_sinkings_and_boards(root):
    assert_nothing_overlaps(layout(root, LARGE)[0], LARGE)


@given(root=BINARY)
@settings(deadline=None)
def test_nothing_overlaps_without(root):
    assert_nothing_overlaps(layout(root)[0], CIRCLES)


def distance(p, a, b):
    """From a vertex to an edge, in inches."""
    (px, py), (ax, ay), (bx, by) = ((q.x * SLOT, q.depth * LEVEL) for q in (p, a, b))
    dx, dy = bx - ax, by - ay
    part = min(1, max(0, ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy)))
    return hypot(px - ax - part * dx, py - ay - part * dy)


# Decision trees


def test_the_weight_of_a_leaf_is_written_below_it():
    ax = axes()
    draw_tree(ax, DecisionTree(Position(Game.parse("1x1:1")), Node((0, 0), {HIT: Leaf(2)})))
    assert [text.get_text() for text in artists(ax, "name")] == ["A1", "2"]


@pytest.mark.parametrize("boards", [False, True])
def test_a_large_tree_ends_where_a_page_does(boards):
    """In triangles with the configurations below, under a legend above the root."""
    tree = solver.solve(Position(Game.parse("4x4:3,2"))).tree()
    assert tree.leaves == 104  # Table 1
    fits = page_depth(tree, boards)
    sizes = [sorted(tree_figure_size(tree, boards, fits + more)) for more in (0, 1)]
    on_a3 = [low < 11.3 and high < 16.3 for low, high in sizes]  # inches, with margins
    assert on_a3 == [True, False]
    ax = axes(*tree_figure_size(tree, boards, fits))
    draw_tree(ax, tree, boards, fits)
    below = Counter(shots[:fits] for shots, _ in tree.paths() if len(shots) > fits)
    cut, inner = artists(ax, "left out")[0].get_ydata(), artists(ax, "name")
    texts = [text.get_text() for text in inner if text.get_position()[1] < min(cut)]
    assert [int(text) for text in texts] == [*below.values()]
    assert len(inner) == len(cut) + len({s[:n] for s, _ in tree.paths() for n in range(fits)})
    (legend,), root = artists(ax, "legend"), max(inner, key=lambda text: text.get_position()[1])
    assert legend.get_text().endswith("△ n: a subtree of n configurations, left out, ✓ end")
    assert legend.xy == (root.get_position()[0], 0.5)
    assert not any(a.overlaps(b) for a, b in combinations(boxes(ax, "name"), 2))


def test_a_tree_that_fits_is_whole():
    tree = announced()
    assert page_depth(tree) == tree.worst == 4
    assert tree_figure_size(tree) == tree_figure_size(tree, depth=4)
    assert tree_figure_size(tree, depth=1)[1] < tree_figure_size(tree)[1]


def announced():
    """A strategy for 1x4:2,1,contact=any,announce=ship."""
    one, two = Reply(True, True, 1), Reply(True, True, 2)
    a, b, c, d = ((0, column) for column in range(4))
    end = Leaf(1)
    hit = Node(b, {two: Node(c, {one: end, MISS: Node(d, {one: end})})})
    sunk = Node(c, {HIT: Node(b, {two: end, MISS: Node(d, {two: end})})})
    missed = Node(c, {HIT: Node(d, {one: Node(b, {two: end}), two: Node(b, {one: end})})})
    position = Position(Game.parse("1x4:2,1,contact=any,announce=ship"))
    return DecisionTree(position, Node(a, {HIT: hit, one: sunk, MISS: missed}))


def test_announced_sinkings_are_discs_with_the_length():
    tree = announced()
    assert verify(tree) == tree.total_height
    ax = axes(*tree_figure_size(tree))
    draw_tree(ax, tree)
    assert (marks(ax, "hits"), marks(ax, "misses")) == (3, 3)
    lengths = [text.get_text() for text in artists(ax, "length")]
    assert Counter(lengths) == {"1": 5, "2": 5}
    assert marks(ax, "sunk") == len(lengths)
    # The first shot: hit, sunk and miss, from left to right.
    top = [
        (x, gid)
        for gid in ("hits", "sunk", "misses")
        for line in artists(ax, gid)
        for x, y in line.get_xydata()
        if y == -0.5
    ]
    assert [gid for _, gid in sorted(top)] == ["hits", "sunk", "misses"]


def test_a_sinking_without_length_is_a_disc():
    game = Game.parse("1x1:1,announce=sunk")
    ax = axes()
    draw_tree(ax, DecisionTree(Position(game), Node((0, 0), {Reply(True, True): Leaf(1)})))
    assert (marks(ax, "hits"), marks(ax, "sunk")) == (0, 1)
    assert artists(ax, "length") == []


def test_boards_show_the_shots_so_far_and_the_next():
    game = Game.parse("3x4:2")
    tree = solver.solve(Position.parse(game, "A1=miss B3=miss")).tree()
    ax = axes(*tree_figure_size(tree, boards=True))
    draw_tree(ax, tree, boards=True)
    nodes = {shots[:n] for shots, _ in tree.paths() for n in range(len(shots))}
    (frames,), (nexts,), (hits,), (misses,) = (
        artists(ax, gid) for gid in ("nodes", "next cells", "hit cells", "miss cells")
    )
    assert len(frames.get_paths()) == len(nexts.get_paths()) == len(nodes)
    replies = [shot.reply for shots in nodes for shot in (*tree.position.shots, *shots)]
    assert len(hits.get_paths()) == marks(ax, "hit shots") == replies.count(HIT)
    assert len(misses.get_paths()) == marks(ax, "miss shots") == replies.count(MISS)
    # The cell that is shot next is the one with the name above the board.
    for name, frame, cell in zip(
        artists(ax, "name"), frames.get_paths(), nexts.get_paths(), strict=True
    ):
        board, box = frame.get_extents(), cell.get_extents()
        column = round((box.x0 - board.x0) / box.width)
        row = round((board.y1 - box.y1) / box.height)
        assert name.get_text() == f"{'ABCD'[column]}{row + 1}"
        assert name.get_position()[1] > board.y1
    found = [path.get_extents() for path in frames.get_paths()]
    assert not any(a.overlaps(b) for a, b in combinations(found, 2))


@pytest.mark.parametrize(
    "game",
    ["3x4:2", "3x4:2,board=cylinder", "3x4:2,board=torus", "3x4:2,board=hex"],
)
def test_lines_of_a_board(game):
    """One between each two cells that are drawn beside each other; all others are around, where
    the board goes on in two parts."""
    game = Game.parse(game)
    board = game.board
    between, around = board_lines(game)
    cells = [cell for cell in range(game.cells) if not board.empty >> cell & 1]
    places = np.array([board.centres[cell] for cell in cells])
    beside = np.hypot(*(places[:, None] - places[None]).T)
    pairs = np.sum(np.isclose(beside, 1)) // 2
    ends = sum(
        2 * length
        for is_open, length in zip(board.seams, (game.rows, game.columns), strict=True)
        if is_open
    )
    assert len(between) == pairs
    assert len(around) == len(board.outline) * len(cells) - 2 * pairs + ends
    corners = np.concatenate([cell_corners(game, game.cell(cell)) for cell in cells])
    assert np.all(corners.min(axis=0) <= around)
    assert np.all(around <= corners.max(axis=0))


# Abstract trees


def depths(vertex, depth=0):
    below = [leaf for _, child in vertex.branches for leaf in depths(child, depth + 1)]
    return below if vertex.branches else [depth]


FULL = st.recursive(
    st.just(Vertex()),
    lambda inner: st.builds(lambda a, b: Vertex("", ((HIT, a), (MISS, b))), inner, inner),
    max_leaves=40,
)


@given(root=FULL)
@settings(deadline=None)
def test_a_binary_tree_is_known_by_the_depths_of_its_leaves(root):
    assert binary_tree(depths(root)) == root


@pytest.mark.parametrize("wrong", [[], [1], [1, 2], [2, 1], [0, 0], [-1], [2, 2, 2], [1, 2, 1, 2]])
def test_depths_of_no_binary_tree_are_refused(wrong):
    with pytest.raises(TreeError, match="no binary tree has leaves of the depths"):
        binary_tree(wrong)


def test_the_tree_of_figure_9_has_its_marks():
    tree = binary_tree([4] * 6 + [3] * 5)
    ax = axes(*tree_figure_size(tree))
    draw_tree(ax, tree)
    assert (marks(ax, "nodes"), marks(ax, "leaves")) == (10, 11)
    assert not artists(ax, "hits") + artists(ax, "misses") + artists(ax, "name")


def test_draw_probability_writes_the_cells_not_shot():
    position = Position.parse(Game.parse("2x3:2"), "A1=hit C2=miss")
    ax = axes(3, 2)
    draw_probability(ax, position, np.array([[1.0, 0.5, 0.25], [0.5, 0.0, 0.125]]))
    texts = [text.get_text() for text in ax.texts if text.get_gid() == "value"]
    assert texts == ["50.0", "25.0", "50.0", "0.0"]
    # Colours by value, as the bar and the legend below say.
    (heat,), (bar,) = artists(ax, "heat"), ax.child_axes
    ax.figure.canvas.draw()
    colours = [to_hex(colour) for colour in heat.get_facecolors()]
    assert colours == [palette.heat(share) for share in (1, 128 / 255, 1, 0)]
    assert (bar.get_xlim(), bar.get_xlabel()) == ((0, 50), "probability of a ship, percent")
    assert [text.get_text() for text in artists(ax, "legend")] == ["× hit, ○ miss"]


@pytest.mark.parametrize(
    "position",
    [
        NoisyPosition.parse(Game.parse("3x4:3,2"), Noise(0, Fraction(1, 5)), "B2=hit A1=miss"),
        NoisyPosition.parse(Game.parse("2x4:2,holes=C2"), Lies(1), "A1=hit A1=hit B2=miss B2=hit"),
        Position("3x4:3a,1,announce=name", "A1 3a B1 3a D3 m C1 3a"),
        Position("3x3:2,board=hex,announce=sunk", "A1=hit C3=miss A2=sunk"),
    ],
)
def test_text_counts_pictures_and_notebooks_agree(position):
    """On what is a ?, a sinking that follows among the signs, and what all this means."""
    posterior, ax, game = Posterior(position), axes(), position.game
    drawn = [heat_map_text(posterior, counts).plain for counts in (False, True)]
    boards = [board.split("\n\n")[0].split("\n")[1:] for board in drawn]
    percent, numbers = ([word for line in board for word in line.split()[1:]] for board in boards)
    draw_probability(ax, position, posterior.probability)
    values = [text.get_text() for text in artists(ax, "value")]
    assert [text for text in percent if text not in "Xo●-"] == values
    occurrence = posterior.occurrence.ravel().tolist()
    assert numbers == [
        shown if shown in "Xo●-" else f"{number}{'?' * shown.endswith('?')}"
        for shown, number in zip(percent, occurrence, strict=True)
    ]
    told = {shot.cell for shot in position.shots} - set(posterior.position.drawn_replies)
    assert {game.cell(i) for i, text in enumerate(percent) if "?" in text} == told
    html = re.sub("<[^>]*>", " ", posterior._repr_html_())
    (legend,) = (text.get_text() for text in artists(ax, "legend"))
    assert {DOUBT in page for page in (*drawn, html, legend)} == {bool(told)}
    assert html.count("?") == len(told) + bool(told)
    for sign, mark in (("●", "sunk"), ("X", "hit"), ("o", "miss")):
        assert percent.count(sign) == len(artists(ax, mark))
    assert html.count("●") - ("sunk" in html) == percent.count("●")
