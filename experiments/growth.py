"""Count configurations of growing boards: python -m experiments.growth [-o FOLDER]

The fleet 5,4,3,3,2 on square boards from 6x6 to 12x12, under the three contact rules. The
number of boards of up to 128 cells is confirmed by the configurations through each cell.
"""

import time

from experiments import script
from optsearch.counting.constraints import Constraints
from optsearch.counting.engines import engine_for
from optsearch.counting.posterior import Posterior
from optsearch.game import CONTACTS, MAX_CELLS, Game
from optsearch.game.position import Position
from optsearch.results.tables import TABLES

FLEET = (5, 4, 3, 3, 2)
SIZES = range(6, 13)


def main() -> None:
    """Compute and write the table."""
    output = script.parser(__doc__, "growth").parse_args().output
    rows = []
    for contact in CONTACTS:
        for size in SIZES:
            game = Game(size, size, FLEET, contact)
            started = time.perf_counter()
            number = engine_for(game).count(Constraints(game.fleet))
            seconds = time.perf_counter() - started
            confirmed = game.cells <= MAX_CELLS
            cells = int(Posterior(Position(game)).occurrence.sum()) if confirmed and number else 0
            if confirmed and cells != number * game.fleet_cells:
                raise SystemExit(f"{size}x{size} {contact}: the occurrences do not add up")
            rows.append((size, contact, number, seconds, confirmed))
            print(f"{size}x{size} contact={contact}: {number:,} ({seconds:.2f} s)", flush=True)
    fleet = ",".join(map(str, FLEET))
    TABLES["growth"].write(rows, output, fields={"fleet": fleet}, fleet=fleet)


if __name__ == "__main__":
    script.run(main)
