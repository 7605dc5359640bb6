// What it is: the hot loops of ElasticEnergy and of its Hessian four or eight numbers at a time: edge springs,
// membranes, hinges, folds, patches of cloth (thread springs, and bending with its friction), the sum of what all of
// these left for a particle, and the blocks that threads, membranes and folds add to a Hessian. Compiled from
// local_*_impl.h for the baseline processor, for AVX2 and for AVX-512, chosen at run time; multiply-adds are fused
// where the source says so and sums have one order: all give the same bytes, whatever is done beside an element. Their
// slow twins are spring::gradient, thread::gradient, membrane::gradient, bend::gradient, fold::angle_gradient, the
// bending matrix, bend_elements::bent, a plain sum, thread::hessian, membrane::hessian with its six eigenvalues clamped
// and, in the tests, the fold's gradient differentiated by machine. Units: N, J, m. Shapes: as model.h; `begin` ..
// `end` of the elements. How it fails: never; NaN goes through. Thread rules: pure functions of their arguments; chunks
// that do not overlap may run at once. Cites: Wan 2020 eqs. 9-13 (springs); Golub and Van Loan, Matrix
// Computations, 8.5 (Jacobi's rotations); Tamstorf and Grinspun 2013 (the angle's Hessian); constraints/*.h.
#pragma once

#include <array>

#include "server/mesh/triangle_mesh.h"
#include "server/sim/constraints/membrane.h"
#include "server/sim/model.h"
#include "server/sim/real.h"

