"""Playing games.

`simulate` plays many games, `estimate` predicts how long that takes, `match` is a person's game,
`advice` and `replies` help in a game played elsewhere, and `hiding` hides the ships.
"""
