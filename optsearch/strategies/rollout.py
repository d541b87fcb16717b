"""Rollouts: the most probable cells, compared by what a simpler policy misses after each.

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
`cap`, and "in all its configurations" in step 3 is judged on it. The sample S of at most n are
the configurations whose hash ends in b zero bits, with the least b for which there are no more.
(It can be empty; every cell costs nothing then.)
Greedy then stops at a few configurations of S (`Lookahead.truncate`, 6) or fewer, and a part P of S
is taken to miss |P| v(k, n) times, where n = 2^b |P|, and k is the number of open cells that a
configuration of S has, as it was at the last shot of greedy before P (rounded), less one if that
was a hit. v is `estimate`; it was fitted to greedy's misses.

With `depth` 1 and more, policies that compare cells themselves look ahead. *Level* 0 is greedy, as
in step 5. Level k, a `Level`, is a policy. In `floor` configurations or fewer it is level k - 1. In
more its candidates are those of step 3, at most so many as the level has, and it shoots the one
that the levels below it choose, one after the other:

a. Each candidate costs one miss for each configuration without it, and what level 0 misses after
   it. The candidates are sorted by their costs, in the order that they had where they tie. Those
   that cost more than `margin` hundredths of a miss per configuration above the cheapest are
   dropped, and all but the first `kept`.
b. What is left is compared by levels 1, 2, … in turn in the same way.
c. The first one after the last level is shot.

Where F has more than `Lookahead.above` configurations (1,024), step 5 costs the candidates by what
level 1, which is `Lookahead.inner`, misses after each, in place of greedy, on the sample S of at
most `second`. It knows the parts of S alone, with the estimates of step 5. Where F has `until`
configurations or fewer, levels 0 to `depth` choose among the candidates of step 3, in place of
steps 4 and 5; nothing is sampled there. `LOOKAHEAD` has the numbers of all levels.

Where a hit tells a label, as where sinkings are announced, a configuration is its ships, a shot has
more replies than two, and the order of the hits can decide what they tell. There a certain hit is a
cell like others, for the strategy, for greedy and for the levels: step 1 is left out, step 3 goes
through every cell that some configuration has and that is not hit, and takes each for a candidate
until it ends. With more configurations than `sizes` says, or fewer (and more than `endgame`),
nothing is compared: what the `policy` shoots is shot, and without a policy a most probable cell,
the first one row by row.

With `rank` step 3 goes through the cells from the highest score on, in place of the probability
(`percent` then is of the highest score, if that is above 0). With `policy` step 5 plays this score
where it plays greedy, with more configurations than its `least`; its `endgame` and its order of
ties count for nothing here. On samples both are given the numbers of the sample, each configuration
standing for 2^b.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from optsearch.compiled._walk import BUCKETS, MAX_ENDGAME, MAX_LEVELS, SMALL, UNIT
from optsearch.counting.configurations import Codes, to_masks
from optsearch.game import MAX_CELLS, Cell, Game, bits
from optsearch.game.position import HIT, MISS, Position, Reply
from optsearch.search.kernels import Subfamily, announced_kernel
from optsearch.search.rollouts import DEEP
from optsearch.search.rollouts import RULE as DEEP_RULE
from optsearch.search.rules import (
    ANNOUNCED,
    GREEDY,
    LOOKAHEAD,
    NEVER,
    RANGES,
    CompiledScore,
    Level,
    Lookahead,
)
from optsearch.strategies import Rule, Strategy
from optsearch.strategies.greedy import Counts, counts_of, endgame_shot, optimal_shot, residual_sets
from optsearch.strategies.player import number, require_range, text
from optsearch.strategies.score import Score, score_of, scoring_named
from optsearch.support.errors import StrategyError

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
    """Of the most probable cells, the one after which a simpler policy needs fewest shots."""

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
    second: int = number(
        131072, *RANGES["second"], "the same for depth 1 and more, with over 1,024 configurations"
    )
    depth: int = number(0, 0, MAX_LEVELS, "levels of rollouts that look ahead; 0: greedy does")
    until: int = number(
        0, *RANGES["until"], "configurations, and fewer, where all levels compare the cells"
    )
    sizes: str = text(
        "",
        "LEAST-MOST, such as 257-65536",
        "configurations left with which cells are compared, where sinkings are announced (in other "
        f"games always); without it 1-{ANNOUNCED}",
    )
    rank: str = text("", A_SCORE, "by what the cells are ranked; without it by probability")
    policy: str = text("", A_SCORE, "what rollouts shoot; without it what greedy does")
    lookahead: Lookahead = field(default=LOOKAHEAD, metadata={"is_fixed": True})

    def __post_init__(self) -> None:
        super().__post_init__()
        require_range("cap", self.cap, self.screen, RANGES["cap"][1])
        if self.depth:
            require_range("second", self.second, self.screen, RANGES["second"][1])
        _ = self._scorings, self._sizes  # or StrategyError

    @cached_property
    def _scorings(self) -> dict[str, Any]:
        """The strategies of `rank` and `policy`, as their files are now."""
        return {name: scoring_named(name) for name in (self.rank, self.policy) if name}

    @cached_property
    def _sizes(self) -> tuple[int, int]:
        """The least and the most configurations with which cells are compared."""
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
        return replace(
            self._numbers,
            order=tuple(range(game.cells)),
            estimates=estimates(),
            score=None if game.is_silent else self._compiled(self.policy, game),
            rank=self._compiled(self.rank, game),
            policy=self._compiled(self.policy, game),
        )

    @cached_property
    def _numbers(self) -> Rule:
        """Its rule, without what depends on the game."""
        few, many = self._sizes
        return Rule(
            (),
            self.endgame,
            self.candidates,
            self.percent,
            self.screen,
            self.finalists,
            self.cap,
            self.lookahead.truncate,
            few=few,
            many=many,
            above=self.lookahead.above if self.depth else NEVER,
            second=self.second if self.depth else self.screen,
            inner=self.lookahead.inner,
            until=self.until if self.depth else 0,
            levels=self.lookahead.levels(self.depth) if self.depth else (GREEDY,),
        )

    def identity(self) -> str:
        """Its text, and what names its scores."""
        names = filter(None, (self.rank, self.policy))
        scores = (self._scorings[name].identity() for name in names)
        own = () if self.lookahead is type(self).lookahead else (repr(self.lookahead),)
        return ", ".join((str(self), *own, *scores))

    def _compiled(self, name: str, game: Game) -> CompiledScore | None:
        return self._score(name, game).compiled(game) if name else None

    def shot(self, position: Position) -> Cell:
        """The cell to shoot next, from exact counts and lists in plain Python."""
        position.game.require_small(self.name)
        game = position.game
        if not game.is_silent:
            few, many = self._sizes
            counts = counts_of(position)
            if not few < counts.configurations <= many and counts.configurations > self.endgame:
                return game.cell(self._uncompared(position, counts))
        family = _LabelledFamily(position) if not game.is_silent else _SilentFamily(position)
        certain = family.certain
        if certain is not None:
            return game.cell(certain)
        if family.size(family.root) <= self.endgame:
            return game.cell(family.best())
        return game.cell(_Comparison(self, position, family).cell())

    def _uncompared(self, position: Position, counts: Counts) -> int:
        """The cell where sinkings are announced and the sizes leave it to the policy."""
        if self.policy:
            by = replace(self._score(self.policy, position.game), endgame=0, ties="first")
            return by.cell(position, counts)
        closed = position.closed
        unknown = (cell for cell in range(position.game.cells) if not closed >> cell & 1)
        return max(unknown, key=counts.cells.__getitem__)


@dataclass(frozen=True)
class Nested(Rollout):
    """Of the most probable cells, the one after which the strategy `rollout` needs fewest shots."""

    name: ClassVar[str] = "nested"

    screen: int = number(16384, *RANGES["screen"], "size of the sample that leaves the finalists")
    finalists: int = number(4, *RANGES["finalists"], "how many cells it leaves")
    depth: int = number(1, 0, MAX_LEVELS, "levels of rollouts that look ahead; 0: greedy does")


@dataclass(frozen=True)
class Levels(Nested):
    """As `nested`, and with few configurations left the cell from which `nested` does best."""

    name: ClassVar[str] = "levels"

    until: int = number(
        131072, *RANGES["until"], "configurations, and fewer, where all levels compare the cells"
    )


@dataclass(frozen=True)
class Deep(Levels):
    """As `levels` with two levels that compare more cells: for some ten thousand configurations."""

    name: ClassVar[str] = "deep"

    candidates: int = number(
        DEEP_RULE.candidates,
        *RANGES["candidates"],
        "most probable cells that are compared, at most",
    )
    percent: int = number(
        DEEP_RULE.percent,
        *RANGES["percent"],
        "of the greatest probability that such a cell must have",
    )
    endgame: int = number(
        DEEP_RULE.endgame,
        *(SMALL, MAX_ENDGAME),
        "configurations, and fewer, for which the optimum is played",
    )
    depth: int = number(
        len(DEEP_RULE.levels) - 1,
        *(0, MAX_LEVELS),
        "levels of rollouts that look ahead; 0: greedy does",
    )
    lookahead: Lookahead = field(default=DEEP, metadata={"is_fixed": True})


class _Comparison:
    """The candidates at a position, compared: steps 3 to 5.

    Costs are in misses times 4096. `left` is the number of open cells of a configuration, `shift`
    says that each configuration stands for 2^shift of them, and `at` is the position of a part.
    """

    def __init__(self, strategy: Rollout, position: Position, family: _Family):
        self._rule = strategy._numbers
        self._position = position
        self._family = family
        self._hears = not position.game.is_silent
        self._policy = strategy._score(strategy.policy, position.game) if strategy.policy else None
        self._rank = None
        if strategy.rank:
            self._rank = replace(strategy._score(strategy.rank, position.game), certain=True)

    def cell(self) -> int:
        """The cell to shoot."""
        rule, root = self._rule, self._family.root
        configurations = self._family.size(root)
        under = self._sample(rule.cap)[1]
        chosen = self._candidates(root, under, rule.candidates, self._position, 0)
        if configurations <= rule.until:
            return self._narrowed(root, chosen, 0, 0, self._position, rule.levels)
        if len(chosen) > rule.finalists and configurations > rule.screen:
            costs = self._costs(rule.screen, chosen, (GREEDY,))
            order = sorted(range(len(chosen)), key=lambda i: (costs[i], i))
            chosen = [chosen[i] for i in sorted(order[: rule.finalists])]
        if configurations > rule.above:
            costs = self._costs(rule.second, chosen, (GREEDY, rule.inner))
        else:
            costs = self._costs(rule.cap, chosen, (GREEDY,))
        return chosen[costs.index(min(costs))]

    def _sample(self, most: int) -> tuple[int, Any]:
        """The sample of at most so many configurations, and its bits."""
        shift, places = 0, list(range(len(self._family.hashes)))
        while len(places) > most:
            shift += 1
            places = [i for i in places if not self._family.hashes[i] & (1 << shift) - 1]
        return shift, self._family.some(places)

    def _costs(self, most: int, chosen: list[int], levels: tuple[Level, ...]) -> list[int]:
        """What candidates cost on the sample of at most so many, by the last of some levels."""
        shift, sample = self._sample(most)
        if not self._family.size(sample):
            return [0] * len(chosen)
        left = self._left(sample)
        return [self._after(sample, cell, left, shift, self._position, levels) for cell in chosen]

    def _left(self, part: Any) -> int:
        """How many open cells a configuration has, rounded."""
        n = self._family.size(part)
        return (sum(count for count in self._family.counts(part) if count < n) + n // 2) // n

    def _counted(self, part: Any, fresh: list[int], shift: int) -> Counts:
        """The counts of a part, as scores take them."""
        cells = [count << shift for count in self._family.counts(part)]
        replies = {
            cell: Counter({one: self._family.size(rest) << shift for one, rest in parts.items()})
            for cell, parts in self._family.labelled(part, fresh).items()
        }
        return Counts(self._family.size(part) << shift, cells, replies)

    def _candidates(
        self, part: Any, under: Any, number: int, at: Position, shift: int
    ) -> list[int]:
        """At most so many candidates: step 3. under -- by what cells lie under others."""
        fresh = self._family.fresh(part)
        values: Sequence[float] = self._family.counts(part)
        if self._rank and fresh:
            values = self._rank.values(at, self._counted(part, fresh, shift), fresh)
        ranked = sorted(fresh, key=lambda cell: -values[cell])
        least = self._rule.percent * values[ranked[0]] if ranked else 0
        chosen: list[int] = []
        for cell in ranked:
            if len(chosen) == number or (least > 0 and 100 * values[cell] < least):
                break
            if not self._family.lies_under(under, cell, chosen):
                chosen.append(cell)
        return chosen

    def _after(
        self, part: Any, cell: int, left: int, shift: int, at: Position, levels: tuple[Level, ...]
    ) -> int:
        """What a shot at a cell and the last of some levels after it miss in a part."""
        cost = 0
        for answer, rest in self._family.parts(part, cell).items():
            cost += 0 if answer.hit else UNIT * self._family.size(rest)
            then = at.after(at.game.cell(cell), answer) if self._rank or self._policy else at
            cost += self._level(rest, left - answer.hit, shift, then, levels)
        return cost

    def _level(
        self, part: Any, left: int, shift: int, at: Position, levels: tuple[Level, ...]
    ) -> int:
        """What the last of some levels misses in a part."""
        n = self._family.size(part)
        while len(levels) > 1 and n <= levels[-1].floor:
            levels = levels[:-1]
        if shift and n <= self._rule.truncate:
            return estimate(n, left, shift)
        if len(levels) == 1 and n <= SMALL:
            return UNIT * self._family.least(part)
        fresh = self._family.fresh(part)
        if not fresh:
            return 0
        left = self._left(part)
        counts = self._family.counts(part)
        if len(levels) > 1:
            chosen = self._candidates(part, part, levels[-1].candidates, at, shift)
            cell = self._narrowed(part, chosen, left, shift, at, levels[:-1])
        else:
            cell = max(fresh, key=counts.__getitem__)
            if self._policy and counts[cell] < n and n << shift > self._policy.least:
                cell = self._policy.best(at, self._counted(part, fresh, shift), fresh)
        return self._after(part, cell, left, shift, at, levels)

    def _narrowed(
        self,
        part: Any,
        chosen: list[int],
        left: int,
        shift: int,
        at: Position,
        levels: tuple[Level, ...],
    ) -> int:
        """The cheapest candidate, compared by each of some levels, greedy first."""
        for last, level in enumerate(levels, 1):
            after = {
                cell: self._after(part, cell, left, shift, at, levels[:last]) for cell in chosen
            }
            chosen = sorted(chosen, key=after.__getitem__)
            most = after[chosen[0]] + level.margin * UNIT // 100 * self._family.size(part)
            chosen = [cell for cell in chosen[: level.kept] if after[cell] <= most]
        return chosen[0]


class _Family(ABC):
    """The configurations of a position, parts of them, and what is counted of these.

    root -- all of them. hashes -- of the cells of each, for samples. certain -- a hit that is free
    and tells nothing; None if there is none.
    """

    root: Any
    hashes: list[int]
    certain: int | None = None

    @abstractmethod
    def some(self, places: list[int]) -> Any:
        """The part that has the configurations at these places."""

    @abstractmethod
    def size(self, part: Any) -> int:
        """How many configurations a part has."""

    @abstractmethod
    def counts(self, part: Any) -> list[int]:
        """How many of them have each cell, those hit left out."""

    @abstractmethod
    def fresh(self, part: Any) -> list[int]:
        """The cells from which one is chosen."""

    @abstractmethod
    def parts(self, part: Any, cell: int) -> dict[Reply, Any]:
        """What a shot leaves."""

    @abstractmethod
    def least(self, part: Any) -> int:
        """The least total of misses."""

    @abstractmethod
    def best(self) -> int:
        """The first cell of an optimal strategy for all."""

    def lies_under(self, part: Any, cell: int, others: list[int]) -> bool:
        """Whether another cell is in all of a part's configurations that have this one."""
        return False

    def labelled(self, part: Any, fresh: list[int]) -> dict[int, dict[Reply, Any]]:
        """The parts after a shot at each cell, where hits tell something."""
        return {}


