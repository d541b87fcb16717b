"""Whether a table is older than the code that computes it.

A table depends on the module of its experiment, and on what that imports, directly or not, kernels
too; not on what only reads, writes, names or prints (`NOT_COUNTED`). It is older than the code if
one of these says something else now than at the commit of the table: comments, docstrings, imports
and layout do not count.
"""

from __future__ import annotations

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

from optsearch.datafiles import CHECKOUT, is_checkout

NOT_COUNTED = frozenset(
    {
        *("__init__", "datafiles", "errors", "front", "journal", "names", "notebook", "records"),
        *("results", "workers", "script"),
    }
)


def git(*arguments: str) -> str | None:
    """What git prints in the checkout; None where there is none, or it fails."""
    if not is_checkout():
        return None
    command = ["git", "--no-optional-locks", "-C", str(CHECKOUT), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


# What a table depends on


def depends_on(experiment: str) -> frozenset[str]:
    """The files, below the checkout, that an experiment's tables depend on."""
    found: set[str] = set()
    waiting = [f"experiments/{experiment}.py"]
    while waiting:
        file = waiting.pop()
        if file in found or not (CHECKOUT / file).is_file():
            continue
        if _is_writing(file):
            continue
        found.add(file)
        waiting += _imports(file)
    return frozenset(found)


def _is_writing(file: str) -> bool:
    folder = Path(file).parent.name
    return folder == "cli" or (
        folder in ("optsearch", "experiments") and Path(file).stem in NOT_COUNTED
    )


@cache
def _imports(file: str) -> tuple[str, ...]:
    text = (CHECKOUT / file).read_text(encoding="utf-8")
    if not file.endswith(".py"):
        names = re.findall(r"^\s*(?:from\s+([\w.]+)\s+c?import|cimport\s+([\w.]+))", text, re.M)
        modules = {first or second for first, second in names}
        return tuple(place for module in modules for place in _kernel_files(module))
    places: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            modules = {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            whole = node.module or ""
            modules = {whole} | {f"{whole}.{alias.name}" for alias in node.names}
        else:
            continue
        for module in modules:
            if module.split(".")[0] in ("optsearch", "experiments"):
                path = module.replace(".", "/")
                places += [f"{path}.py", f"{path}/__init__.py", *_kernel_files(module)]
    return tuple(places)


def _kernel_files(module: str) -> list[str]:
    """Where the source of a kernel or of its declarations would be."""
    path = module.replace(".", "/")
    last = module.rpartition(".")[2]
    return [f"cython_ext/{last}.pyx", f"cython_ext/{path}.pxd", f"cython_ext/{last}.pxd"]


# What it says


def meaning(file: str, text: str) -> str:
    """A source without comments, docstrings and layout."""
    if not file.endswith(".py"):
        text = re.sub(r"#.*", "", re.sub(r'"""(?:.|\n)*?"""', "", text))
        return "\n".join(" ".join(line.split()) for line in text.split("\n") if line.strip())
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _is_silent(one)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_silent(node: ast.AST) -> bool:
    """Whether a statement is text, or only says where names come from or go to."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    if isinstance(node, ast.Assign):
        return [ast.unparse(target) for target in node.targets] == ["__all__"]
    return isinstance(node, (ast.Import, ast.ImportFrom))


@cache
def _then(commit: str, file: str) -> str | None:
    text = git("show", f"{commit}:{file}")
    return None if text is None else meaning(file, text)


@cache
def _now(file: str) -> str:
    return meaning(file, (CHECKOUT / file).read_text(encoding="utf-8"))


def changed(experiment: str, commit: str) -> list[str] | None:
    """The files that an experiment's tables depend on and that say something else than at a commit.

    commit -- as in the header of a table. None where that cannot be told: no checkout, or a commit
    that is not in it.
    """
    commit = commit.partition("+")[0]
    if not re.fullmatch(r"[0-9a-f]{7,40}", commit):
        return None
    files = sorted(depends_on(experiment))
    listed = git("diff", "--name-only", commit, "--", *files) if files else None
    if listed is None:
        return None
    return [file for file in listed.splitlines() if _then(commit, file) != _now(file)]
