"""The brackets of the games that have a name: python -m experiments.bracket [GAME]

Every bound that `optsearch bounds GAME` prints, lower ones first; both sides from weak to strong.
The table has the name of the game, as bracket_paper.csv; of a game without one its text, as
bracket_4x5_432.csv.
"""

from functools import partial

from experiments import script
from optsearch.game import Game
from optsearch.game.named_games import NAMED_GAMES
from optsearch.results.bracket import bounds

NAMES = {Game.parse(named.text): named.name for named in NAMED_GAMES.values()}


def contents(game: Game) -> tuple[list[script.Row], str]:
    """Return the rows of a game, lower bounds first and the best last, and the bracket in words."""
    bracket = bounds(game)
    lower = [bound for bound in bracket.bounds if bound.side == "lower"]
    upper = [bound for bound in bracket.bounds if bound.side == "upper"]
    upper.sort(key=lambda bound: bound.value, reverse=True)
    rows: list[script.Row] = [
        (bound.side, bound.name, bracket.decimal(bound), bound.value, bound.source)
        for bound in lower + upper
    ]
    return rows, bracket.text


main = partial(script.write_tables_of_games, "bracket", NAMES, contents)


if __name__ == "__main__":
    script.run(main)
