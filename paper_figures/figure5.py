"""Figure 5, the decision tree of a deterministic strategy: python -m paper_figures.figure5.

It sinks a ship of length 2 on the grid of Figure 4.
"""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.game import cell_name
from paper_figures import script


def draw(source: Path) -> Figure:
    """The tree; its names are those of the paper already (see `paper_figures.figure4`)."""
    return script.draw_strategy(source, cell_name)


FIGURE = script.PaperFigure("figure5", script.Published("figure5_tree"), draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
