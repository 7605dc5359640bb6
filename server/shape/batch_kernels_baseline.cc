#pragma GCC diagnostic ignored "-Wpsabi"
#define TRYON_PACK_BYTES 16
#include "server/shape/batch_kernels_impl.h"

namespace tryon::batch {

const Kernels& baseline_kernels() {
  static const Kernels kernels{bounds, distances};
  return kernels;
}

const Kernels& best_kernels() {
  static const Kernels& kernels = avx2_kernels() != nullptr ? *avx2_kernels() : baseline_kernels();
  return kernels;
}

}  // namespace tryon::batch
