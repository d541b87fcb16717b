"""The exact optimum, and greedy beside it.

`kernels` has the compiled searches behind one interface, `frontier` the top of the search, best
first, `rollouts` plays well from any state, `team` shares out the questions of the search, on a
cluster with a table on each of the `machines`, `watch` tells how far it is, bounds its root when it
is long and ends it at a limit, `solver` is the whole, `first_shots` has the value of every first
shot, `greedy` all greedy strategies, `counterexamples` the positions where greedy is not optimal,
`hunt` families of sets from a file, `proving` makes proofs, and `tables` keeps the transposition
table on disk.
"""
