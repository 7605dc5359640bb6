// The solves of panels.h, compiled by panels_baseline.cc and panels_avx2.cc.
//
// A packed panel of width w: rows of M in groups of two vectors (kLanes rows each; one vector alone at the end), column
// by column, both vectors of a column side by side. Rows are those of the corner L1^-1, strictly lower, each group with
// the columns it can reach, then, in the same groups, those of -L2 L1^-1 with all of them; missing rows are zeros. One
// load of L serves x, y and z. Sums over rows: one for each row of a group, ((0 + 4) + (1 + 5)) + ((2 + 6) + (3 + 7))
// of them at the end. Kept short, a number is a whole one times its column's scale: the scales meet the vector before M
// does, and the sums after M^T has.
#pragma once

#include <algorithm>
#include <type_traits>

#include "server/sim/solvers/panels.h"

namespace tryon::sim::panels {
namespace {

constexpr int kLanes = kRowsTogether;
constexpr int kAhead = 12288 / sizeof(Real);  // values ahead that are fetched: panels are too short to be foreseen
constexpr int kLine = 64;                     // bytes that are fetched at once
typedef Real V4 __attribute__((vector_size(4 * sizeof(Real)), may_alias));
typedef Real Loose4 __attribute__((vector_size(4 * sizeof(Real)), aligned(sizeof(Real)), may_alias));
typedef Real Wide __attribute__((vector_size(kLanes * sizeof(Real)), may_alias));

// Rows of x, y, z to three rows, and back.
inline void transpose(const V4& a, const V4& b, const V4& c, const V4& d, V4* x, V4* y, V4* z, V4* rest) {
  const V4 ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_high = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const V4 cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_high = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  *x = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  *y = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  *z = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  *rest = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
}

inline Wide all(Real v) { return v - Wide{}; }

template <typename Vector>
[[gnu::always_inline]] inline Vector fused(const Vector& a, const Vector& b, const Vector& sum) {
#if defined(TRYON_PANELS_FMA)
  if constexpr (sizeof(a[0]) == sizeof(double)) {
    return Vector(_mm256_fmadd_pd(__m256d(a), __m256d(b), __m256d(sum)));
  } else {
    return Vector(_mm256_fmadd_ps(__m256(a), __m256(b), __m256(sum)));
  }
#else
  Vector out;
  for (int i = 0; i < int{sizeof(Vector) / sizeof(a[0])}; ++i) out[i] = std::fma(a[i], b[i], sum[i]);
  return out;
#endif
}

// Three rows of numbers, one after the other, `stride` apart.
struct Rows3 {
  Real* at;
  int stride;
  V4* four(int axis, int i) const { return reinterpret_cast<V4*>(at + axis * stride + i); }
  Wide* wide(int axis, int i) const { return reinterpret_cast<Wide*>(at + axis * stride + i); }
};

// --- solve: out = M z -------------------------------------------------------------------------------------------

template <int kVectors>
inline const Real* multiply(const Real* b, int columns, const Lane* z, const Rows3& out, int i) {
  Wide x[kVectors] = {}, y[kVectors] = {}, w[kVectors] = {};
#pragma GCC unroll 2
  for (int k = 0; k < columns; ++k, b += kVectors * kLanes) {
    __builtin_prefetch(b + kAhead);
    const Wide zx = all(z[k].at[0]), zy = all(z[k].at[1]), zz = all(z[k].at[2]);
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      const Wide m = reinterpret_cast<const Wide*>(b)[j];
      x[j] = fused(m, zx, x[j]);
      y[j] = fused(m, zy, y[j]);
      w[j] = fused(m, zz, w[j]);
    }
  }
#pragma GCC unroll 2
  for (int j = 0; j < kVectors; ++j) {
    *out.wide(0, i + j * kLanes) = x[j];
    *out.wide(1, i + j * kLanes) = y[j];
    *out.wide(2, i + j * kLanes) = w[j];
  }
  return b;
}

// Where the rows of a panel are: its own columns, then those below.
struct Rows {
  V4 *own, *x;
  const int* row;
  int width;
  V4* at(int i) const { return i < width ? own + i : x + row[i - width]; }
};

// Adds what stands in `from` to its rows.
inline void scatter(const Rows3& from, const Rows& rows, int m) {
  V4 r[4];
  const auto take = [&](int i) {
    transpose(*from.four(0, i), *from.four(1, i), *from.four(2, i), V4{}, r, r + 1, r + 2, r + 3);
  };
  int i = 0;
  for (; i + 4 <= m; i += 4) {
    take(i);
    *rows.at(i) += r[0], *rows.at(i + 1) += r[1], *rows.at(i + 2) += r[2], *rows.at(i + 3) += r[3];
  }
  if (i == m) return;
  take(i);
  for (int k = 0; i + k < m; ++k) *rows.at(i + k) += r[k];
}

inline void panel_forward(const Panel& p, const Real* b, const int* row, const Rows3& out, V4* x) {
  const int w = p.width, m = w + p.row_count();
  const Rows rows{x + p.first, x, row, w};
  int i = 0;
  const Lane* z = reinterpret_cast<const Lane*>(rows.own);
  for (; i + kLanes < m; i += kGroup) b = multiply<2>(b, std::min(w, i + kGroup), z, out, i);
  if (i < m) multiply<1>(b, std::min(w, i + kGroup), z, out, i);
  scatter(out, rows, m);
}

// --- solve: x += M^T in ----------------------------------------------------------------------------------------

// The panel's rows side by side, zeros behind.
inline void gather(const Rows& rows, int m, const Rows3& in) {
  V4 rest;
  int i = 0;
  for (; i + 4 <= m; i += 4)
    transpose(*rows.at(i), *rows.at(i + 1), *rows.at(i + 2), *rows.at(i + 3), in.four(0, i), in.four(1, i),
              in.four(2, i), &rest);
  for (const int end = padded(m); i < end; i += 4) {
    V4 r[4] = {};
    for (int k = 0; i + k < m; ++k) r[k] = *rows.at(i + k);
    transpose(r[0], r[1], r[2], r[3], in.four(0, i), in.four(1, i), in.four(2, i), &rest);
  }
}

inline V4 halves(const Wide& v) {
  if constexpr (kLanes == 4) {
    return *reinterpret_cast<const V4*>(&v);
  } else {
    const V4* half = reinterpret_cast<const V4*>(&v);
    return half[0] + half[1];
  }
}

// The sums over each of four vectors.
inline V4 sums(const Wide& a, const Wide& b, const Wide& c, const Wide& d) {
  const V4 p = halves(a), q = halves(b), r = halves(c), s = halves(d);
  const V4 pq = __builtin_shufflevector(p, q, 0, 4, 2, 6) + __builtin_shufflevector(p, q, 1, 5, 3, 7);
  const V4 rs = __builtin_shufflevector(r, s, 0, 4, 2, 6) + __builtin_shufflevector(r, s, 1, 5, 3, 7);
  return __builtin_shufflevector(pq, rs, 0, 1, 4, 5) + __builtin_shufflevector(pq, rs, 2, 3, 6, 7);
}

template <int kColumns>
struct Sums {
  Wide at[3][kColumns][2] = {};

