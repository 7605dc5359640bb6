// What it is: the study of Yong 2021: what one global step of projective dynamics costs against the number of
// particles, solved to a hundredth of its right-hand side, by four ways, with the exponents of the cost fitted by least
// squares.
#pragma once

#include "server/sim/solvers/global_step.h"
#include "tests/bench/papers_plot.h"
#include "tests/bench/papers_scene.h"

namespace tryon::study {

// A step's own right-hand side: the gradient of a sheet in free fall from two pinned corners.
struct YongSystem {
  Eigen::SparseMatrix<double> matrix;
  std::vector<sim::RVec3> right;
  explicit YongSystem(int side) {
    sim::ClothInput cloth = square_cloth(side, false, 1000);
    cloth.layout = sim::SpringLayout::kThreads;
    cloth.pinned = {0, side - 1};
    const sim::DrapeModel model = need(sim::build_model(cloth));
    sim::IncrementalPotential potential(model, {});
    matrix = potential.constant_matrix();
    sim::DrapeState state = sim::start_state(cloth);
    for (size_t i = 0; i < state.x.size(); ++i) state.x[i].y() += 0.02 * std::sin(7 * state.x[i].x());
    sim::StepReport report;
    right.resize(state.x.size());
    if (!potential.begin({}, calm(), state, &report).ok()) std::exit(1);
    potential.evaluate({}, state.x, &right);
  }
  double residual(const std::vector<sim::RVec3>& d) const {
    const int n = static_cast<int>(right.size());
    Eigen::MatrixXd x(n, 3), r(n, 3);
    for (int i = 0; i < n; ++i)
      x.row(i) = d[i].cast<double>().transpose(), r.row(i) = right[i].cast<double>().transpose();
    return (r - matrix * x).norm() / r.norm();
  }
};

struct YongCost {
  double make = 0, solve = 0;  // CPU s
  int iterations = 0;
};

inline YongCost timed(const YongSystem& system, const std::function<std::unique_ptr<sim::GlobalStep>()>& make) {
  YongCost cost;
  const double from = cpu_s();
  auto step = make();
  if (!step->set_diagonal(std::vector<double>(system.right.size(), 0.0)).ok()) std::exit(1);
  cost.make = cpu_s() - from;
  std::vector<sim::RVec3> d(system.right.size());
  const double begin = cpu_s();
  step->solve({}, system.right, &d);
  cost.solve = cpu_s() - begin;
  return cost;
}

// Over-relaxed by 1.8. Sweeps double until the residual is a hundredth; the time is that of the last number.
inline YongCost gauss_seidel_cost(const YongSystem& system) {
  for (int sweeps = 32;; sweeps *= 2) {
    auto step = sim::make_gauss_seidel_step(system.matrix, sweeps, 1.8);
    std::vector<sim::RVec3> d(system.right.size());
    const double from = cpu_s();
    step->solve({}, system.right, &d);
    const double took = cpu_s() - from;
    if (system.residual(d) < 1e-2 || sweeps > 4000) return {0, took, sweeps};
  }
}

// Wang 2015: Jacobi by row sums, extrapolated by Chebyshev's recurrence for a spectral radius estimated beforehand.
inline YongCost chebyshev_cost(const YongSystem& system) {
  const int n = static_cast<int>(system.right.size());
  const Eigen::SparseMatrix<double>& a = system.matrix;
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(n);
  for (int j = 0; j < n; ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(a, j); it; ++it) sums[j] += std::abs(it.value());
  const Eigen::VectorXd inverse = sums.cwiseInverse();
  Eigen::VectorXd v = Eigen::VectorXd::Ones(n);
  double radius = 0;
  const double start = cpu_s();
  for (int k = 0; k < 60; ++k) {
    v.normalize();
    const Eigen::VectorXd next = v - inverse.cwiseProduct(a * v);
    radius = next.norm();
    v = next;
  }
  const double made = cpu_s() - start;
  Eigen::MatrixXd r(n, 3), x = Eigen::MatrixXd::Zero(n, 3), before = x;
  for (int i = 0; i < n; ++i) r.row(i) = system.right[i].cast<double>().transpose();
  const double from = cpu_s();
  double omega = 1;
  for (int k = 0; k < 20000; ++k) {
    const Eigen::MatrixXd residual = r - a * x;
    if (residual.norm() < 1e-2 * r.norm()) return {made, cpu_s() - from, k};
    omega = k < 2 ? 1 : k == 2 ? 2 / (2 - radius * radius) : 4 / (4 - radius * radius * omega);
    const Eigen::MatrixXd next = omega * (x + inverse.asDiagonal() * residual - before) + before;
    before = x;
    x = next;
  }
  return {made, cpu_s() - from, 20000};
}

inline double fitted_exponent(const std::vector<std::pair<double, double>>& points) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (const auto& [a, b] : points) {
    const double x = std::log(a), y = std::log(std::max(b, 1e-6));
    n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

inline void yong_study(const std::string& folder, int largest = 316) {
  std::printf(
      "## Yong 2021: one global step against the number of particles\n\nSolved to a residual of 1e-2, CPU ms of one "
      "thread (iterations):\n\n| particles | direct, factor | direct, solve | Chebyshev-Jacobi | SOR 1.8 | "
      "multigrid, make | multigrid, solve |\n|---|---|---|---|---|---|---|\n");
  Plot plot{"Yong 2021: cost of a global step",
            "particles",
            "CPU ms",
            true,
            true,
            {{"direct, factor", {}}, {"direct, solve", {}}, {"Chebyshev", {}}, {"SOR 1.8", {}}, {"multigrid", {}}}};
  for (int side : {50, 71, 100, 158, 224, 316}) {
    if (side > largest) break;
    const YongSystem system(side);
    const double n = side * side;
    const YongCost direct = timed(system, [&] { return sim::make_direct_step(system.matrix); });
    const YongCost grid = timed(system, [&] { return sim::make_multigrid_step(system.matrix, 1e-2); });
    const YongCost chebyshev = chebyshev_cost(system), sweeps = gauss_seidel_cost(system);
    std::printf("| %d | %.1f | %.2f | %.1f (%d) | %.1f (%d%s) | %.1f | %.1f |\n", side * side, 1e3 * direct.make,
                1e3 * direct.solve, 1e3 * chebyshev.solve, chebyshev.iterations, 1e3 * sweeps.solve, sweeps.iterations,
                sweeps.iterations > 4000 ? ", cut off" : "", 1e3 * grid.make, 1e3 * grid.solve);
    std::fflush(stdout);
    const double ms[] = {1e3 * direct.make, 1e3 * direct.solve, 1e3 * chebyshev.solve, 1e3 * sweeps.solve,
                         1e3 * grid.solve};
    for (int k = 0; k < 5; ++k) plot.series[k].points.emplace_back(n, ms[k]);
  }
  std::printf("\nFitted exponents of the particle number:");
  for (const Series& s : plot.series) std::printf(" %s %.2f;", s.name.c_str(), fitted_exponent(s.points));
  std::printf("\n\n");
  write_plot(folder + "/yong_cost.svg", plot);
}

}  // namespace tryon::study
