"""The brackets of the paper's game and of the boxed game: python -m experiments.bracket [GAME]

Every bound that `optsearch bounds GAME` prints, lower ones first; both sides from weak to strong.
A GAME that is named is written alone; but for the boxed game, to bracket.csv.
"""

from pathlib import Path

from experiments import script
from optsearch.game import Game
from optsearch.results.bracket import bounds
from optsearch.results.tables import BOXED_BRACKET, BRACKET

STANDARD = Game.parse("10x10:5,4,3,3,2")
BOXED = Game.parse("10x10:5,4,3,3,2,contact=any,announce=ship")


def write(game: Game, folder: Path, command: str) -> None:
    """Collect the bounds of a game and write them; the command says what the user ran."""
    found = bounds(game)
    lower = [bound for bound in found.bounds if bound.side == "lower"]
    upper = [bound for bound in found.bounds if bound.side == "upper"]
    upper.sort(key=lambda bound: bound.value, reverse=True)
    table = BOXED_BRACKET if game == BOXED else BRACKET
    path = table.write(
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
    if arguments.game is None:
        for game in (STANDARD, BOXED):
            write(game, arguments.output, BRACKET.command)
    else:
        write(arguments.game, arguments.output, f"{BRACKET.command} {arguments.game}")


if __name__ == "__main__":
    script.run(main)
