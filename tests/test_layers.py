"""Imports point downward only, and each kernel has one user."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# From the bottom up. A module imports modules of lower layers, or of its own.
LAYERS = (
    {"optsearch", "errors", "workers", "datafiles", "front"},
    {"shapes"},
    {"game"},
    {"notebook", "orders", "names", "decimals", "pages", "urn", "ships"},
    {"position"},
    {"configurations", "lattice", "family", "tables", "journal", "records"}
    | {"prior", "tree", "objective"},
    {"solution", "results"},
    {"reference", "paper", "bounds", "posterior", "kernels"},
    {"greedy", "frontier", "strategies", "solitaire"},
    {"hiding", "first_shots"},
    {"solver", "evaluate", "simulate"},
    {"proof", "counterexamples", "bracket", "advice", "match", "equilibrium"} | {"hunt"},
    {"reproduce", "drawing", "explorer"},
    {"report"},
    {"cli"},
    {"experiments", "paper_figures"},
)
KERNELS = {
    "_processor": {"optsearch"},
    "_enumerate": {"configurations"},
    "_lattice": {"lattice"},
    "_cover": {"bounds"},
    "_reveal": {"bounds"},
    "_told": {"bounds"},
    "_first_ship": {"bounds"},
    "_paper": {"paper"},
    "_table": {"kernels", "solver", "greedy"},
    "_search": {"kernels"},
    "_chain": {"kernels"},
    "_family": set(),  # these six serve the searches
    "_bounds": set(),
    "_sides": set(),
    "_normal_form": set(),
    "_words": set(),
    "_effort": set(),
    "_announced": {"kernels"},
    "_evaluate": {"evaluate"},
    "_evaluate_announced": {"evaluate"},
    "_pattern": {"evaluate"},
    "_hunt": {"counterexamples"},
    "_solitaire": {"solitaire"},
    "_deduction": {"solitaire"},
}
PACKAGES = {
    "bounds",
    "cli",
    "drawing",
    "equilibrium",
    "evaluate",
    "report",
    "reproduce",
    "solitaire",
    "strategies",
    "tables",
    "tree",
}
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def modules():
    for folder in ("optsearch", "experiments", "paper_figures"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.stem if folder == "optsearch" else folder
            if path.parent.name in PACKAGES:
                name = path.parent.name
            yield pytest.param(path, "optsearch" if name == "__init__" else name, id=f"{path.stem}")


def imported(path):
    """The names of this project's modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} has a relative import"
            names = [node.module]
            if node.module == "optsearch":
                names = [
                    f"optsearch.{alias.name}" if alias.name in LEVEL else "optsearch"
                    for alias in node.names
                ]
        else:
            continue
        for name in names:
            top, _, rest = name.partition(".")
            if top == "optsearch":
                yield rest.partition(".")[0] or "optsearch"
            elif top in ("experiments", "paper_figures"):
                yield top


@pytest.mark.parametrize(("path", "name"), list(modules()))
def test_imports_point_downward(path, name):
    for other in imported(path):
        if other.startswith("_"):
            assert name in KERNELS[other], f"{path.name} imports the kernel {other}"
        else:
            assert LEVEL[other] <= LEVEL[name], f"{path.name} imports {other} from above"


def test_every_module_and_kernel_has_a_place():
    assert {path.stem for path in (ROOT / "cython_ext").glob("_*.pyx")} == set(KERNELS)
    written = {path.stem for path in (ROOT / "optsearch").glob("*.py")} - {"__init__"} | PACKAGES
    assert written | {"optsearch", "experiments", "paper_figures"} == set(LEVEL)


def test_figures_do_not_compute():
    """They read tables and trees, and draw."""
    allowed = {
        "optsearch",
        "errors",
        "datafiles",
        "results",
        "records",
        "names",
        "decimals",
        "game",
    }
    allowed |= {"position", "tree", "drawing", "solitaire", "report", "journal"}
    for path in (ROOT / "paper_figures").glob("*.py"):
        assert set(imported(path)) <= allowed | {"paper_figures"}, path.name
        of_puzzles = re.findall(r"optsearch\.solitaire\S*", path.read_text(encoding="utf-8"))
        assert set(of_puzzles) <= {"optsearch.solitaire.formats"}, path.name  # to read them
