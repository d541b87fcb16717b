"""Find a hidden set of a family in a file by asking for one thing after the other.

    family = read("faults.csv")
    found = identify(family)
    found.misses, found.tree()

A question asks if a *thing* is in the hidden set. If it is (a hit), the question costs nothing,
else (a miss) it costs one. The search ends when one set is left. (In Battleship the things are
cells and the sets are configurations. There the game goes on until every cell of the hidden
configuration is shot, which costs no misses.)
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from math import lcm
from pathlib import Path

from optsearch.counting.family import Family
from optsearch.counting.prior import parse_weight
from optsearch.game import MAX_CELLS, Game
from optsearch.game.position import HIT, MISS, Position
from optsearch.lower_bounds import Bound, BoundsStatus, leaf_counting_misses
from optsearch.lower_bounds.by_chance import total_misses_by_chance
from optsearch.lower_bounds.dual_chain import chain_dual
from optsearch.lower_bounds.leaves import weighted_leaf_counting_after
from optsearch.search.greedy import GreedySolver
from optsearch.search.kernels import SolverOptions, raised_prices
from optsearch.search.solver import Solver
from optsearch.search.team import Parallel
from optsearch.support import records
from optsearch.support.documents import Document, write
from optsearch.support.errors import RecordError, TooLarge, TreeError
from optsearch.support.files import read_text
from optsearch.support.progress import LimitReached, Progress, no_progress
from optsearch.tree import Leaf as Ended
from optsearch.tree import Node as Shot
from optsearch.tree.solution import SearchStatus

FORMAT = "optsearch identification"
VERSION = 1
RULES = ("best", "worst", "first", "last", "remainder")  # of `optsearch.greedy`


@dataclass(frozen=True)
class Sets:
    """A family: named sets of named things, with weights.

    things -- in the order in which they are first named. names, sets, weights -- of the sets with a
    weight above 0; a set is a mask whose bit i is thing i. title -- the name of the family in
    messages.
    """

    things: tuple[str, ...]
    names: tuple[str, ...]
    sets: tuple[int, ...]
    weights: tuple[int, ...]
    title: str = "family"

    @cached_property
    def digest(self) -> str:
        """The digest by which files of trees and claims name the family."""
        rows = zip(self.names, self.sets, self.weights, strict=True)
        lines = [" ".join(self.things), *(f"{mask} {weight} {name}" for name, mask, weight in rows)]
        return blake2b("\n".join(lines).encode(), digest_size=8).hexdigest()

    @property
    def weight(self) -> int:
        """The sum of the weights of all sets."""
        return sum(self.weights)

    @cached_property
    def family(self) -> Family:
        """The family for the solver; its grid is one row of all things."""
        order = sorted(range(len(self.sets)), key=self.sets.__getitem__)
        return Family(
            Game(1, max(1, len(self.things)), (1,), "any"),
            tuple(self.sets[i] for i in order),
            tuple(self.weights[i] for i in order),
        ).check_total_weight(self.title)

    @property
    def position(self) -> Position:
        """The position for the solver in which nothing has been asked."""
        return Position(self.family.game)

    @property
    def certain_hits(self) -> int:
        """The things of all sets, each counted as often as its set weighs.

        The solver counts them as shots; the total height is these plus the misses.
        """
        return sum(m.bit_count() * n for m, n in zip(self.sets, self.weights, strict=True))


def read(path: str | Path) -> Sets:
    """Return the family in a table with the columns set, things and perhaps weight.

    The things of a set are words in one field. Sets of weight 0 are left out. Weights may be
    fractions; all are multiplied by their common denominator.
    Raises RecordError, which quotes line and value, and TooLarge for more than 128 things.
    """
    record = records.read(path)
    if record.columns not in (("set", "things"), ("set", "things", "weight")):
        raise RecordError(
            f"{path}: a family has no columns {', '.join(record.columns)}; they are set, things "
            "and perhaps weight"
        )
    names = record.values("set", _name)
    words = record.values("things", str.split)
    weights = [Fraction(1)] * len(names)
    if "weight" in record.columns:
        weights = record.values("weight", parse_weight)
    things = {thing: i for i, thing in enumerate(dict.fromkeys(t for row in words for t in row))}
    if len(things) > MAX_CELLS:
        raise TooLarge(f"{path}: {len(things)} things; at most {MAX_CELLS} are handled")
    scale = lcm(*(weight.denominator for weight in weights))
    by_name: dict[str, int] = {}
    by_mask: dict[int, int] = {}
    for i, (name, row, line) in enumerate(zip(names, words, record.lines, strict=True)):
        mask = sum(1 << things[thing] for thing in set(row))
        for before, problem in (
            (by_name.get(name), f"{name!r} is there already"),
            (by_mask.get(mask), f"{name!r} has the same things as {names[by_mask.get(mask, 0)]!r}"),
        ):
            if before is not None:
                raise RecordError(f"{path}, line {line}: {problem}, in line {record.lines[before]}")
        if len(set(row)) < len(row):
            repeated = next(thing for thing, n in Counter(row).items() if n > 1)
            raise RecordError(f"{path}, line {line}: {name!r} has {repeated!r} twice")
        by_name[name] = by_mask[mask] = i
    weighted = [i for i, weight in enumerate(weights) if weight]
    if not weighted:
        raise RecordError(f"{path}: no set has a weight; give at least one that can be hidden")
    return Sets(
        tuple(things),
        tuple(names[i] for i in weighted),
        tuple(sum(1 << things[thing] for thing in words[i]) for i in weighted),
        tuple(int(weights[i] * scale) for i in weighted),
        Path(path).name,
    )


def _name(text: str) -> str:
    if not text.strip():
        raise ValueError("a set has a name")
    return text.strip()


# Trees


@dataclass(frozen=True)
class Ask:
    """A question for a thing, and what follows its reply.

    thing -- its index. hit, missed -- what follows after a hit and after a miss: the next question,
    or the name of the set that is left.
    """

    thing: int
    hit: Ask | str
    missed: Ask | str


@dataclass(frozen=True)
class IdentificationTree:
    """A strategy: a tree of questions, with the name of the set that is left at each end.

    root -- the first question, or the name of the only set.
    """

    sets: Sets
    root: Ask | str
    title: str = ""

    def paths(self) -> Iterator[tuple[tuple[tuple[str, bool], ...], str]]:
        """Yield a pair for each end of the tree: the way there, and the name of the set found.

        The way is a tuple of the things asked for, each with True for a hit.
        """
        waiting: list[tuple[tuple[tuple[str, bool], ...], Ask | str]] = [((), self.root)]
        while waiting:
            answers, node = waiting.pop()
            if isinstance(node, str):
                yield answers, node
                continue
            thing = self.sets.things[node.thing]
            waiting.append(((*answers, (thing, False)), node.missed))
            waiting.append(((*answers, (thing, True)), node.hit))

    @cached_property
    def _ends(self) -> list[tuple[int, int, int]]:
        """Weight, misses and number of things asked for, for each end of the tree."""
        weights = dict(zip(self.sets.names, self.sets.weights, strict=True))
        return [
            (weights.get(name, 0), sum(not hit for _, hit in answers), len(answers))
            for answers, name in self.paths()
        ]

    @property
    def total(self) -> int:
        """The misses over all sets, each as often as it weighs."""
        return sum(weight * misses for weight, misses, _ in self._ends)

    @property
    def worst(self) -> int:
        """The most misses that a set takes."""
        return max(misses for _, misses, _ in self._ends)

    @cached_property
    def misses(self) -> dict[str, int]:
        """The misses of each set, by its name."""
        return {name: sum(not hit for _, hit in answers) for answers, name in self.paths()}

    @cached_property
    def histogram(self) -> dict[int, int]:
        """The weight of the sets by the number of misses that they take, ascending."""
        weights: Counter[int] = Counter()
        for weight, misses, _ in self._ends:
            weights[misses] += weight
        return dict(sorted(weights.items()))

    @property
    def asked(self) -> int:
        """The things asked for, hit or missed, over all sets, each as often as it weighs."""
        return sum(weight * number for weight, _, number in self._ends)

    def text(self) -> str:
        """Return the tree as text: each thing, and below it the branches after a hit and a miss."""
        lines: list[str] = []
        waiting: list[tuple[Ask | str, str, str]] = [(self.root, "", "")]
        while waiting:
            node, before, below = waiting.pop()
            if isinstance(node, str):
                lines.append(f"{before}✓ {node}")
                continue
            lines.append(before + self.sets.things[node.thing])
            waiting.append((node.missed, f"{below}└─ miss ", f"{below}   "))
            waiting.append((node.hit, f"{below}├─ hit ", f"{below}│  "))
        return "\n".join(lines)


def _name_leaves(sets: Sets, root: Shot | Ended, title: str) -> IdentificationTree:
    """Return a tree of the solver as a tree of questions, without its certain hits.

    It ends where one set is left, with the name of that set.
    """
    names = dict(zip(sets.sets, sets.names, strict=True))

    def convert(node: Shot | Ended, sets_left: list[int]) -> Ask | str:
        if len(sets_left) == 1:
            return names[sets_left[0]]
        assert isinstance(node, Shot)
        thing = node.cell[1]
        parts = {hit: [m for m in sets_left if (m >> thing & 1) == hit] for hit in (True, False)}
        if not parts[False]:  # in every set that is left
            return convert(node.replies[HIT], sets_left)
        return Ask(
            thing,
            convert(node.replies[HIT], parts[True]),
            convert(node.replies[MISS], parts[False]),
        )

    return IdentificationTree(sets, convert(root, list(sets.sets)), title)


def verify(tree: IdentificationTree) -> int:
    """Replay a strategy on every set, without a solver; return its misses over all sets.

    Each set counts as often as it weighs. Raises TreeError unless the replies of each set lead to
    an end with its name, without a question asked twice, and each end is reached.
    """
    sets, total, reached = tree.sets, 0, 0
    for name, mask, weight in zip(sets.names, sets.sets, sets.weights, strict=True):
        node, asked_mask, misses = tree.root, 0, 0
        while isinstance(node, Ask):
            bit = 1 << node.thing
            if asked_mask & bit:
                raise TreeError(
                    f"{sets.things[node.thing]!r} is asked for twice on the way to {name!r}"
                )
            asked_mask |= bit
            misses += not mask & bit
            node = node.hit if mask & bit else node.missed
        if node != name:
            raise TreeError(f"{name!r} is hidden, but the tree ends at {node!r}")
        total += weight * misses
        reached += 1
    ends = sum(1 for _ in tree.paths())
    if ends != reached:
        raise TreeError(f"the tree has {ends} ends, and {reached} of them are reached")
    return total


def save(tree: IdentificationTree, path: str | Path) -> None:
    """Write a strategy to a file as JSON; TreeError if it cannot be written."""

    def nested(node: Ask | str) -> dict[str, object]:
        if isinstance(node, str):
            return {"set": node}
        thing = tree.sets.things[node.thing]
        return {"ask": thing, "hit": nested(node.hit), "miss": nested(node.missed)}

    head = {
        "format": FORMAT,
        "version": VERSION,
        "title": tree.title,
        "family": tree.sets.digest,
        "total_misses": tree.total,
        "weight": tree.sets.weight,
        "root": nested(tree.root),
    }
    write(path, json.dumps(head, ensure_ascii=False, indent=1) + "\n", TreeError)


def is_identification(path: str | Path) -> bool:
    """True if a file says in its first lines that it is a strategy for a family."""
    try:
        return f'"format": "{FORMAT}"' in read_text(Path(path))[:200]
    except OSError:
        return False


def load(path: str | Path, sets: Sets) -> IdentificationTree:
    """Load and verify the strategy in a file for a family; raise TreeError if it is not one."""
    document = Document.read(path, TreeError)
    document.require(FORMAT, VERSION)
    if document.value("family", str) != sets.digest:
        document.refuse(
            f"it is of the family {document.fields['family']!r}; {sets.title} is {sets.digest}"
        )
    places = {thing: i for i, thing in enumerate(sets.things)}

    def node(value: object, depth: int) -> Ask | str:
        if isinstance(value, dict) and value.keys() == {"set"} and value["set"] in sets.names:
            return str(value["set"])
        if isinstance(value, dict) and value.keys() == {"ask", "hit", "miss"}:
            thing = places.get(str(value["ask"]))
            if thing is not None and depth < len(places):
                return Ask(thing, node(value["hit"], depth + 1), node(value["miss"], depth + 1))
        document.refuse(
            f"{value!s:.60} is neither a set of {sets.title} nor a thing asked for with "
            "'hit' and 'miss'"
        )

    title = document.value("title", str, {"title": "", **document.fields})
    tree = IdentificationTree(sets, node(document.value("root", dict), 0), title)
    document.require_same("total_misses", tree.total, "the tree")
    document.require_same("weight", sets.weight, "the family")
    try:
        verify(tree)
    except TreeError as error:
        document.refuse(str(error))
    return tree


# The optimum


@dataclass(frozen=True)
class Identification:
    """The least misses over all sets, each as often as it weighs: two bounds, equal if it is known.

    best -- the things that an optimal strategy can ask for first; empty if they are not known.
    """

    sets: Sets
    lower: int
    upper: int
    best: tuple[str, ...]
    nodes: int
    seconds: float
    _solver: Solver

    @property
    def is_exact(self) -> bool:
        """True if the bounds are equal."""
        return self.lower == self.upper

    @property
    def misses(self) -> int:
        """The misses of the best strategy found over all sets; the least if `is_exact`."""
        return self.upper

    @property
    def mean(self) -> Fraction:
        """The mean number of misses of that strategy."""
        return Fraction(self.upper, self.sets.weight)

    def tree(self) -> IdentificationTree:
        """Return an optimal strategy, or the best one found."""
        title = "optimal" if self.is_exact else "best found"
        return _name_leaves(self.sets, self._solver.tree().root, title)


def identify(
    sets: Sets,
    options: SolverOptions | None = None,
    time_limit: float | None = None,
    parallel: Parallel | None = None,
    partial: bool = False,
    progress: Progress[SearchStatus] = no_progress,
) -> Identification:
    """Search for the strategy with the fewest misses; arguments as of `Solver.search`."""
    solver = Solver(
        sets.position, options or SolverOptions(), progress=progress, family=sets.family
    )
    solution = solver.search(time_limit, parallel, partial)
    assert solution.lower is not None
    assert solution.upper is not None
    certain = sets.family.certain
    best = [sets.things[c] for _, c in solution.best_shots if not certain >> c & 1]
    hits = sets.certain_hits
    return Identification(
        sets,
        solution.lower - hits,
        solution.upper - hits,
        tuple(best),
        solution.nodes,
        solution.seconds,
        solver,
    )


def greedy(
    sets: Sets, rule: str, progress: Progress[SearchStatus] = no_progress
) -> IdentificationTree:
    """Return the strategy that always asks for a most probable thing.

    rule -- one of `RULES`, by which ties are broken (`optsearch.search.greedy`).
    """
    solver = GreedySolver(sets.position, progress=progress, family=sets.family)
    return _name_leaves(sets, solver.tree(rule).root, f"greedy, {rule}")


def bounds(sets: Sets, progress: Progress[BoundsStatus] = no_progress) -> Iterator[Bound]:
    """Yield bounds on the least mean number of misses, one after the other.

    They are lower bounds, and as an upper bound the misses of greedy. If `progress` ends greedy by
    an exception, the upper bound is that of questions at random, and the exception is raised
    again.
    """
    family = sets.family
    leaves = Counter(sets.weights)
    certain = family.certain.bit_count()
    counting = Fraction(leaf_counting_misses(leaves, family.hits - certain), sets.weight)
    yield Bound(
        "leaf counting",
        "lower",
        counting,
        "at most C(k-1+j, j) sets of at most k things are found with j misses",
    )

    def tell(status: SearchStatus) -> None:
        progress(BoundsStatus(step="greedy on every set", effort=status.effort))

    solver = GreedySolver(sets.position, progress=tell, family=family)
    try:
        misses = solver.total_height("first") - sets.certain_hits
    except (LimitReached, KeyboardInterrupt):
        by_chance = Fraction(total_misses_by_chance(family), sets.weight)
        yield Bound(
            "things at random", "upper", by_chance, "any thing that may be missing, by chance"
        )
        raise
    yield Bound("most probable thing", "upper", Fraction(misses, sets.weight), "greedy, the first")
    progress(BoundsStatus(step="leaves after one thing"))
    yield Bound(
        "leaf counting after one thing",
        "lower",
        weighted_leaf_counting_after(family) - family.mean_hits,
        "leaf counting for both replies to the first question, the least over all things",
    )
    if set(sets.weights) == {1} and len(sets.sets) > 1:
        progress(BoundsStatus(step="a price for each set"))
        doubtful = tuple(cells & ~family.certain for cells in family.sets)
        prices = raised_prices(doubtful)
        if prices is not None:
            dual = Fraction(chain_dual(doubtful, family.weights, prices), sets.weight)
            source = "a price for each set, and for each further miss"
            yield Bound("dual of the chain", "lower", dual, source)
