"""Functions that each draw one figure from tables or trees in `data`."""
