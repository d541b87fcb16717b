"""The commands of the optimum: solve, bounds, games."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from functools import partial
from math import ceil, comb, floor
from pathlib import Path
from typing import Any

from rich.table import Table

from optsearch import tree as tree_
from optsearch.check import paper, reference
from optsearch.check import proofs as proof
from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import (
    advised,
    board_text,
    cell_names,
    counted_text,
    executor_of,
    mean_fields,
    mean_text,
    out,
    read_position,
    require_digest,
)
from optsearch.cli.console import Interrupted
from optsearch.cli.options import ANY, FOLDER, SEARCH_JOBS, Form, Option
from optsearch.cli.progress import SoFar, so_far, solving, telling
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior, prior_of
from optsearch.game import Cell, FixedLabels, Game, NoLabels, cell_name
from optsearch.game.named_games import NAMED_GAMES, NamedGame
from optsearch.game.objective import Objective
from optsearch.game.position import Position, legend
from optsearch.lower_bounds import LeftOut, first_bounds
from optsearch.lower_bounds.lower import SECONDS, LeaveOut, ignore_left_out
from optsearch.lower_bounds.worst_case import hidden_ship_sets, worst_case_misses
from optsearch.results.bracket import Bracket, bounds_in_turn
from optsearch.search import solver
from optsearch.search.proving import prove
from optsearch.support.decimals import decimal, ends, open_mean
from optsearch.support.errors import OptsearchError, TooLarge
from optsearch.support.progress import Limit, LimitReached
from optsearch.tree.solution import ShotValue, Solution


class Method(str, Enum):
    """The implementations of the optimum."""

    REFERENCE = "reference"
    PAPER = "paper"
    SOLVER = "solver"


def require_solver(method: Method, **given: object) -> None:
    """Refuse options that only the main solver has, where another method is asked for."""
    for name, value in given.items():
        if value and method is not Method.SOLVER:
            option = name.replace("_", "-")
            raise OptsearchError(f"--{option} works with --method solver, not with {method.value}")


@app.command(
    example="optsearch solve 4x5:2,3,4 --tree tree.json --prove proof.jsonl",
    takes=2,
    then="optsearch check tree.json  # replay the tree on every configuration",
    gives="game position (prior prior_digest) objective total_height configurations mean "
    "best_shots (worst finished lower upper greedy_shots greedy_shots_total_height "
    "shot_values) nodes subsets seconds method table_entries (disk_entries disk_bytes)",
    objective=Option(
        "mean: the least mean number of shots; worst: the least worst case, then the least mean; "
        "within=K: most games finished within K shots."
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
        "Write an optimal decision tree to this file (the best one found, if the time was too "
        "short).",
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
    game: str,
    shots: str = "",
    board: Path | None = None,
    prior: str | None = None,
    objective: str = "mean",
    method: Method = Method.SOLVER,
    time_limit: float | None = None,
    all_shots: bool = False,
    jobs: int | None = None,
    dask: str | None = None,
    table: Path | None = None,
    tree: Path | None = None,
    prove: Path | None = None,
    memory: float = 4.0,
    form: Form = Form.TEXT,
) -> None:
    """The least mean number of shots, exactly, and its first shots.

    Prints every optimal first shot, and what greedy shooting costs.
    """
    aim = Objective.parse(objective)
    position = read_position(game, shots, board)
    by = prior_of(prior, position.game)
    if by is not None and method is Method.PAPER:
        raise OptsearchError(f"--prior works with --method solver or reference, not {method.value}")
    require_solver(
        method,
        tree=tree,
        prove=prove,
        time_limit=time_limit,
        all_shots=all_shots,
        jobs=jobs not in (None, 1),
        dask=dask,
    )
    if table is not None and method is Method.REFERENCE:
        raise OptsearchError("--table works with --method solver or paper, not with reference")
    if prove is not None:
        position.game.require_kinds("--prove", NoLabels, FixedLabels)
        if aim.kind != "mean":
            raise OptsearchError(f"--prove works with --objective mean, not with {aim}")
    require_digest(by, tree, prove, table)
    size = int(memory * 2**30)
    started = time.monotonic()
    with solving(str(position.game)) as progress:
        if method is Method.SOLVER:
            with advised("--table", table), executor_of(jobs, dask) as (executor, workers):
                try:
                    solution: Solution | None = solver.solve(
                        position,
                        objective=aim,
                        options=solver.SolverOptions(memory=size),
                        table=table,
                        executor=executor,
                        workers=workers or 1,
                        time_limit=time_limit,
                        partial=True,
                        all_shots=all_shots,
                        progress=progress,
                        prior=by,
                    )
                except TooLarge:
                    is_bounded = aim.kind != "mean" or position.game.announce != "place"
                    if time_limit is None or not is_bounded:
                        raise
                    solution = None
        elif method is Method.REFERENCE:
            solution = reference.solve(position, aim, by)
        elif aim.kind != "mean":
            raise OptsearchError(f"--method paper knows --objective mean only, not {aim}")
        else:
            with advised("--table", table):
                solution = paper.solve(position, memory=size, table=table, progress=progress)
        is_priced = method is Method.SOLVER and aim.kind == "mean" and time_limit is None
        greedy = None
        if solution is not None and is_priced and solution.is_complete:
            greedy = solution.greedy()
    if solution is None:
        assert time_limit is not None
        left = max(0.0, time_limit - (time.monotonic() - started))
        solution = bracketed(position, by, aim, left)
        if solution is None:
            bracket_of(position, by, aim).print(form)
            return
    answer_of(solution, greedy).print(form)
    if tree is not None or prove is not None:
        with telling("writing"):
            if tree is not None:
                best = "optimal" if solution.is_exact else "best found"
                title = best if aim.kind == "mean" else f"{best} for {aim}"
                tree_.save(replace(solution.tree(), title=title), tree)
            if prove is not None and solution.is_exact:
                write_proof(solution, prove)
    for name, path in (("tree", tree), ("proof", prove if solution.is_exact else None)):
        if path is not None and form is Form.TEXT:
            out.print(f"{name:<11} {path}", soft_wrap=True)
    if not solution.is_complete and time_limit is None:
        kept = f"; what was solved is in {table}, and the same command goes on from it"
        raise Interrupted(kept if table else "")


def bracketed(
    position: Position, by: Prior | None, aim: Objective, time_limit: float
) -> Solution | None:
    """What bounds say in some time of a game that is too large to be searched.

    None where the time is too short to count its configurations.
    """
    started = time.perf_counter()
    known = None
    if aim.kind == "mean":
        found = so_far_of(position, by, time_limit, ignore_left_out)
        known = Bracket.of(position, found.bounds)
    limit = Limit(0.0 if known else time_limit)
    try:
        with limit.alarm():
            number = Posterior(position, prior=by).configurations
    except LimitReached:
        return None
    if known is None:
        lower, upper = ends_of(position, aim, number)
    else:
        assert known.upper is not None
        lower, upper = ceil(known.lower * number), floor(known.upper * number)
    return Solution(
        position=position,
        prior=by,
        method="bounds",
        objective=aim,
        total_height=None,
        configurations=number,
        best_shots=(),
        nodes=0,
        table_entries=0,
        table_bytes=0,
        seconds=time.perf_counter() - started,
        is_exact=False,
        lower=lower,
        upper=upper,
    )


def ends_of(position: Position, aim: Objective, number: int) -> tuple[int, int]:
    """What is known of the worst case, or of the configurations finished in time, at once.

    number -- of the configurations; each finished in time is a word of hits and misses that ends in
    a hit, and different cells have different words.
    """
    game, hits = position.game, position.hits_left
    cells = game.cells - (position.closed | game.holes).bit_count()
    if aim.kind == "worst":
        is_told = position.shots or game.announce == "place"  # where one hit tells all of a ship
        told = [] if is_told else hidden_ship_sets(game)
        packed = (n for sets in told for n in worst_case_misses(game, sets))
        return hits + max(packed, default=0), cells
    misses = (aim.shots or 0) - hits
    if misses >= cells - hits:
        return number, number
    words = sum(comb(hits - 1 + j, j) for j in range(misses + 1)) if hits else 1
    is_told = game.contact == "any" or position.shots or not game.is_silent
    return 0, min(number, number if is_told else words)


def bracket_of(position: Position, by: Prior | None, aim: Objective) -> Answer:
    """What is known where there was no time to count the configurations."""
    answer = Answer.about(position, by, objective=str(aim), total_height=None, configurations=None)
    if aim.kind == "mean":
        ends = Bracket.of(position, first_bounds(position))
        answer.fact("mean shots", ends.text, bracket=[ends.lower, ends.upper])
    elif aim.kind == "worst":
        least, most = ends_of(position, aim, 0)
        answer.fact("worst case", f"between {least} and {most} shots", lower=least, upper=most)
    else:
        answer.fact(f"within {aim.shots}", "between 0 and all of them", bracket=[0, 1])
    answer.fact("cut short", "there was no time to count the configurations", method="bounds")
    return answer


def write_proof(solution: Solution, path: Path) -> None:
    """Write the lower-bound side of an optimum."""
    if solution.total_height is None:
        raise OptsearchError(f"--prove {str(path)!r}: the optimum is not known yet")
    position = solution.position
    exact = solver.Solver(position, prior=solution.prior)
    misses = solution.total_height - position.hits_left * solution.configurations
    proved = prove(position, misses, exact.least_misses, exact.prices, solution.prior)
    proof.save(proved, path)


def answer_of(solution: Solution, greedy: tuple[tuple[Cell, ...], int] | None) -> Answer:
    """A solution, and what greedy shooting costs where that is known."""
    number, total = solution.configurations, solution.total_height
    answer = Answer.about(
        solution.position,
        solution.prior,
        objective=str(solution.objective),
        total_height=total,
        configurations=number,
        **mean_fields(total, number),
        best_shots=cell_names(solution.best_shots),
    )
    if solution.finished is not None:
        answer.fact(
            f"within {solution.objective.shots}",
            f"{solution.finished:,} of {counted_text(number, solution.prior)} = "
            f"{solution.finished / number:.6f}",
            finished=solution.finished,
        )
    if solution.worst is not None:
        answer.fact("worst case", f"{solution.worst} shots", worst=solution.worst)
    least, most = solution.lower, solution.upper
    if least is not None and most is not None:
        answer.show(lower=least, upper=most)
        if solution.objective.kind == "worst" and solution.worst is None:
            answer.fact("worst case", f"between {least} and {most} shots", worst=None)
        elif solution.objective.kind == "within":
            share = f"{decimal(Fraction(least, number), 'lower')} and "
            share += decimal(Fraction(most, number), "upper")
            text = f"between {least:,} and {most:,} of {counted_text(number, solution.prior)}"
            answer.fact(f"within {solution.objective.shots}", f"{text}: {share}", finished=None)
    if total is not None:
        answer.fact("mean shots", mean_text(total, number))
    elif least is not None and most is not None and solution.objective.kind == "mean":
        answer.fact("mean shots", open_mean(least, most, number))
    best = " ".join(cell_names(solution.best_shots)) or "none: every ship is sunk"
    undecided = "not all first shots are decided yet"
    answer.fact("best shots", best if solution.is_exact else undecided)
    if greedy is not None:
        cells = cell_names(greedy[0])
        more = greedy[1] - (total or 0)
        cost = f"costs {more} more in total" if more else "is optimal"
        text = f"{' '.join(cells)}{'; the best of them' * (len(cells) > 1)} {cost}"
        answer.fact(
            "greedy shots",
            text if cells else None,
            greedy_shots=cells,
            greedy_shots_total_height=greedy[1],
        )
    shown, values = shot_values(solution)
    if values:
        answer.show(shot_values=values)
        answer.table(values)
    subsets = f", and {solution.subsets:,} subsets of them" if solution.subsets else ""
    answer.fact(
        "nodes",
        f"{solution.nodes:,}{subsets}",
        nodes=solution.nodes,
        subsets=solution.subsets,
        seconds=round(solution.seconds, 6),
        method=solution.method,
    )
    answer.fact(
        "table",
        f"{solution.table_entries:,} entries, {solution.table_bytes / 2**20:,.0f} MiB",
        table_entries=solution.table_entries,
    )
    if solution.disk_entries:
        answer.fact(
            "on disk",
            f"{solution.disk_entries:,} entries, {solution.disk_bytes / 2**20:,.1f} MiB",
            disk_entries=solution.disk_entries,
            disk_bytes=solution.disk_bytes,
        )
    answer.fact("seconds", f"{solution.seconds:.3f}")
    answer.show(*shown)
    return answer


def shot_value(value: ShotValue, solution: Solution) -> tuple[str, str, dict[str, object]]:
    """The value of a first shot: for its place on the board, in full, and for JSON."""
    number, fields = solution.configurations, {"shot": cell_name(value.cell)}
    if value.finished is not None:
        share = f"{value.finished} of {number} = {value.finished / number:.6f}"
        full = f"{share} within {solution.objective.shots}"
        return str(value.finished), full, {**fields, "finished": value.finished}
    lower, upper = value.lower or 0, value.upper or 0
    total = lower if value.is_exact else None
    known = {**fields, "total_height": total, **mean_fields(total, number)}
    if value.worst is not None:
        full = f"worst case {value.worst}, mean {mean_text(lower, number)}"
        return str(value.worst), full, {**known, "worst": value.worst}
    known |= {"lower": lower, "upper": upper}
    if value.is_exact:
        return decimal(Fraction(lower, number), places=4), mean_text(lower, number), known
    least, most = Fraction(lower, number), Fraction(upper, number)
    short = f"{decimal(least, 'lower', 3)}-{decimal(most, 'upper', 3)}"
    return short, open_mean(lower, upper, number), known


def shot_values(solution: Solution) -> tuple[list[str], list[dict[str, object]]]:
    """The value of every first shot: a board and below it a list from the best on; for JSON."""
    position, values = solution.position, solution.shot_values
    if not values:
        return [], []
    texts = [[sign if sign != "." else "" for sign in row] for row in position.board().splitlines()]
    shots: dict[str, list[str]] = {}
    for value in sorted(
        values, key=lambda v: (-(v.finished or 0), v.worst or 0, v.upper or 0, v.lower or 0)
    ):
        short, full, _ = shot_value(value, solution)
        texts[value.cell[0]][value.cell[1]] = short
        shots.setdefault(full, []).append(cell_name(value.cell))
    what = {
        "mean": "Mean shots",
        "worst": "Worst case",
        "within": f"Configurations finished within {solution.objective.shots} shots",
    }[solution.objective.kind]
    shown = [f"\n{what}, where a cell is shot first\n\n{board_text(position.game, texts)}\n"]
    if position.shots:
        shown.append(f"{legend(position.game)}\n")
    width = max(map(len, shots))
    shown += [f"{full:<{width}}  {' '.join(cells)}" for full, cells in shots.items()]
    return shown, [shot_value(value, solution)[2] for value in values]


# Bounds


@app.command(
    example="optsearch bounds 10x10:5,4,3,3,2",
    takes=2,
    then="optsearch solve 4x5:2,3,4  # the optimum of a small game",
    gives="game position (prior prior_digest) bounds bracket is_all left_out",
    every=Option("List every bound with its source.", flags="--all"),
)
def bounds(
    game: str,
    shots: str = "",
    board: Path | None = None,
    prior: str | None = None,
    time_limit: float | None = None,
    every: bool = False,
    form: Form = Form.TEXT,
) -> None:
    """Proved bounds on the optimum, and the bracket they leave.

    Sorted by value. The ends of the bracket are marked *, or = if both are equal.
    """
    position = read_position(game, shots, board)
    by = prior_of(prior, position.game)
    left_out: list[LeftOut] = []
    found = so_far_of(position, by, time_limit, left_out.append)
    answer = Answer.about(position, by)
    answer.bounds(Bracket.of(position, found.bounds), "mean shots", found.is_all, every)
    said = [{"name": one.name, "reason": one.reason} for one in left_out]
    answer.show(*(f"left out: {one.name} ({one.reason})" for one in left_out), left_out=said)
    answer.print(form)
    if found.is_interrupted:
        raise Interrupted


def so_far_of(
    position: Position, by: Prior | None, time_limit: float | None, leave_out: LeaveOut
) -> SoFar:
    """The bounds of a position that come in some time, each in half of it; a bracket always."""
    seconds = SECONDS if time_limit is None else time_limit / 2
    in_turn = partial(bounds_in_turn, position, by, seconds=seconds, leave_out=leave_out)
    return so_far(str(position.game), time_limit, in_turn, first_bounds(position))


@app.command(
    example="optsearch games",
    takes=40,
    then="optsearch bounds paper  # all bounds of one of them",
    gives="games time_limit",
    time_limit=Option("Seconds for the bounds of each game.", min=0.01),
)
def games(time_limit: float = 10, form: Form = Form.TEXT) -> None:
    """List the games that have a name, with their best known bounds.

    The name may be given wherever a GAME is, with other rules behind it, as in
    paper,announce=ship.
    """
    found = [fields_of(named, time_limit) for named in NAMED_GAMES.values()]
    answer = Answer(time_limit=time_limit)
    answer.show(lines_of(found), games=found)
    answer.table(found)
    answer.print(form)


def fields_of(named: NamedGame, seconds: float) -> dict[str, Any]:
    """A game for programs."""
    position = Position(Game.parse(named.text))
    bracket = Bracket.of(position, so_far_of(position, None, seconds, ignore_left_out).bounds)
    return {
        "name": named.name,
        "game": str(position.game),
        "about": named.about,
        "configurations": Posterior(position).configurations,
        "bracket": [bracket.lower, bracket.upper],
    }


def lines_of(found: Sequence[Mapping[str, Any]]) -> Table:
    """A line a game, for people."""
    lines = Table.grid(padding=(0, 2))
    for one in found:
        lines.add_row(
            one["name"], f"{one['configurations']:,}", ends(*one["bracket"]), one["about"]
        )
    return lines
