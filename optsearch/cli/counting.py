"""The commands that count: count, occurrence, posterior, sample."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.text import Text

from optsearch.cli.answers import Answer, json_text
from optsearch.cli.app import app
from optsearch.cli.common import (
    board_text,
    counted_text,
    described,
    game_of,
    heading,
    noise_of,
    prior_text,
    read_heard,
    read_position,
    save_figure,
)
from optsearch.cli.options import FIGURE, FOLDER, Form, Option
from optsearch.cli.progress import telling
from optsearch.counting.configurations import Configurations
from optsearch.counting.posterior import Posterior, ranks
from optsearch.counting.prior import prior_of
from optsearch.game import HOLE, Game, cell_name, column_name
from optsearch.game.noise import NoisyPosition
from optsearch.game.position import Position, legend
from optsearch.support.errors import OptsearchError
from optsearch.support.palette import GREEDY_IN_TERMINAL, IN_TERMINAL, heat_in_terminal

# Counting


class Counting(str, Enum):
    """How configurations are counted."""

    LATTICE = "lattice"
    ENUMERATE = "enumerate"


CountingOption = Annotated[
    Counting,
    typer.Option(
        "--method", help="lattice: transfer matrix; enumerate: go through every configuration."
    ),
]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--cache", help="Folder to keep the counting table of the game in.", show_default=False
    ),
]


@contextmanager
def engine_of(
    position: Position, method: Counting, cache: Path | None = None
) -> Iterator[Posterior | Configurations]:
    """The engine that was asked for; an enumeration shows how far it is."""
    if method is Counting.LATTICE:
        with telling("counting", at_once=False) as progress:
            yield Posterior(position, folder=cache, progress=progress)
        return
    if cache is not None:
        raise OptsearchError("--cache goes with --method lattice, not with enumerate")
    with telling("enumerating") as progress:
        yield Configurations(position, progress=progress)


@app.command(
    example="optsearch count 10x10:5,4,3,3,2",
    takes=2,
    then="optsearch posterior 10x10:5,4,3,3,2  # where the ships are",
    gives="game position configurations",
    method=Option("lattice: transfer matrix; enumerate: go through every configuration."),
    cache=Option("Folder to keep the counting table of the game in.", writes=FOLDER),
)
def count(
    game: str,
    shots: str = "",
    board: Path | None = None,
    method: Counting = Counting.LATTICE,
    cache: Path | None = None,
    form: Form = Form.TEXT,
) -> None:
    """Count the configurations, of a game or after some shots."""
    position = read_position(game, shots, board)
    with engine_of(position, method, cache) as engine:
        if position.shots:
            engine.require_some()
        number = engine.configurations
    answer = Answer(**described(position), configurations=number)
    answer.show(f"{heading(position)}: {counted_text(number)}")
    answer.print(form)


@app.command(
    example="optsearch occurrence 4x5:2,3,4",
    takes=1,
    then="optsearch posterior 4x5:2,3,4 --shots 'A2=hit B1=miss'  # after shots",
    gives="game position configurations occurrence",
    method=Option("lattice: transfer matrix; enumerate: go through every configuration."),
    cache=Option("Folder to keep the counting table of the game in.", writes=FOLDER),
)
def occurrence(
    game: str,
    shots: str = "",
    board: Path | None = None,
    method: Counting = Counting.LATTICE,
    cache: Path | None = None,
    form: Form = Form.TEXT,
) -> None:
    """In how many configurations each cell holds a ship."""
    position = read_position(game, shots, board)
    with engine_of(position, method, cache) as engine:
        engine.require_some()
        matrix = engine.occurrence.tolist()
        number = engine.configurations
    title = f"{heading(position)}: {counted_text(number)}"
    answer = Answer(title, **described(position), configurations=number, occurrence=matrix)
    answer.table(by_cell(position.game, occurrence=matrix))
    for title, texts in (
        ("Configurations with a ship on the cell", [[str(n) for n in row] for row in matrix]),
        ("The same in percent", [[f"{100 * n / number:.1f}" for n in row] for row in matrix]),
    ):
        for row, column in position.game.cells_of(position.game.holes):
            texts[row][column] = HOLE
        answer.show(f"\n{title}\n", board_text(position.game, texts))
    answer.print(form)


def by_cell(game: Game, **matrices: list[list[Any]]) -> list[dict[str, Any]]:
    """Matrices as rows, one a cell."""
    return [
        {"cell": cell_name((i, j)), **{name: rows[i][j] for name, rows in matrices.items()}}
        for i in range(game.rows)
        for j in range(game.columns)
        if (i, j) in game
    ]


# Posteriors


class Matrix(str, Enum):
    """Which matrix is printed."""

    EXACT = "exact"
    HUNT = "hunt"
    ATTACK = "attack"


@app.command(
    example="optsearch posterior 4x5:2,3,4 --shots 'A2=hit B1=miss'",
    takes=1,
    then="optsearch advise 4x5:2,3,4  # the same after every reply",
    gives="game position (false_hits false_misses) (prior prior_digest) (matrix values) "
    "(configurations occurrence probability) greedy_shots (bits)",
    of_family="left left_weight bits greedy probability",
    cache=Option("Folder to keep the counting table of the game in.", writes=FOLDER),
    figure=Option("Draw the heat map to this file (pdf, svg or png).", writes=FIGURE),
    matrix=Option(
        "exact: probabilities; hunt, attack: the matrices of Battleship Heuristics, which count "
        "placements without a miss."
    ),
)
def posterior(
    game: str | None = None,
    family: Path | None = None,
    shots: str = "",
    board: Path | None = None,
    prior: str | None = None,
    cache: Path | None = None,
    figure: Path | None = None,
    matrix: Matrix = Matrix.EXACT,
    false_hits: str | None = None,
    false_misses: str | None = None,
    form: Form = Form.TEXT,
) -> None:
    """Where the ships are: the probability of each cell.

    Exact, given the shots so far, with the most probable cells.
    """
    noise = noise_of(false_hits, false_misses)
    beside = {"board": board, "prior": prior, "cache": cache, "figure": figure}
    beside |= {"false-hits": false_hits, "false-misses": false_misses}
    played = game_of("posterior", family, game, **beside)
    if played is None:
        from optsearch.cli.families import posterior_family  # solvers take a while

        assert family is not None
        posterior_family(family, shots, form)
        return
    position = read_heard(played, shots, board, noise)
    if matrix is not Matrix.EXACT:
        if prior is not None or cache is not None or isinstance(position, NoisyPosition):
            raise OptsearchError(
                f"--matrix {matrix.value} counts placements; leave out --prior, --cache, "
                "--false-hits and --false-misses"
            )
        placements_answer(position, matrix, figure).print(form)
        return
    by = prior_of(prior, position.game)
    posterior_ = Posterior(position, prior=by, folder=cache)
    posterior_.require_some()
    likely = [cell_name(cell) for cell in posterior_.greedy_shots()]
    if figure is not None:
        draw_heat(posterior_.told, posterior_.probability, figure)
    number = posterior_.configurations
    answer = Answer(heading(position), **described(position, by))
    answer.show("", probability_board(posterior_))
    answer.fact("false replies", str(noise) if noise else None)
    answer.fact("prior", prior_text(by))
    answer.fact("configurations", f"{number:,}", configurations=number)
    matrices = {
        "occurrence": posterior_.occurrence.tolist(),
        "probability": posterior_.probability.tolist(),
    }
    answer.show(**matrices)
    answer.table(by_cell(position.game, **matrices))
    answer.fact("still unknown", f"{posterior_.entropy:.3f} bits", bits=posterior_.entropy)
    answer.fact("greedy shots", " ".join(likely) or "none: every ship is sunk", greedy_shots=likely)
    if likely:
        row, column = posterior_.greedy_shots()[0]
        exact = f"{posterior_.frequency[row][column]} = " if posterior_.is_exact else ""
        answer.fact("each hits with", f"{exact}{posterior_.probability[row, column]:.6f}")
    answer.fact("drawing", str(figure) if figure else None)
    answer.print(form)


def placements_answer(position: Position, matrix: Matrix, figure: Path | None) -> Answer:
    """What Battleship Heuristics shoots by."""
    from optsearch.strategies.heuristic import matrix_of

    values = matrix_of(position, matrix.value)
    game = position.game
    fresh = game.cells_of((1 << game.cells) - 1 & ~position.closed)
    most = max((values[cell] for cell in fresh), default=0.0)
    likely = [cell_name(cell) for cell in fresh if values[cell] == most > 0]
    answer = Answer(heading(position), **described(position), matrix=matrix.value)
    answer.show(
        "",
        board_text(position.game, [[f"{value:.2f}" for value in row] for row in values.tolist()]),
        "",
    )
    answer.show(values=values.tolist())
    answer.table(by_cell(position.game, values=values.tolist()))
    answer.fact("highest at", " ".join(likely) or "no cell", greedy_shots=likely)
    if figure is not None:
        draw_heat(position, values, figure)
    answer.fact("drawing", str(figure) if figure else None)
    return answer


def probability_board(posterior: Posterior) -> Text:
    """The board in colours: percent on cells not shot, darker where a ship is more probable."""
    game = posterior.position.game
    shot = {s.cell: s.reply for s in posterior.position.shots}  # that leave no doubt
    likely = set(posterior.greedy_shots())
    fresh = posterior.probability.copy()
    for cell in game.cells_of(posterior.position.closed):
        fresh[cell] = np.nan
    doubtful = set(posterior.told.signs) - set(shot)
    shades = ranks(fresh)
    width = len(str(game.rows))
    text = Text(" " * width)
    for column in range(game.columns):
        text.append(f"{column_name(column):>6}")
    for row in range(game.rows):
        text.append(f"\n{row + 1:>{width}}")
        for column in range(game.columns):
            answer = shot.get((row, column))
            if (row, column) not in game:
                text.append(f"{HOLE:>6}")
                continue
            if answer is not None:
                text.append(f"{answer.letter:>6}", style=IN_TERMINAL[answer.hit])
                continue
            heated = heat_in_terminal(shades[row, column])
            style = GREEDY_IN_TERMINAL if (row, column) in likely else heated
            mark = "?" if (row, column) in doubtful else ""
            text.append(f"{f'{100 * fresh[row, column]:.1f}{mark}':>6}", style=style)
    if doubtful:
        text.append("\n\n? shot before, and the reply may be false; percent of a ship")
    if shot or game.holes:
        signs = [legend(game)] if shot else []
        signs += [f"{HOLE} hole"] if game.holes else []
        text.append(f"\n\n{', '.join(signs)}; percent of a ship elsewhere")
    return text.append("\n")


def draw_heat(position: Position | NoisyPosition, values: NDArray[np.float64], path: Path) -> None:
    """Draw the heat map of a matrix to a file whose ending names the format."""
    from matplotlib.figure import Figure

    from optsearch import drawing

    game = position.game
    across, down = drawing.board_size(game)
    figure = Figure(figsize=(0.45 * across, 0.45 * down))
    drawing.draw_probability(figure.add_axes((0, 0, 1, 1)), position, values)
    save_figure(figure, path)


@app.command(
    example="optsearch sample 10x10:5,4,3,3,2 -n 5 --seed 1",
    takes=2,
    then="optsearch sample 10x10:5,4,3,3,2 --draw-boards  # as a board",
    gives="game position (false_hits false_misses) (prior prior_digest) seed sample",
    number=Option("How many.", flags="-n", min=1, max=10000000),
    seed=Option("The same seed gives the same sample.", min=0),
    draw_boards=Option("Draw each configuration as a board; 1 2 3 … are the ships."),
    cache=Option("Folder to keep the counting table of the game in.", writes=FOLDER),
)
def sample(
    game: str,
    shots: str = "",
    board: Path | None = None,
    prior: str | None = None,
    number: int = 1,
    seed: int | None = None,
    draw_boards: bool = False,
    cache: Path | None = None,
    false_hits: str | None = None,
    false_misses: str | None = None,
    form: Form = Form.TEXT,
) -> None:
    """Draw configurations from those the shots leave, uniformly or by a prior.

    One configuration per line, one word per ship.
    """
    position = read_heard(game, shots, board, noise_of(false_hits, false_misses))
    by = prior_of(prior, position.game)
    posterior = Posterior(position, prior=by, folder=cache)
    if seed is None:
        seed = secrets.randbits(32)
    if draw_boards and form is not Form.TEXT:
        raise OptsearchError(
            f"--draw-boards does not work with --format {form.value}, which names ships"
        )
    if draw_boards:
        print_boards(posterior, number, np.random.default_rng(seed))
        return
    drawn = drawn_ships(posterior, number, np.random.default_rng(seed))
    # Written while it is drawn: ten million configurations do not fit into memory.
    fields = {**described(position, by), "seed": seed}
    if form is not Form.JSON:
        head, before, after, foot = _AROUND[form]
        if form in (Form.CSV, Form.LATEX):
            mark = "#" if form is Form.CSV else "%"
            typer.echo("".join(f"{mark} {key}: {one}\n" for key, one in fields.items()), nl=False)
        typer.echo(head, nl=False)
        for names in drawn:
            typer.echo(f"{before}{' '.join(names)}{after}")
        typer.echo(foot, nl=False)
        return
    head = json_text({**fields, "sample": []})
    first = json.dumps(next(drawn))
    typer.echo(head.removesuffix("]}") + first, nl=False)
    for names in drawn:
        typer.echo(f", {json.dumps(names)}", nl=False)
    typer.echo("]}")


_BATCH = 100_000
_AROUND = {  # the list of configurations, each of them, and the end of the list
    Form.TEXT: ("", "", "", ""),
    Form.CSV: ("ships\n", "", "", ""),
    Form.MARKDOWN: ("| ships |\n|---|\n", "| ", " |", ""),
    Form.LATEX: (
        "\\begin{tabular}{l}\n\\toprule\nships \\\\\n\\midrule\n",
        *("", r" \\"),
        "\\bottomrule\n\\end{tabular}\n",
    ),
}


def print_boards(posterior: Posterior, number: int, rng: np.random.Generator) -> None:
    """Boards with a blank line between two, and what their signs are."""
    for start in range(0, number, _BATCH):
        for board in posterior.boards(posterior.sample(min(_BATCH, number - start), rng)):
            typer.echo(f"{board}\n")
    holes = f"; {HOLE} a hole" if posterior.position.game.holes else ""
    typer.echo(f". water{holes}; 1, 2, 3 ... the ships, in the order of the fleet")


def drawn_ships(posterior: Posterior, number: int, rng: np.random.Generator) -> Iterator[list[str]]:
    """So many configurations, each as the texts of its ships."""
    for start in range(0, number, _BATCH):
        yield from posterior.ships(posterior.sample(min(_BATCH, number - start), rng))
