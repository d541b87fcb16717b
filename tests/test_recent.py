"""Which tests recent changes can have broken."""

from pathlib import Path

import pytest

from tests import recent

TESTS = Path(__file__).parent


def test_what_a_test_depends_on():
    """Modules, kernels, what kernels share, and the command where a fixture runs it."""
    found = {
        str(path.relative_to(recent.ROOT))
        for path in recent.dependencies(TESTS / "test_posterior.py")
    }
    assert found > {
        *("tests/examples.py", "optsearch/counting/posterior.py", "optsearch/support/errors.py"),
        *(
            "optsearch/game/__init__.py",
            "cython_ext/counting/_lattice.pyx",
            "cython_ext/shared/cells.pxd",
        ),
    }
    assert not [path for path in found if path.startswith("experiments")]
    assert recent.ROOT / "optsearch/search/solver.py" in recent.dependencies(TESTS / "test_json.py")


@pytest.mark.parametrize(
    ("name", "changed", "is_so"),
    [
        ("test_docs", "docs/play.md", True),
        ("test_posterior", "docs/play.md", False),
        ("test_posterior", "cython_ext/counting/_lattice.pyx", True),
        ("test_identity", "cython_ext/search/_search.pyx", True),
        ("test_shared_table", "cython_ext/search/_search.pyx", False),
        ("test_solvers", "cython_ext/optsearch/compiled/search/_bounds.pxd", True),
        ("test_explorer", "optsearch/show/explorer.html", True),
        ("test_game", "tests/test_posterior.py", False),
    ],
)
def test_what_a_change_can_break(name, changed, is_so):
    assert recent.depends(TESTS / f"{name}.py", {changed}) == is_so


def test_without_history_everything_may_have_changed(monkeypatch, tmp_path):
    monkeypatch.setattr(recent, "ROOT", tmp_path)
    assert recent.changed() is None
