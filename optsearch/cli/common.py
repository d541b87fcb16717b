"""Functions that several commands share: they read arguments, format texts, and open files."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.table import Table
from rich.text import Text

from optsearch.cli.console import Interrupted, Safe
from optsearch.cli.options import (
    NoiseOptions,
    PositionOptions,
    PosteriorOptions,
    RunOptions,
    WorkerOptions,
)
from optsearch.counting.conflicts import position_of
from optsearch.counting.prior import Prior, prior_of
from optsearch.game import Cell, Game, bits, cell_name, column_name, drawn_board, holes_text
from optsearch.game.fleets import MixedGame, any_game, position_in
from optsearch.game.named_games import split_name
from optsearch.game.noise import Lies, Noise, NoisyPosition
from optsearch.game.position import Position
from optsearch.game.ranges import expand_range
from optsearch.questions.known import KnownAnswers, known
from optsearch.support.cluster import cluster
from optsearch.support.decimals import decimal
from optsearch.support.documents import text_of
from optsearch.support.errors import (
    GameError,
    OptsearchError,
    PositionError,
    StrategyError,
    WorkerLost,
)
from optsearch.support.files import replacing
from optsearch.support.workers import Execution, process_pool

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Output(Safe):
    """The console of standard output; in a file or a pipe its lines are not wrapped or padded."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does; outside a terminal, without wrapping and blanks at line ends."""
        if self.is_terminal:
            super().print(*objects, **options)
            return
        buffer = StringIO()
        Safe(file=buffer, width=_ENDLESS_WIDTH).print(*objects, **options)
        self.file.write("\n".join(line.rstrip() for line in buffer.getvalue().split("\n")))
        self.file.flush()


_ENDLESS_WIDTH = 1 << 16


def facts_table() -> Table:
    """Return an empty table of two columns, labels and texts; long texts are wrapped."""
    facts = Table.grid(padding=(0, 2))
    facts.add_column()
    facts.add_column(overflow="fold")
    return facts


out = Output()

MOST_DRAWN = 1 << 16  # bytes of a drawn board
MOST_NAME_SIGNS = 256  # signs of a name that a file can have
MOST_LISTED = 1 << 20  # bytes of a list of games


def read_game(text: str, parse: Callable[[str], Game] = Game.parse) -> Game:
    """Return the game that an argument describes.

    In `FILE:FLEET…` the file has a drawing of the board. Every other text goes to `parse`, also
    `FILE.json#BOARD:FLEET…`, a board in a file of boards. A command that accepts an unknown fleet
    passes `any_game` as `parse`.
    """
    if ".json#" in text or split_name(text):
        return parse(text)
    file, colon, fleet = text.partition(":")
    if Path(file).suffix == ".json":
        raise GameError(
            f"{text!r} does not say which board of the file; write FILE.json#BOARD:SHIP,SHIP,… (a "
            "board drawn with . and - is FILE.txt:SHIP,SHIP,…)"
        )
    if not colon:
        if len(file) < MOST_NAME_SIGNS and Path(file).is_file():
            raise GameError(f"{text!r} has no fleet; write it after a colon, as in {text}:5,4,3")
        return parse(text)
    has_drawing = Path(file).suffix == ".txt" or "/" in file or Path(file).is_file()
    if not has_drawing:
        return parse(text)
    rows, columns, holes = drawn_board(read_drawing(Path(file)))
    option = f",holes={holes_text(holes, columns)}" if holes else ""
    return parse(f"{rows}x{columns}:{fleet}{option}")


def read_games(texts: Iterable[str]) -> list[Game]:
    """Return the games of some arguments, each a game, a range, a file or - (`expand_games`)."""
    return list(map(read_game, expand_games(texts)))


def expand_games(texts: Iterable[str]) -> Iterator[str]:
    """Yield the text of each game that some arguments describe.

    An argument is a game, a range of boards, a file with a game or a range on each line, or - for
    such lines on standard input. The part of a line after # is a comment. Raises GameError for an
    empty list or range, and for a game in a list whose rule, in a user's file, was not named
    before.
    """
    for text in texts:
        is_game = ":" in text or split_name(text) or not Path(text).is_file()
        if text != "-" and is_game:
            yield from expand_range(text)
            continue
        for line in _listed_lines(text):
            for game in expand_range(line):
                # a user's rule in a list must have been named before, which `read` checks
                yield str(Game.read(game)) if ".py:" in game else game


def _listed_lines(source: str) -> list[str]:
    """Return the lines of a file, or of standard input for -, without comments and empty lines.

    Raises GameError if no line is left.
    """
    is_piped = source == "-"
    content = sys.stdin.read(MOST_LISTED) if is_piped else text_of(source, GameError, MOST_LISTED)
    lines = [re.split(r"(?:^|\s)#", line)[0].strip() for line in content.splitlines()]
    if not any(lines):
        source_text = "standard input" if is_piped else repr(source)
        raise GameError(f"{source_text} has no game; write one on each line, such as 4x4:3,2")
    return list(filter(None, lines))


