"""What to shoot next in a game that is played elsewhere, and which replies cannot be together.

advise(Position.parse(game, "B4=hit C7=miss")).likely(3)
conflict(game, shots)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction

from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.evaluation.choosing import Chooser
from optsearch.game import MAX_CELLS, Cell, Game, cell_name, parse_cell
from optsearch.game.noise import NoisyPosition
from optsearch.game.position import HIT, Position, Reply, Shot
from optsearch.game.shapes import parse_kind
from optsearch.search.solver import solve
from optsearch.support.errors import GameError, ImpossiblePosition, NotSupported, PositionError
from optsearch.support.progress import Limit, LimitReached, Progress
from optsearch.tree.solution import SearchStatus, Solution

ENDGAME = 50  # configurations from which the optimum is searched
EFFORT = 300_000  # nodes after which that is given up
SHORT = {
    **dict.fromkeys(("m", "o", "water"), "miss"),
    **dict.fromkeys(("h", "x"), "hit"),
}
REPLIES = ("hit", "miss", "sunk")


class Contradiction(ImpossiblePosition):
    """A reply that cannot be together with earlier ones.

    together -- the replies of which one must be wrong, and any less of which are possible.
    """

    def __init__(self, what: str, together: Sequence[Shot]):
        super().__init__(what)
        self.together = tuple(together)


def parse_replies(text: str, game: Game | None = None) -> list[tuple[Cell, Reply]]:
    """The shots of a line such as `B4 hit, C7=m B5 sunk3`; PositionError for another one.

    game -- whose board may have ships with names, as in `B5 sunk carrier`.
    """
    joined = re.sub(
        r"\bsunk\s*[:=]\s*|\bsunk(?=\d)", "sunk:", text.strip().strip(",;=:"), flags=re.IGNORECASE
    )
    words = re.split(r"(?:[\s,;=]|(?<!sunk):)+", joined, flags=re.IGNORECASE)
    shots = []
    while words:
        cell = parse_cell(words.pop(0))
        if not words:
            raise PositionError(
                f"{cell_name(cell)} has no reply; write it as in {cell_name(cell)} miss"
            )
        reply = _spelled(words.pop(0))
        if words and (words[0].isdecimal() or _is_told(reply, words, game)):
            reply += f":{words.pop(0)}"
        shots.append((cell, Reply.parse(reply, game)))
    return shots


def _spelled(word: str) -> str:
    """A reply in full."""
    return SHORT.get(word.lower(), word)


def _is_told(reply: str, words: list[str], game: Game | None) -> bool:
    """Whether the next word is the ship that a sinking tells: L4 can be a cell, with its reply."""
    if reply.lower() == "sunk" and game is not None and words[0].lower() in game.board.kinds:
        return True
    is_cell = len(words) > 1 and _spelled(words[1]).lower().partition(":")[0] in REPLIES
    try:
        return reply.lower() == "sunk" and not is_cell and bool(parse_kind(words[0]))
    except GameError:
        return False


class Replies:
    """The replies of a game so far, which are possible together at any time.

    position -- replies may be false in a NoisyPosition. prior -- the weights of the configurations:
    what has none is impossible.
    """

    def __init__(self, position: Position | NoisyPosition, prior: Prior | None = None):
        self.prior = prior
        Posterior(position).require_some()
        self._require_weight(position)
        self.position = position

    def _require_weight(self, position: Position | NoisyPosition) -> None:
        """Refuse replies that no configuration of some weight gives."""
        if self.prior is not None:
            _ = Posterior(position, prior=self.prior).probability

    def add(self, cell: Cell, reply: Reply) -> None:
        """One more; PositionError for one that no game has, Contradiction for one that fits not."""
        shot = Shot(cell, reply)
        following = self.position.after(cell, reply)
        if not Posterior(following).configurations:
            if isinstance(following, NoisyPosition):
                following = following.certain
            together = conflict(following.game, following.shots)
            others = [str(one) for one in together if one != shot]
            why = f"cannot be together with {' '.join(others)}"
            if not others:
                why = "cannot be after these shots, whatever the replies to them"
            raise Contradiction(f"{shot} {why}", together)
        self._require_weight(following)
        self.position = following

    def undo(self, cell: Cell | None = None) -> Shot:
        """Take the last one back, or that of a cell, and return it.

        Raises PositionError where there is none, and where the others were impossible without it,
        as a sinking is without the hits before it.
        """
        shots = self.position.shots
        gone = next((s for s in reversed(shots) if cell is None or s.cell == cell), None)
        if gone is None:
            what = "no cell was shot" if cell is None else f"{cell_name(cell)} was not shot"
            raise PositionError(f"{what}; there is nothing to take back")
        left = replace(self.position, shots=tuple(shot for shot in shots if shot is not gone))
        if not Posterior(left).configurations:
            raise PositionError(
                f"without {gone} the replies after it are impossible; undo those first"
            )
        self.position = left
        return gone


@dataclass(frozen=True)
class Advice:
    """What is known at a position.

    posterior -- where the ships are. optimum -- of what is left, where that was searched and found.
    by -- the cells that a strategy shoots now, where one was asked.
    """

    posterior: Posterior
    optimum: Solution | None
    by: tuple[Cell, ...] = ()

    @property
    def ships_left(self) -> tuple[int, ...] | None:
        """The ships not sunk, the longest first; None where it is not told which were sunk."""
        position = self.posterior.told
        sinkings = [shot.reply for shot in position.shots if shot.reply.sunk]
        told = [reply.length for reply in sinkings if reply.length is not None]
        if position.game.is_silent or len(told) < len(sinkings):
            return None
        return tuple((Counter(position.game.fleet) - Counter(told)).elements())

    def likely(self, number: int) -> list[tuple[Cell, Fraction]]:
        """So many cells to shoot with their probabilities, the most probable first."""
        position, posterior = self.posterior.position, self.posterior
        if posterior.is_exact:
            chances = [chance for row in posterior.frequency for chance in row]
        else:
            chances = list(map(Fraction, posterior.probability.ravel().tolist()))
        closed = posterior.told.closed
        cells = [i for i, chance in enumerate(chances) if chance and not closed >> i & 1]
        # Floats that agree to twelve digits are ties.
        by = chances if posterior.is_exact else [Fraction(f"{float(p):.12e}") for p in chances]
        cells.sort(key=by.__getitem__, reverse=True)
        return [(position.game.cell(i), chances[i]) for i in cells[:number]]


def advise(
    position: Position | NoisyPosition,
    endgame: int = ENDGAME,
    prior: Prior | None = None,
    by: Chooser | None = None,
    salvo: int = 1,
) -> Advice:
    """What a position says of the next shot, and the optimum where few configurations are left.

    endgame -- how many are few. prior -- the weights of the configurations. by -- a strategy that
    is asked, too. salvo -- how many cells it chooses together; the optimum is that of single shots
    and of true replies, and is left out with others. Raises ImpossiblePosition where no
    configuration is left, and as `Chooser.shots`.
    """
    posterior = Posterior(position, prior=prior)
    posterior.require_some()
    if isinstance(position, NoisyPosition):
        return Advice(posterior, None, tuple(by.shots(position, salvo)) if by else ())
    chosen = by.shots(position, salvo) if by is not None and position.hits_left else ()
    is_few = salvo == 1 and posterior.configurations <= endgame
    return Advice(posterior, optimum(position, prior=prior) if is_few else None, tuple(chosen))


def optimum(
    position: Position,
    *,
    prior: Prior | None = None,
    all_shots: bool = False,
    seconds: float | None = None,
) -> Solution | None:
    """The optimum of a position, as far as it is found with little effort.

    all_shots -- with the optimum after each first shot. seconds -- after which it is given up, too.
    """
    if not position.hits_left or position.game.cells > MAX_CELLS:
        return None
    watch: Progress[SearchStatus] = Limit(seconds, EFFORT).watch()
    try:
        return solve(position, progress=watch, prior=prior, all_shots=all_shots)
    except (LimitReached, NotSupported):  # a prior where sinkings are announced
        return None


def conflict(game: Game, shots: Sequence[Shot]) -> tuple[Shot, ...]:
    """Replies that cannot all be true, and any less of which can be; none if all can be.

    One reply after the other is left out for good if what is left is impossible still, the first
    ones first. The shots were made all the same: a reply that is left out may have been any.
    """
    kept = set(range(len(shots)))
    if _is_possible(game, shots, kept):
        return ()
    for i in range(len(shots)):
        if not _is_possible(game, shots, kept - {i}):
            kept.remove(i)
    return tuple(shots[i] for i in sorted(kept))


def wrong_alone(game: Game, shots: Sequence[Shot], together: Sequence[Shot]) -> tuple[Shot, ...]:
    """Which of the replies that `conflict` gives may be the only wrong one of all shots.

    If one reply alone is wrong, it is one of these: any other leaves the conflict as it is.
    """
    every = set(range(len(shots)))
    return tuple(
        shot
        for i, shot in enumerate(shots)
        if shot in together and _is_possible(game, shots, every - {i})
    )


def _is_possible(game: Game, shots: Sequence[Shot], kept: Set[int]) -> bool:
    """Whether some configuration gives the replies kept, the others being unknown.

    What a ship replies follows from where it lies and from the order of all shots; so placements
    that reply otherwise are left out, and ships that cover the hits and no miss are counted.
    """
    plain = tuple(
        Shot(shots[i].cell, replace(shots[i].reply, sunk=False, length=None)) for i in kept
    )
    left_out = Prior.of_placements(game, dict.fromkeys(_contradicting(game, shots, kept), 0))
    try:
        silent = Position(replace(game, announce="nothing"), plain)
        return bool(Posterior(silent, prior=left_out).placement_probability)
    except PositionError:  # also that there is none
        return False


def _contradicting(game: Game, shots: Sequence[Shot], kept: Set[int]) -> Iterator[int]:
    """The placements that reply otherwise to a shot of those kept."""
    bits = [game.bit(shot.cell) for shot in shots]
    for length in set(game.fleet):
        for ship in game.placements(length):
            met = [i for i, bit in enumerate(bits) if ship & bit]
            sinks = met[-1] if len(met) == int(length) and not game.is_silent else None
            for i in met:
                reply = shots[i].reply
                if i not in kept or not reply.hit:
                    continue
                fits = reply.sunk and reply.length in (None, length) if i == sinks else reply == HIT
                if not fits:
                    yield ship
