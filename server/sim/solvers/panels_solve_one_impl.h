// The solves of panels.h for one right-hand side, by a factor kept whole or short, compiled by panels_baseline.cc and
// panels_avx2.cc. Packed panels: see panels_solve_impl.h.
#pragma once

#include <algorithm>
#include <type_traits>

#include "server/sim/solvers/panels_solve_impl.h"

namespace tryon::sim::panels {
namespace {

// What sums are kept in: numbers of a factor kept short do not deserve more than float.
using Four = Vector4<float>;
typedef float Eight __attribute__((vector_size(8 * sizeof(float)), may_alias));
template <typename Value>
struct SumsOver {
  using Number = Real;
  using Vector = Wide;
};
template <>
struct SumsOver<Short> {
  using Number = float;
  using Vector = Eight;
};
template <typename Value>
using Sum = typename SumsOver<Value>::Number;
template <int kRows, typename Value>
constexpr int kVectorsOf = std::max(1, kRows / int{sizeof(typename SumsOver<Value>::Vector) / sizeof(Sum<Value>)});

// Vector j of a column's `kRows` rows in a group; zeros behind them.
template <int kRows>
inline Wide numbers(const Real* b, int j) {
  return reinterpret_cast<const Wide*>(b)[j];
}
template <int kRows>
[[gnu::always_inline]] inline Eight numbers(const Short* b, int j) {
#if defined(TRYON_PANELS_FMA)
  const __m128i* at = reinterpret_cast<const __m128i*>(b) + j;
  return Eight(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(kRows < 8 ? _mm_loadl_epi64(at) : _mm_load_si128(at))));
#else
  Eight out = {};
  for (int i = 0; i < std::min(8, kRows); ++i) out[i] = static_cast<float>(b[8 * j + i]);
  return out;
#endif
}

template <int kRows, typename Value>
inline const Value* multiply_one(const Value* b, int columns, const Sum<Value>* z, Sum<Value>* out) {
  using Sums = typename SumsOver<Value>::Vector;
  constexpr int kVectors = kVectorsOf<kRows, Value>;
  Sums sum[4][kVectors] = {};
  const auto add = [&](int c, int k) {
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j)
      sum[c][j] = fused(numbers<kRows>(b + c * kRows, j), z[k + c] - Sums{}, sum[c][j]);
  };
  int k = 0;
  for (; k + 4 <= columns; k += 4, b += 4 * kRows) {
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) add(c, k);
  }
  for (; k < columns; ++k, b += kRows) add(0, k);
#pragma GCC unroll 2
  for (int j = 0; j < kVectors; ++j)
    reinterpret_cast<Sums*>(out)[j] = (sum[0][j] + sum[1][j]) + (sum[2][j] + sum[3][j]);
  return b;
}

// The panel's own rows, by their columns' scales where there are such.
template <typename Value>
inline const Sum<Value>* scaled(const Real* own, int w, const float* scale, Sum<Value>* work) {
  if constexpr (std::is_same_v<Value, Real>) {
    return own;
  } else {
    for (int k = 0; k < w; ++k) work[k] = static_cast<float>(own[k]) * scale[k];
    return work;
  }
}

template <typename Value>
inline void panel_forward_one(const Panel& p, const Value* b, const int* row, const float* scale, Sum<Value>* work,
                              Sum<Value>* out, Real* x) {
  const int w = p.width, m = w + p.row_count();
  Real* own = x + p.first;
  const Sum<Value>* z = scaled<Value>(own, w, scale, work);
  int i = 0;
  for (; i + kLanes < m; i += kGroup) b = multiply_one<kGroup>(b, std::min(w, i + kGroup), z, out + i);
  if (i < m) multiply_one<kLanes>(b, std::min(w, i + kGroup), z, out + i);
  for (int k = 0; k < w; ++k) own[k] += static_cast<Real>(out[k]);
  for (int k = w; k < m; ++k) x[row[k - w]] += static_cast<Real>(out[k]);
}

// Sums over rows, of each column: by the rows' places in their groups.
template <typename Value>
using SumsOne = typename SumsOver<Value>::Vector[kVectorsOf<kGroup, Value>];