def read_drawing(board: Path) -> str:
    """Return the text of a file with a drawn board; raise PositionError if it cannot be read."""
    return text_of(board, PositionError, MOST_DRAWN)


def read_position(start: PositionOptions, parse: Callable[[str], Game] = Game.parse) -> Position:
    """Return the position that the options describe, by shots or by a drawn board.

    parse -- reads the game, as in `read_game`.
    """
    game, board = read_game(start.game, parse), start.board
    if board is None:
        if start.marks:
            raise PositionError(
                f"--marks {start.marks!r} is about a drawn board; give --board, too"
            )
        return position_of(game, start.shots)
    if start.shots:
        raise PositionError(f"give --shots ({start.shots!r}) or --board ({str(board)!r}), not both")
    if board.suffix == ".json":
        raise PositionError(
            f"--board {str(board)!r} is a drawn position: one line per row, . not shot, X hit, o "
            "miss; a file of boards is part of the game, as in FILE.json#BOARD:SHIP,SHIP,…"
        )
    return type(position_in(game)).from_board(game, read_drawing(board), start.marks)


def read_position_and_prior(
    start: PosteriorOptions, parse: Callable[[str], Game] = Game.parse
) -> tuple[Position, Prior | None]:
    """Return the position that the options describe, and the prior, if one is given."""
    position = read_position(start, parse)
    return position, prior_of(start.prior, position.game)


def read_noise(options: NoiseOptions) -> Noise | Lies | None:
    """Return how replies may be false, as the options say; None if all are true."""
    if options.false_hits is None and options.false_misses is None:
        return None if options.lies is None else Lies(options.lies)
    if options.lies is not None:
        raise PositionError(
            f"--lies {options.lies} does not work with --false-hits and --false-misses; give one "
            "or the others"
        )
    return Noise.parse(options.false_hits or "0", options.false_misses or "0")


def read_noisy_position(
    start: PositionOptions, noise: Noise | Lies | None
) -> Position | NoisyPosition:
    """Return the position that the options describe; its fleet may be unknown.

    noise -- how its replies may be false, or None if they are true.
    """
    if noise is None:
        return read_position(start, any_game)
    if start.board is not None:
        raise PositionError(
            f"--board {str(start.board)!r} does not work with --false-hits, --false-misses and "
            "--lies, since a cell may be shot several times; give --shots"
        )
    return NoisyPosition.parse(read_game(start.game), noise, start.shots)


def read_prior(game: Game, prior: str | None, know: Sequence[str] = ()) -> Prior | None:
    """Return the prior that an argument names, restricted to the known answers `know`."""
    return known(game, *know, prior=prior_of(prior, game))


def position_fields(
    position: Position | NoisyPosition, prior: Prior | None = None
) -> dict[str, Any]:
    """Return the fields of a JSON answer for a position: game, position, noise and prior."""
    noise = position.noise if isinstance(position, NoisyPosition) else None
    return {
        "game": str(position.game),
        "position": str(position),
        **noise_fields(noise),
        **prior_fields(prior),
    }


def title_with_rules(title: str, game: Game) -> str:
    """Return a title, followed by the rules that the text of the game does not mention."""
    return ": ".join(filter(None, (title, game.unwritten_rules)))


def end_text(game: Game) -> str:
    """Return what ends a game, in words."""
    return "a ship is hit" if game.ends_at_hit else "every ship is sunk"


def noise_fields(noise: Noise | Lies | None) -> dict[str, Any]:
    """Return the fields of a JSON answer for false replies; none if all replies are true."""
    if noise is None:
        return {}
    if isinstance(noise, Lies):
        return {"lies": noise.limit}
    return {"false_hits": float(noise.false_hits), "false_misses": float(noise.false_misses)}


def prior_fields(prior: Prior | None) -> dict[str, Any]:
    """Return the fields of a JSON answer for a prior and known answers; none without them."""
    if isinstance(prior, KnownAnswers):
        return {**prior_fields(prior.base), "known": list(map(str, prior.answers))}
    if prior is None:
        return {}
    digest_fields = {"prior_digest": prior.digest} if prior.has_digest else {}
    return {"prior": prior.name, **digest_fields}


def prior_text(prior: Prior | None) -> str | None:
    """Return the name and digest of a prior; None without a prior."""
    if isinstance(prior, KnownAnswers):
        return prior_text(prior.base)
    if prior is None:
        return None
    return f"{prior.name}, {prior.digest}" if prior.has_digest else prior.name


def known_answers_text(prior: Prior | None) -> str | None:
    """Return the known answers in one line; None without any."""
    return ", ".join(map(str, prior.answers)) if isinstance(prior, KnownAnswers) else None


