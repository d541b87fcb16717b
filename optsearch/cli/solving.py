"""The commands about the optimum: solve and bounds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import partial
from math import ceil, floor, inf
from pathlib import Path
from typing import NamedTuple

import click

from optsearch import tree as tree_
from optsearch.check import paper, proofs, reference
from optsearch.cli import progress
from optsearch.cli.answers import Answer, json_text
from optsearch.cli.app import app
from optsearch.cli.arguments import QUIET
from optsearch.cli.common import (
    board_text,
    cell_names,
    configurations_text,
    end_text,
    explain_resuming,
    mean_fields,
    mean_text,
    open_executor,
    out,
    read_position_and_prior,
    refuse_with_unknown_fleet,
    require_digest,
)
from optsearch.cli.console import Interrupted, err
from optsearch.cli.options import (
    ANY,
    FOLDER,
    SEARCH_JOBS,
    Form,
    Option,
    PosteriorOptions,
    WorkerOptions,
)
from optsearch.cli.progress import (
    CollectedBounds,
    collect_bounds,
    show_progress,
    show_search_progress,
)
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.game import MAX_CELLS, Cell, cell_name
from optsearch.game.fleets import MixedGame, MixedPosition, any_game
from optsearch.game.objective import Objective
from optsearch.game.position import Position, legend
from optsearch.lower_bounds import Bound, LeftOut, first_bounds, first_objective_bounds
from optsearch.lower_bounds.lower import SECONDS, LeaveOut, ignore_left_out
from optsearch.results.bracket import Bracket, bounds_in_turn
from optsearch.results.stored import StoredBracket, name_with_table, stored_bracket
from optsearch.search import solver
from optsearch.search.greedy import GreedySolver
from optsearch.search.proving import prove_solution
from optsearch.support.decimals import bracket_text, decimal, mean_bracket_text, time_text
from optsearch.support.errors import NotSupported, OptsearchError, TooLarge
from optsearch.support.progress import Limit, LimitReached, Progress
from optsearch.tree import DecisionTree
from optsearch.tree.solution import SearchStatus, ShotValue, Solution

MOST_IN_TREE = 300_000  # configurations, where time is limited: two minutes to write
TIME_TO_COUNT = 0.5, 0.25  # seconds at least, share of a time limit: to find out if there are more


class Method(str, Enum):
    """The implementation that computes the optimum."""

    REFERENCE = "reference"
    PAPER = "paper"
    SOLVER = "solver"


@dataclass(frozen=True)
class SearchOptions:
    """The objective, the method, the time limit, and whether every first shot gets a value."""

    objective: str = "mean"
    method: Method = Method.SOLVER
    time_limit: float | None = None
    all_shots: bool = False


@dataclass(frozen=True)
class StorageOptions:
    """The files that a search writes, and the GiB of its table in memory."""

    table: Path | None = None
    tree: Path | None = None
    prove: Path | None = None
    memory: float = 4.0


class SolveTask(NamedTuple):
    """A problem to solve: a position, an objective, and perhaps a prior."""

    position: Position
    objective: Objective
    prior: Prior | None


def require_solver(method: Method, **options: object) -> None:
    """Raise OptsearchError if an option of the main solver is given with another method.

    options -- the values of these options by name.
    """
    for name, value in options.items():
        if value and method is not Method.SOLVER:
            option = name.replace("_", "-")
            raise OptsearchError(f"--{option} works with --method solver, not with {method.value}")


@app.command(
    example="optsearch solve 4x5:2,3,4 --tree tree.json --prove proof.jsonl",
    seconds=2,
    next_step="optsearch check tree.json  # replay the tree on every configuration",
    fields="game position (prior prior_digest) objective total_height configurations mean "
    "best_shots (worst finished lower upper lower_by upper_by greedy_shots "
    "greedy_shots_total_height shot_values) nodes subsets seconds method table_entries "
    "table_bytes (disk_entries disk_bytes)",
    objective=Option(
        "mean: the least mean number of shots; worst: the least worst case, then, without "
        "--time-limit, the least mean; worst+mean: both in any case; within=K: most games "
        "finished within K shots."
    ),
    method=Option(
        "solver: branch and bound; paper: the paper's Algorithm 2; reference: the "
        "definition, for boards of a dozen cells."
    ),
    all_shots=Option(
        "Also print the optimum after each first shot; with --time-limit a bracket if the time is "
        "too short."
    ),
    jobs=SEARCH_JOBS,
    table=Option(
        "Folder for a transposition table on disk. It keeps what is solved, and a run that was "
        "stopped goes on from it.",
        writes=FOLDER,
    ),
    tree=Option(
        "Write an optimal decision tree to this file. With --time-limit, the best one found, of at "
        f"most {MOST_IN_TREE:,} configurations.",
        writes=ANY,
    ),
    prove=Option(
        "Write a proof that no strategy is better to this file; for small games.", writes=ANY
    ),
    memory=Option(
        "GiB of memory for the transposition table; with --table, the rest is kept on disk.",
        min=0.01,
        max=65536,
    ),
)
def solve(
    start: PosteriorOptions,
    search: SearchOptions,
    workers: WorkerOptions,
    storage: StorageOptions,
    form: Form = Form.TEXT,
) -> None:
    """The least mean number of shots, exactly, and its first shots.

    Prints every optimal first shot, and what greedy shooting costs.
    """
    objective = Objective.parse(search.objective)
    position, prior = read_position_and_prior(start, any_game)
    task = SolveTask(position, objective, prior)
    if isinstance(position, MixedPosition):
        refuse_options_of_known_fleets(position.game, task.objective, search, workers, storage)
        options = solver.SolverOptions(memory=int(storage.memory * 2**30))
        with show_search_progress(str(position.game)):
            solution = solver.solve(position, options=options, prior=prior)
        answer_of(solution, BracketSources(), None).print(form)
        return
    refuse_unfit_options(task, search, workers, storage)
    stored = None if prior else stored_bracket(position, objective)
    announce_stored(stored)
    limit = Limit(search.time_limit)
    why_no_tree_is_written = why_no_tree(position, prior, search.time_limit) if storage.tree else ""
    if why_no_tree_is_written:
        err.print(f"no tree will be written: {why_no_tree_is_written}", soft_wrap=True)
        storage = replace(storage, tree=None)
    greedy_shots_and_total = None
    try:
        with show_search_progress(str(position.game)) as report:
            solution = find_optimum(task, search, workers, storage, limit.seconds_left, report)
            is_unlimited_search = search.method is Method.SOLVER and search.time_limit is None
            if is_unlimited_search and objective.kind == "mean" and solution.is_complete:
                greedy_shots_and_total = solution.greedy()
    except TooLarge:
        has_bounds = objective.kind != "mean" or position.game.label_of_kind is not None
        if limit.seconds_left is None or not has_bounds:
            raise
        bracket_or_reason = solve_by_bounds(task, limit.seconds_left)
        if isinstance(bracket_or_reason, str):
            uncounted_answer(task, stored, reason=bracket_or_reason).print(form)
            return
        solution = bracket_or_reason
    answer_of(*narrow_by_stored(solution, stored), greedy_shots_and_total).print(form)
    write_files(solution, storage.tree, storage.prove, form)
    if not solution.is_complete and search.time_limit is None:
        hint = f"; what was solved is in {storage.table}, and the same command goes on from it"
        raise Interrupted(hint if storage.table else "")


def refuse_options_of_known_fleets(
    game: MixedGame,
    objective: Objective,
    search: SearchOptions,
    workers: WorkerOptions,
    storage: StorageOptions,
) -> None:
    """Raise NotSupported for an option that needs a known fleet; that of the game is not."""
    refuse_with_unknown_fleet(
        game,
        method=search.method is not Method.SOLVER,
        jobs=workers.jobs not in (None, 1),
        time_limit=search.time_limit,
        all_shots=search.all_shots,
        dask=workers.dask,
        table=storage.table,
        objective=objective.kind != "mean",
        tree=storage.tree,
        prove=storage.prove,
    )


def refuse_unfit_options(
    task: SolveTask, search: SearchOptions, workers: WorkerOptions, storage: StorageOptions
) -> None:
    """Raise OptsearchError for an option that the method, the objective or the game excludes."""
    method, objective = search.method, task.objective
    if task.prior is not None and method is Method.PAPER:
        raise OptsearchError(f"--prior works with --method solver or reference, not {method.value}")
    require_solver(
        method,
        tree=storage.tree,
        prove=storage.prove,
        time_limit=search.time_limit,
        all_shots=search.all_shots,
        jobs=workers.jobs not in (None, 1),
        dask=workers.dask,
    )
    if storage.table is not None and method is Method.REFERENCE:
        raise OptsearchError("--table works with --method solver or paper, not with reference")
    if storage.prove is not None:
        task.position.game.require_no_sinkings("--prove")
        task.position.game.require_sunk("--prove")
        if objective.kind != "mean":
            raise OptsearchError(f"--prove works with --objective mean, not with {objective}")
    require_digest(task.prior, storage.tree, storage.prove, storage.table)
    if method is Method.PAPER and objective.kind != "mean":
        raise OptsearchError(f"--method paper knows --objective mean only, not {objective}")


def find_optimum(
    task: SolveTask,
    search: SearchOptions,
    workers: WorkerOptions,
    storage: StorageOptions,
    seconds: float | None,
    progress: Progress[SearchStatus],
) -> Solution:
    """Solve a position by the chosen method.

    seconds -- the main solver returns the bracket that it has proved by then; None for no limit.
    """
    if search.method is Method.REFERENCE:
        return reference.solve(task.position, task.objective, task.prior)
    table_bytes = int(storage.memory * 2**30)
    if search.method is Method.PAPER:
        with explain_resuming("--table", storage.table):
            return paper.solve(
                task.position, memory=table_bytes, table=storage.table, progress=progress
            )
    with (
        explain_resuming("--table", storage.table),
        open_executor(workers) as (executor, worker_count),
    ):
        return solver.solve(
            task.position,
            objective=task.objective,
            options=solver.SolverOptions(memory=table_bytes),
            table=storage.table,
            executor=executor,
            workers=worker_count,
            time_limit=seconds,
            partial=True,
            all_shots=search.all_shots,
            progress=progress,
            prior=task.prior,
        )


def write_files(solution: Solution, tree: Path | None, proof: Path | None, form: Form) -> None:
    """Write the decision tree, and the proof if the optimum is exact; print the names of the files.

    The names are printed in the text form only. tree, proof -- None for one that is not wanted.
    """
    if not solution.is_exact:
        proof = None
    if tree is None and proof is None:
        return
    with show_progress("writing"):
        if tree is not None:
            is_worst_case = solution.worst is not None and not solution.objective.then_mean
            title = "optimal" if solution.is_exact or is_worst_case else "best found"
            if solution.objective.kind != "mean":
                title += f" for {solution.objective}"
            tree_.save(replace(best_tree(solution), title=title), tree)
        if proof is not None:
            proofs.save(prove_solution(solution), proof)
    if form is Form.TEXT:
        for name, path in (("tree", tree), ("proof", proof)):
            if path is not None:
                out.print(f"{name:<11} {path}", soft_wrap=True)


def why_no_tree(position: Position, prior: Prior | None, time_limit: float | None) -> str:
    """Return the reason why the search will give no tree in its time limit, or an empty text.

    Either the board is too large, or the configurations are too many or cannot be counted in time.
    """
    if time_limit is None:
        return ""
    if position.game.cells > MAX_CELLS:
        return f"boards of more than {MAX_CELLS} cells are not searched"
    least_seconds, share = TIME_TO_COUNT
    limit = Limit(max(least_seconds, share * time_limit))
    try:
        with limit.alarm():
            configurations = Posterior(position, prior=prior, progress=limit.watch()).configurations
    except LimitReached:
        return f"the configurations were not counted within {limit}"
    except TooLarge as error:
        return str(error)
    if configurations <= MOST_IN_TREE:
        return ""
    return f"{configurations:,} configurations are too many; the limit is {MOST_IN_TREE:,}"


def best_tree(solution: Solution) -> DecisionTree:
    """Return the tree of a solution, or a greedy tree if the search had no time for one."""
    try:
        return solution.tree()
    except NotSupported:
        return GreedySolver(solution.position, prior=solution.prior).tree("first")


def announce_stored(stored: StoredBracket | None) -> None:
    """Print the stored bracket before a search, unless computing it took less than two seconds."""
    if stored is None or QUIET.get() or (stored.seconds or inf) < progress.SECONDS_TO_FIRST_LINE:
        return
    effort = f"; that search took {time_text(stored.seconds)}" if stored.seconds else ""
    err.print(f"known: {stored.text}{effort}", soft_wrap=True)


class BracketSources(NamedTuple):
    """The sources of the two ends of a bracket, and the bracket of this run as a text.

    All three are empty if this run proves both ends.
    """

    lower_by: str = ""
    upper_by: str = ""
    bracket_here: str = ""


def narrow_by_stored(
    solution: Solution, stored: StoredBracket | None
) -> tuple[Solution, BracketSources]:
    """Return a solution with the better of its own and the stored bounds, and their sources.

    An exact solution is not changed. stored -- the stored bracket of its game, if there is one.
    """
    if stored is None or solution.lower is None or solution.upper is None:
        return solution, BracketSources()
    if solution.lower == solution.upper:
        return solution, BracketSources()
    objective = solution.objective
    weight = solution.configurations if objective.kind == "mean" else 1
    lower = max(solution.lower, ceil(stored.lower.value * weight))
    upper = min(solution.upper, floor(stored.upper.value * weight))
    if (lower, upper) == (solution.lower, solution.upper) and solution.method == "solver":
        return solution, BracketSources()
    this_run = "this search" if solution.method == "solver" else "computed here"
    beats_stored_lower = lower > stored.lower.value * weight
    beats_stored_upper = upper < stored.upper.value * weight
    sources = BracketSources(
        lower_by=this_run if beats_stored_lower else name_with_table(stored.lower),
        upper_by=this_run if beats_stored_upper else name_with_table(stored.upper),
        bracket_here=open_value_text(solution, solution.lower, solution.upper),
    )
    value_if_decided = lower if lower == upper else None
    if objective.kind == "mean":
        solution = replace(solution, total_height=value_if_decided)
    else:
        solution = replace(solution, worst=value_if_decided)
    return replace(solution, lower=lower, upper=upper), sources


def add_sources(answer: Answer, sources: BracketSources) -> None:
    """Add to an answer what proves the lower and the upper bound of its bracket.

    Nothing is added if this run proves both.
    """
    lower_by, upper_by, bracket_here = sources
    if not lower_by:
        return
    answer.add(lower_by=lower_by, upper_by=upper_by)
    if lower_by == upper_by:
        answer.add_fact("known by", lower_by)
    else:
        answer.add_fact("lower bound", lower_by)
        answer.add_fact("upper bound", upper_by)
    answer.add_fact("found here", bracket_here or None)


def solve_by_bounds(task: SolveTask, time_limit: float) -> Solution | str:
    """Return a bracket of a game that is too large to search, or the reason why there is none.

    The configurations must be counted, or weighed by the prior, in the time limit. With a prior
    only the first bounds on the mean are used, since the others list all configurations.
    """
    position, objective, prior = task
    started = time.perf_counter()
    bracket, seconds_to_count = None, time_limit
    if objective.kind == "mean" and prior is not None:
        bracket = Bracket.of(position, first_bounds(position))
    elif objective.kind == "mean":
        computed = bounds_in_time(position, None, time_limit, ignore_left_out)
        bracket = Bracket.of(position, computed.bounds)
        seconds_to_count = 0.0  # the bounds took the time
    try:
        with Limit(seconds_to_count).alarm():
            weight = Posterior(position, prior=prior).weight
    except LimitReached:
        return "there was no time to count the configurations"
    except TooLarge:
        return "the configurations are too many to add up their weights"
    if bracket is None:
        lower, upper = first_objective_bounds(position, objective, weight, prior)
    else:
        assert bracket.upper is not None
        lower, upper = ceil(bracket.lower * weight), floor(bracket.upper * weight)
    return Solution(
        position,
        "bounds",
        total_height=None,
        configurations=weight,
        seconds=time.perf_counter() - started,
        objective=objective,
        is_exact=False,
        lower=lower,
        upper=upper,
        prior=prior,
    )


def uncounted_answer(task: SolveTask, stored: StoredBracket | None, reason: str) -> Answer:
    """Return an answer with bounds only, about a game whose configurations cannot be counted.

    stored -- the stored bracket of the game, if there is one. reason -- why they cannot be counted.
    """
    position, objective, prior = task
    answer = Answer.about(
        position, prior, objective=str(objective), total_height=None, configurations=None
    )
    if objective.kind == "mean":
        bounds = [stored.lower, stored.upper] if stored else first_bounds(position)
        bracket = Bracket.of(position, bounds)
        answer.add_fact("mean shots", bracket.text, bracket=[bracket.lower, bracket.upper])
        if stored:
            lower_by, upper_by = name_with_table(stored.lower), name_with_table(stored.upper)
            add_sources(answer, BracketSources(lower_by, upper_by))
    elif objective.kind == "worst":
        lower, upper = first_objective_bounds(position, objective, 0, prior)
        answer.add_fact(
            "worst case", f"between {lower} and {upper} shots", lower=lower, upper=upper
        )
    else:
        answer.add_fact(f"within {objective.shots}", "between 0 and all of them", bracket=[0, 1])
    answer.add_fact("cut short", reason, method="bounds")
    return answer


def answer_of(
    solution: Solution, sources: BracketSources, greedy: tuple[tuple[Cell, ...], int] | None
) -> Answer:
    """Return the answer about a solution.

    sources -- what proves its bounds. greedy -- the cells that greedy may shoot first, and the
    least total height of a strategy that begins with one of them; None if that is not known.
    """
    answer = Answer.about(
        solution.position,
        solution.prior,
        objective=str(solution.objective),
        total_height=solution.total_height,
        configurations=solution.configurations,
        **mean_fields(solution.total_height, solution.configurations),
        best_shots=cell_names(solution.best_shots),
    )
    add_value(answer, solution)
    add_sources(answer, sources)
    if solution.is_exact:
        names = " ".join(cell_names(solution.best_shots))
        answer.add_fact("best shots", names or f"none: {end_text(solution.position.game)}")
    elif solution.worst is not None:
        hint = "" if solution.objective.then_mean else "; --objective worst+mean searches it"
        answer.add_fact("least mean", f"not known{hint}")
    else:
        answer.add_fact("best shots", "not all first shots are decided yet")
    if greedy is not None:
        add_greedy_shots(answer, solution, *greedy)
    if solution.shot_values:
        answer.add(shot_values=solution.to_dicts())
        answer.set_rows(solution.to_dicts())
    add_effort(answer, solution)
    if solution.shot_values:
        answer.add(*first_shot_texts(solution))
    return answer


def add_greedy_shots(
    answer: Answer, solution: Solution, cells: Sequence[Cell], total_height: int
) -> None:
    """Add the greedy first shots, and what the best of them costs more than the optimum.

    cells -- the cells that greedy may shoot first. total_height -- the least total height of a
    strategy that begins with one of these cells.
    """
    names = cell_names(cells)
    loss = total_height - (solution.total_height or 0)
    cost = f"costs {loss} more in total" if loss else "is optimal"
    best_of_them = "; the best of them" if len(names) > 1 else ""
    answer.add_fact(
        "greedy shots",
        f"{' '.join(names)}{best_of_them} {cost}" if names else None,
        greedy_shots=names,
        greedy_shots_total_height=total_height,
    )


def add_value(answer: Answer, solution: Solution) -> None:
    """Add to an answer the optimum for the objective, or bounds on it."""
    weight, total_height = solution.configurations, solution.total_height
    lower, upper = solution.lower, solution.upper
    objective = solution.objective
    all_text = configurations_text(weight, solution.prior)
    if solution.finished is not None:
        answer.add_fact(
            f"within {objective.shots}",
            f"{solution.finished:,} of {all_text} = {solution.finished / weight:.6f}",
            finished=solution.finished,
        )
    if solution.worst is not None:
        proved_suffix = "" if solution.is_exact else ", proved"
        answer.add_fact(
            "worst case", f"{solution.worst} shots{proved_suffix}", worst=solution.worst
        )
    if lower is not None and upper is not None:
        answer.add(lower=lower, upper=upper)
        if objective.kind == "worst" and solution.worst is None:
            answer.add_fact("worst case", open_value_text(solution, lower, upper), worst=None)
        elif objective.kind == "within":
            lower_text = decimal(Fraction(lower, weight), "lower")
            upper_text = decimal(Fraction(upper, weight), "upper")
            answer.add_fact(
                f"within {objective.shots}",
                f"between {lower:,} and {upper:,} of {all_text}: {lower_text} and {upper_text}",
                finished=None,
            )
        elif objective.kind == "mean" and total_height is None:
            answer.add_fact("mean shots", open_value_text(solution, lower, upper))
    if total_height is not None:
        answer.add_fact("mean shots", mean_text(total_height, weight))


def open_value_text(solution: Solution, lower: int, upper: int) -> str:
    """Format a bracket of the mean or of the worst case, in shots."""
    if solution.objective.kind == "worst":
        return f"between {lower} and {upper} shots"
    return mean_bracket_text(lower, upper, solution.configurations)


def add_effort(answer: Answer, solution: Solution) -> None:
    """Add the seconds and the table on disk, and to the JSON alone the nodes and the method."""
    answer.add(
        nodes=solution.nodes,
        subsets=solution.subsets,
        seconds=round(solution.seconds, 6),
        method=solution.method,
        table_entries=solution.table_entries,
        table_bytes=solution.table_bytes,
    )
    if solution.disk_entries:
        answer.add_fact(
            "on disk",
            f"{solution.disk_entries:,} entries, {solution.disk_bytes / 2**20:,.1f} MiB",
            disk_entries=solution.disk_entries,
            disk_bytes=solution.disk_bytes,
        )
    answer.add_fact("seconds", f"{solution.seconds:.3f}")


class ShotText(NamedTuple):
    """The value of a first shot, short enough for its cell on a board, and in full."""

    short: str
    full: str


def first_shot_text(value: ShotValue, solution: Solution) -> ShotText:
    """Return the value of a first shot as a short and as a full text.

    A value that is not known exactly becomes a lower and an upper bound.
    """
    weight = solution.configurations
    if value.finished is not None:
        share = f"{value.finished} of {weight} = {value.finished / weight:.6f}"
        return ShotText(str(value.finished), f"{share} within {solution.objective.shots}")
    lower, upper = value.lower or 0, value.upper or 0
    if value.worst is not None:
        return ShotText(
            str(value.worst), f"worst case {value.worst}, mean {mean_text(lower, weight)}"
        )
    if value.is_exact:
        return ShotText(decimal(Fraction(lower, weight), places=4), mean_text(lower, weight))
    lower_text = decimal(Fraction(lower, weight), "lower", 3)
    upper_text = decimal(Fraction(upper, weight), "upper", 3)
    return ShotText(f"{lower_text}-{upper_text}", mean_bracket_text(lower, upper, weight))


def first_shot_texts(solution: Solution) -> list[str]:
    """Return what each first shot costs as texts: a board, then a list with the best first.

    On the board the value of a shot, for the objective, stands in its cell.
    """
    position, objective = solution.position, solution.objective
    rows = position.board().splitlines()
    cell_texts = [["" if sign == "." else sign for sign in row] for row in rows]
    shots_by_value: dict[str, list[str]] = {}
    for shot_value in sorted(solution.shot_values, key=best_first):
        shot_text, (row, column) = first_shot_text(shot_value, solution), shot_value.cell
        cell_texts[row][column] = shot_text.short
        shots_by_value.setdefault(shot_text.full, []).append(cell_name(shot_value.cell))
    quantity = {
        "mean": "Mean shots",
        "worst": "Worst case",
        "within": f"Configurations finished within {objective.shots} shots",
    }[objective.kind]
    lines = [
        f"\n{quantity}, where a cell is shot first\n\n{board_text(position.game, cell_texts)}\n"
    ]
    if position.shots:
        lines.append(f"{legend(position.game)}\n")
    width = max(map(len, shots_by_value))
    lines += [
        f"{value_text:<{width}}  {' '.join(shots)}" for value_text, shots in shots_by_value.items()
    ]
    return lines


def best_first(value: ShotValue) -> tuple[int, int, int, int]:
    """Return the key that sorts the values of first shots, the best first."""
    return -(value.finished or 0), value.worst or 0, value.upper or 0, value.lower or 0


# Bounds


@app.command(
    example="optsearch bounds 10x10:5,4,3,3,2",
    seconds=2,
    next_step="optsearch solve 4x5:2,3,4  # the optimum of a small game",
    fields="game position (prior prior_digest) bounds bracket is_all left_out",
    every=Option("List every bound with its source.", flags="--all"),
    narrowing=Option("First print the bracket each time a bound narrows it, a line each."),
)
def bounds(
    start: PosteriorOptions,
    time_limit: float | None = None,
    every: bool = False,
    narrowing: bool = False,
    form: Form = Form.TEXT,
) -> None:
    """Proved bounds on the optimum, and the bracket they leave.

    Sorted by value. The ends of the bracket are marked *, or = if both are equal.
    """
    position, prior = read_position_and_prior(start)
    if narrowing and form is Form.CSV:
        raise OptsearchError("--narrowing works with --format text or json, not with csv")
    left_out: list[LeftOut] = []
    started = time.monotonic()

    def print_bracket(bound: Bound, bracket: Mapping[str, Fraction]) -> None:
        seconds = time.monotonic() - started
        lower, upper = bracket["lower"], bracket["upper"]
        if form is Form.JSON:
            fields = {"bracket": [lower, upper], "name": bound.name, "seconds": round(seconds, 3)}
            click.echo(json_text(fields))
        else:
            click.echo(f"{bracket_text(lower, upper)}, {seconds:.1f} s: {bound.name}")

    on_narrower = print_bracket if narrowing else None
    result = bounds_in_time(position, prior, time_limit, left_out.append, on_narrower)
    answer = Answer.about(position, prior)
    bracket = Bracket.of(position, result.bounds)
    answer.add_bounds(bracket, quantity="mean shots", is_complete=result.is_all, list_all=every)
    answer.add(
        *(f"left out: {bound.name} ({bound.reason})" for bound in left_out),
        left_out=[{"name": bound.name, "reason": bound.reason} for bound in left_out],
    )
    answer.print(form)
    if result.is_interrupted:
        raise Interrupted


def bounds_in_time(
    position: Position,
    prior: Prior | None,
    time_limit: float | None,
    leave_out: LeaveOut,
    on_narrower: Callable[[Bound, Mapping[str, Fraction]], None] | None = None,
) -> CollectedBounds:
    """Return the bounds that are computed within a time limit; one may take at most half of it.

    leave_out -- called with each bound that is left out. on_narrower -- called with each bound that
    narrows the bracket, and with the new bracket by side.
    """
    seconds = SECONDS if time_limit is None else time_limit / 2
    compute = partial(bounds_in_turn, position, prior, seconds=seconds, leave_out=leave_out)
    return collect_bounds(
        str(position.game),
        time_limit,
        compute,
        fallback_bounds=first_bounds(position),
        on_narrower=on_narrower,
    )
