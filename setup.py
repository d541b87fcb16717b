"""Build each cython_ext/_name.pyx as the private module optsearch._name.

The C file of a kernel is compiled once for the plain instruction set of the machine (this is the
module optsearch._name) and, where the compiler can, once more for each newer instruction set into
optsearch/builds/<instruction set>/; optsearch/__init__.py picks the best that the processor runs.

OPTSEARCH_DEBUG=1 builds the plain modules only, with bounds checks, assertions and no optimisation.
"""

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("OPTSEARCH_DEBUG", "0") not in ("", "0")

# name of the folder -> compiler flags; optsearch/_processor.pyx asks for the same features.
INSTRUCTION_SETS = {
    "x86_64_v3": ["-march=x86-64-v3"],
    "x86_64_v4": ["-march=x86-64-v4", "-mavx512vpopcntdq", "-mprefer-vector-width=256"],
}


def compiles(flags: list[str]) -> bool:
    """Whether the C compiler of this machine takes these flags."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text("int probe(int x) { return x + 1; }\n")
        command = [os.environ.get("CC", "cc"), *flags, "-c", str(source), "-o", f"{source}.o"]
        try:
            return subprocess.run(command, capture_output=True, check=False).returncode == 0
        except OSError:
            return False


def instruction_sets() -> dict[str, list[str]]:
    """The instruction sets to compile for besides the plain one."""
    if DEBUG or sys.platform == "win32" or platform.machine() not in ("x86_64", "AMD64"):
        return {}
    return {name: flags for name, flags in INSTRUCTION_SETS.items() if compiles(flags)}


def extensions() -> list[Extension]:
    """One extension a kernel and instruction set."""
    flags = ["-O1", "-g"] if DEBUG else ["-O3"]
    macros = [("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")]
    if not DEBUG:
        macros.append(("NDEBUG", "1"))
    plain = cythonize(
        [
            Extension(f"optsearch.{path.stem}", [str(path)], define_macros=macros)
            for path in sorted(Path("cython_ext").glob("_*.pyx"))
        ],
        include_path=["cython_ext"],
        compiler_directives={
            "language_level": 3,
            "binding": True,
            "embedsignature": True,
            "boundscheck": DEBUG,
            "wraparound": False,
            "initializedcheck": DEBUG,
            "cdivision": not DEBUG,
        },
        force=DEBUG,
    )
    result = []
    for extension in plain:
        name = extension.name.rpartition(".")[2]
        extension.extra_compile_args = list(flags)
        result.append(extension)
        if name == "_processor":
            continue
        for folder, isa in instruction_sets().items():
            Path("optsearch", "builds", folder).mkdir(parents=True, exist_ok=True)
            result.append(
                Extension(
                    f"optsearch.builds.{folder}.{name}",
                    extension.sources,
                    define_macros=macros,
                    extra_compile_args=[*flags, *isa],
                )
            )
    return result


setup(ext_modules=extensions(), options={"build_ext": {"parallel": os.cpu_count()}})
