"""Games whose fleet is not known: every answer beside all configurations of all fleets."""

import json
import pickle
import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import isclose, log2

import definition
import pytest

from optsearch.counting import mixture
from optsearch.counting.configurations import to_masks
from optsearch.counting.mixture import MixedPosterior, posterior_of
from optsearch.counting.prior import FleetPrior, prior_of
from optsearch.evaluation import evaluate
from optsearch.game import ANNOUNCEMENTS, CONTACTS, bits
from optsearch.game.fleets import MixedGame, MixedPosition, lengths_of, letter_of
from optsearch.game.position import reply
from optsearch.play.hiding import hider
from optsearch.play.match import Match
from optsearch.play.replies import Replies
from optsearch.play.simulate import simulate
from optsearch.questions import ask, known
from optsearch.search.solver import solve
from optsearch.support.errors import (
    GameError,
    ImpossiblePosition,
    NotSupported,
    PositionError,
    StrategyError,
)
from optsearch.support.workers import Execution

PUBLISHED = "8x8:2-5r,2-5g,2-5p,2-5o,contact=any,announce=name"


class Fleets:
    """All configurations of a game by the definition, a vector of lengths after the other."""

    def __init__(self, game, are_vectors_equal=True):
        self.game, ships = game, [(lengths_of(kind), letter_of(kind)) for kind in game.fleet]
        self.weights, self.rules = Counter(), {}
        self.lengths = {}  # of each configuration: its vectors, each as often as it has it
        for vector in product(*(lengths for lengths, _ in ships)):
            fleet = tuple(f"{n}{a}" if a else n for n, (_, a) in zip(vector, ships, strict=True))
            rules = definition.Rules(game.rows, game.columns, fleet, game.contact, game.announce)
            every = rules.configurations
            for placed in every:
                self.rules[placed] = rules
                self.lengths.setdefault(placed, []).append(vector)
                self.weights[placed] += Fraction(1, len(every))
        if not are_vectors_equal:
            self.weights = dict.fromkeys(self.weights, Fraction(1))

    def reply(self, ships, hits, cell):
        """The reply to a shot; of the name of a ship only its letter."""
        answer = self.rules[ships].reply(ships, hits, cell)
        is_named = self.game.announce == "name" and answer != "miss"
        return f"hit:{answer[-1]}" if is_named else answer

    def left(self, position):
        """The configurations that give these replies, with their weights."""
        left = {}
        for ships, weight in self.weights.items():
            hits = 0
            for shot in position.shots:
                cell = shot.cell[0] * self.game.columns + shot.cell[1]
                answer = self.reply(ships, hits, cell)
                if answer != str(shot.reply):
                    break
                hits |= (answer != "miss") << cell
            else:
                left[ships] = weight
        return left

    def shots(self, rng, number):
        """The text of some random shots at a random configuration."""
        ships, hits, shots = rng.choice(sorted(self.weights)), 0, []
        for cell in rng.sample(range(self.game.cells), number):
            answer = self.reply(ships, hits, cell)
            hits |= (answer != "miss") << cell
            shots.append(f"{next(iter(self.rules.values())).name(cell)}={answer}")
        return " ".join(shots)


def ships_of(row):
    """The ships of a listed configuration, as the definition orders them."""
    return tuple(to_masks(row))


