"""Animations of games, shot by shot, over the probability of a ship on each cell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.animation import PillowWriter
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from optsearch.counting.posterior import Posterior
from optsearch.drawing.boards import (
    PRINT,
    board_size,
    draw_board,
    draw_legend,
    draw_probability,
    draw_ships,
)
from optsearch.game.position import Position, legend
from optsearch.support.palette import INK
from optsearch.support.progress import Progress, Status, meter, no_progress

CELL = 0.42  # inches
BAR, LEGEND = 0.75, 0.25  # inches, below the board
DOTS = 100  # per inch
LAST_FRAMES = 5  # frames of the last position


@rc_context(PRINT)
def animate(
    end: Position,
    ships: Sequence[int],
    path: Path,
    *,
    title: str = "",
    rate: int = 2,
    with_posterior: bool = True,
    progress: Progress[Status] = no_progress,
) -> int:
    """Write a game as a GIF, one picture after each shot; return the number of pictures.

    The first picture is the board without a shot. The last one is shown LAST_FRAMES times as long.

    end -- the last position. ships -- masks, drawn in the last picture. path -- of the file.
    title -- a line above the board. rate -- pictures per second. with_posterior -- True to show the
    probability of a ship on each cell.

    Raises OSError if the file cannot be written.
    """
    game, pictures = end.game, len(end.shots) + 1
    across, down = board_size(game)
    below = BAR if with_posterior else LEGEND
    figure_width, figure_height = CELL * (across + 2), CELL * (down + 2.1) + below
    figure = Figure(figsize=(figure_width, figure_height), dpi=DOTS)
    board_box = (  # left, bottom, width and height, as shares of the figure
        1.3 * CELL / figure_width,
        below / figure_height,
        CELL * across / figure_width,
        CELL * down / figure_height,
    )
    writer = PillowWriter(fps=rate)
    report = meter(progress, pictures)
    with writer.saving(figure, str(path), DOTS):
        for shots in range(pictures):
            is_last = shots == pictures - 1
            figure.clear()
            ax = figure.add_axes(board_box)
            text = _draw_picture(ax, Position(game, end.shots[:shots]), with_posterior)
            if is_last:
                draw_ships(ax, [game.cells_of(ship) for ship in ships], game)
            head = f"{title}\n{text}" if title else text
            top = 1 - 0.25 * CELL / figure_height
            figure.text(0.5, top, head, ha="center", va="top", color=INK)
            for _ in range(LAST_FRAMES if is_last else 1):
                writer.grab_frame()
            report(shots + 1)
    return pictures


def _draw_picture(ax: Axes, position: Position, with_posterior: bool) -> str:
    """Draw the board at a position; return the line of text to write above it."""
    hits = position.hits.bit_count()
    text = f"{len(position.shots)} shots, {hits} hits"
    if not with_posterior:
        draw_board(ax, position)
        draw_legend(ax, legend(position.game, True))
        return text
    posterior = Posterior(position)
    draw_probability(ax, position, posterior.probability)
    configurations = posterior.configurations
    return f"{text}; {configurations:,} configuration{'' if configurations == 1 else 's'} left"
