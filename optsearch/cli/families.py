"""What the commands answer about a family from a file instead of a game."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from rich.table import Table

from optsearch.cli.answers import Answer
from optsearch.cli.app import Interrupted
from optsearch.cli.arguments import Form
from optsearch.cli.common import executor_of, mean_fields, mean_text, numbered
from optsearch.cli.progress import solving
from optsearch.results.bracket import Bracket
from optsearch.search import hunt as hunt_
from optsearch.search.kernels import SolverOptions
from optsearch.search.team import Parallel
from optsearch.support.decimals import between, open_mean
from optsearch.support.errors import OptsearchError


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


def measures(total: int | None, sets: hunt_.Sets) -> dict[str, object]:
    """The misses of a strategy and their mean for a JSON answer."""
    return {"total_misses": total, **mean_fields(total, sets.weight)}


def solve_family(
    path: Path,
    time_limit: float | None,
    jobs: int,
    tree: Path | None,
    prove: Path | None,
    memory: int,
    form: Form,
) -> None:
    """The least misses with which a hidden set is found."""
    sets = hunt_.read(path)
    with solving(sets.title) as progress, executor_of(jobs) as executor:
        parallel = None if executor is None else Parallel(executor, jobs)
        options = SolverOptions(memory=memory)
        found = hunt_.hunt(sets, options, time_limit, parallel, True, progress)
    if tree is not None:
        hunt_.save(found.tree(), tree)
    if prove is not None and found.is_exact:
        hunt_.save_proof(found, prove)
    total = found.misses if found.is_exact else None
    answer = Answer(heading(sets), **described(sets))
    answer.fact(
        "mean misses",
        mean_text(total, sets.weight)
        if total is not None
        else open_mean(found.lower, found.upper, sets.weight),
        **measures(total, sets),
        lower=found.lower,
        upper=found.upper,
    )
    best = ", ".join(found.best) or "none: one set is left"
    answer.fact("best first", best if found.is_exact else None, best=list(found.best))
    answer.fact("nodes", f"{found.nodes:,}", nodes=found.nodes)
    answer.fact("seconds", f"{found.seconds:.3f}", seconds=round(found.seconds, 6))
    answer.fact("tree", str(tree) if tree else None)
    answer.fact("proof", str(prove) if prove and found.is_exact else None)
    answer.print(form)
    if not found.is_exact and time_limit is None:
        raise Interrupted("")


def greedy_family(path: Path, rule: str, tree: Path | None, form: Form) -> None:
    """What always asking for a most probable thing costs."""
    sets = hunt_.read(path)
    if rule not in hunt_.RULES:
        raise OptsearchError(
            f"no greedy rule {rule!r} of a family; there are {', '.join(hunt_.RULES)}"
        )
    with solving(sets.title) as progress:
        optimum = hunt_.hunt(sets, progress=progress)
        hunts = {name: hunt_.greedy(sets, name, progress) for name in hunt_.RULES}
    if tree is not None:
        hunt_.save(hunts[rule], tree)
    answer = Answer(heading(sets), **described(sets), **measures(optimum.misses, sets))
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("", "total misses", "mean", "more", "most misses"):
        table.add_column(name, justify="right" if name else "left")
    for name, made in {"optimal": optimum.tree(), **hunts}.items():
        more = f"+{made.total - optimum.misses:,}" if made.total > optimum.misses else ""
        label = name if name == "optimal" else f"greedy, {name}"
        mean = between(Fraction(made.total, sets.weight), "upper", optimum.mean, optimum.mean)
        table.add_row(label, f"{made.total:,}", mean, more, str(made.worst))
    rules = {
        name: {**measures(made.total, sets), "worst": made.worst} for name, made in hunts.items()
    }
    answer.show(table, rules=rules)
    answer.table({"rule": name, **row} for name, row in rules.items())
    answer.print(form)


def bounds_family(path: Path, form: Form) -> None:
    """Bounds on the least mean number of misses."""
    sets = hunt_.read(path)
    answer = Answer(heading(sets), **described(sets))
    answer.bounds(Bracket.of(sets.position, hunt_.bounds(sets)), "mean misses")
    answer.print(form)


def show_tree(file: Path, family: Path, verify: bool, form: Form) -> None:
    """Print a strategy of a family; verify it."""
    sets = hunt_.read(family)
    loaded = hunt_.load(file, sets)
    verified = hunt_.verify(loaded) if verify else None
    answer = Answer(**described(sets))
    answer.show(loaded.text)
    answer.head(f"\n{heading(sets)}")
    answer.fact("mean misses", mean_text(loaded.total, sets.weight), **measures(loaded.total, sets))
    answer.fact("mean asked", mean_text(loaded.asked, sets.weight))
    answer.fact("most misses", str(loaded.worst), worst=loaded.worst, asked=loaded.asked)
    number = numbered(len(sets.sets), "set")
    text = None if verified is None else f"every one of {number} replayed, {verified:,} misses"
    answer.fact("verified", text, verified=verified is not None)
    answer.print(form)


def check_proof(file: Path, family: Path, form: Form) -> None:
    """Check a proof that no strategy for a family misses less."""
    sets = hunt_.read(family)
    proved, claims = hunt_.check_proof(file, sets)
    answer = Answer(heading(sets), **described(sets))
    answer.fact("proved", f"no strategy has less than {proved:,} misses")
    text = f"at least {proved}/{sets.weight} ≈ {proved / sets.weight:.6f}"
    answer.fact("mean misses", text, **measures(proved, sets))
    answer.fact("claims", f"{claims:,}, each rechecked", claims=claims)
    answer.print(form)
