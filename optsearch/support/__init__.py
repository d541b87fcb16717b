"""What every room may use, and what knows nothing of ships.

`errors` has the errors that a user can cause; `files` reads and writes files with care; `store`
keeps what a later run goes on from, in LMDB; `records` are tables as CSV with a header; `datafiles`
knows where the data lies and `version` which release this is; `workers` has processes, `cluster`
those of other machines, `sharing` gives executors their work, and `progress` says how far work is
and ends it at a limit; `user_code` loads and calls code of users; `decimals` has numbers as text,
`pages` what every page has, and `palette` the colours.
"""
