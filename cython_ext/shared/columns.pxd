# Counting and moving the bits of columns, 64 configurations per word: most of the time of the blocks of
# `_block.pyx` and of the evaluators.

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from cells cimport popcount

cdef extern from *:
    """
    #if defined(__BMI2__) || defined(__AVX2__)
    #include <immintrin.h>
    #endif
    #if defined(__BMI2__)
    #define optsearch_extract(w, mask) _pext_u64(w, mask)
    #define optsearch_deposit(w, mask) _pdep_u64(w, mask)
    #else
    /* The lowest bits of w, put where the mask has bits. */
    static inline uint64_t optsearch_deposit(uint64_t w, uint64_t mask) {
        uint64_t bits = 0;
        for (; mask && w; w >>= 1, mask &= mask - 1)
            bits |= w & 1 ? mask & -mask : 0;
        return bits;
    }
    /* The bits of w under the mask, moved together: Hacker's Delight, 7-4. */
    static inline uint64_t optsearch_extract(uint64_t w, uint64_t mask) {
        uint64_t mk = ~mask << 1, mp, mv, t;
        w &= mask;
        for (int i = 0; i < 6; i++) {
            mp = mk ^ mk << 1;
            mp ^= mp << 2;
            mp ^= mp << 4;
            mp ^= mp << 8;
            mp ^= mp << 16;
            mp ^= mp << 32;
            mv = mp & mask;
            mask = (mask ^ mv) | mv >> (1 << i);
            t = w & mv;
            w = (w ^ t) | t >> (1 << i);
            mk &= ~mp;
        }
        return w;
    }
    #endif
    #define optsearch_leading_one(w) (63 - __builtin_clzll(w))
    /* The transpose of 64 words of 64 bits, in place: bit j of word i goes to bit i of word j. */
    static inline void optsearch_transpose(uint64_t *a) {
        uint64_t m = 0x00000000FFFFFFFFull, t;
        for (int j = 32; j; j >>= 1, m ^= m << j)
            for (int k = 0; k < 64; k = ((k | j) + 1) & ~j) {
                t = ((a[k] >> j) ^ a[k | j]) & m;
                a[k] ^= t << j;
                a[k | j] ^= t;
            }
    }
    /* The hash that chooses samples: splitmix64's finisher on the two words of a cell set. */
    static inline uint64_t optsearch_mix(uint64_t x) {
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
        x = (x ^ x >> 27) * 0x94D049BB133111EBull;
        return x ^ x >> 31;
    }
    static inline uint64_t optsearch_hash(uint64_t low, uint64_t high) {
        return optsearch_mix(low + 0x9E3779B97F4A7C15ull * (optsearch_mix(high) | 1));
    }
    /* Of the cells that some of the n configurations under x have, and not all: the one that most
       have, the first of those, as their number << 8 | 255 - cell; 0 in the high bits: there is none.
       The sum of their numbers goes to total. Columns past `cells` to a multiple of 4 are 0.
       in_all -- where the bits of the columns that all n have are set, or NULL. */
    #if defined(__AVX2__)
    static inline __attribute__((always_inline)) uint32_t optsearch_most(
        const uint64_t *column, int cells, uint64_t x, int n, int *total, uint64_t *in_all) {
        const __m256i low = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
        const __m256i ones = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                              0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i under = _mm256_set1_epi64x((long long)x), every = _mm256_set1_epi64x(n);
        const __m256i four = _mm256_set1_epi64x(4);
        __m256i cell = _mm256_setr_epi64x(255, 254, 253, 252), best = zero, sum = zero;
        for (int i = 0; i < cells; i += 4) {
            __m256i v = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(column + i)), under);
            __m256i c = _mm256_add_epi8(
                _mm256_shuffle_epi8(ones, _mm256_and_si256(v, low)),
                _mm256_shuffle_epi8(ones, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));
            c = _mm256_sad_epu8(c, zero);
            if (in_all)
                in_all[i >> 6] |= (uint64_t)_mm256_movemask_pd(_mm256_castsi256_pd(
                                      _mm256_cmpeq_epi64(c, every))) << (i & 63);
            c = _mm256_and_si256(c, _mm256_cmpgt_epi32(every, c));
            sum = _mm256_add_epi64(sum, c);
            best = _mm256_max_epu32(best, _mm256_or_si256(_mm256_slli_epi64(c, 8), cell));
            cell = _mm256_sub_epi64(cell, four);
        }
        __m128i b = _mm_max_epu32(_mm256_castsi256_si128(best), _mm256_extracti128_si256(best, 1));
        __m128i s = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        uint32_t one = (uint32_t)_mm_cvtsi128_si32(b), other = (uint32_t)_mm_extract_epi32(b, 2);
        *total = _mm_cvtsi128_si32(s) + _mm_extract_epi32(s, 2);
        return one > other ? one : other;
    }
    #else
    static inline __attribute__((always_inline)) uint32_t optsearch_most(
        const uint64_t *column, int cells, uint64_t x, int n, int *total, uint64_t *in_all) {
        uint32_t best = 0;
        *total = 0;
        for (int i = 0; i < cells; i++) {
            int c = __builtin_popcountll(column[i] & x), open = c < n ? c : 0;
            uint32_t key = (uint32_t)open << 8 | (255 - i);
            if (in_all)
                in_all[i >> 6] |= (uint64_t)(c == n) << (i & 63);
            *total += open;
            best = key > best ? key : best;
        }
        return best;
    }
    #endif
    /* Whether some column has two of the three configurations under x; columns past `cells` to a
       multiple of 4 are 0. */
    static inline int optsearch_has_two(const uint64_t *column, int cells, uint64_t x) {
    #if defined(__AVX2__)
        const __m256i under = _mm256_set1_epi64x((long long)x), zero = _mm256_setzero_si256();
        const __m256i less = _mm256_set1_epi64x(-1);
        for (int i = 0; i < cells; i += 4) {
            __m256i v = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(column + i)), under);
            __m256i one = _mm256_cmpeq_epi64(_mm256_and_si256(v, _mm256_add_epi64(v, less)), zero);
            if (_mm256_movemask_epi8(_mm256_or_si256(one, _mm256_cmpeq_epi64(v, under))) != -1)
                return 1;
        }
    #else
        for (int i = 0; i < cells; i++)
            if (__builtin_popcountll(column[i] & x) == 2)
                return 1;
    #endif
        return 0;
    }
    #define optsearch_greatest(column, cells, x, n, total) \
        optsearch_most(column, cells, x, n, total, NULL)
    """
    uint32_t greatest "optsearch_greatest"(const uint64_t* column, int cells, uint64_t x, int n,
                                           int* total) noexcept nogil
    bint has_two "optsearch_has_two"(const uint64_t* column, int cells, uint64_t x) noexcept nogil
    uint32_t greatest_and_all "optsearch_most"(const uint64_t* column, int cells, uint64_t x, int n,
                                               int* total, uint64_t* in_all) noexcept nogil
    int leading_one "optsearch_leading_one"(uint64_t w) noexcept nogil    # its place in w > 0
    uint64_t extract "optsearch_extract"(uint64_t w, uint64_t mask) noexcept nogil
    uint64_t deposit "optsearch_deposit"(uint64_t w, uint64_t mask) noexcept nogil    # its inverse
    void transpose "optsearch_transpose"(uint64_t* a) noexcept nogil
    uint64_t mix_cells "optsearch_hash"(uint64_t low, uint64_t high) noexcept nogil


