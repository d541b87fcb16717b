"""Pieces of HTML by which values show themselves in a notebook, without script or style sheet.

They can be read on light and dark pages: a cell of the heat map sets the colour of its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from optsearch.game.board import Board
from optsearch.game.cells import Cell, cell_name, column_name
from optsearch.support.palette import BLUE, GRID, INK, heat

_CELL = f"border:1px solid {GRID};width:2.2em;height:2.2em;text-align:center;padding:0"
_HEAD = "border:0;text-align:center;padding:0 .4em"


def with_title(title: str, *parts: str) -> str:
    """Return HTML of a title above pieces of HTML or plain text; empty pieces are left out."""
    body = "".join(f"<div>{part}</div>" for part in parts if part)
    return f"<div><strong>{escape(title)}</strong>{body}</div>"


def pairs_table(rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table of names and values. rows -- pairs of texts, one per row."""
    return f"<table>{_table_rows('td', rows)}</table>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return an HTML table of texts below the names of their columns."""
    return f"<table>{_table_rows('th', [head])}{_table_rows('td', rows)}</table>"


def _table_rows(tag: str, rows: Iterable[Sequence[str]]) -> str:
    """Return rows of texts as HTML, with the tag `td` or `th` for their cells."""

    def cell_html(text: str) -> str:
        return f'<{tag} style="text-align:left;border:0">{escape(text)}</{tag}>'

    return "".join(f"<tr>{''.join(map(cell_html, row))}</tr>" for row in rows)


def board_html(
    board: Board, texts: Mapping[Cell, str], shades: Mapping[Cell, float] | None = None
) -> str:
    """Return HTML of a board with texts on some cells; sides that are joined are dashed.

    shades -- the strength of the colour, from 0 to 1, of each coloured cell.
    """
    if board.has_squares:
        return _draw_table(board, texts, shades or {})
    return _draw_svg(board, texts, shades or {})


def _draw_table(board: Board, texts: Mapping[Cell, str], shades: Mapping[Cell, float]) -> str:
    """Return a board of squares as an HTML table, with the names of rows and columns.

    shades -- the strength of the colour, from 0 to 1, of each coloured cell.
    """

    def cell_html(cell: Cell) -> str:
        shade = shades.get(cell, 0.0)
        style = _CELL + (f";background:{heat(shade)};color:{INK}" if shade else "")
        for side in _joined_sides(board, cell):
            style += f";border-{side}:2px dashed currentColor"
        return f'<td style="{style}">{escape(texts.get(cell, ""))}</td>'

    def name_html(name: str) -> str:
        return f'<th style="{_HEAD}">{name}</th>'

    column_names = "".join(name_html(column_name(column)) for column in range(board.columns))
    table_rows = [f"<tr><th></th>{column_names}</tr>"]
    for row in range(board.rows):
        cells = "".join(cell_html((row, column)) for column in range(board.columns))
        table_rows.append(f"<tr>{name_html(str(row + 1))}{cells}</tr>")
    return f'<table style="border-collapse:collapse">{"".join(table_rows)}</table>'


def _joined_sides(board: Board, cell: Cell) -> list[str]:
    """Return the sides of a cell that are joined to the other end of the board."""
    row, column = cell
    columns_wrap, rows_wrap = board.seams
    is_joined = {
        "left": columns_wrap and column == 0,
        "right": columns_wrap and column == board.columns - 1,
        "top": rows_wrap and row == 0,
        "bottom": rows_wrap and row == board.rows - 1,
    }
    return [side for side, joined in is_joined.items() if joined]


