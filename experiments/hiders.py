"""What a hider gains in practice: python -m experiments.hiders [-o FOLDER]

On the paper's board no equilibrium can be computed. Here some players shoot at boards hidden in
other ways than uniformly; none of them knows how. All of it is by simulation, seeded, to
data/results/hiders.csv:

- liking edges, avoiding them: a placement on the border weighs four times as much, or a quarter;
- spread: of ten uniform boards the one whose nearest ships are farthest from each other;
- hard for greedy: of four hundred uniform boards the ten on which greedy took longest. That is an
  answer to greedy by simulation: a hider who knows that strategy shot by shot;
- the same, turned: each of these by a symmetry drawn at random, which is what a shooter brings
  about who turns its own strategy;
- corner: the printed placement of "Battleship Heuristics", where ships may touch, beside uniform.

There is no table of boards of people among the sources.
"""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from experiments import script
from optsearch.counting.configurations import CellSets, to_masks, to_words
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.game import Game, image
from optsearch.game.ships import in_order
from optsearch.play.hiding import Corner, Drawn, Hider
from optsearch.play.simulate import simulate
from optsearch.results.tables import HIDERS

GAME = Game.parse("10x10:5,4,3,3,2")
TOUCHING = Game.parse("10x10:5,4,3,3,2,contact=any")
GREEDY = "greedy"
FAST = ("density", "parity", "pattern:modulus=4,colours=13,scan=diagonals,clear=line,water=1")
GAMES, SLOW_GAMES = 4_000, 150
POOL, HARD = 400, 10  # boards that greedy plays, and those of them that are hard
FACTOR = 4
SEED, POOL_SEED = 1, 2


class Weighted(Hider):
    """Draws by a weight for each placement."""

    def __init__(self, identity: str, weigh: Callable[[Game, int], int]):
        self._identity, self._weigh = identity, weigh

    @property
    def identity(self) -> str:
        """Its name."""
        return self._identity

    def boards(self, game: Game, number: int, seed: int) -> CellSets:
        """Exact draws."""
        ships = {ship for length in set(game.fleet) for ship in game.placements(length)}
        prior = Prior.of_placements(game, {ship: self._weigh(game, ship) for ship in ships})
        posterior = Posterior(game, prior=prior)
        return posterior.sample(number, np.random.default_rng([seed, 0, 0]))


def on_border(game: Game, ship: int) -> bool:
    """Whether all cells of a ship are at the border."""
    last = game.rows - 1, game.columns - 1
    return all(row in (0, last[0]) or column in (0, last[1]) for row, column in game.cells_of(ship))


class SpreadBoards(Hider):
    """Of some uniform boards the one whose nearest ships are farthest apart."""

    identity = "spread"
    drawn = 10

    def boards(self, game: Game, number: int, seed: int) -> CellSets:
        """The best of so many draws each."""
        many = Drawn().boards(game, self.drawn * number, seed)
        chosen = []
        for start in range(0, len(many), self.drawn):
            some = many[start : start + self.drawn]
            apart = [_distance(game, to_masks(board)) for board in some]
            chosen.append(some[int(np.argmax(apart))])
        return np.array(chosen)


def _distance(game: Game, ships: list[int]) -> int:
    """The least number of rows or columns, whichever is more, between cells of two ships."""
    cells = [np.array(game.cells_of(ship)) for ship in ships]
    return min(
        int(np.abs(a[:, None] - b[None]).max(axis=2).min())
        for i, a in enumerate(cells)
        for b in cells[:i]
    )


class HardForGreedy(Hider):
    """The boards of a pool on which greedy took longest, in turn; or turned at random."""

    def __init__(self, is_turned: bool):
        self.is_turned = is_turned

    @property
    def identity(self) -> str:
        """Its name."""
        return "hard for greedy" + ", turned" * self.is_turned

    def boards(self, game: Game, number: int, seed: int) -> CellSets:
        """One of the boards after the other."""
        hard = hardest(game)
        chosen = [hard[i % len(hard)] for i in range(number)]
        if self.is_turned:
            rng = np.random.default_rng([seed, 0, 0])
            symmetries = game.symmetries()
            turns = [symmetries[i] for i in rng.integers(len(symmetries), size=number)]
            pairs = zip(chosen, turns, strict=True)
            chosen = [
                tuple(in_order((image(ship, turn) for ship in one), game)) for one, turn in pairs
            ]
        return np.array([to_words(one) for one in chosen])


@cache
def hardest(game: Game) -> list[tuple[int, ...]]:
    """The boards of the pool that greedy is worst at, as ships."""
    played = simulate([GREEDY], game, games=POOL, seed=POOL_SEED, jobs=1)
    boards = Drawn().boards(game, POOL, POOL_SEED)
    order = np.argsort(-played.outcomes[0].shots, kind="stable")[:HARD]
    return [tuple(to_masks(boards[i])) for i in order]


HIDERS_HERE: tuple[tuple[Game, Hider], ...] = (
    (GAME, Drawn()),
    (GAME, Weighted("edges liked", lambda game, s: FACTOR if on_border(game, s) else 1)),
    (GAME, Weighted("edges avoided", lambda game, s: 1 if on_border(game, s) else FACTOR)),
    (GAME, SpreadBoards()),
    (GAME, HardForGreedy(False)),
    (GAME, HardForGreedy(True)),
    (TOUCHING, Drawn()),
    (TOUCHING, Corner()),
)


def rows(games: int = GAMES, slow_games: int = SLOW_GAMES) -> Iterator[tuple[object, ...]]:
    """The lines of the table; differences are from the uniform hider of the same game."""
    uniform: dict[tuple[Game, str], float] = {}
    for game, hider in HIDERS_HERE:
        water = game.contact == "none"
        for player in (*FAST[: 3 if water else 2], GREEDY):
            number = slow_games if player == GREEDY else games
            played = simulate([player], game, games=number, seed=SEED, boards=hider, jobs=1)
            (outcome,) = played.outcomes
            mean = uniform.setdefault((game, player), outcome.mean)
            yield (
                game,
                hider.identity,
                outcome.strategy,
                number,
                outcome.mean,
                outcome.standard_error,
                outcome.mean - mean,
                outcome.worst,
            )


def main() -> None:
    """Compute and write the table."""
    output = script.parser(__doc__, "hiders").parse_args().output
    found = script.reported(rows(), 30)
    fields = {"seed": SEED, "pool": POOL, "hard": HARD, "factor": FACTOR}
    HIDERS.write(found, output, fields=fields)


if __name__ == "__main__":
    script.run(main)
