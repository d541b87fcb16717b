"""The compiled kernels: `room._name` is built from `cython_ext/room/_name.pyx`.

Importing this package chooses, once, the fastest build of the kernels that this processor runs. The
environment variable OPTSEARCH_BUILD names another (`plain`, `x86_64_v3`), and OPTSEARCH_DEBUG=1
the bounds-checked one.
"""

import os
from pathlib import Path

from optsearch.compiled.processor import instruction_sets


def _choose_build() -> str:
    """Return the name of the build to use; put its folder first on the path of this package.

    It is the debug build, the one that OPTSEARCH_BUILD names, or else the fastest. Raises
    ImportError if that build does not exist.
    """
    folder = Path(__file__).parent / "builds"
    names = [*instruction_sets(), "plain", "debug"]
    available = [name for name in names if name == "plain" or (folder / name).is_dir()]
    is_debug = os.environ.get("OPTSEARCH_DEBUG", "0") not in ("", "0")
    build = "debug" if is_debug else os.environ.get("OPTSEARCH_BUILD") or available[0]
    if build not in available:
        raise ImportError(
            f"the build {build!r} of the kernels is not here; there are {', '.join(available)} "
            "(`make debug` makes the bounds-checked one)"
        )
    if build != "plain":
        __path__.insert(0, str(folder / build))
    return build


build = _choose_build()
