"""The command that draws a game as a moving picture or a page: animate."""

from __future__ import annotations

from pathlib import Path

from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import read_game, writing
from optsearch.cli.estimates import announce_game
from optsearch.cli.options import OUTPUT, Argument, Form, Option
from optsearch.cli.progress import telling
from optsearch.counting.configurations import to_masks
from optsearch.game.position import Position
from optsearch.play.hiding import hider
from optsearch.play.simulate import replay
from optsearch.show import animation
from optsearch.strategies import as_player


@app.command(
    example="optsearch animate greedy 5x5:3,2 -o game.gif",
    takes=4,
    then="optsearch simulate greedy 5x5:3,2 --games 100  # the shots of many games",
    gives="strategy game seed number shots file",
    player=Argument("A player, as in simulate.", metavar="PLAYER"),
    output=OUTPUT("The file to write: .gif or .html.", writes=".gif .html"),
    seed=Option("As in simulate.", min=0),
    number=Option("Which game of simulate with this seed.", min=0, max=9999),
    boards=Option("Who hides the ships, as in simulate.", metavar="HIDER"),
    rate=Option("Shots per second.", min=1, max=50),
    plain=Option("Without probabilities."),
)
def animate(
    player: str,
    game: str,
    output: Path,
    seed: int = 1,
    number: int = 0,
    boards: str = "uniform",
    rate: int = 2,
    plain: bool = False,
    form: Form = Form.TEXT,
) -> None:
    """Draw a player's game shot by shot, with the probability of a ship on each cell."""
    parsed, playing = read_game(game), as_player(player)
    who = hider(boards)
    ships = to_masks(who.boards(parsed, number + 1, seed)[number])
    announce_game(playing, parsed)
    with telling("playing") as progress:
        end = replay(playing, parsed, number, seed=seed, boards=who, progress=progress)
    assert isinstance(end, Position)  # of a game with true replies
    title = str(playing).partition(":")[0]
    with telling("drawing") as progress, writing(output) as beside:
        if output.suffix.lower() == ".html":
            content = animation.data(end, ships, title, rate, not plain, progress)
            beside.write_text(animation.page(content), encoding="utf-8")
        else:
            from optsearch.drawing.animations import animate as animate_

            animate_(
                end,
                ships,
                beside,
                title=title,
                rate=rate,
                with_posterior=not plain,
                progress=progress,
            )
    shots = len(end.shots)
    answer = Answer(strategy=str(playing), game=str(parsed), seed=seed, number=number)
    text = f"{playing}, {parsed}: {shots} shots, in {output}"
    answer.show(text, shots=shots, file=str(output))
    answer.print(form)
