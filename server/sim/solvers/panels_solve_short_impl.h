// The solves of panels.h for three right-hand sides by a factor kept short, compiled by panels_baseline.cc and
// panels_avx2.cc: eight rows of float are a vector, and one load of them serves x, y and z. Packed panels: see
// panels_solve_impl.h.
#pragma once

#include <algorithm>

#include "server/sim/solvers/panels_solve_one_impl.h"

namespace tryon::sim::panels {
namespace {

constexpr int kAheadShort = 4096;                   // values
constexpr int kEights = kVectorsOf<kGroup, Short>;  // vectors of a group's rows
using EightRows = Eight[kEights][3];                // x, y, z of a group's rows

using ShortRows = RowsOf<float>;

// In registers: what the compiler makes of {} goes through memory.
[[gnu::always_inline]] inline void clear(Eight* s, int count) {
#pragma GCC unroll 12
  for (int k = 0; k < count; ++k) s[k] = Eight{};
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
    transpose<float>(part(0), part(1), part(2), Four{}, r, r + 1, r + 2, r + 3);
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
    Four rest;
    transpose<float>(r[0], r[1], r[2], r[3], part(0), part(1), part(2), &rest);
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
    transpose<float>(folded(0), folded(1), folded(2), Four{}, r, r + 1, r + 2, r + 3);
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
