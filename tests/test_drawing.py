"""Drawings hold what they should, where it should be, and nothing overlaps."""

from itertools import combinations
from math import hypot
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import path as paths
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from optsearch import drawing
from optsearch.drawing import (
    Vertex,
    binary_tree,
    draw_board,
    draw_matrix,
    draw_tree,
    layout,
    tree_figure_size,
)
from optsearch.errors import NotSupported, TreeError
from optsearch.game import Game
from optsearch.position import HIT, MISS, Position, Reply
from optsearch.tree import DecisionTree, Leaf, Node, load

FIGURE_5 = load(Path(__file__).parent.parent / "data" / "published" / "figure5_tree.json")


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


# Boards and matrices


def test_a_board_has_its_shots_and_labels():
    ax = axes()
    draw_board(ax, Position.parse(Game.parse("3x4:3,2"), "B3=hit A1=miss D2=hit"))
    assert len(artists(ax, "shot")) == 3
    assert [circle.get_center() for circle in artists(ax, "hit")] == [(1.5, 2.5), (3.5, 1.5)]
    (miss,) = artists(ax, "miss")
    assert (np.nanmean(miss.get_xdata()), np.nanmean(miss.get_ydata())) == (0.5, 0.5)
    assert [label.get_text() for label in ax.get_xticklabels()] == list("ABCD")
    assert [label.get_text() for label in ax.get_yticklabels()] == list("123")
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 4), (3, 0))  # row 1 on top


def test_a_matrix_writes_each_number_inside_its_cell():
    ax = axes(7.8, 3.6)
    matrix = np.arange(100).reshape(10, 10) + 229713268
    draw_matrix(ax, matrix, "d")
    texts = artists(ax, "value")
    assert [text.get_text() for text in texts] == [str(value) for value in matrix.flat]
    for text, box in zip(texts, boxes(ax, "value"), strict=True):
        x, y = text.get_position()
        cell = ax.transData.transform([(x - 0.5, y + 0.5), (x + 0.5, y - 0.5)])
        assert cell[0][0] + 2 < box.x0 < box.x1 < cell[1][0] - 2
        assert cell[0][1] + 2 < box.y0 < box.y1 < cell[1][1] - 2
    assert texts[0].get_fontsize() > 6.5  # legible
    (heat,) = ax.collections[:1]
    assert heat.get_array().ravel().tolist() == matrix.ravel().tolist()


def test_a_matrix_of_equal_numbers():
    ax = axes()
    draw_matrix(ax, [[0.5, 0.5]], ".1f")
    assert [text.get_text() for text in artists(ax, "value")] == ["0.5", "0.5"]
    ax.figure.canvas.draw()


# The layout of trees

LEAF = st.builds(Vertex, st.sampled_from(["", "×2"]))
VERTICES = st.recursive(
    LEAF,
    lambda inner: (
        st.builds(Vertex, st.just("A1"), inner, inner)
        | st.builds(Vertex, st.just("A1"), inner)
        | st.builds(Vertex, st.just("A1"), st.none(), inner)
    ),
    max_leaves=60,
)


def size(vertex):
    return 1 + sum(size(child) for child in (vertex.left, vertex.right) if child)


def edges(placed):
    return [(placed[p.parent], p) for p in placed if p.parent is not None]


@given(root=VERTICES)
@settings(deadline=None)
def test_a_layout_is_tidy(root):
    placed, width = layout(root)
    assert len(placed) == size(root)
    assert placed[0].vertex is root
    assert all(abs(p.x - width / 2) <= (width - 1) / 2 + 1e-9 for p in placed)
    for parent, child in edges(placed):
        assert child.depth == parent.depth + 1
        assert child.vertex is (parent.vertex.left if child.is_left else parent.vertex.right)
        assert (child.x < parent.x) == child.is_left
    for index, p in enumerate(placed):
        children = [child.x for child in placed if child.parent == index]
        if len(children) == 2:
            assert sum(children) / 2 == pytest.approx(p.x)


@given(root=VERTICES)
@settings(deadline=None)
def test_in_a_layout_nothing_overlaps(root):
    placed, _ = layout(root)
    for p, q in combinations(placed, 2):
        assert p.depth != q.depth or abs(p.x - q.x) >= 1 - 1e-9
    lines = edges(placed)
    radius = drawing.NODE_SIZE / 72 / 2
    for a, b in lines:
        for p in placed:
            if p is not a and p is not b:
                assert distance(p, a, b) > radius
    for (a, b), (c, d) in combinations(lines, 2):
        if a.depth == c.depth and a is not c:
            assert (a.x < c.x) == (b.x < d.x)


