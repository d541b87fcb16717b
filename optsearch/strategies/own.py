"""Strategies of one's own: code of somebody else, asked with care.

Whatever it raises, also `SystemExit` and endless recursion, becomes one StrategyError that names
the file, the line and the position; ctrl-C alone goes through. The error, and the strategy, can be
sent to other processes.
"""

from __future__ import annotations

import io
import linecache
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from inspect import signature
from operator import index
from pathlib import Path
from traceback import walk_tb
from types import FunctionType
from typing import Any

import numpy as np

from optsearch.errors import StrategyError
from optsearch.game import Cell, Game, cell_name
from optsearch.position import Position
from optsearch.strategies import Strategy
from optsearch.strategies.player import Player, Playing
from optsearch.strategies.rules import PatternRule, Rule, clipped, shown
from optsearch.strategies.source import ROOT, Modules, Source, imported_source, is_installed, near

_FORM = (
    "a strategy is a class with the method shot(position), an object of one, or a function of the "
    "position; a player by chance or memory has begin(game, generator)"
)
_IN_A_FILE = "write the strategy to a file and name it FILE.py:NAME"


def own(thing: object) -> Own | OwnPlayer:
    """The player that a class, an object or a function is."""
    if isinstance(thing, type) or not isinstance(thing, Player):
        label = getattr(thing, "__qualname__", None)
        if not isinstance(label, str):
            label = shown(thing)
            if " at 0x" in label:  # an address, which says nothing
                label = type(thing).__qualname__
    else:
        label = _careful(str, thing, says=f"a {type(thing).__name__} cannot be printed")
    return _player(label, Given(thing, label))


def own_in_file(path: Path, name: str) -> Own | OwnPlayer:
    """The player that a name in a Python file is."""
    code = InFile.of(path, name)
    return _player(code.label, code)


def own_in_package(name: str, load: Callable[[], object]) -> Own | OwnPlayer:
    """The player that an installed package has under a name."""
    thing = _careful(load, says=f"{name} of an installed package cannot be loaded")
    return _player(name, Given(thing, name))


def _player(label: str, code: InFile | Given | Sent) -> Own | OwnPlayer:
    """The player that code makes; StrategyError if it makes none."""
    strategy = Own(label, code)
    return strategy if strategy.is_strategy else OwnPlayer(label, code)


class _OfCode(Player):
    """A player made of code that is not of this package.

    label -- what is printed of it. code -- where the code comes from; made in every process anew.
    """

    def __init__(self, label: str, code: InFile | Given | Sent):
        self._label = label
        self._code = code

    def __reduce__(self) -> tuple[type[_OfCode], tuple[str, InFile | Given | Sent]]:
        return type(self), (self._label, self._code)

    def __str__(self) -> str:
        return self._label

    @property
    def is_strategy(self) -> bool:
        """Whether its code goes by the position; StrategyError if it makes no player at all."""
        return self._subject.begin is None

    @cached_property
    def _subject(self) -> _Subject:
        return self._code.subject()

    def identity(self) -> str:
        """Its label, and a digest of its source and of its state.

        Raises StrategyError where the source of what runs is not known.
        """
        try:
            return f"{self._code.name(self._label)}, source {self._code.digest()}"
        except StrategyError as error:
            raise StrategyError(
                f"{self} cannot have a checkpoint, which is known by the strategy's source: "
                f"{error}; {_IN_A_FILE}"
            ) from None


class Own(_OfCode, Strategy):
    """A strategy of one's own."""

    def shot(self, position: Position) -> Cell:
        """What its code shoots, if that is a cell which can be shot."""
        return _shot(self, self._subject, self._subject.shot, position)

    def rule(self, game: Game) -> Rule | PatternRule | None:
        """The rule that its code gives for a game, if it has one."""
        subject = self._subject
        if subject.rule is None:
            return None
        rule = subject.call(subject.rule, game, says=f"the rule of {self} fails for {game}")
        if rule is None or isinstance(rule, Rule | PatternRule):
            return rule
        raise StrategyError(
            f"the rule of {self} for {game} is {shown(rule)}{_at(_definition(subject.rule))}; a "
            "Rule, a PatternRule or None is accepted"
        )


