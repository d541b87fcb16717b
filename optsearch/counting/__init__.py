"""How many configurations there are, and with what on each cell.

`configurations` meets them one by one. `lattice` and `frontier` count those that satisfy some
`constraints` without a list: the one on rectangles, the other on boards of any shape; `remainders`
puts their counts together. `prior` gives configurations weights, `family` has the sets of cells
still to be found, and `posterior` says what the shots so far say about where the ships are.
"""
