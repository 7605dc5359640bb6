// Which sharp points a triangle lies over: the grid beside every point asked.
#include "server/sim/collision/points_under.h"

#include <random>

#include "gtest/gtest.h"

namespace tryon::sim {
namespace {

constexpr Real kReach = Real(0.02), kLowest = Real(-0.004);

std::vector<SharpPoint> some_points(int count, std::mt19937* random) {
  std::uniform_real_distribution<double> at(-0.1, 0.1), turn(-0.3, 0.3);
  std::vector<SharpPoint> out;
  for (int k = 0; k < count; ++k)
    out.push_back(
        {Vec3(at(*random), 0.1 * at(*random), at(*random)), Vec3(turn(*random), 1, turn(*random)).normalized()});
  return out;
}

// The height along the normal, by solving for the point's shadow.
Real height_by_solving(const SharpPoint& p, const std::array<RVec3, 3>& t) {
  const Vec3 a = t[0].cast<double>(), b = t[1].cast<double>(), c = t[2].cast<double>();
  Eigen::Matrix3d system;
  system << b - a, c - a, -p.normal;
  const Vec3 found = system.inverse() * (p.at - a);
  const bool within = found[0] >= 0 && found[1] >= 0 && found[0] + found[1] <= 1;
  return within ? static_cast<Real>(found[2]) : PointsUnder::kNone;
}

TEST(PointsUnder, FindsTheLeastHeightThatAskingEachPointFinds) {
  std::mt19937 random(7);
  const std::vector<SharpPoint> points = some_points(400, &random);
  const PointsUnder under(points, kReach);
  std::uniform_real_distribution<Real> at(Real(-0.12), Real(0.12)), beside(Real(-0.01), Real(0.01));
  int found = 0;
  for (int k = 0; k < 3000; ++k) {
    const RVec3 middle(at(random), Real(0.1) * at(random), at(random));
    std::array<RVec3, 3> t;
    for (RVec3& corner : t) corner = middle + RVec3(beside(random), Real(0.2) * beside(random), beside(random));
    const RVec3 normal = (t[1] - t[0]).cross(t[2] - t[0]).normalized();
    if (std::abs(normal.y()) < Real(0.8)) continue;  // clear of the angle at which a point stands beside a triangle
    const Real answer = under.least_height(t[0], t[1], t[2], kLowest);
    Real expected = PointsUnder::kNone;
    for (const SharpPoint& p : points) {
      if ((p.at.cast<Real>() - (t[0] + t[1] + t[2]) / 3).norm() > kReach) continue;
      const Real height = height_by_solving(p, t);
      if (height >= kLowest) expected = std::min(expected, height);
    }
    if (expected == PointsUnder::kNone) {
      EXPECT_EQ(answer, expected);
    } else {
      EXPECT_NEAR(answer, expected, 1e-6);
      ++found;
    }
  }
  EXPECT_GT(found, 200);
}

TEST(PointsUnder, APointIsMissedNeitherAtTheGridsEndsNorSeenThroughATriangleThatStandsBesideIt) {
  const std::vector<SharpPoint> one = {{Vec3(5, 6, 7), Vec3::UnitY()}};
  const PointsUnder under(one, kReach);
  const RVec3 p(5, 6, 7), up(0, Real(0.001), 0), x(Real(0.01), 0, 0), y(0, Real(0.01), 0), z(0, 0, Real(0.01));
  EXPECT_NEAR(under.least_height(p + up - x - z, p + up - x + z, p + up + x, kLowest), 0.001, 1e-6);
  EXPECT_NEAR(under.least_height(p - up - x - z, p - up - x + z, p - up + x, kLowest), -0.001, 1e-6);
  EXPECT_EQ(under.least_height(p - 5 * up - x - z, p - 5 * up - x + z, p - 5 * up + x, kLowest), PointsUnder::kNone);
  EXPECT_EQ(under.least_height(p - x - y, p - x + y, p + x, kLowest), PointsUnder::kNone);
}

TEST(PointsUnder, WhatIsNoNumberOrVeryFarIsOverNothing) {
  const std::vector<SharpPoint> one = {{Vec3(0, 1, 0), Vec3::UnitY()}};
  const PointsUnder under(one, kReach), none;
  const RVec3 nan = RVec3::Constant(std::numeric_limits<Real>::quiet_NaN()), far = RVec3::Constant(Real(1e30));
  for (const RVec3& p : {nan, far, RVec3(-far)}) EXPECT_EQ(under.least_height(p, p, p, kLowest), PointsUnder::kNone);
  EXPECT_EQ(none.least_height(far, far, far, kLowest), PointsUnder::kNone);
  for (const Real reach : {Real(0), std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN()})
    EXPECT_TRUE(PointsUnder(one, reach).empty());
}

}  // namespace
}  // namespace tryon::sim
