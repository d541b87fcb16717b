"""Figure 7, the best greedy strategy for Figure 6: python -m paper_figures.figure7."""

import sys

from optsearch.results import tables as results
from paper_figures import script
from paper_figures.script import draw_strategy

FIGURE = script.PaperFigure("figure7", results.COUNTEREXAMPLE_GREEDY, draw_strategy)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
