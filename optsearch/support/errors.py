"""The errors that a user can cause; a message quotes what was given and says what is accepted."""

import re
from collections.abc import Callable
from unicodedata import category

_LONGEST = 200  # characters that are quoted whole: a path has its place
_SHOWN = 60  # of what is longer
_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+"""


def printable(text: str, escape: Callable[[str], str] = repr) -> str:
    """Return a text for a terminal, with control characters escaped, as in '\\x1b'.

    Marks of the direction of text are escaped, too; ends of lines stay. escape -- a function like
    `repr`, which returns the escape between quotes.
    """
    if text.isprintable():
        return text

    def escape_if_control(sign: str) -> str:
        is_control = category(sign).startswith("C") and sign != "\n"
        return escape(sign)[1:-1] if is_control else sign  # without the quotes

    return "".join(map(escape_if_control, text))


def _shorten(message: str) -> str:
    """Return a message in which long words and long quotations are cut, with three dots."""

    def cut(match: re.Match[str]) -> str:
        text = match[0]
        if len(text) <= _LONGEST:
            return text
        closing_quote = text[0] if text[0] in "'\"" else ""
        return f"{text[:_SHOWN]}...{closing_quote}"

    return re.sub(_QUOTED, cut, message)


class OptsearchError(ValueError):
    """Bad input, or a request that cannot be met; the command line prints it and exits with 2.

    Long words and quotations in the message are cut, and control characters are escaped.
    """

    def __init__(self, message: str = ""):
        super().__init__(printable(_shorten(message)))


class GameError(OptsearchError):
    """A game that cannot exist or a text that does not describe one."""


class PositionError(OptsearchError):
    """A malformed or contradictory position."""


class ImpossiblePosition(PositionError):
    """A well-formed position with which no configuration is compatible."""


class NotSupported(OptsearchError):
    """A request that is meaningful but that this part of the toolkit does not answer."""


class NotInstalled(OptsearchError):
    """A request that needs a library which is not installed.

    library -- its name. package -- what pip installs. hint -- what else helps; it is added to the
    message as it is. reason -- the message without "this" and the hint.
    """

    def __init__(self, library: str, package: str, hint: str = ""):
        missing = f"needs {library}, which is not installed"
        self.reason = f"{missing}; install it with: pip install {package}"
        super().__init__(f"this {self.reason}{hint}")


class TooLarge(OptsearchError):
    """A request that needs more memory or more cells than this part of the toolkit handles."""


class WorkerLost(OptsearchError):
    """A process that worked for this one was killed."""


class TableError(OptsearchError):
    """A table, cache or checkpoint on disk that cannot be opened, read, written or believed."""


class TreeError(OptsearchError):
    """A decision tree that cannot be read or that does not solve its position."""


class ProofError(OptsearchError):
    """A proof of optimality that cannot be read or does not prove what it says."""


class RecordError(OptsearchError):
    """A table of results or of published values that cannot be read or written."""


class StrategyError(OptsearchError):
    """A strategy that does not exist, cannot be loaded, or shoots where it cannot."""


class PuzzleError(OptsearchError):
    """A puzzle that is malformed, or that has no solution where one is needed."""
