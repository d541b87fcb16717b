# How many ships a code can have: what one kernel writes and others read.

cpdef enum:
    MAX_KINDS = 16             # of ships; 1 + 2 + … + 16 > 128 cells
    MAX_PLACEMENTS = 256       # of a kind: both orientations from at most 128 cells
    MAX_CODED = 32             # ships
    MAX_CODE_WORDS = 4         # of a code, 64 bits each
