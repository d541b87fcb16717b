"""Figure 5, the decision tree of a deterministic strategy: python -m paper_figures.figure5.

It sinks a ship of length 2 on the grid of Figure 4.
"""

import sys

from paper_figures import script
from paper_figures.script import draw_strategy

FIGURE = script.PaperFigure("figure5", script.Published("figure5_tree"), draw_strategy)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
