"""Thompson sampling, as printed and with exact samples: python -m experiments.thompson [-o FOLDER]

1,000 games of each player on the same boards, and the exact distributions of games with one ship. A
run that was stopped goes on from the folder .checkpoints of the checkout, or --checkpoints.
"""

import os
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from experiments import script
from optsearch.check.trees import verify
from optsearch.evaluation import evaluate
from optsearch.game import Game, urn
from optsearch.game.position import Position
from optsearch.play.simulate import Outcome, simulate
from optsearch.reproduce import thompson as post
from optsearch.results.tables import TABLES
from optsearch.search import solver
from optsearch.strategies import as_strategy
from optsearch.support.workers import Execution

SMALL = {
    "1x4:2": (),
    "1x5:2": (),
    "1x8:2": (),
    "1x10:2": (),
    "1x4:3": (),
    "1x5:3": ("row", post.ENUMERATION),
    "1x8:3": (),
    "1x10:3": ("row", post.ENUMERATION),
    "5x5:3": ("grid", post.ENUMERATION),
}
"""Games with one ship that the post shows, and who plays them besides chance."""


GAINS = (
    ("thompson", "thompson_100000", "samples in blocks of 100,000, not 10,000"),
    ("thompson_1000", "thompson", "in blocks of 10,000, not 1,000"),
    ("thompson", "whole", "all that the replies say of a ship"),
    ("whole", "exact", "then always 1,000 samples"),
    ("exact", "greedy", "then exact probabilities"),
    ("thompson", "greedy", "all of that"),
    ("exact_1", "greedy", "exact probabilities, not one exact sample"),
)
"""What changes between two players, the better one second."""

Distribution = dict[int, Fraction]


# Games with one ship


def small_distributions() -> Iterator[tuple[Game, str, Distribution]]:
    """Yield each small game, its player, and the distribution of shots."""
    for text, strategies in SMALL.items():
        game = Game.parse(text)
        yield game, "random", urn.random_shots(game)
        for name in strategies:
            evaluation = evaluate(as_strategy(name), game)
            yield game, name, distribution(evaluation.histogram)
        if strategies:
            yield game, "optimal", distribution(optimal_histogram(game))


def optimal_histogram(game: Game) -> dict[int, int]:
    """Return the histogram of an optimal tree: configurations by shots. The tree is replayed."""
    tree = solver.solve(Position(game)).tree()
    if verify(tree) != tree.total_height:
        raise AssertionError(f"the tree of {game} is not what it says")
    return dict(tree.histogram)


def distribution(histogram: dict[int, int]) -> Distribution:
    """Return probabilities for numbers of configurations, by shots."""
    total = sum(histogram.values())
    return {shots: Fraction(number, total) for shots, number in sorted(histogram.items())}


# The standard board


def play_games(games: int, checkpoints: Path) -> dict[str, Outcome]:
    """Play the games of all players; return the outcome for each column of the table."""
    simulation = simulate(
        list(post.PLAYERS.values()),
        post.GAME,
        games=games,
        seed=post.SEED,
        execution=Execution(jobs=os.cpu_count(), checkpoint=checkpoints / "thompson"),
    )
    return dict(zip(post.PLAYERS, simulation.outcomes, strict=True))


def fields_of(outcomes: dict[str, Outcome]) -> dict[str, object]:
    """Return the header of the table of games: a line for each player and each of GAINS."""
    fields: dict[str, object] = {"seed": post.SEED}
    for name, outcome in outcomes.items():
        fields[name] = (
            f"{outcome.strategy}, mean {post.with_error(outcome.shots, 3)}, sd {outcome.sd:.3f}, "
            f"median {outcome.median:g}, worst {outcome.worst}"
        )
    for gain_number, (worse, better, change) in enumerate(GAINS, 1):
        gain = post.with_error(outcomes[worse].shots - outcomes[better].shots, 3)
        fields[f"gain {gain_number}"] = f"{better} takes {gain} shots less than {worse}: {change}"
    return fields


def main() -> None:
    """Compute and write the tables."""
    parser = script.parser(__doc__, "thompson")
    parser.add_argument("-n", "--games", type=int, default=post.GAMES, help="of each player")
    parser.add_argument("--checkpoints", type=Path, default=script.CHECKPOINTS)
    options = parser.parse_args()
    folder: Path = options.output

    def write(name: str, rows: list[tuple[object, ...]], **fields: object) -> None:
        fields = {"game": post.GAME} | fields
        path = TABLES[name].write(rows, folder, fields=fields, game=post.GAME)
        print(script.typed_path(path), flush=True)

    write(
        "thompson_small",
        [
            (game, player, shots, probability)
            for game, player, distribution in small_distributions()
            for shots, probability in distribution.items()
        ],
    )
    outcomes = play_games(options.games, options.checkpoints)
    columns = [outcome.shots.tolist() for outcome in outcomes.values()]
    rows = list(zip(range(options.games), *columns, strict=True))
    write("thompson", rows, **fields_of(outcomes))


if __name__ == "__main__":
    script.run(main)
