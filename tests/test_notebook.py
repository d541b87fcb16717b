"""The tutorial, executed as a person would, shows what is committed."""

import os
from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "tutorial.ipynb"


def shown(book):
    """What the cells of a notebook show."""
    return [cell.outputs for cell in book.cells if cell.cell_type == "code"]


def test_the_transcript_of_the_tutorial(tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", str(PAGE.parent.parent))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    book, kept = (nbformat.read(PAGE, as_version=4) for _ in range(2))
    where = {"metadata": {"path": str(tmp_path)}}
    options = {"timeout": 300, "kernel_name": "python3", "record_timing": False}
    nbclient.NotebookClient(book, resources=where, **options).execute()
    book.metadata = kept.metadata  # without the version of Python
    if os.environ.get("WRITE_TRANSCRIPTS"):
        nbformat.write(book, PAGE)
        kept = book
    assert shown(book) == shown(kept)
    nbformat.validate(kept)
    drawn = [output.data for outputs in shown(kept) for output in outputs if "data" in output]
    assert len(drawn) == 6
    assert all(data["text/html"].startswith("<div>") for data in drawn)
