"""Replies that may be false, and salvos: beside their definitions, and refused elsewhere."""

import json
from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st

from optsearch import solve
from optsearch.check import reference
from optsearch.cli.command import app
from optsearch.counting.configurations import to_masks
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.game import Game, bits
from optsearch.game.noise import Lies, Noise, NoisyPosition
from optsearch.game.position import HIT, MISS, Position, Shot, play
from optsearch.play.hiding import Drawn
from optsearch.play.replies import Replies, ReplyConflict
from optsearch.play.simulate import ReplyModel, play_game, player_generator, replay, simulate
from optsearch.strategies import as_player
from optsearch.strategies.greedy import counts_of
from optsearch.strategies.player import AFLOAT
from optsearch.support.errors import NotSupported, PositionError, StrategyError, TableError
from optsearch.support.workers import Execution
from tests.examples import draws, games

GAME = Game.parse("4x4:3,2")
SOME = Noise.parse("0.05", "1/10")
RATES = st.sampled_from(["0", "0.05", "1/3", "1"])


@st.composite
def noisy_positions(draw):
    game = draw(games(max_cells=12, max_ships=3))
    rates, lies = draw(st.tuples(RATES, RATES)), draw(st.integers(0, 3))
    noise = draw(st.sampled_from([Noise.parse(*rates), Lies(lies)]))
    cells = [game.cell(i) for i in range(game.cells) if game.cell(i) in game]
    shot = st.builds(Shot, st.sampled_from(cells), st.sampled_from([HIT, MISS]))
    return NoisyPosition(game, noise, tuple(draw(st.lists(shot, max_size=6))))


def by_definition(position, weight=lambda ships: 1):
    """The likelihoods of all configurations with them, and the sum."""
    found = {
        ships: position.likelihood(ships) * weight(ships)
        for ships in reference.configurations(Position(position.game))
    }
    return found, sum(found.values())


@draws(150)
@given(noisy_positions())
def test_the_posterior_is_that_of_the_definition(position):
    """On every board, for replies false by chance, always, never, or a number of times."""
    found, whole = by_definition(position)
    assume(found)
    try:
        posterior = Posterior(position)
        chances = posterior.probability.ravel()
    except PositionError:
        assert not whole
        return
    expected = np.zeros(position.game.cells)
    for ships, weight in found.items():
        for cell in bits(sum(ships)):
            expected[cell] += float(weight / whole)
    np.testing.assert_allclose(chances, expected, atol=1e-9)
    if isinstance(position.noise, Lies):
        assert posterior.configurations == whole
    assert all(not position.game.bit(cell) & position.shot_at for cell in posterior.greedy_shots())


def test_a_prior_and_samples():
    """A prior is multiplied by what replies say; samples come as often as they should."""
    position = NoisyPosition.parse(GAME, SOME, "B2=hit B2=miss C3=hit A1=miss")
    prior = Prior.of_cells(GAME, {(0, 0): 3, (2, 2): 5}, "product")
    found, whole = by_definition(position, prior.weight)
    posterior = Posterior(position, prior=prior)
    drawn = Counter(
        tuple(sorted(to_masks(ships))) for ships in posterior.sample(20_000, 1, masks=True)
    )
    for ships, weight in found.items():
        share, chance = drawn[tuple(sorted(ships))] / 20_000, float(weight / whole)
        assert abs(share - chance) < 5 * (chance / 20_000) ** 0.5 + 1e-9
    rows = np.zeros(GAME.cells)
    for ships, weight in found.items():
        rows[list(bits(sum(ships)))] += float(weight / whole)
    np.testing.assert_allclose(posterior.probability.ravel(), rows, rtol=1e-12)


def test_how_often_replies_are_false():
    assert SOME.likelihood(HIT, is_ship=False) == Fraction(1, 20)
    assert SOME.likelihood(MISS, is_ship=True) == Fraction(1, 10)
    for is_ship, (answer, told) in product((False, True), ((HIT, True), (MISS, False))):
        both = SOME.likelihood(HIT, is_ship) + SOME.likelihood(MISS, is_ship)
        chance = float(SOME.likelihood(answer, is_ship))
        replies, start = (
            SOME.replies_of_game(GAME, np.random.default_rng(1)),
            NoisyPosition(GAME, SOME),
        )
        heard = [replies.reply(start, (0, 0), is_ship).hit == told]
        for _ in range(999):
            replies = SOME.replies_of_game(GAME, np.random.default_rng(len(heard)))
            heard.append(replies.reply(start, (0, 0), is_ship).hit == told)
        assert both == 1
        assert sum(heard) / 1000 == pytest.approx(chance, abs=0.03)


