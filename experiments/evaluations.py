"""Strategies on all configurations of the large games: python -m experiments.evaluations [NAME …]

The usual game, 1,925,751,392 configurations, and where ships may touch, 15,046,987,768,
hits and misses told (`any_…`) or the sunk ships too (`any_ship_…`). Each strategy is evaluated on
two processes, goes on from a checkpoint if it was stopped, and is written to
data/results/evaluations/NAME.csv; without names, those that are not there yet. Greedy and the
patterns take minutes each, the rollouts some hours.
"""

from dataclasses import dataclass
from pathlib import Path

from experiments import script
from optsearch.cli.evaluating import report_progress, save
from optsearch.evaluate import evaluate
from optsearch.game import Game
from optsearch.results import EVALUATION
from optsearch.strategies import named
from optsearch.strategies.pattern import NEAREST

GAME = Game.parse("10x10:5,4,3,3,2")
ANY = Game.parse("10x10:5,4,3,3,2;contact=any")
ANY_SHIP = Game.parse("10x10:5,4,3,3,2;contact=any;announce=ship")


@dataclass(frozen=True)
class Run:
    """What is evaluated: a strategy, as `named` reads it, on a game."""

    strategy: str
    game: Game = GAME


RUNS = {
    "greedy": Run("greedy"),
    "pattern_cross": Run(f"{NEAREST},clear=cross"),
    "pattern_line": Run(f"{NEAREST},clear=line"),
    "pattern_cross_water": Run(f"{NEAREST},clear=cross,water=1"),
    "pattern_line_water": Run(f"{NEAREST},clear=line,water=1"),
    "rollout": Run("rollout"),
    "nested": Run("nested"),
    "nested_larger": Run("nested:second=524288"),
    "any_greedy": Run("greedy", ANY),
    "any_ship_greedy": Run("greedy", ANY_SHIP),
    "any_ship_spread": Run("spread", ANY_SHIP),
}


def main() -> None:
    """The command line."""
    parser = script.parser(__doc__, "evaluations")
    parser.add_argument("names", nargs="*", help=", ".join(RUNS))
    parser.add_argument("--checkpoints", type=Path, default=Path("build/evaluations"))
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(RUNS)
    if unknown:
        parser.error(f"no evaluation {', '.join(sorted(unknown))}; there are {', '.join(RUNS)}")
    names = arguments.names or [
        name for name in RUNS if not EVALUATION.path(arguments.output, name=name).exists()
    ]
    for name in names:
        found = evaluate(
            named(RUNS[name].strategy),
            RUNS[name].game,
            jobs=arguments.jobs,
            checkpoint=arguments.checkpoints / name,
            progress=report_progress(),
        )
        path = EVALUATION.path(arguments.output, name=name)
        save(found, path)
        figures = f"mean {float(found.mean):.6f}, sd {found.sd:.4f}, worst {found.worst}"
        print(f"{script.shown(path)}: {figures}")


if __name__ == "__main__":
    script.run(main)
