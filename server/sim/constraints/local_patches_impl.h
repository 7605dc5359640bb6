// Patches of cloth (local_step.h): threads and bending with its friction, four triangles at once, or eight where
// vectors are as long, on copies of particles that stay in the first cache; compiled as local_step_impl.h. Eight are
// two fours side by side, whose sums are made one four after the other: the same bytes. Loops over axes and corners are
// unrolled here, for g++ keeps them in memory.
#pragma once

#include "server/sim/constraints/local_step_impl.h"

namespace tryon::sim::local_step {
namespace {

#if defined(TRYON_HAS_AVX512)
typedef Real V8 __attribute__((vector_size(8 * sizeof(Real)), may_alias));
typedef Real Loose8 __attribute__((vector_size(8 * sizeof(Real)), aligned(sizeof(Real)), may_alias));
#endif

inline V4& at(Lane* lanes, int i) { return *reinterpret_cast<V4*>(lanes[i].at); }

// a b + c, rounded once.
template <typename V>
[[gnu::always_inline]] inline V mul_add(const V& a, const V& b, const V& c) {
#if defined(TRYON_HAS_AVX512)
  if constexpr (sizeof(V) == 64) return V(_mm512_fmadd_pd(__m512d(a), __m512d(b), __m512d(c)));
#endif
#if defined(TRYON_HAS_AVX)
  if constexpr (sizeof(V) == 32) return V(_mm256_fmadd_pd(__m256d(a), __m256d(b), __m256d(c)));
  if constexpr (sizeof(V) == 16) return V(_mm_fmadd_ps(__m128(a), __m128(b), __m128(c)));
#endif
  return V{std::fma(a[0], b[0], c[0]), std::fma(a[1], b[1], c[1]), std::fma(a[2], b[2], c[2]),
           std::fma(a[3], b[3], c[3])};
}

// What a loop over triangles does with vectors of its length; `first` is a vector's first number.
struct Four {
  using V = V4;
  static constexpr int kCount = 4;
  [[gnu::always_inline]] static V of(const Real* first) { return four(first); }
  // Of each four, the particle of one of its triangles.
  [[gnu::always_inline]] static V row(Lane* own, const uint16_t* to) { return at(own, to[0]); }
  [[gnu::always_inline]] static V4 part(const V& v, int) { return v; }
  [[gnu::always_inline]] static bool any_above_zero(const V& v) {
#if defined(TRYON_HAS_AVX)
    if constexpr (sizeof(V) == 32) return _mm256_movemask_pd(__m256d(v > 0)) != 0;
#endif
    return v[0] > 0 || v[1] > 0 || v[2] > 0 || v[3] > 0;
  }
};
#if defined(TRYON_HAS_AVX512)
struct Eight {
  using V = V8;
  static constexpr int kCount = 8;
  [[gnu::always_inline]] static V of(const Real* first) { return *reinterpret_cast<const Loose8*>(first); }
  [[gnu::always_inline]] static V row(Lane* own, const uint16_t* to) {
    return __builtin_shufflevector(at(own, to[0]), at(own, to[4]), 0, 1, 2, 3, 4, 5, 6, 7);
  }
  [[gnu::always_inline]] static V4 part(const V& v, int which) {
    return which == 0 ? __builtin_shufflevector(v, v, 0, 1, 2, 3) : __builtin_shufflevector(v, v, 4, 5, 6, 7);
  }
  [[gnu::always_inline]] static bool any_above_zero(const V& v) {
    return _mm512_cmp_pd_mask(__m512d(v), _mm512_setzero_pd(), _CMP_GT_OQ) != 0;
  }
};
inline void transpose(const V8 in[4], V8 out[4]) {
  const V8 ab_low = __builtin_shufflevector(in[0], in[1], 0, 8, 2, 10, 4, 12, 6, 14);
  const V8 ab_high = __builtin_shufflevector(in[0], in[1], 1, 9, 3, 11, 5, 13, 7, 15);
  const V8 cd_low = __builtin_shufflevector(in[2], in[3], 0, 8, 2, 10, 4, 12, 6, 14);
  const V8 cd_high = __builtin_shufflevector(in[2], in[3], 1, 9, 3, 11, 5, 13, 7, 15);
  out[0] = __builtin_shufflevector(ab_low, cd_low, 0, 1, 8, 9, 4, 5, 12, 13);
  out[1] = __builtin_shufflevector(ab_high, cd_high, 0, 1, 8, 9, 4, 5, 12, 13);
  out[2] = __builtin_shufflevector(ab_low, cd_low, 2, 3, 10, 11, 6, 7, 14, 15);
  out[3] = __builtin_shufflevector(ab_high, cd_high, 2, 3, 10, 11, 6, 7, 14, 15);
}
#endif

template <typename W>
struct Axes {
  typename W::V at[3];
};

template <typename W>
[[gnu::always_inline]] inline typename W::V dot(const Axes<W>& a, const Axes<W>& b) {
  return mul_add(a.at[2], b.at[2], mul_add(a.at[1], b.at[1], a.at[0] * b.at[0]));
}

// The ways of triangles' particles from their first ones.
template <typename W>
[[gnu::always_inline]] inline Axes<W> way_to(const uint16_t* to, const typename W::V from[4], Lane* own) {
  typename W::V apart[4], turned[4];
#pragma GCC unroll 4
  for (int lane = 0; lane < 4; ++lane) apart[lane] = W::row(own, to + lane) - from[lane];
  transpose(apart, turned);
  return {{turned[0], turned[1], turned[2]}};
}

template <typename W>
struct Turned {
  typename W::V lane[4];
};

template <typename W>
[[gnu::always_inline]] inline Turned<W> turned(const Axes<W>& force) {
  const typename W::V rows[4] = {force.at[0], force.at[1], force.at[2], {}};
  Turned<W> out;
  transpose(rows, out.lane);
  return out;
}

template <typename W>
[[gnu::always_inline]] inline void add_to(const uint16_t* to, const Turned<W>& force, int part, Lane* pull) {
#pragma GCC unroll 4
  for (int lane = 0; lane < 4; ++lane) at(pull, to[4 * part + lane]) += W::part(force.lane[lane], part);
}

// Of threads, rest 1, safe at zero length.
template <typename V>
[[gnu::always_inline]] inline V length_of(const V& squared) {
  return root(squared > Real(1e-24) ? squared : Real(1e-24) - V{});
}

// One over each, by one division.
template <typename V>
[[gnu::always_inline]] inline void invert(const V length[4], V out[4]) {
  for (int i = 0; i < 4; ++i) out[i] = 1 / length[i];
}

// Twice the energies, in the order in which they are added; a thread's beyond its limit are apart.
template <typename W>
struct ThreadEnergy {
  typename W::V within, beyond[2];
  bool any_beyond = false;
};

// What a thread beyond its limit adds to its slack.
template <typename V>
[[gnu::always_inline]] inline V stiffened(const V& over, const V& inverse_length, const V& k, V* energy) {
  *energy = 2 * thread::kLimitGain / 3 * k * over * over * over;
  return thread::kLimitGain * over * over * inverse_length;
}

// By what threads pull on the corners behind the first.
template <typename W>
[[gnu::always_inline]] inline ThreadEnergy<W> pull(const EightThreads& t, const EightLimits* limit, int first,
                                                   const Axes<W>& e1, const Axes<W>& e2, Axes<W> force[2]) {
  using V = typename W::V;
  const V s0 = W::of(t.shape[0] + first), s1 = W::of(t.shape[1] + first), s2 = W::of(t.shape[2] + first),
          s3 = W::of(t.shape[3] + first);
  Axes<W> fx, fy;
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    fx.at[a] = mul_add(s1, e2.at[a], s0 * e1.at[a]);
    fy.at[a] = mul_add(s3, e2.at[a], s2 * e1.at[a]);
  }
  const V weft = W::of(t.weft + first), warp = W::of(t.warp + first), bias = W::of(t.bias + first);
  const V xx = dot<W>(fx, fx), yy = dot<W>(fy, fy), xy = dot<W>(fx, fy), mean = (xx + yy) / 2;
  const V length[4] = {length_of(xx), length_of(yy), length_of(mean + xy), length_of(mean - xy)};
  V over_length[4];
  invert(length, over_length);
  V px = 1 - over_length[0], py = 1 - over_length[1];
  const V plus = 1 - over_length[2], minus = 1 - over_length[3];
  ThreadEnergy<W> energy;
  energy.within =
      weft * xx * px * px + warp * yy * py * py + bias * ((mean + xy) * plus * plus + (mean - xy) * minus * minus);
  if (limit != nullptr) {
    const V none = {}, over_x = length[0] - 1 - W::of(limit->weft + first),
            over_y = length[1] - 1 - W::of(limit->warp + first);
    energy.any_beyond = W::any_above_zero(over_x > over_y ? over_x : over_y);
    if (energy.any_beyond) {
      px += stiffened(over_x > none ? over_x : none, over_length[0], weft, energy.beyond);
      py += stiffened(over_y > none ? over_y : none, over_length[1], warp, energy.beyond + 1);
    }
  }
  const V same = bias * (plus + minus) / 2, cross = bias * (plus - minus) / 2;
  const V own_x = weft * px + same, own_y = warp * py + same;
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    const V gx = mul_add(cross, fy.at[a], own_x * fx.at[a]), gy = mul_add(cross, fx.at[a], own_y * fy.at[a]);
    force[0].at[a] = mul_add(s2, gy, s0 * gx);
    force[1].at[a] = mul_add(s3, gy, s1 * gx);
  }
  return energy;
}

