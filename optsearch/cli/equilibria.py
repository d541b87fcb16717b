"""The command of the game against the best hider: equilibrium."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import (
    board_text,
    columns,
    exact_text,
    executor_of,
    new_figure,
    numbered,
    read_game,
    resumable,
    save_figure,
    with_rules,
)
from optsearch.cli.console import Interrupted
from optsearch.cli.options import ANY, FIGURE, SEARCH_JOBS, Form, Option
from optsearch.cli.progress import telling
from optsearch.game import HOLE, cell_name
from optsearch.game.objective import Objective
from optsearch.support.decimals import decimal
from optsearch.support.errors import OptsearchError
from optsearch.tree import DecisionTree, Node

SHOWN = 8  # orbits and trees that are listed
WIDE = 76  # characters of boards side by side


@app.command(
    example="optsearch equilibrium 3x4:2 --certificate value.json",
    takes=2,
    then="optsearch check value.json  # both sides",
    gives="game objective value (bracket uniform is_uniform hidings orbits hider probability "
    "shooter rounds trees seconds)",
    objective=Option(
        "mean: the mean number of shots; within=K: the probability to finish within K shots."
    ),
    tolerance=Option("Stop at a bracket of at most this width, such as 0.001 or 1/100."),
    jobs=SEARCH_JOBS,
    certificate=Option("Write both mixes to this file, for optsearch check.", writes=ANY),
    figure=Option(
        "Draw the hider's mix and its map to this file (.pdf, .svg, .png).", writes=FIGURE
    ),
)
def equilibrium(
    game: str,
    objective: str = "mean",
    time_limit: float | None = None,
    tolerance: str = "0",
    jobs: int | None = None,
    resume: Path | None = None,
    dask: str | None = None,
    certificate: Path | None = None,
    figure: Path | None = None,
    form: Form = Form.TEXT,
) -> None:
    """The value of a game in which the hider, too, plays optimally.

    Prints an optimal mix of each side: configurations for the hider, trees for the shooter.
    """
    parsed, aim = read_game(game), Objective.parse(objective)
    width = tolerance_of(tolerance)
    from optsearch import equilibria as module  # HiGHS takes a while

    def note(status: module.Round) -> str:
        low, high = sorted((_worth(aim, status.least), _worth(aim, status.most)))
        return f"round {status.number}, {status.trees} trees, [{low:.6f}, {high:.6f}]"

    with (
        resumable("--resume", resume),
        executor_of(jobs, dask) as (executor, workers),
        telling(str(parsed), note) as progress,
    ):
        found = module.equilibrium(
            parsed,
            aim,
            tolerance=width,
            time_limit=time_limit,
            checkpoint=resume,
            progress=progress,
            partial=True,
            executor=executor,
            workers=workers,
        )
    if certificate is not None:
        module.save(found, certificate)
    if figure is not None:
        draw_mix(found, figure)
    answer = answer_of(found)
    for name, path in (("certificate", certificate), ("drawing", figure)):
        if path is not None:
            answer.show(f"{name:<11}  {path}")
    answer.print(form)
    if found.is_interrupted:
        kept = f"; what was found is in {resume}, and the same command goes on from it"
        raise Interrupted(kept if resume else "")


def tolerance_of(text: str) -> Fraction:
    """Parse a width, a decimal or a fraction."""
    if not re.fullmatch(r"\d{1,9}(\.\d{1,18}|/0*[1-9]\d{0,8})?", text.strip(), re.ASCII):
        raise OptsearchError(
            f"--tolerance {text!r} is not a width; write 0 or more as a decimal or a fraction, "
            "such as 0.001 or 1/100"
        )
    return Fraction(text.strip())


def _worth(objective: Objective, paid: float) -> float:
    return paid if objective.shots is None else 1 - paid


def answer_of(found: Any) -> Answer:
    """Return the answer about an equilibrium."""
    title = with_rules(f"{found.game}, hider and shooter at their best", found.game)
    answer = Answer(title, game=str(found.game), objective=str(found.objective))
    (low, high), hidings = found.bracket, found.hidings
    if found.objective.shots is None:
        unit, shown = "shots", "value"
    else:
        unit, shown = f"to finish within {found.objective.shots}", "probability"
    between = f"between {decimal(low, 'lower')} and {decimal(high, 'upper')}"
    value = exact_text(low) if found.is_exact else between
    exact = found.value if found.is_exact else None
    answer.fact(shown, f"{value} {unit}", value=exact, bracket=[low, high])
    uniform = None if found.uniform is None else found.worth(found.uniform)
    answer.fact(
        "uniform",
        "not known; its search was cut short"
        if uniform is None
        else f"{exact_text(uniform)}{_given_away(found)}",
        uniform=None if uniform is None else str(uniform),
        is_uniform=found.is_uniform if found.is_exact else None,
    )
    hidden = hidings.sizes[found.hidings_used].sum()
    answer.fact(
        "hider",
        f"{len(found.hider)} of {numbered(len(hidings.orbits), 'orbit')}, {hidden} of "
        f"{len(hidings)} ways to hide",
        hidings=len(hidings),
        orbits=len(hidings.orbits),
        hider=found.to_dicts(),
        probability=found.occupancy.tolist(),
    )
    answer.fact(
        "shooter",
        numbered(len(found.roots), "tree"),
        shooter=[
            {
                "shot": first_shot(tree),
                "mean": tree.mean,
                "worst": tree.worst,
                "probability": float(share),
                "probability_exact": str(share),
            }
            for tree, share in found.shooter
        ],
    )
    answer.table(answer.fields["hider"])
    rounds = f"{found.rounds}, {numbered(found.trees, 'tree')} met"
    answer.fact("rounds", rounds, rounds=found.rounds, trees=found.trees)
    answer.fact("seconds", f"{found.seconds:.1f}", seconds=round(found.seconds, 6))
    answer.show("\nThe hider's mix, an image of each orbit; percent of all its images\n")
    answer.show(boards(found))
    for title, matrix in (
        ("Percent of a ship on each cell", found.occupancy),
        ("Percent, if the hider draws uniformly", found.uniform_occupancy),
    ):
        texts = [[f"{100 * value:.1f}" for value in row] for row in matrix.tolist()]
        for i, j in found.game.cells_of(found.game.holes):
            texts[i][j] = HOLE
        answer.show(f"\n{title}\n", board_text(found.game, texts))
    answer.show("\nThe shooter's mix, each tree turned by a symmetry drawn at random\n")
    listed = [("percent", "first shot", "uniformly", "worst case")]
    for tree, share in found.shooter[:SHOWN]:
        percent, mean = f"{100 * float(share):.2f}", f"{float(tree.mean):.4f}"
        listed.append((percent, first_shot(tree) or "", mean, str(tree.worst)))
    answer.show(columns(listed))
    if len(found.shooter) > SHOWN:
        answer.show(f"and {numbered(len(found.shooter) - SHOWN, 'tree')} more")
    return answer


def first_shot(tree: DecisionTree) -> str | None:
    """Name the first shot of a tree; None where it has none."""
    return cell_name(tree.root.cell) if isinstance(tree.root, Node) else None


def _given_away(found: Any) -> str:
    """Say how much a hider loses who draws uniformly; empty where no loss is known."""
    if found.is_uniform:
        return ": as good as any"
    lost = float(found.least - found.uniform)
    if not lost:
        return ""
    bound = "" if found.is_exact else "at least "
    return f": a hider who draws uniformly gives away {bound}{lost:.6f}"


def boards(found: Any) -> str:
    """Draw the likeliest orbits of the hider side by side: an image of each as a board."""
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


def draw_mix(found: Any, path: Path) -> None:
    """Draw the likeliest orbits with their probabilities, and the map of all, to a file."""
    from optsearch.drawing.mixes import draw_mix as draw_mix_
    from optsearch.drawing.mixes import mix_figure_size

    figure = new_figure(*mix_figure_size(found.game, len(found.hider)))
    orbits = [
        (sum(found.hidings.hidden[found.hidings.orbits[orbit][0]]), float(share))
        for orbit, share in found.hider
    ]
    draw_mix_(figure, found.game, orbits, found.occupancy)
    save_figure(figure, path)
