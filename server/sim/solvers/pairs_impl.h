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

double product(const Real* a, const Real* b, int n) {
  Numbers sums[kVectors] = {};
  int i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[v] += load(a + i + v * kLanes) * load(b + i + v * kLanes);
  const Numbers all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  double sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += static_cast<double>(all[lane]);
  for (; i < n; ++i) sum += static_cast<double>(a[i] * b[i]);
  return sum;
}

void products(const Real* const* of, int count, const Real* with, int n, double* out) {
  for (int k = 0; k < count; ++k) out[k] = product(of[k], with, n);
}

void combine(const Real* const* of, const Real* factor, int count, const Real* from, Real sign, int n, Real* to) {
  int i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce) {
    Numbers sums[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[v] = load(from + i + v * kLanes);
    for (int k = 0; k < count; ++k) {
      const Numbers by = factor[k] - Numbers{};
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sums[v] += by * load(of[k] + i + v * kLanes);
    }
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) store(sign * sums[v], to + i + v * kLanes);
  }
  for (; i < n; ++i) {
    Real sum = from[i];
    for (int k = 0; k < count; ++k) sum += factor[k] * of[k][i];
    to[i] = sign * sum;
  }
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
  out[0] = product(s, y, n), out[1] = product(s, s, n), out[2] = product(y, y, n);
}

constexpr Kernels kKernels{product, products, combine, differences};

}  // namespace
}  // namespace tryon::sim::pairs
