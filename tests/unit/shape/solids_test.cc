#include "server/shape/solids.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "gtest/gtest.h"
#include "tests/unit/shape/solid_fixtures.h"

namespace tryon {
namespace {

using namespace tryon::testing;  // the fixtures

TEST(FrustumDistance, EqualsBruteForceForCircularSections) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    Frustum f = random_frustum(random, Section::kCircle, i % 3 == 0 ? 0.0 : 1.0);
    f.open_bottom = i % 5 == 1, f.open_top = i % 7 == 1;
    const Vec3 p = random_point_near(random, f, 0.15);
    const SurfacePoint found = distance(f, p);
    ASSERT_NEAR(std::abs(found.distance), brute_distance(f, p), 1e-6) << "case " << i;
    ASSERT_EQ(found.distance < 0, holds(f, p)) << "case " << i;
  }
}

TEST(FrustumDistance, EqualsBruteForceForEllipticSections) {
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    Frustum f = random_frustum(random, Section::kEllipse);
    f.open_bottom = i % 5 == 1, f.open_top = i % 7 == 1;
    const Vec3 p = random_point_near(random, f, 0.05);
    const SurfacePoint found = distance(f, p);
    ASSERT_NEAR(std::abs(found.distance), brute_distance(f, p), 1e-6) << "case " << i;
    ASSERT_EQ(found.distance < 0, holds(f, p)) << "case " << i;
  }
}

TEST(FrustumDistance, AnswersADeepPointOfAWideFlatEllipse) {
  Frustum f;
  f.bottom_radii = f.top_radii = Vec2(0.2, 0.05);
  f.top = Vec3(0, 1, 0);
  std::mt19937 random(3);
  for (int i = 0; i < 60; ++i) {
    const Vec3 p(uniform(random, -0.19, 0.19), 0.5, uniform(random, -0.04, 0.04));
    ASSERT_NEAR(std::abs(distance(f, p).distance), brute_distance(f, p), 1e-6) << p.transpose();
  }
}

TEST(FrustumDistance, SteppingBackAlongTheNormalLandsOnTheSurface) {
  std::mt19937 random(4);
  for (int i = 0; i < 2000; ++i) {
    const Frustum f = random_frustum(random, i % 2 ? Section::kCircle : Section::kEllipse);
    const Vec3 p = random_point_near(random, f, 0.1);
    const SurfacePoint found = distance(f, p);
    ASSERT_NEAR(found.normal.norm(), 1.0, 1e-9);
    ASSERT_NEAR(distance(f, Vec3(p - found.distance * found.normal)).distance, 0.0, 2e-6) << "case " << i;
  }
}

TEST(FrustumDistance, NormalIsTheGradient) {
  std::mt19937 random(5);
  int compared = 0;
  for (int i = 0; i < 500; ++i) {
    const Frustum f = random_frustum(random, i % 2 ? Section::kCircle : Section::kEllipse);
    const Vec3 p = random_point_near(random, f, 0.1);
    const SurfacePoint found = distance(f, p);
    if (found.distance < 1e-3) continue;  // outside, the distance is smooth
    ++compared;
    const double h = 1e-5;
    for (int k = 0; k < 3; ++k) {
      const Vec3 e = Vec3::Unit(k) * h;
      const double slope = (distance(f, Vec3(p + e)).distance - distance(f, Vec3(p - e)).distance) / (2 * h);
      ASSERT_NEAR(slope, found.normal[k], 2e-3) << "case " << i;
    }
  }
  EXPECT_GT(compared, 100);
}

TEST(FrustumDistance, DegenerateSizesGiveNumbers) {
  Frustum f;  // all radii zero: a needle from the origin to +Y
  EXPECT_NEAR(distance(f, Vec3(0.3, 0.5, 0.4)).distance, 0.5, 1e-6);
  f.top = f.bottom;  // a point
  const SurfacePoint at_point = distance(f, f.bottom);
  EXPECT_TRUE(std::isfinite(at_point.distance) && at_point.normal.allFinite());
  EXPECT_NEAR(distance(f, Vec3(0, 2, 0)).distance, 2.0, 1e-6);
  f.bottom_radii = f.top_radii = Vec2(-1.0, std::numeric_limits<double>::quiet_NaN());
  EXPECT_NEAR(distance(f, Vec3(1, 0, 0)).distance, 1.0, 1e-6);
  f = Frustum();
  f.bottom_radii = Vec2(0.1, 0.1);  // a cone, asked at its tip and on its axis
  EXPECT_NEAR(distance(f, f.top).distance, 0.0, 1e-6);
  EXPECT_TRUE(distance(f, f.top).normal.allFinite());
  EXPECT_LT(distance(f, Vec3(0, 0.5, 0)).distance, 0.0);
  const Sphere dot{Vec3::Zero(), -1.0};
  EXPECT_NEAR(distance(dot, Vec3(0, 1, 0)).distance, 1.0, 1e-12);
  EXPECT_TRUE(distance(dot, Vec3(0, 0, 0)).normal.allFinite());
}

