"""What each switch of the solver is worth: python -m experiments.ablation [--seconds S] [GAME …]

Each game is solved with every switch on, with one switch off at a time, and as by the first solver
(`experiments.FIRST`). A run that takes longer than S seconds (60) is given up; the totals of all
others must be the same. Of short runs the fastest of five counts.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from experiments import FIRST, RESULTS
from optsearch import records
from optsearch.game import Game
from optsearch.position import Position
from optsearch.solution import Solution, Status
from optsearch.solver import SWITCHES, SolverOptions, solve

GAMES = ("4x5:4,3,2", "5x5:3,2", "5x6:3,3", "6x6:4,4", "7x7:2", "4x5:3,2;contact=any")
COLUMNS = ("game", "off", "total_height", "nodes", "subsets", "seconds", "nodes_ratio", "ratio")


class _TimeIsOver(Exception):
    pass


def options() -> Iterator[tuple[str, SolverOptions]]:
    """What is switched off, and the options."""
    everything = SolverOptions()
    yield "nothing", everything
    for name in SWITCHES:
        yield name, replace(everything, **{name: False})
    yield "all that the first solver had not", FIRST


def timed(game: Game, switches: SolverOptions, seconds: float) -> Solution | None:
    """The optimum, of the fastest of up to five runs in a second; None if it takes longer."""
    found = once(game, switches, seconds)
    spent, runs = found.seconds if found else seconds, 1
    while found and spent < 1 and runs < 5:
        again = once(game, switches, seconds)
        if again is None:
            break
        found = min(found, again, key=lambda solution: solution.seconds)
        spent, runs = spent + again.seconds, runs + 1
    return found


def once(game: Game, switches: SolverOptions, seconds: float) -> Solution | None:
    """The optimum; None if it takes longer."""
    started = time.perf_counter()

    def progress(status: Status) -> None:
        if time.perf_counter() - started > seconds:
            raise _TimeIsOver

    try:
        return solve(Position(game), options=switches, progress=progress)
    except _TimeIsOver:
        return None


def rows(game: Game, seconds: float) -> Iterator[tuple[object, ...]]:
    """The lines of one game."""
    yardstick: Solution | None = None
    for off, switches in options():
        found = timed(game, switches, seconds)
        if found is None:
            if yardstick is None:
                raise SystemExit(f"{game}: more than {seconds:g} seconds with every switch on")
            yield (game, off, "", "", "", f"> {seconds:g} s", "", "")
            continue
        yardstick = yardstick or found
        if found.total_height != yardstick.total_height:
            raise SystemExit(
                f"{game} without {off}: {found.total_height}, not {yardstick.total_height}"
            )
        yield (
            game,
            off,
            found.total_height,
            found.nodes,
            found.subsets,
            f"{found.seconds:.4f}",
            f"{found.nodes / yardstick.nodes:.2f}",
            f"{found.seconds / yardstick.seconds:.2f}",
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
