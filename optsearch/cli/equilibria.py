"""The commands of the game against the best hider: equilibrium, certificate."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from optsearch import tree as tree_
from optsearch.cli.answers import print_json
from optsearch.cli.common import (
    GameArgument,
    Interrupted,
    JsonOption,
    TimeLimitOption,
    advised,
    app,
    board_text,
    facts_table,
    numbered,
    out,
    progress_bar,
    read_game,
    require_figure,
    require_folder,
    require_writable,
    save_figure,
)
from optsearch.cli.tasks import ResumeOption
from optsearch.decimals import outward
from optsearch.errors import OptsearchError
from optsearch.game import HOLE, Game, cell_name
from optsearch.objective import Objective
from optsearch.solver import solve
from optsearch.tree import DecisionTree, Node

SHOWN = 8  # orbits and trees that are listed
WIDE = 76  # characters of boards side by side


@app.command(epilog="Example: optsearch equilibrium 3x4:2 --certificate value.json")
def equilibrium(
    game: GameArgument,
    objective: Annotated[
        str,
        typer.Option(
            help="mean: the mean number of shots; within=K: the probability to finish within K "
            "shots; worst: the worst case, which no mix changes."
        ),
    ] = "mean",
    time_limit: TimeLimitOption = None,
    tolerance: Annotated[
        str, typer.Option(help="Stop at a bracket of at most this width, such as 0.001 or 1/100.")
    ] = "0",
    resume: ResumeOption = None,
    certificate: Annotated[
        Path | None,
        typer.Option(
            help="Write both mixes to this file, for optsearch certificate.", show_default=False
        ),
    ] = None,
    trees: Annotated[
        Path | None,
        typer.Option(
            help="Folder to write the shooter's trees to, likely ones first.", show_default=False
        ),
    ] = None,
    draw: Annotated[
        Path | None,
        typer.Option(
            help="Draw the hider's mix and its map to this file (.pdf, .svg, .png).",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """The value of a game in which the hider, too, plays as well as can be.

    With an optimal mix of each: which configurations, and which trees.
    """
    parsed, aim = read_game(game), Objective.parse(objective)
    width = tolerance_of(tolerance)
    if aim.kind == "worst":
        given = {
            "--time-limit": time_limit,
            "--resume": resume,
            "--certificate": certificate,
            "--trees": trees,
            "--draw": draw,
        }
        for option, value in given.items():
            if value is not None:
                raise OptsearchError(
                    f"{option} goes with --objective mean or within=K, not with worst: the worst "
                    "case needs no mix"
                )
        print_worst(parsed, as_json)
        return
    require_writable(certificate)
    require_folder(trees, resume)
    require_figure(draw)
    from optsearch import equilibrium as module  # SciPy takes a while

    with advised("--resume", resume), progress_bar() as bar:
        task = bar.add_task(str(parsed), total=None, note="")

        def report(status: module.Round) -> None:
            low, high = sorted((_worth(aim, status.least), _worth(aim, status.most)))
            note = f"round {status.number}, {status.trees} trees, [{low:.6f}, {high:.6f}]"
            bar.update(task, note=note)

        found = module.equilibrium(
            parsed,
            aim,
            tolerance=width,
            time_limit=time_limit,
            checkpoint=resume,
            progress=report,
            partial=True,
        )
    if certificate is not None:
        module.save(found, certificate)
    if trees is not None:
        save_trees(found.shooter, trees)
    if draw is not None:
        draw_mix(found, draw)
    if as_json:
        print_json(fields_of(found))
    else:
        print_found(found)
        for name, path in (("certificate", certificate), ("trees", trees), ("drawing", draw)):
            if path is not None:
                out.print(f"{name:<11}  {path}", soft_wrap=True)
    if found.is_interrupted:
        kept = f"; what was found is in {resume}, and the same command goes on from it"
        raise Interrupted(kept if resume else "")


def tolerance_of(text: str) -> Fraction:
    """A width as a decimal or a fraction."""
    if not re.fullmatch(r"\d{1,9}(\.\d{1,18}|/0*[1-9]\d{0,8})?", text.strip(), re.ASCII):
        raise OptsearchError(
            f"--tolerance {text!r} is no width; write 0 or more as a decimal or a fraction, "
            "such as 0.001 or 1/100"
        )
    return Fraction(text.strip())


def _worth(objective: Objective, paid: float) -> float:
    return paid if objective.shots is None else 1 - paid


def print_worst(game: Game, as_json: bool) -> None:
    """The worst case, of which there is nothing to mix."""
    worst = solve(game, objective=Objective("worst")).worst
    if as_json:
        print_json({"game": str(game), "objective": "worst", "value": worst})
        return
    out.print(str(game), style="bold")
    facts = facts_table()
    facts.add_row("value", f"{worst} shots in the worst case")
    facts.add_row("", "Every tree has a configuration that takes it so many or more, and one tree")
    facts.add_row("", "never takes more: no mix of trees is better, and no hider changes it.")
    facts.add_row("tree", "optsearch solve --objective worst --tree FILE")
    out.print(facts)


# For people


def print_found(found: Any) -> None:
    """What was found."""
    out.print(f"{found.game}, hider and shooter at their best", style="bold")
    facts = facts_table()
    low, high = found.bracket
    uniform = found.worth(found.uniform)
    if found.objective.shots is None:
        unit, shown = "shots", "value"
    else:
        unit, shown = f"to finish within {found.objective.shots}", "probability"
    if found.is_exact:
        facts.add_row(shown, f"{low} = {float(low):.6f} {unit}")
    else:
        facts.add_row(shown, f"between {outward(low, 'lower')} and {outward(high, 'upper')} {unit}")
    facts.add_row("uniform", f"{uniform} = {float(uniform):.6f}{_given_away(found)}")
    hidden, all_hidden = found.hidings.sizes[found.hidings_used].sum(), len(found.hidings)
    facts.add_row(
        "hider",
        f"{len(found.hider)} of {numbered(len(found.hidings.orbits), 'orbit')}, {hidden} of "
        f"{all_hidden} ways to hide",
    )
    facts.add_row("shooter", numbered(len(found.roots), "tree"))
    facts.add_row("rounds", f"{found.rounds}, {numbered(found.trees, 'tree')} met")
    facts.add_row("seconds", f"{found.seconds:.1f}")
    out.print(facts)
    typer.echo(
        f"\nThe hider's mix, an image of each orbit; percent of all its images\n\n{boards(found)}"
    )
    for title, matrix in (
        ("Percent of a ship on each cell", found.occupancy),
        ("The same, drawn uniformly", found.uniform_occupancy),
    ):
        texts = [[f"{100 * value:.1f}" for value in row] for row in matrix.tolist()]
        for i, j in found.game.cells_of(found.game.holes):
            texts[i][j] = HOLE
        typer.echo(f"\n{title}\n\n{board_text(texts)}")
    typer.echo("\nThe shooter's mix, each tree turned by a symmetry drawn at random\n")
    print_trees(found.shooter)


def _given_away(found: Any) -> str:
    """What a hider loses who draws uniformly."""
    if found.is_uniform:
        return ": as good as any"
    lost = float(found.least - found.uniform)
    if not lost:
        return ""
    bound = "" if found.is_exact else "at least "
    return f": a hider who draws uniformly gives away {bound}{lost:.6f}"


def boards(found: Any) -> str:
    """The likeliest orbits of the hider, side by side: an image of each as a board."""
    drawn = []
    for orbit, share in found.hider[:SHOWN]:
        cells = sum(found.hidings.hidden[found.hidings.orbits[orbit][0]])
        game = found.game
        rows = [
            "".join(
                (".#"[cells >> (i * game.columns + j) & 1] if (i, j) in game else HOLE)
                for j in range(game.columns)
            )
            for i in range(game.rows)
        ]
        drawn.append([f"{100 * float(share):.2f}", *rows])
    width = max(len(line) for board in drawn for line in board) + 2
    lines = []
    for start in range(0, len(drawn), max(1, WIDE // width)):
        some = drawn[start : start + max(1, WIDE // width)]
        lines += [
            "".join(f"{line:<{width}}" for line in row).rstrip() for row in zip(*some, strict=True)
        ]
        lines.append("")
    more = len(found.hider) - len(drawn)
    if more > 0:
        lines.append(f"and {numbered(more, 'orbit')} more")
    return "\n".join(lines).rstrip()


def print_trees(shooter: list[tuple[DecisionTree, Fraction]]) -> None:
    """The likeliest trees of the shooter."""
    listed = Table.grid(padding=(0, 2))
    listed.add_row("percent", "first shot", "uniformly", "worst case")
    for tree, probability in shooter[:SHOWN]:
        first = cell_name(tree.root.cell) if isinstance(tree.root, Node) else ""
        percent = f"{100 * float(probability):.2f}"
        listed.add_row(percent, first, f"{float(tree.mean):.4f}", str(tree.worst))
    out.print(listed)
    if len(shooter) > SHOWN:
        typer.echo(f"and {numbered(len(shooter) - SHOWN, 'tree')} more")


def save_trees(shooter: list[tuple[DecisionTree, Fraction]], folder: Path) -> None:
    """Each tree in a file, by its place."""
    for number, (tree, probability) in enumerate(shooter, 1):
        title = f"equilibrium tree {number}, probability {probability}"
        tree_.save(replace(tree, title=title), folder / f"tree_{number:03}.json")


def draw_mix(found: Any, path: Path) -> None:
    """The likeliest orbits with their probabilities, and the map of all."""
    from matplotlib.figure import Figure

    from optsearch.drawing import draw_mix as draw_mix_
    from optsearch.drawing import mix_figure_size

    figure = Figure(figsize=mix_figure_size(found.game, len(found.hider)))
    orbits = [
        (sum(found.hidings.hidden[found.hidings.orbits[orbit][0]]), float(share))
        for orbit, share in found.hider
    ]
    draw_mix_(figure, found.game, orbits, found.occupancy)
    save_figure(figure, path)


# For machines


def fields_of(found: Any) -> dict[str, object]:
    """What was found as JSON."""
    low, high = found.bracket
    hidings = found.hidings
    return {
        "game": str(found.game),
        "objective": str(found.objective),
        "value": found.value if found.is_exact else None,
        "bracket": [low, high],
        "uniform": str(found.worth(found.uniform)),
        "is_uniform": found.is_uniform if found.is_exact else None,
        "hidings": len(hidings),
        "orbits": len(hidings.orbits),
        "hider": [
            {
                "hidden": [
                    found.game.names(ship) for ship in hidings.hidden[hidings.orbits[orbit][0]]
                ],
                "images": len(hidings.orbits[orbit]),
                "probability": float(share),
                "probability_exact": str(share),
            }
            for orbit, share in found.hider
        ],
        "probability": found.occupancy.tolist(),
        "shooter": [
            {
                "shot": cell_name(tree.root.cell) if isinstance(tree.root, Node) else None,
                "mean": tree.mean,
                "worst": tree.worst,
                "probability": float(probability),
                "probability_exact": str(probability),
            }
            for tree, probability in found.shooter
        ],
        "rounds": found.rounds,
        "trees": found.trees,
        "seconds": round(found.seconds, 6),
    }


# The check


@app.command(epilog="Example: optsearch certificate value.json")
def certificate(
    file: Annotated[Path, typer.Argument(help="A file written by equilibrium --certificate.")],
    as_json: JsonOption = False,
) -> None:
    """Check both sides of the value of a game against the best hider.

    By plain Python that shares nothing with what found it.
    """
    from optsearch.equilibrium.checking import check

    checked = check(file)
    low, high = sorted((checked.hider, checked.shooter))
    if as_json:
        print_json(
            {
                "game": str(checked.game),
                "objective": str(checked.objective),
                "value": checked.hider if checked.is_exact else None,
                "bracket": [low, high],
                "hidings": checked.hidings,
                "orbits": checked.orbits,
                "used": checked.used,
                "trees": checked.trees,
                "method": checked.method,
                "seconds": round(checked.seconds, 6),
            }
        )
        return
    is_mean = checked.objective.shots is None
    out.print(str(checked.game), style="bold")
    facts = facts_table()
    unit = "shots" if is_mean else f"to finish within {checked.objective.shots}"
    least, most = ("at least", "at most") if is_mean else ("at most", "at least")
    facts.add_row("hider", f"{least} {_number(checked.hider)} {unit}, by {checked.method}")
    facts.add_row(
        "shooter",
        f"{most} {_number(checked.shooter)}, {numbered(checked.trees, 'tree')} replayed on "
        f"{checked.hidings} ways to hide",
    )
    if checked.is_exact:
        facts.add_row("value", f"{_number(checked.hider)}, proved")
    else:
        ends = f"from {outward(low, 'lower', 9)} to {outward(high, 'upper', 9)}"
        facts.add_row("value", f"{ends}, proved")
    out.print(facts)


def _number(value: Fraction) -> str:
    return f"{value} = {float(value):.6f}"
