// The solves of panels.h for three right-hand sides with vectors of 512 bits, compiled by panels_avx512.cc where Real
// is double. Packed panels and sums with their order are those of panels_solve_impl.h: the same bytes. Here eight rows
// are one vector, what a panel adds to its rows never leaves the registers, and the corner comes last, from below, so
// that nothing of the panel's own rows need be kept aside.
#pragma once

#include <immintrin.h>

#include <algorithm>

#include "server/sim/solvers/panels.h"

namespace tryon::sim::panels {
namespace {

constexpr int kEight = 8;
constexpr int kTile = 3;      // groups of eight rows that are multiplied at once
constexpr int kAhead = 1536;  // values ahead that are fetched
typedef double V4 __attribute__((vector_size(32), may_alias));
typedef double V8 __attribute__((vector_size(64), may_alias));

inline V8 fused(const V8& a, const V8& b, const V8& sum) {
  return V8(_mm512_fmadd_pd(__m512d(a), __m512d(b), __m512d(sum)));
}
inline V8 all(double v) { return V8(_mm512_set1_pd(v)); }

template <bool kHalf>
inline V8 take(const double* b) {  // a column of a group; of half a group: zeros behind
  if constexpr (kHalf) return V8(_mm512_maskz_loadu_pd(0x0f, b));
  return *reinterpret_cast<const V8*>(b);
}

struct Axes {  // of eight rows
  V8 x, y, z;
};
struct Eight {
  V4 at[kEight];
};

// Where the rows of a panel are: its own columns, then those below.
struct Rows {
  V4 *own, *x;
  const int* row;
  int width;
  V4* at(int i) const { return i < width ? own + i : x + row[i - width]; }
};

inline __m512d both(const V4& low, const V4& high) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(__m256d(low)), __m256d(high), 1);
}
inline V4 first(const __m512d& v) { return V4(_mm512_castpd512_pd256(v)); }
inline V4 second(const __m512d& v) { return V4(_mm512_extractf64x4_pd(v, 1)); }

inline Axes to_axes(const V4& r0, const V4& r1, const V4& r2, const V4& r3, const V4& r4, const V4& r5, const V4& r6,
                    const V4& r7) {
  const __m512d a = both(r0, r2), b = both(r1, r3), c = both(r4, r6), d = both(r5, r7);
  const __m512d ab = _mm512_unpacklo_pd(a, b), cd = _mm512_unpacklo_pd(c, d);  // x x z z x x z z
  return {V8(_mm512_shuffle_f64x2(ab, cd, 0x88)),
          V8(_mm512_shuffle_f64x2(_mm512_unpackhi_pd(a, b), _mm512_unpackhi_pd(c, d), 0x88)),
          V8(_mm512_shuffle_f64x2(ab, cd, 0xdd))};
}

// The panel's rows i .. i + 7, zeros behind its last one.
inline Axes rest_to_axes(const Rows& rows, int i, int count) {
  V4 r[kEight] = {};
  for (int k = 0; k < std::min(count, kEight); ++k) r[k] = *rows.at(i + k);
  return to_axes(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]);
}

[[gnu::always_inline]] inline Eight to_rows(const V8* s) {
  const __m512d x = __m512d(s[0]), y = __m512d(s[1]), z = __m512d(s[2]), none = _mm512_setzero_pd();
  const __m512d xy_even = _mm512_unpacklo_pd(x, y), xy_odd = _mm512_unpackhi_pd(x, y);
  const __m512d z_even = _mm512_unpacklo_pd(z, none), z_odd = _mm512_unpackhi_pd(z, none);
  const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  const __m512d r02 = _mm512_permutex2var_pd(xy_even, low, z_even), r46 = _mm512_permutex2var_pd(xy_even, high, z_even);
  const __m512d r13 = _mm512_permutex2var_pd(xy_odd, low, z_odd), r57 = _mm512_permutex2var_pd(xy_odd, high, z_odd);
  return {first(r02), first(r13), second(r02), second(r13), first(r46), first(r57), second(r46), second(r57)};
}

// --- solve: out = M z -------------------------------------------------------------------------------------------

// s = M z of kGroups groups of rows that lie `apart`.
template <int kGroups, bool kHalf = false>
[[gnu::always_inline]] inline void multiply(const double* b, int64_t apart, int columns, const Lane* z, V8 (*s)[3]) {
  constexpr int kLanes = kHalf ? kEight / 2 : kEight;
  const double* const end = b + columns * kLanes;
  for (; b != end; ++z, b += kLanes) {
    const V8 zx = all(z->at[0]), zy = all(z->at[1]), zz = all(z->at[2]);
#pragma GCC unroll 4
    for (int g = 0; g < kGroups; ++g) {
      __builtin_prefetch(b + g * apart + kAhead);
      V8 m = take<kHalf>(b + g * apart);
      asm("" : "+v"(m));  // one load, not one for each axis
      s[g][0] = fused(m, zx, s[g][0]);
      s[g][1] = fused(m, zy, s[g][1]);
      s[g][2] = fused(m, zz, s[g][2]);
    }
  }
}

