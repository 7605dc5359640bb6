// Patches of cloth (local_step.h): threads and bending with its friction, four triangles at once, on copies of
// particles that stay in the first cache; compiled as local_step_impl.h. Loops over axes and corners are unrolled here,
// for g++ keeps them in memory.
#pragma once

#include "server/sim/constraints/local_step_impl.h"

namespace tryon::sim::local_step {
namespace {

struct Axes {
  V4 at[3];
};

inline V4 dot(const Axes& a, const Axes& b) { return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2]; }

inline V4& at(Lane* lanes, int i) { return *reinterpret_cast<V4*>(lanes[i].at); }

// The ways of four triangles' particles from their first ones.
[[gnu::always_inline]] inline Axes way_to(const uint16_t to[4], const V4 from[4], Lane* own) {
  V4 apart[4], turned[4];
#pragma GCC unroll 4
  for (int lane = 0; lane < 4; ++lane) apart[lane] = at(own, to[lane]) - from[lane];
  transpose(apart, turned);
  return {{turned[0], turned[1], turned[2]}};
}

[[gnu::always_inline]] inline void add_to(const uint16_t to[4], const Axes& force, Lane* pull) {
  const V4 rows[4] = {force.at[0], force.at[1], force.at[2], {}};
  V4 turned[4];
  transpose(rows, turned);
#pragma GCC unroll 4
  for (int lane = 0; lane < 4; ++lane) at(pull, to[lane]) += turned[lane];
}

// 1 - rest/length of a thread, rest 1, safe at zero length.
inline V4 slack(const V4& squared) { return 1 - 1 / root(squared > Real(1e-24) ? squared : all(Real(1e-24))); }

// What a thread past its limit adds to its slack; twice its energy to `energy`.
inline V4 stiffened(const V4& squared, const V4& limit, const V4& k, V4* energy) {
  const V4 none = {}, length = root(squared), apart = length - 1 - limit, over = apart > none ? apart : none;
  *energy += 2 * thread::kLimitGain / 3 * k * over * over * over;
  return over > none ? thread::kLimitGain * over * over / length : none;
}

// By what threads pull on the corners behind the first; adds twice their energy.
[[gnu::always_inline]] inline void pull(const FourThreads& t, const FourLimits* limit, const Axes& e1, const Axes& e2,
                                        Axes force[2], V4* energy) {
  const V4 s0 = four(t.shape[0]), s1 = four(t.shape[1]), s2 = four(t.shape[2]), s3 = four(t.shape[3]);
  Axes fx, fy;
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    fx.at[a] = s0 * e1.at[a] + s1 * e2.at[a];
    fy.at[a] = s2 * e1.at[a] + s3 * e2.at[a];
  }
  const V4 weft = four(t.weft), warp = four(t.warp), bias = four(t.bias);
  const V4 xx = dot(fx, fx), yy = dot(fy, fy), xy = dot(fx, fy), mean = (xx + yy) / 2;
  V4 px = slack(xx), py = slack(yy);
  const V4 plus = slack(mean + xy), minus = slack(mean - xy);
  *energy +=
      weft * xx * px * px + warp * yy * py * py + bias * ((mean + xy) * plus * plus + (mean - xy) * minus * minus);
  if (limit != nullptr) {
    px += stiffened(xx, four(limit->weft), weft, energy);
    py += stiffened(yy, four(limit->warp), warp, energy);
  }
  const V4 same = bias * (plus + minus) / 2, cross = bias * (plus - minus) / 2;
  const V4 own_x = weft * px + same, own_y = warp * py + same;
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    const V4 gx = own_x * fx.at[a] + cross * fy.at[a], gy = own_y * fy.at[a] + cross * fx.at[a];
    force[0].at[a] = s0 * gx + s2 * gy;
    force[1].at[a] = s1 * gx + s3 * gy;
  }
}

struct BendEnergy {
  V4 elastic = {}, rubbed = {};  // twice the one
};

// Adds by what bending pulls on the particles behind the first.
[[gnu::always_inline]] inline void bend(const FourBends& f, const Real slack, const Axes way[5], Axes force[5],
                                        BendEnergy* energy) {
  Axes s[3];
  V4 square[3];
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a) {
      s[k].at[a] = four(f.weight[k][0]) * way[0].at[a];
#pragma GCC unroll 4
      for (int j = 1; j < 5; ++j) s[k].at[a] += four(f.weight[k][j]) * way[j].at[a];
    }
    square[k] = dot(s[k], s[k]);
  }
  const V4 squared = square[0] + square[1] + square[2], moment = four(f.moment);
  const V4 size = root(squared + all(slack * slack)), held = moment / size;
  energy->rubbed += moment * squared / (size + slack);
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    const V4 stiffness = four(f.stiffness[k]);
    energy->elastic += stiffness * square[k];
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a) s[k].at[a] *= stiffness + held;
  }
#pragma GCC unroll 5
  for (int j = 0; j < 5; ++j)
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a)
      force[j].at[a] +=
          four(f.weight[0][j]) * s[0].at[a] + four(f.weight[1][j]) * s[1].at[a] + four(f.weight[2][j]) * s[2].at[a];
}

template <bool kBends>
double patch_by(const PatchView& p, const RVec3* x, Lane* force) {
  Lane own[kMostCopies];
  for (int i = 0; i < p.copy_count; ++i) at(own, i) = load(x, p.particle[i], p.last);
  for (int i = 0; i < p.copy_count; ++i) at(force, i) = V4{};
  constexpr int kBehind = kBends ? 5 : 2;
  V4 energy = {};
  BendEnergy bent;
  for (int i = 0; i < p.four_count; ++i) {
    const FourThreads& t = p.threads[i];
    V4 from[4];
#pragma GCC unroll 4
    for (int lane = 0; lane < 4; ++lane) from[lane] = at(own, t.corner[0][lane]);
    Axes way[kBehind], by[kBehind] = {};
    way[0] = way_to(t.corner[1], from, own), way[1] = way_to(t.corner[2], from, own);
    pull(t, p.limits != nullptr ? p.limits + i : nullptr, way[0], way[1], by, &energy);
    if constexpr (kBends) {
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) way[2 + j] = way_to(p.bends[i].across[j], from, own);
      bend(p.bends[i], p.slack, way, by, &bent);
    }
    Axes first;
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a) {
      first.at[a] = -(by[0].at[a] + by[1].at[a]);
#pragma GCC unroll 3
      for (int j = 2; j < kBehind; ++j) first.at[a] -= by[j].at[a];
    }
    add_to(t.corner[0], first, force), add_to(t.corner[1], by[0], force), add_to(t.corner[2], by[1], force);
    if constexpr (kBends) {
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) add_to(p.bends[i].across[j], by[2 + j], force);
    }
  }
  return total(bent.rubbed) + 0.5 * total(energy) + 0.5 * total(bent.elastic);
}

double patch(const PatchView& p, const RVec3* x, Lane* force) {
  return p.bends != nullptr ? patch_by<true>(p, x, force) : patch_by<false>(p, x, force);
}

}  // namespace
}  // namespace tryon::sim::local_step
