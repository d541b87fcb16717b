"""A page that replays a game shot by shot, over the probability of a ship on each cell.

The page is a single file that needs no network: the template `animation.html` with the data below
in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from optsearch.counting.posterior import Posterior
from optsearch.game import bits
from optsearch.game.position import Position
from optsearch.show.outlines import BOARD, board_shape
from optsearch.support.pages import Page
from optsearch.support.progress import Progress, Status, meter, no_progress

DIGITS = 5  # decimals of a probability
PAGE = Page(
    "optsearch.show/animation.html",
    *BOARD,
    "optsearch.show/animation.css",
    "optsearch.show/animation.js",
)


def page_data(
    end: Position,
    ships: Sequence[int],
    player: str,
    rate: int = 2,
    with_posterior: bool = True,
    progress: Progress[Status] = no_progress,
) -> dict[str, Any]:
    """Return the data of a page that replays a game, as a JSON object with these fields:

    game, player -- texts. rate -- the shots shown per second. shape -- the board, to be drawn.
    shots -- pairs of the index of a cell and the reply. ships -- the cells of each ship.
    chances -- after each number of shots the rounded probability of a ship on each cell, and
    left -- the number of configurations left, as a text; both None unless `with_posterior`.

    end -- the last position of the game. ships -- the hidden ships, as masks of cells.
    """
    game = end.game
    probabilities: list[list[float]] = []
    configurations_left: list[str] = []
    report_done = meter(progress, len(end.shots) + 1)
    for shot_count in range(len(end.shots) + 1):
        if with_posterior:
            posterior = Posterior(Position(game, end.shots[:shot_count]))
            probabilities.append(list(map(_round_chance, posterior.probability.ravel().tolist())))
            configurations_left.append(str(posterior.configurations))
        report_done(shot_count + 1)
    return {
        "game": str(game),
        "player": player,
        "rate": rate,
        "shape": board_shape(game),
        "shots": [[game.bit(shot.cell).bit_length() - 1, str(shot.reply)] for shot in end.shots],
        "ships": [list(bits(ship)) for ship in ships],
        "chances": probabilities if with_posterior else None,
        "left": configurations_left if with_posterior else None,
    }


def _round_chance(chance: float) -> float:
    """Round a probability to DIGITS decimals, to 0 only if impossible and to 1 only if certain."""
    if chance in (0, 1):
        return int(chance)
    least = 10**-DIGITS
    greatest = 1 - least
    return float(round(min(max(chance, least), greatest), DIGITS))


def page(content: dict[str, Any]) -> str:
    """Return the page as HTML; content -- the result of `page_data`."""
    return PAGE.render_file(f"{content['player']}, {content['game']}", content)