def check(fleets, position, prior=None):
    """Compare a posterior with the configurations of the definition."""
    left, posterior = fleets.left(position), MixedPosterior(position, prior)
    total, game = sum(left.values()), fleets.game
    assert posterior.configurations == len(left)
    for cell, found in enumerate(p for row in posterior.frequency for p in row):
        assert found == sum(w for s, w in left.items() if sum(s) >> cell & 1) / total, cell
    occurrence = Counter(cell for ships in left for cell in bits(sum(ships)))
    assert posterior.occurrence.ravel().tolist() == [occurrence[i] for i in range(game.cells)]
    bits_left = sum(float(w / total) * (log2(total) - log2(w)) for w in left.values())
    assert isclose(posterior.entropy, bits_left, abs_tol=1e-9)
    listed, weights = posterior.list_weighted()
    rows = {
        row if game.names_hits else tuple(sorted(row)): Fraction(weight, sum(weights))
        for row, weight in zip(map(ships_of, listed), weights, strict=True)
    }
    assert len(rows) == len(listed)
    assert rows == {ships: weight / total for ships, weight in left.items()}
    sunk = sum(w for ships, w in left.items() if sum(ships) == position.hits)
    assert posterior.all_sunk == sunk / total
    for kind, by_length in posterior.lengths.items():
        places = [i for i, other in enumerate(game.fleet) if other == kind]
        for length, found in by_length.items():
            share = Fraction(0)
            for ships, weight in left.items():
                vectors = fleets.lengths[ships]
                having = sum(vector[i] == length for vector in vectors for i in places)
                share += weight * Fraction(having, len(vectors) * len(places))
            assert found == share / total, (kind, length)
    by_fleet = Counter()
    for ships, weight in left.items():
        by_fleet[tuple(sorted(fleets.lengths[ships][0], reverse=True))] += weight / total
    assert posterior.fleets == by_fleet


SMALL = [
    *("3x4:1-3,2", "4x4:1-2,2-3,contact=any", "3x5:1-2,1-3,contact=corner,announce=sunk"),
    *("4x4:2-3,2-3,contact=any,announce=ship", "3x4:1-3,1-2,contact=any,announce=place"),
    *("3x3:1-3a,2b,1-2c,contact=any,announce=name", "3x4:1-3a,1-3b,announce=name"),
]


@pytest.mark.parametrize("text", SMALL)
def test_posteriors(text):
    """Random positions of small games, by both priors, beside all configurations."""
    rng, game = random.Random(text), MixedGame(text)
    for are_vectors_equal in (True, False):
        fleets = Fleets(game, are_vectors_equal)
        prior = None if are_vectors_equal else FleetPrior(game)
        for number in (0, 1, 2, 4, 6):
            check(fleets, MixedPosition(game, fleets.shots(rng, number)), prior)


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(n, marks=pytest.mark.long(2)) for n in range(4, 40))]
)
def test_random_games(seed):
    """Random small games, by a random prior, beside all configurations."""
    rng = random.Random(seed)
    rows, columns = rng.choice([(2, 3), (2, 4), (3, 3), (3, 4)])
    announce, contact = rng.choice([*ANNOUNCEMENTS]), rng.choice(CONTACTS)
    fleet = [rng.choice(("1-2", "1-3", "2-3", "1", "2")) for _ in range(rng.choice((1, 2, 2)))]
    fleet[0] = rng.choice(("1-2", "1-3", "2-3"))
    if announce == "name":
        fleet = [f"{ship}{letter}" for ship, letter in zip(fleet, "abc", strict=False)]
    text = f"{rows}x{columns}:{','.join(fleet)},contact={contact},announce={announce}"
    game, are_vectors_equal = MixedGame(text), rng.random() < 0.7
    fleets = Fleets(game, are_vectors_equal)
    prior = None if are_vectors_equal else FleetPrior(game)
    for number in (0, 1, 3, 5):
        check(fleets, MixedPosition(game, fleets.shots(rng, number)), prior)


def test_lengths_that_are_known():
    """By the prior of a fleet only its configurations are left, all equally likely."""
    game = MixedGame("3x3:1-3a,2b,1-2c,contact=any,announce=name")
    fleets, prior = Fleets(game), prior_of("fleet=2,2,1", game)
    fleets.weights = {
        ships: Fraction(1)
        for ships in fleets.weights
        if sorted(map(int.bit_count, ships)) == [1, 2, 2]
    }
    for number in (0, 2):
        check(fleets, MixedPosition(game, fleets.shots(random.Random(3), number)), prior)
    assert prior == FleetPrior(game, (2, 2, 1)) != FleetPrior(game)


@cache
def three_ships():
    """Each way to lay three ships of 2 to 4 cells on 6x6 that do not touch: their sets of cells."""
    lines = [(1, 0), (0, 1)]
    placed = [
        frozenset((row + i * down, column + i * right) for i in range(length))
        for length in (2, 3, 4)
        for down, right in lines
        for row in range(6 - (length - 1) * down)
        for column in range(6 - (length - 1) * right)
    ]
    near = [
        {(row + i, column + j) for row, column in ship for i in (-1, 0, 1) for j in (-1, 0, 1)}
        for ship in placed
    ]
    apart = [
        {j for j in range(i + 1, len(placed)) if not near[i] & placed[j]}
        for i in range(len(placed))
    ]
    return [
        (placed[i], placed[j], placed[k])
        for i in range(len(placed))
        for j in apart[i]
        for k in apart[i] & apart[j]
    ]


