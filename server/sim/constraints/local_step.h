// What it is: the hot loops of ElasticEnergy four numbers at a time: edge springs, thread springs, membranes, hinges,
// rows of the bending matrix, the sum of what elements wrote into slots, and the blocks that thread springs and
// membranes add to a Hessian. Compiled twice from local_*_impl.h, for the baseline processor and for AVX2, chosen at run
// time; no fused multiply-add and the same order of sums: both give the same bytes, whatever is done beside an element.
// Their slow twins are spring::gradient, thread::gradient, membrane::gradient, bend::gradient, bend_matrix::gradient, a
// plain sum, thread::hessian and membrane::hessian with its six eigenvalues clamped. Units: N, J, m. Shapes: as model.h;
// `begin` .. `end` of the elements. How it fails: never; NaN goes through. Thread rules: pure functions of their
// arguments; chunks that do not overlap may run at once. Cites: Wan 2020 eqs. 9-13 (springs); Golub and Van Loan, Matrix
// Computations, 8.5 (Jacobi's rotations); constraints/*.h.
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
struct BendView {  // BendMatrix
  const int *row_begin, *column;
  const Real* stiffness;
  int last;
};
struct GatherView {
  const int *begin, *slot;
  const Real* weight;
};  // a number behind the last slot is read

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

struct Kernels {
  double (*springs)(const SpringView& view, const RVec3* x, int begin, int end, RVec3* slot);
  double (*threads)(const ThreadView& view, const RVec3* x, int begin, int end, RVec3* slot);
  double (*membranes)(const MembraneView& view, const RVec3* x, int begin, int end, RVec3* slot);
  double (*hinges)(const HingeView& view, const RVec3* x, int begin, int end, RVec3* slot);
  // Adds to the gradient of particles begin .. end.
  double (*bend_rows)(const BendView& view, const RVec3* x, int begin, int end, RVec3* gradient);
  // Of at most four triangles; of what compressed threads push sideways the share `kept`.
  void (*thread_blocks)(const ThreadView& view, const RVec3* x, int begin, int end, double kept, Blocks* out);
  // Of at most four triangles; of what makes a triangle indefinite the share `kept`.
  void (*membrane_blocks)(const MembraneView& view, const RVec3* x, int begin, int end, double kept,
                          WholeBlocks<kPairs>* out);
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
const Kernels* avx2_kernels();  // null where the processor has none

}  // namespace tryon::sim::local_step
