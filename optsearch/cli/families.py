"""The answers of commands whose GAME is a file with a family of sets, one function per command.

One of the sets is hidden, and a question asks if it contains a *thing*. A *miss* is a question
whose answer is no. In a game the sets are configurations and the things are cells.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TypeVar

from optsearch.cli.answers import Answer
from optsearch.cli.common import align_columns, count_text, mean_fields, mean_text, open_executor
from optsearch.cli.console import Interrupted
from optsearch.cli.options import Form, WorkerOptions
from optsearch.cli.progress import collect_bounds, show_search_progress
from optsearch.results.bracket import Bracket
from optsearch.search import identify as identification
from optsearch.search.kernels import SolverOptions
from optsearch.search.proving import check_claims, save_claims
from optsearch.search.team import Parallel
from optsearch.support.decimals import decimal, mean_bracket_text
from optsearch.support.errors import GameError, OptsearchError
from optsearch.support.progress import Limit, LimitReached

Function = TypeVar("Function", bound=Callable[..., None])
ANSWERS: dict[str, Callable[..., None]] = {}  # by command


def family_command(names: str) -> Callable[[Function], Function]:
    """Return a decorator that enters a function in `ANSWERS` for the command of the same name.

    names -- the fields of its JSON answer, as words, without those that describe the family.
    """

    def declare(function: Function) -> Function:
        vars(function)["fields"] = names
        ANSWERS[function.__name__] = function
        return function

    return declare


def answer_for(command: str, game: str) -> Callable[..., None]:
    """Return the function that answers a command about a family, a file of sets to search.

    Raises GameError for a command that answers about games only.
    """
    if command not in ANSWERS:
        raise GameError(
            f"{game!r} is a family of sets, which {', '.join(sorted(ANSWERS))} take; {command} "
            "takes a game, such as 4x4:3,2"
        )
    return ANSWERS[command]


def family_fields(family: identification.Sets) -> dict[str, object]:
    """Return the fields of a JSON answer that describe a family of sets."""
    return {
        "family": family.title,
        "family_digest": family.digest,
        "sets": len(family.sets),
        "things": len(family.things),
        "weight": family.weight,
    }


def heading(family: identification.Sets) -> str:
    """Return a line with the title of a family, and its numbers of sets and things."""
    weight = "" if family.weight == len(family.sets) else f" of weight {family.weight:,}"
    number_of_sets = count_text(len(family.sets), "set")
    return f"{family.title}: {number_of_sets}{weight}, {count_text(len(family.things), 'thing')}"


def misses_fields(total: int | None, family: identification.Sets) -> dict[str, object]:
    """Return the fields of a JSON answer for the misses of a family: their total, and the mean."""
    return {"total_misses": total, **mean_fields(total, family.weight)}


@family_command("total_misses mean lower upper best nodes seconds")
def solve(
    path: Path,
    time_limit: float | None,
    jobs: int | None,
    dask: str | None,
    tree: Path | None,
    prove: Path | None,
    memory: float,
    form: Form,
) -> None:
    """Print the least mean number of misses until the hidden set is known, or a bracket of it.

    path -- the file with the family, of whose sets one is hidden; a question asks if it has a
    thing. tree, prove -- files to write a strategy and a proof to. memory -- GiB of the table.
    """
    family = identification.read(path)
    with (
        show_search_progress(family.title, "misses", family.certain_hits) as progress,
        open_executor(WorkerOptions(jobs, dask)) as (executor, workers),
    ):
        parallel = None if executor is None else Parallel(executor, workers)
        result = identification.identify(
            family,
            SolverOptions(memory=int(memory * 2**30)),
            time_limit=time_limit,
            parallel=parallel,
            partial=True,
            progress=progress,
        )
        if tree is not None:
            identification.save(result.tree(), tree)
        if prove is not None and result.is_exact:
            save_claims(result, prove)
    total_misses = result.misses if result.is_exact else None
    mean_in_words = mean_bracket_text(result.lower, result.upper, family.weight)
    if total_misses is not None:
        mean_in_words = mean_text(total_misses, family.weight)
    answer = Answer(heading(family), **family_fields(family))
    answer.add_fact(
        "mean misses",
        mean_in_words,
        **misses_fields(total_misses, family),
        lower=result.lower,
        upper=result.upper,
    )
    best_text = ", ".join(result.best) or "none: one set is left"
    answer.add_fact("best first", best_text if result.is_exact else None, best=list(result.best))
    answer.add_fact(
        "seconds", f"{result.seconds:.3f}", nodes=result.nodes, seconds=round(result.seconds, 6)
    )
    answer.add_fact("tree", str(tree) if tree else None)
    answer.add_fact("proof", str(prove) if prove and result.is_exact else None)
    answer.print(form)
    if not result.is_exact and time_limit is None:
        raise Interrupted("")


@family_command("total_misses mean lower upper rules")
def greedy(path: Path, tree: Path | None, time_limit: float | None, form: Form) -> None:
    """Print the misses of strategies that always ask if a most probable thing is in the hidden set.

    path -- the file with the family of sets. tree -- the file to write the best strategy to.
    time_limit -- seconds for all; the optimum may take half of them.
    """
    family = identification.read(path)
    limit, tree_by_rule = Limit(time_limit), {}
    half_of_time = None if time_limit is None else time_limit / 2
    slow_rules = ("best", "worst")
    quick_rules = [rule for rule in identification.RULES if rule not in slow_rules]
    with show_search_progress(family.title, "misses", family.certain_hits) as progress:
        optimum = identification.identify(family, time_limit=half_of_time, progress=progress)
        with suppress(LimitReached):
            for rule in (*quick_rules, *slow_rules):
                tree_by_rule[rule] = identification.greedy(family, rule, limit.watch(progress))
    known_trees = {
        rule: tree_by_rule[rule] for rule in identification.RULES if rule in tree_by_rule
    }
    if tree is not None:
        if "best" not in known_trees:
            raise OptsearchError(
                f"--tree {str(tree)!r}: the best greedy tree was not known after --time-limit "
                f"{time_limit:g} seconds"
            )
        identification.save(known_trees["best"], tree)
    greedy_answer(family, optimum, known_trees).print(form)


def greedy_answer(
    family: identification.Sets,
    optimum: identification.Identification,
    strategies: dict[str, identification.IdentificationTree],
) -> Answer:
    """Return the answer about a family's optimum and greedy trees.

    strategies -- the greedy tree of each rule for ties, by the name of the rule.
    """
    total_misses = optimum.misses if optimum.is_exact else None
    upper = min([optimum.upper, *(strategy.total for strategy in strategies.values())])
    answer = Answer(heading(family), **family_fields(family), **misses_fields(total_misses, family))
    if total_misses is None:
        answer.add_fact("optimum", mean_bracket_text(optimum.lower, upper, family.weight))
    answer.add(lower=optimum.lower, upper=upper)
    strategy_by_label = {f"greedy, {rule}": strategy for rule, strategy in strategies.items()}
    if total_misses is not None:
        strategy_by_label = {"optimal": optimum.tree(), **strategy_by_label}
    table_rows = [("", "total misses", "mean", "more", "most misses")]
    for label, strategy in strategy_by_label.items():
        excess = 0 if total_misses is None else strategy.total - total_misses
        excess_text = f"+{excess:,}" if excess > 0 else ""
        mean = decimal(Fraction(strategy.total, family.weight))
        table_rows.append((label, f"{strategy.total:,}", mean, excess_text, str(strategy.worst)))
    if strategy_by_label:
        answer.add(align_columns(table_rows, is_right_aligned=True))
    fields_by_rule = {
        rule: {**misses_fields(strategy.total, family), "worst": strategy.worst}
        for rule, strategy in strategies.items()
    }
    answer.add(rules=fields_by_rule)
    answer.set_rows({"rule": rule, **row} for rule, row in fields_by_rule.items())
    return answer


@family_command("bounds bracket is_all")
def bounds(path: Path, time_limit: float | None, every: bool, form: Form) -> None:
    """Print bounds on the least mean number of misses; path -- the file with the family of sets."""
    family = identification.read(path)
    answer = Answer(heading(family), **family_fields(family))
    result = collect_bounds(family.title, time_limit, partial(identification.bounds, family))
    bracket = Bracket.of(family.position, result.bounds)
    answer.add_bounds(bracket, quantity="mean misses", is_complete=result.is_all, list_all=every)
    answer.print(form)
    if result.is_interrupted:
        raise Interrupted


@family_command("total_misses mean worst asked")
def tree(path: Path, file: Path, form: Form) -> None:
    """Print the strategy in `file` for a family of sets, whose file is `path`."""
    family = identification.read(path)
    loaded = identification.load(file, family)
    answer = Answer(**family_fields(family))
    answer.add(loaded.text)
    answer.add_heading(f"\n{heading(family)}")
    answer.add_fact(
        "mean misses", mean_text(loaded.total, family.weight), **misses_fields(loaded.total, family)
    )
    answer.add_fact("mean asked", mean_text(loaded.asked, family.weight))
    answer.add_fact("most misses", str(loaded.worst), worst=loaded.worst, asked=loaded.asked)
    answer.print(form)


@family_command("what total_misses mean (claims)")
def check(path: Path, file: Path, form: Form) -> None:
    """Replay a strategy for a family, or check the proof that none has fewer misses.

    path -- the file with the sets. file -- that of the strategy or the proof.
    """
    family = identification.read(path)
    if identification.is_identification(file):
        loaded = identification.load(file, family)
        answer = Answer(heading(family), **family_fields(family), what="tree")
        number_of_sets = count_text(len(family.sets), "set")
        replayed_text = f"every one of {number_of_sets}, {identification.verify(loaded):,} misses"
        answer.add_fact("replayed", replayed_text)
        mean_in_words = mean_text(loaded.total, family.weight)
        answer.add_fact("mean misses", mean_in_words, **misses_fields(loaded.total, family))
        answer.print(form)
        return
    proved, claims = check_claims(file, family)
    answer = Answer(heading(family), **family_fields(family), what="proof")
    answer.add_fact("proved", f"no strategy has less than {proved:,} misses")
    least_mean = decimal(Fraction(proved, family.weight), "lower")
    bound_text = f"at least {proved}/{family.weight} ≈ {least_mean}"
    answer.add_fact("mean misses", bound_text, **misses_fields(proved, family))
    answer.add_fact("claims", f"{claims:,}, each rechecked", claims=claims)
    answer.print(form)