cdef struct Piece:        # a word of a mask, and the place of its bits in a copy
    uint64_t mask
    int32_t word
    uint8_t fill
    uint8_t is_over       # 1 if they fill a word of the copy


cdef inline int64_t count_bits(const uint64_t* column, const uint64_t* mask, int64_t words) noexcept nogil:
    """Count the bits of a column that are under a mask; NULL is all."""
    cdef int64_t i, total = 0
    if mask == NULL:
        for i in range(words):
            total += popcount(column[i])
    else:
        for i in range(words):
            total += popcount(column[i] & mask[i])
    return total


cdef inline int64_t cut(const uint64_t* mask, int64_t words, Piece* pieces, int* fill) noexcept nogil:
    """Fill the pieces of a mask for `copy_together`; return the number of its words that are not 0.

    fill -- set to the bits of the last word of a copy, or 0 if it is full.
    """
    cdef int64_t j, used = 0
    fill[0] = 0
    for j in range(words):
        if mask[j]:
            pieces[used].mask, pieces[used].word, pieces[used].fill = mask[j], <int32_t>j, <uint8_t>fill[0]
            fill[0] += popcount(mask[j])
            pieces[used].is_over = fill[0] >> 6
            fill[0] &= 63
            used += 1
    return used


cdef inline uint64_t* copy_together(const uint64_t* column, const Piece* pieces, int64_t used, int fill,
                                    uint64_t* destination) noexcept nogil:
    """Copy the bits of a column that are under a mask, moved together; return the end of the copy.

    pieces, used, fill -- the mask, its words and its last bits, by `cut`.
    """
    cdef int64_t j
    cdef uint64_t bits, filling = 0
    cdef const Piece* piece
    for j in range(used):
        piece = &pieces[j]
        bits = extract(column[piece.word], piece.mask)
        filling |= bits << piece.fill
        destination[0] = filling
        bits = bits >> 1 >> (63 - piece.fill)
        filling = bits if piece.is_over else filling
        destination += piece.is_over
    if fill:
        destination[0] = filling
        destination += 1
    return destination