def weighed_ships():
    """Yield the cells of each way and its lengths, ascending, with a weight by its vectors."""
    number = Counter(tuple(sorted(map(len, ships))) for ships in three_ships())
    vectors = Counter(tuple(sorted(vector)) for vector in product((2, 3, 4), repeat=3))
    for ships in three_ships():
        fleet = tuple(sorted(map(len, ships)))
        yield frozenset().union(*ships), fleet, Fraction(vectors[fleet], number[fleet])


def test_three_ships_on_6x6():
    """The smaller of the published games: every posterior to the last digit."""
    ways = list(weighed_ships())
    for shots in ("", "B2=hit C3=miss", "A1=miss D4=hit D5=hit F6=miss C1=miss"):
        position = MixedPosition("6x6:2-4,2-4,2-4", shots)
        hits, misses = map(set, map(position.game.cells_of, (position.hits, position.misses)))
        left = [way for way in ways if hits <= way[0] and not misses & way[0]]
        posterior, total = MixedPosterior(position), sum(weight for *_, weight in left)
        assert posterior.configurations == len(left)
        by_cell, by_fleet = Counter(), Counter()
        for cells, fleet, weight in left:
            by_fleet[fleet[::-1]] += weight / total
            for cell in cells:
                by_cell[cell] += weight
        for row, column in product(range(6), range(6)):
            assert posterior.frequency[row][column] == by_cell[row, column] / total
        assert posterior.fleets == by_fleet


def in_row(ships, row):
    """How many cells of ships are in a row, from 1."""
    return sum(cell[0] == row - 1 for ship in ships for cell in ship)


# Shots, answers that are known, and whether the ships a, b and c give them.
SILENT, NAMED = "6x6:2-4,2-4,2-4", "6x6:2-4a,2-4b,2-4c,announce=name"
KNOWN = [
    (SILENT, "", ["row 2: 5"], lambda *ships: in_row(ships, 2) == 5),
    (SILENT, "B2=hit C3=miss", ["row 2: 3"], lambda *ships: in_row(ships, 2) == 3),
    (
        *(SILENT, "D4=hit", ["any in column A: no", "row 4: 2"]),
        lambda *ships: not any(x == 0 for ship in ships for _, x in ship) and in_row(ships, 4) == 2,
    ),
    (NAMED, "C3=miss E4=hit:a", ["length of ship b: 3"], lambda a, b, c: len(b) == 3),
    (
        *(NAMED, "B2=hit:a D4=hit:c F1=miss", ["length of ship c: 4", "ship a horizontal: yes"]),
        lambda a, b, c: len(c) == 4 and len({row for row, _ in a}) == 1,
    ),
    (
        *(NAMED, "B2=hit:b", ["ship a on E5: no", "row 5: 3"]),
        lambda a, b, c: (4, 4) not in a and in_row((a, b, c), 5) == 3,
    ),
]


