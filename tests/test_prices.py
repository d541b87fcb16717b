"""Files of prices: the check agrees with the definition, and believes nothing."""

import json
import random
import re

import pytest
from test_nested_dual import any_prices

from optsearch.check import prices as check
from optsearch.game import Game
from optsearch.lower_bounds.nested_dual import Nested, listed, nested_dual, raised
from optsearch.support.errors import ProofError

GAMES = ("4x4:2,2", "3x5:2,2;holes=B2", "3x4:2,2;contact=corner", "3x4:2,2;board=hex")


def saved(path, text, prices, more=0):
    """A file of prices, which says so many misses more than they prove."""
    game, nested = Game.parse(text), Nested.of(Game.parse(text))
    misses = nested_dual(nested, prices)
    total = misses + more + game.fleet_cells * len(nested.sets)
    check.save(path, game, total, *listed(nested, prices))
    return total


@pytest.mark.parametrize("text", GAMES)
def test_the_check_evaluates_any_prices_to_the_last_digit(tmp_path, text):
    rng = random.Random(1)
    nested, path = Nested.of(Game.parse(text)), tmp_path / "prices.jsonl"
    for _ in range(3):
        prices = any_prices(rng, nested)
        total = saved(path, text, prices)
        checked = check.check(path)
        assert (checked.total_height, checked.configurations) == (total, len(nested.sets))
        saved(path, text, prices, 1)
        with pytest.raises(ProofError, match=f"is not proved; the prices prove {total:,}"):
            check.check(path)


@pytest.mark.parametrize(
    ("text", "total", "steps"),
    [
        ("4x5:2,2", 1967, 700),
        pytest.param("6x6:2,2", 16997, 700, marks=pytest.mark.long(8)),
        pytest.param("7x7:2,2", 48153, 1400, marks=pytest.mark.long(60)),
    ],
)
def test_what_is_proved_of_larger_boards(tmp_path, text, total, steps):
    nested = Nested.of(Game.parse(text))
    assert saved(tmp_path / "prices.jsonl", text, raised(nested, steps)[1]) == total
    assert check.check(tmp_path / "prices.jsonl").total_height == total


@pytest.fixture
def lines(tmp_path):
    """The lines of a file, as values."""
    path = tmp_path / "prices.jsonl"
    saved(path, "3x4:2,2", raised(Nested.of(Game.parse("3x4:2,2")), 50)[1])
    return [json.loads(line) for line in path.read_text().splitlines()]


def refused(tmp_path, lines):
    """What is said of a file of these lines, or nothing."""
    path = tmp_path / "changed.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    with pytest.raises(ProofError, match=re.escape(str(path))) as error:
        check.check(path)
    return str(error.value).removeprefix(f"{path}: ")


def test_what_is_no_file_of_prices(tmp_path, lines):
    head, orbits, *others = lines
    line = others[0]
    for changed, said in (
        ([[1]], "the file has no prices; its head has no 'format': 'optsearch prices'"),
        ([head | {"more": 1}, orbits], "the fields of the head are format, version, game"),
        ([head | {"version": 2}, orbits], "the version is 2; 1 is read"),
        ([head, orbits], "the head says"),
        ([head | {"total_height": "7"}, *lines[1:]], "'total_height' is '7'"),
        ([head | {"game": "3x4:5"}, *lines[1:]], "5"),
        ([head | {"game": "3x4:2,2;announce=sunk"}, *lines[1:]], "a bound by prices"),
        ([head | {"game": "3x4:2,2;contact=any"}, *lines[1:]], "several with the same cells"),
        ([head | {"game": "9x9:2,2,2"}, *lines[1:]], "more than 20,000 configurations"),
        ([head, orbits[1:], *others], "configurations have a price"),
        ([head, orbits + orbits[:1], *others], "of one that has a price"),
        ([head, [*orbits, [0, 0]], *others], "of no configuration"),
        ([head, [*orbits, [0]], *others], "line 2: [0] is not a set with its price"),
        ([head, 5, *others], "line 2 is not a list of sets with prices"),
        ([head, orbits, *others[:-1], line], "line 3"),
        ([head, orbits, line[:4], *others[1:]], "line 3 is not [place, cell, near, sides, chains]"),
        ([head, orbits, [*line[:2], [[]], *line[3:]], *others[1:]], "line 3: [[]] are no sets"),
        (
            [head, orbits, [*line[:3], ["1"], line[4]], *others[1:]],
            "is not a list of integers up to",
        ),
        ([head, orbits, [*line[:3], line[3][1:], line[4]], *others[1:]], "prices of"),
    ):
        if said == "line 3":
            said = f"line {len(lines)}: what it is for has prices before"
        assert said in refused(tmp_path, changed)


def test_whatever_is_changed_nothing_false_is_proved(tmp_path, lines):
    """The optimum of 3x4:2,2 is a total height of 214."""
    rng = random.Random(2)
    path = tmp_path / "changed.jsonl"
    for _ in range(60):
        changed = json.loads(json.dumps(lines))
        entry = rng.choice(changed[2:])
        row = rng.choice(entry[3:])
        row[rng.randrange(len(row))] += rng.choice((-5000, 5000, 50))
        entry = rng.choice(changed[1])
        entry[1] += rng.choice((-5000, 0, 3000))
        path.write_text("\n".join(map(json.dumps, changed)))
        found = check._File(path)
        assert found.misses() + 4 * len(found.sets) <= 214


def test_by_the_command(here, tmp_path):
    path = tmp_path / "prices.jsonl"
    status, out, err = here("bounds", "4x4:2,2", "--prove", path)
    assert (status, err) == (0, "")
    assert out.splitlines()[-1] == f"prices   {path}"
    status, out, err = here("proof", path, "--json")
    assert (status, err) == (0, "")
    answer = json.loads(out)
    assert answer["game"] == "4x4:2,2"
    bounds = json.loads(here("bounds", "4x4:2,2", "--json")[1])["bounds"]
    (nested,) = [bound for bound in bounds if bound["name"] == "nested dual"]
    assert nested["value"] == answer["mean"]
