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
_SECONDS_TO_STOP = 0.02  # before a search that did not stop is told again
IsTrue = Callable[[Any], bool]  # the value of a variable that a solver has found
_SYMBOLS = tuple(value for value in REVEALED if value != SHIP)
_STEPS = {LEFT: (0, -1), RIGHT: (0, 1), TOP: (-1, 0), BOTTOM: (1, 0)}  # rows and columns to go
_OPPOSITE = {LEFT: RIGHT, RIGHT: LEFT, TOP: BOTTOM, BOTTOM: TOP}


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
    """Find up to `limit` different solutions of a puzzle by CP-SAT.

    Each solution is checked by the rules. CP-SAT has one worker and a fixed seed, so that equal
    puzzles have equal answers.

    model -- one of `MODELS`. time_limit -- seconds, which include building the model. excluding --
    a known solution, which is not found again.

    Raises NotInstalled if OR-tools is not installed.
    """
    deadline = None if time_limit is None else time.monotonic() + time_limit
    cp_model()  # loads OR-tools before the clock starts
    started = time.process_time()
    built_model = BUILDERS[model](puzzle)
    if excluding is not None:
        built_model.exclude(excluding)
    proto = built_model.model.proto
    variables, constraints = len(proto.variables), len(proto.constraints)
    build_seconds = time.process_time() - started
    solutions: list[Solution] = []
    is_complete = False
    while len(solutions) < limit:
        seconds_left = None if deadline is None else deadline - time.monotonic()
        solution, is_complete = _find_solution(built_model, seconds_left)
        if solution is None:
            break
        if solution in solutions or not puzzle.is_solved_by(solution):
            raise AssertionError(f"the {model} model has {solution} for {puzzle}")
        solutions.append(solution)
        is_complete = False
        built_model.exclude(solution)
    seconds = time.process_time() - started - build_seconds
    return ModelSearch(
        model, tuple(solutions), is_complete, variables, constraints, build_seconds, seconds
    )


def _find_solution(built_model: Model, seconds: float | None) -> tuple[Solution | None, bool]:
    """Return a solution of a model or None, and True if it is proved that there is none.

    (None, False) if the seconds were over first.
    """
    solver = _make_solver()
    if seconds is not None:
        if seconds <= 0:
            return None, False
        solver.parameters.max_time_in_seconds = seconds
    status = _solve_in_thread(solver, built_model.model)
    if status in ("OPTIMAL", "FEASIBLE"):
        return built_model.solution(solver.boolean_value), False
    if status == "MODEL_INVALID":
        raise AssertionError(built_model.model.validate())
    return None, status == "INFEASIBLE"


def _make_solver() -> CpSolver:
    solver: CpSolver = cp_model().CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.catch_sigint_signal = False  # it would treat ctrl-C as the end of the time
    solver.parameters.random_seed = 0
    # Presolve takes longer than it saves, with both models. It may also name variables that are no
    # assumptions: google/or-tools issue 5141.
    solver.parameters.cp_model_presolve = False
    return solver


