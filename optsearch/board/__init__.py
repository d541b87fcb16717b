"""The board in the browser: advice, play and review on a page that this machine serves.

`answers` turns a position into the data that the page shows, `engine` runs the process that does so
and orders the requests, `games` keeps games under way, `guard` checks requests, `server` has the
addresses, and `running` serves them for the command. The page is `page.html`.
"""
