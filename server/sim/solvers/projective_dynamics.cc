#include "server/sim/solvers/projective_dynamics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "server/base/status.h"
#include "server/sim/solvers/global_step.h"
#include "server/sim/solvers/incremental_potential.h"
#include "server/sim/solvers/step_clock.h"

namespace tryon::sim {

namespace {

constexpr int kSweeps = 4;                 // Gauss-Seidel sweeps a global step
constexpr double kLinearReduction = 1e-3;  // multigrid: of the residual, a global step

// Common to all: begin, iterate until small or out of iterations, finish.
class LocalGlobal : public Solver {
 public:
  LocalGlobal(const DrapeModel& model, const SolverSettings& settings)
      : model_(model), settings_(settings), potential_(model, settings) {
    for (auto* v : {&x_, &gradient_, &move_}) v->assign(model.particle_count, RVec3::Zero());
    added_.assign(model.particle_count, 0.0);
  }

  absl::StatusOr<StepReport> step(const RunContext& run, const Scene& scene, DrapeState* state) final {
    const double start = now_s();
    StepReport report;
    RETURN_IF_ERROR(potential_.begin(run, scene, *state, &report));
    for (int i = 0; i < model_.particle_count; ++i) x_[i] = potential_.flight(i);
    RETURN_IF_ERROR(note_contacts(run));
    begin_iterations();
    for (; report.iterations < settings_.iterations; ++report.iterations) {
      RETURN_IF_ERROR(run.check());
      potential_.refresh_contacts(run, scene, x_);
      if (2 * report.iterations == settings_.iterations) potential_.contact().lag_normal_forces(x_);
      report.potential = potential_.evaluate(run, x_, &gradient_);
      if (!std::isfinite(report.potential)) return potential_.not_finite("forces", gradient_);
      if (small(gradient_) || !iterate(run, report.potential)) break;
      RETURN_IF_ERROR(run.check());
    }
    report.potential = potential_.evaluate(run, x_, &gradient_);
    if (!std::isfinite(report.potential)) return potential_.not_finite("solve", x_);
    potential_.finish(run, scene, x_, state, &report);
    report.total_s = now_s() - start;
    return report;
  }

 protected:
  virtual void begin_iterations() {}
  virtual absl::Status set_diagonal(const RunContext& run, const std::vector<double>& added) = 0;
  virtual bool iterate(const RunContext& run, double phi) = 0;  // from gradient_ at x_ to the next x_; false: no nearer

  const DrapeModel& model_;
  const SolverSettings settings_;
  IncrementalPotential potential_;
  std::vector<RVec3> x_, gradient_, move_;  // [particle_count]

 private:
  bool small(const std::vector<RVec3>& gradient) const {
    const double limit = settings_.tolerance * static_cast<double>(model_.mean_weight);
    double largest = 0;
    for (const RVec3& g : gradient) largest = std::max(largest, static_cast<double>(g.squaredNorm()));
    return largest <= limit * limit;
  }

  absl::Status note_contacts(const RunContext& run) {
    const ContactSet& contact = potential_.contact();
    for (int i = 0; i < model_.particle_count; ++i)
      added_[i] = !potential_.pinned(i) && contact.near(i, x_[i]) ? static_cast<double>(contact.stiffness(i)) : 0.0;
    return set_diagonal(run, added_);
  }

  std::vector<double> added_;  // [particle_count] contact stiffness on the diagonal
};

class WithGlobalStep : public LocalGlobal {
 public:
  WithGlobalStep(const DrapeModel& model, const SolverSettings& settings) : LocalGlobal(model, settings) {}
  void take(std::unique_ptr<GlobalStep> global) { global_ = std::move(global); }
  Eigen::SparseMatrix<double> matrix() const { return potential_.constant_matrix(); }

 private:
  absl::Status set_diagonal(const RunContext& run, const std::vector<double>& added) override {
    return global_->set_diagonal(run, added);
  }
  bool iterate(const RunContext& run, double) override {
    global_->solve(run, gradient_, &move_);
    for (size_t i = 0; i < x_.size(); ++i) x_[i] -= move_[i];
    return true;
  }

