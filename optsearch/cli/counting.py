"""The commands that count or draw configurations: count, posterior, sample."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from optsearch.cli.answers import Answer, json_text
from optsearch.cli.app import app
from optsearch.cli.common import (
    board_in_colours,
    new_figure,
    position_fields,
    read_noise,
    read_noisy_position,
    read_position,
    read_prior,
    save_figure,
    title_with_rules,
)
from optsearch.cli.options import (
    FIGURE,
    Form,
    KnowledgeOptions,
    Option,
    PositionOptions,
    PosteriorOptions,
)
from optsearch.cli.progress import show_progress
from optsearch.counting.configurations import CellSets
from optsearch.counting.mixture import MixedPosterior, posterior_of
from optsearch.counting.posterior import Posterior
from optsearch.game import HOLE, cell_name
from optsearch.game.fleets import any_game
from optsearch.game.noise import DOUBT, NoisyPosition
from optsearch.game.position import Position, legend
from optsearch.support.errors import OptsearchError, TooLarge
from optsearch.support.palette import GREEDY_IN_TERMINAL, IN_TERMINAL, heat_in_terminal

MOST_PRINTED = 10_000_000  # configurations that are printed
MOST_DIGITS = 60  # of a fraction that is printed
BATCH_SIZE = 100_000  # of them, drawn or listed at a time


@app.command(
    example="optsearch count 10x10:5,4,3,3,2",
    seconds=2,
    next_step="optsearch posterior 10x10:5,4,3,3,2  # where the ships are",
    fields="game position configurations (first_impossible)",
)
def count(start: PositionOptions, form: Form = Form.TEXT) -> None:
    """Count the configurations, of a game or after some shots."""
    position = read_position(start, any_game)
    with show_progress("counting") as progress:
        posterior = posterior_of(position, progress=progress)
        configurations = posterior.configurations
        first_impossible = 0 if configurations else posterior.first_impossible()  # a shot, from 1
    answer = Answer.about(position)
    answer.add_fact("configurations", f"{configurations:,}", configurations=configurations)
    if first_impossible:
        shot = position.shots[first_impossible - 1]
        impossible_text = f"shot number {first_impossible}, {shot}, leaves none"
        answer.add_fact("impossible", impossible_text, first_impossible=first_impossible)
    answer.print(form)


@app.command(
    example="optsearch posterior 4x5:2,3,4 --shots 'A2=hit B1=miss'",
    seconds=1,
    next_step="optsearch advise 4x5:2,3,4  # the same after every reply",
    fields="game position (false_hits false_misses) (lies) (prior prior_digest) (known) "
    "configurations occurrence probability greedy_shots bits (lengths fleets all_sunk)",
    figure=Option("Draw the heat map to this file (pdf, svg or png).", writes=FIGURE),
    counts=Option("Show how many configurations have a ship on each cell, in place of percent."),
)
def posterior(
    start: PosteriorOptions,
    *,
    figure: Path | None = None,
    counts: bool = False,
    noise: KnowledgeOptions,
    form: Form = Form.TEXT,
) -> None:
    """Where the ships are: the probability of each cell.

    Exact, given the shots so far, with the most probable cells.
    """
    false_replies = read_noise(noise)
    position = read_noisy_position(start, false_replies)
    prior = read_prior(position.game, start.prior, noise.know or ())
    with show_progress("counting") as progress:
        posterior = posterior_of(position, prior, progress)
        occurrence = posterior.occurrence.tolist()  # which counts the configurations too
        likely_cells = [cell_name(cell) for cell in posterior.greedy_shots()]
    if figure is not None:
        draw_heat_map(posterior.observations, posterior.probability, figure)
    configurations = posterior.configurations
    answer = Answer(
        title_with_rules(position.title, position.game), **position_fields(position, prior)
    )
    answer.add("", heat_map_text(posterior, counts))
    answer.add_fact("false replies", str(false_replies) if false_replies else None)
    answer.add_prior(prior)
    answer.add_fact("configurations", f"{configurations:,}", configurations=configurations)
    answer.add(occurrence=occurrence, probability=posterior.probability.tolist())
    answer.set_rows(posterior.to_dicts())
    answer.add_fact("still unknown", f"{posterior.entropy:.3f} bits", bits=posterior.entropy)
    if isinstance(posterior, MixedPosterior):
        add_ship_lengths(answer, posterior)
    answer.add_fact(
        "greedy shots",
        " ".join(likely_cells) or "none: every ship is sunk",
        greedy_shots=likely_cells,
    )
    if likely_cells:
        row, column = posterior.greedy_shots()[0]
        chance_text = f"{posterior.probability[row, column]:.6f}"
        exact_prefix = f"{posterior.frequency[row][column]} = " if posterior.is_exact else ""
        if len(exact_prefix) <= MOST_DIGITS:
            chance_text = exact_prefix + chance_text
        answer.add_fact("each hits with", chance_text)
    answer.add_fact("drawing", str(figure) if figure else None)
    answer.print(form)


def add_ship_lengths(answer: Answer, posterior: MixedPosterior) -> None:
    """Add to an answer about a fleet that is not known how likely lengths and fleets are.

    Add also the probability that every ship is sunk.
    """
    lengths_of_ships = {}
    for ship, by_length in posterior.lengths.items():
        chances = (
            f"{length} {float(chance):.1%}" for length, chance in by_length.items() if chance
        )
        answer.add_fact(f"ship {ship}", ", ".join(chances))
        lengths_of_ships[str(ship)] = {
            str(length): float(chance) for length, chance in by_length.items()
        }
    answer.add(
        lengths=lengths_of_ships,
        fleets=[
            {"fleet": list(lengths), "probability": float(chance)}
            for lengths, chance in posterior.fleets.items()
        ],
    )
    sunk_chance = posterior.all_sunk
    answer.add_fact(
        "all are sunk",
        f"{float(sunk_chance):.6f}" if sunk_chance else None,
        all_sunk=float(sunk_chance),
    )


def heat_map_text(posterior: Posterior, counts: bool = False) -> Text:
    """Draw the probability of a ship on each open cell in percent, as a coloured board.

    Cells that were shot have the sign of their reply. Below are the meaning of the signs and a
    scale of the colours. counts -- True to show numbers of configurations and no scale.
    """
    position, probability = posterior.position, posterior.probability
    game, certain_replies = position.game, position.drawn_replies
    doubtful = set(posterior.observations.signs) - set(certain_replies)
    most_probable = set(posterior.greedy_shots())
    all_cells = (1 << game.cells) - 1
    open_cells = set(game.cells_of(all_cells & ~position.closed))
    highest_chance = max((probability[cell] for cell in open_cells), default=0)
    cell_texts = [[HOLE] * game.columns for _ in range(game.rows)]
    styles = {}
    for row, column in open_cells:
        cell = row, column
        cell_text = (
            f"{posterior.occurrence[cell]:,}" if counts else f"{100 * probability[cell]:.1f}"
        )
        cell_texts[row][column] = f"{cell_text}?" if cell in doubtful else cell_text
        styles[cell] = heat_in_terminal(probability[cell] / (highest_chance or 1))
        if cell in most_probable:
            styles[cell] = GREEDY_IN_TERMINAL
    for (row, column), sign in certain_replies.items():
        cell_texts[row][column], styles[row, column] = sign.letter, IN_TERMINAL[sign.hit]
    drawn_board = board_in_colours(game, cell_texts, styles)
    sign_meanings = [legend(game)] if certain_replies else []
    if game.holes & ~game.board.empty:
        sign_meanings.append(f"{HOLE} hole")
    if doubtful:
        sign_meanings.append(DOUBT)
    if sign_meanings:
        drawn_board.append(f"\n\n{', '.join(sign_meanings)}")
    if highest_chance and not counts:
        drawn_board.append("\n\nprobability of a ship, percent: ")
        for share in np.linspace(0, 1, 5):
            drawn_board.append(
                f"{100 * highest_chance * share:6.1f} ", style=heat_in_terminal(share)
            )
    return drawn_board.append("\n")


def draw_heat_map(
    position: Position | NoisyPosition, values: NDArray[np.float64], path: Path
) -> None:
    """Draw the probability of a ship on each cell to a file whose ending names the format.

    values -- the probabilities, by row and column.
    """
    from optsearch.drawing.boards import board_size, draw_probability

    across, down = board_size(position.game)
    figure = new_figure(0.45 * across, 0.45 * down)
    draw_probability(figure.add_axes((0, 0, 1, 1)), position, values)
    save_figure(figure, path)


@app.command(
    example="optsearch sample 10x10:5,4,3,3,2 -n 5 --seed 1",
    seconds=2,
    next_step="optsearch sample 10x10:5,4,3,3,2 --draw-boards  # as a board",
    fields="game position (false_hits false_misses) (lies) (prior prior_digest) (known) "
    "(seed configurations) sample",
    number=Option(
        "How many configurations to draw (default: 1).", flags="-n", min=1, max=MOST_PRINTED
    ),
    every=Option(f"Print every configuration instead, up to {MOST_PRINTED:,}.", flags="--all"),
    seed=Option("The same seed gives the same sample.", min=0),
    draw_boards=Option("Draw each configuration as a board; 1 2 3 … are the ships."),
)
def sample(
    start: PosteriorOptions,
    *,
    number: int | None = None,
    every: bool = False,
    seed: int | None = None,
    draw_boards: bool = False,
    noise: KnowledgeOptions,
    form: Form = Form.TEXT,
) -> None:
    """Draw configurations from those the shots leave, uniformly or by a prior.

    One configuration per line, one word per ship.
    """
    position = read_noisy_position(start, read_noise(noise))
    prior = read_prior(position.game, start.prior, noise.know or ())
    if every and (number, seed) != (None, None):
        raise OptsearchError("--all prints each configuration once; leave out -n and --seed")
    if draw_boards and form is not Form.TEXT:
        raise OptsearchError(
            f"--draw-boards does not work with --format {form.value}, which names ships"
        )
    fields = position_fields(position, prior)
    with show_progress("counting") as progress:
        posterior = posterior_of(position, prior, progress)
        if every:
            fields |= {"configurations": count_all(posterior)}
    if every:
        batches = posterior.batches(BATCH_SIZE)
    else:
        fields |= {"seed": secrets.randbits(32) if seed is None else seed}
        batches = draw_in_batches(posterior, number or 1, np.random.default_rng(fields["seed"]))
    if draw_boards:
        print_boards(posterior, batches)
        return
    # Written while it is drawn: ten million configurations do not fit into memory.
    ship_names = chain.from_iterable(map(posterior.ships, with_progress(batches)))
    if form is Form.JSON:
        print_json_sample(fields, ship_names)
        return
    if form is Form.CSV:
        click.echo("".join(f"# {key}: {value}\n" for key, value in fields.items()) + "ships")
    for names in ship_names:
        click.echo(" ".join(names))


def print_json_sample(fields: dict[str, Any], ship_names: Iterator[list[str]]) -> None:
    """Print fields and a sample as JSON, one configuration at a time.

    ship_names -- yields the names of the ships of each configuration, of which there is at least
    one.
    """
    text_of_none = json_text({**fields, "sample": []})
    click.echo(text_of_none.removesuffix("]}") + json.dumps(next(ship_names)), nl=False)
    for names in ship_names:
        click.echo(f", {json.dumps(names)}", nl=False)
    click.echo("]}")


def count_all(posterior: Posterior) -> int:
    """Return the number of configurations; raise an error if it is 0 or above `MOST_PRINTED`."""
    posterior.require_some()
    configurations = posterior.configurations
    if configurations > MOST_PRINTED:
        raise TooLarge(
            f"--all prints up to {MOST_PRINTED:,} configurations; there are {configurations:,}"
        )
    return configurations


def draw_in_batches(
    posterior: Posterior, number: int, rng: np.random.Generator
) -> Iterator[CellSets]:
    """Draw a number of configurations; yield the ships of up to `BATCH_SIZE` of them at a time."""
    for start in range(0, number, BATCH_SIZE):
        yield posterior.sample(min(BATCH_SIZE, number - start), rng, masks=True)


def with_progress(batches: Iterator[CellSets]) -> Iterator[CellSets]:
    """Yield the batches of an iterator; show progress while each is waited for."""
    while True:
        with show_progress("drawing"):
            batch = next(batches, None)
        if batch is None:
            return
        yield batch


def print_boards(posterior: Posterior, batches: Iterator[CellSets]) -> None:
    """Print each configuration as a board, and then the meaning of the signs."""
    for batch in with_progress(batches):
        for board in posterior.boards(batch):
            click.echo(f"{board}\n")
    holes = f"; {HOLE} a hole" if posterior.position.game.holes else ""
    click.echo(f". water{holes}; 1, 2, 3 ... the ships, in the order of the fleet")
