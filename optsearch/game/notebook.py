"""Pieces of HTML by which values draw themselves in a notebook; they need no script and no style.

Colours are mixed with that of the page (`currentColor`, transparency), so that they can be read on
light and dark ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

from optsearch.game.cells import Cell, column_name
from optsearch.support.palette import BLUE, GRID, veil

_CELL = f"border:1px solid {GRID};width:2.2em;height:2.2em;text-align:center;padding:0"
_HEAD = "border:0;text-align:center;padding:0 .4em"


def titled(title: str, *parts: str) -> str:
    """A title above pieces of HTML; those that are empty or plain text are fine."""
    shown = "".join(f"<div>{part}</div>" for part in parts if part)
    return f"<div><strong>{escape(title)}</strong>{shown}</div>"


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Names and values, one pair a row."""
    style = "text-align:left;border:0"
    lines = (
        f'<tr><td style="{style}">{escape(name)}</td><td style="{style}">{escape(value)}</td></tr>'
        for name, value in rows
    )
    return f"<table>{''.join(lines)}</table>"


def board(
    size: tuple[int, int], texts: Mapping[Cell, str], shades: Mapping[Cell, float] | None = None
) -> str:
    """A board with a text on some cells; shades -- how strongly a cell is coloured, 0 to 1."""
    rows, columns = size
    head = "".join(f'<th style="{_HEAD}">{column_name(c)}</th>' for c in range(columns))
    lines = [f"<tr><th></th>{head}</tr>"]
    for row in range(rows):
        cells = []
        for column in range(columns):
            shade = (shades or {}).get((row, column), 0.0)
            colour = f";background:{veil(shade)}" if shade else ""
            text = escape(texts.get((row, column), ""))
            cells.append(f'<td style="{_CELL}{colour}">{text}</td>')
        lines.append(f'<tr><th style="{_HEAD}">{row + 1}</th>{"".join(cells)}</tr>')
    return f'<table style="border-collapse:collapse">{"".join(lines)}</table>'


def bars(histogram: Mapping[int, int]) -> str:
    """A distribution of shots as an SVG picture: a bar for each number of shots."""
    low, high, most = min(histogram), max(histogram), max(histogram.values())
    width, height = 14, 80
    drawn = []
    for shots in range(low, high + 1):
        x, n = width * (shots - low), histogram.get(shots, 0)
        tall = height * n / most
        drawn.append(
            f'<rect x="{x}" y="{height - tall:.1f}" width="{width - 2}" height="{tall:.1f}" '
            f'fill="{BLUE}"><title>{shots} shots: {n:,}</title></rect>'
        )
        if shots in (low, high) or shots % 5 == 0:
            drawn.append(
                f'<text x="{x + width / 2 - 1}" y="{height + 12}" font-size="10" '
                f'text-anchor="middle" fill="currentColor">{shots}</text>'
            )
    size = f'width="{width * (high - low + 1) + 8}" height="{height + 16}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(drawn)}</svg>'
