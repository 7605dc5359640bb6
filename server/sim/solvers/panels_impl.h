// The solves of panels.h, compiled by panels_baseline.cc and panels_avx2.cc. Blocks of four rows or columns keep four
// independent sums in registers.
#pragma once

#include "server/sim/solvers/panels.h"

namespace tryon::sim::panels {
namespace {

typedef Real V4 __attribute__((vector_size(4 * sizeof(Real)), may_alias));

inline void forward_block(const Panel& p, const Real* d, V4* x) {
  for (int k = 1; k < p.width; ++k) {
    V4 sum = x[k];
    for (int m = 0; m < k; ++m) sum -= d[k * p.width + m] * x[m];
    x[k] = sum;
  }
}

inline void backward_block(const Panel& p, const Real* d, V4* x) {
  for (int k = p.width - 1; k > 0; --k)
    for (int m = 0; m < k; ++m) x[m] -= d[k * p.width + m] * x[k];
}

inline void forward_rows(const Panel& p, const Real* b, const int* row, int count, const V4* own, V4* x) {
  const int w = p.width;
  int i = 0;
  for (; i + 4 <= count; i += 4, b += 4 * w) {
    V4 s0 = b[0] * own[0], s1 = b[w] * own[0], s2 = b[2 * w] * own[0], s3 = b[3 * w] * own[0];
    for (int k = 1; k < w; ++k) {
      const V4 v = own[k];
      s0 += b[k] * v;
      s1 += b[w + k] * v;
      s2 += b[2 * w + k] * v;
      s3 += b[3 * w + k] * v;
    }
    x[row[i]] -= s0;
    x[row[i + 1]] -= s1;
    x[row[i + 2]] -= s2;
    x[row[i + 3]] -= s3;
  }
  for (; i < count; ++i, b += w) {
    V4 s = b[0] * own[0];
    for (int k = 1; k < w; ++k) s += b[k] * own[k];
    x[row[i]] -= s;
  }
}

template <int kColumns>
inline void backward_columns(const Real* b, int w, const int* row, int count, const V4* x, V4* own) {
  V4 sum[kColumns];
  for (int k = 0; k < kColumns; ++k) sum[k] = own[k];
  for (int i = 0; i < count; ++i, b += w) {
    const V4 v = x[row[i]];
    for (int k = 0; k < kColumns; ++k) sum[k] -= b[k] * v;
  }
  for (int k = 0; k < kColumns; ++k) own[k] = sum[k];
}

inline void backward_rows(const Panel& p, const Real* b, const int* row, int count, const V4* x, V4* own) {
  int k = 0;
  for (; k + 6 <= p.width; k += 6) backward_columns<6>(b + k, p.width, row, count, x, own + k);
  switch (p.width - k) {
    case 5:
      return backward_columns<5>(b + k, p.width, row, count, x, own + k);
    case 4:
      return backward_columns<4>(b + k, p.width, row, count, x, own + k);
    case 3:
      return backward_columns<3>(b + k, p.width, row, count, x, own + k);
    case 2:
      return backward_columns<2>(b + k, p.width, row, count, x, own + k);
    case 1:
      return backward_columns<1>(b + k, p.width, row, count, x, own + k);
    default:
      return;
  }
}

void solve(const View& f, Lane* lanes) {
  V4* x = reinterpret_cast<V4*>(lanes);
  for (int s = 0; s < f.count; ++s) {
    const Panel& p = f.panel[s];
    const Real* d = f.value + p.value;
    forward_block(p, d, x + p.first);
    forward_rows(p, d + p.width * p.width, f.row + p.rows_begin, static_cast<int>(p.rows_end - p.rows_begin),
                 x + p.first, x);
  }
  for (int s = f.count - 1; s >= 0; --s) {
    const Panel& p = f.panel[s];
    const Real* d = f.value + p.value;
    V4* own = x + p.first;
    for (int k = 0; k < p.width; ++k) own[k] *= f.inverse_pivot[p.first + k];
    backward_rows(p, d + p.width * p.width, f.row + p.rows_begin, static_cast<int>(p.rows_end - p.rows_begin), x, own);
    backward_block(p, d, own);
  }
}

}  // namespace
}  // namespace tryon::sim::panels
