"""One page that shows every table and figure of results, and answers what people ask first.

    page(figures, results)     # HTML, one file that needs no server and no network

`answers` has the questions, `bracket` the drawing of the bracket and its history, `freshness` says
what is older than the code, `walks` writes pages on which trees are walked. Tables come from
`optsearch.results`: a new one appears without further work. The template is `report.html`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib import resources
from pathlib import Path

import optsearch
from optsearch import records
from optsearch.datafiles import RESULTS
from optsearch.errors import NotSupported
from optsearch.pages import json_in_html, policy
from optsearch.report import bracket
from optsearch.report.answers import answers
from optsearch.report.freshness import changed
from optsearch.report.walks import Walk, counterexample
from optsearch.results import BRACKET, RECOMPUTED, TABLES, Entries, Table, took

__all__ = ["Figure", "Shown", "Walk", "page", "tables"]


@dataclass(frozen=True)
class Figure:
    """A figure for the page.

    name -- of its files; caption -- its first sentence is its title; picture -- a PNG, None where
    it was not drawn; command -- what draws it; sources -- where its tables lie below `data`, each
    with what makes it; is_old -- whether they have changed since.
    """

    name: str
    caption: str
    picture: bytes | None
    command: str
    sources: Mapping[str, str]
    is_old: bool = False

    @property
    def title(self) -> str:
        """The first sentence of the caption."""
        return self.caption.partition(". ")[0] + "."

    @property
    def text(self) -> str:
        """The rest of the caption."""
        return self.caption.partition(". ")[2]

    @property
    def address(self) -> str:
        """The picture as an address."""
        assert self.picture is not None
        return "data:image/png;base64," + base64.b64encode(self.picture).decode()


@dataclass(frozen=True)
class Shown:
    """A table on the page, and what is known of its age.

    file -- below data/results; minutes -- what it takes, in words; commit, date -- of its making;
    recomputed -- the row of the table of recomputations, if there is one; changed -- files of the
    code that say something else since, None where that cannot be told; tested -- whether the tests
    recompute it on every run.
    """

    file: str
    title: str
    command: str
    minutes: str
    commit: str
    date: str
    changed: list[str] | None
    tested: bool
    recomputed: dict[str, object] | None
    data: dict[str, object]

    @property
    def is_old(self) -> bool:
        """Whether the code is newer, and no recomputation since gave the same."""
        return bool(self.changed) and not self.tested


def page(
    figures: Sequence[Figure],
    results: Path = RESULTS,
    walks: Sequence[Walk] = (),
) -> str:
    """The page as HTML.

    figures -- in their order; walks -- pages that lie beside it. Raises RecordError for a table
    that cannot be read, and NotSupported where Jinja is not installed.
    """
    try:
        import jinja2
    except ImportError:
        raise NotSupported("a report needs Jinja: pip install 'optsearch[report]'") from None

    shown = list(tables(results))
    old = {table.file for table in shown if table.is_old}
    text = resources.files("optsearch.report").joinpath("report.html").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    drawn = BRACKET.path(results)
    table = BRACKET.read(drawn) if drawn.is_file() else None
    scale = None if table is None else bracket.scale_of(table)
    start = counterexample(results)
    return environment.from_string(text).render(
        policy=policy(text),
        version=optsearch.__version__,
        commit=records.commit(),
        date=datetime.now(timezone.utc).date().isoformat(),
        answers=list(answers(results)),
        names={figure.name: figure.title for figure in figures},
        titles={table.file: table.title for table in shown},
        scale=scale,
        game="" if table is None else table.header["game"],
        bounds=[] if table is None or scale is None else bracket.bounds(table, scale),
        history=[] if table is None or scale is None else bracket.history(table, scale),
        figures=figures,
        old=old,
        tables=shown,
        missing=[one for one in TABLES if not any(one.all(results))],
        walks=walks,
        walk=next((walk for walk in walks if walk.position == start), None),
        data=json_in_html({table.file: table.data for table in shown}),
    )


def tables(results: Path) -> Iterator[Shown]:
    """Every table that is there, in the order of its declaration."""
    again: dict[str, dict[str, object]] = {}
    if RECOMPUTED.path(results).is_file():
        again = {row["table"]: row for row in RECOMPUTED.read(RECOMPUTED.path(results))}
    for table in TABLES:
        for path in table.all(results):
            entries = table.read(path)
            file = path.relative_to(results).as_posix()
            yield _shown(table, entries, file, again.get(file))


def _shown(table: Table, entries: Entries, file: str, again: dict[str, object] | None) -> Shown:
    header = entries.header
    commit = header.get("commit", "")
    computed = [commit, *([str(again["commit"])] if again and again["same"] else [])]
    since = [found for one in computed if (found := changed(table.experiment, one)) is not None]
    return Shown(
        file=file,
        title=header.get("title", file),
        command=header.get("command", table.command),
        minutes=took(table.minutes),
        commit=commit,
        date=header.get("date", ""),
        changed=[] if table is RECOMPUTED else min(since, key=len, default=None),
        tested=table.is_quick,
        recomputed=again,
        data={
            "columns": [
                [column.name, column.meaning, column.type.name in ("text", "game", "yes or no")]
                for column in table.columns
            ],
            "rows": [
                [column.show(row[column.name]) for column in table.columns] for row in entries
            ],
        },
    )