def distance(p, a, b):
    """From a vertex to an edge, in inches."""
    (px, py), (ax, ay), (bx, by) = (
        (q.x * drawing.SLOT, q.depth * drawing.LEVEL) for q in (p, a, b)
    )
    dx, dy = bx - ax, by - ay
    part = min(1, max(0, ((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy)))
    return hypot(px - ax - part * dx, py - ay - part * dy)


# Decision trees


def test_the_tree_of_figure_5_has_its_marks():
    ax = axes(*tree_figure_size(FIGURE_5))
    draw_tree(ax, FIGURE_5)
    names = [text.get_text() for text in artists(ax, "name")]
    assert names == ["A2", "A1", "B2", "A3", "B2", "B1", "B3", "A1", "B1", "A3", "B3"]
    assert marks(ax, "nodes") == 11
    assert marks(ax, "leaves") == 7
    assert marks(ax, "hits") == 11  # every shot can hit
    assert marks(ax, "misses") == 6
    (check,) = artists(ax, "leaves")
    assert isinstance(check.get_marker(), paths.Path)  # drawn, not a character of a font
    (lines,) = artists(ax, "edges")
    assert len(lines.get_segments()) == 17


def test_hits_go_left_and_misses_right():
    ax = axes()
    tree = DecisionTree(
        Position(Game.parse("1x2:1")),
        Node((0, 0), {HIT: Leaf(1), MISS: Node((0, 1), {HIT: Leaf(1)})}),
    )
    draw_tree(ax, tree)
    (hits,), (misses,), (nodes,) = (artists(ax, gid) for gid in ("hits", "misses", "nodes"))
    assert hits.get_xdata()[0] < nodes.get_xdata()[0] < misses.get_xdata()[0]


@pytest.mark.parametrize("tree", [FIGURE_5, binary_tree([4] * 6 + [3] * 5)])
def test_names_and_axes_have_room(tree):
    width, height = tree_figure_size(tree)
    ax = axes(width, height)
    draw_tree(ax, tree)
    found = boxes(ax, "name")
    assert not any(a.overlaps(b) for a, b in combinations(found, 2))
    inside = ax.get_window_extent()
    assert all(inside.x0 < box.x0 and box.x1 < inside.x1 for box in found)
    left, right = ax.get_xlim()
    low, high = ax.get_ylim()
    assert width == pytest.approx((right - left) * drawing.SLOT)
    assert height == pytest.approx((high - low) * drawing.LEVEL)


def test_the_weight_of_a_leaf_is_written_below_it():
    ax = axes()
    draw_tree(ax, DecisionTree(Position(Game.parse("1x1:1")), Node((0, 0), {HIT: Leaf(2)})))
    assert [text.get_text() for text in artists(ax, "name")] == ["A1", "×2"]


def test_a_tree_that_is_one_leaf():
    ax = axes()
    draw_tree(ax, DecisionTree(Position(Game.parse("1x1:1")), Leaf(1)))
    assert (marks(ax, "nodes"), marks(ax, "leaves")) == (0, 1)
    ax.figure.canvas.draw()


def test_announced_sinkings_are_not_drawn():
    game = Game.parse("1x1:1;announce=sunk")
    tree = DecisionTree(Position(game), Node((0, 0), {Reply(True, True): Leaf(1)}))
    with pytest.raises(NotSupported, match="A1 has the reply sunk"):
        draw_tree(axes(), tree)


# Abstract trees


def depths(vertex, depth=0):
    children = [child for child in (vertex.left, vertex.right) if child]
    below = [leaf for child in children for leaf in depths(child, depth + 1)]
    return below if children else [depth]


FULL = st.recursive(
    st.just(Vertex()), lambda inner: st.builds(Vertex, st.just(""), inner, inner), max_leaves=40
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
    figure = Figure(figsize=(3, 2))
    ax = figure.add_axes((0, 0, 1, 1))
    drawing.draw_probability(ax, position, np.array([[1.0, 0.5, 0.25], [0.5, 0.0, 0.125]]))
    texts = [text.get_text() for text in ax.texts if text.get_gid() == "value"]
    assert texts == ["50.0", "25.0", "50.0", "0.0"]
