"""The algorithms of Audinot, Bonnet and Viennot (2014) as printed, the baseline of every benchmark.

Algorithm 1 (section 2.2) counts with one recursive call per placement. Algorithm 2 (section 3.2)
finds the optimum with a table indexed by hits and misses, and without bounds.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from contextlib import nullcontext
from math import comb, factorial, prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from optsearch.compiled.check._paper import Optimum, count_configurations
from optsearch.counting.configurations import Configurations, to_masks, to_words
from optsearch.game import Game, bits
from optsearch.game.position import Position
from optsearch.support.errors import TooLarge
from optsearch.support.progress import Progress, meter, no_progress
from optsearch.support.store import Store
from optsearch.tree.solution import SearchStatus, Solution

MAX_UNDECIDED = 40


def count(game: Game) -> int:
    """Count the configurations of a game by Algorithm 1.

    As in the paper, equal ships are told apart, and the count is divided by the number of their
    orders.
    """
    ships = []
    for length in game.fleet:
        placements = game.placements(length)
        closed = [ship | game.halo(ship) for ship in placements]  # no other ship lies there
        ships.append((to_words(placements), to_words(closed)))
    orders = prod(factorial(equal_ships) for equal_ships in Counter(game.fleet).values())
    return int(count_configurations(ships)) // orders


class StatesOnDisk:
    """A store on disk of the states of one position, each with its height, for the kernel."""

    def __init__(self, folder: Path, position: Position):
        after = f" after {position}" if position.shots else ""
        title = f"the table of the paper's Algorithm 2 of {position.game}{after}"
        self.store = Store(folder, title, batch=200_000)

    def get(self, state: int) -> int | None:
        """Return the height of a state, or None if it is not stored."""
        value = self.store.get(state.to_bytes(8, "big"))
        return None if value is None else int.from_bytes(value, "big")

    def keep(self, states: NDArray[np.uint64], heights: NDArray[np.uint32]) -> None:
        """Store states with their heights."""
        # Keys and values are big-endian integers of 8 and of 4 bytes.
        keys, values = states.astype(">u8").tobytes(), heights.astype(">u4").tobytes()
        for i in range(len(states)):
            self.store.put(keys[8 * i : 8 * i + 8], values[4 * i : 4 * i + 4])


def solve(
    position: Position,
    *,
    memory: int = 8 << 30,
    table: Path | None = None,
    progress: Progress[SearchStatus] = no_progress,
) -> Solution:
    """Return the optimum of a position by Algorithm 2, for the mean.

    memory -- bytes that the table may take. table -- folder of a table on disk, made if missing. A
    run that was killed resumes from it, and the memory then has only recent states.
    Raises TooLarge if the memory is full and there is no table on disk, or if more than 40 cells
    may hold a ship; NotSupported if hits tell more than hit; ImpossiblePosition if no configuration
    is left; TableError if the folder cannot be used.
    """
    started = time.perf_counter()
    position.game.require_silent("the method 'paper'")
    position.game.require_sunk("the method 'paper'")
    configurations = Configurations(position)
    configurations.require_some()
    sets = [mask & ~position.hits for mask in to_masks(configurations.list())]
    cells = _useful_cells(sets)
    if len(cells) > MAX_UNDECIDED:
        raise TooLarge(
            f"{len(cells)} cells of {position.game} may hold a ship; the paper's method handles "
            f"at most {MAX_UNDECIDED} (use method 'solver')"
        )
    expected = 0 if progress is no_progress else expected_states(sets)
    disk = None if table is None else StatesOnDisk(table, position)
    with nullcontext() if disk is None else disk.store as store:
        stored_before = 0 if store is None else len(store)
        report = meter(progress, expected, stored_before, status_class=SearchStatus)

        def report_states(states: int) -> None:
            report(min(stored_before + states, expected), nodes=states)

        kernel = Optimum(
            _columns(sets, cells),
            configurations=len(sets),
            hits=sets[0].bit_count(),
            max_bytes=memory,
            tick=report_states,
            disk=disk,
            asks_disk=stored_before > 0,
        )
        heights = _heights(kernel, position, sets, memory) if cells else {}
        entries, size = (0, 0) if store is None else (len(store), store.size)
    least_height = min(heights.values(), default=0)
    best_cells = [cells[i] for i, height in heights.items() if height == least_height]
    return Solution(
        position=position,
        method="paper",
        total_height=least_height,
        configurations=len(sets),
        best_shots=tuple(map(position.game.cell, best_cells)),
        nodes=kernel.states,
        table_entries=kernel.states,
        table_bytes=kernel.table_bytes,
        disk_entries=entries,
        disk_bytes=size,
        seconds=time.perf_counter() - started,
    )


def _heights(kernel: Optimum, position: Position, sets: list[int], memory: int) -> dict[int, int]:
    """Return for each first shot the least total of shots over all configurations.

    A first shot is an index of the cells that can have a ship. The states found so far are written
    to the disk, also after an error or ctrl-C.
    """
    try:
        return kernel.first_shots()
    except MemoryError:
        raise TooLarge(
            f"the paper's method filled its {memory / 2**30:.1f} GiB of table on {position.game} "
            f"with {kernel.states:,} states (about {expected_states(sets):,} are to be expected); "
            "give it more memory or a table on disk, or use method 'solver'"
        ) from None
    finally:
        kernel.write_to_disk()


def _columns(sets: list[int], cells: list[int]) -> np.ndarray[tuple[int, int], np.dtype[np.uint64]]:
    """Return for each cell which sets (masks) have it: a row of bits in 64-bit words.

    Set i is bit i % 64 of word i // 64. The shape is (cells, words).
    """
    words = (len(sets) + 63) // 64
    columns = np.zeros((len(cells), words), np.uint64)
    for row, cell in enumerate(cells):
        column = sum(1 << i for i, mask in enumerate(sets) if mask >> cell & 1)
        columns[row] = [column >> (64 * word) & (1 << 64) - 1 for word in range(words)]
    return columns


def _useful_cells(sets: list[int]) -> list[int]:
    """List the cells that some of the sets (masks) have, ascending."""
    union = 0
    for mask in sets:
        union |= mask
    return list(bits(union))


def expected_states(sets: list[int], samples: int = 200) -> int:
    """Estimate the number of states that Algorithm 2 stores, by sampling; for the progress report.

    sets -- the cells of each configuration (mask). samples -- draws for each number of shots; fewer
    if there are many sets.

    A state is a pair of the cells hit and the cells missed. It occurs if some configuration has all
    of the hits and none of the misses, if the hits do not finish the game, and if the misses can be
    misses (`_can_be_misses`). For each number of shots, random sets of cells are drawn. On each,
    the states are the different parts of configurations there. One part is drawn; if it can occur,
    all parts are counted.
    """
    generator = random.Random(1)
    hits_needed = sets[0].bit_count()
    if len(sets) > 1000:
        samples = max(10, samples * 1000 // len(sets))
    cells = _useful_cells(sets)
    total = 0.0
    for shot_count in range(len(cells) + 1):
        states = 0
        for _ in range(samples):
            shot_mask = sum(1 << cell for cell in generator.sample(cells, shot_count))
            possible_hits = sorted({mask & shot_mask for mask in sets})
            hits_mask = generator.choice(possible_hits)
            if hits_mask.bit_count() < hits_needed and _can_be_misses(shot_mask & ~hits_mask, sets):
                states += len(possible_hits)
        total += comb(len(cells), shot_count) * states / samples
    return max(1, round(total))


def _can_be_misses(misses: int, sets: list[int]) -> bool:
    """True if the cells can be missed in an order in which each shot might have been a hit.

    misses, sets -- masks of cells. The last shot of such an order is a cell that some set has
    without any other of the misses. It is taken away, and so on.
    """
    part_masks = [mask & misses for mask in sets]
    while misses:
        last_mask = next((part_mask for part_mask in part_masks if part_mask.bit_count() == 1), 0)
        if not last_mask:
            return False
        misses &= ~last_mask
        part_masks = [part_mask & misses for part_mask in part_masks]
    return True
