"""How a person solves a puzzle: which cell follows next, from what, and how hard the whole is.

A step follows from one thing alone: two cells that touch, a row, a column, one ship, the ships of
one length. A ship lies nowhere that a count forbids. Where no step does, a cell is supposed to be
ship or water until that contradicts itself; the *depth* of a supposition is how many are open at
once.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from optsearch.game import Cell, bits, cell_name
from optsearch.game.names import LEVELS
from optsearch.solitaire.deduction import Deducer
from optsearch.solitaire.puzzle import SHIP, WATER, Clue, Puzzle, piece_text
from optsearch.support.errors import PuzzleError, TooLarge

RULES = ("touch", "row", "column", "ship", "line", "fleet", "supposition")  # easiest first


@dataclass(frozen=True)
class Step:
    """Cells that follow together.

    cells, value -- the cells, and whether they are `ship` or `water`; rule -- one of `RULES`;
    reason -- a sentence for people; depth -- of suppositions, 0 where there is none; chain -- what
    follows from a supposition, step by step, until it contradicts itself.
    """

    cells: tuple[Cell, ...]
    value: str
    rule: str
    reason: str
    depth: int = 0
    chain: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Grade:
    """How hard a puzzle is for a person.

    steps -- all of them in order; depth -- of the deepest supposition; level -- one of `LEVELS`:
        easy is by cells that touch and lines that are full, medium by ships and by the ways to
        fill a line too, hard and very hard with
        suppositions of depth 1 and 2; is_solved -- whether this was enough, beyond if not;
        is_cut_short -- whether the time was over before that was known.
    """

    steps: tuple[Step, ...]
    depth: int
    level: str
    is_solved: bool
    is_cut_short: bool = False

    @property
    def rules(self) -> dict[str, int]:
        """How many steps each rule took, those that took none left out."""
        number = Counter(step.rule for step in self.steps)
        return {rule: number[rule] for rule in RULES if number[rule]}


class Contradiction(Exception):
    """What is known cannot be; the message says why."""


class _Counts:
    """The counts of a puzzle as one matrix, by which all places of ships are tried at once."""

    def __init__(self, puzzle: Puzzle, places: list[tuple[int, int]]):
        lines = [
            (mask, count)
            for masks, counts in (
                (puzzle.row_masks, puzzle.row_counts),
                (puzzle.column_masks, puzzle.column_counts),
            )
            for mask, count in zip(masks, counts, strict=True)
            if count is not None
        ]
        self.cells = puzzle.rows * puzzle.columns
        self.lines = self._matrix([mask for mask, _ in lines]).T
        self.counts = np.array([count for _, count in lines], np.float32)
        self.index = {place: i for i, (place, _) in enumerate(places)}
        self.places = self._matrix([place for place, _ in places])
        self.shores = self._matrix([closed & ~place for place, closed in places])

    def _matrix(self, masks: list[int]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        size = -(-self.cells // 8)
        packed = b"".join(mask.to_bytes(size, "little") for mask in masks)
        rows = np.frombuffer(packed, np.uint8).reshape(-1, size)
        bits_of = np.unpackbits(rows, axis=1, count=self.cells, bitorder="little")
        return bits_of.astype(np.float32)

    def allow(self, places: list[tuple[int, int]], ship: int, water: int) -> list[tuple[int, int]]:
        """The places that leave no line with too many ship cells, nor with too little room."""
        if not places or not len(self.counts):
            return places
        chosen = [self.index[place] for place, _ in places]
        is_ship, is_water = self._matrix([ship, water])
        taken = is_ship @ self.lines + (self.places[chosen] * (1 - is_ship)) @ self.lines
        room = (1 - is_water) @ self.lines - (self.shores[chosen] * (1 - is_water)) @ self.lines
        fits = ((taken <= self.counts) & (room >= self.counts)).all(axis=1)
        return [place for place, fit in zip(places, fits.tolist(), strict=True) if fit]


class _Known:
    """What is known of each cell, and where ships can still lie."""

    def __init__(self, puzzle: Puzzle):
        self.puzzle = puzzle
        self.ship = 0
        self.water = 0
        self.live = {n: [(s, puzzle.closed(s)) for s in puzzle.allowed(n)] for n in puzzle.lengths}
        self.counts = _Counts(puzzle, [place for places in self.live.values() for place in places])
        for cell, value in puzzle.revealed:
            if value == WATER:
                self.water |= puzzle.bit(cell)
            else:
                self.ship |= puzzle.bit(cell)
        self.prune()

    def copy(self) -> _Known:
        """A copy that can be changed apart."""
        other = object.__new__(_Known)
        other.puzzle, other.ship, other.water = self.puzzle, self.ship, self.water
        other.live, other.counts = dict(self.live), self.counts
        return other

    @property
    def unknown(self) -> int:
        """Cells of which nothing is known."""
        return self.puzzle.everywhere & ~self.ship & ~self.water

    def learn(self, mask: int, value: str) -> None:
        """Take some cells for known."""
        if value == SHIP:
            self.ship |= mask
        else:
            self.water |= mask
        self.prune()

    def prune(self) -> None:
        """Keep the places of ships that what is known allows; Contradiction if too few are left."""
        for length, places in self.live.items():
            ship, water, number = self.ship, self.water, self.puzzle.fleet.count(length)
            kept = [
                (place, closed)
                for place, closed in places
                if not place & water and not (closed & ~place) & ship
            ]
            kept = self.counts.allow(kept, ship, self.water)
            placed = self.placed(kept)
            if len(placed) > number:
                raise Contradiction(f"{_ships(len(placed), length)} would be there, not {number}")
            if len(placed) == number:
                kept = placed
            if len(kept) < number:
                left = "1 place is" if len(kept) == 1 else f"{len(kept) or 'no'} places are"
                raise Contradiction(f"{left} left for {_ships(number, length)}")
            self.live[length] = kept

    def placed(self, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The places on which a ship is known to lie, whole and with water around."""
        taken, water = self.ship, self.water
        return [
            (place, closed)
            for place, closed in places
            if not place & ~taken and not (closed & ~place) & ~water
        ]


