#include "server/shape/solid_batch.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "gtest/gtest.h"
#include "tests/unit/shape/solid_fixtures.h"

namespace tryon {
namespace {

using namespace tryon::testing;  // the fixtures

std::vector<Vec3> points_about(std::mt19937& random, const std::vector<Solid>& solids, int count, double reach) {
  std::vector<Vec3> out;
  for (int i = 0; i < count; ++i) out.push_back(random_point_near(random, solids, reach));
  return out;
}

std::vector<SolidSet::Hit> ask(const SolidSet& set, const std::vector<Vec3>& points, double max_distance) {
  std::vector<SolidSet::Hit> hits(points.size());
  set.nearest(points, max_distance, hits);
  return hits;
}

void expect_the_scalar_answers(const std::vector<Solid>& solids, const std::vector<Vec3>& points, double reach) {
  const SolidSet set(solids);
  const std::vector<SolidSet::Hit> hits = ask(set, points, reach);
  int found = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const SolidSet::Hit one = set.nearest(points[i], reach);
    if (std::abs(one.surface.distance - reach) < 1e-9) continue;
    ASSERT_EQ(hits[i].solid < 0, one.solid < 0) << "point " << i << ": " << points[i].transpose();
    if (one.solid < 0) continue;
    ++found;
    ASSERT_NEAR(hits[i].surface.distance, one.surface.distance, 1e-9)
        << "point " << i << ", solid " << one.solid << " or " << hits[i].solid;
    ASSERT_NEAR(hits[i].surface.normal.norm(), 1.0, 1e-9);
  }
  EXPECT_GT(found, static_cast<int>(points.size() / 10));
}

TEST(SolidBatch, AgreesWithTheScalarOnAFigure) {
  std::mt19937 random(1);
  for (int round = 0; round < 10; ++round) {
    const std::vector<Solid> solids = random_figure(random);
    const std::vector<Vec3> points = points_about(random, solids, 1000, 0.06);
    for (const double reach : {0.005, 0.05, 1e30}) expect_the_scalar_answers(solids, points, reach);
  }
}

TEST(SolidBatch, AgreesWithTheScalarOnAJumbleOfSolids) {
  std::mt19937 random(2);
  for (const int count : {1, 2, 7, 8, 9, 60, 140}) {
    const std::vector<Solid> solids = random_solids(random, count);
    expect_the_scalar_answers(solids, points_about(random, solids, 500, 0.1), 0.05);
    expect_the_scalar_answers(solids, points_about(random, solids, 300, 1.0), 1e30);
  }
}

TEST(SolidBatch, AgreesWithTheScalarOnWildSolids) {
  std::mt19937 random(3);
  for (int round = 0; round < 10; ++round) {
    std::vector<Solid> solids{Sphere{Vec3::Zero(), 0.0}, Sphere{Vec3::UnitX(), -1.0}};
    for (int kind = 0; kind < kWildKinds; ++kind) solids.push_back(wild_frustum(random, kind));
    expect_the_scalar_answers(solids, points_about(random, solids, 300, 0.05), 0.05);
    expect_the_scalar_answers(solids, points_about(random, solids, 100, 0.5), 1e30);
  }
}

TEST(SolidBatch, NormalsAgreeWithTheScalarWhereTheyAreUnique) {
  std::mt19937 random(4);
  const std::vector<Solid> solids = random_figure(random);
  const SolidSet set(solids);
  const std::vector<Vec3> points = points_about(random, solids, 4000, 0.05);
  const std::vector<SolidSet::Hit> hits = ask(set, points, 0.1);
  int compared = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const SolidSet::Hit one = set.nearest(points[i], 0.1);
    if (one.solid != hits[i].solid || one.surface.distance < 1e-5) continue;
    ++compared;
    ASSERT_LT((one.surface.normal - hits[i].surface.normal).norm(), 1e-5) << "point " << i;
  }
  EXPECT_GT(compared, 1000);
}

TEST(SolidBatch, RoundedAgreesWithTheScalar) {
  std::mt19937 random(5);
  for (int round = 0; round < 5; ++round) {
    const std::vector<Solid> solids = random_figure(random);
    const SolidSet set(solids);
    const std::vector<Vec3> points = points_about(random, solids, 1000, 0.04);
    std::vector<SurfacePoint> found(points.size());
    set.rounded(points, 0.05, 3e-3, found);
    for (size_t i = 0; i < points.size(); ++i) {
      const SurfacePoint one = set.rounded(points[i], 0.05, 3e-3);
      ASSERT_NEAR(found[i].distance, one.distance, 1e-9) << "point " << i;
      if (one.distance > 1e-4) {
        ASSERT_LT((found[i].normal - one.normal).norm(), 1e-5) << "point " << i;
      }
    }
  }
}

// In a crease the rounded union is nearer than any solid: what looks 2 mm about itself must see it all the same.
TEST(SolidBatch, HowFarOneLooksDoesNotChangeWhatIsNear) {
  std::mt19937 random(6);
  int creases = 0;
  for (int round = 0; round < 5; ++round) {
    const std::vector<Solid> solids = random_figure(random);
    const SolidSet set(solids);
    const std::vector<Vec3> points = points_about(random, solids, 1000, 0.01);
    for (const double reach : {0.001, 0.002, 0.006, 0.02}) {
      std::vector<SurfacePoint> found(points.size());
      set.rounded(points, reach, 3e-3, found);
      for (size_t i = 0; i < points.size(); ++i) {
        const SurfacePoint far = set.rounded(points[i], 0.1, 3e-3), near = set.rounded(points[i], reach, 3e-3);
        ASSERT_EQ(near.distance, std::min(far.distance, reach)) << "point " << i;
        ASSERT_NEAR(found[i].distance, near.distance, 1e-9) << "point " << i;
        creases += far.distance < reach && set.nearest(points[i], reach).solid < 0;
      }
    }
  }
  EXPECT_GT(creases, 50);
}

