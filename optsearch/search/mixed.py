"""The optimum, and greedy, if the fleet is not known, and hits tell nothing or that a ship is sunk.

The game ends when the last ship is sunk, and the player is told that. So if hits tell nothing, the
search takes all cells of a configuration for one ship, whose sinking is announced. Configurations
may need different numbers of hits; the bounds that hold only for equal numbers are switched off.
"""

from __future__ import annotations

import time
from collections import Counter

import numpy as np

from optsearch.compiled.search._table import MemoryTable
from optsearch.counting.configurations import to_masks, to_words
from optsearch.counting.family import MAX_SETS, MAX_WEIGHT
from optsearch.counting.mixture import MixedPosterior
from optsearch.counting.prior import FleetPrior, Prior
from optsearch.game import Game
from optsearch.game.fleets import MixedPosition
from optsearch.search.kernels import Kernel, Problem, SolverOptions, best_cells
from optsearch.support.errors import PositionError, TooLarge
from optsearch.tree.solution import Solution

OPTIONS = SolverOptions(leaf_counting=False, profile=False, names=False)


def mixed_kernel(
    position: MixedPosition,
    prior: Prior | None = None,
    memory: int = OPTIONS.memory,
) -> Kernel:
    """Return the kernel of a position whose fleet is not known, with the weights of its prior.

    Configurations without a cell left to hit are left out, because the game is not over. memory --
    bytes of the table. Raises NotSupported if replies name ships, whose names and sizes the search
    takes to be equal in all configurations, TooLarge for too many configurations or weights, and
    PositionError if every ship is sunk.
    """
    game = position.game
    is_handled = game.is_silent or game.announce == "sunk"
    game.require_rule("solving a game whose fleet is not known", is_handled, "nothing or sunk")
    game.require_small("solving")
    ships, weights = MixedPosterior(position, prior).list_weighted(MAX_SETS // 8)
    hits = position.hits
    weight_of_ships: Counter[tuple[int, ...]] = Counter()  # by the ships as the search takes them
    for masks, weight in zip(map(to_masks, ships), weights, strict=True):
        cells_left = sum(masks) & ~hits
        if cells_left:
            searched_ships = (cells_left,) if game.is_silent else tuple(masks)
            weight_of_ships[searched_ships] += weight
    if not weight_of_ships:
        raise PositionError(f"every ship is sunk in {position.title}; there is nothing to solve")
    total_weight = sum(weight_of_ships.values())
    if total_weight > MAX_WEIGHT:
        raise TooLarge(
            f"the weights of {game} add up to {total_weight:,}; the search takes {MAX_WEIGHT:,} in "
            "all: by --prior fleet=configurations each configuration weighs 1"
        )
    ship_rows = np.array([to_words(ship_masks) for ship_masks in weight_of_ships])
    one_ship_game: Game = game.game_of([1])
    game_for_search = Game(
        game.rows,
        game.columns,
        fleet=[1] * ship_rows.shape[1],
        contact="any",
        announce="sunk",
        holes=one_ship_game.holes,
        board=one_ship_game.board,
    )
    problem = Problem(
        game=game_for_search,
        sets=np.bitwise_or.reduce(ship_rows, axis=1),
        weights=np.array([*weight_of_ships.values()], np.int64),
        hits=0 if game.is_silent else hits,  # a silent row has only the cells left
        cells_left=max((sum(masks) & ~hits).bit_count() for masks in weight_of_ships),
        ships=ship_rows,
    )
    return Kernel(problem, OPTIONS, MemoryTable(memory), None, lambda nodes: None)


def solve_mixed(
    position: MixedPosition, prior: Prior | None = None, memory: int = OPTIONS.memory
) -> Solution:
    """Return the optimum of a position whose fleet is not known: the least mean number of shots.

    memory -- bytes of the transposition table. Errors as in `mixed_kernel`.
    """
    started = time.perf_counter()
    kernel = mixed_kernel(position, prior, memory)
    root = kernel.root
    total = kernel.hits_left(root) + kernel.solve(root)
    cells = sorted(best_cells(kernel, root))
    return Solution(
        position=position,
        method="solver",
        total_height=total,
        configurations=kernel.weight(root),
        best_shots=tuple(map(position.game.cell, cells)),
        nodes=kernel.nodes,
        subsets=kernel.subsets,
        seconds=time.perf_counter() - started,
        lower=total,
        upper=total,
        prior=prior or FleetPrior.of_vectors(position.game),
    )


def greedy_shots_mixed(position: MixedPosition, prior: Prior | None = None) -> dict[int, int]:
    """Return how much weight of configurations greedy finishes with each number of shots.

    The numbers of shots are ascending. Greedy shoots the first of the most probable cells, and
    never plays the optimum instead. prior -- the weights of the configurations.
    """
    kernel = mixed_kernel(position, prior)
    histogram, waiting = Counter[int](), [(kernel.root, 0)]
    while waiting:
        state, shots = waiting.pop()
        if len(state.family) == 1 or kernel.is_over(state):
            cells_left_mask = kernel.cells_of(state) & ~state.hits
            histogram[shots + cells_left_mask.bit_count()] += kernel.weight(state)
            continue
        parts = kernel.parts(state, kernel.greedy_choices(state)[0])
        waiting += [(part, shots + 1) for part in parts.values()]
    return dict(sorted(histogram.items()))
