"""Figure 8, an optimal strategy for Figure 6: python -m paper_figures.figure8."""

import sys

from optsearch.results import tables as results
from paper_figures import script
from paper_figures.script import draw_strategy

FIGURE = script.PaperFigure("figure8", results.COUNTEREXAMPLE_OPTIMAL, draw_strategy)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
