"""The exact optimum of a position by branch and bound over residual families.

The mathematics is in the docstrings of the kernel `cython_ext/_search.pyx`: the state is the
family of sets of cells still to be found, in a normal form that forgets how it was reached.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from optsearch._search import Search
from optsearch._table import MemoryTable
from optsearch.configurations import CellSets, to_masks, to_words
from optsearch.errors import TableError, TooLarge
from optsearch.family import Family, image, images
from optsearch.game import bits
from optsearch.position import HIT, MISS, Position, Reply
from optsearch.solution import (
    Progress,
    Solution,
    Status,
    no_progress,
)
from optsearch.tables import DiskTable
from optsearch.tree import DecisionTree, Leaf, Node

Indices = NDArray[np.int32]
_INFINITE = 1 << 60
MAX_WEIGHTS = 64  # MAX_CLASSES of the kernel


@dataclass(frozen=True)
class SolverOptions:
    """Switches of the search; each changes how long it takes and never what it answers.

    memo -- keep solved families in the transposition table.
    symmetry -- one table entry for a family and its images under the symmetries of the grid.
    leaf_counting -- prune with the leaf-counting bound (`optsearch.bounds.leaf_counting`).
    ordering -- try cells by their bound, the least first, instead of in row-major order.
    small_cases -- solve two sets, and sets of one cell, at sight.
    memory -- bytes the table in memory may take.
    """

    memo: bool = True
    symmetry: bool = True
    leaf_counting: bool = True
    ordering: bool = True
    small_cases: bool = True
    memory: int = 2 << 30


class _ReadOnly:
    """A table that another process writes: looked up, never changed."""

    def __init__(self, disk: DiskTable):
        self.get = disk.get

    def put(self, key: bytes, value: int) -> None:
        """Keep nothing."""


class Solver:
    """Solves one position; keeps its table, so that the tree comes cheaply after the solution.

    Raises ImpossiblePosition when no configuration is left, TooLarge when they cannot be listed,
    NotSupported where sinkings are announced.
    """

    def __init__(
        self,
        position: Position,
        options: SolverOptions = SolverOptions(),
        disk: DiskTable | None = None,
        progress: Progress = no_progress,
    ):
        game = position.game
        self._started = time.perf_counter()
        self._lock = threading.RLock()  # the kernel's buffers serve one thread at a time
        if disk is not None and disk.game != str(game):
            raise TableError(f"the table {disk.path} is for {disk.game}, not for {game}")
        self.position = position
        self.progress = progress
        self.family = Family.of(position)
        self._table = MemoryTable(options.memory)
        self._done = self._total = 0
        self._best: int | None = None
        kinds_of_weight = len(set(self.family.weights))
        if kinds_of_weight > MAX_WEIGHTS:
            raise TooLarge(
                f"the cell sets of {game} have {kinds_of_weight} different numbers of "
                f"configurations; at most {MAX_WEIGHTS} are handled"
            )
        symmetries = game.symmetries() if options.symmetry else game.symmetries()[:1]
        universe, permutations = _universe(to_words(self.family.sets), symmetries)
        index = {mask: i for i, mask in enumerate(to_masks(universe))}
        self._root: Indices = np.array([index[mask] for mask in self.family.sets], np.int32)
        weights = np.full(len(universe), max(self.family.weights), np.int64)
        weights[self._root] = self.family.weights
        self._universe = universe
        self._weights = weights
        self._search = Search(
            universe,
            weights,
            permutations,
            np.array(symmetries, np.int32),
            self._table,
            disk if disk is None or disk.writable else _ReadOnly(disk),
            options.memo,
            options.symmetry,
            options.leaf_counting,
            options.ordering,
            options.small_cases,
            self._report,
        )

    def _report(self, nodes: int) -> None:
        self.progress(Status(nodes, self._done, self._total, self._best))

    @cached_property
    def solution(self) -> Solution:
        """The optimum and all optimal first shots."""
        with self._lock:
            return self._solve()

    def _solve(self) -> Solution:
        family = self.family
        certain_cost = family.hits * family.weight
        misses = _INFINITE
        best_shots = 0
        candidates = self._one_per_orbit() if family.undecided else []
        self._total = len(candidates)
        for self._done, cell in enumerate(candidates):
            value = self._search.misses_after(self._root, cell, misses + 1)
            if value < misses:
                misses, best_shots = value, 0
                self._best = certain_cost + misses
            if value == misses:
                best_shots |= self._orbit(cell)
        if not candidates:
            misses = 0
        return Solution(
            position=self.position,
            method="solver",
            total_height=certain_cost + misses,
            configurations=family.weight,
            best_shots=tuple(self.position.game.cells_of(best_shots | family.certain)),
            nodes=self._search.nodes,
            table_entries=len(self._table),
            table_bytes=self._table.bytes,
            seconds=time.perf_counter() - self._started,
            _tree=self.tree,
        )

    def _orbit(self, cell: int) -> int:
        result = 0
        for permutation in self.family.automorphisms:
            result |= image(1 << cell, permutation)
        return result

    def _one_per_orbit(self) -> list[int]:
        """The undecided cells, in the order of the search, one of each class of equivalent ones."""
        seen = 0
        cells = []
        for cell, _ in self._search.first_shots(self._root):
            if not seen >> cell & 1:
                cells.append(cell)
                seen |= self._orbit(cell)
        return cells

    def leave_disk(self) -> None:
        """Use the table in memory alone from now on."""
        self._search.disk = None

    # The tree

    def tree(self) -> DecisionTree:
        """An optimal decision tree; of several, the one whose shots the search tries first."""
        with self._lock:
            assert self.solution  # solved first, so that its nodes are those of the search alone
            return DecisionTree(self.position, self._subtree(self._root, self.position.hits))

    def _subtree(self, family: Indices, hits: int) -> Node | Leaf:
        words = np.bitwise_and.reduce(self._universe[family], axis=0)
        certain = to_masks(words[None, :])[0] & ~hits
        if certain:
            cell = next(bits(certain))
            return self._node(cell, {HIT: self._subtree(family, hits | 1 << cell)})
        if len(family) == 1:
            return Leaf(int(self._weights[family[0]]))
        misses = self._search.misses(family)
        cell = next(
            cell
            for cell, bound in self._search.first_shots(family)
            if bound <= misses and self._search.misses_after(family, cell, misses + 1) == misses
        )
        has = (self._universe[family, cell >> 6] >> np.uint64(cell & 63) & np.uint64(1)) == 1
        return self._node(
            cell,
            {
                HIT: self._subtree(family[has], hits | 1 << cell),
                MISS: self._subtree(family[~has], hits),
            },
        )

    def _node(self, cell: int, replies: dict[Reply, Node | Leaf]) -> Node:
        return Node(self.position.game.cell(cell), replies)


def solve(
    position: Position,
    *,
    options: SolverOptions = SolverOptions(),
    table: Path | str | None = None,
    progress: Progress = no_progress,
) -> Solution:
    """The exact optimum of a position.

    table -- folder of a transposition table on disk, made if it is not there; a run that was
    killed goes on from what had been written. Errors as in Solver, and TableError.
    """
    if table is None:
        return Solver(position, options, None, progress).solution
    with DiskTable(table, str(position.game)) as disk:
        solver = Solver(position, options, disk, progress)
        solution = solver.solution
        solver.leave_disk()  # the tree is made later, from the table in memory
    return solution


def _universe(sets: CellSets, symmetries: tuple[tuple[int, ...], ...]) -> tuple[CellSets, Indices]:
    """The sets and their images in ascending order, and each one's image under each symmetry."""
    universe = _ascending(np.concatenate([images(sets, p) for p in symmetries]))
    position = {mask: i for i, mask in enumerate(to_masks(universe))}
    permutations = np.array(
        [[position[mask] for mask in to_masks(images(universe, p))] for p in symmetries], np.int32
    )
    return universe, permutations


def _ascending(sets: CellSets) -> CellSets:
    return np.ascontiguousarray(np.unique(sets[:, ::-1], axis=0)[:, ::-1])