class _SilentFamily(_Family):
    """Where a hit tells nothing more: a part is a list of masks, of the cells not hit."""

    def __init__(self, position: Position):
        self._cells = range(position.game.cells)
        self.root = residual_sets(position)
        self.hashes = [hash_of(cells | position.hits) for cells in self.root]
        self.certain = next((c for c in self._cells if all(s >> c & 1 for s in self.root)), None)

    def some(self, places: list[int]) -> list[int]:
        return [self.root[i] for i in places]

    def size(self, part: list[int]) -> int:
        return len(part)

    def counts(self, part: list[int]) -> list[int]:
        counts = [0] * MAX_CELLS
        for s in part:
            for cell in bits(s):
                counts[cell] += 1
        return counts

    def fresh(self, part: list[int]) -> list[int]:
        return [cell for cell, count in enumerate(self.counts(part)) if 0 < count < len(part)]

    def parts(self, part: list[int], cell: int) -> dict[Reply, list[int]]:
        return {
            HIT: [s for s in part if s >> cell & 1],
            MISS: [s for s in part if not s >> cell & 1],
        }

    def least(self, part: list[int]) -> int:
        return least_misses(part)

    def best(self) -> int:
        return optimal_shot(self.root, self._cells)

    def lies_under(self, part: list[int], cell: int, others: list[int]) -> bool:
        having = [s for s in part if s >> cell & 1]
        return any(all(s >> other & 1 for s in having) for other in others)


class _LabelledFamily(_Family):
    """Where a hit tells a label: a part is a state of the search."""

    def __init__(self, position: Position):
        self._position = position
        self._kernel = announced_kernel(position)
        self.root = self._kernel.root
        self.hashes = [hash_of(cells) for cells in to_masks(self._kernel.sets)]

    def some(self, places: list[int]) -> Subfamily:
        return Subfamily(self.root.family[places], self.root.hits)

    def size(self, part: Subfamily) -> int:
        return self._kernel.weight(part)

    def counts(self, part: Subfamily) -> list[int]:
        counts: list[int] = self._kernel.counts(part).tolist()
        return counts

    def fresh(self, part: Subfamily) -> list[int]:
        return [cell for cell, count in enumerate(self.counts(part)) if count]

    def parts(self, part: Subfamily, cell: int) -> dict[Reply, Subfamily]:
        return self._kernel.parts(part, cell)

    def least(self, part: Subfamily) -> int:
        return self._kernel.solve(part)

    def best(self) -> int:
        return endgame_shot(self._position, range(self._position.game.cells))

    def labelled(self, part: Subfamily, fresh: list[int]) -> dict[int, dict[Reply, Subfamily]]:
        return {cell: self.parts(part, cell) for cell in fresh}


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