def _solve_in_thread(solver: CpSolver, model: CpModel) -> str:
    """Solve a model, and return the name of the status.

    The solver runs in a thread of its own, because Python handles ctrl-C only between its own
    steps. After ctrl-C the search is stopped, and KeyboardInterrupt is raised once it has ended.
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
            thread.join(_SECONDS_TO_STOP)
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
        """Require the number of ship cells of each row and column that has a count."""
        puzzle = self.puzzle
        for counts, masks in (
            (puzzle.row_counts, puzzle.row_masks),
            (puzzle.column_counts, puzzle.column_masks),
        ):
            for count, mask in zip(counts, masks, strict=True):
                if count is not None:
                    self.model.add(self._count_occupied(mask) == count)

    def _count_occupied(self, mask: int) -> Any:
        """Return the expression of the number of ship cells in a mask."""
        return sum(self.occupied[index] for index in bits(mask))


class ShipModel(Model):
    """One variable per placement that the revealed cells allow."""

    def __init__(self, puzzle: Puzzle):
        super().__init__(puzzle)
        new_variable = self.model.new_bool_var
        self.ships = {
            ship: new_variable("") for length in puzzle.lengths for ship in puzzle.allowed(length)
        }
        self.add_rules(self.ships)
        self._add_counts()
        for cell, value in puzzle.revealed:
            if value != WATER:
                bit = puzzle.bit(cell)
                self.model.add_exactly_one(
                    is_used for ship, is_used in self.ships.items() if ship & bit
                )

    def add_rules(self, ships: dict[int, Any]) -> None:
        """Add the rules of the fleet to the model: how many ships, and that no two touch.

        For each length as many placements are used as the fleet has ships of it. At most one ship
        may have a cell in each 2×2 window.

        ships -- for each placement (mask) that may be used, the variable that is true if it is.
        """
        puzzle = self.puzzle
        placements_on, windows = _placements_by_cell(puzzle.rows, puzzle.columns, puzzle.lengths)
        self.occupied = [
            sum(ships[ship] for ship in ships_on_cell if ship in ships)
            for ships_on_cell in placements_on
        ]
        for length in puzzle.lengths:
            variables_of_length = [
                is_used for ship, is_used in ships.items() if ship.bit_count() == length
            ]
            self.model.add(sum(variables_of_length) == puzzle.fleet.count(length))
        for window in windows:
            self.model.add_at_most_one(ships[ship] for ship in window if ship in ships)

    def solution(self, is_true: IsTrue) -> Solution:
        """Return the ships whose variables are true."""
        return sort_ships(ship for ship, is_used in self.ships.items() if is_true(is_used))

    def literals(self, solution: Solution) -> list[Any]:
        """Return the variables of its ships."""
        return [self.ships[ship] for ship in solution]


@lru_cache(maxsize=4)
def _placements_by_cell(
    rows: int, columns: int, lengths: tuple[int, ...]
) -> tuple[list[list[int]], list[list[int]]]:
    """List the placements (masks) that cover each cell, and those that meet each 2×2 window.

    On a grid with a single row or column, a window has only the cells that exist.
    """
    placements_on: list[list[int]] = [[] for _ in range(rows * columns)]
    for length in lengths:
        for ship in placements(rows, columns, length):
            for index in bits(ship):
                placements_on[index].append(ship)
    windows = []
    for top in range(max(1, rows - 1)):
        for left in range(max(1, columns - 1)):
            window = {
                ship
                for row in range(top, min(top + 2, rows))
                for column in range(left, min(left + 2, columns))
                for ship in placements_on[row * columns + column]
            }
            windows.append(sorted(window))
    return placements_on, windows


class CellModel(Model):
    """Seven symbols per cell, and a variable for each run of cells that may be a ship."""

    def __init__(self, puzzle: Puzzle):
        super().__init__(puzzle)
        new_variable = self.model.new_bool_var
        cell_count = puzzle.rows * puzzle.columns
        self.symbols = [
            {symbol: new_variable("") for symbol in _SYMBOLS} for _ in range(cell_count)
        ]
        self.occupied = [1 - symbols[WATER] for symbols in self.symbols]
        for symbols in self.symbols:
            self.model.add_exactly_one(symbols.values())
        for row in range(puzzle.rows):
            for column in range(puzzle.columns):
                self._add_neighbours(row, column)
        self._add_fleet()
        self._add_counts()
        for (row, column), value in puzzle.revealed:
            symbols = self.symbols[row * puzzle.columns + column]
            if value == SHIP:
                self.model.add(symbols[WATER] == 0)
            else:
                self.model.add(symbols[value] == 1)

    def _symbols_at(self, row: int, column: int) -> dict[str, Any] | None:
        """Return the symbols of a cell, None off the board."""
        if 0 <= row < self.puzzle.rows and 0 <= column < self.puzzle.columns:
            return self.symbols[row * self.puzzle.columns + column]
        return None

    def _allow_beside(self, symbol: Any, row: int, column: int, allowed: Iterable[str]) -> None:
        """Add the rule that, if a symbol holds, the cell at (row, column) has an allowed one.

        A cell off the board counts as water. symbol -- the variable that is true if it holds.
        """
        other_symbols = self._symbols_at(row, column)
        if other_symbols is None:
            if WATER not in allowed:
                self.model.add(symbol == 0)
            return
        self.model.add_bool_or([symbol.negated(), *(other_symbols[name] for name in allowed)])

    def _add_neighbours(self, row: int, column: int) -> None:
        """Add the rules for the eight cells around a cell: they must fit its symbol.

        A ship touches no other ship, and goes on in the direction that its symbol shows.
        """
        symbols = self.symbols[row * self.puzzle.columns + column]
        for down, right in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
            corner_symbols = self._symbols_at(row + down, column + right)
            if corner_symbols is not None:
                self.model.add_bool_or([symbols[WATER], corner_symbols[WATER]])
        for side, (down, right) in _STEPS.items():
            cell_beside = row + down, column + right
            self._allow_beside(symbols[SUBMARINE], *cell_beside, (WATER,))
            for end in _STEPS:
                # The left end of a ship goes on to the right, in the middle or the right end.
                goes_on = side == _OPPOSITE[end]
                self._allow_beside(
                    symbols[end], *cell_beside, (MIDDLE, side) if goes_on else (WATER,)
                )
            self._add_middle(symbols[MIDDLE], row, column, side)
        # A ship with a middle is horizontal or vertical: of the neighbours below and on the right
        # one is water and one is not. (Opposite neighbours are alike in that, by `_add_middle`.)
        pair = [self._symbols_at(row, column + 1), self._symbols_at(row + 1, column)]
        water = [neighbour[WATER] for neighbour in pair if neighbour is not None]
        not_middle = symbols[MIDDLE].negated()
        self.model.add_bool_or([not_middle, *(literal.negated() for literal in water)])
        if len(water) == 2:
            self.model.add_bool_or([not_middle, *water])

    def _add_middle(self, middle: Any, row: int, column: int, side: str) -> None:
        """Add the rules for the two cells on opposite sides of a cell that is a middle.

        Either both are water, or the ship goes on to both. If it does, the cell on the given side
        is a middle or an end; a call for the opposite side says this of the other cell.

        middle -- the variable that is true if the cell is a middle. side -- a key of `_STEPS`.
        """
        down, right = _STEPS[side]
        symbols_beside = self._symbols_at(row + down, column + right)
        symbols_across = self._symbols_at(row - down, column - right)
        if symbols_beside is None:
            return
        self.model.add_bool_or(
            [middle.negated(), symbols_beside[WATER], symbols_beside[MIDDLE], symbols_beside[side]]
        )
        if symbols_across is None:
            self.model.add_bool_or([middle.negated(), symbols_beside[WATER]])
        else:
            self.model.add_bool_or(
                [middle.negated(), symbols_beside[WATER], symbols_across[WATER].negated()]
            )

    def _add_fleet(self) -> None:
        """Add the rules that the board has as many ships of each length as the fleet, and no more.

        A ship is a run of cells: an end, middles and the opposite end, or a submarine.
        """
        puzzle = self.puzzle
        for length in puzzle.lengths:
            if length == 1:
                ship_variables = [symbols[SUBMARINE] for symbols in self.symbols]
            else:
                ships = placements(puzzle.rows, puzzle.columns, length)
                ship_variables = [self._add_run(ship) for ship in ships]
            self.model.add(sum(ship_variables) == puzzle.fleet.count(length))
        self.model.add(sum(self.occupied) == sum(puzzle.fleet))

    def _add_run(self, ship: int) -> Any:
        """Return a new variable that is true if and only if the cells of a mask are one ship."""
        puzzle = self.puzzle
        piece_variables = [
            self.symbols[row * puzzle.columns + column][puzzle.piece(ship, (row, column))]
            for row, column in puzzle.cells_of(ship)
        ]
        is_ship = self.model.new_bool_var("")
        for piece_variable in piece_variables:
            self.model.add_implication(is_ship, piece_variable)
        self.model.add_bool_or(
            [is_ship, *(piece_variable.negated() for piece_variable in piece_variables)]
        )
        return is_ship

    def solution(self, is_true: IsTrue) -> Solution:
        """Return the ships, each followed from its left or top end to the opposite end."""
        symbol_at = [
            next(symbol for symbol in _SYMBOLS if is_true(symbols[symbol]))
            for symbols in self.symbols
        ]
        step_from = {SUBMARINE: 0, LEFT: 1, TOP: self.puzzle.columns}  # to the next cell
        ships = []
        for index, symbol in enumerate(symbol_at):
            if symbol not in step_from:
                continue
            ship, last_symbol = 1 << index, _OPPOSITE.get(symbol, SUBMARINE)
            while symbol_at[index] != last_symbol:
                index += step_from[symbol]
                ship |= 1 << index
            ships.append(ship)
        return sort_ships(ships)

    def literals(self, solution: Solution) -> list[Any]:
        """Return, for each cell of a ship, the literal that it is not water."""
        covered = sum(solution)
        return [self.symbols[index][WATER].negated() for index in bits(covered)]


BUILDERS: dict[str, Callable[[Puzzle], Model]] = {"ship": ShipModel, "cell": CellModel}


# Clues that conflict


class _ClueModel(ShipModel):
    """The ship model in which each clue holds if its own variable is true."""

    def __init__(self, puzzle: Puzzle):
        Model.__init__(self, puzzle)
        new_variable = self.model.new_bool_var
        self.ships = {
            ship: new_variable("")
            for length in puzzle.lengths
            for ship in placements(puzzle.rows, puzzle.columns, length)
        }
        self.add_rules(self.ships)
        self.switches = {clue: new_variable("") for clue in puzzle.clues}
        for clue, switch in self.switches.items():
            occupied_count = self._count_occupied(puzzle.mask(clue))
            if clue.kind != "cell":
                self.model.add(occupied_count == clue.value).only_enforce_if(switch)
                continue
            if clue.value != WATER:
                self.model.add(occupied_count == 1).only_enforce_if(switch)
            for ship, is_used in self.ships.items():
                if not puzzle.agrees(ship, clue):
                    self.model.add_implication(switch, is_used.negated())

    def core(self, clues: Iterable[Clue], seconds: float | None) -> list[Clue] | None:
        """Return some of these clues that cannot hold together; None if all of them can.

        seconds -- the time limit of the search; None for no limit.
        """
        chosen = list(clues)
        self.model.clear_assumptions()
        self.model.add_assumptions([self.switches[clue] for clue in chosen])
        solver = _make_solver()
        if seconds is not None:
            solver.parameters.max_time_in_seconds = max(seconds, 0.01)
        status = _solve_in_thread(solver, self.model)
        if status == "INFEASIBLE":
            in_core = set(solver.sufficient_assumptions_for_infeasibility())
            core = [clue for clue in chosen if self.switches[clue].index in in_core]
            # CP-SAT may name variables that are no assumptions: see `_make_solver`.
            return core if len(core) == len(in_core) else chosen
        if status in ("OPTIMAL", "FEASIBLE"):
            return None
        raise TooLarge(f"whether the clues of {self.puzzle} conflict was not found out in time")


def conflict(puzzle: Puzzle, time_limit: float | None = None) -> tuple[Clue, ...] | None:
    """Return a minimal set of clues that have no solution together; None if there is a solution.

    Empty if the fleet does not fit on the grid. Raises TooLarge if the time (seconds) is over.
    """
    deadline = None if time_limit is None else time.monotonic() + time_limit
    model = _ClueModel(puzzle)

    def find_core(clues: Iterable[Clue]) -> list[Clue] | None:
        return model.core(clues, None if deadline is None else deadline - time.monotonic())

    return needed_clues(puzzle, find_core)


def needed_clues(
    puzzle: Puzzle, find_core: Callable[[list[Clue]], list[Clue] | None]
) -> tuple[Clue, ...] | None:
    """Return a minimal set of clues that have no solution together; None if there is a solution.

    find_core -- a function of a list of clues. It returns some of them that have no solution
        together, maybe more than are needed, or None if the whole list has a solution.
    """
    untested = find_core(list(puzzle.clues))
    if untested is None:
        return None
    needed: list[Clue] = []
    while untested:
        clue = untested.pop()
        core_without = find_core([*needed, *untested])
        if core_without is None:
            needed.append(clue)
        else:
            untested = [other for other in untested if other in core_without]
    return tuple(clue for clue in puzzle.clues if clue in needed)


def conflict_text(puzzle: Puzzle, clues: tuple[Clue, ...]) -> str:
    """Return a line that says which clues leave no solution, with their lines in the file."""
    if not clues:
        return f"the fleet {puzzle.fleet_text} does not fit on the grid {puzzle.grid}"
    reasons = ", ".join(_quote_clues(puzzle, clues))
    fleet_cells = sum(puzzle.fleet)
    for kind, counts in (("row", puzzle.row_counts), ("column", puzzle.column_counts)):
        clues_of_kind = [clue for clue in clues if clue.kind == kind]
        count_sum = sum(int(clue.value) for clue in clues_of_kind)
        if len(clues_of_kind) == len(counts) == len(clues) and fleet_cells != count_sum:
            return (
                f"{reasons}: the counts add up to {count_sum}, and the fleet {puzzle.fleet_text} "
                f"has {fleet_cells} cells"
            )
    verb = "cannot hold" if len(clues) == 1 else "cannot hold together"
    return f"{reasons}: {verb} with the fleet {puzzle.fleet_text}"


def _quote_clues(puzzle: Puzzle, clues: tuple[Clue, ...]) -> Iterator[str]:
    lines: dict[str, list[str]] = {}
    for clue in clues:
        lines.setdefault(puzzle.lines.get(clue, ""), []).append(str(clue))
    for line, names in lines.items():
        yield ", ".join(names) + (f" ({line})" if line else "")
