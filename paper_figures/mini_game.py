"""Games won by the number of shots in a mini-game: python -m paper_figures.mini_game."""

import sys
from pathlib import Path

from matplotlib.figure import Figure

from optsearch.game.names import in_words
from optsearch.results import tables as results
from paper_figures import script, style

LIMITS = (20, 24)
MOST = 36  # shots
COLOURS = {"greedy": style.BLUE, "bisection": style.ORANGE, "within": style.GREEN}


def won(rows: list[dict[str, int]]) -> list[float]:
    """Percent of the boards finished with 0, 1, … shots or fewer."""
    number = sum(row["configurations"] for row in rows)
    counts = {row["shots"]: row["configurations"] for row in rows}
    shares, total = [], 0
    for shots in range(MOST + 1):
        total += counts.get(shots, 0)
        shares.append(100 * total / number)
    return shares


def draw(source: Path) -> Figure:
    """Left, the boards won by the number of shots; right, what each wins more than greedy does."""
    table = results.MINI_GAME.read(source)
    names = list(dict.fromkeys(table.column("strategy")))
    shares = {name: won([row for row in table if row["strategy"] == name]) for name in names}
    figure = Figure(figsize=(2.7, 2.9))
    axes = [figure.add_axes((place, 0, 1, 1)) for place in (0, 1.25)]
    greedy = shares[names[0]]
    dashes = {name: "--" if "count" in name else ":" if "=24" in name else "-" for name in names}
    for name in names:
        kind = name.replace(":", " ").split()[0]
        more = [own - base for own, base in zip(shares[name], greedy, strict=True)]
        for ax, values in zip(axes, (shares[name], more), strict=True):
            ax.plot(
                range(MOST + 1),
                values,
                dashes[name],
                color=COLOURS[kind],
                lw=1.3,
                label=in_words(name),
            )
    for ax in axes:
        ax.set_xlim(9, MOST)
        ax.set_xlabel("at most so many shots")
        ax.grid(axis="y")
        for limit in LIMITS:
            ax.axvline(limit, color=style.GRID, lw=0.8, zorder=0)
    axes[0].set_ylabel("boards won, percent")
    axes[1].set_ylabel("more than greedy, percentage points")
    axes[0].legend(loc="upper left", bbox_to_anchor=(0, -0.2), ncols=2)
    figure.text(0, 1.04, str(table.header["game"]), fontsize=style.SMALL)
    style.letters(*axes)
    return figure


FIGURE = script.PaperFigure("mini_game", results.MINI_GAME, draw)

if __name__ == "__main__":
    sys.exit(script.run([FIGURE]))
