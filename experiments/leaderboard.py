"""All players on the same boards: python -m experiments.leaderboard [-o FOLDER]

The paper's board under three sets of rules: nothing announced, ships not touching and touching, and
touching with the lengths of sunk ships told. Fast players play 10,000 boards, slow ones the first
1,000 of them (some fewer), all seeded. A new player is a line in PLAYERS; what was played is kept
in build/leaderboard, and not played again.

The means over all configurations of `experiments.evaluations`, and that of random shots,
k (n + 1) / (k + 1) for k ship cells of n, stand beside; a mean more than four standard errors away
ends the run. What is evaluated but not played here is listed with its exact histogram.
"""

import time
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from experiments import script
from optsearch.cli.simulating import show_simulation_progress
from optsearch.counting.configurations import CellSets
from optsearch.game import Game
from optsearch.play.hiding import Drawn
from optsearch.play.simulate import Outcome, play_task, player_for_games, sd, simulate
from optsearch.results.tables import TABLES, file_name_of
from optsearch.strategies import as_player
from optsearch.strategies.greedy import forget_counts
from optsearch.support.decimals import exact_mean
from optsearch.support.workers import Execution

PAPER = "10x10:5,4,3,3,2"
SILENT = Game.parse(PAPER)
TOUCHING = Game.parse(f"{PAPER},contact=any")
TOLD = Game.parse(f"{PAPER},contact=any,announce=ship")
GAMES = (SILENT, TOUCHING, TOLD)
FAST = dict.fromkeys(GAMES, 10_000)
SLOW = dict.fromkeys(GAMES, 1_000)
PATTERN = "pattern:modulus=4,colours=13,scan=diagonals"

PLAYERS: dict[str, dict[Game, int]] = {
    "density": FAST,
    "parity": FAST,
    "random": FAST,
    **{f"heuristic:version={version}": FAST for version in range(2, 6)},
    f"{PATTERN},clear=line": FAST,
    f"{PATTERN},clear=line,water=1": {SILENT: 10_000},
    "greedy": SLOW,
    "greedy:endgame=0": SLOW,
    "bisection": SLOW,
    "information": SLOW,
    "rollout": {TOLD: 200},
    "thompson": {TOLD: 1_000},
}
"""How many boards each player plays, by game. A new one is a line here."""

FIRST = "density"  # with which all are compared
# Listed with their exact histogram instead:
EVALUATED = ("levels", "nested", "rollout", "spread", "any_ship_spread", "any_ship_rollout")
SEED = 1
TIMED = 5  # boards on which moves are timed
CHECKPOINTS = Path("build/leaderboard")
Key = tuple[Game, str]  # a game, and the full name of a player
Row = dict[str, Any]


def full_name(player: str) -> str:
    """Return the name of a player with all its parameters."""
    return str(as_player(player))


def known_mean(player: str, game: Game) -> float | None:
    """Return the mean of a player over all configurations, by evaluation or formula, else None."""
    if player == "random":
        return game.fleet_cells * (game.cells + 1) / (game.fleet_cells + 1)
    for path in TABLES["evaluations"].all():
        header = TABLES["evaluations"].read(path).header
        if header["strategy"] == player and Game.parse(header["game"]) == game:
            return mean_in_header(header)
    return None


def mean_in_header(header: Mapping[str, str]) -> float:
    """Return the mean in the header of an evaluation, rounded as in reports."""
    total, configurations = int(header["total_height"]), int(header["configurations"])
    return float(exact_mean(Fraction(total, configurations)))


def milliseconds_per_shot(player: str, game: Game, boards: CellSets) -> float:
    """Return the mean processor time of a shot, with nothing cached from other games."""
    strategy = as_player(player)
    # Not timed: the first game compiles what is compiled.
    play_task(player_for_games(strategy, game), game, boards[:1], 0, SEED)
    seconds, shots = 0.0, 0
    for game_number in range(len(boards)):
        forget_counts()
        started = time.process_time()
        player_of_game = player_for_games(strategy, game)
        board = boards[game_number : game_number + 1]
        shots += sum(play_task(player_of_game, game, board, game_number, SEED))
        seconds += time.process_time() - started
    return 1000 * seconds / shots


def mean_difference(first: Outcome, outcome: Outcome) -> tuple[float, float]:
    """Return how many more shots an outcome has than the first on the same boards, and the error.

    Both are of the mean over boards: the difference and its standard error.
    """
    difference = outcome.shots - first.shots[: outcome.games]
    return float(difference.mean()), sd(difference) / sqrt(len(difference))


def row_of(outcome: Outcome, first: Outcome, boards: CellSets) -> Row:
    """Return the row of an outcome; AssertionError if its mean is far from the known one.

    first -- the outcome that it is compared with. boards -- of both; a few of them are played
    again to time the shots.
    """
    names = ("game", "strategy", "games", "mean", "standard_error", "sd", "median", "worst")
    mean_of_all = known_mean(outcome.strategy, outcome.game)
    if mean_of_all is not None and abs(outcome.mean - mean_of_all) > 4 * outcome.standard_error:
        raise AssertionError(
            f"{outcome.strategy} on {outcome.game}: {outcome.mean}, known to be {mean_of_all}"
        )
    difference = difference_error = None
    if outcome.strategy != first.strategy:
        difference, difference_error = mean_difference(first, outcome)
    return {
        **{name: getattr(outcome, name) for name in names},
        "difference": difference,
        "difference_error": difference_error,
        "milliseconds": milliseconds_per_shot(outcome.strategy, outcome.game, boards[:TIMED]),
        "known": mean_of_all,
    }


