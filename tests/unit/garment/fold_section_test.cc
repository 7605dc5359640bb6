#include "server/garment/fold_section.h"

#include <cmath>
#include <numbers>

#include "gtest/gtest.h"

namespace tryon {
namespace {

TEST(FoldSection, WithoutFoldsItIsTheCircleOfTheWrap) {
  const FoldSection section(0.2, 1.0, 0.3);
  for (const double s : {-0.3, -0.1, 0.0, 0.17, 0.3}) {
    EXPECT_NEAR(section.at(s).x(), 0.2 * std::sin(s / 0.2), 1e-4);
    EXPECT_NEAR(section.at(s).y(), 0.2 * (std::cos(s / 0.2) - 1.0), 1e-4);
  }
  EXPECT_NEAR(FoldSection(0.0, 1.0, 0.3).at(0.25).x(), 0.25, 1e-9);
}

TEST(FoldSection, FoldedItIsAsNarrowAsAskedAndKeepsItsLength) {
  for (const double ratio : {1.2, 1.8, 2.6, 4.0}) {
    const FoldSection section(0.0, ratio, 0.9);
    EXPECT_NEAR(section.at(0.9).x(), 0.9 / ratio, 0.02) << ratio;
    double length = 0.0;
    for (int k = 0; k < 900; ++k) length += (section.at(1e-3 * (k + 1)) - section.at(1e-3 * k)).norm();
    EXPECT_NEAR(length, 0.9, 1e-3) << ratio;
    EXPECT_GE(section.reach(), section.at(0.9).x());
  }
}

TEST(FoldSection, NoTwoOfItsFoldsTouch) {
  const FoldSection section(0.3, kMostFold, 0.9);
  for (double s = -0.9; s < 0.9; s += 0.01) {
    for (double t = s + 0.06; t < 0.9; t += 0.01) EXPECT_GT((section.at(s) - section.at(t)).norm(), 0.005);
  }
}

}  // namespace
}  // namespace tryon
