// Claims about distances that hold for every solid, judged by brute force or by the meaning of distance itself.
#include <cmath>
#include <random>

#include "gtest/gtest.h"
#include "server/shape/solids.h"
#include "tests/unit/shape/solid_fixtures.h"

namespace tryon {
namespace {

using namespace tryon::testing;  // the fixtures

TEST(Oracle, CircularFrustaAreExactToANanometre) {
  std::mt19937 random(1);
  for (int i = 0; i < 1500; ++i) {
    const Frustum f = random_frustum(random, Section::kCircle, i % 3 ? 1.0 : 0.0);
    const Vec3 p = random_point_near(random, f, 0.2);
    ASSERT_NEAR(std::abs(distance(f, p).distance), brute_distance(f, p), 1e-9) << "case " << i;
  }
}

TEST(Oracle, EllipticFrustaAreExactToAMicrometreWithinFiveCentimetres) {
  std::mt19937 random(2);
  for (int i = 0; i < 3000; ++i) {
    const Frustum f = random_frustum(random, Section::kEllipse);
    const Vec3 p = random_point_near(random, f, 0.05);
    ASSERT_NEAR(std::abs(distance(f, p).distance), brute_distance(f, p), 1e-6) << "case " << i;
  }
}

TEST(Oracle, WildSolidsAreExactToATenthOfAMillimetreAndMostlyToAMicrometre) {
  std::mt19937 random(3);
  int coarse = 0;
  for (int i = 0; i < 2700; ++i) {
    const Frustum f = wild_frustum(random, i);
    const Vec3 p = random_point_near(random, f, 0.05);
    const double judged = brute_distance(f, p, 720), found = std::abs(distance(f, p).distance);
    ASSERT_NEAR(found, judged, 1e-4) << "case " << i << ", kind " << i % kWildKinds;
    coarse += std::abs(found - judged) > 1e-6;
    ASSERT_NEAR(distance(f, p).normal.norm(), 1.0, 1e-9) << "case " << i;
  }
  EXPECT_LT(coarse, 14);
}

TEST(Oracle, ThePointThatADistanceEndsAtLiesOnTheSurface) {
  std::mt19937 random(4);
  for (int i = 0; i < 1500; ++i) {
    const Frustum f = random_frustum(random, i % 2 ? Section::kCircle : Section::kEllipse);
    const Vec3 p = random_point_near(random, f, 0.05);
    ASSERT_NEAR(brute_distance(f, closest_point(p, distance(f, p))), 0.0, 1e-6) << "case " << i;
  }
}

// A distance never changes by more than its point moves: no jump at caps, joins, buried ends or creases.
void expect_no_jumps(std::mt19937& random, const std::vector<Solid>& solids, int segments) {
  const SolidSet set(solids);
  for (int i = 0; i < segments; ++i) {
    const Vec3 from = random_point_near(random, solids, 0.05), to = from + random_direction(random) * 0.1;
    const int steps = 100;
    std::vector<Vec3> points;
    for (int k = 0; k <= steps; ++k) points.push_back(from + (to - from) * (double(k) / steps));
    std::vector<SolidSet::Hit> hits(points.size());
    set.nearest(points, 1e30, hits);
    double before = set.nearest(from, 1e30).surface.distance;
    for (int k = 1; k <= steps; ++k) {
      const double now = set.nearest(points[k], 1e30).surface.distance;
      ASSERT_LE(std::abs(now - before), 1e-3 + 2e-6)
          << "segment " << i << ", step " << k << " at " << points[k].transpose();
      ASSERT_LE(std::abs(hits[k].surface.distance - hits[k - 1].surface.distance), 1e-3 + 2e-6) << "batch";
      before = now;
    }
  }
}

TEST(Oracle, TheDistanceOfOneClosedSolidHasNoJumps) {
  std::mt19937 random(5);
  for (int i = 0; i < 60; ++i) {
    expect_no_jumps(random, {random_frustum(random, i % 2 ? Section::kCircle : Section::kEllipse)}, 3);
  }
}

TEST(Oracle, TheDistanceOfAChainHasNoJumpsAtItsJoins) {
  std::mt19937 random(6);
  for (int i = 0; i < 6; ++i) expect_no_jumps(random, random_chain(random, 10), 20);
}

TEST(Oracle, TheDistanceOfAFigureHasNoJumpsAtBuriedEndsAndCreases) {
  std::mt19937 random(7);
  for (int i = 0; i < 6; ++i) expect_no_jumps(random, random_figure(random), 30);
}

TEST(Oracle, InsideAChainTheDepthIsThatOfTheNearestFlankOfAll) {
  std::mt19937 random(8);
  const std::vector<Solid> chain = random_chain(random, 8);
  const SolidSet set(chain);
  int inside = 0;
  for (int i = 0; i < 600; ++i) {
    const Vec3 p(uniform(random, -0.14, 0.14), uniform(random, 0.0, 0.2), uniform(random, -0.09, 0.09));
    const SolidSet::Hit hit = set.nearest(p, 0.0);
    if (hit.solid < 0) continue;
    ++inside;
    double nearest = 1e30;
    for (const Solid& solid : chain) nearest = std::min(nearest, brute_distance(std::get<Frustum>(solid), p));
    ASSERT_NEAR(-hit.surface.distance, nearest, 1e-6) << p.transpose();
    const Vec3 outside = p + (1e-4 - hit.surface.distance) * hit.surface.normal;
    ASSERT_EQ(set.nearest(outside, 0.0).solid, -1) << "the way out is no way out at " << p.transpose();
  }
  EXPECT_GT(inside, 200);
}

// Outside, and away from concave creases, the normal is the gradient of a convex function: it cannot leap.
TEST(Oracle, NormalsTurnContinuouslyRoundTheRimsAndFlanksOfASolid) {
  std::mt19937 random(9);
  for (int i = 0; i < 300; ++i) {
    Frustum f = random_frustum(random, Section::kEllipse, 0.3);
    f.top_radii = f.bottom_radii * uniform(random, 0.7, 1.3);  // proportional sections: convex
    const Vec3 start = random_point_near(random, f, 0.05);
    Vec3 p = start, step = random_direction(random) * 1e-3;
    Vec3 normal = distance(f, p).normal;
    for (int k = 0; k < 60; ++k) {
      const SurfacePoint now = distance(f, p += step);
      const double before = distance(f, p - step).distance;
      if (now.distance > 0.01 && before > 0.01) {  // the normal of a convex body turns by at most step / distance
        ASSERT_LE((now.normal - normal).norm(), 1e-3 / 0.01 + 1e-4) << "case " << i << ", step " << k;
      }
      normal = now.normal;
    }
  }
}

}  // namespace
}  // namespace tryon
