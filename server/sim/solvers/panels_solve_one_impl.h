// The solves of panels.h for one right-hand side, by a factor kept whole or short, compiled by panels_baseline.cc and
// panels_avx2.cc, and, kept short, by panels_one_avx512.cc. Packed panels: see panels_solve_impl.h.
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

// Numbers of a panel's rows come and go four at once where they are kept as float: what the compiler does one by one.
template <typename Number>
constexpr bool kByFours =
#if defined(TRYON_PANELS_FMA)
    sizeof(Real) == sizeof(double) && std::is_same_v<Number, float>;

inline __m128 narrowed(const Real* from) { return _mm256_cvtpd_ps(_mm256_loadu_pd(from)); }
inline void add_widened(const __m128& four, Real* to) {
  _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), _mm256_cvtps_pd(four)));
}
// A block's three rows have places that follow each other.
inline bool three_together(const int* row) { return row[2] == row[0] + 2; }

inline int narrow_fours(const Real* from, const float* scale, int count, float* to) {
  int k = 0;
  for (; k + 4 <= count; k += 4) _mm_storeu_ps(to + k, _mm_mul_ps(narrowed(from + k), _mm_loadu_ps(scale + k)));
  return k;
}
inline int divide_fours(const Real* inverse_pivot, int count, Real* own, float* to) {
  int k = 0;
  for (; k + 4 <= count; k += 4) {
    _mm256_storeu_pd(own + k, _mm256_mul_pd(_mm256_loadu_pd(own + k), _mm256_loadu_pd(inverse_pivot + k)));
    _mm_storeu_ps(to + k, narrowed(own + k));
  }
  return k;
}
inline int add_fours(const float* from, int count, Real* to) {
  int k = 0;
  for (; k + 4 <= count; k += 4) add_widened(_mm_loadu_ps(from + k), to + k);
  return k;
}
// Three and no more: the place behind them may be another thread's.
inline int take_threes(const Real* x, const int* row, int count, float* to) {
  int k = 0;
  for (; k + 3 <= count && three_together(row + k); k += 3) {
    const Real* const at = x + row[k];
    _mm_storel_pi(reinterpret_cast<__m64*>(to + k), _mm_cvtpd_ps(_mm_loadu_pd(at)));
    to[k + 2] = static_cast<float>(at[2]);
  }
  return k;
}
inline int give_threes(const float* from, const int* row, int count, Real* x) {
  int k = 0;
  for (; k + 3 <= count && three_together(row + k); k += 3) {
    Real* const at = x + row[k];
    const __m128 two = _mm_castsi128_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + k)));
    _mm_storeu_pd(at, _mm_add_pd(_mm_loadu_pd(at), _mm_cvtps_pd(two)));
    at[2] += static_cast<Real>(from[k + 2]);
  }
  return k;
}
#else
    false;
#endif

#if defined(TRYON_PANELS_ONE_AVX512)
// Two columns of a group, the second behind the first.
inline __m512 two_columns(const Short* b) {
  return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(b))));
}
inline Eight first(const __m512& v) { return Eight(_mm512_castps512_ps256(v)); }
inline Eight second(const __m512& v) { return Eight(_mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v), 1))); }
inline __m512 twice(const float* eight) {
  return _mm512_castpd_ps(_mm512_broadcast_f64x4(_mm256_castps_pd(_mm256_loadu_ps(eight))));
}

// As below, with the sums of the first two of four columns in one vector and those of the others in another.
inline const Short* multiply_pairs(const Short* b, int columns, const float* z, float* out) {
  const __m512i low = _mm512_set_epi32(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(2));
  __m512 one = _mm512_setzero_ps(), other = _mm512_setzero_ps();
  int k = 0;
  for (; k + 4 <= columns; k += 4, b += 4 * kGroup) {
    const __m512 four = _mm512_broadcast_f32x4(_mm_loadu_ps(z + k));
    one = _mm512_fmadd_ps(two_columns(b), _mm512_permutexvar_ps(low, four), one);
    other = _mm512_fmadd_ps(two_columns(b + 2 * kGroup), _mm512_permutexvar_ps(high, four), other);
  }
  Eight sum = first(one);
  for (; k < columns; ++k, b += kGroup) sum = fused(numbers<kGroup>(b, 0), z[k] - Eight{}, sum);
  *reinterpret_cast<Eight*>(out) = (sum + second(one)) + (first(other) + second(other));
  return b;
}
#endif

template <int kRows, typename Value>
inline const Value* multiply_one(const Value* b, int columns, const Sum<Value>* z, Sum<Value>* out) {
  using Sums = typename SumsOver<Value>::Vector;
  constexpr int kVectors = kVectorsOf<kRows, Value>;
#if defined(TRYON_PANELS_ONE_AVX512)
  if constexpr (std::is_same_v<Value, Short> && kRows == 8) return multiply_pairs(b, columns, z, out);
#endif
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
    int k = 0;
    if constexpr (kByFours<Sum<Value>>) k = narrow_fours(own, scale, w, work);
    for (; k < w; ++k) work[k] = static_cast<float>(own[k]) * scale[k];
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
  int k = 0;
  if constexpr (kByFours<Sum<Value>>) k = add_fours(out, w, own);
  for (; k < w; ++k) own[k] += static_cast<Real>(out[k]);
  if constexpr (kByFours<Sum<Value>>) k += give_threes(out + w, row, m - w, x);
  for (; k < m; ++k) x[row[k - w]] += static_cast<Real>(out[k]);
}

// Sums over rows, of each column: by the rows' places in their groups.
template <typename Value>
using SumsOne = typename SumsOver<Value>::Vector[kVectorsOf<kGroup, Value>];

