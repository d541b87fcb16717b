"""The parts of pages that the program writes: help texts, tables of results, names in answers.

In a page, a part of this module is between two comments, which a reader does not see:

    <!-- table growth columns=size,contact,configurations -->
    ...
    <!-- end -->

A part that only the site has is a single comment, <!-- help COMMAND --> or <!-- site NAME -->.

After `table` comes the kind of a table of `optsearch.results.tables`, and then options:

- columns=A,B: show these columns;
- where=A or where=!A: only rows with a value in this column, or without one;
- sort=A or sort=-A: sort by this column, the least or the greatest first;
- first=N: at most N rows;
- across=A,B value=C: a column of values C for each pair of A and B, a line for each of `columns`;
- count=A: in place of rows, the number of rows with each value of this column.

A part that no table has, such as a mean of games, is computed by a function of `COMPUTED`. `make
transcripts` rewrites the parts of all pages; `tests/test_pages.py` compares them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import floor, inf
from pathlib import Path
from statistics import median
from typing import Any

from click.testing import CliRunner

from optsearch.cli.app import load_all_commands
from optsearch.cli.command import app
from optsearch.cli.families import ANSWERS
from optsearch.game import Game
from optsearch.results.tables import TABLES, Column, best_bounds
from optsearch.results.verification import verification_statuses
from optsearch.search.kernels import SWITCHES
from optsearch.support.decimals import time_text

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PART = re.compile(r"^<!-- table ([^\n]*) -->\n(?:(?!<!-- ).*\n)*<!-- end -->$", re.MULTILINE)
ON_SITE = re.compile(r"^<!-- (help|site) ([^\n]*) -->$", re.MULTILINE)


def help_block(command: str) -> str:
    """Return the text of `optsearch COMMAND --help` as a block of Markdown."""
    answer = CliRunner().invoke(app, [*command.split(), "--help"], prog_name="optsearch")
    if answer.exit_code != 0:
        raise ValueError(f"there is no help of {command!r}: {answer.output}")
    return f"```text\n{answer.output.strip()}\n```"


def markdown_table(*rows: tuple[object, ...]) -> str:
    """Return rows as a table in Markdown; the first row is its head."""
    head, *others = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join([head, "|---" * len(rows[0]) + "|", *others])


# Tables of results


def value_text(column: Column, value: Any) -> str:
    """Return a value of a table for a page: games and strategies as code, digits in threes."""
    if value is None:
        return ""
    if isinstance(value, Game) or column.name == "strategy":
        return f"`{value}`"
    if isinstance(value, Fraction):
        return f"{value} ≈ {float(value):.4f}"
    return f"{value:,}" if column.type.name == "integer" else column.show(value)


def results_table(text: str) -> str:
    """Return a table of results in Markdown, and a line that says which command makes it.

    text -- the kind of the table and its options, as in a comment of a page. Raises ValueError for
    an unknown kind or option.
    """
    name, *words = text.split()
    if name not in TABLES:
        raise ValueError(
            f"there is no table {name!r}; there are: {', '.join((*COMPUTED, *TABLES))}"
        )
    table = TABLES[name]
    options = dict(word.split("=", 1) for word in words)
    file_parts = {"name": options.pop("name")} if "name" in options else {}
    file = table.file.format(**file_parts)
    origin = f"\n\n`{table.command}` makes [{file}](../data/results/{file})."
    rows = _select_rows(list(table.read(**file_parts)), options)
    counted = options.pop("count", "")
    if counted:
        numbers = Counter(row[counted] for row in rows)
        return markdown_table((counted, "rows"), *numbers.items()) + origin
    names = options.pop("columns").split(",")
    across, value = options.pop("across", ""), options.pop("value", "")
    if options:
        raise ValueError(f"a part cannot have {', '.join(options)}")
    columns = {column.name: column for column in table.columns}

    def texts_of(row: dict[str, Any], names: Sequence[str]) -> tuple[str, ...]:
        return tuple(value_text(columns[name], row[name]) for name in names)

    heads = tuple(name.replace("_", " ") for name in names)
    if not across:
        return markdown_table(heads, *(texts_of(row, names) for row in rows)) + origin
    lines: dict[tuple[str, ...], dict[str, str]] = {}  # texts of a line -> head -> value
    for row in rows:
        head = ", ".join(texts_of(row, across.split(",")))
        lines.setdefault(texts_of(row, names), {})[head] = value_text(columns[value], row[value])
    added_heads = tuple(dict.fromkeys(head for values in lines.values() for head in values))
    body = [
        texts + tuple(values.get(head, "") for head in added_heads)
        for texts, values in lines.items()
    ]
    return markdown_table(heads + added_heads, *body) + origin


def _select_rows(rows: list[dict[str, Any]], options: dict[str, str]) -> list[dict[str, Any]]:
    """Return the rows that the options `where`, `sort` and `first` select; remove these options."""
    where = options.pop("where", "")
    if where:
        is_missing_wanted = where.startswith("!")
        rows = [row for row in rows if (row[where.strip("!")] is None) == is_missing_wanted]
    sort = options.pop("sort", "")
    if sort:
        rows.sort(key=lambda row: row[sort.strip("-")], reverse=sort.startswith("-"))
    return rows[: int(options.pop("first", len(rows)))]


# What is computed from tables


def searches_by_size() -> str:
    """Return a table of how many searches ended within some seconds, by the size of the game."""
    rows = TABLES["optima"].read().rows
    sizes = ((1, 100), (101, 300), (301, 1000), (1001, 10_000))
    limits = (0.1, 1.0, 10.0, 100.0)
    lines = []
    for smallest, largest in sizes:
        times = [row["seconds"] for row in rows if smallest <= row["configurations"] <= largest]
        ended = [sum(time <= limit for time in times) for limit in limits]
        lines.append((f"{smallest:,} to {largest:,}", len(times), *ended, time_text(max(times))))
    head = ("configurations", "games", *(f"within {limit:g} s" for limit in limits), "longest")
    return markdown_table(head, *lines)


def _median_and_most(ratios: Sequence[float]) -> tuple[str, str]:
    """Return the median and the maximum of ratios; for infinite ones, how many there are.

    A ratio is infinite if the search did not end.
    """
    greatest = f"no end: {ratios.count(inf)}" if inf in ratios else f"{max(ratios):.1f}"
    return f"{median(ratios):.2f}", greatest


def worth_of_switches() -> str:
    """Return a table of what the search costs without each switch, relative to with it."""
    runs: dict[str, list[tuple[float, float]]] = {}  # effort and seconds of each position
    for row in TABLES["ablation"].read():
        runs.setdefault(row["off"], []).append(
            (row["effort_ratio"] or inf, row["seconds_ratio"] or inf)
        )
    lines = []
    for name in filter(runs.__contains__, SWITCHES):
        effort, seconds = zip(*runs[name], strict=True)
        lines.append((f"`{name}`", *_median_and_most(effort), f"{median(seconds):.2f}"))
    return markdown_table(("switch", "off: nodes, median", "most", "seconds, median"), *lines)


def optima_by_rules() -> str:
    """Return a table of optima by the announced replies, for games whose ships may touch.

    It has the games of 100 configurations or more for which all three optima are known.
    """
    rules = ("nothing", "sunk", "ship")
    rows_by_rule: dict[str, dict[str, dict[str, Any]]] = {}  # of each game, named without its rule
    for row in TABLES["optima"].read():
        if row["contact"] == "any" and row["configurations"] >= 100:
            silent = replace(row["game"], announce="nothing")
            rows_by_rule.setdefault(f"`{silent}`", {})[row["announce"]] = row
    lines = []
    for game, rows in rows_by_rule.items():
        has_all_rules = rows.keys() >= {*rules}
        if has_all_rules:
            optima = [f"{rows[rule]['total_height']}: {rows[rule]['mean']:.4f}" for rule in rules]
            lines.append((game, rows["ship"]["configurations"], *optima))
    return markdown_table(
        ("game", "configurations", "nothing announced", "sinkings announced", "with their length"),
        *lines,
    )


def games_won() -> str:
    """Return a table of how many boards of the mini-game each strategy wins within some shots."""
    table = TABLES["mini_game"].read()
    limits = (19, 20, 24)
    rows = []
    for name in dict.fromkeys(table.column("strategy")):
        histogram = {
            row["shots"]: row["configurations"] for row in table if row["strategy"] == name
        }
        boards = sum(histogram.values())
        texts = []
        for limit in limits:
            won = sum(number for shots, number in histogram.items() if shots <= limit)
            texts.append(f"{won:,} ({100 * won / boards:.2f} %)")
        mean = sum(shots * number for shots, number in histogram.items()) / boards
        label = f"`{name}`" if ":" in name else name
        rows.append((label, *texts, f"{mean:.4f}", max(histogram)))
    head = (f"{limit} shots or fewer" for limit in limits)
    return markdown_table(("strategy", *head, "mean shots", "worst"), *rows)


def verification() -> str:
    """Return a table of when each table of results was made, and what confirmed it."""
    return markdown_table(
        ("table", "made", "as it stands", "takes", "command"),
        *(
            (
                status.file,
                status.header.get("date", ""),
                status.text,
                time_text(60 * status.minutes),
                f"`{status.command}`",
            )
            for status in verification_statuses()
        ),
    )


def means_of_the_papers_game() -> str:
    """Return a table of strategies of the paper's game, the worst first, and the lower bound."""
    paper = Game.parse("paper")
    players = {
        row["strategy"].partition(":")[0]: row
        for row in TABLES["leaderboard"].read()
        if row["game"] == paper
    }
    chance, parity = players["random"], players["parity"]
    greedy, levels = (TABLES["evaluations"].read(name=name).header for name in ("greedy", "levels"))
    lower_bound, _ = best_bounds(TABLES["bracket"].read(name="paper"))
    labels = {
        "evaluate random": "`random`: any cell",
        "simulate parity": "`parity`: a checkerboard, then the cells around hits",
        "evaluate greedy": "`greedy`: a most probable cell",
        "evaluate levels": "`levels`: the best known, "
        "[levels of rollouts](docs/strategies.md#levels-of-rollouts)",
        "bounds": "no strategy is below",
    }
    means = [
        f"{chance['known']:.2f}",
        f"{parity['mean']:.1f}",
        f"{float(greedy['mean']):.4f}",
        f"{float(levels['mean']):.4f}",
        f"{floor(10**4 * lower_bound['value']) / 10**4:.4f}",  # rounded down
    ]
    all_played = f"exact: all {int(greedy['configurations']):,} configurations"
    origins = [
        "exact: a formula",
        f"{parity['games']:,} games, standard error {parity['standard_error']:.2f}",
        all_played,
        all_played,
        "proved: [lower bounds](docs/lower-bounds.md)",
    ]
    commands = [f"`optsearch {command} {paper}`" for command in labels]
    head = ("strategy", "mean shots", "how it is known", "command")
    rows = zip(labels.values(), means, origins, commands, strict=True)
    return markdown_table(head, *rows)


