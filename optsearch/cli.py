"""The command `optsearch`: reads arguments, calls the library, prints a table or JSON."""

from __future__ import annotations

import io
import json
import secrets
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from enum import Enum
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as ProgressBar
from rich.table import Table
from rich.text import Text

from optsearch import bounds as bounds_
from optsearch import paper, proof, reference, solver
from optsearch import reproduce as reproduce_
from optsearch import tree as tree_
from optsearch.configurations import Configurations, to_masks
from optsearch.errors import OptsearchError, PositionError
from optsearch.game import Cell, Game, cell_name, column_name
from optsearch.objective import Objective
from optsearch.position import Position
from optsearch.posterior import Posterior
from optsearch.solution import Progress, Solution, Status

if TYPE_CHECKING:
    from matplotlib.figure import Figure

app = typer.Typer(
    help="Optimal shooting at Battleship against ships placed uniformly at random.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
out = Console(highlight=False, markup=False)
err = Console(stderr=True, highlight=False, markup=False)


class Method(str, Enum):
    """The implementations of the optimum."""

    REFERENCE = "reference"
    PAPER = "paper"
    SOLVER = "solver"


GameArgument = Annotated[
    str,
    typer.Argument(
        metavar="GAME",
        help="For example 10x10:5,4,3,3,2 or 4x4:3,2;contact=any (rows x columns : ship lengths).",
        show_default=False,
    ),
]
ShotsOption = Annotated[
    str, typer.Option("--shots", help="Shots made so far, for example 'B3=hit A1=miss'.")
]
BoardOption = Annotated[
    Path | None,
    typer.Option(
        "--board",
        help="File with a drawn board instead: one line a row of . (not shot), o (miss), X (hit).",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def read_position(game: str, shots: str = "", board: Path | None = None) -> Position:
    """The position that the arguments describe."""
    parsed = Game.parse(game)
    if board is None:
        return Position.parse(parsed, shots)
    if shots:
        raise PositionError(f"give --shots ({shots!r}) or --board ({str(board)!r}), not both")
    try:
        return Position.from_board(parsed, board.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise PositionError(f"cannot read the drawn board {str(board)!r}: {reason}") from None


def print_json(value: object) -> None:
    """One JSON value on standard output."""
    typer.echo(json.dumps(value, ensure_ascii=False))


def described(position: Position) -> dict[str, Any]:
    """The fields that tell what a JSON answer is about."""
    return {"game": str(position.game), "position": str(position)}


def heading(position: Position) -> str:
    """The same for people: the game, and what has been shot."""
    return f"{position.game}, {position}" if position.shots else str(position.game)


def counted_text(number: int) -> str:
    """How many configurations, in words."""
    return f"{number:,} configuration{'' if number == 1 else 's'}"


def board_text(texts: list[list[str]]) -> str:
    """A grid of texts with column letters and row numbers, right-aligned."""
    letters = [column_name(column) for column in range(len(texts[0]))]
    width = max(len(text) for line in [letters, *texts] for text in line)
    numbers = len(str(len(texts)))
    lines = [(" " * numbers, letters), *((str(i + 1), line) for i, line in enumerate(texts))]
    return "\n".join(
        "  ".join([name.rjust(numbers), *(text.rjust(width) for text in line)])
        for name, line in lines
    )


# Counting


class Counting(str, Enum):
    """How configurations are counted."""

    LATTICE = "lattice"
    ENUMERATE = "enumerate"


CountingOption = Annotated[
    Counting,
    typer.Option(
        "--method", help="lattice: transfer matrix; enumerate: every configuration is met."
    ),
]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--cache", help="Folder to keep the counting table of the game in.", show_default=False
    ),
]


@contextmanager
def counted(
    position: Position, method: Counting, cache: Path | None = None
) -> Iterator[Posterior | Configurations]:
    """The engine that was asked for; an enumeration shows how far it is."""
    if method is Counting.LATTICE:
        yield Posterior(position, folder=cache)
        return
    if cache is not None:
        raise OptsearchError("--cache goes with --method lattice, not with enumerate")
    bar = ProgressBar(console=err, transient=True, disable=not err.is_terminal)
    with bar:
        task = bar.add_task("enumerating", total=None)
        yield Configurations(
            position,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )


@app.command()
def count(
    game: GameArgument,
    shots: ShotsOption = "",
    board: BoardOption = None,
    method: CountingOption = Counting.LATTICE,
    cache: CacheOption = None,
    as_json: JsonOption = False,
) -> None:
    """How many configurations a game has, or are left after some shots."""
    position = read_position(game, shots, board)
    with counted(position, method, cache) as engine:
        if position.shots:
            engine.require_some()
        number = engine.configurations
    if as_json:
        print_json({**described(position), "configurations": number})
    else:
        out.print(f"{heading(position)}: {counted_text(number)}")


@app.command()
def occurrence(
    game: GameArgument,
    shots: ShotsOption = "",
    board: BoardOption = None,
    method: CountingOption = Counting.LATTICE,
    cache: CacheOption = None,
    as_json: JsonOption = False,
) -> None:
    """In how many configurations each cell holds a ship, and how often."""
    position = read_position(game, shots, board)
    with counted(position, method, cache) as engine:
        engine.require_some()
        matrix = engine.occurrence.tolist()
        number = engine.configurations
    if as_json:
        print_json({**described(position), "configurations": number, "occurrence": matrix})
        return
    out.print(f"{heading(position)}: {counted_text(number)}", style="bold")
    for title, texts in (
        ("Configurations with a ship on the cell", [[str(n) for n in row] for row in matrix]),
        ("The same in percent", [[f"{100 * n / number:.1f}" for n in row] for row in matrix]),
    ):
        out.print(f"\n{title}\n")
        typer.echo(board_text(texts))


# Posteriors


@app.command()
def posterior(
    game: GameArgument,
    shots: ShotsOption = "",
    board: BoardOption = None,
    cache: CacheOption = None,
    figure: Annotated[
        Path | None,
        typer.Option(help="Draw the heat map to this file (pdf, svg or png).", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Where the ships are, given the shots: exact probabilities and the most probable cells."""
    position = read_position(game, shots, board)
    found = Posterior(position, folder=cache)
    found.require_some()
    best = [cell_name(cell) for cell in found.best_shots()]
    if figure is not None:
        draw_posterior(found, figure)
    if as_json:
        print_json(
            {
                **described(position),
                "configurations": found.configurations,
                "occurrence": found.occurrence.tolist(),
                "best_shots": best,
                "bits": found.entropy,
            }
        )
        return
    out.print(heading(position), style="bold")
    out.print()
    out.print(probability_board(found), soft_wrap=True)
    facts = Table.grid(padding=(0, 2))
    facts.add_row("configurations", f"{found.configurations:,}")
    facts.add_row("still unknown", f"{found.entropy:.3f} bits")
    facts.add_row("best shots", " ".join(best) or "none: every ship is sunk")
    if best:
        row, column = found.best_shots()[0]
        facts.add_row(
            "each hits with",
            f"{found.frequency[row][column]} = {found.probability[row, column]:.6f}",
        )
    if figure is not None:
        facts.add_row("drawing", str(figure))
    out.print(facts)


def probability_board(found: Posterior) -> Text:
    """The board in colours: percent on cells not shot, brighter where a ship is more probable."""
    game = found.position.game
    shot = {s.cell: s.reply for s in found.position.shots}
    best = set(found.best_shots())
    most = max((p for cell, p in np.ndenumerate(found.probability) if cell not in shot), default=0)
    width = len(str(game.rows))
    text = Text(" " * width)
    for column in range(game.columns):
        text.append(f"{column_name(column):>6}")
    for row in range(game.rows):
        text.append(f"\n{row + 1:>{width}}")
        for column in range(game.columns):
            answer = shot.get((row, column))
            if answer is not None:
                symbol = "o" if not answer.hit else "#" if answer.sunk else "X"
                text.append(f"{symbol:>6}", style="bold red" if answer.hit else "blue")
                continue
            p = found.probability[row, column]
            shade = round(17 * p / most) if most else 0
            style = f"{'bold ' if (row, column) in best else ''}{'black' if shade > 9 else 'white'}"
            text.append(f"{100 * p:6.1f}", style=f"{style} on grey{3 + 5 * shade}")
    return text.append("\n")


def draw_posterior(found: Posterior, path: Path) -> None:
    """Draw the heat map of a posterior to a file whose ending names the format."""
    from matplotlib.figure import Figure

    from optsearch import drawing

    game = found.position.game
    figure = Figure(figsize=(0.45 * game.columns, 0.45 * game.rows))
    drawing.draw_probability(figure.add_axes((0, 0, 1, 1)), found.position, found.probability)
    save_figure(figure, path)


@app.command()
def sample(
    game: GameArgument,
    shots: ShotsOption = "",
    board: BoardOption = None,
    number: Annotated[int, typer.Option("-n", help="How many.", min=1, max=10_000_000)] = 1,
    seed: Annotated[
        int | None, typer.Option(help="The same seed, the same sample.", min=0, show_default=False)
    ] = None,
    cache: CacheOption = None,
    as_json: JsonOption = False,
) -> None:
    """Configurations drawn uniformly from those the shots leave: one a line, a ship a word."""
    position = read_position(game, shots, board)
    found = Posterior(position, folder=cache)
    if seed is None:
        seed = secrets.randbits(32)
    rng = np.random.default_rng(seed)
    drawn = []
    for start in range(0, number, _BATCH):
        for ships in found.sample(min(_BATCH, number - start), rng):
            names = [ship_text(position.game, mask) for mask in to_masks(ships)]
            if as_json:
                drawn.append(names)
            else:
                typer.echo(" ".join(names))
    if as_json:
        print_json({**described(position), "seed": seed, "configurations": drawn})


_BATCH = 100_000


def ship_text(game: Game, mask: int) -> str:
    """A ship by its first and last cell: A1-A3; a ship of one cell by its cell."""
    names = game.names(mask)
    return names[0] if len(names) == 1 else f"{names[0]}-{names[-1]}"


# Optima


@contextmanager
def solving(label: str) -> Iterator[Progress]:
    """A progress line on the terminal, when standard error is one."""
    bar = ProgressBar(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )
    with bar:
        task = bar.add_task(label, total=None, note="")

        def report(status: Status) -> None:
            rate = status.nodes / max(bar.tasks[task].elapsed or 0.0, 0.1)
            note = f"{status.nodes:,} nodes, {rate:,.0f}/s"
            if status.best is not None and status.lower is not None:
                note += f", total between {status.lower:,} and {status.best:,}"
            elif status.best is not None:
                note += f", best so far {status.best}"
            elif status.done and status.done < status.total and rate:
                seconds = (status.total - status.done) / rate
                note += f", about {seconds:,.0f} s to go"
            bar.update(task, completed=status.done, total=status.total, note=note)

        yield report


def require_solver(method: Method, **given: object) -> None:
    """Refuse options that only the main solver has, where another method is asked for."""
    for name, value in given.items():
        if value and method is not Method.SOLVER:
            option = name.replace("_", "-")
            raise OptsearchError(f"--{option} goes with --method solver, not with {method.value}")


@app.command()
def solve(
    game: GameArgument,
    shots: ShotsOption = "",
    board: BoardOption = None,
    objective: Annotated[
        str,
        typer.Option(
            help="mean: the least mean number of shots; worst: the least worst case, then the "
            "least mean; within=K: most games finished within K shots."
        ),
    ] = "mean",
    method: Annotated[
        Method,
        typer.Option(
            help="solver: branch and bound; paper: the paper's Algorithm 2; reference: the "
            "definition."
        ),
    ] = Method.SOLVER,
    time_limit: Annotated[
        float | None,
        typer.Option(
            help="Seconds, after which the bracket proved by then is printed.",
            min=0.01,
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes that search.", min=1, max=256)] = 1,
    table: Annotated[
        Path | None,
        typer.Option(
            help="Folder of a transposition table on disk: what is solved is kept there, and a "
            "run that was stopped goes on from it.",
            show_default=False,
        ),
    ] = None,
    tree: Annotated[
        Path | None,
        typer.Option(
            help="Write an optimal decision tree to this file (the best one found, if the time "
            "was too short).",
            show_default=False,
        ),
    ] = None,
    prove: Annotated[
        Path | None,
        typer.Option(
            help="Write a proof that nothing is better to this file; for small games.",
            show_default=False,
        ),
    ] = None,
    memory: Annotated[
        float,
        typer.Option(
            help="GiB of memory for the transposition table; with --table, what no longer fits "
            "is found on disk.",
            min=0.01,
            max=65536,
        ),
    ] = 4.0,
    as_json: JsonOption = False,
) -> None:
    """The best strategy: its mean number of shots, exactly, and every optimal first shot."""
    position = read_position(game, shots, board)
    aim = Objective.parse(objective)
    require_solver(
        method, tree=tree, table=table, prove=prove, time_limit=time_limit, jobs=jobs > 1
    )
    if prove is not None and (aim.kind != "mean" or position.game.announce != "nothing"):
        raise OptsearchError(
            f"--prove goes with --objective mean and announce=nothing, not with {aim} and "
            f"announce={position.game.announce}"
        )
    size = int(memory * 2**30)
    try:
        with solving(str(position.game)) as progress:
            if method is Method.SOLVER:
                with executor_of(jobs) as executor:
                    solution = solver.solve(
                        position,
                        objective=aim,
                        options=solver.SolverOptions(memory=size),
                        table=table,
                        executor=executor,
                        workers=jobs,
                        time_limit=time_limit,
                        partial=aim.kind == "mean",
                        progress=progress,
                    )
            elif method is Method.REFERENCE:
                solution = reference.solve(position, aim)
            elif aim.kind != "mean":
                raise OptsearchError(f"--method paper knows --objective mean only, not {aim}")
            else:
                solution = paper.solve(position, memory=size, progress=progress)
    except KeyboardInterrupt:
        err.print("interrupted")
        raise typer.Exit(130) from None
    is_priced = method is Method.SOLVER and aim.kind == "mean" and solution.is_exact
    greedy = solution.greedy() if is_priced and time_limit is None else None
    if as_json:
        print_json(solution_fields(solution, greedy))
    else:
        print_solution(solution, greedy)
    if tree is not None:
        tree_.save(solution.tree(), tree)
    if prove is not None and solution.is_exact:
        write_proof(solution, prove)
    if not as_json:
        for name, path in (("tree", tree), ("proof", prove if solution.is_exact else None)):
            if path is not None:
                out.print(f"{name:<11} {path}", soft_wrap=True)
    if not solution.is_exact and time_limit is None:
        kept = f"; what was solved is in {table}, and the same command goes on from it"
        err.print(f"interrupted{kept if table else ''}", soft_wrap=True)
        raise typer.Exit(130)


@contextmanager
def executor_of(jobs: int) -> Iterator[ProcessPoolExecutor | None]:
    """A pool of so many processes; none for one job. Workers leave ctrl-C to this process."""
    if jobs == 1:
        yield None
        return
    ignore = (signal.SIGINT, signal.SIG_IGN)
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), signal.signal, ignore)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list((pool._processes or {}).values()):
            process.terminate()


def write_proof(solution: Solution, path: Path) -> None:
    """Write the lower-bound side of an optimum."""
    if solution.total_height is None:
        raise OptsearchError(f"--prove {str(path)!r}: the optimum is not known yet")
    position = solution.position
    exact = solver.Solver(position)
    hits = (position.game.fleet_cells - position.hits.bit_count()) * solution.configurations
    found = proof.prove(position, solution.total_height - hits, exact.least_misses)
    proof.save(found, path)


def solution_fields(
    solution: Solution, greedy: tuple[tuple[Cell, ...], int] | None
) -> dict[str, object]:
    """A solution as JSON."""
    fields: dict[str, object] = {
        **described(solution.position),
        "objective": str(solution.objective),
        "total_height": solution.total_height,
        "configurations": solution.configurations,
        "mean": solution.mean_text if solution.total_height is not None else None,
        "best_shots": [cell_name(cell) for cell in solution.best_shots],
    }
    if solution.worst_case is not None:
        fields["worst_case"] = solution.worst_case
    if solution.finished is not None:
        fields["finished"] = solution.finished
    if solution.lower is not None:
        fields |= {"lower": solution.lower, "upper": solution.upper}
    if greedy is not None:
        fields |= {
            "greedy_shots": [cell_name(cell) for cell in greedy[0]],
            "greedy_total_height": greedy[1],
        }
    return fields | {
        "nodes": solution.nodes,
        "subsets": solution.subsets,
        "seconds": round(solution.seconds, 6),
        "method": solution.method,
        "table_entries": solution.table_entries,
    }


def print_solution(
    solution: Solution,
    greedy: tuple[tuple[Cell, ...], int] | None,
) -> None:
    """A solution for people."""
    out.print(heading(solution.position), style="bold")
    facts = Table.grid(padding=(0, 2))
    number = solution.configurations
    if solution.finished is not None:
        facts.add_row(
            f"within {solution.objective.shots}",
            f"{solution.finished:,} of {counted_text(number)} = {solution.finished / number:.6f}",
        )
    if solution.worst_case is not None:
        facts.add_row("worst case", f"{solution.worst_case} shots")
    if solution.total_height is not None:
        facts.add_row("mean shots", f"{solution.mean_text} = {float(solution.mean):.6f}")
    elif solution.lower is not None and solution.upper is not None:
        facts.add_row(
            "mean shots",
            f"between {solution.lower}/{number} = {solution.lower / number:.6f} and "
            f"{solution.upper}/{number} = {solution.upper / number:.6f}",
        )
    best = " ".join(cell_name(cell) for cell in solution.best_shots)
    if solution.is_exact:
        facts.add_row("best shots", best or "none: every ship is sunk")
    else:
        facts.add_row("best shots", "not all first shots are decided yet")
    if greedy is not None and greedy[0]:
        cells = " ".join(cell_name(cell) for cell in greedy[0])
        more = greedy[1] - (solution.total_height or 0)
        cost = f"costs {more} more in total" if more else "is optimal"
        facts.add_row("greedy", f"{cells} {cost}")
    subsets = f", and {solution.subsets:,} subsets of them" if solution.subsets else ""
    facts.add_row("nodes", f"{solution.nodes:,}{subsets}")
    facts.add_row(
        "table", f"{solution.table_entries:,} entries, {solution.table_bytes / 2**20:,.0f} MiB"
    )
    facts.add_row("seconds", f"{solution.seconds:.3f}")
    out.print(facts)


@app.command("proof")
def check_proof(
    file: Annotated[Path, typer.Argument(help="A file written by solve --prove.")],
    as_json: JsonOption = False,
) -> None:
    """Check a proof that no strategy is better, with code that shares nothing with the solver."""
    checked = proof.check(file)
    number = checked.configurations
    if as_json:
        print_json(
            {
                **described(checked.position),
                "total_height": checked.total_height,
                "configurations": number,
                "claims": checked.claims,
            }
        )
        return
    out.print(heading(checked.position), style="bold")
    facts = Table.grid(padding=(0, 2))
    facts.add_row("proved", f"no strategy has a total height below {checked.total_height:,}")
    facts.add_row("mean shots", f"at least {checked.total_height / number:.6f}")
    facts.add_row("claims", f"{checked.claims:,}, each rechecked")
    out.print(facts)


@app.command()
def tree(
    file: Annotated[Path, typer.Argument(help="A file written by solve --tree.")],
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="Replay every configuration shot by shot and recount the total."
        ),
    ] = False,
    draw: Annotated[
        Path | None,
        typer.Option(help="Draw the tree to this file (pdf, svg or png).", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print a decision tree; verify it; draw it."""
    loaded = tree_.load(file)
    verified = tree_.verify(loaded) if verify else None
    if draw is not None:
        draw_tree(loaded, draw)
    mean = f"{loaded.total_height}/{loaded.configurations}"
    if as_json:
        print_json(
            {
                **described(loaded.position),
                "total_height": loaded.total_height,
                "configurations": loaded.configurations,
                "mean": mean,
                "height": loaded.height,
                "leaves": loaded.leaves,
                "depths": {str(shots): n for shots, n in sorted(loaded.depths().items())},
                "verified": verified is not None,
            }
        )
        return
    if draw is None:
        typer.echo(loaded.text())
    out.print(f"\n{heading(loaded.position)}", style="bold")
    facts = Table.grid(padding=(0, 2))
    facts.add_row("mean shots", f"{mean} = {float(loaded.mean):.6f}")
    facts.add_row("worst case", f"{loaded.height} shots")
    facts.add_row(
        "distribution", ", ".join(f"{d}: {n:,}" for d, n in sorted(loaded.depths().items()))
    )
    if verified is not None:
        facts.add_row(
            "verified",
            f"every one of {loaded.configurations:,} configurations replayed, total {verified:,}",
        )
    if draw is not None:
        facts.add_row("drawing", str(draw))
    out.print(facts)


def draw_tree(tree: tree_.DecisionTree, path: Path) -> None:
    """Draw a tree to a file whose ending names the format."""
    # Imported here, because matplotlib takes longer to load than most commands take to run.
    from matplotlib.figure import Figure

    from optsearch import drawing

    figure = Figure(figsize=drawing.tree_figure_size(tree), layout="constrained")
    drawing.draw_tree(figure.add_subplot(), tree)
    save_figure(figure, path)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure to a file whose ending names the format."""
    if path.suffix.lower() not in (".pdf", ".svg", ".png"):
        raise OptsearchError(f"cannot draw to {str(path)!r}; use a name ending in .pdf, .svg, .png")
    try:
        figure.savefig(path, bbox_inches="tight", dpi=200)
    except OSError as error:
        raise OptsearchError(f"cannot write {str(path)!r}: {error.strerror}") from None


# Bounds


@app.command()
def bounds(
    game: GameArgument,
    shots: ShotsOption = "",
    board: BoardOption = None,
    as_json: JsonOption = False,
) -> None:
    """Proved lower bounds on the mean number of shots, without solving the game."""
    position = read_position(game, shots, board)
    found = bounds_.lower_bounds(position)
    if as_json:
        print_json(
            {
                **described(position),
                "bounds": [
                    {
                        "name": bound.name,
                        "side": bound.side,
                        "value": float(bound.value),
                        "exact": str(bound.value),
                        "source": bound.source,
                    }
                    for bound in found
                ],
            }
        )
        return
    out.print(heading(position), style="bold")
    out.print("mean shots, at least:")
    for bound in found:
        typer.echo(f"  {float(bound.value):.6f}  {bound.name} = {bound.value}\n    {bound.source}")


# The paper


@app.command()
def reproduce(as_json: JsonOption = False) -> None:
    """Recompute every number of sections 2, 3 and 4.1 of the paper beside the printed one."""
    done = []
    columns = ("", "where", "what", "printed", "computed", "seconds")
    widths = (1, 11, 31, 17, 17, 7)
    if not as_json:
        out.print("Audinot, Bonnet and Viennot (2014), printed and computed\n", style="bold")
        typer.echo("  ".join(f"{c:<{w}}" for c, w in zip(columns, widths, strict=True)))
    for check in reproduce_.checks():
        done.append(check)
        if not as_json:
            cells = (
                "✓" if check.agrees else "✗",
                check.place,
                check.what,
                check.printed,
                check.computed,
                f"{check.seconds:7.3f}",
            )
            line = "  ".join(f"{c:<{w}}" for c, w in zip(cells, widths, strict=True))
            out.print(line, style=None if check.agrees else "bold red", soft_wrap=True)
    differing = [check for check in done if not check.agrees]
    seconds = sum(check.seconds for check in done)
    if as_json:
        print_json({"agrees": not differing, "checks": [vars(check) for check in done]})
    else:
        verdict = f"{len(differing)} of {len(done)} differ" if differing else "all agree"
        for check in done:
            if check.note:
                typer.echo(f"\n{check.note}")
        out.print(f"\n{len(done)} checks, {verdict}, {seconds:.1f} seconds", style="bold")
    if differing:
        raise typer.Exit(1)


def main() -> None:
    """Entry point: errors a user can cause are one line and exit status 2, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a sign gets its code
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except OptsearchError as error:
        err.print(f"error: {error}", style="red", soft_wrap=True)
        sys.exit(2)
    except KeyboardInterrupt:
        err.print("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(1)
    except OSError as error:
        err.print(f"error: {error.strerror or error}", style="red", soft_wrap=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
