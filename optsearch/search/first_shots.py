"""The value of every first shot: the optimum of the strategies that begin with it.

Of cells that a symmetry of the position maps to each other, only one is searched. A shot at two
sorts of cells tells nothing, so that they need no search:

- a cell without a ship in any configuration costs a shot and changes nothing else;
- if nothing is announced, a cell with a ship in every configuration is hit sooner or later, so
  that hitting it now costs nothing.
"""

from __future__ import annotations

from optsearch.game import bits
from optsearch.game.position import Position
from optsearch.search.frontier import BestFirstSearch
from optsearch.search.kernels import FORBIDDEN, Kernel, Subfamily
from optsearch.tree.solution import ShotValue


def _unshot(position: Position) -> list[int]:
    game = position.game
    return list(bits(((1 << game.cells) - 1) & ~position.closed))


def bracketed_values(
    position: Position, kernel: Kernel, frontier: BestFirstSearch | None
) -> tuple[ShotValue, ...]:
    """Return bounds of the least total height after each possible first shot, for the mean.

    frontier -- the search of the root; None if every ship is sunk, when no shot is left.
    """
    if frontier is None:
        return ()
    weight = kernel.weight(kernel.root)
    hits = kernel.cells_left * weight
    bounds = {}
    for cell, lower, upper in frontier.first_shots:
        for image in bits(kernel.orbit(cell)):
            bounds[image] = lower, upper
    for cell in bits(kernel.free_hits(kernel.root)):
        bounds[cell] = frontier.lower, frontier.upper
    missed = frontier.lower + weight, frontier.upper + weight
    values = []
    for cell in _unshot(position):
        lower, upper = bounds.get(cell, missed)
        values.append(ShotValue(position.game.cell(cell), hits + lower, hits + upper))
    return tuple(values)


def budgeted_values(
    position: Position, kernel: Kernel, cost: int, budget: int
) -> tuple[ShotValue, ...]:
    """Return the value of every possible first shot, for worst and within=K.

    cost -- the least cost of the root as the kernel counts it, in misses (worst) or in unfinished
    weight (within). budget -- the misses allowed for that.
    """
    if kernel.cells_left == 0:
        return ()
    settled: dict[int, tuple[int, int]] = {}
    for cell, _ in kernel.shots(kernel.root._replace(budget=max(budget, 0))):
        if cell not in settled:
            value = _after(kernel, kernel.root._replace(budget=budget), cell)
            settled |= dict.fromkeys(bits(kernel.orbit(cell)), value)
    settled |= dict.fromkeys(bits(kernel.free_hits(kernel.root)), (cost, budget))
    weight = kernel.weight(kernel.root)
    missed = cost + weight, budget + 1
    if kernel.objective.kind == "within":
        is_left = budget > 0
        missed = (
            kernel.solve(kernel.root._replace(budget=budget - 1)) if is_left else weight,
            budget,
        )
    values = []
    for cell in _unshot(position):
        misses, allowed = settled.get(cell, missed)
        place = position.game.cell(cell)
        if kernel.objective.kind == "within":
            values.append(ShotValue(place, None, None, finished=weight - misses))
        else:
            total = kernel.cells_left * weight + misses
            values.append(ShotValue(place, total, total, worst=kernel.cells_left + allowed))
    return tuple(values)


def _after(kernel: Kernel, state: Subfamily, cell: int) -> tuple[int, int]:
    """Return the cost of a shot, and the budget that it needs (worst) or was given (within)."""
    if kernel.is_lost(state):
        return kernel.weight(state), state.budget
    while (cost := kernel.cost_of_shot(state, cell)) >= FORBIDDEN:
        state = state._replace(budget=state.budget + 1)
    return cost, state.budget
