"""The brackets of the paper's game and of the boxed game: python -m experiments.bracket [GAME]

Every bound that `optsearch bounds GAME` prints, lower ones first; both sides from weak to strong.
A GAME that is named is written alone; but for the boxed game, to bracket.csv.
A bound of the paper's game that is better than all before is one more row of bracket_history.csv.
"""

from pathlib import Path
from typing import Any

from experiments import script
from optsearch.game import Game
from optsearch.results.bracket import bounds
from optsearch.results.tables import BOXED_BRACKET, BRACKET, BRACKET_HISTORY

STANDARD = Game.parse("10x10:5,4,3,3,2")
BOXED = Game.parse("10x10:5,4,3,3,2,contact=any,announce=ship")


def write(game: Game, folder: Path, command: str) -> None:
    """Collect the bounds of a game and write them; the command says what the user ran."""
    found = bounds(game)
    lower = [bound for bound in found.bounds if bound.side == "lower"]
    upper = [bound for bound in found.bounds if bound.side == "upper"]
    upper.sort(key=lambda bound: bound.value, reverse=True)
    table = BOXED_BRACKET if game == BOXED else BRACKET
    path = table.write(
        [(b.side, b.name, found.decimal(b), b.value, b.source) for b in lower + upper],
        folder,
        command=command,
        fields={"game": game},
        game=game,
    )
    print(f"{script.typed_path(path)}: {found.text}")


KNOWN = (
    "by the paper, or by the table of bounds of the commit that is named; a row is added when "
    "experiments.bracket finds a better bound"
)


def is_better(side: str, value: Any, than: Any) -> bool:
    """Whether a bound of a side says more than another."""
    return bool(value > than if side == "lower" else value < than)


def add_to_history(folder: Path) -> None:
    """Write the committed history, and after it what the bracket in a folder has better."""
    table = BRACKET.read(BRACKET.path(folder))
    steps = [tuple(row.values()) for row in BRACKET_HISTORY.read()]
    for side in ("lower", "upper"):
        best = [row for row in table if row["side"] == side][-1]
        last = [step for step in steps if step[1] == side][-1]
        if is_better(side, best["value_exact"], last[4]):
            commit = table.header["commit"][:9]
            source = f"data/results/{BRACKET.file}, computed at commit {commit}"
            values = best["name"], best["value"], best["value_exact"]
            steps.append((table.header["date"], side, *values, source))
    path = BRACKET_HISTORY.write(steps, folder, fields={"known": KNOWN}, game=STANDARD)
    print(f"{script.typed_path(path)}: {len(steps)} steps")


def main() -> None:
    """Collect and write the tables."""
    parser = script.parser(__doc__, "bracket")
    parser.add_argument("game", nargs="?", type=script.game)
    arguments = parser.parse_args()
    if arguments.game is None:
        for game in (STANDARD, BOXED):
            write(game, arguments.output, BRACKET.command)
        add_to_history(arguments.output)
    else:
        write(arguments.game, arguments.output, f"{BRACKET.command} {arguments.game}")


if __name__ == "__main__":
    script.run(main)
