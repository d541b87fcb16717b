"""The code of the post on Thompson sampling, put together again from its text.

"Playing PublishedGame with Bayesian Search Theory, Thompson Sampling, and Approximate Bayesian
Computation". Kept as it is printed, masked arrays and all: nothing of optsearch is used. Boards
are arrays of shape (ships, rows, columns), 1 for a ship.
"""

import numpy as np


def to_board(ships, ship_axis=0):
    return ships.sum(axis=ship_axis)


class PublishedGame:
    def __init__(self, ships):
        self._ships = ships
        self._turn_revealed = []

    @property
    def _board(self):
        return to_board(self._ships)

    @property
    def is_solved(self):
        return self.revealed.sum() == self._board.sum()

    @property
    def revealed(self):
        return to_board(self._revealed_ships)

    @property
    def _revealed_ships(self):
        if self.turns > 0:
            return self._turn_revealed[-1]
        return np.ma.masked_all_like(self._ships)

    @property
    def sunk(self):
        ship_sizes = self._ships.sum(axis=(1, 2))
        revealed_sizes = self._revealed_ships.sum(axis=(1, 2)).filled(0.0)
        return ship_sizes == revealed_sizes

    @property
    def turns(self):
        return len(self._turn_revealed)

    def guess(self, i, j):
        if not self.revealed.mask[i, j]:
            raise ValueError(f"{i}, {j} already guessed")
        prev_sunk = self.sunk
        next_ships = self._revealed_ships.copy()
        next_ships[:, i, j] = self._ships[:, i, j]
        self._turn_revealed.append(next_ships)
        curr_sunk = self.sunk
        same = (curr_sunk == prev_sunk).all()
        sunk = None if same else (curr_sunk & ~prev_sunk).argmax()
        return self._board[i, j], sunk


class PublishedStrategy:
    def reveal(self, i, j, hit_or_miss, sunk):
        pass


def play(ships, strategy):
    """The cells guessed, in order."""
    game = PublishedGame(ships)
    guesses = []
    while not game.is_solved:
        i, j = strategy.next_guess(game.revealed)
        hit_or_miss, sunk = game.guess(i, j)
        strategy.reveal(i, j, hit_or_miss, sunk)
        guesses.append((int(i), int(j)))
    return guesses


def get_all_ship_rows(grid_length, ship_size):
    i, j = np.indices((grid_length, grid_length))[:, : -ship_size + 1]
    return 1 * (i <= j) & (j < i + ship_size)


def get_all_ships(grid_length, ship_size):
    rows = get_all_ship_rows(grid_length, ship_size)
    n_rows, _ = rows.shape
    i = np.arange(grid_length)
    boards = np.zeros((n_rows, grid_length, grid_length, grid_length))
    boards[:, i, i, :] = rows[:, np.newaxis]
    long_boards = boards.reshape((-1, grid_length, grid_length))
    return np.concatenate((long_boards, long_boards.transpose(0, 2, 1)))


def next_guess_1d_with_hit(row):
    first = row.argmax()
    if first == 0 or row[first - 1] == 0:
        return first + row[first:].mask.argmax()
    return first - 1


def get_search_cells_1d(grid_length, ship_size):
    i = np.arange(grid_length)
    return i[i % ship_size == -1 % ship_size]


class Single1DOptimalStrategy(PublishedStrategy):
    def __init__(self, grid_length, ship_size):
        self._grid_length = grid_length
        self._ship_size = ship_size

    def next_guess(self, revealed):
        if revealed.mask.all() or revealed.sum() == 0:
            search_j = get_search_cells_1d(self._grid_length, self._ship_size)
            next_j = search_j[revealed.mask[0, search_j].argmax()]
        else:
            return 0, next_guess_1d_with_hit(revealed[0])
        return 0, next_j


def get_search_cells_2d(grid_shape, ship_size):
    i, j = np.indices(grid_shape)
    in_grid = (i - 1) % ship_size == j % ship_size
    return i[in_grid], j[in_grid]


