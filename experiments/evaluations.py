"""Strategies on all configurations of the large games: python -m experiments.evaluations [NAME …]

The paper's game, 1,925,751,392 configurations, and where ships may touch, 15,046,987,768, hits
and misses told (`any_…`) or the sunk ships too (`any_ship_…`), and the official game, where each
hit names its ship (`official_…`). Each strategy is evaluated on two processes, goes on from a
checkpoint if it was stopped, and is written to data/results/evaluations/NAME.csv; without names,
those that are not there yet. What takes several stretches of work has its checkpoint in
data/checkpoints/NAME; a run goes on there, and elsewhere in build/evaluations/NAME.
"""

from dataclasses import dataclass
from pathlib import Path

from experiments import script
from optsearch.cli.evaluating import show_evaluation_progress, write_histogram
from optsearch.evaluation import evaluate
from optsearch.game import Game
from optsearch.results.tables import TABLES
from optsearch.strategies import named
from optsearch.strategies.pattern import NEAREST
from optsearch.support.workers import Execution

GAME = Game.parse("10x10:5,4,3,3,2")
ANY = Game.parse("10x10:5,4,3,3,2,contact=any")
ANY_SHIP = Game.parse("10x10:5,4,3,3,2,contact=any,announce=ship")
OFFICIAL = Game.parse("10x10:5,4,3a,3b,2,contact=any,announce=name")


@dataclass(frozen=True)
class Subject:
    """The subject of an evaluation: a strategy, as `named` reads it, on a game."""

    strategy: str
    game: Game = GAME


SUBJECTS = {
    "greedy": Subject("greedy"),
    "pattern_cross": Subject(f"{NEAREST},clear=cross"),
    "pattern_line": Subject(f"{NEAREST},clear=line"),
    "pattern_cross_water": Subject(f"{NEAREST},clear=cross,water=1"),
    "pattern_line_water": Subject(f"{NEAREST},clear=line,water=1"),
    "rollout": Subject("rollout"),
    "nested": Subject("nested"),
    "nested_larger": Subject("nested:second=524288"),
    "levels": Subject("levels"),
    "spread": Subject("spread:side=90,border=95,corner=110,early=110"),
    "any_greedy": Subject("greedy", ANY),
    "any_ship_greedy": Subject("greedy", ANY_SHIP),
    "any_ship_spread": Subject("spread", ANY_SHIP),
    "any_ship_rollout": Subject(
        "rollout:candidates=2,percent=50,screen=16384,cap=16384,sizes=65-16777216,"
        "rank=spread,policy=spread",
        ANY_SHIP,
    ),
    "any_ship_rollout_larger": Subject(
        "rollout:candidates=3,percent=50,screen=16384,cap=131072,sizes=65-16777216,"
        "rank=spread,policy=spread",
        ANY_SHIP,
    ),
    "official_greedy": Subject("greedy", OFFICIAL),
    "official_spread": Subject("spread:side=60,border=88,corner=119", OFFICIAL),
    "official_rollout": Subject(
        "rollout:candidates=2,percent=50,screen=16384,cap=131072,sizes=65-16777216,"
        "rank=spread,policy=spread",
        OFFICIAL,
    ),
}

COMMITTED = Path("data/checkpoints")  # of runs that take several stretches of work
OTHERS = Path("build/evaluations")


def checkpoint_folder(name: str, folder: Path | None) -> Path:
    """Return the folder of the checkpoint of an evaluation.

    folder -- of all checkpoints; None for the committed one or that in build.
    """
    if folder is None:
        folder = COMMITTED if (COMMITTED / name).exists() else OTHERS
    return folder / name


def main() -> None:
    """Evaluate the subjects that are named, or those that have no table yet."""
    parser = script.parser(__doc__, "evaluations")
    parser.add_argument("names", nargs="*", help=", ".join(SUBJECTS))
    parser.add_argument("--checkpoints", type=Path, help="folder of all checkpoints")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(SUBJECTS)
    if unknown:
        parser.error(f"no evaluation {', '.join(sorted(unknown))}; there are {', '.join(SUBJECTS)}")
    names = arguments.names or [
        name
        for name in SUBJECTS
        if not TABLES["evaluations"].path(arguments.output, name=name).exists()
    ]
    for name in names:
        folder = checkpoint_folder(name, arguments.checkpoints)
        with show_evaluation_progress() as progress:
            execution = Execution(jobs=arguments.jobs, checkpoint=folder, progress=progress)
            subject = SUBJECTS[name]
            evaluation = evaluate(named(subject.strategy), subject.game, execution=execution)
        path = TABLES["evaluations"].path(arguments.output, name=name)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_histogram(evaluation, path)
        mean = f"mean {float(evaluation.mean):.6f}, sd {evaluation.sd:.4f}"
        print(f"{script.typed_path(path)}: {mean}, worst {evaluation.worst}")


if __name__ == "__main__":
    script.run(main)