template <int kGroups>
[[gnu::always_inline]] inline void groups_forward(const double* b, int w, const Lane* z, V4* x, const int* row) {
  V8 s[kGroups][3] = {};
  multiply<kGroups>(b, int64_t{kEight} * w, w, z, s);
#pragma GCC unroll 4
  for (int g = 0; g < kGroups; ++g) {
    const Eight r = to_rows(s[g]);
#pragma GCC unroll 8
    for (int k = 0; k < kEight; ++k) x[row[g * kEight + k]] += r.at[k];
  }
}

// Any one group, of `count` rows, with the columns it can reach.
[[gnu::noinline]] void group_forward(const double* b, int columns, const Rows& rows, int i, int count) {
  const Lane* z = reinterpret_cast<const Lane*>(rows.own);
  V8 s[1][3] = {};
  if (count > kEight / 2) {
    multiply<1>(b, 0, columns, z, s);
  } else {
    multiply<1, true>(b, 0, columns, z, s);
  }
  const Eight r = to_rows(s[0]);
  if (i + kEight <= rows.width) {
#pragma GCC unroll 8
    for (int k = 0; k < kEight; ++k) rows.own[i + k] += r.at[k];
    return;
  }
#pragma GCC unroll 8
  for (int k = 0; k < kEight; ++k) {
    if (k == count) return;
    *rows.at(i + k) += r.at[k];
  }
}

inline void panel_forward(const Panel& p, const double* const b, const int* row, V4* x) {
  const int w = p.width, m = w + p.row_count(), corner = (w + kEight - 1) / kEight;
  const Rows rows{x + p.first, x, row, w};
  const Lane* z = reinterpret_cast<const Lane*>(rows.own);
  const auto corner_group = [b](int g) { return b + kEight * kEight / 2 * g * (g + 1); };
  int i = corner * kEight;
  const double* from = corner_group(corner - 1) + int64_t{kEight} * w;
  for (; i + kTile * kEight <= m; i += kTile * kEight, from += int64_t{kTile} * kEight * w)
    groups_forward<kTile>(from, w, z, x, row + (i - w));
  for (; i + kEight <= m; i += kEight, from += int64_t{kEight} * w) groups_forward<1>(from, w, z, x, row + (i - w));
  if (i < m) group_forward(from, w, rows, i, m - i);
  for (int g = corner - 1; g >= 0; --g)
    group_forward(corner_group(g), std::min(w, (g + 1) * kEight), rows, g * kEight, std::min(m - g * kEight, kEight));
}

// --- solve: x += M^T in ----------------------------------------------------------------------------------------