# Figures, and the commands


def gallery() -> str:
    """Return all figures with their titles; on the site `docs/hooks.py` adds the captions."""
    from paper_figures import registry  # it sets the style of matplotlib

    captions = registry.captions()
    parts = []
    for figure in registry.figures():
        title = captions[figure.name].partition(". ")[0].rstrip(".")
        parts += [
            f"### {title}",
            f"[![{title}](pictures/{figure.name}.png)](pictures/{figure.name}.svg)",
        ]
    return "\n\n".join(parts)


def names_of_commands() -> dict[str, str]:
    """Return the names in the JSON answer of each command, as the command declares them."""
    commands = dict(load_all_commands().commands)
    puzzles = commands.pop("solitaire").commands
    commands |= {f"solitaire {name}": command for name, command in puzzles.items()}
    names_of = {name: command.callback.fields for name, command in commands.items()}
    return {name: names for name, names in names_of.items() if names}


def names_of_family_answers() -> dict[str, str]:
    """Return the names in the JSON answer of each command about a family.

    The names that describe the family come before these, and are left out.
    """
    return {name: vars(answer)["fields"] for name, answer in sorted(ANSWERS.items())}


def names_table(names_of: dict[str, str]) -> str:
    """Return a table in Markdown of the names in the JSON of each command."""
    rows = (
        (f"`{command}`", re.sub(r"(\w+)", r"`\1`", names)) for command, names in names_of.items()
    )
    return markdown_table(("command", "names"), *rows)


