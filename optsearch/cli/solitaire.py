"""The commands about puzzles: solitaire solve, count, grade, explain, minimise, generate, sheet."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from rich.text import Text

from optsearch.cli.answers import Answer
from optsearch.cli.app import Commands, app
from optsearch.cli.common import count_text, new_figure, save_figure
from optsearch.cli.options import FIGURE, OUTPUT, Argument, Form, Option, Seconds
from optsearch.cli.progress import show_progress
from optsearch.game import cell_name, column_name
from optsearch.solitaire import (
    Puzzle,
    Solution,
    addresses,
    counting,
    formats,
    making,
    models,
    reasoning,
)
from optsearch.solitaire.puzzle import WATER, piece_text
from optsearch.support.errors import NotInstalled, PuzzleError, TooLarge
from optsearch.support.progress import Progress, Status

solitaire = Commands(
    name="solitaire",
    help="Solitaire Battleship: find the fleet from counts and a few revealed cells.",
    epilog="Example: optsearch solitaire generate --grid 6x6 --fleet 3,2,2,1,1,1 -o puzzle.txt",
    no_args_is_help=True,
)
solitaire.shared |= {
    "file": Argument(
        "A puzzle, as text or JSON, or its address at puzz.link; see Solitaire in the "
        "documentation for the formats.",
        metavar="FILE",
    ),
    "method": Option(
        "count: a sweep of the rows; ship: integer programme with a variable per placement; cell: "
        "seven symbols per cell (default: count, or ship if count takes long). ship and cell need "
        "OR-tools: pip install ortools."
    ),
    "time_limit": Seconds("Stop after this many seconds."),
    "max_depth": Option("How many suppositions may be open at once.", min=0, max=5),
    "figure": Option("Draw it to this file (pdf, svg or png).", writes=FIGURE),
    "keep_counts": Option("Keep all counts; leave out revealed cells only."),
}
app.add_command(solitaire)


class PuzzleMethod(str, Enum):
    """The method that finds solutions."""

    SHIP = "ship"
    CELL = "cell"
    COUNT = "count"


class PuzzleLevel(str, Enum):
    """The difficulty of a new puzzle."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


@dataclass(frozen=True)
class MakingOptions:
    """The method that finds other solutions, the clues to keep, and the time limit."""

    method: PuzzleMethod | None = None
    keep_counts: bool = False
    time_limit: float | None = None

    def with_progress(self, progress: Progress[Status]) -> making.MinimiseOptions:
        """Return the options of the library, with a function to call with each status."""
        return making.MinimiseOptions(
            method=None if self.method is None else self.method.value,
            keep_counts=self.keep_counts,
            time_limit=self.time_limit,
            progress=progress,
        )


# Looking at a puzzle


@solitaire.command(
    example="optsearch solitaire solve puzzle.txt",
    seconds=2,
    next_step="optsearch solitaire explain puzzle.txt  # how a person goes on",
    fields="puzzle solutions limit is_unique (address)",
    limit=Option("How many solutions to show.", min=1),
)
def solve(
    file: str,
    method: PuzzleMethod | None = None,
    limit: int = 2,
    time_limit: float | None = None,
    figure: Path | None = None,
    form: Form = Form.TEXT,
) -> None:
    """The solution, or several, up to a limit."""
    puzzle, method_name = formats.load(file), None if method is None else method.value
    with show_progress("solving"):
        solutions = making.solve(puzzle, limit, method_name, time_limit)
        reason = "" if solutions else _why_no_solution(puzzle, method_name, time_limit)
    if not solutions:
        raise PuzzleError(reason)
    ship_names = [formats.solution_fields(puzzle, solution) for solution in solutions]
    answer = Answer(puzzle=formats.to_fields(puzzle), solutions=ship_names, limit=limit)
    for solution, names in zip(solutions, ship_names, strict=True):
        answer.add(puzzle_board(puzzle, solution), " ".join(names) + "\n")
    is_unique = len(solutions) == 1 if limit > 1 else None
    answer.add(_solutions_text(len(solutions), limit), is_unique=is_unique)
    add_address(answer, puzzle)
    if figure is not None:
        draw_picture(answer, puzzle, figure, solutions[0])
    answer.print(form)


