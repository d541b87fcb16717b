"""Each figure draws a small source, and says what is missing or wrong with one."""

import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from matplotlib import rcParams
from matplotlib.font_manager import findfont, get_font
from matplotlib.legend import Legend
from matplotlib.markers import CARETLEFT, CARETRIGHT
from matplotlib.text import Text
from PIL import Image

from docs import pictures
from optsearch import tree
from optsearch.check.trees import verify
from optsearch.results.tables import TABLES
from optsearch.support import records
from paper_figures import bounds, games, hider, paper, registry, style

ROOT = Path(__file__).parent.parent
FIGURES = {figure.name: figure for figure in registry.figures()}
IDEAS = [name for name, figure in FIGURES.items() if not figure.sources]  # drawn from no table
NAMES = [name for name in FIGURES if name not in IDEAS]


def write_some(folder, table, rows, columns, **fields):
    """A table of which only some columns are filled."""
    assert {*columns.split()} <= {*table.names}
    place = [
        columns.split().index(name) if name in columns.split() else None for name in table.names
    ]
    full = [[None if i is None else row[i] for i in place] for row in rows]
    table.write(full, folder, fields=fields, **fields)


@pytest.fixture
def data(tmp_path):
    """A data folder with the committed sources of a few figures, and one small table."""
    for name in ("figure2", "figure5", "figure9"):
        for source in FIGURES[name].sources:
            (tmp_path / "data" / source).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / "data" / source, tmp_path / "data" / source)
    cells = [(0, j, n, Fraction(n, 2)) for j, n in enumerate((1, 2, 1))]
    TABLES["occurrence"].write(cells, tmp_path / "data" / "results", name="10x10", game="1x3:2")
    return tmp_path / "data"


def sources_of(name):
    """The committed tables of a figure."""
    return [ROOT / "data" / source for source in FIGURES[name].sources]


def drawn(name):
    """A figure of the committed tables."""
    return FIGURES[name].draw(*sources_of(name))


def run(name, data, output):
    return registry.main([name, "--data", str(data), "-o", str(output)])


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_source_is_named_with_the_command_that_makes_it(name, tmp_path, capsys):
    assert run(name, tmp_path, tmp_path / "output") == 1
    source, command = next(iter(FIGURES[name].sources.items()))
    said = f"{name}: {tmp_path / source} is missing; make it with: {command}\n"
    assert capsys.readouterr().err == said
    assert not (tmp_path / "output").exists()


def test_figure_2_writes_integers_and_figure_3_percentages(data):
    source = data / "results" / "occurrence_10x10.csv"
    for name, expected in (("figure2", ["1", "2", "1"]), ("figure3", ["50.0", "100.0", "50.0"])):
        figure = FIGURES[name].draw(source)
        assert [text.get_text() for text in figure.axes[0].texts] == expected


def total_height(figure):
    """The sum of the depths of the check marks of a drawn tree of one panel, root at height 0."""
    (leaves,) = [line for line in figure.axes[0].lines if line.get_gid() == "leaves"]
    return -sum(leaves.get_ydata())


@pytest.mark.parametrize(
    ("name", "printed", "first"),
    [
        ("figure5", 25, "A2"),  # section 3.1
        ("figure7", 54, "C2"),  # section 3.3, where it is B3: row B, column 3
        ("figure8", 53, "B2"),
    ],
)
def test_the_trees_of_the_paper_have_their_total_heights(name, printed, first):
    (source,) = sources_of(name)
    assert verify(tree.load(source)) == printed
    figure = FIGURES[name].draw(source)
    assert total_height(figure) == printed
    names = [text for text in figure.axes[0].texts if text.get_gid() == "name"]
    assert max(names, key=lambda text: text.get_position()[1]).get_text() == first
    marks = {line.get_gid(): line.get_marker() for line in figure.axes[0].lines}
    assert (marks["hits"], marks["misses"]) == ("x", "o")
    (legend,) = [text.get_text() for text in figure.axes[0].texts if text.get_gid() == "legend"]
    assert legend == "× hit, ○ miss, ✓ end"


def test_marks_of_bounds_point_at_values():
    """Every value of the tables, the best first; those that others published are filled."""
    tables = [TABLES["bracket"].read(name=name) for name in ("paper", "boxed", "official")]
    published = ({1858642528 / 60179731, 55.6}, {24.0876, 44.369}, set())
    for ax, table, printed in zip(drawn("brackets").axes, tables, published, strict=True):
        marks = [line for line in ax.lines if line.get_gid() == "bound"]
        for side, marker in (("lower", CARETRIGHT), ("upper", CARETLEFT)):
            found = [line.get_xdata()[0] for line in marks if line.get_marker() == marker]
            values = {row["value_exact"] for row in table if row["side"] == side}
            assert found == sorted(found, reverse=side == "lower")
            assert {float(value) for value in values} <= set(found)
        filled = {line.get_xdata()[0] for line in marks if line.get_mfc() != "white"}
        assert filled == printed


