#include "server/metrics/body_depth.h"

#include "gtest/gtest.h"
#include "server/base/executor.h"
#include "server/metrics/metrics.h"
#include "tests/support/test_meshes.h"

namespace tryon {
namespace {

std::vector<double> distances(const TriangleMesh& cloth, const ClosestPointIndex& body) {
  std::vector<double> out;
  for (const Vec3& p : cloth.positions) out.push_back(body.query(p).signed_distance);
  return out;
}

BodyDepth depth_in(const TriangleMesh& cloth, const TriangleMesh& body, const SolidSet& solids = SolidSet(),
                   const RunContext& run = RunContext()) {
  const ClosestPointIndex index(body);
  return measure_body_depth(run, cloth, distances(cloth, index), index, solids);
}

// A sheet with waves, through a ball.
TriangleMesh waves() {
  TriangleMesh cloth = testing::make_cloth_sheet(0.5, 0.5, 25);
  for (Vec3& p : cloth.positions) p.y() = 0.09 + 0.02 * std::sin(40 * p.x()) * std::cos(30 * p.z());
  return cloth;
}

TEST(BodyDepth, SamplesShareTheWholeAreaAndIntegrateSquaresExactly) {
  TriangleMesh one{{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}, {Triangle(0, 1, 2)}};
  double area = 0, x_squared = 0;
  for (const DepthSample& s : depth_samples(one)) area += s.area, x_squared += s.area * s.point.x() * s.point.x();
  EXPECT_NEAR(area, 0.5, 1e-15);
  EXPECT_NEAR(x_squared, 1.0 / 12, 1e-15);
  EXPECT_EQ(depth_samples(testing::make_cloth_sheet(1, 1, 1)).size(), 4u + 5u + 2u) << "vertices, edges, triangles";
}

TEST(BodyDepth, ASheetThatLiesLevelInABoxIsAsDeepAsItLies) {
  TriangleMesh sheet = testing::make_cloth_sheet(0.2, 0.1, 4);
  for (Vec3& p : sheet.positions) p.y() += 0.5 - 0.003;
  const BodyDepth depth = depth_in(sheet, testing::make_box(Vec3(1, 1, 1), 1));
  EXPECT_NEAR(depth.deepest_mm, 3.0, 1e-9);
  EXPECT_NEAR(depth.mean_mm, 3.0, 1e-9);
  EXPECT_NEAR(depth.share, 1.0, 1e-12);
  EXPECT_NEAR(depth.volume_cm3, 0.3 * 20 * 10, 1e-9);
  EXPECT_FALSE(depth.inside_both.has_value()) << "there are no solids";
}

TEST(BodyDepth, ATriangleWhoseCornersClearABallIsSeenToCutIt) {
  const double r = 0.1, below = 0.004;
  TriangleMesh one{{Vec3(0.06, r - below, 0), Vec3(-0.03, r - below, 0.052), Vec3(-0.03, r - below, -0.052)},
                   {Triangle(0, 1, 2)}};
  const TriangleMesh ball = testing::make_ball(r, 96);
  const ClosestPointIndex index(ball);
  EXPECT_EQ(penetration_of(distances(one, index)).vertices, 0);
  const BodyDepth depth = depth_in(one, ball);
  EXPECT_NEAR(depth.deepest_mm, 1e3 * below, 0.1) << "its centroid lies under the pole";
  EXPECT_NEAR(depth.share, 9.0 / 20, 1e-6) << "the middles of its edges are 30 mm aside and outside";
  EXPECT_NEAR(depth.mean_mm, depth.deepest_mm, 1e-9);
}

TEST(BodyDepth, EqualsAskingTheBodyAtEverySample) {
  const TriangleMesh cloth = waves(), ball = testing::make_ball(0.1, 24);
  const ClosestPointIndex index(ball);
  const SolidSet solids({Sphere{Vec3(-0.05, 0, 0), 0.1}});
  double whole = 0, inside = 0, beyond = 0, volume = 0, deepest = 0;
  int both = 0;
  for (const DepthSample& s : depth_samples(cloth)) {
    const double depth = -index.query(s.point).signed_distance;
    whole += s.area;
    if (depth <= 0) continue;
    inside += s.area, volume += s.area * depth, deepest = std::max(deepest, depth);
    if (depth <= 1e-4) continue;
    beyond += s.area;
    both += (s.point - Vec3(-0.05, 0, 0)).norm() < 0.1 - 1e-4;
  }
  const BodyDepth depth = depth_in(cloth, ball, solids);
  EXPECT_GT(depth.deepest_mm, 5.0);
  EXPECT_GT(both, 10);
  EXPECT_EQ(depth.samples, static_cast<int>(depth_samples(cloth).size()));
  EXPECT_NEAR(depth.deepest_mm, 1e3 * deepest, 1e-9);
  EXPECT_NEAR(depth.mean_mm, 1e3 * volume / inside, 1e-9);
  EXPECT_NEAR(depth.share, beyond / whole, 1e-12);
  EXPECT_NEAR(depth.volume_cm3, 1e6 * volume, 1e-9);
  EXPECT_EQ(depth.inside_both, both);
}

TEST(BodyDepth, SameForAnyNumberOfThreads) {
  const TriangleMesh cloth = waves(), ball = testing::make_ball(0.1, 24);
  const BodyDepth one = depth_in(cloth, ball);
  for (const int threads : {2, 5}) {
    Executor executor(threads);
    RunContext run;
    run.executor = &executor;
    const BodyDepth many = depth_in(cloth, ball, SolidSet(), run);
    EXPECT_EQ(many.deepest_mm, one.deepest_mm);
    EXPECT_EQ(many.mean_mm, one.mean_mm);
    EXPECT_EQ(many.volume_cm3, one.volume_cm3);
  }
}

TEST(BodyDepth, ClothThatIsNotThereHasNone) {
  const BodyDepth depth = depth_in(TriangleMesh(), testing::make_ball(0.1, 8));
  EXPECT_EQ(depth.samples, 0);
  EXPECT_EQ(depth.deepest_mm, 0.0);
  EXPECT_EQ(depth.share, 0.0);
}

}  // namespace
}  // namespace tryon