def _ships(number: int, length: int) -> str:
    return f"{number} ship{'' if number == 1 else 's'} of length {length}"


# The rules, easiest first


def _steps(known: _Known) -> Iterator[Step]:
    """What follows at once; Contradiction if something cannot be."""
    yield from _touching(known)
    yield from _lines(known)
    yield from _single_ships(known)
    yield from _ways(known)
    yield from _fleet(known)


def _step(known: _Known, mask: int, value: str, rule: str, reason: str) -> Iterator[Step]:
    mask &= known.unknown
    if mask:
        yield Step(tuple(known.puzzle.cells_of(mask)), value, rule, reason)


def _touching(known: _Known) -> Iterator[Step]:
    puzzle = known.puzzle
    for cell in puzzle.cells_of(known.ship):
        i, j = cell
        corners = sum(
            puzzle.bit((a, b))
            for a in (i - 1, i + 1)
            for b in (j - 1, j + 1)
            if 0 <= a < puzzle.rows and 0 <= b < puzzle.columns
        )
        if corners & known.ship:
            other = cell_name(puzzle.cells_of(corners & known.ship)[0])
            raise Contradiction(f"{cell_name(cell)} and {other} touch at a corner")
        yield from _step(
            known, corners, WATER, "touch", f"ships do not touch {cell_name(cell)} at its corners"
        )


def _counted(puzzle: Puzzle) -> Iterator[tuple[str, str, int, int]]:
    """The lines with a count: row or column, name, count, cells."""
    for kind, counts, masks in (
        ("row", puzzle.row_counts, puzzle.row_masks),
        ("column", puzzle.column_counts, puzzle.column_masks),
    ):
        for index, (count, mask) in enumerate(zip(counts, masks, strict=True)):
            if count is not None:
                name = str(Clue(kind, index, count)).partition(" = ")[0]
                yield kind, name, count, mask


