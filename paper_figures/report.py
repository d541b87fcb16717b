"""One page with all results: python -m paper_figures.report [--output FOLDER]

It writes FOLDER/index.html (report/index.html), a file that needs no server and no network, and
beside it pages on which trees are walked. Figures are taken from paper_figures/output as they are;
one that is older than its table is marked. `make report` draws them first.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from optsearch.report import Figure, page, walks
from optsearch.support.datafiles import CHECKOUT, DATA
from optsearch.support.errors import OptsearchError, RecordError
from optsearch.support.files import replace
from paper_figures import script, style
from paper_figures.__main__ import figures

FOLDER = CHECKOUT / "report"


def figure_of(figure: script.PaperFigure, caption: str, data: Path, drawn: Path) -> Figure:
    """A figure for the page."""
    path = drawn / f"{figure.name}.svg"
    picture = path.read_text(encoding="utf-8") if path.is_file() else None
    sources = [data / source for source in figure.sources]
    is_there = picture is not None and all(source.is_file() for source in sources)
    is_old = is_there and script.digest(sources) not in (picture or "")
    return Figure(figure.name, caption, picture, figure.redraw, figure.sources, is_old)


def write(data: Path, drawn: Path, folder: Path) -> Path:
    """Write the page and those beside it; returns its path. RecordError without results."""
    if not (data / "results").is_dir():
        raise RecordError(f"there is no folder {data / 'results'}; --data names the one above it")
    folder.mkdir(parents=True, exist_ok=True)
    results = data / "results"
    captions = script.captions()
    found = [figure_of(figure, captions[figure.name], data, drawn) for figure in figures()]
    path = folder / "index.html"
    replace(path, page(found, results, walks.write(folder, results)))
    return path


def main() -> int:
    """The command line; returns the exit status."""
    assert __doc__ is not None
    parser = argparse.ArgumentParser(
        prog="python -m paper_figures.report",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--data", type=Path, default=DATA, help="folder with results/ and published/"
    )
    parser.add_argument("--figures", type=Path, default=style.OUTPUT, help="folder with figures")
    parser.add_argument("--output", type=Path, default=FOLDER, help="folder to write to")
    options = parser.parse_args()
    try:
        path = write(options.data, options.figures, options.output)
    except (OptsearchError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(path.relative_to(CHECKOUT) if path.is_relative_to(CHECKOUT) else path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
