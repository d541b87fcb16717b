"""What every command refuses of its arguments as a whole, before it does anything."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from typer.core import TyperCommand

WRITTEN = {
    *("--output", "-o", "--tree", "--optimal-tree", "--prove", "--certificate"),
    *("--dot", "--draw", "--figure"),
}
IN_PLACE = {"minimise"}  # commands that may leave less of the file they read


class Command(TyperCommand):
    """A command that takes an option once, and writes no file that it reads or writes already."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """As click's; a usage error where an option is repeated, or a file would be lost."""
        if args:
            self._refuse_repeated(ctx, args)
        rest = super().parse_args(ctx, args)
        self._refuse_lost_files(ctx)
        return rest

    def _refuse_repeated(self, ctx: Any, args: list[str]) -> None:
        seen = set()
        for option in self.make_parser(ctx).parse_args(args=list(args))[2]:
            if option.nargs != 1 or option.multiple or getattr(option, "is_flag", False):
                continue
            if option.name in seen:
                ctx.fail(f"{option.opts[0]} is given twice; one is accepted")
            seen.add(option.name)

    def _refuse_lost_files(self, ctx: Any) -> None:
        """Refuse an output that is another file of the arguments."""
        read: dict[Path, str] = {}
        written: dict[Path, tuple[str, str]] = {}
        for option in self.params:
            value = ctx.params.get(option.name)
            is_named = option.opts[0].startswith("-")
            name = option.opts[0] if is_named else str(option.name).upper()
            if option.multiple or WRITTEN.isdisjoint(option.opts):
                read.update(dict.fromkeys(_files(value), name))
            elif value is not None:
                path = Path(os.path.realpath(value))
                if path in written:
                    other = written[path][0]
                    ctx.fail(f"{other} and {name} are both {str(value)!r}; name two files")
                written[path] = name, str(value)
        for path, (name, text) in written.items():
            if path in read and self.name not in IN_PLACE:
                ctx.fail(f"{name} {text!r} is what {read[path]} reads; name another file")


def _files(value: object) -> Iterator[Path]:
    """The files that are there and named by FILE, FILE.py:NAME, FILE:FLEET, or several of these."""
    if isinstance(value, list | tuple):
        for one in value:
            yield from _files(one)
    elif isinstance(value, str | Path):
        text = str(value)
        for name in {text, text.partition(":")[0], text.rpartition(":")[0]} - {""}:
            with suppress(OSError, ValueError):  # too long, or no name of a file
                if Path(name).is_file():
                    yield Path(os.path.realpath(name))
