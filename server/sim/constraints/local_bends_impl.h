// Bending (local_step.h) by hinges, compiled as local_step_impl.h.
#pragma once

#include "server/sim/constraints/local_step_impl.h"

namespace tryon::sim::local_step {
namespace {

// x, y, z of one are a vector.
double hinges(const HingeView& h, const RVec3* x, int begin, int end, RVec3* slot) {
  V4 energy = {};
  for (int i = begin; i < end; ++i) {
    const std::array<int, 4>& p = h.particle[i];
    const std::array<Real, 4>& w = h.weight[i];
    const V4 from = load(x, p[0], h.last);
    const V4 e = w[1] * (load(x, p[1], h.last) - from) + w[2] * (load(x, p[2], h.last) - from) +
                 w[3] * (load(x, p[3], h.last) - from);
    const V4 force = h.stiffness[i] * e;
    energy += force * e;
    store(force, slot + i, i + 1 == end);
  }
  return 0.5 * double(energy[0] + energy[1] + energy[2]);  // the fourth is nobody's
}

}  // namespace
}  // namespace tryon::sim::local_step