def _lines(known: _Known) -> Iterator[Step]:
    for kind, name, count, mask in _counted(known.puzzle):
        taken = (known.ship & mask).bit_count()
        free = known.unknown & mask
        if taken > count:
            raise Contradiction(f"{name} has {_cells_text(taken)}, not {count}")
        if taken + free.bit_count() < count:
            most = taken + free.bit_count()
            raise Contradiction(f"{name} has room for {most or 'no'} ship cells, not {count}")
        if taken == count:
            yield from _step(
                known, free, WATER, kind, f"{name} has its {_cells_text(count)} already"
            )
        elif taken + free.bit_count() == count:
            yield from _step(
                known, free, SHIP, kind, f"{name} needs all cells left for its {_cells_text(count)}"
            )


def _cells_text(count: int) -> str:
    return f"{count} ship cell{'' if count == 1 else 's'}"


def _single_ships(known: _Known) -> Iterator[Step]:
    """A known cell of a ship: all ways in which that ship can lie have cells in common."""
    puzzle = known.puzzle
    shown = dict(puzzle.revealed)
    for cell in puzzle.cells_of(known.ship):
        bit, name = puzzle.bit(cell), cell_name(cell)
        places = [place for places in known.live.values() for place in places if place[0] & bit]
        if not places:
            raise Contradiction(f"no ship can lie on {name}")
        common, around, union = places[0][0], places[0][1], 0
        for place, closed in places:
            common &= place
            around &= closed
            union |= place
        what = f"the ship on {name}"
        value = shown.get(cell, SHIP)
        if value != SHIP:
            what += f", its {piece_text(value)},"
        number = "one place" if len(places) == 1 else f"{len(places)} places"
        yield from _step(
            known, common, SHIP, "ship", f"{what} has {number} to lie, all with these cells"
        )
        yield from _step(
            known, around & ~union, WATER, "ship", f"{what} has {number} to lie, and touches these"
        )


def _ways(known: _Known) -> Iterator[Step]:
    """All ways to lay ships in a line with its count, and across it, have cells in common."""
    puzzle = known.puzzle
    for _, name, count, mask in _counted(puzzle):
        if not known.unknown & mask:
            continue
        cells = list(bits(mask))
        pieces, limits = _pieces(known, mask, cells)
        ship = sum(1 << i for i, cell in enumerate(cells) if known.ship >> cell & 1)
        found = _filled(len(cells), count, ship, pieces, limits)
        if found is None:
            raise Contradiction(f"no way is left to lay {_cells_text(count)} in {name}")
        for value, contrary in ((SHIP, found[1]), (WATER, found[0])):
            common = sum(1 << cell for i, cell in enumerate(cells) if not contrary >> i & 1)
            reason = f"so it is in every way to lay ships with {_cells_text(count)} in {name}"
            yield from _step(known, common, value, "line", reason)


_Pieces = tuple[tuple[int, ...], ...]


def _pieces(known: _Known, mask: int, cells: list[int]) -> tuple[_Pieces, tuple[int, ...]]:
    """What can begin at each cell of a line, and how many ships of each length it can have.

    A ship in the line is its length, one that crosses it 0.
    """
    at = {cell: i for i, cell in enumerate(cells)}
    begins: list[set[int]] = [set() for _ in cells]
    limits = [0] * (max(known.puzzle.lengths) + 1)
    for length, places in known.live.items():
        for place, _ in places:
            here = place & mask
            if here == place:
                begins[at[(here & -here).bit_length() - 1]].add(length)
            elif here:
                begins[at[here.bit_length() - 1]].add(0)
        elsewhere = sum(not place & mask for place, _ in known.placed(places))
        limits[length] = known.puzzle.fleet.count(length) - elsewhere
    return tuple(tuple(sorted(lengths)) for lengths in begins), tuple(limits)


