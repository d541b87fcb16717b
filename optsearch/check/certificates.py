"""The check of a certificate: both sides of the value of a game, from the file and the rules alone.

It shares no code with the double oracle. In plain Python and whole numbers:

- Hidings are what the hider can hide: if nothing is announced, the cells of a configuration, else
  its ships. They are listed by the definition (`optsearch.check.reference`). The orbit of a hiding
  is the set of its images under the symmetries of the grid.
- The shooter chooses a tree by a probability, and turns it by a random symmetry. Each tree is
  replayed against every hiding, shot by shot, by the rules. Turned, it pays against a hiding the
  mean of its payments against the orbit of the hiding. The shooter guarantees the greatest mean
  payment that the mix of trees makes to any orbit.
- The hider chooses a hiding by its weight. The least mean payment of any tree against this mix is
  what the hider guarantees. It is computed anew: by a search in this module if nothing is announced
  (`_Search`), else by the definition. If that takes too long, the exact solver computes it with the
  same integer weights, and the result says so.

Both values must equal those in the file exactly. Only the hider's may be greater than in the file:
a run that was cut short writes a file before it knows what its mix guarantees.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import comb, inf
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from optsearch.check import reference
from optsearch.game import Game, bits, image, parse_cell
from optsearch.game.objective import Objective
from optsearch.game.position import Position, reply
from optsearch.support import documents
from optsearch.support.errors import (
    GameError,
    ImpossiblePosition,
    OptsearchError,
    ProofError,
    TooLarge,
)

FORMAT = "optsearch equilibrium certificate"
VERSION = 1
EFFORT = 20_000  # families that the search of this module may expand
MAX_CELLS_BY_DEFINITION = 12  # cells up to which within=K is computed by the definition
MAX_DIGITS = 4_000  # of a number, at most
_FIELDS = (
    *("format", "version", "game", "objective", "hider_guarantees", "shooter_guarantees"),
    *("hider", "shooter"),
)

Hiding = tuple[int, ...]  # masks: all cells together if nothing is announced, else each ship
Solve = Callable[[Game, Objective, dict[Hiding, int]], int]
"""Returns the least total height for these weights of configurations; for within=K the least weight
that is not finished."""


@dataclass(frozen=True)
class CheckedCertificate:
    """The result of checking a certificate.

    hider, shooter -- what each guarantees: for the mean, the hider at least this number of shots,
    the shooter at most; for within=K, the hider at most this probability to finish, the shooter at
    least. hidings, orbits -- how many exist. used -- how many orbits the hider uses. trees -- how
    many trees the shooter uses. method -- how the least payment against the hider was computed.
    """

    game: Game
    objective: Objective
    hider: Fraction
    shooter: Fraction
    hidings: int
    orbits: int
    used: int
    trees: int
    method: str
    seconds: float

    @property
    def is_exact(self) -> bool:
        """True if both sides guarantee the same: then it is the value of the game."""
        return self.hider == self.shooter


def check(path: str | Path, effort: int, solve: Solve) -> CheckedCertificate:
    """Check the certificate in a file.

    effort -- the families after which the search of this module gives up, and `solve`, the exact
    solver, is called. Raises ProofError for a file that is not a certificate, or that does not
    prove its values.
    """
    return _Certificate(Path(path), effort, solve).check()


class _Certificate:
    """A certificate during its check; its errors begin with its path.

    For a game the shooter pays the number of its shots, or for within=K 1 if it does not finish.
    """

    def __init__(self, path: Path, effort: int, solve: Solve):
        self.path, self.effort, self.solve = path, effort, solve
        self.examples: dict[Hiding, Hiding] = {}  # hiding -> one of its configurations

    def refuse(self, problem: str) -> NoReturn:
        """Raise the ProofError that the file has a problem."""
        raise ProofError(f"{self.path}: {problem}")

    def check(self) -> CheckedCertificate:
        """Check the whole file, and return what it proves; ProofError at the first problem."""
        started = time.perf_counter()
        fields = self.read_fields()
        try:
            self.game = Game.read(self.text_field(fields, "game"))
            self.objective = Objective.parse(self.text_field(fields, "objective"))
        except OptsearchError as error:
            self.refuse(str(error))
        if self.objective.kind == "worst":
            self.refuse("there is no equilibrium of the worst case; mean and within=K have one")
        self.configuration_counts = self.list_hidings()
        weights = self.hider_weights(self.list_field(fields, "hider"))
        greatest_payment = max(self.orbit_payments(self.list_field(fields, "shooter")).values())
        total_payment, method = self.least_payment(weights)
        least_payment = Fraction(total_payment, sum(weights.values()))
        hider = self.parse_fraction(self.text_field(fields, "hider_guarantees"))
        if self.convert(hider) > least_payment:  # a run that was cut short may claim less
            self.refuse_guarantee("hider_guarantees", hider, least_payment)
        shooter = self.parse_fraction(self.text_field(fields, "shooter_guarantees"))
        if self.convert(shooter) != greatest_payment:
            self.refuse_guarantee("shooter_guarantees", shooter, greatest_payment)
        orbits = {self.orbit_name(hiding) for hiding in self.configuration_counts}
        return CheckedCertificate(
            game=self.game,
            objective=self.objective,
            hider=hider,
            shooter=shooter,
            hidings=len(self.configuration_counts),
            orbits=len(orbits),
            used=len(self.list_field(fields, "hider")),
            trees=len(self.list_field(fields, "shooter")),
            method=method,
            seconds=time.perf_counter() - started,
        )

    def refuse_guarantee(self, name: str, claimed: Fraction, payment: Fraction) -> NoReturn:
        """Raise the ProofError that another guarantee is proved than the file claims."""
        self.refuse(f"{name} is {claimed}; it is proved to be {self.convert(payment)}")

    def convert(self, value: Fraction) -> Fraction:
        """Convert a mean payment to a value of the objective, or back.

        For the mean they are equal. For within=K the value is the probability to finish, and the
        payment that of not finishing.
        """
        return value if self.objective.shots is None else 1 - value

    # The file

    def read_fields(self) -> dict[str, Any]:
        """Return the fields of the file, which must be those of a certificate."""
        try:
            text = documents.text_of(self.path, ProofError)
            fields = json.loads(text, object_pairs_hook=self.unique_fields)
        except ProofError:
            raise
        except json.JSONDecodeError as error:
            self.refuse(f"line {error.lineno} is not JSON: {error.msg}")
        except RecursionError:
            self.refuse("the nesting is deeper than any board allows")
        except ValueError as error:
            self.refuse(f"it cannot be read: {error}")
        if not isinstance(fields, dict) or fields.get("format") != FORMAT:
            self.refuse(f"the file is not a certificate; one has 'format': {FORMAT!r}")
        if fields.get("version") != VERSION:
            self.refuse(f"the version is {fields.get('version')!r:.20}; {VERSION} is read")
        if set(fields) != set(_FIELDS):
            wrong = min(set(fields) ^ set(_FIELDS))
            self.refuse(f"the fields are {', '.join(_FIELDS)}; {wrong!r} is missing or too much")
        return fields

    def unique_fields(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Return the pairs of a JSON object as a dictionary; no name may occur twice."""
        fields = dict(pairs)
        if len(fields) < len(pairs):
            self.refuse("a JSON object has a name twice")
        return fields

    def text_field(self, fields: dict[str, Any], name: str) -> str:
        """Return the value of a field, which must be a text."""
        value = fields.get(name)
        if not isinstance(value, str):
            self.refuse(f"{name!r} is {value!r:.40}, not a text")
        return value

    def list_field(self, fields: dict[str, Any], name: str) -> list[dict[str, Any]]:
        """Return the value of a field, which must be a list of JSON objects and not empty."""
        value = fields[name]
        if not isinstance(value, list) or not value or {type(entry) for entry in value} != {dict}:
            self.refuse(f"{name!r} is not a list of objects")
        return value

    def parse_fraction(self, text: str) -> Fraction:
        """Return the fraction in a text such as 534/103."""
        if len(text) > MAX_DIGITS or not re.fullmatch(r"\d+(/[1-9]\d*)?", text, re.ASCII):
            self.refuse(f"{text[:60]!r} is not a number; a fraction such as 534/103 is accepted")
        return Fraction(text)

    # Hidings

    def list_hidings(self) -> dict[Hiding, int]:
        """Return all that the hider can hide, with the number of configurations of each hiding.

        If nothing is announced, a hiding is the mask of all cells of a configuration, else its
        ships. `examples` gets one configuration of each hiding.
        """
        counts: Counter[Hiding] = Counter()
        for ships in reference.configurations(Position(self.game)):
            hiding = (sum(ships),) if self.game.is_silent else self.game.sort_ships(ships)
            counts[hiding] += 1
            self.examples.setdefault(hiding, ships)
        if not counts:
            self.refuse(str(ImpossiblePosition(f"{self.game} has no configuration")))
        return counts

    def images(self, hiding: Hiding) -> set[Hiding]:
        """Return the images of a hiding under the symmetries of the grid, itself among them."""
        return {
            self.game.sort_ships([image(ship, permutation) for ship in hiding])
            for permutation in self.game.symmetries()
        }

    def orbit_name(self, hiding: Hiding) -> Hiding:
        """Return the name of the orbit of a hiding: its least image."""
        return min(self.images(hiding))

    # The hider

    def hider_weights(self, entries: list[dict[str, Any]]) -> dict[Hiding, int]:
        """Return how often the hider uses each hiding, as whole numbers.

        Each entry of the file gives one hiding; all its images under symmetries get the same
        weight.
        """
        weights: dict[Hiding, int] = {}
        for entry in entries:
            if set(entry) != {"hidden", "weight"}:
                self.refuse(f"an entry of the hider has {', '.join(entry)}, not hidden, weight")
            hiding = self.parse_hiding(entry["hidden"])
            weight = self.parse_fraction(self.text_field(entry, "weight"))
            if weight.denominator != 1 or not weight:
                self.refuse(f"the weight {weight} is not a whole number above 0")
            if hiding in weights:
                self.refuse(f"{entry['hidden']!r:.80} or an image of it has two weights")
            weights |= dict.fromkeys(self.images(hiding), int(weight))
        return weights

    def parse_hiding(self, ships: Any) -> Hiding:
        """Return the hiding in an entry: a list of ships, each a list of cells as text."""
        try:
            hiding = self.game.sort_ships([self.game.mask(map(parse_cell, ship)) for ship in ships])
        except (TypeError, ValueError, AttributeError, GameError):
            hiding = ()
        if hiding not in self.configuration_counts:
            self.refuse(f"{ships!r:.80} cannot be hidden in {self.game}")
        return hiding

    def least_payment(self, weights: dict[Hiding, int]) -> tuple[int, str]:
        """Return the least total that a tree pays against the hider's mix, and the method used.

        A tree pays its shots, or for within=K 1 for a game that it does not finish. weights -- how
        often each hiding counts. Silent games for the mean are searched here. If that is too long,
        and for large silent games with within=K, the exact solver is called. All other games are
        computed by the definition.
        """
        is_mean = self.objective.shots is None
        if self.game.is_silent and is_mean:
            masks = [hiding[0] for hiding in weights]
            search = _Search(masks, list(weights.values()), self.effort)
            total_height = search.total_height()
            if total_height is not None:
                return total_height, "a plain search"
        if self.game.is_silent and (is_mean or self.game.cells > MAX_CELLS_BY_DEFINITION):
            examples = {self.examples[hiding]: weight for hiding, weight in weights.items()}
            try:
                return self.solve(self.game, self.objective, examples), "the exact solver"
            except TooLarge as error:
                self.refuse(f"a plain search is too long, and for the exact solver {error}")
        return self.least_payment_by_definition(weights), "the definition"

    def least_payment_by_definition(self, weights: dict[Hiding, int]) -> int:
        """Return the least total that a tree pays, by trying every shot in every position.

        A tree pays its shots, or for within=K 1 for a game that it does not finish. weights -- how
        often each hiding counts.
        """
        with reference.caches():
            weight_of: Counter[reference.Hidden] = Counter()
            for hiding, weight in weights.items():
                weight_of[reference.hidden_of(self.game, hiding)] += weight
            family = frozenset(weight_of.items())
            if self.objective.shots is None:
                return int(reference.total_height(family, inf))
            finished = reference.most_finished(family, self.objective.shots)
        return sum(weights.values()) - finished

    # The shooter

    def orbit_payments(self, entries: list[dict[str, Any]]) -> dict[Hiding, Fraction]:
        """Return the mean that the shooter's mix of trees pays against each orbit of hidings.

        An orbit has the hidings that the symmetries of the grid map to each other; the least of
        them names it. entries -- the entries of the file, each a tree and its probability.
        """
        orbits: dict[Hiding, list[Hiding]] = {}  # name -> hidings
        for hiding in self.configuration_counts:
            orbits.setdefault(self.orbit_name(hiding), []).append(hiding)
        payments = dict.fromkeys(orbits, Fraction(0))
        total_probability = Fraction(0)
        for tree_number, entry in enumerate(entries, 1):
            if set(entry) != {"probability", "tree"}:
                self.refuse(f"tree {tree_number} has {', '.join(entry)}, not probability, tree")
            probability = self.parse_fraction(self.text_field(entry, "probability"))
            total_probability += probability
            shots = self.replay(entry["tree"], f"tree {tree_number}")
            for orbit_name, orbit in orbits.items():
                orbit_total = sum(self.payment(shots[hiding]) for hiding in orbit)
                payments[orbit_name] += probability * Fraction(orbit_total, len(orbit))
        if total_probability != 1:
            self.refuse(f"the probabilities of the trees come to {total_probability}, not to 1")
        return payments

    def payment(self, shots: int) -> int:
        """Return what the shooter pays for a game with this number of shots."""
        if self.objective.shots is None:
            return shots
        return int(shots > self.objective.shots)

    def replay(self, tree: Any, name: str) -> dict[Hiding, int]:
        """Return the number of shots that a tree takes for each hiding, what the hider can hide.

        Every node is checked: its shot, its replies, and at a leaf the number of configurations.
        tree -- in JSON form. name -- of the tree, for errors.
        """
        shots: dict[Hiding, int] = {}
        # Nodes to check: each with the hidings that reach it, the cells hit, and the cells shot.
        waiting = [(tree, list(self.configuration_counts), 0, 0)]
        while waiting:
            node, hidings, hits, cells_shot = waiting.pop()
            if not isinstance(node, dict):
                self.refuse(f"{name} has a node that is not an object")
            is_all_hit = [not sum(hiding) & ~hits for hiding in hidings]
            if "shot" not in node:
                self.check_leaf(node, hidings, name)
                if not all(is_all_hit):
                    self.refuse(f"{name} ends before everything is hit")
                shots |= dict.fromkeys(hidings, cells_shot.bit_count())
                continue
            shot_mask = self.parse_shot_mask(node["shot"], name)
            if shot_mask & cells_shot:
                self.refuse(f"{name} shoots {node['shot']} twice")
            if any(is_all_hit):
                self.refuse(f"{name} shoots {node['shot']} where everything is hit")
            hidings_by_reply: dict[str, list[Hiding]] = defaultdict(list)
            for hiding in hidings:
                reply_text = str(reply(self.game, hiding, hits, shot_mask))
                hidings_by_reply[reply_text].append(hiding)
            if set(node) - {"shot"} != set(hidings_by_reply):
                self.refuse(
                    f"{name} goes on from {node['shot']} after {', '.join(sorted(set(node)))}; the "
                    f"replies there are {', '.join(sorted(hidings_by_reply))}"
                )
            for reply_text, part_hidings in hidings_by_reply.items():
                hits_after = hits if reply_text == "miss" else hits | shot_mask
                waiting.append((node[reply_text], part_hidings, hits_after, cells_shot | shot_mask))
        return shots

    def check_leaf(self, node: dict[str, Any], hidings: list[Hiding], name: str) -> None:
        """Check that a leaf has the number of configurations of the hidings that end there."""
        count = sum(self.configuration_counts[hiding] for hiding in hidings)
        if set(node) != {"configurations"} or node["configurations"] != count:
            self.refuse(f"{name} has a leaf {json.dumps(node):.60} where {count} end")

    def parse_shot_mask(self, text: Any, name: str) -> int:
        """Return the mask of the cell in a text such as B3; name -- of the tree, for errors."""
        try:
            return self.game.bit(parse_cell(text))
        except (AttributeError, TypeError, GameError):
            self.refuse(f"{name} shoots {text!r:.40}, which is not a cell of {self.game}")