  template <int kVectors>
  inline void add(const Real* b, const Rows3& in, int i) {
#pragma GCC unroll 2
    for (int k = 0; k < kColumns; ++k) __builtin_prefetch(b + k * kVectors * kLanes - kAhead);
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j)
#pragma GCC unroll 2
      for (int k = 0; k < kColumns; ++k) {
        const Wide m = reinterpret_cast<const Wide*>(b)[k * kVectors + j];
#pragma GCC unroll 3
        for (int axis = 0; axis < 3; ++axis) at[axis][k][j] = fused(m, *in.wide(axis, i + j * kLanes), at[axis][k][j]);
      }
  }
  inline void write(V4* to) const {
    const auto both = [&](int axis, int k) -> Wide { return at[axis][k][0] + at[axis][k][1]; };
    constexpr int kOther = kColumns - 1;
    const V4 xy = sums(both(0, 0), both(1, 0), both(0, kOther), both(1, kOther));
    const V4 z = sums(both(2, 0), both(2, kOther), Wide{}, Wide{});
    to[0] += __builtin_shufflevector(xy, z, 0, 1, 4, 6);
    if constexpr (kColumns > 1) to[1] += __builtin_shufflevector(xy, z, 2, 3, 5, 6);
  }
};

// Columns k .. k + kColumns of M^T in, added to own[k ..]; row i is the first that they reach, `b` its group.
template <int kColumns>
inline void columns_backward(const Real* b, int w, int m, int k, int i, const Rows3& in, V4* own) {
  Sums<kColumns> s;
  for (; i + kLanes < m; i += kGroup) {
    s.template add<2>(b + k * kGroup, in, i);
    b += std::min(w, i + kGroup) * kGroup;
  }
  if (i < m) s.template add<1>(b + k * kLanes, in, i);
  s.write(own + k);
}

