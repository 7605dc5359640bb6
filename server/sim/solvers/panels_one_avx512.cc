// Built without contraction (CMakeLists.txt), as panels_avx2.cc: the solves for one right-hand side by a factor kept
// short, two columns of a group in one vector.
#if defined(__x86_64__)
// g++ 12 takes what its own header leaves undefined on purpose for a mistake.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wunused-function"  // the solves for three
#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "server/sim/solvers/panels.h"
#pragma GCC target("avx512f,avx2,fma")
#define TRYON_PANELS_FMA
#define TRYON_PANELS_ONE_AVX512
#include "server/sim/solvers/panels_solve_one_impl.h"

namespace tryon::sim::panels {

void take_short_one_avx512(Kernels* to) {
  to->forward_short_one = forward_one<Short>, to->backward_short_one = backward_one<Short>;
}

}  // namespace tryon::sim::panels
#endif
