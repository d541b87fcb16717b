"""Hooks of MkDocs: they add figures, their captions, tables of results and the files above `docs`.

Figures are drawn from the committed tables, in place of the small ones of `docs/pictures`. Tables
stand in the pages themselves, help texts on the site alone (`docs/parts.py`).
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
    """Return a picture with the caption of its figure, and the commands that make it."""
    image, name = picture[1], picture[2]
    figure = next(figure for figure in FIGURES if figure.name == name)
    caption = f"{registry.captions()[name]} {figure.origin}"
    return (
        f'<figure markdown="span">\n{image}\n'
        f'<figcaption markdown="span">{caption}</figcaption>\n</figure>'
    )


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Add help texts and captions to a page, before MkDocs renders it."""
    markdown = parts.fill_site_parts(markdown)
    for figure in FIGURES:
        picture = rf"^\[(!\[.*\]\(pictures/({figure.name})\.png\))\].*$"
        markdown = re.sub(picture, add_caption, markdown, flags=re.M)
    is_in_docs = "/" not in page.file.src_uri  # then `..` is the folder above `docs`
    return markdown.replace("](../", "](") if is_in_docs else markdown


def to_mathml(element: re.Match[str]) -> str:
    """Return an element of `pymdownx.arithmatex` as MathML; no space around names and bars."""
    tag, formula = element[1], unescape(element[2] or element[3])
    mathml = convert(formula, display="block" if tag == "div" else "inline")
    mathml = re.sub(r"<mo>(\w{2,})</mo>", r"<mi>\1</mi>", mathml)
    return mathml.replace(">&#x0007C;</mo>", ' lspace="0" rspace="0">|</mo>')


def on_page_content(html: str, **_: Any) -> str:
    """Turn the formulas of a page in HTML into MathML, which needs no script."""
    formula = r'<(div|span) class="arithmatex">(?:\\\[(.*?)\\\]|\\\((.*?)\\\))</\1>'
    return re.sub(formula, to_mathml, html, flags=re.DOTALL)


def on_files(files: Any, config: Any) -> Any:
    """Add to the files of the site those above `docs`, tables and figures."""
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
