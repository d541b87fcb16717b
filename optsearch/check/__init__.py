"""What checks results: it imports nothing of search, strategies, equilibrium or evaluate.

`reference` is the optimum by its definition, `paper` has the paper's two algorithms as printed,
`trees` replays a decision tree on every configuration, `proofs` checks a proof that an optimum
cannot be lower, and `certificates` both sides of the value against the best hider.
"""
