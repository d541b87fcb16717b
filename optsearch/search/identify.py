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
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from math import lcm
from pathlib import Path
from typing import NamedTuple

from optsearch.counting.family import Family
from optsearch.counting.prior import parse_weight
from optsearch.game import MAX_CELLS, Game
from optsearch.game.position import HIT, MISS, Position
from optsearch.lower_bounds import Bound, BoundsStatus, leaf_counting_misses
from optsearch.lower_bounds.by_chance import total_misses_by_chance
from optsearch.lower_bounds.dual_chain import chain_dual
from optsearch.lower_bounds.leaves import weighted_leaf_counting_after
from optsearch.search.greedy import GreedySolver
from optsearch.search.kernels import SolverOptions, chain_prices
from optsearch.search.solver import Solver
from optsearch.search.team import Parallel
from optsearch.support import records
from optsearch.support.documents import Document, write
from optsearch.support.errors import RecordError, TooLarge, TreeError
from optsearch.support.files import read_text
from optsearch.support.progress import LimitReached, Progress, no_progress
from optsearch.tree import Leaf, Node
from optsearch.tree.solution import SearchStatus

FORMAT = "optsearch identification"
VERSION = 1
RULES = ("best", "worst", "first", "last", "remainder")  # of `optsearch.greedy`


