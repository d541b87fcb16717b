# A set of cells as 128 bits: bit row * columns + column is the cell. On a 3x4 grid:
#
#        A   B   C   D
#     1  0   1   2   3
#     2  4   5   6   7         the ship B1 B2 B3 is bits 1, 5, 9:  0b0010_0010_0010
#     3  8   9  10  11
#
# Python holds the same set as an integer, and an array of n sets as uint64 of shape (n, 2): the low
# 64 bits, then the high 64 bits.

from libc.stdint cimport uint64_t

cdef enum:
    MAX_CELLS = 128

cdef extern from *:
    """
    typedef unsigned __int128 optsearch_cells;
    #define optsearch_join(low, high) \
        (((optsearch_cells)(high) << 64) | (optsearch_cells)(low))
    #define optsearch_low(s) ((uint64_t)(s))
    #define optsearch_high(s) ((uint64_t)((s) >> 64))
    #define optsearch_one(i) ((optsearch_cells)1 << (i))
    static inline int optsearch_size(optsearch_cells s) {
        return __builtin_popcountll(optsearch_low(s)) + __builtin_popcountll(optsearch_high(s));
    }
    static inline int optsearch_first(optsearch_cells s) {
        return optsearch_low(s) ? __builtin_ctzll(optsearch_low(s))
                                : 64 + __builtin_ctzll(optsearch_high(s));
    }
    static inline int optsearch_pop_cell(optsearch_cells *s) {
        int cell = optsearch_first(*s);
        *s &= *s - 1;
        return cell;
    }
    static inline int optsearch_pop_bit(uint64_t *w) {
        int bit = __builtin_ctzll(*w);
        *w &= *w - 1;
        return bit;
    }
    #define optsearch_popcount(w) __builtin_popcountll(w)
    #define optsearch_ctz(w) __builtin_ctzll(w)
    #define optsearch_clz(w) __builtin_clzll(w)
    """
    # Cython takes the typedef for 64 bits; C knows better, and only C does arithmetic with it.
    ctypedef unsigned long long Cells "optsearch_cells"
    Cells join "optsearch_join"(uint64_t low, uint64_t high) noexcept nogil
    uint64_t low "optsearch_low"(Cells s) noexcept nogil
    uint64_t high "optsearch_high"(Cells s) noexcept nogil
    Cells one "optsearch_one"(int i) noexcept nogil      # the set of one cell
    int size "optsearch_size"(Cells s) noexcept nogil    # how many cells
    int first "optsearch_first"(Cells s) noexcept nogil  # the first cell of a set that is not empty
    int pop_cell "optsearch_pop_cell"(Cells* s) noexcept nogil    # take out the first cell; return it
    int pop_bit "optsearch_pop_bit"(uint64_t* w) noexcept nogil   # take out the lowest bit; return its index
    int popcount "optsearch_popcount"(uint64_t w) noexcept nogil
    int ctz "optsearch_ctz"(uint64_t w) noexcept nogil
    int clz "optsearch_clz"(uint64_t w) noexcept nogil
