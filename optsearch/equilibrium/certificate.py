"""The file that shows a value from both sides, for `optsearch.equilibrium.checking`.

A JSON object: the game and the objective; what the hider's mix guarantees and what the shooter's
does, as fractions; an entry for each orbit that the hider uses, one hiding of it as lists of cells
with the weight that each of its images has; and the shooter's trees with their probabilities, each
to be turned by a symmetry of the board drawn at random. One line an entry.
"""

from __future__ import annotations

import json
from pathlib import Path

from optsearch.equilibrium.memory import tree_fields
from optsearch.equilibrium.solution import Equilibrium
from optsearch.errors import ProofError
from optsearch.journal import replace

FORMAT = "optsearch equilibrium certificate"
VERSION = 1


def save(found: Equilibrium, path: str | Path) -> None:
    """Write the certificate of what was found; ProofError where it cannot be written."""
    game, hidings = found.game, found.hidings
    head = {
        "format": FORMAT,
        "version": VERSION,
        "game": str(game),
        "objective": str(found.objective),
        "hider_guarantees": str(found.worth(found.least)),
        "shooter_guarantees": str(found.worth(found.most)),
    }
    hider = [
        {
            "hidden": [game.names(ship) for ship in hidings.hidden[hidings.orbits[orbit][0]]],
            "weight": str(found.weights[orbit]),
        }
        for orbit, _ in found.hider
    ]
    shooter = [
        {"probability": str(probability), "tree": tree_fields(tree.root)}
        for tree, probability in found.shooter
    ]
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    for name, entries in (("hider", hider), ("shooter", shooter)):
        listed = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)
        lines.append(f'"{name}": [\n{listed}\n]')
    try:
        replace(Path(path), "{\n" + ",\n".join(lines) + "\n}\n")
    except (OSError, ValueError) as error:
        raise ProofError(f"{path} cannot be written: {error}") from None
