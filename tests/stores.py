"""What a run kept in a folder, looked at by a test that does not know its question."""

import lmdb

from optsearch.support.store import Facts


def what_of(folder):
    """The question of a store."""
    with lmdb.open(str(folder), readonly=True, lock=False) as env, env.begin() as txn:
        return txn.get(b"header").decode().split("\n", 2)[2]


def facts_of(folder):
    """All facts of a store."""
    with Facts(folder, what_of(folder)) as facts:
        return dict(facts)


def write_facts(folder, what, facts):
    """Put facts into a store."""
    with Facts(folder, what) as store:
        for name, fact in facts.items():
            store.add(name, fact)
