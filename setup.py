"""Build each cython_ext/room/_name.pyx as the private module optsearch.compiled.room._name.

The C file of a kernel is compiled for the plain instruction set of the machine, as the module
optsearch.compiled.room._name. If a newer instruction set makes the kernel faster, and the compiler
supports it, the C file is compiled again into optsearch/compiled/builds/<name>/room/. On import,
optsearch/compiled/__init__.py chooses the fastest build that the processor runs. Code that Cython
would write into every kernel, above all for views, is in one module, _cyutility, which all kernels
import.

A kernel is built again if its source, a .pxd that it cimports or this file is newer. Its C file, in
build/release, serves all versions of Python.

With OPTSEARCH_DEBUG=1 there is one more build, optsearch/compiled/builds/debug/, in which every
access to memory is checked: views by Cython, pointers and arrays by the compiler's sanitizers. The
package uses it if OPTSEARCH_DEBUG=1 is set at run time (`make test-debug` preloads the sanitizer's
library). With OPTSEARCH_QUICK=1 there is only the plain build, compiled in a third of the time
(`make test-pythons`).
"""

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from functools import cache
from pathlib import Path

import Cython
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

DEBUG = os.environ.get("OPTSEARCH_DEBUG", "0") not in ("", "0")
QUICK = os.environ.get("OPTSEARCH_QUICK", "0") not in ("", "0")

# folder below optsearch/compiled/builds -> compiler flags; optsearch/compiled/processor.py says
# whether the processor runs them.
INSTRUCTION_SETS = {
    "x86_64_v3": ["-march=x86-64-v3"],
}
# The kernels that are compiled for the newer instruction sets too: those that count bits of many
# words at once, and are at least a fifth faster for it. A function that several kernels share by
# `cdef inline` is in each of them, a call of another kernel is not. docs/speed.md has the ratios.
FASTER = {
    *("_block", "_endgame", "_evaluate", "_walk"),  # strategies: 1.4 to 4.5
    *("_chain", "_family", "_identities", "_words"),  # the silent search: 1.1 to 2
    *("_bounds", "_labelled", "_named", "_normal_form", "_sequences", "_ships", "_sides"),  # 1.06
    *("_told", "_enumerate", "_labels", "_endgame_announced"),
}
SHARED = "_cyutility"
INCLUDED = ["cython_ext", "cython_ext/shared"]  # where Cython looks for .pxd files
COMMIT = Path("COMMIT")  # in the archive of the source, and in the data of the package
# No symbols in what is installed; the linker of macOS has no such option.
STRIP = ["-s"] if platform.system() == "Linux" else []
# Python compiles with -fwrapv, under which a signed overflow would be none.
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-wrapv"]


def compiler_accepts(flags):
    """True if the C compiler of this machine accepts these flags."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text("int probe(int x) { return x + 1; }\n")
        command = [
            *shlex.split(os.environ.get("CC", "cc")),
            *flags,
            "-c",
            str(source),
            "-o",
            f"{source}.o",
        ]
        try:
            return subprocess.run(command, capture_output=True, check=False).returncode == 0
        except OSError:
            return False


@cache
def flags_of_builds():
    """Map each build to its compiler flags: a folder below compiled/builds, or None if plain."""
    if QUICK:
        return {None: ["-O1", "-g0"]}
    result = {None: ["-O3", "-g0"]}  # -g0: Python asks for debug information
    if platform.machine() in ("x86_64", "AMD64"):
        for name, flags in INSTRUCTION_SETS.items():
            if compiler_accepts(flags):
                result[name] = [*result[None], *flags]
    if DEBUG:
        result["debug"] = ["-O1", "-g", "-UNDEBUG", *SANITIZE]
    return result


def declaration_files(kernel):
    """Return the .pxd files that a kernel needs, directly or through another .pxd."""
    needed, unread = set(), [kernel] if kernel.exists() else []
    while unread:
        path = unread.pop()
        text = path.read_text(encoding="utf-8")
        candidates = [
            Path("cython_ext/optsearch/compiled", kernel.parent.name, f"{kernel.stem}.pxd")
        ]
        for origin, name in re.findall(r"^(?:from\s+(\S+)\s+)?cimport\s+(\S+)", text, re.MULTILINE):
            module_path = Path(*(origin or name).split(".")).with_suffix(".pxd")
            candidates += [Path(folder, module_path) for folder in INCLUDED]
        new = {file for file in candidates if file.is_file()} - needed
        needed |= new
        unread += new
    return sorted(needed)


def kernel_sources():
    """Map the name of each kernel to its .pyx file; that of the shared module does not exist."""
    kernels = {path.stem: path for path in sorted(Path("cython_ext").glob("*/_*.pyx"))}
    return {**kernels, SHARED: Path("cython_ext", f"{SHARED}.c")}


def module_name(source):
    """Return the name of a kernel's module below optsearch.compiled, with its room."""
    return source.stem if source.stem == SHARED else f"{source.parent.name}.{source.stem}"


