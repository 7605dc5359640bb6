// Built without contraction (CMakeLists.txt), as panels_avx2.cc: the factor alone, for solves are at the memory's
// speed.
#if defined(__x86_64__)
#include <immintrin.h>

#include <algorithm>
#include <cmath>

#include "server/sim/solvers/panels.h"
#pragma GCC target("avx512f,avx2,fma")
#define TRYON_PANELS_AVX512
#include "server/sim/solvers/panels_factor_impl.h"

namespace tryon::sim::panels {

const Kernels* avx512_kernels() {
  static const Kernels* const other = __builtin_cpu_supports("avx512f") ? avx2_kernels() : nullptr;
  if (other == nullptr) return nullptr;
  static const Kernels kernels{
      other->forward, other->backward, other->forward_one, other->backward_one, eliminate, take_off, pack};
  return &kernels;
}

}  // namespace tryon::sim::panels
#else
#include "server/sim/solvers/panels.h"

namespace tryon::sim::panels {
const Kernels* avx512_kernels() { return nullptr; }
}  // namespace tryon::sim::panels
#endif
