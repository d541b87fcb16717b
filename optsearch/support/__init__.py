"""Tools for every room, without knowledge of ships.

`errors` has the errors that a user can cause; `files` reads and writes files with care, `documents`
JSON; `store` keeps the values of interrupted runs, in LMDB; `records` are tables as CSV with a
header; `datafiles` finds the data, and `version` is the release; `workers` has processes, `cluster`
those of other machines, `sharing` gives executors their work, and `progress` reports work and ends
it at a limit; `highs` is the solver of linear programmes; `user_code` loads and calls code of
users; `decimals` has numbers as text, `pages` the frame of HTML pages, and `palette` the colours.
"""