def _why_no_solution(puzzle: Puzzle, method: str | None, time_limit: float | None) -> str:
    """Return a line that says that a puzzle has no solution, and which clues exclude each other."""
    try:
        clues = making.conflict(puzzle, method, time_limit)
    except NotInstalled as missing:
        return f"no solution; naming the clues that contradict each other {missing.reason}"
    except TooLarge as reason:
        return f"no solution; the clues that contradict each other are not known: {reason}"
    if clues is None:
        raise AssertionError(f"there is no solution of {puzzle}, and its clues are not in conflict")
    return f"no solution: {models.conflict_text(puzzle, clues)}"


def _solutions_text(solution_count: int, limit: int) -> str:
    is_single = solution_count == 1
    if solution_count < limit:
        return "the only solution" if is_single else f"{solution_count} solutions, no others"
    return f"{solution_count} solution{'' if is_single else 's'}; there may be others (--limit)"


@solitaire.command(
    example="optsearch solitaire count puzzle.txt --limit 1000",
    seconds=2,
    next_step="optsearch solitaire solve puzzle.txt --limit 5  # what they are",
    fields="puzzle solutions is_exact",
    limit=Option("Stop at this many.", min=1),
)
def count(
    file: str, limit: int | None = None, time_limit: float | None = None, form: Form = Form.TEXT
) -> None:
    """How many solutions there are, exactly, without CP-SAT."""
    puzzle = formats.load(file)
    with show_progress("counting", lambda status: f"{status.rate:,.0f} cells a second") as progress:
        has_conflict = reasoning.is_contradictory(puzzle)
        solution_count = 0 if has_conflict else counting.count(puzzle, limit, time_limit, progress)
        reason = "" if solution_count else _why_no_solution(puzzle, None, time_limit)
    is_exact = limit is None or solution_count < limit
    or_more = "" if is_exact else " or more"
    answer = Answer(puzzle=formats.to_fields(puzzle), solutions=solution_count, is_exact=is_exact)
    count_in_words = f"{count_text(solution_count, 'solution')}{or_more}"
    answer.add(f"{file}: {count_in_words if solution_count else reason}")
    answer.print(form)


@solitaire.command(
    example="optsearch solitaire grade puzzle.txt --steps",
    seconds=1,
    next_step="optsearch solitaire explain puzzle.txt  # one step",
    fields="puzzle level depth is_solved is_cut_short rules steps",
    steps=Option("Print every step."),
)
def grade(
    file: str,
    max_depth: int = 2,
    time_limit: float | None = None,
    steps: bool = False,
    form: Form = Form.TEXT,
) -> None:
    """How hard a puzzle is for a person, by the rules that its steps need."""
    puzzle = formats.load(file)
    with show_progress("grading"):
        grading = reasoning.grade(puzzle, max_depth, time_limit)
    answer = Answer(puzzle=formats.to_fields(puzzle))
    answer.add_fact("level", grading.level, level=grading.level, depth=grading.depth)
    answer.add(is_solved=grading.is_solved, is_cut_short=grading.is_cut_short, rules=grading.rules)
    for rule, step_count in grading.rules.items():
        answer.add_fact(rule, count_text(step_count, "step"))
    answer.add_fact("depth", str(grading.depth) if grading.depth else None)
    if grading.is_cut_short:
        answer.add(f"not solved in {time_limit:g} seconds; its level is at least this hard")
    elif not grading.is_solved:
        tried_text = f"not solved by suppositions of depth {max_depth}"
        answer.add(f"{tried_text}; there may be several solutions")
    fields_of_steps = list(map(step_fields, grading.steps))
    answer.add(*(map(step_text, grading.steps) if steps else ()), steps=fields_of_steps)
    answer.set_rows(fields_of_steps)
    answer.print(form)


@solitaire.command(
    example="optsearch solitaire explain puzzle.txt",
    seconds=1,
    next_step="optsearch solitaire solve puzzle.txt  # all of it",
    fields="puzzle step",
)
def explain(
    file: str, max_depth: int = 2, time_limit: float | None = None, form: Form = Form.TEXT
) -> None:
    """The next cells that follow from what is revealed, and why."""
    puzzle = formats.load(file)
    with show_progress("thinking"):
        step = reasoning.explain(puzzle, max_depth, time_limit)
    answer = Answer(puzzle=formats.to_fields(puzzle))
    if step is None:
        answer.add(f"nothing follows with suppositions of depth {max_depth}", step=None)
    else:
        answer.add(step_text(step), step=step_fields(step))
    answer.print(form)


def step_text(step: reasoning.Step) -> str:
    """Format a step; a supposition is followed by the steps that follow from it, indented."""
    return "\n".join(_step_lines(step))


