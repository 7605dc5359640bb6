#include "server/sim/constraints/shear_damping.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/base/units.h"
#include "tests/unit/sim/cloth_fixtures.h"
#include "tests/unit/sim/swings.h"

namespace tryon::sim {
namespace {

constexpr double kLength = 0.05, kDamping = 0.002;
constexpr int kRows = 6, kColumns = 24;

// A wide band held at its upper edge, its lower one drawn aside: it swings in its own plane by shear alone.
ClothInput band(SpringLayout layout, double damping) {
  testing::SheetOptions options;
  options.width = 0.4;
  options.length = kLength;
  options.columns = kColumns;
  options.rows = kRows;
  options.hung = true;
  ClothInput cloth = testing::make_sheet(options);
  cloth.layout = layout;
  cloth.fabric.areal_density = 0.2;
  cloth.fabric.stretch_warp = cloth.fabric.stretch_weft = 4000;
  cloth.fabric.shear = 20;
  cloth.fabric.shear_damping = damping;
  double top = -1e9;
  for (const Vec3& p : cloth.positions) top = std::max(top, p.y());
  for (size_t i = 0; i < cloth.positions.size(); ++i) {
    Vec3& p = cloth.positions[i];
    if (p.y() > top - 1e-6) cloth.pinned.push_back(static_cast<int>(i));
    p.x() += 0.001 * std::sin(0.5 * kPi * (top - p.y()) / kLength);
  }
  return cloth;
}

int lower_middle(const ClothInput& cloth) {
  int best = 0;
  for (size_t i = 0; i < cloth.positions.size(); ++i) {
    const auto far = [&](size_t k) { return cloth.positions[k].y() + std::abs(cloth.positions[k].x()); };
    if (far(i) < far(static_cast<size_t>(best))) best = static_cast<int>(i);
  }
  return best;
}

TEST(ShearDamping, ABandLosesWhatAViscousOneLoses) {
  for (const SpringLayout layout : {SpringLayout::kThreads, SpringLayout::kMembrane}) {
    SCOPED_TRACE(static_cast<int>(layout));
    const int tip = lower_middle(band(layout, 0.0));
    const auto free = testing::swings_of(band(layout, 0.0), tip, 0, 2e-4);
    const auto damped = testing::swings_of(band(layout, kDamping), tip, 0, 2e-4);
    testing::expect_viscous_loss(free, damped, kDamping, 0.08);
  }
}

TEST(ShearDamping, TheGradientIsThatOfTheEnergyAndTurningTheClothCostsNothing) {
  const ClothInput cloth = band(SpringLayout::kThreads, kDamping);
  const DrapeModel model = build_model(cloth).value();
  ShearDamping damping(model, 0.01);
  ASSERT_TRUE(damping.any());
  std::vector<RVec3> x = start_state(cloth).x, gradient(x.size(), RVec3::Zero());
  damping.begin_step(x);
  EXPECT_EQ(damping.add(x, &gradient), 0.0);
  for (const RVec3& g : gradient) EXPECT_TRUE(g.isZero());
  const Eigen::AngleAxis<Real> turn(Real(0.7), RVec3(1, 2, 3).normalized());
  std::vector<RVec3> turned = x;
  for (RVec3& p : turned) p = turn * p;
  for (size_t i = 0; i < x.size(); ++i) x[i].x() += static_cast<Real>(1e-3 * std::sin(3.0 * static_cast<double>(i)));
  std::vector<RVec3> unread(x.size());
  const double moved = damping.add(x, &gradient);
  EXPECT_LT(damping.add(turned, &unread), 1e-6 * moved);
  for (const int i : {0, 30, 100}) {
    for (int axis = 0; axis < 3; ++axis) {
      const Real step = Real(1e-4);
      std::vector<RVec3> plus = x, minus = x;
      plus[i][axis] += step, minus[i][axis] -= step;
      const double slope = (damping.add(plus, &unread) - damping.add(minus, &unread)) / (2 * static_cast<double>(step));
      EXPECT_NEAR(slope, static_cast<double>(gradient[i][axis]), 2e-3 * std::abs(slope) + 1e-4) << i << " " << axis;
    }
  }
}

TEST(ShearDamping, ItsConstantMatrixIsNoSmallerThanItsHessian) {
  const ClothInput cloth = band(SpringLayout::kThreads, kDamping);
  const DrapeModel model = build_model(cloth).value();
  const ShearDamping damping(model, 0.01);
  const std::vector<RVec3> x = start_state(cloth).x;
  const Eigen::SparseMatrix<double> matrix = damping.matrix();
  for (int round = 0; round < 20; ++round) {
    Eigen::MatrixX3d way(static_cast<int>(x.size()), 3);
    for (int i = 0; i < way.rows(); ++i)
      for (int k = 0; k < 3; ++k) way(i, k) = std::sin(1.7 * i + 2.9 * k + 5.1 * round);
    double own = 0;
    for (size_t t = 0; t < model.triangles.size(); ++t) {
      double along = 0;
      const auto slope = damping.slopes(static_cast<int>(t), x);
      for (int c = 0; c < 3; ++c) along += slope[c].cast<double>().dot(way.row(model.triangles[t][c]).transpose());
      own += static_cast<double>(damping.rate_stiffness(static_cast<int>(t))) * along * along;
    }
    EXPECT_LE(own, (way.transpose() * (matrix * way)).trace());
  }
}

}  // namespace
}  // namespace tryon::sim
