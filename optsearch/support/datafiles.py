"""The folder of the data: `data` in the checkout, or its copy in an installed package."""

from __future__ import annotations

from pathlib import Path

from optsearch.support.errors import RecordError

PACKAGE = Path(__file__).resolve().parents[1]
CHECKOUT = PACKAGE.parent
"""The folder of the source, where the package is used from there (see `is_checkout`)."""


def is_checkout() -> bool:
    """True if the package is used from its source, not from an installed copy."""
    return (CHECKOUT / "setup.py").is_file() and (CHECKOUT / "cython_ext").is_dir()


def typed_path(path: Path) -> str:
    """Return a path relative to the checkout; one outside of it stays as it is."""
    return str(path.relative_to(CHECKOUT) if path.is_relative_to(CHECKOUT) else path)


DATA = CHECKOUT / "data" if is_checkout() else PACKAGE / "data"
RESULTS = DATA / "results"
PUBLISHED = DATA / "published"


def published_path(name: str) -> Path:
    """Return the path of the published file `name`; RecordError if there is no folder of them."""
    if not PUBLISHED.is_dir():
        raise RecordError(
            f"the published table {name} is missing: there is no folder {PUBLISHED}; install "
            "optsearch again"
        )
    return PUBLISHED / name
