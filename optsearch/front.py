"""What `import optsearch` gives by name, and where modules are that lay elsewhere once.

Names are looked up on first use, so that the import itself loads next to nothing. One rule where a
function is called as a module is: the name is the module, and calling the module is calling the
function. So `optsearch.evaluate(strategy, game)` and `optsearch.evaluate.evaluate(strategy, game)`
are the same call, and `optsearch.evaluate.tasks` is there as well.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast

HOMES = {
    "DecisionTree": "tree",
    "Evaluation": "evaluate",
    "Game": "game",
    "Objective": "game.objective",
    "OptsearchError": "support.errors",
    "Position": "game.position",
    "Posterior": "counting.posterior",
    "Prior": "counting.prior",
    "Score": "strategies.score",
    "Solution": "tree.solution",
    "bounds": "results.bracket",
    "evaluate": "evaluate",
    "greedy": "search.greedy",
    "solve": "search.solver",
}
"""Name -> the module below optsearch that has it."""

HIDDEN = {"build": "compiled"}
"""The same for what is no part of `__all__`."""

MODULES = ("strategies",)

MOVED = {
    "advice": "play.advice",
    "bracket": "results.bracket",
    "configurations": "counting.configurations",
    "counterexamples": "search.counterexamples",
    "datafiles": "support.datafiles",
    "decimals": "support.decimals",
    "equilibrium.checking": "check.certificates",
    "errors": "support.errors",
    "explorer": "show.explorer",
    "family": "counting.family",
    "first_shots": "search.first_shots",
    "frontier": "search.frontier",
    "greedy": "search.greedy",
    "hiding": "play.hiding",
    "hunt": "search.hunt",
    "journal": "support.journal",
    "kernels": "search.kernels",
    "lattice": "counting.lattice",
    "match": "play.match",
    "names": "game.names",
    "notebook": "game.notebook",
    "objective": "game.objective",
    "orders": "game.orders",
    "pages": "support.pages",
    "palette": "support.palette",
    "paper": "check.paper",
    "position": "game.position",
    "posterior": "counting.posterior",
    "prior": "counting.prior",
    "proof": "check.proofs",
    "proving": "search.proving",
    "records": "support.records",
    "reference": "check.reference",
    "shapes": "game.shapes",
    "ships": "game.ships",
    "simulate": "play.simulate",
    "solution": "tree.solution",
    "solver": "search.solver",
    "tables": "search.tables",
    "tables.disk": "search.tables.disk",
    "tables.folder": "search.tables.folder",
    "tables.shared": "search.tables.shared",
    "tables.slots": "search.tables.slots",
    "tables.soundness": "search.tables.soundness",
    "tree.verification": "check.trees",
    "urn": "game.urn",
    "workers": "support.workers",
}
"""Module below optsearch, once -> now."""

_PROGRESS = {name: f"support.progress.{name}" for name in ("Progress", "no_progress")}
NAMES_MOVED = {
    "check.proofs": {"prove": "search.proving.prove"},
    "evaluate": {"Status": "evaluate.evaluation.EvaluationStatus", **_PROGRESS},
    "play.simulate": {"Status": "support.progress.Status"},
    "reproduce": {"Task": "reproduce.printed.Number"},
    "support.workers": {"Pace": "support.progress.Status"},
    "tree": {"verify": "check.trees.verify"},
    "tree.solution": {
        "Limit": "support.progress.Limit",
        "LimitReached": "support.progress.LimitReached",
        "Status": "tree.solution.SearchStatus",
        **_PROGRESS,
    },
}
"""Module below optsearch -> names that it had once -> what they name now; `results`, which had
every table, is asked in `_Module`."""


def find(name: str) -> Any:
    """What `optsearch.NAME` is; AttributeError for a name that is none."""
    if name in MODULES or name in MOVED:
        return import_module(f"optsearch.{name}")
    home = HOMES.get(name) or HIDDEN.get(name)
    if home is None:
        raise AttributeError(f"module 'optsearch' has no attribute {name!r}")
    value = getattr(import_module(f"optsearch.{home}"), name)
    return sys.modules.get(f"optsearch.{name}", value)


class _Moved:
    """Finds a module by the name that it had once: both names are one module.

    A finder and a loader; their base classes would load much before ctrl-C is heard.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        package, _, rest = name.partition(".")
        known = package == "optsearch" and rest in MOVED
        return ModuleSpec(name, cast(Any, self)) if known else None

    def create_module(self, spec: ModuleSpec) -> None:
        pass

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        sys.modules[name] = import_module(f"optsearch.{MOVED[name.partition('.')[2]]}")


sys.meta_path.append(_Moved())


class _Module(ModuleType):
    """A module below optsearch, in which names that moved away are still found."""

    def __getattr__(self, name: str) -> Any:
        own = self.__name__.partition(".")[2]
        home = NAMES_MOVED.get(own, {}).get(name)
        if own == "results" and not name.startswith("_"):
            home = f"results.tables.{name}"
        if home is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        home, _, name = home.rpartition(".")
        return getattr(import_module(f"optsearch.{home}"), name)


class _CallableModule(_Module):
    """One that is called as the function of its name."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.__wrapped__(*args, **options)

    @property
    def __wrapped__(self) -> Any:  # by which `inspect.signature` finds the parameters
        name = self.__name__.rpartition(".")[2]
        return getattr(import_module(f"optsearch.{HOMES[name]}"), name)


class Face(ModuleType):
    """The package itself, which gives the modules bound to it what is said above."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType):
            value.__class__ = _CallableModule if name in HOMES else _Module
        super().__setattr__(name, value)
