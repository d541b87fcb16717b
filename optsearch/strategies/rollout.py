"""Rollouts: compare the most probable cells by the misses of a simpler policy after each.

This is the complete definition. `Rollout.shot` follows it in plain Python, and the kernel
`_evaluate` does the same on columns of bits. At a position, F is the family of
the configurations left. A cell is *open* if some of them have a ship there and some do not. Cells
that tie are taken row by row.

1. A certain hit is shot at once. It tells nothing and costs nothing.
2. With at most `endgame` configurations left, the first optimal cell is shot.
3. The open cells are gone through from the most probable on. A cell becomes a candidate unless an
   earlier candidate is in all its configurations. The step ends with `candidates` candidates, or
   before the first cell whose probability is below `percent` percent of the greatest.
4. If there are more than `finalists` candidates, and F has more than `screen` configurations, then
   each candidate's cost (step 5) is taken on the sample of at most `screen`. Only the `finalists`
   cheapest stay; on ties, the first in the order of step 3.
5. A candidate costs one miss for each configuration without it, plus the misses of *greedy* after
   the hit and after the miss. This greedy shoots the most probable open cell, and plays the optimum
   with at most four configurations. The cheapest candidate is shot; on ties, the first in the order
   of step 3.

**Samples.** With at most `cap` configurations the costs are those of F. With more they are those of
the sample of at most `cap`, which also decides "in all its configurations" in step 3. The sample S
of at most n consists of the configurations whose hash ends in b zero bits, with the least b that
leaves at most n. (If S is empty, every cell costs 0.) On a sample, greedy stops at parts of at most
`Lookahead.truncate` (6) configurations. A part P then counts |P| v(k, n) misses, with n = 2^b |P|.
Here k is the mean number of open cells of a configuration (rounded) at greedy's last shot before P,
minus 1 if that shot was a hit. v is `estimate`, which was fitted to greedy's misses.

**Levels.** With `depth` of 1 or more, the policies that look ahead compare cells themselves.
*Level* 0 is greedy, as in step 5. Level k is a policy (`Level`). With at most `floor`
configurations it plays as level k - 1. With more, its candidates are those of step 3, up to its own
number, and the lower levels choose among them in turn:

a. Each candidate costs one miss for each configuration without it, plus the misses of level 0 after
   it. The candidates are sorted by cost; ties keep their order. Those that cost more than `margin`
   hundredths of a miss per configuration above the cheapest are dropped, and all but the first
   `kept`.
b. Levels 1, 2, … compare the rest in turn in the same way.
c. The first candidate after the last level is shot.

If F has more than `Lookahead.above` (1,024) configurations, step 5 plays level 1, which is
`Lookahead.inner`, instead of greedy, on the sample S of at most `second`. Level 1 sees only the
parts of S, with the estimates above. If F has at most `until` configurations, levels 0 to `depth`
choose among the candidates of step 3 instead of steps 4 and 5, without samples. `LOOKAHEAD` has the
numbers of all levels.

**Labels.** If hits tell labels, as with announced sinkings, a configuration is its ships, a shot
has more than two replies, and the order of hits can change what they tell. There a certain hit is a
cell like any other for the strategy, for greedy and for the levels. Step 1 is left out, and in
step 3 every cell that some configuration has and that is not hit becomes a candidate, until the
step ends. If the number of configurations is outside `sizes` (and above `endgame`), nothing is
compared: the cell of `policy` is shot, or without a policy a most probable cell.

**Scores.** With `rank`, step 3 orders the cells by this score instead of their probability
(`percent` then refers to the highest score, if that is above 0). With `policy`, step 5 plays this
score instead of greedy, while there are more configurations than the `least` of the score; its
`endgame` and its order of ties have no effect here. On samples both scores see the numbers of the
sample, with each configuration counted 2^b times.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, reduce
from operator import and_
from typing import Any, ClassVar, NamedTuple

from optsearch.compiled.evaluation._walk import BUCKETS, MAX_ENDGAME, MAX_LEVELS, SMALL, UNIT
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
from optsearch.strategies.greedy import (
    Counts,
    counts_of,
    endgame_shot,
    most_probable_cell,
    unhit_masks,
)
from optsearch.strategies.player import new_default, number, require_range, text
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
    """Return a table of the misses times 4096 that greedy is estimated to make, as integers.

    Row k, from 0 to 17, is for configurations with k open cells on average; a cell is open if some
    configurations have a ship there and some do not. Rows 0 and 1 equal row 2. Column 4 e + f of a
    row is for n = 2^e (1 + f/4) configurations, where f is 0 to 3. Doubles are only added,
    multiplied and divided, so all machines give the same integers.
    """
    table = []
    for open_cells in range(18):
        k = max(open_cells, 2)
        row = []
        for column in range(BUCKETS):
            log2_n = column // 4 + _QUARTERS[column % 4]
            value = 0.0
            for i in (3, 2, 1, 0):  # Horner's rule for the polynomial in log2 n
                value = value * log2_n + (FIT[i][0] + FIT[i][1] / k + FIT[i][2] / (k * k))
            row.append(min(max(round(value * UNIT), 0), 64 * UNIT))
        table.append(tuple(row))
    return tuple(table)


def estimate(configurations: int, open_cells: int, shift: int) -> int:
    """Estimate the misses, times 4096, that greedy makes in all on some configurations.

    configurations -- their number; each stands for 2^shift configurations of the game. open_cells
    -- the mean number of cells, rounded, that a configuration has and some others have not.
    """
    size = configurations << shift
    if size <= 1:
        return 0
    table = estimates()
    row = table[min(max(open_cells, 0), len(table) - 1)]
    exponent = size.bit_length() - 1
    if exponent < 2:  # 2 or 3, which is 2 (1 + 2/4)
        return configurations * row[4 * exponent + (2 if size == 3 else 0)]
    # Between two columns, which are 2^(exponent - 2) apart, the estimate is interpolated.
    column = 4 * exponent + (size >> (exponent - 2) & 3)
    below, above = row[column], row[column + 1]
    beyond_column = size & (1 << (exponent - 2)) - 1
    return configurations * (below + ((above - below) * beyond_column >> (exponent - 2)))


def hash_cells(cells: int) -> int:
    """Return a 64-bit hash of the cells of a configuration (mask), by which samples are chosen.

    It applies the finisher of splitmix64 to the high word, and then to the low word, to which it
    adds a multiple of a constant that depends on the first result.
    """

    def mix(x: int) -> int:
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        x = (x ^ x >> 27) * 0x94D049BB133111EB % 2**64
        return x ^ x >> 31

    low, high = cells % 2**64, cells >> 64
    return mix((low + 0x9E3779B97F4A7C15 * (mix(high) | 1)) % 2**64)


@dataclass(frozen=True)
class Rollout(Strategy):
    """Shoot the one of the most probable cells after which a simpler policy needs fewest shots."""

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
        _ = self._scorings, self._compared_sizes  # or StrategyError

    @cached_property
    def _scorings(self) -> dict[str, Any]:
        """The strategies of `rank` and `policy` by name, read from their files once."""
        return {name: scoring_named(name) for name in (self.rank, self.policy) if name}

    @cached_property
    def _compared_sizes(self) -> tuple[int, int]:
        """The limits that `sizes` sets: cells are compared above the first, up to the second."""
        if not self.sizes:
            return 0, ANNOUNCED
        match = re.fullmatch(r"([1-9]\d{0,8})-([1-9]\d{0,8})", self.sizes, re.ASCII)
        greatest = RANGES["compare_up_to"][1]
        if match and int(match[1]) <= int(match[2]) <= greatest:
            return int(match[1]) - 1, int(match[2])
        raise StrategyError(
            f"sizes={self.sizes} is not a range of configurations; LEAST-MOST with 1 <= LEAST <= "
            f"MOST <= {greatest}, such as 257-65536, is accepted"
        )

    def _score(self, name: str, game: Game) -> Score:
        return score_of(self._scorings[name], game)

    def rule(self, game: Game) -> Rule | None:
        """Return the rule for the kernel; None if the codes of announced games do not fit in it."""
        if not game.is_silent and not Codes.of(game).fit_kernels:
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
        """The rule without the parts that depend on the game."""
        compare_above, compare_up_to = self._compared_sizes
        return Rule(
            order=(),
            endgame=self.endgame,
            candidates=self.candidates,
            percent=self.percent,
            screen=self.screen,
            finalists=self.finalists,
            cap=self.cap,
            truncate=self.lookahead.truncate,
            compare_above=compare_above,
            compare_up_to=compare_up_to,
            above=self.lookahead.above if self.depth else NEVER,
            second=self.second if self.depth else self.screen,
            inner=self.lookahead.inner,
            until=self.until if self.depth else 0,
            levels=self.lookahead.levels(self.depth) if self.depth else (GREEDY,),
        )

    def identity(self) -> str:
        """Return a text that identifies the strategy and the scores that it uses.

        It has the numbers for looking ahead if they are not the usual ones.
        """
        names = filter(None, (self.rank, self.policy))
        scores = (self._scorings[name].identity() for name in names)
        lookahead = () if self.lookahead is type(self).lookahead else (repr(self.lookahead),)
        return ", ".join((str(self), *lookahead, *scores))

    def _compiled(self, name: str, game: Game) -> CompiledScore | None:
        return self._score(name, game).compiled(game) if name else None

    def require_end(self, game: Game) -> None:
        """Raise NotSupported unless the game ends when all ships are sunk."""
        game.require_sunk(self.name)

    def shot(self, position: Position) -> Cell:
        """Return the cell to shoot next, from exact counts and lists in plain Python."""
        position.game.require_small(self.name)
        game = position.game
        if not game.is_silent:
            compare_above, compare_up_to = self._compared_sizes
            counts = counts_of(position)
            is_compared = compare_above < counts.configurations <= compare_up_to
            if not is_compared and counts.configurations > self.endgame:
                return self._cell_by_policy(position, counts)
        family = _SilentFamily(position) if game.is_silent else _LabelledFamily(position)
        if family.certain is not None:
            return game.cell(family.certain)
        if family.size(family.root) <= self.endgame:
            return game.cell(endgame_shot(position, range(game.cells)))
        return game.cell(_Comparison(self, position, family).cell())

    def _cell_by_policy(self, position: Position, counts: Counts) -> Cell:
        """Return the cell to shoot where no cells are compared.

        The score named in `policy` chooses it; without one it is a most probable cell.
        """
        game = position.game
        if self.policy:
            score = replace(self._score(self.policy, game), endgame=0, ties="first")
            return game.cell(score.cell(position, counts))
        return most_probable_cell(position, range(game.cells))


@dataclass(frozen=True)
class Nested(Rollout):
    """Shoot the one of the most probable cells after which `rollout` needs fewest shots."""

    name: ClassVar[str] = "nested"

    screen: int = new_default(Rollout, "screen", 16384)
    finalists: int = new_default(Rollout, "finalists", 4)
    depth: int = new_default(Rollout, "depth", 1)


@dataclass(frozen=True)
class Levels(Nested):
    """Play `nested`; with few configurations left, the cell after which `nested` does best."""

    name: ClassVar[str] = "levels"

    until: int = new_default(Rollout, "until", 131072)


@dataclass(frozen=True)
class Deep(Levels):
    """Play `levels` with two levels, which compare more cells: for small games."""

    name: ClassVar[str] = "deep"

    candidates: int = new_default(Rollout, "candidates", DEEP_RULE.candidates)
    percent: int = new_default(Rollout, "percent", DEEP_RULE.percent)
    endgame: int = new_default(Rollout, "endgame", DEEP_RULE.endgame)
    depth: int = new_default(Rollout, "depth", len(DEEP_RULE.levels) - 1)
    lookahead: Lookahead = field(default=DEEP, metadata={"is_fixed": True})


class _FamilyPart(NamedTuple):
    """A part of the configurations, or of a sample of them, after some shots.

    members -- the configurations, as `_RolloutFamily` has them. position -- after these shots; out
    of date if no score needs it. shift -- each configuration counts 2^shift times. open_cells --
    the mean number of open cells of a configuration when the last cell was chosen, less 1 if that
    was hit; only estimates, on samples, need it.
    """

    members: Any
    position: Position
    shift: int = 0
    open_cells: int = 0


class _Comparison:
    """The comparison of the candidates at a position: steps 3 to 5 of the module's definition.

    Costs are in misses times 4096. `levels` are policies from greedy up; the last one plays on.
    """

    def __init__(self, strategy: Rollout, position: Position, family: _RolloutFamily):
        self._rule = strategy._numbers
        self._position = position
        self._family = family
        self._policy = strategy._score(strategy.policy, position.game) if strategy.policy else None
        self._rank = None
        if strategy.rank:
            self._rank = replace(strategy._score(strategy.rank, position.game), certain=True)

    def cell(self) -> int:
        """Return the cell to shoot: the candidate of the least cost.

        If there are many candidates, only those that cost least on a small sample are compared on a
        larger one. With few configurations all levels of policies compare them, without samples.
        """
        rule, root = self._rule, _FamilyPart(self._family.root, self._position)
        configurations = self._family.size(root.members)
        decisive = self._sample(rule.cap).members
        chosen = self._candidates(root, rule.candidates, decisive)
        if configurations <= rule.until:
            return self._cell_by_levels(root, chosen, rule.levels)
        if len(chosen) > rule.finalists and configurations > rule.screen:
            costs = self._costs(rule.screen, chosen, (GREEDY,))
            by_cost = sorted(range(len(chosen)), key=lambda i: (costs[i], i))
            chosen = [chosen[i] for i in sorted(by_cost[: rule.finalists])]
        if configurations > rule.above:
            costs = self._costs(rule.second, chosen, (GREEDY, rule.inner))
        else:
            costs = self._costs(rule.cap, chosen, (GREEDY,))
        return chosen[costs.index(min(costs))]

    def _sample(self, limit: int) -> _FamilyPart:
        """Return a sample of at most `limit` of the configurations, chosen by their hashes.

        It has those whose hashes end in b zero bits, with the least b that leaves at most `limit`.
        """
        hashes = self._family.hashes
        zeros, indices = 0, list(range(len(hashes)))
        while len(indices) > limit:
            zeros += 1
            indices = [i for i in indices if not hashes[i] & (1 << zeros) - 1]
        return _FamilyPart(self._family.part_at(indices), self._position, shift=zeros)

    def _costs(self, limit: int, chosen: list[int], levels: tuple[Level, ...]) -> list[int]:
        """Return the cost of each chosen cell: the misses, times 4096, if it is shot next.

        The misses are added up over a sample of at most `limit` configurations. levels -- policies,
        the last of which makes the later shots.
        """
        sample = self._sample(limit)
        if not self._family.size(sample.members):
            return [0] * len(chosen)
        sample = sample._replace(open_cells=self._mean_open_cells(sample.members))
        return [self._cost_after(sample, cell, levels) for cell in chosen]

    def _mean_open_cells(self, members: Any) -> int:
        """Return the mean number of open cells that a configuration has, rounded.

        A cell is open if some of the configurations have a ship there and some do not.
        """
        size = self._family.size(members)
        total = sum(count for count in self._family.counts(members) if count < size)
        return (total + size // 2) // size

    def _scaled_counts(self, part: _FamilyPart, fresh: list[int]) -> Counts:
        """Return the counts of a part for scores; a configuration of a sample counts 2^shift times.

        fresh -- the cells that may be shot.
        """
        cells = [count << part.shift for count in self._family.counts(part.members)]
        replies = {
            cell: Counter(
                {reply: self._family.size(child) << part.shift for reply, child in parts.items()}
            )
            for cell, parts in self._family.labelled(part.members, fresh).items()
        }
        return Counts(self._family.size(part.members) << part.shift, cells, replies)

    def _candidates(self, part: _FamilyPart, number: int, decisive: Any) -> list[int]:
        """List at most `number` cells that are worth comparing, the best first.

        Cells are ordered by how many configurations have a ship there, or by a score if `rank` is
        given. A cell is left out if an earlier one is in all configurations of `decisive` that have
        this cell. The list ends before a value below `percent` percent of the greatest.
        """
        fresh = self._family.fresh(part.members)
        values: Sequence[float] = self._family.counts(part.members)
        if self._rank and fresh:
            values = self._rank.values(part.position, self._scaled_counts(part, fresh), fresh)
        ranked = sorted(fresh, key=lambda cell: -values[cell])
        threshold = self._rule.percent * values[ranked[0]] if ranked else 0
        chosen: list[int] = []
        for cell in ranked:
            if len(chosen) == number or (threshold > 0 and 100 * values[cell] < threshold):
                break
            if not self._family.always_with_another(decisive, cell, chosen):
                chosen.append(cell)
        return chosen

    def _cost_after(self, part: _FamilyPart, cell: int, levels: tuple[Level, ...]) -> int:
        """Return the misses, times 4096, of a shot at a cell and of all shots after it.

        They are added up over the configurations of `part`. levels -- policies, the last of which
        makes the later shots.
        """
        needs_position = self._rank or self._policy
        cost = 0
        for reply, members in self._family.parts(part.members, cell).items():
            if not reply.hit:
                cost += UNIT * self._family.size(members)
            position = part.position
            if needs_position:
                position = position.after(position.game.cell(cell), reply)
            child = _FamilyPart(members, position, part.shift, part.open_cells - reply.hit)
            cost += self._cost(child, levels)
        return cost

    def _cost(self, part: _FamilyPart, levels: tuple[Level, ...]) -> int:
        """Return the misses, times 4096, of all later shots, over the configurations of `part`.

        levels -- policies, of which the last one plays. With few configurations (its `floor`) the
        policy before it plays. On a small part of a sample the misses are estimated. The first
        policy, greedy, plays the optimum if only SMALL configurations or fewer are left.
        """
        size = self._family.size(part.members)
        while len(levels) > 1 and size <= levels[-1].floor:
            levels = levels[:-1]
        is_greedy = len(levels) == 1
        if part.shift and size <= self._rule.truncate:
            return estimate(size, part.open_cells, part.shift)
        if is_greedy and size <= SMALL:
            return UNIT * self._family.least(part.members)
        fresh = self._family.fresh(part.members)
        if not fresh:
            return 0
        part = part._replace(open_cells=self._mean_open_cells(part.members))
        if is_greedy:
            cell = self._greedy_cell(part, fresh)
        else:
            chosen = self._candidates(part, levels[-1].candidates, part.members)
            cell = self._cell_by_levels(part, chosen, levels[:-1])
        return self._cost_after(part, cell, levels)

    def _greedy_cell(self, part: _FamilyPart, fresh: list[int]) -> int:
        """Return the cell that greedy, the simplest policy, shoots: a most probable one.

        With the parameter `policy` a score chooses instead, unless the cell is a certain hit or few
        configurations are left. fresh -- the cells to choose from.
        """
        size, counts = self._family.size(part.members), self._family.counts(part.members)
        cell = max(fresh, key=counts.__getitem__)
        is_certain = counts[cell] == size
        if self._policy and not is_certain and size << part.shift > self._policy.least:
            return self._policy.best(part.position, self._scaled_counts(part, fresh), fresh)
        return cell

    def _cell_by_levels(
        self, part: _FamilyPart, chosen: list[int], levels: tuple[Level, ...]
    ) -> int:
        """Return one of the `chosen` cells, compared in a round for each level.

        A level is a policy; the first is greedy. In its round it plays to the end after a shot at
        each cell left, which costs its misses. The `kept` cheapest cells stay, but for those that
        cost over `margin` percent of a miss more than the cheapest. The cheapest of the last round
        is returned.
        """
        size = self._family.size(part.members)
        for levels_used, level in enumerate(levels, 1):
            costs = {cell: self._cost_after(part, cell, levels[:levels_used]) for cell in chosen}
            chosen = sorted(chosen, key=costs.__getitem__)
            limit = costs[chosen[0]] + level.margin * UNIT // 100 * size  # percent of a miss
            chosen = [cell for cell in chosen[: level.kept] if costs[cell] <= limit]
        return chosen[0]


class _RolloutFamily(ABC):
    """The configurations of a position, and operations on parts of them.

    root -- the part of all. hashes -- of the cells of each configuration, for samples. certain -- a
    certain hit that tells nothing, or None.
    """

    root: Any
    hashes: list[int]
    certain: int | None = None

    @abstractmethod
    def part_at(self, indices: list[int]) -> Any:
        """Return the part with the configurations at these indices."""

    @abstractmethod
    def size(self, part: Any) -> int:
        """Count the configurations of a part."""

    @abstractmethod
    def counts(self, part: Any) -> list[int]:
        """Count the configurations of a part with each cell; 0 for cells hit before."""

    @abstractmethod
    def fresh(self, part: Any) -> list[int]:
        """List the cells that may be candidates, row by row."""

    @abstractmethod
    def parts(self, part: Any, cell: int) -> dict[Reply, Any]:
        """Return the part after each reply to a shot at a cell."""

    @abstractmethod
    def least(self, part: Any) -> int:
        """Return the least total of misses on a part."""

    def always_with_another(self, part: Any, cell: int, others: list[int]) -> bool:
        """True if one of the other cells is in all configurations of a part that have this cell."""
        return False

    def labelled(self, part: Any, fresh: list[int]) -> dict[int, dict[Reply, Any]]:
        """Return the parts after a shot at each cell; nothing if hits tell nothing."""
        return {}


class _SilentFamily(_RolloutFamily):
    """Configurations of which hits tell nothing: a part is a list of masks of the cells not hit."""

    def __init__(self, position: Position):
        self.root = unhit_masks(position)
        self.hashes = [hash_cells(mask | position.hits) for mask in self.root]
        in_all = reduce(and_, self.root, -1)  # all cells if no configuration is left
        self.certain = next(bits(in_all), None)

    def part_at(self, indices: list[int]) -> list[int]:
        return [self.root[i] for i in indices]

    def size(self, part: list[int]) -> int:
        return len(part)

    def counts(self, part: list[int]) -> list[int]:
        counts = [0] * MAX_CELLS
        for mask in part:
            for cell in bits(mask):
                counts[cell] += 1
        return counts

    def fresh(self, part: list[int]) -> list[int]:
        return [cell for cell, count in enumerate(self.counts(part)) if 0 < count < len(part)]

    def parts(self, part: list[int], cell: int) -> dict[Reply, list[int]]:
        return {
            HIT: [mask for mask in part if mask >> cell & 1],
            MISS: [mask for mask in part if not mask >> cell & 1],
        }

    def least(self, part: list[int]) -> int:
        return least_misses(part)

    def always_with_another(self, part: list[int], cell: int, others: list[int]) -> bool:
        having = [mask for mask in part if mask >> cell & 1]
        return any(all(mask >> other & 1 for mask in having) for other in others)


class _LabelledFamily(_RolloutFamily):
    """Configurations of which hits tell labels: a part is a state of the search."""

    def __init__(self, position: Position):
        self._kernel = announced_kernel(position)
        self.root = self._kernel.root
        self.hashes = [hash_cells(cells) for cells in to_masks(self._kernel.sets)]

    def part_at(self, indices: list[int]) -> Subfamily:
        return Subfamily(self.root.family[indices], self.root.hits)

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

    def labelled(self, part: Subfamily, fresh: list[int]) -> dict[int, dict[Reply, Subfamily]]:
        return {cell: self.parts(part, cell) for cell in fresh}


def least_misses(part: Sequence[int]) -> int:
    """Return the least total of misses on a few configurations, given as masks of cells."""
    return _least_misses(tuple(part))


@lru_cache(maxsize=1 << 16)
def _least_misses(masks: tuple[int, ...]) -> int:
    """Return the least total of misses on some configurations.

    masks -- for each configuration the mask of its cells that are not hit yet.
    """
    covered = 0
    for mask in masks:
        covered |= mask
    costs = []
    for cell in bits(covered):
        hit = tuple(mask for mask in masks if mask >> cell & 1)
        if len(hit) < len(masks):
            missed = tuple(mask for mask in masks if not mask >> cell & 1)
            costs.append(len(missed) + _least_misses(hit) + _least_misses(missed))
    return min(costs, default=0)
