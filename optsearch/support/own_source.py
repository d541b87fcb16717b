"""The source of code of one's own: what is run, its digest, and what it imports beside it.

A *source* is a file and the modules that it imports from its own folder, and those that they import
from there, as their import statements say. Code that is loaded from a source is compiled from the
very bytes that were digested, and finds no other module in its folder, so a digest names what runs.
Not seen are modules whose names are computed, files that are read as data, and packages that are
installed elsewhere.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
import sysconfig
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from optsearch.support.errors import StrategyError
from optsearch.support.files import read_bytes

OURS = "optsearch"
ROOT = Path(__file__).resolve().parent.parent
_INSTALLED = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
TICK = 0.02  # seconds; nothing is imported so soon after a process started


@dataclass(frozen=True)
class File:
    """A file as it was read; without content, a folder of modules."""

    path: Path
    content: bytes

    @classmethod
    def read(cls, path: Path) -> File:
        """The file; StrategyError if it cannot be read."""
        try:
            return cls(path, b"" if path.is_dir() else read_bytes(path))
        except OSError as error:
            raise StrategyError(f"cannot read {str(path)!r}: {error.strerror}") from None


class Source(MetaPathFinder):
    """A file, and the modules of its own folder that it needs, by their names.

    path -- of the file. package -- the one that it is a module of, if any.

    While a source is *active*, its modules stand in `sys.modules`; one is active at a time, so that
    modules of one name in two folders are never taken for each other.
    """

    def __init__(self, path: Path, package: str = ""):
        self.file, self.modules = File.read(path), dict[str, File]()
        self._loaded: dict[str, ModuleType] = {}
        folder = path.parents[package.count(".") + 1 if package else 0]
        own = package.partition(".")[0]
        wanted = list(_imported(self.file, package))
        while wanted:
            name = wanted.pop()
            place = None if name in self.modules else _place(folder, name)
            if place is None or (is_installed(place) and name.partition(".")[0] != own):
                continue
            self.modules[name] = File.read(place)
            inside = name if place.name == "__init__.py" else name.rpartition(".")[0]
            wanted += _imported(self.modules[name], inside)

    @cached_property
    def digest(self) -> str:
        """A digest of the content of all files; 16 hexadecimal digits."""
        digest = blake2b(digest_size=8)
        for name, file in (("", self.file), *sorted(self.modules.items())):
            digest.update(f"{name} {len(file.content)}\n".encode())
            digest.update(file.content)
        return digest.hexdigest()

    def make_room(self) -> None:
        """Forget what was imported from these files; StrategyError for a name that others have."""
        _deactivate_all()
        for name, file in self.modules.items():
            _make_room(name, file.path)

    def load(self) -> ModuleType:
        """Run the file; whatever its code raises comes out."""
        self.activate()
        name = f"_strategy_{self.file.path.stem}_{self.digest}"
        loader = _Loader(name, self.file)
        module = importlib.util.module_from_spec(ModuleSpec(name, loader, origin=loader.path))
        module.__file__ = loader.path
        sys.modules[name] = module
        try:
            loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            self.deactivate()
            raise
        return module

    def activate(self) -> None:
        """Let the names of the modules mean those of this source."""
        if self not in sys.meta_path:
            _deactivate_all()
            sys.modules.update(self._loaded)
            sys.meta_path.insert(0, self)

    def deactivate(self) -> None:
        """Take the modules out of `sys.modules`, and remember them."""
        sys.meta_path.remove(self)
        for name in self.modules.keys() & sys.modules.keys():
            self._loaded[name] = sys.modules.pop(name)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where a module of the source comes from; None for all others."""
        file = self.modules.get(fullname)
        return None if file is None else _spec(fullname, file)


def _deactivate_all() -> None:
    for finder in [finder for finder in sys.meta_path if isinstance(finder, Source)]:
        finder.deactivate()


