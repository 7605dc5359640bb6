// What it is: directions of descent by the whole Hessian of an incremental potential: L-BFGS whose initial inverse is
// the Hessian's factor, less what keeps it from being positive definite, corrected for contacts that changed since, and
// taken anew where the pace says that it pays. Units: J, N, m. Shapes: vectors [particle_count]. How it fails: find()
// as the context; gone() where even the convex Hessian has no factor (rounding, where contact is a million million
// times as stiff as what it holds). Thread rules: one object, one thread; the same bytes for any number of threads.
// Cites: Liu 2017; Nocedal and Wright 2006, 7.2.
#pragma once

#include <memory>
#include <vector>

#include "server/sim/solvers/contact_compliance.h"
#include "server/sim/solvers/hessian.h"
#include "server/sim/solvers/lbfgs.h"

namespace tryon::sim {

class NewtonDirections {
 public:
  static constexpr int kMostHalvings = 12;     // then another direction is found sooner than a shorter step is worth
  static constexpr double kLoosestStep = 0.1;  // mean weights: a step of these is minimised to that, or further

  // `known`: an order of elimination, else the process's for this mesh. `lbfgs` is told of accepted steps by its owner.
  NewtonDirections(const IncrementalPotential& potential, const SolverSettings& settings, Lbfgs* lbfgs,
                   const KnownOrder& known = {});
  // The same with what was made ahead.
  NewtonDirections(const IncrementalPotential& potential, const SolverSettings& settings, Lbfgs* lbfgs,
                   const KnownOrder& known, std::unique_ptr<ClothBlocks> blocks);
  // What it needs of the model alone.
  static std::unique_ptr<ClothBlocks> blocks_of(const DrapeModel& model, const SolverSettings& settings);

  // From the gradient at x, of an iteration of a step, to a direction.
  absl::Status find(const RunContext& run, int iteration, const std::vector<RVec3>& x,
                    const std::vector<RVec3>& gradient, std::vector<RVec3>* direction);
  // The last direction led nowhere. False where no other one is to be had.
  bool try_otherwise();
  void forget();  // the factor is taken anew: what it was of has changed
  bool gone() const { return gone_; }
  KnownOrder order() { return hessian_.cholesky().order(); }

 private:
  bool too_slow();
  absl::Status refactor(const RunContext& run, const std::vector<RVec3>& x);
  void lose_more();
  void lose_less(bool at_once);

  const DrapeModel& model_;
  const double tolerance_;
  Lbfgs& lbfgs_;
  PotentialHessian hessian_;
  ContactCompliance compliance_;
  std::vector<double> pace_;            // largest gradient of each iteration of the step, in mean weights
  int age_ = 0;                         // iterations since the factor was taken
  double lost_;                         // by the next factor
  int good_factors_ = 0;                // in a row, with what is lost now
  double before_ = 0, patience_ = 1;    // the pace at the last look; in factor prices
  bool usable_ = false, gone_ = false;  // the factor; any
  bool correct_no_more_ = false, uncorrected_ = false;  // for contacts: the next direction, the last one
};

}  // namespace tryon::sim
