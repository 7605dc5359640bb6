// The loops of pairs.h, compiled by pairs_baseline.cc and pairs_avx2.cc, which says TRYON_PAIRS_AVX. Sums over i: one
// for each i modulo kAtOnce, then of these in pairs, then what is left of the array.
#pragma once

#include "server/sim/solvers/pairs.h"

namespace tryon::sim::pairs {
namespace {

constexpr int kLanes = 32 / int{sizeof(Real)}, kVectors = 4, kAtOnce = kVectors * kLanes;
typedef Real Numbers __attribute__((vector_size(kLanes * sizeof(Real))));

template <typename T>
[[gnu::always_inline]] inline Numbers load(const T* at) {
  Numbers v;
  if constexpr (sizeof(T) == sizeof(Real)) {
    __builtin_memcpy(&v, at, sizeof v);
  } else {
#if defined(TRYON_PAIRS_AVX)
    if constexpr (sizeof(T) < sizeof(Real)) return Numbers(_mm256_cvtps_pd(_mm_loadu_ps(at)));
#endif
    for (int lane = 0; lane < kLanes; ++lane) v[lane] = static_cast<Real>(at[lane]);
  }
  return v;
}

template <typename T>
[[gnu::always_inline]] inline void store(const Numbers& v, T* at) {
  if constexpr (sizeof(T) == sizeof(Real)) {
    __builtin_memcpy(at, &v, sizeof v);
  } else {
#if defined(TRYON_PAIRS_AVX)
    if constexpr (sizeof(T) < sizeof(Real)) return _mm_storeu_ps(at, _mm256_cvtpd_ps(__m256d(v)));
#endif
    for (int lane = 0; lane < kLanes; ++lane) at[lane] = static_cast<T>(v[lane]);
  }
}

template <typename A, typename B>
double product(const A* a, const B* b, int n) {
  Numbers sums[kVectors] = {};
  int i = 0;
  for (; i + kAtOnce <= n; i += kAtOnce)
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[v] += load(a + i + v * kLanes) * load(b + i + v * kLanes);
  const Numbers all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  double sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += static_cast<double>(all[lane]);
  for (; i < n; ++i) sum += static_cast<double>(static_cast<Real>(a[i]) * static_cast<Real>(b[i]));
  return sum;
}

template <typename Kept, typename With>
void products(const Kept* const* of, int count, const With* with, int n, double* out) {
  for (int k = 0; k < count; ++k) out[k] = product(of[k], with, n);
}

template <typename Kept>
void combine(const Kept* const* of, const Real* factor, int count, const Real* from, Real sign, int n, Real* to) {
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
    for (int k = 0; k < count; ++k) sum += factor[k] * static_cast<Real>(of[k][i]);
    to[i] = sign * sum;
  }
}

template <typename Kept>
inline void subtract(const Real* from, const Real* what, int n, Kept* out) {
  int i = 0;
  for (; i + kLanes <= n; i += kLanes) store(load(from + i) - load(what + i), out + i);
  for (; i < n; ++i) out[i] = static_cast<Kept>(from[i] - what[i]);
}

template <typename Kept>
void differences(const Real* x, const Real* next, const Real* gradient, const Real* next_gradient, int n, Kept* s,
                 Kept* y, double* out) {
  subtract(next, x, n, s);
  subtract(next_gradient, gradient, n, y);
  out[0] = product(s, y, n), out[1] = product(s, s, n), out[2] = product(y, y, n);
}

template <typename Kept>
constexpr Loops<Kept> kLoops{products<Kept, Real>, products<Kept, Kept>, combine<Kept>, differences<Kept>};
constexpr Kernels kKernels{product<Real, Real>, kLoops<double>, kLoops<float>};

}  // namespace
}  // namespace tryon::sim::pairs