@pytest.mark.parametrize("are_vectors_equal", [True, False])
@pytest.mark.parametrize(("text", "shots", "answers", "gives"), KNOWN)
def test_known_answers(text, shots, answers, gives, are_vectors_equal):
    """A posterior given answers, to the last digit, beside the ways to lay three ships by name."""
    position = MixedPosition(text, shots)
    named = [("abc".find(str(shot.reply.label)), shot) for shot in position.shots]

    def fits(ships):
        return gives(*ships) and all(
            (shot.cell in (ships[i] if i >= 0 else frozenset().union(*ships))) == shot.reply.hit
            for i, shot in named
        )

    number = Counter(tuple(map(len, ships)) for way in three_ships() for ships in permutations(way))
    left = {
        ships: Fraction(1, number[tuple(map(len, ships))]) if are_vectors_equal else Fraction(1)
        for way in three_ships()
        for ships in permutations(way)
        if fits(ships)
    }
    total, by_cell, by_fleet, by_length = sum(left.values()), Counter(), Counter(), Counter()
    for ships, weight in left.items():
        by_cell.update(dict.fromkeys(frozenset().union(*ships), weight))
        by_fleet[tuple(sorted(map(len, ships), reverse=True))] += weight / total
        for letter, ship in zip("abc", ships, strict=True):
            by_length[letter, len(ship)] += weight / total
    prior = None if are_vectors_equal else FleetPrior(position.game)
    prior = known(position.game, *answers, prior=prior)
    posterior, names = posterior_of(position, prior), 1 if text == NAMED else 6
    assert posterior.configurations == len(left) / names > 0
    for row, column in product(range(6), range(6)):
        assert posterior.frequency[row][column] == by_cell[row, column] / total
    assert posterior.fleets == by_fleet
    for kind, by_number in posterior.lengths.items():
        for length, chance in by_number.items():
            assert chance == by_length[letter_of(kind) or "a", length]
    assert posterior.entropy == pytest.approx(
        sum(float(w / total) * log2(total / w / names) for w in left.values())
    )
    for drawn in posterior.sample(20, seed=1, masks=True):
        assert tuple(frozenset(position.game.cells_of(ship)) for ship in to_masks(drawn)) in left
    row_1 = Counter()
    for ships, weight in left.items():
        row_1[str(in_row(ships, 1))] += weight / total
    (worth,) = ask(position, ["row 1"], prior=prior)
    assert worth.answers == row_1
    assert pickle.loads(pickle.dumps(posterior)).lengths == posterior.lengths


def test_known_answers_that_are_refused(call_command, monkeypatch):
    """An answer that no board gives, more boards than are listed, and another prior."""
    game = MixedGame("4x4:2-3a,2-3b,announce=name")
    arguments = ("posterior", str(game), "--shots", "B2=hit:a C4=hit:b", "--know", "row 2: 0")
    status, _, err = call_command(*arguments)
    blame = "; shot number 1, B2=hit:a, is the first after which none has one"
    assert (status, err.count("\n"), err.endswith(f"(row 2: 0){blame}\n")) == (2, 1, True)
    left = MixedPosterior(MixedPosition(game, "B2=hit:a C4=hit:b")).configurations
    with monkeypatch.context() as patch:
        patch.setattr(mixture, "MOST_LISTED", left)  # more are left by fewer shots
        status, _, err = call_command(*arguments)
    assert (status, err.count("\n")) == (2, 1)
    assert err.endswith("'B2=hit:a C4=hit:b' has weight 0 by what is known (row 2: 0)\n")
    status, _, err = call_command("advise", PUBLISHED, "--know", "length of ship r: 3")
    assert (status, err.count("\n")) == (2, 1)
    assert "of 8x8:" in err
    assert "too many to list; at most 2,000,000" in err
    with pytest.raises(PositionError, match=r"row 1: 0\) is for 4x4:2-3, not for 4x4:2-4"):
        MixedPosterior(MixedPosition("4x4:2-4"), known("4x4:2-3", "row 1: 0"))
    status, out, _ = call_command("advise", str(game), "--know", "length of ship a: 3", "--json")
    assert status == 0
    assert json.loads(out)["known"] == ["length of ship a: 3"]
    chances = MixedPosterior(MixedPosition(game), known(game, "length of ship a: 3")).probability
    assert json.loads(out)["likely"][0]["probability"] == chances.max()


def test_samples():
    """Samples are configurations of the position, about as often as they should be."""
    game = MixedGame("3x3:1-3a,2b,1-2c,contact=any,announce=name")
    position = MixedPosition(game, "A1=hit:b C2=miss")
    left, n = Fleets(game).left(position), 20_000
    found = Counter(map(ships_of, MixedPosterior(position).sample(n, seed=1, masks=True)))
    assert {*found} <= {*left}
    total = sum(left.values())
    square = sum((found[s] - n * w / total) ** 2 / (n * w / total) for s, w in left.items())
    assert square < len(left) + 5 * (2 * len(left)) ** 0.5


