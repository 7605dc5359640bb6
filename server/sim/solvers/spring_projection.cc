#include "server/sim/solvers/spring_projection.h"

#include <algorithm>

#include "server/base/status.h"
#include "server/base/text.h"

namespace tryon::sim {

namespace {

constexpr int kSurfaceTurn = 16, kLongestTurn = 64;  // iterations from one move along the surface to the next
constexpr int kSurfaceHalvings = 3;                  // of such a move; a shorter one is not worth its price
constexpr double kRefactorShare = 0.002;             // of the particles

}  // namespace

SpringProjection::SpringProjection(const DrapeModel& model, const SolverSettings& settings, int history,
                                   BendInMatrix bend, Cholesky::Kept kept)
    : DescentSolver(model, settings),
      lbfgs_(history, model.particle_count, kept == Cholesky::Kept::kShort ? Lbfgs::Kept::kRough : Lbfgs::Kept::kWhole),
      history_(history),
      matrix_(potential_.constant_matrix(bend)),
      cholesky_(kept),
      turn_(kSurfaceTurn) {
  const int n = model.particle_count;
  for (int j = 0; j < n; ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(matrix_, j); it; ++it)
      if (it.row() == j) {
        diagonal_place_.push_back(static_cast<int>(&it.valueRef() - matrix_.valuePtr()));
        diagonal_.push_back(it.value());
      }
  values_.assign(matrix_.valuePtr(), matrix_.valuePtr() + matrix_.nonZeros());
  analyse();
  in_matrix_.assign(n, 0);
  wanted_.assign(n, 0);
}

void SpringProjection::analyse() {
  cholesky_.analyse(matrix_);
  free_cholesky_ = cholesky_;
}

void SpringProjection::drop_factor() {
  cholesky_.forget(), free_cholesky_.forget();
  factored_ = along_surface_ = false;
}

// Particles at the body get their contact stiffness on the diagonal: without it A takes a resting cloth for a free one,
// and the line search cuts every step to a thirtieth (measured on a cloth over a sphere). The pattern never changes, so
// only the numbers are factorised anew, at most once a step and only when enough particles changed side: it costs about
// as much as ten iterations. The quasi-Newton pairs stay, since the energy's own curvature has not changed.
absl::Status SpringProjection::prepare(StepReport* report) {
  if (!look_at_contacts()) return absl::OkStatus();
  report->refactored = true;
  return renew_factor();
}

bool SpringProjection::look_at_contacts() {
  const ContactSet& contact = potential_.contact();
  int changes = 0;
  touching_ = false;
  for (int i = 0; i < model_.particle_count; ++i) {
    wanted_[i] = !potential_.pinned(i) && contact.near(i, x_[i]) ? contact.stiffness(i) : Real(0);
    changes += wanted_[i] != in_matrix_[i];
    touching_ = touching_ || wanted_[i] > 0;
  }
  return !factored_ || changes > kRefactorShare * model_.particle_count;
}

absl::Status SpringProjection::renew_factor() {
  if (cholesky_.panel_count() == 0) analyse();  // dropped
  in_matrix_ = wanted_;
  for (int i = 0; i < model_.particle_count; ++i)
    values_[diagonal_place_[i]] = diagonal_[i] + static_cast<double>(in_matrix_[i]);
  const auto factor = [this](const double* values, Cholesky* to) {
    const int failed = to->factor(values, *run_);
    return failed >= 0 ? to->factor_in_double(values, *run_) : failed;
  };
  int failed = factor(values_.data(), &cholesky_);
  if (!factored_ && failed == -1) failed = factor(matrix_.valuePtr(), &free_cholesky_);
  factored_ = failed == -1;
  if (failed == Cholesky::kStopped) return run_->check();
  if (failed >= 0) return internal_fault(cat("phase factor: the pivot of particle ", failed, " is not positive"));
  return absl::OkStatus();
}

// Wan 2020 starts at y. Free flight is exact from y + h^2 f/m; at a body that point is pushed out along the normals, or
// else the last position is kept, whichever is lower: sliding cloth starts from the first, resting cloth from the
// second.
void SpringProjection::choose_start(const RunContext& run, const DrapeState& state) {
  for (int i = 0; i < model_.particle_count; ++i)
    x_[i] = history_ == 0 ? potential_.inertial()[i] : potential_.flight(i);
  if (history_ == 0) return;
  if (!is_held()) return;  // in free flight the first also keeps the momentum
  const double fresh = potential_.evaluate(run, x_, &trial_gradient_);
  const double stay = potential_.evaluate(run, state.x, &trial_gradient_);
  if (stay < fresh) std::copy(state.x.begin(), state.x.end(), x_.begin());
}

// Where the last move along the surface got nowhere, the next one waits twice as long, into later steps too.
void SpringProjection::take_turns(int iteration) {
  if (along_surface_) {
    turn_ = halvings_ < kSurfaceHalvings ? kSurfaceTurn : std::min(2 * turn_, kLongestTurn);
    until_turn_ = turn_;
  }
  along_surface_ = touching_ && iteration > 0 && --until_turn_ <= 0;
}

int SpringProjection::most_halvings() const {
  return along_surface_ ? kSurfaceHalvings : DescentSolver::most_halvings();
}

// While the body is touched, one iteration in kSurfaceTurn or more uses a second matrix. The usual one, with contact
// stiffness on its diagonal, moves pressed particles well along the normal, but holds them along the surface too (a
// scalar entry has no direction), where sliding cloth is thousands of times softer; the free matrix then moves the
// cloth with what its contacts hold taken out. Taking turns evenly costs a drape half its convergence, none at all
// makes sliding sticky.
absl::Status SpringProjection::find_direction(int iteration) {
  take_turns(iteration);
  const auto hold = [this](std::vector<RVec3>* r) {
    for (int i = 0; i < model_.particle_count; ++i) potential_.contact().keep_free_part(i, x_[i], &(*r)[i]);
  };
  lbfgs_.find_way(*run_, gradient_, &direction_, [&](std::vector<RVec3>* r) {
    if (!along_surface_) return cholesky_.solve(r->data(), r->data(), *run_);
    hold(r);
    free_cholesky_.solve(r->data(), r->data(), *run_);
    hold(r);
  });
  return absl::OkStatus();
}

void SpringProjection::accepted() { lbfgs_.push(*run_, x_, gradient_, trial_, trial_gradient_); }

bool SpringProjection::try_otherwise(int) {
  if (along_surface_) return true;
  if (lbfgs_.pairs() == 0) return false;
  lbfgs_.clear();
  return true;
}

std::unique_ptr<Solver> make_spring_projection(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<SpringProjection>(model, settings, 0);
}

std::unique_ptr<Solver> make_lbfgs(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<SpringProjection>(model, settings, settings.history);
}

}  // namespace tryon::sim
