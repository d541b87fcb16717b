"""Compare questions with shots on eighteen boards: python -m experiments.questions

The game is that of Grand, Pepe, Tenenbaum and Andreas (arXiv 2510.20886): four ships of 2 to 5
cells on 8x8, whose lengths are not known. The boards are drawn here, by a seed, and six cells of
each are shot at random. Writes data/results/questions.csv.
"""

from fractions import Fraction

import numpy as np

from experiments import script
from optsearch.counting.configurations import to_masks
from optsearch.counting.mixture import MixedPosterior
from optsearch.game.fleets import MixedGame, MixedPosition
from optsearch.game.position import Position, reply
from optsearch.questions.channel import Channel
from optsearch.questions.questions import BUILT_IN, question_of_shot
from optsearch.questions.worth import Inquiry

GAME = MixedGame("8x8:2-5r,2-5g,2-5p,2-5o,contact=any,announce=name")
BOARDS, SHOTS, SEED = 18, 6, 85
WRONG = Fraction(1, 10)


def position_after_shots(board: int) -> Position:
    """Return the position after SHOTS random shots at a random board, by the board's number."""
    rng = np.random.default_rng([SEED, board])
    (drawn,) = MixedPosterior(MixedPosition(GAME)).sample(1, rng, masks=True)
    position: Position = MixedPosition(GAME)
    ships = to_masks(drawn)
    for shot in rng.permutation(GAME.cells)[:SHOTS].tolist():
        cell = GAME.cell(shot)
        position = position.after(cell, reply(GAME, ships, position.hits, 1 << shot))
    return position


def rows(board: int) -> script.Rows:
    """Yield a row for the best shot at a board, and one for the best question of each kind.

    A row has the bits that the answer tells and, for a question, what it gains.
    """
    position = position_after_shots(board)
    inquiry = Inquiry(position, seed=SEED)
    assert inquiry.best_shot is not None
    questions_of = {"shot": [question_of_shot(position, inquiry.best_shot[0])]}
    questions_of |= {maker.__name__: list(maker(GAME)) for maker in BUILT_IN}
    for kind, questions in questions_of.items():
        (best,) = inquiry.rank(questions, 1)
        gain: float | None = None
        gain_error: float | None = None
        if kind == "shot":  # whose reply is true, and whose cell cannot be shot again
            bits_if_noisy = best.bits
        else:
            probabilities = list(best.answers.values())
            bits_if_noisy = Channel(WRONG, len(probabilities)).bits(probabilities)
            gain, gain_error = float(best.gain), best.gain_error
        yield (
            board,
            str(position),
            kind,
            best.question,
            best.method,
            best.bits,
            bits_if_noisy,
            best.bits_error,
            gain,
            gain_error,
        )


main = script.Experiment("questions", range(1, BOARDS + 1), rows)


if __name__ == "__main__":
    script.run(main)
