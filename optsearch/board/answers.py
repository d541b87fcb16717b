"""The answers to the page: a position in, JSON out. Nothing is remembered between two answers.

Counts are texts, since JSON has no large integers.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from operator import and_
from textwrap import shorten
from time import monotonic
from typing import Any

from optsearch.counting.configurations import to_masks
from optsearch.counting.conflicts import find_conflict, position_of, possible_single_errors
from optsearch.counting.lattice import skyline_objection
from optsearch.counting.mixture import MixedPosterior, posterior_of
from optsearch.counting.posterior import Posterior, sunk_assignments
from optsearch.counting.prior import Prior, prior_of
from optsearch.evaluation.choosing import Chooser
from optsearch.game import IN_WORDS, MAX_CELLS, Cell, Game, bits, cell_name, parse_cell
from optsearch.game.fleets import MixedGame, any_game, lengths_of, letter_of, position_in
from optsearch.game.named_games import NAMED_GAMES, menu_games
from optsearch.game.position import (
    HIT,
    MISS,
    Position,
    Reply,
    Shot,
    known_replies,
    play,
    replies_at,
)
from optsearch.game.position import shots_of as parsed_shots
from optsearch.game.shapes import Placement
from optsearch.play.advice import ENDGAME, Advice, find_optimum
from optsearch.play.match import OPPONENTS, Match
from optsearch.play.replies import with_shown_ships
from optsearch.questions.questions import question_of_shot
from optsearch.search.solver import Solver
from optsearch.show import explorer
from optsearch.show.outlines import board_shape
from optsearch.strategies import added_players, player_classes
from optsearch.strategies.player import name_of
from optsearch.support.errors import OptsearchError, PositionError, TooLarge
from optsearch.support.progress import Limit, LimitReached
from optsearch.tree.solution import Solution

SECONDS = 8.0  # that a page to walk trees takes, and the value of one shot
SLICE = 0.2  # seconds after which a sample is sent
PATIENCE = 8.0  # seconds that its last game may take
MOST_GAMES = 100  # of a sample


@dataclass(frozen=True)
class Setting:
    """The settings of a board from the command line.

    prior -- as `prior_of` reads it. by -- strategies whose shot is shown beside the most probable
    cells. against -- further opponents.
    """

    game: Game
    prior: str | None = None
    by: tuple[str, ...] = ()
    against: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.game.require_named_rule("serve")

    @cached_property
    def players(self) -> list[str]:
        """The opponents in this game; the empty name is nobody."""
        kinds = map(name_of, player_classes())
        every = dict.fromkeys((*OPPONENTS, *self.against, *kinds, *added_players()))
        return [*every, ""]

    def position(self, shots: str) -> Position:
        """Return the position of some shots; PositionError for another text."""
        return position_in(self.game, shots)


@lru_cache(maxsize=64)
def setting_of(text: str, against: tuple[str, ...]) -> Setting:
    """Return the settings of a game that the page names; OptsearchError if it is not served."""
    if ".json" in text:
        raise OptsearchError(
            "a board of a file is named when the server is started: optsearch serve "
            f"{shorten(text, 80)!r}"
        )
    game = any_game(text, Game.read)
    require_room(game)
    return Setting(game, against=against)


def require_room(game: Game) -> None:
    """Raise TooLarge for a rectangle of straight ships that is too large to be counted.

    If the fleet is not known, all ships are taken to be as long as they can be.
    """
    if isinstance(game, MixedGame):
        game = game.game_of(lengths_of(kind)[-1] for kind in game.fleet)
    if game.is_rectangle and not game.has_shapes and (why := skyline_objection(game)):
        raise TooLarge(why)


@lru_cache(maxsize=4)
def _prior(setting: Setting) -> Prior | None:
    return prior_of(setting.prior, setting.game)


@lru_cache(maxsize=16)
def _chooser(name: str, game: Game) -> Chooser:
    return Chooser(name, game)


@lru_cache(maxsize=16)
def _require_some(position: Position) -> None:
    posterior_of(position).require_some()


# What does not change


def games(first: Setting | None) -> dict[str, Any]:
    """Return what a person can choose from: named games, the boxed one first, and rules.

    first -- the game that the server was started with; it is chosen without its text.
    """
    return {
        "named": [_card(game.name, Game.parse(game.name), game.players) for game in menu_games()],
        "first": first and _card("", first.game, "The game that this server was started with"),
        "contacts": IN_WORDS["contact"],
        "announcements": IN_WORDS["announce"],
        "boards": explorer.BOARDS,
    }


def _card(name: str, game: Game, players: str) -> dict[str, Any]:
    return {
        **{"name": name, "players": players, "title": title_of(game), "shape": board_shape(game)},
        **{"rules": explorer.rules_in_words(game), "ships": [str(kind) for kind in game.fleet]},
        **_parts_of(game),
    }


def _parts_of(game: Game) -> dict[str, Any]:
    """Return the fields of a game in the form; size is empty for a board of a file."""
    return {
        "text": game.title if game.board.digest else str(game),
        "size": "" if game.board.digest else f"{game.rows}x{game.columns}",
        "fleet": game.fleet_text,
        "contact": game.contact,
        "announce": game.announce,
        "holes": "" if game.board.digest else game.holes_text,
        "board": game.board.text,
    }


def about(setting: Setting) -> dict[str, Any]:
    """Return the data of a game for the page: its rules, board, fleet, replies and players."""
    game = setting.game
    prior = _prior(setting)
    is_known = not isinstance(game, MixedGame)
    kinds = sorted(set(game.fleet))
    return {
        **_parts_of(game),
        "title": title_of(game),
        "rules": explorer.rules_in_words(game),
        "prior": prior and prior.name,
        "shape": board_shape(game),
        "fleet": [str(kind) for kind in game.fleet],
        "lengths": None if is_known else {str(kind): [*lengths_of(kind)] for kind in kinds},
        "kinds": {letter_of(kind): str(kind) for kind in kinds if not is_known and game.names_hits},
        "places": {
            str(kind): [list(bits(ship)) for ship in game.placements(kind)]
            for kind in kinds
            if is_known
        },
        "near": [list(bits(game.halo(1 << cell))) for cell in range(game.cells)],
        "replies": [str(reply) for reply in known_replies(game)],
        "players": setting.players,
        "endgame": ENDGAME,
        "walk": explorer.MAX_CONFIGURATIONS if is_known else 0,
    }


def title_of(game: Game) -> str:
    """Return the title of a game that has a name, else the text of its board and fleet."""
    titles = (named.title for named in NAMED_GAMES.values() if Game.parse(named.name) == game)
    return next(titles, game.title)


def prepare(setting: Setting) -> None:
    """Load what all answers take: the counting table of the game, and the prior."""
    prior = _prior(setting)
    posterior = posterior_of(position_in(setting.game), prior)
    if isinstance(posterior, MixedPosterior):
        _ = posterior.configurations  # of each fleet, which all answers need


# Advice


def advice(setting: Setting, shots: str, cell: str = "") -> dict[str, Any]:
    """Return advice on the next shot or, if the replies contradict each other, which of them do.

    cell -- a cell whose replies are counted; the first of the most probable, if not given.
    In the answer, together is a smallest set of replies of which at least one is wrong, and alone
    are those of it that can be the only wrong one.
    """
    try:
        position = setting.position(shots)
        knowledge = _weighed(setting, position)
    except PositionError as error:
        parsed = _shots(setting.game, shots)
        together = find_conflict(setting.game, parsed)
        if not together:
            raise
        alone = possible_single_errors(setting.game, parsed, together)
        return {
            "impossible": str(error),
            "together": [str(shot) for shot in together],
            "alone": [str(shot) for shot in alone],
        }
    return {**_known(knowledge), **_choices(setting, knowledge, cell)}


@lru_cache(maxsize=4)
def _weighed(setting: Setting, position: Position) -> Advice:
    """Return the advice without the optimum, by one sweep instead of two.

    Recent answers are cached: a page asks for the replies of one cell after the other.
    """
    posterior = posterior_of(position, _prior(setting))
    _ = posterior.occurrence  # counts all
    posterior.require_some()
    return Advice(posterior, None)


def _shots(game: Game, shots: str) -> tuple[Shot, ...]:
    """Return the shots of a text, even if no position may have them; none for a text of no shots.

    If several hits show one ship, only the first is returned; the others follow from it.
    """
    try:
        parsed = parsed_shots(game, shots)
    except OptsearchError:
        return ()
    if len({shot.cell for shot in parsed}) < len(parsed):
        return ()
    for shot in parsed:
        if shot.cell not in game or shot.reply not in known_replies(game):
            return ()
    first = {shot.reply: shot for shot in reversed(parsed)}
    return tuple(
        shot
        for shot in parsed
        if shot is first[shot.reply] or not isinstance(shot.reply.label, Placement)
    )


def _known(knowledge: Advice) -> dict[str, Any]:
    """Return the fields of a position: counts or, if weighted, probabilities, and the fleet."""
    posterior = knowledge.posterior
    position, is_mixed = posterior.position, isinstance(posterior, MixedPosterior)
    is_counted = posterior.prior is None and not is_mixed
    return {
        "shots": str(position),
        "configurations": str(posterior.configurations),
        "bits": posterior.entropy,
        "counts": [str(n) for n in posterior.occurrence.ravel().tolist()] if is_counted else None,
        "chances": None if is_counted else posterior.probability.ravel().tolist(),
        **(_fleet_left(posterior) if isinstance(posterior, MixedPosterior) else _sunk(position)),
        "over": not position.hits_left or not posterior.greedy_shots(),
    }


def _fleet_left(posterior: MixedPosterior) -> dict[str, Any]:
    """Return what is known of a fleet whose lengths are not: ships certainly sunk, as `_sunk`.

    In the answer, lengths has the probability of each length of each kind, and all_sunk that of the
    end.
    """
    game, hits = posterior.position.game, posterior.position.hits
    wrecks = [
        ship
        for ship, number in sorted(posterior.placements.items())
        if number == posterior.configurations and not ship & ~hits
    ]

    def can_be(kind: int, ship: int) -> bool:
        if game.names_hits:
            return (kind, ship) in posterior.ship_weights
        return ship.bit_count() in lengths_of(kind)

    kinds = [{kind for kind in game.fleet if can_be(kind, ship)} for ship in wrecks]
    return {
        "sunk": [str(*possible) for possible in kinds if len(possible) == 1],
        "wrecks": _cells(wrecks),
        "lengths": {
            str(kind): {str(length): float(chance) for length, chance in by_length.items()}
            for kind, by_length in posterior.lengths.items()
        },
        "all_sunk": float(posterior.all_sunk),
    }


def _sunk(position: Position) -> dict[str, Any]:
    """Return the ships certainly sunk, and the cells of those whose placement is certain."""
    game = position.game
    kinds, wrecks = Counter[int](), set[int]()
    if game.names_hits or game.shows_ships:
        for label in {shot.reply.label for shot in position.shots if shot.reply.label}:
            hits = game.mask(shot.cell for shot in position.shots if shot.reply.label == label)
            if hits.bit_count() == game.most_replies(Reply(True, label=label)):
                kind = game.kind_of_label(label)
                assert kind is not None
                number = 1 if game.shows_ships else game.fleet.count(kind)
                kinds[kind] += number
                wrecks |= {hits} if number == 1 else set()
    elif game.tells_sinkings:
        ways = [case.sunk for case in sunk_assignments(position)]
        kinds = reduce(and_, (Counter(map(game.kind_of, way)) for way in ways))
        wrecks = reduce(and_, map(set, ways))
    is_sunk = not position.hits_left and not game.ends_at_hit
    sunk = game.fleet if is_sunk else kinds.elements()
    return {"sunk": list(map(str, sunk)), "wrecks": _cells(sorted(wrecks))}


def _choices(setting: Setting, knowledge: Advice, cell: str) -> dict[str, Any]:
    """Return the best cells by each strategy, and the replies that one cell may get."""
    position = knowledge.posterior.position
    likely = knowledge.posterior.greedy_shots()
    if not position.hits_left or not likely:
        return {"best": [], "cell": None, "replies": {}}
    best = [{"by": "most probable", "cells": [cell_name(shot) for shot in likely]}]
    for name in setting.by:  # strategies take configurations as equally likely, by a prior too
        best.append(
            {"by": name, "cells": [cell_name(_chooser(name, position.game).shot(position))]}
        )
    chosen = parse_cell(cell) if cell else likely[0]
    parts, total = _parts(knowledge.posterior, chosen), knowledge.posterior.configurations
    replies = {str(reply): str(n) for reply, n in parts.items()}
    if isinstance(knowledge.posterior, MixedPosterior):  # whose weights may be too large for floats
        weight, total = knowledge.posterior.weight, 1
        replies = {str(reply): f"{n / weight:.17g}" for reply, n in parts.items()}
    return {"best": best, "cell": cell_name(chosen), "replies": replies, "total": str(total)}


def _parts(posterior: Posterior, cell: Cell) -> dict[Reply, int]:
    """Count the configurations that each reply to a shot leaves.

    If the fleet is not known, their weights are added up.
    """
    position = posterior.position
    game, bit = position.game, position.game.bit(cell)
    if position.closed & bit:
        raise PositionError(f"{cell_name(cell)} was shot before")
    numbers = dict.fromkeys(replies_at(game, cell), 0)
    if isinstance(posterior, MixedPosterior):
        reply_of = {str(reply): reply for reply in numbers}
        for kind_and_ship, answer in (question_of_shot(position, cell).ship_answers or {}).items():
            numbers[reply_of[answer]] += posterior.ship_weights.get(kind_and_ship, 0)
        numbers[MISS] = posterior.weight - sum(numbers.values())
        return numbers
    for (kind, ship), n in posterior.by_kind.items():
        if ship & bit:
            numbers[game.hit_reply(kind, ship, bit.bit_length() - 1, is_sunk=False)] += n
    for sinking in (reply for reply in numbers if reply.sunk):
        with suppress(PositionError):  # such a ship is sunk already
            after = Posterior(position.after(cell, sinking), prior=posterior.prior)
            numbers[sinking] = after.configurations
            numbers[HIT] -= numbers[sinking]
    numbers[MISS] = posterior.configurations - int(posterior.occurrence[cell])
    return numbers


def endgame(setting: Setting, shots: str) -> dict[str, Any]:
    """Return the optimum of a position with few configurations, and of each first shot.

    These are pairs of bounds on the total of shots still to come, over all configurations; None if
    there are too many, or the effort is too great.
    """
    position, prior = setting.position(shots), _prior(setting)
    is_small = _weighed(setting, position).posterior.configurations <= ENDGAME
    solution = find_optimum(position, prior=prior) if is_small else None
    if solution is None:
        return {"optimum": None}
    valued = find_optimum(position, prior=prior, all_shots=True, seconds=SECONDS / 2) or solution
    values = {cell_name(v.cell): [str(v.lower), str(v.upper)] for v in valued.shot_values}
    return {"optimum": _optimum(solution), "values": values}


def _optimum(solution: Solution) -> dict[str, Any]:
    return {
        "cells": [cell_name(cell) for cell in solution.best_shots],
        "total": str(solution.total_height),
        "weight": str(solution.configurations),
    }


def sample(setting: Setting, shots: str, number: int) -> dict[str, Any]:
    """Sample the shots still to go of greedy, in as many games as a short time allows.

    number -- of the games sampled before, so that others follow. In the answer, games is the number
    of games, total and squares are the sums of their shots and of the squares.
    """
    position, prior = setting.position(shots), _prior(setting)
    if position.game.cells > MAX_CELLS:
        raise TooLarge(f"at most {MAX_CELLS} cells are sampled")
    posterior = posterior_of(position, prior)
    began, lengths = monotonic(), list[int]()

    def is_over() -> bool:
        return monotonic() > began + PATIENCE

    def shot(at: Position) -> Cell | None:
        return None if is_over() else posterior_of(at, prior).greedy_shots()[0]

    for ships in map(to_masks, posterior.sample(MOST_GAMES, number, masks=True)):
        if prior is None:
            left = _chooser("greedy", setting.game).shots_left(ships, position, is_over)
        else:
            end = play(shot, ships, position)
            left = None if end.hits_left else len(end.shots) - len(position.shots)
        if left is not None:
            lengths.append(left)
        if monotonic() > began + SLICE:
            break
    return {"games": len(lengths), "total": sum(lengths), "squares": sum(n * n for n in lengths)}


# Review


def shots_of(setting: Setting, text: str) -> dict[str, Any]:
    """Read the shots of a game as a person has written it down."""
    return {"shots": str(with_shown_ships(position_of(setting.game, text)))}


def review(setting: Setting, shots: str, number: int) -> dict[str, Any]:
    """Return the knowledge before shot `number` (from 1), and what that shot gave away.

    In the answer, chance and most are the probability of a ship on the cell shot, and the greatest
    one. In endgames cost and optimum are the least totals of shots to come, after that shot and of
    all shots, over configurations of total weight `weight`.
    Raises ImpossiblePosition for shots that contradict each other.
    """
    game = setting.position(shots)
    _require_some(game)
    if not 1 <= number <= len(game.shots):
        raise PositionError(f"shot number {number} of {len(game.shots)} cannot be reviewed")
    shot = game.shots[number - 1]
    position = replace(game, shots=game.shots[: number - 1])
    knowledge = _weighed(setting, position)
    likely = knowledge.posterior.greedy_shots()
    row, column = shot.cell
    chances = knowledge.posterior.probability
    return {
        **_known(knowledge),
        "shot": str(shot),
        "chance": float(chances[row, column]),
        "most": float(chances[likely[0]]) if likely else 0.0,  # there, every ship is sunk
        "best": [{"by": "most probable", "cells": [cell_name(cell) for cell in likely]}],
        **_given_away(setting, position, shot.cell),
    }


def _given_away(setting: Setting, position: Position, cell: Cell) -> dict[str, Any]:
    result = endgame(setting, str(position))
    if result["optimum"] is None or cell_name(cell) not in result["values"]:
        return {"optimum": None}
    lower, upper = map(int, result["values"][cell_name(cell)])
    best = int(result["optimum"]["total"])
    weight = int(result["optimum"]["weight"])
    loss = [float(Fraction(bound - best, weight)) for bound in (lower, upper)]
    return {**result, "loss": loss}


# Play


def begin(setting: Setting, against: str, ships: str, seed: int) -> tuple[bytes, dict[str, Any]]:
    """Return a new match, pickled for the server alone, and the page's view of it."""
    if isinstance(setting.game, MixedGame):
        raise OptsearchError(
            f"the lengths of the ships {setting.game.fleet_text} are not known, and the board does "
            f"not play that; optsearch play {setting.game} does"
        )
    if against not in setting.players:
        raise OptsearchError(f"nobody here plays as {against!r}; choose one of the list")
    pickled = pickle.dumps(Match(setting.game, seed, against, ships))
    return pickled, view(pickled)


