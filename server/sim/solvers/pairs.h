// What it is: the loops of L-BFGS over its pairs (lbfgs.h), which are kept whole or as float. Compiled from
// pairs_impl.h for the baseline processor and for AVX2, chosen at run time; nothing is fused, sums have one order: the
// same bytes. Units: the caller's. Shapes: arrays [n]; `of` [count] such arrays. How it fails: it does not. Thread
// rules: pure functions of their arguments.
#pragma once

#include "server/sim/real.h"

namespace tryon::sim::pairs {

template <typename Kept>
struct Loops {
  // out[k] = sum of of[k][i] with[i].
  void (*products)(const Kept* const* of, int count, const Real* with, int n, double* out);
  void (*own_products)(const Kept* const* of, int count, const Kept* with, int n, double* out);
  // to[i] = sign (from[i] + sum of factor[k] of[k][i], k ascending); `to` may be `from`.
  void (*combine)(const Kept* const* of, const Real* factor, int count, const Real* from, Real sign, int n, Real* to);
  // s = next - x and y = next_gradient - gradient, rounded once; out = {s y, s s, y y}.
  void (*differences)(const Real* x, const Real* next, const Real* gradient, const Real* next_gradient, int n, Kept* s,
                      Kept* y, double* out);
};
struct Kernels {
  double (*product)(const Real* a, const Real* b, int n);
  Loops<double> whole;
  Loops<float> rough;
  template <typename Kept>
  const Loops<Kept>& loops() const {
    if constexpr (sizeof(Kept) == sizeof(double))
      return whole;
    else
      return rough;
  }
};
const Kernels& best_kernels();
const Kernels& baseline_kernels();
const Kernels* avx2_kernels();  // null where the processor has none

}  // namespace tryon::sim::pairs
