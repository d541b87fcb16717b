"""The command counterexamples: positions where greedy shooting is not optimal."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import explain_resuming, facts_table, open_executor, read_games
from optsearch.cli.options import FOLDER, SEARCH_JOBS, Form, Option, WorkerOptions
from optsearch.cli.progress import show_progress
from optsearch.game import MAX_CELLS
from optsearch.search import counterexamples as counterexamples_
from optsearch.search.counterexamples import Counterexample, CounterexampleSearch, Scope
from optsearch.support.errors import OptsearchError

SHORTEST = 2
MOST_SHOWN = 20  # rows of the table for people


class Contact(str, Enum):
    """The rule for ships that touch."""

    NONE = "none"
    CORNER = "corner"
    ANY = "any"


class Announced(str, Enum):
    """The rule for the reply to a hit."""

    NOTHING = "nothing"
    NAME = "name"


@dataclass(frozen=True)
class ScopeOptions:
    """The games to search: those on all grids up to a size, or games that are given."""

    max_cells: int | None = None
    game: list[str] | None = None
    fleet: list[str] | None = None
    contact: Contact = Contact.NONE
    announce: Announced = Announced.NOTHING
    empty_only: bool = False
    shortest: int = SHORTEST


@app.command(
    example="optsearch counterexamples --max-cells 12",
    seconds=2,
    next_step="optsearch greedy 3x4:2 --shots 'A1=miss B3=miss'  # what greedy costs there",
    fields="searched games undecided positions counterexamples fewest",
    max_cells=Option("Search every grid of at most this many cells.", min=1, max=MAX_CELLS),
    game=Option(
        "This game instead of all grids, for example 4x4:3,2,holes=A1; - reads games from "
        "standard input and FILE from a file, one per line. Can be given more than once."
    ),
    fleet=Option("Only this fleet, for example 3,2; may be given more than once."),
    contact=Option("May ships touch?"),
    announce=Option("Whether each hit names its ship."),
    empty_only=Option("Only empty boards, not every position."),
    shortest=Option("The least length of a ship, without --fleet.", min=1),
    jobs=SEARCH_JOBS,
    resume=Option(
        "Folder that keeps each finished game; a run that was stopped goes on from it.",
        writes=FOLDER,
    ),
)
def counterexamples(
    *,
    games: ScopeOptions,
    workers: WorkerOptions,
    resume: Path | None = None,
    form: Form = Form.TEXT,
) -> None:
    """Positions where greedy is not optimal, the smallest first.

    Decides every position of every game in the range, up to symmetries of the grid and shots
    that tell nothing. Smaller means fewer cells, then fewer configurations, then fewer shots.
    """
    scope = read_scope(games)
    with (
        explain_resuming("--resume", resume),
        show_progress(
            "counterexamples",
            lambda status: f"{status.games:,} games, {status.counterexamples:,} found",
        ) as progress,
        open_executor(workers) as (executor, tasks_at_once),
    ):
        result = counterexamples_.find(
            scope, executor=executor, workers=tasks_at_once, folder=resume, progress=progress
        )
    answer_of(result).print(form)


def read_scope(games: ScopeOptions) -> Scope:
    """Return which games and positions the options ask to search."""
    fleets = tuple(dict.fromkeys(map(counterexamples_.parse_fleet, games.fleet or ())))
    has_size, has_games = games.max_cells is not None, bool(games.game)
    if has_size == has_games:
        raise OptsearchError(
            "give either --max-cells, for all grids, or --game, for games of your own"
        )
    if games.max_cells is not None:
        return Scope(
            max_cells=games.max_cells,
            fleets=fleets,
            contact=games.contact.value,
            empty_only=games.empty_only,
            shortest=games.shortest,
            announce=games.announce.value,
        )
    rules = (games.contact, games.announce, games.shortest)
    default_rules = (Contact.NONE, Announced.NOTHING, SHORTEST)
    if fleets or rules != default_rules:
        raise OptsearchError(
            "--fleet, --contact, --announce and --shortest work with --max-cells; the text of "
            "--game has them"
        )
    return Scope.of(read_games(games.game or ()), games.empty_only)


# Answers


def answer_of(result: CounterexampleSearch) -> Answer:
    """Return the answer about a search; its text has the smallest counterexamples only."""
    answer = Answer(**result.summary)
    for name, value in result.summary.items():
        answer.add_fact(name, f"{value:,}" if isinstance(value, int) else str(value))
    undecided = [str(game) for game in result.undecided]
    answer.add(undecided=undecided)
    if undecided:
        answer.add(f"\nundecided: {' '.join(undecided)}")
    answer.add(fewest={name: case.fields for name, case in result.smallest.items()})
    for name, case in result.smallest.items():
        answer.add_heading(f"\nfewest {name}")
        add_counterexample(answer, case)
    shown_cases = result.counterexamples[:MOST_SHOWN]
    if shown_cases:
        answer.add_heading("\nsmallest first: best greedy, optimum, configurations, position")
    for case in shown_cases:
        answer.add(
            f"{case.best_greedy_total_height:6} {case.total_height:6} {case.configurations:5}  "
            f"{case.position.title}"
        )
    counterexample_fields = [case.fields for case in result.counterexamples]
    answer.add(counterexamples=counterexample_fields)
    answer.set_rows(counterexample_fields)
    if left_out_count := len(result.counterexamples) - len(shown_cases):
        answer.add(f"and {left_out_count:,} more: --json or --format csv lists all")
    return answer


def add_counterexample(answer: Answer, case: Counterexample) -> None:
    """Add a counterexample to the text, with its greedy and its best shots."""
    configurations, cells = case.configurations, case.game.cells
    answer.add(
        f"{case.position.title}: {cells} cells, {configurations} configurations, {case.shots} shots"
    )
    facts = facts_table()
    for label, total_height, cell_mask in (
        ("best greedy", case.best_greedy_total_height, case.greedy_cells),
        ("optimum", case.total_height, case.best_cells),
    ):
        shots = " ".join(case.game.names(cell_mask))
        facts.add_row(
            f"  {label}",
            f"{total_height}/{configurations} = {total_height / configurations:.6f}",
            shots,
        )
    answer.add(facts)