def _step_lines(step: reasoning.Step) -> Iterator[str]:
    """Yield the lines that explain a step of a person who solves a puzzle.

    After a supposition come the steps that follow from it, and at last the contradiction. The
    reason of such a step is "SUPPOSITION: CONTRADICTION".
    """
    names = " ".join(cell_name(cell) for cell in step.cells)
    if not step.chain:
        yield f"{names}: {step.value}, because {step.reason}"
        return
    supposition, _, contradiction = step.reason.partition(": ")
    yield f"{names}: {step.value}, because {supposition},"
    for next_step in step.chain:
        for line in _step_lines(next_step):
            yield f"  {line}"
    yield f"  and then {contradiction}"


def step_fields(step: reasoning.Step) -> dict[str, Any]:
    """Return the fields of a JSON answer for a step."""
    return {
        "cells": [cell_name(cell) for cell in step.cells],
        "value": step.value,
        "rule": step.rule,
        "depth": step.depth,
        "reason": step.reason,
        "chain": [step_fields(next_step) for next_step in step.chain],
    }


# Making puzzles


@solitaire.command(
    example="optsearch solitaire minimise puzzle.txt -o minimal.txt",
    seconds=2,
    next_step="optsearch solitaire grade minimal.txt  # how hard it is",
    fields="puzzle seed clues_before clues file (address)",
    output=OUTPUT("File to write."),
    seed=Option("Seed of the order in which clues are tried.", min=0),
)
def minimise(
    file: str,
    output: Path,
    *,
    seed: int = 0,
    options: MakingOptions,
    figure: Path | None = None,
    form: Form = Form.TEXT,
) -> None:
    """Leave out clues until every clue is needed."""
    puzzle = formats.load(file)
    with show_progress("leaving out") as progress:
        minimal = making.minimise(puzzle, seed, options.with_progress(progress))
    save_and_show(minimal, output, figure, form, seed=seed, clues_before=len(puzzle.clues))


@solitaire.command(
    example="optsearch solitaire generate --grid 6x6 --fleet 3,2,2,1,1,1 -o puzzle.txt",
    seconds=1,
    next_step="optsearch solitaire grade puzzle.txt  # how hard it is",
    fields="puzzle seed (level) clues file (address)",
    grid=Option("Rows and columns, such as 8x8."),
    fleet=Option("Lengths of the ships, such as 4,3,2,2,1,1."),
    output=OUTPUT("File to write."),
    seed=Option("The same seed gives the same puzzle.", min=0),
    level=Option("How hard it is for a person, as grade says (default: as it comes)."),
)
def generate(
    grid: str,
    fleet: str,
    output: Path,
    *,
    seed: int | None = None,
    level: PuzzleLevel | None = None,
    options: MakingOptions,
    figure: Path | None = None,
    form: Form = Form.TEXT,
) -> None:
    """A new puzzle with exactly one solution in which every clue is needed.

    With --level a clue is needed if the puzzle would be harder without it.
    """
    rows, columns = formats.parse_grid(grid)
    lengths = formats.parse_fleet(fleet)
    if seed is None:
        seed = secrets.randbits(32)
    level_name = None if level is None else level.value
    with show_progress("generating") as progress:
        puzzle = making.generate(
            rows,
            columns,
            lengths,
            seed=seed,
            level=level_name,
            options=options.with_progress(progress),
        )
    fields = {} if level_name is None else {"level": level_name}
    save_and_show(puzzle, output, figure, form, seed=seed, **fields)


@solitaire.command(
    example="optsearch solitaire sheet puzzle.txt -o sheet.pdf",
    seconds=2,
    next_step="optsearch solitaire generate --grid 6x6 --fleet 3,2,2,1,1,1 --level easy "
    "-o easy.txt",
    fields="puzzles file",
    files=Argument("Puzzles, as text or JSON, or addresses.", metavar="FILES"),
    output=OUTPUT("File to draw to (pdf, svg or png).", writes=FIGURE),
)
def sheet(
    files: list[str], output: Path, time_limit: float | None = None, form: Form = Form.TEXT
) -> None:
    """Draw puzzles on one sheet, with their answers below."""
    puzzles = [formats.load(file) for file in files]
    unique_solutions = []
    with show_progress("solving"):
        for file, puzzle in zip(files, puzzles, strict=True):
            solutions = making.solve(puzzle, limit=2, time_limit=time_limit)
            if len(solutions) != 1:
                number_of_solutions = "several solutions" if solutions else "no solution"
                raise PuzzleError(
                    f"{file} has {number_of_solutions}; a puzzle of a sheet has exactly one"
                )
            unique_solutions += solutions
    from optsearch.drawing.puzzles import draw_sheet, sheet_size

    figure = new_figure(*sheet_size(puzzles))
    draw_sheet(figure, list(zip(puzzles, unique_solutions, strict=True)))
    save_figure(figure, output)
    answer = Answer(puzzles=[formats.to_fields(puzzle) for puzzle in puzzles])
    answer.add(f"{count_text(len(puzzles), 'puzzle')}, in {output}", file=str(output))
    answer.print(form)


