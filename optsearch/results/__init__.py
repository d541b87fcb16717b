"""The tables of results, declared once in `tables`, and what they say of a game in `bracket`."""
