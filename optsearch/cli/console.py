"""Where a command writes, and how it ends when it is interrupted."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from optsearch.support.errors import printable


class Safe(Console):
    """A console that shows text as it is, and on which none from outside controls the terminal."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """As `Console.render_str`, of the text that may be shown."""
        return super().render_str(printable(text), **options)


err = Safe(stderr=True)


class Interrupted(Exception):
    """Ctrl-C ended a command; the text says what is kept, after "interrupted"."""
