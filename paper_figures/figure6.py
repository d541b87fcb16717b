"""Figure 6, where no greedy strategy is optimal: python -m paper_figures.figure6.

The cells of Figures 6 to 8 have the names of the paper, row letters and column numbers: its B3 is
C2 everywhere else here.
"""

import sys

from optsearch.results import tables as results
from paper_figures import script
from paper_figures.script import draw_grid

FIGURE = script.PaperFigure("figure6", results.COUNTEREXAMPLE_GREEDY, draw_grid)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