COMPUTED: dict[str, Callable[[], str]] = {
    "means of the paper's game": means_of_the_papers_game,
    "names in answers": lambda: names_table(names_of_commands()),
    "names in answers about families": lambda: names_table(names_of_family_answers()),
    "optima by rules": optima_by_rules,
    "games won": games_won,
    "verification": verification,
    "searches by size": searches_by_size,
    "worth of switches": worth_of_switches,
    "gallery": gallery,
}


def rewrite_parts(page: str) -> str:
    """Return a page with its parts written anew.

    Raises ValueError for a part without an end, and for one that nothing writes.
    """
    parts_with_end = [part[1] for part in PART.finditer(page)]
    for name in re.findall(r"^<!-- table (.*) -->$", page, re.MULTILINE):
        if name not in parts_with_end:
            raise ValueError(f"the part {name!r} has no line `<!-- end -->`")

    def rewrite(part: re.Match[str]) -> str:
        name = part[1]
        text = COMPUTED[name]() if name in COMPUTED else results_table(name)
        return f"<!-- table {name} -->\n\n{text}\n\n<!-- end -->"

    return PART.sub(rewrite, page)


def fill_site_parts(page: str) -> str:
    """Return a page with the parts that only the site has; raise if nothing writes one."""

    def fill(part: re.Match[str]) -> str:
        kind, name = part.groups()
        return help_block(name) if kind == "help" else COMPUTED[name]()

    return ON_SITE.sub(fill, page)
