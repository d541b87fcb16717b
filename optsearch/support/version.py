"""The version of optsearch, which headers of tables and the command print, and its year."""

VERSION = "0.1.0"
YEAR = "2026"
