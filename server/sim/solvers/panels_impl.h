// The work of panels.h, compiled by panels_baseline.cc and panels_avx2.cc.
//
// A packed panel of width w: rows of M in pairs of vectors (kLanes rows each; one vector alone at the end), column by
// column, both vectors of a column side by side. Rows are those of the corner L1^-1, strictly lower, each vector with
// the columns it can reach, then those of -L2 L1^-1 with all of them; missing rows are zeros. One load of L serves x,
// y and z.
#pragma once

#include <algorithm>
#include <cmath>

#include "server/sim/solvers/panels.h"

namespace tryon::sim::panels {
namespace {

constexpr int kLanes = kRowsTogether;
constexpr int kTogether = kRowsBelow;
constexpr int kAtOnce = 8;  // columns that are eliminated one by one before the rest of a panel hears of them
constexpr int kAhead = 12288 / sizeof(Real);  // values ahead that are fetched: panels are too short to be foreseen
typedef Real V4 __attribute__((vector_size(4 * sizeof(Real)), may_alias));
typedef Real Wide __attribute__((vector_size(kLanes * sizeof(Real)), may_alias));
typedef double D4 __attribute__((vector_size(32), aligned(8), may_alias));

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
      x[j] += m * zx;
      y[j] += m * zy;
      w[j] += m * zz;
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

// z[0 .. count) = or += what stands in `from` at i; `row` where they lie, null: side by side.
template <typename Add>
inline void scatter(const Rows3& from, int i, int count, Add add) {
  int k = 0;
  for (; k + 4 <= count; k += 4) {
    V4 r[4];
    transpose(*from.four(0, i + k), *from.four(1, i + k), *from.four(2, i + k), V4{}, r, r + 1, r + 2, r + 3);
    add(k, r[0]), add(k + 1, r[1]), add(k + 2, r[2]), add(k + 3, r[3]);
  }
  if (k == count) return;
  V4 r[4];
  transpose(*from.four(0, i + k), *from.four(1, i + k), *from.four(2, i + k), V4{}, r, r + 1, r + 2, r + 3);
  for (int j = 0; k < count; ++k, ++j) add(k, r[j]);
}

inline void panel_forward(const Panel& p, const Real* b, const int* row, const Rows3& out, V4* x) {
  const int w = p.width, r = p.row_count(), corner = padded(w), below = padded(r);
  V4* own = x + p.first;
  V4 kept[kWidest];
  for (int k = 0; k < w; ++k) kept[k] = own[k];
  const Lane* z = reinterpret_cast<const Lane*>(kept);
  int i = 0;
  for (; i + 2 * kLanes <= corner; i += 2 * kLanes) b = multiply<2>(b, std::min(w, i + 2 * kLanes), z, out, i);
  if (i < corner) b = multiply<1>(b, w, z, out, i);
  for (i = 0; i + 2 * kLanes <= below; i += 2 * kLanes) b = multiply<2>(b, w, z, out, corner + i);
  if (i < below) multiply<1>(b, w, z, out, corner + i);
  scatter(out, 0, w, [&](int k, const V4& sum) { own[k] = kept[k] + sum; });
  scatter(out, corner, r, [&](int k, const V4& sum) { x[row[k]] += sum; });
}

// --- solve: x += M^T in ----------------------------------------------------------------------------------------

// in[i .. i + padded(count)) = the numbers that `get` gives, zeros behind.
template <typename Get>
inline void gather(int i, int count, const Rows3& in, Get get) {
  int k = 0;
  V4 rest;
  for (; k + 4 <= count; k += 4)
    transpose(get(k), get(k + 1), get(k + 2), get(k + 3), in.four(0, i + k), in.four(1, i + k), in.four(2, i + k),
              &rest);
  for (const int end = padded(count); k < end; k += 4) {
    V4 r[4] = {};
    for (int j = 0; k + j < count; ++j) r[j] = get(k + j);
    transpose(r[0], r[1], r[2], r[3], in.four(0, i + k), in.four(1, i + k), in.four(2, i + k), &rest);
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
  Wide x[kColumns] = {}, y[kColumns] = {}, z[kColumns] = {};

  template <int kVectors>
  inline void add(const Real* b, const Rows3& in, int i) {
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      if (j == 0)
#pragma GCC unroll 4
        for (int k = 0; k < kColumns; ++k) __builtin_prefetch(b + k * kVectors * kLanes - kAhead);
      const Wide ix = *in.wide(0, i + j * kLanes), iy = *in.wide(1, i + j * kLanes), iz = *in.wide(2, i + j * kLanes);
#pragma GCC unroll 4
      for (int k = 0; k < kColumns; ++k) {
        const Wide m = reinterpret_cast<const Wide*>(b)[k * kVectors + j];
        x[k] += m * ix;
        y[k] += m * iy;
        z[k] += m * iz;
      }
    }
  }
  inline void write(V4* to) const {
    const Wide none = {};
    const auto at = [&](const Wide* v, int k) -> Wide { return k < kColumns ? v[k < kColumns ? k : 0] : none; };
    V4 r[4];
    transpose(sums(x[0], at(x, 1), at(x, 2), at(x, 3)), sums(y[0], at(y, 1), at(y, 2), at(y, 3)),
              sums(z[0], at(z, 1), at(z, 2), at(z, 3)), V4{}, r, r + 1, r + 2, r + 3);
#pragma GCC unroll 4
    for (int k = 0; k < kColumns; ++k) to[k] += r[k];
  }
};

// Columns k .. k + kColumns of M^T in, added to own[k ..].
template <int kColumns>
inline void columns_backward(const Real* b, int w, int corner, int below, int k, const Rows3& in, V4* own) {
  Sums<kColumns> s;
  int i = 0;
  for (; i + 2 * kLanes <= corner; i += 2 * kLanes) {
    const int reach = std::min(w, i + 2 * kLanes);
    if (k < reach) s.template add<2>(b + k * 2 * kLanes, in, i);
    b += reach * 2 * kLanes;
  }
  if (i < corner) {
    s.template add<1>(b + k * kLanes, in, i);
    b += w * kLanes;
  }
  for (i = 0; i + 2 * kLanes <= below; i += 2 * kLanes, b += w * 2 * kLanes)
    s.template add<2>(b + k * 2 * kLanes, in, corner + i);
  if (i < below) s.template add<1>(b + k * kLanes, in, corner + i);
  s.write(own + k);
}

inline void panel_backward(const Panel& p, const Real* b, const int* row, const Real* inverse_pivot, const Rows3& in,
                           V4* x) {
  const int w = p.width, r = p.row_count(), corner = padded(w), below = padded(r);
  V4* own = x + p.first;
  for (int k = 0; k < w; ++k) own[k] *= inverse_pivot[k];
  gather(0, w, in, [&](int k) -> const V4& { return own[k]; });
  gather(corner, r, in, [&](int k) -> const V4& { return x[row[k]]; });
  int k = 0;
  for (; k + 4 <= w; k += 4) columns_backward<4>(b, w, corner, below, k, in, own);
  if (w - k == 3) columns_backward<3>(b, w, corner, below, k, in, own);
  if (w - k == 2) columns_backward<2>(b, w, corner, below, k, in, own);
  if (w - k == 1) columns_backward<1>(b, w, corner, below, k, in, own);
}

void solve(const View& f, Lane* lanes) {
  V4* x = reinterpret_cast<V4*>(lanes);
  const Rows3 work{f.work, f.work_stride};
  for (int s = 0; s < f.count; ++s) {
    const Panel& p = f.panel[s];
    panel_forward(p, f.value + p.value, f.row + p.rows_begin, work, x);
  }
  for (int s = f.count - 1; s >= 0; --s) {
    const Panel& p = f.panel[s];
    panel_backward(p, f.value + p.value, f.row + p.rows_begin, f.inverse_pivot + p.first, work, x);
  }
}

// --- solve: one right-hand side -----------------------------------------------------------------------------------

template <int kVectors>
inline const Real* multiply_one(const Real* b, int columns, const Real* z, Real* out) {
  Wide sum[4][kVectors] = {};
  const auto add = [&](int c, int k) {
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) sum[c][j] += reinterpret_cast<const Wide*>(b)[c * kVectors + j] * all(z[k + c]);
  };
  int k = 0;
  for (; k + 4 <= columns; k += 4, b += 4 * kVectors * kLanes) {
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
      __builtin_prefetch(b + c * kVectors * kLanes + kAhead);
      add(c, k);
    }
  }
  for (; k < columns; ++k, b += kVectors * kLanes) add(0, k);
#pragma GCC unroll 2
  for (int j = 0; j < kVectors; ++j)
    reinterpret_cast<Wide*>(out)[j] = (sum[0][j] + sum[1][j]) + (sum[2][j] + sum[3][j]);
  return b;
}

