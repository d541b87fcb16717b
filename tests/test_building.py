"""What `setup.py` builds again, and for which instruction sets.

The compiler is one that only notes what it is given: how long the real one takes does not matter
here, nor what it makes.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.examples import some

ROOT = Path(__file__).resolve().parent.parent
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
# _block is compiled for newer processors too, _paper is not; _walk cimports _block.
SOURCES = {
    "_block.pxd": "cdef int twice(int x) noexcept nogil\n",
    "_block.pyx": "cdef int twice(int x) noexcept nogil:\n    return 2 * x\n",
    "_walk.pyx": "from optsearch.compiled.search._block cimport twice\n"
    "def walk():\n    return twice(1)\n",
    "_paper.pyx": "def paper():\n    return 1\n",
}
COMPILER = """#!{python}
import sys
arguments = sys.argv[1:]
made = arguments[arguments.index("-o") + 1]
open(made, "w").close()
if "-c" in arguments:
    with open({log!r}, "a") as log:
        log.write(made + "\\n")
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build a project of three kernels; called again, what was compiled this time."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("setup.py", "pyproject.toml", "README.md"):
        shutil.copy2(ROOT / name, folder)
    kernels = folder / "cython_ext"
    declarations = kernels / "optsearch" / "compiled" / "search"
    declarations.mkdir(parents=True)
    (declarations.parent / "__init__.pxd").touch()
    (kernels / "search").mkdir()
    (folder / "optsearch" / "compiled").mkdir(parents=True)
    for name, text in SOURCES.items():
        place = declarations if name.endswith("pxd") else kernels / "search"
        (place / name).write_text(text)
    log, compiler = folder / "log", folder / "cc"
    compiler.write_text(COMPILER.format(python=sys.executable, log=str(log)))
    compiler.chmod(0o755)
    settings = {"CC": str(compiler), "LDSHARED": str(compiler), "OPTSEARCH_DEBUG": "0"}

    def build(changed=None):
        if changed:
            for one in folder.rglob("*"):  # all else was made ten seconds before
                then = one.stat().st_mtime - 10
                os.utime(one, (then, then))
            (folder / changed).touch()
        log.write_text("")
        run = subprocess.run(
            [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
            cwd=folder,
            env={**os.environ, **settings},
            check=True,
            capture_output=True,
            text=True,
            timeout=600,
        )
        made = log.read_text().split()
        build.said, build.compiled = run.stdout.splitlines(), made
        return {Path(name).stem for name in made if "inplace-" in name}

    build.first = build()
    build.said_first, build.compiled_first = build.said, build.compiled
    build.folder = folder
    return build


def kernels_in(folder):
    return {path.name.removesuffix(SUFFIX) for path in folder.glob(f"*{SUFFIX}")}


EVERY = {"_block", "_walk", "_paper", "_cyutility"}


@pytest.mark.parametrize(
    ("changed", "again"),
    some(
        1,
        [
            ("cython_ext/optsearch/compiled/search/_block.pxd", {"_block", "_walk"}),
            ("cython_ext/search/_block.pyx", {"_block"}),
            ("setup.py", EVERY),
        ],
        2,
    ),
)
def test_a_change_builds_what_depends_on_it(built, changed, again):
    assert built.first == EVERY
    assert built(changed) == again


def test_a_build_counts_its_kernels_and_begins_with_the_longest(built):
    files = [name for name in built.compiled_first if "inplace-" in name]
    assert built.said_first == [
        f"translating {len(EVERY)} kernels",
        f"compiling kernels: {len(files)} of {len(files)}",
    ]
    assert "_cyutility" in files[0] or "_cyutility" in files[1]  # two begin at once


def test_a_new_environment_builds_nothing_again(built, monkeypatch):
    """Its copy of Cython is newer than the C files, which does not make them stale."""
    import Cython

    folder = built.folder / "site"
    shutil.copytree(Path(Cython.__file__).parent, folder / "Cython")
    for path in folder.rglob("*.pxd"):
        path.touch()
    monkeypatch.setenv("PYTHONPATH", str(folder))
    assert built() == set()
    shutil.rmtree(folder)


def test_extras_leave_the_kernels_alone():
    make = ["make", "--dry-run", "--old-file", ".venv/.built", ".venv/.board", ".venv/.extras"]
    run = subprocess.run(make, cwd=ROOT, capture_output=True, text=True, check=True)
    assert not re.search("--editable|setup.py", run.stdout)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="one build on other processors")
def test_no_kernel_is_left_that_is_not_built_any_more(built):
    compiled = built.folder / "optsearch" / "compiled"
    plain, newer = compiled / "search", compiled / "builds" / "x86_64_v3" / "search"
    assert kernels_in(newer) == {"_block", "_walk"}
    for folder in (compiled, plain, newer):  # also where a build before had it
        (folder / f"_gone{SUFFIX}").touch()
    (newer / f"_paper{SUFFIX}").touch()  # it would hide the plain one
    (newer / "_paper.other-python.so").touch()
    assert built() == set()
    assert kernels_in(compiled) == {"_cyutility"}
    assert kernels_in(plain) == EVERY - {"_cyutility"}
    assert kernels_in(newer) == {"_block", "_walk"}
    assert (newer / "_paper.other-python.so").exists()


def test_every_kernel_that_is_built_twice_is_there():
    (text,) = re.findall(r"^FASTER = \{\n(.*?)^\}", (ROOT / "setup.py").read_text(), re.M | re.S)
    names = re.findall(r'"(_\w+)"', text)
    assert len(names) == len({*names})
    assert {*names} <= {path.stem for path in (ROOT / "cython_ext").glob("*/_*.pyx")}
