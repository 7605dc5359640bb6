// The loops of local_step.h, compiled by local_step_baseline.cc and local_step_avx2.cc. Leftovers of a chunk go through
// the same arithmetic with idle lanes, so that where a chunk ends changes nothing.
#pragma once

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "server/sim/constraints/local_step.h"
#include "server/sim/constraints/springs.h"

namespace tryon::sim::local_step {
namespace {

typedef Real V4 __attribute__((vector_size(4 * sizeof(Real)), may_alias));

inline V4 all(Real v) { return v - V4{}; }
inline V4 load(const RVec3& p) { return V4{p[0], p[1], p[2], 0}; }
inline void store(const V4& v, RVec3* p) { *p = RVec3(v[0], v[1], v[2]); }
inline double total(const V4& v) { return double((v[0] + v[1]) + (v[2] + v[3])); }

inline V4 root(const V4& v) {  // rounded rightly everywhere: the same bytes
#if defined(__AVX__)
  if constexpr (sizeof(Real) == 8) return V4(_mm256_sqrt_pd(__m256d(v)));
#endif
  return V4{std::sqrt(v[0]), std::sqrt(v[1]), std::sqrt(v[2]), std::sqrt(v[3])};
}

inline void transpose(const V4 in[4], V4 out[4]) {
  const V4 ab_low = __builtin_shufflevector(in[0], in[1], 0, 4, 2, 6);
  const V4 ab_high = __builtin_shufflevector(in[0], in[1], 1, 5, 3, 7);
  const V4 cd_low = __builtin_shufflevector(in[2], in[3], 0, 4, 2, 6);
  const V4 cd_high = __builtin_shufflevector(in[2], in[3], 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  out[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

// k (e - rest e / |e|) into the slots; returns the sum of 1/2 k (|e| - rest)^2.
double springs(const SpringView& s, const RVec3* x, int begin, int end, RVec3* slot) {
  V4 energy = {};
  for (int i = begin; i < end; i += 4) {
    const int count = std::min(4, end - i);
    V4 across[4] = {}, e[4], rest = {}, k = {};
    for (int j = 0; j < count; ++j) {
      across[j] = load(x[s.a[i + j]]) - load(x[s.b[i + j]]);
      rest[j] = s.rest[i + j];
      k[j] = s.stiffness[i + j];
    }
    transpose(across, e);
    const V4 length = root(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]), stretch = length - rest;
    const V4 tension = k * (length > spring::kTinyLength ? stretch / length : all(1));
    energy += k * (stretch * stretch);
    for (V4& axis : e) axis *= tension;
    transpose(e, across);
    for (int j = 0; j < count; ++j) store(across[j], slot + i + j);
  }
  return 0.5 * total(energy);
}

// 1 - rest/length of a thread, rest 1, safe at zero length.
inline V4 slack(const V4& squared) { return 1 - 1 / root(squared > Real(1e-24) ? squared : all(Real(1e-24))); }

double threads(const ThreadView& t, const RVec3* x, int begin, int end, RVec3* slot) {
  V4 energy = {};
  for (int i = begin; i < end; i += 4) {
    const int count = std::min(4, end - i);
    V4 edge1[4] = {}, edge2[4] = {}, lines[4] = {}, e1[4], e2[4], s[4], weft = {}, warp = {}, bias = {};
    for (int j = 0; j < count; ++j) {
      const Triangle& c = t.corner[i + j];
      const V4 origin = load(x[c[0]]);
      edge1[j] = load(x[c[1]]) - origin;
      edge2[j] = load(x[c[2]]) - origin;
      const std::array<Real, 4>& shape = t.shape[i + j];
      lines[j] = V4{shape[0], shape[1], shape[2], shape[3]};
      weft[j] = t.weft[i + j], warp[j] = t.warp[i + j], bias[j] = t.bias[i + j];
    }
    transpose(edge1, e1), transpose(edge2, e2), transpose(lines, s);
    V4 fx[4] = {}, fy[4] = {}, xx = {}, yy = {}, xy = {};
    for (int a = 0; a < 3; ++a) {
      fx[a] = s[0] * e1[a] + s[1] * e2[a];
      fy[a] = s[2] * e1[a] + s[3] * e2[a];
      xx += fx[a] * fx[a], yy += fy[a] * fy[a], xy += fx[a] * fy[a];
    }
    const V4 mean = (xx + yy) / 2, px = slack(xx), py = slack(yy), plus = slack(mean + xy), minus = slack(mean - xy);
    energy +=
        weft * xx * px * px + warp * yy * py * py + bias * ((mean + xy) * plus * plus + (mean - xy) * minus * minus);
    const V4 same = bias * (plus + minus) / 2, cross = bias * (plus - minus) / 2;
    V4 gx[4] = {}, gy[4] = {};
    for (int a = 0; a < 3; ++a) {
      gx[a] = (weft * px + same) * fx[a] + cross * fy[a];
      gy[a] = (warp * py + same) * fy[a] + cross * fx[a];
    }
    transpose(gx, edge1), transpose(gy, edge2);
    for (int j = 0; j < count; ++j) store(edge1[j], slot + 2 * (i + j)), store(edge2[j], slot + 2 * (i + j) + 1);
  }
  return 0.5 * total(energy);
}

void gather(const GatherView& g, const RVec3* slot, int begin, int end, RVec3* gradient) {
  for (int i = begin; i < end; ++i) {
    V4 sum = {};
    for (int p = g.begin[i]; p < g.begin[i + 1]; ++p) sum += g.weight[p] * load(slot[g.slot[p]]);
    store(sum, gradient + i);
  }
}

}  // namespace
}  // namespace tryon::sim::local_step
