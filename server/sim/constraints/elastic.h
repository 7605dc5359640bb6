// What it is: the whole elastic energy E(x) of a model (threads or membranes, bending with its friction, edge and seam
// springs) and its gradient. Patches of cloth pull on copies of their particles (cloth_patches.h), each other element
// writes vectors into slots of its own; each particle then adds up its copies and coefficient * slot in a fixed order,
// so the bytes are the same for any number of threads. The coefficients c give Wan 2020's L = sum k c c^T (eq. 15).
// Units: J, N. Shapes: x, gradient [particle_count]. How it fails: never; NaN goes through to the caller. Thread rules:
// one object, one calling thread; elements run on the context's executor. No allocation after building.
#pragma once

#include <array>
#include <vector>

#include "Eigen/Sparse"
#include "server/base/run_context.h"
#include "server/sim/constraints/cloth_patches.h"
#include "server/sim/constraints/hinges.h"
#include "server/sim/constraints/local_step.h"
#include "server/sim/model.h"

namespace tryon::sim {

class ElasticEnergy {
 public:
  ElasticEnergy(const DrapeModel& model, double tie_stiffness);
  // Sets `gradient` to grad E and returns E.
  double evaluate(const RunContext& run, const RVec3* x, Real tie_rest_ratio, RVec3* gradient);
  // L of Wan 2020 for all springs, plus the constant bending matrix or what stands for it: [particle_count,
  // particle_count], symmetric, full.
  Eigen::SparseMatrix<double> matrix(BendInMatrix bend = BendInMatrix::kWhole) const;

 private:
  void for_chunks(const RunContext& run, int count, int grain, int partial_begin,
                  void (ElasticEnergy::*body)(int, int, double*));
  void run_patches(int begin, int end, double* energy);
  void run_membranes(int begin, int end, double* energy);
  void run_hinges(int begin, int end, double* energy);
  void run_springs(int begin, int end, double* energy);
  void run_angles(int begin, int end, double* energy);
  void run_folds(int begin, int end, double* energy);
  void gather(int begin, int end, double* energy);
  void build_gather();
  double add_wide_bends();

  const DrapeModel& model_;
  Real tie_stiffness_;
  int plain_springs_ = 0;  // how many come before the first seam or tether
  int hinge_slot() const { return 2 * model_.membranes.count(); }
  int fold_slot() const { return hinge_slot() + model_.hinges.count() + model_.springs.count(); }

  std::vector<RVec3> slots_;         // [2 membrane_count + hinge_count + spring_count + 4 fold_count + 1]
  std::vector<Real> angles_;         // [fold_count] beyond rest
  std::vector<double> partials_;     // one a chunk
  std::vector<int> gather_begin_;    // [particle_count + 1]
  std::vector<int> gather_slot_;     // [entry_count]
  std::vector<Real> gather_weight_;  // [entry_count]
  const ClothPatches patches_;
  std::vector<int> wide_bends_;         // elements that patches leave out
  std::vector<local_step::Lane> pull_;  // [copy_count] of the patches
  const RVec3* x_ = nullptr;            // of the evaluation in progress
  RVec3* gradient_ = nullptr;
  Real rest_ratio_ = 1;
};

// N/m that contacts (with the body, between layers) have at each particle, so that they neither rule the step nor give
// way to it.
std::vector<Real> contact_stiffness(const DrapeModel& model);

}  // namespace tryon::sim
