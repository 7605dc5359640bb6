// Built without contraction (CMakeLists.txt), as panels_avx2.cc. Solves for one right-hand side by a factor kept whole
// are at the memory's speed and stay there, as do those of float; those for three by one kept short are as in
// panels_avx2.cc.
#if defined(__x86_64__)
// g++ 12 takes what its own header leaves undefined on purpose for a mistake.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "server/sim/solvers/panels.h"
#pragma GCC target("avx512f,avx2,fma")
#define TRYON_PANELS_AVX512
#include "server/sim/solvers/panels_factor_impl.h"
#include "server/sim/solvers/panels_solve_avx512_impl.h"

namespace tryon::sim::panels {

const Kernels* avx512_kernels() {
  static const Kernels* const other = __builtin_cpu_supports("avx512f") ? avx2_kernels() : nullptr;
  if (other == nullptr) return nullptr;
  static const Kernels kernels = [] {
    Kernels own = *other;
    if constexpr (sizeof(Real) == sizeof(double)) own.whole.forward = forward, own.whole.backward = backward;
    take_short_one_avx512(&own);
    own.in_double = elimination<double>(), own.in_float = elimination<float>(), own.pack = pack<double>;
    return own;
  }();
  return &kernels;
}

}  // namespace tryon::sim::panels
#else
#include "server/sim/solvers/panels.h"

namespace tryon::sim::panels {
const Kernels* avx512_kernels() { return nullptr; }
}  // namespace tryon::sim::panels
#endif
