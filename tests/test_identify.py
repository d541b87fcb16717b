"""Families from a file: a hidden set among given ones, against the definition."""

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optsearch.search import identify
from optsearch.search.kernels import SWITCHES, SolverOptions
from optsearch.search.proving import check_claims, save_claims
from optsearch.support.errors import ProofError, TooLarge, TreeError
from tests.definition import Misses
from tests.examples import draws

FAULTS = """set,things,weight
fuse,A B C D,6
pump,A B,4
valve,B,3
sensor,C,3
wire,A D,1
none,,1
"""


@st.composite
def families(draw, things=7, most=12):
    """Distinct sets of things, of any sizes and one inside the other, and their weights."""
    some = st.frozensets(st.integers(0, things - 1), max_size=things)
    sets = draw(st.lists(some, min_size=1, max_size=most, unique=True))
    equal = draw(st.booleans())
    weights = st.just(1) if equal else st.sampled_from([1, 1, 2, 3, 10, 10**6])
    return {members: draw(weights) for members in sets}


def written(path, weights, things="abcdefghijklmnop"):
    rows = [
        f"s{i},{' '.join(things[t] for t in sorted(members))},{weight}"
        for i, (members, weight) in enumerate(weights.items())
    ]
    path.write_text("set,things,weight\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return identify.read(path)


def defined(weights):
    return Misses(
        [sum(1 << thing for thing in members) for members in weights], [*weights.values()]
    )


def least_misses(weights):
    return defined(weights).value(defined(weights).everything)


@draws(2000, few=15)
@given(weights=families())
def test_everything_is_what_the_definition_says(tmp_path_factory, weights):
    folder = tmp_path_factory.mktemp("family")
    sets = written(folder / "family.csv", weights)
    truth = defined(weights)
    everything = truth.everything
    solution = identify.identify(sets)
    misses = truth.value(everything)
    assert (solution.is_exact, solution.misses, solution.lower) == (True, misses, misses)
    assert {"abcdefg".index(thing) for thing in solution.best} == truth.best(everything)
    tree = solution.tree()
    assert identify.verify(tree) == tree.total == misses
    for rule, end in (("best", min), ("worst", max)):
        greedy_tree = identify.greedy(sets, rule)
        assert identify.verify(greedy_tree) == greedy_tree.total == truth.greedy(everything, end)
    for rule in ("first", "last", "remainder"):
        total = identify.verify(identify.greedy(sets, rule))
        assert truth.greedy(everything, min) <= total <= truth.greedy(everything, max)
    mean = Fraction(misses, sets.weight)
    for bound in identify.bounds(sets):
        assert bound.value <= mean if bound.side == "lower" else bound.value >= mean, bound.name
    identify.save(tree, folder / "tree.json")
    assert identify.load(folder / "tree.json", sets) == tree
    save_claims(solution, folder / "proof.jsonl")
    assert check_claims(folder / "proof.jsonl", sets)[0] == misses


@draws(500)
@given(weights=families(), off=st.lists(st.sampled_from(SWITCHES), max_size=8))
def test_switches_change_nothing(tmp_path_factory, weights, off):
    sets = written(tmp_path_factory.mktemp("family") / "family.csv", weights)
    options = SolverOptions(**dict.fromkeys(off, False))
    solution = identify.identify(sets, options)
    assert solution.misses == least_misses(weights)


@draws(60)
@given(weights=families(things=16, most=40))
def test_larger_families_without_a_bound(tmp_path_factory, weights):
    """Past what the definition can: with every bound and reduction off, and proved."""
    folder = tmp_path_factory.mktemp("family")
    sets = written(folder / "family.csv", weights)
    solution = identify.identify(sets)
    switches = dict.fromkeys(SWITCHES, False) | {"memo": True, "merging": True}
    assert identify.identify(sets, SolverOptions(**switches)).misses == solution.misses
    save_claims(solution, folder / "proof.jsonl")
    assert check_claims(folder / "proof.jsonl", sets)[0] == solution.misses


def test_a_file_read(tmp_path):
    path = tmp_path / "faults.csv"
    path.write_text(FAULTS, encoding="utf-8")
    sets = identify.read(path)
    assert sets.things == ("A", "B", "C", "D")
    assert sets.names == ("fuse", "pump", "valve", "sensor", "wire", "none")
    assert sets.sets == (0b1111, 0b11, 0b10, 0b100, 0b1001, 0)
    assert sets.weights == (6, 4, 3, 3, 1, 1)
    path.write_text("set,things,weight\na,x y,1/2\nb,y,0.25\nc,x,0\n", encoding="utf-8")
    sets = identify.read(path)
    assert (sets.names, sets.weights, sets.things) == (("a", "b"), (2, 1), ("x", "y"))
    path.write_text("set,things\na,x y\nb,y\n", encoding="utf-8")
    assert identify.read(path).weights == (1, 1)


def test_too_many_things_or_too_much_weight(tmp_path):
    path = tmp_path / "family.csv"
    path.write_text(f"set,things\na,{' '.join(map(str, range(129)))}\n", encoding="utf-8")
    with pytest.raises(TooLarge, match="129 things; at most 128 are handled"):
        identify.read(path)
    path.write_text("set,things,weight\na,x,999999999999999999\nb,y,1\n", encoding="utf-8")
    with pytest.raises(
        TooLarge, match=r"the weights of family\.csv add up to 1,000,000,000,000,000,000"
    ):
        identify.identify(identify.read(path))


def test_trees_that_are_wrong(tmp_path):
    path = tmp_path / "faults.csv"
    path.write_text(FAULTS, encoding="utf-8")
    sets = identify.read(path)
    solution = identify.identify(sets)
    file = tmp_path / "tree.json"
    identify.save(solution.tree(), file)
    fields = json.loads(file.read_text())
    swapped = dict(fields, root=dict(fields["root"], hit=fields["root"]["miss"]))
    root = solution.tree().root
    total = identify.IdentificationTree(
        sets, identify.Ask(root.thing, root.missed, root.missed)
    ).total
    for changed, says in (
        (dict(fields, total_misses=1), "'total_misses' is 1, but the tree has"),
        (dict(fields, family="0"), f"of the family '0'; faults.csv is {sets.digest}"),
        (dict(fields, version=2), "the version is 2; this optsearch reads 1"),
        (dict(fields, format="x"), "the format is 'x', not 'optsearch identification'"),
        (dict(fields, root={"ask": "Z", "hit": 1, "miss": 2}), "neither a set of faults.csv nor"),
        (swapped, "'total_misses'"),
        (dict(swapped, total_misses=total), "'fuse' is hidden, but the tree ends at"),
        ([], r"\[\] is not a JSON object"),
    ):
        file.write_text(json.dumps(changed))
        with pytest.raises(TreeError, match=says):
            identify.load(file, sets)
    for wrong, says in (
        (identify.Ask(root.thing, root.missed, root.hit), "is hidden, but the tree ends at"),
        (identify.Ask(root.thing, root, root.missed), "is asked for twice on the way to"),
        ("fuse", "'pump' is hidden, but the tree ends at 'fuse'"),
    ):
        with pytest.raises(TreeError, match=says):
            identify.verify(identify.IdentificationTree(sets, wrong))
    asked_again = identify.Ask(3, solution.tree().root, solution.tree().root)
    with pytest.raises(TreeError):
        identify.verify(identify.IdentificationTree(sets, asked_again))


def test_proofs_that_are_wrong(tmp_path):
    path = tmp_path / "faults.csv"
    path.write_text(FAULTS, encoding="utf-8")
    sets = identify.read(path)
    solution = identify.identify(sets)
    file = tmp_path / "proof.jsonl"
    save_claims(solution, file)
    head, *claims = file.read_text().splitlines()
    assert claims
    assert check_claims(file, sets) == (solution.misses, len(claims))
    fields = json.loads(head)
    for changed, says in (
        (dict(fields, total_misses=solution.misses + 1), f"prove {solution.misses} misses or more"),
        (dict(fields, family="0"), f"of the family '0'; faults.csv is {sets.digest}"),
    ):
        file.write_text("\n".join([json.dumps(changed), *claims]) + "\n")
        with pytest.raises(ProofError, match=says):
            check_claims(file, sets)
    last = json.loads(claims[-1])
    last[0] += 1
    file.write_text("\n".join([head, *claims[:-1], json.dumps(last)]) + "\n")
    with pytest.raises(ProofError, match="misses are not proved"):
        check_claims(file, sets)


@pytest.mark.parametrize("more", [12, 13, 30])
def test_bounds_where_all_sets_have_a_thing(tmp_path, call_command, more):
    """More sets than a price is found for have it; it costs nothing, and changes no bound."""
    single = {frozenset({i}): 1 for i in range(more)}
    all_have = {members | {more}: 1 for members in single}
    things = [f"t{i}" for i in range(more + 1)]
    expected, bounds = (
        [bound.value for bound in identify.bounds(written(tmp_path / name, family, things))]
        for name, family in (("own.csv", single), ("all.csv", all_have))
    )
    assert bounds == expected == [Fraction(more - 1, 2)] * 4
    status, out, err = call_command("bounds", tmp_path / "all.csv", "--all")
    assert (status, err) == (0, "")
    assert "dual of the chain" in out
