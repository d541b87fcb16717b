"""How many configurations there are, and with what on each cell.

`configurations` meets them one by one. Other ways count those that satisfy some `constraints`
without a list: `lattice` on rectangles, by skylines; on any `board` `frontier`, by a sweep over its
cells, and `by_ship`, all ships but two placed one by one, between which `any_board` chooses;
`remainders` makes whole numbers of theirs. `prior` gives configurations weights, `family` has the
sets of cells still to be found, and `posterior` says what the shots so far say about where the
ships are.
"""
