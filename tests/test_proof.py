"""Proofs of optimality: made, checked, and every fault found."""

import json
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsearch.check import proofs as proof
from optsearch.check import reference
from optsearch.check.proofs import Claim, Proof, check, check_proof, load, save
from optsearch.game import Game, bits
from optsearch.game.position import HIT, Position, Reply
from optsearch.search.proving import SolvedParts, prove
from optsearch.search.solver import Solver
from optsearch.support.errors import (
    ImpossiblePosition,
    NotSupported,
    OptsearchError,
    ProofError,
    TooLarge,
)
from tests.examples import AT_SINKING, LABELLED, draws, positions


def by_definition(game):
    """The least misses of a part of a family, whatever the limit."""

    names = [0] * (HIT in game.hit_replies) + [*game.labels]

    def hidden(marks):
        if game.is_silent:
            return marks
        if game.shows_ships:
            pieces = [(int(game.labels[i]), Reply(True, label=i)) for i in bits(marks)]
        else:
            layers = [marks >> i * game.cells & (1 << game.cells) - 1 for i in range(len(names))]
            pieces = [(cells, Reply(True, label=i)) for i, cells in enumerate(layers) if cells]
        return tuple((cells, told, told) for cells, told in pieces)

    def least_misses(sets, weights, limit):
        family = [(hidden(marks), n) for marks, n in zip(sets, weights, strict=True)]
        first = family[0][0]
        cells = [first] if game.is_silent else [cells for cells, *_ in first]
        hits = sum(weights) * sum(map(int.bit_count, cells))
        return reference.total_height(frozenset(family)) - hits

    return least_misses


def optimum(position):
    solution = reference.solve(position)
    hits = position.hits_left * solution.configurations
    return solution.total_height, solution.total_height - hits


@cache
def proved(text, shots=""):
    solver = Solver(Position.parse(Game.parse(text), shots))
    hits = solver.position.hits_left * solver.solution.configurations
    least_misses = SolvedParts(solver).least_misses
    return prove(solver.position, solver.solution.total_height - hits, least_misses)


@draws(200)
@given(positions(max_cells=12, max_configurations=40, announce=("nothing", *LABELLED)))
def test_the_optimum_is_proved(tmp_path_factory, position):
    """By the definition, and by the search where hits tell something."""
    total_height, misses = optimum(position)
    least_misses = by_definition(position.game)
    if not position.game.is_silent:
        exact = SolvedParts(Solver(position)).least_misses
        assert check_proof(prove(position, misses, exact)).total_height == total_height
    made = prove(position, misses, least_misses)
    path = tmp_path_factory.mktemp("proofs") / "proof"
    save(made, path)
    assert load(path) == made
    checked = check(path)
    assert checked.total_height == made.total_height == total_height
    assert (checked.game, checked.position) == (position.game, position)
    assert checked.configurations == reference.weight(reference.family(position))
    assert checked.claims == len(made.claims)
    for claim in made.claims:
        sets, weights = zip(*claim.family, strict=True)
        assert 0 < claim.misses <= least_misses(sets, weights, 0)
    with pytest.raises(ProofError):
        prove(position, misses + 1, least_misses)


def test_the_form_of_a_file(tmp_path):
    """3x3:2 after three misses: A1-A2, A1-B1, B1-C1 and C1-C2, a chain of four."""
    save(proved("3x3:2", "B2=miss A3=miss C3=miss"), tmp_path / "proof")
    lines = (tmp_path / "proof").read_text().splitlines()
    assert json.loads(lines[0]) == {
        "format": "optsearch proof of optimality",
        "version": 1,
        "game": "3x3:2",
        "position": "B2=miss A3=miss C3=miss",
        "total_height": 4 * 2 + 4,
        "claims": 0,
    }
    # 4 leaves with 2 hits: 0, 1, 1, 2 misses; leaf counting is enough.
    assert len(lines) == 1
    save(proved("3x3:2"), tmp_path / "proof")
    lines = (tmp_path / "proof").read_text().splitlines()
    assert json.loads(lines[-1]) == [30, [3, 6, 9, 18, 24, 36, 48, 72, 144, 192, 288, 384]]
    save(proved("3x3:2,2,contact=any"), tmp_path / "proof")
    misses, sets, weights = json.loads((tmp_path / "proof").read_text().splitlines()[-1])
    assert (misses, sum(weights), set(weights)) == (114, 44, {1, 2})
    assert len(sets) == len(weights) < 44


def test_leaf_counting_and_one_set_need_no_claim():
    assert proved("2x3:2").claims == ()
    assert check_proof(proved("2x3:2")).total_height == 25  # Figure 5
    assert check_proof(proved("1x2:2")).total_height == 2
    assert check_proof(proved("1x3:2", "A1=hit B1=hit")).total_height == 0


# Faults

GAMES = [
    ("3x3:2", ""),
    ("4x4:3,2", "B2=miss D1=miss"),
    ("3x3:2,2,contact=any", "B2=miss"),
    ("3x4:3,2,announce=name", "A1=miss"),
    ("3x3:3,2,contact=any,announce=name", "B1=miss"),
    ("3x4:3,2,contact=any,announce=place", "A1=miss"),
]


def faults(made, message=""):
    with pytest.raises(ProofError) as error:
        check_proof(made)
    assert message in str(error.value)


