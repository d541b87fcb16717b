"""The commands that play games of players: simulate and animate."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import (
    align_columns,
    noise_fields,
    prior_fields,
    read_game,
    read_noise,
    replacement_for,
    require_game_last,
    resumable_execution,
    title_with_rules,
)
from optsearch.cli.estimates import announce_game, announce_simulation
from optsearch.cli.options import OUTPUT, Argument, Form, Option, ReplyOptions, RunOptions
from optsearch.cli.progress import show_progress
from optsearch.counting.configurations import to_masks
from optsearch.counting.prior import Prior, prior_of
from optsearch.game.fleets import any_game
from optsearch.game.position import Position
from optsearch.play.hiding import Drawn, hider
from optsearch.play.simulate import (
    HEADS,
    MOST_GAMES,
    Difference,
    ReplyModel,
    Simulation,
    number_text,
    replay,
)
from optsearch.play.simulate import simulate as simulate_
from optsearch.show import animation
from optsearch.strategies import as_player
from optsearch.strategies.player import salvo_size
from optsearch.support.errors import StrategyError
from optsearch.support.progress import Progress, Status

MOST_SHOWN = 10  # players of whom all differences are printed


@dataclass(frozen=True)
class BoardOptions:
    """Which board is played: the hider and the seed of the boards, and the number of the board."""

    seed: int = 1
    number: int = 0
    boards: str = "uniform"


@dataclass(frozen=True)
class GamesOptions:
    """The boards that all players play: their number, their seed, and who hides the ships."""

    games: int = 10000
    seed: int = 1
    boards: str | None = None


@app.command(
    example="optsearch simulate greedy spread 4x5:2,3,4 --games 100",
    seconds=3,
    next_step="optsearch evaluate greedy 4x5:2,3,4  # exactly, on all configurations",
    fields="game seed boards (prior prior_digest) (false_hits false_misses) (lies) (salvo) "
    "(within) players",
    arguments=Argument(
        "Players, such as greedy, heuristic:version=3 or my_file.py:NAME, and the game.",
        metavar="PLAYER... GAME",
    ),
    games=Option("How many boards each player plays.", min=1, max=MOST_GAMES),
    seed=Option("The same seed gives the same games.", min=0),
    boards=Option(
        "Who hides the ships: uniform, corner, one-by-one, FILE.csv (a prior) or FILE.py:NAME; "
        "by default as --prior says.",
        metavar="HIDER",
    ),
    prior=Option(
        "How likely each configuration is: boards are drawn by it, and thompson knows it.",
        metavar="PRIOR",
    ),
)
def simulate(
    arguments: list[str],
    *,
    options: GamesOptions,
    run: RunOptions,
    prior: str | None = None,
    replies: ReplyOptions,
    within: int | None = None,
    form: Form = Form.TEXT,
) -> None:
    """Play games on hidden boards, all players on the same boards.

    Prints means, histograms and paired differences. `optsearch strategies` lists the names.
    """
    *players, game = arguments
    require_game_last("simulate", players, game)
    parsed = read_game(game, any_game)
    if not players:
        raise StrategyError(f"nobody plays {parsed}; write PLAYER... GAME, as in greedy {parsed}")
    parsed_prior = prior_of(prior, parsed)
    if options.boards is not None:
        boards, boards_text = hider(options.boards), options.boards
    else:
        boards = Drawn(parsed_prior)
        boards_text = "uniform" if parsed_prior is None else f"by {parsed_prior.name}"
    reply_model = ReplyModel(read_noise(replies), salvo_size(replies.salvo))
    with resumable_execution(run) as execution:
        workers = execution.tasks_at_once
        announce_simulation(players, parsed, options.games, reply_model, workers)
        with show_simulation_progress() as progress:
            simulation = simulate_(
                players,
                parsed,
                games=options.games,
                seed=options.seed,
                boards=boards,
                prior=parsed_prior,
                reply_model=reply_model,
                execution=replace(execution, progress=progress),
            )
    answer_of(simulation, boards_text, parsed_prior, within).print(form)


def answer_of(
    simulation: Simulation, boards: str, prior: Prior | None, within: int | None
) -> Answer:
    """Return the answer about a simulation: a table of the players, and one of differences.

    boards -- who hides the ships, as a text. within -- a number of shots; the share of games that
    end within them is added.
    """
    outcomes, game, reply_model = simulation.outcomes, simulation.game, simulation.reply_model
    has_salvos = reply_model.salvo != 1
    salvo_fields = {"salvo": reply_model.salvo or "afloat"} if has_salvos else {}
    answer = Answer(
        title_with_rules(str(game), game),
        game=str(game),
        seed=simulation.seed,
        boards=boards,
        **prior_fields(prior),
        **noise_fields(reply_model.noise),
        **salvo_fields,
    )
    # a table for people, the fields of the JSON, and the rows of the CSV: one entry per player each
    heads = [*HEADS]
    player_texts = [[*outcome.texts] for outcome in outcomes]
    player_fields = [outcome.to_dict() for outcome in outcomes]
    csv_rows = simulation.to_dicts()
    if has_salvos:
        heads.append("salvos")
        for outcome, texts in zip(outcomes, player_texts, strict=True):
            texts.append(f"{outcome.salvos.mean():.4f}")
    if within is not None:
        heads.append(f"within {within}")
        answer.add(within=within)
        for index, outcome in enumerate(outcomes):
            finished = outcome.finished_within(within)
            share = finished / outcome.games
            player_texts[index].append(f"{share:.4f}")
            player_fields[index] |= {"finished": finished, "share": share}
            csv_rows[index] |= {"finished": finished, "share": share}
    model_text = f", {reply_model}" if str(reply_model) else ""
    games_text = f"{outcomes[0].games:,} games, seed {simulation.seed}, boards {boards}{model_text}"
    answer.add(f"{games_text}\n", align_columns([heads, *player_texts]), players=player_fields)
    answer.set_rows(csv_rows)
    if 1 < len(outcomes) <= MOST_SHOWN:
        answer.add_heading("\nshots more, on the same boards")
        answer.add(align_columns(list(map(difference_texts, simulation.differences()))))
    resumed = f", {simulation.resumed:,} games were played before" if simulation.resumed else ""
    answer.add(f"\n{simulation.seconds:,.1f} seconds{resumed}")
    return answer


def difference_texts(difference: Difference) -> tuple[str, ...]:
    """Return a difference as texts of columns: slower player, "than", faster one, mean ± error."""
    mean = f"{difference.mean:.4f} ± {number_text(difference.standard_error, 4)}"
    return difference.slower, "than", difference.faster, mean


def show_simulation_progress() -> AbstractContextManager[Progress[Status]]:
    """Show progress of a simulation; yield a function to call with each status."""
    return show_progress(
        "playing", lambda status: f"{status.rate:,.1f} games a second, {status.total:,} in all"
    )


@app.command(
    example="optsearch animate greedy 5x5:3,2 -o game.gif",
    seconds=4,
    next_step="optsearch simulate greedy 5x5:3,2 --games 100  # the shots of many games",
    fields="strategy game seed number shots file",
    player=Argument("A player, as in simulate.", metavar="PLAYER"),
    output=OUTPUT("The file to write: .gif or .html.", writes=".gif .html"),
    seed=Option("The same seed gives the same game.", min=0),
    number=Option("Which game of those that simulate plays with this seed.", min=0, max=9999),
    boards=Option("Who hides the ships, as in simulate.", metavar="HIDER"),
    rate=Option("Shots per second.", min=1, max=50),
    plain=Option("Draw no probabilities."),
)
def animate(
    player: str,
    game: str,
    output: Path,
    *,
    board: BoardOptions,
    rate: int = 2,
    plain: bool = False,
    form: Form = Form.TEXT,
) -> None:
    """Draw a player's game shot by shot, with the probability of a ship on each cell."""
    parsed, parsed_player = read_game(game), as_player(player)
    seed, game_number, ship_hider = board.seed, board.number, hider(board.boards)
    ships = to_masks(ship_hider.boards(parsed, game_number + 1, seed)[game_number])
    announce_game(parsed_player, parsed)
    with show_progress("playing") as progress:
        end_position = replay(
            parsed_player, parsed, game_number, seed=seed, boards=ship_hider, progress=progress
        )
    assert isinstance(end_position, Position)  # of a game with true replies
    title = str(parsed_player).partition(":")[0]
    with show_progress("drawing") as progress, replacement_for(output) as temporary_file:
        if output.suffix.lower() == ".html":
            content = animation.page_data(
                end_position, ships, title, rate, with_posterior=not plain, progress=progress
            )
            temporary_file.write_text(animation.page(content), encoding="utf-8")
        else:
            from optsearch.drawing.animations import animate as animate_

            animate_(
                end_position,
                ships,
                temporary_file,
                title=title,
                rate=rate,
                with_posterior=not plain,
                progress=progress,
            )
    shots = len(end_position.shots)
    answer = Answer(strategy=str(parsed_player), game=str(parsed), seed=seed, number=game_number)
    summary_text = f"{parsed_player}, {parsed}: {shots} shots, in {output}"
    answer.add(summary_text, shots=shots, file=str(output))
    answer.print(form)
