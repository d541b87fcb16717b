"""Pages to look at: on `explorer` decision trees are walked, on `animation` a game is played."""
