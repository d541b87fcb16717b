"""Checks of results, without any import of search, strategies, equilibria or evaluation.

`reference` computes the optimum by its definition, `paper` by the paper's algorithms as printed.
`trees` replays a decision tree on every configuration. `proofs` checks a proof that an optimum
cannot be lower, and `certificates` both sides of the value against the best hider.
"""
