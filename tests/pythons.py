"""The set-up, `make reproduce` and the tests with other Pythons: `make test-pythons`.

    python -m tests.pythons [VERSION …] [-- MAKE TARGETS]

A VERSION is one that pyproject.toml declares, such as 3.10; `oldest` or `newest` of those that are
here; or `least`: the oldest, with the least declared version of each package that a user needs.
Without a VERSION, all that are here are tried. Each has a clone of what is committed in
build/pythons, with its own .venv and only the plain build of the kernels, from the C files of this
checkout. None begins later than UNTIL, a time in seconds as `date +%s` prints it, if that is set.
"""

from __future__ import annotations

import filecmp
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
VERSIONS = re.findall(r"Python :: (3\.\d+)", PROJECT)
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")


def interpreter(version: str) -> Path | None:
    """Return the newest Python of a version, on the path or installed by pyenv, or None."""
    name = f"python{version}"
    installed = sorted(PYENV.glob(f"{version}.*"), key=lambda path: len(path.name))
    places = [shutil.which(name), *(path / "bin" / name for path in reversed(installed))]
    for place in filter(None, places):  # a shim of pyenv is there for versions that do not run
        try:
            run = subprocess.run([place, "-c", ""], capture_output=True, check=False)
        except OSError:
            continue
        if run.returncode == 0:
            return Path(place)
    return None


def least_versions() -> str:
    """Return the least declared version of each package that a user needs, as pip constraints."""
    declared = re.findall(r'"([\w-]+)>=([\d.]+)"', PROJECT.partition("[dependency-groups]")[0])
    return "".join(f"{name}=={version}\n" for name, version in declared)


def clone(name: str) -> Path:
    """Make the clone for a version, at the commit of this checkout, with the C files of kernels."""
    folder = ROOT / "build" / "pythons" / name
    git = ["git", "-c", "advice.detachedHead=false"]
    if not folder.exists():
        subprocess.run([*git, "clone", "--quiet", ROOT, folder], check=True)
    subprocess.run([*git, "-C", folder, "fetch", "--quiet", "origin", "HEAD"], check=True)
    subprocess.run([*git, "-C", folder, "checkout", "--quiet", "FETCH_HEAD"], check=True)
    release = Path("build", "release")
    for source in (ROOT / release).rglob("*.c"):
        copy = folder / release / source.relative_to(ROOT / release)
        if not copy.exists() or not filecmp.cmp(source, copy, shallow=False):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)  # newer than what it was made of
    return folder


def main() -> None:
    """Try each version; the exit status is 1 if one fails."""
    chosen, _, targets = " ".join(sys.argv[1:]).partition("--")
    here = {version: path for version in VERSIONS if (path := interpreter(version))}
    oldest, newest = (list(here)[place] for place in (0, -1))
    version_of = {"oldest": oldest, "newest": newest, "least": oldest}
    failed = []
    for name in chosen.split() or [*here, "least"]:
        python = here.get(version_of.get(name, name))
        if python is None:
            print(f"Python {name} is not on this machine")
            continue
        if time.time() > float(os.environ.get("UNTIL") or "inf"):
            print(f"no time is left for Python {name}: make test-pythons PYTHONS={name} tries it")
            continue
        folder = clone(name)
        environment = {**os.environ, "PYTHON": str(python), "OPTSEARCH_QUICK": "1"}
        if name == "least":
            constraints = folder / "build" / "least.txt"
            constraints.write_text(least_versions(), encoding="utf-8")
            environment["PIP_CONSTRAINT"] = str(constraints)
            environment["PYTEST_ADDOPTS"] = "-W default"  # old packages warn of new ones
        print(f"Python {name}: {python}", flush=True)
        make = ["make", "-C", folder, "--no-print-directory", f"PYTHON={python}"]
        run = subprocess.run(
            [*make, *(targets.split() or ["reproduce", "test"])], env=environment, check=False
        )
        if run.returncode:
            failed.append(name)
    if failed:
        sys.exit(f"failed with Python {', '.join(failed)}")


if __name__ == "__main__":
    main()