inline void panel_backward(const Panel& p, const Real* b, const int* row, const Real* inverse_pivot, const Rows3& in,
                           V4* x) {
  const int w = p.width, m = w + p.row_count();
  const Rows rows{x + p.first, x, row, w};
  for (int k = 0; k < w; ++k) rows.own[k] *= inverse_pivot[k];
  gather(rows, m, in);
  for (int k = 0, i = 0; k < w; k += 2) {
    if (k == i + kGroup) b += kGroup * k, i = k;
    if (k + 1 < w) {
      columns_backward<2>(b, w, m, k, i, in, rows.own);
    } else {
      columns_backward<1>(b, w, m, k, i, in, rows.own);
    }
  }
}

// Four numbers at once where another row's first one lies behind: read for nothing, written before its own turn.
void bring(const int* place, int count, const RVec3* from, Lane* to) {
  for (int i = 0; i + 1 < count; ++i) {
    const V4 row = *reinterpret_cast<const Loose4*>(from + i);
    *reinterpret_cast<V4*>(to + place[i]) = __builtin_shufflevector(row, V4{}, 0, 1, 2, 7);
  }
  if (count > 0) to[place[count - 1]] = {from[count - 1][0], from[count - 1][1], from[count - 1][2], 0};
}

void bring_back(const int* place, int count, const Lane* from, RVec3* to) {
  for (int i = 0; i + 1 < count; ++i)
    *reinterpret_cast<Loose4*>(to + i) = *reinterpret_cast<const V4*>(from + place[i]);
  if (count > 0) to[count - 1] = Eigen::Map<const RVec3>(from[place[count - 1]].at);
}

void forward(const View<Real>& f, const int* which, int count, Lane* lanes) {
  V4* x = reinterpret_cast<V4*>(lanes);
  const Rows3 work{f.work, f.work_stride};
  for (int k = 0; k < count; ++k) {
    const Panel& p = f.panel[which[k]];
    panel_forward(p, f.value + p.value, f.row + p.rows_begin, work, x);
  }
}

void backward(const View<Real>& f, const int* which, int count, Lane* lanes) {
  V4* x = reinterpret_cast<V4*>(lanes);
  const Rows3 work{f.work, f.work_stride};
  for (int k = count - 1; k >= 0; --k) {
    const Panel& p = f.panel[which[k]];
    panel_backward(p, f.value + p.value, f.row + p.rows_begin, f.inverse_pivot + p.first, work, x);
  }
}

// --- solve: one right-hand side -----------------------------------------------------------------------------------

// What sums are kept in: numbers of a factor kept short do not deserve more than float.
typedef float Four __attribute__((vector_size(4 * sizeof(float)), may_alias));
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

