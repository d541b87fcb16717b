"""The placement graph of a small board: python -m paper_figures.placement_graph.

Left, which placements of two ships fit together; right, what loops over them visit.
"""

import sys
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from optsearch.game import Game, parse_cell
from optsearch.game.position import Position
from optsearch.results import tables as results
from paper_figures import script, style

LEFT, RIGHT = 0.0, 4.2  # where the two parts are
TALL = 11.0  # of the graph; the longer part has a vertex per unit
BOARD = 0.84  # side of the board of a vertex
COLOURS = {"long": style.BLUE, "short": style.ORANGE}


def draw(pairs: Path, orders: Path) -> Figure:
    """The graph, with what is still possible drawn dark, and a tree for each order of the ships."""
    graph, visits = results.PLACEMENT_PAIRS.read(pairs), results.PLACEMENT_ORDERS.read(orders)
    figure = Figure(figsize=(7.0, 4.6))
    left = figure.add_axes((0, 0, 0.36, 0.94))
    _draw_graph(left, graph)
    panels = [left]
    possible = [row for row in visits if row["graph"] == "possible"]
    for number, row in enumerate(possible):
        ax = figure.add_axes((0.46, 0.52 - 0.52 * number, 0.54, 0.38))
        _draw_visits(ax, row, "long" if number == 0 else "short")
        panels.append(ax)
    style.letters(*panels)
    return figure


def _draw_graph(ax: Axes, graph: results.Entries) -> None:
    game = Game.parse(graph.header["game"])
    before = Position.parse(game, graph.header["position"])
    places: dict[str, tuple[float, float]] = {}
    for part, x in (("long", LEFT), ("short", RIGHT)):
        names = list(dict.fromkeys(graph.column(part)))
        left = {row[part] for row in graph if row[f"{part}_left"]}
        for number, name in enumerate(names):
            y = TALL - TALL * (number + 0.5) / len(names)
            places[name] = (x, y)
            _draw_vertex(ax, game, before, name, (x, y), part, name in left)
    for row in graph:
        if row["apart"]:
            is_left = row["long_left"] and row["short_left"]
            (x, y), (z, w) = places[row["long"]], places[row["short"]]
            ax.plot(
                *([x + BOARD / 2, z - BOARD / 2], [y, w]),
                color=style.INK if is_left else style.GRID,
                lw=1.3 if is_left else 0.35,
                zorder=2 if is_left else 1,
                gid="edge left" if is_left else "edge",
            )
    for part, x in (("long", LEFT), ("short", RIGHT)):
        length = max(game.fleet) if part == "long" else min(game.fleet)
        style.note(
            ax, f"ship of {length}", (x, TALL), xytext=(0, 4), ha="center", color=COLOURS[part]
        )
    ax.set_xlim(LEFT - 0.6, RIGHT + 0.6)
    ax.set_ylim(-0.1, TALL + 0.1)
    ax.set_aspect("equal")
    ax.set_axis_off()


def _draw_vertex(
    ax: Axes,
    game: Game,
    before: Position,
    name: str,
    place: tuple[float, float],
    part: str,
    is_left: bool,
) -> None:
    """A board with one ship on it; pale where it cannot lie there any more."""
    step = BOARD / game.rows
    x, y = place[0] - BOARD / 2, place[1] + BOARD / 2
    first, last = (parse_cell(cell) for cell in name.split("-"))
    for row in range(game.rows):
        for column in range(game.columns):
            is_ship = first[0] <= row <= last[0] and first[1] <= column <= last[1]
            ax.add_patch(
                Rectangle(
                    (x + column * step, y - (row + 1) * step),
                    *(step, step),
                    facecolor=COLOURS[part] if is_ship else "white",
                    alpha=1 if is_left else 0.35,
                    edgecolor=style.GRID,
                    lw=0.4,
                    zorder=3,
                )
            )
    for shot in before.shots if is_left else ():
        row, column = shot.cell
        sign = shot.reply.sign
        middle = (x + (column + 0.5) * step, y - (row + 0.5) * step)
        ax.plot(
            *middle,
            *("x" if shot.reply.hit else "o",),
            ms=3.2,
            color=style.INK,
            mfc="none",
            mew=0.8,
            zorder=4,
            gid=sign,
        )


def _draw_visits(ax: Axes, row: dict[str, int], outer: str) -> None:
    """The tree of two loops, a node for each placement of the first ship and for each pair."""
    inner = "short" if outer == "long" else "long"
    first, second = row["outer"], row["inner"]
    wide = first * second
    for i in range(first):
        x = (i + 0.5) * second
        ax.plot([wide / 2, x], [2, 1], color=style.GRID, lw=0.8, zorder=1)
        ax.plot(x, 1, "o", color=COLOURS[outer], ms=8, gid="node")
        for j in range(second):
            z = i * second + j + 0.5
            ax.plot([x, z], [1, 0], color=style.GRID, lw=0.8, zorder=1)
            ax.plot(z, 0, "o", color=COLOURS[inner], ms=6, gid="node")
    ax.plot(wide / 2, 2, "s", color=style.LABEL, ms=5)
    ax.set_title(
        f"ship of {row['first']} first: {first} + {first}·{second} = {row['nodes']} nodes", pad=6
    )
    ax.set_xlim(0, wide)
    ax.set_ylim(-0.3, 2.2)
    ax.set_axis_off()


FIGURE = script.PaperFigure(
    "placement_graph", results.PLACEMENT_PAIRS, draw, also=((results.PLACEMENT_ORDERS, ""),)
)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
