#include "server/sim/solvers/drape.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "server/base/status.h"
#include "server/sim/solvers/hessian.h"
#include "server/sim/solvers/spring_projection.h"

namespace tryon::sim {

namespace {

constexpr double kQuasiStatic = 0.1;  // s; a longer step is one towards rest
constexpr int kPlainSteps = 20;       // steps towards rest before the Hessian is worth its factor
constexpr int kWindow = 5;            // iterations by which the pace is judged
constexpr double kFactorPrice = 30;   // in iterations
constexpr double kMostPatience = 16;
constexpr int kConvexTurns = 4;  // factors taken convex once the true Hessian was not positive definite

class Drape : public SpringProjection {
 public:
  Drape(const DrapeModel& model, const SolverSettings& settings)
      : SpringProjection(model, settings, settings.history) {}

 private:
  absl::Status prepare(StepReport* report) override {
    if (towards_rest() && steps_++ >= kPlainSteps && !hessian_) take_hessian();
    return SpringProjection::prepare(report);
  }

  absl::Status find_direction(int iteration) override {
    if (!hessian_) return SpringProjection::find_direction(iteration);
    if (iteration == 0) pace_.clear();
    Real largest = 0;
    for (const RVec3& g : gradient_) largest = std::max(largest, g.norm());
    pace_.push_back(static_cast<double>(largest / model_.mean_weight));
    if (!usable_ || too_slow()) RETURN_IF_ERROR(refactor());
    if (!hessian_) return SpringProjection::find_direction(iteration);
    ++age_;
    std::copy(gradient_.begin(), gradient_.end(), direction_.begin());
    lbfgs_.apply(&direction_, [this](std::vector<RVec3>* r) { hessian_->solve(*r, r); });
    for (RVec3& d : direction_) d = -d;
    return absl::OkStatus();
  }

  bool towards_rest() const { return settings_.time_step >= kQuasiStatic; }

  void take_hessian() {
    hessian_ = std::make_unique<PotentialHessian>(potential_, settings_);
    lbfgs_.clear();
    pace_.clear();
    usable_ = false;
  }

  // At the pace of the last iterations the rest of the way would cost more than a new factor. Where the last one made
  // nothing faster (it is contact that changes, not the cloth), the next must save twice as much.
  bool too_slow() {
    if (age_ < kWindow || static_cast<int>(pace_.size()) <= kWindow) return false;
    const double now = pace_.back(), then = pace_[pace_.size() - 1 - kWindow];
    const double shrink = std::log(then / now) / kWindow;
    if (age_ == kWindow) patience_ = shrink > before_ ? 1.0 : std::min(2 * patience_, kMostPatience);
    before_ = shrink;
    return age_ >= kWindow * patience_ &&
           std::log(now / std::max(settings_.tolerance, 1e-12)) > shrink * kFactorPrice * patience_;
  }

  absl::Status refactor() {
    lbfgs_.clear();
    age_ = 0;
    usable_ = true;
    if (--convex_turns_ <= 0) {
      if (!hessian_->assemble(x_, false, *run_)) return run_->check();
      const int failed = hessian_->factor(*run_);
      if (failed == -1) return absl::OkStatus();
      if (failed == Cholesky::kStopped) return run_->check();
      convex_turns_ = kConvexTurns;
    }
    if (!hessian_->assemble(x_, true, *run_)) return run_->check();
    const int failed = hessian_->factor(*run_);
    if (failed == Cholesky::kStopped) return run_->check();
    if (failed < 0) return absl::OkStatus();
    if (!std::isfinite(phi_)) return potential_.not_finite("factor", gradient_);
    hessian_.reset();  // rounding, where contact is a million million times as stiff as what it holds
    steps_ = 0;
    return absl::OkStatus();
  }

  bool try_otherwise(int iteration) override {
    if (!hessian_) {
      if (SpringProjection::try_otherwise(iteration)) return true;
      if (!towards_rest()) return false;
      take_hessian();  // contact may be stiffer than the constant matrix knows
      return true;
    }
    usable_ = false;
    return age_ > 1;
  }

  std::unique_ptr<PotentialHessian> hessian_;   // made once the plain descent has had its steps
  std::vector<double> pace_;                    // largest gradient of each iteration of the step, in mean weights
  int steps_ = 0, age_ = 0, convex_turns_ = 0;  // towards rest; iterations since the factor was taken; convex ones left
  double before_ = 0, patience_ = 1;            // the pace at the last look; in factor prices
  bool usable_ = false;
};

}  // namespace

std::unique_ptr<Solver> make_drape(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<Drape>(model, settings);
}

}  // namespace tryon::sim
