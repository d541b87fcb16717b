# The options of a search: the switches of optsearch.search.kernels.SolverOptions, and the rule of shots.

cdef struct Switches:
    bint memo, isomorphism, leaf_counting, profile, frequency_cap, matching
    bint domination, merging, products, ordering, lookahead, words, splitting, chain, two_sided, even
    bint identity, names

cdef enum:                     # rules
    OPTIMAL = 0                # any cell
    BEST_GREEDY = 1            # a most probable one, the best of several
    WORST_GREEDY = 2           # the worst of several
    FIRST_GREEDY = 3           # the first of several, row by row
