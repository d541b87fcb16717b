"""The tutorial, executed as a person would: every cell, in a kernel of its own."""

from pathlib import Path

import pytest

PAGE = Path(__file__).parent.parent / "docs" / "tutorial.ipynb"


def test_the_tutorial_runs_and_draws(tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", str(PAGE.parent.parent))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    book = nbformat.read(PAGE, as_version=4)
    nbformat.validate(book)
    client = nbclient.NotebookClient(
        book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shown = [
        output.data
        for cell in book.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "execute_result"
    ]
    texts = [data["text/plain"] for data in shown]
    assert texts == [
        "<Posterior of 4x5:4,3,2>",
        "<Posterior of 4x5:4,3,2, A2=hit>",
        "<Solution of 4x5:4,3,2: mean 994/88 = 11.295455>",
        "<DecisionTree of 4x5:4,3,2: 88 leaves, total height 994>",
        "<Evaluation of greedy:ties=first,endgame=4 on 4x5:4,3,2: mean 11.340909, worst 13>",
        "<Bracket of 4x5:4,3,2: 11.295455 on both sides, to the nearest digit>",
    ]
    assert all(data["text/html"].startswith("<div>") for data in shown)
