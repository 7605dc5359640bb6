// The factor of panels.h, compiled by panels_baseline.cc, panels_avx2.cc and panels_avx512.cc, for fronts of double and
// of float. Every number is a sum of fused multiply-adds in the order of the columns, however the work is cut: any
// tiles, any processor, the same bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "server/sim/solvers/panels.h"

namespace tryon::sim::panels {
namespace {

constexpr int kTogether = kRowsBelow;
constexpr int kAtOnce = 8;  // columns that are eliminated one by one before the rest of a panel hears of them
constexpr int kVectorsOfTile = 3;
constexpr float kMostShares = 32767;  // of a column's scale, in Short

// A build's vectors: multiply-add, and the first numbers of one.
#ifdef TRYON_PANELS_AVX512
constexpr int kVectorBytes = 64;
#else
constexpr int kVectorBytes = 32;
#endif
typedef double Doubles __attribute__((vector_size(kVectorBytes)));
typedef float Floats __attribute__((vector_size(kVectorBytes)));
template <typename Number>
using VectorOf = std::conditional_t<std::is_same_v<Number, double>, Doubles, Floats>;
template <typename Number>
constexpr int kNumbersOf = kVectorBytes / sizeof(Number);

#if defined(TRYON_PANELS_AVX512)
inline Doubles fused(const Doubles& a, double b, const Doubles& sum) {
  return Doubles(_mm512_fmadd_pd(a, _mm512_set1_pd(b), sum));
}
inline Floats fused(const Floats& a, float b, const Floats& sum) {
  return Floats(_mm512_fmadd_ps(a, _mm512_set1_ps(b), sum));
}
inline uint32_t leading(int count) { return (1u << count) - 1; }
inline Doubles load_first(int count, const double* at) {
  return Doubles(_mm512_maskz_loadu_pd(static_cast<__mmask8>(leading(count)), at));
}
inline Floats load_first(int count, const float* at) {
  return Floats(_mm512_maskz_loadu_ps(static_cast<__mmask16>(leading(count)), at));
}
inline void store_first(int count, const Doubles& v, double* at) {
  _mm512_mask_storeu_pd(at, static_cast<__mmask8>(leading(count)), v);
}
inline void store_first(int count, const Floats& v, float* at) {
  _mm512_mask_storeu_ps(at, static_cast<__mmask16>(leading(count)), v);
}
#elif defined(TRYON_PANELS_FMA)
inline Doubles fused(const Doubles& a, double b, const Doubles& sum) {
  return Doubles(_mm256_fmadd_pd(a, _mm256_set1_pd(b), sum));
}
inline Floats fused(const Floats& a, float b, const Floats& sum) {
  return Floats(_mm256_fmadd_ps(a, _mm256_set1_ps(b), sum));
}
alignas(64) constexpr int32_t kLeading[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
inline __m256i leading(int words) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(kLeading + 8 - words)); }
inline Doubles load_first(int count, const double* at) { return Doubles(_mm256_maskload_pd(at, leading(2 * count))); }
inline Floats load_first(int count, const float* at) { return Floats(_mm256_maskload_ps(at, leading(count))); }
#else
template <typename V, typename Number>
inline V fused(const V& a, Number b, const V& sum) {
  V out;
  for (int i = 0; i < kNumbersOf<Number>; ++i) out[i] = std::fma(a[i], b, sum[i]);
  return out;
}
template <typename Number>
inline VectorOf<Number> load_first(int count, const Number* at) {
  VectorOf<Number> v = {};
  for (int i = 0; i < count; ++i) v[i] = at[i];
  return v;
}
#endif
#ifndef TRYON_PANELS_AVX512  // elsewhere stores by a mask are slow
template <typename Number>
inline void store_first(int count, const VectorOf<Number>& v, Number* at) {
  for (int i = 0; i < count; ++i) at[i] = v[i];
}
#endif

// How much of a vector there is: all of it, or its first numbers.
template <typename Number>
struct Whole {
  static VectorOf<Number> load(const Number* at) {
    VectorOf<Number> v;
    __builtin_memcpy(&v, at, sizeof v);
    return v;
  }
  static void store(const VectorOf<Number>& v, Number* at) { __builtin_memcpy(at, &v, sizeof v); }
};
template <typename Number>
struct Part {
  const int count;
  VectorOf<Number> load(const Number* at) const { return load_first(count, at); }
  void store(const VectorOf<Number>& v, Number* at) const { store_first(count, v, at); }
};

// each(extent, i) for the vector from number i on, so many numbers in all.
template <typename Number, typename Each>
[[gnu::always_inline]] inline void by_vectors(int count, Each each) {
  constexpr int kStep = kNumbersOf<Number>;
  int i = 0;
  for (; i + kStep <= count; i += kStep) each(Whole<Number>(), i);
  if (i < count) each(Part<Number>{count - i}, i);
}

template <typename Number>
inline void add_scaled(Number factor, const Number* from, int count, Number* to) {
  by_vectors<Number>(count, [=](const auto& extent, int i) {
    extent.store(fused(extent.load(from + i), factor, extent.load(to + i)), to + i);
  });
}

template <typename Number>
inline void add(const Number* from, int count, Number* to) {
  by_vectors<Number>(
      count, [=](const auto& extent, int i) { extent.store(extent.load(to + i) + extent.load(from + i), to + i); });
}

template <typename Number>
inline void scale(Number factor, int count, Number* of) {
  by_vectors<Number>(count, [=](const auto& extent, int i) { extent.store(extent.load(of + i) * factor, of + i); });
}

template <typename Number>
inline void negate(const Number* from, int count, Number* to) {
  by_vectors<Number>(count, [=](const auto& extent, int i) { extent.store(-extent.load(from + i), to + i); });
}

template <typename Number, int kCount>
struct Several {
  typedef Number Type __attribute__((vector_size(kCount * sizeof(Number))));
};

template <int kCount, typename Number>
inline Number largest_of(const typename Several<Number, kCount>::Type& v) {
  if constexpr (kCount == 1) {
    return v[0];
  } else {
    typename Several<Number, kCount / 2>::Type half[2];
    __builtin_memcpy(half, &v, sizeof half);
    return largest_of<kCount / 2, Number>(half[0] < half[1] ? half[1] : half[0]);
  }
}

// What becomes of a sum of products: taken off the front, or put in its place.
enum class Give { kTakeOff, kPut };

template <Give kGive, typename V, typename Number, typename Extent>
inline void give(const V& sum, const Extent& extent, Number* to) {
  extent.store(kGive == Give::kTakeOff ? extent.load(to) - sum : sum, to);
}

// out[i, c] from sum_k l[k][i] b[k][c] for the rows of kVectors vectors, the last of which is what `last` says:
// kVectors x kColumns sums in registers. The rows of l lie `next` apart from column to column, those of out `stride`.
template <Give kGive, int kColumns, int kVectors, typename Number, typename Last>
inline void multiply_tile(const Number* l, int64_t next, int w, const Number* b, Number* out, int64_t stride,
                          const Last& last) {
  using V = VectorOf<Number>;
  constexpr int kStep = kNumbersOf<Number>, kEnd = (kVectors - 1) * kStep;
  V sum[kColumns * kVectors] = {};
  for (int k = 0; k < w; ++k, l += next, b += kColumns) {
    V from[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v + 1 < kVectors; ++v) from[v] = Whole<Number>::load(l + kStep * v);
    from[kVectors - 1] = last.load(l + kEnd);
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[c * kVectors + v] = fused(from[v], b[c], sum[c * kVectors + v]);
  }
#pragma GCC unroll 4
  for (int c = 0; c < kColumns; ++c, out += stride) {
#pragma GCC unroll 4
    for (int v = 0; v + 1 < kVectors; ++v) give<kGive>(sum[c * kVectors + v], Whole<Number>(), out + kStep * v);
    give<kGive>(sum[c * kVectors + kVectors - 1], last, out + kEnd);
  }
}

// The same for any number of rows.
template <Give kGive, int kColumns, typename Number>
inline void multiply_rows(const Number* l, int64_t next, int w, const Number* b, int count, Number* out,
                          int64_t stride) {
  constexpr int kStep = kNumbersOf<Number>, kTile = kVectorsOfTile * kStep;
  const Whole<Number> whole;
  for (; count >= kTile; count -= kTile, l += kTile, out += kTile)
    multiply_tile<kGive, kColumns, kVectorsOfTile>(l, next, w, b, out, stride, whole);
  if (count >= 2 * kStep) {
    multiply_tile<kGive, kColumns, 2>(l, next, w, b, out, stride, whole);
    count -= 2 * kStep, l += 2 * kStep, out += 2 * kStep;
  } else if (count >= kStep) {
    multiply_tile<kGive, kColumns, 1>(l, next, w, b, out, stride, whole);
    count -= kStep, l += kStep, out += kStep;
  }
  if (count > 0) multiply_tile<kGive, kColumns, 1>(l, next, w, b, out, stride, Part<Number>{count});
}

// The rows below an eliminated corner, kTogether side by side, column by column.
template <typename Number>
struct Below {
  const Number* packed;
  int rows, columns;
  const Number* group(int i) const { return packed + int64_t{i} * columns; }  // of rows i .., a multiple of kTogether
};

// Rows i .. of M b, to the end of their group, for kColumns columns, from the column `first` of M on; how many they
// are.
template <Give kGive, int kColumns, typename Number>
inline int multiply_group(const Below<Number>& m, int i, int first, const Number* b, Number* out, int64_t stride) {
  const int inside = i % kTogether, count = std::min(kTogether - inside, m.rows - i);
  const Number* l = m.group(i - inside) + first * kTogether + inside;
  multiply_rows<kGive, kColumns>(l, kTogether, m.columns - first, b, count, out + i, stride);
  return count;
}

// All rows from .. of it.
template <Give kGive, int kColumns, typename Number>
inline void multiply_below(const Below<Number>& m, int from, int first, const Number* b, Number* out, int64_t stride) {
  for (int i = from; i < m.rows;) i += multiply_group<kGive, kColumns>(m, i, first, b, out, stride);
}

// Columns j .. j + kColumns of the corner and what is below them, less what the columns first .. first + w do there.
template <int kColumns, typename Number>
inline void take_off_corner(Number* front, int m, int64_t stride, int first, int w, int j) {
  Number b[kAtOnce * kColumns];
  for (int k = 0; k < w; ++k)
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c)
      b[k * kColumns + c] = front[(first + k) * stride + first + k] * front[(first + k) * stride + j + c];
  const Number* l = front + first * stride;
  Number* out = front + j * stride;
  multiply_rows<Give::kTakeOff, kColumns>(l + j, stride, w, b, m - j, out + j, stride);
}

