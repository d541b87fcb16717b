"""The bracket of the usual game: python -m experiments.bracket [GAME] [-o FOLDER]

Every bound that `optsearch bounds GAME` prints, lower ones first; both sides from weak to strong.
"""

from experiments import script
from optsearch.bracket import bracket, known_bounds
from optsearch.game import Game
from optsearch.position import Position
from optsearch.results import BRACKET

STANDARD = Game.parse("10x10:5,4,3,3,2")


def main() -> None:
    """Collect and write the table."""
    parser = script.parser(__doc__, "bracket")
    parser.add_argument("game", nargs="?", type=script.game, default=STANDARD)
    arguments = parser.parse_args()
    game = arguments.game
    found = known_bounds(Position(game))
    lower = sorted((b for b in found if b.side == "lower"), key=lambda b: b.value)
    upper = sorted((b for b in found if b.side == "upper"), key=lambda b: -b.value)
    path = BRACKET.write(
        [(b.side, b.name, b.value, b.value, b.source) for b in lower + upper],
        arguments.output,
        command=BRACKET.command + ("" if game == STANDARD else f" {game}"),
        fields={"game": game},
        game=game,
    )
    least, most = bracket(found)
    end = "nothing known" if most is None else f"{float(most):.6f}"
    print(f"{script.shown(path)}: {float(least):.6f} to {end}")


if __name__ == "__main__":
    script.run(main)