def _draw_svg(board: Board, texts: Mapping[Cell, str], shades: Mapping[Cell, float]) -> str:
    """Return a board with cells of any form as an SVG picture; a cell shows its name if pointed at.

    Columns and rows have names beside them, except on a board of a file.

    shades -- the strength of the colour, from 0 to 1, of each coloured cell.
    """
    scale = 34  # pixels from a cell to its neighbour
    labels = [] if board.digest else _labels_beside(board)
    centres = {
        divmod(index, board.columns): centre
        for index, centre in enumerate(board.centres)
        if not board.empty >> index & 1
    }
    corners = [(x + dx, y + dy) for x, y in centres.values() for dx, dy in board.outline]
    corners_of_labels = [(x + offset, y + offset) for x, y, _ in labels for offset in (-0.4, 0.4)]
    extreme_points = corners + corners_of_labels
    left, top = map(min, zip(*extreme_points, strict=True))
    right, bottom = map(max, zip(*extreme_points, strict=True))

    def text_at(x: float, y: float, text: str, size: int, ink: str = "currentColor") -> str:
        return (
            f'<text x="{scale * (x - left):.1f}" y="{scale * (y - top) + 0.35 * size:.1f}" '
            f'font-size="{size}" text-anchor="middle" fill="{ink}">{escape(text)}</text>'
        )

    elements = [text_at(x, y, text, size=12) for x, y, text in labels]
    for cell, (x, y) in centres.items():
        outline = " ".join(
            f"{scale * (x + dx - left):.1f},{scale * (y + dy - top):.1f}"
            for dx, dy in board.outline
        )
        shade = shades.get(cell, 0.0)
        fill, ink = (heat(shade), INK) if shade else ("none", "currentColor")
        text = text_at(x, y, texts[cell], size=13, ink=ink) if cell in texts else ""
        elements.append(
            f'<g pointer-events="all"><title>{cell_name(cell)}</title>'
            f'<polygon points="{outline}" fill="{fill}" stroke="{GRID}"/>{text}</g>'
        )
    # One more pixel on each side, so that the outermost lines are not cut.
    width, height = (round(scale * length) + 2 for length in (right - left, bottom - top))
    size = f'width="{width}" height="{height}" viewBox="-1 -1 {width} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(elements)}</svg>'


def _labels_beside(board: Board) -> list[tuple[float, float, str]]:
    """Return the names of the columns and rows, each with its x and y beside the first cell."""
    first_row = enumerate(board.centres[: board.columns])
    first_column = enumerate(board.centres[:: board.columns])
    return [
        *((x, y - 0.85, column_name(column)) for column, (x, y) in first_row),
        *((x - 0.85, y, str(row + 1)) for row, (x, y) in first_column),
    ]


def colour_scale(title: str, greatest: str) -> str:
    """Return HTML of the colours of the heat map, from 0 to the greatest value.

    title -- what the colours show, with the unit.
    """
    stops = ",".join(heat(quarters / 4) for quarters in range(5))
    style = f"display:inline-block;width:8em;height:.7em;background:linear-gradient(90deg,{stops})"
    return f'{title}: 0 <span style="{style};border:1px solid {GRID}"></span> {greatest}'


def histogram_svg(histogram: Mapping[int, int]) -> str:
    """Return an SVG picture of a histogram: the number of games, or configurations, by shots."""
    fewest, most, greatest_count = min(histogram), max(histogram), max(histogram.values())
    bar_width, height = 14, 80  # pixels
    elements = []
    for shots in range(fewest, most + 1):
        x, count = bar_width * (shots - fewest), histogram.get(shots, 0)
        bar_height = height * count / greatest_count
        elements.append(
            f'<rect x="{x}" y="{height - bar_height:.1f}" width="{bar_width - 2}" '
            f'height="{bar_height:.1f}" fill="{BLUE}">'
            f"<title>{shots} shots: {count:,}</title></rect>"
        )
        if shots in (fewest, most) or shots % 5 == 0:
            elements.append(
                f'<text x="{x + bar_width / 2 - 1}" y="{height + 12}" font-size="10" '
                f'text-anchor="middle" fill="currentColor">{shots}</text>'
            )
    size = f'width="{bar_width * (most - fewest + 1) + 8}" height="{height + 16}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(elements)}</svg>'
