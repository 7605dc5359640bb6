// Gusts, turbulence and the normal force of triangles (validation 2.8).
#include "server/sim/forces/air.h"

#include <cmath>
#include <cstring>

#include "gtest/gtest.h"
#include "server/base/units.h"
#include "server/sim/forces/outer.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using Eigen::Vector3d;
using namespace tryon::sim::testing;

Wind turbulent(uint64_t seed) {
  Wind wind;
  wind.velocity = Vector3d(4, 0, 1);
  wind.turbulence = 0.3;
  wind.seed = seed;
  return wind;
}

TEST(Air, SteadyWindIsTheMeanEverywhere) {
  Wind wind;
  wind.velocity = Vector3d(1, 2, 3);
  EXPECT_EQ((AirField(wind).velocity(Vector3d(5, 6, 7), 8.0) - wind.velocity).norm(), 0);
}

TEST(Air, WindThatHasStoppedIsStillWhateverItsGustsWere) {
  Wind wind;
  wind.gust_ratio = 5, wind.turbulence = 1;
  EXPECT_EQ(AirField(wind).velocity(Eigen::Vector3d(0.1, 1.2, 0.3), 0.7), Eigen::Vector3d(0, 0, 0));
}

TEST(Air, AGustRisesToItsPeakAndComesBackOncePerPeriod) {
  Wind wind;
  wind.velocity = Vector3d(2, 0, 0);
  wind.gust_ratio = 0.5;
  wind.gust_period = 4;
  const AirField field(wind);
  EXPECT_NEAR(field.velocity(Vector3d::Zero(), 0).x(), 2, 1e-12);
  EXPECT_NEAR(field.velocity(Vector3d::Zero(), 2).x(), 3, 1e-12);
  EXPECT_NEAR(field.velocity(Vector3d::Zero(), 4).x(), 2, 1e-12);
}

TEST(Air, TurbulenceHasTheMeanAndTheIntensityAskedFor) {
  const Wind wind = turbulent(7);
  const AirField field(wind);
  Vector3d mean = Vector3d::Zero();
  double square = 0;
  int count = 0;
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 20; ++j)
      for (int t = 0; t < 20; ++t, ++count) {
        const Vector3d u = field.velocity(Vector3d(0.7 * i, 0.5 * j, 0.3 * t), 0.4 * t) - wind.velocity;
        mean += u;
        square += u.squaredNorm();
      }
  const double rms = 0.3 * wind.velocity.norm();
  EXPECT_LT((mean / count).norm(), 0.1 * rms);
  EXPECT_NEAR(std::sqrt(square / count / 3), rms, 0.1 * rms);
}

TEST(Air, TurbulenceNeitherPilesUpNorThinsOut) {
  const AirField field(turbulent(3));
  const double step = 1e-5;
  for (int i = 0; i < 50; ++i) {
    const Vector3d p(0.1 * i, 0.3 * std::sin(i), 0.2 * i);
    double divergence = 0, size = 0;
    for (int k = 0; k < 3; ++k) {
      const Vector3d slope =
          (field.velocity(p + step * Vector3d::Unit(k), 0) - field.velocity(p - step * Vector3d::Unit(k), 0)) /
          (2 * step);
      divergence += slope[k];
      size += slope.norm();
    }
    EXPECT_LT(std::abs(divergence), 1e-6 * (1 + size));
  }
}

TEST(Air, TheSameSeedGivesTheSameFlowAnotherOneAnother) {
  const Vector3d p(0.3, 1.2, -0.4);
  EXPECT_EQ((AirField(turbulent(5)).velocity(p, 2) - AirField(turbulent(5)).velocity(p, 2)).norm(), 0);
  EXPECT_GT((AirField(turbulent(5)).velocity(p, 2) - AirField(turbulent(6)).velocity(p, 2)).norm(), 0.01);
}

// A slanted rigid sheet in a wind, the total force of it.
Vector3d total_force(int cells, bool flipped, const Vector3d& velocity, const Vector3d& sheet_velocity) {
  SheetOptions o;
  o.columns = o.rows = cells;
  ClothInput cloth = make_sheet(o);
  const Eigen::AngleAxisd turn(0.6, Vector3d::UnitX());
  for (Vec3& p : cloth.positions) p = turn * p;
  if (flipped)
    for (size_t t = 0; t < cloth.triangles.size(); ++t) {
      std::swap(cloth.triangles[t][1], cloth.triangles[t][2]);
      std::swap(cloth.corner_flat[t][1], cloth.corner_flat[t][2]);
    }
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  for (RVec3& v : state.v) v = sheet_velocity.cast<Real>();
  Scene scene;
  scene.gravity.setZero();
  scene.wind.model = WindModel::kTriangle;
  scene.wind.velocity = velocity;
  OuterForces outer(model.particle_count);
  outer.gather(model, scene, state);
  Vector3d sum = Vector3d::Zero();
  for (int i = 0; i < model.particle_count; ++i) sum += (outer.force[i] - outer.drag[i] * state.v[i]).cast<double>();
  return sum;
}

