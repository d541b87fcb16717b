"""The cached values of states: in memory, shared with other processes, and on disk.

A value is a bound below the optimum, or the optimum; tables have 2 * value + (1 if it is exact).
"""

from libc.stdint cimport int64_t

from optsearch.compiled.search._table cimport Key, MemoryTable, is_better


cdef class Memo:
    """The tables of a search.

    table -- a MemoryTable, which is looked up first.
    disk -- an object with get(bytes) and put(bytes, int), or None.
    shared -- a SharedTable of several processes, or None. disk_from -- the nodes of work from which a
    value is worth storing on disk.
    """

    def __cinit__(self, MemoryTable table, disk):
        if table is None:
            raise TypeError("the search needs a MemoryTable")
        self.table, self.disk = table, disk

    cdef int recall(self, const Key* key, int64_t* value) except -1 nogil:
        """Return UNKNOWN, BOUNDED or SOLVED for a state in any of the tables; unless UNKNOWN, set `value`."""
        cdef int64_t entry, shared_entry
        if not self.table.find(key, &entry):
            if not self.recall_beyond_memory(key, &entry):
                return UNKNOWN
            self.table.store(key, entry)
        elif not entry & 1 and self.shared is not None and (  # perhaps it is better known there
                self.shared.find(key, &shared_entry) and is_better(shared_entry, entry)):
            entry = shared_entry
            self.table.store(key, entry)
        value[0] = entry >> 1
        return SOLVED if entry & 1 else BOUNDED

    cdef int recall_shared(self, const Key* key, int64_t* value) noexcept nogil:
        """Look up a state in the shared table alone; the result is as of `recall`."""
        cdef int64_t entry
        if not self.shared.find(key, &entry):
            return UNKNOWN
        value[0] = entry >> 1
        return SOLVED if entry & 1 else BOUNDED

    cdef bint recall_beyond_memory(self, const Key* key, int64_t* entry) except -1 nogil:
        """True if the shared table or the disk has a state; then `entry` is set to its entry."""
        if self.shared is not None and self.shared.find(key, entry):
            return True
        if self.disk is None:
            return False
        with gil:
            known = self.disk.get(key.bytes[:key.length])
            if known is None:
                return False
            entry[0] = known
        return True

    cdef int remember(self, const Key* key, int64_t value, bint exact, bint to_shared,
                      bint to_disk) except -1 nogil:
        """Store a value in memory; to_shared, to_disk -- True stores it in these tables too."""
        value = 2 * value + exact
        self.table.store(key, value)
        if self.shared is not None and to_shared:
            self.shared.store(key, value)
        if self.disk is not None and to_disk:
            with gil:
                self.disk.put(key.bytes[:key.length], value)
        return 0