bool same_bytes(const SolidSet::Hit& a, const SolidSet::Hit& b) {
  return a.solid == b.solid && std::memcmp(&a.surface.distance, &b.surface.distance, sizeof(double)) == 0 &&
         std::memcmp(a.surface.normal.data(), b.surface.normal.data(), 3 * sizeof(double)) == 0;
}

TEST(SolidBatch, GivesTheSameBytesHoweverThePointsAreSplit) {
  std::mt19937 random(6);
  const std::vector<Solid> solids = random_figure(random);
  const SolidSet set(solids);
  const std::vector<Vec3> points = points_about(random, solids, 1200, 0.06);
  const std::vector<SolidSet::Hit> whole = ask(set, points, 0.05);
  for (const size_t size : {1, 3, 7, 64, 333}) {
    for (size_t first = 0; first < points.size(); first += size) {
      const size_t count = std::min(size, points.size() - first);
      std::vector<SolidSet::Hit> part(count);
      set.nearest(std::span(points).subspan(first, count), 0.05, part);
      for (size_t i = 0; i < count; ++i)
        ASSERT_TRUE(same_bytes(part[i], whole[first + i])) << size << ", " << first + i;
    }
  }
}

TEST(SolidBatch, GivesTheSameBytesOnEveryProcessor) {
  if (batch::avx2_kernels() == nullptr) GTEST_SKIP() << "this processor has no AVX2: nothing to compare";
  std::mt19937 random(7);
  const std::vector<Solid> solids = random_figure(random);
  std::vector<Eigen::AlignedBox3d> boxes;
  std::vector<int> order;
  for (const Solid& solid : solids) order.push_back(static_cast<int>(boxes.size())), boxes.push_back(bounds(solid));
  SolidBatch wide(solids, boxes, order), narrow(solids, boxes, order);
  wide.use_kernels(*batch::avx2_kernels());
  narrow.use_kernels(batch::baseline_kernels());
  const std::vector<Vec3> points = points_about(random, solids, 3000, 0.06);
  std::vector<SolidSet::Hit> a(points.size()), b(points.size());
  wide.nearest(points, 0.05, a);
  narrow.nearest(points, 0.05, b);
  for (size_t i = 0; i < points.size(); ++i) ASSERT_TRUE(same_bytes(a[i], b[i])) << "point " << i;
}

TEST(SolidBatch, PointsThatAreNowhereHaveNoNeighbour) {
  std::mt19937 random(8);
  const SolidSet set(random_figure(random));
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const std::vector<Vec3> bad{{nan, 0, 0}, {0, inf, 0}, {0, 0, -inf}, {1e300, 0, 0}, {nan, nan, nan}};
  std::vector<SurfacePoint> rounded(bad.size());
  std::vector<SurfaceAnswer> answers(bad.size());
  for (const SolidSet::Hit& hit : ask(set, bad, inf)) EXPECT_EQ(hit.solid, -1);
  set.rounded(bad, 0.05, 3e-3, rounded);
  set.surface(bad, 0.05, answers);
  for (size_t i = 0; i < bad.size(); ++i) {
    EXPECT_EQ(set.nearest(bad[i], inf).solid, -1);
    EXPECT_EQ(set.rounded(bad[i], 0.05, 3e-3).distance, 0.05);
    EXPECT_EQ(rounded[i].distance, 0.05);
    EXPECT_EQ(answers[i].element, -1);
    EXPECT_EQ(answers[i].distance, 0.05);
    EXPECT_EQ(answers[i].normal, Vec3::UnitY());
    for (const Solid& solid : set.solids()) EXPECT_EQ(distance(solid, bad[i]).distance, inf);
  }
  EXPECT_GE(set.nearest(Vec3(1e6, 0, 0), inf).solid, 0);
  EXPECT_EQ(ask(SolidSet(), {Vec3::Zero()}, 1.0)[0].solid, -1);
  EXPECT_TRUE(ask(set, {}, 1.0).empty());
}

TEST(SolidBatch, BothInterfacesTellTheSame) {
  std::mt19937 random(9);
  const std::vector<Solid> solids = random_figure(random);
  const SolidSet set(solids);
  const std::vector<Vec3> points = points_about(random, solids, 700, 0.06);
  const std::vector<SolidSet::Hit> hits = ask(set, points, 0.03);
  std::vector<SurfaceAnswer> answers(points.size());
  set.surface(points, 0.03, answers);
  for (size_t i = 0; i < points.size(); ++i) {
    ASSERT_EQ(answers[i].element, hits[i].solid);
    ASSERT_EQ(answers[i].distance, hits[i].solid < 0 ? 0.03 : hits[i].surface.distance);
    const SurfaceAnswer one = set.surface(points[i], 0.03);
    ASSERT_NEAR(one.distance, answers[i].distance, 1e-9);
  }
}

}  // namespace
}  // namespace tryon
