"""Measure the loss of greedy strategies: python -m experiments.greedy_loss [--announce name]

For every game of data/results/optima.csv in which ships do not touch and nothing is announced, the
total height of the best and the worst greedy strategy and of five ways to break ties
(`optsearch.greedy`), beside the optimum there, to data/results/greedy_loss.csv; with --announce
name where hits name their ships, to greedy_loss_named.csv. What takes longer than some seconds (5)
is left empty.
"""

from math import inf
from pathlib import Path

from experiments import script
from experiments.optima import greedy_total
from optsearch.counting.configurations import Configurations
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.results.tables import TABLES
from optsearch.search.greedy import RULES

SECONDS = 5


def row(game: Game, optimum: int, seconds: float) -> tuple[object, ...]:
    """Return the row of a game: the total of shots of greedy for each rule by which it breaks ties.

    For the best and the worst choice, it has the loss in percent of the optimum. A total that
    takes longer than `seconds` is None. Raises AssertionError if totals contradict each other.
    """
    position = Position(game)
    totals = [greedy_total(position, rule, seconds) for rule in RULES]
    best, worst, *by_ties = totals
    known_totals = [total for total in by_ties if total is not None]
    least = optimum if best is None else best
    greatest = inf if worst is None else worst
    if least < optimum or not all(least <= total <= greatest for total in known_totals):
        raise AssertionError(f"{game}: {dict(zip(RULES, totals, strict=True))}, optimum {optimum}")
    percent_more = [
        None if rule_total is None else 100 * (rule_total - optimum) / optimum
        for rule_total in (best, worst)
    ]
    return (
        game,
        game.cells,
        Configurations(position).configurations,
        optimum,
        *totals,
        *percent_more,
    )


def main() -> None:
    """Compute a row for each game of the optima, and write the table."""
    parser = script.parser(__doc__, "greedy_loss")
    parser.add_argument(
        "--optima", type=Path, default=TABLES["optima"].path(), help="table to read"
    )
    parser.add_argument("--announce", choices=("nothing", "name"), default="nothing")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each value")
    arguments = parser.parse_args()
    table = (
        TABLES["greedy_loss"] if arguments.announce == "nothing" else TABLES["greedy_loss_named"]
    )
    entries = [
        entry
        for entry in TABLES["optima"].read(arguments.optima)
        if (entry["contact"], entry["announce"]) == ("none", arguments.announce)
    ]
    rows = []
    for number, entry in enumerate(entries, 1):
        rows.append(row(entry["game"], entry["total_height"], arguments.seconds))
        print(f"{number}/{len(entries)} {entry['game']}: {rows[-1][-2]} % more", flush=True)
    path = table.write(rows, arguments.output)
    compared = [row for row in table.read(path) if row["best_greedy_total_height"] is not None]
    worse = sum(row["best_greedy_total_height"] > row["total_height"] for row in compared)
    summary = f"best greedy is worse than the optimum in {worse} of {len(compared)} games"
    print(f"{script.typed_path(path)}: {summary}")


if __name__ == "__main__":
    script.run(main)
