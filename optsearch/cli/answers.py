"""The answer of a command, which can be printed as text, as JSON or as CSV.

    answer = Answer("4x4:2", game="4x4:2", position="")
    answer.add_fact("configurations", "24", configurations=24)
    answer.print(form)

The JSON is one object on one line, which docs/json.md describes. The CSV is the rows of the answer,
after a line `# NAME: VALUE` for each other field. If the answer has no rows, its fields are one
row.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table
from rich.text import Text

from optsearch.cli.arguments import COMMAND
from optsearch.cli.common import (
    facts_table,
    known_answers_text,
    out,
    position_fields,
    prior_text,
    title_with_rules,
)
from optsearch.cli.options import Form
from optsearch.counting.prior import Prior
from optsearch.game.noise import NoisyPosition
from optsearch.game.position import Position
from optsearch.support.errors import printable
from optsearch.support.version import VERSION

if TYPE_CHECKING:
    from optsearch.lower_bounds import Bound
    from optsearch.results.bracket import Bracket

SCHEMA = 2
"""The number of the form; it rises when a name goes or changes its meaning."""

EXACT_FIELDS = {
    *("total_height", "greedy_shots_total_height", "best_greedy_total_height"),
    *("worst_greedy_total_height", "configurations", "occurrence", "solutions"),
    *("mean", "share", "lower", "upper", "value", "bracket"),
}
"""Names with a number that readers take for a float, and beside it, as NAME_exact, a text."""

MOST_FRACTION_SIGNS = 30  # signs of a fraction that is printed
LARGEST_EXACT = 1 << 53  # integers below this are exact as floats


class Answer:
    """The answer of a command: parts of a text, fields of a JSON object, and rows of a CSV.

    title -- the first line of the text. fields -- the first fields of the JSON.
    """

    def __init__(self, title: str = "", /, **fields: Any):
        self.fields = fields
        self._parts: list[Any] = []
        self._rows: list[Mapping[str, Any]] | None = None
        if title:
            self.add_heading(title)

    @classmethod
    def about(
        cls, position: Position | NoisyPosition, prior: Prior | None = None, **fields: Any
    ) -> Answer:
        """Return an answer about a position and its prior, with their fields and further ones."""
        title = title_with_rules(position.title, position.game)
        answer = cls(title, **position_fields(position, prior), **fields)
        answer.add_prior(prior)
        return answer

    def add_prior(self, prior: Prior | None) -> None:
        """Add a line about the prior and one about the known answers to the text, if any."""
        self.add_fact("prior", prior_text(prior))
        self.add_fact("known", known_answers_text(prior))

    def add_heading(self, text: str) -> None:
        """Add a line in bold to the text."""
        self._parts.append(Text(printable(text), "bold"))

    def add_fact(self, label: str, text: str | None, **fields: Any) -> None:
        """Add a line with a label to the text, and fields to the JSON.

        If the text of the line is None, only the fields are added.
        """
        self.fields |= fields
        if text is None:
            return
        follows_fact = bool(self._parts) and isinstance(self._parts[-1], Table)
        if not follows_fact:
            self.add(facts_table())
        self._parts[-1].add_row(label, text)

    def add(self, *parts: Any, **fields: Any) -> None:
        """Add parts to the text, and fields to the JSON.

        parts -- texts, boards or tables, or functions that make one; these are called only if the
        text is printed.
        """
        self.fields |= fields
        self._parts += parts

    def set_rows(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Set the rows of the CSV; only the first call counts."""
        if self._rows is None:
            self._rows = list(rows)

    def add_bounds(
        self, bracket: Bracket, *, quantity: str, is_complete: bool, list_all: bool
    ) -> None:
        """Add bounds to the answer, and their bracket: the best lower and the best upper bound.

        quantity -- what is bounded, for the text. is_complete -- False if the time was too short
        for all bounds. list_all -- True to print all bounds, False only the best on each side.
        """
        fields = bracket.to_dicts()
        self.add(bounds=fields)
        self.set_rows(fields)
        ends_marked_text = "marked =" if bracket.lower == bracket.upper else "its ends marked *"
        self.add_fact(
            "bracket", f"{bracket.text}, {ends_marked_text}", bracket=[bracket.lower, bracket.upper]
        )
        for side, title in (("lower", f"{quantity}, at least:"), ("upper", "and at most:")):
            chosen_bounds = [bound for bound in bracket.bounds if bound.side == side]
            if not list_all:
                chosen_bounds = [bound for bound in chosen_bounds if bracket.is_binding(bound)][:1]
            if chosen_bounds:
                self.add(title, *(_bound_text(bound, bracket) for bound in chosen_bounds))
        if not list_all and len(bracket.bounds) > 2:
            self.add(f"{len(bracket.bounds)} bounds in all: --all lists them")
        reason = None if is_complete else "with more time there are more bounds"
        self.add_fact("cut short", reason, is_all=is_complete)

    def print(self, form: Form) -> None:
        """Print the answer on standard output, as text, JSON or CSV."""
        if form is Form.TEXT:
            for part in self._parts:
                printed = part() if callable(part) else part
                out.print(printed, soft_wrap=not isinstance(printed, Table))
        elif form is Form.JSON:
            click.echo(json_text(self.fields))
        else:
            click.echo(self._csv_answer(), nl=False)

    def _csv_answer(self) -> str:
        """Return the answer as CSV: its rows, after a comment line for each simple field.

        A field is simple if its value has no objects and no lists of lists or objects. An answer
        without rows has one row of all its fields.
        """
        if self._rows is None:
            return _csv_text([self.fields])
        comments = [
            f"# {name}: {' '.join(_csv_cell(value).split())}\n"
            for name, value in _json_value(self.fields).items()
            if not _is_nested(value)
        ]
        return "".join(comments) + _csv_text(self._rows)


