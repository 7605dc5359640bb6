#include "server/metrics/sewn_sides.h"

#include "gtest/gtest.h"

namespace tryon {
namespace {

TEST(SewnSides, EdgesCountByTheirLengthAndSidesAsAWhole) {
  // 0.9 m at rest strain, one edge of 0.1 m stretched by a tenth: the whole side by a hundredth.
  const SewnSide stretched{{0.3, 0.3, 0.3, 0.1}, {0.3, 0.3, 0.3, 0.11}};
  const SeamStrain one = seam_strain({stretched});
  EXPECT_NEAR(one.max, 0.1, 1e-12);
  EXPECT_NEAR(one.p95, 0.1, 1e-12) << "the last tenth of its length";
  EXPECT_NEAR(one.side_max, 0.01, 1e-12);
  EXPECT_NEAR(one.length, 1.0, 1e-12);
  // Beside three sides at rest it is the last fortieth.
  const SewnSide rest{{0.5, 0.5}, {0.5, 0.5}};
  EXPECT_NEAR(seam_strain({rest, stretched, rest, rest}).p95, 0.0, 1e-12);
}

TEST(SewnSides, PressedTogetherIsStrainTooAndNothingIsNone) {
  const SeamStrain pressed = seam_strain({{{0.2, 0.2}, {0.19, 0.19}}});
  EXPECT_NEAR(pressed.max, 0.05, 1e-12);
  EXPECT_NEAR(pressed.side_max, 0.05, 1e-12);
  EXPECT_EQ(seam_strain({}).length, 0.0);
  EXPECT_EQ(seam_strain({{{0.0}, {0.0}}}).max, 0.0) << "an edge without length has no strain";
}

}  // namespace
}  // namespace tryon
