"""Optimal shooting at Battleship against ships placed uniformly at random.

Importing the package chooses, once, the fastest build of the compiled kernels that this processor
runs; the environment variable OPTSEARCH_BUILD names another (`plain`, `x86_64_v3`, `x86_64_v4`).
"""

import os as _os
from pathlib import Path as _Path

from optsearch._processor import instruction_sets as _instruction_sets

__version__ = "0.1.0"


def _choose_build() -> str:
    """The build of the kernels in use; puts its folder first on the package's search path."""
    folder = _Path(__file__).parent / "builds"
    available = [name for name in _instruction_sets() if (folder / name).is_dir()] + ["plain"]
    wanted = _os.environ.get("OPTSEARCH_BUILD", available[0])
    if wanted not in available:
        raise ImportError(
            f"OPTSEARCH_BUILD={wanted!r} cannot run here; this machine has: {', '.join(available)}"
        )
    if wanted != "plain":
        __path__.insert(0, str(folder / wanted))
    return wanted


build = _choose_build()
