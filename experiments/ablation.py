"""What each switch of the solver is worth: python -m experiments.ablation [--seconds S] [GAME …]

Each game is solved with every switch on, with one switch off at a time, and as by the first solver
(`experiments.FIRST`). A run that takes longer than S seconds (60) is given up; the totals of all
others must be the same. Seconds are of processor time; of short runs the fastest of five counts.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from math import inf
from pathlib import Path

from experiments import FIRST, RESULTS
from optsearch import records
from optsearch.game import Game
from optsearch.position import Position
from optsearch.solution import Limit, LimitReached, Solution
from optsearch.solver import SWITCHES, SolverOptions, solve

GAMES = ("4x5:4,3,2", "5x5:3,2", "5x6:3,3", "6x6:4,4", "7x7:2", "4x5:3,2;contact=any")
COLUMNS = (
    "game",
    "off",
    "total_height",
    "nodes",
    "subsets",
    "seconds",
    "nodes_ratio",
    "seconds_ratio",
)


def options() -> Iterator[tuple[str, SolverOptions]]:
    """What is switched off, and the options."""
    everything = SolverOptions()
    yield "nothing", everything
    for name in SWITCHES:
        yield name, replace(everything, **{name: False})
    yield "all that the first solver had not", FIRST


def timed(game: Game, switches: SolverOptions, seconds: float) -> tuple[Solution, float] | None:
    """The optimum and the processor time, the least of up to five runs; None if it is too long."""
    least = inf
    spent = 0.0
    for _ in range(5):
        started = time.process_time()
        limit = Limit(seconds, clock=time.process_time)
        try:
            found = solve(Position(game), options=switches, progress=limit.watch())
        except LimitReached:
            return None
        took = time.process_time() - started
        least = min(least, took)
        spent += took
        if spent > 1:
            break
    return found, least


def rows(game: Game, seconds: float) -> Iterator[tuple[object, ...]]:
    """The lines of one game."""
    first: tuple[Solution, float] | None = None
    for off, switches in options():
        result = timed(game, switches, seconds)
        if result is None:
            if first is None:
                raise SystemExit(f"{game}: more than {seconds:g} seconds with every switch on")
            yield (game, off, "", "", "", f"> {seconds:g} s", "", "")
            continue
        first = first or result
        found, took = result
        if found.total_height != first[0].total_height:
            raise SystemExit(
                f"{game} without {off}: {found.total_height}, not {first[0].total_height}"
            )
        yield (
            game,
            off,
            found.total_height,
            found.nodes,
            found.subsets,
            f"{took:.4f}",
            f"{found.nodes / first[0].nodes:.2f}",
            f"{took / first[1]:.2f}",
        )


def main() -> None:
    """Compute and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="*", default=GAMES)
    parser.add_argument("--seconds", type=float, default=60, help="of one run")
    parser.add_argument("-o", "--output", type=Path, default=RESULTS / "ablation.csv")
    arguments = parser.parse_args()
    table = []
    for text in arguments.game:
        game = Game.parse(text)
        print(f"\n{game}\n")
        print(f"  {'off':<34}{'nodes':>12}{'subsets':>14}{'seconds':>12}{'ratio':>9}")
        for row in rows(game, arguments.seconds):
            _, off, _, nodes, subsets, seconds, _, ratio = row
            nodes, subsets = (f"{n:,}" if n != "" else "" for n in (nodes, subsets))
            print(f"  {off:<34}{nodes:>12}{subsets:>14}{seconds:>12}{ratio:>9}", flush=True)
            table.append(row)
    records.write(
        arguments.output,
        COLUMNS,
        table,
        title="The search with one switch off at a time: nodes, and seconds against all on",
        command="python -m experiments.ablation",
    )
    print(f"\n{arguments.output}: {len(table)} runs")


if __name__ == "__main__":
    main()
