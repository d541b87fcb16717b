"""Of the tests that take long, those that recent changes can have broken: `make test-recent`.

A plugin of pytest, given by `-p tests.recent`. Of the tests that were chosen it keeps those that
depend on a file that the last COMMITS commits changed, or all where there is no history. Those come
first whose time, said by `@pytest.mark.long(seconds)`, is short, and one begins only if twice that
is left until `--until`. The others are skipped, and named at the end.

A test depends on what its file imports, and on what that imports: modules, also those named in
texts, and kernels with all that they use. Of other files it depends on those that one of these
names in quotes, or whose folder it names.
"""

from __future__ import annotations

import re
import subprocess
import time
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
COMMITS = 20
SECONDS = 10  # of a test that does not say: a property with all its examples
CODE = {".py", ".pyx", ".pxd"}
NAME = re.compile(r"\b(?:optsearch|experiments|paper_figures|tests)(?:\.\w+)+")
IMPORT = re.compile(r"^ *import ([\w.]+)", re.M)
FROM = re.compile(r"^ *from ([\w.]+) c?import (\([^)]*\)|.*)", re.M)
FIXTURES = re.compile(r"\b(?:here|answer_of|driver)\b")  # of conftest.py


def changed() -> set[str] | None:
    """The files that the last commits changed, as git names them; None without history."""
    last = ["git", "-C", str(ROOT), "log", f"-{COMMITS}", "--format=", "--name-only"]
    found = subprocess.run(last, capture_output=True, text=True, check=False)
    return None if found.returncode else set(found.stdout.split("\n")) - {""}


def files_of(name: str) -> list[Path]:
    """The files of a module or kernel, or of the one that has this name inside."""
    parts = name.split(".")
    for some in (parts, parts[:-1]):
        place = ROOT.joinpath(*some)
        found = [place.with_suffix(".py"), place / "__init__.py"]
        if "compiled" in some or len(some) == 1:
            found += (ROOT / "cython_ext").rglob(f"{place.name}.p[xy][dx]")
            found.append(ROOT / "tests" / f"{place.name}.py")  # pytest has them on its path
        if found := [path for path in found if path.is_file()]:
            return found
    return []


@cache
def text_of(path: Path) -> str:
    """What a file says."""
    return path.read_text(encoding="utf-8")


def beside(path: Path) -> list[Path]:
    """The modules in the folder of one."""
    return [one for one in path.parent.glob("*.py") if one.is_relative_to(ROOT / "optsearch")]


@cache
def used(path: Path) -> frozenset[Path]:
    """The files that one names: modules, and the kernels that a kernel uses."""
    text = text_of(path)
    names = set(IMPORT.findall(text))
    for home, things in FROM.findall(text):
        names |= {f"{home}.{thing}" for thing in re.findall(r"\w+", things)}
    if path.parent == ROOT / "tests":  # its scripts and commands
        names |= set(NAME.findall(text))
    if path.suffix in (".pyx", ".pxd"):
        names |= {path.stem, *(home for home, _ in FROM.findall(text))}
    if "import_module" in text:  # the command loads the modules beside it by their names
        names |= {".".join(one.relative_to(ROOT).with_suffix("").parts) for one in beside(path)}
    if path.parent == ROOT / "tests" and "\ndef test_" in text and FIXTURES.search(text):
        names.add("tests.conftest")
    return frozenset(found for name in names for found in files_of(name))


@cache
def quoted(path: Path) -> frozenset[str]:
    """What a file has in quotes: names of other files and of folders, among much else."""
    return frozenset(re.findall(r"[\"']([\w.-]+)[\"']", text_of(path)))


def dependencies(path: Path) -> set[Path]:
    """A file and all that it uses, directly or not."""
    found, open_ = {path}, [path]
    while open_:
        more = used(open_.pop()) - found
        found |= more
        open_ += more
    return found


def depends(path: Path, files: set[str]) -> bool:
    """Whether a test file depends on one of these files."""
    below = dependencies(path)
    if {str(one.relative_to(ROOT)) for one in below} & files:
        return True
    parts = {part for file in files for part in Path(file).parts if Path(file).suffix not in CODE}
    return any(quoted(one) & parts for one in below)


def seconds_of(item: pytest.Item) -> float:
    """What a test takes, as its mark says."""
    mark = item.get_closest_marker("long")
    return SECONDS if mark is None else mark.args[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--until", type=float, help="when all is to have ended, in seconds of `date`")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    files = changed()
    if files is not None:
        is_recent = {path: depends(path, files) for path in {item.path for item in items}}
        others = [item for item in items if not is_recent[item.path]]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if is_recent[item.path]]
    items.sort(key=seconds_of)


def pytest_runtest_setup(item: pytest.Item) -> None:
    left = item.config.getoption("until") - time.time()
    if (seconds := seconds_of(item)) * 2 > left:
        pytest.skip(f"no time is left for {item.nodeid}, {seconds} s")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK
