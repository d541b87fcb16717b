"""The brackets of the three large games: python -m experiments.bracket [GAME]

Every bound that `optsearch bounds GAME` prints, lower ones first; both sides from weak to strong.
A GAME that is named is written alone; if it is another one, to bracket.csv.
"""

from pathlib import Path

from experiments import script
from optsearch.game import Game
from optsearch.results.bracket import bounds
from optsearch.results.tables import BOXED_BRACKET, BRACKET, OFFICIAL_BRACKET

TABLES = {
    Game.parse("paper"): BRACKET,
    Game.parse("boxed"): BOXED_BRACKET,
    Game.parse("official"): OFFICIAL_BRACKET,
}


def write(game: Game, folder: Path, command: str) -> None:
    """Collect the bounds of a game and write them; the command says what the user ran."""
    found = bounds(game)
    lower = [bound for bound in found.bounds if bound.side == "lower"]
    upper = [bound for bound in found.bounds if bound.side == "upper"]
    upper.sort(key=lambda bound: bound.value, reverse=True)
    path = TABLES.get(game, BRACKET).write(
        [(b.side, b.name, found.decimal(b), b.value, b.source) for b in lower + upper],
        folder,
        command=command,
        fields={"game": game},
        game=game,
    )
    print(f"{script.typed_path(path)}: {found.text}")


def main() -> None:
    """Collect and write the tables."""
    parser = script.parser(__doc__, "bracket")
    parser.add_argument("game", nargs="?", type=script.game)
    arguments = parser.parse_args()
    for game in TABLES if arguments.game is None else [arguments.game]:
        named = f" {game}" if arguments.game else ""
        write(game, arguments.output, BRACKET.command + named)


if __name__ == "__main__":
    script.run(main)
