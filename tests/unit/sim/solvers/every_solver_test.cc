// What every listed solver must do: exact free flight, conserved momentum, rest, contact, determinism, refusals.
#include <cmath>
#include <cstring>
#include <limits>

#include "gtest/gtest.h"
#include "server/base/status.h"
#include "server/base/units.h"
#include "server/sim/solvers/solver.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

class EverySolver : public ::testing::TestWithParam<std::string> {
 protected:
  void run(const ClothInput& cloth, int steps, const SolverSettings& settings, const Scene& scene,
           const RunContext& context = {}) {
    model_ = build_model(cloth).value();
    if (state_.x.empty()) state_ = start_state(cloth);
    auto solver = make_solver(GetParam(), model_, settings).value();
    for (int i = 0; i < steps; ++i) {
      const auto report = solver->step(context, scene, &state_);
      ASSERT_TRUE(report.ok()) << report.status();
    }
  }
  bool implicit() const { return GetParam() != "mass_spring"; }
  DrapeModel model_;
  DrapeState state_;
};

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const SolverInfo& info : solver_list()) names.push_back(info.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Listed, EverySolver, ::testing::ValuesIn(solver_names()),
                         [](const auto& info) { return info.param; });

TEST_P(EverySolver, AFlatSheetFallsAsItsIntegratorSays) {
  SolverSettings settings;
  settings.velocity_keep = 1;
  const ClothInput cloth = soft_sheet();
  run(cloth, 30, settings, still_scene());
  const double h = settings.time_step, implicit_drop = 0.5 * kGravity * h * h * 30 * 31;
  const double exact = 0.5 * kGravity * h * h * 30 * 30;
  for (size_t i = 0; i < state_.x.size(); ++i) {
    const double drop = cloth.positions[i].y() - static_cast<double>(state_.x[i].y());
    if (implicit()) {
      EXPECT_NEAR(drop, implicit_drop, bound(1e-9, 5e-5));
    } else {
      EXPECT_NEAR(drop, exact, 0.01 * exact);  // substeps: first order in their length
    }
  }
}

TEST_P(EverySolver, WithoutOuterForceMomentumStays) {
  SolverSettings settings;
  settings.velocity_keep = 1;
  const ClothInput cloth = soft_sheet();
  Scene scene = still_scene();
  scene.gravity.setZero();
  state_ = start_state(cloth);
  model_ = build_model(cloth).value();
  for (size_t i = 0; i < state_.v.size(); ++i)
    state_.v[i] = RVec3(Real(0.3 + 0.2 * std::sin(i)), Real(0.2 * std::cos(3.0 * i)), Real(-0.2));
  const auto momentum = [&] {
    RVec3 sum = RVec3::Zero();
    for (int i = 0; i < model_.particle_count; ++i) sum += model_.mass[i] * state_.v[i];
    return sum;
  };
  const RVec3 before = momentum();
  const DrapeState first = state_;
  run(cloth, 10, settings, scene);
  const double drift = (momentum() - before).norm();
  if (GetParam() != "pd_chebyshev" && GetParam() != "pd_gauss_seidel") {
    EXPECT_LT(drift, bound(1e-9, 1e-5) * before.norm());
    return;
  }
  // Unequal diagonal steps move the centre of mass until the sweeps have converged.
  state_ = first;
  settings.iterations = 400;
  run(cloth, 10, settings, scene);
  EXPECT_LT((momentum() - before).norm(), 0.5 * drift);
}

TEST_P(EverySolver, RestStaysAtRest) {
  Scene scene = still_scene();
  scene.gravity.setZero();
  const ClothInput cloth = soft_sheet();
  run(cloth, 10, {}, scene);
  for (size_t i = 0; i < state_.x.size(); ++i)
    EXPECT_LT((state_.x[i].cast<double>() - cloth.positions[i]).norm(), bound(1e-11, 1e-5));
}

TEST_P(EverySolver, PinnedCornersHoldAndTheClothHangsBelowThem) {
  ClothInput cloth = soft_sheet();
  cloth.pinned = {0, 6};
  run(cloth, 40, {}, still_scene());
  for (int pin : cloth.pinned) EXPECT_EQ((state_.x[pin] - cloth.positions[pin].cast<Real>()).norm(), 0);
  double middle = 0;
  for (const RVec3& x : state_.x) middle += static_cast<double>(x.y()) / static_cast<double>(state_.x.size());
  EXPECT_LT(middle, -0.08);
  EXPECT_GT(middle, -0.4);
}

TEST_P(EverySolver, AClothDroppedOnASphereStaysOutside) {
  const SphereCollider sphere(Vec3(0, 0, 0), 0.1);
  const Scene scene = still_scene(&sphere);
  run(soft_sheet(12, 0.105), 30, {}, scene);
  for (const RVec3& x : state_.x) EXPECT_GT(sphere.query(x.cast<double>(), 1).distance, scene.contact_offset - 1.1e-3);
}

