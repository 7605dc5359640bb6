#include "server/body/holes.h"

#include "tests/unit/body/body_fixtures.h"
#include "tests/unit/body/scan_damage.h"

namespace tryon {
namespace {

using testing::make_ball;
using testing::mannequin_mesh;
using testing::with_hole;

int open_edges(const TriangleMesh& mesh) {
  int open = 0;
  for (const EdgeUse& edge : mesh_edges(mesh)) open += edge.right < 0;
  return open;
}

HoleReport filled(TriangleMesh* mesh) {
  auto report = fill_holes({}, mesh);
  if (!report.ok()) throw std::runtime_error(std::string(report.status().message()));
  return *report;
}

TEST(Holes, ClosedMeshIsLeftAlone) {
  TriangleMesh ball = make_ball(0.5, 20);
  const TriangleMesh before = ball;
  EXPECT_EQ(make_manifold(&ball).dropped, 0);
  EXPECT_EQ(filled(&ball).filled, 0);
  EXPECT_EQ(ball.positions, before.positions);
  EXPECT_EQ(ball.triangles, before.triangles);
}

TEST(Holes, CapOfABallIsPutBackRound) {
  const TriangleMesh whole = make_ball(0.5, 40);
  TriangleMesh ball = with_hole(whole, {0.5, 0, 0}, 0.15);
  ASSERT_GT(open_edges(ball), 0);
  make_manifold(&ball);
  const HoleReport report = filled(&ball);
  EXPECT_EQ(report.filled, 1);
  EXPECT_EQ(report.open, 0);
  EXPECT_EQ(open_edges(ball), 0);
  for (int v = report.first_made; v < ball.vertex_count(); ++v) {
    EXPECT_NEAR(ball.positions[v].norm(), 0.5, 0.006) << "a flat lid would lie 23 mm below";
  }
  EXPECT_NEAR(signed_volume(ball) / signed_volume(whole), 1.0, 0.003);
}

TEST(Holes, PatchGoesOnFromTheSkinWithoutAFold) {
  TriangleMesh ball = with_hole(make_ball(0.5, 40), {0, 0.1, 0.49}, 0.12);
  make_manifold(&ball);
  filled(&ball);
  for (const EdgeUse& edge : mesh_edges(ball)) {
    const Vec3 a = triangle_normal(ball, edge.left).normalized(), b = triangle_normal(ball, edge.right).normalized();
    EXPECT_GT(a.dot(b), 0.9);
  }
}

TEST(Holes, PatchIsAsFineAsTheSkinAboutIt) {
  TriangleMesh mesh = with_hole(mannequin_mesh(), {0, 1.1, 0.15}, 0.06);
  make_manifold(&mesh);
  const HoleReport report = filled(&mesh);
  ASSERT_GT(report.made_triangles.size(), 0u);
  const double mean = surface_area(mesh) / mesh.triangle_count();
  EXPECT_GT(report.area / static_cast<double>(report.made_triangles.size()), 0.1 * mean);
  EXPECT_LT(report.area / static_cast<double>(report.made_triangles.size()), 5.0 * mean);
}

TEST(Holes, SeveralHolesAreAllFilledTheSameWayTwice) {
  TriangleMesh mesh = mannequin_mesh();
  for (const Vec3& at : {Vec3(0, 1.2, 0.15), Vec3(0.1, 0.9, -0.12), Vec3(-0.1, 0.5, 0.05)})
    mesh = with_hole(mesh, at, 0.05);
  TriangleMesh again = mesh;
  make_manifold(&mesh);
  make_manifold(&again);
  EXPECT_EQ(filled(&mesh).filled, 3);
  filled(&again);
  EXPECT_EQ(open_edges(mesh), 0);
  EXPECT_EQ(mesh.positions, again.positions);
  EXPECT_EQ(mesh.triangles, again.triangles);
}

TEST(Holes, ThirdTriangleAtAnEdgeAndTouchingFansAreParted) {
  TriangleMesh ball = make_ball(0.5, 12);
  const int tip = ball.vertex_count();
  ball.positions.emplace_back(0, 2, 0);
  ball.triangles.emplace_back(ball.triangles[0][0], ball.triangles[0][1], tip);
  EXPECT_GT(make_manifold(&ball).dropped, 0);
  TriangleMesh two = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
                      {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}, {0, 4, 5}, {0, 6, 4}, {0, 5, 6}, {4, 6, 5}}};
  EXPECT_EQ(make_manifold(&two).split, 1);
  EXPECT_EQ(two.vertex_count(), 8);
}

}  // namespace
}  // namespace tryon
