#pragma GCC diagnostic ignored "-Wpsabi"
#include "server/sim/solvers/pairs_impl.h"

namespace tryon::sim::pairs {

const Kernels& baseline_kernels() { return kKernels; }

const Kernels& best_kernels() {
  static const Kernels& kernels = avx2_kernels() != nullptr ? *avx2_kernels() : baseline_kernels();
  return kernels;
}

}  // namespace tryon::sim::pairs