TEST_P(EverySolver, TheBytesDoNotDependOnTheNumberOfThreads) {
  const SphereCollider sphere(Vec3(0, 0, 0), 0.1);
  ClothInput cloth = soft_sheet(24, 0.105);  // more elements than one chunk
  Scene scene = still_scene(&sphere);
  scene.wind = Wind();
  scene.wind.velocity = Eigen::Vector3d(1, 0, 2);
  std::vector<DrapeState> ends;
  for (int threads : {1, 2, 7}) {
    Executor executor(threads);
    RunContext context;
    context.executor = &executor;
    state_ = start_state(cloth);
    run(cloth, 3, {}, scene, context);
    ends.push_back(state_);
  }
  const size_t bytes = ends[0].x.size() * sizeof(RVec3);
  EXPECT_EQ(std::memcmp(ends[0].x.data(), ends[1].x.data(), bytes), 0);
  EXPECT_EQ(std::memcmp(ends[0].x.data(), ends[2].x.data(), bytes), 0);
}

TEST_P(EverySolver, ANumberThatIsNotFiniteEndsTheStepByName) {
  const ClothInput cloth = soft_sheet();
  model_ = build_model(cloth).value();
  state_ = start_state(cloth);
  state_.v[5].x() = std::numeric_limits<Real>::quiet_NaN();
  auto solver = make_solver(GetParam(), model_, {}).value();
  const auto report = solver->step({}, still_scene(), &state_);
  ASSERT_EQ(report.status().code(), absl::StatusCode::kInternal);
  EXPECT_EQ(error_detail(report.status())->field, "particle[5]");
}

TEST_P(EverySolver, ACancelledRunStops) {
  const ClothInput cloth = soft_sheet();
  model_ = build_model(cloth).value();
  state_ = start_state(cloth);
  RunContext context;
  context.cancel.cancel();
  auto solver = make_solver(GetParam(), model_, {}).value();
  EXPECT_EQ(solver->step(context, still_scene(), &state_).status().code(), absl::StatusCode::kCancelled);
}

TEST_P(EverySolver, TurningAndMovingTheSceneTurnsAndMovesTheAnswer) {
  ClothInput cloth = soft_sheet();
  cloth.pinned = {0, 6};
  SolverSettings settings;
  settings.iterations = 20;
  run(cloth, 5, settings, still_scene());
  const DrapeState first = state_;
  const Eigen::AngleAxisd turn(1.1, Vec3(0.3, 0.9, -0.2).normalized());
  const Vec3 shift(0.4, 2, -1);
  for (Vec3& p : cloth.positions) p = turn * p + shift;
  Scene scene = still_scene();
  scene.gravity = turn * scene.gravity;
  state_ = start_state(cloth);
  run(cloth, 5, settings, scene);
  for (size_t i = 0; i < state_.x.size(); ++i)
    EXPECT_LT((turn * first.x[i].cast<double>() + shift - state_.x[i].cast<double>()).norm(), bound(1e-6, 1e-4)) << i;
}

// The same cloth in a train: shapes agree when the train's way is taken off (validation 2.7).
TEST_P(EverySolver, AConstantVelocityChangesNothing) {
  SolverSettings settings;
  settings.velocity_keep = 1;
  settings.iterations = 200;
  settings.tolerance = 0;
  const ClothInput cloth = soft_sheet();
  const RVec3 train(Real(0.7), Real(-0.4), Real(0.2));
  std::vector<DrapeState> ends;
  for (const RVec3& speed : {RVec3(RVec3::Zero()), train}) {
    state_ = start_state(cloth);
    for (size_t i = 0; i < state_.v.size(); ++i)
      state_.v[i] = speed + RVec3(Real(0.1 * std::sin(i)), Real(0.1 * std::cos(3.0 * i)), 0);
    run(cloth, 5, settings, still_scene());
    for (RVec3& x : state_.x) x -= static_cast<Real>(state_.time) * speed;
    ends.push_back(state_);
  }
  for (size_t i = 0; i < ends[0].x.size(); ++i)
    EXPECT_LT(static_cast<double>((ends[0].x[i] - ends[1].x[i]).norm()), bound(1e-8, 1e-4)) << i;
}

TEST_P(EverySolver, TethersKeepTheClothWithinReachOfItsPins) {
  ClothInput cloth = soft_sheet();
  cloth.pinned = {0, 6};
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 3;  // would sag far
  cloth.fabric.areal_density = 0.3;
  const auto farthest = [&] {
    double worst = 0;
    for (const Tether& t : pin_tethers(cloth))
      worst = std::max(worst, static_cast<double>((state_.x[t.a] - state_.x[t.b]).norm()) - t.length);
    return worst;
  };
  SolverSettings settings;
  settings.iterations = 40;
  settings.velocity_keep = 0.9;
  run(cloth, 60, settings, still_scene());
  const double without = farthest();
  state_ = {};
  cloth.tethers = pin_tethers(cloth);
  ASSERT_EQ(cloth.tethers.size(), cloth.positions.size() - 2);
  run(cloth, 60, settings, still_scene());
  EXPECT_LT(farthest(), 0.01);
  if (GetParam() != "pbd" && GetParam() != "hpbd" && GetParam() != "qem_hpbd") {
    EXPECT_GT(without, 2 * farthest());
  }
}

TEST(Solvers, SettingsOutOfRangeAreRefusedByName) {
  const DrapeModel model = build_model(soft_sheet()).value();
  SolverSettings settings;
  settings.relaxation = 2.5;
  const auto solver = make_solver("pbd", model, settings);
  ASSERT_FALSE(solver.ok());
  EXPECT_EQ(error_detail(solver.status())->field, "solver.relaxation");
}

}  // namespace
}  // namespace tryon::sim
