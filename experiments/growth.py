"""Count configurations of growing boards: python -m experiments.growth [-o FOLDER]

The fleet 5,4,3,3,2 on square boards from 6x6 to 12x12, under the three contact rules. The
number of boards of up to 128 cells is confirmed by the configurations through each cell.
"""

import time
from itertools import product

from experiments import script
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import engine_for
from optsearch.counting.posterior import Posterior
from optsearch.game import CONTACTS, MAX_CELLS, Game
from optsearch.game.position import Position

FLEET = "5,4,3,3,2"
SIZES = range(6, 13)


def rows(contact: str, size: int) -> script.Rows:
    """Yield the row of a board: its configurations, and whether a second count confirms them."""
    game = Game.parse(f"{size}x{size}:{FLEET},contact={contact}")
    started = time.perf_counter()
    configurations = engine_for(game).count(Constraints(game.fleet))
    seconds = time.perf_counter() - started
    is_confirmed = game.cells <= MAX_CELLS
    occurrence_sum = (
        int(Posterior(Position(game)).occurrence.sum()) if is_confirmed and configurations else 0
    )
    if is_confirmed and occurrence_sum != configurations * game.fleet_cells:
        raise SystemExit(f"{size}x{size} {contact}: the occurrences do not add up")
    yield size, contact, configurations, seconds, is_confirmed


main = script.Experiment("growth", list(product(CONTACTS, SIZES)), rows, fields={"fleet": FLEET})


if __name__ == "__main__":
    script.run(main)
