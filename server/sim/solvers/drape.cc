#include "server/sim/solvers/drape.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "server/base/status.h"
#include "server/sim/solvers/contact_compliance.h"
#include "server/sim/solvers/hessian.h"
#include "server/sim/solvers/spring_projection.h"

namespace tryon::sim {

namespace {

constexpr double kQuasiStatic = 0.1;  // s; a longer step is one towards rest
// Steps towards rest before the Hessian is worth its factor: so many, or, where no layers are kept apart, until the net
// forces' rms is small, or no longer falls.
constexpr size_t kPlainSteps = 20;
constexpr double kNearRest = 0.15;  // mean weights
constexpr size_t kStallSteps = 4;   // in which less than 1 - kStallShare of it goes
constexpr double kStallShare = 0.8;
constexpr int kWindow = 5;           // iterations by which the pace is judged
constexpr double kFactorPrice = 10;  // in iterations
constexpr double kMostPatience = 4;
constexpr int kMostHalvings = 12;  // then another direction is found sooner than a shorter step is worth
// What is lost of what makes elements indefinite: as little as leaves the whole positive definite. Of cloth that has
// buckled that is seldom more than a tenth.
constexpr double kLostAtFirst = 0.1, kLeastLost = 1.0 / 64, kMoreLost = 4, kLessLost = 0.5;
constexpr int kGoodFactors = 2;                   // in a row, before less is tried
constexpr double kForcing = 0.3, kLoosest = 0.1;  // a step is minimised to such a share of the residual before it

class Drape : public SpringProjection {
 public:
  Drape(const DrapeModel& model, const SolverSettings& settings)
      : SpringProjection(model, settings, settings.history, BendInMatrix::kLikeHinges) {}

 private:
  absl::Status prepare(StepReport* report) override {
    if (towards_rest() && !hessian_ && plain_steps_are_over()) take_hessian();
    if (towards_rest()) target_ = std::max(settings_.tolerance, std::min(kLoosest, kForcing * last_residual_));
    if (!hessian_) return SpringProjection::prepare(report);
    look_at_contacts();
    return absl::OkStatus();
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
    uncorrected_ = std::exchange(correct_no_more_, false);
    std::copy(gradient_.begin(), gradient_.end(), direction_.begin());
    bool all = true;
    lbfgs_.apply(*run_, &direction_, [&](std::vector<RVec3>* r) {
      if (uncorrected_) {
        hessian_->solve(*r, r, *run_);
      } else {
        all = compliance_->solve(*run_, x_, *r, r);
      }
    });
    if (!all && age_ >= kWindow * patience_) usable_ = false;
    for (RVec3& d : direction_) d = -d;
    return absl::OkStatus();
  }

  int most_halvings() const override { return std::min(kMostHalvings, SpringProjection::most_halvings()); }

  bool far_off() const override { return hessian_ != nullptr; }

  bool towards_rest() const { return settings_.time_step >= kQuasiStatic; }

  // Folds of layers that rub keep the Hessian's directions short for long: there the plain steps are the cheaper way.
  bool plain_steps_are_over() {
    rms_.push_back(last_rms_);
    const size_t steps = rms_.size() - 1;
    if (steps >= kPlainSteps) return true;
    if (hessian_failed_ || potential_.layers() != nullptr) return false;
    return last_rms_ < kNearRest || (steps >= kStallSteps && last_rms_ > kStallShare * rms_[steps - kStallSteps]);
  }

  void take_hessian() {
    drop_factor();
    hessian_ =
        std::make_unique<PotentialHessian>(potential_, settings_, BendInMatrix::kLikeHinges, Cholesky::Kept::kShort);
    compliance_ = std::make_unique<ContactCompliance>(potential_, hessian_.get());
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
    for (bool at_once = true;; at_once = false) {
      if (!hessian_->assemble(x_, 1 - lost_, *run_)) return run_->check();
      const bool convex = lost_ == 1;
      int failed = hessian_->factor(*run_);
      if (failed >= 0 && convex) failed = hessian_->factor_in_double(*run_);
      if (failed == Cholesky::kStopped) return run_->check();
      if (failed < 0) {
        lose_less(at_once);
        compliance_->renew(x_);
        return absl::OkStatus();
      }
      if (convex) return go_on_without_hessian();
      lose_more();
    }
  }

  void lose_more() { lost_ = std::min(1.0, std::max(kLeastLost, kMoreLost * lost_)); }

  void lose_less(bool at_once) {
    good_factors_ = at_once ? good_factors_ + 1 : 0;
    if (good_factors_ < kGoodFactors) return;
    good_factors_ = 0;
    lost_ = lost_ > kLeastLost ? kLessLost * lost_ : 0;
  }

  // Rounding, where contact is a million million times as stiff as what it holds.
  absl::Status go_on_without_hessian() {
    if (!std::isfinite(phi_)) return potential_.not_finite("factor", gradient_);
    drop_hessian();
    rms_.clear();
    hessian_failed_ = true;
    look_at_contacts();
    return renew_factor();
  }

  void drop_hessian() {
    compliance_.reset();
    hessian_.reset();
  }

  bool try_otherwise(int iteration) override {
    if (!hessian_) {
      if (SpringProjection::try_otherwise(iteration)) return true;
      if (!towards_rest()) return false;
      take_hessian();  // contact may be stiffer than the constant matrix knows
      return true;
    }
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

  std::unique_ptr<PotentialHessian> hessian_;  // made once the plain descent has had its steps
  std::unique_ptr<ContactCompliance> compliance_;
  std::vector<double> pace_;          // largest gradient of each iteration of the step, in mean weights
  std::vector<double> rms_;           // of the net forces before each plain step towards rest, in mean weights
  int age_ = 0;                       // iterations since the factor was taken
  double lost_ = kLostAtFirst;        // by the next factor
  int good_factors_ = 0;              // in a row, with what is lost now
  double before_ = 0, patience_ = 1;  // the pace at the last look; in factor prices
  bool usable_ = false, hessian_failed_ = false;        // the factor; the Hessian even when convex
  bool correct_no_more_ = false, uncorrected_ = false;  // for contacts: the next direction, the last one
};

}  // namespace

void find_order_ahead(const DrapeModel& model, const SolverSettings& settings) {
  const IncrementalPotential potential(model, settings);
  PotentialHessian(potential, settings, BendInMatrix::kLikeHinges, Cholesky::Kept::kShort);
}

std::unique_ptr<Solver> make_drape(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<Drape>(model, settings);
}

}  // namespace tryon::sim
