"""The command serve, which serves a board for the browser."""

from __future__ import annotations

from optsearch.cli.app import app
from optsearch.cli.common import out, read_game
from optsearch.cli.console import Interrupted
from optsearch.cli.options import Argument, Option
from optsearch.counting.mixture import posterior_of
from optsearch.counting.prior import prior_of
from optsearch.evaluation.choosing import Chooser
from optsearch.game import MAX_CELLS
from optsearch.game.fleets import any_game, position_in
from optsearch.play.match import OPPONENTS
from optsearch.strategies import as_player
from optsearch.support.errors import OptsearchError


@app.command(
    example="optsearch serve boxed",
    seconds=3,
    next_step="optsearch explore 3x4:2 -o walk.html  # a page without a server",
    game=Argument("The game; without it the page asks which.", metavar="GAME"),
    by=Option(
        "Show the shot of this strategy, such as spread, beside the most probable cells. It "
        "ignores a prior. Can be given more than once.",
        metavar="STRATEGY",
    ),
    against=Option(
        "A player to play against, beside those that have a name. Can be given more than once.",
        metavar="PLAYER",
    ),
    port=Option("The port; 0 takes a free one.", min=0, max=65535),
    host=Option(
        "An address of this machine, for a phone in the same network. The connection is not "
        "encrypted.",
        metavar="ADDRESS",
    ),
    no_browser=Option("Print the address and open no browser."),
)
def serve(
    game: str | None = None,
    prior: str | None = None,
    by: list[str] | None = None,
    against: list[str] | None = None,
    port: int = 0,
    host: str = "127.0.0.1",
    no_browser: bool = False,
) -> None:
    """Serve a board for the browser: advice, play and review.

    Without GAME the page asks which; it can change the game and its rules. Ctrl-C ends it.
    """
    try:
        from optsearch.board.running import LOCAL
        from optsearch.board.running import serve as serve_
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn", "h11", "anyio"):
            raise
        raise OptsearchError(
            f"serve needs {error.name}, which is not installed; install it with: pip install "
            "starlette uvicorn"
        ) from None
    from optsearch.board.answers import Setting, require_room

    for name in against or ():
        if name not in OPPONENTS:
            as_player(name)
    if game is None and (prior or by):
        raise OptsearchError(
            "--prior and --by belong to a game; name it, as in optsearch serve boxed"
        )
    setting = None
    if game is not None:
        parsed = read_game(game, any_game)
        prior_of(prior, parsed)
        for name in by or ():
            Chooser(name, parsed).shot(position_in(parsed))
        require_room(parsed)
        if parsed.cells <= MAX_CELLS:  # larger ones take long; the page says what comes out
            posterior_of(position_in(parsed)).require_some()
        setting = Setting(parsed, prior, tuple(by or ()), tuple(against or ()))

    def print_address(address: str) -> None:
        out.print(f"{setting.game if setting else 'board'}: {address}", soft_wrap=True)
        if host != LOCAL:
            out.print(
                f"The connection to {host} is not encrypted. Whoever has this address can use the "
                "board, and sees nothing else of this machine.",
                soft_wrap=True,
            )
        out.print("ctrl-C ends it", soft_wrap=True)

    try:
        opponents = tuple(against or ())
        serve_(setting, opponents, host, port, is_opened=not no_browser, say=print_address)
    except KeyboardInterrupt:
        raise Interrupted("; games under way are lost") from None