  std::unique_ptr<GlobalStep> global_;
};

// Wang 2015: Jacobi steps, extrapolated by Chebyshev's recurrence for the spectral radius rho. The diagonal is that of
// row sums, whose Jacobi never diverges on a positive definite matrix. Where g rises the recurrence starts afresh;
// where every Jacobi step is lost in the digits of its position it ends, since it would extrapolate rounding.
class Chebyshev : public LocalGlobal {
 public:
  Chebyshev(const DrapeModel& model, const SolverSettings& settings)
      : LocalGlobal(model, settings), before_(model.particle_count, RVec3::Zero()) {
    const Eigen::SparseMatrix<double> matrix = potential_.constant_matrix();
    row_sum_.assign(model.particle_count, 0.0);
    for (int j = 0; j < matrix.cols(); ++j)
      for (Eigen::SparseMatrix<double>::InnerIterator it(matrix, j); it; ++it) row_sum_[j] += std::abs(it.value());
    diagonal_ = row_sum_;
    estimate_radius(matrix);
  }

 private:
  // Power iteration on I - D^-1 A from a fixed start.
  void estimate_radius(const Eigen::SparseMatrix<double>& matrix) {
    const Eigen::VectorXd inverse = Eigen::Map<const Eigen::VectorXd>(row_sum_.data(), matrix.cols()).cwiseInverse();
    Eigen::VectorXd v(matrix.cols());
    for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = 1 + 0.1 * std::sin(static_cast<double>(i));
    double radius = 0;
    for (int k = 0; k < 60; ++k) {
      v.normalize();
      const Eigen::VectorXd next = v - inverse.cwiseProduct(matrix * v);
      radius = next.norm();
      v = next;
    }
    radius_ = std::min(radius, 0.9999);
  }

  absl::Status set_diagonal(const RunContext&, const std::vector<double>& added) override {
    for (size_t i = 0; i < added.size(); ++i) diagonal_[i] = row_sum_[i] + added[i];
    return absl::OkStatus();
  }

  void begin_iterations() override { count_ = 0; }

  bool iterate(const RunContext&, double phi) override {
    if (in_last_digits()) return false;
    if (count_ > 0 && phi > last_phi_) count_ = 0;
    last_phi_ = phi;
    omega_ = count_ == 0 ? 1.0 : count_ == 1 ? 2 / (2 - radius_ * radius_) : 4 / (4 - radius_ * radius_ * omega_);
    ++count_;
    for (size_t i = 0; i < x_.size(); ++i) {
      const RVec3 jacobi = x_[i] - gradient_[i] / static_cast<Real>(diagonal_[i]);
      const RVec3 now = x_[i];
      x_[i] = omega_ == 1.0 ? jacobi : RVec3(before_[i] + static_cast<Real>(omega_) * (jacobi - before_[i]));
      before_[i] = now;
    }
    return true;
  }

  bool in_last_digits() const {
    constexpr Real kDigits = 4 * std::numeric_limits<Real>::epsilon();
    Real extent = 0;
    for (const RVec3& x : x_) extent = std::max(extent, x.cwiseAbs().maxCoeff());
    for (size_t i = 0; i < x_.size(); ++i)
      if (gradient_[i].cwiseAbs().maxCoeff() > kDigits * extent * static_cast<Real>(diagonal_[i])) return false;
    return true;
  }

  std::vector<double> row_sum_, diagonal_;
  std::vector<RVec3> before_;
  double radius_ = 0, omega_ = 1, last_phi_ = 0;
  int count_ = 0;
};

}  // namespace

std::unique_ptr<Solver> make_pd_direct(const DrapeModel& model, const SolverSettings& settings) {
  auto solver = std::make_unique<WithGlobalStep>(model, settings);
  solver->take(make_direct_step(solver->matrix()));
  return solver;
}

std::unique_ptr<Solver> make_pd_gauss_seidel(const DrapeModel& model, const SolverSettings& settings) {
  auto solver = std::make_unique<WithGlobalStep>(model, settings);
  solver->take(make_gauss_seidel_step(solver->matrix(), kSweeps, settings.relaxation));
  return solver;
}

std::unique_ptr<Solver> make_pd_multigrid(const DrapeModel& model, const SolverSettings& settings) {
  auto solver = std::make_unique<WithGlobalStep>(model, settings);
  solver->take(make_multigrid_step(solver->matrix(), kLinearReduction));
  return solver;
}

std::unique_ptr<Solver> make_pd_chebyshev(const DrapeModel& model, const SolverSettings& settings) {
  return std::make_unique<Chebyshev>(model, settings);
}

}  // namespace tryon::sim
