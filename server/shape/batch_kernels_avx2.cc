// AVX2 without FMA: nothing can be contracted, so the results are those of the baseline.
#if defined(__x86_64__)
#pragma GCC target("avx2")
#define TRYON_PACK_BYTES 32
#include "server/shape/batch_kernels_impl.h"

namespace tryon::batch {

const Kernels* avx2_kernels() {
  static const Kernels kernels{bounds, distances};
  return __builtin_cpu_supports("avx2") ? &kernels : nullptr;
}

}  // namespace tryon::batch
#else
#include "server/shape/batch_kernels.h"

namespace tryon::batch {
const Kernels* avx2_kernels() { return nullptr; }
}  // namespace tryon::batch
#endif
