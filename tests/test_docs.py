"""The README and the pages of docs: complete, links whole, numbers and outputs what is computed."""

import doctest
import inspect
import math
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import get_args, get_type_hints

import matplotlib
import numpy as np
import pytest
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

import optsearch
from optsearch.cli.app import load_all_commands
from optsearch.lower_bounds.by_chance import misses_by_chance
from optsearch.results.tables import TABLES, best_bounds
from optsearch.support.decimals import exact_mean
from tests import shown
from tests.browser import resize

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
README = "README.md"
ABOVE = [README, "CHANGELOG.md", "CONTRIBUTING.md"]
PAGES = [README, *sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))]
API = [name for name in PAGES if name.startswith("api/")]


def place(name):
    """Where a page is."""
    return (ROOT if name in ABOVE else DOCS) / name


def text(name):
    return place(name).read_text(encoding="utf-8")


RUN = [name for name in PAGES if "\n$ optsearch " in text(name)]


def named(entries):
    """The files that a part of the navigation names."""
    for entry in entries:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            yield from [value] if isinstance(value, str) else named(value)


def test_the_navigation_names_every_page():
    yaml = pytest.importorskip("yaml")
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    notebooks = [path.name for path in DOCS.glob("*.ipynb")]
    assert sorted(named(settings["nav"])) == sorted([*PAGES[1:], *ABOVE[1:], *notebooks])


def anchors(name):
    """The anchors of the headings of a page."""
    toc = pytest.importorskip("markdown.extensions.toc")
    headings = re.findall(r"^#+ (.*)$", shown.without_blocks(text(name)), re.MULTILINE)
    return {toc.slugify(heading.replace("`", ""), "-") for heading in headings}


@pytest.mark.parametrize("name", [*PAGES, *ABOVE[1:]])
def test_links_resolve(name):
    """As a Git host follows them; `mkdocs build --strict` follows those of the site."""
    for link in re.findall(r"\]\(([^)\s]+)\)", text(name)):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (place(name).parent / path).resolve() if path else place(name)
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target.name), link


@pytest.mark.parametrize("name", PAGES[1:])
def test_a_page_says_first_what_it_is_for(name):
    heading, first, *_ = text(name).split("\n\n")
    assert re.fullmatch(r"# .*", heading)
    assert not first.startswith(("After this page", "#", "|", "!", "`"))
    assert len(first.split()) <= 60


@pytest.mark.parametrize("name", [name for name in [*PAGES, "CONTRIBUTING.md"] if name not in API])
def test_a_page_ends_with_where_to_go(name):
    last = text(name).rstrip().rpartition("\n\n")[2]
    assert re.match(r"Next: .*\]\(.*\.", last, re.DOTALL)


AVOIDED = (
    r"told so much|the same in |what is no(?:ne)? |such a |goes with|stands in |after this page"
    r"|so many|is none\b|part of the games|hears nothing|leave to each other"
)


@pytest.mark.parametrize("name", [*PAGES, "CONTRIBUTING.md"])
def test_a_page_is_in_plain_english(name):
    """Without words that readers had to read twice."""
    prose = " ".join(shown.without_blocks(text(name)).split())
    assert re.findall(AVOIDED, prose, re.IGNORECASE) == []
    assert len(text(name).split()) <= 4000 or name == "research-log.md"


def test_tables_have_heads():
    for name in [*PAGES, "CONTRIBUTING.md"]:
        assert not re.search(r"^\|[ |]*\|\n\|[-|: ]+\|$", text(name), re.MULTILINE), name


def test_the_home_of_the_docs_has_every_command_and_page():
    page = text("index.md")
    which = page.partition("## Which command?")[2]
    named = re.findall(r"\| `optsearch (\S+)` \|", which)
    assert sorted(named) == sorted(load_all_commands().commands)
    linked = {link.partition("#")[0] for link in re.findall(r"\]\(([^)\s]+)\)", page)}
    assert {*PAGES, "tutorial.ipynb"} - {README, "index.md", *API} <= linked
    assert {*API} == set(re.findall(r"\]\((api/[^)\s]+)\)", text("reference.md")))


def test_every_command_has_its_part():
    named_ones = []
    for name, command in load_all_commands().commands.items():
        named_ones += [name, *(f"{name} {below}" for below in getattr(command, "commands", ()))]
    page = text("commands.md")
    assert sorted(re.findall("^<!-- help (.*) -->$", page, re.M)) == sorted(named_ones)
    assert sorted(re.findall("^##+ (.*)$", page, re.M)) == sorted(named_ones)


