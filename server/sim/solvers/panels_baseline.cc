#pragma GCC diagnostic ignored "-Wpsabi"
#include "server/sim/solvers/panels_kernels_impl.h"

namespace tryon::sim::panels {

const Kernels& baseline_kernels() { return kKernels; }

const Kernels& best_kernels() {
  static const Kernels& kernels = [&]() -> const Kernels& {
    if (avx512_kernels() != nullptr) return *avx512_kernels();
    return avx2_kernels() != nullptr ? *avx2_kernels() : baseline_kernels();
  }();
  return kernels;
}

}  // namespace tryon::sim::panels
