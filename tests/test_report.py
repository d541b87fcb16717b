"""The page of all results: what it says, and the page in a browser."""

import csv
import json
import re
import runpy
import shutil
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from selenium.webdriver import Keys
from selenium.webdriver.support.ui import WebDriverWait

from optsearch import report
from optsearch.game.names import in_words, together
from optsearch.report import bracket, standing
from optsearch.report.answers import answers
from optsearch.report.standing import short, standings
from optsearch.results import tables as results
from optsearch.support import records
from optsearch.support.datafiles import RESULTS
from optsearch.support.decimals import exact_mean, outward
from optsearch.support.errors import RecordError
from tests.browser import accessible
from tests.examples import some
from tests.processes import MANY_SECONDS

ROOT = Path(__file__).parent.parent
PICTURE = report.Figure(
    "bracket",
    "A title. And a text.",
    '<svg a="#b&amp;c"/>',
    "python -m draw",
    {"results/bracket.csv": "make"},
)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The page of the committed results, as the command writes it, with one figure drawn."""
    folder = tmp_path_factory.mktemp("report")
    for command in (
        ["paper_figures.bracket", "--output", folder / "drawn"],
        ["paper_figures.report", "--figures", folder / "drawn", "--output", folder],
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", [*map(str, command)])
            patch.delitem(sys.modules, command[0], raising=False)
            with pytest.raises(SystemExit) as end:
                runpy.run_module(command[0], run_name="__main__")
            assert end.value.code == 0
    return folder / "index.html"


def data_of(text):
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    return json.loads(found)


# What it says


def test_every_table_is_there_with_its_values(written):
    text = written.read_text(encoding="utf-8")
    data = data_of(text)
    files = [path.relative_to(RESULTS).as_posix() for t in results.TABLES for path in t.all()]
    assert list(data) == files
    assert len(set(files)) == len(files) > 20
    for row, shown in zip(results.TABLE1.read(), data["table1.csv"]["rows"], strict=True):
        total = "" if row["total_height"] is None else str(row["total_height"])
        assert shown[:3] == [str(row["game"]), total, str(row["configurations"])]


def test_a_number_that_stands_twice_has_the_same_digits(written):
    """Means of strategies on all configurations are rounded as bounds are: up."""
    text = written.read_text(encoding="utf-8")
    for path in results.EVALUATION.all():
        table = results.EVALUATION.read(path)
        shots, counts = table.column("shots"), table.column("configurations")
        mean = Fraction(sum(k * n for k, n in zip(shots, counts, strict=True)), sum(counts))
        up, down = exact_mean(mean), outward(mean, "lower", 4)
        assert re.search(rf"\b{re.escape(up)}\b", text), path
        assert not re.search(rf"\b{re.escape(down)}\b", text), path


def test_a_new_table_appears_without_further_work(tmp_path, monkeypatch):
    columns = (results.Column("sign", results.TEXT, "a <b>sign</b>"),)
    table = results.Table("new", "A new </script> table", columns, "new", 7)
    for module in (report, standing):
        monkeypatch.setattr(module, "TABLES", (table,))
    table.write([["</script><b>"]], tmp_path)
    text = report.page([], tmp_path)
    assert data_of(text) == {
        "new.csv": {"columns": [["sign", "a <b>sign</b>", True]], "rows": [["</script><b>"]]}
    }
    assert "A new &lt;/script&gt; table" in text
    assert "<b>sign" not in text
    assert text.count("<script") == 2


def test_a_table_that_is_wrong_is_named(tmp_path):
    results.TABLE1.path(tmp_path).write_text("# title: t\ngame\n4x4:2\n")
    with pytest.raises(RecordError, match=r"table1\.csv"):
        report.page([], tmp_path)


def test_a_page_of_nothing(tmp_path):
    text = report.page([], tmp_path)
    assert "is not made yet: <code>python -m experiments.table1</code>" in text
    assert not list(answers(tmp_path))


def test_figures_with_captions_and_what_is_old(tmp_path):
    figures = [PICTURE, report.Figure("b", "C. D", None, "make b", {}, False)]
    text = report.page(figures, tmp_path)
    assert "<b>A title.</b> And a text." in text
    assert "src=\"data:image/svg+xml,%3Csvg a='%23b%26amp;c'/%3E\"" in text
    assert text.count("not drawn: its source is missing") == 1
    assert "older than its table" not in text
    old = report.Figure(*(getattr(PICTURE, name) for name in PICTURE.__dataclass_fields__))
    object.__setattr__(old, "is_old", True)
    assert "older than its table: draw it again" in report.page([old], tmp_path)


def test_the_command_marks_a_figure_whose_table_changed(written, tmp_path):
    sys.path.insert(0, str(ROOT))
    from paper_figures import bracket as module
    from paper_figures.report import figure_of

    drawn = written.parent / "drawn"
    shutil.copytree(ROOT / "data" / "results", tmp_path / "results")
    assert not figure_of(module.FIGURE, "A. B", tmp_path, drawn).is_old
    with open(tmp_path / "results" / "bracket.csv", "a") as file:
        file.write("lower,nothing,1,1,nowhere\n")
    assert figure_of(module.FIGURE, "A. B", tmp_path, drawn).is_old


def test_the_answers_are_those_of_the_tables():
    good, greedy, fails, people = answers(RESULTS)
    table = results.BRACKET.read()
    lower = max(row["value_exact"] for row in table if row["side"] == "lower")
    upper = min(row["value_exact"] for row in table if row["side"] == "upper")
    numbers = [Fraction(text) for text in re.findall(r"\d+\.\d+", good.headline)]
    assert numbers[0] <= lower < numbers[0] + Fraction(1, 10**4)
    assert numbers[1] - Fraction(1, 10**4) < upper <= numbers[1]
    counts = {row["shots"]: row["configurations"] for row in results.EVALUATION.read(name="greedy")}
    mean = Fraction(sum(shots * n for shots, n in counts.items()), sum(counts.values()))
    assert f"{float(mean):.4f}" in greedy.headline
    rows = [r for r in results.COUNTEREXAMPLES.read() if r["result"] == "counterexample"]
    assert f"In {len(rows)} positions" in fails.headline
    assert "3x4:2, A1=miss B3=miss, where" in fails.sentences[-2]  # section 3.3
    assert "54/12" in fails.sentences[-2]
    assert "53/12" in fails.sentences[-2]
    exact = [one for one in people.comparisons if one.title.endswith(", on every configuration")]
    for one in exact:
        assert [player.mean for player in one.players] == sorted(p.mean for p in one.players)
    assert sum(len(one.players) for one in exact) == len(list(results.EVALUATION.all()))
    (usual, *_) = [one for one in people.comparisons if one.title.startswith("Leaderboard, ")]
    rows = [r for r in results.LEADERBOARD.read() if usual.title.endswith(f", {r['game']}")]
    assert len(usual.players) == len(rows) > 5
    assert len({player.name for player in usual.players}) == len(rows)
    (same_boards,) = [one for one in people.comparisons if "the same 1,000 boards" in one.title]
    printed = results.THOMPSON.read().header["greedy"]  # …, mean 44.319 ± …
    (greedy,) = [p for p in same_boards.players if p.name.startswith("greedy ")]
    assert float(greedy.mean) == pytest.approx(
        float(printed.split("mean ")[1].split()[0]), abs=0.01
    )


def test_the_bracket_and_its_history():
    table = results.BRACKET.read()
    scale = bracket.scale_of(table)
    assert scale.ticks[0] == ("30", scale.place(30))
    bars = bracket.bounds(table, scale)
    assert len({(bar.kind, bar.text) for bar in bars}) == len(bars)  # no number twice
    lower = [bar.right for bar in bars if bar.kind == "lower"]
    upper = [bar.left for bar in bars if bar.kind == "upper"]
    assert lower == sorted(lower)
    assert upper == sorted(upper, reverse=True)
    steps = bracket.history(results.BRACKET_HISTORY.read(), scale)
    assert steps[0].text == "30.8848 to 55.6"  # section 5 of the paper: 30.8 and 55.6
    assert (steps[-1].left, steps[-1].right) == (lower[-1], upper[-1])
    for before, after in pairwise(steps):
        assert before.left <= after.left <= after.right <= before.right


def test_names():
    assert (
        in_words("greedy:ties=central,endgame=4") == "greedy (a most probable cell), ties central"
    )
    assert in_words("thompson:block_size=10000,information=printed") == (
        "Thompson sampling, as printed, 10,000 samples"
    )
    assert in_words("FILE.py:Own") == "FILE.py:Own"
    assert together(["pattern:clear=line,water=0", "greedy"]) == (
        "fixed pattern, the row first, nothing deduced; greedy (a most probable cell)"
    )


# What is known of each table


def test_what_confirmed_a_table_as_it_stands(tmp_path):
    """Its values, not its times, its header or its place; by the same command or by other code."""
    path = results.GROWTH.path(tmp_path)
    committed = results.GROWTH.path().read_text(encoding="utf-8")
    path.write_text(committed)
    digest = results.GROWTH.digest(path)

    def text():
        (growth,) = [one for one in standings(tmp_path) if one.made is results.GROWTH]
        return growth.text, growth.is_confirmed

    assert text() == ("computed once, when it was made", False)
    command, commit = results.GROWTH.command, "0123456789abcdef+changes"

    def recomputed(digest, differs=None, command=command):
        row = ("growth.csv", command, "2026-01-02", commit, digest, 3, not differs, differs)
        results.RECOMPUTED.write([row], tmp_path)

    recomputed(digest)
    again = "recomputed 2026-01-02 at 01234567+changes"
    assert text() == (f"{again}: the same", True)
    made, *_, last = committed.splitlines()[5:]
    values = last.split(",")
    for old, new, is_same in (
        (made, "# commit: release 9.9", True),
        (committed.splitlines()[0], "# title: in other words", True),
        (last, ",".join([*values[:3], "999.000", values[4]]), True),
        (last, ",".join([*values[:2], f"{values[2]}0", *values[3:]]), False),
        ("# fleet: 5,4,3,3,2", "# fleet: 5,4", False),
    ):
        assert old in committed
        path.write_text(committed.replace(old, new))
        assert text() == (
            (f"{again}: the same" if is_same else f"changed since it was {again}"),
            is_same,
        )
    path.write_text(committed)
    recomputed(digest, "row 1, size: no")
    assert text() == (f"{again}: not the same: row 1, size: no", False)
    recomputed("of others")
    rows = [("growth.csv", digest, 21)]
    results.LOWER_BOUNDS_CHECK.write(rows, tmp_path, name="x", game="x", command="python -m other")
    said, is_confirmed = text()
    header = records.read(results.LOWER_BOUNDS_CHECK.path(tmp_path, name="x")).header
    by = f"confirmed {header['date']} at {short(header['commit'])} by python -m other: the same"
    assert said == f"changed since it was {again}; {by}"
    assert is_confirmed
    page = report.page([], tmp_path)
    assert page.count(said) == 1  # at the table; it is confirmed


def test_what_is_old_is_said_where_it_matters(tmp_path):
    """Of a table whose values changed since they were confirmed, in its line and at the end."""
    path = results.GROWTH.path(tmp_path)
    path.write_text(results.GROWTH.path().read_text(encoding="utf-8"))
    row = ("growth.csv", results.GROWTH.command, "2026-01-02", "01234567", "other", 3, True, None)
    results.RECOMPUTED.write([row], tmp_path)
    said = "changed since it was recomputed 2026-01-02 at 01234567"
    page = report.page([], tmp_path)
    summary = page.partition('data-file="growth.csv"')[2].partition("</summary>")[0]
    assert f'<span class="badge">{said}</span>' in summary
    assert page.count(said) == 2
    digest = results.GROWTH.digest(path)
    results.RECOMPUTED.write([(*row[:4], digest, *row[5:])], tmp_path)
    page = report.page([], tmp_path)
    summary = page.partition('data-file="growth.csv"')[2].partition("</summary>")[0]
    assert "badge" not in summary
    assert "20" not in summary.partition("growth.csv")[2]  # no date


def test_the_committed_records_name_tables_with_their_commands():
    every = {one.file: one for one in standings()}
    assert every["evaluations/rollout.csv"].command == "python -m experiments.evaluations rollout"
    assert {row["table"] for row in results.RECOMPUTED.read()} <= set(every)
    assert every["table1.csv"].text.startswith("recomputed by every run of the tests")
    assert every["table1.csv"].is_confirmed
    for file, sample in (
        ("evaluations/greedy.csv", "evaluation_checks/greedy.csv"),
        ("told_10x10_54332_any.csv", "confirmed_10x10_54332_any.csv"),
    ):
        day = every[sample].header["date"]
        assert every[file].text.endswith(f"; parts computed again by other code: {sample}, {day}")
    assert "parts" not in every["evaluations/any_greedy.csv"].text
    assert not any("not the same" in one.text for one in every.values())


# The page in a browser

CONTRAST = """
const channel = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
const parse = (text) => {
  const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number);
  return [r, g, b, a];
};
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const behind = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const found = parse(getComputedStyle(e).backgroundColor);
    if (found[3] === 1) return found;
  }
  return [255, 255, 255, 1];
};
const bad = [];
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!own || !element.checkVisibility() || element.closest("svg, script")) continue;
  const pair = [luminance(parse(getComputedStyle(element).color)), luminance(behind(element))];
  const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  if (ratio < 4.5) bad.push([element.outerHTML.slice(0, 80), ratio]);
}
return bad;
"""


class Shown:
    """The page in the browser."""

    def __init__(self, driver, path):
        self.driver, self.path = driver, path
        self.look(1280, "light")
        for log in ("performance", "browser"):  # of earlier pages
            driver.get_log(log)
        driver.get(path.as_uri())

    def look(self, width, scheme, media="screen"):
        metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"media": media, "features": features}
        )

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def table(self, file):
        """Open a table; its element."""
        found = self.driver.find_element("css selector", f'details[data-file="{file}"]')
        self.run("arguments[0].open || arguments[0].querySelector('summary').click()", found)
        return found

    def column(self, details, place):
        script = """return [...arguments[0].querySelectorAll('tbody tr')].map(
            (row) => row.cells[arguments[1]].textContent)"""
        return self.run(script, details, place)

    def complaints(self):
        events = [json.loads(e["message"])["message"] for e in self.driver.get_log("performance")]
        sent = (e for e in events if e["method"] == "Network.requestWillBeSent")
        asked = {e["params"]["request"]["url"].split("#")[0] for e in sent}
        asked = {url for url in asked if not url.startswith("data:")}
        return asked - {self.path.as_uri()}, self.driver.get_log("browser")


@pytest.fixture
def shown(driver, written):
    page = Shown(driver, written)
    yield page
    assert page.complaints() == (set(), [])
    page.look(1280, "light")


def test_sorting(shown):
    details = shown.table("optima.csv")
    rows = results.OPTIMA.read()
    heads = details.find_elements("css selector", "th button")
    assert [head.text for head in heads] == list(results.OPTIMA.names)
    by = results.OPTIMA.names.index("total_height")
    heads[by].send_keys(Keys.ENTER)  # by keyboard
    expected = sorted(row["total_height"] for row in rows)
    assert shown.column(details, by) == [str(n) for n in expected[:100]]
    assert heads[by].find_element("xpath", "..").get_attribute("aria-sort") == "ascending"
    heads[by].send_keys(Keys.SPACE)
    assert shown.column(details, by) == [str(n) for n in expected[::-1][:100]]
    heads[by].click()  # as it was
    assert shown.column(details, 0) == [str(row["game"]) for row in rows[:100]]
    greedy = results.OPTIMA.names.index("best_greedy_total_height")
    details.find_element("css selector", ".tools .more").click()
    heads[greedy].click()
    known = [row["best_greedy_total_height"] for row in rows]
    texts = [str(n) for n in sorted(n for n in known if n is not None)]
    assert shown.column(details, greedy) == texts + [""] * known.count(None)  # empty ones last


def test_fractions_are_sorted_by_value(shown):
    details = shown.table("bracket.csv")
    place = results.BRACKET.names.index("value_exact")
    details.find_elements("css selector", "th button")[place].click()
    found = [Fraction(text) for text in shown.column(details, place)]
    assert found == sorted(results.BRACKET.read().column("value_exact"))


def test_filtering(shown):
    details = shown.table("optima.csv")
    box = details.find_element("css selector", "input")
    rows = results.OPTIMA.read()
    for text, keep in (
        ("5X5", lambda row: "5x5" in str(row["game"])),
        (
            "cells>=36 total_height<500",
            lambda row: row["cells"] >= 36 and row["total_height"] < 500,
        ),
        ("game=4x5:2", lambda row: str(row["game"]) == "4x5:2"),
        ("nothing-like-it", lambda row: False),
    ):
        box.clear()
        box.send_keys(text)
        kept = [str(row["game"]) for row in rows if keep(row)]
        assert shown.column(details, 0) == kept
        count = details.find_element("css selector", "output").text
        assert count == f"{len(kept)} of {len(rows)} rows"


def test_downloading(shown, tmp_path):
    """What is found, in the order shown, with the columns; by keyboard, without network."""
    command = "Browser.setDownloadBehavior"
    shown.driver.execute_cdp_cmd(command, {"behavior": "allow", "downloadPath": str(tmp_path)})
    details = shown.table("bracket.csv")
    details.find_element("css selector", "input").send_keys("side=upper")
    place = results.BRACKET.names.index("value")
    details.find_elements("css selector", "th button")[place].click()
    details.find_element("css selector", ".save").send_keys(Keys.ENTER)
    WebDriverWait(shown.driver, MANY_SECONDS).until(lambda _: (tmp_path / "bracket.csv").is_file())
    with (tmp_path / "bracket.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert tuple(head) == results.BRACKET.names
    table = results.BRACKET.read()
    expected = sorted((r for r in table if r["side"] == "upper"), key=lambda row: row["value"])
    show = [column.show for column in results.BRACKET.columns]
    assert rows == [[f(v) for f, v in zip(show, row.values(), strict=True)] for row in expected]


def test_strategies_as_dots(shown):
    """The mean and the worst case on one axis, the cost on another, from the committed tables."""
    table = shown.driver.find_element("css selector", "table.dots")
    assert table.get_attribute("data-file") == "10x10:5,4,3,3,2, on every configuration"
    rows = table.find_elements("css selector", "tbody tr")
    header = results.EVALUATION.read(name="nested").header
    name = in_words(header["strategy"])
    (row,) = [row for row in rows if row.text.startswith(name)]
    cells = shown.run("return [...arguments[0].cells].map((c) => c.dataset.value ?? '')", row)
    assert float(cells[2]) == pytest.approx(float(header["mean"]), abs=1e-6)
    cost = float(header["seconds"]) / int(header["configurations"])
    assert float(cells[-1]) == pytest.approx(cost)
    assert row.text.endswith(f"{1e6 * cost:.1f} µs")
    ticks = """return [...arguments[0].tFoot.querySelectorAll(".plot:not(.cost) text")].map(
        (t) => [Number(t.textContent), parseFloat(t.getAttribute("x"))])"""
    (low, left), *_, (high, right) = shown.run(ticks, table)
    for mark, value in (("mean", float(header["mean"])), ("worst", int(header["worst"]))):
        circle = row.find_element("css selector", f"td circle.{mark}")
        at = float(circle.get_attribute("cx").rstrip("%"))
        there = left + (right - left) * (value - low) / (high - low)
        assert at == pytest.approx(there, abs=0.05)
    assert [head.text for head in table.find_elements("css selector", "th button")] == [
        *("strategy", "mean", "sd", "worst", "cost")
    ]
    table.find_elements("css selector", "th button")[-1].send_keys(Keys.ENTER)
    costs = shown.run(
        "return [...arguments[0].tBodies[0].rows].map((r) => +r.cells[6].dataset.value)", table
    )
    assert costs == sorted(costs)
    assert len(costs) == len(rows)
    box = table.find_element("xpath", "../preceding-sibling::div/input")
    box.send_keys("mean<41")
    headers = [results.EVALUATION.read(path).header for path in results.EVALUATION.all()]
    means = [float(one["mean"]) for one in headers if one["game"] == "10x10:5,4,3,3,2"]
    assert len(table.find_elements("css selector", "tbody tr")) == sum(m < 41 for m in means)


def test_a_figure_is_enlarged(shown):
    """By keyboard, larger than the window if need be; Escape goes back to it."""
    shown.look(360, "light")
    button = shown.driver.find_element("css selector", "#f-bracket button.picture")
    small = button.find_element("css selector", "img")
    assert small.get_attribute("src").startswith("data:image/svg+xml,%3C?xml")
    assert shown.run("return arguments[0].naturalWidth", small) > 300  # it can be drawn
    button.send_keys(Keys.ENTER)
    large = shown.driver.find_element("css selector", "dialog[open] img")
    assert large.size["width"] > 2 * small.size["width"]
    assert shown.run("return document.documentElement.scrollWidth") == 360
    title = shown.driver.find_element("id", "large-title").text
    assert title == small.get_attribute("alt") != ""
    assert shown.driver.switch_to.active_element.text == "Close"
    accessible(shown.driver, "#large")
    shown.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not shown.driver.find_elements("css selector", "dialog[open]")
    assert shown.driver.switch_to.active_element == button


def test_the_page_is_not_large(written):
    """With all figures as vector graphics; what they add is measured by `make report`."""
    assert written.stat().st_size < 2_500_000


def test_a_link_opens_a_table(shown):
    link = shown.driver.find_element("css selector", '#questions a[href="#t-optima.csv"]')
    link.send_keys(Keys.ENTER)
    shown.run("return new Promise((done) => setTimeout(done))")  # after the event of the hash
    details = shown.driver.find_element("css selector", 'details[data-file="optima.csv"]')
    assert details.get_attribute("open")
    assert shown.column(details, 0)


def test_links_lead_somewhere(shown, written):
    targets = shown.run("return [...document.links].map((link) => link.getAttribute('href'))")
    ids = shown.run("return [...document.querySelectorAll('[id]')].map((element) => element.id)")
    assert len(set(ids)) == len(ids)
    walks = set()
    for target in targets:
        if target.startswith("#"):
            assert target[1:] in ids
        else:
            assert (written.parent / target).is_file()
            walks.add(target)
    assert "walk_3x4_2_A1_miss_B3_miss.html" in walks


def test_keyboard(shown):
    """The first key leads to the link that skips; every control is named, and shows its focus."""
    shown.driver.find_element("css selector", "body").send_keys(Keys.TAB)
    assert shown.driver.switch_to.active_element.text == "To the results"
    shown.table("table1.csv")
    nameless = shown.run(
        """return [...document.querySelectorAll("button, input, summary, a, [tabindex]")].filter(
        (e) => !(e.textContent.trim() || e.ariaLabel)).length"""
    )
    assert nameless == 0
    box = shown.driver.find_element("css selector", "details[open] input")
    shown.driver.find_element("css selector", "details[open] summary").send_keys(Keys.TAB)
    assert shown.driver.switch_to.active_element == box
    assert box.value_of_css_property("outline-style") == "solid"


@pytest.mark.parametrize(
    ("scheme", "width"),
    some(2, [("light", 360), ("dark", 1280), ("light", 1280), ("dark", 360)], 1),
)
def test_contrast_and_width(shown, width, scheme):
    shown.look(width, scheme)
    shown.table("table1.csv")
    assert shown.run(CONTRAST) == []
    assert shown.run("return document.documentElement.scrollWidth") <= width
    background = shown.run("return getComputedStyle(document.body).backgroundColor")
    is_dark = max(map(int, re.findall(r"\d+", background))) < 100
    assert is_dark == (scheme == "dark")


def test_print(shown):
    """On paper: dark on white, no controls, closed tables left out, open ones whole."""
    details = shown.table("table1.csv")
    shown.look(800, "dark", "print")
    visible = "return arguments[0].checkVisibility()"
    for selector, is_shown in (
        ("nav", False),
        (".tools", False),
        ("details:not([open])", False),
        ("#f-bracket img", True),
        (".headline", True),
    ):
        element = shown.driver.find_element("css selector", selector)
        assert shown.run(visible, element) == is_shown, selector
    assert shown.run(visible, details)
    assert (
        shown.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    )
    assert shown.run(CONTRAST) == []


@pytest.mark.long(15)
def test_a_page_for_everybody(shown):
    """With a table open."""
    shown.table("table1.csv")
    accessible(shown.driver)
