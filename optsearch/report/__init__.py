"""One page that shows every table and figure of results, and answers what people ask first.

    page(figures, results)     # HTML, one file that needs no server and no network

`answers` has the questions, `bracket` the drawing of the bracket and its history, `standing` says
what confirmed each table, `walks` writes pages on which trees are walked. Tables come from
`optsearch.results.tables`: a new one appears without further work. The template is `report.html`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import quote

from optsearch.report import bracket
from optsearch.report.answers import answers
from optsearch.report.standing import Standing, short, standings
from optsearch.report.walks import Walk, counterexample
from optsearch.results.tables import BRACKET, BRACKET_HISTORY, TABLES, Table, took
from optsearch.support import records
from optsearch.support.datafiles import RESULTS
from optsearch.support.errors import NotSupported
from optsearch.support.pages import json_in_html, policy, template
from optsearch.support.version import VERSION

__all__ = ["Figure", "Shown", "Walk", "page", "tables"]

_IN_ADDRESS = " =:/'();,.-+*?!@$~[]{}|^`"  # of SVG, what need not be escaped


@dataclass(frozen=True)
class Figure:
    """A figure for the page.

    name -- of its files; caption -- its first sentence is its title; picture -- an SVG, None where
    it was not drawn; command -- what draws it; sources -- where its tables lie below `data`, each
    with what makes it; is_old -- whether they have changed since.
    """

    name: str
    caption: str
    picture: str | None
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
        """The picture as an address, for an attribute of HTML between double quotes."""
        assert self.picture is not None
        return "data:image/svg+xml," + quote(self.picture.replace('"', "'"), safe=_IN_ADDRESS)


@dataclass(frozen=True)
class Shown:
    """A table on the page.

    minutes -- what it takes, in words; commit, date -- of its making; standing -- what is known of
    it; data -- its columns and rows.
    """

    title: str
    minutes: str
    commit: str
    date: str
    standing: Standing
    data: dict[str, object]

    @property
    def file(self) -> str:
        """Its file below data/results."""
        return self.standing.file


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
    except ModuleNotFoundError:
        raise NotSupported("a report needs Jinja: pip install jinja2") from None

    shown = list(tables(results))
    text = template("report.html", "optsearch.report")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    drawn = BRACKET.path(results)
    table = BRACKET.read(drawn) if drawn.is_file() else None
    moved = BRACKET_HISTORY.path(results)
    scale = None if table is None else bracket.scale_of(table)
    start = counterexample(results)
    return environment.from_string(text).render(
        policy=policy(text),
        version=VERSION,
        commit=records.commit(),
        date=datetime.now(timezone.utc).date().isoformat(),
        answers=list(answers(results)),
        names={figure.name: figure.title for figure in figures},
        titles={table.file: table.title for table in shown},
        scale=scale,
        game="" if table is None else table.header["game"],
        open=bracket.still_open(table, scale) if table is not None and scale is not None else None,
        bounds=[] if table is None or scale is None else bracket.bounds(table, scale),
        history=(
            bracket.history(BRACKET_HISTORY.read(moved), scale)
            if scale is not None and moved.is_file()
            else []
        ),
        figures=figures,
        tables=shown,
        missing=[one for one in TABLES if not any(one.all(results))],
        walks=walks,
        walk=next((walk for walk in walks if walk.position == start), None),
        data=json_in_html({table.file: table.data for table in shown}),
    )


def tables(results: Path) -> Iterator[Shown]:
    """Every table that is there, in the order of its declaration."""
    for one in standings(results):
        if isinstance(one.made, Table):
            entries = one.made.read(one.path)
            columns = one.made.columns
            yield Shown(
                title=one.header.get("title", one.file),
                minutes=took(one.minutes),
                commit=short(one.header.get("commit", "")),
                date=one.header.get("date", ""),
                standing=one,
                data={
                    "columns": [
                        [c.name, c.meaning, c.type.name in ("text", "game", "yes or no")]
                        for c in columns
                    ],
                    "rows": [[c.show(row[c.name]) for c in columns] for row in entries],
                },
            )
