#include "server/body/proxy_section.h"

#include <cmath>

#include "gtest/gtest.h"
#include "server/body/bounding.h"

namespace tryon {
namespace {

TEST(ProxySection, AnUprightFrustumIsCutInTheEllipseAtThatHeight) {
  Frustum f;
  f.bottom_radii = Vec2(0.2, 0.1), f.top_radii = Vec2(0.1, 0.1);
  SectionPlane plane;
  plane.origin = Vec3(0, 0.5, 0);
  std::vector<Vec2> points;
  append_section(plane, f, &points);
  EXPECT_NEAR(polygon_perimeter(convex_hull(points)), ellipse_perimeter(Vec2(0.15, 0.1)), 1e-3);
}

TEST(ProxySection, ASphereIsCutInACircleAndMissedBeyondItsRadius) {
  SectionPlane plane;
  plane.origin = Vec3(0, 0.03, 0);
  std::vector<Vec2> points;
  append_section(plane, Sphere{Vec3::Zero(), 0.05}, &points);
  for (const Vec2& q : points) EXPECT_NEAR(q.norm(), 0.04, 1e-12);
  points.clear();
  plane.origin.y() = 0.06;
  append_section(plane, Sphere{Vec3::Zero(), 0.05}, &points);
  EXPECT_TRUE(points.empty());
}

TEST(ProxySection, ATriangleIsCutInItsTwoCrossings) {
  TriangleMesh mesh;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 2, 0), Vec3(-1, 2, 0)};
  mesh.triangles = {{0, 1, 2}};
  const auto cuts = section_triangles(mesh, {0}, SectionPlane(), 1.0, 0.5, 2);
  ASSERT_EQ(cuts[0].size(), 2u);
  EXPECT_NEAR((cuts[0][0] - cuts[0][1]).norm(), 1.0, 1e-12);
  EXPECT_NEAR((cuts[1][0] - cuts[1][1]).norm(), 1.5, 1e-12);
}

}  // namespace
}  // namespace tryon
