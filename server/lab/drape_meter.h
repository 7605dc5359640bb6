// What it is: Cusick's drape meter, simulated: a round specimen lies centred on a smaller disc, its border hangs, and
// the drape coefficient is (shadow - disc) / (specimen - disc): 0 hangs straight down, 1 stays flat. Nothing is random:
// the border is seeded with n waves, once for each n wanted, and the answer is the seed whose rest has least energy.
// Units: SI, +Y up, warp along -z. Shapes: rim [6 rings]. How it fails: as build_model and the solver; a specimen that
// does not come to rest says so by its residual. Thread rules: pure functions; the context's executor inside.
// Cites: Cusick 1968, ISO 9073-9 (300 mm over 180 mm); validation.md 4.3.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "server/base/run_context.h"
#include "server/fabric/fabric.h"
#include "server/sim/model.h"

namespace tryon::lab {

struct DrapeMeter {
  double specimen_radius = 0.15, disc_radius = 0.09;  // m
  double cell = 6e-3;                                 // m between rings, 2e-3 .. 2e-2; a third of the bending length
  std::vector<int> seeds = {5, 6, 7};                 // waves of the first shape, 2 .. 12 each
  double residual = 1e-2;                             // max net nodal force over mean nodal weight at rest
  int steps = 120, iterations = 8;                    // at the most, of each seed
};

struct Draped {
  double coefficient = 0;  // 0 .. 1 or a little more
  double energy = 0;       // J, elastic and weight, 0 where flat
  double residual = 0;
  int nodes = 0, seed = 0, particle_count = 0;
  std::vector<double> rim;  // m, radius of the shadow's border by angle
};

// Where the cloth bends only where it is thin: membrane triangles and the isometric shape operator.
absl::StatusOr<Draped> drape_specimen(const RunContext& run, const Fabric& fabric, const DrapeMeter& meter);
// Area under a cloth, an overlap once: cells of a grid of a quarter of a millimetre within `reach` of the vertical
// through 0.
double shadow_area(const std::vector<Vec3>& positions, const std::vector<Triangle>& triangles, double reach);
// Maxima of a drape's border: its distance from the vertical through 0 all round, m, smoothed over 15 degrees.
int count_nodes(const std::vector<double>& rim);
// Every seed's own rest, in the order of the seeds.
absl::StatusOr<std::vector<Draped>> drape_each_seed(const RunContext& run, const Fabric& fabric,
                                                    const DrapeMeter& meter);

}  // namespace tryon::lab
