"""Figure 8, an optimal strategy for Figure 6: python -m paper_figures.figure8."""

import sys

from paper_figures import script

FIGURE = script.PaperFigure(
    "figure8", "results/counterexample_optimal.json", "python -m experiments.trees", script.strategy
)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
