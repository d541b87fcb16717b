"""Colours that boards and trees share, as matplotlib takes them."""

INK = "#1f2933"
LABEL = "#52606d"
GRID = "#9aa5b1"
HIT_CELL = "#f6d5bd"
MISS_CELL = "#eef1f4"
SHIP = "#b8c4d0"
BEST = "#b83a0e"
