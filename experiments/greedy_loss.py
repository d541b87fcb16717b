"""By how much greedy loses: python -m experiments.greedy_loss

For every game of data/results/optima.csv, whose optima it takes, the total height of the best and
the worst greedy strategy and of four ways to break ties (`optsearch.greedy`), to
data/results/greedy_loss.csv. What takes longer than some seconds (5) is left empty.
"""

import argparse
import sys
from pathlib import Path

from experiments import RESULTS
from experiments.optima import greedy_total
from optsearch import records
from optsearch.configurations import Configurations
from optsearch.game import Game
from optsearch.position import Position

SECONDS = 5
RULES = ("best", "worst", "first", "checkerboard", "central", "remainder")
COLUMNS = (
    "game",
    "cells",
    "configurations",
    "total_height",
    *RULES,
    "percent_best",
    "percent_worst",
)


def row(game: Game, optimum: int, seconds: float) -> tuple[str, ...]:
    """One line of the table; how much more than the optimum in percent of it."""
    position = Position(game)
    totals = [greedy_total(position, rule, seconds) for rule in RULES]
    best, worst = totals[:2]
    others = [total for total in totals[2:] if total is not None]
    if (
        (best is not None and not optimum <= best <= min(others, default=best))
        or (worst is not None and max(others, default=worst) > worst)
        or min(others, default=optimum) < optimum
    ):
        raise AssertionError(f"{game}: {dict(zip(RULES, totals, strict=True))}, optimum {optimum}")
    percent = ["" if t is None else f"{100 * (t - optimum) / optimum:.4f}" for t in (best, worst)]
    return (
        str(game),
        str(game.cells),
        str(Configurations(position).configurations),
        str(optimum),
        *("" if total is None else str(total) for total in totals),
        *percent,
    )


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="By how much greedy loses, over all known optima.")
    parser.add_argument("--output", type=Path, default=RESULTS, help="folder to write to")
    parser.add_argument("--optima", type=Path, default=RESULTS / "optima.csv", help="table to read")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for each value")
    arguments = parser.parse_args()
    entries = records.read(arguments.optima).rows
    rows = []
    for i, entry in enumerate(entries):
        rows.append(row(Game.parse(entry["game"]), int(entry["total_height"]), arguments.seconds))
        print(f"{i + 1}/{len(entries)} {entry['game']}: {rows[-1][-2]} % more", flush=True)
    path = arguments.output / "greedy_loss.csv"
    records.write(
        path,
        COLUMNS,
        rows,
        title="Total heights of greedy strategies beside the optimum, ships not touching",
        command="python -m experiments.greedy_loss",
    )
    known = [r for r in rows if r[4]]
    worse = sum(int(r[4]) > int(r[3]) for r in known)
    print(f"{path}: best greedy is worse than the optimum in {worse} of {len(known)} games")
    return 0


if __name__ == "__main__":
    sys.exit(main())
