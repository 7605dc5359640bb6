#include "server/metrics/balance.h"

#include "gtest/gtest.h"

namespace tryon {
namespace {

// A plank of 3 N: 2 N at x = 0 and 1 N at x = 3, half a metre high.
const std::vector<Vec3> kPlaces = {Vec3(0, 0, 0), Vec3(3, 0.5, 0)};
const std::vector<double> kWeight = {2, 1};

TEST(Balance, WhatIsCarriedWhereItWeighsIsBalanced) {
  EXPECT_NEAR(unbalanced_moment(kPlaces, kWeight, {Vec3(0, 2, 0), Vec3(0, 1, 0)}), 0.0, 1e-15);
}

TEST(Balance, WhatIsCarriedElsewhereTurnsTheClothByTheLever) {
  // All of it carried at x = 0, 1 m beside the centroid: 3 Nm over 3 N times 0.5 m.
  EXPECT_NEAR(unbalanced_moment(kPlaces, kWeight, {Vec3(0, 3, 0), Vec3::Zero()}), 2.0, 1e-12);
}

TEST(Balance, SidewaysPairsTurnItToo) {
  // 1 N and -1 N along z, 3 m apart along x and 0.5 m along y.
  const double moment = std::hypot(3.0, 0.5);
  EXPECT_NEAR(unbalanced_moment(kPlaces, kWeight, {Vec3(0, 2, 1), Vec3(0, 1, -1)}), moment / 1.5, 1e-12);
}

TEST(Balance, WithoutWeightOrHeightThereIsNothingToMeasure) {
  EXPECT_EQ(unbalanced_moment({}, {}, {}), 0.0);
  EXPECT_EQ(unbalanced_moment({Vec3(0, 0, 0), Vec3(1, 0, 0)}, {1, 1}, {Vec3(0, 2, 0), Vec3::Zero()}), 0.0);
}

}  // namespace
}  // namespace tryon
