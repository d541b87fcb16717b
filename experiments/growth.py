"""How the number of configurations grows with the board: python -m experiments.growth [-o FOLDER]

The fleet 5,4,3,3,2 on square boards from 6x6 to 12x12, under the three contact rules. Boards of up
to 128 cells are confirmed by the posterior of the same game.
"""

import time

from experiments import script
from optsearch.counting.lattice import count_empty_board
from optsearch.counting.posterior import Posterior
from optsearch.game import CONTACTS, MAX_CELLS, Game
from optsearch.game.position import Position
from optsearch.results.tables import GROWTH

FLEET = (5, 4, 3, 3, 2)
SIZES = range(6, 13)


def main() -> None:
    """Compute and write the table."""
    output = script.parser(__doc__, "growth").parse_args().output
    rows = []
    for contact in CONTACTS:
        for size in SIZES:
            started = time.perf_counter()
            number = count_empty_board(size, size, FLEET, contact)
            seconds = time.perf_counter() - started
            confirmed = size * size <= MAX_CELLS
            if confirmed:
                posterior = Posterior(Position(Game(size, size, FLEET, contact)))
                if posterior.configurations != number:
                    raise SystemExit(f"{size}x{size} {contact}: {posterior.configurations}")
                if number and posterior.occurrence.sum() != number * sum(FLEET):
                    raise SystemExit(f"{size}x{size} {contact}: the occurrences do not add up")
            rows.append((size, contact, number, seconds, confirmed))
            print(f"{size}x{size} contact={contact}: {number:,} ({seconds:.2f} s)", flush=True)
    fleet = ",".join(map(str, FLEET))
    GROWTH.write(rows, output, fields={"fleet": fleet}, fleet=fleet)


if __name__ == "__main__":
    script.run(main)
