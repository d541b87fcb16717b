"""The brackets of the games that have a name: python -m experiments.bracket [GAME]

Every bound that `optsearch bounds GAME` prints, lower ones first; both sides from weak to strong.
The table has the name of the game, as bracket_paper.csv; of a game without one its text, as
bracket_4x5_432.csv.
"""

from pathlib import Path

from experiments import script
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.named_games import NAMED_GAMES
from optsearch.results.bracket import bounds
from optsearch.results.tables import TABLES, file_name_of

NAMES = {Game.parse(named.text): named.name for named in NAMED_GAMES.values()}


def write_bounds(game: Game, folder: Path) -> None:
    """Write the bounds of a game, the lower ones first; on both sides, the best comes last."""
    bracket = bounds(game)
    lower = [bound for bound in bracket.bounds if bound.side == "lower"]
    upper = [bound for bound in bracket.bounds if bound.side == "upper"]
    upper.sort(key=lambda bound: bound.value, reverse=True)
    path = TABLES["bracket"].write(
        [
            (bound.side, bound.name, bracket.decimal(bound), bound.value, bound.source)
            for bound in lower + upper
        ],
        folder,
        command=None if game in NAMES else f"{TABLES['bracket'].command} {game}",
        fields={"game": game, "configurations": Posterior(game).configurations},
        game=game,
        name=NAMES.get(game) or file_name_of(game),
    )
    print(f"{script.typed_path(path)}: {bracket.text}")


def main() -> None:
    """Write the bounds of the game that is given, or of each named game."""
    parser = script.parser(__doc__, "bracket")
    parser.add_argument("game", nargs="?", type=script.game)
    arguments = parser.parse_args()
    for game in [arguments.game] if arguments.game else NAMES:
        write_bounds(game, arguments.output)


if __name__ == "__main__":
    script.run(main)
