"""The game as an environment of Gymnasium, and trained agents as players.

    import gymnasium

    name = "optsearch.environment:optsearch/Battleship-v0"
    env = gymnasium.make(name, game="10x10:5,4,3,3,2")

Gymnasium imports the module before the colon, which registers the environment. `battleship` is the
environment, `view` makes the observations of positions, and `agents` makes players of agents. Needs
gymnasium, the extra of that name.
"""

try:
    import gymnasium as _gymnasium
except ModuleNotFoundError as error:
    if error.name != "gymnasium":
        raise
    raise ModuleNotFoundError(
        "optsearch.environment needs gymnasium, which is not installed; install it with: pip "
        "install gymnasium",
        name="gymnasium",
    ) from None

from optsearch.environment.agents import Agent
from optsearch.environment.battleship import NAME, Battleship
from optsearch.environment.view import HIT, HOLE, MISS, SUNK, UNKNOWN, Observation, View

__all__ = [
    "HIT",
    "HOLE",
    "MISS",
    "NAME",
    "SUNK",
    "UNKNOWN",
    "Agent",
    "Battleship",
    "Observation",
    "View",
]

_gymnasium.register(NAME, entry_point="optsearch.environment.battleship:Battleship")
