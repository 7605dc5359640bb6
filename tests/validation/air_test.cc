// T12 (sheets in the air): validation.md 2.8. Terminal velocity, flags of sign and angle: unit tests of wind and air.
#include "tests/validation/air_scenes.h"

namespace tryon::sim::validation {
namespace {

TEST(T12HangingSheet, StandsStraightAtTheAngleAndTensionOfTheNormalPressureLaw) {
  const double table[][3] = {{0.5, 24.4698, 0.91018}, {2, 51.3317, 0.62481}, {5, 64.8216, 0.42544}};
  for (const auto& [q, angle, tension] : table) {
    const InWind rest = hang_in_wind("newton", WindModel::kTriangle, q, 0);
    EXPECT_NEAR(rest.degrees, angle, 0.5) << q;
    EXPECT_LT(rest.crooked, 0.01) << q;
    EXPECT_NEAR(rest.tension, tension, 0.01) << q;
  }
}

TEST(T12HangingSheet, StandsAtTheAngleAndTensionOfDragAndLift) {
  const double table[][4] = {{1, 0, 38.1727, 1.27202}, {1, 0.3, 43.0843, 1.06921}};
  for (const auto& [q, lift, angle, tension] : table) {
    const InWind rest = hang_in_wind("newton", WindModel::kVertex, q, lift);
    EXPECT_NEAR(rest.degrees, angle, 0.5) << lift;
    EXPECT_NEAR(rest.tension, tension, 0.01) << lift;
  }
}

TEST(T12FallingSheet, EdgeOnItFallsAsIfThereWereNoAir) {
  EXPECT_NEAR(fall_edge_on("newton"), 0.5 * kGravity / 3600 * 60 * 61, 1e-9);
}

}  // namespace
}  // namespace tryon::sim::validation
