"""What `import optsearch` gives by name, and the modules that can be called like a function.

Names are looked up on first use, so that the import itself loads next to nothing. One rule where a
function is called as a module is: the name is the module, and calling the module is calling the
function. So `optsearch.evaluate(strategy, game)` and `optsearch.evaluate.evaluate(strategy, game)`
are the same call, and `optsearch.evaluate.tasks` is there as well.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

HOMES = {
    "DecisionTree": "tree",
    "Evaluation": "evaluate",
    "Game": "game",
    "Objective": "objective",
    "OptsearchError": "errors",
    "Position": "position",
    "Posterior": "posterior",
    "Prior": "prior",
    "Solution": "solution",
    "bounds": "bracket",
    "evaluate": "evaluate",
    "greedy": "greedy",
    "solve": "solver",
}
"""Name -> the module below optsearch that has it."""

MODULES = ("strategies",)


def find(name: str) -> Any:
    """What `optsearch.NAME` is; AttributeError for a name that is none."""
    if name in MODULES:
        return import_module(f"optsearch.{name}")
    if name not in HOMES:
        raise AttributeError(f"module 'optsearch' has no attribute {name!r}")
    value = getattr(import_module(f"optsearch.{HOMES[name]}"), name)
    return sys.modules.get(f"optsearch.{name}", value)


class _CallableModule(ModuleType):
    """A module that is called as the function of its name."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.__wrapped__(*args, **options)

    @property
    def __wrapped__(self) -> Any:  # by which `inspect.signature` finds the parameters
        name = self.__name__.rpartition(".")[2]
        return getattr(import_module(f"optsearch.{HOMES[name]}"), name)


def make_callable(module: str) -> None:
    """Let a module be called as the function of its name (see above)."""
    sys.modules[module].__class__ = _CallableModule
