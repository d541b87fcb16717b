"""The commands of the optimum: solve, proof, bounds."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from optsearch import paper, proof, reference, solver
from optsearch import tree as tree_
from optsearch.bracket import bounds as known_bounds
from optsearch.cli.answers import print_json
from optsearch.cli.common import (
    BoardOption,
    FamilyOption,
    Interrupted,
    JsonOption,
    OptionalGame,
    PriorOption,
    ShotsOption,
    TimeLimitOption,
    advised,
    app,
    board_text,
    counted_text,
    described,
    executor_of,
    facts_table,
    heading,
    mean_fields,
    out,
    prior_row,
    read_position,
    require_writable,
    solving,
)
from optsearch.cli.families import bounds_family, game_of, solve_family
from optsearch.cli.families import check_proof as check_family_proof
from optsearch.errors import OptsearchError
from optsearch.game import Cell, cell_name
from optsearch.hiding import prior_of
from optsearch.objective import Objective
from optsearch.solution import ShotValue, Solution


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
            raise OptsearchError(f"--{option} goes with --method solver, not with {method.value}")


@app.command(epilog="Example: optsearch solve 4x5:2,3,4 --tree tree.json")
def solve(
    game: OptionalGame = None,
    family: FamilyOption = None,
    shots: ShotsOption = "",
    board: BoardOption = None,
    prior: PriorOption = None,
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
    time_limit: TimeLimitOption = None,
    all_shots: Annotated[
        bool,
        typer.Option(
            "--all-shots",
            help="Also the optimum after each first shot; with --time-limit a bracket where the "
            "time is too short.",
        ),
    ] = False,
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
    """The optimum: its mean number of shots, exactly, and its first shots.

    Every optimal first shot is given, and what greedy shooting costs.
    """
    aim = Objective.parse(objective)
    played = game_of(
        "solve",
        family,
        game,
        shots=shots,
        board=board,
        prior=prior,
        objective=aim.kind != "mean",
        method=method is not Method.SOLVER,
        all_shots=all_shots,
        table=table,
    )
    if played is None:
        assert family is not None
        solve_family(family, time_limit, jobs, tree, prove, int(memory * 2**30), as_json)
        return
    position = read_position(played, shots, board)
    by = prior_of(prior, position.game)
    if by is not None and method is Method.PAPER:
        raise OptsearchError(f"--prior goes with --method solver or reference, not {method.value}")
    require_solver(
        method,
        tree=tree,
        table=table,
        prove=prove,
        time_limit=time_limit,
        all_shots=all_shots,
        jobs=jobs > 1,
    )
    if prove is not None and (aim.kind != "mean" or not position.game.is_silent):
        raise OptsearchError(
            f"--prove goes with --objective mean and announce=nothing, not with {aim} and "
            f"announce={position.game.announce}"
        )
    require_writable(tree, prove)
    size = int(memory * 2**30)
    with solving(str(position.game)) as progress:
        if method is Method.SOLVER:
            with advised("--table", table), executor_of(jobs) as executor:
                solution = solver.solve(
                    position,
                    objective=aim,
                    options=solver.SolverOptions(memory=size),
                    table=table,
                    executor=executor,
                    workers=jobs,
                    time_limit=time_limit,
                    partial=aim.kind == "mean",
                    all_shots=all_shots,
                    progress=progress,
                    prior=by,
                )
        elif method is Method.REFERENCE:
            solution = reference.solve(position, aim, by)
        elif aim.kind != "mean":
            raise OptsearchError(f"--method paper knows --objective mean only, not {aim}")
        else:
            solution = paper.solve(position, memory=size, progress=progress)
    is_priced = method is Method.SOLVER and aim.kind == "mean" and solution.is_complete
    greedy = solution.greedy() if is_priced and time_limit is None else None
    if as_json:
        print_json(solution_fields(solution, greedy))
    else:
        print_solution(solution, greedy)
        print_shot_values(solution)
    if tree is not None:
        best = "optimal" if solution.is_exact else "best found"
        title = best if aim.kind == "mean" else f"{best} for {aim}"
        tree_.save(replace(solution.tree(), title=title), tree)
    if prove is not None and solution.is_exact:
        write_proof(solution, prove)
    if not as_json:
        for name, path in (("tree", tree), ("proof", prove if solution.is_exact else None)):
            if path is not None:
                out.print(f"{name:<11} {path}", soft_wrap=True)
    if not solution.is_complete and time_limit is None:
        kept = f"; what was solved is in {table}, and the same command goes on from it"
        raise Interrupted(kept if table else "")


def write_proof(solution: Solution, path: Path) -> None:
    """Write the lower-bound side of an optimum."""
    if solution.total_height is None:
        raise OptsearchError(f"--prove {str(path)!r}: the optimum is not known yet")
    position = solution.position
    exact = solver.Solver(position, prior=solution.prior)
    misses = solution.total_height - position.hits_left * solution.configurations
    proved = proof.prove(position, misses, exact.least_misses, exact.prices, solution.prior)
    proof.save(proved, path)


def solution_fields(
    solution: Solution, greedy: tuple[tuple[Cell, ...], int] | None
) -> dict[str, object]:
    """A solution as JSON."""
    fields: dict[str, object] = {
        **described(solution.position, solution.prior),
        "objective": str(solution.objective),
        "total_height": solution.total_height,
        "configurations": solution.configurations,
        **mean_fields(solution.total_height, solution.configurations),
        "best_shots": [cell_name(cell) for cell in solution.best_shots],
    }
    if solution.worst is not None:
        fields["worst"] = solution.worst
    if solution.finished is not None:
        fields["finished"] = solution.finished
    if solution.lower is not None:
        fields |= {"lower": solution.lower, "upper": solution.upper}
    if greedy is not None:
        fields |= {
            "greedy_shots": [cell_name(cell) for cell in greedy[0]],
            "greedy_shots_total_height": greedy[1],
        }
    if solution.shot_values:
        fields["shot_values"] = [shot_fields(value, solution) for value in solution.shot_values]
    return fields | {
        "nodes": solution.nodes,
        "subsets": solution.subsets,
        "seconds": round(solution.seconds, 6),
        "method": solution.method,
        "table_entries": solution.table_entries,
    }


def shot_fields(value: ShotValue, solution: Solution) -> dict[str, object]:
    """The value of a first shot as JSON: exact, or `lower` and `upper`."""
    fields: dict[str, object] = {"shot": cell_name(value.cell)}
    if value.finished is not None:
        return fields | {"finished": value.finished}
    number = solution.configurations
    fields["total_height"] = value.lower if value.is_exact else None
    fields |= mean_fields(value.lower if value.is_exact else None, number)
    if solution.worst is not None:
        return fields | {"worst": value.worst}
    return fields | {"lower": value.lower, "upper": value.upper}


def shot_texts(value: ShotValue, solution: Solution) -> tuple[str, str]:
    """The value of a first shot, for its place on the board and in full."""
    number = solution.configurations
    if value.finished is not None:
        share = f"{value.finished} of {number} = {value.finished / number:.6f}"
        return str(value.finished), f"{share} within {solution.objective.shots}"
    assert value.lower is not None
    assert value.upper is not None
    lower, upper = value.lower / number, value.upper / number
    if not value.is_exact:
        exact = f"between {value.lower}/{number} = {lower:.6f} and {value.upper}/{number}"
        return f"{lower:.3f}-{upper:.3f}", f"{exact} = {upper:.6f}"
    full = f"{value.lower}/{number} = {lower:.6f}"
    if value.worst is None:
        return f"{lower:.4f}", full
    return str(value.worst), f"worst case {value.worst}, mean {full}"


def print_shot_values(solution: Solution) -> None:
    """The value of every first shot: a board, and below it a list from the best to the worst."""
    values = solution.shot_values
    if not values:
        return
    position = solution.position
    texts = [[sign if sign != "." else "" for sign in row] for row in position.board().splitlines()]
    shots: dict[str, list[str]] = {}

    def rank(value: ShotValue) -> tuple[int, ...]:
        finished = value.finished
        if finished is not None:
            return (-finished,)
        return value.worst or 0, value.upper or 0, value.lower or 0

    for value in sorted(values, key=rank):
        short, full = shot_texts(value, solution)
        texts[value.cell[0]][value.cell[1]] = short
        shots.setdefault(full, []).append(cell_name(value.cell))
    what = {
        "mean": "Mean shots",
        "worst": "Worst case",
        "within": f"Configurations finished within {solution.objective.shots} shots",
    }[solution.objective.kind]
    typer.echo(f"\n{what}, where a cell is shot first\n\n{board_text(texts)}\n")
    if position.shots:
        typer.echo("X hit, o miss\n")
    width = max(map(len, shots))
    for full, cells in shots.items():
        typer.echo(f"{full:<{width}}  {' '.join(cells)}")


def print_solution(
    solution: Solution,
    greedy: tuple[tuple[Cell, ...], int] | None,
) -> None:
    """A solution for people."""
    out.print(heading(solution.position), style="bold")
    facts = facts_table()
    number = solution.configurations
    for row in prior_row(solution.prior):
        facts.add_row(*row)
    if solution.finished is not None:
        facts.add_row(
            f"within {solution.objective.shots}",
            f"{solution.finished:,} of {counted_text(number, solution.prior)} = "
            f"{solution.finished / number:.6f}",
        )
    if solution.worst is not None:
        facts.add_row("worst case", f"{solution.worst} shots")
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


@app.command("proof", epilog="Example: optsearch proof proof.jsonl")
def check_proof(
    file: Annotated[Path, typer.Argument(help="A file written by solve --prove.")],
    prior: PriorOption = None,
    family: FamilyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check a proof that no strategy is better.

    By code that shares nothing with the solver.
    """
    if family is not None:
        game_of("proof", family, None, prior=prior)
        check_family_proof(file, family, as_json)
        return
    by = prior_of(prior, proof.load(file).position.game) if prior is not None else None
    checked = proof.check(file, by)
    number = checked.configurations
    if as_json:
        print_json(
            {
                **described(checked.position, by),
                "total_height": checked.total_height,
                "configurations": number,
                **mean_fields(checked.total_height, number),
                "claims": checked.claims,
            }
        )
        return
    out.print(heading(checked.position), style="bold")
    facts = facts_table()
    for row in prior_row(by):
        facts.add_row(*row)
    facts.add_row("proved", f"no strategy has a total height below {checked.total_height:,}")
    mean = Fraction(checked.total_height, number)
    facts.add_row("mean shots", f"at least {mean} = {float(mean):.6f}")
    facts.add_row("claims", f"{checked.claims:,}, each rechecked")
    out.print(facts)


