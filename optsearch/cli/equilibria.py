"""The command equilibrium: the game against the best hider."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import (
    align_columns,
    board_text,
    count_text,
    exact_text,
    explain_resuming,
    new_figure,
    open_executor,
    read_game,
    save_figure,
    title_with_rules,
)
from optsearch.cli.console import Interrupted
from optsearch.cli.options import ANY, FIGURE, SEARCH_JOBS, Form, Option, RunOptions
from optsearch.cli.progress import show_progress
from optsearch.game import HOLE, cell_name
from optsearch.game.objective import Objective
from optsearch.support.decimals import decimal
from optsearch.support.errors import OptsearchError
from optsearch.support.workers import Execution
from optsearch.tree import DecisionTree, Node

if TYPE_CHECKING:  # these take long to load
    import numpy as np
    from numpy.typing import NDArray

    from optsearch.equilibria import Equilibrium

MOST_SHOWN = 8  # orbits and trees that are listed
MOST_WIDTH = 76  # characters of boards side by side


@app.command(
    example="optsearch equilibrium 3x4:2 --certificate value.json",
    seconds=2,
    next_step="optsearch check value.json  # both sides",
    fields="game objective value (bracket uniform is_uniform hidings orbits hider probability "
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
    *,
    objective: str = "mean",
    time_limit: float | None = None,
    tolerance: str = "0",
    run: RunOptions,
    certificate: Path | None = None,
    figure: Path | None = None,
    form: Form = Form.TEXT,
) -> None:
    """The value of a game in which the hider, too, plays optimally.

    Prints an optimal mix of each side: configurations for the hider, trees for the shooter.
    """
    parsed, parsed_objective = read_game(game), Objective.parse(objective)
    parsed_tolerance = read_tolerance(tolerance)
    from optsearch import equilibria  # HiGHS takes a while

    def note(status: equilibria.Round) -> str:
        lower, upper = sorted(
            _value_of(parsed_objective, payment) for payment in (status.lower, status.upper)
        )
        return f"round {status.number}, {status.trees} trees, [{lower:.6f}, {upper:.6f}]"

    with (
        explain_resuming("--resume", run.resume),
        open_executor(run) as (executor, workers),
        show_progress(str(parsed), note) as progress,
    ):
        result = equilibria.equilibrium(
            parsed,
            parsed_objective,
            tolerance=parsed_tolerance,
            time_limit=time_limit,
            partial=True,
            execution=Execution(
                executor=executor, jobs=workers, checkpoint=run.resume, progress=progress
            ),
        )
    if certificate is not None:
        equilibria.save(result, certificate)
    if figure is not None:
        draw_mix(result, figure)
    answer = answer_of(result)
    for name, path in (("certificate", certificate), ("drawing", figure)):
        if path is not None:
            answer.add(f"{name:<11}  {path}")
    answer.print(form)
    if result.is_interrupted:
        hint = f"; what was found is in {run.resume}, and the same command goes on from it"
        raise Interrupted(hint if run.resume else "")


def read_tolerance(text: str) -> Fraction:
    """Return the width of a bracket, given as a decimal or a fraction such as 1/100."""
    if not re.fullmatch(r"\d{1,9}(\.\d{1,18}|/0*[1-9]\d{0,8})?", text.strip(), re.ASCII):
        raise OptsearchError(
            f"--tolerance {text!r} is not a width; write 0 or more as a decimal or a fraction, "
            "such as 0.001 or 1/100"
        )
    return Fraction(text.strip())


def _value_of(objective: Objective, payment: float) -> float:
    """Return the value of the game if the shooter pays `payment`.

    The payment is a number of shots, which is the value, or the probability that the shots are not
    enough. In the second case the value is the probability that they are.
    """
    return payment if objective.shots is None else 1 - payment


def answer_of(result: Equilibrium) -> Answer:
    """Return the answer about an equilibrium."""
    title = title_with_rules(f"{result.game}, hider and shooter at their best", result.game)
    answer = Answer(title, game=str(result.game), objective=str(result.objective))
    add_value(answer, result)
    add_mixes(answer, result)
    rounds_text = f"{result.rounds}, {count_text(result.trees, 'tree')} met"
    answer.add_fact("rounds", rounds_text, rounds=result.rounds, trees=result.trees)
    answer.add_fact("seconds", f"{result.seconds:.1f}", seconds=round(result.seconds, 6))
    answer.add("\nThe hider's mix, an image of each orbit; percent of all its images\n")
    answer.add(draw_orbits(result))
    answer.add("\nPercent of a ship on each cell\n", percent_board(result, result.occupancy))
    uniform_board = percent_board(result, result.uniform_occupancy)
    answer.add("\nPercent, if the hider draws uniformly\n", uniform_board)
    answer.add("\nThe shooter's mix, each tree turned by a symmetry drawn at random\n")
    tree_rows = [("percent", "first shot", "uniformly", "worst case")]
    for tree, share in result.shooter[:MOST_SHOWN]:
        percent, mean = f"{100 * float(share):.2f}", f"{float(tree.mean):.4f}"
        tree_rows.append((percent, first_shot(tree) or "", mean, str(tree.worst)))
    answer.add(align_columns(tree_rows))
    if len(result.shooter) > MOST_SHOWN:
        answer.add(f"and {count_text(len(result.shooter) - MOST_SHOWN, 'tree')} more")
    return answer


def add_value(answer: Answer, result: Equilibrium) -> None:
    """Add the value of the game, and that of a hider who draws uniformly."""
    lower, upper = result.bracket
    if result.objective.shots is None:
        unit, label = "shots", "value"
    else:
        unit, label = f"to finish within {result.objective.shots}", "probability"
    value_text = f"between {decimal(lower, 'lower')} and {decimal(upper, 'upper')}"
    if result.is_exact:
        value_text = exact_text(lower)
    value = result.value if result.is_exact else None
    answer.add_fact(label, f"{value_text} {unit}", value=value, bracket=[lower, upper])
    uniform, uniform_text = None, "not known; its search was cut short"
    if result.uniform_payment is not None:
        uniform = result.worth(result.uniform_payment)
        uniform_text = f"{exact_text(uniform)}{_loss_text(result, result.uniform_payment)}"
    answer.add_fact(
        "uniform",
        uniform_text,
        uniform=None if uniform is None else str(uniform),
        is_uniform=result.is_uniform if result.is_exact else None,
    )


def add_mixes(answer: Answer, result: Equilibrium) -> None:
    """Add to an answer the probabilities with which each side mixes its choices.

    The hider mixes orbits: sets of hidings that symmetries of the board map to each other. The
    shooter mixes decision trees.
    """
    hidings = result.hidings
    orbits = count_text(len(hidings.orbits), "orbit")
    hidings_used = hidings.orbit_sizes[result.orbits_used].sum()
    answer.add_fact(
        "hider",
        f"{len(result.hider)} of {orbits}, {hidings_used} of {len(hidings)} ways to hide",
        hidings=len(hidings),
        orbits=len(hidings.orbits),
        hider=result.to_dicts(),
        probability=result.occupancy.tolist(),
    )
    answer.add_fact(
        "shooter",
        count_text(len(result.roots), "tree"),
        shooter=[
            {
                "shot": first_shot(tree),
                "mean": tree.mean,
                "worst": tree.worst,
                "probability": float(share),
                "probability_exact": str(share),
            }
            for tree, share in result.shooter
        ],
    )
    answer.set_rows(answer.fields["hider"])


def percent_board(result: Equilibrium, probabilities: NDArray[np.float64]) -> str:
    """Draw a board with a probability in percent on each cell.

    probabilities -- by row and column.
    """
    game = result.game
    texts = [[f"{100 * probability:.1f}" for probability in row] for row in probabilities.tolist()]
    for row, column in game.cells_of(game.holes):
        texts[row][column] = HOLE
    return board_text(game, texts)


def first_shot(tree: DecisionTree) -> str | None:
    """Return the name of the first shot of a tree; None if the tree has none."""
    return cell_name(tree.root.cell) if isinstance(tree.root, Node) else None


def _loss_text(result: Equilibrium, uniform_payment: Fraction) -> str:
    """Return a text that says how much a hider loses by drawing uniformly; empty if none is proved.

    uniform_payment -- what the best tree of the shooter pays against a hider who draws uniformly.
    """
    if result.is_uniform:
        return ": as good as any"
    loss = float(result.lower - uniform_payment)
    if not loss:
        return ""
    bound = "" if result.is_exact else "at least "
    return f": a hider who draws uniformly gives away {bound}{loss:.6f}"


def draw_orbits(result: Equilibrium) -> str:
    """Return small boards, side by side, that show the most probable hidings of the hider.

    Hidings that symmetries of the board map to each other form an orbit. Each board shows one
    hiding of an orbit, below the probability of the whole orbit in percent.
    """
    game = result.game
    all_cells = (1 << game.cells) - 1
    boards = []
    for orbit, probability in result.hider[:MOST_SHOWN]:
        board_rows = [[HOLE] * game.columns for _ in range(game.rows)]
        for row, column in game.cells_of(all_cells & ~game.holes):
            board_rows[row][column] = "."
        for row, column in game.cells_of(first_hiding(result, orbit)):
            board_rows[row][column] = "#"
        boards.append([f"{100 * float(probability):.2f}", *map("".join, board_rows)])
    width = max(len(line) for board in boards for line in board) + 2
    boards_per_line = max(1, MOST_WIDTH // width)
    lines = []
    for start in range(0, len(boards), boards_per_line):
        boards_in_line = boards[start : start + boards_per_line]
        for texts in zip(*boards_in_line, strict=True):
            lines.append("".join(f"{text:<{width}}" for text in texts).rstrip())
        lines.append("")
    orbits_left = len(result.hider) - len(boards)
    if orbits_left > 0:
        lines.append(f"and {count_text(orbits_left, 'orbit')} more")
    return "\n".join(lines).rstrip()


def first_hiding(result: Equilibrium, orbit: int) -> int:
    """Return the cells of the first hiding of an orbit, as a mask."""
    hidings = result.hidings
    return sum(hidings.hidden[hidings.orbits[orbit][0]])


def draw_mix(result: Equilibrium, path: Path) -> None:
    """Draw the orbits of the hider, and the probability of a ship on each cell, to a file."""
    from optsearch.drawing.mixes import draw_mix as draw_mix_
    from optsearch.drawing.mixes import mix_figure_size

    figure = new_figure(*mix_figure_size(result.game, len(result.hider)))
    orbits = [(first_hiding(result, orbit), float(share)) for orbit, share in result.hider]
    draw_mix_(figure, result.game, orbits, result.occupancy)
    save_figure(figure, path)
