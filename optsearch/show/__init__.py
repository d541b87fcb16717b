"""HTML pages: on `explorer` a person walks decision trees, `animation` replays a game."""