@lru_cache(maxsize=1 << 16)
def _filled(
    size: int, count: int, ship: int, pieces: _Pieces, limits: tuple[int, ...]
) -> tuple[int, int] | None:
    """The cells of a line that are a ship in some way to fill it, and that are water in some.

    None if there is no way. ship -- the cells that are known to be one.
    """

    @cache
    def rest(at: int, left: int, limits: tuple[int, ...]) -> tuple[int, int] | None:
        if left > max(0, size - at):
            return None
        if at >= size:
            return 0, 0
        ways = []
        if not ship >> at & 1 and (way := rest(at + 1, left, limits)):
            ways.append((way[0], way[1] | 1 << at))
        for length in pieces[at]:
            after = at + (length or 1)
            if after - at > left or ship >> after & 1 or (length and not limits[length]):
                continue
            fewer = limits
            if length:
                fewer = (*limits[:length], limits[length] - 1, *limits[length + 1 :])
            if way := rest(after + 1, left - (after - at), fewer):
                shore = 1 << after if after < size else 0
                ways.append((way[0] | (1 << after) - (1 << at), way[1] | shore))
        if not ways:
            return None
        can_be_ship = can_be_water = 0
        for with_ship, with_water in ways:
            can_be_ship |= with_ship
            can_be_water |= with_water
        return can_be_ship, can_be_water

    return rest(0, count, limits)


def _fleet(known: _Known) -> Iterator[Step]:
    puzzle = known.puzzle
    union = 0
    for length, places in known.live.items():
        for place, _ in places:
            union |= place
        placed = known.placed(places)
        open_places = [place for place in places if place not in placed]
        left = puzzle.fleet.count(length) - len(placed)
        if not left:
            continue
        if len(open_places) == left or left == 1:
            common, around = -1, -1
            for place, closed in open_places:
                common &= place
                around &= closed
            if len(open_places) == left:
                common = around = 0
                for place, closed in open_places:
                    common |= place
                    around |= closed
            name = "ship" if left == 1 else f"{left} ships"
            where = f"{len(open_places)} place{'' if len(open_places) == 1 else 's'}"
            reason = f"the {name} of length {length} still to find can lie in {where} only"
            yield from _step(known, common, SHIP, "fleet", reason)
            if len(open_places) == left:
                yield from _step(known, around & ~common, WATER, "fleet", reason)
    yield from _step(
        known, puzzle.everywhere & ~union, WATER, "fleet", "no ship still to find fits there"
    )


# Suppositions


class _Suppositions:
    """Which suppositions lead to a contradiction: the kernel finds them, the rules tell how.

    end -- when the time is over, None where it never is. with_kernel -- if not, the rules find them
    too.
    """

    def __init__(self, puzzle: Puzzle, end: float | None, with_kernel: bool = True):
        self._end = end
        self._deducer = Deducer(puzzle, self._tick) if with_kernel else None

    def _tick(self) -> None:
        if self._end is not None and time.monotonic() > self._end:
            raise TooLarge("the time for suppositions is over")

    def first(self, known: _Known, depth: int) -> Step | None:
        """A cell that follows because the contrary contradicts itself, by the least depth."""
        self._tick()
        for deep in range(1, depth + 1):
            found = self._found(known, deep)
            if found is not None:
                index, value = found
                return self._told(known.copy(), index, value, deep)
        return None

    def _found(self, known: _Known, deep: int) -> tuple[int, str] | None:
        """The first supposition of a depth that contradicts itself: a cell and what it is.

        What follows from a supposition without contradiction cannot lead to one itself.
        """
        if self._deducer is not None and self._deducer.know(known.ship, known.water):
            raise AssertionError(f"kernel and rules disagree on {known.puzzle}")
        tried = {SHIP: 0, WATER: 0}
        for index in bits(known.unknown):
            for value in (SHIP, WATER):
                if tried[value] >> index & 1:
                    continue
                follows = self._follows(known, index, value, deep - 1)
                if follows is None:
                    return index, value
                tried[SHIP] |= follows[0]
                tried[WATER] |= follows[1]
        return None

    def _follows(self, known: _Known, index: int, value: str, depth: int) -> tuple[int, int] | None:
        """What follows from a supposition, as masks of ship and water; None if a contradiction."""
        if self._deducer is not None:
            return self._deducer.suppose(index, value == SHIP, depth)
        self._tick()
        trial = known.copy()
        try:
            trial.learn(1 << index, value)
            for _ in self._settle(trial, depth):
                pass
        except Contradiction:
            return None
        return trial.ship, trial.water

    def _told(self, trial: _Known, index: int, value: str, deep: int) -> Step:
        """The steps from a supposition to its contradiction."""
        chain: list[Step] = []
        try:
            trial.learn(1 << index, value)
            for step in self._settle(trial, deep - 1):
                chain.append(step)  # kept where the next one raises
        except Contradiction as why:
            cell = trial.puzzle.cell(index)
            reason = f"if {cell_name(cell)} were {value}: {why}"
            contrary = WATER if value == SHIP else SHIP
            return Step((cell,), contrary, "supposition", reason, deep, tuple(chain))
        raise AssertionError(f"kernel and rules disagree on {trial.puzzle}")

    def _settle(self, known: _Known, depth: int) -> Iterator[Step]:
        """Learn all that follows by suppositions up to a depth; Contradiction if nothing can be."""
        while True:
            step = next(_steps(known), None)
            if step is None and depth and known.unknown:
                step = self.first(known, depth)
            if step is None:
                return
            known.learn(sum(known.puzzle.bit(cell) for cell in step.cells), step.value)
            yield step


