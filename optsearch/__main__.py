"""`python -m optsearch` is the command `optsearch`."""

from optsearch.cli import main

main()