inline void panel_forward_one(const Panel& p, const Real* b, const int* row, Real* out, Real* x) {
  const int w = p.width, r = p.row_count(), corner = padded(w), below = padded(r);
  Real* own = x + p.first;
  int i = 0;
  for (; i + 2 * kLanes <= corner; i += 2 * kLanes) b = multiply_one<2>(b, std::min(w, i + 2 * kLanes), own, out + i);
  if (i < corner) b = multiply_one<1>(b, w, own, out + i);
  for (i = 0; i + 2 * kLanes <= below; i += 2 * kLanes) b = multiply_one<2>(b, w, own, out + corner + i);
  if (i < below) multiply_one<1>(b, w, own, out + corner + i);
  for (int k = 0; k < w; ++k) own[k] += out[k];
  for (int k = 0; k < r; ++k) x[row[k]] += out[corner + k];
}

template <int kColumns>
struct SumsOne {
  Wide at[kColumns][2] = {};

  template <int kVectors>
  inline void add(const Real* b, const Real* in) {
#pragma GCC unroll 2
    for (int j = 0; j < kVectors; ++j) {
      const Wide factor = reinterpret_cast<const Wide*>(in)[j];
#pragma GCC unroll 4
      for (int k = 0; k < kColumns; ++k) {
        if (j == 0) __builtin_prefetch(b + k * kVectors * kLanes - kAhead);
        at[k][j] += reinterpret_cast<const Wide*>(b)[k * kVectors + j] * factor;
      }
    }
  }
  inline void write(Real* to) const {
    const auto both = [&](int k) -> Wide { return k < kColumns ? at[k % kColumns][0] + at[k % kColumns][1] : Wide{}; };
    const V4 sum = sums(both(0), both(1), both(2), both(3));
#pragma GCC unroll 4
    for (int k = 0; k < kColumns; ++k) to[k] += sum[k];
  }
};

