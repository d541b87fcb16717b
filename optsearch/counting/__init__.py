"""How many configurations there are, and with what on each cell.

`configurations` meets them one by one. Other ways count those that satisfy some `constraints`
without a list: `lattice` on rectangles, by skylines; `frontier` on any board, by a sweep over its
cells; `by_ship` with all ships but two placed one by one. `engines` chooses between them, and
`remainders` makes whole numbers of theirs. `prior` gives configurations weights, `family` has the
sets of cells still to be found, and `posterior` says what the shots so far say about where the
ships are.
"""
