"""Code of one's own: loaded, named by a digest, and called with care.

Whatever it raises, also `SystemExit` and endless recursion, becomes one StrategyError that names
the file and the line; ctrl-C alone goes through. The error, and the code, can be sent to other
processes.
"""

from __future__ import annotations

import io
import linecache
import os
import pickle
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from inspect import signature
from pathlib import Path
from traceback import walk_tb
from types import FunctionType
from typing import Any

from optsearch.support.errors import StrategyError
from optsearch.support.own_source import ROOT, Source, imported_source, is_installed, near

IN_A_FILE = "write it to a file and name it FILE.py:NAME"


class Code(ABC):
    """Where a class, an object or a function of one's own comes from.

    label -- what is printed of it.
    """

    label: str

    def __str__(self) -> str:
        return self.label

    @property
    def name(self) -> str:
        """What names it in a checkpoint, beside the digest."""
        return self.label

    @property
    def identity(self) -> str:
        """Its name, and a digest of its source and its state; StrategyError if not known."""
        return f"{self.name}, source {self.digest()}"

    @abstractmethod
    def thing(self) -> Any:
        """What it is."""

    @abstractmethod
    def digest(self) -> str:
        """The digest of its source and its state."""

    def call(self, function: Callable[..., object], *arguments: object, says: Says) -> Any:
        """The value of a function that is a part of it; else as `careful`."""
        return careful(function, *arguments, says=says)


@dataclass(frozen=True)
class InFile(Code):
    """A name in a Python file, loaded anew in every process; the same source in all."""

    path: Path
    label: str
    attribute: str
    source: str

    @classmethod
    def of(cls, path: Path, attribute: str) -> InFile:
        """The name in a file as it is now."""
        whole = Path(os.path.realpath(path))
        if not whole.is_file():
            raise StrategyError(f"there is no Python file {str(path)!r}; write FILE.py:NAME")
        return cls(whole, f"{path}:{attribute}", attribute, Source(whole).digest)

    @property
    def name(self) -> str:
        """The file without its folder, for a run that goes on from another one."""
        return f"{self.path.name}:{self.attribute}"

    def thing(self) -> Any:
        """What the name in the file is."""
        return _run(self)[0]

    def digest(self) -> str:
        """The digest of the file and of what it imports from its folder."""
        return self.source

    def call(self, function: Callable[..., object], *arguments: object, says: Says) -> Any:
        """The same, while the names of modules mean those beside the file."""
        _run(self)[1].activate()
        return careful(function, *arguments, says=says)


