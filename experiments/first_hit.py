"""How many configurations k shots hit: python -m experiments.first_hit [--seconds S] [GAME …]

For single ships and for the fleets of the named games, until the first hit. With one ship the most
that k cells meet is exact, by an integer programme for each k, whose list is replayed on every
placement; with a fleet it lies between greedy and a bound. --seconds is of the search for the least
mean of a game with one ship, where greedy does not reach the bound by these numbers.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import comb

import numpy as np

from experiments import script
from optsearch.counting.posterior import Posterior
from optsearch.evaluation import evaluate
from optsearch.game import MAX_CELLS, Game
from optsearch.game.named_games import NAMED_GAMES
from optsearch.lower_bounds.coverage import CellSetCounts, Coverage
from optsearch.results.tables import TABLES, file_name_of
from optsearch.search.list_programme import best_list
from optsearch.search.solver import solve
from optsearch.support.datafiles import RESULTS

SECONDS = 30.0
COUNTED = 2_000_000  # configurations of a fleet, up to which sets of cells are counted here
NODES = 50_000  # sets of a search for the most that k cells meet


def games() -> list[Game]:
    """List the games of the table, with hits that tell nothing: only the first hit counts."""
    single = [
        Game(side, side, (length,), ends="hit") for side in range(5, 13) for length in range(2, 6)
    ]
    fleets = [Game(f"{name},ends=hit").with_announcement("nothing") for name in NAMED_GAMES]
    return list(dict.fromkeys(single + fleets))


def rows(game: Game, seconds: float) -> script.Rows:
    """Yield a row for each number k of shots up to the worst case of greedy: how many they hit.

    For random shots it is a probability, for greedy a number of configurations, and for the
    best shots a number or bounds. seconds -- a limit for the search of the least mean.
    """
    greedy = evaluate("greedy:endgame=0", game)
    configurations, known_total = greedy.configurations, greedy.total_height
    # Item k: the most configurations that k shots can hit.
    most_met_by = _bound_on_met(game, configurations)
    most_met = [0]
    while most_met[-1] < configurations:
        most_met.append(most_met_by(len(most_met)))
    # A game is still on at k shots in all configurations that k cells do not meet.
    least_total = sum(configurations - met for met in most_met)
    is_single = len(game.fleet) == 1
    if is_single and least_total < known_total and game.cells <= MAX_CELLS:
        solution = solve(game, time_limit=seconds)
        least_total = max(least_total, solution.lower or 0)
        known_total = min(known_total, solution.upper or known_total)
    hit_by_greedy = 0
    for k in range(1, greedy.worst + 1):
        hit_by_greedy += greedy.histogram.get(k, 0)
        bound = most_met[min(k, len(most_met) - 1)]
        yield (
            game,
            configurations,
            k,
            _chance_of_hit(game.room, [game.fleet_cells], k),
            _chance_on_checkerboard(game, k) if is_single else None,
            hit_by_greedy,
            bound if is_single else hit_by_greedy,
            bound,
            least_total,
            known_total,
        )


def _bound_on_met(game: Game, number: int) -> Callable[[int], int]:
    """Return a function that bounds how many configurations any k cells meet.

    They meet a configuration if a ship of it has one of them. With one ship the bound is
    attained. number -- of all configurations.
    """
    if len(game.fleet) == 1:
        ships = game.placements(game.fleet[0])
        has_cell = np.array(
            [[ship >> cell & 1 for cell in range(game.cells)] for ship in ships], bool
        )

        def met_by_best(k: int) -> int:
            weights = np.ones(number, np.int64)
            cells = best_list(has_cell, weights, [k], False, number, lambda: None)
            return int(has_cell[:, cells].any(axis=1).sum())

        return met_by_best
    game_to_the_end = replace(game, ends="sunk")  # has the same configurations
    stored = TABLES["coverage"].path(RESULTS, name=file_name_of(game_to_the_end))
    if stored.is_file():
        return TABLES["coverage"].read(stored).column("most_met").__getitem__
    if number <= COUNTED:
        return Coverage(CellSetCounts.of(game_to_the_end), NODES).most_met
    counts = sorted(Posterior(game).occurrence.ravel().tolist(), reverse=True)
    return lambda k: min(number, sum(counts[:k]))


def _chance_of_hit(cells: int, sizes: list[int], k: int) -> Fraction:
    """Return the probability that k random cells, of `cells`, meet a random set of cells.

    sizes -- how many of these cells each set has; all sets are equally likely.
    """
    if k > cells:
        return Fraction(1)
    missed = sum(comb(cells - size, k) for size in sizes)
    return 1 - Fraction(missed, len(sizes) * comb(cells, k))


def _chance_on_checkerboard(game: Game, k: int) -> Fraction | None:
    """Return the chance that k random black cells hit the only ship; None if there are fewer."""
    black_cells = [i for i in range(game.cells) if sum(game.cell(i)) % 2]
    if k > len(black_cells):
        return None
    black_mask = sum(1 << cell for cell in black_cells)
    sizes = [(ship & black_mask).bit_count() for ship in game.placements(game.fleet[0])]
    return _chance_of_hit(len(black_cells), sizes, k)


main = script.Experiment(
    "first_hit",
    games,
    rows,
    [script.option("--seconds", type=float, default=SECONDS, help="of a search")],
    read_task=Game.parse,
    keeps_rows=True,
)


if __name__ == "__main__":
    script.run(main)