def shown_names(page):
    """What a page of the reference describes, of modules their public functions and classes."""
    for name, members in re.findall(
        r"^::: (optsearch\S*)$(?:\n +options:\n +members: \[(.*)\])?", text(page), re.MULTILINE
    ):
        yield from [f"{name}.{member}" for member in members.split(", ")] if members else [name]


def shown_objects(page):
    """The names that a page of the reference describes, and what they are."""
    for name in shown_names(page):
        home, _, last = name.rpartition(".")
        there = getattr(import_module(home), last, None) or import_module(name)
        if inspect.ismodule(there):
            own = [n for n, v in vars(there).items() if getattr(v, "__module__", "") == name]
            public = getattr(there, "__all__", [n for n in own if not n.startswith("_")])
            yield from ((each, getattr(there, each)) for each in public)
        else:
            yield last, there


def members(public):
    """The public methods and properties of a class."""
    if not inspect.isclass(public):
        return []
    kinds = (property, cached_property, classmethod, staticmethod, FunctionType)
    return [n for n, v in vars(public).items() if not n.startswith("_") and isinstance(v, kinds)]


@pytest.mark.parametrize("page", API)
def test_the_reference_has_an_example_of_each_name(page):
    """And of each member, or says why it has none; `test_the_python_of_the_pages` runs it."""
    examples = re.findall(r"^```python\n(.*?)^```$", text(page), re.DOTALL | re.MULTILINE)
    if not examples:
        assert "\n\nNo example here: " in text(page)
        return
    without = re.findall(r"^Without an example: ((?:.+\n)*)", text(page), re.MULTILINE)
    for name, public in shown_objects(page):
        assert inspect.getdoc(public), name
        assert re.search(rf"\b{name}\b", examples[0]), name
        for member in members(public):
            assert re.search(rf"\b{member}\b", "".join([*examples, *without])), (name, member)


def test_the_reference_has_what_its_functions_return():
    """A class of ours that is named by what a function of the reference returns has its entry."""
    objects = [public for page in API for _, public in shown_objects(page)]
    missing = set()
    for function in filter(inspect.isfunction, objects):
        returned = get_type_hints(function).get("return")
        for each in (returned, *get_args(returned)):
            is_ours = inspect.isclass(each) and each.__module__.startswith("optsearch.")
            missing |= {each} if is_ours and each not in objects else set()
    assert missing == set()


def test_the_reference_names_what_there_is():
    names = [n for page in API for n in re.findall(r"^::: (optsearch\S*)$", text(page), re.M)]
    assert len(names) == len(set(names))
    for name in names:
        home, _, last = name.rpartition(".")
        assert hasattr(import_module(home), last), name
    assert set(optsearch.__all__) <= {name.rpartition(".")[2] for name in names}


def test_the_numbers_of_the_readme():
    page = text(README)
    for bracket in (TABLES["bracket"].read(name=name) for name in ("paper", "boxed", "official")):
        lower, upper = (bound["value_exact"] for bound in best_bounds(bracket))
        down, up = math.floor(lower * 10**4) / 10**4, math.ceil(upper * 10**4) / 10**4
        assert f"between {down:.4f} and {up:.4f}" in page
    (usual,) = [
        row for row in TABLES["growth"].read() if (row["size"], row["contact"]) == (10, "none")
    ]
    assert f"{usual['configurations']:,}" in page
    means = {"random": "95.39", "parity": "67.5", "greedy": "40.6247", "levels": "39.9895"}
    for name, mean in means.items():
        assert re.search(rf"^\| `{name}`: [^|]*\| {mean} \|", page, re.MULTILINE)
    assert "| no strategy is below | 34.4180 |" in page
    assert page.count("\n") <= 120
    (found,) = [
        row
        for row in TABLES["counterexamples"].read()
        if (str(row["game"]), row["position"]) == ("3x4:2", "A1=miss B3=miss")
    ]
    number = found["configurations"]
    best = f"{found['best_greedy_total_height']}/{number} against {found['total_height']}/{number}"
    assert best in page
    assert f"{len(TABLES['optima'].read())} games" in page


