"""The version of optsearch, which headers of tables and the command print."""

VERSION = "0.1.0"
