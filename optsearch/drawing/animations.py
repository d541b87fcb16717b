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

    The first picture is the board without a shot. The last one is shown LAST_FRAMES times as long,
    with the hidden ships.

    end -- the last position. ships -- the hidden ships, as masks of cells. title -- a line above
    the board, if not empty. rate -- pictures per second. with_posterior -- True to show the
    probability of a ship on each cell. Raises OSError if the file cannot be written.
    """
    game, pictures = end.game, len(end.shots) + 1
    cells_across, cells_down = board_size(game)
    inches_below = BAR if with_posterior else LEGEND
    figure_width = CELL * (cells_across + 2)
    figure_height = CELL * (cells_down + 2.1) + inches_below
    figure = Figure(figsize=(figure_width, figure_height), dpi=DOTS)
    board_box = (  # left, bottom, width and height, as shares of the figure
        1.3 * CELL / figure_width,
        inches_below / figure_height,
        CELL * cells_across / figure_width,
        CELL * cells_down / figure_height,
    )
    writer = PillowWriter(fps=rate)
    report_drawn = meter(progress, pictures)
    with writer.saving(figure, str(path), DOTS):
        for shot_count in range(pictures):
            is_last = shot_count == pictures - 1
            figure.clear()
            ax = figure.add_axes(board_box)
            state_text = _draw_picture(ax, Position(game, end.shots[:shot_count]), with_posterior)
            if is_last:
                draw_ships(ax, [game.cells_of(ship) for ship in ships], game)
            heading = f"{title}\n{state_text}" if title else state_text
            top = 1 - 0.25 * CELL / figure_height
            figure.text(0.5, top, heading, ha="center", va="top", color=INK)
            for _ in range(LAST_FRAMES if is_last else 1):
                writer.grab_frame()
            report_drawn(shot_count + 1)
    return pictures


def _draw_picture(ax: Axes, position: Position, with_posterior: bool) -> str:
    """Draw the board at a position; return the line of text to write above it."""
    hit_count = position.hits.bit_count()
    state_text = f"{len(position.shots)} shots, {hit_count} hits"
    if not with_posterior:
        draw_board(ax, position)
        draw_legend(ax, legend(position.game, in_figures=True))
        return state_text
    posterior = Posterior(position)
    draw_probability(ax, position, posterior.probability)
    configurations = posterior.configurations
    noun = "configuration" if configurations == 1 else "configurations"
    return f"{state_text}; {configurations:,} {noun} left"
