"""Random games under all rules: what the commands answer, beside a brute force of its own.

The brute force replays every configuration with `optsearch.position.reply` and uses nothing else.
FUZZ_SECONDS and FUZZ_SEED set the time and the seed of the long run, which prints the seed.
"""

import json
import os
import random
import secrets
import time
from functools import cache

import pytest

from optsearch.game import ANNOUNCEMENTS, CONTACTS, Game, bits, cell_name
from optsearch.position import Position, Shot, reply
from optsearch.reference import configurations

SEED = 14
MOST = 24  # configurations
METHODS = ("solver", "reference")


def drawn(rng):
    """A random game, and a position that one of its configurations leads to."""
    while True:
        rows, columns = rng.choice(((1, 4), (1, 5), (1, 6), (2, 3), (2, 4), (3, 3)))
        fleet = tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 3)))
        if max(fleet) > columns or sum(fleet) > rows * columns:
            continue
        game = Game(rows, columns, fleet, rng.choice(CONTACTS), rng.choice(ANNOUNCEMENTS))
        everything = list(configurations(Position(game)))
        if not everything:
            continue
        hidden, hits, shots = rng.choice(everything), 0, []
        for cell in rng.sample(range(game.cells), rng.choice((0, 0, 1, 2, 3))):
            answer = reply(game, hidden, hits, 1 << cell)
            hits |= answer.hit << cell
            shots.append(Shot(game.cell(cell), answer))
        position = Position(game, tuple(shots))
        family = [ships for ships in everything if position.is_compatible(ships)]
        if len(family) <= MOST:
            return position, family


class Definition:
    """The optimum and greedy of a position, by trying all shots."""

    def __init__(self, position, family):
        self.game = position.game
        self.hits = position.hits
        self.root = frozenset(family)
        self.optimum = cache(lambda family, hits: self._least(family, hits, self.optimum))

    def counts(self, family, hits):
        found = {}
        for ships in family:
            for cell in bits(sum(ships) & ~hits):
                found[cell] = found.get(cell, 0) + 1
        return found

    def parts(self, family, hits, cell):
        found = {}
        for ships in family:
            found.setdefault(reply(self.game, ships, hits, 1 << cell), []).append(ships)
        return {answer: frozenset(part) for answer, part in found.items()}

    def after(self, family, hits, cell):
        parts = self.parts(family, hits, cell).items()
        return len(family) + sum(
            self.optimum(part, hits | answer.hit << cell) for answer, part in parts
        )

    def _least(self, family, hits, value):
        cells = self.counts(family, hits)
        return min((self.after(family, hits, cell) for cell in cells), default=0)

    def best(self):
        values = {c: self.after(self.root, self.hits, c) for c in self.counts(self.root, self.hits)}
        return {c for c, v in values.items() if v == min(values.values())}

    def greedy_shots(self):
        counts = self.counts(self.root, self.hits)
        if self.game.is_silent:
            counts = {c: n for c, n in counts.items() if n < len(self.root)}
        return {c for c, n in counts.items() if n == max(counts.values())}

    def greedy(self, end, family=None, hits=None):
        family, hits = (self.root, self.hits) if family is None else (family, hits)
        counts = self.counts(family, hits)
        if not counts:
            return 0
        return len(family) + end(
            sum(
                self.greedy(end, part, hits | answer.hit << cell)
                for answer, part in self.parts(family, hits, cell).items()
            )
            for cell in [c for c, n in counts.items() if n == max(counts.values())]
        )


def check(position, family, here):
    """Compare the answers of the commands."""
    definition = Definition(position, family)
    arguments = (str(position.game), "--shots", str(position), "--json")

    def ask(command, *more):
        status, out, err = here(command, *arguments, *more)
        assert status == 0, err
        return json.loads(out)

    def names(cells):
        return [cell_name(position.game.cell(cell)) for cell in sorted(cells)]

    total, best = definition.optimum(definition.root, definition.hits), names(definition.best())
    assert ask("count")["configurations"] == len(family)
    matrix = [n for row in ask("occurrence")["occurrence"] for n in row]
    assert matrix == [sum(sum(s) >> c & 1 for s in family) for c in range(position.game.cells)]
    assert ask("posterior")["occurrence"] == ask("occurrence")["occurrence"]
    for aim in ("worst", f"within={position.game.cells // 2}"):
        first, second = (ask("solve", "--objective", aim, "--method", m) for m in METHODS)
        for key in ("total_height", "best_shots", "worst_case", "finished"):
            assert first.get(key) == second.get(key), (aim, key)
    for method in METHODS:
        solved = ask("solve", "--method", method)
        assert (solved["total_height"], solved["best_shots"]) == (total, best), method
        if method == "solver":
            assert solved["greedy_shots"] == names(definition.greedy_shots())
    found = ask("greedy")
    assert (found["total_height"], found["best_shots"]) == (total, best)
    assert found["greedy_shots"] == names(definition.greedy_shots())
    assert found["best_greedy_total_height"] == definition.greedy(min)
    assert found["worst_greedy_total_height"] == definition.greedy(max)
    for strategy, most in (("greedy:endgame=10", 10), ("rollout", 6)):
        if not position.shots and len(family) <= most:
            game = str(position.game)
            status, out, err = here("evaluate", strategy, game, "--json", "--jobs", "1")
            assert (status, json.loads(out)["total"]) == (0, total), err


def fuzz(seed, here, games=None, seconds=None):
    """Some games or seconds; the first that fails is named with the seed."""
    rng, started, number = random.Random(seed), time.monotonic(), 0
    while number < games if games else time.monotonic() - started < seconds:
        position, family = drawn(rng)
        number += 1
        try:
            check(position, family, here)
        except AssertionError as error:
            command = f"optsearch greedy {str(position.game)!r} --shots {str(position)!r}"
            pytest.fail(f"FUZZ_SEED={seed}, game {number}: {command}\n{error}")


def test_commands_beside_the_definition(here):
    fuzz(SEED, here, games=30)


@pytest.mark.long
def test_commands_beside_the_definition_for_long(here, capsys):
    seed = int(os.environ.get("FUZZ_SEED") or secrets.randbits(32))
    with capsys.disabled():
        print(f"FUZZ_SEED={seed}")
    fuzz(seed, here, seconds=float(os.environ.get("FUZZ_SECONDS") or 600))
