// What it is: coarser and coarser models of one cloth for the hierarchical solvers, and the rows that carry motions
// from each to the next finer one. Two ways: half-edge collapses by quadric error with all elements rebuilt on the
// coarse triangles (Ma 2023), and Mueller's choice of particles whose coarse constraints are the finer ones with
// removed ends moved to their nearest parent. Coarse masses are P^T m, so that a motion carried down keeps linear
// momentum. Units: SI. Shapes: kept [coarse particle_count] on the finer level; a row a finer particle. Pinned
// particles and seam ends are on every level. How it fails: as build_hierarchy(); a level that would remove nothing is
// left out. Thread rules: pure functions. Cites: Ma 2023 section 2; Mueller 2008 (hierarchical position based
// dynamics).
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "server/mesh/hierarchy.h"
#include "server/sim/model.h"

namespace tryon::sim {

struct ClothLevel {
  DrapeModel model;
  std::vector<int> kept;
  SparseRows prolongation;  // inverse distances
};
using ClothLevels = std::vector<std::unique_ptr<const ClothLevel>>;  // the first coarser one first; models stay put

absl::StatusOr<ClothLevels> quadric_levels(const DrapeModel& model, int levels);
absl::StatusOr<ClothLevels> parent_levels(const DrapeModel& model, int levels);

// The rest shape as flat pieces: corners of one vertex that agree across an interior edge are one.
FlatCloth flat_domain(const DrapeModel& model);

}  // namespace tryon::sim
