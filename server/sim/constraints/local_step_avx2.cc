// Multiply-adds are fused where the source says so (-ffp-contract=off): the same bytes as the baseline.
#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "server/sim/constraints/springs.h"
#pragma GCC target("avx2,fma")
#define TRYON_HAS_AVX 1
#include "server/sim/constraints/local_kernels_impl.h"

namespace tryon::sim::local_step {

const Kernels* avx2_kernels() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kKernels : nullptr;
}

}  // namespace tryon::sim::local_step
#else
#include "server/sim/constraints/local_step.h"

namespace tryon::sim::local_step {
const Kernels* avx2_kernels() { return nullptr; }
}  // namespace tryon::sim::local_step
#endif
