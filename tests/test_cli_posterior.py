"""The commands that count: count, posterior, sample."""

import json

import numpy as np
import pytest

from optsearch.cli import counting
from optsearch.counting.posterior import Posterior
from optsearch.game import Game
from optsearch.game.position import Position
from tests.definition import USERS_RULES, Definition, Rules
from tests.examples import EVERY_RULE, rule_name


@pytest.mark.parametrize("ending", ["png", "pdf", "svg"])
def test_posterior_figure(call_command, tmp_path, ending):
    path = tmp_path / f"heat.{ending}"
    call_command("posterior", "5x6:4,3,2", "--shots", "C3=hit A1=miss", "--figure", path)
    assert path.stat().st_size > 2000


@pytest.mark.parametrize("contact", ["none", "any"])
def test_a_sample_in_pieces_is_the_whole_sample(call_command, answer_of, monkeypatch, contact):
    """As JSON it is written while it is drawn: the value that `json` makes of all at once."""
    monkeypatch.setattr(counting, "BATCH_SIZE", 7)
    game = Game.parse(f"5x5:3,2,1,contact={contact}")
    arguments = ("sample", str(game), "--shots", "C3=hit A1=miss", "-n", "50", "--seed", "3")
    posterior = Posterior(Position.parse(game, "C3=hit A1=miss"))
    rng = np.random.default_rng(3)
    pieces = [posterior.sample(number, rng, masks=True) for number in (*[7] * 7, 1)]
    drawn = [ships for piece in pieces for ships in posterior.ships(piece)]
    text = call_command(*arguments, "--json")[1]
    value = json.loads(text)
    assert text == json.dumps(value) + "\n"
    assert value["seed"] == 3
    assert value["sample"] == list(map(list, drawn))
    assert call_command(*arguments)[1].splitlines() == [" ".join(ships) for ships in drawn]
    one = answer_of("sample", str(game), "-n", "1", "--seed", "3")
    assert len(one["sample"]) == 1


@pytest.mark.parametrize("announce", EVERY_RULE, ids=rule_name)
def test_every_configuration_once(call_command, answer_of, monkeypatch, tmp_path, announce):
    """By the definition, after each shot; by a prior those that have a weight."""
    monkeypatch.setattr(counting, "BATCH_SIZE", 5)
    rules = Rules(3, 4, (3, 2), "any", announce, tells=USERS_RULES.get(announce))
    game = Game(str(rules).replace(";", ","))
    mask_of = {game.ship_name(ship): ship for kind in (3, 2) for ship in game.placements(kind)}
    hidden, shots, hits = max(rules.configurations), [], 0
    for cell in (5, *(cell for cell in range(12) if sum(hidden) >> cell & 1)):
        family = Definition(rules, shots).root.family
        text = " ".join(f"{rules.name(cell)}={reply}" for cell, reply in shots)
        arguments = "sample", str(game), "--shots", text, "--all"
        found = answer_of(*arguments)
        assert found["configurations"] == len(family) == len(found["sample"])
        every = {tuple(sorted(mask_of[name] for name in ships)) for ships in found["sample"]}
        assert every == {tuple(sorted(ships)) for ships in family}
        lines = call_command(*arguments)[1].splitlines()
        assert lines == [" ".join(ships) for ships in found["sample"]]
        rows = [f"{line},{number % 2}" for number, line in enumerate(lines)]
        (tmp_path / "half.csv").write_text("\n".join(["ships,weight", *rows, ""]))
        if len(lines) > 1:
            half = answer_of(*arguments, "--prior", str(tmp_path / "half.csv"))["sample"]
            assert sorted(" ".join(ships) for ships in half) == sorted(lines[1::2])
        reply = rules.reply(hidden, hits, cell)
        hits |= (reply != "miss") << cell
        shots.append((cell, reply))


def test_all_configurations_up_to_a_limit(call_command, monkeypatch):
    monkeypatch.setattr(counting, "MOST_PRINTED", 7)
    status, out, err = call_command("sample", "3x3:2,2", "--all", "--format", "csv")
    assert (status, out) == (2, "")
    assert err == "error: --all prints up to 7 configurations; there are 8\n"
    assert call_command("sample", "3x3:2,2", "--all", "--seed", "1")[0] == 2
    monkeypatch.setattr(counting, "MOST_PRINTED", 8)
    boards = call_command("sample", "3x3:2,2", "--all", "--draw-boards")[1].split("\n\n")
    assert len({*boards[:-1]}) == len(boards[:-1]) == 8


@pytest.mark.parametrize(
    ("game", "shots", "first"),
    [
        ("3x3:2", "A1=hit C3=hit B2=miss", 2),
        ("3x3:2,announce=sunk", "A1=miss B1=hit B3=hit", 3),
        ("2x2:2", "A1=miss B2=miss A2=hit", 2),
        ("4x4:4,3,2", "A1=miss", 0),
    ],
)
def test_nothing_is_counted_and_the_shot_that_leaves_none_is_named(
    call_command, answer_of, game, shots, first
):
    found = answer_of("count", game, "--shots", shots)
    assert (found["configurations"], found.get("first_impossible", 0)) == (0, first)
    text = shots.split()
    for number in range(len(text)):
        left = answer_of("count", game, "--shots", " ".join(text[:number]))["configurations"]
        assert bool(left) == (number < first)
    shown = call_command("count", game, "--shots", shots)[1].splitlines()[1:]
    blame = [f"impossible      shot number {first}, {text[first - 1]}, leaves none"] * bool(first)
    assert shown == ["configurations  0", *blame]
    assert call_command("sample", game, "--shots", shots, "--all")[0] == 2
    assert call_command("posterior", game, "--shots", shots)[0] == 2
