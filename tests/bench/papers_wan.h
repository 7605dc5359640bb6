// What it is: the study of Wan 2020: error of the incremental potential against iterations and time for spring
// projection and Newton, frames a second, and stiffness against iterations for PBD and spring projection.
#pragma once

#include <limits>

#include "tests/bench/papers_plot.h"
#include "tests/bench/papers_scene.h"

namespace tryon::study {

// One time step of a sheet pinned at two neighbouring corners, the seventh of its fall.
class WanStep {
 public:
  WanStep(int side, double stiffness) : cloth_(square_cloth(side, false, stiffness)) {
    cloth_.pinned = {0, side - 1};
    model_ = need(sim::build_model(cloth_));
    state_ = sim::start_state(cloth_);
    settings_.tolerance = 1e-8;
    settings_.iterations = 600;
    auto warm = need(sim::make_solver("lbfgs", model_, settings_));
    for (int i = 0; i < 6; ++i) need(warm->step({}, calm(), &state_));
    sim::IncrementalPotential potential(model_, settings_);
    sim::StepReport report;
    std::vector<sim::RVec3> gradient(state_.x.size());
    if (!potential.begin({}, calm(), state_, &report).ok()) std::exit(1);
    start_ = potential.evaluate({}, potential.inertial(), &gradient);
    best_ = std::min({end_of("newton", 25, 1e-10), end_of("lbfgs", 1000, 1e-10), end_of("pd_direct", 1000, 1e-10)});
  }
  double end_of(const std::string& name, int iterations, double tolerance) const {
    sim::SolverSettings settings = settings_;
    settings.iterations = iterations;
    settings.tolerance = tolerance;
    sim::DrapeState state = state_;
    return need(need(sim::make_solver(name, model_, settings))->step({}, calm(), &state)).potential;
  }
  double error(const std::string& name, int iterations) const {
    return (end_of(name, iterations, 0) - best_) / (start_ - best_);
  }
  // CPU seconds of a step, matrices that stay made before: the fastest of `tries`.
  double seconds(const std::string& name, int iterations, int tries) const {
    sim::SolverSettings settings = settings_;
    settings.iterations = iterations;
    settings.tolerance = 0;
    auto solver = need(sim::make_solver(name, model_, settings));
    double fastest = std::numeric_limits<double>::infinity();
    for (int k = 0; k <= tries; ++k) {
      sim::DrapeState state = state_;
      const double from = cpu_s();
      need(solver->step({}, calm(), &state));
      if (k > 0) fastest = std::min(fastest, cpu_s() - from);
    }
    return fastest;
  }

