// Cloth does not pass bones, however large its triangles are, and what goes through it from the start is let go.
#include "server/sim/collision/bone_contact.h"

#include <algorithm>

#include "Eigen/Eigenvalues"
#include "gtest/gtest.h"
#include "server/sim/collision/tangle.h"
#include "tests/unit/sim/cloth_fixtures.h"

namespace tryon::sim {
namespace {

using namespace tryon::sim::testing;

bool goes_through(const Bone& bone, const std::vector<Triangle>& triangles, const std::vector<RVec3>& x) {
  return std::any_of(triangles.begin(), triangles.end(), [&](const Triangle& t) {
    return crossing_of(bone.from.cast<Real>(), bone.to.cast<Real>(), x[t[0]], x[t[1]], x[t[2]]).has_value();
  });
}

double lowest(const DrapeState& state) {
  double out = 1e9;
  for (const RVec3& p : state.x) out = std::min(out, static_cast<double>(p.y()));
  return out;
}

ClothInput sheet() {
  SheetOptions options;
  options.width = options.length = 0.4;
  options.columns = options.rows = 4;
  return make_sheet(options);
}

DrapeState after(int steps, const char* solver, const std::vector<Bone>& bones) {
  const ClothInput cloth = sheet();
  const DrapeModel model = build_model(cloth).value();
  auto falling = make_solver(solver, model, {}).value();
  DrapeState state = start_state(cloth);
  Scene scene = still_scene();
  scene.bones = bones;
  for (int i = 0; i < steps; ++i) {
    EXPECT_TRUE(falling->step({}, scene, &state).ok());
    for (const Bone& bone : bones) EXPECT_FALSE(goes_through(bone, model.triangles, state.x)) << "step " << i;
  }
  return state;
}

// A point of a needle's end and its middle, 60 mm below a sheet with triangles of 100 mm that falls for 0.7 s.
TEST(BoneContact, ASheetThatFallsOnANeedleIsNotPierced) {
  const Bone upright{Vec3(0.03, -0.5, -0.03), Vec3(0.03, -0.06, -0.03)};
  const Bone lying{Vec3(-0.4, -0.06, -0.01), Vec3(0.4, -0.06, -0.01)};
  for (const char* solver : {"lbfgs", "drape"}) {
    EXPECT_LT(lowest(after(20, solver, {})), -1.0);
    EXPECT_GT(lowest(after(20, solver, {lying})), -0.5) << "it hangs over it";
    after(20, solver, {upright});
  }
}

TEST(BoneContact, ThoseThatGoThroughTheClothAreCounted) {
  const std::vector<RVec3> x = {RVec3(0, 0, 0), RVec3(1, 0, 0), RVec3(0, 1, 0), RVec3(1, 1, 0)};
  const std::vector<Triangle> cloth = {{0, 1, 2}, {1, 3, 2}};
  const Vec3 out(0.0, 0.0, 0.5);
  const auto bone = [&](double at_x, double at_y) {
    return Bone{Vec3(at_x, at_y, 0) - out, Vec3(at_x, at_y, 0) + out};
  };
  EXPECT_EQ(bones_through({}, cloth, x), 0);
  EXPECT_EQ(bones_through({bone(0.2, 0.3), bone(0.7, 0.8), bone(1.2, 0.3)}, cloth, x), 2);
  EXPECT_EQ(bones_through({{Vec3(0.2, 0.2, 0.1), Vec3(0.3, 0.3, 0.4)}}, cloth, x), 0) << "it ends above";
}

TEST(BoneContact, ABoneThatIsInTheClothIsLetGo) {
  const DrapeModel model = build_model(sheet()).value();
  auto falling = make_solver("lbfgs", model, {}).value();
  DrapeState state = start_state(sheet());
  Scene scene = still_scene();
  scene.bones = {{Vec3(0.03, -0.5, -0.03), Vec3(0.03, 0.2, -0.03)}};
  ASSERT_TRUE(goes_through(scene.bones[0], model.triangles, state.x));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(falling->step({}, scene, &state).ok());
  EXPECT_NEAR(lowest(state), lowest(after(20, "lbfgs", {})), 1e-9);
}

TEST(BoneContact, ABoneThatIsInASeamsBridgeMayPassThatSeamAndNoOther) {
  const ClothInput cloth = sheet();
  const DrapeModel model = build_model(cloth).value();
  std::vector<Real> stiffness(model.particle_count, Real(100));
  BoneContact contact(model, stiffness);
  std::vector<RVec3> x = start_state(cloth).x;
  for (RVec3& p : x) p.y() += 1;  // the cloth itself is far away
  for (const int i : {0, 1, 2, 3, 4, 5}) x[i] = RVec3(0.1 * i, i % 2 ? 0.1 : -0.1, 0);
  Scene scene;
  scene.bridges = {Triangle(0, 1, 2), Triangle(2, 1, 3), Triangle(3, 4, 5)};  // two seams
  scene.bones = {{Vec3(0.1, 0, -0.1), Vec3(0.1, 0, 0.1)}};                    // in the first one
  contact.begin_step(scene, x);
  std::vector<RVec3> far = x;
  for (const int i : {0, 1, 2}) far[i].x() += 0.5;
  std::vector<RVec3> limited = far;
  contact.limit(&limited);
  EXPECT_EQ(limited[0], far[0]) << "of the seam that it goes through";
  far[5].x() -= 5;
  limited = far;
  EXPECT_TRUE(contact.limit(&limited));
  EXPECT_GT(limited[5].x(), 0.1) << "the other seam would have swept over it";
}

TEST(BoneContact, ForcesAreWhatTheEnergyFallsBy) {
  const ClothInput cloth = sheet();
  const DrapeModel model = build_model(cloth).value();
  BoneContact contact(model, std::vector<Real>(model.particle_count, Real(100)));
  Scene scene;
  scene.bones = {{Vec3(-0.4, -0.005, -0.01), Vec3(0.4, -0.003, -0.02)},
                 {Vec3(0.03, -0.3, 0.07), Vec3(0.03, -0.004, 0.07)}};
  std::vector<RVec3> x = start_state(cloth).x;
  contact.begin_step(scene, x);
  std::vector<RVec3> gradient(x.size(), RVec3::Zero()), unused = gradient;
  ASSERT_GT(contact.add(x, &gradient), 0.0);
  std::vector<Eigen::Matrix3d> blocks(x.size(), Eigen::Matrix3d::Zero());
  contact.add_hessian(x, &blocks);
  const Real step = static_cast<Real>(bound(1e-7, 1e-4));
  for (size_t i = 0; i < x.size(); ++i) {
    for (int c = 0; c < 3; ++c) {
      std::vector<RVec3> more = x, less = x;
      more[i][c] += step, less[i][c] -= step;
      const double slope = (contact.add(more, &unused) - contact.add(less, &unused)) / (2 * static_cast<double>(step));
      EXPECT_NEAR(static_cast<double>(gradient[i][c]), slope, bound(1e-6, 1e-3)) << i << " " << c;
    }
    EXPECT_GE(blocks[i].selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), -1e-9);
  }
}

}  // namespace
}  // namespace tryon::sim