TEST(TriangleWind, PushesARigidSheetByKTimesAreaTimesNormalSpeedSquared) {
  const Vector3d wind(1, -2, 3), normal = Eigen::AngleAxisd(0.6, Vector3d::UnitX()) * Vector3d::UnitY();
  const double facing = normal.dot(wind);
  const Vector3d expected = 0.77 * std::abs(facing) * facing * normal;  // 1 m^2
  EXPECT_LT((total_force(4, false, wind, Vector3d::Zero()) - expected).norm(), 1e-9);
  EXPECT_LT((total_force(16, false, wind, Vector3d::Zero()) - expected).norm(), 1e-3 * expected.norm());
}

TEST(TriangleWind, DoesNotCareWhichWayTrianglesLookNorWhoMoves) {
  const Vector3d wind(1, -2, 3);
  const Vector3d force = total_force(4, false, wind, Vector3d::Zero());
  EXPECT_LT((force - total_force(4, true, wind, Vector3d::Zero())).norm(), 1e-12);
  EXPECT_LT((force - total_force(4, false, Vector3d::Zero(), -wind)).norm(), 1e-12);
  EXPECT_LT((force + total_force(4, false, -wind, Vector3d::Zero())).norm(), 1e-12);
}

TEST(TriangleWind, EdgeOnThereIsNoForce) {
  const Vector3d along = Eigen::AngleAxisd(0.6, Vector3d::UnitX()) * Vector3d(1, 0, 2);
  EXPECT_LT(total_force(6, false, along, Vector3d::Zero()).norm(), 1e-12);
}

TEST(TriangleWind, AFallingSheetReachesTheTextbooksTerminalVelocity) {
  SheetOptions o;
  o.width = o.length = 0.2;
  o.columns = o.rows = 4;
  ClothInput cloth = make_sheet(o);
  cloth.fabric.areal_density = 0.12;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 1.0;  // a plate: it must not fold into a propeller
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  Scene scene;
  scene.wind.model = WindModel::kTriangle;
  scene.wind.drag = 0.5 * 1.204 * 1.28;
  SolverSettings settings;
  settings.time_step = 1.0 / 60;
  settings.velocity_keep = 1;
  auto solver = make_solver(kDefaultSolver, model, settings).value();
  double fallen = 0;
  for (int i = 0; i < 120; ++i) {
    ASSERT_TRUE(solver->step({}, scene, &state).ok());
    if (i == 59) fallen = -static_cast<double>(state.x[12].y());
  }
  const double terminal = 1.235799;  // validation/terminal_velocity.csv
  EXPECT_NEAR(-static_cast<double>(state.v[12].y()), terminal, 0.005 * terminal);
  const double expected = terminal * terminal / kGravity * std::log(std::cosh(kGravity * 1.0 / terminal));
  EXPECT_NEAR(fallen, expected, 0.02 * expected);
}

TEST(Turbulence, GivesTheSameDrapeForAnyNumberOfThreads) {
  SheetOptions o;
  o.hung = true;
  o.columns = o.rows = 24;
  ClothInput cloth = make_sheet(o);
  cloth.pinned = {24 * 25, 24 * 25 + 24};
  const DrapeModel model = build_model(cloth).value();
  Scene scene;
  scene.wind = turbulent(11);
  scene.wind.gust_ratio = 0.4;
  std::vector<DrapeState> ends;
  for (int threads : {1, 2, 7}) {
    Executor executor(threads);
    RunContext run;
    run.executor = &executor;
    DrapeState state = start_state(cloth);
    auto solver = make_solver(kDefaultSolver, model, {}).value();
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(solver->step(run, scene, &state).ok());
    ends.push_back(state);
  }
  for (int k : {1, 2}) EXPECT_EQ(std::memcmp(ends[0].x.data(), ends[k].x.data(), ends[0].x.size() * sizeof(RVec3)), 0);
  EXPECT_GT((ends[0].x[12] - start_state(cloth).x[12]).norm(), 0.01);
}

}  // namespace
}  // namespace tryon::sim
