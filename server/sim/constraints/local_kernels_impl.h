// All loops of local_step.h as one build has them; compiled as local_step_impl.h.
#pragma once

#include "server/sim/constraints/local_folds_impl.h"
#include "server/sim/constraints/local_patches_impl.h"

namespace tryon::sim::local_step {
namespace {

constexpr Kernels kKernels{springs,       membranes,       hinges,      patch,         fold_angles, fold_moments,
                           thread_blocks, membrane_blocks, fold_blocks, fold_products, gather};

}  // namespace
}  // namespace tryon::sim::local_step