def play_all(
    board_counts: dict[Key, int], jobs: int, checkpoints: Path
) -> Iterator[tuple[Row, dict[int, int]]]:
    """Play each player on its number of boards; yield its row and its histogram."""
    # Players of one game with as many boards play together, those with most boards first.
    players_by_group: dict[tuple[Game, int], list[str]] = {}
    for (game, player), games in board_counts.items():
        players_by_group.setdefault((game, games), []).append(player)
    groups = sorted(players_by_group, key=lambda group: -group[1])
    for game, games in groups:
        players = players_by_group[game, games]
        print(f"{game}: {games:,} boards, {', '.join(players)}", flush=True)
        with show_simulation_progress() as progress:
            outcomes = simulate(
                list(dict.fromkeys([full_name(FIRST), *players])),
                game,
                games=games,
                seed=SEED,
                execution=Execution(
                    jobs=jobs, checkpoint=checkpoints / file_name_of(game), progress=progress
                ),
            ).outcomes
        boards = Drawn().boards(game, games, SEED)
        for outcome in outcomes:
            if outcome.strategy in players:
                yield row_of(outcome, outcomes[0], boards), outcome.histogram


def read_evaluation(name: str) -> tuple[Row, dict[int, int]]:
    """Return the row and the histogram of a strategy that was evaluated on all configurations."""
    table = TABLES["evaluations"].read(name=name)
    histogram = dict(zip(table.column("shots"), table.column("configurations"), strict=True))
    # The configurations that are finished within each number of shots.
    finished_within = np.cumsum(list(histogram.values()))
    configurations = int(finished_within[-1])
    median_index = int(np.searchsorted(finished_within, (configurations + 1) // 2))
    mean = mean_in_header(table.header)
    row = {
        "game": Game.parse(table.header["game"]),
        "strategy": table.header["strategy"],
        "games": configurations,
        "mean": mean,
        "standard_error": 0,
        "sd": float(table.header["sd"]),
        "median": list(histogram)[median_index],
        "worst": max(histogram),
        **dict.fromkeys(("difference", "difference_error", "milliseconds")),
        "known": mean,
    }
    return row, histogram


def boards_to_play(limit: int, slow: int) -> dict[Key, int]:
    """Map each game and player to the number of boards: at most `limit`, of slow players `slow`."""
    return {
        (game, full_name(name)): min(games[game], slow if games[game] <= 1_000 else limit)
        for game in GAMES
        for name, games in PLAYERS.items()
        if game in games
    }


def write_tables(results: dict[Key, tuple[Row, dict[int, int]]], folder: Path) -> list[Path]:
    """Write the table of players and that of their shots, by game and mean; return both paths.

    results -- row and histogram, by game and player.
    """
    sorted_keys = sorted(results, key=lambda key: (GAMES.index(key[0]), results[key][0]["mean"]))
    rows, shots = [], []
    for key in sorted_keys:
        row, histogram = results[key]
        rows.append([row[name] for name in TABLES["leaderboard"].names])
        shots += [(*key, *shots_and_games) for shots_and_games in sorted(histogram.items())]
    fields = {"seed": SEED}
    return [
        TABLES["leaderboard"].write(rows, folder, fields=fields),
        TABLES["leaderboard_shots"].write(shots, folder, fields=fields),
    ]


def main() -> None:
    """Play what is missing and write the tables."""
    parser = script.parser(__doc__, "leaderboard")
    parser.add_argument("-n", "--games", type=int, default=10_000, help="at most, of each player")
    parser.add_argument("--slow", type=int, default=1_000, help="at most, of each slow player")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--checkpoints", type=Path, default=CHECKPOINTS)
    arguments = parser.parse_args()
    board_counts = boards_to_play(arguments.games, arguments.slow)
    results = {}
    for name in EVALUATED:
        row, histogram = read_evaluation(name)
        results[row["game"], row["strategy"]] = row, histogram
    for row, histogram in play_all(board_counts, arguments.jobs, arguments.checkpoints):
        results[row["game"], row["strategy"]] = row, histogram
        write_tables(results, arguments.output)
    for path in write_tables(results, arguments.output):
        print(script.typed_path(path))
    for row in TABLES["leaderboard"].read(TABLES["leaderboard"].path(arguments.output)):
        exact_text = "" if row["known"] is None else f", of all configurations {row['known']:.4f}"
        mean = f"{row['mean']:.4f} ± {row['standard_error']:.4f}"
        print(f"{row['game']}  {row['strategy']}: {mean}{exact_text}")


if __name__ == "__main__":
    script.run(main)
