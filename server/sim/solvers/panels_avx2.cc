// AVX2 without FMA: nothing can be contracted, so the results are those of the baseline.
#if defined(__x86_64__)
#include <algorithm>

#include "server/sim/solvers/panels.h"
#pragma GCC target("avx2")
#include "server/sim/solvers/panels_impl.h"

namespace tryon::sim::panels {

const Kernels* avx2_kernels() {
  static const Kernels kernels{solve, eliminate, pack};
  return __builtin_cpu_supports("avx2") ? &kernels : nullptr;
}

}  // namespace tryon::sim::panels
#else
#include "server/sim/solvers/panels.h"

namespace tryon::sim::panels {
const Kernels* avx2_kernels() { return nullptr; }
}  // namespace tryon::sim::panels
#endif