def refuse_with_unknown_fleet(game: MixedGame, **options: object) -> None:
    """Raise NotSupported if an option is given; the options need a known fleet.

    game -- its fleet is not known. options -- the values by name.
    """
    values = {f"--{name.replace('_', '-')}": value for name, value in options.items()}
    game.refuse_options(**values)


def require_digest(prior: Prior | None, *paths: Path | None) -> None:
    """Raise an error for a prior without a digest of its weights if a file names it.

    paths -- the files that name the prior; None for one that is not given.
    """
    for path in paths:
        if prior is not None and path is not None:
            prior.require_digest(repr(str(path)))


def mean_fields(total_height: int | None, configurations: int) -> dict[str, Any]:
    """Return the fields `mean` and `mean_exact` of a JSON answer.

    The exact text is total height / configurations, not reduced, as in the paper. Without a total
    height the mean is None.
    """
    if total_height is None:
        return {"mean": None}
    exact = f"{total_height}/{configurations}"
    return {"mean": Fraction(total_height, configurations), "mean_exact": exact}


def mean_text(total_height: int, configurations: int) -> str:
    """Format a mean, as in "497/44 = 11.295455"; the fraction is not reduced."""
    return f"{total_height}/{configurations} = {decimal(Fraction(total_height, configurations))}"


def exact_text(value: Fraction) -> str:
    """Format a number as a reduced fraction and as a decimal, as in "53/12 = 4.416667"."""
    return f"{value} = {float(value):.6f}"


def require_game(file: Path, position: Position, game: str | None) -> None:
    """Raise GameError if the position of a file is of another game than the one that is given.

    game -- the game as text; None accepts any.
    """
    if game is not None and read_game(game) != position.game:
        raise GameError(f"{file} is about {position.game}, not {game!r}; leave out the game")


def cell_names(cells: Iterable[Cell]) -> list[str]:
    """Return the names of cells, such as A1."""
    return [cell_name(cell) for cell in cells]


def configurations_text(number: int, prior: Prior | None = None) -> str:
    """Format a number of configurations; with a prior it is their total weight."""
    return count_text(number, "configuration") if prior is None else f"a weight of {number:,}"


def count_text(number: int, noun: str, plural: str = "") -> str:
    """Format a number with its noun, as in "1 ship" or "2,000 ships".

    plural -- the plural of the noun, if it is not the noun with an s.
    """
    if number != 1:
        noun = plural or f"{noun}s"
    return f"{number:,} {noun}"