@dataclass(frozen=True)
class Sets:
    """A family: named sets of named things, with weights.

    things -- in the order in which they are first named. names, sets, weights -- of the sets with a
    weight above 0; a set is a mask whose bit i is thing i. title -- its name in messages.
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
        ascending_indices = sorted(range(len(self.sets)), key=self.sets.__getitem__)
        return Family(
            Game(1, max(1, len(self.things)), (1,), "any"),
            tuple(self.sets[i] for i in ascending_indices),
            tuple(self.weights[i] for i in ascending_indices),
        ).check_total_weight(self.title)

    @property
    def position(self) -> Position:
        """The position for the solver in which nothing has been asked."""
        return Position(self.family.game)

    @property
    def certain_hits(self) -> int:
        """The things of all sets, each counted as often as its set weighs.

        The total height of the solver is these plus the misses.
        """
        return sum(
            mask.bit_count() * weight for mask, weight in zip(self.sets, self.weights, strict=True)
        )


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
    names = record.values("set", _parse_name)
    things_of_sets = record.values("things", str.split)
    weights = [Fraction(1)] * len(names)
    if "weight" in record.columns:
        weights = record.values("weight", parse_weight)
    things = dict.fromkeys(thing for words in things_of_sets for thing in words)
    if len(things) > MAX_CELLS:
        raise TooLarge(f"{path}: {len(things)} things; at most {MAX_CELLS} are handled")
    index_of_thing = {thing: i for i, thing in enumerate(things)}
    masks = [sum(1 << index_of_thing[thing] for thing in set(words)) for words in things_of_sets]
    _require_distinct(path, record.lines, names, things_of_sets, masks)
    weighted_indices = [i for i, weight in enumerate(weights) if weight]
    if not weighted_indices:
        raise RecordError(f"{path}: no set has a weight; give at least one that can be hidden")
    common_denominator = lcm(*(weight.denominator for weight in weights))
    return Sets(
        things=tuple(things),
        names=tuple(names[i] for i in weighted_indices),
        sets=tuple(masks[i] for i in weighted_indices),
        weights=tuple(int(weights[i] * common_denominator) for i in weighted_indices),
        title=Path(path).name,
    )


def _require_distinct(
    path: str | Path,
    lines: Sequence[int],
    names: Sequence[str],
    things_of_sets: Sequence[Sequence[str]],
    masks: Sequence[int],
) -> None:
    """Raise RecordError if two sets have the same name or things, or a set has a thing twice.

    lines -- the lines of the file that have the sets. masks -- the things as masks.
    """
    first_with_name: dict[str, int] = {}
    first_with_mask: dict[int, int] = {}
    rows = zip(lines, names, things_of_sets, masks, strict=True)
    for set_index, (line, name, things, mask) in enumerate(rows):
        where = f"{path}, line {line}"
        if name in first_with_name:
            earlier = first_with_name[name]
            raise RecordError(f"{where}: {name!r} is there already, in line {lines[earlier]}")
        if mask in first_with_mask:
            earlier = first_with_mask[mask]
            raise RecordError(
                f"{where}: {name!r} has the same things as {names[earlier]!r}, in line "
                f"{lines[earlier]}"
            )
        if len(set(things)) < len(things):
            repeated = next(thing for thing, count in Counter(things).items() if count > 1)
            raise RecordError(f"{where}: {name!r} has {repeated!r} twice")
        first_with_name[name] = first_with_mask[mask] = set_index


def _parse_name(text: str) -> str:
    """Return the name of a set in a field of a table; ValueError if it is blank."""
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


Answers = tuple[tuple[str, bool], ...]  # the things asked for, each with True for a hit


class _End(NamedTuple):
    """An end of a tree: its set with its weight, the misses, and the number of things asked for."""

    name: str
    weight: int
    misses: int
    asked: int


@dataclass(frozen=True)
class IdentificationTree:
    """A strategy: a tree of questions, with the name of the set that is left at each end.

    root -- the first question, or the name of the only set.
    """

    sets: Sets
    root: Ask | str
    title: str = ""

    def paths(self) -> Iterator[tuple[Answers, str]]:
        """Yield the answers that lead to each end of the tree, with the name of the set there."""
        waiting: list[tuple[Answers, Ask | str]] = [((), self.root)]
        while waiting:
            answers, node = waiting.pop()
            if isinstance(node, str):
                yield answers, node
                continue
            thing = self.sets.things[node.thing]
            waiting.append(((*answers, (thing, False)), node.missed))
            waiting.append(((*answers, (thing, True)), node.hit))

    @cached_property
    def _ends(self) -> list[_End]:
        """The ends of the tree, in the order of `paths`."""
        weights = dict(zip(self.sets.names, self.sets.weights, strict=True))
        ends = []
        for answers, name in self.paths():
            misses = sum(not is_hit for _, is_hit in answers)
            ends.append(_End(name, weights.get(name, 0), misses, asked=len(answers)))
        return ends

    @property
    def total(self) -> int:
        """The misses over all sets, each as often as it weighs."""
        return sum(end.weight * end.misses for end in self._ends)

    @property
    def worst(self) -> int:
        """The most misses that a set takes."""
        return max(end.misses for end in self._ends)

    @property
    def misses(self) -> dict[str, int]:
        """The misses of each set, by its name."""
        return {end.name: end.misses for end in self._ends}

    @cached_property
    def histogram(self) -> dict[int, int]:
        """The weight of the sets by the number of misses that they take, ascending."""
        weights: Counter[int] = Counter()
        for end in self._ends:
            weights[end.misses] += end.weight
        return dict(sorted(weights.items()))

    @property
    def asked(self) -> int:
        """The things asked for, hit or missed, over all sets, each as often as it weighs."""
        return sum(end.weight * end.asked for end in self._ends)

    def text(self) -> str:
        """Return the tree as text: each thing, and below it the branches after a hit and a miss."""
        lines: list[str] = []
        # Nodes to draw, each with what stands before it, and before the lines below it.
        waiting: list[tuple[Ask | str, str, str]] = [(self.root, "", "")]
        while waiting:
            node, prefix, prefix_below = waiting.pop()
            if isinstance(node, str):
                lines.append(f"{prefix}✓ {node}")
                continue
            lines.append(prefix + self.sets.things[node.thing])
            waiting.append((node.missed, f"{prefix_below}└─ miss ", f"{prefix_below}   "))
            waiting.append((node.hit, f"{prefix_below}├─ hit ", f"{prefix_below}│  "))
        return "\n".join(lines)


def _name_leaves(sets: Sets, root: Node | Leaf, title: str) -> IdentificationTree:
    """Return a tree of the solver as a tree of questions, which ends where one set is left.

    Certain hits are left out, as they need no question.
    """
    names = dict(zip(sets.sets, sets.names, strict=True))

    def convert(node: Node | Leaf, sets_left: list[int]) -> Ask | str:
        if len(sets_left) == 1:
            return names[sets_left[0]]
        assert isinstance(node, Node)
        thing = node.cell[1]  # the grid of a family is one row
        having = [mask for mask in sets_left if mask >> thing & 1]
        lacking = [mask for mask in sets_left if not mask >> thing & 1]
        if not lacking:  # a certain hit
            return convert(node.replies[HIT], sets_left)
        return Ask(
            thing,
            hit=convert(node.replies[HIT], having),
            missed=convert(node.replies[MISS], lacking),
        )

    return IdentificationTree(sets, convert(root, list(sets.sets)), title)


def verify(tree: IdentificationTree) -> int:
    """Replay a strategy on every set, without a solver; return its total misses by weight.

    Raises TreeError unless the replies of each set lead to an end with its name, without a question
    asked twice, and each end is reached.
    """
    sets, total_misses = tree.sets, 0
    for name, mask, weight in zip(sets.names, sets.sets, sets.weights, strict=True):
        node, asked_mask, misses = tree.root, 0, 0
        while isinstance(node, Ask):
            thing_mask = 1 << node.thing
            if asked_mask & thing_mask:
                raise TreeError(
                    f"{sets.things[node.thing]!r} is asked for twice on the way to {name!r}"
                )
            asked_mask |= thing_mask
            is_hit = mask & thing_mask != 0
            misses += not is_hit
            node = node.hit if is_hit else node.missed
        if node != name:
            raise TreeError(f"{name!r} is hidden, but the tree ends at {node!r}")
        total_misses += weight * misses
    end_count, ends_reached = sum(1 for _ in tree.paths()), len(sets.names)
    if end_count != ends_reached:
        raise TreeError(f"the tree has {end_count} ends, and {ends_reached} of them are reached")
    return total_misses


def save(tree: IdentificationTree, path: str | Path) -> None:
    """Write a strategy to a file as JSON; TreeError if it cannot be written."""

    def to_json(node: Ask | str) -> dict[str, object]:
        if isinstance(node, str):
            return {"set": node}
        thing = tree.sets.things[node.thing]
        return {"ask": thing, "hit": to_json(node.hit), "miss": to_json(node.missed)}

    fields = {
        "format": FORMAT,
        "version": VERSION,
        "title": tree.title,
        "family": tree.sets.digest,
        "total_misses": tree.total,
        "weight": tree.sets.weight,
        "root": to_json(tree.root),
    }
    write(path, json.dumps(fields, ensure_ascii=False, indent=1) + "\n", TreeError)


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
    index_of_thing = {thing: i for i, thing in enumerate(sets.things)}

    def parse_node(value: object, depth: int) -> Ask | str:
        if isinstance(value, dict) and value.keys() == {"set"} and value["set"] in sets.names:
            return str(value["set"])
        if isinstance(value, dict) and value.keys() == {"ask", "hit", "miss"}:
            thing = index_of_thing.get(str(value["ask"]))
            if thing is not None and depth < len(index_of_thing):  # else a thing is asked for twice
                return Ask(
                    thing,
                    hit=parse_node(value["hit"], depth + 1),
                    missed=parse_node(value["miss"], depth + 1),
                )
        document.refuse(
            f"{value!s:.60} is neither a set of {sets.title} nor a thing asked for with "
            "'hit' and 'miss'"
        )

    title = document.value("title", str, {"title": "", **document.fields})
    tree = IdentificationTree(sets, parse_node(document.value("root", dict), 0), title)
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
    """Return the least misses over all sets, or bounds of them if the search is cut short.

    options -- of the search. time_limit -- seconds. parallel -- the workers to ask; None searches
    in this process. partial -- True returns the bounds after ctrl-C too. progress -- called now and
    then.
    """
    solver = Solver(
        sets.position, options or SolverOptions(), progress=progress, family=sets.family
    )
    solution = solver.search(time_limit, parallel, partial)
    assert solution.lower is not None
    assert solution.upper is not None
    in_every_set = sets.family.certain
    indices = [column for _, column in solution.best_shots]
    return Identification(
        sets,
        lower=solution.lower - sets.certain_hits,
        upper=solution.upper - sets.certain_hits,
        best=tuple(sets.things[i] for i in indices if not in_every_set >> i & 1),
        nodes=solution.nodes,
        seconds=solution.seconds,
        _solver=solver,
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

    The upper bound is what greedy misses. If `progress` ends greedy by an exception, it is that of
    questions at random, and the exception is raised again.
    """
    family = sets.family
    leaves = Counter(sets.weights)
    certain_things = family.certain.bit_count()
    by_counting = Fraction(leaf_counting_misses(leaves, family.hits - certain_things), sets.weight)
    yield Bound(
        "leaf counting",
        "lower",
        by_counting,
        "at most C(k-1+j, j) sets of at most k things are found with j misses",
    )

    def report_greedy(status: SearchStatus) -> None:
        progress(BoundsStatus(step="greedy on every set", effort=status.effort))

    solver = GreedySolver(sets.position, progress=report_greedy, family=family)
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
        without_certain = tuple(cells & ~family.certain for cells in family.sets)
        prices = chain_prices(without_certain)
        if prices is not None:
            by_prices = Fraction(chain_dual(without_certain, family.weights, prices), sets.weight)
            source = "a price for each set, and for each further miss"
            yield Bound("dual of the chain", "lower", by_prices, source)
