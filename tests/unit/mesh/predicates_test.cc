#include "server/mesh/predicates.h"

#include <cmath>
#include <random>

#include "gtest/gtest.h"

namespace tryon {
namespace {

TEST(Predicates, OrientationSeesTheLastBitThatPlainArithmeticLoses) {
  const Vec2 a(0.5, 0.5), b(12.0, 12.0);
  for (int i = 0; i < 64; ++i) {
    const Vec2 c(24.0 + i * std::ldexp(1.0, -48), 24.0);
    EXPECT_EQ(orientation(a, b, c), i == 0 ? 0 : -1) << i;
    EXPECT_EQ(orientation(b, a, c), i == 0 ? 0 : 1) << i;
  }
}

TEST(Predicates, TheFourthCornerOfASquareLiesExactlyOnTheCircle) {
  const Vec2 a(0.1, 0.1), b(0.3, 0.1), c(0.3, 0.3), d(0.1, 0.3);
  EXPECT_EQ(in_circle(a, b, c, d), 0);
  EXPECT_EQ(in_circle(a, b, c, Vec2(0.1, std::nextafter(0.3, 0.0))), 1);
  EXPECT_EQ(in_circle(a, b, c, Vec2(0.1, std::nextafter(0.3, 1.0))), -1);
}

TEST(Predicates, PlainArithmeticAnswersAsExactArithmeticDoes) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> grid(0, 6), bits(-1, 1);
  const auto point = [&] {
    return Vec2(0.1 * grid(random) + std::ldexp(bits(random), -52), 0.1 * grid(random) + std::ldexp(bits(random), -52));
  };
  int on_line = 0, on_circle = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Vec2 a = point(), b = point(), c = point(), d = point();
    ASSERT_EQ(orientation(a, b, c), orientation_exact(a, b, c)) << trial;
    ASSERT_EQ(in_circle(a, b, c, d), in_circle_exact(a, b, c, d)) << trial;
    on_line += orientation_exact(a, b, c) == 0, on_circle += in_circle_exact(a, b, c, d) == 0;
  }
  EXPECT_GT(on_line, 10) << "the hard cases are among them";
  EXPECT_GT(on_circle, 10);
}

TEST(Predicates, AreaIsPositiveForACounterClockwiseLoop) {
  EXPECT_DOUBLE_EQ(signed_area({{0, 0}, {2, 0}, {2, 3}, {0, 3}}), 6.0);
  EXPECT_DOUBLE_EQ(signed_area({{0, 0}, {0, 3}, {2, 3}, {2, 0}}), -6.0);
}

TEST(FindCrossing, ASimpleLoopHasNone) {
  EXPECT_FALSE(find_crossing({{0, 0}, {1, 0}, {2, 0}, {2, 1}, {1, 0.5}, {0, 1}}).has_value());
}

TEST(FindCrossing, ABowTieATouchASpikeAndARepeatedPointAreFound) {
  EXPECT_EQ(find_crossing({{0, 0}, {1, 1}, {1, 0}, {0, 1}}), std::pair(0, 2));
  EXPECT_EQ(find_crossing({{0, 0}, {2, 0}, {2, 1}, {1, 0}, {0, 1}}), std::pair(0, 2)) << "a corner on a side";
  EXPECT_EQ(find_crossing({{0, 0}, {2, 0}, {1, 0}, {1, 1}}), std::pair(0, 1)) << "a spike";
  EXPECT_EQ(find_crossing({{0, 0}, {0, 0}, {1, 0}, {0, 1}}), std::pair(0, 1)) << "a repeated point";
  EXPECT_TRUE(find_crossing({{0, 0}, {1, 0}, {2, 0}}).has_value()) << "no inside";
}

// The obvious way: every pair of sides that share no point, by the signs of four turns.
bool crosses_somewhere(const std::vector<Vec2>& loop) {
  const int n = static_cast<int>(loop.size());
  for (int i = 0; i < n; ++i) {
    for (int j = i + 2; j < n; ++j) {
      if (i == 0 && j == n - 1) continue;
      const Vec2 &a = loop[i], &b = loop[i + 1], &c = loop[j], &d = loop[(j + 1) % n];
      if (orientation(a, b, c) * orientation(a, b, d) < 0 && orientation(c, d, a) * orientation(c, d, b) < 0)
        return true;
    }
  }
  return false;
}

TEST(FindCrossing, AgreesWithEveryPairOnRandomLoops) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> noise(-1.0, 1.0);
  int crossing = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::vector<Vec2> loop;
    const double roughness = 0.03 * (trial % 10);
    for (int i = 0; i < 24; ++i) {
      const double angle = 2.0 * M_PI * (i + 6.0 * roughness * noise(random)) / 24.0;
      loop.push_back((1.0 + roughness * noise(random)) * Vec2(std::cos(angle), std::sin(angle)));
    }
    const bool expected = crosses_somewhere(loop);
    crossing += expected;
    ASSERT_EQ(find_crossing(loop).has_value(), expected) << trial;
  }
  EXPECT_GT(crossing, 40);
  EXPECT_LT(crossing, 360);
}

}  // namespace
}  // namespace tryon
