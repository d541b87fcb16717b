"""The regression signature of the search: what 30 games, and one of a second, take in nodes.

A commit that changes a number here says why, and that the totals stay. The totals were confirmed by
what `data/results/optima.csv` and `optima_announced.csv` say, or by the oracle.
"""

import pytest

from optsearch.search.solver import solve

# game, total height, nodes, subsets
SIGNATURE = [
    ("3x3:2,1", 134, 5, 20),
    ("3x4:2,2", 214, 3, 61),
    ("3x4:3,2", 214, 5, 75),
    ("3x5:2,2", 640, 11, 483),
    ("3x5:3,2", 636, 11, 666),
    ("3x6:2,2", 1_385, 84, 2_038),
    ("3x6:3,2,2", 2_414, 200, 10_589),
    ("4x4:2", 146, 8, 0),
    ("4x4:3", 90, 9, 3),
    ("4x4:2,2", 786, 23, 422),
    ("4x4:3,2", 878, 13, 162),
    ("4x4:4,2", 448, 6, 125),
    ("4x4:3,3", 196, 7, 148),
    ("4x4:2,2,2", 589, 6, 186),
    ("4x5:3", 137, 36, 6),
    ("4x5:2,2", 1_997, 598, 6_620),
    ("4x5:3,2", 2_326, 294, 5_154),
    ("4x5:4,2", 1_233, 143, 3_769),
    ("4x5:4,3,2", 994, 11, 1_070),
    ("5x5:2", 328, 17, 0),
    ("5x5:3", 207, 16, 2),
    ("5x5:4,3", 1_977, 234, 4_762),
    ("5x5:5,4", 548, 13, 1_356),
    ("6x6:2", 648, 22, 0),
    ("6x6:4", 294, 79, 43),
    ("4x4:3,2;contact=any", 2_468, 201, 3_333),
    ("4x4:2,2;contact=corner", 1_054, 40, 742),
    ("3x4:3,2;announce=ship", 207, 678, 0),
    ("4x4:2,2;announce=sunk", 786, 3_338, 0),
    ("3x4:2,2;contact=any;announce=ship", 745, 2_689, 0),
    ("5x5:3,2", 5_765, 6_468, 62_593),
]


@pytest.mark.parametrize(("game", "total_height", "nodes", "subsets"), SIGNATURE)
def test_nodes(game, total_height, nodes, subsets):
    found = solve(game)
    assert (found.total_height, found.nodes, found.subsets) == (total_height, nodes, subsets)
