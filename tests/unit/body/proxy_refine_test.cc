#include "server/body/proxy_refine.h"

#include <cmath>

#include "gtest/gtest.h"

namespace tryon {
namespace {

Skin elliptic_tube() {
  Skin skin;
  for (int k = 0; k <= 40; ++k) {
    for (int i = 0; i < 60; ++i) {
      const double angle = i * M_PI / 30, rx = 0.1 + 0.001 * k;
      const Vec3 n = Vec3(std::cos(angle) / rx, 0, std::sin(angle) / 0.06).normalized();
      skin.points.emplace_back(rx * std::cos(angle), 0.01 * k, 0.06 * std::sin(angle));
      skin.area.push_back(1.0 / (41 * 60)), skin.part.push_back(BodyPart::kTorso), skin.normal.push_back(n);
    }
  }
  return skin;
}

Strand rough_strand() {
  Strand strand;
  strand.claims = part_bit(BodyPart::kTorso);
  for (const double h : {0.0, 0.2, 0.4}) strand.levels.push_back({h, Vec2(0.01, -0.005), Vec2(0.13, 0.075)});
  return strand;
}

TEST(RefineStrands, FindAnEllipticTubeFromARoughStart) {
  const Skin skin = elliptic_tube();
  std::vector<Strand> strands = {rough_strand()};
  RefineSettings settings;
  settings.sweeps = 60;
  refine_strands(skin, settings, &strands);
  double worst = 0.0;
  for (const double gap : strand_gaps(skin, strands)) worst = std::max(worst, std::abs(gap));
  EXPECT_LT(worst, 0.004);
  EXPECT_NEAR(strands[0].levels[0].radii.x(), 0.10, 0.004);
  EXPECT_NEAR(strands[0].levels[2].radii.x(), 0.14, 0.004);
}

TEST(HoldPoints, ScalesAStrandUntilItHoldsItsSkin) {
  const Skin skin = elliptic_tube();
  Strand strand = rough_strand();
  for (StrandLevel& level : strand.levels) level.center.setZero(), level.radii = Vec2(0.1, 0.05);
  hold_points(skin, 1.0, &strand);
  for (const double gap : strand_gaps(skin, {strand})) EXPECT_LT(gap, 0.004);
}

TEST(ChooseLevels, KeepTheLevelAtAKinkFirst) {
  std::vector<StrandLevel> dense;
  std::vector<LevelShares> shares(11, LevelShares::Constant(0.02));
  for (int i = 0; i <= 10; ++i) {
    const double r = i < 4 ? 0.05 + 0.01 * i : 0.09 - 0.005 * (i - 4);
    dense.push_back({0.1 * i, Vec2::Zero(), Vec2(r, r)});
  }
  const std::vector<LevelChoice> choices = choose_levels(dense, shares, 3.0, 4);
  ASSERT_EQ(choices[3].levels.size(), 3u);
  EXPECT_NEAR(choices[3].levels[1].height, 0.4, 1e-9);
  EXPECT_NEAR(choices[3].cost, 0.0, 1e-9);
  EXPECT_GT(choices[2].cost, 0.001);
}

}  // namespace
}  // namespace tryon
