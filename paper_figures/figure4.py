"""Figure 4, the 2×3 grid of the tree of Figure 5: python -m paper_figures.figure4.

The cells have the paper's names: letters A-B and numbers 1-3. With letters for columns and numbers
for rows, the grid stands upright.
"""

import sys

from paper_figures import script
from paper_figures.script import draw_grid

FIGURE = script.PaperFigure("figure4", script.Published("figure5_tree"), draw_grid)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
