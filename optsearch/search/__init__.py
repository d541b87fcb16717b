"""The exact optimum, and greedy beside it.

`kernels` has the compiled searches behind one interface, `frontier` the top of the search, best
first, `rollouts` plays well from any state by one of the `rules` that kernels take, `team` shares
out the questions of the search to workers that have a table in `shared_memory`, `watch` tells how
far it is, bounds its root when it is long and ends it at a limit, `solver` is the whole,
`first_shots` has the value of every first shot, `greedy` all greedy strategies, `counterexamples`
the positions where greedy is not optimal, `identify` finds a hidden set of a family from a file,
`mixed` solves games whose fleet is not known, and `proving` makes proofs.
"""