// --- solve: three right-hand sides, kept short --------------------------------------------------------------------

constexpr int kAheadShort = 4096;                   // values
constexpr int kEights = kVectorsOf<kGroup, Short>;  // vectors of a group's rows
using EightRows = Eight[kEights][3];                // x, y, z of a group's rows

// Where the rows of a panel are: its own columns, then those below.
struct ShortRows {
  Four *own, *x;
  const int* row;
  int width;
  Four* at(int i) const { return i < width ? own + i : x + row[i - width]; }
};

inline void transpose(const Four& a, const Four& b, const Four& c, Four* rows) {
  const Four none{};
  const Four ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const Four c_low = __builtin_shufflevector(c, none, 0, 4, 1, 5),
             c_high = __builtin_shufflevector(c, none, 2, 6, 3, 7);
  rows[0] = __builtin_shufflevector(ab_low, c_low, 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(ab_low, c_low, 2, 3, 6, 7);
  rows[2] = __builtin_shufflevector(ab_high, c_high, 0, 1, 4, 5);
  rows[3] = __builtin_shufflevector(ab_high, c_high, 2, 3, 6, 7);
}

// In registers: what the compiler makes of {} goes through memory.
[[gnu::always_inline]] inline void clear(Eight* s, int count) {
#pragma GCC unroll 12
  for (int k = 0; k < count; ++k) s[k] = Eight{};
}

inline void transpose_back(const Four* rows, Four* x, Four* y, Four* z) {
  const Four ab_low = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
  const Four cd_low = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
  *x = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  *y = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  *z = __builtin_shufflevector(__builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7),
                               __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7), 0, 1, 4, 5);
}

// s += M z of kGroups groups of rows, one after the other in memory: one column. kRows numbers of each.
template <int kGroups, int kRows>
[[gnu::always_inline]] inline void add_column_short(const Short* b, int64_t apart, const ShortLane& z, EightRows* s) {
  const Eight zx = z.at[0] - Eight{}, zy = z.at[1] - Eight{}, zz = z.at[2] - Eight{};
#pragma GCC unroll 4
  for (int g = 0; g < kGroups; ++g)
#pragma GCC unroll 2
    for (int j = 0; j < kVectorsOf<kRows, Short>; ++j) {
      const Eight m = numbers<kRows>(b + g * apart, j);
      s[g][j][0] = fused(m, zx, s[g][j][0]);
      s[g][j][1] = fused(m, zy, s[g][j][1]);
      s[g][j][2] = fused(m, zz, s[g][j][2]);
    }
}

// s = M z. A group alone has sums for its even and its odd columns, or each column would wait for the one before it.
template <int kGroups, int kRows>
[[gnu::always_inline]] inline void multiply_short(const Short* b, int columns, const ShortLane* z, EightRows* s) {
  constexpr int kSums = kGroups == 1 ? 2 : 1;
  const int64_t apart = int64_t{kRows} * columns;
  EightRows sum[kSums][kGroups];
  clear(&sum[0][0][0][0], kSums * kGroups * kEights * 3);
  int k = 0;
  for (; k + 2 <= columns; k += 2, b += 2 * kRows) {
#pragma GCC unroll 4
    for (int g = 0; g < kGroups; ++g) __builtin_prefetch(b + g * apart + kAheadShort);
    add_column_short<kGroups, kRows>(b, apart, z[k], sum[0]);
    add_column_short<kGroups, kRows>(b + kRows, apart, z[k + 1], sum[kSums - 1]);
  }
  if (k < columns) add_column_short<kGroups, kRows>(b, apart, z[k], sum[0]);
#pragma GCC unroll 4
  for (int g = 0; g < kGroups; ++g)
#pragma GCC unroll 2
    for (int j = 0; j < kEights; ++j)
#pragma GCC unroll 3
      for (int axis = 0; axis < 3; ++axis)
        s[g][j][axis] = kSums == 1 ? sum[0][g][j][axis] : sum[0][g][j][axis] + sum[kSums - 1][g][j][axis];
}

