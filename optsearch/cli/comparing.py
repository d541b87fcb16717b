"""The command that compares two strategies before either is evaluated: compare."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from pathlib import Path

from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import advised, numbered, read_game
from optsearch.cli.options import Argument, Form, Option
from optsearch.cli.progress import telling
from optsearch.cli.simulating import columns
from optsearch.cli.tasks import executor_at
from optsearch.evaluation import Comparison, ComparisonStatus, Paired
from optsearch.evaluation import compare as compare_
from optsearch.evaluation.comparison import MOST_DRAWN, POSITIONS
from optsearch.game import Game
from optsearch.strategies import as_strategy
from optsearch.support.errors import GameError, OptsearchError, StrategyError
from optsearch.support.progress import Progress


@app.command(
    example="optsearch compare greedy rollout 6x6:4,3,2 --largest 1000",
    takes=4,
    then="optsearch evaluate rollout 6x6:4,3,2  # exactly, on all configurations",
    gives="game first second until seed configurations sizes whole microseconds",
    first=Argument(
        "A strategy, as evaluate takes it, such as greedy or my_file.py:NAME.", metavar="FIRST"
    ),
    second=Argument("The strategy that may save shots in its place.", metavar="SECOND"),
    until=Option(
        "The strategy that plays from the empty board to the positions; no rollout.",
        metavar="STRATEGY",
    ),
    positions=Option("How many positions to draw of each size.", min=2, max=MOST_DRAWN),
    largest=Option(
        "The most configurations of a position (default: 100,000; 8,192 if a strategy plays in "
        "plain Python).",
        min=2,
    ),
    games=Option(
        "To estimate the whole game: how many boards each strategy plays from the first shot down "
        "to the tasks of its evaluation.",
        min=0,
        max=MOST_DRAWN,
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
    games: int = 0,
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
    _require_order(first, second, game)
    strategies = [as_strategy(text) for text in (first, second, until)]
    parsed = read_game(game)
    if games == 1:
        raise OptsearchError("--games 1 has no standard error; give 2 or more, or 0 for none")
    with (
        advised("--resume", resume),
        executor_at(dask, jobs) as (executor, workers),
        comparing() as progress,
    ):
        comparison = compare_(
            strategies[0],
            strategies[1],
            parsed,
            until=strategies[2],
            positions=positions,
            largest=largest,
            games=games,
            seed=seed,
            executor=executor,
            jobs=workers,
            checkpoint=resume,
            memory=int(memory * 2**30),
            progress=progress,
        )
    answer_of(comparison).print(form)


def _require_order(first: str, second: str, game: str) -> None:
    """Refuse a game in the place of a strategy."""
    for text, others in ((first, (second, game)), (second, (first, game))):
        with suppress(GameError):
            Game.parse(text)
            raise StrategyError(
                f"{text!r} is a game; two strategies come first, as in optsearch compare "
                f"{' '.join((*others, text))}"
            )


def answer_of(comparison: Comparison) -> Answer:
    """What is known of a comparison."""
    answer = Answer(f"{comparison.game}, seed {comparison.seed}", game=str(comparison.game))
    answer.fact("first", comparison.first, first=comparison.first)
    answer.fact("second", comparison.second, second=comparison.second)
    answer.fact("until", comparison.until, until=comparison.until, seed=comparison.seed)
    number = comparison.configurations
    answer.fact("configurations", f"{number:,}", configurations=number)
    heads = ("up to", "positions", "first", "second", "saved", "± s.e.")
    rows = [size.as_json() for size in comparison.sizes]
    answer.show("", columns([heads, *map(_texts, comparison.sizes)]), "", sizes=rows)
    answer.table(rows, "By size of the positions")
    size, whole = comparison.sizes[-1], comparison.whole
    answer.head("The whole game, estimated")
    if not size.is_exact:
        answer.fact(f"from {size.largest:,} configurations on", _saved(size))
    answer.fact("from the first shot on", _whole_text(whole))
    answer.show(whole=None if whole is None else whole.as_json())
    micro = comparison.microseconds
    pace = " and ".join(f"{one:.2g}" for one in micro)
    hours = " and ".join(_hours(one * number / 1e6) for one in micro)
    answer.head("")
    answer.fact("processor time", f"{pace} µs a configuration; {hours} for all", microseconds=micro)
    answer.fact("seconds", f"{comparison.seconds:,.1f}")
    if comparison.resumed:
        answer.fact("resumed", numbered(comparison.resumed, "evaluation") + " were done before")
    return answer


def _texts(size: Paired) -> tuple[str, ...]:
    """A row of the table for people."""
    first, second = size.means
    error = "exact" if size.is_exact else f"{size.standard_error:.4f}"
    means = (f"{mean:.4f}" for mean in (first, second, size.saved))
    return f"{size.largest:,}", f"{size.positions:,}", *means, error


def _whole_text(whole: Paired | None) -> str:
    """What is saved if the second strategy plays all of the game."""
    if whole is None:
        return "not estimated; --games 20 does"
    if whole.is_exact:
        return f"{whole.saved:.6f} shots saved, exactly"
    first, second = whole.means
    boards = numbered(whole.positions, "board")
    return f"{_saved(whole)}; {first:.4f} and {second:.4f}, {boards}"


def _saved(size: Paired) -> str:
    """What is saved, with its error."""
    return f"{size.saved:.4f} ± {size.standard_error:.4f} shots saved"


def _hours(seconds: float) -> str:
    """A time of a processor for people."""
    if seconds < 120:
        return f"{seconds:.2g} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def comparing() -> AbstractContextManager[Progress[ComparisonStatus]]:
    """What is told how far a comparison is."""

    def note(status: ComparisonStatus) -> str:
        if status.saved is None:
            return ""
        return f"saved so far {status.saved:.4f} ± {status.standard_error:.4f}"

    return telling("comparing", note)