def test_the_numbers_of_the_game_in_the_box():
    page = " ".join(text("boxed.md").split())
    confirmed, rows = (
        TABLES["confirmed"].read(name="10x10_54332_any"),
        TABLES["told"].read(name="10x10_54332_any"),
    )
    assert f"{len(confirmed)} of {len(rows)} by their misses" in page
    known = {(row["long"], row["short"]): row for row in rows}
    for row in confirmed:
        found = known[row["long"], row["short"]]
        assert all(found[name] == row[name] for name in TABLES["told"].names)
    silent = ("none", "nothing")
    others = [row for row in TABLES["optima"].read() if (row["contact"], row["announce"]) != silent]
    assert f"{len(others)} games" in page
    best = best_bounds(TABLES["bracket"].read(name="boxed"))[0]["value"]
    assert f"{best:.4f} is 17 hits and {best - 17:.2f} misses" in page
    rollout = TABLES["evaluations"].read(name="any_ship_rollout").header
    mean = exact_mean(Fraction(int(rollout["total_height"]), int(rollout["configurations"])))
    worst = f"at worst {rollout['worst']}"
    assert f"{mean} shots, standard deviation {float(rollout['sd']):.3f}, {worst}" in page
    assert f"the best known strategy {mean}." in text(README)
    optima = [
        (row["best_greedy_total_height"], row["total_height"])
        for row in others
        if row["contact"] == "any" and row["announce"] in ("sunk", "ship")
    ]
    loss = [greedy / optimum - 1 for greedy, optimum in optima if greedy]
    assert f"In {len(optima)} of them ships may touch" in page
    assert f"in {len(loss)} of these the best greedy strategy is known" in page
    assert f"it takes {100 * sum(loss) / len(loss):.2f} % more than the optimum on average" in page
    won = {20: 0, 24: 0}
    for row in TABLES["mini_game"].read():
        if row["strategy"].startswith("greedy:"):
            for limit in won:
                won[limit] += row["configurations"] * (row["shots"] <= limit)
    assert f"Greedy wins {won[20]:,} (20.72 %)" in page


def test_the_evaluation_of_an_idea():
    found = TABLES["evaluations"].read(name="spread").header
    options = found["strategy"].removesuffix(",many=16777216,least=64")
    mean = exact_mean(Fraction(int(found["total_height"]), int(found["configurations"])))
    said = f"{mean} shots** on average over all configurations, at worst"
    page = " ".join(text("your-idea.md").split())
    assert f"`{options}`" in page
    assert f"{said} {found['worst']}" in page


def test_the_baselines_of_the_environment():
    def to_four(value, rounded=math.ceil):
        return f"{rounded(value * 10**4) / 10**4:.4f}"

    def mean(name, game):
        header = TABLES["evaluations"].read(name=name).header
        assert header["game"] == game
        return Fraction(int(header["total_height"]), int(header["configurations"]))

    by_chance = 17 + misses_by_chance(17, 100)
    games = ("10x10:5,4,3,3,2", "10x10:5,4,3,3,2,contact=any,announce=ship")
    rows = {
        "cells at random": map(to_four, (by_chance, by_chance)),
        "a most probable cell": map(to_four, map(mean, ("greedy", "any_ship_greedy"), games)),
        "the best player known": map(to_four, map(mean, ("levels", "any_ship_rollout"), games)),
        "never below": [
            to_four(best_bounds(TABLES["bracket"].read(name=name))[0]["value_exact"], math.floor)
            for name in ("paper", "boxed")
        ],
    }
    page = text("environment.md")
    for name, values in rows.items():
        assert f"| {name} | {' | '.join(values)} |" in page


LONG_PYTHON = ("api/score.md", "environment.md")


@pytest.mark.parametrize("name", [*PAGES, "CONTRIBUTING.md"])
def test_the_commands_that_pages_name_are_there(name):
    """In a line, too; with their options and no more arguments than they take."""
    for words in shown.named_commands(text(name)):
        assert "" in (shown.refusal(words), shown.refusal(["solitaire", *words])), words


def test_a_page_names_no_command_of_another_group():
    """Where solitaire is the subject, a command by its name alone is one of solitaire."""
    spans = set(re.findall(r"`([a-z-]+)`", shown.without_blocks(text("solitaire.md"))))
    commands = load_all_commands().commands
    assert spans & set(commands) <= set(commands["solitaire"].commands)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("solitaire check puzzle.txt", "neither a command"),
        ("solve --no-such 4x4:3,2", "--no-such"),
        ("count paper boxed", "neither a command nor an argument"),
        ("solve --method guess 4x4:3,2", "guess"),
        ("explain-it", "neither a command"),
    ],
)
def test_a_command_that_is_not_there_is_found(words, why):
    assert why in shown.refusal(words.split())


