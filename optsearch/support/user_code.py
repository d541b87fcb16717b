"""Code of users, from a file or as an object of a program: loading it, its digest, its errors.

The bytes of a file are read when it is chosen, and every process runs these bytes, with importlib.
The folder of the file is put first on Python's path, as for a script, so that the file can import
modules beside it. Cloudpickle sends an object to other processes. A checkpoint knows code by the
digest of its file, which leaves out modules that the file imports; an object of a program has no
checkpoint.

Everything that user code raises, also `SystemExit` and endless recursion, becomes one StrategyError
that names the file and the line; only ctrl-C goes through.
"""

from __future__ import annotations

import importlib.util
import linecache
import os
import pickle
import sys
import sysconfig
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from importlib.machinery import SourceFileLoader
from inspect import signature
from pathlib import Path
from traceback import walk_tb
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import cloudpickle

from optsearch.support.errors import StrategyError
from optsearch.support.files import read_bytes

IN_A_FILE = "write it to a file and name it FILE.py:NAME"
_OUR_PACKAGE = Path(__file__).resolve().parent.parent
_INSTALLED_FOLDERS = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})


class UserCode(ABC):
    """A class, an object or a function of a user. label -- what output calls it."""

    label: str

    def __str__(self) -> str:
        return self.label

    @property
    def identity(self) -> str:
        """The text by which a checkpoint knows the code; StrategyError if its source is unknown."""
        return f"{self.label}, source {self.digest()}"

    @abstractmethod
    def load(self) -> Any:
        """Return the class, the object or the function."""

    @abstractmethod
    def digest(self) -> str:
        """Return the digest of the source."""


@dataclass(frozen=True)
class CodeInFile(UserCode):
    """A class, object or function in a Python file, as the file was when it was chosen.

    path, content -- the file. attribute -- the name in it.
    """

    path: Path
    label: str
    attribute: str
    content: bytes = field(repr=False)

    @classmethod
    def of(cls, path: Path, attribute: str) -> CodeInFile:
        """Return the code of a name in a file, which is read now; StrategyError if it cannot be."""
        real_path = Path(os.path.realpath(path))
        if not real_path.is_file():
            raise StrategyError(f"there is no Python file {str(path)!r}; write FILE.py:NAME")
        try:
            content = read_bytes(real_path)
        except OSError as error:
            raise StrategyError(f"cannot read {str(path)!r}: {error.strerror}") from None
        return cls(real_path, f"{path}:{attribute}", attribute, content)

    @property
    def identity(self) -> str:
        """The text by which a checkpoint knows the code; it leaves out the folder of the file."""
        return f"{self.path.name}:{self.attribute}, source {self.digest()}"

    def load(self) -> Any:
        """Run the file, once per process, and return what its name stands for.

        Raises StrategyError if running it fails, or it does not define the name.
        """
        module = _run_module(self.path, self.content)
        if hasattr(module, self.attribute):
            return getattr(module, self.attribute)
        defined_names = [
            name for name, value in vars(module).items() if _is_defined_in(value, module.__name__)
        ]
        raise StrategyError(
            f"{relative_to_cwd(self.path)} has no {self.attribute!r}; it defines "
            f"{', '.join(defined_names) or 'nothing'}"
        )

    def digest(self) -> str:
        """Return the digest of the file."""
        return _digest_of(self.content)


class UserFunction(CodeInFile):
    """A function in a Python file."""

    @classmethod
    def of(cls, path: Path, attribute: str) -> UserFunction:
        """Return a function of a file, which is read and run now; StrategyError if that fails."""
        function = cls(**vars(CodeInFile.of(path, attribute)))
        if not callable(function.load()):
            raise StrategyError(
                f"{function} is {safe_repr(function.load())}; a function is accepted"
            )
        return function

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the function's parameters; empty if Python does not know them."""
        try:
            return tuple(signature(self.load()).parameters)
        except (TypeError, ValueError):
            return ()

    def __call__(self, *arguments: object, failure: FailureText) -> Any:
        """Call the function, and return what it returns; errors as in `call_user_code`."""
        return call_user_code(self.load(), *arguments, failure=failure)


