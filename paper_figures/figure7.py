"""Figure 7, the best greedy strategy for Figure 6: python -m paper_figures.figure7."""

import sys

from paper_figures import script

FIGURE = script.PaperFigure(
    "figure7", "results/counterexample_greedy.json", "python -m experiments.trees", script.strategy
)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