@pytest.mark.parametrize("name", RUN)
def test_the_pages_show_what_is_printed(name, call_command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert shown.check(text(name), call_command, monkeypatch)


def test_the_picture_of_the_readme_is_what_its_command_draws(call_command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    commands = [command for command, _ in shown.console_commands(text(README))]
    (command,) = [command for command in commands if "--figure position.png" in command]
    with matplotlib.rc_context():  # the figures of the paper, once imported, set another style
        matplotlib.rcdefaults()
        assert call_command(*shlex.split(command)[1:])[0] == 0
    with Image.open("position.png") as drawn, Image.open(DOCS / "pictures/position.png") as kept:
        assert drawn.size == kept.size
        pixels = [np.asarray(image.convert("L"), float) for image in (drawn, kept)]
    assert np.abs(pixels[0] - pixels[1]).mean() < 2  # fonts may be drawn a little otherwise


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.long(5) if n in LONG_PYTHON else ()) for n in PAGES],
)
def test_the_python_of_the_pages(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"^```python\n(>>> .*?)^```$", text(name), re.DOTALL | re.MULTILINE):
        examples = doctest.DocTestParser().get_doctest(block, {}, name, name, 0)
        assert doctest.DocTestRunner().run(examples).failed == 0


@pytest.mark.parametrize("name", [*PAGES, "CONTRIBUTING.md"])
def test_the_pages_name_what_is_there(name):
    page = text(name)
    for path in re.findall(r"`((?:data|docs|tests|experiments)/[\da-z_/.-]+\.\w+)`", page):
        assert (ROOT / path).is_file(), path
    for script in re.findall(r"`python -m experiments\.(\w+)", page):
        assert (ROOT / "experiments" / f"{script}.py").is_file(), script
    figures = {figure.name for figure in import_module("paper_figures.registry").figures()}
    for names in re.findall(r"`python -m paper_figures ([\w ]+)`", page):
        assert set(names.split()) <= figures, names
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z-]+)", page):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


FORMULA = re.compile(r"\$\$\n.*?\n\$\$|\$[^\s$](?:[^$]*[^\s$])?\$", re.DOTALL)
ASKED = {  # words, and the page that the search of the site has first
    "skyline": "counting.md",
    "first_ship": "lower-bounds.md",
    "φ(10,10)": "lower-bounds.md",
    "5x7:2,3": "games.md",
}


def without_code(page):
    return re.sub(r"^```.*?^```$|`[^`\n]*`", "", page, flags=re.DOTALL | re.MULTILINE)


def test_the_formulas_of_the_pages():
    """All become MathML, and have nothing that a Git host does not take."""
    convert = pytest.importorskip("latex2mathml.converter").convert
    formulas = [f for name in PAGES for f in FORMULA.findall(without_code(text(name)))]
    assert len(formulas) > 360
    for formula in formulas:
        assert not re.findall(r"\\[^\w\s\\]|\\operatorname", formula), formula
        assert "\\" not in re.sub(r"<[^>]*>", "", convert(formula.strip("$"))), formula


