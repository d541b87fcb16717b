"""What the pages take from the program: help texts, tables of results, the names in answers.

In a page, a part that is written by this module stands between two comments, which no reader sees:

    <!-- table NAME -->                       or: <!-- help COMMAND -->
    ...
    <!-- end -->

`make transcripts` writes the parts of all pages anew; `tests/test_pages.py` keeps them current.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from math import floor, inf
from pathlib import Path
from statistics import median
from typing import Any

from typer.testing import CliRunner

from experiments import NEW
from optsearch.cli.app import everything
from optsearch.cli.command import app
from optsearch.game import ANNOUNCEMENTS, Game
from optsearch.game.names import LEVELS, in_words
from optsearch.report.standing import standings
from optsearch.results.tables import (
    ABLATION,
    ABLATION_ROOT,
    BOXED_BRACKET,
    BRACKET,
    DOUBLE_ORACLE,
    EQUILIBRIA,
    EVALUATION,
    FALSE_REPLIES,
    GROWTH,
    HIDERS,
    LEADERBOARD,
    MINI_GAME,
    OPTIMA,
    OPTIMA_ANNOUNCED,
    PUZZLES,
    SALVOS,
    SOLITAIRE,
    TOLD,
    TOLD_CHECK,
    known_part_of,
    took,
)
from optsearch.search.kernels import SWITCHES

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PART = re.compile(r"^<!-- (help|table) ([^\n]*) -->\n(?:(?!<!-- ).*\n)*<!-- end -->$", re.MULTILINE)
LONGEST = 12  # searches
BOXED = Game.parse("10x10:5,4,3,3,2;contact=any")


def help_of(command: str) -> str:
    """What `optsearch COMMAND --help` prints, as a block."""
    answer = CliRunner().invoke(app, [*command.split(), "--help"], prog_name="optsearch")
    if answer.exit_code != 0:
        raise ValueError(f"there is no help of {command!r}: {answer.output}")
    return f"```text\n{answer.output.strip()}\n```"


def rows_of(*rows: tuple[object, ...]) -> str:
    """A table; the first row is its head."""
    head, *others = [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join([head, "|---" * len(rows[0]) + "|", *others])


def duration(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 1:
        return "less than a second"
    return f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"


def longest_searches() -> str:
    """The optima that took longest."""
    found = sorted(OPTIMA.read(), key=lambda row: -row["seconds"])[:LONGEST]
    return rows_of(
        ("game", "configurations", "nodes", "time"),
        *(
            (
                f"`{row['game']}`",
                f"{row['configurations']:,}",
                f"{row['nodes']:,}",
                duration(row["seconds"]),
            )
            for row in found
        ),
    )


def searches_by_size() -> str:
    """How many of the searches ended within some time, by the number of configurations."""
    rows = OPTIMA.read().rows
    sizes = ((1, 100), (101, 300), (301, 1000), (1001, 10_000))
    limits = (0.1, 1.0, 10.0, 100.0)
    lines = []
    for low, high in sizes:
        times = [row["seconds"] for row in rows if low <= row["configurations"] <= high]
        within = [sum(time <= limit for time in times) for limit in limits]
        lines.append((f"{low:,} to {high:,}", len(times), *within, duration(max(times))))
    head = ("configurations", "games", *(f"within {limit:g} s" for limit in limits), "longest")
    return rows_of(head, *lines)


def _of_all(ratios: list[float]) -> tuple[str, str]:
    """The median and the greatest of some ratios; of how many one side was given up."""
    given_up = f"no end: {ratios.count(inf)}"
    return f"{median(ratios):.2f}", given_up if inf in ratios else f"{max(ratios):.1f}"


def worth_of_switches() -> str:
    """What the search takes without each switch, and the first solver without it and with it."""
    runs: dict[str, dict[tuple[str, ...], tuple[float, float]]] = {}  # effort and seconds
    for row in ABLATION.read():
        question = tuple(str(row[name]) for name in ("game", "objective", "prior", "position"))
        ratios = row["effort_ratio"] or inf, row["seconds_ratio"] or inf
        runs.setdefault(row["off"], {})[question] = ratios
    first = runs["all that the first solver had not"]
    lines = []
    for name in SWITCHES:
        effort, seconds = ([ratios[i] for ratios in runs[name].values()] for i in range(2))
        alone = ("", "")
        if name in NEW:
            ones = runs[f"all of these but {name}"].items()
            alone = _of_all([first[asked][0] / one for asked, (one, _) in ones if one < inf])
        lines.append((f"`{name}`", *_of_all(effort), f"{median(seconds):.2f}", *alone))
    head = (
        "switch",
        "off: nodes, median",
        "most",
        "seconds, median",
        "alone: nodes, median",
        "most",
    )
    return rows_of(head, *lines)


def bounds_of_roots() -> str:
    """What is known of games of two ships before and after some search, by bounds of the root."""
    optima = {row["game"]: f"{row['total_height']:,}" for row in OPTIMA.read()}
    games: dict[Game, dict[str, dict[str, Any]]] = {}
    for row in ABLATION_ROOT.read():
        games.setdefault(row["game"], {})[row["off"]] = row
    order = ("nested_dual and missed_cells", "missed_cells", "nested_dual", "nothing")
    return rows_of(
        (
            *("game", "no bound of the root", "without both", "with `nested_dual`"),
            *("with `missed_cells`", "all", "seconds", "none, after 100,000 nodes", "optimum"),
        ),
        *(
            (
                f"`{game}`",
                *(f"{runs[off]['before']:,}" for off in ("root_bounds", *order)),
                f"{runs['nothing']['bound_seconds']:.1f}",
                f"{runs['root_bounds']['after']:,}",
                optima.get(game, f"at most {runs['nothing']['most']:,}"),
            )
            for game, runs in games.items()
        ),
    )


def counts() -> str:
    """How long it takes to count the configurations of the usual fleet."""
    return rows_of(
        ("board", "contact", "configurations", "seconds"),
        *(
            (
                f"{row['size']}×{row['size']}",
                f"`{row['contact']}`",
                f"{row['configurations']:,}",
                row["seconds"],
            )
            for row in GROWTH.read()
        ),
    )


def evaluations() -> str:
    """What evaluating each strategy on every configuration of a large game took."""
    headers = [EVALUATION.read(path).header for path in EVALUATION.all()]
    return rows_of(
        ("game", "mean shots", "time", "strategy"),
        *(
            (
                f"`{header['game']}`",
                header["mean"],
                duration(float(header["seconds"])),
                f"`{header['strategy']}`",
            )
            for header in sorted(
                headers,
                key=lambda header: (int(header["configurations"]), float(header["seconds"])),
            )
        ),
    )


def rate(games: float) -> str:
    """Games a second, to two digits; thousands to one, as the times of moves are known."""
    if games >= 1000:
        return f"{round(games, -3):,.0f}"
    return f"{games:.1f}" if games < 10 else f"{round(games, -1):.0f}"


def games_a_second() -> str:
    """How many games of each player a core plays a second, on two kinds of boards."""
    rates: dict[str, dict[str, float]] = {}
    for row in LEADERBOARD.read():
        if row["milliseconds"]:
            seconds = row["mean"] * row["milliseconds"] / 1000
            rates.setdefault(row["strategy"], {})[str(row["game"])] = 1 / seconds
    games = ("10x10:5,4,3,3,2", "10x10:5,4,3,3,2;contact=any;announce=ship")
    return rows_of(
        ("player", *(f"`{game}`" for game in games)),
        *(
            (in_words(player), *(rate(found[g]) if g in found else "" for g in games))
            for player, found in rates.items()
        ),
    )


def models_of_puzzles() -> str:
    """How long each solver takes with each model of each puzzle, and how they compare in SCIP."""
    found: dict[tuple[str, float], dict[tuple[str, str], float | None]] = {}
    for row in SOLITAIRE.read():
        seconds = row["build_seconds"] + row["solve_seconds"] if row["solved"] else None
        here = found.setdefault((row["grid"], row["revealed"]), {})
        here[row["solver"], row["model"]] = seconds
    lines = []
    for (grid, revealed), seconds in found.items():
        ship, cell = seconds["SCIP", "ship"], seconds["SCIP", "cell"]
        ratio = "" if ship is None or cell is None else f"{cell / ship:.1f}"
        times = ("not in time" if time is None else f"{time:.3f}" for time in seconds.values())
        lines.append((grid, f"{revealed:.0%}", *times, ratio))
    columns = (f"{solver}, {model}-based" for solver, model in next(iter(found.values())))
    return rows_of(("board", "revealed", *columns, "ratio"), *lines)


def levels_of_puzzles() -> str:
    """How many of the generated puzzles have each level, and how long it took to grade them."""
    times: dict[str, list[float]] = {}
    for row in PUZZLES.read():
        times.setdefault(row["level"], []).append(row["grading_seconds"])
    return rows_of(
        ("level", "puzzles", "seconds to grade, median", "most"),
        *(
            (level, len(times[level]), f"{median(times[level]):.2f}", f"{max(times[level]):.2f}")
            for level in LEVELS
            if level in times
        ),
    )


def values_of_games() -> str:
    """The values of games against the best hider, beside the optimum against a uniform one."""
    rows = [row for row in EQUILIBRIA.read() if row["value"] is not None]
    return rows_of(
        ("game", "ways to hide", "orbits", "φ", "value", "given away"),
        *(
            (
                f"`{row['game']}`",
                row["hidings"],
                row["orbits"],
                f"{row['uniform']} ≈ {float(row['uniform']):.4f}",
                "the same" if row["is_uniform"] else f"{row['value']} ≈ {float(row['value']):.4f}",
                "" if row["is_uniform"] else f"{float(row['value'] - row['uniform']):.4f}",
            )
            for row in rows
        ),
    )


def brackets_of_games() -> str:
    """Brackets of values that were not found in the time that the experiment gives them."""
    rows = [row for row in EQUILIBRIA.read() if row["value"] is None]
    return rows_of(
        ("game", "ways to hide", "orbits", "φ", "value, at least", "at most"),
        *(
            (
                *(f"`{row['game']}`", row["hidings"], row["orbits"]),
                *(f"{float(row['uniform']):.6f}", f"{row['least']:.6f}", f"{row['most']:.6f}"),
            )
            for row in rows
        ),
    )


def rounds_by_way() -> str:
    """Rounds of the double oracle, with and without what saves some."""
    table = DOUBLE_ORACLE.read()
    ways = list(dict.fromkeys(row["way"] for row in table))
    found: dict[str, dict[str, int]] = {}
    for row in table:
        found.setdefault(f"`{row['game']}`, {row['orbits']}", {})[row["way"]] = row["rounds"]
    whole = ("together", *(sum(here[way] for here in found.values()) for way in ways))
    rows = ((game, *(here[way] for way in ways)) for game, here in found.items())
    return rows_of(("game, orbits", *ways), *rows, whole)


def hiders_in_practice() -> str:
    """Shots of players on boards that are not hidden uniformly, and the difference."""
    return rows_of(
        ("ships", "hider", "player", "boards", "mean shots", "more than uniform"),
        *(
            (
                "touching" if row["game"].contact == "any" else "not touching",
                row["hider"],
                f"`{row['strategy'].partition(':')[0]}`",
                f"{row['games']:,}",
                f"{row['mean']:.2f} ± {row['standard_error']:.2f}",
                "" if row["hider"] == "uniform" else f"{row['difference']:+.2f}",
            )
            for row in HIDERS.read()
        ),
    )


def false_replies() -> str:
    """Shots of players whose replies are false now and then."""
    return rows_of(
        ("replies that are false", "player", "boards", "mean shots", "most"),
        *(
            (
                f"{row['percent']} %",
                f"`{row['strategy'].partition(':')[0]}`",
                row["games"],
                f"{row['mean']:.2f} ± {row['standard_error']:.2f}",
                row["worst"],
            )
            for row in FALSE_REPLIES.read()
        ),
    )


def salvos() -> str:
    """What it costs to choose several cells together."""
    return rows_of(
        ("cells together", "player", "boards", "mean shots", "more than one by one", "mean salvos"),
        *(
            (
                row["salvo"],
                f"`{row['strategy'].partition(':')[0]}`",
                row["games"],
                f"{row['mean']:.2f} ± {row['standard_error']:.2f}",
                "" if row["salvo"] == 1 else f"{row['more']:+.2f} ± {row['more_error']:.2f}",
                f"{row['salvos']:.2f}",
            )
            for row in SALVOS.read()
        ),
    )


def optima_by_rules() -> str:
    """Optima of games in which ships may touch, by what is announced."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in OPTIMA_ANNOUNCED.read():
        if row["game"].contact == "any" and len(row["game"].fleet) > 1:
            usual = replace(row["game"], announce="nothing")
            found.setdefault(f"`{usual}`", {})[row["game"].announce] = row
    complete = {game: by for game, by in found.items() if len(by) == len(ANNOUNCEMENTS)}
    return rows_of(
        ("game", "configurations", "hits and misses alone", "sinkings told", "with their length"),
        *(
            (
                game,
                by["ship"]["configurations"],
                *(f"{by[a]['total_height']}: {by[a]['mean']:.4f}" for a in ANNOUNCEMENTS),
            )
            for game, by in complete.items()
        ),
    )


