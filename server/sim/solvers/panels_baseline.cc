#pragma GCC diagnostic ignored "-Wpsabi"
#include "server/sim/solvers/panels_impl.h"

namespace tryon::sim::panels {

const Kernels& baseline_kernels() {
  static const Kernels kernels{solve, forward_one, backward_one, eliminate, take_off, pack};
  return kernels;
}

const Kernels& best_kernels() {
  static const Kernels& kernels = avx2_kernels() != nullptr ? *avx2_kernels() : baseline_kernels();
  return kernels;
}

}  // namespace tryon::sim::panels
