"""Docstrings for the site: each parameter or field becomes an entry of a list.

In a docstring, `name -- its meaning` begins a line or follows another entry. On the site each entry
has its own line.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

NAMES = r"[a-z_]\w*(?:\[\w+\])?(?:, [a-z_]\w*)*"
HEAD = re.compile(rf"^{NAMES} --\s")
NEXT = re.compile(rf"(?:(?<=[.;]) |(?<=,) and |\n\s*)(?={NAMES} --\s)")
CLOSING = re.compile(r"\n(?=Raises |Errors |Only |The |None |Nothing )")  # said of the whole


def list_parameters(text: str) -> str:
    """Return a docstring in Markdown whose parameters are entries of definition lists."""
    blocks = re.split(r"\n{2,}", text)
    return "\n\n".join(_entries(block) if HEAD.match(block) else block for block in blocks)


def _entries(block: str) -> str:
    """Return a block of parameters as a definition list; the text after them is not changed."""
    parameters, *closing = CLOSING.split(block, maxsplit=1)
    entries = []
    for parameter in NEXT.split(parameters):
        names, _, meaning = parameter.partition(" --")
        terms = ", ".join(f"`{name}`" for name in names.split(", "))
        entries.append(f"{terms}\n:   {' '.join(meaning.split()).rstrip(';,')}")
    return "\n\n".join([*entries, *closing])


class Parameters(griffe.Extension):
    """An extension of griffe: mkdocstrings calls it for each object of the reference."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Rewrite the docstring of the object."""
        if obj.docstring is not None:
            obj.docstring.value = list_parameters(obj.docstring.value)