template <typename W>
struct BendEnergy {
  typename W::V elastic[3], rubbed;  // twice the elastic one
};

enum class Bends { kNot, kElastically, kRubbing };

// Adds by what bending pulls on the particles behind the first.
template <typename W, bool kRubs>
[[gnu::always_inline]] inline BendEnergy<W> bend(const EightBends& f, int first, const Real slack, const Axes<W> way[5],
                                                 Axes<W> force[5]) {
  using V = typename W::V;
  Axes<W> s[3];
  V square[3];
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a) {
      s[k].at[a] = W::of(f.weight[k][0] + first) * way[0].at[a];
#pragma GCC unroll 4
      for (int j = 1; j < 5; ++j) s[k].at[a] = mul_add(W::of(f.weight[k][j] + first), way[j].at[a], s[k].at[a]);
    }
    square[k] = dot<W>(s[k], s[k]);
  }
  BendEnergy<W> energy;
  V held = {};
  if constexpr (kRubs) {
    const V squared = square[0] + square[1] + square[2], moment = W::of(f.moment + first);
    const V size = root(squared + slack * slack);
    held = moment / size;
    energy.rubbed = moment * squared / (size + slack);
  }
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    const V stiffness = W::of(f.stiffness[k] + first);
    energy.elastic[k] = stiffness * square[k];
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a) s[k].at[a] *= kRubs ? stiffness + held : stiffness;
  }
