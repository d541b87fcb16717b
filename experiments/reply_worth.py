"""Measure the worth of each rule of replies: python -m experiments.reply_worth

Solves twenty small games by the five rules of optsearch and by the three of
experiments/reply_rules.py. An optimal tree of each is replayed on every configuration, and games of
up to ORACLE configurations are solved by the definition, too. Writes data/results/reply_worth.csv.
"""

from fractions import Fraction
from pathlib import Path

from experiments import script
from optsearch.check import reference
from optsearch.check.trees import verify
from optsearch.game import ANNOUNCEMENTS, Game
from optsearch.game.position import Position
from optsearch.search.solver import solve

FILE = Path(__file__).with_name("reply_rules.py")
OWN = ("parity", "ends", "orientation")
GAMES = (
    *("2x5:3,2", "2x6:3,2", "2x6:4,2", "3x4:3,2", "3x5:3,2", "3x5:4,2", "4x4:3,2", "4x4:4,2"),
    *("4x4:4,3", "4x5:4,3", "4x5:5,3", "4x5:4,3,2"),
    *("2x4:3,2,contact=any", "2x5:3,2,contact=any", "3x3:3,2,contact=any", "3x4:3,2,contact=any"),
    *("3x4:4,3,contact=any", "3x4:4,3,2,contact=any", "3x5:4,3,contact=any", "4x4:4,3,contact=any"),
)
ORACLE = 24


def solve_and_confirm(game: Game) -> tuple[int, int]:
    """Return the number of configurations and the least total height of a game.

    Both are confirmed by a tree and, if there are few configurations, by the definition.
    """
    solution = solve(game)
    least_total = solution.total_height
    if least_total is None or verify(solution.tree()) != least_total:
        raise AssertionError(f"{game}: the tree does not have the total height {least_total}")
    if solution.configurations <= ORACLE:
        total_by_definition = reference.solve(Position(game)).total_height
        if total_by_definition != least_total:
            raise AssertionError(f"{game}: {least_total}, by the definition {total_by_definition}")
    return solution.configurations, least_total


def rows(text: str) -> script.Rows:
    """Yield a row for each rule of replies: what an optimal strategy needs, and saves by the rule.

    It has the game, the rule, the number of configurations, the total and the mean of the shots
    over all of them, and the mean shots saved beside the rule by which hits tell nothing.
    """
    silent_mean: Fraction | None = None  # of the first rule, by which hits tell nothing
    for rule in (*ANNOUNCEMENTS, *OWN):
        announce = f"{FILE}:{rule}" if rule in OWN else rule
        configurations, total = solve_and_confirm(Game(f"{text},announce={announce}"))
        mean = Fraction(total, configurations)
        if silent_mean is None:
            silent_mean = mean
        shots_saved = silent_mean - mean
        yield Game(text), rule, configurations, total, float(mean), float(shots_saved)


main = script.Experiment("reply_worth", GAMES, rows)


if __name__ == "__main__":
    script.run(main)