def games_won() -> str:
    """Boards of the mini-game that strategies win with some shots."""
    table = MINI_GAME.read()
    limits = (19, 20, 24)
    rows = []
    for name in dict.fromkeys(table.column("strategy")):
        counts = {r["shots"]: r["configurations"] for r in table if r["strategy"] == name}
        boards = sum(counts.values())
        won = [sum(n for shots, n in counts.items() if shots <= limit) for limit in limits]
        mean = sum(shots * n for shots, n in counts.items()) / boards
        cells = (f"{n:,} ({100 * n / boards:.2f} %)" for n in won)
        rows.append((f"`{name}`" if ":" in name else name, *cells, f"{mean:.4f}", max(counts)))
    head = (f"{limit} shots or fewer" for limit in limits)
    return rows_of(("strategy", *head, "mean shots", "worst"), *rows)


def bounds_in_the_box() -> str:
    """What is known of the game in the box."""
    names = {"lower": "{}", "upper": "`{}`"}  # an argument, and a strategy
    return rows_of(
        ("side", "shots", "by", "source"),
        *(
            (
                row["side"],
                f"{row['value']:.6f}",
                names[row["side"]].format(row["name"]),
                row["source"],
            )
            for row in BOXED_BRACKET.read()
        ),
    )


def rows_confirmed() -> str:
    """How much of the table of told ships was computed a second time."""
    name = known_part_of(BOXED)
    table, again = TOLD.read(name=name), TOLD_CHECK.read(name=name)
    return rows_of(
        ("of the table", "rows", "sets of known ships", "pairs of hidden ships"),
        *(
            (what, len(rows), f"{sum(rows.column('sets')):,}", f"{sum(rows.column('pairs')):,}")
            for what, rows in (("all", table), ("confirmed by misses", again))
        ),
    )


