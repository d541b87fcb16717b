"""Hooks of MkDocs: they add figures, captions, tables and files of the repository to the site.

Figures are drawn from the committed tables; they replace the small ones of `docs/pictures`. Tables
are in the pages themselves, help texts only on the site (`docs/parts.py`).
"""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from html import unescape
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File

from docs import parts
from optsearch.support.datafiles import RESULTS
from paper_figures import registry

FIGURES = registry.figures()
ROOT = Path(__file__).parent.parent
ABOVE = ("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE")  # on the site beside pages


def add_caption(picture: re.Match[str]) -> str:
    """Return a picture in HTML, with the caption of its figure and the command that makes it.

    picture -- a match whose groups are the image in Markdown and the name of the figure.
    """
    image, name = picture[1], picture[2]
    figure = next(figure for figure in FIGURES if figure.name == name)
    caption = f"{registry.captions()[name]} {figure.origin}"
    return (
        f'<figure markdown="span">\n{image}\n'
        f'<figcaption markdown="span">{caption}</figcaption>\n</figure>'
    )


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the text of a page with help texts and captions, before MkDocs renders it.

    Links to files above `docs` are changed, since the site has these files beside its pages.
    """
    markdown = parts.fill_site_parts(markdown)
    for figure in FIGURES:
        picture = rf"^\[(!\[.*\]\(pictures/({figure.name})\.png\))\].*$"
        markdown = re.sub(picture, add_caption, markdown, flags=re.M)
    is_in_docs = "/" not in page.file.src_uri  # then `..` is the folder above `docs`
    return markdown.replace("](../", "](") if is_in_docs else markdown


def to_mathml(element: re.Match[str]) -> str:
    """Return a formula as MathML, without space around names and bars.

    element -- a match of an element of `pymdownx.arithmatex`: its tag, and the formula of a block
    or of a line in LaTeX.
    """
    tag, formula = element[1], unescape(element[2] or element[3])
    mathml = convert(formula, display="block" if tag == "div" else "inline")
    mathml = re.sub(r"<mo>(\w{2,})</mo>", r"<mi>\1</mi>", mathml)
    return mathml.replace(">&#x0007C;</mo>", ' lspace="0" rspace="0">|</mo>')


def on_page_content(html: str, **_: Any) -> str:
    """Return the HTML of a page with its formulas as MathML, which needs no script."""
    formula = r'<(div|span) class="arithmatex">(?:\\\[(.*?)\\\]|\\\((.*?)\\\))</\1>'
    return re.sub(formula, to_mathml, html, flags=re.DOTALL)


def on_files(files: Any, config: Any) -> Any:
    """Add the tables of results, files above `docs`, and figures to the files of the site."""
    for path in RESULTS.rglob("*.csv"):
        address = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, address, abs_src_path=str(path)))
    for name in ABOVE:
        content = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, name, content=content))
    with TemporaryDirectory() as folder, redirect_stdout(StringIO()):
        if registry.main(["--output", folder]):
            raise ValueError("a figure of the pages cannot be drawn; `make figures` says why")
        for path in sorted(Path(folder).glob("*.png")):
            address = f"pictures/{path.name}"
            small_picture = files.get_file_from_path(address)  # that of the repository
            if small_picture is not None:
                files.remove(small_picture)
            files.append(File.generated(config, address, content=path.read_bytes()))
    return files
