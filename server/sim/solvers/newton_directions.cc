#include "server/sim/solvers/newton_directions.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/base/status.h"

namespace tryon::sim {

namespace {

constexpr int kWindow = 5;           // iterations by which the pace is judged
constexpr double kFactorPrice = 10;  // in iterations
constexpr double kMostPatience = 4;
// What is lost of what makes elements indefinite: as little as leaves the whole positive definite. Of cloth that has
// buckled that is seldom more than a tenth.
constexpr double kLostAtFirst = 0.1, kLeastLost = 1.0 / 64, kMoreLost = 4, kLessLost = 0.5;
constexpr int kGoodFactors = 2;  // in a row, before less is tried

}  // namespace

NewtonDirections::NewtonDirections(const IncrementalPotential& potential, const SolverSettings& settings, Lbfgs* lbfgs,
                                   const KnownOrder& known)
    : NewtonDirections(potential, settings, lbfgs, known, blocks_of(potential.model(), settings)) {}

NewtonDirections::NewtonDirections(const IncrementalPotential& potential, const SolverSettings& settings, Lbfgs* lbfgs,
                                   const KnownOrder& known, std::unique_ptr<ClothBlocks> blocks)
    : model_(potential.model()),
      tolerance_(settings.tolerance),
      lbfgs_(*lbfgs),
      hessian_(potential, settings, Cholesky::Kept::kShort, known, std::move(blocks)),
      compliance_(potential, &hessian_),
      lost_(kLostAtFirst) {}

std::unique_ptr<ClothBlocks> NewtonDirections::blocks_of(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<ClothBlocks>(model, settings, BendInMatrix::kLikeHinges);
}

void NewtonDirections::forget() {
  lbfgs_.clear();
  pace_.clear();
  usable_ = false;
}

absl::Status NewtonDirections::find(const RunContext& run, int iteration, const std::vector<RVec3>& x,
                                    const std::vector<RVec3>& gradient, std::vector<RVec3>* direction) {
  if (iteration == 0) pace_.clear();
  pace_.push_back(largest_norm(run, gradient) / static_cast<double>(model_.mean_weight));
  if (!usable_ || too_slow()) RETURN_IF_ERROR(refactor(run, x));
  if (gone_) return absl::OkStatus();
  ++age_;
  uncorrected_ = std::exchange(correct_no_more_, false);
  bool all = true;
  lbfgs_.find_way(run, gradient, direction, [&](std::vector<RVec3>* r) {
    if (uncorrected_) {
      hessian_.solve(*r, r, run);
    } else {
      all = compliance_.solve(run, x, *r, r);
    }
  });
  if (!all && age_ >= kWindow * patience_) usable_ = false;
  return absl::OkStatus();
}

// At the pace of the last iterations the rest of the way would cost more than a new factor. Where the last one made
// nothing faster (it is contact that changes, not the cloth), the next must save twice as much.
bool NewtonDirections::too_slow() {
  if (age_ < kWindow || static_cast<int>(pace_.size()) <= kWindow) return false;
  const double now = pace_.back(), then = pace_[pace_.size() - 1 - kWindow];
  const double shrink = std::log(then / now) / kWindow;
  if (age_ == kWindow) patience_ = shrink > before_ ? 1.0 : std::min(2 * patience_, kMostPatience);
  before_ = shrink;
  return age_ >= kWindow * patience_ && std::log(now / std::max(tolerance_, 1e-12)) > shrink * kFactorPrice * patience_;
}

absl::Status NewtonDirections::refactor(const RunContext& run, const std::vector<RVec3>& x) {
  lbfgs_.clear();
  age_ = 0;
  usable_ = true;
  for (bool at_once = true;; at_once = false) {
    if (!hessian_.assemble(x, 1 - lost_, run)) return run.check();
    const bool convex = lost_ == 1;
    int failed = hessian_.factor(run);
    if (failed >= 0 && convex) failed = hessian_.factor_in_double(run);
    if (failed == Cholesky::kStopped) return run.check();
    if (failed < 0) {
      lose_less(at_once);
      compliance_.renew(x);
      return absl::OkStatus();
    }
    if (convex) {
      gone_ = true;
      return absl::OkStatus();
    }
    lose_more();
  }
}

void NewtonDirections::lose_more() { lost_ = std::min(1.0, std::max(kLeastLost, kMoreLost * lost_)); }

void NewtonDirections::lose_less(bool at_once) {
  good_factors_ = at_once ? good_factors_ + 1 : 0;
  if (good_factors_ < kGoodFactors) return;
  good_factors_ = 0;
  lost_ = lost_ > kLeastLost ? kLessLost * lost_ : 0;
}

bool NewtonDirections::try_otherwise() {
  // A direction that is corrected for contacts may lead up, where their balance was not found; a new factor's own
  // never does.
  correct_no_more_ = age_ <= 1 && !uncorrected_;
  if (correct_no_more_) return true;
  usable_ = false;
  if (!uncorrected_) return true;
  const bool convex = lost_ == 1;  // else positive definite by a hair: its directions are as good as endless
  lose_more();
  return !convex;
}

}  // namespace tryon::sim