# Bounds


@app.command(epilog="Example: optsearch bounds 10x10:5,4,3,3,2")
def bounds(
    game: OptionalGame = None,
    family: FamilyOption = None,
    shots: ShotsOption = "",
    board: BoardOption = None,
    prior: PriorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Proved bounds on the optimum, and the bracket they leave.

    By value; those that are the ends of the bracket are marked *.
    """
    played = game_of("bounds", family, game, shots=shots, board=board, prior=prior)
    if played is None:
        assert family is not None
        bounds_family(family, as_json)
        return
    position = read_position(played, shots, board)
    by = prior_of(prior, position.game)
    known = known_bounds(position, prior=by)
    if as_json:
        print_json(
            {
                **described(position, by),
                "bounds": [
                    {
                        "name": bound.name,
                        "side": bound.side,
                        "value": bound.value,
                        "source": bound.source,
                        "is_binding": known.is_binding(bound),
                    }
                    for bound in known.bounds
                ],
                "bracket": [known.lower, known.upper],
            }
        )
        return
    out.print(heading(position), style="bold")
    for row in prior_row(by):
        out.print("  ".join(row))
    for side, title in (("lower", "mean shots, at least:"), ("upper", "and at most:")):
        chosen = [bound for bound in known.bounds if bound.side == side]
        if chosen:
            out.print(title)
        for bound in chosen:
            mark = "*" if known.is_binding(bound) else " "
            exact = f" = {bound.value}" if len(str(bound.value)) < 30 else ""
            typer.echo(f"{mark} {known.decimal(bound)}  {bound.name}{exact}\n    {bound.source}")
    out.print(f"bracket  {known.text}, its ends marked *", highlight=False)
    names = {bound.name for bound in known.bounds}
    apart = position.game.is_silent and position.game.contact != "any"
    script, wanted = ("lower_bounds", "root chain") if apart else ("told", "all ships told but two")
    possible = by is None and not position.shots and (apart or len(position.game.fleet) > 1)
    if possible and wanted not in names:
        typer.echo(f'stronger ones, in a checkout: python -m experiments.{script} "{played}"')