class OwnPlayer(_OfCode):
    """A player of one's own, who begins every game."""

    def begin(self, game: Game, generator: np.random.Generator) -> Playing:
        """What its code gives for a game, its shots checked."""
        subject = self._subject
        assert subject.begin is not None
        says = f"{self} cannot begin a game of {game}"
        playing = subject.call(subject.begin, game, generator, says=says)
        shot = _careful(getattr, playing, "shot", None, says=f"{self} has no shot to ask for")
        if not callable(shot):
            raise StrategyError(
                f"begin of {self} returns {shown(playing)}{_at(_definition(subject.begin))}; an "
                "object with the method shot(position) is accepted"
            )
        return _OwnGame(self, subject, shot)


@dataclass(frozen=True)
class _OwnGame:
    """A game of a player of one's own."""

    player: OwnPlayer
    subject: _Subject
    function: Callable[[Position], object]

    def shot(self, position: Position) -> Cell:
        """What its code shoots, if that is a cell which can be shot."""
        return _shot(self.player, self.subject, self.function, position)


def _shot(
    player: Player, subject: _Subject, function: Callable[[Position], object], position: Position
) -> Cell:
    """What code shoots, if that is a cell which can be shot."""
    when = _when(position)
    answer = subject.call(function, position, says=f"{player} fails {when}")
    cell = _cell(answer)
    if cell is None or cell not in position.game:
        what = "is no cell of the board"
    elif position.game.bit(cell) & position.closed:
        what = "was shot before"
    else:
        return cell
    there = cell_name(cell) if cell is not None and cell in position.game else shown(answer)
    raise StrategyError(
        f"{player} shoots {there} {when}, which {what}{_at(_definition(function))}; a shot is a "
        "cell (row, column), from 0, that was not shot yet"
    )


@dataclass(frozen=True)
class _Subject:
    """What is asked, and the modules of the code.

    A function for the shot and perhaps one for the rule; or one that begins a game.
    """

    shot: Callable[[Position], object]
    rule: Callable[[Game], object] | None
    begin: Callable[[Game, np.random.Generator], object] | None
    modules: Modules | None

    def call(self, function: Callable[..., object], *arguments: object, says: str) -> Any:
        """The function's value, asked with care."""
        if self.modules is not None:
            self.modules.activate()
        return _careful(function, *arguments, says=says)


def _subject(thing: object, label: str, modules: Modules | None = None) -> _Subject:
    """What is asked of a class, of which an object is made, of an object, or of a function."""

    def attribute(name: str) -> Any:
        value = _careful(getattr, thing, name, None, says=f"{label} has no {name} to ask for")
        return value if callable(value) else None

    if isinstance(thing, type):
        if not any(callable(getattr(thing, name, None)) for name in ("shot", "begin")):
            raise StrategyError(f"{label} is a class without the method shot(position); {_FORM}")
        thing = _careful(thing, says=f"{label} cannot be made")
    begin = None if isinstance(thing, Strategy) else attribute("begin")
    if begin is not None:
        return _Subject(_never, None, begin, modules)
    shot = attribute("shot")
    if shot is not None:
        return _Subject(shot, attribute("rule"), None, modules)
    if not callable(thing):
        raise StrategyError(f"{label} is {shown(thing)}; {_FORM}")
    return _Subject(thing, None, None, modules)


def _never(position: Position) -> object:
    """The shot of a player outside a game."""
    raise AssertionError("a player who begins games is asked for shots in them")


def replay(strategy: Strategy, over: Position, start: int) -> None:
    """Ask for the shots of a game again, in order, from one on.

    Raises StrategyError unless they are the same: then there is no decision tree.
    """
    for number, shot in enumerate(over.shots[start:], start):
        position = Position(over.game, over.shots[:number])
        again = strategy.shot(position)
        if again != shot.cell:
            raise StrategyError(
                f"{strategy} is not deterministic: {_when(position)} it shoots "
                f"{cell_name(shot.cell)}, and {cell_name(again)} when it is asked again; it must "
                "go by the position alone"
            )


def _when(position: Position) -> str:
    return f"after {str(position)!r}" if position.shots else "on the empty board"


# Where code comes from


@dataclass(frozen=True)
class InFile:
    """A name in a Python file, loaded anew in every process; the same source in all."""

    path: Path
    label: str
    attribute: str
    source: str

    @classmethod
    def of(cls, path: Path, attribute: str) -> InFile:
        """The name in a file as it is now."""
        whole = path.resolve()
        if not whole.is_file():
            raise StrategyError(f"there is no Python file {str(path)!r}; write FILE.py:NAME")
        return cls(whole, f"{path}:{attribute}", attribute, Source.read(whole).digest)

    def subject(self) -> _Subject:
        """What the name in the file is; loaded once a process."""
        return _loaded(self)

    def name(self, label: str) -> str:
        """The file without its folder, for a run that goes on from another one."""
        return f"{self.path.name}:{self.attribute}"

    def digest(self) -> str:
        """The digest of the file and of what it imports from its folder."""
        return self.source


