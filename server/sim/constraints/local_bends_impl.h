// Bending (local_step.h) by hinges and by the bending matrix's rows, compiled as local_step_impl.h.
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

// Even and odd neighbours apart: a sum waits for the one before it.
double bend_rows(const BendView& q, const RVec3* x, int begin, int end, RVec3* gradient) {
  V4 energy[2] = {};
  for (int i = begin; i < end; ++i) {
    const V4 from = load(x, i, q.last);
    V4 sum[2] = {};
    const auto pull = [&](int k, int side) {
      const V4 apart = load(x, q.column[k], q.last) - from;
      const V4 force = q.stiffness[k] * apart;
      sum[side] += force;
      energy[side] += force * apart;
    };
    int k = q.row_begin[i];
    for (; k + 1 < q.row_begin[i + 1]; k += 2) pull(k, 0), pull(k + 1, 1);
    if (k < q.row_begin[i + 1]) pull(k, 0);
    const V4 both = sum[0] + sum[1];
    gradient[i] += RVec3(both[0], both[1], both[2]);
  }
  const V4 both = energy[0] + energy[1];
  return -0.25 * double(both[0] + both[1] + both[2]);  // the fourth is nobody's
}

}  // namespace
}  // namespace tryon::sim::local_step
