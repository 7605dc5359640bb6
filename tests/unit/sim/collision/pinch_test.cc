// Cloth between two surfaces that are nearer to each other than twice the offset, or overlap (thighs that touch).
#include "gtest/gtest.h"
#include "server/sim/collision/contact.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

// Two walls that face each other, `room` apart (negative: they overlap), and a sheet that hangs off their middle.
double farthest_from_the_middle(double room, Residual* residual) {
  testing::SheetOptions options;
  options.width = options.length = 0.1;
  options.columns = options.rows = 8;
  options.hung = true;
  ClothInput cloth = testing::make_sheet(options);
  for (int i = 0; i <= options.columns; ++i) cloth.pinned.push_back(options.rows * (options.columns + 1) + i);
  const DrapeModel model = build_model(cloth).value();
  std::vector<std::unique_ptr<Collider>> walls;
  walls.push_back(make_plane_collider(Vec3(0, 0, -room / 2), Vec3::UnitZ()));
  walls.push_back(make_plane_collider(Vec3(0, 0, room / 2), -Vec3::UnitZ()));
  const auto collider = make_union_collider(std::move(walls));
  Scene scene;
  scene.collider = collider.get();
  SolverSettings settings;
  settings.velocity_keep = 0.0;
  settings.time_step = 0.3;
  settings.iterations = 40;
  auto solver = make_solver("drape", model, settings).value();
  DrapeState state = start_state(cloth);
  for (size_t i = 0; i < state.x.size(); ++i)
    if (model.inverse_mass[i] > 0) state.x[i].z() += i % 2 ? 4e-4 : -3e-4;
  for (int i = 0; i < 30; ++i) {  // the last ten with the whole Hessian
    for (auto& v : state.v) v.setZero();
    EXPECT_TRUE(solver->step(RunContext(), scene, &state).ok());
  }
  *residual = equilibrium_residual(model, scene, state);
  double farthest = 0.0;
  for (const RVec3& x : state.x) farthest = std::max(farthest, std::abs(static_cast<double>(x.z())));
  return farthest;
}

TEST(Pinch, ClothRestsHalfWayBetweenSurfacesThatLeaveTooLittleRoom) {
  for (const double room : {3e-3, 1e-3, -4e-3}) {
    Residual residual;
    EXPECT_LT(farthest_from_the_middle(room, &residual), 1e-4) << room;
    EXPECT_LE(residual.rms, 1e-3) << room;
    EXPECT_LE(residual.max, 1e-2) << room;
  }
}

TEST(Pinch, TwoConesHoldWhatOneCannot) {
  const RVec3 push(0, 0, 1), pull(0, 0, -1), lift(0, 1, 0);
  EXPECT_NEAR(outside_cone(push, RVec3::UnitZ(), 0.4).norm(), 1.0, 1e-12);
  EXPECT_NEAR(outside_cones(push, RVec3::UnitZ(), -RVec3::UnitZ(), 0.4).norm(), 0.0, 1e-9);
  EXPECT_NEAR(outside_cones(pull, RVec3::UnitZ(), -RVec3::UnitZ(), 0.4).norm(), 0.0, 1e-9);
  EXPECT_NEAR(outside_cones(lift, RVec3::UnitZ(), RVec3::UnitZ(), 0.4).norm(), 1 / std::sqrt(1.16), 1e-9);
}

}  // namespace
}  // namespace tryon::sim
