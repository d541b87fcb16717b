"""Pieces of HTML with which values draw themselves in a notebook; no script or style is needed.

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
    """Put a title above pieces of HTML or plain text; empty pieces are left out."""
    body = "".join(f"<div>{part}</div>" for part in parts if part)
    return f"<div><strong>{escape(title)}</strong>{body}</div>"


def pairs_table(rows: Iterable[Sequence[str]]) -> str:
    """Make a table of names and values, one pair per row."""
    return f"<table>{_rows('td', rows)}</table>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Make a table of texts below the names of their columns."""
    return f"<table>{_rows('th', [head])}{_rows('td', rows)}</table>"


def _rows(tag: str, rows: Iterable[Sequence[str]]) -> str:
    def cell(text: str) -> str:
        return f'<{tag} style="text-align:left;border:0">{escape(text)}</{tag}>'

    return "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)


def board_html(
    drawn: Board, texts: Mapping[Cell, str], shades: Mapping[Cell, float] | None = None
) -> str:
    """Draw a board with texts on some cells. shades -- the strength of a cell's colour, 0 to 1.

    If rows or columns wrap, these sides are dashed.
    """
    shades = shades or {}
    return (_grid if drawn.has_squares else _picture)(drawn, texts, shades)


def _grid(drawn: Board, texts: Mapping[Cell, str], shades: Mapping[Cell, float]) -> str:
    """Draw a board of squares as an HTML table."""
    head = "".join(f'<th style="{_HEAD}">{column_name(c)}</th>' for c in range(drawn.columns))
    lines = [f"<tr><th></th>{head}</tr>"]
    last = drawn.rows - 1, drawn.columns - 1
    for row in range(drawn.rows):
        cells = []
        for column in range(drawn.columns):
            shade = shades.get((row, column), 0.0)
            style = _CELL + (f";background:{heat(shade)};color:{INK}" if shade else "")
            for goes_on, at, end, sides in (
                (drawn.seams[0], column, last[1], ("left", "right")),
                (drawn.seams[1], row, last[0], ("top", "bottom")),
            ):
                for is_there, side in zip((at == 0, at == end), sides, strict=True):
                    if goes_on and is_there:
                        style += f";border-{side}:2px dashed currentColor"
            cells.append(f'<td style="{style}">{escape(texts.get((row, column), ""))}</td>')
        lines.append(f'<tr><th style="{_HEAD}">{row + 1}</th>{"".join(cells)}</tr>')
    return f'<table style="border-collapse:collapse">{"".join(lines)}</table>'


def _picture(drawn: Board, texts: Mapping[Cell, str], shades: Mapping[Cell, float]) -> str:
    """Draw cells at their places as an SVG picture; each shows its name when pointed at."""
    scale = 34  # pixels from a cell to its neighbour
    labels: list[tuple[float, float, str]] = []
    if not drawn.digest:
        above = enumerate(drawn.centres[: drawn.columns])
        labels += [(x, y - 0.85, column_name(column)) for column, (x, y) in above]
        before = enumerate(drawn.centres[:: drawn.columns])
        labels += [(x - 0.85, y, str(row + 1)) for row, (x, y) in before]
    centres = {
        divmod(index, drawn.columns): place
        for index, place in enumerate(drawn.centres)
        if not drawn.empty >> index & 1
    }
    corners = [(x + a, y + b) for x, y in centres.values() for a, b in drawn.outline]
    around = [*corners, *((x + a, y + a) for x, y, _ in labels for a in (-0.4, 0.4))]
    left, top = (min(numbers) for numbers in zip(*around, strict=True))
    right, low = (max(numbers) for numbers in zip(*around, strict=True))

    def text_at(x: float, y: float, text: str, size: int, ink: str = "currentColor") -> str:
        return (
            f'<text x="{scale * (x - left):.1f}" y="{scale * (y - top) + 0.35 * size:.1f}" '
            f'font-size="{size}" text-anchor="middle" fill="{ink}">{escape(text)}</text>'
        )

    parts = [text_at(x, y, text, 12) for x, y, text in labels]
    for cell, (x, y) in centres.items():
        outline = " ".join(
            f"{scale * (x + a - left):.1f},{scale * (y + b - top):.1f}" for a, b in drawn.outline
        )
        shade = shades.get(cell, 0.0)
        fill, ink = (heat(shade), INK) if shade else ("none", "currentColor")
        parts.append(
            f'<g pointer-events="all"><title>{cell_name(cell)}</title>'
            f'<polygon points="{outline}" fill="{fill}" stroke="{GRID}"/>'
            f"{text_at(x, y, texts[cell], 13, ink) if cell in texts else ''}</g>"
        )
    width, height = (round(scale * length) + 2 for length in (right - left, low - top))
    size = f'width="{width}" height="{height}" viewBox="-1 -1 {width} {height}"'  # cuts no line
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>'


def colour_scale(title: str, greatest: str) -> str:
    """Draw the scale of the heat map: its title with the unit, from 0 to the greatest value."""
    stops = ",".join(heat(share / 4) for share in range(5))
    style = f"display:inline-block;width:8em;height:.7em;background:linear-gradient(90deg,{stops})"
    return f'{title}: 0 <span style="{style};border:1px solid {GRID}"></span> {greatest}'


def histogram_svg(histogram: Mapping[int, int]) -> str:
    """Draw a histogram of shots as an SVG picture: a bar for each number of shots."""
    low, high, greatest = min(histogram), max(histogram), max(histogram.values())
    width, height = 14, 80
    parts = []
    for shots in range(low, high + 1):
        x, n = width * (shots - low), histogram.get(shots, 0)
        length = height * n / greatest
        parts.append(
            f'<rect x="{x}" y="{height - length:.1f}" width="{width - 2}" height="{length:.1f}" '
            f'fill="{BLUE}"><title>{shots} shots: {n:,}</title></rect>'
        )
        if shots in (low, high) or shots % 5 == 0:
            parts.append(
                f'<text x="{x + width / 2 - 1}" y="{height + 12}" font-size="10" '
                f'text-anchor="middle" fill="currentColor">{shots}</text>'
            )
    size = f'width="{width * (high - low + 1) + 8}" height="{height + 16}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>'
