"""The answers to the page: the shots so far come in, a JSON object goes out.

The answers depend on nothing that was asked before. Counts are texts, since JavaScript rounds large
integers.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Sequence
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
from optsearch.play.advice import ENDGAME, find_optimum
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

SECONDS = 8.0  # that the page that walks trees may take, and the value of one shot
SAMPLE_SECONDS = 0.2  # after which a sample begins no other game
GAME_SECONDS = 8.0  # after which the last game of a sample is given up
MOST_GAMES = 100  # of a sample


@dataclass(frozen=True)
class Setting:
    """A game that is served, with the options of the command line.

    prior -- the name of the prior, as `prior_of` reads it; None if configurations are equally
        likely.
    by -- the names of strategies whose shots are shown beside the most probable cells.
    against -- the names of opponents beside those that everybody has.
    """

    game: Game
    prior: str | None = None
    by: tuple[str, ...] = ()
    against: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.game.require_named_rule("serve")

    @cached_property
    def players(self) -> list[str]:
        """The names of the opponents; the last one is empty and stands for nobody."""
        classes = map(name_of, player_classes())
        names = dict.fromkeys((*OPPONENTS, *self.against, *classes, *added_players()))
        return [*names, ""]

    def position(self, shots: str) -> Position:
        """Return the position after shots given as text; PositionError for another text."""
        return position_in(self.game, shots)


@lru_cache(maxsize=64)
def setting_of(text: str, against: tuple[str, ...]) -> Setting:
    """Return the setting of a game that the page names, without a prior and strategies.

    Raises OptsearchError for a board of a file, which a page cannot name, and for what is no game
    or is too large.
    """
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
    if not game.is_rectangle or game.has_shapes:
        return
    objection = skyline_objection(game)
    if objection:
        raise TooLarge(objection)


@lru_cache(maxsize=4)
def _prior_of(setting: Setting) -> Prior | None:
    return prior_of(setting.prior, setting.game)


@lru_cache(maxsize=16)
def _chooser(name: str, game: Game) -> Chooser:
    return Chooser(name, game)


@lru_cache(maxsize=16)
def _require_possible(position: Position) -> None:
    posterior_of(position).require_some()


# What does not change


def describe_choices(first: Setting | None) -> dict[str, Any]:
    """Return what a person can choose from: the named games, the boxed one first, and all rules.

    first -- the game of the command line, which is one more choice.
    """
    return {
        "named": [
            _game_card(game.name, Game.parse(game.name), game.players) for game in menu_games()
        ],
        "first": first and _game_card("", first.game, "The game that this server was started with"),
        "contacts": IN_WORDS["contact"],
        "announcements": IN_WORDS["announce"],
        "boards": explorer.BOARDS,
    }


def _game_card(name: str, game: Game, players: str) -> dict[str, Any]:
    return {
        "name": name,
        "players": players,
        "title": title_of(game),
        "shape": board_shape(game),
        "rules": explorer.rules_in_words(game),
        "ships": [str(kind) for kind in game.fleet],
        **_form_fields(game),
    }


def _form_fields(game: Game) -> dict[str, Any]:
    """Return the text of a game, and what its form shows.

    The size and the holes are empty for a board of a file, which the form cannot change.
    """
    is_of_file = bool(game.board.digest)
    return {
        "text": game.title if is_of_file else str(game),
        "size": "" if is_of_file else f"{game.rows}x{game.columns}",
        "fleet": game.fleet_text,
        "contact": game.contact,
        "announce": game.announce,
        "holes": "" if is_of_file else game.holes_text,
        "board": game.board.text,
    }


def describe_game(setting: Setting) -> dict[str, Any]:
    """Return as JSON fields what the page needs to know of a game: rules, board, fleet and so on.

    Some fields of the answer: lengths has the lengths that each kind of ship can have, or None if
    they are known. kinds has the kind of ship for each letter that a hit names. places has all
    placements of each kind. near has for each cell the cells near it where no other ship may lie.
    walk is the greatest number of configurations for the page that walks trees.
    """
    game, prior = setting.game, _prior_of(setting)
    is_fleet_known = not isinstance(game, MixedGame)
    kinds = sorted(set(game.fleet))
    lettered_kinds = kinds if game.names_hits and not is_fleet_known else []
    placed_kinds = kinds if is_fleet_known else []
    return {
        **_form_fields(game),
        "title": title_of(game),
        "rules": explorer.rules_in_words(game),
        "prior": prior and prior.name,
        "shape": board_shape(game),
        "fleet": [str(kind) for kind in game.fleet],
        "lengths": None if is_fleet_known else {str(kind): [*lengths_of(kind)] for kind in kinds},
        "kinds": {letter_of(kind): str(kind) for kind in lettered_kinds},
        "places": {str(kind): _cell_indices(game.placements(kind)) for kind in placed_kinds},
        "near": [list(bits(game.halo(1 << cell))) for cell in range(game.cells)],
        "replies": [str(reply) for reply in known_replies(game)],
        "players": setting.players,
        "endgame": ENDGAME,
        "walk": explorer.MAX_CONFIGURATIONS if is_fleet_known else 0,
    }


def title_of(game: Game) -> str:
    """Return the title of a game that has a name, else the text of its board and fleet."""
    titles = (named.title for named in NAMED_GAMES.values() if Game.parse(named.name) == game)
    return next(titles, game.title)


def load_counts(setting: Setting) -> None:
    """Load what all answers need into caches: the prior, and the counting tables of the game."""
    prior = _prior_of(setting)
    posterior = posterior_of(position_in(setting.game), prior)
    if isinstance(posterior, MixedPosterior):
        _ = posterior.configurations  # of each fleet, which all answers need


# Advice


def advice(setting: Setting, shots: str, cell: str = "") -> dict[str, Any]:
    """Return advice on the next shot or, if the replies contradict each other, which of them do.

    If they do, together is a smallest set of shots of which at least one reply is wrong, and alone
    has those of them whose reply can be the only wrong one.

    setting -- the game, and the options with which it is served. shots -- the shots so far with
    their replies, as in `A2=hit B3=miss`. cell -- the name of the cell whose replies are counted;
    if empty, the first of the most probable ones.
    """
    try:
        posterior = _counted_posterior(setting, setting.position(shots))
    except PositionError as error:
        parsed = _shots_to_check(setting.game, shots)
        together = find_conflict(setting.game, parsed)
        if not together:
            raise
        alone = possible_single_errors(setting.game, parsed, together)
        return {
            "impossible": str(error),
            "together": [str(shot) for shot in together],
            "alone": [str(shot) for shot in alone],
        }
    return {**_position_fields(posterior), **_shot_fields(setting, posterior, cell)}


@lru_cache(maxsize=4)
def _counted_posterior(setting: Setting, position: Position) -> Posterior:
    """Return what is known of the ships at a position, with all configurations counted.

    Results are cached, since a page asks for the replies of one cell after the other. Raises
    ImpossiblePosition if no configuration is left.
    """
    posterior = posterior_of(position, _prior_of(setting))
    _ = posterior.occurrence  # one sweep that counts the configurations, too
    posterior.require_some()
    return posterior


def _shots_to_check(game: Game, text: str) -> tuple[Shot, ...]:
    """Return the shots of a text, to search a contradiction among them.

    The result is empty if the text is wrong by itself: it cannot be read, has an unknown cell or
    reply, or a cell that is shot twice. Of several hits that show one ship only the first is
    returned, because the others follow from it.
    """
    try:
        shots = parsed_shots(game, text)
    except OptsearchError:
        return ()
    is_legal = all(shot.cell in game and shot.reply in known_replies(game) for shot in shots)
    if not is_legal or len({shot.cell for shot in shots}) < len(shots):
        return ()
    first_with_reply = {shot.reply: shot for shot in reversed(shots)}
    return tuple(
        shot
        for shot in shots
        if not isinstance(shot.reply.label, Placement) or shot is first_with_reply[shot.reply]
    )


def _position_fields(posterior: Posterior) -> dict[str, Any]:
    """Return what the page shows of a position, without the advice.

    In the answer, counts has for each cell the number of configurations with a ship on it. If
    they are not equally likely, counts is None, and chances has the probability of a ship.
    """
    counts = chances = None
    if posterior.prior is None and not isinstance(posterior, MixedPosterior):
        counts = [str(count) for count in posterior.occurrence.ravel().tolist()]
    else:
        chances = posterior.probability.ravel().tolist()
    return {
        "shots": str(posterior.position),
        "configurations": str(posterior.configurations),
        "bits": posterior.entropy,
        "counts": counts,
        "chances": chances,
        **_fleet_fields(posterior),
        "over": _is_over(posterior),
    }


def _is_over(posterior: Posterior) -> bool:
    """True if every ship is certainly sunk, or the first hit was to end the game."""
    return not posterior.position.hits_left or not posterior.greedy_shots()


def _fleet_fields(posterior: Posterior) -> dict[str, Any]:
    """Return which ships are certainly sunk and, if lengths are unknown, how likely each length is.

    In the answer, sunk has the kinds of the sunk ships, and wrecks the cells of each ship that
    certainly lies there and is sunk. If the lengths of the ships are not known, lengths has the
    probability of each length of each kind, and all_sunk the probability that every ship is sunk.
    """
    if not isinstance(posterior, MixedPosterior):
        return _sunk_fields(posterior.position)
    hits = posterior.position.hits
    sunk_kinds: list[str] = []
    wreck_masks: list[int] = []
    for ship, configurations in sorted(posterior.placements.items()):
        is_certain = configurations == posterior.configurations
        is_hit_everywhere = ship & hits == ship
        if is_certain and is_hit_everywhere:
            wreck_masks.append(ship)
            kinds = _possible_kinds(posterior, ship)
            if len(kinds) == 1:
                sunk_kinds += map(str, kinds)
    return {
        "sunk": sunk_kinds,
        "wrecks": _cell_indices(wreck_masks),
        "lengths": {
            str(kind): {str(length): float(chance) for length, chance in by_length.items()}
            for kind, by_length in posterior.lengths.items()
        },
        "all_sunk": float(posterior.all_sunk),
    }


def _possible_kinds(posterior: MixedPosterior, ship: int) -> set[int]:
    """Return the kinds in the fleet that a ship can be of; ship -- mask of its cells."""
    game = posterior.position.game
    if game.names_hits:
        return {kind for kind in game.fleet if (kind, ship) in posterior.ship_weights}
    return {kind for kind in game.fleet if ship.bit_count() in lengths_of(kind)}


def _sunk_fields(position: Position) -> dict[str, Any]:
    """Return which ships of a known fleet are certainly sunk.

    In the answer, sunk has their kinds, and wrecks the cells of each whose place is certain.
    """
    game = position.game
    if game.names_hits or game.shows_ships:
        sunk_kinds, wreck_masks = _sunk_by_label(position)
    elif game.tells_sinkings:
        sunk_ships = [case.sunk for case in sunk_assignments(position)]
        sunk_kinds = reduce(and_, (Counter(map(game.kind_of, ships)) for ships in sunk_ships))
        wreck_masks = reduce(and_, map(set, sunk_ships))
    else:
        sunk_kinds, wreck_masks = Counter[int](), set[int]()
    is_all_sunk = not position.hits_left and not game.ends_at_hit
    sunk = game.fleet if is_all_sunk else sunk_kinds.elements()
    return {"sunk": list(map(str, sunk)), "wrecks": _cell_indices(sorted(wreck_masks))}


def _sunk_by_label(position: Position) -> tuple[Counter[int], set[int]]:
    """Return how many ships of each kind are sunk, and the masks of their cells where known.

    It reads the names in the replies, so hits must name or show ships. Equal ships share a name:
    they count as sunk when all their cells are hit, and have no masks, since no reply tells which
    cells belong to which of them.
    """
    game = position.game
    sunk_kinds, wreck_masks = Counter[int](), set[int]()
    for label in {shot.reply.label for shot in position.shots if shot.reply.label}:
        hit_mask = game.mask(shot.cell for shot in position.shots if shot.reply.label == label)
        is_hit_everywhere = hit_mask.bit_count() == game.most_replies(Reply(hit=True, label=label))
        if not is_hit_everywhere:
            continue
        kind = game.kind_of_label(label)
        assert kind is not None
        ship_count = 1 if game.shows_ships else game.fleet.count(kind)
        sunk_kinds[kind] += ship_count
        if ship_count == 1:
            wreck_masks.add(hit_mask)
    return sunk_kinds, wreck_masks


def _shot_fields(setting: Setting, posterior: Posterior, cell: str) -> dict[str, Any]:
    """Return the best cells by each strategy, and the replies that a shot at one cell may get.

    In the answer, replies has for each reply the number of configurations that it leaves, of total
    in all. If the fleet is not known, replies has probabilities, and total is 1.

    cell -- the name of this cell; if empty, the first of the most probable.
    """
    position, likely_cells = posterior.position, posterior.greedy_shots()
    if _is_over(posterior):
        return {"best": [], "cell": None, "replies": {}}
    best_cells = [{"by": "most probable", "cells": [cell_name(shot) for shot in likely_cells]}]
    for name in setting.by:  # strategies ignore a prior
        shot = _chooser(name, position.game).shot(position)
        best_cells.append({"by": name, "cells": [cell_name(shot)]})
    chosen_cell = parse_cell(cell) if cell else likely_cells[0]
    weights = _weigh_replies(posterior, chosen_cell)
    if isinstance(posterior, MixedPosterior):  # whose weights can be too large for JavaScript
        total = 1
        total_weight = posterior.weight
        replies = {str(reply): f"{part / total_weight:.17g}" for reply, part in weights.items()}
    else:
        total = posterior.configurations
        replies = {str(reply): str(count) for reply, count in weights.items()}
    return {
        "best": best_cells,
        "cell": cell_name(chosen_cell),
        "replies": replies,
        "total": str(total),
    }


def _weigh_replies(posterior: Posterior, cell: Cell) -> dict[Reply, int]:
    """Return for each reply to a shot at a cell how many configurations it leaves, possibly none.

    If the fleet is not known, it is their total weight, and not their number. Raises PositionError
    if the cell was shot before.
    """
    position = posterior.position
    game, cell_mask = position.game, position.game.bit(cell)
    if position.closed & cell_mask:
        raise PositionError(f"{cell_name(cell)} was shot before")
    weights = dict.fromkeys(replies_at(game, cell), 0)
    if isinstance(posterior, MixedPosterior):
        reply_of = {str(reply): reply for reply in weights}
        for kind_and_ship, answer in (question_of_shot(position, cell).ship_answers or {}).items():
            weights[reply_of[answer]] += posterior.ship_weights.get(kind_and_ship, 0)
        weights[MISS] = posterior.weight - sum(weights.values())
        return weights
    cell_index = cell_mask.bit_length() - 1
    for (kind, ship), count in posterior.by_kind.items():
        if ship & cell_mask:
            weights[game.hit_reply(kind, ship, cell_index, is_sunk=False)] += count
    for sinking in [reply for reply in weights if reply.sunk]:  # all these count as hits so far
        try:
            posterior_after = Posterior(position.after(cell, sinking), prior=posterior.prior)
            weights[sinking] = posterior_after.configurations
        except PositionError:  # such a ship is sunk already
            continue
        weights[HIT] -= weights[sinking]
    weights[MISS] = posterior.configurations - int(posterior.occurrence[cell])
    return weights


def endgame(setting: Setting, shots: str) -> dict[str, Any]:
    """Return the optimum of a position if few configurations are left, and the value of each shot.

    In the answer, optimum is None if it is not found with little effort. values has for each cell
    two bounds, equal if exact, on the least total of shots still to come if the cell is shot first.
    The total is over all configurations.
    """
    position, prior = setting.position(shots), _prior_of(setting)
    if _counted_posterior(setting, position).configurations > ENDGAME:
        return {"optimum": None}
    solution = find_optimum(position, prior=prior)
    if solution is None:
        return {"optimum": None}
    solution_with_values = find_optimum(position, prior=prior, all_shots=True, seconds=SECONDS / 2)
    values = {
        cell_name(shot.cell): [str(shot.lower), str(shot.upper)]
        for shot in (solution_with_values or solution).shot_values
    }
    return {"optimum": _optimum_fields(solution), "values": values}


def _optimum_fields(solution: Solution) -> dict[str, Any]:
    return {
        "cells": [cell_name(cell) for cell in solution.best_shots],
        "total": str(solution.total_height),
        "weight": str(solution.configurations),
    }


def sample_greedy(setting: Setting, shots: str, number: int) -> dict[str, Any]:
    """Sample how many shots greedy still takes, in as many games as a short time allows.

    number -- how many games were sampled before; it is the seed. In the answer, games is the number
    of new games, total the sum of their shots, and squares the sum of the squares of these.
    """
    position, prior = setting.position(shots), _prior_of(setting)
    if position.game.cells > MAX_CELLS:
        raise TooLarge(f"at most {MAX_CELLS} cells are sampled")
    posterior = posterior_of(position, prior)
    shot_counts: list[int] = []
    started_at = monotonic()

    def is_late() -> bool:
        return monotonic() > started_at + GAME_SECONDS

    def shot_by_prior(current_position: Position) -> Cell | None:
        return None if is_late() else posterior_of(current_position, prior).greedy_shots()[0]

    for ships in map(to_masks, posterior.sample(MOST_GAMES, number, masks=True)):
        if prior is None:
            shot_count = _chooser("greedy", setting.game).shots_left(ships, position, is_late)
        else:  # a strategy would ignore it
            end = play(shot_by_prior, ships, position)
            shot_count = None if end.hits_left else len(end.shots) - len(position.shots)
        if shot_count is not None:  # else it was given up
            shot_counts.append(shot_count)
        if monotonic() > started_at + SAMPLE_SECONDS:
            break
    return {
        "games": len(shot_counts),
        "total": sum(shot_counts),
        "squares": sum(count * count for count in shot_counts),
    }


# Review


def read_shots(setting: Setting, text: str) -> dict[str, Any]:
    """Read the shots of a game as a person has written them down, and return them as a text."""
    return {"shots": str(with_shown_ships(position_of(setting.game, text)))}


def review_shot(setting: Setting, shots: str, number: int) -> dict[str, Any]:
    """Return the position before a shot of a game, and what that shot gave away.

    In the answer, chance is the probability of a ship on the cell that was shot, and most that of
    the most probable cell.

    shots -- all shots of the game as a text, as in `A2=hit B3=miss`. number -- which of them, from
    1. Raises ImpossiblePosition if they contradict each other, PositionError if there is no such.
    """
    end_position = setting.position(shots)
    _require_possible(end_position)
    if not 1 <= number <= len(end_position.shots):
        raise PositionError(f"shot number {number} of {len(end_position.shots)} cannot be reviewed")
    shot = end_position.shots[number - 1]
    position = replace(end_position, shots=end_position.shots[: number - 1])
    posterior = _counted_posterior(setting, position)
    likely_cells, chances = posterior.greedy_shots(), posterior.probability
    return {
        **_position_fields(posterior),
        "shot": str(shot),
        "chance": float(chances[shot.cell]),
        # 0 if every ship was sunk before
        "most": float(chances[likely_cells[0]]) if likely_cells else 0.0,
        "best": [{"by": "most probable", "cells": [cell_name(cell) for cell in likely_cells]}],
        **_loss_fields(setting, position, shot.cell),
    }


def _loss_fields(setting: Setting, position: Position, cell: Cell) -> dict[str, Any]:
    """Return the optimum of a position, the value of each shot, and the loss of the shot at a cell.

    The loss is two bounds on how many more shots the game takes on average than after an optimal
    shot. If it is not known, the answer has only the field optimum, which is None.
    """
    result = endgame(setting, str(position))
    if result["optimum"] is None or cell_name(cell) not in result["values"]:
        return {"optimum": None}
    least_total, weight = int(result["optimum"]["total"]), int(result["optimum"]["weight"])
    total_bounds = map(int, result["values"][cell_name(cell)])
    losses = [Fraction(bound - least_total, weight) for bound in total_bounds]
    return {**result, "loss": [float(loss) for loss in losses]}


# Play


def begin_match(
    setting: Setting, against: str, ships: str, seed: int
) -> tuple[bytes, dict[str, Any]]:
    """Return a new match, pickled for the server alone, and what the page may see of it.

    against -- the opponent's name; empty for nobody. ships -- those of the person, as in
    `A1-A3 C1-C2`; empty if they are drawn. Raises OptsearchError for an unknown opponent, and for a
    fleet that is not known.
    """
    if isinstance(setting.game, MixedGame):
        raise OptsearchError(
            f"the lengths of the ships {setting.game.fleet_text} are not known, and the board does "
            f"not play that; optsearch play {setting.game} does"
        )
    if against not in setting.players:
        raise OptsearchError(f"nobody here plays as {against!r}; choose one of the list")
    pickled = pickle.dumps(Match(setting.game, seed, against, ships))
    return pickled, view_match(pickled)


def shoot_in_match(pickled: bytes, cell: str) -> tuple[bytes, dict[str, Any]]:
    """Return a match after a shot at a cell and the opponent's shot, and what the page may see.

    The match is pickled before and after, for the server alone. Raises PositionError if it is over.
    """
    match: Match = pickle.loads(pickled)
    if match.is_over:
        raise PositionError("this game is over; begin another")
    match.shoot(parse_cell(cell))
    if match.opponent and not match.is_won:
        match.shoot_back()
    pickled = pickle.dumps(match)
    return pickled, view_match(pickled)


def view_match(pickled: bytes) -> dict[str, Any]:
    """Return what the page may see of a match: the hidden ships are None until it is over."""
    match: Match = pickle.loads(pickled)
    return {
        "against": match.opponent,
        "shots": str(match.position),
        "answers": str(match.own_position),
        "own": _cell_indices(match.own_ships),
        "over": match.is_over,
        "won": match.is_won,
        "hidden": _cell_indices(match.hidden) if match.is_over else None,
        **_sunk_fields(match.position),
    }


def count_greedy_shots(pickled: bytes) -> dict[str, int]:
    """Count the shots that greedy takes at the hidden ships of a match that is over."""
    match: Match = pickle.loads(pickled)
    if not match.is_over:
        raise PositionError("this game is not over")
    end = play(_chooser("greedy", match.game).shot, match.hidden, Position(match.game))
    return {"greedy": len(end.shots)}


def _cell_indices(ships: Sequence[int]) -> list[list[int]]:
    """Return the indices of the cells of each ship, which is a mask."""
    return [list(bits(ship)) for ship in ships]


# Walks


def walk_trees(setting: Setting, shots: str) -> dict[str, Any]:
    """Return the data of the page that walks decision trees (`explorer.page_data`).

    If time is short, the first tree is the best found, and some values are bounds.
    """
    position, prior = setting.position(shots), _prior_of(setting)
    explorer.require_few_configurations(position, prior)
    solver = Solver(position, all_shots=True, prior=prior)
    solution = solver.search(SECONDS / 2)
    name = "optimal" if solution.is_exact else "best found"
    trees = [(name, solver.tree()), explorer.greedy_tree(position, prior, SECONDS)]
    return explorer.page_data(solver, trees, Limit(SECONDS / 4))


def bound_least_total(setting: Setting, shots: str, cell: str = "") -> dict[str, Any]:
    """Return two bounds on the least total of shots still to come, over all configurations.

    In the answer, value is None if they take too long, or if there are too many configurations.
    shots -- those made, as in `A2=hit B3=miss`. cell -- the name of a cell that is shot first;
    empty if any cell may be.
    """
    position, prior = setting.position(shots), _prior_of(setting)
    explorer.require_few_configurations(position, prior)
    limit = Limit(SECONDS)
    positions_to_solve = [position]
    lower = upper = 0
    if cell:
        shot = parse_cell(cell)
        posterior = Posterior(position, prior=prior)
        lower = upper = posterior.weight  # the shot itself, in each configuration
        weights = _weigh_replies(posterior, shot)
        positions_to_solve = [
            position.after(shot, reply) for reply, weight in weights.items() if weight
        ]
    try:
        for position_after in positions_to_solve:
            if not position_after.hits_left:
                continue
            limit.check()
            solver = Solver(position_after, prior=prior)
            solution = solver.search(SECONDS / (2 * len(positions_to_solve)))
            lower += solution.lower or 0
            upper += solver.tree().total_height
    except (LimitReached, TooLarge):
        return {"value": None}
    return {"value": [str(lower), str(upper)]}
