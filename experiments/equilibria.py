"""Games against the best hider: python -m experiments.equilibria [--seconds S] [--again] [GAME …]

The value of games of data/results/optima.csv whose optimum takes less than a minute, beside that
optimum (`optsearch.equilibria`): those of ships that do not touch, where nothing is announced, with
one ship or on a board of BOARDS. Each value comes with a certificate of both sides, which is
checked before the row is written. Writes data/results/equilibria.csv, and for the games that are
drawn data/results/equilibrium_cells.csv.

The tables are written after each game. A game whose value is not in the committed table has S
seconds (60), and if these are too few its bracket instead; what was found is kept, and with a
larger S it goes on from there. Games that have a value are not computed again unless they are named
or --again is given.
"""

from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments import script
from optsearch.equilibria import Equilibrium, check, equilibrium, save
from optsearch.game import Game
from optsearch.results.tables import TABLES, file_name_of
from optsearch.support.decimals import bound_in_bracket
from optsearch.support.errors import NotSupported, TooLarge
from optsearch.support.workers import Execution

OPTIMUM_SECONDS = 60
BOARDS = ("3x3", "3x4", "4x4", "4x5", "4x6", "5x5", "5x6", "6x6")  # of games of several ships
DRAWN = ("3x4:2", "4x4:2", "4x4:3,2", "4x5:2", "4x5:4,3,2", "5x5:2", "5x5:3", "5x5:4,4", "5x5:3,3")
CHECKPOINTS = script.CHECKPOINTS / "equilibria"


def belongs_to_table(entry: dict[str, Any]) -> bool:
    """True if a game of data/results/optima.csv belongs to this table."""
    game = entry["game"]
    if (entry["contact"], entry["announce"]) != ("none", "nothing"):
        return False
    is_small = len(game.fleet) == 1 or f"{game.rows}x{game.columns}" in BOARDS
    return is_small and entry["seconds"] < OPTIMUM_SECONDS


def share_at_border(occupancy: NDArray[np.float64]) -> float:
    """Return the share of the ships' cells that is at the border of the board."""
    inner = occupancy[1:-1, 1:-1].sum() if min(occupancy.shape) > 2 else 0.0
    return float(1 - inner / occupancy.sum())


def mean_at_corners(occupancy: NDArray[np.float64]) -> float:
    """Return the mean probability of a ship on a corner."""
    return float(occupancy[[0, 0, -1, -1], [0, -1, 0, -1]].mean())


def check_by_certificate(solution: Equilibrium) -> str:
    """Check a solution's certificate, and return the method; AssertionError for other bounds."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        save(solution, path)
        checked = check(path)
    if (checked.hider, checked.shooter) != (solution.lower, solution.upper):
        raise AssertionError(
            f"{solution.game}: {solution.lower}, {solution.upper}, checked {checked}"
        )
    return checked.method


def compute_row(
    game: Game, optimum: Fraction, seconds: float | None
) -> tuple[tuple[object, ...], Equilibrium]:
    """Compute the equilibrium of a game; return its row of the table, and the solution.

    optimum -- the least mean against a uniform hider; AssertionError if the solution has
    another. seconds -- a limit, or None.
    """
    execution = Execution(checkpoint=CHECKPOINTS / file_name_of(game))
    solution = equilibrium(game, time_limit=seconds, execution=execution)
    if solution.uniform_payment != optimum:
        payment = solution.uniform_payment
        raise AssertionError(f"{game}: {payment} against a uniform hider, not {optimum}")
    is_decided = solution.is_exact or solution.lower > solution.uniform_payment
    mix_occupancy, uniform_occupancy = solution.occupancy, solution.uniform_occupancy
    values = (
        game,
        game.cells,
        len(solution.hidings),
        len(solution.hidings.orbits),
        solution.uniform_payment,
        solution.value if solution.is_exact else None,
        bound_in_bracket(solution.lower, "lower", solution.lower, solution.upper),
        bound_in_bracket(solution.upper, "upper", solution.lower, solution.upper),
        solution.is_uniform if is_decided else None,
        len(solution.hider),
        len(solution.roots),
        solution.rounds,
        share_at_border(mix_occupancy),
        share_at_border(uniform_occupancy),
        mean_at_corners(mix_occupancy),
        mean_at_corners(uniform_occupancy),
        solution.seconds,
        check_by_certificate(solution),
    )
    return values, solution


def cells_of(solution: Equilibrium) -> list[tuple[object, ...]]:
    """Return the rows of equilibrium_cells.csv of a game, one for each cell."""
    mix, uniform = solution.occupancy, solution.uniform_occupancy
    return [(solution.game, i, j, mix[i, j], uniform[i, j]) for i, j in np.ndindex(mix.shape)]


def optima_of_table() -> dict[Game, Fraction]:
    """Map each game that belongs to this table to its least mean, as optima.csv has it."""
    return {
        entry["game"]: Fraction(entry["total_height"], entry["configurations"])
        for entry in TABLES["optima"].read()
        if belongs_to_table(entry)
    }


def entries_at(kind: str, path: Path) -> list[dict[str, Any]]:
    """Read the rows of a table; none if it does not exist yet."""
    return list(TABLES[kind].read(path)) if path.exists() else []


def values_at(path: Path) -> dict[Game, Fraction | None]:
    """Map each game of a table of equilibria to its value, None for a bracket."""
    return {entry["game"]: entry["value"] for entry in entries_at("equilibria", path)}


def main() -> None:
    """Compute the games that are missing or named, and write both tables after each."""
    parser = script.parser(__doc__, "equilibria")
    parser.add_argument(
        "game", nargs="*", action=script.GameListAction, parse=Game.parse, help="only these"
    )
    parser.add_argument("--seconds", type=float, default=60, help="for each game")
    parser.add_argument("--again", action="store_true", help="also games that have a value")
    arguments = parser.parse_args()
    path = TABLES["equilibria"].path(arguments.output)
    value_of = values_at(path)
    rows = {entry["game"]: tuple(entry.values()) for entry in entries_at("equilibria", path)}
    cells_path = TABLES["equilibrium_cells"].path(arguments.output)
    cell_rows = [tuple(entry.values()) for entry in entries_at("equilibrium_cells", cells_path)]
    optima = optima_of_table()
    games_in_order = sorted(optima, key=lambda game: (game.cells, str(game)))
    committed = values_at(TABLES["equilibria"].path())
    chosen_games = arguments.game or [
        game for game in games_in_order if arguments.again or value_of.get(game) is None
    ]
    for game_number, game in enumerate(chosen_games, 1):
        try:
            seconds = arguments.seconds if committed.get(game) is None else None
            rows[game], solution = compute_row(game, optima[game], seconds)
        except (NotSupported, TooLarge) as error:
            print(f"{game_number}/{len(chosen_games)} {game}: {error}", flush=True)
            continue
        rows_in_order = [rows[game] for game in games_in_order if game in rows]
        TABLES["equilibria"].write(rows_in_order, arguments.output)
        if str(game) in DRAWN:
            cell_rows = [row for row in cell_rows if row[0] != game] + cells_of(solution)
            TABLES["equilibrium_cells"].write(cell_rows, arguments.output)
        print(
            f"{game_number}/{len(chosen_games)} {game}: {solution.value_text}, "
            f"{solution.rounds} rounds, {solution.seconds:.1f} s",
            flush=True,
        )
    values = list(values_at(path).values())
    exact_count = sum(value is not None for value in values)
    print(
        f"{script.typed_path(path)}: {exact_count} values and {len(values) - exact_count} brackets"
    )


if __name__ == "__main__":
    script.run(main)
