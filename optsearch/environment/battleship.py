"""The game as an environment of Gymnasium."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from optsearch.counting.configurations import to_masks
from optsearch.counting.posterior import Posterior
from optsearch.counting.prior import Prior
from optsearch.environment.agents import action_of
from optsearch.environment.view import Observation, View
from optsearch.game import Game
from optsearch.game.position import Position, reply
from optsearch.game.ships import ships_of
from optsearch.support.errors import GameError, OptsearchError

NAME = "optsearch/Battleship-v0"

MOST_DRAWN = 4096  # boards drawn at once
GROWTH = 8  # factor from one number of boards drawn at once to the next
PIXELS = 32  # per cell, in pictures


class Battleship(gymnasium.Env):  # type: ignore[misc] # the same whether it is installed or not
    """Shooting at hidden ships until all their cells are hit; every shot costs 1.

    game -- a Game, or its text; any board, fleet and rules that can be counted.
    prior -- of the hidden boards, which are exact draws: a Prior, or a text that
        `optsearch.counting.prior.prior_of` reads. By default all configurations are equally likely.
    probabilities -- True adds the exact probability of a ship on each cell to the observation.
    order -- True adds the number of the shot on each cell.
    render_mode -- `ansi` for the board as text, `rgb_array` for a picture, or None.

    An observation is a dict from `View`. An action is the number of a cell, row * columns +
    column. The reward is -1 for each shot, so the return of a game is minus the number of its
    shots. The game terminates at the last hit, and is never truncated. A shot at a hole or at a
    cell already shot also costs 1, and changes nothing. `info` has `action_mask` (as the
    observation), `shots` (so far in this game), and `wasted` (shots that changed nothing).

    Raises GameError if `game` is not a game, StrategyError or PositionError if `prior` is not a
    prior of it, ImpossiblePosition for a game without a configuration.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}

    def __init__(
        self,
        game: Game | str = "10x10:5,4,3,3,2",
        prior: Prior | str | None = None,
        probabilities: bool = False,
        order: bool = False,
        render_mode: str | None = None,
    ):
        self.view = View.of(game, prior, probabilities, order)
        self.game = self.view.game
        modes = self.metadata["render_modes"]
        if render_mode is not None and render_mode not in modes:
            raise OptsearchError(f"no render_mode {render_mode!r}; there are {', '.join(modes)}")
        self.render_mode = render_mode
        self._hidden = Posterior(self.game, prior=self.view.prior)
        self._hidden.require_some()
        self._forget_boards()
        self._ships: list[int] | None = None
        self._position = Position(self.game)
        self._wasted_shots = 0
        self.observation_space = _space_of_observations(self.view)
        self.action_space = spaces.Discrete(self.game.cells)

    @property
    def position(self) -> Position:
        """The position so far, for `Posterior`, `solve` and strategies."""
        return self._position

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the mask of MaskablePPO, shape (cells,): True for each cell that can be shot."""
        return self.view(self._position)["action_mask"].astype(bool)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game with newly hidden ships; return its first observation and info.

        seed -- of the boards from now on; a seed gives the same boards in the same order each time.
        options -- `{"ships": "A1-A3 C1-C2"}` hides these ships instead of drawing some.

        Raises OptsearchError for another option, GameError for ships that are not a configuration.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._forget_boards()
        unknown = sorted(set(options or {}) - {"ships"})
        if unknown:
            raise OptsearchError(f"no option {unknown[0]!r} of reset; there is 'ships'")
        ships = (options or {}).get("ships")
        self._ships = self._next_board() if ships is None else self._read_ships(ships)
        self._position = Position(self.game)
        self._wasted_shots = 0
        return self._observe()

    def step(
        self, action: int | np.integer[Any] | NDArray[Any]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Shoot a cell; return the observation, -1.0, True if the game is over, False, and info.

        Raises StrategyError if `action` is not an action, and Gymnasium's ResetNeeded if no game is
        under way.
        """
        position = self._position
        if self._ships is None or not position.hits_left:
            raise gymnasium.error.ResetNeeded("no game is under way; call reset() to begin one")
        cell_index = action_of(action, self.game)
        cell_mask = 1 << cell_index
        if cell_mask & position.closed:
            self._wasted_shots += 1
        else:
            answer = reply(self.game, self._ships, position.hits, cell_mask)
            self._position = position.after(self.game.cell(cell_index), answer)
        observation, info = self._observe()
        return observation, -1.0, not self._position.hits_left, False, info

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the board as text, as a picture (uint8 of shape (height, width, 3)), or None.

        With `probabilities` the picture shows them on the cells not shot yet.
        """
        if self.render_mode == "ansi":
            return self._position.board()
        return self._picture() if self.render_mode == "rgb_array" else None

    def _observe(self) -> tuple[Observation, dict[str, Any]]:
        """Return the observation of the position so far, and its info."""
        observation = self.view(self._position)
        shots = len(self._position.shots) + self._wasted_shots
        mask = observation["action_mask"].copy()
        return observation, {"action_mask": mask, "shots": shots, "wasted": self._wasted_shots}

    # Hidden boards

    def _forget_boards(self) -> None:
        self._drawn_boards = np.empty((0, len(self.game.fleet), self.game.words), np.uint64)
        self._boards_used = 0  # of those drawn
        self._boards_to_draw = 1

    def _next_board(self) -> list[int]:
        """Return the ships (masks) of the next hidden board.

        Boards are drawn in advance, for speed: one after a seed, then 8, 64, … at once. With 2^64
        configurations or more they are drawn singly.
        """
        if self._boards_used == len(self._drawn_boards):
            self._drawn_boards = self._hidden.sample(
                self._boards_to_draw, self.np_random, masks=True
            )
            self._boards_used = 0
            draws_at_once = self.view.prior is not None or self._hidden.configurations < 2**64
            if draws_at_once:
                self._boards_to_draw = min(GROWTH * self._boards_to_draw, MOST_DRAWN)
        self._boards_used += 1
        return to_masks(self._drawn_boards[self._boards_used - 1])

    def _read_ships(self, text: object) -> list[int]:
        if not isinstance(text, str):
            raise GameError(f"{text!r} are not ships; give a text such as 'A1-A3 C1-C2'")
        ships = ships_of(text, self.game)
        if self.view.prior is not None and not self.view.prior.weight(ships):
            raise GameError(f"the ships {text!r} have weight 0 by the prior {self.view.prior.name}")
        return ships

    # Copies, which continue with equal ships and draw equal boards

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_hidden"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._hidden = Posterior(self.game, prior=self.view.prior)  # its table cannot be copied

    # Pictures

    def _picture(self) -> NDArray[np.uint8]:
        """Draw the board; return its pixels, uint8 of shape (height, width, 3)."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        from optsearch.drawing.boards import draw_board, draw_probability

        game, position = self.game, self._position
        rows, columns = game.rows + 1, game.columns + 1  # with the names of rows and columns
        figure = Figure(figsize=(columns / 4, rows / 4), dpi=4 * PIXELS)  # 4 cells per inch
        board_width, board_height = game.columns / columns, game.rows / rows
        axes = figure.add_axes((1 - board_width, 0, board_width, board_height))
        if self.view.probabilities:
            draw_probability(axes, position, self.view(position)["probabilities"])
        else:
            draw_board(axes, position)
        canvas: Any = FigureCanvasAgg(figure)
        canvas.draw()
        return np.array(canvas.buffer_rgba(), np.uint8)[..., :3]  # without the opacity


def _space_of_observations(view: View) -> spaces.Dict:
    """Return the Gymnasium space that contains every observation of a view."""
    game = view.game
    shape = (game.rows, game.columns)
    afloat_at_start = view(Position(game))["afloat"]
    boxes = {
        "board": spaces.Box(0, view.highest_sign, shape, np.uint8),
        "afloat": spaces.Box(np.zeros_like(afloat_at_start), afloat_at_start, dtype=np.int16),
        "action_mask": spaces.MultiBinary(game.cells),
    }
    if view.order:
        boxes["order"] = spaces.Box(0, game.room, shape, np.int16)
    if view.probabilities:
        boxes["probabilities"] = spaces.Box(0, 1, shape, np.float32)
    return spaces.Dict(boxes)
