"""The page on which trees are walked: its data, the command, and the page in a browser."""

import html
import json
import re
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from selenium.webdriver import ActionChains, Keys

from optsearch import tree
from optsearch.check import reference
from optsearch.counting.posterior import Posterior
from optsearch.game import Game, bits, cell_name
from optsearch.game.announcements import ANNOUNCEMENTS
from optsearch.game.position import HIT, MISS, Position, replies_at
from optsearch.search.greedy import GreedySolver
from optsearch.search.solver import Solver
from optsearch.show import explorer
from optsearch.support.errors import ImpossiblePosition, TooLarge, TreeError
from optsearch.support.progress import Limit
from optsearch.tree import DecisionTree, Leaf, Node
from tests.browser import accessible, requested, resize
from tests.examples import draws, plain, positions, sizes, some

# Figure 6 of Audinot, Bonnet and Viennot (2014): the best greedy strategy takes 54/12 shots on
# average, the best of all 53/12.
FIGURE6 = Position.parse(Game.parse("3x4:2"), "A1=miss B3=miss")


def found(game, shots=""):
    return Solver(Position.parse(Game.parse(game), shots))


def leaves(node, depth=0):
    """Depth and weight of each leaf of a tree as the data have it."""
    if isinstance(node, int):
        if node:
            yield depth, node
    else:
        for child in node[3:]:
            yield from leaves(child, depth + 1)


def walked(data, node, position):
    """Each inner node of a tree as the data have it, with its position."""
    if isinstance(node, int):
        return
    yield node, position
    cell = position.game.cell(node[0])
    for told, child in zip(replies_at(position.game, cell), node[3:], strict=True):
        assert str(told) in data["replies"]
        if child:
            yield from walked(data, child, position.after(cell, told))


# Data


@draws(25)
@given(positions(max_cells=9, max_configurations=12, announce=ANNOUNCEMENTS))
def test_totals_are_those_of_the_definition(position):
    solver = Solver(position)
    optimal = solver.tree()
    data = explorer.page_data(solver, [("optimal", optimal)])
    root = data["trees"][0]["root"]
    assert sum(depth * n for depth, n in leaves(root)) == optimal.total_height
    assert sum(n for _, n in leaves(root)) == optimal.configurations
    for node, here in walked(data, root, position):
        assert node[1] == node[2] == reference.total_height(reference.family(here))
        assert sum(n for _, n in leaves(node)) == Posterior(here).configurations


@draws(50)
@given(positions(announce=ANNOUNCEMENTS))
def test_configurations_are_those_left(position):
    data = explorer.page_data(Solver(position), [])
    counts = Counter()
    for weight, *ships in data["configurations"]:
        for ship in ships:
            counts.update(dict.fromkeys(bits(int(ship, 16)), weight))
    posterior = Posterior(position)
    assert sum(weight for weight, *_ in data["configurations"]) == posterior.configurations
    hits = position.hits if position.game.announce == "nothing" else 0
    occurrence = posterior.occurrence.ravel().tolist()
    for cell, n in enumerate(occurrence):
        assert counts[cell] == (0 if hits >> cell & 1 else n)


def test_a_position_in_which_all_is_sunk():
    solver = found("2x2:2", "A1=hit A2=hit")
    data = explorer.page_data(solver, [("optimal", solver.tree())])
    assert data["trees"] == [{"name": "optimal", "root": 1}]
    assert data["configurations"] == [[1, "0"]]


# What is refused


def test_what_is_too_large():
    with pytest.raises(TooLarge, match=r"1,925,751,392 configurations .* at most 10,000"):
        explorer.require_few_configurations(Position(Game.parse("10x10:5,4,3,3,2")))
    with pytest.raises(ImpossiblePosition):
        explorer.require_few_configurations(Position(Game.parse("4x4:4,3,2")))


