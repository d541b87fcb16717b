"""Reconstruct what pictures of the paper show: python -m experiments.reconstructions [-o FOLDER]

start_position.csv: Figure 1 is not in the text; the two ships that section 2.1 names, D8-E8-F8 and
J4-J5-J6, and the other three drawn uniformly from what they leave.
pattern_order.csv: the page with Figure 10 is lost; the order of the cells in the pattern that comes
nearest to the figures of section 4.2 (`experiments.patterns`).
"""

from pathlib import Path

import numpy as np

from experiments import script
from optsearch.counting.configurations import to_masks
from optsearch.counting.posterior import Posterior
from optsearch.game import Cell, Game, bits, column_name
from optsearch.game.position import HIT, MISS, Position, Shot
from optsearch.results.tables import TABLES
from optsearch.strategies import named
from optsearch.strategies.pattern import Pattern, pattern_of

STANDARD = Game.parse("10x10:5,4,3,3,2")
NAMED = (((3, 7), (4, 7), (5, 7)), ((9, 3), (9, 4), (9, 5)))  # D8-E8-F8 and J4-J5-J6
SEED = 2014


def main() -> None:
    """Compute and write both tables."""
    folder = script.parser(__doc__, "reconstructions").parse_args().output
    write_start_position(folder)
    write_pattern_order(folder)


def start_position() -> list[tuple[Cell, ...]]:
    """Draw a configuration that has the two named ships; return the cells of each ship."""
    hits = {cell for ship in NAMED for cell in ship}
    steps = (-1, 0, 1)
    around = {
        (row + down, column + right) for row, column in hits for down in steps for right in steps
    }
    shots = [Shot(cell, HIT) for cell in sorted(hits)]
    shots += [Shot(cell, MISS) for cell in sorted(around - hits) if cell in STANDARD]
    posterior = Posterior(Position(STANDARD, tuple(shots)))
    (drawn,) = posterior.sample(1, np.random.default_rng(SEED), masks=True)
    ships = [tuple(map(STANDARD.cell, bits(mask))) for mask in to_masks(drawn)]
    assert set(NAMED) <= set(ships)
    return ships


def write_start_position(folder: Path) -> None:
    """Write the ships of the start position, the longest first."""
    rows = []
    for ship in start_position():
        # The paper names rows by letters, and columns by numbers.
        cells = "-".join(f"{column_name(row)}{column + 1}" for row, column in ship)
        rows.append((len(ship), cells, ship in NAMED))
    path = TABLES["start_position"].write(rows, folder, fields={"game": STANDARD, "seed": SEED})
    print(f"{script.typed_path(path)}: {', '.join(cells for _, cells, _ in rows)}")


def write_pattern_order(folder: Path) -> None:
    """Write the order of cells in the pattern that was evaluated on all configurations."""
    strategy = TABLES["evaluations"].read(name="pattern_line").header["strategy"]
    pattern = named(strategy)
    assert isinstance(pattern, Pattern)
    cells_in_order = pattern_of(STANDARD, pattern.modulus, pattern.colours, pattern.scan)
    rows = []
    for index in range(STANDARD.cells):
        row, column = STANDARD.cell(index)
        is_coloured = str((row + column) % pattern.modulus) in pattern.colours
        rows.append((row, column, cells_in_order.index(index) + 1, is_coloured))
    fields = {"game": STANDARD, "strategy": strategy}
    path = TABLES["pattern_order"].write(
        rows, folder, fields=fields, strategy=strategy, game=STANDARD
    )
    print(f"{script.typed_path(path)}: {strategy}")


if __name__ == "__main__":
    script.run(main)