// D and L of the columns first .. first + w, each taken off the next.
template <typename Number>
inline int eliminate_columns(Number* front, int m, int64_t stride, int first, int w) {
  for (int k = first; k < first + w; ++k) {
    Number* column = front + k * stride;
    const Number pivot = column[k];
    if (!(pivot > 0)) return k;
    const Number inverse = 1 / pivot;
    scale(inverse, m - k - 1, column + k + 1);
    for (int j = k + 1; j < first + w; ++j) add_scaled(-pivot * column[j], column + j, m - j, front + j * stride + j);
  }
  return -1;
}

template <typename Number>
inline void pack_below(const Number* front, int m, int w, int64_t stride, Number* packed) {
  int i = w;
  for (; i + kTogether <= m; i += kTogether)  // as many bytes as the compiler knows: no call
    for (int k = 0; k < w; ++k, packed += kTogether)
      __builtin_memcpy(packed, front + k * stride + i, kTogether * sizeof(Number));
  const int left = m - i;
  for (int k = 0; left > 0 && k < w; ++k, packed += kTogether) {
    std::copy_n(front + k * stride + i, left, packed);
    std::fill(packed + left, packed + kTogether, Number(0));
  }
}

template <typename Number>
int eliminate(Number* front, int m, int w, int stride, Number* below) {
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

// Columns j .. of D L^T, kColumns numbers a row of it.
template <int kColumns, typename Number>
inline void scaled_columns(const Number* front, int w, int64_t stride, int j, Number* b) {
  for (int k = 0; k < w; ++k)
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) b[k * kColumns + c] = front[k * stride + k] * front[k * stride + w + j + c];
}

