#pragma GCC diagnostic ignored "-Wpsabi"
#include "server/sim/constraints/local_bends_impl.h"
#include "server/sim/constraints/local_folds_impl.h"
#include "server/sim/constraints/local_patches_impl.h"

namespace tryon::sim::local_step {

const Kernels& baseline_kernels() {
  static const Kernels kernels{springs,       membranes,       hinges,      patch,         fold_angles, fold_moments,
                               thread_blocks, membrane_blocks, fold_blocks, fold_products, gather};
  return kernels;
}

const Kernels& best_kernels() {
  static const Kernels& kernels = avx512_kernels() != nullptr ? *avx512_kernels()
                                  : avx2_kernels() != nullptr ? *avx2_kernels()
                                                              : baseline_kernels();
  return kernels;
}

}  // namespace tryon::sim::local_step