def test_true_replies_are_those_of_the_papers_game():
    """With nothing false the shots of greedy are those of true replies, but for its endgame."""
    player = as_player("greedy:endgame=0")
    for board, ships in enumerate(Drawn().boards(GAME, 20, 1)):
        ends = [
            play_game(player, GAME, to_masks(ships), player_generator(1, board), reply_model)
            for reply_model in (ReplyModel(), ReplyModel(Noise()), ReplyModel(Lies(0)))
        ]
        assert ends[0].shots == ends[1].shots == ends[2].shots


@pytest.mark.parametrize("noise", [Noise.parse("0.3", "0.3"), Lies(2)])
def test_a_game_with_false_replies(noise):
    """Every reply is as the ships and the numbers drawn say; the last shot ends it."""
    reply_model = ReplyModel(noise)
    for number, ships in enumerate(Drawn().boards(GAME, 10, 1)):
        masks = to_masks(ships)
        end = replay("greedy", GAME, number, reply_model=reply_model)
        assert end.is_over(masks)
        assert not NoisyPosition(GAME, end.noise, end.shots[:-1]).is_over(masks)
        for i, shot in enumerate(end.shots):
            before = NoisyPosition(GAME, end.noise, end.shots[:i])
            assert shot.cell in Posterior(before).greedy_shots()
        assert end.likelihood(masks)
    if noise == Lies(2):
        return
    shots = [
        {shot.cell: shot.reply for shot in replay(player, GAME, 3, reply_model=reply_model).shots}
        for player in ("greedy", "random")
    ]
    common = shots[0].keys() & shots[1].keys()
    assert common
    assert all(shots[0][cell] == shots[1][cell] for cell in common)


