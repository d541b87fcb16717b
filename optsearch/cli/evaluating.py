"""The commands about strategies: evaluate, strategies and compare."""

from __future__ import annotations

import shlex
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

from optsearch.cli.answers import Answer
from optsearch.cli.app import app, first_paragraph
from optsearch.cli.common import (
    align_columns,
    configurations_text,
    count_text,
    mean_fields,
    prior_fields,
    prior_text,
    read_game,
    refuse_with_unknown_fleet,
    require_game_last,
    resumable_execution,
    title_with_rules,
)
from optsearch.cli.estimates import announce_comparison, announce_evaluation
from optsearch.cli.options import OUTPUT, Argument, Form, Option, RunOptions
from optsearch.cli.progress import show_progress
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior, prior_of
from optsearch.evaluation import Comparison, Evaluation, EvaluationStatus
from optsearch.evaluation import compare as compare_
from optsearch.evaluation import evaluate as evaluate_
from optsearch.evaluation.comparison import MOST_DRAWN, POSITIONS, PositionSampling
from optsearch.game import Game, urn
from optsearch.game.fleets import MixedGame, any_game
from optsearch.game.orders import ORDERS
from optsearch.results.tables import TABLES
from optsearch.strategies import Strategy, added_players, as_player, as_strategy, player_classes
from optsearch.strategies.player import Player, name_of, parameters
from optsearch.strategies.simple import Random
from optsearch.support.decimals import time_text
from optsearch.support.errors import OptsearchError, StrategyError
from optsearch.support.progress import Progress


@app.command(
    example="optsearch evaluate greedy:ties=central 4x5:2,3,4",
    seconds=2,
    next_step="optsearch solve 4x5:2,3,4  # the optimum, to compare with",
    fields="strategy game (prior prior_digest) configurations (total_height) mean sd worst "
    "(within finished share) (histogram probabilities)",
    strategy=Argument(
        "Such as greedy, rollout, nested, pattern or my_file.py:NAME; parameters as in "
        "greedy:ties=last.",
        metavar="STRATEGY",
    ),
    output=OUTPUT("Write the histogram to this file (CSV)."),
)
def evaluate(
    strategy: str,
    game: str,
    *,
    prior: str | None = None,
    run: RunOptions,
    memory: float = 4,
    within: int | None = None,
    output: Path | None = None,
    form: Form = Form.TEXT,
) -> None:
    """The exact histogram of a strategy's shots.

    Over all configurations of a game. `optsearch strategies` lists the names. A strategy of
    your own is a function in a file: it takes the position and returns the cell to shoot, (row,
    column) from 0.
    """
    require_game_last("evaluate", [strategy], game)
    parsed = read_game(game, any_game)
    parsed_prior = prior_of(prior, parsed)
    if isinstance(parsed, MixedGame):
        refuse_with_unknown_fleet(
            parsed, jobs=run.jobs not in (None, 1), resume=run.resume, dask=run.dask
        )
        evaluation = evaluate_(strategy, parsed, prior=parsed_prior)
        if output is not None:
            write_histogram(evaluation, output)
        answer_of(evaluation, within).print(form)
        return
    if as_player(strategy) == Random():
        _refuse_options(strategy, resume=run.resume, dask=run.dask, output=output)
        random_answer(parsed, parsed_prior, within).print(form)
        return
    chosen_strategy = as_strategy(strategy)
    with resumable_execution(run) as execution:
        announce_evaluation(chosen_strategy, parsed, execution.tasks_at_once)
        with show_evaluation_progress() as progress:
            evaluation = evaluate_(
                chosen_strategy,
                parsed,
                prior=parsed_prior,
                memory=int(memory * 2**30),
                execution=replace(execution, progress=progress),
            )
    if output is not None:
        write_histogram(evaluation, output)
    answer = answer_of(evaluation, within)
    answer.add_fact("written", str(output) if output else None)
    answer.print(form)