def all_standings() -> str:
    """Of each table when it was made, and what confirmed it."""
    return rows_of(
        ("table", "made", "as it stands", "takes", "command"),
        *(
            (one.file, one.header.get("date", ""), one.text, took(one.minutes), f"`{one.command}`")
            for one in standings()
        ),
    )


def means_of_the_usual_game() -> str:
    """Strategies of the usual game from the worst to the best, and the bound below all of them."""
    usual = Game.parse("10x10:5,4,3,3,2")
    players = {
        row["strategy"].partition(":")[0]: row for row in LEADERBOARD.read() if row["game"] == usual
    }
    chance, parity = players["random"], players["parity"]
    greedy, levels = (EVALUATION.read(name=name).header for name in ("greedy", "levels"))
    everything_played = f"exact: all {int(greedy['configurations']):,} configurations"
    lower = max(row["value"] for row in BRACKET.read() if row["side"] == "lower")
    return rows_of(
        ("strategy", "mean shots", "how it is known", "command"),
        (
            *("`random`: any cell", f"{chance['known']:.2f}", "exact: a formula"),
            f"`optsearch simulate random {usual}`",
        ),
        (
            "`parity`: a checkerboard, then the cells around hits",
            f"{parity['mean']:.1f}",
            f"{parity['games']:,} games, standard error {parity['standard_error']:.2f}",
            f"`optsearch simulate parity {usual}`",
        ),
        (
            *("`greedy`: a most probable cell", f"{float(greedy['mean']):.4f}", everything_played),
            f"`optsearch evaluate greedy {usual}`",
        ),
        (
            "`levels`: the best known, [levels of rollouts](docs/strategies.md#levels-of-rollouts)",
            *(f"{float(levels['mean']):.4f}", everything_played),
            f"`optsearch evaluate levels {usual}`",
        ),
        (
            *("no strategy is below", f"{floor(10**4 * lower) / 10**4:.4f}"),
            "proved: [lower bounds](docs/lower-bounds.md)",
            f"`optsearch bounds {usual}`",
        ),
    )


