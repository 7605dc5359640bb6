// The loops of pairs.h, compiled by pairs_baseline.cc and pairs_avx2.cc. Sums over i: one for each i modulo kAtOnce,
// then of these in pairs, then what is left of the array.
#pragma once

#include "server/sim/solvers/pairs.h"

namespace tryon::sim::pairs {
namespace {

constexpr int kLanes = 32 / int{sizeof(Real)}, kVectors = 4, kAtOnce = kVectors * kLanes;
typedef Real Numbers __attribute__((vector_size(kLanes * sizeof(Real))));

[[gnu::always_inline]] inline Numbers load(const Real* at) {
  Numbers v;
  __builtin_memcpy(&v, at, sizeof v);
  return v;
}

[[gnu::always_inline]] inline void store(const Numbers& v, Real* at) { __builtin_memcpy(at, &v, sizeof v); }

// Of up to three products at once: out[k] = a[k] b[k].
template <int kCount>
inline void products_of(const Real* const* a, const Real* const* b, int n, double* out) {
  Numbers sums[kCount][kVectors] = {};
  int i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce)
#pragma GCC unroll 3
    for (int k = 0; k < kCount; ++k)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[k][v] += load(a[k] + i + v * kLanes) * load(b[k] + i + v * kLanes);
  for (int k = 0; k < kCount; ++k) {
    const Numbers all = (sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3]);
    double sum = 0;
    for (int lane = 0; lane < kLanes; ++lane) sum += static_cast<double>(all[lane]);
    for (int rest = i; rest < n; ++rest) sum += static_cast<double>(a[k][rest] * b[k][rest]);
    out[k] = sum;
  }
}

void products(const Real* const* of, int count, const Real* with, int n, double* out) {
  for (int k = 0; k < count; ++k) products_of<1>(of + k, &with, n, out + k);
}

void add(const Real* const* of, const Real* factor, int count, int n, Real* to) {
  int i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce) {
    Numbers sums[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[v] = load(to + i + v * kLanes);
    for (int k = 0; k < count; ++k) {
      const Numbers by = factor[k] - Numbers{};
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[v] += by * load(of[k] + i + v * kLanes);
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) store(sums[v], to + i + v * kLanes);
  }
  for (; i < n; ++i)
    for (int k = 0; k < count; ++k) to[i] += factor[k] * of[k][i];
}

inline void subtract(const Real* from, const Real* what, int n, Real* out) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) store(load(from + i) - load(what + i), out + i);
  for (; i < n; ++i) out[i] = from[i] - what[i];
}

void differences(const Real* x, const Real* next, const Real* gradient, const Real* next_gradient, int n, Real* s,
                 Real* y, double* out) {
  subtract(next, x, n, s);
  subtract(next_gradient, gradient, n, y);
  const Real *const a[] = {s, s, y}, *const b[] = {y, s, y};
  products_of<3>(a, b, n, out);
}

constexpr Kernels kKernels{products, add, differences};

}  // namespace
}  // namespace tryon::sim::pairs
