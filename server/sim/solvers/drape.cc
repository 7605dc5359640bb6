#include "server/sim/solvers/drape.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "server/base/status.h"
#include "server/sim/solvers/hessian.h"
#include "server/sim/solvers/local_rest.h"
#include "server/sim/solvers/newton_directions.h"
#include "server/sim/solvers/spring_projection.h"

namespace tryon::sim {

namespace {

constexpr double kQuasiStatic = 0.1;  // s; a longer step is one towards rest
// Steps towards rest before the Hessian is worth its factor: so many, or until the net forces' rms no longer falls,
// which where layers are kept apart is asked late, or, where none are, is small.
constexpr size_t kPlainSteps = 20, kLayeredSteps = 14;
constexpr double kNearRest = 0.15;  // mean weights
constexpr size_t kStallSteps = 4;   // in which less than 1 - kStallShare of it goes
constexpr double kStallShare = 0.8;
constexpr int kNewtonIterations = 15, kLookEvery = 5;  // of a step, before it is asked whether few particles are left
constexpr double kForcing = 0.3;                       // a step is minimised to such a share of the residual before it

// Such a step's matrix may be a rough one. What moves freely in a shorter one is to move exactly.
bool is_long(const SolverSettings& settings) { return settings.time_step >= kQuasiStatic; }

class Drape : public SpringProjection {
 public:
  Drape(const DrapeModel& model, const SolverSettings& settings)
      : SpringProjection(model, settings, settings.history, BendInMatrix::kLikeHinges,
                         is_long(settings) ? Cholesky::Kept::kShort : Cholesky::Kept::kWhole) {}

 private:
  absl::Status rest_first(const Scene& scene, DrapeState* state, StepReport* report) override {
    if (!newton_ || !towards_rest()) return absl::OkStatus();
    rests_as_a_whole_ = false;
    const std::vector<uint8_t> few = wanting(*run_, model_, gradient_);
    const KnownOrder order = few.empty() ? KnownOrder() : newton_->order();
    if (order.place.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const bool moved,
                     rest_locally(*run_, scene, settings_, few, last_residual_, order, &potential_, state, report));
    if (moved) newton_->forget();
    rests_as_a_whole_ = !moved;
    return absl::OkStatus();
  }

  // What does not balance has become a few particles' matter.
  bool ends_before(int iteration) const override {
    if (!newton_ || rests_as_a_whole_ || !towards_rest() || iteration < kNewtonIterations ||
        iteration % kLookEvery != 0)
      return false;
    return !wanting(*run_, model_, gradient_).empty();
  }

  absl::Status prepare(StepReport* report) override {
    if (towards_rest() && !newton_ && plain_steps_are_over()) take_newton();
    if (towards_rest())
      target_ = std::max(settings_.tolerance, std::min(NewtonDirections::kLoosestStep, kForcing * last_residual_));
    if (!newton_) return SpringProjection::prepare(report);
    look_at_contacts();
    return absl::OkStatus();
  }

  // Free flight of a third of a second is no start for what something holds.
  void choose_start(const RunContext& run, const DrapeState& state) override {
    if (!towards_rest() || !is_held()) return SpringProjection::choose_start(run, state);
    std::copy(state.x.begin(), state.x.end(), x_.begin());
  }

  absl::Status find_direction(int iteration) override {
    if (!newton_) return SpringProjection::find_direction(iteration);
    RETURN_IF_ERROR(newton_->find(*run_, iteration, x_, gradient_, &direction_));
    if (!newton_->gone()) return absl::OkStatus();
    RETURN_IF_ERROR(go_on_without_newton());
    return SpringProjection::find_direction(iteration);
  }

  int most_halvings() const override {
    return std::min(NewtonDirections::kMostHalvings, SpringProjection::most_halvings());
  }

  bool far_off() const override { return newton_ != nullptr; }

  bool towards_rest() const { return is_long(settings_); }

  // Folds of layers that rub keep the Hessian's directions short for long: there the plain steps are the cheaper way.
  bool plain_steps_are_over() {
    rms_.push_back(last_rms_);
    const size_t steps = rms_.size() - 1;
    if (steps >= kPlainSteps) return true;
    if (newton_failed_) return false;
    const bool layers = potential_.layers() != nullptr;
    if (!layers && last_rms_ < kNearRest) return true;
    return steps >= (layers ? kLayeredSteps : kStallSteps) &&
           last_rms_ > kStallShare * std::max(rms_[steps - kStallSteps], rms_[steps - 1]);
  }

  void take_newton() {
    drop_factor();
    newton_ = std::make_unique<NewtonDirections>(potential_, settings_, &lbfgs_);
    lbfgs_.clear();
  }

  absl::Status go_on_without_newton() {
    if (!std::isfinite(phi_)) return potential_.not_finite("factor", gradient_);
    newton_.reset();
    rms_.clear();
    newton_failed_ = true;
    look_at_contacts();
    return renew_factor();
  }

  bool try_otherwise(int iteration) override {
    if (newton_) return newton_->try_otherwise();
    if (SpringProjection::try_otherwise(iteration)) return true;
    if (!towards_rest()) return false;
    take_newton();  // contact may be stiffer than the constant matrix knows
    return true;
  }

  std::unique_ptr<NewtonDirections> newton_;  // made once the plain descent has had its steps
  std::vector<double> rms_;                   // of the net forces before each plain step towards rest, in mean weights
  bool newton_failed_ = false;
  bool rests_as_a_whole_ = false;  // few particles are left, but they went too far for a part
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
