// AVX2 without FMA: nothing can be contracted, so the results are those of the baseline.
#if defined(__x86_64__)
#include <immintrin.h>

#include "server/sim/solvers/pairs.h"
#pragma GCC target("avx2")
#define TRYON_PAIRS_AVX 1
#include "server/sim/solvers/pairs_impl.h"

namespace tryon::sim::pairs {
const Kernels* avx2_kernels() { return __builtin_cpu_supports("avx2") ? &kKernels : nullptr; }
}  // namespace tryon::sim::pairs
#else
#include "server/sim/solvers/pairs.h"

namespace tryon::sim::pairs {
const Kernels* avx2_kernels() { return nullptr; }
}  // namespace tryon::sim::pairs
#endif
