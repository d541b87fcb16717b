"""The command that compares two strategies before either is evaluated: compare."""

from __future__ import annotations

from pathlib import Path

from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import advised, numbered, read_game, require_order
from optsearch.cli.estimates import announce_comparison
from optsearch.cli.options import Argument, Form, Option
from optsearch.cli.progress import telling
from optsearch.cli.tasks import executor_at
from optsearch.evaluation import Comparison
from optsearch.evaluation import compare as compare_
from optsearch.evaluation.comparison import MOST_DRAWN, POSITIONS
from optsearch.strategies import as_strategy
from optsearch.support.decimals import time_text


@app.command(
    example="optsearch compare greedy rollout 6x6:4,3,2 --largest 1000",
    takes=4,
    then="optsearch evaluate rollout 6x6:4,3,2  # exactly, on all configurations",
    gives="game first second until seed configurations largest positions first_mean second_mean "
    "saved standard_error is_exact microseconds",
    first=Argument(
        "A strategy, as evaluate takes it, such as greedy or my_file.py:NAME.", metavar="FIRST"
    ),
    second=Argument("The strategy that may save shots in its place.", metavar="SECOND"),
    until=Option(
        "The strategy that plays from the empty board to the positions; no rollout.",
        metavar="STRATEGY",
    ),
    positions=Option("How many positions to draw.", min=2, max=MOST_DRAWN),
    largest=Option(
        "The most configurations of a position (default: 100,000; 8,192 if a strategy plays in "
        "plain Python).",
        min=2,
    ),
    seed=Option("The same seed gives the same positions.", min=0),
)
def compare(
    first: str,
    second: str,
    game: str,
    until: str = "greedy",
    positions: int = POSITIONS,
    largest: int | None = None,
    seed: int = 1,
    jobs: int | None = None,
    resume: Path | None = None,
    dask: str | None = None,
    memory: float = 4,
    form: Form = Form.TEXT,
) -> None:
    """Estimate what one strategy saves in place of another.

    Evaluates both from the same positions, drawn at random. This takes seconds or minutes,
    where the whole game would take hours.
    """
    require_order("compare", [first, second], game)
    strategies = [as_strategy(text) for text in (first, second, until)]
    parsed = read_game(game)
    with (
        advised("--resume", resume),
        executor_at(dask, jobs) as (executor, workers),
    ):
        most = int(memory * 2**30)
        paces = announce_comparison(strategies[:2], parsed, largest, positions, most, workers)
        with telling("comparing") as progress:
            comparison = compare_(
                strategies[0],
                strategies[1],
                parsed,
                until=strategies[2],
                positions=positions,
                largest=largest,
                seed=seed,
                executor=executor,
                jobs=workers,
                checkpoint=resume,
                memory=most,
                progress=progress,
            )
    answer = answer_of(comparison)
    if not comparison.is_exact:
        times = " and ".join(time_text(one * comparison.configurations) for one in paces)
        answer.fact("to evaluate", f"about {times} of one processor, on all configurations")
    answer.print(form)


def answer_of(comparison: Comparison) -> Answer:
    """What is known of a comparison."""
    answer = Answer(f"{comparison.game}, seed {comparison.seed}", game=str(comparison.game))
    answer.fact("first", comparison.first, first=comparison.first)
    answer.fact("second", comparison.second, second=comparison.second)
    answer.fact("until", comparison.until, until=comparison.until, seed=comparison.seed)
    number = comparison.configurations
    answer.fact("configurations", f"{number:,}", configurations=number)
    answer.fact(
        "positions",
        f"{comparison.positions:,} of up to {comparison.largest:,} configurations",
        largest=comparison.largest,
        positions=comparison.positions,
    )
    first, second = comparison.means
    answer.fact("means", f"{first:.4f} and {second:.4f}", first_mean=first, second_mean=second)
    saved, error = comparison.saved, comparison.standard_error
    answer.fact(
        "saved",
        f"{saved:.6f} shots, exactly"
        if comparison.is_exact
        else f"{saved:.4f} ± {error:.4f} shots",
        saved=saved,
        standard_error=error,
        is_exact=comparison.is_exact,
    )
    micro = comparison.microseconds
    pace = " and ".join(f"{one:.2g}" for one in micro)
    answer.fact("processor time", f"{pace} µs per configuration", microseconds=micro)
    answer.fact("seconds", f"{comparison.seconds:,.1f}")
    if comparison.resumed:
        answer.fact("resumed", numbered(comparison.resumed, "evaluation") + " were done before")
    return answer
