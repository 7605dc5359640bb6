// Built without contraction (CMakeLists.txt): multiply-adds are fused where the code says so, as in the baseline.
#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "server/sim/solvers/panels.h"
#pragma GCC target("avx2,fma")
#define TRYON_PANELS_FMA
#include "server/sim/solvers/panels_kernels_impl.h"

namespace tryon::sim::panels {

const Kernels* avx2_kernels() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &kKernels : nullptr;
}

}  // namespace tryon::sim::panels
#else
#include "server/sim/solvers/panels.h"

namespace tryon::sim::panels {
const Kernels* avx2_kernels() { return nullptr; }
}  // namespace tryon::sim::panels
#endif