def test_trees_of_something_else_are_refused():
    solver = Solver(FIGURE6)
    other = found("3x4:2").tree()
    with pytest.raises(TreeError, match=r"^mine is a tree of 3x4:2; .* 3x4:2 after A1=miss B3="):
        explorer.page(solver, [("mine", other)])
    wrong = DecisionTree(FIGURE6, Node((0, 1), {HIT: Leaf(1), MISS: Leaf(11)}))
    with pytest.raises(TreeError, match=r"^mine does not solve its position: 3x4:2"):
        explorer.page(solver, [("mine", wrong)])


# The page as text


def carried(page):
    """The data of a page, as a text and read."""
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page)
    return text, json.loads(text)


def test_nothing_in_the_data_is_markup():
    name = "</script><script>alert(1)</script><!-- & {{data}} \u2028"
    solver = Solver(FIGURE6)
    page = explorer.page(solver, [(name, solver.tree())])
    text, data = carried(page)
    assert data["trees"][0]["name"] == name
    assert not re.search(r"[<>&]|[^ -~]", text)
    assert page.count("<script") == 2
    assert f"<title>{html.escape('3x4:2 A1=miss B3=miss')}</title>" in page


def test_the_page_needs_nothing_else():
    solver = Solver(FIGURE6)
    page = explorer.page(solver, [("optimal", solver.tree())])
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="(.*?)"', page)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert re.findall(r"(?:src|href)=\S+", page) == ['href="data:,">']
    assert not re.search(r"https?:|@import|url\(", page.replace("http://www.w3.org/2000/svg", ""))


# The command


