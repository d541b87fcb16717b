"""The bracket of the game in the box: python -m paper_figures.bracket_boxed."""

import sys

from optsearch.results import tables as results
from paper_figures import script
from paper_figures.bracket import draw

FIGURE = script.PaperFigure("bracket_boxed", results.BOXED_BRACKET, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
