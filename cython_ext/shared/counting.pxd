# The number of sets of a subset with each of many cells: one word per cell, four cells at a time if the
# processor can. Arrays are read and written in multiples of LANES words; those past the cells are 0.

from libc.stdint cimport uint64_t

cdef enum:
    LANES = 4

cdef extern from *:
    """
    #if defined(__AVX2__)
    #include <immintrin.h>
    static inline __m256i optsearch_popcounts(__m256i v) {
        const __m256i low = _mm256_set1_epi8(15);
        const __m256i ones = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
                                              0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        return _mm256_sad_epu8(
            _mm256_add_epi8(
                _mm256_shuffle_epi8(ones, _mm256_and_si256(v, low)),
                _mm256_shuffle_epi8(ones, _mm256_and_si256(_mm256_srli_epi16(v, 4), low))),
            _mm256_setzero_si256());
    }
    #endif
    typedef struct {
        int certain;   /* cells that all sets have */
        int most;      /* the greatest count of the others */
        int frequent;  /* the first cell of that count */
    } optsearch_counted;

    /* How many of the sets under x have each cell. */
    static inline void optsearch_count(const uint64_t *column, int cells, uint64_t x,
                                       uint64_t *count) {
    #if defined(__AVX2__)
        const __m256i under = _mm256_set1_epi64x((long long)x);
        for (int i = 0; i < cells; i += 4) {
            __m256i v = _mm256_loadu_si256((const __m256i *)(column + i));
            _mm256_storeu_si256((__m256i *)(count + i),
                                optsearch_popcounts(_mm256_and_si256(v, under)));
        }
    #else
        for (int i = 0; i < cells; i++)
            count[i] = (uint64_t)__builtin_popcountll(column[i] & x);
    #endif
    }

    /* The same for the n_hit sets under x, and for the n_missed others of those that `count` counts. */
    static inline void optsearch_count_parts(
            const uint64_t *column, const uint64_t *count, int cells, uint64_t x, int n_hit,
            int n_missed, uint64_t *hit, uint64_t *missed, optsearch_counted *of_hit,
            optsearch_counted *of_missed) {
    #if defined(__AVX2__)
        const __m256i under = _mm256_set1_epi64x((long long)x), zero = _mm256_setzero_si256();
        const __m256i all_hit = _mm256_set1_epi64x(n_hit), all_missed = _mm256_set1_epi64x(n_missed);
        const __m256i four = _mm256_set1_epi64x(4);
        __m256i cell = _mm256_setr_epi64x(255, 254, 253, 252);
        __m256i best_hit = zero, best_missed = zero, certain_hit = zero, certain_missed = zero;
        for (int i = 0; i < cells; i += 4) {
            __m256i v = _mm256_loadu_si256((const __m256i *)(column + i));
            __m256i h = optsearch_popcounts(_mm256_and_si256(v, under));
            __m256i m = _mm256_sub_epi64(_mm256_loadu_si256((const __m256i *)(count + i)), h);
            __m256i every_hit = _mm256_cmpeq_epi64(h, all_hit);
            __m256i every_missed = _mm256_cmpeq_epi64(m, all_missed);
            _mm256_storeu_si256((__m256i *)(hit + i), h);
            _mm256_storeu_si256((__m256i *)(missed + i), m);
            certain_hit = _mm256_sub_epi64(certain_hit, every_hit);
            certain_missed = _mm256_sub_epi64(certain_missed, every_missed);
            h = _mm256_or_si256(_mm256_slli_epi64(_mm256_andnot_si256(every_hit, h), 8), cell);
            m = _mm256_or_si256(_mm256_slli_epi64(_mm256_andnot_si256(every_missed, m), 8), cell);
            best_hit = _mm256_max_epu32(best_hit, h);
            best_missed = _mm256_max_epu32(best_missed, m);
            cell = _mm256_sub_epi64(cell, four);
        }
        /* The low halves are of the part that is hit, the high ones of the other. */
        __m256i best = _mm256_or_si256(best_hit, _mm256_slli_epi64(best_missed, 32));
        __m256i certain = _mm256_or_si256(certain_hit, _mm256_slli_epi64(certain_missed, 32));
        __m128i b = _mm_max_epu32(_mm256_castsi256_si128(best), _mm256_extracti128_si256(best, 1));
        __m128i c = _mm_add_epi32(_mm256_castsi256_si128(certain),
                                  _mm256_extracti128_si256(certain, 1));
        b = _mm_max_epu32(b, _mm_unpackhi_epi64(b, b));
        c = _mm_add_epi32(c, _mm_unpackhi_epi64(c, c));
        uint64_t bb = (uint64_t)_mm_cvtsi128_si64(b), cc = (uint64_t)_mm_cvtsi128_si64(c);
        uint32_t top_hit = (uint32_t)bb, top_missed = (uint32_t)(bb >> 32);
        of_hit->certain = (int)(uint32_t)cc;
        of_missed->certain = (int)(cc >> 32);
    #else
        uint32_t top_hit = 0, top_missed = 0;
        of_hit->certain = of_missed->certain = 0;
        for (int i = 0; i < cells; i++) {
            uint32_t h = (uint32_t)__builtin_popcountll(column[i] & x), m = (uint32_t)count[i] - h;
            hit[i] = h;
            missed[i] = m;
            of_hit->certain += h == (uint32_t)n_hit;
            of_missed->certain += m == (uint32_t)n_missed;
            h = (h == (uint32_t)n_hit ? 0 : h) << 8 | (uint32_t)(255 - i);
            m = (m == (uint32_t)n_missed ? 0 : m) << 8 | (uint32_t)(255 - i);
            top_hit = h > top_hit ? h : top_hit;
            top_missed = m > top_missed ? m : top_missed;
        }
    #endif
        of_hit->most = (int)(top_hit >> 8);
        of_hit->frequent = 255 - (int)(top_hit & 255);
        of_missed->most = (int)(top_missed >> 8);
        of_missed->frequent = 255 - (int)(top_missed & 255);
    }

    /* Whether a column lies inside one of the first so many. */
    static inline int optsearch_is_inside(uint64_t x, const uint64_t *column, int cells) {
        int i = 0;
    #if defined(__AVX2__)
        const __m256i v = _mm256_set1_epi64x((long long)x), zero = _mm256_setzero_si256();
        for (; i + 4 <= cells; i += 4) {
            __m256i rest = _mm256_andnot_si256(
                _mm256_loadu_si256((const __m256i *)(column + i)), v);
            if (_mm256_movemask_epi8(_mm256_cmpeq_epi64(rest, zero)))
                return 1;
        }
    #endif
        for (; i < cells; i++)
            if (!(x & ~column[i]))
                return 1;
        return 0;
    }
    """
    ctypedef struct Counted "optsearch_counted":
        int certain
        int most
        int frequent
    void count_cells "optsearch_count"(const uint64_t* column, int cells, uint64_t x,
                                       uint64_t* count) noexcept nogil
    void count_parts "optsearch_count_parts"(
        const uint64_t* column, const uint64_t* count, int cells, uint64_t x, int n_hit,
        int n_missed, uint64_t* hit, uint64_t* missed, Counted* of_hit,
        Counted* of_missed) noexcept nogil
    bint is_inside "optsearch_is_inside"(uint64_t x, const uint64_t* column,
                                         int cells) noexcept nogil