TEST(FrustumDistance, AnOpenEndIsNoWall) {
  Frustum f;
  f.top = Vec3(0, 0.02, 0);
  f.bottom_radii = f.top_radii = Vec2(0.1, 0.1);
  const Vec3 p(0.07, 0.018, 0);
  EXPECT_NEAR(distance(f, p).distance, -0.002, 1e-9);
  EXPECT_NEAR(distance(f, p).normal.y(), 1.0, 1e-9);
  f.open_top = f.open_bottom = true;
  EXPECT_NEAR(distance(f, p).distance, -0.03, 1e-9);
  EXPECT_NEAR(distance(f, p).normal.x(), 1.0, 1e-9);
}

TEST(SolidSet, NormalsRunOnAcrossTheJoinsOfAChain) {
  std::mt19937 random(6);
  const SolidSet set(random_chain(random, 12));
  const double top = std::get<Frustum>(set.solids().back()).top.y();
  for (int i = 0; i < 4000; ++i) {
    const double angle = uniform(random, 0, 2 * M_PI), depth = uniform(random, 0.6, 1.1);
    const Vec3 p(0.15 * depth * std::cos(angle), uniform(random, 0.1, top - 0.1), 0.1 * depth * std::sin(angle));
    const auto here = set.nearest(p, 1.0), above = set.nearest(p + Vec3(0, 0.0005, 0), 1.0);
    ASSERT_GT(here.surface.normal.dot(above.surface.normal), 0.8) << p.transpose();
    ASSERT_LT(std::abs(here.surface.normal.y()), 0.6) << "pushed sideways at " << p.transpose();
    ASSERT_NEAR(here.surface.distance, above.surface.distance, 0.003) << p.transpose();
  }
}

TEST(SolidSet, FindsWhatALookAtEverySolidFinds) {
  std::mt19937 random(7);
  const SolidSet set(random_solids(random, 60));
  int hits = 0, misses = 0;
  for (int i = 0; i < 3000; ++i) {
    const Vec3 p(uniform(random, -1.2, 1.2), uniform(random, -1.2, 1.2), uniform(random, -1.2, 1.2));
    const double reach = uniform(random, 0, 0.3);
    SolidSet::Hit expected;
    for (size_t k = 0; k < set.solids().size(); ++k) {
      const SurfacePoint s = distance(set.solids()[k], p);
      if (s.distance > reach || (expected.solid >= 0 && s.distance >= expected.surface.distance)) continue;
      expected = {static_cast<int>(k), s};
    }
    const SolidSet::Hit found = set.nearest(p, reach);
    ASSERT_EQ(found.solid, expected.solid) << "case " << i;
    (found.solid < 0 ? misses : hits)++;
    ASSERT_EQ(found.surface.distance, expected.surface.distance);
  }
  EXPECT_GT(hits, 500);
  EXPECT_GT(misses, 500);
  EXPECT_EQ(SolidSet().nearest(Vec3::Zero(), 1.0).solid, -1);
}

TEST(SolidSet, IsNegativeExactlyInsideTheUnion) {
  std::mt19937 random(8);
  const SolidSet set(random_solids(random, 40));
  for (int i = 0; i < 3000; ++i) {
    const Vec3 p(uniform(random, -1.2, 1.2), uniform(random, -1.2, 1.2), uniform(random, -1.2, 1.2));
    bool inside = false;
    for (const Solid& solid : set.solids()) inside |= distance(solid, p).distance <= 0;
    const SolidSet::Hit hit = set.nearest(p, 0.01);
    ASSERT_EQ(hit.solid >= 0 && hit.surface.distance <= 0, inside) << "case " << i;
  }
}

TEST(SolidSet, PushingAlongTheNormalLeavesAUnionInFewSteps) {
  std::mt19937 random(9);
  std::vector<Solid> solids = random_chain(random, 10);  // a trunk with an arm that starts inside it and a shoulder
  Frustum arm;
  arm.axis = Vec3(0.8, -0.6, 0), arm.u = Vec3(0.6, 0.8, 0), arm.v = Vec3::UnitZ();
  arm.bottom = Vec3(0.1, 0.2, 0), arm.top = arm.bottom + 0.4 * arm.axis;
  arm.bottom_radii = Vec2(0.05, 0.05), arm.top_radii = Vec2(0.04, 0.04), arm.open_bottom = true;
  solids.push_back(arm);
  solids.push_back(Sphere{Vec3(0.1, 0.2, 0), 0.055});
  const SolidSet set(solids);
  int inside = 0;
  for (int i = 0; i < 20000; ++i) {
    Vec3 p(uniform(random, -0.2, 0.5), uniform(random, -0.05, 0.35), uniform(random, -0.15, 0.15));
    if (set.nearest(p, 0.0).solid < 0) continue;
    ++inside;
    int steps = 0;
    for (; steps < 16; ++steps) {
      const auto hit = set.nearest(p, 0.0);
      if (hit.solid < 0 || hit.surface.distance > -1e-4) break;
      p += (1e-6 - hit.surface.distance) * hit.surface.normal;
    }
    ASSERT_LT(steps, 16) << "still inside at " << p.transpose();
  }
  EXPECT_GT(inside, 1000);
}

