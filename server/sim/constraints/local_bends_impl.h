// Bending (local_step.h) by hinges, by the bending matrix's rows, and triangle by triangle with its friction, compiled
// as local_step_impl.h.
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
    if (i + 1 < end) {
      store_over(force, slot + i);
    } else {
      store(force, slot + i);
    }
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

struct Bend {
  V4 s0, s1, s2, square;  // S_11, S_22, sqrt(2) S_12; the sum of their squares by axes
};

// Adds twice what it stores elastically, by axes. Its loops are written out, for g++ keeps them as loops in memory.
[[gnu::always_inline]] inline Bend bend_of(const FrictionView& f, int i, const RVec3* x, V4* elastic) {
  const std::array<int, 6>& p = f.particle[i];
  const auto& w = f.weight[i];
  const V4 from = load(x, p[0], f.last), first = load(x, p[1], f.last) - from;
  V4 s0 = w[0][1] * first, s1 = w[1][1] * first, s2 = w[2][1] * first;
#pragma GCC unroll 4
  for (int j = 2; j < 6; ++j) {
    const V4 apart = load(x, p[j], f.last) - from;
    s0 += w[0][j] * apart, s1 += w[1][j] * apart, s2 += w[2][j] * apart;
  }
  const auto& k = f.stiffness[i];
  const V4 q0 = s0 * s0, q1 = s1 * s1, q2 = s2 * s2;
  *elastic += k[0] * q0 + k[1] * q1 + k[2] * q2;
  return {s0, s1, s2, q0 + q1 + q2};
}

// What particles are pulled by, six slots; `last`: nobody's slot follows.
[[gnu::always_inline]] inline void put(const FrictionView& f, int i, const Bend& bend, Real held, bool last,
                                       RVec3* slot) {
  const auto& w = f.weight[i];
  const auto& k = f.stiffness[i];
  const V4 m0 = (k[0] + held) * bend.s0, m1 = (k[1] + held) * bend.s1, m2 = (k[2] + held) * bend.s2;
  V4 force[6];
#pragma GCC unroll 5
  for (int j = 1; j < 6; ++j) force[j] = w[0][j] * m0 + w[1][j] * m1 + w[2][j] * m2;
  force[0] = -((force[1] + force[2]) + (force[3] + force[4]) + force[5]);
#pragma GCC unroll 5
  for (int j = 0; j < 5; ++j) store_over(force[j], slot + j);
  last ? store(force[5], slot + 5) : store_over(force[5], slot + 5);
}

double bends_with_friction(const FrictionView& f, const RVec3* x, int begin, int end, RVec3* slot) {
  V4 elastic = {}, rubbed = {};
  const V4 least = all(f.slack * f.slack);
  for (int i = begin; i < end; i += 4) {
    const int count = std::min(4, end - i);
    Bend bend[4] = {};
    V4 square[4] = {}, across[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j)
      if (j < count) bend[j] = bend_of(f, i + j, x, &elastic), square[j] = bend[j].square;
    transpose(square, across);
    const V4 squared = across[0] + across[1] + across[2], moment = first_of(f.moment + i, count);
    const V4 size = root(squared + least), held = moment / size;
    rubbed += moment * squared / (size + f.slack);
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j)
      if (j < count) put(f, i + j, bend[j], held[j], i + j + 1 == end, slot + 6 * (i + j));
  }
  return total(rubbed) + 0.5 * double(elastic[0] + elastic[1] + elastic[2]);  // the fourth is nobody's
}

}  // namespace
}  // namespace tryon::sim::local_step
