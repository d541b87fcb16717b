"""The board in the browser: advice, play and review on a page that this machine serves.

`answers` makes of a position what the page shows of it, `engine` is the process that does so and
whose turn it is, `games` keeps games under way, `guard` is what a request must have, `server` the
addresses, and `running` the command's end. The page is `page.html`.
"""