@pytest.mark.parametrize("game", GAMES, ids=" ".join)
def test_a_claim_too_weak_or_dropped(game):
    """Almost every claim is needed: one may be asked for when another, asked for later, is enough.

    The last one is always needed.
    """
    made, errors = proved(*game), []
    last = len(made.claims) - 1
    assert last > 2
    for i, claim in enumerate(made.claims):
        for change in ((Claim(claim.misses - 1, claim.family),), ()):
            one = replace(made, claims=(*made.claims[:i], *change, *made.claims[i + 1 :]))
            if i == last:
                faults(one, "the head says")
                continue
            try:
                assert check_proof(one).total_height == made.total_height
            except ProofError as error:
                errors.append(str(error))
    assert len(errors) > 0.9 * 2 * last
    assert all("misses are not proved" in error for error in errors)


@draws(300)
@given(st.sampled_from(GAMES).map(lambda game: proved(*game)), st.data())
def test_whatever_is_changed_nothing_false_is_proved(made, data):
    """A proof with a few random changes fails, or still proves no more than the truth."""
    total_height = made.total_height
    claims = [[claim.misses, dict(claim.family)] for claim in made.claims]
    for _ in range(data.draw(st.integers(1, 3))):
        claim = data.draw(st.sampled_from(claims))
        what = data.draw(st.sampled_from(["misses", "weight", "set", "drop", "all"]))
        cells = data.draw(st.sampled_from(sorted(claim[1])))
        if what == "misses":
            claim[0] += data.draw(st.integers(-2, 2))
        elif what == "weight":
            claim[1][cells] = data.draw(st.integers(1, 3))
        elif what == "drop" and len(claim[1]) > 1:
            del claim[1][cells]
        elif what == "set":
            size = [c for c in range(1 << 9) if c.bit_count() == cells.bit_count()]
            del claim[1][cells]
            claim[1][data.draw(st.sampled_from(size))] = 1
        else:
            for other in claims:
                other[0] += 1
    changed = tuple(Claim(misses, tuple(sorted(sets.items()))) for misses, sets in claims)
    for total in (total_height, total_height + 1, total_height + 2):
        try:
            checked = check_proof(replace(made, claims=changed, total_height=total))
        except ProofError:
            continue
        assert checked.total_height <= total_height


def test_a_claim_on_one_set():
    one = Claim(1, ((3, 1),))
    made = proved(*GAMES[0])
    faults(replace(made, claims=(one, *made.claims)), "claim 1: one set needs no miss")


# Files


HEAD = {
    "format": "optsearch proof of optimality",
    "version": 1,
    "game": "3x3:2",
    "position": "",
    "total_height": 54,
    "claims": 1,
}


@pytest.mark.parametrize("claim", ["[" * 10**5, "1" * 5000])
def test_a_huge_file_is_refused(tmp_path, claim):
    """Other malformed ones are in transcripts/errors.txt."""
    path = tmp_path / "proof"
    path.write_text(f"{json.dumps(HEAD)}\n{claim}")
    with pytest.raises(ProofError, match="proof, claim 1 is not JSON"):
        check(path)


def test_what_is_not_proved():
    for rule in AT_SINKING:
        position = Position(Game.parse(f"3x3:2,announce={rule}"))
        with pytest.raises(NotSupported, match=f"announce={rule}"):
            prove(position, 30, by_definition(position.game))
        with pytest.raises(NotSupported, match=f"announce={rule}"):
            check_proof(Proof(position, 54, ()))
    with pytest.raises(ImpossiblePosition, match="4x4:4,3,2"):
        check_proof(Proof(Position(Game.parse("4x4:4,3,2")), 54, ()))
    with pytest.raises(TooLarge, match="more than 100,000 sets"):
        check_proof(Proof(Position(Game.parse("10x10:5,4,3,3,2")), 54, ()))


@draws(200)
@given(st.data())
def test_a_damaged_file_is_refused_or_proves_the_same(tmp_path_factory, data):
    """One character changed, put in or left out."""
    path = tmp_path_factory.mktemp("proofs") / "proof"
    save(proved(*GAMES[0]), path)
    text = path.read_text()
    place = data.draw(st.integers(0, len(text) - 1))
    new = data.draw(st.sampled_from(["", "0", "1", "7", ",", "]", "[", "x", "\n"]))
    path.write_text(text[:place] + new + text[place + data.draw(st.integers(0, 1)) :])
    try:
        checked = check(path)
    except OptsearchError:
        return
    assert checked.total_height == optimum(checked.position)[0] == 54


# Prices


@pytest.fixture(scope="module")
def priced():
    """8x8:3, from the total that other tests confirm: one claim, with a price for each set."""
    position = Position(Game.parse("8x8:3"))
    return prove(position, 1230 - 3 * 96, by_definition(position.game), SolvedParts.prices)


def test_prices_prove_a_game_at_once(priced, tmp_path):
    save(priced, tmp_path / "proof")
    assert load(tmp_path / "proof") == priced
    checked = check(tmp_path / "proof")
    assert (checked.total_height, checked.claims) == (1230, 1)


@pytest.mark.parametrize(
    ("game", "fault"),
    [
        ("4x4:3,2", "the prices do not fit this family: 32 sets have the same cell"),
        ("4x4:3,2,announce=name", "prices are for games in which hits tell nothing"),
    ],
)
def test_prices_that_do_not_fit(game, fault):
    position = Position(Game.parse(game))
    family = proof.root_of(position)
    made = Proof(position, 0, (Claim(1, family, (0,) * len(family)),))
    faults(made, f"claim 1: {fault}")
