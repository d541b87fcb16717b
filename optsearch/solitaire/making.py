"""Puzzles with a single solution: tests, minimal clues, conflicts of clues, and new puzzles.

Three methods find solutions: the models `ship` and `cell`, and `count`, our own sweep. They share
only the puzzle, so that each can check the others.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from optsearch.counting.configurations import to_masks
from optsearch.counting.posterior import Posterior
from optsearch.game import MAX_CELLS, Cell, Game, bits, placements
from optsearch.game.names import LEVELS
from optsearch.game.position import Position
from optsearch.solitaire import counting, models
from optsearch.solitaire.puzzle import Clue, Puzzle, Solution, sort_ships
from optsearch.solitaire.reasoning import grade, is_contradictory
from optsearch.support.errors import ImpossiblePosition, PuzzleError, TooLarge
from optsearch.support.progress import Progress, Status, meter, no_progress

METHODS = (*models.MODELS, "count")
_MOST_VISITED = 1_000_000  # cells that a sweep visits before CP-SAT is tried
_THROWS, _THROWS_AT_ONCE = 1 << 16, 1 << 11  # of a whole fleet; the usual one fits in 1 of 4,000
_ATTEMPTS = 1000  # to place a fleet on a grid that is too large for the exact sampler
_FLEETS_TRIED = 100  # for a puzzle of a level


def solve(
    puzzle: Puzzle, limit: int = 2, method: str | None = None, time_limit: float | None = None
) -> list[Solution]:
    """Find up to `limit` solutions, all if there are fewer.

    method -- one of `METHODS`; by default `count` if that is quick or OR-tools is missing, else
    `ship`. Raises TooLarge if the time (seconds) is over first.
    """
    deadline = _deadline_of(time_limit)
    if method is None:
        try:
            return counting.solutions(puzzle, limit, time_limit, _stop_if_long)
        except TooLarge:
            method = "ship" if models.is_installed() else "count"
        if method == "count" and is_contradictory(puzzle):
            return []
    if method == "count":
        return counting.solutions(puzzle, limit, _seconds_left(deadline))
    result = models.search(puzzle, limit, method, _seconds_left(deadline))
    if len(result.solutions) < limit and not result.is_complete:
        raise TooLarge(
            f"after {time_limit:g} seconds {len(result.solutions)} solutions of {puzzle} are "
            "known, and not whether there are others"
        )
    return list(result.solutions)


def conflict(
    puzzle: Puzzle, method: str | None = None, time_limit: float | None = None
) -> tuple[Clue, ...] | None:
    """Return a minimal set of clues that have no solution together; None if there is a solution.

    Empty if the fleet does not fit on the grid. The method `count` uses the rules of a person and
    the sweep, the other methods CP-SAT; the default uses CP-SAT only if `count` takes long. Then
    clues that contradict each other by the rules may not be minimal.
    Raises TooLarge if the time (seconds) is over, and NotInstalled if CP-SAT is needed and missing.
    """
    deadline = _deadline_of(time_limit)
    on_progress = no_progress if method == "count" else _stop_if_long

    def find_core(clues: list[Clue]) -> list[Clue] | None:
        weaker_puzzle = puzzle.with_clues(clues)
        has_solution = counting.count(weaker_puzzle, 1, _seconds_left(deadline), on_progress) > 0
        return None if has_solution else clues

    def find_core_by_rules(clues: list[Clue]) -> list[Clue] | None:
        return clues if is_contradictory(puzzle.with_clues(clues)) else None

    if method in (None, "count") and find_core_by_rules(list(puzzle.clues)):
        nearest_clues = next(filter(find_core_by_rules, _near_clues(puzzle)), puzzle.clues)
        clues = models.needed_clues(puzzle.with_clues(nearest_clues), find_core_by_rules)
        assert clues is not None
        try:
            return models.needed_clues(puzzle.with_clues(clues), find_core)
        except TooLarge:
            return clues
    if method in (None, "count"):
        try:
            return models.needed_clues(puzzle, find_core)
        except TooLarge:
            if method == "count":
                raise
    return models.conflict(puzzle, _seconds_left(deadline))


def _near_clues(puzzle: Puzzle) -> Iterator[list[Clue]]:
    """Yield sets of clues that may contradict each other by themselves, small sets first.

    They are: each count; each revealed cell with the counts of its row and column; each line with
    all clues on it and on the lines beside it; the counts of all rows; those of all columns.
    """
    masks = {clue: puzzle.mask(clue) for clue in puzzle.clues}
    counts = [clue for clue in puzzle.clues if clue.kind != "cell"]
    yield from ([count] for count in counts)
    for cell in puzzle.clues:
        if cell.kind == "cell":
            yield [cell, *(count for count in counts if masks[count] & masks[cell])]
    for line in (*puzzle.row_masks, *puzzle.column_masks):
        yield [clue for clue, mask in masks.items() if not mask & ~puzzle.closed(line)]
    for kind in ("row", "column"):
        yield [count for count in counts if count.kind == kind]


def _stop_if_long(status: Status) -> None:
    """End a long sweep by cells visited, so that the answer is the same on every machine."""
    if status.done > _MOST_VISITED:
        raise TooLarge(f"more than {_MOST_VISITED:,} cells visited")


def is_unique(puzzle: Puzzle, method: str | None = None, time_limit: float | None = None) -> bool:
    """True if a puzzle has exactly one solution."""
    return len(solve(puzzle, 2, method, time_limit)) == 1


def _other_solution(
    puzzle: Puzzle, solution: Solution, method: str | None, deadline: float | None = None
) -> Solution | None:
    """Return a solution of a puzzle other than the given one; None if there is no other.

    method -- one of `METHODS`; by default as in `solve`. deadline -- the time (`time.monotonic`)
    at which TooLarge is raised.
    """
    seconds_left = _seconds_left(deadline)
    if seconds_left == 0:
        raise _out_of_time_error(puzzle)
    if method in (None, "count"):
        can_use_ship = method is None and models.is_installed()
        on_progress = _stop_if_long if can_use_ship else no_progress
        try:
            solutions = counting.solutions(puzzle, 2, seconds_left, on_progress)
            return next((other for other in solutions if other != solution), None)
        except TooLarge:
            if not can_use_ship:
                raise
    result = models.search(puzzle, 1, method or "ship", _seconds_left(deadline), excluding=solution)
    if not result.solutions and not result.is_complete:
        raise _out_of_time_error(puzzle)
    return next(iter(result.solutions), None)


def _out_of_time_error(puzzle: Puzzle) -> TooLarge:
    return TooLarge(f"the time is over before a puzzle {puzzle} without a clue to spare was found")


def _deadline_of(time_limit: float | None) -> float | None:
    return None if time_limit is None else time.monotonic() + time_limit


def _seconds_left(deadline: float | None) -> float | None:
    return None if deadline is None else max(deadline - time.monotonic(), 0.0)


@dataclass(frozen=True, kw_only=True)
class MinimiseOptions:
    """How clues are left out of a puzzle.

    method -- finds other solutions: one of `METHODS`; by default as in `solve`. keep_counts -- True
    to leave out revealed cells only. time_limit -- seconds for all clues together. progress --
    called with a status for each clue, or for each fleet that is tried for a level.
    """

    method: str | None = None
    keep_counts: bool = False
    time_limit: float | None = None
    progress: Progress[Status] = no_progress


DEFAULT_OPTIONS = MinimiseOptions()


def minimise(
    puzzle: Puzzle,
    seed: int | np.random.Generator = 0,
    options: MinimiseOptions = DEFAULT_OPTIONS,
) -> Puzzle:
    """Return the puzzle without clues that its single solution does not need.

    Clues are left out one by one if the solution stays the only one. Their order depends on the
    seed, but revealed cells come before counts. A revealed end, middle or submarine first becomes a
    ship cell whose piece is not told. One pass is enough: a clue that is needed beside more clues
    is needed beside fewer.

    Raises PuzzleError for a puzzle that does not have exactly one solution, and TooLarge if the
    time is over.
    """
    deadline = _deadline_of(options.time_limit)
    solutions = solve(puzzle, 2, options.method, options.time_limit)
    if len(solutions) != 1:
        raise PuzzleError(
            f"{puzzle} has {'no solution' if not solutions else 'several solutions'}; a puzzle "
            "with exactly one can be minimised"
        )
    return _minimise(puzzle, solutions[0], np.random.default_rng(seed), options, deadline)


def _minimise(
    puzzle: Puzzle,
    solution: Solution,
    rng: np.random.Generator,
    options: MinimiseOptions,
    deadline: float | None,
) -> Puzzle:
    """Return the puzzle without the clues that its single solution does not need.

    Revealed cells are tried before counts, each in a random order. deadline -- the time
    (`time.monotonic`) at which TooLarge is raised.
    """
    clues_in_order = _shuffled_clues(puzzle, rng, options.keep_counts)
    # Solutions of weaker puzzles: a clue that excludes one is needed.
    other_solutions: list[Solution] = []
    report_done = meter(options.progress, len(clues_in_order))
    for clues_done, full_clue in enumerate(clues_in_order):
        report_done(clues_done)
        clue: Clue | None = full_clue
        while clue is not None:  # a shaped piece is weakened to a ship, then left out
            weaker_puzzle = puzzle.weakened(clue)
            if any(map(weaker_puzzle.is_solved_by, other_solutions)):
                break
            other_solution = _other_solution(weaker_puzzle, solution, options.method, deadline)
            if other_solution is not None:
                other_solutions.append(other_solution)
                break
            puzzle = weaker_puzzle
            clue = _weaker_clue(clue, puzzle)
    return puzzle


def _shuffled_clues(puzzle: Puzzle, rng: np.random.Generator, keep_counts: bool) -> list[Clue]:
    """Return the clues that may be left out, in a random order, but revealed cells first."""
    shuffled = [puzzle.clues[i] for i in rng.permutation(len(puzzle.clues))]
    cells = [clue for clue in shuffled if clue.kind == "cell"]
    counts = [clue for clue in shuffled if clue.kind != "cell"]
    return cells if keep_counts else cells + counts


def _weaker_clue(clue: Clue, puzzle: Puzzle) -> Clue | None:
    """Return the clue that a puzzle still has for the cell of a weakened clue, or None."""
    if clue.kind != "cell":
        return None
    return next((other for other in puzzle.clues if other.place == clue.place), None)


def is_minimal(puzzle: Puzzle, method: str | None = None, keep_counts: bool = False) -> bool:
    """True if a puzzle has one solution, and more than one with any clue weakened.

    With `keep_counts` only revealed cells are weakened.
    """
    solutions = solve(puzzle, 2, method)
    return len(solutions) == 1 and all(
        _other_solution(puzzle.weakened(clue), solutions[0], method) is not None
        for clue in puzzle.clues
        if clue.kind == "cell" or not keep_counts
    )


def generate(
    rows: int,
    columns: int,
    fleet: tuple[int, ...],
    seed: int | np.random.Generator = 0,
    level: str | None = None,
    options: MinimiseOptions = DEFAULT_OPTIONS,
) -> Puzzle:
    """Make a puzzle with exactly one solution and no clue to spare; equal seeds give equal puzzles.

    The puzzle begins with all counts of a random fleet. While another fleet satisfies the clues, a
    cell in which the two differ is revealed. Then `minimise` leaves out clues.

    fleet -- the lengths of the ships. level -- one of `LEVELS`: a clue is left out only if the
    puzzle does not get harder than that.

    Raises TooLarge if the time is over, and PuzzleError if no puzzle of the level was found.
    """
    deadline = _deadline_of(options.time_limit)
    puzzle = Puzzle(rows, columns, fleet)
    rng = np.random.default_rng(seed)
    if level is not None:
        return _generate_of_level(puzzle, rng, LEVELS.index(level), options, deadline)
    solution = random_solution(puzzle, rng)
    puzzle = with_counts(puzzle, solution)
    while (other := _other_solution(puzzle, solution, options.method, deadline)) is not None:
        differing_cells = list(bits(sum(other) ^ sum(solution)))
        cell = puzzle.cell(int(rng.choice(differing_cells)))
        puzzle = _reveal_cell(puzzle, solution, cell)
    return _minimise(puzzle, solution, rng, options, deadline)


def _generate_of_level(
    puzzle: Puzzle,
    rng: np.random.Generator,
    level_index: int,
    options: MinimiseOptions,
    deadline: float | None,
) -> Puzzle:
    """Make a puzzle of a level of difficulty from which no clue can be spared.

    A clue is left out unless the puzzle would be harder than the level without it. Raises
    PuzzleError if no attempt gives such a puzzle, and TooLarge at the time `deadline`.

    puzzle -- its grid and fleet are used, not its clues. level_index -- in `LEVELS`.
    """

    def level_index_of(puzzle: Puzzle) -> int:
        if _seconds_left(deadline) == 0:
            raise _out_of_time_error(puzzle)
        return LEVELS.index(grade(puzzle, max(0, level_index - 1), _seconds_left(deadline)).level)

    report_attempt = meter(options.progress, _FLEETS_TRIED)
    for attempt in range(_FLEETS_TRIED):
        report_attempt(attempt)
        solution = random_solution(puzzle, rng)
        trial_puzzle = with_counts(puzzle, solution)
        for index in rng.permutation(puzzle.rows * puzzle.columns).tolist():
            if level_index_of(trial_puzzle) <= level_index:
                break
            trial_puzzle = _reveal_cell(trial_puzzle, solution, puzzle.cell(index))
        for clue in _shuffled_clues(trial_puzzle, rng, options.keep_counts):
            other_clues = [other for other in trial_puzzle.clues if other != clue]
            puzzle_without = trial_puzzle.with_clues(other_clues)
            if level_index_of(puzzle_without) <= level_index:
                trial_puzzle = puzzle_without
        if level_index_of(trial_puzzle) == level_index:
            return trial_puzzle
    raise PuzzleError(
        f"no {LEVELS[level_index]} puzzle with the fleet {puzzle.fleet_text} on the grid "
        f"{puzzle.grid} was found in {_FLEETS_TRIED} attempts; give another level, fleet or grid"
    )


def _reveal_cell(puzzle: Puzzle, solution: Solution, cell: Cell) -> Puzzle:
    """Return the puzzle with one more cell of a solution revealed."""
    return replace(puzzle, revealed=(*puzzle.revealed, (cell, puzzle.shows(solution, cell))))


def usual_fleet(rows: int, columns: int) -> tuple[int, ...]:
    """Return the fleet 4,3,3,2,2,2,1,1,1,1 of 10×10 scaled to the grid; no length is left out."""
    size = rows * columns / 100  # in grids of 10×10
    ships = {length: max(1, round(size * (5 - length))) for length in (4, 3, 2, 1)}
    return tuple(length for length, count in ships.items() for _ in range(count))


def random_puzzle(
    rows: int,
    columns: int,
    fleet: tuple[int, ...],
    revealed: float = 0.1,
    seed: int | np.random.Generator = 0,
) -> Puzzle:
    """Make a puzzle with all counts of a random fleet and some cells revealed.

    It may have several solutions.

    fleet -- the lengths of the ships. revealed -- the share of the cells revealed, 0 to 1.
    """
    rng = np.random.default_rng(seed)
    puzzle = Puzzle(rows, columns, fleet)
    solution = random_solution(puzzle, rng)
    indices = rng.choice(rows * columns, round(revealed * rows * columns), replace=False)
    cells = [puzzle.cell(index) for index in indices.tolist()]
    cells_and_values = tuple((cell, puzzle.shows(solution, cell)) for cell in cells)
    return replace(with_counts(puzzle, solution), revealed=cells_and_values)


def with_counts(puzzle: Puzzle, solution: Solution) -> Puzzle:
    """Return the puzzle with all row and column counts of a solution."""
    covered_mask = sum(solution)
    return replace(
        puzzle,
        row_counts=tuple((covered_mask & mask).bit_count() for mask in puzzle.row_masks),
        column_counts=tuple((covered_mask & mask).bit_count() for mask in puzzle.column_masks),
    )


def random_solution(puzzle: Puzzle, rng: np.random.Generator) -> Solution:
    """Draw a random fleet on the grid of a puzzle, regardless of its clues.

    It is uniform among all that fit: ships are thrown until no two touch. If that is rare, the
    exact sampler draws a fleet, on grids of up to 128 cells. On larger grids ships are placed one
    after the other, longest first, each uniformly where it still fits, which is not quite uniform.

    Raises PuzzleError if the fleet does not fit, or, on a large grid, if no attempt made it fit.
    """
    if thrown := _throw_fleet(puzzle, rng):
        return thrown
    if puzzle.rows * puzzle.columns <= MAX_CELLS:
        game = Game(puzzle.rows, puzzle.columns, puzzle.fleet)
        try:
            return sort_ships(to_masks(_sampler(game).sample(1, rng, masks=True)[0]))
        except ImpossiblePosition:
            raise PuzzleError(
                f"the fleet {puzzle.fleet_text} does not fit on the grid {puzzle.grid} without "
                "touching"
            ) from None
    for _ in range(_ATTEMPTS):
        ships = _place_in_turn(puzzle, rng)
        if ships is not None:
            return ships
    raise PuzzleError(
        f"the fleet {puzzle.fleet_text} did not fit on the grid {puzzle.grid} in {_ATTEMPTS:,} "
        "attempts; give fewer ships or a larger grid"
    )


def _throw_fleet(puzzle: Puzzle, rng: np.random.Generator) -> Solution | None:
    """Draw a uniform fleet: place all ships anywhere, again and again, until no two touch.

    None if that fails `_THROWS` times.
    """
    placements_by_length = {
        length: [
            (ship, puzzle.closed(ship)) for ship in placements(puzzle.rows, puzzle.columns, length)
        ]
        for length in puzzle.lengths
    }
    placements_of = [placements_by_length[length] for length in puzzle.fleet]
    placement_counts = list(map(len, placements_of))
    for _ in range(_THROWS // _THROWS_AT_ONCE):
        for indices in rng.integers(
            placement_counts, size=(_THROWS_AT_ONCE, len(placement_counts))
        ).tolist():
            ships, all_closed_mask = [], 0
            for ship_placements, index in zip(placements_of, indices, strict=True):
                ship, closed_mask = ship_placements[index]
                if ship & all_closed_mask:
                    break  # throw all ships again
                ships.append(ship)
                all_closed_mask |= closed_mask
            else:
                return sort_ships(ships)
    return None


@lru_cache(maxsize=4)
def _sampler(game: Game) -> Posterior:
    """Return the posterior of a game without a shot, which draws uniform fleets."""
    return Posterior(Position(game))


def _place_in_turn(puzzle: Puzzle, rng: np.random.Generator) -> Solution | None:
    """Draw a fleet ship by ship, each uniformly where it touches none; None if one fits nowhere."""
    ships: list[int] = []
    closed_mask = 0  # the cells of the ships so far, and those around
    for length in puzzle.fleet:
        free_placements = [
            ship
            for ship in placements(puzzle.rows, puzzle.columns, length)
            if not ship & closed_mask
        ]
        if not free_placements:
            return None
        ships.append(free_placements[int(rng.integers(len(free_placements)))])
        closed_mask |= puzzle.closed(ships[-1])
    return sort_ships(ships)
