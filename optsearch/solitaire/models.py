"""Two integer programmes of a puzzle, solved by CP-SAT of OR-tools (the extra `puzzles`).

After W. J. M. Meuffels and D. den Hertog, Puzzle: Solving the Battleship Puzzle as an Integer
Programming Problem, INFORMS Transactions on Education 10(3), 2010, 156-162.

`ship` -- a variable per placement; at most one of those that meet a 2×2 window is used, which
    excludes overlap and contact.
`cell` -- seven symbols per cell, one of which holds: water, submarine, four ends, middle;
    implications stitch them into ships.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache
from threading import Thread
from typing import TYPE_CHECKING, Any

from optsearch.game import bits, placements
from optsearch.solitaire.puzzle import (
    BOTTOM,
    LEFT,
    MIDDLE,
    REVEALED,
    RIGHT,
    SHIP,
    SUBMARINE,
    TOP,
    WATER,
    Clue,
    Puzzle,
    Solution,
    sort_ships,
)
from optsearch.support.errors import NotInstalled, TooLarge

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel, CpSolver

MODELS = ("ship", "cell")
_SOON = 0.02  # seconds
IsTrue = Callable[[Any], bool]  # of a variable
_SYMBOLS = tuple(value for value in REVEALED if value != SHIP)


@dataclass(frozen=True)
class ModelSearch:
    """The result of CP-SAT on one model.

    solutions -- up to the limit. is_complete -- True if there are no others; False also if the time
        was over. variables, constraints -- their numbers in the model. build_seconds,
        solve_seconds -- processor time to build the model and to search it.
    """

    model: str
    solutions: tuple[Solution, ...]
    is_complete: bool
    variables: int
    constraints: int
    build_seconds: float
    solve_seconds: float

    @property
    def seconds(self) -> float:
        """Processor time to build the model and to search it."""
        return self.build_seconds + self.solve_seconds


def search(
    puzzle: Puzzle,
    limit: int = 1,
    model: str = "ship",
    time_limit: float | None = None,
    excluding: Solution | None = None,
) -> ModelSearch:
    """Find up to `limit` different solutions in one of the models; each is checked by the rules.

    excluding -- a known solution, to find only others.

    It uses one worker with a fixed seed, so that equal puzzles have equal answers. The time limit
    (seconds) includes building the model. Raises NotInstalled if OR-tools is not installed.
    """
    end = None if time_limit is None else time.monotonic() + time_limit
    cp_model()  # loaded before the clock starts
    started = time.process_time()
    built = BUILDERS[model](puzzle)
    if excluding is not None:
        built.exclude(excluding)
    size = (len(built.model.proto.variables), len(built.model.proto.constraints))
    build_seconds = time.process_time() - started
    solutions: list[Solution] = []
    is_complete = False
    while len(solutions) < limit:
        left = None if end is None else end - time.monotonic()
        solution, is_complete = _solve(built, left)
        if solution is None:
            break
        if solution in solutions or not puzzle.is_solved_by(solution):
            raise AssertionError(f"the {model} model has {solution} for {puzzle}")
        solutions.append(solution)
        is_complete = False
        built.exclude(solution)
    seconds = time.process_time() - started - build_seconds
    return ModelSearch(model, tuple(solutions), is_complete, *size, build_seconds, seconds)


def _solve(built: Model, seconds: float | None) -> tuple[Solution | None, bool]:
    """Return a solution of a model, or None and True if it has none; None and False out of time."""
    solver = _solver()
    if seconds is not None:
        if seconds <= 0:
            return None, False
        solver.parameters.max_time_in_seconds = seconds
    name = _run(solver, built.model)
    if name in ("OPTIMAL", "FEASIBLE"):
        return built.solution(solver.boolean_value), False
    if name == "MODEL_INVALID":
        raise AssertionError(built.model.validate())
    return None, name == "INFEASIBLE"


def _solver() -> CpSolver:
    solver: CpSolver = cp_model().CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.catch_sigint_signal = False  # it would treat ctrl-C as the end of the time
    solver.parameters.random_seed = 0
    # Presolve takes longer than it saves, with both models. It may also name variables that are no
    # assumptions: google/or-tools issue 5141.
    solver.parameters.cp_model_presolve = False
    return solver


def _run(solver: CpSolver, model: CpModel) -> str:
    """Solve a model, and return the name of the status.

    It runs in a thread, because Python handles ctrl-C only between its own steps. Then the search
    is stopped, and KeyboardInterrupt is raised when it has ended.
    """
    outcome: Future[Any] = Future()

    def work() -> None:
        try:
            outcome.set_result(solver.solve(model))
        except BaseException as error:
            outcome.set_exception(error)

    thread = Thread(target=work, daemon=True)
    try:  # the search may meet ctrl-C before `start` returns
        thread.start()
        status = outcome.result()
    except BaseException:
        while thread.is_alive():  # the search may not have begun at the first call
            solver.stop_search()
            thread.join(_SOON)
        raise
    return str(solver.status_name(status))


def cp_model() -> Any:
    """Return the module of CP-SAT; NotInstalled if it is missing."""
    try:
        from ortools.sat.python import cp_model as module
    except ModuleNotFoundError:
        raise not_installed() from None
    return module


def is_installed() -> bool:
    """True if CP-SAT can be used."""
    try:
        cp_model()
    except NotInstalled:
        return False
    return True


def not_installed() -> NotInstalled:
    """Return the error that OR-tools is missing, with the way to install it."""
    return NotInstalled(
        "CP-SAT of OR-tools",
        "ortools",
        ", or use --method count, which needs none and takes long on large puzzles",
    )


# The models


class Model(ABC):
    """A CP-SAT model of a puzzle.

    model -- of CP-SAT. occupied -- for each cell an expression that is 1 if a ship is there.
    """

    def __init__(self, puzzle: Puzzle):
        self.puzzle = puzzle
        self.model: CpModel = cp_model().CpModel()
        self.occupied: list[Any] = []

    @abstractmethod
    def solution(self, is_true: IsTrue) -> Solution:
        """Return the fleet that a solver has found, from the values of variables."""

    @abstractmethod
    def literals(self, solution: Solution) -> list[Any]:
        """Return the literals that are true in a fleet and determine it."""

    def exclude(self, solution: Solution) -> None:
        """Forbid one fleet."""
        self.model.add_bool_or([literal.negated() for literal in self.literals(solution)])

    def _add_counts(self) -> None:
        puzzle = self.puzzle
        for counts, masks in (
            (puzzle.row_counts, puzzle.row_masks),
            (puzzle.column_counts, puzzle.column_masks),
        ):
            for count, mask in zip(counts, masks, strict=True):
                if count is not None:
                    self.model.add(self._covered(mask) == count)

    def _covered(self, mask: int) -> Any:
        columns = self.puzzle.columns
        cells = (i * columns + j for i, j in self.puzzle.cells_of(mask))
        return sum(self.occupied[cell] for cell in cells)


class ShipModel(Model):
    """One variable per placement that the revealed cells allow."""

    def __init__(self, puzzle: Puzzle):
        super().__init__(puzzle)
        new = self.model.new_bool_var
        self.ships = {ship: new("") for n in puzzle.lengths for ship in puzzle.allowed(n)}
        self.add_rules(self.ships)
        self._add_counts()
        for cell, value in puzzle.revealed:
            if value != WATER:
                bit = puzzle.bit(cell)
                self.model.add_exactly_one(v for ship, v in self.ships.items() if ship & bit)

    def add_rules(self, ships: dict[int, Any]) -> None:
        """Add the rules: the number of ships of each length, and 2×2 windows."""
        puzzle = self.puzzle
        through, windows = _incidence(puzzle.rows, puzzle.columns, puzzle.lengths)
        self.occupied = [
            sum(ships[ship] for ship in on_cell if ship in ships) for on_cell in through
        ]
        for length in puzzle.lengths:
            chosen = [v for ship, v in ships.items() if ship.bit_count() == length]
            self.model.add(sum(chosen) == puzzle.fleet.count(length))
        for window in windows:
            self.model.add_at_most_one(ships[ship] for ship in window if ship in ships)

    def solution(self, is_true: IsTrue) -> Solution:
        """Return the ships whose variables are true."""
        return sort_ships(ship for ship, v in self.ships.items() if is_true(v))

    def literals(self, solution: Solution) -> list[Any]:
        """Return the variables of its ships."""
        return [self.ships[ship] for ship in solution]


@lru_cache(maxsize=4)
def _incidence(
    rows: int, columns: int, lengths: tuple[int, ...]
) -> tuple[list[list[int]], list[list[int]]]:
    """Return the placements through each cell, and those that meet each 2×2 window."""
    through: list[list[int]] = [[] for _ in range(rows * columns)]
    for length in lengths:
        for ship in placements(rows, columns, length):
            for cell in bits(ship):
                through[cell].append(ship)
    windows = []
    for i in range(max(1, rows - 1)):
        for j in range(max(1, columns - 1)):
            window = {
                ship
                for a in range(i, min(i + 2, rows))
                for b in range(j, min(j + 2, columns))
                for ship in through[a * columns + b]
            }
            windows.append(sorted(window))
    return through, windows


class CellModel(Model):
    """Seven symbols per cell, and a variable for each run of cells that may be a ship."""

    def __init__(self, puzzle: Puzzle):
        super().__init__(puzzle)
        new = self.model.new_bool_var
        cells = puzzle.rows * puzzle.columns
        self.symbols = [{symbol: new("") for symbol in _SYMBOLS} for _ in range(cells)]
        self.occupied = [1 - symbols[WATER] for symbols in self.symbols]
        for symbols in self.symbols:
            self.model.add_exactly_one(symbols.values())
        for i in range(puzzle.rows):
            for j in range(puzzle.columns):
                self._add_neighbours(i, j)
        self._add_fleet()
        self._add_counts()
        for (i, j), value in puzzle.revealed:
            symbols = self.symbols[i * puzzle.columns + j]
            if value == SHIP:
                self.model.add(symbols[WATER] == 0)
            else:
                self.model.add(symbols[value] == 1)

    def _at(self, i: int, j: int) -> dict[str, Any] | None:
        if 0 <= i < self.puzzle.rows and 0 <= j < self.puzzle.columns:
            return self.symbols[i * self.puzzle.columns + j]
        return None

    def _implies(self, symbol: Any, i: int, j: int, allowed: Iterable[str]) -> None:
        """Let a symbol allow only some symbols in another cell; off the board there is water."""
        other = self._at(i, j)
        if other is None:
            if WATER not in allowed:
                self.model.add(symbol == 0)
            return
        self.model.add_bool_or([symbol.negated(), *(other[name] for name in allowed)])

    def _add_neighbours(self, i: int, j: int) -> None:
        symbol = self.symbols[i * self.puzzle.columns + j]
        sides = {LEFT: (0, -1), RIGHT: (0, 1), TOP: (-1, 0), BOTTOM: (1, 0)}
        opposite = {LEFT: RIGHT, RIGHT: LEFT, TOP: BOTTOM, BOTTOM: TOP}
        for a, b in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            other = self._at(i + a, j + b)
            if other is not None:
                self.model.add_bool_or([symbol[WATER], other[WATER]])
        for side, (a, b) in sides.items():
            self._implies(symbol[SUBMARINE], i + a, j + b, (WATER,))
            for end in sides:
                # The left end of a ship goes on to the right, in the middle or the right end.
                goes_on = side == opposite[end]
                self._implies(symbol[end], i + a, j + b, (MIDDLE, side) if goes_on else (WATER,))
            # A middle goes on to opposite sides: both or none of each pair, and one pair.
            other, across = self._at(i + a, j + b), self._at(i - a, j - b)
            if other is not None:
                self.model.add_bool_or(
                    [symbol[MIDDLE].negated(), other[WATER], other[MIDDLE], other[side]]
                )
                if across is None:
                    self.model.add_bool_or([symbol[MIDDLE].negated(), other[WATER]])
                else:
                    self.model.add_bool_or(
                        [symbol[MIDDLE].negated(), other[WATER], across[WATER].negated()]
                    )
        beside, above = self._at(i, j + 1), self._at(i + 1, j)
        pair = [neighbour for neighbour in (beside, above) if neighbour is not None]
        self.model.add_bool_or([symbol[MIDDLE].negated(), *(n[WATER].negated() for n in pair)])
        if len(pair) == 2:
            self.model.add_bool_or([symbol[MIDDLE].negated(), *(n[WATER] for n in pair)])

    def _add_fleet(self) -> None:
        """Require as many runs of end, middles and end as the fleet has ships of that length."""
        puzzle = self.puzzle
        for length in puzzle.lengths:
            if length == 1:
                runs = [symbols[SUBMARINE] for symbols in self.symbols]
            else:
                runs = [self._run(ship) for ship in placements(puzzle.rows, puzzle.columns, length)]
            self.model.add(sum(runs) == puzzle.fleet.count(length))
        self.model.add(sum(self.occupied) == sum(puzzle.fleet))

    def _run(self, ship: int) -> Any:
        """Return a variable that is true exactly if these cells are one ship."""
        puzzle = self.puzzle
        pieces = [
            self.symbols[i * puzzle.columns + j][puzzle.piece(ship, (i, j))]
            for i, j in puzzle.cells_of(ship)
        ]
        run = self.model.new_bool_var("")
        for piece in pieces:
            self.model.add_implication(run, piece)
        self.model.add_bool_or([run, *(piece.negated() for piece in pieces)])
        return run

    def solution(self, is_true: IsTrue) -> Solution:
        """Return the ships, each followed from its left or top end."""
        puzzle, ships = self.puzzle, []
        values = [
            next(symbol for symbol in _SYMBOLS if is_true(symbols[symbol]))
            for symbols in self.symbols
        ]
        for index, symbol in enumerate(values):
            step = {SUBMARINE: 0, LEFT: 1, TOP: puzzle.columns}.get(symbol)
            if step is None:
                continue
            ship, last = 1 << index, {LEFT: RIGHT, TOP: BOTTOM}.get(symbol, SUBMARINE)
            while values[index] != last:
                index += step
                ship |= 1 << index
            ships.append(ship)
        return sort_ships(ships)

    def literals(self, solution: Solution) -> list[Any]:
        """Return, for each cell of a ship, the literal that it is not water."""
        covered = sum(solution)
        return [s[WATER].negated() for i, s in enumerate(self.symbols) if covered >> i & 1]


BUILDERS: dict[str, Callable[[Puzzle], Model]] = {"ship": ShipModel, "cell": CellModel}


# Clues that conflict


class _ClueModel(ShipModel):
    """The ship model in which each clue holds if its own variable is true."""

    def __init__(self, puzzle: Puzzle):
        Model.__init__(self, puzzle)
        new = self.model.new_bool_var
        self.ships = {
            ship: new("")
            for n in puzzle.lengths
            for ship in placements(puzzle.rows, puzzle.columns, n)
        }
        self.add_rules(self.ships)
        self.switches = {clue: new("") for clue in puzzle.clues}
        for clue, switch in self.switches.items():
            if isinstance(clue.place, tuple):
                i, j = clue.place
                if clue.value != WATER:
                    covered = self.occupied[i * puzzle.columns + j]
                    self.model.add(covered == 1).only_enforce_if(switch)
                for ship, v in self.ships.items():
                    if not puzzle.agrees(ship, clue):
                        self.model.add_implication(switch, v.negated())
            else:
                covered = self._covered(puzzle.mask(clue))
                self.model.add(covered == clue.value).only_enforce_if(switch)

    def core(self, clues: Iterable[Clue], seconds: float | None) -> list[Clue] | None:
        """Return clues among these that cannot hold together; None if all can."""
        chosen = list(clues)
        self.model.clear_assumptions()
        self.model.add_assumptions([self.switches[clue] for clue in chosen])
        solver = _solver()
        if seconds is not None:
            solver.parameters.max_time_in_seconds = max(seconds, 0.01)
        name = _run(solver, self.model)
        if name == "INFEASIBLE":
            named = set(solver.sufficient_assumptions_for_infeasibility())
            core = [clue for clue in chosen if self.switches[clue].index in named]
            return core if len(core) == len(named) else chosen
        if name in ("OPTIMAL", "FEASIBLE"):
            return None
        raise TooLarge(f"whether the clues of {self.puzzle} conflict was not found out in time")


def conflict(puzzle: Puzzle, time_limit: float | None = None) -> tuple[Clue, ...] | None:
    """Return a minimal set of clues that have no solution together; None if there is a solution.

    Empty if the fleet does not fit on the grid. Raises TooLarge if the time (seconds) is over.
    """
    end = None if time_limit is None else time.monotonic() + time_limit
    model = _ClueModel(puzzle)

    def core(clues: Iterable[Clue]) -> list[Clue] | None:
        return model.core(clues, None if end is None else end - time.monotonic())

    return needed_clues(puzzle, core)


def needed_clues(
    puzzle: Puzzle, core: Callable[[list[Clue]], list[Clue] | None]
) -> tuple[Clue, ...] | None:
    """Return a minimal set of clues that have no solution together; None if there is a solution.

    core -- returns some of the clues it is given that have no solution together, or None. They may
    be more than are needed, so this function tries to do without each of them.
    """
    untested = core(list(puzzle.clues))
    if untested is None:
        return None
    needed: list[Clue] = []
    while untested:
        clue = untested.pop()
        smaller = core([*needed, *untested])
        if smaller is None:
            needed.append(clue)
        else:
            untested = [other for other in untested if other in smaller]
    return tuple(clue for clue in puzzle.clues if clue in needed)


def conflict_text(puzzle: Puzzle, clues: tuple[Clue, ...]) -> str:
    """Return a line that says why there is no solution: the clues, and their lines in the file."""
    if not clues:
        return f"the fleet {puzzle.fleet_text} does not fit on the grid {puzzle.grid}"
    reasons = ", ".join(_quoted(puzzle, clues))
    total = sum(puzzle.fleet)
    for kind, counts in (("row", puzzle.row_counts), ("column", puzzle.column_counts)):
        of_kind = [clue for clue in clues if clue.kind == kind]
        count_sum = sum(int(clue.value) for clue in of_kind)
        if len(of_kind) == len(counts) == len(clues) and total != count_sum:
            return (
                f"{reasons}: the counts add up to {count_sum}, and the fleet {puzzle.fleet_text} "
                f"has {total} cells"
            )
    verb = "cannot hold" if len(clues) == 1 else "cannot hold together"
    return f"{reasons}: {verb} with the fleet {puzzle.fleet_text}"


def _quoted(puzzle: Puzzle, clues: tuple[Clue, ...]) -> Iterator[str]:
    lines: dict[str, list[str]] = {}
    for clue in clues:
        lines.setdefault(puzzle.lines.get(clue, ""), []).append(str(clue))
    for line, names in lines.items():
        yield ", ".join(names) + (f" ({line})" if line else "")
