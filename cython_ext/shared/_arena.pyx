"""Arrays that are freed together with the kernel that owns them."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free

from cells cimport Cells, join

cdef enum:
    HEAD = 16                  # bytes before an array, which is aligned as sets of cells must be


cdef class Arena:
    """Arrays that live as long as their owner, which has this as an attribute."""

    def __dealloc__(self):
        cdef void** block
        while self.last != NULL:
            block, self.last = self.last, <void**>self.last[0]
            free(block)

    cdef void* array(self, size_t n, size_t size) except NULL nogil:
        """Return room for n values of `size` bytes each, all 0."""
        cdef void** block = <void**>calloc(1, HEAD + n * size)
        if block == NULL:
            with gil:
                raise MemoryError
        block[0], self.last = <void*>self.last, block
        return <char*>block + HEAD

    cdef Cells* cells(self, const uint64_t[:, ::1] sets) except NULL:
        """Return a copy of n sets of cells, uint64 of shape (n, 2)."""
        cdef Py_ssize_t i
        cdef Cells* copy = <Cells*>self.array(sets.shape[0], sizeof(Cells))
        if sets.shape[1] != 2:
            raise ValueError(f"sets of cells in {sets.shape[1]} words, not 2")
        for i in range(sets.shape[0]):
            copy[i] = join(sets[i, 0], sets[i, 1])
        return copy
