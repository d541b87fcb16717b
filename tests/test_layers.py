"""Imports point downward only, by room, as budget.csv and the folders of kernels say."""

import ast
import re
from pathlib import Path

import pytest

from tests import test_budget

ROOT = Path(__file__).resolve().parent.parent
NO_ROOMS = {
    "optsearch/__init__.py",
    "optsearch/__main__.py",
    "setup.py",
    "cython_ext",
    "docs",
    "tests",
}
ROOMS = [room.removeprefix("optsearch/") for room in test_budget.ROOMS if room not in NO_ROOMS]
LEVEL = {room: -floor for floor, room in enumerate(ROOMS)}
KERNELS = {path.stem: path for path in sorted((ROOT / "cython_ext").glob("*/_*.pyx"))}
ROOMS_OF_KERNEL = {kernel: {path.parent.name} for kernel, path in KERNELS.items()}
for of_other_rooms in ("_enumerate", "_evaluate", "_labels", "_walk"):
    ROOMS_OF_KERNEL[of_other_rooms].add("search")
ROOMS_OF_KERNEL["_walk"].add("strategies")
CHECKS = [*sorted((ROOT / "optsearch" / "check").glob("*.py"))]
CHECKS += sorted((ROOT / "experiments").glob("verify_*.py"))
CHECKS += sorted((ROOT / "experiments").glob("check_*.py"))


def room_of(path):
    """The room of a file; None for the face of the package."""
    parts = path.relative_to(ROOT).parts
    return (parts[1] if len(parts) > 2 else None) if parts[0] == "optsearch" else parts[0]


def modules():
    for folder in ("optsearch", "experiments", "paper_figures"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if room_of(path):
                yield pytest.param(path, id=".".join(path.relative_to(ROOT).with_suffix("").parts))


def imported(path):
    """The modules of this project that a file imports, anywhere in it, as lists of names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} has a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.split(".")[0] in ("optsearch", "experiments", "paper_figures"):
                yield name.split(".")


def rooms_below(path):
    """The rooms that a file imports from; what the face gives by name has none."""
    for package, *rest in imported(path):
        if package != "optsearch":
            yield package
        elif rest and rest[0] in LEVEL:
            yield rest[0]


@pytest.mark.parametrize("path", list(modules()))
def test_imports_point_downward(path):
    for package, *rest in imported(path):
        room = rest[0] if package == "optsearch" and rest else package
        if room == "compiled" and len(rest) > 2 and rest[2] in KERNELS:
            assert room_of(path) in ROOMS_OF_KERNEL[rest[2]], f"{path.name} imports {rest[2]}"
        elif room in LEVEL:
            assert LEVEL[room] <= LEVEL[room_of(path)], f"{path.name} imports {room} from above"


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_is_in_the_folder_of_a_room_and_says_what_it_does(kernel):
    path = KERNELS[kernel]
    assert path.parent.name in {*ROOMS, "shared"}
    assert re.match(r'"""[A-Z`].*[.:,](""")?\n', path.read_text(encoding="utf-8")), kernel


def test_every_room_has_a_row():
    packages = {path.parent.name for path in (ROOT / "optsearch").glob("*/__init__.py")}
    assert packages | {"experiments", "paper_figures"} == set(ROOMS)
    assert len(ROOMS) == len(LEVEL)
    assert {path.name for path in (ROOT / "optsearch").glob("*.py")} == {
        "__init__.py",
        "__main__.py",
    }


@pytest.mark.parametrize("path", CHECKS, ids=lambda path: path.stem)
def test_what_checks_shares_nothing_with_what_it_checks(path):
    finders = {"search", "lower_bounds", "strategies", "equilibria", "evaluation", "play"}
    if path.stem == "verify_rollout":  # its samples are drawn by definition
        finders.remove("strategies")
    assert not finders & set(rooms_below(path))


ASK_FOR_CHECKS = {"experiments", "cli", "reproduce", "show", "check"}
MAKE_WHAT_IS_CHECKED = {  # files in the words of their check, which does not believe them
    "optsearch/search/proving.py",
    "optsearch/equilibria/certificate.py",
    "optsearch/equilibria/__init__.py",
}


@pytest.mark.parametrize("path", list(modules()))
def test_what_computes_shares_nothing_with_what_checks(path):
    if "check" in rooms_below(path) and room_of(path) not in ASK_FOR_CHECKS:
        assert str(path.relative_to(ROOT)) in MAKE_WHAT_IS_CHECKED


def test_the_definition_imports_nothing_of_the_project():
    assert not list(imported(ROOT / "tests" / "definition.py"))


def test_no_module_is_imported_by_its_name_as_text():
    """But for the face, which looks names up on first use."""
    for path in (ROOT / "optsearch").rglob("*.py"):
        if room_of(path) and "import_module" in path.read_text(encoding="utf-8"):
            assert path.name in ALLOWED_BY_NAME, path


ALLOWED_BY_NAME = {
    "user_code.py",  # code of users
    "app.py",  # commands of its own room, when they are called
}


def test_figures_do_not_compute():
    """They read tables and trees, and draw."""
    allowed = {"paper_figures", "support", "game", "tree", "drawing", "results"}
    for path in (ROOT / "paper_figures").glob("*.py"):
        assert set(rooms_below(path)) <= allowed | {"solitaire"}, path.name
        text = path.read_text(encoding="utf-8")
        of_puzzles = re.findall(r"optsearch\.solitaire\S*", text)
        assert set(of_puzzles) <= {"optsearch.solitaire.formats"}, path.name  # to read them
        assert "optsearch.results.bracket" not in text, path.name


def test_no_files_import_each_other_in_a_circle():
    """Below the command, anywhere in a file: an import inside a function only hides a circle."""
    package = ROOT / "optsearch"
    beside = {path: set() for path in package.rglob("*.py") if room_of(path) not in (None, "cli")}
    for path, needs in beside.items():
        for names in imported(path):
            whole = ROOT.joinpath(*names)
            modules = whole.with_suffix(".py"), whole.parent.with_suffix(".py")
            needs |= {one for one in (*modules, whole / "__init__.py") if one in beside}
    while done := [path for path, needs in beside.items() if not needs & beside.keys() - {path}]:
        for path in done:
            del beside[path]
    assert not beside, sorted(path.name for path in beside)