// Adds kGroups groups of rows, one after the other in memory, to the sums of their columns. As much of the panel that
// comes next is fetched: it lies before this one, which processors do not foresee.
template <int kGroups, int kRows, typename Value>
inline const Value* rows_backward_one(const Value* b, int columns, const Sum<Value>* in, SumsOne<Value>* sum,
                                      const Value** ahead) {
  using Sums = typename SumsOver<Value>::Vector;
  constexpr int kVectors = kVectorsOf<kRows, Value>;
  constexpr int kBytes = sizeof(Value) * kGroups * kRows, kFetchEvery = std::max(1, kLine / kBytes);
  Sums factor[kGroups][kVectors];
  for (int g = 0; g < kGroups; ++g)
    for (int j = 0; j < kVectors; ++j) factor[g][j] = reinterpret_cast<const Sums*>(in + g * kRows)[j];
  const int group = columns * kRows;
  for (int k = 0; k < columns; ++k, b += kRows) {
    if (k % kFetchEvery == 0) __builtin_prefetch(*ahead + k * kGroups * kRows, 0, 2);
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      Sums s = sum[k][j];
#pragma GCC unroll 4
      for (int g = 0; g < kGroups; ++g) s = fused(numbers<kRows>(b + g * group, j), factor[g][j], s);
      sum[k][j] = s;
    }
  }
  *ahead += kGroups * group;
  return b + (kGroups - 1) * group;
}

template <typename Value>
inline void write_one(const SumsOne<Value>* sum, int w, const float* scale, Real* to) {
  if constexpr (std::is_same_v<Value, Real>) {
    const auto both = [&](int k) -> Wide { return k < w ? sum[k][0] + sum[k][1] : Wide{}; };
    for (int k = 0; k < w; k += 4) {
      const V4 four = sums(both(k), both(k + 1), both(k + 2), both(k + 3));
      for (int c = 0; c < std::min(4, w - k); ++c) to[k + c] += four[c];
    }
  } else {
    for (int k = 0; k < w; ++k) {
      Eight eight = sum[k][0];
      for (int j = 1; j < kVectorsOf<kGroup, Value>; ++j) eight += sum[k][j];
      const Four* half = reinterpret_cast<const Four*>(&eight);
      const Four four = half[0] + half[1];
      to[k] += static_cast<Real>(((four[0] + four[1]) + (four[2] + four[3])) * scale[k]);
    }
  }
}

template <typename Value>
inline void panel_backward_one(const Panel& p, const Value* b, const int* row, const Real* inverse_pivot,
                               const float* scale, Sum<Value>* in, Real* x, const Value* ahead) {
  const int w = p.width, m = w + p.row_count();
  Real* own = x + p.first;
  for (int k = 0; k < w; ++k) in[k] = static_cast<Sum<Value>>(own[k] *= inverse_pivot[k]);
  for (int k = w; k < m; ++k) in[k] = static_cast<Sum<Value>>(x[row[k - w]]);
  std::fill(in + m, in + (m + kGroup - 1) / kGroup * kGroup, Sum<Value>(0));
  SumsOne<Value> sum[kWidest];
  std::fill_n(&sum[0][0], kVectorsOf<kGroup, Value> * w, typename SumsOver<Value>::Vector{});
  constexpr int kGroupsAtOnce = std::is_same_v<Value, Short> ? 4 : 2;
  int i = 0;
  for (; i < w && i + kLanes < m; i += kGroup)
    b = rows_backward_one<1, kGroup>(b, std::min(w, i + kGroup), in + i, sum, &ahead);
  for (; i + (kGroupsAtOnce - 1) * kGroup + kLanes < m; i += kGroupsAtOnce * kGroup)
    b = rows_backward_one<kGroupsAtOnce, kGroup>(b, w, in + i, sum, &ahead);
  for (; i + kLanes < m; i += kGroup) b = rows_backward_one<1, kGroup>(b, w, in + i, sum, &ahead);
  if (i < m) rows_backward_one<1, kLanes>(b, std::min(w, i + kGroup), in + i, sum, &ahead);
  write_one<Value>(sum, w, scale, own);
}

template <typename Value>
inline const float* scales(const View<Value>& f, const Panel& p) {
  return std::is_same_v<Value, Short> ? f.scale + p.first : nullptr;
}

template <typename Value>
void forward_one(const View<Value>& f, const int* which, int count, Real* x) {
  Sum<Value>* out = reinterpret_cast<Sum<Value>*>(f.work);
  Sum<Value>* work = reinterpret_cast<Sum<Value>*>(f.work + f.work_stride);
  for (int k = 0; k < count; ++k) {
    const Panel& p = f.panel[which[k]];
    panel_forward_one(p, f.value + p.value, f.row + p.rows_begin, scales(f, p), work, out, x);
  }
}

template <typename Value>
void backward_one(const View<Value>& f, const int* which, int count, Real* x) {
  Sum<Value>* in = reinterpret_cast<Sum<Value>*>(f.work);
  for (int k = count - 1; k >= 0; --k) {
    const Panel& p = f.panel[which[k]];
    const Value* ahead = f.value + f.panel[which[std::max(0, k - 1)]].value;
    panel_backward_one(p, f.value + p.value, f.row + p.rows_begin, f.inverse_pivot + p.first, scales(f, p), in, x,
                       ahead);
  }
}

}  // namespace
}  // namespace tryon::sim::panels
