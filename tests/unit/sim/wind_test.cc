// Ji 2004's wind against its closed forms (validation 2.8).
#include "server/sim/forces/wind.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/base/units.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using Eigen::Vector3d;
using testing::make_sheet;
using testing::SheetOptions;

TEST(Wind, AirThatMovesWithTheVertexGivesNoForce) {
  Wind wind;
  wind.velocity = Vector3d(1, 2, 3);
  EXPECT_EQ(wind_force(wind, Vector3d(1, 2, 3), Vector3d::UnitX(), 1.0).norm(), 0.0);
}

TEST(Wind, DragIsKTimesFacingTimesSpeedSquaredAlongTheAir) {
  Wind wind;
  wind.velocity = Vector3d(3, 0, 0);
  wind.lift = 0;
  const Vector3d n = Vector3d(1, 1, 0).normalized();
  EXPECT_LT((wind_force(wind, Vector3d::Zero(), n, 2.0) - Vector3d(0.77 * std::sqrt(0.5) * 9 * 2, 0, 0)).norm(), 1e-12);
}

TEST(Wind, LiftStandsAcrossTheAirAndPointsAwayFromTheBody) {
  Wind wind;
  wind.velocity = Vector3d(3, 0, 0);
  wind.drag = 0;
  for (double angle : {0.2, 0.9, 2.5, 4.0}) {
    const Vector3d n(std::cos(angle), std::sin(angle), 0);
    const Vector3d f = wind_force(wind, Vector3d::Zero(), n, 1.0);
    EXPECT_NEAR(f.dot(wind.velocity), 0, 1e-12);
    EXPECT_GT(f.dot(n), 0);
    EXPECT_NEAR(f.norm(), 0.2 * std::abs(std::sin(angle)) * 9, 1e-12);  // cos(theta), pi/2 - theta between V and n
    wind.lift_law = LiftLaw::kFacing;
    EXPECT_NEAR(wind_force(wind, Vector3d::Zero(), n, 1.0).norm(), 0.2 * std::abs(std::cos(angle)) * 9, 1e-12);
    wind.lift_law = LiftLaw::kPaper;
  }
}

TEST(Wind, SquareToTheAirThereIsNoLiftEdgeOnNoDrag) {
  Wind wind;
  wind.velocity = Vector3d(0, 0, 4);
  EXPECT_LT((wind_force(wind, Vector3d::Zero(), Vector3d::UnitZ(), 1.0) - Vector3d(0, 0, 0.77 * 16)).norm(), 1e-12);
  wind.lift = 0;
  EXPECT_EQ(wind_force(wind, Vector3d::Zero(), Vector3d::UnitX(), 1.0).norm(), 0.0);
}

TEST(Wind, OnlyTheRelativeVelocityCounts) {
  Wind blowing, still;
  blowing.velocity = Vector3d(2, -1, 0.5);
  const Vector3d n = Vector3d(0.3, 0.4, 0.866).normalized();
  EXPECT_LT((wind_force(blowing, Vector3d::Zero(), n, 1.0) - wind_force(still, -blowing.velocity, n, 1.0)).norm(),
            1e-12);
}

// A strip hung from its top edge in a steady wind along +z stands straight at the table's angle.
double hanging_angle(double q, double lift_ratio, LiftLaw law) {
  SheetOptions o;
  o.hung = true;
  o.width = 0.1;
  o.length = 0.5;
  o.columns = 4;
  o.rows = 24;
  ClothInput cloth = make_sheet(o);
  cloth.fabric.areal_density = 0.12;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 0;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 5000;
  for (int i = 0; i <= 4; ++i) cloth.pinned.push_back(24 * 5 + i);
  const DrapeModel model = build_model(cloth).value();
  Scene scene;
  scene.wind.drag = 0.6;
  scene.wind.lift = 0.6 * lift_ratio;
  scene.wind.lift_law = law;
  scene.wind.velocity = Vector3d(0, 0, std::sqrt(q * 0.12 * kGravity / 0.6));  // the normals point to +z: downwind
  SolverSettings settings;
  settings.iterations = 30;
  auto solver = make_solver(kDefaultSolver, model, settings).value();
  DrapeState state = start_state(cloth);
  for (int step = 0; step < 400; ++step) EXPECT_TRUE(solver->step({}, scene, &state).ok());
  const RVec3 tip = (state.x[0] + state.x[4]) / 2, top = (state.x[24 * 5] + state.x[24 * 5 + 4]) / 2;
  double crooked = 0;
  for (int j = 0; j <= 24; ++j) {
    const RVec3 p = (state.x[j * 5] + state.x[j * 5 + 4]) / 2 - top, d = (tip - top).normalized();
    crooked = std::max(crooked, static_cast<double>((p - p.dot(d) * d).norm()));
  }
  EXPECT_LT(crooked, 0.01 * 0.5);
  return degrees(std::atan2(static_cast<double>(tip.z() - top.z()), static_cast<double>(top.y() - tip.y())));
}

TEST(WindOnAHangingSheet, StandsAtTheTablesAngleWithoutLift) {
  EXPECT_NEAR(hanging_angle(0.5, 0, LiftLaw::kPaper), 24.4698, 0.5);
  EXPECT_NEAR(hanging_angle(1.0, 0, LiftLaw::kPaper), 38.1727, 0.5);
}

TEST(WindOnAHangingSheet, StandsAtTheTablesAngleWithLiftByFacing) {
  EXPECT_NEAR(hanging_angle(0.5, 0.3, LiftLaw::kFacing), 27.1723, 0.5);
  EXPECT_NEAR(hanging_angle(1.0, 0.3, LiftLaw::kFacing), 43.0843, 0.5);
}

TEST(WindOnAHangingSheet, WithThePapersLiftTheNormalBalanceIsQCosSquaredPlusLiftSinSquaredEqualsSin) {
  for (double q : {0.5, 1.0}) {
    const double r = 0.3, a = q * (1 - r);  // a s^2 + s - q = 0
    const double sine = (-1 + std::sqrt(1 + 4 * a * q)) / (2 * a);
    EXPECT_NEAR(hanging_angle(q, r, LiftLaw::kPaper), degrees(std::asin(sine)), 0.5);
  }
}

TEST(WindOnAFallingSheet, ReachesTheTerminalVelocity) {
  SheetOptions o;
  o.width = o.length = 0.2;
  o.columns = o.rows = 4;
  ClothInput cloth = make_sheet(o);
  cloth.fabric.areal_density = 0.12;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 1e-2;
  const DrapeModel model = build_model(cloth).value();
  Scene scene;
  scene.wind.drag = 0.5 * kAirDensity * 1.28;
  scene.wind.lift = 0;
  SolverSettings settings;
  settings.time_step = 1.0 / 60;
  settings.velocity_keep = 1;
  settings.iterations = 30;
  auto solver = make_solver(kDefaultSolver, model, settings).value();
  DrapeState state = start_state(cloth);
  for (int step = 0; step < 120; ++step) ASSERT_TRUE(solver->step({}, scene, &state).ok());
  EXPECT_NEAR(-static_cast<double>(state.v[12].y()), 1.235799, 0.005 * 1.235799);
}

}  // namespace
}  // namespace tryon::sim
