"""Lower bounds of the paper's game: python -m experiments.lower_bounds [GAME] [--checkpoints DIR]

Counts the configurations that cover every set of up to four cells, evaluates the reveal game for
every class of placements of the longest ship, and writes, with NAME such as 10x10_54332,

    coverage_NAME.csv   the most configurations that k cells can meet, and whether some meet as many
    beside_NAME.csv     the same of those with one placement of a ship, class by class
    reveal_NAME.csv     the values of the reveal game, class by class
    finished_NAME.csv   from these, bounds on the configurations finished within l misses, and how
                        many cells the chains with costs of ships took

which `optsearch bounds GAME` reads, and `experiments.check_lower_bounds` checks. For the paper's
game it takes some 50 minutes on one idle core. A run that was stopped goes on from the
checkpoints: by default in the folder .checkpoints of the checkout.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TypeVar

from experiments import script
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.lower_bounds import bounds_of_finished, count_finished_by_stages
from optsearch.lower_bounds.conditional_coverage import (
    ConditionalCoverage,
    list_conditional_coverages,
)
from optsearch.lower_bounds.coverage import CellSetCounts, Coverage
from optsearch.lower_bounds.reveal import Revealed, require_apart, reveal
from optsearch.results.tables import TABLES, Table, file_name_of
from optsearch.support.store import Facts

# of the last chain
SOURCES = ("first_ship.py", "_first_ship.pyx", "covered.pxd", "conditional_coverage.py")
NODES = 30_000_000  # of a search with costs of the longest ship: a minute or so
NODES_BESIDE = 20_000_000  # of a search of cells beside a ship: enough for each of the paper's game
STANDARD = Game.parse("10x10:5,4,3,3,2")
Class = TypeVar("Class", bound=Revealed | ConditionalCoverage)  # of placements of a ship


def command_of(game: Game) -> str:
    """Return the command that computes the tables of a game."""
    return TABLES["finished"].command + ("" if game == STANDARD else f" {game}")


def write_coverage(game: Game, output: Path, checkpoint: Path | None) -> Coverage:
    """Write the most configurations that k cells meet, for each k, to coverage_NAME.csv.

    checkpoint -- a folder that keeps the counts of sets of cells. Return these counts and
    bounds.
    """
    counts = CellSetCounts.of(game, checkpoint, script.ProgressClock("sets of cells"))
    coverage = Coverage(counts)
    rows = []
    for k in range(game.cells + 1):
        rows.append((k, coverage.most_met(k), coverage.is_exact(k)))
        if coverage.most_met(k) == counts.configurations:
            break
    TABLES["coverage"].write(
        rows,
        output,
        command=command_of(game),
        fields={"configurations": counts.configurations},
        game=game,
        name=file_name_of(game),
    )
    return coverage


def placements_by_name(game: Game) -> dict[str, int]:
    """Map the names of the cells of every placement, as in A1-A2, to the placement (mask)."""
    placements = [ship for length in set(game.fleet) for ship in game.placements(length)]
    return {"-".join(game.names(ship)): ship for ship in placements}


def read_beside(game: Game, path: Path) -> list[ConditionalCoverage]:
    """Read the classes of beside_NAME.csv."""
    ships, classes = placements_by_name(game), []
    for row in TABLES["beside"].read(path):
        name, class_size, completions, *met = row.values()
        classes.append(ConditionalCoverage(ships[name], class_size, completions, (0, *met)))
    return classes


def read_reveal(game: Game, path: Path) -> list[Revealed]:
    """Read the classes of reveal_NAME.csv."""
    ships, classes = placements_by_name(game), []
    for row in TABLES["reveal"].read(path):
        name, class_size, completions, *finished = row.values()
        classes.append(Revealed(ships[name], class_size, completions, tuple(finished)))
    return classes


def write_classes(
    table: Table,
    title: str,
    game: Game,
    output: Path,
    read: Callable[[Game, Path], list[Class]],
    values: Callable[[Class], Sequence[int]],
    compute: Callable[..., list[Class]],
) -> list[Class]:
    """Compute the classes that a table does not have yet, and write it after each.

    read -- reads the classes of the table. values -- returns what the row of a class has behind the
    ship, the size of the class and the completions. compute -- computes the classes.
    """
    path = table.path(output, name=file_name_of(game))
    path.parent.mkdir(parents=True, exist_ok=True)
    clock = script.ProgressClock(title)

    def save(done: list[Class], total: int) -> None:
        rows = [
            ("-".join(game.names(c.ship)), c.class_size, c.completions, *values(c)) for c in done
        ]
        table.write(rows, path=path, command=command_of(game), game=game)
        clock(len(done), total)

    earlier = read(game, path) if path.exists() else ()
    return compute(game, earlier, progress=save)


def report_sequences(j: int, size: int, done: int, total: int) -> None:
    """Print how far a search for sequences of j cells is: `done` of `total` with `size` cells."""
    if done:
        print(f"sequences of {size} of {j} cells: {done:,} of {total:,}", flush=True)


def compute(game: Game, checkpoints: Path, output: Path) -> None:
    """Write the four tables of a game from which its lower bounds follow, and print the bounds.

    Raises OptsearchError for a game that the bounds do not handle.
    """
    game.require_silent("each of these bounds")
    require_apart(game)
    Posterior(Position(game)).require_some()
    name = file_name_of(game)
    coverage = write_coverage(game, output, checkpoints / f"cover_{name}")
    revealed = write_classes(
        TABLES["reveal"],
        "reveal game",
        game,
        output,
        read=read_reveal,
        values=lambda revealed: revealed.finished,
        compute=reveal,
    )
    coverages = write_classes(
        TABLES["beside"],
        "cells beside ships",
        game,
        output,
        read=read_beside,
        values=lambda coverage: coverage.met[1:],
        compute=partial(list_conditional_coverages, nodes=NODES_BESIDE),
    )
    title = f"chain with the first ship, by the code {script.digest_of_sources(*SOURCES)}"
    with Facts(checkpoints / f"first_ship_{name}", title) as store:
        clock = script.ProgressClock("numbers of misses")
        *_, finished = count_finished_by_stages(
            coverage,
            revealed,
            lambda: coverages,
            clock,
            store=store,
            on_sets=report_sequences,
            nodes=NODES,
        )
    number = coverage.counts.configurations
    bounds = bounds_of_finished(finished, game.fleet_cells, number, "")
    TABLES["finished"].write(
        [(misses, *row) for misses, row in enumerate(finished)],
        output,
        command=command_of(game),
        fields={
            "game": game,
            "configurations": number,
            **{bound.name: Fraction(bound.value) for bound in bounds},
        },
        game=game,
        name=name,
    )
    for bound in bounds:
        print(f"{float(bound.value):.6f}  {bound.name} = {bound.value}")


def main() -> None:
    """Compute the tables of the game that is given, or of the paper's game."""
    parser = script.parser(__doc__, "lower_bounds")
    parser.add_argument("game", nargs="?", type=script.game, default=STANDARD)
    parser.add_argument("--checkpoints", type=Path, default=script.CHECKPOINTS)
    arguments = parser.parse_args()
    compute(arguments.game, arguments.checkpoints, arguments.output)


if __name__ == "__main__":
    script.run(main)
