"""`python -m optsearch.cli` is the command `optsearch`."""

from optsearch.cli import main

main()
