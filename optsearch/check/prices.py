"""Prices that show that no strategy takes less: files of them, checked in plain Python.

The bound is the nested dual of docs/lower-bounds.md, which has its proof. Any prices prove
something, so a file is not believed but evaluated: by this module alone, in whole numbers, from the
rules of the game. It is for games in which few ships can lie through two cells.

A file is one line of JSON for the head, one for y, `[[set, price], …]` with a set of each orbit,
and one for each hit and what misses near it leave: `[place, cell, near, sides, chains]`. `near` are
the parts u that are left (D); `sides` and `chains` are b and z of the configurations with the cell
and one of these, in ascending order. A set is an integer whose bit `row * columns + column` is a
cell. What has no line has prices 0.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, islice
from pathlib import Path
from typing import Any, NoReturn

from optsearch.check import reference
from optsearch.game import Game, bits, image
from optsearch.game.position import Position
from optsearch.support import documents
from optsearch.support.errors import OptsearchError, ProofError

FORMAT = "optsearch prices"
VERSION = 1
MISS = 4096  # units of prices
MOST = 8  # sets whose parts are all gone through
MOST_NEAR = 12  # cells near a hit
MOST_PRICE = 1 << 24
MOST_SETS = 20_000
_FIELDS = "format", "version", "game", "total_height", "lines"

Sets = tuple[int, ...]
Line = tuple[int, int, Sequence[int], Sequence[int], Sequence[int]]


@dataclass(frozen=True)
class Checked:
    """What prices were found to prove: that no strategy has a lower total height.

    prices -- lines of them. seconds -- wall time of the check.
    """

    game: Game
    total_height: int
    configurations: int
    prices: int
    seconds: float


def save(
    path: str | Path,
    game: Game,
    total_height: int,
    orbits: Sequence[tuple[int, int]],
    lines: Iterable[Line],
) -> None:
    """Write prices to a file."""
    rows = [json.dumps(line, separators=(",", ":")) for line in (orbits, *lines)]
    head = dict(zip(_FIELDS, (FORMAT, VERSION, str(game), total_height, len(rows)), strict=True))
    documents.write(path, "\n".join([json.dumps(head), *rows]) + "\n", ProofError)


def is_one(path: str | Path) -> bool:
    """Whether a file says that it has prices."""
    return documents.text_of(path, ProofError)[:200].startswith(f'{{"format": "{FORMAT}"')


def check(path: str | Path) -> Checked:
    """Check the prices in a file; ProofError for one that is none or proves less than it says."""
    started = time.perf_counter()
    found = _File(path)
    misses = found.misses()
    number = len(found.sets)
    total = misses + number * found.game.fleet_cells
    said = found.total_height
    if total < said:
        found.refuse(f"a total height of {said:,} is not proved; the prices prove {total:,}")
    return Checked(found.game, said, number, found.number, time.perf_counter() - started)


class _File:
    """Prices while they are checked: what is wrong with them is said with their path."""

    def __init__(self, path: str | Path):
        self.path = path
        lines = documents.text_of(path, ProofError).splitlines()
        head = self.json(lines[0] if lines else "", "the head")
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            self.refuse(f"the file has no prices; its head has no 'format': {FORMAT!r}")
        if set(head) != set(_FIELDS):
            self.refuse(f"the fields of the head are {', '.join(_FIELDS)}")
        if head["version"] != VERSION:
            self.refuse(f"the version is {head['version']!r:.20}; {VERSION} is read")
        if head["lines"] != len(lines) - 1 or len(lines) < 2:
            self.refuse(f"the head says {head['lines']!r:.20} lines, and {len(lines) - 1} follow")
        if type(head["total_height"]) is not int:
            self.refuse(f"'total_height' is {head['total_height']!r:.60}")
        self.total_height: int = head["total_height"]
        try:
            self.game = Game.parse(str(head["game"]))
            self.game.require_silent("a bound by prices")
        except OptsearchError as error:
            self.refuse(str(error))
        listed = reference.configurations(Position(self.game))
        self.sets = sorted(sum(ships) for ships in islice(listed, MOST_SETS + 1))
        if len(self.sets) > MOST_SETS:
            self.refuse(f"{self.game} has more than {MOST_SETS:,} configurations")
        if len(set(self.sets)) < len(self.sets) or not self.sets:
            self.refuse(f"{self.game} has no configurations, or several with the same cells")
        self.turns = self.game.symmetries()
        self.near = [0] * self.game.cells
        for ship in {ship for kind in self.game.fleet for ship in self.game.placements(kind)}:
            for cell in bits(ship):
                self.near[cell] |= ship & ~(1 << cell)
        self.y = self.prices_of_orbits(self.json(lines[1], "line 2"))
        self.lines: dict[tuple[int, int, frozenset[int]], tuple[list[int], list[int]]] = {}
        for number, line in enumerate(lines[2:], 3):
            self.add(self.json(line, f"line {number}"), f"line {number}")
        self.number = len(self.lines)

    def refuse(self, problem: str) -> NoReturn:
        raise ProofError(f"{self.path}: {problem}")

    def json(self, line: str, where: str) -> Any:
        try:
            return json.loads(line)
        except (ValueError, RecursionError) as error:
            self.refuse(f"{where} is not JSON: {error}")

    def integers(self, value: Any, where: str) -> list[int]:
        if not isinstance(value, list) or any(
            type(n) is not int or abs(n) > MOST_PRICE for n in value
        ):
            self.refuse(f"{where}: {value!s:.60} is not a list of integers up to {MOST_PRICE:,}")
        return value

    def prices_of_orbits(self, entries: Any) -> dict[int, int]:
        """y of every set."""
        every = set(self.sets)
        y: dict[int, int] = {}
        if not isinstance(entries, list):
            self.refuse("line 2 is not a list of sets with prices")
        for entry in entries:
            if not isinstance(entry, list) or [type(n) for n in entry] != [int, int]:
                self.refuse(f"line 2: {entry!s:.60} is not a set with its price")
            cells, price = int(entry[0]), int(entry[1])
            if cells not in every or cells in y or abs(price) > MOST_PRICE:
                self.refuse(
                    f"line 2: {entry!s:.60} is of no configuration, or of one that has a price, or "
                    f"above {MOST_PRICE:,}"
                )
            y |= dict.fromkeys((image(cells, turn) for turn in self.turns), price)
        if len(y) < len(self.sets):
            self.refuse(f"line 2: {len(y):,} of {len(self.sets):,} configurations have a price")
        return y

    def add(self, line: Any, where: str) -> None:
        if not isinstance(line, list) or [type(part) for part in line] != [int, int, *[list] * 3]:
            self.refuse(f"{where} is not [place, cell, near, sides, chains]")
        place, cell, near, *both = line
        try:
            key = place, cell, frozenset(near)
        except TypeError:
            self.refuse(f"{where}: {near!s:.60} are no sets of cells")
        if key in self.lines:
            self.refuse(f"{where}: what it is for has prices before")
        self.lines[key] = self.integers(both[0], where), self.integers(both[1], where)

    # The bound

    def misses(self) -> int:
        """What the prices prove."""
        total, place, highest = sum(self.y.values()), 0, max(self.y.values())
        hits = [
            _Hit(self, cell)
            for cell in range(self.game.cells)
            if all(turn[cell] >= cell for turn in self.turns)
            and any(cells >> cell & 1 for cells in self.sets)
        ]
        while highest > place * MISS:
            total += min(0, *(hit.least(place) for hit in hits))
            place += 1
        return max(0, -(-total // MISS))


class _Hit:
    """What is left when a cell is hit."""

    def __init__(self, file: _File, cell: int):
        self.file, self.cell, self.near = file, cell, file.near[cell]
        if self.near.bit_count() > MOST_NEAR:
            file.refuse(f"{self.near.bit_count()} cells are near a hit; at most {MOST_NEAR}")
        self.sets = [cells for cells in file.sets if cells >> cell & 1]
        self.halves: dict[int, _Half] = {}
        for u in sorted({cells & self.near for cells in self.sets}):
            rest = [cells & ~u & ~(1 << cell) for cells in self.sets if cells & self.near == u]
            self.halves[u] = _Half(file, rest)

    def least(self, place: int) -> int:
        """The bound on P at a place."""
        left = {
            frozenset(u for u in self.halves if not u & sum(1 << c for c in missed))
            for number in range(place + 1)
            for missed in combinations(bits(self.near), number)
        }
        return min(self.value(place, halves) for halves in left)

    def value(self, place: int, halves: frozenset[int]) -> int:
        members = [cells for cells in self.sets if cells & self.near in halves]
        none = [0] * len(members)
        sides, chains = self.file.lines.get((place, self.cell, halves), (none, none))
        if len(sides) != len(members) or len(chains) != len(members):
            self.file.refuse(
                f"place {place}, cell {self.cell}: {len(sides)} and {len(chains)} prices of "
                f"{len(members)} configurations"
            )
        b, z = dict(zip(members, sides, strict=True)), dict(zip(members, chains, strict=True))
        value = 0
        for u in halves:
            some = [cells for cells in members if cells & self.near == u]
            a = [self.file.y[cells] - MISS * place - b[cells] for cells in some]
            value += self.halves[u].bound(a, [z[cells] for cells in some])
        groups: dict[int, list[int]] = {}
        for cells in members:
            groups.setdefault(cells & ~self.near, []).append(cells)
        for group in groups.values():
            parts = tuple(sorted(cells & self.near for cells in group))
            if len(parts) > MOST:
                self.file.refuse(f"{len(parts)} sets are alike beside a hit; at most {MOST}")
            value += min(0, MISS * _misses(parts) - sum(b[cells] for cells in group))
        return value


class _Half:
    """The sets of a hit part that are alike near it: their parts with the same cell, with M."""

    def __init__(self, file: _File, sets: Sequence[int]):
        self.is_small = len(sets) <= MOST
        together = (
            [range(len(sets))]
            if self.is_small
            else [
                [i for i, one in enumerate(sets) if one >> cell & 1]
                for cell in range(file.game.cells)
            ]
        )
        self.parts: list[tuple[Sets, int]] = []
        for places in together:
            if len(places) > MOST:
                file.refuse(f"{len(places)} sets have the same two cells; at most {MOST}")
            for size in range(1, len(places) + 1):
                for part in combinations(places, size):
                    self.parts.append((part, MISS * _misses(tuple(sets[i] for i in part))))

    def bound(self, a: list[int], z: list[int]) -> int:
        """The bound on P at prices a."""
        low = a if self.is_small else [min(pair) for pair in zip(a, z, strict=True)]
        most: dict[int, int] = {}
        for part, misses in self.parts:
            gain = sum([low[i] for i in part]) - misses
            if gain > most.get(len(part), 0):
                most[len(part)] = gain
        value, place = sum(low) - sum(a), 0
        while most:
            gain = max(gain - MISS * place * size for size, gain in most.items())
            if gain <= 0:
                break
            value -= gain
            place += 1
            if self.is_small:
                break
        return value


@lru_cache(maxsize=1 << 16)
def _misses(sets: Sets) -> int:
    """M by its definition."""
    if len(sets) == 1:
        return 0
    every = 0
    for one in sets:
        every |= one
    best = None
    for cell in bits(every):
        hit = tuple(one for one in sets if one >> cell & 1)
        if len(hit) < len(sets):
            missed = tuple(one for one in sets if not one >> cell & 1)
            cost = len(missed) + _misses(hit) + _misses(missed)
            best = cost if best is None else min(best, cost)
    assert best is not None  # distinct sets differ in a cell
    return best
