"""The certificate of an equilibrium: a file that shows the value from both sides.

A JSON object: the game and the objective; what the hider's mix guarantees and what the shooter's
does, as fractions; an entry for each orbit that the hider uses, one hiding of it as lists of cells
with the weight that each of its images has; and the shooter's trees with their probabilities, each
to be turned by a symmetry of the board drawn at random. One line an entry.
"""

from __future__ import annotations

import json
from pathlib import Path

from optsearch.check import certificates
from optsearch.check.certificates import EFFORT, CheckedCertificate
from optsearch.equilibria.memory import tree_fields
from optsearch.equilibria.oracle import MEMORY
from optsearch.equilibria.solution import Equilibrium
from optsearch.equilibria.weighted import WeightedSearch
from optsearch.game import Game
from optsearch.game.objective import Objective
from optsearch.support.documents import write
from optsearch.support.errors import ProofError

FORMAT = "optsearch equilibrium certificate"
VERSION = 1


def save(solution: Equilibrium, path: str | Path) -> None:
    """Write the certificate of an equilibrium to a file; ProofError if it cannot be written."""
    game, hidings = solution.game, solution.hidings
    fields = {
        "format": FORMAT,
        "version": VERSION,
        "game": str(game),
        "objective": str(solution.objective),
        "hider_guarantees": str(solution.worth(solution.lower)),
        "shooter_guarantees": str(solution.worth(solution.upper)),
    }
    hider_entries = []
    for orbit, _ in solution.hider:
        first_index = hidings.orbits[orbit][0]  # any hiding of the orbit would do
        ship_names = [game.names(ship) for ship in hidings.hidden[first_index]]
        hider_entries.append({"hidden": ship_names, "weight": str(solution.weights[orbit])})
    shooter_entries = [
        {"probability": str(probability), "tree": tree_fields(tree.root)}
        for tree, probability in solution.shooter
    ]
    lines = [
        f"{json.dumps(field_name)}: {json.dumps(value)}" for field_name, value in fields.items()
    ]
    for field_name, entries in (("hider", hider_entries), ("shooter", shooter_entries)):
        entries_text = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)
        lines.append(f'"{field_name}": [\n{entries_text}\n]')
    write(path, "{\n" + ",\n".join(lines) + "\n}\n", ProofError)


def check(path: str | Path, effort: int = EFFORT) -> CheckedCertificate:
    """Check the certificate in a file, in plain Python that shares no code with the search.

    effort -- the number of families that a plain search visits before it gives up; the exact solver
    then takes over. The result says which of the two checked the bound. Raises ProofError for a
    file that is not a certificate or does not prove its claim.
    """
    return certificates.check(path, effort, _least_payment)


def _least_payment(game: Game, objective: Objective, weights: dict[tuple[int, ...], int]) -> int:
    """Return the least total that any strategy of the shooter pays, by the exact solver.

    A strategy pays its shots, or for within=K one for each game that takes more than K shots. A
    game counts as often as the weight of its configuration.

    weights -- for each configuration, a tuple of the masks of its ships, its weight.
    """
    configurations = sorted(weights, key=sum)
    search = WeightedSearch(game, objective, configurations, tick=lambda: None, memory=MEMORY)
    search.weigh([weights[ships] for ships in configurations])
    return search.least_payment()
