"""The console for messages on standard error, and the exception of an interrupted command."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from optsearch.support.errors import printable


class Safe(Console):
    """A console that prints text literally, so that no text from outside controls the terminal."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render_str(self, text: str, **options: Any) -> Text:
        """Render a text as rich does; characters that control the terminal are escaped."""
        return super().render_str(printable(text), **options)


err = Safe(stderr=True)


class Interrupted(Exception):
    """Raised when ctrl-C ends a command; the text says what is kept, after "interrupted"."""