class RepeatedShot:
    """Shoots every cell twice, row by row."""

    def shot(self, position):
        return position.game.cell(len(position.shots) // 2)

    def salvo(self, position, number):
        return [position.game.cell(len(position.shots) + i) for i in range(number)]


class Same:
    def shot(self, position):
        return (0, 0)


def test_a_cell_may_be_shot_again():
    (outcome,) = simulate([RepeatedShot], GAME, games=5, reply_model=ReplyModel(SOME)).outcomes
    lasts = [
        max(max(bits(ship)) for ship in to_masks(ships)) for ships in Drawn().boards(GAME, 5, 1)
    ]
    assert outcome.shots.tolist() == [2 * last + 1 for last in lasts]
    with pytest.raises(StrategyError, match="made 1,601 shots"):
        simulate([Same], GAME, games=1, reply_model=ReplyModel(SOME))


# Salvos


def test_greedy_shoots_the_most_probable_cells_together():
    for number, ships in enumerate(Drawn().boards(GAME, 10, 1)):
        end = replay("greedy", GAME, number, reply_model=ReplyModel(salvo=3))
        assert not Position(GAME, end.shots).hits_left
        for start in range(0, len(end.shots), 3):
            counts = counts_of(Position(GAME, end.shots[:start])).cells
            fresh = [
                count if not Position(GAME, end.shots[:start]).closed >> cell & 1 else 0
                for cell, count in enumerate(counts)
            ]
            shot = [GAME.bit(one.cell).bit_length() - 1 for one in end.shots[start : start + 3]]
            best = sorted(fresh, reverse=True)[: len(shot)]
            assert [fresh[cell] for cell in shot] == best
        del ships


@pytest.mark.parametrize("name", ["greedy:endgame=0", "spread", "random", "density", "parity"])
def test_a_salvo_of_one_is_a_shot(name):
    position = Position.parse(Game.parse("5x5:3,2"), "B2=hit A1=miss")
    player = as_player(name)
    one, other = (player.begin(position.game, player_generator(1, 1)) for _ in range(2))
    assert one.salvo(position, 1) == [other.shot(position)]
    together = player.begin(position.game, player_generator(1, 1)).salvo(position, 4)
    assert len(set(together)) == 4
    assert not position.game.mask(together) & position.closed


def test_salvos_are_counted():
    """Players of one's own choose them too; a run goes on, and is not mixed with single shots."""
    (outcome,) = simulate([RepeatedShot], GAME, games=20, reply_model=ReplyModel(salvo=4)).outcomes
    assert outcome.salvos.tolist() == [-(-n // 4) for n in outcome.shots]
    rows = [
        play(lambda p: p.game.cell(len(p.shots)), to_masks(ships), Position(GAME)).shots
        for ships in Drawn().boards(GAME, 20, 1)
    ]
    assert outcome.shots.tolist() == list(map(len, rows))


@pytest.mark.parametrize(
    "text",
    ["4x4:3,2,announce=sunk", "4x4:3,2,1,contact=any,announce=name", "4x4:2,2,announce=place"],
)
def test_a_salvo_of_as_many_shots_as_ships_are_afloat(text, tmp_path):
    """Turn by turn from the ships themselves; what a checkpoint keeps are the same salvos."""
    game, reply_model = Game.parse(text), ReplyModel(salvo=AFLOAT)
    run_ = partial(simulate, ["greedy"], game, games=12, reply_model=reply_model)
    (outcome,) = run_().outcomes
    for number, ships in enumerate(Drawn().boards(game, 12, 1)):
        masks = to_masks(ships)
        shots = replay("greedy", game, number, reply_model=reply_model).shots
        turns, at = 0, 0
        while at < len(shots):
            known = Position(game, shots[:at])
            size = sum(bool(ship & ~known.hits) for ship in masks)
            assert known.ships_afloat == size
            counts = [(counts_of(known).cells[i], i) for i in range(game.cells)]
            fresh = [n for n, i in counts if not known.closed >> i & 1]
            chosen = [
                counts_of(known).cells[game.bit(shot.cell).bit_length() - 1]
                for shot in shots[at : at + size]
            ]
            assert chosen == sorted(fresh, reverse=True)[: len(chosen)]
            at += size
            turns += 1
        assert (outcome.shots[number], outcome.salvos[number]) == (len(shots), turns)
    run_(execution=Execution(checkpoint=tmp_path))
    again = run_(execution=Execution(checkpoint=tmp_path))
    assert again.resumed == 12
    assert again.outcomes[0].salvos.tolist() == outcome.salvos.tolist()


def test_another_manner_is_another_checkpoint(tmp_path):
    simulate(
        ["greedy"],
        GAME,
        games=3,
        reply_model=ReplyModel(salvo=2),
        execution=Execution(checkpoint=tmp_path),
    )
    again = simulate(
        ["greedy"],
        GAME,
        games=3,
        reply_model=ReplyModel(salvo=2),
        execution=Execution(checkpoint=tmp_path),
    )
    assert again.resumed == 3
    with pytest.raises(TableError):
        simulate(["greedy"], GAME, games=3, execution=Execution(checkpoint=tmp_path))


# What is refused


@pytest.mark.parametrize("name", ["spread", "nested", "thompson", "density", "row"])
def test_players_that_take_replies_for_true(name):
    game = Game.parse("3x4:3")
    with pytest.raises(StrategyError, match=r"takes every reply as true|information=exact draws"):
        simulate([name], game, games=1, reply_model=ReplyModel(SOME))


def test_what_takes_replies_for_true():
    position = NoisyPosition.parse(GAME, SOME, "B2=hit")
    with pytest.raises(NotSupported, match="posterior, sample, advise and simulate"):
        solve(position)
    with pytest.raises(NotSupported, match="are always true"):
        NoisyPosition(Game.parse("4x4:3,announce=ship"), SOME)
    for name in ("nested:", "heuristic:version=5"):
        with pytest.raises(StrategyError, match=f"^{name}.* chooses each cell after"):
            simulate([name.rstrip(":")], GAME, games=1, reply_model=ReplyModel(salvo=2))
    for lies in (-1, 5):
        with pytest.raises(PositionError, match="0 to 4 are accepted"):
            Lies(lies)
    for text in ("5", "-0.1", "a", "1/0", ".", "1e-3", "nan", "9" * 40):
        with pytest.raises(PositionError, match="are no probability"):
            Noise.parse(text, "0")


def test_contradictions_where_one_kind_is_true():
    """A hit that cannot be false beside what rules it out; false misses contradict nothing."""
    replies = Replies(NoisyPosition(GAME, Noise.parse("0", "0.1")))
    replies.add((0, 0), HIT)
    replies.add((0, 0), MISS)
    with pytest.raises(ReplyConflict, match="A1=hit"):
        replies.add((1, 1), HIT)
    assert str(replies.undo((0, 0))) == "A1=miss"


def test_contradictions_among_replies_of_which_one_may_be_false():
    """Hits at two corners say that one is false; a third one, with the first, is too much."""
    replies = Replies(NoisyPosition(Game.parse("4x4:3"), Lies(1)))
    replies.add((0, 0), HIT)
    replies.add((3, 3), HIT)
    with pytest.raises(ReplyConflict, match="A1=hit D4=hit, with at most 1 false reply"):
        replies.add((0, 3), HIT)
    replies.add((3, 3), MISS)
    assert Posterior(replies.position).configurations == 2


# The command


def run(*arguments, input=None):
    return CliRunner().invoke(app, list(arguments), input=input)


def test_the_commands():
    told = ("--shots", "B2=hit B2=miss", "--false-hits", "0.05", "--false-misses", "0.1")
    answer = json.loads(run("posterior", "4x4:3,2", *told, "--format", "json").stdout)
    expected = Posterior(NoisyPosition.parse(GAME, SOME, told[1]))
    assert answer["false_hits"] == 0.05
    np.testing.assert_allclose(answer["probability"], expected.probability, rtol=1e-12)
    assert "?" in run("posterior", "4x4:3,2", *told).stdout
    drawn = json.loads(
        run("sample", "4x4:3,2", *told, "-n", "3", "--seed", "1", "--format", "json").stdout
    )
    assert len(drawn["sample"]) == 3
    assert drawn["false_misses"] == 0.1
    played_ = run(
        *("simulate", "greedy", "4x4:3,2", "--games", "4", "--salvo", "3"),
        *("--format", "json", "--jobs", "1"),
    )
    assert json.loads(played_.stdout)["salvo"] == 3
    lying = run("posterior", "4x4:3,2", *told[:2], "--lies", "1", "--format", "json")
    assert json.loads(lying.stdout)["lies"] == 1
    both = run("posterior", "4x4:3,2", *told, "--lies", "1")
    assert "--lies 1 does not work with" in str(both.exception)
    afloat = ("--salvo", "afloat", "--format", "json")
    played_ = run("simulate", "spread", "boxed", "--games", "3", "--jobs", "1", *afloat)
    assert 10 < json.loads(played_.stdout)["players"][0]["salvos"] < 50
    advice = json.loads(run("advise", "boxed", "--shots", "A1=hit A2=sunk:2", *afloat).stdout)
    assert len(advice["salvo"]) == 4
    for salvo, reason in (("afloat", "do not tell how many ships"), ("x", "a salvo of 'x' shots")):
        refused = run("simulate", "greedy", "4x4:3,2", "--salvo", salvo)
        assert reason in str(refused.exception)
    lines = "B2 hit\nB2 miss\nundo B2\n"
    said = run("advise", "4x4:3,2", *told[2:], "--salvo", "2", "--by", "greedy", input=lines)
    assert said.exit_code == 0
    assert "B2=miss is taken back" in said.stdout
    assert "a salvo of the most probable:" in said.stdout


def test_kept_replies_are_known_by_how_often_they_are_false(tmp_path):
    kept = str(tmp_path / "kept.txt")
    first = run("advise", "4x4:3,2", "--false-hits", "0.1", "--resume", kept, input="A1 hit\n")
    assert first.exit_code == 0
    other = run("advise", "4x4:3,2", "--resume", kept, input="")
    assert other.exit_code
    assert "keeps no game of" in str(other.exception)