def test_figure_1_has_the_ships_that_the_paper_names():
    names = {row["cells"]: row["named"] for row in TABLES["start_position"].read()}
    assert {cells for cells, named in names.items() if named} == {"D8-E8-F8", "J4-J5-J6"}
    assert sorted(len(paper.cells_of(cells)) for cells in names) == [2, 3, 3, 4, 5]
    assert paper.cells_of("D8-E8-F8") == [(row, 7) for row in (3, 4, 5)]  # H4, H5, H6
    (ax,) = drawn("figure1").axes
    assert [label.get_text() for label in ax.get_xticklabels()] == list("ABCDEFGHIJ")


def test_the_skyline_is_that_of_the_closed_cells():
    (ax,) = drawn("skyline").axes
    shut = {(int(p.get_y()), int(p.get_x())) for p in ax.patches if p.get_gid() == "shut"}
    heights = [int(text.get_text()) for text in ax.texts if text.get_gid() == "height"]
    assert heights == [sum(column == j for _, column in shut) for j in range(8)]
    assert sum(heights) == len(shut) > 0
    assert all(min(ship) < games.SWEPT for ship in games.SHIPS)
    masks = [games.GAME.mask(ship) for ship in games.SHIPS]
    assert not any(games.GAME.halo(a) & b for a in masks for b in masks)
    assert [len(ship) for ship in sorted(games.SHIPS, key=len)] == sorted(games.GAME.fleet)
    for column, height in enumerate(heights):  # the next ones down, without a gap
        first = games.next_row(column)
        assert {row for row, j in shut if j == column} == set(range(first, first + height))


def test_the_root_chain_has_the_bound_of_the_table():
    """At 18 misses the least of both parts is what the committed table of A(l) has."""
    name, figure = "10x10_54332", drawn("root_chain")
    (text,) = [t.get_text() for t in figure.axes[1].texts if t.get_gid() != "letter"]
    (row,) = [r for r in TABLES["finished"].read(name=name) if r["misses"] == bounds.MISSES]
    whole = int(TABLES["finished"].read(name=name).header["configurations"])
    assert text.endswith(f"A(18) = {row['root_chain'] / whole:.4f} N")


def test_the_trees_of_the_picture_are_trees():
    """Each on all cells before; every set of cells covers few enough triples (lower-bounds.md)."""
    trees = bounds.TREES
    for cell, edges in trees.items():
        assert len(edges) == cell - 2
        assert {n for edge in edges for n in edge} == set(range(1, cell))
    triples = [{cell, *edge} for cell, edges in trees.items() for edge in edges]
    for mask in range(1 << 5):
        covered = {n + 1 for n in range(5) if mask >> n & 1}
        whole = sum(triple <= covered for triple in triples)
        i = len(covered)
        assert 1 - i + i * (i - 1) // 2 - whole >= (i == 0)


QUICK = ("brackets", "figure7", "thompson")


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in QUICK else pytest.mark.long(1)) for n in (*NAMES, *IDEAS)],
)
def test_a_figure_is_a_column_or_a_page_wide_and_can_be_read(name):
    """From the committed tables, as saved: 89 or 183 mm, no text below 6.5 points, nothing cut; in
    the font of papers, in which all signs exist."""
    figure = drawn(name)
    box = style.saved_box(figure)
    assert round(25.4 * box.width) in (89, 183)
    every = figure.get_tightbbox()
    assert box.x0 <= every.x0 < every.x1 <= box.x1
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    assert all(text.get_fontsize() > 6.49 for text in texts)
    assert {text.get_fontfamily()[0] for text in texts} <= {"STIXGeneral"}
    signs = {ord(sign) for text in texts for sign in text.get_text() if "$" not in text.get_text()}
    assert signs - {ord("\n")} <= {*get_font(findfont("STIXGeneral")).get_charmap()}
    for ax in figure.axes:  # in grey
        lines = [line for line in ax.lines if not str(line.get_label()).startswith("_")]
        assert len({(line.get_marker(), line.get_linestyle()) for line in lines}) == len(lines)
    assert all(legend.get_frame().get_alpha() == 1 for legend in figure.findobj(Legend))
    letters = "".join(sorted(t.get_text() for t in texts if t.get_gid() == "letter"))
    panels = [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]
    assert letters == "abcdefghi"[: len(letters)]
    assert (len(letters) > 1) == (len(panels) > 1)
    small = pictures.picture_of(drawn(name))
    with Image.open(pictures.PICTURES / f"{name}.png") as kept:  # `make pictures` draws it
        assert small.size == kept.size
        pixels = [np.asarray(image.convert("L"), float) for image in (small, kept)]
    assert np.abs(pixels[0] - pixels[1]).mean() < 2  # fonts may be drawn a little otherwise


