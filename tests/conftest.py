"""Settings of the tests: hypothesis draws the same examples on every run."""

from hypothesis import settings

settings.register_profile("optsearch", derandomize=True, deadline=None, max_examples=100)
settings.load_profile("optsearch")
