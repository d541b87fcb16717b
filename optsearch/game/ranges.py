"""Ranges of boards as text: `4x4..6x6:3,2` is a game for each board from 4×4 to 6×6.

expand_range("4x4..5x5:3,2,contact=any")
# ["4x4:3,2,contact=any", "4x5:3,2,contact=any", "5x5:3,2,contact=any"]
"""

from __future__ import annotations

import re

from optsearch.support.errors import GameError

MOST_BOARDS = 1_000  # boards of a range
_RANGE = re.compile(
    r"\s*(\d{1,9})\s*[xX×]\s*(\d{1,9})\s*\.\.\s*(\d{1,9})\s*[xX×]\s*(\d{1,9})\s*(:.*)", re.ASCII
)


def expand_range(text: str) -> list[str]:
    """Return the texts of the games of a range such as `4x4..6x6:3,2`, by rows and then columns.

    A text that is not a range is returned alone. Of a board and its turned copy, only the one with
    fewer rows is listed; but both are if there are holes, ships that may not be turned, a cylinder
    or a user's rule of replies. Raises GameError for an empty range, and for one of more than 1,000
    boards.
    """
    match = _RANGE.fullmatch(text)
    if match is None:
        return [text]
    least_rows, least_columns, most_rows, most_columns = map(int, match.groups()[:4])
    ships_and_rules = match[5]
    if least_rows > most_rows or least_columns > most_columns:
        raise GameError(
            f"{text!r} is an empty range; the smaller board comes first, as in "
            f"4x4..6x6{ships_and_rules}"
        )
    row_range = range(least_rows, most_rows + 1)
    column_range = range(least_columns, most_columns + 1)
    board_count = len(row_range) * len(column_range)
    if board_count > MOST_BOARDS:
        raise GameError(f"{text!r} has {board_count:,} boards; up to {MOST_BOARDS:,} are accepted")
    turns_differ = any(word in ships_and_rules for word in ("-fixed", "holes", "cylinder", ".py:"))

    def is_listed_turned(rows: int, columns: int) -> bool:
        return rows > columns and columns in row_range and rows in column_range

    return [
        f"{rows}x{columns}{ships_and_rules}"
        for rows in row_range
        for columns in column_range
        if turns_differ or not is_listed_turned(rows, columns)
    ]