template <int kColumns>
inline void columns_backward_one(const Real* b, int w, int corner, int below, int k, const Real* in, Real* own) {
  SumsOne<kColumns> s;
  int i = 0;
  for (; i + 2 * kLanes <= corner; i += 2 * kLanes) {
    const int reach = std::min(w, i + 2 * kLanes);
    if (k < reach) s.template add<2>(b + k * 2 * kLanes, in + i);
    b += reach * 2 * kLanes;
  }
  if (i < corner) {
    s.template add<1>(b + k * kLanes, in + i);
    b += w * kLanes;
  }
  for (i = 0; i + 2 * kLanes <= below; i += 2 * kLanes, b += w * 2 * kLanes)
    s.template add<2>(b + k * 2 * kLanes, in + corner + i);
  if (i < below) s.template add<1>(b + k * kLanes, in + corner + i);
  s.write(own + k);
}

inline void panel_backward_one(const Panel& p, const Real* b, const int* row, const Real* inverse_pivot, Real* in,
                               Real* x) {
  const int w = p.width, r = p.row_count(), corner = padded(w), below = padded(r);
  Real* own = x + p.first;
  for (int k = 0; k < w; ++k) in[k] = own[k] *= inverse_pivot[k];
  std::fill(in + w, in + corner, Real(0));
  for (int k = 0; k < r; ++k) in[corner + k] = x[row[k]];
  std::fill(in + corner + r, in + corner + below, Real(0));
  int k = 0;
  for (; k + 4 <= w; k += 4) columns_backward_one<4>(b, w, corner, below, k, in, own);
  if (w - k == 3) columns_backward_one<3>(b, w, corner, below, k, in, own);
  if (w - k == 2) columns_backward_one<2>(b, w, corner, below, k, in, own);
  if (w - k == 1) columns_backward_one<1>(b, w, corner, below, k, in, own);
}

void forward_one(const View& f, const int* which, int count, Real* x) {
  for (int k = 0; k < count; ++k) {
    const Panel& p = f.panel[which == nullptr ? k : which[k]];
    panel_forward_one(p, f.value + p.value, f.row + p.rows_begin, f.work, x);
  }
}

void backward_one(const View& f, Real* x) {
  for (int s = f.count - 1; s >= 0; --s) {
    const Panel& p = f.panel[s];
    panel_backward_one(p, f.value + p.value, f.row + p.rows_begin, f.inverse_pivot + p.first, f.work, x);
  }
}

// --- factor -----------------------------------------------------------------------------------------------------
// Every number is a sum of fused multiply-adds in the order of the columns, however the work is cut: any tiles, any
// processor, the same bytes.

inline double fused(double a, double b, double sum) { return std::fma(a, b, sum); }

