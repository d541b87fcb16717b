r"""Tables in LaTeX, in the style of the package booktabs.

A table is a `tabular`, which a paper reads by \input; its preamble has \usepackage{booktabs}.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_LATEX_OF_SIGN = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    '"': "''",
    "[": "{[}",  # at the start of a row it would be an argument of the row before
    "]": "{]}",
    "*": "{*}",
    "×": r"$\times$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≈": r"$\approx$",
    "≠": r"$\ne$",
    "−": "$-$",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "·": r"$\cdot$",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
    "§": r"\S{}",
    "¶": r"\P{}",
    "‖": r"$\|$",
}
_NUMBER = re.compile(r"[-+]?[\d,]+(\.\d+)?(e[-+]?\d+)?|\[[\d., ]+\]|[-—]?")


def latex_text(text: str) -> str:
    """Spell a text so that LaTeX prints it, on one line.

    >>> latex_text("best_greedy 100 %")
    'best\\\\_greedy 100 \\\\%'
    """
    return "".join(_LATEX_OF_SIGN.get(sign, sign) for sign in " ".join(text.split()))


def _latex_cell(text: str, sign: str) -> str:
    r"""Return a text and the sign of its note; the sign takes no room (`\rlap`)."""
    spelled = latex_text(text)
    return spelled + rf"\rlap{{\textsuperscript{{{latex_text(sign)}}}}}" if sign else spelled


def latex_table(
    rows: Sequence[Sequence[str]],
    signs: Sequence[Sequence[str]] = (),
    notes: Sequence[str] = (),
) -> str:
    """Return a table as LaTeX; its first row is the head. Without rows it is empty.

    Columns of numbers are aligned at the right. signs -- for each text the sign of its note, or an
    empty text. notes -- lines below the table.
    """
    if not rows:
        return ""
    column_count = len(rows[0])
    columns = list(zip(*rows[1:], strict=True)) or [()] * column_count
    alignment = "".join(
        "r" if column and all(map(_NUMBER.fullmatch, column)) else "l" for column in columns
    )
    signs = signs or [[""] * column_count] * len(rows)
    row_lines = [
        " & ".join(map(_latex_cell, row, row_signs)) + r" \\"
        for row, row_signs in zip(rows, signs, strict=True)
    ]
    note_lines = [
        rf"\multicolumn{{{column_count}}}{{@{{}}l}}{{\footnotesize {latex_text(note)}}} \\"
        for note in notes
    ]
    return "\n".join(
        [
            r"% in the preamble: \usepackage{booktabs}",
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            row_lines[0],
            r"\midrule",
            *row_lines[1:],
            r"\bottomrule",
            *note_lines,
            r"\end{tabular}",
        ]
    )
