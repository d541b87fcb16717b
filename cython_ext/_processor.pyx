"""Which of the instruction sets that the kernels are compiled for this processor runs."""

cdef extern from *:
    """
    #if defined(__x86_64__) && defined(__GNUC__)
    static int optsearch_v3(void) {
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
            && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")
            && __builtin_cpu_supports("popcnt");
    }
    #else
    static int optsearch_v3(void) { return 0; }
    #endif
    """
    bint optsearch_v3() nogil


def instruction_sets():
    """Names of the builds that run here besides the plain one, the fastest first (list of str)."""
    return ["x86_64_v3"] if optsearch_v3() else []
