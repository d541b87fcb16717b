"""What the pages take from the program, docs/parts.py, is what they say."""

import os

import pytest

from docs import parts

ARE_WRITTEN = bool(os.environ.get("WRITE_TRANSCRIPTS"))


@pytest.mark.parametrize("path", parts.PAGES, ids=lambda path: path.name)
def test_the_page_is_current(path):
    """`make transcripts` writes it."""
    page = path.read_text(encoding="utf-8")
    written = parts.written(page)
    if ARE_WRITTEN:
        path.write_text(written, encoding="utf-8")
    else:
        assert written == page


def test_what_a_part_must_be():
    page = "A\n\n<!-- help count -->\nold\n<!-- end -->\n\nB\n"
    written = parts.written(page)
    assert written.startswith("A\n\n<!-- help count -->\n\n```text\nUsage: optsearch count ")
    assert written.endswith("\n```\n\n<!-- end -->\n\nB\n")
    assert parts.written(written) == written
    with pytest.raises(ValueError, match="the part 'counts' has no line `<!-- end -->`"):
        parts.written("<!-- table counts -->\n\n<!-- help count -->\n<!-- end -->\n")
    with pytest.raises(ValueError, match="there is no table 'count'; there are: means of"):
        parts.written("<!-- table count -->\n<!-- end -->\n")
    with pytest.raises(ValueError, match="there is no help of 'cuont'"):
        parts.written("<!-- help cuont -->\n<!-- end -->\n")
