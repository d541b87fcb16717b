"""The game between a hider who may place ships as they like and a shooter who knows that they may.

The hider draws a configuration from a mix of their choice, the shooter a decision tree from one of
theirs; the shooter pays one for each shot. It is a finite zero-sum game, so it has a value v: there
is a mix of the hider against which every tree takes v shots or more on average, and a mix of trees
that takes v or less against every configuration (von Neumann 1928).

Against a fixed mix of the hider with integer weights the best tree is what the exact solver finds.
So the game is solved by double oracle (McMahan, Gordon and Blum 2003): a linear programme finds the
best mix of the hider against the trees so far, the solver the best tree against that mix, which
joins the trees, until no tree is better than the programme says. Trees that are put together from
parts of others join in between, for they need no search. At every moment the best answer to
a mix is a lower bound on v and the programme an upper one.

Symmetries of the board. If g is one, a mix and its image by g are worth the same, and so is their
average. So the hider has a best mix that is the same on all images of a configuration, an *orbit*,
and the shooter one that turns its tree by a symmetry drawn at random. What a tree pays against an
orbit is then its mean over the configurations of the orbit, and the matrix has one column an orbit.

`hidings` lists the choices of the hider, `oracle` finds best answers, `greedy` a tree without a
search, and `graph` the trees that can be put together from others. `linear` solves the programme,
in floating point and then exactly; `run` has the rounds, `solution` the result, and `certificate`
its file, which `optsearch.check.certificates` checks without any of these.
"""

from optsearch.check.certificates import CheckedCertificate
from optsearch.equilibria.certificate import check, save
from optsearch.equilibria.run import Round, equilibrium
from optsearch.equilibria.solution import Equilibrium

__all__ = ["CheckedCertificate", "Equilibrium", "Round", "check", "equilibrium", "save"]
