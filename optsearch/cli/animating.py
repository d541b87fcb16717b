"""The command that draws a game as a moving picture: animate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from optsearch.cli.answers import print_json
from optsearch.cli.common import (
    GameArgument,
    JsonOption,
    app,
    out,
    progress_bar,
    read_game,
    require_writable,
)
from optsearch.configurations import to_masks
from optsearch.errors import OptsearchError
from optsearch.hiding import hider
from optsearch.simulate import replay
from optsearch.strategies import as_player

FORMATS = (".gif", ".html")


@app.command(epilog="Example: optsearch animate greedy 10x10:5,4,3,3,2 --seed 1 -o game.gif")
def animate(
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="A player, as in simulate.", show_default=False)
    ],
    game: GameArgument,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="The file to write: .gif or .html.", show_default=False
        ),
    ],
    seed: Annotated[int, typer.Option(min=0, help="As in simulate.")] = 1,
    number: Annotated[
        int, typer.Option("-n", min=0, max=9999, help="Which game of simulate with this seed.")
    ] = 0,
    boards: Annotated[
        str, typer.Option(metavar="WHO", help="Who hides the ships, as in simulate.")
    ] = "uniform",
    rate: Annotated[int, typer.Option(min=1, max=50, help="Shots a second.")] = 2,
    plain: Annotated[bool, typer.Option("--plain", help="Without probabilities.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Draw a player's game shot by shot, over the probability of a ship on each cell."""
    parsed, playing = read_game(game), as_player(player)
    if output.suffix.lower() not in FORMATS:
        raise OptsearchError(
            f"cannot animate to {str(output)!r}; use a name ending in {' or '.join(FORMATS)}"
        )
    require_writable(output, parents=False)
    from optsearch.drawing.animations import animate as animate_

    who = hider(boards)
    ships = to_masks(who.boards(parsed, number + 1, seed)[number])
    end = replay(playing, parsed, number, seed=seed, boards=who)
    with progress_bar() as bar:
        task = bar.add_task("drawing", total=None, note="")

        def report(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, note=f"{done} of {total}")

        try:
            animate_(
                end,
                ships,
                output,
                title=str(playing).partition(":")[0],
                rate=rate,
                with_posterior=not plain,
                progress=report,
            )
        except OSError as error:
            raise OptsearchError(f"cannot write {str(output)!r}: {error.strerror}") from None
    shots = len(end.shots)
    if as_json:
        fields = {"strategy": str(playing), "game": str(parsed), "seed": seed, "number": number}
        print_json({**fields, "shots": shots, "file": str(output)})
    else:
        out.print(f"{playing}, {parsed}: {shots} shots, in {output}", soft_wrap=True)
