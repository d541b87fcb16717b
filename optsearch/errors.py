"""The errors a user can cause; each message quotes what was given and says what is accepted."""


class OptsearchError(ValueError):
    """Bad input or a request that cannot be met; the command line prints it and exits with 2."""


class GameError(OptsearchError):
    """A game that cannot exist or a text that does not describe one."""


class PositionError(OptsearchError):
    """A malformed or contradictory position."""


class ImpossiblePosition(PositionError):
    """A well-formed position with which no configuration is compatible."""


class NotSupported(OptsearchError):
    """A request that is meaningful but that this part of the toolkit does not answer."""


class TooLarge(OptsearchError):
    """A request that needs more memory or more cells than this part of the toolkit handles."""


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
