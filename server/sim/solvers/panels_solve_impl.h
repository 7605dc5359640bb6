// The solves of panels.h, compiled by panels_baseline.cc and panels_avx2.cc.
//
// A packed panel of width w: rows of M in pairs of vectors (kLanes rows each; one vector alone at the end), column by
// column, both vectors of a column side by side. Rows are those of the corner L1^-1, strictly lower, each vector with
// the columns it can reach, then those of -L2 L1^-1 with all of them; missing rows are zeros. One load of L serves x,
// y and z.
#pragma once

#include <algorithm>

#include "server/sim/solvers/panels.h"

namespace tryon::sim::panels {
namespace {

constexpr int kLanes = kRowsTogether;
constexpr int kAhead = 12288 / sizeof(Real);  // values ahead that are fetched: panels are too short to be foreseen
typedef Real V4 __attribute__((vector_size(4 * sizeof(Real)), may_alias));
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

void forward(const View& f, const int* which, int count, Lane* lanes) {
  V4* x = reinterpret_cast<V4*>(lanes);
  const Rows3 work{f.work, f.work_stride};
  for (int k = 0; k < count; ++k) {
    const Panel& p = f.panel[which[k]];
    panel_forward(p, f.value + p.value, f.row + p.rows_begin, work, x);
  }
}

void backward(const View& f, const int* which, int count, Lane* lanes) {
  V4* x = reinterpret_cast<V4*>(lanes);
  const Rows3 work{f.work, f.work_stride};
  for (int k = count - 1; k >= 0; --k) {
    const Panel& p = f.panel[which[k]];
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
    for (int c = 0; c < 4; ++c) add(c, k);
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
      for (int k = 0; k < kColumns; ++k) at[k][j] += reinterpret_cast<const Wide*>(b)[k * kVectors + j] * factor;
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
    const Panel& p = f.panel[which[k]];
    panel_forward_one(p, f.value + p.value, f.row + p.rows_begin, f.work, x);
  }
}

void backward_one(const View& f, const int* which, int count, Real* x) {
  for (int k = count - 1; k >= 0; --k) {
    const Panel& p = f.panel[which[k]];
    panel_backward_one(p, f.value + p.value, f.row + p.rows_begin, f.inverse_pivot + p.first, f.work, x);
  }
}

}  // namespace
}  // namespace tryon::sim::panels