#pragma GCC unroll 5
  for (int j = 0; j < 5; ++j)
#pragma GCC unroll 3
    for (int a = 0; a < 3; ++a)
      force[j].at[a] = mul_add(W::of(f.weight[2][j] + first), s[2].at[a],
                               mul_add(W::of(f.weight[1][j] + first), s[1].at[a],
                                       mul_add(W::of(f.weight[0][j] + first), s[0].at[a], force[j].at[a])));
  return energy;
}

struct PatchEnergy {
  V4 threads = {}, elastic = {}, rubbed = {};  // twice the first two
};

// A vector's triangles of an eight, from its `first` on.
template <typename W, Bends kBends>
[[gnu::always_inline]] inline void pull_at(const PatchView& p, int eight, int first, Lane* own, Lane* force,
                                           PatchEnergy* sum) {
  using V = typename W::V;
  constexpr bool kRubs = kBends == Bends::kRubbing;
  constexpr int kBehind = kBends == Bends::kNot ? 2 : 5;
  const EightThreads& t = p.threads[eight];
  V from[4];
#pragma GCC unroll 4
  for (int lane = 0; lane < 4; ++lane) from[lane] = W::row(own, t.corner[0] + first + lane);
  Axes<W> way[kBehind], by[kBehind] = {};
  way[0] = way_to<W>(t.corner[1] + first, from, own), way[1] = way_to<W>(t.corner[2] + first, from, own);
  const ThreadEnergy<W> pulled =
      pull<W>(t, p.limits != nullptr ? p.limits + eight : nullptr, first, way[0], way[1], by);
  BendEnergy<W> bent;
  if constexpr (kBends != Bends::kNot) {
    const EightBends& f = p.bends[eight];
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) way[2 + j] = way_to<W>(f.across[j] + first, from, own);
    bent = bend<W, kRubs>(f, first, p.slack, way, by);
  }
  Axes<W> at_first;