def _bound_text(bound: Bound, bracket: Bracket) -> str:
    """Format a bound: its mark, value and name on one line, its source on the next."""
    exact = f" = {bound.value}" if len(str(bound.value)) < MOST_FRACTION_SIGNS else ""
    value = f"{bracket.mark(bound)} {bracket.decimal(bound)}"
    return f"{value}  {bound.name}{exact}\n    {bound.source}"


def _is_nested(value: Any) -> bool:
    """True if a field of JSON is an object, or a list that contains lists or objects."""
    if isinstance(value, list):
        return any(isinstance(item, list | dict) for item in value)
    return isinstance(value, dict)


def _csv_cell(value: Any) -> str:
    """Format a value of JSON for a cell of the CSV: a list of values is joined by blanks."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list) and not _is_nested(value):
        return " ".join(map(_csv_cell, value))
    return json.dumps(value, ensure_ascii=False)


def _csv_text(rows: list[Mapping[str, Any]]) -> str:
    """Format rows as CSV below the names of the columns; no rows give an empty text."""
    if not rows:
        return ""
    converted = [_json_value(row) for row in rows]
    names = list(dict.fromkeys(name for row in converted for name in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_csv_cell(row.get(name)) for name in names] for row in converted)
    return printable(text.getvalue())


def json_text(fields: Mapping[str, Any]) -> str:
    """Format fields as a JSON object on one line, after the schema, the version and the command.

    Beside each number of `EXACT_FIELDS` the object has its exact text.
    """
    origin = {"schema": SCHEMA, "version": VERSION, "command": COMMAND.get()}
    json_line = json.dumps({**origin, **_json_value(fields)}, ensure_ascii=False)
    return printable(json_line, json.dumps)


def _json_value(value: Any) -> Any:
    """Return a value in the form in which it is written as JSON.

    Beside each exact number in a field NAME of `EXACT_FIELDS` comes a field NAME_exact with its
    text. Objects and lists within the value are converted, too.
    """
    if isinstance(value, Mapping):
        fields: dict[str, Any] = {}
        for name, item in value.items():
            if name in EXACT_FIELDS and _is_exact_number(item):
                fields[name] = _json_number(item)
                fields[f"{name}_exact"] = value.get(f"{name}_exact", _exact_text(item))
            elif name not in fields:  # a NAME_exact of `value` may have come with its NAME
                fields[name] = _json_value(item)
        return fields
    if isinstance(value, list | tuple):
        return [_json_value(item) for item in value]
    return value


def _is_exact_number(value: Any) -> bool:
    """True for an integer, a fraction or None, and for a list of these that is not empty."""
    if isinstance(value, list | tuple):
        return bool(value) and all(map(_is_exact_number, value))
    return value is None or isinstance(value, int | Fraction)


def _json_number(value: Any) -> Any:
    """Convert numbers for JSON: integers below 2^53 are kept, others become floats."""
    if isinstance(value, list | tuple):
        return [_json_number(item) for item in value]
    if value is None or (isinstance(value, int) and abs(value) < LARGEST_EXACT):
        return value
    return float(value)


def _exact_text(value: Any) -> Any:
    """Convert numbers to texts, such as "12" or "497/44"; None stays None."""
    if isinstance(value, list | tuple):
        return [_exact_text(item) for item in value]
    return None if value is None else str(value)
