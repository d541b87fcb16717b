"""Figure 5, the decision tree of a deterministic strategy: python -m paper_figures.figure5."""

import sys

from paper_figures import script

FIGURE = script.PaperFigure(
    "figure5",
    "published/figure5_tree.json",
    "git checkout -- data/published/figure5_tree.json",
    script.strategy,
)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