inline __m512d folded(const V8& v, const V8& w) {
  const __m512d a = __m512d(v), b = __m512d(w);
  return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x44), _mm512_shuffle_f64x2(a, b, 0xee));
}
inline __m512d paired(const __m512d& a, const __m512d& b) {
  return _mm512_add_pd(_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
}
inline __m512d crossed(const __m512d& a, const __m512d& b) {
  return _mm512_add_pd(_mm512_shuffle_f64x2(a, b, 0x88), _mm512_shuffle_f64x2(a, b, 0xdd));
}

struct TwoPairs {
  __m512d first, second;
};

// The sums over the lanes of four columns, as rows.
inline TwoPairs sums(const V8* x, const V8* y, const V8* z) {
  const __m512d z01 = folded(z[0], z[1]), z23 = folded(z[2], z[3]);
  const __m512d xy = crossed(paired(folded(x[0], x[1]), folded(y[0], y[1])),
                             paired(folded(x[2], x[3]), folded(y[2], y[3])));  // x0 y0 x1 y1 x2 y2 x3 y3
  const __m512d halves = paired(z01, z23), zz = crossed(halves, halves);       // z0 z2 z1 z3, twice
  const __m512i one = _mm512_setr_epi64(0, 1, 8, 0, 2, 3, 10, 0), two = _mm512_setr_epi64(4, 5, 9, 0, 6, 7, 11, 0);
  return {_mm512_maskz_permutex2var_pd(0x77, xy, one, zz), _mm512_maskz_permutex2var_pd(0x77, xy, two, zz)};
}

template <int kColumns, bool kHalf>
inline void add_group(const double* b, const Axes& in, V8* x, V8* y, V8* z) {
  constexpr int kLanes = kHalf ? kEight / 2 : kEight;
#pragma GCC unroll 4
  for (int k = 0; k < kColumns; ++k) {
    __builtin_prefetch(b + k * kLanes - kAhead);
    V8 m = take<kHalf>(b + k * kLanes);
    asm("" : "+v"(m));
    x[k] = fused(m, in.x, x[k]);
    y[k] = fused(m, in.y, y[k]);
    z[k] = fused(m, in.z, z[k]);
  }
}

// Columns k .. k + kColumns: own = own / D + M^T in; row i is the first that they reach, `b` its group.
template <int kColumns>
inline void columns_backward(const double* b, int w, int m, int k, int i, const Axes* in, const double* inverse_pivot,
                             V4* own) {
  V8 x[4] = {}, y[4] = {}, z[4] = {};
  for (; i + kEight / 2 < m; i += kEight, ++in) {
    add_group<kColumns, false>(b + k * kEight, *in, x, y, z);
    b += kEight * std::min(w, i + kEight);
  }
  if (i < m) add_group<kColumns, true>(b + k * kEight / 2, *in, x, y, z);
  const TwoPairs r = sums(x, y, z);
  own[k] = own[k] * inverse_pivot[k] + first(r.first);
  if constexpr (kColumns > 1) own[k + 1] = own[k + 1] * inverse_pivot[k + 1] + second(r.first);
  if constexpr (kColumns > 2) own[k + 2] = own[k + 2] * inverse_pivot[k + 2] + first(r.second);
  if constexpr (kColumns > 3) own[k + 3] = own[k + 3] * inverse_pivot[k + 3] + second(r.second);
}

// The panel's rows side by side, its own divided by D, zeros behind.
inline void gather(const Rows& rows, int m, const double* inverse_pivot, Axes* in) {
  const int w = rows.width;
  int i = 0;
  for (; i < w; i += kEight, ++in) {
    const bool whole = i + kEight <= w;
    const V4* r = rows.own + i;
    *in = whole ? to_axes(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7]) : rest_to_axes(rows, i, m - i);
    const __mmask8 mask = static_cast<__mmask8>(whole ? 0xff : (1 << (w - i)) - 1);
    const V8 by = V8(_mm512_mask_loadu_pd(_mm512_set1_pd(1), mask, inverse_pivot + i));
    in->x *= by, in->y *= by, in->z *= by;
  }
  const V4* x = rows.x;
  for (; i + kEight <= m; i += kEight, ++in) {
    const int* r = rows.row + (i - w);
    *in = to_axes(x[r[0]], x[r[1]], x[r[2]], x[r[3]], x[r[4]], x[r[5]], x[r[6]], x[r[7]]);
  }
  if (i < m) *in = rest_to_axes(rows, i, m - i);
}

inline void panel_backward(const Panel& p, const double* b, const int* row, const double* inverse_pivot, Axes* in,
                           V4* x) {
  const int w = p.width, m = w + p.row_count();
  const Rows rows{x + p.first, x, row, w};
  gather(rows, m, inverse_pivot, in);
  int k = 0, i = 0;
  for (; k + 4 <= w; k += 4) {
    columns_backward<4>(b, w, m, k, i, in, inverse_pivot, rows.own);
    if (k + 4 == i + kEight) i += kEight, b += kEight * i, ++in;
  }
  if (w - k == 3) columns_backward<3>(b, w, m, k, i, in, inverse_pivot, rows.own);
  if (w - k == 2) columns_backward<2>(b, w, m, k, i, in, inverse_pivot, rows.own);
  if (w - k == 1) columns_backward<1>(b, w, m, k, i, in, inverse_pivot, rows.own);
}

void forward(const View<Real>& f, const int* which, int count, Lane* lanes) {
  V4* x = reinterpret_cast<V4*>(lanes);
  for (int k = 0; k < count; ++k) {
    const Panel& p = f.panel[which[k]];
    panel_forward(p, reinterpret_cast<const double*>(f.value + p.value), f.row + p.rows_begin, x);
  }
}

void backward(const View<Real>& f, const int* which, int count, Lane* lanes) {
  V4* x = reinterpret_cast<V4*>(lanes);
  Axes* in = reinterpret_cast<Axes*>(f.work);
  for (int k = count - 1; k >= 0; --k) {
    const Panel& p = f.panel[which[k]];
    panel_backward(p, reinterpret_cast<const double*>(f.value + p.value), f.row + p.rows_begin,
                   reinterpret_cast<const double*>(f.inverse_pivot + p.first), in, x);
  }
}

}  // namespace
}  // namespace tryon::sim::panels
