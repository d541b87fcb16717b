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
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

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

Codes = NDArray[np.int32]

MAX_CELLS = 16  # of a game all of whose positions are looked at
MAX_POSITIONS = 3**MAX_CELLS  # of such a game, possible or not
AT_ONCE = 1 << 16  # positions
NEVER = np.iinfo(np.int32).max

MAX_NODES = 100_000
"""An empty board of more than MAX_POSITIONS positions is undecided where the solver, or where hits
name ships greedy, needs more effort (`optsearch.tree.solution.Status`)."""

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
    fleets -- the fleets, each in descending order; if empty, every multiset of lengths from
        `shortest` up that fits on the grid.
    shortest -- the least length of a ship. With ships of one cell, which the paper's game does not
        have, the search takes much longer, and most of its games cannot be decided.
    contact -- the rule for ships that touch. announce -- `nothing` or `name`.
    empty_only -- True searches only the empty boards, not all positions.
    listed_games -- if given, these games are searched, in their order; they may have holes. Then
        `max_cells` is the number of cells of the largest, and the other fields about grids, fleets
        and rules are not used.

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

        Raises NotSupported if hits of a game tell more than the names of ships, ImpossiblePosition
        if a fleet does not fit.
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
        """Return the scope in words, as `every position of 3x4:2,2`; it names a checkpoint."""
        fleets = " and ".join(",".join(map(str, fleet)) for fleet in self.fleets)
        positions = "the empty board" if self.empty_only else "every position"
        if self.listed_games:
            return f"{positions} of {' and '.join(map(str, self.listed_games))}"
        every = f"every fleet of ships of length {self.shortest} or more that fits"
        return (
            f"{positions} of every grid of at most {self.max_cells} cells with "
            f"{f'the fleet {fleets}' if fleets else every}, contact={self.contact}"
            + f",announce={self.announce}"
            * (self.announce != "nothing")
        )

    def games(self) -> Iterator[Game]:
        """Yield the games that have a configuration, by cells, rows and fleet.

        Listed games are yielded in their own order.
        """
        if self.listed_games:
            yield from self.listed_games
            return
        for cells in range(1, self.max_cells + 1):
            for rows in range(1, cells + 1):
                columns, remainder = divmod(cells, rows)
                if not remainder and rows <= columns:
                    yield from sorted(self._on(rows, columns), key=_fleet_order)

    def _on(self, rows: int, columns: int) -> Iterator[Game]:
        if self.fleets:
            yield from self._fitting(rows, columns, set(self.fleets))
            return
        fleets: list[tuple[int, ...]] = [()]
        while fleets:  # a fleet fits only if it fits without its last ship
            longer = [
                (*fleet, length)
                for fleet in fleets
                for length in range(self.shortest, (fleet[-1] if fleet else columns) + 1)
            ]
            games = list(self._fitting(rows, columns, longer))
            yield from games
            fleets = [game.fleet for game in games]

    def _fitting(
        self, rows: int, columns: int, fleets: Iterable[tuple[int, ...]]
    ) -> Iterator[Game]:
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
        replies = [MISS, *(game.announcement.reply_to_hit(name, False) for name in _names(game))]
        digits = enumerate(_digits(game, self.code))
        shots = (Shot(game.cell(i), replies[d]) for i, d in digits if d < len(replies))
        return Position(game, tuple(shots))

    @property
    def order(self) -> tuple[object, ...]:
        """The key by which counterexamples are sorted; the head of the module says it in words."""
        game = self.game
        return (
            *(game.cells, self.configurations, self.shots, game.rows),
            *(_fleet_order(game), self.code),
        )

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


def _names(game: Game) -> tuple[int | str | None, ...]:
    """Return the labels that a hit can tell; each is a digit of a code."""
    return (None,) if game.is_silent else game.labels


def _base(game: Game) -> int:
    """Return the base of the codes: one digit for a miss, one for each label, one for not shot."""
    return len(_names(game)) + 2


def _hit_digits(game: Game, ships: Sequence[int]) -> tuple[int, ...]:
    """Return the digits of a configuration of which every cell is shot."""
    digits = [0] * game.cells
    for ship, kind in zip(ships, game.kinds_of(ships), strict=True):
        for cell in bits(ship):
            digits[cell] = 1 + _names(game).index(game.label(kind, ship, cell))
    return tuple(digits)


