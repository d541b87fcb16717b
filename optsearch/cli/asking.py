"""The command ask, which says what questions about the hidden board tell."""

from __future__ import annotations

from dataclasses import dataclass

from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import (
    align_columns,
    cell_names,
    exact_text,
    read_position,
    read_prior,
)
from optsearch.cli.options import Form, Option, PositionOptions
from optsearch.cli.progress import show_progress
from optsearch.game import cell_name
from optsearch.game.fleets import any_game
from optsearch.questions.channel import probability_of
from optsearch.questions.worth import SAMPLES, Inquiry, QuestionWorth

MOST_FRACTION_SIGNS = 30  # signs of a fraction that is printed


@dataclass(frozen=True)
class SamplingOptions:
    """The number of boards in a sample, and its seed, if there are too many boards to list."""

    samples: int = SAMPLES
    seed: int = 0


@app.command(
    example="optsearch ask 5x5:3,2,announce=name --shots 'C3=miss'",
    seconds=2,
    next_step="optsearch posterior 5x5:3,2 --know 'row 2: 0'  # after an answer",
    fields="game position (prior prior_digest) (known) configurations wrong seed samples "
    "greedy_shots best_hit best_shot best_shot_bits mean questions",
    question=Option(
        "Ask this instead of the built-in questions: one of them, or FILE.py:NAME, a function of "
        "the board; may be repeated.",
        metavar="QUESTION",
    ),
    number=Option("How many questions to show, the best first.", flags="-n", min=1, max=10_000),
    wrong=Option("The probability that an answer is false.", metavar="P"),
    samples=Option("Boards that are drawn if there are too many.", min=2, max=10_000_000),
    seed=Option("The same seed gives the same sample.", min=0),
)
def ask(
    start: PositionOptions,
    *,
    question: list[str] | None = None,
    number: int = 10,
    wrong: str = "0",
    know: list[str] | None = None,
    prior: str | None = None,
    sampling: SamplingOptions,
    form: Form = Form.TEXT,
) -> None:
    """What questions about the hidden board tell, the best first.

    For each question the probability of its answers, the information in bits, and how much more
    probable a hit is at the best cell after the answer. Exact if the configurations are few or can
    be counted; else from a sample, with a standard error.
    """
    position = read_position(start, any_game)
    parsed_prior = read_prior(position.game, prior, know or ())
    false_chance = probability_of(wrong)
    with show_progress("asking"):
        inquiry = Inquiry(
            position,
            wrong=false_chance,
            samples=sampling.samples,
            seed=sampling.seed,
            prior=parsed_prior,
        )
        worths = inquiry.rank(inquiry.questions(question or None), number)
        _ = inquiry.best_shot  # computed while progress is shown
    configurations = inquiry.posterior.configurations
    answer = Answer.about(position, parsed_prior)
    answer.add_fact("configurations", f"{configurations:,}", configurations=configurations)
    answer.add_fact(
        "false answers",
        f"{float(false_chance):.1%}" if false_chance else None,
        wrong=float(false_chance),
    )
    answer.add(seed=sampling.seed, samples=sampling.samples)
    add_best_shots(answer, inquiry)
    rows = [worth.to_dict() for worth in worths]
    answer.add("", table_text(worths), questions=rows)
    answer.set_rows(rows)
    answer.print(form)


def add_best_shots(answer: Answer, inquiry: Inquiry) -> None:
    """Add to an answer the greedy shots, the shot whose reply tells most, and the optimum."""
    greedy_shots = cell_names(inquiry.posterior.greedy_shots())
    hit_chance = inquiry.best_hit_chance
    exact_prefix = f"{hit_chance} = " if len(str(hit_chance)) < MOST_FRACTION_SIGNS else ""
    chance_text = f"each hits with {exact_prefix}{float(hit_chance):.6f}"
    answer.add_fact(
        "greedy shots",
        f"{' '.join(greedy_shots)}, {chance_text}" if greedy_shots else None,
        greedy_shots=greedy_shots,
        best_hit=float(hit_chance),
    )
    if inquiry.best_shot is None:
        answer.add(best_shot=None, best_shot_bits=None)
    else:
        best_cell, bits = inquiry.best_shot
        name = cell_name(best_cell)
        text = f"{name}, its reply tells {bits:.4f} bits"
        answer.add_fact("best shot", text, best_shot=name, best_shot_bits=bits)
    optimal_mean = inquiry.optimum
    answer.add_fact(
        "optimum",
        None if optimal_mean is None else f"{exact_text(optimal_mean)} shots",
        mean=optimal_mean,
    )


def table_text(worths: list[QuestionWorth]) -> str:
    """Format questions as a table, with a line for each and a column for the optimum if known."""
    has_optimum = any(worth.mean is not None for worth in worths)
    optimum_head = ["optimum"] if has_optimum else []
    heads = ["question", "bits", "hit", *optimum_head, "method", "answers"]
    return align_columns([heads, *(worth_row(worth, has_optimum) for worth in worths)])


def worth_row(worth: QuestionWorth, has_optimum: bool) -> list[str]:
    """Return the line of a table about a question, as one text for each column.

    The columns are the question, its bits, the gain of the best next shot, the optimum after the
    answer if `has_optimum`, the method, and the answers with their probabilities.
    """
    bits, gain = f"{worth.bits:.4f}", f"{float(worth.gain):+.4f}"
    if worth.bits_error is not None:
        bits += f" ± {worth.bits_error:.4f}"
    if worth.gain_error is not None:
        gain += f" ± {worth.gain_error:.4f}"
    texts = [worth.question, bits, gain]
    if has_optimum:
        texts.append("" if worth.mean is None else f"{float(worth.mean):.4f}")
    answers = ", ".join(f"{answer} {float(chance):.1%}" for answer, chance in worth.answers.items())
    return [*texts, worth.method, answers]