def save_and_show(
    puzzle: Puzzle, output: Path, figure: Path | None, form: Form, **fields: int | str
) -> None:
    """Write a puzzle that was made to a file, and print the answer about it.

    fields -- further fields of the answer, with the seed.
    """
    formats.save(puzzle, output)
    answer, clue_count = Answer(puzzle=formats.to_fields(puzzle), **fields), len(puzzle.clues)
    summary_text = (
        f"fleet {puzzle.fleet_text}, {count_text(clue_count, 'clue')}, seed {fields['seed']}"
    )
    if "level" in fields:
        summary_text += f", {fields['level']}"
    answer.add(puzzle_board(puzzle), summary_text, clues=clue_count)
    answer.add(f"puzzle   {output}", file=str(output))
    add_address(answer, puzzle)
    if figure is not None:
        draw_picture(answer, puzzle, figure)
    answer.print(form)


def add_address(answer: Answer, puzzle: Puzzle) -> None:
    """Add the address at which others can open a puzzle, unless a ship is too long for one."""
    with suppress(PuzzleError):
        address = addresses.to_address(puzzle)
        answer.add(f"address  {address}", address=address)


# Pictures


def puzzle_board(puzzle: Puzzle, solution: Solution | None = None) -> Text:
    """Draw a puzzle with letters, numbers, counts and a legend; what is revealed is bold.

    solution -- fills the cells that are not revealed; None leaves them open.
    """
    revealed = dict(puzzle.revealed)
    name_width = len(str(puzzle.rows))
    has_long_count = any(count is not None and count > 9 for count in puzzle.column_counts)
    count_width = len(str(puzzle.rows)) if has_long_count else 1
    cell_width = max(len(column_name(puzzle.columns - 1)), count_width)
    values_drawn: set[str] = set()
    drawn_puzzle = Text(" " * name_width)
    for column in range(puzzle.columns):
        drawn_puzzle.append(f" {column_name(column):>{cell_width}}")
    for row in range(puzzle.rows):
        drawn_puzzle.append(f"\n{row + 1:>{name_width}}")
        for column in range(puzzle.columns):
            value = revealed.get((row, column))
            bold_or_plain = "" if value is None else "bold"
            if solution is not None:  # it has a value for every cell
                value = puzzle.shows(solution, (row, column))
            if value is None:
                symbol, colour = formats.HIDDEN, "dim"
            else:
                values_drawn.add(value)
                symbol, colour = formats.SYMBOLS[value], "blue" if value == WATER else "red"
            drawn_puzzle.append(f" {symbol:>{cell_width}}", style=f"{bold_or_plain} {colour}")
        drawn_puzzle.append(f"  {_clue_text(puzzle.row_counts[row])}")
    drawn_puzzle.append("\n" + " " * name_width)
    for count in puzzle.column_counts:
        drawn_puzzle.append(f" {_clue_text(count):>{cell_width}}")
    legend = [
        f"{symbol} {piece_text(value)}"
        for value, symbol in formats.SYMBOLS.items()
        if value in values_drawn
    ]
    if legend:
        drawn_puzzle.append("\n\n" + "  ".join(legend))
    return drawn_puzzle.append("\n")


def _clue_text(count: int | None) -> str:
    return "" if count is None else str(count)


def draw_picture(
    answer: Answer, puzzle: Puzzle, path: Path, solution: Solution | None = None
) -> None:
    """Draw a puzzle to a file whose ending names the format; add the file to the answer."""
    from optsearch.drawing.puzzles import draw_puzzle, picture_size

    figure = new_figure(*picture_size(puzzle))
    draw_puzzle(figure.add_axes((0, 0, 1, 1)), puzzle, solution)
    save_figure(figure, path)
    answer.add(f"drawing  {path}")