// Adds a group's sums to its rows i .. i + count.
[[gnu::always_inline]] inline void add_short(const EightRows& s, const ShortRows& rows, int i, int count) {
  const bool below = i >= rows.width && count >= kGroup;
  const int* const row = rows.row + (i - rows.width);
#pragma GCC unroll 4
  for (int four = 0; four < kGroup; four += 4) {
    const auto part = [&](int axis) { return reinterpret_cast<const Four*>(&s[four / 8][axis])[four / 4 % 2]; };
    Four r[4];
    transpose(part(0), part(1), part(2), r);
    if (below) {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k) rows.x[row[four + k]] += r[k];
    } else {
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k)
        if (four + k < count) *rows.at(i + four + k) += r[k];
    }
  }
}

// One group of `count` rows, or several whole ones below the panel's own.
template <int kGroups, int kRows>
inline const Short* groups_short(const Short* b, int columns, const ShortLane* z, const ShortRows& rows, int i,
                                 int count) {
  EightRows s[kGroups];
  multiply_short<kGroups, kRows>(b, columns, z, s);
#pragma GCC unroll 4
  for (int g = 0; g < kGroups; ++g) add_short(s[g], rows, i + g * kGroup, count);
  return b + int64_t{kGroups} * kRows * columns;
}

inline void panel_forward_short(const Panel& p, const Short* b, const int* row, const float* scale, Four* x) {
  constexpr int kTile = 3;
  const int w = p.width, m = w + p.row_count();
  const ShortRows rows{x + p.first, x, row, w};
  ShortLane z[kWidest];
  for (int k = 0; k < w; ++k) *reinterpret_cast<Four*>(z + k) = rows.own[k] * scale[k];
  int i = 0;
  const auto one_by_one = [&](int end) {
    for (; i < end && i + kLanes < m; i += kGroup)
      b = groups_short<1, kGroup>(b, std::min(w, i + kGroup), z, rows, i, m - i);
  };
  one_by_one(w);
  for (; i + kTile * kGroup <= m; i += kTile * kGroup) b = groups_short<kTile, kGroup>(b, w, z, rows, i, kGroup);
  one_by_one(m);
  if (i < m) groups_short<1, kLanes>(b, std::min(w, i + kGroup), z, rows, i, m - i);
}

// The panel's rows side by side, zeros behind.
inline void gather_short(const ShortRows& rows, int m, EightRows* in) {
  const auto put = [in](int i, const Four* r) {
    const auto part = [&](int axis) {
      return reinterpret_cast<Four*>(&in[i / kGroup][i / 8 % kEights][axis]) + i / 4 % 2;
    };
    transpose_back(r, part(0), part(1), part(2));
  };
  int i = 0;
  for (; i + 4 <= rows.width; i += 4) put(i, rows.own + i);
  const auto ragged = [&] {
    Four r[4];
    for (int k = 0; k < 4; ++k) r[k] = i + k < m ? *rows.at(i + k) : Four{};
    put(i, r);
    i += 4;
  };
  if (i < rows.width) ragged();
  for (; i + 4 <= m; i += 4) {
    const int* const row = rows.row + (i - rows.width);
    const Four r[4] = {rows.x[row[0]], rows.x[row[1]], rows.x[row[2]], rows.x[row[3]]};
    put(i, r);
  }
  for (const int end = (m + kGroup - 1) / kGroup * kGroup; i < end;) ragged();
}

