"""Greedy with one exact rollout step: the most probable cells compared by what greedy does next.

The definition is complete and in this file; `Rollout.shot` is the definition in plain Python, and
the kernel `optsearch.compiled._evaluate` does the same on columns of bits. At a position, F is the
family of the configurations left, and a cell that some of them have and some do not is *open*.

1. A certain hit is shot at once: it tells nothing and costs nothing.
2. With `endgame` configurations left or fewer, an optimal cell is shot, the first one row by row.
3. The open cells are gone through from the most probable on, row by row where they tie. A cell is a
   candidate unless an earlier candidate is in all its configurations. It ends with `candidates`
   candidates, or before the first cell whose probability is below `percent` percent of the
   greatest.
4. Where there are more than `finalists` candidates and F has more than `screen` configurations,
   the cost (step 5) of each is taken on the sample of at most `screen`, and only the `finalists`
   cheapest are left, the first in the order of step 3 where they tie.
5. A candidate costs one miss for each configuration without it, and what *greedy* misses after it
   was hit and after it was missed. This greedy shoots the most probable open cell, the first one
   row by row, and plays the optimum for four configurations and fewer. The cheapest candidate is
   shot, the first in the order of step 3.

Up to `cap` configurations the costs are those of F. Above, they are those of the sample of at most
`cap`, and "in all its configurations" in step 3 is judged on it. The sample S of at most so many is
the configurations whose hash ends in b zero bits, with the least b for which there are no more.
(It can be empty; every cell costs nothing then.)
Greedy then stops at `truncate` configurations of S or fewer, and a part P of S is taken to miss
|P| v(k, n) times, where n = 2^b |P|, and k is the number of open cells that a configuration of S
has, as it was at the last shot of greedy before P (rounded), less one if that was a hit. v is
`estimate`, which was fitted to greedy.

Where sinkings are announced, a configuration is its ships, a shot has more replies than two, and
the order of the hits decides what a sinking tells. There a certain hit is a cell like others, for
the strategy and for greedy: step 1 is left out, step 3 goes through every cell that some
configuration has and that is not hit, and takes each for a candidate until it ends. All this is in
plain Python, some seconds a game of the paper's fleet. With more configurations than `sizes`
says, or fewer (and more than `endgame`), nothing is compared: what the `policy` shoots is shot, and
without a policy a most probable cell, the first one row by row.

With `rank` step 3 goes through the cells from the highest score on, in place of the probability
(`percent` then is of the highest score, if that is above 0). With `policy` step 5 plays this score
where it plays greedy, with more configurations than its `least`; its `endgame` and its order of
ties count for nothing here. On samples both are given the numbers of the sample, each configuration
standing for 2^b.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from optsearch.compiled._walk import BUCKETS, MAX_ENDGAME, SMALL, UNIT
from optsearch.counting.configurations import Codes, to_masks
from optsearch.game import MAX_CELLS, Cell, Game, bits
from optsearch.game.position import HIT, MISS, Position, Reply
from optsearch.search.kernels import Kernel, State, announced_kernel
from optsearch.strategies import Rule, Strategy
from optsearch.strategies.greedy import (
    Counts,
    counts_of,
    first_best_shot,
    optimal_shot,
    residual_sets,
)
from optsearch.strategies.player import number, require_range, text
from optsearch.strategies.rules import ANNOUNCED, RANGES, CompiledScore
from optsearch.strategies.score import Score, score_of, scoring_named
from optsearch.support.errors import StrategyError

Costs = Callable[[int, list[int]], list[int]]  # of cells on the sample of at most so many
Sampled = Callable[[int], tuple[int, list[int]]]  # the sample of at most so many, and its bits

A_SCORE = "spread, or another strategy by a score"

# v(k, n) is the sum of FIT[i][j] L^i / k^j, with L = log2 n: fitted to what greedy misses at the
# nodes below 14 random positions of the paper's game.
FIT: tuple[tuple[float, ...], ...] = (
    (-0.5494, -1.7034, 8.3784),
    (0.6869, 2.5987, -10.5424),
    (-0.0143, -0.3776, 2.3587),
    (-0.0008, 0.0326, -0.0803),
)
_QUARTERS = (0.0, 0.32192809, 0.5849625, 0.80735492)  # log2 of 1, 5/4, 6/4, 7/4


@lru_cache(maxsize=1)
def estimates() -> tuple[tuple[int, ...], ...]:
    """v(k, n) in misses times 4096: a row for each k up to 17, column 4 e + f for 2^e (1 + f/4).

    Sums and products of doubles, rounded: the same on every machine. k = 0 and 1 are as k = 2.
    """
    table = []
    for k in range(18):
        row = []
        for column in range(BUCKETS):
            log = column // 4 + _QUARTERS[column % 4]
            value = 0.0
            for i in (3, 2, 1, 0):
                value = value * log + (
                    FIT[i][0] + FIT[i][1] / max(k, 2) + FIT[i][2] / (max(k, 2) * max(k, 2))
                )
            row.append(min(max(round(value * UNIT), 0), 64 * UNIT))
        table.append(tuple(row))
    return tuple(table)


def estimate(configurations: int, left: int, bits: int) -> int:
    """The misses times 4096 of greedy on a part of a sample, each for 2^bits configurations."""
    size = configurations << bits
    if size <= 1:
        return 0
    row = estimates()[min(max(left, 0), len(estimates()) - 1)]
    e = size.bit_length() - 1
    if e < 2:
        return configurations * row[4 * e + (2 if size == 3 else 0)]
    column = 4 * e + (size >> (e - 2) & 3)
    below, above = row[column], row[column + 1]
    ahead = size & (1 << (e - 2)) - 1
    return configurations * (below + ((above - below) * ahead >> (e - 2)))


def hash_of(cells: int) -> int:
    """The hash of a configuration's cells that chooses samples: splitmix64's finisher, twice."""

    def mix(x: int) -> int:
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
        return x ^ x >> 31

    low, high = cells % 2**64, cells >> 64
    return mix((low + 0x9E3779B97F4A7C15 * (mix(high) | 1)) % 2**64)


@dataclass(frozen=True)
class Rollout(Strategy):
    """Of the most probable cells, the one after which greedy needs fewest shots."""

    name: ClassVar[str] = "rollout"

    candidates: int = number(
        6, *RANGES["candidates"], "most probable cells that are compared, at most"
    )
    percent: int = number(
        50, *RANGES["percent"], "of the greatest probability that such a cell must have"
    )
    endgame: int = number(
        6, SMALL, MAX_ENDGAME, "configurations, and fewer, for which the optimum is played"
    )
    screen: int = number(2048, *RANGES["screen"], "size of the sample that leaves the finalists")
    finalists: int = number(3, *RANGES["finalists"], "how many cells it leaves")
    cap: int = number(
        131072, *RANGES["cap"], "size of the sample that compares these; not below screen"
    )
    truncate: int = number(
        6, *RANGES["truncate"], "configurations of a sample, and fewer, whose misses are estimated"
    )
    sizes: str = text(
        "",
        "LEAST-MOST, such as 257-65536",
        "configurations left with which cells are compared, where sinkings are announced (in other "
        f"games always); without it 1-{ANNOUNCED}",
    )
    rank: str = text("", A_SCORE, "by what the cells are ranked; without it by probability")
    policy: str = text("", A_SCORE, "what rollouts shoot; without it what greedy does")

    def __post_init__(self) -> None:
        super().__post_init__()
        require_range("cap", self.cap, self.screen, RANGES["cap"][1])
        _ = self._scorings, self._sizes  # or StrategyError

    @cached_property
    def _scorings(self) -> dict[str, Any]:
        """The strategies of `rank` and `policy`, as their files are now."""
        return {name: scoring_named(name) for name in (self.rank, self.policy) if name}

    @cached_property
    def _sizes(self) -> tuple[int, int]:
        """Cells are compared with more than so many configurations, and with up to so many."""
        if not self.sizes:
            return 0, ANNOUNCED
        found = re.fullmatch(r"([1-9]\d{0,8})-([1-9]\d{0,8})", self.sizes, re.ASCII)
        least, most = map(int, found.groups()) if found else (1, 0)
        if not least <= most <= RANGES["many"][1]:
            raise StrategyError(
                f"sizes={self.sizes} is not a range of configurations; LEAST-MOST with 1 <= LEAST "
                f"<= MOST <= {RANGES['many'][1]}, such as 257-65536, is accepted"
            )
        return least - 1, most

    def _score(self, name: str, game: Game) -> Score:
        return score_of(self._scorings[name], game)

    def rule(self, game: Game) -> Rule | None:
        """Its rule for the kernel; None where sinkings of very many ships are announced."""
        if not game.is_silent and not Codes.of(game).fit:
            return None
        few, many = self._sizes
        return Rule(
            tuple(range(game.cells)),
            self.endgame,
            self.candidates,
            self.percent,
            self.screen,
            self.finalists,
            self.cap,
            self.truncate,
            estimates(),
            score=None if game.is_silent else self._compiled(self.policy, game),
            rank=self._compiled(self.rank, game),
            policy=self._compiled(self.policy, game),
            few=few,
            many=many,
        )

    def identity(self) -> str:
        """Its text, and what names its scores."""
        names = filter(None, (self.rank, self.policy))
        scores = (self._scorings[name].identity() for name in names)
        return ", ".join((str(self), *scores))

    def _compiled(self, name: str, game: Game) -> CompiledScore | None:
        return self._score(name, game).compiled(game) if name else None

    def shot(self, position: Position) -> Cell:
        """The cell to shoot next, from exact counts and lists in plain Python."""
        position.game.require_small(self.name)
        if not position.game.is_silent:
            return position.game.cell(self._announced_shot(position))
        sets = residual_sets(position)
        cells = range(position.game.cells)
        for cell in cells:
            if all(s >> cell & 1 for s in sets):
                return position.game.cell(cell)
        if len(sets) <= self.endgame:
            return position.game.cell(optimal_shot(sets, cells))
        hashes = [hash_of(cells | position.hits) for cells in sets]

        def sampled(most: int) -> tuple[int, list[int]]:
            bits, places = _sample(hashes, most)
            return bits, [sets[i] for i in places]

        def costs(most: int, chosen: list[int]) -> list[int]:
            bits, sample = sampled(most)
            left = open_cells(sample)[1]
            return [self._after(sample, cell, left, bits, position) for cell in chosen]

        def last(most: int, chosen: list[int]) -> list[int]:
            return self._last_costs(position, len(sets), sampled, chosen) or costs(most, chosen)

        chosen = self._candidates(sets, sampled(self.cap)[1], self.candidates, position, 0)
        best = self._chosen(position, sets, chosen)
        if best is None:
            best = self._cheapest(chosen, len(sets), costs, last)
        return position.game.cell(best)

    def _chosen(self, position: Position, sets: list[int], chosen: list[int]) -> int | None:
        """The candidate that is shot if steps 4 and 5 do not say it."""
        return None

    def _last_costs(
        self, position: Position, configurations: int, sampled: Sampled, chosen: list[int]
    ) -> list[int]:
        """What candidates cost in step 5 if not by greedy; empty: by greedy."""
        return []

    def _cheapest(self, chosen: list[int], configurations: int, costs: Costs, last: Costs) -> int:
        """The cheapest candidate: step 4, then step 5."""
        if len(chosen) > self.finalists and configurations > self.screen:
            first = costs(self.screen, chosen)
            order = sorted(range(len(chosen)), key=lambda i: (first[i], i))
            chosen = [chosen[i] for i in sorted(order[: self.finalists])]
        final = last(self.cap, chosen)
        return chosen[final.index(min(final))]

    def _announced_shot(self, position: Position) -> int:
        """The cell where sinkings are announced."""
        counts = counts_of(position)
        few, many = self._sizes
        is_compared = few < counts.configurations <= many
        if not is_compared and counts.configurations > self.endgame:
            if self.policy:
                by = replace(self._score(self.policy, position.game), endgame=0, ties="first")
                return by.cell(position, counts)
            closed = position.closed
            unknown = (cell for cell in range(position.game.cells) if not closed >> cell & 1)
            return max(unknown, key=counts.cells.__getitem__)
        kernel = announced_kernel(position)
        root = kernel.root
        configurations = kernel.weight(root)
        if configurations <= self.endgame:
            return first_best_shot(kernel, range(position.game.cells))
        values = kernel.counts(root).tolist()
        fresh = [cell for cell, n in enumerate(values) if n]
        if self.rank:
            by = replace(self._score(self.rank, position.game), certain=True)
            values = by.values(position, counts, fresh)
        chosen = self._likely(fresh, values)[: self.candidates]
        hashes = [hash_of(cells) for cells in to_masks(kernel.sets)]

        def costs(most: int, chosen: list[int]) -> list[int]:
            bits, places = _sample(hashes, most)
            if not places:
                return [0] * len(chosen)
            sample = State(root.family[places], root.hits)
            by = self._score(self.policy, position.game) if self.policy else None
            greedy = _AnnouncedGreedy(kernel, bits, self.truncate, by)
            return [greedy.after(sample, cell, position) for cell in chosen]

        return self._cheapest(chosen, configurations, costs, costs)

    def _candidates(
        self, sets: list[int], sample: list[int], number: int, at: Position, bits: int
    ) -> list[int]:
        """At most so many candidates: step 3."""
        counts, fresh = counted(sets, bits)
        values: Sequence[float] = counts.cells
        if self.rank and fresh:
            values = self._score(self.rank, at.game).values(at, counts, fresh)
        chosen: list[int] = []
        for cell in self._likely(fresh, values):
            if len(chosen) == number:
                break
            with_cell = [s for s in sample if s >> cell & 1]
            if not any(all(s >> other & 1 for s in with_cell) for other in chosen):
                chosen.append(cell)
        return chosen

    def _likely(self, cells: list[int], values: Sequence[float]) -> list[int]:
        """The cells from the highest value on, down to `percent` of it."""
        ranked = sorted(cells, key=lambda cell: -values[cell])
        least = self.percent * values[ranked[0]] if ranked else 0
        return [cell for cell in ranked if least <= 0 or not 100 * values[cell] < least]

    def _after(self, part: list[int], cell: int, left: int, bits: int, at: Position) -> int:
        """What a shot at an open cell and greedy after it miss in a part, times 4096.

        at -- the shots before it.
        """
        hit = [s for s in part if s >> cell & 1]
        missed = [s for s in part if not s >> cell & 1]
        return (
            UNIT * len(missed)
            + self._greedy(hit, left - 1, bits, self._shot(at, cell, HIT))
            + self._greedy(missed, left, bits, self._shot(at, cell, MISS))
        )

    def _shot(self, at: Position, cell: int, answer: Reply) -> Position:
        """The position after a shot, if scores go by it."""
        return at.after(at.game.cell(cell), answer) if self.rank or self.policy else at

    def _greedy(self, part: list[int], left: int, bits: int, at: Position) -> int:
        """What greedy misses in a part of the sample, times 4096."""
        if bits and len(part) <= self.truncate:
            return estimate(len(part), left, bits)
        if len(part) <= SMALL:
            return UNIT * least_misses(part)
        cell, left = open_cells(part)
        by = self._score(self.policy, at.game) if self.policy else None
        if by and cell >= 0 and len(part) << bits > by.least:
            cell = by.best(at, *counted(part, bits))
        return self._after(part, cell, left, bits, at) if cell >= 0 else 0


@dataclass(frozen=True)
class _AnnouncedGreedy:
    """What greedy misses on a sample, times 4096, where sinkings are announced."""

    kernel: Kernel
    bits: int
    truncate: int
    policy: Score | None

    def after(self, part: State, cell: int, at: Position) -> int:
        """What a shot at a cell and greedy after it miss in a part. at -- the shots before it."""
        n = self.kernel.weight(part)
        opened = sum(count for count in self.kernel.counts(part).tolist() if count < n)
        left = (opened + n // 2) // n
        cost = 0
        for answer, rest in self.kernel.parts(part, cell).items():
            cost += 0 if answer.hit else UNIT * self.kernel.weight(rest)
            then = at.after(at.game.cell(cell), answer) if self.policy else at
            cost += self._greedy(rest, left - answer.hit, then)
        return cost

    def _greedy(self, part: State, left: int, at: Position) -> int:
        n = self.kernel.weight(part)
        if self.bits and n <= self.truncate:
            return estimate(n, left, self.bits)
        if n <= SMALL:
            return UNIT * self.kernel.solve(part)
        if self.kernel.is_over(part):  # of one set of cells
            return 0
        cell = self.kernel.greedy_choices(part)[0]
        through = self.kernel.counts(part).tolist()
        if self.policy and n << self.bits > self.policy.least and through[cell] < n:
            fresh = [c for c, number in enumerate(through) if number]
            sinkings = {
                (c, answer.length or 0): self.kernel.weight(rest) << self.bits
                for c in fresh
                for answer, rest in self.kernel.parts(part, c).items()
                if answer.sunk
            }
            counts = Counts(n << self.bits, [number << self.bits for number in through], sinkings)
            cell = self.policy.best(at, counts, fresh)
        return self.after(part, cell, at)


def _sample(hashes: list[int], most: int) -> tuple[int, list[int]]:
    """The bits of the sample of at most so many configurations, and their places."""
    bits, places = 0, list(range(len(hashes)))
    while len(places) > most:
        bits += 1
        places = [i for i in places if not hashes[i] & (1 << bits) - 1]
    return bits, places


def _having(part: Sequence[int]) -> list[int]:
    """How many configurations of a part have each cell."""
    counts = [0] * MAX_CELLS
    for s in part:
        for cell in bits(s):
            counts[cell] += 1
    return counts


def counted(part: Sequence[int], shift: int) -> tuple[Counts, list[int]]:
    """The counts of a part of a sample, each for 2^shift configurations, and its open cells."""
    counts = _having(part)
    fresh = [cell for cell, count in enumerate(counts) if 0 < count < len(part)]
    return Counts(len(part) << shift, [count << shift for count in counts], {}), fresh


def open_cells(part: Sequence[int]) -> tuple[int, int]:
    """The first most probable open cell (-1: none), and how many a configuration has, rounded."""
    if not part:
        return -1, 0
    counts = _having(part)
    opened = [count if count < len(part) else 0 for count in counts]
    most = max(opened)
    return (opened.index(most) if most else -1), (sum(opened) + len(part) // 2) // len(part)


def least_misses(part: Sequence[int]) -> int:
    """The least total of misses of a few configurations."""
    return _least_misses(tuple(part))


@lru_cache(maxsize=1 << 16)
def _least_misses(part: tuple[int, ...]) -> int:
    union = 0
    for s in part:
        union |= s
    costs = []
    for cell in bits(union):
        hit = tuple(s for s in part if s >> cell & 1)
        if len(hit) < len(part):
            missed = tuple(s for s in part if not s >> cell & 1)
            costs.append(len(missed) + _least_misses(hit) + _least_misses(missed))
    return min(costs, default=0)
