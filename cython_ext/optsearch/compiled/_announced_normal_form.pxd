# Keys of states where sinkings are announced: equal keys, equal optimum.

from arena cimport Arena
from cells cimport Cells
from optsearch.compiled._announced_state cimport State
from optsearch.compiled._table cimport Key

cdef int write_key(const State* state, const Cells some, int objective, bint isomorphism, Key* key,
                   Arena* arena) except -1 nogil