class OwnFunction(InFile):
    """A function in a Python file."""

    @classmethod
    def of(cls, path: Path, attribute: str) -> OwnFunction:
        """The function of that name; StrategyError if there is none."""
        function = cls(**vars(InFile.of(path, attribute)))
        if not callable(function.thing()):
            raise StrategyError(
                f"{function} is {spelled(function.thing())}; a function is accepted"
            )
        return function

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters; none where Python does not know them."""
        try:
            return tuple(signature(self.thing()).parameters)
        except (TypeError, ValueError):
            return ()

    def __call__(self, *arguments: object, says: Says) -> Any:
        """Its value; else as `careful`."""
        return self.call(self.thing(), *arguments, says=says)


@lru_cache(maxsize=16)
def _run(code: InFile) -> tuple[Any, Source]:
    """What a name in a file is, and the source that it runs from."""
    source, path = Source(code.path), near(code.path)
    if source.digest != code.source:
        raise StrategyError(
            f"{path}, or a file that it imports from its folder, has changed since {code.label} "
            "was chosen; choose it again"
        )
    source.make_room()
    module = careful(source.load, says=f"{path} cannot be run")
    if not hasattr(module, code.attribute):
        own = [key for key, value in vars(module).items() if _is_of(value, module.__name__)]
        raise StrategyError(
            f"{code.attribute!r} is not there in {path}; it defines {', '.join(own) or 'nothing'}"
        )
    return getattr(module, code.attribute), source


def _is_of(thing: object, module: str) -> bool:
    """Whether a module defines a class or a function."""
    return isinstance(thing, type | FunctionType) and thing.__module__ == module


@dataclass(frozen=True, eq=False)
class Given(Code):
    """A class, an object or a function that a program gave."""

    given: object
    label: str

    def thing(self) -> Any:
        """What was given."""
        return self.given

    def digest(self) -> str:
        """The digest of its state and of the sources of all classes and functions in it."""
        state, modules = _packed(self.given)
        digest = blake2b(state, digest_size=8)
        for module in sorted(modules):
            source = imported_source(module)
            if source is not None:
                digest.update(f"{module} {source.digest}\n".encode())
        return digest.hexdigest()

    def __reduce__(self) -> tuple[type[Sent], tuple[bytes, str]]:
        try:
            state, modules = _packed(self.given)
            if "__main__" in modules and not getattr(sys.modules["__main__"], "__file__", None):
                raise StrategyError("only this process knows code that was typed into it")
        except StrategyError as error:
            raise StrategyError(
                f"{self.label} cannot be sent to another process: {error}; {IN_A_FILE}, or give "
                "jobs=1"
            ) from None
        return Sent, (state, self.label)


@dataclass(frozen=True)
class Sent(Code):
    """The same in another process."""

    state: bytes
    label: str

    def thing(self) -> Any:
        """What it is, made from its state."""
        says = f"{self.label} cannot be made in another process"
        return careful(pickle.loads, self.state, says=says)

    def digest(self) -> str:
        """As before it was sent."""
        return Given(self.thing(), self.label).digest()


class _Packer(pickle.Pickler):
    """Pickles, and notes the modules of all classes and functions."""

    def __init__(self, file: io.BytesIO):
        super().__init__(file, protocol=4)
        self.modules: set[str] = set()

    def reducer_override(self, thing: object) -> Any:
        """Nothing is reduced in another way."""
        if isinstance(thing, FunctionType):
            self.modules.add(str(thing.__module__))
        elif isinstance(thing, type):
            self.modules |= {str(kind.__module__) for kind in thing.__mro__}
        return NotImplemented


def _packed(thing: object) -> tuple[bytes, set[str]]:
    """The state of an object by which it is known, and the modules of all that is in it."""
    file = io.BytesIO()
    packer = _Packer(file)
    try:
        packer.dump(thing)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise StrategyError(f"it cannot be pickled ({_exception_text(error)})") from None
    own = {type(thing).__module__, getattr(thing, "__module__", None)}
    return file.getvalue(), {
        module
        for module in packer.modules
        if module in own or not is_installed(getattr(sys.modules.get(module), "__file__", "") or "")
    }


# Calls with care

Says = str | Callable[[], str]  # how the error begins, made when there is one


def careful(function: Callable[..., Any], *arguments: object, says: Says) -> Any:
    """The function's value; a StrategyError that begins with `says`, whatever it raises."""
    try:
        return function(*arguments)
    except (KeyboardInterrupt, StrategyError):
        raise
    except BaseException as error:
        where = _at(_raised_at(error) or _definition(function))
        failure = f"{says if isinstance(says, str) else says()}: {_exception_text(error)}{where}"
    # Outside, so that nothing of theirs goes along to another process: it may not be picklable.
    raise StrategyError(failure)


def _exception_text(error: BaseException) -> str:
    """The kind of an exception and what it says, on one line."""
    try:
        text = clipped(str(error.msg if isinstance(error, SyntaxError) else error), 200)
    except Exception:
        text = "what it says cannot be printed"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _raised_at(error: BaseException) -> tuple[str, int, str] | None:
    """The file, the line and the function in which somebody's own code raised an exception."""
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).is_file():
        return error.filename, error.lineno or 1, ""
    place = None
    for frame, line in walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        ours = Path(file).is_relative_to(ROOT) or is_installed(file) or file.startswith("<frozen")
        if not ours:
            place = file, line, frame.f_code.co_name
    return place


def defined_at(function: object) -> str:
    """Where a function is defined, in words, if that is known."""
    return _at(_definition(function))


def _definition(function: object) -> tuple[str, int, str] | None:
    """The file and the line in which a function is defined, if that is known."""
    if isinstance(function, type):
        function = function.__init__  # type: ignore[misc]
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None or Path(code.co_filename).is_relative_to(ROOT):
        return None
    return code.co_filename, code.co_firstlineno, code.co_name


def _at(place: tuple[str, int, str] | None) -> str:
    """A place in somebody's code in words."""
    if place is None:
        return ""
    file, line, name = place
    linecache.checkcache(file)
    code = clipped(linecache.getline(file, line), 100)
    inside = f", in {name}" if name and not name.startswith("<") else ""
    return f" ({near(Path(file))}, line {line}{inside}{f': {code}' if code else ''})"


def spelled(value: object, most: int = 80) -> str:
    """A value in at most so many characters on one line, whatever it is."""
    try:
        return clipped(repr(value), most)
    except Exception:  # a number of 5,000 digits, or a broken __repr__
        return f"a value of type {type(value).__name__} that cannot be printed"


def clipped(text: str, most: int) -> str:
    """A text on one line, without control characters, in at most so many of them."""
    line = " ".join(text[: 4 * most].split())
    line = "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in line)
    return line if len(line) <= most else line[: most - 1] + "…"
