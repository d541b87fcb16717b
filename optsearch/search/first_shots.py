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


def _cells_not_shot(position: Position) -> list[int]:
    """List the cells of the board that were not shot and are not holes, ascending."""
    game = position.game
    return list(bits(((1 << game.cells) - 1) & ~position.closed))


def bracketed_values(
    position: Position, kernel: Kernel, frontier: BestFirstSearch | None
) -> tuple[ShotValue, ...]:
    """Bound for each cell not shot yet the least total height if it is shot first; for the mean.

    The total height is the number of shots summed over all configurations by weight. frontier --
    the search from the position; None if every ship is sunk, when no shot is left.
    """
    if frontier is None:
        return ()
    weight = kernel.weight(kernel.root)
    certain_cost = kernel.cells_left * weight  # the hits, which every strategy needs
    bounds = {}
    for cell, lower, upper in frontier.first_shots:
        for image in bits(kernel.orbit(cell)):
            bounds[image] = lower, upper
    for cell in bits(kernel.free_hits(kernel.root)):
        bounds[cell] = frontier.lower, frontier.upper
    bounds_of_certain_miss = frontier.lower + weight, frontier.upper + weight
    values = []
    for cell in _cells_not_shot(position):
        lower, upper = bounds.get(cell, bounds_of_certain_miss)
        value = ShotValue(position.game.cell(cell), certain_cost + lower, certain_cost + upper)
        values.append(value)
    return tuple(values)


def budgeted_values(
    position: Position, kernel: Kernel, cost: int, budget: int
) -> tuple[ShotValue, ...]:
    """Return the best result for each cell not shot yet if it is shot first; not for the mean.

    For worst it is the least number of shots in the worst case, and the least total of shots with
    it. For within=K it is the weight of the configurations that can be finished.

    cost -- the least cost of the position: in misses (worst) or in unfinished weight (within).
    budget -- the misses allowed for that.
    """
    if kernel.cells_left == 0:
        return ()
    state = kernel.root._replace(budget=budget)
    weight, is_within = kernel.weight(state), kernel.objective.kind == "within"
    cost_and_budget: dict[int, tuple[int, int]] = {}  # by the cell that is shot first
    for cell, _ in kernel.shots(state):
        if cell not in cost_and_budget:
            result = _cost_and_budget(kernel, state, cell)
            cost_and_budget |= dict.fromkeys(bits(kernel.orbit(cell)), result)
    cost_and_budget |= dict.fromkeys(bits(kernel.free_hits(state)), (cost, budget))
    if not is_within:
        result_of_certain_miss = cost + weight, budget + 1
    elif budget > 0:
        result_of_certain_miss = kernel.solve(state._replace(budget=budget - 1)), budget
    else:  # the miss used up the shots: nothing is finished
        result_of_certain_miss = weight, budget
    values = []
    for cell in _cells_not_shot(position):
        shot_cost, shot_budget = cost_and_budget.get(cell, result_of_certain_miss)
        cell_shot = position.game.cell(cell)
        if is_within:
            values.append(ShotValue(cell_shot, None, None, finished=weight - shot_cost))
        else:
            total = kernel.cells_left * weight + shot_cost
            worst = kernel.cells_left + shot_budget
            values.append(ShotValue(cell_shot, total, total, worst=worst))
    return tuple(values)


def _cost_and_budget(kernel: Kernel, state: Subfamily, cell: int) -> tuple[int, int]:
    """Return the least cost if a cell is shot first, and the number of misses allowed for it.

    For worst the number is the least that suffices, but at least the budget of the state. For
    within it is that budget.
    """
    if kernel.is_lost(state):
        return kernel.weight(state), state.budget
    while (cost := kernel.cost_of_shot(state, cell)) >= FORBIDDEN:
        state = state._replace(budget=state.budget + 1)
    return cost, state.budget
