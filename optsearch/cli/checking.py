"""The commands for files that other commands wrote: check and tree."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import partial
from pathlib import Path

from optsearch import tree as tree_
from optsearch.check import certificates, proofs
from optsearch.check.trees import require_prior, verify
from optsearch.cli.answers import Answer
from optsearch.cli.app import app
from optsearch.cli.common import (
    count_text,
    exact_text,
    mean_fields,
    mean_text,
    new_figure,
    position_fields,
    prior_text,
    read_game,
    require_digest,
    require_game,
    save_figure,
    title_with_rules,
)
from optsearch.cli.options import FIGURE, Argument, Form, Option
from optsearch.counting.prior import Prior, prior_of
from optsearch.game.position import Position
from optsearch.search.identify import FORMAT as FAMILY_TREE
from optsearch.search.identify import is_identification
from optsearch.support.decimals import decimal
from optsearch.support.documents import text_of
from optsearch.support.errors import OptsearchError

FORMATS = {
    tree_.FORMAT: "tree",
    FAMILY_TREE: "family",
    proofs.FORMAT: "proof",
    certificates.FORMAT: "certificate",
}


@app.command(
    example="optsearch check proof.jsonl",
    seconds=2,
    next_step="optsearch bounds 10x10:5,4,3,3,2  # what is proved of a larger game",
    fields="what game (position) (prior prior_digest) (total_height configurations mean) (worst) "
    "(claims) (objective value bracket hidings orbits used trees method seconds)",
    file=Argument(
        "A tree of solve --tree, a proof of solve --prove, or a certificate of equilibrium "
        "--certificate.",
        metavar="FILE",
    ),
    game=Argument("The file of the family, if FILE is about one.", metavar="GAME"),
)
def check(
    file: Path, game: str | None = None, prior: str | None = None, form: Form = Form.TEXT
) -> None:
    """Check a decision tree, a proof, or the value of a game against the best hider.

    A tree is replayed on every configuration. The claims of a proof, and both sides of a value,
    are computed again, with code that shares nothing with the program that found them.
    """
    file_kind = kind_of_file(file)
    if game is not None:
        read_game(game)
    if file_kind == "family":
        raise OptsearchError(
            f"{file} is a strategy for a family of sets; name its file, too, as in optsearch check "
            f"{file} sets.csv"
        )
    if file_kind == "certificate":
        if prior is not None:
            raise OptsearchError(f"--prior ({prior!r}) is for trees and proofs, not for {file}")
        answer = check_certificate_file(file)
    elif file_kind == "tree":
        answer = check_tree(file, game, prior)
    else:
        answer = check_proof(file, game, prior)
    answer.print(form)


def kind_of_file(file: Path) -> str:
    """Return what a file has: tree, family (a tree for a family of sets), proof or certificate.

    Raises OptsearchError for any other file.
    """
    head_text = text_of(file, OptsearchError)[:300]
    match = re.search(r'"format": *"([^"]*)"', head_text)
    if match is None or match[1] not in FORMATS:
        line = head_text.partition("\n")[0]
        raise OptsearchError(
            f"{file} begins with {line[:60]!r}: it is not a file of solve --tree, solve --prove or "
            "equilibrium --certificate"
        )
    return FORMATS[match[1]]


def check_tree(file: Path, game: str | None, prior: str | None) -> Answer:
    """Replay a decision tree on every configuration; return the answer about it.

    game, prior -- the game and the prior that the file must be about; None if they are not given.
    """
    loaded, parsed_prior = read_tree(file, game, prior)
    total_height, total_weight = verify(loaded, parsed_prior), loaded.configurations
    answer = begin_answer("tree", loaded.position, parsed_prior, total_height, total_weight)
    replayed_text = f"all {total_weight:,} configurations"
    if parsed_prior is not None:
        replayed_text = f"every configuration, weight {total_weight:,}"
    answer.add_fact("replayed", f"{replayed_text}, total height {total_height:,}")
    answer.add_fact("mean shots", mean_text(total_height, total_weight))
    answer.add_fact("worst case", f"{loaded.worst} shots", worst=loaded.worst)
    return answer


def check_proof(file: Path, game: str | None, prior: str | None) -> Answer:
    """Check a proof that no strategy has a lower total height; return the answer about it.

    game -- the game that the file must be about; None accepts any. prior -- the prior of the proof
    as text, or None.
    """
    parsed_prior = None if prior is None else prior_of(prior, proofs.load(file).position.game)
    require_digest(parsed_prior, file)
    checked = proofs.check(file, parsed_prior)
    require_game(file, checked.position, game)
    total_height, total_weight = checked.total_height, checked.configurations
    answer = begin_answer("proof", checked.position, parsed_prior, total_height, total_weight)
    answer.add_fact("proved", f"no strategy has a total height below {total_height:,}")
    mean_bound = Fraction(total_height, total_weight)
    answer.add_fact("mean shots", f"at least {mean_bound} ≈ {decimal(mean_bound, 'lower')}")
    answer.add_fact("claims", f"{checked.claims:,}, each rechecked", claims=checked.claims)
    return answer


def begin_answer(
    kind: str, position: Position, prior: Prior | None, total_height: int, configurations: int
) -> Answer:
    """Return the first part of the answer about a file: its position, total height and mean."""
    return Answer.about(
        position,
        prior,
        what=kind,
        total_height=total_height,
        configurations=configurations,
        **mean_fields(total_height, configurations),
    )


def check_certificate_file(file: Path) -> Answer:
    """Check the value of a game against the best hider, from both sides; return the answer."""
    from optsearch.equilibria import check as check_certificate  # HiGHS takes a while

    checked = check_certificate(file)
    lower, upper = sorted((checked.hider, checked.shooter))
    answer = Answer(
        title_with_rules(str(checked.game), checked.game),
        what="certificate",
        game=str(checked.game),
        objective=str(checked.objective),
        value=checked.hider if checked.is_exact else None,
        bracket=[lower, upper],
    )
    is_mean = checked.objective.shots is None
    unit = "shots" if is_mean else f"to finish within {checked.objective.shots}"
    by_hider, by_shooter = ("at least", "at most") if is_mean else ("at most", "at least")
    answer.add_fact("hider", f"{by_hider} {exact_text(checked.hider)} {unit}, by {checked.method}")
    answer.add_fact(
        "shooter",
        f"{by_shooter} {exact_text(checked.shooter)}, {count_text(checked.trees, 'tree')} replayed "
        f"on {checked.hidings} ways to hide",
        hidings=checked.hidings,
        orbits=checked.orbits,
        used=checked.used,
        trees=checked.trees,
        method=checked.method,
        seconds=round(checked.seconds, 6),
    )
    value = f"from {decimal(lower, 'lower', 9)} to {decimal(upper, 'upper', 9)}"
    if checked.is_exact:
        value = exact_text(lower)
    answer.add_fact("value", f"{value}, proved")
    return answer


@app.command(
    example="optsearch tree tree.json --figure tree.pdf",
    seconds=4,
    next_step="optsearch explore 4x5:2,3,4 -o walk.html --with-tree tree.json  # walk it",
    fields="game position (prior prior_digest) total_height configurations mean worst leaves "
    "histogram",
    file=Argument("A file written by solve --tree.", metavar="FILE"),
    game=Argument("The file of the family, if FILE is a tree of one.", metavar="GAME"),
    figure=Option("Draw the tree to this file (pdf, svg or png).", writes=FIGURE),
    draw_boards=Option("Draw each node as the board at that moment."),
    depth=Option("Show only this many shots from the root.", min=1),
    whole=Option("Draw all, however large; else a drawing ends where a page of A3 does."),
)
def tree(
    file: Path,
    game: str | None = None,
    prior: str | None = None,
    figure: Path | None = None,
    draw_boards: bool = False,
    depth: int | None = None,
    whole: bool = False,
    form: Form = Form.TEXT,
) -> None:
    """Print a decision tree; draw it."""
    if (draw_boards or whole) and figure is None:
        option = "--draw-boards" if draw_boards else "--whole"
        raise OptsearchError(f"{option} is for drawings; add --figure FILE")
    if is_identification(file):
        raise OptsearchError(
            f"{file} is a strategy for a family of sets; name its file, too, as in optsearch tree "
            f"{file} sets.csv"
        )
    loaded, parsed_prior = read_tree(file, game, prior)
    drawing_text = None
    if figure is not None:
        depth_drawn = draw_tree(loaded, figure, boards=draw_boards, depth=depth, is_whole=whole)
        drawing_text = str(figure)
        if depth_drawn < loaded.worst:
            hint = "" if depth_drawn == depth else "; --whole draws all"
            drawing_text += f", {depth_drawn} of {loaded.worst} shots{hint}"
    configurations = loaded.configurations
    answer = Answer(**position_fields(loaded.position, parsed_prior))
    if not figure:
        answer.add(partial(loaded.text, depth))
    answer.add_heading(f"\n{title_with_rules(loaded.position.title, loaded.position.game)}")
    answer.add_fact("prior", prior_text(parsed_prior) or loaded.prior or None)
    answer.add_fact(
        "mean shots",
        mean_text(loaded.total_height, configurations),
        total_height=loaded.total_height,
        configurations=configurations,
        **mean_fields(loaded.total_height, configurations),
    )
    answer.add_fact("worst case", f"{loaded.worst} shots", worst=loaded.worst, leaves=loaded.leaves)
    histogram = {str(shots): count for shots, count in sorted(loaded.histogram.items())}
    shots_text = ", ".join(f"{shots}: {count:,}" for shots, count in histogram.items())
    answer.add_fact("histogram", shots_text, histogram=histogram)
    answer.set_rows({"shots": shots, "configurations": count} for shots, count in histogram.items())
    answer.add_fact("drawing", drawing_text)
    answer.print(form)


def read_tree(
    file: Path, game: str | None, prior: str | None
) -> tuple[tree_.DecisionTree, Prior | None]:
    """Return the decision tree in a file, and the prior that is given for it, or None.

    Raises an error if the file is about another game or another prior than the given ones, which
    are texts.
    """
    if game is not None:
        read_game(game)  # first, since a user's rule in the file must have been named
    loaded = tree_.load(file)
    require_game(file, loaded.position, game)
    parsed_prior = prior_of(prior, loaded.position.game)
    if parsed_prior is not None:
        require_digest(parsed_prior, file)
        require_prior(loaded, parsed_prior)
    return loaded, parsed_prior


def draw_tree(
    tree: tree_.DecisionTree, path: Path, boards: bool, depth: int | None, is_whole: bool
) -> int:
    """Draw a tree to a file whose ending names the format; return how many shots deep it is drawn.

    boards -- draw each node as a board. depth -- the most shots to draw; None draws all. is_whole
    -- False to stop where a page of A3 ends.
    """
    from optsearch.drawing.trees import draw_tree as draw_on_axes
    from optsearch.drawing.trees import page_depth, tree_figure_size

    greatest_depth = tree.worst if is_whole else page_depth(tree, boards)
    depth = min(depth or tree.worst, greatest_depth)
    figure = new_figure(*tree_figure_size(tree, boards, depth))
    draw_on_axes(figure.add_axes((0, 0, 1, 1)), tree, boards, depth)
    save_figure(figure, path)
    return depth