// kStrips times four columns: a group of rows meets all of them while it is in the first cache.
constexpr int kStrips = 8;
template <typename Number>
inline void take_off_strips(Number* front, const Below<Number>& below, int64_t stride, int j, int strips) {
  const int w = below.columns;
  Number b[kStrips][kWidest * 4];
  for (int s = 0; s < strips; ++s) scaled_columns<4>(front, w, stride, j + 4 * s, b[s]);
  const auto first_row = [j](int s) { return (j + 4 * s) / kNumbersOf<Number> * kNumbersOf<Number>; };
  for (int group = j / kTogether * kTogether; group < below.rows; group += kTogether)
    for (int s = 0; s < strips; ++s)
      if (const int i = std::max(group, first_row(s)); i < std::min(group + kTogether, below.rows))
        multiply_group<Give::kTakeOff, 4>(below, i, 0, b[s], front + (w + j + 4 * s) * stride + w, stride);
}

template <typename Number>
void take_off(Number* front, int m, int w, int stride, const Number* packed, int begin, int end) {
  const Below<Number> below{packed, m - w, w};
  int j = begin;
  for (int strips = 0; j + 4 <= end; j += 4 * strips)
    take_off_strips(front, below, stride, j, strips = std::min(kStrips, (end - j) / 4));
  for (; j < end; ++j) {
    Number b[kWidest];
    scaled_columns<1>(front, w, stride, j, b);
    const int from = j / kNumbersOf<Number> * kNumbersOf<Number>;
    multiply_below<Give::kTakeOff, 1>(below, from, 0, b, front + (w + j) * stride + w, int64_t{stride});
  }
}

