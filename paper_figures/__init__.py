"""One script a figure: each reads a table or a tree from `data` and draws it."""