def gallery() -> str:
    """Every figure: small, with its caption, its tables and its commands."""
    from paper_figures import script  # it sets the style of matplotlib
    from paper_figures.__main__ import figures

    captions = script.captions()
    parts = []
    for figure in figures():
        title, _, rest = captions[figure.name].partition(". ")
        picture = f"pictures/{figure.name}.png"
        lines = [f"### {title.rstrip('.')}", f"[![{figure.name}]({picture})]({picture})"]
        if figure.frames is not None:
            path = f"paper_figures/output/{figure.name}.gif"
            lines.append(f"Shot by shot, as a moving picture, by `make figures`: `{path}`.")
        if rest:
            lines.append(rest)
        lines.append(figure.origin)
        parts.append("\n\n".join(lines))
    return "\n\n".join(parts)


def declared(attribute: str) -> dict[str, str]:
    """What the commands declare of their answers, by the command.

    attribute -- `gives` for games, `of_family` for families from a file.
    """
    everyone = everything().commands
    puzzles = {f"solitaire {name}": one for name, one in everyone["solitaire"].commands.items()}
    commands = {**{name: one for name, one in everyone.items() if name != "solitaire"}, **puzzles}
    found = {name: getattr(one.callback, attribute) for name, one in commands.items()}
    return {name: names for name, names in found.items() if names}


