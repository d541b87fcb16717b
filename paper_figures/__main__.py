"""Draw every figure: python -m paper_figures.

A figure whose source is missing is left out, with the command that makes the source; the exit
status is then 1.
"""

import pkgutil
import re
import sys
from importlib import import_module

import paper_figures
from paper_figures import script


def figures() -> list[script.PaperFigure]:
    """The figures of all scripts, by number."""
    names = [module.name for module in pkgutil.iter_modules(paper_figures.__path__)]
    numbers = sorted(
        int(match[1]) for name in names if (match := re.fullmatch(r"figure(\d+)", name))
    )
    return [import_module(f"paper_figures.figure{number}").FIGURE for number in numbers]


if __name__ == "__main__":
    sys.exit(script.run(figures()))