@lru_cache(maxsize=16)
def _loaded(code: InFile) -> _Subject:
    thing, modules = _run(code)
    return _subject(thing, code.label, modules)


@lru_cache(maxsize=16)
def _run(code: InFile) -> tuple[Any, Modules]:
    """What a name in a file is, and the modules of the file."""
    source = Source.read(code.path)
    path = near(code.path)
    if source.digest != code.source:
        raise StrategyError(
            f"{path}, or a file that it imports from its folder, has changed since {code.label} "
            "was chosen; choose it again"
        )
    modules = Modules(source)
    modules.make_room()
    module = _careful(modules.load, says=f"{path} cannot be run")
    if not hasattr(module, code.attribute):
        raise StrategyError(f"{code.attribute!r} is not there in {path}; {_FORM}")
    return getattr(module, code.attribute), modules


@dataclass(frozen=True)
class OwnFunction:
    """A function of one's own in a file, called with care."""

    code: InFile

    @classmethod
    def of(cls, path: Path, name: str) -> OwnFunction:
        """The function of that name; StrategyError if there is none."""
        function = cls(InFile.of(path, name))
        thing, _ = _run(function.code)
        if not callable(thing):
            raise StrategyError(f"{function} is {shown(thing)}; a function is accepted")
        return function

    def __str__(self) -> str:
        return self.code.label

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters; none where Python does not know them."""
        function, _ = _run(self.code)
        try:
            return tuple(signature(function).parameters)
        except (TypeError, ValueError):
            return ()

    def __call__(self, *arguments: object, says: str) -> Any:
        """Its value; a StrategyError that begins with `says`, whatever it raises."""
        function, modules = _run(self.code)
        modules.activate()
        return _careful(function, *arguments, says=says)

    @property
    def identity(self) -> str:
        """Its name, and a digest of its source."""
        return f"{self.code.name('')}, source {self.code.digest()}"


@dataclass(frozen=True)
class Given:
    """A class, an object or a function that a program gave."""

    thing: object
    label: str

    def subject(self) -> _Subject:
        """What it is."""
        return _subject(self.thing, self.label)

    def name(self, label: str) -> str:
        """What is printed of it."""
        return label

    def digest(self) -> str:
        """The digest of its state and of the sources of all classes and functions in it."""
        state, modules = _packed(self.thing)
        digest = blake2b(state, digest_size=8)
        for module in sorted(modules):
            source = imported_source(module)
            if source is not None:
                digest.update(f"{module} {source.digest}\n".encode())
        return digest.hexdigest()

    def __reduce__(self) -> tuple[type[Sent], tuple[bytes, str]]:
        try:
            state, modules = _packed(self.thing)
            if "__main__" in modules and not getattr(sys.modules["__main__"], "__file__", None):
                raise StrategyError("what was typed into this process is known to it alone")
        except StrategyError as error:
            raise StrategyError(
                f"{self.label} cannot be sent to another process: {error}; {_IN_A_FILE}, or give "
                "jobs=1"
            ) from None
        return Sent, (state, self.label)


@dataclass(frozen=True)
class Sent:
    """The same in another process."""

    state: bytes
    label: str

    def subject(self) -> _Subject:
        """What it is; unpacked once a process."""
        return _unpacked(self)

    def name(self, label: str) -> str:
        """What is printed of it."""
        return label

    def digest(self) -> str:
        """As before it was sent."""
        return Given(_unpickled(self), self.label).digest()


def _unpickled(code: Sent) -> object:
    return _careful(
        pickle.loads, code.state, says=f"{code.label} cannot be made in another process"
    )


@lru_cache(maxsize=16)
def _unpacked(code: Sent) -> _Subject:
    return _subject(_unpickled(code), code.label)


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


def _careful(function: Callable[..., Any], *arguments: object, says: str) -> Any:
    """The function's value; a StrategyError that begins with `says`, whatever it raises."""
    try:
        return function(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        where = _at(_raised_at(error) or _definition(function))
        failure = f"{says}: {_exception_text(error)}{where}"
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


def _cell(answer: object) -> Cell | None:
    """A pair of integers of any kind as a cell; None for anything else."""
    if not isinstance(answer, tuple) or len(answer) != 2:
        return None
    try:
        return int(index(answer[0])), int(index(answer[1]))
    except Exception:
        return None
