#pragma GCC diagnostic ignored "-Wpsabi"
#include "server/sim/constraints/local_membranes_impl.h"

namespace tryon::sim::local_step {

const Kernels& baseline_kernels() {
  static const Kernels kernels{springs, threads, membranes, hinges, bend_rows, thread_blocks, membrane_blocks, gather};
  return kernels;
}

const Kernels& best_kernels() {
  static const Kernels& kernels = avx2_kernels() != nullptr ? *avx2_kernels() : baseline_kernels();
  return kernels;
}

}  // namespace tryon::sim::local_step
