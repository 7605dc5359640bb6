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

ClothForces forces_of(const DrapeModel& model, const Scene& scene, const DrapeState& state) {
  return cloth_forces(model, scene, state, net_forces(model, scene, state));
}

struct Tube {
  testing::ClothTube cloth;
  DrapeModel model;
  DrapeState state;
  std::unique_ptr<Collider> cylinder;
  Scene scene;
};

// A tube of radius `at`, stretched in the weft alone; nothing pulls along the axis but the cloth's own coupling.
ClothInput tube_at(double at, double stretch, SpringLayout layout, testing::ClothTube* cloth, int sides = kSides,
                   int rings = kRings) {
  const double rest = testing::polygon_girth(at, sides) / (1 + stretch);
  *cloth = testing::make_tube(sides, rings, 0.2, 0.4, rest, 0.4, [at](double, double) { return at; });
  ClothInput input;
  input.positions = cloth->mesh.positions;
  input.triangles = cloth->mesh.triangles;
  input.corner_flat = cloth->corner_flat;
  input.layout = layout;
  input.fabric.bend_warp = input.fabric.bend_weft = 0.0;
  input.fabric.shear = 0.0;
  input.fabric.friction_static = input.fabric.friction_kinetic = 0.3;
  return input;
}

Tube wrapped_tube(SpringLayout layout) {
  Tube out;
  const ClothInput input = tube_at(kRadius + kOffset, kStretch, layout, &out.cloth);
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
  const ClothForces forces = forces_of(tube.model, tube.scene, tube.state);
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

TEST_P(WrappedTube, IsJudgedAlikeByAnyNumberOfThreads) {
  Tube tube = wrapped_tube(GetParam());
  tube.scene.middle_room = 0.5 * kOffset;
  tube.scene.gravity = Eigen::Vector3d(0.3, -9.8, 0.1);
  for (size_t i = 0; i < tube.state.x.size(); i += 7) tube.state.x[i] *= Real(1.02);  // held by nothing
  const NetForces net = net_forces(tube.model, tube.scene, tube.state);
  const Residual residual = equilibrium_residual(tube.model, tube.scene, tube.state, net);
  const ClothForces forces = cloth_forces(tube.model, tube.scene, tube.state, net);
  EXPECT_GT(residual.max, 0.0);
  for (const int threads : {2, 5}) {
    Executor executor(threads);
    RunContext run;
    run.executor = &executor;
    const NetForces shared = net_forces(tube.model, tube.scene, tube.state, 0.0, run);
    EXPECT_EQ(shared.reach, net.reach);
    const Residual again = equilibrium_residual(tube.model, tube.scene, tube.state, shared, run);
    EXPECT_EQ(again.max, residual.max);
    EXPECT_EQ(again.rms, residual.rms);
    const ClothForces there = cloth_forces(tube.model, tube.scene, tube.state, shared, run);
    EXPECT_EQ(there.press, forces.press);
    EXPECT_EQ(there.reaction, forces.reaction);
    EXPECT_EQ(there.tension, forces.tension);
  }
}

TEST_P(WrappedTube, FeelsNothingWhereItDoesNotTouch) {
  Tube tube = wrapped_tube(GetParam());
  for (auto& x : tube.state.x) x *= Real(1.1);
  const ClothForces forces = forces_of(tube.model, tube.scene, tube.state);
  for (const double press : forces.press) EXPECT_EQ(press, 0.0);
}

// A tube that is too narrow over one that just lies on the cylinder: the outer one presses on the inner one with its
// tension over its radius, and the cylinder feels that through the inner one.
TEST(ClothForces, AGarmentPressesOnWhatIsBeneathAndTheBodyFeelsItThroughThat) {
  constexpr double kGap = 2.5e-3;
  constexpr int kFew = 36, kLow = 12;
  Tube tube = wrapped_tube(SpringLayout::kThreads);
  testing::ClothTube unread;
  const ClothInput inner = tube_at(kRadius + kOffset, 0.0, SpringLayout::kThreads, &unread, kFew, kLow);
  const ClothInput outer = tube_at(kRadius + kOffset + kGap, kStretch, SpringLayout::kThreads, &unread, kFew, kLow);
  tube.model = merge_models({*build_model(inner), *build_model(outer)});
  tube.state = start_state(inner);
  const DrapeState over = start_state(outer);
  tube.state.x.insert(tube.state.x.end(), over.x.begin(), over.x.end());
  tube.state.v.insert(tube.state.v.end(), over.v.begin(), over.v.end());
  tube.scene.self_contact = 3e-3;
  SolverSettings settings;
  settings.velocity_keep = 0.0, settings.time_step = 0.1;
  const auto solver = *make_solver(kDefaultSolver, tube.model, settings);
  for (int step = 0; step < 12; ++step) ASSERT_TRUE(solver->step({}, tube.scene, &tube.state).ok());

  const ClothForces forces = forces_of(tube.model, tube.scene, tube.state);
  const int begin = inner.positions.size(), ring = 4 * kFew;  // away from the ends
  double on_inner = 0, on_body = 0, radius = 0, inner_radius = 0;
  for (int i = ring; i < begin - ring; ++i) {
    const RVec3& x = tube.state.x[i];
    on_body += forces.press[i];
    inner_radius += std::hypot(x.x(), x.z()) / (begin - 2 * ring);
  }
  for (int i = begin + ring; i < 2 * begin - ring; ++i) {
    const RVec3& x = tube.state.x[i];
    on_inner += forces.press[i];
    radius += std::hypot(x.x(), x.z()) / (begin - 2 * ring);
  }
  const double stretch = radius / (kRadius + kOffset + kGap) * (1 + kStretch) - 1;
  const double height = (0.4 / kLow) * (kLow + 1 - 8), area = 2 * std::numbers::pi * radius * height;
  EXPECT_GT(radius, kRadius + kOffset + 1e-3) << "the layers are apart";
  EXPECT_NEAR(on_inner / area, 500.0 * stretch / radius, 0.02 * 500.0 * stretch / radius);
  const double pressed_together = inner_radius / (kRadius + kOffset) - 1;  // it carries a little of its own
  EXPECT_LT(pressed_together, 0.0);
  EXPECT_GT(pressed_together, -5e-3);
  EXPECT_NEAR(on_body, on_inner + 500.0 * pressed_together * 2 * std::numbers::pi * height, 0.01 * on_inner);
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
  const ClothForces forces = forces_of(model, scene, start_state(input));
  double carried = 0;
  for (const Vec3& r : forces.reaction) carried += r.y();
  EXPECT_NEAR(carried, 0.15 * 0.09 * 9.80665, 1e-5);
}

}  // namespace
}  // namespace tryon::sim