def _digest_of(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()


@lru_cache(maxsize=16)
def _run_module(path: Path, content: bytes) -> ModuleType:
    """Run the content of a file as a module, once per process, and return the module."""
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    loader = SourceFileLoader(f"{path.stem}_{_digest_of(content)}", str(path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)

    def execute_content() -> None:
        exec(loader.source_to_code(content, str(path)), vars(module))

    sys.modules[loader.name] = module
    try:
        call_user_code(execute_content, failure=f"{relative_to_cwd(path)} cannot be run")
    except BaseException:
        del sys.modules[loader.name]
        raise
    return module


def _is_defined_in(value: object, module: str) -> bool:
    """True if a value is a class or a function that the module of this name defines."""
    return isinstance(value, type | FunctionType) and value.__module__ == module


@dataclass(frozen=True, eq=False)
class CodeObject(UserCode):
    """A class, an object or a function that a Python program passed.

    value -- the object itself. source -- the digest of its source; empty if that is not known.
    """

    value: object
    label: str
    source: str = ""

    def load(self) -> Any:
        """Return the object."""
        return self.value

    def digest(self) -> str:
        """Return the digest of the source; StrategyError if it is not known."""
        if not self.source:
            raise StrategyError("that of an object of a program is not known")
        return self.source

    def __reduce__(self) -> tuple[type[PickledCode], tuple[bytes, str, str]]:
        try:
            return PickledCode, (cloudpickle.dumps(self.value), self.label, self.source)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            failure = f"{self.label} cannot be sent to another process: {_exception_text(error)}"
        raise StrategyError(f"{failure}; {IN_A_FILE}, or give jobs=1")


@dataclass(frozen=True)
class PickledCode(UserCode):
    """A `CodeObject` as another process receives it. state -- the pickled object."""

    state: bytes = field(repr=False)
    label: str
    source: str

    def load(self) -> Any:
        """Unpickle the object, and return it; StrategyError if that fails."""
        failure = f"{self.label} cannot be made in another process"
        return call_user_code(pickle.loads, self.state, failure=failure)

    def digest(self) -> str:
        """Return the digest of the source; empty if it is not known."""
        return self.source


# Calls and their errors

FailureText = str | Callable[[], str]  # the beginning of an error, or a function that makes it


def call_user_code(function: Callable[..., Any], *arguments: object, failure: FailureText) -> Any:
    """Call a function of a user, and return its result.

    Whatever it raises becomes a StrategyError, which begins with `failure` and names the line of
    user code; only ctrl-C and a StrategyError go through.
    """
    try:
        return function(*arguments)
    except (KeyboardInterrupt, StrategyError):
        raise
    except BaseException as error:
        line = _line_raising(error) or _line_defining(function)
        start = failure if isinstance(failure, str) else failure()
        message = f"{start}: {_exception_text(error)}{_line_in_words(line)}"
    # Raised after the block, so that it does not carry the user's exception, which may not pickle.
    raise StrategyError(message)


class CodeLine(NamedTuple):
    """A line of code: its file, its number, and the function it is in, or an empty text."""

    file: str
    number: int
    function: str


def _exception_text(error: BaseException) -> str:
    """Return the type of an exception and its message, on one line."""
    try:
        text = one_line(str(error.msg if isinstance(error, SyntaxError) else error), 200)
    except Exception:
        text = "what it says cannot be printed"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _is_installed(file: str) -> bool:
    """True if a file belongs to this package, to Python or to an installed package."""
    is_ours = Path(file).is_relative_to(_OUR_PACKAGE)
    return is_ours or file.startswith((*_INSTALLED_FOLDERS, "<frozen"))


def _line_raising(error: BaseException) -> CodeLine | None:
    """Return the innermost line of user code that an exception went through, if any."""
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).is_file():
        return CodeLine(error.filename, error.lineno or 1, "")
    innermost = None
    for frame, number in walk_tb(error.__traceback__):
        if not _is_installed(frame.f_code.co_filename):
            innermost = CodeLine(frame.f_code.co_filename, number, frame.f_code.co_name)
    return innermost


def defined_at(function: object) -> str:
    """Return in words where a function is defined; empty if that is unknown."""
    return _line_in_words(_line_defining(function))


def _line_defining(function: object) -> CodeLine | None:
    """Return the first line of a function, or of the constructor of a class; None if unknown."""
    if isinstance(function, type):
        function = function.__init__  # type: ignore[misc]
    function = getattr(function, "__func__", function)  # that of a method
    code = getattr(function, "__code__", None)
    if code is None or Path(code.co_filename).is_relative_to(_OUR_PACKAGE):
        return None
    return CodeLine(code.co_filename, code.co_firstlineno, code.co_name)


def _line_in_words(line: CodeLine | None) -> str:
    """Return a line for the end of a message, as in ` (file.py, line 3, in f: return x)`."""
    if line is None:
        return ""
    linecache.checkcache(line.file)
    code = one_line(linecache.getline(line.file, line.number), 100)
    is_named = line.function and not line.function.startswith("<")  # <module>, <lambda>
    inside = f", in {line.function}" if is_named else ""
    quoted = f": {code}" if code else ""
    return f" ({relative_to_cwd(Path(line.file))}, line {line.number}{inside}{quoted})"


def safe_repr(value: object) -> str:
    """Return the `repr` of any value on one line of at most 80 characters; never fail."""
    try:
        return one_line(repr(value), 80)
    except Exception:  # a number of 5,000 digits, or a broken __repr__
        return f"a value of type {type(value).__name__} that cannot be printed"


def one_line(text: str, limit: int) -> str:
    """Return a text on one line of at most `limit` characters, with control characters escaped."""
    line = " ".join(text[: 4 * limit].split())
    line = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def relative_to_cwd(path: Path) -> str:
    """Return the text of a path, relative to the working folder if it is in it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):  # it is elsewhere, or the working folder was deleted
        return str(path)
