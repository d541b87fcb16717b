"""The brackets of the usual game and of that in the box: python -m experiments.bracket [GAME]

Every bound that `optsearch bounds GAME` prints, lower ones first; both sides from weak to strong.
A GAME that is named is written alone; but for the game in the box, to bracket.csv.
"""

from pathlib import Path

from experiments import script
from optsearch.bracket import bracket, known_bounds
from optsearch.decimals import outward
from optsearch.game import Game
from optsearch.position import Position
from optsearch.results import BOXED_BRACKET, BRACKET

STANDARD = Game.parse("10x10:5,4,3,3,2")
BOXED = Game.parse("10x10:5,4,3,3,2;contact=any;announce=ship")


def write(game: Game, folder: Path, command: str) -> None:
    """Collect the bounds of a game and write them; the command says what the user ran."""
    found = known_bounds(Position(game))
    lower = sorted((b for b in found if b.side == "lower"), key=lambda b: b.value)
    upper = sorted((b for b in found if b.side == "upper"), key=lambda b: -b.value)
    table = BOXED_BRACKET if game == BOXED else BRACKET
    path = table.write(
        [(b.side, b.name, outward(b.value, b.side), b.value, b.source) for b in lower + upper],
        folder,
        command=command,
        fields={"game": game},
        game=game,
    )
    least, most = bracket(found)
    end = "nothing known" if most is None else outward(most, "upper")
    print(f"{script.shown(path)}: {outward(least, 'lower')} to {end}")


def main() -> None:
    """Collect and write the tables."""
    parser = script.parser(__doc__, "bracket")
    parser.add_argument("game", nargs="?", type=script.game)
    arguments = parser.parse_args()
    if arguments.game is None:
        for game in (STANDARD, BOXED):
            write(game, arguments.output, BRACKET.command)
    else:
        write(arguments.game, arguments.output, f'{BRACKET.command} "{arguments.game}"')


if __name__ == "__main__":
    script.run(main)
