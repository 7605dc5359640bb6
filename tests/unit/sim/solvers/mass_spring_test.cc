// Explicit mass-spring: Ji's correction takes over-elongation away; substeps lie just below the stability limit.
#include "server/sim/solvers/mass_spring.h"

#include "Eigen/Eigenvalues"
#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/sim/constraints/elastic.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

// Ji 2004, figure 1: a cloth over a sphere without and with internal-force correction.
double worst_elongation(double threshold) {
  const SphereCollider sphere(Vec3(0, 0, 0), 0.1);
  ClothInput cloth = soft_sheet(14, 0.105);
  cloth.layout = SpringLayout::kEdges;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 2;
  cloth.fabric.areal_density = 0.3;
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  SolverSettings settings;
  settings.strain_threshold = threshold;
  auto solver = make_solver("mass_spring", model, settings).value();
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(solver->step({}, still_scene(&sphere), &state).ok());
  double worst = 0;
  for (int i = 0; i < model.springs.count(); ++i) {
    if (model.springs.kind[i] == SpringKind::kBend) continue;
    const double length = static_cast<double>((state.x[model.springs.a[i]] - state.x[model.springs.b[i]]).norm());
    worst = std::max(worst, length / static_cast<double>(model.springs.rest[i]) - 1);
  }
  return worst;
}

TEST(MassSpring, InternalForceCorrectionTakesAwayOverElongation) {
  const double before = worst_elongation(0), after = worst_elongation(0.05);
  EXPECT_GT(before, 0.15);
  EXPECT_LT(after, 0.6 * before);
}

TEST(MassSpring, AFabricTooStiffForExplicitStepsIsRefused) {
  ClothInput cloth = soft_sheet();
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 1e6;
  cloth.fabric.areal_density = 0.001;
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  SolverSettings settings;
  settings.time_step = 0.1;
  const auto report = make_solver("mass_spring", model, settings).value()->step({}, still_scene(), &state);
  ASSERT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(error_detail(report.status())->reason, "STEP_TOO_STIFF");
}

TEST(MassSpring, TheSubstepIsJustBelowTheStabilityLimit) {
  ClothInput cloth = soft_sheet(4);
  cloth.layout = SpringLayout::kEdges;
  const DrapeModel model = build_model(cloth).value();
  SolverSettings settings;
  settings.strain_threshold = 0;
  // The true highest eigenfrequency of the flat sheet's springs along their own directions lies below the bound.
  ElasticEnergy energy(model, 0);
  const Eigen::VectorXd inverse_root =
      Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>>(model.inverse_mass.data(), model.particle_count)
          .cast<double>()
          .cwiseSqrt();
  const Eigen::MatrixXd scaled =
      inverse_root.asDiagonal() * Eigen::MatrixXd(energy.matrix()) * inverse_root.asDiagonal();
  const double highest = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scaled).eigenvalues().maxCoeff();
  const double limit = 2 / std::sqrt(highest);
  EXPECT_LE(stable_substep(model, settings), limit * (1 + 1e-12));
  EXPECT_GT(stable_substep(model, settings), 0.5 * limit);
}

}  // namespace
}  // namespace tryon::sim