@app.command(
    "strategies",
    example="optsearch strategies greedy",
    seconds=2,
    next_step="optsearch evaluate pattern 4x5:2,3,4  # what one of them costs",
    fields="strategies ties",
    names=Argument("Strategies whose parameters are listed (default: all names).", metavar="NAME"),
)
def list_strategies(names: list[str] | None = None, form: Form = Form.TEXT) -> None:
    """List the strategies and players.

    Given their names, it prints their parameters. evaluate takes strategies, simulate takes both.
    """
    classes = {name_of(player_class): player_class for player_class in player_classes()}
    for name in names or ():
        if name not in classes:
            as_player(name)  # raises, and says what there is
            raise StrategyError(f"{name!r} is not a name alone; its parameters stand in its file")
    strategies = [_strategy_fields(classes[name]) for name in names or classes]
    answer = Answer(strategies=strategies, ties=list(ORDERS))
    answer.set_rows(strategies)
    if names:
        _add_strategies_with_parameters(answer, strategies)
    else:
        _add_all_strategies(answer, strategies)
    answer.print(form)


USER_STRATEGIES = (
    "FILE.py:NAME",
    "  a strategy: a class with the method shot(position), an object of one, or a function of the",
    "  position, which return the cell to shoot as (row, column), from 0",
    "  a player: a class with the method begin(game, generator), which returns an object with",
    "  shot(position) for one game",
)


TIES = (
    "  first -- row by row; last -- the reverse; checkerboard -- the cells with an even sum of row",
    "  and column, counted from 0, then the others; central -- the nearest to the middle of the",
    "  board first. Cells that are level come row by row. The last two need a rectangular board.",
)


def _add_all_strategies(answer: Answer, strategies: list[dict[str, Any]]) -> None:
    """Add all strategies and players, and how to name your own."""
    for heading, is_strategy in (
        ("Strategies, for evaluate and simulate", True),
        ("Players by chance or memory, for simulate", False),
    ):
        rows = [
            ("", fields["name"], fields["what"])
            for fields in strategies
            if fields["is_strategy"] == is_strategy
        ]
        answer.add_heading(heading)
        answer.add(align_columns(rows), "")
    answer.add_heading("Your own")
    answer.add(*USER_STRATEGIES)
    for name, source in added_players().items():
        answer.add(f"{name}\n  {source}, of an installed package")
    answer.add("\nstrategies NAME lists the parameters of one.")


def _add_strategies_with_parameters(answer: Answer, strategies: list[dict[str, Any]]) -> None:
    """Add the given strategies, each with its parameters, and how to set them."""
    for fields in strategies:
        answer.add_heading(fields["name"])
        answer.add(f"  {fields['what']}")
        if fields["parameters"]:
            rows = [
                (
                    f"  {parameter['name']}={parameter['default']}",
                    parameter["accepted"],
                    parameter["meaning"],
                )
                for parameter in fields["parameters"]
            ]
            answer.add(align_columns(rows))
        answer.add("")
    answer.add("Give them as NAME:PARAMETER=VALUE,…, as in greedy:ties=central,endgame=6.")
    names = {parameter["name"] for fields in strategies for parameter in fields["parameters"]}
    if "ties" in names:
        answer.add(*TIES)


def _strategy_fields(player_class: type[Player]) -> dict[str, Any]:
    """Return the fields of a JSON answer for a strategy or player and its parameters."""
    return {
        "name": name_of(player_class),
        "is_strategy": issubclass(player_class, Strategy),
        "what": first_paragraph(player_class.__doc__),
        "parameters": [
            {
                "name": parameter.name,
                "type": "integer" if isinstance(parameter.default, int) else "text",
                "default": parameter.default,
                "accepted": parameter.accepted_text,
                "meaning": parameter.meaning,
            }
            for parameter in parameters(player_class).values()
        ],
    }


