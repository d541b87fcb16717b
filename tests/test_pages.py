"""What the pages take from the program, docs/parts.py, is what they say."""

import os
import re

import pytest

from docs import parts
from optsearch.results.tables import TABLES

ARE_WRITTEN = bool(os.environ.get("WRITE_TRANSCRIPTS"))


@pytest.mark.parametrize("path", parts.PAGES, ids=lambda path: path.name)
def test_the_page_is_current(path):
    """`make transcripts` writes it."""
    page = path.read_text(encoding="utf-8")
    written = parts.rewrite_parts(page)
    if ARE_WRITTEN:
        path.write_text(written, encoding="utf-8")
    else:
        assert written == page


def test_what_a_part_must_be():
    page = "A\n\n<!-- table puzzles count=level -->\nold\n<!-- end -->\n\nB\n"
    written = parts.rewrite_parts(page)
    assert written.startswith("A\n\n<!-- table puzzles count=level -->\n\n| level | rows |\n")
    assert written.endswith("\n\n<!-- end -->\n\nB\n")
    assert parts.rewrite_parts(written) == written
    with pytest.raises(ValueError, match="the part 'counts' has no line `<!-- end -->`"):
        parts.rewrite_parts("<!-- table counts -->\n\n<!-- table puzzles -->\n<!-- end -->\n")
    with pytest.raises(ValueError, match="there is no table 'count'; there are: means of"):
        parts.rewrite_parts("<!-- table count -->\n<!-- end -->\n")


def test_what_only_the_site_has():
    assert parts.fill_site_parts("A\n\n<!-- help count -->\n").startswith(
        "A\n\n```text\nUsage: optsearch count "
    )
    assert "table1.csv" in parts.fill_site_parts("<!-- site verification -->\n")
    with pytest.raises(ValueError, match="there is no help of 'cuont'"):
        parts.fill_site_parts("<!-- help cuont -->\n")


def test_a_declared_table():
    """The columns, rows and order that are asked for, and where the file is."""
    lines = parts.results_table(
        "growth columns=size,configurations where=confirmed sort=-size first=2"
    )
    head, _, first, second, _, origin = lines.split("\n")
    assert head == "| size | configurations |"
    sizes = sorted({row["size"] for row in TABLES["growth"].read()})
    assert first.startswith(f"| {sizes[-1]} | ")
    assert re.fullmatch(r"\| \d+ \| \d{1,3}(,\d{3})+ \|", second)
    assert origin.startswith("`python -m ")
    assert origin.endswith("` makes [growth.csv](../data/results/growth.csv).")
    across = parts.results_table("growth columns=size across=contact value=configurations").split(
        "\n"
    )
    assert across[0] == "| size | none | corner | any |"
    assert len(across) == len(sizes) + 4
    assert parts.results_table("growth count=contact").split("\n")[2] == f"| none | {len(sizes)} |"
    assert len(parts.results_table("growth columns=size where=!confirmed").split("\n")) == 4
