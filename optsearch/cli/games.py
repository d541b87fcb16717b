"""The command that lists the games that have a name: games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table

from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.options import Form, Option
from optsearch.cli.solving import so_far_of
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.named_games import NAMED_GAMES, NamedGame
from optsearch.game.position import Position
from optsearch.lower_bounds.lower import say_nothing
from optsearch.results.bracket import Bracket
from optsearch.support.decimals import ends


@app.command(
    example="optsearch games",
    takes=40,
    then="optsearch bounds paper  # all bounds of one of them",
    gives="games time_limit",
    time_limit=Option("Seconds for the bounds of each game.", min=0.01),
)
def games(time_limit: float = 10, form: Form = Form.TEXT) -> None:
    """List the games that have a name, with their best known bounds.

    The name may be given wherever a GAME is, with other rules behind it, as in
    paper,announce=ship.
    """
    found = [fields_of(named, time_limit) for named in NAMED_GAMES.values()]
    answer = Answer(time_limit=time_limit)
    answer.show(lines_of(found), games=found)
    answer.table(found)
    answer.print(form)


def fields_of(named: NamedGame, seconds: float) -> dict[str, Any]:
    """A game for programs."""
    position = Position(Game.parse(named.text))
    bracket = Bracket.of(position, so_far_of(position, None, seconds, say_nothing).bounds)
    return {
        "name": named.name,
        "game": str(position.game),
        "about": named.about,
        "configurations": Posterior(position).configurations,
        "bracket": [bracket.lower, bracket.upper],
    }


def lines_of(found: Sequence[Mapping[str, Any]]) -> Table:
    """A line a game, for people."""
    lines = Table.grid(padding=(0, 2))
    for one in found:
        lines.add_row(
            one["name"], f"{one['configurations']:,}", ends(*one["bracket"]), one["about"]
        )
    return lines