namespace tryon::sim::local_step {

struct SpringView {  // no seams, no tethers
  const int *a, *b;
  const Real *rest, *stiffness;
  int last;  // particle: one more number than its position may be read of the others
};
struct ThreadView {
  const Triangle* corner;
  const std::array<Real, 4>* shape;
  const Real *weft, *warp, *bias;
  const Real *limit_weft, *limit_warp;  // null: nowhere
  int last;
};
struct MembraneView {
  const Triangle* corner;
  const std::array<Real, 4>* shape;
  const membrane::Stiffness* stiffness;
  int last;
};
struct HingeView {
  const std::array<int, 4>* particle;
  const std::array<Real, 4>* weight;
  const Real* stiffness;
  int last;
};
struct alignas(4 * sizeof(Real)) Lane {  // x, y, z and nothing
  Real at[4];
};
// Eight triangles of a patch, which name particles by its copies: two fours side by side. Idle ones are the first once
// more and weigh nothing.
inline constexpr int kBeside = 8;
struct EightThreads {
  Real shape[4][kBeside], weft[kBeside], warp[kBeside], bias[kBeside];
  uint16_t corner[3][kBeside];
};
struct EightLimits {
  Real weft[kBeside], warp[kBeside];
};
struct EightBends {            // of BendElements
  Real weight[3][5][kBeside];  // of the corners behind the first, then of those across
  Real stiffness[3][kBeside], moment[kBeside];
  uint16_t across[3][kBeside];
};
inline constexpr int kMostInPatch = 512, kMostCopies = 6 * kMostInPatch;  // triangles; each has six particles
struct PatchView {
  const int* particle;  // of each copy
  int copy_count;
  const EightThreads* threads;
  const EightLimits* limits;  // null: nowhere
  const EightBends* bends;    // null: nothing bends
  bool rubs;                  // what bends, somewhere
  int four_count;
  Real slack;
  int last;
};
struct FoldView {  // Folds
  const std::array<int, 4>* particle;
  const Real* rest_angle;
  const int *row_begin, *column;
  const Real* stiffness;
  int last;
};
inline constexpr double kNoFoldArea = 1e-24;  // m^4: the square of a triangle's doubled area that folds nowhere
struct BlockPlace {                           // of a 3 x 3 block in a matrix's values
  int at;                                     // its corner
  int height;                                 // from one of its columns to the next
};
// g_f (sum over g of B_fg g_g)^T, summed over f, is B's part of the Hessian: of its blocks those in the lower triangle.
struct FoldProduct {
  int block;
  int pair;  // which of the fold's own particles + 4 times which of those that B couples to it
};
struct FoldProductView {
  const int *row_begin, *column;
  const Real* stiffness;
  const int *particle_begin, *place;  // [4 entry_count of B] which of the row's particles
  const int* product_begin;
  const FoldProduct* product;
  const BlockPlace* block;
  const RVec3* gradient;  // [4 fold_count + 1]
};
struct GatherView {  // a number behind the last slot is read
  const int *begin, *slot;
  const Real* weight;
  const int *copy_begin = nullptr, *copy = nullptr;  // the particles' copies in patches, if there are any
  const Lane* pull = nullptr;                        // on each copy
};

// What four triangles add to a Hessian: pairs of corners (0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), of each block
// xx, yy, zz, xy, xz, yz (it is symmetric), of each number one a triangle.
inline constexpr int kPairs = 6;
struct alignas(32) Blocks {
  double at[kPairs][6][4];
};
// The same of blocks that are not symmetric: nine numbers column by column; rows are the first corner's.
template <int pairs>
struct alignas(32) WholeBlocks {
  double at[pairs][9][4];
};

// Of a fold: (0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 3); of (3, 2) there is nothing.
inline constexpr int kFoldPairs = 9;

struct Kernels {
  double (*springs)(const SpringView& view, const RVec3* x, int begin, int end, RVec3* slot);
  double (*membranes)(const MembraneView& view, const RVec3* x, int begin, int end, RVec3* slot);
  double (*hinges)(const HingeView& view, const RVec3* x, int begin, int end, RVec3* slot);
  // Threads and bending of a patch: what pulls on each of its copies.
  double (*patch)(const PatchView& view, const RVec3* x, Lane* pull);
  // Angles beyond rest; their gradients, four slots a fold.
  void (*fold_angles)(const FoldView& view, const RVec3* x, int begin, int end, Real* angle, RVec3* slot);
  // Multiplies those by the folds' moments, for which the angles of all folds must be there.
  double (*fold_moments)(const FoldView& view, const Real* angle, int begin, int end, RVec3* slot);
  // Of at most four triangles; of what compressed threads push sideways the share `kept`.
  void (*thread_blocks)(const ThreadView& view, const RVec3* x, int begin, int end, double kept, Blocks* out);
  // Of at most four triangles; of what makes a triangle indefinite the share `kept`.
  void (*membrane_blocks)(const MembraneView& view, const RVec3* x, int begin, int end, double kept,
                          WholeBlocks<kPairs>* out);
  // Of at most four folds: `kept` times moment times the angle's Hessian.
  void (*fold_blocks)(const FoldView& view, const RVec3* x, const Real* angle, int begin, int end, double kept,
                      WholeBlocks<kFoldPairs>* out);
  // Adds to `value`, which has one number more than the matrix; `sum` has four numbers a particle of the longest row.
  void (*fold_products)(const FoldProductView& view, int begin, int end, double* sum, double* value);
  void (*gather)(const GatherView& view, const RVec3* slot, int begin, int end, RVec3* gradient);
};
inline ThreadView thread_view(const DrapeModel& model) {
  const Threads& t = model.threads;
  const bool limited = !t.limit_weft.empty();
  return {model.triangles.data(),
          t.shape.data(),
          t.weft.data(),
          t.warp.data(),
          t.bias.data(),
          limited ? t.limit_weft.data() : nullptr,
          limited ? t.limit_warp.data() : nullptr,
          model.particle_count - 1};
}

const Kernels& best_kernels();
const Kernels& baseline_kernels();
const Kernels* avx2_kernels();    // null where the processor has none, or no fused multiply-add
const Kernels* avx512_kernels();  // the same

}  // namespace tryon::sim::local_step