def names_in_answers(attribute: str) -> str:
    """The names in the JSON of each command."""
    rows = (
        (f"`{command}`", re.sub(r"(\w+)", r"`\1`", names))
        for command, names in declared(attribute).items()
    )
    return rows_of(("command", "names"), *rows)


TABLES: dict[str, Callable[[], str]] = {
    "means of the usual game": means_of_the_usual_game,
    "names in answers": lambda: names_in_answers("gives"),
    "names in answers about families": lambda: names_in_answers("of_family"),
    "optima by rules": optima_by_rules,
    "games won": games_won,
    "bounds in the box": bounds_in_the_box,
    "rows confirmed": rows_confirmed,
    "standings": all_standings,
    "longest searches": longest_searches,
    "searches by size": searches_by_size,
    "worth of switches": worth_of_switches,
    "bounds of roots": bounds_of_roots,
    "counts": counts,
    "evaluations": evaluations,
    "games a second": games_a_second,
    "models of puzzles": models_of_puzzles,
    "values of games": values_of_games,
    "brackets of games": brackets_of_games,
    "rounds by way": rounds_by_way,
    "false replies": false_replies,
    "hiders in practice": hiders_in_practice,
    "salvos": salvos,
    "levels of puzzles": levels_of_puzzles,
    "gallery": gallery,
}


def written(page: str) -> str:
    """A page with its parts as they should be.

    ValueError for a part that has no end, or that nothing writes.
    """
    begun = re.findall(r"^<!-- (?:help|table) (.*) -->$", page, re.MULTILINE)
    ended = [part[2] for part in PART.finditer(page)]
    for name in begun:
        if name not in ended:
            raise ValueError(f"the part {name!r} has no line `<!-- end -->`")

    def part(found: re.Match[str]) -> str:
        kind, name = found.groups()
        if kind == "table" and name not in TABLES:
            raise ValueError(f"there is no table {name!r}; there are: {', '.join(TABLES)}")
        text = help_of(name) if kind == "help" else TABLES[name]()
        return f"<!-- {kind} {name} -->\n\n{text}\n\n<!-- end -->"

    return PART.sub(part, page)
