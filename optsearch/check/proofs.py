"""Proofs that no strategy is better: files of claims, checked by a short program.

A tree shows that a total height is reached; a proof shows that none below it is. Both together
prove an optimum, and neither check shares anything with the solver that found it.

A set is a set of marks. A *mark* is the information in a hit: its cell; if hits name their ships,
the cell with that name; if hits show their ships, the placement of the ship. The reply to a shot at
a cell is the mark there, or a miss.

A claim is a family F of distinct sets with weights, and a number v: every search for a set of F,
drawn by weight, misses at least v times in all, M(F) >= v. A claim about a family holds for its
normal form too: a mark in every set is a certain hit that costs no miss and tells nothing, so such
marks are left out; and the symmetries of the grid rename marks. So a claim holds for all families
with its normal form. It is right for one of three reasons:

- counting: `Marks.bound_by_counting` of the family is v or more;
- cells: any first shot, at a cell c where not all sets reply alike, costs w(F missed at c) at once,
  and the bounds of the parts by reply add up to v - w or more. The bound of a part is by counting,
  or by an earlier claim on its normal form. If all sets of a part have a cell with several marks,
  the part is replaced by its parts by that mark (M of the part is at least their sum, because
  knowing the mark helps);
- prices: the claim has a price for each set, and `priced_misses` of the family at these prices is v
  or more. This requires that no cell has several marks.

(To shoot a cell on which all sets reply alike does not help.) The last claims are on the family of
the position; the total height is at least v plus one hit for each cell of each configuration.

A proof is about the family of a position, with or without a prior, or about one of
`optsearch.families`. The file has only the digest of the prior or of that family.
`optsearch.search.proving` makes proofs. Nothing that makes them, no bound and no search, is
imported here.

A file is one line of JSON for the head, and one for each claim: `[v, sets]`,
`[v, sets, weights]` if a weight is not 1, or `[v, sets, weights, prices]`. A set is an integer with
a bit for each mark. The bit is `row * columns + column` of a cell, plus the number of cells for
each name before its own in the fleet, or the index of a placement in `Game.labels`. There are no
references between claims: parts are found by their normal forms, and only among earlier lines.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from optsearch.check import reference
from optsearch.counting.prior import Prior
from optsearch.game import Game, Permutation, bits, image
from optsearch.game.position import HIT, Position
from optsearch.support import documents
from optsearch.support.errors import (
    GameError,
    ImpossiblePosition,
    PositionError,
    ProofError,
    TooLarge,
)

FORMAT = "optsearch proof of optimality"
VERSION = 1
MAX_SETS = 100_000
PRICE_OF_MISS = 4096  # the price of one miss; prices are integers
MOST_PRICE = 1 << 24  # the greatest size of a price, positive or negative
MOST_WITH_A_CELL = 12  # sets with the same cell in a claim with prices: all their subsets are tried

WeightedSets = tuple[tuple[int, int], ...]  # sets in ascending order, each with its weight
Prices = tuple[int, ...]


@dataclass(frozen=True)
class Claim:
    """No strategy misses less than `misses` times in all on this family of sets with weights.

    prices -- one for each set, in units of 1/PRICE_OF_MISS of a miss; None if it needs none.
    """

    misses: int
    family: WeightedSets
    prices: Prices | None = None


@dataclass(frozen=True)
class Proof:
    """Claims that are to prove a lower bound on the total height of a position; not checked yet.

    prior -- the digest of the prior that weighs configurations; empty without one.
    """

    position: Position
    total_height: int
    claims: tuple[Claim, ...]
    prior: str = ""


@dataclass(frozen=True)
class CheckedProof:
    """The result of checking a proof: no strategy has a lower total height than this.

    claims -- the number of claims, all correct. seconds -- wall time of the check.
    """

    game: Game
    position: Position
    total_height: int
    configurations: int
    claims: int
    seconds: float


# Families


class Marks:
    """The marks that hits can show on each cell, and the symmetries that permute them.

    A mark is a bit; a set of marks is a mask. marks_on -- the set of marks on each cell.
    is_labelled -- True if a cell has several marks. symmetries -- permutations of the marks, with
    the identity. name -- returns the name of a cell for its index.
    """

    def __init__(
        self, marks_on: Sequence[int], symmetries: Sequence[Permutation], name: Callable[[int], str]
    ):
        self.marks_on, self.name = tuple(marks_on), name
        self._symmetries = tuple(symmetries)
        self._images: dict[int, list[int]] = {}
        self._cells: dict[int, int] = {}
        self.is_labelled = any(marks.bit_count() > 1 for marks in marks_on)

    @classmethod
    def of(cls, game: Game) -> Marks:
        """Return the marks of a game: what hits can show on each cell.

        A mark is a cell with the label of a hit there, or the whole ship if hits show their ships.
        What a hit shows must not depend on earlier hits, as the announcement of a sinking does.
        """
        bit_of = _mark_bits(game)  # by the label, and the mask of the cells that the hit shows
        marks_on = [0] * game.cells
        for (_, cells), bit in bit_of.items():
            for cell in bits(cells):
                marks_on[cell] |= 1 << bit
        # As permutations of the bits: the mark of bit i goes to the mark of bit permutation[i].
        symmetries = [
            tuple(bit_of[label, image(cells, symmetry)] for label, cells in bit_of)
            for symmetry in game.symmetries()
        ]
        return cls(marks_on, symmetries, name=lambda cell: game.names(1 << cell)[0])

    def images(self, marks: int) -> list[int]:
        """List the images of a mask of marks under all symmetries, in the order of these."""
        if marks not in self._images:
            self._images[marks] = [image(marks, symmetry) for symmetry in self._symmetries]
        return self._images[marks]

    def normal_form(self, family: WeightedSets) -> WeightedSets:
        """Return one fixed form of a family, which all equivalent families share.

        family -- masks of marks, each with its weight. Marks that are in every set are left out. Of
        the images of the family under the symmetries, the form is the least.
        """
        certain = certain_marks(family)
        images_of_each_set = [self.images(marks & ~certain) for marks, _ in family]
        images_of_family = zip(*images_of_each_set, strict=True)  # by symmetry
        weights = [set_weight for _, set_weight in family]
        return min(tuple(sorted(zip(sets, weights, strict=True))) for sets in images_of_family)

    def _cells_of(self, marks: int) -> int:
        """Return the mask of the cells that these marks are on."""
        if marks not in self._cells:
            self._cells[marks] = sum(
                1 << cell for cell, on_cell in enumerate(self.marks_on) if marks & on_cell
            )
        return self._cells[marks]

    def parts(self, family: WeightedSets) -> list[WeightedSets]:
        """Split a family into parts in which no certain hit can show more than one mark.

        A mark is what a hit shows, such as the name of a ship. A certain hit is a cell that every
        set has. It costs no miss, and its mark does not depend on the time of the shot. So shooting
        it before any other cell loses nothing.
        """
        if not self.is_labelled:
            return [family]
        certain_hits = -1  # all bits
        for marks, _ in family:
            certain_hits &= self._cells_of(marks)
        for cell in bits(certain_hits):
            parts_by_mark = self._split_by_mark(family, cell)
            if len(parts_by_mark) > 1:
                return [part for part_of_mark in parts_by_mark for part in self.parts(part_of_mark)]
        return [family]

    def _split_by_mark(self, family: WeightedSets, cell: int) -> list[WeightedSets]:
        """Split the sets that have a cell by the mark on it; other sets are left out."""
        by_mark: dict[int, list[tuple[int, int]]] = {}
        for marks, set_weight in family:
            if mark := marks & self.marks_on[cell]:
                by_mark.setdefault(mark, []).append((marks, set_weight))
        return [tuple(part) for part in by_mark.values()]

    def count_undecided(self, family: WeightedSets) -> list[int]:
        """Count for each cell the marks on it that are in some of the sets but not in all."""
        undecided = 0
        for marks, _ in family:
            undecided |= marks
        undecided &= ~certain_marks(family)
        return [(undecided & on_cell).bit_count() for on_cell in self.marks_on]

    def shots(self, family: WeightedSets) -> Iterator[tuple[int, int, list[WeightedSets]]]:
        """Yield the first shots that tell something: cell, weight missed, and families after it.

        Such a cell has a mark that is in some of the sets but not in all. The weight missed is that
        of the sets without a mark there. The families are one for each reply, split further by
        `parts`.
        """
        for cell, undecided_marks in enumerate(self.count_undecided(family)):
            if not undecided_marks:
                continue
            on_cell = self.marks_on[cell]
            missed = tuple(
                (marks, set_weight) for marks, set_weight in family if not marks & on_cell
            )
            parts_by_reply = self._split_by_mark(family, cell)
            if missed:
                parts_by_reply.append(missed)
            parts_after = [part for of_reply in parts_by_reply for part in self.parts(of_reply)]
            yield cell, weight(missed), parts_after

    def bound_by_counting(self, family: WeightedSets) -> int:
        """Return a lower bound of the misses of a family by counting: the greater of two numbers.

        *Leaf counting.* The replies to the shots of a strategy until a set is found are a word of
        hits and misses that ends in a hit; no two sets have the same word. Hits that tell nothing
        are left out, and if there are fewer than k hits, others are added. So a set of at most k
        marks that is found after j misses is a word of k hits and j misses. With at most l marks on
        a cell, a hit has one of l replies. So at most l^k C(k - 1 + j, j) sets are found after j
        misses; it is best if the heaviest sets have the fewest.

        *Cover.* Take the shots of a strategy until its first hit. Shot i of them, from 0, is the
        first to hit sets of at most the i-th greatest weight of all sets with one cell; they have i
        misses before it. (A set with no mark left counts as if it had a cell of its own.)
        """
        certain = certain_marks(family)
        sets = [(marks & ~certain, set_weight) for marks, set_weight in family]
        hits = max(marks.bit_count() for marks, _ in sets)
        replies = max(self.count_undecided(family)) if self.is_labelled else 1
        weights = tuple(sorted((set_weight for _, set_weight in sets), reverse=True))
        by_leaves = _bound_by_leaf_counting(weights, hits, replies)
        if not self.is_labelled:
            return by_leaves
        weight_by_cell = [
            sum(set_weight for marks, set_weight in sets if marks & on_cell)
            for on_cell in self.marks_on
        ]
        weight_by_cell += [set_weight for marks, set_weight in sets if not marks]
        weight_left, by_cover = weight(family), 0
        for set_weight in sorted(weight_by_cell, reverse=True):
            weight_left = max(0, weight_left - set_weight)
            by_cover += weight_left
        return max(by_leaves, by_cover)


@lru_cache(maxsize=16)
def _mark_bits(game: Game) -> dict[tuple[object, int], int]:
    """Map each mark to its bit.

    A mark is a pair of the label of a hit (0 for none) and the mask of the cells that it shows:
    the cell shot, or the whole ship if hits show their ships.
    """
    if game.shows_ships:
        return {(0, int(ship_mask)): i for i, ship_mask in enumerate(game.labels)}
    has_plain_hits = HIT in game.hit_replies
    labels = (0, *game.labels) if has_plain_hits else game.labels
    marks = [(label, 1 << cell) for label in labels for cell in range(game.cells)]
    return {mark: i for i, mark in enumerate(marks)}


def marks_of(game: Game, ships: Sequence[int]) -> int:
    """Return the mask of the marks that hits on a configuration show.

    A mark stands for a hit: for its cell and its label or, if hits show their ships, for the ship.
    ships -- masks of cells.
    """
    bit_of = _mark_bits(game)
    marks = 0
    for ship, kind in zip(ships, game.kinds_of(ships), strict=True):
        if game.shows_ships:
            marks |= 1 << bit_of[0, ship]
            continue
        for cell in bits(ship):
            label = game.label(kind, ship, cell) or 0
            marks |= 1 << bit_of[label, 1 << cell]
    return marks


def certain_marks(family: WeightedSets) -> int:
    """Return the mask of the marks that are in every set."""
    certain = -1  # all bits
    for marks, _ in family:
        certain &= marks
    return certain


def sets_and_weights(family: WeightedSets) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the sets of a family, and their weights."""
    return tuple(marks for marks, _ in family), tuple(set_weight for _, set_weight in family)


