// T1 (cantilever), T3 (rest curvature), S4 (time step): validation.md 1.1, 1.4, 5.4.
#include <algorithm>

#include "tests/validation/strips.h"

namespace tryon::sim::validation {
namespace {

double slope_error(const Bent& bent, double gamma) { return bent.slope / exact_slope(gamma) - 1; }

TEST(T1Cantilever, TheReferenceIsWithinTheTableAndOfSecondOrder) {
  for (const MeshKind mesh : {MeshKind::kM1, MeshKind::kM2})
    for (double gamma : {1.0, 8.0, 30.0}) {
      Cantilever c;
      c.gamma = gamma;
      c.mesh = mesh;
      const double coarse = slope_error(bend_cantilever(c), gamma);
      c.elements = 40;
      const double fine = slope_error(bend_cantilever(c), gamma);
      EXPECT_LT(std::abs(coarse), gamma <= 10 ? 0.01 : 0.015) << name_of(mesh) << " " << gamma;
      EXPECT_LT(std::abs(fine), gamma <= 10 ? 0.003 : 0.005) << name_of(mesh) << " " << gamma;
      if (gamma > 1) {
        EXPECT_GT(std::log2(coarse / fine), 1.7) << name_of(mesh) << " " << gamma;
      }
    }
}

TEST(T1Cantilever, LbfgsEndsWhereNewtonDoes) {
  const double newton = bend_cantilever({}).slope, lbfgs = bend_cantilever({}, "lbfgs", 0.1, 200, 600).slope;
  EXPECT_NEAR(lbfgs, newton, 5e-3 * newton);
}

TEST(T1Cantilever, AWrongBendingConstantIsSeenAsTheTableSays) {
  Cantilever c;
  c.stiffness_factor = 0.25;
  EXPECT_NEAR(bend_cantilever(c).slope, 2.6742, 0.02 * 2.6742);
  c.stiffness_factor = 3;
  EXPECT_NEAR(bend_cantilever(c).slope, 0.32583, 0.02 * 0.32583);
}

TEST(T1Cantilever, PositionBasedMethodsFailItAndTheirAnswerHangsOnTheIterations) {
  Cantilever c;
  c.bend = BendLaw::kQuadratic;
  const double few = bend_cantilever(c, "pbd", 1.0 / 60, 5, 200).slope;
  const double many = bend_cantilever(c, "pbd", 1.0 / 60, 40, 200).slope;
  EXPECT_GT(std::abs(few / exact_slope(8) - 1), 0.1);
  EXPECT_GT(std::abs(few / many - 1), 0.1);
}

TEST(S4TimeStep, TheCantileverAtRestDoesNotKnowItsTimeStep) {
  const Bent slow = bend_cantilever({}, "newton", 0.1), fast = bend_cantilever({}, "newton", 1.0 / 30, 50, 2000);
  double sum = 0;
  for (size_t i = 0; i < slow.state.x.size(); ++i)
    sum += static_cast<double>((slow.state.x[i] - fast.state.x[i]).squaredNorm());
  EXPECT_LT(std::sqrt(sum / static_cast<double>(slow.state.x.size())), 0.5e-3 * 0.2);
}

// T3: rest angles of a circle of radius L, no gravity: a flat start rolls up to it.
TEST(T3RestCurvature, AStripWithRestAnglesRollsToItsCircle) {
  Strip s;
  s.columns = 20;
  s.cell = 0.01;
  ClothInput cloth = make_strip(s);
  const double radius = 0.2;
  cloth.bend = BendLaw::kShape;
  cloth.rest_angles = true;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 1e-3;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 2e3;
  cloth.fabric.shear = 1e3;
  const std::vector<Vec3> flat = cloth.positions;
  for (Vec3& p : cloth.positions)
    p = Vec3(radius * std::sin(p.x() / radius), -radius * (1 - std::cos(p.x() / radius)), p.z());
  for (int k = 0; k < 2 * (s.rows + 1); ++k) cloth.pinned.push_back(k);
  const DrapeModel model = build_model(cloth).value();
  DrapeState state = start_state(cloth);
  for (size_t i = 2 * (s.rows + 1); i < flat.size(); ++i)
    state.x[i] = (0.5 * flat[i] + 0.5 * cloth.positions[i]).cast<Real>();
  Scene scene = vacuum();
  scene.gravity.setZero();
  const Rest rest = bring_to_rest("newton", model, scene, state, 1e-6, 800);
  for (size_t i = 0; i < flat.size(); ++i) {
    const double r = (rest.state.x[i].cast<double>() - Vec3(0, -radius, flat[i].z())).norm();
    EXPECT_NEAR(r, radius, 0.005 * radius) << i;
  }
}

}  // namespace
}  // namespace tryon::sim::validation
