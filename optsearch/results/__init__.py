"""The tables of results, declared once in `tables`, and what they say of a game.

`bracket` has the bounds on its optimum. `quantities` has what a table of many games can have in a
column: stored in a table, or computed; `tabulate` makes a table of many games.
"""
