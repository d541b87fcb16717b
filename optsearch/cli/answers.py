"""Answers as JSON: one object on one line, in the form that docs/json.md describes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import typer

SCHEMA = 1
"""The number of the form; it rises when a name goes or changes its meaning."""

EXACT = {
    *("total_height", "greedy_shots_total_height", "best_greedy_total_height"),
    *("worst_greedy_total_height", "configurations", "occurrence", "solutions"),
    *("mean", "lower", "upper", "value", "bracket"),
}
"""Names with a number that readers take for a float, and beside it, as NAME_exact, a text."""

LARGEST = 1 << 53  # integers from here on are not all floats


def print_json(fields: Mapping[str, Any]) -> None:
    """One answer on standard output."""
    typer.echo(json_text(fields))


def json_text(fields: Mapping[str, Any]) -> str:
    """An answer as text: its schema, then its fields with exact texts beside numbers."""
    return json.dumps({"schema": SCHEMA, **_converted(fields)}, ensure_ascii=False)


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