def test_the_small_pictures_of_the_pages_are_current():
    """One of each figure, drawn from the tables as they are; others have their command, too."""
    for name in FIGURES:
        with Image.open(pictures.PICTURES / f"{name}.png") as kept:
            source = registry.digest(sources_of(name))
            assert kept.text["Source"] == source, f"{name}: make pictures"
        assert source in (pictures.PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    board = ("advise", "play", "review", "telephone", "wrong")
    others = {"nested.gif", *(f"board_{name}.png" for name in board)}
    assert {path.name for path in pictures.PICTURES.iterdir()} == others | {
        f"{name}.{kind}" for name in ("position", *FIGURES) for kind in ("png", "svg")
    }
    for path in pictures.PICTURES.iterdir():
        if path.suffix != ".svg":
            with Image.open(path) as kept:
                least_width = 500 if path.suffix == ".gif" else 700
                assert kept.size[0] >= least_width, path.name
    assert sum(path.stat().st_size for path in pictures.PICTURES.iterdir()) < 4_000_000


def test_the_best_known_player_is_named_under_each_rules():
    notes = [text.get_text() for text in drawn("leaderboard").findobj(Text)]
    best = [note.removeprefix("best known: ") for note in notes if note.startswith("best known: ")]
    assert best == ["levels of rollouts", "greedy", "rollouts of spread"]


def test_captions_say_on_how_much():
    """Where a number of games grows with its table."""
    captions = registry.captions()
    for name, number in (
        ("equilibria", len(hider.equilibria_shown())),
        ("optima", len(games.optima_shown())),
        ("greedy_loss", sum(r["percent_best"] is not None for r in TABLES["greedy_loss"].read())),
        ("borders", len(TABLES["boards"].read())),
        ("puzzles", len(TABLES["puzzles"].read())),
    ):
        assert re.search(rf"\b{number}\b", captions[name]), (name, number)


def test_one_palette():
    """Colours are in the style alone."""
    for path in (ROOT / "paper_figures").glob("*.py"):
        if path.name != "style.py":
            assert not re.search(r'"#[0-9a-f]{3,8}"', path.read_text(encoding="utf-8")), path.name


def test_every_figure_has_its_caption():
    assert sorted(registry.captions()) == sorted(FIGURES)


def test_a_picture_says_what_it_was_drawn_from(data, tmp_path):
    assert run("figure2", data, tmp_path) == 0
    source = data / "results" / "occurrence_10x10.csv"
    with Image.open(tmp_path / "figure2.png") as picture:
        assert picture.text["Source"] == registry.digest([source])
    assert registry.digest([source]) in (tmp_path / "figure2.svg").read_text(encoding="utf-8")
    source.write_text(source.read_text() + "0,3,1,1/2\n")
    with Image.open(tmp_path / "figure2.png") as picture:
        assert picture.text["Source"] != registry.digest([source])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(0, 0, "x", "1/2")], "line 9: 'x' in column 'occurrence'"),
        ([(0, 1, 1, "1/2")], "do not give each cell of a 1x2 grid once"),
        ([(0, 0, 1, "1/2"), (0, 0, 1, "1/2")], "do not give each cell of a 1x1 grid once"),
        ([(0, -1, 1, "1/2")], "do not give each cell"),
        ([], "do not give each cell of a 0x0 grid once"),
    ],
)
def test_a_bad_source_is_refused_without_a_traceback(data, tmp_path, capsys, rows, message):
    path = data / "results" / "occurrence_10x10.csv"
    columns = ["row", "column", "occurrence", "frequency"]
    records.write(path, columns, rows, title="t", command="c")
    assert run("figure2", data, tmp_path / "output") == 1
    error = capsys.readouterr().err
    assert error.startswith(f"figure2: {path}")
    assert message in error


def test_figures_are_drawn_and_the_missing_ones_named(data, tmp_path, monkeypatch, capsys):
    missing = data / "results" / "complete_binary_tree.csv"
    kept = missing.rename(tmp_path / "kept")
    output = tmp_path / "output"
    monkeypatch.setitem(rcParams, "savefig.dpi", 40)
    assert registry.main(["figure5", "figure9", "--data", str(data), "-o", str(output)]) == 1
    assert capsys.readouterr().err == (
        f"figure9: {missing} is missing; make it with: python -m experiments.trees\n"
    )
    kept.rename(missing)
    assert run("figure9", data, output) == 0
    names = {f"{name}.{kind}" for name in ("figure5", "figure9") for kind in ("pdf", "png", "svg")}
    assert {path.name for path in output.iterdir()} == names
    begins = {".pdf": b"%PDF", ".png": b"\x89PNG", ".svg": b"<?xml"}
    for path in output.iterdir():
        assert path.read_bytes().startswith(begins[path.suffix]), path.name
    fonts = re.findall(rb"/FontName /\w+\+(\w+)", (output / "figure5.pdf").read_bytes())
    assert {*fonts} == {b"STIXGeneral"}  # a part of it is embedded


def test_the_command_line(data, tmp_path):
    command = [sys.executable, "-m", "paper_figures", "figure5", "--data", str(data)]
    done = subprocess.run(
        [*command, "-o", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    written = [str(tmp_path / f"figure5.{kind}") for kind in ("pdf", "png", "svg")]
    assert done.stdout == f"figure5: {' '.join(written)}\n"


def test_a_wrong_name(capsys):
    with pytest.raises(SystemExit) as end:
        registry.main(["figure12"])
    assert end.value.code == 2
    assert "there is no figure 'figure12'; there are: figure1, figure2," in capsys.readouterr().err
