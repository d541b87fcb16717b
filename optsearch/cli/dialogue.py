"""A conversation by lines, with a person at a terminal or with the lines of a pipe."""

from __future__ import annotations

import io
import sys

import click

from optsearch.cli.common import out
from optsearch.cli.console import err
from optsearch.game.reply_text import strip_comment

MOST_LINE_SIGNS = 10_000  # signs of a line that are read


class Dialogue:
    """Reads lines from standard input, and prints answers to them.

    is_quiet -- only errors are printed. is_person -- standard input is a terminal.
    """

    def __init__(self, is_quiet: bool = False):
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")
        self.is_quiet = is_quiet
        self.is_person = sys.stdin is not None and sys.stdin.isatty()
        if self.is_person:
            import readline  # noqa: F401 - lines can be edited, and come back

    def ask(self, prompt: str, accept_empty: bool = False) -> str | None:
        """Return the next line without its comment; None at the end of the input.

        Empty lines are skipped, unless `accept_empty`.
        """
        while True:
            line = self._read_line(prompt)
            if line is None:
                return None
            line_without_comment = strip_comment(line).strip()
            if line_without_comment or accept_empty:
                return line_without_comment

    def _read_line(self, prompt: str) -> str | None:
        """Return the next line of standard input; None at its end.

        The lines of a pipe are printed behind the prompt, as if a person had typed them.
        """
        if self.is_person and not self.is_quiet:
            try:
                return input(prompt)
            except EOFError:
                click.echo()
                return None
        line = sys.stdin.readline(MOST_LINE_SIGNS) if sys.stdin is not None else ""
        if line and not self.is_quiet:
            out.print(f"{prompt}{line.strip()}", soft_wrap=True)
        return line or None

    def refuse(self, reason: str) -> None:
        """Print an error about a line; the conversation goes on."""
        console = err if self.is_quiet else out
        console.print(reason, style="red", soft_wrap=True)

    def say(self, text: str = "", style: str | None = None) -> None:
        """Print a line, unless the conversation is quiet."""
        if not self.is_quiet:
            out.print(text, style=style, soft_wrap=True)
