// T2 (lateral buckling), T4 (stick-slip of a compressed strip): validation.md 1.3, 1.5.
#include "tests/validation/stability_scenes.h"

namespace tryon::sim::validation {
namespace {

// Gamma_c of the Kirchhoff plate at W / L = 0.2, nu = 0.
TEST(T2LateralBuckling, AnUprightStripTipsWithinFivePercentOfThePlatesLoad) {
  const double exact = 20.642;
  Upright u;
  u.gamma = 0.95 * exact;
  EXPECT_FALSE(buckles(u));
  u.gamma = 1.05 * exact;
  EXPECT_TRUE(buckles(u));
}

TEST(T2LateralBuckling, PushedByATipForceItComesBackBelowTheLoadAndStaysAsideAboveIt) {
  const double exact = 20.642;
  Upright u;
  u.gamma = 0.95 * exact;
  const TipForce below = push_tip(u);
  EXPECT_GT(below.pushed, 0.02);
  EXPECT_LT(std::abs(below.left), 0.003);
  u.gamma = 1.05 * exact;
  const TipForce above = push_tip(u);
  EXPECT_GT(above.left, 0.02);
}

// N L^2 / B and T / N of the elastica with a pinned tip, before it slips.
TEST(T4StickSlip, ACompressedStripPressesAsTheElastica) {
  const std::vector<Pressed> run = press_strip("newton", 0.2, 40, 1e-3, 0.12);
  const auto at = [&](double compression) {
    size_t i = 1;
    while (i + 1 < run.size() && run[i].compression < compression) ++i;
    const double t = (compression - run[i - 1].compression) / (run[i].compression - run[i - 1].compression);
    return std::pair(run[i - 1].normal + t * (run[i].normal - run[i - 1].normal),
                     run[i - 1].ratio + t * (run[i].ratio - run[i - 1].ratio));
  };
  ASSERT_GT(run.size(), 24u);
  EXPECT_NEAR(at(0.046874).first, 20.5491, 0.02 * 20.5491);
  EXPECT_NEAR(at(0.046874).second, 0.10, 0.03 * 0.10);
  EXPECT_NEAR(at(0.096905).first, 20.9347, 0.02 * 20.9347);
  EXPECT_NEAR(at(0.096905).second, 0.15, 0.03 * 0.15);
}

TEST(T4StickSlip, HeldBelowItsSlipItDoesNotCreepInTenSeconds) {
  const std::vector<Pressed> run = press_strip("newton", 0.2, 40, 1e-3, 0.9 * 0.154867, 40, 10);
  ASSERT_GT(run.size(), 2u);
  EXPECT_LT(std::abs(run.back().slip - run[run.size() - 2].slip), 1e-4);
  EXPECT_LT(run.back().slip, 5e-4);
}

TEST(T4StickSlip, ItSlipsWhereTheElasticaDoesAndSlidesAtTheCoefficient) {
  const double onsets[][2] = {{0.05, 0.012380}, {0.10, 0.046874}, {0.20, 0.154867}, {0.30, 0.271563}};
  for (const auto& [mu, exact] : onsets) {
    double onset = 0;
    for (const Pressed& p : press_strip("newton", mu, 40, mu < 0.1 ? 2e-4 : 1e-3, exact + 0.03)) {
      if (onset == 0 && p.slip > 5e-4) onset = p.compression;
      if (onset > 0) {
        EXPECT_NEAR(p.ratio, mu, 0.02 * mu) << p.compression;
      }
    }
    EXPECT_NEAR(onset, exact, 0.05 * exact) << mu;
  }
}

}  // namespace
}  // namespace tryon::sim::validation
