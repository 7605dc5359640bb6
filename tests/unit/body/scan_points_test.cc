#include "server/body/scan_points.h"

#include "tests/unit/body/body_fixtures.h"
#include "tests/unit/body/scan_damage.h"

namespace tryon {
namespace {

using testing::as_points;
using testing::make_ball;
using testing::make_box;
using testing::motion;
using testing::moved;

TEST(ScanPoints, SamplesLieOnTheSurfaceNoFartherApartThanAsked) {
  const TriangleMesh box = make_box({1, 1, 1}, 2);
  const std::vector<Vec3> points = sample_surface(box, 0.03);
  const PointGrid grid(points, 0.05);
  for (const Vec3& p : points) EXPECT_NEAR(p.cwiseAbs().maxCoeff(), 0.5, 1e-12);
  for (double x = -0.5; x <= 0.5; x += 0.07) EXPECT_TRUE(grid.any_near(Vec3(x, 0.31, 0.5), 0.03));
}

TEST(ScanPoints, TwoBallsAndAStrayAreTwoGroupsAndNone) {
  std::vector<Vec3> points = sample_surface(make_ball(0.2, 30), 0.02);
  const size_t first = points.size();
  for (const Vec3& p : sample_surface(make_ball(0.1, 20), 0.02)) points.push_back(p + Vec3(0.5, 0, 0));
  points.emplace_back(3, 3, 3);
  const PointGroups groups = group_points(points, 0.05, 3);
  ASSERT_EQ(groups.size.size(), 2u);
  EXPECT_EQ(groups.size[0], static_cast<int>(first));
  EXPECT_EQ(groups.group[0], 0);
  EXPECT_EQ(groups.group[first], 1);
  EXPECT_EQ(groups.group.back(), -1);
}

TEST(ScanPoints, NearestAgreesWithTryingAll) {
  const std::vector<Vec3> points = sample_surface(make_ball(0.3, 25), 0.05);
  const PointGrid grid(points, 0.06);
  for (int i = 0; i < 200; ++i) {
    const Vec3 p(0.3 * std::sin(i), 0.35 * std::cos(2.3 * i), 0.2 * std::sin(0.7 * i));
    double best = 0.06;
    for (const Vec3& q : points) best = std::min(best, (q - p).norm());
    EXPECT_NEAR(grid.nearest(p, 0.06), best, 1e-12);
  }
}

TEST(ScanPoints, OneOfEachCellIsKept) {
  const std::vector<Vec3> points = {{0.1, 0, 0}, {0.2, 0, 0}, {1.6, 0, 0}, {0.3, 0.2, 0}};
  EXPECT_EQ(thin_points(points, 1.0), (std::vector<int>{0, 2}));
}

}  // namespace
}  // namespace tryon
