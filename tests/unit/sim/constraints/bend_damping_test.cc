#include "server/sim/constraints/bend_damping.h"

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"
#include "tests/unit/sim/cloth_fixtures.h"
#include "tests/unit/sim/swings.h"

namespace tryon::sim {
namespace {

constexpr double kLength = 0.1, kDensity = 0.1, kBending = 1e-4, kDamping = 0.01;

ClothInput clamped_strip(BendLaw law, double damping) {
  testing::SheetOptions options;
  options.width = 0.02;
  options.length = kLength;
  options.columns = 2;
  options.rows = 12;
  options.hung = true;
  ClothInput cloth = testing::make_sheet(options);
  cloth.bend = law;
  cloth.fabric.areal_density = kDensity;
  cloth.fabric.bend_warp = cloth.fabric.bend_weft = kBending;
  cloth.fabric.bend_damping = damping;
  for (int i = 3 * 11; i < 3 * 13; ++i) cloth.pinned.push_back(i);
  for (Vec3& p : cloth.positions) p.z() = 0.2 * std::pow(std::min(0.0, p.y() + kLength / 12), 2);  // 1.7 mm at the tip
  return cloth;
}

// In its first mode, whatever law resists bending.
TEST(BendDamping, AStripLosesWhatAViscousBeamLoses) {
  for (const BendLaw law : {BendLaw::kQuadratic, BendLaw::kIsometric, BendLaw::kHinge}) {
    SCOPED_TRACE(static_cast<int>(law));
    const auto free = testing::swings_of(clamped_strip(law, 0.0), 1, 2, 4e-3);
    const auto damped = testing::swings_of(clamped_strip(law, kDamping), 1, 2, 4e-3);
    testing::expect_viscous_loss(free, damped, kDamping, 0.05);
  }
}

TEST(BendDamping, TheGradientIsThatOfTheEnergyAndVanishesWhereNothingMoved) {
  const ClothInput cloth = clamped_strip(BendLaw::kQuadratic, kDamping);
  const DrapeModel model = build_model(cloth).value();
  BendDamping damping(model, 0.01);
  std::vector<RVec3> x = start_state(cloth).x, gradient(x.size(), RVec3::Zero());
  damping.begin_step(x);
  EXPECT_EQ(damping.add(x, &gradient), 0.0);
  for (const RVec3& g : gradient) EXPECT_TRUE(g.isZero());
  for (size_t i = 0; i < x.size(); ++i) x[i].z() += static_cast<Real>(1e-3 * std::sin(3.0 * static_cast<double>(i)));
  damping.add(x, &gradient);
  std::vector<RVec3> unread(x.size());
  for (const int i : {0, 7, 20}) {
    const Real step = Real(1e-4);  // the energy is quadratic: any step is exact
    std::vector<RVec3> plus = x, minus = x;
    plus[i].z() += step;
    minus[i].z() -= step;
    const double slope = (damping.add(plus, &unread) - damping.add(minus, &unread)) / (2 * static_cast<double>(step));
    EXPECT_NEAR(slope, static_cast<double>(gradient[i].z()), 1e-3 * std::abs(slope) + 1e-9);
  }
}

}  // namespace
}  // namespace tryon::sim
