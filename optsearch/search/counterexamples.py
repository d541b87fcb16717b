"""Positions and empty boards for which greedy shooting is not optimal, the smallest first.

A counterexample is a position in which the best greedy strategy (always a most probable cell, ties
broken in the best way, certain hits first and free) has a greater total height than the optimum.
Section 3.3 of Audinot, Bonnet and Viennot (2014) shows one.

The residual family of a position has the cells of each configuration that are still in doubt, with
weights, and with the names of their ships if hits name them. Two positions of a game are equivalent
and count as one if a symmetry of the grid maps the residual family of one to that of the other.
They are represented by the position with the fewest shots. Of several it is the first when shots
are compared in row-major order, the earlier cell first and a miss before a hit.

Counterexamples are listed by the cells of the grid, the number of configurations, the shots, the
rows, the fleet (fewer ships first, then shorter ones), and that order of positions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass, fields
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optsearch.counting.configurations import Configurations, list_ships, to_masks
from optsearch.game import Game, Permutation, bits
from optsearch.game.game import MOST_TURNS
from optsearch.game.position import MISS, Position, Shot
from optsearch.search.greedy import GreedySolver
from optsearch.search.solver import Solver
from optsearch.support.errors import GameError, TableError, TooLarge
from optsearch.support.progress import Limit, LimitReached, Progress, Status, meter, no_progress
from optsearch.support.sharing import SerialExecutor, run_tasks
from optsearch.support.store import Facts
from optsearch.tree import DecisionTree
from optsearch.tree.solution import SearchStatus

Codes = NDArray[np.int32]  # of positions, as in `Counterexample`; or a number for each position

MAX_CELLS = 16  # of a game all of whose positions are looked at
MAX_POSITIONS = 3**MAX_CELLS  # of such a game, possible or not
POSITIONS_AT_ONCE = 1 << 16  # positions
INFINITE = np.iinfo(np.int32).max

MAX_NODES = 100_000
"""The effort of the solver, and of greedy if hits name ships (`optsearch.tree.solution.Status`),
after which the empty board of a game of more than MAX_POSITIONS positions stays undecided."""

# What is searched


def parse_fleet(text: str) -> tuple[int, ...]:
    """Return the lengths in a text such as `3,2`, descending; GameError for another text."""
    lengths = [length.strip() for length in text.split(",")]
    if not all(re.fullmatch(r"0{0,8}[1-9]\d{0,8}", length, re.ASCII) for length in lengths):
        raise GameError(
            f"{text!r} is not a fleet; write ship lengths, 1 or more, with commas between them, as "
            "in 3,2"
        )
    return tuple(sorted(map(int, lengths), reverse=True))


@dataclass(frozen=True)
class Scope:
    """The games that a search goes through, and which of their positions.

    max_cells -- every grid with rows <= columns and at most this number of cells is searched.
    fleets -- each in descending order; if empty, every multiset of lengths from `shortest` up that
    fits on the grid. empty_only -- True searches the empty boards alone. shortest -- the least
    length of a ship; with ships of one cell the search takes much longer, and most games cannot be
    decided. listed_games -- if given, these games are searched instead, in their order; they may
    have holes. Then `max_cells` is the size of the largest. announce -- `nothing` or `name`.

    Raises TooLarge for all positions of grids with more than MAX_CELLS cells.
    """

    max_cells: int
    fleets: tuple[tuple[int, ...], ...] = ()
    contact: str = "none"
    empty_only: bool = False
    shortest: int = 2
    listed_games: tuple[Game, ...] = ()
    announce: str = "nothing"

    @classmethod
    def of(cls, games: Sequence[Game], empty_only: bool = False) -> Scope:
        """Return the scope of exactly these games, each once.

        empty_only -- True searches the empty boards alone, not all positions. Raises NotSupported
        if hits of a game tell more than the names of ships, ImpossiblePosition if a fleet does not
        fit.
        """
        for game in games:
            is_handled = game.is_silent or game.names_hits
            game.require_rule("a search for counterexamples", is_handled, "nothing|name")
            Configurations(Position(game)).require_some()
        cells = max(game.cells for game in games)
        return cls(cells, empty_only=empty_only, listed_games=tuple(dict.fromkeys(games)))

    def __post_init__(self) -> None:
        if self.max_cells > MAX_CELLS and not self.empty_only:
            raise TooLarge(
                f"all positions of grids of up to {self.max_cells} cells are too many; at most "
                f"{MAX_CELLS} cells, or empty boards only"
            )

    def __str__(self) -> str:
        """Return the scope in words, as in `every position of 3x4:2,2`; they label checkpoints."""
        positions = "the empty board" if self.empty_only else "every position"
        if self.listed_games:
            return f"{positions} of {' and '.join(map(str, self.listed_games))}"
        fleets = f"every fleet of ships of length {self.shortest} or more that fits"
        if self.fleets:
            listed = " and ".join(",".join(map(str, fleet)) for fleet in self.fleets)
            fleets = f"the fleet {listed}"
        announce = "" if self.announce == "nothing" else f",announce={self.announce}"
        return (
            f"{positions} of every grid of at most {self.max_cells} cells with {fleets}, "
            f"contact={self.contact}{announce}"
        )

    def games(self) -> Iterator[Game]:
        """Yield the games of the scope that have a configuration, by cells, rows and fleet.

        If games are listed, yield them in their own order.
        """
        if self.listed_games:
            yield from self.listed_games
            return
        for cells in range(1, self.max_cells + 1):
            for rows in range(1, cells + 1):
                columns, remainder = divmod(cells, rows)
                if not remainder and rows <= columns:
                    yield from sorted(self._games_on_grid(rows, columns), key=_fleet_order)

    def _games_on_grid(self, rows: int, columns: int) -> Iterator[Game]:
        """Yield the games of the scope on one grid that have a configuration, in any order."""
        if self.fleets:
            yield from self._fitting_games(rows, columns, set(self.fleets))
            return
        fleets: list[tuple[int, ...]] = [()]
        while fleets:  # a fleet fits only if it fits without its last ship
            longer_fleets: list[tuple[int, ...]] = []
            for fleet in fleets:
                longest = fleet[-1] if fleet else columns  # lengths do not ascend
                longer_fleets += [(*fleet, length) for length in range(self.shortest, longest + 1)]
            games = list(self._fitting_games(rows, columns, longer_fleets))
            yield from games
            fleets = [game.fleet for game in games]

    def _fitting_games(
        self, rows: int, columns: int, fleets: Iterable[tuple[int, ...]]
    ) -> Iterator[Game]:
        """Yield a game for each of these fleets that fits on a grid."""
        for fleet in fleets:
            if max(fleet) <= columns and sum(fleet) <= rows * columns:
                game = Game(rows, columns, fleet, self.contact, self.announce)
                if Configurations(Position(game)).configurations:
                    yield game


def _fleet_order(game: Game) -> tuple[int, tuple[int, ...]]:
    """Return the key that sorts fleets: fewer ships first, then shorter ones."""
    return len(game.fleet), game.fleet


# What is found


@dataclass(frozen=True)
class Counterexample:
    """A position in which the best greedy strategy is not optimal.

    code -- the position as a number with a digit for each cell, the first cell the highest digit:
        0 missed, 1 hit, 2 not shot. If hits name ships, each label of a hit has a digit of its own
        from 1 on, and the digit after these means not shot.
    configurations -- how many are left.
    best_greedy_total_height, total_height -- the shots from the position on, summed over the
        configurations, of the best greedy strategy and of the optimum.
    greedy_cells -- the mask of the most probable cells, without certain hits.
    best_cells -- the mask of the cells that an optimal strategy can shoot next.
    """

    game: Game
    code: int
    configurations: int
    best_greedy_total_height: int
    total_height: int
    greedy_cells: int
    best_cells: int

    @cached_property
    def position(self) -> Position:
        """The position, with its shots in row-major order."""
        game = self.game
        reply_to_hit = game.announcement.reply_to_hit
        hit_replies = [reply_to_hit(label, is_sunk=False) for label in _hit_labels(game)]
        replies = [MISS, *hit_replies]  # by digit; the last digit, not shot, has none
        shots = [
            Shot(game.cell(cell), replies[digit])
            for cell, digit in enumerate(_digits(game, self.code))
            if digit < len(replies)
        ]
        return Position(game, tuple(shots))

    @property
    def sort_key(self) -> tuple[object, ...]:
        """The key that sorts counterexamples: cells, configurations, shots, rows, fleet, code."""
        game, fleet_order = self.game, _fleet_order(self.game)
        return game.cells, self.configurations, self.shots, game.rows, fleet_order, self.code

    @property
    def shots(self) -> int:
        """The number of shots made."""
        return len(self.position.shots)

    @property
    def fields(self) -> dict[str, object]:
        """Return the fields of JSON answers and tables, by the names of their columns."""
        return {
            "game": str(self.game),
            "position": str(self.position),
            "cells": self.game.cells,
            "configurations": self.configurations,
            "shots": self.shots,
            "best_greedy_total_height": self.best_greedy_total_height,
            "total_height": self.total_height,
            "greedy_shots": self.game.names(self.greedy_cells),
            "best_shots": self.game.names(self.best_cells),
        }


def _hit_labels(game: Game) -> tuple[int | str | None, ...]:
    """Return the labels that a hit can have, in the order of their digits; (None,) if silent."""
    return (None,) if game.is_silent else game.labels


def _digit_base(game: Game) -> int:
    """Return the base of the codes: one digit for a miss, one for each label, one for not shot."""
    return len(_hit_labels(game)) + 2


def _count_positions(game: Game) -> int:
    """Count the positions of a game, possible or not; the last code is that of the empty board."""
    return _digit_base(game) ** game.cells


def _digits_if_all_shot(game: Game, ships: Sequence[int]) -> tuple[int, ...]:
    """Return a digit for each cell if all are shot: 0 after a miss, i + 1 after a hit of label i.

    ships -- of the configuration, as masks of cells.
    """
    digits = [0] * game.cells
    for ship, kind in zip(ships, game.kinds_of(ships), strict=True):
        for cell in bits(ship):
            digits[cell] = 1 + _hit_labels(game).index(game.label(kind, ship, cell))
    return tuple(digits)


def _digits(game: Game, code: int) -> list[int]:
    """Return the digits of a code, one for each cell in row-major order."""
    base, last_cell = _digit_base(game), game.cells - 1  # whose digit is the lowest
    return [code // base ** (last_cell - cell) % base for cell in range(game.cells)]


@dataclass(frozen=True)
class SearchedGame:
    """The counterexamples of one game.

    positions -- the number of positions searched, equivalent ones counted once.
    is_decided -- False if the search of the empty board took too much effort, or if the positions
        are too many. Then nothing is claimed.
    """

    game: Game
    positions: int
    counterexamples: tuple[Counterexample, ...]
    is_decided: bool = True


@dataclass(frozen=True)
class CounterexampleSearch:
    """The counterexamples of all games of a scope, in the order of `Scope.games`."""

    scope: Scope
    games: tuple[SearchedGame, ...]

    @cached_property
    def counterexamples(self) -> list[Counterexample]:
        """The counterexamples of all games, the smallest first."""
        return sorted(
            (example for searched in self.games for example in searched.counterexamples),
            key=lambda example: example.sort_key,
        )

    @property
    def undecided(self) -> list[Game]:
        """The games for which nothing is claimed."""
        return [searched.game for searched in self.games if not searched.is_decided]

    @property
    def positions(self) -> int:
        """The number of positions searched in the decided games, equivalent ones counted once."""
        return sum(searched.positions for searched in self.games if searched.is_decided)

    @property
    def summary(self) -> dict[str, object]:
        """Return what was searched, and the numbers of games, positions and counterexamples."""
        return {
            "searched": str(self.scope),
            "games": len(self.games),
            "undecided": len(self.undecided),
            "positions": self.positions,
            "counterexamples": len(self.counterexamples),
        }

    @property
    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the rows of the table: "counterexample" and its fields, then the undecided games.

        The row of an undecided game has "undecided", the game and its cells, and empty fields.
        """
        for example in self.counterexamples:
            values = example.fields.values()
            yield (
                "counterexample",
                *(" ".join(value) if isinstance(value, list) else str(value) for value in values),
            )
        for game in self.undecided:
            yield "undecided", str(game), "", str(game.cells), *[""] * 6

    @property
    def smallest(self) -> dict[str, Counterexample]:
        """The smallest counterexample by cells, by configurations and by shots; {} without any."""
        if not self.counterexamples:
            return {}
        return {
            "cells": self.counterexamples[0],
            "configurations": min(self.counterexamples, key=lambda example: example.configurations),
            "shots": min(self.counterexamples, key=lambda example: example.shots),
        }


