"""Find where greedy is not optimal: python -m experiments.counterexamples [--resume FOLDER]

Five searches (`optsearch.search.counterexamples`), to data/results/counterexamples.csv: every
position of grids of up to 12 cells, ships of two cells and more; every position of grids of up to
10 cells, ships of one cell too; every position of grids of up to 10 cells where hits name ships of
two cells and more, and of up to 9 cells where these may touch; the empty boards of up to 20 cells.
What each searched is in the header; a search that is not named with --only keeps its rows.

Each counterexample is confirmed: `trees`, its two trees are replayed on every configuration and
give the two totals; `oracle`, both totals also come out of `optsearch.check.reference`, by
definition.
"""

from pathlib import Path

from experiments import script
from optsearch.check import reference
from optsearch.check.trees import verify
from optsearch.cli.common import open_executor
from optsearch.cli.options import WorkerOptions
from optsearch.results.tables import TABLES
from optsearch.search import counterexamples
from optsearch.search.counterexamples import Counterexample, CounterexampleSearch, Scope
from optsearch.support import records

SCOPES = {
    "positions": Scope(12),
    "positions with ships of one cell": Scope(10, shortest=1),
    "positions, ships named": Scope(10, announce="name"),
    "positions, ships named, touching": Scope(9, contact="any", announce="name"),
    "empty boards": Scope(20, empty_only=True),
}
ORACLE = 40  # configurations that the oracle is asked for


def confirmations_of(example: Counterexample) -> str:
    """Return the names of the ways that confirm a counterexample, as text.

    Raises AssertionError if a way finds another total of shots for one of its two strategies.
    """
    totals = example.best_greedy_total_height, example.total_height
    totals_of_trees = tuple(map(verify, counterexamples.trees(example)))
    if totals_of_trees != totals:
        raise AssertionError(f"{example.fields}: the trees have {totals_of_trees}")
    if example.configurations > ORACLE:
        return "trees"
    with reference.caches():
        family = reference.family(example.position)
        totals_by_definition = reference.best_greedy(family), reference.total_height(family)
    if totals_by_definition != totals:
        raise AssertionError(f"{example.fields}: {totals_by_definition} by definition")
    return "trees, oracle"


def search(scope: Scope, jobs: int, folder: Path | None) -> CounterexampleSearch:
    """Search a scope, and print a line every hundred games."""

    def progress(status: counterexamples.CounterexampleStatus) -> None:
        if status.games % 100 == 0:
            work = f"{status.share:.0%} of the work, {status.counterexamples} found"
            print(f"{status.games} games, {work}", flush=True)

    with open_executor(WorkerOptions(jobs)) as (executor, _):
        return counterexamples.find(
            scope, executor=executor, workers=jobs, folder=folder, progress=progress
        )


def main() -> None:
    """Run the searches, confirm what they find, and write the table."""
    parser = script.parser(__doc__, "counterexamples")
    parser.add_argument("--only", choices=SCOPES, action="append", help="of the searches")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--resume", type=Path, help="folder in which finished games are kept")
    arguments = parser.parse_args()
    chosen_names = arguments.only or SCOPES
    path = TABLES["counterexamples"].path(arguments.output)
    earlier = TABLES["counterexamples"].read(path) if arguments.only and path.exists() else None
    rows: list[tuple[object, ...]] = []
    searches_by_name: dict[str, str] = {}
    for name, scope in SCOPES.items():
        if name in chosen_names:
            print(f"{scope}:", flush=True)
            folder = arguments.resume and arguments.resume / name.replace(" ", "_")
            search_result = search(scope, arguments.jobs, folder)
            confirmations = [confirmations_of(example) for example in search_result.counterexamples]
            confirmations += [""] * len(search_result.undecided)
            for row, confirmation in zip(search_result.rows, confirmations, strict=True):
                rows.append((name, *row, confirmation))
            summary = {**search_result.summary, "commit": records.commit()}
            searches_by_name[name] = "; ".join(f"{key} {value}" for key, value in summary.items())
        elif earlier and name in earlier.header:
            rows += [tuple(row.values()) for row in earlier.rows if row["search"] == name]
            searches_by_name[name] = earlier.header[name]
            if "; commit " not in searches_by_name[name]:
                searches_by_name[name] += f"; commit {earlier.header['commit']}"
    path = TABLES["counterexamples"].write(rows, arguments.output, fields=searches_by_name)
    print(f"{script.typed_path(path)}: {len(rows)} rows")


if __name__ == "__main__":
    script.run(main)