def test_advice(call_command):
    """Replies are taken and refused, and cells proposed as the posterior has them."""
    shots = "C4=hit:r C5=hit:r E5=miss"
    status, out, err = call_command("advise", PUBLISHED, "--shots", shots, "--json")
    assert (status, err) == (0, "")
    posterior = MixedPosterior(MixedPosition(PUBLISHED, shots))
    assert f'"configurations": {posterior.configurations}' in out
    assert posterior.greedy_shots() == [(2, 2)]
    with pytest.raises(PositionError, match="F1=hit:r cannot be together with C5=hit:r"):
        Replies(posterior.position).add((0, 5), posterior.position.game.reply("hit:r"))


def test_a_sinking_of_a_length_that_no_ship_can_have(call_command):
    """No game with one ship of the range gives that reply."""
    status, out, err = call_command("count", "6x6:2-4,2-4,announce=ship", "--shots", "A1=sunk:9")
    assert (status, out) == (2, "")
    assert err.endswith("A1=sunk:9 names a ship of length 9; the fleet 2-4,2-4 has none\n")


def totals(fleets, left):
    """The least total of shots, and that of greedy, by trying all; the end of a game is told."""
    cells = range(fleets.game.cells)

    def parts(family, hits, cell):
        """Those of each reply that go on, and the cells hit."""
        found = {}
        for ships in family:
            told = fleets.reply(ships, hits, cell)
            after = hits | (told != "miss") << cell
            if sum(ships) & ~after:
                found.setdefault((told, after), set()).add(ships)
        return [(frozenset(some), after) for (_, after), some in found.items()]

    def weight(family):
        return sum(left[ships] for ships in family)

    def counts(family, hits):
        return {c: weight(s for s in family if (sum(s) & ~hits) >> c & 1) for c in cells}

    @cache
    def least(family, hits):
        useful = [cell for cell, n in counts(family, hits).items() if n]
        return weight(family) + min(
            sum(least(*part) for part in parts(family, hits, cell)) for cell in useful
        )

    def greedy(family, hits):
        n = counts(family, hits)
        cell = max(cells, key=n.__getitem__)
        return weight(family) + sum(greedy(*p) for p in parts(family, hits, cell))

    return least, greedy


@pytest.mark.parametrize(
    "text",
    [
        *("3x3:1-3", "3x3:1-2,1,contact=corner", "2x4:1-2,1-2,contact=any"),
        *("3x3:2-3,1,contact=any", "3x3:1-2,1,announce=sunk"),
        *("2x4:1-2,1-2,contact=any,announce=sunk", "3x3:2-3,1-2,contact=any,announce=sunk"),
    ],
)
def test_the_optimum_and_greedy(text, call_command):
    """Both by the search, where a ship more or less may be left, beside all ways to shoot."""
    game = MixedGame(text)
    fleets = Fleets(game)
    told = "A1=hit A2=sunk B1=miss" if game.tells_sinkings else "A1=miss B2=hit"
    for shots in ("", told):
        position = MixedPosition(game, shots)
        left = fleets.left(position)
        family = frozenset(ships for ships in left if sum(ships) != position.hits)
        total, (least, greedy) = sum(left[s] for s in family), totals(fleets, left)
        assert solve(text, shots=shots).mean == least(family, position.hits) / total
        assert evaluate("greedy", position).mean == greedy(family, position.hits) / total
    solution = solve(game)
    status, out, err = call_command("solve", text)
    assert (status, err) == (0, "")
    assert f"mean shots  {solution.mean_text} = " in out
    status, out, err = call_command("evaluate", "greedy", text, "--json")
    assert (status, err) == (0, "")
    assert json.loads(out)["worst"] >= game.least_cells


@pytest.mark.parametrize(
    ("option", "value"),
    [("objective", "worst"), ("time_limit", 0), ("all_shots", True), ("table", "folder")],
)
def test_options_of_known_fleets(option, value):
    with pytest.raises(NotSupported, match=f"{option} is for known fleets, and that of 3x3:1-2"):
        solve("3x3:1-2", **{option: value})


