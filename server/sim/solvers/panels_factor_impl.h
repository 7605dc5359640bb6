// The factor of panels.h, compiled by panels_baseline.cc, panels_avx2.cc and panels_avx512.cc. Every number is a sum of
// fused multiply-adds in the order of the columns, however the work is cut: any tiles, any processor, the same bytes.
#pragma once

#include <algorithm>
#include <cmath>

#include "server/sim/solvers/panels.h"

namespace tryon::sim::panels {
namespace {

constexpr int kTogether = kRowsBelow;
constexpr int kAtOnce = 8;  // columns that are eliminated one by one before the rest of a panel hears of them
typedef double D4 __attribute__((vector_size(32)));
#ifdef TRYON_PANELS_AVX512
typedef double D8 __attribute__((vector_size(64)));
using Widest = D8;
#else
using Widest = D4;
#endif
constexpr int kLanesOfWidest = sizeof(Widest) / sizeof(double);
constexpr int kVectorsOfTile = 3;

inline double fused(double a, double b, double sum) { return std::fma(a, b, sum); }

inline D4 fused(const D4& a, double b, const D4& sum) {
#if defined(__FMA__) && !defined(__clang__)
  return __builtin_ia32_vfmaddpd256(a, D4{b, b, b, b}, sum);
#else
  return D4{fused(a[0], b, sum[0]), fused(a[1], b, sum[1]), fused(a[2], b, sum[2]), fused(a[3], b, sum[3])};
#endif
}

#ifdef TRYON_PANELS_AVX512
inline D8 fused(const D8& a, double b, const D8& sum) { return _mm512_fmadd_pd(a, _mm512_set1_pd(b), sum); }
#endif

template <typename V>
inline V load(const double* at) {
  V v;
  __builtin_memcpy(&v, at, sizeof v);
  return v;
}
template <typename V>
inline void store(const V& v, double* at) {
  __builtin_memcpy(at, &v, sizeof v);
}

inline void add_scaled(double factor, const double* from, int count, double* to) {
  int i = 0;
  for (; i + kLanesOfWidest <= count; i += kLanesOfWidest)
    store<Widest>(fused(load<Widest>(from + i), factor, load<Widest>(to + i)), to + i);
  for (; i < count; ++i) to[i] = fused(from[i], factor, to[i]);
}

// What becomes of a sum of products: taken off the front, or put in its place.
enum class Give { kTakeOff, kPut };

template <Give kGive, typename V>
inline void give(const V& sum, double* to) {
  store<V>(kGive == Give::kTakeOff ? load<V>(to) - sum : sum, to);
}

// out[i, c] from sum_k l[k][i] b[k][c] for the rows of kVectors vectors: kVectors x kColumns sums in registers. The
// rows of l lie `next` apart from column to column, those of out `stride`.
template <Give kGive, int kColumns, typename V, int kVectors>
inline void multiply_tile(const double* l, int64_t next, int w, const double* b, double* out, int64_t stride) {
  constexpr int kLanes = sizeof(V) / sizeof(double);
  V sum[kColumns * kVectors] = {};
  for (int k = 0; k < w; ++k, l += next, b += kColumns) {
    V from[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) from[v] = load<V>(l + kLanes * v);
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[c * kVectors + v] = fused(from[v], b[c], sum[c * kVectors + v]);
  }
#pragma GCC unroll 4
  for (int c = 0; c < kColumns; ++c)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) give<kGive>(sum[c * kVectors + v], out + c * stride + kLanes * v);
}

// The same for any number of rows.
template <Give kGive, int kColumns>
inline void multiply_rows(const double* l, int64_t next, int w, const double* b, int count, double* out,
                          int64_t stride) {
  constexpr int kTile = kVectorsOfTile * kLanesOfWidest;
  int i = 0;
  for (; i + kTile <= count; i += kTile)
    multiply_tile<kGive, kColumns, Widest, kVectorsOfTile>(l + i, next, w, b, out + i, stride);
  for (; i + kLanesOfWidest <= count; i += kLanesOfWidest)
    multiply_tile<kGive, kColumns, Widest, 1>(l + i, next, w, b, out + i, stride);
  for (; i + 4 <= count; i += 4) multiply_tile<kGive, kColumns, D4, 1>(l + i, next, w, b, out + i, stride);
  for (; i < count; ++i) multiply_tile<kGive, kColumns, double, 1>(l + i, next, w, b, out + i, stride);
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
  const int w = m.columns - first;
  for (int i = from; i < m.rows;) {
    const int inside = i % kTogether, count = std::min(kTogether - inside, m.rows - i);
    const double* l = m.group(i - inside) + first * kTogether + inside;
    multiply_rows<kGive, kColumns>(l, kTogether, w, b, count, out + i, stride);
    i += count;
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
  multiply_rows<Give::kTakeOff, kColumns>(l + j, stride, w, b, m - j, out + j, stride);
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
  multiply_below<Give::kTakeOff, kColumns>(below, j / kLanesOfWidest * kLanesOfWidest, 0, b,
                                           front + (w + j) * stride + w, stride);
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
template <typename Value, typename At>
inline Value* pack_group(int first, int count, int rows, int columns, Value* packed, At at) {
  if (count == kGroup && first + kGroup <= rows) {
    for (int k = 0; k < columns; ++k, packed += kGroup)
#pragma GCC unroll 16
      for (int i = 0; i < kGroup; ++i) packed[i] = static_cast<Value>(at(first + i, k));
    return packed;
  }
  for (int k = 0; k < columns; ++k)
    for (int i = first; i < first + count; ++i) *packed++ = i < rows ? static_cast<Value>(at(i, k)) : Value(0);
  return packed;
}

template <typename Value>
void pack(double* front, int m, int w, int stride, const double* below, double* inverse, Value* packed) {
  invert_corner(front, w, stride, inverse);
  const Below rows{below, m - w, w};
  int column = 0;
  for (; column + 4 <= w; column += 4) multiply_by_inverse<4>(front, rows, stride, inverse, column);
  for (; column < w; ++column) multiply_by_inverse<1>(front, rows, stride, inverse, column);
  const auto lower = [&](int i, int k) { return -front[int64_t{k} * stride + i]; };
  const auto any = [&](int i, int k) { return i >= w ? lower(i, k) : i > k ? inverse[int64_t{k} * w + i] : 0.0; };
  int i = 0;
  for (; i < w; i += kGroup)
    packed = pack_group(i, std::min(kGroup, padded(m - i)), m, std::min(w, i + kGroup), packed, any);
  for (; i < m; i += kGroup) packed = pack_group(i, std::min(kGroup, padded(m - i)), m, w, packed, lower);
}

}  // namespace
}  // namespace tryon::sim::panels
