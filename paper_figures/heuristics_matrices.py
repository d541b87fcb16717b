"""What Battleship Heuristics shoots by: python -m paper_figures.heuristics_matrices.

Above its matrix before three of its shots, below the exact probabilities in percent.
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.game import Game
from optsearch.game.position import Position
from optsearch.results import tables as results
from paper_figures import script

CHOSEN = (0, 3, 7)  # shots made


def draw(source: Path) -> Figure:
    """A column for each position, the matrix of its hunt or attack above."""
    table = results.HEURISTICS_MATRICES.read(source)
    end = Position.parse(Game.parse(table.header["game"]), table.header["position"])
    pairs = []
    for number in (n for n in CHOSEN if n in set(table.column("shots"))):
        rows = [row for row in table if row["shots"] == number]
        is_hunt = rows[0]["mode"] == "hunt"
        matrix = script.matrix(table, [row["value"] for row in rows], rows)
        shown = [[value if is_hunt else value / 100 for value in line] for line in matrix]
        exact = script.matrix(table, [row["exact"] for row in rows], rows)
        before = Position(end.game, end.shots[:number])
        pairs.append((f"{rows[0]['mode']}, {number} shots", before, shown, exact))
    return script.boards_in_pairs(pairs, ("of the heuristic", "exact, percent"))


FIGURE = script.PaperFigure("heuristics_matrices", results.HEURISTICS_MATRICES, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