def is_installed(path: str | Path) -> bool:
    """Whether a file belongs to Python or to an installed package."""
    return any(Path(path).is_relative_to(folder) for folder in _INSTALLED)


def _place(folder: Path, name: str) -> Path | None:
    """Where a module of a folder lies, in the order in which Python looks; None if not there."""
    if name.partition(".")[0] == OURS:
        return None
    base = folder.joinpath(*name.split("."))
    suffixes = (*EXTENSION_SUFFIXES, ".py")
    for place in (base / "__init__.py", *(base.with_name(base.name + s) for s in suffixes)):
        if place.is_file():
            return place
    if not base.is_dir():
        return None
    with suppress(ValueError, ImportError):
        spec = None if "." in name else importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            return None  # a folder that only has the name of a module from elsewhere
    return base


def _imported(file: File, package: str) -> Iterator[str]:
    """The names that the import statements of a module of a package may mean."""
    try:
        nodes = list(ast.walk(ast.parse(file.content))) if file.path.suffix == ".py" else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # whoever runs it hears why
    for node in nodes:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join(filter(None, (*(above if node.level else ()), node.module)))
            names = [f"{base}.{alias.name}" if base else alias.name for alias in node.names]
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[: i + 1]) for i in range(len(parts)))


class _Loader(SourceFileLoader):
    """Loads a module from the bytes that were digested, whatever lies on disk by now."""

    def __init__(self, name: str, file: File):
        super().__init__(name, str(file.path))
        self._content = file.content

    def get_code(self, fullname: str) -> CodeType:
        """The compiled module."""
        code: CodeType = compile(self._content, self.path, "exec", dont_inherit=True)
        return code


def _spec(name: str, file: File) -> ModuleSpec:
    if file.path.is_dir():
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(file.path)]
        return spec
    loader = _Loader(name, file) if file.path.suffix == ".py" else None
    inside = [str(file.path.parent)] if file.path.name == "__init__.py" else None
    loading = importlib.util.spec_from_file_location(
        name, file.path, loader=loader, submodule_search_locations=inside
    )
    assert loading is not None
    return loading


def _make_room(name: str, path: Path) -> None:
    module = sys.modules.get(name)
    if module is None:
        return
    there = getattr(module, "__file__", None)
    if path.is_dir() or (there and Path(there).resolve() == path):
        del sys.modules[name]
        return
    raise StrategyError(
        f"{str(path)!r} cannot be imported as {name}, which is another module already"
        f"{f', from {there!r}' if there else ''}; give it another name"
    )


# Code that Python has imported already


def imported_source(module: str) -> Source | None:
    """The source of an imported module; None for those of Python and of this package.

    Raises StrategyError if there is none, or if it is not sure to be what was imported.
    """
    top = module.partition(".")[0]
    if module != "__main__" and (top in sys.stdlib_module_names or top == OURS):
        return None
    there = getattr(sys.modules.get(module), "__file__", None)
    if not there or not Path(there).is_file():
        raise StrategyError(f"the source of {module} is in no file")
    path = Path(there).resolve()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    source = Source(path, package)
    for file in (source.file, *source.modules.values()):
        if is_installed(file.path) or file.path.is_dir():
            continue
        if file.path.stat().st_mtime > _process_started() + TICK:
            raise StrategyError(
                f"{near(file.path)} was changed after this Python process began, so that what was "
                "imported may be something else"
            )
    return source


_LOADED = time.time()


def _process_started() -> float:
    """When this process began, in seconds since 1970; where only Linux knows, when this loaded."""
    if not sys.platform.startswith("linux"):
        return _LOADED
    after_name = Path("/proc/self/stat").read_text(encoding="ascii", errors="replace")
    ticks = int(after_name.rpartition(")")[2].split()[19])
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return time.time() - age


def near(path: Path) -> str:
    """A path as short as it can be said from the working folder."""
    with suppress(ValueError, OSError):
        return str(path.relative_to(Path.cwd()))
    return str(path)
