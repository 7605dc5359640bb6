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

// M4 stands on zigzags; M5 is without any order in a plate as wide as long, in a narrow strip only from N = 40 on.
TEST(T1Cantilever, TurnedAndUnstructuredMeshesAreWithinTheirTables) {
  for (const MeshKind mesh : {MeshKind::kM3, MeshKind::kM4, MeshKind::kM5})
    for (double aspect : {0.1, 1.0}) {
      Cantilever c;
      c.mesh = mesh, c.aspect = aspect;
      const double share = mesh == MeshKind::kM3 ? 0.01 : mesh == MeshKind::kM4 ? 0.04 : 0.05;
      EXPECT_LT(std::abs(slope_error(bend_cantilever(c), 8)), share) << name_of(mesh) << " " << aspect;
      if (aspect > 0.1) continue;
      c.elements = 40;
      const double fine = mesh == MeshKind::kM3 ? 0.003 : mesh == MeshKind::kM4 ? 0.02 : 0.04;
      EXPECT_LT(std::abs(slope_error(bend_cantilever(c), 8)), fine) << name_of(mesh) << " " << aspect;
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

TEST(S2Stiffness, TheCantileverDoesNotKnowTheIterationsOfAStep) {
  const double few = bend_cantilever({}, "lbfgs", 0.1, 50, 2000).slope,
               many = bend_cantilever({}, "lbfgs", 0.1, 200, 600).slope;
  EXPECT_NEAR(few, many, 0.005 * many);
}

TEST(S4TimeStep, TheCantileverAtRestDoesNotKnowItsTimeStep) {
  const Bent slow = bend_cantilever({}, "newton", 0.1), fast = bend_cantilever({}, "newton", 1.0 / 30, 50, 2000);
  double sum = 0;
  for (size_t i = 0; i < slow.state.x.size(); ++i)
    sum += static_cast<double>((slow.state.x[i] - fast.state.x[i]).squaredNorm());
  EXPECT_LT(std::sqrt(sum / static_cast<double>(slow.state.x.size())), 0.5e-3 * 0.2);
}

// Rest curvature over 1 / L, Gamma, tip aside and below over L.
TEST(T3RestCurvature, ACurvedStripHangsAsTheElastica) {
  const double table[][4] = {{1, 10, 0.2369775, 0.9546745},  {2, 1, 0.6793914, 0.5252908},
                             {2, 100, 0.1177210, 0.9800003}, {kPi, 10, 0.6012974, 0.5638724},
                             {5, 100, 0.2699842, 0.8750024}, {10, 1000, 0.1182229, 0.9500000}};
  for (const auto& [curvature, gamma, aside, drop] : table)
    for (int elements : {20, 40}) {
      const double share = elements < 40 ? 0.01 : 0.003;
      const CurvedTip tip = hang_curved("newton", curvature, gamma, elements);
      EXPECT_NEAR(tip.aside, aside, share) << curvature << " " << gamma;
      EXPECT_NEAR(tip.drop, drop, share) << curvature << " " << gamma;
    }
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