inline D4 fused(const D4& a, double b, const D4& sum) {
#if defined(__FMA__) && !defined(__clang__)
  return __builtin_ia32_vfmaddpd256(a, D4{b, b, b, b}, sum);
#else
  return D4{fused(a[0], b, sum[0]), fused(a[1], b, sum[1]), fused(a[2], b, sum[2]), fused(a[3], b, sum[3])};
#endif
}

inline D4* four(double* at) { return reinterpret_cast<D4*>(at); }
inline const D4* four(const double* at) { return reinterpret_cast<const D4*>(at); }

inline void add_scaled(double factor, const double* from, int count, double* to) {
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    const D4 sum = fused(*four(from + i), factor, *four(to + i));
    *four(to + i) = sum;
  }
  for (; i < count; ++i) to[i] = fused(from[i], factor, to[i]);
}

// What becomes of a sum of products: taken off the front, or put in its place.
enum class Give { kTakeOff, kPut };

template <Give kGive>
inline void give(double sum, double* to) {
  *to = kGive == Give::kTakeOff ? *to - sum : sum;
}
template <Give kGive>
inline void give(const D4& sum, D4* to) {  // no template of its own: a type's alignment would be lost
  *to = kGive == Give::kTakeOff ? *to - sum : sum;
}

// out[4 v .., c] from sum_k l[k][4 v ..] b[k][c]: kVectors x kColumns sums in registers. The rows of l lie `next` apart
// from column to column, those of out `stride`.
template <Give kGive, int kColumns, int kVectors>
inline void multiply_tile(const double* l, int64_t next, int w, const double* b, double* out, int64_t stride) {
  D4 sum[kColumns * kVectors] = {};
  for (int k = 0; k < w; ++k, l += next, b += kColumns) {
    D4 from[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) from[v] = *four(l + 4 * v);
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[c * kVectors + v] = fused(from[v], b[c], sum[c * kVectors + v]);
  }
#pragma GCC unroll 4
  for (int c = 0; c < kColumns; ++c)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) give<kGive>(sum[c * kVectors + v], four(out + c * stride + 4 * v));
}

// The same for `count` rows, fewer than kTogether.
template <Give kGive, int kColumns>
inline void multiply_rest(const double* l, int64_t next, int w, const double* b, int count, double* out,
                          int64_t stride) {
  int i = 0;
  for (; i + 4 <= count; i += 4) multiply_tile<kGive, kColumns, 1>(l + i, next, w, b, out + i, stride);
  for (; i < count; ++i)
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) {
      double sum = 0;
      for (int k = 0; k < w; ++k) sum = fused(l[k * next + i], b[k * kColumns + c], sum);
      give<kGive>(sum, out + c * stride + i);
    }
}

// The rows below an eliminated corner, kTogether side by side, column by column.
struct Below {
  const double* packed;
  int rows, columns;
  const double* group(int i) const { return packed + int64_t{i} * columns; }  // of rows i .., a multiple of kTogether
};

// Rows from .. of M b for kColumns columns, from the column `first` of M on.
template <Give kGive, int kColumns>
inline void multiply_below(const Below& m, int from, int first, const double* b, double* out, int64_t stride) {
  for (int i = from; i < m.rows; i += kTogether) {
    const double* l = m.group(i) + first * kTogether;
    const int count = m.rows - i, w = m.columns - first;
    if (count >= kTogether) {
      multiply_tile<kGive, kColumns, kTogether / 4>(l, kTogether, w, b, out + i, stride);
    } else {
      multiply_rest<kGive, kColumns>(l, kTogether, w, b, count, out + i, stride);
    }
  }
}

// Columns j .. j + kColumns of the corner and what is below them, less what the columns first .. first + w do there.
template <int kColumns>
inline void take_off_corner(double* front, int m, int64_t stride, int first, int w, int j) {
  double b[kAtOnce * kColumns];
  for (int k = 0; k < w; ++k)
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c)
      b[k * kColumns + c] = front[(first + k) * stride + first + k] * front[(first + k) * stride + j + c];
  const double* l = front + first * stride;
  double* out = front + j * stride;
  int i = j;
  for (; i + kTogether <= m; i += kTogether)
    multiply_tile<Give::kTakeOff, kColumns, kTogether / 4>(l + i, stride, w, b, out + i, stride);
  multiply_rest<Give::kTakeOff, kColumns>(l + i, stride, w, b, m - i, out + i, stride);
}

// D and L of the columns first .. first + w, each taken off the next.
inline int eliminate_columns(double* front, int m, int64_t stride, int first, int w) {
  for (int k = first; k < first + w; ++k) {
    double* column = front + k * stride;
    const double pivot = column[k];
    if (!(pivot > 0)) return k;
    const double inverse = 1 / pivot;
    for (int i = k + 1; i < m; ++i) column[i] *= inverse;
    for (int j = k + 1; j < first + w; ++j) add_scaled(-pivot * column[j], column + j, m - j, front + j * stride + j);
  }
  return -1;
}

