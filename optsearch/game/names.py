"""Strategies, and levels of puzzles, as people call them, for figures and reports.

The name of a strategy lists its parameters, `pattern:clear=line,water=1`; here it becomes words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

LEVELS = ("easy", "medium", "hard", "very hard", "beyond")  # of puzzles, easiest first


def _pattern(options: dict[str, str]) -> list[str]:
    way = "the row first" if options.get("clear") == "line" else "four directions"
    water = "known water left out" if options.get("water") == "1" else "nothing deduced"
    return ["fixed pattern", way, water]


def _greedy(options: dict[str, str]) -> list[str]:
    ties = options.get("ties", "first")
    last = ["to the end"] if options.get("endgame") == "0" else []
    more = [] if ties == "first" else [f"ties {ties}"]
    return ["greedy (a most probable cell)", *more, *last]


def _heuristic(options: dict[str, str]) -> list[str]:
    return [f"Battleship Heuristics, version {options.get('version', '?')}"]


def _nested(options: dict[str, str]) -> list[str]:
    more = [f"samples of {int(options['second']):,}"] if "second" in options else []
    return ["nested rollout (the cell from which rollouts do best)", *more]


def _rollout(options: dict[str, str]) -> list[str]:
    return [f"rollout (the cell from which {options.get('policy', 'greedy')} does best)"]


def _thompson(options: dict[str, str]) -> list[str]:
    samples = int(options.get("block_size", "0"))
    said = {"printed": "as printed", "whole": "all that is heard", "exact": "exact samples"}
    information = options.get("information", "")
    blocks = "one sample" if samples == 1 else f"{samples:,} samples"
    return ["Thompson sampling", said.get(information, information), blocks]


_WORDS: dict[str, Callable[[dict[str, str]], list[str]]] = {
    "greedy": _greedy,
    "heuristic": _heuristic,
    "pattern": _pattern,
    "complete binary tree": lambda _: ["complete binary tree, as in the paper"],
    "strategy of the paper": lambda _: ["the paper's better strategy, as printed"],
    "bisection": lambda _: ["bisection (a cell of probability nearest to one half)"],
    "density": lambda _: ["density (the cell in most placements)"],
    "information": lambda _: ["information (the cell that tells most)"],
    "parity": lambda _: ["parity (every other cell, then around hits)"],
    "thompson": _thompson,
    "within": lambda options: [f"made for {options.get('shots', '24')} shots"],
    "spread": lambda _: ["spread (greedy that keeps away from its misses)"],
    "rollout": _rollout,
    "nested": _nested,
    "levels": lambda _: ["levels of rollouts (the cell from which nested rollouts do best)"],
    "deep": lambda _: ["two levels of rollouts (the cell from which levels of rollouts do best)"],
}


def _parts(name: str) -> list[str]:
    kind, _, text = name.partition(":")
    if kind not in _WORDS:
        return [name]
    return _WORDS[kind](dict(option.split("=", 1) for option in text.split(",") if "=" in option))


def in_words(name: str) -> str:
    """A strategy in words; a name that is not known stays as it is.

    >>> in_words("pattern:modulus=4,colours=13,scan=diagonals,clear=line,water=0")
    'fixed pattern, the row first, nothing deduced'
    >>> in_words("rollout:candidates=2,policy=spread")
    'rollout (the cell from which spread does best)'
    """
    return ", ".join(_parts(name))


def together(names: Sequence[str]) -> str:
    """Several strategies in words, what they share said once.

    >>> together(["pattern:clear=line,water=1", "pattern:clear=cross,water=1"])
    'fixed pattern, the row first or four directions, known water left out'
    """
    parts = [_parts(name) for name in names]
    if len({len(part) for part in parts}) > 1:
        return "; ".join(dict.fromkeys(map(in_words, names)))
    return ", ".join(" or ".join(dict.fromkeys(same)) for same in zip(*parts, strict=True))
