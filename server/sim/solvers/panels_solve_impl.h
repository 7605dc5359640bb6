// The solves of panels.h for three right-hand sides by a factor kept whole, compiled by panels_baseline.cc and
// panels_avx2.cc.
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
template <typename Number>
struct FourOf {
  typedef Number Type __attribute__((vector_size(4 * sizeof(Number)), may_alias));
};
template <typename Number>
using Vector4 = typename FourOf<Number>::Type;
using V4 = Vector4<Real>;
typedef Real Loose4 __attribute__((vector_size(4 * sizeof(Real)), aligned(sizeof(Real)), may_alias));
typedef Real Wide __attribute__((vector_size(kLanes * sizeof(Real)), may_alias));

// Rows of x, y, z to three rows, and back: numbers come side by side as they follow each other in a vector of 16 bytes,
// and in each half of a longer one.
template <typename Number>
[[gnu::always_inline]] inline void transpose(const Vector4<Number>& a, const Vector4<Number>& b,
                                             const Vector4<Number>& c, const Vector4<Number>& d, Vector4<Number>* x,
                                             Vector4<Number>* y, Vector4<Number>* z, Vector4<Number>* rest) {
  using V = Vector4<Number>;
  if constexpr (sizeof(V) == 16) {
    const V ab01 = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab23 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const V cd01 = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd23 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *x = __builtin_shufflevector(ab01, cd01, 0, 1, 4, 5);
    *y = __builtin_shufflevector(ab01, cd01, 2, 3, 6, 7);
    *z = __builtin_shufflevector(ab23, cd23, 0, 1, 4, 5);
    *rest = __builtin_shufflevector(ab23, cd23, 2, 3, 6, 7);
  } else {
    const V ab02 = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab13 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const V cd02 = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd13 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    *x = __builtin_shufflevector(ab02, cd02, 0, 1, 4, 5);
    *y = __builtin_shufflevector(ab13, cd13, 0, 1, 4, 5);
    *z = __builtin_shufflevector(ab02, cd02, 2, 3, 6, 7);
    *rest = __builtin_shufflevector(ab13, cd13, 2, 3, 6, 7);
  }
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
template <typename Number>
struct RowsOf {
  using V = Vector4<Number>;
  V *own, *x;
  const int* row;
  int width;
  V* at(int i) const { return i < width ? own + i : x + row[i - width]; }
};
using Rows = RowsOf<Real>;

// Adds what stands in `from` to its rows.
inline void scatter(const Rows3& from, const Rows& rows, int m) {
  V4 r[4];
  const auto take = [&](int i) {
    transpose<Real>(*from.four(0, i), *from.four(1, i), *from.four(2, i), V4{}, r, r + 1, r + 2, r + 3);
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
    transpose<Real>(*rows.at(i), *rows.at(i + 1), *rows.at(i + 2), *rows.at(i + 3), in.four(0, i), in.four(1, i),
                    in.four(2, i), &rest);
  for (const int end = padded(m); i < end; i += 4) {
    V4 r[4] = {};
    for (int k = 0; i + k < m; ++k) r[k] = *rows.at(i + k);
    transpose<Real>(r[0], r[1], r[2], r[3], in.four(0, i), in.four(1, i), in.four(2, i), &rest);
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

}  // namespace
}  // namespace tryon::sim::panels