def c_file(build, source):
    """Return the path of the C file of a kernel for a build."""
    is_translated = build in (None, "debug")  # for other builds it is a copy of the plain one
    path = Path(build or "release", source if is_translated else source.name)
    return Path("build", path).with_suffix(".c")


def copy_c_files(build):
    """Copy the C files of the plain build to this build, if they changed since the last copy."""
    for name in FASTER & kernel_sources().keys():
        source = kernel_sources()[name]
        plain, copy = c_file(None, source), c_file(build, source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.stat().st_mtime < plain.stat().st_mtime:
            shutil.copy2(plain, copy)


def translate(build):
    """Translate the kernels to C that changed since their C files for this build were written."""

    def is_stale(source):
        translation = c_file(build, source)
        if not translation.exists():
            return True
        with translation.open(encoding="utf-8") as file:
            is_by_this_cython = f" by Cython {Cython.__version__} " in file.readline()
        needed = filter(Path.exists, (source, Path(__file__), *declaration_files(source)))
        newest = max(path.stat().st_mtime for path in needed)
        return not is_by_this_cython or translation.stat().st_mtime < newest

    is_debug = build == "debug"
    stale = [source for source in kernel_sources().values() if is_stale(source)]
    if stale:
        print_step(f"translating {len(stale)} kernels")
        cythonize(
            [Extension(f"optsearch.compiled.{module_name(path)}", [str(path)]) for path in stale],
            build_dir=str(Path("build", build or "release")),
            shared_utility_qualified_name=f"optsearch.compiled.{SHARED}",
            include_path=INCLUDED,
            compiler_directives={
                "language_level": 3,
                "boundscheck": is_debug,
                "wraparound": False,
                "initializedcheck": is_debug,
                "cdivision": not is_debug,
                "show_performance_hints": False,
            },
            quiet=True,
            force=True,  # Cython also compares with its own files, which a new environment has anew
            nthreads=os.cpu_count(),
        )


def make_extensions():
    """Return an extension for each kernel and build."""
    result = []
    for build, flags in flags_of_builds().items():
        for name, source in kernel_sources().items():
            if build is None:
                package = "optsearch.compiled"
            elif build == "debug" or name in FASTER:
                package = f"optsearch.compiled.builds.{build}"
            else:
                continue
            result.append(
                Extension(
                    f"{package}.{module_name(source)}",
                    [str(c_file(build, source))],
                    extra_compile_args=flags,
                    extra_link_args=SANITIZE if build == "debug" else STRIP,
                )
            )
    return result


def print_step(text, is_last=False):
    """Print a step of the build; on a terminal it replaces the step before."""
    print(text, end="\r" if sys.stdout.isatty() and not is_last else "\n", flush=True)


class BuildKernels(build_ext):
    """Build the kernels, and delete those of other builds, which would replace the plain ones."""

    def finalize_options(self):
        """Set the number of processes, and folders that an editable install and `--inplace` share.

        An editable install ignores the option `parallel`, so it is set here.
        """
        super().finalize_options()
        self.parallel = os.cpu_count()
        if self.inplace:
            tag = f"{sys.implementation.cache_tag}{'-quick' if QUICK else ''}"
            folder = Path("build", f"inplace-{tag}")
            self.build_lib, self.build_temp = str(folder / "lib"), str(folder / "temp")

    def run(self):
        """Translate and compile the kernels; delete other kernels of this version of Python."""
        for build in flags_of_builds():
            if build in (None, "debug"):
                translate(build)
            else:
                copy_c_files(build)
        for kernel in self.extensions:
            Path(*kernel.name.split(".")).parent.mkdir(parents=True, exist_ok=True)
        # Otherwise one processor would compile the longest one while the others wait.
        self.extensions.sort(key=lambda kernel: -Path(kernel.sources[0]).stat().st_size)
        self.ready = []
        super().run()
        names = [kernel.name for kernel in self.extensions]
        built = {Path(self.get_ext_fullpath(name)).resolve() for name in names}
        folder = Path("" if self.inplace else self.build_lib, "optsearch", "compiled")
        for path in folder.rglob(f"*{sysconfig.get_config_var('EXT_SUFFIX')}"):
            is_kept = self.inplace and "debug" in path.parts and not DEBUG
            if path.resolve() not in built and not is_kept:
                path.unlink()

    def build_extension(self, extension):
        """Compile a kernel, and print how many are ready."""
        super().build_extension(extension)
        self.ready.append(extension.name)
        ready, total = len(self.ready), len(self.extensions)
        if sys.stdout.isatty() or ready % 10 == 0 or ready == total:
            print_step(f"compiling kernels: {ready} of {total}", is_last=ready == total)


def commit_of_source():
    """Return the commit of this source, from its archive or from git; empty if neither has it."""
    if COMMIT.is_file():
        return COMMIT.read_text(encoding="ascii")
    command = ["git", "--git-dir=.git", "describe", "--always", "--abbrev=40", "--exclude=*"]
    try:
        run = subprocess.run([*command, "--dirty=+changes"], capture_output=True, check=False)
    except OSError:
        return ""
    return run.stdout.decode("ascii").strip()


class BuildWithData(build_py):
    """Build the package with data/ and its commit, for `optsearch.support.datafiles`."""

    def run(self):
        """Copy the modules and data/; an editable install reads data/ in the checkout."""
        super().run()
        if not self.editable_mode:
            folder = Path(self.build_lib, "optsearch", "data")
            shutil.copytree("data", folder, dirs_exist_ok=True)
            Path(folder, COMMIT).write_text(commit_of_source(), encoding="ascii")

    def get_outputs(self, include_bytecode=True):
        """Return the files that `run` writes."""
        copied = [path for path in Path("data").rglob("*") if path.is_file()]
        return super().get_outputs(include_bytecode) + [
            str(Path(self.build_lib, "optsearch", path)) for path in (*copied, Path("data", COMMIT))
        ]


class SourceWithCommit(sdist):
    """Make the archive of the source, with a file that names its commit."""

    def make_release_tree(self, base_dir, files):
        """Write the files of the archive to a folder."""
        super().make_release_tree(base_dir, files)
        Path(base_dir, COMMIT).write_text(commit_of_source(), encoding="ascii")


def long_description():
    """Return README.md for a package index, without pictures and links to local files."""
    text = Path("README.md").read_text(encoding="utf-8")
    picture = r"!\[[^]]*\]\((?!https?:)[^)]*\)"
    text = re.sub(rf"^(?:{picture}|\[{picture}\]\(.*\))\n\n", "", text, flags=re.MULTILINE)
    return re.sub(r"(?<!!)\[([^]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


if __name__ == "__main__":  # processes that translate kernels read this file, too
    setup(
        long_description=long_description(),
        long_description_content_type="text/markdown",
        ext_modules=make_extensions(),
        cmdclass={
            "build_ext": BuildKernels,
            "build_py": BuildWithData,
            "sdist": SourceWithCommit,
        },
    )
