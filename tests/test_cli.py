"""The command `optsearch`: exact answers, and one clear line for everything that is wrong."""

import json
import re
import subprocess
import sys
from fractions import Fraction
from importlib.metadata import entry_points
from pathlib import Path
from xml.etree import ElementTree

import pytest

from optsearch import cli
from optsearch.check import reference
from optsearch.game import Game, cell_name
from optsearch.game.position import HIT, MISS, Position, Reply
from optsearch.support.store import Integers
from optsearch.tree import DecisionTree, Leaf, Node, load, save
from tests.examples import plain, some
from tests.processes import ENVIRONMENT, MANY_SECONDS, run_command

COMMANDS = ("count", "solve", "tree", "explore", "bounds", "reproduce")
STANDARD = "10x10:5,4,3,3,2"


def started(*arguments, cwd=None):
    """The real command, running."""
    return subprocess.Popen(
        [sys.executable, "-m", "optsearch.cli", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=ENVIRONMENT,
        cwd=cwd,
    )


@pytest.fixture
def answer(here):
    """The JSON value that a command prints."""

    def value(*arguments):
        status, out, err = here(*arguments, "--json")
        assert (status, err) == (0, "")
        return json.loads(out)

    return value


# Answers


def test_the_installed_command_is_this_one():
    (entry,) = entry_points(group="console_scripts", name="optsearch")
    assert entry.load() is cli.main


def test_no_shell_cuts_a_game():
    """The command that is shown for a game is typed as it is, in a real shell."""
    typed = (
        f"{sys.executable} -m optsearch.cli count 4x4:##/##,2,contact=any,announce=ship,holes=A1"
    )
    ran = subprocess.run(typed, shell=True, capture_output=True, text=True, check=True)
    assert ran.stdout == "4x4:O4,2,contact=any,announce=ship,holes=A1: 102 configurations\n"


def test_help(here):
    status, out, _ = here("--help")
    assert status == 0
    for command in COMMANDS:
        status, out, err = here(command, "--help")
        assert (status, err) == (0, "")
        assert "--json" in out


SOLUTION = {
    "game": "4x5:4,3,2",
    "position": "",
    "total_height": 994,  # Table 1 of Audinot, Bonnet and Viennot (2014)
    "configurations": 88,
    "mean": 994 / 88,
    "mean_exact": "994/88",  # as printed there: not reduced
    "best_shots": ["A2", "E2", "A3", "E3"],  # as by the paper's method, see test_long.py
    "nodes": 11,  # the regression signature, see test_solvers.py
}


def test_solve(here):
    status, out, err = here("solve", "4x5:2,3,4", "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert {key: found[key] for key in SOLUTION} == SOLUTION
    assert found["seconds"] > 0
    assert out.count("\n") == 1


def test_solve_for_people(here):
    status, out, err = here("solve", "4x5:2,3,4")
    assert (status, err) == (0, "")
    assert "4x5:4,3,2" in out
    assert "994/88 = 11.295455" in out
    assert "A2 E2 A3 E3" in out
    assert "greedy shots  A1 E1 A2 E2 A3 E3 A4 E4; the best of them is optimal" in out


def test_numbers_in_json_have_their_types(answer):
    found = answer("solve", "3x4:2")
    assert [type(found[key]) for key in ("total_height", "configurations", "nodes")] == [int] * 3
    assert type(found["seconds"]) is float
    assert type(found["mean"]) is float
    assert type(found["mean_exact"]) is type(found["total_height_exact"]) is str


METHODS = ("reference", "paper", "solver")


@pytest.mark.parametrize(
    ("game", "shots", "total_height", "configurations"),
    [
        ("2x3:2", "", 25, 7),  # Figure 5
        ("3x4:2", "A1=miss B3=miss", 53, 12),  # Figure 8
        ("2x2:2,2,contact=any", "", 8, 2),  # two configurations on the same four cells
        ("2x2:2,contact=any", "A1=hit", 1 + 2, 2),
        ("1x1:1", "A1=hit", 0, 1),
    ],
)
def test_every_method_gives_the_same(answer, game, shots, total_height, configurations):
    found = [answer("solve", game, "--shots", shots, "--method", method) for method in METHODS]
    same = ("game", "position", "total_height", "configurations", "mean_exact", "best_shots")
    assert len({json.dumps([one[key] for key in same]) for one in found}) == 1
    assert found[0]["game"] == game
    assert found[0]["position"] == shots
    assert found[0]["total_height"] == total_height
    assert found[0]["configurations"] == configurations
    assert found[0]["mean_exact"] == f"{total_height}/{configurations}"
    assert [one["method"] for one in found] == list(METHODS)


def test_nothing_left_to_shoot(here, answer):
    assert answer("solve", "2x2:1", "--shots", "A1=hit")["best_shots"] == []
    status, out, _ = here("solve", "2x2:1", "--shots", "A1=hit")
    assert status == 0
    assert "0/1 = 0.000000" in out
    assert "every ship is sunk" in out


@pytest.mark.parametrize("command", ["count", "posterior", "solve", "bounds"])
def test_shots_and_board_say_the_same(answer, here, tmp_path, command):
    board = tmp_path / "board.txt"
    board.write_text("o . . .\n\n. X . .\n. . . .\n")
    drawn, written, reordered = (
        answer(command, "3x4:2", *option)
        for option in (
            ("--board", board),
            ("--shots", "A1=miss B2=hit"),
            ("--shots", " b2=HIT,a1=Miss "),
        )
    )
    assert drawn["position"] == written["position"] == "A1=miss B2=hit"
    assert reordered["position"] == "B2=hit A1=miss"
    for one in (drawn, written, reordered):
        one.pop("seconds", None)
        one.pop("position")
        one.pop("command")
    assert drawn == written == reordered
    status, out, _ = here(command, "3x4:2", "--board", board)
    assert status == 0
    assert "3x4:2, A1=miss B2=hit" in out


@pytest.mark.parametrize(
    ("game", "shots", "configurations"),
    [
        ("4x5:2,3,4", "", 88),  # Table 1
        (STANDARD, "", 1_925_751_392),  # section 2.2
        ("4x4:2,3,4", "", 0),  # the dash in Table 1
        ("3x4:2", "A1=miss B3=miss", 12),  # Figure 6
        ("2x2:2,2,contact=any", "", 2),
        ("4x4:3,2,announce=ship", "", 104),  # announcements come with shots; Table 1
    ],
)
def test_count(here, answer, game, shots, configurations):
    found = answer("count", game, "--shots", shots)
    assert found["configurations"] == configurations
    assert found["game"] == str(Game.parse(game))
    status, out, err = here("count", game, "--shots", shots)
    assert (status, err) == (0, "")
    assert f": {configurations:,} configuration" in out


def occurrence_by_definition(position):
    """The occurrence matrix, counted on the list of all configurations."""
    game = position.game
    matrix = [[0] * game.columns for _ in range(game.rows)]
    for ships in reference.configurations(position):
        for row, column in game.cells_of(sum(ships)):
            matrix[row][column] += 1
    return matrix


@pytest.mark.parametrize(
    ("game", "shots"),
    [
        ("4x5:4,3,2", ""),
        ("3x4:2", "A1=miss B3=miss"),
        ("3x3:2,1,contact=corner", "B2=hit"),
        ("3x3:2,2,contact=any", ""),
    ],
)
def test_occurrence(here, answer, game, shots):
    position = Position.parse(Game.parse(game), shots)
    expected = occurrence_by_definition(position)
    found = answer("posterior", game, "--shots", shots)
    number = sum(1 for _ in reference.configurations(position))
    assert (found["configurations"], found["occurrence"]) == (number, expected)
    assert found["occurrence_exact"] == [[str(n) for n in row] for row in expected]
    status, out, err = here("posterior", game, "--shots", shots, "--counts")
    assert (status, err) == (0, "")
    rows = [line.split()[1:] for line in out.splitlines() if line.split()[:1] == ["1"]]
    assert rows == [[str(n) for n in expected[0]]]


def test_bounds(here, answer):
    found = answer("bounds", STANDARD)
    names = [
        "schema",
        "version",
        "command",
        "game",
        "position",
        "bounds",
        "bracket",
        "bracket_exact",
        "is_all",
    ]
    assert list(found) == names
    keys = ["name", "side", "value", "value_exact", "source", "is_binding"]
    assert all(list(b) == keys for b in found["bounds"])
    ends = {b["value_exact"] for b in found["bounds"] if b["is_binding"]}
    assert ends == {*found["bracket_exact"]}
    assert [float(Fraction(end)) for end in found["bracket_exact"]] == found["bracket"]
    assert found["bracket"][0] == max(b["value"] for b in found["bounds"] if b["side"] == "lower")
    assert found["bracket"][1] <= 55.6
    by_name = {b["name"]: b for b in found["bounds"]}
    tree = by_name["complete binary tree"]
    # Equation 2: 30 + (2 * 1925751392 - 2**31) / 1925751392, which the paper cuts to 30.8
    assert tree["value"] == 1858642528 / 60179731
    assert tree["side"] == "lower"
    assert "equation 2" in tree["source"]
    # also from an independent prototype
    assert str(by_name["leaf counting"]["value"]).startswith("32.8555")
    assert by_name["strategy of the paper"]["value"] == 55.6

    found = answer("bounds", "4x5:4,3,2")
    assert found["bracket"] == [994 / 88, 994 / 88]
    by_name = {b["name"]: b["value"] for b in found["bounds"]}
    assert by_name["complete binary tree"] == 72 / 11  # 6 + (2 * 88 - 2**7) / 88
    assert by_name["leaf counting"] == 45 / 4  # below the optimum, 994/88
    status, out, err = here("bounds", "4x5:4,3,2")
    assert (status, err) == (0, "")
    for number in ("72/11", "6.545454", "45/4", "11.250000", "bracket  11.295455 on both sides"):
        assert number in out

    found = answer("bounds", "4x5:4,3,2", "--shots", "A1=miss")
    assert found["position"] == "A1=miss"
    assert found["bracket"][1] is not None


# Trees


@pytest.fixture
def tree(here, tmp_path):
    """The file of an optimal tree of 4x5:4,3,2."""
    path = tmp_path / "tree.json"
    status, out, err = here("solve", "4x5:4,3,2", "--tree", path)
    assert (status, err) == (0, "")
    assert "994/88" in out
    return path


def test_tree(answer, tree):
    found = answer("tree", tree)
    assert (found["total_height_exact"], found["mean_exact"]) == ("994", "994/88")
    found = plain(found)
    depths = found.pop("histogram")
    assert found == {
        "game": "4x5:4,3,2",
        "position": "",
        "total_height": 994,
        "configurations": 88,
        "mean": 994 / 88,
        "worst": 13,
        "leaves": 88,
    }
    assert sum(depths.values()) == 88
    assert sum(int(depth) * number for depth, number in depths.items()) == 994
    checked = answer("check", tree)
    assert (checked["what"], checked["total_height"]) == ("tree", 994)


def test_tree_for_people(here, tmp_path):
    path = tmp_path / "tree.json"
    here("solve", "2x3:2", "--tree", path)
    assert "all 7 configurations, total height 25" in here("check", path)[1]
    status, out, err = here("tree", path)
    assert (status, err) == (0, "")
    assert "25/7 = 3.571429" in out  # Figure 5 has the same total height
    assert "5 shots" in out
    leaves = [line.rpartition("✓ ")[2] for line in out.splitlines() if "✓" in line]
    assert sorted(leaves) == ["2", "3", "3", "4", "4", "4", "5"]  # section 3.1


def test_a_tree_of_a_position(answer, here, tmp_path):
    path = tmp_path / "tree.json"
    here("solve", "3x4:2", "--shots", "A1=miss B3=miss", "--tree", path)
    for command in ("tree", "check"):
        found = answer(command, path, "3x4:2")
        assert (found["position"], found["mean_exact"]) == ("A1=miss B3=miss", "53/12")
        assert "is about 3x4:2, not '4x4:2'" in here(command, path, "4x4:2")[2]


@pytest.mark.parametrize("ending", some(1, ["svg", "PDF", "pdf", "png"], 2))
def test_draw(here, tmp_path, tree, ending):
    drawing = tmp_path / f"drawing.{ending}"
    status, out, err = here("tree", tree, "--figure", drawing)
    assert (status, err) == (0, "")
    assert "994/88" in out
    data = drawing.read_bytes()
    if ending == "svg":
        assert ElementTree.fromstring(data).tag == "{http://www.w3.org/2000/svg}svg"
    else:
        assert data.startswith(b"\x89PNG\r\n\x1a\n" if ending == "png" else b"%PDF-")
    assert len(data) > 10_000


COUNTEREXAMPLE = [
    Path(__file__).parent.parent / "data" / "results" / f"counterexample_{name}.json"
    for name in ("greedy", "optimal")
]


def svg_texts(path):
    """The texts of a drawing: matplotlib leaves each in a comment above its outlines."""
    return re.findall(r"<!-- (.*?) -->", path.read_text(encoding="utf-8"), re.DOTALL)


def test_draw_boards(here, tmp_path):
    tree, sizes = tmp_path / "tree.json", []
    assert here("solve", "3x4:2", "--tree", tree)[0] == 0
    for options in ((), ("--draw-boards",)):
        drawing = tmp_path / "drawing.svg"
        assert here("tree", tree, "--figure", drawing, *options)[::2] == (0, "")
        root = ElementTree.parse(drawing).getroot()
        sizes.append([float(root.get(side).removesuffix("pt")) for side in ("width", "height")])
        ids = {element.get("id") for element in root.iter()}
        assert ("next cells" in ids) == bool(options)
    assert sizes[1][1] > sizes[0][1]


def test_beside(here, answer, tmp_path):
    greedy, optimal = COUNTEREXAMPLE
    drawing = tmp_path / "both.svg"
    status, out, err = here("tree", greedy, "--beside", optimal, "--figure", drawing)
    assert (status, err) == (0, "")
    assert "54/12 = 4.500000" in out  # section 3.3
    assert "53/12 = 4.416667" in out
    assert "they part     at the root; no symmetry takes one first shot to the other" in out
    texts = svg_texts(drawing)
    for text in ("best greedy", "optimal", "total height 54", "total height 53"):
        assert sum(text in one for one in texts) == 1
    found = answer("tree", greedy, "--beside", optimal)
    measures = {"total_height": 53, "configurations": 12, "mean": 53 / 12}
    assert (found["total_height"], plain(found["beside"])) == (54, measures)
    assert found["beside"]["mean_exact"] == "53/12"
    assert found["differences"] == [""]
    assert "differences" not in answer("tree", greedy)


TREE = {
    "format": "optsearch decision tree",
    "version": 1,
    "game": "2x2:1",
    "position": "",
    "total_height": 2,
    "configurations": 2,
    "root": {"shot": "A1", "hit": {"configurations": 1}, "miss": {"configurations": 1}},
}


def chain(path, names):
    """A file with the tree of 2x2:1 that shoots these cells one after the other."""
    leaf = {"configurations": 1}
    root = {"shot": names[-1], "hit": leaf}
    for name in reversed(names[:-1]):
        root = {"shot": name, "hit": leaf, "miss": root}
    path.write_text(json.dumps({**TREE, "total_height": 10, "configurations": 4, "root": root}))
    return path


@pytest.mark.parametrize(
    ("other", "differences", "words"),
    [
        ("A1 B1 A2 B2", [], "nowhere"),
        ("A1 B1 B2 A2", ["A1=miss B1=miss"], "after A1=miss B1=miss"),
        ("B2 B1 A2 A1", [], "nowhere"),  # mirrored along the other diagonal
        ("B1 B2 A2 A1", ["A1=miss B1=miss"], "after A1=miss B1=miss"),  # by a quarter
    ],
)
def test_where_trees_part(here, answer, tmp_path, other, differences, words):
    left = chain(tmp_path / "left.json", ["A1", "B1", "A2", "B2"])
    right = chain(tmp_path / "right.json", other.split())
    assert answer("tree", left, "--beside", right)["differences"] == differences
    _, out, _ = here("tree", left, "--beside", right)
    assert f"they part     {words}\n" in re.sub(" +\n", "\n", out)


def test_trees_that_part_in_several_places(here, tmp_path):
    a, b, c, d = ((0, column) for column in range(4))
    leaf = Leaf(1)

    def saved(name, hit, missed):
        """A file with the tree of 1x4:2 that shoots B1 and goes on in these ways."""
        path = tmp_path / name
        tree = DecisionTree(Position(Game.parse("1x4:2")), Node(b, {HIT: hit, MISS: missed}))
        save(tree, path)
        return path

    def either(one, other):
        return Node(one, {HIT: leaf, MISS: Node(other, {HIT: leaf})})

    def both(one, other):
        return Node(one, {HIT: Node(other, {HIT: leaf})})

    left = saved("left.json", either(a, c), both(c, d))
    right = saved("right.json", either(c, a), both(d, c))
    status, out, err = here("tree", left, "--beside", right)
    assert (status, err) == (0, "")
    assert "they part     after B1=hit, and in 1 other place" in out


def test_dot(here, tmp_path):
    path = tmp_path / "small.json"
    here("solve", "2x3:2", "--tree", path)
    dot = tmp_path / "small.dot"
    status, out, err = here("tree", path, "--dot", dot)
    assert (status, err) == (0, "")
    assert str(dot) in out.replace("\n", "")
    assert dot.read_text(encoding="utf-8") == load(path).dot()


def test_a_drawn_board_as_windows_writes_it(here, tmp_path):
    """With a byte order mark and carriage returns."""
    board = tmp_path / "lake.txt"
    board.write_bytes(b"\xef\xbb\xbf...\r\n.-.\r\n...\r\n")
    assert here("count", f"{board}:2") == here("count", "3x3:2,holes=B2")


def test_every_weight_is_0(here, tmp_path):
    prior = tmp_path / "zero.csv"
    prior.write_text("# otherwise: 0\nship,weight\n")
    status, out, err = here("posterior", "3x3:2", "--prior", prior)
    assert (status, out) == (2, "")
    assert "every configuration of 3x3:2 has weight 0" in " ".join(err.split())


def test_sinkings_are_drawn(here, tmp_path):
    game = Game.parse("1x2:1,announce=sunk")
    sunk, leaf = Reply(True, True), Leaf(1)
    strategy = Node((0, 0), {sunk: leaf, MISS: Node((0, 1), {sunk: leaf})})
    path = tmp_path / "tree.json"
    save(DecisionTree(Position(game), strategy), path)
    for options in ((), ("--draw-boards",)):
        drawing = tmp_path / "drawing.pdf"
        assert here("tree", path, "--figure", drawing, *options)[::2] == (0, "")
        assert drawing.read_bytes().startswith(b"%PDF-")


# Tables on disk


def test_table_twice(answer, tmp_path):
    table = tmp_path / "table"
    first, second = (answer("solve", "4x5:2,3", "--table", table) for _ in range(2))
    plain = answer("solve", "4x5:2,3")
    assert second["nodes"] < first["nodes"] == plain["nodes"]
    for one in (first, second, plain):
        assert one["mean_exact"] == "2326/242"  # Table 1
        assert one["best_shots"] == ["C1", "C4"]


def test_a_table_serves_every_position_of_its_game(answer, tmp_path):
    table = tmp_path / "table"
    answer("solve", "4x5:2,3", "--table", table)
    for shots in ("A1=miss", "C1=hit", "C1=hit B1=miss"):
        with_table = answer("solve", "4x5:2,3", "--shots", shots, "--table", table)
        plain = answer("solve", "4x5:2,3", "--shots", shots)
        assert with_table["mean"] == plain["mean"]
        assert with_table["best_shots"] == plain["best_shots"]
        assert with_table["nodes"] <= plain["nodes"]


def test_interrupted_with_a_table(here, answer, interrupt_at, tmp_path):
    """After 200 times that something is put; what is not committed then is committed in the end."""
    table, game = tmp_path / "table", "5x5:3,2"
    interrupt_at(Integers, "put", 200)
    status, out, err = here("solve", game, "--table", table, "--json")
    assert status == 130
    bracket = json.loads(out)
    assert bracket["total_height"] is bracket["mean"] is None
    assert err.count("\n") == 1
    assert "interrupted" in err
    assert str(table) in err
    assert "goes on" in err
    with Integers(table, f"the solver's table of {game}", writable=False) as disk:
        assert 100 < len(disk) <= 200
    path = tmp_path / "tree.json"
    plain = answer("solve", game, "--tree", path)
    resumed = answer("solve", game, "--table", table)
    assert bracket["lower"] <= resumed["total_height"] <= bracket["upper"]
    assert resumed["mean"] == plain["mean"] == answer("check", path)["mean"]
    assert resumed["best_shots"] == plain["best_shots"]
    assert 0 < resumed["nodes"] < plain["nodes"]


MINUTES = {  # games that would take them, and where each method is interrupted
    "reference": (
        "5x6:2",
        "from optsearch.check import reference; at(reference, 'weight', interrupt)",
    ),
    "paper": (
        "5x6:2",
        "from optsearch.check import paper; at(paper, 'Optimum', interrupt_in_kernel)",
    ),
    "solver": (
        "6x6:4,3,2",
        "from optsearch.search.watch import Watch; at(Watch, 'tick', interrupt)",
    ),
}


@pytest.mark.parametrize("method", some(1, ["paper", "solver", "reference"], 2))
def test_interrupted_without_a_table(method):
    game, hooks = MINUTES[method]
    status, out, err = run_command("solve", game, "--method", method, hooks=hooks)
    assert (status, err) == (130, "interrupted\n")
    assert ("between" in out) == (method == "solver")


def test_a_table_and_a_tree_together(here, tmp_path):
    path = str(tmp_path / "tree.json")
    for _ in range(2):
        status, _, err = here(
            "solve", "4x4:3,2", "--table", str(tmp_path / "table"), "--tree", path
        )
        assert (status, err) == (0, "")
        assert here("check", path)[0] == 0


@pytest.mark.parametrize("command", some(1, ["tree", "posterior", "reproduce"], 3))
def test_closed_pipe(here, tmp_path, command):
    """Whoever reads may stop early, as `| head -1` does: no traceback, no waiting."""
    path = tmp_path / "tree.json"
    here("solve", "5x5:3,2", "--tree", path)  # its text does not fit into a pipe
    arguments = {"posterior": ("4x5:4,3,2",), "tree": (path,), "reproduce": ()}[command]
    process = started(command, *arguments)
    if command == "tree":
        assert process.stdout.readline().startswith("5x5:3,2: total height 5765")
    process.stdout.close()
    err = process.stderr.read()
    process.wait(timeout=MANY_SECONDS)
    process.stderr.close()
    assert err == ""


# The value of every shot


def test_all_shots(here):
    """The board and the list, which the definition confirms (2x3:2, Figure 5)."""
    status, out, err = here("solve", "2x3:2", "--shots", "A1=miss", "--all-shots")
    assert (status, err) == (0, "")
    family = reference.family(Position.parse(Game.parse("2x3:2"), "A1=miss"))
    totals = reference.first_shots(family)
    number = reference.weight(family)
    board = out[out.index("   A") :]
    for cell, total in totals.items():
        assert f"{total / number:.4f}" in board
        (line,) = [line for line in out.splitlines() if f"{total}/{number} = " in line[:9]]
        assert cell_name(Game.parse("2x3:2").cell(cell)) in line.split()
    assert "1       o" in board


@pytest.mark.parametrize(
    ("objective", "fields"),
    [
        ("mean", {"total_height": 26, "mean": 26 / 7, "lower": 26, "upper": 26}),
        ("worst", {"total_height": 26, "mean": 26 / 7, "worst": 5}),
        ("within=3", {"finished": 3}),
    ],
)
def test_all_shots_as_json(here, objective, fields):
    arguments = ("2x3:2", "--all-shots", "--objective", objective, "--json")
    status, out, _ = here("solve", *arguments)
    assert status == 0
    values = json.loads(out)["shot_values"]
    assert [value["shot"] for value in values] == ["A1", "B1", "C1", "A2", "B2", "C2"]
    assert plain(values[0]) == {"shot": "A1", **fields}
    assert "shot_values" not in json.loads(here("solve", "2x3:2", "--json")[1])


def test_all_shots_goes_with_the_solver(here):
    status, out, err = here("solve", "2x3:2", "--all-shots", "--method", "paper")
    assert (status, out) == (2, "")
    assert err == "error: --all-shots goes with --method solver, not with paper\n"


def test_a_strategy_comes_before_its_game_and_a_drawn_board_has_a_fleet(here, tmp_path):
    _, _, error = here("evaluate", "4x4:3", "greedy")
    assert "'4x4:3' is a game; the strategy comes first, as in optsearch evaluate greedy" in error
    board = tmp_path / "board.txt"
    board.write_text("...\n...\n")
    _, _, error = here("bounds", board)
    assert f"has no fleet; write it after a colon, as in {board}:5,4,3" in error
