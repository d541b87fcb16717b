"""The tables of results, declared once in `tables`, and the values of a game in them.

`stored` has the stored bounds on its optimum, and `bracket` adds computed ones. `quantities` has
the columns of a table of many games, stored or computed, and `tabulate` makes it.
`verification` says what confirmed each committed table.
"""
