"""JSON documents from outside: read up to a limit, and checked field by field.

Errors name the document. The checkers of proofs and certificates do not use this module.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from optsearch.support.errors import OptsearchError
from optsearch.support.files import MOST_BYTES, read_text, reason_of, replace

T = TypeVar("T")

MAX_DIGITS = 320  # of a whole number: 128 ships have 256 placements each, at the most
_TYPE_NAMES = {str: "a text", int: "an integer", dict: "an object, {…}", list: "a list, […]"}


class Document:
    """A JSON object that was read from a text.

    fields -- its fields, of any type. name -- its path, or another name for errors. error -- the
    type of the errors that are raised, also for a text that is not JSON.
    """

    def __init__(self, text: str, name: str, error: type[OptsearchError]):
        self.name, self.error = name, error
        try:
            fields = json.loads(text, object_pairs_hook=self._object, parse_int=self._integer)
        except json.JSONDecodeError as problem:
            line = "".join(text.splitlines()[problem.lineno - 1 : problem.lineno]).strip()
            self.refuse(f"line {problem.lineno} is not JSON: {line!r}: {problem.msg}")
        except RecursionError:
            self.refuse("brackets within brackets, deeper than any board allows")
        if not isinstance(fields, dict):
            self.refuse(f"{shortened(fields)} is not a JSON object, {{…}}")
        self.fields: dict[str, Any] = fields

    @classmethod
    def read(
        cls, path: str | Path, error: type[OptsearchError], limit: int = MOST_BYTES
    ) -> Document:
        """Read the document in a file of at most `limit` bytes."""
        return cls(text_of(path, error, limit), str(path), error)

    def refuse(self, problem: str, place: str = "") -> NoReturn:
        """Raise an error about the document. place -- where in it the problem is, or empty."""
        raise self.error(f"{self.name}{place and ', '}{place}: {problem}")

    def require(self, form: str, version: int, names: Collection[str] = ()) -> None:
        """Refuse a document of another format or version, or with a field not among `names`.

        Without names, all fields are accepted.
        """
        if self.value("format", str) != form:
            self.refuse(f"the format is {self.fields['format']!r}, not {form!r}")
        if self.value("version", int) != version:
            self.refuse(f"the version is {self.fields['version']}; this optsearch reads {version}")
        for name in self.fields:
            if names and name not in names:
                self.refuse(f"there is no field {name!r}; the fields are {', '.join(names)}")

    def value(
        self,
        name: str,
        value_type: type[T],
        fields: Mapping[str, object] | None = None,
        place: str = "",
    ) -> T:
        """Return the field of a name; refuse the document if it is missing or of another type.

        fields -- of a nested object, in place of those of the document. place -- where that object
        is, for errors.
        """
        fields = self.fields if fields is None else fields
        if name not in fields:
            self.refuse(f"the field {name!r} is missing", place)
        value = fields[name]
        if type(value) is not value_type:
            actual = _TYPE_NAMES[type(value)] if isinstance(value, dict | list) else repr(value)
            self.refuse(f"{name!r} is {actual:.60}, not {_TYPE_NAMES[value_type]}", place)
        return value

    def require_same(self, name: str, actual: int, owner: str) -> None:
        """Refuse the document unless a field is the actual number, which `owner` has."""
        if self.value(name, int) != actual:
            self.refuse(f"{name!r} is {self.fields[name]}, but {owner} has {actual}")

    def _integer(self, digits: str) -> int:
        if len(digits) > MAX_DIGITS:
            self.refuse(f"{digits[:20]}... has {len(digits):,} digits; no board has such numbers")
        return int(digits)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Return a JSON object from its keys and values; refuse a key that is there twice."""
        fields = dict(pairs)
        if len(fields) < len(pairs):
            counts = Counter(key for key, _ in pairs)
            repeated = next(key for key, count in counts.items() if count > 1)
            self.refuse(f"a JSON object has {repeated!r} twice")
        return fields


def text_of(path: str | Path, error: type[OptsearchError], limit: int = MOST_BYTES) -> str:
    """Return the text of a file of at most `limit` bytes; raise `error` if it cannot be read."""
    try:
        return read_text(path, limit)
    except FileNotFoundError:
        raise error(f"{str(path)!r} does not exist") from None
    except OSError as problem:
        raise error(f"{str(path)!r} cannot be read: {reason_of(problem)}") from None


def write(path: str | Path, text: str, error: type[OptsearchError]) -> None:
    """Write a text to a file, whole or not at all; raise `error` if it cannot be written."""
    try:
        replace(Path(path), text)
    except OSError as problem:
        raise error(f"{str(path)!r} cannot be written: {reason_of(problem)}") from None
    except ValueError as problem:  # a path with a NUL, a text with half a pair of surrogates
        raise error(f"{str(path)!r} cannot be written: {problem}") from None


def shortened(value: object) -> str:
    """Return a value as JSON, cut to at most 60 characters."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"