#pragma GCC unroll 3
  for (int a = 0; a < 3; ++a) {
    at_first.at[a] = -(by[0].at[a] + by[1].at[a]);
#pragma GCC unroll 3
    for (int j = 2; j < kBehind; ++j) at_first.at[a] -= by[j].at[a];
  }
  Turned<W> turned_by[kBehind + 1] = {turned<W>(at_first)};
#pragma GCC unroll 5
  for (int j = 0; j < kBehind; ++j) turned_by[1 + j] = turned<W>(by[j]);
#pragma GCC unroll 2
  for (int part = 0; part < W::kCount / 4; ++part) {
#pragma GCC unroll 3
    for (int j = 0; j < 3; ++j) add_to<W>(t.corner[j] + first, turned_by[j], part, force);
    sum->threads += W::part(pulled.within, part);
    if (pulled.any_beyond) {
      sum->threads += W::part(pulled.beyond[0], part);
      sum->threads += W::part(pulled.beyond[1], part);
    }
    if constexpr (kBends != Bends::kNot) {
#pragma GCC unroll 3
      for (int j = 0; j < 3; ++j) add_to<W>(p.bends[eight].across[j] + first, turned_by[3 + j], part, force);
      if constexpr (kRubs) sum->rubbed += W::part(bent.rubbed, part);
#pragma GCC unroll 3
      for (int k = 0; k < 3; ++k) sum->elastic += W::part(bent.elastic[k], part);
    }
  }
}

template <Bends kBends>
double patch_by(const PatchView& p, const RVec3* x, Lane* force) {
  Lane own[kMostCopies];
  for (int i = 0; i < p.copy_count; ++i) at(own, i) = load(x, p.particle[i], p.last);
  for (int i = 0; i < p.copy_count; ++i) at(force, i) = V4{};
  PatchEnergy sum;
  for (int eight = 0; 2 * eight < p.four_count; ++eight) {
    const bool both = 2 * eight + 1 < p.four_count;
#if defined(TRYON_HAS_AVX512)
    if (both) {
      pull_at<Eight, kBends>(p, eight, 0, own, force, &sum);
      continue;
    }
#endif
    pull_at<Four, kBends>(p, eight, 0, own, force, &sum);
    if (both) pull_at<Four, kBends>(p, eight, 4, own, force, &sum);
  }
  return total(sum.rubbed) + 0.5 * total(sum.threads) + 0.5 * total(sum.elastic);
}

double patch(const PatchView& p, const RVec3* x, Lane* force) {
  if (p.bends == nullptr) return patch_by<Bends::kNot>(p, x, force);
  return p.rubs ? patch_by<Bends::kRubbing>(p, x, force) : patch_by<Bends::kElastically>(p, x, force);
}

}  // namespace
}  // namespace tryon::sim::local_step
