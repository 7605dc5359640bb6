// The kernels of panels.h as one build has them: compiled by panels_baseline.cc and panels_avx2.cc.
#pragma once

#include "server/sim/solvers/panels_factor_impl.h"
#include "server/sim/solvers/panels_solve_short_impl.h"

namespace tryon::sim::panels {
namespace {

constexpr Kernels kKernels{{bring, bring_back, forward, backward},
                           {bring_short, bring_back_short, forward_short, backward_short},
                           forward_one<Real>,
                           backward_one<Real>,
                           forward_one<Short>,
                           backward_one<Short>,
                           elimination<double>(),
                           elimination<float>(),
                           pack<double>};

}  // namespace
}  // namespace tryon::sim::panels