def test_an_optimum_without_a_tree():
    with pytest.raises(GameError, match="the lengths of the ships 1-2 are not known"):
        solve("3x3:1-2").tree()
    with pytest.raises(NotSupported, match="execution is for known fleets"):
        evaluate("greedy", "3x3:1-2", execution=Execution(jobs=2))
    with pytest.raises(StrategyError, match="random is not evaluated if the fleet is not known"):
        evaluate("random", "3x3:1-2")
    once_shot = evaluate("greedy", MixedPosition("3x3:1-2", "A1=miss"), shots="B1=miss")
    assert once_shot.mean == evaluate("greedy", "3x3:1-2", shots="A1=miss B1=miss").mean


@pytest.mark.parametrize("text", ["4x4:2-3,1-2", "4x4:2-3a,1-2b,announce=name"])
def test_simulated_games_end_with_the_last_ship(text):
    """Greedy shoots at a most probable cell until all hidden ships are sunk."""
    game = MixedGame(text)
    boards = hider("uniform").boards(game, 20, 3)
    simulation = simulate(["greedy", "random"], game, games=20, seed=3)
    for number, ships in enumerate(map(to_masks, boards)):
        position = MixedPosition(game)
        while any(ship & ~position.hits for ship in ships):
            cell = MixedPosterior(position).greedy_shots()[0]
            position = position.after(cell, reply(game, ships, position.hits, game.bit(cell)))
        assert simulation.outcomes[0].shots[number] == len(position.shots)
        assert position.is_compatible(ships)
    assert simulation.outcomes[1].mean > simulation.outcomes[0].mean


def test_a_match():
    """A match is played, taken back, kept and played again."""
    match = Match(MixedGame("4x4:2-3a,1-2b,announce=name"), 3, "exact")
    while not match.is_over:
        cell = posterior_of(match.position).greedy_shots()[0]
        match.shoot(cell)
        if not match.is_won:
            match.shoot_back()
    before = match.without_last_turn()
    assert not before.is_over
    assert before.position.shots == match.position.shots[:-1]
    assert Match.from_json(match.to_json()).to_json() == match.to_json()


@pytest.mark.parametrize(
    "answer", ["all_sunk", "entropy", "fleets", "lengths", "probability", "ship_weights"]
)
def test_an_impossible_position(answer):
    """An answer names the shot that made the position impossible."""
    posterior = MixedPosterior(
        MixedPosition.parse(MixedGame.parse("4x4:2-3"), "A1=hit B1=hit A2=hit")
    )
    with pytest.raises(ImpossiblePosition, match="shot number 3, A2=hit, is the first"):
        getattr(posterior, answer)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("solve", "4x4:2-3", "--tree", "tree.json"), "--tree is for known fleets, and that of"),
        (
            ("solve", "4x4:2-3,2,announce=ship"),
            "whose fleet is not known is for announce=nothing or",
        ),
        (("evaluate", "greedy", "6x6:2-4,2-4,2-4"), "by --prior fleet=configurations each"),
        (("simulate", "parity", "4x4:2-3"), "the lengths of the ships 2-3 are not known"),
        (("simulate", "greedy", "4x4:2-3", "--boards", "corner"), "the lengths of the ships 2-3"),
        (("evaluate", "levels", "4x4:2-3"), "the lengths of the ships 2-3 are not known"),
        (("bounds", "4x4:2-3"), "the lengths of the ships 2-3 are not known"),
        (("count", "4x4:3-2"), "in '4x4:3-2': '3-2' is no range of lengths"),
        (("count", "4x4:2-5"), "a ship of length 5 is longer than the board 4x4"),
        (("count", "4x4:2-3a"), "the ships 2-3a have letters, which are heard"),
        (("count", "4x4:2-3a,2,announce=name"), "give each ship of 2-3a,2 a letter of its own"),
        (("count", "4x4:2-3,T4"), "the fleet 2-3,T4 has a shape beside ranges"),
        (
            ("posterior", "4x4:2-3", "--prior", "one-by-one"),
            "'one-by-one' is not a prior of 4x4:2-3",
        ),
        (("posterior", "4x4:2-3", "--prior", "fleet=4"), "'fleet=4' is not a prior of 4x4:2-3;"),
        (("count", "4x4:2-3", "--shots", "A1=hit B1=hit C1=hit D1=hit"), "4 hits in"),
    ],
)
def test_errors(call_command, arguments, error):
    """One line that quotes what was given."""
    status, out, err = call_command(*arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert error in err
