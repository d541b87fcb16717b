"""What the commands answer about a family from a file instead of a game."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.table import Table

from optsearch import hunt as hunt_
from optsearch.cli.answers import print_json
from optsearch.cli.common import (
    Interrupted,
    executor_of,
    facts_table,
    mean_fields,
    numbered,
    out,
    require_writable,
    solving,
)
from optsearch.decimals import between
from optsearch.errors import OptsearchError
from optsearch.kernels import SolverOptions
from optsearch.solver import Parallel


def game_of(command: str, family: Path | None, game: str | None, **given: object) -> str | None:
    """The game that is asked about; None where it is a family.

    Refuses one beside the other, neither, and options that go with a game only. given -- these, and
    whether each was given.
    """
    if family is None:
        if game is None:
            raise OptsearchError(
                f"'GAME' is missing, as in optsearch {command} 4x5:2,3,4, or --family FILE; "
                f"optsearch {command} --help says more"
            )
        return game
    if game is not None:
        raise OptsearchError(f"give a GAME ({game!r}) or --family ({str(family)!r}), not both")
    for name, value in given.items():
        if value:
            option = name.replace("_", "-")
            raise OptsearchError(f"--{option} goes with a GAME, not with --family {str(family)!r}")
    return None


def described(sets: hunt_.Sets) -> dict[str, object]:
    """The fields that tell what a JSON answer is about."""
    return {
        "family": sets.title,
        "family_digest": sets.digest,
        "sets": len(sets.sets),
        "things": len(sets.things),
        "weight": sets.weight,
    }


def heading(sets: hunt_.Sets) -> str:
    """The same for people."""
    weight = "" if sets.weight == len(sets.sets) else f" of weight {sets.weight:,}"
    number = numbered(len(sets.sets), "set")
    return f"{sets.title}: {number}{weight}, {numbered(len(sets.things), 'thing')}"


def mean_text(total: int, sets: hunt_.Sets) -> str:
    """A mean, not reduced, and as a decimal number."""
    return f"{total}/{sets.weight} = {total / sets.weight:.6f}"


def solve_family(
    path: Path,
    time_limit: float | None,
    jobs: int,
    tree: Path | None,
    prove: Path | None,
    memory: int,
    as_json: bool,
) -> None:
    """The least misses with which a hidden set is found."""
    sets = hunt_.read(path)
    require_writable(tree, prove)
    with solving(sets.title) as progress, executor_of(jobs) as executor:
        parallel = None if executor is None else Parallel(executor, jobs)
        options = SolverOptions(memory=memory)
        found = hunt_.hunt(sets, options, time_limit, parallel, True, progress)
    if tree is not None:
        hunt_.save(found.tree(), tree)
    if prove is not None and found.is_exact:
        hunt_.save_proof(found, prove)
    if as_json:
        print_json(
            {
                **described(sets),
                "total_misses": found.misses if found.is_exact else None,
                **mean_fields(found.misses if found.is_exact else None, sets.weight),
                "lower": found.lower,
                "upper": found.upper,
                "best": list(found.best),
                "nodes": found.nodes,
                "seconds": round(found.seconds, 6),
            }
        )
    else:
        print_found(found, tree, prove)
    if not found.is_exact and time_limit is None:
        raise Interrupted("")


def print_found(found: hunt_.Found, tree: Path | None, prove: Path | None) -> None:
    """The optimum of a family for people, and the files that were written."""
    sets = found.sets
    out.print(heading(sets), style="bold")
    facts = facts_table()
    if found.is_exact:
        facts.add_row("mean misses", mean_text(found.misses, sets))
        facts.add_row("best first", ", ".join(found.best) or "none: one set is left")
    else:
        ends = f"{mean_text(found.lower, sets)} and {mean_text(found.upper, sets)}"
        facts.add_row("mean misses", f"between {ends}")
    facts.add_row("nodes", f"{found.nodes:,}")
    facts.add_row("seconds", f"{found.seconds:.3f}")
    for name, file in (("tree", tree), ("proof", prove if found.is_exact else None)):
        if file is not None:
            facts.add_row(name, str(file))
    out.print(facts)


def greedy_family(path: Path, rule: str, tree: Path | None, as_json: bool) -> None:
    """What always asking for a most probable thing costs."""
    sets = hunt_.read(path)
    if rule not in hunt_.RULES:
        raise OptsearchError(
            f"no greedy rule {rule!r} of a family; there are {', '.join(hunt_.RULES)}"
        )
    require_writable(tree)
    with solving(sets.title) as progress:
        optimum = hunt_.hunt(sets, progress=progress)
        hunts = {name: hunt_.greedy(sets, name, progress) for name in hunt_.RULES}
    if tree is not None:
        hunt_.save(hunts[rule], tree)
    if as_json:
        print_json(
            {
                **described(sets),
                "total_misses": optimum.misses,
                **mean_fields(optimum.misses, sets.weight),
                "rules": {
                    name: {
                        "total_misses": made.total,
                        **mean_fields(made.total, sets.weight),
                        "worst": made.worst,
                    }
                    for name, made in hunts.items()
                },
            }
        )
        return
    out.print(heading(sets), style="bold")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("", "total misses", "mean", "more", "most misses"):
        table.add_column(name, justify="right" if name else "left")
    for name, made in {"optimal": optimum.tree(), **hunts}.items():
        more = f"+{made.total - optimum.misses:,}" if made.total > optimum.misses else ""
        label = name if name == "optimal" else f"greedy, {name}"
        mean = f"{made.total / sets.weight:.6f}"
        table.add_row(label, f"{made.total:,}", mean, more, str(made.worst))
    out.print(table)


def bounds_family(path: Path, as_json: bool) -> None:
    """Bounds on the least mean number of misses."""
    sets = hunt_.read(path)
    known = hunt_.bounds(sets)
    lower = max(bound.value for bound in known if bound.side == "lower")
    upper = min(bound.value for bound in known if bound.side == "upper")
    if as_json:
        print_json(
            {
                **described(sets),
                "bounds": [
                    {
                        "name": bound.name,
                        "side": bound.side,
                        "value": bound.value,
                        "source": bound.source,
                        "is_binding": bound.value == (lower if bound.side == "lower" else upper),
                    }
                    for bound in known
                ],
                "bracket": [lower, upper],
            }
        )
        return
    out.print(heading(sets), style="bold")
    for side, title in (("lower", "mean misses, at least:"), ("upper", "and at most:")):
        out.print(title)
        for bound in known:
            if bound.side == side:
                value = between(bound.value, side, lower, upper)
                typer.echo(f"  {value}  {bound.name} = {bound.value}\n    {bound.source}")
    ends = (between(end, side, lower, upper) for side, end in (("lower", lower), ("upper", upper)))
    out.print(f"bracket  {' to '.join(ends)}")


def show_tree(file: Path, family: Path, verify: bool, as_json: bool) -> None:
    """Print a strategy of a family; verify it."""
    sets = hunt_.read(family)
    loaded = hunt_.load(file, sets)
    verified = hunt_.verify(loaded) if verify else None
    if as_json:
        print_json(
            {
                **described(sets),
                "total_misses": loaded.total,
                **mean_fields(loaded.total, sets.weight),
                "worst": loaded.worst,
                "asked": loaded.asked,
                "verified": verified is not None,
            }
        )
        return
    typer.echo(loaded.text())
    out.print(f"\n{heading(sets)}", style="bold")
    facts = facts_table()
    facts.add_row("mean misses", mean_text(loaded.total, sets))
    facts.add_row("mean asked", mean_text(loaded.asked, sets))
    facts.add_row("most misses", str(loaded.worst))
    if verified is not None:
        facts.add_row(
            "verified",
            f"every one of {numbered(len(sets.sets), 'set')} replayed, {verified:,} misses",
        )
    out.print(facts)


def check_proof(file: Path, family: Path, as_json: bool) -> None:
    """Check a proof that no strategy for a family misses less."""
    sets = hunt_.read(family)
    proved, claims = hunt_.check_proof(file, sets)
    if as_json:
        fields = {"total_misses": proved, **mean_fields(proved, sets.weight), "claims": claims}
        print_json({**described(sets), **fields})
        return
    out.print(heading(sets), style="bold")
    facts = facts_table()
    facts.add_row("proved", f"no strategy has less than {proved:,} misses")
    facts.add_row("mean misses", f"at least {mean_text(proved, sets)}")
    facts.add_row("claims", f"{claims:,}, each rechecked")
    out.print(facts)
