// What it is: a cloth let go without weight or air: how long a swing takes, and what is left of its way out a period
// later. Units: SI. How it fails: a step that fails ends the test's claim; fewer than five swings give 0.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "server/base/units.h"
#include "server/sim/model.h"
#include "server/sim/solvers/solver.h"

namespace tryon::sim::testing {

struct Swings {
  double period = 0.0;     // s, between the second and the fourth time that the particle passes the middle
  double decrement = 0.0;  // logarithm of what is left of its way out a period later
};

// By one coordinate of one particle, whose middle is 0.
inline Swings swings_of(const ClothInput& cloth, int particle, int axis, double time_step) {
  const DrapeModel model = build_model(cloth).value();
  SolverSettings settings;
  settings.time_step = time_step;
  settings.velocity_keep = 1.0;
  settings.iterations = 60;
  settings.tolerance = 1e-6;
  auto solver = make_solver("newton", model, settings).value();
  Scene still;
  still.gravity.setZero();
  still.wind.drag = still.wind.lift = 0.0;
  DrapeState state = start_state(cloth);
  std::vector<double> passed;
  std::array<double, 6> peak{};  // after each passing
  for (double before = 1.0; passed.size() < 5 && state.step < 2000;) {
    EXPECT_TRUE(solver->step({}, still, &state).ok());
    const double tip = static_cast<double>(state.x[static_cast<size_t>(particle)][axis]);
    if (before * tip <= 0) passed.push_back(state.time - time_step * tip / (tip - before));
    peak[passed.size()] = std::max(peak[passed.size()], std::abs(tip));
    before = tip;
  }
  if (passed.size() < 5) return {};
  return {passed[3] - passed[1], std::log(peak[4] / peak[2])};
}

// exp(-pi damping omega) a period is left of a swing whose stiffness is damped in proportion. Both runs lose alike to
// the time step, which the difference leaves out.
inline void expect_viscous_loss(const Swings& free, const Swings& damped, double damping, double within) {
  ASSERT_GT(free.period, 0.0);
  const double expected = -kPi * damping * 2 * kPi / free.period;
  EXPECT_NEAR(damped.decrement - free.decrement, expected, within * std::abs(expected));
}

}  // namespace tryon::sim::testing
