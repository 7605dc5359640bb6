// What it is: the sparse factor L of Cholesky (cholesky.h) as dense panels, one for each run of columns with about the
// same rows below them (supernodes, a little padded), and the dense work on them: eliminating a front, and the two
// triangular solves for three right-hand sides. A panel [L1; L2] is kept as M = [L1^-1; -L2 L1^-1], so that a solve is
// one product with M and one with its transpose: no chain of dependent steps inside a panel, every value read once in
// order. Compiled from panels_solve_*impl.h and panels_factor_impl.h for the baseline
// processor, for AVX2 with FMA and for AVX-512, chosen at run time; multiply-adds are fused by hand, sums have one
// order: all give the same bytes. Units: the matrix's. Shapes: fronts are square, by columns, lower triangles; packed
// panels: see panels_solve_impl.h. How it fails: eliminate() returns the first column without a positive pivot. Thread
// rules: pure functions of their arguments. Cites: Ng, Peyton 1993 (supernodes); Duff, Reid 1983 (fronts);
// Raghavan 1998 (inverted diagonal blocks).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "server/sim/real.h"

namespace tryon::sim::panels {

using Short = int16_t;  // as a factor is kept in a quarter of the room: whole shares of its columns' scales

inline constexpr int kWidest = 48;                            // columns of a panel
inline constexpr int kRowsTogether = 32 / int{sizeof(Real)};  // rows of a vector
inline constexpr int kGroup = 2 * kRowsTogether;              // rows of a packed panel side by side
inline constexpr int kRowsBelow = 48;                         // rows of a front that are multiplied at once
constexpr int padded(int rows) { return (rows + kRowsTogether - 1) / kRowsTogether * kRowsTogether; }

struct alignas(4 * sizeof(Real)) Lane {  // x, y, z of a vector's row, and nothing
  Real at[4];
};

struct alignas(16) ShortLane {  // the same where a factor is kept short
  float at[4];
};

struct Panel {
  int first = 0, width = 0;              // columns
  int64_t value = 0;                     // in the packed values
  int64_t rows_begin = 0, rows_end = 0;  // in the rows
  int stride = 0;  // of the front that it is eliminated in: more than its own rows where it goes on in another's
  int row_count() const { return static_cast<int>(rows_end - rows_begin); }
  int64_t values() const {  // as packed: whole groups, so that each begins where a vector may
    const int m = width + row_count();
    int64_t sum = 0;
    for (int i = 0; i < m; i += kGroup) sum += int64_t{std::min(kGroup, padded(m - i))} * std::min(width, i + kGroup);
    return (sum + kGroup - 1) / kGroup * kGroup;
  }
};

constexpr int64_t below_values(int m, int width) {
  return int64_t{(m - width + kRowsBelow - 1) / kRowsBelow * kRowsBelow} * width;
}

template <typename Value>
struct View {
  const Panel* panel;
  const Value* value;         // Real or Short
  const int* row;             // of the panels' rows: forward() adds to x there, backward() takes from there
  const Real* inverse_pivot;  // [n]
  const float* scale;         // [n] of the columns of Short
  Real* work;                 // [3 work_stride], aligned as a group, as are the values
  int work_stride;            // a multiple of kGroup, at least width + rows of any panel
};

template <typename Number>  // double or float
struct Elimination {
  // Adds a packed lower triangle to a front, its rows at place[rows], ascending. run_end [rows] is to work in.
  void (*take_up)(const Number* update, const int* place, int rows, int* run_end, Number* front, int stride);
  // The first `width` columns of a front of m rows become D and L; below [below_values(m, width)] is for the two
  // others.
  int (*eliminate)(Number* front, int m, int width, int stride, Number* below);
  // Takes off the other columns begin .. end (counted from `width`) what makes them the Schur complement.
  void (*take_off)(Number* front, int m, int width, int stride, const Number* below, int begin, int end);
  // The eliminated columns as a packed panel and its scales [width]; L in the front is overwritten. inverse [width^2].
  void (*pack_short)(Number* front, int m, int width, int stride, const Number* below, Number* inverse, Short* packed,
                     float* scale);
};

template <typename Value, typename Lane>  // Real and Lane, or Short and ShortLane with sums in float
struct SolvesForThree {
  // to[place[i]] = from[i], and back; `to` and `from` of as many rows as there are places.
  void (*bring)(const int* place, int count, const RVec3* from, Lane* to);
  void (*bring_back)(const int* place, int count, const Lane* from, RVec3* to);
  // x = L^-1 x and x = L^-T D^-1 x as far as `count` panels do it, named in ascending order.
  void (*forward)(const View<Value>& factor, const int* which, int count, Lane* x);
  void (*backward)(const View<Value>& factor, const int* which, int count, Lane* x);
};

struct Kernels {
  SolvesForThree<Real, Lane> whole;
  SolvesForThree<Short, ShortLane> kept_short;
  void (*forward_one)(const View<Real>& factor, const int* which, int count, Real* x);  // one right-hand side
  void (*backward_one)(const View<Real>& factor, const int* which, int count, Real* x);
  void (*forward_short_one)(const View<Short>& factor, const int* which, int count, Real* x);  // likewise
  void (*backward_short_one)(const View<Short>& factor, const int* which, int count, Real* x);
  Elimination<double> in_double;
  Elimination<float> in_float;
  // As pack_short().
  void (*pack)(double* front, int m, int width, int stride, const double* below, double* inverse, Real* packed);
  template <typename Number>
  const Elimination<Number>& elimination() const {
    if constexpr (std::is_same_v<Number, double>) {
      return in_double;
    } else {
      return in_float;
    }
  }
};
const Kernels& best_kernels();
const Kernels& baseline_kernels();
const Kernels* avx2_kernels();            // null where the processor has none
const Kernels* avx512_kernels();          // likewise
void take_short_one_avx512(Kernels* to);  // of the latter

}  // namespace tryon::sim::panels
