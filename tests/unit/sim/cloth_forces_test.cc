// A tube that is too narrow for the cylinder inside it: what the cloth bears and what the cylinder feels in closed
// form.
#include "server/sim/cloth_forces.h"

#include <numbers>

#include "gtest/gtest.h"
#include "server/sim/solvers/solver.h"
#include "tests/support/cloth_tube.h"

namespace tryon::sim {
namespace {
constexpr double kRadius = 0.15, kOffset = 2e-3, kStretch = 0.05;
constexpr int kSides = 72, kRings = 12;

struct Tube {
  testing::ClothTube cloth;
  DrapeModel model;
  DrapeState state;
  std::unique_ptr<Collider> cylinder;
  Scene scene;
};

// Wrapped round the cylinder, stretched in the weft alone; nothing pulls along the axis but the cloth's own coupling.
Tube wrapped_tube(SpringLayout layout) {
  Tube out;
  const double rest = testing::polygon_girth(kRadius + kOffset, kSides) / (1 + kStretch);
  out.cloth = testing::make_tube(kSides, kRings, 0.2, 0.4, rest, 0.4, [](double, double) { return kRadius + kOffset; });
  ClothInput input;
  input.positions = out.cloth.mesh.positions;
  input.triangles = out.cloth.mesh.triangles;
  input.corner_flat = out.cloth.corner_flat;
  input.layout = layout;
  input.fabric.bend_warp = input.fabric.bend_weft = 0.0;
  input.fabric.shear = 0.0;
  input.fabric.friction_static = input.fabric.friction_kinetic = 0.3;
  out.model = *build_model(input);
  out.state = start_state(input);
  Frustum pole;
  pole.bottom = Vec3(0, 0, 0), pole.top = Vec3(0, 1, 0);
  pole.bottom_radii = pole.top_radii = Vec2(kRadius, kRadius);
  out.cylinder = make_solid_collider({pole});
  out.scene.collider = out.cylinder.get();
  out.scene.gravity.setZero();
  out.scene.contact_offset = kOffset;
  return out;
}

class WrappedTube : public ::testing::TestWithParam<SpringLayout> {};

TEST_P(WrappedTube, PressesWithItsTensionOverItsRadius) {
  const Tube tube = wrapped_tube(GetParam());
  const ClothForces forces = cloth_forces(tube.model, tube.scene, tube.state);
  // The hoop's tension per width as it lies, from the declared fabric.
  const double green = 0.5 * ((1 + kStretch) * (1 + kStretch) - 1);
  const double tension = 500.0 * (GetParam() == SpringLayout::kMembrane ? green * (1 + kStretch) : kStretch);
  double force = 0, area = 0;
  for (int i = kSides; i < kSides * kRings; ++i) {  // all rings but the outermost
    force += forces.press[i];
    area += testing::polygon_girth(kRadius + kOffset, kSides) / kSides * 0.4 / kRings;
  }
  EXPECT_NEAR(force / area, tension / (kRadius + kOffset), 0.002 * tension / kRadius);
  for (const Eigen::Matrix3d& t : forces.tension) EXPECT_NEAR(t.trace(), tension, 1e-3 * tension);
}

TEST_P(WrappedTube, FeelsNothingWhereItDoesNotTouch) {
  Tube tube = wrapped_tube(GetParam());
  for (auto& x : tube.state.x) x *= Real(1.1);
  const ClothForces forces = cloth_forces(tube.model, tube.scene, tube.state);
  for (const double press : forces.press) EXPECT_EQ(press, 0.0);
}

INSTANTIATE_TEST_SUITE_P(Layouts, WrappedTube, ::testing::Values(SpringLayout::kThreads, SpringLayout::kMembrane),
                         [](const auto& info) {
                           return info.param == SpringLayout::kThreads ? "Threads" : "Membrane";
                         });

TEST(ClothForces, TheBodyCarriesTheWeightOfALyingCloth) {
  ClothInput input;
  const int n = 6;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) input.positions.emplace_back(0.05 * i, kOffset, -0.05 * j);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j, b = a + n + 1;
      for (const Triangle& t : {Triangle(a, b, b + 1), Triangle(a, b + 1, a + 1)}) {
        input.triangles.push_back(t);
        std::array<Vec2, 3> flat;
        for (int k = 0; k < 3; ++k) flat[k] = Vec2(input.positions[t[k]].x(), -input.positions[t[k]].z());
        input.corner_flat.push_back(flat);
      }
    }
  }
  const DrapeModel model = *build_model(input);
  const auto floor = make_plane_collider(Vec3::Zero(), Vec3::UnitY());
  Scene scene;
  scene.collider = floor.get();
  const ClothForces forces = cloth_forces(model, scene, start_state(input));
  double carried = 0;
  for (const Vec3& r : forces.reaction) carried += r.y();
  EXPECT_NEAR(carried, 0.15 * 0.09 * 9.80665, 1e-5);
}

}  // namespace
}  // namespace tryon::sim