# One game


class Positions:
    """The optimum and best greedy of all positions of a game that has at most MAX_POSITIONS.

    They follow from the definitions alone. N(p), the configurations of a position p, is the sum of
    N over the positions after each reply to a shot at any cell. M(p), the least misses of any
    strategy, is the least over all cells c of N(p after a miss at c) plus the sum of M over the
    positions after each reply. G(p), the least misses of greedy, is the same over the most probable
    cells c. A cell with the same reply in all configurations of a position is left out.

    configurations, optimum, greedy -- N, M and G by the codes of `Counterexample`.
    """

    def __init__(self, game: Game):
        self.game, self._digit_base = game, _digit_base(game)
        self._position_count = _count_positions(game)
        if self._position_count > MAX_POSITIONS:
            raise TooLarge(
                f"{game} has {self._position_count:,} positions; at most "
                f"{MAX_POSITIONS:,} are handled"
            )
        configurations = map(to_masks, list_ships(Position(game)))
        # The number of configurations by the digits of the board when every cell is shot.
        self._full_boards = Counter(_digits_if_all_shot(game, ships) for ships in configurations)
        # Codes as an array with an axis of digits for each cell. The last axis has length 1, so
        # that an index of all digits still gives an array.
        self._shape_by_digit = (*(self._digit_base,) * game.cells, 1)
        identity = tuple(range(game.cells))
        factors_of_one = [[1] * game.cells] * (self._digit_base - 2)
        self.configurations: Codes = self._sum_products(factors_of_one, identity).astype(np.int32)
        self.optimum: Codes = np.zeros(self._position_count, np.int32)
        self.greedy: Codes = np.zeros(self._position_count, np.int32)
        for codes in self._codes_by_shots():
            for chunk in np.array_split(codes, len(codes) // POSITIONS_AT_ONCE + 1):
                self._evaluate(chunk)

    def _sum_products(
        self, factors: Sequence[Sequence[int]], permutation: Permutation
    ) -> NDArray[np.uint64]:
        """Return for each position, by its code, a sum over its configurations, modulo 2^64.

        A configuration adds the product of the factors of its ship cells that are not shot yet.
        factors -- factors[i][c] is the factor of cell c if its hit has label i. permutation -- cell
        c takes the factor of the cell permutation[c].
        """
        sums = np.zeros(self._shape_by_digit, np.uint64)  # an axis for each cell
        for digits, count in self._full_boards.items():  # all cells shot: there is no factor
            sums[digits] = count
        # A configuration of a position in which a cell is not shot belongs to one position in which
        # it is: missed, or hit with some label.
        for cell in range(self.game.cells):
            sums_by_digit = np.moveaxis(sums, cell, 0)
            missed, *hits, not_shot = sums_by_digit  # views
            not_shot[...] = missed
            for hit, factors_of_label in zip(hits, factors, strict=True):
                not_shot += np.uint64(factors_of_label[permutation[cell]]) * hit
        return sums.ravel()

    def _codes_by_shots(self) -> list[Codes]:
        """List the positions that have a configuration, in groups of equally many shots.

        The group with every cell shot comes first, the empty board last.
        """
        unshot_counts = np.zeros(self._shape_by_digit, np.int8)
        for cell in range(self.game.cells):
            not_shot = np.moveaxis(unshot_counts, cell, 0)[-1]  # where the cell has this digit
            not_shot += 1
        unshot_counts = np.where(self.configurations > 0, unshot_counts.ravel(), -1)
        return [
            np.flatnonzero(unshot_counts == count).astype(np.int32)
            for count in range(self.game.cells + 1)
        ]

    def _evaluate(self, codes: Codes) -> None:
        """Fill in `optimum` and `greedy`, the least total misses, for these positions.

        Those of all positions with one shot more must be there already.
        """
        least_misses, least_greedy_misses = np.full((2, len(codes)), INFINITE, np.int32)
        most_hits = np.zeros(len(codes), np.int32)  # configurations with the likeliest cell so far
        for cell in range(self.game.cells):
            codes_after, is_choice = self._after_shot(codes, cell)
            after_miss = codes_after[0]
            hits = self.configurations[codes] - self.configurations[after_miss]
            misses = self._misses_of_shot(self.optimum, codes_after)
            np.minimum(least_misses, misses, where=is_choice, out=least_misses)
            greedy_misses = self._misses_of_shot(self.greedy, codes_after)
            is_likelier = hits > most_hits
            is_better_tie = (hits == most_hits) & (greedy_misses < least_greedy_misses)
            is_better = is_choice & (is_likelier | is_better_tie)
            least_greedy_misses[is_better] = greedy_misses[is_better]
            most_hits[is_better] = hits[is_better]
        # If no cell is a choice, nothing is in doubt and nothing is missed.
        self.optimum[codes] = np.where(most_hits, least_misses, 0)
        self.greedy[codes] = np.where(most_hits, least_greedy_misses, 0)

    def representatives(self) -> Codes:
        """Return one position of each set of equivalent ones: the first with the fewest shots.

        Positions with equal hashes (`_family_hashes`) count as equivalent. Two that are not have
        equal hashes with a probability of about 2^-60.
        """
        hashes = self._family_hashes()
        hashes_so_far = np.zeros(0, np.uint64)
        chosen = []
        for codes in reversed(self._codes_by_shots()):
            distinct, first_index = np.unique(hashes[codes], return_index=True)
            is_new = ~np.isin(distinct, hashes_so_far)
            chosen.append(codes[first_index[is_new]])
            hashes_so_far = np.concatenate([hashes_so_far, distinct[is_new]])
        return np.concatenate(chosen)

    def _family_hashes(self) -> NDArray[np.uint64]:
        """Return a hash for each position; equivalent positions have equal hashes.

        A hash is the least, over the symmetries of the grid, of the sums of `_sum_products` with a
        random odd factor for each label and cell. The factors of certain hits are divided out.
        """
        game, generator = self.game, np.random.default_rng(1)
        random_numbers = generator.integers(1 << 62, size=(self._digit_base - 2, game.cells))
        # Odd numbers have inverses.
        factors = [[int(number) | 1 for number in row] for row in random_numbers]
        hashes = np.full(self._position_count, np.iinfo(np.uint64).max)
        counts = self.configurations.reshape(self._shape_by_digit)
        for permutation in game.symmetries(MOST_TURNS):
            sums = self._sum_products(factors, permutation).reshape(self._shape_by_digit)
            for cell in range(game.cells):
                sums_by_digit = np.moveaxis(sums, cell, 0)
                counts_by_digit = np.moveaxis(counts, cell, 0)
                for count_if_hit, factor in zip(counts_by_digit[1:-1], factors, strict=True):
                    # Where the hit is certain, divide by the factor that all products have.
                    is_certain = (count_if_hit > 0) & (count_if_hit == counts_by_digit[-1])
                    inverse = np.uint64(pow(factor[permutation[cell]], -1, 1 << 64))
                    sums_by_digit[-1] *= np.where(is_certain, inverse, np.uint64(1))
            np.minimum(hashes, sums.ravel(), out=hashes)
        return hashes

    def counterexamples(self, codes: Codes) -> tuple[Counterexample, ...]:
        """Return those of these positions at which no greedy strategy is optimal."""
        codes = codes[self.greedy[codes] > self.optimum[codes]]
        greedy_cells, best_cells = self._greedy_and_best_cells(codes)
        hits = np.zeros(len(codes), np.int32)  # made in each position
        for place in range(self.game.cells):  # from the lowest digit, that of the last cell
            digits = codes // self._digit_base**place % self._digit_base
            hits += (digits > 0) & (digits < self._digit_base - 1)
        counts = self.configurations[codes]
        certain_hits = counts * (self.game.fleet_cells - hits)  # the hits that every strategy needs
        columns = (
            codes,
            counts,
            certain_hits + self.greedy[codes],
            certain_hits + self.optimum[codes],
            greedy_cells,
            best_cells,
        )
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return tuple(Counterexample(self.game, *row) for row in rows)

    def _greedy_and_best_cells(self, codes: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return two masks for each position: the most probable cells, and the optimal ones.

        Certain hits are in neither.
        """
        most_hits, greedy_cells = np.zeros((2, len(codes)), np.int64)
        best_value, best_cells = np.zeros((2, len(codes)), np.int64)
        for cell in range(self.game.cells):
            codes_after, is_choice = self._after_shot(codes, cell)
            hits = self.configurations[codes] - self.configurations[codes_after[0]]
            value = -self._misses_of_shot(self.optimum, codes_after)
            _keep_greatest(cell, hits, is_choice, most_hits, greedy_cells)
            _keep_greatest(cell, value, is_choice, best_value, best_cells)
        return greedy_cells, best_cells

    def _after_shot(self, codes: Codes, cell: int) -> tuple[list[Codes], NDArray[np.bool_]]:
        """Return the positions after each reply to a shot, and where the shot can tell something.

        codes -- the positions before it. The list has the codes after a miss, then after each hit;
        a position in which the cell is shot already keeps its code. The array is True where the
        cell is not shot and several replies are possible.
        """
        digit_weight = self._digit_base ** (self.game.cells - 1 - cell)
        unshot_digit = self._digit_base - 1  # the digits below it are the replies
        is_unshot = codes // digit_weight % self._digit_base == unshot_digit
        codes_after = []
        for reply_digit in range(unshot_digit):
            codes_with_reply = codes - digit_weight * (unshot_digit - reply_digit)
            codes_after.append(np.where(is_unshot, codes_with_reply, codes))
        possible_replies = sum(
            (self.configurations[part_codes] > 0).astype(np.int8) for part_codes in codes_after
        )
        return codes_after, is_unshot & (possible_replies > 1)

    def _misses_of_shot(self, misses: Codes, codes_after: list[Codes]) -> Codes:
        """Return for each position the total misses from now on if a cell is shot.

        misses -- the total misses of all positions, by their code. codes_after -- for each reply to
        the shot, a miss first, the codes of the positions after it.
        """
        total_misses = self.configurations[codes_after[0]].copy()  # each of these misses the shot
        for codes_after_reply in codes_after:
            total_misses += misses[codes_after_reply]
        return total_misses


def _keep_greatest(
    cell: int,
    values: NDArray[np.integer[Any]],
    is_choice: NDArray[np.bool_],
    greatest: NDArray[np.int64],
    masks: NDArray[np.int64],
) -> None:
    """Add a cell to the mask of each position where its value is the greatest so far, or equals it.

    Where it is greater, the mask and the value in `greatest` begin anew with this cell. is_choice
    -- False where the cell does not count.
    """
    is_greater = is_choice & ((masks == 0) | (values > greatest))
    masks[is_greater] = 0
    greatest[is_greater] = values[is_greater]
    masks[is_choice & (values == greatest)] |= 1 << cell


def search_game(game: Game, empty_only: bool) -> SearchedGame:
    """Search one game for counterexamples; a task for an executor.

    empty_only -- True searches the empty board alone, and takes games of any size.
    """
    position_count = _count_positions(game)
    if position_count > MAX_POSITIONS:
        return _search_large(game) if empty_only else SearchedGame(game, 0, (), is_decided=False)
    positions = Positions(game)
    empty_board = position_count - 1
    codes = np.array([empty_board], np.int32) if empty_only else positions.representatives()
    return SearchedGame(game, len(codes), positions.counterexamples(codes))


def _search_large(game: Game) -> SearchedGame:
    """Search the empty board of a game with too many positions to evaluate them all.

    The search for the optimum stops once no strategy can be better than the best greedy one.
    """
    position = Position(game)
    stop_at_limit: Progress[SearchStatus] = Limit(effort=MAX_NODES).watch()
    greedy = GreedySolver(position, progress=no_progress if game.is_silent else stop_at_limit)
    solver = Solver(position, progress=stop_at_limit)
    kernel = solver.kernel
    try:
        best_greedy = greedy.total_height()
        certain_hits = kernel.cells_left * kernel.weight(kernel.root)
        greedy_misses = best_greedy - certain_hits
        least_misses = kernel.solve(kernel.root, limit=greedy_misses)
        if least_misses >= greedy_misses:
            return SearchedGame(game, 1, ())
        counterexample = Counterexample(
            game=game,
            code=_count_positions(game) - 1,
            configurations=greedy.configurations,
            best_greedy_total_height=best_greedy,
            total_height=certain_hits + least_misses,
            greedy_cells=sum(1 << cell for cell in kernel.greedy_choices(kernel.root)),
            best_cells=game.mask(greedy.best_shots),
        )
    except LimitReached:
        return SearchedGame(game, 1, (), is_decided=False)
    return SearchedGame(game, 1, (counterexample,))


# All games


@dataclass(frozen=True, kw_only=True)
class CounterexampleStatus(Status):
    """The progress of a search: the games done, and the counterexamples in them."""

    games: int
    counterexamples: int


def find(
    scope: Scope,
    *,
    executor: Executor | None = None,
    workers: int = 2,
    folder: Path | None = None,
    progress: Progress[CounterexampleStatus] = no_progress,
) -> CounterexampleSearch:
    """Return the counterexamples of all games of a scope.

    executor -- any `concurrent.futures.Executor`; it gets a game at a time for each of `workers`,
    and the result does not depend on it. folder -- where finished games are stored; a run that was
    killed resumes from there. progress -- called after every game.

    Raises GameError if no game is in the scope, TableError for a folder that has another scope, is
    damaged, or is being written by another process.
    """
    games = list(scope.games())
    if not games:
        raise GameError(f"{scope}: none of these games has a configuration")
    with ExitStack() as stack:
        store = None
        if folder is not None:
            store = stack.enter_context(Facts(folder, f"counterexamples of {scope}"))
        finished = _load_finished_games(store, games)
        total_work = sum(map(_estimate_work, games))
        report_work = meter(
            progress, total_work, sum(map(_estimate_work, finished)), CounterexampleStatus
        )

        def report() -> None:
            examples = sum(len(searched.counterexamples) for searched in finished.values())
            work = sum(map(_estimate_work, finished))
            report_work(work, games=len(finished), counterexamples=examples)

        report()
        search_one = partial(search_game, empty_only=scope.empty_only)
        games_left = iter([game for game in games if game not in finished])
        results = run_tasks(executor or SerialExecutor(), search_one, games_left, workers, report)
        for game, searched in results:
            if store is not None:
                store.add(str(game), _make_entry(searched))
            finished[game] = searched
            report()
    return CounterexampleSearch(scope, tuple(finished[game] for game in games))


def _estimate_work(game: Game) -> int:
    """Return the estimated work for a game, in positions; used for the progress alone."""
    return min(_count_positions(game), MAX_POSITIONS)


# The checkpoint: the finished games. A counterexample is the list of its numbers


def _load_finished_games(store: Facts | None, games: list[Game]) -> dict[Game, SearchedGame]:
    """Return what the store has of games finished by an earlier run; TableError if damaged."""
    if store is None:
        return {}
    by_name = {str(game): game for game in games}
    try:
        return {by_name[name]: _read_entry(by_name[name], entry) for name, entry in store.items()}
    except (ValueError, TypeError, KeyError):
        raise TableError(f"{store.path} does not hold what a search found") from None


def _make_entry(searched: SearchedGame) -> dict[str, object]:
    """Return the counterexamples of one game as a dict that can be stored as JSON."""
    return {
        "positions": searched.positions,
        "is_decided": searched.is_decided,
        "counterexamples": [
            [getattr(example, name) for name in _COLUMNS] for example in searched.counterexamples
        ],
    }


_COLUMNS = [field.name for field in fields(Counterexample) if field.name != "game"]


def _read_entry(game: Game, entry: dict[str, object]) -> SearchedGame:
    """Return the counterexamples of one game from its entry in the store.

    Raises ValueError, TypeError or KeyError if the entry is damaged.
    """
    positions, is_decided, rows = entry["positions"], entry["is_decided"], entry["counterexamples"]
    if type(positions) is not int or type(is_decided) is not bool or not isinstance(rows, list):
        raise ValueError
    for row in rows:
        if len(row) != len(_COLUMNS) or any(type(number) is not int for number in row):
            raise ValueError
    return SearchedGame(
        game, positions, tuple(Counterexample(game, *row) for row in rows), is_decided
    )


# Trees


def trees(example: Counterexample) -> tuple[DecisionTree, DecisionTree]:
    """Return a best greedy tree and an optimal tree that part as late as possible."""
    compared = GreedySolver(example.position).compare()
    return compared.greedy, compared.optimal
