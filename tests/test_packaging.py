"""What is built for others has the data with it, and finds it outside the checkout."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from optsearch.cli.app import DEPENDENCIES
from tests.examples import some

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("cython_ext", "data", "docs", "experiments", "paper_figures", "tests", "optsearch")


def setup(*arguments):
    """`setup.py` of the checkout, whose kernels are translated already."""
    command = [sys.executable, "setup.py", "-q", *map(str, arguments)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=600)


def tracked(*folders):
    command = ["git", "-C", str(ROOT), "ls-files", *folders]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        pytest.skip("only a checkout knows which files belong to it")
    return run.stdout.splitlines()


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The package as a wheel has it, with the kernels that were built for the checkout."""
    folder = tmp_path_factory.mktemp("site")
    setup("build_py", "--build-lib", folder)
    for kernel in (ROOT / "optsearch").rglob("*.so"):
        target = folder / kernel.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(kernel, target)
    return folder


def run(installed, folder, *arguments):
    """The command of the installed package, in a folder that is no checkout."""
    paths = [str(installed), *(path for path in sys.path if path.endswith("site-packages"))]
    # Without -S an editable install of the checkout would come in by its .pth file.
    code = f"import sys; sys.path[:0] = {paths!r}; from optsearch import cli; cli.main()"
    found = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "COLUMNS": "200"},
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def listed(name):
    """The texts of a list in pyproject.toml."""
    (text,) = re.findall(rf"^{name} = \[\n(.*?)^\]", PROJECT, re.M | re.S)
    return re.findall(r'"(.*?)"', text)


def test_every_module_is_installed(installed):
    for name in tracked("optsearch"):
        assert (installed / name).is_file()


def test_an_index_shows_no_link_into_the_checkout(tmp_path):
    setup("egg_info", "--egg-base", tmp_path)
    text = (tmp_path / "optsearch.egg-info" / "PKG-INFO").read_text(encoding="utf-8")
    assert "Description-Content-Type: text/markdown" in text
    assert "CONTRIBUTING.md says how" in text  # README.md has a link there
    links = re.findall(r"\]\(([^)]*)\)", text.partition("\n\n")[2])
    assert [link for link in links if not link.startswith("https://")] == []


def test_the_version_names_what_is_needed():
    always = [text for text in listed("dependencies") if ";" not in text]
    needed = {re.split(r"[><=]", text)[0] for text in always}
    assert needed <= set(DEPENDENCIES)


def test_the_package_has_the_data(installed):
    for name in tracked("data"):
        assert (installed / "optsearch" / name).read_bytes() == (ROOT / name).read_bytes()


@pytest.mark.parametrize(
    ("game", "bracket"),
    some(
        1,
        [("10x10:5,4,3,3,2", "34.418050 to 39.989480"), ("4x5:2,3,4", "11.295455 on both sides")],
        1,
    ),
)
def test_an_installed_copy_knows_its_brackets(installed, tmp_path, game, bracket):
    said = run(installed, tmp_path, "bounds", game)
    assert f"bracket  {bracket}" in said
    assert not re.search(r"docs/|experiments|\bmake ", said)


def test_an_installed_copy_names_its_commit(installed, tmp_path):
    head = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    if head.returncode:
        pytest.skip("only a checkout knows its commit")
    said = run(installed, tmp_path, "cite")
    assert re.search(r"note = {commit (\w+)", said)[1] == head.stdout.strip()
    assert "version = {0.1.0}" in said


@pytest.mark.long(10)
def test_an_installed_copy_reproduces_the_paper(installed, tmp_path):
    assert "all agree" in run(installed, tmp_path, "reproduce")


@pytest.mark.long(5)
def test_the_source_distribution_is_complete(tmp_path):
    names = tracked(
        *FOLDERS, "README.md", "LICENSE", "Makefile", "mkdocs.yml", "setup.py", "pyproject.toml"
    )
    setup("sdist", "-d", tmp_path)
    (path,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert "COMMIT" in inside
    assert [name for name in names if name not in inside] == []
    assert not [name for name in inside if name.endswith(".so")]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A wheel built from the source distribution, in a fresh environment far from the checkout."""
    folder = tmp_path_factory.mktemp("fresh")
    setup("sdist", "-d", folder)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    (source,) = (path for path in folder.iterdir() if path.is_dir())
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    for arguments in (
        [*pip, "wheel", "--no-build-isolation", "--no-deps", "-w", folder, source],
        [sys.executable, "-m", "venv", "--without-pip", folder / "venv"],
    ):
        subprocess.run(list(map(str, arguments)), check=True, timeout=3600)
    python = folder / "venv" / "bin" / "python"
    (wheel,) = folder.glob("*.whl")
    install = [*pip, "--python", python, "install", "--no-deps", "--no-index", wheel]
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(list(map(str, install)), check=True, timeout=600, env=alone)  # else it is there
    # What it depends on, without a network; .pth files there, such as an editable install, are
    # not read.
    (site,) = folder.glob("venv/lib/python*/site-packages")
    others = [path for path in sys.path if path.endswith("site-packages")]
    (site / "others.pth").write_text("\n".join(others))
    shutil.copytree(ROOT / "tests", folder / "outside" / "tests")
    return python


@pytest.mark.long(240)
@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["-m", "optsearch", "--version"], "optsearch 0.1.0, kernels"),
        (["-m", "optsearch", "reproduce"], "all agree"),
        (["-m", "optsearch", "cite"], "note = {commit "),
        (["-m", "optsearch", "bounds", "10x10:5,4,3,3,2"], "bracket  34.418050 to 39.989480"),
        (["-m", "optsearch", "bounds", "4x5:2,3,4"], "bracket  11.295455 on both sides"),
        (["-c", "import optsearch; print(optsearch.__file__)"], "venv/lib"),
        (["-m", "pytest", "-q", "tests/test_game.py", "tests/test_bounds.py"], " passed"),
    ],
    ids=("version", "reproduce", "cite", "bounds", "optimum", "place", "tests"),
)
def test_a_wheel_in_a_fresh_environment(fresh, arguments, shown):
    found = subprocess.run(
        [str(fresh), *arguments],
        cwd=fresh.parents[2] / "outside",
        capture_output=True,
        text=True,
        timeout=1200,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert shown in found.stdout
