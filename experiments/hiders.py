"""Measure the gain of hiders: python -m experiments.hiders [--games N] [-o FOLDER]

On the paper's board no equilibrium can be computed. Here some players shoot at boards hidden in
other ways than uniformly; none of them knows how. All of it is by simulation, seeded, to
data/results/hiders.csv:

- liking edges, avoiding them: a placement on the border weighs four times as much, or a quarter;
- spread: of ten uniform boards the one whose nearest ships are farthest from each other;
- hard for greedy: of four hundred uniform boards the ten on which greedy took longest.
  That is an answer to greedy by simulation: a hider who knows that strategy shot by shot;
- hard for thompson: the ten on which Thompson sampling took longest on average, of ten games each,
  in the boxed game; the header has the three hardest;
- both turned: each of these by a symmetry drawn at random, which is what a shooter brings about who
  turns its own strategy;
- corner: the printed placement of "Battleship Heuristics", where ships may touch, beside uniform.

--games N plays N boards instead of 4,000, and at most N if a player is slow.

There is no table of boards of people among the sources.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations

import numpy as np

from experiments import script
from optsearch.counting.configurations import CellSets, to_masks, to_words
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.game import Game, image
from optsearch.game.ships import in_order
from optsearch.play.hiding import Corner, Drawn, Hider
from optsearch.play.simulate import Outcome, simulate

GAME = Game.parse("10x10:5,4,3,3,2")
TOUCHING = Game.parse("10x10:5,4,3,3,2,contact=any")
BOXED = Game.parse("10x10:5,4,3,3,2,contact=any,announce=ship")
GREEDY, THOMPSON = "greedy", "thompson"
FAST = ("density", "parity", "pattern:modulus=4,colours=13,scan=diagonals,clear=line,water=1")
GAMES, SLOW_GAMES = 4_000, 150
POOL, HARD = 400, 10  # boards that are played, and those of them that are hard
GAMES_A_BOARD = {THOMPSON: 10}  # of the pool: one of a player who draws no lots
PREFERENCE = 4
SEED, POOL_SEED = 1, 2


Boards = Callable[[Game, int, int], CellSets]  # of a game, so many, by a seed


class MadeBoards(Hider):
    """A hider with a name and a function that makes its boards."""

    def __init__(self, identity: str, make: Boards):
        self._identity, self._make = identity, make

    @property
    def identity(self) -> str:
        """The name of the hider."""
        return self._identity

    def boards(self, game: Game, number: int, seed: int) -> CellSets:
        """Make `number` boards of a game, by a seed."""
        return self._make(game, number, seed)


def weighted_by_border(on_edge: int, inside: int) -> Boards:
    """Return a maker of boards by the weights of placements along the border and of all others."""

    def make(game: Game, number: int, seed: int) -> CellSets:
        ships = {ship for length in set(game.fleet) for ship in game.placements(length)}
        prior = Prior.of_placements(
            game, {ship: on_edge if on_border(game, ship) else inside for ship in ships}
        )
        posterior = Posterior(game, prior=prior)
        return posterior.sample(number, np.random.default_rng([seed, 0, 0]), masks=True)

    return make


def on_border(game: Game, ship: int) -> bool:
    """True if all cells of a ship are at the border."""
    last = game.rows - 1, game.columns - 1
    return all(row in (0, last[0]) or column in (0, last[1]) for row, column in game.cells_of(ship))


def spread_boards(game: Game, number: int, seed: int) -> CellSets:
    """Make boards: each is the one of ten uniform boards whose nearest ships are farthest apart."""
    candidates = Drawn().boards(game, 10 * number, seed)
    distances = np.array([_distance(game, to_masks(board)) for board in candidates])
    best_of_ten = distances.reshape(number, 10).argmax(axis=1)
    chosen: CellSets = candidates[10 * np.arange(number) + best_of_ten]
    return chosen


def _distance(game: Game, ships: list[int]) -> int:
    """Return the least distance of cells of two ships: of rows or columns, whichever is more."""
    cells = [np.array(game.cells_of(ship)) for ship in ships]
    return min(
        int(np.abs(ship[:, None] - other[None]).max(axis=2).min())
        for ship, other in combinations(cells, 2)
    )


def hider_of_hardest(player: str, is_turned: bool) -> Hider:
    """Return a hider with the boards of a pool on which a player took longest, one after the other.

    is_turned -- True to apply a random symmetry to each board.
    """

    def make(game: Game, number: int, seed: int) -> CellSets:
        boards = hardest_boards(game, player)
        chosen_boards = [boards[i % len(boards)] for i in range(number)]
        if is_turned:
            symmetries = game.symmetries()
            symmetry_indices = np.random.default_rng([seed, 0, 0]).integers(
                len(symmetries), size=number
            )
            chosen_boards = [
                tuple(in_order((image(ship, symmetries[i]) for ship in board), game))
                for board, i in zip(chosen_boards, symmetry_indices, strict=True)
            ]
        return np.array([to_words(board) for board in chosen_boards])

    return MadeBoards(f"hard for {player}" + ", turned" * is_turned, make)


def pool(game: Game, number: int, seed: int = 0) -> CellSets:
    """Return `number` boards of the pool; from its end on it begins again."""
    return np.resize(Drawn().boards(game, POOL, POOL_SEED), (number, len(game.fleet), game.words))


@cache
def hardest_boards(game: Game, player: str) -> list[tuple[int, ...]]:
    """List the boards of the pool on which a player takes longest on average, the longest first.

    Each board is a tuple of ships (masks).
    """
    games_of_board = GAMES_A_BOARD.get(player, 1)
    simulation = simulate(
        [player], game, games=POOL * games_of_board, seed=POOL_SEED, boards=MadeBoards("pool", pool)
    )
    shots_by_board = simulation.outcomes[0].shots.reshape(games_of_board, POOL).sum(axis=0)
    longest_first = np.argsort(-shots_by_board, kind="stable")
    return [tuple(to_masks(board)) for board in pool(game, POOL)[longest_first[:HARD]]]


UNIFORM = Drawn()
HIDERS_HERE: tuple[tuple[Game, Hider], ...] = (
    (GAME, UNIFORM),
    (GAME, MadeBoards("edges liked", weighted_by_border(PREFERENCE, 1))),
    (GAME, MadeBoards("edges avoided", weighted_by_border(1, PREFERENCE))),
    (GAME, MadeBoards("spread", spread_boards)),
    (GAME, hider_of_hardest(GREEDY, False)),
    (GAME, hider_of_hardest(GREEDY, True)),
    (TOUCHING, UNIFORM),
    (TOUCHING, Corner()),
    (BOXED, UNIFORM),
    (BOXED, hider_of_hardest(THOMPSON, False)),
    (BOXED, hider_of_hardest(THOMPSON, True)),
)


def tasks() -> Iterator[tuple[Game, Hider, str]]:
    """Yield each game and hider with each player."""
    for game, hider in HIDERS_HERE:
        if game == BOXED:
            players: tuple[str, ...] = (*FAST[:2], THOMPSON, GREEDY)
        elif game.contact == "none":
            players = (*FAST, GREEDY)
        else:
            players = (*FAST[:2], GREEDY)
        for player in players:
            yield game, hider, player


@cache
def outcome_of(game: Game, hider: Hider, player: str, number: int) -> Outcome:
    """Play `number` games of a player against a hider."""
    (outcome,) = simulate([player], game, games=number, seed=SEED, boards=hider).outcomes
    return outcome


def rows(game: Game, hider: Hider, player: str, games: int) -> script.Rows:
    """Yield the row of a player and a hider, with the difference from the uniform hider.

    games -- the boards that a fast player plays.
    """
    board_count = {GREEDY: min(games, SLOW_GAMES), THOMPSON: games // 4}.get(player, games)
    outcome = outcome_of(game, hider, player, board_count)
    against_uniform = outcome_of(game, UNIFORM, player, board_count)
    yield (
        game,
        hider.identity,
        outcome.strategy,
        board_count,
        outcome.mean,
        outcome.standard_error,
        outcome.mean - against_uniform.mean,
        outcome.worst,
    )


def fields() -> dict[str, object]:
    """Return the header: how boards were made, and the hardest of them."""
    settings: dict[str, object] = {"seed": SEED, "pool": POOL, "hard": HARD, "factor": PREFERENCE}
    for number, ships in enumerate(hardest_boards(BOXED, THOMPSON)[:3], 1):
        settings[f"hard for thompson {number}"] = " ".join(map(BOXED.ship_name, ships))
    return settings


games = script.option("--games", type=int, default=GAMES)
main = script.Experiment("hiders", tasks, rows, [games], fields)


if __name__ == "__main__":
    script.run(main)