class _SearchShot(NamedTuple):
    """A shot that splits a family of `_Search`.

    bound -- a lower bound of the misses if it is shot first. missed_weight -- the weight of the
    sets that it misses. hit, missed -- the sets that it hits and misses, as families.
    """

    bound: int
    missed_weight: int
    hit: int
    missed: int


class _Search:
    """A search for the least total height over sets of cells with weights, in plain Python.

    A family is a mask with a bit for each set, the heaviest set first. A shot costs the weight of
    the sets that it misses. effort -- the number of families that may be searched.
    """

    def __init__(self, masks: list[int], weights: list[int], effort: int):
        # The heaviest set has bit 0 of a family.
        heaviest_first = sorted(range(len(masks)), key=lambda i: (-weights[i], masks[i]))
        self.weights = [weights[i] for i in heaviest_first]
        self.hits = masks[0].bit_count()  # all sets have equally many cells
        columns: dict[int, int] = {}  # cell -> the family of the sets that have it
        for bit, i in enumerate(heaviest_first):
            for cell in bits(masks[i]):
                columns[cell] = columns.get(cell, 0) | 1 << bit
        self.columns = list(columns.values())
        self.effort_left = effort
        self.cached: dict[int, tuple[int, bool]] = {}  # family -> misses, and True if exact
        self.bounds: dict[int, int] = {}

    def total_height(self) -> int | None:
        """Return the least total height; None if it takes more than the effort."""
        all_sets = (1 << len(self.weights)) - 1
        limit = sum(self.weights) * (len(self.columns) + 1)  # more than any strategy misses
        misses = self.least_misses(all_sets, limit)
        return None if misses is None else self.hits * sum(self.weights) + misses

    def least_misses(self, family: int, limit: int) -> int | None:
        """Return the least misses of a family by weight if below the limit, else a bound >= limit.

        The bound is a lower one. Return None once the effort is used up. family -- bit i is set i.
        """
        if family.bit_count() <= 1:
            return 0
        value, is_exact = self.cached.get(family, (0, False))
        if is_exact or value >= limit:
            return value
        self.effort_left -= 1
        if self.effort_left < 0:
            return None
        least, is_below = limit, False  # the least cost found, if there is one below the limit
        # The least bound of all shots that do not cost less than `least`.
        rest_bound = self.weight(family) * (len(self.columns) + 1)
        for bound, missed_weight, hit, missed in self.shots(family):
            if bound >= least:  # and so are the bounds of all later shots
                rest_bound = min(rest_bound, bound)
                break
            after_hit = self.least_misses(hit, least - missed_weight - self.lower_bound(missed))
            if after_hit is None:
                return None
            cost = missed_weight + after_hit + self.lower_bound(missed)
            if cost < least:
                after_miss = self.least_misses(missed, least - missed_weight - after_hit)
                if after_miss is None:
                    return None
                cost = missed_weight + after_hit + after_miss
            if cost < least:
                least, is_below = cost, True
            else:
                rest_bound = min(rest_bound, cost)
        value = least if is_below else max(rest_bound, limit)
        self.cached[family] = value, is_below
        return value

    def shots(self, family: int) -> list[_SearchShot]:
        """Return the shots that split a family (bit i is set i), the least lower bound first.

        Cells that split it into the same two parts count once.
        """
        shots = []
        for hit in {column & family for column in self.columns} - {0, family}:
            missed = family & ~hit
            missed_weight = self.weight(missed)
            bound = missed_weight + self.lower_bound(hit) + self.lower_bound(missed)
            shots.append(_SearchShot(bound, missed_weight, hit, missed))
        return sorted(shots)

    def weight(self, family: int) -> int:
        """Return the total weight of the sets of a family."""
        return sum(self.weights[bit] for bit in bits(family))

    def lower_bound(self, family: int) -> int:
        """Bound the misses of a family (bit i is set i) from below, summed over its sets by weight.

        A cell in doubt is one that some of the sets have, but not all. A set with k such cells that
        is found after j misses is a sequence of k hits and j misses that ends in a hit. So at most
        C(k - 1 + j, j) sets are found after j misses, at best the heaviest after the fewest.
        """
        if family not in self.bounds:
            certain_hits = sum(column & family == family for column in self.columns)
            hits = self.hits - certain_hits
            misses, sequences_left, total = 0, 1, 0  # sequences with so many misses
            for bit in bits(family):
                if not sequences_left:
                    misses += 1
                    sequences_left = comb(hits - 1 + misses, misses)
                total += misses * self.weights[bit]
                sequences_left -= 1
            self.bounds[family] = total
        return self.bounds[family]
