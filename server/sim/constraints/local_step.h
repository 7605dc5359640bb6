// What it is: the hot loops of ElasticEnergy four elements at a time: edge springs, thread springs, and the sum of what
// elements wrote into slots. Compiled twice from local_step_impl.h, for the baseline processor and for AVX2, chosen at
// run time; no fused multiply-add and the same order of sums: both give the same bytes. Their slow twins are
// spring::gradient, thread::gradient and a plain sum. Units: N, J, m. Shapes: as model.h; `begin` .. `end` of the
// elements. How it fails: never; NaN goes through. Thread rules: pure functions of their arguments; chunks that do not
// overlap may run at once. Cites: Wan 2020 eqs. 9-13 (springs); constraints/threads.h.
#pragma once

#include <array>

#include "server/mesh/triangle_mesh.h"
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
  int last;
};
struct GatherView {
  const int *begin, *slot;
  const Real* weight;
};  // a number behind the last slot is read

struct Kernels {
  double (*springs)(const SpringView& view, const RVec3* x, int begin, int end, RVec3* slot);
  double (*threads)(const ThreadView& view, const RVec3* x, int begin, int end, RVec3* slot);
  void (*gather)(const GatherView& view, const RVec3* slot, int begin, int end, RVec3* gradient);
};
const Kernels& best_kernels();
const Kernels& baseline_kernels();
const Kernels* avx2_kernels();  // null where the processor has none

}  // namespace tryon::sim::local_step