def _next(known: _Known, max_depth: int, suppositions: _Suppositions) -> Step | None:
    step = next(_steps(known), None)
    return suppositions.first(known, max_depth) if step is None and max_depth else step


def _begin(puzzle: Puzzle) -> _Known:
    total = sum(puzzle.fleet)
    for kind, counts in (("row", puzzle.row_counts), ("column", puzzle.column_counts)):
        known = sum(count or 0 for count in counts)
        if known > total or (known < total and None not in counts):
            raise PuzzleError(
                f"the puzzle contradicts itself: its {kind} counts add up to {known}, and the "
                f"fleet {puzzle.fleet_text} has {total} cells"
            )
    try:
        return _Known(puzzle)
    except Contradiction as why:
        raise PuzzleError(f"the puzzle contradicts itself: {why}") from None


def explain(puzzle: Puzzle, max_depth: int = 2, time_limit: float | None = None) -> Step | None:
    """The next cells that follow from what is revealed, and why; None if nothing does.

    None also where everything is known. Raises PuzzleError for a puzzle found to contradict itself,
    and TooLarge when the time (seconds) is over.
    """
    known = _begin(puzzle)
    end = None if time_limit is None else time.monotonic() + time_limit
    try:
        return _next(known, max_depth, _Suppositions(puzzle, end))
    except Contradiction as why:
        raise PuzzleError(f"the puzzle contradicts itself: {why}") from None


def grade(
    puzzle: Puzzle,
    max_depth: int = 2,
    time_limit: float | None = None,
    with_kernel: bool = True,
) -> Grade:
    """The steps in which a person can solve a puzzle, easiest first each time, and its level.

    max_depth -- suppositions go no deeper.
    time_limit -- seconds, after which the grade is what is known by then.
    with_kernel -- if not, suppositions are tried by the rules in words, to the same steps: far
        slower.

    Raises PuzzleError for a puzzle found to contradict itself.
    """
    known = _begin(puzzle)
    end = None if time_limit is None else time.monotonic() + time_limit
    suppositions = _Suppositions(puzzle, end, with_kernel)
    is_cut_short = False
    steps: list[Step] = []
    try:
        while known.unknown:
            step = _next(known, max_depth, suppositions)
            if step is None:
                break
            steps.append(step)
            known.learn(sum(puzzle.bit(cell) for cell in step.cells), step.value)
    except TooLarge:
        is_cut_short = True
    except Contradiction as why:
        raise PuzzleError(f"the puzzle contradicts itself: {why}") from None
    depth = max((step.depth for step in steps), default=0)
    is_medium = any(step.rule in ("ship", "line", "fleet") for step in steps)
    is_solved = not known.unknown
    level = LEVELS[min(depth + 1, 3) if depth else int(is_medium)] if is_solved else LEVELS[-1]
    return Grade(tuple(steps), depth, level, is_solved, is_cut_short)
