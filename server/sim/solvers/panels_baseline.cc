#pragma GCC diagnostic ignored "-Wpsabi"
#include "server/sim/solvers/panels_factor_impl.h"
#include "server/sim/solvers/panels_solve_impl.h"

namespace tryon::sim::panels {

const Kernels& baseline_kernels() {
  static const Kernels kernels{bring,
                               bring_back,
                               forward,
                               backward,
                               forward_one<Real>,
                               backward_one<Real>,
                               forward_one<Short>,
                               backward_one<Short>,
                               eliminate,
                               take_off,
                               pack<Real>,
                               pack<Short>};
  return kernels;
}

const Kernels& best_kernels() {
  static const Kernels& kernels = [&]() -> const Kernels& {
    if (avx512_kernels() != nullptr) return *avx512_kernels();
    return avx2_kernels() != nullptr ? *avx2_kernels() : baseline_kernels();
  }();
  return kernels;
}

}  // namespace tryon::sim::panels