def weight(family: WeightedSets) -> int:
    """Return the total weight of a family."""
    return sum(set_weight for _, set_weight in family)


@lru_cache(maxsize=1 << 16)
def _bound_by_leaf_counting(weights: tuple[int, ...], hits: int, replies: int) -> int:
    """Return a lower bound of the total misses of all sets together.

    The replies until a set is found are a word that ends in a hit, and each set has a word of its
    own. So the sets have at least as many misses as the words with the fewest. weights -- of the
    sets, the greatest first. hits -- the most marks of a set, so the hits in a word. replies -- the
    most replies to a hit.
    """
    total, misses, words_left = 0, -1, 0  # words_left: not yet used, of those with these misses
    for set_weight in weights:
        if not words_left:
            misses += 1
            words_left = replies**hits * comb(hits - 1 + misses, misses) if hits else 1
        total += set_weight * misses
        words_left -= 1
    return total


def priced_misses(family: WeightedSets, prices: Prices) -> int:
    """Bound the misses M(F) of a family from below by a price y_s per set, in 1/PRICE_OF_MISS.

    With F_c the sets that have the cell c, and w(S), y(S) sums over a part S of them,

        M(F) >= y(F) + sum over i >= 0 of min(0, least of M(S) + i w(S) - y(S) over all c and S).

    Until its first hit a strategy shoots a sequence of cells. Let S_i be the sets that its shot i,
    from 0, is the first to hit: a part of the sets with one cell, with i misses each before it. The
    S_i together are F (a set that is never hit could be shot at the end, by an invented cell if it
    has none), so the misses are at least the sum of M(S_i) + i w(S_i), and y(F) that of y(S_i).

    Raises ValueError if more than `MOST_WITH_A_CELL` sets have the same cell.
    """
    priced_sets = [_PricedSet(*member, price) for member, price in zip(family, prices, strict=True)]
    all_cells = 0
    for priced in priced_sets:
        all_cells |= priced.cells
    groups = [
        [priced for priced in priced_sets if priced.cells >> cell & 1] for cell in bits(all_cells)
    ]
    groups += [[priced] for priced in priced_sets if not priced.cells]
    least_by_weight: dict[int, int] = {}  # w(S) -> the least M(S) - y(S), over all S of this weight
    for group in groups:
        if len(group) > MOST_WITH_A_CELL:
            raise ValueError(f"{len(group)} sets have the same cell; at most {MOST_WITH_A_CELL}")
        masks, set_weights, set_prices = zip(*group, strict=True)
        weight_sums, price_sums = _subset_sums(set_weights), _subset_sums(set_prices)
        misses = _misses_of_subsets(_columns(masks), set_weights)
        for subset in range(1, len(misses)):
            subset_weight = weight_sums[subset]
            value = PRICE_OF_MISS * misses[subset] - price_sums[subset]
            least_by_weight[subset_weight] = min(value, least_by_weight.get(subset_weight, value))
    total, misses_before = sum(prices), 0
    while True:
        term = min(
            value + PRICE_OF_MISS * misses_before * subset_weight
            for subset_weight, value in least_by_weight.items()
        )
        if term >= 0:  # and so are all later ones
            return -(-total // PRICE_OF_MISS)  # rounded up: misses are whole
        total += term
        misses_before += 1


class _PricedSet(NamedTuple):
    """A set of cells (mask) with its weight and its price."""

    cells: int
    weight: int
    price: int


def _subset_sums(numbers: Sequence[int]) -> list[int]:
    """Return the sum of each subset of numbers; the bits of its index are the numbers in it."""
    sums = [0]
    for number in numbers:
        sums += [before + number for before in sums]
    return sums


def _columns(masks: Sequence[int]) -> tuple[int, ...]:
    """Return for each cell the mask of the sets that have it, ascending and each mask once.

    masks -- the cells of the sets; set i is bit i of a mask that is returned.
    """
    cells = range(max(masks).bit_length())
    columns = {sum(1 << i for i, mask in enumerate(masks) if mask >> cell & 1) for cell in cells}
    return tuple(sorted(columns))


@lru_cache(maxsize=1 << 12)
def _misses_of_subsets(columns: tuple[int, ...], weights: tuple[int, ...]) -> list[int]:
    """Return for each subset of some sets its least misses, summed over its sets by weight.

    By the definition this is the least, over all shots that split the subset, of the weight missed
    and the misses of both parts. The index of a subset has a bit for each of its sets. columns --
    for each cell the sets that have it, as such bits.
    """
    weight_sums = _subset_sums(weights)
    misses = [0] * len(weight_sums)
    for subset in range(1, len(misses)):
        if subset.bit_count() > 1:
            misses[subset] = min(
                misses[subset & hit] + misses[subset & ~hit] + weight_sums[subset & ~hit]
                for hit in columns
                if subset & hit not in (0, subset)
            )
    return misses


def root_of(position: Position, prior: Prior | None = None) -> WeightedSets:
    """Return what a proof is about: the possible sets of marks of a position, and their weights.

    A mark is what a hit shows. prior -- the weights of the configurations, which are listed by the
    definition. Raises TooLarge for more than MAX_SETS sets, ImpossiblePosition if none is left,
    NotSupported if sinkings are announced or the first hit ends the game.
    """
    if prior is not None:
        prior.require(position.game)
    game = position.game
    game.require_no_sinkings("a proof")
    game.require_sunk("a proof")
    weight_of: Counter[int] = Counter()  # by the marks
    for ships in reference.configurations(position):
        added_weight = 1 if prior is None else prior.weight(ships)
        if added_weight:
            weight_of[marks_of(game, ships)] += added_weight
        if len(weight_of) > MAX_SETS:
            raise TooLarge(
                f"{game} has more than {MAX_SETS:,} sets of cells from "
                f"{str(position)!r}; no proof handles that many"
            )
    if not weight_of:
        raise ImpossiblePosition(
            f"no configuration of {game} is compatible with the shots {str(position)!r}"
            + ("" if prior is None else f" and has a weight by the prior {prior.name}")
        )
    return tuple(sorted(weight_of.items()))


# The check


def check(path: str | Path, prior: Prior | None = None) -> CheckedProof:
    """Check the proof in a file; nothing but the file and its prior is used.

    This is plain Python on the listing of `optsearch.check.reference`, without any solver. Raises
    ProofError, which names the claim, for a file that is not a proof or does not prove the total
    height in its head.
    """
    return check_proof(load(path), str(path), prior)


def check_proof(proof: Proof, name: str = "the proof", prior: Prior | None = None) -> CheckedProof:
    """Check that the claims of a proof are right, and prove the total height that it states.

    prior -- the weights of the configurations, if the proof is by one. name -- what errors call the
    proof. Raises ProofError if the check fails.
    """
    started = time.perf_counter()
    if proof.prior != (prior.digest if prior else ""):
        origin = f"by the prior {proof.prior}" if proof.prior else "by no prior"
        advice = f"{prior.name} is {prior.digest}" if prior else "give it with --prior"
        raise ProofError(f"{name} is {origin}; {advice}")
    root = root_of(proof.position, prior)
    game, configurations = proof.position.game, weight(root)
    misses = check_claims(proof.claims, root, Marks.of(game), name)
    total = proof.position.hits_left * configurations + misses
    if total != proof.total_height:
        raise ProofError(
            f"{name}: the claims prove a total height of {total} or more for "
            f"{game}, {str(proof.position)!r}; the head says {proof.total_height}"
        )
    return CheckedProof(
        game=game,
        position=proof.position,
        total_height=total,
        configurations=configurations,
        claims=len(proof.claims),
        seconds=time.perf_counter() - started,
    )


def check_claims(claims: Sequence[Claim], root: WeightedSets, marks: Marks, name: str) -> int:
    """Return the lower bound on the misses of a family that a list of claims proves.

    Each claim must follow from those before it; else raises ProofError, which names the claim after
    the `name` of the list.
    """
    proved: dict[WeightedSets, int] = {}  # normal form -> misses

    def bound_of(family: WeightedSets) -> int:
        """Return the misses of a family that counting or an earlier claim proves."""
        return max(marks.bound_by_counting(family), proved.get(marks.normal_form(family), 0))

    for claim_number, claim in enumerate(claims, 1):
        where = f"{name}, claim {claim_number}"
        if claim.prices is not None:
            _check_by_prices(claim, claim.prices, marks, where)
        elif marks.bound_by_counting(claim.family) < claim.misses:
            _check_by_shots(claim, marks, bound_of, where)
        normal_form = marks.normal_form(claim.family)
        proved[normal_form] = max(claim.misses, proved.get(normal_form, 0))
    return sum(map(bound_of, marks.parts(root)))


def _check_by_shots(
    claim: Claim, marks: Marks, bound_of: Callable[[WeightedSets], int], where: str
) -> None:
    """Raise ProofError unless each first shot leads to as many misses as a claim says.

    bound_of -- returns the misses of a family that are proved already. where -- begins errors.
    """
    for cell, missed, parts in marks.shots(claim.family):
        bound = missed + sum(map(marks.bound_by_counting, parts))
        if bound < claim.misses:  # then earlier claims on the parts are needed
            bound = missed + sum(map(bound_of, parts))
        if bound < claim.misses:
            raise ProofError(
                f"{where}: {claim.misses} misses are not proved, because "
                f"{marks.name(cell)} can be shot first, and "
                f"after it only {bound} misses are proved"
            )
    if len(claim.family) == 1:
        raise ProofError(f"{where}: one set needs no miss")


def _check_by_prices(claim: Claim, prices: Prices, marks: Marks, where: str) -> None:
    """Raise ProofError, which begins with `where`, unless its prices prove a claim."""
    if marks.is_labelled:
        raise ProofError(f"{where}: prices are for games in which hits tell nothing")
    try:
        bound = priced_misses(claim.family, prices)
    except ValueError as error:
        raise ProofError(f"{where}: the prices do not fit this family: {error}") from None
    if bound < claim.misses:
        raise ProofError(f"{where}: {claim.misses} misses are not proved; its prices prove {bound}")


# Files


def save(proof: Proof, path: str | Path) -> None:
    """Write a proof to a file."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "game": str(proof.position.game),
        "position": str(proof.position),
        **({"prior": proof.prior} if proof.prior else {}),
        "total_height": proof.total_height,
        "claims": len(proof.claims),
    }
    write(path, head, proof.claims)


def write(path: str | Path, head: Mapping[str, object], claims: Sequence[Claim]) -> None:
    """Write a proof to a file: the head, then one claim on each line, all as JSON."""
    lines = [json.dumps(head, ensure_ascii=False)]
    for claim in claims:
        sets, weights = zip(*claim.family, strict=True)
        line: list[object] = [claim.misses, sets]
        if set(weights) != {1}:
            line = [claim.misses, sets, weights]
        if claim.prices is not None:
            line = [claim.misses, sets, weights, claim.prices]
        lines.append(json.dumps(line, separators=(",", ":")))
    documents.write(path, "\n".join(lines) + "\n", ProofError)


def load(path: str | Path) -> Proof:
    """Load the proof in a file without checking it; raise ProofError for any other file."""
    field_types = {"game": str, "position": str, "total_height": int}
    head, lines = read_head(path, field_types)
    prior = head.get("prior", "")
    if not isinstance(prior, str):
        raise ProofError(f"{path}: 'prior' in the head is {prior!r:.60}")
    try:
        game = Game.read(head["game"])
        position = Position.parse(game, head["position"])
    except (GameError, PositionError) as error:
        raise ProofError(f"{path}: {error}") from None
    board = f"the board {game.rows}x{game.columns}"
    claims = read_claims(path, lines, len(_mark_bits(game)), board)
    return Proof(position, head["total_height"], claims, prior)


def read_head(
    path: str | Path, field_types: Mapping[str, type]
) -> tuple[dict[str, Any], list[str]]:
    """Return the head of a proof file, and the lines of its claims.

    field_types -- the fields that the head must have, besides the general ones. Raises ProofError
    for any other file.
    """
    lines = documents.text_of(path, ProofError).splitlines()
    try:
        head = _parse_json(lines[0] if lines else "", f"{path}, the head")
    except ProofError as error:
        raise ProofError(f"{error}; solve --prove writes proofs") from None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise ProofError(f"{path}: the file is not a proof; its head has no 'format': {FORMAT!r}")
    if "family" in head and "family" not in field_types:
        raise ProofError(
            f"{path} is a proof for a family of sets; name its file, too, as in optsearch check "
            f"{path} sets.csv"
        )
    for name, field_type in {"version": int, **field_types, "claims": int}.items():
        if type(head.get(name)) is not field_type:
            raise ProofError(f"{path}: {name!r} in the head is {head.get(name)!r:.60}")
    if head["version"] != VERSION:
        raise ProofError(f"{path}: the version is {head['version']}; {VERSION} is read")
    if head["claims"] != len(lines) - 1:
        raise ProofError(
            f"{path}: the head says {head['claims']} claims, and {len(lines) - 1} follow"
        )
    return head, lines[1:]


def read_claims(
    path: str | Path, lines: Sequence[str], mark_count: int, board: str
) -> tuple[Claim, ...]:
    """Return the claims in the lines of a proof file; ProofError for a line that is not a claim.

    mark_count -- how many bits a set may have. board -- where the marks are, in words for errors.
    """
    return tuple(
        _parse_claim(line, mark_count, board, f"{path}, claim {claim_number}")
        for claim_number, line in enumerate(lines, 1)
    )


def _parse_json(line: str, where: str) -> object:
    """Return the JSON value in a line; ProofError, beginning with `where`, if it has none."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ProofError(f"{where} is not JSON: {error}") from None


def _parse_claim(line: str, mark_count: int, board: str, where: str) -> Claim:
    """Return the claim in a line of a proof file.

    mark_count -- how many bits a set may have. board -- where the marks are, in words for errors.
    where -- how an error begins. Raises ProofError if the line is not a claim, or has a set twice
    or with other marks.
    """

    def refuse(problem: str) -> NoReturn:
        raise ProofError(f"{where}: {problem}")

    def require_integers(value: object, lowest: int) -> list[int]:
        if not isinstance(value, list) or any(
            type(number) is not int or number < lowest for number in value
        ):
            refuse(f"{value!s:.60} is not a list of integers from {lowest} up")
        return value

    fields = _parse_json(line, where)
    if not isinstance(fields, list) or not 2 <= len(fields) <= 4 or type(fields[0]) is not int:
        refuse("it is not [misses, sets], [misses, sets, weights] or these with prices")
    sets = require_integers(fields[1], 0)
    weights = require_integers(fields[2], 1) if len(fields) > 2 else [1] * len(sets)
    prices = require_integers(fields[3], -MOST_PRICE) if len(fields) == 4 else None
    if not sets or len(weights) != len(sets):
        refuse(f"it has {len(sets)} sets and {len(weights)} weights")
    if len(set(sets)) < len(sets):
        refuse("it has a set twice")
    if max(sets) >> mark_count:
        refuse(f"a set has cells off {board}")
    family = tuple(sorted(zip(sets, weights, strict=True)))
    if prices is None:
        return Claim(fields[0], family)
    if len(prices) != len(sets):
        refuse(f"it has {len(sets)} sets and {len(prices)} prices")
    if max(prices) > MOST_PRICE:
        refuse(f"a price of {max(prices)}; at most {MOST_PRICE}")
    price_of_set = dict(zip(sets, prices, strict=True))
    return Claim(fields[0], family, tuple(price_of_set[cells] for cells, _ in family))
