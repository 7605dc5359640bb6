// Patches of cloth eight triangles at once; the same bytes as the baseline (-ffp-contract=off).
#if defined(__x86_64__)
// g++ 12 takes what its own header leaves undefined on purpose for a mistake.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "server/sim/constraints/springs.h"
#pragma GCC target("avx512f,avx512vl,avx512dq,avx2,fma")
#define TRYON_HAS_AVX 1
#define TRYON_HAS_AVX512 1
#include "server/sim/constraints/local_kernels_impl.h"

namespace tryon::sim::local_step {

const Kernels* avx512_kernels() {
  const bool able = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512dq") && avx2_kernels() != nullptr;
  return able ? &kKernels : nullptr;
}

}  // namespace tryon::sim::local_step
#else
#include "server/sim/constraints/local_step.h"

namespace tryon::sim::local_step {
const Kernels* avx512_kernels() { return nullptr; }
}  // namespace tryon::sim::local_step
#endif