def shoot(pickled: bytes, cell: str) -> tuple[bytes, dict[str, Any]]:
    """Return a match after a shot and the opponent's answer, as `begin`."""
    match: Match = pickle.loads(pickled)
    if match.is_over:
        raise PositionError("this game is over; begin another")
    match.shoot(parse_cell(cell))
    if match.against and not match.is_won:
        match.answer()
    pickled = pickle.dumps(match)
    return pickled, view(pickled)


def view(pickled: bytes) -> dict[str, Any]:
    """Return the view of a match: the opponent's ships are left out until it is over."""
    match: Match = pickle.loads(pickled)
    return {
        "against": match.against,
        "shots": str(match.position),
        "answers": str(match.answers),
        "own": _cells(match.own_ships),
        "over": match.is_over,
        "won": match.is_won,
        "hidden": _cells(match.hidden) if match.is_over else None,
        **_sunk(match.position),
    }


def greedy_shots(pickled: bytes) -> dict[str, int]:
    """Return the number of shots that greedy takes at the hidden ships of a match that is over."""
    match: Match = pickle.loads(pickled)
    if not match.is_over:
        raise PositionError("this game is not over")
    end = play(_chooser("greedy", match.game).shot, match.hidden, Position(match.game))
    return {"greedy": len(end.shots)}


