#include "server/sim/solvers/drape.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "server/base/status.h"
#include "server/sim/solvers/local_rest.h"
#include "server/sim/solvers/means_of_descent.h"
#include "server/sim/solvers/newton_directions.h"
#include "server/sim/solvers/spring_projection.h"

namespace tryon::sim {

namespace {

constexpr double kQuasiStatic = 0.1;                   // s; a longer step is one towards rest
constexpr int kNewtonIterations = 15, kLookEvery = 5;  // of a step, before it is asked whether few particles are left
constexpr double kForcing = 0.3;                       // a step is minimised to such a share of the residual before it

// Such a step's matrix may be a rough one. What moves freely in a shorter one is to move exactly.
bool is_long(const SolverSettings& settings) { return settings.time_step >= kQuasiStatic; }

class Drape : public SpringProjection {
 public:
  Drape(const DrapeModel& model, const SolverSettings& settings)
      : SpringProjection(model, settings, settings.history, BendInMatrix::kLikeHinges,
                         is_long(settings) ? Cholesky::Kept::kShort : Cholesky::Kept::kWhole) {}

  void begin_ahead(const RunContext& run) override {
    if (!towards_rest()) return;
    ahead_ = run.aside([this] {
      blocks_ = NewtonDirections::blocks_of(model_, settings_);
      blocks_->find_order();
    });
  }

 private:
  absl::Status rest_first(const Scene& scene, DrapeState* state, StepReport* report) override {
    if (!means_.hessian_may_follow() || !towards_rest()) return absl::OkStatus();
    rests_as_a_whole_ = false;
    const std::vector<uint8_t> few = wanting(*run_, model_, gradient_);
    all_are_wanting_ = few.empty();
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
    if (!means_.by_hessian() || rests_as_a_whole_ || !towards_rest() || iteration < kNewtonIterations ||
        iteration % kLookEvery != 0)
      return false;
    return !wanting(*run_, model_, gradient_).empty();
  }

  absl::Status prepare(StepReport* report) override {
    if (towards_rest()) {
      choose_means();
      target_ = std::max(settings_.tolerance, std::min(NewtonDirections::kLoosestStep, kForcing * last_residual_));
    }
    if (!means_.by_hessian()) return SpringProjection::prepare(report);
    look_at_contacts();
    return absl::OkStatus();
  }

  // Free flight of a third of a second is no start for what something holds.
  void choose_start(const RunContext& run, const DrapeState& state) override {
    if (!towards_rest() || !is_held()) return SpringProjection::choose_start(run, state);
    std::copy(state.x.begin(), state.x.end(), x_.begin());
  }

  absl::Status find_direction(int iteration) override {
    if (!means_.by_hessian()) return SpringProjection::find_direction(iteration);
    last_iteration_ = iteration;
    RETURN_IF_ERROR(newton_->find(*run_, iteration, x_, gradient_, &direction_));
    if (!newton_->gone()) return absl::OkStatus();
    RETURN_IF_ERROR(go_on_without_newton());
    return SpringProjection::find_direction(iteration);
  }

  int most_halvings() const override {
    return std::min(NewtonDirections::kMostHalvings, SpringProjection::most_halvings());
  }

  bool far_off() const override { return means_.by_hessian(); }

  bool towards_rest() const { return is_long(settings_); }

  // Of the step that begins.
  void choose_means() {
    const bool before = means_.by_hessian();
    means_.choose({last_rms_, all_are_wanting_ && last_iteration_ + 1 >= settings_.iterations},
                  potential_.layers() != nullptr);
    last_iteration_ = 0;
    if (means_.by_hessian() == before) return;
    before ? lbfgs_.clear() : go_by_hessian();
  }

  void go_by_hessian() {
    drop_factor();
    if (!newton_) make_newton();
    newton_->forget();
  }

  void make_newton() {
    if (ahead_) ahead_->finish();
    if (!blocks_) blocks_ = NewtonDirections::blocks_of(model_, settings_);
    newton_ = std::make_unique<NewtonDirections>(potential_, settings_, &lbfgs_, KnownOrder(), std::move(blocks_));
  }

  absl::Status go_on_without_newton() {
    if (!std::isfinite(phi_)) return potential_.not_finite("factor", gradient_);
    newton_.reset();
    means_.give_up_hessian();
    look_at_contacts();
    return renew_factor();
  }

  bool try_otherwise(int iteration) override {
    if (means_.by_hessian()) return newton_->try_otherwise();
    if (SpringProjection::try_otherwise(iteration)) return true;
    if (!towards_rest()) return false;
    means_.take_hessian();  // contact may be stiffer than the constant matrix knows
    go_by_hessian();
    return true;
  }

  MeansOfDescent means_{settings_.tolerance};  // of long steps; short ones are plain
  std::unique_ptr<NewtonDirections> newton_;   // made once the plain descent has had its steps
  int last_iteration_ = 0;                     // by the Hessian, of the last step
  bool all_are_wanting_ = false;               // not just a few particles
  bool rests_as_a_whole_ = false;              // few particles are left, but they went too far for a part
  std::unique_ptr<ClothBlocks> blocks_;        // for newton_, made ahead
  std::unique_ptr<Aside> ahead_;               // makes them; goes first
};

}  // namespace

std::unique_ptr<Solver> make_drape(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<Drape>(model, settings);
}

}  // namespace tryon::sim
