#pragma GCC diagnostic ignored "-Wpsabi"
#include "server/sim/constraints/local_kernels_impl.h"

namespace tryon::sim::local_step {

const Kernels& baseline_kernels() { return kKernels; }

const Kernels& best_kernels() {
  static const Kernels& kernels = avx512_kernels() != nullptr ? *avx512_kernels()
                                  : avx2_kernels() != nullptr ? *avx2_kernels()
                                                              : baseline_kernels();
  return kernels;
}

}  // namespace tryon::sim::local_step
