"""Draw figures: python -m paper_figures [NAME ...] [-o FOLDER].

A figure whose source is missing is left out, with the command that makes the source; the exit
status is then 1.
"""

import sys

from paper_figures.registry import main

if __name__ == "__main__":
    sys.exit(main())
