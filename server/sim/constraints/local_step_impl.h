// The loops of local_step.h, compiled by local_step_baseline.cc, local_step_avx2.cc, which says TRYON_HAS_AVX (with g++
// 12 a target pragma does not define __AVX__), and local_step_avx512.cc, which says TRYON_HAS_AVX512 as well. Leftovers
// of a chunk go through the same arithmetic with idle lanes, so that where a chunk ends changes nothing.
#pragma once

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "server/sim/constraints/local_step.h"
#include "server/sim/constraints/springs.h"
#include "server/sim/constraints/threads.h"

namespace tryon::sim::local_step {
namespace {

typedef Real V4 __attribute__((vector_size(4 * sizeof(Real)), may_alias));
typedef Real Loose4 __attribute__((vector_size(4 * sizeof(Real)), aligned(sizeof(Real)), may_alias));

inline V4 all(Real v) { return v - V4{}; }
inline V4 four(const Real* p) { return *reinterpret_cast<const Loose4*>(p); }
// The fourth number is anybody's: it is the next particle's x, or nothing for the last particle.
[[gnu::always_inline]] inline V4 load(const RVec3* x, int i, int last) {
  if (__builtin_expect(i < last, 1)) return four(x[i].data());
  return V4{x[i][0], x[i][1], x[i][2], 0};
}
inline void store(const V4& v, RVec3* p) { *p = RVec3(v[0], v[1], v[2]); }
// Writes one number too many, which must be another's that is written later.
inline void store_over(const V4& v, RVec3* p) { *reinterpret_cast<Loose4*>(p->data()) = v; }
inline void store(const V4& v, RVec3* p, bool last) { last ? store(v, p) : store_over(v, p); }
inline double total(const V4& v) { return double((v[0] + v[1]) + (v[2] + v[3])); }

template <typename V>
inline V root(const V& v) {  // rounded rightly everywhere: the same bytes
#if defined(TRYON_HAS_AVX512)
  if constexpr (sizeof(V) == 64) return V(_mm512_sqrt_pd(__m512d(v)));
#endif
#if defined(TRYON_HAS_AVX)
  if constexpr (sizeof(V) == 32) return V(_mm256_sqrt_pd(__m256d(v)));
  if constexpr (sizeof(V) == 16) return V(_mm_sqrt_ps(__m128(v)));
#endif
  return V{std::sqrt(v[0]), std::sqrt(v[1]), std::sqrt(v[2]), std::sqrt(v[3])};
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

// k (e - rest e / |e|) of four springs; adds twice their 1/2 k (|e| - rest)^2.
inline void pull(V4 across[4], const V4& rest, const V4& k, V4* energy) {
  V4 e[4];
  transpose(across, e);
  const V4 length = root(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]), stretch = length - rest;
  const V4 tension = k * (length > spring::kTinyLength ? stretch / length : all(1));
  *energy += k * (stretch * stretch);
  for (int axis = 0; axis < 3; ++axis) e[axis] *= tension;
  e[3] = V4{};
  transpose(e, across);
}

// The forces into the slots; returns the sum of 1/2 k (|e| - rest)^2.
double springs(const SpringView& s, const RVec3* x, int begin, int end, RVec3* slot) {
  V4 energy = {}, across[4];
  int i = begin;
  for (; i + 4 <= end; i += 4) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) across[j] = load(x, s.a[i + j], s.last) - load(x, s.b[i + j], s.last);
    pull(across, four(s.rest + i), four(s.stiffness + i), &energy);
    store_over(across[0], slot + i), store_over(across[1], slot + i + 1), store_over(across[2], slot + i + 2);
    store(across[3], slot + i + 3);
  }
  if (i == end) return 0.5 * total(energy);
  V4 rest = {}, k = {};
  for (V4& a : across) a = V4{};
  for (int j = 0; i + j < end; ++j) {
    across[j] = load(x, s.a[i + j], s.last) - load(x, s.b[i + j], s.last);
    rest[j] = s.rest[i + j], k[j] = s.stiffness[i + j];
  }
  pull(across, rest, k, &energy);
  for (int j = 0; i + j < end; ++j) store(across[j], slot + i + j);
  return 0.5 * total(energy);
}

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

struct Triangles {  // four: their edges and shapes, each a vector
  V4 edge1[4], edge2[4], lines[4];
};

