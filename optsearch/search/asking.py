"""Strategies for a family from a file, by name or as own code; what replies leave of a family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import log2
from pathlib import Path

from optsearch.game import bits
from optsearch.search.identify import RULES, Ask, IdentificationTree, Sets, greedy, identify
from optsearch.search.kernels import SolverOptions
from optsearch.support.errors import PositionError, StrategyError
from optsearch.support.user_code import UserFunction, safe_repr

NAMES = ("optimal", *(f"greedy:ties={rule}" for rule in RULES))
Replies = Mapping[str, bool]  # thing -> whether it was hit


def parse(text: str) -> dict[str, bool]:
    """Replies such as `A=hit B=miss`; PositionError for others."""
    replies: dict[str, bool] = {}
    for word in text.replace(",", " ").split():
        thing, _, reply = word.rpartition("=")
        if not thing or reply.lower() not in ("hit", "miss"):
            raise PositionError(f"{word!r} is not a reply; write THING=hit or THING=miss")
        if thing in replies:
            raise PositionError(f"{thing!r} was asked for already")
        replies[thing] = reply.lower() == "hit"
    return replies


def left(sets: Sets, replies: Replies) -> Sets:
    """The sets that have what was hit and nothing that was missed; PositionError where none has."""
    hit = missed = 0
    for thing, is_hit in replies.items():
        if thing not in sets.things:
            raise PositionError(f"no set of {sets.title} has {thing!r}; write a thing of the table")
        bit = 1 << sets.things.index(thing)
        hit, missed = (hit | bit, missed) if is_hit else (hit, missed | bit)
    kept = [i for i, mask in enumerate(sets.sets) if mask & hit == hit and not mask & missed]
    if not kept:
        texts = (f"{thing}={'hit' if has else 'miss'}" for thing, has in replies.items())
        raise PositionError(f"no set of {sets.title} replies so: {' '.join(texts)}")
    return replace(
        sets,
        names=tuple(sets.names[i] for i in kept),
        sets=tuple(sets.sets[i] for i in kept),
        weights=tuple(sets.weights[i] for i in kept),
    )


def probabilities(sets: Sets) -> list[tuple[str, Fraction]]:
    """Each thing, and how probable it is that the hidden set has it."""
    weights: Counter[int] = Counter()
    for mask, weight in zip(sets.sets, sets.weights, strict=True):
        for thing in bits(mask):
            weights[thing] += weight
    return [(name, Fraction(weights[i], sets.weight)) for i, name in enumerate(sets.things)]


def likely(sets: Sets) -> list[tuple[str, Fraction]]:
    """Those that are not certain, the most probable first."""
    doubtful = [(thing, p) for thing, p in probabilities(sets) if 0 < p < 1]
    return sorted(doubtful, key=lambda one: -one[1])


def entropy(sets: Sets) -> float:
    """What is not known of the hidden set, in bits."""
    return 0.0 - sum(n / sets.weight * log2(n / sets.weight) for n in sets.weights)


def strategy(text: str, sets: Sets, memory: int = 1 << 32) -> IdentificationTree:
    """The strategy for a family that a text names: one of `NAMES`, `greedy`, or FILE.py:NAME.

    The last is a function of the sets that are left (name -> its things) and of their weights
    (name -> weight), which returns the thing to ask for. Raises StrategyError for other texts, and
    where it asks for a thing that tells nothing.
    """
    if text == "optimal":
        return identify(sets, SolverOptions(memory=memory)).tree()
    if text == "greedy" or text in NAMES:
        return greedy(sets, text.partition("=")[2] or "first")
    file, _, name = text.rpartition(":")
    if not file.endswith(".py"):
        raise StrategyError(
            f"no strategy for a family is called {text!r}; {', '.join(NAMES)} or FILE.py:NAME is "
            "accepted"
        )
    return _from_function(UserFunction.of(Path(file), name), sets, text)


def _from_function(function: UserFunction, sets: Sets, text: str) -> IdentificationTree:
    words = {
        name: frozenset(sets.things[i] for i in bits(mask))
        for name, mask in zip(sets.names, sets.sets, strict=True)
    }
    weights = dict(zip(sets.names, sets.weights, strict=True))
    places = {thing: i for i, thing in enumerate(sets.things)}

    def node(names: Iterable[str]) -> Ask | str:
        rest = {name: words[name] for name in names}
        if len(rest) == 1:
            return next(iter(rest))
        says = f"{text} cannot be asked what comes next"
        thing = function(dict(rest), {name: weights[name] for name in rest}, says=says)
        if not isinstance(thing, str) or thing not in places:
            raise StrategyError(
                f"{text} asks for {safe_repr(thing)}, which is not a thing of the table"
            )
        hit = [name for name, has in rest.items() if thing in has]
        missed = [name for name in rest if name not in set(hit)]
        if not (hit and missed):
            raise StrategyError(
                f"{text} asks for {thing!r}, which {'all' if hit else 'none'} of the {len(rest)} "
                "sets left have; ask for one that some of them have"
            )
        return Ask(places[thing], node(hit), node(missed))

    return IdentificationTree(sets, node(sets.names), text)
