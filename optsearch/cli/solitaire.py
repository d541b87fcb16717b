"""The commands of puzzles: solitaire solve, check, count, minimise, generate, grade, explain."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from optsearch.cli.answers import print_json
from optsearch.cli.common import (
    Grouped,
    JsonOption,
    app,
    out,
    progress_bar,
    require_figure,
    require_writable,
    save_figure,
)
from optsearch.errors import PuzzleError
from optsearch.game import cell_name, column_name
from optsearch.solitaire import (
    Puzzle,
    Solution,
    counting,
    formats,
    making,
    models,
    reasoning,
)
from optsearch.solitaire.puzzle import WATER, Clue, piece_text

LOOKING, MAKING = "Looking at a puzzle", "Making puzzles"


class Puzzles(Grouped):
    """The commands of puzzles."""

    groups = (LOOKING, MAKING)

    def group_of(self, name: str) -> str:
        """The group of a command."""
        return MAKING if name in ("minimise", "generate") else LOOKING


solitaire = typer.Typer(
    help="Solitaire Battleship: find the fleet from counts and a few revealed cells.",
    epilog="Example: optsearch solitaire generate --grid 6x6 --fleet 3,2,2,1,1,1 -o puzzle.txt",
    cls=Puzzles,
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(solitaire, name="solitaire")


class Method(str, Enum):
    """How solutions are found."""

    SHIP = "ship"
    CELL = "cell"
    COUNT = "count"


FileArgument = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="A puzzle, as text or JSON; docs/solitaire.md has both formats."
    ),
]
MethodOption = Annotated[
    Method,
    typer.Option(
        help="ship: integer programme with a variable a placement; cell: seven symbols a cell; "
        "count: a sweep of the rows, without CP-SAT."
    ),
]
MakingOption = Annotated[
    Method | None,
    typer.Option(
        "--method",
        help="Who says that a solution is the only one (count, or ship where that takes long).",
        show_default=False,
    ),
]
TimeOption = Annotated[
    float | None, typer.Option(help="Seconds, at most.", min=0.01, show_default=False)
]
DepthOption = Annotated[
    int, typer.Option(help="How many suppositions may be open at once.", min=0, max=5)
]
DrawOption = Annotated[
    Path | None,
    typer.Option(help="Draw it to this file (pdf, svg or png).", show_default=False),
]
KeepOption = Annotated[
    bool, typer.Option("--keep-counts", help="Leave out revealed cells only, and no count.")
]


@contextmanager
def working(label: str) -> Iterator[Any]:
    """A progress line on the terminal; what it yields takes the work done and its amount."""
    with progress_bar() as bar:
        task = bar.add_task(label, total=None, note="")

        def report(done: int, total: int | None = None) -> None:
            seconds = bar.tasks[task].elapsed or 0.0
            if total is None:
                note = f"{done:,} cells visited, {done / max(seconds, 0.1):,.0f}/s"
            else:
                note = f"{done} of {total} clues"
                if done:
                    note += f", about {seconds * (total / done - 1):.0f} s left"
            bar.update(task, completed=done, total=total, note=note)

        yield report


# Looking at a puzzle


@solitaire.command(epilog="Example: optsearch solitaire solve puzzle.txt")
def solve(
    file: FileArgument,
    method: MethodOption = Method.SHIP,
    limit: Annotated[int, typer.Option(help="How many solutions to show.", min=1)] = 2,
    time_limit: TimeOption = None,
    draw: DrawOption = None,
    as_json: JsonOption = False,
) -> None:
    """The solution, or several, up to a limit."""
    require_figure(draw)
    puzzle = formats.load(file)
    with working("solving"):
        found = making.solve(puzzle, limit, method.value, time_limit)
        clues = () if found else _conflict(puzzle, method, time_limit)
    if not found:
        raise PuzzleError(f"no solution: {models.conflict_text(puzzle, clues)}")
    if draw is not None:
        draw_picture(puzzle, draw, found[0])
    if as_json:
        solutions = [formats.solution_fields(puzzle, solution) for solution in found]
        print_json(
            {
                "puzzle": formats.to_fields(puzzle),
                "solutions": solutions,
                "limit": limit,
                "is_unique": len(found) == 1 if limit > 1 else None,
            }
        )
        return
    for solution in found:
        out.print(board(puzzle, solution))
        out.print(" ".join(formats.solution_fields(puzzle, solution)) + "\n", soft_wrap=True)
    out.print(_verdict(len(found), limit))
    print_file("drawing", draw)


def _conflict(puzzle: Puzzle, method: Method, time_limit: float | None) -> tuple[Clue, ...]:
    clues = making.conflict(puzzle, method.value, time_limit)
    if clues is None:
        raise AssertionError(f"there is no solution of {puzzle}, and its clues are not in conflict")
    return clues


def _verdict(number: int, limit: int) -> str:
    if number < limit:
        return "the only solution" if number == 1 else f"{number} solutions, no others"
    return f"{number} solution{'' if number == 1 else 's'}; there may be others (--limit)"


@solitaire.command(epilog="Example: optsearch solitaire check puzzle.txt")
def check(
    file: FileArgument,
    method: MethodOption = Method.SHIP,
    time_limit: TimeOption = None,
    as_json: JsonOption = False,
) -> None:
    """Whether there is exactly one solution: exit status 0 if so, 1 for none or several."""
    puzzle = formats.load(file)
    with working("checking"):
        found = making.solve(puzzle, 2, method.value, time_limit)
        clues = () if found else _conflict(puzzle, method, time_limit)
    if as_json:
        print_json(
            {
                "puzzle": formats.to_fields(puzzle),
                "solutions": [formats.solution_fields(puzzle, solution) for solution in found],
                "is_unique": len(found) == 1,
                "conflict": [str(clue) for clue in clues],
            }
        )
    elif not found:
        reason = models.conflict_text(puzzle, clues)
        out.print(f"{file}: no solution: {reason}", soft_wrap=True)
    elif len(found) == 1:
        out.print(f"{file}: exactly one solution", soft_wrap=True)
    else:
        differing = puzzle.cells_of(sum(found[0]) ^ sum(found[1]))
        names = " ".join(cell_name(cell) for cell in differing)
        out.print(f"{file}: several solutions; two of them differ in {names}", soft_wrap=True)
    if len(found) != 1:
        raise typer.Exit(1)


@solitaire.command(epilog="Example: optsearch solitaire count puzzle.txt --limit 1000")
def count(
    file: FileArgument,
    limit: Annotated[
        int | None, typer.Option(help="Stop at this many.", min=1, show_default=False)
    ] = None,
    time_limit: TimeOption = None,
    as_json: JsonOption = False,
) -> None:
    """How many solutions there are, exactly; CP-SAT is not needed."""
    puzzle = formats.load(file)
    with working("counting") as report:
        number = counting.count(puzzle, limit, time_limit, report)
    is_exact = limit is None or number < limit
    if as_json:
        print_json({"puzzle": formats.to_fields(puzzle), "solutions": number, "is_exact": is_exact})
        return
    plural = "" if number == 1 else "s"
    more = "" if is_exact else " or more"
    out.print(f"{file}: {number:,} solution{plural}{more}", soft_wrap=True)


@solitaire.command(epilog="Example: optsearch solitaire grade puzzle.txt --steps")
def grade(
    file: FileArgument,
    max_depth: DepthOption = 2,
    time_limit: TimeOption = None,
    steps: Annotated[bool, typer.Option("--steps", help="Print every step.")] = False,
    as_json: JsonOption = False,
) -> None:
    """How hard a puzzle is for a person, by what each step follows from."""
    puzzle = formats.load(file)
    with working("grading"):
        found = reasoning.grade(puzzle, max_depth, time_limit)
    if as_json:
        print_json(
            {
                "puzzle": formats.to_fields(puzzle),
                "level": found.level,
                "depth": found.depth,
                "is_solved": found.is_solved,
                "is_cut_short": found.is_cut_short,
                "rules": found.rules,
                "steps": [step_fields(step) for step in found.steps],
            }
        )
        return
    facts = Table.grid(padding=(0, 2))
    facts.add_row("level", found.level)
    for rule, number in found.rules.items():
        facts.add_row(rule, f"{number} step{'' if number == 1 else 's'}")
    if found.depth:
        facts.add_row("depth", str(found.depth))
    out.print(facts)
    if found.is_cut_short:
        out.print(f"not solved in {time_limit:g} seconds; its level is at least this hard")
    elif not found.is_solved:
        out.print(
            f"not solved by suppositions of depth {max_depth}; there may be several solutions"
        )
    for step in found.steps if steps else ():
        out.print(step_text(step), soft_wrap=True)


@solitaire.command(epilog="Example: optsearch solitaire explain puzzle.txt")
def explain(
    file: FileArgument,
    max_depth: DepthOption = 2,
    time_limit: TimeOption = None,
    as_json: JsonOption = False,
) -> None:
    """The next cells that follow from what is revealed, and why."""
    puzzle = formats.load(file)
    with working("thinking"):
        step = reasoning.explain(puzzle, max_depth, time_limit)
    if as_json:
        fields = None if step is None else step_fields(step)
        print_json({"puzzle": formats.to_fields(puzzle), "step": fields})
    elif step is None:
        out.print(f"nothing follows with suppositions of depth {max_depth}")
    else:
        out.print(step_text(step), soft_wrap=True)


def step_text(step: reasoning.Step) -> str:
    """A step in a line, and what follows from a supposition in lines below it."""
    return "\n".join(_step_lines(step))


def _step_lines(step: reasoning.Step) -> Iterator[str]:
    names = " ".join(cell_name(cell) for cell in step.cells)
    if not step.chain:
        yield f"{names}: {step.value}, because {step.reason}"
        return
    supposition, _, contradiction = step.reason.partition(": ")
    yield f"{names}: {step.value}, because {supposition},"
    for follows in step.chain:
        for line in _step_lines(follows):
            yield f"  {line}"
    yield f"  and then {contradiction}"


def step_fields(step: reasoning.Step) -> dict[str, Any]:
    """A step as JSON."""
    return {
        "cells": [cell_name(cell) for cell in step.cells],
        "value": step.value,
        "rule": step.rule,
        "depth": step.depth,
        "reason": step.reason,
        "chain": [step_fields(follows) for follows in step.chain],
    }


# Making puzzles


@solitaire.command(epilog="Example: optsearch solitaire minimise puzzle.txt -o minimal.txt")
def minimise(
    file: FileArgument,
    output: Annotated[Path, typer.Option("-o", "--output", help="File to write.")],
    seed: Annotated[int, typer.Option(help="Which clues go first.", min=0)] = 0,
    method: MakingOption = None,
    keep_counts: KeepOption = False,
    time_limit: TimeOption = None,
    draw: DrawOption = None,
    as_json: JsonOption = False,
) -> None:
    """Leave out clues until none can go."""
    require_writable(output, parents=False)
    require_figure(draw)
    puzzle = formats.load(file)
    chosen = None if method is None else method.value
    with working("leaving out") as report:
        made = making.minimise(puzzle, seed, chosen, keep_counts, report, time_limit)
    finish(made, output, draw, as_json, {"seed": seed, "clues_before": len(puzzle.clues)})


@solitaire.command(
    epilog="Example: optsearch solitaire generate --grid 8x8 --fleet 4,3,2,2,1,1 -o puzzle.txt"
)
def generate(
    grid: Annotated[str, typer.Option(help="Rows and columns, such as 8x8.")],
    fleet: Annotated[str, typer.Option(help="Lengths of the ships, such as 4,3,2,2,1,1.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="File to write.")],
    seed: Annotated[
        int | None, typer.Option(help="The same seed, the same puzzle.", min=0, show_default=False)
    ] = None,
    method: MakingOption = None,
    keep_counts: KeepOption = False,
    time_limit: TimeOption = None,
    draw: DrawOption = None,
    as_json: JsonOption = False,
) -> None:
    """A new puzzle with exactly one solution and no clue to spare."""
    require_writable(output, parents=False)
    require_figure(draw)
    rows, columns = formats.parse_grid(grid)
    lengths = formats.parse_fleet(fleet)
    if seed is None:
        seed = secrets.randbits(32)
    chosen = None if method is None else method.value
    with working("generating") as report:
        made = making.generate(
            rows, columns, lengths, seed, chosen, keep_counts, report, time_limit
        )
    finish(made, output, draw, as_json, {"seed": seed})


def finish(
    puzzle: Puzzle, output: Path, draw: Path | None, as_json: bool, fields: dict[str, Any]
) -> None:
    """Write a puzzle that was made, and show it."""
    formats.save(puzzle, output)
    if draw is not None:
        draw_picture(puzzle, draw)
    if as_json:
        print_json(
            {
                "puzzle": formats.to_fields(puzzle),
                **fields,
                "clues": len(puzzle.clues),
                "file": str(output),
            }
        )
        return
    out.print(board(puzzle))
    clues = f"{len(puzzle.clues)} clue{'' if len(puzzle.clues) == 1 else 's'}"
    out.print(f"fleet {puzzle.fleet_text}, {clues}, seed {fields['seed']}")
    print_file("puzzle", output)
    print_file("drawing", draw)


# Pictures


def print_file(name: str, path: Path | None) -> None:
    """Say which file was written."""
    if path is not None:
        out.print(f"{name:<8} {path}", soft_wrap=True)


def board(puzzle: Puzzle, solution: Solution | None = None) -> Text:
    """The board with letters, numbers, counts and a legend; what was revealed is bold."""
    shown = dict(puzzle.revealed)
    width = len(str(puzzle.rows))
    cell = max(
        len(column_name(puzzle.columns - 1)),
        len(str(max(puzzle.rows, 1)))
        if any(count is not None and count > 9 for count in puzzle.column_counts)
        else 1,
    )
    drawn: set[str] = set()
    text = Text(" " * width)
    for column in range(puzzle.columns):
        text.append(f" {column_name(column):>{cell}}")
    for row in range(puzzle.rows):
        text.append(f"\n{row + 1:>{width}}")
        for column in range(puzzle.columns):
            value = shown.get((row, column))
            style = "" if value is None else "bold"
            if solution is not None:  # it says the shape too
                value = puzzle.shows(solution, (row, column))
            if value is not None:
                drawn.add(value)
            symbol = formats.HIDDEN if value is None else formats.SYMBOLS[value]
            colour = "blue" if value == WATER else "dim" if value is None else "red"
            text.append(f" {symbol:>{cell}}", style=f"{style} {colour}")
        count = puzzle.row_counts[row]
        text.append(f"  {'' if count is None else count}")
    text.append("\n" + " " * width)
    for column_count in puzzle.column_counts:
        text.append(f" {'' if column_count is None else column_count:>{cell}}")
    used = [value for value in formats.SYMBOLS if value in drawn]
    if used:
        text.append("\n\n" + "  ".join(f"{formats.SYMBOLS[v]} {piece_text(v)}" for v in used))
    return text.append("\n")


def draw_picture(puzzle: Puzzle, path: Path, solution: Solution | None = None) -> None:
    """Draw a puzzle to a file whose ending names the format."""
    from matplotlib.figure import Figure

    from optsearch.drawing import draw_puzzle, picture_size

    figure = Figure(figsize=picture_size(puzzle))
    draw_puzzle(figure.add_axes((0, 0, 1, 1)), puzzle, solution)
    save_figure(figure, path)