def align_columns(rows: Sequence[Sequence[str]], is_right_aligned: bool = False) -> str:
    """Format rows of texts as lines with aligned columns.

    is_right_aligned -- True to align all columns but the first at the right.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    align_others = str.rjust if is_right_aligned else str.ljust
    lines = (
        "  ".join([row[0].ljust(widths[0]), *map(align_others, row[1:], widths[1:])])
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def board_text(game: Game, texts: Sequence[Sequence[str]]) -> str:
    """Draw a board with a text in each cell, column letters above and row numbers at the left.

    texts -- by row and column.
    """
    return board_in_colours(game, texts).plain


def board_in_colours(
    game: Game,
    texts: Sequence[Sequence[str]],
    styles: Mapping[Cell, str] | None = None,
    marked: Cell | None = None,
) -> Text:
    """Draw a board with a text in each cell, in styles of rich.

    A grid has column letters above and row numbers at the left. On a board from a file the columns
    need not line up, so each line begins with the names of its first and last cell.

    texts -- by row and column. styles -- of some cells, as in "bold red". marked -- a cell that
    gets a › before it.
    """
    centres = game.board.centres
    lines = _lines_of_board(game, texts)
    margin = max(len(line.name) for line in lines)
    text_width = max(len(text) for row in texts for text in row)
    if not game.board.digest:
        text_width = max(text_width, len(column_name(game.board.columns - 1)))
    cell_width = text_width + 2
    has_half_columns = any(x % 1 for x, _ in centres)
    if has_half_columns:
        cell_width += cell_width % 2  # half a cell is then a whole number of letters
    leftmost = min(x for x, _ in centres)

    def draw_line(line: BoardLine) -> Text:
        drawn = Text()
        for index, text in line.texts:
            start = margin + round(cell_width * (centres[index][0] - leftmost))
            if not drawn:
                drawn.append(line.name.rjust(start))
            drawn.append(" " * (start - len(drawn)))
            mark, style = "", None
            if not line.is_heading:
                mark = "›" if game.cell(index) == marked else ""
                style = (styles or {}).get(game.cell(index))
            drawn.append(mark.rjust(cell_width - text_width) + text.rjust(text_width), style)
        return drawn

    return Text("\n").join(map(draw_line, lines))


class BoardLine(NamedTuple):
    """A line of a drawn board: its name, and the index and the text of each of its cells.

    In the heading the indices are those of the first row, and the texts are column letters.
    """

    name: str
    texts: list[tuple[int, str]]
    is_heading: bool = False


def _lines_of_board(game: Game, texts: Sequence[Sequence[str]]) -> list[BoardLine]:
    """Return the lines of a drawn board from top to bottom; a grid begins with its heading.

    texts -- the text in each cell, by row and column.
    """
    board, is_grid = game.board, not game.board.digest  # only a board from a file has a digest
    cells_by_height: dict[float, list[int]] = {}
    for index in bits(((1 << board.cells) - 1) & ~board.empty):
        cells_by_height.setdefault(round(board.centres[index][1], 6), []).append(index)
    lines = []
    if is_grid:
        column_letters = [(column, column_name(column)) for column in range(board.columns)]
        lines.append(BoardLine("", column_letters, is_heading=True))
    for _, cells in sorted(cells_by_height.items()):
        cells.sort(key=lambda index: board.centres[index])
        first, last = game.cell(cells[0]), game.cell(cells[-1])
        name = str(first[0] + 1) if is_grid else f"{cell_name(first)}–{cell_name(last)}"
        line = BoardLine(name, [])
        for index in cells:
            row, column = game.cell(index)
            line.texts.append((index, texts[row][column]))
        lines.append(line)
    return lines


@contextmanager
def explain_resuming(option: str, folder: Path | None) -> Iterator[None]:
    """Add a hint how to resume to the error, if ctrl-C or a lost worker ends the context.

    Ctrl-C raises Interrupted. option -- the option that names the folder with finished work.
    folder -- its value, or None.
    """
    hint = f"what is done is in {folder}, and the same command goes on from there"
    if folder is None:
        hint = f"with {option} FOLDER, what is done would be kept"
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted("" if folder is None else f"; {hint}") from None
    except WorkerLost as lost:
        raise WorkerLost(f"{lost}; fewer --jobs may do; {hint}") from None


def require_game_last(command: str, players: Sequence[str], game: str) -> None:
    """Raise StrategyError if a player is a game, which comes last on the command line."""
    for player in players:
        try:
            Game.parse(player)
        except GameError:
            continue  # not a game
        others = [other for other in (*players, game) if other != player]
        raise StrategyError(
            f"{player!r} is a game, which comes last, as in optsearch {command} "
            f"{' '.join((*others, player))}"
        )


# Files that are written


@contextmanager
def replacement_for(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file to write; it replaces `path` at the end."""
    try:
        with replacing(path) as temporary_file:
            yield temporary_file
    except OSError as error:
        raise OptsearchError(f"cannot write {str(path)!r}: {error.strerror or error}") from None


def new_figure(width: float, height: float, **options: Any) -> Figure:
    """Return an empty figure of a size in inches, with the font for papers."""
    # Imported here, because matplotlib takes longer to load than most commands take to run.
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    from optsearch.drawing.boards import PRINT

    rcParams.update(PRINT)
    return Figure(figsize=(width, height), **options)


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure to a file whose ending names the format."""
    with replacement_for(path) as temporary_file:
        figure.savefig(temporary_file, bbox_inches="tight", dpi=200)


# Processes, and a Dask cluster


@contextmanager
def open_executor(options: WorkerOptions | RunOptions) -> Iterator[tuple[Executor | None, int]]:
    """Yield an executor, a Dask cluster or a pool of processes, and how many tasks it runs at once.

    For one process, or if no number is given, the executor is None and the number 1.
    """
    with open_cluster(options, default_jobs=1) as (executor, workers):
        if executor is not None or workers == 1:
            yield executor, workers
            return
        with process_pool(workers) as pool:
            yield pool, workers


@contextmanager
def resumable_execution(options: RunOptions) -> Iterator[Execution]:
    """Yield the execution that the options describe; an interrupt gets a hint how to resume."""
    with (
        explain_resuming("--resume", options.resume),
        open_cluster(options) as (executor, jobs),
    ):
        yield Execution(executor=executor, jobs=jobs, checkpoint=options.resume)


@contextmanager
def open_cluster(
    options: WorkerOptions | RunOptions, default_jobs: int | None = None
) -> Iterator[tuple[Executor | None, int]]:
    """Yield a Dask cluster, or None without --dask, and the number of tasks to run at once.

    Without --dask the number is that of --jobs. default_jobs -- the number without --jobs (default:
    the number of processors).
    """
    jobs, dask = options.jobs, options.dask
    if dask is None:
        yield None, jobs or default_jobs or os.cpu_count() or 1
        return
    if jobs is not None:
        raise OptsearchError(
            f"give --jobs ({jobs}) or --dask ({dask!r}), not both: a cluster has its own processes"
        )
    with cluster(dask) as executor:
        yield executor, executor.workers
