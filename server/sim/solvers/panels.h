// What it is: the sparse factor L of Cholesky (cholesky.h) as dense panels, one for each run of columns with the same
// rows below them (supernodes, a little padded), and the two triangular solves over them for three right-hand sides. A
// panel reads its factor once in order, with one row index for many values. Compiled twice from panels_impl.h, for the
// baseline processor and for AVX2, chosen at run time; no fused multiply-add, every lane by itself: both give the same
// bytes. Units: the matrix's. Shapes: a panel's values are its w x w diagonal block, then rows_end - rows_begin rows of
// w. How it fails: never. Thread rules: pure functions of their arguments. Cites: Ng, Peyton 1993 (supernodes);
// Ashcraft, Grimes 1989 (relaxed ones).
#pragma once

#include <cstdint>
#include <vector>

#include "server/sim/real.h"

namespace tryon::sim::panels {

struct alignas(4 * sizeof(Real)) Lane {  // x, y, z of a vector's row, and nothing
  Real at[4];
};

struct Panel {
  int first = 0, width = 0;              // columns
  int64_t value = 0;                     // in the values
  int64_t rows_begin = 0, rows_end = 0;  // in the rows
};

struct View {
  const Panel* panel;
  int count;
  const Real* value;  // unit lower triangle; what lies on and above the diagonal is not read
  const int* row;
  const Real* inverse_pivot;  // [n]
};

struct Kernels {
  void (*solve)(const View& factor, Lane* x);  // x = L^-T D^-1 L^-1 x
};
const Kernels& best_kernels();
const Kernels& baseline_kernels();
const Kernels* avx2_kernels();  // null where the processor has none

}  // namespace tryon::sim::panels