def _digits(game: Game, code: int) -> list[int]:
    """Return the digits of a code, one for each cell in row-major order."""
    base = _base(game)
    return [code // base ** (game.cells - 1 - i) % base for i in range(game.cells)]


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
            key=lambda example: example.order,
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

    They follow from the definitions alone. N(p) is the number of configurations of a position p: it
    is the sum of N over the positions after each reply to a shot at any cell. M(p), the least
    misses over all strategies, is the least over all cells c of N(p after a miss at c) plus the sum
    of M over the positions after each reply. G(p), the least misses over greedy strategies, is the
    same over the most probable cells c. A cell with the same reply in all configurations of a
    position is left out.

    configurations, optimum, greedy -- N, M and G by the codes of `Counterexample`.
    """

    def __init__(self, game: Game):
        self.game, self._base = game, _base(game)
        self._number = self._base**game.cells
        if self._number > MAX_POSITIONS:
            raise TooLarge(
                f"{game} has {self._number:,} positions; at most {MAX_POSITIONS:,} are handled"
            )
        ships = map(to_masks, list_ships(Position(game)))
        self._hidden = Counter(_hit_digits(game, row) for row in ships)
        self._cube = (*(self._base,) * game.cells, 1)  # an axis a cell, and arrays even of one
        identity = tuple(range(game.cells))
        unit_rows = [[1] * game.cells] * (self._base - 2)
        self.configurations: Codes = self._summed(unit_rows, identity).astype(np.int32)
        self.optimum: Codes = np.zeros(self._number, np.int32)
        self.greedy: Codes = np.zeros(self._number, np.int32)
        for codes in self._by_shots():
            for chunk in np.array_split(codes, len(codes) // AT_ONCE + 1):
                self._explore(chunk)

    def _summed(
        self, factors: Sequence[Sequence[int]], permutation: Permutation
    ) -> NDArray[np.uint64]:
        """Sum over the configurations of each position the product of factors of cells not shot.

        Sums are modulo 2^64. factors -- by label and cell. permutation -- maps cells to cells.
        """
        sums, cells = np.zeros(self._cube, np.uint64), self.game.cells
        for digits, number in self._hidden.items():
            sums[digits] = number
        for cell in range(cells):
            at = np.moveaxis(sums, cell, 0)  # missed, hits, not shot
            at[-1] = at[0]
            for hit, factor in zip(at[1:-1], factors, strict=True):
                at[-1] += np.uint64(factor[permutation[cell]]) * hit
        return sums.ravel()

    def _by_shots(self) -> list[Codes]:
        """List the positions that have a configuration, by the number of shots, the most first."""
        unshot = np.zeros(self._cube, np.int8)
        for cell in range(self.game.cells):
            np.moveaxis(unshot, cell, 0)[-1] += 1
        unshot = np.where(self.configurations > 0, unshot.ravel(), -1)
        return [np.flatnonzero(unshot == n).astype(np.int32) for n in range(self.game.cells + 1)]

    def _explore(self, codes: Codes) -> None:
        """Fill M and G of these positions; the positions after one more shot must have theirs."""
        optimum, greedy = np.full((2, len(codes)), NEVER, np.int32)
        likeliest = np.zeros(len(codes), np.int32)
        for cell in range(self.game.cells):
            after, is_open = self._after(codes, cell)
            lacking = self.configurations[after[0]]
            having = self.configurations[codes] - lacking
            cost = self._cost(self.optimum, after)
            np.minimum(optimum, cost, where=is_open, out=optimum)
            cost = self._cost(self.greedy, after)
            is_better = is_open & ((having > likeliest) | ((having == likeliest) & (cost < greedy)))
            greedy[is_better] = cost[is_better]
            likeliest[is_better] = having[is_better]
        self.optimum[codes] = np.where(likeliest, optimum, 0)
        self.greedy[codes] = np.where(likeliest, greedy, 0)

    def representatives(self) -> Codes:
        """Return one position of each set of equivalent ones: the first with the fewest shots.

        Equivalent positions are found by a hash of their residual families. It is the least, over
        the symmetries, of the sums of `_sum_products` with a random odd factor for each label and
        cell, without the factors of certain hits. Two positions that are not equivalent have equal
        hashes with a probability of about 2^-60.
        """
        game, generator = self.game, np.random.default_rng(1)
        drawn = generator.integers(1 << 62, size=(self._base - 2, game.cells))
        factors = [[int(n) | 1 for n in row] for row in drawn]
        kinds = np.full(self._number, np.iinfo(np.uint64).max)
        left = self.configurations.reshape(self._cube)
        for permutation in game.symmetries(MOST_TURNS):
            sums = self._summed(factors, permutation).reshape(self._cube)
            for cell in range(game.cells):
                sums_at, left_at = np.moveaxis(sums, cell, 0), np.moveaxis(left, cell, 0)
                for hit, factor in zip(left_at[1:-1], factors, strict=True):
                    inverse = np.uint64(pow(factor[permutation[cell]], -1, 1 << 64))
                    sums_at[-1] *= np.where((hit > 0) & (hit == left_at[-1]), inverse, np.uint64(1))
            np.minimum(kinds, sums.ravel(), out=kinds)
        earlier = np.zeros(0, np.uint64)
        chosen = []
        for codes in reversed(self._by_shots()):
            distinct, first = np.unique(kinds[codes], return_index=True)
            is_new = ~np.isin(distinct, earlier)
            chosen.append(codes[first[is_new]])
            earlier = np.concatenate([earlier, distinct[is_new]])
        return np.concatenate(chosen)

    def counterexamples(self, codes: Codes) -> tuple[Counterexample, ...]:
        """Return the counterexamples among these positions."""
        codes = codes[self.greedy[codes] > self.optimum[codes]]
        likely, best = self._shots(codes)
        digits = (codes // self._base**i % self._base for i in range(self.game.cells))
        hits = sum((digit > 0) & (digit < self._base - 1) for digit in digits)
        weights = self.configurations[codes]
        certain = weights * (self.game.fleet_cells - hits)
        columns = (codes, weights, certain + self.greedy[codes], certain + self.optimum[codes])
        rows = zip(*(column.tolist() for column in (*columns, likely, best)), strict=True)
        return tuple(Counterexample(self.game, *row) for row in rows)

    def _shots(self, codes: Codes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Masks of the most probable cells, certain hits aside, and of the optimal ones."""
        likeliest, likely = np.zeros((2, len(codes)), np.int64)
        cheapest, best = np.zeros((2, len(codes)), np.int64)
        for cell in range(self.game.cells):
            after, is_open = self._after(codes, cell)
            having = self.configurations[codes] - self.configurations[after[0]]
            cost = self._cost(self.optimum, after)
            for value, top, mask in ((having, likeliest, likely), (-cost, cheapest, best)):
                is_better = is_open & ((mask == 0) | (value > top))
                mask[is_better] = 0
                top[is_better] = value[is_better]
                mask[is_open & (value == top)] |= 1 << cell
        return likely, best

    def _after(self, codes: Codes, cell: int) -> tuple[list[Codes], NDArray[np.bool_]]:
        """Return the positions after each reply, a miss first; and where several are possible."""
        power = self._base ** (self.game.cells - 1 - cell)
        unshot = codes // power % self._base == self._base - 1
        after = [codes - power * n * unshot for n in range(self._base - 1, 0, -1)]
        replies = sum((self.configurations[part] > 0).astype(np.int8) for part in after)
        return after, unshot & (replies > 1)

    def _cost(self, misses: Codes, after: list[Codes]) -> Codes:
        """Return the misses of a shot, by those of all positions: after it, and its own."""
        total = self.configurations[after[0]].copy()
        for part in after:
            total += misses[part]
        return total


def search_game(game: Game, empty_only: bool) -> SearchedGame:
    """Search one game for counterexamples; a task for an executor.

    empty_only -- True looks at the empty board alone, and takes games of any size.
    """
    number = _base(game) ** game.cells
    if number > MAX_POSITIONS:
        return _search_large(game) if empty_only else SearchedGame(game, 0, (), is_decided=False)
    positions = Positions(game)
    codes = np.array([number - 1], np.int32) if empty_only else positions.representatives()
    return SearchedGame(game, len(codes), positions.counterexamples(codes))


def _search_large(game: Game) -> SearchedGame:
    """Search the empty board of a game with too many positions to evaluate them all.

    The search asks only if any strategy has a total below best greedy.
    """
    position = Position(game)
    limited: Progress[SearchStatus] = Limit(effort=MAX_NODES).watch()
    greedy = GreedySolver(position, progress=no_progress if game.is_silent else limited)
    solver = Solver(position, progress=limited)
    kernel = solver.kernel
    try:
        best_greedy = greedy.total_height()
        certain = kernel.cells_left * kernel.weight(kernel.root)
        misses = best_greedy - certain
        cost = kernel.solve(kernel.root, limit=misses)
        if cost >= misses:
            return SearchedGame(game, 1, ())
        counterexample = Counterexample(
            game,
            _base(game) ** game.cells - 1,
            greedy.configurations,
            best_greedy,
            certain + cost,
            sum(1 << cell for cell in kernel.greedy_choices(kernel.root)),
            game.mask(greedy.best_shots),
        )
    except LimitReached:
        return SearchedGame(game, 1, (), is_decided=False)
    return SearchedGame(game, 1, (counterexample,))


# All games


@dataclass(frozen=True, kw_only=True)
class CounterexampleStatus(Status):
    """The progress of a search: the games done, and the counterexamples found in them.

    The share of the work that is done is approximate.
    """

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
    and the result does not depend on it. folder -- where every finished game is stored, so that a
    run that was stopped or killed resumes from it. progress -- called after every game.

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
        finished = _finished_games(store, games)
        total = sum(map(_work, games))
        report_work = meter(progress, total, sum(map(_work, finished)), CounterexampleStatus)

        def report() -> None:
            examples = sum(len(searched.counterexamples) for searched in finished.values())
            report_work(sum(map(_work, finished)), games=len(finished), counterexamples=examples)

        report()
        work = partial(search_game, empty_only=scope.empty_only)
        missing = iter([game for game in games if game not in finished])
        for game, searched in run_tasks(
            executor or SerialExecutor(), work, missing, workers, report
        ):
            if store is not None:
                store.add(str(game), _entry(searched))
            finished[game] = searched
            report()
    return CounterexampleSearch(scope, tuple(finished[game] for game in games))


def _work(game: Game) -> int:
    """Return the estimated work for a game, in positions; used for the progress alone."""
    return min(_base(game) ** game.cells, MAX_POSITIONS)


# The checkpoint: the finished games. A counterexample is the list of its numbers


def _finished_games(store: Facts | None, games: list[Game]) -> dict[Game, SearchedGame]:
    """Return what the store has of games finished by an earlier run; TableError if damaged."""
    if store is None:
        return {}
    by_name = {str(game): game for game in games}
    try:
        return {by_name[name]: _from_entry(by_name[name], entry) for name, entry in store.items()}
    except (ValueError, TypeError, KeyError):
        raise TableError(f"{store.path} does not hold what a search found") from None


def _entry(searched: SearchedGame) -> dict[str, object]:
    """Return the entry of a game in the store, which `_from_entry` reads."""
    return {
        "positions": searched.positions,
        "is_decided": searched.is_decided,
        "counterexamples": [
            [getattr(example, name) for name in _NUMBERS] for example in searched.counterexamples
        ],
    }


_NUMBERS = (
    "code",
    "configurations",
    "best_greedy_total_height",
    "total_height",
    "greedy_cells",
    "best_cells",
)


def _from_entry(game: Game, entry: dict[str, object]) -> SearchedGame:
    """Return the game in an entry of the store; ValueError, TypeError or KeyError if damaged."""
    positions, is_decided, rows = (
        entry[key] for key in ("positions", "is_decided", "counterexamples")
    )
    if type(positions) is not int or type(is_decided) is not bool or not isinstance(rows, list):
        raise ValueError
    for row in rows:
        if len(row) != len(_NUMBERS) or any(type(number) is not int for number in row):
            raise ValueError
    return SearchedGame(
        game, positions, tuple(Counterexample(game, *row) for row in rows), is_decided
    )


# Trees


def trees(example: Counterexample) -> tuple[DecisionTree, DecisionTree]:
    """Return a best greedy tree and an optimal tree that part as late as possible."""
    compared = GreedySolver(example.position).compare()
    return compared.greedy, compared.optimal
