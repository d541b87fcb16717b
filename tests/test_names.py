"""Names: a class is in one file, and a docstring can be read alone."""

import re
from collections import defaultdict

from tests.test_budget import ROOT, files_of

CLASS = re.compile(r"^ *(?:cdef )?class (\w+)", re.MULTILINE)


def test_no_class_name_is_in_two_files():
    homes = defaultdict(set)
    for path in files_of("*.py", "*.pyx"):
        for name in CLASS.findall(path.read_text(encoding="utf-8")):
            homes[name].add(str(path.relative_to(ROOT)))
    twice = {name: sorted(files) for name, files in homes.items() if len(files) > 1}
    assert twice == {}


def test_no_docstring_begins_with_the_same():
    found = []
    for path in files_of("*.py", "*.pyx"):
        text = path.read_text(encoding="utf-8")
        found += [path.name] * len(re.findall(r'"{3}The same\b', text))
    assert found == []
