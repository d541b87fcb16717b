"""A strategy of a user that the kernels play: a function of what is counted at a position.

A position of a game says how many configurations are left and how many of them have a ship on each
cell. A *score* is a function of these numbers, the node: it returns the cell to shoot, or it
fills in a number for each cell, and the highest is shot, the first one where several are:

    from optsearch import Score

    def near_half(node, scores):
        for cell in range(len(scores)):
            scores[cell] = -abs(2 * node.having[cell] - node.configurations)

    idea = Score(near_half)

`FILE.py:idea` then names a strategy everywhere. The function is compiled with numba, in every
process by itself, and the kernels call it without the GIL: millions of boards a second.
In plain Python the same function is the definition (`Score.shot`), with which the kernels are
compared. It sees nothing but the node, and may keep nothing.

Around the function a score plays as `greedy` does: with `endgame` configurations or fewer the
optimum; a certain hit before all else; with `least` configurations or fewer a most probable cell.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache, partial
from inspect import Parameter
from inspect import signature as parameters_of
from math import isnan
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled.strategies._score import (
    FAILED,
    HIT,
    HOLE,
    MISS,
    NO_ANSWER,
    NO_CELL,
    NO_CHOICE,
    NO_NUMBER,
    NO_SCORES,
    SCORES,
    UNKNOWN,
)
from optsearch.counting.configurations import Codes
from optsearch.game import Cell, Game, bits, cell_name
from optsearch.game.orders import ORDERS, order_of
from optsearch.game.position import HIT as REPLY_HIT
from optsearch.game.position import MISS as REPLY_MISS
from optsearch.game.position import Position, Shot
from optsearch.search.rules import (
    LEAST_RANGE,
    RANGES,
    CompiledScore,
    Rule,
    announced_lengths,
    checked_number,
    labels_at,
)
from optsearch.strategies import Strategy, as_strategy
from optsearch.strategies.greedy import Counts, counts_of, endgame_shot, fresh_cells
from optsearch.strategies.player import Player
from optsearch.support.errors import StrategyError
from optsearch.support.user_code import call_user_code, defined_at, one_line, safe_repr

OFF_BOARD = -3  # stands for a number that is no cell and that a kernel cannot take
_INT32_END = 1 << 31
Scores = NDArray[np.float64]


class ScoreNode(NamedTuple):
    """The position as a score's function sees it; arrays go by cell, row * columns + column.

    configurations -- the number left.
    having -- int64 (cells,): of each cell that can be shot, the configurations with it; else 0.
    state -- uint8 (cells,): UNKNOWN, MISS, HIT or HOLE. If hits tell nothing, a cell that all
        configurations have is HIT.
    lengths -- int32 (labels,): for each label that a hit can tell, the cells of the ship, or 0 if
        that is not told. A label is a ship that is sunk or named; where hits show ships, one for
        each ship that can lie on the cell. Empty if hits tell nothing.
    afloat -- int32 (labels,): the ships with each label not sunk yet, where sinkings are announced.
    labelled -- int64 (labels, cells): the configurations in which a hit on the cell tells a label.
        This and `afloat` are 0 unless they are asked for.
    constants -- float64: of the score.
    """

    configurations: int
    rows: int
    columns: int
    having: NDArray[np.int64]
    state: NDArray[np.uint8]
    lengths: NDArray[np.int32]
    afloat: NDArray[np.int32]
    labelled: NDArray[np.int64]
    constants: NDArray[np.float64]


@dataclass(frozen=True)
class Score:
    """A strategy by a function of a `ScoreNode`.

    function -- f(node) returns a cell, row * columns + column; f(node, scores) fills in float64
        (cells,), which is 0.
    constants -- numbers for `node.constants`, also infinite ones; other values need no new
        compiling.
    endgame -- up to this number of configurations, 0 to 10, the optimum is played.
    least -- up to this number of configurations a most probable cell is shot.
    ties -- which of several equally good cells is shot: first, last, checkerboard, central.
    labels -- True to fill in `node.afloat` and `node.labelled`, which takes longer.
    certain -- True to treat a certain hit like other cells if sinkings are announced.

    Raises StrategyError for a function that takes other arguments, and for options out of range.
    """

    function: Any
    constants: tuple[float, ...] = ()
    endgame: int = 4
    least: int = 0
    ties: str = "first"
    labels: bool = False
    certain: bool = False

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise StrategyError(
                f"{safe_repr(self.function)} is not a function; f(node) and f(node, scores) are "
                "accepted"
            )
        if count_arguments(self.function) not in (1, 2):
            raise StrategyError(
                f"{_name(self.function)} takes other arguments{defined_at(self.function)}; "
                "f(node) and f(node, scores) are accepted"
            )
        # The dataclass is frozen, so checked values are set past it.
        object.__setattr__(self, "constants", _checked_constants(self.constants))
        for name, (low, high) in {"endgame": RANGES["endgame"], "least": LEAST_RANGE}.items():
            object.__setattr__(self, name, checked_number(name, getattr(self, name), low, high))
        if self.ties not in ORDERS:
            raise StrategyError(f"ties={safe_repr(self.ties)}; {', '.join(ORDERS)} are accepted")
        for name in ("labels", "certain"):
            if getattr(self, name) not in (False, True):
                value = safe_repr(getattr(self, name))
                raise StrategyError(f"{name}={value}; True and False are accepted")

    @property
    def label(self) -> str:
        """The text of the score in output."""
        constants = one_line(", ".join(map(str, self.constants)), 60)
        return f"{_name(self.function)}({constants})" if constants else _name(self.function)

    def rule(self, game: Game) -> Rule | None:
        """Return the rule by which the compiled code plays this score in a game.

        The result is None if sinkings of very many ships are announced.
        """
        if not game.is_silent and not Codes.of(game).fit_kernels:
            return None
        return Rule(order_of(game, self.ties), self.endgame, score=self.compiled(game))

    def compiled(self, game: Game) -> CompiledScore:
        """Return the function as the kernels call it."""
        kernel, address = _compiled(self.function, len(self.constants))
        return CompiledScore(
            name=_name(self.function),
            constants=tuple(map(float, self.constants)),
            least=self.least,
            labels=self.labels,
            certain=self._scores_certain_hits(game),
            address=address,
            owner=kernel,
        )

    def _scores_certain_hits(self, game: Game) -> bool:
        """True if a certain hit is scored like other cells, not shot before them.

        That needs announced sinkings: elsewhere the time of a certain hit does not matter.
        """
        return self.certain and game.tells_sinkings

    def shot(self, position: Position) -> Cell:
        """Return the cell to shoot next: the definition, in plain Python."""
        return position.game.cell(self.cell(position, counts_of(position)))

    def cell(self, position: Position, counts: Counts) -> int:
        """Return the cell to shoot next, as row * columns + column.

        With few configurations it is the optimal or a most probable cell. Otherwise it is a certain
        hit, if these are not scored like other cells, or the one that the function chooses.
        """
        game, configurations = position.game, counts.configurations
        order = order_of(game, self.ties)
        if configurations <= self.endgame:
            return endgame_shot(position, order)
        fresh = fresh_cells(position, counts.cells, order)
        most_probable = max(fresh, key=counts.cells.__getitem__)
        is_certain = counts.cells[most_probable] == configurations
        is_small = configurations <= max(self.least, 1)
        if is_small or (is_certain and not self._scores_certain_hits(game)):
            return most_probable
        return self.best(position, counts, fresh)

    def salvo(self, position: Position, number: int) -> list[Cell]:
        """Return at most `number` cells to shoot together: certain hits, then the highest scores.

        With few configurations (`least`, `endgame`) the most probable cells are listed instead.
        Raises StrategyError for a function that returns a cell.
        """
        game, counts = position.game, counts_of(position)
        fresh = fresh_cells(position, counts.cells, order_of(game, self.ties))
        sort_keys: list[Any] = list(counts.cells)
        if counts.configurations > max(self.least, self.endgame, 1):
            scores = self.values(position, counts, fresh)
            is_certain = [count == counts.configurations for count in counts.cells]
            sort_keys = list(zip(is_certain, scores, strict=True))
        fresh.sort(key=sort_keys.__getitem__, reverse=True)
        return [game.cell(cell) for cell in fresh[:number]]

    def best(self, position: Position, counts: Counts, fresh: list[int]) -> int:
        """Return the cell that the function chooses among `fresh`, the cells that it may shoot.

        Raises StrategyError for another cell, and for a score that is not a number.
        """
        answer, scores = self._evaluate(position, counts, fresh)
        if answer == SCORES:
            return max(fresh, key=scores.__getitem__)
        if answer in fresh:
            return answer
        fault = NO_CHOICE if 0 <= answer < position.game.cells else NO_CELL
        raise _fault_error(self.function, position.game, fault, answer, str(position))

    def values(self, position: Position, counts: Counts, fresh: list[int]) -> list[float]:
        """Return the score of each cell of the board.

        Raises StrategyError if a cell of `fresh`, the cells that may be shot, has a score that is
        not a number, and for a function that returns a cell in place of scores.
        """
        answer, scores = self._evaluate(position, counts, fresh)
        if answer != SCORES:
            raise _fault_error(self.function, position.game, NO_SCORES, answer, str(position))
        values: list[float] = scores.tolist()
        return values

    def _evaluate(self, position: Position, counts: Counts, fresh: list[int]) -> tuple[int, Scores]:
        """Call the user's function; return its answer and the array of scores.

        The answer is the cell that it chooses, or SCORES if it has filled in a score for each cell.
        Raises StrategyError if the score of a cell in `fresh`, which may be shot, is not a number.
        """
        node = self._make_node(position, counts, fresh)
        scores = np.zeros(position.game.cells)
        answer = call_scorer(self.function, node, scores)
        not_numbers = [cell for cell in fresh if np.isnan(scores[cell])]
        if answer == SCORES and not_numbers:
            cell, after = not_numbers[0], str(position)
            raise _fault_error(self.function, position.game, NO_NUMBER, cell, after)
        return answer, scores

    def _make_node(self, position: Position, counts: Counts, fresh: list[int]) -> ScoreNode:
        """Return the position in the form that the user's function takes: numbers and arrays.

        fresh -- the cells that may be shot; all others have no configurations in `having`.
        """
        lengths = announced_lengths(position.game)
        having = np.zeros(position.game.cells, np.int64)
        having[fresh] = [counts.cells[cell] for cell in fresh]
        arrays = (
            having,
            self._states(position, counts),
            np.array(lengths, np.int32),
            self._ships_afloat(position, len(lengths)),
            self._label_counts(position.game, counts, fresh, len(lengths)),
            np.array(self.constants, np.float64),
        )
        for array in arrays:
            array.flags.writeable = False
        sizes = counts.configurations, position.game.rows, position.game.columns
        return ScoreNode._make((*map(np.int64, sizes), *arrays))

    @staticmethod
    def _states(position: Position, counts: Counts) -> NDArray[np.uint8]:
        """Return the state of each cell: UNKNOWN, MISS, HIT or HOLE (no cell of the board).

        If hits tell nothing, a cell where all configurations have a ship counts as HIT.
        """
        game = position.game
        state = np.full(game.cells, UNKNOWN, np.uint8)
        for cell in range(game.cells):
            for value, mask in ((MISS, position.misses), (HIT, position.hits), (HOLE, game.holes)):
                if mask >> cell & 1:
                    state[cell] = value
            if game.is_silent and counts.cells[cell] == counts.configurations:
                state[cell] = HIT
        return state

    def _ships_afloat(self, position: Position, label_count: int) -> NDArray[np.int32]:
        """Return, for each label that a hit can tell, how many of its ships are not sunk yet.

        The numbers are 0 unless the score asks for labels and sinkings are announced.
        """
        game = position.game
        afloat = np.zeros(label_count, np.int32)
        if self.labels and game.tells_sinkings:
            sunk = Counter(shot.reply.label for shot in position.shots if shot.reply.sunk)
            for index, label in enumerate(labels_at(game, 0)):
                ships = game.fleet.count(label) if label else len(game.fleet)
                afloat[index] = ships - sunk[label]
        return afloat

    def _label_counts(
        self, game: Game, counts: Counts, fresh: list[int], label_count: int
    ) -> NDArray[np.int64]:
        """Return how many configurations tell each label if each cell is hit: (labels, cells).

        A label is what a hit tells of the ship. The numbers are 0 unless the score asks for labels,
        and for cells that are not in `fresh`, which may be shot.
        """
        labelled = np.zeros((label_count, game.cells), np.int64)
        if self.labels and label_count:
            for cell in fresh:
                for index, label in enumerate(labels_at(game, cell)):
                    reply = game.announcement.reply_to_hit(label, is_sunk=True)
                    labelled[index, cell] = counts.replies[cell][reply]
        return labelled


def _checked_constants(values: Any) -> tuple[float, ...]:
    """Return the constants as a tuple, unconverted; StrategyError for nan and what is no number."""
    try:
        items = tuple(values) if not isinstance(values, str) else (values,)
    except TypeError:
        raise StrategyError(
            f"constants={safe_repr(values)} is not a tuple; numbers such as (0.9, 2) are accepted"
        ) from None
    for index, item in enumerate(items):
        try:
            is_number = not isinstance(item, str | bytes) and not isnan(float(item))
        except Exception:
            is_number = False
        if not is_number:
            raise StrategyError(
                f"constants[{index}]={safe_repr(item)} is not a number; numbers such as (0.9, 2) "
                "are accepted"
            )
    return items


class Scoring(Strategy):
    """A strategy of this package by a score."""

    @abstractmethod
    def score(self, game: Game) -> Score:
        """Return the score by which it plays a game."""

    def rule(self, game: Game) -> Rule | None:
        """Return its rule for the kernel; None if sinkings of very many ships are announced."""
        return _score(self, game).rule(game)

    def shot(self, position: Position) -> Cell:
        """Return the cell to shoot next, from exact counts."""
        return _score(self, position.game).shot(position)

    def salvo(self, position: Position, number: int) -> list[Cell]:
        """Return the cells to shoot together, the highest scores."""
        return _score(self, position.game).salvo(position, number)


@lru_cache(maxsize=16)
def _score(strategy: Scoring, game: Game) -> Score:
    """Return the score by which a strategy plays a game; every shot asks for it."""
    return strategy.score(game)


def score_of(strategy: Any, game: Game) -> Score:
    """Return the score by which a strategy plays a game; strategy -- from `scoring_named`."""
    return _score(strategy, game) if isinstance(strategy, Scoring) else strategy.score


def scoring_named(name: str) -> Any:
    """Return the strategy of a name, which must play by a score; StrategyError if it does not."""
    strategy = as_strategy(name)
    if isinstance(strategy, Scoring) or isinstance(getattr(strategy, "score", None), Score):
        return strategy
    raise StrategyError(
        f"{name!r} plays by no score; spread, bisection, information and FILE.py:NAME of a Score "
        "are accepted"
    )


def call_scorer(function: Any, node: ScoreNode, scores: Scores) -> int:
    """Call a user's function in plain Python; return the cell that it chooses, or SCORES.

    SCORES means that it has filled in `scores`, a number for each cell. Raises StrategyError if it
    fails or returns a value of a wrong type.
    """
    takes_scores = count_arguments(function) == 2
    arguments = (node, scores) if takes_scores else (node,)
    with np.errstate(all="ignore"):  # as the kernels: 1 / 0 is infinite
        answer = call_user_code(function, *arguments, failure=f"{_name(function)} fails")
    if takes_scores and answer is None:
        return SCORES
    is_integer = isinstance(answer, int | np.integer) and not isinstance(answer, bool)
    if takes_scores or not is_integer:
        raise _type_error(function, safe_repr(answer))
    return OFF_BOARD if answer in (SCORES, FAILED) else int(answer)  # no cell has these numbers


def scorer_error(
    strategy: Strategy, game: Game, fault: int, answer: int, hits: int, misses: int
) -> StrategyError:
    """Return the error for a wrong answer of a strategy's score, which a kernel has found.

    fault -- NO_CELL or another of these constants. hits, misses -- the cells shot before (masks).
    If the function itself has failed in a silent game, it is called again in plain Python, which
    raises the error with the line that failed.
    """
    replies = [(cell, REPLY_HIT) for cell in bits(hits)]
    replies += [(cell, REPLY_MISS) for cell in bits(misses)]
    if fault == NO_ANSWER and game.is_silent:
        shots = tuple(Shot(game.cell(cell), reply) for cell, reply in replies)
        strategy.shot(Position(game, shots))  # raises what the function does
    after = " ".join(f"{cell_name(game.cell(cell))}={reply}" for cell, reply in replies)
    return _fault_error(strategy, game, fault, answer, after)


def _type_error(function: Any, returned: str) -> StrategyError:
    """Return the error for a function that returns a value of a wrong type, given in words."""
    if count_arguments(function) == 2:
        form, accepted = "f(node, scores)", "nothing"
    else:
        form, accepted = "f(node)", "a cell, row * columns + column,"
    return StrategyError(
        f"{_name(function)} returns {returned}{defined_at(function)}; {accepted} is accepted, "
        f"since it is {form}"
    )


def _fault_error(scorer: object, game: Game, fault: int, answer: int, after: str) -> StrategyError:
    """Return the error for a wrong answer.

    scorer -- a player, or the function. fault -- NO_CELL or another of these constants. after --
    the text of the shots before.
    """
    is_cell = 0 <= answer < game.cells
    name = cell_name(game.cell(answer)) if is_cell else str(answer)
    number = "a negative or huge number" if answer == OFF_BOARD else answer
    problems = {
        NO_CELL: f"answers {number}, which is not a cell of the board,",
        NO_CHOICE: f"shoots {name}, which was shot before or is in no configuration,",
        NO_NUMBER: f"gives {name} a score that is not a number",
        NO_ANSWER: "raises an exception",
        NO_SCORES: f"answers the cell {name}, where scores are asked for,",
    }
    subject = scorer if isinstance(scorer, Player) else _name(scorer)
    when = f"after {after!r}" if after else "on the empty board"
    return StrategyError(
        f"{subject} {problems[fault]} {when}{defined_at(scorer)}; a number for each cell, or a "
        "cell, row * columns + column, that was not shot and that some configuration has, is "
        "accepted"
    )


# Compiled

_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


@lru_cache(maxsize=64)
def _compiled(function: Any, constant_count: int) -> tuple[Any, int]:
    """Compile a function; return the compiled object, and the address at which kernels call it.

    The object must be kept as long as the address is used. constant_count -- the length of
    `ScoreNode.constants`. Raises StrategyError for a function that numba cannot compile.
    """
    from numba.core.errors import NumbaError

    try:
        kernel = _wrap(function, constant_count)
    except NumbaError as error:
        lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()
        reason = next((line for line in lines if line and not line.startswith("Failed in")), "")
        raise StrategyError(
            f"{_name(function)} cannot be compiled by numba: {one_line(reason, 200)}"
            f"{defined_at(function)}; loops, numbers and arrays are, and functions that are "
            "@numba.njit themselves; classes, texts and changes of the node are not"
        ) from None
    return kernel, kernel.address


def _node_type() -> Any:
    """Return the type for which numba compiles: a node whose arrays are read-only."""
    from numba import types

    def array(item_type: Any, axes: int = 1) -> Any:
        return cast(Any, types.Array)(item_type, axes, "C", readonly=True)

    type_of_field: dict[str, Any] = {
        "configurations": types.int64,
        "rows": types.int32,
        "columns": types.int32,
        "having": array(types.int64),
        "state": array(types.uint8),
        "lengths": array(types.int32),
        "afloat": array(types.int32),
        "labelled": array(types.int64, axes=2),
        "constants": array(types.float64),
    }
    field_types = [type_of_field[name] for name in ScoreNode._fields]
    return cast(Any, types.NamedTuple)(field_types, ScoreNode)


def _wrap(function: Any, constant_count: int) -> Any:
    """Compile a user's function in the form in which `_score.pyx` calls it.

    The compiled function returns a cell, SCORES if the user's function fills in the scores, or
    FAILED if it raises. Raises StrategyError if it returns a value of a wrong type.
    """
    import numba
    from numba import types
    from numba.extending import intrinsic

    def read_only_array(_context: Any, array: Any) -> Any:
        """Return the array, read-only."""
        return array.copy(readonly=True)(array), lambda *arguments: arguments[3][0]

    read_only: Any = intrinsic(read_only_array)
    carray: Any = numba.carray  # type: ignore[attr-defined]
    answer = _compile_answer(function)

    def kernel(  # type: ignore[no-untyped-def]
        configurations,
        rows,
        columns,
        having,
        state,
        label_count,
        lengths,
        afloat,
        labelled,
        constants,
        scores,
    ):
        cells = rows * columns
        node = ScoreNode(
            configurations,
            rows,
            columns,
            read_only(carray(having, cells)),
            read_only(carray(state, cells)),
            read_only(carray(lengths, label_count)),
            read_only(carray(afloat, label_count)),
            read_only(carray(labelled, (label_count, cells))),
            read_only(carray(constants, constant_count)),
        )
        try:
            return answer(node, carray(scores, cells))
        except Exception:  # numba can catch no other
            return FAILED

    pointer: Any = types.CPointer
    signature = types.int32(  # of what `_score.pyx` calls
        *(types.int64, types.int32, types.int32, pointer(types.int64), pointer(types.uint8)),
        *(types.int32, pointer(types.int32), pointer(types.int32), pointer(types.int64)),
        *(pointer(types.float64), pointer(types.float64)),
    )
    return numba.cfunc(signature)(kernel)


def _compile_answer(function: Any) -> Any:
    """Compile a user's function as one of (node, scores) that returns a cell, or SCORES.

    Raises StrategyError if the user's function returns a value of a wrong type.
    """
    import numba
    from numba import types

    called_by_numba = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # alone
    compiled: Any = partial(numba.njit, error_model="numpy", boundscheck=True, **called_by_numba)
    user_function = compiled(getattr(function, "py_func", function))
    takes_scores = count_arguments(function) == 2
    node_type, scores_type = _node_type(), types.float64[::1]
    user_function.compile((node_type, scores_type) if takes_scores else (node_type,))
    returned = next(iter(user_function.overloads.values())).signature.return_type
    is_right_type = returned == types.none if takes_scores else isinstance(returned, types.Integer)
    if not is_right_type:
        unliteral: Any = types.unliteral
        raise _type_error(function, f"a value of the type {unliteral(returned)}")

    def fill_scores(node: Any, scores: Any) -> Any:
        user_function(node, scores)
        return SCORES

    def find_cell(node: Any, scores: Any) -> Any:
        cell = user_function(node)
        fits_32_bits = 0 <= cell < _INT32_END or -_INT32_END < cell < OFF_BOARD
        return cell if fits_32_bits else OFF_BOARD

    return compiled(fill_scores if takes_scores else find_cell)


def count_arguments(function: Any) -> int:
    """Count the arguments that a function needs, without those that have a default.

    Return 0 for an object whose signature cannot be read.
    """
    try:
        accepted = parameters_of(getattr(function, "py_func", function)).parameters.values()
    except (TypeError, ValueError):
        return 0
    return sum(each.default is each.empty and each.kind in _POSITIONAL for each in accepted)


def _name(function: Any) -> str:
    """Return the name of a function, or of the type of an object."""
    return str(getattr(function, "__qualname__", type(function).__name__))
