"""Levels of puzzles, as people call them, for figures and reports."""

LEVELS = ("easy", "medium", "hard", "very hard", "beyond")  # easiest first
