"""Figure 6, where no greedy strategy is optimal: python -m paper_figures.figure6.

The cells of Figures 6 to 8 have column letters and row numbers, as everywhere here; the paper's
have row letters and column numbers: its B3 is C2.
"""

import sys

from paper_figures import script

FIGURE = script.PaperFigure(
    "figure6", "results/counterexample_greedy.json", "python -m experiments.trees", script.board
)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