def answer_of(evaluation: Evaluation, within: int | None = None) -> Answer:
    """Return the answer about an evaluation.

    within -- a number of shots; the share of games that end within them is added.
    """
    game, prior = evaluation.game, evaluation.prior
    configurations, total_height = evaluation.configurations, evaluation.total_height
    answer = Answer(
        title_with_rules(str(game), game),
        strategy=evaluation.strategy,
        game=str(game),
        **prior_fields(prior),
    )
    answer.add_fact("strategy", evaluation.strategy)
    answer.add_fact("prior", prior_text(prior))
    label = "configurations" if prior is None else "weight"
    answer.add_fact(label, f"{configurations:,}", configurations=configurations)
    answer.add_fact("total height", f"{total_height:,}", total_height=total_height)
    answer.add_fact(
        "mean shots", f"{float(evaluation.mean):.6f}", **mean_fields(total_height, configurations)
    )
    answer.add_fact("sd", f"{evaluation.sd:.4f}", sd=evaluation.sd)
    answer.add_fact("worst case", f"{evaluation.worst} shots", worst=evaluation.worst)
    if within is not None:
        finished = evaluation.finished_within(within)
        share = Fraction(finished, configurations)
        within_text = (
            f"{finished:,} of {configurations_text(configurations, prior)} = {float(share):.6f}"
        )
        answer.add_fact(
            f"within {within}", within_text, within=within, finished=finished, share=share
        )
    answer.add(histogram={str(shots): count for shots, count in evaluation.histogram.items()})
    answer.set_rows(evaluation.to_dicts())
    answer.add_fact("seconds", f"{evaluation.seconds:,.1f}")
    if evaluation.resumed:
        resumed = f"{evaluation.resumed:,} of {evaluation.tasks:,} tasks were done before"
        answer.add_fact("resumed", resumed)
    return answer


def _refuse_options(strategy: str, **options: object) -> None:
    """Raise OptsearchError if an option is given, since a formula evaluates the strategy."""
    for name, value in options.items():
        if value is not None:
            raise OptsearchError(f"{strategy} is evaluated by a formula; --{name} is not for it")


def random_answer(game: Game, prior: Prior | None, within: int | None) -> Answer:
    """Return the answer about shooting at random, by a formula that no prior changes.

    within -- a number of shots; the share of games that end within them is added.
    """
    posterior = Posterior(game, prior=prior)
    posterior.require_some()
    title = title_with_rules(str(game), game)
    answer = Answer(title, strategy="random", game=str(game), **prior_fields(prior))
    answer.add_fact("strategy", "random")
    configurations = posterior.configurations
    answer.add_fact("configurations", f"{configurations:,}", configurations=configurations)
    probabilities = urn.random_shots(game)  # of each number of shots
    mean = urn.mean(probabilities)
    sd = sqrt(sum(shots**2 * chance for shots, chance in probabilities.items()) - mean**2)
    fields_of_mean = mean_fields(mean.numerator, mean.denominator)
    answer.add_fact("mean shots", f"{float(mean):.6f}", **fields_of_mean)
    answer.add_fact("sd", f"{sd:.4f}", sd=sd)
    worst = max(probabilities)
    answer.add_fact("worst case", f"{worst} shots", worst=worst)
    if within is not None:
        share = sum(
            (chance for shots, chance in probabilities.items() if shots <= within), Fraction(0)
        )
        answer.add_fact(f"within {within}", f"{float(share):.6f}", within=within, share=share)
    float_chances = {shots: float(chance) for shots, chance in probabilities.items()}
    answer.add(probabilities={str(shots): chance for shots, chance in float_chances.items()})
    answer.set_rows(
        {"shots": shots, "probability": chance} for shots, chance in float_chances.items()
    )
    last_shot = "first" if game.ends_at_hit else "last"
    formula_text = f"the {last_shot} of {game.fleet_cells} cells among {game.room} in random order"
    answer.add_fact("formula", formula_text)
    return answer


def write_histogram(evaluation: Evaluation, path: Path) -> None:
    """Write the histogram of an evaluation to a CSV file, in the form of the stored results."""
    command = ["optsearch", "evaluate", evaluation.strategy, str(evaluation.game)]
    if evaluation.prior is not None:
        command += ["--prior", evaluation.prior.name]
    TABLES["evaluations"].write(
        evaluation.histogram.items(),
        path=path,
        command=shlex.join(command),
        fields={
            "strategy": evaluation.strategy,
            "game": evaluation.game,
            **prior_fields(evaluation.prior),
            "configurations": evaluation.configurations,
            "total_height": evaluation.total_height,
            "mean": f"{float(evaluation.mean):.6f}",
            "sd": f"{evaluation.sd:.6f}",
            "worst": evaluation.worst,
            "seconds": f"{evaluation.seconds:.1f}",
        },
        strategy=evaluation.strategy,
        game=evaluation.game,
    )


