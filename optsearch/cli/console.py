"""The console of messages on standard error, and the exception of an interrupted command."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from optsearch.support.errors import printable


class Safe(Console):
    """A console that shows text as it is; no text from outside controls the terminal."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Render a text as rich does, with escapes for signs that control the terminal."""
        return super().render_str(printable(text), **options)


err = Safe(stderr=True)


class Interrupted(Exception):
    """Ctrl-C ended a command; the text, printed after "interrupted", says what is kept."""
