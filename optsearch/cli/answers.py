"""What a command answers: each fact stated once, printed for people or as JSON.

    answer = Answer("4x4:2", game="4x4:2", position="")
    answer.fact("configurations", "24", configurations=24)
    answer.print(as_json)

As JSON it is one object on one line, in the form that docs/json.md describes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import typer
from rich.table import Table
from rich.text import Text

from optsearch.cli.common import described, facts_table, heading, out, prior_text
from optsearch.counting.prior import Prior
from optsearch.game.position import Position
from optsearch.support.errors import printable

if TYPE_CHECKING:
    from optsearch.results.bracket import Bracket

SCHEMA = 2
"""The number of the form; it rises when a name goes or changes its meaning."""

EXACT = {
    *("total_height", "greedy_shots_total_height", "best_greedy_total_height"),
    *("worst_greedy_total_height", "configurations", "occurrence", "solutions"),
    *("mean", "lower", "upper", "value", "bracket"),
}
"""Names with a number that readers take for a float, and beside it, as NAME_exact, a text."""

LARGEST = 1 << 53  # integers from here on are not all floats


class Answer:
    """The facts of an answer, in the order in which they are printed.

    title -- its first line for people. fields -- of its JSON, before those of the facts.
    """

    def __init__(self, title: str = "", /, **fields: Any):
        self.fields = fields
        self._shown: list[Any] = []
        if title:
            self.head(title)

    @classmethod
    def about(cls, position: Position, prior: Prior | None, **fields: Any) -> Answer:
        """One about a position and the prior by which it is; fields -- after those of these."""
        answer = cls(heading(position), **described(position, prior), **fields)
        answer.fact("prior", prior_text(prior))
        return answer

    def head(self, text: str) -> None:
        """A line for people, in bold."""
        self._shown.append(Text(printable(text), "bold"))

    def fact(self, label: str, text: str | None, **fields: Any) -> None:
        """A line for people, left out where the text is None, and its fields in JSON, if any."""
        self.fields |= fields
        if text is None:
            return
        if not self._shown or not isinstance(self._shown[-1], Table):
            self.show(facts_table())
        self._shown[-1].add_row(label, text)

    def show(self, *shown: Any, **fields: Any) -> None:
        """What people see between the lines, a board or a table, and its fields in JSON, if any."""
        self.fields |= fields
        self._shown += shown

    def bounds(self, known: Bracket, of_what: str) -> None:
        """Bounds and the bracket they leave; of_what -- what is bounded."""
        fields = [
            {
                "name": bound.name,
                "side": bound.side,
                "value": bound.value,
                "source": bound.source,
                "is_binding": known.is_binding(bound),
            }
            for bound in known.bounds
        ]
        self.show(bounds=fields)
        for side, title in (("lower", f"{of_what}, at least:"), ("upper", "and at most:")):
            chosen = [bound for bound in known.bounds if bound.side == side]
            self.show(*[title] * bool(chosen))
            for bound in chosen:
                value = f"{known.mark(bound)} {known.decimal(bound)}"
                exact = f" = {bound.value}" if len(str(bound.value)) < 30 else ""
                self.show(f"{value}  {bound.name}{exact}\n    {bound.source}")
        marked = "marked =" if known.lower == known.upper else "its ends marked *"
        self.fact("bracket", f"{known.text}, {marked}", bracket=[known.lower, known.upper])

    def print(self, as_json: bool) -> None:
        """Print it, on standard output."""
        if as_json:
            print_json(self.fields)
            return
        for shown in self._shown:
            out.print(shown, soft_wrap=not isinstance(shown, Table))


def print_json(fields: Mapping[str, Any]) -> None:
    """One answer on standard output."""
    typer.echo(json_text(fields))


def json_text(fields: Mapping[str, Any]) -> str:
    """An answer as text: its schema, then its fields with exact texts beside numbers."""
    text = json.dumps({"schema": SCHEMA, **_converted(fields)}, ensure_ascii=False)
    return printable(text, json.dumps)


def _converted(value: Any) -> Any:
    if isinstance(value, Mapping):
        fields: dict[str, Any] = {}
        for name, item in value.items():
            if name in EXACT and _is_number(item):
                fields[name] = _number(item)
                fields[f"{name}_exact"] = value.get(f"{name}_exact", _exact(item))
            elif name not in fields:
                fields[name] = _converted(item)
        return fields
    if isinstance(value, list | tuple):
        return [_converted(item) for item in value]
    return value


def _is_number(value: Any) -> bool:
    """Whether this is a number, unknown, or a list of such."""
    if isinstance(value, list | tuple):
        return bool(value) and all(map(_is_number, value))
    return value is None or isinstance(value, int | Fraction)


def _number(value: Any) -> Any:
    """As JSON has it: an integer below 2^53 as it is, everything else as a float."""
    if isinstance(value, list | tuple):
        return [_number(item) for item in value]
    if value is None or (isinstance(value, int) and abs(value) < LARGEST):
        return value
    return float(value)


def _exact(value: Any) -> Any:
    """As the text of an integer or of a fraction such as 497/44."""
    if isinstance(value, list | tuple):
        return [_exact(item) for item in value]
    return None if value is None else str(value)