class SingleGridStrategy(PublishedStrategy):
    def __init__(self, ship_size):
        self._ship_size = ship_size

    def next_guess(self, revealed):
        if revealed.mask.all() or revealed.sum() == 0:
            search_i, search_j = get_search_cells_2d(revealed.shape, self._ship_size)
            next_unmasked = revealed.mask[search_i, search_j].argmax()
            return search_i[next_unmasked], search_j[next_unmasked]
        grid_length, _ = revealed.shape
        hit_i, hit_j = argmax_2d(revealed)
        ship_size = self._ship_size
        if revealed.sum() == 1:
            if hit_i < ship_size - 1 or grid_length - ship_size < hit_i:
                next_i = hit_i + (1 if hit_i < ship_size - 1 else -1)
                if revealed.mask[next_i, hit_j]:
                    return next_i, hit_j
                is_row = revealed[next_i, hit_j] == 0
            elif hit_j < ship_size - 1 or grid_length - ship_size < hit_j:
                next_j = hit_j + (1 if hit_j < ship_size - 1 else -1)
                if revealed.mask[hit_i, next_j]:
                    return hit_i, next_j
                is_row = revealed[hit_i, next_j] == 1
            elif revealed.mask[hit_i, hit_j - 1]:
                return hit_i, hit_j - 1
            elif revealed.mask[hit_i, hit_j + 1]:
                return hit_i, hit_j + 1
            else:
                is_row = False
        else:
            is_row = revealed[hit_i].sum() > 1
        if is_row:
            return hit_i, next_guess_1d_with_hit(revealed[hit_i])
        return next_guess_1d_with_hit(revealed[:, hit_j]), hit_j


def is_compat(ships, revealed, board_axis=(-2, -1)):
    return (ships == revealed).all(axis=board_axis)


def argmax_2d(x):
    max_i = x.max(axis=1).argmax()
    max_j = x[max_i].argmax()
    return max_i, max_j


class SingleThompsonStrategy(PublishedStrategy):
    def __init__(self, poss_ships):
        self._poss_ships = poss_ships

    def compat_ships(self, revealed):
        if revealed.mask.all():
            return self._poss_ships
        return self._poss_ships[is_compat(self._poss_ships, revealed)]

    def next_guess(self, revealed):
        post = np.ma.masked_array(self.compat_ships(revealed).mean(axis=0), mask=~revealed.mask)
        return argmax_2d(post)


def has_no_overlap(ships, ship_axis=0, board_axis=(-2, -1)):
    return to_board(ships, ship_axis=ship_axis).max(axis=board_axis) == 1


def _sample_compat_ships_block(poss_ships, revealed, rng, block_size):
    samples = np.stack(
        [rng.choice(ships, size=block_size, shuffle=False) for ships in poss_ships], axis=1
    )
    valid_samples = samples[has_no_overlap(samples, ship_axis=1)]
    if revealed.mask.all():
        return valid_samples
    return valid_samples[is_compat(to_board(valid_samples, ship_axis=1), revealed)]


def sample_compat_ships_block(poss_ships, revealed, rng, block_size):
    block = []
    while len(block) == 0:
        block = _sample_compat_ships_block(poss_ships, revealed, rng, block_size)
    return block


class ThompsonStrategy(PublishedStrategy):
    def __init__(self, all_ships, rng, block_size):
        self._ship_strats = [SingleThompsonStrategy(ships) for ships in all_ships]
        n_ship = len(all_ships)
        grid_shape = all_ships[0][0].shape
        self._ships_revealed = np.ma.masked_all((n_ship, *grid_shape))
        self._rng = rng
        self._block_size = block_size

    def next_guess(self, revealed):
        post = np.ma.masked_array(self.sample_post(revealed), mask=~revealed.mask)
        return argmax_2d(post)

    def sample_post(self, revealed):
        all_compat_ships = [
            ship_strat.compat_ships(ship_revealed)
            for ship_strat, ship_revealed in zip(
                self._ship_strats, self._ships_revealed, strict=True
            )
        ]
        compat_samples = sample_compat_ships_block(
            all_compat_ships, revealed, self._rng, self._block_size
        )
        return to_board(compat_samples, ship_axis=1).mean(axis=0)

    def reveal(self, i, j, hit_or_miss, sunk):
        if hit_or_miss == 0 or sunk is not None:
            self._ships_revealed[:, i, j] = 0
        if sunk is not None:
            self._ships_revealed[sunk, i, j] = 1