def test_command(call_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shots = ("--shots", str(FIGURE6))
    tree.save(Solver(FIGURE6).tree(), "mine.json")
    status, out, err = call_command(
        "explore", "3x4:2", *shots, "--with-tree", "mine.json", "-o", "page.html", "--json"
    )
    assert (status, err) == (0, "")
    assert plain(json.loads(out)) == {
        "game": "3x4:2",
        "position": "A1=miss B3=miss",
        "configurations": 12,
        "lower": 53,
        "upper": 53,
        "trees": [
            {"name": "mine", "total_height": 53},
            {"name": "optimal", "total_height": 53},
            {"name": "greedy", "total_height": 54},
        ],
        "page": "page.html",
    }
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")


# In a browser


class Shown:
    """A page in the browser, of some trees of one position."""

    def __init__(self, driver, path, position, trees):
        self.driver, self.path, self.position, self.trees = driver, path, position, trees
        self.solver = Solver(position, all_shots=True)
        path.write_text(explorer.page(self.solver, trees), encoding="utf-8")
        resize(driver, 1280)
        requested(driver)
        driver.get_log("browser")
        driver.get(path.as_uri())

    def text(self, name):
        """The text of an element, with what only screen readers get."""
        return self.texts()[name]

    def texts(self):
        """Those of all elements that have a name."""
        script = """return Object.fromEntries([...document.querySelectorAll("[id]:not(script)")]
            .map((element) => [element.id, element.textContent]))"""
        found = self.driver.execute_script(script)
        return {name: " ".join(text.split()) for name, text in found.items()}

    def click(self, selector):
        self.driver.find_element("css selector", selector).click()

    def press(self, keys):
        self.driver.switch_to.active_element.send_keys(keys)

    def button(self, reply):
        """The selector of the button of a reply."""
        return f"#replies [value='{reply}']"

    def check(self, node, here):
        """Compare what is shown at a node with counts and optima that share nothing with it."""
        posterior, texts = Posterior(here), self.texts()
        left = posterior.configurations
        assert texts["left"].startswith(f"{left} configuration")
        if isinstance(node, Leaf):
            assert texts["ask"] == "Every ship is sunk"
            assert texts["optimum"] == "nothing is left to shoot"
            return
        game = here.game
        shot = {s.cell for s in here.shots}
        counts = {
            divmod(i, game.columns): n for i, n in enumerate(posterior.occurrence.ravel().tolist())
        }
        fresh = {cell: n for cell, n in counts.items() if cell not in shot}
        n = fresh[node.cell]
        percent = f"{100 * n / left:.2f}" if n < left else "100"
        assert texts["ask"] == f"Shoot {cell_name(node.cell)}"
        assert f"{n}/{left}" in texts["chance"]
        assert texts["about"].startswith(f"{cell_name(node.cell)}: {n}/{left} = {percent} %")

        optimum = reference.total_height(reference.family(here))
        cost = DecisionTree(here, node).total_height
        for name, total in (("optimum", optimum), ("cost", cost)):
            assert f"({total}/{left}; {total} in total)" in texts[name]
            assert Fraction(texts[name].split()[0]) == pytest.approx(total / left, abs=1e-4)
        more = "optimal" if cost == optimum else f"{cost - optimum} over the optimum"
        assert texts["more"] == more

        free = left if game.announce == "nothing" else None
        names = [cell_name(cell) for cell, n in fresh.items() if n == free]
        most = max((n for n in fresh.values() if n != free), default=0)
        best = [cell for cell, n in fresh.items() if n == most] if most else []
        greedy = f"{' '.join(names)} certain, at no cost" if names else ""
        if best:
            greedy += f"{'; of the others ' if names else ''}{' '.join(map(cell_name, best))}"
            greedy += f"{' each' if len(best) > 1 else ''} {most}/{left}"
            greedy += " =" if most < left else ""
        assert texts["greedy"].startswith(greedy)

        cells = self.driver.execute_script(
            "return [...document.querySelectorAll('.cell')].map((cell) => "
            "[cell.getAttribute('class'), cell.textContent, cell.getAttribute('aria-label')])"
        )
        counts = {cell: n for cell, n in counts.items() if cell in game}
        for (cell, count), (classes, percent, label) in zip(counts.items(), cells, strict=True):
            assert ("shot" in classes) == (cell in shot)
            assert ("next" in classes) == (cell == node.cell)
            assert ("greedy" in classes) == (cell in best)
            if cell not in shot:
                assert label.startswith(f"{cell_name(cell)}: {count}/{left}")
                assert percent in (f"{100 * count / left:.1f}", f"{100 * count / left:.0f}")

    def walk(self, node, leads, act):
        """Follow a tree with the replies of `leads`, and compare every step."""
        here, nodes = self.position, [node]
        self.check(node, here)
        for reply in leads:
            act(reply)
            here, node = here.after(node.cell, reply), node.replies[reply]
            self.check(node, here)
            nodes.append(node)
        return nodes

    def complaints(self):
        """What the page asked of the network, and what the browser wrote of errors."""
        return requested(self.driver) - {self.path.as_uri(), "data:,"}, self.driver.get_log(
            "browser"
        )


@pytest.fixture
def figure6(driver, tmp_path):
    trees = [("optimal", Solver(FIGURE6).tree()), ("greedy", GreedySolver(FIGURE6).tree())]
    page = Shown(driver, tmp_path / "page.html", FIGURE6, trees)
    yield page
    assert page.complaints() == (set(), [])


def longest(root):
    """The replies on the way to a deepest leaf."""
    paths = DecisionTree(FIGURE6, root).paths()
    return [shot.reply for shot in max((shots for shots, _ in paths), key=len)]


@pytest.mark.parametrize("which", some(1, [1, 0], 2))
def test_walk_by_clicks(figure6, which):
    root = figure6.trees[which][1].root
    figure6.click(f"#trees button:nth-child({which + 1})")
    replies = longest(root)
    figure6.walk(root, replies, lambda reply: figure6.click(figure6.button(reply)))
    assert figure6.text("count") == "The end"
    assert f"after {len(replies)} shots" in figure6.text("chance")
    figure6.click("#path li:nth-child(2) button")
    here = FIGURE6.after(root.cell, replies[0])
    figure6.check(root.replies[replies[0]], here)
    figure6.click("#back")
    figure6.check(root, FIGURE6)


@pytest.mark.parametrize(
    ("hit", "miss", "back"),
    some(1, [(Keys.ARROW_LEFT, Keys.ARROW_RIGHT, Keys.BACKSPACE), ("h", "m", "u")], 2),
)
def test_walk_by_keyboard(figure6, hit, miss, back):
    root = figure6.trees[0][1].root
    replies = longest(root)
    nodes = figure6.walk(root, replies, lambda reply: figure6.press(hit if reply.hit else miss))
    here = FIGURE6
    positions = [here]
    for node, reply in zip(nodes, replies, strict=False):
        here = here.after(node.cell, reply)
        positions.append(here)
    for node, here in reversed(list(zip(nodes, positions, strict=True))[:-1]):
        figure6.press(back)
        figure6.check(node, here)
    figure6.press(hit + "r")
    figure6.check(root, FIGURE6)


def test_the_tab_key_reaches_every_control(figure6):
    """Each has the focus once, visibly; Enter presses it, and the focus stays."""
    texts = []
    for _ in range(9):
        figure6.press(Keys.TAB)
        focused = figure6.driver.switch_to.active_element
        is_cell = focused.tag_name == "g"
        drawn = focused.find_element("css selector", ".shape") if is_cell else focused
        name = "stroke-width" if is_cell else "outline-style"
        assert drawn.value_of_css_property(name) == ("0.13px" if is_cell else "solid")
        texts.append(" ".join(focused.text.split()))
    assert texts == [
        "optimal 4.4167 on average",
        "greedy 4.5000 on average",
        "Hit H leaves 3",
        "Miss M leaves 9",
        "Back U",
        "Start again R",
        "25.0",  # C1, which is shot next
        "",  # whether colours go up to the greatest
        "Start",
    ]
    figure6.press(Keys.SHIFT + Keys.TAB * 5)
    for name in ("Shot 2", "Shot 3"):
        figure6.press(Keys.ENTER)
        assert figure6.text("count") == name
        assert figure6.driver.switch_to.active_element.text.startswith("Miss")


def test_switching_trees_keeps_what_is_common(figure6):
    optimal, greedy = (tree.root for _, tree in figure6.trees)
    figure6.walk(optimal, [MISS, HIT], lambda reply: figure6.press("h" if reply.hit else "m"))
    assert optimal.cell != greedy.cell
    figure6.press("t")
    figure6.check(greedy, FIGURE6)
    assert figure6.text("note") == "This tree begins with another shot"
    assert figure6.text("walked") == "This tree (greedy) from here"
    figure6.click("#trees button:nth-child(1)")
    figure6.check(optimal, FIGURE6)
    assert figure6.text("note") == ""


@pytest.mark.parametrize("announce", some(2, ["ship", "place", "name", "sunk"], 2))
def test_hits_that_tell_more(driver, tmp_path, announce):
    """By the buttons to a leaf, through every kind of reply; what cannot be is refused."""
    position = Position(Game.parse(f"2x4:2,2,contact=any,announce={announce}"))
    if announce != "sunk":
        position = Position(Game.parse(f"2x4:3,2,contact=any,announce={announce}"))
    optimal = Solver(position).tree()
    page = Shown(driver, tmp_path / "page.html", position, [("optimal", optimal)])
    paths = [[shot.reply for shot in shots] for shots, _ in optimal.paths()]
    replies = max(paths, key=lambda path: (len(set(path)), len(path)))
    assert len(set(replies)) > 2
    page.walk(optimal.root, replies, lambda reply: page.click(page.button(reply)))
    page.press("r")
    if announce == "place":
        page.click("#replies summary")
        accessible(driver)
        page.click("#replies details button")
    elif announce != "name":
        page.press("s" if announce == "sunk" else "3")
    if announce != "name":
        assert "cannot happen" in page.text("note")
    page.check(optimal.root, position)
    assert page.complaints() == (set(), [])


@pytest.mark.parametrize(
    ("game", "shots"),
    some(
        1,
        [
            ("1x30:4", ""),
            ("3x4:2,2", ""),
            ("4x4:3,2,1,contact=any,announce=ship", "A1=hit B1=hit C1=sunk:3 D4=miss"),
        ],
        2,
    ),
)
def test_a_telephone_does_not_scroll_sideways(driver, tmp_path, game, shots):
    position = Position.parse(Game.parse(game), shots)
    optimal = Solver(position).tree()
    page = Shown(driver, tmp_path / "page.html", position, [("a name " * 9, optimal)] * 3)
    resize(driver, 360, 740)
    for key in ("", "m", "m", "h"):
        page.press(key)
        width = driver.execute_script("return document.documentElement.scrollWidth")
        assert width == 360
        buttons = driver.find_element("id", "replies").rect
        if page.text("count") != "The end":
            scrolled = driver.execute_script("return scrollY")
            assert buttons["y"] + buttons["height"] - scrolled < 740
    assert page.complaints() == (set(), [])


# Any cell, and a place that stays


def shot_next(page, cell):
    """Click a cell of the board, and point elsewhere."""
    index = cell[0] * page.position.game.columns + cell[1]
    page.driver.find_elements("css selector", ".cell")[index].click()
    heading = page.driver.find_element("id", "game")
    ActionChains(page.driver).move_to_element(heading).perform()


def value(position, cell):
    """By the definition: the least total when a cell is shot first, and of how many."""
    family = reference.family(position)
    parts = reference.shoot(family, cell[0] * position.game.columns + cell[1]).values()
    number = reference.weight(family)
    return number + sum(map(reference.total_height, parts)), number


def mean_text(total, number):
    return f"{total / number:.4f}" if total % number else f"{total // number}"


def check_off_tree(page, here):
    """What is shown of a position from no tree's point of view."""
    posterior, texts = Posterior(here), page.texts()
    left = posterior.configurations
    assert texts["left"].startswith(f"{left} configuration")
    optimum = reference.total_height(reference.family(here))
    if optimum == 0:
        assert texts["ask"] == "Every ship is sunk"
        return
    assert f"({optimum}/{left}; {optimum} in total)" in texts["optimum"]
    labels = page.driver.execute_script(
        "return [...document.querySelectorAll('.cell')].map((c) => c.getAttribute('aria-label'))"
    )
    shot = {one.cell for one in here.shots}
    for i, (label, n) in enumerate(zip(labels, posterior.occurrence.ravel().tolist(), strict=True)):
        cell = here.game.cell(i)
        if cell not in shot:
            assert label.startswith(f"{cell_name(cell)}: {n}/{left}")


@sizes("cells", [(2, 3)], [(0, 1), (1, 0), (2, 0), (2, 3)], 5)
def test_any_cell_can_be_shot(figure6, cells):
    """Cells that no tree shoots: the value of each by the definition, and on until the end."""
    root = figure6.trees[0][1].root
    for cell in cells:
        shot_next(figure6, cell)
        texts = figure6.texts()
        total, number = value(FIGURE6, cell)
        assert texts["ask"] == f"Shoot {cell_name(cell)}"
        best = f"Your choice; at best {mean_text(total, number)} on average ({total}/{number})"
        assert texts["value"] == best
    figure6.press(Keys.ESCAPE)
    figure6.check(root, FIGURE6)
    here = FIGURE6
    for cell, reply in (((2, 3), MISS), ((0, 1), MISS), ((1, 2), HIT)):
        shot_next(figure6, cell)
        assert f"({value(here, cell)[0]}/" in figure6.text("value")
        figure6.click(figure6.button(reply))
        here = here.after(cell, reply)
        check_off_tree(figure6, here)
    assert figure6.text("cost") == "no branch here"
    for _ in range(here.game.cells):  # on with what the page proposes, as long as it hits
        if figure6.text("ask") == "Every ship is sunk":
            break
        name = figure6.text("ask").removeprefix("Shoot ")
        cell = next(c for c in map(here.game.cell, range(12)) if cell_name(c) == name)
        reply = HIT if Posterior(here.after(cell, HIT)).configurations else MISS
        figure6.click(figure6.button(reply))
        here = here.after(cell, reply)
        check_off_tree(figure6, here)
    assert figure6.text("ask") == "Every ship is sunk"
    figure6.press("r")
    figure6.check(root, FIGURE6)


def test_shots_in_another_order_are_on_the_tree_again(figure6):
    """Where nothing is announced, only what was replied counts."""
    first = figure6.trees[0][1].root
    second = first.replies[MISS]
    shot_next(figure6, second.cell)
    figure6.press("m")
    shot_next(figure6, first.cell)
    figure6.press("m")
    here = FIGURE6.after(first.cell, MISS).after(second.cell, MISS)
    figure6.check(second.replies[MISS], here)


def test_any_cell_by_keyboard(figure6):
    figure6.press(Keys.TAB * 7)  # to the board
    figure6.press(Keys.ARROW_DOWN * 2)
    figure6.press(Keys.ENTER)
    assert figure6.text("ask") == "Shoot C3"
    figure6.press("m")
    check_off_tree(figure6, FIGURE6.after((2, 2), MISS))
    figure6.press("u")
    figure6.press(Keys.TAB)  # the board shows what is said of the next shot, not of the focus
    figure6.check(figure6.trees[0][1].root, FIGURE6)


def test_the_place_stays(figure6):
    """After a reload, and as a link in a page opened anew."""
    root = figure6.trees[1][1].root
    figure6.press("t")
    figure6.press("m")
    shot_next(figure6, (2, 3))
    figure6.press("m")
    shot_next(figure6, (1, 0))
    before = figure6.texts()
    here = FIGURE6.after(root.cell, MISS).after((2, 3), MISS)
    assert figure6.driver.current_url.endswith("#tree=greedy&shots=C2=miss,D3=miss&shoot=A2")
    link = figure6.driver.find_element("id", "link").get_attribute("href")
    assert link == figure6.driver.current_url
    figure6.driver.refresh()
    assert figure6.texts() == before
    check_off_tree(figure6, here)
    figure6.driver.get("about:blank")
    figure6.driver.get(link)
    assert figure6.texts() == before
    figure6.driver.execute_script("location.hash = '#tree=optimal&shots=C1=hit'")
    figure6.check(figure6.trees[0][1].root.replies[HIT], FIGURE6.after((0, 2), HIT))


# Too little time


def test_bounds_of_optima_where_time_is_short():
    """A limit that is over at once: bounds that hold, at every node."""
    position = Position(Game.parse("4x5:3,2"))
    solver = Solver(position)
    optimal = solver.tree()
    over = Limit(seconds=0, clock=iter(range(1 << 30)).__next__)
    exact = explorer.page_data(solver, [("optimal", optimal)])["trees"][0]["root"]
    short = explorer.page_data(Solver(position), [("optimal", optimal)], over)["trees"][0]["root"]
    pairs = [(exact, short)]
    unknown = 0
    while pairs:
        known, bounded = pairs.pop()
        assert known[:2] == bounded[:2]
        lower, upper = bounded[2] if isinstance(bounded[2], list) else [bounded[2]] * 2
        assert lower <= known[2] <= upper
        unknown += lower < upper
        pairs += [
            pair for pair in zip(known[3:], bounded[3:], strict=True) if isinstance(pair[0], list)
        ]
    assert unknown


def test_the_command_with_a_time_limit(call_command, tmp_path, monkeypatch):
    """An endgame that takes minutes: a page all the same, with a bracket."""
    monkeypatch.chdir(tmp_path)
    arguments = ("explore", "5x6:2,2", "-o", "page.html", "--time-limit", "0.2", "--json")
    status, out, err = call_command(*arguments)
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["lower"] < found["upper"]
    best, greedy = found["trees"]
    assert (best["name"], best["total_height"]) == ("best found", found["upper"])
    assert greedy["name"].startswith("greedy")
    assert greedy["total_height"] >= found["upper"]
    _, data = carried((tmp_path / "page.html").read_text(encoding="utf-8"))
    for one, root in zip(found["trees"], data["trees"], strict=True):
        assert (one["name"], one["total_height"]) == (root["name"], root["root"][1])
        assert root["root"][2] == [found["lower"], found["upper"]]
    assert min(value[1] for value in data["values"]) == found["upper"]


def test_a_page_for_everybody(figure6):
    """At the start, and where the tree has ended."""
    for key in ("", "mhh"):
        figure6.press(key)
        accessible(figure6.driver)