#if defined(TRYON_PANELS_ONE_AVX512)
// As below, two columns at once.
template <int kGroups>
inline const Short* pairs_backward(const Short* b, int columns, const float* in, Eight (*sum)[1], const Short** ahead) {
  constexpr int kNext = 2 * kGroups * kGroup, kLineValues = kLine / int{sizeof(Short)};
  __m512 factor[kGroups];
#pragma GCC unroll 4
  for (int g = 0; g < kGroups; ++g) factor[g] = twice(in + g * kGroup);
  const int group = columns * kGroup;
  const Short* fetched = *ahead;
  int k = 0;
  for (; k + 2 <= columns; k += 2, b += 2 * kGroup, fetched += kNext) {
#pragma GCC unroll 2
    for (int line = 0; line < kNext; line += kLineValues) __builtin_prefetch(fetched + line, 0, 2);
    float* const sums = reinterpret_cast<float*>(sum + k);
    __m512 s = _mm512_load_ps(sums);
#pragma GCC unroll 4
    for (int g = 0; g < kGroups; ++g) s = _mm512_fmadd_ps(two_columns(b + g * group), factor[g], s);
    _mm512_store_ps(sums, s);
  }
  for (; k < columns; ++k, b += kGroup)
    for (int g = 0; g < kGroups; ++g) sum[k][0] = fused(numbers<kGroup>(b + g * group, 0), first(factor[g]), sum[k][0]);
  *ahead += kGroups * group;
  return b + (kGroups - 1) * group;
}
#endif

// Adds kGroups groups of rows, one after the other in memory, to the sums of their columns. As much of the panel that
// comes next is fetched: it lies before this one, which processors do not foresee.
template <int kGroups, int kRows, typename Value>
inline const Value* rows_backward_one(const Value* b, int columns, const Sum<Value>* in, SumsOne<Value>* sum,
                                      const Value** ahead) {
  using Sums = typename SumsOver<Value>::Vector;
  constexpr int kVectors = kVectorsOf<kRows, Value>;
#if defined(TRYON_PANELS_ONE_AVX512)
  if constexpr (std::is_same_v<Value, Short> && kRows == 8) return pairs_backward<kGroups>(b, columns, in, sum, ahead);
#endif
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
    const auto four_of = [sum](int k) -> Four {
      Eight eight = sum[k][0];
      for (int j = 1; j < kVectorsOf<kGroup, Value>; ++j) eight += sum[k][j];
      const Four* half = reinterpret_cast<const Four*>(&eight);
      return half[0] + half[1];
    };
    int k = 0;
#if defined(TRYON_PANELS_FMA)
    for (; kByFours<float> && k + 4 <= w; k += 4) {
      Four r[4];
      transpose<float>(four_of(k), four_of(k + 1), four_of(k + 2), four_of(k + 3), r, r + 1, r + 2, r + 3);
      add_widened(_mm_mul_ps(__m128((r[0] + r[1]) + (r[2] + r[3])), _mm_loadu_ps(scale + k)), to + k);
    }
#endif
    for (; k < w; ++k) {
      const Four four = four_of(k);
      to[k] += static_cast<Real>(((four[0] + four[1]) + (four[2] + four[3])) * scale[k]);
    }
  }
}

template <typename Value>
inline void panel_backward_one(const Panel& p, const Value* b, const int* row, const Real* inverse_pivot,
                               const float* scale, Sum<Value>* in, Real* x, const Value* ahead) {
  const int w = p.width, m = w + p.row_count();
  Real* own = x + p.first;
  int k = 0;
  if constexpr (kByFours<Sum<Value>>) k = divide_fours(inverse_pivot, w, own, in);
  for (; k < w; ++k) in[k] = static_cast<Sum<Value>>(own[k] *= inverse_pivot[k]);
  if constexpr (kByFours<Sum<Value>>) k += take_threes(x, row, m - w, in + w);
  for (; k < m; ++k) in[k] = static_cast<Sum<Value>>(x[row[k - w]]);
  std::fill(in + m, in + (m + kGroup - 1) / kGroup * kGroup, Sum<Value>(0));
  alignas(kLine) SumsOne<Value> sum[kWidest];
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

// What the next panel begins with, its rows' numbers and its own, and where the rows are of the one after it.
template <typename Value>
inline void fetch_rows(const View<Value>& f, const Panel& next, const Panel& after, const Real* x) {
  for (int64_t i = after.rows_begin; i < after.rows_end; i += kLine / int{sizeof(int)}) __builtin_prefetch(f.row + i);
  for (int i = next.first; i < next.first + next.width; i += kLine / int{sizeof(Real)}) {
    __builtin_prefetch(x + i);
    __builtin_prefetch(f.inverse_pivot + i);
  }
  for (int64_t i = next.rows_begin; i < next.rows_end; i += 6) __builtin_prefetch(x + f.row[i]);  // two blocks
}

template <typename Value>
void backward_one(const View<Value>& f, const int* which, int count, Real* x) {
  Sum<Value>* in = reinterpret_cast<Sum<Value>*>(f.work);
  for (int k = count - 1; k >= 0; --k) {
    const Panel& p = f.panel[which[k]];
    const Value* ahead = f.value + f.panel[which[std::max(0, k - 1)]].value;
    if (std::is_same_v<Value, Short> && k >= 2) fetch_rows(f, f.panel[which[k - 1]], f.panel[which[k - 2]], x);
    panel_backward_one(p, f.value + p.value, f.row + p.rows_begin, f.inverse_pivot + p.first, scales(f, p), in, x,
                       ahead);
  }
}

}  // namespace
}  // namespace tryon::sim::panels
