"""The colours of boards, trees, figures and pages, as hexadecimal texts such as #0072b2.

The colours of a board, `heat`, `hit`, `miss` and `best`, differ in lightness, any two by 15 units
of CIELAB, so that they differ in grey and for people who see no red and green. The lines of figures
have the colours of Okabe and Ito (2008), which colour-blind readers tell apart.
"""

from __future__ import annotations

PAPER = "#ffffff"
INK = "#1f2933"
LABEL = "#52606d"
GRID = "#9aa5b1"
HEAT = (PAPER, "#71a5da")  # from no ship to the most probable cell
HIT = "#982f04"
MISS = "#6e7a86"
BEST = "#0b2f63"
HOLE = "#66727e"
SHIP = "#b8c4d0"
FOUND = "#8fa3b5"  # of a ship that the solver has to find
WAVE = "#5b8db8"  # revealed water
SOLVED = "#2f7d4f"  # the check mark of a leaf

BLUE, ORANGE, GREEN = "#0072b2", "#d55e00", "#009e73"
PURPLE, GOLD, SKY = "#cc79a7", "#e69f00", "#56b4e9"
OPEN = "#eceff3"  # what is not known yet
LESS = "#e08c52"  # below zero, on a scale whose other end is that of HEAT


def mix(colour: str, share: float, ground: str = PAPER) -> str:
    """Return the mixture of a share (0 to 1) of a colour with a ground colour."""
    channels = zip(_channels(colour), _channels(ground), strict=True)
    mixed = (round(share * above + (1 - share) * below) for above, below in channels)
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def heat(share: float) -> str:
    """Return the colour of a cell in the heat map, on which INK is legible.

    share -- the value of the cell divided by the greatest value, 0 to 1. Equal steps look equal, in
    grey too. Pages mix the same colours with `color-mix(in srgb)`.
    """
    return mix(HEAT[1], share, HEAT[0])


def _channels(colour: str) -> list[int]:
    """Return red, green and blue, 0 to 255, of a colour such as #0072b2."""
    return list(bytes.fromhex(colour.removeprefix("#")))


HIT_CELL = mix(HIT, 0.22)
MISS_CELL = mix(MISS, 0.14)

# Styles in the terminal: of replies, by `Reply.hit`; of most probable cells; of other cells.
IN_TERMINAL = {True: f"bold {PAPER} on {HIT}", False: f"{INK} on {MISS_CELL}"}
SHIP_IN_TERMINAL = f"{INK} on {SHIP}"
GREEDY_IN_TERMINAL = f"bold {PAPER} on {BEST}"


def heat_in_terminal(share: float) -> str:
    """Return the style of a cell of the heat map in the terminal; share as in `heat`."""
    return f"{INK} on {heat(share)}"


# The variables of pages. `heat` is the most probable cell, on `cell`.
_COLOURS = {  # on light pages, and on dark ones
    "page": ("#f3f5f8", "#0e1319"),
    "card": (PAPER, "#171e27"),
    "text": ("#17212e", "#e6ecf3"),
    "muted": ("#4c5a6b", "#a6b3c2"),
    "line": ("#d5dce4", "#313c4a"),
    "accent": ("#124aa8", "#8ab8ff"),
    "on-accent": (PAPER, "#0b1420"),
    "soft": ("#e6eefb", "#1d2c44"),
    "cell": (PAPER, "#1b232d"),
    "water": ("#e9edf2", "#12181f"),
    "heat": (HEAT[-1], "#2a5f92"),
    "hit": (HIT, "#ffa36b"),
    "miss": (MISS, "#808c98"),
    "best": (BEST, PAPER),
    "low": ("#0a5f96", "#6cb8ea"),
    "high": ("#a94500", "#ff9d5c"),
    "open": ("#cfdcea", "#2c4260"),
    "warn": ("#7a4a00", "#ffcf87"),
    "warn-soft": ("#fff1d6", "#3a2b12"),
    "good": ("#1e6b3c", "#7fd6a0"),
}
LIGHT = {name: light for name, (light, _) in _COLOURS.items()}
DARK = {name: dark for name, (_, dark) in _COLOURS.items()}


def css() -> str:
    """Return CSS that sets the colours of LIGHT and DARK as variables; printed pages are light."""

    def variables(colours: dict[str, str]) -> str:
        return " ".join(f"--{name}: {colour};" for name, colour in colours.items())

    dark = f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {variables(DARK)} }} }}"
    return f":root {{ {variables(LIGHT)} color-scheme: light dark; }}\n{dark}"
