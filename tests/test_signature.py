"""Golden numbers: whatever is made simpler or faster, these stay as they are.

`tests/golden/signature.csv` has the regression signature of the search: the value of 60 questions,
and how many nodes and subsets it takes to find. A commit that changes a number of nodes says why.
Values were confirmed by `data/results/optima.csv`, or by the oracle; no
commit changes one. `histograms.csv` has the shots that six strategies need over all configurations
of twelve games, `posteriors.csv` how many configurations 200 positions leave, with a digest of how
many of them have a ship on each cell, and `finished.csv` the bound A(l) of the paper's game by its
first ship (docs/lower-bounds.md).

WRITE_GOLDEN=1 writes them anew from the questions that they hold.
"""

import csv
import os
from functools import cache
from hashlib import blake2b
from math import comb
from pathlib import Path

import pytest

from experiments.lower_bounds import read_beside
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import prior_of
from optsearch.evaluation import evaluate
from optsearch.game import Game
from optsearch.game.objective import Objective
from optsearch.game.position import Position
from optsearch.lower_bounds.coverage import CellSetCounts, Coverage
from optsearch.lower_bounds.first_ship import ChainLimits, finished_by_first_ship
from optsearch.search import identify
from optsearch.search.solver import solve

FOLDER = Path(__file__).parent / "golden"
RESULTS = Path(__file__).parent.parent / "data" / "results"
PAPER = Game.parse("10x10:5,4,3,3,2")
ARE_WRITTEN = bool(os.environ.get("WRITE_GOLDEN"))


def signature(row):
    """A question is a game, and behind it an objective, a prior or shots; or a family's file."""
    name, *words = row["question"].split()
    if name.endswith(".csv"):
        found = identify.identify(identify.read(FOLDER / name))
        return {"value": str(found.misses), "nodes": str(found.nodes), "subsets": ""}
    game, objective, prior = Game.parse(name), Objective(), None
    if words and (words[0] == "worst" or words[0].startswith("within=")):
        objective = Objective.parse(words.pop(0))
    if words and words[0].startswith("prior="):
        prior = prior_of(words.pop(0).removeprefix("prior="), game)
    position = Position.parse(game, " ".join(words))
    found = solve(position, objective=objective, prior=prior)
    values = (found.worst, found.finished, found.total_height)
    return {
        "value": "/".join(str(value) for value in values if value is not None),
        "nodes": str(found.nodes),
        "subsets": str(found.subsets),
    }


def histogram(row):
    found = evaluate(row["strategy"], row["game"]).histogram
    return {"shots": " ".join(f"{shots}:{number}" for shots, number in found.items())}


def posterior(row):
    found = Posterior(Position.parse(Game.parse(row["game"]), row["shots"]))
    counts = " ".join(str(number) for line in found.occurrence for number in line)
    digest = blake2b(counts.encode(), digest_size=8).hexdigest()
    return {"configurations": str(found.configurations), "occurrence": digest}


@cache
def counts_of_the_paper():
    """How many configurations of the paper's game cover each set of up to four cells."""
    return Coverage(CellSetCounts.of(PAPER))


def finished(row):
    """A(l): the most configurations of the paper's game that are finished within l misses."""
    misses = int(row["misses"])
    sequences = comb(misses + PAPER.fleet_cells, PAPER.fleet_cells)
    known = read_beside(PAPER, RESULTS / "beside_10x10_54332.csv")
    found = finished_by_first_ship(
        counts_of_the_paper(), known, misses, sequences, ChainLimits(cells=2)
    )
    return {"at_most": str(found.configurations)}


def rows_of(name):
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def compared(name, computed):
    """The rows of a file that are not what is computed from their questions, beside what is."""
    rows = rows_of(name)
    now = [row | computed(row) for row in rows]
    if ARE_WRITTEN:
        with (FOLDER / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, rows[0], lineterminator="\n")
            writer.writeheader()
            writer.writerows(now)
        return []
    return [(new, old) for new, old in zip(now, rows, strict=True) if new != old]


@pytest.mark.parametrize(
    ("name", "computed", "number"),
    [
        ("signature.csv", signature, 60),
        ("histograms.csv", histogram, 72),
        ("posteriors.csv", posterior, 200),
        pytest.param("finished.csv", finished, 5, marks=pytest.mark.long(70)),
    ],
    ids=["signature", "histograms", "posteriors", "finished"],
)
def test_golden(name, computed, number):
    assert len(rows_of(name)) == number
    assert compared(name, computed) == []
