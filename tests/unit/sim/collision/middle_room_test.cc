// Coarse cloth over a small bump: its corners may clear the body while the bump comes through the triangles between.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "server/sim/cloth_forces.h"
#include "server/sim/collision/points_under.h"
#include "server/sim/solvers/solver.h"
#include "tests/support/test_meshes.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

constexpr double kBump = 0.03, kEdge = 0.025, kRoom = 1e-3;  // m
constexpr int kSide = 9;                                     // vertices

// A square sheet, its rim held a little below the top of the bump.
ClothInput sheet_over_bump() {
  constexpr double kWidth = kEdge * (kSide - 1);
  ClothInput cloth = testing::make_sheet({.width = kWidth,
                                          .length = kWidth,
                                          .columns = kSide - 1,
                                          .rows = kSide - 1,
                                          .height = kBump + 0.003,
                                          .slanted = false});
  for (Vec3& p : cloth.positions) p += Vec3(0.009, 0, 0.006);
  for (int j = 0; j < kSide; ++j)
    for (int i = 0; i < kSide; ++i)
      if (i == 0 || j == 0 || i + 1 == kSide || j + 1 == kSide) {
        cloth.pinned.push_back(j * kSide + i);
        cloth.positions[j * kSide + i].y() -= 0.012;
      }
  return cloth;
}

struct Rest {
  double lowest_middle = 1e30, lowest_corner = 1e30;  // m off the bump
  Residual residual;
};

Rest rest_with(double room, const std::string& name) {
  const ClothInput cloth = sheet_over_bump();
  const DrapeModel model = *build_model(cloth);
  const auto collider = make_mesh_collider(tryon::testing::make_ball(kBump, 32));
  Scene scene;
  scene.collider = collider.get();
  scene.middle_room = room;
  auto solver = make_solver(name, model, testing::long_steps());
  DrapeState state = start_state(cloth);
  testing::take_long_steps(solver->get(), scene, 60, &state);
  Rest out;
  out.residual = equilibrium_residual(model, scene, state);
  for (const Triangle& t : model.triangles) {
    const RVec3 middle = (state.x[t[0]] + state.x[t[1]] + state.x[t[2]]) / 3;
    out.lowest_middle = std::min(out.lowest_middle, collider->query(middle.cast<double>(), 0.05).distance);
  }
  for (const RVec3& x : state.x)
    out.lowest_corner = std::min(out.lowest_corner, collider->query(x.cast<double>(), 0.05).distance);
  return out;
}

class MiddleRoom : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Solvers, MiddleRoom, ::testing::Values("drape", "lbfgs"),
                         [](const auto& given) { return std::string(given.param); });

TEST_P(MiddleRoom, TrianglesKeepOffABumpThatIsSmallerThanTheyAre) {
  const Rest corners_only = rest_with(0.0, GetParam()), with_room = rest_with(kRoom, GetParam());
  EXPECT_GT(corners_only.lowest_corner, 0.0);
  EXPECT_LT(corners_only.lowest_middle, 0.0) << "the bump shows where only corners are kept off";
  EXPECT_GT(with_room.lowest_corner, 0.0);
  EXPECT_NEAR(with_room.lowest_middle, kRoom, 5e-4);
}

TEST_P(MiddleRoom, TheClothRestsByTheCertificateToo) {
  const Residual residual = rest_with(kRoom, GetParam()).residual;
  EXPECT_LE(residual.rms, 1e-3);
  EXPECT_LE(residual.max, 1e-2);
}

// A nipple of 4 mm on flat skin, beneath a sheet of triangles six times as wide that is laid on it.
TriangleMesh skin_with_nipple() {
  TriangleMesh skin = tryon::testing::make_cloth_sheet(0.3, 0.3, 120);
  if (triangle_normal(skin, 0).y() < 0.0)
    for (Triangle& t : skin.triangles) std::swap(t[0], t[1]);
  for (Vec3& p : skin.positions) p.y() = 0.004 * std::exp(-(p.x() * p.x() + p.z() * p.z()) / (2.0 * 0.003 * 0.003));
  return skin;
}

struct OverNipple {
  double lowest = 1e30;  // m, of a triangle above the nipple's top
  Residual residual;
};

OverNipple rest_on_nipple(bool with_sharp_points) {
  const TriangleMesh skin = skin_with_nipple();
  auto surface = std::make_shared<const ClosestPointIndex>(skin, SideRule::kPseudoNormal);
  const std::vector<SharpPoint> sharp = sharp_points({}, skin);
  EXPECT_FALSE(sharp.empty());
  const auto collider = make_surface_collider(surface, with_sharp_points ? sharp : std::vector<SharpPoint>());
  ClothInput cloth =
      testing::make_sheet({.width = 0.15, .length = 0.15, .columns = 6, .rows = 6, .height = 0.004, .slanted = false});
  const Vec3 to_middle(-0.075, 0, -0.075);
  for (Vec3& p : cloth.positions) p += to_middle + Vec3(0.006, 0, 0.003);  // the nipple stands off the middles
  const DrapeModel model = *build_model(cloth);
  Scene scene;
  scene.collider = collider.get();
  scene.middle_room = kRoom;
  auto solver = make_solver("drape", model, testing::long_steps());
  DrapeState state = start_state(cloth);
  testing::take_long_steps(solver->get(), scene, 60, &state);
  OverNipple out;
  out.residual = equilibrium_residual(model, scene, state);
  const std::vector<SharpPoint> top = {{Vec3(0, 0.004, 0), Vec3::UnitY()}};
  const PointsUnder under(top, PointsUnder::reach_of(model));
  for (const Triangle& t : model.triangles)
    out.lowest =
        std::min(out.lowest, double(under.least_height(state.x[t[0]], state.x[t[1]], state.x[t[2]], Real(-0.01))));
  return out;
}

TEST(MiddleRoom, ASharpPointDoesNotComeThroughATriangleWhoseMiddleAndCornersAreClear) {
  const OverNipple without = rest_on_nipple(false), with = rest_on_nipple(true);
  EXPECT_LT(without.lowest, -5e-4) << "it shows where only middles and corners are kept off";
  EXPECT_NEAR(with.lowest, kRoom, 5e-4);
  EXPECT_LE(with.residual.rms, 1e-3);
  EXPECT_LE(with.residual.max, 1e-2);
}

TEST(ContactReach, IsLongerOnlyBesideAMiddleThatTouches) {
  const ClothInput cloth = sheet_over_bump();
  const DrapeModel model = *build_model(cloth);
  const auto collider = make_mesh_collider(tryon::testing::make_ball(kBump, 32));
  Scene scene;
  scene.collider = collider.get();
  const DrapeState state = start_state(cloth);
  EXPECT_EQ(contact_reach(model, scene, state), std::vector<double>(model.particle_count, scene.contact_offset));
  scene.middle_room = 5e-3;  // the bump's top is 3 mm below the sheet
  const std::vector<double> reach = contact_reach(model, scene, state);
  EXPECT_DOUBLE_EQ(*std::max_element(reach.begin(), reach.end()), scene.contact_offset + kMostLift);
  EXPECT_DOUBLE_EQ(reach.front(), scene.contact_offset);
}

}  // namespace
}  // namespace tryon::sim