template <int kColumns, int kRows>
[[gnu::always_inline]] inline void add_columns_short(const Short* b, const EightRows& in, Eight (*s)[3]) {
#pragma GCC unroll 4
  for (int k = 0; k < kColumns; ++k)
#pragma GCC unroll 2
    for (int j = 0; j < kVectorsOf<kRows, Short>; ++j) {
      const Eight m = numbers<kRows>(b + k * kRows, j);
      s[k][0] = fused(m, in[j][0], s[k][0]);
      s[k][1] = fused(m, in[j][1], s[k][1]);
      s[k][2] = fused(m, in[j][2], s[k][2]);
    }
}

// Columns k .. k + kColumns of M^T in, added to own[k ..]; row i is the first that they reach, `b` its group.
template <int kColumns>
inline void columns_backward_short(const Short* b, int w, int m, int k, int i, const EightRows* in, const float* scale,
                                   Four* own) {
  Eight s[kColumns][3];
  clear(&s[0][0], kColumns * 3);
  in += i / kGroup;
  for (; i + kLanes < m; i += kGroup, ++in) {
    __builtin_prefetch(b + k * kGroup - kAheadShort);
    add_columns_short<kColumns, kGroup>(b + k * kGroup, *in, s);
    b += std::min(w, i + kGroup) * kGroup;
  }
  if (i < m) add_columns_short<kColumns, kLanes>(b + k * kLanes, *in, s);
#pragma GCC unroll 4
  for (int c = 0; c < kColumns; ++c) {
    const auto folded = [&](int axis) {
      const Four* const half = reinterpret_cast<const Four*>(&s[c][axis]);
      return half[0] + half[1];
    };
    Four r[4];
    transpose(folded(0), folded(1), folded(2), r);
    own[k + c] += ((r[0] + r[1]) + (r[2] + r[3])) * scale[k + c];
  }
}

inline void panel_backward_short(const Panel& p, const Short* b, const int* row, const Real* inverse_pivot,
                                 const float* scale, EightRows* in, Four* x) {
  const int w = p.width, m = w + p.row_count();
  const ShortRows rows{x + p.first, x, row, w};
  for (int k = 0; k < w; ++k) rows.own[k] *= static_cast<float>(inverse_pivot[k]);
  gather_short(rows, m, in);
  int k = 0, i = 0;
  for (; k + 4 <= w; k += 4) {
    if (k == i + kGroup) b += kGroup * k, i = k;
    columns_backward_short<4>(b, w, m, k, i, in, scale, rows.own);
  }
  for (; k < w; ++k) {
    if (k == i + kGroup) b += kGroup * k, i = k;
    columns_backward_short<1>(b, w, m, k, i, in, scale, rows.own);
  }
}

void bring_short(const int* place, int count, const RVec3* from, ShortLane* to) {
  for (int i = 0; i < count; ++i)
    to[place[i]] = {static_cast<float>(from[i][0]), static_cast<float>(from[i][1]), static_cast<float>(from[i][2]), 0};
}

void bring_back_short(const int* place, int count, const ShortLane* from, RVec3* to) {
  for (int i = 0; i < count; ++i)
    for (int c = 0; c < 3; ++c) to[i][c] = static_cast<Real>(from[place[i]].at[c]);
}

void forward_short(const View<Short>& f, const int* which, int count, ShortLane* lanes) {
  Four* x = reinterpret_cast<Four*>(lanes);
  for (int k = 0; k < count; ++k) {
    const Panel& p = f.panel[which[k]];
    panel_forward_short(p, f.value + p.value, f.row + p.rows_begin, f.scale + p.first, x);
  }
}

void backward_short(const View<Short>& f, const int* which, int count, ShortLane* lanes) {
  Four* x = reinterpret_cast<Four*>(lanes);
  EightRows* in = reinterpret_cast<EightRows*>(f.work);
  for (int k = count - 1; k >= 0; --k) {
    const Panel& p = f.panel[which[k]];
    panel_backward_short(p, f.value + p.value, f.row + p.rows_begin, f.inverse_pivot + p.first, f.scale + p.first, in,
                         x);
  }
}

}  // namespace
}  // namespace tryon::sim::panels
