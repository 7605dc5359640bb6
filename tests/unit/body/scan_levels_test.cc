#include "server/body/scan_levels.h"

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"

namespace tryon {
namespace {

// Points at scattered heights, many of them shared.
std::vector<Vec3> scattered(int count) {
  std::vector<Vec3> out;
  for (int i = 0; i < count; ++i) {
    out.emplace_back(std::sin(0.7 * i), std::round(400.0 * std::sin(12.9898 * i)) / 200.0, std::cos(1.3 * i));
  }
  return out;
}

// The obvious way: sort everything.
std::vector<int> band_of(const std::vector<Vec3>& points, const Vec3& up, double from, double to) {
  std::vector<std::pair<double, int>> all;
  const Vec3 unit = up.normalized();
  for (size_t i = 0; i < points.size(); ++i) all.emplace_back(points[i].dot(unit), static_cast<int>(i));
  std::sort(all.begin(), all.end());
  std::vector<int> out;
  for (const auto& [height, point] : all) {
    if (height >= from && height < to) out.push_back(point);
  }
  return out;
}

TEST(PointLevels, ABandHoldsWhatLiesInItLowestFirst) {
  const std::vector<Vec3> points = scattered(5000);
  for (const Vec3& up : {Vec3(0, 1, 0), Vec3(0, -1, 0), Vec3(Vec3(0.3, -0.8, 0.5).normalized())}) {
    const PointLevels levels(points, up);
    for (int k = -2; k < 40; ++k) {
      const double from = levels.low() + 0.03 * k * levels.height(), to = from + 0.02 * levels.height();
      EXPECT_EQ(levels.between(from, to), band_of(points, up, from, to));
      EXPECT_EQ(levels.between(from, from + 0.7 * levels.height()),
                band_of(points, up, from, from + 0.7 * levels.height()));
    }
    EXPECT_EQ(levels.between(levels.low(), 2.0 * levels.high() + 10.0).size(), points.size());
    EXPECT_TRUE(levels.between(levels.high(), levels.low()).empty());
  }
}

TEST(PointLevels, PointsOfOneHeightAndNoPointsAtAllHaveTheirBands) {
  const std::vector<Vec3> flat(7, Vec3(1, 2, 3));
  EXPECT_EQ(PointLevels(flat, Vec3::UnitY()).between(1.9, 2.1).size(), 7u);
  EXPECT_TRUE(PointLevels(flat, Vec3::UnitY()).between(2.1, 2.2).empty());
  const std::vector<Vec3> none;
  EXPECT_TRUE(PointLevels(none, Vec3::UnitY()).between(0.0, 1.0).empty());
  EXPECT_TRUE(PointLevels(none, Vec3::UnitY()).at(0.0).empty());
}

}  // namespace
}  // namespace tryon
