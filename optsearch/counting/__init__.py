"""How many configurations there are, and with what on each cell.

`configurations` meets them one by one, `lattice` counts them without a list, `prior` gives them
weights, `family` has the sets of cells still to be found, and `posterior` says what the shots so
far say about where the ships are.
"""