inline void pack_below(const double* front, int m, int w, int64_t stride, double* packed) {
  for (int i = w; i < m; i += kTogether)
    for (int k = 0; k < w; ++k, packed += kTogether) {
      const int count = std::min(kTogether, m - i);
      std::copy_n(front + k * stride + i, count, packed);
      std::fill(packed + count, packed + kTogether, 0.0);
    }
}

int eliminate(double* front, int m, int w, int stride, double* below) {
  for (int first = 0; first < w; first += kAtOnce) {
    const int count = std::min(kAtOnce, w - first), failed = eliminate_columns(front, m, stride, first, count);
    if (failed >= 0) return failed;
    int j = first + count;
    for (; j + 4 <= w; j += 4) take_off_corner<4>(front, m, stride, first, count, j);
    for (; j < w; ++j) take_off_corner<1>(front, m, stride, first, count, j);
  }
  pack_below(front, m, w, stride, below);
  return -1;
}

template <int kColumns>
inline void take_off_columns(double* front, const Below& below, int64_t stride, int j) {
  const int w = below.columns;
  double b[kWidest * kColumns];
  for (int k = 0; k < w; ++k)
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) b[k * kColumns + c] = front[k * stride + k] * front[k * stride + w + j + c];
  multiply_below<Give::kTakeOff, kColumns>(below, j / kTogether * kTogether, 0, b, front + (w + j) * stride + w,
                                           stride);
}

void take_off(double* front, int m, int w, int stride, const double* packed, int begin, int end) {
  const Below below{packed, m - w, w};
  int j = begin;
  for (; j + 4 <= end; j += 4) take_off_columns<4>(front, below, stride, j);
  for (; j < end; ++j) take_off_columns<1>(front, below, stride, j);
}

// L1^-1 by columns, w x w, ones on the diagonal.
inline void invert_corner(const double* front, int w, int64_t stride, double* inverse) {
  for (int k = 0; k < w; ++k) {
    double* column = inverse + int64_t{k} * w;
    std::fill(column, column + k, 0.0);
    column[k] = 1;
    for (int i = k + 1; i < w; ++i) column[i] = -front[k * stride + i];
    for (int j = k + 1; j < w; ++j) add_scaled(-column[j], front + j * stride + j + 1, w - j - 1, column + j + 1);
  }
}

// Columns k .. of L2 L1^-1 in L2's place.
template <int kColumns>
inline void multiply_by_inverse(double* front, const Below& below, int64_t stride, const double* inverse, int k) {
  const int w = below.columns;
  double b[kWidest * kColumns];
  for (int j = k; j < w; ++j)
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) b[(j - k) * kColumns + c] = inverse[int64_t{k + c} * w + j];
  multiply_below<Give::kPut, kColumns>(below, 0, k, b, front + k * stride + w, stride);
}

// A group of `count` rows of `columns` columns of M; `at(row, column)` gives its numbers.
template <typename At>
inline Real* pack_group(int first, int count, int rows, int columns, Real* packed, At at) {
  for (int k = 0; k < columns; ++k)
    for (int i = first; i < first + count; ++i) *packed++ = i < rows ? static_cast<Real>(at(i, k)) : Real(0);
  return packed;
}

void pack(double* front, int m, int w, int stride, const double* below, double* inverse, Real* packed) {
  invert_corner(front, w, stride, inverse);
  const Below rows{below, m - w, w};
  int column = 0;
  for (; column + 4 <= w; column += 4) multiply_by_inverse<4>(front, rows, stride, inverse, column);
  for (; column < w; ++column) multiply_by_inverse<1>(front, rows, stride, inverse, column);
  const auto corner = [&](int i, int k) { return i > k ? inverse[int64_t{k} * w + i] : 0.0; };
  const auto lower = [&](int i, int k) { return -front[int64_t{k} * stride + w + i]; };
  const int r = m - w;
  for (int i = 0; i < padded(w); i += 2 * kLanes) {
    const int count = std::min(2 * kLanes, padded(w) - i);
    packed = pack_group(i, count, w, std::min(w, i + count), packed, corner);
  }
  for (int i = 0; i < padded(r); i += 2 * kLanes)
    packed = pack_group(i, std::min(2 * kLanes, padded(r) - i), r, w, packed, lower);
}

}  // namespace
}  // namespace tryon::sim::panels
