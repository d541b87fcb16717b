"""What Battleship Heuristics shoots by: python -m experiments.heuristics_matrices [-o FOLDER]

A game like the one that the post shows: the player shoots the first highest cell of its matrix, and
the replies are three misses, two hits, a miss, a hit and a miss. Before each shot the matrix is
written, beside the exact probabilities.
"""

import numpy as np

from experiments import script
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.position import HIT, MISS, Position
from optsearch.results.tables import HEURISTICS_MATRICES
from optsearch.strategies.heuristic import matrix_of

GAME = Game.parse("10x10:5,4,3,3,2,contact=any")
REPLIES = (MISS, MISS, MISS, HIT, HIT, MISS, HIT, MISS)


def main() -> None:
    """Play, and write the table."""
    output = script.parser(__doc__, "heuristics_matrices").parse_args().output
    position, rows = Position(GAME), []
    for number, reply in enumerate(REPLIES):
        mode = "attack" if position.hits else "hunt"
        matrix, exact = matrix_of(position, mode), Posterior(position).probability
        rows += [
            (number, mode, i, j, value, exact[i, j]) for (i, j), value in np.ndenumerate(matrix)
        ]
        closed = {*GAME.cells_of(position.closed)}
        cells = [cell for cell in np.ndindex(matrix.shape) if cell not in closed]
        row, column = max(cells, key=lambda cell: matrix[cell])
        position = position.after((row, column), reply)
    path = HEURISTICS_MATRICES.write(
        rows, output, fields={"game": GAME, "position": position}, game=GAME
    )
    print(f"{script.typed_path(path)}: {position}")


if __name__ == "__main__":
    script.run(main)
