"""The exact optimum of a position, and all greedy strategies.

`solver` is the whole search. Its parts:

- `kernels` has the compiled searches behind one interface; `first_hit` and `list_programme` solve
  games that the first hit ends.
- `frontier` is the top of the search, best first; `team` gives its questions to workers, which may
  share a table in `shared_memory`.
- `watch` reports how far the search is, bounds its root if it is long, and ends it at a limit.
- `rollouts` and `diagonals` are rules that give upper bounds. `rules` are those that kernels play.

`first_shots` has the value of every first shot, `greedy` all greedy strategies, `counterexamples`
the positions in which greedy is not optimal. `identify` finds a hidden set of a family from a file,
`mixed` solves games whose fleet is not known, and `proving` makes proofs.
"""
