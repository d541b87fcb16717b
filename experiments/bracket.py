"""The bracket of the usual game, bound by bound: python -m experiments.bracket [GAME] [-o FILE]

Every bound that `optsearch bounds GAME` prints, lower ones first; both sides from weak to strong.
"""

import argparse
from pathlib import Path

from experiments import RESULTS
from optsearch import bounds, records
from optsearch.game import Game
from optsearch.position import Position

STANDARD = "10x10:5,4,3,3,2"
COLUMNS = ("side", "name", "value", "exact", "source")


def main() -> None:
    """Collect and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", type=Game.parse, default=Game.parse(STANDARD))
    parser.add_argument("-o", "--output", type=Path, default=RESULTS / "bracket.csv")
    arguments = parser.parse_args()
    game = arguments.game
    found = bounds.known_bounds(Position(game))
    lower = sorted((b for b in found if b.side == "lower"), key=lambda b: b.value)
    upper = sorted((b for b in found if b.side == "upper"), key=lambda b: -b.value)
    records.write(
        arguments.output,
        COLUMNS,
        [(b.side, b.name, f"{float(b.value):.6f}", b.value, b.source) for b in lower + upper],
        title=f"Bounds on the least mean number of shots of {game}",
        command="python -m experiments.bracket" + ("" if str(game) == STANDARD else f" {game}"),
        fields={"game": game},
    )
    least, most = bounds.bracket(found)
    end = "nothing known" if most is None else f"{float(most):.6f}"
    print(f"{arguments.output}: {float(least):.6f} to {end}")


if __name__ == "__main__":
    main()