def _cells(ships: Sequence[int]) -> list[list[int]]:
    return [list(bits(ship)) for ship in ships]


# Walks


def walk(setting: Setting, shots: str) -> dict[str, Any]:
    """Return the data of a page that walks trees (`explorer.page_data`), as far as time allows."""
    position, prior = setting.position(shots), _prior(setting)
    explorer.require_small(position, prior)
    exact = Solver(position, all_shots=True, prior=prior)
    solution = exact.search(SECONDS / 2)
    trees = [("optimal" if solution.is_exact else "best found", exact.tree())]
    trees.append(explorer.greedy_tree(position, prior, SECONDS))
    return explorer.page_data(exact, trees, Limit(SECONDS / 4))


def value(setting: Setting, shots: str, cell: str = "") -> dict[str, Any]:
    """Bound the least total from a position on, or after a first shot at a cell.

    The value is None if that takes too long, or has too many configurations.
    """
    position, prior = setting.position(shots), _prior(setting)
    explorer.require_small(position, prior)
    limit = Limit(SECONDS)
    parts = [position]
    extra = 0
    if cell:
        at = parse_cell(cell)
        posterior = Posterior(position, prior=prior)
        extra = posterior.weight
        parts = [position.after(at, reply) for reply, n in _parts(posterior, at).items() if n]
    lower = upper = extra
    try:
        for part in parts:
            if part.hits_left:
                limit.check()
                solver = Solver(part, prior=prior)
                solution = solver.search(SECONDS / (2 * len(parts)))
                lower += solution.lower or 0
                upper += solver.tree().total_height
    except (LimitReached, TooLarge):
        return {"value": None}
    return {"value": [str(lower), str(upper)]}
