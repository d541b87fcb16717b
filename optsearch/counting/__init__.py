"""Counts of configurations, in all and with a ship on each cell.

`configurations` meets them one by one. Three engines count those that satisfy some `constraints`
without a list: `lattice` on rectangles, by skylines; `frontier` on any board, by a sweep over its
cells; `by_ship` with all ships but two placed one by one. `engines` chooses between them, and
`remainders` makes whole numbers of their residues. `prior` gives configurations weights, `family`
has the sets of cells still to be found, `posterior` the distribution of the ships after the shots
so far, `mixture` that of several fleets of which one is there, and `conflicts` finds replies that
are impossible together.
"""
