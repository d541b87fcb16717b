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
    """The figures of all scripts: the paper's by number, then the others by name."""
    modules = [
        import_module(f"paper_figures.{module.name}")
        for module in pkgutil.iter_modules(paper_figures.__path__)
        if module.name not in ("__main__", "report", "script", "style")
    ]

    def order(figure: script.PaperFigure) -> tuple[float, str]:
        match = re.fullmatch(r"figure(\d+)", figure.name)
        return (int(match[1]) if match else float("inf"), figure.name)

    return sorted((module.FIGURE for module in modules), key=order)


if __name__ == "__main__":
    sys.exit(script.run(figures()))