// L1^-1 by columns, w x w, ones on the diagonal. What column j of L1 does to all columns before it is one loop: a
// column on its own would wait for each of its numbers in turn.
template <typename Number>
inline void invert_corner(const Number* front, int w, int64_t stride, Number* inverse) {
  for (int k = 0; k < w; ++k) {
    Number* column = inverse + int64_t{k} * w;
    std::fill(column, column + k, Number(0));
    column[k] = 1;
    negate(front + k * stride + k + 1, w - k - 1, column + k + 1);
  }
  for (int j = 1; j + 1 < w; ++j) {
    const Number* below = front + j * stride + j + 1;
    for (int k = 0; k < j; ++k) {
      Number* column = inverse + int64_t{k} * w + j;
      add_scaled(-column[0], below, w - j - 1, column + 1);
    }
  }
}

// Columns k .. of L2 L1^-1 in L2's place.
template <int kColumns, typename Number>
inline void multiply_by_inverse(Number* front, const Below<Number>& below, int64_t stride, const Number* inverse,
                                int k) {
  const int w = below.columns;
  Number b[kWidest * kColumns];
  for (int j = k; j < w; ++j)
#pragma GCC unroll 4
    for (int c = 0; c < kColumns; ++c) b[(j - k) * kColumns + c] = inverse[int64_t{k + c} * w + j];
  multiply_below<Give::kPut, kColumns>(below, 0, k, b, front + k * stride + w, stride);
}

// -M of an eliminated panel in the front's columns, zeros on and above the diagonal.
template <typename Number>
inline void find_panel(Number* front, int m, int w, int stride, const Number* below, Number* inverse) {
  invert_corner(front, w, stride, inverse);
  const Below<Number> rows{below, m - w, w};
  int column = 0;
  for (; column + 4 <= w; column += 4) multiply_by_inverse<4>(front, rows, stride, inverse, column);
  for (; column < w; ++column) multiply_by_inverse<1>(front, rows, stride, inverse, column);
  for (int k = 0; k < w; ++k) {
    Number* own = front + int64_t{k} * stride;
    std::fill_n(own, k + 1, Number(0));
    negate(inverse + int64_t{k} * w + k + 1, w - k - 1, own + k + 1);
  }
}

