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
    """Write a game as a GIF with one frame per number of shots; return that number of frames.

    end -- the last position. ships -- masks, drawn in the last frame, which is repeated.
    rate -- frames per second. with_posterior -- True to show the probability of a ship on each
    cell. Raises OSError if the file cannot be written.
    """
    game, frames = end.game, len(end.shots) + 1
    across, down = board_size(game)
    below = BAR if with_posterior else LEGEND
    figure = Figure(figsize=(CELL * (across + 2), CELL * (down + 2.1) + below), dpi=DOTS)
    width, height = CELL * across, CELL * down
    full = figure.get_size_inches()
    box = (1.3 * CELL / full[0], below / full[1], width / full[0], height / full[1])
    writer = PillowWriter(fps=rate)
    report = meter(progress, frames)
    with writer.saving(figure, str(path), DOTS):
        for number in range(frames):
            figure.clear()
            ax = figure.add_axes(box)
            position = Position(game, end.shots[:number])
            text = _draw(ax, position, with_posterior)
            if number == frames - 1:
                draw_ships(ax, [game.cells_of(ship) for ship in ships], game)
            head = f"{title}\n{text}" if title else text
            figure.text(0.5, 1 - 0.25 * CELL / full[1], head, ha="center", va="top", color=INK)
            for _ in range(LAST_FRAMES if number == frames - 1 else 1):
                writer.grab_frame()
            report(number + 1)
    return frames


def _draw(ax: Axes, position: Position, with_posterior: bool) -> str:
    """Draw one frame; return the line of text above it."""
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
