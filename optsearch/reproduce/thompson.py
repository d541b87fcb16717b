"""Counts, exact distributions and simulated games of the post on Thompson sampling.

Small games and counts are computed here. The games on the standard board are read from the table
that `python -m experiments.thompson` writes; `full` plays those of Thompson sampling anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from math import hypot, log10, prod, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import list_ships, to_masks
from optsearch.counting.posterior import Posterior
from optsearch.evaluation import Evaluation, EvaluationStatus, evaluate
from optsearch.game import Game, urn
from optsearch.game.position import Position, play
from optsearch.play.simulate import simulate
from optsearch.reproduce.printed import Number, no_note, rounded
from optsearch.results.tables import TABLES
from optsearch.search import solver
from optsearch.strategies.single import Row
from optsearch.support import records
from optsearch.support.errors import RecordError
from optsearch.support.progress import Progress
from optsearch.support.workers import Execution

GAME = Game.parse("10x10:5,4,3,3,2,contact=any,announce=ship")
GAMES = 1000
SEED = 1
MOST_ERRORS = 3  # standard errors in which a printed mean agrees

PLAYERS = {
    "random": "random",
    "thompson": "thompson",
    "thompson_1000": "thompson:block_size=1000",
    "thompson_100000": "thompson:block_size=100000",
    "whole": "thompson:information=whole",
    "exact": "thompson:block_size=1000,information=exact",
    "exact_1": "thompson:block_size=1,information=exact",
    "greedy": "greedy:endgame=0",
}
"""The player of each column of the table `thompson`."""

# With one ship the post enumerates the boards and shoots the first of the most probable cells.
ENUMERATION = "greedy:endgame=0"
ROW, GRID = Game(1, 10, (3,)), Game(5, 5, (3,))
ROWS = tuple(Game(1, cells, (length,)) for length in (2, 3, 4, 5) for cells in range(length, 13))


# One ship


@cache
def evaluation(strategy: str, game: Game) -> Evaluation:
    """Return the evaluation of a strategy on every board."""
    return evaluate(strategy, game)


def optimum(game: Game) -> int:
    """Return the least total height of a game."""
    total_height = solver.solve(Position(game)).total_height
    assert total_height is not None
    return total_height


def _count_games_of(shots: int) -> str:
    return str(evaluation("row", Game(1, 5, (3,))).histogram.get(shots, 0))


def _classes_of_fewest_cells() -> str:
    """Return, as text, the classes that have the fewest cells in every row of cells.

    Cells whose numbers, from 0, leave equal remainders by the length of the ship form a class. It
    is named by the remainder minus the length, so -1 is the last class. Lengths 2 to 10 are tried
    in rows of up to 100 cells.
    """
    fewest_in_rows = []
    for length in range(2, 11):
        for cells in range(length, 101):
            sizes = {
                remainder: len(range(remainder % length, cells, length))
                for remainder in range(-length, 0)
            }
            least = min(sizes.values())
            fewest_in_rows.append({remainder for remainder in sizes if sizes[remainder] == least})
    return ", ".join(map(str, sorted(set.intersection(*fewest_in_rows))))


def _most_shots_after_the_hit() -> str:
    """Return, as text, the most shots after the first hit that the strategy `row` makes.

    It searches a row of cells for one ship; all places of the ship are tried.
    """
    longest = 0
    for ships in list_ships(Position(ROW)):
        end = play(Row().shot, to_masks(ships), Position(ROW))
        first_hit = next(index for index, shot in enumerate(end.shots) if shot.reply.hit)
        longest = max(longest, len(end.shots) - first_hit - 1)
    return str(longest)


def _optimality_of_row() -> str:
    """Return `optimal` or `not optimal`: whether two strategies need the fewest shots in each row.

    One is the strategy `row`, the other shoots the most probable cell. A row of cells hides one
    ship, and the shots for all its places are added up.
    """
    are_optimal = all(
        evaluation(ENUMERATION, game).total_height
        == evaluation("row", game).total_height
        == optimum(game)
        for game in ROWS
    )
    return "optimal" if are_optimal else "not optimal"


def _compare_to_thompson() -> str:
    near_optimal, enumeration = evaluation("grid", GRID), evaluation(ENUMERATION, GRID)
    if near_optimal.total_height == enumeration.total_height:
        return "as many shots"
    return "more shots" if near_optimal.total_height > enumeration.total_height else "fewer shots"


def count_modes(histogram: dict[int, int]) -> int:
    """Count the modes of a distribution: the times that its numbers turn from rising to falling."""
    values = range(min(histogram) - 1, max(histogram) + 2)  # one more on each side
    numbers = [histogram.get(value, 0) for value in values]
    changes = [after - before for before, after in pairwise(numbers) if after != before]
    return sum(change > 0 > next_change for change, next_change in pairwise(changes))


def _grid_note() -> str:
    near_optimal, enumeration = evaluation("grid", GRID), evaluation(ENUMERATION, GRID)
    boards, best = near_optimal.configurations, optimum(GRID)
    return (
        f"{GRID}, mean shots: random {float(urn.mean(urn.random_shots(GRID))):.1f}, near optimal "
        f"{near_optimal.total_height}/{boards} = {float(near_optimal.mean):.1f}, Thompson "
        f"{enumeration.total_height}/{boards} = {float(enumeration.mean):.1f}; the optimum is "
        f"{best}/{boards} = {best / boards:.1f}, less than both"
    )


# The standard board


def optimistic_shots(is_printed: bool) -> Fraction:
    """Return the mean number of shots at random checkerboard cells until five have hit.

    A ship of length n covers (n + 1) // 2 of these cells. is_printed -- True for the function of
    the post, which adds all cells that the ships cover to the misses; False to add the five hits.
    """
    checkerboard = sum((row + column) % 2 for row, column in map(GAME.cell, range(GAME.cells)))
    ship_cells, ships = sum((length + 1) // 2 for length in GAME.fleet), len(GAME.fleet)
    shots = urn.mean(urn.draws(checkerboard, ship_cells, ships))
    return shots + (ship_cells - ships if is_printed else 0)


def extremely_optimistic_mean(is_printed: bool = True) -> Fraction:
    """Return the mean shots of a game without any miss once a ship is hit."""
    return optimistic_shots(is_printed) + sum(length - 1 for length in GAME.fleet)


def optimistic_mean(is_printed: bool = True) -> Fraction:
    """Return the mean shots of a game with 1.5 further misses per ship.

    As in the post, all but two of the cells of a ship are added.
    """
    return (
        optimistic_shots(is_printed)
        + Fraction(3, 2) * len(GAME.fleet)
        + sum(length - 2 for length in GAME.fleet)
    )


def _optimistic_note() -> str:
    return (
        "The printed function lets the number of draws begin at the 10 cells that the ships cover "
        "on the checkerboard, where the fifth hit was meant: 5 draws too many. Without them the "
        f"two means are {rounded(extremely_optimistic_mean(is_printed=False), 4)} and "
        f"{rounded(optimistic_mean(is_printed=False), 4)}."
    )


def _stored_shots() -> NDArray[np.int64]:
    """Return the shots of Thompson sampling in each game of the table."""
    return np.array(TABLES["thompson"].read().column("thompson"), np.int64)


def with_error(shots: NDArray[np.int64], places: int = 2) -> str:
    """Return the mean and its standard error as text."""
    mean, error = float(shots.mean()), float(shots.std(ddof=1)) / sqrt(len(shots))
    return f"{mean:.{places}f} ± {error:.{places}f}"


def _agrees(printed: str, computed: str) -> bool:
    """True if a printed mean is within three standard errors of a computed text "mean ± error".

    The error is that of their difference, as if the printed mean had an equal one.
    """
    mean, error = map(float, computed.split(" ± "))
    return abs(float(printed) - mean) <= MOST_ERRORS * hypot(error, error)


# Each printed value


def _float_text(value: Callable[[], Fraction]) -> Callable[[], str]:
    return lambda: f"{float(value()):.14g}"


def _same_float(printed: str, computed: str) -> bool:
    """True if equal to 12 digits: the printed numbers come from sums in floating point."""
    return abs(float(printed) - float(computed)) < 0.5e-12 * abs(float(printed))


_COMPUTE: dict[str, Callable[[], str]] = {
    "random_mean_10x10": _float_text(lambda: urn.mean(urn.random_shots(GAME))),
    "placements_1x3_2": lambda: str(len(Game(1, 3, (2,)).placements(2))),
    "placements_1x10_4": lambda: str(len(Game(1, 10, (4,)).placements(4))),
    "fewest_cells_of_all_classes": _classes_of_fewest_cells,
    "games_of_three_shots_1x5_3": lambda: _count_games_of(3),
    "games_of_four_shots_1x5_3": lambda: _count_games_of(4),
    "games_of_five_shots_1x5_3": lambda: _count_games_of(5),
    "cells_of_the_class_1x10_3": lambda: str(len(range(2, ROW.cells, 3))),
    "most_shots_after_the_hit_1x10_3": _most_shots_after_the_hit,
    "most_shots_1x10_3": lambda: str(evaluation("row", ROW).worst),
    "configurations_on_a_central_cell_1x10_3": lambda: ", ".join(
        map(str, sorted(set(Posterior(ROW).occurrence[0, 2:8].tolist())))
    ),
    "configurations_on_the_first_cell_1x10_3": lambda: str(Posterior(ROW).occurrence[0, 0]),
    "thompson_in_a_row": _optimality_of_row,
    "cells_of_the_wrapped_class_10x10_2": lambda: str(len(range(1, GAME.cells, 2))),
    "near_optimal_against_thompson_5x5_3": _compare_to_thompson,
    "modes_of_near_optimal_5x5_3": lambda: str(count_modes(evaluation("grid", GRID).histogram)),
    "extremely_optimistic_mean": _float_text(extremely_optimistic_mean),
    "optimistic_mean": _float_text(optimistic_mean),
    "placements_10x10": lambda: ", ".join(str(len(GAME.placements(n))) for n in GAME.fleet),
    "logarithm_of_placements_10x10": lambda: (
        f"{log10(prod(len(GAME.placements(n)) for n in GAME.fleet)):.14f}"
    ),
}
_BY_GAMES: dict[str, Callable[[NDArray[np.int64]], str]] = {
    "shots_of_the_first_game": lambda shots: f"{shots.min()} to {shots.max()}",
    "thompson_mean_10x10": with_error,
}
"""Values of the games of Thompson sampling, read from their table or played anew."""
_AGREES: dict[str, Callable[[str, str], bool]] = {
    "thompson_mean_10x10": _agrees,
    **dict.fromkeys(
        (
            "random_mean_10x10",
            "extremely_optimistic_mean",
            "optimistic_mean",
            "logarithm_of_placements_10x10",
        ),
        _same_float,
    ),
}
_UNCOMPARED = "shots_of_the_first_game"  # one printed game beside the range of ours
_NOTES: dict[str, Callable[[], str]] = {
    "near_optimal_against_thompson_5x5_3": _grid_note,
    "optimistic_mean": _optimistic_note,
}


def _play_games(folder: Path | None) -> NDArray[np.int64]:
    """Play the games of Thompson sampling; return the number of shots of each.

    folder -- keeps finished games, which are not played again, or None.
    """
    checkpoint = None if folder is None else folder / "thompson"
    games = simulate(
        [PLAYERS["thompson"]],
        GAME,
        games=GAMES,
        seed=SEED,
        execution=Execution(jobs=os.cpu_count(), checkpoint=checkpoint),
    )
    return games.outcomes[0].shots


def _number(row: dict[str, str], compute: Callable[[], str], **options: Any) -> Number:
    name, printed = row["name"], row["value"]
    title = re.sub(r"(\d+x\d+)_", r"\1:", name).replace("_", " ")
    agrees = _AGREES.get(name)
    return Number(
        row["place"],
        title,
        printed,
        compute,
        _NOTES.get(name, no_note),
        None if agrees is None else partial(agrees, printed),
        is_compared=name != _UNCOMPARED,
        **options,
    )


def _number_of_games(
    row: dict[str, str], shots: Callable[[], NDArray[np.int64]], **options: Any
) -> Number:
    """Return a printed number that is computed from games; `shots` returns the shots of each."""
    text_of = _BY_GAMES[row["name"]]
    return _number(row, lambda: text_of(shots()), **options)


def full(folder: Path | None, progress: Progress[EvaluationStatus]) -> Iterator[Number]:
    """Yield the printed numbers that come from games of Thompson sampling, which are played now.

    folder -- keeps finished games, or None.
    """
    games = cache(partial(_play_games, folder))
    for row in records.read_published("thompson.csv").rows:
        if row["name"] in _BY_GAMES:
            yield _number_of_games(row, games, minutes=2)
    yield Number(
        "Standard battleship, Bayesian",
        "games of thompson, as in the table",
        f"{GAMES} games",
        lambda: f"{int((games() == _stored_shots()).sum())} games",
    )


def numbers() -> Iterator[Number]:
    """Yield each number that the post prints, in its order, with the function to compute it.

    Numbers that come from games of Thompson sampling are read from a stored table.
    """
    record = records.read_published("thompson.csv")
    for row in record.rows:
        name = row["name"]
        if name in _BY_GAMES:
            yield _number_of_games(row, _stored_shots, stored=TABLES["thompson"].command)
        elif name in _COMPUTE:
            yield _number(row, _COMPUTE[name])
        else:
            raise RecordError(f"{record.path}: nothing computes {name!r}")