// The groups of M; what is left of the last one behind its rows is zeros. keep(rows, from, k, to) turns as many numbers
// of column k of -M into those of M as they are kept.
template <typename Number, typename Value, typename Keep>
inline void pack_groups(const Number* front, int m, int w, int stride, Value* packed, Keep keep) {
  constexpr std::integral_constant<int, kGroup> kAll;
  constexpr std::integral_constant<int, kRowsTogether> kHalf;
  const auto group = [&](auto rows, const Number* from, int64_t next, int columns) {
    for (int k = 0; k < columns; ++k, from += next, packed += rows) keep(rows, from, k, packed);
  };
  int i = 0;
  for (; i + kGroup <= m; i += kGroup) group(kAll, front + i, stride, std::min(w, i + kGroup));
  if (i == m) return;
  Number last[kWidest * kGroup] = {};
  const int rows = padded(m - i), columns = std::min(w, i + kGroup);
  for (int k = 0; k < columns; ++k) std::copy_n(front + int64_t{k} * stride + i, m - i, last + k * rows);
  rows == kGroup ? group(kAll, last, rows, columns) : group(kHalf, last, rows, columns);
}

template <int kRows, typename Number>
inline void keep_whole(const Number* from, Real* to) {
  typename Several<Number, kRows>::Type v;
  __builtin_memcpy(&v, from, sizeof v);
  const typename Several<Real, kRows>::Type kept = __builtin_convertvector(-v, typename Several<Real, kRows>::Type);
  __builtin_memcpy(to, &kept, sizeof kept);
}

template <typename Number>
void pack(Number* front, int m, int w, int stride, const Number* below, Number* inverse, Real* packed) {
  find_panel(front, m, w, stride, below, inverse);
  pack_groups(front, m, w, stride, packed,
              [](auto rows, const Number* from, int, Real* to) { keep_whole<decltype(rows)::value>(from, to); });
}

// The largest of so many, but for its sign.
template <typename Number>
inline float largest(const Number* of, int count) {
  using V = VectorOf<Number>;
  V most = {};
  by_vectors<Number>(count, [of, &most](const auto& extent, int i) {
    const V v = extent.load(of + i), size = v < 0 ? -v : v;
    most = most < size ? size : most;
  });
  return static_cast<float>(largest_of<kNumbersOf<Number>, Number>(most));
}

// What is added to a float so that its last bits are the nearest whole number: it leaves no room for a fraction.
constexpr float kNoFraction = 12582912;  // 1.5 * 2^23
constexpr int32_t kNoFractionBits = std::bit_cast<int32_t>(kNoFraction);

// Of each number the nearest whole number of shares.
template <int kRows, typename Number>
inline void keep_short(const Number* from, float shares, Short* to) {
  using Bits = typename Several<int32_t, kRows>::Type;
  typename Several<Number, kRows>::Type v;
  __builtin_memcpy(&v, from, sizeof v);
  const auto share = __builtin_convertvector(v, typename Several<float, kRows>::Type) * shares + kNoFraction;
  const Bits bits = Bits(share) - kNoFractionBits;
  const auto kept = __builtin_convertvector(bits, typename Several<Short, kRows>::Type);
  __builtin_memcpy(to, &kept, sizeof kept);
}

template <typename Number>
void pack_short(Number* front, int m, int w, int stride, const Number* below, Number* inverse, Short* packed,
                float* scale) {
  find_panel(front, m, w, stride, below, inverse);
  float shares[kWidest];
  for (int k = 0; k < w; ++k) {
    const float most = largest(front + int64_t{k} * stride, m);
    scale[k] = most / kMostShares;
    shares[k] = most > 0 ? -kMostShares / most : 0;
  }
  pack_groups(front, m, w, stride, packed, [&shares](auto rows, const Number* from, int k, Short* to) {
    keep_short<decltype(rows)::value>(from, shares[k], to);
  });
}

template <typename Number>
void take_up(const Number* update, const int* place, int rows, int* run_end, Number* front, int stride) {
  for (int i = rows; i-- > 0;) run_end[i] = i + 1 < rows && place[i + 1] == place[i] + 1 ? run_end[i + 1] : i + 1;
  for (int j = 0; j < rows; ++j)
    for (int i = j; i < rows; i = run_end[i]) {
      add(update, run_end[i] - i, front + int64_t{place[j]} * stride + place[i]);
      update += run_end[i] - i;
    }
}

template <typename Number>
constexpr Elimination<Number> elimination() {
  return {take_up<Number>, eliminate<Number>, take_off<Number>, pack_short<Number>};
}

}  // namespace
}  // namespace tryon::sim::panels