def show_evaluation_progress() -> AbstractContextManager[Progress[EvaluationStatus]]:
    """Show progress of evaluations; yield a function to call with each status."""
    return show_progress(
        "evaluating",
        lambda status: (
            f"{status.rate:,.0f} a second, mean so far {status.mean:.4f}, "
            f"{configurations_text(int(status.total))}"
        ),
        "; optsearch simulate plays a sample of games at once",
    )


@dataclass(frozen=True)
class DrawOptions:
    """How the positions are drawn from which two strategies are compared."""

    until: str = "greedy"
    positions: int = POSITIONS
    largest: int | None = None
    seed: int = 1


@app.command(
    example="optsearch compare greedy rollout 6x6:4,3,2 --largest 1000",
    seconds=4,
    next_step="optsearch evaluate rollout 6x6:4,3,2  # exactly, on all configurations",
    fields="game first second until seed configurations largest positions first_mean second_mean "
    "shots_before alike saved standard_error is_exact microseconds",
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
    *,
    draw: DrawOptions,
    run: RunOptions,
    memory: float = 4,
    form: Form = Form.TEXT,
) -> None:
    """Estimate what one strategy saves in place of another.

    Evaluates both from the same positions, drawn at random. This takes seconds or minutes,
    where the whole game would take hours.
    """
    require_game_last("compare", [first, second], game)
    first_strategy, second_strategy, until = map(as_strategy, (first, second, draw.until))
    parsed = read_game(game)
    sampling = PositionSampling(
        until=until, positions=draw.positions, largest=draw.largest, seed=draw.seed
    )
    memory_bytes = int(memory * 2**30)
    with resumable_execution(run) as execution:
        seconds_each = announce_comparison(
            [first_strategy, second_strategy],
            parsed,
            sampling,
            memory_bytes,
            execution.tasks_at_once,
        )
        with show_progress("comparing") as progress:
            comparison = compare_(
                first_strategy,
                second_strategy,
                parsed,
                sampling=sampling,
                memory=memory_bytes,
                execution=replace(execution, progress=progress),
            )
    answer = comparison_answer(comparison)
    if not comparison.is_exact:
        times = " and ".join(
            time_text(seconds * comparison.configurations) for seconds in seconds_each
        )
        answer.add_fact("to evaluate", f"about {times} of one processor, on all configurations")
    answer.print(form)


def comparison_answer(comparison: Comparison) -> Answer:
    """Return the answer about a comparison of two strategies on positions of a game.

    Its field `until` is the strategy that plays from the empty board to the positions, `alike` the
    number of positions in which both strategies have equal histograms.
    """
    game = comparison.game
    answer = Answer(title_with_rules(str(game), game), game=str(game))
    answer.add_fact("first", comparison.first, first=comparison.first)
    answer.add_fact("second", comparison.second, second=comparison.second)
    answer.add_fact("until", comparison.until, until=comparison.until)
    answer.add_fact("seed", str(comparison.seed), seed=comparison.seed)
    configurations = comparison.configurations
    answer.add_fact("configurations", f"{configurations:,}", configurations=configurations)
    answer.add_fact(
        "positions",
        f"{comparison.positions:,} of up to {comparison.largest:,} configurations",
        largest=comparison.largest,
        positions=comparison.positions,
    )
    shots_before = [min(comparison.shots_before), max(comparison.shots_before)]
    answer.add_fact(
        "compared", comparison.part_text, shots_before=shots_before, alike=comparison.alike
    )
    first_mean, second_mean = comparison.means
    answer.add_fact(
        "means",
        f"{first_mean:.4f} and {second_mean:.4f}",
        first_mean=first_mean,
        second_mean=second_mean,
    )
    answer.add_fact(
        "saved",
        comparison.saved_text,
        saved=comparison.saved if comparison.is_decided else None,
        standard_error=comparison.standard_error if comparison.is_decided else None,
        is_exact=comparison.is_exact,
    )
    microseconds = comparison.microseconds
    paces = " and ".join(f"{microseconds_each:.2g}" for microseconds_each in microseconds)
    answer.add_fact("processor time", f"{paces} µs per configuration", microseconds=microseconds)
    answer.add_fact("seconds", f"{comparison.seconds:,.1f}")
    if comparison.resumed:
        answer.add_fact(
            "resumed", count_text(comparison.resumed, "evaluation") + " were done before"
        )
    return answer
