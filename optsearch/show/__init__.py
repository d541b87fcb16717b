"""Pages to look at: `explorer` is the one on which decision trees are walked."""
