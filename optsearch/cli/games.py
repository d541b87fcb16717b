"""The command games, which lists the games that have a name."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.options import Form
from optsearch.game.named_games import NAMED_GAMES
from optsearch.results.tables import TABLES, best_bounds
from optsearch.support.decimals import bracket_text


@app.command(
    example="optsearch games",
    seconds=1,
    next_step="optsearch bounds paper  # all bounds of one of them",
    fields="games",
)
def games(form: Form = Form.TEXT) -> None:
    """List the games that have a name, with their best known bounds.

    The name may be given wherever a GAME is, with other rules behind it, as in
    paper,announce=ship.
    """
    rows: list[dict[str, Any]] = []
    lines = Table.grid(padding=(0, 2))
    for named in NAMED_GAMES.values():
        table = TABLES["bracket"].read(name=named.name)
        bracket = [bound["value_exact"] for bound in best_bounds(table)]
        configurations = int(table.header["configurations"])
        lines.add_row(named.name, f"{configurations:,}", bracket_text(*bracket), named.about)
        rows.append(
            {
                "name": named.name,
                "game": str(table.game),
                "about": named.about,
                "configurations": configurations,
                "bracket": bracket,
            }
        )
    answer = Answer()
    answer.add(lines, games=rows)
    answer.set_rows(rows)
    answer.print(form)