@pytest.mark.parametrize(("words", "page"), ASKED.items())
def test_the_search_knows_the_parts_of_names(words, page):
    """Words and pages are divided at the same places; in the browser, `test_the_site_from_disk`."""
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    separator = re.search("separator: '(.*)'", settings)[1]
    parts = {part.lower() for part in re.split(separator, text(page).replace("$", " "))}
    assert {part for part in re.split(separator, words) if part} <= parts


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built without a warning."""
    pytest.importorskip("material")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder]
    subprocess.run(command, cwd=ROOT, check=True)
    return folder


@pytest.mark.long(60)
def test_the_site(site):
    """No page asks for anything from elsewhere, and what is read from the program is there."""
    for path in site.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        assert not re.findall(r"<(?:script|img|iframe)[^>]* src=.?https?:", page), path.name
        assert not re.findall(r"<link[^>]*stylesheet[^>]* href=.?https?:", page), path.name
    tables = (site / "how-long.html").read_text(encoding="utf-8")
    assert "1,925,751,392" in tables
    assert 'href="data/results/growth.csv"' in tables
    assert (site / "data/results/growth.csv").read_bytes() == TABLES["growth"].path().read_bytes()
    assert 'class="glightbox"' in (site / "gallery.html").read_text(encoding="utf-8")
    captions = import_module("paper_figures.registry").captions()
    chain = (site / "lower-bounds.html").read_text(encoding="utf-8")
    assert captions["root_chain"].partition(". ")[0] in chain
    reference = (site / "api" / "solve.html").read_text(encoding="utf-8")
    assert "<dt><code>time_limit</code></dt>" in reference
    said = re.sub(r"<pre\b.*?</pre>", "", reference, flags=re.DOTALL)  # without the source
    assert not re.findall(r"\w+ -- \w", re.sub(r"<[^>]*>", "", said))


@pytest.mark.long(60)
def test_the_formulas_of_the_site(site):
    """Every formula is MathML: none stays as it was typed, and none has what is not understood."""
    formulas = 0
    for path in site.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        formulas += page.count("<math")
        page = re.sub(r"<(pre|code|script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
        words = re.sub(r"<[^>]*>", "", page)
        assert not re.findall(r".{0,40}(?:\$|\\[a-zA-Z]).{0,40}", words), path.name
    typed = sum(len(FORMULA.findall(without_code(text(name)))) for name in PAGES[1:])
    assert formulas == typed


@pytest.mark.long(60)
@pytest.mark.parametrize(("words", "page"), ASKED.items())
def test_the_site_from_disk(site, driver, words, page):
    """Its search finds words without a server, and it asks for nothing that is not there."""
    driver.get((site / "play.html").as_uri())
    driver.get_log("browser")
    driver.execute_script("document.querySelector('[data-md-toggle=search]').click()")
    driver.find_element(By.CSS_SELECTOR, "input.md-search__input").send_keys(words)
    WebDriverWait(driver, 60).until(
        lambda _: driver.find_elements(By.CSS_SELECTOR, ".md-search-result__item")
    )
    found = driver.find_element(By.CSS_SELECTOR, ".md-search-result__item h1")
    assert f"# {found.get_attribute('textContent')}" == text(page).partition("\n")[0]
    assert driver.get_log("browser") == []


@pytest.mark.long(60)
def test_tables_are_sorted_and_figures_enlarged(site, driver):
    driver.get((site / "how-long.html").as_uri())
    head = driver.find_element(By.XPATH, "//article//table[1]//th[.='configurations']")
    driver.execute_script("arguments[0].click()", head)
    cells = driver.find_elements(By.XPATH, "(//article//table)[1]//tbody//td[3]")
    counts = [int(cell.get_attribute("textContent").replace(",", "")) for cell in cells]
    assert counts == sorted(counts)
    driver.get((site / "gallery.html").as_uri())
    picture = driver.find_element(By.CSS_SELECTOR, "a.glightbox")
    driver.execute_script("arguments[0].click()", picture)
    WebDriverWait(driver, 60).until(
        lambda _: driver.find_elements(By.CSS_SELECTOR, ".gslide.current img")
    )


@pytest.mark.long(60)
def test_light_or_dark_is_stored_once_it_is_chosen(site, driver):
    """Until then the pages follow the system."""
    stored = "return Object.keys(localStorage).length"
    for scheme, name in (("dark", "slate"), ("light", "default")):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        driver.get((site / "index.html").as_uri())
        assert driver.execute_script("return document.body.dataset.mdColorScheme") == name
        assert driver.execute_script(stored) == 0
    driver.execute_script("document.querySelector('label[for=__palette_1]').click()")
    assert driver.execute_script(stored) == 1
    driver.execute_script("localStorage.clear()")
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.long(60)
@pytest.mark.parametrize("width", [1280, 360])
def test_the_pages_fit(site, driver, width):
    """Nothing is wider than the window but what scrolls by itself, and every picture is there."""
    resize(driver, width)
    for path in sorted(site.rglob("*.html")):
        if path.name == "404.html":
            continue
        driver.get(path.as_uri())
        wide = driver.execute_script("return document.documentElement.scrollWidth")
        assert wide <= width, path.name
        missing = driver.execute_script(
            "return [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
        )
        assert missing == [], path.name


def test_the_other_orders_of_the_mini_game():
    game = TABLES["mini_game"].read().header["game"]
    page = text("boxed.md")
    for ties in ("first", "checkerboard", "central"):
        found = optsearch.evaluate(f"greedy:ties={ties},endgame=0", game).histogram
        assert f"{sum(n for shots, n in found.items() if shots <= 20):,}" in page