// Idle ones are the first once more: they must count for nothing.
[[gnu::always_inline]] inline void take(const Triangle* corner, const std::array<Real, 4>* shape, const RVec3* x,
                                        int last, int count, Triangles* out) {
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const int i = j < count ? j : 0;
    const V4 origin = load(x, corner[i][0], last);
    out->edge1[j] = load(x, corner[i][1], last) - origin;
    out->edge2[j] = load(x, corner[i][2], last) - origin;
    out->lines[j] = four(shape[i].data());
  }
}

inline V4 first_of(const Real* p, int count) {  // zeros for idle ones
  if (__builtin_expect(count == 4, 1)) return four(p);
  const auto at = [&](int j) { return j < count ? p[j] : Real(0); };
  return V4{at(0), at(1), at(2), 0};
}

inline void put(const Triangles& t, int count, RVec3* slot) {
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    if (j >= count) return;
    store_over(t.edge1[j], slot + 2 * j);
    store(t.edge2[j], slot + 2 * j + 1, j + 1 == count);
  }
}

// --- membranes ---

struct MembraneFour {  // stiffness and limit of four triangles
  V4 k[4], limit;
};

inline V4 beyond(const V4& strain, const V4& limit) {
  const V4 none = {}, over = strain - limit;
  return limit > none ? (over > none ? over : none) : none;
}

inline void pull(Triangles* t, const MembraneFour& m, V4* energy) {
  V4 e1[4], e2[4], s[4], fx[4], fy[4], k[4], xx = {}, yy = {}, xy = {};
  transpose(t->edge1, e1), transpose(t->edge2, e2), transpose(t->lines, s), transpose(m.k, k);
  for (int a = 0; a < 3; ++a) {
    fx[a] = s[0] * e1[a] + s[1] * e2[a];
    fy[a] = s[2] * e1[a] + s[3] * e2[a];
    xx += fx[a] * fx[a], yy += fy[a] * fy[a], xy += fx[a] * fy[a];
  }
  const V4 weft = k[0], warp = k[1], cross = k[2], shear = k[3];
  const V4 ex = (xx - 1) / 2, ey = (yy - 1) / 2, x = beyond(ex, m.limit), y = beyond(ey, m.limit);
  const Real gain = membrane::kLimitGain;
  *energy += weft * ex * ex + warp * ey * ey + shear * xy * xy + 2 * cross * ex * ey +
             2 * gain / 3 * (weft * x * x * x + warp * y * y * y);
  const V4 px = weft * ex + cross * ey + gain * weft * x * x, py = warp * ey + cross * ex + gain * warp * y * y;
  V4 gx[4], gy[4];
  for (int a = 0; a < 3; ++a) {
    gx[a] = px * fx[a] + shear * xy * fy[a];
    gy[a] = py * fy[a] + shear * xy * fx[a];
  }
  gx[3] = gy[3] = V4{};
  transpose(gx, t->edge1), transpose(gy, t->edge2);
}

double membranes(const MembraneView& t, const RVec3* x, int begin, int end, RVec3* slot) {
  V4 energy = {};
  for (int i = begin; i < end; i += 4) {
    const int count = std::min(4, end - i);
    Triangles triangles;
    take(t.corner + i, t.shape + i, x, t.last, count, &triangles);
    const membrane::Stiffness* k = t.stiffness + i;
    MembraneFour m;
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) m.k[j] = j < count ? four(&k[j].weft) : V4{};
    const auto limit = [&](int j) { return j < count ? k[j].limit : Real(0); };
    m.limit = V4{limit(0), limit(1), limit(2), limit(3)};
    pull(&triangles, m, &energy);
    put(triangles, count, slot + 2 * i);
  }
  return 0.5 * total(energy);
}

// What pulls on a particle's copies, then what the slots hold.
void gather(const GatherView& g, const RVec3* slot, int begin, int end, RVec3* gradient) {
  for (int i = begin; i < end; ++i) {
    V4 sum = {};
    if (g.copy_begin != nullptr)
      for (int p = g.copy_begin[i]; p < g.copy_begin[i + 1]; ++p) sum += four(g.pull[g.copy[p]].at);
    for (int p = g.begin[i]; p < g.begin[i + 1]; ++p) sum += g.weight[p] * four(slot[g.slot[p]].data());
    store(sum, gradient + i, i + 1 == end);
  }
}

}  // namespace
}  // namespace tryon::sim::local_step
