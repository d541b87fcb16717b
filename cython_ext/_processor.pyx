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
    static int optsearch_v4(void) {
        return optsearch_v3() && __builtin_cpu_supports("avx512f")
            && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd")
            && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")
            && __builtin_cpu_supports("avx512vpopcntdq");
    }
    #else
    static int optsearch_v3(void) { return 0; }
    static int optsearch_v4(void) { return 0; }
    #endif
    """
    bint optsearch_v3() nogil
    bint optsearch_v4() nogil


def instruction_sets():
    """Names of the builds that run here besides the plain one, the fastest first (list of str)."""
    names = []
    if optsearch_v4():
        names.append("x86_64_v4")
    if optsearch_v3():
        names.append("x86_64_v3")
    return names
