"""The cached values of states: in memory, shared with other processes, and on disk.

A value is a bound below the optimum, or the optimum; tables have 2 * value + (1 if it is exact).
"""

from libc.stdint cimport int64_t

from optsearch.compiled.search._table cimport Key, MemoryTable, says_more


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

    cdef int recall(self, const Key* key, bint is_far, int64_t* value) except -1 nogil:
        """Return UNKNOWN, BOUNDED or SOLVED for a state; unless UNKNOWN, set its `value`.

        is_far -- True looks in the shared table and on disk, too.
        """
        cdef int64_t found, better
        if not self.table.find(key, &found):
            if not is_far or not self.recall_far(key, &found):
                return UNKNOWN
            self.table.store(key, found)
        elif is_far and not found & 1 and self.shared is not None and (
                self.shared.find(key, &better) and says_more(better, found)):
            found = better
            self.table.store(key, found)
        value[0] = found >> 1
        return SOLVED if found & 1 else BOUNDED

    cdef int recall_shared(self, const Key* key, int64_t* value) noexcept nogil:
        """Look up a state in the shared table alone; the result is as of `recall`."""
        cdef int64_t found
        if not self.shared.find(key, &found):
            return UNKNOWN
        value[0] = found >> 1
        return SOLVED if found & 1 else BOUNDED

    cdef bint recall_far(self, const Key* key, int64_t* found) except -1 nogil:
        """True if the shared table or the disk has a state; then `found` is set to its entry."""
        if self.shared is not None and self.shared.find(key, found):
            return True
        if self.disk is None:
            return False
        with gil:
            known = self.disk.get(key.bytes[:key.length])
            if known is None:
                return False
            found[0] = known
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
