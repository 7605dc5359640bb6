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

struct Axes {
  V4 at[3];
};

inline V4 dot(const Axes& a, const Axes& b) { return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2]; }

// The particles' ways from the first one, of four triangles. Loops are unrolled here, for g++ keeps them in memory.
[[gnu::always_inline]] inline void take(const FourBends& f, const RVec3* x, int last, Axes way[5]) {
#pragma GCC unroll 5
  for (int j = 0; j < 5; ++j) {
    V4 apart[4], turned[4];
#pragma GCC unroll 4
    for (int lane = 0; lane < 4; ++lane)
      apart[lane] = load(x, f.particle[j + 1][lane], last) - load(x, f.particle[0][lane], last);
    transpose(apart, turned);
    way[j] = {{turned[0], turned[1], turned[2]}};
  }
}

[[gnu::always_inline]] inline Axes curvature(const Real weight[5][4], const Axes way[5]) {
  Axes s;
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    s.at[a] = four(weight[0]) * way[0].at[a];
#pragma GCC unroll 4
    for (int j = 1; j < 5; ++j) s.at[a] += four(weight[j]) * way[j].at[a];
  }
  return s;
}

// By what moments pull on the particles behind the first, in the ways' place.
[[gnu::always_inline]] inline void pull(const FourBends& f, const Axes moment[3], Axes force[5]) {
#pragma GCC unroll 5
  for (int j = 0; j < 5; ++j)
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a)
      force[j].at[a] = four(f.weight[0][j]) * moment[0].at[a] + four(f.weight[1][j]) * moment[1].at[a] +
                       four(f.weight[2][j]) * moment[2].at[a];
}

[[gnu::always_inline]] inline void put(const Axes force[5], int count, RVec3* slot) {
  V4 turned[6][4];
  V4 first[4] = {};
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a)
    first[a] = -((force[0].at[a] + force[1].at[a]) + (force[2].at[a] + force[3].at[a]) + force[4].at[a]);
  transpose(first, turned[0]);
#pragma GCC unroll 5
  for (int j = 0; j < 5; ++j) {
    const V4 rows[4] = {force[j].at[0], force[j].at[1], force[j].at[2], {}};
    transpose(rows, turned[j + 1]);
  }
#pragma GCC unroll 4
  for (int lane = 0; lane < 4; ++lane) {
    if (lane >= count) return;
#pragma GCC unroll 5
    for (int j = 0; j < 5; ++j) store_over(turned[j][lane], slot + 6 * lane + j);
    store(turned[5][lane], slot + 6 * lane + 5, lane + 1 == count);
  }
}

double bends_with_friction(const FrictionView& view, const RVec3* x, int begin, int end, RVec3* slot) {
  V4 elastic = {}, rubbed = {};
  const V4 least = all(view.slack * view.slack);
  for (int i = begin; i < end; i += 4) {
    const FourBends& f = view.four[i / 4];
    Axes way[5], s[3];
    take(f, x, view.last, way);
    V4 square[3];
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) s[k] = curvature(f.weight[k], way), square[k] = dot(s[k], s[k]);
    const V4 squared = square[0] + square[1] + square[2], moment = four(f.moment);
    const V4 size = root(squared + least), held = moment / size;
    rubbed += moment * squared / (size + view.slack);
#pragma GCC unroll 3
    for (int k = 0; k < 3; ++k) {
      const V4 stiffness = four(f.stiffness[k]);
      elastic += stiffness * square[k];
#pragma GCC unroll 3
      for (int a = 0; a < 3; ++a) s[k].at[a] *= stiffness + held;
    }
    pull(f, s, way);
    put(way, std::min(4, end - i), slot + 6 * i);
  }
  return total(rubbed) + 0.5 * total(elastic);
}

}  // namespace
}  // namespace tryon::sim::local_step
