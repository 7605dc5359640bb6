// Cloth between two surfaces that are nearer to each other than twice the offset, or overlap (thighs that touch).
#include "server/sim/collision/pinch.h"

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
  auto solver = make_solver("drape", model, testing::long_steps()).value();
  DrapeState state = start_state(cloth);
  for (size_t i = 0; i < state.x.size(); ++i)
    if (model.inverse_mass[i] > 0) state.x[i].z() += i % 2 ? 4e-4 : -3e-4;
  testing::take_long_steps(solver.get(), scene, 30, &state);  // the last ten with the whole Hessian
  *residual = equilibrium_residual(model, scene, state);
  double farthest = 0.0;
  for (const RVec3& x : state.x) farthest = std::max(farthest, std::abs(static_cast<double>(x.z())));
  return farthest;
}

// A hem that lies on the floor under a heel, as trousers' hems do: where it is pressed, the solver and the certificate
// must see the same two surfaces.
TEST(Pinch, AHemUnderAHeelComesToACertifiedRest) {
  testing::SheetOptions options;
  options.width = options.length = 0.12;
  options.columns = options.rows = 12;
  options.jitter = 0.3;
  ClothInput cloth = testing::make_sheet(options);
  const DrapeModel model = build_model(cloth).value();
  std::vector<std::unique_ptr<Collider>> parts;
  parts.push_back(make_plane_collider(Vec3::Zero(), Vec3::UnitY()));
  parts.push_back(make_solid_collider({Sphere{Vec3(0, 0.0308, 0), 0.03}, Sphere{Vec3(0.02, 0.0303, 0.01), 0.03}}));
  const auto collider = make_union_collider(std::move(parts));
  Scene scene;
  scene.collider = collider.get();
  SolverSettings settings = testing::long_steps();
  settings.tolerance = 4e-4;
  auto solver = make_solver("drape", model, settings).value();
  DrapeState state = start_state(cloth);
  for (auto& x : state.x) x.y() = static_cast<Real>(4e-4);
  testing::take_long_steps(solver.get(), scene, 60, &state);
  const Residual residual = equilibrium_residual(model, scene, state);
  EXPECT_LE(residual.rms, 1e-3);
  EXPECT_LE(residual.max, 1e-2);
}

TEST(Pinch, ClothRestsHalfWayBetweenSurfacesThatLeaveTooLittleRoom) {
  for (const double room : {3e-3, 1e-3, -4e-3}) {
    Residual residual;
    EXPECT_LT(farthest_from_the_middle(room, &residual), 1e-4) << room;
    EXPECT_LE(residual.rms, 1e-3) << room;
    EXPECT_LE(residual.max, 1e-2) << room;
  }
}

// A heel over the floor: from beside its lowest point the ball is farther than from below it.
TEST(Pinch, TheSurfaceAcrossIsAsFarAsItIs) {
  constexpr double kRadius = 0.03;
  for (const double gap : {5e-4, 2e-3}) {
    std::vector<std::unique_ptr<Collider>> parts;
    parts.push_back(make_plane_collider(Vec3::Zero(), Vec3::UnitY()));
    const Vec3 centre(0, kRadius + gap, 0);
    parts.push_back(make_solid_collider({Sphere{centre, kRadius}}));
    const auto collider = make_union_collider(std::move(parts));
    for (double aside = 0.0; aside < 0.012; aside += 1e-3) {
      const Vec3 point(aside, gap / 3, 0);
      const Contact nearest = collider->query(point, 0.05);
      ASSERT_LT((nearest.normal - Vec3::UnitY()).norm(), 1e-9);
      const Contact across = surface_across(*collider, point, nearest);
      EXPECT_NEAR(across.distance, (point - centre).norm() - kRadius, 5e-5) << gap << " " << aside;
      EXPECT_GT(across.normal.dot((point - centre).normalized()), 0.99);
    }
  }
}

TEST(Pinch, NothingStandsOppositeAFloor) {
  const auto floor = make_plane_collider(Vec3::Zero(), Vec3::UnitY());
  const Vec3 point(0, 1e-3, 0);
  EXPECT_EQ(surface_across(*floor, point, floor->query(point, 0.05)).distance, kNoneAcross);
}

// Nearly all of 7 mm off the floor lies inside the ball.
TEST(Pinch, ASoleALittleOverTheFloorIsFound) {
  std::vector<std::unique_ptr<Collider>> parts;
  parts.push_back(make_plane_collider(Vec3::Zero(), Vec3::UnitY()));
  parts.push_back(make_plane_collider(Vec3(0, 2e-4, 0), -Vec3::UnitY()));
  const auto collider = make_union_collider(std::move(parts));
  const Vec3 point(0, 5e-5, 0);
  EXPECT_NEAR(surface_across(*collider, point, collider->query(point, 0.05)).distance, 1.5e-4, 1e-9);
}

TEST(Pinch, TwoConesHoldWhatOneCannot) {
  const RVec3 push(0, 0, 1), pull(0, 0, -1), lift(0, 1, 0);
  EXPECT_NEAR(outside_cone(push, RVec3::UnitZ(), 0.4).norm(), 1.0, 1e-12);
  EXPECT_NEAR(outside_cones(push, RVec3::UnitZ(), -RVec3::UnitZ(), 0.4).norm(), 0.0, 1e-9);
  EXPECT_NEAR(outside_cones(pull, RVec3::UnitZ(), -RVec3::UnitZ(), 0.4).norm(), 0.0, 1e-9);
  // Two planes nearly along each other, pressed askew: projections in turn come near slowly.
  const RVec3 slope = RVec3(std::sin(1.1), 0, std::cos(1.1)),
              held = 3 * slope + 500 * RVec3::UnitZ() + RVec3(0, 190, 0);
  EXPECT_LT(outside_cones(-held, RVec3::UnitZ(), slope, 0.4).norm(), 1e-2);
  EXPECT_NEAR(outside_cones(lift, RVec3::UnitZ(), RVec3::UnitZ(), 0.4).norm(), 1 / std::sqrt(1.16), 1e-9);
}

}  // namespace
}  // namespace tryon::sim
