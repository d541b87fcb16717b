"""How the number of configurations grows with the board: python -m experiments.growth

The fleet 5,4,3,3,2 on square boards from 6x6 to 12x12, under the three contact rules. Boards of up
to 128 cells are confirmed by the posterior of the same game.
"""

import argparse
import time
from pathlib import Path

from experiments import RESULTS
from optsearch import records
from optsearch.game import CONTACTS, MAX_CELLS, Game
from optsearch.lattice import count_empty_board
from optsearch.position import Position
from optsearch.posterior import Posterior

FLEET = (5, 4, 3, 3, 2)
SIZES = range(6, 13)


def main() -> None:
    """Compute and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS / "growth.csv")
    output = parser.parse_args().output
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
            rows.append((size, contact, number, f"{seconds:.3f}", "yes" if confirmed else "no"))
            print(f"{size}x{size} contact={contact}: {number:,} ({seconds:.2f} s)", flush=True)
    records.write(
        output,
        ("size", "contact", "configurations", "seconds", "confirmed"),
        rows,
        title="Configurations of the fleet 5,4,3,3,2 on square boards",
        command="python -m experiments.growth",
        fields={"fleet": ",".join(map(str, FLEET))},
    )


if __name__ == "__main__":
    main()