 private:
  sim::ClothInput cloth_;
  sim::DrapeModel model_;
  sim::DrapeState state_;
  sim::SolverSettings settings_;
  double start_ = 0, best_ = std::numeric_limits<double>::infinity();
};

// Elongation of a sheet of 26 x 26 hung from its top edge after two seconds, over its length.
inline double hung_elongation(const std::string& solver, int iterations, double h = 1.0 / 30, int side = 26) {
  sim::ClothInput cloth = square_cloth(side, true, 1000);
  for (int i = 0; i < side; ++i) cloth.pinned.push_back((side - 1) * side + i);
  const sim::DrapeModel model = need(sim::build_model(cloth));
  sim::DrapeState state = sim::start_state(cloth);
  sim::SolverSettings settings;
  settings.time_step = h;
  settings.iterations = iterations;
  settings.tolerance = 0;
  settings.velocity_keep = 0.95;
  auto solve = need(sim::make_solver(solver, model, settings));
  for (int i = 0; i < static_cast<int>(2 / h + 0.5); ++i) need(solve->step({}, calm(), &state));
  double low = 0;
  for (int i = 0; i < side; ++i) low += static_cast<double>(state.x[i].y()) / side;
  return -low - 1;
}

// What a first Newton iteration leaves, by where it starts; S1 of the validation specification: error against
// iterations at three stiffnesses.
inline void wan_starts() {
  std::printf(
      "One Newton iteration, relative error left (paper 0.25): from the last positions (baraff_witkin) or from the "
      "lower of free flight and staying (newton):\n\n| k, N/m | from the last positions | newton |\n|---|---|---|\n");
  for (double k : {100.0, 300.0, 1000.0, 10000.0}) {
    const WanStep step(50, k);
    std::printf("| %g | %.3g | %.3g |\n", k, step.error("baraff_witkin", 1), step.error("newton", 1));
  }
  std::printf(
      "\nError against iterations (S1):\n\n| k, N/m | method | 1 | 2 | 5 | 10 | 50 | 100 |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (double k : {100.0, 1000.0, 10000.0}) {
    const WanStep step(50, k);
    for (const char* name : {"spring_projection", "pd_direct", "lbfgs", "newton", "xpbd", "pbd"}) {
      std::printf("| %g | %s |", k, name);
      for (int iterations : {1, 2, 5, 10, 50, 100}) {
        const bool known = name != std::string("newton") || iterations <= 10;
        std::printf(known ? " %.2g |" : " |", known ? step.error(name, iterations) : 0);
      }
      std::printf("\n");
    }
  }
  std::printf("\n");
}

inline void wan_study(const std::string& folder) {
  std::printf("## Wan 2020: spring projection, 2,500 particles, 4,802 triangles, h = 1/30 s\n\n");
  const WanStep step(50, 1000);
  std::printf("| iterations | paper ms | ours ms | paper error | ours error |\n|---|---|---|---|---|\n");
  const char* paper_ms[] = {"5.4", "", "", "50.6", "", "", "501"};
  const char* paper_error[] = {"0.36", "", "", "0.20", "", "", ""};
  Plot plot{
      "Wan 2020: error of the incremental potential against time", "CPU ms of one step", "relative error", true, true,
      {{"spring_projection", {}}, {"lbfgs", {}}, {"newton", {}}}};
  int row = 0;
  for (int iterations : {1, 2, 5, 10, 20, 50, 100}) {
    const double error = step.error("spring_projection", iterations),
                 ms = 1e3 * step.seconds("spring_projection", iterations, 3);
    std::printf("| spring_projection %d | %s | %.2f | %s | %.3g |\n", iterations, paper_ms[row], ms, paper_error[row],
                error);
    plot.series[0].points.emplace_back(ms, error);
    plot.series[1].points.emplace_back(1e3 * step.seconds("lbfgs", iterations, 3), step.error("lbfgs", iterations));
    ++row;
  }
  for (int iterations : {1, 2, 3, 5, 8}) {
    const double error = step.error("newton", iterations), ms = 1e3 * step.seconds("newton", iterations, 1);
    std::printf("| newton %d | %s | %.1f | %s | %.3g |\n", iterations, iterations == 1 ? "181" : "", ms,
                iterations == 1 ? "0.25" : "", error);
    plot.series[2].points.emplace_back(ms, error);
  }
  write_plot(folder + "/wan_error.svg", plot);
  const double fps = 1 / step.seconds("spring_projection", 5, 3), newton = 1 / step.seconds("newton", 1, 2);
  std::printf(
      "\nFrames a second: spring_projection with 5 iterations %.0f (paper: about 30), newton with 1 iteration %.1f "
      "(paper: 7.6).\n\n",
      fps, newton);
  wan_starts();
  std::printf(
      "Elongation of a sheet hung by its edge after 2 s, exact %.4f %%:\n\n| iterations | pbd %% | xpbd %% | "
      "spring_projection %% |\n|---|---|---|---|\n",
      100 * 0.15 * 9.80665 / 2000);
  Plot stiff{"Wan 2020: elongation against iterations",
             "iterations a step",
             "elongation, %",
             true,
             true,
             {{"pbd", {}}, {"xpbd", {}}, {"spring_projection", {}}}};
  for (int iterations : {1, 2, 5, 10, 20, 50, 100}) {
    double e[3];
    const char* names[] = {"pbd", "xpbd", "spring_projection"};
    for (int k = 0; k < 3; ++k) {
      e[k] = 100 * hung_elongation(names[k], iterations);
      stiff.series[k].points.emplace_back(iterations, e[k]);
    }
    std::printf("| %d | %.3f | %.3f | %.4f |\n", iterations, e[0], e[1], e[2]);
  }
  write_plot(folder + "/wan_stiffness.svg", stiff);
  std::printf("\n");
}

}  // namespace tryon::study