TEST(SolidBounds, HoldTheWholeSurfaceAndTouchIt) {
  std::mt19937 random(10);
  for (int i = 0; i < 50; ++i) {
    const Frustum f = random_frustum(random, Section::kEllipse);
    Eigen::AlignedBox3d sampled;
    for (int k = 0; k < 4000; ++k) sampled.extend(flank_point(f, k % 2, k / 4000.0));
    const Eigen::AlignedBox3d box = bounds(Solid(f));
    ASSERT_TRUE(box.min().isApprox(sampled.min(), 1e-3)) << "case " << i;
    ASSERT_TRUE(box.max().isApprox(sampled.max(), 1e-3)) << "case " << i;
  }
}

TEST(JiContact, GapIsTheDistanceForRightConesAndCylinders) {
  std::mt19937 random(11);
  int compared = 0;
  for (int i = 0; i < 2000; ++i) {
    Frustum f = random_frustum(random, Section::kCircle, 0.0);
    if (i % 4 == 0) f.top_radii = f.bottom_radii;
    f.open_bottom = f.open_top = true;
    const Vec3 p = random_point_near(random, f, 0.01);
    const JiContact ji = ji_contact(f, p, Vec3::Zero(), 0.005, 2.0);
    if (ji.band == JiContact::Band::kBeyond) continue;
    const Vec3 foot = p - ji.gap * ji.normal;
    const double t = (foot - f.bottom).dot(f.axis) / (f.top - f.bottom).dot(f.axis);
    if (t < 0 || t > 1) continue;  // the foot lies on the extended cone
    ++compared;
    ASSERT_NEAR(ji.gap, distance(f, p).distance, 1e-9) << "case " << i;
  }
  EXPECT_GT(compared, 500);
}

TEST(JiContact, GapIsOnlyAnUpperBoundForObliqueCones) {
  std::mt19937 random(12);
  double largest_excess = 0;
  for (int i = 0; i < 2000; ++i) {
    Frustum f = random_frustum(random, Section::kCircle);
    f.open_bottom = f.open_top = true;
    const Vec3 p = random_point_near(random, f, 0.02);
    const JiContact ji = ji_contact(f, p, Vec3::Zero(), 0.005, 2.0);
    if (ji.band == JiContact::Band::kBeyond) continue;
    const Vec3 foot = p - ji.gap * ji.normal;
    const double t = (foot - f.bottom).dot(f.axis) / (f.top - f.bottom).dot(f.axis);
    if (t < 0 || t > 1) continue;
    const double exact = std::abs(distance(f, p).distance);
    ASSERT_GE(std::abs(ji.gap), exact - 1e-9) << "case " << i;
    largest_excess = std::max(largest_excess, std::abs(ji.gap) - exact);
  }
  EXPECT_GT(largest_excess, 1e-3);  // the paper's claim of the shortest distance does not hold off the symmetry plane
}

TEST(JiContact, GapIsTheDistanceInTheSymmetryPlaneOfAnObliqueCone) {
  Frustum f;
  f.bottom = Vec3::Zero(), f.top = Vec3(0.1, 0.3, 0);
  f.bottom_radii = Vec2(0.2, 0.2), f.top_radii = Vec2(0.1, 0.1);
  const Vec3 p(0.27, 0.12, 0);
  EXPECT_NEAR(ji_contact(f, p, Vec3::Zero(), 0.1, 2.0).gap, distance(f, p).distance, 1e-12);
}

TEST(JiContact, BandsAndVelocityDecide) {
  Frustum f;
  f.bottom_radii = f.top_radii = Vec2(0.2, 0.2);
  const Vec3 inward(-1, 0, 0), outward(1, 0, 0);
  using Band = JiContact::Band;
  EXPECT_EQ(ji_contact(f, Vec3(0.2, 1.5, 0), inward, 0.01, 2).band, Band::kBeyond);
  EXPECT_EQ(ji_contact(f, Vec3(0.25, 0.5, 0), inward, 0.01, 2).band, Band::kOutside);
  EXPECT_FALSE(ji_contact(f, Vec3(0.25, 0.5, 0), inward, 0.01, 2).contact);
  EXPECT_EQ(ji_contact(f, Vec3(0.205, 0.5, 0), inward, 0.01, 2).band, Band::kNear);
  EXPECT_TRUE(ji_contact(f, Vec3(0.205, 0.5, 0), inward, 0.01, 2).contact);
  EXPECT_FALSE(ji_contact(f, Vec3(0.205, 0.5, 0), outward, 0.01, 2).contact);
  EXPECT_TRUE(ji_contact(f, Vec3(0.185, 0.5, 0), inward, 0.01, 2).contact);  // inside, within alpha delta
  EXPECT_EQ(ji_contact(f, Vec3(0.17, 0.5, 0), inward, 0.01, 2).band, Band::kPenetrating);
  EXPECT_NEAR(ji_contact(f, Vec3(0.17, 0.5, 0), inward, 0.01, 2).normal.x(), 1.0, 1e-12);
}

}  // namespace
}  // namespace tryon
