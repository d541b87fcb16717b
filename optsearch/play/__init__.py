"""Games that are played.

`simulate` plays many, `match` is a person's game, `advice` helps in a real one, and `hiding` is who
hides the ships.
"""
