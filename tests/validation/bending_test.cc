// T1b (patch), T1 (cantilever), T3 (rest curvature), S4 (time step): validation.md 1.1, 1.2, 1.4, 5.4.
#include <algorithm>

#include "tests/validation/strips.h"

namespace tryon::sim::validation {
namespace {

struct Quadratic {
  const char* name;
  Eigen::Matrix2d shape;
};
std::vector<Quadratic> quadratics() {
  std::vector<Quadratic> out;
  for (int degrees = 0; degrees < 180; degrees += 15) {
    const Vec2 d(std::cos(degrees * kPi / 180), std::sin(degrees * kPi / 180));
    out.push_back({"cylinder", d * d.transpose()});
  }
  Eigen::Matrix2d twist, saddle;
  twist << 0, 1, 1, 0;
  saddle << 1, 0, 0, -1;
  out.push_back({"twist", twist});
  out.push_back({"sphere", Eigen::Matrix2d::Identity()});
  out.push_back({"saddle", saddle});
  return out;
}

double exact_energy(const Eigen::Matrix2d& s, double area) {
  return 0.5 * 1e-6 * (s.trace() * s.trace() - 2 * s.determinant()) * area;
}

// Bending energy of z = 1/2 x^T S x over the exact one, in a window away from the border: 1/2 theta B theta, fold by
// fold, with the angles that build_model measures on the bent sheet.
double inner_ratio(MeshKind mesh, BendLaw bend, const Eigen::Matrix2d& shape, uint32_t seed = 0) {
  Strip s;
  s.columns = s.rows = 24;
  s.mesh = mesh;
  s.seed = seed;
  s.cell = mesh == MeshKind::kM3 || mesh == MeshKind::kM5 ? 0.01 * std::sqrt(3.0) / 2 : 0.01;
  s.width = 0.01 * s.rows;
  s.start = -s.cell * s.columns / 2;
  const ClothInput sheet = make_strip(s);
  ClothInput cloth = sheet;
  cloth.bend = bend;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = 1;
  const DrapeModel model = build_model(cloth).value();
  for (size_t i = 0; i < cloth.positions.size(); ++i) {
    const Vec2 p(cloth.positions[i].x(), -cloth.positions[i].z());
    cloth.positions[i].y() = 0.5e-3 * p.dot(shape * p);
  }
  cloth.rest_angles = true;
  const DrapeModel bent = build_model(cloth).value();
  // A window of whole lattice periods, its border between the rows of edges' middles.
  const double half_x = 6 * (mesh == MeshKind::kM3 ? 2.0 / 2 : 1.0) * s.cell, half_z = 0.06, shift = 0.0013;
  const auto inside = [&](const Vec3& p) {
    return p.x() >= shift - half_x && p.x() < shift + half_x && p.z() >= shift - half_z && p.z() < shift + half_z;
  };
  double sum = 0;
  for (int f = 0; f < model.folds.count(); ++f) {
    const auto& p = model.folds.particle[f];
    if (!inside(0.5 * (sheet.positions[p[0]] + sheet.positions[p[1]]))) continue;
    for (int k = model.folds.row_begin[f]; k < model.folds.row_begin[f + 1]; ++k)
      sum += 0.5 * static_cast<double>(bent.folds.rest_angle[f] * model.folds.stiffness[k] *
                                       bent.folds.rest_angle[model.folds.column[k]]);
  }
  const double area = 4 * half_x * half_z;
  return sum / exact_energy(shape, area);
}

TEST(T1bPatch, TheShapeOperatorStoresTheExactEnergyOfEveryQuadraticOnLattices) {
  for (const MeshKind mesh : {MeshKind::kM1, MeshKind::kM3})
    for (const Quadratic& q : quadratics())
      EXPECT_NEAR(inner_ratio(mesh, BendLaw::kShape, q.shape), 1, 0.01) << name_of(mesh) << " " << q.name;
}

// Interpolated at the vertices, oblique cylinders and twist cost more where diagonals alternate (relaxed, as in T1, the
// mesh meets its tolerance): this is outside the 1 % of 1.2 and is stated here, not tuned away.
TEST(T1bPatch, OnAlternatingDiagonalsObliqueShapesCostUpToTwiceAsMuch) {
  const auto all = quadratics();  // cylinders by 15 degrees, twist, sphere, saddle
  const auto ratio = [&](int i) { return inner_ratio(MeshKind::kM2, BendLaw::kShape, all[i].shape); };
  for (int exact : {0, 6, 13, 14}) EXPECT_NEAR(ratio(exact), 1, 0.01) << exact;
  EXPECT_NEAR(ratio(3), 1.5, 0.01);
  EXPECT_NEAR(ratio(12), 2.0, 0.01);
}

TEST(T1bPatch, OnUnstructuredMeshesItIsWithinFivePercentOnAverage) {
  for (uint32_t seed : {0u, 1u, 2u}) {
    double least = 10, most = 0, sum = 0;
    int count = 0;
    for (const Quadratic& q : quadratics()) {
      if (std::string(q.name) != "cylinder") continue;
      const double ratio = inner_ratio(MeshKind::kM5, BendLaw::kShape, q.shape, seed);
      least = std::min(least, ratio), most = std::max(most, ratio), sum += ratio, ++count;
    }
    EXPECT_NEAR(sum / count, 1, 0.05) << seed;
    EXPECT_LT(most / least, 1.10) << seed;
  }
}

// The hinge must fail this test as the table of 1.2 says: its energy depends on the direction of the mesh.
TEST(T1bPatch, TheHingeModelHasTheBiasOfItsMesh) {
  const auto cylinder = [](double degrees) -> Eigen::Matrix2d {
    const Vec2 d(std::cos(degrees * kPi / 180), std::sin(degrees * kPi / 180));
    return d * d.transpose();
  };
  EXPECT_NEAR(inner_ratio(MeshKind::kM1, BendLaw::kHinge, cylinder(0)), 1.0, 0.02);
  const double along = inner_ratio(MeshKind::kM1, BendLaw::kHinge, cylinder(45));
  const double against = inner_ratio(MeshKind::kM1, BendLaw::kHinge, cylinder(135));
  EXPECT_NEAR(std::max(along, against), 3.0, 0.06);
  EXPECT_NEAR(std::min(along, against), 1.0, 0.02);
  for (double degrees : {0.0, 30.0, 75.0})
    EXPECT_NEAR(inner_ratio(MeshKind::kM3, BendLaw::kHinge, cylinder(degrees)), 1.0, 0.02) << degrees;
  Eigen::Matrix2d twist;
  twist << 0, 1, 1, 0;
  EXPECT_NEAR(inner_ratio(MeshKind::kM3, BendLaw::kHinge, twist), 1.333, 0.03);
  EXPECT_NEAR(inner_ratio(MeshKind::kM3, BendLaw::kHinge, Eigen::Matrix2d::Identity()), 0.667, 0.02);
}

double slope_error(const Bent& bent, double gamma) { return bent.slope / exact_slope(gamma) - 1; }

TEST(T1Cantilever, TheReferenceIsWithinTheTableAndOfSecondOrder) {
  for (const MeshKind mesh : {MeshKind::kM1, MeshKind::kM2})
    for (double gamma : {1.0, 8.0, 30.0}) {
      Cantilever c;
      c.gamma = gamma;
      c.mesh = mesh;
      const double coarse = slope_error(bend_cantilever(c), gamma);
      c.elements = 40;
      c.rows = 4;
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
